"""What a seat has given in advance, as order lines, for nobody but that seat.

The lines read as `pbem.orders` writes them (a test compares the two rooms, which must not import each other).
"""

from __future__ import annotations

from pbem.kernel.referee import Referee
from pbem.kernel.standing import AskMe, Condition, Queued, Standing


def queue_lines(referee: Referee, seat: str) -> list[str]:
    """The seat's queued lines in order."""
    return [_queued(entry) for entry in referee.queue if entry.seat == seat]


def standing_lines(referee: Referee, seat: str) -> list[str]:
    """The seat's standing answers."""
    return [_standing(one) for one in referee.standing if one.seat == seat]


def setting_lines(referee: Referee, seat: str) -> list[str]:
    """When the seat wants to be asked."""
    return [_setting(one) for one in referee.settings if one.seat == seat]


def _queued(entry: Queued) -> str:
    head = f"{entry.q}: " if entry.q else f"{entry.kind}: " if entry.kind else ""
    return f"{'bold: ' if entry.bold else ''}{head}{entry.text}{'   # held' if entry.held else ''}"


def _standing(one: Standing) -> str:
    return (
        f"standing {_kind(one.kind)}: {one.text}"
        f"{_clause('if', one.when)}{_clause('unless', one.unless)}{_clause('until', one.until)}"
    )


def _setting(one: AskMe) -> str:
    return f"ask {_kind(one.kind)}: {one.when}{_clause('until', one.until)}"


def _kind(kind: str) -> str:
    return "all" if kind == "*" else kind


def _clause(word: str, conditions: tuple[Condition, ...]) -> str:
    return f" {word} {', '.join(map(str, conditions))}" if conditions else ""
