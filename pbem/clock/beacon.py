"""A public randomness beacon (drand): which round counts on which day, and what of it can be checked.

A game that names a beacon takes in one round a day: the first that is published at or after midnight, UTC. So it is
known in advance which one, and nobody, the moderator included, knows its value before. The randomness of a round is the
SHA-256 of its signature; the signature itself can be checked with the key of the chain, by drand's own tools.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time

import msgspec

from pbem.save.settings import SETTINGS

_HEX = re.compile(r"(?:[0-9a-f]{2})+")


class BadBeacon(ValueError):
    """Text that names no beacon, or a round that is none."""


class Beacon(msgspec.Struct, frozen=True):
    """A chain by its hash; its first round came at `genesis` (seconds since 1970), one more every `period` seconds."""

    chain: str
    genesis: int
    period: int

    def named(self, day: date) -> int:
        """The round that counts on a day: the first at or after midnight, UTC; 0 if there was none yet."""
        midnight = int(datetime.combine(day, time(), UTC).timestamp())
        return max(0, -((self.genesis - midnight) // self.period) + 1)


class BeaconRound(msgspec.Struct):
    """A round as drand's HTTP interface gives it (hexadecimal)."""

    round: int
    randomness: str
    signature: str

    def wrong(self) -> str:
        """Why this can be no round; "" if it can."""
        if not _HEX.fullmatch(self.signature) or not _HEX.fullmatch(self.randomness):
            return "not hexadecimal"
        if hashlib.sha256(bytes.fromhex(self.signature)).hexdigest() != self.randomness:
            return "its randomness isn't the SHA-256 of its signature"
        return ""


def beacon_of(text: str) -> Beacon:
    """The beacon that `CHAIN:GENESIS:PERIOD` names. Raises `BadBeacon`."""
    try:
        chain, genesis, period = SETTINGS["beacon"].one(text).split(":")
    except ValueError as error:
        raise BadBeacon(str(error)) from None
    return Beacon(chain, int(genesis), int(period))


def rounds_of(text: str) -> Iterator[BeaconRound]:
    """The rounds in a file: one JSON object a line. Raises `BadBeacon`."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found = msgspec.json.decode(line, type=BeaconRound)
            except msgspec.DecodeError as error:
                raise BadBeacon(f"line {number}: {error}") from None
            if why := found.wrong():
                raise BadBeacon(f"line {number}, round {found.round}: {why}")
            yield found
