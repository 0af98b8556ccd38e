"""`pbem docs`: the pages of the installed version, and the hints that name them."""

import re
from pathlib import Path

import pbem.cli
from pbem import __version__
from pbem.cli.console import Exit
from pbem.cli.docs import _SHORT, pages

DOCS = Path(__file__).parents[2] / "docs"


def test_it_lists_the_pages_and_shows_one(pbem):
    listed = {page["page"]: page["title"] for page in pbem.json("docs")}
    assert {
        "index",
        "first-game-player",
        "first-game-player.ja",
        "set-deadlines",
        "orders",
        "virgin_queen",
        "changelog",
    } <= set(listed)
    assert listed["set-deadlines"] == "Set deadlines"
    assert next(iter(listed)) == "index"
    for page in ("set-deadlines", "how-to/set-deadlines", "docs/how-to/set-deadlines.md"):
        assert pbem("docs", page).stdout.startswith("# Set deadlines\n")
    assert pbem("docs", "first-game-player", "--path").stdout.strip().endswith("first-game-player.md")


def test_a_page_has_a_short_name_and_its_name_of_before(pbem):
    assert pbem("docs", "moderator").stdout.startswith("# Your first game as a moderator\n")
    assert set(_SHORT.values()) <= set(pages())
    assert set(_SHORT) & set(pages()) == set()


def test_the_newest_release_of_the_changelog_is_this_version(pbem):
    releases = re.findall(r"^## \[(\d[\w.]*)\] - \d{4}-\d\d-\d\d$", pbem("docs", "changelog").stdout, re.MULTILINE)
    assert releases[0] == __version__


def test_the_changelog_is_for_users_and_short(pbem):
    """What only developers notice is in git. An entry is one to three lines."""
    text = pbem("docs", "changelog").stdout
    entries = text.partition("## [Unreleased]")[2].split("\n- ")[1:]
    assert len(entries) < 150
    assert [entry for entry in entries if entry.partition("\n\n")[0].count("\n") > 2] == []


def test_no_two_pages_have_one_name():
    found = [path.stem for path in DOCS.rglob("*.md") if path.parent.name != "api"]
    assert len(set(found)) == len(found)
    assert set(found) <= set(pages())


def test_a_page_that_is_not_there_names_its_neighbour(pbem):
    assert "did you mean moderator?" in pbem("docs", "moderater", code=Exit.USAGE).stderr


def test_hints_name_pages_that_are_there():
    room, named = Path(pbem.cli.__file__).parents[1], set()
    for path in (*room.rglob("*.py"), *room.rglob("locale/*.toml")):
        named |= set(re.findall(r"pbem docs ([a-z][\w-]*\w)", path.read_text("utf-8")))
    assert len(named) > 4
    assert sorted(named - set(pages()) - set(_SHORT)) == []
