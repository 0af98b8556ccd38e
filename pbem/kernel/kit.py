"""The registry of a game: what its chapters register at import.

There is one `Kit[Table]` per game. `Game.question_kinds`, `Game.missing`, the sequence of play, menus and the README's
table of rules are read from it, in order of registration. Nothing can be registered twice.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import isfunction, isgeneratorfunction
from typing import Any, Generic, TypeVar

import msgspec

from pbem.kernel.domains import Domain, Menu, lazy_menu
from pbem.kernel.evidence import Builder, Evidence, Fact, Look, Meaning
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import Ask, Checkpoint, LazyDomain, Proposal, Window
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.table import Table

TB = TypeVar("TB", bound=Table)
V = TypeVar("V")
X = TypeVar("X")
R = TypeVar("R")
M = TypeVar("M")
A = TypeVar("A")
"""The subject of a menu: a seat, or what a game knows of the map as a power sees it."""
Answer = str | dict[str, Any]
"""A menu's answer: a bare word, or `{do = word, …}`."""
Reason = Callable[[TB, str], RejectionReason | None]
Rules = TypeVar("Rules", bound=Callable[..., Rule[Any] | None])
"""A function that executes something: a generator, or a plain function if it asks nothing."""


class RulebookSection(msgspec.Struct, frozen=True):
    """A section of the rulebook: its subject, and the modules that implement it (none: not written)."""

    about: str
    modules: tuple[str, ...]


class Action(msgspec.Struct, Generic[TB, V, X], frozen=True):
    """A word of a menu. `find` decides, once a question, whether it is legal; `form` uses what it found.

    A `bare` word has no form. `listed` is its line in the printed list of actions.
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
    """A card (event, response, combat card …) at a moment; `can` reads public facts, `run` executes it."""

    key: str
    can: Callable[[TB, str, X], bool]
    run: Callable[[TB, str, X], Rule[Any]]


class Response(msgspec.Struct, Generic[TB, M, X, V], frozen=True):
    """What may be played at a response point (a card, an option of an ally), as an `Action` of the moment.

    `can` reads public facts only: it decides who is asked. `find` says what the player can do with it, None if
    nothing; without a `form` it needs nothing else.
    """

    key: str
    can: Callable[[TB, str, M], bool]
    find: Callable[[TB, str, M], X | None]
    form: Callable[[TB, str, X], Domain[V]] | None
    run: Callable[[TB, str, M, V], Rule[Any]]


class QuestionKind(msgspec.Struct, frozen=True):
    """A kind of question; calling it makes an `Ask` whose answer has the type of its domain.

    `rule` is cited if an asking card doesn't cite its own. `cards`: its windows are for cards in hand.
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
        """Make a window of this kind: the seats that could respond, by public knowledge, with their domains."""
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
        self.evidence: dict[str, Evidence[TB]] = {}

    def chapter(self, section: str, about: str, *modules: str) -> None:
        """Register the modules of a rulebook section. A section without modules isn't written."""
        _register(self.sections, section, RulebookSection(about, modules))

    def question(self, kind: str, rule: str, pace: str = "turn", *, cards: bool = False) -> QuestionKind:
        """Declare a kind of question, from which its `Ask`s and `Window`s are made; twice, if several cards ask it."""
        made = QuestionKind(kind, rule, pace, cards)
        return made if self.kinds.get(kind) == made else _register(self.kinds, kind, made)

    def phase(self, name: str) -> Callable[[Rules], Rules]:
        """Register the rule of a phase (decorator). It sets `state.phase` to the next phase."""

        def register(run: Rules) -> Rules:
            _register(self.phases, name, _as_play(run))
            return run

        return register

    def action(
        self, word: str, rule: str, find: Callable[[TB, A], X | None], form: Callable[[TB, A, X], Domain[V]],
        *, free: bool = False, listed: str = "",
    ) -> Callable[[Callable[[TB, str, V], Play | None]], Action[TB, V, X]]:  # fmt: skip
        """Register the function that executes a word of the menu (decorator). It takes the form's value."""

        def register(run: Callable[[TB, str, V], Play | None]) -> Action[TB, V, X]:
            made = Action(word, rule, find, form, _as_play(run), free, False, listed or word)
            return _register(self.actions, word, made, self._section_of)

        return register

    def bare(
        self, word: str, rule: str, find: Callable[[TB, str], bool], *, free: bool = False
    ) -> Callable[[Callable[[TB, str, str], Play | None]], Action[TB, str, bool]]:
        """Register the function of a word that needs nothing else (decorator). It takes the word."""

        def register(run: Callable[[TB, str, str], Play | None]) -> Action[TB, str, bool]:
            made = Action(word, rule, find, _no_form, _as_play(run), free, True, word)
            return _register(self.actions, word, made, self._section_of)

        return register

    def reason(self, word: str) -> Callable[[Reason[TB]], Reason[TB]]:
        """Register why a seat can't take an action; None if nothing particular bars it (decorator).

        It is called when the word is rejected, never for a menu. It uses public facts and the seat's own only.
        """
        return lambda why: _register(self.reasons, word, why)

    def entry(
        self, moment: str, key: str, can: Callable[[TB, str, X], bool] = lambda table, seat, found: True
    ) -> Callable[[Rules], Rules]:
        """Register what a card does at a moment (`event`, `move`, `field_battle` …; decorator)."""

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
        """Register what cards or kinds of option do at these moments (decorator).

        Without `can`, `find` decides who is asked, and then reads public facts only.
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
        """Register a listener of a moment (decorator)."""

        def register(hear: Callable[..., None]) -> Callable[..., None]:
            self.hooks.setdefault(moment, []).append(hear)
            return hear

        return register

    def fire(self, moment: str, *facts: Any) -> None:
        """Call all listeners of a moment with the table and the facts; there must be at least one."""
        for hear in self.hooks[moment]:
            hear(*facts)

    def turns_on(
        self, *kinds: str, facts: tuple[Builder[TB], ...] = (),
        means: Callable[[Look[TB], Any], Meaning | None] | None = None,
        likely: Callable[[Look[TB]], Iterable[str]] | None = None, none: str = "",
        terms: Callable[[Look[TB], Proposal], Iterator[Fact]] | None = None,
    ) -> None:  # fmt: skip
        """Register what the questions of these kinds turn on (`Evidence`), or, with `none`, why nothing is missing."""
        made = Evidence(facts, means, likely, none, terms)
        for kind in kinds:
            if kind not in self.kinds:
                raise ValueError(f"'{kind}' isn't a kind of question")
            _register(self.evidence, kind, made)

    def menu(
        self, table: TB, who: A, words: Sequence[str], bare: Sequence[str], bag: Sequence[str] = (),
        allowed: Callable[[Action[TB, Any, Any]], bool] | None = None,
        why: Callable[[str], RejectionReason | None] | None = None,
        cost: Callable[[str], int] | None = None,
    ) -> Menu[Answer]:  # fmt: skip
        """Return the menu of the legal ones of `words`, and of `bare` words without an action, in this order.

        `find` is called once a word. `allowed` holds for all actions and is called before `find`. `why(word)` may say
        why a word isn't legal, `cost(word)` what it costs.
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

        return lazy_menu(words, build, bare, bag or None, lambda word: find(word) is not None, why, self._rule_of, cost)

    def _section_of(self, word: str) -> tuple[list[int], str]:
        """Return the rulebook position of an action, which orders menus."""
        return [int(number) for number in re.findall(r"[0-9]+", self.actions[word].rule)], word

    def _rule_of(self, word: str) -> str:
        action = self.actions.get(word)
        return "" if action is None else action.rule

    def carry_out(self, table: TB, seat: str, answer: str | Mapping[str, Any]) -> Play:
        """Execute the action of a menu's answer: bare words take the word, others the value."""
        if isinstance(answer, str):
            return self.actions[answer].run(table, seat, answer)
        return self.actions[answer["do"]].run(table, seat, answer.get("with", answer))

    def play(self, table: TB, over: str = "over") -> Play:
        """Run the sequence of play: a checkpoint before each phase."""
        while table.state.phase != over:
            yield Checkpoint()
            yield from self.phases[table.state.phase](table)

    def card_kinds(self) -> tuple[str, ...]:
        return tuple(kind for kind, question in self.kinds.items() if question.cards)

    def free_acts(self) -> tuple[str, ...]:
        """Return the words of the actions that cost nothing."""
        return tuple(word for word, action in self.actions.items() if action.free)

    def missing(self) -> dict[str, str]:
        """Return what isn't written: section → subject."""
        return {key: section.about for key, section in self.sections.items() if not section.modules}


