"""War on land and at sea: interception, battle, losses and retreats, the windows for cards in them; oceans, piracy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from games.virgin_queen import fleets
from games.virgin_queen.evidence import shared
from games.virgin_queen.evidence.shared import Facts, Look, Order, first, means, note, reader, words
from games.virgin_queen.formations import Formation, available, cheapest, combined, count, limit
from games.virgin_queen.keys import vp
from games.virgin_queen.land.avoid_battle import beaten
from games.virgin_queen.land.entering import garrison, refuges
from games.virgin_queen.land.intercepting import chance, may_intercept, plus, posts
from games.virgin_queen.land.losses import keep
from games.virgin_queen.land.moving import cost, onwards
from games.virgin_queen.naval import battle, encounters, voyages
from games.virgin_queen.query import FAR, admirals, at_war, leaders_at, ships_of, strength
from games.virgin_queen.state import SPAIN, Captain
from games.virgin_queen.table import KIT
from games.virgin_queen.upkeep import colony_plus, colony_result
from games.virgin_queen.winter import ports  # noqa: F401 - it asks `captain_home`
from pbem.kernel.evidence import NEVER, Fact, Meaning, says


def there(look: Look, at: str) -> str:
    """Return the power of the reader with units in a space, else the first."""
    return next((power for power in shared.owns(look) if strength(look.table.state, power, at)), reader(look))


def fight(ours: object, theirs: object, chiefs: Iterable[str] = ()) -> Fact:
    """Return the note how many units would meet, and who leads the reader's."""
    return note("field_battle", ours=ours, theirs=theirs, leaders=[*chiefs])


def some(look: Look, power: str, at: str, most: int = FAR) -> dict[str, int]:
    """Return the best units that may leave a space together, if not all may: {} if all may."""
    units, chiefs = available(look.table.state, power, at)
    room = min(limit(look.table, chiefs), most)
    return keep(units, room) if sum(units.values()) > room else {}


def interceptors(look: Look) -> list[str]:
    """Return the powers of the reader that may intercept."""
    who, to = look.word("power"), look.word("space")
    return [power for power in shared.owns(look) if may_intercept(look.table, power, who, to)]


def intercept(look: Look, answer: Order) -> Meaning:
    """Return the chance that one of the attempts works, with how many, and what is left empty."""
    table, to, force = look.table, look.word("space"), look.about["force"]
    works: list[float] = []
    men: list[dict[str, int]] = []
    led: list[str] = []
    empties: list[Fact] = []
    for attempt in answer["with"]:
        power, at = attempt.get("power") or interceptors(look)[0], attempt["origin"]
        units, chiefs = posts(table, power, to)[at]
        units, chiefs = attempt.get("units", units), attempt.get("leaders", chiefs)
        works.append(0 if attempt.get("when") == "succeeded" else chance(plus(table, power, units, chiefs, force)))
        men.append(units)
        led += chiefs
        if units == count(table.state, power, at):
            empties.append(note("empties", space=at))
    odds = shared.any_of(works)
    if len(answer["with"]) == 1 and "when" in answer["with"][0]:  # a condition without another attempt
        return means(rank=NEVER)
    sizes = [sum(kinds.values()) for kinds in men]
    ours = men[0] if len(men) == 1 else shared.span(sizes, all_in="when" not in answer["with"][-1])
    return means(fight(ours, look.about["units"], led), *empties[:1], chance=odds, rank=odds)


def attempts(look: Look) -> Iterator[str]:
    """Yield the attempts of each post alone, and of all one after another."""
    powers = interceptors(look)
    own = {power: posts(look.table, power, look.word("space")) for power in powers}
    posted = [f"{power} {at}" if len(powers) > 1 else at for power in powers for at in own[power]]
    if 1 < len(posted) <= 4:
        yield "intercept " + "; ".join([posted[0], *(f"{at} when=failed" for at in posted[1:])])
    yield from (f"intercept {at}" for at in posted)
    yield "pass"


