"""Whose orders sent in advance an interception (16.5) or an evasion (16.6) stops (DESIGN 6)."""

from pathlib import Path

import msgspec
import pytest

from games.crown_of_roses import GAME
from pbem.kernel.referee import Referee
from pbem.kernel.standing import Queued, Standing
from pbem.trial import cases
from pbem.trial.script import Script

FOLDER = Path(__file__).parents[2] / "cases" / "crown_of_roses"
(W24,) = [case for case in cases.load(FOLDER / "marches.toml") if case.id == "W24"]
MARCH = ("move nottingham shrewsbury none", "go lincoln", "stop", "done")
EVADE = "evade lord_prince_edward blocks=lord_oxford to=cambridge"
INTERCEPT = "intercept west_riding suffolk none"


def march(die: int, **standing: str) -> Referee:
    """York marches into Lincoln, where Lancaster stands; all three houses have sent orders in advance."""
    case = msgspec.structs.replace(W24, answers=[], dice=[die])
    referee = Script(case, GAME).referee
    referee.queue += [Queued("york", text) for text in MARCH]
    referee.queue += [Queued("buckingham", "move west_riding stafford none")]
    referee.queue += [Queued("lancaster", "pass", kind="plan")]
    referee.standing += [Standing(seat, kind, text) for seat, kind, text in (
        ("lancaster", "evade", standing.get("evade", "pass")),
        ("buckingham", "intercept", standing.get("intercept", "pass")),
        ("lancaster", "intercept", "pass"),
        ("york", "tie", "york buckingham lancaster"),
    )]  # fmt: skip
    referee.settle()
    return referee


def stopped(referee: Referee) -> set[str]:
    return {entry.seat for entry in referee.queue if entry.held}


def test_without_an_attempt_nobody_is_stopped():
    referee = march(6)
    assert stopped(referee) == set()
    assert referee.table.state.blocks["lord_stafford"].moved


@pytest.mark.parametrize("attempt", [{"evade": EVADE}, {"intercept": INTERCEPT}], ids=["evade", "intercept"])
def test_a_failed_attempt_stops_the_mover_alone(attempt):
    referee = march(6, **attempt)
    assert stopped(referee) == {"york"}
    for entry in referee.queue:
        entry.held = False
    referee.settle()
    assert referee.table.state.blocks["lord_stafford"].moved


def test_an_evasion_stops_the_mover_and_who_is_gone():
    referee = march(1, evade=EVADE)
    assert referee.table.state.blocks["lord_oxford"].at == "cambridge"
    assert stopped(referee) == {"york", "lancaster"}


def test_an_interception_stops_the_mover_the_interceptor_and_who_stands_there():
    referee = march(1, intercept=INTERCEPT)
    assert referee.table.state.blocks["lord_suffolk"].at == "lincoln"
    assert stopped(referee) == {"york", "buckingham", "lancaster"}
