"""`pbem quarantine`: letters put aside, and what the moderator decides about them."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli import completing
from pbem.cli.exits import Exit
from pbem.cli.options import F, PathParam, json_option, now_option, saves_option

if TYPE_CHECKING:
    from pbem.post.inbox.quarantine import Held, Sought


@click.group("quarantine", invoke_without_command=True)
@saves_option
@click.pass_context
def quarantine_group(ctx: click.Context, saves: Path) -> None:
    """Letters put aside: list, show, release, refuse."""
    ctx.obj = saves
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


def _own_saves(function: F) -> F:
    """`--saves` behind the command as well, where people put it."""

    def put(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
        ctx.obj = value or ctx.obj

    folder = PathParam(file_okay=False)
    option = click.option(
        "--saves", type=folder, expose_value=False, callback=put, help="As for pbem quarantine."
    )
    return option(function)


def _filters(function: F) -> F:
    """Options that say which letters are meant."""
    options = (
        click.option(
            "--from", "sender", default="", metavar="TEXT", help="With this in the sender's address."
        ),
        click.option(
            "--reason",
            default="",
            callback=_reason,
            shell_complete=completing.reasons,
            help="Put aside for this reason.",
        ),
        click.option("--game", default="", help="For this game."),
        click.option("--seat", default="", shell_complete=completing.seats, help="In the name of this seat."),
        click.option("--days", type=click.FloatRange(min=0), help="Put aside so many days ago, or earlier."),
        now_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


def _reason(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from pbem.post.inbox.quarantine import REASONS

    if value and value not in REASONS:
        raise click.BadParameter(f"'{value}' is none; reasons: {', '.join(REASONS)}")
    return value


def _sought(words: dict[str, str], days: float | None, now: datetime) -> Sought:
    from pbem.post.inbox.quarantine import Sought

    return Sought(**words, before=now - timedelta(days=days) if days is not None else None)


SHOWN = 50
"""Letters that are listed one by one."""


@quarantine_group.command("list")
@_own_saves
@click.option("--all", "everything", is_flag=True, help="Also those released or refused.")
@click.option("--most", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="List no more.")
@_filters
@json_option
@click.pass_obj
def list_command(
    saves: Path,
    /,
    now: datetime,
    everything: bool = False,
    as_json: bool = False,
    days: float | None = None,
    most: int = SHOWN,
    **words: str,
) -> None:
    """What waits for a decision; what may be a player's stands on top."""
    from pbem.cli.console import emit_json, note, table
    from pbem.post.inbox.quarantine import Heap, Quarantine, summary
    from pbem.post.save_index import SaveIndex

    sought = _sought(words, days, now)
    listed = Quarantine(saves / "quarantine").listed(everything=everything)
    found = Heap(filter(sought.fits, listed), SaveIndex([saves])).letters
    if as_json:
        emit_json("quarantine", {"letters": found})
        return
    if not found:
        note("nothing in quarantine" if not listed else f"none of the {len(listed)} letters in quarantine")
        return
    rows = [
        [h.id, f"{h.at:%Y-%m-%dT%H:%M}", h.state, h.sender or "?", h.game or "-", h.seat or "-", h.reason]
        for h in found[:most]
    ]
    table(rows, ["id", "at", "state", "sender", "game", "seat", "reason"])
    if found[most:]:
        note(f"and {len(found) - most} more: {summary(found[most:])}")


@quarantine_group.command("show")
@_own_saves
@click.argument("ident", shell_complete=completing.letters_aside)
@click.option("--raw", is_flag=True, help="The letter as it came, headers and all.")
@click.pass_obj
def show_command(saves: Path, ident: str, raw: bool) -> None:
    """One letter, and why it was put aside."""
    from pbem.cli.console import data
    from pbem.cli.guard import guard
    from pbem.post.inbox.mime import decode_mail
    from pbem.post.inbox.quarantine import Quarantine
    from pbem.post.save_index import SaveIndex

    quarantine = Quarantine(saves / "quarantine")
    held = quarantine.find(ident)
    save = SaveIndex([saves]).find(held.game) if held.game else None
    if save is not None:
        guard(save, held.seat or "moderator")
    content = quarantine.raw(held)
    if raw:
        sys.stdout.buffer.write(content)
        return
    data(f"{held.id}: {held.sentence()}")
    for label in ("state", "sender", "subject", "game", "seat", "at", "where"):
        data(f"{label + ':':9}{getattr(held, label)}")
    letter = decode_mail(content)
    data("")
    data(letter.text if held.kind == "mail" else content.decode("utf-8", "replace"))
    for file in letter.attachments:
        data(f"--- {file.name}\n{file.text}")


@quarantine_group.command("release")
@_own_saves
@click.argument("idents", nargs=-1, required=True, metavar="ID...", shell_complete=completing.letters_aside)
@click.option(
    "--seat",
    shell_complete=completing.seats,
    default="",
    help="Whose letter it is, if it does not say so itself.",
)
@click.option("--add-address", is_flag=True, help="Put the sender's address on the seat's list.")
@now_option
@click.pass_obj
def release_command(
    saves: Path, idents: tuple[str, ...], seat: str, add_address: bool, now: datetime
) -> None:
    """Take a letter in after all: you vouch for its sender."""
    from pbem.cli.mail import show_report
    from pbem.post.inbox.intake import Intake

    intake = Intake([saves], now=now)
    for ident in idents:
        intake.release(ident, seat=seat, add_address=add_address)
    report = intake.finish()
    show_report(report)
    done = [
        outcome for outcome in report.letters if outcome.fate not in ("postponed", "failed", "quarantined")
    ]
    if len(done) < len(report.letters):
        click.get_current_context().exit(Exit.PARTLY if done else Exit.DATA)


@quarantine_group.command("refuse")
@_own_saves
@click.argument("idents", nargs=-1, metavar="[ID]...", shell_complete=completing.letters_aside)
@_filters
@click.option("--dry-run", is_flag=True, help="Only say which.")
@click.pass_obj
def refuse_command(
    saves: Path,
    /,
    idents: tuple[str, ...],
    now: datetime,
    dry_run: bool,
    days: float | None = None,
    **words: str,
) -> None:
    """Put letters away for good (they stay in quarantine/cur): by id, or all that the options name.

    What may be a player's is refused by its id only; without a code, also by the whole address.
    """
    from pbem.post.inbox.quarantine import Heap, Quarantine
    from pbem.post.save_index import SaveIndex

    sought = _sought(words, days, now)
    by_options = any(words.values()) or days is not None
    if bool(idents) == by_options:
        raise click.UsageError("name letters by id, or by --from, --reason, --game, --seat, --days")
    quarantine = Quarantine(saves / "quarantine")
    kept = 0
    if idents:
        found = [quarantine.find(ident) for ident in idents]
    else:
        heap = Heap(filter(sought.fits, quarantine.listed()), SaveIndex([saves]))
        found = heap.refusable(sought)
        kept = len(heap.letters) - len(found)
    if not dry_run and found:
        quarantine.settle_all(found, "refused")
    _show_refused(found, kept, dry_run)


def _show_refused(found: list[Held], kept: int, dry_run: bool) -> None:
    from pbem.cli.console import note
    from pbem.post.inbox.quarantine import summary

    refused = "would be refused" if dry_run else "refused"
    if len(found) <= SHOWN:
        for held in found:
            note(f"{held.id} {refused}")
    else:
        note(f"{len(found)} letters {refused}: {summary(found)}")
    if kept:
        note(f"{kept} may be a player's: refuse them by id")
    elif not found:
        note("no such letter in quarantine")


COMMANDS = [quarantine_group]
