"""`python -m tests.bench`: how fast, how large, how strong?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pbem.cli import options
from pbem.cli.options import GameSlug

if TYPE_CHECKING:
    from pbem.kernel.game import Game
    from tests.bench.matches import Match


@click.command("bench")
@click.option("--game", type=GameSlug(), default="sixteen_thirty", show_default=True, help="Which game to measure.")
@click.option("--mail", is_flag=True, help="Also a mailbox of 10,000 emails over 100 games, and a tick over 1,000.")
@click.option("--tui", is_flag=True, help="Also the terminal UI: first paint, key to screen, memory.")
@click.option("--bots", type=click.IntRange(1), metavar="GAMES", help="Only bots: so many games for each effort.")
@click.option("--ladder", type=click.IntRange(1), metavar="DEALS", help="Only bots against each other: so many deals.")
@click.option(
    "--entrants",
    metavar="NAMES",
    help="With --ladder: random, before (the earlier bot) or before:EFFORT, and efforts such as low or 1s.",
)
@click.option(
    "--tempo", type=click.IntRange(1), metavar="GAMES", help="Only rounds of mail: so many games for each habit."
)
@click.option(
    "--ahead",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=2,
    metavar="[GAMES]",
    help="Only what writing ahead costs in points: so many games (2), each also with waiting.",
)
@click.option("--players", type=int, help="With --ladder, --tempo and --ahead: how many play.")
@click.option("--with-bots", is_flag=True, help="With --tempo: bots answer, not chance.")
@click.option(
    "--emails", type=click.IntRange(1), metavar="LOOKS", help="Only how long emails are: so many looks at random games."
)
@click.option("--cold", is_flag=True, help="Only commands from a cold start: processor time, of all games.")
@options.jobs
@options.json
def bench_command(
    game: str,
    mail: bool,
    tui: bool,
    bots: int | None,
    ladder: int | None,
    entrants: str | None,
    tempo: int | None,
    ahead: int | None,
    players: int | None,
    with_bots: bool,
    emails: int | None,
    cold: bool,
    jobs: int,
    as_json: bool,
) -> None:
    """Measure decisions, cold start, one email; with --mail, mail; with --tui, the screens; or --bots alone."""
    import games

    chosen = games.load(game)
    if bots is not None:
        _bench_bots(chosen, bots, jobs, as_json)
    elif ladder is not None:
        _bench_ladder(chosen, ladder, _players(chosen, players), entrants, jobs, as_json)
    elif tempo is not None:
        _bench_tempo(chosen, tempo, _players(chosen, players), with_bots, jobs, as_json)
    elif ahead is not None:
        _bench_ahead(chosen, ahead, _players(chosen, players), jobs, as_json)
    elif emails is not None:
        _bench_emails(chosen, emails, as_json)
    elif cold:
        _bench_cold(as_json)
    else:
        _bench_game(chosen, as_json, mail=mail, tui=tui)


def _bench_game(game: Game, as_json: bool, *, mail: bool, tui: bool) -> None:
    """Decisions, a cold start, one email; mail and the screens if they are wanted too."""
    import msgspec

    from pbem.cli.console import emit_json, note, progress_bar, table
    from tests.bench import measures

    note("measuring; this takes some seconds")
    with progress_bar("measurements") as progress:
        found: dict[str, Any] = msgspec.to_builtins(measures.run(game, progress=progress))
    if mail:
        with progress_bar("emails") as progress:
            found |= msgspec.to_builtins(measures.post(game, progress=progress))
    if tui:
        from tests.bench import screens

        found |= screens.run()
    if as_json:
        emit_json("bench", {"figures": found})
        return
    rows = [[name, _figure(entry["value"]), entry["unit"], f"{entry['n']:,}"] for name, entry in found.items()]
    table(rows, ["what", "value", "unit", "n"])


def _bench_bots(game: Game, count: int, jobs: int, as_json: bool) -> None:
    """One bot among random seats: its share of victories, by effort."""
    from pbem.bot import EFFORTS
    from pbem.cli.console import emit_json, progress_bar, table
    from tests.bench.matches import match

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
    rows = [[name, str(m.games), f"{m.rate:.0%}", f"{1 / players:.0%}", f"{m.median_ms:.0f}"] for name, m in found]
    table(rows, ["effort", "games", "won", "chance", "ms a choice"])


def _bench_ladder(game: Game, deals: int, players: int, names: str | None, jobs: int, as_json: bool) -> None:
    """Bots against each other: ratings, and the share of victory of each pair."""
    import msgspec

    from pbem.cli.console import emit_json, progress_bar, table
    from tests.bench.ladder import ENTRANTS, ladder, ratings

    entrants = tuple(name.strip() for name in names.split(",")) if names else ENTRANTS
    with progress_bar("deals") as progress:
        duels = ladder(game.slug, players, deals, entrants, jobs=jobs, progress=progress)
    rated = ratings(duels)
    shares = [
        {"first": d.first, "second": d.second, "won": d.rate, "error": d.error, "most": max(d.answers)} for d in duels
    ]
    if as_json:
        ladder_json = {"deals": deals, "ratings": msgspec.to_builtins(rated), "pairs": shares}
        emit_json("ladder", {"game": game.slug, "players": players, **ladder_json})
        return
    spans = [f"{r.low:+.0f} to {r.high:+.0f}" for r in rated]
    rows = [
        [r.name, f"{r.elo:+.0f}", span, f"{r.median_ms:.0f}", f"{r.worst_ms:.0f}"]
        for r, span in zip(rated, spans, strict=True)
    ]
    table(rows, ["bot", "Elo", "95 of 100", "ms a choice", "worst"])
    against = [[d.first, d.second, f"{d.rate:.0%}", f"{1.96 * d.error:.0%}", str(max(d.answers))] for d in duels]
    table(against, ["bot", "against", "won", "±", "most answers"])


def _bench_emails(game: Game, looks: int, as_json: bool) -> None:
    """How many words emails have, by which line their form stands, how big their pages are."""
    import msgspec

    from pbem.cli.console import emit_json, progress_bar, table
    from tests.bench import email_sizes

    with progress_bar("looks") as progress:
        found = email_sizes.run(game, looks, progress=progress)
    if as_json:
        emit_json("emails", {"game": game.slug, "sizes": msgspec.to_builtins(found)})
        return
    names = ("emails", "words", "words_95", "words_most", "form", "subject", "page")
    rows = [[result.language, *(f"{getattr(result, name):,}" for name in names)] for result in found]
    heads = ["emails", "words (half)", "95 of 100", "most", "form by line", "subject", "page, bytes"]
    table(rows, ["language", *heads])


def _bench_cold(as_json: bool) -> None:
    """What commands cost from a cold start, bare Python among them."""
    import msgspec

    from pbem.cli.console import emit_json, progress_bar, table
    from tests.bench import cold

    with progress_bar("processes") as progress:
        found = cold.run(progress=progress)
    if as_json:
        emit_json("cold", {"costs": msgspec.to_builtins(found)})
        return
    rows = [[cost.what, f"{cost.cpu_ms:.0f}", f"{cost.wall_ms:.0f}", str(cost.n)] for cost in found]
    table(rows, ["command", "CPU ms", "wall ms", "best of"])


def _players(game: Game, players: int | None) -> int:
    possible = game.scenarios[0].seats
    most = {**PLAYED_BY, "crown_of_roses": 4}.get(game.slug, 4)
    players = players or max(n for n in possible if n <= most)
    if players not in possible:
        raise click.UsageError(f"{game.slug} is for {', '.join(map(str, sorted(possible)))} players")
    return players


def _bench_ahead(game: Game, count: int, players: int, jobs: int, as_json: bool) -> None:
    """The difference in points between writing the next turn ahead and waiting."""
    from pbem.bot import Effort
    from pbem.cli.console import emit_json, note, table
    from tests.bench.matches import match_ahead

    found = match_ahead(game, players, count, Effort(_AHEAD), jobs=jobs, progress=note)
    if as_json:
        emit_json("ahead", {"game": game.slug, "players": players, **found.line()})
        return
    line = found.line()
    table([[f"{value:.4g}" for value in line.values()]], [*line])


def _bench_tempo(game: Game, count: int, players: int, with_bots: bool, jobs: int, as_json: bool) -> None:
    """Rounds of mail by habit, and what written turns, reaction sheets and questions put together save."""
    import msgspec

    from pbem.bot import EFFORTS
    from pbem.cli.console import emit_json, note, progress_bar, table
    from pbem.kernel.joint_questions import IN_TURN, QUESTIONS
    from pbem.kernel.standing_orders import ASK, REACTIONS
    from tests.bench.tempo import ASKED, BEFORE, HABITS, UNNAMED, measure

    effort = EFFORTS["low"] if with_bots else None
    known = {option.id for option in game.options}
    without = [{key: how} for key, how in ((REACTIONS.id, ASK), (QUESTIONS.id, IN_TURN)) if key in known]
    plans = [(name, HABITS[name], options) for options in ({}, *without) for name in HABITS]
    usual = HABITS["usual"]
    plans[1:2] = [
        ("usual, before", msgspec.structs.replace(usual, **BEFORE), {}),
        ("usual, nothing named with an answer", msgspec.structs.replace(usual, **UNNAMED), {}),
        ("usual, without policies", msgspec.structs.replace(usual, **ASKED), {}),
        ("usual, written ahead as before", msgspec.structs.replace(usual, form=BEFORE["form"]), {}),
        ("usual", usual, {}),
    ]
    for name, habits in HABITS.items():
        note(f"{name}: {', '.join(f'{key} {value}' for key, value in msgspec.to_builtins(habits).items())}")
    rows, found = [], []
    with progress_bar("games") as progress:
        for at, (name, habits, options) in enumerate(plans):
            how = ", ".join(f"{key}={value}" for key, value in options.items())

            def told(done: int, before: int = at * count) -> None:
                progress(before + done, len(plans) * count)

            tempo = measure(game, players, count, habits, options, effort=effort, progress=told, jobs=jobs)
            line = tempo.line()
            most = ", ".join(f"{kind} {n / count:.0f}" for kind, n in tempo.kinds.most_common(5))
            waits = [sum(some.values()) / count for some in (tempo.alone, tempo.passed, tempo.forced)]
            rows.append([name, how or "-", *(f"{value:.0f}" for value in (*line.values(), *waits)), most])
            counted = {key: dict(getattr(tempo, key)) for key in ("kinds", "alone", "passed", "forced")}
            found.append({"habit": name, "options": options, "games": count, **line, **counted})
    if as_json:
        emit_json("tempo", {"game": game.slug, "players": players, "tempo": found})
        return
    heads = ["habit", "options", "rounds", "a turn", "days", "days, 9 of 10", "emails a seat"]
    table(rows, [*heads, "for one seat", "all pass", "forced", "most rounds for"])


_AHEAD = 0.1
"""How hard a bot thinks that writes ahead: a choice for each email, not for each of its turns."""

PLAYED_BY = {"sixteen_thirty": 4, "imperial_struggle": 2, "crown_of_roses": 3, "virgin_queen": 6}
"""How many seats a match of bots has."""


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
