"""An outgoing letter as a MIME message: the same letter is the same bytes, whoever writes it and whenever.

Message ids, boundaries and dates come from the letter, never from the clock or from chance, so that a second run after
a crash writes the same file. Sources: RFC 5322 (threads), 2046 (alternatives), 3834 (automatic mail).
"""

import hashlib
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

import msgspec

from pbem.post.headers import parse_address
from pbem.post.inbox.plain import clean_line

POLICY = SMTP.clone(cte_type="7bit", max_line_length=78)
"""CRLF line ends, every body encoded to ASCII: goes through any transport unchanged."""

NOBODY = "pbem@localhost.invalid"
"""The sender's address if none is configured; answers to it bounce at once instead of getting lost."""


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A letter to one seat, ready to be written.

    `ident` is its message id without brackets; `parents` are ids (with brackets) of the thread so far, oldest first;
    `answers` says whether it replies to a letter of the player. `at` is an ISO time. `calendar` is an
    iCalendar text to be attached, `cancelled` one that takes an earlier one back.
    """

    ident: str
    sender: str
    to: str
    subject: str
    text: str
    at: str
    html: str = ""
    parents: tuple[str, ...] = ()
    answers: bool = False
    name: str = ""
    calendar: str = ""
    cancelled: str = ""


def to_bytes(letter: Outgoing) -> bytes:
    """The message as it goes over the wire. Raises ValueError for an address that is none."""
    message = EmailMessage(policy=POLICY)
    message["From"] = _address(letter.sender, letter.name)
    message["To"] = _address(letter.to)
    message["Subject"] = clean_line(letter.subject, 200)
    message["Date"] = format_datetime(_time(letter.at))
    message["Message-ID"] = f"<{letter.ident}>"
    if letter.parents:
        message["In-Reply-To"] = letter.parents[-1]
        message["References"] = " ".join(letter.parents)
    # RFC 3834: programs must not answer this, and vacation notes must not be sent in return.
    message["Auto-Submitted"] = "auto-replied" if letter.answers else "auto-generated"
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    message.set_content(letter.text)
    mark = hashlib.sha256(letter.ident.encode()).hexdigest()[:32]
    if letter.html:
        message.add_alternative(letter.html, subtype="html")
        message.set_boundary(f"pbem=_{mark}")
    kinds = (("PUBLISH", "deadline.ics", letter.calendar), ("CANCEL", "answered.ics", letter.cancelled))
    for method, file, content in kinds:
        if content:
            message.add_attachment(
                content.encode(),
                maintype="text",
                subtype="calendar",
                filename=file,
                params={"method": method, "charset": "utf-8"},
            )
            message.set_boundary(f"pbem=={mark}")
    return message.as_bytes()


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


def _address(text: str, name: str = "") -> Address:
    checked = parse_address(text)
    if checked is None or not checked.isascii():
        raise ValueError(f"'{text}' is not an address to send mail to")
    return Address(display_name=clean_line(name, 60), addr_spec=checked)


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
