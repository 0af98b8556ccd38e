"""Decoding of a received mail to a `DecodedEmail`: pure, bounded, and never raising.

Covers MIME structure, the parts that count, signs of an automatic mail, and problems. It knows no games, seats or
order blocks: quoted lines and signatures stay in the text. Sources: RFC 2045 and 2046 (MIME), 3676 (format=flowed),
3834 (automatic mail), 6522 (reports).
"""

import binascii
import hashlib
import re
from collections.abc import Iterable

import msgspec

from pbem.lazy_regex import pattern
from pbem.mail.headers import (
    Headers,
    decode_base64,
    decode_words,
    parse_addresses,
    parse_message_ids,
    parse_parameters,
    split_message,
)
from pbem.mail.inbox.body_text import clean_line, clean_text, decode_bytes, html_to_text, is_readable, unflow
from pbem.mail.inbox.stages import DecodedEmail, OrderFile


class MimeLimits(msgspec.Struct, frozen=True):
    """The limits of one mail. Beyond `size` bytes, or `text` bytes of text, only its headers are read.

    Elsewhere the excess is left out. Unread parts such as photos cost almost nothing.
    """

    size: int = 16 << 20
    text: int = 1 << 20
    depth: int = 8
    parts: int = 64
    headers: int = 256
    header_length: int = 16384


DEFAULT_LIMITS = MimeLimits()

_MBOX_LINE = pattern(rb"\A>?From (?![ \t]*:)[^\n]*\n")
_EMBEDDED = pattern(rb"data:(?:3D|[\w/+.;,=-])+")
_ORDER_SUFFIXES = (".orders", ".txt")
_AUTO_SUBJECT = pattern(
    r"(out of (the )?office|automatic reply|auto(mated)?[ -]?(reply|response|antwort)|automatische antwort"
    r"|abwesenheits\w*|réponse automatique|respuesta automática|vacation|自動(返信|応答)|不在(通知|のお知らせ))"
    r"\s*([:：\-\]】]|$)",
    re.IGNORECASE,
)
_AUTO_WORDS = ("out of", "auto", "abwesenheits", "réponse", "respuesta", "vacation", "自動", "不在")
_AUTO_FIELDS = ("x-autoreply", "x-autorespond", "x-auto-reply", "x-mail-autoreply", "x-failed-recipients")
_DELIVERED = ("delivered-to", "x-original-to", "envelope-to")
_DAEMONS = ("mailer-daemon@", "postmaster@", "mail-daemon@")


def decode_mail(raw: bytes, limits: MimeLimits = DEFAULT_LIMITS) -> DecodedEmail:
    """Decode any bytes as a mail; never raise, but name each problem in `DecodedEmail.problems`.

    Time and memory are linear in `min(len(raw), limits.size)` times `limits.depth`.
    """
    whole = len(raw) <= limits.size
    data = _plain_lines(raw if whole else raw[: limits.text])
    headers, body = split_message(data, count=limits.headers, length=limits.header_length)
    tree = _Tree(limits, headers.problems)
    contents = tree.walk(headers, body, 0) if whole else _Contents()
    if not whole or "too_large" in tree.problems:
        tree.problems.append("too_large")
        contents = _Contents()  # half an email of orders is worse than none
    else:
        tree.problems += _text_problems(contents)
    page, text = _page(contents), _text(contents, tree.problems)
    sender, name, sender_problem = _sender(headers)
    problems = filter(None, [*tree.problems, sender_problem]) if raw.strip() else ["empty"]
    return DecodedEmail(
        message_id=next(iter(parse_message_ids(headers.first("message-id"))), None),
        sender=sender,
        sender_name=name,
        reply_to=next((address for _, address in parse_addresses(headers.first("reply-to") or "")[0]), None),
        to=_addresses([*headers.all("to")[:4], *headers.all("cc")[:4]]),
        delivered_to=_addresses([value for name, value in headers.fields if name in _DELIVERED][:8]),
        subject=headers.text("subject"),
        date=headers.text("date"),
        received=clean_line((headers.first("received") or "").rpartition(";")[2]),
        in_reply_to=next(iter(parse_message_ids(headers.first("in-reply-to"))), None),
        references=parse_message_ids(headers.first("references")),
        automatic=_automatic(headers, sender) or tree.automatic,
        auth_results=tuple(clean_line(value, 4000) for value in headers.all("authentication-results")),
        text=text,
        page=page,
        attachments=tuple(contents.files),
        ignored=tuple(contents.ignored),
        problems=tuple(dict.fromkeys(problems)),
        body_hash=_hash(text, contents.files),
        size=len(raw),
    )


