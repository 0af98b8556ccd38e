"""kill -9 anywhere in an ingest, then again: the same end, byte for byte. In other commands nothing is lost."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.moments import stamp
from pbem.post.inbox.quarantine import Quarantine
from pbem.save import Session, load

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")

_CALLS = ((os, "fsync"), (os, "replace"), (os, "link"), (os, "rename"), (os, "mkdir"), (os, "unlink"))


def in_child(work) -> int:
    """Run `work` in a forked child; its exit status, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def counting(die_at: int | None, path: Path):
    """Patch the calls that change files: count them into `path`, and die at one of them, before or after it."""
    done = 0

    def patched(real):
        def call(*args, **more):
            nonlocal done
            done += 1
            if die_at == 2 * done:
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                return real(*args, **more)
            finally:
                if die_at == 2 * done + 1:
                    os.kill(os.getpid(), signal.SIGKILL)
                path.write_text(str(done))

        return call

    for module, name in _CALLS:
        setattr(module, name, patched(getattr(module, name)))


def small(desk):
    """The letters that close the first ballot, the odd ones among them."""
    return desk.box(desk.mails[:6])


def uninterrupted(desk):
    desk.ingest(small(desk))
    return desk.everything()


def test_fifty_kills_at_every_kind_of_write(make_desk, tmp_path):
    whole = uninterrupted(make_desk())
    desk, count = make_desk(), tmp_path / "count"

    def run(die_at=None):
        counting(die_at, count)
        desk.ingest(small(desk))

    assert in_child(run) == 0
    assert desk.everything() == whole
    calls = int(count.read_text())
    assert calls > 40
    points = [2 + (2 * calls - 1) * number // 49 for number in range(50)]
    for die_at in points:
        desk = make_desk()
        assert in_child(lambda die_at=die_at: run(die_at)) == -signal.SIGKILL, die_at
        report = desk.ingest(small(desk))
        assert not report.incomplete
        assert desk.everything() == whole, f"killed at {die_at} of {2 * calls + 1}"


@pytest.mark.slow
def test_five_hundred_kills_at_any_moment(make_desk):
    whole = uninterrupted(make_desk())
    began = time.monotonic()
    desk = make_desk()
    assert in_child(lambda: desk.ingest(small(desk))) == 0
    length = time.monotonic() - began
    chance, killed = random.Random(5), 0
    for _ in range(500):
        desk = make_desk()
        child = os.fork()
        if child == 0:
            try:
                desk.ingest(small(desk))
            finally:
                os._exit(0)
        time.sleep(chance.random() * length)
        os.kill(child, signal.SIGKILL)
        killed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) < 0
        desk.ingest(small(desk))
        assert desk.everything() == whole
    assert killed > 100


def test_killed_again_and_again_it_still_gets_there(make_desk, tmp_path):
    whole = uninterrupted(make_desk())
    desk, count = make_desk(), tmp_path / "count"

    def run(die_at):
        counting(die_at, count)
        desk.ingest(small(desk))

    for die_at in range(6, 400, 14):
        if in_child(lambda die_at=die_at: run(die_at)) == 0:
            break
    else:
        pytest.fail("never got to the end")
    assert desk.everything() == whole


ACTIONS = {
    "extend": ["extend", "SAVE", "--hours", "24", "--reason", "why"],
    "pause": ["pause", "SAVE", "--reason", "why"],
    "absent": ["absent", "SAVE", "--seat", "black", "--from", "2026-05-02", "--to", "2026-05-04"],
    "time-up": ["time-up", "SAVE", "--reason", "why"],
    "substitute": ["substitute", "SAVE", "black", "new@example.org", "--reason", "why"],
    "fiat": ["fiat", "SAVE", "countries.england.status=3", "--reason", "why"],
    "rewind": ["rewind", "SAVE", "0", "--reason", "why"],
    "broadcast": ["broadcast", "SAVE", "hello"],
    "set": ["set", "SAVE", "grace=3", "--reason", "why"],
    "quarantine release": ["quarantine", "--saves", "FOLDER", "release", "HELD"],
    "quarantine refuse": ["quarantine", "--saves", "FOLDER", "refuse", "HELD"],
    "tick": ["tick", "SAVE"],
}
"""What changes a game or its folder besides `ingest`."""


def acted(desk, words) -> int:
    """The exit status of a command on a desk."""
    held = next(iter(Quarantine(desk.folder / "quarantine").listed()), None)
    names = {"SAVE": desk.save, "FOLDER": desk.folder, "HELD": held.id if held else "-"}
    line = [str(names.get(word, word)) for word in words]
    now = ["--now", stamp(desk.now)] if line[-2] != "refuse" else []
    return CliRunner().invoke(main, ["-q", *line, *now]).exit_code


@pytest.mark.parametrize("points", [3, pytest.param(16, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_that_is_killed_is_done_or_not_done_and_nothing_is_lost(make_desk, tmp_path, name, points):
    """Letters taken in before stay taken in; the save is whole; the next run tells everybody what there is to tell."""
    words, count = ACTIONS[name], tmp_path / "count"

    def prepared():
        desk = make_desk()
        forged = desk.mails[0].raw.replace(desk.mails[0].sender.encode(), b"anna@phone.example")
        (desk.folder / "phone.eml").write_bytes(forged)
        desk.ingest(small(desk), desk.folder / "phone.eml")
        return desk

    def run(desk, die_at=None):
        counting(die_at, count)
        status = acted(desk, words)
        os._exit(status)

    desk = prepared()
    before = load(desk.save)
    assert in_child(lambda: run(desk)) == 0
    after = load(desk.save)
    calls = int(count.read_text())
    for number in range(points):
        die_at = 2 + (2 * calls - 1) * number // (points - 1)
        desk = prepared()
        assert in_child(lambda desk=desk, die_at=die_at: run(desk, die_at)) == -signal.SIGKILL, die_at
        report = desk.ingest(small(desk))
        assert not report.incomplete
        found = load(desk.save)
        assert found.header.head in (before.header.head, after.header.head), die_at
        assert len(found.actions) in (len(before.actions), len(after.actions))
        assert {entry.key for entry in before.intake} <= {entry.key for entry in found.intake}
        assert [message.text for message in before.press] == [message.text for message in found.press][
            : len(before.press)
        ]
        assert not found.header.unsent
        assert Session.open(desk.save, games.load).referee.pending() or found.header.over
        assert acted(desk, words) in (0, 1, 3), "it may be done now, or is done already"
        desk.ingest(desk.box(desk.mails))  # whoever writes the save next removes what a killed writer left
        assert [path.name for path in desk.folder.glob(".ballot*.tmp")] == []
