"""Constraints on any pack of Virgin Queen: A01 to A84.

Each function of a group yields `(number, holds, what)`; `check` reports those that fail. Numbers such as `5.4`
are rules. Not checked: A06 of Scotland, A16 and A84 (inferred, see `inferred`), A47 (`relations.may_ally`),
half of A73, and B01 to B43, which are about running games (`invariants.py`, the cases).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from games.virgin_queen.constraints.base import Finding, QueenTables, Tables
from pbem.kernel.pack import problem
from pbem.kernel.rejections import RejectionReason


def check(tables: Tables) -> list[RejectionReason]:
    """Return every constraint that a pack's tables break, by number; [] if all hold."""
    from games.virgin_queen.constraints import board, cards, powers, setup, units

    modules = (board, powers, units, cards, setup)
    return _run(tables, [group for module in modules for group in module.GROUPS])


def inferred(tables: Tables) -> list[RejectionReason]:
    """Return which inferred constraints, kept by the pack that ships, a pack's tables break."""
    from games.virgin_queen.constraints import board, setup

    return _run(tables, [*board.INFERRED, *setup.INFERRED])


def _run(tables: Tables, groups: Iterable[Callable[[QueenTables], Iterator[Finding]]]) -> list[RejectionReason]:
    box = QueenTables(tables)
    return [problem(text, rule=rule) for group in groups for rule, holds, text in group(box) if not holds]
