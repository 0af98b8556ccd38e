"""The impulse: which card, and what its CP buy (11, 11.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from games.virgin_queen import building, impulse
from games.virgin_queen.evidence.shared import (
    Facts,
    Look,
    acting,
    effect,
    first,
    foes,
    foes_near,
    follows,
    price,
    prices,
    reader,
    standing,
    units_there,
    wars,
)
from games.virgin_queen.evidence.war import fight, haven, some
from games.virgin_queen.fleets import counts
from games.virgin_queen.formations import Formation, chosen
from games.virgin_queen.intrigue import assassination, dice, plot
from games.virgin_queen.land import assault, control, moving
from games.virgin_queen.land.entering import foes_outside, garrison
from games.virgin_queen.naval import piracy, plunder, transport, voyages
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import at_war, enemies_in, fortified, strength
from games.virgin_queen.religion.conversion import ATTEMPTS
from games.virgin_queen.religion.core import others_left
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import KIT
from pbem.kernel.domains import Menu
from pbem.kernel.evidence import Fact, Meaning

Order = Mapping[str, Any]
COMMON = ("move", "buy_mercenary", "raise_cavalry", "raise_regular", "naval_move", "build_galley", "build_galleon")
FEW, LAST = 6, 9
"""With so many answers an email has room for prices too; how far events rank behind the CP of many cards."""


# -- which card


def passing(look: Look) -> Facts:
    """Tell with how many cards the power may pass, and what keeps it from passing."""
    table, power = look.table, reader(look)
    hand, most = table.state.powers[power].hand, impulse.may_keep(table, power)
    if bound := impulse.bound(table, power):
        yield Fact("bound", {"cards": bound}, main=False)
    elif len(hand) > most:
        yield Fact("too_many", {"hand": len(hand), "most": most}, main=False)
    else:
        left = len(POWERS) - 1 - table.state.passes
        yield Fact("may_pass", {"hand": len(hand), "left": left}, main=left < len(POWERS) - 1)


def buys(look: Look) -> Facts:
    """Tell the prices of the commonest actions; with many answers their effects are worth the room more."""
    power, cards = reader(look), look.table.c.cards
    hand = look.table.state.powers[power].hand
    events = sum(impulse.event_possible(look.table, power, card) for card in hand)
    few = events + sum(cards[card].type != "mandatory" for card in hand) <= FEW
    menu = impulse.follow(look.table, look.seat, "impulse").get("action")
    told = {word: price(look.table, word) for word in COMMON if isinstance(menu, Menu) and word in menu.words}
    if told:
        yield Fact("cp_buys", {"prices": told}, main=few)


def other_prices(look: Look) -> Facts:
    """Tell the prices of all actions, where there is room: the answers of an email have theirs."""
    yield from (msgspec.structs.replace(fact, main=False) for fact in prices(look))


def card(look: Look, answer: Any) -> Meaning | None:
    """Return the CP of a card, or what its event does."""
    if answer == "pass":
        return Meaning(follows=follows("keeps_cards", cards=len(look.table.state.powers[reader(look)].hand)))
    if answer["do"] not in ("cp", "event"):
        return None
    info = look.table.c.cards[answer["with"]]
    if answer["do"] == "cp":
        kept = () if info.type == "event" else follows(f"card.{info.type}")
        return Meaning(cost=info.cp, follows=kept, rank=info.cp)
    few = len(look.table.state.powers[reader(look)].hand) < FEW  # else the CP of all cards first
    rank = impulse.MANDATORY_CP + info.cp if info.type == "mandatory" else info.cp - (0.5 if few else LAST)
    return Meaning(follows=(effect(look, info.id),), rank=rank)


KIT.turns_on("impulse", facts=(acting, buys, first(0, wars, passing, standing), other_prices), means=card)


def treasures(look: Look) -> Facts:
    """Tell how many treasures there are, that winter takes the rest, and what their CP can't buy."""
    own = look.table.state.powers[reader(look)]
    yield Fact("treasures", {"count": len(own.treasures)})
    if look.table.state.now.families:
        yield Fact("colours", {"families": look.table.state.now.families})


def treasure(look: Look, answer: Any) -> Meaning:
    """Return what a treasure gives and how many are left after it."""
    left = look.number("count")
    if answer == "pass":
        return Meaning(follows=follows("keeps_treasures", count=left))
    info = look.table.c.treasures[answer["with"]]
    notes = follows(f"treasure.{info.kind}", cp=info.value, left=left - 1)
    return Meaning(follows=notes, rank=info.value)


