"""The seams of a game: what its chapters register when they are imported, and what follows from that.

One `Kit[Table]` per game. `Game.kinds`, `Game.missing`, the sequence of play and README rows are read off it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pbem.kernel.answers import Domain, Menu, tried_menu
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, Checkpoint, LazyDomain
from pbem.kernel.table import Table

TB = TypeVar("TB", bound=Table)
V = TypeVar("V")
X = TypeVar("X")
Run = Callable[..., Play]


@dataclass(frozen=True)
class Action(Generic[TB, V, X]):
    """A word of a menu. `find`, asked once a question, says whether it is legal; `form` only words what it found."""

    id: str
    rule: str
    find: Callable[[TB, str], X | None]
    form: Callable[[TB, str, X], Domain[V]]
    run: Callable[[TB, str, V], Play]
    free: bool = False


@dataclass(frozen=True)
class Entry(Generic[TB, X]):
    """A card (event, response, combat card …) at a moment; `can` from public facts, `run` carries it out."""

    key: str
    can: Callable[[TB, str, X], bool]
    run: Callable[[TB, str, X], Play]


@dataclass(frozen=True)
class Question:
    """A kind of question; calling it makes an `Ask` whose answer has the type of its domain."""

    kind: str
    rule: str
    pace: str

    def __call__(
        self, seat: str, domain: LazyDomain[V], default: V | Callable[[], V] | None = None, **about: Any
    ) -> Ask[V]:
        return Ask(seat, self.kind, domain, self.rule, default, self.pace, about)


class Kit(Generic[TB]):
    """What the chapters of one game have registered."""

    def __init__(self) -> None:
        self.sections: dict[str, tuple[str, str, bool]] = {}
        self.kinds: dict[str, Question] = {}
        self.phases: dict[str, Callable[[TB], Play]] = {}
        self.actions: dict[str, Action[TB, Any, Any]] = {}
        self.entries: dict[str, dict[str, Entry[TB, Any]]] = {}
        self.hooks: dict[str, list[Callable[..., None]]] = {}

    def chapter(self, section: str, about: str, module: str = "") -> None:
        """This module holds a section of the rulebook; without a module: a section that is not written."""
        self.sections[section] = (about, module, bool(module))

    def question(self, kind: str, rule: str, pace: str = "turn") -> Question:
        """Declare a kind of question; what comes back makes its `Ask`s."""
        return self.kinds.setdefault(kind, Question(kind, rule, pace))

    def phase(self, name: str) -> Callable[[Callable[[TB], Play]], Callable[[TB], Play]]:
        """Decorator: the rule of a phase; it sets `state.phase` to what follows."""
        return lambda run: self.phases.setdefault(name, run)

    def action(
        self, word: str, rule: str, find: Callable[[TB, str], X | None], form: Callable[[TB, str, X], Domain[V]],
        *, free: bool = False,
    ) -> Callable[[Callable[[TB, str, V], Play]], Action[TB, V, X]]:  # fmt: skip
        """Decorator: this carries out the word; its value's type must be that of the form."""

        def register(run: Callable[[TB, str, V], Play]) -> Action[TB, V, X]:
            made = self.actions[word] = Action(word, rule, find, form, run, free)
            return made

        return register

    def entry(self, moment: str, key: str, can: Callable[[TB, str, X], bool]) -> Callable[[Run], Run]:
        """Decorator: what a card does at a moment (`event`, `move`, `field_battle` …)."""
        return lambda run: self.entries.setdefault(moment, {}).setdefault(key, Entry(key, can, run)).run

    def on(self, moment: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Decorator: be told of a moment."""

        def register(hear: Callable[..., None]) -> Callable[..., None]:
            self.hooks.setdefault(moment, []).append(hear)
            return hear

        return register

    def menu(
        self, table: TB, seat: str, words: Sequence[str], bare: Sequence[str], bag: Sequence[str] = ()
    ) -> Menu:
        """The legal ones of `words`, and `bare`. What `find` found serves listing, drawing at random and the form."""
        found: dict[str, Any] = {}

        def find(word: str) -> Any:
            if word not in found:
                found[word] = self.actions[word].find(table, seat)
            return found[word]

        def build(word: str) -> Domain | None:
            there = find(word)
            return None if there is None else self.actions[word].form(table, seat, there)

        return tried_menu(words, build, bare, bag or None, lambda word: find(word) is not None)

    def play(self, table: TB, over: str = "over") -> Play:
        """The sequence of play: a checkpoint before each phase."""
        while table.state.phase != over:
            yield from Checkpoint()
            yield from self.phases[table.state.phase](table)

    def missing(self) -> dict[str, str]:
        return {section: about for section, (about, _, written) in self.sections.items() if not written}

    def rows(self) -> Iterator[str]:
        """The table of README.md."""
        yield from (
            f"| {s} | {about} | `{module}` |" for s, (about, module, done) in self.sections.items() if done
        )
