"""The start of a turn in one email: the discards, then the Ministry cards, then who begins (4.1.6 to 4.1.8)."""

from pathlib import Path

import msgspec
import pytest

from games.imperial_struggle import GAME
from pbem.dev import rule_tests
from pbem.dev.rule_test_runner import Script
from pbem.kernel.referee import QUEUED, Referee
from tests.toy.letters import reasons, send

(T04,) = [
    case
    for case in rule_tests.load(Path(__file__).parents[2] / "cases" / "imperial_struggle" / "turn.toml")
    if case.id == "T04"
]
BRITAIN = "calico-acts famine-in-ireland interest-payments"


@pytest.fixture
def referee() -> Referee:
    """Both sides discard; Britain is behind and will hold the initiative."""
    referee = Script(msgspec.structs.replace(T04, answers=[]), GAME).referee
    referee.table.state.vp = referee.table.c.start.vp + 3
    return referee


def first(referee: Referee, seat: str) -> str:
    """The first of all answers."""
    return referee.domain(seat).text(referee.domain(seat).sample(lambda n: 0))


def test_4_1_7_ministers_are_chosen_with_the_discards(referee):
    later = referee.next_turn("britain")
    assert later is not None
    cards = first(later, "britain")
    send(referee, "britain", f"{referee.q}: {BRITAIN}", f"next: {cards}")
    assert referee.asked() == ("britain", "france")
    assert [str(entry) for entry in referee.queue] == [f"ministry: {cards}"]
    send(referee, "france", f"{referee.q}: tax-reform")
    assert referee.waiting() == ("france",)
    assert referee.asked() == ("britain", "france")
    assert referee.sealed["britain"].how == QUEUED


def test_4_1_9_the_first_tile_is_taken_ahead_by_who_doesnt_choose_who_begins(referee):
    send(referee, "britain", f"{referee.q}: {BRITAIN}")
    send(referee, "france", f"{referee.q}: tax-reform")
    assert [referee.next_turn(seat).pending()[0].kind for seat in ("britain", "france")] == ["initiative", "tile"]
    tile = referee.table.state.display[0]
    send(referee, "britain", f"{referee.q}: {first(referee, 'britain')}", "next: france")
    send(referee, "france", f"{referee.q}: {first(referee, 'france')}", f"next: take {tile}")
    assert [(move.kind, move.how) for move in referee.moves[-2:]] == [("initiative", QUEUED), ("tile", QUEUED)]
    assert referee.table.state.sides["france"].tiles == [tile]


def test_4_1_8_who_begins_is_asked_ahead_of_its_holder_alone(referee):
    send(referee, "britain", f"{referee.q}: {BRITAIN}")
    send(referee, "france", f"{referee.q}: tax-reform")
    send(referee, "britain", f"{referee.q}: {first(referee, 'britain')}", "next: france")
    refused = send(referee, "france", f"{referee.q}: {first(referee, 'france')}", "next: france")
    assert [key for _, key in reasons(refused)] == ["answer.not_now"]
    assert referee.table.state.first == "france"
    assert [move.how for move in referee.moves if move.kind == "initiative"] == [QUEUED]
