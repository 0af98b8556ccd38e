"""Entering a shire: interception (16.5), then evasion (16.6); pinning follows from what is left (16.4)."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypedDict

import msgspec

from games.crown_of_roses.blocks import attrition, transfer
from games.crown_of_roses.events.raids import disperse, meet_rebels
from games.crown_of_roses.query import attached, blocks_in, command, is_bound_by_embassy, is_closed_by_embassy, owners
from games.crown_of_roses.refusals import meant
from games.crown_of_roses.response_points import INTERCEPTED, offer
from games.crown_of_roses.stacks import (
    StackOrder,
    bar_leader,
    bar_origin,
    bar_stacks,
    blocks_of_stack,
    followers,
    leaders,
    stack_form,
    stacks,
)
from games.crown_of_roses.state import EnteredStack, RosesState
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import ranked
from pbem.kernel.domains import PASS, Choice, Domain, Form, Menu
from pbem.kernel.game import Rule
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("16.5", "interception", "interception.py")
KIT.chapter("16.6", "evasion", "interception.py")


_intercept = KIT.question("intercept", "16.5", REACTION)
_evade = KIT.question("evade", "16.6", REACTION)
_retreat_to = KIT.question("retreat_to", "20.5.4", REACTION)


class EntryResult(msgspec.Struct):
    """What a moving stack met: enemies at its destination, one who got `away` from it, one who `stopped` it."""

    met: bool = False
    away: bool = False
    stopped: bool = False


def enter_shire(
    table: Table, house: str, place: str, origin: str, stack: list[str], *, port: str = ""
) -> Rule[EntryResult]:
    """Resolve the entry of a stack just put into a shire (16.5, 16.6). Returns an `EntryResult`.

    `origin` is the place it came from overland, "" by sea; then it came from `port`.
    """
    state = table.state
    residents = [other for other in owners(state, place) if other != house]
    contested = bool(residents) and len(set(residents)) + (len(blocks_in(state, place, house)) > len(stack)) > 1
    before = {other: len(blocks_in(state, place, other)) for other in residents}
    earlier = len(blocks_in(state, place, house)) - len(stack)
    entry = EnteredStack(house, place, origin, list(stack))
    state.entries.append(entry)
    outcome = EntryResult(met=bool(residents))
    with table.within("enter", house=house, place=place):
        outcome.stopped = yield from intercept(table, entry)
        turned_back = outcome.stopped and (yield from _turn_back(table, entry, origin or port))
        if residents and not turned_back:
            outcome.away = yield from evade(table, entry, before, earlier, contested)
    if not turned_back:
        yield from meet_rebels(table, house, place)
    yield from disperse(table)  # 14.2.1 those who intercepted or evaded have entered a shire, too
    return outcome


def _turn_back(table: Table, entry: EnteredStack, origin: str) -> Rule[bool]:
    """Return an intercepted stack to its origin, unhindered (card 74). Returns whether it did."""
    state = table.state
    met = yield from offer(table, INTERCEPTED, {"house": entry.house, "place": entry.place}, touches=[entry.house])
    if not met.of("return"):
        return False
    transfer(table, [key for key in entry.blocks if not state.blocks[key].host], entry.place, origin)
    state.entries = [other for other in state.entries if other is not entry]
    table.log(
        "move.returns", rule="10.4.4", house=entry.house, origin=entry.place, place=origin, count=len(entry.blocks),
        private={entry.house: {"blocks": list(entry.blocks)}},
    )  # fmt: skip
    return True


# -- interception ------------------------------------------------------------------------------------------------------


def intercept(table: Table, entry: EnteredStack) -> Rule[bool]:
    """Let the first house in impulse order intercept, once an entry (16.5). Returns whether it stopped the stack."""
    sources = {
        house: found
        for house in table.state.houses
        if house != entry.house and (found := interception_sources(table, house, entry.place))
    }
    if not sources:
        return False
    replies = yield from _intercept.window(
        {house: partial(_interception, table, house, entry.place, sources[house]) for house in sources},
        house=entry.house, place=entry.place, count=len(entry.blocks), touches=list(sources),
    )  # fmt: skip
    # The one of several that acts earliest in this impulse.
    order = [house for house in dict.fromkeys((*table.state.order, *sources)) if house in sources]
    for house, answer in replies.in_order(order):
        if answer != PASS:
            replies.took_effect(house)
            return _attempt(table, entry, house, answer)
    return False


def _stop_queues(table: Table, entry: EnteredStack, gone: str) -> None:
    """Stop advance orders when blocks have intercepted or evaded.

    Affected are the mover, who could not know of it, the house with blocks `gone` elsewhere, and all houses in the
    shire. A failed attempt changes nothing that orders could depend on. For others the step is one like any other.
    """
    table.stop_advance_orders(*dict.fromkeys((entry.house, gone, *owners(table.state, entry.place))))


def interception_sources(table: Table, house: str, place: str) -> list[str]:
    """Return shires from which a house may intercept what enters a place (16.5)."""
    state = table.state
    # 14.1.1 An embassy keeps it out.
    if is_closed_by_embassy(state, place, house):
        return []
    # Neighbouring shires with blocks of the house, uncontested, not over the Wash; fens are no hindrance.
    return [
        other
        for other, border in table.c.borders[place].items()
        if border != "wash" and owners(state, other) == [house]
    ]


def loose(table: Table, house: str, place: str) -> list[str]:
    """Return unattached blocks of a house that may leave a place out of turn: none at an embassy (14.1.1).

    Among enemies any may go, whichever marched in last; only the number is limited (16.6).
    """
    state = table.state
    return [
        key for key in blocks_in(state, place, house) if not (state.blocks[key].host or is_bound_by_embassy(state, key))
    ]


def _interception(table: Table, house: str, place: str, sources: list[str]) -> Menu[Literal["pass"] | StackOrder]:
    usable = {source: loose(table, house, source) for source in sources}
    found = stacks(table, house, usable)
    entries: dict[str, Domain | None] = {PASS: None}
    if found is not None:
        entries["intercept"] = stack_form(table, found, partial(_no_watch, table, house, place))

    def why(word: str) -> RejectionReason | None:
        return bar_stacks(table, house, usable) if meant(table, word) == "intercept" else None

    return Menu(entries, None, why)


def _no_watch(table: Table, house: str, place: str, source: str) -> RejectionReason | None:
    """Return why a house can't intercept from a shire where it has blocks, in the order of `watching` (16.5)."""
    border = table.c.borders[place].get(source)
    if border is None:
        return because("no_border", "16.5", place=source, origin=place)
    if border == "wash":
        return because("over_wash", "16.5", place=source)
    return because("contested_source", "16.5", place=source) if owners(table.state, source) != [house] else None


