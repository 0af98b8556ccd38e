"""`pbem watch`: who follows a game from outside."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem import LANGUAGES
from pbem.cli.options import author_of, by_option, json_option, now_option, save_argument

if TYPE_CHECKING:
    from pbem.post.moderator.journal import Author
    from pbem.save import ModeratorAction, Session


def _show(save: Path, as_json: bool) -> None:
    """Who follows the game, in which language, how often, and how many letters went to each."""
    from pbem.cli.console import emit_json, note, table
    from pbem.save import load

    found = load(save, recent=True).post.onlookers
    if as_json:
        emit_json("watch", {"onlookers": found})
    elif found:
        rows = [
            [onlooker.address, onlooker.language, str(onlooker.hours), str(onlooker.letters)]
            for onlooker in found
        ]
        table(rows, ["address", "language", "hours", "letters"])
    else:
        note("nobody follows the game")


@click.command("watch")
@save_argument
@click.argument("what", type=click.Choice(["list", "add", "remove"]))
@click.argument("address", required=False, default="")
@click.option("--lang", "language", type=click.Choice(LANGUAGES), default="en", help="Of add: his language.")
@click.option(
    "--hours", type=click.IntRange(0, 24 * 31), default=0, help="Of add: least time between two letters."
)
@click.option("--reason", default="asked for", show_default=True, help="Why. Everybody reads it.")
@by_option
@json_option
@now_option
def watch_command(
    save: Path,
    what: str,
    address: str,
    language: str,
    hours: int,
    reason: str,
    by: str,
    as_json: bool,
    now: datetime,
) -> None:
    """Who follows a game from outside: list, add, remove.

    ADDRESS gets public news, the public position and public press, and no code. The players are told that somebody
    looks on, not who. pbem tick writes the letters.
    """
    from pbem.cli.console import data, emit_json
    from pbem.cli.mail import show_report
    from pbem.post.moderator.journal import act
    from pbem.post.moderator.on_seats import follow, unfollow

    if what == "list":
        _show(save, as_json)
        return
    if not address:
        raise click.UsageError(f"whom? pbem watch {save} {what} ADDRESS")

    def work(session: Session, author: Author) -> ModeratorAction:
        if what == "add":
            return follow(session, author, address, language=language, hours=hours)
        return unfollow(session, author, address)

    session, action, report = act(save, author_of(by, reason, now), work)
    if as_json:
        emit_json("watch", {"onlookers": session.save.post.onlookers})
        return
    data(f"{session.save.header.name} {action.id}: {action.what} {address}")
    show_report(report, home=save.parent)


COMMANDS = [watch_command]
