"""Spring deployment (10): power by power in impulse order, each with all its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from games.virgin_queen.forces import available, chosen, leaders_domain, owner_of, shift, units_domain
from games.virgin_queen.query import (
    fleets_of,
    fortified,
    friendly,
    neighbours,
    relations,
    seat_of,
    serves,
)
from games.virgin_queen.state import ENGLAND, HRE, ON_CARD, POOL, POWERS, PROTESTANT, SPAIN, TRACK
from games.virgin_queen.table import KIT, Table
from pbem.kernel.answers import Choice, Domain, Form, Menu, Series
from pbem.kernel.game import Play

KIT.chapter("10", "spring deployment", "spring.py")
_ask_escort = KIT.question("escort", "10")
_ask_captains = KIT.question("captains", "10")
_ask_faith = KIT.question("faith", "23.5")
_ask_leader = KIT.question("leader", "10")
_ask_home_card = KIT.question("home_card", "10")
_ask_deploy = KIT.question("deploy", "10")

OVER_SEA = 5


@KIT.phase("spring")
def spring_phase(table: Table) -> Play:
    """10 Spring deployment; powers without a seat (27.1) do nothing."""
    for power in POWERS:
        seat = seat_of(table.state, power)
        if not seat:
            continue
        if power == SPAIN:
            yield from escort(table, seat)
        if power == ENGLAND:
            yield from captains(table, seat)
        if power == HRE and table.state.turn == _first_turn(table) and len(table.seats) == 6:
            yield from faith(table, seat)
        yield from new_leaders(table, seat, power)
        yield from home_card(table, seat, power)
        yield from deploy(table, seat, power)


# -- 1: the escort
# ------------------------------------------------------------------------------------------------------


def escort(table: Table, seat: str) -> Play:
    """10 step 1 Galleons between Spain's home ports and the escort boxes; only one way in a turn."""
    answer = yield from _ask_escort(seat, lambda: escort_domain(table), "pass", power=SPAIN)
    if answer == "pass":
        return
    state = table.state
    sign = 1 if answer["do"] == "send" else -1
    for port in answer["with"]:
        _galleon(table, port, -sign)
        state.powers[SPAIN].stock["escort"] += sign
    table.say("spring.escort", rule="10", power=SPAIN, way=answer["do"], spaces=answer["with"])


def escort_domain(table: Table) -> Domain:
    """What Spain may do with its galleons."""
    state = table.state
    boxed = state.powers[SPAIN].stock["escort"]
    room = table.c.special["treasure_escort"]["max_galleons"] - boxed
    ports = [
        space
        for space in table.c.homes[SPAIN]
        if table.c.spaces[space].port and state.control[space] == SPAIN
    ]
    entries: dict[str, Domain | None] = {"pass": None}
    counts = {
        port: n
        for port in ports
        if (n := sum(f.ships.get("galleon", 0) for f in fleets_of(state, SPAIN, port) if f.owner == SPAIN))
    }
    if counts and room > 0:

        def send(so_far: Any) -> Domain | None:
            left = [port for port, n in counts.items() if list(so_far).count(port) < n]
            return Choice(left, what="port") if left else None

        entries["send"] = Series(send, 1, min(room, sum(counts.values())), what="port")
    if boxed and ports:
        entries["return"] = Series(Choice(ports, what="port"), 1, boxed, what="port")
    return Menu(entries)


def _galleon(table: Table, port: str, sign: int) -> None:
    from games.virgin_queen.state import Fleet

    fleets = table.state.fleets.setdefault(port, [])
    for fleet in fleets:
        if fleet.owner == SPAIN and fleet.power == SPAIN:
            break
    else:
        fleet = Fleet(owner=SPAIN, power=SPAIN)
        fleets.append(fleet)
    fleet.ships["galleon"] = fleet.ships.get("galleon", 0) + sign
    if not fleet.ships["galleon"]:
        del fleet.ships["galleon"]
    if not fleet.total:
        fleets.remove(fleet)
    if not fleets:
        del table.state.fleets[port]


# -- 2 and 3: captains and faith
# ----------------------------------------------------------------------------------------