def _plain_lines(data: bytes) -> bytes:
    r"""Convert line ends to `\n` and remove what a program has put before the header."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removeprefix(b"\xef\xbb\xbf")
    return _MBOX_LINE.sub(b"", data.lstrip(b"\n"))


class _Contents:
    """The contents of the parts below one point."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.files: list[OrderFile] = []
        self.ignored: list[str] = []
        self.pages: list[str] = []
        self.encrypted = False
        self.dear = False

    def has_text(self) -> bool:
        return any(text.strip() for text in self.texts)

    def add(self, other: "_Contents", *, texts: bool = True) -> None:
        if texts:
            self.texts += other.texts
        self.files += other.files
        self.ignored += other.ignored
        self.pages += other.pages
        self.encrypted = self.encrypted or other.encrypted
        self.dear = self.dear or other.dear


class _Tree:
    """One walk through the parts of a mail, counting them against the limits."""

    def __init__(self, limits: MimeLimits, problems: list[str]) -> None:
        self.limits = limits
        self.parts = 0
        self.room = limits.text
        self.problems = [*problems]
        self.automatic = ""

    def walk(self, headers: Headers, body: bytes, depth: int) -> _Contents:
        kind, parameters = parse_parameters(headers.first("content-type"))
        kind = kind if re.fullmatch(r"[^\s/]+/[^\s/]+", kind) else "text/plain"
        if kind == "multipart/report":
            self.automatic = self.automatic or "report"
        if kind == "text/calendar" and parameters.get("method", "").lower() in {"reply", "counter", "refresh"}:
            self.automatic = self.automatic or "calendar"
        if kind.startswith("multipart/"):
            pieces = self._split(body, parameters.get("boundary", ""))
            if pieces is not None:
                return self._multipart(kind, pieces, depth)
            kind = "text/plain"
        return self._leaf(headers, kind, parameters, body, top=depth == 0)

    def _multipart(self, kind: str, pieces: list[bytes], depth: int) -> _Contents:
        contents = _Contents()
        if depth >= self.limits.depth:
            self.problems.append("too_deep")
            return contents
        contents.encrypted = kind == "multipart/encrypted"
        for piece in pieces:
            self.parts += 1
            if self.parts > self.limits.parts:
                self.problems.append("too_many_parts")
                break
            headers, body = split_message(piece, count=self.limits.headers, length=self.limits.header_length)
            if "bad_header" in headers.problems:
                headers.problems.append("bad_mime")
            self.problems += headers.problems
            child = self.walk(headers, body, depth + 1)
            # Alternatives say the same: the first with plain text counts for all; files count wherever they are.
            contents.add(child, texts=not (kind == "multipart/alternative" and contents.has_text()))
        return contents

    def _split(self, body: bytes, boundary: str) -> list[bytes] | None:
        """Return the raw parts between boundary lines (at most one over the limit), None without a boundary."""
        if not boundary:
            self.problems.append("bad_mime")
            return None
        line = re.compile(rb"^--" + re.escape(boundary.encode("utf-8", "replace")) + rb"(--)?[ \t]*$\n?", re.MULTILINE)
        pieces: list[bytes] = []
        start: int | None = None
        for match in line.finditer(body):
            if start is not None:
                # The line break belongs to the boundary.
                pieces.append(body[start : max(start, match.start() - 1)])
            start = match.end()
            if match[1]:
                return pieces
            if len(pieces) > self.limits.parts:
                return pieces
        self.problems.append("bad_mime")  # no closing line: cut off on the way, or never written
        if start is None:
            return None
        return [*pieces, body[start:]]

    def _leaf(self, headers: Headers, kind: str, parameters: dict[str, str], body: bytes, *, top: bool) -> _Contents:
        contents = _Contents()
        disposition, more = parse_parameters(headers.first("content-disposition"))
        name = _file_name(more.get("filename") or parameters.get("name") or "")
        # A mail with only one text is that text, whatever its name, and so is a text shown within it.
        shown = disposition == "inline" and not name.lower().endswith(".orders")
        plain = kind == "text/plain" and (top or shown)
        attached = (disposition == "attachment" or bool(name)) and not plain
        if kind == "text/html" and not attached:
            if len(body) > self.room:
                # Pictures in it, perhaps; only what it shows next to another text matters.
                contents.dear = True
                slim = _EMBEDDED.sub(b"", body.replace(b"=\n", b""))
                if len(slim) <= self.room:
                    contents.pages.append(self._text(headers, parameters, slim))
            else:
                contents.pages.append(self._text(headers, parameters, body))
        elif attached and not _is_order_file(kind, name):
            contents.ignored.append(name or kind)
        elif attached:
            contents.files.append(OrderFile(name, self._text(headers, parameters, body)))
        elif kind == "text/plain":
            contents.texts.append(self._text(headers, parameters, body))
        else:
            contents.encrypted = kind in {"application/pkcs7-mime", "application/x-pkcs7-mime"}
            contents.ignored.append(clean_line(kind, 80))
        return contents

    def _text(self, headers: Headers, parameters: dict[str, str], body: bytes) -> str:
        self.room -= len(body)
        if self.room < 0:
            self.problems.append("too_large")
            return ""
        data, sound = _undo_transfer(decode_words(headers.first("content-transfer-encoding") or "").lower(), body)
        if not sound:
            self.problems.append("bad_mime")
        text, problem = decode_bytes(data, parameters.get("charset"))
        if problem:
            self.problems.append(problem)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if parameters.get("format", "").lower() == "flowed":
            text = unflow(text, delsp=parameters.get("delsp", "").lower() == "yes")
        return clean_text(text)


