"""A change that is in the save is never reported as failed; the same command given again is told, not done, again."""

from __future__ import annotations

import errno
import os
import shutil

import pytest

import games
from pbem.cli.console import Exit
from pbem.mail import rollback_guard
from pbem.mail.outbox import mime_message
from pbem.mail.quarantine import Quarantine
from pbem.mail.save_index import code_of
from pbem.save import Session, files, load
from tests.cli.conftest import hand_over, new_game, pbem  # noqa: F401

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


def answered(save):
    """All answer the open question."""
    session = Session.open(save, games.load)
    for seat in session.referee.waiting():
        session.referee.submit(seat, next(session.referee.domain(seat).options()), at=LATER[1])
    session.commit()


class Killed(BaseException):
    """The process ends."""


def dies_after(monkeypatch, number):
    """End the process after a save was stored for that time; count the times."""
    real, stored = files.store, []

    def store(path, save, **more):
        real(path, save, **more)
        stored.append(path)
        if len(stored) == number:
            raise Killed

    monkeypatch.setattr(files, "store", store)
    return stored


def state(folder):
    """All that counts of a folder of saves, but when it was last read and run."""
    left_out = ("*.lock", "*.bak", "heartbeat.json", ".pbem-cache*")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not any(map(path.match, left_out))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


CUT_OFF = {
    **{words[0]: words for words in COMMANDS},
    "seat bot on": ("seat bot on", "black", "--reason", "so"),
    "seat delegate": ("seat delegate", "black", "eva@example.org", "--until", "2026-06-01", "--reason", "so"),
    "repair correct": ("repair correct", "turn=2", "--reason", "so"),
    "accept-rollback": ("repair accept-rollback", "--yes", "--reason", "so"),
}
AT_ONCE = ("clock extend", "repair rewind", "accept-rollback")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in AT_ONCE else [pytest.mark.slow]) for name in CUT_OFF]
)
@pytest.mark.parametrize("between", [pytest.param(False, marks=pytest.mark.slow), True], ids=["at once", "tick"])
def test_a_command_that_was_cut_off_is_completed_when_it_is_given_again(pbem, new_game, monkeypatch, name, between):  # noqa: F811
    words, folder, kept = CUT_OFF[name], new_game.parent, pbem.folder / "kept"
    hand_over(folder)
    if name == "accept-rollback":
        older = new_game.read_bytes()
        pbem("clock", "expire", new_game, "--reason", "all agreed", *LATER)
        rollback_guard.note(folder, load(new_game))
        new_game.write_bytes(older)
    elif name.startswith("repair"):
        answered(new_game)
    shutil.copytree(folder, kept)
    with monkeypatch.context() as patch:
        stored = dies_after(patch, 0)
        given(pbem, new_game, words, LATER)
    whole = state(folder)
    assert len(stored) > 1
    for number in range(1, len(stored)):  # after the last one the command is at its end
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        with monkeypatch.context() as patch:
            dies_after(patch, number)
            with pytest.raises(Killed):
                given(pbem, new_game, words, LATER)
        if between:
            pbem("tick", folder, *LATER, code=Exit.PARTIAL if name == "accept-rollback" and number == 1 else Exit.OK)
        given(pbem, new_game, words, LATER)
        assert state(folder) == whole, number


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_command_whose_emails_cannot_be_written_is_done_and_says_so(pbem, new_game, monkeypatch, words):  # noqa: F811
    if words[0] == "repair rewind":
        answered(new_game)
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
