"""Spring deployment (10): the steps of one power."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypedDict

from games.virgin_queen import refusals
from games.virgin_queen.displacement import settle_entry
from games.virgin_queen.fleets import put, take
from games.virgin_queen.formations import available, chosen, leaders_domain, may_lead, owner_of, shift, units_domain
from games.virgin_queen.gate import BOUND, GUISE, arrive, may_stand, station
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import exposed, fleets_of, fortified, friendly, neighbours, relations, serves, side_of
from games.virgin_queen.state import ENGLAND, HRE, ON_CARD, POOL, POWERS, PROTESTANT, SPAIN, TRACK
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Series
from pbem.kernel.game import Play
from pbem.kernel.rejections import because

_ask_escort = KIT.question("escort", "10")
_ask_captains = KIT.question("captains", "10")
_ask_faith = KIT.question("faith", "23.5")
_ask_leader = KIT.question("leader", "10")
_ask_home_card = KIT.question("home_card", "10")
_ask_deploy = KIT.question("deploy", "10")

OVER_SEA = 5
FAITHS = Choice(("catholic", "balanced", "protestant"), "faith")


def escort(table: Table, seat: str) -> Play:
    """10 step 1 Move galleons between Spain's home ports and the escort boxes, only one way in a turn."""

    def domain() -> Menu:
        return escort_menu(table, {"pass": None, **escort_entries(table)})

    answer = yield from _ask_escort(seat, domain, "pass", power=SPAIN)
    if answer != "pass":
        send_galleons(table, answer)


def send_galleons(table: Table, answer: Mapping[str, Any]) -> None:
    """10 step 1 Move galleons to the escort boxes or back from them."""
    state = table.state
    sign = 1 if answer["do"] == "send" else -1
    for port in answer["with"]:
        if sign > 0:
            take(state, port, SPAIN, SPAIN, {"galleon": 1})
        else:
            put(table, port, SPAIN, SPAIN, {"galleon": 1})
        state.powers[SPAIN].stock["escort"] += sign
    table.log("spring.escort", rule="10", power=SPAIN, way=answer["do"], spaces=answer["with"])


def escort_menu(table: Table, entries: Mapping[str, Domain | None]) -> Menu:
    """Return the menu for Spain's galleons, with reasons for what is not possible."""
    return Menu(entries, why=partial(refusals.escort, table))


def escort_entries(table: Table) -> dict[str, Domain | None]:
    """Return the entries for Spain's galleons."""
    state = table.state
    boxed = state.powers[SPAIN].stock["escort"]
    room = table.c.special["treasure_escort"]["max_galleons"] - boxed
    ports = [space for space in table.c.homes[SPAIN] if table.c.spaces[space].port and state.control[space] == SPAIN]
    entries: dict[str, Domain | None] = {}
    own = {port: [fleet for fleet in fleets_of(state, SPAIN, port) if fleet.owner == SPAIN] for port in ports}
    counts = {port: n for port in ports if (n := sum(fleet.ships.get("galleon", 0) for fleet in own[port]))}
    if counts and room > 0:

        def send(so_far: Any) -> Domain | None:
            left = [port for port, n in counts.items() if list(so_far).count(port) < n]
            return Choice(left, what="port") if left else None

        entries["send"] = Series(send, 1, min(room, sum(counts.values())), what="port")
    if boxed and ports:
        entries["return"] = Series(Choice(ports, what="port"), 1, boxed, what="port")
    return entries


def captains(table: Table, seat: str) -> Play:
    """10 step 2 Bring English captains to Europe, as naval leaders with ships in English home ports."""
    series = captains_domain(table)
    if series is None:
        return
    answer = yield from _ask_captains(seat, Menu({"pass": None, "place": series}), "pass", power=ENGLAND)
    if answer != "pass":
        place_captains(table, answer["with"])


def captains_domain(table: Table) -> Series[dict[str, str]] | None:
    """Return which captains may come to which ports, None if none can."""
    state, cards = table.state, table.c.captains
    here = [key for key, captain in state.captains.items() if captain.at == POOL and ENGLAND in cards[key].powers]
    own = [space for space in table.c.homes[ENGLAND] if friendly(state, ENGLAND, space)]
    ports = [space for space in own if fleets_of(state, ENGLAND, space)]
    if not here or not ports:
        return None

    def item(so_far: Any) -> Domain | None:
        left = [key for key in here if all(past["captain"] != key for past in so_far)]
        return Form(captain=Choice(left, what="captain"), port=Choice(ports, what="port")) if left else None

    return Series(item, 1, len(here), what="captain port")


def place_captains(table: Table, placed: Sequence[Mapping[str, str]]) -> None:
    """10 step 2 Put captains in ports."""
    for placing in placed:
        captain = table.state.captains[placing["captain"]]
        captain.power = ENGLAND
        station(table, placing["captain"], placing["port"])
        table.log("spring.captain", rule="10", captain=placing["captain"], space=placing["port"])


