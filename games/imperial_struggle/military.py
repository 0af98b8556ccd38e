"""Military Actions: Bonus War tiles, Conflict markers, Forts, Squadrons (3.6, 5.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, NotRequired

from games.imperial_struggle import action_points, board, purchases
from games.imperial_struggle.refusals import BUILDERS, reason
from games.imperial_struggle.state import DIPLOMATIC, ECONOMIC, MAJOR, MILITARY, NOBODY, OTHER, ActionRound
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.tiles import can_draw, draw_and_place, roomy
from pbem.kernel.domains import Choice, Domain, Form, LazyChoice, Optional, lazy_choice
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("5.6.1", "Bonus War tiles, turn-6 conversion", "military.py", "tiles.py")
KIT.chapter("5.6.2", "removing Conflict markers", "military.py")
KIT.chapter("5.6.3", "building Forts", "military.py")
KIT.chapter("5.6.4", "repairing and seizing Forts", "military.py")
KIT.chapter("5.6.5", "constructing Squadrons", "military.py")
KIT.chapter("5.6.6", "deploying Squadrons", "military.py")

SOUTH_SEA = "south-sea"
"""Mark of the round: the next Squadron built costs 2 less (Event 4)."""
SOUTH_SEA_CUT = 2
LESS = 2
"""The price of a Squadron with an ability of a Ministry card (M-10, M-11, M-15)."""


class Conversion(action_points.Payment):
    """Military points for a point of another type."""

    type: str


class SquadronPurchase(action_points.Payment):
    """A new Squadron, with an ability for less."""

    by: NotRequired[str]


class Deployment(action_points.SpacePurchase):
    """A Squadron that sails; `origin` is `box` or a Naval space."""

    origin: NotRequired[str]


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer what Military points can do (5.6); on turn 6 there is no next war to buy tiles for (5.6.1)."""
    state = table.state
    if MILITARY not in types:
        return
    if state.turn == len(table.c.turns):
        words.append("convert")
    elif now.bought < table.c.limits["bonus_per_round"]:
        words.append("buy")
    if state.conflicts:
        words.append("clear")
    words.append("fort")
    if state.damaged:
        words += ("repair", "seize")
    words.append("deploy")
    if state.sides[now.seat].unbuilt:
        words.append("squadron")


# -- 5.6.1 Bonus War tiles ---------------------------------------------------------------------------------------


def _tile(table: Table) -> action_points.Purchase:
    return action_points.Purchase(MILITARY, table.c.costs["tile"], "tile")


def _find_tile(table: Table, seat: str) -> purchases.Affordable[action_points.Purchase] | None:
    """Return the purchase of a Bonus tile (5.6.1): two a round, as long as there is room."""
    return purchases.priced(table, seat, _tile(table)) if can_draw(table, seat) else None


@KIT.action("buy", "5.6.1", _find_tile, purchases.payment_form)
def buy(table: Table, seat: str, order: action_points.Payment) -> Play:
    """Pay, draw, look, place (5.6.1)."""
    action_points.pay(table, seat, _tile(table), order)
    table.state.now.bought += 1
    return draw_and_place(table, seat, "5.6.1")


@reason("buy")
def _no_tile(table: Table, seat: str) -> RejectionReason | None:
    """Return why no Bonus tile can be bought (5.6.1)."""
    if table.state.turn == len(table.c.turns):
        return because("tile_turn", "5.6.1")
    most = table.c.limits["bonus_per_round"]
    if table.state.now.bought >= most:
        return because("bought", "5.6.1", most=most)
    if not table.state.sides[seat].bonus:
        return because("bonus_pool", "5.6.1")
    if not roomy(table, seat):
        return because("room", "5.6.1", most=table.c.limits["bonus_per_theater"])
    return purchases.unpaid(table, seat, _tile(table))


def _convert(table: Table) -> action_points.Purchase:
    return action_points.Purchase(MILITARY, table.c.costs["convert"], "convert")


def _convertible(table: Table) -> list[str]:
    """Return the types to convert to, EP or DP: only one of them in a round (5.6.1)."""
    now = table.state.now
    types = (now.converted,) if now.converted else (ECONOMIC, DIPLOMATIC)
    return [ap for ap in types if action_points.MAJORS[ap] not in now.closed]


