"""OPS of the action step under way (15.0)."""

from __future__ import annotations

from games.crown_of_roses.state import ActionStep
from games.crown_of_roses.table import Table


def step_of(table: Table) -> ActionStep:
    """Return the action step under way. The menu of actions belongs to one."""
    step = table.state.step
    assert step is not None
    return step


def pay(table: Table, ops: int, *, influence: bool = False) -> None:
    """Spend OPS (15.0): only now the action counts as one of the step (13.3, 10.5.3).

    What a card cancelled before its OPS were spent (68) was none.
    """
    step = step_of(table)
    step.left -= ops
    step.done += 1
    if not influence:
        step.only_influence = False
