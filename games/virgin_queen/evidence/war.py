"""War on land: interception, battle, losses and retreats, and the windows for cards in moves and battles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from games.virgin_queen.evidence.shared import (
    Facts,
    Look,
    acting,
    effect,
    foes_near,
    follows,
    goal,
    leaders,
    own_there,
    reader,
    ships_there,
    space,
    units_there,
)
from games.virgin_queen.formations import Formation, available, combined, count, limit
from games.virgin_queen.land.avoid_battle import beaten
from games.virgin_queen.land.entering import garrison, refuges
from games.virgin_queen.land.intercepting import chance, may_intercept, plus, posts
from games.virgin_queen.land.losses import cheapest, keep
from games.virgin_queen.land.moving import cost, onwards
from games.virgin_queen.query import FAR, fortified, leaders_at, seat_of, strength
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Fact, Meaning


def owns(look: Look) -> list[str]:
    """Return the powers that the reader plays."""
    return [power for power in POWERS if seat_of(look.table.state, power) == look.seat]


def there(look: Look, at: str) -> str:
    """Return the power of the reader with units in a space, else the first."""
    return next((power for power in owns(look) if strength(look.table.state, power, at)), reader(look))


def fight(ours: Any, theirs: int, chiefs: Iterable[str] = ()) -> Fact:
    """Return the note how many units would meet, and who leads the reader's."""
    return Fact("field_battle", {"ours": ours, "theirs": theirs, "leaders": [*chiefs]})


def haven(look: Look, power: str, at: str) -> tuple[Fact, ...]:
    """Return what a space that units may go to is: the power's units there, and the enemies beside it."""
    table = look.table
    kind = table.c.spaces[at].type
    kind = "fortress" if kind == "unfortified" and fortified(table, at) else kind
    found = [Fact("haven", {"kind": kind, "units": strength(table.state, power, at)}, (at,))]
    if near := foes_near(look, power, at):
        found.append(Fact("foes_near", {"foes": near}))
    return tuple(found)


def some(look: Look, power: str, at: str, most: int = FAR) -> dict[str, int]:
    """Return the best units that may leave a space together, if not all may: {} if all may."""
    units, chiefs = available(look.table.state, power, at)
    room = min(limit(look.table, chiefs), most)
    return keep(units, room) if sum(units.values()) > room else {}


# -- interception, and the answer of those who are met


def mover(look: Look) -> Facts:
    """Tell who comes: units by kind, from where, with whom."""
    told = {key: look.about[key] for key in ("power", "origin", "force", "leaders")}
    yield Fact("mover", told, (look.word("origin"),))


def interceptors(look: Look) -> list[str]:
    """Return the powers of the reader that may intercept."""
    who, to = look.word("power"), look.word("space")
    return [power for power in owns(look) if may_intercept(look.table, power, who, to)]


def intercept(look: Look, answer: Any) -> Meaning:
    """Return the chance that one of the attempts works, with how many, and what is left empty."""
    table, about = look.table, look.about
    if answer == "pass":
        return Meaning(follows=follows("lets_in", space=about["space"]))
    fails = 1.0
    men: list[dict[str, int]] = []
    led: list[str] = []
    notes: tuple[Fact, ...] = ()
    for attempt in answer["with"]:
        power = attempt.get("power") or interceptors(look)[0]
        units, chiefs = posts(table, power, about["space"])[attempt["origin"]]
        units, chiefs = attempt.get("units", units), attempt.get("leaders", chiefs)
        works = chance(plus(table, power, units, chiefs, about["force"]))
        fails *= 1 if attempt.get("when") == "succeeded" else 1 - works / 100
        men.append(units)
        led += chiefs
        if units == count(table.state, power, attempt["origin"]):
            notes += follows("empties", space=attempt["origin"])
    works = round(100 * (1 - fails))
    return Meaning(chance=works, follows=(fight(combined(men), about["units"], led), *notes[:1]), rank=works)


def attempts(look: Look) -> Iterator[str]:
    """Yield the attempts of each post alone, and of all one after another."""
    powers = interceptors(look)
    own = {power: posts(look.table, power, look.word("space")) for power in powers}
    posted = [f"{power} {at}" if len(powers) > 1 else at for power in powers for at in own[power]]
    if 1 < len(posted) <= 4:
        yield "intercept " + "; ".join([posted[0], *(f"{at} when=failed" for at in posted[1:])])
    yield from (f"intercept {at}" for at in posted)
    yield "pass"


