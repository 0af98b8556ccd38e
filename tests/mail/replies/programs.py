"""Replies in the manner of the mail programs that people use: where the answer stands, how our letter is copied.

Each program is a function of what was written (above, below, into the copy) and of our letter; it makes the whole mail.
Written from the manner of these programs, not from any mail of theirs.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from html import escape

from pbem.orders.reply_form import tag_lines

HOME = "pbem@games.example"


@dataclass(frozen=True)
class Ours:
    """A letter of ours as it went out to a seat."""

    game: str
    seat: str
    name: str
    address: str
    q: int
    code: str
    subject: str
    text: str
    page: str
    ident: str

    @property
    def tag(self) -> str:
        return "\n".join(tag_lines(self.game, self.seat, self.code))

    @property
    def shown(self) -> str:
        return f"pbem {self.game}"


@dataclass(frozen=True)
class Written:
    """What somebody wrote. `edited` stands in the place of `29: ?` in the copy, `typed` below its tag."""

    top: str = ""
    bottom: str = ""
    edited: str = ""
    typed: str = ""


@dataclass(frozen=True)
class Program:
    """A mail program. `copies`: our letter comes along, so that something can be written into it or below it."""

    name: str
    make: Callable[[Written, Ours], EmailMessage]
    copies: bool = True
    below: bool = True
    marked: bool = True


def _mail(ours: Ours, *, subject: str = "", refers: bool = True) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"] = f"{ours.name} <{ours.address}>" if ours.name.isascii() else ours.address
    message["To"] = HOME
    message["Subject"] = subject or f"Re: {ours.subject}"
    message["Date"] = "Fri, 01 May 2026 14:30:00 +0200"
    if refers:
        message["In-Reply-To"] = message["References"] = ours.ident
    return message


def _copy(written: Written, ours: Ours) -> str:
    """Our letter with what was written into it."""
    text = ours.text.rstrip("\n")
    if written.edited:
        text = text.replace(f"{ours.q}: ?", written.edited)
    if written.typed:
        text = text.replace(ours.tag, f"{ours.tag}\n{written.typed}")
    return text


def _quoted(text: str, mark: str = "> ") -> str:
    return "\n".join(f"{mark}{line}".rstrip() for line in text.split("\n"))


def _plain(
    attribution: str, sent_from: str = "", *, mark: str = "> ", inside: bool = False, charset: str = "utf-8",
    flowed: bool = False, width: int = 0, below_first: bool = False,
) -> Callable[[Written, Ours], EmailMessage]:  # fmt: skip
    """A program that marks its quotation. `inside`: its attribution stands within the quotation."""

    def make(written: Written, ours: Ours) -> EmailMessage:
        said = attribution.format(shown=ours.shown, home=HOME)
        copy = _copy(written, ours)
        if width:
            copy = "\n\n".join(textwrap.fill(block, width) for block in copy.split("\n\n"))
        quoted = _quoted(copy, mark)
        quoted = f"{_quoted(said, mark)}\n{mark.rstrip()}\n{quoted}" if inside else f"{said}\n{quoted}"
        parts = [written.top, sent_from, quoted, written.bottom]
        if below_first:
            parts = [quoted, written.top, written.bottom, sent_from]
        message = _mail(ours)
        text = "\n\n".join(part for part in parts if part) + "\n"
        text = text.encode(charset, "replace").decode(charset)
        message.set_content(text, charset=charset, cte="base64" if charset == "utf-8" else None)
        if flowed:
            message.set_param("format", "flowed")
        return message

    return make


def _header(
    kind: str, sent_from: str = "", *, charset: str = "utf-8", indent: str = ""
) -> Callable[[Written, Ours], EmailMessage]:
    """A program that puts a header above an unmarked copy."""

    def make(written: Written, ours: Ours) -> EmailMessage:
        head = (
            _HEADS[kind]
            .replace("|", "\n")
            .format(
                us=f"{ours.shown} <{HOME}>",
                him=f"{ours.name} <{ours.address}>",
                address=ours.address,
                subject=ours.subject,
            )
        )
        copy = textwrap.indent(_copy(written, ours), indent)
        parts = [written.top, sent_from, f"{head}\n\n{copy}", written.bottom]
        message = _mail(ours)
        text = "\n\n".join(part for part in parts if part) + "\n"
        text = text.encode(charset, "replace").decode(charset)
        message.set_content(text, charset=charset, cte="quoted-printable" if charset == "utf-8" else None)
        return message

    return make


def _as_page(text: str) -> str:
    return "".join(f"<div>{escape(line) or '<br>'}</div>" for line in text.split("\n")) if text else ""


def _html_only(before: str, after: str, sent_from: str = "") -> Callable[[Written, Ours], EmailMessage]:
    """A program that sends HTML alone, with our page in it."""

    def make(written: Written, ours: Ours) -> EmailMessage:
        head = before.format(shown=ours.shown, home=HOME, name=ours.name, subject=escape(ours.subject))
        page = ours.page
        if written.edited:
            page = page.replace(f"{ours.q}: ?", escape(written.edited))
        if written.typed:
            tag = ours.tag.replace("\n", "<br>")
            page = page.replace(tag, f"{tag}<br>{escape(written.typed)}")
        body = "".join(
            [_as_page(written.top), f"<p>{escape(sent_from)}</p>" if sent_from else "", head, page, after,
             _as_page(written.bottom)]
        )  # fmt: skip
        message = _mail(ours)
        message.set_content(f"<html><head><style>p{{}}</style></head><body>{body}</body></html>", subtype="html")
        return message

    return make


def _both(make: Callable[[Written, Ours], EmailMessage]) -> Callable[[Written, Ours], EmailMessage]:
    """The same with a part of HTML next to the text."""

    def made(written: Written, ours: Ours) -> EmailMessage:
        message = make(written, ours)
        message.add_alternative(f"<div>{escape(written.top)}</div><blockquote>{ours.page}</blockquote>", subtype="html")
        return message

    return made


def _alone(written: Written, ours: Ours) -> EmailMessage:
    """Everything but the answer deleted: the letter that is answered is known by its id."""
    message = _mail(ours)
    message.set_content("\n".join(filter(None, (written.top, written.bottom))) + "\n")
    return message


def _button(written: Written, ours: Ours) -> EmailMessage:
    """A new mail from a link of ours: the answer and the tag."""
    message = _mail(ours, subject=f"[{ours.game}] {ours.q}", refers=False)
    message.set_content(f"{written.top}\n{ours.tag}\n{written.bottom}\n".replace("\n", "\r\n"))
    return message


def _form_alone(written: Written, ours: Ours) -> EmailMessage:
    """All deleted but the two lines of the form."""
    message = _mail(ours)
    form = f"{written.edited or f'{ours.q}: ?'}\n{ours.tag}"
    message.set_content("\n\n".join(filter(None, (written.top, form, written.typed, written.bottom))) + "\n")
    return message


def _attached(written: Written, ours: Ours) -> EmailMessage:
    """Our letter comes along as an attachment."""
    message = _mail(ours)
    message.set_content(f"{written.top}\n\n{written.bottom}\n")
    original = EmailMessage(policy=SMTP)
    original["From"], original["Subject"] = HOME, ours.subject
    original.set_content(ours.text)
    message.add_attachment(original)
    return message


_HEADS = {
    "outlook": "-----Original Message-----|From: {us}|Sent: Friday, May 1, 2026 2:00 PM|To: {him}|Subject: {subject}",
    "outlook-de": "-----Ursprüngliche Nachricht-----|Von: {us}|Gesendet: Freitag, 1. Mai 2026 14:00|An: {him}"
    "|Betreff: {subject}",
    "outlook-fr": "De : {us}|Envoyé : vendredi 1 mai 2026 14:00|À : {him}|Objet : {subject}",
    "outlook-ja": "差出人: {us}|送信日時: 2026年5月1日 21:00|宛先: {him}|件名: {subject}",
    "outlook-phone": "________________________________|From: {us}|Sent: Friday, May 1, 2026 2:00:12 PM|To: {him}"
    "|Subject: {subject}",
    "samsung": "-------- Original message --------|From: {us}|Date: 01/05/2026 14:00 (GMT+01:00)|To: {address}"
    "|Subject: {subject}",
    "gmx": "Gesendet: Freitag, 1. Mai 2026 um 14:00 Uhr|Von: {us}|An: {address}|Betreff: {subject}",
    "yahoo": "On Friday, May 1, 2026 at 02:00:00 PM GMT+2, {us} wrote:",
}
_OUTLOOK_PAGE = (
    "<hr><div id='divRplyFwdMsg'><b>From:</b> {shown} &lt;{home}&gt;<br><b>Sent:</b> Friday, May 1, 2026 2:00 PM<br>"
    "<b>To:</b> Somebody Else<br><b>Subject:</b> {subject}</div><div>&nbsp;</div>"
)
_GMAIL_PAGE = (
    "<br><div class='gmail_quote'><div class='gmail_attr'>On Fri, 1 May 2026 at 14:00, {shown} "
    "&lt;<a href='mailto:{home}'>{home}</a>&gt; wrote:<br></div><blockquote>"
)

PROGRAMS = (
    Program("gmail", _both(_plain("On Fri, May 1, 2026 at 2:00 PM {shown} <{home}>\nwrote:"))),
    Program("gmail-phone", _plain("On Fri, 1 May 2026, 14:00 {shown}, <{home}> wrote:")),
    Program("gmail-ja", _plain("2026年5月1日(金) 21:00 {shown} <{home}>:")),
    Program("apple-mail", _plain("On 1 May 2026, at 14:00, {shown} <{home}> wrote:", inside=True)),
    Program("iphone", _plain("On 1 May 2026, at 14:00, {shown} <{home}> wrote:", "Sent from my iPhone", inside=True)),
    Program("iphone-de", _plain("Am 01.05.2026 um 14:00 schrieb {shown} <{home}>:", "Von meinem iPhone gesendet")),
    Program(
        "iphone-ja", _plain("2026/05/01 21:00、{shown} <{home}>のメール:", "iPhoneから送信", charset="iso-2022-jp")
    ),
    Program("thunderbird", _plain("On 01/05/2026 14:00, {shown} wrote:", flowed=True, below_first=True)),
    Program("thunderbird-de", _plain("Am 01.05.26 um 14:00 schrieb {shown}:")),
    Program(
        "k9", _plain("Am 1. Mai 2026 14:00:00 MESZ schrieb {shown} <{home}>:", "-- \nGesendet mit K-9 Mail.", mark=">")
    ),
    Program(
        "proton",
        _plain("On Friday, May 1st, 2026 at 14:00, {shown} <{home}> wrote:", "Sent with Proton Mail secure email."),
    ),
    Program("mutt", _plain("On Fri, May 01, 2026 at 12:00:00PM +0000, {shown} wrote:", below_first=True)),
    Program("becky", _plain("{shown} <{home}> wrote:", mark="| ", charset="iso-2022-jp")),
    Program("rewrapped", _plain("On Fri, May 1, 2026, {shown} <{home}> wrote:", width=60), marked=False),
    Program("outlook", _header("outlook")),
    Program("outlook-de", _header("outlook-de")),
    Program("outlook-fr", _header("outlook-fr")),
    Program("outlook-ja", _header("outlook-ja", charset="iso-2022-jp")),
    Program("outlook-phone", _header("outlook-phone", "Get Outlook for iOS<https://aka.ms/o0ukef>")),
    Program("samsung", _header("samsung", "Sent from my Galaxy")),
    Program("gmx", _header("gmx")),
    Program("yahoo", _header("yahoo", indent=" ")),
    Program("outlook-web", _html_only(_OUTLOOK_PAGE, "")),
    Program("gmail-page", _html_only(_GMAIL_PAGE, "</blockquote></div>", "Sent from my Pixel")),
    Program("alone", _alone, copies=False),
    Program("attached", _attached, copies=False),
    Program("button", _button, copies=False),
    Program("form-alone", _form_alone),
)