KIT.turns_on("treasure", facts=(acting, treasures, other_prices), means=treasure)
KIT.turns_on("manual", none="the moderator reads the card and changes the state by hand")


# -- what CP buy


def unrest(look: Look) -> Facts:
    """Tell which of the power's spaces are in unrest, keys first: they count for nothing."""
    state, power, spaces = look.table.state, reader(look), look.table.c.spaces
    mine = [at for at in state.unrest if state.control[at] == power]
    if mine:
        mine.sort(key=lambda at: spaces[at].type != "key")
        yield Fact("unrest", {"spaces": mine[:5], "more": max(0, len(mine) - 5)}, tuple(mine))


def threats(look: Look) -> Facts:
    """Tell where enemies are in or beside the power's spaces, the most of them first."""
    state, power = look.table.state, reader(look)
    near = {at: sum(foes_near(look, power, at).values()) for at in state.control if state.control[at] == power}
    most = sorted((at for at in near if near[at]), key=lambda at: (look.table.c.spaces[at].type != "key", -near[at]))
    if most:
        yield Fact("threats", {"spaces": {at: near[at] for at in most[:4]}}, tuple(most))


def sieges(look: Look) -> Facts:
    """Tell the sieges that the power lays or suffers: units before the walls and inside."""
    state, power = look.table.state, reader(look)
    for at, siege in state.sieges.items():
        if power in siege.by or state.control[at] == power or strength(state, power, at):
            before = {look.who(side): strength(state, side, at) for side in siege.by}
            inside = garrison(look.table, at, next(iter(siege.by)))
            yield Fact("siege", {"space": at, "before": before, "inside": inside}, (at,))


def enemy_fleets(look: Look) -> Facts:
    """Tell the enemy ships in the sea zones of the power's ports and ships, or in ports there."""
    table, state, power = look.table, look.table.state, reader(look)
    mine = [at for at, holder in state.control.items() if holder == power]
    zones = dict.fromkeys(zone for at in mine for zone in table.c.spaces[at].port)
    zones |= dict.fromkeys(zone for zone in table.c.zones if counts(state, power, zone))
    found: dict[str, dict[str, int]] = {}
    for zone in zones:
        for foe in foes(look, power):
            if ships := sum(sum(counts(state, foe, at).values()) for at in (zone, *table.c.ports[zone])):
                found.setdefault(zone, {})[foe] = ships
    most = sorted(found, key=lambda zone: -sum(found[zone].values()))[:2]
    if most:
        yield Fact("enemy_fleets", {"ships": {zone: found[zone] for zone in most}}, tuple(most))


def against(look: Look, power: str, to: str, men: int) -> tuple[Fact, ...]:
    """Return whom a formation would meet in a space, or besiege there."""
    table, state = look.table, look.table.state
    if enemy := sum(strength(state, foe, to) for foe in foes_outside(table, power, to)):
        return (fight(men, enemy),)
    if fortified(table, to) and state.control[to] != power and at_war(state, power, state.control[to]):
        return follows("besieges", inside=garrison(table, to, power))
    mine = strength(state, power, to)
    return follows("joins", units=mine) if mine else follows("nobody")


def march(look: Look, power: str, order: Order) -> Meaning:
    """Return what a march costs, whom it meets and what it leaves empty."""
    here, chiefs = moving.ready(look.table, power, order["origin"])
    units, _ = chosen(look.table, order, here, chiefs)
    notes = against(look, power, order["to"], sum(units.values()))
    if units == here and fortified(look.table, order["origin"]):
        notes += follows("empties", space=order["origin"])
    return Meaning(cost=moving.cost(look.table, order["origin"], order["to"]), follows=notes)


def ferry(look: Look, power: str, order: Order) -> Meaning:
    """Return what a transport costs and whom it meets."""
    units, _ = chosen(look.table, order, *moving.ready(look.table, power, order["origin"]))
    steps = transport.ways(look.table, power, order["origin"])[order["to"]]
    return Meaning(cost=steps, follows=against(look, power, order["to"], min(sum(units.values()), transport.MOST)))


def storm(look: Look, power: str, order: Order) -> Meaning:
    """Return the dice of an assault."""
    table, at = look.table, order["space"]
    units, chiefs = chosen(table, order, *assault.ready(table, power, at))
    rolled = assault.dice(table, Formation(power, at, units, chiefs), assault.defenders(table, at, power))
    rolled["defender"] -= "excavation" in order
    return Meaning(follows=(Fact("dice", rolled), Fact("garrison", {"units": garrison(table, at, power)})))


