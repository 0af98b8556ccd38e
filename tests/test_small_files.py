"""A small file is written whole or not at all, and nothing of a killed writer stays for ever."""

from __future__ import annotations

import os

import pytest

from pbem import small_files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_disk_that_is_full_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    target = tmp_path / "tries.json"
    small_files.store(target, {"a": 1})

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        small_files.store(target, {"a": 2})
    assert names(tmp_path) == ["tries.json"]
    assert b"1" in target.read_bytes()


def test_what_a_killed_writer_left_goes_when_it_is_old(tmp_path):
    target = tmp_path / "heartbeat.json"
    old, young, other = (
        tmp_path / name for name in (".heartbeat.json.1.tmp", ".heartbeat.json.2.tmp", ".x.json.1.tmp")
    )
    for one in (old, young, other):
        one.write_bytes(b"{")
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    small_files.store(target, {})
    assert names(tmp_path) == [".heartbeat.json.2.tmp", ".x.json.1.tmp", "heartbeat.json"]
