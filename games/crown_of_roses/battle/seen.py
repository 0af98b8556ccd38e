"""The battle under way as a seat sees it: who fights, who waits in reserve, who is still to come."""

from __future__ import annotations

from games.crown_of_roses.battle.forces import GARRISON, dice, line_of
from games.crown_of_roses.table import Table
from pbem.kernel.questions import MODERATOR
from pbem.kernel.view import Column, TableView


def battle_tables(table: Table, seat: str) -> list[TableView]:
    """20.3, 20.4 Blocks by house and part; those that stand are told to their owner only, to others their number."""
    state = table.state
    battle = state.battle
    if battle is None:
        return []
    columns = [
        Column("house", "name"), Column("part", "name"), Column("count", "number"), Column("known", "name"),
        Column("dice"),
    ]  # fmt: skip
    rows = []
    for house in battle.order:
        side = battle.sides[house]
        parts = {
            "battle_force": line_of(table, battle, side), "reserve": side.reserve,
            "reinforcements": side.waiting, "fallen": side.gone,
        }  # fmt: skip
        for part, blocks in parts.items():
            open_to = seat in (house, MODERATOR)
            known = [key for key in blocks if key == GARRISON or open_to or state.blocks[key].shown]
            faces = [
                "".join(f"{count}{colour}" for colour, count in dice(table, key).items()) for key in known
            ]
            if blocks:
                rows.append([house, part, len(blocks), known, " ".join(faces)])
    return [TableView("battle", columns, rows, "map", {"place": battle.place, "round": battle.round})]
