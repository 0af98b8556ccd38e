"""Rewinds: what one would undo, who has learned what since, and its execution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.kernel.journal import AGREED, BEACON
from pbem.kernel.negotiation import PROPOSE, OpenNegotiation
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import AdvanceNote, CheckpointRecord, Move, Referee
from pbem.kernel.standing_orders import AdvanceOrder
from pbem.save import chain, checkpoints, files
from pbem.save.errors import ReplayFailed, RewindError
from pbem.save.schema import Rewind, Save, SentState
from pbem.save.session import Session, replayed, setup_of

if TYPE_CHECKING:
    from pbem.kernel.table import LogLine


class RevealedSince(msgspec.Struct, frozen=True):
    """A log line after the point that revealed something hidden or random.

    `line` is its index, `n` the move that led to it. `seats` may read it, `private` are those who read more than
    others, `told` those whose emails contained it. A proposal heard in a negotiation has `line` -1, key `PROPOSAL`,
    and as `args` its maker and its terms as the others heard them.
    """

    line: int
    n: int
    key: str
    args: dict[str, Any]
    rule: str
    seats: tuple[str, ...]
    private: tuple[str, ...]
    told: tuple[str, ...]


PROPOSAL = "proposal"


class RewindPlan(msgspec.Struct):
    """The effects of a rewind from move `was_n` to move `n`.

    `undone` are the moves taken back, `answers` the seats whose open answer is dropped, `queued` the advance orders
    dropped. `emails` are the ids of emails withdrawn from the outbox. `epoch` is the new one. `kept` is the copy of
    the file, "" before the rewind.
    """

    n: int
    was_n: int
    epoch: int
    undone: list[Move]
    learnt: list[RevealedSince]
    answers: tuple[str, ...]
    queued: list[AdvanceOrder]
    emails: list[str]
    kept: str = ""


_NO_ANSWERS = ("fiat", checkpoints.UPGRADE, BEACON, AGREED)


def rewind_plan(session: Session, n: int) -> RewindPlan:
    """Return what a rewind to move `n` would undo, and who has learned what since. Raises `RewindError`."""
    referee, save = session.referee, session.save
    moves = session.moves()
    if save.origin is not None and n < save.origin.n:
        why = f"after move {save.origin.n - 1} the game was moved to other rules, and can't go back further"
        raise RewindError(why, n=n, remedy=f"Name a move from {save.origin.n} on.")
    _whole_question(moves, n)
    first = session.first_line if n < referee.base else referee.line_base
    lines = [(index, line) for index, line in enumerate(session.lines(first), first) if line.n > n]
    seen = {seat.id: seat.seen for seat in save.seats}
    acts = referee.talk.acts if referee.talk is not None else []
    return RewindPlan(
        n,
        referee.n,
        save.dice.epoch + 1,
        moves[n:],
        [*(_learnt(index, line, seen) for index, line in lines if line.is_irreversible), *_heard(session, moves, n)],
        tuple(dict.fromkeys([*referee.sealed, *(act["seat"] for act in acts)])),
        list(referee.queue),
        [email.id for email in save.outbox if email.of_play],
    )


def take_back(session: Session, n: int, at: datetime | None = None, *, commit: bool = True) -> RewindPlan:
    """Rewind to the point after move `n`, and `commit`: new epoch of dice; open answers and advance orders dropped.

    A copy of the old file is kept in the folder next to it (`RewindPlan.kept`). Raises `SaveError`s.
    """
    session.sync(at)
    planned = rewind_plan(session, n)
    fresh = _back_at(session, planned, at)
    with files.locked(session.path):
        session.check_unchanged()
        planned.kept = str(files.keep(session.path, f"before-rewind-{planned.was_n}-to-{n}"))
        if commit:
            fresh.commit(at)
    session.become(fresh)
    return planned


def _back_at(session: Session, found: RewindPlan, at: datetime | None) -> Session:
    save, n = session.save, found.n
    entries: list[Any] = session.moves()[:n]
    changed = taken_back(save, entries, Rewind(n, found.epoch, at, found.was_n, save.header.head))
    changed.dice.beacon = max((move.answer["round"] for move in entries if move.kind == BEACON), default=0)
    setup = setup_of(changed)
    marks: list[CheckpointRecord] = []
    try:
        mark, rest = checkpoints.cut(save, session.game, entries)
        referee = replayed(session.game, setup, rest, mark, marks.append)
    except ReplayFailed as error:
        raise error.at(session.path) from None
    told = referee.line_base + len(referee.table.lines)
    for seat in changed.seats:
        seat.seen = min(seat.seen, told)
    carry_over(referee, save)
    head = entries[-1].hash if entries else chain.start(save)
    changed.header = msgspec.structs.replace(save.header, n=n, head=head)
    fresh = session.__class__(session.path, changed, referee, marks[-1], session.opened)
    fresh.sync(at)
    return fresh


def taken_back(save: Save, moves: list[Any], switch: Rewind) -> Save:
    """Return the save after these moves: news of the abandoned branch is sent again, every open question put again.

    Its header and the log lines that seats have seen are still those of before.
    """
    return msgspec.structs.replace(
        save,
        seats=[msgspec.structs.replace(info, told_q=0, told=_told_until(info.told, switch.n)) for info in save.seats],
        dice=msgspec.structs.replace(save.dice, rewinds=[*save.dice.rewinds, switch]),
        pending=[],
        outbox=[email for email in save.outbox if not email.of_play],
        moves=moves,
        earlier="",
        earlier_n=0,
    )


def carry_over(referee: Referee, save: Save) -> None:
    """Give a game that was taken back the save's standing orders; of advance orders, only the notice that they end."""
    referee.standing, referee.settings = list(save.standing), list(save.settings)
    referee.notes = [AdvanceNote(q.seat, "advance.rewound", q.text, None, q.letter, q.line) for q in save.queue]
    referee.ask_again()


