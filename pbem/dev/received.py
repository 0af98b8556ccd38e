"""Everything a seat gets of a world with mail: messages as raw bytes, their files, and the order of all mail.

All of it must be equal in two worlds. Reply codes, ids and links depend on the hash chain, which includes every
answer. So pairs use a chain whose hashes depend on the move number alone (`blind_chain`), and every byte is compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from email import message_from_bytes
from html import unescape
from itertools import permutations, zip_longest
from pathlib import Path
from time import time_ns
from typing import Any, NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

import msgspec

from pbem.dev.leak_test_pairs import Leaked
from pbem.dev.observation import SpectatorObservation
from pbem.dev.synthetic_mail import HOME, START, as_mbox
from pbem.kernel.game import Game
from pbem.kernel.journal import Move
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.ingest import ingest
from pbem.mail.moderator.dashboard import overview
from pbem.mail.moderator.doctor import Doctor
from pbem.mail.outbox.mime_message import email_id
from pbem.mail.save_index import code_key, holder
from pbem.mail.scheduler.tick import after_sending, tick_games
from pbem.orders.reply_codes import plain_code, prompt_code
from pbem.save import Save, Session, chain
from pbem.save.folder_settings import FolderSettings

_TICK = 20_000_000
"""Nanoseconds by which the time of a file may lag behind the clock."""

_AROUND = 80
_TAGS = re.compile(r"<[^>]*>")
_BETWEEN = re.compile(r"[\W_]+")
_HASH = re.compile(r'"[0-9a-f]{64}"')
"""A hash of a bundle, which may contain the eight digits of a code by chance."""
_CODES_BACK = 12
"""Number of past questions whose codes are searched where no code may occur."""


@contextmanager
def blind_chain() -> Iterator[None]:
    """Make the hashes of the chain depend on the move number alone, in every save written and read meanwhile."""

    def link(before: str, move: Move, sealed: str, epoch: int = 0, version: int = chain.VERSION) -> str:
        return hashlib.sha256(f"{before} {move.n} {epoch}".encode()).hexdigest()

    def inner(move: Move, sealed: str, epoch: int = 0) -> str:
        return hashlib.sha256(f"{move.n} {epoch}".encode()).hexdigest()

    kept = chain.link, chain.inner
    chain.link, chain.inner = link, inner
    try:
        yield
    finally:
        chain.link, chain.inner = kept


class Got(NamedTuple):
    """A file in the outbox: name, bytes, recipients, mode, time. `late`: not written when mail was read."""

    name: str
    raw: bytes
    to: str
    late: bool
    mode: int
    at: int


class MailWorld:
    """One world: a folder with a save, an outbox and the processed emails. `down`: no server accepts mail."""

    def __init__(self, folder: Path, game: Game, session: Session, *, down: bool) -> None:
        self.folder, self.game, self.down = folder, game, down
        session.commit(START)
        self.path = session.path
        self.onlookers = SpectatorObservation(self.path, self.load, HOME)
        self.outbox, self.sent = (folder / "outbox" / part for part in ("new", "cur"))
        self.seen: set[str] = set()
        self.early: set[str] = set()
        self.began = self.ended = time_ns()
        self.shown = ""
        """What the last run, the dashboard and the doctor have shown to a moderator who plays."""

    def load(self, slug: str) -> Game:
        return self.game

    def open(self) -> Session:
        return Session.open(self.path, self.load)

    def post(self, mails: Sequence[Any], now: datetime) -> None:
        box = self.folder / "in.mbox"
        box.write_bytes(as_mbox(list(mails)))
        report = ingest([self.path], [box], now=now, sender=HOME, game=self.load)
        if report.broken:
            raise RuntimeError(next(iter(report.broken.values())))
        self.early = {path.name for path in self.outbox.glob("*")}
        run = tick_games([self.path], now=now, sender=HOME, game=self.load)
        desk = overview([self.path], now=now)
        doctor = Doctor(self.folder, FolderSettings(), now, "", "")
        checks = [check for check in doctor.checks(offline=True) if check.name != "disk"]
        self.shown = "\n".join(
            msgspec.json.encode(part).decode() for part in (report.shown(), run.done.shown(), desk, checks)
        )
        self.hand_over(now)
        self.ended = time_ns()

    def hand_over(self, now: datetime) -> None:
        if self.down:
            return
        names = [path.rename(self.sent / path.name).name for path in self.outbox.glob("*")]
        broken = after_sending(InboxRun([self.path], now=now, sender=HOME, game=self.load), names)
        if broken:
            raise RuntimeError(next(iter(broken.values())))

    def tell_onlookers(self, now: datetime, *, pages: bool) -> None:
        self.onlookers.look(now, pages=pages)
        self.ended = time_ns()

    def fresh(self) -> list[Got]:
        """Return the messages since the last call, to anybody, in the order of sending."""
        found = []
        for path in [*self.outbox.glob("*"), *self.sent.glob("*")]:
            if path.name not in self.seen:
                about, raw = path.stat(), path.read_bytes()
                to, late = " ".join(message_from_bytes(raw).get_all("To", [])), path.name not in self.early
                found.append(Got(path.name, raw, to, late, about.st_mode, about.st_mtime_ns))
                if not self.began - _TICK <= about.st_mtime_ns <= self.ended + _TICK:
                    raise Leaked("time of a file", f"{path.name} {about.st_mtime_ns}", f"{self.ended}")
                self.seen.add(path.name)
        self.began = self.ended
        return sorted(found, key=lambda got: (got.at, got.name))


def compare(one: Iterable[Got], other: Iterable[Got], addresses: Iterable[str]) -> None:
    """Raise `Leaked` if readers at these addresses get different messages or files in two worlds."""
    for address in addresses:
        mine, yours = (
            [got for got in some if address.encode() in got.raw.partition(b"\r\n\r\n")[0]] for some in (one, other)
        )
        same("emails", str(sorted(got.name for got in mine)), str(sorted(got.name for got in yours)))
        same("order of emails", str([got.name for got in mine]), str([got.name for got in yours]))
        for a, b in zip(mine, yours, strict=True):
            same(f"mode of {a.name}", oct(a.mode), oct(b.mode))
            if a.raw != b.raw:
                for (place, text), (_, beside) in zip_longest(places(a.raw), places(b.raw), fillvalue=("", "")):
                    same(f"email {a.name}: {place}", text, beside)
                same(f"email {a.name}: raw bytes", repr(a.raw), repr(b.raw))


def compare_order(one: Sequence[Got], other: Sequence[Got]) -> None:
    """Raise `Leaked` if the order of emails to two readers differs. Emails with the same time have no order."""
    a, b = ({(got.to, got.late): got.at for got in reversed(some)} for some in (one, other))
    for first, second in permutations([key for key in a if key in b], 2):
        if a[first] < a[second] and b[first] > b[second]:
            raise Leaked("order of outgoing mail", f"{first}, {second}", f"{second}, {first}")


def places(raw: bytes) -> Iterator[tuple[str, str]]:
    """Yield the places of a message with their decoded content: headers, texts before, between and after parts."""
    for part in message_from_bytes(raw).walk():
        name = part.get_filename() or part.get_content_type()
        yield from ((f"{key} of {name}", str(value)) for key, value in part.items())
        if part.is_multipart():
            yield from (("preamble", part.preamble or ""), ("epilogue", part.epilogue or ""))
        else:
            payload = part.get_payload(decode=True)
            yield name, payload.decode("utf-8", "replace") if isinstance(payload, bytes) else str(payload)


def same(what: str, a: str, b: str) -> None:
    """Raise `Leaked` with the surroundings of the first difference, if there is one."""
    if a != b:
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        cut = slice(max(0, at - _AROUND), at + _AROUND)
        raise Leaked(what, a[cut], b[cut])


# A check in one world: a copy recipient gets nothing that lets them answer for a seat.


def no_code(got: Iterable[Got], save: Save, readers: Iterable[str]) -> None:
    """Raise `Leaked` if a message to one of these readers contains a seat's reply code or email id, however spelt."""
    copies = [found for found in got if any(reader in found.to for reader in readers)]
    secrets = list(_secrets(save)) if copies else []
    for copy in copies:
        for place, text in [*places(copy.raw), ("raw bytes", copy.raw.decode("utf-8", "replace"))]:
            for spelling in _spellings(_HASH.sub("", text)):
                found = next((secret for secret in secrets if secret in spelling), None)
                if found is not None:
                    raise Leaked(f"a code in a copy: {place}", f"{copy.name} {found}", "")


def _secrets(save: Save) -> Iterator[str]:
    """Yield what identifies a seat: its codes, its secret, the keyed part of its email ids."""
    key, name = code_key(save), save.header.name
    for seat in save.seats:
        who = holder(save, seat.id)
        for q in range(max(save.header.q - _CODES_BACK, 0), save.header.q + 2):
            yield plain_code(prompt_code(key, name, who, save.dice.epoch, q))
        if seat.secret:
            yield plain_code(seat.secret)
        for number in range(1, seat.told.letters + 2):
            yield email_id(name, seat.id, number, key, "x").rpartition("@")[0].rpartition(".")[2]


def _spellings(text: str) -> Iterator[str]:
    """Yield a text normalised as for comparing codes, then the same with the escapes of links and HTML decoded."""
    written = unquote(unescape(text)) if "%" in text or "&" in text else text
    for way in dict.fromkeys((text, written, unquote(written))):
        yield _plain(way)
        if "<" in way:
            yield _plain(_TAGS.sub("", way))


def _plain(text: str) -> str:
    """Normalise a whole email as `plain_code` does."""
    return _BETWEEN.sub("", normalize("NFKC", text).casefold())