def word_of(answer: Any) -> str:
    """Return the menu word at the start of an answer; "" for one to a question without a menu."""
    return answer if isinstance(answer, str) else str(answer.get("do", "")) if isinstance(answer, Mapping) else ""


def _register(registry: dict[str, Any], key: str, what: A, order: Callable[[str], Any] | None = None) -> A:
    """Register `what`. With an `order` the registry stays sorted, so that the order of imports doesn't matter."""
    if key in registry:
        raise ValueError(f"'{key}' is registered twice")
    before = [*registry]
    registry[key] = what
    later = before[bisect(before, order(key), key=order) :] if order is not None else ()
    registry.update({name: registry.pop(name) for name in later})
    return what


def _as_play(run: Callable[..., Rule[R] | None]) -> Callable[..., Rule[R]]:
    """Return a generator function, whether `run` asks anything or not."""
    if isgeneratorfunction(run):
        return run

    if isfunction(run) and run.__code__.co_argcount == _OF_ACTION:
        return lambda table, seat, what: run(table, seat, what) or _ASKS_NOTHING
    return lambda *facts: run(*facts) or _ASKS_NOTHING


_OF_ACTION = 3
"""The number of arguments of an action and an entry, passed by name: a call with `*` costs more than the rest."""

_ASKS_NOTHING: Any = ()
"""A cheap replacement for a generator that yields nothing, for `yield from`."""


def _no_form(table: Table, seat: str, found: bool) -> Domain[str]:
    raise AssertionError("a bare word has no form")
