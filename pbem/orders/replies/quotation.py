"""Which lines of a reply its writer wrote, which are copied from our email, and which are older history.

Each quotation mark adds one to the depth of a line. So does the header above an unmarked copy, in any
language, up to the last line of our email. Depth 0 is the writer's, 1 our email with the writer's insertions,
2 and more is history.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache

import msgspec

from pbem.kernel.order_words import normalize_text
from pbem.lazy_regex import pattern
from pbem.orders.parser import LIMITS
from pbem.orders.reply_codes import broken_tag, split_marks, tag_in
from pbem.orders.statements import ORDERS, statement
from pbem.orders.syntax_tree import StandingOrder

# Texts that we have sent: which lines of a reply are copied from them, even if a mail program broke them.

PIECE = 12
"""Characters, without blanks, from which on a part of a line of ours is recognised anywhere."""

_DROPPED = pattern(r"[\s>|*_<\-‐-―•·・◦‣?]+")
"""What mail programs add and leave out: blanks, quotation marks, bullets, emphasis, `?` for an unknown character."""
_LINK = pattern(r"<(?:mailto|https?|cid):[^<>]*>?|\[(?:cid|image)[^\[\]]*\]")
"""What mail programs make of links and pictures."""
_LINKED = pattern(r"mailto:|%[0-9A-F]{2}")
_UNBROKEN = pattern(r"\S+")


@lru_cache(maxsize=256)  # a line is looked at more than once
def comparison_key(text: str) -> str:
    """Return a text for comparison: NFKC, lower case, without blanks, bullets and links."""
    if "<" in text or "[" in text:
        text = _LINK.sub("", text)
    if _LINKED.search(text):
        text = _UNBROKEN.sub(lambda word: "" if _LINKED.search(word[0]) else word[0], text)
    return _DROPPED.sub("", unicodedata.normalize("NFKC", text)).casefold()


_LABELLED = pattern(r"([\w-]+(?: [\w=-]+){0,4}) ?\(([^()\n]{1,60})\)")
_ENTRY = pattern(r"^(?![ ·/]|- ).+(?:\n(?:  |/ ).*)*", re.MULTILINE)
_LISTED = pattern(
    r"(?!or\b|at \d|for )([a-z\d_=\",;. -]+?) ?(?:– |\((?!.*\().*\)$|（(?!.*（).*）$)|(or\b|ほか|at \d|for \d)",
    re.IGNORECASE,
)
_SHARED = pattern(r"(?:answer|答え|or\b(?! begin)|ほか(?!の語|に)).*?(?:: |：)\s*(.+)", re.IGNORECASE)
"""A line with several answers and what they have in common; not one with the words that others begin with."""
_PIECE = pattern(r"((?:[^,、(（]|,(?! ))+)(?:[(（][^)）]*[)）]\s*)*(?:[,、]\s*|$)")
_ONE_WORD = pattern(r"([\w-]+) ?[(（]([^()（）]+[,、][^()（）]+)[)）]")
_BROKEN = pattern(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])")
_FOREIGN = pattern(r"[^\x00-\x7f]+")
NUMBERED = pattern(r"\W{0,3}(?:q\s*|質問\s*)?(\d{1,9})\s*:", re.IGNORECASE)
"""The number of a question in front of a line, also behind signs: not yet an answer."""


class SentTexts:
    """The emails that a seat has got. `last` are their last lines: below a copy of one, the writer continues.

    `plain`: they are compared with a reply in ASCII, in which a mail program has replaced other characters by
    `?`.
    """

    def __init__(self, texts: Iterable[str] = (), *, plain: bool = False) -> None:
        self.texts = list(texts)
        texts = [_FOREIGN.sub("?", text) if plain else text for text in self.texts]
        self.wholes = list(dict.fromkeys(map(comparison_key, texts)))
        self.printed = [whole.replace("/", "") for whole in self.wholes]
        self.lines = {comparison_key(line) for text in texts for line in text.splitlines()} - {""}
        ends = (text.rstrip().rpartition("\n")[2] for text in texts)
        self.last = {comparison_key(end) for end in ends} - {""}
        labels = (found for text in texts for found in _LABELLED.finditer(normalize_text(text)))
        self.labels = {comparison_key(found[2]): found[1] for found in labels}
        """The answer that stands before each printed label in brackets."""

    def is_long(self, text: str) -> bool:
        """Return whether a line is one of ours, or a long piece of one."""
        found = comparison_key(text)
        return len(found) >= PIECE and (found in self.lines or any(found in whole for whole in self.wholes))

    def prints(self, text: str) -> bool:
        """Return whether a text is in one of them, over any number of lines, which may begin with a slash."""
        found = comparison_key(text).replace("/", "")
        return bool(found) and any(found in whole for whole in self.printed)

    def entries(self, q: int) -> list[str]:
        """Return the answers that a question's email lists, in its order; "" for words that answers begin with."""
        text = next((text for text in self.texts if f"\n{q}: ?" in text), "").partition(f"\n{q}: ?")[0]
        found: list[str] = []
        for entry in _ENTRY.findall(text):
            line = " ".join(part.strip(" /") for part in entry.split("\n"))
            if (shared := _SHARED.match(line)) is not None:
                words, behind = one.groups() if (one := _ONE_WORD.fullmatch(shared[1])) is not None else ("", shared[1])
                found += (f"{words} {piece}".strip() for piece in _PIECE.findall(_BROKEN.sub("", behind)))
            elif (listed := _LISTED.match(line)) is not None:
                found.append("" if listed[2] else listed[1].strip())
        return found

    def walk(self) -> QuoteMatcher:
        return QuoteMatcher(self)


