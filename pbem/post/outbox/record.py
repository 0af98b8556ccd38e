"""What a view file tells besides the present: the course of the scores, and the press that a seat has sent or got."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Move, Referee, ReplayError
from pbem.kernel.table import Line
from pbem.moments import stamp
from pbem.orders.codes import head_of
from pbem.orders.receipt import fingerprint
from pbem.post.outbox.drafts import add_words
from pbem.post.outbox.reader import frame, reader_of
from pbem.report.model import Frame
from pbem.report.viewfile import dumps, view_file
from pbem.save import Save, SeatInfo, Session, chain, codec, origins
from pbem.save.errors import ReplayFailed

# What a letter quotes so that it can be verified later: a few lines, attached, that a program reads (`pbem verify`).

_GROUPS = 16


def proof_of(session: Session, seat: SeatInfo, lines: Sequence[Line] = ()) -> str:
    """What the next letter to a seat quotes. `lines` are its news."""
    return "\n".join(_quoted(session, seat, lines)) + "\n"


def _quoted(session: Session, seat: SeatInfo, lines: Sequence[Line]) -> Iterator[str]:
    save, header = session.save, session.save.header
    yield f"~ {header.name} {seat.id} {seat.told.letters + 1}"
    yield f"~ head {header.n} {save.dice.epoch} {header.head}"
    if header.pack:
        yield f"~ pack {header.pack_digest}"
    if not seat.told.letters or seat.told.newcomer:
        yield f"~ seed {save.dice.commitment}"
        for who, nonce in save.dice.nonces.items():
            yield f"~ nonce {who} {nonce}"
    for info in save.seats:
        if info.told.seen_head:
            yield f"~ seen {info.id} {info.told.seen} {grouped(info.told.seen_head)}"
    for line in lines:
        dice, draw = line.args.get("dice"), line.args.get("draw")
        if isinstance(dice, list) and isinstance(draw, int):
            epoch = chain.epoch_of(line.n + 1, save.dice.epochs())
            faces = " ".join(map(str, dice))
            yield f"~ dice {draw} {line.n} {epoch} {line.args.get('sides', 6)}: {faces}"
    yield from _committed(session, seat)
    for q, answer in _own(session, seat):
        yield f"~ mine {q} {of_answer(seat.id, q, answer)}"


def _committed(session: Session, seat: SeatInfo) -> Iterator[str]:
    """What a moderator who plays has committed to, if the open question is sealed and put to him too."""
    referee, plays = session.referee, session.save.post.plays
    asked = referee.pending_to(plays)
    if not plays or plays == seat.id or asked is None or not asked.sealed:
        return
    move = referee.sealed.get(plays)
    if move is None:
        yield f"~ unsealed {plays} {referee.q}"
        return
    epoch = session.save.dice.epoch
    sealed = chain.sealed_before(bytes.fromhex(session.save.dice.seed), plays, referee.q, epoch, move.answer)
    yield f"~ sealed {plays} {referee.q} {epoch} {sealed}"


def _own(session: Session, seat: SeatInfo) -> Iterator[tuple[int, Any]]:
    """The reader's answers since his last letter: those that have been journaled, and a sealed one as it stands."""
    save = session.save
    moves: list[Any] = list(save.moves)
    if seat.told.moves < save.earlier_n:
        moves = [*codec.earlier_moves(save, seat.told.moves), *moves]
    for move in moves:
        if move.n > seat.told.moves and move.seat == seat.id:
            yield move.q, move.answer
    sealed = session.referee.sealed.get(seat.id)
    if sealed is not None:
        yield sealed.q, sealed.answer


def of_answer(seat: str, q: int, answer: Any) -> str:
    """The fingerprint of an answer, as letters quote it."""
    return fingerprint(f"{seat} {q} {msgspec.json.encode(answer, order='deterministic').decode()}")


def grouped(head: str) -> str:
    """The beginning of a head in groups of four."""
    return "-".join(head[at : at + 4] for at in range(0, _GROUPS, 4))


# -- what answers carry back -----------------------------------------------------------------------------------------


