"""`pbem check`, `pbem fuzz`, `pbem leaks`, `pbem bench`: is the adjudicator right, whole, discreet and fast?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.exits import Exit
from pbem.cli.options import GameSlug, PathParam, cluster_option, jobs_option, json_option

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pbem.kernel.game import Game
    from pbem.trial import pairing
    from pbem.trial.fuzz import Result
    from pbem.trial.matches import Match


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
    from pbem.cli.console import Stop, note, progress_bar
    from pbem.trial import fuzz
    from pbem.trial.shortest import shortest

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
    for failure in result.failures:
        where = f" → {fuzz.dump(shortest(chosen, failure), dump)}" if dump else ""
        note(f"{failure}{where}")
    if result.failures:
        ctx.exit(Exit.REFUSED)


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
    from pbem.cli.console import Stop
    from pbem.trial import pairing

    if planted is not None:
        _plant(ctx, planted, game or "", as_json)
        return
    if not game:
        raise click.UsageError("which GAME? or --self-test tests/leaks")
    try:
        bare = _bare_pairs(game, pairs, seed, seats, first, number, jobs, cluster)
        told = pairing.Result()
        if number is None and not (first and bare.leaks):
            told = _posted_pairs(game, post, with_settings, seed, seats, first, screens)
    except pairing.NotPlayed as error:
        raise Stop(str(error), Exit.USAGE, hint=f"pbem games {game} lists the possible numbers") from None
    _show_leaks(game, seed, bare, told, as_json)
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
    game: str, post: int, with_settings: int, seed: int, seats: int | None, first: bool, screens: bool
) -> pairing.Result:
    """Pairs through the post, and those that differ in settings alone."""
    import games
    from pbem.cli.console import progress_bar
    from pbem.trial import pairing, post_leaks
    from pbem.trial.settings_leaks import SettingsPair

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
            )
            told.add(more)
    return told


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
    for leak in both.leaks:
        note(str(leak))
        if leak.number >= 0:
            note(f"  again: pbem leaks {game} --seed {seed} --number {leak.number}")


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


@click.command("bench")
@click.option(
    "--game", type=GameSlug(), default="sixteen_thirty", show_default=True, help="Which game to measure."
)
@click.option(
    "--mail", is_flag=True, help="Also a mailbox of 10,000 letters over 100 games, and a tick over 1,000."
)
@click.option("--tui", is_flag=True, help="Also the terminal UI: first paint, key to screen, memory.")
@click.option(
    "--bots",
    type=click.IntRange(1),
    metavar="GAMES",
    help="Only understudies: so many games for each effort.",
)
@click.option(
    "--tempo",
    type=click.IntRange(1),
    metavar="GAMES",
    help="Only rounds of mail: so many games for each habit.",
)
@click.option("--players", type=int, help="With --tempo: how many play.")
@click.option("--understudies", is_flag=True, help="With --tempo: understudies answer, not chance.")
@click.option(
    "--letters",
    type=click.IntRange(1),
    metavar="LOOKS",
    help="Only how long letters are: so many looks at random games.",
)
@click.option("--cold", is_flag=True, help="Only commands from a cold start: processor time, of all games.")
@click.option(
    "--scale",
    type=click.IntRange(1),
    metavar="GAMES",
    help="Only a simulation: how long letters wait where a club plays so many games, by hosts.",
)
@jobs_option
@json_option
def bench_command(
    game: str,
    mail: bool,
    tui: bool,
    bots: int | None,
    tempo: int | None,
    players: int | None,
    understudies: bool,
    letters: int | None,
    cold: bool,
    scale: int | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Measure decisions, cold start, one letter; with --mail, the post; with --tui, the screens; or --bots alone."""
    import msgspec

    import games
    from pbem.cli.console import emit_json, note, progress_bar, table
    from pbem.trial import bench

    chosen = games.load(game)
    if bots is not None:
        _bench_bots(chosen, bots, jobs, as_json)
        return
    if tempo is not None:
        _bench_tempo(chosen, tempo, players, understudies, jobs, as_json)
        return
    if scale is not None:
        _bench_scale(scale, max(jobs, 1), as_json)
        return
    if letters is not None:
        _bench_letters(chosen, letters, as_json)
        return
    if cold:
        _bench_cold(as_json)
        return
    note("measuring; this takes some seconds")
    with progress_bar("measurements") as progress:
        found: dict[str, Any] = msgspec.to_builtins(bench.run(chosen, progress=progress))
    if mail:
        with progress_bar("letters") as progress:
            found |= msgspec.to_builtins(bench.post(chosen, progress=progress))
    if tui:
        from pbem.tui import bench as screens

        found |= screens.run()
    if as_json:
        emit_json("bench", {"figures": found})
        return
    rows = [
        [name, _figure(entry["value"]), entry["unit"], f"{entry['n']:,}"] for name, entry in found.items()
    ]
    table(rows, ["what", "value", "unit", "n"])


def _bench_bots(game: Game, count: int, jobs: int, as_json: bool) -> None:
    """One understudy among random seats: its share of victories, by effort."""
    from pbem.bot import EFFORTS
    from pbem.cli.console import emit_json, progress_bar, table
    from pbem.trial.matches import match

    players = max(n for n in game.scenarios[0].seats if n <= PLAYED_BY.get(game.slug, 4))
    total = count * len(EFFORTS)
    found: list[tuple[str, Match]] = []
    with progress_bar("games") as progress:
        for name, effort in EFFORTS.items():
            before = len(found) * count

            def told(so_far: Match, before: int = before) -> None:
                progress(before + so_far.games, total)

            found.append((name, match(game, players, count, effort, jobs=jobs, progress=told)))
    if as_json:
        bots = [
            {"effort": name, "games": m.games, "won": m.rate, "chance": 1 / players, "median_ms": m.median_ms}
            for name, m in found
        ]
        emit_json("bots", {"game": game.slug, "players": players, "bots": bots})
        return
    rows = [
        [name, str(m.games), f"{m.rate:.0%}", f"{1 / players:.0%}", f"{m.median_ms:.0f}"] for name, m in found
    ]
    table(rows, ["effort", "games", "won", "chance", "ms a choice"])


