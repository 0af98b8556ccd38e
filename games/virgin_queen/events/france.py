"""Events of the wars in France and the Netherlands: 96, 103, 108, 109, 111, 112 (6.1; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import query
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.displacement import havens
from games.virgin_queen.events import common
from games.virgin_queen.events.common import choose, event
from games.virgin_queen.events.land import raise_units
from games.virgin_queen.formations import ARRAS, add, muster, pool_left, settle
from games.virgin_queen.gate import GUISE, arrive
from games.virgin_queen.land.losses import check_siege
from games.virgin_queen.religion.conversion import turn_over
from games.virgin_queen.state import CATHOLIC, ENGLAND, FRANCE, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Menu
from pbem.kernel.game import Play

KIT.question("event_send", "6.1")

NETHERLANDS, PARIS = "netherlands", "paris"
LORD = "lord"
"""In a power's `stock`: the Lord of the Netherlands marker (25.2)."""
SOUTH = ("lille", "arras", "mons", "namur", "ghent", "luxembourg", "maastricht")
WALLOONS = 4


def tercios(table: Table) -> dict[str, int]:
    """#96 Return Spanish mercenaries in the Netherlands, by space."""
    here = {at: query.land(table.state, at).get(SPAIN) for at in table.c.areas[NETHERLANDS]}
    return {at: troops.mercenaries for at, troops in here.items() if troops is not None and troops.mercenaries}


def rebel_towns(table: Table) -> list[str]:
    """#96 Return unoccupied Protestant spaces of the Netherlands that the Protestants don't control."""
    state = table.state
    faithful = [at for at in table.c.areas[NETHERLANDS] if state.religion[at] == PROTESTANT]
    return [at for at in faithful if state.control[at] != PROTESTANT and not query.occupied(state, at)]


