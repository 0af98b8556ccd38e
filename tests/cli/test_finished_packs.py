"""Two finished example packs: from a spreadsheet to a game that is played to its end, and proved."""

from __future__ import annotations

import random
from email import message_from_bytes, policy
from pathlib import Path

import pytest

import games
from pbem.dev.random_game import audit_failures
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.save import load
from pbem.save.pack_files import read

EXAMPLES = Path(__file__).parents[2] / "examples" / "packs"
FINISHED = [("virgin_queen", 6, 2184, 12), ("crown_of_roses", 2, 924, 4)]
"""Game, players, doubtful facts, values that differ."""


def finished(pbem, slug):
    """A pack of the example's spreadsheet: `box.toml`."""
    pbem("pack", "new", slug, "-o", "box.toml", "--name", "example")
    table = EXAMPLES / f"{slug}.csv"
    pbem("pack", "import", "box.toml", table if table.exists() else EXAMPLES / slug)
    return pbem.folder / "box.toml"


def begun(pbem, slug, players, *more):
    """A game with letters: `g.toml`."""
    seats = games.load(slug).seats_for(players)
    words = [word for seat in seats for word in ("--seat", f"{seat}={seat} <{seat}@example.org>")]
    pbem("new", slug, "-o", "g.toml", "--now", "2026-05-01T12:00:00Z", *words, *more)
    return pbem.folder / "g.toml"


def letters(folder):
    """The plain text of each letter that went out."""
    for file in sorted((folder / "outbox" / "new").iterdir()):
        message = message_from_bytes(file.read_bytes(), policy=policy.default)
        yield "".join(part.get_content() for part in message.walk() if part.get_content_type() == "text/plain")


@pytest.mark.parametrize(("slug", "players", "doubtful", "differ"), FINISHED)
def test_every_doubtful_fact_is_settled_and_no_letter_speaks_of_one(pbem, slug, players, doubtful, differ):
    finished(pbem, slug)
    said = pbem("pack", "check", "box.toml").stdout
    assert f"{doubtful:,} of {doubtful:,} doubtful facts confirmed" in said
    assert f"{differ} values differ" in said
    begun(pbem, slug, players, "--pack", "box.toml")
    texts = list(letters(pbem.folder))
    assert len(texts) == players
    assert not [text for text in texts if "econstructed" in text]


def test_without_the_pack_the_letters_speak_of_them(pbem):
    begun(pbem, "crown_of_roses", 2)
    assert all("send rules" in text for text in letters(pbem.folder))  # it says what is reconstructed


@pytest.mark.parametrize(("slug", "players", "doubtful", "differ"), FINISHED)
def test_a_running_game_goes_on_with_the_finished_pack(pbem, slug, players, doubtful, differ):
    save = begun(pbem, slug, players)
    before = load(save)
    box = finished(pbem, slug)
    pbem("upgrade", "components", save, "--pack", f"{box}", "--reason", "read off", "--from-checkpoint")
    after = load(save)
    assert after.header.pack_digest == read(box, games.load).digest != before.header.pack_digest
    pbem("audit", save)


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "players", "doubtful", "differ"), FINISHED)
def test_a_game_with_a_finished_pack_is_played_to_its_end_and_proved(pbem, slug, players, doubtful, differ):
    box = read(finished(pbem, slug), games.load)
    game, chance = box.game, random.Random(3)
    scenario = next(scenario for scenario in game.scenarios if players in scenario.seats)
    setup = Setup(slug, scenario.seats[players], "ab" * 32, scenario.id, game.with_defaults({}), box.corrections)
    referee = Referee.new(game, setup)
    for _ in range(50_000):
        if referee.over:
            break
        seat = referee.waiting()[0]
        value = "done" if referee.talk is not None else referee.domain(seat).sample(chance.randrange)
        referee.submit(seat, value)
    assert referee.over
    assert audit_failures(game, setup, referee.moves) == []
