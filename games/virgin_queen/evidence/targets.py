"""What the questions of event cards about people, cards, troops and ships turn on, and cards against events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from games.virgin_queen.diplomacy import gifts
from games.virgin_queen.events import card_events, france, home, land, naval, ocean, patronage
from games.virgin_queen.evidence.events import mercenaries, raid_dice
from games.virgin_queen.evidence.notes import (
    by_card,
    captain,
    card_does,
    front,
    general,
    percent,
    rival,
    says,
    spots,
    worth,
)
from games.virgin_queen.evidence.shared import (
    Facts,
    Look,
    effect,
    first,
    foes,
    foes_near,
    follows,
    hands,
    reader,
    standing,
    wars,
)
from games.virgin_queen.formations import count, pool_left
from games.virgin_queen.learning import patronage as people
from games.virgin_queen.naval import piracy
from games.virgin_queen.query import at_war, ships_of, strength
from games.virgin_queen.state import OTTOMAN, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Fact, Meaning

# -- people


def commanders(look: Look) -> Facts:
    """Tell who leads for whom, with their command: the reader's enemies first."""
    generals, state, mine = look.table.c.generals, look.table.state, reader(look)
    yield Fact("dies", {"chance": percent(4)})
    found: dict[str, dict[str, int]] = {}
    for key in land.named(look.table, mine):
        found.setdefault(state.leaders[key].power, {})[key] = generals[key].command
    for power in sorted(found, key=lambda side: not at_war(state, mine, side)):
        yield Fact("commanders", {"power": look.who(power), "leaders": found[power]}, main=power != mine)


def leads(look: Look, answer: Any) -> Meaning | None:
    """Tell of an army leader; enemies with a high command first."""
    hostile = at_war(look.table.state, reader(look), look.table.state.leaders[answer].power)
    rank = hostile * 100 + look.table.c.generals[answer].command
    return Meaning(follows=general(look, answer), rank=rank)


KIT.turns_on("event_leader", facts=(commanders, first(0, wars)), means=leads)


def sails(look: Look, answer: Any) -> Meaning | None:
    """Tell of a captain, and what the card may do to him."""
    table, card = look.table, look.word("card")
    chance = None
    if card == "northwest-passage":
        plus = table.c.captains[answer].navigation + (2 if answer == "frobisher" else 0)
        chance = percent(max(0, min(6, 7 - ocean.FINDS + plus)))
    rank = at_war(table.state, reader(look), table.state.captains[answer].power)
    return Meaning(chance=chance, follows=captain(look, answer), rank=rank)


KIT.turns_on("event_captain", facts=(card_does, first(0, wars)), means=sails)


def settlement(look: Look, answer: Any) -> Meaning | None:
    """Tell of a colony whose it is, and the chance that it is lost; of another settlement, the captains near."""
    state, place = look.table.state, look.table.c.settlements.get(answer)
    if place is None:
        return Meaning(rank=-1)
    if answer in state.colonies:
        holder = state.colonies[answer]
        hostile = at_war(state, reader(look), holder)
        return Meaning(chance=percent(3), follows=follows("settled_by", power=look.who(holder)), rank=hostile)
    near = [key for key, entry in state.captains.items() if entry.at in place.zones and entry.power != SPAIN]
    notes = follows("zone_captains", captains=near) if near else follows("zone_empty")
    return Meaning(follows=notes, rank=len(near))


KIT.turns_on("event_settlement", facts=(card_does, first(0, wars)), means=settlement)


def works(look: Look, answer: Any) -> Meaning | None:
    """Tell of an artist or scientist: for whom they work, rating, with how many CP."""
    work = next(work for work in look.table.state.patronage if work.person == answer)
    person = people.people_of(look.table, people.kind_of(look.table, answer))[answer]
    return Meaning(
        follows=follows("works_for", power=look.who(work.power), rating=person.rating, cp=work.cp), rank=person.rating
    )


KIT.turns_on("event_person", facts=(standing,), means=works)


def drawable(look: Look) -> Facts:
    """Tell the ratings from which a person is drawn at random, own ones and Italians."""
    for kind, owners in patronage.patrons(look.table).items():
        for owner in owners:
            found = people.drawable(look.table, kind, owner)
            ratings = {person: people.people_of(look.table, kind)[person].rating for person in found}
            yield Fact(f"drawn_{kind}", {"owner": look.who(owner), "people": ratings})


KIT.turns_on("event_patronage", facts=(drawable,))


# -- cards and treasures


def hand(look: Look) -> Facts:
    """Tell why a card is asked for: one to give up, or one to take."""
    yield Fact("take_instead" if look.word("card") == "the-virgin-queen" else "give_up")


KIT.turns_on("event_card", facts=(hand,), means=by_card)


