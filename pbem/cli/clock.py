"""`pbem tick`, `pbem remind`, `pbem cron`: what time alone brings about."""

from __future__ import annotations

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.exits import Exit
from pbem.cli.options import json_option, now_option, paths_argument, saves_option, sender_option

if TYPE_CHECKING:
    from pbem.post.clockwork.run import TimePassed


@click.command("tick")
@paths_argument
@sender_option
@json_option
@now_option
@click.pass_context
def tick_command(
    ctx: click.Context, paths: tuple[Path, ...], sender: str, as_json: bool, now: datetime
) -> None:
    """Do what is due: reminders, deadlines, grace, outages.

    For cron. Reads headers; opens a save only if something in it is due. No deadline bites while mail has not been read
    since it passed.
    """
    from pbem.cli.console import emit_json
    from pbem.post.clockwork.passing import pass_time

    done = pass_time(list(paths) or [Path()], now=now, sender=sender)
    if as_json:
        done.letters = done.letters.shown()
        emit_json(done)
    else:
        _show(done)
    if done.letters.incomplete:
        ctx.exit(Exit.PARTLY)


def _show(done: TimePassed) -> None:
    from pbem.cli.console import data, event, note, warn
    from pbem.cli.mail import show_report

    for line in done.time_up:
        event(line)
    for line in done.outages:
        data(line)
    for line in done.moderator:
        warn(line)
    if done.reminders:
        event(f"{done.reminders} reminders written")
    if not done.letters.idle or done.letters.moderator:
        show_report(done.letters)
    note(f"{done.games} games, {done.opened} opened")


@click.command("remind")
@paths_argument
@click.option("--send", is_flag=True, help="Write what is due into the outbox (as pbem tick does).")
@sender_option
@now_option
@click.pass_context
def remind_command(
    ctx: click.Context, paths: tuple[Path, ...], send: bool, sender: str, now: datetime
) -> None:
    """Which reminders are due (a secret: it tells who has not answered); --send sends them."""
    from pbem.cli.console import data, left_out, note
    from pbem.cli.guard import guard
    from pbem.post.clockwork.passing import due_reminders, pass_time
    from pbem.post.save_index import SaveIndex

    saves = list(paths) or [Path()]
    if send:
        _show(pass_time(saves, now=now, sender=sender))
        return
    index = SaveIndex(saves)
    for save in index.headers.values():
        guard(save, "moderator")
    found = due_reminders(saves, now=now)
    for row in found:
        data(f"{row.game} {row.q} {row.seat}: {row.stage} → {row.to}")
    if not found and index.headers:
        note("no reminder is due")
    left_out(ctx, index.broken.values(), bool(index.headers))


@click.command("cron")
@saves_option
@click.option("--imap", default="", metavar="URL", help="Fetch mail from here: imaps://user@host/INBOX.")
@click.option("--maildir", type=click.Path(path_type=Path), help="Or read mail from this Maildir (or mbox).")
@click.option(
    "--smtp", default="", metavar="URL", help="Send through here: smtps://user@host, or `sendmail`."
)
@click.option("--minutes", default=10, show_default=True, type=click.IntRange(1, 59), help="How often.")
def cron_command(saves: Path, imap: str, maildir: Path | None, smtp: str, minutes: int) -> None:
    """Print a ready crontab.

    Keep it in a file, put MAILTO and the passwords in, and install that: `crontab FILE`. Errors come to you by cron's
    own mail.
    """
    from pbem.cli.console import data

    pbem = shlex.join([str(Path(sys.argv[0]).resolve())]) if Path(sys.argv[0]).name == "pbem" else "pbem"
    home = shlex.quote(str(saves.resolve()))
    if imap and maildir is None:
        read = f"{pbem} -q fetch --saves {home} --imap {shlex.quote(imap)}"
    else:
        folder = (maildir or Path("~/Maildir")).expanduser()
        read = f"{pbem} -q ingest --saves {home} {shlex.quote(str(folder))}"
    send = f"{pbem} -q send --saves {home}" + (f" --smtp {shlex.quote(smtp)}" if smtp else "")
    # % is a line end to cron.
    job = f"{read} ; {pbem} -q tick {home} ; {send}".replace("%", r"\%")
    data(
        "# pbem: read mail, do what time brings, send letters. flock keeps a slow run from being overtaken.\n"
        "# Put in MAILTO, to whom errors go, and the passwords, or leave those to the keyring (docs/moderator.md).\n"
        "MAILTO=you@example.org\n"
        f"{_settings(imap if maildir is None else '', smtp)}"
        f"*/{minutes} * * * * flock -n {home}/cron.lock sh -c {shlex.quote(job)}"
    )


def _settings(imap: str, smtp: str) -> str:
    """What the jobs need from their environment, to be filled in."""
    import os

    lines = ["# PBEM_IMAP_PASSWORD=..."] if imap else []
    lines += ["# PBEM_SMTP_PASSWORD=..."] if "@" in smtp else []
    own = os.environ.get("PBEM_CAFILE", "")
    lines += [f"PBEM_CAFILE={own}"] if own else []
    return "".join(f"{line}\n" for line in lines)


COMMANDS = [tick_command, remind_command, cron_command]
