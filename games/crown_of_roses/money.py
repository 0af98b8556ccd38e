"""Influence markers (9.1): change, moving them between pool, stock and Roll of Parliament."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from games.crown_of_roses.components import RosesComponents
from games.crown_of_roses.query import total
from games.crown_of_roses.state import House
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Optional, Values
from pbem.kernel.form import Field
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("9.1", "influence markers, changing money", "money.py")

Pile = Mapping[str, int]
Count = Callable[[Values], Choice[int]]
"""A field of a purse: how many markers of a kind, given those before."""


def compose(c: RosesComponents, pile: Pile, points: int, *, large: bool = False) -> dict[str, int] | None:
    """Return markers worth exactly the given points, small ones first, or `large` ones; None if there are none."""
    kinds = [key for key, marker in c.markers.items() if marker.value]
    if large:
        kinds.reverse()
    rest = [0] * (len(kinds) + 1)
    for index in range(len(kinds) - 1, -1, -1):
        rest[index] = rest[index + 1] + c.markers[kinds[index]].value * pile.get(kinds[index], 0)

    def fill(index: int, left: int) -> dict[str, int] | None:
        if left == 0:
            return {}
        if index == len(kinds) or left < 0 or left > rest[index]:
            return None
        value = c.markers[kinds[index]].value
        for count in range(min(pile.get(kinds[index], 0), left // value), -1, -1):
            found = fill(index + 1, left - count * value)
            if found is not None:
                return {kinds[index]: count, **found} if count else found
        return None

    return fill(0, points)


def shift(source: dict[str, int], target: dict[str, int], markers: Pile) -> None:
    """Move markers from one pile to another; piles keep no empty entries. The source must hold them."""
    for key, count in markers.items():
        source[key] -= count
        if not source[key]:
            del source[key]
        target[key] = target.get(key, 0) + count


def clear_box(house: House, noble: str) -> int:
    """Return a house's markers on a noble to its pool (19.0). Returns how many there were."""
    stack = house.roll.pop(noble, {})
    count = sum(stack.values())
    shift(dict(stack), house.pool, stack)
    return count


# -- changing money ----------------------------------------------------------------------------------------------------


def valued(c: RosesComponents, *piles: Pile) -> dict[str, int]:
    """Return markers of piles together, without those of value zero."""
    found: dict[str, int] = {}
    for pile in piles:
        for key, count in pile.items():
            if c.markers[key].value:
                found[key] = found.get(key, 0) + count
    return found


def reach(c: RosesComponents, pile: Pile) -> int:
    """Return the sums that markers can make, as bits."""
    bits = 1
    for key, count in pile.items():
        if value := c.markers[key].value:
            for _ in range(count):
                bits |= bits << value
    return bits


def purse(c: RosesComponents, own: House, points: int) -> dict[str, Count]:
    """Return form fields for markers of stock and pool that make the given points, large ones first (9.1).

    The markers of value 1 make up the rest. The points must be possible.
    """
    union = valued(c, own.stock, own.pool)
    kinds = sorted(union, key=lambda key: -c.markers[key].value)
    fields: dict[str, Count] = {}
    for index, key in enumerate(kinds[:-1]):
        later = {kind: union[kind] for kind in kinds[index + 1 :]}
        fields[key] = partial(_count, c, key, kinds[:index], union[key], reach(c, later), points)
    return fields


