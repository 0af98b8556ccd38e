"""Outages of ours: the clock of a game stands for as long as we did, and everybody hears of it once."""

from __future__ import annotations

import hashlib

from pbem.clock import outage
from pbem.clock.policy import announce
from pbem.moments import stamp
from pbem.post.clockwork.run import Run
from pbem.post.outbox.drafts import add_words
from pbem.post.outbox.message import Outgoing, host_of, to_bytes
from pbem.post.outbox.reader import moderator, reader_of
from pbem.report.cells import wrap
from pbem.save import Session


def stand_still(run: Run, session: Session) -> bool:
    """Let the clock stand for every gap, and tell everybody; False if there is none."""
    save = session.save
    gaps = outage.unapplied(save, run.heart)
    if not gaps:
        return False
    outage.stand_still(save, gaps)
    announce(save)
    since, until = min(gap.since for gap in gaps), max(gap.until for gap in gaps)
    for seat in save.seats:
        when = reader_of(session, seat).when
        args = {"since": when(since), "until": when(until)}
        add_words(session, seat, "outage", f"outage.{stamp(until)}", run.now, **args)
    told = f"no deadline counted from {stamp(since)} to {stamp(until)} (outage); everybody is told"
    run.done.outages.append(f"{save.header.name}: {told}")
    return True


def tell_moderators(run: Run) -> None:
    """One letter on an outage to each moderator, whatever number of games; before any game has noted it.

    Its name follows from the last gap, so that the rest of a run that died does not write it again.
    """
    last = max((gap.until for gap in run.heart.gaps), default=None)
    concerned: dict[str, list[int]] = {}
    known = run.games()
    for at, (save, _) in enumerate(known):
        if save.post.moderator and outage.unapplied(save, run.heart):
            for to in save.post.moderator:
                concerned.setdefault(to, []).append(at)
    for to, which in concerned.items():
        ident = hashlib.sha256(f"outage.{stamp(last)} {to}".encode()).hexdigest()[:16]
        if run.outbox.has(f"notice.{ident}"):
            continue
        path = known[which[0]][1]
        with run.contained(path), run.opened(path) as session:
            _write(run, session, to, ident, [known[at][0].header.name for at in which])


def _write(run: Run, session: Session, to: str, ident: str, names: list[str]) -> None:
    reader, gaps = reader_of(session, moderator(session)), outage.unapplied(session.save, run.heart)
    home, game = run.sender(session.save), reader.say.join(names)
    since, until = min(gap.since for gap in gaps), max(gap.until for gap in gaps)
    text = reader.words("moderator.outage", game=game, since=reader.when(since), until=reader.when(until))
    letter = Outgoing(
        ident=f"notice.{ident}@{host_of(home)}",
        sender=home,
        to=to,
        subject=reader.words("moderator.outage.subject", game=game),
        text="\n".join(wrap(text, 72)) + "\n",
        at=run.now,
        name="pbem",
    )
    run.outbox.put(f"notice.{ident}", to_bytes(letter))
