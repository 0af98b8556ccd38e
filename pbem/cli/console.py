"""Output of commands: data on stdout, everything else on stderr; errors as sentences that say what to do.

Text of others (mail, servers, saves, file names) loses control characters here before a terminal shows it. Nothing is
imported before it is needed, so that `pbem --help` stays fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pbem.lazy_regex import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pbem.mail.notices import Notices

Progress = Callable[..., None]
"""Report the progress of a run: `progress(done, total)`, and what is done if it isn't the label of the bar."""


class Exit(IntEnum):
    """Exit codes of `pbem`.

    `FAILED_CHECK` is for something that was checked and is wrong (orders, a rule test, an audit). Emails that were
    rejected or quarantined are normal work and exit with `OK`.
    """

    OK = 0
    FAILED_CHECK = 1
    USAGE = 2
    """The command line, or a missing setting (Click's own code)."""
    BAD_DATA = 3
    """A save, pack, mailbox or other file is missing or damaged."""
    BUSY = 4
    """Another pbem holds the lock: try again later."""
    PARTIAL = 5
    """Some of the work was done; standard error says what wasn't. Running again is safe."""
    NO_EMAIL = 65
    BUG = 70
    """An error of pbem itself; standard error has the report."""
    TRY_AGAIN = 75
    NO_GAMES = 78
    """For delivery by a mail server's pipe (sysexits.h): nothing came in; deliver it again; there is no game here."""
    INTERRUPTED = 130


class CommandFailed(click.ClickException):
    """A command can't go on: what is wrong, and what to do about it."""

    exit_code: int  # type: ignore[misc]  # Click has one per class

    def __init__(self, message: str, code: Exit = Exit.BAD_DATA, *, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message}\n  → {hint}")
        self.exit_code = int(code)

    def show(self, file: Any = None) -> None:
        click.echo(clean(f"pbem: {self.format_message()}"), err=True, file=file)


@contextmanager
def failing(
    kinds: type[Exception] | tuple[type[Exception], ...], before: str = "", code: Exit = Exit.BAD_DATA, hint: str = ""
) -> Iterator[None]:
    """Let such an error end the command, with its own words after those `before`."""
    try:
        yield
    except kinds as error:
        raise CommandFailed(f"{before}{error}", code, hint=hint) from None


def data(text: str) -> None:
    """Print a line (or many) of the command's result on stdout."""
    click.echo(clean(text))


def event(text: str) -> None:
    """Print a line about normal work on stdout; silent with `-q`, because cron would mail it."""
    if not quiet():
        data(text)


def note(text: str) -> None:
    """Print a remark on stderr; silent with `-q`."""
    if not quiet():
        click.echo(clean(text), err=True)


def warn(text: str, *, key: str = "", mail: int = -1, why: str = "") -> None:
    """Print a remark on stderr, also with `-q`. In a run a lasting fault is printed once a day (`told_once`)."""
    if loud(text, key=key, mail=mail, why=why):
        click.echo(clean(f"pbem: {text}"), err=True)
    else:
        note(f"pbem: {text}")


_runs: list[Notices] = []
"""The current run, which remembers what it has printed."""


def loud(text: str, *, key: str = "", mail: int = -1, joins: bool = False, why: str = "") -> bool:
    """Check if a fault is to be printed; `key` identifies it. After `mail` hours it goes to the moderators."""
    return all(run.loud(text, key, mail=mail, joins=joins, why=why) for run in _runs)


@contextmanager
def told_once(folder: Path, now: datetime) -> Iterator[None]:
    """Print lasting faults of a run once, then daily, and once when they are over."""
    from pbem.mail.notices import Notices
    from pbem.timestamps import stamp

    run = Notices(folder, now)
    _runs.append(run)
    try:
        yield
    finally:
        _runs.remove(run)
    for fault in run.over():
        warn(f"over (since {stamp(fault.since)}): {fault.text}")


def left_out(ctx: click.Context, why: Iterable[object], found: bool) -> None:
    """Print which saves couldn't be read, and end the command with that status; `found`: others could be."""
    told = list(why)
    for text in told:
        warn(str(text))
    if told:
        ctx.exit(Exit.PARTIAL if found else Exit.BAD_DATA)


def quiet() -> bool:
    """Check if `pbem -q` was given."""
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().params.get("quiet"))


def emit_json(schema: str, value: Any) -> None:
    """Print JSON with `schema` first. The number (`pbem/status/2`) changes when a key goes or changes its meaning."""
    import msgspec

    plain = {"schema": f"pbem/{schema}/2", **msgspec.to_builtins(value)}
    try:
        text = msgspec.json.format(msgspec.json.encode(plain), indent=2).decode()
    except UnicodeEncodeError:  # a file name that isn't UTF-8
        import json

        text = json.dumps(plain, indent=2)
    document(f"{text}\n")


def document(text: str) -> None:
    """Print a whole text for other programs on stdout: JSON, TOML and HTML are UTF-8 on any terminal."""
    if sys.stdout.isatty():
        text = clean(text)
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)


