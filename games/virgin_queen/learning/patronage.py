"""Artists (22.1) and scientists (22.2): who may be drawn, who works, which VP are left; the two actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from games.virgin_queen import impulse
from games.virgin_queen.components import Person
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.state import FREE, GONE, PATRONIZED, POWERS, TRACK, Patronage
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount, Form

KIT.chapter("22.1", "artists", "learning/patronage.py", "learning/evaluation.py")

ITALY = "italy"
"""Owner of the artists and scientists whom only cards 5, 36 and 48 bring."""
ARTIST, SCIENTIST = "artist", "scientist"
KINDS = (ARTIST, SCIENTIST)
ACTIONS = {ARTIST: "patronize_artist", SCIENTIST: "patronize_scientist"}
"""Kind → the action; in `Power.used` it shows that the power has patronised its one of the kind this turn."""
RULES = {ARTIST: "22.1", SCIENTIST: "22.2"}
LE_TESTU = {"le_testu": "le_testu_scientist"}
"""The captain who is a scientist too."""


class PatronageAnswer(TypedDict):
    """The CP of a patronage."""

    cp: int


def chart_of(table: Table, kind: str) -> dict[str, str]:
    """Return the chart of a kind of person: `artist` or `scientist`."""
    return table.state.artists if kind == ARTIST else table.state.scientists


def people_of(table: Table, kind: str) -> Mapping[str, Person]:
    """Return all artists, or all scientists."""
    return table.c.artists if kind == ARTIST else table.c.scientists


def drawable(table: Table, kind: str, owner: str) -> list[str]:
    """22.1, 22.2 Return whom a power may draw now; for `ITALY` those for cards 5, 36 and 48."""
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
    """22.1, 22.2 Patronise a random person who may be drawn, as if with the given CP; return the id."""
    found = drawable(table, kind, owner)
    person = found[table.dice.below(len(found))]
    chart_of(table, kind)[person] = PATRONIZED
    table.state.patronage.append(Patronage(person, power, cp, limited))
    table.log("patronage.works", rule=rule, power=power, person=person, cp=cp)
    return person


def release(table: Table, work: Patronage, to: str) -> None:
    """22.1, 22.2 End a person's work: they are `FREE` again, on the `TRACK` (card 56), or `GONE`."""
    table.state.patronage.remove(work)
    chart_of(table, kind_of(table, work.person))[work.person] = to
    assert to in (FREE, TRACK, GONE)


def kind_of(table: Table, person: str) -> str:
    """Return whether a person is an artist or a scientist."""
    return ARTIST if person in table.c.artists else SCIENTIST


def in_order(table: Table, kind: str) -> list[Patronage]:
    """22.1, 22.2 Return the order of evaluation: the higher rating first, ties in impulse order."""
    people = people_of(table, kind)
    works = [work for work in table.state.patronage if work.person in people]
    return sorted(works, key=lambda work: (-people[work.person].rating, POWERS.index(work.power)))


def markers_left(table: Table, kind: str, type_: str, most: int) -> list[str]:
    """22.1, 22.2 Return the VP markers that may be taken for a result of `most` VP, the best first."""
    taken, markers = table.state.vp_markers, table.c.vp_markers.values()
    fit = [marker for marker in markers if marker.kind == kind and marker.type in ("any", type_) and marker.vp <= most]
    found = [marker for marker in fit if taken.get(marker.id, 0) < marker.count]
    return [marker.id for marker in sorted(found, key=lambda marker: -marker.vp)]


def lost_at_sea(table: Table, captain: str) -> None:
    """22.2 Remove le Testu the scientist, at work or not, after the captain is lost."""
    person = LE_TESTU.get(captain)
    if person is None or table.state.scientists.get(person) == GONE:
        return
    table.state.patronage = [work for work in table.state.patronage if work.person != person]
    table.state.scientists[person] = GONE
    table.log("patronage.removed", rule="22.2", person=person)


def _action(kind: str) -> None:
    word, rule = ACTIONS[kind], RULES[kind]

    def find(table: Table, ground: PowerMap) -> int | None:
        listed, power = table.c.actions[word], ground.power
        if ground.cp < listed.cost or table.state.powers[power].used.get(word):
            return None
        return min(listed.most, ground.cp) if drawable(table, kind, power) else None

    def form(table: Table, ground: PowerMap, most: int) -> Form[PatronageAnswer]:
        return Form(cp=Amount(table.c.actions[word].cost, most))

    @KIT.action(word, rule, find, form)
    def run(table: Table, power: str, order: PatronageAnswer) -> None:
        """22.1, 22.2 Note the CP first, then draw a person at random."""
        impulse.pay(table, order["cp"], word)
        table.state.powers[power].used[word] = 1
        patronize(table, power, kind, power, order["cp"], limited=True, rule=rule)


_action(ARTIST)
_action(SCIENTIST)
