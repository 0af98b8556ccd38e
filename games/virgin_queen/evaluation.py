"""How well a seat stands, and which campaigns serve it, for bots: no rule of the game. It is found by its name.

A campaign is a key space that an army may take next. Nothing of it is kept: it follows anew from what the seat sees.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from games.virgin_queen import spring, spring_phase
from games.virgin_queen.components import QueenComponents
from games.virgin_queen.diplomacy import declarations, relations
from games.virgin_queen.fleets import blockaded
from games.virgin_queen.formations import cheapest, count, limit, rating
from games.virgin_queen.intrigue.assassination import ELIZABETH
from games.virgin_queen.keys import holders, number_of_keys, protestant_spaces, secret_vp, totals
from games.virgin_queen.land import assault
from games.virgin_queen.learning.evaluation import modifier
from games.virgin_queen.query import (
    FAR,
    CommunicationLines,
    fortified,
    leaders_at,
    mates,
    mine,
    seat_of,
    ships_of,
    strength,
)
from games.virgin_queen.query import relations as known_to
from games.virgin_queen.state import ENGLAND, FRANCE, HRE, INDEPENDENT, PROTESTANT, SPAIN, QueenState
from games.virgin_queen.table import HIT, Table
from games.virgin_queen.victory import playing
from pbem.kernel.domains import Optional
from pbem.kernel.game import Evaluation, compared

_OVER = 40.0
_FAITH = {PROTESTANT: 0.2, ENGLAND: 0.1, SPAIN: -0.15}
"""A Protestant space more towards the next row of their track; the row itself is in the VP."""
_COMING = 2.0
"""How many turns more what comes each turn may come."""
_LEAD = 0.7
"""How much the strongest of the others counts, next to the mean of all others."""
_KEY, _CARD, _POINT, _TREASURE = 0.4, 0.15, 0.1, 0.3
"""A key space, a card in hand, a CP to spend, a treasure."""
_SIEGE, _TAKEN, _UNIT, _SHIP = 0.3, 1.2, 0.05, 0.06
"""A siege under way, a key that it is likely to take, a land unit, a ship."""
_VICTORY, _FAR = 10.0, 8.0
"""Enough for victory, and how many VP are missing where it doesn't count yet."""

_NEAR, _ASHORE, _EMBARK = 5, 2, 2
"""How many spaces away a target may be; the CP of a way over one sea zone, and more to put ships to sea for it."""
_LAID, _SET_OUT, _STEP = 0.68, 0.62, 0.085
"""What is left of a chance in a siege, before a siege, and less for each CP that is needed before the assault."""
_BLOCKED, _PEACE, _OTHERS = 0.35, 0.4, 0.35
"""What counts of a port that its ships protect, of a war to declare first, of all targets but the best one."""
_GAIN, _DUTCH, _RIVAL = 2.4, 3.4, 1.6
"""How many VP a key brings, one in the Netherlands to the Protestants, and how many more if the leader loses it."""
_CUT_OFF, _ON_BOARD = 4, 5
"""The most spaces to control behind an army that count, and how many units may sail together (16.3)."""
_TARGETS, _ANSWERS = 4, 12
"""How many campaigns bring ideas, and how many ways to place a leader are looked at."""


def terms(table: Table, seat: str) -> Evaluation:
    """Return VP, what brings VP, forces, and how near the seat's best power is to victory, less those of others."""
    state = table.state
    if state.phase == "over":
        won = seat in {seat_of(state, power) for power in state.winners}
        return {"victory": _OVER if won else -_OVER}
    points, forces, sieges, into_row = totals(table), _forces(state), _sieges(table), protestant_spaces(table) % 5 - 2
    if state.powers[HRE].seat == seat:
        points[HRE] += secret_vp(table)
    near, impulse = _nearness(table, points), state.impulse
    coming = _coming(table)
    best: dict[str, Evaluation] = {}
    for power in playing(state):
        own = state.powers[power]
        worth: Evaluation = {
            "vp": points[power] + _FAITH.get(power, 0.0) * into_row + _COMING * coming.get(power, 0),
            "keys": _KEY * number_of_keys(table, power),
            "cards": _CARD * len(own.hand) + _POINT * (impulse.cp if impulse and impulse.power == power else 0),
            "treasures": _TREASURE * len(own.treasures),
            "patronage": sum(_yield(modifier(table, work)) for work in state.patronage if work.power == power),
            "sieges": sieges[power],
            "forces": forces[power],
            "victory": near[power],
        }
        if own.seat not in best or sum(worth.values()) > sum(best[own.seat].values()):
            best[own.seat] = worth
    if seat not in best:
        return {}
    hopes = [_prospects(table, power, points) for power in playing(state) if state.powers[power].seat == seat]
    found = compared(best.__getitem__, seat, best, _LEAD)
    return {**found, "sieges": found["sieges"] + max(hopes)}