def prepare_streams() -> None:
    """Keep characters that the terminal doesn't have, and closed streams, from aborting a command that is done."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream: Any = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for good
        elif mode == "w" and getattr(stream, "errors", "") == "strict" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def table(rows: list[list[str]], header: list[str]) -> None:
    """Print a table on stdout: drawn on a terminal, plain columns in a pipe."""
    if not sys.stdout.isatty():
        data(columns(rows, header))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.ROUNDED, header_style="bold")
    for at, title in enumerate(header):
        narrow = max(len(row[at]) for row in rows) <= 20 if rows else True
        drawn.add_column(title, overflow="fold", no_wrap=narrow)
    for row in rows:
        drawn.add_row(*map(Text, row))
    draw(drawn)


def draw(drawn: RenderableType) -> None:
    """Print a Rich object on stdout: its own colours, and no control characters of others."""
    from rich.console import Console
    from rich.segment import Segment, Segments

    console = Console()
    segments = [Segment(clean(part.text), part.style, part.control) for part in console.render(drawn)]
    console.print(Segments(segments), end="")


def columns(rows: list[list[str]], header: list[str]) -> str:
    """Return a plain table: columns padded by cell width (CJK counts two), two blanks between."""
    from pbem.report.text_width import pad, width

    table = [header, *rows]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(pad, row, widths)).rstrip() for row in table)
    return "\n".join(lines)


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """Show a progress bar on stderr, only on a terminal and only after a second. A total of 0 is unknown."""
    if quiet() or not sys.stderr.isatty():
        yield lambda done, total, what=label: None
        return
    import time

    started = drawn = time.monotonic()
    bar: list[Any] = []

    def progress(done: int, total: int, what: str = label) -> None:
        nonlocal drawn
        now = time.monotonic()
        if not bar:
            if now - started < 1:
                return
            from rich.console import Console
            from rich.progress import Progress as Bar

            # Drawn between two steps, without a thread: the commands measure time meanwhile.
            display = Bar(console=Console(stderr=True), transient=True, auto_refresh=False)
            display.start()
            bar.extend([display, display.add_task(label, total=total or None)])
        rate = done / (now - started)
        text = f"{done} {what}" + (f", {rate:.0f}/s" if rate >= 5 else "")
        bar[0].update(bar[1], completed=done, total=total or None, description=text)
        if now - drawn >= 0.1:
            bar[0].refresh()
            drawn = now

    try:
        yield progress
    finally:
        if bar:
            bar[0].stop()


@contextmanager
def busy(label: str) -> Iterator[None]:
    """Do as `progress_bar`, for work without a known progress."""
    if quiet() or not sys.stderr.isatty():
        yield
        return
    import threading

    from rich.console import Console

    shown = Console(stderr=True).status(label)
    later = threading.Timer(1, shown.start)
    later.start()
    try:
        yield
    finally:
        later.cancel()
        later.join()
        shown.stop()


def need_own_games() -> None:
    """Raise `CommandFailed` if another package called `games` hides pbem's own, whose games would be missing."""
    from importlib.util import find_spec

    import pbem

    spec = find_spec("games")
    place = Path(spec.origin).parent if spec is not None and spec.origin else None
    if place is None or place.parent.resolve() != Path(pbem.__file__).resolve().parent.parent:
        hint = "run pbem from another folder, or install it apart: pbem docs install"
        raise CommandFailed(f"another package 'games' hides that of pbem: {place or 'it is not there'}", hint=hint)


def explain(error: Exception) -> NoReturn:
    """Turn an error of the layers below into a `CommandFailed`. Unknown errors are bugs and pass through."""
    if (found := _as_command_failure(error)) is None:
        raise error
    raise found from error


def _as_command_failure(error: Exception) -> CommandFailed | None:
    from games import GameError
    from pbem.dev.workers import NoCluster
    from pbem.file_locks import Busy
    from pbem.kernel.pack import PackError
    from pbem.kernel.referee import ReplayError
    from pbem.kernel.rejections import Rejection
    from pbem.mail.moderator.journal import ActionError, BadValue, Unchanged
    from pbem.mail.quarantine import QuarantineError
    from pbem.mail.transport.accounts import AccountError
    from pbem.save import Locked, RewindError, SaveError

    match error:
        case Locked():
            return CommandFailed(str(error), Exit.BUSY)
        case Busy():
            return CommandFailed(str(error), Exit.BUSY, hint="another pbem is at work on it: run the command again")
        case AccountError() | RewindError() | BadValue() | NoCluster():
            return CommandFailed(str(error), Exit.USAGE)
        case GameError() | SaveError() | PackError() | QuarantineError():
            return CommandFailed(str(error))
        case Unchanged():
            return CommandFailed(f"nothing is changed: {error}", Exit.OK)
        case ActionError() | Rejection():
            return CommandFailed(str(error), Exit.FAILED_CHECK)
        case ReplayError():
            return CommandFailed(f"the journal does not fit the rules: {error}", hint="pbem audit shows where")
        case FileNotFoundError():
            return CommandFailed(f"{error.filename}: no such file or folder", hint="check the path")
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            return CommandFailed(f"{place}{error.strerror or error}", hint=_remedy(error))
    return None


def _remedy(error: OSError) -> str:
    """Return what to do about a system error; "" where the error says enough."""
    import errno

    from pbem.atomic_files import FULL

    if error.errno in FULL:
        return (
            "free disk space and run the command again: processed emails are on disk, the others wait where they were"
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "pbem writes into the folder of the saves: see whose it is and who may write there"
    return ""
