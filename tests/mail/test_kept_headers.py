"""Headers of a folder of saves are kept: equal to what is read, private, and never older than the save."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import time
from datetime import timedelta
from random import Random
from unittest.mock import patch

import pytest

from pbem.clock.heartbeat import Gap, Heartbeat
from pbem.mail.header_cache import FOLDER, emails_of
from pbem.mail.save_index import SaveIndex, has_address
from pbem.mail.scheduler.due import game_due, occasions
from pbem.mail.scheduler.needs import may_be_due, needs_of
from pbem.mail.scheduler.reaching import Reach
from pbem.save import Delegate, Pause, load, load_header, store
from tests.bench import cold


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    from games.sixteen_thirty import GAME

    cold._game(folder / "g00.toml", GAME)
    cold._copies(folder / "g00.toml", 10)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """Ten saves of an hour ago."""
    shutil.copytree(made, tmp_path / "saves", dirs_exist_ok=True)
    for path in (tmp_path / "saves").glob("*.toml"):
        os.utime(path, (time.time() - 3600,) * 2)
    return tmp_path / "saves"


def parsed(monkeypatch):
    """The saves whose headers are parsed from now on."""
    found = []

    def load(path):
        found.append(path.name)
        return load_header(path)

    monkeypatch.setattr("pbem.save.load_header", load)
    return found


def test_headers_are_parsed_once(folder, monkeypatch):
    first = SaveIndex([folder])
    found = parsed(monkeypatch)
    again = SaveIndex([folder])
    assert (again.headers, again.paths, found) == (first.headers, first.paths, [])
    assert list(again.headers) == [f"g{n:02}" for n in range(10)]


@pytest.mark.parametrize("change", ["edit", "replace", "add", "remove", "break"])
def test_what_changed_is_read_from_the_save(folder, monkeypatch, change):
    SaveIndex([folder])
    one = folder / "g03.toml"
    text = one.read_text("utf-8")
    if change == "edit":
        one.write_text(text.replace("unsent = true\n", "").replace('zone = "', 'zone  = "', 1), "utf-8")
    elif change == "replace":
        (folder / "new").write_text(text.replace("over = false", "over = true"), "utf-8")
        (folder / "new").replace(one)
    elif change == "add":
        (folder / "h.toml").write_text(text.replace('name = "g03"', 'name = "h"', 1), "utf-8")
    elif change == "remove":
        one.unlink()
    else:
        one.write_text(text[:-20], "utf-8")
    found = parsed(monkeypatch)
    index = SaveIndex([folder])
    expected = {"add": ["h.toml"], "remove": []}.get(change, ["g03.toml"])
    assert found == expected
    assert len(index.headers) + len(index.broken) == {"add": 11, "remove": 9}.get(change, 10)
    assert bool(index.broken) == (change == "break")
    if change == "replace":
        assert index.headers["g03"].header.over


def test_a_save_that_was_just_written_is_not_kept(folder, monkeypatch):
    """Two changes within one tick of the file system's clock look alike."""
    os.utime(folder / "g05.toml")
    SaveIndex([folder])
    found = parsed(monkeypatch)
    SaveIndex([folder])
    assert found == ["g05.toml"]


