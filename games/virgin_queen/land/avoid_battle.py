"""Avoiding battle (13.3) and withdrawal into fortifications (13.4): the answers of the defenders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen import formations
from games.virgin_queen.counters import CounterChange
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import Formation
from games.virgin_queen.land.entering import foes_outside, garrison, refuges
from games.virgin_queen.land.intercepting import TARGET, plus
from games.virgin_queen.land.losses import fall_back
from games.virgin_queen.query import EVADED, TRIED, allied, fortified, leaders_at, outcome, seat_of, strength
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional
from pbem.kernel.game import Play, Rule

KIT.chapter("13.3", "avoiding battle", "land/avoid_battle.py")
_ask_stand = KIT.question("stand", "13.3", "reaction")

INSIDE = 4


def ask_defenders(table: Table, formation: Formation, foes: Sequence[str]) -> Rule[list[str]]:
    """13.3, 13.4 Ask the enemies at the space what they do; return those who are left to fight outside.

    The holder of a fortified space is asked for them too and decides on withdrawal. The second power of a seat
    is asked after the first (27).
    """
    state, space = table.state, formation.space
    holder = keeper(table, foes, space)
    withdraws = not any(seat_of(state, power) for power in (holder, *foes))  # 24.1: always, if four or fewer
    decides = holder if walled(table, foes, space) else ""
    asked = [power for power in POWERS if seat_of(state, power) and (power in foes or power == decides)]
    while asked:
        players: dict[str, str] = {}
        for power in asked:
            players.setdefault(seat_of(state, power), power)
        asked = [power for power in asked if power not in players.values()]
        withdraws = (yield from _ask(table, formation, foes, players)) or withdraws
    left = foes_outside(table, formation.power, space)
    few = sum(strength(state, side, space) for side in left) <= INSIDE
    if left and withdraws and few and walled(table, left, space):
        table.log("move.withdraws", rule="13.4", power=left, space=space, reveals=True)
        outcome(table, EVADED, formation.power)
        table.stop_advance_orders(seat_of(state, formation.power))
        return []
    return left


def _ask(table: Table, formation: Formation, foes: Sequence[str], players: Mapping[str, str]) -> Rule[bool]:
    withdraws = False
    about: dict[str, Any] = {
        "power": formation.power, "origin": formation.came, "space": formation.space, "units": formation.total,
        "force": dict(formation.units), "leaders": list(formation.leaders), "touches": list(players),
    }  # fmt: skip
    domains = {seat: (lambda p=power: _domain(table, p, formation, foes)) for seat, power in players.items()}
    replies = yield from _ask_stand.window(domains, **about)
    for seat, power in players.items():
        answer = replies.of(seat)
        if answer == "withdraw":
            withdraws = True
        elif answer != "pass":
            replies.took_effect(seat)
            yield from _avoid(table, power, answer, formation)
            withdraws = withdraws or answer.get("rest") == "withdraw"
    return withdraws


def walled(table: Table, foes: Sequence[str], space: str) -> bool:
    """13.4 Return whether the space is fortified and held by one of the foes or an ally of theirs."""
    return fortified(table, space) and bool(keeper(table, foes, space)) and space not in table.state.sieges


def keeper(table: Table, foes: Sequence[str], space: str) -> str:
    """13.4 Return the power that decides on withdrawal: it holds the space and is a foe or its ally; "" if none."""
    state = table.state
    holder = state.control[space]
    return holder if holder in foes or any(allied(state, holder, foe) for foe in foes) else ""


def _domain(table: Table, power: str, formation: Formation, foes: Sequence[str]) -> Domain:
    """Return `pass` (fight), `withdraw`, or `avoid <space> leaders=… units=… rest=withdraw`."""
    state, space = table.state, formation.space
    total = sum(strength(state, side, space) for side in foes)
    mine = keeper(table, foes, space)
    decides = walled(table, foes, space) and (mine == power or not seat_of(state, mine))
    entries: dict[str, Domain | None] = {"pass": None}
    if decides and (total <= INSIDE or len(foes) > 1):  # others may avoid battle before
        entries["withdraw"] = None
    here, chiefs = formations.mobile(formations.count(state, power, space)), leaders_at(state, power, space)
    spaces = refuges(table, power, space, (formation.came,)) if strength(state, power, space) else []
    if not here:
        spaces = [to for to in spaces if formations.may_lead(table, chiefs, to)]
    if spaces:
        entries["avoid"] = Form(_fields(table, power, space, spaces, here, chiefs, decides=decides))
    return Menu(entries)


def _fields(
    table: Table,
    power: str,
    space: str,
    spaces: Sequence[str],
    here: Mapping[str, int],
    chiefs: Sequence[str],
    *,
    decides: bool,
) -> dict[str, Any]:
    """Return the fields of an attempt to avoid battle: any number of units, or leaders alone (13.3 step 3)."""
    fields: dict[str, Any] = {"to": Choice(list(spaces), what="space")}
    if chiefs:
        fields["leaders"] = lambda v: formations.leaders_domain(
            formations.may_lead(table, chiefs, v.to), 0 if here else 1
        )
    whole = sum(here.values())

    def units(v: Any) -> Domain | None:
        if not here:
            return None
        alone = formations.may_lead(table, chiefs, v.to) if v.leaders is None else v.leaders
        fits = formations.parting(table, power, space, v.to)
        return Optional(CounterChange(here, (0 if alone else 1, whole), fits))

    fields["units"] = units
    if decides:
        fields["rest"] = Optional(Choice(("fight", "withdraw")))
    return fields


def _avoid(table: Table, power: str, answer: Mapping[str, Any], formation: Formation) -> Play:
    """13.3 Execute steps 2 to 5; beaten units need no roll, and besiegers who leave may break a siege (15.3)."""
    state, space = table.state, formation.space
    chiefs = formations.may_lead(table, leaders_at(state, power, space), answer["to"])
    units, leaders = formations.chosen(answer, formations.mobile(formations.count(state, power, space)), chiefs)
    bonus = plus(table, power, units, leaders, formation.units)
    works = beaten(table, power, space, units)
    if not works:
        roll = table.roll(2, "avoid.rolls", rule="13.3", power=power, space=space, plus=bonus)
        works = roll.total + bonus >= TARGET
    table.stop_advance_orders(seat_of(state, formation.power))
    said = "avoid.works" if works else "avoid.fails"
    table.log(said, rule="13.3", power=power, space=space, to=answer["to"], units=units, reveals=True)
    outcome(table, EVADED if works else TRIED, formation.power)
    if works:
        formations.shift(table, power, space, answer["to"], units, leaders)
        formations.lone_leaders(table, power, answer["to"])
        yield from relations.entered(table)
        siege = state.sieges.get(space)
        if siege is not None and power in siege.by:
            inside = garrison(table, space, power) - formation.total  # the relief force is not inside
            if strength(state, power, space) <= inside:
                yield from fall_back(table, power, space)


def beaten(table: Table, power: str, space: str, units: Mapping[str, int]) -> bool:
    """13.3 Return whether all these units lost a field battle in this impulse."""
    impulse = table.state.impulse
    lost: dict[str, int] = {}
    for spent in impulse.spent if impulse is not None else ():
        if spent.space == space and spent.power == power and spent.why == "beaten":
            for key, number in spent.units.items():
                lost[key] = lost.get(key, 0) + number
    return bool(units) and all(lost.get(key, 0) >= number for key, number in units.items())
