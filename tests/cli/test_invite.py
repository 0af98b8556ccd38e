"""`pbem new --invite`: the seed is committed to before anybody gives his nonce, and the game is dealt from both."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.mail.bundle import bundle
from pbem.mail.verify_emails import compare, read_emails
from pbem.save import Session, load
from pbem.timestamps import moment

NEW = ("new", "imperial_struggle", "--now", "2026-05-01T12:00:00Z", "--from-address", "pbem@games.example")
SEATS = ("--seat", "britain=Ann<ann@example.org>", "--seat", "france=Bob<bob@example.org>")


@pytest.fixture
def begin(tmp_path):
    def run(*words, file="seed.txt", output="g.toml", code=0):
        what = [*NEW, *SEATS, "-o", str(tmp_path / output), "--invite", str(tmp_path / file), *words]
        result = CliRunner().invoke(main, what)
        assert result.exit_code == code, result.output
        return result.output

    return run


def test_a_game_is_dealt_when_all_have_answered(begin, tmp_path):
    told = begin()
    (committed,) = re.findall(r"^  ([0-9a-f]{64})$", told, re.MULTILINE)
    prefilled = dict(re.findall(r"--nonce (\w+)=(\w+)", told))
    assert set(prefilled) == {"britain", "france"}
    assert not (tmp_path / "g.toml").exists()
    assert (tmp_path / "seed.txt").stat().st_mode & 0o077 == 0
    begin(code=3)  # the seed may not be drawn again
    begin("--nonce", "britain=mine", code=3)
    begin("--nonce", "spain=mine", code=2)
    begin("--nonce", "britain=my own words", "--nonce", f"france={prefilled['france']}")
    save = load(tmp_path / "g.toml")
    assert save.dice.commitment == committed
    assert save.dice.nonces == {"britain": "my own words", "france": prefilled["france"]}


def test_another_seed_or_nonce_than_that_of_the_invitation_shows(begin, tmp_path):
    """Each player finds what he was promised in his first letter; the bundle must say the same."""
    told = begin()
    begin("--nonce", "britain=a", "--nonce", "france=b")
    letters = list(read_emails([tmp_path / "outbox"]))
    assert len(letters) == 2
    for letter in letters:
        assert letter.seed in told
        assert dict(letter.nonces) == {"britain": "a", "france": "b"}
    for change in ("seed", "nonces"):
        fresh = list(read_emails([tmp_path / "outbox"]))
        setattr(fresh[0], change, "0" * 64 if change == "seed" else [("britain", "z"), ("france", "b")])
        assert compare(fresh).wrong
        found = compare(fresh[:1])
        session = Session.open(tmp_path / "g.toml", games.load)
        found.against(bundle(session, "", moment("2026-05-01T12:00:00Z")), "b.json")
        assert found.wrong


def test_each_nonce_changes_the_deal(begin, tmp_path):
    begin()
    hands = set()
    for number, words in enumerate((("a", "b"), ("a", "c"), ("d", "b"))):
        begin("--nonce", f"britain={words[0]}", "--nonce", f"france={words[1]}", output=f"g{number}.toml")
        state = Session.open(tmp_path / f"g{number}.toml", games.load).referee.table.state
        hands.add(str([side.hand for side in state.sides.values()]))
    assert len(hands) == 3
