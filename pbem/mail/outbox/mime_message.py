"""An outgoing email as a MIME message: the same email is always the same bytes.

Message ids, boundaries and dates come from the email, not from clock or chance: a run after a crash writes the same
file. Sources: RFC 5322 (threads), 2046 (alternatives), 3834 (automatic mail).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pbem import LANGUAGES
from pbem.atomic_files import flagged, unflagged
from pbem.data_cache import messages
from pbem.lazy_regex import pattern
from pbem.mail.headers import parse_address
from pbem.mail.inbox.body_text import clean_line, html_to_text
from pbem.mail.outbox import map_picture
from pbem.mail.quarantine import write_durably, writing
from pbem.mail.save_index import code_key, code_of
from pbem.orders.reply_codes import tags_in
from pbem.save import EmailPart, OutboxEntry, Save, SeatInfo, Session

if TYPE_CHECKING:
    from email.message import EmailMessage

PROOF = "letter.proof"
"""The name of the attachment with an email's proof; no mailbox takes it for orders."""

BUNDLE = "bundle.json"
"""The name of an attached bundle."""
BOARD = "map.svg"
"""The name of the whole map, attached."""

LOOP = "pbem-loop-"
"""Begins the message id of an email to ourselves, by which `pbem setup` tests a mailbox."""

NOBODY = "pbem@localhost.invalid"
"""The sender's address if none is configured; answers to it bounce at once instead of getting lost."""


def to_bytes(email: OutboxEntry, name: str = "pbem") -> bytes:
    """Return the message as it is sent, from `name`. Raises ValueError for an invalid address, or without a date."""
    from email.headerregistry import Address
    from email.message import EmailMessage
    from email.policy import SMTP
    from email.utils import format_datetime

    if email.at is None:
        raise ValueError("it has no date")
    message = EmailMessage(SMTP.clone(cte_type="7bit", max_line_length=78))
    message["From"] = Address(display_name=clean_line(name, 60), addr_spec=_address(email.sender))
    message["To"] = Address(addr_spec=_address(email.to))
    message["Subject"] = clean_line(email.subject, 200)
    message["Date"] = format_datetime(email.at)
    message["Message-ID"] = email.message_id
    if email.thread:
        message["In-Reply-To"] = email.thread[-1]
        message["References"] = " ".join(email.thread)
    # RFC 3834: programs must not answer this, and vacation notes must not be sent in return.
    message["Auto-Submitted"] = "auto-replied" if email.kind == "receipt" else "auto-generated"
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    _fill(message, email)
    return message.as_bytes()


def _fill(message: EmailMessage, email: OutboxEntry) -> None:
    """Add the text, the page with its map, and the attached files; boundaries come from the email."""
    mark = hashlib.sha256(email.message_id.strip("<>").encode()).hexdigest()[:32]
    message.set_content(email.body)
    if email.html:
        picture = map_picture.map_png(email.picture) if email.picture else b""
        page = email.html if picture or not email.picture else map_picture.without_picture(email.html)
        message.add_alternative(page, subtype="html")
        message.set_boundary(f"pbem=_{mark}")
        if picture:  # where it can't be drawn, the page has no map
            part = message.get_payload()[1]  # type: ignore[index]
            part.add_related(  # type: ignore[union-attr]
                picture, "image", "png", cid=f"<{map_picture.PICTURE_ID}>", disposition="inline", filename="map.png"
            )
            part.set_boundary(f"pbem=~{mark}")  # type: ignore[union-attr]
    for name, kind, content, method in (
        ("deadline.ics", "text/calendar", email.calendar, "PUBLISH"),
        ("answered.ics", "text/calendar", email.cancelled, "CANCEL"),
        ("view.toml", "application/toml", email.view, ""),
        (PROOF, "application/x-pbem-proof", email.proof, ""),
        (BUNDLE, "application/json", email.bundle, ""),
        (BOARD, "image/svg+xml", email.board, ""),
    ):
        if content:
            params = {"method": method, "charset": "utf-8"} if method else {"charset": "utf-8"}
            maintype, _, subtype = kind.partition("/")
            message.add_attachment(content.encode(), maintype, subtype, filename=name, params=params)
            message.set_boundary(f"pbem=={mark}")


def texts_in(raw: bytes) -> tuple[str, str, str]:
    """Return text, page and calendar entry of a message of ours; "" for a missing one."""
    from email import message_from_bytes
    from email.policy import SMTP

    message = message_from_bytes(raw, policy=SMTP)
    bodies = [message.get_body((kind,)) for kind in ("plain", "html")]
    text, page = (part.get_content() if part is not None else "" for part in bodies)
    entries = (part for part in message.walk() if part.get_content_type() == "text/calendar")
    return text, page, next((str(part.get_content()).replace("\r\n ", "") for part in entries), "")


def email_id(game: str, seat: str, number: int, key: bytes, host: str) -> str:
    """Return the message id of a seat's `number`th email, without brackets.

    It counts the seat's own emails only: a common number would tell how many the others were sent. The keyed hash
    prevents anybody from naming an email that they haven't got.
    """
    digest = hashlib.blake2b(f"{game}\0{seat}\0{number}".encode(), key=key[:64], digest_size=8).hexdigest()
    return f"{game}.{seat}.{number}.{digest}@{host}"