KIT.turns_on("intercept", facts=(mover, goal), means=intercept, likely=attempts)


def met(look: Look) -> Facts:
    """Tell what the reader has in the space, and what there is to choose."""
    table, at = look.table, look.word("space")
    power = there(look, at)
    yield from own_there(look, power, at)
    yield space(look, at, units=False)
    if not refuges(table, power, at, (look.word("origin"),)):
        yield Fact("no_refuge", {"space": at})


def stand(look: Look, answer: Any) -> Meaning:
    """Return what fighting, walls or a way out would mean."""
    table, about, at = look.table, look.about, look.word("space")
    power = there(look, at)
    if answer == "pass":
        ours = sum(strength(table.state, own, at) for own in owns(look))
        return Meaning(follows=(fight(ours, about["units"]),))
    if answer == "withdraw":
        return Meaning(follows=follows("inside", space=at))
    units = answer.get("units", count(table.state, power, at))
    chiefs = answer.get("leaders", leaders_at(table.state, power, at))
    works = 100 if beaten(table, power, at, units) else chance(plus(table, power, units, chiefs, about["force"]))
    return Meaning(chance=works, follows=haven(look, power, answer["to"]), rank=works / 100)


def ways_out(look: Look) -> Iterator[str]:
    """Yield each way to avoid battle with all units."""
    at = look.word("space")
    for to in refuges(look.table, there(look, at), at, (look.word("origin"),)):
        yield f"avoid {to}"


KIT.turns_on("stand", facts=(mover, met), means=stand, likely=ways_out)


# -- sieges


def besieged(look: Look) -> Facts:
    """Tell how many are inside a fortified space, and how many the reader has before it."""
    at, power = look.word("space"), reader(look)
    inside = garrison(look.table, at, power)
    ours = look.about.get("units", strength(look.table.state, power, at))
    yield Fact("besiegers", {"space": at, "inside": inside, "ours": ours}, (at,))


def turn_away(look: Look, answer: Any) -> Meaning:
    """Return what going back or on means."""
    power = reader(look)
    if answer == "back":
        return Meaning(follows=follows("back_to", space=look.word("origin")))
    to = answer["with"]
    there = {who: number for who, number in units_there(look, to).items() if who != look.who(power)}
    return Meaning(
        cost=cost(look.table, look.word("space"), to), follows=(Fact("meets", {"units": there}),) if there else ()
    )


def ways_on(look: Look) -> Iterator[str]:
    """Yield where the formation may go on to, spaces with few enemies first."""
    at, power = look.word("space"), reader(look)
    formation = Formation(power, at, count(look.table.state, power, at), leaders_at(look.table.state, power, at))
    onward = sorted(onwards(look.table, formation), key=lambda to: sum(units_there(look, to).values()))
    yield from (f"on {to}" for to in onward)


KIT.turns_on("turn_away", facts=(besieged,), means=turn_away, likely=ways_on)


def relief(look: Look) -> Facts:
    """Tell who is inside, who comes and who besieges."""
    about, at, power = look.about, look.word("space"), reader(look)
    siege = look.table.state.sieges[at]
    comes = strength(look.table.state, power, at) - (about["units"] if look.kind == "sortie" else 0)
    theirs = {look.who(foe): strength(look.table.state, foe, at) for foe in siege.by}
    yield Fact("relief", {"space": at, "ours": comes, "foes": theirs}, (at,))


def sortie(look: Look, answer: Any) -> Meaning:
    """Return how many meet with and without those inside."""
    at, power = look.word("space"), reader(look)
    theirs = sum(strength(look.table.state, foe, at) for foe in look.table.state.sieges[at].by)
    ours = strength(look.table.state, power, at) - (0 if answer == "join" else look.about["units"])
    note = () if answer == "join" else follows("stay_inside", units=look.about["units"])
    return Meaning(follows=(fight(ours, theirs), *note))


KIT.turns_on("sortie", facts=(relief,), means=sortie)


def inside(look: Look, answer: Any) -> Meaning:
    """Return how many go inside, and where the others go."""
    within = sum(answer.get("inside", {}).values())
    notes = [Fact("go_inside", {"units": within})] if within else []
    if to := answer.get("to"):
        notes += haven(look, reader(look), to)
    return Meaning(follows=tuple(notes[:2]))


KIT.turns_on("slip_inside", facts=(relief, goal), means=inside)


# -- losses and retreats