class UnknownOriginal(SentTexts):
    """Our email if its text isn't available: all quoted text counts as ours, except answers."""

    def walk(self) -> QuoteMatcher:
        return _Trusting(self)


class QuoteMatcher:
    """A line-by-line comparison of a copy with our emails: a short piece is ours only if it continues the last line."""

    def __init__(self, ours: SentTexts) -> None:
        self.ours = ours
        self.at = dict.fromkeys(range(len(ours.wholes)), -1)

    def knows(self, text: str) -> bool:
        """Return whether the next line of the copy is ours."""
        found = comparison_key(text)
        if not found:
            return True
        wholes = self.ours.wholes
        on = [at for at, end in self.at.items() if end >= 0 and wholes[at].startswith(found, end)]
        if not on and found not in self.ours.lines and len(found) < PIECE:
            return False
        if not on:
            on = [at for at, whole in enumerate(wholes) if found in whole]
        for at in on:
            begin = max(self.at[at], 0)
            place = wholes[at].find(found, begin)
            self.at[at] = (place if place >= 0 else wholes[at].find(found)) + len(found)
        return bool(on)


class _Trusting(QuoteMatcher):
    def knows(self, text: str) -> bool:
        return not NUMBERED.match(text) or super().knows(text)


_HEAD_LINE = pattern(r"\W{0,2}[^\d\W][^:]{0,24}:\s*\S")
"""`word: text`, as header lines are written in every language."""
_BARE_FIELD = pattern(r"\W{0,2}[^\d\W][^:]{0,24}:\s*\S|[^\d\W]{2,14} \S")
_STAMPED = pattern(r"[^\d\W]+ [^:]*\d:\d\d")
_SEPARATOR = pattern(r"\W*-{3,}.{0,40}-{3,}|_{10,}|-{10,}")
_WHEN = pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\d)\d?\d[:.hH]\d\d(?!\d)")
_RULED = pattern(r"\W*[-_=*~─━‐#]{2,}(?:.{0,60}[-_=*~─━‐#]{2,})?\W*")
_EMPTY_FIELD = pattern(r"\W{0,3}[^\d\W][^:]{0,24}:\W{0,3}")
_OF_DATES = r"[\w.,/: +()年月日時分曜-]"
_DATE_ONLY = pattern(rf"(?=.*\d){_OF_DATES}{{0,20}}(?<!\d)(?:(?:19|20)\d\d|\d?\d:\d\d)(?!\d){_OF_DATES}{{0,30}}")
_TALKS = pattern(r"[?!？！]|\b(?:not|wait|but|no|if|nicht|pas|non|ne)\b", re.IGNORECASE)
_YEAR = pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ENDS = pattern(r".*:$")
_PART = pattern(r"\[(?:-- |\d+(?:/\d+)*:\s*[\w-]+/).{1,100}\]")
_TIME = pattern(r"[\d/:., –-]{8,40}(?:[AP]M)?\s+", re.IGNORECASE)
_MOST_CALENDAR = 60
_MOST_HEAD = 8
_BULLET = pattern(r"(?:[-*•·–/]|\d{1,2}[.)])\s+(?=\S)|(\d{1,2}[.)、])|/")
_CIRCLED = {0x2460 + n: f" {n + 1}) " for n in range(20)}
_MOST_PIECES = 8
DASHED = pattern(r"\s[-–—]{1,2}(?:\s|$)")
"""Between an answer and what it means."""
_NAME = 4
_DASH = pattern("(?<=\\w)[\u2010-\u2015\u2212](?=\\w)")
_LAST_LINE = pattern(r"==\s.*\s==")


