"""What the questions of event cards about people, cards, troops and ships turn on, and cards against events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from games.virgin_queen.diplomacy import gifts
from games.virgin_queen.events import card_events, courts, france, home, land, naval, ocean
from games.virgin_queen.evidence import shared
from games.virgin_queen.evidence.events import men_for, mercenaries, raid_dice, units_at
from games.virgin_queen.evidence.shared import Facts, Look, first, means, note, reader, words
from games.virgin_queen.evidence.war import some
from games.virgin_queen.formations import count, pool_left
from games.virgin_queen.keys import vp
from games.virgin_queen.learning import patronage as people
from games.virgin_queen.naval import piracy
from games.virgin_queen.query import other_players, ships_of, strength
from games.virgin_queen.state import OTTOMAN, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Fact, Meaning, says


def commanders(look: Look) -> Facts:
    """Tell who leads for whom, with their command: the reader's enemies first; in emails the answers do."""
    generals, state, mine = look.table.c.generals, look.table.state, reader(look)
    found: dict[str, dict[str, int]] = {}
    for key in land.named(look.table, mine):
        found.setdefault(state.leaders[key].power, {})[key] = generals[key].command
    for power in sorted(found, key=lambda side: not shared.hostile(look, side)):
        yield note("commanders", main=False, power=look.who(power), leaders=found[power])


def leads(look: Look, answer: str) -> Meaning:
    """Tell of an army leader; enemies with a high command first."""
    power = look.table.state.leaders[answer].power
    rank = shared.hostile(look, power) * 100 + look.table.c.generals[answer].command
    return means(shared.general(look, answer), *shared.bond(look, power), rank=rank)


def sails(look: Look, answer: str) -> Meaning:
    """Tell of a captain, and what the card may do to them."""
    chance = None
    if look.word("card") == "northwest-passage":
        plus = look.table.c.captains[answer].navigation + (2 if answer == "frobisher" else 0)
        chance = shared.percent(max(0, min(6, 7 - ocean.FINDS + plus)))
    return means(
        *shared.captain(look, answer), chance=chance, rank=shared.hostile(look, look.table.state.captains[answer].power)
    )


def settlement(look: Look, answer: str) -> Meaning:
    """Tell of a colony whose it is, and the chance that it is lost; of another settlement, the captains near."""
    state, place = look.table.state, look.table.c.settlements.get(answer)
    if place is None:
        return means(rank=-1)
    if holder := state.colonies.get(answer):
        return means(
            note("settled_by", power=look.who(holder)), chance=shared.percent(3), rank=shared.hostile(look, holder)
        )
    near = [key for key, entry in state.captains.items() if entry.at in place.zones and entry.power != SPAIN]
    who = note("zone_captains", captains=near) if near else note("zone_empty")
    return means(note("lies_by", zones=list(place.zones)), who, rank=len(near))


def works(look: Look, answer: str) -> Meaning:
    """Tell of an artist or scientist: for whom they work, rating, with how many CP."""
    work = next(work for work in look.table.state.patronage if work.person == answer)
    rating = people.people_of(look.table, people.kind_of(look.table, answer))[answer].rating
    return means(note("works_for", power=look.who(work.power), rating=rating, cp=work.cp), rank=rating)


def drawable(look: Look) -> Facts:
    """Tell the ratings from which a person is drawn at random, own ones and Italians."""
    for kind, owners in courts.patrons(look.table).items():
        rating = {person: card.rating for person, card in people.people_of(look.table, kind).items()}
        for owner in owners:
            found = {person: rating[person] for person in people.drawable(look.table, kind, owner)}
            yield note(f"drawn_{kind}", owner=look.who(owner), people=found)


dies = says("dies", lambda look: {"chance": shared.percent(4)})
KIT.turns_on("event_leader", facts=(dies, shared.wars, shared.standing, commanders), means=leads)
KIT.turns_on("event_captain", facts=(shared.card_does, shared.WARS), means=sails)
KIT.turns_on("event_settlement", facts=(shared.card_does, shared.WARS), means=settlement)
KIT.turns_on("event_person", facts=(says("silenced"), shared.STANDING), means=works)
KIT.turns_on("event_patronage", facts=(shared.card_does, drawable))


def worst(look: Look, answer: object) -> Meaning | None:
    """Tell what is given up: the cheapest card first."""
    told = shared.by_card(look, answer)
    return None if told is None else msgspec.structs.replace(told, rank=-told.rank)


