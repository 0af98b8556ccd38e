"""A small file is written whole or not at all, and nothing of a killed writer stays for ever."""

from __future__ import annotations

import os

import pytest

from pbem import atomic_files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_disk_that_is_full_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    target = tmp_path / "tries.json"
    atomic_files.store(target, {"a": 1})

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic_files.store(target, {"a": 2})
    assert names(tmp_path) == ["tries.json"]
    assert b"1" in target.read_bytes()


def test_what_a_killed_writer_left_goes_when_it_is_old(tmp_path):
    target = tmp_path / "heartbeat.json"
    old, young, other = (
        tmp_path / name for name in (".heartbeat.json.1.tmp", ".heartbeat.json.2.tmp", ".x.json.1.tmp")
    )
    for path in (old, young, other):
        path.write_bytes(b"{")
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    atomic_files.store(target, {})
    assert names(tmp_path) == [".heartbeat.json.2.tmp", ".x.json.1.tmp", "heartbeat.json"]


def test_a_link_stays_a_link_and_a_pipe_is_written_to(tmp_path):
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to("there")
    atomic_files.replace(link, b"1")
    assert link.is_symlink()
    assert (tmp_path / "there").read_bytes() == b"1"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    atomic_files.replace(pipe, b"2")
    assert os.read(reader, 9) == b"2"
    assert pipe.is_fifo()
    os.close(reader)


def test_a_private_file_is_its_owners_alone(tmp_path):
    atomic_files.replace(tmp_path / "mine", b"", mode=0o600)
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o600


def test_the_next_line_takes_half_a_line_away_and_a_full_disk_leaves_none(tmp_path, monkeypatch):
    path = tmp_path / "bounces.jsonl"
    atomic_files.append(path, {"a": 1}, {"a": 2})
    whole = path.read_bytes()
    with path.open("ab") as stream:
        stream.write(b'{"a": 3' * 2000)  # of a writer that was killed
    assert [row["a"] for row in atomic_files.lines(path, dict)] == [1, 2]
    atomic_files.append(path, {"a": 3})
    assert path.read_bytes() == whole + b'{"a":3}\n'
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        atomic_files.append(path, {"a": 4})
    assert path.read_bytes() == whole + b'{"a":3}\n'


def test_what_cannot_be_read_is_not_what_is_not_there(tmp_path, monkeypatch):
    path = tmp_path / "heads.json"
    assert atomic_files.load(path, dict) is None
    assert list(atomic_files.lines(path, dict)) == []
    path.write_bytes(b"{}")
    path.chmod(0)
    if os.geteuid():  # the superuser reads it all the same
        with pytest.raises(PermissionError):
            atomic_files.load(path, dict)


@pytest.mark.parametrize("content", [b'{"a": ', b"[]", b"", b"\xff\x00"])
def test_what_makes_no_sense_is_put_aside(tmp_path, content):
    path = tmp_path / "heads.json"
    path.write_bytes(content)
    assert atomic_files.load(path, dict) is None
    assert names(tmp_path) == ["heads.json.damaged"]
    assert (tmp_path / "heads.json.damaged").read_bytes() == content


@pytest.mark.parametrize("bad", [b'{"a": 2{"a": 3}\n', b"\x00\r\x00\n", b"\n"])
def test_a_line_that_makes_no_sense_is_removed_and_a_copy_is_put_aside(tmp_path, bad):
    path = tmp_path / "bounces.jsonl"
    content = b'{"a":1}\n' + bad + b'["of another version"]\n{"a":4}\n'
    path.write_bytes(content)
    for _ in range(2):
        assert [row["a"] for row in atomic_files.lines(path, dict)] == [1, 4]
    assert path.read_bytes() == content.replace(b"1}\n" + bad, b"1}\n")
    assert (tmp_path / "bounces.jsonl.damaged").read_bytes() == content
    (tmp_path / "bounces.jsonl.damaged").unlink()
    assert [row["a"] for row in atomic_files.lines(path, dict)] == [1, 4]
    assert names(tmp_path) == ["bounces.jsonl"]


def test_a_temporary_name_cannot_be_guessed_and_is_never_followed(tmp_path):
    target = tmp_path / "page.html"
    names_made = {atomic_files.beside(target) for _ in range(9)}
    assert len(names_made) == 9
    link = names_made.pop()
    link.symlink_to(tmp_path / "victim")
    with pytest.raises(FileExistsError):
        atomic_files.write(link, b"x", 0o600)
    assert not (tmp_path / "victim").exists()


def test_the_folder_is_on_disk_when_a_file_is(tmp_path, monkeypatch):
    synced, real = [], os.fsync

    def fsync(handle):
        synced.append(os.fstat(handle).st_ino)
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    for write in (atomic_files.store, lambda path, value: atomic_files.append(path, value)):
        synced.clear()
        write(tmp_path / f"{write.__name__}.json", {})
        assert synced[-1] == tmp_path.stat().st_ino
