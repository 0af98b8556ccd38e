"""The common part of Protestant rebellions (18.5) and of the rising of the English Catholics (19.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.virgin_queen import fleets
from games.virgin_queen.displacement import displace
from games.virgin_queen.formations import add, settle
from games.virgin_queen.land.control import take_over
from games.virgin_queen.query import other_sides, seat_of, side_of
from games.virgin_queen.religion.conversion import faithful
from games.virgin_queen.state import CATHOLIC, PROTESTANT, Fleet, Troops
from games.virgin_queen.table import HIT, KIT, Table
from pbem.kernel.domains import Distribution, Subset
from pbem.kernel.game import Rule

_ask_losses = KIT.question("revolt_losses", "18.5", "reaction")
_ask_spaces = KIT.question("revolt_spaces", "18.5")


def other(religion: str) -> str:
    """Return the religion of the resistance."""
    return CATHOLIC if religion == PROTESTANT else PROTESTANT


def defenders(table: Table, space: str, holder: str, religion: str) -> dict[str, tuple[str, Troops | Fleet]]:
    """Return the units of `religion` that `holder` commands in a space: word → (owner, where they are counted)."""
    state = table.state
    found: dict[str, tuple[str, Troops | Fleet]] = {}
    for owner, troops in state.land.get(space, {}).items():
        if side_of(state, owner) == holder and faithful(owner, religion, troops):
            found[f"{owner}-regulars"] = (owner, troops)
    for fleet in state.fleets.get(space, ()):
        if side_of(state, fleet.power) == holder and faithful(fleet.owner, religion, fleet):
            for kind in fleet.ships:
                found[f"{fleet.owner}-{kind}"] = (fleet.owner, fleet)
    return found


def crushed(table: Table, space: str, religion: str, dice: int, rule: str) -> Rule[bool]:
    """Return whether a revolt clears a space: the holder removes a unit of the other faith a hit, and all must go."""
    faith = other(religion)
    if not any_faithful(table, space, faith):
        table.log("revolt.unresisted", rule=rule, space=space)
        return True
    holder = table.state.control[space]
    hits = table.roll(dice, "revolt.rolls", rule=rule, space=space).at_least(HIT)
    here = defenders(table, space, holder, faith)
    bounds = {key: strength_of(key, units) for key, (_, units) in here.items()}
    lost = min(hits, sum(bounds.values()))
    if lost:
        yield from _lose(table, space, holder, here, bounds, lost, rule)
    stands = sum(bounds.values()) > lost
    table.log("revolt.fails" if stands else "revolt.succeeds", rule=rule, space=space, hits=hits)
    return not stands


def any_faithful(table: Table, space: str, religion: str) -> bool:
    """Return whether units of a religion, of any power, are in a space; Jesuits don't count."""
    state = table.state
    return any(faithful(owner, religion, some) for owner, some in state.land.get(space, {}).items()) or any(
        faithful(fleet.owner, religion, fleet) for fleet in state.fleets.get(space, ())
    )


def strength_of(key: str, units: Troops | Fleet) -> int:
    """Return how many units a word of `defenders` stands for."""
    kind = key.rpartition("-")[2]
    return units.regulars if isinstance(units, Troops) else units.ships[kind]


def _lose(
    table: Table,
    space: str,
    holder: str,
    here: Mapping[str, tuple[str, Troops | Fleet]],
    bounds: dict[str, int],
    lost: int,
    rule: str,
) -> Rule[None]:
    domain = Distribution(bounds, lost, what="units")
    chosen: Mapping[str, int] = next(domain.options())
    seat = seat_of(table.state, holder)
    if seat and len(bounds) > 1 and lost < sum(bounds.values()):
        chosen = yield from _ask_losses(seat, domain, chosen, rule=rule, power=holder, space=space, count=lost)
    for key, number in chosen.items():
        if not number:
            continue
        owner, units = here[key]
        if isinstance(units, Troops):
            add(table, space, owner, "regulars", -number)
        else:
            fleets.lose(table, space, owner, units.power, key.rpartition("-")[2], number)
    settle(table, holder, space)
    table.log("revolt.losses", rule=rule, power=holder, space=space, units=dict(chosen))


def rise(table: Table, power: str, space: str, religion: str, most: int, rule: str) -> Rule[list[str]]:
    """Put the target, then adjacent spaces, under `power`, at most `most` in all; others leave them."""
    yield from _evict(table, space, power)
    state = table.state
    near = joiners(table, power, space, religion)
    room = min(most - 1, len(near))
    chosen: Sequence[str] = near[:room]
    seat = seat_of(state, power)
    if seat and 0 < room < len(near):
        domain = Subset(near, room, room, what="spaces")
        chosen = yield from _ask_spaces(seat, domain, list(chosen), rule=rule, power=power, space=space, count=room)
    for at in (space, *chosen):
        take_over(table, at, power, rule)
    for at in chosen:
        yield from _evict(table, at, power)
    return [space, *chosen]


def joiners(table: Table, power: str, space: str, religion: str) -> list[str]:
    """Return the spaces next to a revolt that may join it: of its religion, without units of the other one."""
    state, c = table.state, table.c
    area = c.areas[c.spaces[space].area]
    return [
        at
        for at in (*c.land[space], *c.gates.get(space, ())[:1])  # 2.5: waterways are open to religion
        if at in area
        and state.control[at] != power
        and state.religion[at] == religion
        and not any_faithful(table, at, other(religion))
    ]


def _evict(table: Table, space: str, power: str) -> Rule[None]:
    yield from displace(table, space, other_sides(table.state, space, power))
