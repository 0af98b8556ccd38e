"""`pbem check-game`: what a game still lacks."""

from __future__ import annotations

import click

from pbem.cli.exits import Exit
from pbem.cli.options import GameSlug, json_option


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
@json_option
@click.pass_context
def check_game_command(ctx: click.Context, game: str, count: int, seed: int, as_json: bool) -> None:
    """What GAME still lacks: words in either language, names, kinds of questions, defaults, secrets.

    For who writes a game. It reads the game's files, and plays random games in every language.
    """
    import games
    from pbem.cli.console import data, emit_json
    from pbem.trial.game_check import check

    chosen = games.load(game)
    found = check(chosen, count, seed)
    if as_json:
        emit_json("lacks", {"lacks": found})
    else:
        for lack in found:
            data(str(lack))
        data(f"{game}: {len(found) or 'nothing'} missing")
    if found:
        ctx.exit(Exit.REFUSED)


COMMANDS = [check_game_command]
