"""What the questions of event cards turn on: what each use of a card does now, and what its targets are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from games.virgin_queen.courts.weddings import MARKER
from games.virgin_queen.diplomacy import gifts, relations
from games.virgin_queen.events import card_events, common, courts, faith, france, home, land, naval, patronage
from games.virgin_queen.events.unrest import godly, oppressed
from games.virgin_queen.evidence.faith import faith_vp, reach_of, revolt_odds
from games.virgin_queen.evidence.notes import card_does, front, keys_first, named, rival, spot
from games.virgin_queen.evidence.shared import Facts, Look, first, follows, reader, standing, wars
from games.virgin_queen.formations import pool_left
from games.virgin_queen.gate import england_spain_cost
from games.virgin_queen.learning import patronage as people
from games.virgin_queen.naval import piracy
from games.virgin_queen.query import at_war, strength
from games.virgin_queen.religion import rebellion
from games.virgin_queen.state import CATHOLIC, ENGLAND, FRANCE, HRE, OTTOMAN, POWERS, PROTESTANT, SPAIN, VENICE
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Fact, Meaning

Args = Callable[[Look], dict[str, Any]]


def mercenaries(look: Look, power: str) -> int:
    """Return how many mercenaries a power has on the map."""
    return common.number_of(look.table, power, "mercenaries")


# -- which use of a card

USES: dict[tuple[str, str], Args] = {
    ("papal-bull", "excommunicate"): lambda look: {"cp": _excommunicated(look)},
    ("papal-bull", "holy-league"): lambda look: {"cp": look.table.c.cards["holy-league"].cp},
    ("papal-bull", "patronize"): lambda look: {"cp": patronage.BULL_CP},
    ("papal-bull", "convert"): lambda look: {"count": courts.BULL_ATTEMPTS},
    ("state-bankruptcy", "remove"): lambda look: {"count": min(3, mercenaries(look, look.word("power")))},
    ("state-bankruptcy", "treasure"): lambda look: {"what": card_events.riches(look.table, look.word("power"))},
    ("sultana-safiye", "influence"): lambda look: {"marks": dict(look.table.state.minors[VENICE].influence)},
    ("hanseatic-grain", "calm"): lambda look: {"spaces": land.hungry(look.table, look.word("power"))},
    ("hanseatic-grain", "mercenaries"): lambda look: {"spaces": land.quays(look.table, look.word("power"))},
    ("foreign-volunteers", "huguenot"): lambda look: {"count": pool_left(look.table, "huguenot")},
    ("foreign-volunteers", "dutch"): lambda look: {"count": pool_left(look.table, "dutch")},
    ("father-william", "rebellion"): lambda look: {"cp": home.REBELLION_CP},
    ("father-william", "aid"): lambda look: {"powers": home.donors(look.table), "count": home.GIFT},
    ("knights-of-st-john", "place"): lambda look: {"spaces": naval.commanderies(look.table)},
    ("knights-of-st-john", "raid"): lambda look: {"zones": naval.caravans(look.table), "count": naval.DICE},
    ("john-hawkins", "refit"): lambda look: {"ports": naval.galleons(look.table)},
    ("genoese-merchants", "treasure"): lambda look: {"count": len(look.table.state.treasure_pool)},
    ("puritans", "unrest"): lambda look: {"count": len(godly(look.table))},
    ("pacification-of-ghent", "remove"): lambda look: {"spaces": france.tercios(look.table)},
    ("pacification-of-ghent", "towns"): lambda look: {"spaces": france.rebel_towns(look.table)},
}
"""Card and word → the numbers in the note `use.<card>.<word>`."""


def other(look: Look) -> str:
    """Return the other power, or thing, that a yes or no is about."""
    return str(look.word("other"))


def held(look: Look, power: str) -> int:
    """Return how many cards a power holds."""
    return len(look.table.state.powers[power].hand)


def _excommunicated(look: Look) -> int:
    before, look.table.state.excommunicated = look.table.state.excommunicated, True
    price, look.table.state.excommunicated = england_spain_cost(look.table), before
    return price


def _nothing(look: Look) -> dict[str, Any]:
    return {}


def use(look: Look, answer: Any) -> Meaning | None:
    """Tell what a word of a card does now."""
    card = look.word("card")
    if card == "border-reivers":
        who, _, way = answer.partition("/")
        return Meaning(follows=follows(f"use.{card}.{way}", power=look.who(who)))
    if card == "galleasses":
        return Meaning(follows=follows(f"use.{card}.side"))
    args = USES.get((card, answer), _nothing)(look)
    if answer in people.KINDS:
        card = "commissioned-from-italy"
        args = {"count": len(people.drawable(look.table, answer, people.ITALY))}
    return Meaning(follows=follows(f"use.{card}.{answer}", **args))


def price_of_england(look: Look) -> Facts:
    """Tell what war between England and Spain costs now, where a use changes it."""
    if look.word("card") == "papal-bull":
        yield Fact("war_price_now", {"power": SPAIN, "cp": england_spain_cost(look.table)})


KIT.turns_on("event_option", facts=(price_of_england, first(0, faith_vp, wars, standing)), means=use)


# -- yes or no

STAKES: dict[str, Args] = {
    "edict": lambda look: {"spaces": faith.restless(look.table), "count": faith.EDICT_ATTEMPTS, "plus": MARKER},
    "tour": lambda look: {"spaces": faith.restless(look.table)},
    "galleon": lambda look: {"space": other(look)},
    "piracy": lambda look: raid_dice(look, PROTESTANT, other(look), naval.NORTH_SEA),
    "paris": lambda look: {"units": strength(look.table.state, FRANCE, "paris")},
    "guise": lambda look: {"leader": other(look), "space": look.table.state.leaders[other(look)].at},
    "protect": lambda look: {"spaces": france.refuges(look.table)},
    "war": lambda look: {"power": other(look), "cp": relations.cost(look.table, look.word("power"), other(look))},
    "peace": lambda look: {"power": other(look)},
    "tribute": lambda look: {"power": other(look), "cards": held(look, look.word("power"))},
    "accept": lambda look: {"power": other(look), "cards": held(look, other(look))},
    "intelligence": lambda look: {"power": other(look)},
}
"""What is asked → the numbers in its fact `stakes.<what>` and in the notes on yes and no."""


def raid_dice(look: Look, power: str, victim: str, zone: str, dice: int = naval.DICE) -> dict[str, Any]:
    """Return the dice of a raid and of its victim, as arguments."""
    return {"dice": dice, "resist": piracy.resistance(look.table, power, victim, zone), "power": victim, "zone": zone}


def stakes(look: Look) -> Facts:
    """Tell what a yes or no turns on."""
    what = look.about["what"]
    yield Fact(f"stakes.{what}", STAKES[what](look))
    if what == "edict":
        yield from faith_vp(look)
    if what == "peace" and look.word("card") == "holy-roman-intercession":
        yield Fact("refusal", {"power": HRE})
    if other(look) in POWERS:
        yield Fact("hands", {"cards": {other(look): held(look, other(look))}})


def agreed(look: Look, answer: Any) -> Meaning | None:
    """Tell what follows from a yes, and from a no."""
    what = look.about["what"]
    return Meaning(follows=follows(f"consent.{what}.{answer}", **STAKES[what](look)), rank=answer == "yes")


KIT.turns_on("event_answer", facts=(stakes, standing, first(0, wars)), means=agreed)


# -- which power


def target(look: Look, answer: Any) -> Meaning | None:
    """Tell of a power what the card takes from it; enemies of the reader first."""
    table, card = look.table, look.word("card")
    if answer not in POWERS:
        return Meaning(rank=-1)
    notes = list(rival(look, answer))
    if card in ("mercenaries-demand-pay", "state-bankruptcy"):
        notes += follows("mercenaries_on_map", count=mercenaries(look, answer))
    if card == "la-rochelle-privateers":
        notes += follows("raid_dice", **raid_dice(look, PROTESTANT, answer, naval.BISCAY))
    if card == "father-william":
        men = sum(gifts.soldiers(table.state, answer).values())
        notes += follows("may_give", count=min(home.GIFT, men, gifts.billets(table, PROTESTANT)))
    return Meaning(follows=tuple(notes), rank=at_war(table.state, reader(look), answer))


KIT.turns_on("event_power", facts=(card_does, first(0, wars, standing)), means=target)


# -- which spaces


def named_space(look: Look, answer: Any) -> Meaning | None:
    """Tell of a space; of a revolt there, its chance."""
    table, card = look.table, look.word("card")
    at = named(answer)
    if at not in table.c.spaces:
        if at not in table.c.zones:
            return Meaning(rank=-1)
        return Meaning(follows=follows("raid_dice", **raid_dice(look, SPAIN, OTTOMAN, at)))
    chance = None
    if look.kind == "event_space" and card in REVOLTS and table.state.control[at] != REVOLTS[card][0]:
        side, dice = REVOLTS[card]
        religion = PROTESTANT if side == PROTESTANT else CATHOLIC
        chance = revolt_odds(look, at, religion, dice)
    return Meaning(chance=chance, follows=spot(look, at), rank=(chance or 0) + (table.c.spaces[at].type == "key"))


REVOLTS = {"rising-of-the-north": (SPAIN, 5), "ministers-of-geneva": (PROTESTANT, 2), "father-william": (PROTESTANT, 3)}
"""Card → whose revolt it brings in a space that is not theirs, and its dice."""


KIT.turns_on(
    "event_space", "event_spaces", "event_place", facts=(card_does, first(0, wars, standing)), means=named_space
)


def waters(look: Look, answer: Any) -> Meaning | None:
    """Tell which expeditions are in an ocean zone."""
    state = look.table.state
    here = {key: look.who(entry.power) for key, entry in state.captains.items() if entry.at == answer}
    notes = follows("zone_captains", captains=here) if here else follows("zone_empty")
    return Meaning(follows=notes + follows("zone_patrols", count=state.patrols.get(answer, 0)), rank=len(here))


KIT.turns_on("event_zone", facts=(card_does, first(0, wars)), means=waters)


def where_they_are(look: Look) -> Facts:
    """Tell where the units are that a card removes, moves or turns; or where enemies threaten."""
    table, power, card = look.table, look.word("power"), look.word("card")
    spaces: Mapping[str, int] = {}
    if card in ("mercenaries-demand-pay", "state-bankruptcy"):
        spaces = gifts.soldiers(table.state, power)
    elif card == "irish-rebellion":
        spaces = {at: strength(table.state, ENGLAND, at) for at in ("dublin", "kinsale")}
    elif card == "john-hawkins":
        spaces = naval.galleons(table)
    elif card == "union-of-arras":
        spaces = france.spaniards(table)
    elif card == "treaty-of-nonsuch":
        spaces = {at: strength(table.state, PROTESTANT, at) for at in france.cautionary_towns(table)}
    if spaces:
        yield Fact("units_by_space", {"spaces": dict(spaces)}, tuple(at for at in spaces if at in table.c.spaces))
    else:
        yield from front(look, power)


KIT.turns_on("event_units", facts=(card_does, where_they_are, first(0, wars)))


def revolted(look: Look) -> Facts:
    """Tell which home spaces others hold, by power; keys first."""
    for power, spaces in oppressed(look.table).items():
        held = {at: look.who(look.table.state.control[at]) for at in spaces[:6]}
        yield Fact("oppressed", {"power": look.who(power), "spaces": held}, tuple(spaces), main=len(held) > 0)


def uprisings(look: Look) -> Iterator[str]:
    """Yield the spaces of each oppressed power, keys first."""
    for power, spaces in oppressed(look.table).items():
        yield f"{power} spaces={','.join(keys_first(look, spaces)[:3])}"


def uprisen(look: Look, answer: Any) -> Meaning | None:
    """Tell whose spaces get unrest, and how many keys."""
    spaces = answer.get("spaces", ()) if isinstance(answer, Mapping) else ()
    holders = dict.fromkeys(look.who(look.table.state.control[at]) for at in spaces)
    keys = sum(look.table.c.spaces[at].type == "key" for at in spaces)
    return Meaning(follows=follows("unrest_hits", powers=list(holders), count=keys), rank=keys) if spaces else None


KIT.turns_on("event_uprising", facts=(card_does, wars, first(0, revolted)), means=uprisen, likely=uprisings)


def mutinies(look: Look, answer: Any) -> Meaning | None:
    """Tell how many regulars a mutiny removes, and what is beside it."""
    table, at, power = look.table, answer["space"], answer["target"]
    here = sum(land.regulars(table, power, at).values())
    hostile = at_war(table.state, reader(look), power)
    notes = follows("mutiny", lost=here - here // 2, count=here) + (follows("rival_war") if hostile else ())
    return Meaning(follows=notes, rank=here * (2 if hostile else 1))


def biggest(look: Look) -> Iterator[str]:
    """Yield the largest stacks of regulars, enemies' first."""
    found = [
        (at_war(look.table.state, reader(look), power), sum(land.regulars(look.table, power, at).values()), power, at)
        for power, spaces in land.mutinous(look.table).items()
        for at in spaces
        if power != reader(look)
    ]
    yield from (f"{power} {at}" for _, _, power, at in sorted(found, reverse=True)[:5])


KIT.turns_on("event_mutiny", facts=(card_does, first(0, wars, standing)), means=mutinies, likely=biggest)


def by_area(look: Look, answer: Any) -> Meaning | None:
    """Tell how many spaces of an area can turn, and which keys."""
    catholic = look.word("card") in CATHOLIC_CARDS
    notes, rank = reach_of(look, answer, CATHOLIC if catholic else PROTESTANT)
    if look.word("card") == "ministers-of-geneva" and answer in rebellion.AREAS:
        notes += follows("may_rebel", count=len(rebellion.targets(look.table, answer)))
    return Meaning(follows=notes, rank=rank)


CATHOLIC_CARDS = ("papal-bull", "tridentine-catechism", "index-of-prohibited-books", "spanish-inquisition")
KIT.turns_on("event_area", facts=(faith_vp, first(0, standing)), means=by_area)
