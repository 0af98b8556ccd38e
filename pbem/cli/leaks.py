"""`pbem leaks`: does nobody learn what he may not know?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.exits import Exit
from pbem.cli.options import GameSlug, PathParam, cluster_option, jobs_option, json_option

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pbem.trial import pairing


@click.command("leaks")
@click.argument("game", type=GameSlug(), required=False)
@click.option(
    "--pairs", default=20, show_default=True, type=click.IntRange(0), help="How many pairs of games."
)
@click.option(
    "--post",
    default=2,
    show_default=True,
    type=click.IntRange(0),
    help="How many pairs run through the post, with letters, reminders and files.",
)
@click.option(
    "--settings",
    "with_settings",
    default=0,
    type=click.IntRange(0),
    help="How many pairs through the post that differ in settings alone.",
)
@click.option("--screens", is_flag=True, help="Also the terminal UI, in pairs that run through the post.")
@click.option("--first", is_flag=True, help="Stop at the first leak.")
@click.option("--number", type=click.IntRange(0), help="Only the pairs of this game: that of a leak, again.")
@click.option(
    "--self-test",
    "planted",
    type=PathParam(exists=True),
    help="Plant each fault of this file or folder in a copy of the program; each must be found.",
)
@click.option("--seats", type=click.IntRange(1), help="Players per game (default: all numbers in turn).")
@click.option("--seed", default=0, show_default=True, help="The pairs of a seed are always the same.")
@jobs_option
@cluster_option
@json_option
@click.pass_context
def leaks_command(
    ctx: click.Context,
    game: str,
    pairs: int,
    post: int,
    with_settings: int,
    screens: bool,
    first: bool,
    number: int | None,
    planted: Path | None,
    seats: int | None,
    seed: int,
    jobs: int,
    cluster: str,
    as_json: bool,
) -> None:
    """Play GAME in pairs of worlds that differ in what one player may not know.

    All that this player gets - views, questions, refusals, letters, receipts - must be the same to the byte.
    """
    import games
    from pbem.cli.console import Stop
    from pbem.trial import pairing
    from pbem.trial.random_game import said_of

    if planted is not None:
        _plant(ctx, planted, game or "", as_json)
        return
    if not game:
        raise click.UsageError("which GAME? or --self-test tests/leaks")
    try:
        bare = _bare_pairs(game, pairs, seed, seats, first, number, jobs, cluster)
        told = pairing.Result()
        if number is None and not (first and bare.leaks):
            told = _posted_pairs(game, post, with_settings, seed, seats, first, screens, jobs, cluster)
    except pairing.NotPlayed as error:
        raise Stop(str(error), Exit.USAGE, hint=f"pbem games {game} lists the possible numbers") from None
    except Exception as error:
        if game in games.BUILT_IN:
            raise
        said = said_of(error, games.load(game).package)
        raise Stop(said, Exit.REFUSED, hint=f"pbem fuzz {game} shows when") from None
    _show_leaks(game, seed, bare, told, as_json)
    _judge(ctx, bare, told)


def _judge(ctx: click.Context, bare: pairing.Result, told: pairing.Result) -> None:
    """End with an error if there are leaks, or if nothing was tested."""
    from pbem.cli.console import Stop

    if bare.pairs and not bare.changed and not bare.leaks:
        why = "nothing was tested: no two worlds differed"
        raise Stop(why, Exit.REFUSED, hint="does conceal deal anything again?")
    if bare.leaks or told.leaks:
        ctx.exit(Exit.REFUSED)


def _bare_pairs(
    game: str,
    pairs: int,
    seed: int,
    seats: int | None,
    first: bool,
    number: int | None,
    jobs: int,
    cluster: str,
) -> pairing.Result:
    """Pairs of games without the post."""
    import games
    from pbem.cli.console import progress_bar
    from pbem.trial import leaks

    with progress_bar("pairs") as progress:
        return leaks.run(
            games.load(game),
            pairs,
            seed,
            seats=seats,
            jobs=jobs,
            cluster=cluster,
            progress=lambda result: progress(result.pairs, max(pairs, result.pairs)),
            first=first,
            number=number,
        )


def _posted_pairs(
    game: str,
    post: int,
    with_settings: int,
    seed: int,
    seats: int | None,
    first: bool,
    screens: bool,
    jobs: int,
    cluster: str,
) -> pairing.Result:
    """Pairs through the post, and those that differ in settings alone."""
    import games
    from pbem.cli.console import progress_bar
    from pbem.trial import pairing, post_leaks
    from pbem.trial.settings_pairs import SettingsPair

    told = pairing.Result()
    with progress_bar("pairs through the post") as progress:
        for kind, count in ((post_leaks.PostPair, post), (SettingsPair, with_settings)):
            if first and told.leaks:
                break
            more = post_leaks.run(
                games.load(game),
                count,
                seed,
                seats=seats,
                progress=lambda result: progress(told.pairs + result.pairs, post + with_settings),
                first=first,
                screens=_screens() if screens else None,
                of=kind,
                jobs=jobs,
                cluster=cluster,
            )
            told.add(more)
    return told


_TOLD = 3
"""So many leaks of one cause are told; --json has all."""


def _show_leaks(game: str, seed: int, bare: pairing.Result, told: pairing.Result, as_json: bool) -> None:
    from pbem.cli.console import data, emit_json, note
    from pbem.trial import pairing

    both = pairing.Result()
    both.add(bare)
    both.add(told)
    if as_json:
        shown = [
            {"where": leak.where, "number": leak.number, "text": str(leak), "crash": leak.crash}
            for leak in both.leaks
        ]
        found = {
            "seed": seed,
            "pairs": bare.pairs,
            "post": told.pairs,
            "changed": both.changed,
            "steps": both.steps,
            "seconds": round(both.seconds, 1),
            "ended": both.ended,
            "leaks": shown,
        }
        emit_json("leaks", found)
        return
    data(
        f"{game}, seed {seed}: {both.pairs} pairs, {both.changed} of them different, {both.steps} answers "
        f"compared in {both.seconds:.0f} s, {len(both.leaks)} leaks"
    )
    causes: Counter[str] = Counter()
    for leak in both.leaks:
        cause = leak.where if leak.crash else f"{leak.where} {leak.a.partition(' ')[0]}"
        causes[cause] += 1
        if causes[cause] <= _TOLD:
            note(str(leak))
            if leak.number >= 0:
                note(f"  again: pbem leaks {game} --seed {seed} --number {leak.number}")
    for cause, count in causes.items():
        if count > _TOLD:
            note(f"{cause[:200]}: {count - _TOLD} times more")


def _screens() -> Callable[[Path, str, datetime], dict[str, str]]:
    from pbem.tui.shots import texts  # only where screens are drawn: Textual is dear

    return texts


def _plant(ctx: click.Context, planted: Path, game: str, as_json: bool) -> None:
    """Plant each fault in a copy of the program, and say which are found and after how many pairs."""
    from pbem.cli.console import Stop, data, emit_json
    from pbem.trial import planting

    try:
        faults = list(planting.read(planted))
    except planting.BadFaults as error:
        raise Stop(
            str(error), Exit.USAGE, hint="tests/leaks holds the planted leaks of pbem itself"
        ) from None
    found = []
    for fault in faults:
        if game in ("", fault.game):
            result = planting.plant(fault)
            found.append(result)
            if not as_json:
                data(f"{fault.id}: {result}")
    missed = [plant.id for plant in found if not plant.found]
    if as_json:
        emit_json("planted", {"planted": len(found), "missed": missed, "results": found})
    else:
        data(f"{len(found) - len(missed)} of {len(found)} planted leaks found")
    if missed or not found:
        ctx.exit(Exit.REFUSED)


COMMANDS = [leaks_command]
