"""`pbem docs`: the pages of the installed version, and the hints that name them."""

import re
from pathlib import Path

import pbem.cli
from pbem.cli.docs import pages
from pbem.cli.exits import Exit


def test_it_lists_the_pages_and_shows_one(pbem):
    listed = {page["page"]: page["title"] for page in pbem.json("docs")}
    assert {"index", "player", "player.ja", "moderator", "virgin_queen", "changelog"} <= set(listed)
    assert listed["moderator"] == "For the moderator"
    assert pbem("docs", "moderator").stdout.startswith("# For the moderator\n")
    assert pbem("docs", "docs/orders.md").stdout.startswith("# Writing orders\n")
    assert pbem("docs", "player", "--path").stdout.strip().endswith("player.md")


def test_a_page_that_is_not_there_names_its_neighbour(pbem):
    assert "did you mean moderator?" in pbem("docs", "moderater", code=Exit.USAGE).stderr


def test_hints_name_pages_that_are_there():
    room, named = Path(pbem.cli.__file__).parents[1], set()
    for path in (*room.rglob("*.py"), *room.rglob("locale/*.toml")):
        named |= set(re.findall(r"pbem docs ([a-z][\w-]*\w)", path.read_text("utf-8")))
    assert named >= {"moderator", "orders", "cases", "save-format", "changelog"}
    assert sorted(named - set(pages())) == []
