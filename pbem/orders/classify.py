"""The lines of a block, sorted into answers, advance orders and commands. Executes nothing.

Lines below a rejected one are rejected with it: they were written on the assumption that it would be
executed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from pbem.kernel.domains import PASS, Value
from pbem.kernel.order_words import Names, normalize_word
from pbem.kernel.questions import MODERATOR
from pbem.kernel.rejections import Rejection, RejectionReason, closest_words, rejection
from pbem.kernel.standing_orders import NEVER, AskMe, Condition, StandingRule, order_prefix
from pbem.orders.context import Context, seat_named
from pbem.orders.player_words import BARE
from pbem.orders.receipt import Accepted, AcceptedPress, Rejected
from pbem.orders.reply_codes import same_code
from pbem.orders.statements import NEXT, split_then
from pbem.orders.syntax_tree import (
    Answer,
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
    StopCondition,
)

BEHIND, CHANGED, STOPPED = "behind", "changed", "stopped"
_ANSWER_LIKE = (
    "reply.prose",
    "reply.to_player",
    "reply.subject",
    "reply.unfilled",
    "reply.differ",
    "reply.same_number",
    "orders.too_long",
    "orders.quoted",
    "orders.empty",
    "orders.no_end",
    "orders.broken",
    "orders.late",
)
_MOST_SETTINGS = 60


class AnswerLine(msgspec.Struct):
    """An answer line with its resolved kind and the flags above it. `held` says why it is on hold.

    `tied` is the question it was meant for, if its text doesn't say so.
    """

    item: Answer
    kind: str = ""
    bold: bool = False
    stops: tuple[Condition, ...] = ()
    held: str = ""
    tied: int = 0

    def canonical(self, body: str = "") -> str:
        """Return the line as the receipt shows it; `body` (canonical text) is given once it is answered."""
        bold = "bold: " if self.item.bold else ""
        q = self.item.q or self.tied
        where = order_prefix(q, "" if q else self.kind, self.item.branch)
        return f"{bold}{where}{body or self.item.body}"


BlockLine = AnswerLine | RejectedStatement | KeywordCommand


class Classified(msgspec.Struct):
    """A sorted block. `targets` are for the open question: acts of a negotiation, or contradictory answers.

    `waiting` are advance orders; `split` is how many of them are above `resume`, None without it. `voided`
    counts the lines of this block that `clear` took back. `settings` are standing orders, ask-me settings and
    cancellations, in order, checked and in ids. `wishes` are requests of the seat.
    """

    targets: list[AnswerLine] = []
    waiting: list[AnswerLine] = []
    split: int | None = None
    resume: KeywordCommand | None = None
    clear: KeywordCommand | None = None
    voided: int = 0
    test: bool = False
    settings: list[tuple[Statement, StandingRule | AskMe | CancelOrder]] = []
    press: list[AcceptedPress] = []
    wishes: list[str] = []
    accepted: list[Accepted] = []
    refused: list[Rejected] = []
    comments: list[int] = []

    def take(self, item: Statement, fate: str, text: str = "", **args: object) -> None:
        self.accepted.append(Accepted(item.line, text or str(item), fate, dict(args), item.text))

    def turn_down(self, item: Statement, problem: RejectionReason, offer: str = "", ways: Sequence[str] = ()) -> None:
        self.refused.append(Rejected(item.line, item.text, problem, offer, list(ways)))


def check_block(
    block: OrderBlock, *, game: str, seats: Sequence[str], names: Names, codes: Collection[str] | None, seat: str
) -> tuple[str, RejectionReason | None]:
    """Return the seat a block speaks for, and why it must not be executed (None: it may)."""
    named = seat_named(block.seat, names, seats)
    if block.problem is not None:
        return named, block.problem
    if normalize_word(block.game) != normalize_word(game):
        return named, RejectionReason("order_block.wrong_game", {"word": block.game[:40], "game": game})
    if not named:
        near = closest_words(normalize_word(block.seat[:40]), [*seats, MODERATOR])
        return named, RejectionReason("order_block.unknown_seat", {"word": block.seat[:40]}, "", near)
    if seat and named != seat:
        return named, RejectionReason("order_block.wrong_seat", {"word": named})
    if codes is not None and not same_code(block.code, codes):
        return named, RejectionReason("order_block.stale" if block.code else "order_block.no_code")
    return named, None


def classify(block: OrderBlock, context: Context) -> Classified:
    """Sort the lines of a block that passed `check_block`."""
    out = Classified()
    bold = False
    stops: tuple[Condition, ...] = ()
    lines: list[BlockLine] = []
    for written in block.items:
        match item := _as_command(written, context):
            case Comment():
                out.comments.append(item.line)
            case RejectedStatement():
                out.turn_down(item, item.problem, item.offer, item.ways)
                if item.holds or item.problem.key in _ANSWER_LIKE:
                    lines.append(item)
            case StopCondition():
                stops += _brake(out, item, context, lines)
            case KeywordCommand(word="bold"):
                bold = True
                out.take(item, "bold")
            case KeywordCommand(word="test"):
                out.test = True
                out.take(item, "test")
            case KeywordCommand(word="clear"):
                lines = _clear(out, item, lines, context)
            case KeywordCommand():
                lines.append(item)
            case Answer():
                lines.append(AnswerLine(item, item.kind, bold or item.bold, stops))
            case PressStatement():
                _press(out, item, context)
            case _:
                _setting(out, item, context)
    _Placing(out, context).place(lines)
    return out


def _as_command(item: Statement, context: Context) -> Statement:
    """Return a request as the command or the answer that its words are in this position, or the item as it is."""
    if not isinstance(item, InfoRequest):
        return item
    question = context.question
    where: dict[str, Any] = {"line": item.line, "last": item.last, "text": item.text}
    if item.what == "take back" and (context.lines or (question is not None and question.sealed and question.answer)):
        return KeywordCommand(word="clear", **where)
    if item.what in BARE and question is not None:
        with suppress(Rejection):
            question.domain.parse(item.what, context.names)
            return Answer(body=item.what, **where)
    return item


def _brake(out: Classified, item: StopCondition, context: Context, lines: list[BlockLine]) -> tuple[Condition, ...]:
    """Return the stop conditions in ids; a rejected one puts the lines below it on hold."""
    try:
        stops = context.conditions(item.stops)
    except Rejection as refused:
        out.turn_down(item, refused.problem)
        lines.append(item.rejected(refused.problem))
        return ()
    out.take(StopCondition(line=item.line, last=item.last, text=item.text, stops=stops), "stop")
    return stops


def _clear(out: Classified, item: KeywordCommand, lines: list[BlockLine], context: Context) -> list[BlockLine]:
    own = context.question is not None and context.question.sealed and bool(context.question.answer)
    above = [line for line in lines if isinstance(line, AnswerLine)]
    if not (context.lines or own or above):
        out.turn_down(item, RejectionReason("orders.nothing_to_clear"))
        return lines
    if out.clear is not None:
        out.take(out.clear, "voided")
    out.clear = item
    out.voided += len(above)
    for line in lines:
        if isinstance(line, AnswerLine):
            out.take(line.item, "voided", line.canonical())
        elif isinstance(line, KeywordCommand):
            out.take(line, "voided")
    return []


class _Placing:
    """The place of each answer line: the open question, the queue, or a rejection."""

    def __init__(self, out: Classified, context: Context) -> None:
        self.out = out
        self.context = context
        self.question = context.question
        self.held = ""
        self.done = False
        self.before = ""

    def place(self, lines: Sequence[BlockLine]) -> None:
        for line in chain.from_iterable(map(self.parted, lines)):
            if isinstance(line, AnswerLine):
                try:
                    self.line(line)
                except Rejection as refused:
                    self.out.turn_down(line.item, refused.problem, self.offer(line, refused.problem))
                    self.held = self.held or BEHIND
            elif isinstance(line, RejectedStatement):
                self.held = self.held or BEHIND
            elif not self.context.held or self.out.resume is not None:
                self.out.turn_down(line, RejectionReason("orders.nothing_held"))
            else:
                self.out.resume, self.out.split = line, len(self.out.waiting)

    def parted(self, line: BlockLine) -> Sequence[BlockLine]:
        """Split `gruuthuse then event` into the answer to the open question and `next: event`."""
        question = self.question
        if not isinstance(line, AnswerLine) or question is None or line.item.branch:
            return (line,)
        head, rest = split_then(line.item.body)
        aims = line.item.q in (0, question.q) and line.kind in ("", question.kind)
        if not (rest and aims) or self.read(line.item.body) is not None or (value := self.read(head)) is None:
            return (line,)
        if value == PASS or self.context.next_turn() is None:
            self.out.turn_down(line.item, RejectionReason("orders.no_next"))
            return (replace(line, item=replace(line.item, body=head)),)
        later = replace(line.item, body=rest, q=0, kind=NEXT[0])
        return replace(line, item=replace(line.item, body=head)), replace(line, item=later, kind=later.kind)

    def read(self, text: str) -> Value | None:
        """Return the answer to the open question that a text is, None if it is none."""
        assert self.question is not None
        with suppress(Rejection):
            return self.question.domain.parse(text, self.context.names)
        return None

    def line(self, line: AnswerLine) -> None:
        """Place one line. Raises `Rejection` if its question is closed or doesn't exist."""
        item, question, context = line.item, self.question, self.context
        if context.over:
            raise rejection("order_block.over")
        if item.branch:
            context.check_branch(item.branch, self.before)
        else:
            self.before = item.body
        if item.q and (item.q < context.q or (item.q == context.q and question is None)):
            raise rejection("answer.closed" if item.q < context.q else "answer.not_asked", q=item.q)
        if item.kind:
            line.kind = self.next_kind(item) if item.kind in NEXT else context.kind(item.kind)
        if question is not None and self.aims(line, question.q, question.kind, question.talk):
            if question.talk and self.done:
                raise rejection("orders.after_done", rule=question.rule)
            if any(stop.holds(context.facts) for stop in line.stops):
                self.held = self.held or STOPPED
                line.held = STOPPED
                self.out.waiting.append(line)
                return
            self.out.targets.append(line)
            self.done = self.done or (question.talk and context.is_done(item.body))
            return
        line.held = self.held
        self.out.waiting.append(line)

    def next_kind(self, item: Answer) -> str:
        """Return the kind of the next turn's first question. Raises `Rejection` if it wouldn't accept the line now."""
        question = self.context.next_turn()
        if question is None:
            raise rejection("orders.no_next")
        try:
            question.domain.check(question.domain.parse(item.body, self.context.names))
        except Rejection as refused:
            raise Rejection(refused.problem.under(question.rule)) from None
        return question.kind

    def aims(self, line: AnswerLine, q: int, kind: str, talk: bool) -> bool:
        """Return whether the line is meant for the open question."""
        if line.item.branch:
            return False
        if line.item.q:
            return line.item.q == q and self.held != BEHIND
        if line.kind:
            free = talk or not (self.out.targets or line.item.kind in NEXT)
            return line.kind == kind and free and not self.held
        free = not self.done if talk else not self.out.targets
        return free and not self.held and not self.out.waiting

    def offer(self, line: AnswerLine, problem: RejectionReason) -> str:
        """Return the line with the kind or the answer that was probably meant, "" if none is close."""
        from difflib import get_close_matches

        if line.item.kind in NEXT:
            from pbem.orders.suggestions import explain_with_suggestion

            question = self.context.next_turn()
            if question is None:
                return ""
            better = explain_with_suggestion(question, line.item.body, problem, self.context.names)[1]
            return better and f"{NEXT[0]}: {better.partition(': ')[2]}"
        near = get_close_matches(line.item.kind, problem.near, n=1) if problem.key == "orders.kind" else []
        return replace(line, kind=near[0]).canonical() if near else ""


