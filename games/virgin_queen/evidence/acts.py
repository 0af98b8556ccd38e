"""The impulse: which card, and what its CP buy (11, 11.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import msgspec

from games.virgin_queen import building, impulse
from games.virgin_queen.evidence import shared
from games.virgin_queen.evidence.faith import contest
from games.virgin_queen.evidence.shared import Facts, Look, Order, first, means, note, reader, words
from games.virgin_queen.evidence.war import fight, some
from games.virgin_queen.formations import Formation, chosen
from games.virgin_queen.land import assault, control, moving
from games.virgin_queen.land.entering import foes_outside, garrison
from games.virgin_queen.naval import piracy, plunder, transport, voyages
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import at_war, enemies_in, fortified, ships_of, strength
from games.virgin_queen.religion.conversion import ATTEMPTS, others_left
from games.virgin_queen.state import ENGLAND, POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Menu
from pbem.kernel.evidence import Fact, Meaning

FEW = 6
"""With so many cards their CP come in lists, and their events one by one."""


def price(table: Table, word: str) -> int:
    """Return the least that an action costs; a transport is at least one step out and one ashore."""
    return table.c.actions[KIT.actions[word].listed].cost + (word == "transport")


def for_sale(look: Look) -> list[str]:
    """Return the actions that the reader's best card, or the CP left, can buy now."""
    if look.kind == "action":
        return [*impulse.menu(look.table, reader(look)).words]
    menu = impulse.follow(look.table, look.seat, "impulse").get("action")
    return [*menu.words] if isinstance(menu, Menu) else []


def wars(look: Look) -> Facts:
    """Tell the power's wars; before what is left of CP, or many cards, only where answers leave the space."""
    few = look.kind == "impulse" and len(look.table.state.powers[reader(look)].hand) < FEW - 1
    main = few or look.kind == "action"
    yield from (msgspec.structs.replace(fact, main=main, spare=not few) for fact in shared.wars(look))


def other_prices(look: Look) -> Facts:
    """Tell the prices of all actions, where there is room: the answers of an email have theirs."""
    bought: dict[int, list[str]] = {}
    for word in for_sale(look):
        if word in KIT.actions and not KIT.actions[word].free:
            bought.setdefault(price(look.table, word), []).append(word)
    yield from (note("price", main=False, cp=cp, actions=bought[cp]) for cp in sorted(bought))


def passing(look: Look) -> Facts:
    """Tell with how many cards the power may pass, and what keeps it from passing."""
    table, power = look.table, reader(look)
    hand, most = len(table.state.powers[power].hand), impulse.may_keep(table, power)
    if bound := impulse.bound(table, power):
        yield note("bound", main=False, cards=bound)
    elif hand > most:
        yield note("too_many", main=False, hand=hand, most=most)
    else:
        left = len(POWERS) - 1 - table.state.passes
        yield note("may_pass", main=left < len(POWERS) - 1, hand=hand, left=left)


def card(look: Look, answer: Mapping[str, str]) -> Meaning | None:
    """Return the CP of a card, or what its event does."""
    if answer["do"] not in ("cp", "event"):
        return None
    info = look.table.c.cards[answer["with"]]
    if answer["do"] == "cp":
        return means(*[note(f"card.{info.type}")] * (info.type != "event"), cost=info.cp, rank=info.cp)
    few = len(look.table.state.powers[reader(look)].hand) < FEW  # else events first: CP are told in lists by price
    cp = impulse.MANDATORY_CP + 1 + info.cp if info.type == "mandatory" else info.cp
    rank = cp - 0.5 if few else cp + FEW
    return means(shared.effect(look, info.id), rank=rank)


def treasures(look: Look) -> Facts:
    """Tell how many treasures there are, that winter takes the rest, and what their CP can't buy."""
    yield note("treasures", count=len(look.table.state.powers[reader(look)].treasures))
    kinds = {look.table.c.treasures[key].kind for key in look.table.state.powers[reader(look)].treasures}
    if look.table.state.now.families and "cp" in kinds:
        yield note("colours", families=look.table.state.now.families)


