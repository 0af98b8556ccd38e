"""Which units may enter a space and whose units are the enemy there (13.1, 14.1)."""

from __future__ import annotations

from collections.abc import Iterable

from games.virgin_queen.formations import count, pieces
from games.virgin_queen.gate import BOUND, all_may
from games.virgin_queen.query import allied, at_war, foes, mates, neighbours, powers_in, strength
from games.virgin_queen.state import INDEPENDENT
from games.virgin_queen.table import Table


def hostile(table: Table, power: str, space: str) -> list[str]:
    """Return the sides that count as enemies of a power in a space: at war with it or with its holder (13.1)."""
    state = table.state
    holder = state.control[space]
    against = at_war(state, power, holder)
    return [
        side
        for side in powers_in(state, space)
        if side not in (power, INDEPENDENT)
        and (at_war(state, power, side) or (against and (side == holder or allied(state, side, holder))))
    ]


def foes_outside(table: Table, power: str, space: str) -> list[str]:
    """Return the hostile sides before the walls or in the open: all that are not under siege (13.1, 15)."""
    siege = table.state.sieges.get(space)
    return [side for side in hostile(table, power, space) if siege is None or side in siege.by]


def garrison(table: Table, space: str, besieger: str) -> int:
    """Return how many land units are inside against a besieger (15): no besiegers and no friends of it."""
    state = table.state
    siege = state.sieges.get(space)
    by = siege.by if siege is not None else {}
    return sum(
        strength(state, side, space)
        for side in powers_in(state, space)
        if side != besieger and side not in by and not allied(state, side, besieger)
    )


def may_enter(table: Table, power: str, space: str, *, units: bool = True) -> bool:
    """13.1 Return whether a formation (without `units`: leaders alone) may enter a space, as far as the gate agrees."""
    state = table.state
    holder = state.control[space]
    here = state.land.get(space)
    own = holder == power
    if own and (here is None or (len(here) == 1 and power in here)):
        return True
    # The second restriction of 13.1: its own space or an independent one, else an enemy's or an ally's.
    hostile_holder = not own and at_war(state, power, holder)
    if not own and holder != INDEPENDENT and not hostile_holder and not allied(state, power, holder):
        return False
    # The last: leaders alone go neither into an enemy's space nor among enemies.
    sides = [side for side in powers_in(state, space) if side not in (power, INDEPENDENT)]
    if not units and (hostile_holder or any(at_war(state, power, side) for side in sides)):
        return False
    return not sides or _company(table, power, space, holder, sides)


def _company(table: Table, power: str, space: str, holder: str, sides: list[str]) -> bool:
    """13.1 Return whether the units in a space admit a power: the third restriction, in its four cases."""
    state = table.state
    siege = state.sieges.get(space)
    by = siege.by if siege is not None else {}
    friends = [side for side in sides if allied(state, power, side)]
    enemies = [side for side in sides if at_war(state, power, side)]
    inside, before = [s for s in sides if s not in by], [s for s in sides if s in by]
    split = siege is not None and bool(inside) and bool(before)
    # First and second: all are allies, or all are enemies, and none of them besieges the other.
    if (len(friends) == len(sides) or len(enemies) == len(sides)) and not split:
        return True
    # Third: all belong to the enemy who holds the space, or to its allies.
    if at_war(state, power, holder) and siege is None:
        return all(side == holder or allied(state, side, holder) for side in sides)
    # Fourth: (a) allies besieged by enemies, (b) enemies besieged by allies.
    if siege is None:
        return False
    relief = all(s in friends for s in inside) and all(s in enemies for s in before)
    join = all(s in enemies for s in inside) and all(s in friends for s in before)
    return relief or join


def refuges(
    table: Table, power: str, space: str, barred: tuple[str, ...] = (), units: Iterable[str] | None = None
) -> list[str]:
    """13.3, 14.1 Return adjacent spaces, passes included, into which units may avoid battle or retreat together."""
    state = table.state
    friends, enemies = mates(state, power), foes(state, power)
    going = pieces(power, count(state, power, space) if units is None else units) if power in BOUND else []
    return [
        other
        for other in neighbours(table, power, space)
        if other not in barred
        and other not in state.unrest
        and state.control[other] in friends
        # A siege would put newcomers on the wrong side.
        and other not in state.sieges
        and enemies.isdisjoint(state.land.get(other, ()))
        and (power not in BOUND or all_may(table, going, other))
    ]


def way_out(table: Table, power: str, space: str) -> list[str]:
    """15.3 Return where a broken besieger may go: friendly spaces without unrest or other powers' units."""
    state = table.state
    return [
        other
        for other in refuges(table, power, space)
        if all(side == power or allied(state, side, power) for side in powers_in(state, other))
    ]
