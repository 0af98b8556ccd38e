"""Carries a block of orders out on a referee and writes the receipt.

What the receipt says of a sealed question, or of a negotiation that the seat is done with, is settled *before* the
answer goes in: whether it was the last one, and what then happened, would tell what others have sealed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from pbem.kernel.answers import Value
from pbem.kernel.negotiation import DONE
from pbem.kernel.problems import Problem, Refused
from pbem.kernel.referee import CHOSEN, QUEUED, Note, Referee
from pbem.kernel.standing import AskMe, Queued, Standing
from pbem.orders.canonical import digest, digest_of
from pbem.orders.classify import BEHIND, STOPPED, Classified, Line, classify, gate
from pbem.orders.context import (
    Context,
    Question,
    answer_line,
    context_of,
    question_of,
    queued_line,
    setting_line,
    standing_line,
)
from pbem.orders.grammar import form_comments
from pbem.orders.items import Block, CancelOrder, Item, shown_kind
from pbem.orders.nearmiss import put_right
from pbem.orders.receipt import PARTLY, REFUSED, STALE, TAKEN, TRIED, WRONG, Receipt, Remark
from pbem.orders.trying import predict

_MOST_STANDING = 60


def apply(
    referee: Referee,
    block: Block,
    *,
    game: str,
    codes: Collection[str] | None = None,
    seat: str = "",
    at: str = "",
    via: str = "",
) -> Receipt:
    """Carry out `block`; changes the referee (queue, standing, settings, sealed, journal, notes) and nothing else.

    `game` is the game's id in letters. `codes` are the prompt codes in force for the seat, None if the sender is proven
    otherwise. `seat` is the seat the letter is known to come from, "" if only the code can tell. `via` names the letter
    and must differ from letter to letter. Never raises for what a player wrote: all of it ends in the receipt.
    """
    named, problem = gate(
        block, game=game, seats=referee.setup.seats, names=referee.names, codes=codes, seat=seat
    )
    if problem is not None:
        verdict = STALE if problem.key == "block.stale" else WRONG
        receipt = Receipt(game, seat or named, verdict, block.line, at, via, problem, digest=digest(block))
        receipt.remarks = remarks(block)
        if seat or codes is None:
            _in_force(receipt, referee, seat or named, None)
        return receipt
    context = context_of(referee, named, game)
    out = classify(block, context)
    receipt = Receipt(game, named, TAKEN, block.line, at, via, remarks=remarks(block))
    if out.test:
        predict(out, context)
        receipt.verdict = TRIED
        _in_force(receipt, referee, named, None)
    else:
        receipt.press = out.press
        _Carrier(referee, context, out, receipt).carry_out()
        sweep(referee)
    return finished(receipt, out, block)


def remarks(block: Block) -> list[Remark]:
    """What is to be said of the letter around the block: quoted orders, a missing end, what was too much."""
    return [Remark(one.key, dict(one.args), one.line) for one in block.findings]


def finished(receipt: Receipt, out: Classified, block: Block) -> Receipt:
    """Put the sorted lines into the receipt, in order, and give the verdict."""
    receipt.accepted = sorted(out.accepted, key=lambda one: one.line)
    receipt.refused = sorted(out.refused, key=lambda one: one.line)
    receipt.comments = out.comments
    receipt.form = form_comments(block)
    if receipt.verdict == TAKEN and receipt.refused:
        receipt.verdict = PARTLY if receipt.accepted else REFUSED
    receipt.digest = digest_of(receipt, block)
    return receipt


def sweep(referee: Referee) -> None:
    """Drop queued lines whose question is past and standing answers that have run out; tell their writers by notes."""
    clock = referee.game.clock(referee.table.state) if referee.standing or referee.settings else {}
    for entry in [one for one in referee.queue if 0 < one.q < referee.q or referee.over]:
        referee.notes.append(
            Note(entry.seat, "queue.stale", queued_line(entry), None, entry.letter, entry.line)
        )
        _drop(referee.queue, [entry])
    for standing in [one for one in referee.standing if one.expired(clock)]:
        referee.notes.append(Note(standing.seat, "standing.expired", standing_line(standing)))
        _drop(referee.standing, [standing])
    ended = [one for one in referee.settings if one.until and all(c.holds(clock) for c in one.until)]
    _drop(referee.settings, ended)


class _Carrier:
    """Carries out one sorted block."""

    def __init__(self, referee: Referee, context: Context, out: Classified, receipt: Receipt) -> None:
        self.referee = referee
        self.context = context
        self.out = out
        self.receipt = receipt
        self.earlier = [one for one in referee.queue if one.seat == context.seat]
        self.entries: list[tuple[Queued, Line]] = []
        self.noted = len(referee.notes)
        self.failed = False
        self.enqueued = False

    def carry_out(self) -> None:
        for item, setting in self.out.settings:
            self.setting(item, setting)
        if self.out.clear is not None:
            self.clear(self.out.clear)
        question = self.context.question
        # Lines for later replace lines for later; an answer to the open question leaves them in the queue.
        replaces = bool(self.out.waiting) and self.out.resume is None
        if replaces:
            _drop(self.referee.queue, self.earlier)
        if question is None or not self.out.targets:
            self.enqueue()
            self.settle(question)
        elif question.talk:
            self.negotiate(question)
        else:
            self.answer(question)
        self.replaced(queue=replaces)

    # -- the open question -------------------------------------------------------------------------------------------

    def answer(self, question: Question) -> None:
        """Answer an `Ask` or a sealed question."""
        line, value = self.agreed(question)
        if line is None:
            self.enqueue()
            self.settle(question)
            return
        text = question.domain.text(value)
        self.enqueue()
        own = question.shown(text) if question.sealed else None
        if own is not None:
            self.snapshot(own)
        fate = "sealed" if question.sealed else "answered"
        try:
            self.referee.submit(
                self.context.seat, value, how=CHOSEN, at=self.receipt.at, via=self.receipt.via
            )
        except Refused as refused:
            self.refuse(line, question, refused.problem)
            self.settle(question)
            return
        self.out.take(line.item, fate, answer_line(question.q, text), q=question.q)
        self.fates(told=own is None)

    def agreed(self, question: Question) -> tuple[Line | None, Value]:
        """The one line that answers `question` and its value; refuses lines that do not or contradict each other."""
        read: list[tuple[Line, Value]] = []
        for line in self.out.targets:
            try:
                value = question.domain.parse(line.item.body, self.context.names)
                self.referee.check(self.context.seat, value)
            except Refused as refused:
                self.refuse(line, question, refused.problem)
            else:
                read.append((line, value))
        if not read or self.failed:
            # A refused line beside a good one for the same question: which of them he meant is not ours to guess.
            for line, _ in read:
                self.refuse(line, question, _contradiction(question, self.out.targets))
            return None, None
        line, value = read[0]
        if any(other != value for _, other in read[1:]):
            for one, _ in read:
                self.refuse(one, question, _contradiction(question, self.out.targets))
            return None, None
        for same, _ in read[1:]:
            text = answer_line(question.q, question.domain.text(value))
            self.out.take(same.item, "sealed" if question.sealed else "answered", text, q=question.q)
        return line, value

    def negotiate(self, question: Question) -> None:
        """Acts of a negotiation, one by one; behind one that is refused the others wait."""
        referee, context, acts, done = self.referee, self.context, list(self.out.targets), False
        while acts and referee.q == question.q and not self.failed:
            line = acts[0]
            try:
                domain = referee.domain(context.seat)
                value = domain.parse(line.item.body, context.names)
                text = domain.text(value)
                if len(acts) == 1:
                    self.last_act(question, value)
                referee.submit(context.seat, value, how=CHOSEN, at=self.receipt.at, via=self.receipt.via)
            except Refused as refused:
                self.refuse(line, question, refused.problem)
                self.hold()
            else:
                self.out.take(line.item, "acted", answer_line(question.q, text), q=question.q)
                done = value == DONE
            acts.pop(0)
        self.left_over(question, acts)
        self.enqueue()
        if not done:
            referee.settle(self.receipt.at)
        self.fates(told=not done)

    def last_act(self, question: Question, value: Value) -> None:
        """The queue goes in before the last act, which may close the negotiation and play on."""
        self.enqueue()
        if value == DONE:
            self.snapshot(question.shown(DONE))

    def left_over(self, question: Question, acts: Sequence[Line]) -> None:
        """Acts that were not reached: one above them was refused, or has closed the negotiation."""
        if not self.failed:
            for line in acts:
                self.out.take(line.item, "moot", line.canonical())
            return
        for line in acts:
            line.held, line.tied = BEHIND, question.q
        self.out.waiting[:0] = acts
        if self.out.split is not None:
            self.out.split += len(acts)

    def hold(self) -> None:
        """Hold the lines that went into the queue ahead of an act that was then refused."""
        for entry, line in self.entries:
            entry.held, line.held = True, line.held or BEHIND

    def refuse(self, line: Line, question: Question, problem: Problem) -> None:
        """Refuse a line for the open question, with the corrected line if it was a near miss."""
        self.out.turn_down(line.item, *put_right(question, line.item.body, problem, self.context.names))
        self.failed = True

    # -- what waits --------------------------------------------------------------------------------------------------

    def enqueue(self) -> None:
        """Put the waiting lines, and with `resume` the earlier ones, into the queue."""
        if self.enqueued:
            return
        self.enqueued = True
        for line in self.out.waiting:
            behind = self.failed and not line.held
            line.held = BEHIND if behind else line.held
            self.entries.append((self.entry(line), line))
        new = [entry for entry, _ in self.entries]
        split = self.out.split
        if split is None:
            self.referee.queue.extend(new)
            return
        _drop(self.referee.queue, self.earlier)
        if not self.failed:
            for entry in self.earlier:
                # His word lifts his own brakes, too: they have done what they were for.
                entry.held, entry.stops = False, () if entry.held else entry.stops
        self.referee.queue.extend([*new[:split], *self.earlier, *new[split:]])

    def entry(self, line: Line) -> Queued:
        return Queued(
            self.context.seat, line.item.body, line.item.q or line.tied, line.kind, line.bold, bool(line.held),
            line.stops, self.receipt.via, line.item.line,
        )  # fmt: skip

    def settle(self, question: Question | None) -> None:
        """Let what has come in play on, where no line of this block answered the open question."""
        sealed = question is not None and (question.sealed or question.talk)
        if sealed and question is not None:
            self.snapshot(question.shown(self.by_standing(question)))
        self.referee.settle(self.receipt.at)
        self.fates(told=not sealed)

    def by_standing(self, question: Question) -> str | None:
        """What the seat's own standing answers will say to a sealed question that it has not answered."""
        clock = self.context.clock
        for one in self.referee.standing if question.sealed and not question.answer else ():
            if one.seat == self.context.seat and one.matches(question.kind, question.about, clock):
                try:
                    return question.domain.text(question.domain.parse(one.text, self.context.names))
                except Refused:
                    return None
        return None

    def fates(self, *, told: bool) -> None:
        """Say what became of the waiting lines: `told` from what happened, else only that they wait."""
        referee, via = self.referee, self.receipt.via
        if not told:
            for _, line in self.entries:
                self.out.take(line.item, line.held or "waiting", line.canonical())
            return
        lines = {entry.line for entry, _ in self.entries}
        news = {}
        for note in referee.notes[self.noted :]:
            if note.seat == self.context.seat and note.letter == via and note.line in lines:
                news[note.line] = note
        for entry, line in self.entries:
            self.one_fate(entry, line, news.get(entry.line))
        _drop(referee.notes, list(news.values()))
        self.snapshot(None)

    def one_fate(self, entry: Queued, line: Line, note: Note | None) -> None:
        fates = {"queue.used": "used", "queue.held": "held", "queue.stopped": STOPPED}
        if note is not None and note.key == "queue.failed":
            problem, offer = note.problem or Problem("answer.malformed"), ""
            question = question_of(self.referee, self.context.seat)
            if question is not None:
                problem, offer = put_right(question, entry.text, problem, self.context.names)
            self.out.turn_down(line.item, problem, offer)
        elif note is not None and note.key in fates:
            self.out.take(line.item, fates[note.key], line.canonical())
        else:
            fate = line.held or (BEHIND if entry.held else "waiting")
            self.out.take(line.item, fate, line.canonical())

    # -- commands ----------------------------------------------------------------------------------------------------

    def setting(self, item: Item, setting: Standing | AskMe | CancelOrder) -> None:
        """Carry out `standing`, `ask` or `cancel`. A letter's standing answers replace the older ones of that kind."""
        referee, seat = self.referee, self.context.seat
        first = next(i for i, s in self.out.settings if _same(s, setting))
        if isinstance(setting, CancelOrder):
            ended = [s for s in referee.standing if s.seat == seat and setting.kind in ("", s.kind)]
            if not ended:
                near = sorted({shown_kind(s.kind) for s in referee.standing if s.seat == seat})
                self.out.turn_down(item, Problem("orders.no_standing", {}, "", tuple(near)))
                return
            _drop(referee.standing, ended)
            self.out.take(item, "cancelled", str(setting), count=len(ended))
        elif isinstance(setting, Standing):
            mine = [s for s in referee.standing if s.seat == seat]
            if first is item:
                same = [s for s in mine if s.kind == setting.kind]
                self.receipt.replaced += [standing_line(s) for s in same]
                _drop(referee.standing, same)
            if len(mine) >= _MOST_STANDING:
                self.out.turn_down(item, Problem("orders.too_many", {"most": _MOST_STANDING}))
                return
            referee.standing.append(setting)
            self.out.take(item, "standing", standing_line(setting))
        else:
            same_kind = [s for s in referee.settings if s.seat == seat and s.kind == setting.kind]
            self.receipt.replaced += [setting_line(s) for s in same_kind]
            _drop(referee.settings, same_kind)
            referee.settings.append(setting)
            self.out.take(item, "asking", setting_line(setting))

    def clear(self, item: Item) -> None:
        """Take back the earlier lines and a sealed answer."""
        referee, seat = self.referee, self.context.seat
        count = len(self.earlier) + self.out.voided
        own = referee.sealed.get(seat)
        if own is not None and own.how in (CHOSEN, QUEUED) and self.context.question is not None:
            text = answer_line(self.context.question.q, self.context.question.answer)
            self.receipt.replaced.append(text)
            del referee.sealed[seat]
            self.context = replace(self.context, question=replace(self.context.question, answer=""))
            count += 1
        self.receipt.replaced += [queued_line(entry) for entry in self.earlier]
        _drop(referee.queue, self.earlier)
        self.earlier = []
        self.out.take(item, "cleared", count=count)

    def replaced(self, *, queue: bool) -> None:
        """Say what this block replaced, and what of the seat's stands."""
        out, question = self.out, self.context.question
        if out.resume is not None:
            count = 0 if self.failed else sum(1 for _ in self.earlier)
            out.take(out.resume, BEHIND if self.failed else "resumed", count=count)
        elif queue:
            self.receipt.replaced += [queued_line(entry) for entry in self.earlier]
        if question is None or not question.answer or out.clear is not None or question.talk:
            return
        sealed = [a for a in out.accepted if a.fate == "sealed"]
        text = answer_line(question.q, question.answer)
        if sealed:
            self.receipt.replaced += [text] if sealed[0].text != text else []
        elif out.targets:
            self.receipt.remarks.append(Remark("note.stands", {"q": question.q, "text": question.answer}))

    def snapshot(self, own: Any) -> None:
        """Write down what is open and in force: `own` is the open question as it stands, None to look it up."""
        _in_force(self.receipt, self.referee, self.context.seat, own)


def _in_force(receipt: Receipt, referee: Referee, seat: str, own: Any) -> None:
    if own is None:
        question = question_of(referee, seat)
        receipt.open = [question.shown()] if question is not None else []
    else:
        receipt.open = [own]
    receipt.queue = [queued_line(one) for one in referee.queue if one.seat == seat]
    receipt.standing = [standing_line(one) for one in referee.standing if one.seat == seat]
    receipt.settings = [setting_line(one) for one in referee.settings if one.seat == seat]


def _contradiction(question: Question, lines: Sequence[Line]) -> Problem:
    numbers = ", ".join(str(line.item.line) for line in lines)
    return Problem("orders.contradiction", {"lines": numbers, "q": question.q}, question.rule)


def _same(one: Standing | AskMe | CancelOrder, other: Standing | AskMe | CancelOrder) -> bool:
    return (
        isinstance(one, Standing) and isinstance(other, Standing) and one.kind == other.kind
    ) or one is other


def _drop(some: list[Any], gone: Sequence[Any]) -> None:
    """Take `gone` out of `some`, by identity: equal lines are different lines."""
    some[:] = [one for one in some if not any(one is other for other in gone)]
