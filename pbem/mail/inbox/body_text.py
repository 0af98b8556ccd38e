"""Decoding of a mail body to plain text: character sets, format=flowed, control characters, HTML. Nothing here raises.

HTML becomes the text that a browser shows: line by line, `>` for each quotation, no hidden text. Lexbor builds the tree
as browsers do. No parser is linear for all input, so a page is measured before it is parsed, from each place where a
tag may begin: nothing in a page can mislead the measurement.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from pbem.lazy_regex import pattern

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_UTF8 = {"utf-8", "utf8", "unicode-1-1-utf-8"}
_ASCII = {"", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown", "unknown-8bit", "x-unknown", "default", "8bit"}
_SJIS = {"shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j", "cp932", "ms932"}
_EUC = {"euc-jp", "euc_jp", "eucjp", "x-euc-jp", "x-euc"}
_JIS = pattern(r"(cs)?iso-?2022-?jp([-_](1|2|3|2004|ext|ms))?|cp5022[01]|jis", re.ASCII)
_CP1252 = {"iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252"}
# Only these names reach Python's codecs: the registry also holds transforms (zip, rot13) and codecs whose
# running time is quadratic (punycode, idna).
_OTHERS = pattern(
    r"iso-?8859-?\d{1,2}|windows-125[0-8]|cp(125[0-8]|437|85[0258]|86[0-6]|874|949|950)|koi8-[rut]|tis-620"
    r"|mac(intosh|-?roman)|utf-?(16|32)(le|be|-le|-be)?|utf-?7|gb2312|gbk|gb18030|hz-gb-2312|big5(-?hkscs)?"
    r"|euc-?kr|ks_c_5601-1987|iso-2022-kr|cp936",
    re.ASCII,
)
_RENAMED = {
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "macintosh": "mac-roman",
}

_KANA = pattern(r"[\u3041-\u30fa]")
_FOREIGN = pattern(r"[^\x00-\x7f]+")
_LETTER = pattern(r"[A-Za-z]")
_HALF_WIDTH = pattern(r"[\uff61-\uff9f]")
_JAPANESE = pattern(
    r"[\u3000-\u30ff\u3220-\u33ff\u4e00-\u9fff\uf900-\ufaff\uff01-\uff9f\u2010-\u2026\u2190-\u21ff\u2460-\u26ff×]+"
)
_JIS_SEGMENT = pattern(rb"\x1b(\$[@B]|\$\([@BOPQ]|\([BJIH])")
_ANSI = pattern(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]"  # CSI: colours, cursor
    # OSC, DCS: titles, links
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\x9d\x90\x98\x9e\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,8}[0-~]"
)
_ESCAPES = frozenset("\x1b\x90\x98\x9b\x9d\x9e\x9f")
_BREAKS = dict.fromkeys(map(ord, "\r\x0b\x0c\x85\u2028\u2029"), "\n")
_SPACES = dict.fromkeys([0xA0, 0x202F, 0x205F, *range(0x2000, 0x200B)], " ")
_PLAIN_ASCII = pattern(r"[\t\n -~]*")
_GUESSED_BY = 50_000
"""Characters by which a character set is guessed."""
_MARKS_IN_A_ROW = 30  # Stream-Safe Text Format, UAX #15: no writing needs more


def decode_bytes(data: bytes, charset: str | None) -> tuple[str, str]:
    """Decode `data` as `charset` says; return (text, problem), `problem` being "" or a code.

    `unknown_charset`: the name isn't known, or there is none and the text isn't UTF-8. `wrong_charset`: the bytes
    don't fit the character set. In both cases the text is the best guess: UTF-8, then a Japanese encoding if that
    yields kana, then Windows-1252, which can't fail.
    """
    name = (charset or "").strip().strip("\"'").lower()
    if name in _ASCII or name in _UTF8:
        return _ascii_or_guess(data, "unknown_charset" if name in _ASCII else "wrong_charset")
    if _JIS.fullmatch(name):
        return _first(data, ["iso2022_jp", _jis_to_text, "iso2022_jp_ext", "iso2022_jp_2004"])
    if name in _SJIS:
        return _first(data, ["cp932", "shift_jis_2004"])
    if name in _EUC:
        return _first(data, ["euc_jp", _euc_to_text, "euc_jis_2004"])
    if name in _CP1252:
        return _western(data), ""
    if _OTHERS.fullmatch(name):
        return _first(data, [_RENAMED.get(name, name)])
    return _ascii_or_guess(data, "unknown_charset", always=True)


def clean_text(text: str) -> str:
    r"""Make text safe to show, store and parse: NFC, `\n` as the only line break.

    Removes terminal escapes, control characters except newline and tab, and all format characters: bidirectional
    controls, zero-width characters, byte-order marks, soft hyphens. Odd blanks become blanks, except the ideographic
    space. Lone surrogates become U+FFFD.
    """
    if _PLAIN_ASCII.fullmatch(text):
        return text
    text = text.replace("\r\n", "\n").translate(_BREAKS)
    text = (text if _ESCAPES.isdisjoint(text) else _ANSI.sub("", text)).translate(_SPACES)
    kept: list[str] = []
    marks = 0
    for char in text:
        if char < "\x7f":
            if char >= " " or char in "\n\t":
                kept.append(char)
                marks = 0
            continue
        category = unicodedata.category(char)
        if category in {"Cc", "Cf"}:
            continue
        # Normalising is quadratic in a run of combining marks; real text has no long ones.
        marks = marks + 1 if category[0] == "M" else 0
        if marks <= _MARKS_IN_A_ROW:
            kept.append("\ufffd" if category == "Cs" else char)
    return unicodedata.normalize("NFC", "".join(kept))


def clean_line(text: str, limit: int = 998) -> str:
    """Clean one line: like `clean_text`, any white space as one blank, trimmed, at most `limit` characters."""
    return " ".join(clean_text(text).split())[:limit]


def unflow(text: str, *, delsp: bool = False) -> str:
    r"""Undo format=flowed (RFC 3676): join soft-broken lines of equal quote depth, remove space-stuffing.

    `text` has `\n` line breaks and must not have been cleaned yet: only a real space makes a soft break. With `delsp`
    the breaking space isn't part of the text (languages without blanks).
    """
    out: list[str] = []
    paragraph: list[str] = []
    paragraph_depth = 0

    def close() -> None:
        if paragraph:
            out.append(_quoted(paragraph_depth, "".join(paragraph)))
            paragraph.clear()

    for line in text.split("\n"):
        body = line.lstrip(">")
        depth = len(line) - len(body)
        body = body.removeprefix(" ")
        signature = body == "-- "
        if depth != paragraph_depth or signature:
            close()
        paragraph_depth = depth
        soft = body.endswith(" ") and not signature
        paragraph.append(body[:-1] if soft and delsp else body)
        if not soft:
            close()
    close()
    return "\n".join(out)


def _quoted(depth: int, body: str) -> str:
    return f"{'>' * depth} {body}" if depth else body


def _ascii_or_guess(data: bytes, problem: str, *, always: bool = False) -> tuple[str, str]:
    if not _like_jis(data) and b"\x1b(" not in data:
        try:
            return data.decode("utf-8-sig"), problem if always else ""
        except UnicodeDecodeError:
            pass
    return _guess(data), problem


def _first(data: bytes, ways: Sequence[str | Callable[[bytes], str]]) -> tuple[str, str]:
    text = _decoded(data, ways)
    return (text, "") if text is not None else (_guess(data), "wrong_charset")


def _decoded(data: bytes, ways: Sequence[str | Callable[[bytes], str]]) -> str | None:
    for way in ways:
        try:
            return data.decode(way) if isinstance(way, str) else way(data)
        except (UnicodeError, LookupError):
            continue
    return None


def _like_jis(data: bytes) -> bool:
    """Return whether unlabelled bytes may be ISO-2022-JP, which has seven bits."""
    return b"\x1b$" in data and data.isascii()


def _guess(data: bytes) -> str:
    try:
        if _like_jis(data):
            return _jis_to_text(data)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    japanese: list[tuple[float, str]] = []
    for text in (_decoded(data, ["cp932"]), _decoded(data, ["euc_jp", _euc_to_text])):
        if text is None:
            continue
        begin = text[:_GUESSED_BY]
        if _KANA.search(text) or _stands_alone(begin):
            japanese.append((_likeness(begin), text))
    return max(japanese, key=lambda reading: reading[0])[1] if japanese else _western(data)


def _stands_alone(text: str) -> bool:
    """Return whether most non-ASCII text is apart from ASCII letters, as Japanese among English is.

    French in Latin-1 is often valid, but senseless, CP932: its accents are inside words.
    """
    alone = within = 0
    for run in _FOREIGN.finditer(text):
        before = text[run.start() - 1] if run.start() else ""
        behind = text[run.end()] if run.end() < len(text) else ""
        length = len(run[0])
        if (
            (length < 2 and _HALF_WIDTH.match(run[0]))
            or _LETTER.match(before)
            or _LETTER.match(behind)
            or not _JAPANESE.fullmatch(run[0])
        ):
            within += length
        else:
            alone += length
    return alone > within


def _likeness(text: str) -> float:
    """Return how much a text looks like Japanese: kana count most, half-width kana (as in EUC-JP) hardly."""
    weights = [3 if _KANA.match(sign) else -1 if _HALF_WIDTH.match(sign) else 2 for sign in text if sign > "\x7f"]
    return sum(weights) / max(1, len(weights))


def _western(data: bytes) -> str:
    # Text labelled Latin-1 is usually Windows-1252 (curly quotes); its five gaps can't be decoded.
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _jis_to_text(data: bytes) -> str:
    """Decode ISO-2022-JP with the vendors' kanji that Python's codec rejects (①, 髙, ㈱).

    The two-byte segments are re-coded as CP932, which has them. Raises `UnicodeDecodeError` if that fails too.
    """
    out: list[str] = []
    mode = b"(B"
    position = 0
    while True:
        escape = _JIS_SEGMENT.search(data, position)
        segment = data[position : escape.start() if escape else len(data)]
        if mode.startswith(b"$"):
            out.append(_pairs_to_text(segment))
        elif mode == b"(I":
            out.append(bytes(byte | 0x80 if byte >= 0x21 else byte for byte in segment).decode("cp932"))
        else:
            out.append(segment.decode("cp932"))
        if escape is None:
            return "".join(out)
        mode, position = escape[1], escape.end()


def _euc_to_text(data: bytes) -> str:
    out: list[str] = []
    for run in re.finditer(rb"(?:[\xa1-\xfe]{2})+|(?:\x8e[\xa1-\xdf])+|[\x00-\x7f]+|[\s\S]", data):
        piece = run[0]
        if piece[0] == 0x8E:
            out.append(piece.replace(b"\x8e", b"").decode("cp932"))
        elif piece[0] >= 0xA1 and len(piece) > 1:
            out.append(_pairs_to_text(bytes(byte & 0x7F for byte in piece)))
        else:
            out.append(piece.decode("ascii"))
    return "".join(out)


def _pairs_to_text(segment: bytes) -> str:
    """Decode JIS X 0208 code pairs (0x21..0x7E each); line breaks between them are allowed."""
    out = bytearray()
    position = 0
    while position < len(segment):
        lead = segment[position]
        if lead <= 0x20:
            out.append(lead)
            position += 1
            continue
        trail = segment[position + 1] if position + 1 < len(segment) else 0
        if not (lead <= 0x7E and 0x21 <= trail <= 0x7E):
            raise UnicodeDecodeError("iso-2022-jp", segment, position, position + 1, "not a JIS X 0208 pair")
        out.append((lead + 1) // 2 + (0x70 if lead < 0x5F else 0xB0))
        if lead % 2:
            out.append(trail + (0x20 if trail >= 0x60 else 0x1F))
        else:
            out.append(trail + 0x7E)
        position += 2
    return out.decode("cp932")


_MOST_TAGS = 20_000
_MOST_STARTS = 10_000
_MOST_NODES = 100_000
_MOST_COPIES = 1_000_000
"""Copied elements: a parser repeats unclosed formatting in each block, three of each kind."""
_MOST_OVERLAP = 10
_TAG = pattern(r"<[a-zA-Z/!]")
_BEGIN = pattern(r"<(?=/?[a-zA-Z])")
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|(?=>)))?+"""
_BEGUN = pattern(rf"<(/?[a-zA-Z][^\s/>]*+)((?:{_ATTRIBUTE}){{0,100}}+)({_ATTRIBUTE})?")
_FORMATTING_NAMES = "b big code em font i nobr s small strike strong tt u"
_FORMATTING = frozenset(_FORMATTING_NAMES.split())