def take(look: Look, power: str, order: Order) -> Meaning:
    """Return from whom a space is taken."""
    at = order["space"]
    return Meaning(follows=follows("taken_from", holder=look.who(look.table.state.control[at])))


def raise_units(look: Look, power: str, order: Order) -> Meaning:
    """Return what units cost, and what stands where they appear."""
    number = order.get("number", 1)
    notes = haven(look, power, order["space"]) if order["space"] in look.table.c.spaces else ()
    return Meaning(cost=number * price(look.table, order["do"]), follows=notes)


def raid(look: Look, power: str, order: Order) -> Meaning:
    """Return the dice of a piracy attempt in Europe, and its rewards."""
    table, zone, victim = look.table, order["zone"], order["victim"]
    ours, theirs = piracy.dice(table, power, victim, zone), piracy.resistance(table, power, victim, zone)
    rewards = piracy.europe_rewards(table, victim, zone)
    return Meaning(follows=(Fact("resist", {"ours": ours, "theirs": theirs}), Fact("rewards", {"rewards": rewards})))


def prey(look: Look, power: str, order: Order) -> Meaning:
    """Return the dice of a piracy attempt on the World map, and its rewards."""
    table, who, victim = look.table, order["captain"], order["victim"]
    zone = table.state.captains[who].at
    ours, theirs = plunder.dice(table, who, victim), plunder.resistance(table, victim, zone)
    rewards = plunder.world_rewards(table, victim, zone)
    return Meaning(follows=(Fact("resist", {"ours": ours, "theirs": theirs}), Fact("rewards", {"rewards": rewards})))


def launch(look: Look, power: str, order: Order) -> Meaning:
    """Return what an expedition costs and how good its captain is."""
    table, who = look.table, order["captain"]
    more = building.colony_cost(table, power, who) if "colony" in order else 0
    known = table.c.captains[who]
    rated = {"battle": known.battle, "piracy": known.piracy, "navigation": known.navigation}
    return Meaning(cost=price(table, order["do"]) + more, follows=follows("captain", **rated))


def preach(look: Look, power: str, order: Order) -> Meaning:
    """Return how many dice sermons or suppression roll, and how many spaces could turn."""
    faith = look.table.c.actions[order["do"]].converts_to[power]
    return Meaning(follows=follows("attempts", count=ATTEMPTS, left=others_left(look.table, order["area"], faith)))


def revolt(look: Look, power: str, order: Order) -> Meaning:
    """Return what a rebellion costs, and who is there to crush it."""
    there = {who: n for who, n in units_there(look, order["space"]).items() if who != look.who(power)}
    notes = (Fact("meets", {"units": there}),) if there else follows("nobody")
    return Meaning(cost=order["cp"], follows=notes)


def spy(look: Look, power: str, order: Order) -> Meaning:
    """Return the dice of gathering intelligence."""
    table, on = look.table, order["on"]
    listed = dice.column(table, "gain_intelligence")
    ours = listed["base_attack_dice"] + dice.shared_attack(table, power, on)
    return Meaning(
        follows=follows("dice", attacker=ours, defender=listed["base_defence_dice"] + dice.shared_defence(table, on))
    )


def kill(look: Look, power: str, order: Order) -> Meaning:
    """Return the price and the dice of an assassination."""
    ours = assassination.attack_dice(look.table, power, order["leader"], order["cp"])
    theirs = assassination.defence_dice(look.table, order["leader"])
    return Meaning(cost=order["cp"], follows=follows("dice", attacker=ours, defender=theirs))


def conspire(look: Look, power: str, order: Order) -> Meaning:
    """Return the price and the dice of an English Catholic rebellion."""
    listed = dice.column(look.table, "english_catholic_rebellion")
    theirs = listed["base_defence_dice"] + dice.shared_defence(look.table, "england")
    return Meaning(
        cost=order["cp"], follows=follows("dice", attacker=plot.attack_dice(look.table, order["cp"]), defender=theirs)
    )


def befriend(look: Look, power: str, order: Order) -> Meaning:
    """Return what influence costs, and the influence of all there now."""
    now = {look.who(who): n for who, n in look.table.state.minors[order["on"]].influence.items() if n}
    return Meaning(cost=order["points"], follows=follows("influence", points=now) if now else ())


def cp(look: Look, power: str, order: Order) -> Meaning:
    """Return what an action costs for which one names its CP."""
    return Meaning(cost=order["cp"])


