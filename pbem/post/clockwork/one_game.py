"""What time brings about in one game, in one transaction: its clock stands for outages, delegates leave, time is up."""

from __future__ import annotations

from pathlib import Path

from pbem.clock import outage
from pbem.post.clockwork import beacons, delegates, due, expiry, outages
from pbem.post.clockwork.run import Run


def pass_in(run: Run, path: Path) -> None:
    """Let time pass in a game; what goes wrong in it is contained."""
    with run.contained(path):
        _pass_in(run, path)


def _pass_in(run: Run, path: Path) -> None:
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
