"""The Influence Phase (23): shires, estates, offices (23.1.3), allies (23.1.4), popular support (23.1.5)."""

from __future__ import annotations

from functools import partial
from typing import NotRequired, TypedDict

from games.crown_of_roses.money import Count, filled, gain, purse, restock, shift, shown
from games.crown_of_roses.options import chosen
from games.crown_of_roses.query import control, estates, loyalty, owners, total
from games.crown_of_roses.response_points import INCOME, offer
from games.crown_of_roses.state import RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Form, Values
from pbem.kernel.form import Field
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, AskAll

KIT.chapter("23", "Influence Phase", "realm/income.py")
KIT.chapter("23.1.1", "shires", "realm/income.py")
KIT.chapter("23.1.2", "estates (option)", "realm/income.py", "options.py")
KIT.chapter("23.1.3", "offices", "realm/income.py")
KIT.chapter("23.1.4", "allies", "realm/income.py", "events/allies.py")
KIT.chapter("23.1.5", "popular support", "realm/income.py")

STEADY = {"coppini": 1}
"""23.1.4 Allies who bring points in every Influence Phase while they are in play (card 21)."""
WAYS = ("small", "large", "choose")
"""How a house takes its points: small markers first, large ones first, or as it says itself."""


_income = KIT.question("income", "23.0", "ballot")


class IncomeChoice(TypedDict):
    """How the points are taken, and the zeros; with `choose` also the numbers of other markers."""

    how: str
    zeros: int
    ip10: NotRequired[int]
    ip5: NotRequired[int]
    ip3: NotRequired[int]
    ip2: NotRequired[int]


@KIT.phase("influence")
def influence_phase(table: Table) -> Play:
    """Count the income of all houses, who move it from their pool to their stock (23.0)."""
    state = table.state
    state.collected = state.turn
    playing = [key for key, house in state.houses.items() if not house.out]
    for house in playing:
        count(table, house)
    yield from offer(table, INCOME, {"turn": state.turn}, touches=None)
    answers = yield from AskAll({house: _ask(table, house) for house in playing})
    for house, answer in answers.items():
        take(table, house, answer)
    state.phase, state.stage = "king", ""


def count(table: Table, house: str) -> None:
    """Count the public income of a house: shires, estates (option), offices, allies, popular support (23.1)."""
    state, c = table.state, table.c
    own = state.houses[house]
    shires = from_shires(table, house)
    lands = from_estates(table, house) if chosen(table, "estate_income") else 0
    offices = sum(c.offices[key].ip for key in offices_of(state, house))
    allies = sum(STEADY.get(card, 0) for card in own.cards)
    cheers = c.support[own.support].ip
    own.income = shires + lands + offices + allies + cheers
    table.log(
        "income.counted", rule="23.1", house=house, total=own.income, shires=shires, estates=lands, offices=offices,
        allies=allies, support=cheers, reveals=True,
    )  # fmt: skip


def offices_of(state: RosesState, house: str) -> list[str]:
    """Return offices whose holders a house controls."""
    return [
        key for key, office in state.offices.items() if office.holder and state.blocks[office.holder].owner == house
    ]


def from_shires(table: Table, house: str) -> int:
    """Return points of shires (23.1.1): occupied: value, one more if loyal; else one if loyal; none if spoilt."""
    state = table.state
    points = 0
    for key, shire in table.c.shires.items():
        here, loyal = owners(state, key), loyalty(table, key) == house
        if not (here or loyal) or state.marks.get(key) in ("plundered", "devastated"):
            continue
        if control(table, key) == house:
            points += shire.sv + loyal if here else int(loyal)
    return points


def from_estates(table: Table, house: str) -> int:
    """Return one point for each noble (the Queen too) in one of their estates (23.1.2), not office blocks (W45)."""
    return sum(
        block.owner == house
        and block.at in table.c.shires
        and table.c.blocks[key].kind not in ("office", "mercenary")
        and block.at in estates(table, key)
        for key, block in table.state.blocks.items()
    )


def _ask(table: Table, house: str) -> Ask[IncomeChoice]:
    own = table.state.houses[house]
    return _income(
        house, partial(_purse, table, house), lambda: IncomeChoice(how="small", zeros=own.pool.get("ip0", 0)),
        income=own.income,
    )  # fmt: skip


def _purse(table: Table, house: str) -> Form[IncomeChoice]:
    """Return the form for zeros and points (23.0, 9.1); `choose` names the whole stock afterwards."""
    own = table.state.houses[house]
    points = total(table.c, own.stock) + min(own.income, total(table.c, own.pool))
    fields: dict[str, Field] = {"how": Choice(WAYS), "zeros": Amount(0, own.pool.get("ip0", 0), what="zeros")}
    for key, field in purse(table.c, own, points).items():
        fields[key] = partial(_if_chosen, field)
    return Form(fields)


def _if_chosen(field: Count, v: Values) -> Choice[int] | None:
    return field(v) if v.how == "choose" else None


def take(table: Table, house: str, order: IncomeChoice) -> None:
    """Take the markers face up, then turn them over; what the pool lacks is lost (23.0, R-54)."""
    c, own = table.c, table.state.houses[house]
    points = min(own.income, total(c, own.pool))
    went: dict[str, int] = {}
    if order["how"] == "choose":
        wanted = filled(c, own, total(c, own.stock) + points, order)
        came, went = restock(c, own, wanted)
    else:
        came, points = gain(table, house, points, large=order["how"] == "large")
    if order["zeros"]:
        zeros = {"ip0": order["zeros"]}
        shift(own.pool, own.stock, zeros)
        came = {**zeros, **came}
    table.log(
        "income.taken", rule="23.0", house=house, points=points, lost=own.income - points, came=shown(came),
        went=shown(went), reveals=True,
    )  # fmt: skip
