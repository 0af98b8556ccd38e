"""The registry of a game: what its chapters register when they are imported.

One `Kit[Table]` per game. `Game.kinds`, `Game.missing`, the sequence of play, menus and the README's table of rules
are read off it, in order of registration. Nothing can be registered twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import isfunction, isgeneratorfunction
from typing import Any, Generic, TypeVar

import msgspec

from pbem.kernel.domains import Domain, Menu, lazy_menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import Ask, Checkpoint, LazyDomain, Window
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.table import Table

TB = TypeVar("TB", bound=Table)
V = TypeVar("V")
X = TypeVar("X")
R = TypeVar("R")
M = TypeVar("M")
A = TypeVar("A")
"""Who looks: a seat, or what a game knows of the map as a power sees it."""
Answer = str | dict[str, Any]
"""What a menu takes: a bare word, or `{do = word, …}`."""
Reason = Callable[[TB, str], RejectionReason | None]
Rules = TypeVar("Rules", bound=Callable[..., Rule[Any] | None])
"""A function that carries something out: a generator, or a plain function if it asks nothing."""


class RulebookSection(msgspec.Struct, frozen=True):
    """A section of the rulebook: what it is about, and the modules that hold it (none: not written)."""

    about: str
    modules: tuple[str, ...]


class Action(msgspec.Struct, Generic[TB, V, X], frozen=True):
    """A word of a menu. `find`, asked once a question, says whether it is legal; `form` only words what it found.

    A `bare` word needs nothing else and has no form. `listed` is its line in the printed list of actions.
    """

    id: str
    rule: str
    find: Callable[[TB, Any], X | None]
    form: Callable[[TB, Any, X], Domain[V]]
    run: Callable[[TB, str, V], Play]
    free: bool = False
    bare: bool = False
    listed: str = ""


class Entry(msgspec.Struct, Generic[TB, X], frozen=True):
    """A card (event, response, combat card …) at a moment; `can` from public facts, `run` carries it out."""

    key: str
    can: Callable[[TB, str, X], bool]
    run: Callable[[TB, str, X], Rule[Any]]


class Response(msgspec.Struct, Generic[TB, M, X, V], frozen=True):
    """What may be played at a response point (a card, an option of an ally), as an `Action` of the moment.

    `can` looks at public facts only: it decides who is asked. `find` says what the player can do with it, None if
    nothing; without a `form` it needs nothing else.
    """

    key: str
    can: Callable[[TB, str, M], bool]
    find: Callable[[TB, str, M], X | None]
    form: Callable[[TB, str, X], Domain[V]] | None
    run: Callable[[TB, str, M, V], Rule[Any]]


class QuestionKind(msgspec.Struct, frozen=True):
    """A kind of question; calling it makes an `Ask` whose answer has the type of its domain.

    `rule` is cited where a card that asks does not cite its own. `cards`: its windows are for cards in hand.
    """

    kind: str
    rule: str
    pace: str
    cards: bool = False

    def __call__(
        self,
        seat: str,
        domain: LazyDomain[V],
        default: V | Callable[[], V | None] | None = None,
        /,
        *,
        rule: str = "",
        secret: dict[str, Any] | None = None,
        **about: Any,
    ) -> Ask[V]:
        if secret is None:
            return Ask(seat, self.kind, domain, rule or self.rule, default, self.pace, about)
        return Ask(seat, self.kind, domain, rule or self.rule, default, self.pace, about, secret)

    def window(self, candidates: Mapping[str, LazyDomain[V]], *, rule: str = "", **about: Any) -> Window[V]:
        """A response point of this kind: seats that could respond, by public knowledge, with their domains."""
        return Window(self.kind, candidates, rule or self.rule, about, self.pace, cards=self.cards)


class Kit(Generic[TB]):
    """What the chapters of one game have registered."""

    def __init__(self) -> None:
        self.sections: dict[str, RulebookSection] = {}
        self.kinds: dict[str, QuestionKind] = {}
        self.phases: dict[str, Callable[[TB], Rule[Any]]] = {}
        self.actions: dict[str, Action[TB, Any, Any]] = {}
        self.entries: dict[str, dict[str, Entry[TB, Any]]] = {}
        self.responses: dict[str, dict[str, Response[TB, Any, Any, Any]]] = {}
        self.hooks: dict[str, list[Callable[..., None]]] = {}
        self.reasons: dict[str, Callable[[TB, str], RejectionReason | None]] = {}

    def chapter(self, section: str, about: str, *modules: str) -> None:
        """These modules hold a section of the rulebook. A section without modules is not written."""
        _register(self.sections, section, RulebookSection(about, modules))

    def question(self, kind: str, rule: str, pace: str = "turn", *, cards: bool = False) -> QuestionKind:
        """Declare a kind of question. What is returned makes its `Ask`s and `Window`s.

        Several cards may ask the same: the same kind can be declared again.
        """
        made = QuestionKind(kind, rule, pace, cards)
        return made if self.kinds.get(kind) == made else _register(self.kinds, kind, made)

    def phase(self, name: str) -> Callable[[Rules], Rules]:
        """Decorator: the rule of a phase. It sets `state.phase` to the phase that follows."""

        def register(run: Rules) -> Rules:
            _register(self.phases, name, _as_play(run))
            return run

        return register

    def action(
        self, word: str, rule: str, find: Callable[[TB, A], X | None], form: Callable[[TB, A, X], Domain[V]],
        *, free: bool = False, listed: str = "",
    ) -> Callable[[Callable[[TB, str, V], Play | None]], Action[TB, V, X]]:  # fmt: skip
        """Decorator: this function carries out a word of the menu. It takes what the form gives."""

        def register(run: Callable[[TB, str, V], Play | None]) -> Action[TB, V, X]:
            made = Action(word, rule, find, form, _as_play(run), free, False, listed or word)
            return _register(self.actions, word, made, self._section_of)

        return register

    def bare(
        self, word: str, rule: str, find: Callable[[TB, str], bool], *, free: bool = False
    ) -> Callable[[Callable[[TB, str, str], Play | None]], Action[TB, str, bool]]:
        """Decorator: as `action`, for a word that needs nothing else. It takes the word."""

        def register(run: Callable[[TB, str, str], Play | None]) -> Action[TB, str, bool]:
            made = Action(word, rule, find, _no_form, _as_play(run), free, True, word)
            return _register(self.actions, word, made, self._section_of)

        return register

    def reason(self, word: str) -> Callable[[Reason[TB]], Reason[TB]]:
        """Decorator: this says why a seat cannot take an action, None if nothing particular bars it.

        It is asked when the word is refused, never when a menu is built. It names public facts and the seat's own only.
        """
        return lambda why: _register(self.reasons, word, why)

    def entry(
        self, moment: str, key: str, can: Callable[[TB, str, X], bool] = lambda table, seat, found: True
    ) -> Callable[[Rules], Rules]:
        """Decorator: what a card does at a moment (`event`, `move`, `field_battle` …)."""

        def register(run: Rules) -> Rules:
            _register(self.entries.setdefault(moment, {}), key, Entry(key, can, _as_play(run)), str)
            return run

        return register

    def response(
        self,
        moments: Sequence[str],
        keys: Sequence[str],
        find: Callable[[TB, str, M], X | None],
        form: Callable[[TB, str, X], Domain[V]] | None = None,
        *,
        can: Callable[[TB, str, M], bool] | None = None,
    ) -> Callable[[Rules], Rules]:
        """Decorator: what these cards, or kinds of option, do at each of these moments.

        Without `can`, `find` looks at public facts only and decides who is asked.
        """

        def register(run: Rules) -> Rules:
            asked = can or (lambda table, seat, moment: find(table, seat, moment) is not None)
            play = _as_play(run)
            for moment in moments:
                for key in keys:
                    response = Response(key, asked, find, form, play)
                    _register(self.responses.setdefault(moment, {}), key, response, str)
            return run

        return register

    def on(self, moment: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Decorator: be told of a moment."""

        def register(hear: Callable[..., None]) -> Callable[..., None]:
            self.hooks.setdefault(moment, []).append(hear)
            return hear

        return register

    def fire(self, moment: str, *facts: Any) -> None:
        """Tell all who listen to a moment the table and the facts; there is at least one listener."""
        for hear in self.hooks[moment]:
            hear(*facts)

    def menu(
        self, table: TB, who: A, words: Sequence[str], bare: Sequence[str], bag: Sequence[str] = (),
        allowed: Callable[[Action[TB, Any, Any]], bool] | None = None,
        why: Callable[[str], RejectionReason | None] | None = None,
        cost: Callable[[str], int] | None = None,
    ) -> Menu[Answer]:  # fmt: skip
        """The legal ones of `words`, and `bare`, which are words without an action. The menu has their order.

        `find` is asked once a word. `allowed` is what holds for all actions alike; it is asked before `find`.
        `why(word)` may say why a word is not legal, `cost(word)` what it costs.
        """
        found: dict[str, Any] = {}

        def find(word: str) -> Any:
            if word not in found:
                action = self.actions[word]
                found[word] = action.find(table, who) if allowed is None or allowed(action) else None
            return found[word]

        def build(word: str) -> Domain | None:
            there = find(word)
            return None if there is None else self.actions[word].form(table, who, there)

        return lazy_menu(
            words, build, bare, bag or None, lambda word: find(word) is not None, why, self._rule_of, cost
        )

    def _section_of(self, word: str) -> tuple[list[int], str]:
        """Where an action stands in the rulebook: menus have the order of its sections."""
        return [int(number) for number in re.findall(r"[0-9]+", self.actions[word].rule)], word

    def _rule_of(self, word: str) -> str:
        """The rule of an action, for refusals."""
        action = self.actions.get(word)
        return "" if action is None else action.rule

    def carry_out(self, table: TB, seat: str, answer: str | Mapping[str, Any]) -> Play:
        """Run the action of a menu's answer: a bare word takes the word, others what stands beside or behind it."""
        if isinstance(answer, str):
            return self.actions[answer].run(table, seat, answer)
        return self.actions[answer["do"]].run(table, seat, answer.get("with", answer))

    def play(self, table: TB, over: str = "over") -> Play:
        """The sequence of play: a checkpoint before each phase."""
        while table.state.phase != over:
            yield Checkpoint()
            yield from self.phases[table.state.phase](table)

    def card_kinds(self) -> tuple[str, ...]:
        """The kinds of windows for cards in hand."""
        return tuple(kind for kind, question in self.kinds.items() if question.cards)

    def missing(self) -> dict[str, str]:
        """What is not written: section → what it is about."""
        return {key: section.about for key, section in self.sections.items() if not section.modules}


