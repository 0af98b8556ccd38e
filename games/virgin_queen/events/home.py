"""Home cards: 1, 2, 3, 33, 34, 37, 79 (6.1; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import cards, formations, impulse
from games.virgin_queen.diplomacy import execute, gifts, relations
from games.virgin_queen.events import common
from games.virgin_queen.events.common import ask, choose, event
from games.virgin_queen.events.courts import fetch, royal_wedding
from games.virgin_queen.events.faith import french_match
from games.virgin_queen.gate import arrive, may_stand
from games.virgin_queen.query import at_war, enemies_in, other_players, quiet
from games.virgin_queen.religion import rebellion
from games.virgin_queen.special import suez
from games.virgin_queen.state import ENGLAND, FRANCE, GONE, HRE, OTTOMAN, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Distribution, Domain, Form, Menu, Optional, Subset
from pbem.kernel.game import Play, Rule

KIT.question("event_aid", "6.1")
KIT.question("event_march", "6.1")
KIT.question("event_muster", "6.1")
KIT.question("event_quarrel", "6.1")

MILAN, NETHERLANDS, MERCENARIES = "milan", "netherlands", 4
WILLIAM = "william"
GIFT, REBELLION_CP = 4, 3


@event("grand-vizier", lambda t, p: t.state.suez != suez.DONE)
def grand_vizier(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #1: an attempt to finish the Suez canal (23.1); once finished, only CP and the veto are left."""
    suez.dig(table)


def payers(table: Table) -> list[str]:
    """#2 Return Spain and the Empire, unless at war or allied with the Ottomans or never able to be at war."""
    return [power for power in (SPAIN, HRE) if common.played(table, power) and relations.allowed(table, OTTOMAN, power)]