def _coming(table: Table) -> Mapping[str, float]:
    """Return what each power gets every turn: for Paris, for Central Europe (25.3), for the Virgin Queen (21.2)."""
    state, bonus = table.state, table.c.special["bonus_vp"]
    unrest, control = state.unrest, state.control
    found = {control["paris"]: 1.0 + (state.turn > 3)} if "paris" not in unrest else {}
    central = bonus["ruler_of_central_europe_keys"]
    if all(control[key] == HRE and key not in unrest for key in central):
        found[HRE] = 1.0
    had = state.powers[ENGLAND].vp.get("virgin_queen", 0)
    if state.royals[ELIZABETH].state == "free" and had < bonus["virgin_queen_max"]:
        found[ENGLAND] = found.get(ENGLAND, 0.0) + 1.0
    return found


def _forces(state: QueenState) -> Mapping[str, float]:
    """Return what the land units and ships of each power are worth."""
    found: defaultdict[str, float] = defaultdict(float)
    for garrison in state.land.values():
        for owner, troops in garrison.items():
            found[owner] += _UNIT * troops.total
    for fleets in state.fleets.values():
        for fleet in fleets:
            found[fleet.power] += _SHIP * fleet.total
    return found


def _sieges(table: Table) -> Mapping[str, float]:
    """Return what each besieger may expect from its sieges, and each holder of a key may fear."""
    state = table.state
    found: defaultdict[str, float] = defaultdict(float)
    for space, siege in state.sieges.items():
        outside = {power: strength(state, power, space) for power in siege.by}
        inside = sum(troops.total for troops in state.land.get(space, {}).values()) - sum(outside.values())
        for power, men in outside.items():
            key = _TAKEN * min(1.0, men / (6.0 * inside + 3.0)) * (table.c.spaces[space].type == "key")
            found[power] += _SIEGE + key
            found[state.control[space]] -= key
    return found


@cache
def _yield(plus: int) -> float:
    """Return how many VP a patron may expect from two dice and a modifier (22.1): from 10, 13 and 15 one more."""
    rolls = [a + b + plus for a in range(1, 7) for b in range(1, 7)]
    return sum((total >= 10) + (total >= 13) + (total >= 15) for total in rolls) / len(rolls)


def _nearness(table: Table, points: Mapping[str, int]) -> Mapping[str, float]:
    """Return how near each power is to a victory (25.1, 25.3), by the VP that it lacks."""
    state, limits, faithful = table.state, table.c.special["victory"], protestant_spaces(table)
    field, found = playing(state), dict[str, float]()
    first, second, *_ = sorted((points[power] for power in field), reverse=True)
    early = max(0, limits["dominance_first_turn"] - state.turn)
    lead = 1 if state.turn >= state.last_turn else limits["dominance_lead"] + 2 * early
    religious = {
        PROTESTANT: limits["religious_protestant_spaces"] - faithful,
        **dict.fromkeys((SPAIN, FRANCE), faithful - limits["religious_catholic_spaces"]),
    }
    for power in field:
        others = first if points[power] < first else second
        lacks = min(limits["normal_vp"] - points[power], others + lead - points[power], religious.get(power, 99))
        if power != PROTESTANT:
            lacks = min(lacks, 2 * (int(table.c.powers[power].auto_win_keys) - number_of_keys(table, power)))
        found[power] = _VICTORY * max(0.0, 1 - max(0, lacks) / _FAR) ** 2
    return found


