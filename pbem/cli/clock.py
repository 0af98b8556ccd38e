"""`pbem tick`, `pbem remind`: reminders, deadlines and outages."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.commands import command
from pbem.cli.exit_codes import Exit
from pbem.cli.options import PathParam, add_option, json_option, now_option, paths_argument, sender_option

if TYPE_CHECKING:
    from pbem.clock.beacon import BeaconRound
    from pbem.mail.save_index import SaveIndex
    from pbem.mail.scheduler.tick_run import TickReport


@command("tick", "pbem tick ~/games", "pbem -q tick g1.toml")
@paths_argument
@sender_option
@add_option(
    "--beacon",
    "FILE",
    "Rounds of a public beacon (drand), one JSON object a line; the round of the day goes into the dice.",
    type=PathParam(exists=True, dir_okay=False, allow_dash=True),
)
@json_option
@now_option
@click.pass_context
def tick_command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    sender: str,
    beacon: Path | None,
    as_json: bool,
    now: datetime,
    reading: bool = False,
) -> None:
    """Send reminders and apply deadlines.

    Deadlines move after an outage. No deadline expires before mail has been read once after it. Web pages of games with
    the setting `site` are updated.
    """
    from pbem.cli.console import progress_bar
    from pbem.cli.site import refresh
    from pbem.mail.scheduler.due import run_if_idle

    saves, rounds = list(paths) or [Path()], _rounds(beacon)
    remind = not reading or _was_read(saves, now)
    with progress_bar("saves") as progress:
        nothing = None if as_json else run_if_idle(saves, now, progress, remind=remind)
    if nothing is not None:
        _show_opened(len(nothing.index.paths), 0)
        index, home, whole = nothing.index, nothing.home, True
    else:
        from pbem.cli.console import busy
        from pbem.mail.scheduler.tick import tick_games

        with busy("doing what is due"):
            run = tick_games(saves, now=now, sender=sender, rounds=rounds, reading=reading)
        index, home, whole = run.index, run.taking.home, not run.done.letters.incomplete
        _tell(run.done, as_json)
    whole &= refresh(index, now)
    _tell_outside(index, home, now, sender)
    if not whole:
        ctx.exit(Exit.PARTIAL)


def _was_read(saves: list[Path], now: datetime) -> bool:
    """Check if mail was read in this run. If not, the answer that a reminder asks for may be in the mailbox."""
    from pbem.clock import heartbeat
    from pbem.mail.save_index import home_of

    read = heartbeat.load(home_of(saves)).read
    return read is not None and read >= now


def _rounds(file: Path | None) -> list[BeaconRound]:
    """Return the rounds in a file, or of a command that is piped in (`-`)."""
    from pbem.cli.console import CommandFailed
    from pbem.clock.beacon import BadBeacon, rounds_of

    if file is None:
        return []
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
        return list(rounds_of(text))
    except (BadBeacon, OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"{file}: {error}") from None


def _tell_outside(index: SaveIndex, home: Path, now: datetime, sender: str) -> None:
    """Send emails to spectators and webhooks of public events. Faults are printed and stop nothing."""
    from pbem.cli.console import event, warn
    from pbem.file_locks import Busy

    wrong: list[str] = []
    if any(save.post.onlookers for _, save in index.marked("onlookers")):
        from pbem.mail.spectators import write_all

        written, wrong = write_all(index, home, now=now, sender=sender)
        if written:
            event(f"{written} emails to spectators")
    if any(save.post.notify for _, save in index.marked("notify")):
        from pbem.mail.webhooks import notify

        try:
            wrong += notify(index, home)
        except (OSError, Busy) as error:
            wrong.append(f"notify: {error}")
    for why in wrong:
        warn(why)


def _tell(done: TickReport, as_json: bool) -> None:
    from pbem.cli.console import emit_json

    if as_json:
        emit_json("tick", done.shown())
    else:
        _show(done)


def _show(done: TickReport) -> None:
    from pbem.cli.console import data, event, warn
    from pbem.cli.mail import show_report

    for line in done.time_up:
        event(line)
    for line in (*done.outages, *done.needs):
        data(line)
    for line in done.moderator:
        warn(line)
    if reminders := done.shown().reminders:
        event(f"{reminders} reminders written")
    if not done.letters.idle or done.letters.moderator:
        show_report(done.letters)
    _show_opened(done.games, done.opened)


def _show_opened(games: int, opened: int) -> None:
    from pbem.cli.console import note

    note(f"{games} games, {opened} opened")


@command("remind", "pbem remind ~/games", "pbem remind g1.toml --json")
@paths_argument
@json_option
@now_option
@click.pass_context
def remind_command(ctx: click.Context, paths: tuple[Path, ...], as_json: bool, now: datetime) -> None:
    """Show which reminders are due.

    Keep it secret: it shows who hasn't answered. `pbem tick` sends them.
    """
    from pbem.cli.console import data, emit_json, left_out, note
    from pbem.cli.options import guard
    from pbem.mail.scheduler.tick import preview_reminders

    index, found = preview_reminders(list(paths) or [Path()], now=now)
    for _, save in index.marked("plays"):
        guard(save, "moderator")
    if as_json:
        emit_json("remind", {"reminders": found})
    for row in () if as_json else found:
        data(f"{row.game} {row.q} {row.seat}: {row.stage} → {row.to}")
    if not (found or as_json) and index.places:
        note("no reminder is due")
    left_out(ctx, index.broken.values(), bool(index.places))


COMMANDS = {"tick": tick_command, "remind": remind_command}
