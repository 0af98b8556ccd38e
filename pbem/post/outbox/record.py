"""What a view file tells besides the present: the course of the scores, and the press that a seat has sent or got."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Move, Referee, ReplayError
from pbem.kernel.table import Line
from pbem.moments import stamp
from pbem.post.outbox.reader import frame
from pbem.report.model import Frame
from pbem.report.viewfile import dumps, view_file
from pbem.save import Save, SeatInfo, Session, origins
from pbem.save.errors import ReplayFailed

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
