"""Gathering supporters (24.2.1): the influence on the Roll of Parliament is counted, noble by noble."""

from __future__ import annotations

from collections.abc import Sequence

from games.crown_of_roses.money import clear_box, shown
from games.crown_of_roses.query import total
from games.crown_of_roses.realm.parliament import change_sides, summon
from games.crown_of_roses.refusals import bar_marked
from games.crown_of_roses.response_points import GATHERING, offer
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import breaker
from pbem.kernel.domains import Choice, Series
from pbem.kernel.game import Play, Rule
from pbem.kernel.rejections import RejectionReason

KIT.chapter("24.2.1", "gathering supporters", "realm/supporters.py")

_supporters = KIT.question("supporters", "24.2.1")


def boxes(table: Table) -> list[str]:
    """Return nobles with influence in their box."""
    houses = table.state.houses.values()
    return [key for key in table.c.roll if any(key in house.roll for house in houses)]


def gather(table: Table) -> Rule[bool]:
    """Settle one batch of nobles in the King's order (24.2.1). Returns whether there are more.

    The King's house names as many nobles as it likes at once: the others are named when these are settled.
    """
    if not (left := boxes(table)):
        return False
    seat = breaker(table)
    batch = left
    if len(left) > 1:

        def following(so_far: Sequence[str]) -> Choice[str] | None:
            rest = [key for key in left if key not in so_far]
            return Choice(rest, "noble") if rest else None

        def why(so_far: Sequence[str], word: str) -> RejectionReason | None:
            return bar_marked(table, so_far, "24.2.1", word)

        batch = yield from _supporters(
            seat, Series(following, 1, len(left), "nobles in order", why), left, count=len(left)
        )
    for noble in batch:
        yield from settle_noble(table, noble)
    return len(batch) < len(left)


def settle_noble(table: Table, noble: str) -> Play:
    """Settle one noble (24.2.1, steps 2 to 5): show bids, let allies add to them, follow the highest."""
    state = table.state
    for house, own in state.houses.items():
        if noble in own.roll:
            say_bid(table, house, noble)
    touched = {house for house, own in state.houses.items() if noble in own.roll}
    touched.add(state.blocks[noble].owner)
    with table.within("supporters", noble=noble):
        yield from offer(
            table, GATHERING, {"noble": noble}, touches=[house for house in state.houses if house in touched]
        )
    decide(table, noble)
    for house, own in state.houses.items():
        if count := clear_box(own, noble):
            table.log("influence.returned", rule="24.2.1", house=house, block=noble, count=count)


def say_bid(table: Table, house: str, noble: str) -> None:
    """Log the markers of a house on a noble."""
    stack = table.state.houses[house].roll[noble]
    table.log(
        "supporters.bid", rule="24.2.1", house=house, block=noble, markers=shown(stack), total=bid(table, house, noble),
        roses=roses(table, house, noble), reveals=True,
    )  # fmt: skip


def roses(table: Table, house: str, noble: str) -> int:
    """Return the inclination of a noble (24.2.1); it counts only with a bid above zero (F12)."""
    stack = table.state.houses[house].roll.get(noble, {})
    return int(table.c.blocks[noble].roses.count(house)) if total(table.c, stack) else 0


def bid(table: Table, house: str, noble: str) -> int:
    """Return the bid as it counts (24.2.1): markers and roses."""
    stack = table.state.houses[house].roll.get(noble, {})
    return total(table.c, stack) + roses(table, house, noble)


def decide(table: Table, noble: str) -> None:
    """Give a noble, with offices, to a single highest bid that reaches the base (24.2.1)."""
    state = table.state
    bids = {house: bid(table, house, noble) for house in state.houses}
    most = max(bids.values())
    best = [house for house, points in bids.items() if points == most]
    before = state.blocks[noble].owner
    if not most or len(best) > 1:
        key = "supporters.tied" if most else "supporters.none"
        table.log(key, rule="24.2.1", block=noble, houses=best if most else [], reveals=True)
    elif most < table.c.blocks[noble].base:
        base = table.c.blocks[noble].base
        table.log("supporters.short", rule="24.2.1", house=best[0], block=noble, total=most, base=base, reveals=True)
    elif best[0] == before:
        table.log("supporters.kept", rule="24.2.1", house=best[0], block=noble, total=most, reveals=True)
    else:
        exile = state.blocks[noble].at if state.blocks[noble].at in table.c.exiles else None
        table.log(
            "supporters.won", rule="24.2.1", house=best[0], block=noble, total=most, before=before or None,
            place=exile, reveals=True,
        )  # fmt: skip
        change_sides(table, noble, best[0])
        summon(table, noble)
