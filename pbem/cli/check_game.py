"""`pbem new-game` and `pbem check-game`: begin a game of your own, and see what it still lacks."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.exits import Exit
from pbem.cli.options import GameSlug, PathParam, json_option


@click.command("check-game")
@click.argument("game", type=GameSlug())
@click.option(
    "--games",
    "count",
    default=2,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Random games of each number of players.",
)
@click.option("--seed", default=0, show_default=True, help="The games of a seed are always the same.")
@click.option("--complete", is_flag=True, help="Texts in every language count, and are listed.")
@json_option
@click.pass_context
def check_game_command(
    ctx: click.Context, game: str, count: int, seed: int, complete: bool, as_json: bool
) -> None:
    """Say what GAME still lacks: defaults, checkpoints, secrets, kinds of questions, texts.

    For authors of games. It reads the game's files, and plays random games in every language.

    \b
      pbem check-game ./lanterns
      pbem check-game lanterns --complete
    """
    import games
    from pbem.cli.console import data, emit_json
    from pbem.trial.game_check import check

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
            data(f"{len(texts)} texts are still missing: pbem check-game {game} --complete lists them")
    if found:
        ctx.exit(Exit.REFUSED)


@click.command("new-game")
@click.argument("name")
@click.option("-o", "--output", type=PathParam(), help="The folder to write (default: NAME).")
def new_game_command(name: str, output: Path | None) -> None:
    """Write a game of your own that plays at once: the tutorial game, called NAME.

    \b
      pbem new-game tide_pools
      pbem new-game tide_pools -o ~/games/tide_pools
    """
    import games
    from pbem.cli.console import Stop, data
    from pbem.trial.new_game import NameTaken, new_game

    folder = output or Path(name)
    try:
        for path in new_game(name, folder, list(games.BUILT_IN)):
            data(str(path))
    except NameTaken as error:
        raise click.BadParameter(str(error)) from None
    except FileExistsError as error:
        raise Stop(f"{error.filename} is there already", Exit.DATA, hint="-o names another folder") from None
    data(f"""
export PBEM_GAMES={folder.resolve()}     # or: pip install -e {folder}
pbem play {name} --guide
pbem new {name} --players 3 -o first.toml
pbem check-game {name}
pbem check {folder}/tests/cases
pbem fuzz {name}
pbem leaks {name}""")


COMMANDS = [new_game_command, check_game_command]
