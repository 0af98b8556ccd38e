"""The terminal UI: a Textual app over views and questions of the kernel, the same for every game.

`model` reads a save or a view file without Textual; `widgets` and `screens` draw it. Importing this package imports
neither Textual nor a game: `run` does.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class NoTerminal(RuntimeError):
    """There is no terminal to draw on or to type at."""


def need_terminal() -> None:
    """Raise `NoTerminal` unless Textual can run here: it reads stdin and draws on stderr, or a browser does both."""
    if os.environ.get("TEXTUAL_DRIVER"):
        return
    if os.environ.get("TERM") == "dumb":
        raise NoTerminal("this terminal can't draw: TERM is dumb")
    for stream, use in ((sys.__stdin__, "type at"), (sys.__stderr__, "draw on")):
        if stream is None or stream.closed or not stream.isatty():
            raise NoTerminal(f"there is no terminal to {use}")


@contextmanager
def starting() -> Iterator[None]:
    """Start without garbage collection, because objects made now stay. The app resumes it on its first screen."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def run(path: Path, *, seat: str = "", language: str = "", theme: str = "", to: str = "", sender: str = "") -> None:
    """Open a save (as the moderator or `seat`) or a view file. Raises `SaveError`, `ViewFileError`, `NoTerminal`."""
    need_terminal()
    with starting():
        from pbem.tui.app import PbemApp
        from pbem.tui.model.game_source import open_source

        source = open_source(path, seat)
        PbemApp(source, language=language, theme=theme, to=to, sender=sender).run()


def choose(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Let the user choose one of some rows (result, text); "" if they leave. Raises `NoTerminal`."""
    need_terminal()
    from rich.text import Text

    from pbem.tui.key_bindings import KeyedApp
    from pbem.tui.screens.dialogs import ChooseDialog

    class Choosing(KeyedApp[str]):
        def on_mount(self) -> None:
            shown = [(key, Text(text), text) for key, text in rows]
            self.push_screen(ChooseDialog(title, shown), lambda key: self.exit(key or ""))

    return Choosing().run() or ""


def play(path: Path, people: Sequence[str], *, language: str = "", theme: str = "", guided: bool = False) -> None:
    """Play a save here: `people` take turns, bots have the other seats. Raises `SaveError`, `NoTerminal`."""
    need_terminal()
    with starting():
        from pbem.tui.app import PbemApp
        from pbem.tui.model.game_source import LocalGame

        PbemApp(LocalGame(path, people, guided=guided), language=language, theme=theme).run()
