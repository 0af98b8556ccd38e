"""From the box to the table: what an owner says of a card, in the editor or a spreadsheet, is what it does in play."""

from __future__ import annotations

import asyncio
import csv
import io
import shutil
from email import message_from_bytes, policy
from pathlib import Path

import pytest
import tomli_w
from textual.widgets import Input

import games
from pbem.cli.console import Exit
from pbem.dev import rule_tests
from pbem.save import load
from pbem.save.pack_files import read
from pbem.tui.pack.app import PackApp
from tests.tui.helpers import running

CASES = Path(__file__).parents[1] / "cases"


def edited(path, steps):
    """Go through the editor: `(entry, key, what is typed)`."""
    app = PackApp(path, read(path, games.load))

    async def play():
        async with running(app, (120, 36)) as pilot:
            for entry, key, text in steps:
                await pilot.press("slash")
                app.query_one("#needle", Input).value = entry
                await pilot.press("enter", "enter", key)
                app.screen.query_one(Input).value = text
                await pilot.press("enter")
                await pilot.pause()
            await pilot.press("q")

    asyncio.run(play())


def holds(folder, case):
    """Whether a case holds with the components of the game that was begun."""
    save = load(folder / "g.toml")
    whole = {"game": save.header.game, **case.pop("file", {}), "case": [{**case, "pack": save.header.pack}]}
    shutil.copy(CASES / save.header.game / "_defaults.toml", folder)
    (folder / "case.toml").write_text(tomli_w.dumps(whole), "utf-8")
    report = rule_tests.run([folder / "case.toml"])
    assert report.cases == 1
    return report.failed


PURITANS = {
    "file": {
        "clear": ["land", "fleets", "unrest"],
        "supply": {"deck": ["powers.*.hand", "powers.*.home", "discards", "removed", "waiting", "lasting"]},
        "skip": ["respond_event", "treasure"],
    },
    "id": "box-1",
    "title": "Puritans does what Fugger Loan does",
    "rule": "6.1",
    "answers": [{"seat": "hre", "text": "event puritans", "kind": "impulse"}],
    "state": {"phase": "action", "active": "hre", "powers": {"hre": {"hand": ["puritans", "huguenot-lent"]}}},
    "expect": {"state": {"powers": {"hre": {"card_marks": -1}}}, "count": {"powers.hre.hand": 3}},
}
WAR = {
    "file": PURITANS["file"],
    "id": "box-2",
    "title": "War with Poland is the moderator's",
    "rule": "6.1",
    "answers": [
        {"seat": "hre", "text": "event war-with-poland", "kind": "impulse"},
        {"seat": "moderator", "text": "refused", "kind": "manual"},
        {"seat": "hre", "text": "cp war-with-poland", "kind": "impulse"},
    ],
    "state": {"phase": "action", "active": "hre", "powers": {"hre": {"hand": ["war-with-poland"]}}},
    "expect": {"state": {"impulse": {"cp": 4}}},
}
PLOT = {
    "file": {"invariants": False},
    "id": "box-3",
    "title": "Plot Uncovered costs one step",
    "rule": "14.2 (card 41)",
    "answers": [
        {"seat": "york", "kind": "use", "text": "event"},
        {"seat": "york", "kind": "plot", "text": "hidden westmorland lancaster"},
    ],
    "state": {
        "phase": "action",
        "impulse": 1,
        "impulses": 5,
        "order": ["york"],
        "houses": {"york": {"command": "plot_uncovered"}},
        "blocks": {"lord_clifford": {"steps": 2}},
    },
    "expect": {"state": {"blocks": {"lord_clifford": {"steps": 1}}}},
}


@pytest.fixture
def virgin_queen(pbem):
    """A game of six that was begun with a box that went through the editor."""
    pbem("pack", "new", "virgin_queen", "-o", "box.toml")
    edited(
        pbem.folder / "box.toml",
        [("puritans", "e", "fugger-loan"), ("war-with-poland", "m", "Poland marches: take two cavalry off the map.")],
    )
    assert "3 values differ" in pbem("pack", "check", "box.toml").stdout
    seats = games.load("virgin_queen").seats_for(6)
    words = [word for seat in seats for word in ("--seat", f"{seat}={seat} <{seat}@example.org>")]
    pbem("new", "virgin_queen", "-o", "g.toml", "--pack", "box.toml", *words)
    return pbem.folder


def test_from_the_editor_another_effect_and_a_card_by_hand(virgin_queen):
    assert holds(virgin_queen, {**PURITANS}) == []
    assert holds(virgin_queen, {**WAR}) == []
    text = (virgin_queen / "g.toml").read_text("utf-8")
    assert "Poland marches: take two cavalry off the map." in text
    digest = load(virgin_queen / "g.toml").header.pack_digest
    letters = [
        message_from_bytes(file.read_bytes(), policy=policy.default)
        for file in (virgin_queen / "outbox" / "new").iterdir()
    ]
    assert len(letters) == 6
    for letter in letters:
        (proof,) = (part for part in letter.walk() if part.get_filename() == "letter.proof")
        assert f"~ pack {digest}" in (proof.get_payload(decode=True) or b"").decode()


def test_from_a_spreadsheet_the_numbers_of_an_effect(pbem):
    pbem("pack", "new", "crown_of_roses", "-o", "box.toml")
    text = pbem("pack", "export", "box.toml", "--table", "cards.operations").stdout
    (row,) = (row for row in csv.DictReader(io.StringIO(text)) if row["entry"] == "plot_uncovered")
    assert row["params.steps"] == "2"
    (pbem.folder / "cards.csv").write_text("entry,params.steps\nplot_uncovered,1\n", "utf-8")
    assert "fields corrected: 1" in pbem("pack", "import", "box.toml", "cards.csv").stdout
    pbem("new", "crown_of_roses", "-o", "g.toml", "--players", "2", "--pack", "box.toml")
    assert holds(pbem.folder, {**PLOT}) == []
    (pbem.folder / "cards.csv").write_text("entry,params.steps\nlove_day,1\n", "utf-8")
    said = pbem("pack", "import", "box.toml", "cards.csv", code=Exit.FAILED_CHECK).stderr
    assert "cards.house.love_day has no field 'params.steps'" in said
