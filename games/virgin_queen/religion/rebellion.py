"""Rebellions of the Protestants (18.4; the procedure in 18.5), with their capitals and leaders (23.6)."""

from __future__ import annotations

from typing import TypedDict

from games.virgin_queen import impulse
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import levy
from games.virgin_queen.gate import arrive
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import allied, at_war, fortified, seat_of
from games.virgin_queen.religion.uprising import crushed, rise
from games.virgin_queen.state import FRANCE, ON_CARD, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Form, Subset
from pbem.kernel.game import Rule

KIT.chapter("18.4", "rebellions", "religion/rebellion.py")
KIT.chapter("23.6", "the Protestants: capitals by rebellion", "religion/rebellion.py", "land/control.py")
_ask_capital = KIT.question("capital", "23.6")
_ask_leaders = KIT.question("rebel_leaders", "23.6")

NETHERLANDS = "netherlands"
AREAS = {FRANCE: FRANCE, NETHERLANDS: SPAIN}
"""Area → the power that a rebellion there is against."""
FACTIONS = {FRANCE: "huguenot", NETHERLANDS: "dutch"}
"""Area → the Protestant pool of units there."""
LEAST, MOST = 2, 5
NOWHERE = "nowhere"


class Rebellion(TypedDict):
    """The space, and the CP."""

    space: str
    cp: int


def targets(table: Table, area: str) -> list[str]:
    """18.5 step 1 Return the spaces of France or the Netherlands where the Protestants may rebel now.

    None where 18.4 forbids it: allied with France, or a rebellion in this area in this impulse
    (`Impulse.revolts`); nor in France during the peace of religion (card 33).
    """
    state = table.state
    against = AREAS[area]
    if state.impulse is not None and area in state.impulse.revolts:  # two in an impulse: in different areas
        return []
    if area == FRANCE and (allied(state, PROTESTANT, FRANCE) or state.powers[FRANCE].used.get(relations.TRUCE)):
        return []
    faithful = [at for at in table.c.areas[area] if state.religion[at] == PROTESTANT]
    return [at for at in faithful if state.control[at] == against and at not in state.sieges]


def rebellion(table: Table, space: str, cp: int, rule: str = "18.4") -> Rule[bool]:
    """18.5 Resolve a Protestant rebellion in a space, as if with 2 to 5 CP; return whether it succeeded.

    The caller pays. A capital whose faction is in `QueenState.capitals_lost` does not come back this turn.
    """
    state = table.state
    area = table.c.spaces[space].area
    if state.impulse is not None:
        state.impulse.revolts.append(area)
    table.log("rebellion.begins", rule=rule, space=space, cp=cp)
    table.stop_advance_orders(seat_of(state, AREAS[area]))
    dice = cp + (space in table.c.homes[PROTESTANT])  # one more in a Protestant home space
    if not (yield from crushed(table, space, PROTESTANT, dice, "18.5")):
        return False
    yield from rise(table, PROTESTANT, space, PROTESTANT, cp, "18.5")
    levy(table, space, FACTIONS[area], "regulars", cp // 2, PROTESTANT, "18.5")
    if not at_war(state, PROTESTANT, AREAS[area]):
        yield from relations.declare(table, PROTESTANT, AREAS[area])
    yield from _capital(table, area)
    yield from _leaders(table, space, FACTIONS[area])
    return True


def _capital(table: Table, area: str) -> Rule[None]:
    """18.5, 23.6 Place a capital in a fortified space of the area, if none is there and it did not fall this turn."""
    state = table.state
    spaces = table.c.areas[area]
    mine = any(state.capitals.get(at) == PROTESTANT for at in spaces)
    found = [at for at in spaces if state.control[at] == PROTESTANT and fortified(table, at)]
    if mine or FACTIONS[area] in state.capitals_lost or not found:
        return
    seat = seat_of(state, PROTESTANT)
    where = found[0]
    if seat:
        where = yield from _ask_capital(seat, Choice([*found, NOWHERE], "space"), where, area=area)
    if where != NOWHERE:
        state.capitals[where] = PROTESTANT
        table.log("rebellion.capital", rule="23.6", space=where, faction=FACTIONS[area])


def _leaders(table: Table, space: str, faction: str) -> Rule[None]:
    """18.5, 23.6 Place army leaders of the faction from the power card in the space of the rebellion, if wanted."""
    state = table.state
    on_card = [key for key, leader in state.leaders.items() if leader.at == ON_CARD and not leader.captor]
    waiting = [key for key in on_card if table.c.generals[key].owner == faction]
    seat = seat_of(state, PROTESTANT)
    if not waiting or not seat:
        return
    chosen = yield from _ask_leaders(seat, Subset(waiting, 0, len(waiting), what="leaders"), list(waiting), space=space)
    for key in chosen:
        arrive(table, key, space, "23.6")


def _find(table: Table, ground: PowerMap) -> list[str] | None:
    found = [at for area in AREAS for at in targets(table, area)]
    return found if found and ground.cp >= LEAST else None


def _form(table: Table, ground: PowerMap, spaces: list[str]) -> Form[Rebellion]:
    return Form(space=Choice(spaces, "space"), cp=Amount(LEAST, min(MOST, ground.cp)))


@KIT.action("rebellion", "18.4", _find, _form)
def _rebel(table: Table, power: str, order: Rebellion) -> Rule[None]:
    impulse.pay(table, order["cp"], "rebellion")
    yield from rebellion(table, order["space"], order["cp"])
