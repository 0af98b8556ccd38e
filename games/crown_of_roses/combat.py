"""The combat step (20), and the end of an impulse: stacking (21.1), blocks stand up again (21.2, 20.7.3)."""

from __future__ import annotations

from games.crown_of_roses.battle import fight
from games.crown_of_roses.battle.battle_order import line_up, next_battle
from games.crown_of_roses.battle.forces import counted
from games.crown_of_roses.blocks import attrition, occupy_tower, post_garrison
from games.crown_of_roses.draw import impulse_over, operations_over
from games.crown_of_roses.query import ROYALS, blocks_in, crowded, owners
from games.crown_of_roses.realm.victory import update_succession
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.game import Play

KIT.chapter("7.2.9", "stacking limit", "combat.py", "battle/aftermath.py")
KIT.chapter("20", "order of battles", "combat.py", "battle/battle_order.py", "battle/__init__.py")
KIT.chapter("21.1", "stacking check", "combat.py")
KIT.chapter("21.2", "blocks stand up", "combat.py")


@KIT.phase("combat")
def combat_step(table: Table) -> Play:
    """Fight one battle after another (20.0), a checkpoint before each; then the impulse is over (21)."""
    state = table.state
    if state.fights is None:
        yield from line_up(table)
    place = yield from next_battle(table)
    if place:
        yield from fight(table, place)
        return
    state.fights = None
    stacking(table)
    stand_up(table)
    yield from update_succession(table)
    if state.phase != "over":
        # Give a garrison without host to the house that holds London, at full strength (9.6).
        state.garrison.aside = False
        state.garrison.steps = len(table.c.garrison)
        holders = owners(state, "london")
        if len(holders) == 1 and occupy_tower(table, holders[0]):
            yield from post_garrison(table, holders[0])
        _next(table)


def _next(table: Table) -> None:
    """Begin the next impulse, or end the operations phase (13.2, 14.1.3)."""
    state = table.state
    for block in state.blocks.values():
        if block.moved or block.pinned:
            block.moved = block.pinned = False
    state.order, state.at = [], 0
    # 20.1 A house that came among enemies by a card after the line-up fights next, as the last to enter.
    state.entries = [entry for entry in state.entries if len(owners(state, entry.place)) > 1]
    impulse_over(table)
    if state.affairs or state.impulse == state.impulses:
        table.log("impulse.over", rule="13.2", turn=state.turn)
        state.phase = operations_over(table)
    else:
        state.impulse += 1
        state.phase = "command"


def stacking(table: Table) -> None:
    """Roll attrition for all blocks of houses above the stacking limit, leaders too (7.2.9, 21.1, R-52)."""
    state = table.state
    for shire in crowded(table):
        limit = table.c.shires[shire].sv + 1
        for house in owners(state, shire):
            here = blocks_in(state, shire, house)
            if counted(here) > limit:
                table.log(
                    "stacking.over", rule="21.1", house=house, place=shire, count=len(here), limit=limit, reveals=True
                )
                attrition(table, [key for key in here if key not in ROYALS], "21.1")


def stand_up(table: Table) -> None:
    """Hide the blocks that are still open (21.2)."""
    shown = [block for block in table.state.blocks.values() if block.shown]
    for block in shown:
        block.shown = False
    if shown:
        table.log("battle.hidden", rule="21.2")
