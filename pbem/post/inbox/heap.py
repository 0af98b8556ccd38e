"""Many letters in the quarantine: which of them are looked for, and which stand on top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from pbem.post.inbox.quarantine import Held
from pbem.post.save_index import SaveIndex


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """What a letter put aside must be; what is empty does not matter.

    `sender` is a part of the address, `before` the time by which the letter was put aside.
    """

    sender: str = ""
    reason: str = ""
    game: str = ""
    seat: str = ""
    before: datetime | None = None

    def fits(self, held: Held) -> bool:
        """Whether a letter is one of these."""
        return (
            self.sender.casefold() in held.sender.casefold()
            and self.reason in ("", held.reason)
            and self.game.casefold() in ("", held.game.casefold())
            and self.seat.casefold() in ("", held.seat.casefold())
            and (self.before is None or held.at <= self.before)
        )


class Heap:
    """Letters of the quarantine as the moderator looks at them, with what is known of the players' addresses."""

    def __init__(self, letters: Iterable[Held], index: SaveIndex) -> None:
        self._lists = {
            address.casefold()
            for save in index.headers.values()
            for seat in save.seats
            for address in (*seat.addresses, *(delegate.address for delegate in seat.delegates))
        }
        newest_first = sorted(letters, key=lambda held: held.at, reverse=True)
        self.letters: Sequence[Held] = sorted(newest_first, key=self._rank)
        """Letters with a code on top, then those in a player's name, then strangers; of each the newest first."""

    def _rank(self, held: Held) -> int:
        return 0 if held.coded else 1 if self.is_player(held) else 2

    def is_player(self, held: Held) -> bool:
        """Whether a letter may be a player's: it has a code, or names an address that is on a seat's list."""
        return held.coded or held.sender.casefold() in self._lists

    @property
    def of_players(self) -> int:
        """How many may be a player's."""
        return sum(map(self.is_player, self.letters))

    def refusable(self, sought: Sought) -> list[Held]:
        """Those that may be refused together: no letter that may be a player's, unless his address is named whole."""
        named = sought.sender.casefold()
        return [
            held
            for held in self.letters
            if not self.is_player(held) or (not held.coded and held.sender.casefold() == named)
        ]


def summary(letters: Iterable[Held], most: int = 4) -> str:
    """Letters that are not shown one by one: how many of each reason, and of the hosts that sent most."""
    letters = list(letters)
    reasons = Counter(held.reason for held in letters)
    hosts = Counter("@" + held.sender.rpartition("@")[2] for held in letters if "@" in held.sender)
    parts = [f"{reason} {count}" for reason, count in reasons.most_common(most)]
    parts += [f"{host} {count}" for host, count in hosts.most_common(most)]
    return ", ".join(parts)
