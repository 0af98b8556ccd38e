"""Branches of a plan: what the player in their turn does once the vote of a special card is counted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from games.sixteen_thirty import GAME
from games.sixteen_thirty.exchange import NOBODY
from pbem.dev import rule_test_files
from pbem.dev.rule_test_runner import Script
from pbem.kernel.referee import Referee
from tests.toy.letters import reasons, send

CASES = Path(__file__).parents[2] / "cases/sixteen_thirty/specials.toml"
VOTE, RED, BLUE = "vote france side", "red", "blue"


def voting(*plan: str) -> Referee:
    """Tim has two Vote cards and plays one in France, where Simon has one vote more."""
    (case,) = [case for case in rule_test_files.load(CASES) if case.id == "S-23c"]
    referee = Script(msgspec.structs.replace(case, answers=[]), GAME).referee
    referee.submit("tim", NOBODY)
    assert not send(referee, "tim", VOTE, *plan, "ballot: red").refused
    return referee


@pytest.mark.parametrize(("simon", "word", "other"), [(BLUE, "lost", "won"), (RED, "won", "lost")])
def test_the_line_for_what_came_of_the_vote_is_played(simon: str, word: str, other: str) -> None:
    referee = voting("if lost: pass", "if won: pass")
    referee.submit("simon", {"vote": simon})
    told = [(note.key, note.text) for note in referee.notes if note.seat == "tim"]
    assert ("advance.used", f"if {word}: pass") in told
    assert ("advance.skipped", f"if {other}: pass") in told
    assert [move.kind for move in referee.moves if move.seat == "tim"][-2:] == ["ballot", "special"]


def test_without_it_a_lost_vote_holds_what_follows() -> None:
    referee = voting("special: pass")
    referee.submit("simon", {"vote": BLUE})
    assert [(entry.text, entry.held) for entry in referee.queue] == [("pass", True)]


def test_only_a_vote_has_such_results() -> None:
    referee = voting()
    referee.submit("simon", {"vote": RED})
    assert reasons(send(referee, "tim", "pass", "if tied: pass"))[-1][1] == "orders.branch"
