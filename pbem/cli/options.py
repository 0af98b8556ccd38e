"""Arguments and options that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import games
from pbem import LANGUAGES
from pbem.cli import completion
from pbem.cli.console import CommandFailed, Exit, failing

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pbem.mail.moderator.journal import Actor
    from pbem.save import Save
    from pbem.save.folder_settings import FolderSettings

    _TextParam = click.ParamType[str]
else:
    _TextParam = click.ParamType  # generic only since click 8.5

F = TypeVar("F", bound=Callable[..., Any])
_FIRST, _LAST = 1970, 9000  # years for which no calculation with times overflows


def add_option(names: str, metavar: str, what: str, default: Any = None, **more: Any) -> Callable[[F], F]:
    """Add an option (`names` separated by blanks). Its default and environment variable are shown if it has them."""
    words = {"show_default": default not in (None, ""), "show_envvar": "envvar" in more, **more}
    if not words.get("required"):  # with a default, even None, click would not ask for a required option
        words["default"] = default
    return click.option(*names.split(), metavar=metavar or None, help=what, **words)


class PathParam(click.Path):
    """A path. An empty one is a usage error; a missing file or folder is a data error."""

    def __init__(self, **kinds: bool) -> None:
        super().__init__(path_type=Path, **kinds)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not os.fspath(value):
            self.fail("the name is empty", param, ctx)
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            raise CommandFailed(error.message, Exit.BAD_DATA, hint="check the path") from None


FILE = PathParam(exists=True, dir_okay=False)
NEW_FILE = PathParam(dir_okay=False)
FOLDER = PathParam(file_okay=False)


def _theme(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if value:
        from pbem.tui.themes import NAMES

        if value not in NAMES:
            raise CommandFailed(f"'{value}' isn't a theme", Exit.USAGE, hint=f"themes: {', '.join(NAMES)}")
    return value


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime:
    if value is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"'{value}' isn't a time like 2026-05-01T12:00:00Z") from None
    if not _FIRST <= moment.year <= _LAST:
        raise click.BadParameter(f"'{value}' is not between the years {_FIRST} and {_LAST}")
    from pbem.timestamps import aware

    return aware(moment)


def read_folder_settings(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    """Take what `pbem.toml` sets in a folder, or next to a save, as the defaults of the command's options."""
    folder = value.parent if value.suffix == ".toml" else value
    if (folder / "pbem.toml").exists():
        use_folder_settings(ctx, folder)
    return value


def use_folder_settings(ctx: click.Context, folder: Path) -> FolderSettings:
    """Read and return the `pbem.toml` of a folder; it holds until the command ends. Raises `CommandFailed`."""
    from pbem.save import SaveError
    from pbem.save.folder_settings import folder_settings, load_folder_settings

    with failing(SaveError):
        settings = load_folder_settings(folder)
    mail = settings.mail
    named = {"imap": mail.imap, "smtp": mail.smtp, "sender": mail.address, "authserv": mail.authserv}
    named |= {"maildir": str(settings.file(mail.maildir) or "")} if not os.environ.get("PBEM_IMAP") else {}
    named |= {"zone": settings.new.get("zone", "") or settings.moderator.zone}
    ctx.default_map = {name: text for name, text in named.items() if text}
    before = folder_settings.set(settings)
    ctx.call_on_close(lambda: folder_settings.reset(before))
    return settings


READS_SETTINGS: dict[str, Any] = {"callback": read_folder_settings, "is_eager": True}
"""How an option or argument names the folder of `pbem.toml`: before all others, whose defaults are there."""

saves = add_option(
    "--saves",
    "FOLDER",
    "Folder of saves, with outbox and quarantine in it.",
    default=".",
    type=FOLDER,
    envvar="PBEM_SAVES",
    show_default="the current folder",
    **READS_SETTINGS,
)

save = click.argument("save", type=FILE)  # add the argument SAVE: one existing save file

paths = click.argument("paths", nargs=-1, metavar="[SAVE|FOLDER]...", type=PathParam(exists=True))
"""Add the argument [SAVE|FOLDER]...: saves, or folders of them; none for the current folder."""

sender = add_option(
    "--from-address sender",
    "ADDRESS",
    "Address that emails come from, if the save has none.",
    default="",
    envvar="PBEM_FROM",
)


imap = add_option("--imap", "URL", "Mailbox to fetch from: imaps://user@host/INBOX.", default="", envvar="PBEM_IMAP")

smtp = add_option(
    "--smtp",
    "URL",
    "Mail server: smtps://user@host, submission://user@host (STARTTLS), smtp://localhost, or sendmail.",
    default="",
    envvar="PBEM_SMTP",
)


class GameSlug(_TextParam):
    """A game by its slug, or by a path to its folder (`./lanterns`); the shell completes slugs."""

    name = "game"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        slug = str(super().convert(value, param, ctx))
        if os.sep not in slug:
            return slug
        try:
            return games.add_folder(Path(slug))
        except games.GameError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        known = games.catalogue()
        return [CompletionItem(game.slug, help=game.title) for game in known if game.slug.startswith(incomplete)]


