"""A sorted reply: possible answers, written orders, and all other text of the writer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import msgspec

from pbem.lazy_regex import pattern
from pbem.orders.answer_words import folded, lexicon, words_said
from pbem.orders.parser import LIMITS, EmailLine, press_at, shortened
from pbem.orders.player_words import BARE
from pbem.orders.replies.answer_forms import enumerated
from pbem.orders.replies.courtesies import has_known_shape, is_banner, is_courtesy
from pbem.orders.replies.quotation import ReplyLine, SentTexts, after, comparison_key, unbulleted
from pbem.orders.reply_codes import normalized_code, tag_in
from pbem.orders.statements import BLANK, NEXT, ORDERS, statement
from pbem.orders.syntax_tree import Answer, InfoRequest, KeywordCommand, PressStatement, RejectedStatement, Statement

_TIME = r"(?!\d?\d:[0-5]\d\s*(?:\(|[+-]\d|(?-i:[A-Z]{3,5})\b))"
"""A deadline that a mail program has wrapped, `04:00 (UTC)`, isn't an answer to question 4."""
_NUMBERED = pattern(rf"(?:[-*•]\s?)?(?:q\s*|質問\s*|問\s*)?{_TIME}(\d{{1,9}})\s*番?\s*:\s*(.*)", re.IGNORECASE)
_NEXT = pattern(rf"(?:[-*•]\s?)?(?:{'|'.join(NEXT)})\s*:\s*(.*)", re.IGNORECASE)
_LEFT_OVER = pattern(r"^\?\s*|(?<=\w)\s+\?$")
"""The `?` of the form, left next to the answer."""
_END_PRESS = pattern(r"end\s+press|通信終了", re.IGNORECASE)
_NEAR, _FORM = 3, 40
_SIGNATURE = "-- "
_MOST_SIGNATURE = 8
_MOST_JOINED = 12


class NumberedAnswer(msgspec.Struct):
    """`29: red`. `edited`: it replaces the form's line, in the quotation or above the tag."""

    row: ReplyLine
    q: int
    body: str
    edited: bool = False


class ReplySections(msgspec.Struct):
    """The contents of a reply. `lines` are bare answers; `other` is text that only its writer can have written.

    `cut` is the line where reading stopped because the reply is too long. `apart` are those of `other` that a program
    may have added: below the last answer, or above or below our copied email. `unfilled` is a number above our tag
    with nothing behind it, as the button for any other answer writes it.
    """

    numbered: list[NumberedAnswer] = []
    lines: list[ReplyLine] = []
    orders: list[Statement] = []
    other: list[ReplyLine] = []
    cut: ReplyLine | None = None
    apart: list[ReplyLine] = []
    unfilled: ReplyLine | None = None

    def __len__(self) -> int:
        return len(self.numbered) + len(self.lines) + len(self.orders) + len(self.other)