def host_of(address: str) -> str:
    """Return the right-hand side of message ids for emails from this address."""
    return address.rpartition("@")[2] or "localhost.invalid"


def _address(text: str) -> str:
    checked = parse_address(text)
    if checked is None or not checked.isascii():
        raise ValueError(f"'{text}' isn't an address that email can be sent to")
    return checked


def addressed(save: Save, seat: SeatInfo, answers: Sequence[EmailPart], sender: str) -> OutboxEntry:
    """Return an empty email to a seat with number and thread; `answers` are the drafts that it contains."""
    number = seat.told.letters + 1
    home = sender_of(save, sender)
    ident = email_id(save.header.name, seat.id, number, code_key(save), host_of(home))
    answered = [draft.reply_to for draft in answers if draft.reply_to]
    thread = [message_id for message_id in (seat.told.first, seat.told.last, *answered[-1:]) if message_id]
    return OutboxEntry(
        f"{seat.id}.{number:04d}",
        seat.id,
        seat.addresses[0],
        "",
        "receipt" if answers else "news",
        of_play=not answers,
        sender=home,
        message_id=f"<{ident}>",
        thread=list(dict.fromkeys(thread)),
    )


def copies(session: Session, seat: SeatInfo, email: OutboxEntry) -> Iterator[OutboxEntry]:
    """Yield the copies of an email: whole for delegates, without its code for copy recipients."""
    code = code_of(session.save, seat.id, session.referee.q)
    people = [(delegate.address, False) for delegate in seat.delegates if email.at is None or delegate.plays(email.at)]
    people += [(watcher, True) for watcher in seat.watchers]
    ident, at, host = email.message_id.partition("@")
    for number, (address, watching) in enumerate(people, 1):
        copy_ident = f"{ident}c{number}{at}{host}"
        copy = msgspec.structs.replace(email, id=f"{email.id}-c{number}", to=address, message_id=copy_ident)
        if watching:
            # The id of an email serves as its code: copy recipients must not learn it.
            key = code_key(session.save)
            copy.message_id = _veiled(email.message_id, key)
            copy.thread = [_veiled(message_id, key) for message_id in email.thread]
            copy.calendar = copy.cancelled = copy.view = ""  # copy recipients can't answer for the seat
            copy.body, copy.html = email.body.replace(code, "----"), email.html.replace(code, "----")
        yield copy


def _veiled(ident: str, key: bytes) -> str:
    name = hashlib.blake2b(ident.encode(), key=key[:64], digest_size=16).hexdigest()
    return f"<{name}@{ident.rpartition('@')[2].rstrip('>')}>"


def sender_of(save: Save, sender: str) -> str:
    """Return the address that emails about a game come from."""
    return sender or save.post.sender or NOBODY


class Outbox:
    """A Maildir of emails to be sent, by any mail program; created with the first email."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sent: set[int] | None = None

    def deliver(self, save: Save, email: OutboxEntry) -> Path:
        """Write one email unless it already exists. Raises ValueError for an invalid address, OSError."""
        return self.put(file_name(save, email), as_bytes(save, email))

    def put(self, name: str, content: bytes) -> Path:
        """Write one message under its name unless it is there. Raises `OSError`."""
        for folder in ("", "tmp", "new", "cur"):
            (self.folder / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        with writing(self.folder):
            there = self.find(name)
            if there is not None:
                return there
            target = self.folder / "new" / name
            write_durably(self.folder / "tmp" / name, target, content)
        return target

    def find(self, name: str) -> Path | None:
        fresh, cur = self.folder / "new" / name, self.folder / "cur"
        # As `pbem send` leaves them, maybe just now.
        for there in (fresh, cur / flagged(name, "S"), cur / flagged(name, "T")):
            if there.exists():
                return there
        # Look through all sent emails once in a run, and keep a number of each.
        if self._sent is None:
            names = (entry.name for entry in os.scandir(cur)) if cur.is_dir() else ()
            self._sent = {_number(unflagged(file_name)) for file_name in names}
        if _number(name) not in self._sent:
            return None
        return next((path for path in cur.iterdir() if unflagged(path.name) == name), None)

    def has(self, name: str) -> bool:
        return bool(name) and self.find(name) is not None


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest(), "big")


def file_name(save: Save, email: OutboxEntry) -> str:
    """Return an email's file name: game, seat, the seat's own count, a hash: `vq-07.spain.0012.6d7f2442`.

    The hash is of its message id: a new game under an old name has other files.
    """
    digest = email.message_id.partition("@")[0].rpartition(".")[2]
    return f"{save.header.name}.{email.id}.{digest[:8]}"


def as_bytes(save: Save, email: OutboxEntry) -> bytes:
    """Return the MIME message of an email in a save's outbox. Raises ValueError as `to_bytes` does."""
    return to_bytes(email, f"pbem {save.header.name}")


