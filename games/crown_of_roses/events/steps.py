"""Events that give steps: they aren't a muster (R-45), cost no OPS and deplete nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NotRequired, TypedDict

from games.crown_of_roses.events.common import (
    contested,
    event,
    event_shire,
    gain,
    gains,
    in_england,
    most_needed,
    needs,
    nobles,
    room,
)
from games.crown_of_roses.money import change, change_field, shift, stock_after_change, valued
from games.crown_of_roses.query import CONTESTED, blocks_in, control, total
from games.crown_of_roses.refusals import Bar, bar_mine, bar_own, block_meant, place_meant
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Form, Series, Values
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("14.2", "events", "events/")

_steps = KIT.question("steps", "14.2")
_disorder = KIT.question("disorder", "14.2")
_desperate = KIT.question("desperate", "14.2")


class Levy(TypedDict):
    """Markers that are given back, and the blocks that have a step for them."""

    markers: dict[str, int]
    blocks: list[str]


class StepPayment(Levy):
    """The same paid from the stock, perhaps after a change of money."""

    change: NotRequired[dict[str, int]]


@event("call_to_arms", "good_men_of_england")
def call_to_arms(table: Table, house: str, card: str) -> Play:
    """28, 29 In each controlled shire with own nobles one noble there gains a step."""
    by_shire = {
        shire: [key for key in nobles(table, house, [shire]) if room(table, key)]
        for shire in table.c.shires
        if control(table, shire) == house
    }
    open_to = {shire: keys for shire, keys in by_shire.items() if keys}

    def following(so_far: Sequence[str]) -> Choice[str]:
        left = [keys for keys in open_to.values() if not set(keys) & set(so_far)]
        return Choice([key for keys in left for key in keys], "noble")

    count = len(open_to)
    first = [keys[0] for keys in open_to.values()]
    why = partial(_not_called, table, house)
    chosen = yield from _steps(house, Series(following, count, count, "nobles", why), first, card=card)
    gain(table, house, chosen, "14.2")


def _not_called(table: Table, house: str, so_far: Sequence[str], word: str) -> RejectionReason | None:
    """Return why a noble gains no step (28, 29); None if one does, or if it isn't a block."""
    key = block_meant(table, word)
    if not key or (problem := bar_mine(table, house, "14.2", word, in_shire=True)):
        return problem if key else None
    shire = table.state.blocks[key].at
    if control(table, shire) == CONTESTED:
        return because("contested", "14.2", shire=shire)
    if any(table.state.blocks[other].at == shire for other in so_far):
        return because("one_a_shire", "14.2", shire=shire)
    return None if room(table, key) else because("full", "14.2", block=key)


def _garrisoned(table: Table, house: str) -> list[str]:
    return [
        shire for shire in table.c.shires if control(table, shire) == house and blocks_in(table.state, shire, house)
    ]


def _no_garrison(table: Table, house: str, card: str) -> RejectionReason | None:
    return None if _garrisoned(table, house) else because("no_held_shire", "14.2")


