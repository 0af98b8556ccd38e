"""Answers of a block to the open question, after which the game continues.

For a sealed question, or a negotiation that the seat has finished, the receipt is written *before* the answer
is submitted. Otherwise it would show whether the answer was the last one, and so what others have sealed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.kernel.domains import Value
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import CHOSEN, Referee
from pbem.kernel.rejections import Rejection, RejectionReason, rejection
from pbem.orders.advance_queue import SeatQueue
from pbem.orders.classify import BEHIND, AnswerLine, Classified
from pbem.orders.context import Context, SeatQuestion, answer_line, write_in_force
from pbem.orders.receipt import Receipt


class BlockRun(msgspec.Struct, frozen=True):
    """An order block while it is executed: the game, its context, and where results are collected.

    `unread` are proposals that the email it answers didn't show.
    """

    referee: Referee
    context: Context
    out: Classified
    queue: SeatQueue
    receipt: Receipt
    unread: Sequence[str] = ()

    @property
    def seat(self) -> str:
        return self.context.seat

    def submit(self, value: Value) -> None:
        """Answer the open question. Raises `Rejection`."""
        self.referee.submit(self.seat, value, how=CHOSEN, at=self.receipt.at, via=self.receipt.via)

    def refuse(self, line: AnswerLine, question: SeatQuestion, problem: RejectionReason) -> None:
        """Reject a line for the open question, with a suggestion for a near miss, else with legal lines."""
        from pbem.orders.suggestions import help_with

        before = len(self.out.refused)
        self.out.turn_down(line.item, *help_with(question, line.item.body, problem, self.context.names, before))

    def freeze(self, question: SeatQuestion, answer: str | None) -> None:
        """Record what is open and in force, with `answer` as the seat's own, before the game continues."""
        write_in_force(self.receipt, self.referee, self.seat, question.shown(answer))

    def tell_waiting(self) -> None:
        """Report only what `freeze` recorded: the lines wait."""
        for _, line in self.queue.new:
            self.out.take(line.item, line.held or "waiting", line.canonical())

    def tell_all(self) -> None:
        """Report what became of the lines, and what is open now."""
        self.queue.report_results(self.out, self.context.names)
        write_in_force(self.receipt, self.referee, self.seat)


def answer_questions(turn: BlockRun, question: SeatQuestion | None) -> bool:
    """Answer the open question and queue the other lines; return whether an answer was rejected."""
    if question is None or not turn.out.targets:
        _wait(turn, question)
        return False
    return _negotiate(turn, question) if question.talk else _answer(turn, question)


def _wait(turn: BlockRun, question: SeatQuestion | None, *, behind: bool = False) -> None:
    turn.queue.enqueue(turn.out, behind=behind)
    _settle(turn, question)


def _settle(turn: BlockRun, question: SeatQuestion | None) -> None:
    if question is not None and (question.sealed or question.talk):
        turn.freeze(question, _by_standing(turn, question))
        turn.referee.settle()
        turn.tell_waiting()
    else:
        turn.referee.settle()
        turn.tell_all()


def _by_standing(turn: BlockRun, question: SeatQuestion) -> str | None:
    """Return what the seat's standing orders will answer to a sealed question, None if nothing."""
    if not question.sealed or question.answer:
        return None
    clock, names = turn.context.clock, turn.context.names
    for standing in turn.referee.standing:
        if standing.seat == turn.seat and standing.matches(question.kind, question.about, clock):
            try:
                return question.domain.text(question.domain.parse(standing.text, names))
            except Rejection:
                return None
    return None


