"""`pbem run` and `pbem setup schedule`: the run that a scheduler starts, and the lines that make it do so."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

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


# -- for schedulers --------------------------------------------------------------------------------------------------


class Job(NamedTuple):
    """What to run at which interval in minutes, with which environment."""

    words: Sequence[str]
    minutes: int
    environment: dict[str, str]
    passwords: Sequence[str]
    """Variables that the moderator fills in, unless a keyring holds them."""


@command(
    "schedule", "pbem setup schedule --saves ~/games", "pbem setup schedule --scheduler systemd --every 15"
)
@_mail_options
@add_option("--every minutes", "N", "Minutes between two runs.", default=10, type=click.IntRange(1, 60))
@add_option(
    "--scheduler",
    "",
    "What starts it: cron, a systemd timer, or launchd (macOS).",
    default="crontab",
    type=click.Choice(["crontab", "systemd", "launchd"]),
)
def schedule_command(
    saves: Path,
    imap: str,
    maildir: Path | None,
    smtp: str,
    sender: str,
    authserv: str,
    minutes: int,
    scheduler: str,
) -> None:
    """Print what starts `pbem run` on a schedule.

    It prints a crontab, systemd units or a launchd job. Fill in the passwords, or keep them in the keyring. cron emails
    errors to you; systemd writes them to its journal.
    """
    from pbem.cli.console import data

    if not imap and maildir is None:
        maildir = Path("~/Maildir").expanduser()
    words = [*_pbem(), "-q", "run", "--saves", _whole(saves)]
    words += ["--imap", imap] if imap and maildir is None else ["--maildir", _whole(maildir or Path())]
    for option, value in (("--smtp", smtp), ("--from-address", sender), ("--authserv", authserv)):
        words += [option, value] if value else []
    passwords = ["PBEM_IMAP_PASSWORD"] if imap and maildir is None else []
    passwords += ["PBEM_SMTP_PASSWORD"] if "@" in smtp else []
    environment = {name: os.environ[name] for name in ("PBEM_CAFILE", "PBEM_ALLOW") if os.environ.get(name)}
    job = Job(words, minutes, environment, passwords)
    data({"crontab": _crontab, "systemd": _systemd, "launchd": _launchd}[scheduler](job))


def _pbem() -> list[str]:
    """Return how a scheduler, whose PATH is short, starts this pbem."""
    script = Path(sys.argv[0])
    if script.name in ("pbem", "pbem.exe") and script.is_file():
        return [_whole(script)]
    return [sys.executable, "-m", "pbem"]


def _whole(path: Path) -> str:
    """Return an absolute path, without resolving links."""
    return os.path.abspath(path)  # noqa: PTH100 - `resolve` would follow links


def _crontab(job: Job) -> str:
    from pbem.cli.console import CommandFailed

    if 60 % job.minutes:
        fits = ", ".join(str(n) for n in range(1, 61) if not 60 % n)
        hint = f"{fits}; or --scheduler systemd, --scheduler launchd"
        raise CommandFailed(f"cron cannot run anything every {job.minutes} minutes", Exit.USAGE, hint=hint)
    when = f"*/{job.minutes} * * * *" if job.minutes < 60 else "0 * * * *"
    lines = [
        "# pbem: fetch mail, apply deadlines, send mail.",
        "# Put in MAILTO, to whom errors go, and the passwords, or leave those to the keyring (pbem docs moderator).",
        "MAILTO=you@example.org",
        *(f"# {name}=..." for name in job.passwords),
        *(f"{name}={value}" for name, value in job.environment.items()),
        f"{when} {shlex.join(job.words)}".replace("%", r"\%"),  # % is a line end to cron
    ]
    return "\n".join(lines)


def _systemd(job: Job) -> str:
    command = " ".join(_unit_word(word) for word in job.words)
    lines = [
        "# ~/.config/systemd/user/pbem.service",
        "[Unit]",
        "Description=pbem: fetch mail, apply deadlines, send mail",
        "",
        "[Service]",
        "Type=oneshot",
        *(f"# Environment={name}=..." for name in job.passwords),
        *(
            f"Environment={_unit_word(f'{name}={value}', dollar='$')}"
            for name, value in job.environment.items()
        ),
        f"ExecStart={command}",
        "",
        "# ~/.config/systemd/user/pbem.timer",
        "# then: systemctl --user daemon-reload && systemctl --user enable --now pbem.timer && loginctl enable-linger",
        "[Unit]",
        f"Description=pbem every {job.minutes} minutes",
        "",
        "[Timer]",
        "OnBootSec=2min",
        f"OnUnitActiveSec={job.minutes}min",
        "",
        "[Install]",
        "WantedBy=timers.target",
    ]
    return "\n".join(lines)


def _unit_word(word: str, dollar: str = "$$") -> str:
    """Quote a word of a systemd unit: `%` doubled, and `$` too where it would name a variable."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    return f'"{plain}"'


def _launchd(job: Job) -> str:
    import plistlib

    told = {"Label": "pbem", "ProgramArguments": list(job.words), "StartInterval": job.minutes * 60}
    told |= {"StandardErrorPath": "/tmp/pbem.log", "RunAtLoad": True}
    if job.environment:
        told["EnvironmentVariables"] = job.environment
    install = "~/Library/LaunchAgents/pbem.plist; then: launchctl load ~/Library/LaunchAgents/pbem.plist"
    if job.passwords:
        install += f"; in the keyring, or in EnvironmentVariables: {', '.join(job.passwords)}"
    head, line, rest = plistlib.dumps(told, sort_keys=False).decode().partition("<plist ")
    return f"{head}<!-- {install} -->\n{line}{rest}".rstrip("\n")


COMMANDS = {"run": run_command, "setup schedule": schedule_command}
