"""`pbem tui`: the terminal UI. Textual is imported only when it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import Exit, failing, note
from pbem.cli.options import FILE, FOLDER, add_option, guard


@command("tui", "g1.toml --seat amber", "my-view.toml")
@click.argument("path", metavar="[SAVE|VIEW]", required=False, type=FILE)
@options.seat("See a save as this seat, or as `public` [default: as the moderator].")
@options.lang
@options.theme
@add_option(
    "--game-address to",
    "ADDRESS",
    "Address that your orders go to.",
    default="",
    envvar=["PBEM_GAME_ADDRESS", "PBEM_TO"],
)
@add_option("--my-address sender", "ADDRESS", "Your own address.", default="", envvar=["PBEM_MY_ADDRESS", "PBEM_ME"])
@add_option("--screenshots", "FOLDER", "Write an SVG of each screen into this folder, and exit.", type=FOLDER)
def tui_command(
    path: Path | None, seat: str, lang: str | None, theme: str, to: str, sender: str, screenshots: Path | None
) -> None:
    """Open a game in the terminal.

    It shows map, hand, questions, press and log. Each screen has help under `?`. Nothing is sent until you choose how.
    Without a file, choose one of this folder.
    """
    with explaining():
        path = path or Path(opened("tui"))
    seat = _allowed(path, seat)
    with explaining():
        if screenshots is not None:
            from pbem.tui.screenshots import shoot

            for file in shoot(path, screenshots, seat=seat, language=lang or "", theme=theme):
                note(str(file))
        else:
            from pbem.tui import run

            run(path, seat=seat, language=lang or "", theme=theme, to=to, sender=sender)


def opened(command: str) -> str:
    """Let the user choose a save of this folder; for `play` also a game. Raises `NoTerminal`."""
    from pbem.mail.save_index import save_files
    from pbem.save import SaveError, load_header
    from pbem.tui import choose

    rows = []
    for path in save_files([Path()]):
        with suppress(SaveError):
            save = load_header(path)
            by_mail = any(seat.addresses for seat in save.seats)
            if command == "tui" or not by_mail:
                rows.append((str(path), f"{path}: {save.header.game}, {save.header.moment}"))
    if command == "play":
        rows += [(game.slug, f"new: {game.title}, {game.seats_min}-{game.seats_max}") for game in games.catalogue()]
    if not rows:
        raise click.UsageError("there is no save in this folder: name one")
    chosen = choose("Enter opens, Esc leaves", rows)
    if not chosen:
        raise click.exceptions.Exit(0)
    return chosen


@contextmanager
def explaining() -> Iterator[None]:
    """Explain what to do without a terminal, or with a file that isn't a view."""
    from pbem.tui import NoTerminal
    from pbem.tui.model.seat_view import ViewFileError

    drawn = "--screenshots FOLDER draws each screen into a file; `pbem view` prints the same as text"
    named = "name a save, or a player file from `pbem view --format player-file`"
    with failing(NoTerminal, code=Exit.USAGE, hint=drawn), failing(ViewFileError, hint=named):
        yield


def _allowed(path: Path, seat: str) -> str:
    """Return the seat to show. A moderator who plays may show only their own seat."""
    from pbem.mail.save_index import is_save
    from pbem.save import load_header

    if not path.is_file() or not is_save(path):
        return seat
    save = load_header(path)
    seat = seat or save.post.plays
    guard(save, seat or "moderator")
    return seat
