"""`pbem tui`: the terminal UI. Textual is imported only when it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from pbem.cli.commands import command
from pbem.cli.exit_codes import Exit
from pbem.cli.options import PathParam, add_option, guard, lang_option, seat_option, theme_option


@command("tui", "pbem tui g1.toml --seat amber", "pbem tui my-view.toml")
@click.argument("path", metavar="[SAVE|VIEW]", required=False, type=PathParam(exists=True, dir_okay=False))
@seat_option("See a save as this seat, or as `public` [default: as the moderator].")
@lang_option
@theme_option
@add_option(
    "--game-address to",
    "ADDRESS",
    "Address that your orders go to.",
    default="",
    envvar=["PBEM_GAME_ADDRESS", "PBEM_TO"],
)
@add_option(
    "--my-address sender", "ADDRESS", "Your own address.", default="", envvar=["PBEM_MY_ADDRESS", "PBEM_ME"]
)
@add_option(
    "--screenshots",
    "FOLDER",
    "Write an SVG of each screen into this folder, and leave.",
    type=PathParam(file_okay=False),
)
@click.option(
    "--serve",
    is_flag=True,
    help="Show it in a browser, at the address that is printed. A save needs --seat (extra `serve`: docs install).",
)
@add_option(
    "--bind", "HOST:PORT", "Address of --serve [default: 127.0.0.1:8000, only this machine].", default=""
)
def tui_command(
    path: Path | None,
    seat: str,
    lang: str | None,
    theme: str,
    to: str,
    sender: str,
    screenshots: Path | None,
    serve: bool,
    bind: str,
) -> None:
    """Open a game in the terminal.

    It shows map, hand, questions, press and log. Each screen has help under `?`. Nothing is sent before you choose
    how. Without a file, choose one of this folder.
    """
    if bind and not serve:
        raise click.UsageError("--bind goes with --serve")
    with _explaining():
        path = path or Path(opened("tui"))
    seat = _allowed(path, seat)
    if serve:
        words = {
            "--seat": seat,
            "--lang": lang or "",
            "--theme": theme,
            "--game-address": to,
            "--my-address": sender,
        }
        _serve(path, words, bind)
        return
    with _explaining():
        if screenshots is not None:
            _shoot(path, screenshots, seat, lang or "", theme)
        else:
            from pbem.tui import run

            run(path, seat=seat, language=lang or "", theme=theme, to=to, sender=sender)


def opened(command: str) -> str:
    """Let the user choose a save of this folder; for `play` also a game. Raises `NoTerminal`."""
    import games
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
        rows += [
            (known.slug, f"new: {known.title}, {known.seats_min}-{known.seats_max}")
            for known in games.catalogue()
        ]
    if not rows:
        raise click.UsageError("there is no save in this folder: name one")
    chosen = choose("Enter opens, Esc leaves", rows)
    if not chosen:
        raise click.exceptions.Exit(0)
    return chosen


@contextmanager
def _explaining() -> Iterator[None]:
    """Explain what to do without a terminal, or with a file that isn't a view."""
    from pbem.cli.console import CommandFailed
    from pbem.tui import NoTerminal
    from pbem.tui.model.seat_view import ViewFileError

    try:
        yield
    except NoTerminal as error:
        hint = "--screenshots FOLDER draws each screen into a file; `pbem view` prints the same as text"
        raise CommandFailed(str(error), Exit.USAGE, hint=hint) from None
    except ViewFileError as error:
        raise CommandFailed(
            str(error), hint="name a save, or a player file from `pbem view --format player-file`"
        ) from None


def _shoot(path: Path, folder: Path, seat: str, language: str, theme: str) -> None:
    from pbem.cli.console import note
    from pbem.tui.screenshots import shoot

    for file in shoot(path, folder, seat=seat, language=language, theme=theme):
        note(str(file))


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def _serve(path: Path, options: dict[str, str], bind: str) -> None:
    """Show the UI in a browser: each browser window runs its own `pbem tui`."""
    import shlex
    import sys

    from pbem.cli.console import CommandFailed, note, warn
    from pbem.tui.model.game_source import SaveSource, open_source

    host, _, number = (bind or "127.0.0.1:8000").rpartition(":")
    host = host.strip("[]")
    if not host or not number.isdecimal() or not 0 < int(number) < 1 << 16:
        raise CommandFailed(
            f"--bind {bind!r}: write HOST:PORT", Exit.USAGE, hint="127.0.0.1:8000 is this machine alone"
        )
    try:
        from pbem.tui.serving import GuardedServer
    except ImportError:
        hint = "install the extra `serve` (pbem docs install); without it, pbem tui runs in the terminal"
        raise CommandFailed("textual-serve is not installed", Exit.USAGE, hint=hint) from None
    source = open_source(path, options["--seat"])  # report an unreadable file here, not in the browser
    if isinstance(source, SaveSource) and not options["--seat"]:
        hint = "--seat SEAT, --seat public, or --seat moderator for all that is hidden"
        raise CommandFailed(
            "--serve shows a save through the eyes of a seat: say which", Exit.USAGE, hint=hint
        )
    if host not in _LOOPBACK:
        who = options["--seat"] or "its seat"
        warn(
            f"the address is not encrypted: whoever reads along on the way to {host}:{number} plays as {who}"
        )
    words = [sys.executable, "-m", "pbem", "tui", str(path.resolve())]
    words += [word for name, value in options.items() if value for word in (name, value)]
    server = GuardedServer(shlex.join(words), host=host, port=int(number), title=f"pbem {path.stem}")
    note(f"http://{f'[{host}]' if ':' in host else host}:{number}/?token={server.token} (Ctrl-C ends it)")
    server.serve()


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


COMMANDS = {"tui": tui_command}
