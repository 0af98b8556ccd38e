"""Carries a block of orders out on a referee and writes the receipt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pbem.kernel.problems import Problem
from pbem.kernel.referee import Referee
from pbem.orders.answering import Turn, play
from pbem.orders.canonical import digest, digest_of
from pbem.orders.classify import BEHIND, Classified, classify, gate
from pbem.orders.commands import carry_out_clear, carry_out_settings
from pbem.orders.context import Context, Question, answer_line, context_of
from pbem.orders.grammar import form_comments
from pbem.orders.in_force import sweep, write_in_force
from pbem.orders.items import Block
from pbem.orders.late import addressed, counts_late
from pbem.orders.receipt import PARTLY, REFUSED, STALE, TAKEN, TRIED, WRONG, Receipt, Remark
from pbem.orders.seat_queue import SeatQueue
from pbem.orders.trying import predict


def apply(
    referee: Referee,
    block: Block,
    *,
    game: str,
    codes: Collection[str] | None = None,
    seat: str = "",
    at: str = "",
    via: str = "",
    late: bool = False,
    unread: Sequence[str] = (),
) -> Receipt:
    """Carry out `block`; changes the referee (queue, standing, settings, sealed, journal, notes) and nothing else.

    `game` is the game's id in letters. `codes` are the prompt codes in force for the seat, None if the sender is proven
    otherwise. `seat` is the seat the letter is known to come from, "" if only the code can tell. `via` names the letter
    and must differ from letter to letter. `late`: its code is genuine, but of an older question; what says for itself
    what it is for counts all the same. `unread` are proposals that its writer has not read: it does not end his talks.
    Never raises for what a player wrote: all of it ends in the receipt.
    """
    named, problem = gate(
        block, game=game, seats=referee.setup.seats, names=referee.names, codes=codes, seat=seat
    )
    if problem is not None and late and problem.key == "block.stale":
        block, problem = addressed(block, referee.q), None if counts_late(block, referee.q) else problem
    if problem is not None:
        receipt = _turned_away(block, problem, game, seat or named, at, via)
        if seat or codes is None:
            write_in_force(receipt, referee, seat or named)
        return receipt
    context = context_of(referee, named, game)
    out = classify(block, context)
    receipt = Receipt(game, named, TAKEN, block.line, at, via, remarks=remarks(block))
    if out.test:
        _try_out(referee, context, out, receipt)
    else:
        receipt.press, receipt.wishes = out.press, out.wishes
        _carry_out(referee, context, out, receipt, unread)
        sweep(referee)
    return finished(receipt, out, block)


def _turned_away(block: Block, problem: Problem, game: str, seat: str, at: str, via: str) -> Receipt:
    """The receipt of a block of which nothing is carried out."""
    verdict = STALE if problem.key == "block.stale" else WRONG
    receipt = Receipt(game, seat, verdict, block.line, at, via, problem, digest=digest(block))
    receipt.remarks = remarks(block)
    return receipt


def _try_out(referee: Referee, context: Context, out: Classified, receipt: Receipt) -> None:
    """Say what the lines of a block would do; nothing of them is done."""
    predict(out, context)
    receipt.verdict = TRIED
    write_in_force(receipt, referee, context.seat)


def _carry_out(
    referee: Referee, context: Context, out: Classified, receipt: Receipt, unread: Sequence[str]
) -> None:
    """Carry out the lines of a block: commands, then what is for the open question, then what waits."""
    queue = SeatQueue(referee, context.seat, receipt.via)
    carry_out_settings(referee, context.seat, out, receipt)
    context = carry_out_clear(referee, context, out, queue, receipt)
    # Lines for later replace lines for later; an answer to the open question leaves them in the queue.
    replaces = bool(out.waiting) and out.resume is None
    replaced = queue.drop_earlier() if replaces else []
    failed = play(Turn(referee, context, out, queue, receipt, unread), context.question)
    receipt.replaced += replaced
    if out.resume is not None:
        fate, count = (BEHIND, 0) if failed else ("resumed", len(queue.waiting))
        out.take(out.resume, fate, count=count)
    if context.question is not None and out.clear is None:
        _say_of_earlier_answer(context.question, out, receipt)


def _say_of_earlier_answer(question: Question, out: Classified, receipt: Receipt) -> None:
    """Say of the seat's earlier answer to a sealed question that it was replaced, or that it stands."""
    if not question.answer or question.talk:
        return
    sealed = [accepted for accepted in out.accepted if accepted.fate == "sealed"]
    text = answer_line(question.q, question.answer)
    if sealed:
        receipt.replaced += [text] if sealed[0].text != text else []
    elif out.targets:
        receipt.remarks.append(Remark("note.stands", {"q": question.q, "text": question.answer}))


def remarks(block: Block) -> list[Remark]:
    """What is to be said of the letter around the block: quoted orders, a missing end, what was too much."""
    return [Remark(finding.key, dict(finding.args), finding.line) for finding in block.findings]


def finished(receipt: Receipt, out: Classified, block: Block) -> Receipt:
    """Put the classified lines into the receipt, in order, and give the verdict."""
    receipt.accepted = sorted(out.accepted, key=lambda verdict: verdict.line)
    receipt.refused = sorted(out.refused, key=lambda verdict: verdict.line)
    receipt.comments = out.comments
    receipt.form = form_comments(block)
    if receipt.verdict == TAKEN and receipt.refused:
        receipt.verdict = PARTLY if receipt.accepted else REFUSED
    receipt.digest = digest_of(receipt, block)
    return receipt
