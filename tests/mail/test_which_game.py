"""An email that names no game, from somebody who plays in several."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.quarantine import Quarantine

SAVES = Path(__file__).parents[2] / "saves"
GAMES = ("1630-ballot", "is-war")
NOW = datetime(2026, 5, 1, 16, tzinfo=UTC)
"""Anna is Amber in the one, Britain in the other; only the first waits for her."""
BOTH = ("1630-ballot", "cor-battle")
"""Both wait for her: she is York in the other."""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What becomes of an email of hers: the emails to her, and the reason of quarantine."""

    def told(head: str, text: str, games=GAMES):
        folder = tmp_path_factory.mktemp("two")
        for name in games:
            shutil.copy2(SAVES / f"{name}.toml", folder)
        mail = folder / "mail.eml"
        mail.write_bytes(f"From: Anna <anna@example.org>\r\n{head}Message-ID: <1@a>\r\n\r\n{text}\r\n".encode())
        report = ingest([folder], [mail], now=NOW)
        (held,) = Quarantine(folder / "quarantine").listed()
        mails = [decode_mail(Path(sent.file).read_bytes()) for sent in report.sent]
        return held.reason, [found for found in mails if found.to == ("anna@example.org",)]

    return told


def test_its_writer_is_told_once_and_which_games_there_are(told):
    reason, mails = told("Subject: my turn\r\n", "Could you take my turn?")
    assert reason == "no-game"
    (notice,) = [mail for mail in mails if mail.subject.startswith("[1630-ballot]")]
    said = " ".join(notice.text.split())
    assert "You play in 1630-ballot, is-war." in said
    assert "Rejected" in notice.subject
    assert not any("You play in" in " ".join(mail.text.split()) for mail in mails if mail is not notice)


@pytest.mark.parametrize("game", GAMES)
def test_the_game_in_the_subject_is_the_one_that_is_told(told, game):
    reason, mails = told(f"Subject: Re: [{game}] what you like\r\n", "what you like")
    assert reason == "no-orders"
    (notice,) = [mail for mail in mails if "no answer was found" in " ".join(mail.text.split())]
    assert notice.subject.startswith(f"[{game}]")


@pytest.mark.parametrize(
    ("text", "games", "game", "answer"),
    [
        ("40: hold", BOTH, "cor-battle", "hold"),
        ("29: red", BOTH, "1630-ballot", "red"),
        ("I'll take red, please", GAMES, "1630-ballot", "red"),
    ],
)
def test_an_answer_that_fits_one_question_is_asked_back_with_a_button_and_never_taken(told, text, games, game, answer):
    _, mails = told("Subject: my turn\r\n", text, games)
    (notice,) = [mail for mail in mails if f"Is {answer} your answer?" in " ".join(mail.text.split())]
    assert notice.subject.startswith(f"[{game}] Rejected")
    assert "does not show which of our emails it answers" in " ".join(notice.text.split())
    assert f"→ Yes, take {answer}" in (notice.page or "")


@pytest.mark.parametrize("text", ["red", "29: blue?", "30: red", "29: red\nbut wait"])
def test_an_answer_that_fits_several_or_is_doubtful_has_no_button(told, text):
    _, mails = told("Subject: my turn\r\n", text, BOTH)
    assert not any("your answer?" in " ".join(mail.text.split()) for mail in mails)


def test_who_plays_in_one_game_is_told_of_no_other(told):
    reason, mails = told("Subject: my turn\r\n", "no answer here", GAMES[:1])
    assert reason == "no-orders"
    assert not any("You play in" in mail.text for mail in mails)