_UNSEEN = """
script style head title template noscript svg math select textarea object iframe button audio video datalist
"""
_DROPPED = frozenset(_UNSEEN.split())
_BLOCK_NAMES = """
address article aside body center dd details div dl dt figure footer form h1 h2 h3 h4 h5 h6 header html li main nav
ol p pre section summary table tbody tfoot thead tr ul blockquote
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_STRUCK = frozenset({"s", "del", "strike"})
_DEEPEST = 20
_SPACE = pattern(r"\s+")
_SIGNATURE = pattern(r"(?:^|\s)(?:gmail_signature|moz-signature|Signature|x_Signature)(?:\s|$)")
RULE = "_" * 20
"""A horizontal rule: mail programs draw it above a copied email."""


def is_readable(page: str) -> bool:
    """Return whether a page has few enough tags, attributes and formatting to be parsed in linear time."""
    tags, starts, work, kinds = 0, 0, 0, set()
    for begin in _BEGIN.finditer(page):
        begun = _BEGUN.match(page, begin.start())
        assert begun is not None
        name = begun[1].lower()
        tags, starts = tags + 1, starts + (name[0] != "/")
        work += begun.end() - begun.start()
        if tags > _MOST_TAGS or starts > _MOST_STARTS or begun[3] or work > _MOST_OVERLAP * len(page):
            return False
        if name in _FORMATTING:
            kinds.add(hash((name, begun[2])))
    return 3 * len(kinds) * tags < _MOST_COPIES


def html_to_text(page: str) -> str:
    """Return the text of a page as a mail program without HTML shows it; "" if it isn't readable."""
    if not _TAG.search(page):
        return clean_text(page)
    if not is_readable(page):
        return ""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(page)
    styles = [style.text()[:_MOST_STYLE] for style in tree.css("style")[:_MOST_STYLES]]
    return clean_text("\n".join(_Reader(styles).read(tree.body))) if tree.body is not None else ""


