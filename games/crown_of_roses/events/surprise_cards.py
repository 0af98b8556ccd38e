"""The surprise cards (63 to 78, B3, L3, W3, Y4), each at its moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from games.crown_of_roses.blocks import leave, put, rehost, settle, support, transfer
from games.crown_of_roses.entering import way_out
from games.crown_of_roses.events.allies import PEACE
from games.crown_of_roses.events.common import commander, raise_command
from games.crown_of_roses.events.mercenaries import FOREIGN, send_home
from games.crown_of_roses.heirs import arrive
from games.crown_of_roses.land import go_into_exile, open_to
from games.crown_of_roses.query import at, attached, estates, full, held, is_heir, party
from games.crown_of_roses.state import INACTIVE, UNDECLARED, State
from games.crown_of_roses.surprises import (
    AFTERMATH,
    ENGAGEMENT,
    IMPULSE,
    INTERCEPTED,
    MARCH,
    ROUND,
    SAIL,
    STEP,
    SURPRISES,
    Can,
    Fight,
    Moment,
    Surprise,
    anybody,
    fighting,
)
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Choice, Domain, Form
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask

Filled = Callable[[Table, Moment, str], Domain | None]
Run = Callable[[Table, Moment, str, Any], Play]

WAR = (*PEACE, ENGAGEMENT, ROUND)
"""Any time of the operations phase."""


def surprise(
    *cards: str,
    moments: Sequence[str],
    can: Can = anybody,
    usable: Can = anybody,
    domain: Filled | None = None,
) -> Callable[[Run], Run]:
    """Register what surprise cards do at their moments."""

    def register(run: Run) -> Run:
        for moment in moments:
            for card in cards:
                SURPRISES[moment][card] = Surprise(run, can, usable, domain)
        return run

    return register


def _fight(moment: Moment) -> Fight:
    assert moment.fight is not None  # the moments of a battle have one
    return moment.fight


# -- roads and seas ----------------------------------------------------------------------------------------------------


@surprise("bad_roads", moments=(IMPULSE, STEP, MARCH))
def bad_roads(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """63 Every border by land costs 1 MP more for the rest of the phase: the card lies on the table (R-06)."""
    yield from ()


@surprise("stormy_seas", moments=(IMPULSE, STEP, SAIL))
def stormy_seas(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """68 No sea moves for the rest of the phase; one that is ordered is called off and its OPS kept."""
    if moment.name == SAIL:
        moment.add("cancel", moment.about["house"])
    yield from ()


@surprise("evade", moments=(INTERCEPTED,), can=lambda table, moment, house: moment.about["house"] == house)
def evade(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """74 The intercepted stack goes back to the shire it came from and stops; it cannot be intercepted on the way."""
    moment.add("return", house)
    yield from ()


# -- before battle -----------------------------------------------------------------------------------------------------


def _attacker_can_go(table: Table, moment: Moment, house: str) -> bool:
    return bool(_fight(moment).paths.get(_fight(moment).attacker))


@surprise("bad_weather_64", "bad_weather_65", moments=(ENGAGEMENT,), can=_attacker_can_go)
def bad_weather(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """64, 65 The engagement does not take place: the attacker retreats if he has a path (R-51)."""
    moment.add("retreat", _fight(moment).attacker)
    yield from ()


def _can_go(table: Table, moment: Moment, house: str) -> bool:
    return fighting(table, moment, house) and bool(_fight(moment).paths.get(house))


@surprise("retreat_before_battle", moments=(ENGAGEMENT,), can=_can_go)
def retreat_before_battle(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """69 Before blocks are shown the own force retreats, if it has a path."""
    moment.add("retreat", house)
    yield from ()


@surprise("cooler_heads", moments=(ENGAGEMENT, ROUND), can=_attacker_can_go)
def cooler_heads(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """B3 Before any round: the engagement is over, the attacker retreats if he has a path."""
    moment.add("retreat", _fight(moment).attacker)
    yield from ()


# -- in battle ---------------------------------------------------------------------------------------------------------


def _banner(table: Table, moment: Moment, house: str) -> Domain | None:
    able = [key for key in at(table.state, UNDECLARED, house) if table.c.blocks[key].noble]
    return Form(noble=Choice(able, "noble")) if able else None


@surprise("to_the_standard", moments=(ROUND,), can=fighting, domain=_banner)
def to_the_standard(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """67 An undeclared noble joins the own reserve at full strength."""
    key, place = answer["noble"], _fight(moment).place
    table.state.blocks[key].steps = full(table.c, key)
    put(table, key, place)
    table.say("block.enters", rule="10.4.4", house=house, block=key, place=place, learns=True)
    moment.add("reserve", house, blocks=[key])
    yield from ()


def _inspires(card: str) -> Can:
    def usable(table: Table, moment: Moment, house: str) -> bool:
        force = _fight(moment).force.get(house, ())
        return any(key in force for key in table.c.cards[card].params["leader_any"])

    return usable


def _leads(card: str) -> Can:
    """By public knowledge: the house fights and controls one of them."""

    def can(table: Table, moment: Moment, house: str) -> bool:
        blocks = table.state.blocks
        named = table.c.cards[card].params["leader_any"]
        return fighting(table, moment, house) and any(blocks[key].owner == house for key in named)

    return can


def inspire(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """W3, Y4 With Warwick, or March or Gloucester, in the force it rolls one better for this battle."""
    moment.add("inspire", house, count=1)
    yield from ()


for _card in ("a_warwick", "sun_of_york"):
    surprise(_card, moments=(ROUND,), can=_leads(_card), usable=_inspires(_card))(inspire)


def _prey(table: Table, fight: Fight, house: str) -> list[str]:
    """76, R-46 Enemy nobles who can be turned: no heirs; Clarence like any other until he is senior (10.3.5)."""
    state: State = table.state
    found = []
    for key in fight.present(fight.enemy(house)):
        junior = key == "lord_clarence" and is_heir(state, key) and state.houses["york"].heirs[0] != key
        if table.c.blocks[key].noble and (junior or not is_heir(state, key)):
            found.append(key)
    return found


@surprise("treachery", moments=(ROUND,), can=fighting)
def treachery(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """76 A die beyond the title of a random enemy noble wins him and his offices, into the own reserve."""
    state, fight = table.state, _fight(moment)
    enemy = fight.enemy(house)
    prey = _prey(table, fight, house)
    if not prey:
        table.say("treachery.nobody", rule="10.4.4", house=enemy, learns=True)
        return
    index = 1
    if len(prey) > 1:
        index = table.roll(1, "event.pick", sides=len(prey), rule="10.4.4", place=fight.place).total
    key = prey[index - 1]
    colour = table.c.blocks[key].house
    modifier = (
        any(is_heir(state, one) for one in fight.present(house))
        + (colour == house)
        - any(is_heir(state, one) for one in fight.present(enemy))
        - (colour == enemy)
    )
    result = table.roll(1, "treachery.roll", rule="10.4.4", house=house, block=key).total + modifier
    if result <= table.c.blocks[key].title:
        table.say("treachery.fails", rule="10.4.4", house=house, block=key, result=result, learns=True)
        return
    blocks = _turn_coat(table, house, key)
    won = [f"{one} {state.blocks[one].steps}" for one in blocks]
    table.say(
        "treachery.succeeds", rule="10.4.4", house=house, block=key, before=enemy, result=result,
        private={house: {"blocks": won}},
    )  # fmt: skip
    moment.add("gone", enemy, blocks=blocks)
    moment.add("reserve", house, blocks=blocks)
    yield from ()


def _turn_coat(table: Table, house: str, key: str) -> list[str]:
    """A noble changes sides where he stands, with office blocks and offices; others attached seek a new host."""
    state, c = table.state, table.c
    block = state.blocks[key]
    before, place = block.owner, block.at
    for office in held(state, key):
        support(table, before, -c.offices[office].support, "10.5")
        support(table, house, c.offices[office].support, "10.5")
    block.owner = house
    turned = [key]
    for guest in attached(state, key):
        if c.blocks[guest].kind == "office":
            state.blocks[guest].owner = house
            turned.append(guest)
        else:
            rehost(table, guest, place)
    settle(table, place)
    return turned


def _marks(table: Table, moment: Moment, house: str) -> Domain | None:
    fight = _fight(moment)
    stack = fight.present(fight.enemy(house))
    seen = [key for key in stack if table.state.blocks[key].shown or key in fight.seen]
    return Form(block=Choice([*seen, *(["hidden"] if len(seen) < len(stack) else [])], "block"))


@surprise("wavering_noble_77", "wavering_noble_78", moments=(ROUND,), can=fighting, domain=_marks)
def wavering_noble(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """77, 78 An enemy block: mercenaries are gone; beyond his title a noble must retreat; heirs and royals stand."""
    state, fight = table.state, _fight(moment)
    enemy = fight.enemy(house)
    key = answer["block"]
    if key == "hidden":
        stack = [one for one in fight.present(enemy) if not state.blocks[one].shown and one not in fight.seen]
        index = 1
        if len(stack) > 1:
            index = table.roll(1, "event.pick", sides=len(stack), rule="10.4.4", place=fight.place).total
        key = stack[index - 1]
    card = table.c.blocks[key]
    if card.kind == "mercenary":
        send_home(table, key)
        moment.add("gone", enemy, blocks=[key])
        return
    if is_heir(state, key) or key in ("henry_vi", "margaret"):
        table.say("wavering.stands", rule="10.4.4", house=enemy, private={enemy: {"block": key}})
        return
    roll = table.roll(1, "wavering.roll", rule="10.4.4", house=enemy, place=fight.place).total
    if roll <= card.title:
        table.say("wavering.stands", rule="10.4.4", house=enemy, private={enemy: {"block": key}})
        return
    yield from _slink_away(table, moment, enemy, key)


def _slink_away(table: Table, moment: Moment, house: str, key: str) -> Play:
    """The block retreats with its office blocks; without a path, or as an office block, it leaves the map (R-28)."""
    state, fight = table.state, _fight(moment)
    place = fight.place
    ways = fight.paths.get(house, [])
    table.say("wavering.goes", rule="10.4.4", house=house, block=key, learns=True)
    if table.c.blocks[key].kind == "office":
        leave(table, key, INACTIVE)
        moment.add("gone", house, blocks=[key])
        return
    gone = [one for one in party(state, key) if one == key or table.c.blocks[one].kind == "office"]
    for guest in attached(state, key):
        if guest not in gone:
            state.blocks[guest].host = ""
    others = [one for one in party(state, key) if one not in gone]
    if not ways:
        leave(table, key, UNDECLARED)
    else:
        to = yield from way_out(house, place, ways, "20.5.4")
        transfer(table, [key], place, to)
    for guest in others:
        rehost(table, guest, place)
    moment.add("gone", house, blocks=gone)


# -- after an engagement -----------------------------------------------------------------------------------------------


def _fallen(table: Table, fight: Fight, house: str) -> list[str]:
    return [
        key for key in fight.fallen if table.c.blocks[key].noble and table.state.blocks[key].owner == house
    ]


def _refuges(table: Table, house: str, keys: Sequence[str]) -> list[str]:
    """`estates` if all of them have one, and the exile boxes open to the house."""
    boxes = [key for key in table.c.exiles if open_to(table, house, key)]
    return [*(["estates"] if all(estates(table, key) for key in keys) else []), *boxes]


def _spareable(table: Table, moment: Moment, house: str) -> bool:
    """Who was eliminated is known to all."""
    return bool(_fallen(table, _fight(moment), house))


def _escapers(table: Table, moment: Moment, house: str) -> Domain | None:
    fallen = _fallen(table, _fight(moment), house)
    groups = {key: [key] for key in fallen}
    heirs = [key for key in fallen if is_heir(table.state, key)]
    if len(heirs) > 1:
        groups["heirs"] = heirs
    groups = {word: keys for word, keys in groups.items() if _refuges(table, house, keys)}
    if not groups:
        return None
    return Form(
        who=Choice(list(groups), "noble"),
        to=lambda v: Choice(_refuges(table, house, groups[v.who]), "refuge"),
    )


@surprise("escape", moments=(AFTERMATH,), can=_spareable, domain=_escapers)
def escape(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """71 One own noble, or all own heirs, do not roll: home strength in estates, or all in one exile box."""
    fallen = _fallen(table, _fight(moment), house)
    who = answer["who"]
    keys = [key for key in fallen if is_heir(table.state, key)] if who == "heirs" else [who]
    yield from _get_away(table, moment, house, keys, answer["to"])


def _coloured(table: Table, moment: Moment, house: str) -> list[str]:
    return [
        key
        for key in _fallen(table, _fight(moment), house)
        if table.c.blocks[key].house == table.c.cards["black_jack_and_deepwood"].params["colour"]
    ]


def _hideouts(table: Table, moment: Moment, house: str) -> Domain | None:
    keys = _coloured(table, moment, house)
    refuges = _refuges(table, house, keys) if keys else []
    return Form(to=Choice(refuges, "refuge")) if refuges else None


@surprise(
    "black_jack_and_deepwood",
    moments=(AFTERMATH,),
    can=lambda table, moment, house: bool(_coloured(table, moment, house)),
    domain=_hideouts,
)
def black_jack(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """L3 All nobles and heirs of Lancaster's colour do not roll: as card 71."""
    keys = _coloured(table, moment, house)
    yield from _get_away(table, moment, house, keys, answer["to"])