def treasure(look: Look, answer: Mapping[str, str]) -> Meaning:
    """Return what a treasure gives and how many are left after it."""
    info = look.table.c.treasures[answer["with"]]
    return means(note(f"treasure.{info.kind}", cp=info.value, left=look.number("count") - 1), rank=info.value)


KIT.turns_on(
    "treasure",
    facts=(shared.acting, treasures, other_prices),
    means=words({"pass": lambda look: note("keeps_treasures", count=look.number("count"))}, treasure),
)
KIT.turns_on("manual", none="the moderator reads the card and changes the state by hand")


def unrest(look: Look) -> Facts:
    """Tell which of the power's spaces are in unrest, keys first: they count for nothing."""
    state, power = look.table.state, reader(look)
    mine = sorted((at for at in state.unrest if state.control[at] == power), key=lambda at: not shared.is_key(look, at))
    if mine:
        yield note("unrest", mine, spaces=mine[:5], more=max(0, len(mine) - 5))


def sieges(look: Look) -> Facts:
    """Tell the sieges that the power lays or suffers: units before the walls and inside."""
    state, power = look.table.state, reader(look)
    for at, siege in state.sieges.items():
        if power in siege.by or state.control[at] == power or strength(state, power, at):
            before = {look.who(side): strength(state, side, at) for side in siege.by}
            yield note("siege", [at], space=at, before=before, inside=garrison(look.table, at, next(iter(siege.by))))


def enemy_fleets(look: Look) -> Facts:
    """Tell the enemy ships in the sea zones of the power's ports and ships, or in ports there."""
    table, state, power = look.table, look.table.state, reader(look)
    zones = dict.fromkeys(zone for at in shared.held_by(look, power) for zone in table.c.spaces[at].port)
    zones |= dict.fromkeys(zone for zone in table.c.zones if ships_of(state, power, zone))
    found: dict[str, dict[str, int]] = {}
    for zone in zones:
        for foe in shared.foes(look, power):
            if ships := sum(ships_of(state, foe, at) for at in (zone, *table.c.ports[zone])):
                found.setdefault(zone, {})[foe] = ships
    most = sorted(found, key=lambda zone: -sum(found[zone].values()))[:2]
    if most:
        yield note("enemy_fleets", most, ships={zone: found[zone] for zone in most})


def against(look: Look, power: str, to: str, men: int) -> Fact:
    """Return whom a formation would meet in a space, or besiege there."""
    table, state = look.table, look.table.state
    if enemy := sum(strength(state, foe, to) for foe in foes_outside(table, power, to)):
        return fight(men, enemy)
    if fortified(table, to) and state.control[to] != power and at_war(state, power, state.control[to]):
        return note("besieges", inside=garrison(table, to, power))
    mine = strength(state, power, to)
    return note("joins", units=mine) if mine else note("nobody")


def march(look: Look, power: str, order: Order) -> Meaning:
    """Return what a march costs, whom it meets and what it leaves empty."""
    origin, to = order["origin"], order["to"]
    here, chiefs = moving.ready(look.table, power, origin)
    units, _ = chosen(order, here, chiefs)
    empties = [note("empties", space=origin)] if units == here and fortified(look.table, origin) else []
    meets = against(look, power, to, sum(units.values()))
    return means(meets, *empties, cost=moving.cost(look.table, origin, to))


def ferry(look: Look, power: str, order: Order) -> Meaning:
    """Return what a transport costs and whom it meets."""
    units, _ = chosen(order, *moving.ready(look.table, power, order["origin"]))
    steps = transport.ways(look.table, power, order["origin"])[order["to"]]
    return means(against(look, power, order["to"], min(sum(units.values()), transport.MOST)), cost=steps)


def storm(look: Look, power: str, order: Order) -> Meaning:
    """Return the dice of an assault."""
    table, at = look.table, order["space"]
    units, chiefs = chosen(order, *assault.ready(table, power, at))
    rolled = assault.dice(table, Formation(power, at, units, chiefs), assault.defenders(table, at, power))
    rolled["defender"] -= "excavation" in order
    return means(note("dice", **rolled), note("garrison", units=garrison(table, at, power)))