def _count(
    c: RosesComponents, key: str, before: list[str], most: int, later: int, points: int, v: Values
) -> Choice[int]:
    left = points - sum(c.markers[kind].value * getattr(v, kind) for kind in before)
    value = c.markers[key].value
    return Choice(
        [count for count in range(min(most, left // value) + 1) if later >> (left - count * value) & 1],
        key,
        lambda word: because("no_sum", "9.1") if str(word).isdecimal() else None,
    )


def filled(c: RosesComponents, own: House, points: int, order: Mapping[str, object]) -> dict[str, int]:
    """Return the markers that the fields of `purse` mean."""
    union = valued(c, own.stock, own.pool)
    kinds = sorted(union, key=lambda key: -c.markers[key].value)
    found = {key: count for key in kinds[:-1] if isinstance(count := order[key], int)}
    left = points - total(c, found)
    if kinds and left:
        found[kinds[-1]] = left // c.markers[kinds[-1]].value
    return {key: count for key, count in found.items() if count}


def restock(c: RosesComponents, own: House, wanted: Pile) -> tuple[dict[str, int], dict[str, int]]:
    """Make the stock hold exactly these markers (zeros are kept). Returns what came and what went."""
    before = valued(c, own.stock)
    came = {key: n - before.get(key, 0) for key, n in wanted.items() if n > before.get(key, 0)}
    went = {key: n - wanted.get(key, 0) for key, n in before.items() if n > wanted.get(key, 0)}
    shift(own.stock, own.pool, went)
    shift(own.pool, own.stock, came)
    return came, went


def gain(table: Table, house: str, points: int, *, large: bool = False) -> tuple[dict[str, int], int]:
    """Move points from pool to stock, with change from the stock if the pool lacks fitting markers (R-54).

    What the pool lacks is lost. Returns the markers that came and the points that were gained.
    """
    c, own = table.c, table.state.houses[house]
    points = min(points, total(c, own.pool))
    markers = compose(c, own.pool, points, large=large)
    if markers is not None:
        shift(own.pool, own.stock, markers)
        return markers, points
    wanted = compose(c, valued(c, own.stock, own.pool), total(c, own.stock) + points)
    if wanted is None:  # no change at all: as much as can be made
        return gain(table, house, points - 1, large=large)
    came, went = restock(c, own, wanted)
    if went:
        _tell(table, house, came, went)
    return came, points


def spend(table: Table, house: str, points: int) -> dict[str, int]:
    """Take points out of the stock, with change from the pool, at most what it has (9.1). Returns the markers.

    They are in no pile afterwards: the caller puts them somewhere.
    """
    c, own = table.c, table.state.houses[house]
    for wanted in range(min(points, total(c, own.stock)), 0, -1):
        markers = compose(c, own.stock, wanted)
        if markers is None:
            markers = _with_change(table, house, wanted)
        if markers is not None:
            shift(own.stock, {}, markers)
            return markers
    return {}


def _with_change(table: Table, house: str, points: int) -> dict[str, int] | None:
    """Change money so that the stock can give exactly the given points; None if there is no change (9.1)."""
    c, own = table.c, table.state.houses[house]
    found = _exactly(c, own, points)
    if found is None:
        return None
    markers, left = found
    _tell(table, house, *restock(c, own, {key: markers.get(key, 0) + left.get(key, 0) for key in {**markers, **left}}))
    return markers


def _exactly(c: RosesComponents, own: House, points: int) -> tuple[dict[str, int], dict[str, int]] | None:
    """Return markers of stock and pool worth the given points, and those for the rest of the stock."""
    union = valued(c, own.stock, own.pool)
    markers = compose(c, union, points)
    if markers is None:
        return None
    rest = {key: count - markers.get(key, 0) for key, count in union.items()}
    left = compose(c, rest, total(c, own.stock) - points)
    return None if left is None else (markers, left)


def payable(c: RosesComponents, own: House) -> list[int]:
    """Return the sums that a house can pay out of its stock, with change from the pool (9.1)."""
    bits = reach(c, own.stock)
    return [
        points
        for points in range(1, total(c, own.stock) + 1)
        if bits >> points & 1 or _exactly(c, own, points) is not None
    ]


def _can_change(table: Table, house: str) -> bool | None:
    """Return whether there are other markers of the same value for those in stock (9.1): two kinds in both piles."""
    c, own = table.c, table.state.houses[house]
    stock, pool = valued(c, own.stock), valued(c, own.pool)
    return bool(stock and pool and len({**stock, **pool}) > 1) or None


def _form(table: Table, house: str, _: bool) -> Form[dict[str, int]]:
    c, own = table.c, table.state.houses[house]
    return Form(purse(c, own, total(c, own.stock)))


@KIT.reason("change")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why a house can't change money (9.1)."""
    own = table.state.houses[house]
    if not valued(table.c, own.stock):
        return because("stock_empty", "9.1")
    return None if _can_change(table, house) else because("no_change", "9.1")


@KIT.action("change", "9.1", _can_change, _form, free=True)
def _change(table: Table, house: str, order: Mapping[str, int]) -> None:
    """Swap markers of equal value between stock and pool; both are shown (9.1)."""
    change(table, house, order)


def _wanted(c: RosesComponents, own: House, order: Mapping[str, int]) -> dict[str, int]:
    return filled(c, own, total(c, own.stock), order)


def change_field(table: Table, house: str) -> dict[str, Field]:
    """Return a field for orders that take markers from the stock: money is changed first (9.1, 23.0)."""
    return {"change": Optional(_form(table, house, True))}


def stock_after_change(table: Table, house: str, order: Mapping[str, int] | None) -> dict[str, int]:
    """Return the stock after a change of money, zeros included (None: unchanged)."""
    c, own = table.c, table.state.houses[house]
    if order is None:
        return dict(own.stock)
    zeros = {key: count for key, count in own.stock.items() if not c.markers[key].value}
    return {**zeros, **_wanted(c, own, order)}


def change(table: Table, house: str, order: Mapping[str, int] | None) -> None:
    """Change money by the answer of a `change_field`."""
    if order is not None:
        own = table.state.houses[house]
        _tell(table, house, *restock(table.c, own, _wanted(table.c, own, order)))


def _tell(table: Table, house: str, came: Pile, went: Pile) -> None:
    """Log the markers that are changed (9.1)."""
    if came:
        table.log("money.changed", rule="9.1", house=house, came=shown(came), went=shown(went), reveals=True)


def shown(markers: Pile) -> list[str]:
    """Return markers as logged: kind and number (known to `names.names`)."""
    return [key if count == 1 else f"{key}x{count}" for key, count in markers.items()]
