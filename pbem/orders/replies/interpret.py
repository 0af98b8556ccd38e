"""The meaning of a reply: the answer that counts, or why none does. Doubtful text is never accepted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import msgspec

from pbem.kernel.rejections import RejectionReason
from pbem.orders.parser import shortened
from pbem.orders.replies.quotation import ReplyLine, ReplySignals, SentTexts, layout
from pbem.orders.replies.sections import (
    NumberedAnswer,
    ReplySections,
    ReplySorter,
    answer_item,
    press_to_send,
    reading,
    unquoted,
)
from pbem.orders.reply_codes import bare_code
from pbem.orders.suggestions import NearMiss
from pbem.orders.syntax_tree import Answer, OrderBlock, RejectedStatement, ReplyText, Statement

_QUOTED = 60


class ReplyContext(msgspec.Struct, frozen=True):
    """What a reply is checked against.

    `q` is the question open to the seat (0: none), `talk` whether it is a negotiation. `legal` returns the
    canonical text of a legal answer, "" for anything else. `current`: the reply carries the code of that
    question. `others` are numbers of the other forms in the same email: their lines aren't this seat's. `act`
    recognises an act of a negotiation. `copied` returns the answer of a line that also tells what it means.
    `near` explains a line that was probably meant as an answer but isn't legal.
    """

    q: int
    talk: bool
    current: bool
    legal: Callable[[str], str]
    act: Callable[[str], bool]
    near: Callable[[str], NearMiss | None]
    ours: SentTexts
    marks: ReplySignals
    names: Collection[str] = ()
    others: Collection[int] = ()
    copied: Callable[[str], str] = str


class ReplyMeaning(msgspec.Struct):
    """The meaning of a reply. `items` are orders and rejections. `said`: its first line with content."""

    items: list[Statement]
    said: str


def interpret_reply(reply: ReplyText, block: OrderBlock, judge: ReplyContext) -> ReplyMeaning:
    """Return the meaning of a reply for the seat of `block`."""
    judge = msgspec.structs.replace(judge, legal=reading(judge.legal, judge.ours))
    legal = judge.legal if judge.current and not judge.others else _nothing
    rows = layout(reply.text, judge.marks, judge.ours, legal)
    own = (block.game.casefold(), block.seat.casefold(), bare_code(block.code))
    skipped = {no for first, last in reply.spans for no in range(first, last + 1)}
    parts = ReplySorter(rows, judge.ours, judge.names, own, legal, skipped).parts()
    return _Decision(parts, judge).done()


def with_surrounding_text(reply: ReplyText, block: OrderBlock, judge: ReplyContext) -> list[Statement]:
    """Return the items of a block, checked against the text around it in its email.

    Prose outside a block doesn't matter. An answer outside that differs from the one inside does: both are
    rejected.
    """
    inside = [answer for answer in block.items if isinstance(answer, Answer)]
    found = interpret_reply(reply, block, msgspec.structs.replace(judge, near=_no_near)).items
    if not inside:
        return [*block.items, *found]
    mine = [answer for answer in inside if answer.q in (0, judge.q)]
    said = [judge.legal(answer.body) or answer.body for answer in mine]
    outside = [_answer_of(item, judge) for item in found]
    differs = next((text for text in outside if text and text not in said), "")
    if not differs or not mine or not judge.q:
        return block.items
    problem = RejectionReason("reply.differ", {"first": said[0], "second": differs})
    return [_refused(item, problem) if item in mine else item for item in block.items]


def _answer_of(item: Statement, judge: ReplyContext) -> str:
    """Return the legal answer to the open question in a line outside of a block, also if it was rejected."""
    if isinstance(item, Answer) and item.q == judge.q:
        return judge.legal(item.body)
    if isinstance(item, RejectedStatement) and item.offer:
        return item.offer.partition(": ")[2]
    return ""


def _nothing(_: str) -> str:
    return ""


def _no_near(_: str) -> None:
    """Treat text next to a block as prose, even if it looks like an answer."""


class _Decision:
    """The decision, in the order of the rule."""

    def __init__(self, parts: ReplySections, judge: ReplyContext) -> None:
        self.parts = parts
        self.judge = judge

    def done(self) -> ReplyMeaning:
        parts, judge = self.parts, self.judge
        numbered = [line for line in parts.numbered if line.q == judge.q or line.q not in judge.others]
        acts = [row for row in parts.other if judge.talk and not row.depth and judge.act(unquoted(row.text))]
        other = [row for row in parts.other if row not in acts]
        other += [parts.cut] if parts.cut is not None else []
        if not (numbered or parts.lines or acts or parts.orders):
            return ReplyMeaning(self._near_miss(other), other[0].raw.strip() if other else "")
        if other:
            return ReplyMeaning(self._asks_back(numbered, acts, other), other[0].raw.strip())
        if judge.q in judge.others:
            problem = RejectionReason("reply.same_number", {"q": judge.q})
            return ReplyMeaning(
                [_refused(self._order(line), problem) for line in numbered], numbered[0].row.raw.strip()
            )
        items: list[Statement] = [self._order(line) for line in numbered]
        items += [
            answer_item(row, judge.q, judge.legal(row.text) or unquoted(row.text))
            for row in [*parts.lines, *acts]
        ]
        items += parts.orders
        items.sort(key=lambda item: item.line)
        return ReplyMeaning(self._agreeing(items, numbered), items[0].text)

    def _near_miss(self, other: Sequence[ReplyLine]) -> list[Statement]:
        """Reject an email of one line that was probably meant as an answer, with what can be written."""
        judge = self.judge
        if len(other) != 1 or other[0].depth or not judge.q or not judge.current or judge.others:
            return []
        (row,) = other
        near = judge.near(row.text)
        if near is None:
            return []
        return [_refused(answer_item(row, judge.q, row.text), near.problem, near.offer, near.ways)]

    def _order(self, one: NumberedAnswer) -> Statement:
        """Return a numbered line as an order; an answer to the open question loses signs around it."""
        body = one.body
        if one.q == self.judge.q:
            body = self.judge.legal(body) or self.judge.legal(self.judge.copied(body)) or body
        return answer_item(one.row, one.q, body)

    def _canonical(self, item: Answer) -> str:
        return self.judge.legal(item.body) or item.body

    def _agreeing(self, items: list[Statement], numbered: Sequence[NumberedAnswer]) -> list[Statement]:
        """Return the items; if two answers to the open question differ, both are rejected and named."""
        edited = {line.row.no for line in numbered if line.edited and line.row.depth}
        answers = [
            answer for answer in items if isinstance(answer, Answer) and answer.q == self.judge.q and answer.q
        ]
        if self.judge.talk and not any(answer.line in edited for answer in answers):
            return items  # acts are a list
        said = list(dict.fromkeys(map(self._canonical, answers)))
        if len(said) < 2:
            return items
        problem = RejectionReason("reply.differ", {"first": said[0], "second": said[1]})
        return [_refused(item, problem) if item in answers else item for item in items]

    def _asks_back(
        self, numbered: Sequence[NumberedAnswer], acts: Sequence[ReplyLine], other: Sequence[ReplyLine]
    ) -> list[Statement]:
        """Reject an answer with other text next to it, and quote both."""
        text = shortened(" ".join(other[0].raw.split()), _QUOTED)
        items: list[Statement] = []
        for row, q, body in [
            *((line.row, line.q, line.body) for line in numbered),
            *((row, self.judge.q, row.text) for row in [*self.parts.lines, *acts]),
        ]:
            found = self.judge.legal(body) if q == self.judge.q else ""
            answer = unquoted(body) if found else body
            problem = RejectionReason("reply.prose", {"answer": answer, "text": text})
            items.append(_refused(answer_item(row, q, body), problem, f"{q}: {found}" if found else ""))
        kept = press_to_send(self.parts.orders)
        items += [
            item
            if item in kept
            else _refused(item, RejectionReason("reply.prose", {"answer": item.text, "text": text}))
            for item in self.parts.orders
        ]
        return sorted(items, key=lambda item: item.line)


def _refused(
    item: Statement, problem: RejectionReason, offer: str = "", ways: Sequence[str] = ()
) -> RejectedStatement:
    return RejectedStatement(
        line=item.line, last=item.last, text=item.text, problem=problem, offer=offer, ways=ways
    )