@event("ottoman-tribute", lambda t, p: bool(payers(t)))
def ottoman_tribute(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #2: a random card or treasure as tribute, which ends the event (FAQ 28), or free war and 2 CP."""
    card = "ottoman-tribute"
    victim = yield from choose(table, power, card, "power", payers(table))
    table.log("event.aims", rule="6.1", power=power, card=card, aims=[victim])
    if common.holds_something(table, victim) and (
        yield from common.ask_consent(table, victim, card, "tribute", other=power)
    ):
        table.log("event.tribute", rule="6.1", power=victim, other=power)
        if (yield from common.ask_consent(table, power, card, "accept", other=victim)):
            common.take_random(table, power, victim)
            return
    yield from relations.declare(table, power, victim)
    yield from impulse.spend(table, power, 2, "event")


def open_road(table: Table, power: str) -> bool:
    """#3 Return whether Milan is Spanish, without siege and unrest (FAQ 28)."""
    return quiet(table.state, SPAIN, MILAN)


def summoned(table: Table) -> list[str]:
    """#3 Return Spanish army leaders on the map outside Milan, not besieged when the impulse began (FAQ 28)."""
    state = table.state
    inside = state.now.garrisons
    away = [at for at in table.c.spaces if at != MILAN and SPAIN not in inside.get(at, ())]
    free = {at for at in away if at not in state.sieges or SPAIN in state.sieges[at].by}
    own = {key: leader for key, leader in state.leaders.items() if leader.power == SPAIN and not leader.naval}
    return [
        key for key, leader in own.items() if leader.at in free and not leader.captor and may_stand(table, key, MILAN)
    ]


def ends(table: Table) -> list[str]:
    """#3 Return spaces of the Netherlands under Spain, without siege, unrest and enemies."""
    own = [at for at in table.c.areas[NETHERLANDS] if quiet(table.state, SPAIN, at)]
    return [at for at in own if not enemies_in(table.state, SPAIN, at)]


@event("spanish-road", open_road)
def spanish_road(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #3: a leader and up to four mercenaries come to Milan, then a formation goes to the Netherlands."""
    state, card = table.state, "spanish-road"
    most = min(MERCENARIES, formations.pool_left(table, SPAIN))
    fields: dict[str, Domain] = {}
    if found := summoned(table):
        fields["leader"] = Optional(Choice(found, "leader"))
    if most:
        fields["mercenaries"] = Optional(Amount(1, most, what="mercenaries"))
    said = (yield from ask(table, power, card, "muster", Form(fields), {})) if fields else {}
    if "leader" in said:
        arrive(table, said["leader"], MILAN)
    if "mercenaries" in said:
        formations.levy(table, MILAN, SPAIN, "mercenaries", said["mercenaries"], SPAIN)
    here, chiefs = formations.available(state, SPAIN, MILAN)
    if not ends(table) or not here:
        return
    go = yield from ask(table, power, card, "march", _march(table, here, chiefs), "pass")
    if go != "pass":
        units, leaders = go.get("units", here), go.get("leaders", formations.may_lead(table, chiefs, go["to"]))
        formations.shift(table, SPAIN, MILAN, go["to"], units, leaders)
        formations.lone_leaders(table, SPAIN, go["to"])
        table.log("event.road", rule="6.1", power=SPAIN, space=go["to"], units=dict(units), leaders=list(leaders))


def _march(table: Table, here: Mapping[str, int], chiefs: list[str]) -> Menu:
    """Return `march <space> leaders=… units=…`, or pass."""

    def units(values: Any) -> Domain:
        going = formations.may_lead(table, chiefs, values.to) if values.leaders is None else values.leaders
        return formations.units_domain(table, here, going, alone=False, way=(SPAIN, MILAN, values.to))

    form = Form(
        to=Choice(ends(table), "space"),
        leaders=lambda v: formations.leaders_domain(formations.may_lead(table, chiefs, v.to)),
        units=units,
    )
    return Menu({"pass": None, "march": form})


@event("gouvernante-de-france")
def gouvernante(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[str | None]:
    """Resolve #33: peace of religion until the end of the turn, with Grand Tour; or a royal wedding (21.1)."""
    state, card = table.state, "gouvernante-de-france"
    words = ["peace", *(["wedding"] if french_match(table) else [])]
    if (yield from common.option(table, power, card, words)) == "wedding":
        yield from royal_wedding(table, power, card)
        return None
    if at_war(state, FRANCE, PROTESTANT):
        yield from common.end_war(table, FRANCE, PROTESTANT)
    state.powers[FRANCE].used[relations.TRUCE] = 1
    table.log("event.truce", rule="6.1", a=FRANCE, b=PROTESTANT)
    if "grand-tour" not in state.discards or "grand-tour" in state.powers[FRANCE].events:
        return None
    fetch(table, FRANCE, "grand-tour")
    if not impulse.event_possible(table, FRANCE, "grand-tour"):
        return None
    if (yield from common.ask_consent(table, FRANCE, card, "tour", other="grand-tour")):
        cards.discard(table, card, event=True)
        yield from impulse.play_event(table, FRANCE, "grand-tour")
        return cards.KEPT
    return None


def quarrels(table: Table) -> dict[str, list[str]]:
    """#34 Return power → powers later in impulse order with which it is at war. The Empire is at war with neither."""
    state = table.state
    able = [power for power in common.others(HRE) if common.played(table, power) and not at_war(state, HRE, power)]
    found = {}
    for i, declarer in enumerate(able):
        if foes := [two for two in able[i + 1 :] if relations.may_make_peace(table, declarer, two)]:
            found[declarer] = foes
    return found


@event("holy-roman-intercession", lambda t, p: bool(quarrels(t)))
def intercession(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #34: offer two powers peace, a card if both accept; who refuses may get war, and unrest on two spaces."""
    card, found = "holy-roman-intercession", quarrels(table)
    said = yield from common.nested(table, power, card, "quarrel", found, first="power", second="power")
    pair = [said["first"], said["second"]]
    table.log("event.aims", rule="6.1", power=power, card=card, aims=pair)
    for who, other in (pair, pair[::-1]):
        if not (yield from common.ask_consent(table, who, card, "peace", other=other)):
            table.log("event.refuses", rule="6.1", power=who, other=power)
            yield from _offended(table, power, who)
            return
    yield from common.end_war(table, *pair)
    cards.draw(table, power, 1, "6.1")


def _offended(table: Table, power: str, foe: str) -> Play:
    card = "holy-roman-intercession"
    if relations.allowed(table, power, foe) and (yield from common.ask_consent(table, power, card, "war", other=foe)):
        yield from relations.declare(table, power, foe)
    found = [at for at in table.c.homes[foe] if at not in table.state.unrest]
    number = min(2, len(found))
    spaces = yield from ask(
        table, power, card, "spaces", Subset(found, number, number, what="spaces"), found[:number], most=number
    )
    common.unrest(table, spaces)


def regained(table: Table) -> list[str]:
    """#37 Return the discards that England may take: no mandatory event, none that it played this turn (6.2)."""
    state = table.state
    own = state.powers[ENGLAND].events
    return [card for card in state.discards if table.c.cards[card].type != "mandatory" and card not in own]


@event("the-virgin-queen", lambda t, p: not t.state.powers[ENGLAND].ruler_dead and bool(regained(t)))
def virgin_queen(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #37: take a card of the discards instead of this one (23.3)."""
    card = yield from choose(table, power, "the-virgin-queen", "card", regained(table))
    fetch(table, power, card, waits=True)


def camps(table: Table) -> list[str]:
    """#79 Return Dutch home spaces under the Protestants, not besieged and without unrest."""
    mine = set(common.welcome(table, PROTESTANT))
    return [at for at in table.c.homes["dutch"] if table.state.control[at] == PROTESTANT and at in mine]


def donors(table: Table) -> list[str]:
    """#79 Return powers not at war with the Protestants."""
    state = table.state
    return [power for power in other_players(state, PROTESTANT) if not at_war(state, PROTESTANT, power)]


@event("father-william")
def father_william(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #79: William and his units in a Dutch town, a rebellion, or a request for mercenaries."""
    card, leader = "father-william", table.state.leaders[WILLIAM]
    words = ["rebellion"] if rebellion.targets(table, rebellion.NETHERLANDS) else []
    alive = leader.at != GONE and not leader.captor
    if alive and camps(table):
        words.insert(0, "william")
    if donors(table):
        words.append("aid")
    use = yield from common.option(table, power, card, words)
    if use == "rebellion":
        space = yield from choose(table, power, card, "space", rebellion.targets(table, rebellion.NETHERLANDS))
        yield from rebellion.rebellion(table, space, REBELLION_CP, "6.1")
    elif use == "william":
        space = yield from choose(table, power, card, "space", camps(table))
        arrive(table, WILLIAM, space)
        for kind in ("regulars", "mercenaries"):
            formations.levy(table, space, "dutch", kind, 2, power)
    else:
        yield from _aid(table, power)


def _aid(table: Table, power: str) -> Play:
    """#79 Let the power give up to four mercenaries, as in a negotiation (9.1); else draw a card."""
    card = "father-william"
    donor = yield from choose(table, power, card, "power", donors(table))
    table.log("event.aims", rule="6.1", power=power, card=card, aims=[donor])
    here = gifts.soldiers(table.state, donor)
    most = min(GIFT, sum(here.values()), gifts.billets(table, power))
    said: Any = "none"
    if most and donor != OTTOMAN:
        domain = Menu({"none": None, "give": Distribution(here, (1, most), what="mercenaries")})
        said = yield from ask(table, donor, card, "aid", domain, "none")
    if said == "none":
        cards.draw(table, power, 1, "6.1")
    else:
        yield from execute.hand_over(table, donor, power, said["with"])
        formations.settle(table, donor, *gifts.places(said["with"]))
