"""Emails that did not arrive: refused when they were sent, or returned by a distant server.

The dashboard shows seats with bounced emails in red, and the time of a bounced question doesn't run. `bounces.jsonl`
next to the saves is append-only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from pbem.atomic_files import append, lines, load
from pbem.kernel.questions import MODERATOR
from pbem.lazy_regex import pattern
from pbem.save import Save

if TYPE_CHECKING:
    from pbem.mail.inbox.stages import DecodedEmail
    from pbem.mail.save_index import SaveIndex

_IDENT = pattern(rb"<?([A-Za-z0-9._-]{1,80})\.([\w-]{1,40})\.(\d{1,6})\.([0-9a-f]{16})@([\w.-]{1,200})>?")
_SCAN = 1 << 18
_STATUS = pattern(rb"^content-type:[ \t]*message/(?:global-)?delivery-status\b", re.IGNORECASE | re.MULTILINE)
_FAILED = pattern(rb"^action:[ \t]*failed\b", re.IGNORECASE | re.MULTILINE)
_DIAGNOSIS = pattern(rb"^diagnostic-code:[ \t]*[\w-]+;[ \t]*(.+(?:\n[ \t].+)*)", re.IGNORECASE | re.MULTILINE)
_CODE = pattern(rb"^status:[ \t]*(5\.\d{1,3}\.\d{1,3})", re.IGNORECASE | re.MULTILINE)
_DAEMONS = ("mailer-daemon@", "postmaster@", "mail-daemon@")
_MILD = pattern(r"delay|warning|retr(y|ied)|success|receipt|relayed", re.IGNORECASE)
"""Subjects of a mail server's messages that don't report a failure."""

QUIET = timedelta(days=3)
"""After so long without another bounce, emails that were sent since count as delivered."""


class Bounce(msgspec.Struct, frozen=True, kw_only=True):
    """One email that did not arrive, or a later sign that its address works.

    `name` is the email's file, `game` and `seat` its addressee, if known. `did` says what happened: it bounced (or
    was refused), a mail was `heard` from the address, or another email was `sent` there.
    """

    at: datetime
    why: str = ""
    to: str = ""
    name: str = ""
    game: str = ""
    seat: str = ""
    did: Literal["back", "heard", "sent"] = "back"


class SendAttempt(msgspec.Struct):
    """An email that wasn't accepted: how often, since when, when to try again, and the reply."""

    count: int
    since: datetime
    again: datetime
    why: str


def attempts(home: Path) -> dict[str, SendAttempt]:
    """Return the emails of an outbox that were put off, by name. Raises `OSError`."""
    return load(home / "outbox" / "tries.json", dict[str, SendAttempt]) or {}


class Bounces:
    """The bounces of one folder of saves."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bounces.jsonl"

    def note(self, bounce: Bounce) -> None:
        """Add one; the same one isn't added twice."""
        parts = bounce.name.rsplit(".", 3)
        if not bounce.game and len(parts) == 4:
            bounce = msgspec.structs.replace(bounce, game=parts[0], seat=parts[1])
        if bounce not in self.listed():
            append(self.path, bounce)

    def listed(self) -> list[Bounce]:
        """Return all bounces, oldest first. Raises `OSError`: an unreadable file must not count as empty."""
        return [*lines(self.path, Bounce)]

    def open_for(self, save: Save, now: datetime, known: list[Bounce] | None = None) -> list[Bounce]:
        """Return the last bounce of each current address of a seat or the moderator, unless it works again."""
        rows, bounces = self.listed() if known is None else known, []
        people = [(seat.id, address) for seat in save.seats for address in seat.addresses[:1]]
        for seat, address in [*people, *((MODERATOR, address) for address in save.post.moderator)]:
            mine = _open([row for row in rows if _concerns(row, save.header.name, seat, address)], now)
            bounces += [msgspec.structs.replace(row, seat=seat) for row in mine]
        return bounces

    def speak_for(self, did: Literal["heard", "sent"], whom: Iterable[tuple[str, str, str]], now: datetime) -> None:
        """Record that emails were sent to, or a mail came from, these (game, seat, address); if they have bounced."""
        rows = self.listed()
        for game, seat, address in dict.fromkeys(whom) if rows else ():
            mine = [row for row in rows if _concerns(row, game, seat, address)]
            if mine and _open(mine, now) and mine[-1].did == "back":
                append(self.path, Bounce(at=now, to=address, game=game, seat=seat, did=did))


def _concerns(row: Bounce, game: str, seat: str, address: str) -> bool:
    if row.to:
        return row.to.casefold() == address.casefold()
    return (row.game, row.seat) == (game, seat)


def _open(rows: list[Bounce], now: datetime) -> list[Bounce]:
    """Return the last bounce of an address, unless a mail from it or days of delivery have ended it."""
    last = max((at for at, row in enumerate(rows) if row.did == "back"), default=None)
    if last is None:
        return []
    after = rows[last + 1 :]
    ended = any(row.did == "heard" or row.at + QUIET <= now for row in after)
    return [] if ended else [rows[last]]


def is_failure(mail: DecodedEmail, raw: bytes) -> bool:
    """Return whether a message reports that an email wasn't delivered, not that it is late or was read."""
    if not mail.automatic:
        return False
    if _STATUS.search(raw[:_SCAN].replace(b"\r\n", b"\n")):
        return bool(_FAILED.search(raw[:_SCAN].replace(b"\r\n", b"\n")))
    return (mail.sender or "").lower().startswith(_DAEMONS) and not _MILD.search(mail.subject)


def reason(mail: DecodedEmail, raw: bytes) -> str:
    """Return why an email came back: what the server that refused it said, else the subject of the report."""
    report = raw[:_SCAN].replace(b"\r\n", b"\n")
    begin = _STATUS.search(report)
    said, code = (kind.search(report, begin.end() if begin else len(report)) for kind in (_DIAGNOSIS, _CODE))
    text = " ".join(said[1].decode("utf-8", "replace").split()) if said else ""
    number = code[1].decode("ascii") if code else ""
    parts = [number] if number and number not in text else []
    why = " ".join([*parts, text or mail.subject])
    return f"{why[:160]} (from {mail.sender or 'nobody'})"


def returned(raw: bytes, index: SaveIndex) -> tuple[str, str, str, str] | None:
    """Return (game, seat, address, file) of the email of ours that a bounce returns; a forged one isn't recognised."""
    from pbem.mail.outbox.mime_message import email_id
    from pbem.mail.save_index import code_key

    for game, seat, number, digest, host in _idents(raw):
        save = index.find(game)
        if save is None:
            continue
        name = save.header.name
        own = email_id(name, seat, int(number), code_key(save), host)
        info = next((player for player in save.seats if player.id == seat), None)
        if info is not None and own == f"{name}.{seat}.{number}.{digest}@{host}":
            file = f"{name}.{seat}.{int(number):04d}.{digest[:8]}"
            return name, seat, info.addresses[0] if info.addresses else "", file
    return None


def _idents(raw: bytes) -> Iterable[tuple[str, str, str, str, str]]:
    for found in _IDENT.finditer(raw[:_SCAN]):
        game, seat, number, digest, host = (part.decode("ascii", "replace") for part in found.groups())
        yield game, seat, number, digest, host
