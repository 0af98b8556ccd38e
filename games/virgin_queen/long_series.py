"""A series whose whole tree of answers is too large to draw."""

from __future__ import annotations

from itertools import islice
from typing import Any

from pbem.kernel.domains import Budget, Series

FEW = 24


class LongSeries(Series):
    """A `Series` that is described only where its first item has few answers: longer ones take about a second."""

    __slots__ = ()

    def describe(self, budget: Budget) -> dict[str, Any]:
        domain = self.item([]) if self.most > 1 else None
        if domain is not None and sum(1 for _ in islice(domain.options(), FEW + 1)) > FEW:
            return {"type": "unknown"}
        return super().describe(budget)
