"""Declarations of war (9.4): the matrix, payment, and intervention for minor powers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from games.virgin_queen import cards, minors
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.displacement import part
from games.virgin_queen.query import at_war, foes, seat_of, set_war
from games.virgin_queen.state import MINORS, POWERS, WAR, pair
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Series
from pbem.kernel.game import Play
from pbem.kernel.joint_questions import ask_together
from pbem.kernel.order_words import WordCursor
from pbem.kernel.questions import Ask

KIT.chapter("9.4", "declarations of war", "diplomacy/declarations.py", "diplomacy/relations.py")
KIT.chapter("9.5", "war of England and Spain", "gate.py", "diplomacy/relations.py")
_ask_declare_war = KIT.question("declare_war", "9.4")
_ask_intervene = KIT.question("intervene", "9.4")

UNPAYABLE = ("home", "mandatory")


@KIT.phase("war")
def declarations(table: Table) -> Play:
    """9.4 Resolve the third segment of diplomacy; a power drawn into a war after its answer is asked again."""
    state = table.state
    at_first = {power: foes(state, power) for power in POWERS}
    said = yield from ask_together(table, {power: ask for power in POWERS if (ask := question(table, power))})
    for power in POWERS:
        ask = question(table, power)
        if ask is None:
            continue
        answer = yield from said.answer(power, ask, stands=foes(state, power) == at_first[power])
        if answer["on"]:
            said.record_action(ask.seat)
            yield from _declare(table, power, answer)
    state.peaces = []


def question(table: Table, power: str) -> Ask[dict[str, Any]] | None:
    """9.4 Return the question on whom a power declares war, None if there is nothing to choose."""
    seat = seat_of(table.state, power)
    found = targets(table, power) if seat else []
    if not found:
        return None
    costs = {other: relations.cost(table, power, other) for other in found}
    return _ask_declare_war(seat, partial(domain, table, power), {"on": []}, power=power, costs=costs)


def targets(table: Table, power: str) -> list[str]:
    """9.4 Return on whom a power may declare war in this segment: not after peace was made in this phase."""
    peaces, listed = table.state.peaces, relations.listed(table.c, power)
    return [other for other in listed if relations.allowed(table, power, other) and pair(power, other) not in peaces]


def money(table: Table, power: str) -> dict[str, int]:
    """9.4 step 3 Return what a power may pay with, in CP: no home cards or mandatory events."""
    own, c = table.state.powers[power], table.c
    found = {card: c.cards[card].cp for card in own.hand if c.cards[card].type not in UNPAYABLE}
    found |= {key: c.treasures[key].value for key in own.treasures if c.treasures[key].kind == "cp"}
    return {key: cp for key, cp in found.items() if cp > 0}


def domain(table: Table, power: str) -> Form:
    """9.4 Return the form: `on` the powers that can be paid for; `pay` with cards and treasures, none to spare."""
    purse = money(table, power)
    rich = sum(purse.values())
    found = targets(table, power)

    def bill(on: Sequence[str]) -> int:
        return sum(relations.cost(table, power, other) for other in on)

    def item(so_far: Sequence[str]) -> Domain | None:
        left = [other for other in found if other not in so_far and bill((*so_far, other)) <= rich]
        return Choice(left, "power") if left else None

    def pay(values: Any) -> Domain | None:
        return PaymentChoice(payments(purse, bill(values.on)), "cards") if values.on else None

    return Form(on=Series(item, 0, len(found), "power"), pay=pay)


class PaymentChoice(Choice[str], eq=False):
    """9.4 step 3 One of the sets that pay, written as the words of its members, all of them."""

    def parse_from(self, words: WordCursor) -> str:
        """Read ids or whole names, joined by `+` or commas, in any order; a single one also by its printed name."""
        rest, named = words.rest(), list[str]()
        alone = words.names.exact(rest, self.source)
        if alone is not None:
            return str(alone)
        for piece in rest.split("+"):
            whole = words.names.meant(piece)  # the name of a card may hold a comma
            named += [whole] if whole else [words.names.meant(word) or word.strip('" ') for word in piece.split(",")]
        for option in self.source:
            if sorted(option.split("+")) == sorted(named):
                return option
        raise self._refuse_option("+".join(named))


def payments(purse: Mapping[str, int], cost: int) -> list[str]:
    """9.4 Return every minimal set of cards and treasures that pays a cost: ids joined by `+`."""
    found = []
    for size in range(1, len(purse) + 1):
        for some in combinations(purse, size):
            values = [purse[key] for key in some]
            if cost <= sum(values) < cost + min(values):
                found.append("+".join(some))
    return found


def _declare(table: Table, power: str, said: Mapping[str, Any]) -> Play:
    """9.4 Execute the procedure: wars, payment, then intervention in the order in which powers were named."""
    state = table.state
    wanted = said["on"]
    attacked = [other for other in wanted if other in state.minors and not state.minors[other].ally]
    for other in wanted:
        table.log("war.declared", rule="9.4", power=power, on=other, cost=relations.cost(table, power, other))
    for other in wanted:
        if other in POWERS:
            yield from relations.declare(table, power, other)
        else:
            set_war(table, power, other)
            bar(table, power, other)
    for key in said["pay"].split("+"):
        cards.give_up(table, power, key)
        table.log("war.paid", rule="9.4", power=power, what=key)
    for other in attacked:
        yield from intervention(table, power, other)


def bar(table: Table, power: str, minor: str) -> None:
    """9.4 step 2: Remove for the rest of the game the marker of a power that declares war on a minor power."""
    entry = table.state.minors[minor]
    entry.influence.pop(power, None)
    if power not in entry.excluded:
        entry.excluded.append(power)


def intervention(table: Table, declarer: str, minor: str) -> Play:
    """9.4 step 4, 27.1: Ask the best two rivals to intervene; not the declarer's player (27) or the deactivator."""
    state = table.state
    if state.minors[minor].resolved:
        table.log("status.already", rule="24.6", minor=minor)
        return
    mine = seat_of(state, declarer)
    out = [power for power in POWERS if seat_of(state, power) == mine]
    ranking = yield from minors.check(table, minor, [*out, table.c.minors[minor].deactivator])
    for power in ranking[:2]:
        seat, domain = seat_of(state, power), Choice(("neutral", "intervene"))
        answer = yield from _ask_intervene(seat, domain, "neutral", power=power, minor=minor, against=declarer)
        if answer == "intervene":
            table.log("war.intervenes", rule="9.4", power=power, minor=minor, against=declarer)
            yield from _intervene(table, declarer, minor, power)
            return
        table.log("war.neutral", rule="9.4", power=power, minor=minor)


def _intervene(table: Table, declarer: str, minor: str, power: str) -> Play:
    """9.4 step 4: Ally the minor power with one at war with the declarer, even if those two were allied."""
    state = table.state
    if minor in MINORS and not at_war(state, declarer, power):
        yield from relations.declare(table, declarer, power)
    state.diplomacy.setdefault(pair(declarer, minor), WAR)
    yield from minors.activate(table, minor, power, declarer)
    if at_war(state, declarer, power):
        yield from part(table, declarer, power)
