"""Assaults (15.1), with the blockade of ports and the inland ports (16.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from games.virgin_queen import fleets, refusals
from games.virgin_queen.displacement import displace_land
from games.virgin_queen.fleets import blockaded
from games.virgin_queen.formations import (
    Formation,
    capture,
    chosen,
    count,
    deserters,
    foot,
    leaders_domain,
    put,
    rating,
    units_domain,
)
from games.virgin_queen.impulse import pay
from games.virgin_queen.land.battle import roll_hits
from games.virgin_queen.land.control import take_over
from games.virgin_queen.land.losses import check_siege, choose_losses, share
from games.virgin_queen.learning.science import EXCAVATION, has
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import (
    LOST,
    WON,
    allied,
    at_war,
    leaders_at,
    loc,
    other_sides,
    outcome,
    powers_in,
    strength,
    surprise,
)
from games.virgin_queen.responses import CombatView, combat, offer
from games.virgin_queen.state import ON_CARD
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Optional
from pbem.kernel.game import Play, Rule

KIT.chapter("15", "sieges", "land/assault.py", "land/losses.py")
KIT.chapter("15.1", "assaults", "land/assault.py")
LISTED = "assault_or_foreign_war"


class AssaultAnswer(TypedDict):
    """The space and the units of an assault: all that may, if none are named."""

    space: str
    leaders: NotRequired[list[str]]
    units: NotRequired[dict[str, int]]
    excavation: NotRequired[str]


def assaultable(table: Table, power: str) -> list[str]:
    """15.1 Return the spaces that a power may assault: besieged since an earlier impulse, not assaulted in this one."""
    state = table.state
    return [
        space
        for space, siege in state.sieges.items()
        if siege.by.get(power, state.impulses) < state.impulses
        and space not in state.now.assaulted
        and not blockaded(table, power, space)
        and loc(table, power, space)
    ]


def ready(table: Table, power: str, space: str) -> tuple[dict[str, int], list[str]]:
    """Return all units and leaders of a besieger; newcomers of this impulse may join (15.1)."""
    return count(table.state, power, space), leaders_at(table.state, power, space)


def _form(table: Table, ground: PowerMap, spaces: list[str]) -> Form[AssaultAnswer]:
    """Return `assault <space> leaders=… units=… excavation=yes`; Excavation once an impulse (22.2)."""
    power = ground.power

    def units(v: Any) -> Domain | None:
        here, chiefs = ready(table, power, v.space)
        return units_domain(table, here, chiefs if v.leaders is None else v.leaders, alone=False)

    fields: dict[str, Any] = {
        "space": Choice(spaces, "space", lambda space: refusals.assaulting(table, power, space)),
        "leaders": lambda v: leaders_domain(ready(table, power, v.space)[1]),
        "units": units,
    }
    digs = has(table, power, EXCAVATION) and EXCAVATION not in table.state.now.marks
    fields["excavation"] = lambda v: Optional(Choice(("yes",))) if digs else None
    return Form(fields)


@KIT.action("assault", "15.1", lambda table, ground: assaultable(table, ground.power) or None, _form, listed=LISTED)
def _run(table: Table, power: str, order: AssaultAnswer) -> Play:
    space = order["space"]
    units, leaders = chosen(order, *ready(table, power, space))
    pay(table, 1, LISTED)
    state = table.state
    state.now.assaulted.append(space)
    fewer = int("excavation" in order)
    if fewer:
        state.now.marks.append(EXCAVATION)
    table.log("assault.declared", rule="15.1", power=power, space=space, units=units, leaders=leaders)
    if (yield from offer(table, "assault", {"power": power, "space": space, "units": sum(units.values())})):
        return
    yield from assault(table, Formation(power, space, units, leaders), fewer)


def defenders(table: Table, space: str, power: str) -> list[str]:
    """Return the sides inside a fortified space against a besieger."""
    state = table.state
    siege = state.sieges.get(space)
    within = [side for side in powers_in(state, space) if siege is None or side not in siege.by]
    return [side for side in within if side != power and not allied(state, side, power)]


def dice(table: Table, formation: Formation, inside: Sequence[str]) -> dict[str, int]:
    """15.1 steps 3 and 4: Return the dice: half, rounded up, against a garrison; none for cavalry."""
    state, space = table.state, formation.space
    holder = state.control[space]
    men, within = foot(formation.units), sum(foot(count(state, side, space)) for side in inside)
    chiefs = [key for side in dict.fromkeys((*inside, holder)) for key in leaders_at(state, side, space)]
    return {
        "attacker": ((men + 1) // 2 if inside else men) + rating(table, formation.leaders),
        "defender": within + rating(table, chiefs) + (2 if has(table, holder, "ravelin") else 1),
    }


def assault(table: Table, formation: Formation, fewer: int = 0) -> Play:
    """15.1 Execute steps 3 to 10. The defender has `fewer` dice less (Excavation, 22.2)."""
    power, space = formation.power, formation.space
    inside = defenders(table, space, power)
    dragut = table.state.leaders["dragut"].at == space
    with table.within("assault", power=power, space=space):
        deserters(table, formation, inside)
        if formation.total:
            yield from _fight(table, formation, inside, fewer)
        else:  # card 109: the whole force has deserted
            outcome(table, LOST, power)
            yield from _failed(table, formation)
    if dragut:
        yield from offer(table, "dragut", {"power": power, "space": space})


def _fight(table: Table, formation: Formation, inside: list[str], fewer: int) -> Play:
    """15.1 Execute steps 4 to 10: combat cards, dice, losses, the result."""
    state, power, space = table.state, formation.power, formation.space
    holder = state.control[space]
    sides = {"attacker": [power], "defender": inside or ([holder] if holder in state.powers else [])}
    battle = CombatView("assault", space, sides, dice(table, formation, inside), formation=formation)
    battle.dice["defender"] -= fewer
    yield from combat(table, battle)
    hits = {side: roll_hits(table, battle, side) for side in ("attacker", "defender")}
    yield from _losses(table, formation, inside, hits)
    surprise(table, power, *inside, holder)
    left = sum(strength(state, side, space) for side in inside)
    table.log(
        "assault.result", rule="15.1", power=power, space=space,
        hits=hits["attacker"], against=hits["defender"], left=left,
    )  # fmt: skip
    taken = bool(hits["attacker"] and not left and formation.total)
    outcome(table, WON if taken else LOST, power)
    if taken:
        holder = yield from falls(table, formation)
        yield from offer(table, "taken", {"power": power, "space": space, "holder": holder})
    else:
        yield from _failed(table, formation)


def _losses(table: Table, formation: Formation, inside: Sequence[str], hits: dict[str, int]) -> Play:
    """15.1 step 8: Remove a unit of the other side for each hit."""
    state, power, space = table.state, formation.power, formation.space
    gone = yield from choose_losses(table, power, space, formation.units, hits["defender"], "15.1")
    put(table, space, power, gone, -1)
    formation.units = {k: n - gone.get(k, 0) for k, n in formation.units.items() if n > gone.get(k, 0)}
    strengths = {side: strength(state, side, space) for side in inside}
    for side, number in share(table, strengths, hits["attacker"]).items():
        dead = yield from choose_losses(table, side, space, count(state, side, space), number, "15.1")
        put(table, space, side, dead, -1)


def falls(table: Table, formation: Formation) -> Rule[str]:
    """15.1 step 9: Pass control, capture leaders, put ships in port on the turn track. Return who held the space."""
    state, power, space = table.state, formation.power, formation.space
    holder = state.control[space]
    others = [side for side in state.sieges.pop(space).by if side != power]
    for side in other_sides(state, space, power, *others):
        if not allied(state, side, power):
            capture(table, leaders_at(state, side, space), power)
    for side in other_sides(state, space, power):
        if not allied(state, side, power):
            fleets.lose_all(table, side, space)
    table.log("assault.taken", rule="15.1", power=power, space=space)
    take_over(table, space, power, "15.1")
    for side in others:
        if not allied(state, side, power) and not at_war(state, side, power):
            yield from displace_land(table, space, side)
    return holder


def _failed(table: Table, formation: Formation) -> Play:
    """15.1 step 10: Send away leaders without units (12.5); the siege may be broken (15.3)."""
    state, power, space = table.state, formation.power, formation.space
    if not strength(state, power, space) and formation.leaders:
        yield from displace_land(table, space, power)
        for key in formation.leaders:
            if state.leaders[key].at == space:
                state.leaders[key].at = ON_CARD
    yield from check_siege(table, space)
