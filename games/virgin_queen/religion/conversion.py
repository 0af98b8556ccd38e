"""Attempts at conversion (18.5), made by sermons (18.2), suppression (18.3) and cards.

All attempts of one action or event are resolved together, in one area. Both religions have the same procedure;
step numbers here are the Protestant ones, the Catholic ones are one lower from step 3 on (ruling 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import msgspec

from games.virgin_queen import impulse
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import CATHOLIC, PROTESTANT, Fleet, Troops
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Domain, Form, Optional, Subset, Values
from pbem.kernel.game import Rule

KIT.chapter("18.1", "the core presence of a religion", "religion/conversion.py")


def others_left(table: Table, area: str, religion: str) -> int:
    """18.1 Return how many spaces of an area may turn to a religion: all of the other one but the last."""
    religions = table.state.religion
    return len([at for at in table.c.areas[area] if religions[at] != religion]) - 1


def last(table: Table, space: str) -> bool:
    """18.1 Return whether a space is the last of its religion in its area; spaces in unrest count."""
    religions = table.state.religion
    mine = religions[space]
    return [religions[other] for other in table.c.areas[table.c.spaces[space].area]].count(mine) < 2


def turn_over(table: Table, space: str, religion: str, rule: str = "18.1") -> bool:
    """2.3, 18.1 Turn a space over, unless it is the last of its religion in its area; return whether it turned."""
    religions = table.state.religion
    if religions[space] == religion or last(table, space):
        return False
    religions[space] = religion
    table.log("event.turned", rule=rule, space=space, religion=religion)
    return True


KIT.chapter("18.2", "preaching sermons", "religion/conversion.py")
KIT.chapter("18.3", "suppressing heresy", "religion/conversion.py")
KIT.chapter(
    "18.5", "attempts at conversion and rebellions, step by step", "religion/conversion.py", "religion/rebellion.py"
)
_ask_major = KIT.question("convert_major", "18.5")
_ask_spaces = KIT.question("convert", "18.5")
_ask_unrest = KIT.question("convert_unrest", "18.5")

ONE, EACH, NONE = "one", "each", "none"
"""How much unrest dice of 1 bring: one marker in all; one for each die (#77); none (#53)."""
ATTEMPTS = 5
CP = 2

FAITH = {
    **dict.fromkeys(("england", "dutch", "huguenot", "scotland"), PROTESTANT),
    **dict.fromkeys(("spain", "france", "ireland", "papacy", "portugal", "venice", "walloon"), CATHOLIC),
    **dict.fromkeys(("patrol", "armada"), CATHOLIC),
}
"""18.5 The faith of regulars and ships by their owner; all other units, and all mercenaries, are neutral."""


class ConversionAttempts(msgspec.Struct, frozen=True):
    """Attempts at conversion by one action or event (18.5): all are resolved together, in one area."""

    religion: str
    """The religion that spaces turn to: `CATHOLIC` or `PROTESTANT`."""
    area: str
    dice: int
    rule: str
    """The section or card of the attempts: 18.2, 18.3, 6.1, 20.10."""
    six: bool = False
    """The first die is a 6 and is not rolled (#45, #46, #55, #56, #59, #70, #75, #92)."""
    changed: dict[int, int] = {}
    """Faces that count as another: 3 as 4 (#45), 5 as 6 (#77)."""
    unrest: str = ONE
    spared: tuple[str, ...] = ()
    """Spaces that take no unrest from it: those with Spanish regulars (#75)."""
    only: tuple[str, ...] | None = None
    """The spaces that may turn, if not all of the area: those next to Jesuits (#93)."""


class MajorConversion(TypedDict, total=False):
    """Steps 4 and 5: sixes spent on unrest markers, and the spaces that turn before the others."""

    calm: int
    now: list[str]


def faithful(owner: str, religion: str, here: Troops | Fleet) -> int:
    """18.5 Return how many of these units are of a religion: regulars and ships, never mercenaries."""
    if FAITH.get(owner) != religion:
        return 0
    return here.regulars if isinstance(here, Troops) else here.total


def guarded(table: Table, space: str, religion: str) -> bool:
    """18.5 Return whether condition c fails: units of the other religion, or Jesuits, are in a space."""
    state = table.state
    other = CATHOLIC if religion == PROTESTANT else PROTESTANT
    if other == CATHOLIC and space in state.jesuits:
        return True
    if space in state.land and any(faithful(owner, other, some) for owner, some in state.land[space].items()):
        return True
    return space in state.fleets and any(faithful(fleet.owner, other, fleet) for fleet in state.fleets[space])


def based(table: Table, space: str, religion: str) -> bool:
    """18.5 Return condition b: a space of the religion not in unrest is next, perhaps outside the area (ruling 36)."""
    faiths, unrest = table.state.religion, table.state.unrest
    for base in table.c.beside[space]:  # noqa: SIM110 - of every space of an area: a generator costs more
        if faiths[base] == religion and base not in unrest:
            return True
    return False


def within_reach(table: Table, attempts: ConversionAttempts) -> list[str]:
    """18.5 Return the spaces of conditions a and b now: those that majors may turn."""
    faiths, religion = table.state.religion, attempts.religion
    area = table.c.areas[attempts.area]
    return [
        at
        for at in (area if attempts.only is None else attempts.only)
        if faiths[at] != religion and at in area and based(table, at, religion)
    ]


def may_convert(table: Table, attempts: ConversionAttempts) -> bool:
    """18.1 Return whether the core presence leaves a space to turn; else the action is not allowed."""
    return others_left(table, attempts.area, attempts.religion) > 0


def convert(table: Table, power: str, attempts: ConversionAttempts) -> Rule[list[str]]:
    """18.5 Execute the procedure of either religion, all choices by `power`; return the spaces that turned."""
    faces = _faces(table, power, attempts)
    sixes, minors = faces.count(6), faces.count(4) + faces.count(5)
    markers = faces.count(1) if attempts.unrest == EACH else min(1, faces.count(1))
    if attempts.unrest == NONE:
        markers = 0
    first: list[str] = []
    if sixes:
        calm, first = yield from _majors(table, power, attempts, sixes, markers)
        markers, sixes, minors = markers - calm, sixes - calm - len(first), minors + calm
        _turn(table, attempts, first)
    second = yield from _others(table, power, attempts, sixes, minors)
    _turn(table, attempts, second)
    turned = [*first, *second]
    if not turned:
        table.log("convert.none", rule="18.5", power=power, area=attempts.area)
    yield from _unrest(table, power, attempts, turned, markers)
    return turned


def _faces(table: Table, power: str, attempts: ConversionAttempts) -> list[int]:
    """18.5 Execute steps 1 and 2: return the dice as they count."""
    rolled = attempts.dice - attempts.six
    about: dict[str, Any] = {"power": power, "area": attempts.area, "religion": attempts.religion}
    roll = table.roll(rolled, "convert.rolls", rule=attempts.rule, **about, six=int(attempts.six))
    faces = [*([6] if attempts.six else []), *roll.dice]
    return [attempts.changed.get(face, face) for face in faces]


def _turn(table: Table, attempts: ConversionAttempts, spaces: Sequence[str]) -> None:
    for space in spaces:
        turn_over(table, space, attempts.religion, rule="18.5")


def _majors(
    table: Table, power: str, attempts: ConversionAttempts, sixes: int, markers: int
) -> Rule[tuple[int, list[str]]]:
    """18.5 Execute steps 4 and 5: sixes turn free spaces at once, remove markers as fives, or wait for step 6."""
    free = [at for at in within_reach(table, attempts) if not guarded(table, at, attempts.religion)]
    room = others_left(table, attempts.area, attempts.religion)
    calms = min(markers, sixes)

    def now(values: Values) -> Domain | None:
        most = min(sixes - (values.get("calm") or 0), len(free), room)
        return Subset(free, 0, most, what="spaces") if most > 0 else None

    fields: dict[str, Any] = {"calm": Optional(Amount(0, calms))} if calms else {}
    if not (calms or (free and room)):
        return 0, []
    domain: Form[MajorConversion] = Form({**fields, "now": now})
    default: MajorConversion = {"now": free[: min(sixes, room)]} if free and room else {}
    answer: Mapping[str, Any] = default
    if seat := seat_of(table.state, power):
        about = {**_about(power, attempts), "sixes": sixes, "unrest": markers}
        answer = yield from _ask_major(seat, domain, default, **about)
    return answer.get("calm", 0), list(answer.get("now", ()))


def _about(power: str, attempts: ConversionAttempts) -> dict[str, Any]:
    only = {} if attempts.only is None else {"only": list(attempts.only)}
    return {"power": power, "area": attempts.area, "religion": attempts.religion, **only}


def _others(table: Table, power: str, attempts: ConversionAttempts, kept: int, minors: int) -> Rule[list[str]]:
    """18.5 Execute step 6: minors turn free spaces, kept majors any. Every die is used while it can be (ruling 32)."""
    reach = within_reach(table, attempts)
    held = [at for at in reach if guarded(table, at, attempts.religion)]
    free = [at for at in reach if at not in held]
    room = others_left(table, attempts.area, attempts.religion)
    total = min(room, kept + minors, len(free) + min(kept, len(held)))
    if total <= 0:
        return []
    most = min(kept, len(held), total)
    least = max(0, total - len(free))
    default: dict[str, list[str]] = {"held": held[:least], "free": free[: total - least]}
    if total == len(reach):
        return reach
    seat = seat_of(table.state, power)
    if not seat:
        return [*default["held"], *default["free"]]

    def rest(values: Values) -> Domain | None:
        left = total - len(values.get("held") or ())
        return Subset(free, left, left, what="spaces") if left else None

    fields: dict[str, Any] = {"held": Subset(held, least, most, what="spaces")} if most else {}
    domain: Form[Any] = Form({**fields, "free": rest})
    given = {key: value for key, value in default.items() if value or (key == "held" and most)}
    about = {**_about(power, attempts), "count": total, "majors": kept}
    answer = yield from _ask_spaces(seat, domain, given, **about)
    return [*answer.get("held", ()), *answer.get("free", ())]


def _unrest(table: Table, power: str, attempts: ConversionAttempts, turned: Sequence[str], markers: int) -> Rule[None]:
    """18.5 Execute step 7: put markers on spaces that turned, as the power chooses; the rest is not placed."""
    state = table.state
    found = [at for at in turned if at not in state.unrest and at not in attempts.spared]
    number = min(markers, len(found))
    if not number:
        return
    chosen = found[:number]
    seat = seat_of(state, power)
    if seat and number < len(found):
        domain = Subset(found, number, number, what="spaces")
        chosen = yield from _ask_unrest(seat, domain, chosen, power=power, count=number)
    state.unrest += chosen
    table.log("event.unrest", rule="18.5", spaces=list(chosen))


class AreaAnswer(TypedDict):
    """The area of sermons or suppression."""

    area: str


def _action(word: str, rule: str) -> None:
    def find(table: Table, ground: PowerMap) -> list[str] | None:
        listed = table.c.actions[word]
        areas = [
            area
            for area in listed.areas[ground.power]
            if may_convert(table, ConversionAttempts(listed.converts_to[ground.power], area, ATTEMPTS, rule))
        ]
        return areas if areas and ground.cp >= CP else None

    def form(table: Table, ground: PowerMap, areas: list[str]) -> Form[AreaAnswer]:
        return Form(area=Choice(areas, "area"))

    @KIT.action(word, rule, find, form)
    def run(table: Table, power: str, order: AreaAnswer) -> Rule[None]:
        """18.2, 18.3 Make five attempts in one area of the power's list, for 2 CP."""
        listed = table.c.actions[word]
        impulse.pay(table, CP, word)
        yield from convert(table, power, ConversionAttempts(listed.converts_to[power], order["area"], ATTEMPTS, rule))


_action("preach_sermons", "18.2")
_action("suppress_heresy", "18.3")
