"""The other steps of winter (20.1, 20.2, 20.5 to 20.9)."""

from __future__ import annotations

from collections.abc import Sequence

from games.virgin_queen import cards
from games.virgin_queen.formations import add, muster
from games.virgin_queen.land.losses import check_siege
from games.virgin_queen.query import occupied, pool_of, seat_of, side_of
from games.virgin_queen.state import ALLIED, ENGLAND, HRE, MORISCO, OTTOMAN, POWERS, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Subset
from pbem.kernel.game import Play

KIT.chapter("20.1", "unrest of the Moriscos spreads", "winter/other_steps.py")
KIT.chapter("20.2", "unused treasures", "winter/other_steps.py")
KIT.chapter("20.5", "alliances of major powers", "winter/other_steps.py")
KIT.chapter("20.6", "reinforcements", "winter/other_steps.py")
KIT.chapter("20.7", "markers of piracy", "winter/other_steps.py")
KIT.chapter("20.9", "diplomacy is reset", "winter/other_steps.py")
_ask_reinforce = KIT.question("reinforce", "20.6")
_ask_morisco_unrest = KIT.question("morisco_unrest", "20.1")

MORISCO_REACH, MORISCO_UNREST = 2, 2
REGULAR, MERCENARIES, HIRE = "regular", "mercenaries", "hire"
GAINS = {REGULAR: 1, MERCENARIES: 2}
"""20.6: the units that the Empire may get at its capital."""


def moriscos(table: Table) -> Play:
    """20.1 Let the Morisco unit spread unrest to two unoccupied spaces near; England chooses without Ottomans."""
    state = table.state
    home = next((at for at, here in state.land.items() if MORISCO in here), "")
    siege = state.sieges.get(home)
    if siege is not None and side_of(state, MORISCO) in siege.by:  # 23.1
        add(table, home, MORISCO, "regulars", -1)
        table.log("battle.destroyed", rule="23.1", power=OTTOMAN, space=home, units={"morisco-regulars": 1})
        yield from check_siege(table, home)
        home = ""
    near = within(table, home, MORISCO_REACH) if home else []
    found = [at for at in near if not occupied(state, at) and at not in state.unrest]
    if not found:
        return
    power = OTTOMAN if seat_of(state, OTTOMAN) else ENGLAND
    number = min(MORISCO_UNREST, len(found))
    chosen: Sequence[str] = found
    if len(found) > number:
        domain = Subset(found, number, number, what="spaces")
        chosen = yield from _ask_morisco_unrest(seat_of(state, power), domain, found[:number], power=power)
    state.unrest += chosen
    table.log("winter.unrest", rule="20.1", spaces=list(chosen))


def within(table: Table, space: str, steps: int) -> list[str]:
    """Return spaces within the given number of connections over land, without the space itself."""
    found = {space: 0}
    queue = [space]
    for at in queue:
        for other in table.c.land[at]:
            if other not in found and found[at] < steps:
                found[other] = found[at] + 1
                queue.append(other)
    return [at for at in found if at != space]


def treasures(table: Table) -> None:
    """20.2 Remove treasures still in hand."""
    for power in POWERS:
        own = table.state.powers[power]
        if own.treasures:
            table.log("winter.treasures", rule="20.2", power=power, treasures=list(own.treasures), reveals=True)
            table.state.treasure_used += own.treasures
            own.treasures = []


def alliances(table: Table) -> None:
    """20.5 End alliances between major powers; those with minor and activated powers stay."""
    state = table.state
    ended = [key for key, word in state.diplomacy.items() if word == ALLIED]
    for key in ended:
        del state.diplomacy[key]
    if ended:
        table.log("winter.alliances", rule="20.5", count=len(ended))


def reinforcements(table: Table) -> Play:
    """20.6 Give played powers a regular per capital they control without unrest; the Empire may choose otherwise."""
    state = table.state
    for power in POWERS:
        seat = seat_of(state, power)
        if not seat:
            continue
        for space in [at for at, holder in state.capitals.items() if holder == power]:
            ready = state.control[space] == power and space not in state.unrest
            if power == HRE:
                yield from _imperial(table, seat, space if ready else "")
            elif ready:
                _reinforce(table, power, space, "regulars", 1)


def _imperial(table: Table, seat: str, space: str) -> Play:
    """20.6 Ask the Empire: a regular or two mercenaries at the capital, or, always, the Hire Track to 4."""
    words = [REGULAR, MERCENARIES, HIRE] if space else [HIRE]
    said = yield from _ask_reinforce(seat, Choice(words), words[0], power=HRE)
    if said == HIRE:
        table.state.powers[HRE].stock["hire"] = table.c.special["hire_track"]["winter_refill_to"]
        table.log("winter.hire", rule="20.6", power=HRE)
    else:
        _reinforce(table, HRE, space, "regulars" if said == REGULAR else "mercenaries", GAINS[said])


def _reinforce(table: Table, power: str, space: str, kind: str, number: int) -> None:
    """Add units as far as there are counters: Walloons and Dutch in the Netherlands, Huguenots in their capital."""
    if number := muster(table, space, pool_of(table.c, power, space), kind, number):
        table.log("winter.reinforced", rule="20.6", power=power, space=space, kind=kind, count=number)


def pirates_and_treasures(table: Table) -> None:
    """20.7 Remove piracy markers; pay out Spain's row, and a treasure of Portugal's once Sebastian is dead (FAQ 30)."""
    state = table.state
    state.piracy = {}
    row, state.spain_row = state.spain_row, []
    for treasure in row:
        cards.give_treasure(table, SPAIN, treasure, "20.7")
    holder = state.control["lisbon"]
    if state.sebastian and holder in POWERS and state.portugal_row:
        treasure = state.portugal_row.pop(table.dice.below(len(state.portugal_row)))
        cards.give_treasure(table, holder, treasure, "20.7")


def diplomacy(table: Table) -> None:
    """20.9 Return markers of powers resolved this turn to their printed values."""
    state = table.state
    for key, minor in state.minors.items():
        if minor.resolved:
            minor.influence = {power: table.c.influence[key].get(power, 0) for power in minor.influence}
            minor.resolved = False
            table.log("winter.influence", rule="20.9", minor=key)
