"""Events of minor powers: 23, 52, 57, 69, 74, 82 (6.1, 24; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import building, cards, fleets, impulse, minors
from games.virgin_queen.courts.deaths import MARY, leaves_chart
from games.virgin_queen.events.common import ask, event, spread
from games.virgin_queen.events.naval import berths
from games.virgin_queen.formations import add, muster, settle
from games.virgin_queen.land.losses import check_siege
from games.virgin_queen.query import allied, at_war, land, powers_in, side_of
from games.virgin_queen.state import ENGLAND, HRE, IRELAND, OTTOMAN, PAPACY, PORTUGAL, PROTESTANT, SCOTLAND, VENICE
from games.virgin_queen.table import Table
from pbem.kernel.domains import Choice, Menu
from pbem.kernel.game import Play, Rule

SCOTS = 2


def unresolved(*names: str) -> Any:
    """Return the condition that a power's status can still be resolved this turn (24.6)."""

    def can(table: Table, power: str) -> bool:
        found = table.state.minors
        return all(name in found and not found[name].resolved for name in names)

    return can


def leads(table: Table, power: str) -> bool:
    """#23 Return whether the power is the ally of the Papacy and at war with the Ottomans."""
    return table.state.minors[PAPACY].ally == power and at_war(table.state, power, OTTOMAN)


@event("holy-league", leads)
def holy_league(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #23: the status of Venice with 3 more, two galleys of its own or minor allies, a naval move."""
    if not table.state.minors[VENICE].resolved:
        yield from minors.resolve(table, VENICE, bonus={power: 3})
    for _ in range(2):
        ports = berths(table, power, "galley")
        if not ports:
            break
        domain = Menu({"pass": None, "galley": Choice(ports, "port")})
        said = yield from ask(table, power, "holy-league", "ship", domain, "pass")
        if said == "pass":
            break
        building.build_ship(table, power, said["with"], "galley")
    yield from impulse.spend(table, power, 1, "event", ("naval_move",))


@event("german-intervention", unresolved(HRE))
def german_intervention(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #52: the status of the Empire (27.1)."""
    yield from minors.resolve(table, HRE)


@event("the-sublime-porte", unresolved(OTTOMAN))
def sublime_porte(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #69: the status of the Ottomans (27.1)."""
    yield from minors.resolve(table, OTTOMAN)


@event("irish-rebellion")
def irish_rebellion(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #57: England loses half of its regulars and half of its mercenaries, rounded down, in Dublin and Kinsale.

    Then the status of Ireland; its ally has its rebels gather (24.2 step 6).
    """
    state = table.state
    for kind in ("regulars", "mercenaries"):
        here = {
            at: getattr(land(state, at)[ENGLAND], kind) for at in ("dublin", "kinsale") if ENGLAND in land(state, at)
        }
        here = {at: number for at, number in here.items() if number}
        half = sum(here.values()) // 2
        if not half:
            continue
        gone = yield from spread(table, ENGLAND, "irish-rebellion", here, half)
        for space, number in gone.items():
            add(table, space, ENGLAND, kind, -number)
        settle(table, ENGLAND, *gone)
        table.log("event.dismissed", rule="6.1", power=ENGLAND, kind=kind, spaces=dict(gone))
    for space in ("dublin", "kinsale"):
        yield from check_siege(table, space)
    before = state.minors[IRELAND].ally
    if state.minors[IRELAND].resolved:
        return
    winner = yield from minors.resolve(table, IRELAND)
    if winner and winner == before:
        yield from minors.irish_revolt(table, winner)


@event("scottish-lords-rebel")
def scottish_lords(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[str | None]:
    """Resolve #74: the status of Scotland; two regulars at Edinburgh (FAQ 30); perhaps Mary captive (9.5, 23.3)."""
    state = table.state
    if not state.minors[SCOTLAND].resolved:
        yield from minors.resolve(table, SCOTLAND)
    if "edinburgh" not in state.sieges:
        yield from _muster(table)
    if state.minors[SCOTLAND].ally in (ENGLAND, PROTESTANT) and state.mary in ("absent", "free", "wed"):
        state.mary = "captive"
        leaves_chart(table, MARY)
        table.log("event.mary", rule="23.3", power=ENGLAND)
    return cards.REMOVED if state.mary in ("captive", "executed", "dead") else None


def _muster(table: Table) -> Play:
    """#74 Replace all Scottish land units by two regulars at Edinburgh, if no other power holds it."""
    state = table.state
    for space in [at for at, here in state.land.items() if SCOTLAND in here]:
        minors.clear(table, space, SCOTLAND)
        yield from check_siege(table, space)
    side = side_of(state, SCOTLAND)
    friendly = state.control["edinburgh"] in (SCOTLAND, side)
    if friendly and all(other == side or allied(state, other, side) for other in powers_in(state, "edinburgh")):
        number = muster(table, "edinburgh", SCOTLAND, "regulars", SCOTS)
        table.log("event.muster", rule="6.1", power=SCOTLAND, space="edinburgh", count=number)


@event("death-of-king-sebastian", lambda t, p: not t.state.sebastian)
def king_sebastian(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #82: Portugal is open to war (9.4), its units are at Lisbon, and its status is resolved."""
    state = table.state
    state.sebastian = True
    state.minors[PORTUGAL].locked = False
    table.log("event.sebastian", rule="9.4")
    for entry in table.c.scenarios[table.scenario]["on_sebastian"]:
        regulars = muster(table, entry["space"], entry["owner"], "regulars", entry["r"])
        ships = min(entry["galleons"], fleets.pool_left(table, entry["owner"]))
        fleets.put(table, entry["space"], entry["owner"], entry["owner"], {"galleon": ships})
        table.log("event.muster", rule="6.1", power=PORTUGAL, space=entry["space"], count=regulars)
    yield from minors.resolve(table, PORTUGAL)
