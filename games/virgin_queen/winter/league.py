"""The Catholic League (20.10)."""

from __future__ import annotations

from collections.abc import Mapping

from games.virgin_queen.diplomacy import relations
from games.virgin_queen.displacement import displace
from games.virgin_queen.formations import add, muster, settle
from games.virgin_queen.gate import GUISE, station
from games.virgin_queen.land.control import take_over
from games.virgin_queen.query import other_sides, seat_of
from games.virgin_queen.religion.conversion import turn_over
from games.virgin_queen.state import CATHOLIC, FRANCE, GONE, LATER, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Distribution, Subset
from pbem.kernel.game import Play, Rule

KIT.chapter("20.10", "the Catholic League", "winter/league.py", "gate.py")
_ask_league_spaces = KIT.question("league_spaces", "20.10")
_ask_league_losses = KIT.question("league_losses", "20.10")

SEAT = "reims"
LEAST_REGULARS = 4


def league(table: Table) -> Play:
    """20.10 From turn 3 to 6, until it has formed: check, then execute the procedure."""
    state = table.state
    if state.league or state.turn not in table.c.tables["catholic_league"]["turns"]:
        return
    if not forms(table):
        table.log("league.not", rule="20.10")
        return
    state.league = state.turn
    table.log("league.forms", rule="20.10")
    yield from _spaces(table)
    losses = yield from _french_losses(table)
    _spanish_units(table, losses)
    if seat_of(state, SPAIN) != seat_of(state, FRANCE):  # 27: not between two powers of one player
        yield from relations.declare(table, SPAIN, FRANCE)
    yield from relations.declare(table, SPAIN, PROTESTANT)


def forms(table: Table) -> bool:
    """20.10 Return whether the League forms: by three French keys, else by a roll, if there are more than five spaces.

    Spaces in unrest count too (FAQ 30).
    """
    state, c, rule = table.state, table.c, table.c.tables["catholic_league"]
    mine = [space for space in c.homes[FRANCE] if state.control[space] == PROTESTANT]
    keys = sum(c.spaces[space].type == "key" for space in mine)
    if keys >= rule["automatic_if_protestant_french_keys"]:
        return True
    if len(mine) <= rule["impossible_if_at_most_spaces"]:
        return False
    roll = table.roll(1, "league.rolls", rule="20.10", plus=len(mine))
    return bool(roll.total + len(mine) >= rule["target"])


def candidates(table: Table) -> list[str]:
    """20.10 step 1: Return unfortified French home spaces that are not Huguenot home, without Reims."""
    own = [table.c.spaces[space] for space in table.c.homes[FRANCE] if space != SEAT]
    return [space.id for space in own if space.type == "unfortified" and not space.home_upper]


def _spaces(table: Table) -> Play:
    """20.10 step 1: Make Reims and two others Spanish, and Catholic if not the last (18.1); displace units in them."""
    found, seat = candidates(table), seat_of(table.state, SPAIN)
    chosen = yield from _ask_league_spaces(seat, Subset(found, 2, 2, what="spaces"), found[:2], power=SPAIN)
    taken = [SEAT, *chosen]
    table.log("league.spaces", rule="20.10", spaces=taken)
    for space in taken:
        take_over(table, space, SPAIN, "20.10")
        turn_over(table, space, CATHOLIC, "20.10")
    for space in taken:
        if others := other_sides(table.state, space, SPAIN):
            yield from displace(table, space, others)


def _french_losses(table: Table) -> Rule[dict[str, int]]:
    """20.10 step 2: Remove a third, rounded up, of France's regulars and of its mercenaries on the map."""
    state = table.state
    losses = {}
    for kind in ("regulars", "mercenaries"):
        here = {at: n for at, land in state.land.items() if FRANCE in land and (n := getattr(land[FRANCE], kind))}
        number = losses[kind] = (sum(here.values()) + 2) // 3
        if not number:
            continue
        chosen: Mapping[str, int] = {next(iter(here)): number}
        if len(here) > 1:
            seat, domain = seat_of(state, FRANCE), Distribution(here, number, what="units")
            first = next(domain.options())
            chosen = yield from _ask_league_losses(seat, domain, first, power=FRANCE, what=kind, count=number)
        for space, some in chosen.items():
            add(table, space, FRANCE, kind, -some)
        settle(table, FRANCE, *chosen)
        table.log("league.losses", rule="20.10", power=FRANCE, kind=kind, spaces=dict(chosen))
    return losses


def _spanish_units(table: Table, losses: Mapping[str, int]) -> None:
    """20.10 step 3: Give Spain as many units at Reims, four regulars at least, a fortress and the Duke of Guise."""
    state = table.state
    if SEAT not in state.fortresses:
        state.fortresses.append(SEAT)
    wanted = {"regulars": max(losses["regulars"], LEAST_REGULARS), "mercenaries": losses["mercenaries"]}
    for kind, number in wanted.items():
        muster(table, SEAT, SPAIN, kind, number)
    guise = state.leaders[GUISE]
    if guise.at in (LATER, GONE):
        station(table, GUISE, SEAT)
    table.log("league.army", rule="20.10", space=SEAT, units=wanted, leader=GUISE)
