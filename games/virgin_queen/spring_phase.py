"""The sequence of spring deployment (10): power by power in impulse order, each with all its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from games.virgin_queen import spring
from games.virgin_queen.displacement import settle_entry
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import ENGLAND, HRE, POWERS, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional
from pbem.kernel.form import Field
from pbem.kernel.game import Play
from pbem.kernel.joint_questions import ask_together, asks_together
from pbem.kernel.questions import Ask

KIT.chapter("10", "spring deployment", "spring_phase.py", "spring.py")
_ask_spring = KIT.question("spring", "10")


@KIT.phase("spring")
def spring_phase(table: Table) -> Play:
    """10 Resolve spring deployment; powers without a seat (27.1) do nothing."""
    if not asks_together(table):
        yield from in_turn(table)
        return
    said = yield from ask_together(table, {power: ask for power in POWERS if (ask := question(table, power))})
    for power in POWERS:
        for key in spring.on_card(table, power) if seat_of(table.state, power) else ():
            if not spring.leader_entries(table, key):
                spring.no_space(table, key)
        ask = question(table, power)
        if ask is not None:
            orders = yield from said.answer(power, ask)
            carry_out(table, ask.seat, power, orders)
            yield from settle_entry(table)
            if orders:
                said.record_action(ask.seat)


def in_turn(table: Table) -> Play:
    """10 Ask one step after another."""
    for power in POWERS:
        seat = seat_of(table.state, power)
        if not seat:
            continue
        if power == SPAIN:
            yield from spring.escort(table, seat)
        if power == ENGLAND:
            yield from spring.captains(table, seat)
        if chooses_faith(table, power):
            yield from spring.faith(table, seat)
        yield from spring.new_leaders(table, seat, power)
        yield from spring.home_card(table, seat, power)
        yield from spring.deploy(table, seat, power)


def chooses_faith(table: Table, power: str) -> bool:
    """10 step 3 Return whether a power chooses its religion now."""
    first = table.c.scenarios[table.scenario]["first_turn"]
    return power == HRE and table.state.turn == first and len(table.seats) == 6


def question(table: Table, power: str) -> Ask[dict[str, Any]] | None:
    """10 Return the question what a power does in spring, None if there is nothing to choose."""
    seat = seat_of(table.state, power)
    if not seat:
        return None
    form = domain(table, power)
    return _ask_spring(seat, form, _default(form), power=power) if form.fields else None


def _default(form: Form) -> dict[str, str] | None:
    """Return the default: nothing is done, and leaders wait; None if something must be chosen."""
    found: dict[str, str] = {}
    for name, field in form.fields.items():
        if not isinstance(field, Domain) or isinstance(field, Optional):
            continue
        if not (isinstance(field, Menu) and "wait" in field.words):
            return None
        found[name] = "wait"
    return found


def domain(table: Table, power: str) -> Form:
    """10 Return the form of the steps in their order; steps that are left out are not done."""
    fields: dict[str, Field] = {}
    if power == SPAIN and (galleons := spring.escort_entries(table)):
        fields["escort"] = Optional(spring.escort_menu(table, galleons))
    if power == ENGLAND and (captains := spring.captains_domain(table)):
        fields["captains"] = Optional(captains)
    if chooses_faith(table, power):
        fields["faith"] = spring.FAITHS
    leaders = {key: entries for key in spring.on_card(table, power) if (entries := spring.leader_entries(table, key))}
    for key, entries in leaders.items():
        fields[key] = _one_place(entries) or spring.leader_menu(table, key, entries)
    if choice := spring.home_cards(table, power):
        fields["home_card"] = choice
    if leaders or spring.starts(table, power):
        fields |= _deployment(table, power, leaders)
    return Form(fields)


Leaders = Mapping[str, Mapping[str, Domain | None]]


def _one_place(entries: Mapping[str, Domain | None]) -> Domain | None:
    return next(iter(entries.values())) if len(entries) == 1 else None


def _deployment(table: Table, power: str, leaders: Leaders) -> dict[str, Field]:
    """10 step 6 Return the fields of a deployment; leaders placed by the same answer may go along."""

    def origin(v: Any) -> Domain | None:
        with _placed(table, leaders, v):
            found = spring.starts(table, power)
        return Optional(Choice(found, what="capital")) if found else None

    def beside(field: Callable[[Any], Domain | None]) -> Callable[[Any], Domain | None]:
        def there(v: Any) -> Domain | None:
            if v.origin is None:
                return None
            with _placed(table, leaders, v):
                return field(v)

        return there

    return {"origin": origin, **{name: beside(field) for name, field in spring.deploy_fields(table, power).items()}}


@contextmanager
def _placed(table: Table, leaders: Leaders, values: Any) -> Iterator[None]:
    state = table.state.leaders
    before = {key: (state[key].at, state[key].naval) for key in leaders}
    for key, entries in leaders.items():
        placed = _placing(entries, values.get(key))
        if isinstance(placed, dict):
            state[key].at, state[key].naval = placed["with"], placed["do"] == "navy"
    try:
        yield
    finally:
        for key, (at, naval) in before.items():
            state[key].at, state[key].naval = at, naval


def _placing(entries: Mapping[str, Domain | None], value: Any) -> Any:
    """Return the answer on a leader in the form of the single question."""
    return {"do": next(iter(entries)), "with": value} if _one_place(entries) and value else value


def carry_out(table: Table, seat: str, power: str, orders: Mapping[str, Any]) -> None:
    """10 Execute the steps of a power, in their order."""
    if "escort" in orders:
        spring.send_galleons(table, orders["escort"])
    if "captains" in orders:
        spring.place_captains(table, orders["captains"])
    if "faith" in orders:
        spring.choose_faith(table, seat, orders["faith"])
    for key in spring.on_card(table, power):
        spring.put_leader(table, key, _placing(spring.leader_entries(table, key), orders[key]))
    if "home_card" in orders:
        spring.keep_card(table, seat, power, orders["home_card"])
    if "origin" in orders:
        spring.send_formation(table, power, orders)
