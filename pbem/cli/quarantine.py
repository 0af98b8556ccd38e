"""`pbem quarantine`: emails that can't be trusted, and what the moderator decides about them."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec

from pbem.cli import completion, options
from pbem.cli.commands import OLD, Group, command, group
from pbem.cli.console import Exit, data, emit_json, note, table
from pbem.cli.mail import show_report
from pbem.cli.options import FOLDER, F, add_option, guard
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.quarantine import REASONS, Quarantine, QuarantinedEmail, QuarantineFilter, QuarantineView, summary
from pbem.mail.save_index import SaveIndex

SHOWN = 50  # maximum number of emails that are listed one by one


class _Quarantine(Group):
    """The group; the former `pbem quarantine --saves FOLDER release ID` works for one release."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if ctx.obj != Path() and args[0] in ("release", "refuse"):
            new = OLD[f"quarantine {args[0]}"]
            note(f"`quarantine {args[0]}` is now `{new}`")
            args = [new.split()[1], *args[1:]]
        return super().resolve_command(ctx, args)


@group("quarantine", _Quarantine)
@options.saves
@click.pass_context
def quarantine_group(ctx: click.Context, saves: Path) -> None:
    """List, read, accept and discard quarantined emails."""
    ctx.obj = saves
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


def _own_saves(function: F) -> F:
    """Add `--saves` to the command as well as to the group."""

    def put(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
        ctx.obj = value or ctx.obj

    what = "Folder of saves, with outbox and quarantine in it."
    return add_option("--saves", "FOLDER", what, type=FOLDER, expose_value=False, callback=put)(function)


def _filters(function: F) -> F:
    filters = (
        add_option("--sender", "ADDRESS", "Only emails with this in the sender's address.", default=""),
        add_option(
            "--reason",
            "REASON",
            "Only emails quarantined for this reason.",
            default="",
            callback=_reason,
            shell_complete=completion.reasons,
        ),
        add_option("--game", "NAME", "Only emails for this game.", default=""),
        options.seat("Only emails in the name of this seat."),
        add_option("--days", "N", "Only emails quarantined at least N days ago.", type=click.FloatRange(min=0)),
        options.now,
    )
    for option in reversed(filters):
        function = option(function)
    return function


def _reason(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if value and value not in REASONS:
        raise click.BadParameter(f"'{value}' isn't a reason. Reasons: {', '.join(REASONS)}")
    return value


def _sought(words: dict[str, str], days: float | None, now: datetime) -> QuarantineFilter:
    return QuarantineFilter(**words, before=now - timedelta(days=days) if days is not None else None)


@command("quarantine list", "pbem quarantine list", "--reason wrong-code --limit 10")
@_own_saves
@click.option("--all", "everything", is_flag=True, help="Also list accepted and discarded emails.")
@add_option("--limit", "N", "At most N rows.", default=SHOWN, type=click.IntRange(min=1))
@_filters
@options.json
@click.pass_obj
def list_command(
    saves: Path,
    /,
    now: datetime,
    everything: bool = False,
    as_json: bool = False,
    days: float | None = None,
    limit: int = SHOWN,
    **words: str,
) -> None:
    """List the quarantined emails that wait for a decision.

    Emails that can be a player's come first.
    """
    sought = _sought(words, days, now)
    listed = Quarantine(saves / "quarantine").listed(everything=everything)
    matching = QuarantineView(filter(sought.fits, listed), SaveIndex([saves])).emails
    if as_json:
        plain: list[dict[str, Any]] = msgspec.to_builtins(matching)
        emails = [{"has_reply_code": email.pop("coded"), **email} for email in plain]
        emit_json("quarantine", {"emails": emails})
        return
    if not matching:
        note("nothing in quarantine" if not listed else f"none of the {len(listed)} emails in quarantine")
        return
    rows = [
        [h.id, f"{h.at:%Y-%m-%dT%H:%M}", h.state, h.sender or "?", h.game or "-", h.seat or "-", h.reason]
        for h in matching[:limit]
    ]
    table(rows, ["id", "at", "state", "sender", "game", "seat", "reason"])
    if matching[limit:]:
        note(f"and {len(matching) - limit} more: {summary(matching[limit:])}")


@command("quarantine show", "beafaefab6f7", "beafaefab6f7 --raw")
@_own_saves
@click.argument("ident", metavar="ID", shell_complete=completion.quarantined_ids)
@click.option("--raw", is_flag=True, help="Print the email as it came, with all headers.")
@click.pass_obj
def show_command(saves: Path, ident: str, raw: bool) -> None:
    """Show a quarantined email, and why it is there."""
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
    mail = decode_mail(content)
    data("")
    data(mail.text if held.kind == "mail" else content.decode("utf-8", "replace"))
    for file in mail.attachments:
        data(f"--- {file.name}\n{file.text}")


@command("quarantine accept", "beafaefab6f7 --seat ivory", "beafaefab6f7 --add-address")
@_own_saves
@click.argument("idents", nargs=-1, required=True, metavar="ID...", shell_complete=completion.quarantined_ids)
@options.seat("Seat that wrote it, if the email doesn't say so.")
@click.option("--add-address", is_flag=True, help="Add the sender's address to those of the seat.")
@options.now
@click.pass_obj
def accept_command(saves: Path, idents: tuple[str, ...], seat: str, add_address: bool, now: datetime) -> None:
    """Process quarantined emails: you vouch for their sender."""
    intake = InboxRun([saves], now=now)
    for ident in idents:
        intake.release(ident, seat=seat, add_address=add_address)
    report = intake.finish()
    show_report(report)
    done = [outcome for outcome in report.emails if outcome.fate not in ("postponed", "failed", "quarantined")]
    if len(done) < len(report.emails):
        click.get_current_context().exit(Exit.PARTIAL if done else Exit.BAD_DATA)


@command("quarantine discard", "beafaefab6f7", "--sender spam.example --dry-run")
@_own_saves
@click.argument("idents", nargs=-1, metavar="[ID]...", shell_complete=completion.quarantined_ids)
@_filters
@options.dry_run
@click.pass_obj
def discard_command(
    saves: Path, /, idents: tuple[str, ...], now: datetime, dry_run: bool, days: float | None = None, **words: str
) -> None:
    """Discard quarantined emails for good.

    Name them by id, or by the options. An email that can be a player's is discarded only by id; if it has no reply
    code, also by the whole address. The files stay in quarantine/cur.
    """
    sought = _sought(words, days, now)
    by_options = any(words.values()) or days is not None
    if bool(idents) == by_options:
        raise click.UsageError("name emails by id, or by --sender, --reason, --game, --seat, --days")
    quarantine = Quarantine(saves / "quarantine")
    kept = 0
    if idents:
        chosen = [quarantine.find(ident) for ident in idents]
    else:
        heap = QuarantineView(filter(sought.fits, quarantine.listed()), SaveIndex([saves]))
        chosen = heap.refusable(sought)
        kept = len(heap.emails) - len(chosen)
    if not dry_run and chosen:
        quarantine.settle_all(chosen, "refused")
    _show_refused(chosen, kept, dry_run)


def _show_refused(found: list[QuarantinedEmail], kept: int, dry_run: bool) -> None:
    refused = "would be discarded" if dry_run else "discarded"
    if len(found) <= SHOWN:
        for held in found:
            note(f"{held.id} {refused}")
    else:
        note(f"{len(found)} emails {refused}: {summary(found)}")
    if kept:
        note(f"{kept} may be a player's: discard them by id")
    elif not found:
        note("no such email in quarantine")
