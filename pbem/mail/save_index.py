"""The saves of one run: the games, and which address belongs to which seat. Reads headers only.

`pbem status` needs no more: reply codes, and with them the referee, are imported where they are used.
"""

from __future__ import annotations

import functools
import hmac
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from pbem.kernel.order_words import normalize_word
from pbem.mail.header_cache import FEW, HeaderCache, header_of
from pbem.save import Save, SaveError, SeatInfo

PAST, PRESENT, FUTURE = "past", "present", "future"

_GAME = re.compile(r"^\[game\][ \t]*$", re.MULTILINE)
_PEEK = 4096
_AHEAD = 200
"""How many questions ahead of the open one a code is recognised: a mailbox may be in the wrong order."""


class SaveIndex:
    """Saves by the names of their games. `broken` holds those that can't be read, with the reason."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.broken: dict[Path, SaveError] = {}
        self.blind = False  # a save can't be read, so that its players are unknown
        self.paths: dict[str, Path] = {}
        self.headers: dict[str, Save] = {}
        self._names: dict[Path, str] = {}
        kept: dict[Path, HeaderCache] = {}
        for path in save_files(paths, kept):
            try:
                save = kept[path.parent].header(path) if path.parent in kept else _header(path)
            except SaveError as error:
                self.broken[path] = error
                self.blind = True
                continue
            self._enter(path, save)
        for headers in kept.values():
            headers.keep()

    def _enter(self, path: Path, save: Save) -> None:
        name = normalize_word(save.header.name)
        if name in self.paths and self.paths[name] != path:
            why = f"its game is called '{save.header.name}' as in {self.paths[name]}"
            self.broken[path] = SaveError(why, path=path, remedy="Read them in separate runs.")
            return
        self.paths[name] = path
        self.headers[name] = save
        self._names[path] = name

    def find(self, game: str) -> Save | None:
        return self.headers.get(normalize_word(game))

    def is_broken(self, game: str) -> bool:
        """Return whether the save of that name may be unreadable: a save's name is inside it."""
        return self.blind and normalize_word(game) not in self.headers

    def path(self, game: str) -> Path:
        """Return the save of a game. Raises KeyError."""
        return self.paths[normalize_word(game)]

    def name(self, path: Path) -> str:
        """Return the name under which the save of that path is known here. Raises KeyError."""
        return self._names[path]

    def know(self, save: Save) -> None:
        self.headers[normalize_word(save.header.name)] = save

    def let_go(self, save: Save) -> None:
        """Keep only the header of a save, as if it hadn't been opened."""
        self.know(header_of(save))

    def seats_of(self, address: str, at: datetime | None = None) -> Iterator[tuple[Save, SeatInfo]]:
        """Yield the seats on whose lists an address was at a time, in order of file names and seats."""
        wanted = address.casefold()
        for save in self.headers.values():
            for seat in save.seats:
                if _lists(seat, wanted, at):
                    yield save, seat


def home_of(saves: Sequence[Path]) -> Path:
    """Return the folder of quarantine and outbox of these saves."""
    first = saves[0]
    return first if first.is_dir() else first.parent


def _header(path: Path) -> Save:
    from pbem.save import load_header

    return load_header(path)


def save_files(paths: Iterable[Path], kept: dict[Path, HeaderCache] | None = None) -> list[Path]:
    """Return the save files: those named, and in folders every `*.toml` that begins like one.

    `kept` gets the header cache of each folder.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += _in_folder(path, kept)
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def _in_folder(folder: Path, kept: dict[Path, HeaderCache] | None) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        named = [
            found for found in entries if found.name.endswith(".toml") and not found.name.startswith(".")
        ]
    headers = None
    if kept is not None and len(named) >= FEW:
        headers = kept[folder] = HeaderCache(folder)
    for entry in sorted(named, key=lambda file: file.name):
        path = folder / entry.name
        if (headers is not None and headers.knows(entry)) or is_save(path):
            yield path


def is_save(path: Path) -> bool:
    """Return whether a file looks like a save, or was one: a folder may hold packs and settings as well.

    A damaged save must be reported: if it were overlooked, its players' emails would be quarantined.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            begin = stream.read(_PEEK)
    except OSError:
        return True  # reading it reports the error
    beside = (path.with_name(path.name + suffix) for suffix in (".bak", ".lock"))
    return (
        not begin.strip()
        or _GAME.search(begin) is not None
        or any(neighbour.exists() for neighbour in beside)
    )


def has_address(seat: SeatInfo, address: str, at: datetime | None = None) -> bool:
    """Return whether an address, in any case, was on a seat's list at a time (None: at any time)."""
    return _lists(seat, address.casefold(), at)


def _lists(seat: SeatInfo, wanted: str, at: datetime | None) -> bool:
    for known in seat.addresses:
        if known.casefold() == wanted:
            return True
    return any(
        delegate.address.casefold() == wanted and (at is None or delegate.plays(at))
        for delegate in seat.delegates
    )