def _told_until(told: SentState, n: int) -> SentState:
    """Return what emails have reported, without chain heads of the abandoned branch."""
    seen = (told.seen, told.seen_head) if told.seen <= n else (0, "")
    return msgspec.structs.replace(told, moves=min(told.moves, n), seen=seen[0], seen_head=seen[1], doubt=None)


def _whole_question(moves: list[Move], n: int) -> None:
    """Raise `RewindError` unless `n` ends a question: simultaneous answers can't be taken back one by one."""
    if not 0 <= n <= len(moves):
        raise RewindError(
            f"move {n} doesn't exist in this game", remedy=f"Name one from 1 to {len(moves)}, or 0, its beginning."
        )
    after = next((move for move in moves[n:] if move.kind not in _NO_ANSWERS), None)
    if after is None:
        return
    same = [move.n for move in moves if move.q == after.q and move.kind not in _NO_ANSWERS]
    if same[0] <= n:
        why = f"move {n} is one of the simultaneous answers {same[0]} to {same[-1]}"
        raise RewindError(why, n=n, remedy=f"Go back to {same[0] - 1} or to {same[-1]}.")


def _heard(session: Session, moves: list[Move], n: int) -> Iterator[RevealedSince]:
    """Yield the proposals made after move `n`: their signers have read the terms."""
    if any("acts" in move.answer for move in moves[n:] if not move.seat and isinstance(move.answer, dict)):
        referee = session.from_origin(moves[:n])
        for _, group in groupby(moves[n:], key=lambda move: (move.q, move.kind in _NO_ANSWERS)):
            batch = list(group)
            if isinstance(referee.now, Negotiate) and batch[0].kind == referee.now.kind:
                yield from _proposals(referee.now, batch[0].n, batch[0].answer["acts"])
            referee.replay(batch)
    talk = session.referee.talk
    if talk is not None:
        yield from _proposals(talk.request, session.referee.n, talk.acts)


def _proposals(request: Negotiate, n: int, acts: Iterable[Mapping[str, Any]]) -> Iterator[RevealedSince]:
    talk = OpenNegotiation(request)
    for act in acts:
        talk.carry_out(act)
        if act["do"] == PROPOSE:
            made = next(reversed(talk.open.values()))
            who = request.seats if request.public else made.parties
            told = tuple(seat for seat in who if seat != made.by)
            args = {"id": made.id, "by": made.by, "terms": talk.shown(made)}
            yield RevealedSince(-1, n, PROPOSAL, args, request.rule, tuple(who), (), told)


def _learnt(index: int, line: LogLine, seen: dict[str, int]) -> RevealedSince:
    seats = tuple(seat for seat in seen if line.only is None or seat in line.only)
    private = tuple(line.private or ())
    told = tuple(seat for seat in seats if seen[seat] > index)
    return RevealedSince(index, line.n, line.key, line.args, line.rule, seats, private, told)
