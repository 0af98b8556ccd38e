"""An outgoing letter as a MIME message: the same letter is the same bytes, whoever writes it and whenever.

Message ids, boundaries and dates come from the letter, never from the clock or from chance, so that a second run after
a crash writes the same file. Sources: RFC 5322 (threads), 2046 (alternatives), 3834 (automatic mail).
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from pbem.post.headers import parse_address
from pbem.post.inbox.plain import clean_line
from pbem.post.outbox import pictures

if TYPE_CHECKING:
    from email.message import EmailMessage

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
    from email.headerregistry import Address
    from email.message import EmailMessage
    from email.policy import SMTP
    from email.utils import format_datetime

    message = EmailMessage(SMTP.clone(cte_type="7bit", max_line_length=78))
    name = clean_line(letter.name, 60)
    message["From"] = Address(display_name=name, addr_spec=_address(letter.sender))
    message["To"] = Address(addr_spec=_address(letter.to))
    message["Subject"] = clean_line(letter.subject, 200)
    message["Date"] = format_datetime(letter.at)
    message["Message-ID"] = f"<{letter.ident}>"
    if letter.parents:
        message["In-Reply-To"] = letter.parents[-1]
        message["References"] = " ".join(letter.parents)
    # RFC 3834: programs must not answer this, and vacation notes must not be sent in return.
    message["Auto-Submitted"] = "auto-replied" if letter.answers else "auto-generated"
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    _fill(message, letter)
    return message.as_bytes()


def _fill(message: EmailMessage, letter: Outgoing) -> None:
    """The text, the page with the map that it shows, and the attached files; boundaries come from the letter."""
    mark = hashlib.sha256(letter.ident.encode()).hexdigest()[:32]
    message.set_content(letter.text)
    if letter.html:
        picture = pictures.png(letter.picture) if letter.picture else b""
        page = letter.html if picture or not letter.picture else pictures.without(letter.html)
        message.add_alternative(page, subtype="html")
        message.set_boundary(f"pbem=_{mark}")
        if picture:  # where it cannot be drawn, the page goes without it
            part = message.get_payload()[1]  # type: ignore[index]
            part.add_related(  # type: ignore[union-attr]
                picture, "image", "png", cid=f"<{pictures.CID}>", disposition="inline", filename="map.png"
            )
            part.set_boundary(f"pbem=~{mark}")  # type: ignore[union-attr]
    for name, kind, content, method in (
        ("deadline.ics", "text/calendar", letter.calendar, "PUBLISH"),
        ("answered.ics", "text/calendar", letter.cancelled, "CANCEL"),
        ("view.toml", "application/toml", letter.view, ""),
        (PROOF, "application/x-pbem-proof", letter.proof, ""),
        (BUNDLE, "application/json", letter.bundle, ""),
        (BOARD, "image/svg+xml", letter.board, ""),
    ):
        if content:
            params = {"method": method, "charset": "utf-8"} if method else {"charset": "utf-8"}
            maintype, _, subtype = kind.partition("/")
            message.add_attachment(content.encode(), maintype, subtype, filename=name, params=params)
            message.set_boundary(f"pbem=={mark}")


def texts_in(raw: bytes) -> tuple[str, str]:
    """Text and page of a message of ours; "" for what it has not."""
    from email import message_from_bytes
    from email.policy import SMTP

    message = message_from_bytes(raw, policy=SMTP)
    found = [message.get_body((kind,)) for kind in ("plain", "html")]
    text, page = (part.get_content() if part is not None else "" for part in found)
    return text, page


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
