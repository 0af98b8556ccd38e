"""Foreign wars (23.7): the Ottomans in Persia, the Empire in Poland."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from games.virgin_queen import formations, impulse
from games.virgin_queen.gate import station
from games.virgin_queen.land.battle import roll_hits, suffered
from games.virgin_queen.land.losses import choose_losses
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import enemies_in, leaders_at, seat_of, surprise
from games.virgin_queen.responses import CombatView, combat, combat_card
from games.virgin_queen.state import HRE, INDEPENDENT, ON_CARD, OTTOMAN, PERSIA, POLAND, ForeignWar
from games.virgin_queen.table import HIT, KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Choice, Distribution, Form, Optional
from pbem.kernel.game import Rule

KIT.chapter("23.7", "foreign wars", "special/foreign_war.py", "events/special.py")
_ask_campaign = KIT.question("campaign", "23.7", "reaction")
_ask_home = KIT.question("veterans", "23.7", "reaction")

FIGHTS = {PERSIA: OTTOMAN, POLAND: HRE}
"""Card → the power that fights there."""
LISTED = "assault_or_foreign_war"
LEAST, MOST = 3, 8
"""Units that a power sends; it never has more than `MOST` on a card."""
WINNER = 5
"""With this number of enemies at the start, or more, victory is worth VP."""
CARACOLE = 3


class Campaign(TypedDict):
    """Units for a foreign war: `space/kind` → number, and a leader."""

    units: dict[str, int]
    leader: NotRequired[str]


class ForeignWarChoice(TypedDict):
    """Which foreign war."""

    war: str


def wars_of(table: Table, power: str) -> dict[str, ForeignWar]:
    """Return the foreign wars that a power fights now."""
    return {card: war for card, war in table.state.foreign_wars.items() if war.power == power}


def strength(table: Table, card: str) -> int:
    """Return how many units of its power are in a foreign war."""
    return sum(formations.count(table.state, FIGHTS[card], card).values())


def room(table: Table, card: str) -> int:
    """23.7 Return how many more units may be on a card."""
    return MOST - strength(table, card)


def free_units(table: Table, power: str) -> dict[str, int]:
    """23.7 Return the units of its own that a power may send from unbesieged spaces, by `space/kind`."""
    state = table.state
    return {
        f"{space}/{kind}": number
        for space, here in state.land.items()
        if power in here and space not in state.sieges
        for kind in formations.KINDS
        if (number := getattr(here[power], kind))
    }


def free_leaders(table: Table, power: str) -> list[str]:
    """23.7 Return the army leaders that a power may send: on the map, not besieged, or on its power card."""
    state = table.state
    places = {ON_CARD, *table.c.spaces} - state.sieges.keys()
    own = [key for key, leader in state.leaders.items() if leader.power == power == table.c.generals[key].owner]
    army = {key: state.leaders[key] for key in own if not state.leaders[key].naval}
    return [key for key, leader in army.items() if leader.at in places and not leader.captor]


def begin(table: Table, card: str, enemy: int) -> None:
    """23.7 Set up the given number of enemies; the power gets one card less in every deal until it has won."""
    state, power = table.state, FIGHTS[card]
    state.foreign_wars[card] = ForeignWar(power, enemy, enemy)
    state.powers[power].lasting_marks -= 1
    table.log("foreign.begins", rule="23.7", power=power, card=card, count=enemy)


def send(table: Table, card: str) -> Rule[None]:
    """23.7 Move three to eight units, or all, from anywhere, and at most one leader, onto the card."""
    state, power = table.state, FIGHTS[card]
    found, chiefs = free_units(table, power), free_leaders(table, power)
    order: Campaign = {"units": {}}
    total = sum(found.values())
    if total > LEAST or (found and chiefs):
        least = min(LEAST, total)
        domain: Form[Campaign] = Form(
            units=Distribution(found, (least, min(MOST, total)), what="units"),
            leader=lambda v: Optional(Choice(chiefs, "leader")) if chiefs else None,
        )
        first: Campaign = {"units": formations.some_of(found, least)}
        order = yield from _ask_campaign(seat_of(state, power), domain, first, power=power, card=card)
    elif found:
        order["units"] = found
    units: dict[str, int] = {}
    for word, number in order["units"].items():
        space, _, kind = word.partition("/")
        formations.add(table, space, power, kind, -number)
        units = formations.combined([units, {kind: number}])
    formations.put(table, card, power, units)
    formations.settle(table, power, card, *[word.partition("/")[0] for word in order["units"]])
    leaders = [order["leader"]] if "leader" in order else []
    for key in leaders:
        station(table, key, card)
    table.log("foreign.sent", rule="23.7", power=power, card=card, units=units, leaders=leaders)


def _find(table: Table, ground: PowerMap) -> list[str] | None:
    return [card for card in wars_of(table, ground.power) if strength(table, card)] or None


def _form(table: Table, ground: PowerMap, cards: list[str]) -> Form[ForeignWarChoice]:
    return Form(war=Choice(cards, "card"))


@KIT.action("foreign_war", "23.7", _find, _form, listed=LISTED)
def _run(table: Table, power: str, order: ForeignWarChoice) -> Rule[None]:
    impulse.pay(table, 1, LISTED)
    yield from battle(table, order["war"])


def battle(table: Table, card: str) -> Rule[None]:
    """23.7 Fight a field battle of all units on the card.

    No die for being the defender, no limit to a formation, no retreat. The war ends when no enemy is left.
    Without a unit left the leader goes back to the power card.
    """
    state, war = table.state, table.state.foreign_wars[card]
    power, mine = war.power, strength(table, card)
    dice = {"attacker": mine + formations.rating(table, leaders_at(state, power, card)), "defender": war.enemy}
    fight = CombatView("foreign", card, {"attacker": [power], "defender": [INDEPENDENT]}, dice)
    table.log("foreign.battle", rule="23.7", power=power, card=card, dice=dict(dice))
    with table.within("battle", power=power, space=card):
        yield from combat(table, fight)
        hits = {side: roll_hits(table, fight, side) for side in ("attacker", "defender")}
        lost = suffered(table, {power: mine}, hits["defender"])[power]
        taken = min(hits["attacker"], war.enemy)
        if lost == mine and taken == war.enemy:  # 14 step 8: one unit is left
            lost, taken = (lost - 1, taken) if fight.dice["attacker"] > fight.dice["defender"] else (lost, taken - 1)
        units = formations.count(state, power, card)
        gone = yield from choose_losses(table, power, card, units, lost, "23.7")
        formations.put(table, card, power, gone, -1)
        war.enemy -= taken
        table.log("foreign.result", rule="23.7", power=power, card=card, units=gone, hits=taken, left=war.enemy)
    surprise(table, power)
    if not strength(table, card):
        for key in leaders_at(state, power, card):
            state.leaders[key].at = ON_CARD
    if not war.enemy:
        yield from end(table, card)


@combat_card("field-artillery", lambda t, p, fight: p in fight.powers["attacker"], "foreign")
def _artillery(table: Table, power: str, fight: CombatView) -> None:
    """Resolve #8: three dice more for the Ottomans, two for the Empire."""
    fight.dice["attacker"] += 3 if power == OTTOMAN else 2