def _answer(turn: BlockRun, question: SeatQuestion) -> bool:
    found = _agreed(turn, question)
    if found is None:
        _wait(turn, question, behind=True)
        return True
    line, value = found
    text = question.domain.text(value)
    _drop_what_followed(turn, question, text)
    turn.queue.enqueue(turn.out)
    if question.sealed:
        turn.freeze(question, text)
    try:
        turn.submit(value)
    except Rejection as refused:
        turn.refuse(line, question, refused.problem)
        turn.queue.remove(turn.out)
        _settle(turn, question)
        return True
    turn.out.take(line.item, _fate(question), answer_line(question.q, text), q=question.q)
    if question.sealed:
        turn.tell_waiting()
    else:
        turn.tell_all()
    return False


def _drop_what_followed(turn: BlockRun, question: SeatQuestion, text: str) -> None:
    """Drop the beginning of the next turn that was written for another answer to a sealed question."""
    own, later = turn.referee.sealed.get(turn.seat), turn.context.next_turn()
    if own is not None and later is not None and question.answer not in ("", text):
        turn.receipt.replaced += turn.queue.drop_with(own.via, later.kind)


def _agreed(turn: BlockRun, question: SeatQuestion) -> tuple[AnswerLine, Value] | None:
    """Return the answering line and its value; None if a line is rejected or two contradict each other.

    Next to a rejected line a legal one for the same question is rejected too: pbem doesn't guess which one
    was meant.
    """
    good: list[tuple[AnswerLine, Value]] = []
    for line in turn.out.targets:
        try:
            value = question.domain.parse(line.item.body, turn.context.names)
            turn.referee.check(turn.seat, value)
        except Rejection as refused:
            turn.refuse(line, question, refused.problem)
        else:
            good.append((line, value))
    if len(good) < len(turn.out.targets) or any(value != good[0][1] for _, value in good):
        from pbem.orders.order_preview import contradiction

        for line, _ in good:
            turn.refuse(line, question, contradiction(question, turn.out.targets))
        return None
    for same, value in good[1:]:
        text = answer_line(question.q, question.domain.text(value))
        turn.out.take(same.item, _fate(question), text, q=question.q)
    return good[0]


def _fate(question: SeatQuestion) -> str:
    return "sealed" if question.sealed else "answered"


def _negotiate(turn: BlockRun, question: SeatQuestion) -> bool:
    """Execute acts of a negotiation one by one; reject those below a rejected one."""
    referee, out = turn.referee, turn.out
    acts, failed, queued, done = list(out.targets), False, False, False
    named = {word for line in acts for word in line.item.body.split()}
    # A player who names a proposal has read it.
    unread = [proposal for proposal in turn.unread if proposal not in named]
    while acts and referee.q == question.q and not failed:
        line = acts.pop(0)
        try:
            domain = referee.domain(turn.seat)
            value = domain.parse(line.item.body, turn.context.names)
            text = domain.text(value)
            if value == DONE and unread:
                raise rejection("negotiation.unread", rule=question.rule, ids=", ".join(unread))
            if not acts:  # the queue goes in before the last act, which may close the negotiation and play on
                turn.queue.enqueue(out)
                queued = True
                if value == DONE:
                    turn.freeze(question, DONE)
            turn.submit(value)
        except Rejection as refused:
            turn.refuse(line, question, refused.problem)
            failed = True
        else:
            out.take(line.item, "acted", answer_line(question.q, text), q=question.q)
            done = value == DONE
    if queued and failed:
        turn.queue.remove(out)
    _leave_over(out, question, acts, failed=failed)
    if not queued:
        turn.queue.enqueue(out, behind=failed)
    if done:
        turn.tell_waiting()
    else:
        referee.settle()
        turn.tell_all()
    return failed


def _leave_over(out: Classified, question: SeatQuestion, acts: Sequence[AnswerLine], *, failed: bool) -> None:
    """Handle acts that weren't reached: one above them was rejected, or closed the negotiation."""
    for line in acts:
        if failed:
            line.held, line.tied = BEHIND, question.q
        else:
            out.take(line.item, "moot", line.canonical())
    if failed:
        out.waiting[:0] = acts
        out.split = out.split + len(acts) if out.split is not None else None