def met(look: Look) -> Facts:
    """Tell what the reader has in the space, and what there is to choose."""
    at = look.word("space")
    power = there(look, at)
    yield from shared.own_there(look, power, at)
    yield shared.space(look, at, units=False)
    if not refuges(look.table, power, at, (look.word("origin"),)):
        yield note("no_refuge", space=at)


def all_fight(look: Look) -> Fact:
    """Return how many would meet in the space."""
    return fight(
        sum(strength(look.table.state, own, look.word("space")) for own in shared.owns(look)), look.about["units"]
    )


def avoid(look: Look, answer: Order) -> Meaning:
    """Return what a way out would mean."""
    table, at = look.table, look.word("space")
    power = there(look, at)
    units = answer.get("units", count(table.state, power, at))
    chiefs = answer.get("leaders", leaders_at(table.state, power, at))
    works = 100 if beaten(table, power, at, units) else chance(plus(table, power, units, chiefs, look.about["force"]))
    return means(*shared.haven(look, power, answer["to"]), chance=works, rank=works / 100)


def ways_out(look: Look) -> Iterator[str]:
    """Yield each way to avoid battle with all units."""
    at = look.word("space")
    yield from (f"avoid {to}" for to in refuges(look.table, there(look, at), at, (look.word("origin"),)))


mover = says("mover", shared.about("power", "origin", "force", "leaders"), "origin")
KIT.turns_on(
    "intercept",
    facts=(mover, shared.goal),
    means=words({"pass": lambda look: note("lets_in", space=look.word("space"))}, intercept),
    likely=attempts,
)
KIT.turns_on(
    "stand",
    facts=(mover, met),
    means=words({"pass": all_fight, "withdraw": lambda look: note("inside", space=look.word("space"))}, avoid),
    likely=ways_out,
)


def besieged(look: Look) -> dict[str, object]:
    """Return how many are inside a fortified space, and how many the reader has before it."""
    at, power = look.word("space"), reader(look)
    ours = look.about.get("units", strength(look.table.state, power, at))
    return {"space": at, "inside": garrison(look.table, at, power), "ours": ours}


def go_on(look: Look, answer: Mapping[str, str]) -> Meaning:
    """Return what going on costs, and who is there."""
    to = answer["with"]
    return means(*shared.others_there(look, reader(look), to), cost=cost(look.table, look.word("space"), to))


def ways_on(look: Look) -> Iterator[str]:
    """Yield where the formation may go on to, spaces with few enemies first."""
    at, power = look.word("space"), reader(look)
    formation = Formation(power, at, count(look.table.state, power, at), leaders_at(look.table.state, power, at))
    onward = sorted(onwards(look.table, formation), key=lambda to: sum(shared.units_there(look, to).values()))
    yield from (f"on {to}" for to in onward)


def besiegers(look: Look) -> dict[str, int]:
    """Return how many units each power has before the walls."""
    at = look.word("space")
    return {side: strength(look.table.state, side, at) for side in look.table.state.sieges[at].by}


def relief(look: Look) -> dict[str, object]:
    """Return who comes and who besieges; those inside are told by the question."""
    at, inside = look.word("space"), look.number("units") if look.kind == "sortie" else 0
    theirs = {look.who(foe): number for foe, number in besiegers(look).items()}
    return {"space": at, "ours": strength(look.table.state, reader(look), at) - inside, "foes": theirs}


def sortie(look: Look, answer: str) -> Meaning:
    """Return how many meet with and without those inside."""
    ours = strength(look.table.state, reader(look), look.word("space"))
    stay = 0 if answer == "join" else look.number("units")
    told = [note("stay_inside", units=stay)] if answer != "join" else []
    return means(fight(ours - stay, sum(besiegers(look).values())), *told)


def inside(look: Look, answer: Order) -> Meaning:
    """Return how many go inside, and where the others go."""
    within, to = sum(answer.get("inside", {}).values()), answer.get("to")
    notes = [note("go_inside", units=within)] if within else []
    return means(*[*notes, *(shared.haven(look, reader(look), to) if to else ())][:2])


