"""Artists (22.1) and scientists (22.2) as patronage has them: who may be drawn, who is at work, which VP are left."""

from __future__ import annotations

from collections.abc import Mapping

from games.virgin_queen.components import Person
from games.virgin_queen.state import FREE, GONE, PATRONIZED, POWERS, TRACK, Patronage
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import left, part

KIT.chapter("22.1", "artists")
left("22.1", 36, 48)
part("22.1", 5)

ITALY = "italy"
"""Owner of the artists and scientists whom only cards 5, 36 and 48 bring."""


def chart_of(table: Table, kind: str) -> dict[str, str]:
    """The chart of a kind of person: `artist` or `scientist`."""
    return table.state.artists if kind == "artist" else table.state.scientists


def people_of(table: Table, kind: str) -> Mapping[str, Person]:
    """All artists, or all scientists, of the box."""
    return table.c.artists if kind == "artist" else table.c.scientists


def drawable(table: Table, kind: str, owner: str) -> list[str]:
    """22.1, 22.2 Whom a power may draw now; of `ITALY` those of whom cards 5, 36 and 48 may draw one."""
    chart, turn = chart_of(table, kind), table.state.turn
    found = []
    for key, card in people_of(table, kind).items():
        if card.owner != owner:
            continue
        here = FREE if owner == ITALY and card.turn.isdigit() and int(card.turn) <= turn else ""
        if chart.get(key, here) == FREE:
            found.append(key)
    return found


def patronize(table: Table, power: str, kind: str, owner: str, cp: int, *, limited: bool, rule: str) -> str:
    """22.1, 22.2 A random one of those who may be drawn goes to work for a power, as if with so many CP."""
    found = drawable(table, kind, owner)
    person = found[table.dice.below(len(found))]
    chart_of(table, kind)[person] = PATRONIZED
    table.state.patronage.append(Patronage(person, power, cp, limited))
    table.say("patronage.works", rule=rule, power=power, person=person, cp=cp)
    return person


def release(table: Table, work: Patronage, to: str) -> None:
    """22.1, 22.2 Somebody's work is done: he is `FREE` again, on the `TRACK` (card 56), or `GONE`."""
    kind = "artist" if work.person in table.c.artists else "scientist"
    table.state.patronage.remove(work)
    chart_of(table, kind)[work.person] = to
    assert to in (FREE, TRACK, GONE)


def in_order(table: Table) -> list[Patronage]:
    """22.1 The order of evaluation: the higher rating first, ties in impulse order; so it is done for both kinds."""
    c = table.c

    def place(work: Patronage) -> tuple[int, int]:
        card = c.artists.get(work.person) or c.scientists[work.person]
        return -card.rating, POWERS.index(work.power)

    return sorted(table.state.patronage, key=place)


def markers_left(table: Table, kind: str, type_: str, most: int) -> list[str]:
    """22.1, 22.2 The VP markers that may be taken for a result of `most` VP, the best first."""
    found = [
        one
        for one in table.c.vp_markers.values()
        if one.kind == kind
        and one.type in ("any", type_)
        and one.vp <= most
        and table.state.vp_markers.get(one.id, 0) < one.count
    ]
    return [one.id for one in sorted(found, key=lambda one: -one.vp)]
