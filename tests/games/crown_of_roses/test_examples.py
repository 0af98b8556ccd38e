"""The examples: saves at the moments they are named for, and a mailbox that plays a whole impulse of four houses."""

import pytest

from games.crown_of_roses import GAME


@pytest.fixture(scope="module")
def played(examples):
    return examples.played("cor-impulse", days=1)


def test_moments(examples):
    battle = examples.referee("cor-battle")
    assert [(question.kind, question.seat) for question in battle.pending()] == [("charge", "york")]
    assert {side: len(army.force) for side, army in battle.table.state.battle.sides.items()} == {
        "york": 2,
        "buckingham": 3,
    }
    auction = examples.referee("cor-auction")
    assert {question.kind for question in auction.pending()} == {"bid"}
    assert len(auction.pending()) > 2
    cards = examples.referee("cor-impulse")
    assert {(question.kind, question.sealed) for question in cards.pending()} == {("command", True)}
    assert len(cards.pending()) == 4


def test_nine_letters_play_an_impulse(played):
    session, report, _ = played
    assert [letter.fate for letter in report.emails] == ["taken"] * 9
    state = session.referee.table.state
    assert (state.turn, state.impulse, state.phase) == (1, 3, "command")
    assert {question.kind for question in session.referee.pending()} == {"command"}
    assert sorted(letter.seat for letter in report.sent) == sorted(GAME.seats_for(4, "campaign"))


def test_what_the_impulse_brings(played):
    session = played.session
    state = session.referee.table.state
    assert state.blocks["lord_herbert"].steps == 3  # mustered
    assert state.blocks["lord_york"].at == "worcester"
    assert state.blocks["lord_worcester"].owner == ""
    assert "lord_exeter" in state.houses["lancaster"].heirs
    assert state.houses["york"].roll["lord_hastings"] == {"ip1": 2}
    keys = [line.key for line in session.lines(0)]
    assert keys.count("intercept.roll") == 1  # the conditional plan, not the `pass` behind it
    assert keys.count("battle.no_cards") == 2  # both plans were sent ahead
    tie = [line.args["order"] for line in session.lines(0) if line.key == "tie.broken"][-1]
    assert tie == ["buckingham", "lancaster", "warwick"]  # a standing answer, in which York stands first


def test_the_refused_line_is_told_to_its_writer_alone(played):
    letters = played.letters
    assert "先のメールの「muster stafford buckingham」は受け付けられませんでし" in letters["buckingham"]
    assert "証明が一致しません" not in letters["buckingham"], "what the mailbox quotes is this game's record"
    assert not any("muster stafford" in letters[seat] for seat in letters if seat != "buckingham")


def test_everybody_reads_what_is_public(played):
    letters = played.letters
    for seat in ("york", "lancaster", "warwick"):
        assert "Buckingham does not intercept in Worcester" in letters[seat]
        assert "York wins the battle in Worcester" in letters[seat]
        assert "Warwick reveals: Earl of Worcester 2" in letters[seat]
    assert "ウスターの戦闘はヨーク家の勝利" in letters["buckingham"]


def test_nobody_reads_the_secrets_of_others(played):
    session, _, letters = played
    assert "You muster a step in Pembroke for Lord Herbert" in letters["york"]
    assert "York musters a step in Pembroke for a block in Pembroke" in letters["lancaster"]
    # Herbert fought in the first impulse and is hidden again; Salisbury never was seen.
    assert "Lord Herbert 3" in letters["york"]
    for seat in ("lancaster", "warwick"):
        assert "Lord Herbert 3" not in letters[seat]
    assert "Earl of Salisbury 3" in letters["warwick"]
    assert "Earl of Salisbury 3" not in letters["york"] + letters["lancaster"]
    for seat, text in letters.items():
        assert "{" not in text.partition("BEGIN ORDERS")[0]
        for other, house in session.referee.table.state.houses.items():
            assert seat == other or not any(card in text for card in house.hand if "_" in card)
    assert "shrewsbury none if place=worcester" not in "".join(
        letters[seat] for seat in letters if seat != "buckingham"
    )
    assert all("markers Buckingham 2" in letters[seat] for seat in ("york", "lancaster", "warwick"))
