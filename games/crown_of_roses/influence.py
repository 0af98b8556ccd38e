"""Political influence (19)."""

from __future__ import annotations

from functools import partial
from typing import TypedDict

from games.crown_of_roses.money import shift, shown
from games.crown_of_roses.query import pay
from games.crown_of_roses.refusals import block_meant
from games.crown_of_roses.state import OUT, UNAVAILABLE, RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Form
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("19", "political influence", "influence.py")


class InfluencePlacement(TypedDict):
    """Markers for a noble."""

    noble: str
    markers: dict[str, int]


def targets(table: Table) -> list[str]:
    """Return nobles with a box that takes influence (19.0)."""
    state = table.state
    blocks = state.blocks
    # An heir's box takes none; Clarence's has a rule of its own.
    closed = {key for house in state.houses.values() for key in house.heirs}
    closed.add("lord_clarence")
    if _clarence(state):
        closed.remove("lord_clarence")
    # Nor does the box of a noble who is unavailable or out of play.
    return [key for key in table.c.roll if key not in closed and blocks[key].at not in (UNAVAILABLE, OUT)]


def _clarence(state: RosesState) -> bool:
    """Return whether Clarence takes influence: as York's junior heir, or without York (10.3.5, R-20)."""
    york = state.houses.get("york")
    if york is None:
        return True
    return "lord_clarence" in york.heirs and york.heirs[0] != "lord_clarence"


def _find(table: Table, house: str) -> list[str] | None:
    return (targets(table) if table.state.houses[house].stock else []) or None


def _form(table: Table, house: str, nobles: list[str]) -> Form[InfluencePlacement]:
    stock = table.state.houses[house].stock
    return Form(
        noble=Choice(nobles, "noble", partial(bar_noble, table)),
        markers=Distribution(dict(stock), (1, sum(stock.values())), "markers"),
    )


@KIT.reason("influence")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why a house can put no markers on anybody (19.0)."""
    return None if table.state.houses[house].stock else because("no_markers", "19.0")


def bar_noble(table: Table, noble: str) -> RejectionReason | None:
    """Return why a block takes no influence, in the order of `targets` (19.0); None if it isn't a block."""
    state, noble = table.state, block_meant(table, noble)
    if not noble:
        return None
    if noble == "lord_clarence":
        if not _clarence(state):
            return because("clarence", "10.3.5")
    elif any(noble in house.heirs for house in state.houses.values()):
        return because("heir_box", "19.0", block=noble)
    if noble not in table.c.roll:
        return because("no_box", "19.0", block=noble)
    return because("gone", "19.0", block=noble) if state.blocks[noble].at in (UNAVAILABLE, OUT) else None


@KIT.action("influence", "19", _find, _form)
def _influence(table: Table, house: str, order: InfluencePlacement) -> None:
    """Put any markers, at least one, face down on one noble for one OPS (19.0). Only their number is logged."""
    pay(table, table.c.numbers.actions.influence, influence=True)
    own = table.state.houses[house]
    noble, markers = order["noble"], dict(order["markers"])
    shift(own.stock, own.roll.setdefault(noble, {}), markers)
    table.log(
        "influence.placed", rule="19.0", house=house, block=noble, count=sum(markers.values()),
        private={house: {"markers": shown(markers)}},
    )  # fmt: skip