def raise_units(look: Look, power: str, order: Order) -> Meaning:
    """Return what units cost, and what stands where they appear."""
    at = order["space"]
    notes = shared.haven(look, power, at) if at in look.table.c.spaces else ()
    return means(*notes, cost=order.get("number", 1) * price(look.table, order["do"]))


def raid(look: Look, power: str, order: Order) -> Meaning:
    """Return the dice of a piracy attempt in Europe, and its rewards."""
    table, zone, victim = look.table, order["zone"], order["victim"]
    ours, theirs = piracy.dice(table, power, victim, zone), piracy.resistance(table, power, victim, zone)
    return booty(ours, theirs, piracy.europe_rewards(table, victim, zone))


def prey(look: Look, power: str, order: Order) -> Meaning:
    """Return the dice of a piracy attempt on the World map, and its rewards."""
    table, who, victim = look.table, order["captain"], order["victim"]
    zone = table.state.captains[who].at
    ours, theirs = plunder.dice(table, who, victim), plunder.resistance(table, victim, zone)
    return booty(ours, theirs, plunder.world_rewards(table, victim, zone))


def booty(ours: int, theirs: int, rewards: object) -> Meaning:
    """Return the dice of piracy and its rewards."""
    return means(note("resist", ours=ours, theirs=theirs), note("rewards", rewards=rewards))


def launch(look: Look, power: str, order: Order) -> Meaning:
    """Return what an expedition costs and how good its captain is."""
    table, who = look.table, order["captain"]
    more = building.colony_cost(table, power, who) if "colony" in order else 0
    ratings = shared.rated(table.c.captains[who], "battle", "piracy", "navigation")
    return means(note("captain", **ratings), cost=price(table, order["do"]) + more)


def preach(look: Look, power: str, order: Order) -> Meaning:
    """Return how many dice sermons or suppression roll, and how many spaces could turn."""
    left = others_left(look.table, order["area"], look.table.c.actions[order["do"]].converts_to[power])
    return means(note("attempts", count=ATTEMPTS, left=left))


def revolt(look: Look, power: str, order: Order) -> Meaning:
    """Return what a rebellion costs, and who is there to crush it."""
    return means(*(shared.others_there(look, power, order["space"]) or [note("nobody")]), cost=order["cp"])


def spy(look: Look, power: str, order: Order) -> Meaning:
    """Return the price and the dice of espionage."""
    told = {**order, "action": order["do"], "power": power, "target": order.get("on", ENGLAND)}
    attack, defence = contest(look.table, told)
    return means(note("dice", attacker=attack, defender=defence), cost=order.get("cp", 0))


def befriend(look: Look, power: str, order: Order) -> Meaning:
    """Return what influence costs, and the influence of all there now."""
    now = {look.who(who): n for who, n in look.table.state.minors[order["on"]].influence.items() if n}
    return means(*[note("influence", points=now)] * bool(now), cost=order["points"])


ACTS: dict[str, Callable[[Look, str, Order], Meaning]] = {
    "move": march,
    "transport": ferry,
    "assault": storm,
    "control": lambda look, _, order: means(
        note("taken_from", holder=look.who(look.table.state.control[order["space"]]))
    ),
    **dict.fromkeys(("raise_regular", "buy_mercenary", "raise_cavalry"), raise_units),
    "piracy_europe": raid,
    "piracy_world": prey,
    "launch_expedition": launch,
    **dict.fromkeys(("preach_sermons", "suppress_heresy"), preach),
    "rebellion": revolt,
    **dict.fromkeys(("gain_intelligence", "assassination", "english_catholic_rebellion"), spy),
    "buy_influence": befriend,
    **dict.fromkeys(("patronize_artist", "patronize_scientist"), lambda look, _, order: means(cost=order["cp"])),
}
"""What the orders of each action mean; the others cost what is printed."""


def act(look: Look, answer: Order | str) -> Meaning | None:
    """Return what an action costs and does."""
    if isinstance(answer, str):
        return means(note("cp_lost", cp=look.number("cp")), rank=-1)
    order = {**answer, **answer["with"]} if isinstance(answer.get("with"), Mapping) else answer
    told = ACTS.get(order["do"])
    return None if told is None else told(look, reader(look), order)


