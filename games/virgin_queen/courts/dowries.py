"""What royals bring when they wed (21.1): cards, influence, actions, mercenaries, VP."""

from __future__ import annotations

from typing import Any

from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.diplomacy import gifts
from games.virgin_queen.formations import levy, pool_left
from games.virgin_queen.minors import MOST_INFLUENCE, open_tracks
from games.virgin_queen.query import pool_of, seat_of
from games.virgin_queen.religion.conversion import ATTEMPTS, ConversionAttempts, convert, may_convert
from games.virgin_queen.state import FRANCE, HRE, MINORS, PROTESTANT, SCOTLAND
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Choice
from pbem.kernel.game import Rule

_ask_friend = KIT.question("dowry_influence", "21.1")
_ask_area = KIT.question("dowry_action", "21.1")
_ask_guard = KIT.question("dowry_troops", "21.1")

GROOM, BRIDE = "groom", "bride"
CARDS = {
    "philip_ii": (BRIDE, 1), "charles_ix": (BRIDE, 1), "archduke_charles": (BRIDE, 1), "catherine_michelle": (GROOM, 1),
    "margaret_of_valois": (GROOM, -1), "elisabeth_of_valois": (FRANCE, 1), "henry_iii": (FRANCE, 1),
    "henry_of_navarre": (PROTESTANT, 1), "catherine_of_bourbon": (PROTESTANT, 1),
}  # fmt: skip
"""Royal → whose next deal changes, and by how much."""
STUARTS = {"darnley": 3, MARY: 3}
"""Influence on Scotland for the groom's power."""
FRANCIS = 2
MERCENARIES = 2
PATRONAGE = "patronage_bonus"
"""In `Power.stock`: the turn in which all its patronage rolls get 1 more (Isabella, 21.1, 22)."""
NOBODY = "none"
FREE_ACTIONS = {"elisabeth_of_austria": "suppress_heresy", "arran": "preach_sermons"}


def bonus(table: Table, royal: str, groom: str, bride: str) -> Rule[None]:
    """21.1 Apply the bonus of one of a couple, whose powers are given."""
    state = table.state
    sides = {GROOM: groom, BRIDE: bride}
    if royal in CARDS:
        who, marks = CARDS[royal]
        card_mark(table, sides.get(who, who), marks)
    elif royal in STUARTS:
        influence(table, groom, SCOTLAND, STUARTS[royal])
    elif royal == "francis_of_anjou":
        yield from _friend(table)
    elif royal == "isabella_clara_eugenia":
        for power in {groom: 1, bride: 1}:
            state.powers[power].stock[PATRONAGE] = state.turn + 1
            table.log("dowry.patronage", rule="21.1", power=power)
    elif royal == "anna_of_saxony":
        yield from _guard(table, groom)
    elif royal == "rudolf_ii":
        award(table, HRE, "wedding", 1)
    elif royal in FREE_ACTIONS:
        yield from _free_action(table, FREE_ACTIONS[royal], groom)


def card_mark(table: Table, power: str, marks: int) -> None:
    """6.2 Add or remove a card in the next deal."""
    if marks:
        table.state.powers[power].card_marks += marks
        table.log("dowry.card", rule="21.1", power=power, marks=marks)


def influence(table: Table, power: str, minor: str, points: int) -> None:
    """24.5 Give influence for free, up to 9; a power without a marker there gets none."""
    markers = table.state.minors[minor].influence
    if power not in markers or power in table.state.minors[minor].excluded:
        return
    points = min(points, MOST_INFLUENCE - markers[power])
    if points > 0:
        markers[power] += points
        table.log("minor.influence", rule="24.5", power=power, minor=minor, points=points, now=markers[power])


def _friend(table: Table) -> Rule[None]:
    """21.1 Francis of Anjou: give 2 influence on a minor power of France's choice."""
    found = [key for key in open_tracks(table.state, FRANCE) if key in MINORS]
    seat = seat_of(table.state, FRANCE)
    if not found or not seat:
        return
    chosen = found[0]
    if len(found) > 1:
        about: dict[str, Any] = {"power": FRANCE, "royal": "francis_of_anjou", "count": FRANCIS}
        chosen = yield from _ask_friend(seat, Choice(found, "power"), chosen, **about)
    influence(table, FRANCE, chosen, FRANCIS)


def _guard(table: Table, power: str) -> Rule[None]:
    """21.1 Anna of Saxony: let the groom's power place 2 mercenaries in a capital."""
    seat = seat_of(table.state, power)
    found = [at for at in gifts.capitals(table, power) if pool_left(table, pool_of(table.c, power, at)) > 0]
    if not found or not seat:
        return
    domain = Choice([*found, NOBODY], "space")
    space = yield from _ask_guard(seat, domain, found[0], power=power, royal="anna_of_saxony")
    if space != NOBODY:
        levy(table, space, pool_of(table.c, power, space), "mercenaries", MERCENARIES, power, "21.1")


def _free_action(table: Table, word: str, groom: str) -> Rule[None]:
    """21.1 Elisabeth of Austria, Arran: give a free action of religion."""
    listed = table.c.actions[word]
    power = PROTESTANT if word == "preach_sermons" else groom
    seat = seat_of(table.state, power)
    if power not in listed.powers or not seat:
        return
    tries = [ConversionAttempts(listed.converts_to[power], area, ATTEMPTS, "21.1") for area in listed.areas[power]]
    open_ = {attempts.area: attempts for attempts in tries if may_convert(table, attempts)}
    if not open_:
        return
    area = next(iter(open_))
    if len(open_) > 1:
        area = yield from _ask_area(seat, Choice(list(open_), "area"), area, power=power, action=word)
    yield from convert(table, power, open_[area])