_IDENT = pattern(r"<([^<>\s]+)\.([^<>\s.]+)\.(\d{1,7})\.([0-9a-f]{16})(?:c\d{1,3})?@([^<>\s@]+)>")
_SUMMARY = pattern(r"^SUMMARY:([^\r\n]+)", re.MULTILINE)
"""The title of an attached calendar entry, which programs quote."""
_TITLE = pattern(r"<title>([^<]+)</title>")
_REMINDER = pattern(r"<reminder\.([0-9a-f]{16})(?:\.[0-9a-f]{16})?@[^<>\s@]+>")


class StoredEmail(msgspec.Struct, frozen=True):
    """An email of ours: its text, its page as text, and the code in it."""

    number: int
    texts: tuple[str, ...]
    code: str = ""

    @property
    def press(self) -> bool:
        return _press_head().search("".join(self.texts[0].split())) is not None


@lru_cache(maxsize=1)
def _press_head() -> re.Pattern[str]:
    """Return what matches the title of press in a text without blanks, in any language."""
    titles = ("".join(messages("pbem.mail", language)["press.from"].split()) for language in LANGUAGES)
    return re.compile("|".join(re.sub(r"\\{[^{}]*\\}", ".{1,60}", re.escape(title)) for title in titles))


class StoredEmails:
    """The emails in an outbox, sent or not, and those that wait in a save to be delivered."""

    def __init__(self, outbox: Outbox) -> None:
        self.outbox = outbox

    def to(self, save: Save, seat: SeatInfo) -> Iterator[StoredEmail]:
        """Yield the emails to a seat, newest first."""
        for number in range(seat.told.letters, 0, -1):
            email = self.email(save, seat, number)
            if email is not None:
                yield email

    def reminders(self, message_ids: Iterable[str]) -> Iterator[StoredEmail]:
        """Yield the reminders among Message-IDs that a mail names."""
        for match in filter(None, map(_REMINDER.fullmatch, message_ids)):
            path = self.outbox.find(f"reminder.{match[1]}")
            if path is not None and match[0].encode() in path.read_bytes().partition(b"\r\n\r\n")[0]:
                yield StoredEmail(0, _texts_of(path))

    def email(self, save: Save, seat: SeatInfo, number: int) -> StoredEmail | None:
        ident = f"{seat.id}.{number:04d}"
        waiting = next((email for email in save.outbox if email.id == ident), None)
        if waiting is not None:
            texts = (waiting.body, _text_of(waiting.html)) if waiting.html else (waiting.body,)
            return _sent(number, texts, save.header.name, seat.id)
        digest = email_id(save.header.name, seat.id, number, code_key(save), "x").rpartition("@")[0]
        path = self.outbox.find(f"{save.header.name}.{ident}.{digest.rpartition('.')[2][:8]}")
        return _sent(number, _texts_of(path), save.header.name, seat.id) if path is not None else None


def _sent(number: int, texts: tuple[str, ...], game: str, seat: str) -> StoredEmail:
    own = (tag for tag in tags_in(texts[0]) if (tag.game, tag.seat) == (game, seat))
    return StoredEmail(number, texts, next((tag.code for tag in own), ""))


@lru_cache(maxsize=16)
def _texts_of(path: Path) -> tuple[str, ...]:
    """Return text and page of an email as it was written: a file of the outbox never changes."""
    text, page, entry = texts_in(path.read_bytes())
    texts = (text, _text_of(page)) if page else (text,)
    return (*texts, *(title[1] for title in _SUMMARY.finditer(entry.replace("\n ", ""))))


def _text_of(page: str) -> str:
    """Return a page's text below its title: Gnus shows and quotes the title, too."""
    from html import unescape  # few emails need it, and the library's parser

    title = _TITLE.search(page)
    return f"{unescape(title[1])}\n{html_to_text(page)}" if title else html_to_text(page)


def answered_number(save: Save, seat: SeatInfo, message_ids: tuple[str, ...]) -> int:
    """Return the number of the newest email to a seat among Message-IDs that a mail names; 0 if there is none.

    Each id holds a keyed hash, so that nobody can name an email that they haven't got.
    """
    newest, key = 0, code_key(save)
    for message_id in message_ids:
        match = _IDENT.fullmatch(message_id)
        if match is None or match[1] != save.header.name or match[2] != seat.id:
            continue
        number = int(match[3])
        ident = email_id(match[1], match[2], number, key, match[5])
        if number <= seat.told.letters and ident == f"{match[1]}.{match[2]}.{number}.{match[4]}@{match[5]}":
            newest = max(newest, number)
    return newest


def games_named(message_ids: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return game and seat of each Message-ID that looks like one of ours, unproven."""
    idents = [(match[1], match[2]) for message_id in message_ids if (match := _IDENT.fullmatch(message_id))]
    return list(dict.fromkeys(idents))


def code_in(emails: StoredEmails, save: Save, seat: SeatInfo, number: int) -> str:
    """Return the code in an email; "" if it is no longer known."""
    email = emails.email(save, seat, number)
    if email is not None and email.code:
        return email.code
    return code_of(save, seat.id, seat.told_q) if number == seat.told.letters and seat.told_q else ""
