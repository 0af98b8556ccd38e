"""Helpers of several families of cards: steps gained and lost, nobles brought in, influence points in change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypedDict, TypeVar

from games.crown_of_roses import money
from games.crown_of_roses.blocks import from_most, leave, transfer
from games.crown_of_roses.heirs import arrive, bar_estate
from games.crown_of_roses.query import blocks_in, estates, full, in_play, party, strength, total
from games.crown_of_roses.refusals import Bar, bar_mine, block_meant
from games.crown_of_roses.state import INACTIVE, UNDECLARED, EnteredStack, RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Series
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.3.1", "England", "events/common.py")
KIT.chapter("20.5.3", "hits", "events/common.py", "battle/losses.py")

event_shire = KIT.question("event_shire", "14.2")

CardBar = Callable[[Table, str, str], RejectionReason | None]
"""Why a house can't play a card as an event now, None if it can."""
BARS: dict[str, CardBar] = {}
"""Event → why it can't be played."""
V = TypeVar("V")
Run = TypeVar("Run", bound=Callable[[Table, str, str], Play | None])


def event(*cards: str, bar: CardBar | None = None) -> Callable[[Run], Run]:
    """Register what cards do as events (14). `bar` says why a house can't play one; without it it always can."""

    def can(table: Table, house: str, card: str) -> bool:
        return bar is None or bar(table, house, card) is None

    def register(run: Run) -> Run:
        for card in cards:
            KIT.entry("event", card, can)(run)
            if bar is not None:
                BARS[card] = bar
        return run

    return register


def needs(table: Table, card: str, persons: Sequence[str]) -> RejectionReason | None:
    """Return why a card that needs persons in play can't be played."""
    if all(in_play(table, key) for key in persons):
        return None
    return because("needs_in_play", "14.2", card=card, blocks=list(persons))


def first_answer(domain: Domain[V]) -> Callable[[], V]:
    """Return the default where any answer is valid: the first, computed at the deadline."""
    return lambda: next(domain.options())


# -- blocks ------------------------------------------------------------------------------------------------------------


def in_england(table: Table, key: str) -> bool:
    """Return whether a block is in England, with Ireland, Calais and Man (7.3.1), not in an exile box."""
    return table.state.blocks[key].at in table.c.shires


def commanders(table: Table, house: str, moment: object) -> list[str] | None:
    """Return own leaders, one of whom is to command one block more (72)."""
    return [key for key in nobles(table, house) if table.c.blocks[key].command] or None


class OwnNobleAnswer(TypedDict):
    """A noble of one's own."""

    noble: str


def commander_form(table: Table, house: str, able: list[str]) -> Form[OwnNobleAnswer]:
    """Return the form for the leader who commands more (72)."""

    def why(word: str) -> RejectionReason | None:
        key = block_meant(table, word)
        return bar_mine(table, house, "14.2.2", word) or (because("commandless", "14.2.2", block=key) if key else None)

    return Form(noble=Choice(able, "noble", why))


def raise_command(table: Table, house: str, moment: object, answer: OwnNobleAnswer) -> None:
    """Let a leader command one block more until the impulse, or a battle in the shire, is over (72, 14.2.2)."""
    state, key = table.state, answer["noble"]
    state.boosts[key] = state.boosts.get(key, 0) + 1
    table.log("command.raised", rule="14.2.2", house=house, private={house: {"block": key}})


def nobles(table: Table, house: str, places: Sequence[str] | None = None) -> list[str]:
    """Return nobles of a house in play (in some places only)."""
    return [
        key
        for key, block in table.state.blocks.items()
        if block.owner == house
        and table.c.blocks[key].noble
        and (block.at in places if places is not None else in_play(table, key))
    ]


def contested(state: RosesState, place: str) -> bool:
    """Return whether several houses are in a place (7.2.8)."""
    return len({block.owner for block in state.blocks.values() if block.at == place}) > 1


def returnable(table: Table, house: str) -> dict[str, list[str]]:
    """Return nobles in a house's undeclared pool with the estates that they can return to; none without estate."""
    pool = [key for key in blocks_in(table.state, UNDECLARED, house) if table.c.blocks[key].noble]
    return {key: places for key in pool if (places := estates(table, key))}


class NobleReturn(TypedDict):
    """A noble, and the destination estate."""

    noble: str
    to: str


def return_form(table: Table, house: str, found: Mapping[str, Sequence[str]], rule: str) -> Form[NobleReturn]:
    """Return the form for the noble who returns, and the estate."""
    return Form(
        noble=Choice(list(found), "noble", partial(_no_return, table, house, rule)),
        to=lambda v: Choice(found[v.noble], "shire", partial(bar_estate, table, v.noble)),
    )


def _no_return(table: Table, house: str, rule: str, word: str) -> RejectionReason | None:
    """Return why a noble can't return, in the order of `returnable`; None if it isn't a block."""
    key, state = block_meant(table, word), table.state
    if not key:
        return None
    if state.blocks[key].owner != house or state.blocks[key].at != UNDECLARED or not table.c.blocks[key].noble:
        return because("not_in_pool", rule, block=key)
    if not estates(table, key):
        return because("no_estate", "7.2.3", block=key)
    return because("heir_first", "13.3", block=key)


def bring_back(table: Table, house: str, key: str, place: str, rule: str) -> None:
    """Return an undeclared noble at full strength, even among enemies (14.2.2)."""
    table.state.blocks[key].steps = full(table.c, key)
    arrive(table, house, key, place, rule)