def sorties(look: Look, ground: PowerMap) -> Iterator[str]:
    """Yield marches against fewer enemies, or before the walls of fewer, the weakest first."""
    found: list[tuple[int, str]] = []
    for at in moving.stations(ground):
        men = sum(moving.ready(look.table, ground.power, at)[0].values())
        for to in moving.targets(ground, at):
            theirs = sum(strength(look.table.state, foe, to) for foe in enemies_in(look.table.state, ground.power, to))
            if (theirs or shared.hostile(look, look.table.state.control[to])) and men > theirs:
                named = " ".join(f"{key}={n}" for key, n in some(look, ground.power, at).items())
                found.append((theirs - men, f"move {at} {to}" + (f' units="{named}"' if named else "")))
    yield from (text for _, text in sorted(found))


def recruits(look: Look, ground: PowerMap, word: str, kind: str) -> Iterator[str]:
    """Yield where to raise units: keys and capitals with most enemies next to them first."""
    worth = shared.menace(
        look, ground.power, (at for at in building.land_sites(ground, kind).listed if at in look.table.c.spaces)
    )
    capital = look.table.state.capitals
    for at in sorted(worth, key=lambda at: (-worth[at], capital.get(at) != ground.power))[:1]:
        number = ground.cp // price(look.table, word)
        yield f"{word} {at} number={number}" if number > 1 else f"{word} {at}"


def likely(look: Look) -> Iterator[str]:
    """Yield a few acts of different kinds, as good players look for them: sieges, own spaces, easy prey, men, ships."""
    table, ground = look.table, PowerMap(look.table, reader(look))
    yield from (f"assault {at}" for at in assault.assaultable(table, ground.power))
    restless = [at for at in control.restless(ground) if table.state.control[at] == ground.power]
    yield from (f"calm {at}" for at in sorted(restless, key=lambda at: not shared.is_key(look, at))[:1])
    yield from (f"control {at}" for at in islice(control.controllable(ground).listed, 1))
    yield from islice(sorties(look, ground), 1)
    for word, kind in {"buy_mercenary": "mercenaries", "raise_cavalry": "cavalry", "raise_regular": "regulars"}.items():
        yield from recruits(look, ground, word, kind)
    for kind in ("galleon", "galley", "corsair"):
        yield from (f"build_{kind} {at}" for at in islice(building.ship_sites(ground, kind).listed, 1))
    open_to = [key for key, minor in table.state.minors.items() if minor.influence.get(ground.power)]
    yield from (f"buy_influence {key} points={ground.cp}" for key in open_to[:1])
    captains = building.captains(table, ground.power)
    for who in sorted(captains, key=lambda who: -table.c.captains[who].piracy)[:1]:
        yield from (f"launch_expedition {who} {zone}" for zone in voyages.entries(table, ground.power)[:1])


def lines(look: Look) -> Facts:
    """Tell the power's units and the enemies next to them: where most of these are, keys first, then the strongest."""
    power, state = reader(look), look.table.state
    abroad = (at for at in state.land if strength(state, power, at))
    own = {at: strength(state, power, at) for at in (*shared.held_by(look, power), *abroad)}
    near = shared.menace(look, power, own)
    threatened = sorted((at for at in near if near[at]), key=lambda at: (not shared.is_key(look, at), -near[at]))[:2]
    strongest = sorted((at for at in own if own[at] and at not in threatened), key=lambda at: -own[at])[:2]
    if found := [*threatened, *strongest]:
        yield note("lines", found, spaces={at: f"{own[at]}:{near[at]}" for at in found})


known = first(5, sieges, unrest, lines, wars)
KIT.turns_on(
    "action", facts=(shared.acting, known, shared.beside(enemy_fleets), other_prices), means=act, likely=likely
)
KIT.turns_on(
    "impulse",
    facts=(
        shared.acting,
        first(1, wars, passing),
        shared.beside(shared.threats, enemy_fleets, shared.standing),
        other_prices,
    ),
    means=words(
        {"pass": lambda look: note("keeps_cards", cards=len(look.table.state.powers[reader(look)].hand))}, card
    ),
)