def _conversion(table: Table, seat: str, found: purchases.Affordable[action_points.Purchase]) -> Form[Conversion]:
    paid = purchases.payment_fields(found.purses, lambda v: found.what)
    return Form({"type": Choice(_convertible(table), "type", partial(_no_type, table)), **paid})


def _find_conversion(table: Table, seat: str) -> purchases.Affordable[action_points.Purchase] | None:
    """Return the conversion of Military points (5.6.1): on turn 6 2 MP buy 1 EP or 1 DP of Major quality."""
    return purchases.priced(table, seat, _convert(table)) if _convertible(table) else None


@KIT.action("convert", "5.6.1", _find_conversion, _conversion)
def convert(table: Table, seat: str, order: Conversion) -> None:
    """Add the point to the Major Action of its type; else it is an action of its own (5.6.1)."""
    action_points.pay(table, seat, _convert(table), order)
    table.state.now.converted = order["type"]
    board.grant(table, seat, order["type"], 1, source="convert", action=MAJOR, rule="5.6.1")


@reason("convert")
def _no_conversion(table: Table, seat: str) -> RejectionReason | None:
    """Return why Military points can't be turned into others (5.6.1)."""
    last = len(table.c.turns)
    if table.state.turn < last:
        return because("convert_turn", "5.6.1", turn=last)
    if not _convertible(table):
        return action_points.why_no_points(table, ECONOMIC, DIPLOMATIC)
    return purchases.unpaid(table, seat, _convert(table))


def _no_type(table: Table, ap: str) -> RejectionReason | None:
    """Return why Military points can't be turned into these (5.6.1)."""
    if ap not in (ECONOMIC, DIPLOMATIC):
        return None
    converted = table.state.now.converted
    return because("converted", "5.6.1", type=converted) if converted else action_points.why_no_points(table, ap)


# -- 5.6.2 Conflict markers --------------------------------------------------------------------------------------


def clearing_cost(table: Table, space: str) -> int:
    """Return 2 MP, 1 in a Protected space, 1 more for the +1 kind."""
    prices = table.c.costs
    cost = prices["clear_protected"] if board.protected(table, space) else prices["clear"]
    return cost + (prices["clear_plus"] if table.state.conflicts[space] > 1 else 0)


def _clear(table: Table, space: str) -> action_points.Purchase:
    return action_points.Purchase(MILITARY, clearing_cost(table, space), "clear", space, table.c.region[space])


def _marked(table: Table, seat: str) -> Iterable[str]:
    return table.state.conflicts


def _unmarked(table: Table, seat: str, space: str) -> RejectionReason | None:
    """Return why a space has no Conflict marker to remove (5.6.2)."""
    return None if space in table.state.conflicts else because("no_marker", "5.6.2", space=space)


reason("clear")(purchases.nowhere(_marked, _clear, lambda table, seat: because("no_markers", "5.6.2")))


@KIT.action("clear", "5.6.2", *purchases.sites(_marked, _clear, _unmarked))
def clear(table: Table, seat: str, order: action_points.SpacePurchase) -> None:
    """Remove a Conflict marker anywhere (5.6.2)."""
    action_points.pay(table, seat, _clear(table, order["space"]), order)
    board.remove_conflict(table, order["space"], "5.6.2")


# -- 5.6.3, 5.6.4 Forts ------------------------------------------------------------------------------------------


def _fort(kind: str, *, removes: bool = False) -> Callable[[Table, str], action_points.Purchase]:
    """Return the price function to build (5.6.3), repair or seize a Fort (5.6.4): its number and its modifier."""

    def price(table: Table, space: str) -> action_points.Purchase:
        place = table.c.spaces[space]
        cost = place.cost + table.c.costs.get(kind, 0)
        return action_points.Purchase(MILITARY, cost, kind, space, place.region, removes)

    return price


_build, _repair, _seize = _fort("build"), _fort("repair"), _fort("seize", removes=True)


def _buildable(table: Table, seat: str) -> Iterator[str]:
    """Yield empty Forts next to a Market, Naval space or Territory held now and since the start of the round."""
    state, c = table.state, table.c
    flags, changed, conflicts = state.flags, state.now.changed, state.conflicts
    for fort in c.of_type["fort"]:
        if flags[fort]:
            continue
        for other in c.linked[fort]:
            if flags[other] == seat and other not in changed and other not in conflicts:
                yield fort
                break