def confirms(info: SeatInfo, sender: str, code: str, at: datetime | None) -> bool:
    """Return whether an email with this code proves that the seat's new address is read."""
    from pbem.orders.reply_codes import same_code

    moving = info.told.moving
    return (
        moving is not None
        and not moving.old
        and sender.casefold() == moving.address.casefold()
        and same_code(code, (moving.code,))
        and (at is None or at < moving.until)
    )


def code_key(save: Save) -> bytes:
    """Return the key of reply codes and message ids; made from the seed, which stays secret to the end."""
    return hmac.digest(bytes.fromhex(save.dice.seed), b"pbem letters", "sha256")


def code_of(save: Save, seat: str, q: int | None = None) -> str:
    """Return a seat's reply code for a question (None: the open one, whose code ends with the chain head)."""
    from pbem.orders.reply_codes import prompt_code, with_head

    number = save.header.q if q is None else q
    code = prompt_code(code_key(save), save.header.name, holder(save, seat), save.dice.epoch, number)
    return with_head(code, save.header.head if number == save.header.q else "")


def holder(save: Save, seat: str, renewed: int = -1) -> str:
    """Return the seat as used in codes: a new player gets new codes, the former player's are void.

    Codes are void too once somebody else has used one; `renewed` is how often that happened (-1: as the save says).
    """
    info = next((player for player in save.seats if player.id == seat), None) or SeatInfo(seat)
    renewed = info.told.codes if renewed < 0 else renewed
    return f"{seat}{f'#{info.tenure}' if info.tenure else ''}{f'~{renewed}' if renewed else ''}"


def is_secret(seat: SeatInfo, code: str) -> bool:
    """Return whether `code` is the seat's own secret."""
    from pbem.orders.reply_codes import same_code

    return bool(seat.secret) and same_code(code, (seat.secret,))


def codes_in_force(save: Save, seat: str) -> tuple[str, ...]:
    """Return the reply codes that an email of a seat may have now."""
    from pbem.orders.reply_codes import prompt_codes

    q, told = save.header.q, next((info.told_q for info in save.seats if info.id == seat), 0)
    asked = any(pending.seat == seat and pending.q == q for pending in save.pending)
    who = holder(save, seat)
    return prompt_codes(code_key(save), save.header.name, who, save.dice.epoch, q, asked=asked, told=told)


def time_of_code(save: Save, seat: SeatInfo, code: str) -> str:
    """Return when a code was given to a seat: `past`, `present` or `future` (not yet), "" if never.

    Codes of every epoch count as past ones: their owner got an email of ours, and is notified that it is stale.
    """
    return given(save, seat, code)[0]


def given(save: Save, seat: SeatInfo, code: str) -> tuple[str, int, bool]:
    """Return when (`time_of_code`) and for which question a code was given, and if to this epoch and holder."""
    from pbem.orders.reply_codes import bare_code, plain_code, prompt_code

    key, name, epoch, q = code_key(save), save.header.name, save.dice.epoch, save.header.q
    if bare_code(code) == plain_code(prompt_code(key, name, holder(save, seat.id), epoch, q)):
        return PRESENT, q, True  # nearly always; all the others cost a few milliseconds
    longest = max([q, seat.told_q, *(rewind.was_n for rewind in save.dice.rewinds)]) + _AHEAD
    plain = bare_code(code)
    for renewed in range(seat.told.codes, -1, -1):
        who = holder(save, seat.id, renewed)
        for epoch_before in range(epoch, -1, -1):
            number = _codes(key, name, who, epoch_before, longest).get(plain)
            if number is not None:
                fresh = renewed == seat.told.codes and epoch_before == epoch
                when = PRESENT if fresh and number == q else FUTURE if fresh and number > q else PAST
                return when, number, fresh
    return "", 0, False


def asked_with(save: Save, seat: SeatInfo, code: str) -> bool:
    """Return whether a code was given to a seat for the open question, even if it is void by now."""
    from pbem.orders.reply_codes import prompt_code, same_code

    holders = [holder(save, seat.id, renewed) for renewed in range(seat.told.codes + 1)]
    key, name, epoch, q = code_key(save), save.header.name, save.dice.epoch, save.header.q
    return same_code(code, [prompt_code(key, name, who, epoch, q) for who in holders])


@functools.lru_cache(maxsize=16)
def _codes(key: bytes, game: str, who: str, epoch: int, longest: int) -> dict[str, int]:
    """Return the question of each code that a seat may have; cached, so that many wrong codes cost little."""
    from pbem.orders.reply_codes import plain_code, prompt_code

    return {plain_code(prompt_code(key, game, who, epoch, q)): q for q in range(longest + 1)}


def addresses_of(save: Save) -> Iterator[str]:
    """Yield every address that emails of a game may go to."""
    for seat in save.seats:
        yield from (*seat.addresses, *(delegate.address for delegate in seat.delegates), *seat.watchers)
    yield from save.post.moderator
    yield from (onlooker.address for onlooker in save.post.onlookers)


def own_addresses(saves: Sequence[Save], sender: str) -> frozenset[str]:
    """Return the addresses that emails are sent from: mail from them is never answered."""
    known = [sender, *(save.post.sender for save in saves)]
    return frozenset(address.casefold() for address in known if address)
