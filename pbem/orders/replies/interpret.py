"""The meaning of a reply: the answer that counts, or why none does. Doubtful text is never accepted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from pbem.kernel.rejections import RejectionReason
from pbem.lazy_regex import pattern
from pbem.orders.parser import shortened
from pbem.orders.replies.answer_forms import enumerated, meant_by, reading, unquoted
from pbem.orders.replies.courtesies import asks
from pbem.orders.replies.doubts import Doubt, PendingDoubt, block_text, is_learnable, says_yes
from pbem.orders.replies.quotation import (
    DASHED,
    NUMBERED,
    ReplyLine,
    ReplySignals,
    SentTexts,
    comparison_key,
    layout,
    unbulleted,
)
from pbem.orders.replies.sections import NumberedAnswer, ReplySections, ReplySorter, answer_item, press_to_send
from pbem.orders.reply_codes import normalized_code
from pbem.orders.statements import NEXT, statement
from pbem.orders.syntax_tree import Answer, OrderBlock, RejectedStatement, ReplyText, Statement

if TYPE_CHECKING:
    from pbem.orders.suggestions import NearMiss

_QUOTED = 60
_TO_PLAYERS = ("yes", "no")
_PREFIX = pattern(r"\A(?:\s*(?:re|aw|sv|vs|antw|odp|ynt|回复|答复|返信)\s*:)+\s*", re.IGNORECASE)
_PREFIX_WITHIN = pattern(r"\s+(?:re|aw|sv|vs|antw|odp)\s*:", re.IGNORECASE)
_MOST_NEAR = 6
_LONGEST = 300


class ReplyContext(msgspec.Struct, frozen=True):
    """What a reply is checked against.

    `q` is the question open to the seat (0: none), `talk` whether it is a negotiation. `legal` returns the
    canonical text of a legal answer, "" for anything else. `current`: the reply carries the code of that
    question. `others` are numbers of the other forms in the same email: their lines aren't this seat's. `act`
    recognises an act of a negotiation. `copied` returns the answer of a line that also tells what it means, `likely`
    the only answer that the words of a sentence point to.
    `near` explains a line that was probably meant as an answer but isn't legal. `owes`: the seat has something to
    answer; if not, `order` recognises a line of words of the game. `learned` recognises text that this address has
    confirmed to say nothing. `doubt` is what the seat was asked back. `to_player`: the email that it answers brings
    press. `also` is the reply's other form (its text, if this is its page): what stands there as well isn't new.
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
    owes: bool = True
    order: Callable[[str], bool] = bool
    learned: Callable[[str], bool] | None = None
    doubt: PendingDoubt | None = None
    to_player: bool = False
    also: str = ""
    copied: Callable[[str], str] = str
    likely: Callable[[str], str] = str


class ReplyMeaning(msgspec.Struct):
    """The meaning of a reply. `items` are orders and rejections. `said`: its first line with content.

    `needless`: it has no items, and is an answer of a seat that has nothing to answer.
    `doubt` is what to ask back, `affirms` whether it says yes to that, `strange` whether it quotes text that isn't
    in our emails, `own` the writer's text without blanks.
    """

    items: list[Statement]
    said: str
    needless: bool = False
    doubt: Doubt | None = None
    affirms: bool = False
    strange: bool = False
    own: str = ""

    @property
    def answers(self) -> list[str]:
        """The lines to execute, to compare two readings."""
        return sorted(str(item) for item in self.items if not isinstance(item, RejectedStatement))


def interpret_reply(reply: ReplyText, block: OrderBlock, judge: ReplyContext) -> ReplyMeaning:
    """Return the meaning of a reply for the seat of `block`."""
    legal = reading(judge.legal, judge.ours, judge.q, judge.copied, names=None if judge.to_player else judge.names)
    judge = msgspec.structs.replace(judge, legal=legal)
    legal = judge.legal if judge.current and not judge.others else _nothing
    copied = judge.copied if legal is judge.legal else _nothing
    rows = layout(reply.text, judge.marks, judge.ours, lambda text: legal(text) or copied(text))
    own = (block.game.casefold(), block.seat.casefold(), normalized_code(block.code))
    skipped = {no for first, last in reply.spans for no in range(first, last + 1)}
    asked = judge.doubt is not None and judge.doubt.q == judge.q
    yes = says_yes(rows, judge.doubt, judge.legal) if asked and judge.doubt is not None else 0
    if yes:
        skipped.add(yes)
    parts = ReplySorter(rows, judge.ours, judge.names, own, legal, skipped, copied).parts()
    _leave_out_dismissed(parts, judge)
    decision = _Decision(parts, judge)
    if yes and not len(parts) - len(parts.other):
        found = decision.affirmed(next(row for row in rows if row.no == yes))
    else:
        found = decision.done()
    found.own = comparison_key(" ".join(row.raw for row in rows if not row.depth and not row.furniture))
    return found


