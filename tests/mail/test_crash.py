"""kill -9 anywhere in an ingest, then again: the same end, byte for byte. In other commands nothing is lost."""

from __future__ import annotations

import builtins
import errno
import io
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.dev import synthetic_mail
from pbem.mail.quarantine import Quarantine
from pbem.save import Session, load
from pbem.timestamps import stamp
from tests.mail.servers import smtp_server

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
    "extend": ["clock", "extend", "SAVE", "--hours", "24", "--reason", "why"],
    "pause": ["clock", "pause", "SAVE", "--reason", "why"],
    "absent": ["clock", "away", "SAVE", "black", "--since", "2026-05-02", "--until", "2026-05-04"],
    "time-up": ["clock", "expire", "SAVE", "--reason", "why"],
    "substitute": ["seat", "replace", "SAVE", "black", "new@example.org", "--yes", "--reason", "why"],
    "fiat": ["repair", "correct", "SAVE", "countries.england.status=3", "--reason", "why"],
    "rewind": ["repair", "rewind", "SAVE", "0", "--reason", "why"],
    "broadcast": ["mail", "broadcast", "SAVE", "hello"],
    "set": ["config", "set", "SAVE", "grace=3", "--reason", "why"],
    "quarantine release": ["quarantine", "--saves", "FOLDER", "accept", "HELD"],
    "quarantine refuse": ["quarantine", "--saves", "FOLDER", "discard", "HELD"],
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


# Any file operation of a command fails, or the process ends there; the same command again gives the state of a run
# without a fault. Reads too: what can't be read is not what is not there.

COMMANDS = {
    "ingest": ["ingest", "BOX", "--saves", "FOLDER"],
    "tick": ["tick", "FOLDER"],
    "set": ["config", "set", "SAVE", "grace=3", "--reason", "why"],
    "extend": ["clock", "extend", "SAVE", "--hours", "24", "--reason", "why"],
    "substitute": ["seat", "replace", "SAVE", "black", "new@example.org", "--yes", "--reason", "why"],
    "site": ["site", "SAVE", "-o", "SITE"],
    "send": ["send", "--saves", "FOLDER", "--smtp", "SMTP"],
    "send again": ["send", "--saves", "FOLDER", "--smtp", "SMTP", "--again"],
    "run": ["run", "--saves", "FOLDER", "--maildir", "MAILDIR", "--smtp", "SMTP"],
    "late run": ["run", "--saves", "FOLDER", "--maildir", "MAILDIR", "--smtp", "SMTP"],
}
LATE = ("tick", "late run")
"""Shortly before a deadline: reminders are written."""

KILL = 0
FAULTS = (KILL, errno.EIO, errno.ENOSPC)
_NO_READS = ("fsync", "replace", "link", "rename", "mkdir", "unlink")


def faulty(folder: Path, at: Path, number: int, code: int) -> None:
    """Let the operation of that number on a file below `folder` fail, or end the process (`KILL`); count all."""
    done, names = 0, {}

    def meet(path, reads: bool) -> None:
        nonlocal done
        if not str(path).startswith(str(folder)) or (reads and code == errno.ENOSPC):
            return
        done += 1
        count.write_text(str(done)) if done != number else None
        if done == number and code == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if done == number:
            raise OSError(code, os.strerror(code), str(path))

    def patched(real, name):
        def call(path, *args, **more):
            meet(names.get(path, path) if isinstance(path, int) else os.fspath(path), reads=False)
            return real(path, *args, **more)

        return call

    real_open, real_os_open, count = io.open, os.open, _Count(at)

    def opened(file, mode="r", *args, **more):
        if not isinstance(file, int):
            meet(file, reads=not set(mode) & set("wax+"))
        return real_open(file, mode, *args, **more)

    def os_opened(path, flags, *args, **more):
        if not str(path).endswith(".lock"):
            meet(path, reads=not flags & (os.O_WRONLY | os.O_RDWR))
        handle = real_os_open(path, flags, *args, **more)
        names[handle] = os.fspath(path)
        return handle

    for name in _NO_READS:
        setattr(os, name, patched(getattr(os, name), name))
    builtins.open = io.open = opened
    os.open = os_opened


class _Count:
    """How often something was done, on disk whenever the process ends."""

    def __init__(self, path: Path) -> None:
        self.handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)

    def write_text(self, text: str) -> None:
        os.pwrite(self.handle, text.encode(), 0)


