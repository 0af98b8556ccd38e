"""`pbem run`, and its step `pbem tick`: reminders, deadlines, and what else is due."""

from __future__ import annotations

import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli import console, mail, options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json, event, note, warn
from pbem.cli.options import F, PathParam, add_option, guard
from pbem.cli.site import refresh

if TYPE_CHECKING:
    from pbem.clock.beacon import BeaconRound
    from pbem.mail.save_index import SaveIndex
    from pbem.mail.scheduler.tick_run import TickReport


@command("tick", "~/games", "pbem -q tick g1.toml")
@options.paths
@options.sender
@add_option(
    "--beacon",
    "FILE",
    "Rounds of a public beacon (drand), one JSON object a line; the round of the day goes into the dice.",
    type=PathParam(exists=True, dir_okay=False, allow_dash=True),
)
@options.json
@options.now
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
    from pbem.mail.scheduler.due import run_if_idle

    saves, rounds = list(paths) or [Path()], _rounds(beacon)
    remind = not reading or _was_read(saves, now)
    with console.progress_bar("saves") as progress:
        nothing = None if as_json else run_if_idle(saves, now, progress, remind=remind)
    if nothing is not None:
        _show_opened(len(nothing.index.paths), 0)
        index, home, whole = nothing.index, nothing.home, True
    else:
        from pbem.mail.scheduler.tick import tick_games

        with console.busy("doing what is due"):
            run = tick_games(saves, now=now, sender=sender, rounds=rounds, reading=reading)
        index, home, whole = run.index, run.taking.home, not run.done.emails.incomplete
        if as_json:
            emit_json("tick", run.done.shown())
        else:
            _show(run.done)
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
    from pbem.clock.beacon import BadBeacon, rounds_of

    if file is None:
        return []
    with console.failing((BadBeacon, OSError, UnicodeDecodeError), f"{file}: "):
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
        return list(rounds_of(text))


def _tell_outside(index: SaveIndex, home: Path, now: datetime, sender: str) -> None:
    """Send emails to spectators and webhooks of public events. Faults are printed and stop nothing."""
    from pbem.file_locks import Busy

    wrong: list[str] = []
    if any(save.post.onlookers for _, save in index.marked("onlookers")):
        from pbem.mail.webhooks import email_spectators

        written, wrong = email_spectators(index, home, now=now, sender=sender)
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


def _show(done: TickReport) -> None:
    for line in done.time_up:
        event(line)
    for line in (*done.outages, *done.needs):
        data(line)
    for line in done.moderator:
        warn(line)
    if reminders := done.shown().reminders:
        event(f"{reminders} reminders written")
    if not done.emails.idle or done.emails.moderator:
        mail.show_report(done.emails)
    _show_opened(done.games, done.opened)


def _show_opened(games: int, opened: int) -> None:
    note(f"{games} games, {opened} opened")


@command("remind", "~/games", "g1.toml --json")
@options.paths
@options.json
@options.now
@click.pass_context
def remind_command(ctx: click.Context, paths: tuple[Path, ...], as_json: bool, now: datetime) -> None:
    """Show which reminders are due.

    Keep it secret: it shows who hasn't answered. `pbem tick` sends them.
    """
    from pbem.mail.scheduler.tick import preview_reminders

    index, reminders = preview_reminders(list(paths) or [Path()], now=now)
    for _, save in index.marked("plays"):
        guard(save, "moderator")
    if as_json:
        emit_json("remind", {"reminders": reminders})
    for row in () if as_json else reminders:
        data(f"{row.game} {row.q} {row.seat}: {row.stage} → {row.to}")
    if not (reminders or as_json) and index.places:
        note("no reminder is due")
    console.left_out(ctx, index.broken.values(), bool(index.places))


def _mail_options(function: F) -> F:
    maildir = add_option("--maildir", "PATH", "Maildir or mbox to read instead.", type=PathParam())
    return options.saves(options.imap(maildir(options.smtp(options.sender(mail.authserv_option(function))))))


@command("run", "--saves ~/games", "pbem -q run --saves ~/games --every 10")
@_mail_options
@add_option("--every", "N", "Run again every N minutes, until SIGTERM or Ctrl-C.", type=click.IntRange(1, 1440))
@options.now
@click.pass_context
def run_command(ctx: click.Context, /, every: int | None, **words: Any) -> None:
    """Fetch mail, apply deadlines and send mail, once.

    It does what `pbem fetch` (or `ingest`), `pbem tick` and `pbem send` do. Each step is done even if the one before it
    failed. While a run is at work, another one does nothing. With --every it repeats, for
    containers and machines without a scheduler, and stops between two runs.
    """
    if every is None:
        status = _once(ctx, **words)
        if status is not Exit.OK:
            ctx.exit(status)
        return
    with _until_sigterm() as ended:
        while True:
            start = time.monotonic()
            _once(ctx, **words)
            if ended(every * 60 - (time.monotonic() - start)):
                return
            words["now"] = datetime.now(UTC).replace(microsecond=0)