def captains(table: Table, seat: str) -> Play:
    """10 step 2 English captains to Europe, as naval leaders with ships in English home ports."""
    state = table.state
    here = [
        key
        for key, captain in state.captains.items()
        if captain.at == POOL and ENGLAND in table.c.captains[key].powers
    ]
    ports = [
        space
        for space in table.c.homes[ENGLAND]
        if friendly(state, ENGLAND, space) and fleets_of(state, ENGLAND, space)
    ]
    if not here or not ports:
        return

    def item(so_far: Any) -> Domain | None:
        left = [key for key in here if all(past["captain"] != key for past in so_far)]
        return Form(captain=Choice(left, what="captain"), port=Choice(ports, what="port")) if left else None

    domain = Menu({"pass": None, "place": Series(item, 1, len(here), what="captain port")})
    answer = yield from _ask_captains(seat, domain, "pass", power=ENGLAND)
    for attempt in answer["with"] if answer != "pass" else ():
        captain = state.captains[attempt["captain"]]
        captain.at, captain.power = attempt["port"], ENGLAND
        table.say("spring.captain", rule="10", captain=attempt["captain"], space=attempt["port"])


def _first_turn(table: Table) -> int:
    """23.5 The first turn of the scenario: the tournament begins with turn 3."""
    return table.c.scenarios[table.scenario]["first_turn"]


def faith(table: Table, seat: str) -> Play:
    """10 step 3, 23.5 The Empire's secret choice of religion, with six players on the first turn."""
    answer = yield from _ask_faith(seat, Choice(("catholic", "balanced", "protestant")), power=HRE)
    table.state.hre_faith = answer
    table.say("spring.faith", rule="23.5", power=HRE, private={seat: {"faith": answer}})


# -- 4: leaders
# ---------------------------------------------------------------------------------------------------------


def leader_spaces(table: Table, key: str, naval: bool) -> list[str]:
    """10 step 4 Where a leader may be placed: friendly fortified home spaces, or friendly home ports (23.6)."""
    c, state = table.c, table.state
    card = c.generals[key]
    power = card.power
    pool = c.homes[card.faction] if card.faction else c.homes[power]
    if card.faction == "huguenot":
        pool = tuple(space for space in pool if c.spaces[space].area == "france")
    if naval:
        return [space for space in pool if c.spaces[space].port and friendly(state, power, space)]
    return [space for space in pool if fortified(table, space) and friendly(state, power, space)]


def new_leaders(table: Table, seat: str, power: str) -> Play:
    """10 step 4 Leaders on the power card come to the map; the Protestants may wait for a rebellion."""
    state = table.state
    for key, leader in list(state.leaders.items()):
        if leader.at != ON_CARD or leader.captor or leader.power != power:
            continue
        card = table.c.generals[key]
        entries: dict[str, Domain | None] = {}
        for word, naval in (("army", False), ("navy", True)):
            fits = naval == card.naval or card.also_naval
            if fits and (spaces := leader_spaces(table, key, naval)):
                entries[word] = Choice(spaces, what="space")
        if power == PROTESTANT and not card.naval:
            entries["wait"] = None
        if not entries:
            leader.at, leader.returns = TRACK, state.turn + 1
            table.say("spring.no_space", rule="10", leader=key, power=power)
            continue
        yield from place_leader(table, seat, key, entries)


def place_leader(table: Table, seat: str, key: str, entries: Mapping[str, Domain | None]) -> Play:
    """Ask where a leader goes."""
    leader = table.state.leaders[key]
    answer = yield from _ask_leader(seat, Menu(entries), power=leader.power, leader=key)
    if answer == "wait":
        return
    leader.at, leader.naval = answer["with"], answer["do"] == "navy"
    table.say("spring.leader", rule="10", leader=key, space=leader.at)


# -- 5: the home card
# ---------------------------------------------------------------------------------------------------


def home_card(table: Table, seat: str, power: str) -> Play:
    """10 step 5 Which of two home cards to keep, in secret; not under Suleiman (3.3)."""
    own = table.state.powers[power]
    cards = [card for card in own.hand if table.c.cards[card].type == "home"]
    if len(cards) < 2 or own.ruler == "suleiman":
        return
    keep = yield from _ask_home_card(seat, Choice(cards, what="card"), power=power)
    for card in cards:
        if card != keep:
            own.hand.remove(card)
            own.home_dropped.append(card)
    table.say("spring.home_card", rule="10", power=power, private={seat: {"card": keep}})


# -- 6: deployment
# ------------------------------------------------------------------------------------------------------


