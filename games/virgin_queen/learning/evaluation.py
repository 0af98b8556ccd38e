"""The patronage phase: results of artists (22.1) and scientists (22.2)."""

from __future__ import annotations

from typing import Any, TypedDict

from games.virgin_queen.courts.dowries import PATRONAGE
from games.virgin_queen.learning import patronage, science
from games.virgin_queen.naval import voyages
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import FREE, GONE, Patronage
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Subset
from pbem.kernel.game import Rule

_ask_split = KIT.question("achievement", "22.2")

REMOVED, MAYBE, RETURNED = "removed", "returned_or_removed_if_rating_1", "returned"
BOTH = "two_vp_and_bonus"
BOTH_VP = 2
"""VP in addition to the bonus, for a result of 15 or more."""
PRAGUE = "prague"
"""In `Power.stock` of the Empire: the Prague Cultural Center (card 87)."""


class ChartRow(TypedDict):
    """A row of the patronage chart."""

    lo: int
    hi: int
    result: str
    amount: int


@KIT.phase("patrons")
def patronage_phase(table: Table) -> Rule[None]:
    """22 Evaluate all artists of the turn, then all scientists."""
    table.log("patronage.phase", rule="22", turn=table.state.turn)
    for kind in patronage.KINDS:
        for work in patronage.in_order(table, kind):
            yield from evaluate(table, work)


def modifier(table: Table, work: Patronage) -> int:
    """22.1, 22.2 Return rating, CP, the Prague Cultural Center, Isabella's marriage; scientists' Observatory."""
    kind = patronage.kind_of(table, work.person)
    own = table.state.powers[work.power]
    plus = patronage.people_of(table, kind)[work.person].rating
    plus += int(table.c.tables["patronage"]["cp_modifier"][str(work.cp)])
    plus += PRAGUE in own.stock
    plus += own.stock.get(PATRONAGE) == table.state.turn
    return plus + (kind == patronage.SCIENTIST and science.OBSERVATORY in own.science)


def evaluate(table: Table, work: Patronage) -> Rule[None]:
    """22.1, 22.2 Roll two dice and the modifier, and apply the row of the chart."""
    kind = patronage.kind_of(table, work.person)
    plus = modifier(table, work)
    about: dict[str, Any] = {"power": work.power, "person": work.person, "plus": plus}
    total = table.roll(2, "patronage.rolls", rule=patronage.RULES[kind], **about).total + plus
    rows: list[ChartRow] = table.c.tables["patronage"][kind]["rows"]
    row = next(row for row in rows if row["lo"] <= total <= row["hi"])
    result = row["result"]
    if result == MAYBE:
        result = REMOVED if patronage.people_of(table, kind)[work.person].rating == 1 else RETURNED
    if result in (REMOVED, RETURNED):
        goes = result == REMOVED
    elif kind == patronage.ARTIST:
        goes = bool(take_vp(table, work, row["amount"]))
    else:
        goes = yield from _discovery(table, work, row)
    patronage.release(table, work, GONE if goes else FREE)
    table.log("patronage.removed" if goes else "patronage.returned", rule=patronage.RULES[kind], person=work.person)
    # 22.2: the captain le Testu goes with the scientist after any result but 9.
    if row["result"] != RETURNED:
        for captain in [sailor for sailor, person in patronage.LE_TESTU.items() if person == work.person]:
            if table.state.captains[captain].at != GONE:
                voyages.leave(table, captain)


def best(table: Table, work: Patronage, most: int) -> str:
    """22.1, 22.2 Return the best VP marker left for a result (ruling 79); "" if there is none."""
    kind = patronage.kind_of(table, work.person)
    found = patronage.markers_left(table, kind, patronage.people_of(table, kind)[work.person].type, most)
    return found[0] if found else ""


def take_vp(table: Table, work: Patronage, most: int) -> int:
    """22.1, 22.2 Take the best VP marker for a result; return its VP, 0 if none is left."""
    marker = best(table, work, most)
    if not marker:
        return 0
    taken = table.state.vp_markers
    taken[marker] = taken.get(marker, 0) + 1
    points = table.c.vp_markers[marker].vp
    award(table, work.power, patronage.kind_of(table, work.person), points)
    return points


def _discovery(table: Table, work: Patronage, row: ChartRow) -> Rule[bool]:
    """22.2 Give VP and bonuses, split as the power likes where the chart allows it; return whether it got any.

    Without a VP marker it takes bonuses, without a usable bonus VP (rulings 79, 80).
    """
    offer = science.on_offer(table, work.power)
    points = row["amount"]
    most = min(1 if row["result"] == BOTH else points, len(offer))
    marker = best(table, work, points)
    short = points - (table.c.vp_markers[marker].vp if marker else 0)  # no VP for so many points: bonuses instead
    least = most if row["result"] == BOTH else min(short, most)
    bonuses = yield from _chosen(table, work, offer, least, most)
    for bonus in bonuses:
        science.gain(table, work.power, bonus)
    vp = take_vp(table, work, BOTH_VP if row["result"] == BOTH else points - len(bonuses))
    return bool(bonuses or vp)


def _chosen(table: Table, work: Patronage, offer: list[str], least: int, most: int) -> Rule[list[str]]:
    """Return which bonuses, from a minimum to a maximum number; not asked where there is no choice."""
    seat = seat_of(table.state, work.power)
    if not most or (least == most == len(offer)) or not seat:
        return offer[:least]
    about: dict[str, Any] = {"power": work.power, "person": work.person, "least": least, "most": most}
    return (yield from _ask_split(seat, Subset(offer, least, most, what="bonuses"), offer[:least], **about))