# -- campaigns -------------------------------------------------------------------------------------------------------


class FieldArmy(NamedTuple):
    """Land units of a power in a space, as many as may march together, and the rating of their leader.

    `cut_off`: how many spaces have to be controlled for a line of communication (12.1).
    """

    at: str
    men: int
    plus: int
    cut_off: int


class KeyCampaign(NamedTuple):
    """A key that an army may take, how many VP may be expected from it, and the sea zone on the way."""

    hope: float
    key: str
    army: FieldArmy
    zone: str


class KeyDistances(NamedTuple):
    """How many spaces keys are away over land, from and to each space; and port → keys over a sea zone, with it."""

    to: Mapping[str, Mapping[str, int]]
    around: Mapping[str, Mapping[str, int]]
    over_sea: Mapping[str, Sequence[tuple[str, str]]]


def _prospects(table: Table, power: str, points: Mapping[str, int]) -> float:
    """Return how many VP a power may expect of its best campaign, and a part of the next ones."""
    hopes = [campaign.hope for campaign in _campaigns(table, power, points)]
    return hopes[0] + _OTHERS * sum(hopes[1:_TARGETS]) if hopes else 0.0


def _campaigns(table: Table, power: str, points: Mapping[str, int]) -> list[KeyCampaign]:
    """Return the best campaign for each key that a power may attack, the best first."""
    state, found = table.state, dict[str, KeyCampaign]()
    impulse, cards = state.impulse, table.c.cards
    cp = sum([cards[card].cp for card in state.powers[power].hand])
    cp += impulse.cp if impulse is not None and impulse.power == power else 0
    targets = _targets(table, power, points)
    for army in _armies(table, power):
        for key, way, zone in _within_reach(table, power, army, targets):
            gain, inside = targets[key]
            price = way + army.cut_off
            chance = _chance(min(army.men, _ON_BOARD) if zone else army.men, army.plus, inside)
            done = max(0.0, (_LAID if army.at == key else _SET_OUT) - _STEP * price)
            hope = gain * chance * done * min(1.0, (cp + 1) / (price + 3))
            if key not in found or hope > found[key].hope:
                found[key] = KeyCampaign(hope, key, army, zone)
    return sorted(found.values(), key=lambda campaign: -campaign.hope)


def _targets(table: Table, power: str, points: Mapping[str, int]) -> dict[str, tuple[float, int]]:
    """Return the keys that a power may attack: how many VP that brings, and how many units are inside."""
    state, known, found = table.state, known_to(table.state, power), dict[str, tuple[float, int]]()
    best = max(number for other, number in points.items() if other != power)
    dutch, wars = table.c.powers[PROTESTANT].netherlands_keys, table.c.declarations[power]
    for key, holder in zip(table.c.keys, holders(table), strict=True):
        if holder in known.mates:
            continue
        gain = _DUTCH if power == PROTESTANT and key in dutch else _GAIN
        if holder in points:
            gain += _RIVAL * max(0.1, 1 - (best - points[holder]) / 6)
        if holder != INDEPENDENT and holder not in known.foes:
            gain *= _PEACE * (wars.get(holder, -1) >= 0)
        if gain:
            if table.c.spaces[key].port and blockaded(table, power, key):
                gain *= _BLOCKED
            garrison = state.land.get(key, {})
            found[key] = gain, sum([units.total for owner, units in garrison.items() if owner not in known.mine])
    return found


def _armies(table: Table, power: str) -> list[FieldArmy]:
    """Return the armies of a power that are not besieged."""
    state, found = table.state, list[FieldArmy]()
    own = mine(state, power)
    for at, garrison in state.land.items():
        men = 0
        for owner, units in garrison.items():
            if owner in own:
                men += units.regulars + units.mercenaries
        siege = state.sieges.get(at)
        if men > 1 and at in table.c.spaces and (siege is None or power in siege.by):
            leaders = leaders_at(state, power, at)
            apart = 0 if siege is None and state.control[at] == power else _cut_off(table, power, at)
            found.append(
                FieldArmy(at, men if siege else min(men, limit(table, leaders)), rating(table, leaders), apart)
            )
    return found


