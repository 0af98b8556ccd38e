"""Ships and captains in winter (20.3, 20.4): loans end, ships go to the nearest port, captains home or to a colony."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen import fleets
from games.virgin_queen.gate import station
from games.virgin_queen.naval import voyages
from games.virgin_queen.query import SIDES, admirals, mine, seat_of, side_of
from games.virgin_queen.special import armada
from games.virgin_queen.state import POOL, TRACK, Captain, Fleet
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Domain, Form, Optional
from pbem.kernel.game import Play

_ask_captain_home = KIT.question("captain_home", "20.4")


def end_loans(table: Table) -> None:
    """20.3 Return lent ships and naval leaders to their owners."""
    state = table.state
    for place, here in list(state.fleets.items()):
        merged: list[Fleet] = []
        for fleet in here:
            fleet.power = SIDES.get(fleet.owner, fleet.owner)
            twin = next((other for other in merged if other.owner == fleet.owner), None)
            if twin is None:
                merged.append(fleet)
                continue
            for kind, number in fleet.ships.items():
                twin.ships[kind] = twin.ships.get(kind, 0) + number
        state.fleets[place] = merged
    for key, leader in state.leaders.items():
        if leader.naval and not leader.captor:
            leader.power = table.c.generals[key].power
    for key, captain in state.captains.items():
        if captain.at in table.c.spaces or captain.at in table.c.zones:
            captain.power = table.c.captains[key].powers[0]


def return_ports(table: Table, power: str) -> dict[str, list[str]]:
    """20.4 Return places from which a power's ships must return → the nearest ports that it controls."""
    state = table.state
    own = mine(state, power)
    away = [place for place in state.fleets if state.control.get(place) != power]
    leaving = [place for place in away if any(fleet.power in own for fleet in state.fleets[place])]
    return {place: fleets.nearest_ports(table, power, place) for place in leaving}


def domain(table: Table, power: str) -> Form | None:
    """20.4 Return the form for ships with several ports equally near: how many go to each. None without a choice."""
    fields: dict[str, Domain] = {}
    for place, ports in return_ports(table, power).items():
        for word, (fleet, kind) in stacks(table, power, place).items():
            if len(ports) > 1:
                number = fleet.ships[kind]
                fields[word] = Optional(Distribution(dict.fromkeys(ports, number), number, "ships"))
    if table.state.leaders["don_john"].naval and power == "spain" and (found := don_john(table)):
        fields["don_john"] = Optional(Choice(("ships", *found), "place"))
    return Form(fields) if fields else None


def stacks(table: Table, power: str, place: str) -> dict[str, tuple[Fleet, str]]:
    """Return a power's ships at a place by the word that orders them: the place, or place and kind if they differ."""
    found = {word: (fleet, kind) for word, (_, fleet, kind) in fleets.keyed(table.state, power, at=place).items()}
    return {place if len(found) == 1 else word: ships for word, ships in found.items()}


def shares(table: Table, power: str, place: str, ports: Sequence[str], said: Mapping[str, Any]) -> dict[str, Any]:
    """20.4 Return how many ships of a place go to which port, as ordered, else all to the first."""
    found = stacks(table, power, place)
    return {
        word: said.get(word) or dict.fromkeys(ports[:1], fleet.ships[kind]) for word, (fleet, kind) in found.items()
    }


def parting(table: Table, power: str, said: Mapping[str, Any]) -> Form | None:
    """20.4 Return the form: with ships of which port a naval leader goes, where the fleet is divided."""
    fields: dict[str, Domain] = {}
    for place, ports in return_ports(table, power).items():
        into = list(dict.fromkeys(at for share in shares(table, power, place, ports, said).values() for at in share))
        for key in admirals(table.state, power, place) if len(into) > 1 else ():
            if key in table.c.generals and not (key == "don_john" and said.get(key, "ships") != "ships"):
                fields[key] = Optional(Choice(into, "place"))
    return Form(fields) if fields else None


