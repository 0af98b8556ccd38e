"""The advance orders of one seat: those of earlier emails, and those that an email adds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pbem.kernel import advance_orders
from pbem.kernel.order_words import Names
from pbem.kernel.referee import AdvanceNote, Referee
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.standing_orders import AdvanceOrder, Branch
from pbem.orders.classify import BEHIND, CHANGED, STOPPED, AnswerLine, Classified
from pbem.orders.context import drop, question_of
from pbem.orders.statements import NEXT

FATES = {
    "advance.used": "used",
    "advance.held": "held",
    "advance.stopped": STOPPED,
    "advance.changed": CHANGED,
    "advance.skipped": "skipped",
    "advance.spared": "spared",
}
"""What became of an advance order, by the note that says so."""


class SeatQueue:
    """The advance orders of `seat`: `earlier` from earlier emails, `new` from the email `via`."""

    def __init__(self, referee: Referee, seat: str, via: str) -> None:
        self.referee = referee
        self.seat = seat
        self.via = via
        self.earlier = [queued for queued in referee.queue if queued.seat == seat]
        self.new: list[tuple[AdvanceOrder, AnswerLine]] = []
        self._noted = len(referee.notes)
        # If the seat isn't asked now, others move before its next turn: changed facts may put its lines on hold.
        self._ahead = seat not in referee.asked()

    @cached_property
    def _public_facts(self) -> dict[str, str]:
        return advance_orders.public_facts(self.referee.game.view(self.referee.table, ""))

    @property
    def waiting(self) -> list[AdvanceOrder]:
        """The earlier orders that still wait."""
        return [queued for queued in self.earlier if not queued.refused]

    def drop_earlier(self) -> list[str]:
        """Remove the earlier orders from the queue and return them as order text."""
        drop(self.referee.queue, self.earlier)
        return [str(queued) for queued in self.waiting]

    def drop_with(self, via: str, kind: str) -> list[str]:
        """Remove the orders of the email `via` from the first one of `kind` on; return them as order text."""
        mine = [queued for queued in self.referee.queue if (queued.seat, queued.letter) == (self.seat, via or None)]
        at = next((no for no, queued in enumerate(mine) if queued.kind == kind), len(mine))
        for some in (self.referee.queue, self.earlier):
            drop(some, mine[at:])
        return list(map(str, mine[at:]))

    def enqueue(self, out: Classified, *, behind: bool = False) -> None:
        """Queue the waiting lines of a block, and reject those `behind` a rejected line.

        Lines above `resume` go before the earlier orders, which then continue; lines below it go after them.
        """
        self.referee.table.came.clear()
        refused = [line for line in out.waiting if behind or line.held == BEHIND]
        if out.split is not None:
            out.split -= sum(line in refused for line in out.waiting[: out.split])
        _refuse_behind(out, refused)
        self.new = [(self._queued(line), line) for line in out.waiting if line not in refused]
        new = [entry for entry, _ in self.new]
        if out.split is None:
            self.referee.queue.extend(new)
            return
        drop(self.referee.queue, self.earlier)
        if not behind:
            for entry in self.waiting:
                # `resume` also lifts the player's own stop conditions: they have served their purpose.
                entry.held, entry.stops = False, () if entry.held else entry.stops
        self.referee.queue.extend([*new[: out.split], *self.earlier, *new[out.split :]])

    def _queued(self, line: AnswerLine) -> AdvanceOrder:
        item = line.item
        watched: dict[str, str] = {}
        if not line.bold and (self._ahead or item.kind in NEXT):
            watched = advance_orders.facts_named_in(item.body, self._public_facts, self.referee.names)
        return AdvanceOrder(
            self.seat, item.body, item.q or line.tied, line.kind, line.bold, bool(line.held), line.stops,
            self.via, item.line, watched=watched, branch=Branch(item.branch) if item.branch else None,
            past={} if self._ahead or item.kind not in NEXT else dict(self.referee.table.trail[:1]),
        )  # fmt: skip

    def remove(self, out: Classified) -> None:
        """Remove and reject the new orders, because a line above them was rejected after they were queued."""
        drop(self.referee.queue, [entry for entry, _ in self.new])
        _refuse_behind(out, [line for _, line in self.new])
        self.new = []

    def report_results(self, out: Classified, names: Names) -> None:
        """Report what became of the new orders, and drop the referee's notes that said so."""
        lines, notes = {entry.line for entry, _ in self.new}, self.referee.notes
        mine = [note for note in notes[self._noted :] if (note.seat, note.letter) == (self.seat, self.via)]
        told = {note.line: note for note in mine if note.line in lines}
        for entry, line in self.new:
            self._say_fate(out, entry, line, told.get(entry.line), names)
        drop(notes, list(told.values()))

    def _say_fate(
        self, out: Classified, entry: AdvanceOrder, line: AnswerLine, note: AdvanceNote | None, names: Names
    ) -> None:
        if note is not None and note.key == "advance.failed":
            problem, offer = note.problem or RejectionReason("answer.malformed"), ""
            question = question_of(self.referee, self.seat)
            if question is not None:
                from pbem.orders.suggestions import explain_with_suggestion

                problem, offer = explain_with_suggestion(question, entry.text, problem, names)
            out.turn_down(line.item, problem, offer)
        elif note is not None and note.key == "advance.behind":
            _refuse_behind(out, [line])
        elif note is not None and note.key in FATES:
            out.take(line.item, FATES[note.key], line.canonical())
        else:
            out.take(line.item, line.held or ("held" if entry.held else "waiting"), line.canonical())


def _refuse_behind(out: Classified, lines: Iterable[AnswerLine]) -> None:
    """Reject lines below a rejected one: they were written on the assumption that it would be executed."""
    for line in lines:
        out.turn_down(line.item, RejectionReason("orders.behind"))