def _attempt(table: Table, entry: EnteredStack, house: str, answer: StackOrder) -> bool:
    """Roll the leader's command or less to block the way (16.5). Returns whether the stack does."""
    leader, origin = answer["leader"], answer["origin"]
    need = command(table, leader)
    roll = table.roll(1, "intercept.roll", rule="16.5", house=house, place=entry.place, origin=origin).total
    if roll > need:
        table.log("intercept.fails", rule="16.5", house=house, place=entry.place)
        return False
    stack = blocks_of_stack(table, leader, answer["blocks"])
    transfer(table, (leader, *answer["blocks"]), origin, entry.place)
    # An interceptor counts as having come in just before what it intercepts (20.1).
    at_index = next(index for index, other in enumerate(table.state.entries) if other is entry)
    table.state.entries.insert(at_index, EnteredStack(house, entry.place, origin, stack, intercepted=True))
    table.log(
        "intercept.succeeds", rule="16.5", house=house, place=entry.place, origin=origin, count=len(stack),
        private={house: {"blocks": stack}},
    )  # fmt: skip
    table.record_outcome("intercepted", entry.house)
    _stop_queues(table, entry, house)
    return True


# -- evasion -----------------------------------------------------------------------------------------------------------


def evade(table: Table, entry: EnteredStack, before: dict[str, int], earlier: int, contested: bool) -> Rule[bool]:
    """Let the house there evade, of several that with most blocks; returns whether it got away.

    In a contested shire only its excess may go (16.6).
    """
    house = next(iter(before))
    if len(before) > 1:
        order = yield from ranked(table, list(before), before, "evade", "16.6")
        house = order[0]
    others = sum(count for other, count in before.items() if other != house) + earlier
    room = before[house] - (others if contested else 0)
    if room <= 0 or not ways_out(table, house, entry.place):
        return False
    replies = yield from _evade.window(
        {house: lambda: _evasion(table, house, entry, room)}, house=entry.house, place=entry.place,
        count=len(entry.blocks), touches=[house],
    )  # fmt: skip
    answer = replies.of(house)
    if answer != PASS:
        replies.took_effect(house)
        return _slip_away(table, entry, house, answer)
    return False


