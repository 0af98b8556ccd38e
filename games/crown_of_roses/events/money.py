"""Events about influence points and the Roll of Parliament."""

from __future__ import annotations

from functools import partial
from typing import Literal, NotRequired

from games.crown_of_roses.events.common import collect, event, lay, to_roll
from games.crown_of_roses.events.steps import on_roll, take_back
from games.crown_of_roses.influence import InfluencePlacement, bar_noble, targets
from games.crown_of_roses.money import change, change_field, stock_after_change
from games.crown_of_roses.options import setting
from games.crown_of_roses.query import king_house, total
from games.crown_of_roses.refusals import bar_house, meant
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import PASS, Choice, Distribution, Domain, Form, Menu, Values
from pbem.kernel.game import Play
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because

_intrigue = KIT.question("intrigue", "14.2")
_recall = KIT.question("recall", "14.2", REACTION)
_kingmaker = KIT.question("kingmaker", "14.2")


@event("secret_ballot")
def secret_ballot(table: Table, house: str, card: str) -> None:
    """47 A point from the pool for each office of own nobles, one more for the King, one more for the Chancellor."""
    state = table.state
    held = [
        key for key, office in state.offices.items() if office.holder and state.blocks[office.holder].owner == house
    ]
    points = len(held) + (king_house(state) == house) + ("chancellor" in held)
    collect(table, house, points)


def _named(table: Table) -> list[str]:
    return [key for key, own in table.state.houses.items() if own.roll]


@event(
    "court_intrigue",
    "weight_of_opinion",
    "political_power",
    bar=lambda table, house, card: None if _named(table) else because("roll_empty", "14.2"),
)
def court_intrigue(table: Table, house: str, card: str) -> Play:
    """50, 53, 54 (R-32) A player takes five of their markers, all if fewer, from the Roll back into stock, unshown."""
    able = _named(table)
    rival = next((key for key in able if key != house), able[0])
    named = yield from _intrigue(
        house, Choice(able, "house", partial(bar_house, table, "no_roll", "14.2")), rival, card=card
    )
    laid = on_roll(table, named)
    count = min(table.c.cards[card].params.markers, sum(laid.values()))
    markers = yield from _recall(
        named, Distribution(laid, count, "markers"), lambda: _first(laid, count), card=card, count=count
    )
    take_back(table, named, markers)
    by_noble: dict[str, int] = {}
    for key, number in markers.items():
        noble = key.rpartition("-")[0]
        by_noble[noble] = by_noble.get(noble, 0) + number
    for noble in table.c.roll:
        if noble in by_noble:
            table.log("recall.taken", rule="14.2", house=named, block=noble, count=by_noble[noble], reveals=True)


def _first(laid: dict[str, int], count: int) -> dict[str, int]:
    chosen: dict[str, int] = {}
    for key, number in laid.items():
        if count:
            chosen[key] = min(number, count)
            count -= chosen[key]
    return chosen


@event("katherine_and_anne")
def katherine_and_anne(table: Table, house: str, card: str) -> None:
    """B7 Ten points, as far as the pool has them: half of them, rounded down, on Oxford, the rest on Shrewsbury."""
    params = table.c.cards[card].params
    points = min(params.ip, total(table.c, table.state.houses[house].pool))
    shares = dict(zip(params.split, (points // 2, points - points // 2), strict=True))
    able = {noble: share for noble, share in shares.items() if noble in targets(table)}
    # 19.0 The share of a noble who takes no influence stays in the pool, or (house rule) comes to the stock.
    collect(table, house, sum(able.values()) if setting(table, "lost_share") == "pool" else points)
    for noble, share in able.items():
        to_roll(table, house, noble, share, "14.2")


class MoneyPlacement(InfluencePlacement):
    """Markers for a noble, perhaps after a change of money."""

    change: NotRequired[dict[str, int]]


def _no_putting(table: Table, word: str) -> RejectionReason | None:
    """Return why nothing can be laid on anybody: the stock is empty (W7). Every game has nobles who take influence."""
    return because("no_markers", "14.2") if meant(table, word) == "put" else None


@event("kingmaker")
def kingmaker(table: Table, house: str, card: str) -> Play:
    """W7 A die and four: the given points from the pool to stock; then any markers from stock onto one noble."""
    own = table.state.houses[house]
    roll = table.roll(1, "event.roll", rule="14.2", house=house, card=card).total
    collect(table, house, roll + table.c.cards[card].params.die_plus)
    entries: dict[str, Domain | None] = {PASS: None}
    able = targets(table)

    def markers(v: Values) -> Distribution:
        stock = stock_after_change(table, house, v.change)
        return Distribution(stock, (1, sum(stock.values())), "markers")

    if able and own.stock:
        entries["put"] = Form(
            {
                **change_field(table, house),
                "noble": Choice(able, "noble", partial(bar_noble, table)),
                "markers": markers,
            }
        )
    menu: Menu[Literal["pass"] | MoneyPlacement] = Menu(entries, None, partial(_no_putting, table))
    answer = yield from _kingmaker(house, menu, PASS, card=card)
    if answer != PASS:
        change(table, house, answer.get("change"))
        lay(table, house, answer["noble"], own.stock, dict(answer["markers"]), "14.2")
