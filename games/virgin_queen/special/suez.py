"""The Suez canal (23.1)."""

from __future__ import annotations

from games.virgin_queen.learning.science import EXCAVATION, has
from games.virgin_queen.state import OTTOMAN
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import award

KIT.chapter("23.1", "the Ottomans: the Suez canal, the Moriscos", "special/suez.py", "gate.py")

DONE = -1
"""`QueenState.suez` once the canal is open."""


def dig(table: Table) -> None:
    """23.1 Roll, 1 more a failed attempt and 2 with Excavation: 6 finishes the canal, for 2 VP and a card a deal."""
    state, special = table.state, table.c.special["suez"]
    plus = state.suez * special["add_per_failed_attempt"]
    if has(table, OTTOMAN, EXCAVATION):
        plus += special["excavation_bonus"]
    total = table.roll(1, "suez.rolls", rule="23.1", power=OTTOMAN, plus=plus).total + plus
    if total < special["success_total"]:
        state.suez += 1
        table.log("suez.fails", rule="23.1", power=OTTOMAN, count=state.suez)
        return
    state.suez = DONE
    table.log("suez.done", rule="23.1", power=OTTOMAN)
    award(table, OTTOMAN, "suez", special["vp"])
    state.powers[OTTOMAN].lasting_marks += special["card_marker"]
