"""`pbem run`: the run that a scheduler starts."""

from __future__ import annotations

import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from pbem.cli.clock import tick_command
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, explain, note, told_once, warn
from pbem.cli.exit_codes import Exit
from pbem.cli.mail import authserv_option, fetch_command, ingest_command, lying, print_digests, send_command
from pbem.cli.options import F, PathParam, add_option, imap_option, now_option, saves_option, sender_option, smtp_option


def _mail_options(function: F) -> F:
    """Add the options for reading and sending mail."""
    what = "Maildir or mbox to read instead."
    maildir = click.option("--maildir", type=PathParam(), metavar="PATH", help=what)
    return saves_option(imap_option(maildir(smtp_option(sender_option(authserv_option(function))))))


@command("run", "pbem run --saves ~/games", "pbem -q run --saves ~/games --every 10")
@_mail_options
@add_option("--every", "N", "Run again every N minutes, until SIGTERM or Ctrl-C.", type=click.IntRange(1, 1440))
@now_option
@click.pass_context
def run_command(ctx: click.Context, /, every: int | None, **words: Any) -> None:
    """Fetch mail, apply deadlines and send mail, once.

    It does what `pbem fetch` (or `ingest`), `pbem tick` and `pbem send` do. Each step is done even if the one before it
    failed. While a run is at work, another one does nothing. With --every it goes on for containers and machines
    without a scheduler, and ends between two runs.
    """
    if every is None:
        status = _once(ctx, **words)
        if status is not Exit.OK:
            ctx.exit(status)
        return
    with _until_told() as ended:
        while True:
            start = time.monotonic()
            _once(ctx, **words)
            if ended(every * 60 - (time.monotonic() - start)):
                return
            words["now"] = datetime.now(UTC).replace(microsecond=0)


@contextmanager
def _until_told() -> Iterator[Callable[[float], bool]]:
    """Yield a function that sleeps some seconds and returns whether SIGTERM has come: a run isn't cut off by it."""
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
    sending = {"saves": saves, "smtp": smtp, "again": False, "waiting": lying(saves), **common}
    ticking = {"paths": (saves,), "reading": bool(imap) or maildir is not None, **common}
    steps: list[tuple[click.Command, dict[str, Any]]] = [(tick_command, ticking), (send_command, sending)]
    if imap and maildir is None:
        steps.insert(0, (fetch_command, {"saves": saves, "imap": imap, "authserv": authserv, **common}))
    elif maildir is not None:
        more = {"dry_run": False, "pipe": False, "receipts": False, "authserv": authserv}
        steps.insert(0, (ingest_command, {"paths": (maildir,), "saves": saves, **more, **common}))
    with ExitStack() as held:
        try:
            held.enter_context(lock(saves / "cron.lock", 0))
        except Busy:
            note("another run is at work here")
            return Exit.OK
        held.enter_context(told_once(saves, now))
        statuses = {_status(ctx, command, words) for command, words in steps}
        print_digests(saves, sending["waiting"], smtp)
    return Exit(statuses.pop()) if len(statuses) == 1 else Exit.PARTIAL


def _status(ctx: click.Context, command: click.Command, words: dict[str, Any]) -> int:
    """Run one of the commands and return its exit status. Errors are printed."""
    from pbem.mail.notices import UNSENT

    try:
        try:
            ctx.invoke(command, **words)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Exception as error:
            explain(error)
    except click.exceptions.Exit as end:
        return end.exit_code
    except CommandFailed as error:
        # A full disk is reported at once, an unreadable mailbox if it lasts. SMTP faults can't be reported by email.
        mail = 0 if _of_the_disk(error.__cause__) else UNSENT if command is send_command else 2
        warn(error.format_message(), mail=mail)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return Exit.OK


def _of_the_disk(error: BaseException | None) -> bool:
    """Check if a file couldn't be written or read here."""
    import errno

    from pbem.save import Unwritable

    disk = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
    return isinstance(error, Unwritable) or (isinstance(error, OSError) and error.errno in disk)


COMMANDS = {"run": run_command}
