"""Log lines in few words: what several seats do alike is reported once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel.table import LogLine
from pbem.report.messages import Catalogue
from pbem.report.text_width import width

_WHO = ("seat", "power", "side", "player", "who", "by", "owner")
"""The arguments by which log lines name the acting seat."""
_WIDE = 0x1100
"""The first code point of the scripts that are written without blanks."""
_BACK = 12
"""How many sentences back a similar one is searched: farther away it belongs to another event."""


class LineGroup(msgspec.Struct):
    """Lines that report the same of several seats. `seats` and what differs, one for each line."""

    key: str
    who: str
    same: dict[str, Any]
    lines: list[LogLine]
    seats: list[Any]
    odd: str = ""
    own: bool = False


def merged(
    lines: Sequence[LogLine], seat: str, say: Catalogue, seats: Sequence[str]
) -> list[tuple[str, int]]:
    """Return what `seat` may read of these lines, in their order, each sentence once and with its weight.

    Weight 2 is for private information, 1 for what others do that names the seat, 0 for the rest. A seat's
    own acts aren't news to it.
    """
    groups: list[LineGroup] = []
    for line in lines:
        if line.only is not None and seat not in line.only:
            continue
        if not any(_joins(group, line, seat) for group in reversed(groups[-_BACK:])):
            groups.append(_group(line, seat))
    said: dict[str, int] = {}
    for move in groups:
        if text := _said(move, seat, say, seats):
            weight = max(_weight(move, seat), said.pop(text, 0))
            said[text] = weight
    return list(said.items())


def _group(line: LogLine, seat: str) -> LineGroup:
    own = line.only is not None or seat in (line.private or {})
    who = next((name for name in _WHO if isinstance(line.args.get(name), str)), "")
    same = {name: value for name, value in line.args.items() if name != who}
    return LineGroup(line.key, who, same, [line], [line.args.get(who)], own=own)


def _joins(group: LineGroup, line: LogLine, seat: str) -> bool:
    """Add a line to a group if it reports the same of another seat, except for at most one argument."""
    if group.key != line.key or not group.who or group.own or seat in (line.private or {}) or line.only:
        return False
    who = line.args.get(group.who)
    if who in group.seats or set(line.args) != {group.who, *group.same}:
        return False
    differ = [name for name, value in group.same.items() if line.args[name] != value]
    odd = group.odd or (differ[0] if differ else "")
    if any(name != odd for name in differ) or (odd and not group.odd and len(group.lines) > 1):
        return False
    if odd and not _short(line.args[odd]):
        return False
    group.odd = odd
    group.lines.append(line)
    group.seats.append(who)
    return True


def _short(value: Any) -> bool:
    return isinstance(value, str | int | bool)


def _said(group: LineGroup, seat: str, say: Catalogue, seats: Sequence[str]) -> str:
    first = msgspec.structs.replace(group.lines[0], rule="")
    said = say.render_line(first, seat)
    if said is None:
        return ""
    others = group.seats[1:]
    if not others:
        return said
    if group.odd:
        more = [
            f"{say.value(who)} ({say.value(line.args[group.odd])})"
            for who, line in zip(others, group.lines[1:], strict=True)
        ]
        return say.text("email.likewise_with", line=said, more=say.join(more, "comma"))
    if set(group.seats) == set(seats) and len(others) > 1:
        return say.text("email.likewise_all", line=said)
    return say.text("email.likewise", line=said, seats=others)


def _weight(group: LineGroup, seat: str) -> int:
    if group.own:
        return 2 if group.lines[0].is_irreversible else 0
    return int(seat not in group.seats and any(seat in _words(line.args) for line in group.lines))


def _words(args: Mapping[str, Any]) -> list[Any]:
    found: list[Any] = []
    for value in args.values():
        found += value if isinstance(value, list) else [value]
    return found


def words_in(text: str) -> int:
    """Count the words of a text, roughly: in scripts without blanks five wide characters count as two words."""
    wide = max(width(text) - len(text), 0)
    narrow = sum(any(sign.isalnum() and ord(sign) < _WIDE for sign in word) for word in text.split())
    return narrow + wide * 2 // 5


def within(said: Sequence[tuple[str, int]], most: int) -> tuple[list[str], int]:
    """Return the sentences that fit into `most` words, in their order, and how many are left out.

    Private information comes first, then sentences that name the reader, then the latest.
    """
    ranked = sorted(range(len(said)), key=lambda at: (said[at][1], at), reverse=True)
    kept: set[int] = set()
    room = most
    for at in ranked:
        cost = words_in(said[at][0])
        if cost <= room or not kept:
            kept.add(at)
            room -= cost
    return [said[at][0] for at in sorted(kept)], len(said) - len(kept)