def _leave_out_dismissed(parts: ReplySections, judge: ReplyContext) -> None:
    """Leave out text that this address has said to mean nothing, also in the doubt that it answers."""
    beside = judge.doubt.beside if judge.doubt is not None and judge.doubt.answered else ()
    known = {comparison_key(text) for text in beside}
    for depth in (False, True):
        rows = [row for row in parts.apart if bool(row.depth) == depth]
        if rows and judge.learned is not None and judge.learned(block_text([row.raw for row in rows])):
            parts.other = [row for row in parts.other if row not in rows]
    parts.other = [
        row
        for row in parts.other
        if not ((key := comparison_key(row.raw)) in known or (judge.also and key and key in judge.also))
    ]


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
        strange = any(row.depth for row in other)
        if not (numbered or parts.lines or acts or parts.orders):
            if (row := parts.unfilled) is not None and not other:
                problem = RejectionReason("reply.unfilled", {"q": judge.q or NEXT[0]})
                return ReplyMeaning([_refused(answer_item(row, judge.q, ""), problem)], row.raw.strip())
            needless = self._is_needless(other)
            items = [] if needless else self._near_miss(other)
            said = other[0].raw.strip() if other else ""
            return ReplyMeaning(items, said, needless, self._doubt(items, other), strange=strange)
        if other or (not numbered and self._may_be_to_a_player()):
            items = self._asks_back(numbered, acts, other)
            said = (other or parts.lines)[0].raw.strip()
            return ReplyMeaning(items, said, doubt=self._doubt(items, other), strange=strange)
        if judge.q in judge.others:
            problem = RejectionReason("reply.same_number", {"q": judge.q})
            return ReplyMeaning(
                [_refused(self._order(line), problem) for line in numbered], numbered[0].row.raw.strip()
            )
        tried = [*((line.row, line.body) for line in numbered if line.q == judge.q), *((row, row.text) for row in acts)]
        if len(tried) == 1 and len(parts) == 1 + len(parts.other) - len(acts) and not judge.legal(tried[0][1]):
            ((row, text),) = tried  # "accept" alone, of one proposal
            found = self._attempt(text)
            if found is not None and found.offer:
                item = _refused(answer_item(row, judge.q, text), found.problem, found.offer)
                return ReplyMeaning([item], item.text, doubt=self._doubt([item], ()))
        items = [self._order(line) for line in numbered]
        items += [
            answer_item(row, judge.q, judge.legal(row.text) or unquoted(row.text)) for row in [*parts.lines, *acts]
        ]
        items += parts.orders
        items.sort(key=lambda item: item.line)
        return ReplyMeaning(self._agreeing(items, numbered), items[0].text)

    def affirmed(self, row: ReplyLine) -> ReplyMeaning:
        """Return the lines that we asked back, if the reply adds nothing to its yes; else ask again."""
        judge, other = self.judge, self.parts.other
        assert judge.doubt is not None
        where = {"line": row.no, "last": row.no, "text": shortened(row.raw.strip())}
        items = [statement(line, dict(where)) for line in judge.doubt.lines]
        said = {judge.legal(item.body) for item in items if isinstance(item, Answer)}
        other_yes = not judge.doubt.answered or judge.legal("yes") not in ("", *said)
        vague = other_yes and not judge.doubt.word_in(row.text)
        if not (other or vague):
            return ReplyMeaning(items, row.raw.strip(), affirms=True)
        text = other[0].raw if other else row.raw
        unclear = RejectionReason("reply.yes")
        items = [_refused(item, _prose(str(item), text) if other else unclear, str(item)) for item in items]
        beside = [*judge.doubt.beside, *(row.raw.strip() for row in other)]
        return ReplyMeaning(items, text, doubt=Doubt(list(judge.doubt.lines), beside))

    def _may_be_to_a_player(self) -> bool:
        """Return whether a bare yes or no may answer the press in the email rather than its question."""
        judge = self.judge
        said = {judge.legal(row.text) for row in self.parts.lines}
        return judge.to_player and bool(said & set(_TO_PLAYERS))

    def _doubt(self, items: Sequence[Statement], other: Sequence[ReplyLine]) -> Doubt | None:
        """Return what to ask back, if all that was written can be executed after a yes."""
        refused = [item for item in items if isinstance(item, RejectedStatement)]
        if not refused or len(refused) < len(items) or not all(item.offer for item in refused):
            return None
        lines = list(dict.fromkeys(item.offer for item in refused))
        answers = [line for line in lines if line.partition(":")[0].isdigit()]
        if len(answers) > 1 and not self.judge.talk:
            return None
        apart = [row for row in other if row in self.parts.apart]
        learn: list[str] = []
        if len(apart) == len(other):
            for deep in (False, True):
                rows = [row.raw for row in apart if bool(row.depth) == deep]
                learn += [block_text(rows)] if is_learnable(rows, self.judge.legal) else []
        return Doubt(lines, [shortened(row.raw.strip()) for row in other], learn)

    def _near_miss(self, other: Sequence[ReplyLine]) -> list[Statement]:
        """Reject what was probably meant as an answer, with what can be written: a line, or one among others."""
        judge = self.judge
        if not judge.q or not judge.current or judge.others or judge.near is _no_near:
            return []
        own = [row for row in other if not row.depth]
        whole = self._attempt(listed) if (listed := enumerated("\n".join(row.text for row in own))) else None
        if whole is not None and whole.offer:
            return [_refused(answer_item(own[0], judge.q, listed), whole.problem, whole.offer)]
        near = [(row, found) for row in own[:_MOST_NEAR] if (found := self._near(row.text)) is not None]
        if not any(found.offer for _, found in near) and judge.owes:
            tried = [(row, self._attempt(row.text)) for row in own[:_MOST_NEAR] if _is_attempt(row.text)]
            near = [(row, found) for row, found in tried if found is not None]
            if 1 < len(own) <= _MOST_NEAR and not any(found.offer for _, found in near):  # an item a line
                whole = self._attempt(", ".join(unbulleted(row.text) for row in own))
                near = [(row, whole) for row in own[:1] if whole is not None and whole.offer]
        if len(other) > 1:
            near = [(row, found) for row, found in near if found.offer]
        return [
            _refused(answer_item(row, judge.q, row.text), found.problem, found.offer, found.ways) for row, found in near
        ]

    def _near(self, text: str) -> NearMiss | None:
        """Return the near miss that a line is; what its words mean goes before what they are spelt like."""
        found = self.judge.near(text)
        meant = self._likely(text) if found is not None and found.offer else ""
        return msgspec.structs.replace(found, offer=f"{self.judge.q}: {meant}") if found and meant else found

    def _likely(self, text: str) -> str:
        judge = self.judge
        return meant_by(text, judge.legal, judge.ours, judge.likely, judge.q)

    def _attempt(self, text: str) -> NearMiss | None:
        """Return why a text that may be an attempt at an answer isn't legal, with the answer that it likely means."""
        judge = self.judge
        found = judge.near(f"{judge.q}: {text}")
        if found is None or found.offer:
            return found
        offer = self._likely(text)
        return msgspec.structs.replace(found, offer=f"{judge.q}: {offer}", ways=()) if offer else found

    def _is_needless(self, other: Sequence[ReplyLine]) -> bool:
        judge = self.judge
        open_to_it = judge.owes or not judge.current or judge.others
        return len(other) == 1 and not other[0].depth and not open_to_it and judge.order(unquoted(other[0].text))

    def _order(self, one: NumberedAnswer) -> Statement:
        """Return a numbered line as an order; an answer to the open question loses signs around it."""
        body = one.body
        if one.q == self.judge.q:
            body = self.judge.legal(body) or body
        return answer_item(one.row, one.q, body)

    def _agreeing(self, items: list[Statement], numbered: Sequence[NumberedAnswer]) -> list[Statement]:
        """Return the items; if two answers to the open question differ, both are rejected and named."""
        edited = {line.row.no for line in numbered if line.edited and line.row.depth}
        answers = [answer for answer in items if isinstance(answer, Answer) and answer.q == self.judge.q and answer.q]
        if self.judge.talk and not any(answer.line in edited for answer in answers):
            return items  # acts are a list
        said = list(dict.fromkeys(self.judge.legal(answer.body) or answer.body for answer in answers))
        if len(said) < 2:
            return [item for item in items if item not in answers[1:]]
        # Several lines of a list in our email, of which several can be picked, are one answer.
        picked = self.judge.legal(" ".join(said)) if all(map(self._is_entry, answers)) else ""
        if picked:
            whole = msgspec.structs.replace(answers[0], last=answers[-1].last, body=picked)
            return [whole if item is answers[0] else item for item in items if item not in answers[1:]]
        problem = RejectionReason("reply.differ", {"first": said[0], "second": said[1]})
        listed = self.judge.legal(" ".join(said))
        offer = f"{self.judge.q}: {listed}" if listed else ""
        return [_refused(item, problem, offer) if item in answers else item for item in items]

    def _is_entry(self, answer: Answer) -> bool:
        """Return whether a line is an answer with its meaning, as our email prints it."""
        text = NUMBERED.sub("", answer.text, count=1).strip()
        return bool(DASHED.search(text)) and (self.judge.ours.prints(text) or bool(self.judge.copied(text)))

    def _asks_back(
        self, numbered: Sequence[NumberedAnswer], acts: Sequence[ReplyLine], other: Sequence[ReplyLine]
    ) -> list[Statement]:
        """Reject an answer with other text next to it, and quote both."""
        text = other[0].raw if other else ""
        items: list[Statement] = []
        for row, q, body in [
            *((line.row, line.q, line.body) for line in numbered),
            *((row, self.judge.q, row.text) for row in [*self.parts.lines, *acts]),
        ]:
            found = self.judge.legal(body) if q == self.judge.q else ""
            answer, found = (
                (unquoted(body), found) if found else (body, self._likely(body) if q == self.judge.q else "")
            )
            items.append(_refused(answer_item(row, q, body), _prose(answer, text), f"{q}: {found}" if found else ""))
        kept = press_to_send(self.parts.orders)
        items += [
            item if item in kept else _refused(item, _prose(item.text, text), str(item)) for item in self.parts.orders
        ]
        return sorted(items, key=lambda item: item.line)


