"""Major powers that nobody plays (27.1): with fewer than six players they ally by rules of their own."""

from __future__ import annotations

from games.virgin_queen.cards import discard, draw
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.displacement import displace
from games.virgin_queen.keys import base_cards, vp
from games.virgin_queen.query import at_war, other_sides, seat_of, set_peace
from games.virgin_queen.state import HRE, POWERS
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.winter import ports, return_of_troops
from pbem.kernel.domains import Choice, Subset
from pbem.kernel.game import Play

KIT.chapter("27.1", "activated major powers", "activated.py")
_ask_new_wars = KIT.question("new_wars", "27.1")
_ask_defend = KIT.question("defend", "27.1")


def activate(table: Table, power: str, ally: str, declarer: str = "") -> Play:
    """27.1 Activate a major power: baseline, peace within one player (27), defence, new wars, influence, cards."""
    state = table.state
    minor = state.minors[power]
    minor.baseline = vp(table, power)
    minor.ally = ally
    table.log("activated.begins", rule="27.1", power=power, ally=ally, baseline=minor.baseline)
    for other in POWERS:
        if seat_of(state, other) == seat_of(state, ally) and at_war(state, power, other):
            set_peace(table, power, other)
            table.log("deal.peace", rule="27", a=power, b=other)
    if declarer:
        if not at_war(state, power, declarer):
            yield from relations.declare(table, power, declarer)
        if seat_of(state, declarer) != seat_of(state, ally) and not at_war(state, ally, declarer):
            seat, domain = seat_of(state, ally), Choice(("no", "yes"))
            if (yield from _ask_defend(seat, domain, "no", power=ally, minor=power, on=declarer)) == "yes":
                yield from relations.declare(table, ally, declarer)
    # Step 4: it may declare war on major powers that are not its allies, at no cost.
    if foes := [other for other in POWERS if relations.allowed(table, power, other)]:
        which = Subset(foes, 0, len(foes), what="power")
        for foe in (yield from _ask_new_wars(seat_of(state, power), which, [], power=power)):
            yield from relations.declare(table, power, foe)
    # Step 5: its own markers go on the influence chart at the printed values.
    for key, entry in state.minors.items():
        if power in entry.influence and power not in entry.excluded and not entry.resolved:
            entry.influence[power] = table.c.influence[key][power]
    _cards(table, power, declarer)


def _cards(table: Table, power: str, declarer: str) -> None:
    """27.1 step 6: Deal it cards, at most as many as its attacker holds and as the largest hand."""
    state = table.state
    own = state.powers[power]
    ruler = table.c.rulers[own.ruler]
    number = base_cards(table, power) + (ruler.dead_bonus if own.ruler_dead else ruler.bonus)
    if declarer:
        number = min(number, len(state.powers[declarer].hand))
    number = min(number, max(len(state.powers[other].hand) for other in POWERS))
    draw(table, power, number, "27.1")


def deactivate(table: Table, power: str) -> Play:
    """27.1 Deactivate a power; `minors.deactivate` does it for the Empire's minor powers."""
    state = table.state
    minor = state.minors[power]
    settle(table, power)
    minor.baseline = 0
    table.log("activated.ends", rule="27.1", power=power, ally=minor.ally)
    minor.ally = ""
    for treaty in [key for key in state.diplomacy if power in key.split(":")]:
        del state.diplomacy[treaty]
    for space in [at for at, holder in state.control.items() if holder == power]:
        if others := other_sides(table.state, space, power):
            yield from displace(table, space, others)
    ports.ships_home(table, power, {}, {})
    return_of_troops.troops_home(table, power)
    own = state.powers[power]
    if own.hand:  # discards are public
        table.log("activated.hand", rule="27.1", reveals=True, power=power, cards=list(own.hand))
    for card in own.hand:
        discard(table, card)
    state.treasure_used += own.treasures
    own.hand, own.treasures = [], []
    own.card_marks = own.lasting_marks = 0
    for other in state.minors.values():
        if power in other.influence:
            other.influence[power] = 0


def settle(table: Table, power: str) -> None:
    """27.1 Give the ally VP, 1 for every 2 above the baseline, -1 for every 2 below; the baseline moves as far."""
    minor = table.state.minors[power]
    steps = int((vp(table, power) - minor.baseline) / 2)
    if steps:
        bonus = table.state.powers[minor.ally].vp
        bonus["activated"] = bonus.get("activated", 0) + steps
        minor.baseline += 2 * steps
        table.log("activated.vp", rule="27.1", power=power, ally=minor.ally, vp=steps)


def clients(table: Table, power: str) -> list[str]:
    """27.1 Return the Papacy, Venice and Ireland, who leave with an activated Empire; else none."""
    minors = table.state.minors
    return [key for key in ("papacy", "venice", "ireland") if power == HRE and minors[key].ally == power]
