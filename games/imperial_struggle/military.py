"""Military Actions: Bonus War tiles, Conflict markers, Forts, Squadrons (3.6, 5.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from games.imperial_struggle import costs
from games.imperial_struggle.board import (
    construct,
    damage_repaired,
    grant,
    protected,
    remove_conflict,
    set_flag,
    to_navy_box,
)  # fmt: skip
from games.imperial_struggle.points import Purses, pay, payable, payment_fields
from games.imperial_struggle.rules import Purchase, Words, fire, handles, offers
from games.imperial_struggle.state import DIPLOMATIC, ECONOMIC, MAJOR, MILITARY, NOBODY, OTHER
from games.imperial_struggle.table import Table
from games.imperial_struggle.tiles import can_draw, draw_and_place
from pbem.kernel.answers import Choice, Domain, Form, Optional, Values, tried
from pbem.kernel.game import Play

SOUTH_SEA = "south-sea"
"""Mark of the round: the next Squadron built costs 2 less (Event 4)."""
SOUTH_SEA_CUT = 2


@offers
def military(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """5.6 All that Military points can do."""
    state = table.state
    if MILITARY not in types:
        return
    if state.turn == len(table.c.turns):
        words["convert"] = _conversion
    elif state.now.bought < table.c.limits["bonus_per_round"]:
        words["buy"] = _buying
    if state.conflicts:
        words["clear"] = _clearing
    words["fort"] = _BUILDING
    if state.damaged:
        words["repair"], words["seize"] = _REPAIRING, _SEIZING
    words["deploy"] = _deploying
    if state.sides[seat].unbuilt:
        words["squadron"] = _constructing


# -- 5.6.1 Bonus War tiles ---------------------------------------------------------------------------------------


def _tile(table: Table) -> Purchase:
    return Purchase(MILITARY, table.c.costs["tile"], "tile")


def _buying(table: Table, seat: str, purses: Purses) -> Form | None:
    """5.6.1 Buy a Bonus War tile: two a round, as long as there is room; on turn 6 convert MP instead."""
    tile = _tile(table)
    if not (purses[MILITARY].pays(tile) and can_draw(table, seat)):
        return None
    return Form(payment_fields(table, seat, purses, lambda v: tile))


@handles("buy")
def buy(table: Table, seat: str, value: dict[str, Any]) -> Play:
    """5.6.1 Pay, draw, look, place."""
    pay(table, seat, _tile(table), value)
    table.state.now.bought += 1
    yield from draw_and_place(table, seat, "5.6.1")


def _convert(table: Table) -> Purchase:
    return Purchase(MILITARY, table.c.costs["convert"], "convert")


def _conversion(table: Table, seat: str, purses: Purses) -> Form | None:
    """5.6.1 On turn 6 2 MP buy 1 EP or 1 DP of Major quality, only one of the types in a round."""
    now, price = table.state.now, _convert(table)
    types = (now.converted,) if now.converted else (ECONOMIC, DIPLOMATIC)
    open_types = [ap for ap in types if f"{MAJOR}:{ap}" not in now.closed]
    if not (open_types and purses[MILITARY].pays(price)):
        return None
    fields = payment_fields(table, seat, purses, lambda v: price)
    return Form({"type": Choice(open_types, "type"), **fields})


@handles("convert")
def convert(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.6.1 The point joins the Major Action of its type, or is one of its own."""
    pay(table, seat, _convert(table), value)
    table.state.now.converted = value["type"]
    grant(table, seat, value["type"], 1, source="convert", action=MAJOR, rule="5.6.1")


# -- 5.6.2 Conflict markers --------------------------------------------------------------------------------------


def clearing_cost(table: Table, space: str) -> int:
    """2 MP, 1 in a Protected space, 1 more for the +1 kind."""
    prices = table.c.costs
    cost = prices["clear_protected"] if protected(table, space) else prices["clear"]
    return int(cost + (prices["clear_plus"] if table.state.conflicts[space] > 1 else 0))


def _clear(table: Table, space: str) -> Purchase:
    return Purchase(MILITARY, clearing_cost(table, space), "clear", space, table.c.region[space])


