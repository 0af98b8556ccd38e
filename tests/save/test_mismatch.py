"""A save that is whole and does not fit the game: its rules, its components, the question that is open."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pbem.kernel.questions import AskAll, Negotiate
from pbem.save import GameNotInstalled, PackMismatch, ReplayFailed, RulesMismatch, SaveKeyError, Session
from tests.save.hands import edited, until
from tests.toy import playing as toy
from tests.toy.game import ballot


def test_unknown_game(session: Session, path: Path) -> None:
    line = edited(path, 'game = "toy"', 'game = "tay"')
    with pytest.raises(GameNotInstalled, match="unknown game 'tay'") as caught:
        Session.open(path, toy.load)
    assert (caught.value.key, caught.value.line) == ("game.game", line)
    assert "?." not in str(caught.value)
    with pytest.raises(GameNotInstalled, match="'tay', not of 'toy'"):
        Session.open(path, toy.GAME)


def test_rules_and_pack_are_pinned(session: Session, path: Path) -> None:
    newer = msgspec.structs.replace(toy.GAME, rules="8")
    with pytest.raises(RulesMismatch, match="rules 7; these are 8") as caught:
        Session.open(path, newer)
    assert (caught.value.key, caught.value.line) == ("game.rules", 8)
    assert Session.open(path, newer, pinned=False).referee.digest() == session.referee.digest()
    other = msgspec.structs.replace(toy.GAME, package="games.sixteen_thirty", components=lambda pack: None)
    with pytest.raises(PackMismatch) as caught_pack:
        Session.open(path, other)
    assert (caught_pack.value.key, caught_pack.value.line) == ("game.pack_digest", 9)
    assert Session.open(path, other, pinned=False).referee.n == session.referee.n


def test_a_correction_of_the_pack_is_kept_and_checked(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(pack={"things": {"crown": {"worth": 4}}}))
    session.commit()
    again = Session.open(path, toy.load)
    assert again.referee.components[0]["worth"] == 4
    plain = Session.create(path.with_name("b.toml"), toy.GAME, toy.campaign())
    assert plain.save.header.pack_digest != again.save.header.pack_digest
    edited(path, "worth = 4", "worth = 5")
    with pytest.raises(PackMismatch):
        Session.open(path, toy.load)
    edited(path, "worth = 5", "wirth = 5")
    with pytest.raises(PackMismatch, match="wirth"):
        Session.open(path, toy.load)


def test_rules_that_play_otherwise(session: Session, path: Path) -> None:
    def play(table: object) -> object:
        state = table.state  # type: ignore[attr-defined]
        while True:
            yield from ballot(table)  # type: ignore[arg-type]
            state.turn += 1

    with pytest.raises(ReplayFailed, match=r"moves\[\d+\]: move \d+: ") as caught:
        Session.open(path, msgspec.structs.replace(toy.GAME, play=play))
    assert caught.value.line > 0
    assert caught.value.n > 0


def test_a_journal_that_leads_to_another_question(early: Path) -> None:
    line = edited(early, "q = ", "q = 1", "[game]")
    with pytest.raises(ReplayFailed) as caught:
        Session.open(early, toy.load)
    assert (caught.value.key, caught.value.line) == ("game.q", line)


@pytest.mark.parametrize(
    ("old", "new", "after", "key"),
    [
        ("q = ", "q = 9", "[[sealed]]", "sealed[0]"),
        ('seat = "', 'seat = "x', "[[sealed]]", "sealed[0]"),
        ('answer = "', 'answer = "x', "[[sealed]]", "sealed[0].answer"),
    ],
)
def test_a_sealed_answer_that_cannot_be(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    with pytest.raises(SaveKeyError) as caught:
        Session.open(early, toy.load)
    assert caught.value.key == key
    assert 0 <= line - caught.value.line <= 5


@pytest.mark.parametrize(
    ("old", "new"), [('do = "', 'do = "x'), ('seat = "', 'seat = "x'), ("seat = ", "sat = "), ("price = ", "prize = ")]
)
def test_an_act_that_cannot_be(session: Session, path: Path, old: str, new: str) -> None:
    until(session, Negotiate, 2)
    session.commit()
    edited(path, old, new, "[[talk]]")
    with pytest.raises(SaveKeyError, match=r"talk\[\d\]"):
        Session.open(path, toy.load)


def test_acts_without_a_negotiation(session: Session, path: Path) -> None:
    until(session, Negotiate, 2)
    session.commit()
    text = path.read_text("utf-8")
    talk = text[text.index("[[talk]]") : text.index("[[moves]]")]
    until(session, AskAll, 0)
    session.commit()
    text = path.read_text("utf-8")
    path.write_text(text.replace("[[moves]]", talk + "[[moves]]", 1), "utf-8")
    with pytest.raises(SaveKeyError, match="no negotiation is open"):
        Session.open(path, toy.load)
