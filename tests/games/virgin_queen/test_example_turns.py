"""Three turns by mail: the letters that are shipped play the tale that is told of them."""

from datetime import timedelta
from pathlib import Path
from shutil import copy2

import pytest

from games.virgin_queen import GAME
from pbem.dev import synthetic_mail
from pbem.mail.inbox.ingest import ingest
from pbem.save import Session
from tests.examples.kit import build_all
from tests.examples.vq_letters import LETTERS
from tests.examples.vq_turns import MOMENTS, tells_all

HOME = Path(__file__).parents[3]
FILES = ("saves/vq-turns.toml", "examples/vq-turns.mbox", "examples/vq-turns.md")


def test_what_is_told_stands_in_the_page():
    """Each letter with a comment is on the page, in its turn and with its words."""
    page = (HOME / FILES[2]).read_text("utf-8")
    turns = dict(zip("345", page.split("\n## Turn ")[1:], strict=True))
    assert len([letter for letter in LETTERS if letter.comment]) == page.count("```\n\n") > 12
    for letter in LETTERS:
        if letter.comment:
            told = " ".join(turns[str(letter.turn)].split())
            assert " ".join(letter.comment.split()) in told
            assert letter.words in told
    for happened in (
        "Rebellion at ",
        "plots against the life of ",
        "The wedding of Henry of Navarre",
        "John Dee works for",
    ):
        assert happened in page
    assert "The Armada now has strength 6." in page
    assert "Corunna: Bay of Biscay" in page


@pytest.mark.slow
def test_the_letters_play_three_turns(tmp_path):
    """Taken in one after another, all are taken whole, and lead to turn 6 with the Armada at sea."""
    save, mbox = (Path(copy2(HOME / file, tmp_path)) for file in FILES[:2])
    report = ingest([save], [mbox], now=synthetic_mail.START + timedelta(days=9), home=tmp_path)
    assert len(report.emails) > 150
    assert not [letter for letter in report.emails if letter.refused]
    session = Session.open(save, GAME)
    state = session.referee.table.state
    assert (state.turn, state.phase) == (6, "negotiation")
    assert state.armada >= 4
    assert state.royals["margaret_of_valois"].state == "wed"
    assert MOMENTS
    assert tells_all(session.lines(0))


@pytest.mark.slow
def test_they_are_made_by_the_same_rules(tmp_path):
    """`pbem examples build virgin_queen` writes the same letters and the same tale."""
    build_all(tmp_path, [GAME.slug])
    for file in FILES[1:]:
        assert (tmp_path / file).read_bytes() == (HOME / file).read_bytes(), f"build the examples anew: {file}"