relieving = says("relief", relief, "space")
KIT.turns_on(
    "turn_away",
    facts=(says("besiegers", besieged, "space"), says("cp_left", lambda look: {"cp": look.number("cp")})),
    means=words({"back": lambda look: note("back_to", space=look.word("origin"))}, go_on),
    likely=ways_on,
)
KIT.turns_on("sortie", facts=(relieving,), means=sortie)
KIT.turns_on("slip_inside", facts=(relieving, shared.goal), means=inside)


def lost(look: Look, answer: Order | str) -> Meaning:
    """Return what is left of the units in the space."""
    here = count(look.table.state, reader(look), look.word("space"))
    gone: Mapping[str, int] = cheapest(here, look.number("count")) if isinstance(answer, str) else answer["with"]
    left = {key: number - gone.get(key, 0) for key, number in here.items() if number > gone.get(key, 0)}
    return means(*[note("lost", units=gone)] * isinstance(answer, str), note("left", units=left))


def here(look: Look) -> Facts:
    """Tell which units and leaders of the reader the question is about."""
    at = look.word("space")
    yield from shared.own_there(look, reader(look), at)
    yield from shared.leaders(look, leaders_at(look.table.state, reader(look), at)[:1])


def refuge(look: Look, answer: str) -> Meaning:
    """Return what the space that units go to is like."""
    return means(*shared.haven(look, reader(look), answer))


def leaving(look: Look) -> Facts:
    """Tell who leaves the space: units, or leaders alone."""
    at, power = look.word("space"), reader(look)
    naval = look.kind == "displace_ships"
    chiefs = admirals(look.table.state, power, at) if naval else leaders_at(look.table.state, power, at)
    if units := look.about.get("force") or chiefs:
        yield note("leaving", [at], space=at, units=units)


KIT.turns_on("losses", facts=(here,), means=lost)
KIT.turns_on(
    "retreat",
    facts=(here, shared.goal),
    means=inside,
    likely=lambda look: refuges(look.table, reader(look), look.word("space")),
)
KIT.turns_on("fall_back", facts=(here,), means=refuge)
KIT.turns_on("displace", facts=(shared.acting, leaving), means=refuge)
KIT.turns_on("reiters", facts=(shared.goal,))


def held(look: Look) -> Facts:
    """Tell that the reader holds no card for the moment, if that is so: they are asked all the same."""
    moment = f"combat_{look.about['battle']}" if look.kind.startswith("combat_") else look.kind
    hand = {card for power in shared.owns(look) for card in look.table.state.powers[power].hand}
    if hand.isdisjoint(KIT.entries.get(moment, {})):
        yield note("no_card")


def played(look: Look, answer: Mapping[str, list[str]] | str) -> Meaning:
    """Return what a card does at this moment, and what it would be worth in CP."""
    moment = look.kind.removeprefix("respond_")
    cards = [answer] if isinstance(answer, str) else answer["with"]
    worth = sum(look.table.c.cards[card].cp for card in cards)
    return means(*[shared.effect(look, card, moment) for card in cards][:2], note("worth", cp=worth))


def battle_at(look: Look) -> Facts:
    """Tell who is at the place of a battle, on land or at sea."""
    place = next((look.word(key) for key in ("space", "place", "zone") if look.about.get(key)), "")
    if place in look.table.c.spaces and look.about.get("battle") != "sea" and look.kind != "respond_sea_hits":
        yield shared.space(look, place)
    yield from shared.ships_at(look, place)


def sailing(look: Look) -> Facts:
    """Tell which ships move from where, as far as they can be stopped."""
    for at in look.about.get("origins", ())[:3]:
        yield note("ships_there", [at], place=at, ships=shared.ships_there(look, at))


