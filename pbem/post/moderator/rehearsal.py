"""A correction is tried on a copy of the game before anything is written: can everybody be told, and can play go on?"""

from __future__ import annotations

from pbem.kernel.problems import Problem, Refused
from pbem.kernel.questions import MODERATOR
from pbem.report.build import build
from pbem.save import Session
from pbem.save.session import replayed
from pbem.save.upgrading import play_on

Steps = list[dict[str, object]]


def rehearse(session: Session, steps: Steps) -> None:
    """Correct a copy, show it to everybody and play it on to the next question.

    Raises `Refused` if the state cannot be shown or played: no game could have come to it.
    """
    mark = session.last_mark()
    played = [*session.moves()][mark.n :]
    copy = replayed(session.game, session.setup, played, mark, session.components)
    try:
        copy.fiat(steps)
        for seat in (*session.setup.seats, "", MODERATOR):
            build(copy, seat)
        play_on(copy)
        broken = next(iter(session.game.invariants(copy.table)), None)
    except Refused:
        raise
    except Exception as error:  # the rules met a state that they cannot have led to
        path = "; ".join(str(step["path"]) for step in steps)
        why = f"play cannot go on with it ({type(error).__name__}: {error})"
        raise Refused(Problem("fiat.value", {"path": path, "why": why})) from None
    if broken is not None:
        raise Refused(broken)