def word_of(answer: str | Mapping[str, Any]) -> str:
    """The word of a menu that an answer begins with."""
    word: str = answer if isinstance(answer, str) else answer["do"]
    return word


def _register(registry: dict[str, Any], key: str, what: A, order: Callable[[str], Any] | None = None) -> A:
    """Enter `what`. With an `order` the registry stays sorted, so that the order of imports decides nothing."""
    if key in registry:
        raise ValueError(f"'{key}' is registered twice")
    registry[key] = what
    if order is not None:
        rows = [(name, registry.pop(name)) for name in sorted(registry, key=order)]
        registry.update(rows)
    return what


def _as_play(run: Callable[..., Rule[R] | None]) -> Callable[..., Rule[R]]:
    """The same as a generator, whether it asks anything or not."""
    if isgeneratorfunction(run):
        return run

    if isfunction(run) and run.__code__.co_argcount == _OF_ACTION:
        return lambda table, seat, what: run(table, seat, what) or _ASKS_NOTHING
    return lambda *facts: run(*facts) or _ASKS_NOTHING


_OF_ACTION = 3
"""What an action and an entry take: passed on by name, for a call with `*` costs more than the rest of it."""

_ASKS_NOTHING: Any = ()
"""In the place of a generator that yields nothing: `yield from` takes it, and it costs less."""


def _no_form(table: Table, seat: str, found: bool) -> Domain[str]:
    raise AssertionError("a bare word has no form")
