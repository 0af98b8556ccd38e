"""What follows from a change of a game before it is stored: new questions are put, with their deadlines."""

from __future__ import annotations

from datetime import datetime, timedelta

from pbem.clock.policy import announce
from pbem.save import Scores, Session


def set_due(session: Session, now: datetime) -> None:
    """Let understudies answer, then put the questions that are new, with their deadlines.

    They are asked now, and due when the game's clock says (`pbem.clock.policy.announce`). Counted from when the letters
    of this run go out, the same for all. Counted from the answer that opened the question, they would tell its time.
    """
    if any(seat.understudy for seat in session.save.seats):
        from pbem.post.understudies import answer_for

        answer_for(session, now)
    session.sync(now + timedelta(hours=max(0, session.save.post.release)))
    announce(session.save)
    keep_scores(session)


def keep_scores(session: Session) -> None:
    """Note the public points when a turn has begun, for the chart in reports."""
    header, game = session.save.header, session.game
    turn = header.clock.get("turn")
    label = str(turn) if turn is not None else ""
    if not label or (header.history and header.history[-1].label == label and not header.over):
        return
    points = dict(game.view(session.referee.table, "").scores)
    if header.over:
        label = f"{label}*"
    if points and not (header.history and header.history[-1].label == label):
        header.history.append(Scores(label, points))
