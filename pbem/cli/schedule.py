"""`pbem run`: the run that a scheduler starts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from pbem.cli.clock import tick_command
from pbem.cli.commands import command
from pbem.cli.exit_codes import Exit
from pbem.cli.mail import (
    authserv_option,
    fetch_command,
    ingest_command,
    lying,
    print_digests,
    send_command,
    smtp_option,
)
from pbem.cli.options import F, PathParam, add_option, now_option, saves_option, sender_option


def _mail_options(function: F) -> F:
    """Add the options for reading and sending mail."""
    imap = add_option(
        "--imap", "URL", "Mailbox to fetch from: imaps://user@host/INBOX.", default="", envvar="PBEM_IMAP"
    )
    what = "Maildir or mbox to read instead."
    maildir = click.option("--maildir", type=PathParam(), metavar="PATH", help=what)
    return saves_option(imap(maildir(smtp_option(sender_option(authserv_option(function))))))


@command("run", "pbem run --saves ~/games", "pbem -q run --saves ~/games --maildir ~/Maildir")
@_mail_options
@now_option
@click.pass_context
def run_command(
    ctx: click.Context,
    saves: Path,
    imap: str,
    maildir: Path | None,
    smtp: str,
    sender: str,
    authserv: str,
    now: datetime,
) -> None:
    """Fetch mail, apply deadlines and send mail, once.

    It does what `pbem fetch` (or `ingest`), `pbem tick` and `pbem send` do. Each step is done even if the one before it
    failed. While a run is at work, another one does nothing.
    """
    from contextlib import ExitStack

    from pbem.cli.console import note, told_once
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
            return
        held.enter_context(told_once(saves, now))
        statuses = {_status(ctx, command, words) for command, words in steps}
        print_digests(saves, sending["waiting"], smtp)
    if statuses != {Exit.OK}:
        ctx.exit(statuses.pop() if len(statuses) == 1 else Exit.PARTIAL)


def _status(ctx: click.Context, command: click.Command, words: dict[str, Any]) -> int:
    """Run one of the commands and return its exit status. Errors are printed."""
    from pbem.cli.console import CommandFailed, explain, warn
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
