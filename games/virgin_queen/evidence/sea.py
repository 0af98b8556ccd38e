"""The sea: interception and battle (16.1, 16.2), the oceans and piracy (16.4 to 16.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from games.virgin_queen import fleets
from games.virgin_queen.evidence.shared import Facts, Look, acting, first, follows, reader, ships_there, standing
from games.virgin_queen.evidence.war import owns
from games.virgin_queen.keys import vp
from games.virgin_queen.land.intercepting import chance
from games.virgin_queen.naval import battle, encounters, voyages
from games.virgin_queen.query import admirals, at_war, ships_of
from games.virgin_queen.state import SPAIN
from games.virgin_queen.table import KIT
from games.virgin_queen.winter import ports  # noqa: F401 - it asks `captain_home`
from pbem.kernel.evidence import Fact, Meaning

# -- interception and battle


def enemy(look: Look) -> Facts:
    """Tell what sails, in each zone that it enters, those first where the reader has ships or may intercept."""
    state, power = look.table.state, look.word("power")

    def far(zone: str) -> bool:
        own = [side for side in owns(look) if at_war(state, side, power)]
        return not any(ships_of(state, at, zone) or encounters.stations(look.table, power, zone, at) for at in own)

    for zone in sorted(look.about["zones"], key=far):
        ships = fleets.counts(state, power, zone)
        args = {"power": power, "zone": zone, "ships": ships, "leaders": admirals(state, power, zone)}
        yield Fact("sailing", args, (zone,))


def odds(look: Look, power: str, place: str, zone: str, kinds: Mapping[str, int]) -> int:
    """Return the chance to intercept or to avoid battle in a zone with ships of these kinds."""
    chiefs = admirals(look.table.state, power, place)
    return chance(encounters.plus(look.table, power, zone, kinds, chiefs))


def squadron(look: Look, one: Mapping[str, Any]) -> dict[str, int]:
    """Return how many ships of each kind an attempt sends."""
    keyed = fleets.keyed(look.table.state, one["power"], at=one["origin"])
    sent = one.get("ships", {key: here.ships[kind] for key, (_, here, kind) in keyed.items()})
    kinds: dict[str, int] = {}
    for key, number in sent.items():
        kinds[keyed[key][2]] = kinds.get(keyed[key][2], 0) + number
    return kinds


def hunt(look: Look, answer: Any) -> Meaning:
    """Return the chance that one of the stacks intercepts, and how many ships meet."""
    if answer == "pass":
        return Meaning(follows=follows("sails_on", power=look.word("power")))
    fails, ours = 1.0, 0
    for attempt in answer["with"]:
        kinds = squadron(look, attempt)
        ours += sum(kinds.values())
        fails *= 1 - odds(look, attempt["power"], attempt["origin"], attempt["zone"], kinds) / 100
    works = round(100 * (1 - fails))
    theirs = ships_of(look.table.state, look.word("power"), answer["with"][0]["zone"])
    return Meaning(chance=works, follows=(Fact("sea_battle", {"ours": ours, "theirs": theirs}),), rank=works)


def hunters(look: Look) -> Iterator[str]:
    """Yield the stacks of each port or zone alone, and all of a zone together."""
    table, mover = look.table, look.word("power")
    for zone in look.about["zones"]:
        own = [power for power in owns(look) if at_war(table.state, power, mover)]
        each = [f"{power} {zone} {at}" for power in own for at in encounters.stations(table, mover, zone, power)]
        if 1 < len(each) <= 4:
            yield "intercept " + "; ".join(each)
        yield from (f"intercept {stack}" for stack in each)
    yield "pass"


KIT.turns_on("sea_intercept", facts=(first(4, enemy),), means=hunt, likely=hunters)


def own_fleets(look: Look) -> Facts:
    """Tell the reader's ships in the zones."""
    state = look.table.state
    for zone in look.about["zones"]:
        for power in owns(look):
            if ships := fleets.counts(state, power, zone):
                args = {"zone": zone, "ships": ships, "leaders": admirals(state, power, zone)}
                yield Fact("own_fleet", args, (zone,))


def slip(look: Look, answer: Any) -> Meaning:
    """Return the chance to avoid battle and what waits where the fleet goes."""
    state, mover = look.table.state, look.word("power")
    if answer == "pass":
        fights = ((own, zone) for zone in look.about["zones"] for own in owns(look) if ships_of(state, own, zone))
        return Meaning(follows=tuple(meeting(look, mover, own, zone) for own, zone in islice(fights, 1)))
    one = answer["with"][0]
    works = odds(look, one["power"], one["zone"], one["zone"], fleets.counts(state, one["power"], one["zone"]))
    return Meaning(chance=works, follows=waters(look, one["power"], one["to"]), rank=works / 100)


def meeting(look: Look, attacker: str, foe: str, place: str) -> Fact:
    """Return the dice of a battle at a place."""
    rolled = (
        battle.dice(look.table, attacker, place, defender=False),
        battle.dice(look.table, foe, place, defender=True),
    )
    return Fact("dice", {"attacker": rolled[0], "defender": rolled[1]})


def waters(look: Look, power: str, place: str) -> tuple[Fact, ...]:
    """Return what a port or zone that ships may go to is: own ships there, and enemies beside it."""
    state, table = look.table.state, look.table
    near = sum(fleets.enemies(table, power, at) for at in fleets.near(table, place))
    own = ships_of(state, power, place)
    notes = follows("ships_here", count=own) if own else ()
    return (*notes, Fact("enemy_waters", {"count": near})) if near else notes