def way_out(table: Table, house: str, place: str, ways: list[str], rule: str) -> Rule[str]:
    """Return where blocks that must leave a place go; their house chooses among several ways (20.5.4)."""
    choice = Choice(ways, "shire", partial(bar_way, table, house, place, rule))
    asked = _retreat_to(house, choice, ways[0], rule=rule, place=place)
    return table.only(asked, ways[0]) if len(ways) == 1 else (yield from asked)


def ways_out(table: Table, house: str, place: str) -> list[str]:
    """Return neighbouring shires where blocks that evade or retreat can go (16.6, 20.5.4)."""
    state = table.state
    crossed = _crossed(state, house, place)
    return [
        other
        for other, border in table.c.borders[place].items()
        # Not by sea or over the Wash …
        if border != "wash"
        # … nor over a border by which an enemy came in …
        and other not in crossed
        # … nor to a shire with enemies, even with others there …
        and owners(state, other) in ([], [house])
        # … nor where an enemy receives an embassy (14.1.1).
        and not is_closed_by_embassy(state, other, house)
    ]


def _crossed(state: RosesState, house: str, place: str) -> set[str]:
    """Return where enemies came from into a place."""
    return {entry.origin for entry in state.entries if entry.place == place and entry.house != house}


def bar_way(table: Table, house: str, place: str, rule: str, to: str) -> RejectionReason | None:
    """Return why a house can't evade or retreat to a shire, in the order of `ways_out` (16.6, 20.5.4), or None."""
    state = table.state
    if not table.c.is_place(to):
        return None
    border = table.c.borders[place].get(to)
    if border is None:
        return because("no_border", rule, place=to, origin=place)
    # 16.6: not over the Wash, nor back along an enemy's way in, nor to enemies.
    if border == "wash":
        return because("over_wash", rule, place=to)
    if to in _crossed(state, house, place):
        return because("came_in", rule, place=to)
    if owners(state, to) not in ([], [house]):
        return because("held_way", rule, place=to)
    embassy = state.embassy
    if embassy is not None and is_closed_by_embassy(state, to, house):
        return because("embassy", "14.1.1", place=to, house=embassy.house)
    return None


class Evasion(TypedDict):
    """The leader, the blocks that go along, the destination."""

    leader: str
    blocks: list[str]
    to: str


def _evasion(table: Table, house: str, entry: EnteredStack, room: int) -> Menu[Literal["pass"] | Evasion]:
    usable = loose(table, house, entry.place)
    heads = [key for key in leaders(table, house, entry.place, usable) if 1 + len(attached(table.state, key)) <= room]
    if not heads:
        return Menu({PASS: None}, None, partial(_no_evasion, table, house, entry.place, usable))
    return Menu({
        PASS: None,
        "evade": Form(
            leader=Choice(heads, "leader", partial(bar_leader, table, house, entry.place, usable, room)),
            blocks=lambda v: followers(table, v.leader, usable, room),
            to=Choice(
                ways_out(table, house, entry.place), "shire", partial(bar_way, table, house, entry.place, "16.6")
            ),
        ),
    })  # fmt: skip


def _no_evasion(table: Table, house: str, place: str, usable: list[str], word: str) -> RejectionReason | None:
    """Return why nobody can lead a stack that evades (16.6)."""
    if meant(table, word) != "evade":
        return None
    return bar_origin(table, house, place, usable) or because("leaderless", "16.6", place=place)


def _slip_away(table: Table, entry: EnteredStack, house: str, answer: Evasion) -> bool:
    """Roll the leader's command or less to evade, over fens with attrition (-1) (16.6). Returns the success."""
    leader, to = answer["leader"], answer["to"]
    roll = table.roll(1, "evade.roll", rule="16.6", house=house, place=entry.place).total
    if roll > command(table, leader):
        table.log("evade.fails", rule="16.6", house=house, place=entry.place)
        return False
    stack = blocks_of_stack(table, leader, answer["blocks"])
    transfer(table, (leader, *answer["blocks"]), entry.place, to)
    table.log(
        "evade.succeeds", rule="16.6", house=house, origin=entry.place, place=to, count=len(stack),
        private={house: {"blocks": stack}},
    )  # fmt: skip
    table.record_outcome("evaded", entry.house)
    _stop_queues(table, entry, house)
    if table.c.borders[entry.place][to] == "fens":
        attrition(table, stack, "16.6", leader=leader, modifier=table.c.numbers.attrition.fens)
    return True