def _not_garrisoned(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why no steps can go to a shire (46); None for what is none."""
    if not (shire := place_meant(table, word)):
        return None
    if shire in table.c.exiles:
        return because("no_shire", "14.2", place=shire)
    if not blocks_in(table.state, shire, house):
        return because("nobody_there", "14.2", place=shire)
    return because("contested", "14.2", shire=shire)


@event("reinforcements", bar=_no_garrison)
def reinforcements(table: Table, house: str, card: str) -> Play:
    """46 A controlled shire with own blocks: a die gives 1, 2 or 3 steps to blocks there; what does not fit is lost."""
    able = _garrisoned(table, house)
    choice = Choice(able, "shire", partial(_not_garrisoned, table, house))
    shire = yield from event_shire(house, choice, able[0], rule="14.2", card=card)
    roll = table.roll(1, "event.roll", rule="14.2", house=house, card=card).total
    steps = table.c.cards[card].params.table[roll - 1]
    keys = blocks_in(table.state, shire, house)
    yield from _given(table, house, card, keys, steps, partial(bar_own, table, house, shire, "14.2"))


def _given(table: Table, house: str, card: str, keys: list[str], steps: int, bar: Bar) -> Play:
    """Ask which of these blocks get the steps; `bar` says why others don't."""
    chosen = yield from _steps(
        house, partial(gains, table, keys, steps, bar), lambda: most_needed(table, keys, steps), card=card
    )
    gain(table, house, chosen, "14.2")


def _unhindered(table: Table, house: str) -> list[str]:
    state = table.state
    return [key for key in nobles(table, house, list(table.c.shires)) if not contested(state, state.blocks[key].at)]


def _bar_unhindered(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a noble gains no step, in the order of `_unhindered` (48)."""
    problem, key = bar_mine(table, house, "14.2", word, in_shire=True), block_meant(table, word)
    if problem or not key or not contested(table.state, table.state.blocks[key].at):
        return problem
    return because("contested", "14.2", shire=table.state.blocks[key].at)


@event("feudal_disorder")
def feudal_disorder(table: Table, house: str, card: str) -> Play:
    """48 Influence from stock back to the pool, shown: a step for each point to nobles, not in exile nor contested."""
    c, own = table.c, table.state.houses[house]
    keys, bar = _unhindered(table, house), partial(_bar_unhindered, table, house)

    def given(v: Values) -> Distribution:
        stock = valued(c, stock_after_change(table, house, v.change))
        return Distribution(stock, (0, sum(stock.values())), "markers")

    form: Form[StepPayment] = Form(
        {
            **change_field(table, house),
            "markers": given,
            "blocks": lambda v: gains(table, keys, total(c, v.markers), bar),
        }
    )
    answer = yield from _disorder(house, form, StepPayment(markers={}, blocks=[]), card=card)
    change(table, house, answer.get("change"))
    markers = dict(answer["markers"])
    shift(own.stock, own.pool, markers)
    table.log("disorder.returned", rule="14.2", house=house, markers=markers, points=total(c, markers), reveals=True)
    gain(table, house, answer["blocks"], "14.2")


@event("desperate_times")
def desperate_times(table: Table, house: str, card: str) -> Play:
    """51 Influence from the Roll back to stock, shown: a step for every two points to nobles not in exile."""
    c, own = table.c, table.state.houses[house]
    keys = nobles(table, house, list(c.shires))
    laid, bar = on_roll(table, house), partial(bar_mine, table, house, "14.2", in_shire=True)
    form: Form[Levy] = Form(
        markers=Distribution(laid, (0, sum(laid.values())), "markers"),
        blocks=lambda v: gains(table, keys, worth(table, v.markers) // c.cards[card].params.ip_per_step, bar),
    )
    answer = yield from _desperate(house, form, Levy(markers={}, blocks=[]), card=card)
    markers = dict(answer["markers"])
    take_back(table, house, markers)
    table.log(
        "desperate.returned", rule="14.2", house=house, markers=markers, points=worth(table, markers), reveals=True
    )
    gain(table, house, answer["blocks"], "14.2")
    own.roll = {noble: pile for noble, pile in own.roll.items() if pile}


def on_roll(table: Table, house: str) -> dict[str, int]:
    """Return a house's markers on the Roll: `noble-marker` → count."""
    roll = table.state.houses[house].roll
    return {f"{noble}-{kind}": count for noble, pile in roll.items() for kind, count in pile.items()}


def take_back(table: Table, house: str, markers: dict[str, int]) -> None:
    """Return markers of the Roll (as `on_roll` names them) to stock."""
    own = table.state.houses[house]
    for key, count in markers.items():
        noble, _, kind = key.rpartition("-")
        shift(own.roll[noble], own.stock, {kind: count})
        if not own.roll[noble]:
            del own.roll[noble]


def worth(table: Table, markers: dict[str, int]) -> int:
    """Return the points of markers of the Roll."""
    return sum(table.c.markers[key.rpartition("-")[2]].value * count for key, count in markers.items())


# -- six steps around a person -----------------------------------------------------------------------------------------


def _leaders(table: Table, card: str) -> list[str]:
    params = table.c.cards[card].params
    if params.with_house_heir:
        house = table.state.houses.get(params.with_house_heir)
        return list(house.heirs) if house is not None else []
    return list(params.with_any)


def _no_leader(table: Table, house: str, card: str) -> RejectionReason | None:
    """Return why no leader is there: B6 Buckingham or Stafford in England; L6 the Queen, W4 Warwick, Y6 March."""
    face = table.c.cards[card]
    wanted = list(face.params.requires_in_england)
    if wanted and not any(in_england(table, key) for key in wanted):
        return because("needs_in_england", "14.2", card=card, blocks=wanted)
    return needs(table, card, face.requires)


def _not_beside(table: Table, house: str, card: str, word: str) -> RejectionReason | None:
    """Return why a noble who is not with one of the persons named gains no step (B6, L6, W4, Y6)."""
    key = block_meant(table, word)
    return bar_mine(table, house, "14.2", word, in_shire=True) or (
        because("not_beside", "14.2", block=key, blocks=_leaders(table, card)) if key else None
    )


@event("bray", "breze", "abergavenny", "gruuthuse", bar=_no_leader)
def six_steps(table: Table, house: str, card: str) -> Play:
    """B6, L6, W4, Y6 Six steps to nobles in the same shire as one of the persons named."""
    state = table.state
    places = {state.blocks[key].at for key in _leaders(table, card)} & set(table.c.shires)
    keys = nobles(table, house, [place for place in table.c.shires if place in places])
    bar = partial(_not_beside, table, house, card)
    yield from _given(table, house, card, keys, table.c.cards[card].params.steps, bar)
