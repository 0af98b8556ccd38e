"""Roads of a march, ways out of a place, and where nobles can go, each with what lies there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games.crown_of_roses.battle.aftermath import ways as moving_off
from games.crown_of_roses.battle.retreat import retreat_paths
from games.crown_of_roses.evidence.facts import MOST, THREE, Seen, at, beside, by_house, troops
from games.crown_of_roses.interception import ways_out
from games.crown_of_roses.march_paths import cost
from games.crown_of_roses.query import estates, loyalty, party
from pbem.kernel.evidence import Fact


def moved(halves: int) -> dict[str, Any]:
    """Return halves of movement points, and the same in points."""
    whole, half = divmod(halves, 2)
    return {"halves": halves, "mp": " ".join([str(whole)] * (whole > 0 or not half) + ["1/2"] * half)}


def marching(look: Seen) -> Iterator[Fact]:
    """Yield the stack under way, and what crossing borders costs."""
    led = [look.secret["leader"], *look.secret["blocks"]]
    blocks = [block for key in led for block in party(look.table.state, key)]
    if many := roads(look):
        told = {to: f"{moved(price)['mp']}:{brief(look, to)}" for to, price in many.items()}
        yield Fact("roads", {"roads": told})
    yield Fact("marching", {"blocks": troops(look.table, blocks)}, (at(look),))
    yield Fact("halves", moved(look.about["halves"]))
    prices = {key: look.about[key] for key in ("clear", "rough", "safe_clear", "safe_rough")}
    yield Fact("road_prices", prices, main=False)


def roads(look: Seen) -> dict[str, int]:
    """Return what the roads cost that a march can pay for, if they are more than answers can tell of."""
    table, here = look.table, at(look)
    borders = {to: border for to, border in table.c.borders.get(here, {}).items() if border != "wash"}
    found = {to: cost(table, look.seat, here, to) for to in borders}
    paid = {to: price for to, price in found.items() if price <= look.about["halves"]}
    return paid if len(paid) > MOST else {}


def paths_out(look: Seen) -> list[str]:
    """Return where blocks in a place can go."""
    battle = look.table.state.battle
    if battle is not None and look.kind in ("retreat", "way", "room"):
        if look.kind == "room":
            return moving_off(look.table, look.seat, battle.place)
        return retreat_paths(look.table, battle, look.seat)
    return ways_out(look.table, look.seat, at(look))


def brief(look: Seen, place: str, *, free: bool = False) -> str:
    """Return the value of a shire, a star if it is loyal to the reader, and enemies there (`free`: none) and near."""
    table = look.table
    if place not in table.c.shires:
        return "0"
    there, near = sum(by_house(look, place).values()), sum(beside(look, place).values())
    enemies = f" ({near})" if free else f" ({there}+{near})"
    loyal = loyalty(table, place) == look.seat
    return f"{table.c.shires[place].sv}{'*' * loyal}{enemies * (there + near > 0)}"


def many_ways(look: Seen) -> bool:
    """Return whether there are more ways out than answers can tell of."""
    most = {"evade": 0, "room": 2, "retreat": THREE, "way": MOST}.get(look.kind)
    return most is not None and len(paths_out(look)) > most


def ways(look: Seen) -> Iterator[Fact]:
    """Yield the ways out of a place in short if they are many."""
    if many_ways(look):
        yield Fact("ways", {"places": {place: brief(look, place, free=True) for place in paths_out(look)}})


def many_estates(look: Seen) -> bool:
    """Return whether a noble who enters play has more estates than answers can tell of."""
    return look.kind == "estate" and len(estates(look.table, look.word("block"))) > MOST


def open_to(look: Seen) -> Iterator[Fact]:
    """Yield the estates of a noble who enters play, in short if they are many."""
    if many_estates(look):
        noble = look.word("block")
        listed = {place: brief(look, place) for place in estates(look.table, noble)}
        yield Fact("estates", {"nobles": {noble: listed}, "near": True})