def _no_site(table: Table, seat: str, fort: str) -> RejectionReason | None:
    """Return why no Fort can be built in a space (5.6.3)."""
    if table.c.spaces[fort].type != "fort":
        return because("fort_space", "5.6.3", space=fort)
    if table.state.flags[fort]:
        return because("fort_there", "5.6.3", space=fort, seat=table.state.flags[fort])
    return None if fort in _buildable(table, seat) else because("fort_link", "5.6.3", space=fort)


def _repairable(table: Table, seat: str) -> Iterator[str]:
    return (fort for fort in table.state.damaged if table.state.flags[fort] == seat)


def _seizable(table: Table, seat: str) -> Iterator[str]:
    """Yield damaged opposing Forts next to an own Squadron or Market (without Conflict marker), not to a Territory."""
    state, c = table.state, table.c
    for fort in state.damaged:
        if state.flags[fort] == OTHER[seat] and any(
            state.flags[other] == seat and other not in state.conflicts and c.spaces[other].type in ("market", "naval")
            for other in c.spaces[fort].links
        ):
            yield fort


def _undamaged(table: Table, fort: str) -> RejectionReason | None:
    """Return why a space has no Fort to repair or seize (5.6.4)."""
    if table.c.spaces[fort].type != "fort":
        return because("fort_space", "5.6.4", space=fort)
    return None if fort in table.state.damaged else because("undamaged", "5.6.4", space=fort)


def _unrepairable(table: Table, seat: str, fort: str) -> RejectionReason | None:
    """Return why a Fort can't be repaired (5.6.4)."""
    own = table.state.flags[fort] == seat
    return _undamaged(table, fort) or (None if own else because("repair_own", "5.6.4", space=fort))


def _unseizable(table: Table, seat: str, fort: str) -> RejectionReason | None:
    """Return why a Fort can't be seized (5.6.4)."""
    problem = _undamaged(table, fort)
    if problem is not None or fort in _seizable(table, seat):
        return problem
    own = table.state.flags[fort] == seat
    return because("seize_own" if own else "seize_link", "5.6.4", space=fort)


def _none_seizable(table: Table, seat: str) -> RejectionReason | None:
    """Return why there isn't a Fort to seize (5.6.4)."""
    other = [fort for fort in table.state.damaged if table.state.flags[fort] == OTHER[seat]]
    return _unseizable(table, seat, other[0]) if other else because("no_damage", "5.6.4", seat=OTHER[seat])


reason("fort")(purchases.nowhere(_buildable, _build, lambda table, seat: because("no_sites", "5.6.3")))
reason("repair")(purchases.nowhere(_repairable, _repair, lambda table, seat: because("no_damage", "5.6.4", seat=seat)))
reason("seize")(purchases.nowhere(_seizable, _seize, _none_seizable))


@KIT.action("fort", "5.6.3", *purchases.sites(_buildable, _build, _no_site))
def build(table: Table, seat: str, order: action_points.SpacePurchase) -> None:
    """Build a Fort and put the flag there (5.6.3)."""
    space = order["space"]
    action_points.pay(table, seat, _build(table, space), order)
    table.log("fort.built", rule="5.6.3", seat=seat, space=space)
    board.set_flag(table, space, seat)


@KIT.action("repair", "5.6.4", *purchases.sites(_repairable, _repair, _unrepairable))
def repair(table: Table, seat: str, order: action_points.SpacePurchase) -> None:
    """Repair an own Fort (5.6.4)."""
    action_points.pay(table, seat, _repair(table, order["space"]), order)
    board.damage_repaired(table, order["space"], "5.6.4")


@KIT.action("seize", "5.6.4", *purchases.sites(_seizable, _seize, _unseizable))
def seize(table: Table, seat: str, order: action_points.SpacePurchase) -> None:
    """Repair a damaged opposing Fort, which changes hands (5.6.4)."""
    space = order["space"]
    action_points.pay(table, seat, _seize(table, space), order)
    table.log("fort.seized", rule="5.6.4", seat=seat, space=space)
    table.state.damaged.remove(space)
    board.set_flag(table, space, seat)