def answer_in_subject(subject: str, judge: ReplyContext) -> ReplyMeaning | None:
    """Return what to ask back if a reply without text has an answer in its subject, which is never taken."""
    read = reading(judge.legal, judge.ours, judge.q, names=judge.names)
    bare = _PREFIX.sub("", subject)
    parts = (bare, _PREFIX_WITHIN.split(bare)[0], bare.rpartition("]")[2])
    found = next((answer for part in parts if (answer := read(part.strip()))), "")
    if not found and "[" not in parts[1]:  # our own subjects have the game in brackets
        found = meant_by(parts[1], judge.legal, judge.ours, judge.likely, judge.q)
    if not found or not judge.current or not judge.q:
        return None
    line, problem = f"{judge.q}: {found}", RejectionReason("reply.subject", {"answer": found})
    item = RejectedStatement(line=1, last=1, text=shortened(subject), problem=problem, offer=line)
    return ReplyMeaning([item], subject, doubt=Doubt([line]))


def asked_back(found: ReplyMeaning, judge: ReplyContext, said: str) -> ReplyMeaning:
    """Return a meaning with its orders asked back, because a browser shows other text (`said`)."""
    kept = press_to_send(found.items)
    lines = [
        item if item in kept else _refused(item, _prose(str(item), said), _line(item, judge)) for item in found.items
    ]
    asked = [item.offer for item in lines if isinstance(item, RejectedStatement) and item.offer]
    return ReplyMeaning(lines, said, doubt=Doubt(asked, [shortened(said.strip())]) if asked and not kept else None)


def _line(item: Statement, judge: ReplyContext) -> str:
    """Return a statement as a line that executes it."""
    return f"{judge.q}: {item.body}" if isinstance(item, Answer) and item.q == judge.q else str(item)


def _prose(answer: str, text: str) -> RejectionReason:
    """Return why an answer isn't executed: other text is next to it, or it may answer a player."""
    if not text:
        return RejectionReason("reply.to_player", {"answer": answer})
    return RejectionReason("reply.prose", {"answer": answer, "text": shortened(" ".join(text.split()), _QUOTED)})


def _is_attempt(text: str) -> bool:
    """Return whether a line may be an attempt at an answer rather than a question to the moderator."""
    return not asks(text) and len(text) <= _LONGEST


def _refused(item: Statement, problem: RejectionReason, offer: str = "", ways: Sequence[str] = ()) -> RejectedStatement:
    return RejectedStatement(line=item.line, last=item.last, text=item.text, problem=problem, offer=offer, ways=ways)
