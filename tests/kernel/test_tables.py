"""Tables of a package: what is kept is what the TOML files say, at any time, wherever they lie."""

import os
import sys
from importlib import import_module
from pathlib import Path
from zipfile import ZipFile

import pytest

import games
from pbem.data_cache import KEPT, _parsed, _sources, flattened, keep, made, messages
from pbem.kernel.pack import checked, load_pack


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `boxes` with a folder `data`, imported again in each test."""
    folder = tmp_path / "boxes" / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "b.toml").write_text("x = 1\n[deep]\ny = 'ü'\n", "utf-8")
    (folder / "a.toml").write_text("z = [1, 2]\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.delitem(sys.modules, "boxes", raising=False)
    yield folder
    sys.modules.pop("boxes", None)


def counted(calls):
    def work(tables):
        calls.append(list(tables))
        return tables

    return work


def test_files_are_parsed_once_and_kept(package):
    calls = []
    first = made("boxes", "data", counted(calls))
    assert first == made("boxes", "data", counted(calls)) == {"a": {"z": [1, 2]}, "b": {"x": 1, "deep": {"y": "ü"}}}
    assert calls == [["a", "b"]]


@pytest.mark.parametrize("change", ["edit", "add", "remove", "rename", "same size and time"])
def test_with_any_difference_they_are_parsed_anew(package, change):
    made("boxes", "data", counted([]))
    one = package / "b.toml"
    if change == "edit":
        one.write_text("x = 22\n")
    elif change == "add":
        (package / "c.toml").write_text("")
    elif change == "remove":
        one.unlink()
    elif change == "rename":
        one.rename(package / "c.toml")
    else:
        before = one.stat()
        one.write_bytes(one.read_bytes().replace(b"x = 1", b"x = 2"))
        os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert made("boxes", "data", lambda tables: tables) == _parsed(_sources(package))


@pytest.mark.parametrize("content", [b"", b"nonsense", None])
def test_a_damaged_copy_is_made_anew(package, content):
    expected = made("boxes", "data", counted([]))
    kept = package / "__pycache__" / KEPT
    kept.write_bytes(kept.read_bytes()[:-3] if content is None else content)
    calls = []
    assert made("boxes", "data", counted(calls)) == expected
    assert made("boxes", "data", counted(calls)) == expected
    assert len(calls) == 1


def test_where_nothing_can_be_written_everything_is_the_same(package, monkeypatch):
    monkeypatch.setattr(Path, "mkdir", lambda *args, **more: (_ for _ in ()).throw(PermissionError()))
    assert made("boxes", "data", lambda tables: tables) == made("boxes", "data", lambda tables: tables)
    assert not (package / "__pycache__").exists()


def test_a_copy_that_came_with_the_files_is_used(package, monkeypatch):
    keep(package, lambda tables: ["from the wheel", len(tables)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert made("boxes", "data", lambda tables: tables) == ["from the wheel", 2]


def test_a_checkout_that_is_kept_free_of_bytecode_is_free_of_copies(package, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "elsewhere"))
    calls = []
    assert made("boxes", "data", counted(calls)) == made("boxes", "data", counted(calls))
    assert len(calls) == 1
    assert not (package / "__pycache__").exists()


def test_what_is_no_plain_data_is_not_kept(package):
    (package / "a.toml").write_text("day = 2026-05-01\n")
    for _ in range(2):
        found = made("boxes", "data", lambda tables: tables)
        assert found["a"]["day"].year == 2026
    assert not (package / "__pycache__" / KEPT).exists()


def test_a_folder_without_tables_is_none(package):
    assert made("boxes", "locale", lambda tables: tables) is None
    assert made("boxes", "", lambda tables: tables) is None


def test_a_package_in_a_zip_works_as_well(package, tmp_path, monkeypatch):
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        for file in package.parent.rglob("*.*"):
            archive.write(file, file.relative_to(tmp_path))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "all.zip"), *sys.path])
    expected = _parsed(_sources(package))
    (package.parent / "__init__.py").unlink()
    sys.modules.pop("boxes", None)
    assert made("boxes", "data", lambda tables: tables) == expected
    assert "all.zip" in sys.modules["boxes"].__file__


@pytest.mark.parametrize("slug", games.BUILT_IN)
def test_packs_and_messages_are_those_of_their_files(slug):
    room = Path(import_module(f"games.{slug}").__file__).parent
    pack = load_pack(f"games.{slug}")
    assert [pack.tables, pack.digest] == checked(_parsed(_sources(room / "data")))
    texts = flattened(_parsed(_sources(room / "locale")))
    assert {language: messages(f"games.{slug}", language) for language in texts} == texts