def _clearing(table: Table, seat: str, purses: Purses) -> Form | None:
    """5.6.2 Remove a Conflict marker anywhere."""
    purse = purses[MILITARY]
    found = [space for space in table.state.conflicts if purse.pays(_clear(table, space))]
    return _spaces(table, seat, purses, found, _clear) if found else None


@handles("clear")
def clear(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.6.2 Pay and remove the marker."""
    pay(table, seat, _clear(table, value["space"]), value)
    remove_conflict(table, value["space"], "5.6.2")


def _spaces(table: Table, seat: str, purses: Purses, options: list[str], purchase: Any) -> Form:
    """A form of one space and its payment."""
    fields: dict[str, Any] = {"space": Choice(options, "space")}
    return Form({**fields, **payment_fields(table, seat, purses, lambda v: purchase(table, v.space))})


# -- 5.6.3, 5.6.4 Forts ------------------------------------------------------------------------------------------


def _build(table: Table, space: str) -> Purchase:
    return Purchase(MILITARY, table.c.spaces[space].cost, "build", space, table.c.region[space])


def _repair(table: Table, space: str) -> Purchase:
    price = table.c.spaces[space].cost + table.c.costs["repair"]
    return Purchase(MILITARY, price, "repair", space, table.c.region[space])


def _seize(table: Table, space: str) -> Purchase:
    price = table.c.spaces[space].cost + table.c.costs["seize"]
    return Purchase(MILITARY, price, "seize", space, table.c.region[space], removes=True)


def _buildable(table: Table, seat: str) -> Iterator[str]:
    """Empty Forts next to a Market, Naval space or Territory held now and since the start of the round."""
    state, c = table.state, table.c
    flags, changed, conflicts = state.flags, state.now.changed, state.conflicts
    for fort in c.of_type["fort"]:
        if flags[fort]:
            continue
        for other in c.linked[fort]:
            if flags[other] == seat and other not in changed and other not in conflicts:
                yield fort
                break


def _repairable(table: Table, seat: str) -> Iterator[str]:
    return (fort for fort in table.state.damaged if table.state.flags[fort] == seat)


def _seizable(table: Table, seat: str) -> Iterator[str]:
    """Damaged opposing Forts next to an own Squadron or Market (without Conflict marker); a Territory is not enough."""
    state, c = table.state, table.c
    for fort in state.damaged:
        if state.flags[fort] == OTHER[seat] and any(
            state.flags[other] == seat
            and other not in state.conflicts
            and c.spaces[other].type in ("market", "naval")
            for other in c.spaces[fort].links
        ):
            yield fort


def _fort(
    options: Callable[[Table, str], Iterator[str]], purchase: Callable[[Table, str], Purchase]
) -> Callable[[Table, str, Purses], Form | None]:
    def build(table: Table, seat: str, purses: Purses) -> Form | None:
        purse = purses[MILITARY]
        found = [fort for fort in options(table, seat) if purse.pays(purchase(table, fort))]
        return _spaces(table, seat, purses, found, purchase) if found else None

    return build


_BUILDING = _fort(_buildable, _build)
"""5.6.3 Build a Fort."""
_REPAIRING, _SEIZING = _fort(_repairable, _repair), _fort(_seizable, _seize)
"""5.6.4 Repair an own Fort, repair and take a damaged opposing one."""


@handles("fort")
def build(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.6.3 Pay and put the flag there."""
    space = value["space"]
    pay(table, seat, _build(table, space), value)
    table.say("fort.built", rule="5.6.3", seat=seat, space=space)
    set_flag(table, space, seat, "5.6.3")


@handles("repair")
def repair(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.6.4 Pay and take the marker off."""
    pay(table, seat, _repair(table, value["space"]), value)
    damage_repaired(table, value["space"], "5.6.4")


@handles("seize")
def seize(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.6.4 A damaged opposing Fort is repaired and changes hands."""
    space = value["space"]
    pay(table, seat, _seize(table, space), value)
    table.say("fort.seized", rule="5.6.4", seat=seat, space=space)
    table.state.damaged.remove(space)
    set_flag(table, space, seat, "5.6.4")


# -- 5.6.5, 5.6.6 Squadrons --------------------------------------------------------------------------------------


def _squadron(table: Table, seat: str, by: str) -> Purchase:
    price = dict(_builders(table, seat))[by] if by else table.c.costs["squadron"]
    if SOUTH_SEA in table.state.now.marks:
        price = max(0, price - SOUTH_SEA_CUT)
    return Purchase(MILITARY, price, "squadron")


def _builders(table: Table, seat: str) -> Iterator[tuple[str, int]]:
    """Abilities that build for less, with their prices."""
    for source in costs.SQUADRONS:
        yield from source(table, seat)


def _constructing(table: Table, seat: str, purses: Purses) -> Form | None:
    """5.6.5 Build a Squadron, perhaps with an ability (`by`) for less."""
    purse = purses[MILITARY]
    able = [by for by, _ in _builders(table, seat) if purse.pays(_squadron(table, seat, by))]
    plain = purse.pays(_squadron(table, seat, ""))
    if not able and not plain:
        return None
    chosen = Choice(able, "ability")
    fields: dict[str, Any] = {"by": Optional(chosen) if plain else chosen} if able else {}
    return Form(
        {**fields, **payment_fields(table, seat, purses, lambda v: _squadron(table, seat, v.by or ""))}
    )


@handles("squadron")
def squadron(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.6.5 Pay; the Squadron goes to the Navy Box."""
    by = value.get("by", "")
    pay(table, seat, _squadron(table, seat, by), value)
    marks = table.state.now.marks
    if SOUTH_SEA in marks:
        marks.remove(SOUTH_SEA)
    construct(table, seat, "5.6.5")
    if by:
        fire("squadron_built", table, seat, by)


def _deploy(table: Table, seat: str, space: str, origin: str) -> Purchase:
    """5.6.6 1 MP to an empty space; to displace 3 MP from the Navy Box, 2 from the map."""
    prices = table.c.costs
    removes = table.state.flags[space] != NOBODY
    if not removes:
        price = prices["deploy"]
    else:
        price = prices["displace_from_box"] if origin == "box" else prices["displace_from_map"]
    return Purchase(MILITARY, price, "deploy", space, table.c.region[space], removes)


def _origins(table: Table, seat: str, space: str, pays: Callable[[Purchase], bool]) -> list[str]:
    """Where a Squadron may come from: the Navy Box, or a Naval space whose Squadron has not moved this round."""
    state = table.state
    in_box = state.sides[seat].box and pays(_deploy(table, seat, space, "box"))
    places = ["box"] if in_box else []
    movable = [
        key for key in table.c.of_type["naval"] if state.flags[key] == seat and key not in state.now.deployed
    ]
    if movable and pays(_deploy(table, seat, space, movable[0])):
        places = places + movable
    return places


def _deploying(table: Table, seat: str, purses: Purses) -> Form | None:
    """5.6.6 Deploy a Squadron; each at most once a round, no connection needed."""
    flags, purse = table.state.flags, purses[MILITARY]

    def reached(space: str) -> bool:
        return flags[space] != seat and bool(_origins(table, seat, space, purse.pays))

    harbours = tried(table.c.of_type["naval"], reached, "naval space")
    if not harbours.any():
        return None

    def origin(values: Values) -> Domain | None:
        """From where: may be left out (the Navy Box first, else the first on the map)."""
        return Optional(Choice(_origins(table, seat, values.space, purse.pays), "origin"))

    def bought(values: Values) -> Purchase:
        return _deploy(
            table, seat, values.space, values.origin or _origins(table, seat, values.space, purse.pays)[0]
        )

    fields: dict[str, Any] = {
        "space": harbours,
        "origin": origin,
        **payment_fields(table, seat, purses, bought),
    }
    return Form(fields)


@handles("deploy")
def deploy(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.6.6 An opposing Squadron there goes to its Navy Box."""
    state, space = table.state, value["space"]
    origin = value.get("origin")
    if origin is None:
        origin = _origins(table, seat, space, lambda p: payable(table, seat, p))[0]
    pay(table, seat, _deploy(table, seat, space, origin), value)
    if state.flags[space]:
        to_navy_box(table, space, "5.6.6")
    table.say("squadron.deployed", rule="5.6.6", seat=seat, space=space, origin=origin)
    if origin == "box":
        state.sides[seat].box -= 1
    else:
        set_flag(table, origin, NOBODY, "5.6.6")
    set_flag(table, space, seat, "5.6.6")
    state.now.deployed.append(space)
