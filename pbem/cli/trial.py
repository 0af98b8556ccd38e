"""`pbem check`, `pbem fuzz`: is the adjudicator right and whole?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.exits import Exit
from pbem.cli.options import GameSlug, PathParam, cluster_option, jobs_option, json_option

if TYPE_CHECKING:
    from pbem.kernel.game import Game
    from pbem.trial.fuzz import Result


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PathParam(exists=True))
@jobs_option
@cluster_option
@json_option
@click.pass_context
def check_command(
    ctx: click.Context, paths: tuple[Path, ...], jobs: int, cluster: str, as_json: bool
) -> None:
    """Run conformance cases (TOML files or folders)."""
    from pbem.cli.console import Stop, data, emit_json, progress_bar
    from pbem.trial import cases

    with progress_bar("cases") as progress:
        report = cases.run(paths, lambda so_far: progress(so_far.cases, 0), jobs=jobs, cluster=cluster)
    if as_json:
        failed = [
            {"id": f.id, "rule": f.rule, "why": "\n".join(f.why), "path": f.path} for f in report.failed
        ]
        emit_json("check", {"cases": report.cases, "passed": report.passed, "failed": failed})
    else:
        for failure in report.failed:
            data(str(failure))
        data(f"{report.passed} of {report.cases} cases hold")
    if not report.cases:
        where = ", ".join(map(str, paths))
        raise Stop(f"no cases in {where}", hint="cases stand in *.toml files as [[case]]: pbem docs cases")
    if report.failed:
        ctx.exit(Exit.REFUSED)


@click.command("fuzz")
@click.argument("game", type=GameSlug())
@click.option(
    "--games", "count", default=100, show_default=True, type=click.IntRange(1), help="How many games."
)
@click.option("--seats", type=click.IntRange(1), help="Players per game (default: all numbers in turn).")
@click.option("--seed", default=0, show_default=True, help="Game i of a seed is always the same game.")
@click.option(
    "--dump", type=PathParam(file_okay=False), help="Write each failing game here, as short as can be."
)
@click.option(
    "--players",
    type=click.Choice(["random", "bot"]),
    default="random",
    show_default=True,
    help="Who answers.",
)
@jobs_option
@cluster_option
@json_option
@click.pass_context
def fuzz_command(
    ctx: click.Context,
    game: str,
    count: int,
    seats: int | None,
    seed: int,
    dump: Path | None,
    players: str,
    jobs: int,
    cluster: str,
    as_json: bool,
) -> None:
    """Play GAME at random, or by understudies, looking for faults.

    No crash, no dead end, every journal and every checkpoint replays to the same end, and what `audit` and `bundle
    verify` say of every finished game is good.
    """
    import games
    from pbem.cli.console import Stop, progress_bar
    from pbem.trial import fuzz

    chosen = games.load(game)
    with progress_bar("games") as progress:
        try:
            result = fuzz.run_spread(
                chosen,
                games=count,
                seats=seats,
                seed=seed,
                progress=lambda r: progress(r.games, count),
                players=players,
                jobs=jobs,
                cluster=cluster,
            )
        except ValueError as error:
            raise Stop(str(error), Exit.USAGE, hint=f"pbem games {game} lists the possible numbers") from None
    _show_fuzz(result, as_json)
    _show_failures(chosen, result, dump)
    if result.failures:
        ctx.exit(Exit.REFUSED)


def _show_failures(game: Game, result: Result, folder: Path | None) -> None:
    """Each game that failed; with a folder, as a journal that is as short as can be."""
    from pbem.cli.console import note
    from pbem.trial.fuzz import dump
    from pbem.trial.shortest import shortest

    for failure in result.failures:
        where = f" → {dump(shortest(game, failure), folder)}" if folder else ""
        note(f"{failure}{where}")


def _show_fuzz(result: Result, as_json: bool) -> None:
    from pbem.cli.console import data, emit_json

    found = {
        "games": result.games,
        "decisions": result.decisions,
        "per_second": round(result.per_second),
        "failures": len(result.failures),
        "dead_ends": result.dead_ends,
        "replay_mismatches": result.replay_mismatches,
        "checkpoint_mismatches": result.checkpoint_mismatches,
    }
    if as_json:
        emit_json("fuzz", found)
    else:
        data(
            f"{result.games} games, {result.decisions} decisions ({found['per_second']} per second), "
            f"{result.checkpoints} checkpoints, {len(result.failures)} failures"
        )


COMMANDS = [check_command, fuzz_command]
