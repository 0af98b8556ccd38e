"""`pbem quarantine`: letters put aside, and what the moderator decides about them."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import click

from pbem.cli.options import F, PathParam, json_option, now_option, saves_option


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


@quarantine_group.command("list")
@_own_saves
@click.option("--all", "everything", is_flag=True, help="Also those released or refused.")
@json_option
@click.pass_obj
def list_command(saves: Path, everything: bool = False, as_json: bool = False) -> None:
    """What waits for a decision."""
    from pbem.cli.console import emit_json, note, table
    from pbem.post.inbox.quarantine import Quarantine

    found = Quarantine(saves / "quarantine").listed(everything=everything)
    if as_json:
        emit_json("quarantine", {"letters": found})
        return
    if not found:
        note("nothing in quarantine")
        return
    rows = [
        [h.id, h.at[:16], h.state, h.sender or "?", h.game or "-", h.seat or "-", h.reason] for h in found
    ]
    table(rows, ["id", "at", "state", "sender", "game", "seat", "reason"])


@quarantine_group.command("show")
@_own_saves
@click.argument("ident")
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
@click.argument("idents", nargs=-1, required=True, metavar="ID...")
@click.option("--seat", default="", help="Whose letter it is, if it does not say so itself.")
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
    show_report(intake.finish())


@quarantine_group.command("refuse")
@_own_saves
@click.argument("idents", nargs=-1, required=True, metavar="ID...")
@click.pass_obj
def refuse_command(saves: Path, idents: tuple[str, ...]) -> None:
    """Put a letter away for good (it stays in quarantine/cur)."""
    from pbem.cli.console import note
    from pbem.post.inbox.quarantine import Quarantine

    quarantine = Quarantine(saves / "quarantine")
    for ident in idents:
        held = quarantine.settle(quarantine.find(ident), "refused")
        note(f"{held.id} refused")


COMMANDS = [quarantine_group]
