"""Three turns of the tournament by mail, for six seats, with comments (see `tests.examples.tale`).

`LETTERS` are those that tell something. All others are written by habit: a card for CP, and what its power usually
buys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from games.virgin_queen.table import Table
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.table import LogLine
from tests.examples.vq_letters import HABITS, LETTERS, REMARKS, ExampleLetter

TURNS = (3, 4, 5)
ALONG = ("action", "treasure", "capital", "rebel_leaders")
"""Kinds of questions that belong to the impulse under way; those of its event begin with `event_`."""
OPTIONAL = "~"
"""Before a line that is written only if its question comes."""
QUIET = ("done", "pass", "end", "none")
_MOST = 6
"""How often a power buys the same by habit."""


PREFACE = """Six players play turns 3 to 5 of the tournament by mail. `vq-turns.mbox` holds all their letters, and
`pbem ingest -n saves/vq-turns.toml examples/vq-turns.mbox` plays them. Here are those that tell something: what stood
above the orders, the orders, and what everybody read afterwards. A letter holds a whole impulse (11), and what its dice
ask, as long as nobody else is asked in between; response cards come from each player's sheet, so nobody is written to
for nothing."""

MOMENTS: dict[str, dict[str, str]] = {
    "convert.rolls": {},
    "rebellion.begins": {},
    "rebellion.capital": {},
    "intrigue.assassination": {},
    "patronage.works": {},
    "deal.peace": {},
    "wedding.result": {"result": "married"},
}
"""What the tale must tell: keys of its lines, with some of their arguments."""


def tells_all(lines: Sequence[LogLine]) -> bool:
    """Whether all that was to happen has happened."""
    return all(
        any(line.key == key and args.items() <= line.args.items() for line in lines) for key, args in MOMENTS.items()
    )


class Said(NamedTuple):
    """What goes with a letter."""

    words: str = ""
    comment: str = ""


class Author:
    """All six players."""

    def __init__(self) -> None:
        self.left = list(LETTERS)
        self.said = Said()
        self.remarked: dict[str, int] = {}
        self.bought: dict[str, int] = {}

    def over(self, referee: Referee) -> bool:
        """Three turns are played."""
        if referee.table.state.turn <= TURNS[-1]:
            return False
        if self.left:
            raise LookupError(f"not written: {self.left[0][:3]}")
        return True

    def chapter(self, referee: Referee) -> str:
        """The turn."""
        return f"Turn {referee.table.state.turn}"

    def note(self) -> Said:
        """What goes with the letter that was written last."""
        return self.said

    def writer(self, referee: Referee) -> str:
        """Who has a letter to write that tells something, else the first who is asked."""
        waiting = referee.waiting()
        if referee.talk is not None:
            talks = [entry.seat for entry in self.left if entry.turn == _turn(referee) and entry.kind == "negotiation"]
            return talks[0] if talks and talks[0] in waiting else waiting[0]
        return waiting[0]

    def lines(self, referee: Referee, seat: str) -> Iterator[str]:
        """A letter: its own lines where they are legal, else what habit says."""
        kind = _kind(referee, seat)
        letter = self._letter(referee, seat, kind)
        self.said = Said(letter.words, letter.comment) if letter else Said(self._remark(seat, kind))
        own = list(letter.lines) if letter else []
        if kind == "negotiation":
            yield from own or ["done"]
            return
        first = True
        while first or (kind == "impulse" and seat in referee.waiting() and _along(_kind(referee, seat))):
            if not first and len(referee.asked()) > 1:
                return
            at, line = _next(referee, seat, own)
            if line:
                own.pop(at)
                yield line
            elif first and kind == "impulse":
                yield _card(referee, seat)
            elif _kind(referee, seat) == "action":
                yield self._habit(referee, seat)
            else:
                yield _quiet(referee, seat)
            first = False
        if needed := [line for line in own if not line.startswith(OPTIONAL)]:
            raise LookupError(f"{seat} could not write {needed[0]}")

    def _letter(self, referee: Referee, seat: str, kind: str) -> ExampleLetter | None:
        found = next((entry for entry in self.left if entry[:3] == (_turn(referee), seat, kind)), None)
        if found is None:
            return None
        lines = found.lines
        if kind == "impulse" and lines[0] == "cp":
            lines = (f"cp {_dearest(referee, seat)}", *lines[1:])
        if not _first(referee, seat, lines[0]):
            return None
        self.left.remove(found)
        return found._replace(lines=lines)

    def _habit(self, referee: Referee, seat: str) -> str:
        """What the power usually buys, the least bought first; nothing is bought more than a few times."""
        for line in sorted(HABITS[seat], key=lambda habit: self.bought.get(habit, 0)):
            if self.bought.get(line, 0) < _MOST and _legal(referee, seat, line):
                self.bought[line] = self.bought.get(line, 0) + 1
                return line
        return "end"

    def _remark(self, seat: str, kind: str) -> str:
        said = REMARKS.get(seat, {}).get(kind, ())
        if not said:
            return ""
        number = self.remarked[seat + kind] = self.remarked.get(seat + kind, -1) + 1
        return said[number % len(said)]


def _turn(referee: Referee) -> int:
    return int(referee.table.state.turn)


def _kind(referee: Referee, seat: str) -> str:
    return next((question.kind for question in referee.pending() if question.seat == seat), "")


def _along(kind: str) -> bool:
    return kind in ALONG or kind.startswith(("event_", "convert", "revolt"))


def _next(referee: Referee, seat: str, own: Sequence[str]) -> tuple[int, str]:
    """Where among the lines of a letter one stands that is legal now, and the line; "" if none is."""
    for at, line in enumerate(own):
        if found := _first(referee, seat, line.removeprefix(OPTIONAL)):
            return at, found
        if not line.startswith(OPTIONAL):
            break
    return 0, ""


def _first(referee: Referee, seat: str, line: str) -> str:
    """The first of the alternatives of a line that is legal, "" if none is. Press always is."""
    if line.startswith("BEGIN PRESS"):
        return line
    return next((choice for choice in line.split("|") if _legal(referee, seat, choice)), "")


def _legal(referee: Referee, seat: str, line: str) -> bool:
    try:
        referee.domain(seat).parse(line, referee.names)
    except Rejection:
        return False
    return True


def _quiet(referee: Referee, seat: str) -> str:
    """The answer of somebody who wants nothing to happen."""
    for text in QUIET:
        if _legal(referee, seat, text):
            return text
    domain = referee.domain(seat)
    return domain.text(next(iter(domain.options())))


def _card(referee: Referee, seat: str) -> str:
    """The cheapest card for CP; a mandatory event where there is no other."""
    table: Table = referee.table
    cards = table.c.cards
    hand = table.state.powers[seat].hand
    free = sorted((card for card in hand if cards[card].type != "mandatory"), key=lambda card: cards[card].cp)
    for line in (*(f"cp {card}" for card in free), *(f"event {card}" for card in hand)):
        if _legal(referee, seat, line):
            return line
    return _quiet(referee, seat)


def _dearest(referee: Referee, seat: str) -> str:
    """The card of most CP that may be played for them, no home card."""
    table: Table = referee.table
    cards = table.c.cards
    hand = [card for card in table.state.powers[seat].hand if cards[card].type not in ("home", "mandatory")]
    return max(hand, key=lambda card: cards[card].cp, default="")