@contextmanager
def _until_sigterm() -> Iterator[Callable[[float], bool]]:
    """Yield a function that sleeps some seconds and returns whether SIGTERM has come: a run isn't cut off by it."""
    import socket  # a single tick needs none

    told: list[int] = []
    there, here = socket.socketpair()  # a signal that comes just before the sleep must end it, too
    with there, here:
        here.setblocking(False)
        woken = signal.set_wakeup_fd(here.fileno(), warn_on_full_buffer=False)
        before = signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))

        def ended(seconds: float) -> bool:
            until = time.monotonic() + seconds
            while not told and (left := until - time.monotonic()) > 0:
                if select.select([there], [], [], left)[0]:
                    there.recv(64)  # another signal's: such as a changed window
            return bool(told)

        try:
            yield ended
        finally:
            signal.signal(signal.SIGTERM, before)
            signal.set_wakeup_fd(woken)


def _once(
    ctx: click.Context,
    saves: Path,
    imap: str,
    maildir: Path | None,
    smtp: str,
    sender: str,
    authserv: str,
    now: datetime,
) -> Exit:
    """Do all steps once and return the status. Errors are printed."""
    from contextlib import ExitStack

    from pbem.file_locks import Busy, lock

    common: dict[str, Any] = {"sender": sender, "as_json": False, "now": now}
    sending = {"saves": saves, "smtp": smtp, "again": False, "waiting": mail.lying(saves), **common}
    ticking = {"paths": (saves,), "reading": bool(imap) or maildir is not None, **common}
    steps: list[tuple[click.Command, dict[str, Any]]] = [(tick_command, ticking), (mail.send_command, sending)]
    if imap and maildir is None:
        fetching = {"saves": saves, "imap": imap, "authserv": authserv, "tell": False, **common}
        steps.insert(0, (mail.fetch_command, fetching))
    elif maildir is not None:
        more = {"dry_run": False, "pipe": False, "receipts": False, "authserv": authserv, "tell": False}
        steps.insert(0, (mail.ingest_command, {"paths": (maildir,), "saves": saves, **more, **common}))
    with ExitStack() as locks:
        try:
            locks.enter_context(lock(saves / "cron.lock", 0))
        except Busy:
            note("another run is at work here")
            return Exit.OK
        locks.enter_context(console.told_once(saves, now))
        statuses = {_status(ctx, command, words) for command, words in steps}
        if smtp:
            _tell_of_full_disk(saves, smtp, sender, now)
        mail.print_digests(saves, sending["waiting"], smtp)
    return Exit(statuses.pop()) if len(statuses) == 1 else Exit.PARTIAL


def _tell_of_full_disk(saves: Path, smtp: str, sender: str, now: datetime) -> None:
    """Send the moderators their digest if the disk is full: nothing can be put into the outbox."""
    from pbem.mail.notices import DISK, Notices

    with suppress(OSError, ValueError):  # what the run prints tells it
        if not any(need.key.startswith(f"fault|{DISK}|") for need in Notices(saves, now).troubles()):
            return
        from pbem.mail.save_index import SaveIndex
        from pbem.mail.scheduler.due import tell_moderators
        from pbem.mail.transport.dispatch import PastTheOutbox
        from pbem.mail.transport.smtp import carrier

        tell_moderators(SaveIndex([saves]), PastTheOutbox(saves / "outbox", carrier(smtp)), now, sender, printed=False)


def _status(ctx: click.Context, command: click.Command, words: dict[str, Any]) -> int:
    try:
        try:
            ctx.invoke(command, **words)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as error:
            console.explain(error)
    except click.exceptions.Exit as end:
        return end.exit_code
    except CommandFailed as error:
        key, hours = _fault(command, error)
        warn(error.format_message(), key=key, mail=hours)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return Exit.OK


def _fault(command: click.Command, error: CommandFailed) -> tuple[str, int]:
    """Return the key of a fault, and the hours after which it is emailed to moderators."""
    import errno

    from pbem.atomic_files import FULL
    from pbem.mail.notices import DISK, MAILBOX, SENDING, UNSENT
    from pbem.save import Unwritable

    cause, disk = error.__cause__, (*FULL, errno.EIO, errno.EROFS)
    if isinstance(cause, Unwritable) or (isinstance(cause, OSError) and cause.errno in disk):
        return DISK, 0
    if command is mail.send_command:
        return SENDING, UNSENT
    return MAILBOX if command is mail.fetch_command else "", 2
