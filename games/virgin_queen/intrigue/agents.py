"""Informants and Jesuits (19.2), what they are worth in dice, and their reset in winter (20.8)."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from games.virgin_queen import impulse
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import ENGLAND, POWERS, SPAIN, UNUSED, Informant
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Values

KIT.chapter("19.2", "placing agents and Jesuits", "intrigue/agents.py")
KIT.chapter("20.8", "espionage is reset in winter", "intrigue/agents.py")

INFORMANTS = 2
CP = 2
FROM_POOL = "pool"
USED = "assassination"
"""In `Power.used`: the assassination marker is on the turn track; an English rebellion uses it too (19.3, 19.4)."""


def informant(table: Table, power: str, target: str) -> Informant | None:
    """19.2 Return the informant of a power on a card, neutralised or not."""
    return table.state.spies.get(power, {}).get(target)


def spying(table: Table, power: str, target: str) -> bool:
    """19 Return whether an informant gives dice: at work, and there when the impulse began (FAQ 30)."""
    found = informant(table, power, target)
    return found is not None and not found.neutral and found.since < table.state.impulses


def place(table: Table, power: str, target: str, origin: str = "", *, at_once: bool = False) -> None:
    """19.2 Put an informant on a card, from the pool or `origin`; `at_once`: with dice in this impulse (card 80)."""
    mine = table.state.spies.setdefault(power, {})
    if origin:
        del mine[origin]
    mine[target] = Informant(since=table.state.impulses - at_once)
    table.log("intrigue.placed", rule="19.2", power=power, target=target)


def remove(table: Table, power: str, target: str) -> None:
    """Take an informant off a card, back into the pool; powers with no more there are not listed."""
    del table.state.spies[power][target]
    if not table.state.spies[power]:
        del table.state.spies[power]


class Agent(TypedDict):
    """An agent's target: a card, or a space of England for a Jesuit; perhaps the card an informant comes from."""

    on: str
    origin: NotRequired[str]


def rivals(table: Table, power: str) -> list[str]:
    """19 Return the other major powers that have a player."""
    return [other for other in POWERS if other != power and seat_of(table.state, other)]


def cards(table: Table, power: str) -> list[str]:
    """19.2 Return on whose cards a power may place an informant: those without its own, neutralised or not."""
    mine = table.state.spies.get(power, {})
    return [rival for rival in rivals(table, power) if rival not in mine] if origins(table, power) else []


def origins(table: Table, power: str) -> list[str]:
    """19.2 Return where the informant may come from: the pool, or a card where it is not neutralised."""
    mine = table.state.spies.get(power, {})
    pool = [FROM_POOL] if len(mine) < INFORMANTS else []
    return [*pool, *(on for on, informant in mine.items() if not informant.neutral)]


def jesuit_spaces(table: Table, power: str) -> list[str]:
    """19.2 Return spaces of England without a Jesuit, while Spain has one on its card."""
    state = table.state
    if power != SPAIN or not state.powers[SPAIN].stock.get("jesuit"):
        return []
    return [at for at in table.c.areas[ENGLAND] if at not in state.jesuits]


def _find(table: Table, ground: PowerMap) -> tuple[list[str], list[str]] | None:
    found = cards(table, ground.power), jesuit_spaces(table, ground.power)
    return found if any(found) else None


def form(table: Table, power: str, on: list[str]) -> Form[Agent]:
    """19.2 Return the form: on which card or in which space, and the informant's origin if there is a choice."""
    sources = origins(table, power)

    def origin(values: Values) -> Domain | None:
        return Choice(sources, "place") if values.on in POWERS and len(sources) > 1 else None

    return Form(on=Choice(on, "place"), origin=origin)


@KIT.action("place_agent", "19.2", _find, lambda t, g, found: form(t, g.power, [*found[0], *found[1]]))
def _place(table: Table, power: str, order: Agent) -> None:
    """19.2 For 2 CP, place an informant on another power's card, or a Jesuit in England."""
    impulse.pay(table, CP, "place_agent")
    send(table, power, order)


def send(table: Table, power: str, order: Agent, *, at_once: bool = False) -> None:
    """19.2 Execute an order of `form`."""
    state = table.state
    on = order["on"]
    if on in POWERS:
        origin = order.get("origin") or origins(table, power)[0]
        place(table, power, on, "" if origin == FROM_POOL else origin, at_once=at_once)
        return
    state.powers[SPAIN].stock["jesuit"] -= 1
    state.jesuits.append(on)
    table.log("event.jesuit", rule="19.2", power=SPAIN, space=on)


def reset(table: Table) -> None:
    """20.8 Return neutralised informants and assassination markers, and set Walsingham to `unused`."""
    state = table.state
    for power in list(state.spies):
        for target in [on for on, informant in state.spies[power].items() if informant.neutral]:
            remove(table, power, target)
            table.log("intrigue.returns", rule="20.8", power=power, target=target)
    for own in state.powers.values():
        own.used.pop(USED, None)
    if state.walsingham:
        state.walsingham = UNUSED
