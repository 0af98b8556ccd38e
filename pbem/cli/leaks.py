"""`pbem dev leak-test`: check that no player learns what they must not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import games
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json, note, progress_bar
from pbem.cli.options import (
    GameSlug,
    PathParam,
    add_option,
    cluster_option,
    jobs_option,
    json_option,
    players_option,
    seed_option,
)

if TYPE_CHECKING:
    from pbem.dev import leak_test_pairs


@command(
    "leak-test", "pbem dev leak-test sixteen_thirty", "pbem dev leak-test virgin_queen --fail-fast --mail-pairs 10"
)
@click.argument("game", type=GameSlug(), required=False)
@add_option("--count pairs", "N", "Number of pairs of games.", default=20, type=click.IntRange(0))
@add_option(
    "--mail-pairs post",
    "N",
    "Number of pairs played by email, with reminders and files.",
    default=2,
    type=click.IntRange(0),
)
@add_option(
    "--settings-pairs with_settings",
    "N",
    "Number of pairs played by email that differ only in settings.",
    default=0,
    type=click.IntRange(0),
)
@click.option("--screens", is_flag=True, help="Compare the terminal's screens, too, in the pairs played by email.")
@click.option("--fail-fast", "first", is_flag=True, help="Stop at the first leak.")
@add_option("--only number", "N", "Only the pairs of this game, to see a leak again.", type=click.IntRange(0))
@add_option(
    "--self-test planted",
    "PATH",
    "Plant each leak of this file or folder in a copy of pbem: each has to be found.",
    type=PathParam(exists=True),
)
@players_option
@seed_option
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
    """Find secrets that a player can see.

    A pair is two games that differ in what one player doesn't know. All that this player gets has to be the same in
    both: views, questions, receipts, emails.
    """
    from pbem.dev import leak_test_pairs

    if planted is not None:
        _plant(ctx, planted, game or "", as_json)
        return
    if not game:
        raise click.UsageError("which GAME? or --self-test tests/leaks")
    with _faults_of(game):
        bare = _bare_pairs(game, pairs, seed, seats, first, number, jobs, cluster)
        told = leak_test_pairs.LeakTestResult()
        if number is None and not (first and bare.leaks):
            told = _posted_pairs(game, post, with_settings, seed, seats, first, screens, jobs, cluster)
    _show_leaks(game, seed, bare, told, as_json)
    _judge(ctx, bare, told)


@contextmanager
def _faults_of(game: str) -> Iterator[None]:
    """End with file and line for an error in an external game, and with a report for one in our own."""
    from pbem.dev import leak_test_pairs
    from pbem.dev.random_game import said_of

    try:
        yield
    except leak_test_pairs.PairSkipped as error:
        hint = f"pbem games show {game} lists the possible numbers"
        raise CommandFailed(str(error), Exit.USAGE, hint=hint) from None
    except Exception as error:
        if game in games.BUILT_IN:
            raise
        said = said_of(error, games.load(game).package)
        raise CommandFailed(said, Exit.FAILED_CHECK, hint=f"pbem dev fuzz {game} shows when") from None


def _judge(ctx: click.Context, bare: leak_test_pairs.LeakTestResult, told: leak_test_pairs.LeakTestResult) -> None:
    """End with an error if there are leaks, or if nothing was tested."""
    if bare.pairs and not bare.changed and not bare.leaks:
        why = "nothing was tested: no two worlds differed"
        raise CommandFailed(why, Exit.FAILED_CHECK, hint="does conceal deal anything again?")
    if bare.leaks or told.leaks:
        ctx.exit(Exit.FAILED_CHECK)


def _bare_pairs(
    game: str, pairs: int, seed: int, seats: int | None, first: bool, number: int | None, jobs: int, cluster: str
) -> leak_test_pairs.LeakTestResult:
    """Play pairs of games without mail."""
    from pbem.dev import leak_test

    with progress_bar("pairs") as progress:
        return leak_test.run(
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
) -> leak_test_pairs.LeakTestResult:
    """Play pairs with mail, and those that differ in settings alone."""
    from pbem.dev import leak_test_mail, leak_test_pairs
    from pbem.dev.settings_pairs import SettingsPair

    told = leak_test_pairs.LeakTestResult()
    with progress_bar("pairs through the post") as progress:
        for kind, count in ((leak_test_mail.MailPair, post), (SettingsPair, with_settings)):
            if first and told.leaks:
                break
            more = leak_test_mail.run(
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
"""Leaks printed for each cause; --json has all."""


def _show_leaks(
    game: str, seed: int, bare: leak_test_pairs.LeakTestResult, told: leak_test_pairs.LeakTestResult, as_json: bool
) -> None:
    from pbem.dev import leak_test_pairs

    both = leak_test_pairs.LeakTestResult()
    both.add(bare)
    both.add(told)
    if as_json:
        pairs = {"seed": seed, "pairs": bare.pairs, "post": told.pairs}
        emit_json("leaks", pairs | _counted(both))
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
                note(f"  again: pbem dev leak-test {game} --seed {seed} --only {leak.number}")
    for cause, count in causes.items():
        if count > _TOLD:
            note(f"{cause[:200]}: {count - _TOLD} times more")


def _counted(both: leak_test_pairs.LeakTestResult) -> dict[str, Any]:
    shown = [
        {"where": leak.where, "number": leak.number, "text": str(leak), "crash": leak.crash} for leak in both.leaks
    ]
    seconds = round(both.seconds, 1)
    return {"changed": both.changed, "steps": both.steps, "seconds": seconds, "ended": both.ended, "leaks": shown}


def _screens() -> Callable[[Path, str, datetime], dict[str, str]]:
    from pbem.tui.screenshots import texts  # imported only here, because Textual is slow to import

    return texts


def _plant(ctx: click.Context, planted: Path, game: str, as_json: bool) -> None:
    """Plant each fault in a copy of the program, and print which are found and after how many pairs."""
    from pbem.dev import planted_leaks

    try:
        faults = list(planted_leaks.read(planted))
    except planted_leaks.LeakPatchError as error:
        raise CommandFailed(str(error), Exit.USAGE, hint="tests/leaks holds the planted leaks of pbem itself") from None
    found = []
    for fault in faults:
        if game in ("", fault.game):
            result = planted_leaks.apply_patch(fault)
            found.append(result)
            if not as_json:
                data(f"{fault.id}: {result}")
    missed = [plant.id for plant in found if not plant.found]
    if as_json:
        emit_json("planted", {"planted": len(found), "missed": missed, "results": found})
    else:
        data(f"{len(found) - len(missed)} of {len(found)} planted leaks found")
    if missed or not found:
        ctx.exit(Exit.FAILED_CHECK)


COMMANDS = {"dev leak-test": leaks_command}