# -- 5.6.5, 5.6.6 Squadrons --------------------------------------------------------------------------------------


def construction(table: Table, by: str) -> action_points.Purchase:
    """Return what a Squadron costs, with the ability `by` or without one; South Sea Speculation (#4) takes 2 off."""
    advantage = table.c.advantages.get(by)
    price = advantage.points if advantage else LESS if by else table.c.costs["squadron"]
    if SOUTH_SEA in table.state.now.marks:
        price = max(0, price - SOUTH_SEA_CUT)
    return action_points.Purchase(MILITARY, price, "squadron")


class Yards(NamedTuple):
    """The ways to build a Squadron: abilities, and whether also without one."""

    purses: action_points.PointPools
    able: list[str]
    plain: bool


def _yards(table: Table, seat: str) -> Yards | None:
    """Return the abilities that build for less, and the full price, as far as they can be paid (5.6.5)."""
    purses, builders = action_points.PointPools(table, seat), KIT.entries["squadron"]
    able = [by for by in sorted(builders) if builders[by].can(table, seat, by)]
    able = [by for by in able if purses.pay(construction(table, by))]
    plain = purses.pay(construction(table, ""))
    return Yards(purses, able, plain) if able or plain else None


@reason("squadron")
def _no_yards(table: Table, seat: str) -> RejectionReason | None:
    """Return why no Squadron can be built (5.6.5): the cheapest way can't be paid for."""
    if not table.state.sides[seat].unbuilt:
        return because("unbuilt", "5.6.5")
    builders = KIT.entries["squadron"]
    ways = [construction(table, by) for by in ("", *builders) if not by or builders[by].can(table, seat, by)]
    return purchases.unpaid(table, seat, min(ways, key=lambda purchase: purchase.cost))


def _constructing(table: Table, seat: str, found: Yards) -> Form[SquadronPurchase]:
    chosen = Choice(found.able, "ability", partial(_no_builder, table, seat))
    by: dict[str, Domain] = {"by": Optional(chosen) if found.plain else chosen} if found.able else {}
    return Form({**by, **purchases.payment_fields(found.purses, lambda v: construction(table, v.get("by") or ""))})


def _no_builder(table: Table, seat: str, by: str) -> RejectionReason | None:
    """Return why an ability can't build a Squadron (5.6.5): it can't be used, or its price."""
    if by in BUILDERS:
        return BUILDERS[by](table, seat) or purchases.unpaid(table, seat, construction(table, by))
    known = by in table.c.ministries or by in table.c.advantages
    return because("builder", "5.6.5", card=by) if known else None


@KIT.action("squadron", "5.6.5", _yards, _constructing)
def squadron(table: Table, seat: str, order: SquadronPurchase) -> Play:
    """Pay (5.6.5); the Squadron goes to the Navy Box, and the ability that built it is used."""
    by = order.get("by", "")
    action_points.pay(table, seat, construction(table, by), order)
    marks = table.state.now.marks
    if SOUTH_SEA in marks:
        marks.remove(SOUTH_SEA)
    board.construct(table, seat, "5.6.5")
    if by:
        yield from KIT.entries["squadron"][by].run(table, seat, by)


def deployment(table: Table, space: str, origin: str) -> action_points.Purchase:
    """Return the price (5.6.6): 1 MP to an empty space; to displace, 3 MP from the Navy Box, 2 from the map."""
    prices = table.c.costs
    if not (removes := table.state.flags[space] != NOBODY):
        price = prices["deploy"]
    else:
        price = prices["displace_from_box"] if origin == "box" else prices["displace_from_map"]
    return action_points.Purchase(MILITARY, price, "deploy", space, table.c.region[space], removes)


def _origins(table: Table, seat: str, space: str, pays: Callable[[action_points.Purchase], bool]) -> list[str]:
    """Return where a Squadron may come from: the Navy Box, or a Naval space not moved from this round."""
    state = table.state
    in_box = state.sides[seat].box and pays(deployment(table, space, "box"))
    places = ["box"] if in_box else []
    flags, deployed = state.flags, state.now.deployed
    movable = [key for key in table.c.of_type["naval"] if flags[key] == seat and key not in deployed]
    if movable and pays(deployment(table, space, movable[0])):
        places = places + movable
    return places


