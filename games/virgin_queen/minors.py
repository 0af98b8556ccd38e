"""Minor powers (24, 24.1): activation, deactivation, influence and the resolution of a diplomatic status.

A minor power is inactive (`Minor.ally` is "") or allied with a major power, which commands its units. Its home
spaces under the ally count as the ally's (2.2); those of an inactive minor power are its own. Major powers that
nobody plays are next to the minor powers in `QueenState.minors`; `activated` has their differences (27.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from games.virgin_queen import activated, impulse, responses
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.displacement import displace, displace_land
from games.virgin_queen.fleets import put, recall, to_track
from games.virgin_queen.formations import KINDS, WITHOUT_LEADER, Formation, add, limit, may_go, may_lead, muster
from games.virgin_queen.gate import OPEN_AT, england_spain_cost, station
from games.virgin_queen.land import entering, moving
from games.virgin_queen.land.losses import check_siege
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import at_war, distance, fortified, friendly, other_sides, seat_of
from games.virgin_queen.state import ENGLAND, POWERS, SPAIN, WAR, QueenState, pair
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Domain, Form
from pbem.kernel.game import Play, Rule

KIT.chapter("24.7", "independent keys and fortresses", "setup.py", "events/land.py")
KIT.chapter("24.1", "inactive and allied minor powers", "minors.py", "land/avoid_battle.py")
KIT.chapter("24.2", "activation", "minors.py")
KIT.chapter("24.3", "minor powers in play", "query.py", "building.py")
KIT.chapter("24.4", "deactivation", "minors.py")
KIT.chapter("24.5", "diplomatic influence", "minors.py")
KIT.chapter("24.6", "resolution of a diplomatic status", "minors.py")
_ask_join_war = KIT.question("join_war", "24.2")
_ask_irish_war = KIT.question("irish_war", "24.2")
_ask_irish_march = KIT.question("irish_march", "24.2")
MOST_INFLUENCE = 9


class Influence(TypedDict):
    """The power to influence, and how many points."""

    on: str
    points: int


IRISH_REBELS = 3
SCOTS_MODIFIER = {"france": "catholic", "protestant": "protestant"}


def open_tracks(state: QueenState, power: str) -> Iterator[str]:
    """Yield the powers on which this power may buy influence: listed, below 9, not resolved this turn (24.5)."""
    for key, minor in state.minors.items():
        listed = key != power and power not in minor.excluded and power in minor.influence
        if listed and minor.influence[power] < MOST_INFLUENCE and not minor.resolved:
            yield key


def _tracks(table: Table, ground: PowerMap) -> list[str] | None:
    return list(open_tracks(table.state, ground.power)) or None


def _points(table: Table, ground: PowerMap, found: list[str]) -> Form[Influence]:
    def room(values: Any) -> Domain:
        has = table.state.minors[values.on].influence[ground.power]
        return Amount(1, min(ground.cp, MOST_INFLUENCE - has), what="points")

    return Form(on=Choice(found, "power"), points=room)


@KIT.action("buy_influence", "24.5", _tracks, _points)
def _buy_influence(table: Table, power: str, order: Influence) -> None:
    impulse.pay(table, order["points"], "buy_influence")
    markers = table.state.minors[order["on"]].influence
    markers[power] += order["points"]
    table.log(
        "minor.influence", rule="24.5", power=power, minor=order["on"], points=order["points"], now=markers[power]
    )


def contenders(table: Table, minor: str, exclude: Sequence[str] = ()) -> list[str]:
    """24.6 step 1: Return the powers that compete, in impulse order.

    Powers that declared war on it (9.4) or that nobody plays don't.
    """
    state, card = table.state, table.c.minors[minor]
    listed = {*card.activators, card.deactivator}
    barred = {*exclude, *state.minors[minor].excluded, minor}
    able = (listed - barred).intersection(state.minors[minor].influence)
    return [power for power in POWERS if power in able and seat_of(state, power)]


def check(
    table: Table, minor: str, exclude: Sequence[str] = (), bonus: Mapping[str, int] | None = None
) -> Rule[list[str]]:
    """24.6 steps 1 to 3 and 6: Roll for a status and reset the influence. Return the competitors, best first."""
    state = table.state
    rivals = contenders(table, minor, exclude)
    bonus = dict(bonus or {})  # cards may add to it
    yield from responses.offer(table, "status", {"minor": minor, "contenders": rivals, "bonus": bonus})
    totals: dict[str, int] = {}
    for power in rivals:
        plus = state.minors[minor].influence[power] + _religion(state, table, minor, power) + bonus.get(power, 0)
        roll = table.roll(1, "status.rolls", rule="24.6", minor=minor, power=power, plus=plus)
        totals[power] = roll.total + plus
    reset(state, minor)
    return sorted(totals, key=lambda power: (-totals[power], POWERS.index(power)))


def reset(state: QueenState, minor: str) -> None:
    """24.6 step 6: Move all markers to the box of those resolved this turn."""
    entry = state.minors[minor]
    entry.influence = dict.fromkeys(entry.influence, 0)
    entry.resolved = True


def _religion(state: QueenState, table: Table, minor: str, power: str) -> int:
    """24.6 step 2: Return the bonus of France or the Protestants for a Scotland all of one religion."""
    if minor != "scotland" or power not in SCOTS_MODIFIER:
        return 0
    return 2 if all(state.religion[space] == SCOTS_MODIFIER[power] for space in table.c.homes[minor]) else 0


def resolve(table: Table, minor: str, exclude: Sequence[str] = (), bonus: Mapping[str, int] | None = None) -> Rule[str]:
    """24.6 Resolve a status after an event; once a turn.

    Return the winner, "" if nobody competed or it was done before.
    """
    state = table.state
    if state.minors[minor].resolved:
        table.log("status.already", rule="24.6", minor=minor)
        return ""
    ranking = yield from check(table, minor, exclude, bonus)
    if not ranking:
        return ""
    winner = ranking[0]
    table.log("status.won", rule="24.6", minor=minor, power=winner)
    ally = state.minors[minor].ally
    if winner == table.c.minors[minor].deactivator:
        if ally:
            yield from deactivate(table, minor)
    elif winner != ally:
        yield from activate(table, minor, winner)
    return winner


def activate(table: Table, minor: str, ally: str, declarer: str = "") -> Play:
    """24.2 Ally a minor power with a major power. `declarer` declared war on it (9.4) and is at war with the ally."""
    state = table.state
    if state.minors[minor].ally:
        yield from deactivate(table, minor)
    if minor in POWERS:
        yield from activated.activate(table, minor, ally, declarer)
        return
    table.log("minor.activated", rule="24.2", minor=minor, power=ally)
    enemies = [power for power in POWERS if state.diplomacy.get(pair(power, minor)) == WAR]
    for power in enemies:
        yield from _join_or_leave(table, minor, ally, power, declarer)
    state.minors[minor].ally = ally
    for power in enemies:
        state.diplomacy.pop(pair(power, minor), None)
    yield from _take_over(table, minor, ally)
    yield from _sieges(table)
    if minor == "ireland":
        yield from irish_revolt(table, ally)


def _join_or_leave(table: Table, minor: str, ally: str, power: str, declarer: str) -> Play:
    """24.2 step 2: Ask a power at war with the minor for free war on its ally, or to leave its spaces."""
    state = table.state
    if at_war(state, power, ally):
        return
    if power == declarer:
        yield from relations.declare(table, power, ally)
        return
    if relations.allowed(table, power, ally):
        seat, domain = seat_of(state, power), Choice(("no", "yes"))
        if (yield from _ask_join_war(seat, domain, "no", power=power, minor=minor, on=ally)) == "yes":
            yield from relations.declare(table, power, ally)
            return
    for space in table.c.homes[minor]:
        if state.control[space] == minor:
            yield from displace(table, space, (power,))


def _take_over(table: Table, minor: str, ally: str) -> Play:
    """24.2 steps 3 and 4: Pass home spaces to the new ally.

    Those held by the minor power, or by a power that had the right to activate it in this check. The declarer
    of war had none (9.4) and keeps what it holds.
    """
    state = table.state
    may = set(table.c.minors[minor].activators) - set(state.minors[minor].excluded)
    held = {space: state.control[space] for space in table.c.homes[minor]}
    taken = {space: holder for space, holder in held.items() if holder in {minor, *may} - {ally}}
    for space in taken:
        state.control[space] = ally
        table.log("minor.space", rule="24.2", minor=minor, space=space, power=ally)
    for space, holder in taken.items():
        if holder != minor:
            yield from displace(table, space, other_sides(table.state, space, ally))


def irish_revolt(table: Table, ally: str) -> Play:
    """24.2 step 6: Gather rebels at Ulster; the ally may come to war with Dublin's holder; they may march."""
    state = table.state
    for owner in list(state.land.get("ulster", {})):
        clear(table, "ulster", owner)
    state.sieges.pop("ulster", None)
    for side in other_sides(state, "ulster", ally):
        yield from displace_land(table, "ulster", side)
    if "ulster" not in state.fortresses:
        state.fortresses.append("ulster")
    muster(table, "ulster", "ireland", "regulars", IRISH_REBELS)
    table.log("minor.ireland", rule="24.2", power=ally)
    holder = state.control["dublin"]
    # 24.2 step 6: for free, but not on England or Spain while that costs more (9.5).
    dear = {ally, holder} == {SPAIN, ENGLAND} and england_spain_cost(table) > OPEN_AT
    if holder in POWERS and not dear and relations.allowed(table, ally, holder):
        answer = yield from _ask_irish_war(seat_of(state, ally), Choice(("no", "yes")), "no", power=ally, on=holder)
        if answer == "yes":
            yield from relations.declare(table, ally, holder)
    yield from _irish_march(table, ally)