_MOST_STYLES = 20
_MOST_STYLE = 50_000
_AT_RULE = pattern(r"@[^{}@]*+\{(?:[^{}]*+\{[^{}]*+\})*+|/\*[^*]*+\*/")
_CLASS = pattern(r"\.([\w-]{1,80})\s*\{([^{}]{0,400})\}")
_NOTHING = pattern(r"0*\.?0+(?:px|pt|em|rem|%)?")
_FAR = pattern(r"-\d{3,}.*")
_WHITE = ("", "white", "#fff", "#ffffff", "rgb(255,255,255)", "rgb(255, 255, 255)")


def _declared(style: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in style.split(";", 60)[:60])
    return {key.strip().lower(): value.replace("!important", "").strip().lower() for key, _, value in pairs if value}


def _is_hidden(css: dict[str, str]) -> bool:
    if css.get("display") == "none" or css.get("visibility") in ("hidden", "collapse") or css.get("mso-hide") == "all":
        return True
    small = {key for key, value in css.items() if _NOTHING.fullmatch(value)}
    if small & {"font-size", "opacity"} or (
        css.get("overflow") == "hidden" and small & {"height", "max-height", "width"}
    ):
        return True
    off = any(_FAR.fullmatch(css.get(key, "")) for key in ("left", "top", "text-indent"))
    return off and (css.get("position") in ("absolute", "fixed") or "text-indent" in css)


