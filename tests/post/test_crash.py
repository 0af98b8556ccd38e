"""kill -9 anywhere in an ingest, then run it again: the same end, byte for byte."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

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
