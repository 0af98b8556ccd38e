"""`pbem site`: static pages of the games, and how `pbem tick` keeps them up to date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem import LANGUAGES
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import Exit, emit_json, note, warn
from pbem.cli.options import FOLDER, add_option

if TYPE_CHECKING:
    from pbem.mail.save_index import SaveIndex
    from pbem.site import Published


@command("site", "~/games -o /var/www/games", "g1.toml -o site --lang ja --force")
@options.paths
@add_option(
    "-o --output", "FOLDER", "Folder for the pages; a web server can serve it as it is.", type=FOLDER, required=True
)
@add_option(
    "--lang languages",
    "",
    "Languages of the pages (repeatable); the first is shown first.",
    default=LANGUAGES,
    type=click.Choice(LANGUAGES),
    multiple=True,
)
@click.option("--force", is_flag=True, help="Also write the pages of games that haven't changed.")
@options.json
@options.now
@click.pass_context
def site_command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    output: Path,
    languages: tuple[str, ...],
    force: bool,
    as_json: bool,
    now: datetime,
) -> None:
    """Build public web pages.

    Each game gets map, tables, log, plots, deadlines and a feed; a finished game also a replay. Names and addresses of
    players are left out.
    """
    from pbem.site import publish_pages

    saves = list(paths) or [Path()]
    done = publish_pages(saves, output, now=now, languages=tuple(dict.fromkeys(languages)), force=force)
    if as_json:
        emit_json("site", done)
    else:
        note(f"{done.games} games, {len(done.opened)} brought up to date, {len(done.written)} files written")
        if not done.games and not done.broken:
            note("no saves here: pbem new begins a game")
    _tell(done)
    if done.broken:
        ctx.exit(Exit.PARTIAL if done.games else Exit.BAD_DATA)


def _tell(done: Published) -> None:
    for name in done.held:
        note(f"{name}: its emails are held, so its pages wait")
    for path, why in done.broken.items():
        warn(f"{path}: {why}")


def refresh(index: SaveIndex, now: datetime) -> bool:
    """Update the pages of games with the setting `site`. Print what is left out; return whether nothing was.

    The folder is next to the save, unless the moderator's environment names one of that name.
    """
    from pbem.save.settings import allowed

    folders: dict[Path, list[Path]] = {}
    whole = True
    for name, save in index.marked("site"):
        if save.post.site:
            path = index.paths[name]
            own = allowed(save.post.site)
            folder = Path(own) if own else path.parent / save.post.site
            if not own and not folder.resolve().is_relative_to(path.parent.resolve()):
                warn(f"{name}: the folder {folder} is a link to elsewhere: name that in PBEM_ALLOW")
                whole = False
                continue
            folders.setdefault(folder, []).append(path)
    for folder, paths in folders.items():
        whole &= _refreshed(folder, paths, now)
    return whole


def _refreshed(folder: Path, paths: Sequence[Path], now: datetime) -> bool:
    from pbem.site import publish_pages

    try:
        done = publish_pages(paths, folder, now=now)
    except OSError as error:
        warn(f"the pages in {folder} can't be written: {error.strerror or error}")
        return False
    _tell(done)
    return not done.broken
