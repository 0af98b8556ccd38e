"""Mail headers: splitting, encoded words, parameters, addresses, message ids.

Written for hostile input: nothing raises, each step is linear, and an ambiguous address isn't reported. Sources: RFC
5322, 2045 (parameters), 2047 (encoded words), 2231 (encoded parameters). `email.message` isn't used: a forger could
exploit its lenient addresses and its recursion on nested parts.
"""

import binascii
import re
from datetime import UTC, datetime, timedelta, timezone

from pbem.lazy_regex import pattern
from pbem.mail.inbox.body_text import clean_line, decode_bytes
from pbem.save.settings import parse_address as parse_address  # noqa: PLC0414 - for those who read headers

_FIELD = pattern(rb"([!-9;-~]{1,76})[ \t]*:(.*)", re.DOTALL)
_WORD = pattern(r"=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_WORDS = pattern(r"(\?=)[ \t\r\n]+(?==\?[^?\s]{1,60}\?[bBqQ]\?)")
_PARAMETER = pattern(r';\s*([^\s=;"]{1,60})\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)', re.DOTALL)
_SECTION = pattern(r"([^*]+)(?:\*(\d{1,3}))?(\*)?")
_PERCENT = pattern(rb"%([0-9A-Fa-f]{2})")
_MESSAGE_ID = pattern(r"<([^<>\s]{1,990})>")
_BARE_ID = pattern(r"[^<>\s]{1,500}@[^<>\s]{1,490}")
_ADDRESS_TOKEN = pattern(  # lengths are bounded so that unclosed quotes and brackets cost nothing
    r'"(?:[^"\\]|\\.){0,500}"|\((?:[^()\\]|\\.|\((?:[^()\\]|\\.){0,200}\)){0,500}\)|<[^<>]{0,500}>|[^"(<>,;:\\]+|.',
    re.DOTALL,
)
_DATE = pattern(
    r"(?:[A-Z][a-z]{2}, )?([0-9]{1,2}) ([A-Z][a-z]{2}) ([12][0-9]{3}) ([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r" ([+-][0-9]{4})(?: \([A-Z]{1,5}\))?"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNESCAPE = pattern(r"\\(.)", re.DOTALL)
_QUOTED_AT = "\x00"  # an `@` inside quotes belongs to a name
_MOST = 100
"""Addresses, or message ids, that are read of one header."""


class Headers:
    """The fields of one header block, in order; names are compared without regard to case.

    Values are unfolded strings, encoded words still encoded. `problems` lists what was cut or not understood:
    `too_many_headers`, `long_header`, `bad_header`.
    """

    def __init__(self, fields: list[tuple[str, str]], problems: list[str]) -> None:
        self.fields = fields
        self.problems = problems

    def all(self, name: str) -> list[str]:
        """Return every value of a field, topmost first."""
        return [value for key, value in self.fields if key == name]

    def first(self, name: str) -> str | None:
        """Return the topmost value of a field, None if there is none."""
        return next((value for key, value in self.fields if key == name), None)

    def text(self, name: str) -> str:
        """Return the topmost value, decoded and cleaned to one line; "" if there is none."""
        return decode_words(self.first(name) or "")


def split_message(raw: bytes, *, count: int, length: int) -> tuple[Headers, bytes]:
    r"""Split a message or part with `\n` line ends into its headers and its body.

    Keeps at most `count` fields of `length` bytes. If the first line isn't a field, all of it is body, with the
    problem `bad_header`.
    """
    if raw.startswith(b"\n"):
        return Headers([], []), raw[1:]
    head, blank, body = raw.partition(b"\n\n")
    first_line = head.partition(b"\n")[0]
    if head and not _FIELD.match(first_line):
        return Headers([], ["bad_header"]), raw
    if not blank:
        head = head.removesuffix(b"\n")
    fields: list[tuple[str, str]] = []
    problems: list[str] = []
    for line in re.split(rb"\n(?![ \t])", head) if head else []:
        if len(fields) >= count:
            problems.append("too_many_headers")
            break
        if len(line) > length:
            problems.append("long_header")
            line = line[:length]
        match = _FIELD.match(line)
        if match is None:
            problems.append("bad_header")
            continue
        value = decode_bytes(match[2].replace(b"\n", b""), None)[0].strip()
        fields.append((match[1].decode("ascii").lower(), value))
    return Headers(fields, problems), body


def decode_words(value: str) -> str:
    """Decode the encoded words (RFC 2047) of a header value and clean it to one line."""
    if "=?" not in value:
        return clean_line(value)
    pieces: list[str] = []
    held: tuple[str, bytes] | None = None  # programs cut multi-byte characters between two words: join first
    position = 0
    value = _BETWEEN_WORDS.sub(r"\1", value)
    for word in _WORD.finditer(value):
        between = value[position : word.start()]
        charset, coded = word[1].lower(), word[3].encode("utf-8", "replace")
        data = binascii.a2b_qp(coded, header=True) if word[2] in "qQ" else decode_base64(coded)[0]
        if held and not between and held[0] == charset:
            held = (charset, held[1] + data)
        else:
            pieces += [_decode_field(held), between]
            held = (charset, data)
        position = word.end()
    pieces += [_decode_field(held), value[position:]]
    return clean_line("".join(pieces))


def _decode_field(held: tuple[str, bytes] | None) -> str:
    return decode_bytes(held[1], held[0])[0] if held else ""


def decode_base64(data: bytes) -> tuple[bytes, bool]:
    """Decode as much as possible; return (bytes, whole), `whole` being false if something was left out."""
    head, _padding, tail = data.partition(b"=")
    kept = re.sub(rb"[^A-Za-z0-9+/]", b"", head)
    foreign = re.search(rb"[^A-Za-z0-9+/\s]", head) is not None or tail.strip(b"= \t\n") != b""
    loose = len(kept) % 4
    if loose == 1:
        kept = kept[:-1]
    return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4)), not foreign and loose != 1