battle_dice = says("dice", lambda look: {side: look.about["dice"].get(side, 0) for side in ("attacker", "defender")})
hits = says(
    "hits", lambda look: {"hits": {look.who(look.word(side)): number for side, number in look.about["hits"].items()}}
)
card_or_none = words({"pass": note("keeps_card")}, played)
for kinds, facts in {
    ("combat_attacker", "combat_defender"): (held, battle_dice, battle_at),
    (
        "respond_move", "respond_assault", "respond_field_battle", "respond_taken", "respond_transport",
        "respond_entered", "respond_besieging", "respond_flooding", "respond_english_battle", "respond_dragut",
    ): (held, battle_at),
    ("respond_sea_hits",): (held, hits, battle_at),
    ("respond_sea_move",): (held, sailing),
}.items():  # fmt: skip
    KIT.turns_on(*kinds, facts=facts, means=card_or_none)


def enemy(look: Look) -> Facts:
    """Tell what sails, in each zone that it enters, those first where the reader has ships or may intercept."""
    state, power = look.table.state, look.word("power")

    def far(zone: str) -> bool:
        own = [side for side in shared.owns(look) if at_war(state, side, power)]
        return not any(ships_of(state, at, zone) or encounters.stations(look.table, power, zone, at) for at in own)

    for zone in sorted(look.about["zones"], key=far):
        meets = look.kind != "sea_avoid" or any(ships_of(state, own, zone) for own in shared.owns(look))
        marks = ["out_of_reach"] * (look.kind == "sea_intercept" and far(zone))
        yield note("sailing", [zone], main=meets, power=power, far=marks, **squadron_in(look, power, zone))


def squadron_in(look: Look, power: str, zone: str) -> dict[str, object]:
    """Return the ships and those who lead them, as arguments."""
    state = look.table.state
    return {"zone": zone, "ships": fleets.counts(state, power, zone), "leaders": admirals(state, power, zone)}


def own_fleets(look: Look) -> Facts:
    """Tell the reader's ships in the zones."""
    for zone in look.about["zones"]:
        for power in shared.owns(look):
            if ships_of(look.table.state, power, zone):
                yield note("own_fleet", [zone], power=power, **squadron_in(look, power, zone))


def odds(look: Look, power: str, place: str, zone: str, kinds: Mapping[str, int]) -> int:
    """Return the chance to intercept or to avoid battle in a zone with ships of these kinds."""
    return chance(encounters.plus(look.table, power, zone, kinds, admirals(look.table.state, power, place)))


def squadron(look: Look, attempt: Order) -> dict[str, int]:
    """Return how many ships of each kind an attempt sends."""
    keyed = fleets.keyed(look.table.state, attempt["power"], at=attempt["origin"])
    sent = attempt.get("ships", {key: here.ships[kind] for key, (_, here, kind) in keyed.items()})
    return combined([{keyed[key][2]: number} for key, number in sent.items()])


def hunt(look: Look, answer: Order) -> Meaning:
    """Return the chance that one of the stacks intercepts, and how many ships meet."""
    sent = [(attempt, squadron(look, attempt)) for attempt in answer["with"]]
    works = shared.any_of(odds(look, sail["power"], sail["origin"], sail["zone"], kinds) for sail, kinds in sent)
    theirs = ships_of(look.table.state, look.word("power"), answer["with"][0]["zone"])
    ours = shared.span([sum(kinds.values()) for _, kinds in sent], all_in=True)
    return means(note("sea_battle", ours=ours, theirs=theirs), chance=works, rank=works)


def hunters(look: Look) -> Iterator[str]:
    """Yield the stacks of each port or zone alone, and all of a zone together."""
    table, mover = look.table, look.word("power")
    for zone in look.about["zones"]:
        own = [power for power in shared.owns(look) if at_war(table.state, power, mover)]
        each = [f"{power} {zone} {at}" for power in own for at in encounters.stations(table, mover, zone, power)]
        if 1 < len(each) <= 4:
            yield "intercept " + "; ".join(each)
        yield from (f"intercept {stack}" for stack in each)
    yield "pass"


