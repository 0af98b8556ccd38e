"""Every conformance case of every game is a test of its own."""

from collections import Counter
from pathlib import Path

import pytest

from pbem.dev import rule_tests

HERE = Path(__file__).parent
CASES = [case for path in rule_tests.files([HERE]) for case in rule_tests.load(path)]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.game}-{case.id}" for case in CASES])
def test_case(case):
    why = rule_tests.play(case)
    assert not why, f"{case.title} [{case.rule}]\n" + "\n".join(why)


def test_ids_are_unique():
    seen = Counter((case.game, case.id) for case in CASES)
    assert [key for key, count in seen.items() if count > 1] == []


def test_every_case_expects_something():
    """A case without expectations or refusals proves nothing but that the rules do not crash."""
    idle = [
        case.id
        for case in CASES
        if case.expect is None and not any(step.expect or step.refuse for step in case.answers)
    ]
    assert idle == []