def faith(table: Table, seat: str) -> Play:
    """10 step 3, 23.5 Ask the Empire for its secret religion, with six players on the first turn."""
    choose_faith(table, seat, (yield from _ask_faith(seat, FAITHS, power=HRE)))


def choose_faith(table: Table, seat: str, answer: str) -> None:
    """23.5 Note the Empire's religion."""
    table.state.hre_faith = answer
    table.log("spring.faith", rule="23.5", power=HRE, private={seat: {"faith": answer}})


def leader_spaces(table: Table, key: str, naval: bool) -> list[str]:
    """10 step 4 Return where a leader may be placed (23.6): friendly fortified home spaces or home ports."""
    c, state = table.c, table.state
    card = c.generals[key]
    power = card.power
    pool = c.homes[card.faction] if card.faction else c.homes[power]
    if card.faction == "huguenot":
        pool = tuple(space for space in pool if c.spaces[space].area == "france")
    if key == GUISE:  # 20.10: none of Spain's home spaces is open to the Duke of Guise
        pool = tuple(space for space in c.spaces if may_stand(table, GUISE, space))
    if naval:
        return [space for space in pool if c.spaces[space].port and friendly(state, power, space)]
    return [space for space in pool if fortified(table, space) and friendly(state, power, space)]


def new_leaders(table: Table, seat: str, power: str) -> Play:
    """10 step 4 Put leaders from the power card on the map; the Protestants may wait for a rebellion."""
    for key in on_card(table, power):
        if entries := leader_entries(table, key):
            menu = leader_menu(table, key, entries)
            put_leader(table, key, (yield from _ask_leader(seat, menu, power=power, leader=key)))
        else:
            no_space(table, key)


def on_card(table: Table, power: str) -> list[str]:
    """Return the leaders on a power card."""
    own = {key: leader for key, leader in table.state.leaders.items() if leader.power == power}
    return [key for key, leader in own.items() if leader.at == ON_CARD and not leader.captor]


def leader_entries(table: Table, key: str) -> dict[str, Domain | None]:
    """10 step 4 Return what can be done with a leader on the power card."""
    card = table.c.generals[key]
    entries: dict[str, Domain | None] = {}
    for word, naval in (("army", False), ("navy", True)):
        fits = naval == card.naval or card.also_naval
        if fits and (spaces := leader_spaces(table, key, naval)):
            entries[word] = Choice(spaces, what="space", why=partial(refusals.leader_at, table, key, naval))
    if table.state.leaders[key].power == PROTESTANT and not card.naval:
        entries["wait"] = None
    return entries


def no_space(table: Table, key: str) -> None:
    """10 step 4 Hold a leader without a space back until next turn."""
    leader = table.state.leaders[key]
    leader.at, leader.returns = TRACK, table.state.turn + 1
    table.log("spring.no_space", rule="10", leader=key, power=leader.power)


def leader_menu(table: Table, key: str, entries: Mapping[str, Domain | None]) -> Menu:
    """Return the menu for a leader on the power card, with reasons for what is not possible."""
    return Menu(entries, why=partial(refusals.leader, table, key))


def put_leader(table: Table, key: str, answer: Any) -> None:
    """10 step 4 Put a leader in a space, or let it wait."""
    if answer == "wait":
        return
    leader = table.state.leaders[key]
    leader.naval = answer["do"] == "navy"
    arrive(table, key, answer["with"], "10")


class SpringCommand(TypedDict):
    """The leader that changes, and the new kind."""

    leader: str
    kind: str


def _changing(table: Table, ground: PowerMap) -> dict[str, str] | None:
    """10 step 4 Return which leader may change its kind now, and to which: Don John, in a friendly port."""
    if ground.power != SPAIN:
        return None
    found = {}
    for key, leader in table.state.leaders.items():
        port = not leader.captor and leader.at in table.c.spaces and table.c.spaces[leader.at].port
        # 13.1: he doesn't step ashore alone among enemies.
        ashore = leader.naval and port and exposed(table, SPAIN, leader.at)
        if port and not ashore and table.c.generals[key].also_naval and friendly(table.state, SPAIN, leader.at):
            found[key] = "army" if leader.naval else "navy"
    return found or None


KIT.reason("command")(lambda table, power: because("commands", "10"))


def _kinds(table: Table, ground: PowerMap, found: dict[str, str]) -> Form[SpringCommand]:
    return Form(leader=Choice([*found], "leader"), kind=lambda v: Choice([found[v.leader]]))


@KIT.action("command", "10", _changing, _kinds, free=True, listed="move_clear")
def command(table: Table, power: str, order: SpringCommand) -> None:
    """10 step 4 Make Don John a naval leader or an army leader, at any time in a Spanish impulse."""
    leader = table.state.leaders[order["leader"]]
    leader.naval = order["kind"] == "navy"
    table.log("spring.commands", rule="10", leader=order["leader"], space=leader.at, kind=order["kind"])


def home_card(table: Table, seat: str, power: str) -> Play:
    """10 step 5 Ask in secret which of two home cards to keep; not under Suleiman (3.3)."""
    if choice := home_cards(table, power):
        keep_card(table, seat, power, (yield from _ask_home_card(seat, choice, power=power)))


