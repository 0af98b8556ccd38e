"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])


def saves_option(function: F) -> F:
    """`--saves FOLDER`."""
    return click.option(
        "--saves",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="PBEM_SAVES",
        default=".",
        show_default="the current folder",
        show_envvar=True,
        help="The folder of the saves, with quarantine and outbox beside them.",
    )(function)


def save_argument(function: F) -> F:
    """The argument SAVE: one save file, which must be there."""
    return click.argument("save", type=click.Path(path_type=Path, exists=True, dir_okay=False))(function)


def paths_argument(function: F) -> F:
    """The argument [SAVE|FOLDER]...: saves, or folders of them; none for the current folder."""
    kind = click.Path(path_type=Path, exists=True)
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


if TYPE_CHECKING:
    _TextParam = click.ParamType[str]
else:
    _TextParam = click.ParamType  # generic only since click 8.5


class GameSlug(_TextParam):
    """A game by its slug; the shell completes it. Which there are is the catalogue's business."""

    name = "game"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The games whose slugs begin so."""
        from click.shell_completion import CompletionItem

        import games

        known = games.catalogue()
        return [CompletionItem(one.slug, help=one.title) for one in known if one.slug.startswith(incomplete)]


def json_option(function: F) -> F:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable.")(function)


def by_option(function: F) -> F:
    """`--by NAME`: who does what the moderator may do."""
    return click.option(
        "--by", envvar="PBEM_MODERATOR", default="moderator", show_default=True, show_envvar=True, help="Who."
    )(function)


def now_option(function: F) -> F:
    """`--now TIME`, for tests and for looking ahead."""
    what = "Act as if it were this time (ISO 8601; UTC unless it says otherwise)."
    return click.option("--now", callback=_moment, metavar="TIME", help=what)(function)


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime:
    if value is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a time like 2026-05-01T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
