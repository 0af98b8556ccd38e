"""The clock events of every game of a folder; `pbem tick` runs it from cron.

Reads headers; a save is opened only if something in it is due. The folder is locked, so there is one run at a time. A
run may die after any step, and the next run goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import games
from pbem.clock import heartbeat
from pbem.clock.beacon import BeaconRound
from pbem.clock.heartbeat import Heartbeat
from pbem.kernel.order_words import normalize_word
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.save_index import SaveIndex, home_of
from pbem.mail.scheduler import due, reaching, reminders
from pbem.mail.scheduler.due import ReminderJournal, ReminderKey
from pbem.mail.scheduler.needs import may_be_due
from pbem.mail.scheduler.reaching import Reach
from pbem.mail.scheduler.tick_game import tick_game
from pbem.mail.scheduler.tick_run import TickRun
from pbem.mail.transport.bounces import Bounces
from pbem.save.session import Loader


def tick_games(
    saves: Sequence[Path],
    *,
    now: datetime,
    sender: str = "",
    home: Path | None = None,
    game: Loader = games.load,
    reading: bool = False,
    rounds: Iterable[BeaconRound] = (),
) -> TickRun:
    """Do what is due in the saves (files or folders).

    `reading`: mail is read in the same run; games of which it couldn't be read get no reminders, as the answer may be
    there. `rounds` are those of a public beacon. `done` of the returned run has the results, its headers are the new
    ones.

    Raises `Locked` if another run is active and doesn't end.
    """
    folder = home or home_of(saves)
    with due.exclusive_run(folder):
        intake = InboxRun(saves, now=now, sender=sender, home=folder, game=game)
        run = TickRun(intake.taking, heartbeat.record_heartbeat(folder, heartbeat.TICK, now), rounds)
        for save, path in run.games():
            with run.contained(path):
                if due.has_due_event(save, run.heart, run.reach, run.now):
                    tick_game(run, path)
        run.done.reminders = reminders.send(run, ReminderJournal(folder), reading=reading)
        run.done.emails = intake.finish()
        run.done.needs = due.tell_moderators(intake.index, run.outbox, now, sender, heart=run.heart)
        run.done.opened = len(intake.taking.games.ever)
        return run


def preview_reminders(saves: Sequence[Path], *, now: datetime) -> tuple[SaveIndex, list[ReminderKey]]:
    """Return the saves, and the reminders that a run would send now; changes nothing."""
    run = TickRun(InboxRun(saves, now=now).taking, Heartbeat())
    return run.index, list(reminders.preview(run, ReminderJournal(home_of(saves))))


def after_sending(run: InboxRun, names: Iterable[str]) -> dict[str, str]:
    """Start or stop the time of questions whose emails were sent or refused; return the saves that failed."""
    now, broken = run.now, {*run.report.broken}
    _speak_for(run, names)
    reach = Reach(run.home)
    for name, save in list(may_be_due(run.index, Heartbeat(), reach, now)):
        path = run.index.paths[name]
        if reach.changes(save, now):
            with run.taking.delivery.contained(path), run.taking.games.transaction(path) as work:
                work.changed = reaching.settle(work.session, reach, now)
                work.session.save.header.unsent |= work.changed
    return {place: why for place, why in run.report.broken.items() if place not in broken}


def _speak_for(run: InboxRun, names: Iterable[str]) -> None:
    whose = {tuple(name.rsplit(".", 3)[:2]) for name in names}
    marks = sorted(f"={normalize_word(game)}" for game, *_ in whose)
    found = [
        (save.header.name, seat.id, seat.addresses[0])
        for _, save in run.index.marked(*marks)
        for seat in save.seats
        if seat.addresses and (save.header.name, seat.id) in whose
    ]
    Bounces(run.home).speak_for("sent", found, run.now)