def harbour(table: Table, power: str, said: Mapping[str, Any]) -> str:
    """20.4, 23.2 Return the port to which the Armada returns with troops aboard, "" if there are none."""
    at = armada.place(table) if power == "spain" and armada.aboard(table) else ""
    ports = return_ports(table, power).get(at)
    if not at or ports is None:
        return at
    share = next(s for word, s in shares(table, power, at, ports, said).items() if word in (at, f"{at}/armada"))
    return next(iter(share), "")


def don_john(table: Table) -> list[str]:
    """20.4 Return the Spanish capitals to which Don John may return as an army leader."""
    state = table.state
    if state.leaders["don_john"].at not in table.c.zones or state.leaders["don_john"].captor:
        return []
    return [at for at, holder in state.capitals.items() if holder == "spain" and state.control[at] == "spain"]


def ships_home(table: Table, power: str, said: Mapping[str, Any], leaders: Mapping[str, str]) -> None:
    """20.4 Move ships home, or without a port lose them; `leaders`: with ships of which port they go."""
    state = table.state
    if said.get("don_john", "ships") != "ships":
        leader = state.leaders["don_john"]
        leader.naval = False
        station(table, "don_john", said["don_john"])
        table.log("winter.ashore", rule="20.4", leader="don_john", to=leader.at, reveals=True)
    for place, ports in return_ports(table, power).items():
        went = _sail(table, power, place, shares(table, power, place, ports, said))
        for admiral in admirals(state, power, place):
            if went:
                station(table, admiral, leaders.get(admiral, next(iter(went))))
            else:
                fleets.to_track(state, admiral)
    for key, leader in state.leaders.items():
        mine = leader.naval and not leader.captor and side_of(state, leader.power) == power
        if mine and (leader.at in table.c.zones or (leader.at in table.c.spaces and state.control[leader.at] != power)):
            if near := fleets.nearest_ports(table, power, leader.at):
                station(table, key, near[0])
            else:
                fleets.to_track(state, key)


def _sail(table: Table, power: str, place: str, shares: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Move the ships of a place to their ports as shared out; return how many went to each, in order."""
    state = table.state
    went: dict[str, int] = {}
    for word, (fleet, kind) in stacks(table, power, place).items():
        if not shares[word]:
            fleets.lose(table, place, fleet.owner, fleet.power, kind, fleet.ships[kind])
        for port, number in shares[word].items():
            fleets.take(state, place, fleet.owner, fleet.power, {kind: number})
            fleets.put(table, port, fleet.owner, fleet.power, {kind: number})
            went[port] = went.get(port, 0) + number
    if went:
        table.log("winter.ships", rule="20.4", power=power, place=place, ports=went, reveals=True)
    return went


def captains_home(table: Table) -> Play:
    """20.4 Move captains home, to a colony, or from Europe to the pool; a hazard between needs a voyage roll."""
    state = table.state
    for key, captain in list(state.captains.items()):
        if captain.at in table.c.spaces or captain.at in table.c.zones:
            state.captains[key] = Captain(at=POOL)
        elif captain.at in table.c.oceans:
            yield from _from_ocean(table, key, captain)
        elif captain.at in table.c.settlements and captain.power != state.colonies.get(captain.at):
            captain.at = table.c.settlements[captain.at].zones[0]
            yield from _from_ocean(table, key, captain)


def _from_ocean(table: Table, key: str, captain: Captain) -> Play:
    state = table.state
    power = captain.power
    calm = voyages.calm_region(table, captain.at)
    entries = [zone for zone in voyages.entries(table, power) if zone in calm]
    own = [at for at, holder in state.colonies.items() if holder == power]
    colonies = [at for at in own if not calm.isdisjoint(table.c.settlements[at].zones)]
    places: Sequence[str] = [*(["home"] if entries else []), *colonies]
    if not places:
        yield from voyages.roll(table, key, "20.4")
        return
    to = places[0]
    if len(places) > 1:
        seat = seat_of(state, power)
        to = yield from _ask_captain_home(seat, Choice(places, "place"), places[0], power=power, captain=key)
    if to == "home":
        voyages.come_home(table, key, "20.4")
        state.captains[key] = Captain(at=TRACK, returns=state.turn + 1)
    else:
        captain.at = to
        table.log("winter.captain", rule="20.4", captain=key, power=power, space=to)
