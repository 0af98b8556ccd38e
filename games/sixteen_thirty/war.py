"""War: resolved at once when a vote decides for it (sections "Resolving a war" to "The rewards of war")."""

from __future__ import annotations

from games.sixteen_thirty.components import ThirtyComponents
from games.sixteen_thirty.state import BLUE, NEUTRAL, RED, Country, ThirtyState
from games.sixteen_thirty.table import KIT, Table

KIT.chapter("war", "who may attack whom, resolution, rewards", "war.py")


def may_declare(state: ThirtyState, country: str) -> bool:
    """Return whether a country may attack: with an army, without unrest (5), and on a side (S-03)."""
    land = state.countries[country]
    return land.army >= 1 and not land.unrest and land.side != NEUTRAL


def targets(c: ThirtyComponents, state: ThirtyState, country: str, neighbours_only: int) -> list[str]:
    """Return the countries that `country` may attack: those of the other side (S-03).

    One whose status is `neighbours_only` or less is attacked by neighbours only (S-01).
    """
    if not may_declare(state, country):
        return []
    enemy = BLUE if state.countries[country].side == RED else RED
    adjacent = c.countries[country].adjacent
    return [
        key
        for key, land in state.countries.items()
        if land.side == enemy and (land.status > neighbours_only or key in adjacent)
    ]


def modifier(c: ThirtyComponents, country: str, land: Country, *, attacked: bool) -> int:
    """Return the combat modifier: ability, leader, no army; for the attacked country also unrest (S-13) and water."""
    war = c.war
    total = land.ability
    if land.leader:
        total += war.leader
    if land.army == 0:
        total += war.no_army
    if attacked and land.unrest:
        total += war.unrest
    if attacked and c.countries[country].water_defence and land.status <= war.water_status:
        total += war.water_defence
    return total


def odds(c: ThirtyComponents, state: ThirtyState, attacker: str, defender: str) -> tuple[int, int]:
    """Return the chances in percent that the attacker wins and that the defender wins; the rest are draws."""
    sides, countries = range(1, 7), state.countries
    rolls = [abs(die - other) for die in sides for other in sides]
    ahead = modifier(c, attacker, countries[attacker], attacked=False)
    ahead -= modifier(c, defender, countries[defender], attacked=True)
    margins = [ours - theirs + ahead for ours in rolls for theirs in rolls]
    won, lost = sum(margin > 0 for margin in margins), sum(margin < 0 for margin in margins)
    return round(100 * won / len(margins)), round(100 * lost / len(margins))


def resolve(table: Table, attacker: str, defender: str) -> None:
    """Roll two dice for each country; the difference plus the modifier is the total, the higher total wins (S-21)."""
    c, state = table.c, table.state
    ours, theirs = state.countries[attacker], state.countries[defender]
    table.log("war.begins", rule="war", attacker=attacker, defender=defender)
    table.stop_advance_orders(state.active)  # who is in their turn can't know how it ends; others wrote ahead of it
    totals = []
    for key, land, attacked in ((attacker, ours, False), (defender, theirs, True)):
        high, low = table.roll(c.war.dice, "war.roll", rule="war", country=key).dice
        totals.append(abs(high - low) + modifier(c, key, land, attacked=attacked))
    table.log("war.totals", rule="war", attacker=attacker, defender=defender, attack=totals[0], defence=totals[1])
    if totals[0] > totals[1]:
        _reward(table, attacker, defender)
    elif totals[1] > totals[0]:
        _reward(table, defender, attacker)
    else:
        for land in (ours, theirs):
            land.army = max(0, land.army + c.war.tie_army)
        table.log("war.drawn", rule="war", attacker=attacker, defender=defender)


def _reward(table: Table, winner: str, loser: str) -> None:
    """Give the winner a point of status if there is one (S-24) and room for it; the loser loses it and an army size.

    A loser without an army loses a point of ability instead.
    """
    c, state = table.c, table.state
    war, limits = c.war, c.limits
    won, lost = state.countries[winner], state.countries[loser]
    if lost.status > limits.status_min:
        won.status = min(limits.status_max, won.status + war.winner_status)
        lost.status = max(limits.status_min, lost.status + war.loser_status)
    if lost.army > 0:
        lost.army += war.loser_army
    else:
        lost.ability = max(0, lost.ability + war.loser_ability)
    table.log(
        "war.won", rule="war", winner=winner, loser=loser, status=won.status, fallen=lost.status,
        army=lost.army, ability=lost.ability,
    )  # fmt: skip
