"""Files: two processes at once, a process killed while it writes, the version before, who may read it."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from pbem import atomic_files
from pbem.save import Locked, Session, Unwritable, files, keep, load, load_header, store, verify
from pbem.timestamps import moment
from tests.toy import playing as toy

COUNT = """
import sys
from pbem.save import load, locked, store
for _ in range(int(sys.argv[2])):
    with locked(sys.argv[1], 60):
        save = load(sys.argv[1])
        save.seats[0].seen += 1
        store(sys.argv[1], save)
"""

HOLD = """
import sys, time
from pbem.save import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""

INGEST = """
import sys
from pbem.save import Session, SaveError
from tests.toy import playing as toy
session = Session.open(sys.argv[1], toy.load)
print("opened", flush=True)
sys.stdin.readline()
toy.played(session, 1, int(sys.argv[2]))
try:
    session.commit()
    print("written")
except SaveError as error:
    print(type(error).__name__)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def test_writers_take_turns(session: Session, path: Path) -> None:
    writers = [start(COUNT, path, 20) for _ in range(3)]
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    assert load(path).seats[0].seen == 60
    assert verify(path, toy.load).moves == session.referee.n


def test_two_ingests_at_once(session: Session, path: Path) -> None:
    """Both have opened the same version: one is written, the other is told so and has changed nothing."""
    both = [start(INGEST, path, seed) for seed in (1, 2)]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "opened\n"
    said = [process.communicate("go\n", timeout=60)[0] for process in both]
    assert sorted(said) == ["SaveChanged\n", "written\n"]
    assert verify(path, toy.load).moves >= session.referee.n


def test_a_lock_that_is_held_is_waited_for_and_then_refused(session: Session, path: Path) -> None:
    before = path.read_bytes()
    holder = start(HOLD, path)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        began = time.monotonic()
        with pytest.raises(Locked, match="another process"):
            session.commit(timeout=0.3)
        assert 0.25 < time.monotonic() - began < 5
        assert path.read_bytes() == before
        assert load_header(path).header.n == session.save.header.n  # readers need no lock
    finally:
        holder.kill()
        holder.wait()
    session.commit()


# -- killed ----------------------------------------------------------------------------------------------------------


def write_until_killed(path: Path, told: int) -> None:
    """In a child: store version after version, and tell each once it is stored."""
    save = load(path)
    while True:
        save.seats[0].seen += 1
        store(path, save)
        os.write(told, b"%d\n" % save.seats[0].seen)


def killed_once(path: Path, delay: float) -> int:
    """Kill a writer after `delay` seconds of writing; what it said last, 0 if nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write_until_killed(path, writing)
        finally:
            os._exit(1)
    os.close(writing)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        numbers = said.read().split()
    return int(numbers[-1]) if numbers else 0


def kill_often(path: Path, times: int) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(200), at=moment("2026-05-01T09:00:00Z"))
    toy.played(session, 400)
    session.commit()
    chance = random.Random(5)
    whole = load(path)
    between = 0
    for _ in range(times):
        before = load(path).seats[0].seen
        said = killed_once(path, chance.uniform(0.0, 0.06))
        after = load(path)
        assert max(before, said) <= after.seats[0].seen <= max(before, said) + 1
        between += after.seats[0].seen > max(before, said)
        assert (after.header, after.checkpoint, after.moves) == (whole.header, whole.checkpoint, whole.moves)
        backup = path.with_name(path.name + ".bak")
        if backup.exists():
            assert load(backup).seats[0].seen in (after.seats[0].seen, after.seats[0].seen - 1)
    Session.open(path, toy.load).commit()
    names = {file.name for file in path.parent.iterdir()}
    assert names <= {path.name, f"{path.name}.bak", f"{path.name}.lock"}
    assert verify(path, toy.load).moves == whole.header.n


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_at_any_moment(path: Path) -> None:
    kill_often(path, 40)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_at_any_moment_often(path: Path) -> None:
    kill_often(path, 600)


# -- when the system says no -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("where", "step"), [(atomic_files, "write"), (files, "_back_up")])
def test_a_full_disk_leaves_the_file_as_it_was(
    session: Session, path: Path, monkeypatch: pytest.MonkeyPatch, where: ModuleType, step: str
) -> None:
    before, opened = path.read_bytes(), load(path)

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    toy.played(session, 1)
    with monkeypatch.context() as patch:
        patch.setattr(where, step, full)
        with pytest.raises(Unwritable, match="No space left"):
            session.commit()
    assert path.read_bytes() == before
    assert load(path) == opened
    session.commit()
    assert load(path).header.n == session.referee.n


def test_a_full_disk_is_not_left_fuller(session: Session, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    there = set(path.parent.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(Unwritable, match="No space left"):
            session.commit()
    assert {file for file in path.parent.iterdir() if file.suffix != ".lock"} <= there


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "no" / "toy.toml", toy.GAME, toy.campaign())
    with pytest.raises(Unwritable, match=r"this folder doesn.t exist"):
        session.commit()
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_hard_links(session: Session, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def no_links(*arguments: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    session.save.seats[0].name = "Anna"
    session.commit()
    assert path.with_name("toy-1.toml.bak").read_bytes() == before
    assert load_header(path).seats[0].name == "Anna"


# -- next to the file -------------------------------------------------------------------------------------------------


def test_the_version_before_is_kept(session: Session, path: Path) -> None:
    for name in ("one", "two", "three"):
        before = path.read_bytes()
        session.save.seats[0].name = name
        session.commit()
        assert path.with_name("toy-1.toml.bak").read_bytes() == before
    assert load_header(path.with_name("toy-1.toml.bak")).seats[0].name == "two"


@pytest.mark.parametrize("left", [".bak", ".bak.tmp"])
def test_a_writer_that_was_killed_while_it_kept_the_version_before_leaves_nothing(
    session: Session, path: Path, left: str
) -> None:
    """Killed after the link, or after its rename: the save and its backup are one file with two names."""
    session.commit()
    before = path.read_bytes()
    name = f".{path.name}{left}" if left.endswith("tmp") else path.name + left
    other = path.with_name(name)
    other.unlink(missing_ok=True)
    os.link(path, other)
    session.save.seats[0].name = "one"
    session.commit()
    backup = path.with_name(f"{path.name}.bak")
    assert {file.name for file in path.parent.iterdir()} <= {path.name, backup.name, f"{path.name}.lock"}
    assert backup.read_bytes() == before
    assert load_header(path).seats[0].name == "one"


def test_nobody_else_may_read_it(session: Session, path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    Session.open(path, toy.load).commit()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    kept = keep(path, "before")
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_a_link_stays_a_link(session: Session, path: Path) -> None:
    link = path.with_name("current.toml")
    link.symlink_to(path.name)
    Session.open(link, toy.load).commit()
    assert link.is_symlink()
    assert load_header(link).header == load_header(path).header


def test_copies_never_overwrite_each_other(session: Session, path: Path) -> None:
    kept = {}
    for notes in ("a", "b", "c"):
        session.save.seats[1].notes = notes
        session.commit()
        kept[keep(path, "before")] = path.read_bytes()
    assert [file.name for file in kept] == ["before.toml", "before-2.toml", "before-3.toml"]
    assert {file.parent for file in kept} == {path.with_suffix(".d")}
    assert all(file.read_bytes() == data for file, data in kept.items())
    assert keep(path, "before").name == "before-3.toml"  # a command that was cut off is given again


def test_a_header_larger_than_a_chunk(session: Session, path: Path) -> None:
    session.save.seats[1].notes = "é王\n" * 40_000
    session.commit()
    assert load_header(path).seats == session.save.seats