class ReplySorter:
    """The rows of a reply, to be sorted. `own` is this seat's current tag: game, seat and code."""

    def __init__(
        self,
        rows: Sequence[ReplyLine],
        ours: SentTexts,
        names: Collection[str],
        own: tuple[str, str, str],
        legal: Callable[[str], str],
        skipped: Collection[int] = (),
        copied: Callable[[str], str] = str,
    ) -> None:
        self.rows = rows
        self.ours = ours
        self.names = names
        self.own = own
        self.legal = legal
        self.skipped = skipped
        self.copied_answer = copied
        self.found = ReplySections()
        self.walk = ours.walk()
        self.idle: list[ReplyLine] = []
        self.copied: list[int] = []

    def parts(self) -> ReplySections:
        at = 0
        while at < len(self.rows) and self.found.cut is None:
            row = self.rows[at]
            at += 1
            if len(self.found) > LIMITS.said:
                self.found.cut = row
            if row.furniture or not row.text or row.no in self.skipped or row.depth > 1:
                continue
            if row.depth:
                self._copied(row, at - 1)
            elif row.raw.rstrip("\r") == _SIGNATURE:
                at = self._signature(at)
            else:
                at = self._written(at - 1)
        if not len(self.found):  # "that's all", where one can be done
            self.found.other = [
                row for row in self.idle if not row.depth and words_said(row.text) == words_said("done")
            ]
        self._together()
        self._leave_out_notices()
        return self.found

    # -- lines that belong together ------------------------------------------------------------------------------

    def _together(self) -> None:
        """Take consecutive lines for one answer if none is an answer, but all together are."""
        found = self.found
        rows = [row for row in found.other if not row.depth]
        if found.lines or not 0 < len(rows) <= _MOST_JOINED or len(found.numbered) > 1:
            return
        first = [found.numbered[0].body] if found.numbered else []
        if found.numbered and (self.legal(first[0]) or found.numbered[0].row.no > rows[0].no):
            return
        if len(rows) + len(first) < 2 or rows[-1].no - rows[0].no > 2 * len(rows):
            return
        pieces = [unbulleted(text).strip().rstrip(",;、") for text in (*first, *(row.text for row in rows))]
        pieces = [self.copied_answer(piece) or piece for piece in pieces]
        whole = next((text for text in (", ".join(pieces), " ".join(pieces)) if self.legal(text)), "")
        if not whole:
            return
        found.other = [row for row in found.other if row.depth]
        if found.numbered:
            found.numbered[0].body = whole
        else:
            found.lines.append(msgspec.structs.replace(rows[0], text=whole))

    def _leave_out_notices(self) -> None:
        """Leave out paragraphs that are, as a whole, a known notice; find the text that a program may have added."""
        found, gone = self.found, set[int]()
        near = {row.no: row for row in (*found.other, *self.idle)}
        for row in found.other:
            if row.no in gone:
                continue
            begin, end = row.no, row.no
            while begin - 1 in near and near[begin - 1].depth == row.depth:
                begin -= 1
            while end + 1 in near and near[end + 1].depth == row.depth:
                end += 1
            text = " ".join(near[no].raw for no in range(begin, end + 1))
            if has_known_shape(text) or (row.depth and is_banner(text)):
                gone |= set(range(begin, end + 1))
        found.other = [row for row in found.other if row.no not in gone]
        answers = [*(line.row.no for line in found.numbered), *(row.no for row in found.lines)]
        last = max([*answers, *(item.last for item in found.orders)], default=0)
        first_copied, last_copied = min(self.copied, default=0), max(self.copied, default=0)
        found.apart = [
            row
            for row in found.other
            if (not row.depth and row.no > last > 0) or (row.depth and not first_copied <= row.no <= last_copied)
        ]

    # -- the writer's own lines ----------------------------------------------------------------------------------

    def _signature(self, at: int) -> int:
        """Skip the text below `-- `, unless it is longer than a signature; keep answers in it."""
        end = at
        while end < len(self.rows) and not self.rows[end].depth and not self.rows[end].furniture:
            end += 1
        lines = [row for row in self.rows[at:end] if row.text]
        if len(lines) > _MOST_SIGNATURE:
            return at
        self.found.other += [row for row in lines if _NUMBERED.fullmatch(row.text) or self.legal(row.text)]
        return end

    def _written(self, at: int) -> int:
        """Sort a line at depth 0; return the next index."""
        row = self.rows[at]
        text = row.text
        if text.startswith(("1", "(1")) and (end := self._enumerated(at)):
            return end
        if tag_in(text) or comparison_key(row.raw) in self.ours.last:
            # A line that is only a tag, or only the last line of an email, says nothing.
            if not (text.startswith(("[", "==")) and text.endswith(("]", "=="))):
                self.found.other.append(row)
            return at + 1
        if (match := _NUMBERED.fullmatch(text)) is not None:
            self._numbered(row, at, int(match[1]), match[2])
            return at + 1
        if (match := _NEXT.fullmatch(text)) is not None:
            self._next(row, match[1])
            return at + 1
        if text.casefold().startswith(("begin press", "通信開始")):
            return self._press(at)
        item = statement(text, {"line": row.no, "last": row.no, "text": shortened(row.raw.strip())})
        bare = isinstance(item, InfoRequest) and item.what in BARE
        if isinstance(item, ORDERS) and not (bare and self.legal(text)):
            self.found.orders.append(item)
        elif self.legal(text):
            self.found.lines.append(row)
        else:
            idle = is_courtesy(text, self.names) and folded(text).strip(" .!") not in lexicon().words["yes"]
            (self.idle if idle else self.found.other).append(row)
        return at + 1

    def _enumerated(self, at: int) -> int:
        """Read "1. …" and the numbered lines below it as one answer, though each may be one; 0 if they are none."""
        rows = [row for row in self.rows[at : at + _MOST_JOINED] if row.text and not row.depth]
        for end in range(len(rows), 1, -1):
            if self.legal(text := enumerated("\n".join(row.text for row in rows[:end]))):
                self.found.lines.append(msgspec.structs.replace(rows[0], text=text))
                return self.rows.index(rows[end - 1], at) + 1
        return 0

    def _press(self, at: int) -> int:
        """Read press, which may quote; without its end it continues to the first line that isn't the writer's."""
        rows = self.rows[at + 1 :]
        end = next((no for no, row in enumerate(rows) if _END_PRESS.match(row.text)), None)
        if end is None:
            end = next((no for no, row in enumerate(rows) if row.depth or row.furniture), len(rows)) - 1
        lines = [EmailLine(row.no, row.whole.rstrip(), row.text) for row in self.rows[at : at + 2 + end]]
        used, item = press_at(lines, 1, LIMITS)
        self.found.orders.append(item)
        return at + used

    def _numbered(self, row: ReplyLine, at: int, q: int, body: str) -> None:
        edited = self._above_own_tag(at)
        if edited:
            body = _LEFT_OVER.sub("", body)
        if body.strip() not in ("", BLANK):
            self.found.numbered.append(NumberedAnswer(row, q, body, edited))
        elif edited and not row.depth and not body.strip():
            self.found.unfilled = row

    def _next(self, row: ReplyLine, body: str) -> None:
        """Read the first line of the next turn, or that it is taken back."""
        body = _LEFT_OVER.sub("", body).strip()
        if body in ("", BLANK):
            self.found.unfilled = row if not row.depth and not body else self.found.unfilled
            return
        where = {"line": row.no, "last": row.no, "text": shortened(row.raw.strip())}
        found = statement(body, where)
        if not (isinstance(found, KeywordCommand) and found.word == "clear"):
            found = statement(f"{NEXT[0]}: {body}", where)
        self.found.orders.append(found)

    # -- our email, and text inserted into it --------------------------------------------------------------------

    def _copied(self, row: ReplyLine, at: int) -> None:
        """Sort a line at depth 1: the edited form, our text, or text inserted by somebody."""
        match, known = _NUMBERED.fullmatch(row.text), self.walk.knows(row.raw)
        if match is not None and self._above_own_tag(at):  # where our emails have only the "?"
            self._numbered(row, at, int(match[1]), match[2])
        elif (ahead := _NEXT.fullmatch(row.text)) is not None and self._above_own_tag(at):
            self._next(row, ahead[1])
        elif known:
            self.copied.append(row.no)
        elif match is not None or not tag_in(row.text):
            idle = match is None and (is_courtesy(row.text) or is_banner(row.text))
            (self.idle if idle else self.found.other).append(row)

    def _above_own_tag(self, at: int) -> bool:
        """Return whether the next tag at the same depth is this seat's, less than three foreign lines below."""
        depth, near = self.rows[at].depth, _NEAR
        for row in after(self.rows, at, _NEAR if self.ours.prints(self.rows[at].text) else _FORM):
            words = tag_in(row.text)
            if words is not None and row.depth == depth:
                game, seat, code = words
                mine = (game.casefold(), seat.casefold(), normalized_code(code))
                return mine == self.own
            near -= not self.ours.prints(row.text)
            if not near:
                break
        return False


def answer_item(row: ReplyLine, q: int, body: str) -> Answer:
    """Return an answer in a reply as an order."""
    return Answer(line=row.no, last=row.no, text=shortened(row.raw.strip()), body=body, q=q)


def press_to_send(orders: Sequence[Statement]) -> list[Statement]:
    """Return the orders that count even next to other text: press and requests; rejections are kept too."""
    return [item for item in orders if isinstance(item, PressStatement | InfoRequest | RejectedStatement)]