def _undo_transfer(encoding: str, body: bytes) -> tuple[bytes, bool]:
    encoding = encoding.partition(";")[0].strip()
    if encoding == "base64":
        return decode_base64(body)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(body), True
    return body, encoding in {"", "7bit", "8bit", "binary", "8-bit", "7-bit"}


def _file_name(name: str) -> str:
    return re.split(r"[/\\]", clean_line(name, 400))[-1][-120:].strip()


def _is_order_file(kind: str, name: str) -> bool:
    lowered = name.lower()
    if kind in {"text/plain", "application/octet-stream", "text/x-orders", "application/x-orders"}:
        return lowered.endswith(_ORDER_SUFFIXES) or (kind == "text/plain" and "." not in name)
    return lowered.endswith(".orders") and kind != "text/html"


def _page(found: _Contents) -> str | None:
    return "\n".join(found.pages) if found.has_text() and (found.pages or found.dear) else None


def _text(found: _Contents, problems: list[str]) -> str:
    if not found.has_text() and (found.pages or found.dear):
        if found.dear or not is_readable("\n".join(found.pages)):
            problems.append("dear_page")
            return ""
        found.texts = [html_to_text(page) for page in found.pages]
    return "\n".join(found.texts)


def _text_problems(found: _Contents) -> list[str]:
    if found.has_text() or any(file.text.strip() for file in found.files):
        return []
    if found.encrypted:
        return ["encrypted"]
    return ["html_only"] if found.pages or found.dear else ["no_text"]


def _sender(headers: Headers) -> tuple[str | None, str, str]:
    """Return (address, name, problem). Several From fields or authors are a problem: programs show different ones."""
    values = headers.all("from")
    if not values:
        return None, "", "no_sender"
    addresses, sound = parse_addresses(values[0])
    if len(values) > 1 or len(addresses) > 1:
        return None, "", "many_senders"
    if not addresses or not sound:
        return None, decode_words(values[0])[:200], "bad_sender"
    return addresses[0][1], addresses[0][0], ""


def _addresses(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(address for value in values for _, address in parse_addresses(value)[0]))


def _automatic(headers: Headers, sender: str | None) -> str:
    """Return the sign that a program sent this mail, or ""."""
    submitted = headers.first("auto-submitted")
    if submitted is not None and re.match(r"\s*no\b", submitted, re.IGNORECASE) is None:
        return "auto-submitted"
    return_path = headers.first("return-path")
    if (return_path is not None and not return_path.strip("<> \t")) or (sender or "").startswith(_DAEMONS):
        return "bounce"
    if any(headers.first(name) is not None for name in _AUTO_FIELDS):
        return "autoreply"
    precedence = headers.text("precedence").lower()
    if precedence == "auto_reply":
        return "autoreply"
    if headers.first("list-id") is not None:
        return "list"
    if precedence in {"bulk", "junk", "list"}:
        return "precedence"
    subject = headers.text("subject")
    automatic = subject.casefold().startswith(_AUTO_WORDS) and _AUTO_SUBJECT.match(subject)
    return "subject" if automatic else ""


def _hash(text: str, files: list[OrderFile]) -> str:
    digest = hashlib.sha256()
    for piece in [text.strip("\n"), *(part for file in files for part in (file.name, file.text.strip("\n")))]:
        data = piece.encode("utf-8", "replace")
        digest.update(b"%d:" % len(data))  # framed, so that two different emails never give the same bytes
        digest.update(data)
    return digest.hexdigest()