json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

jobs = add_option(
    "-j --jobs",
    "N",
    "Number of processes (0: one for each core). The results are the same.",
    default=1,
    type=click.IntRange(0),
    envvar="PBEM_JOBS",
    callback=lambda ctx, param, value: value or os.cpu_count() or 1,
    show_envvar=False,
)

cluster = add_option(
    "--cluster", "ADDRESS", "Dask scheduler to work on, such as tcp://host:8786 (needs pbem[cluster]).", default=""
)

output = add_option(
    "-o --output",
    "PATH",
    "File to write; - is standard output.",
    default="-",
    type=PathParam(dir_okay=False, allow_dash=True),
    show_default=False,
)
"""Add `-o PATH`: where a document goes, standard output by default."""

dry_run = click.option("-n", "--dry-run", is_flag=True, help="Show what would happen, change nothing.")
lang = click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the output.")

theme = add_option(
    "--theme", "NAME", "Colours: pbem-dark, pbem-light or pbem-plain (F3 switches).", default="", callback=_theme
)


def seat(what: str, *, required: bool = False) -> Callable[[F], F]:
    """Add `--seat SEAT`, a filter; `what` it chooses."""
    return add_option("--seat", "SEAT", what, default="", required=required, shell_complete=completion.seats)


scenario = add_option(
    "--scenario",
    "SCENARIO",
    "Set-up [default: the first; `pbem games show GAME` lists them].",
    default="",
    shell_complete=completion.scenarios,
)

seed = add_option("--seed", "N", "Seed of the random games. The same seed plays the same games.", default=0)

players = add_option(
    "--players seats", "N", "Players in each game [default: all numbers in turn].", type=click.IntRange(1)
)

pack = add_option("--pack", "FILE", "Component pack with your corrections.", type=FILE)


def acting(reads: str = "all players read it", *, free: bool = False) -> Callable[[F], F]:
    """Add `--reason`, `--as`, `--dry-run`, `--now`. Unless it is `free`, an action needs a reason."""

    def add(function: F) -> F:
        needed = "" if free else "  [required, except with --dry-run]"
        why = click.option("--reason", default="", metavar="TEXT", help=f"Reason ({reads}).{needed}")
        return why(author(dry_run(now(function))))

    return add


yes = click.option("-y", "--yes", is_flag=True, help="Don't ask for confirmation.")


def sure(question: str, yes: bool) -> None:
    """Ask before something irreversible. Raises `CommandFailed` for a no, and without a terminal."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandFailed(question, Exit.USAGE, hint="add --yes: there is no terminal to ask on")
    if not click.confirm(question):
        raise CommandFailed("nothing was changed", Exit.OK)


author = add_option("--as by", "NAME", "Your name, as players read it.", default="moderator", envvar="PBEM_MODERATOR")
"""Add `--as NAME`: who acts as moderator."""


AGAIN = "it was done already, and is not done again: its emails were written now"


def author_of(by: str, reason: str, now: datetime) -> Actor:
    """Return the author of the running command, and the words that identify it if it is given again."""
    from pbem.mail.moderator.journal import Actor

    context = click.get_current_context()
    left_out = ("save", "now", "as_json", "yes", "dry_run")
    words = {name: str(value) for name, value in context.params.items() if name not in left_out}
    names, level = [context.info_name], context.parent
    while level is not None and level.parent is not None:
        names, level = [level.info_name, *names], level.parent
    return Actor(by, reason, now, f"{' '.join(map(str, names))} {sorted(words.items())}")


def seat_id(save: Save, name: str, *also: str) -> str:
    """Return the id of a seat in any spelling. `also` are other allowed words. Raises `CommandFailed`."""
    from pbem.kernel.order_words import normalize_word

    known = [*(seat.id for seat in save.seats), *also]
    if normalize_word(name) not in known:
        raise CommandFailed(f"'{name}' isn't a seat of this game", Exit.USAGE, hint=f"seats: {', '.join(known)}")
    return normalize_word(name)


def guard(save: Save, seat: str) -> None:
    """Raise `CommandFailed` if the moderator plays, and `seat` (`moderator`: everything) isn't their own.

    For more they have to reveal the game, and all players are notified of that.
    """
    plays = save.post.plays
    if plays and seat not in (plays, "public", ""):
        hint = f"--seat {plays}; or pbem repair reveal: all players are notified"
        text = f"you play {plays} in {save.header.name}: what {seat} may see isn't shown"
        raise CommandFailed(text, Exit.FAILED_CHECK, hint=hint)


now = add_option(
    "--now", "TIME", "Use this as the current time (UTC, unless it has an offset).", callback=_moment, hidden=True
)
"""Add `--now TIME`, for tests and for looking ahead."""