class ReplyLine(msgspec.Struct):
    """A line of a reply. `whole` is the line, `raw` the part after its quotation marks.

    `text` is `raw` folded for reading, and cut where no order is that long; `furniture` was written by a mail
    program.
    """

    no: int
    whole: str
    raw: str
    text: str
    depth: int
    furniture: bool = False


class ReplySignals(msgspec.Struct, frozen=True):
    """How to recognise us (addresses, display name, mark in subjects) and the writer of a reply."""

    ours: Collection[str] = ()
    title: str = ""
    shown: str = ""
    writer: Collection[str] = ()

    def names_us(self, text: str) -> bool:
        """Return whether a line has an address of ours, our display name or our mark in subjects."""
        folded = text.casefold()
        if any(name and name.casefold() in folded for name in (*self.ours, self.title, self.shown)):
            return True
        return "pbem" in folded and bool(_WHEN.search(folded))

    def names_any(self, text: str) -> bool:
        """Return whether a line names us or the writer."""
        folded = text.casefold()
        return self.names_us(text) or any(name and name.casefold() in folded for name in self.writer)


def rows_of(text: str) -> list[ReplyLine]:
    """Return the lines of a text with their depth; a broken tag is joined in its first line."""
    found = []
    for no, raw in enumerate(text.split("\n"), 1):
        depth, rest = split_marks(raw)
        text = _DASH.sub("-", normalize_text(rest.translate(_CIRCLED)))
        found.append(ReplyLine(no, raw, rest, text if len(text) <= LIMITS.line else f"{text[: LIMITS.line]}…", depth))
    for at, row in enumerate(found):
        if row.text.startswith("["):
            tag, count = broken_tag([(line.depth, line.text) for line in found[at : at + 4]])
            row.text = tag or row.text
            for rest_of_it in found[at + 1 : at + count]:
                rest_of_it.text = ""
    return found


def layout(text: str, marks: ReplySignals, ours: SentTexts, legal: Callable[[str], str]) -> list[ReplyLine]:
    """Return the lines of a reply with their depth. `legal` recognises answers, which are never ours."""
    rows = rows_of(text)
    return _Layout(rows, marks, ours, legal).done()