def in_the_way(look: Look) -> Iterator[tuple[str, str]]:
    """Yield the zones where the reader's fleets are, with their power."""
    for zone in look.about["zones"]:
        yield from ((power, zone) for power in shared.owns(look) if ships_of(look.table.state, power, zone))


def avoiding(look: Look, answer: Order | str) -> Meaning:
    """Return the chance to avoid battle and what waits where the fleet goes."""
    if isinstance(answer, str):
        return means(*(meeting(look, look.word("power"), own, zone) for own, zone in islice(in_the_way(look), 1)))
    power, zone, to = (answer["with"][0][key] for key in ("power", "zone", "to"))
    works = odds(look, power, zone, zone, fleets.counts(look.table.state, power, zone))
    which = [note("fleet_of", power=power, zone=zone)] if len([*in_the_way(look)]) > 1 else []
    foe = look.word("power")
    here = {"ships": {foe: ships_of(look.table.state, foe, zone)}}  # the fleet that they avoid: it is told already
    near = [fact for fact in waters(look, power, to) if fact.args != here]
    return means(*which, *near, chance=works, rank=works + safety(look, power, to))


def safety(look: Look, power: str, place: str) -> float:
    """Return a rank of a place for ships: few enemies next to it, then own ships; it is the same for the same notes."""
    told = [*waters(look, power, place)]
    near = [item for fact in told for item in fact.args.get("ships", {}).items()]
    own = sum(fact.args.get("count", 0) for fact in told)
    enemies = sum(number + sum(map(ord, foe)) / 10**5 for foe, number in near)
    return float(own / 10 - enemies)


def meeting(look: Look, attacker: str, foe: str, place: str) -> Fact:
    """Return the dice of a battle at a place."""
    sides = {"attacker": attacker, "defender": foe}
    dice = {side: battle.dice(look.table, sides[side], place, defender=side == "defender") for side in sides}
    return note("dice", **dice)


def waters(look: Look, power: str, place: str) -> Iterator[Fact]:
    """Yield what a port or zone that ships may go to is: own ships there, and enemies next to it."""
    if own := ships_of(look.table.state, power, place):
        yield note("ships_here", count=own)
    near = fleets.near(look.table, place)
    found = {foe: sum(ships_of(look.table.state, foe, at) for at in near) for foe in shared.foes(look, power)}
    if ships := {foe: number for foe, number in found.items() if number}:
        yield note("enemy_waters", ships=ships)


def escapes(look: Look) -> Iterator[str]:
    """Yield each way out of each zone."""
    for power, zone in in_the_way(look):
        yield from (f"avoid {power} {zone} {to}" for to in battle.ways_out(look.table, power, zone))


def encounter(look: Look, answer: str) -> Meaning:
    """Return the dice of a battle at a place against a power."""
    place, _, foe = answer.partition("/")
    return means(meeting(look, reader(look), foe, place))


def place_of(look: Look) -> Facts:
    """Tell the ships at the place of the question, or the leaders alone that leave it."""
    found = [*shared.ships_at(look, look.about.get("place") or look.about.get("zone") or look.about.get("space", ""))]
    yield from found or (leaving(look) if look.kind == "displace_ships" else ())


def sunk(look: Look, answer: str) -> Meaning:
    """Return how many ships of the kind are left."""
    place, here, kind = fleets.keyed(look.table.state, reader(look))[answer]
    return means(note("ships_left", place=place, count=here.ships[kind] - 1))


sails_on = words({"pass": lambda look: note("sails_on", power=look.word("power"))}, hunt)
KIT.turns_on("sea_intercept", facts=(first(4, enemy),), means=sails_on, likely=hunters)
KIT.turns_on("sea_avoid", facts=(first(5, own_fleets, enemy),), means=avoiding, likely=escapes)
KIT.turns_on("sea_order", facts=(shared.acting,), means=encounter)
KIT.turns_on("sink", facts=(shared.acting, place_of), means=sunk)
KIT.turns_on(
    "sea_retreat",
    "put_to_sea",
    "displace_ships",
    facts=(shared.acting, place_of),
    means=lambda look, to: means(*waters(look, reader(look), to), rank=safety(look, reader(look), to)),
)