class Stage:
    """A command on a desk, again and again if need be; `taken` are the emails that its mail server has."""

    def __init__(self, desk, name, server) -> None:
        self.desk, self.name, self.server = desk, name, server
        folder = desk.folder
        box, maildir = folder / "box.mbox", folder / "in"
        names = {"SAVE": desk.save, "FOLDER": folder, "BOX": box, "SITE": folder / "pages"}
        self.names = {**names, "MAILDIR": maildir, "SMTP": server.url}
        mails = desk.mails[: 2 if name == "late run" else 6]
        box.write_bytes(synthetic_mail.as_mbox(mails))
        for part in ("new", "cur", "tmp") if name.endswith("run") else ():
            (maildir / part).mkdir(parents=True)
        for number, mail in enumerate(mails if name.endswith("run") else ()):
            path = maildir / "new" / f"{int(mail.at.timestamp())}.{number}.mx"
            path.write_bytes(mail.raw)
            os.utime(path, (1, 1))
        if name.startswith("send"):
            desk.ingest(box)
        if name == "send again":
            (folder / "outbox" / "cur").mkdir(exist_ok=True)
            for path in sorted((folder / "outbox" / "new").iterdir())[::2]:
                path.rename(folder / "outbox" / "cur" / f"{path.name};2,T")
        due = min(pending.due for pending in load(desk.save).pending if pending.due)
        self.now = due - timedelta(hours=1) if name in LATE else desk.now
        self.early = False
        server.desk.mails.clear()

    @property
    def taken(self):
        return Counter((*to, content) for _, to, content in self.server.desk.mails)

    def run(self, words, number=0, code=KILL, count=None) -> int:
        """The exit status of a command in a process of its own, negative for a signal."""
        line = ["-q", *(str(self.names.get(word, word)) for word in words), "--now", stamp(self.now)]

        def work() -> None:
            if count is not None:
                faulty(self.desk.folder, count, number, code)
            os._exit(CliRunner().invoke(main, line).exit_code)

        return in_child(work)


def _state(content):
    """A file, but for when mail was read as a save repeats it when it is written: `heartbeat.json` says it."""
    return content and re.sub(rb'(?m)^read = ".*"$', b"", content)


@pytest.mark.parametrize(
    ("code", "points"),
    [
        pytest.param(KILL, 3, id="kill"),
        pytest.param(errno.EIO, 3, id="EIO"),
        *(pytest.param(code, 10_000, marks=pytest.mark.slow, id=f"all-{code}") for code in FAULTS),
    ],
)
@pytest.mark.parametrize("name", COMMANDS)
def test_after_a_fault_the_same_command_again_gives_the_state_without_one(make_desk, tmp_path, name, code, points):
    words, count = COMMANDS[name], tmp_path / "count"
    wrong = []
    with smtp_server() as server:
        whole = Stage(make_desk(), name, server)
        assert whole.run(words, 0, code, count) == 0
        want, sent, calls = whole.desk.everything(), whole.taken, int(count.read_text())
        assert calls > 4
        assert bool(sent) == ("--smtp" in words)
        for number in sorted({1 + (calls - 1) * at // (points - 1) for at in range(points)}):
            stage = Stage(make_desk(), name, server)
            first = stage.run(words, number, code, count)
            assert first in ((-signal.SIGKILL,) if code == KILL else (0, 3, 4, 5)), (number, first)
            # A command that ends well is not given again: what its emails lack comes with cron.
            repeated = words if first or sent else ["tick", "SAVE"]
            if differing(stage, True, want, sent, code):
                stage.early = name.endswith("run") and code != KILL and bool(stage.taken)
                if stage.run(repeated) != 0:
                    wrong.append((number, first, "fails again"))
            if differ := differing(stage, repeated == words, want, sent, code):
                wrong.append((number, first, differ))
    assert wrong == []


def differing(stage, again, want, sent, code):
    """What is not as after a run without a fault. `again`: the same command was given again, and no other one."""
    found = stage.desk.everything()
    # What the moderator is told of the fault itself, and what another command writes.
    ours = {"told.json"} if again else {"told.json", "heartbeat.json", "reminders.jsonl"}
    files = {key for key in (want.keys() | found.keys()) - ours if not key.startswith(".pbem-cache")}
    differ = sorted(key for key in files if _state(want.get(key)) != _state(found.get(key)))
    if stage.taken.keys() != sent.keys():
        differ.append(f"{len(sent - stage.taken)} emails lost, {len(stage.taken - sent)} that are not to be")
    if differ and stage.early:
        differ = sorted(played_otherwise(stage, want, sent))
    # Who ends between a server's word and a rename can't know that an email has left: that one may leave again.
    if sum(stage.taken.values()) - len(stage.taken) > (code == KILL and bool(sent)):
        differ.append("an email has left twice")
    return differ


def played_otherwise(stage, want, sent):
    """What differs where some emails left before a fault was over: they told what held then, and others follow."""
    one, found = stage.desk.folder / "one.save", load(stage.desk.save)
    one.write_bytes(want["ballot.toml"])
    whole = load(one)
    one.unlink()
    for part in ("moves", "sealed", "press", "queue", "standing"):
        if getattr(whole, part) != getattr(found, part):
            yield part
    if (whole.header.q, whole.header.head) != (found.header.q, found.header.head):
        yield "the game"
    if {entry.key for entry in whole.intake} != {entry.key for entry in found.intake}:
        yield "what was taken in"
    if {to for to, _ in sent} != {to for to, _ in stage.taken}:
        yield "somebody has no email"
    if any((stage.desk.folder / "outbox" / "new").iterdir()):
        yield "emails that have not left"
