"""`pbem dev`: rule tests, random games, and a game of your own."""

from __future__ import annotations

import keyword
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json, failing, note, progress_bar
from pbem.cli.options import FOLDER, GameSlug, PathParam, add_option

if TYPE_CHECKING:
    from pbem.dev.fuzz import FuzzResult
    from pbem.kernel.game import Game

_TOLD = 5  # failures printed for each kind if none is written
SLUG, TITLE = "lanterns", {"en": "Lanterns", "ja": "灯籠"}


@command("dev test-rules", "tests/cases", "tests/cases/war.toml --json")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PathParam(exists=True))
@options.jobs
@options.cluster
@options.json
@click.pass_context
def check_command(ctx: click.Context, paths: tuple[Path, ...], jobs: int, cluster: str, as_json: bool) -> None:
    """Run rule tests (TOML files), and play again what `dev fuzz --output` wrote."""
    from pbem.dev import rule_tests

    with progress_bar("cases") as progress:
        report = rule_tests.run(paths, lambda so_far: progress(so_far.cases, 0), jobs=jobs, cluster=cluster)
    if as_json:
        failed = [{"id": f.id, "rule": f.rule, "why": "\n".join(f.why), "path": f.path} for f in report.failed]
        emit_json("check", {"cases": report.cases, "passed": report.passed, "failed": failed})
    else:
        for failure in report.failed:
            data(str(failure))
        data(f"{report.passed} of {report.cases} cases hold")
    if not report.cases:
        where = ", ".join(map(str, paths))
        raise CommandFailed(f"no cases in {where}", hint="cases are in *.toml files as [[case]]: pbem docs cases")
    if report.failed:
        ctx.exit(Exit.FAILED_CHECK)


@command("dev fuzz", "pbem dev fuzz", "virgin_queen --for-hours 8 --output failures")
@click.argument("slugs", nargs=-1, metavar="[GAME]...", type=GameSlug())
@add_option("--count", "N", "Number of games of each GAME.", default=100, type=click.IntRange(1))
@add_option(
    "--for-hours hours",
    "N",
    "Play for this many hours: --count games of each GAME in turn.",
    type=click.FloatRange(0, min_open=True),
)
@options.players
@options.seed
@add_option("-o --output dump", "FOLDER", "Write each failing game here, shortened.", type=FOLDER)
@add_option("--answers players", "", "Who plays the seats.", default="random", type=click.Choice(["random", "bot"]))
@options.jobs
@options.cluster
@options.json
@click.pass_context
def fuzz_command(
    ctx: click.Context,
    /,
    slugs: tuple[str, ...],
    count: int,
    hours: float | None,
    dump: Path | None,
    as_json: bool,
    **shared: Any,
) -> None:
    """Play random games and report crashes, dead ends and replay errors.

    It also checks the invariants of the game at each position, and audits and verifies each finished game. Without GAME
    it plays all games.
    """
    from pbem.dev.fuzz import run

    slugs = slugs or tuple(known.slug for known in games.catalogue())
    play = partial(run, games=count, **shared)
    results = _fuzzed([games.load(slug) for slug in dict.fromkeys(slugs)], play, count, hours, dump)
    _show_fuzz(results, as_json)
    if any(result.failures for result in results.values()):
        ctx.exit(Exit.FAILED_CHECK)


def _fuzzed(
    chosen: Sequence[Game], play: Callable[..., FuzzResult], count: int, hours: float | None, dump: Path | None
) -> dict[str, FuzzResult]:
    """Play rounds of `count` games each (one without `hours`). Failures are printed after each game of a round."""
    from time import monotonic

    from pbem.dev.fuzz import FuzzResult

    until = monotonic() + 3600 * hours if hours is not None else None
    results = {game.slug: FuzzResult() for game in chosen}
    total = 0 if hours is not None else count * len(chosen)
    with progress_bar("games") as progress:
        while True:
            for game in chosen:
                before = sum(result.games for result in results.values())

                def told(result: FuzzResult, before: int = before) -> None:
                    progress(before + result.games, total)

                hint = f"pbem games show {game.slug} lists the possible numbers"
                with failing(ValueError, code=Exit.USAGE, hint=hint):
                    result = play(game, first=results[game.slug].games, progress=told)
                results[game.slug].join(result)
                _tell_failures(game, result, dump)
            if until is None or monotonic() >= until:
                return results


