"""What the questions of event cards turn on: what each use of a card does now, and what its targets are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from games.virgin_queen import query
from games.virgin_queen.courts.weddings import MARKER
from games.virgin_queen.diplomacy import gifts, relations
from games.virgin_queen.events import card_events, common, conversions, courts, faith, france, home, land, naval, ocean
from games.virgin_queen.events.france import WALLOONS
from games.virgin_queen.events.unrest import GODLY, godly, oppressed
from games.virgin_queen.evidence import shared
from games.virgin_queen.evidence.court import lands
from games.virgin_queen.evidence.faith import CATHOLIC_CARDS, contest, faith_vp, faiths_beside, reach_of, revolt_odds
from games.virgin_queen.evidence.shared import Args, Facts, Look, first, means, note, reader
from games.virgin_queen.formations import pool_left
from games.virgin_queen.gate import england_spain_cost
from games.virgin_queen.keys import LORD_KEYS
from games.virgin_queen.learning import patronage as people
from games.virgin_queen.naval import piracy
from games.virgin_queen.query import strength
from games.virgin_queen.religion import rebellion
from games.virgin_queen.state import CATHOLIC, ENGLAND, FRANCE, HRE, OTTOMAN, POWERS, PROTESTANT, SPAIN, VENICE
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Meaning, says


def mercenaries(look: Look, power: str) -> int:
    """Return how many mercenaries a power has on the map."""
    return common.number_of(look.table, power, "mercenaries")


USES: dict[str, Args] = {
    "papal-bull.excommunicate": lambda look: {"cp": _excommunicated(look)},
    "papal-bull.holy-league": lambda look: {"cp": look.table.c.cards["holy-league"].cp},
    "papal-bull.patronize": lambda look: {"cp": courts.BULL_CP},
    "papal-bull.convert": lambda look: {"count": conversions.DICE["papal-bull"]},
    "state-bankruptcy.remove": lambda look: {"count": min(3, mercenaries(look, look.word("power")))},
    "state-bankruptcy.treasure": lambda look: {"what": card_events.riches(look.table, look.word("power"))},
    "sultana-safiye.influence": lambda look: {"marks": dict(look.table.state.minors[VENICE].influence)},
    "hanseatic-grain.calm": lambda look: {"spaces": land.hungry(look.table, look.word("power"))},
    "hanseatic-grain.mercenaries": lambda look: {"spaces": land.quays(look.table, look.word("power"))},
    "foreign-volunteers.huguenot": lambda look: {"count": pool_left(look.table, "huguenot")},
    "foreign-volunteers.dutch": lambda look: {"count": pool_left(look.table, "dutch")},
    "father-william.rebellion": lambda look: {"cp": home.REBELLION_CP},
    "father-william.aid": lambda look: {"powers": home.donors(look.table), "count": home.GIFT},
    "knights-of-st-john.place": lambda look: {"spaces": naval.commanderies(look.table)},
    "knights-of-st-john.raid": lambda look: {"zones": naval.caravans(look.table), "count": naval.DICE},
    "john-hawkins.refit": lambda look: {"ports": naval.galleons(look.table)},
    "genoese-merchants.expedition": lambda look: {"cp": ocean.GENOESE_CP},
    "genoese-merchants.treasure": lambda look: {"count": len(look.table.state.treasure_pool)},
    "puritans.unrest": lambda look: {"count": len(spots := godly(look.table)), "most": min(GODLY, len(spots))},
    "pacification-of-ghent.remove": lambda look: {"spaces": france.tercios(look.table)},
    "pacification-of-ghent.towns": lambda look: {"spaces": france.rebel_towns(look.table)},
}
"""Card and word → the numbers in the note `use.<card>.<word>`."""


def held(look: Look, power: str) -> int:
    """Return how many cards a power holds."""
    return len(look.table.state.powers[power].hand)


def _excommunicated(look: Look) -> int:
    with shared.supposing(look, excommunicated=True):
        return england_spain_cost(look.table)


def use(look: Look, answer: str) -> Meaning:
    """Tell what a word of a card does now."""
    card = look.word("card")
    if card == "border-reivers":
        who, _, way = answer.partition("/")
        return means(note(f"use.{card}.{way}", power=look.who(who)))
    if card == "galleasses":
        return means(note(f"use.{card}.side"))
    if answer in people.KINDS:
        count = len(people.drawable(look.table, answer, people.ITALY))
        return means(note(f"use.commissioned-from-italy.{answer}", count=count))
    key = f"{card}.{answer}"
    return means(note(f"use.{key}", **(USES[key](look) if key in USES else {})))


def may_excommunicate(look: Look) -> bool:
    """Return whether Elizabeth can be excommunicated by the card that asks."""
    state = look.table.state
    return look.word("card") == "papal-bull" and not (state.excommunicated or state.powers[ENGLAND].ruler_dead)


price_of_england = says(
    "war_price_now",
    lambda look: {"power": SPAIN, "cp": england_spain_cost(look.table)} if may_excommunicate(look) else None,
)


def faith_stakes(look: Look) -> Facts:
    """Tell what the number of Protestant spaces is worth, where it may change."""
    if look.word("card") in ("puritans", "papal-bull"):
        yield from faith_vp(look)


KIT.turns_on("event_option", facts=(price_of_england, shared.beside(faith_stakes), shared.BESIDE), means=use)


def other(look: Look) -> str:
    """Return the other power, or thing, that a yes or no is about."""
    return str(look.word("other"))


STAKES: dict[str, Args] = {
    "edict": lambda look: {"spaces": faith.restless(look.table), "count": faith.EDICT_ATTEMPTS, "plus": MARKER},
    "tour": lambda look: {"spaces": faith.restless(look.table)},
    "galleon": lambda look: {"space": other(look)},
    "piracy": lambda look: raid_dice(look, PROTESTANT, other(look), naval.NORTH_SEA),
    "paris": lambda look: {"units": strength(look.table.state, FRANCE, "paris")},
    "guise": lambda look: {"leader": other(look), "space": look.table.state.leaders[other(look)].at},
    "protect": lambda look: {
        "spaces": france.refuges(look.table),
        "at_war": query.at_war(look.table.state, look.word("power"), SPAIN),
        **dict.fromkeys(france.MEN, 0),
        **(men_for(look) if france.refuges(look.table) else {}),
    },
    "war": lambda look: {"power": other(look), "cp": relations.cost(look.table, look.word("power"), other(look))},
    "peace": lambda look: {"power": other(look)},
    "tribute": lambda look: {"power": other(look), "cards": held(look, look.word("power"))},
    "accept": lambda look: {"power": other(look), "cards": held(look, other(look))},
    "intelligence": lambda look: {"power": other(look), "chance": intelligence_odds(look)},
}
"""What is asked → the numbers in its fact `stakes.<what>` and in the notes on yes and no."""


def intelligence_odds(look: Look) -> int:
    """Return the chance in percent that intelligence on the other power succeeds."""
    told = {"action": "gain_intelligence", "power": look.word("power"), "target": other(look)}
    return shared.more_hits(*contest(look.table, told))


def men_for(look: Look) -> dict[str, int]:
    """Return how many men of each kind the power may send to the Netherlands."""
    power = look.word("power")
    kinds = france.kinds_of_men(look.table, power)
    return {kind: min(france.MEN[kind], pool_left(look.table, power)) for kind in kinds}


def raid_dice(look: Look, power: str, victim: str, zone: str, dice: int = naval.DICE) -> dict[str, object]:
    """Return the dice of a raid and of its victim, as arguments."""
    return {"dice": dice, "resist": piracy.resistance(look.table, power, victim, zone), "power": victim, "zone": zone}


def stakes(look: Look) -> Facts:
    """Tell what a yes or no turns on."""
    what = look.word("what")
    yield note(f"stakes.{what}", **STAKES[what](look))
    if what == "edict":
        yield from faith_vp(look)
    if what == "war":
        yield from lands(look)
    if what == "peace" and look.word("card") == "holy-roman-intercession":
        yield note("refusal", power=HRE)


def hand_of_other(look: Look) -> Facts:
    """Tell how many cards the other power holds."""
    if other(look) in POWERS:
        yield note("hands", main=False, cards={other(look): held(look, other(look))})


def agreed(look: Look, answer: str) -> Meaning:
    """Tell what follows from a yes, and from a no."""
    what = look.word("what")
    lord = [note("lord", vp=1, keys=LORD_KEYS)] if (what, answer) == ("protect", "yes") else []
    return means(note(f"consent.{what}.{answer}", **STAKES[what](look)), *lord, rank=answer == "yes")


KIT.turns_on("event_answer", facts=(first(6, stakes, shared.wars, shared.standing), hand_of_other), means=agreed)


HUNGRY = ("mercenaries-demand-pay", "state-bankruptcy")
"""Cards that take mercenaries from the map."""


def target(look: Look, answer: str) -> Meaning:
    """Tell of a power what the card takes from it; enemies of the reader first."""
    table, card = look.table, look.word("card")
    if answer not in POWERS:
        return means(rank=-1)
    notes = [*shared.rival(look, answer)]
    if card in HUNGRY:
        notes.append(note("mercenaries_on_map", count=mercenaries(look, answer)))
    if card == "la-rochelle-privateers":
        notes.append(note("raid_dice", **raid_dice(look, PROTESTANT, answer, naval.BISCAY)))
    if card == "father-william":
        men = sum(gifts.soldiers(table.state, answer).values())
        notes.append(note("may_give", count=min(home.GIFT, men, gifts.billets(table, PROTESTANT))))
    return means(*notes, rank=shared.hostile(look, answer))


REVOLTS = {"rising-of-the-north": (SPAIN, 5), "ministers-of-geneva": (PROTESTANT, 2), "father-william": (PROTESTANT, 3)}
"""Card → whose revolt it brings in a space that is not theirs, and its dice."""


JESUIT_CARDS = ("gods-secret-agents", "english-college-douai")
"""Cards that place a Jesuit: the faith of the space and of those next to it decides."""


def named_space(look: Look, answer: object) -> Meaning:
    """Tell of a space; of a revolt there, its chance."""
    table, card, at = look.table, look.word("card"), shared.named(answer)
    if at in table.c.zones:
        return means(note("raid_dice", **raid_dice(look, SPAIN, OTTOMAN, at)))
    if at not in table.c.spaces:
        return means(rank=-1)
    if card in JESUIT_CARDS:
        near, religion = faiths_beside(look, at)[PROTESTANT], table.state.religion[at]
        return means(note("faith_here", religion=religion, marks=shared.marks(look, at), near=near), rank=near)
    chance, (side, dice) = None, REVOLTS.get(card, ("", 0))
    if look.kind == "event_space" and side and table.state.control[at] != side:
        chance = revolt_odds(look, at, PROTESTANT if side == PROTESTANT else CATHOLIC, dice)
    return means(*shared.spot(look, at), chance=chance, rank=(chance or 0) + shared.is_key(look, at))


def waters(look: Look, answer: str) -> Meaning:
    """Tell which expeditions are in an ocean zone."""
    state = look.table.state
    here = {key: look.who(entry.power) for key, entry in state.captains.items() if entry.at == answer}
    found = note("zone_captains", captains=here) if here else note("zone_empty")
    return means(found, note("zone_patrols", count=state.patrols.get(answer, 0)), rank=len(here))


WHERE: dict[str, Callable[[Look], Mapping[str, int]]] = {
    **dict.fromkeys(HUNGRY, lambda look: gifts.soldiers(look.table.state, look.word("power"))),
    "irish-rebellion": lambda look: units_at(look, ENGLAND, ("dublin", "kinsale")),
    "john-hawkins": lambda look: naval.galleons(look.table),
    "union-of-arras": lambda look: here if sum((here := france.spaniards(look.table)).values()) >= WALLOONS else {},
    "treaty-of-nonsuch": lambda look: units_at(look, PROTESTANT, france.cautionary_towns(look.table)),
}
"""Card → where the units are that it removes, moves or turns."""


def units_at(look: Look, power: str, spaces: Iterable[str]) -> dict[str, int]:
    """Return how many units of a power are in each of these spaces."""
    return {at: strength(look.table.state, power, at) for at in spaces}


def where_they_are(look: Look) -> Facts:
    """Tell where the units are that a card removes, moves or turns; or where enemies threaten."""
    spaces = WHERE[look.word("card")](look) if look.word("card") in WHERE else {}
    yield from shared.by_space("units_by_space", spaces) if spaces else shared.front(look, look.word("power"))


def shares(look: Look) -> Iterator[str]:
    """Yield all units in one space, then half of them in another: where most are to go, or most enemies threaten."""
    power, card, most = look.word("power"), look.word("card"), look.number("most")
    worth = WHERE[card](look) if card in WHERE else {}
    worth = worth or shared.menace(look, power, shared.held_by(look, power))
    best, *more = sorted(worth, key=lambda at: -worth[at])[:8] or [""]
    yield from (f"{at}={most}" for at in (best, *more))
    yield from (f"{best}={most - most // 2} {at}={most // 2}" for at in more[:1] if most > 1)


def stands_at(look: Look, answer: Mapping[str, int] | str) -> Meaning | None:
    """Tell what a single space is like in which units come or go."""
    at = "" if isinstance(answer, str) or len(answer) != 1 else next(iter(answer))
    return means(*shared.haven(look, look.word("power"), at)) if at in look.table.c.spaces else None


def revolted(look: Look) -> Facts:
    """Tell which home spaces others hold, by power; keys first."""
    for power, spaces in oppressed(look.table).items():
        held = {at: look.who(look.table.state.control[at]) for at in spaces[:6]}
        yield note("oppressed", spaces, main=len(held) > 0, power=look.who(power), spaces=held)


def uprisings(look: Look) -> Iterator[str]:
    """Yield the spaces of each oppressed power, keys first."""
    for power, spaces in oppressed(look.table).items():
        yield f"{power} spaces={','.join(shared.keys_first(look, spaces)[:3])}"


def uprisen(look: Look, answer: Mapping[str, list[str]] | str) -> Meaning | None:
    """Tell whose spaces get unrest, and how many keys."""
    spaces = [] if isinstance(answer, str) else answer.get("spaces", [])
    holders = dict.fromkeys(look.who(look.table.state.control[at]) for at in spaces)
    keys = len(shared.keys_of(look, spaces))
    return means(note("unrest_hits", powers=list(holders), count=keys), rank=keys) if spaces else None


def mutinies(look: Look, answer: Mapping[str, str]) -> Meaning:
    """Tell how many regulars a mutiny removes, and what is next to it."""
    here, war = _regulars(look, answer["target"], answer["space"]), shared.hostile(look, answer["target"])
    lost = note("mutiny", lost=here - here // 2, count=here)
    return means(lost, *[note("rival_war")] * war, rank=here * (1 + war))


def _regulars(look: Look, power: str, at: str) -> int:
    return sum(land.regulars(look.table, power, at).values())


def biggest(look: Look) -> Iterator[str]:
    """Yield the largest stacks of regulars, enemies' first."""
    others = {power: spaces for power, spaces in land.mutinous(look.table).items() if power != reader(look)}
    stacks = [(power, at) for power, spaces in others.items() for at in spaces]
    found = [(shared.hostile(look, power), _regulars(look, power, at), power, at) for power, at in stacks]
    yield from (f"{power} {at}" for _, _, power, at in sorted(found, reverse=True)[:5])