def deploy(table: Table, seat: str, power: str) -> Play:
    """10 step 6 One formation from a capital to a friendly space."""
    state = table.state
    capitals = [
        space
        for space, holder in state.capitals.items()
        if holder == power and any(ready(table, power, space)) and may_deploy(table, power, space)
    ]
    if not capitals:
        return
    answer = yield from _ask_deploy(seat, lambda: deploy_domain(table, power, capitals), "pass", power=power)
    if answer == "pass":
        return
    origin, to = answer["origin"], answer["to"]
    units, leaders = chosen(table, answer, *ready(table, power, origin))
    shift(state, power, origin, to, units, leaders)
    table.say("spring.deploys", rule="10", power=power, origin=origin, space=to, units=units, leaders=leaders)


def ready(table: Table, power: str, capital: str) -> tuple[dict[str, int], list[str]]:
    """Units and leaders that may leave a capital; a Protestant capital serves its own faction only (23.6)."""
    units, leaders = available(table.state, power, capital)
    if power == PROTESTANT:
        units = {key: n for key, n in units.items() if serves(table, capital, owner_of(power, key)[0])}
    return units, leaders


def may_deploy(table: Table, power: str, capital: str) -> bool:
    """10 Whether a formation may deploy anywhere from a capital."""
    passable = _passable(table, power)
    if passable(capital) and any(map(passable, neighbours(table, power, capital, passes=False))):
        return True
    return bool(reach(table, power, capital))


def reach(table: Table, power: str, capital: str) -> dict[str, bool]:
    """Where a formation may deploy to: space → whether only over a sea zone (10)."""
    c = table.c
    passable = _passable(table, power)
    if not passable(capital):
        return {}
    found: dict[str, bool] = {capital: False}
    _spread(table, power, found, [capital], passable, sea=False)
    zones = [zone for space in found for zone in c.spaces[space].port if clear_zone(table, power, zone)]
    landed = [port for zone in dict.fromkeys(zones) for port in c.ports[zone]]
    landed = [port for port in dict.fromkeys(landed) if port not in found and passable(port)]
    found.update(dict.fromkeys(landed, True))
    _spread(table, power, found, landed, passable, sea=True)
    del found[capital]
    return found


def _passable(table: Table, power: str) -> Callable[[str], bool]:
    """10, 12.4 Which spaces are friendly, without unrest and without enemies."""
    state = table.state
    known = relations(state, power)
    friends, enemies, control, unrest, land = known.mates, known.foes, state.control, state.unrest, state.land

    def passable(space: str) -> bool:
        if control[space] not in friends or space in unrest:
            return False
        return space not in land or enemies.isdisjoint(land[space])

    return passable


def _spread(
    table: Table,
    power: str,
    found: dict[str, bool],
    queue: list[str],
    passable: Callable[[str], bool],
    *,
    sea: bool,
) -> None:
    """Add to `found` what can be reached over land from `queue`, never over a pass."""
    queue = list(queue)
    while queue:
        at = queue.pop()
        for other in neighbours(table, power, at, passes=False):
            if other not in found and passable(other):
                found[other] = sea
                queue.append(other)


def clear_zone(table: Table, power: str, zone: str) -> bool:
    """10 No ships of another major power lie in a port of the zone; borrowed ones are the borrower's."""
    state = table.state
    return not any(
        fleet.total and fleet.power in POWERS and fleet.power != power
        for port in table.c.ports[zone]
        for fleet in state.fleets.get(port, ())
    )


def deploy_domain(table: Table, power: str, capitals: Sequence[str]) -> Domain:
    """`deploy <capital> <space> leaders=… units=…`, or pass."""

    @cache
    def routes(capital: str) -> dict[str, bool]:
        return reach(table, power, capital)

    def leaders(v: Any) -> Domain | None:
        return leaders_domain(ready(table, power, v.origin)[1])

    def units(v: Any) -> Domain | None:
        here, chiefs = ready(table, power, v.origin)
        going = chiefs if v.leaders is None else v.leaders
        if not here:
            return None
        most = OVER_SEA if routes(v.origin)[v.to] else 99
        return units_domain(table, here, going, alone=True, most=most)

    fields: dict[str, Any] = {
        "origin": Choice(list(capitals), what="capital"),
        "to": lambda v: Choice(list(routes(v.origin)), what="space"),
        "leaders": leaders,
        "units": units,
    }
    return Menu({"pass": None, "deploy": lambda: Form(fields)})
