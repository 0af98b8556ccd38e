"""Files that came from elsewhere: what they say reaches no terminal raw, breaks nothing, and leads nowhere else."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import tomllib
from pathlib import Path

import pytest
import tomli_w
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.console import Exit
from pbem.save import files
from pbem.tui.model.game_source import open_source
from pbem.tui.model.seat_view import ViewFileError
from tests.cli.conftest import new_game, pbem  # noqa: F401

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
SAVES = Path(__file__).parents[2] / "saves"
ODD = ["zzz", "", EVIL, 0, -1, 10**18, 0.5, True, [], {}, [[]], [{}], {"x": "y"}, "9999-12-31T23:59:59Z", {"en": 1}]


def said(*words):
    """What a command prints, with its status; an exception that it does not explain is a failure."""
    done = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert not CONTROL.search(done.stdout + done.stderr), words
    return done


def view_of(name, seat, folder):
    file = folder / "whole.toml"
    said("view", SAVES / f"{name}.toml", "--seat", seat, "--format", "player-file", "-o", file)
    return tomllib.loads(file.read_text("utf-8"))


def places(node, path=()):
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def changed(document, path, value):
    new = copy.deepcopy(document)
    at = new
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return tomli_w.dumps(new)


@pytest.mark.parametrize(("name", "seat"), [("1630-ballot", "amber"), ("vq-negotiation", "spain")])
def test_a_view_file_with_one_odd_value_is_judged_or_refused_in_a_sentence(tmp_path, name, seat):
    document = view_of(name, seat, tmp_path)
    number = document["questions"][0]["q"]
    orders, view = tmp_path / "a.orders", tmp_path / "view.toml"
    head = f"BEGIN ORDERS {document['game']} {seat} {document['code']}"
    orders.write_text(f"{head}\nzzz: foo\n{number}: pass\nEND ORDERS\n", "utf-8")
    some = random.Random(name)
    where = sorted(set(places(document)), key=str)
    top = [path for path in where if len(path) == 1]
    asked = [path for path in where if path[0] == "questions"]
    for at in range(45):
        path = some.choice((top, where, asked)[at % 3])
        view.write_text(changed(document, path, some.choice([None, *ODD])), "utf-8")
        assert said("check", orders, "--view", view).exit_code in set(Exit), path
    for path in (("rules",), ("names",), ("questions", 0, "q"), ("seat",), ("due",)):
        for value in (None, *ODD):
            view.write_text(changed(document, path, value), "utf-8")
            assert said("check", orders, "--view", view).exit_code in set(Exit), (path, value)


def test_only_a_save_has_a_moderators_desk(tmp_path):
    view = tmp_path / "view.toml"
    view.write_text(changed(view_of("1630-ballot", "amber", tmp_path), ("seat",), "moderator"), "utf-8")
    with pytest.raises(ViewFileError, match="open the save"):
        open_source(view)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('phase = "display"', f"phase = {json.dumps('display' + EVIL)}"),
        ('scenario = "standard"', f"scenario = {json.dumps('standard' + EVIL)}"),
        ('rules = "', f'rules = "{json.dumps(EVIL)[1:-1]}'),
        ('game = "sixteen_thirty"', f"game = {json.dumps('sixteen' + EVIL)}"),
        ('scenario = "standard"', f'scenario = "standard"\n{json.dumps("x" + EVIL)} = 1'),
    ],
)
def test_words_of_a_save_lose_control_characters_on_the_way_to_a_terminal(new_game, old, new):  # noqa: F811
    text = new_game.read_text("utf-8")
    assert old in text
    new_game.write_text(text.replace(old, new, 1), "utf-8")
    for command in ("status", "desk", "stats", "audit"):
        said(command, new_game if command == "audit" else new_game.parent)


def test_the_name_of_a_file_is_somebodys_word_too(new_game):  # noqa: F811
    broken = new_game.with_name("a\x1b[2Jb.toml")
    broken.write_text("broken")
    for words in (("audit", broken), ("status", broken), ("tick", new_game.parent, "--now", "2026-05-01T13:00:00Z")):
        said(*words)


@pytest.mark.parametrize(
    "text",
    ["[cards" + ".a" * 1000 + "]\nx = 1\n", "[cards]\nx = " + "[" * 5000 + "]" * 5000 + "\n"],
    ids=["tables", "lists"],
)
def test_what_is_nested_too_deeply_is_refused_in_a_sentence(new_game, tmp_path, text):  # noqa: F811
    (tmp_path / "deep.toml").write_text(text)
    for words in (
        ("pack", "check", "deep.toml", "--game", "sixteen_thirty"),
        ("new", "sixteen_thirty", "--players", "3", "-o", "n.toml", "--pack", "deep.toml"),
    ):
        assert "nested" in said(*words).stderr
    save = new_game.read_text("utf-8")
    for mark in ("[checkpoint]\n", "[[moves]]\n", "[seats.told]\n"):
        if mark in save:
            new_game.write_text(
                save.replace(mark, mark + text.partition("\n")[2].replace("x = ", "y = ", 1), 1), "utf-8"
            )
            for command in ("status", "audit"):
                said(command, new_game)


# -- pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["index.html", "style.css", "games", ".pbem-site.json"])
def test_a_link_in_a_public_folder_leads_no_page_elsewhere(new_game, tmp_path, what):  # noqa: F811
    public, other = tmp_path / "public", tmp_path / "other"
    public.mkdir()
    other.mkdir()
    (other / "precious").write_text("precious")
    (public / what).symlink_to(other if what == "games" else other / "precious")
    assert said("site", new_game, "-o", public).exit_code == 0
    assert [(path.name, path.read_text()) for path in other.iterdir()] == [("precious", "precious")]
    assert (public / "games" / "g-01" / "index.html").is_file()
    assert not (public / what).is_symlink()


def test_only_pages_of_the_game_are_ever_deleted(new_game, tmp_path):  # noqa: F811
    public, victim = tmp_path / "public", tmp_path / "victim"
    victim.write_text("precious")
    mine = public / "mine.html"
    said("site", new_game, "-o", public)
    mine.write_text("mine")
    known = json.loads((public / ".pbem-site.json").read_text())
    old = public / "games" / "g-01" / "old.html"
    old.write_text("old")
    outside = ["mine.html", "../victim", str(victim), "games/g-01/../../mine.html", f"../saves/{new_game.name}"]
    known["games"]["g-01"]["paths"] += ["games/g-01/old.html", *outside]
    known["games"]["g-01"]["facts"] = "changed"
    (public / ".pbem-site.json").write_text(json.dumps(known))
    said("site", new_game, "-o", public)
    assert victim.exists()
    assert mine.exists()
    assert new_game.exists()
    assert not old.exists()


def test_pages_stay_beside_the_save_unless_the_moderator_allows_more(new_game, tmp_path, monkeypatch):  # noqa: F811
    words = ("--reason", "x", "--now", "2026-05-01T13:00:00Z")
    elsewhere = tmp_path / "elsewhere" / "pages"
    for value in (str(elsewhere), "../elsewhere/pages", "a/../../elsewhere/pages"):
        assert said("config", "set", new_game, f"site={value}", *words).exit_code == Exit.USAGE
    said("config", "set", new_game, "site=pages", *words)
    (new_game.parent / "pages").symlink_to(tmp_path / "elsewhere")
    tick = ("tick", new_game.parent, "--now", "2026-05-01T13:00:00Z")
    assert "PBEM_ALLOW" in said(*tick).stderr
    assert not elsewhere.parent.exists()
    monkeypatch.setenv("PBEM_ALLOW", str(elsewhere))
    said(*tick)
    assert (elsewhere / "index.html").is_file()


# -- files that are written ------------------------------------------------------------------------


def test_no_link_takes_what_is_written_elsewhere(new_game, tmp_path, monkeypatch):  # noqa: F811
    """Whoever may write into the folder guesses the name of the next temporary file, and puts a link there."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = new_game.with_suffix(".d")
    folder.mkdir()
    name, pid = new_game.name, os.getpid()
    for guess in (f".{name}.{pid}.tmp", f".{name}.bak.tmp", f".heartbeat.json.{pid}.tmp", "g-01.d/before.tmp"):
        (new_game.parent / guess).symlink_to(victim)
    files.keep(new_game, "before")
    said("tick", new_game.parent, "--now", "2026-05-01T13:00:00Z")
    said("config", "set", new_game, "grace=12", "--reason", "x", "--now", "2026-05-01T13:00:00Z")
    assert victim.read_text() == "precious"


def test_what_holds_a_hand_is_its_owners_alone(new_game, tmp_path):  # noqa: F811
    old = os.umask(0o022)
    try:
        for kind in ("text", "html", "json", "view"):
            said("view", new_game, "--seat", "amber", "--format", kind, "-o", f"report.{kind}")
        said("bundle", new_game, "--seat", "amber", "-o", "bundle.json")
        said("view", new_game, "--seat", "moderator", "--format", "state", "-o", "state.json")
        said("mail", "broadcast", new_game, "hello")
    finally:
        os.umask(old)
    made = [*tmp_path.glob("report.*"), tmp_path / "bundle.json", tmp_path / "state.json"]
    assert len(made) == 6
    made += [path for path in (new_game.parent / "outbox").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in made} == {0o600}
    folders = [path for path in new_game.parent.rglob("*") if path.is_dir()]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