def robbed(look: Look) -> str:
    """Return the victim of the piracy that goes on."""
    return next((str(told["victim"]) for key, told in reversed(look.table.trail) if key == "piracy"), SPAIN)


def purse(look: Look) -> Facts:
    """Tell what the victim has that may be drawn."""
    if hand := look.table.state.powers.get(robbed(look)):
        args = {"cards": len(hand.hand), "treasures": len(hand.treasures)}
        yield note("purse", victim=look.who(robbed(look)), **args)


def reward(look: Look, answer: str) -> Meaning:
    """Return what a reward takes from the victim and gives the pirate."""
    own, power, victim = look.table.state.powers, look.word("pirate"), robbed(look)
    more = {"vp": vp(look.table, power) + 1} if answer == "vp" else {}
    if answer == "card":
        more = {"hand": len(own[victim].hand) + len(own[victim].treasures)}
    return means(note(f"reward.{answer}", pirate=look.who(power), victim=look.who(victim), **more))


def treasure_worth(look: Look, answer: str) -> Meaning:
    """Return what a treasure is worth."""
    info = look.table.c.treasures[answer]
    told = [] if info.kind == "cp" else [note(f"worth.{info.kind}")]  # its name says the CP
    return means(*told, rank=info.value)


def captain_of(look: Look) -> Captain:
    """Return the captain of whom the question is."""
    return look.table.state.captains[look.word("captain")]


def loot(look: Look) -> int:
    """Return how many treasures the captain carries."""
    return len(captain_of(look).loot)


def booty_of(look: Look) -> dict[str, object]:
    """Return what a captain carries, how sound the ship is and where it is."""
    captain, marks = captain_of(look), ["damaged"] * captain_of(look).damaged
    return {"captain": look.word("captain"), "zone": captain.at, "loot": captain.loot, "damaged": marks}


def founding(look: Look, answer: str) -> Meaning:
    """Return what founding a colony there means."""
    mine = sum(holder == captain_of(look).power for holder in look.table.state.colonies.values())
    return means(note("colony_at", zones=list(look.table.c.settlements[answer].zones), count=mine + 1))


def colony_pays(look: Look) -> Facts:
    """Tell the chances of what the dice of each turn bring a colony."""
    totals = [a + b + colony_plus(look.table, look.word("power")) for a, b in product(range(1, 7), repeat=2)]
    found = [colony_result(look.table.c, total) for total in totals]
    treasure, lost = (sum(word.startswith(begin) for word in found) for begin in ("treasure", "eliminated"))
    yield note("colony_pays", treasure=round(100 * treasure / len(found)), lost=round(100 * lost / len(found)))


booty = says("booty", booty_of)
carries = says(
    "carries", lambda look: {"captain": look.word("captain"), "most": voyages.CARRY[captain_of(look).damaged]}
)
homeward = words(
    {"home": lambda look: note("home_with", loot=loot(look))},
    lambda look, _: means(note("stays_out", loot=loot(look), zone=captain_of(look).at)),
)
kept = words(
    {
        "keep": lambda look: note(f"keeps.{look.about['result']}"),
        "reroll": lambda look: note("rolls_again", plus=look.table.c.captains[look.word("captain")].navigation),
    }
)
KIT.turns_on("reward", facts=(purse, shared.standing), means=reward)
KIT.turns_on("keep_treasure", means=treasure_worth)
KIT.turns_on("jettison", facts=(booty, carries), means=treasure_worth)
KIT.turns_on("sail_home", "captain_home", facts=(booty, carries), means=homeward)
KIT.turns_on("reroll", facts=(booty,), means=kept)
KIT.turns_on("colony", facts=(booty, colony_pays), means=words({"keep": note("colony_kept")}, founding))
