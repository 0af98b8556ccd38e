"""The saves of one run: the games, and which address belongs to which seat. Reads headers only.

`pbem status` needs no more: reply codes, and with them the referee, are imported where they are used.
"""

from __future__ import annotations

import functools
import hmac
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from pbem.kernel.order_words import normalize_word
from pbem.mail.header_cache import HeaderCache, Stamp, emails_of, header_of
from pbem.mail.presence import TABLE
from pbem.save import Save, SaveError, SeatInfo

T = TypeVar("T")
Progress = Callable[..., None]
"""Gets how many are done, of how many, and what they are if they are no emails."""
UNSEEN: Progress = lambda *_: None  # noqa: E731

PAST, PRESENT, FUTURE = "past", "present", "future"

_GAME = re.compile(r"^\[game\][ \t]*$", re.MULTILINE)
_PEEK = 4096
FEW = 8
"""Fewer saves than this are read as fast without an index."""

SETTLED = 2.0
"""Seconds after which a file's time shows a later change: two within one tick of the file system look alike."""

_MANY = 500
"""Newly read headers that are entered into the index together; until then they are in memory."""

_AHEAD = 200
"""How many questions ahead of the open one a code is recognised: a mailbox may be in the wrong order."""


class SaveIndex:
    """Saves by the names of their games. `broken` holds those that can't be read, with the reason.

    `headers` and `paths` are read when they are looked at. `progress` gets how many saves are looked through, of how
    many. Saves that `known` has aren't read again.
    """

    def __init__(self, paths: Iterable[Path], progress: Progress = UNSEEN, known: SaveIndex | None = None) -> None:
        self._known = known
        self.broken: dict[Path, SaveError] = {}
        self.blind = False  # a save can't be read, so that its players are unknown
        self.partial = False  # saves were named one by one: there may be others
        self.headers: Mapping[str, Save] = _Lazy(self, self._header)
        self.paths: Mapping[str, Path] = _Lazy(self, lambda name: Path(self.places[name]))
        self.places: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._caches: dict[str, HeaderCache] = {}
        self._live: dict[str, Save] = {}
        self.with_tables: list[str] = []
        """The files of folders, not their paths, that have or had a live table when the folder was read."""
        for path in dict.fromkeys(paths):
            if path.is_dir():
                self._add_folder(path, progress)
                continue
            self.partial = True
            if str(path) not in self._names and path not in self.broken:
                self._read(str(path))

    def _add_folder(self, folder: Path, progress: Progress) -> None:
        (found, tables), prefix = _candidates(folder), str(folder / "x")[:-1]
        self.with_tables += tables
        cache = HeaderCache(folder) if len(found) >= FEW else None
        known = cache.known() if cache is not None else {}
        fresh: dict[str, tuple[Stamp, Save]] = {}
        now = time.time()
        for done, file in enumerate(sorted(found)):
            row, place, stamp = known.get(file), prefix + file, found[file]
            if row is not None and row[0] == stamp:
                del known[file]
                self._enter(place, row[1])
            elif place not in self._names and is_save(Path(place)):
                progress(done, len(found), "saves")
                save = self._read(place)
                if save is not None and stamp is not None and now - stamp[2] / 1e9 > SETTLED:
                    fresh[file] = stamp, save
                if cache is not None and len(fresh) >= _MANY:
                    self._keep(cache, prefix, fresh)
        if cache is not None:
            self._caches[prefix] = cache
            self._keep(cache, prefix, fresh, known)

    def _keep(
        self, cache: HeaderCache, prefix: str, fresh: dict[str, tuple[Stamp, Save]], gone: Collection[str] = ()
    ) -> None:
        for file in cache.keep(fresh, gone):
            self._live.pop(self._names.get(prefix + file, ""), None)
        fresh.clear()

    def _read(self, place: str) -> Save | None:
        try:
            live = self._known._live.get(self._known._names.get(place, "")) if self._known is not None else None
            save = live or _load_header(place)
        except SaveError as error:
            self.broken[Path(place)] = error
            self.blind = True
            return None
        if self._enter(place, normalize_word(save.header.name), save):
            self.know(save)
        return save

    def _enter(self, place: str, name: str, save: Save | None = None) -> bool:
        if self.places.setdefault(name, place) == place:
            self._names[place] = name
            return True
        named = (save or _load_header(place)).header.name
        why = f"its game is called '{named}' as in {self.places[name]}"
        self.broken[Path(place)] = SaveError(why, path=Path(place), remedy="Read them in separate runs.")
        return False

    def _header(self, name: str) -> Save:
        live, place = self._live.get(name), self.places[name]
        if live is not None:
            return live
        file = place.rpartition(os.sep)[2]
        cache = self._caches.get(place.removesuffix(file))
        return (cache.header(file) if cache is not None else None) or _load_header(place)

    def find(self, game: str) -> Save | None:
        return self.headers.get(normalize_word(game))

    def is_broken(self, game: str) -> bool:
        """Return whether the save of that name may be unreadable: a save's name is inside it."""
        return self.blind and normalize_word(game) not in self.places

    def path(self, game: str) -> Path:
        """Return the save of a game. Raises KeyError."""
        return self.paths[normalize_word(game)]

    def name(self, path: Path) -> str:
        """Return the name under which the save of that path is known here. Raises KeyError."""
        return self._names[str(path)]

    def know(self, save: Save) -> None:
        self._live[normalize_word(save.header.name)] = save

    def let_go(self, save: Save) -> None:
        """Keep only the header of a save, as if it hadn't been opened."""
        self.know(header_of(save))

    def select(self, sql: str, *args: str | float) -> Iterator[tuple[str, Save]]:
        """Yield the games whose files a query of the index finds, in order, and all that aren't in an index."""
        names = set(self._live)
        for prefix, cache in self._caches.items():
            rows = cache.query(sql, *args)
            if rows is None:
                names.update(self.places)
                break
            names.update(self._names.get(prefix + file, "") for (file,) in rows)
        for name in self.places if names else ():
            if name in names:
                yield name, self.headers[name]

    def marked(self, *marks: str) -> Iterator[tuple[str, Save]]:
        """Yield the games with one of these marks (`header_cache`), and perhaps others."""
        named = msgspec.json.encode(marks).decode()
        return self.select("SELECT file FROM marks WHERE mark IN (SELECT value FROM json_each(?))", named)

    def emails(self) -> dict[str, int]:
        """Return how many emails each game has written to its seats."""
        found = dict[str, int]()
        for cache in self._caches.values():
            found |= cache.query("SELECT name, letters FROM saves INDEXED BY known") or ()
        found |= {name: emails_of(save) for name, save in self._live.items()}
        return {name: found[name] if name in found else emails_of(self.headers[name]) for name in self.places}

    def seats_of(self, address: str, at: datetime | None = None) -> Iterator[tuple[Save, SeatInfo]]:
        """Yield the seats on whose lists an address was at a time, in order of file names and seats."""
        for _, save in self.marked(f"@{address.casefold()}"):
            for seat in save.seats:
                if has_address(seat, address, at):
                    yield save, seat