def _get_away(table: Table, moment: Moment, house: str, keys: list[str], to: str) -> Play:
    """Blocks that do not roll, to their estates or to exile, at home strength, with their office blocks."""
    state: State = table.state
    for key in keys:
        put(table, key, UNDECLARED)
        for one in party(state, key):
            state.blocks[one].steps = 1
    for key in keys:
        table.say("block.escapes", rule="20.6.1", house=house, block=key, place=to, learns=True)
        if to != "estates":
            continue
        places = estates(table, key)
        place = places[0]
        if len(places) > 1:
            place = yield Ask(
                house,
                "estate",
                Choice(places, "shire"),
                rule="20.6.1",
                default=places[0],
                about={"block": key},
            )
        arrive(table, house, key, place, "20.6.1")
    if to != "estates":
        for key in keys:
            put(table, key, to)
        stack = [one for key in keys for one in party(state, key)]
        go_into_exile(table, house, keys[0], stack, to)
    moment.add("spared", house, blocks=list(keys))


# -- plots -------------------------------------------------------------------------------------------------------------


def _allies(table: Table, *, but: str = "") -> list[str]:
    return [
        card
        for key, own in table.state.houses.items()
        if key != but
        for card in own.cards
        if table.c.cards[card].type == "ally"
    ]


@surprise(
    "false_friends",
    moments=WAR,
    can=lambda table, moment, house: bool(_allies(table)),
    domain=lambda table, moment, house: Form(ally=Choice(_allies(table), "ally")),
)
def false_friends(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """66 One ally in play is discarded; nothing of his is used."""
    state, card = table.state, answer["ally"]
    owner = next(key for key, own in state.houses.items() if card in own.cards)
    state.houses[owner].cards.remove(card)
    state.discards.append(card)
    table.say("ally.lost", rule="14.2.2", house=owner, cards=[card])
    yield from ()


@surprise(
    "secret_plots",
    moments=WAR,
    can=lambda table, moment, house: bool(_allies(table, but=house)),
    domain=lambda table, moment, house: Form(ally=Choice(_allies(table, but=house), "ally")),
)
def secret_plots(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """73 One ally in play changes hands; who had him cannot use him in reply."""
    state, card = table.state, answer["ally"]
    owner = next(key for key, own in state.houses.items() if card in own.cards)
    state.houses[owner].cards.remove(card)
    state.houses[house].cards.append(card)
    table.say("ally.taken", rule="14.2.2", house=house, before=owner, card=card)
    yield from ()


@surprise("england_for_the_english", moments=WAR)
def england_for_the_english(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """70 Burgundians, Scots and French leave play and do not return this turn: the card lies on the table."""
    for key in FOREIGN:
        owner = table.state.blocks[key].owner
        send_home(table, key)
        if owner:
            moment.add("gone", owner, blocks=[key])
    yield from ()


@surprise("leadership", moments=WAR, domain=lambda table, moment, house: commander(table, house))
def leadership(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """72 One own leader commands one block more until the impulse, or a battle in his shire, is over."""
    raise_command(table, house, answer["noble"])
    yield from ()


@surprise(
    "careful_planning",
    moments=(IMPULSE, STEP),
    can=lambda table, moment, house: bool(table.state.discards),
    domain=lambda table, moment, house: Form(card=Choice(sorted(table.state.discards), "card")),
)
def careful_planning(table: Table, moment: Moment, house: str, answer: Any) -> Play:
    """75 Any card of the discards into the hand, besides the card drawn in its place."""
    state, card = table.state, answer["card"]
    state.discards.remove(card)
    state.houses[house].hand.append(card)
    table.say("planning.takes", rule="10.4.4", house=house, card=card)
    yield from ()
