"""Why a domain refuses a value, in both languages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pbem.kernel.domains import Domain
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.report.messages import Catalogue


def refusal(catalogues: Iterable[Catalogue], domain: Domain, value: Any) -> RejectionReason | None:
    """The problem with a value, None if it can be taken. It has words in each language."""
    try:
        domain.check(value)
    except Rejection as found:
        problem = found.problem
    else:
        return None
    for catalogue in catalogues:
        catalogue.render_problem(problem)
        assert not catalogue.missing, problem
    return problem
