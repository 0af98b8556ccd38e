"""`pbem games`: the available games, their house rules, and how far their components are documented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import games
from pbem.cli import options
from pbem.cli.commands import command, group
from pbem.cli.console import data, emit_json, table, warn
from pbem.cli.options import GameSlug

if TYPE_CHECKING:
    from games import GameEntry
    from pbem.kernel.game import Game


@group("games")
@options.json
@click.pass_context
def games_group(ctx: click.Context, as_json: bool) -> None:
    """List the games, or show one."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command, as_json=as_json)


@command("games list", "pbem games list", "--json")
@click.option("--all", "everything", is_flag=True, help="Also list games of other packages.")
@options.json
def list_command(everything: bool = False, as_json: bool = False) -> None:
    """List the games."""
    entries = [_entry(known) for known in games.catalogue(third_party=everything)]
    if as_json:
        emit_json("games", {"games": entries})
        return
    rows = [[g["slug"], g["title"], _counts(g["seats"]), g["status"]] for g in entries]
    table(rows, ["game", "title", "players", "status"])


@command("games show", "virgin_queen", "virgin_queen --provenance")
@click.argument("game", type=GameSlug())
@click.option("--provenance", is_flag=True, help="Show where the facts of its components come from.")
@options.json
def show_command(game: str, provenance: bool, as_json: bool) -> None:
    """Show scenarios, seats and house rules of a game."""
    if provenance:
        _provenance(game, as_json)
    else:
        _one(games.load(game), as_json)


def _entry(known: GameEntry) -> dict[str, Any]:
    seats = list(range(known.seats_min, known.seats_max + 1))
    scenarios: list[str] = []
    try:
        game = games.load(known.slug)
    except Exception as error:  # a game that doesn't load must not hide the others
        warn(f"{known.slug} does not load: {type(error).__name__}: {error}")
        status = "broken"
    else:
        seats = sorted({n for scenario in game.scenarios for n in scenario.seats})
        scenarios = [scenario.id for scenario in game.scenarios]
        status = game.status
    line = {"slug": known.slug, "title": known.title, "title_ja": known.title_ja, "seats": seats}
    return {**line, "scenarios": scenarios, "status": status}


def _counts(seats: list[int]) -> str:
    return f"{seats[0]}-{seats[-1]}" if len(seats) > 1 else "".join(map(str, seats))


def _one(game: Game, as_json: bool) -> None:
    if as_json:
        emit_json(
            "game",
            {
                "slug": game.slug,
                "title": game.title,
                "rules": game.rules,
                "status": game.status,
                "scenarios": [
                    {"id": s.id, "name": s.name, "seats": {str(n): list(ids) for n, ids in s.seats.items()}}
                    for s in game.scenarios
                ],
                "options": [
                    {"id": o.id, "default": o.default, "values": o.domain.syntax(), "text": o.text, "rule": o.rule}
                    for o in game.options
                ],
                "hours": dict(game.default_hours),
            },
        )
        return
    data(f"{game.title['en']} ({game.slug}), rules version {game.rules}")
    for scenario in game.scenarios:
        data(f"\nscenario {scenario.id}: {scenario.name['en']}")
        for players, seats in scenario.seats.items():
            data(f"  {players} players: {', '.join(seats)}")
    if game.options:
        data("\nhouse rules (pbem new --option NAME=VALUE):")
    for option in game.options:
        cite = f" [{option.rule}]" if option.rule else ""
        data(f"  {option.id}={option.domain.text(option.default)}   {option.domain.syntax()}{cite}")
        data(f"      {option.text['en']}")


def _provenance(slug: str, as_json: bool) -> None:
    from pbem.kernel.pack import TAGS, load_pack, provenance

    found = provenance(load_pack(games.load(slug).package))
    if as_json:
        emit_json("provenance", found)
        return
    rows = [[name, *(str(counts[tag]) for tag in TAGS)] for name, counts in found.tables.items()]
    table([*rows, ["all", *(str(found.total[tag]) for tag in TAGS)]], ["table", *TAGS])
    if found.reconstructed:
        data("\nreconstructed (made up to fit the rules; correct them with pbem new --pack FILE):")
    for kind, entry, field in found.reconstructed:
        data(f"  {kind}.{entry}: {field}")
