"""The examples: saves at the moments they are named for, and a mailbox that plays a whole impulse of four houses."""

from datetime import timedelta

import pytest

from games.crown_of_roses import GAME
from pbem.cli.demo import plain_part
from pbem.post.ingest import ingest
from pbem.save import Session
from pbem.trial import stage, staging


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cor")
    stage.build_all(folder, ["crown_of_roses"])
    return folder


@pytest.fixture(scope="module")
def played(home):
    """The save after the mailbox, the report of the intake, and everybody's letters."""
    save = home / "saves" / "cor-impulse.toml"
    mbox = home / "examples" / "cor-impulse.mbox"
    report = ingest([save], [mbox], now=staging.START + timedelta(days=1), home=home)
    letters = {}
    for file in sorted((home / "outbox" / "new").iterdir()):
        seat = file.name.split(".")[1]
        assert seat not in letters
        letters[seat] = " ".join(plain_part(file.read_bytes()).split())
    return Session.open(save, lambda slug: GAME), report, letters


def opened(path):
    return Session.open(path, lambda slug: GAME).referee


def test_moments(home):
    battle = opened(home / "saves" / "cor-battle.toml")
    assert [(one.kind, one.seat) for one in battle.pending()] == [("charge", "york")]
    assert {side: len(one.force) for side, one in battle.table.state.battle.sides.items()} == {
        "york": 2,
        "buckingham": 3,
    }
    auction = opened(home / "saves" / "cor-auction.toml")
    assert {one.kind for one in auction.pending()} == {"bid"}
    assert len(auction.pending()) > 2
    cards = opened(home / "saves" / "cor-impulse.toml")
    assert {(one.kind, one.sealed) for one in cards.pending()} == {("command", True)}
    assert len(cards.pending()) == 4


def test_ten_letters_play_an_impulse(played):
    session, report, letters = played
    assert [one.fate for one in report.letters] == ["taken"] * 10
    state = session.referee.table.state
    assert (state.turn, state.impulse, state.phase) == (1, 3, "command")
    assert {one.kind for one in session.referee.pending()} == {"command"}
    assert set(letters) == set(GAME.seats_for(4, "campaign"))


def test_what_the_impulse_brings(played):
    session = played[0]
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
    letters = played[2]
    assert "合法ではありませんでした: muster stafford buckingham" in letters["buckingham"]
    assert not any("muster stafford" in letters[seat] for seat in letters if seat != "buckingham")


def test_everybody_reads_what_is_public(played):
    letters = played[2]
    for seat in ("york", "lancaster", "warwick"):
        assert "Buckingham does not intercept in Worcester" in letters[seat]
        assert "York wins the battle in Worcester" in letters[seat]
        assert "Warwick lays open: Earl of Worcester 2" in letters[seat]
    assert "ウスターの戦闘はヨーク家の勝利" in letters["buckingham"]


def test_nobody_reads_the_secrets_of_others(played):
    session, _, letters = played
    assert "You muster a step in Pembroke for Lord Herbert" in letters["york"]
    assert "York musters a step in Pembroke for a block in Pembroke" in letters["lancaster"]
    # Herbert fought in the first impulse and is hidden again; Salisbury never was seen.
    assert "known Lord Herbert" in letters["york"]
    for seat in ("lancaster", "warwick"):
        assert "known Lord Herbert" not in letters[seat]
    assert "known Earl of Salisbury" in letters["warwick"]
    assert "known Earl of Salisbury" not in letters["york"] + letters["lancaster"]
    for seat, text in letters.items():
        assert "{" not in text.partition("BEGIN ORDERS")[0]
        for other, house in session.referee.table.state.houses.items():
            assert seat == other or not any(card in text for card in house.hand if "_" in card)
    assert "shrewsbury none if place=worcester" not in "".join(
        letters[seat] for seat in letters if seat != "buckingham"
    )
    assert all("markers Buckingham 2" in letters[seat] for seat in ("york", "lancaster", "warwick"))
