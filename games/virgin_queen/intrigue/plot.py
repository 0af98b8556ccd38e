"""The plot of the English Catholics: the action of 19.4, and the rising, which card 78 brings too."""

from __future__ import annotations

from typing import TypedDict

from games.virgin_queen import impulse
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import levy
from games.virgin_queen.intrigue import dice
from games.virgin_queen.intrigue.agents import USED
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import at_war, quiet, seat_of
from games.virgin_queen.religion.conversion import ConversionAttempts, convert, may_convert
from games.virgin_queen.religion.uprising import crushed, rise
from games.virgin_queen.state import CATHOLIC, ENGLAND, IRELAND, SCOTLAND, SPAIN
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import win
from pbem.kernel.domains import Amount, Choice, Form
from pbem.kernel.game import Rule

KIT.chapter("19.4", "the English Catholic rebellion", "intrigue/")
REGULARS = 2
DICE, SPACES = 5, 4


def targets(table: Table) -> list[str]:
    """19.4 step 2 Return the Catholic spaces of England under English control, without siege or unrest."""
    state = table.state
    return [at for at in table.c.areas[ENGLAND] if state.religion[at] == CATHOLIC and quiet(state, ENGLAND, at)]


def rising(table: Table, space: str, *, dice: int = DICE, most: int = SPACES, rule: str = "19.4") -> Rule[bool]:
    """19.4 steps 3 to 7 Resolve a rising in a space; card 78 uses it too (FAQ 28). Return whether it succeeded."""
    state = table.state
    table.log("rising.begins", rule=rule, space=space)
    table.stop_advance_orders(seat_of(state, ENGLAND))
    if not (yield from crushed(table, space, CATHOLIC, dice, "19.4")):
        return False
    yield from rise(table, SPAIN, space, CATHOLIC, most, "19.4")
    levy(table, space, SPAIN, "regulars", REGULARS, SPAIN, "19.4")
    if not at_war(state, SPAIN, ENGLAND):
        yield from relations.declare(table, SPAIN, ENGLAND)
    return True


_ask_target = KIT.question("rising", "19.4")
LEAST, MOST = 3, 5
CONVERSIONS = 6
VICTORY = "gunpowder_plot_victory"


class Plot(TypedDict):
    """The CP of the plot."""

    cp: int


def _find(table: Table, ground: PowerMap) -> bool | None:
    """19.4 Return whether it is possible: once a turn, and not after an assassination; 27.1 England is played."""
    state = table.state
    if ground.cp < LEAST or state.powers[SPAIN].used.get(USED):
        return None
    return bool(seat_of(state, ENGLAND)) or None


def attack_dice(table: Table, cp: int) -> int:
    """19.4 Return the column of the espionage table for Spain."""
    state, c = table.state, table.c
    listed = dice.column(table, "english_catholic_rebellion")
    found = listed["attack_dice_by_cp"][str(cp)] + dice.shared_attack(table, SPAIN, ENGLAND)
    found += listed["attack_dice_per_jesuit"] * len(state.jesuits)
    if dice.captive_mary(table):
        found += listed["attack_dice_mary_captive"]
    regulars = [at for at, here in state.land.items() if SPAIN in here and here[SPAIN].regulars]
    if any(c.spaces[at].home in (IRELAND, SCOTLAND) for at in regulars):
        found += listed["attack_dice_regular_in_ireland_or_scotland"]
    if any(c.spaces[at].area == ENGLAND for at in regulars):
        found += listed["attack_dice_regular_in_england"]
    return found


def _form(table: Table, ground: PowerMap, found: bool) -> Form[Plot]:
    return Form(cp=Amount(LEAST, min(MOST, ground.cp)))


@KIT.action("english_catholic_rebellion", "19.4", _find, _form)
def _plot(table: Table, power: str, order: Plot) -> Rule[None]:
    """19.4 Spend three to five CP: the plot, then six conversion attempts and a rising in up to four spaces."""
    state = table.state
    impulse.pay(table, order["cp"], "english_catholic_rebellion")
    state.powers[SPAIN].used[USED] = 1
    more = yield from dice.announced(table, SPAIN, ENGLAND, "english_catholic_rebellion", "19.4", cp=order["cp"])
    listed = dice.column(table, "english_catholic_rebellion")
    attack = attack_dice(table, order["cp"]) + more
    defence = listed["base_defence_dice"] + dice.shared_defence(table, ENGLAND)
    hits = dice.contest(table, SPAIN, ENGLAND, attack, defence, "19.4")
    result = dice.result(listed, hits)
    if result == VICTORY:
        win(table, [SPAIN], "catholic_rebellion", "25.1")
    elif result == "fails" or not (yield from _rise(table)):
        yield from dice.mary_in_danger(table)


def _rise(table: Table) -> Rule[bool]:
    """19.4 Resolve the conversions, the target, the rising. Return whether it succeeded."""
    attempts = ConversionAttempts(CATHOLIC, ENGLAND, CONVERSIONS, "19.4")
    if may_convert(table, attempts):
        yield from convert(table, SPAIN, attempts)
    found = targets(table)
    if not found:
        table.log("intrigue.no_rising", rule="19.4")
        return False
    space = found[0]
    if len(found) > 1:
        space = yield from _ask_target(seat_of(table.state, SPAIN), Choice(found, "space"), space, power=SPAIN)
    return (yield from rising(table, space))