def escapes(look: Look) -> Iterator[str]:
    """Yield each way out of each zone."""
    for zone in look.about["zones"]:
        for power in owns(look):
            if ships_of(look.table.state, power, zone):
                yield from (f"avoid {power} {zone} {to}" for to in encounters.havens(look.table, power, zone))


KIT.turns_on("sea_avoid", facts=(first(5, own_fleets, enemy),), means=slip, likely=escapes)


def encounter(look: Look, answer: str) -> Meaning:
    """Return the dice of a battle at a place against a power."""
    place, _, foe = answer.partition("/")
    return Meaning(follows=(meeting(look, reader(look), foe, place),))


KIT.turns_on("sea_order", facts=(acting,), means=encounter)


def place_of(look: Look) -> Facts:
    """Tell the ships at the place of the question."""
    place = look.about.get("place") or look.about.get("zone") or look.about.get("space", "")
    if ships := ships_there(look, place):
        yield Fact("ships_there", {"place": place, "ships": ships}, (place,))


def sunk(look: Look, answer: str) -> Meaning:
    """Return how many ships of the kind are left."""
    power = reader(look)
    place, here, kind = fleets.keyed(look.table.state, power)[answer]
    return Meaning(follows=follows("ships_left", place=place, count=here.ships[kind] - 1))


def anchorage(look: Look, answer: str) -> Meaning:
    """Return what a place that ships may go to is like."""
    return Meaning(follows=waters(look, reader(look), answer))


KIT.turns_on("sink", facts=(acting, place_of), means=sunk)
KIT.turns_on("sea_retreat", "put_to_sea", "displace_ships", facts=(acting, place_of), means=anchorage)


# -- piracy and the oceans


def robbed(look: Look) -> str:
    """Return the victim of the piracy that goes on."""
    return next((about["victim"] for key, about in reversed(look.table.trail) if key == "piracy"), SPAIN)


def pirate(look: Look) -> Facts:
    """Tell what the victim has that may be drawn."""
    victim, own = robbed(look), look.table.state.powers
    if victim in own:
        args = {"victim": look.who(victim), "cards": len(own[victim].hand), "treasures": len(own[victim].treasures)}
        yield Fact("purse", args)


def reward(look: Look, answer: str) -> Meaning:
    """Return what a reward takes from the victim and gives the pirate."""
    own, power, victim = look.table.state.powers, look.word("pirate"), robbed(look)
    args: dict[str, Any] = {"pirate": look.who(power), "victim": look.who(victim)}
    if answer == "vp":
        args["vp"] = vp(look.table, power) + 1
    elif answer == "card":
        args["hand"] = len(own[victim].hand) + len(own[victim].treasures)
    return Meaning(follows=follows(f"reward.{answer}", **args))


KIT.turns_on("reward", facts=(pirate, standing), means=reward)


def worth(look: Look, answer: str) -> Meaning:
    """Return what a treasure is worth."""
    info = look.table.c.treasures[answer]
    return Meaning(follows=follows(f"worth.{info.kind}", cp=info.value), rank=info.value)


def booty(look: Look) -> Facts:
    """Tell what a captain carries, how sound the ship is and where it is."""
    key = look.word("captain")
    captain = look.table.state.captains[key]
    yield Fact(
        "booty", {"captain": key, "zone": captain.at, "loot": captain.loot, "damaged": ["damaged"] * captain.damaged}
    )


def carries(look: Look) -> Facts:
    """Tell how many treasures a captain can carry."""
    captain = look.table.state.captains[look.word("captain")]
    yield Fact("carries", {"captain": look.word("captain"), "most": voyages.CARRY[captain.damaged]})


KIT.turns_on("keep_treasure", means=worth)
KIT.turns_on("jettison", facts=(booty, carries), means=worth)


def homecoming(look: Look, answer: str) -> Meaning:
    """Return what staying and coming home mean."""
    captain = look.table.state.captains[look.word("captain")]
    if answer == "home":
        return Meaning(follows=follows("home_with", loot=len(captain.loot)))
    return Meaning(follows=follows("stays_out", loot=len(captain.loot)))


KIT.turns_on("sail_home", "captain_home", facts=(booty, carries), means=homecoming)


def again(look: Look, answer: str) -> Meaning:
    """Return what keeping a voyage's result and rolling again mean."""
    key = look.word("captain")
    if answer == "keep":
        return Meaning(follows=follows(f"keeps.{look.about['result']}"))
    plus = look.table.c.captains[key].navigation
    return Meaning(follows=follows("rolls_again", plus=plus))


KIT.turns_on("reroll", facts=(booty,), means=again)


def founding(look: Look, answer: str) -> Meaning:
    """Return what founding a colony there, or carrying it on, means."""
    state = look.table.state
    if answer == "keep":
        return Meaning(follows=follows("colony_kept"))
    power = state.captains[look.word("captain")].power
    mine = sum(holder == power for holder in state.colonies.values())
    zones = look.table.c.settlements[answer].zones
    return Meaning(follows=follows("colony_at", zones=list(zones), count=mine + 1))


KIT.turns_on("colony", facts=(booty,), means=founding)
