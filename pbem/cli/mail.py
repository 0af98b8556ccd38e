"""`pbem ingest` and `pbem send`: letters in, letters out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.exits import Exit
from pbem.cli.options import json_option, now_option, saves_option

if TYPE_CHECKING:
    from pbem.post.report import IngestReport, Outcome

sender_option = click.option(
    "--from",
    "sender",
    default="",
    envvar="PBEM_FROM",
    show_envvar=True,
    metavar="ADDRESS",
    help="The address that letters come from, where the save names none.",
)


@click.command("ingest")
@click.argument(
    "paths", nargs=-1, metavar="[SAVE...] SOURCE...", type=click.Path(path_type=Path, allow_dash=True)
)
@saves_option
@sender_option
@click.option("-n", "--dry-run", is_flag=True, help="Show everything that would happen; write nothing.")
@click.option("--receipts", is_flag=True, help="Show the receipts, too.")
@click.option(
    "--authserv",
    default="",
    envvar="PBEM_AUTHSERV",
    metavar="HOST",
    help="Put aside what this mail host marks dmarc=fail (its name in Authentication-Results).",
)
@json_option
@now_option
@click.pass_context
def ingest_command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    saves: Path,
    sender: str,
    dry_run: bool,
    receipts: bool,
    authserv: str,
    as_json: bool,
    now: datetime,
) -> None:
    """Letters and move files in, letters out.

    A SOURCE is an mbox, a Maildir, a folder of letters, a letter, a move file (*.orders), or - for standard input.
    Name the saves (SAVE..., files) or their folder (--saves). Sources are never changed; what was dealt with is
    remembered in the saves, so that the same mailbox again changes nothing. Letters to be sent lie in outbox/ (a
    Maildir) beside the saves, letters that cannot be trusted in quarantine/.
    """
    from pbem.cli.console import Stop, emit_json, progress
    from pbem.post.ingest import ingest
    from pbem.post.shelf import is_save

    chosen = [path for path in paths if path.suffix == ".toml" and path.is_file() and is_save(path)]
    sources = [path for path in paths if path not in chosen]
    if not sources:
        raise Stop("no mail to read", Exit.USAGE, hint="name an mbox, a Maildir, a move file, or - for stdin")
    with progress("letters") as advance:
        report = ingest(
            chosen or [saves],
            sources,
            dry_run=dry_run,
            now=now,
            sender=sender,
            authserv=authserv,
            tick=lambda count: advance(count, count),
        )
    if as_json:
        emit_json(report)
    else:
        show_report(report, receipts=receipts or dry_run)
    if report.incomplete:
        ctx.exit(Exit.PARTLY)


@click.command("send")
@saves_option
@sender_option
@json_option
@now_option
@click.pass_context
def send_command(ctx: click.Context, saves: Path, sender: str, as_json: bool, now: datetime) -> None:
    """Deliver letters that are due without mail.

    After a run that died, or a change by hand.
    """
    from pbem.cli.console import emit_json
    from pbem.post.intake import Intake

    report = Intake([saves], now=now, sender=sender).finish()
    if as_json:
        emit_json(report)
    else:
        show_report(report)
    if report.incomplete:
        ctx.exit(Exit.PARTLY)


def show_report(report: IngestReport, *, receipts: bool = False) -> None:
    """What a run did: letters in and letters out on stdout, what needs attention on stderr; nothing if it was idle."""
    from pbem.cli.console import data, note, warn

    for one in report.letters:
        data(_line(one))
        if receipts and one.receipt:
            data(_indented(one.receipt))
    for sent in report.sent:
        data(f"→ {sent.game} {sent.seat}: {sent.subject}" + ("" if report.dry_run else f"  [{sent.file}]"))
        if sent.text:
            data(_indented(sent.text))
    for line in report.moderator:
        warn(line)
    for place, why in report.broken.items():
        warn(why if place in why else f"{place}: {why}")
    held = sum(one.fate == "quarantined" for one in report.letters)
    if held and not report.dry_run:
        note(f"{held} put aside: pbem quarantine list")
    if report.idle:
        note(f"nothing new ({report.known} letters known)" if report.known else "nothing new")
    if report.dry_run:
        note("dry run: nothing was written")


def _line(one: Outcome) -> str:
    who = " ".join(part for part in (one.game, one.seat) if part) or one.where
    if one.fate == "quarantined":
        return f"! {one.held}: put aside: it {one.why} ({one.where})"
    counts = f"{one.accepted} taken, {one.refused} refused"
    why = one.why or (counts if one.accepted or one.refused else "nothing in it")
    return f"{'!' if one.fate in ('postponed', 'failed') else '←'} {who}: {one.fate}: {why} ({one.where})"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))


COMMANDS = [ingest_command, send_command]
