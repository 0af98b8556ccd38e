"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pbem.cli.console import Stop
from pbem.cli.exits import Exit

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pbem.post.moderator.journal import Author

    _TextParam = click.ParamType[str]
else:
    _TextParam = click.ParamType  # generic only since click 8.5

F = TypeVar("F", bound=Callable[..., Any])


class PathParam(click.Path):
    """A path. An empty one is a slip of the command line; one that is not what it must be is a matter of files."""

    def __init__(self, **kinds: bool) -> None:
        super().__init__(path_type=Path, **kinds)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; raises `Stop` for one that is not there, or is no file, or no folder."""
        if not os.fspath(value):
            self.fail("an empty name", param, ctx)
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            raise Stop(error.message, Exit.DATA, hint="check the path") from None


def saves_option(function: F) -> F:
    """`--saves FOLDER`."""
    return click.option(
        "--saves",
        type=PathParam(file_okay=False),
        envvar="PBEM_SAVES",
        default=".",
        show_default="the current folder",
        show_envvar=True,
        help="The folder of the saves, with quarantine and outbox beside them.",
    )(function)


def save_argument(function: F) -> F:
    """The argument SAVE: one save file, which must be there."""
    return click.argument("save", type=PathParam(exists=True, dir_okay=False))(function)


def paths_argument(function: F) -> F:
    """The argument [SAVE|FOLDER]...: saves, or folders of them; none for the current folder."""
    kind = PathParam(exists=True)
    return click.argument("paths", nargs=-1, metavar="[SAVE|FOLDER]...", type=kind)(function)


def sender_option(function: F) -> F:
    """`--from ADDRESS`."""
    return click.option(
        "--from",
        "sender",
        default="",
        envvar="PBEM_FROM",
        show_envvar=True,
        metavar="ADDRESS",
        help="The address that letters come from, where the save names none.",
    )(function)


class GameSlug(_TextParam):
    """A game by its slug, or by a path to its folder (`./lanterns`); the shell completes slugs."""

    name = "game"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The slug; a game in a folder is found from now on."""
        slug = str(super().convert(value, param, ctx))
        if os.sep not in slug:
            return slug
        import games

        try:
            return games.add_folder(Path(slug))
        except games.GameError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The games whose slugs begin so."""
        from click.shell_completion import CompletionItem

        import games

        known = games.catalogue()
        return [
            CompletionItem(game.slug, help=game.title) for game in known if game.slug.startswith(incomplete)
        ]


def json_option(function: F) -> F:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable.")(function)


def jobs_option(function: F) -> F:
    """`--jobs N`."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(0),
        default=1,
        show_default=True,
        envvar="PBEM_JOBS",
        help="Work in so many processes (0: one for each core); results are the same, in the same order.",
        callback=_cores,
    )(function)


def _cores(ctx: click.Context, param: click.Parameter, value: int) -> int:
    return value or os.cpu_count() or 1


def cluster_option(function: F) -> F:
    """`--cluster ADDRESS`."""
    return click.option(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help="Work on the machines of a Dask scheduler, tcp://host:8786 (pip install pbem[cluster]).",
    )(function)


def by_option(function: F) -> F:
    """`--by NAME`: who does what the moderator may do."""
    return click.option(
        "--by", envvar="PBEM_MODERATOR", default="moderator", show_default=True, show_envvar=True, help="Who."
    )(function)


def author_of(by: str, reason: str, now: datetime) -> Author:
    """Who gives the command that is running."""
    from pbem.post.moderator.journal import Author

    context = click.get_current_context()
    words = {
        name: str(value) for name, value in context.params.items() if name not in ("save", "now", "as_json")
    }
    return Author(by, reason, now, f"{context.info_name} {sorted(words.items())}")


def now_option(function: F) -> F:
    """`--now TIME`, for tests and for looking ahead."""
    what = "Act as if it were this time (ISO 8601; UTC unless it says otherwise)."
    return click.option("--now", callback=_moment, metavar="TIME", help=what)(function)


_FIRST, _LAST = 1970, 9000
"""Between these years there is room for whatever is counted from a time."""


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime:
    if value is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a time like 2026-05-01T12:00:00Z") from None
    if not _FIRST <= moment.year <= _LAST:
        raise click.BadParameter(f"'{value}' is not between the years {_FIRST} and {_LAST}")
    from pbem.moments import aware

    return aware(moment)