def _tell_failures(game: Game, result: FuzzResult, dump: Path | None) -> None:
    from pbem.dev import fuzz
    from pbem.dev.fuzz import shrink

    printed: Counter[str] = Counter()
    for failure in result.failures:
        where = f" → {fuzz.dump(shrink(game, failure), game, dump)}" if dump else ""
        printed[failure.kind] += 1
        if dump or printed[failure.kind] <= _TOLD:
            note(f"{failure}{where}")
    for kind, count in printed.items():
        if not dump and count > _TOLD:
            note(f"{kind}: {count - _TOLD} games more")


def _show_fuzz(found: dict[str, FuzzResult], as_json: bool) -> None:
    from pbem.dev import fuzz

    together = fuzz.FuzzResult()
    for result in found.values():
        together.join(result)
    alone = len(found) == 1
    if as_json:
        each = {} if alone else {"by_game": {slug: _figures(result) for slug, result in found.items()}}
        emit_json("fuzz", _figures(together) | each)
        return
    for slug, result in found.items():
        data(
            f"{'' if alone else f'{slug}: '}{result.games} games, {result.decisions} decisions "
            f"({round(result.per_second)} per second), {result.checkpoints} checkpoints, "
            f"{len(result.failures)} failures"
        )


def _figures(result: FuzzResult) -> dict[str, object]:
    return {
        "games": result.games,
        "decisions": result.decisions,
        "per_second": round(result.per_second),
        "failures": len(result.failures),
        "dead_ends": result.count("dead_end"),
        "replay_mismatches": result.count("replay"),
        "checkpoint_mismatches": result.count("checkpoint"),
    }


@command("dev lint-game", "sixteen_thirty", "./lanterns --complete")
@click.argument("game", type=GameSlug())
@add_option(
    "--count", "N", "Number of random games for each number of players.", default=2, type=click.IntRange(1, 1000)
)
@options.seed
@click.option("--complete", is_flag=True, help="Also list texts that a language lacks.")
@options.json
@click.pass_context
def check_game_command(ctx: click.Context, game: str, count: int, seed: int, complete: bool, as_json: bool) -> None:
    """List what a game doesn't provide yet.

    It looks for defaults, checkpoints, secrets, kinds of questions and texts: it reads the files of the game, and plays
    random games in each language.
    """
    from pbem.dev.lint_game import check

    chosen = games.load(game)
    lacks = check(chosen, count, seed)
    texts = [lack for lack in lacks if lack.is_text]
    if not complete:
        lacks = [lack for lack in lacks if not lack.is_text]
    if as_json:
        emit_json("lacks", {"lacks": lacks})
    else:
        for lack in lacks:
            data(str(lack))
        data(f"{game}: {len(lacks) or 'nothing'} missing")
        if texts and not complete:
            data(f"{len(texts)} texts are still missing: pbem dev lint-game {game} --complete lists them")
    if lacks:
        ctx.exit(Exit.FAILED_CHECK)


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
        for word in TITLE.values():  # the title alone: Japanese sentences have the word, too
            text = text.replace(f'"{word}"', f'"{title}"').replace(f'"""{word}:', f'"""{title}:')
        target = folder / str(source.relative_to(template())).replace(SLUG, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
        written.append(target)
    return written


@command("dev new-game", "tide_pools", "river_pools -o ~/games/river_pools")
@click.argument("name")
@add_option("-o --output", "FOLDER", "Folder to write [default: NAME].", type=PathParam())
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
        raise CommandFailed(f"{error.filename} already exists", hint="-o names another folder") from None
    data(f"""
export PBEM_GAMES={folder.resolve()}     # or: pip install -e {folder}
pbem play {name} --guide
pbem new {name} --players 3 -o first.toml
pbem dev lint-game {name}
pbem dev test-rules {folder}/tests/cases
pbem dev fuzz {name}
pbem dev leak-test {name}""")
