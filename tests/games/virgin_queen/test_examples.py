"""The examples: saves at the moments they are named for, and a mailbox that plays a whole negotiation segment."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from games.virgin_queen import GAME
from pbem.cli.demo import plain_part
from pbem.post.ingest import ingest
from pbem.save import Session
from pbem.trial import stage, staging

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vq")
    stage.build_all(folder, ["virgin_queen"])
    return folder


@pytest.fixture(scope="module")
def played(home):
    """The save after the mailbox, the report of the intake, and everybody's letters."""
    save = home / "saves" / "vq-negotiation.toml"
    mbox = home / "examples" / "vq-negotiation.mbox"
    report = ingest([save], [mbox], now=staging.START + timedelta(days=1), home=home)
    letters = dict.fromkeys(GAME.seats_for(6, "campaign"), "")
    for file in sorted((home / "outbox" / "new").iterdir()):
        letters[file.name.split(".")[1]] += plain_part(file.read_bytes())
    return (
        Session.open(save, lambda slug: GAME),
        report,
        {seat: " ".join(text.split()) for seat, text in letters.items()},
    )


def opened(path):
    return Session.open(path, lambda slug: GAME).referee


def test_moments(home):
    talks = opened(home / "saves" / "vq-negotiation.toml")
    assert {pending.kind for pending in talks.pending()} == {"negotiation"}
    assert set(talks.talk.open) == {"england-france-1", "spain-hre-1"}
    raid = opened(home / "saves" / "vq-interception.toml")
    assert [(pending.kind, pending.seat) for pending in raid.pending()] == [("intercept", "protestant")]
    assert raid.pending()[0].about["odds"] == {"protestant": {"montauban": 58}}


def test_every_letter_is_taken_and_one_line_refused(played):
    _, report, _ = played
    assert len(report.letters) == 17
    assert sum(one.refused for one in report.letters) == 1


def test_what_the_negotiation_brings(played):
    session = played[0]
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
    letters = played[2]
    assert "peace between Ottoman Empire and Spain" in letters["protestant"]
    assert (
        "Agreement ottoman-spain-hre-1 of Ottoman Empire, Spain and Holy Roman Empire is read out"
        in letters["france"]
    )
    assert "Holy Roman Empire does not confirm ottoman-spain-hre-1" in letters["spain"]
    assert (
        "france-protestant-1 was confirmed, but can no longer be carried out (alliance)"
        in letters["protestant"]
    )
    assert "イギリスとフランスは和平を結ぶ" in letters["england"]
    for text in letters.values():
        assert "{" not in text.partition("BEGIN ORDERS")[0]


def test_only_the_two_learn_which_card_was_drawn(played):
    session, _, letters = played
    (card,) = next(line for line in session.lines(0) if line.key == "deal.cards").private["hre"]["cards"]
    name = GAME.names(session.referee.table.c).of(card)
    pattern = re.compile(rf"gives Holy Roman Empire a random card: {re.escape(name)}")
    assert {seat for seat, text in letters.items() if pattern.search(text)} == {"france", "hre"}


def test_private_talk_stays_private(played):
    letters = played[2]
    assert "Milan and Lyon quiet" in letters["hre"]
    assert "Milan and Lyon quiet" in letters["france"]
    assert not any("Milan and Lyon quiet" in letters[seat] for seat in ("ottoman", "england", "protestant"))
    assert all("Landsknechte" in letters[seat] for seat in letters if seat not in ("hre", "england"))


@pytest.mark.parametrize("kind", ["negotiation", "interception"])
def test_shipped(kind):
    """What lies in the repository still replays under these rules; if not: `pbem examples build virgin_queen`."""
    referee = opened(ROOT / "saves" / f"vq-{kind}.toml")
    assert referee.pending()[0].kind in (kind, "intercept")
