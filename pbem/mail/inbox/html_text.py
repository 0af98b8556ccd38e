"""HTML to the text that a browser shows: line by line, `>` for each quotation, no hidden text.

Lexbor builds the tree as browsers do. No parser is linear for all input, so a page is measured before it is parsed,
from each place where a tag may begin: nothing in a page can mislead the measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pbem.lazy_regex import pattern
from pbem.mail.inbox.body_text import clean_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

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


class _At(NamedTuple):
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
