"""What time alone brings about in every game of a folder; `pbem tick` runs it from cron.

Reads headers; a save is opened only if something in it is due. One run at a time: the folder is locked. Every step may
be the last one of a run that dies, and the next run goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import games
from pbem.clock import heartbeat, outage
from pbem.clock.beacon import Round
from pbem.clock.heartbeat import Heartbeat
from pbem.post.clockwork import beacons, delegates, due, expiry, outages, reminders
from pbem.post.clockwork.reminder_journal import Occasion, ReminderJournal
from pbem.post.clockwork.run import Run
from pbem.post.inbox.intake import Intake
from pbem.post.save_index import home_of
from pbem.save.session import Loader


def pass_time(
    saves: Sequence[Path],
    *,
    now: datetime,
    sender: str = "",
    home: Path | None = None,
    game: Loader = games.load,
    remind: bool = True,
    jobs: int = 1,
    rounds: Iterable[Round] = (),
) -> Run:
    """Do what is due in the saves (files or folders); with `jobs`, letters are written side by side.

    `rounds` are those of a public beacon. `done` of the run says what came of it; its headers are those after it.

    Raises `Locked` if another run is at work and does not end.
    """
    folder = home or home_of(saves)
    with due.alone(folder):
        intake = Intake(saves, now=now, sender=sender, home=folder, game=game, jobs=jobs)
        run = Run(intake, heartbeat.beat(folder, heartbeat.TICK, now))
        run.rounds = {found.round: found for found in rounds}
        outages.tell_moderators(run)
        for _, path in run.games():
            with run.contained(path):
                _pass_in(run, path)
        if remind:
            run.done.reminders = reminders.send(run, ReminderJournal(folder))
        run.done.letters = intake.finish()
        run.done.opened = len(intake.opened)
        return run


def _pass_in(run: Run, path: Path) -> None:
    """One game in one transaction: its clock stands for our outages, delegates leave, time is up."""
    save, heart, now = run.header(path), run.heart, run.now
    beacon = beacons.is_here(run, save)
    if beacon or outage.unapplied(save, heart) or due.leaves(save, now) or due.is_up(save, heart, now):
        with run.opened(path) as session:
            steps = (beacons.take_in, outages.stand_still, delegates.take_leave, expiry.time_runs_out)
            changed = [step(run, session) for step in steps]
            if any(changed):
                run.store(session)
    if due.waits_for_mail(run.header(path), heart, now):
        since = f"mail was last read {heart.read or 'never'}"
        run.done.moderator.append(f"{save.header.name}: time is up, but {since}: nothing is done")


def due_reminders(saves: Sequence[Path], *, now: datetime) -> list[Occasion]:
    """The reminders that a run would send now. Changes nothing."""
    run = Run(Intake(saves, now=now), Heartbeat())
    found, _ = reminders.due(run, ReminderJournal(home_of(saves)))
    return [addressed.occasion for addressed in found]
