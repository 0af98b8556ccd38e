"""War and peace between powers (9.1, 9.2, 9.4, 9.5): what may be declared, its cost and effects."""

from __future__ import annotations

from functools import cache

from games.virgin_queen.components import QueenComponents
from games.virgin_queen.courts import deaths
from games.virgin_queen.gate import england_spain_cost, trespass
from games.virgin_queen.query import allied, at_war, seat_of, set_war, side_of
from games.virgin_queen.state import ENGLAND, FRANCE, MINORS, POWERS, PROTESTANT, SPAIN, QueenState, pair
from games.virgin_queen.table import Table
from pbem.kernel.game import Play

VARIABLE = 99
"""The entry of the matrix for England and Spain (9.5)."""
TRUCE = "truce"
"""In France's `used`: peace of religion with the Protestants until the end of the turn (card 33)."""


def cost(table: Table, a: str, b: str) -> int:
    """9.4 Return the CP that a pays to declare war on b; below 0: not allowed, or a possible ally."""
    found = int(table.c.declarations[a].get(b, -1))
    return england_spain_cost(table) if found == VARIABLE else found


@cache
def listed(c: QueenComponents, a: str) -> tuple[str, ...]:
    """9.4 Return the powers on which the matrix lets a declare war, in impulse order."""
    return tuple(other for other in (*POWERS, *MINORS) if c.declarations[a].get(other, -1) >= 0)


def allowed(table: Table, a: str, b: str) -> bool:
    """9.4 Return whether the permanent restrictions let a declare war on b. 27: never on a power of the same player."""
    state = table.state
    # First restriction of 9.4: what the matrix does not allow; third: allies.
    if a == b or cost(table, a, b) < 0 or at_war(state, a, b) or allied(state, a, b):
        return False
    # Second: the ally of a major power; fourth: Portugal before its king has died.
    if b in MINORS and (state.minors[b].ally or state.minors[b].locked):
        return False
    # The truce of a home card.
    if {a, b} == {FRANCE, PROTESTANT} and state.powers[FRANCE].used.get(TRUCE):
        return False
    # 27: one player's powers.
    mine = seat_of(state, a)
    return not mine or mine != seat_of(state, b)


def declare(table: Table, a: str, b: str) -> Play:
    """9.4 Put two powers at war: betrothals end (9.1), fleets in one sea zone fight, the earlier power attacks."""
    from games.virgin_queen.naval import battle

    state = table.state
    set_war(table, a, b)
    cancel_betrothals(table, a, b)
    if state.phase == "action":
        sides = sorted((side_of(state, a), side_of(state, b)), key=(*POWERS, *MINORS).index)
        yield from battle.start_war_at_sea(table, *sides)
        yield from entered(table)


def cancel_betrothals(table: Table, a: str, b: str) -> None:
    """9.1 Cancel betrothals after war; both are free again."""
    state = table.state
    for betrothal in list(state.betrothed):
        if {state.royals[royal].power for royal in betrothal.couple} == {a, b}:
            deaths.part(table, betrothal)
            table.log("wedding.war", rule="9.1", couple=betrothal.couple)


def may_make_peace(table: Table, a: str, b: str) -> bool:
    """9.1 Return whether two powers at war may end it: not England and Spain (9.5), not a locked war."""
    state = table.state
    return at_war(state, a, b) and {a, b} != {ENGLAND, SPAIN} and state.locked_wars.get(pair(a, b), 0) != state.turn


def may_ally(table: Table, a: str, b: str) -> bool:
    """9.2 Return whether two major powers may ally now."""
    state = table.state
    if a == b or at_war(state, a, b) or allied(state, a, b) or pair(a, b) in state.peaces:
        return False
    if {a, b} == {SPAIN, PROTESTANT}:
        return False
    if FRANCE in (a, b):
        other = b if a == FRANCE else a
        rival = {SPAIN: PROTESTANT, PROTESTANT: SPAIN}.get(other)
        return rival is None or not allied(state, FRANCE, rival)
    return True


def is_barred_by_league(state: QueenState, a: str, b: str) -> bool:
    """20.10 Return whether the League bars agreements of Spain with its enemies France and the Protestants."""
    enemies = SPAIN in (a, b) and {a, b} <= {SPAIN, FRANCE, PROTESTANT}
    return 0 < state.league == state.turn - 1 and enemies and at_war(state, a, b)


def entered(table: Table) -> Play:
    """9.4, 9.5 Start war at once over Spanish units in Ireland or Scotland, or English ones in the Netherlands."""
    if found := trespass(table):
        table.log("war.entered", rule="9.5", power=found[0], space=found[1])
        yield from declare(table, ENGLAND, SPAIN)