def test_the_copy_is_private_and_left_out_of_backups(folder):
    SaveIndex([folder])
    cache = folder / FOLDER
    assert oct(cache.stat().st_mode & 0o777) == "0o700"
    assert oct((cache / "index").stat().st_mode & 0o777) == "0o600"
    assert (cache / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x92\xa1x\x80"])
def test_a_damaged_copy_is_made_anew(folder, content, monkeypatch):
    first = dict(SaveIndex([folder]).headers)
    (folder / FOLDER / "index").write_bytes(content)
    assert SaveIndex([folder]).headers == first
    found = parsed(monkeypatch)
    assert SaveIndex([folder]).headers == first
    assert found == []


def test_where_nothing_can_be_written_all_is_the_same(folder):
    (folder / FOLDER).write_text("a file")
    assert len(SaveIndex([folder]).headers) == 10
    assert (folder / FOLDER).read_text() == "a file"


def test_of_few_saves_no_copy_is_made(folder):
    for path in sorted(folder.glob("*.toml"))[5:]:
        path.unlink()
    assert len(SaveIndex([folder]).headers) == 5
    assert not (folder / FOLDER).exists()


def test_a_save_alone_is_read_as_ever(folder):
    SaveIndex([folder / "g01.toml"])
    assert not (folder / FOLDER).exists()
    assert SaveIndex([folder / "g01.toml"]).headers["g01"].header.name == "g01"


# ------------------------------------------------------------------ faults of the index


def index_of(folder):
    return folder / FOLDER / "index"


def forgot(folder):
    """The headers, read without any index."""
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    (folder / FOLDER).write_text("in the way")
    headers = dict(SaveIndex([folder]).headers)
    (folder / FOLDER).unlink()
    return headers


@pytest.mark.parametrize("seed", range(3))
def test_damage_anywhere_yields_no_other_header(folder, seed):
    """Pages are overwritten, cut off or mixed up: each header is that of its save."""
    want, random = forgot(folder), Random(seed)
    SaveIndex([folder])
    for _ in range(4):
        data = bytearray(index_of(folder).read_bytes())
        at = random.randrange(len(data))
        data[at : at + 400] = random.randbytes(min(400, len(data) - at))
        index_of(folder).write_bytes(data[: random.choice([len(data), len(data) // 2])])
        assert dict(SaveIndex([folder]).headers) == want
    index_of(folder).unlink()
    SaveIndex([folder])
    assert dict(SaveIndex([folder]).headers) == want


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "DELETE", "INSERT", "commit"])
def test_a_killed_writer_leaves_a_sound_index(folder, monkeypatch, statement):
    SaveIndex([folder])
    one = folder / "g03.toml"
    text = one.read_text("utf-8").replace("over = false", "over = true")
    one.write_text(text, "utf-8")
    os.utime(one, (time.time() - 60,) * 2)
    child = os.fork()
    if child == 0:
        dies_at(statement)
        SaveIndex([folder])
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert SaveIndex([folder]).headers["g03"].header.over
    found = parsed(monkeypatch)
    assert SaveIndex([folder]).headers["g03"].header.over
    assert found == []


def dies_at(statement):
    class Dying(sqlite3.Connection):
        def execute(self, sql, *args):
            return self._dies(sql) or super().execute(sql, *args)

        def executemany(self, sql, *args):
            super().executemany(sql, *args)
            self._dies(sql)

        def commit(self):
            self._dies("commit")

        def _dies(self, sql):
            if sql.startswith(statement):
                os.kill(os.getpid(), signal.SIGKILL)

    real = sqlite3.connect
    sqlite3.connect = lambda *args, **more: real(*args, factory=Dying, **more)  # type: ignore[assignment]


@pytest.mark.parametrize("code", ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_BUSY"])
def test_where_the_index_fails_all_is_read_from_the_saves(folder, monkeypatch, code):
    """At each call in turn."""
    want = forgot(folder)

    class Failing(sqlite3.Connection):
        left = 0

        def execute(self, sql, *args):
            self.fail()
            return super().execute(sql, *args)

        def executemany(self, sql, *args):
            self.fail()
            return super().executemany(sql, *args)

        def fail(self):
            Failing.left -= 1
            if Failing.left < 0:
                error = sqlite3.OperationalError(code)
                error.sqlite_errorcode = getattr(sqlite3, code)
                raise error

    real = sqlite3.connect
    for calls in (0, 1, 2, 4, 6, 9):
        with monkeypatch.context() as patch:
            Failing.left = calls
            patch.setattr(sqlite3, "connect", lambda *args, **more: real(*args, factory=Failing, **more))
            index = SaveIndex([folder])
            assert dict(index.headers) == want
            known = {save.header.name for save, _ in index.seats_of(want["g01"].seats[0].addresses[0])}
            assert known == {save.header.name for save in want.values()}
        index_of(folder).unlink(missing_ok=True)
    SaveIndex([folder])
    assert dict(SaveIndex([folder]).headers) == want


def test_a_full_disk_leaves_the_headers_in_memory(folder):
    """The limit of the process on the size of a file stands for the disk."""
    resource = pytest.importorskip("resource")
    want, child = forgot(folder), os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        os._exit(0 if dict(SaveIndex([folder]).headers) == want else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert dict(SaveIndex([folder]).headers) == want


def test_another_process_may_change_the_index_meanwhile(folder):
    first = SaveIndex([folder])
    (folder / "g03.toml").unlink()
    text = (folder / "g04.toml").read_text("utf-8").replace("over = false", "over = true")
    (folder / "g04.toml").write_text(text, "utf-8")
    os.utime(folder / "g04.toml", (time.time() - 60,) * 2)
    second = SaveIndex([folder])
    assert second.headers["g04"].header.over
    assert "g03" not in second.headers
    assert first.headers["g05"] == second.headers["g05"]
    index_of(folder).unlink()
    assert SaveIndex([folder]).headers == second.headers
    assert first.headers["g06"] == second.headers["g06"]


# ------------------------------------------------------------------ what is asked of the index


@pytest.mark.parametrize("seed", [4, 5, 6])
def test_each_question_finds_what_all_headers_say(folder, seed):
    """An address, a mark, a time: the index may find more games than have it, and no fewer."""
    random = Random(seed)
    for path in sorted(folder.glob("*.toml")):
        change(path, random)
    SaveIndex([folder])
    index = SaveIndex([folder])
    saves = dict(index.headers)
    for address in {address for save in saves.values() for seat in save.seats for address in seat.addresses}:
        found = [(save.header.name, seat.id) for save, seat in index.seats_of(address.upper())]
        want = [
            (save.header.name, seat.id) for save in saves.values() for seat in save.seats if has_address(seat, address)
        ]
        assert found == want
    assert index.emails() == {name: emails_of(save) for name, save in saves.items()}
    outages = [Gap("read", cold._NOW - timedelta(hours=hours), cold._NOW) for hours in (3, 30)]
    for heart in (Heartbeat(), *(Heartbeat(gaps=[gap]) for gap in outages)):
        reach = Reach(folder)
        for hours in range(-30, 24 * 12, 7):
            now = cold._NOW + timedelta(hours=hours)
            may = {name for name, _ in may_be_due(index, heart, reach, now)}
            due = {name for name, save in saves.items() if is_due(save, heart, reach, now)}
            assert due <= may, (hours, due - may)
    assert not {name for name, _ in may_be_due(index, Heartbeat(), reach, cold._NOW)} >= saves.keys()


def is_due(save, heart, reach, now):
    return game_due(save, heart, reach, now) or any(occasions(save, now)) or any(needs_of(save, "", heart, reach, now))


def change(path, random):
    """A game of another kind: some of what makes a run necessary, now or later."""
    with patch("pbem.save.chain.check"):  # the games are copies under other names
        save = load(path)
    at = cold._NOW + timedelta(hours=random.randrange(-20, 200))
    seat = random.choice(save.seats)
    what = random.randrange(12)
    if what == 0:
        save.header.release_at = at
    elif what == 1:
        seat.delegates = [Delegate(f"{path.stem}@there.example", until=at)]
    elif what == 2:
        seat.told_q = 0
    elif what == 3:
        save.clock.pauses = [Pause("x", cold._NOW, at, "outage")]
    elif what == 4:
        save.pending[0].due = at
    elif what == 5:
        seat.told.digest, seat.letters, seat.seen = at, "digest 7", 0
    elif what == 6:
        save.header.unsent, seat.addresses = True, [f"Own.{path.stem}@There.example"]
    elif what == 7:
        seat.missed = 2
    elif what == 8:
        seat.told.request, seat.told.requested = "skip", at
    elif what == 9:
        seat.quiet, seat.told.quiet = "22-07", at
    elif what == 10:
        save.header.vote_at = at
    store(path, save)
    os.utime(path, (time.time() - 60,) * 2)


def test_reading_a_folder_anew_is_told_save_by_save(folder):
    seen = []
    SaveIndex([folder], lambda *told: seen.append(told))
    assert seen == [(done, 10, "saves") for done in range(10)]
    SaveIndex([folder], lambda *told: seen.append(told))
    assert len(seen) == 10
