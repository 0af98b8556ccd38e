"""Answers given in advance: standing answers, ask-me settings, queued lines. They look at public facts only.

`str` of each is the order line that gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel.basic_domains import Choice
from pbem.kernel.game import Game, HouseRule
from pbem.kernel.order_words import normalize_word
from pbem.kernel.questions import Window
from pbem.kernel.rejections import rejection

# Reaction sheets: card windows are answered from what each seat has written beforehand; nobody is asked, nobody waits.

SHEET, ASK = "sheet", "ask"

REACTIONS = HouseRule(
    "reactions",
    Choice((SHEET, ASK)),
    SHEET,
    {
        "en": "cards played in response come from each player's sheet of standing answers (sheet); "
        "or each response is asked for (ask)",
        "ja": "対応カードは各プレイヤーが前もって書いた対応表から使う（sheet）、または対応のたびに尋ねる（ask）",
    },
    older=ASK,
)
"""The option of a game with card windows."""


def is_answered_from_sheets(window: Window[Any], options: Mapping[str, Any]) -> bool:
    """Whether a window is answered from the sheets."""
    return window.cards and options.get(REACTIONS.id) == SHEET


def sheet_kinds(game: Game[Any, Any], options: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of windows that are answered from the sheets in a game with these options."""
    return game.card_kinds if options.get(REACTIONS.id) == SHEET else ()


ALWAYS, MINE, NEVER = "always", "mine", "never"

_OPERATORS = ("!=", ">=", "<=", "=", ">", "<")


class Condition(msgspec.Struct, frozen=True):
    """`key op value` on a question's public facts (`about`) or the game's clock; an unknown key never holds.

    Words are compared folded (`Milan` is `milan`); of a fact that is a list, `=` asks whether the value is in it.
    """

    key: str
    op: str
    value: str

    def holds(self, facts: Mapping[str, Any]) -> bool:
        if self.key not in facts:
            return False
        fact = facts[self.key]
        if self.op in ("=", "!="):
            wanted = normalize_word(self.value)
            several = isinstance(fact, (list, tuple))
            found = (
                any(normalize_word(str(item)) == wanted for item in fact)
                if several
                else normalize_word(str(fact)) == wanted
            )
            return found == (self.op == "=")
        try:
            left, right = int(fact), int(self.value)
        except (TypeError, ValueError):
            return False
        return {">=": left >= right, "<=": left <= right, ">": left > right, "<": left < right}[self.op]

    def __str__(self) -> str:
        return f"{self.key}{self.op}{self.value}"


def condition(text: str) -> Condition:
    """Read `space=milan`, `strength>=4`. Raises `Refused`."""
    for op in _OPERATORS:
        key, found, value = text.partition(op)
        if found and key and value:
            return Condition(key.strip().replace("-", "_"), op, value.strip())
    raise rejection("answer.unknown", word=text, near=("key=value", "key!=value", "key>=number"))


class StandingRule(msgspec.Struct, frozen=True):
    """`seat` answers every question of `kind` (`*`: any window) with `text`.

    It does so where all of `when` and none of `unless` hold.
    It ends as soon as all of `until` hold of the public clock. `failed` is the last question to which it was not legal:
    of each its writer is told once, however often it is tried.
    """

    seat: str
    kind: str
    text: str
    when: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    until: tuple[Condition, ...] = ()
    failed: int = 0

    def matches(self, kind: str, about: Mapping[str, Any], clock: Mapping[str, Any]) -> bool:
        facts = {**clock, **about}
        return (
            self.kind in (kind, "*")
            and not self.expired(clock)
            and all(c.holds(facts) for c in self.when)
            and not any(c.holds(facts) for c in self.unless)
        )

    def expired(self, clock: Mapping[str, Any]) -> bool:
        return bool(self.until) and all(c.holds(clock) for c in self.until)

    def __str__(self) -> str:
        conditions = clauses(self.when, self.unless, self.until)
        return f"standing {shown_kind(self.kind)}: {self.text}{conditions}"


