"""Every sample that a domain can give, and what an answer is refused with."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kernel.domains import Budget, Domain
from pbem.kernel.order_words import NO_NAMES, Names
from pbem.kernel.rejections import Rejection, RejectionReason


def samples(domain: Domain, limit: int = 20_000) -> list[Any]:
    """All that `sample` can give, each once, by going through every course that chance can take."""
    found: list[Any] = []
    path: list[list[int]] = []  # what was drawn and below what, in order
    for _ in range(limit):
        at = 0

        def below(n: int) -> int:
            nonlocal at
            assert n > 0
            if at == len(path):
                path.append([0, n])
            assert path[at][1] == n
            at += 1
            return path[at - 1][0]

        value = domain.sample(below)
        assert at == len(path)
        if value not in found:
            found.append(value)
        while path and path[-1][0] == path[-1][1] - 1:
            path.pop()
        if not path:
            return found
        path[-1][0] += 1
    raise AssertionError("too many courses")


def cut(description: Any) -> bool:
    """Whether a description ran out of room anywhere."""
    if isinstance(description, dict):
        return description.get("type") == "unknown" or any(map(cut, description.values()))
    return isinstance(description, list) and any(map(cut, description))


def spent(domain: Domain, nodes: int = 4000) -> int:
    """How many nodes a description takes."""
    budget = Budget(nodes)
    domain.describe(budget)
    return nodes - budget.left


def flaw(domain: Domain, value: Any) -> RejectionReason:
    """Why `value` is refused."""
    with pytest.raises(Rejection) as caught:
        domain.check(value)
    return caught.value.problem


def slip(domain: Domain, text: str, names: Names = NO_NAMES) -> RejectionReason:
    """Why an order text is refused."""
    with pytest.raises(Rejection) as caught:
        domain.parse(text, names)
    return caught.value.problem


def short(problem: RejectionReason) -> tuple[str, dict[str, Any]]:
    return problem.key, problem.args
