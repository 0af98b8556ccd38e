"""Which lines of a block answer the open question, which wait, which are commands. Pure: carries nothing out.

The lines behind one that is refused are refused with it: they were written in the belief that it would be carried out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
from msgspec.structs import replace

from pbem.kernel.problems import Problem, Refused, nearest, refuse
from pbem.kernel.questions import MODERATOR
from pbem.kernel.standing import NEVER, AskMe, Condition, Standing, address
from pbem.kernel.words import Names, fold
from pbem.orders.codes import same_code
from pbem.orders.context import Context, seat_named
from pbem.orders.items import (
    Answer,
    AskOrder,
    Bad,
    Block,
    Brake,
    CancelOrder,
    Comment,
    Item,
    PressItem,
    StandingOrder,
    Wish,
    Word,
)
from pbem.orders.receipt import Accepted, PressLetter, Rejected

BEHIND, CHANGED, STOPPED = "behind", "changed", "stopped"
_ANSWER_LIKE = (
    "reply.prose",
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


class Line(msgspec.Struct):
    """An answer line: its kind resolved, with the flags that stood above it. `held` says why it must not play yet.

    `tied` is the question it was meant for, if its text does not say so.
    """

    item: Answer
    kind: str = ""
    bold: bool = False
    stops: tuple[Condition, ...] = ()
    held: str = ""
    tied: int = 0

    def canonical(self, body: str = "", q: int = 0) -> str:
        """The line as it is shown in the receipt; with `body` (a domain's own text) and `q` once it is answered."""
        bold = "bold: " if self.item.bold else ""
        q = q or self.item.q or self.tied
        where = address(q, "" if q else self.kind, self.item.branch)
        return f"{bold}{where}{body or self.item.body}"


class Classified(msgspec.Struct):
    """A block, sorted. `targets` are for the open question (several: acts of a negotiation, or a contradiction).

    `waiting` wait for their questions; `split` says how many of them stand above `resume`, None without it.
    `voided` counts the lines of this block that `clear` took back.
    `settings` are standing answers, ask-me settings and cancellations, in order, checked and in ids. `wishes` are what
    the seat wants to read.
    """

    targets: list[Line] = []
    waiting: list[Line] = []
    split: int | None = None
    resume: Word | None = None
    clear: Word | None = None
    voided: int = 0
    test: bool = False
    settings: list[tuple[Item, Standing | AskMe | CancelOrder]] = []
    press: list[PressLetter] = []
    wishes: list[str] = []
    accepted: list[Accepted] = []
    refused: list[Rejected] = []
    comments: list[int] = []

    def take(self, item: Item, fate: str, text: str = "", **args: object) -> None:
        """Note an accepted line."""
        self.accepted.append(Accepted(item.line, text or str(item), fate, dict(args), item.text))

    def turn_down(self, item: Item, problem: Problem, offer: str = "", ways: Sequence[str] = ()) -> None:
        """Note a refused line."""
        self.refused.append(Rejected(item.line, item.text, problem, offer, list(ways)))


def gate(
    block: Block, *, game: str, seats: Sequence[str], names: Names, codes: Collection[str] | None, seat: str
) -> tuple[str, Problem | None]:
    """The seat a block speaks for, and why it must not be executed (None: it may)."""
    named = seat_named(block.seat, names, seats)
    if block.problem is not None:
        return named, block.problem
    if fold(block.game) != fold(game):
        return named, Problem("block.wrong_game", {"word": block.game[:40], "game": game})
    if not named:
        near = nearest(fold(block.seat[:40]), [*seats, MODERATOR])
        return named, Problem("block.unknown_seat", {"word": block.seat[:40]}, "", near)
    if seat and named != seat:
        return named, Problem("block.wrong_seat", {"word": named})
    if codes is not None and not same_code(block.code, codes):
        return named, Problem("block.stale" if block.code else "block.no_code")
    return named, None


def classify(block: Block, context: Context) -> Classified:
    """Sort the lines of a block that passed the gate."""
    out = Classified()
    bold = False
    stops: tuple[Condition, ...] = ()
    lines: list[Line | Bad | Word] = []
    for item in block.items:
        match item:
            case Comment():
                out.comments.append(item.line)
            case Bad():
                out.turn_down(item, item.problem, item.offer, item.ways)
                if item.holds or item.problem.key in _ANSWER_LIKE:
                    lines.append(item)
            case Brake():
                stops += _brake(out, item, context, lines)
            case Word(word="bold"):
                bold = True
                out.take(item, "bold")
            case Word(word="test"):
                out.test = True
                out.take(item, "test")
            case Word(word="clear"):
                lines = _clear(out, item, lines, context)
            case Word():
                lines.append(item)
            case Answer():
                lines.append(Line(item, item.kind, bold or item.bold, stops))
            case PressItem():
                _press(out, item, context)
            case _:
                _setting(out, item, context)
    _Placing(out, context).place(lines)
    return out


def _brake(
    out: Classified, item: Brake, context: Context, lines: list[Line | Bad | Word]
) -> tuple[Condition, ...]:
    """The conditions of a brake, with names turned into ids; a refused one holds what stands behind it."""
    try:
        stops = context.conditions(item.stops)
    except Refused as refused:
        out.turn_down(item, refused.problem)
        lines.append(Bad(line=item.line, last=item.last, text=item.text, problem=refused.problem))
        return ()
    out.take(Brake(line=item.line, last=item.last, text=item.text, stops=stops), "stop")
    return stops


def _clear(
    out: Classified, item: Word, lines: list[Line | Bad | Word], context: Context
) -> list[Line | Bad | Word]:
    """`clear` takes back what stands above it, in this letter and in earlier ones."""
    own = context.question is not None and context.question.sealed and bool(context.question.answer)
    above = [line for line in lines if isinstance(line, Line)]
    if not (context.lines or own or above):
        out.turn_down(item, Problem("orders.nothing_to_clear"))
        return lines
    if out.clear is not None:
        out.take(out.clear, "voided")
    out.clear = item
    out.voided += len(above)
    for line in lines:
        if isinstance(line, Line):
            out.take(line.item, "voided", line.canonical())
        elif isinstance(line, Word):
            out.take(line, "voided")
    return []


class _Placing:
    """Gives each answer line its place."""

    def __init__(self, out: Classified, context: Context) -> None:
        self.out = out
        self.context = context
        self.question = context.question
        self.held = ""
        self.done = False
        self.before = ""

    def place(self, lines: Sequence[Line | Bad | Word]) -> None:
        for line in lines:
            if isinstance(line, Line):
                try:
                    self.line(line)
                except Refused as refused:
                    self.out.turn_down(line.item, refused.problem, self.offer(line, refused.problem))
                    self.held = self.held or BEHIND
            elif isinstance(line, Bad):
                self.held = self.held or BEHIND
            else:
                self.resume(line)

    def resume(self, item: Word) -> None:
        if not self.context.held or self.out.resume is not None:
            self.out.turn_down(item, Problem("orders.nothing_held"))
            return
        self.out.resume = item
        self.out.split = len(self.out.waiting)

    def line(self, line: Line) -> None:
        """Raises `Refused` for a line whose question is closed or does not exist."""
        item, question, context = line.item, self.question, self.context
        if context.over:
            raise refuse("block.over")
        if item.branch:
            context.check_branch(item.branch, self.before)
        else:
            self.before = item.body
        if item.q and (item.q < context.q or (item.q == context.q and question is None)):
            raise refuse("answer.closed" if item.q < context.q else "answer.not_asked", q=item.q)
        if item.kind:
            line.kind = context.kind(item.kind)
        if question is not None and self.aims(line, question.q, question.kind, question.talk):
            if question.talk and self.done:
                raise refuse("orders.after_done", rule=question.rule)
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

    def aims(self, line: Line, q: int, kind: str, talk: bool) -> bool:
        """Whether the line is meant for the open question."""
        if line.item.branch:
            return False
        if line.item.q:
            return line.item.q == q and self.held != BEHIND
        if line.kind:
            free = talk or not self.out.targets
            return line.kind == kind and free and not self.held
        free = not self.done if talk else not self.out.targets
        return free and not self.held and not self.out.waiting

    def offer(self, line: Line, problem: Problem) -> str:
        """The line with the kind that was probably meant."""
        from difflib import get_close_matches

        near = get_close_matches(line.item.kind, problem.near, n=1) if problem.key == "orders.kind" else []
        return replace(line, kind=near[0]).canonical() if near else ""


# -- commands --------------------------------------------------------------------------------------------------------


def _setting(out: Classified, item: Item, context: Context) -> None:
    if isinstance(item, Wish):
        out.wishes.append(str(item))
        out.take(item, "wish")
        return
    try:
        if len(out.settings) == _MOST_SETTINGS:
            raise refuse("orders.too_many", most=_MOST_SETTINGS)
        out.settings.append((item, _resolved(item, context)))
    except Refused as refused:
        out.turn_down(item, refused.problem)


def _resolved(item: Item, context: Context) -> Standing | AskMe | CancelOrder:
    """The setting in ids. Raises `Refused` for a kind or a fact of the clock that the game does not have."""
    if isinstance(item, StandingOrder):
        kind, until = context.kind(item.kind), context.until(item.until)
        when, unless = context.conditions(item.when), context.conditions(item.unless)
        return Standing(context.seat, kind, item.body, when, unless, until)
    if isinstance(item, AskOrder):
        kind = context.kind(item.kind)
        if kind in context.sheet_kinds and item.when != NEVER:
            raise refuse("orders.sheet", kind=kind, near=(f"standing {kind}: pass",))
        return AskMe(context.seat, kind, item.when, context.until(item.until))
    assert isinstance(item, CancelOrder)
    kind = item.kind and context.kind(item.kind)
    return CancelOrder(line=item.line, last=item.last, text=item.text, kind=kind)


def _press(out: Classified, item: PressItem, context: Context) -> None:
    to: list[str] = []
    for word in item.to:
        seat = "all" if fold(word) in ("all", "全員") else seat_named(word, context.names, context.seats)
        if not seat:
            near = nearest(fold(word[:40]), [*context.seats, "all"])
            out.turn_down(item, Problem("block.unknown_seat", {"word": word[:40]}, "", near))
            return
        to.append(seat)
    to = ["all"] if "all" in to else list(dict.fromkeys(to))
    if not context.private_press and to != ["all"] and to != [MODERATOR]:
        out.turn_down(item, Problem("press.not_now"))
        return
    out.press.append(PressLetter(to, item.body, item.line))
    out.take(item, "press", f"BEGIN PRESS to={','.join(to)}")
