"""What tiles, and the actions of a round, cost and change (5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from games.imperial_struggle import military, shifting, tiles
from games.imperial_struggle.events.conditions import fulfilled
from games.imperial_struggle.evidence.cards import advantage, effect
from games.imperial_struggle.evidence.counts import StruggleLook, by_good, change, marking, score, shift
from games.imperial_struggle.evidence.fronts import BOX, all_open, basic_tile, used
from games.imperial_struggle.ministries import britain, france, jacobites
from games.imperial_struggle.ministries.core import ABILITIES
from games.imperial_struggle.state import MINOR, Pool
from games.imperial_struggle.table import KIT
from pbem.kernel.evidence import Fact, Meaning

_PRICED = 8
"""Up to so many shifts are named with their prices."""


def granted(look: StruggleLook, answer: str) -> Meaning:
    """Return how many points of a type the Event gives, what they are for, and what they could best do."""
    now, sides = look.table.state.round, ("both", "", look.seat)
    grants = look.table.c.events[now.event].grants if now is not None and now.event else ()
    found = next((grant for grant in grants if grant.choice and grant.type == answer and grant.side in sides), None)
    if now is None or found is None:
        return Meaning()
    pools = now.pools
    now.pools = [Pool(answer, found.points, "any", found.limit, source=now.event)]
    best = [Fact("best_for", {"space": space, **made.follows[0].args}) for space, made in _shifts(look)[:1]]
    now.pools = pools
    best = best or [Fact("no_shift")]
    return Meaning(follows=(Fact("grant", {"points": found.points, "limit": found.limit}), *best))


def first(look: StruggleLook, answer: str) -> Meaning:
    """Return what it means to begin, or to come second."""
    return Meaning(follows=(Fact("begins" if answer == look.seat else "ends", {"seat": answer}),))


def tile(look: StruggleLook, answer: Any) -> Meaning:
    """Return the symbols of a tile, and the Events in hand that it plays."""
    if isinstance(answer, str) or answer["do"] != "take":
        return msgspec.structs.replace(_ability(look, answer), rank=-1)
    events, taken = look.table.c.events, look.table.c.investments[answer["with"]]
    hand = look.table.state.sides[look.seat].hand
    fitting = [key for key in hand if taken.event and events[key].action in ("any", taken.major)]
    key = "plays" if fitting else "event_symbol" if taken.event else "no_event"
    said = {"upgrade": "with-upgrade" if taken.upgrade else ""}
    return Meaning(follows=(Fact(key, said),), rank=taken.major_points + len(fitting))


def own_events(look: StruggleLook) -> Iterator[Fact]:
    """Yield the Events in hand: the only type of tile that plays each, and what it does."""
    events, hand = look.table.c.events, look.table.state.sides[look.seat].hand
    plays = [look.table.c.investments[key] for key in look.table.state.display]
    majors = {taken.major for taken in plays if taken.event}
    hand = [key for key in hand if majors & {events[key].action} or (majors and events[key].action == "any")]
    types = {key: [] if events[key].action == "any" else [events[key].action] for key in hand}
    said = {key: [*types[key], effect(look, key)] for key in hand}
    yield Fact("own_events", {"events": said}, main=bool(said))


def _ability(look: StruggleLook, answer: Any) -> Meaning:
    """Return how many points an ability brings, what its card does, or which Event goes for it."""
    word, thing = (answer, "") if isinstance(answer, str) else (answer["do"], str(answer.get("with", "")))
    if thing in look.table.c.events:
        return Meaning(follows=(Fact("effect", {"effect": effect(look, thing)}),), rank=-1)
    if points := {"cardinals": france.court_points(look.table), "envoys": britain.ENVOYS}.get(word):
        return Meaning(follows=(Fact("more_points", {"count": points}),), rank=-0.05)
    if word == "reveal" and look.kind != "tile":  # the name of an ability says what it does
        return Meaning(follows=(Fact("effect", {"effect": f"does-{thing}"}),), rank=-0.05)
    return Meaning(rank=-0.05 if word in _ABILITIES else -0.5)


def strengths(look: StruggleLook) -> Iterator[Fact]:
    """Yield how the theaters stand, if there are Military points."""
    pools = [pool for pool in look.table.state.now.pools if pool.type == "military" and pool.points]
    if pools:
        yield from all_open(look, spare=all(pool.action == MINOR for pool in pools))


def prices(look: StruggleLook) -> Iterator[Fact]:
    """Yield the spaces that can be shifted and matter most, by good or Region, with their prices."""
    costs = {key: made.cost for key, made in _shifts(look)[:_PRICED]}
    wanted = {key for name in look.table.state.demand for key in look.table.c.of_commodity[name]}
    told: set[str] = set()
    civil = any(pool.points and pool.type != "military" for pool in look.table.state.now.pools)
    for key, in_demand in (("prices", True), ("prices_else", False)):
        if spaces := [space for space in costs if (space in wanted) == in_demand]:
            found = by_good(look, spaces, lambda space: f"{space} {costs[space]}")
            told |= found.keys()
            yield Fact(key, {"prices": found}, tuple(spaces), spare=True)
    for fact in score(look):  # an email tells it where no prices do
        counted: dict[str, object] = fact.args["counts"]
        left = {name: said for name, said in counted.items() if name not in told or fact.key != "goods"}
        if left:
            yield Fact(fact.key, {"counts": left}, main=not costs and civil, spare=True)


def _shifts(look: StruggleLook) -> list[tuple[str, Meaning]]:
    """Return the spaces that can be shifted, those that change most first."""
    found = KIT.actions["shift"].find(look.table, look.seat)
    means = [(key, _shifting(look, {"space": key})) for key in found.spaces.listed] if found is not None else []
    return sorted(means, key=lambda answer: -answer[1].rank)


def acts(look: StruggleLook) -> Iterator[str]:
    """Yield the shifts that matter most, and each Advantage where it changes most."""
    yield from (f"shift {key}" for key, _ in _shifts(look)[: _PRICED // 2])
    for word in _SITES:
        sites = _form_of(look, word)
        spaces = sites.field("space", {}).listed if sites is not None else ()
        worth = {key: act(look, {"do": word, "space": key}).rank for key in spaces}
        yield from (f"{word} {key}" for key in sorted(worth, key=lambda key: -worth[key])[:1])
    form: Any = _form_of(look, "advantage")
    for key in form.field("advantage", {}).options() if form is not None else ():
        spaces = form.field("space", {"advantage": key})
        if spaces is not None:
            yield f"advantage {key} {max(spaces.options(), key=lambda space: marking(look, space).rank)}"


def _form_of(look: StruggleLook, word: str) -> Any:
    """Return what follows a word of the menu; None if it is not legal."""
    action = KIT.actions[word]
    found = action.find(look.table, look.seat)
    return action.form(look.table, look.seat, found) if found is not None else None


def act(look: StruggleLook, answer: Any) -> Meaning:
    """Return the price of an action, and what it changes."""
    word = answer if isinstance(answer, str) else answer["do"]
    return _ACTS[word](look, {} if isinstance(answer, str) else answer) if word in _ACTS else _ability(look, answer)


def _shifting(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    aids = answer.get("using", ""), answer.get("huguenots", "")
    cost = shifting.purchase(look.table, look.seat, answer["space"], *aids).cost
    made = shift(look, answer["space"])
    return Meaning(cost, None, made.follows, made.rank + 1 - cost / 2)


def _event(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    paid = fulfilled(look.table, look.seat, answer["card"])
    follows = (
        Fact("effect", {"effect": effect(look, answer["card"])}),
        Fact("with_bonus" if paid else "without_bonus"),
    )
    return Meaning(follows=follows, rank=9 + paid)


def _site(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    """Return the price of what is done in a space with Military points, and what counts again without a marker."""
    cost, space = _form_of(look, answer["do"]).field("space", {}).cost(answer["space"]), answer["space"]
    made = Meaning()
    if answer["do"] in ("clear", "rise"):
        made = change(look, [space], look.table.state.flags[space]) if answer["do"] == "clear" else shift(look, space)
    return Meaning(cost, None, made.follows, made.rank - cost / 2)


def _rising(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    return Meaning(jacobites.PRICE, None, (Fact("rising", {"vp": jacobites.vp(look.table)}),))


def _sailing(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    """Return the price of a deployment, the Markets that the Squadron would protect, and its wars."""
    box = BOX if look.table.state.sides[look.seat].box else ""
    cost = military.deployment(look.table, answer["space"], answer.get("origin", box)).cost
    fact, worth = used(look, answer["space"], look.seat, "naval")
    made = change(look, [answer["space"]], look.seat)
    return Meaning(cost, None, (*made.follows, fact), (made.rank + worth) / 4 - cost / 2)


def _use(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    made = marking(look, answer["space"]) if "space" in answer else Meaning()
    return Meaning(follows=(*made.follows, *advantage(look, answer["advantage"]).follows), rank=made.rank)


def _passing(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    falls = answer.get("debt", min(look.table.c.limits["pass_debt"], look.table.state.sides[look.seat].debt))
    return Meaning(follows=(Fact("debt_falls", {"debt": falls}),) if falls else (), rank=-2)


def _ending(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    left = sum(pool.points for pool in look.table.state.now.pools)
    return Meaning(follows=(Fact("points_lost", {"points": left}),) if left else (), rank=-2)


def _fixed(key: str) -> Callable[[StruggleLook, Any], Meaning]:
    return lambda look, answer: Meaning(look.table.c.costs[key])


def _building(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    return Meaning(military.construction(look.table, answer.get("by", "")).cost, None, (Fact("to_box"),))


def _upgrade(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    """Return the reader's basic tile that may be replaced: the weakest first."""
    old = tiles.basic_in(look.table, look.seat, answer["theater"])
    return Meaning(
        follows=(Fact("tile_now", basic_tile(look, old)),), rank=-0.1 - look.table.c.war_tiles[old].value / 10
    )


_ACTS: dict[str, Callable[[StruggleLook, Any], Meaning]] = {
    "shift": _shifting, "event": _event, "fort": _site, "repair": _site, "seize": _site, "clear": _site,
    "buy": _fixed("tile"), "draw": _fixed("card"), "convert": _fixed("convert"), "advantage": _use,
    "squadron": _building, "deploy": _sailing, "pass": _passing, "end": _ending,
    "upgrade": _upgrade, "rise": _site, "rising": _rising,
}  # fmt: skip
_ABILITIES = {ability.word for abilities in ABILITIES.values() for ability in abilities}
_SITES = ("rise", "deploy", "fort", "seize", "repair", "clear")
"""The actions with one space each, of which the best is told."""
