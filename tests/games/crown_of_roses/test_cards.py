"""Every card does what it says: it is registered where its type belongs, and a case cites it (10, 14)."""

import random
import re
from pathlib import Path

import pytest

from games.crown_of_roses import GAME
from games.crown_of_roses.draw import LASTING
from games.crown_of_roses.events import writs
from games.crown_of_roses.response_points import MOMENTS, WORDS
from games.crown_of_roses.table import KIT
from pbem.dev import rule_tests
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule, condition

BOX = components_of(GAME, {})[1]
FOLDER = Path(__file__).parents[2] / "cases" / "crown_of_roses"
CITED = " ".join(case.rule for path in rule_tests.files([FOLDER]) for case in rule_tests.load(path))


def of_type(*kinds):
    return [card for card in BOX.cards.values() if card.type in kinds]


def test_the_box_is_complete():
    assert len(BOX.cards) == 110


@pytest.mark.parametrize("card", BOX.cards.values(), ids=lambda card: card.id)
def test_every_card_has_a_case(card):
    assert re.search(rf"\bcard {card.number}\b", CITED)


@pytest.mark.parametrize("card", of_type("event", "ally", "mandatory"), ids=lambda card: card.id)
def test_events_can_be_played(card):
    assert card.id in KIT.entries["event"]


@pytest.mark.parametrize("card", of_type("surprise"), ids=lambda card: card.id)
def test_surprise_cards_have_a_moment(card):
    assert any(card.id in KIT.responses.get(moment, {}) for moment in MOMENTS)


@pytest.mark.parametrize("card", of_type("ally"), ids=lambda card: card.id)
def test_every_option_of_an_ally_is_there(card):
    assert card.options
    for option in card.options:
        assert option.kind in WORDS or (option.kind, card.id) == ("respond", writs.STOURTON)
    words = [WORDS[option.kind] for option in card.options if option.kind in WORDS]
    assert len(words) == len(set(words))


def test_lasting_cards_leave_the_table_at_a_known_time():
    durations = {card.duration for card in of_type("event", "mandatory", "surprise")}
    assert durations <= {*LASTING, "instant", "impulse", "impulse_or_battle", "battle", "until_queen_removed"}


@pytest.mark.parametrize("kind", WORDS)
def test_every_kind_of_option_has_a_moment(kind):
    assert any(kind in KIT.responses.get(f"ally.{moment}", {}) for moment in MOMENTS)


def test_nothing_is_registered_that_no_card_does():
    """A mistyped card or moment would never be found."""
    moments = {*MOMENTS, *(f"ally.{moment}" for moment in MOMENTS)}
    assert set(KIT.responses) <= moments
    keys = {key for cards in KIT.responses.values() for key in cards}
    assert keys <= {*BOX.cards, *WORDS}
    assert set(KIT.entries["event"]) <= set(BOX.cards)


def play(referee, source, steps):
    """Random answers; the kinds of windows that were put."""
    kinds = set()
    for _ in range(steps):
        if referee.over:
            break
        kinds.update(pending.kind for pending in referee.pending())
        seat = referee.waiting()[0]
        referee.submit(seat, referee.domain(seat).sample(source.randrange))
    return {kind for kind in kinds if kind.startswith("surprise_")}


def new(seed, reactions="ask"):
    seats = GAME.seats_for(4, "campaign")
    setup = Setup(GAME.slug, seats, f"{seed:064x}", "campaign", GAME.with_defaults({"reactions": reactions}))
    return Referee.new(GAME, setup)


def test_cards_of_the_kind_at_any_time_cost_no_letters():
    quiet = {"surprise_impulse", "surprise_step", "surprise_march", "surprise_sail"}
    assert not play(new(5), random.Random(5), 600) & quiet


def test_who_wants_to_is_asked():
    referee = new(5)
    referee.settings.append(AskMe("warwick", "surprise_step", "always"))
    assert "surprise_step" in play(referee, random.Random(5), 600)


def test_a_standing_answer_passes_for_all_windows():
    referee = new(5)
    for seat in referee.setup.seats:
        referee.settings.append(AskMe(seat, "*", "always"))
        referee.standing.append(StandingRule(seat, "*", "pass"))
    referee.settle()
    assert not play(referee, random.Random(5), 300)


def test_a_sheet_plays_a_card_in_anothers_step():
    referee = new(5, "sheet")
    state = referee.table.state
    for pile in (state.deck, *(house.hand for house in state.houses.values())):
        if "bad_roads" in pile:
            pile.remove("bad_roads")
    state.houses["york"].hand.append("bad_roads")
    referee.standing.append(StandingRule("york", "surprise_step", "bad_roads", (condition("house!=york"),)))
    assert not play(referee, random.Random(5), 60)
    played = [line.args for line in referee.table.lines if line.key == "surprise.played"]
    assert {"house": "york", "card": "bad_roads"} in played


def test_a_line_sent_beforehand_plays_a_card_in_anothers_step():
    referee = new(5)
    state = referee.table.state
    for pile in (state.deck, *(house.hand for house in state.houses.values())):
        if "bad_roads" in pile:
            pile.remove("bad_roads")
    state.houses["york"].hand.append("bad_roads")
    referee.queue.append(AdvanceOrder("york", "bad_roads", kind="surprise_step"))
    play(referee, random.Random(5), 60)
    played = [line.args for line in referee.table.lines if line.key == "surprise.played"]
    assert {"house": "york", "card": "bad_roads"} in played
