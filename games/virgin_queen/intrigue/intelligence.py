"""Gaining intelligence (19.1)."""

from __future__ import annotations

from typing import Any, TypedDict

from games.virgin_queen import impulse
from games.virgin_queen.intrigue import agents, dice
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import ENGLAND, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Subset
from pbem.kernel.game import Rule

KIT.chapter("19.1", "gaining intelligence", "intrigue/intelligence.py")
_ask_results = KIT.question("intelligence", "19.1")
_ask_jesuit = KIT.question("expose", "19.1")
_ask_take = KIT.question("intelligence_take", "19.1")

CP = 2
LOOK, NEUTRALISE, EXPOSE = "look", "neutralise", "expose"
"""Results of the table: look at the hand, neutralise an informant, remove a Jesuit."""
CHOICES = {"none": 0, "choose_one": 1, "choose_two": 2}
NOTHING = "none"


class IntelligenceTarget(TypedDict):
    """The power against which intelligence is gained."""

    on: str


def _form(table: Table, ground: PowerMap, found: list[str]) -> Form[IntelligenceTarget]:
    return Form(on=Choice(found, "power"))


@KIT.action("gain_intelligence", "19.1", lambda t, g: agents.rivals(t, g.power) or None, _form)
def _gain(table: Table, power: str, order: IntelligenceTarget) -> Rule[None]:
    impulse.pay(table, CP, "gain_intelligence")
    yield from gain(table, power, order["on"])


def gain(table: Table, power: str, target: str) -> Rule[None]:
    """19.1 Roll two dice and additions; the hits give the result. The caller pays."""
    listed = dice.column(table, "gain_intelligence")
    more = yield from dice.announced(table, power, target, "gain_intelligence", "19.1")
    attack = listed["base_attack_dice"] + dice.shared_attack(table, power, target) + more
    defence = listed["base_defence_dice"] + dice.shared_defence(table, target)
    hits = dice.contest(table, power, target, attack, defence, "19.1")
    result = dice.result(listed, hits)
    if result == "look_and_take":
        look(table, power, target)
        yield from _take(table, power, target)
    else:
        yield from _choose(table, power, target, CHOICES[result])


def results(table: Table, power: str, target: str) -> list[str]:
    """19.1 Return the possible results of a success now."""
    state = table.state
    found = []
    if state.powers[target].hand or state.powers[target].treasures:
        found.append(LOOK)
    spy = agents.informant(table, target, power)
    if spy is not None and not spy.neutral:
        found.append(NEUTRALISE)
    if power == ENGLAND and target == SPAIN and state.jesuits:
        found.append(EXPOSE)
    return found


def _choose(table: Table, power: str, target: str, number: int) -> Rule[None]:
    found = results(table, power, target)
    number = min(number, len(found))
    chosen = found[:number]
    if 0 < number < len(found):
        seat, domain = seat_of(table.state, power), Subset(found, number, number, what="results")
        chosen = yield from _ask_results(seat, domain, chosen, power=power, target=target, count=number)
    for kept in (word for word in found if word in chosen):
        if kept == LOOK:
            look(table, power, target)
        elif kept == NEUTRALISE:
            neutralise(table, target, power)
        else:
            yield from _expose(table, power)


def neutralise(table: Table, power: str, on: str) -> None:
    """19.1 Neutralise an informant until winter (20.8)."""
    table.state.spies[power][on].neutral = True
    table.log("intrigue.neutralised", rule="19.1", power=power, target=on)


def _expose(table: Table, power: str) -> Rule[None]:
    """19.1 Remove a Jesuit from the map; if Spain has one on its card it may come back (8.2)."""
    state = table.state
    space = state.jesuits[0]
    if len(state.jesuits) > 1:
        space = yield from _ask_jesuit(seat_of(state, power), Choice(list(state.jesuits), "space"), space, power=power)
    state.jesuits.remove(space)
    table.log("intrigue.jesuit_gone", rule="19.1", power=power, space=space)


def look(table: Table, power: str, target: str) -> None:
    """19.1 Show another power's cards and treasures to one power only."""
    own = table.state.powers[target]
    seen = {"cards": list(own.hand), "treasures": list(own.treasures)}
    private = {seat_of(table.state, power): seen}
    table.log("event.looks", rule="19.1", power=power, victim=target, private=private)


def _take(table: Table, power: str, target: str) -> Rule[None]:
    """19.1 Take a card that is neither a home card nor a mandatory event, or a treasure.

    It is asked even if there is none: the others don't know. 27: nothing from another power of the same player.
    """
    state = table.state
    own = state.powers[target]
    if (not own.hand and not own.treasures) or seat_of(state, power) == seat_of(state, target):
        return

    def there() -> list[str]:
        kinds = table.c.cards
        found = [card for card in own.hand if kinds[card].type not in ("home", "mandatory")]
        return [*found, *own.treasures] or [NOTHING]

    domain: Any = lambda: Choice(there(), "card")  # noqa: E731 - built when it is asked
    seat = seat_of(state, power)
    state.shown = {seat: [*own.hand, *own.treasures]}
    what = yield from _ask_take(seat, domain, lambda: there()[0], power=power, target=target)
    state.shown = {}
    if what == NOTHING:
        table.log("event.nothing", rule="19.1", power=power, victim=target)
        return
    taker = state.powers[power]
    if what in own.treasures:
        own.treasures.remove(what)
        taker.treasures.append(what)
    else:
        own.hand.remove(what)
        taker.hand.append(what)
    private = {reader: {"what": what} for reader in (seat, seat_of(state, target)) if reader}
    table.log("event.taken", rule="19.1", power=power, victim=target, private=private)