def by_area(look: Look, answer: str) -> Meaning:
    """Tell how many spaces of an area can turn, and which keys."""
    notes, rank = reach_of(look, answer, CATHOLIC if look.word("card") in CATHOLIC_CARDS else PROTESTANT)
    rebels = look.word("card") == "ministers-of-geneva" and answer in rebellion.AREAS
    more = [note("may_rebel", count=len(rebellion.targets(look.table, answer)))] if rebels else []
    return means(*notes, *more, rank=rank)


KIT.turns_on("event_power", facts=(shared.card_does, shared.BESIDE), means=target)
KIT.turns_on("event_space", "event_spaces", "event_place", facts=(shared.card_does, shared.BESIDE), means=named_space)
KIT.turns_on("event_zone", facts=(shared.card_does, shared.WARS), means=waters)
KIT.turns_on("event_units", facts=(shared.card_does, where_they_are, shared.WARS), means=stands_at, likely=shares)
KIT.turns_on(
    "event_uprising", facts=(shared.card_does, shared.wars, first(0, revolted)), means=uprisen, likely=uprisings
)
KIT.turns_on("event_mutiny", facts=(shared.card_does, shared.BESIDE), means=mutinies, likely=biggest)
tries = says(
    "tries",
    lambda look: {
        "count": conversions.DICE[look.word("card")],
        "religion": CATHOLIC if look.word("card") in CATHOLIC_CARDS else PROTESTANT,
    },
)
KIT.turns_on("event_area", facts=(tries, faith_vp, shared.STANDING), means=by_area)