def lost(look: Look, answer: Any) -> Meaning:
    """Return what is left of the units in the space."""
    power, at = reader(look), look.word("space")
    here = count(look.table.state, power, at)
    gone: Mapping[str, int] = cheapest(here, look.number("count")) if answer == "cheapest" else answer["with"]
    left = {key: number - gone.get(key, 0) for key, number in here.items() if number > gone.get(key, 0)}
    return Meaning(follows=(Fact("lost", {"units": gone}), Fact("left", {"units": left})))


def here(look: Look) -> Facts:
    """Tell which units and leaders of the reader the question is about."""
    at = look.word("space")
    yield from own_there(look, reader(look), at)
    yield from leaders(look, leaders_at(look.table.state, reader(look), at)[:1])


KIT.turns_on("losses", facts=(here,), means=lost)


def retreats(look: Look) -> Iterator[str]:
    """Yield retreats with everything, each to one space."""
    yield from refuges(look.table, reader(look), look.word("space"))


KIT.turns_on("retreat", facts=(here, goal), means=inside, likely=retreats)


def refuge(look: Look, answer: Any) -> Meaning:
    """Return what the space that units go to is like."""
    return Meaning(follows=haven(look, reader(look), answer))


def leaving(look: Look) -> Facts:
    """Tell which units have to leave."""
    args = {"space": look.word("space"), "units": look.about["force"]}
    yield Fact("leaving", args, (look.word("space"),))


KIT.turns_on("fall_back", facts=(here,), means=refuge)
KIT.turns_on("displace", facts=(acting, leaving), means=refuge)


# -- cards in moves and battles


def held(look: Look) -> Facts:
    """Tell that the reader holds no card for the moment, if that is so: they are asked all the same."""
    moment = f"combat_{look.about['battle']}" if look.kind.startswith("combat_") else look.kind
    cards = KIT.entries.get(moment, {})
    hand = {card for power in owns(look) for card in look.table.state.powers[power].hand}
    if hand.isdisjoint(cards):
        yield Fact("no_card")


def battle_dice(look: Look) -> Facts:
    """Tell the dice of both sides before cards."""
    attacker, defender = look.about["dice"].get("attacker", 0), look.about["dice"].get("defender", 0)
    yield Fact("dice", {"attacker": attacker, "defender": defender})


def played(look: Look, answer: Any) -> Meaning:
    """Return what a card does at this moment, and what it would be worth in CP."""
    if answer == "pass":
        return Meaning(follows=follows("keeps_card"))
    moment = look.kind.removeprefix("respond_")
    cards = answer["with"] if isinstance(answer, Mapping) else [answer]
    worth = sum(look.table.c.cards[card].cp for card in cards)
    notes = [effect(look, card, moment) for card in cards]
    return Meaning(follows=(*notes[:2], Fact("worth", {"cp": worth})))


def battle_at(look: Look) -> Facts:
    """Tell who is at the place of a battle, on land or at sea."""
    place = next((look.about[key] for key in ("space", "place", "zone") if look.about.get(key)), "")
    if place in look.table.c.spaces and look.about.get("battle") != "sea" and look.kind != "respond_sea_hits":
        yield space(look, place)
    if ships := ships_there(look, place):
        yield Fact("ships_there", {"place": place, "ships": ships}, (place,))


KIT.turns_on("combat_attacker", "combat_defender", facts=(held, battle_dice, battle_at), means=played)
KIT.turns_on(
    "respond_move", "respond_assault", "respond_field_battle", "respond_taken", "respond_transport",
    "respond_entered", "respond_besieging", "respond_flooding", "respond_english_battle",
    facts=(held, battle_at), means=played,
)  # fmt: skip


def hits(look: Look) -> Facts:
    """Tell the hits of both sides so far."""
    told = {look.about[side]: number for side, number in look.about["hits"].items()}
    yield Fact("hits", {"hits": {look.who(power): number for power, number in told.items()}})


def sailing(look: Look) -> Facts:
    """Tell which ships move from where, as far as they can be stopped."""
    for at in look.about.get("origins", ())[:3]:
        yield Fact("ships_there", {"place": at, "ships": ships_there(look, at)}, (at,))


KIT.turns_on("respond_sea_hits", facts=(held, hits, battle_at), means=played)
KIT.turns_on("respond_sea_move", facts=(held, sailing), means=played)
KIT.turns_on("respond_dragut", facts=(held, battle_at), means=played)


KIT.turns_on("reiters", facts=(goal,))
