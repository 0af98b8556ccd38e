"""Muster (18)."""

from __future__ import annotations

from collections.abc import Iterator

from games.crown_of_roses.marks import mark
from games.crown_of_roses.query import at, control, full, king_house, loyalty
from games.crown_of_roses.rules import ACTIONS, Action, pay
from games.crown_of_roses.state import State, Step
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Choice, Form
from pbem.kernel.game import Play


def limit(table: Table, house: str, shire: str) -> int:
    """18.0 Steps that may be mustered in a shire in one action step: its value, one more if it is loyal."""
    return int(table.c.shires[shire].sv) + (loyalty(table, shire) == house)


def places(table: Table, house: str) -> Iterator[str]:
    """Shires where a house may muster a step now: controlled, with a noble of its own, unspoilt, below the limit."""
    state, c = table.state, table.c
    assert state.step is not None
    if any(card.startswith("manpower_shortage") for card in state.lasting):
        return
    mine = {block.at for key, block in state.blocks.items() if block.owner == house and c.blocks[key].noble}
    for shire in c.shires:
        if (
            shire in mine
            and shire not in state.marks
            and control(table, shire) == house
            and state.step.mustered.get(shire, 0) < limit(table, house, shire)
            and takers(table, house, shire)
        ):
            yield shire


def _able(table: Table, house: str) -> bool:
    return next(places(table, house), "") != ""


def takers(table: Table, house: str, shire: str) -> list[str]:
    """Blocks that can have the step: those of the shire, for the King's house any in England (10.5.1)."""
    state, c = table.state, table.c
    blocks = state.blocks
    if king_house(state) != house:
        return [key for key in at(state, shire, house) if blocks[key].steps < full(c, key)]
    return [
        key
        for key, block in blocks.items()
        if block.owner == house and block.at in c.shires and block.steps < full(c, key)
    ]


def _domain(table: Table, house: str) -> Form | None:
    able = list(places(table, house))
    if not able:
        return None
    return Form(shire=Choice(able, "shire"), block=lambda v: Choice(takers(table, house, v.shire), "block"))


def _run(table: Table, house: str, order: dict[str, str]) -> Play:
    """18.0 One OPS, one step; the nobles of the shire that musters may not move afterwards in this step."""
    state: State = table.state
    pay(table, table.c.numbers["actions"]["muster"])
    shire, key = order["shire"], order["block"]
    assert state.step is not None
    state.step.mustered[shire] = state.step.mustered.get(shire, 0) + 1
    state.blocks[key].steps += 1
    for one in {key, *_raisers(table, house, shire, key)}:
        state.blocks[one].mustered = True
    place = state.blocks[key].at
    table.say(
        "muster.step", rule="18.0", house=house, shire=shire, place=place, private={house: {"block": key}}
    )
    yield from ()


def _raisers(table: Table, house: str, shire: str, key: str) -> list[str]:
    """The noble who musters: the block itself, else its host, else the first noble of the shire."""
    state, c = table.state, table.c
    host = state.blocks[key].host or key
    if state.blocks[host].at == shire and c.blocks[host].noble:
        return [host, *(one for one in state.blocks if state.blocks[one].host == host)]
    return [one for one in at(state, shire, house) if c.blocks[one].noble][:1]


def deplete(table: Table, step: Step) -> Play:
    """18.0 A shire from which two or more steps were mustered in this action step is depleted."""
    for shire, steps in step.mustered.items():
        if steps >= 2:
            yield from mark(table, step.house, shire, "depleted", "18.0")


ACTIONS["muster"] = Action("muster", "18", _domain, _run, able=_able)
