"""`pbem tui`: the terminal UI. Textual is imported when it is opened, not before."""

from __future__ import annotations

from pathlib import Path

import click

from pbem import LANGUAGES
from pbem.cli import completing
from pbem.cli.exits import Exit
from pbem.cli.options import PathParam


@click.command("tui")
@click.argument("path", metavar="SAVE|VIEW", type=PathParam(exists=True, dir_okay=False))
@click.option(
    "--seat",
    default="",
    shell_complete=completing.seats,
    help="Of a save: look through this seat's eyes, or the public's (default: the moderator's).",
)
@click.option("--lang", type=click.Choice(LANGUAGES), help="The language (F2 switches).")
@click.option("--theme", default="", help="pbem-dark, pbem-light or pbem-plain (F3 switches).")
@click.option(
    "--to",
    default="",
    envvar="PBEM_TO",
    show_envvar=True,
    metavar="ADDRESS",
    help="Where letters of orders go to.",
)
@click.option(
    "--from",
    "sender",
    default="",
    envvar="PBEM_ME",
    show_envvar=True,
    metavar="ADDRESS",
    help="Your own address.",
)
@click.option(
    "--screenshots",
    type=PathParam(file_okay=False),
    help="Write an SVG of every screen into this folder and leave.",
)
def tui_command(
    path: Path, seat: str, lang: str | None, theme: str, to: str, sender: str, screenshots: Path | None
) -> None:
    """Play in the terminal: the map, your hand, your questions, press, ballots, the log.

    SAVE is for the moderator, or for --seat; VIEW is the view file that came with your letter. Every screen has help
    under `?`; nothing leaves your machine before you choose how.
    """
    from pbem.cli.console import Stop, note
    from pbem.tui import NoTerminal
    from pbem.tui.model.seat_desk import BadView
    from pbem.tui.themes import NAMES

    if theme and theme not in NAMES:
        raise Stop(f"no theme '{theme}'", Exit.USAGE, hint=f"themes: {', '.join(NAMES)}")
    seat = _allowed(path, seat)
    try:
        if screenshots is not None:
            from pbem.tui.shots import shoot

            for file in shoot(path, screenshots, seat=seat, language=lang or "", theme=theme):
                note(str(file))
        else:
            from pbem.tui import run

            run(path, seat=seat, language=lang or "", theme=theme, to=to, sender=sender)
    except NoTerminal as error:
        hint = "--screenshots FOLDER draws every room into a file; pbem report tells the same as text"
        raise Stop(str(error), Exit.USAGE, hint=hint) from None
    except BadView as error:
        raise Stop(str(error), hint="name a save, or a view file from `pbem report --format view`") from None


def _allowed(path: Path, seat: str) -> str:
    """The seat to look with: a moderator who plays sits at his own seat, and may not look over another's shoulder."""
    from pbem.cli.guard import guard
    from pbem.post.save_index import is_save
    from pbem.save import load_header

    if not path.is_file() or not is_save(path):
        return seat
    save = load_header(path)
    seat = seat or save.post.plays
    guard(save, seat or "moderator")
    return seat


COMMANDS = [tui_command]
