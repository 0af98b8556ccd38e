"""Surprise cards after an engagement (71, L3): eliminated blocks escape without a roll."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypedDict

from games.crown_of_roses.blocks import put
from games.crown_of_roses.exile import bar_box, go_into_exile, open_to
from games.crown_of_roses.heirs import arrive, bar_estate, which_estate
from games.crown_of_roses.query import estates, is_heir, party
from games.crown_of_roses.refusals import block_meant, meant
from games.crown_of_roses.response_points import AFTERMATH, ResponsePoint
from games.crown_of_roses.state import UNDECLARED
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because


class Refuge(TypedDict):
    """The destination of those that don't have to roll."""

    to: str


class Escape(Refuge):
    """The blocks that escape, and their destination."""

    who: str


def _fallen(table: Table, moment: ResponsePoint, house: str) -> list[str]:
    assert moment.fight is not None  # an engagement is over
    return [key for key in moment.fight.fallen if table.c.blocks[key].noble and table.state.blocks[key].owner == house]


def _refuges(table: Table, house: str, keys: Sequence[str]) -> list[str]:
    """Return `estates` if all of them have one, and the exile boxes open to the house."""
    boxes = [key for key in table.c.exiles if open_to(table, house, key)]
    return [*(["estates"] if all(estates(table, key) for key in keys) else []), *boxes]


Ways = dict[str, list[str]]
"""Blocks that may escape → their possible destinations."""


def _escapers(table: Table, house: str, moment: ResponsePoint) -> Ways | None:
    fallen = _fallen(table, moment, house)
    groups = {key: [key] for key in fallen}
    heirs = [key for key in fallen if is_heir(table.state, key)]
    if len(heirs) > 1:
        groups["heirs"] = heirs
    found = {word: _refuges(table, house, keys) for word, keys in groups.items()}
    return {word: refuges for word, refuges in found.items() if refuges} or None


def _escape(table: Table, house: str, ways: Ways) -> Form[Escape]:
    return Form(
        who=Choice(list(ways), "noble", partial(_no_escaper, table)),
        to=lambda v: Choice(ways[v.who], "refuge", partial(bar_box, table, house)),
    )


def _no_escaper(table: Table, word: str) -> RejectionReason | None:
    """Return why somebody does not get away (71); None if it isn't a block."""
    if key := block_meant(table, word):
        return because("not_fallen", "10.4.4", block=key)
    return because("no_two_heirs", "10.4.4") if meant(table, word) == "heirs" else None


# Who has fallen is public; where they could go is not.
@KIT.response(
    (AFTERMATH,), ("escape",), _escapers, _escape, can=lambda table, house, moment: bool(_fallen(table, moment, house))
)
def escape(table: Table, house: str, moment: ResponsePoint, answer: Escape) -> Play:
    """71 One own noble, or all own heirs, do not roll: home strength in estates, or all in one exile box."""
    fallen = _fallen(table, moment, house)
    who = answer["who"]
    keys = [key for key in fallen if is_heir(table.state, key)] if who == "heirs" else [who]
    yield from _get_away(table, moment, house, keys, answer["to"])


def _coloured(table: Table, house: str, moment: ResponsePoint) -> list[str]:
    return [
        key
        for key in _fallen(table, moment, house)
        if table.c.blocks[key].house == table.c.cards["black_jack_and_deepwood"].params.colour
    ]


def _any_coloured(table: Table, house: str, moment: ResponsePoint) -> bool:
    return bool(_coloured(table, house, moment))


def _hideouts(table: Table, house: str, moment: ResponsePoint) -> list[str] | None:
    return _refuges(table, house, _coloured(table, house, moment)) or None


def _refuge(table: Table, house: str, refuges: list[str]) -> Form[Refuge]:
    return Form(to=Choice(refuges, "refuge", partial(bar_box, table, house)))


@KIT.response((AFTERMATH,), ("black_jack_and_deepwood",), _hideouts, _refuge, can=_any_coloured)
def black_jack(table: Table, house: str, moment: ResponsePoint, answer: Refuge) -> Play:
    """L3 All nobles and heirs of Lancaster's colour do not roll: as card 71."""
    yield from _get_away(table, moment, house, _coloured(table, house, moment), answer["to"])


def _get_away(table: Table, moment: ResponsePoint, house: str, keys: list[str], to: str) -> Play:
    """Move blocks that do not roll to estates or exile, at home strength, with their office blocks."""
    state = table.state
    for key in keys:
        put(table, key, UNDECLARED)
        for block in party(state, key):
            state.blocks[block].steps = 1
    for key in keys:
        table.log("block.escapes", rule="20.6.1", house=house, block=key, place=to, reveals=True)
        if to != "estates":
            continue
        places = estates(table, key)
        place = places[0]
        if len(places) > 1:
            choice = Choice(places, "shire", partial(bar_estate, table, key))
            place = yield from which_estate(house, choice, places[0], rule="20.6.1", block=key)
        arrive(table, house, key, place, "20.6.1")
    if to != "estates":
        for key in keys:
            put(table, key, to)
        stack = [block for key in keys for block in party(state, key)]
        go_into_exile(table, house, stack, to)
    moment.add("spared", house, blocks=list(keys))
