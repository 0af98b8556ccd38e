"""What the cards of several families need: steps gained and lost, nobles brought in, influence points in change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict, TypeVar

from games.crown_of_roses import money
from games.crown_of_roses.blocks import from_most, leave, transfer
from games.crown_of_roses.heirs import arrive
from games.crown_of_roses.query import at, estates, full, in_play, party, strength, total
from games.crown_of_roses.state import INACTIVE, UNDECLARED, EnteredStack, State
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.answers import Choice, Domain, Form, Series
from pbem.kernel.game import Play

KIT.chapter("7.3.1", "England", "events/common.py")
KIT.chapter("20.5.3", "hits", "events/common.py", "battle/losses.py")

event_shire = KIT.question("event_shire", "14.2")

Can = Callable[[Table, str, str], bool]
V = TypeVar("V")
Run = TypeVar("Run", bound=Callable[[Table, str, str], Play | None])


def always(table: Table, house: str, card: str) -> bool:
    """An event that can always be played."""
    return True


def event(*cards: str, can: Can = always) -> Callable[[Run], Run]:
    """Decorator: what cards do as events (14). `can`: may the house play the card as one."""

    def register(run: Run) -> Run:
        for card in cards:
            KIT.entry("event", card, can)(run)
        return run

    return register


def first_answer(domain: Domain[V]) -> Callable[[], V]:
    """The default where any answer will do: the first, worked out when time runs out."""
    return lambda: next(domain.options())


# -- blocks ------------------------------------------------------------------------------------------------------------


def in_england(table: Table, key: str) -> bool:
    """7.3.1 Whether a block stands in England, to which Ireland, Calais and Man belong: in no exile box."""
    return table.state.blocks[key].at in table.c.shires


def commanders(table: Table, house: str) -> list[str]:
    """72 Own leaders, one of whom is to command one block more."""
    return [key for key in nobles(table, house) if table.c.blocks[key].command]


def raise_command(table: Table, house: str, key: str) -> None:
    """72 A leader commands one block more until the impulse, or a battle in his shire, is over."""
    state = table.state
    state.boosts[key] = state.boosts.get(key, 0) + 1
    table.say("command.raised", rule="14.2.2", house=house, private={house: {"block": key}})


def nobles(table: Table, house: str, places: Sequence[str] | None = None) -> list[str]:
    """Nobles of a house in play (in some places only)."""
    state = table.state
    return [
        key
        for key, block in state.blocks.items()
        if block.owner == house
        and table.c.blocks[key].noble
        and (block.at in places if places is not None else in_play(table, key))
    ]


def contested(state: State, place: str) -> bool:
    """7.2.8 Whether several houses stand in a place."""
    return len({block.owner for block in state.blocks.values() if block.at == place}) > 1


def returnable(table: Table, house: str) -> dict[str, list[str]]:
    """Nobles in a house's undeclared pool with the estates that they can return to; none who has no estate."""
    pool = [key for key in at(table.state, UNDECLARED, house) if table.c.blocks[key].noble]
    return {key: places for key in pool if (places := estates(table, key))}


class Return(TypedDict):
    """A noble, and the estate he returns to."""

    noble: str
    to: str


def return_form(found: Mapping[str, Sequence[str]]) -> Form[Return]:
    """Which of these nobles returns, and to which of his estates."""
    return Form(noble=Choice(list(found), "noble"), to=lambda v: Choice(found[v.noble], "shire"))


def bring_back(table: Table, house: str, key: str, place: str, rule: str) -> None:
    """14.2.2 An undeclared noble returns at full strength, even among enemies."""
    table.state.blocks[key].steps = full(table.c, key)
    arrive(table, house, key, place, rule)


def send(table: Table, key: str, place: str) -> None:
    """R-41 An event moves a noble with what is attached to him; he enters last (20.1). He must not be there yet."""
    state = table.state
    block = state.blocks[key]
    origin, block.host = block.at, ""
    transfer(table, [key], origin, place)
    stack = party(state, key)
    state.entries.append(EnteredStack(block.owner, place, "", stack))
    table.say(
        "event.sent",
        rule="14.2.1",
        house=block.owner,
        block=key,
        origin=origin,
        place=place,
        count=len(stack),
        learns=True,
    )