class AskMe(msgspec.Struct, frozen=True):
    """When `seat` wants to be asked in windows of `kind` (`*`: all): `always`, `mine` (it touches me) or `never`."""

    seat: str
    kind: str
    when: str
    until: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return f"ask {shown_kind(self.kind)}: {self.when}{clauses((), (), self.until)}"


class Branch(msgspec.Struct):
    """The condition of a queued line on what came of the line before it: `if lost: …`.

    `met`: it has come to that. `surprised`: something happened meanwhile that would have held a line without condition.
    `taken`: the turn goes on, and this line with it.
    """

    word: str
    met: bool = False
    surprised: bool = False
    taken: bool = False


class AdvanceOrder(msgspec.Struct):
    """A line that came early. `q` or `kind` ties it to a question; else it answers what comes next but no reaction.

    `bold` lines play on past surprises; `stops` are the writer's own brakes, on public facts; a `held` line waits until
    its writer lets it go on. A `refused` one answers nothing any more: it keeps the writer's other lines and standing
    answers from its question, until he answers himself. `letter` and `line` tell where it was written.
    `watched` maps what it names → the public facts when it was written ahead of its writer's turn (`brake`).
    A line with a `branch` is carried out only where it has come to that.
    """

    seat: str
    text: str
    q: int = 0
    kind: str = ""
    bold: bool = False
    held: bool = False
    stops: tuple[Condition, ...] = ()
    letter: str = ""
    line: int = 0
    refused: bool = False
    watched: dict[str, str] = {}
    branch: Branch | None = None

    def __str__(self) -> str:
        bold = "bold: " if self.bold else ""
        return (
            f"{bold}{order_prefix(self.q, self.kind, self.on)}{self.text}{'   # held' if self.held else ''}"
        )

    @property
    def on(self) -> str:
        """What the line depends on (`lost`), "" if on nothing."""
        return self.branch.word if self.branch is not None else ""

    @property
    def undecided(self) -> bool:
        """Whether it is not settled yet if the line is carried out at all."""
        return self.branch is not None and not (self.branch.taken or self.refused)


def lines_of(seat: str, given: Iterable[StandingRule | AskMe | AdvanceOrder]) -> list[str]:
    """What `seat` has given in advance, as order lines. Nobody else may see them."""
    return [str(entry) for entry in given if entry.seat == seat and not _is_refused(entry)]


def _is_refused(entry: StandingRule | AskMe | AdvanceOrder) -> bool:
    return isinstance(entry, AdvanceOrder) and entry.refused


def order_prefix(q: int, kind: str, branch: str = "") -> str:
    """What stands before the answer of a line, with its colons; "" for a bare line."""
    return (f"if {branch}: " if branch else "") + (f"{q}: " if q else f"{kind}: " if kind else "")


def shown_kind(kind: str) -> str:
    """A kind as it is written in `standing` and `ask` lines."""
    return "all" if kind == "*" else kind


def clauses(when: Sequence[Condition], unless: Sequence[Condition], until: Sequence[Condition]) -> str:
    """` if a, b unless c until d`, with a leading blank; "" without conditions."""
    parts = (("if", when), ("unless", unless), ("until", until))
    return "".join(f" {word} {', '.join(map(str, some))}" for word, some in parts if some)


def wants_to_be_asked(
    settings: list[AskMe],
    seat: str,
    kind: str,
    about: Mapping[str, Any],
    clock: Mapping[str, Any],
    default: str,
) -> bool:
    """Whether `seat`'s settings say to ask it in this window; the most particular setting decides, the last of them."""
    general, particular = default, ""
    for setting in settings:
        if setting.seat != seat or setting.kind not in ("*", kind):
            continue
        if setting.until and all(c.holds(clock) for c in setting.until):
            continue
        if setting.kind == kind:
            particular = setting.when
        else:
            general = setting.when
    when = particular or general
    if when == MINE:
        touches = about.get("touches")
        return touches is None or seat in touches
    return when == ALWAYS
