"""Naval movement (16.1): for 1 CP all ships, captains and patrols of a power may go one step at once.

A stack that enters a sea zone without own ships is *across* until the move is over: it may be intercepted, and
enemies who were there may avoid battle. Then all battles are fought.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from games.virgin_queen import fleets, impulse
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import LongSeries
from games.virgin_queen.gate import BOUND, all_may, station
from games.virgin_queen.naval import encounters, voyages
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import admirals, ships_of
from games.virgin_queen.responses import offer
from games.virgin_queen.state import SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Domain, Form, Menu, Optional, Subset, lazy_choice
from pbem.kernel.game import Play

SAIL, VOYAGE, PATROL = "sail", "voyage", "patrol"
MOST = 24
KIT.chapter("16.1", "naval movement", "naval/moving.py", "naval/encounters.py", "naval/voyages.py")


class NavalMoveAnswer(TypedDict):
    """The orders of a naval move, each `do` with its own fields."""

    moves: list[dict[str, Any]]


class NavalMovePlan:
    """The orders of a naval move so far: ships left to move at each place, captains and patrols likewise."""

    __slots__ = ("_admirals", "captains", "gone", "patrols", "power", "ships", "table")

    def __init__(self, table: Table, power: str) -> None:
        self.table, self.power = table, power
        state = table.state
        tired = state.now.fought if state.impulse is not None else []
        self.ships: dict[str, dict[str, int]] = {}
        for key, (place, fleet, kind) in fleets.keyed(state, power).items():
            if f"{power}:{place}" not in tired:
                self.ships.setdefault(place, {})[key] = fleet.ships[kind]
        self.captains = at_sea(table, power)
        self.patrols = dict(state.patrols) if power == SPAIN else {}
        self.gone: list[str] = []
        self._admirals: dict[str, list[str]] = {}

    def after(self, done: Sequence[Mapping[str, Any]]) -> NavalMovePlan:
        left = NavalMovePlan.__new__(NavalMovePlan)
        left.table, left.power = self.table, self.power
        left.ships = {place: {**here} for place, here in self.ships.items()}
        left.captains, left.patrols, left.gone = [*self.captains], {**self.patrols}, []
        left._admirals = self._admirals
        for step in done:
            left._note(step)
        return left

    def _note(self, one: Mapping[str, Any]) -> None:
        if one["do"] == SAIL:
            here = self.ships[one["origin"]]
            for key, number in one.get("ships", dict(here)).items():
                here[key] -= number
                if not here[key]:
                    del here[key]
            if not here:
                del self.ships[one["origin"]]
            self.gone += one.get("leaders", ())
        elif one["do"] == VOYAGE:
            self.captains.remove(one["captain"])
        else:
            self.patrols[one["origin"]] -= 1

    def menu(self) -> Menu | None:
        """Return what may be ordered next, None if nothing is left."""
        entries: dict[str, Any] = {}
        if any(self._may_leave(place) for place in self.ships):
            entries[SAIL] = self._sail
        if self.captains:
            entries[VOYAGE] = self._voyage
        if any(self.patrols.values()):
            entries[PATROL] = self._patrol
        return Menu(entries) if entries else None

    def _sail(self) -> Form:
        return Form(
            origin=lazy_choice([*self.ships], self._may_leave, "place"),
            to=lambda v: lazy_choice(
                fleets.near(self.table, v.origin), lambda to: may_enter(self.table, self.power, v.origin, to), "place"
            ),
            ships=lambda v: self._ships(v.origin),
            leaders=lambda v: self._leaders(v.origin),
        )

    def _voyage(self) -> Form:
        return Form(
            captain=Choice(list(self.captains), "captain"),
            to=lambda v: Choice(ocean_targets(self.table, v.captain), "zone"),
        )

    def _patrol(self) -> Form:
        zones = [zone for zone, number in self.patrols.items() if number]
        return Form(origin=Choice(zones, "zone"), to=lambda v: Choice(voyages.near(self.table, v.origin), "zone"))

    def _may_leave(self, place: str) -> bool:
        return any(targets(self.table, self.power, place))

    def _ships(self, place: str) -> Domain:
        here = self.ships[place]
        return Optional(Distribution(dict(here), (1, sum(here.values())), "ships"))

    def _leaders(self, place: str) -> Domain | None:
        if place not in self._admirals:
            self._admirals[place] = admirals(self.table.state, self.power, place)
        here = [key for key in self._admirals[place] if key not in self.gone]
        return Optional(Subset(here, 0, len(here), what="leaders")) if here else None


def at_sea(table: Table, power: str) -> list[str]:
    """16.1 Return captains of a power on the oceans and at settlements."""
    own = {key: captain.at for key, captain in table.state.captains.items() if captain.power == power}
    return [key for key, at in own.items() if at in table.c.oceans or at in table.c.settlements]


def targets(table: Table, power: str, place: str) -> Iterator[str]:
    """16.1 Yield where ships at a place may go."""
    return (to for to in fleets.near(table, place) if may_enter(table, power, place, to))


def _find(table: Table, ground: PowerMap) -> bool | None:
    power, state = ground.power, table.state
    if (power == SPAIN and state.patrols) or at_sea(table, power):
        return True
    able = (place for place in ground.ports if f"{power}:{place}" not in state.now.fought)
    return any(any(targets(table, power, place)) for place in able) or None


def may_enter(table: Table, power: str, origin: str, to: str) -> bool:
    """16.1 Return whether ships may sail on: to any zone, an own port, or one with enemy ships."""
    if to in table.c.zones:
        return True
    if table.state.control[to] != power and not fleets.enemies(table, power, to):
        return False
    return power not in BOUND or all_may(table, fleets.crews(table.state, power, origin), to)


def ocean_targets(table: Table, captain: str) -> list[str]:
    """16.1 Return where a captain may sail; from a winter colony to the sea zones next to it."""
    at = table.state.captains[captain].at
    return list(table.c.settlements[at].zones) if at in table.c.settlements else voyages.near(table, at)


def _form(table: Table, ground: PowerMap, _: bool) -> Form[NavalMoveAnswer]:
    """Return the form of a naval move, for example `moves="sail <origin> <to> ships=… leaders=…"`.

    Others: `voyage <captain> <to>` and `patrol <origin> <to>`, separated by semicolons.
    """
    orders = NavalMovePlan(table, ground.power)
    return Form(moves=LongSeries(lambda done: orders.after(done).menu(), 1, MOST, "move"))


@KIT.action("naval_move", "16.1", _find, _form)
def _run(table: Table, power: str, order: NavalMoveAnswer) -> Play:
    state = table.state
    moves = order["moves"]
    impulse.pay(table, 1, "naval_move")
    origins = [move["origin"] for move in moves if move["do"] == SAIL]
    table.log("sea.move", rule="16.1", power=power, moves=_ways(moves))
    if (yield from offer(table, "sea_move", {"power": power, "origins": origins})):
        state.now.fought += [f"{power}:{place}" for place in origins]
        return
    across = sail(table, power, [move for move in moves if move["do"] == SAIL])
    for move in moves:
        if move["do"] == PATROL:
            _patrol(table, move["origin"], move["to"])
    for step in moves:
        if step["do"] == VOYAGE:
            yield from voyages.step(table, step["captain"], step["to"])
    arrived = list(dict.fromkeys(move["to"] for move in moves if move["do"] == SAIL))
    yield from relations.entered(table)
    yield from encounters.meet(table, power, across, [place for place in arrived if ships_of(state, power, place)])


def _ways(moves: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for move in moves:
        told.setdefault(move.get("captain") or move["origin"], []).append(move["to"])
    return told


def sail(table: Table, power: str, moves: Sequence[Mapping[str, Any]]) -> list[str]:
    """16.1 step 2 Execute all moves of ships at once; return the zones in which the stack is across."""
    state = table.state
    groups = []
    for move in moves:
        keyed = fleets.keyed(state, power, at=move["origin"])
        here = {key: fleet.ships[kind] for key, (_, fleet, kind) in keyed.items()}
        lifted = []
        for key, number in move.get("ships", here).items():
            _, fleet, kind = keyed[key]
            fleets.take(state, move["origin"], fleet.owner, fleet.power, {kind: number})
            lifted.append((fleet.owner, fleet.power, kind, number))
        groups.append((move, lifted))
    across = [
        move["to"] for move, _ in groups if move["to"] in table.c.zones and not ships_of(state, power, move["to"])
    ]
    for group, lifted in groups:
        for owner, side, kind, number in lifted:
            fleets.put(table, group["to"], owner, side, {kind: number})
    for sailing, _ in groups:
        left = ships_of(state, power, sailing["origin"])
        for key in admirals(state, power, sailing["origin"]) if not left else sailing.get("leaders", ()):
            station(table, key, sailing["to"])
    return list(dict.fromkeys(across))


def _patrol(table: Table, origin: str, to: str) -> None:
    """16.1 Move a patrol; neither winds nor hazards affect it (FAQ 30)."""
    patrols = table.state.patrols
    patrols[origin] -= 1
    if not patrols[origin]:
        del patrols[origin]
    patrols[to] = patrols.get(to, 0) + 1
