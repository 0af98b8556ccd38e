"""An outgoing letter as a MIME message: the same letter is the same bytes, whoever writes it and whenever.

Message ids, boundaries and dates come from the letter, never from the clock or from chance, so that a second run after
a crash writes the same file. Sources: RFC 5322 (threads), 2046 (alternatives), 3834 (automatic mail).
"""

import hashlib
from datetime import datetime

import msgspec

from pbem.post.headers import parse_address
from pbem.post.inbox.plain import clean_line
from pbem.post.outbox import pictures, wire

_MIME = b"MIME-Version: 1.0\r\n"
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

PROOF = "letter.proof"
"""The name of the attachment with a letter's proof: nobody need read it, and no mailbox takes it for orders."""

BUNDLE = "bundle.json"
"""The name of an attached dispute file."""
BOARD = "map.svg"
"""The name of the whole map, attached."""

NOBODY = "pbem@localhost.invalid"
"""The sender's address if none is configured; answers to it bounce at once instead of getting lost."""


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A letter to one seat, ready to be written.

    `ident` is its message id without brackets; `parents` are ids (with brackets) of the thread so far, oldest first;
    `answers` says whether it replies to a letter of the player. `at` is an ISO time. `calendar` is an
    iCalendar text to be attached, `cancelled` one that takes an earlier one back; `view` is the seat's view file,
    `proof` what the letter quotes so that it can be verified, `picture` the map (SVG) that stands in its page,
    `bundle` a dispute file, `board` the whole map (SVG).
    """

    ident: str
    sender: str
    to: str
    subject: str
    text: str
    at: datetime
    html: str = ""
    parents: tuple[str, ...] = ()
    answers: bool = False
    name: str = ""
    calendar: str = ""
    cancelled: str = ""
    view: str = ""
    proof: str = ""
    picture: str = ""
    bundle: str = ""
    board: str = ""


def to_bytes(letter: Outgoing) -> bytes:
    """The message as it goes over the wire. Raises ValueError for an address that is none."""
    heads = [
        wire.mailbox("From", _address(letter.sender), clean_line(letter.name, 60)),
        wire.mailbox("To", _address(letter.to), ""),
        wire.words("Subject", clean_line(letter.subject, 200)),
        wire.words("Date", date_of(letter.at)),
        wire.words("Message-ID", f"<{letter.ident}>"),
    ]
    if letter.parents:
        heads.append(wire.words("In-Reply-To", letter.parents[-1]))
        heads.append(wire.words("References", " ".join(letter.parents)))
    # RFC 3834: programs must not answer this, and vacation notes must not be sent in return.
    heads.append(wire.words("Auto-Submitted", "auto-replied" if letter.answers else "auto-generated"))
    heads.append(wire.words("X-Auto-Response-Suppress", "OOF, AutoReply"))
    return b"".join([*heads, *_content(letter)])


def _content(letter: Outgoing) -> tuple[bytes, ...]:
    """The headers that say what the message is made of, a blank line, and its body."""
    mark = hashlib.sha256(letter.ident.encode()).hexdigest()[:32]
    head, body = wire.text_part(letter.text, "plain")
    kinds = (("PUBLISH", "deadline.ics", letter.calendar), ("CANCEL", "answered.ics", letter.cancelled))
    files = [wire.calendar(*event) for event in kinds if event[2]]
    files += [wire.file("view.toml", "application/toml", letter.view)] if letter.view else []
    files += [wire.file(PROOF, "application/x-pbem-proof", letter.proof)] if letter.proof else []
    files += [wire.file(BUNDLE, "application/json", letter.bundle)] if letter.bundle else []
    files += [wire.file(BOARD, "image/svg+xml", letter.board)] if letter.board else []
    if not letter.html and not files:
        return head, _MIME, b"\r\n", body
    if letter.html:
        both = [head + b"\r\n" + body, _page(letter, mark)]
        head, body = wire.multipart("alternative", f"pbem=_{mark}", both)
    if files:
        head, body = wire.multipart("mixed", f"pbem=={mark}", [head + b"\r\n" + body, *files])
    return _MIME, head, b"\r\n", body


def _page(letter: Outgoing, mark: str) -> bytes:
    """The page, and the map that it shows (RFC 2387); where that cannot be drawn, the page without it."""
    picture = pictures.png(letter.picture) if letter.picture else b""
    html = letter.html if picture or not letter.picture else pictures.without(letter.html)
    head, body = wire.text_part(html, "html")
    page = head + _MIME + b"\r\n" + body
    if not picture:
        return page
    more, both = wire.multipart("related", f"pbem=~{mark}", [page, wire.picture(pictures.CID, picture)])
    return more + _MIME + b"\r\n" + both


def date_of(at: datetime) -> str:
    """A time as a header has it (RFC 5322, 3.3)."""
    day, month = _DAYS[at.weekday()], _MONTHS[at.month - 1]
    return f"{day}, {at.day:02} {month} {at.year:04} {at:%H:%M:%S %z}"


def letter_ident(game: str, seat: str, number: int, key: bytes, host: str) -> str:
    """The message id of a seat's `number`th letter, without brackets.

    It counts the seat's own letters only: a number for all would tell how many the others were sent. The digest, keyed
    with a secret of the save, keeps anybody from naming a letter that he has not got.
    """
    digest = hashlib.blake2b(f"{game}\0{seat}\0{number}".encode(), key=key[:64], digest_size=8).hexdigest()
    return f"{game}.{seat}.{number}.{digest}@{host}"


def host_of(address: str) -> str:
    """The right-hand side of message ids for letters from this address."""
    return address.rpartition("@")[2] or "localhost.invalid"


def _address(text: str) -> str:
    checked = parse_address(text)
    if checked is None or not checked.isascii():
        raise ValueError(f"'{text}' is not an address to send mail to")
    return checked