def _cut_off(table: Table, power: str, at: str) -> int:
    """Return how many spaces have to be controlled for a line of communication to an army, its own among them."""
    state, lines = table.state, CommunicationLines(table, power)
    below = int(at not in state.sieges and state.control[at] not in mates(state, power))
    if lines.reaches(at):
        return below
    homes = {space for mate in mates(state, power) for space in table.c.homes.get(mate, ()) if fortified(table, space)}
    seen, edge = {at}, [at]
    for missing in range(_CUT_OFF):
        if missing:
            beyond = dict.fromkeys(other for here in edge for other in table.c.land[here])
            edge = [other for other in beyond if other not in seen and _may_control(table, power, other)]
            seen.update(edge)
        queue = list(edge)
        while queue:
            for other in table.c.land[queue.pop()]:
                if other not in seen and lines.passable(other):
                    if other in homes:
                        return missing + below
                    seen.add(other)
                    edge.append(other)
                    queue.append(other)
    return _CUT_OFF


def _may_control(table: Table, power: str, space: str) -> bool:
    """Return whether a power may soon control a space: without walls or besieged by it, and without enemies."""
    state, siege = table.state, table.state.sieges.get(space)
    besieged = siege is not None and power in siege.by
    open_to = besieged or not fortified(table, space)
    return open_to and known_to(state, power).foes.isdisjoint(state.land.get(space, ()))


def _within_reach(
    table: Table, power: str, army: FieldArmy, targets: Mapping[str, object]
) -> Iterator[tuple[str, int, str]]:
    """Yield the targets near an army, how many CP they are away, and the sea zone on the way.

    Before the action phase an army in a capital may be deployed to any space of its power.
    """
    state, far = table.state, _distances(table.c)
    if army.at in state.sieges and army.at in targets:
        yield army.at, 0, ""
    elif state.phase != "action" and state.capitals.get(army.at) == power:
        for key in targets:
            hops = next((hops for at, hops in far.around[key].items() if state.control[at] == power), FAR)
            if hops < _NEAR:
                yield key, 2 * hops, ""
    else:
        for key, hops in far.to[army.at].items():
            if key in targets:
                yield key, 2 * hops - 1, ""  # each space on the way is entered, and controlled for the line
        for key, zone in far.over_sea.get(army.at, ()):
            if key in targets:
                yield key, _ASHORE if ships_of(state, power, zone) else _ASHORE + _EMBARK, zone


@cache
def _distances(c: QueenComponents) -> KeyDistances:
    around: dict[str, dict[str, int]] = {}
    to: dict[str, dict[str, int]] = {at: {} for at in c.spaces}
    for key in c.keys:
        seen, queue = {key: 0}, deque([key])
        while queue:
            at = queue.popleft()
            for other in c.land[at] if seen[at] < _NEAR else ():
                if other not in seen:
                    seen[other] = seen[at] + 1
                    to[other][key] = seen[other]
                    queue.append(other)
        around[key] = seen
    over_sea = {
        at: [(key, zone) for zone in space.port for key in c.keys if key != at and zone in c.spaces[key].port]
        for at, space in c.spaces.items()
    }
    return KeyDistances(to, around, over_sea)


@cache
def _chance(men: int, plus: int, inside: int) -> float:
    """Return how likely an army takes a key in three assaults (15.1), roughly."""
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


# -- what the best campaigns ask for -----------------------------------------------------------------------------------


def ideas(table: Table, seat: str, kind: str) -> Iterator[Any]:
    """Yield answers that the best campaigns of a seat ask for; not all of them need be legal."""
    state = table.state
    for power in playing(state) if kind in _IDEAS else ():
        if state.powers[power].seat == seat:
            yield from _IDEAS[kind](table, power, _campaigns(table, power, totals(table))[:_TARGETS])