ACTS: dict[str, Callable[[Look, str, Order], Meaning]] = {
    "move": march, "transport": ferry, "assault": storm, "control": take, "raise_regular": raise_units,
    "buy_mercenary": raise_units, "raise_cavalry": raise_units, "piracy_europe": raid, "piracy_world": prey,
    "launch_expedition": launch, "preach_sermons": preach, "suppress_heresy": preach, "rebellion": revolt,
    "gain_intelligence": spy, "assassination": kill, "english_catholic_rebellion": conspire, "buy_influence": befriend,
    "patronize_artist": cp, "patronize_scientist": cp,
}  # fmt: skip
"""What the orders of each action mean; the others cost what is printed."""


def act(look: Look, answer: Any) -> Meaning | None:
    """Return what an action costs and does."""
    if answer == "end":
        return Meaning(follows=follows("cp_lost", cp=look.number("cp")), rank=-1)
    order = {**answer, **answer["with"]} if isinstance(answer.get("with"), Mapping) else answer
    means = ACTS.get(order["do"])
    return None if means is None else means(look, reader(look), order)


# -- the likeliest acts


def sorties(look: Look, ground: PowerMap) -> Iterator[str]:
    """Yield marches against fewer enemies, or before the walls of fewer, the weakest first."""
    found: list[tuple[int, str]] = []
    for at in moving.stations(ground):
        men = sum(moving.ready(look.table, ground.power, at)[0].values())
        for to in moving.targets(ground, at):
            hostile = at_war(look.table.state, ground.power, look.table.state.control[to])
            theirs = sum(strength(look.table.state, foe, to) for foe in enemies_in(look.table.state, ground.power, to))
            if (hostile or theirs) and men > theirs:
                named = " ".join(f"{key}={n}" for key, n in some(look, ground.power, at).items())
                found.append((theirs - men, f"move {at} {to}" + (f' units="{named}"' if named else "")))
    yield from (text for _, text in sorted(found))


def recruits(look: Look, ground: PowerMap, word: str, kind: str) -> Iterator[str]:
    """Yield where to raise units: keys and capitals with most enemies beside them first."""
    sites = building.land_sites(ground, kind)
    worth = {at: sum(foes_near(look, ground.power, at).values()) for at in sites.listed if at in look.table.c.spaces}
    capital = look.table.state.capitals
    for at in sorted(worth, key=lambda at: (-worth[at], capital.get(at) != ground.power))[:1]:
        number = ground.cp // price(look.table, word)
        yield f"{word} {at} number={number}" if number > 1 else f"{word} {at}"


def likely(look: Look) -> Iterator[str]:
    """Yield a few acts of different kinds, as good players look for them: sieges, own spaces, easy prey, men, ships."""
    table = look.table
    ground = PowerMap(table, reader(look))
    own, spaces = table.state.control, table.c.spaces
    yield from (f"assault {at}" for at in assault.assaultable(table, ground.power))
    restless = [at for at in control.restless(ground) if own[at] == ground.power]
    yield from (f"calm {at}" for at in sorted(restless, key=lambda at: spaces[at].type != "key")[:1])
    yield from (f"control {at}" for at in islice(control.controllable(ground).listed, 1))
    yield from islice(sorties(look, ground), 1)
    yield from recruits(look, ground, "buy_mercenary", "mercenaries")
    yield from recruits(look, ground, "raise_cavalry", "cavalry")
    yield from recruits(look, ground, "raise_regular", "regulars")
    for kind in ("galleon", "galley", "corsair"):
        yield from (f"build_{kind} {at}" for at in islice(building.ship_sites(ground, kind).listed, 1))
    influence = table.state.minors
    open_to = [key for key in influence if influence[key].influence.get(ground.power)]
    yield from (f"buy_influence {key} points={ground.cp}" for key in open_to[:1])
    yield from (f"launch_expedition {who} {zone}" for who, zone in _voyages(look, ground))


def _voyages(look: Look, ground: PowerMap) -> Iterator[tuple[str, str]]:
    found = building.captains(look.table, ground.power)
    best = sorted(found, key=lambda who: -look.table.c.captains[who].piracy)[:1]
    yield from ((who, zone) for who in best for zone in voyages.entries(look.table, ground.power)[:1])


KIT.turns_on(
    "action", facts=(acting, first(4, sieges, unrest, threats, enemy_fleets), other_prices), means=act, likely=likely
)
