"""Events that give steps: they are no muster (R-45), cost no OPS and deplete nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from games.crown_of_roses.events.common import (
    contested,
    event,
    gain,
    gains,
    in_england,
    most_needed,
    nobles,
    room,
)
from games.crown_of_roses.query import at, control, in_play, total
from games.crown_of_roses.state import State
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Arrange, Choice, Form, Series
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask


@event("call_to_arms", "good_men_of_england")
def call_to_arms(table: Table, house: str, card: str) -> Play:
    """28, 29 In each controlled shire with a noble of his own one noble there gains a step."""
    by_shire = {
        shire: [key for key in nobles(table, house, [shire]) if room(table, key)]
        for shire in table.c.shires
        if control(table, shire) == house
    }
    open_to = {shire: keys for shire, keys in by_shire.items() if keys}

    def following(so_far: Sequence[str]) -> Choice:
        left = [keys for keys in open_to.values() if not set(keys) & set(so_far)]
        return Choice([key for keys in left for key in keys], "noble")

    count = len(open_to)
    chosen = yield Ask(
        house,
        "steps",
        Series(following, count, count, "nobles"),
        rule="14.2",
        default=[keys[0] for keys in open_to.values()],
        about={"card": card},
    )
    gain(table, house, chosen, "14.2")


def _garrisoned(table: Table, house: str) -> list[str]:
    return [
        shire for shire in table.c.shires if control(table, shire) == house and at(table.state, shire, house)
    ]


@event("reinforcements", can=lambda table, house: bool(_garrisoned(table, house)))
def reinforcements(table: Table, house: str, card: str) -> Play:
    """46 A controlled shire with own blocks: a die gives 1, 2 or 3 steps to blocks there; what does not fit is lost."""
    able = _garrisoned(table, house)
    shire = yield Ask(
        house, "event_shire", Choice(able, "shire"), rule="14.2", default=able[0], about={"card": card}
    )
    roll = table.roll(1, "event.roll", rule="14.2", house=house, card=card).total
    steps = table.c.cards[card].params["table"][roll - 1]
    keys = at(table.state, shire, house)
    yield from _given(table, house, card, keys, steps)


def _given(table: Table, house: str, card: str, keys: list[str], steps: int) -> Play:
    """The house says which of these blocks get the steps."""
    chosen = yield Ask(
        house,
        "steps",
        partial(gains, table, keys, steps),
        rule="14.2",
        default=lambda: most_needed(table, keys, steps),
        about={"card": card},
    )
    gain(table, house, chosen, "14.2")


def _unhindered(table: Table, house: str) -> list[str]:
    """Nobles neither in exile nor in a contested shire."""
    state: State = table.state
    return [
        key
        for key in nobles(table, house, list(table.c.shires))
        if not contested(state, state.blocks[key].at)
    ]


@event("feudal_disorder")
def feudal_disorder(table: Table, house: str, card: str) -> Play:
    """48 Influence from stock back to the pool, shown: a step for each point to nobles, not in exile nor contested."""
    c, own = table.c, table.state.houses[house]
    keys = _unhindered(table, house)
    valued = {key: count for key, count in own.stock.items() if c.markers[key].value}
    answer = yield Ask(
        house,
        "disorder",
        Form(
            markers=Arrange(valued, (0, sum(valued.values())), "markers"),
            blocks=lambda v: gains(table, keys, total(c, v.markers)),
        ),
        rule="14.2",
        default={"markers": {}, "blocks": []},
        about={"card": card},
    )
    markers = dict(answer["markers"])
    for key, count in markers.items():
        _move(own.stock, own.pool, key, count)
    table.say(
        "disorder.returned", rule="14.2", house=house, markers=markers, points=total(c, markers), learns=True
    )
    gain(table, house, answer["blocks"], "14.2")


@event("desperate_times")
def desperate_times(table: Table, house: str, card: str) -> Play:
    """51 Influence from the Roll back to stock, shown: a step for every two points to nobles not in exile."""
    c, own = table.c, table.state.houses[house]
    keys = nobles(table, house, list(c.shires))
    laid = on_roll(table, house)
    answer = yield Ask(
        house,
        "desperate",
        Form(
            markers=Arrange(laid, (0, sum(laid.values())), "markers"),
            blocks=lambda v: gains(
                table, keys, worth(table, v.markers) // c.cards[card].params["ip_per_step"]
            ),
        ),
        rule="14.2",
        default={"markers": {}, "blocks": []},
        about={"card": card},
    )
    markers: dict[str, Any] = dict(answer["markers"])
    take_back(table, house, markers)
    table.say(
        "desperate.returned",
        rule="14.2",
        house=house,
        markers=markers,
        points=worth(table, markers),
        learns=True,
    )
    gain(table, house, answer["blocks"], "14.2")
    own.roll = {noble: pile for noble, pile in own.roll.items() if pile}


def _move(source: dict[str, int], target: dict[str, int], key: str, count: int) -> None:
    source[key] -= count
    if not source[key]:
        del source[key]
    target[key] = target.get(key, 0) + count


def on_roll(table: Table, house: str) -> dict[str, int]:
    """A house's markers on the Roll: `noble-marker` → count."""
    roll = table.state.houses[house].roll
    return {f"{noble}-{kind}": count for noble, pile in roll.items() for kind, count in pile.items()}


def take_back(table: Table, house: str, markers: dict[str, int]) -> None:
    """Markers of the Roll (as `on_roll` names them) go back to stock."""
    own = table.state.houses[house]
    for key, count in markers.items():
        noble, _, kind = key.rpartition("-")
        _move(own.roll[noble], own.stock, kind, count)
        if not own.roll[noble]:
            del own.roll[noble]


def worth(table: Table, markers: dict[str, int]) -> int:
    """The points of markers of the Roll."""
    return sum(table.c.markers[key.rpartition("-")[2]].value * count for key, count in markers.items())


# -- six steps around a person -----------------------------------------------------------------------------------------


def _leaders(table: Table, card: str) -> list[str]:
    """The blocks that the card gathers nobles around."""
    params = table.c.cards[card].params
    if "with_house_heir" in params:
        house = table.state.houses.get(params["with_house_heir"])
        return list(house.heirs) if house is not None else []
    return list(params["with_any"])


def _allowed(card: str, table: Table, house: str) -> bool:
    """B6 Buckingham or Stafford in England; L6 the Queen, W4 Warwick, Y6 March in play."""
    face = table.c.cards[card]
    wanted = face.params.get("requires_in_england", ())
    if wanted and not any(in_england(table, key) for key in wanted):
        return False
    return all(in_play(table, key) for key in face.requires)


def six_steps(table: Table, house: str, card: str) -> Play:
    """B6, L6, W4, Y6 Six steps to nobles in the same shire as one of the persons named."""
    state: State = table.state
    places = {state.blocks[key].at for key in _leaders(table, card)} & set(table.c.shires)
    keys = nobles(table, house, [place for place in table.c.shires if place in places])
    steps = int(table.c.cards[card].params["steps"])
    yield from _given(table, house, card, keys, steps)


for _card in ("bray", "breze", "abergavenny", "gruuthuse"):
    event(_card, can=partial(_allowed, _card))(six_steps)
