"""Letters that did not arrive: refused when they were sent, or sent back by a server far away.

A player whose letters bounce is not silent: the desk shows him in red. `bounces.jsonl` beside the saves is append-only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from pbem.patterns import pattern
from pbem.post.outbox.message import letter_ident
from pbem.post.save_index import SaveIndex, code_key
from pbem.save import Save
from pbem.small_files import private

_IDENT = pattern(rb"<?([A-Za-z0-9._-]{1,80})\.([\w-]{1,40})\.(\d{1,6})\.([0-9a-f]{16})@([\w.-]{1,200})>?")
_SCAN = 1 << 18


class Bounce(msgspec.Struct, frozen=True, kw_only=True):
    """One letter that did not arrive. `name` is its file or id, `game` and `seat` whose it was, where that is known."""

    at: datetime
    why: str
    to: str = ""
    name: str = ""
    game: str = ""
    seat: str = ""


class Bounces:
    """The list of one folder of saves."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bounces.jsonl"

    def note(self, bounce: Bounce) -> None:
        """Add one; the same one is not added twice in a row."""
        parts = bounce.name.split(".")
        if not bounce.game and len(parts) == 4:
            bounce = msgspec.structs.replace(bounce, game=parts[0], seat=parts[1])
        if any(bounce == word for word in self.listed()):
            return
        with open(self.path, "ab", opener=private) as stream:
            stream.write(msgspec.json.encode(bounce) + b"\n")

    def listed(self) -> Iterator[Bounce]:
        """All of them, oldest first."""
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError:
            return
        for line in lines:
            try:
                yield msgspec.json.decode(line, type=Bounce)
            except msgspec.DecodeError:
                continue

    def open_for(self, save: Save) -> list[Bounce]:
        """Bounces of a game's letters to addresses that its seats still have."""
        to = {address.casefold() for seat in save.seats for address in seat.addresses[:1]}
        name = save.header.name
        return [
            bounce
            for bounce in self.listed()
            if bounce.to.casefold() in to or (bounce.game == name and not bounce.to)
        ]


def returned(raw: bytes, index: SaveIndex) -> tuple[str, str, str] | None:
    """(game, seat, address) of the letter of ours that a bounce sends back.

    Its id carries a digest that nobody can make up, so that a forged bounce is none.
    """
    for game, seat, number, digest, host in _idents(raw):
        save = index.find(game)
        if save is None:
            continue
        own = letter_ident(save.header.name, seat, int(number), code_key(save), host)
        info = next((player for player in save.seats if player.id == seat), None)
        if info is not None and own == f"{save.header.name}.{seat}.{number}.{digest}@{host}":
            return save.header.name, seat, info.addresses[0] if info.addresses else ""
    return None


def _idents(raw: bytes) -> Iterable[tuple[str, str, str, str, str]]:
    for found in _IDENT.finditer(raw[:_SCAN]):
        game, seat, number, digest, host = (part.decode("ascii", "replace") for part in found.groups())
        yield game, seat, number, digest, host
