"""Reaction sheets: nobody is asked in a window of cards; each seat's standing answers speak for it."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from pbem.kernel.referee import QUEUED, SETTINGS, STANDING, Referee
from pbem.kernel.standing_orders import ALWAYS, ASK, REACTIONS, SHEET, AdvanceOrder, AskMe, StandingRule, condition
from tests.toy import playing as toy
from tests.toy.playing import new, to_action


def marched(*sheets: StandingRule | AdvanceOrder, seed: str = toy.SEED, **keywords: object) -> Referee:
    """Amber marches to the ford; the others have written these lines."""
    setup = msgspec.structs.replace(toy.setup(reactions=SHEET), seed=seed)
    referee = to_action(Referee.new(toy.GAME, setup, **keywords))
    referee.standing += [line for line in sheets if isinstance(line, StandingRule)]
    referee.queue += [line for line in sheets if isinstance(line, AdvanceOrder)]
    referee.submit("amber", {"do": "march", "to": "ford"})
    return referee


def answers(referee: Referee) -> dict[str, tuple[object, str]]:
    return {m.seat: (m.answer, m.how) for m in referee.moves if m.kind == "intercept"}


def card(seat: str) -> str:
    return to_action(new(reactions=SHEET)).table.state.hands[seat][0]


def intercepts(seat: str, which: str = "", **keywords: object) -> StandingRule:
    return StandingRule(seat, "intercept", f"intercept {which or card(seat)}", **keywords)  # type: ignore[arg-type]


def test_nobody_is_asked_and_an_empty_sheet_passes() -> None:
    referee = marched()
    assert answers(referee) == {"blue": ("pass", SETTINGS), "coral": ("pass", SETTINGS)}
    assert referee.table.state.at["amber"] == "ford"


def test_what_stands_on_the_sheet_is_played() -> None:
    referee = marched(intercepts("coral"))
    assert answers(referee)["coral"] == ({"do": "intercept", "card": card("coral")}, STANDING)
    assert card("coral") in referee.table.state.discard
    assert [(note.seat, note.key) for note in referee.notes] == [("coral", "standing.used")]


def test_a_line_whose_card_is_not_there_is_passed_over() -> None:
    referee = marched(intercepts("coral", card("blue")), intercepts("coral"))
    assert answers(referee)["coral"] == ({"do": "intercept", "card": card("coral")}, STANDING)
    assert [note.key for note in referee.notes] == ["standing.used"]


def test_conditions_look_at_public_facts() -> None:
    elsewhere = intercepts("coral", when=(condition("space=keep"),))
    here = intercepts("coral", when=(condition("space=ford"),))
    assert answers(marched(elsewhere))["coral"][0] == "pass"
    assert answers(marched(here))["coral"][1] == STANDING


def test_a_line_for_this_kind_comes_before_the_standing_answers_and_is_used_up() -> None:
    line = AdvanceOrder("coral", "pass", kind="intercept")
    referee = marched(line, intercepts("coral"))
    assert answers(referee)["coral"] == ("pass", QUEUED)
    assert referee.queue == []
    assert [note.key for note in referee.notes] == ["advance.used"]


def test_a_line_that_is_not_legal_is_told_and_never_tried_again() -> None:
    referee = marched(AdvanceOrder("coral", "intercept nothing", kind="intercept"), intercepts("coral"))
    assert answers(referee)["coral"][0] == "pass"
    assert [(note.seat, note.key) for note in referee.notes] == [("coral", "advance.failed")]
    assert referee.queue[0].refused


def test_a_brake_holds_a_line_of_the_queue() -> None:
    line = AdvanceOrder("coral", f"intercept {card('coral')}", kind="intercept", stops=(condition("space=ford"),))
    referee = marched(line)
    assert answers(referee)["coral"][0] == "pass"
    assert referee.queue[0].held


def test_a_wish_to_be_asked_is_no_exception() -> None:
    """Whoever were asked would betray by the pause what he holds."""
    setup = toy.setup(reactions=SHEET)
    referee = to_action(Referee.new(toy.GAME, setup))
    referee.settings.append(AskMe("coral", "*", ALWAYS))
    referee.submit("amber", {"do": "march", "to": "ford"})
    assert answers(referee)["coral"] == ("pass", SETTINGS)


@pytest.mark.parametrize(("blue", "coral"), product((False, True), repeat=2))
def test_the_question_that_comes_next_tells_nothing(blue: bool, coral: bool) -> None:
    """Whatever stands on the sheets, the window takes one question number and no seat waits in it."""
    sheets = [StandingRule(seat, "intercept", "pass") for seat, on in (("blue", blue), ("coral", coral)) if on]
    referee, plain = marched(*sheets), marched()
    assert (referee.q, referee.n, referee.asked()) == (plain.q, plain.n, plain.asked())


def test_the_next_question_has_its_own_options() -> None:
    referee = marched(StandingRule("blue", "intercept", "pass"))
    while referee.asked() == ("amber",):
        referee.submit("amber", "hold")
    referee.submit("blue", "hold")
    assert referee.moves[-1].kind == "action"


def test_it_replays() -> None:
    referee = marched(intercepts("coral"), intercepts("blue"))
    again = Referee.resume(toy.GAME, referee.setup, referee.moves)
    assert again.digest() == referee.digest()


def test_a_game_from_before_the_option_asks() -> None:
    assert REACTIONS.value({}) == ASK
    assert toy.GAME.with_defaults({})["reactions"] == SHEET
    referee = to_action(new())
    referee.table.state.at["blue"] = "ford"
    referee.submit("amber", {"do": "march", "to": "ford"})
    assert referee.waiting() == ("blue",)