def _acts(table: Table, power: str, best: Sequence[KeyCampaign]) -> Iterator[Any]:
    """Yield assaults, control behind an army, marches, transports, and more units for the best army."""
    impulse = table.state.impulse
    if impulse is None or impulse.power != power:
        return
    yield from ({"do": "assault", "space": at} for at in assault.assaultable(table, power))
    for campaign in best:
        at, key = campaign.army.at, campaign.key
        if campaign.army.cut_off:
            yield from ({"do": "control", "space": space} for space in (at, *table.c.land[at]))
        if at != key:
            yield from _over_sea(table, power, campaign) if campaign.zone else _marches(table, power, at, key)
    for word, price in (("buy_mercenary", 1), ("raise_cavalry", 1), ("raise_regular", 2)) if best else ():
        number = {"number": impulse.cp // price} if impulse.cp // price > 1 else {}
        for at in dict.fromkeys((best[0].army.at, *table.c.powers[power].capitals)):
            yield {"do": word, "space": at, **number}


def _marches(table: Table, power: str, at: str, key: str) -> Iterator[Any]:
    """Yield the marches of an army that bring it nearer to a key."""
    far = _distances(table.c).around[key]
    for to in table.c.land[at]:
        if far.get(to, FAR) < far.get(at, FAR):
            yield {"do": "move", "origin": at, "to": to, **_going(table, power, at, FAR)}


def _over_sea(table: Table, power: str, campaign: KeyCampaign) -> Iterator[Any]:
    """Yield the transport of an army to a key, and the ships that put to sea for it."""
    at, zone = campaign.army.at, campaign.zone
    yield {"do": "transport", "origin": at, "to": campaign.key, **_going(table, power, at, _ON_BOARD)}
    for port in table.c.ports[zone]:
        if ships_of(table.state, power, port):
            yield {"do": "naval_move", "moves": [{"do": "sail", "origin": port, "to": zone}]}


def _going(table: Table, power: str, at: str, most: int) -> dict[str, Any]:
    """Return which units march, if not all may."""
    units = count(table.state, power, at)
    over = sum(units.values()) - min(most, limit(table, leaders_at(table.state, power, at)))
    if over <= 0:
        return {}
    stay = cheapest(units, over)
    return {"units": {key: number - stay.get(key, 0) for key, number in units.items() if number > stay.get(key, 0)}}


def _springs(table: Table, power: str, best: Sequence[KeyCampaign]) -> Iterator[Any]:
    """Yield springs in which all leaders come, and the army of a capital goes to the nearest space before a key."""
    form = spring_phase.domain(table, power)
    must: dict[str, Any] = {}
    for name in form.fields:
        domain = form.field(name, must)
        if domain is not None and not isinstance(domain, Optional):
            ways = [way for way in islice(domain.options(), _ANSWERS) if way != "wait"]
            must[name] = ways[0] if ways else "wait"
    yield must
    for at in spring.starts(table, power):
        goals = spring.reach(table, power, at)
        for campaign in best if goals else ():
            far = _distances(table.c).around[campaign.key]
            for to in sorted(goals, key=lambda to: far.get(to, FAR))[:2]:
                yield {**must, "origin": at, "to": to, **_going(table, power, at, _ON_BOARD if goals[to] else FAR)}


def _wars(table: Table, power: str, best: Sequence[KeyCampaign]) -> Iterator[Any]:
    """Yield a war on each holder of the best targets, for the least that pays it."""
    purse, possible = declarations.money(table, power), declarations.targets(table, power)
    for holder in dict.fromkeys(table.state.control[campaign.key] for campaign in best):
        bills = declarations.payments(purse, relations.cost(table, power, holder)) if holder in possible else []
        if bills:
            yield {"on": [holder], "pay": min(bills, key=lambda bill: sum(purse[card] for card in bill.split("+")))}


_IDEAS: Mapping[str, Callable[[Table, str, Sequence[KeyCampaign]], Iterator[Any]]] = {
    "action": _acts,
    "declare_war": _wars,
    "spring": _springs,
}
