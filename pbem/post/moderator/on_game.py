"""Actions on the game itself: a correction, a rewind, a look at what is secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.fiat import Fiat
from pbem.kernel.problems import Refused
from pbem.moments import stamp
from pbem.post.moderator.journal import ActionError, Author, everybody, journal, tell
from pbem.post.moderator.rehearsal import rehearse
from pbem.save import ModeratorAction, Plan, Session, take_back


def correct(session: Session, author: Author, steps: str) -> ModeratorAction:
    """Correct the state by hand (`countries.england.status=3; …`).

    Raises `Refused` if an invariant would not hold, or play could not go on; `ActionError` if there is nothing to do.

    A path or value may be of hidden things (a hand), so players read the reason, not the steps; what each may know of
    the change stands in his position. While the moderator plays, a correction that fails is told to all as a try, and
    he is not told why it failed: it would be a probe.
    """
    if not session.save.post.plays:
        return _correct(session, author, steps)
    try:
        return _correct(session, author, steps)
    except Refused:
        return probe(session, author)


def probe(session: Session, author: Author) -> ModeratorAction:
    """A moderator who plays has tried a correction, on purpose or in vain: everybody hears of it."""
    action = journal(session, author, "fiat-tried", everybody(session))
    tell(session, action, "action.fiat_tried")
    return action


def restore(session: Session, author: Author, n: int, letters: Mapping[str, int]) -> ModeratorAction:
    """Play on from a save that is older than what letters have told (move `n`): everybody hears of it.

    `letters` is how many each seat has got: the next ones are numbered on, or they would be taken for those.
    """
    for seat in session.save.seats:
        seat.told.letters = max(seat.told.letters, letters.get(seat.id, 0))
    action = journal(session, author, "restore", everybody(session), n=session.referee.n, was=n)
    tell(session, action, "action.restore", n=str(session.referee.n), was=str(n))
    return action


def _correct(session: Session, author: Author, steps: str) -> ModeratorAction:
    domain = Fiat(session.referee.table, session.game.invariants)
    values: Any = domain.parse(steps)
    if not values:
        raise ActionError("there is nothing to correct: write PATH=VALUE")
    rehearse(session, values)
    session.referee.fiat(values, at=stamp(author.now), via=f"moderator: {author.reason}")
    said, n = domain.text(values), session.referee.n
    action = journal(session, author, "fiat", everybody(session), steps=said, n=n)
    tell(session, action, "action.fiat")
    return action


def rewind(session: Session, author: Author, n: int) -> tuple[ModeratorAction, Plan]:
    """Take the game back to after move `n`; the file as it was is kept. Raises `BadRewind`."""
    author.check("rewind")  # before the file is changed
    plan = take_back(session, n, author.now)
    action = journal(session, author, "rewind", everybody(session), n=n, was=plan.was_n)
    tell(session, action, "action.rewind", n=str(n))
    return action, plan


def reveal(session: Session, author: Author, what: str) -> ModeratorAction:
    """The moderator looks at what is secret, and everybody hears of it."""
    action = journal(session, author, "reveal", everybody(session), subject=what)
    tell(session, action, "action.reveal", what=what)
    return action