def _bench_letters(game: Game, looks: int, as_json: bool) -> None:
    """How many words letters have, by which line their form stands, how big their pages are."""
    import msgspec

    from pbem.cli.console import emit_json, progress_bar, table
    from pbem.trial import letter_sizes

    with progress_bar("looks") as progress:
        found = letter_sizes.run(game, looks, progress=progress)
    if as_json:
        emit_json("letters", {"game": game.slug, "sizes": msgspec.to_builtins(found)})
        return
    names = ("letters", "words", "words_95", "words_most", "form", "subject", "page")
    rows = [[one.language, *(f"{getattr(one, name):,}" for name in names)] for one in found]
    heads = ["letters", "words (half)", "95 of 100", "most", "form by line", "subject", "page, bytes"]
    table(rows, ["language", *heads])


def _bench_cold(as_json: bool) -> None:
    """What commands cost from a cold start, bare Python among them."""
    import msgspec

    from pbem.cli.console import emit_json, progress_bar, table
    from pbem.trial import cold

    with progress_bar("processes") as progress:
        found = cold.run(progress=progress)
    if as_json:
        emit_json("cold", {"costs": msgspec.to_builtins(found)})
        return
    rows = [[cost.what, f"{cost.cpu_ms:.0f}", f"{cost.wall_ms:.0f}", str(cost.n)] for cost in found]
    table(rows, ["command", "CPU ms", "wall ms", "best of"])


def _bench_tempo(
    game: Game, count: int, players: int | None, understudies: bool, jobs: int, as_json: bool
) -> None:
    """Rounds of mail by habit, and what reaction sheets and questions put together save."""
    from pbem.bot import EFFORTS
    from pbem.cli.console import emit_json, progress_bar, table
    from pbem.kernel.sheets import ASK, REACTIONS
    from pbem.kernel.together import IN_TURN, QUESTIONS
    from pbem.trial.tempo import HABITS, measure

    possible = game.scenarios[0].seats
    most_players = {**PLAYED_BY, "crown_of_roses": 4}.get(game.slug, 4)
    players = players or max(n for n in possible if n <= most_players)
    if players not in possible:
        raise click.UsageError(f"{game.slug} is for {', '.join(map(str, sorted(possible)))} players")
    effort = EFFORTS["low"] if understudies else None
    known = {option.id for option in game.options}
    without = [{key: how} for key, how in ((REACTIONS.id, ASK), (QUESTIONS.id, IN_TURN)) if key in known]
    plans = [(name, options) for options in ({}, *without) for name in HABITS]
    rows, found = [], []
    with progress_bar("games") as progress:
        for at, (name, options) in enumerate(plans):
            how = ", ".join(f"{key}={value}" for key, value in options.items())

            def told(done: int, before: int = at * count) -> None:
                progress(before + done, len(plans) * count)

            tempo = measure(
                game, players, count, HABITS[name], options, effort=effort, progress=told, jobs=jobs
            )
            line = tempo.line()
            most = ", ".join(f"{kind} {n / count:.0f}" for kind, n in tempo.kinds.most_common(5))
            rows.append([name, how or "-", *(f"{value:.0f}" for value in line.values()), most])
            found.append(
                {"habit": name, "options": options, "games": count, **line, "kinds": dict(tempo.kinds)}
            )
    if as_json:
        emit_json("tempo", {"game": game.slug, "players": players, "tempo": found})
        return
    table(rows, ["habit", "options", "rounds", "days", "days, 9 of 10", "letters a seat", "most rounds for"])


def _bench_scale(count: int, jobs: int, as_json: bool) -> None:
    """A simulated club over 1 to 10 hosts, with a mail relay on the host or far away."""
    import msgspec

    from pbem.cli.console import emit_json, progress_bar, table
    from pbem.trial.scale import FAR, NEAR, Club, Host, simulate

    plans = [
        (hosts, where, send) for where, send in (("near", NEAR), ("far", FAR)) for hosts in (1, 2, 4, 10)
    ]
    rows, found = [], []
    with progress_bar("plans") as progress:
        for done, (hosts, where, send) in enumerate(plans, 1):
            load = simulate(-(-count // hosts), Club(), Host(send=send, workers=jobs))
            found.append({"hosts": hosts, "relay": where, **msgspec.to_builtins(load)})
            waits = [f"{seconds / 60:.0f}" for seconds in (load.median, load.late, load.worst)]
            figures = [f"{load.letters:,.0f}", f"{load.busiest:,}", f"{load.at_work:.0%}", *waits]
            rows.append([str(hosts), where, f"{load.games:,}", *figures])
            progress(done, len(plans))
    if as_json:
        emit_json("scale", {"games": count, "plans": found})
        return
    heads = ["hosts", "relay", "games each", "letters a day", "busiest hour", "at work"]
    table(rows, [*heads, "waits, min", "95 of 100", "longest"])


PLAYED_BY = {"sixteen_thirty": 4, "imperial_struggle": 2, "crown_of_roses": 3, "virgin_queen": 6}
"""How many seats a match of understudies has."""


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


COMMANDS = [check_command, fuzz_command, leaks_command, bench_command]
