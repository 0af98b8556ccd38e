"""`pbem stats`: statistics of games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.commands import command
from pbem.cli.console import data, emit_json, left_out, note
from pbem.cli.options import json_option, paths_argument

if TYPE_CHECKING:
    from pbem.mail.statistics import GameStats


@command("stats", "pbem stats ~/games", "pbem stats g1.toml --json")
@paths_argument
@json_option
@click.pass_context
def stats_command(ctx: click.Context, paths: tuple[Path, ...], as_json: bool) -> None:
    """Show response times, dice and results.

    All of it is public, except for the response times of a running game: show them to nobody.
    """
    from pbem.mail.statistics import stats

    found = stats(list(paths) or [Path()])
    if as_json:
        emit_json("stats", found)
    else:
        for game in found.games:
            data("\n".join(_lines(game)))
        if found.results:
            data("results:")
        for row in found.results:
            won = f"{row.wins} of {row.games} won"
            data(f"  {row.game} {row.scenario}, {row.seat}: {won}, {row.points:g} points on average")
        if not found.games and not found.broken:
            note("no saves here: pbem new begins a game")
    left_out(ctx, found.broken.values(), bool(found.games))


def _lines(one: GameStats) -> list[str]:
    where = "over" if one.over else ", ".join(f"{key} {value}" for key, value in one.when.items())
    days = f" in {one.days:g} days" if one.days else ""
    lines = [f"{one.name} ({one.game} {one.scenario}): {where}; {one.rounds} rounds{days}"]
    if not one.over and one.time:
        lines.append("  hours for an answer, where one seat alone was asked:")
    elif one.time:
        lines.append("  hours for an answer:")
    for seat, time in one.time.items():
        lines.append(
            f"    {seat}: {time.answers} answers, median {time.median:g}, mean {time.mean:g}, most {time.most:g}"
        )
    points = one.scores or (one.points[-1][1] if one.points else {})
    if points:
        won = f"; won by {', '.join(one.winners)}" if one.winners else ""
        lines.append("  points: " + ", ".join(f"{seat} {number}" for seat, number in points.items()) + won)
    lines += [
        f"  {dice.count} dice with {dice.sides} sides: {dice.sum}, expected {dice.expected:g} "
        f"({dice.sigmas:+g} sigma); faces {' '.join(map(str, dice.faces))}"
        for dice in one.dice
    ]
    return lines


COMMANDS = {"stats": stats_command}
