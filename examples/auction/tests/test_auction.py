"""What a game of one's own should prove: its cases hold, no random game breaks it, and nothing leaks."""

from __future__ import annotations

import email
import subprocess
import sys
import tomllib
from email import policy
from pathlib import Path

import games

HERE = Path(__file__).parent


def pbem(*words: str, folder: Path = HERE) -> str:
    """Run a command; returns what it prints, fails with what it says."""
    done = subprocess.run([sys.executable, "-m", "pbem", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_game_is_found_by_its_entry_point():
    assert games.load("auction").title == {"en": "Auction", "ja": "競売"}


def test_the_cases_hold():
    assert "4 of 4" in pbem("dev", "test-rules", "cases")


def test_random_games_end():
    assert " 0 failures" in pbem("dev", "fuzz", "auction", "--count", "50")


def test_nothing_leaks():
    assert " 0 leaks" in pbem("dev", "leak-test", "auction", "--count", "10")


def test_both_languages_have_the_same_words():
    english, japanese = (
        tomllib.loads((HERE.parent / "auction" / "locale" / f"{language}.toml").read_text("utf-8"))
        for language in ("en", "ja")
    )
    assert english.keys() == japanese.keys()


def test_the_first_letter_tells_the_taste(tmp_path):
    pbem("new", "auction", "--seat", "ash=Ann<ann@x.example>", "--seat", "birch=Bob<bob@x.example>,,ja",
         "-o", "first.toml", folder=tmp_path)  # fmt: skip
    ann, bob = (
        email.message_from_bytes(path.read_bytes(), policy=policy.default).get_body(("plain",)).get_content()
        for path in sorted((tmp_path / "outbox" / "new").iterdir())
    )
    assert "What do you bid for the" in ann and "You love the" in " ".join(ann.split())
    assert "いくら付けますか" in bob
