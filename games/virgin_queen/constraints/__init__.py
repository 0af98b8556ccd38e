"""What any pack of Virgin Queen must satisfy, by number of `facts/virgin_queen/constraints.md` (A01 to A84): run on
moderators' corrections.

Each function of a group yields `(number, holds, what)`; `check` reports those that do not hold. A number such as `5.4`
is the section of a rule that has no number of its own there. Not checked here:

- A06 of Scotland, A16 of spaces without a link, A84: only inferred (`[R]`); who has the printed map and set-up knows
  better. `inferred` tests them on the pack that ships.
- A47 (who may ally) is a rule of play, no fact of the box: `relations.may_ally`.
- A73, second half ("unlocks Portugal"): a matter of play; that the card is the one that unlocks is checked.
- B01 to B43 hold of a running game, not of a pack: `invariants.py`, the cases, and the domains of the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from games.virgin_queen.constraints.base import Finding, QueenTables, Tables
from pbem.kernel.pack import problem
from pbem.kernel.rejections import RejectionReason


def check(tables: Tables) -> list[RejectionReason]:
    """Every constraint that a pack's tables break, by number; [] if all hold."""
    from games.virgin_queen.constraints import board, cards, powers, setup, units

    modules = (board, powers, units, cards, setup)
    return _run(tables, [group for module in modules for group in module.GROUPS])


def inferred(tables: Tables) -> list[RejectionReason]:
    """What is only inferred of the printed game: kept by the pack that ships, not asked of a moderator's."""
    from games.virgin_queen.constraints import board, setup

    return _run(tables, [*board.INFERRED, *setup.INFERRED])


def _run(
    tables: Tables, groups: Iterable[Callable[[QueenTables], Iterator[Finding]]]
) -> list[RejectionReason]:
    box = QueenTables(tables)
    return [problem(text, rule=rule) for group in groups for rule, holds, text in group(box) if not holds]
