"""A public randomness beacon (drand): which round counts on which day, and what can be checked.

A game with a beacon uses one round a day: the first at or after midnight UTC. So the round is fixed in advance and
its value unknown to everybody. Its randomness is the SHA-256 of its signature, which drand's tools can check.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, date, datetime, time

import msgspec

from pbem.lazy_regex import pattern
from pbem.save.settings import SETTINGS

_HEX = pattern(r"(?:[0-9a-f]{2})+")


class BadBeacon(ValueError):
    """The text names no beacon, or isn't a valid round."""


class Beacon(msgspec.Struct, frozen=True):
    """A chain by its hash; round 1 was at `genesis` (seconds since 1970), then one every `period` seconds."""

    chain: str
    genesis: int
    period: int

    def named(self, day: date) -> int:
        """Return the round that counts on a day: the first at or after midnight UTC; 0 before the first."""
        midnight = int(datetime.combine(day, time(), UTC).timestamp())
        return max(0, -((self.genesis - midnight) // self.period) + 1)


class BeaconRound(msgspec.Struct):
    """A round as drand's HTTP interface gives it (hexadecimal)."""

    round: int
    randomness: str
    signature: str

    def wrong(self) -> str:
        """Return why the round is invalid; "" if it is valid."""
        if not _HEX.fullmatch(self.signature) or not _HEX.fullmatch(self.randomness):
            return "not hexadecimal"
        if hashlib.sha256(bytes.fromhex(self.signature)).hexdigest() != self.randomness:
            return "its randomness isn't the SHA-256 of its signature"
        return ""


def beacon_of(text: str) -> Beacon:
    """Parse `CHAIN:GENESIS:PERIOD`. Raises `BadBeacon`."""
    try:
        chain, genesis, period = SETTINGS["beacon"].one(text).split(":")
    except ValueError as error:
        raise BadBeacon(str(error)) from None
    return Beacon(chain, int(genesis), int(period))


def rounds_of(text: str) -> Iterator[BeaconRound]:
    """Yield the rounds of a file with one JSON object a line. Raises `BadBeacon`."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found = msgspec.json.decode(line, type=BeaconRound)
            except msgspec.DecodeError as error:
                raise BadBeacon(f"line {number}: {error}") from None
            if why := found.wrong():
                raise BadBeacon(f"line {number}, round {found.round}: {why}")
            yield found
