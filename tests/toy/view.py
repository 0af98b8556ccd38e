"""What a seat sees of the toy: the map by regions, what the seats have, hands, what was thrown away."""

from __future__ import annotations

from pbem.kernel.questions import MODERATOR
from pbem.kernel.table import Table
from pbem.kernel.view import CardView, Column, Hand, MapSpace, Notice, TableView, Track, TrackMarker, View
from tests.toy.places import PLACES, near
from tests.toy.state import course_of, places_of


def view(table: Table, seat: str) -> View:
    state, course = table.state, course_of(table)
    uses = [course.cards] if course.cards else []
    hands = [
        Hand(owner, "hand", len(hand), [CardView(card, uses) for card in hand] if seat in (owner, MODERATOR) else None)
        for owner, hand in state.hands.items()
    ]
    return View(
        "toy",
        seat,
        {"turn": state.turn},
        [*(region(table, key) for key in course.regions), powers(table)],
        [Track("wealth", 0, 10, [TrackMarker(owner, min(state.gold[owner], 10)) for owner in table.seats])],
        hands,
        [Notice("view.discard", {"cards": list(state.discard)})] if state.discard else [Notice("view.peace")],
        [space(table, key) for key in places_of(course)],
        dict(state.gold),
    )


def region(table: Table, key: str) -> TableView:
    """The places of a region: who is there, and how strong."""
    state = table.state
    columns = [Column("space", "name"), Column("side", "name"), Column("force", "number")]
    places = [place for place in state.sides if PLACES[place].region == key]
    return TableView(key, columns, [[place, state.sides[place], state.force[place]] for place in places], "map")


def powers(table: Table) -> TableView:
    """The seats: gold, friends, where their leaders stand."""
    state = table.state
    columns = [Column("power", "name"), Column("gold", "number"), Column("friends", "name"), Column("at", "name")]
    rows = [[seat, state.gold[seat], state.powers[seat].friends, state.at[seat]] for seat in table.seats]
    return TableView("powers", columns, rows, "powers")


def space(table: Table, key: str) -> MapSpace:
    state, place = table.state, PLACES[key]
    return MapSpace(key, place.x, place.y, state.sides[key], str(state.force[key]), near(key), place.region)