def worst(look: Look, answer: Any) -> Meaning | None:
    """Tell what is given up: the cheapest card first."""
    meaning = by_card(look, answer)
    if answer == "remove":
        number = mercenaries(look, look.word("power"))
        return Meaning(follows=follows("mercenaries_lost", count=(number + 1) // 2, of=number))
    return None if meaning is None else msgspec.structs.replace(meaning, rank=-meaning.rank)


KIT.turns_on("event_payment", facts=(wars,), means=worst)
KIT.turns_on(
    "event_prophecy", facts=(says("foreseen"),), means=lambda look, answer: by_card(look, answer.get("take", ""))
)
KIT.turns_on("event_take", facts=(hands,), means=by_card)


def given(look: Look, answer: Any) -> Meaning | None:
    """Tell what a card is worth, and what its receiver is to the reader: cheap cards to friends first."""
    if not isinstance(answer, Mapping) or "to" not in answer:
        return None
    cp, hostile = look.table.c.cards[answer["card"]].cp, at_war(look.table.state, reader(look), answer["to"])
    war = follows("rival_war") if hostile else ()
    return Meaning(cost=cp, follows=war + worth(look, answer["card"]), rank=-cp - 10 * hostile)


def gifts_to(look: Look) -> Iterator[str]:
    """Yield the cheapest card, to each power."""
    table, power = look.table, look.word("power")
    found = sorted(card_events.presents(table, power), key=lambda card: table.c.cards[card].cp)
    if found:
        yield from (f"give {found[0]} {other}" for other in card_events.partners(table, power))


def presents(look: Look) -> Facts:
    """Tell the reader's cards that can be given, with CP."""
    found = card_events.presents(look.table, look.word("power"))
    if found:
        yield Fact("can_give", {"cards": {card: look.table.c.cards[card].cp for card in found}})


KIT.turns_on("event_gift", facts=(presents, first(0, wars, standing)), means=given, likely=gifts_to)


def election(look: Look) -> Facts:
    """Tell what the election brings, and how many cards others have."""
    yield Fact("election", {"vp": look.table.c.special["bonus_vp"]["polish_election"]})
    yield from hands(look)


def ballot(look: Look, answer: Any) -> Meaning | None:
    """Tell what a card adds for a candidate; cheap ones first."""
    if answer == "pass":
        return Meaning(follows=follows("no_vote"))
    cp = look.table.c.cards[answer["with"]].cp
    return Meaning(cost=cp, follows=follows("vote_lost"), rank=-cp)


KIT.turns_on("event_vote", facts=(election, first(0, standing)), means=ballot)


# -- troops, ships and piracy


def havens(look: Look) -> Facts:
    """Tell what stands in the Protestant spaces where men may land."""
    found = {at: strength(look.table.state, PROTESTANT, at) for at in france.refuges(look.table)}
    yield Fact("units_by_space", {"spaces": found}, tuple(found))
    yield Fact("pool", {"count": pool_left(look.table, look.word("power"))})


KIT.turns_on("event_send", facts=(havens, wars))


def milan(look: Look) -> Facts:
    """Tell what is at Milan, and where its formation could go."""
    table = look.table
    yield Fact(
        "own_there",
        {"space": "milan", "power": look.who(SPAIN), "units": count(table.state, SPAIN, "milan"), "leaders": []},
        ("milan",),
    )
    held = {at: number for at in home.ends(table) if (number := strength(table.state, SPAIN, at))}
    yield Fact("road_ends", {"spaces": held}, tuple(held))
    yield from front(look, SPAIN)


def ends(look: Look) -> Iterator[str]:
    """Yield where the road may end: most enemies beside it, then most own units."""
    state = look.table.state
    found = home.ends(look.table)
    found.sort(key=lambda at: (-sum(foes_near(look, SPAIN, at).values()), -strength(state, SPAIN, at)))
    yield from (f"march {at}" for at in found[:5])


def summoned(look: Look) -> Facts:
    """Tell the ratings of the leaders who could come."""
    for key in home.summoned(look.table):
        card = look.table.c.generals[key]
        yield Fact("general", {"leader": key, "battle": card.battle, "command": card.command})


def musters(look: Look, answer: Any) -> Meaning | None:
    """Tell that nobody comes, if so."""
    return None if answer else Meaning(follows=follows("nobody_comes"))


KIT.turns_on("event_muster", facts=(milan, summoned), means=musters)
KIT.turns_on("event_march", facts=(milan, first(0, wars)), means=spots(**{"pass": "stays_put"}), likely=ends)


def lent(look: Look) -> Facts:
    """Tell where the mercenaries are that could be given, and what the Protestants get without them."""
    found = gifts.soldiers(look.table.state, look.word("power"))
    yield Fact("units_by_space", {"spaces": found}, tuple(at for at in found if at in look.table.c.spaces))
    yield Fact("aid_or_card", {"power": PROTESTANT})


KIT.turns_on(
    "event_aid",
    facts=(lent, first(0, wars, standing)),
    means=lambda look, answer: Meaning(follows=follows("no_aid")) if answer == "none" else None,
)


def quarrel(look: Look, answer: Any) -> Meaning | None:
    """Tell the VP of the two powers between which peace is offered."""
    if not isinstance(answer, Mapping):
        return None
    notes = tuple(
        Fact("power_vp", {"power": answer[word], "vp": rival(look, answer[word])[0].args["vp"]})
        for word in ("first", "second")
    )
    return Meaning(follows=notes)


KIT.turns_on("event_quarrel", facts=(says("intercession"), says("intercession_refused"), standing), means=quarrel)


def prize(look: Look, answer: Any) -> Meaning | None:
    """Tell what a hit takes: a VP, or the ship."""
    return Meaning(follows=follows("prize_vp"), rank=1) if answer == "vp" else Meaning(follows=follows("prize_ship"))


KIT.turns_on("event_prize", facts=(card_does, first(0, wars, standing)), means=prize)


def raid(look: Look, answer: Any) -> Meaning | None:
    """Tell the dice of a raid, with one more by the card, and of its victim."""
    victim, zone = answer["target"], answer["zone"]
    number = piracy.dice(look.table, OTTOMAN, victim, zone) + 1
    dice = raid_dice(look, OTTOMAN, victim, zone, number)
    return Meaning(follows=follows("raid_dice", **dice) + rival(look, victim)[:1], rank=-dice["resist"])


KIT.turns_on("event_raid", facts=(card_does, first(0, wars)), means=raid)


def yards(look: Look) -> dict[str, list[str]]:
    """Return where ships of each kind can be built now, ports with most of the reader's ships first."""
    table, power = look.table, look.word("power")
    galleys = {"galley": naval.berths(table, power, "galley")}
    kinds = galleys if look.word("card") == "holy-league" else naval.slips(table, power)
    return {kind: sorted(ports, key=lambda at: -ships_of(table.state, power, at)) for kind, ports in kinds.items()}


def by_fleet(look: Look) -> Iterator[str]:
    """Yield ships in the ports with most of the reader's."""
    for kind, ports in yards(look).items():
        yield from (f"{kind} {at}" for at in ports[:3])


def fleets_in_port(look: Look) -> Facts:
    """Tell where the reader's ships are, and where enemies'."""
    state, power = look.table.state, look.word("power")
    for side in (power, *foes(look, power)):
        found = {at: number for at in state.fleets if (number := ships_of(state, side, at))}
        if found:
            yield Fact("ships_by_place", {"power": look.who(side), "places": found}, tuple(found), main=side == power)


KIT.turns_on("event_ship", facts=(fleets_in_port, first(0, wars)), means=spots(**{"pass": "no_ship"}), likely=by_fleet)


def voyage(look: Look, answer: Any) -> Meaning | None:
    """Tell the ratings of the captain who sails."""
    key = answer.get("captain", "") if isinstance(answer, Mapping) else ""
    if not key:
        return None
    card = look.table.c.captains[key]
    return Meaning(follows=follows("captain_ratings", piracy=card.piracy, navigation=card.navigation), rank=card.piracy)


KIT.turns_on("event_expedition", facts=(card_does, first(0, wars)), means=voyage)


# -- cards against events, and for a minor power's status


def aimed(look: Look) -> Facts:
    """Tell what the event does and at what it is aimed."""
    yield effect(look, look.word("card"), "event")
    aims = [
        look.about[word]
        for word in ("target", "leader", "space", "area", "captain", "settlement")
        if look.about.get(word)
    ]
    aims += look.about.get("spaces", ())
    if aims:
        yield Fact(
            "aims", {"aims": [look.who(aim) for aim in aims]}, tuple(aim for aim in aims if aim in look.table.c.spaces)
        )


def veto(look: Look, answer: Any) -> Meaning | None:
    """Tell what a card against the event is worth."""
    if answer == "pass":
        return Meaning(follows=follows("event_happens"))
    return Meaning(follows=(effect(look, answer, "event"), Fact("card_spent", {"cp": look.table.c.cards[answer].cp})))


KIT.turns_on("respond_event", facts=(aimed, first(0, wars, standing)), means=veto)


def competition(look: Look) -> Facts:
    """Tell what each competitor adds to its die."""
    entry = look.table.state.minors[look.word("minor")]
    plus = {
        look.who(power): entry.influence[power] + look.about["bonus"].get(power, 0)
        for power in look.about["contenders"]
    }
    yield Fact("contenders", {"minor": look.word("minor"), "plus": plus})
    yield Fact("minor_ally", {"minor": look.word("minor"), "power": look.who(entry.ally) if entry.ally else "none"})


def backs(look: Look, answer: Any) -> Meaning | None:
    """Tell what a card adds in the check."""
    return None if answer == "pass" else Meaning(follows=(effect(look, answer, "status"),))


KIT.turns_on("respond_status", facts=(competition, first(0, standing)), means=backs)