def _irish_march(table: Table, power: str) -> Play:
    """24.2 step 6: all units at Ulster, up to the limit of a formation, may march to Dublin for nothing (13.1)."""
    state = table.state
    units, leaders = moving.ready(table, power, "ulster")
    most = max(WITHOUT_LEADER, limit(table, leaders))
    units, leaders = may_go(table, power, units, "dublin"), may_lead(table, leaders, "dublin")
    if not units or sum(units.values()) > most or not entering.may_enter(table, power, "dublin"):
        return
    said = yield from _ask_irish_march(seat_of(state, power), Choice(("stay", "march")), "stay", power=power)
    if said == "march":
        table.log("minor.irish_march", rule="24.2", power=power, units=units)
        yield from moving.march(table, Formation(power, "ulster", units, leaders), "dublin")


def clear(table: Table, space: str, owner: str) -> None:
    """Take all units of a pool out of a space."""
    troops = table.state.land[space][owner]
    for kind in KINDS:
        add(table, space, owner, kind, -getattr(troops, kind))


def deactivate(table: Table, minor: str) -> Play:
    """24.4 End the alliance of a minor power: spaces go back, other units are displaced, its own go home."""
    state = table.state
    former = state.minors[minor].ally
    if minor in POWERS:
        clients = activated.clients(table, minor)
        yield from activated.deactivate(table, minor)
        for client in clients:
            yield from deactivate(table, client)
        yield from _sieges(table)
        return
    state.minors[minor].ally = ""
    table.log("minor.deactivated", rule="24.4", minor=minor, power=former)
    freed = [space for space in table.c.homes[minor] if state.control[space] == former]
    for space in freed:
        state.control[space] = minor
    for space in freed:
        yield from displace(table, space, other_sides(table.state, space, minor))
    _troops_home(table, minor)
    _ships_home(table, minor, former)
    yield from _sieges(table)