@combat_card("caracole", lambda t, p, fight: p in fight.powers["attacker"], "foreign")
def _caracole(table: Table, power: str, fight: CombatView) -> None:
    """Resolve #88: three dice before all others; enemies hit by them are removed and roll no dice."""
    war = table.state.foreign_wars[fight.space]
    roll = table.roll(CARACOLE, "event.rolls", rule="6.1", power=power, card="caracole", space=fight.space)
    gone = min(roll.at_least(HIT), war.enemy)
    war.enemy -= gone
    fight.dice["defender"] -= gone


def end(table: Table, card: str) -> Rule[None]:
    """23.7 End a foreign war, won or by card 86: VP if the enemy was strong, and all come home."""
    state = table.state
    war = state.foreign_wars[card]
    state.powers[war.power].lasting_marks += 1
    table.log("foreign.ends", rule="23.7", power=war.power, card=card)
    if war.began >= WINNER:
        award(table, war.power, "war_winner", table.c.special["bonus_vp"]["war_winner"])
    units, leaders = formations.count(state, war.power, card), leaders_at(state, war.power, card)
    if units or leaders:
        found = homes(table, war.power)
        space = found[0] if found else ""
        if len(found) > 1:
            seat = seat_of(state, war.power)
            space = yield from _ask_home(seat, Choice(found, "space"), space, power=war.power, card=card)
        _return(table, war.power, card, space, units, leaders)
    del state.foreign_wars[card]


def homes(table: Table, power: str) -> list[str]:
    """23.7 Return where they come home: the capital, or if enemies hold it or are there, any friendly home key."""
    state, c = table.state, table.c

    def quiet(space: str) -> bool:
        return state.control[space] == power and not enemies_in(state, power, space) and space not in state.sieges

    if capitals := [at for at, holder in state.capitals.items() if holder == power and quiet(at)]:
        return capitals
    return [at for at in c.homes[power] if at in c.keys and quiet(at)]


def _return(table: Table, power: str, card: str, space: str, units: dict[str, int], leaders: list[str]) -> None:
    """23.7 Bring the units home; without a space for them they are lost, as in 20.4 (ruling 25)."""
    if space:
        formations.shift(table, power, card, space, units, leaders)
        table.log("foreign.home", rule="23.7", power=power, space=space, units=units, leaders=leaders)
        return
    formations.put(table, card, power, units, -1)
    for key in leaders:
        table.state.leaders[key].at = ON_CARD
    table.log("battle.destroyed", rule="23.7", power=power, space=card, units=units)