class _Lazy(Mapping[str, T]):
    """What is known of each game of an index."""

    def __init__(self, index: SaveIndex, get: Callable[[str], T]) -> None:
        self._index = index
        self._get = get

    def __getitem__(self, name: str) -> T:
        return self._get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._index.places

    def __iter__(self) -> Iterator[str]:
        return iter(self._index.places)

    def __len__(self) -> int:
        return len(self._index.places)


def home_of(saves: Sequence[Path]) -> Path:
    """Return the folder of quarantine and outbox of these saves."""
    first = saves[0]
    return first if first.is_dir() else first.parent


def _load_header(place: str) -> Save:
    from pbem.save import load_header  # imports the TOML reader; most commands find all headers in the index

    return load_header(Path(place))


def save_files(paths: Iterable[Path]) -> list[Path]:
    """Return the save files: those named, and in folders every `*.toml` that begins like one."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += (file for name in sorted(_candidates(path)[0]) if is_save(file := path / name))
        else:
            files.append(path)
    return list(dict.fromkeys(files))


def has_saves(folder: Path) -> bool:
    """Return whether a folder has saves; a file counts as one."""
    if not folder.is_dir():
        return True
    with os.scandir(folder) as entries:
        return any(_is_candidate(entry.name) and is_save(Path(entry)) for entry in entries)


def _is_candidate(name: str) -> bool:
    return name.endswith(".toml") and not name.startswith(".")


def _candidates(folder: Path) -> tuple[dict[str, Stamp | None], list[str]]:
    """Return the stamp of each file that may be a save (None: unreadable), and the files with a table."""
    found, tables = dict[str, Stamp | None](), list[str]()
    with os.scandir(folder) as entries:
        for entry in entries:
            if _is_candidate(name := entry.name):
                try:  # for thousands of files `suppress` costs as much as `stat`
                    seen = entry.stat()
                except OSError:
                    found[name] = None
                else:
                    found[name] = seen.st_ino, seen.st_size, seen.st_mtime_ns
            elif name.endswith(TABLE):
                tables.append(f"{name.removesuffix(TABLE)}.toml")
    return found, tables


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
    return not begin.strip() or _GAME.search(begin) is not None or any(neighbour.exists() for neighbour in beside)


def has_address(seat: SeatInfo, address: str, at: datetime | None = None) -> bool:
    """Return whether an address, in any case, was on a seat's list at a time (None: at any time)."""
    wanted = address.casefold()
    delegates = (delegate.address for delegate in seat.delegates if at is None or delegate.plays(at))
    return any(known.casefold() == wanted for known in (*seat.addresses, *delegates))


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


def given(save: Save, seat: SeatInfo, code: str) -> tuple[str, int, bool]:
    """Return when and for which question a code was given, and if to this epoch and holder.

    When: `past`, `present` or `future` (not yet), "" if never. Codes of every epoch count as past ones: their owner
    got an email of ours, and is notified that it is stale.
    """
    from pbem.orders.reply_codes import normalized_code, plain_code, prompt_code

    key, name, epoch, q = code_key(save), save.header.name, save.dice.epoch, save.header.q
    if normalized_code(code) == plain_code(prompt_code(key, name, holder(save, seat.id), epoch, q)):
        return PRESENT, q, True  # nearly always; all the others cost a few milliseconds
    longest = max([q, seat.told_q, *(rewind.was_n for rewind in save.dice.rewinds)]) + _AHEAD
    plain = normalized_code(code)
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


def own_addresses(index: SaveIndex, sender: str) -> frozenset[str]:
    """Return the addresses that emails are sent from: mail from them is never answered."""
    one_each = "SELECT min(file) FROM marks WHERE mark >= '<' AND mark < '=' GROUP BY mark"
    known = [sender, *(save.post.sender for _, save in index.select(one_each))]
    return frozenset(address.casefold() for address in known if address)
