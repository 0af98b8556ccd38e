"""Execution of an order block on a referee, and its receipt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from pbem.kernel.referee import CHOSEN, QUEUED, Referee
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.standing_orders import AskMe, StandingRule, shown_kind
from pbem.orders.advance_queue import SeatQueue
from pbem.orders.apply_answers import BlockRun, answer_questions
from pbem.orders.classify import BEHIND, Classified, check_block, classify
from pbem.orders.context import Context, SeatQuestion, answer_line, context_of, drop, drop_expired, write_in_force
from pbem.orders.parser import form_comments
from pbem.orders.receipt import PARTLY, REFUSED, STALE, TAKEN, TRIED, WRONG, Receipt, Remark, digest, digest_of
from pbem.orders.syntax_tree import (
    AskOrder,
    CancelOrder,
    Comment,
    InfoRequest,
    KeywordCommand,
    OrderBlock,
    PressStatement,
    RejectedStatement,
    StandingOrder,
    Statement,
)

_MOST_STANDING = 60


def carry_out_settings(referee: Referee, seat: str, out: Classified, receipt: Receipt) -> None:
    """Execute `standing`, `ask` and `cancel`, in order."""
    begun: set[str] = set()
    for item, setting in out.settings:
        match setting:
            case CancelOrder():
                _cancel(referee, seat, out, item, setting)
            case StandingRule():
                _stand(referee, seat, out, item, setting, receipt, first=setting.kind not in begun)
                begun.add(setting.kind)
            case AskMe():
                same = [ask_me for ask_me in referee.settings if ask_me.seat == seat and ask_me.kind == setting.kind]
                receipt.replaced += [str(ask_me) for ask_me in same]
                drop(referee.settings, same)
                referee.settings.append(setting)
                out.take(item, "asking", str(setting))


def _cancel(referee: Referee, seat: str, out: Classified, item: Statement, order: CancelOrder) -> None:
    mine = [standing for standing in referee.standing if standing.seat == seat]
    ended = [standing for standing in mine if order.kind in ("", standing.kind)]
    if not ended:
        near = sorted({shown_kind(standing.kind) for standing in mine})
        out.turn_down(item, RejectionReason("orders.no_standing", {}, "", tuple(near)))
        return
    drop(referee.standing, ended)
    out.take(item, "cancelled", str(order), count=len(ended))


def _stand(
    referee: Referee,
    seat: str,
    out: Classified,
    item: Statement,
    standing: StandingRule,
    receipt: Receipt,
    *,
    first: bool,
) -> None:
    """Add a standing order; the `first` one of its kind in an email replaces the older ones of that kind."""
    mine = [order for order in referee.standing if order.seat == seat]
    if first:
        same = [order for order in mine if order.kind == standing.kind]
        receipt.replaced += [str(order) for order in same]
        drop(referee.standing, same)
    if len(mine) >= _MOST_STANDING:
        out.turn_down(item, RejectionReason("orders.too_many", {"most": _MOST_STANDING}))
        return
    referee.standing.append(standing)
    out.take(item, "standing", str(standing))


def carry_out_clear(referee: Referee, context: Context, out: Classified, queue: SeatQueue, receipt: Receipt) -> Context:
    """Take back the earlier lines and a sealed answer; return the context without that answer."""
    if out.clear is None:
        return context
    count = len(queue.waiting) + out.voided
    own, question = referee.sealed.get(context.seat), context.question
    if own is not None and own.how in (CHOSEN, QUEUED) and question is not None:
        receipt.replaced.append(answer_line(question.q, question.answer))
        del referee.sealed[context.seat]
        context = replace(context, question=replace(question, answer=""))
        count += 1
    receipt.replaced += queue.drop_earlier()
    queue.earlier = []
    out.take(out.clear, "cleared", count=count)
    return context


# Under the code of an older question, press, settings and requests count. What could answer one is rejected.

_FOR_NONE = (PressStatement, StandingOrder, AskOrder, CancelOrder, InfoRequest)


def _late(item: Statement) -> Statement:
    tries = isinstance(item, KeywordCommand) and item.word == "test"
    counts = tries or isinstance(item, (*_FOR_NONE, Comment, RejectedStatement))
    return item if counts else item.rejected(RejectionReason("orders.late"))


def _leave_open(out: Classified, question: SeatQuestion | None) -> None:
    """Reject the standing orders of such a block that fit the open question: they would answer it."""
    kinds = (question.kind, "*") if question is not None else ()
    for item, setting in tuple(out.settings):
        if isinstance(setting, StandingRule) and setting.kind in kinds:
            out.turn_down(item, RejectionReason("orders.late"))
            out.settings.remove((item, setting))


def execute_block(
    referee: Referee,
    block: OrderBlock,
    *,
    game: str,
    codes: Collection[str] | None = None,
    seat: str = "",
    at: str = "",
    via: str = "",
    late: bool = False,
    unread: Sequence[str] = (),
) -> Receipt:
    """Execute `block` on the referee and return the receipt. Never raises for what a player wrote.

    Changes only the referee: queue, standing orders, settings, sealed answers, journal and notes. `game` is the
    game's id in emails. `codes` are the seat's reply codes in force, None if the sender is proven in another way.
    `seat` is the seat that sent the email, "" if only the code can tell. `via` is the unique id of the email. `late`:
    its code is genuine, but of an older question. `unread` are proposals that the player hasn't read.
    """
    named, problem = check_block(
        block, game=game, seats=referee.setup.seats, names=referee.names, codes=codes, seat=seat
    )
    counts = any(isinstance(item, _FOR_NONE) for item in block.items)
    late = late and counts and problem is not None and problem.key == "order_block.stale"
    if late:
        block, problem = replace(block, items=[_late(item) for item in block.items]), None
    if problem is not None:
        receipt = _turned_away(block, problem, game, seat or named, at, via)
        if seat or codes is None:
            write_in_force(receipt, referee, seat or named)
        return receipt
    context = context_of(referee, named, game)
    out = classify(block, context)
    if late:
        _leave_open(out, context.question)
    receipt = Receipt(game, named, TAKEN, block.line, at, via, remarks=email_remarks(block))
    _carry_out(referee, context, out, receipt, unread)
    return complete_receipt(receipt, out, block)


def _turned_away(block: OrderBlock, problem: RejectionReason, game: str, seat: str, at: str, via: str) -> Receipt:
    receipt = Receipt(game, seat, WRONG, block.line, at, via, problem, digest=digest(block))
    receipt.verdict = STALE if receipt.needless or problem.key == "order_block.stale" else WRONG
    receipt.remarks = email_remarks(block)
    return receipt


def _carry_out(referee: Referee, context: Context, out: Classified, receipt: Receipt, unread: Sequence[str]) -> None:
    """Execute the lines of a block: commands, then answers to the open question, then advance orders."""
    if out.test:
        from pbem.orders.order_preview import preview

        preview(out, context)
        receipt.verdict = TRIED
        write_in_force(receipt, referee, context.seat)
        return
    receipt.press, receipt.wishes = out.press, out.wishes
    queue = SeatQueue(referee, context.seat, receipt.via)
    carry_out_settings(referee, context.seat, out, receipt)
    context = carry_out_clear(referee, context, out, queue, receipt)
    # Advance orders replace earlier ones; an answer to the open question leaves them in the queue.
    replaces = bool(out.waiting) and out.resume is None
    replaced = queue.drop_earlier() if replaces else []
    failed = answer_questions(BlockRun(referee, context, out, queue, receipt, unread), context.question)
    receipt.replaced += replaced
    if out.resume is not None:
        fate, count = (BEHIND, 0) if failed else ("resumed", len(queue.waiting))
        out.take(out.resume, fate, count=count)
    if context.question is not None and out.clear is None:
        _say_of_earlier_answer(context.question, out, receipt)
    drop_expired(referee)


def _say_of_earlier_answer(question: SeatQuestion, out: Classified, receipt: Receipt) -> None:
    """Report whether the seat's earlier answer to a sealed question was replaced or still counts."""
    if not question.answer or question.talk:
        return
    sealed = [accepted for accepted in out.accepted if accepted.fate == "sealed"]
    text = answer_line(question.q, question.answer)
    if sealed:
        receipt.replaced += [text] if sealed[0].text != text else []
    elif out.targets:
        receipt.remarks.append(Remark("note.stands", {"q": question.q, "text": question.answer}))


def email_remarks(block: OrderBlock) -> list[Remark]:
    """Return the remarks on the email around the block, such as quoted orders or a missing end."""
    return [Remark(finding.key, dict(finding.args), finding.line) for finding in block.findings]


def complete_receipt(receipt: Receipt, out: Classified, block: OrderBlock) -> Receipt:
    """Put the classified lines into the receipt, in order, and set the verdict."""
    receipt.accepted = sorted(out.accepted, key=lambda verdict: verdict.line)
    receipt.refused = sorted(out.refused, key=lambda verdict: verdict.line)
    receipt.comments, receipt.form = out.comments, form_comments(block)
    if receipt.verdict == TAKEN and receipt.refused:
        receipt.verdict = PARTLY if receipt.accepted else REFUSED
    receipt.digest = digest_of(receipt, block)
    return receipt