def note_seen(session: Session, seat: SeatInfo, code: str, at: datetime, *, openly: bool) -> None:
    """Note the head that a seat's letter carried back; tell everybody of one that this game never had.

    Only what an answer to an open question carried (`openly`) is told to others: else they would learn from it that
    somebody has answered a sealed question.
    """
    begins = head_of(code)
    if not begins or begins in seat.told.foreign:
        return
    found = _find(session.save, begins)
    if found is None:
        seat.told.foreign = [*seat.told.foreign, begins]
        for info in session.save.seats:
            who = reader_of(session, info).say.name(seat.id)
            head = f"{begins[:4]}-{begins[4:]}"
            add_words(session, info, "proof.foreign", f"foreign.{seat.id}.{begins}", at, who=who, head=head)
    elif openly and found[0] >= seat.told.seen:
        seat.told.seen, seat.told.seen_head = found


def _find(save: Save, begins: str) -> tuple[int, str] | None:
    """The move whose hash begins so, and the beginning of that hash; None if no branch of the game has had it."""
    for move in reversed(save.moves):
        if move.hash.startswith(begins):
            return move.n, move.hash[:_GROUPS]
    start = chain.start(save)
    if start.startswith(begins):
        return 0, start[:_GROUPS]
    for rewind in save.dice.rewinds:
        if rewind.was_head.startswith(begins):
            return 0, start[:_GROUPS]  # a branch that was given up: it is no news that he knows it
    if f'hash = "{begins}' in save.earlier:
        move = next(link for link in codec.earlier_moves(save) if link.hash.startswith(begins))
        return move.n, move.hash[:_GROUPS]
    return None


Course = list[tuple[str, dict[str, int]]]
"""`(turn, points by seat)`: at the end of each turn, and now."""


def full_frame(session: Session, seat: SeatInfo, course: Course | None = None) -> Frame:
    """As `letters.frame`, with history and press. `course` spares playing the journal through again."""
    found = frame(session, seat)
    if course is None:
        # Played under older rules: the present is all that can be told.
        with contextlib.suppress(ReplayError):
            course = course_of(session)
    found.history = list(course or ())
    found.press = list(press_for(session.save, seat.id))
    return found


def view_text(session: Session, seat: SeatInfo) -> str:
    """The seat's view file, for its own programs."""
    about = full_frame(session, seat, [])
    document = view_file(session.referee, seat.id, frame=about, lines=lines_of(session))
    return dumps(document)


def lines_of(session: Session) -> list[Line]:
    """All that has been told; of a game begun under older rules, what has been told since its checkpoint."""
    try:
        return session.lines()
    except ReplayFailed:
        return session.lines(session.referee.line_base)


def press_for(save: Save, seat: str) -> Iterator[dict[str, Any]]:
    """The press that `seat` wrote or was sent, oldest first; the moderator reads all."""
    for press in save.press:
        if seat in (MODERATOR, press.seat) or not press.to or seat in press.to:
            yield {"seat": press.seat, "to": list(press.to), "text": press.text, "at": stamp(press.at)}


def groups_of(moves: Sequence[Move]) -> list[list[Move]]:
    """The journal cut where a question closed: answers to one question belong together."""
    groups: list[list[Move]] = []
    for move in moves:
        if groups and groups[-1][-1].q == move.q:
            groups[-1].append(move)
        else:
            groups.append([move])
    return groups


def course_of(session: Session) -> Course:
    """The public scores turn by turn, by playing the journal through once; [] for a game without scores.

    Raises `ReplayError` if the game cannot be played through from its beginning any more.
    """
    game, referee = session.game, at_move(session, [])
    turn, course = turn_of(referee), list[tuple[str, dict[str, int]]]()
    for group in groups_of(origins.cut(session.save, session.game, session.moves())[1]):
        referee.replay(group)
        now = turn_of(referee)
        if now != turn:  # what the end of the turn scored is counted already
            course.append((turn, dict(game.view(referee.table, "").scores)))
            turn = now
    scores = dict(game.view(referee.table, "").scores)
    return [*course, (turn, scores)] if scores else []


def at_move(session: Session, moves: Sequence[Move]) -> Referee:
    """The game after these moves from its beginning, or since its rules changed."""
    mark, rest = origins.cut(session.save, session.game, moves)
    return Referee.resume(session.game, session.setup, rest, mark, components=session.components)


def turn_of(referee: Referee) -> str:
    """The turn that the game is in, as its clock tells; "" if it tells none."""
    return str(referee.game.clock(referee.table.state).get("turn", ""))