Harbours = purchases.Affordable[LazyChoice]
"""Naval spaces that Squadrons can sail to."""


def harbours(table: Table, seat: str) -> Harbours | None:
    """Return where Squadrons can sail, each at most once a round; no connection is needed (5.6.6)."""
    purses = action_points.PointPools(table, seat)
    flags, pays = table.state.flags, purses[MILITARY].pays

    def reached(space: str) -> bool:
        return flags[space] != seat and bool(_origins(table, seat, space, pays))

    def least(space: str) -> int:
        return min(deployment(table, space, origin).cost for origin in _origins(table, seat, space, pays))

    why = partial(_unreached, table, seat)
    spaces = lazy_choice(table.c.of_type["naval"], reached, "naval space", why=why, cost=least)
    return purchases.Affordable(purses, spaces) if spaces.any() else None


def _unreached(table: Table, seat: str, space: str) -> RejectionReason | None:
    """Return why no Squadron can sail to a space (5.6.6)."""
    if table.c.spaces[space].type != "naval":
        return because("naval", "5.6.6", space=space)
    if table.state.flags[space] == seat:
        return because("own_squadron", "5.6.6", space=space)
    origins = _origins(table, seat, space, lambda purchase: True)
    if not origins:
        # There is none, or all have sailed (5.6.6).
        there = board.squadrons(table.state, table.c, seat)
        return because("deployed" if there else "no_squadrons", "5.6.6")
    prices = [deployment(table, space, origin) for origin in origins]
    return purchases.unpaid(table, seat, min(prices, key=lambda purchase: purchase.cost))


@reason("deploy")
def _no_harbours(table: Table, seat: str) -> RejectionReason | None:
    """Return why no Squadron can be deployed (5.6.6): what bars the Naval space that costs least."""
    flags, naval = table.state.flags, table.c.of_type["naval"]
    open_to = [space for space in naval if flags[space] != seat]
    empty = [space for space in open_to if flags[space] == NOBODY]
    return _unreached(table, seat, (empty or open_to)[0])


def _unmoved(table: Table, seat: str, space: str, origin: str) -> RejectionReason | None:
    """Return why a Squadron can't sail from somewhere (5.6.6): none is there, it has sailed, or the price."""
    state = table.state
    if origin == "box" and not state.sides[seat].box:
        return because("box", "5.6.6")
    if origin != "box" and state.flags[origin] != seat:
        return because("not_there", "5.6.6", space=origin)
    if origin in state.now.deployed:
        return because("sailed", "5.6.6", space=origin)
    return purchases.unpaid(table, seat, deployment(table, space, origin))


def _deploying(table: Table, seat: str, found: Harbours) -> Form[Deployment]:
    pays = found.purses[MILITARY].pays

    def origin(v: Deployment) -> Domain[str]:
        """Return the origin, which may be left out (the Navy Box first, else the first on the map)."""
        why = partial(_unmoved, table, seat, v["space"])
        return Optional(Choice(_origins(table, seat, v["space"], pays), "origin", why))

    def bought(v: Deployment) -> action_points.Purchase:
        space = v["space"]
        return deployment(table, space, v.get("origin") or _origins(table, seat, space, pays)[0])

    return Form({"space": found.what, "origin": origin, **purchases.payment_fields(found.purses, bought)})


@KIT.action("deploy", "5.6.6", harbours, _deploying)
def deploy(table: Table, seat: str, order: Deployment) -> None:
    """Move a Squadron (5.6.6). An opposing Squadron there goes to its Navy Box."""
    state, space = table.state, order["space"]
    origin = order.get("origin") or _origins(table, seat, space, action_points.PointPools(table, seat).pay)[0]
    action_points.pay(table, seat, deployment(table, space, origin), order)
    if state.flags[space]:
        board.to_navy_box(table, space, "5.6.6")
    table.log("squadron.deployed", rule="5.6.6", seat=seat, space=space, origin=origin)
    if origin == "box":
        state.sides[seat].box -= 1
    else:
        board.set_flag(table, origin, NOBODY)
    board.set_flag(table, space, seat)
    state.now.deployed.append(space)
