"""Headers of a folder of saves are kept: equal to what is read, private, and never older than the save."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from pbem.mail.header_cache import FOLDER
from pbem.mail.save_index import SaveIndex
from pbem.save import load_header
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