# -- steps gained and lost ---------------------------------------------------------------------------------------------


def room(table: Table, key: str) -> int:
    """Steps that a block can still be given."""
    return full(table.c, key) - table.state.blocks[key].steps


def gains(table: Table, keys: Sequence[str], steps: int) -> Series:
    """Which blocks are given steps, one by one, never above full strength; what does not fit is lost."""
    count = min(steps, sum(room(table, key) for key in keys))

    def following(so_far: Sequence[str]) -> Choice:
        return Choice([key for key in keys if so_far.count(key) < room(table, key)], "block")

    return Series(following, count, count, "blocks")


def most_needed(table: Table, keys: Sequence[str], steps: int) -> list[str]:
    """The default of `gains`: the weakest block first."""
    return from_most({key: room(table, key) for key in keys}, steps)


def gain(table: Table, house: str, blocks: Sequence[str], rule: str) -> None:
    """Give steps; which blocks have them only the house is told."""
    for key in blocks:
        table.state.blocks[key].steps += 1
    table.say(
        "event.gains", rule=rule, house=house, count=len(blocks), private={house: {"blocks": list(blocks)}}
    )


def hits_on(table: Table, blocks: Sequence[str], hits: int) -> Series:
    """20.5.3 Who takes hits: each time the strongest, or one of his party (host and attached may take each other's)."""
    state = table.state
    count = min(hits, sum(state.blocks[key].steps for key in blocks))
    group = {key: state.blocks[key].host or key for key in blocks}

    def following(so_far: Sequence[str]) -> Choice:
        left = {key: state.blocks[key].steps - so_far.count(key) for key in blocks}
        most = max(strength(table.c, key, steps) for key, steps in left.items())
        parties = {group[key] for key, steps in left.items() if strength(table.c, key, steps) == most}
        return Choice([key for key, steps in left.items() if steps and group[key] in parties], "block")

    return Series(following, count, count, "blocks")


def first_of(domain: Series) -> list[str]:
    """The default of a series of blocks: each time the first that can be chosen."""
    chosen: list[str] = []
    while len(chosen) < domain.least:
        item = domain.item(chosen)
        assert isinstance(item, Choice)  # the series of this module are made so
        chosen.append(item.listed[0])
    return chosen


def drop_off(table: Table, key: str, rule: str) -> None:
    """R-28, R-29 A block beyond home strength: nobles and the Queen go undeclared, others off the map."""
    kept = table.c.blocks[key].noble or key == "margaret"
    say_gone(table, key, rule)
    leave(table, key, UNDECLARED if kept else INACTIVE)


def say_gone(table: Table, key: str, rule: str) -> None:
    """A block leaves the map; everybody sees from where."""
    block = table.state.blocks[key]
    table.say("event.gone", rule=rule, house=block.owner, block=key, place=block.at, learns=True)


# -- influence points --------------------------------------------------------------------------------------------------


def collect(table: Table, house: str, points: int, rule: str) -> int:
    """R-54 Points from the unclaimed pool into stock, with change; what the pool has not is lost. Returns them."""
    came, gained = money.gain(table, house, points)
    table.say("event.collected", rule=rule, house=house, points=gained, came=money.shown(came), learns=True)
    return gained


def to_roll(table: Table, house: str, noble: str, points: int, rule: str) -> int:
    """Points from stock onto a noble, with change from the pool (9.1, R-54); returns how many could be laid."""
    markers = money.spend(table, house, points)
    if markers:
        lay(table, house, noble, dict(markers), markers, rule)
    return total(table.c, markers)


def lay(
    table: Table, house: str, noble: str, source: dict[str, int], markers: dict[str, int], rule: str
) -> None:
    """Markers of a pile face down on a noble; their number is public."""
    money.shift(source, table.state.houses[house].roll.setdefault(noble, {}), markers)
    table.say(
        "influence.placed",
        rule=rule,
        house=house,
        block=noble,
        count=sum(markers.values()),
        private={house: {"markers": money.shown(markers)}},
    )
