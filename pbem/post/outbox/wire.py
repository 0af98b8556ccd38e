"""A MIME message written down straight: what `email` writes, to the byte, in a tenth of its time (RFC 5322, 2045-2047).

Plain headers and all bodies are written here. A header with anything out of the ordinary in it is the library's, which
is imported for it.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, a2b_qp, b2a_base64
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pbem.patterns import pattern

LONGEST = 78
"""Characters of a line: what RFC 5322 recommends (2.1.1)."""

_ORDINARY = pattern(
    r"[A-Za-z0-9!#$%&'*+/^_`{|}~.,:;()\[\]<>@=-]+(?: [A-Za-z0-9!#$%&'*+/^_`{|}~.,:;()\[\]<>@=-]+)*"
)
_DASH, _DASH_ENCODED = " – ", " =?utf-8?b?4oCT?= "
"""What stands in most of our subjects, alone (RFC 2047)."""
_DASH_LATEST = LONGEST - len(_DASH_ENCODED.rstrip())
"""Where it still ends within the first line: beyond that the library breaks the line for it in a way of its own."""

_PHRASE = pattern(r"[A-Za-z0-9_-]+(?: [A-Za-z0-9_-]+)*")
_ADDRESS = pattern(r"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")


def words(name: str, value: str) -> bytes:
    """A header of free text, or of ids, folded at blanks."""
    if value.count(_DASH) == 1 and "=?" not in value:
        said = f"{name}: {value.replace(_DASH, _DASH_ENCODED)}"
        if said.index(_DASH_ENCODED) <= _DASH_LATEST and _ORDINARY.fullmatch(value.replace(_DASH, " ")):
            lines = _folded(said)
            if lines:
                return "".join(f"{line}\r\n" for line in lines).encode("ascii")
    if not value.isascii() and (line := _encoded_once(name, value)):
        return line.encode("ascii") + b"\r\n"
    whole = f"{name}: {value}"
    if not _ORDINARY.fullmatch(value) or "=?" in value:
        return _by_library(name, value)
    if len(whole) <= LONGEST:
        lines = [whole]
    elif len(value) < LONGEST:  # what fits on a line is not torn
        lines = [f"{name}:", f" {value}"]
    else:
        lines = _folded(whole)
    if not lines or (lines[0] == f"{name}:" and len(lines) > 2):
        return _by_library(name, value)
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


_SHORT = LONGEST - 5
"""Within this a line with an encoded word is never broken: the two ways to encode differ by less than 5 characters."""

_Q_PLAIN = pattern(r"[A-Za-z0-9!*+/-]")


def _encoded_once(name: str, value: str) -> str:
    """A short header as a line with one encoded word, which has all from the first word beyond ASCII to the last one.

    "" if it is not short, or holds anything else that is out of the ordinary.
    """
    if not value.isprintable() or "  " in value or "=?" in value or value != value.strip(" "):
        return ""
    words = value.split(" ")
    beyond = [at for at, word in enumerate(words) if not word.isascii()]
    before, after = words[: beyond[0]], words[beyond[-1] + 1 :]
    if not all(_ORDINARY.fullmatch(word) for word in (*before, *after)):
        return ""
    raw = " ".join(words[beyond[0] : beyond[-1] + 1]).encode()
    quoted = "".join(
        chr(byte) if _Q_PLAIN.fullmatch(chr(byte)) else "_" if byte == 32 else f"={byte:02X}" for byte in raw
    )
    based = b2a_base64(raw, newline=False).decode("ascii")
    how = f"q?{quoted}" if len(quoted) - len(based) < 5 else f"b?{based}"  # as the library weighs them
    line = " ".join([f"{name}:", *before, f"=?utf-8?{how}?=", *after])
    return line if len(line) <= _SHORT else ""


def _folded(text: str) -> list[str]:
    """Lines as long as can be; [] if a word is longer than a line."""
    lines, line = list[str](), ""
    for word in text.split(" "):
        if not line:
            line = word
        elif len(line) + 1 + len(word) <= LONGEST:
            line += f" {word}"
        else:
            lines.append(line)
            line = f" {word}"
        if len(line) > LONGEST:
            return []
    return [*lines, line]


def mailbox(name: str, address: str, person: str) -> bytes:
    """A header that is an address, with a person's name."""
    line = f"{name}: {person} <{address}>" if person else f"{name}: {address}"
    plain = _ADDRESS.fullmatch(address) and (not person or _PHRASE.fullmatch(person))
    if plain and len(line) <= LONGEST:
        return line.encode("ascii") + b"\r\n"
    return _by_library(name, (person, address))