def _sieges(table: Table) -> Play:
    """15.3 Recheck sieges after a change of sides: no siege of one's own side, and besiegers outnumber."""
    state = table.state
    for space, siege in list(state.sieges.items()):
        for power in [besieger for besieger in siege.by if friendly(state, besieger, space)]:
            del siege.by[power]
        if siege.by:
            yield from check_siege(table, space)
        else:
            del state.sieges[space]


def _nearest(table: Table, minor: str, place: str, walls: bool | None, port: bool = False) -> str:
    """Return the nearest home space that a minor power holds, the first if several, "" if there is none."""
    state, c = table.state, table.c
    own = [at for at in c.homes[minor] if state.control[at] == minor and (not port or c.spaces[at].port)]
    found = [at for at in own if walls is None or fortified(table, at) == walls]
    starts = (place,) if place in c.spaces else c.ports[place]
    return min(found, key=lambda to: min(distance(table, minor, start, to) for start in starts), default="")


def _troops_home(table: Table, minor: str) -> None:
    """24.4 Send land units and army leaders to the nearest home space, fortified first, or remove them."""
    state = table.state
    for space in [at for at, here in state.land.items() if minor in here]:
        home = state.control[space] == minor and space in table.c.homes[minor] and fortified(table, space)
        to = space if home else _nearest(table, minor, space, True) or _nearest(table, minor, space, False)
        if to == space:
            continue
        number = state.land[space][minor].regulars
        clear(table, space, minor)
        if to:
            add(table, to, minor, "regulars", number)
        table.log("minor.home", rule="24.4", minor=minor, space=space, to=to, count=number)


def _ships_home(table: Table, minor: str, former: str) -> None:
    """24.4 Send ships and naval leaders to the nearest home port, else off the map.

    Leaders then go to the turn track, like those of the former ally that are left at sea without ships.
    """
    state = table.state
    away = [(place, fleet) for place, fleets in state.fleets.items() for fleet in fleets if fleet.owner == minor]
    leaders = {key: leader for key, leader in state.leaders.items() if table.c.generals[key].power == minor}
    for leader in leaders.values():
        leader.power = minor
    for place, fleet in away:
        if place in table.c.homes[minor] and state.control[place] == minor:
            fleet.power = minor
            continue
        to = _nearest(table, minor, place, None, port=True)
        state.fleets[place] = [other for other in state.fleets[place] if other is not fleet]
        if not state.fleets[place]:
            del state.fleets[place]
        if to:
            put(table, to, minor, minor, fleet.ships)
        else:
            state.ships_later[minor] = dict(fleet.ships)
        if former:
            recall(table, place, former)
        table.log("minor.ships_home", rule="24.4", minor=minor, place=place, to=to, count=fleet.total)
    for key, leader in leaders.items():
        place, homes = leader.at, table.c.homes[minor]
        at_home = place in homes and state.control[place] == minor
        if leader.captor or at_home or not (place in table.c.spaces or place in table.c.zones):
            continue
        if to := _nearest(table, minor, place, None, port=True):
            station(table, key, to)
        else:
            to_track(state, key)