def parse_parameters(value: str | None) -> tuple[str, dict[str, str]]:
    """Return the first word of a structured header and its parameters (RFC 2047, 2231), with names in lower case."""
    value = value or ""
    main = clean_line(value.partition(";")[0].partition("(")[0]).lower()
    plain: dict[str, str] = {}
    sections: dict[str, dict[int, tuple[bool, str]]] = {}
    for match in _PARAMETER.finditer(value):
        name, text = match[1].lower(), match[2].strip()
        if text.startswith('"'):
            text = _UNESCAPE.sub(r"\1", text[1:].removesuffix('"'))
        section = _SECTION.fullmatch(name)
        if section and (section[2] or section[3]):
            sections.setdefault(section[1], {})[int(section[2] or 0)] = (bool(section[3]), text)
        else:
            plain.setdefault(name, decode_words(text))
    for name, parts in sections.items():
        plain[name] = _join_sections(parts)
    return main, plain


def _join_sections(parts: dict[int, tuple[bool, str]]) -> str:
    charset: str | None = None
    data = b""
    for number in sorted(parts):
        encoded, text = parts[number]
        if encoded and charset is None and text.count("'") >= 2:
            charset, _language, text = text.split("'", 2)
        chunk = text.encode("utf-8", "replace")
        data += _PERCENT.sub(lambda hexa: bytes([int(hexa[1], 16)]), chunk) if encoded else chunk
    return clean_line(decode_bytes(data, charset)[0])


def parse_date(text: str) -> datetime:
    """Parse a date, in the usual form or with the library. Raises ValueError, TypeError or OverflowError."""
    match = _DATE.fullmatch(text)
    if match is None or match[2] not in _MONTHS or match[7] == "-0000":
        from email.utils import parsedate_to_datetime

        return parsedate_to_datetime(text)
    day, year, hour, minute, second = map(int, match.group(1, 3, 4, 5, 6))
    minutes = int(match[7][:3]) * 60 + int(match[7][0] + match[7][3:])
    zone = timezone(timedelta(minutes=minutes)) if minutes else UTC
    return datetime(year, _MONTHS.index(match[2]) + 1, day, hour, minute, second, tzinfo=zone)


def parse_addresses(value: str) -> tuple[list[tuple[str, str]], bool]:
    """Return the (display name, address) pairs of an address list, and whether all of it was understood.

    Groups are flattened; without a name, a comment in brackets is the name. At most `limit` addresses.
    """
    addresses: list[tuple[str, str]] = []
    sound = True
    for mailbox in _mailboxes(value):
        text = mailbox.angles[0] if mailbox.angles else "".join(mailbox.words)
        address = None if mailbox.broken else parse_address(text.strip())
        if address is None or len(addresses) >= _MOST:
            # An unquoted `Doe, John <…>` leaves `Doe` over: harmless, as it isn't an address.
            sound = sound and "@" not in text
            continue
        phrase = "".join(mailbox.words) if mailbox.angles else ""
        name = phrase if phrase.strip() else " ".join(mailbox.comments)
        addresses.append((decode_words(name.replace(_QUOTED_AT, "@"))[:200], address))
    return addresses, sound


class _Mailbox:
    """The tokens between two commas of an address list."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.angles: list[str] = []
        self.comments: list[str] = []
        self.broken = False

    def take(self, token: str) -> None:
        """Sort one token; mark the address broken if two readers could disagree about it."""
        whole = len(token) > 1
        if token[0] == '"' and whole:
            self.words.append(_UNESCAPE.sub(r"\1", token[1:-1]).replace("@", _QUOTED_AT))
        elif token[0] == "(" and whole:
            self.comments.append(_UNESCAPE.sub(r"\1", token[1:-1]))
        elif token[0] == "<" and whole:
            self.broken = self.broken or bool(self.angles)
            self.angles.append(token[1:-1])
        elif token in '"(<>\\' or (self.angles and token.strip()):
            self.broken = True
            self.words.append(token)
        else:
            self.words.append(token)


def _mailboxes(value: str) -> list[_Mailbox]:
    cut = [_Mailbox()]
    for match in _ADDRESS_TOKEN.finditer(value):
        token = match[0]
        if token in {",", ";"}:
            cut.append(_Mailbox())
        elif token == ":":
            cut[-1] = _Mailbox()  # the tokens before are the name of a group
        else:
            cut[-1].take(token)
    return cut


def parse_message_ids(value: str | None) -> tuple[str, ...]:
    """Return the message ids of a header as `<…>`, in order; brackets are added where missing."""
    value = value or ""
    ids = [match[0] for match in _MESSAGE_ID.finditer(value)]
    ids = ids or [f"<{word}>" for word in re.split(r"[ \t]+", value) if _BARE_ID.fullmatch(word)]
    return tuple(ident for ident in ids if ident.isprintable())[-_MOST:]