@lru_cache(64)
def _by_library(name: str, value: str | tuple[str, str]) -> bytes:
    from email.headerregistry import Address
    from email.policy import SMTP

    policy = SMTP.clone(cte_type="7bit", max_line_length=LONGEST)
    said: Any = value if isinstance(value, str) else Address(display_name=value[0], addr_spec=value[1])
    return policy.fold_binary(*policy.header_store_parse(name, said))


def text_part(text: str, subtype: str) -> tuple[bytes, bytes]:
    """Headers and body of a text: 7bit where it can be, else base64 or quoted-printable, whichever begins shorter."""
    lines = text.encode("utf-8").splitlines()
    how, body = _encoded(lines)
    head = f'Content-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: {how}\r\n'
    return head.encode(), body


def _encoded(lines: list[bytes]) -> tuple[str, bytes]:
    if max(map(len, lines), default=0) <= LONGEST and all(map(bytes.isascii, lines)):
        return "7bit", b"\r\n".join(lines) + b"\r\n"
    begin = b"\r\n".join(lines[:10]) + b"\r\n"
    begun = _quoted(begin)
    if len(begun) > len(b2a_base64(begin)):
        return "base64", base64(b"\r\n".join(lines) + b"\r\n")
    if len(lines) > 10:
        begun = _quoted(b"\n".join(lines) + b"\n")
    return "quoted-printable", begun.replace("\n", "\r\n").encode("ascii")


def _quoted(raw: bytes) -> str:
    from email.quoprimime import body_encode

    return body_encode(raw.decode("latin-1"), LONGEST)


def base64(raw: bytes) -> bytes:
    """Base64 in lines of 76."""
    lines = [b2a_base64(raw[at : at + 57], newline=False) for at in range(0, len(raw), 57)]
    return b"".join([line + b"\r\n" for line in lines])


def calendar(method: str, file: str, content: str) -> bytes:
    """An attached calendar, whole."""
    return _attached(file, f'text/calendar; method="{method}"', content)


def file(name: str, kind: str, content: str) -> bytes:
    """An attached file of text, whole."""
    return _attached(name, kind, content)


def picture(cid: str, content: bytes) -> bytes:
    """A PNG that a page shows by its id (RFC 2392), whole."""
    return (
        "Content-Transfer-Encoding: base64\r\n"
        'Content-Disposition: inline; filename="map.png"\r\n'
        f"Content-ID: <{cid}>\r\nContent-Type: image/png\r\nMIME-Version: 1.0\r\n\r\n"
    ).encode() + base64(content)


def _attached(name: str, kind: str, content: str) -> bytes:
    return (
        "Content-Transfer-Encoding: base64\r\n"
        f'Content-Disposition: attachment; filename="{name}"\r\n'
        f'Content-Type: {kind}; charset="utf-8"\r\nMIME-Version: 1.0\r\n\r\n'
    ).encode() + base64(content.encode())


def multipart(kind: str, boundary: str, parts: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The header that says so, and the parts with a boundary between them."""
    between = f"\r\n--{boundary}\r\n".encode()
    head = f'Content-Type: multipart/{kind};\r\n boundary="{boundary}"\r\n'.encode()
    return head, between[2:] + between.join(parts) + f"\r\n--{boundary}--\r\n".encode()


def texts_in(message: bytes) -> tuple[str, str]:
    """Text and page of a message as it is written here, lines ending as they do there; "" for what it has not."""
    head, _, body = message.partition(b"\r\n\r\n")
    if boundary := _BOUNDARY.search(head):
        parts = (b"\r\n" + body).split(b"\r\n--" + boundary[1])[1:-1]
        found = [texts_in(part[2:]) for part in parts]
        return "".join(text for text, _ in found), "".join(page for _, page in found)
    kind = _KIND.search(head)
    if kind is None or kind[1] not in (b"plain", b"html"):
        return "", ""
    if b"Content-Transfer-Encoding: base64" in head:
        body = a2b_base64(body)
    elif b"Content-Transfer-Encoding: quoted-printable" in head:
        body = a2b_qp(body)
    text = body.decode("utf-8", "replace")
    return (text, "") if kind[1] == b"plain" else ("", text)


_BOUNDARY = pattern(rb'^ boundary="(pbem=[^"]*)"', re.MULTILINE)
_KIND = pattern(rb"^Content-Type: text/([a-z]+);", re.MULTILINE)
