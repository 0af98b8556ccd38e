"""A game that waits for answers, and runs of the clock over it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from random import Random

import pytest

import games
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.mail.scheduler import due, tick
from pbem.save import Session, load_header

HOUR = timedelta(hours=1)


def pass_time(saves, *, now, **more):
    """A run. It must do nothing where the headers say that nothing is due; elsewhere `quiet` notes nothing."""
    home = saves[0]
    before = heartbeat.load(home)
    nothing = due.run_if_idle(saves, now)
    after = heartbeat.load(home)
    assert nothing is not None or after == before
    heartbeat.store(home, before)
    run = tick.tick_games(saves, now=now, **more)
    if nothing is not None:
        done = run.done
        assert done.opened == done.reminders == 0
        assert done.emails.idle
        assert [*done.time_up, *done.outages, *done.moderator, *done.emails.broken] == []
        assert heartbeat.load(home) == after
        assert nothing.index.paths == run.index.paths
        assert nothing.home == run.taking.home
    return run


@pytest.fixture
def waiting(desk):
    """A game whose ballot waits for four, none of whom has answered, and its deadline."""
    desk.ingest(desk.box([]))
    shutil.rmtree(desk.folder / "outbox", ignore_errors=True)
    desk.due = load_header(desk.save).pending[0].due
    desk.asked = [question.seat for question in load_header(desk.save).pending]
    return desk


def read_mail(desk, at):
    heart = heartbeat.load(desk.folder)
    heart.read_mail(at, [load_header(desk.save).header.name])
    heartbeat.store(desk.folder, heart)


def steady(desk, until):
    """Cron and mail were well all the time up to `until`."""
    heartbeat.store(desk.folder, heartbeat.Heartbeat(until, until))


def hand_over(desk):
    """A mail server took all that lies in the outbox."""
    for path in desk.folder.glob("outbox/new/*"):
        path.rename(path.parent.parent / "cur" / f"{path.name};2,S")


def set_policy(desk, policy, **more):
    session = Session.open(desk.save, games.load)
    session.save.clock.time_up = dict.fromkeys(("turn", "ballot", "reaction", "negotiation"), policy)
    for name, value in more.items():
        setattr(session.save.clock, name, value)
    session.commit()


def sent(desk):
    return sorted(path.name for path in desk.folder.glob("outbox/*/reminder.*"))


def answer(desk, seats):
    session = Session.open(desk.save, games.load)
    lines = synthetic_mail.answers(session, Random(3))
    mails = [synthetic_mail.write_email(session, seat, lines[seat], desk.due - 30 * HOUR) for seat in seats]
    desk.ingest(desk.box(mails, "answers.mbox"))
