"""Campaigns, for bots: which keys a power may take next, how likely, and what is to do for it now.

Nothing of it is kept: it follows anew from what a seat sees.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from games.virgin_queen import spring, spring_phase
from games.virgin_queen.components import QueenComponents
from games.virgin_queen.diplomacy import declarations
from games.virgin_queen.fleets import blockaded
from games.virgin_queen.formations import cheapest, count, limit, rating
from games.virgin_queen.keys import holders, totals
from games.virgin_queen.land import assault
from games.virgin_queen.query import FAR, loc, relations, seat_of
from games.virgin_queen.state import INDEPENDENT, POWERS, PROTESTANT
from games.virgin_queen.table import HIT, Table
from pbem.kernel.domains import Optional

_MOST_FAR, _SEA, _NO_SHIPS = 5, 2, 2
"""How many spaces away a target may be; those of a way over one sea zone, and how many more without ships there."""
_LAID, _SET_OUT, _STEP, _CUT_OFF, _PEACE = 0.68, 0.62, 0.085, 0.35, 0.4
"""What is left of a chance in a siege, before it, for each space on the way, without any assault, before a war."""
_KEY, _DUTCH, _RIVAL = 2.4, 3.4, 1.6
"""How many VP a key is worth, one in the Netherlands to the Protestants, and what the strongest rival loses."""
_OTHERS = 0.35
"""What counts of all targets but the best one."""
_FAR_OFF, OPEN = 4, "unfortified"
_OVER_SEA = 5
"""How many units may sail together (16.3)."""


class Army:
    """Land units of a power in a space, as many as may march together, and the rating of their leader.

    `cut_off`: how many spaces behind them have to be controlled for a line of communication (12.1).
    """

    __slots__ = ("at", "cut_off", "men", "plus")

    def __init__(self, at: str, men: int, plus: int, cut_off: int) -> None:
        self.at, self.men, self.plus, self.cut_off = at, men, plus, cut_off


class Campaign:
    """A key that an army may take, and how many VP may be expected from it."""

    __slots__ = ("army", "hope", "key", "sea", "via")

    def __init__(self, hope: float, key: str, army: Army, sea: str = "") -> None:
        self.hope, self.key, self.army, self.sea = hope, key, army, sea


def prospects(table: Table, power: str, points: Mapping[str, int]) -> float:
    """Return how many VP a power may expect of its best campaign, and a part of the next ones."""
    hopes = sorted((campaign.hope for campaign in campaigns(table, power, points).values()), reverse=True)
    return hopes[0] + _OTHERS * sum(hopes[1:4]) if hopes else 0.0


def campaigns(table: Table, power: str, points: Mapping[str, int]) -> dict[str, Campaign]:
    """Return the best campaign for each key that a power may attack."""
    state, found = table.state, dict[str, Campaign]()
    own, impulse, cards = state.powers[power], state.impulse, table.c.cards
    means = 1 + sum([cards[card].cp for card in own.hand]) + (impulse.cp if impulse and impulse.power == power else 0)
    targets = _targets(table, power, points)
    for army in _armies(table, power):
        for key, far, sea in _within_reach(table, power, army, targets):
            worth, inside = targets[key]
            hope = worth * _chance(min(army.men, _OVER_SEA) if sea else army.men, army.plus, inside)
            far += army.cut_off
            hope *= min(1.0, means / (far + 3)) * max(0.0, (_LAID if army.at == key else _SET_OUT) - _STEP * far)
            if key not in found or hope > found[key].hope:
                found[key] = Campaign(hope, key, army, sea)
    return found


def _targets(table: Table, power: str, points: Mapping[str, int]) -> dict[str, tuple[float, int]]:
    """Return the keys that a power may attack: how many VP they are worth, and how many units are inside.

    A key also takes VP from its holder, and brings cards.
    """
    state, known, found = table.state, relations(table.state, power), dict[str, tuple[float, int]]()
    best = max(number for other, number in points.items() if other != power)
    dutch, wars = table.c.powers[PROTESTANT].netherlands_keys, table.c.declarations[power]
    for key, holder in zip(table.c.keys, holders(table), strict=True):
        if holder in known.mates:
            continue
        worth = _DUTCH if power == PROTESTANT and key in dutch else _KEY
        if holder in points:
            worth += _RIVAL * max(0.1, 1 - (best - points[holder]) / 6)
        if holder != INDEPENDENT and holder not in known.foes:
            worth *= _PEACE * (wars.get(holder, -1) >= 0)
        if worth:
            garrison, inside = state.land.get(key, {}), 0
            for owner, troops in garrison.items():
                inside += 0 if owner in known.mine else troops.total
            if table.c.spaces[key].port and blockaded(table, power, key):
                worth *= _CUT_OFF
            found[key] = worth, inside
    return found


def _armies(table: Table, power: str) -> list[Army]:
    """Return the armies of a power that are not besieged."""
    state, found = table.state, list[Army]()
    mine = relations(state, power).mine
    chiefs: dict[str, list[str]] = {}
    for name, leader in state.leaders.items():
        if leader.power in mine and not leader.captor and not leader.naval:
            chiefs.setdefault(leader.at, []).append(name)
    for at, garrison in state.land.items():
        men = 0
        for owner, troops in garrison.items():
            if owner in mine:
                men += troops.regulars + troops.mercenaries
        if men > 1 and at in table.c.spaces:
            siege, led = state.sieges.get(at), chiefs.get(at, ())
            if siege is None or power in siege.by:
                apart = 0 if siege is None and state.control[at] == power else _cut_off(table, power, at)
                found.append(Army(at, men if siege else min(men, limit(table, led)), rating(table, led), apart))
    return found


def _cut_off(table: Table, power: str, at: str) -> int:
    """Return how many spaces behind an army, and below it, have to be controlled, at most `_FAR_OFF`."""
    state, known, land = table.state, relations(table.state, power), table.c.land
    below = int(at not in state.sieges and state.control[at] not in known.mates)
    if loc(table, power, at):
        return below
    homes = {space for mate in known.mates for space in table.c.homes.get(mate, ()) if table.c.spaces[space].type != OPEN}
    seen, edge = {at}, [at]
    for steps in range(_FAR_OFF):
        if steps:  # spaces that would be controlled
            edge = [other for here in edge for other in land[here] if other not in seen and known.foes.isdisjoint(state.land.get(other, ()))]
            seen.update(edge)
        queue = list(edge)
        while queue:
            for other in land[queue.pop()]:
                if other not in seen and state.control[other] in known.mates and other not in state.unrest:
                    if other in homes:
                        return steps + below
                    seen.add(other)
                    edge.append(other)
                    queue.append(other)
    return _FAR_OFF


def _within_reach(
    table: Table, power: str, army: Army, targets: Mapping[str, Any]
) -> Iterator[tuple[str, int, str]]:
    """Yield the targets near an army, how many CP they are away, and the sea zone on the way; from a capital in spring any."""
    state = table.state
    if army.at in state.sieges and army.at in targets:
        yield army.at, 0, ""
        return
    near, around, shores = _near(table.c)
    if state.phase != "action" and state.capitals.get(army.at) == power:
        for key in targets:
            far = next((hops for at, hops in around[key].items() if state.control[at] == power), FAR)
            if far < _MOST_FAR:
                yield key, 2 * far, ""
        return
    for key, far in near[army.at].items():
        if key in targets:
            yield key, 2 * far - 1, ""
    for key, zone in shores.get(army.at, ()):
        if key in targets:
            convoy = any([fleet.power == power for fleet in state.fleets.get(zone, ())])
            yield key, _SEA + (0 if convoy else _NO_SHIPS), zone


@cache
def _near(
    c: QueenComponents,
) -> tuple[Mapping[str, Mapping[str, int]], Mapping[str, Mapping[str, int]], Mapping[str, Sequence[tuple[str, str]]]]:
    """Return space → keys near it over land, and how far; the same by key; port → keys over a sea zone."""
    around: dict[str, dict[str, int]] = {}
    found: dict[str, dict[str, int]] = {at: {} for at in c.spaces}
    for key in c.keys:
        seen, queue = {key: 0}, deque([key])
        while queue:
            at = queue.popleft()
            for other in c.land[at] if seen[at] < _MOST_FAR else ():
                if other not in seen:
                    seen[other] = seen[at] + 1
                    queue.append(other)
        around[key] = seen
        for at, far in seen.items():
            if far:
                found[at][key] = far
    shores = {
        at: [(key, zone) for zone in space.port for key in c.keys if key != at and zone in c.spaces[key].port]
        for at, space in c.spaces.items()
    }
    return found, around, shores


@cache
def _chance(men: int, plus: int, inside: int) -> float:
    """Return how likely an army takes a key in three assaults (15.1)."""
    if men <= inside:
        return 0.1 * men / (inside + 1)
    left, army, fails = float(inside), float(men), 1.0
    for _ in range(3):
        dice = ((int(army) + 1) // 2 if left >= 0.5 else int(army)) + plus
        fails *= 1 - _at_least(dice, max(1, round(left)))
        left, army = max(0.0, left - dice / 3), army - (left + 1) / 3
        if army < 1:
            break
    return 1 - fails


@cache
def _at_least(dice: int, hits: int) -> float:
    """Return the chance of so many hits."""
    if hits <= 0 or dice < hits:
        return float(hits <= 0)
    share = (7 - HIT) / 6
    return share * _at_least(dice - 1, hits - 1) + (1 - share) * _at_least(dice - 1, hits)


# -- what to do for it ---------------------------------------------------------------------------------------------


def ideas(table: Table, seat: str, kind: str) -> Iterator[Any]:
    """Yield answers that the best campaigns of a seat ask for; not all of them need be legal."""
    state = table.state
    for power in POWERS:
        if seat_of(state, power) == seat and kind in _IDEAS and state.powers[power].active:
            found = campaigns(table, power, totals(table)).values()
            yield from _IDEAS[kind](table, power, sorted(found, key=lambda campaign: -campaign.hope)[:4])


def _acts(table: Table, power: str, best: Sequence[Campaign]) -> Iterator[Any]:
    """Yield assaults, marches, transports, and units for those."""
    if state_impulse(table, power) is None:
        return
    for at in assault.assaultable(table, power):
        yield {"do": "assault", "space": at}
    near = _near(table.c)[1]
    for campaign in best:
        at, key = campaign.army.at, campaign.key
        if campaign.army.cut_off:
            yield from ({"do": "control", "space": space} for space in (at, *table.c.land[at]))
        if at == key:
            continue
        if campaign.sea:
            yield {"do": "transport", "origin": at, "to": key, **_some(table, power, at, _OVER_SEA)}
            yield from _put_to_sea(table, power, campaign.sea)
        else:
            for to in table.c.land[at]:
                if near[key].get(to, FAR) < near[key][at]:
                    yield {"do": "move", "origin": at, "to": to, **_some(table, power, at, FAR)}
    cp = state_impulse(table, power).cp
    for campaign in best[:1]:
        for word, price in (("buy_mercenary", 1), ("raise_cavalry", 1), ("raise_regular", 2)):
            for at in dict.fromkeys((campaign.army.at, *table.c.powers[power].capitals)):
                yield {"do": word, "space": at, **({"number": cp // price} if cp // price > 1 else {})}


def state_impulse(table: Table, power: str) -> Any:
    impulse = table.state.impulse
    return impulse if impulse is not None and impulse.power == power else None


def _some(table: Table, power: str, at: str, most: int) -> dict[str, Any]:
    """Return which units march, if not all may."""
    state = table.state
    units = count(state, power, at)
    mine = relations(state, power).mine
    led = [
        name
        for name, leader in state.leaders.items()
        if leader.at == at and leader.power in mine and not leader.captor and not leader.naval
    ]
    over = sum(units.values()) - min(most, limit(table, led))
    if over <= 0:
        return {}
    stay = cheapest(units, over)
    return {"units": {key: number - stay.get(key, 0) for key, number in units.items() if number > stay.get(key, 0)}}


def _put_to_sea(table: Table, power: str, zone: str) -> Iterator[Any]:
    ports = [port for port in table.c.ports[zone] if any(f.power == power for f in table.state.fleets.get(port, ()))]
    for port in ports:
        yield {"do": "naval_move", "moves": [{"do": "sail", "origin": port, "to": zone}]}


def _springs(table: Table, power: str, best: Sequence[Campaign]) -> Iterator[Any]:
    """Yield springs in which all leaders come and the army of a capital goes to the nearest space before a key."""
    form = spring_phase.domain(table, power)
    must: dict[str, Any] = {}
    for name in form.fields:
        domain = form.field(name, must)
        if domain is not None and not isinstance(domain, Optional):
            said = [answer for _, answer in zip(range(12), domain.options(), strict=False) if answer != "wait"]
            must[name] = said[0] if said else "wait"
    yield must
    near = _near(table.c)[1]
    for campaign in best:
        for at in spring.starts(table, power):
            goals = spring.reach(table, power, at)
            for to in sorted(goals, key=lambda to: near[campaign.key].get(to, FAR))[:2]:
                yield {**must, "origin": at, "to": to, **_some(table, power, at, _OVER_SEA if goals[to] else FAR)}


def _wars(table: Table, power: str, best: Sequence[Campaign]) -> Iterator[Any]:
    """Yield wars on the holders of the best targets, paid with the least."""
    control, foes = table.state.control, relations(table.state, power).foes
    costs = {holder: declarations.relations.cost(table, power, holder) for holder in declarations.targets(table, power)}
    purse = declarations.money(table, power)
    for holder in dict.fromkeys(control[campaign.key] for campaign in best):
        if holder in costs and holder not in foes:
            bills = declarations.payments(purse, costs[holder])
            for pay in sorted(bills, key=lambda bill: sum(purse[card] for card in bill.split("+")))[:1]:
                yield {"on": [holder], "pay": pay}


_IDEAS = {"action": _acts, "spring": _springs, "declare_war": _wars}