def half_the_mercenaries(look: Look) -> Fact:
    """Return how many mercenaries go instead of a card."""
    number = mercenaries(look, look.word("power"))
    return note("mercenaries_lost", count=(number + 1) // 2, of=number)


def given(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Tell what a card is worth, and what its receiver is to the reader: cheap cards to friends first."""
    if isinstance(answer, str) or "to" not in answer:
        return None
    cp, war = look.table.c.cards[answer["card"]].cp, shared.hostile(look, answer["to"])
    return means(*shared.worth(look, answer["card"]), *[note("rival_war")] * war, cost=cp, rank=-cp - 10 * war)


def gifts_to(look: Look) -> Iterator[str]:
    """Yield each card for the least dangerous power, the cheapest first, and the cheapest for each other."""
    table, power = look.table, look.word("power")
    found = sorted(card_events.presents(table, power), key=lambda card: table.c.cards[card].cp)
    others = sorted(other_players(table.state, power), key=lambda side: (shared.hostile(look, side), vp(table, side)))
    yield from (f"give {card} {others[0]}" for card in found)
    yield from (f"give {card} {other}" for card in found[:1] for other in others[1:])


def ballot(look: Look, answer: Mapping[str, str]) -> Meaning:
    """Tell what a candidate is to the reader, and what becomes of the card; cheap ones first."""
    cp = look.table.c.cards[answer["with"]].cp
    return means(*shared.bond(look, answer["do"]), note("vote_lost"), cost=cp, rank=-cp)


election = says("election", lambda look: {"vp": look.table.c.special["bonus_vp"]["polish_election"]})
KIT.turns_on(
    "event_card",  # one to give up, or one to take
    facts=(lambda look: iter([note("take_instead" if look.word("card") == "the-virgin-queen" else "give_up")]),),
    means=shared.by_card,
)
KIT.turns_on("event_payment", facts=(shared.wars,), means=words({"remove": half_the_mercenaries}, worst))
KIT.turns_on(
    "event_prophecy", facts=(says("foreseen"),), means=lambda look, two: shared.by_card(look, two.get("take", ""))
)
KIT.turns_on("event_take", facts=(shared.wars,), means=shared.by_card)
KIT.turns_on("event_gift", facts=(shared.standing, shared.WARS), means=given, likely=gifts_to)
KIT.turns_on(
    "event_vote",
    facts=(election, shared.standing, first(1, shared.wars), shared.hands),
    means=words({"pass": note("no_vote")}, ballot),
)


def havens(look: Look) -> Facts:
    """Tell what is in the Protestant spaces where men may land."""
    yield from shared.by_space("units_by_space", units_at(look, PROTESTANT, france.refuges(look.table)))


def sent(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Tell how many men come."""
    if isinstance(answer, str):
        return None
    return means(note("men_come", kind=answer["do"], count=men_for(look)[answer["do"]]))


def musters(look: Look) -> Iterator[str]:
    """Yield the best leader with the most mercenaries, these alone, and the leader alone."""
    generals, most = look.table.c.generals, min(home.MERCENARIES, pool_left(look.table, SPAIN))
    named = [f"mercenaries={most}"] * (most > 0)
    if found := home.summoned(look.table):
        best = max(found, key=lambda key: generals[key].command)
        named += [f"leader={best}"]
        yield " ".join(reversed(named))
    yield from named


def milan(look: Look) -> Facts:
    """Tell what is at Milan, and where its formation could go."""
    units = count(look.table.state, SPAIN, "milan")
    yield note("own_there", ["milan"], space="milan", power=look.who(SPAIN), units=units, leaders=[])
    held = {at: number for at, number in units_at(look, SPAIN, home.ends(look.table)).items() if number}
    yield from shared.by_space("road_ends", held)
    yield from shared.front(look, SPAIN)


def ends(look: Look) -> Iterator[str]:
    """Yield where the road may end: most enemies next to it, then most own units."""
    near = shared.menace(look, SPAIN, home.ends(look.table))
    found = sorted(near, key=lambda at: (-near[at], -strength(look.table.state, SPAIN, at)))
    named = " ".join(f"{key}={n}" for key, n in some(look, SPAIN, home.MILAN).items())
    yield from (f"march {at}" + (f' units="{named}"' if named else "") for at in found[:5])


def lent(look: Look) -> Facts:
    """Tell where the mercenaries are that could be given, and what the Protestants get without them."""
    yield from shared.by_space("mercenaries_by_space", gifts.soldiers(look.table.state, look.word("power")))
    yield note("aid_or_card", power=PROTESTANT)


def aided(look: Look, answer: object) -> Meaning:
    """Tell what becomes of the mercenaries."""
    return means(note("aided", power=PROTESTANT), rank=-1)


def quarrel(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Tell the VP of the two powers between which peace is offered."""
    if isinstance(answer, str):
        return None
    two = [answer["first"], answer["second"]]
    return means(*(note("power_vp", power=power, vp=vp(look.table, power)) for power in two))


def raid(look: Look, answer: Mapping[str, str]) -> Meaning:
    """Tell the dice of a raid, with one more by the card, and of its victim."""
    victim, zone = answer["target"], answer["zone"]
    number = piracy.dice(look.table, OTTOMAN, victim, zone) + 1
    resist = piracy.resistance(look.table, OTTOMAN, victim, zone)
    dice = note("raid_dice", **raid_dice(look, OTTOMAN, victim, zone, number))
    return means(dice, *shared.rival(look, victim)[:1], rank=-resist)


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
    for side in (power, *shared.foes(look, power)):
        if found := {at: number for at in state.fleets if (number := ships_of(state, side, at))}:
            yield note("ships_by_place", found, main=side == power, power=look.who(side), places=found)


def voyage(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Tell the ratings of the captain who sails."""
    key = "" if isinstance(answer, str) else answer.get("captain", "")
    if not key:
        return None
    card = look.table.c.captains[key]
    return means(note("captain_ratings", **shared.rated(card, "piracy", "navigation")), rank=card.piracy)


refusals = (says("intercession"), says("intercession_refused"), shared.standing)
KIT.turns_on("event_send", facts=(havens, shared.wars), means=sent)
KIT.turns_on(
    "event_muster", facts=(milan, lambda look: shared.leaders(look, home.summoned(look.table))), likely=musters
)
KIT.turns_on("event_march", facts=(milan, shared.WARS), means=shared.spots(**{"pass": "stays_put"}), likely=ends)
KIT.turns_on("event_aid", facts=(lent, shared.BESIDE), means=words({"none": note("no_aid")}, aided))
KIT.turns_on("event_quarrel", facts=refusals, means=quarrel)
KIT.turns_on(
    "event_prize",
    facts=(shared.card_does, shared.BESIDE),
    means=lambda look, what: means(note("prize_vp" if what == "vp" else "prize_ship"), rank=what == "vp"),
)
KIT.turns_on("event_raid", facts=(shared.card_does, shared.WARS), means=raid)
KIT.turns_on(
    "event_ship", facts=(fleets_in_port, shared.WARS), means=shared.spots(**{"pass": "no_ship"}), likely=by_fleet
)
KIT.turns_on("event_expedition", facts=(shared.card_does, shared.WARS), means=voyage)


def aimed(look: Look) -> Facts:
    """Tell what the event does and at what it is aimed."""
    yield from shared.card_does(look)
    single = ("target", "leader", "space", "area", "captain", "settlement")
    aims = [look.word(word) for word in single if look.about.get(word)] + [*look.about.get("spaces", ())]
    if aims:
        yield note("aims", [aim for aim in aims if aim in look.table.c.spaces], aims=[look.who(aim) for aim in aims])


def veto(look: Look, answer: str) -> Meaning:
    """Tell what a card against the event is worth."""
    return means(shared.effect(look, answer, "event"), note("card_spent", cp=look.table.c.cards[answer].cp))


def competition(look: Look) -> Facts:
    """Tell what each competitor adds to its die."""
    minor, entry = look.word("minor"), look.table.state.minors[look.word("minor")]
    bonus, rivals = look.about["bonus"], look.about["contenders"]
    plus = {look.who(power): entry.influence[power] + bonus.get(power, 0) for power in rivals}
    yield note("contenders", minor=minor, plus=plus)
    yield note("minor_ally", minor=minor, power=look.who(entry.ally) if entry.ally else "none")


KIT.turns_on("respond_event", facts=(aimed, shared.BESIDE), means=words({"pass": note("event_happens")}, veto))
KIT.turns_on(
    "respond_status",
    facts=(competition, shared.STANDING),
    means=lambda look, card: None if card == "pass" else means(shared.effect(look, card, "status")),
)
