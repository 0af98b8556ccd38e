"""The examples: saves at the moments they are named for, and a mailbox that plays a whole negotiation segment."""

import re

import pytest

from games.virgin_queen import GAME
from games.virgin_queen.table import KIT


@pytest.fixture(scope="module")
def played(examples):
    return examples.played("vq-negotiation", days=1)


def test_moments(examples):
    talks = examples.referee("vq-negotiation")
    assert {pending.kind for pending in talks.pending()} == {"negotiation"}
    assert set(talks.talk.open) == {"england-france-1", "spain-hre-1"}
    raid = examples.referee("vq-interception")
    assert [(pending.kind, pending.seat) for pending in raid.pending()] == [("intercept", "protestant")]
    attempt = {"do": "intercept", "with": [{"origin": "montauban"}]}
    assert KIT.evidence["intercept"].means(raid.look("protestant"), attempt).chance == 58


def test_an_attempt_and_a_wedding_are_open_in_the_middle(examples):
    plot = examples.referee("vq-assassination")
    assert [(pending.kind, pending.seat) for pending in plot.pending()] == [("execute_mary", "england")]
    state = plot.table.state
    assert state.mary == "captive"
    assert not state.powers["england"].ruler_dead
    plot.submit("england", plot.domain("england").parse("yes"))
    assert (state.mary, state.powers["england"].vp["mary_executed"]) == ("executed", -1)
    wedding = examples.referee("vq-weddings")
    assert [(pending.kind, pending.seat) for pending in wedding.pending()] == [("dowry_action", "protestant")]
    state = wedding.table.state
    assert state.phase == "weddings"
    assert state.royals["elizabeth_i"].state == "wed"
    wedding.submit("protestant", wedding.domain("protestant").parse("netherlands"))
    assert state.royals["arran"].state == "wed"


def test_every_letter_is_taken_and_one_line_refused(played):
    letters = played.report.emails
    assert len(letters) == 17
    assert sum(letter.refused for letter in letters) == 1


def test_what_the_negotiation_brings(played):
    session = played.session
    state = session.referee.table.state
    assert "england:france" not in state.diplomacy
    assert state.diplomacy["spain:hre"] == state.diplomacy["spain:france"] == "allied"
    assert state.diplomacy["ottoman:spain"] == "war"
    assert "france:protestant" not in state.diplomacy
    assert state.land["paris"]["france"].mercenaries == 5
    assert [fleet.power for fleet in state.fleets["trieste"] if fleet.owner == "spain"] == ["hre"]
    assert (len(state.powers["france"].hand), len(state.powers["hre"].hand)) == (4, 7)
    keys = [line.key for line in session.lines(0)]
    assert keys.count("deal.announced") == 6
    assert keys.count("deal.fails") == keys.count("deal.refused") == 1


def test_letters_tell_the_deals_in_words(played):
    letters = played.letters
    assert "peace between Ottoman Empire and Spain" in letters["protestant"]
    assert (
        "Agreement ottoman-spain-hre-1 of Ottoman Empire, Spain and Holy Roman Empire is announced" in letters["france"]
    )
    assert "Holy Roman Empire does not confirm ottoman-spain-hre-1" in letters["spain"]
    assert "france-protestant-1 was confirmed, but can no longer be executed (alliance)" in letters["protestant"]
    assert "イギリスとフランスは和平を結びました" in letters["england"]
    for text in letters.values():
        assert "{" not in text.partition("BEGIN ORDERS")[0]


def test_only_the_two_learn_which_card_was_drawn(played):
    session, _, letters = played
    (card,) = next(line for line in session.lines(0) if line.key == "deal.cards").private["hre"]["cards"]
    name = GAME.names(session.referee.table.c).of(card)
    pattern = re.compile(rf"gives Holy Roman Empire a random card: {re.escape(name)}")
    assert {seat for seat, text in letters.items() if pattern.search(text)} == {"france", "hre"}


def test_private_talk_stays_private(played):
    letters = played.letters
    assert "Milan and Lyon quiet" in letters["hre"]
    assert "Milan and Lyon quiet" in letters["france"]
    assert not any("Milan and Lyon quiet" in letters[seat] for seat in ("ottoman", "england", "protestant"))
    assert all("Landsknechte" in letters[seat] for seat in letters if seat not in ("hre", "england"))


@pytest.mark.parametrize("kind", ["negotiation", "interception"])
def test_shipped(examples, kind):
    """What lies in the repository still replays under these rules; if not: `pbem examples build virgin_queen`."""
    referee = examples.shipped(f"vq-{kind}")
    assert referee.pending()[0].kind in (kind, "intercept")