def _setting(out: Classified, item: Statement, context: Context) -> None:
    if isinstance(item, InfoRequest):
        out.wishes.append(str(item))
        out.take(item, "wish")
        return
    try:
        settings = _resolved(item, context)
        if len(out.settings) + len(settings) > _MOST_SETTINGS:
            raise rejection("orders.too_many", most=_MOST_SETTINGS)
        out.settings += [(item, setting) for setting in settings]
    except Rejection as refused:
        out.turn_down(item, refused.problem)


def _resolved(item: Statement, context: Context) -> list[StandingRule | AskMe | CancelOrder]:
    """Return what a line sets, in ids: a standing order for each of its kinds."""
    if isinstance(item, StandingOrder):
        when, unless = context.conditions(item.when), context.conditions(item.unless)
        until = context.until(item.until)
        return [
            StandingRule(context.seat, context.kind(kind), item.body, when, unless, until)
            for kind in dict.fromkeys(item.kinds)
        ]
    if isinstance(item, AskOrder):
        kind = context.kind(item.kind)
        if kind in context.sheet_kinds and item.when != NEVER:
            raise rejection("orders.sheet", kind=kind, near=(f"standing {kind}: pass",))
        return [AskMe(context.seat, kind, item.when, context.until(item.until))]
    assert isinstance(item, CancelOrder)
    kind = item.kind and context.kind(item.kind)
    return [CancelOrder(line=item.line, last=item.last, text=item.text, kind=kind)]


def _press(out: Classified, item: PressStatement, context: Context) -> None:
    to: list[str] = []
    for word in item.to:
        seat = "all" if normalize_word(word) in ("all", "全員") else seat_named(word, context.names, context.seats)
        if not seat:
            near = closest_words(normalize_word(word[:40]), [*context.seats, "all"])
            out.turn_down(item, RejectionReason("order_block.unknown_seat", {"word": word[:40]}, "", near))
            return
        to.append(seat)
    to = ["all"] if "all" in to else list(dict.fromkeys(to))
    if not context.private_press and to != ["all"] and to != [MODERATOR]:
        out.turn_down(item, RejectionReason("press.not_now"))
        return
    out.press.append(AcceptedPress(to, item.body, item.line))
    out.take(item, "press", f"BEGIN PRESS to={','.join(to)}")