def home_cards(table: Table, power: str) -> Choice[str] | None:
    """10 step 5 Return the home cards of which one is kept, None if there is no choice."""
    own = table.state.powers[power]
    cards = [card for card in own.hand if table.c.cards[card].type == "home"]
    return None if len(cards) < 2 or own.ruler == "suleiman" else Choice(cards, what="card")


def keep_card(table: Table, seat: str, power: str, keep: str) -> None:
    """10 step 5 Keep one home card and put the others face down."""
    own = table.state.powers[power]
    for card in [card for card in own.hand if table.c.cards[card].type == "home"]:
        if card != keep:
            own.hand.remove(card)
            own.home_dropped.append(card)
    table.log("spring.home_card", rule="10", power=power, private={seat: {"card": keep}})


def deploy(table: Table, seat: str, power: str) -> Play:
    """10 step 6 Deploy one formation from a capital to a friendly space."""
    capitals = starts(table, power)
    if not capitals:
        return
    answer = yield from _ask_deploy(seat, lambda: deploy_domain(table, power, capitals), "pass", power=power)
    if answer != "pass":
        send_formation(table, power, answer)
        yield from settle_entry(table)


def starts(table: Table, power: str) -> list[str]:
    """10 step 6 Return the capitals from which a formation may deploy."""
    own = [space for space, holder in table.state.capitals.items() if holder == power]
    return [space for space in own if any(ready(table, power, space)) and may_deploy(table, power, space)]


def send_formation(table: Table, power: str, answer: Mapping[str, Any]) -> None:
    """10 step 6 Move a deploying formation."""
    origin, to = answer["origin"], answer["to"]
    here, chiefs = ready(table, power, origin)
    units, leaders = chosen(answer, here, may_lead(table, chiefs, to))
    shift(table, power, origin, to, units, leaders)
    table.log("spring.deploys", rule="10", power=power, origin=origin, space=to, units=units, leaders=leaders)


def ready(table: Table, power: str, capital: str) -> tuple[dict[str, int], list[str]]:
    """Return units and leaders that may leave a capital. A Protestant capital serves only its own faction (23.6)."""
    units, leaders = available(table.state, power, capital)
    if power == PROTESTANT:
        units = {key: n for key, n in units.items() if serves(table, capital, owner_of(power, key)[0])}
    return units, leaders


def may_deploy(table: Table, power: str, capital: str) -> bool:
    """10 Return whether a formation may deploy anywhere from a capital."""
    passable = _passable(table, power)
    by_land = passable(capital) and any(map(passable, neighbours(table, power, capital, passes=False)))
    return by_land or bool(reach(table, power, capital))


def reach(table: Table, power: str, capital: str) -> dict[str, bool]:
    """Return where a formation may deploy to: space → whether only over a sea zone (10)."""
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
    """10, 12.4 Return a check which spaces are friendly, without unrest and without enemies."""
    state = table.state
    known = relations(state, power)
    friends, enemies, control, unrest, land = known.mates, known.foes, state.control, state.unrest, state.land

    def passable(space: str) -> bool:
        if control[space] not in friends or space in unrest:
            return False
        if power in BOUND and not may_stand(table, power, space):
            return False
        return space not in land or enemies.isdisjoint(land[space])

    return passable


def _spread(
    table: Table, power: str, found: dict[str, bool], queue: list[str], passable: Callable[[str], bool], *, sea: bool
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
    """10 Return whether no ships of other major powers or their minors (24.3) are in a zone's ports."""
    state = table.state
    there = [fleet for port in table.c.ports[zone] for fleet in state.fleets.get(port, ()) if fleet.total]
    sides = {side_of(state, fleet.power) for fleet in there}
    return not any(side in POWERS and side != power for side in sides)


def deploy_domain(table: Table, power: str, capitals: Sequence[str]) -> Menu:
    """Return `deploy <capital> <space> leaders=… units=…`, or pass."""
    fields = {"origin": Choice(list(capitals), what="capital"), **deploy_fields(table, power)}
    return Menu({"pass": None, "deploy": lambda: Form(fields)})


def deploy_fields(table: Table, power: str) -> dict[str, Any]:
    """Return the fields of a deployment next to its `origin`."""

    @cache
    def routes(capital: str) -> dict[str, bool]:
        return reach(table, power, capital)

    def leaders(v: Any) -> Domain | None:
        return leaders_domain(may_lead(table, ready(table, power, v.origin)[1], v.to))

    def units(v: Any) -> Domain | None:
        here, chiefs = ready(table, power, v.origin)
        if not here:
            return None
        going = may_lead(table, chiefs, v.to) if v.leaders is None else v.leaders
        most = OVER_SEA if routes(v.origin)[v.to] else 99
        return units_domain(table, here, going, alone=True, most=most, way=(power, v.origin, v.to))

    return {"to": lambda v: Choice(list(routes(v.origin)), what="space"), "leaders": leaders, "units": units}