class _At(msgspec.Struct, frozen=True):
    """The effect of the surrounding elements on a node. `ink` and `ground` are colours, "" for the page's own."""

    depth: int = 0
    ink: str = "black"
    ground: str = ""
    pre: bool = False
    struck: bool = False


class _Reader:
    """One walk through the tree, without recursion, as it may be deep."""

    def __init__(self, styles: Sequence[str]) -> None:
        self.lines: list[str] = []
        self.pieces: list[str] = []
        self.classes: dict[str, dict[str, str]] = {}
        for style in styles:
            for name, body in _CLASS.findall(_AT_RULE.sub("", style)):
                self.classes.setdefault(name, {}).update(_declared(body))

    def read(self, body: LexborNode) -> list[str]:
        """Return the lines of a page; none if its tree grew beyond what can be read."""
        stack: list[tuple[LexborNode, _At, bool]] = [(body, _At(), False)]
        seen = 0
        while stack:
            node, at, ends = stack.pop()
            if ends:
                self.end_line(at)
                continue
            seen += 1
            if seen > _MOST_NODES:
                return []
            tag = node.tag or ""
            if tag == "-text":
                self.text(node.text_content or "", at)
            elif not tag.startswith(("-", "!")) and tag not in _DROPPED:
                self.element(node, tag, at, stack)
        self.end_line(_At())
        return self.lines

    def element(self, node: LexborNode, tag: str, at: _At, stack: list[tuple[LexborNode, _At, bool]]) -> None:
        inner = self.within(node, tag, at)
        if inner is None:
            return
        if tag in ("br", "hr"):
            self.end_line(at, always=tag == "br")
            if tag == "hr":
                self.pieces.append(RULE)
                self.end_line(at)
            return
        if _SIGNATURE.search(node.attributes.get("class") or "") or "data-smartmail" in node.attributes:
            self.end_line(at)
            self.lines.append(f"{'>' * at.depth}{' ' * bool(at.depth)}-- ")
        if tag in ("td", "th"):
            self.pieces.append(" ")
        if tag in _BLOCKS:
            self.end_line(at)
            stack.append((node, inner, True))
        closed = tag == "details" and "open" not in node.attributes
        children = []
        child = node.child
        while child is not None:
            if not closed or child.tag == "summary":
                children.append((child, inner, False))
            child = child.next
        stack += reversed(children)

    def within(self, node: LexborNode, tag: str, at: _At) -> _At | None:
        """Return the context within an element; None if a browser hides it."""
        given = node.attributes
        css = {"color": given.get("color") or "", "background-color": given.get("bgcolor") or ""}
        for name in (given.get("class") or "").split(None, 8)[:8]:
            css |= self.classes.get(name, {})
        css |= _declared(given.get("style") or "")
        if "hidden" in given or _is_hidden(css):
            return None
        lined = css.get("text-decoration", "") + css.get("text-decoration-line", "")
        return _At(
            min(at.depth + (tag == "blockquote"), _DEEPEST),
            css["color"] or at.ink,
            css["background-color"] or css.get("background") or at.ground,
            at.pre or tag == "pre",
            at.struck or tag in _STRUCK or "line-through" in lined,
        )

    def text(self, text: str, at: _At) -> None:
        """Add text of the page, marked where it is struck out; skip text in the colour of its background."""
        if at.ink in ("transparent", at.ground) or (at.ink in _WHITE and at.ground in _WHITE):
            return
        first, *others = text.split("\n") if at.pre else [_SPACE.sub(" ", text)]
        for number, part in enumerate((first, *others)):
            if number:
                self.end_line(at, always=True)
            self.pieces.append(f"~~{part}~~" if at.struck and part.strip() else part)

    def end_line(self, at: _At, *, always: bool = False) -> None:
        """End the line; an empty line only counts where the page breaks it."""
        line = "".join(self.pieces)
        self.pieces.clear()
        text = "-- " if line.replace("\xa0", " ") == "-- " else line.rstrip()
        text = text if at.pre else text.lstrip()
        if text or always:
            self.lines.append(">" * at.depth + (" " if at.depth and text else "") + text)
