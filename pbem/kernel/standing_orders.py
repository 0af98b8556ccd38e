"""Answers given in advance: standing orders, ask-me settings, queued lines. They use public facts only.

`str` of each is its order line.
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

# Reaction sheets: card windows are answered from what seats sent before; nobody is asked or waited for.

SHEET, ASK = "sheet", "ask"

REACTIONS = HouseRule(
    "reactions",
    Choice((SHEET, ASK)),
    SHEET,
    {
        "en": "cards played in response come from each player's sheet of standing orders (sheet); "
        "or each response is asked for (ask)",
        "ja": "対応カードは各プレイヤーが前もって書いた対応表から使う（sheet）、または対応のたびに尋ねる（ask）",
    },
    older=ASK,
)
"""The option of a game with card windows."""


def is_answered_from_sheets(window: Window[Any], options: Mapping[str, Any]) -> bool:
    """Check whether a window is answered from the reaction sheets."""
    return window.cards and options.get(REACTIONS.id) == SHEET


def sheet_kinds(game: Game[Any, Any], options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds of windows answered from the reaction sheets in a game with these options."""
    return game.card_window_kinds if options.get(REACTIONS.id) == SHEET else ()


ALWAYS, MINE, NEVER = "always", "mine", "never"

_OPERATORS = ("!=", ">=", "<=", "=", ">", "<")


class Condition(msgspec.Struct, frozen=True):
    """`key op value` on a question's public facts (`about`) or the game's clock; an unknown key never holds.

    Words are compared normalised (`Milan` is `milan`); for a list, `=` checks whether it contains the value.
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
    """Parse `space=milan`, `strength>=4`. Raises `Rejection`."""
    for op in _OPERATORS:
        key, found, value = text.partition(op)
        if found and key and value:
            return Condition(key.strip().replace("-", "_"), op, value.strip())
    raise rejection("answer.unknown", word=text, near=("key=value", "key!=value", "key>=number"))


class StandingRule(msgspec.Struct, frozen=True):
    """`seat` answers every question of `kind` (`*`: any window) with `text`.

    It applies if all of `when` and none of `unless` hold. It ends as soon as all of `until` hold of the public clock.
    `failed` is the last question at which it wasn't legal: its writer is notified once of each.
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
    """When `seat` wants to be asked in windows of `kind` (`*`: all): `always`, `mine` (its own things) or `never`."""

    seat: str
    kind: str
    when: str
    until: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return f"ask {shown_kind(self.kind)}: {self.when}{clauses((), (), self.until)}"


class Branch(msgspec.Struct):
    """The condition of a queued line on the outcome of the line before it: `if lost: …`.

    `met`: that outcome has happened. `surprised`: something happened meanwhile that would hold a line without
    condition. `taken`: the turn continues, with this line.
    """

    word: str
    met: bool = False
    surprised: bool = False
    taken: bool = False


class AdvanceOrder(msgspec.Struct):
    """A line that came early. `q` or `kind` ties it to a question; else it answers what comes next, except reactions.

    - `bold` lines ignore surprises; `stops` are the writer's stop conditions, on public facts;
    - a `held` line waits until its writer confirms it;
    - a `refused` line answers nothing, but keeps the writer's other lines from its question until they answer;
    - `letter`, `line`: where it was written; a line with a `branch` is executed only at that outcome;
    - `watched`: named things → their public facts when it was written ahead of the writer's turn (`advance_orders`);
    - `past`: the turn that it was written in (`Table.trail`), whose questions it doesn't answer.
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
    past: dict[str, Any] = {}

    def __str__(self) -> str:
        bold = "bold: " if self.bold else ""
        return f"{bold}{order_prefix(self.q, self.kind, self.on)}{self.text}{'   # held' if self.held else ''}"

    @property
    def on(self) -> str:
        """The outcome that the line depends on (`lost`), or ""."""
        return self.branch.word if self.branch is not None else ""

    @property
    def undecided(self) -> bool:
        """Whether it is still undecided if the line is executed."""
        return self.branch is not None and not (self.branch.taken or self.refused)


def lines_of(seat: str, given: Iterable[StandingRule | AskMe | AdvanceOrder]) -> list[str]:
    """Return what `seat` has given in advance, as order lines. Nobody else may see them."""
    own = [entry for entry in given if entry.seat == seat]
    return [str(entry) for entry in own if not (isinstance(entry, AdvanceOrder) and entry.refused)]


def order_prefix(q: int, kind: str, branch: str = "") -> str:
    """Return the prefix of a line's answer, with its colons; "" for a bare line."""
    return (f"if {branch}: " if branch else "") + (f"{q}: " if q else f"{kind}: " if kind else "")


def shown_kind(kind: str) -> str:
    """Return a kind as written in `standing` and `ask` lines."""
    return "all" if kind == "*" else kind


def clauses(when: Sequence[Condition], unless: Sequence[Condition], until: Sequence[Condition]) -> str:
    """Format ` if a, b unless c until d`, with a leading blank; "" without conditions."""
    parts = (("if", when), ("unless", unless), ("until", until))
    return "".join(f" {word} {', '.join(map(str, some))}" for word, some in parts if some)


def wants_to_be_asked(
    settings: list[AskMe], seat: str, kind: str, about: Mapping[str, Any], clock: Mapping[str, Any], default: str
) -> bool:
    """Check whether `seat`'s settings want it asked; the most specific setting decides, the last of them."""
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
