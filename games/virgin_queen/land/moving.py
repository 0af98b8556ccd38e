"""Land movement (13.1): the order, the march into a space, and the encounters there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NotRequired, TypedDict

from games.virgin_queen import formations
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import Formation, deserters, deserts
from games.virgin_queen.gate import all_may
from games.virgin_queen.impulse import pay
from games.virgin_queen.land.avoid_battle import ask_defenders
from games.virgin_queen.land.battle import field_battle
from games.virgin_queen.land.entering import foes_outside, garrison, may_enter, refuges
from games.virgin_queen.land.intercepting import intercept
from games.virgin_queen.land.losses import check_siege, destroy, fall_back
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import at_war, fortified, leaders_at, neighbours, powers_in, seat_of, strength
from games.virgin_queen.responses import offer
from games.virgin_queen.state import ARMADA, INDEPENDENT, POWERS, Siege
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional, Subset, lazy_choice
from pbem.kernel.game import Play

KIT.chapter("13.1", "land movement", "land/moving.py", "land/entering.py")
KIT.chapter("13.4", "withdrawal", "land/avoid_battle.py", "land/moving.py")
_ask_turn_away = KIT.question("turn_away", "13.4")


class LandMove(TypedDict):
    """A land move: origin, target and units: all that may, if none are named."""

    origin: str
    to: str
    leaders: NotRequired[list[str]]
    units: NotRequired[dict[str, int]]


TIRED = ("beaten", "besieging")
CLEAR, PASS = 1, 2
BORDER = ("berwick", "carlisle", "edinburgh", "glasgow")
"""Where Border Reivers (card 41) may strike."""


def cost(table: Table, origin: str, to: str) -> int:
    """13 Return the CP of a move: 1, over a pass 2."""
    return PASS if to in table.c.spaces[origin].passes else CLEAR


def ready(
    table: Table, power: str, space: str, leaders: Sequence[str] | None = None
) -> tuple[dict[str, int], list[str]]:
    """13.1 Return units and leaders in a space that may move now; `leaders` are those there, if known."""
    impulse = table.state.impulse
    if impulse is not None and space in impulse.laid:
        return {}, []
    return formations.available(table.state, power, space, why=TIRED, leaders=leaders)


def stations(ground: PowerMap) -> list[str]:
    """Return the spaces with land units or army leaders of a power."""
    found = ground.garrisons
    return [*found, *[space for space in ground.leaders if space not in found]]


def targets(ground: PowerMap, origin: str) -> Iterator[str]:
    """13.1 Yield where the formation at `origin` may go."""
    fits = _way(ground, origin)
    return (to for to in neighbours(ground.table, ground.power, origin) if fits(to)) if fits else iter(())


def _way(ground: PowerMap, origin: str) -> Callable[[str], bool] | None:
    """Return a check whether the formation at `origin` may go to an adjacent space; None without a formation."""
    table, power = ground.table, ground.power
    units, leaders = ready(table, power, origin, ground.chiefs(origin))
    if not units and not leaders:
        return None
    cp, most = table.state.now.cp, formations.limit(table, leaders)

    def fits(to: str) -> bool:
        if cost(table, origin, to) > cp:
            return False
        able = formations.may_go(table, power, units, to)
        whole = sum(able.values())
        parts = whole <= most or any(formations.partings(table, power, origin, to, able, most))
        if whole and parts and may_enter(table, power, to):
            return True
        return bool(formations.may_lead(table, leaders, to)) and may_enter(table, power, to, units=False)

    return fits


def can_leave(ground: PowerMap, origin: str) -> bool:
    """13.1 Return whether a formation at `origin` may go anywhere."""
    return any(targets(ground, origin))


def _may_move(table: Table, ground: PowerMap) -> bool | None:
    found = any(can_leave(ground, space) for space in ground.garrisons)
    return found or any(can_leave(ground, space) for space in ground.leaders) or None


def _order(table: Table, ground: PowerMap, _: bool) -> Form[LandMove]:
    """Return `move <origin> <to> leaders=… units=…`; leaders or units left out: all of them."""
    power, chiefs_at = ground.power, ground.chiefs

    def to(v: Any) -> Choice:
        fits = _way(ground, v.origin)
        assert fits is not None, "nobody is asked where nothing can go"
        return lazy_choice(neighbours(table, power, v.origin), fits, "space")

    def leaders(v: Any) -> Domain | None:
        units, chiefs = ready(table, power, v.origin, chiefs_at(v.origin))
        going = formations.may_lead(table, chiefs, v.to)
        least = 0 if formations.may_go(table, power, units, v.to) else 1
        return Optional(Subset(going, least, len(going), what="leaders")) if chiefs else None

    def units(v: Any) -> Domain | None:
        here, chiefs = ready(table, power, v.origin, chiefs_at(v.origin))
        here = formations.may_go(table, power, here, v.to)
        if not here:
            return None
        going = formations.may_lead(table, chiefs, v.to) if v.leaders is None else v.leaders
        alone = may_enter(table, power, v.to, units=False)
        return formations.units_domain(table, here, going, alone=alone, way=(power, v.origin, v.to))

    fields: dict[str, Any] = {
        "origin": lazy_choice(stations(ground), lambda at: can_leave(ground, at), "space", table.c.spaces),
        "to": to,
        "leaders": leaders,
        "units": units,
    }
    return Form(fields)


@KIT.action("move", "13.1", _may_move, _order, listed="move_clear")
def _move(table: Table, power: str, order: LandMove) -> Play:
    origin, to = order["origin"], order["to"]
    here, chiefs = ready(table, power, origin)
    units, leaders = formations.chosen(
        order, formations.may_go(table, power, here, to), formations.may_lead(table, chiefs, to)
    )
    formation = Formation(power, origin, units, leaders)
    price = cost(table, origin, to)
    pay(table, price, "move_pass" if price == PASS else "move_clear")
    table.log("move.declared", rule="13.1", power=power, origin=origin, space=to, units=units, leaders=leaders)
    about: dict[str, Any] = {"power": power, "origin": origin, "space": to, "units": formation.total}
    if (yield from offer(table, "move", about)):
        formations.join_spent(table.state, formation, "besieging")
        return
    if deserts(table, formation):
        return
    yield from march(table, formation, to)


def march(table: Table, formation: Formation, to: str) -> Play:
    """13.1 steps 5 to 8: Resolve interception, avoiding battle, withdrawal, battle; then perhaps a siege."""
    state, power = table.state, formation.power
    origin = formation.space
    met = yield from intercept(table, formation, to)
    if origin in table.c.spaces or origin == ARMADA:
        formations.shift(table, power, origin, to, formation.units, formation.leaders)
    formation.came, formation.space = origin, to
    table.log("move.enters", rule="13.1", power=power, space=to, count=formation.total)
    if origin in state.sieges:
        yield from check_siege(table, origin)
    if not formation.total:
        return
    yield from relations.entered(table)
    if to in BORDER and formation.units:
        yield from _raided(table, formation)
    formations.lone_leaders(table, power, to)
    foes = foes_outside(table, power, to)
    if foes and not met:
        foes = yield from ask_defenders(table, formation, foes)
        formations.lone_leaders(table, power, to)
    if foes and deserters(table, formation, foes):
        foes = foes_outside(table, power, to)
        formations.lone_leaders(table, power, to)
        if not formation.total:
            formations.capture(table, formation.leaders, (foes or [table.state.control[to]])[0])
            return
    if not foes:
        yield from arrive(table, formation)
        return
    yield from field_battle(table, formation, foes)
    if formation.total and formation.space:  # 14 step 10: a siege after a victory
        yield from arrive(table, formation, fought=True)
    if met:
        yield from _before_walls(table, to)


def _raided(table: Table, formation: Formation) -> Play:
    """Let cards remove units of a formation that crosses the border of Scotland (#41)."""
    gone: dict[str, int] = {}
    units = formation.units
    about = {"power": formation.power, "space": formation.space, "formation": dict(units), "lost": gone}
    yield from offer(table, "entered", about)
    formation.units = {key: n - gone.get(key, 0) for key, n in units.items() if n > gone.get(key, 0)}


def _before_walls(table: Table, space: str) -> Play:
    """13.2, 15 Begin the siege of an enemy's fortified space by its interceptors, as after a march."""
    state = table.state
    for side in powers_in(state, space):
        if side in POWERS and at_war(state, side, state.control[space]):
            units, leaders = formations.count(state, side, space), leaders_at(state, side, space)
            yield from arrive(table, Formation(side, space, units, leaders), fought=True)


def arrive(table: Table, formation: Formation, *, fought: bool = False) -> Play:
    """13.4, 15 Put the formation before the walls, if there are any to besiege."""
    state, space, power = table.state, formation.space, formation.power
    holder = state.control[space]
    if not fortified(table, space) or not (holder == INDEPENDENT or at_war(state, power, holder)):
        return
    siege = state.sieges.get(space)
    if siege is not None and power in siege.by:
        return
    if strength(state, power, space) > garrison(table, space, power):
        state.sieges.setdefault(space, Siege()).by[power] = state.impulses
        if state.impulse is not None:
            state.now.laid.append(space)
        table.log("siege.laid", rule="15", power=power, space=space, inside=garrison(table, space, power))
    elif fought:
        yield from fall_back(table, power, space, formation)
    else:
        yield from turn_away(table, formation)


def turn_away(table: Table, formation: Formation) -> Play:
    """13.4 Send on a formation too small to besiege, with CP left, or back for free; else it is lost."""
    power, space = formation.power, formation.space
    back = not formation.by_sea and formation.came in refuges(table, power, space, units=formation.units)
    onward = [to for to in onwards(table, formation) if not back or to != formation.came]
    entries: dict[str, Domain | None] = {"back": None} if back else {}
    if onward:
        entries["on"] = Choice(onward, what="space")
    if not entries:
        destroy(table, power, space, formation.units, formation.leaders, "13.4")
        return
    answer: Any = "back"
    if onward:
        about: dict[str, Any] = {
            "power": power, "space": space, "cp": table.state.now.cp, "origin": formation.came,
            "units": formation.total,
        }  # fmt: skip
        answer = yield from _ask_turn_away(seat_of(table.state, power), Menu(entries), **about)
    if answer == "back":
        formations.shift(table, power, space, formation.came, formation.units, formation.leaders, forced=True)
        table.log("move.back", rule="13.4", power=power, space=formation.came)
        return
    to = answer["with"]
    price = cost(table, space, to)
    pay(table, price, "move_pass" if price == PASS else "move_clear")
    formation.barred = space
    yield from march(table, formation, to)


def onwards(table: Table, formation: Formation) -> Sequence[str]:
    """Return where a formation may go on to with the CP left."""
    impulse = table.state.impulse
    cp = impulse.cp if impulse is not None else 0
    power, space = formation.power, formation.space
    near = [to for to in neighbours(table, power, space) if cost(table, space, to) <= cp]
    going = formations.pieces(power, formation.units, formation.leaders)
    return [to for to in near if may_enter(table, power, to) and all_may(table, going, to)]
