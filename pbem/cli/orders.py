"""`pbem orders`: orders judged before they are sent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.exits import Exit
from pbem.cli.options import PathParam, json_option

if TYPE_CHECKING:
    from pbem.orders import Receipt


@click.group("orders")
def orders_group() -> None:
    """Check orders without sending them."""


@orders_group.command("check")
@click.argument("file", type=PathParam(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--view",
    type=PathParam(exists=True, dir_okay=False),
    help="A player's view file (pbem report --format view): all that he can know.",
)
@click.option(
    "--save",
    type=PathParam(exists=True, dir_okay=False),
    help="The save itself, for the moderator: the referee's own verdict. Nothing is written.",
)
@json_option
@click.pass_context
def check_command(
    ctx: click.Context, file: Path, view: Path | None, save: Path | None, as_json: bool
) -> None:
    """Judge the orders in FILE (a letter's text or a move file; - is stdin) as the referee would."""
    from pbem.cli.console import Stop, data, emit_json

    if (view is None) == (save is None):
        hint = "--view: a player's view file (pbem report --format view); --save: the moderator's save"
        raise Stop("give either --view or --save", Exit.USAGE, hint=hint)
    text = sys.stdin.read() if str(file) == "-" else _text(file)
    receipts, shown = _by_view(view, text) if view is not None else _by_save(save or Path(), text)
    if not receipts:
        from pbem.orders import read, say

        found = "; ".join(say(one.key, one.args) for one in read(text).findings)
        raise Stop(
            f"no orders in {file}" + (f": {found}" if found else ""),
            Exit.REFUSED,
            hint="they stand between BEGIN ORDERS game seat code and END ORDERS",
        )
    if as_json:
        emit_json("receipts", {"receipts": receipts})
    else:
        for one in shown:
            data(one)
    if any(one.problem is not None or one.refused for one in receipts):
        ctx.exit(Exit.REFUSED)


def _text(file: Path) -> str:
    from pbem.post.inbox.plain import clean_text, decode_bytes

    return clean_text(decode_bytes(file.read_bytes(), None)[0])


def _by_view(view: Path, text: str) -> tuple[list[Receipt], list[str]]:
    """The receipts, as data and in the language of the file's reader."""
    from pbem.cli.console import Stop
    from pbem.orders import ViewError, check

    try:
        import tomllib

        document = tomllib.loads(view.read_text("utf-8"))
        receipts = check(document, text)
        return receipts, _in_words(document, receipts)
    except (ViewError, ValueError) as error:
        raise Stop(f"{view}: {error}", hint="ask the moderator for a new view file") from None


def _in_words(document: dict[str, Any], receipts: list[Receipt]) -> list[str]:
    import games
    from pbem.report import Catalogue, receipt_text
    from pbem.report.viewfile import frame_from, names_from

    about = frame_from(document)
    say = Catalogue(games.load(document["rules"]), None, about.language, names_from(document))
    return [receipt_text(one, say, about) for one in receipts]


def _by_save(save: Path, text: str) -> tuple[list[Receipt], list[str]]:
    """The receipts, as data and in the moderator's language."""
    from pbem.cli.guard import guard
    from pbem.cli.look import opened
    from pbem.orders import apply, read
    from pbem.post.outbox.reader import frame
    from pbem.report import Catalogue, receipt_text

    session = opened(save)
    name = session.save.header.name
    people = {one.id: one for one in session.save.seats}
    abouts = {seat: frame(session, info) for seat, info in people.items()}  # before anything is tried
    receipts = [
        apply(session.referee, block, game=name, via=f"check:{number}")
        for number, block in enumerate(read(text, several=True).blocks)
    ]
    for one in receipts:  # a receipt tells what its seat is asked, and what it has sent before
        guard(session.save, one.seat)
    say = Catalogue(session.game, session.components, session.save.post.language, session.referee.names)
    return receipts, [receipt_text(one, say, abouts.get(one.seat)) for one in receipts]


COMMANDS = [orders_group]