class _Layout:
    """One pass down a reply. `copy` is the number of nested unmarked copies that the line is in."""

    def __init__(
        self, rows: list[ReplyLine], marks: ReplySignals, ours: SentTexts, legal: Callable[[str], str]
    ) -> None:
        self.rows = rows
        self.marks = marks
        self.ours = ours
        self.legal = legal
        self.copy = 0

    def done(self) -> list[ReplyLine]:
        at = 0
        while at < len(self.rows):
            row = self.rows[at]
            if not row.text:
                at += 1
                continue
            if row.depth:
                at = self._quoted_attribution(at) or self._header(at) or self._part(at) or at + 1
                continue
            end = self._header(at) or self._attribution(at)
            if end:
                at = end
                continue
            if not self.copy:
                self._unbreak(at)
            self._line(row, at)
            at += 1
        self._above_copies()
        return self.rows

    def _above_copies(self) -> None:
        """Mark what programs write directly above a copy: rules, fields, a date, a line that names us."""
        before = -1
        for at, row in enumerate(self.rows):
            if row.depth and before >= 0 and not self.rows[before].depth and not self.rows[before].furniture:
                self._mark_above(at)
            before = at if row.text else before

    def _mark_above(self, copy: int) -> None:
        found: list[ReplyLine] = []
        for row in reversed(self.rows[max(copy - 3 * _MOST_HEAD, 0) : copy]):
            if row.text and (row.depth or row.furniture or not self._is_above(row.text)):
                break
            found += [row] if row.text else []
        if len(found) <= _MOST_HEAD and any(self.marks.names_us(row.text) for row in found):
            for row in found:
                row.furniture = True

    def _is_above(self, text: str) -> bool:
        """Return whether a line is a rule (with words or not), a field, a date, or names us as a header does."""
        if self._is_order(text):
            return False
        if _RULED.fullmatch(text) or _EMPTY_FIELD.fullmatch(text) or _DATE_ONLY.fullmatch(text):
            return True
        if _HEAD_LINE.match(text):
            value = text.partition(":")[2]
            return "@" in value or bool(_WHEN.search(value)) or self.marks.names_any(value)
        ends = text.rstrip("*_ ").endswith((":", ">", ")", "]", "--", "__"))
        return self.marks.names_us(text) and (ends or bool(_WHEN.search(text))) and not _TALKS.search(text)

    def _line(self, row: ReplyLine, at: int) -> None:
        """Set the depth of a line without marks; a long line of ours begins a copy even without a header."""
        text = row.text
        if not self.copy and self.ours.is_long(row.raw) and not tag_in(text) and not self._is_order(text):
            self.copy = 0 if _is_own(self.rows, at, self.ours) or self._is_list(at) else 1
        row.depth = self.copy
        if self.copy and (comparison_key(row.raw) in self.ours.last or self._is_last_line(text)):
            self.copy -= 1

    def _is_list(self, at: int) -> bool:
        """Return whether an answer begins here with one item a line, even if we gave it as an example."""
        items = [unbulleted(row.text) for row in self.rows[at : at + _MOST_PIECES] if row.text and not row.depth]
        return any(self.legal(", ".join(items[:end])) for end in range(2, len(items) + 1))

    def _unbreak(self, at: int) -> None:
        """Join an answer that our email prints over several lines, or after a slash."""
        before = next((row for row in reversed(self.rows[max(at - 4, 0) : at]) if row.text), None)
        if before is not None and self.ours.walk().knows(before.raw) and not self._is_order(before.text):
            return  # in a copy without marks
        number = NUMBERED.match(self.rows[at].text)
        head, pieces, found, last = number[0] if number else "", list[str](), "", at
        for end, row in enumerate(self.rows[at : at + _MOST_PIECES], at):
            if not row.text or row.depth:
                break
            if end > at and isinstance(statement(row.text, {"line": 0}), StandingOrder):
                break  # another order of those that our email lists
            text = row.text.removeprefix(head if end == at else "").strip()
            pieces.append(text.removeprefix("/").strip())
            whole = " ".join(pieces)
            if not self.ours.prints(whole):
                break
            several = end > at and all(map(self.legal, pieces)) and not DASHED.search(pieces[0])
            if (end > at or pieces[0] != text) and not several and self._is_order(whole):
                found, last = whole, end
        if found:
            self.rows[at].text = f"{head} {found}".strip()
            for rest in self.rows[at + 1 : last + 1]:
                rest.text = ""

    def _is_order(self, text: str) -> bool:
        """Return whether a line is a whole order or answer: it is never ours, even if we gave it as an example."""
        return bool(self.legal(text)) or isinstance(statement(text, {"line": 0}), ORDERS)

    def _is_last_line(self, text: str) -> bool:
        return bool(_LAST_LINE.fullmatch(text)) and self.marks.title.strip("[]").casefold() in text.casefold()

    # -- what mail programs write --------------------------------------------------------------------------------

    def _header(self, at: int) -> int:
        """Return where a header above a copy that begins at `at` ends; 0 if none begins there."""
        first, depth = self.rows[at].text, self.rows[at].depth
        separated = bool(_SEPARATOR.fullmatch(first))
        if not separated and not _HEAD_LINE.match(first):
            return 0
        end = at + separated
        while end < len(self.rows) and end - at - separated < _MOST_HEAD:
            between = end > at + separated or (depth > 0 and _WHEN.search(first) is not None)
            if not self._is_head(end, depth, separated) and not (between and self._is_between(end, depth)):
                if end > at + separated and _EMPTY_FIELD.fullmatch(self.rows[end].text):
                    end += 1
                    continue
                break
            end += 1
        lines = self.rows[at + separated : end]
        if len(lines) < (2 if separated else 3) or not any(self.marks.names_us(line.text) for line in lines):
            return 0
        for row in self.rows[at:end]:
            row.furniture = True
        following = next((row for row in self.rows[end : end + 6] if row.text), None)
        if not depth and (following is None or not following.depth):
            self.copy += 1
        return end

    def _is_head(self, at: int, depth: int, ruled: bool = False) -> bool:
        """Return whether a line may belong to a header: `word: text` with a name or a date in it.

        Below a rule (`ruled`) some programs write no colon.
        """
        row = self.rows[at]
        if row.depth != depth or not (_BARE_FIELD if ruled else _HEAD_LINE).match(row.text):
            return False
        value = row.text.partition(":" if _HEAD_LINE.match(row.text) and not _STAMPED.match(row.text) else " ")[2]
        return "@" in value or bool(_YEAR.search(value)) or self.marks.names_any(value)

    def _is_between(self, at: int, depth: int) -> bool:
        """Return whether `word: text` is between two header lines: `To:` with an unknown name."""
        row = self.rows[at]
        if row.depth != depth or not _HEAD_LINE.match(row.text) or at + 1 >= len(self.rows):
            return False
        value = row.text.partition(":")[2].strip()
        return len(value.split()) <= _NAME and not self.legal(value) and self._is_head(at + 1, depth)

    def _attribution(self, at: int) -> int:
        """Return where `On Friday pbem <…> wrote:` (one or two lines) above a quotation ends; 0 if there is none."""
        if self.copy or not self.marks.names_us(self.rows[at].text):
            return 0
        for last in (at, at + 1):
            if last < len(self.rows) and _ENDS.match(self.rows[last].text) and not self.rows[last].depth:
                break
        else:
            return 0
        if not self._quoted(last + 1):
            return 0
        begin = at - 1 if self._begins_before(at) else at
        for row in self.rows[begin : last + 1]:
            row.furniture = True
        return last + 1

    def _quoted_attribution(self, at: int) -> int:
        """Return the same within the quotation, where some mail programs put it."""
        row = self.rows[at]
        if row.depth > 1 or not self.marks.names_us(row.text):
            return 0
        for last in (at, at + 1):
            if last < len(self.rows) and _ENDS.match(self.rows[last].text):
                for row_after in self.rows[at : last + 1]:
                    row_after.furniture = True
                return last + 1
        return 0

    def _part(self, at: int) -> int:
        """Return where a program's note on a part of our email ends: its name, or our calendar entry as text."""
        row, end = self.rows[at], 0
        if row.text.casefold() == "begin:vcalendar":
            rows = enumerate(self.rows[at : at + _MOST_CALENDAR], at + 1)
            end = next((no for no, inner in rows if inner.text.casefold() == "end:vcalendar"), 0)
        elif self._is_part(row.text):
            end = at + 1
        for inner in self.rows[at:end]:
            inner.furniture = True
        return end

    def _is_part(self, text: str) -> bool:
        if _PART.fullmatch(text) or (_HEAD_LINE.match(text) and self.marks.names_us(text)):
            return True
        time = _TIME.match(text)
        return time is not None and self.ours.is_long(text[time.end() :])

    def _begins_before(self, at: int) -> bool:
        """Return whether an attribution began with a date on the line before."""
        before = self.rows[at - 1] if at else None
        return before is not None and not before.depth and bool(_DATED.fullmatch(before.text))

    def _quoted(self, at: int) -> bool:
        following = next((row for row in self.rows[at : at + 4] if row.text), None)
        return following is not None and (
            following.depth > 0 or self.ours.walk().knows(following.raw) or tag_in(following.text) is not None
        )


def _is_own(rows: Sequence[ReplyLine], at: int, ours: SentTexts) -> bool:
    """Return whether a line of ours is the writer's here: it doesn't run on as in our email.

    A rejected answer that is sent again is such a line, an example cut short, names of a list that we have told, or a
    footer that we have asked about.
    """
    following = next(iter(after(rows, at, 1)), None)
    return following is None or following.depth > 0 or not ours.is_long(f"{rows[at].raw} {following.raw}")


_DATED = pattern(r"(?:on|am|le|el|il|op|den|em)\s[\w.,/: -]{0,40}(?:19|20)\d\d[\w.,/: +-]{0,30},?", re.IGNORECASE)
"""The date that begins an attribution, on a separate line."""


def unbulleted(text: str) -> str:
    """Return a line of a list without what it begins with; a number needs no blank before a Japanese word."""
    found = _BULLET.match(text)
    if found is None or (found[1] and not "\u3040" <= text[found.end() :][:1] <= "\u9fff"):
        return text
    return text[found.end() :]


def after(rows: Sequence[ReplyLine], at: int, most: int) -> list[ReplyLine]:
    """Return up to `most` of the next rows that aren't empty."""
    return [row for row in rows[at + 1 : at + 2 + 3 * most] if row.text][:most]
