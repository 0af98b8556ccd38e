"""How commands talk: data on stdout, everything else on stderr; errors as sentences that say what to do.

Nothing here is imported before it is needed: `pbem --help` stays fast.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from pbem.cli.exits import Exit

Advance = Callable[[int, int], None]
"""Tell a progress bar how far things are: `advance(done, total)`."""


class Stop(click.ClickException):
    """A command cannot go on: what is wrong, and what to do about it."""

    exit_code: int  # type: ignore[misc]  # Click has one per class

    def __init__(self, message: str, code: Exit = Exit.DATA, *, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message}\n  → {hint}")
        self.exit_code = int(code)

    def show(self, file: Any = None) -> None:
        click.echo(f"pbem: {self.format_message()}", err=True, file=file)


def data(text: str) -> None:
    """A line (or many) of the command's result, on stdout."""
    click.echo(text)


def note(text: str) -> None:
    """A remark on stderr; silent with `-q`."""
    if not quiet():
        click.echo(text, err=True)


def warn(text: str) -> None:
    """A remark on stderr that `-q` does not silence."""
    click.echo(f"pbem: {text}", err=True)


def quiet() -> bool:
    """Whether `pbem -q` was asked for."""
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().params.get("quiet"))


def emit_json(value: Any) -> None:
    """Any plain or msgspec value as indented JSON on stdout."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def columns(rows: list[list[str]], header: list[str]) -> str:
    """A plain table: columns padded by cell width (CJK counts two), two blanks between."""
    from unicodedata import east_asian_width

    def width(text: str) -> int:
        return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)

    table = [header, *rows]
    widths = [max(width(row[i]) for row in table) for i in range(len(header))]
    lines = []
    for row in table:
        cells = [cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


@contextmanager
def progress(label: str) -> Iterator[Advance]:
    """A progress bar on stderr, drawn only on a terminal and only once a second has passed."""
    if quiet() or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    import time

    started = time.monotonic()
    bar: list[Any] = []

    def advance(done: int, total: int) -> None:
        if not bar:
            if time.monotonic() - started < 1:
                return
            from rich.console import Console
            from rich.progress import Progress

            shown = Progress(console=Console(stderr=True), transient=True)
            shown.start()
            bar.extend([shown, shown.add_task(label, total=total)])
        rate = done / (time.monotonic() - started)
        bar[0].update(bar[1], completed=done, total=total, description=f"{done} {label}, {rate:.0f}/s")

    try:
        yield advance
    finally:
        if bar:
            bar[0].stop()


def explain(error: Exception) -> NoReturn:
    """Turn an error of the rooms below into a `Stop`; anything unforeseen is a bug and passes through."""
    found = _known(error)
    if found is None:
        raise error
    raise found from error


def _known(error: Exception) -> Stop | None:
    from filelock import Timeout

    from games import GameError
    from pbem.kernel.pack import PackError
    from pbem.kernel.problems import Refused
    from pbem.kernel.referee import ReplayError
    from pbem.post.accounts import AccountError
    from pbem.post.deeds import DeedError
    from pbem.post.quarantine import QuarantineError
    from pbem.save import Locked, SaveError

    match error:
        case Timeout() | Locked():
            return Stop(str(error), Exit.BUSY, hint="another pbem is at work on it: run the command again")
        case GameError() | SaveError() | PackError() | QuarantineError():
            return Stop(str(error))
        case AccountError() | DeedError():
            return Stop(str(error), Exit.USAGE)
        case Refused():
            return Stop(str(error), Exit.REFUSED)
        case ReplayError():
            return Stop(f"the journal does not fit the rules: {error}", hint="pbem audit shows where")
        case FileNotFoundError():
            return Stop(f"{error.filename}: no such file or folder", hint="check the path")
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            return Stop(f"{place}{error.strerror or error}")
    return None
