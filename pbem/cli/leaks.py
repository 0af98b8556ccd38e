"""`pbem dev leak-test`: check that no player learns what they must not know."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json, failing, note, progress_bar
from pbem.cli.options import GameSlug, PathParam, add_option
from pbem.dev import leak_test, leak_test_mail, leak_test_pairs, planted_leaks
from pbem.dev.random_game import said_of
from pbem.dev.settings_pairs import SettingsPair, TakeBackPair
from pbem.kernel.game import Game

_TOLD = 3  # leaks printed for each cause; --json has all


@command("dev leak-test", "sixteen_thirty", "virgin_queen --fail-fast --mail-pairs 10")
@click.argument("game", type=GameSlug(), required=False)
@add_option("--count pairs", "N", "Number of pairs of games.", default=20, type=click.IntRange(0))
@add_option(
    "--mail-pairs post",
    "N",
    "Number of pairs played by email, with reminders and files. Half as many pairs are added that take acts back.",
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
@add_option("--only number", "N", "Play only the pairs with this number, to reproduce a leak.", type=click.IntRange(0))
@add_option(
    "--self-test planted",
    "PATH",
    "Plant each leak of this file or folder in a copy of pbem, and check that it is found.",
    type=PathParam(exists=True),
)
@options.players
@options.seed
@options.jobs
@options.cluster
@options.json
@click.pass_context
def leaks_command(
    ctx: click.Context,
    /,
    game: str,
    pairs: int,
    post: int,
    with_settings: int,
    screens: bool,
    number: int | None,
    planted: Path | None,
    as_json: bool,
    **shared: Any,
) -> None:
    """Find secrets that a player can see.

    A pair is two games that differ in what one player doesn't know. All that this player gets has to be the same in
    both: views, questions, receipts, emails.
    """
    if planted is not None:
        _plant(ctx, planted, game or "", as_json)
        return
    if not game:
        raise click.UsageError("name a GAME, or --self-test tests/leaks")
    with _faults_of(game):
        direct = _plain_pairs(games.load(game), pairs, number, shared)
        by_email = leak_test_pairs.LeakTestResult()
        if number is None and not (shared["first"] and direct.leaks):
            by_email = _posted_pairs(games.load(game), post, with_settings, screens, shared)
    _show_leaks(game, shared["seed"], direct, by_email, as_json)
    if direct.pairs and not direct.changed and not direct.leaks:
        why = "nothing was tested: no two worlds differed"
        raise CommandFailed(why, Exit.FAILED_CHECK, hint="check that `conceal` deals the hidden pieces again")
    if direct.leaks or by_email.leaks:
        ctx.exit(Exit.FAILED_CHECK)


@contextmanager
def _faults_of(game: str) -> Iterator[None]:
    """End with file and line for an error in an external game, and with a report for one in our own."""
    debug = os.environ.get("PBEM_DEBUG", "")
    os.environ["PBEM_DEBUG"] = "1"  # an error of a rule is raised with its line, not noted for a moderator
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
    finally:
        os.environ["PBEM_DEBUG"] = debug


def _plain_pairs(game: Game, pairs: int, number: int | None, shared: dict[str, Any]) -> leak_test_pairs.LeakTestResult:
    with progress_bar("pairs") as progress:

        def show(result: leak_test_pairs.LeakTestResult) -> None:
            progress(result.pairs, max(pairs, result.pairs))

        return leak_test.run(game, pairs, number=number, progress=show, **shared)


def _posted_pairs(
    game: Game, post: int, with_settings: int, screens: bool, shared: dict[str, Any]
) -> leak_test_pairs.LeakTestResult:
    told = leak_test_pairs.LeakTestResult()
    with progress_bar("pairs through the post") as progress:

        def show(result: leak_test_pairs.LeakTestResult) -> None:
            progress(told.pairs + result.pairs, post + post // 2 + with_settings)

        draw = None
        if screens:
            from pbem.tui.screenshots import texts  # Textual is slow to import

            draw = texts
        for kind, count in (
            (leak_test_mail.MailPair, post), (TakeBackPair, post // 2), (SettingsPair, with_settings)
        ):  # fmt: skip
            if not (shared["first"] and told.leaks):
                told.add(leak_test_mail.run(game, count, progress=show, screens=draw, of=kind, **shared))
    return told


def _show_leaks(
    game: str,
    seed: int,
    direct: leak_test_pairs.LeakTestResult,
    by_email: leak_test_pairs.LeakTestResult,
    as_json: bool,
) -> None:
    both = leak_test_pairs.LeakTestResult()
    both.add(direct)
    both.add(by_email)
    if as_json:
        pairs = {"seed": seed, "pairs": direct.pairs, "post": by_email.pairs}
        emit_json("leaks", pairs | _counted(both))
        return
    crashes = sum(leak.crash for leak in both.leaks)
    leaks = f"{len(both.leaks) - crashes} leaks" + (f", {crashes} crashes" if crashes else "")
    data(
        f"{game}, seed {seed}: {both.pairs} pairs, {both.changed} of them different, {both.steps} answers "
        f"compared in {both.seconds:.0f} s, {leaks}"
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
    if any(leak.where.startswith(("own view", "result", "view file")) for leak in both.leaks):
        note(
            "If a seat may learn this by the rules (a card that it draws, points of a hidden store), a line tells it:\n"
            '  table.log(KEY, reveals=True, …), or table.log(KEY, private={seat: {"cards": …}}) if only some may know'
        )


def _counted(both: leak_test_pairs.LeakTestResult) -> dict[str, Any]:
    shown = [
        {"where": leak.where, "number": leak.number, "text": str(leak), "crash": leak.crash} for leak in both.leaks
    ]
    seconds = round(both.seconds, 1)
    return {"changed": both.changed, "steps": both.steps, "seconds": seconds, "ended": both.ended, "leaks": shown}


def _plant(ctx: click.Context, planted: Path, game: str, as_json: bool) -> None:
    """Plant each fault in a copy of the program, and print which are found and after how many pairs."""
    hint = "tests/leaks holds the planted leaks of pbem itself"
    with failing(planted_leaks.LeakPatchError, code=Exit.USAGE, hint=hint):
        faults = list(planted_leaks.read(planted))
    results = []
    for fault in faults:
        if game in ("", fault.game):
            result = planted_leaks.apply_patch(fault)
            results.append(result)
            if not as_json:
                data(f"{fault.id}: {result}")
    missed = [plant.id for plant in results if not plant.found]
    if as_json:
        emit_json("planted", {"planted": len(results), "missed": missed, "results": results})
    else:
        data(f"{len(results) - len(missed)} of {len(results)} planted leaks found")
    if missed or not results:
        ctx.exit(Exit.FAILED_CHECK)
