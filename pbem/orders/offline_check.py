"""The offline check of a reply, email or move file against a player file, with the referee's verdicts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pbem.kernel.domains import Domain
from pbem.kernel.order_words import ExactNames
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.orders.apply import complete_receipt, email_remarks
from pbem.orders.classify import check_block, classify
from pbem.orders.context import ACTS, Context, context_from, with_next
from pbem.orders.order_preview import preview
from pbem.orders.parser import read, shortened
from pbem.orders.receipt import REFUSED, STALE, TRIED, WRONG, Receipt, Remark, digest
from pbem.orders.replies import ReplyContext, ReplySignals, SentTexts, UnknownOriginal, interpret_reply, tags_in
from pbem.orders.replies.courtesies import names_of
from pbem.orders.reply_codes import same_code
from pbem.orders.statements import answer_words
from pbem.orders.suggestions import near_miss
from pbem.orders.syntax_tree import OrderBlock, ReplyText


class ViewError(ValueError):
    """The player file is incomplete; the message names the key."""


def check(
    view: Mapping[str, Any],
    text: str,
    *,
    email: str = "",
    ours: Collection[str] = (),
    writer: str = "",
    domain: Domain | None = None,
) -> list[Receipt]:
    """Check every block of `text` as the referee would, as far as the player's knowledge goes. Changes nothing.

    A reply without a block follows the same rules as in an email. `email` is our email that it answers ("":
    the quoted text is used), `ours` our addresses, `writer` the writer's name. `view` is a player file as
    read from TOML (keys: orders.md). Lines come back as `checked` if they are legal as far as is known. They
    are `unsure` if only the referee can tell, which a referee's own `domain` of the question prevents, and
    `waiting` if they are for later questions. Raises `ViewError`.
    """
    try:
        context = context_from(view)
    except (KeyError, TypeError, AttributeError) as error:
        raise ViewError(f"this isn't a view file, or it is from another version: {error}") from error
    if domain is not None and context.question is not None:
        context = replace(context, question=replace(context.question, domain=domain))
    code = str(view.get("code", ""))
    blocks = read(text).blocks
    notes: list[Remark] = []
    if not blocks:
        marks = ReplySignals(ours, f"[{context.game}]", f"pbem {context.game}")
        block, problem = _Reply(context, text, email, marks, writer).block(code)
        if block is None:
            return []
        notes = [] if email else [Remark("note.copy")]
        if problem is not None:
            return [_nothing(context, block, problem, notes)]
        blocks = [block]
    return [_judged(context, block, [code] if code else None, notes) for block in blocks]


def _judged(context: Context, block: OrderBlock, codes: Sequence[str] | None, notes: Sequence[Remark]) -> Receipt:
    game, seat = context.game, context.seat
    _, problem = check_block(block, game=game, seats=context.seats, names=context.names, codes=codes, seat=seat)
    receipt = Receipt(game, seat, TRIED, block.line, problem=problem, remarks=[*email_remarks(block), *notes])
    receipt.open = [context.question.shown()] if context.question is not None else []
    if problem is not None:
        receipt.verdict = STALE if problem.key == "order_block.stale" else WRONG
        receipt.digest = digest(block)
        return receipt
    out = classify(block, context)
    preview(out, context)
    complete_receipt(receipt, out, block)
    return receipt


def _nothing(context: Context, block: OrderBlock, problem: RejectionReason, notes: list[Remark]) -> Receipt:
    receipt = Receipt(context.game, context.seat, REFUSED, block.line, problem=problem, remarks=notes)
    receipt.open = [context.question.shown()] if context.question is not None else []
    receipt.digest = digest(block)
    return receipt


class _Reply(msgspec.Struct):
    """A reply without a block, and what it is checked against."""

    context: Context
    text: str
    email: str
    marks: ReplySignals
    writer: str

    def block(self, code: str) -> tuple[OrderBlock | None, RejectionReason | None]:
        """Return the reply as a block, and why it says nothing; None if it doesn't answer an email of ours."""
        context, tags = self.context, tags_in(self.text)
        own = [seen for seen in tags if (seen.game, seen.seat) == (context.game, context.seat)]
        tag = next((candidate for candidate in own if same_code(candidate.code, [code])), own[0] if own else None)
        if tag is None and (tags or not self.text.strip()):
            return None, None
        block = OrderBlock(context.game, context.seat, tag.code if tag else code)
        question = context.question
        judge = ReplyContext(
            q=question.q if question is not None else 0,
            talk=question is not None and question.talk,
            current=same_code(block.code, [code]),
            legal=_legal(context),
            act=lambda text: context.names.exact(text.split(" ", 1)[0], ACTS) is not None,
            near=lambda text: near_miss(question, text, context.names) if tag or self.marks.ours else None,
            ours=SentTexts([self.email], plain=self.text.isascii()) if self.email else UnknownOriginal(),
            marks=self.marks,
            names=names_of(self.writer),
        )
        found = interpret_reply(ReplyText(self.text), block, judge)
        block.items = found.items
        if found.items:
            return block, None
        if tag is None and not self.marks.ours:
            return None, None  # no sign that the text is a reply
        key = "reply.none" if found.said else "reply.silent"
        return block, RejectionReason(key, {"text": shortened(found.said, 60)})


def _legal(context: Context) -> Callable[[str], str]:
    question, names = context.question, ExactNames(context.names.silent())

    def legal(text: str) -> str:
        if question is None or not text:
            return ""
        try:
            return question.domain.text(question.domain.parse(answer_words(text), names))
        except Rejection:
            return with_next(answer_words(text), legal, context.next_turn, names)

    return legal
