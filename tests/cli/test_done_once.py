"""A change that is in the save is never reported as failed; the same command given again is told, not done, again."""

from __future__ import annotations

import errno
import os

import pytest

import games
from pbem.cli.console import Exit
from pbem.mail.outbox import mime_message
from pbem.mail.quarantine import Quarantine
from pbem.mail.save_index import code_of
from pbem.save import Session, files, load
from tests.cli.conftest import new_game, pbem  # noqa: F401

LATER = ("--now", "2026-05-01T13:00:00Z")
EVEN_LATER = ("--now", "2026-05-01T14:00:00Z")
COMMANDS = [
    ("clock extend", "--hours", "24", "--reason", "so"),
    ("config set", "grace=12", "--reason", "so"),
    ("clock pause", "--reason", "so"),
    ("seat replace", "black", "dora@example.org", "--yes", "--name", "Dora", "--reason", "so"),
    ("mail broadcast", "hello"),
    ("repair rewind", "0", "--reason", "so"),
]


def full(*_args, **_words):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "outbox")


def given(pbem, save, words, now, **more):  # noqa: F811
    return pbem(*words[0].split(), save, *words[1:], *now, **more)


def emails(save):
    return sorted(path.name for path in (save.parent / "outbox" / "new").iterdir())


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_command_whose_emails_cannot_be_written_is_done_and_says_so(pbem, new_game, monkeypatch, words):  # noqa: F811
    if words[0] == "repair rewind":
        session = Session.open(new_game, games.load)
        for seat in session.referee.waiting():
            session.referee.submit(seat, next(session.referee.domain(seat).options()), at=LATER[1])
        session.commit()
    before = len(load(new_game).actions)
    with monkeypatch.context() as patch:
        patch.setattr(mime_message, "write_durably", full)
        said = given(pbem, new_game, words, LATER)
    assert "don't repeat it" in said.stderr
    assert "run the command again" not in said.stderr
    assert len(load(new_game).actions) == before + 1
    again = given(pbem, new_game, words, EVEN_LATER)  # as people do
    assert "done already" in again.stderr
    after = load(new_game)
    assert (len(after.actions), len(after.dice.rewinds)) == (before + 1, words[0] == "repair rewind")
    assert not after.header.unsent
    once = emails(new_game)
    pbem("tick", new_game, *EVEN_LATER)
    assert emails(new_game) == once


def test_the_same_command_is_done_again_when_it_was_told(pbem, new_game):  # noqa: F811
    words = ("clock extend", "--hours", "24", "--reason", "so")
    before = load(new_game).pending[0].due
    for count in (1, 2):
        given(pbem, new_game, words, LATER)
        assert (load(new_game).pending[0].due - before).total_seconds() == count * 24 * 3600


def test_another_command_is_done(pbem, new_game, monkeypatch):  # noqa: F811
    with monkeypatch.context() as patch:
        patch.setattr(mime_message, "write_durably", full)
        given(pbem, new_game, ("seat replace", "black", "dora@example.org", "--yes", "--reason", "so"), LATER)
    given(pbem, new_game, ("seat replace", "black", "dana@example.org", "--yes", "--reason", "so"), LATER)
    assert load(new_game).seat("black").addresses == ["dana@example.org"]


def test_a_command_that_is_not_done_does_not_end_well(pbem, new_game, monkeypatch):  # noqa: F811
    before = new_game.read_bytes()
    monkeypatch.setattr(files, "_back_up", full)
    said = given(pbem, new_game, ("config set", "grace=12", "--reason", "so"), LATER, code=Exit.BAD_DATA)
    assert "No space" in said.stderr
    assert new_game.read_bytes() == before


def test_a_release_that_takes_nothing_in_does_not_end_well(pbem, new_game, monkeypatch):  # noqa: F811
    session = Session.open(new_game, games.load)
    seat, q = session.referee.asked()[0], session.referee.q
    answer = session.referee.domain(seat).text(next(iter(session.referee.domain(seat).options())))
    block = f"BEGIN ORDERS g-01 {seat} {code_of(session.save, seat, q)}\n{q}: {answer}\nEND ORDERS\n"
    head = "From: new@example.net\nTo: pbem@games.example\nSubject: x\nMessage-ID: <1@example.net>\n"
    (pbem.folder / "a.eml").write_text(f"{head}Date: Fri, 1 May 2026 12:30:00 +0000\n\n{block}")
    pbem("ingest", "a.eml", "--saves", "saves", *LATER)
    (held,) = Quarantine(new_game.parent / "quarantine").listed()
    words = ("quarantine", "--saves", "saves", "accept", held.id, *LATER)
    with monkeypatch.context() as patch:
        patch.setattr(files, "_back_up", full)
        pbem(*words, code=Exit.BAD_DATA)
    assert load(new_game).sealed == []
    pbem(*words)
    assert [move.seat for move in load(new_game).sealed] == [seat]