@event("pacification-of-ghent", lambda t, p: bool(tercios(t) or rebel_towns(t)))
def pacification_of_ghent(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #96: Spain removes its mercenaries from the Netherlands or gives up two Protestant towns."""
    card, men, towns = "pacification-of-ghent", tercios(table), rebel_towns(table)
    words = [word for word, found in (("remove", men), ("towns", towns)) if found]
    if (yield from common.option(table, SPAIN, card, words)) == "remove":
        for space, number in men.items():
            add(table, space, SPAIN, "mercenaries", -number)
        table.log("event.dismissed", rule="6.1", power=SPAIN, kind="mercenaries", spaces=men)
        for space in men:
            yield from check_siege(table, space)
        return
    yield from common.seize(table, PROTESTANT, *(yield from common.several(table, PROTESTANT, card, towns, 2)))


def refuges(table: Table) -> list[str]:
    """#103 Return spaces of the Netherlands under the Protestants, not besieged. Unrest does not matter (FAQ 28)."""
    return _safe(table, PROTESTANT)


def _safe(table: Table, power: str) -> list[str]:
    state = table.state
    own = [at for at in table.c.areas[NETHERLANDS] if state.control[at] == power and at not in state.sieges]
    return [at for at in own if not query.enemies_in(state, power, at)]


def protectors(table: Table) -> list[str]:
    """#103 Return the powers that may be asked: not Spain, nor one that can never be at war with it (9.4, 27)."""
    state = table.state
    able = [power for power in query.other_players(state, SPAIN) if power != PROTESTANT]
    return [power for power in able if query.at_war(state, power, SPAIN) or relations.cost(table, power, SPAIN) >= 0]


@event("act-of-abjuration", lambda t, p: bool(protectors(t)))
def act_of_abjuration(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #103: the first who accepts is allied against Spain, Lord of the Netherlands (25.2), may send units."""
    card, state = "act-of-abjuration", table.state
    for protector in protectors(table):
        if not (yield from common.ask_consent(table, protector, card, "protect", other=PROTESTANT)):
            continue
        query.set_peace(table, protector, PROTESTANT)
        query.set_allied(table, protector, PROTESTANT)
        for space in list(state.sieges):
            yield from check_siege(table, space)
        table.log("deal.alliance", rule="6.1", a=protector, b=PROTESTANT)
        state.powers[protector].stock[LORD] = 1
        table.log("event.lord", rule="25.2", power=protector)
        if not query.at_war(state, protector, SPAIN):
            yield from relations.declare(table, protector, SPAIN)
        yield from _send(table, protector)
        return
    table.log("event.no_effect", rule="6.1", card=card)


MEN = {"regulars": 2, "mercenaries": 4}
"""#103 How many men of a kind the protector may place."""


def kinds_of_men(table: Table, power: str) -> list[str]:
    """#103 Return the kinds of men that a protector may place."""
    return ["regulars", *(["mercenaries"] if table.c.land_pools[power].back == "mercenary" else [])]


def _send(table: Table, power: str) -> Play:
    """#103 Place two regulars or four mercenaries of the protector in one of the spaces."""
    spaces = refuges(table)
    left = pool_left(table, power)
    if not spaces or not left:
        return
    entries: dict[str, Domain | None] = {"pass": None}
    entries |= {kind: Choice(spaces, "space") for kind in kinds_of_men(table, power)}
    said = yield from common.ask(table, power, "act-of-abjuration", "send", Menu(entries), "pass")
    if said != "pass":
        yield from raise_units(table, power, power, said["do"], {said["with"]: min(MEN[said["do"]], left)})


def cautionary_towns(table: Table) -> list[str]:
    """#108 Return Flushing and Brielle, where the Protestants control them and no others are there."""
    return [at for at in refuges(table) if at in ("flushing", "brielle")]


def _nonsuch(table: Table, power: str) -> bool:
    state = table.state
    friends = query.allied(state, ENGLAND, PROTESTANT)
    return not query.at_war(state, ENGLAND, PROTESTANT) and (
        relations.may_ally(table, ENGLAND, PROTESTANT) or (friends and bool(cautionary_towns(table)))
    )


@event("treaty-of-nonsuch", _nonsuch)
def treaty_of_nonsuch(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #108: England and the Protestants ally; war with Spain. Up to three English regulars go to two towns."""
    state, card = table.state, "treaty-of-nonsuch"
    if not query.allied(state, ENGLAND, PROTESTANT):
        query.set_allied(table, ENGLAND, PROTESTANT)
        table.log("deal.alliance", rule="6.1", a=ENGLAND, b=PROTESTANT)
    towns, left = cautionary_towns(table), min(3, pool_left(table, ENGLAND))
    if towns and left:
        chosen = yield from common.spread(table, ENGLAND, card, dict.fromkeys(towns, left), (0, left))
        yield from raise_units(table, ENGLAND, ENGLAND, "regulars", chosen)
    if not query.at_war(state, ENGLAND, SPAIN) and query.seat_of(state, ENGLAND) != query.seat_of(state, SPAIN):
        yield from relations.declare(table, ENGLAND, SPAIN)


def reconciled(table: Table) -> list[str]:
    """#109 Return southern spaces that are not both Spanish and Catholic yet, without units of Spain's enemies."""
    state = table.state
    open_ = [at for at in SOUTH if state.control[at] != SPAIN or state.religion[at] != CATHOLIC]
    return [at for at in open_ if not query.enemies_in(state, SPAIN, at)]


def spaniards(table: Table) -> dict[str, int]:
    """#109 Return Spanish regulars in the Netherlands, without Walloons and Knights."""
    here = {at: query.land(table.state, at).get(SPAIN) for at in table.c.areas[NETHERLANDS]}
    return {at: troops.regulars for at, troops in here.items() if troops is not None and troops.regulars}


@event("union-of-arras")
def union_of_arras(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #109: four southern spaces become Spanish and Catholic, with Walloons; foreign mercenaries desert."""
    card, state = "union-of-arras", table.state
    spaces = yield from common.several(table, SPAIN, card, reconciled(table), 4)
    yield from common.seize(table, SPAIN, *(space for space in spaces if state.control[space] != SPAIN))
    for space in spaces:
        turn_over(table, space, CATHOLIC)
    yield from _walloons(table)
    state.powers[SPAIN].used[ARRAS] = 1
    table.log("event.arras", rule="6.1", power=SPAIN)


def _walloons(table: Table) -> Play:
    """#109 Exchange four regulars for Walloons; fewer are displaced, and four Walloons still placed (FAQ 28)."""
    card = "union-of-arras"
    number = min(WALLOONS, pool_left(table, "walloon"))
    here = spaniards(table)
    if sum(here.values()) >= WALLOONS:
        chosen = yield from common.spread(table, SPAIN, card, here, number)
        for space, some in chosen.items():
            came = muster(table, space, "walloon", "regulars", some)
            add(table, space, SPAIN, "regulars", -came)
            table.log("event.walloons", rule="6.1", power=SPAIN, space=space, count=came)
        settle(table, SPAIN, *chosen)
        return
    chosen = yield from common.spread(table, SPAIN, card, dict.fromkeys(_safe(table, SPAIN), number), number)
    for space, some in chosen.items():
        came = muster(table, space, "walloon", "regulars", some)
        table.log("event.walloons", rule="6.1", power=SPAIN, space=space, count=came)
    for space, some in here.items():
        yield from _send_home(table, space, some)


def _send_home(table: Table, space: str, number: int) -> Play:
    """12.5 Send Spanish regulars of a space to Spain's nearest fortified space outside the Netherlands."""
    state = table.state
    area = table.c.areas[NETHERLANDS]
    found = [at for at in havens(table, SPAIN, space, [SPAIN]) if at not in area] or [
        at for at, holder in state.capitals.items() if holder == SPAIN and state.control[at] == SPAIN
    ]
    to = yield from choose(table, SPAIN, "union-of-arras", "space", found)
    add(table, space, SPAIN, "regulars", -number)
    if to:
        add(table, to, SPAIN, "regulars", number)
        table.log("displace.moves", rule="12.5", power=SPAIN, space=space, to=to)
    else:
        table.log("displace.lost", rule="12.5", power=SPAIN, space=space, units={"regulars": number})


def _mass(table: Table, power: str) -> bool:
    state = table.state
    navarre = state.leaders["navarre"]
    return navarre.at in table.c.spaces and not navarre.captor and state.control[PARIS] != PROTESTANT


@event("paris-is-worth-a-mass", _mass)
def worth_a_mass(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #111: the Protestants may take Paris and three spaces near; all turn Catholic, a capital (23.6)."""
    card, state = "paris-is-worth-a-mass", table.state
    if query.strength(state, FRANCE, PARIS) or query.enemies_in(state, PROTESTANT, PARIS):
        table.log("event.no_effect", rule="6.1", card=card)
        return
    if not (yield from common.ask_consent(table, PROTESTANT, card, "paris", other=PARIS)):
        return
    near = [at for at in table.c.land[PARIS] if state.control[at] != PROTESTANT]
    near = [at for at in near if not query.enemies_in(state, PROTESTANT, at)]
    spaces = yield from common.several(table, PROTESTANT, card, near, 3)
    for space in (PARIS, *spaces):
        state.sieges.pop(space, None)
    yield from common.seize(table, PROTESTANT, PARIS, *spaces)
    for space in (PARIS, *spaces):
        turn_over(table, space, CATHOLIC)
    for space, holder in list(state.capitals.items()):
        if space == PARIS or (holder == PROTESTANT and table.c.spaces[space].area == FRANCE):
            del state.capitals[space]
    state.capitals[PARIS] = PROTESTANT
    table.log("event.capital", rule="23.6", power=PROTESTANT, space=PARIS)


@event("day-of-the-barricades", lambda t, p: t.state.control[PARIS] != SPAIN)
def barricades(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #112: with more Spanish regulars near (FAQ 28) than French units, Paris is Spanish, else in unrest."""
    state = table.state
    near = [query.land(state, at).get(SPAIN) for at in table.c.land[PARIS]]
    spanish = sum(troops.regulars for troops in near if troops is not None)
    if spanish <= query.strength(state, FRANCE, PARIS):
        common.unrest(table, [PARIS])
        return
    state.sieges.pop(PARIS, None)
    yield from common.seize(table, SPAIN, PARIS)
    guise = state.leaders[GUISE]
    away = guise.at in table.c.spaces and not guise.captor and guise.at != PARIS
    if away and (yield from common.ask_consent(table, SPAIN, "day-of-the-barricades", "guise", other=GUISE)):
        arrive(table, GUISE, PARIS)
