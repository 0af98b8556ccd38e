"""`pbem dev new-game` and `pbem dev lint-game`: a game of your own, and what it doesn't provide yet."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

import games
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, data, emit_json
from pbem.cli.exit_codes import Exit
from pbem.cli.options import GameSlug, PathParam, add_option, json_option, seed_option


@command("lint-game", "pbem dev lint-game sixteen_thirty", "pbem dev lint-game ./lanterns --complete")
@click.argument("game", type=GameSlug())
@add_option(
    "--count", "N", "Number of random games for each number of players.", default=2, type=click.IntRange(1, 1000)
)
@seed_option
@click.option("--complete", is_flag=True, help="List also texts that are missing in a language.")
@json_option
@click.pass_context
def check_game_command(ctx: click.Context, game: str, count: int, seed: int, complete: bool, as_json: bool) -> None:
    """List what a game doesn't provide yet.

    It looks for defaults, checkpoints, secrets, kinds of questions and texts: it reads the files of the game, and plays
    random games in each language.
    """
    from pbem.dev.lint_game import check

    chosen = games.load(game)
    found = check(chosen, count, seed)
    texts = [lack for lack in found if lack.is_text]
    if not complete:
        found = [lack for lack in found if not lack.is_text]
    if as_json:
        emit_json("lacks", {"lacks": found})
    else:
        for lack in found:
            data(str(lack))
        data(f"{game}: {len(found) or 'nothing'} missing")
        if texts and not complete:
            data(f"{len(texts)} texts are still missing: pbem dev lint-game {game} --complete lists them")
    if found:
        ctx.exit(Exit.FAILED_CHECK)


SLUG, TITLE = "lanterns", {"en": "Lanterns", "ja": "灯籠"}


class NameTaken(ValueError):
    """A name that isn't a valid package name or is in use; the message says which."""


def template() -> Path:
    """Return the folder of the tutorial game: in the wheel next to this module, in a checkout under `examples`."""
    from importlib.resources import files

    here = Path(str(files("pbem.dev"))) / SLUG
    return here if here.is_dir() else here.parents[2] / "examples" / SLUG


def new_game(name: str, folder: Path, taken: Sequence[str] = ()) -> list[Path]:
    """Write the game into `folder` and return the files. Raises FileExistsError, or `NameTaken`."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise NameTaken(f"'{name}': use lower-case letters, digits and _, beginning with a letter")
    if name in {*sys.stdlib_module_names, "pbem", "games", *taken}:
        raise NameTaken(f"'{name}' is already a game or a module here")
    title = name.replace("_", " ").title()
    written = []
    for source in sorted(path for path in template().rglob("*") if path.is_file()):
        if "__pycache__" in source.parts or source.name == "README.md":
            continue
        text = source.read_text("utf-8").replace(SLUG, name)
        for word in TITLE.values():
            text = text.replace(word, title)
        target = folder / str(source.relative_to(template())).replace(SLUG, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
        written.append(target)
    return written


@command("new-game", "pbem dev new-game tide_pools", "pbem dev new-game river_pools -o ~/games/river_pools")
@click.argument("name")
@click.option("-o", "--output", type=PathParam(), metavar="FOLDER", help="Folder to write [default: NAME].")
def new_game_command(name: str, output: Path | None) -> None:
    """Write a small game of your own that can be played at once.

    It is the game of the tutorial, called NAME.
    """
    folder = output or Path(name)
    try:
        for path in new_game(name, folder, list(games.BUILT_IN)):
            data(str(path))
    except NameTaken as error:
        raise click.BadParameter(str(error)) from None
    except FileExistsError as error:
        raise CommandFailed(
            f"{error.filename} is there already", Exit.BAD_DATA, hint="-o names another folder"
        ) from None
    data(f"""
export PBEM_GAMES={folder.resolve()}     # or: pip install -e {folder}
pbem play {name} --guide
pbem new {name} --players 3 -o first.toml
pbem dev lint-game {name}
pbem dev test-rules {folder}/tests/cases
pbem dev fuzz {name}
pbem dev leak-test {name}""")


COMMANDS = {"dev new-game": new_game_command, "dev lint-game": check_game_command}
