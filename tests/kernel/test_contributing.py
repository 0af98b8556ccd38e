"""The chapter, card and question of CONTRIBUTING.md are executed as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from pbem.kernel.domains import Amount
from pbem.kernel.game import Play
from pbem.kernel.kit import Kit, RulebookSection
from pbem.kernel.table import Table
from tests.toy.playing import new

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")


class State(msgspec.Struct):
    gold: dict[str, int]
    purse: int = 0


def chapter() -> dict[str, Any]:
    """The names that the chapter defines."""
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = {"KIT": Kit(), "Table": Table, "Amount": Amount, "Play": Play}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    return names


def table() -> Table:
    found = new().table
    found.state = State({"amber": 5, "blue": 2, "coral": 0})
    return found


def test_the_chapter_is_registered():
    kit = chapter()["KIT"]
    assert kit.sections == {"13": RulebookSection("levies", ("levies.py",))}
    assert (kit.missing(), list(kit.kinds), list(kit.actions)) == ({}, ["gift"], ["levy"])


def test_the_menu_offers_what_is_found():
    kit, played = chapter()["KIT"], table()
    assert kit.menu(played, "amber", ["levy"], ["pass"]).parse("levy 3") == {"do": "levy", "with": 3}
    assert list(kit.menu(played, "coral", ["levy"], ["pass"]).options()) == ["pass"]


def test_the_action_asks_its_question():
    kit, played = chapter()["KIT"], table()
    run = kit.carry_out(played, "amber", {"do": "levy", "with": 3})
    asked = next(run)
    assert (asked.seat, asked.kind, asked.rule) == ("blue", "gift", "13.2")
    assert (asked.default, asked.about) == (0, {"payer": "amber"})
    assert not [*_rest(run, 1)]
    assert played.state.purse == 4


def _rest(run: Play, answer: int) -> Any:
    try:
        yield run.send(answer)
    except StopIteration:
        return


def test_the_card_does_what_it_says():
    kit, played = chapter()["KIT"], table()
    card = kit.entries["event"]["windfall"]
    assert card.can(played, "coral", 2)
    assert not [*card.run(played, "coral", 2)]
    assert played.state.gold["coral"] == 2
