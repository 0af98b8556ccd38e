"""Constraints that every pack of Crown of Roses must satisfy, by number; checked for corrections.

A number is a letter of a group and a count, as in A06. Each function of a group yields `(number, holds, what)`;
`check` reports those that don't hold. H (files) and the sums that no number of the pack enters (E07, F10, F13, F14,
F16) are not here. Apart from the groups, which a cold start does not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.pack import problem
from pbem.kernel.rejections import RejectionReason


def check(tables: Mapping[str, Mapping[str, Any]]) -> list[RejectionReason]:
    """Return a reason for each constraint that a pack's tables break, in the order of the numbers; [] if all hold."""
    # Only corrections need them, and they take a while to read.
    from games.crown_of_roses import constraints_map, constraints_pieces, constraints_setup
    from games.crown_of_roses.constraints_base import CrownTables

    box = CrownTables(tables)
    groups = (*constraints_map.GROUPS, *constraints_pieces.GROUPS, *constraints_setup.GROUPS)
    return [
        problem(text or "the rules say otherwise", rule=rule)
        for group in groups
        for rule, holds, text in group(box)
        if not holds
    ]