def send(table: Table, key: str, place: str) -> None:
    """Move a noble with what is attached by an event (R-41). They enter last (20.1), and must not be there yet."""
    state = table.state
    block = state.blocks[key]
    origin, block.host = block.at, ""
    transfer(table, [key], origin, place)
    stack = party(state, key)
    state.entries.append(EnteredStack(block.owner, place, "", stack))
    table.log(
        "event.sent", rule="14.2.1", house=block.owner, block=key, origin=origin, place=place, count=len(stack),
        reveals=True,
    )  # fmt: skip


# -- steps gained and lost ---------------------------------------------------------------------------------------------


def room(table: Table, key: str) -> int:
    """Return the number of steps that a block can still be given."""
    return full(table.c, key) - table.state.blocks[key].steps


def gains(table: Table, keys: Sequence[str], steps: int, bar: Bar, rule: str = "14.2") -> Series[str]:
    """Return blocks that are given steps, up to full strength; the rest is lost. `bar` is for those not in `keys`."""
    count = min(steps, sum(room(table, key) for key in keys))

    def following(so_far: Sequence[str]) -> Choice[str]:
        return Choice([key for key in keys if so_far.count(key) < room(table, key)], "block")

    def why(so_far: Sequence[str], word: str) -> RejectionReason | None:
        key = block_meant(table, word)
        if key not in keys:
            return bar(word)
        return because("full", rule, block=key) if so_far.count(key) >= room(table, key) else None

    return Series(following, count, count, "blocks", why)


def most_needed(table: Table, keys: Sequence[str], steps: int) -> list[str]:
    """Return the default of `gains`: the weakest block first."""
    return from_most({key: room(table, key) for key in keys}, steps)


def gain(table: Table, house: str, blocks: Sequence[str], rule: str) -> None:
    """Give steps. Only the house sees which blocks have them."""
    for key in blocks:
        table.state.blocks[key].steps += 1
    table.log("event.gains", rule=rule, house=house, count=len(blocks), private={house: {"blocks": list(blocks)}})


def hits_on(table: Table, blocks: Sequence[str], hits: int) -> Series[str]:
    """Return who takes hits: each time the strongest, or one of their party, host and attached blocks (20.5.3)."""
    state = table.state
    count = min(hits, sum(state.blocks[key].steps for key in blocks))
    group = {key: state.blocks[key].host or key for key in blocks}

    def able(so_far: Sequence[str]) -> list[str]:
        left = {key: state.blocks[key].steps - so_far.count(key) for key in blocks}
        most = max(strength(table.c, key, steps) for key, steps in left.items())
        parties = {group[key] for key, steps in left.items() if strength(table.c, key, steps) == most}
        return [key for key, steps in left.items() if steps and group[key] in parties]

    def why(so_far: Sequence[str], word: str) -> RejectionReason | None:
        key = block_meant(table, word)
        if not key or len(so_far) >= count or key in able(so_far):
            return None
        if key not in blocks:
            return because("not_hit", "20.5.3", block=key)
        return bar_hit(key, state.blocks[key].steps - so_far.count(key))

    return Series(lambda so_far: Choice(able(so_far), "block"), count, count, "blocks", why)


def bar_hit(key: str, steps: int) -> RejectionReason:
    """Return why one of the blocks that are hit, with the given steps left, does not take the next hit (20.5.3)."""
    return because("not_strongest" if steps else "no_step_left", "20.5.3", block=key)


def first_of(domain: Series[str]) -> list[str]:
    """Return the default of a series of blocks: each time the first that can be chosen."""
    chosen: list[str] = []
    while len(chosen) < domain.least:
        item = domain.item(chosen)
        assert isinstance(item, Choice)  # the series of this module are made so
        chosen.append(item.listed[0])
    return chosen


def drop_off(table: Table, key: str, rule: str) -> None:
    """Remove a block beyond home strength: nobles and the Queen go undeclared, others off the map (R-28, R-29)."""
    kept = table.c.blocks[key].noble or key == "margaret"
    say_gone(table, key, rule)
    leave(table, key, UNDECLARED if kept else INACTIVE)


def say_gone(table: Table, key: str, rule: str) -> None:
    """Log that a block leaves the map, and from where."""
    block = table.state.blocks[key]
    table.log("event.gone", rule=rule, house=block.owner, block=key, place=block.at, reveals=True)


# -- influence points --------------------------------------------------------------------------------------------------


def collect(table: Table, house: str, points: int) -> int:
    """Move points from the unclaimed pool into stock, with change; missing points are lost (R-54). Returns them."""
    came, gained = money.gain(table, house, points)
    table.log("event.collected", rule="14.2", house=house, points=gained, came=money.shown(came), reveals=True)
    return gained


def to_roll(table: Table, house: str, noble: str, points: int, rule: str) -> int:
    """Move points from stock onto a noble, with change from the pool (9.1, R-54). Returns how many."""
    if markers := money.spend(table, house, points):
        lay(table, house, noble, dict(markers), markers, rule)
    return total(table.c, markers)


def lay(table: Table, house: str, noble: str, source: dict[str, int], markers: dict[str, int], rule: str) -> None:
    """Lay markers of a pile face down on a noble; their number is public."""
    money.shift(source, table.state.houses[house].roll.setdefault(noble, {}), markers)
    table.log(
        "influence.placed", rule=rule, house=house, block=noble, count=sum(markers.values()),
        private={house: {"markers": money.shown(markers)}},
    )  # fmt: skip
