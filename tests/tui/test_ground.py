"""Sea and land under the drawn map, and whose land it is."""

from __future__ import annotations

import pytest

import games
from pbem import LANGUAGES
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.view import MapSpace
from pbem.report.coasts import CoastIndex, coasts
from pbem.report.text_width import width
from pbem.tui.model.badges import contrast, tint
from pbem.tui.model.canvas import BORDER, COAST, NAME, WATER, Board, Drawing, Notes, Viewport, draw
from pbem.tui.model.grid import PLAIN, LandSeed, ground, land
from pbem.tui.model.insets import INSET

ISLAND = [(4, 4), (16, 4), (16, 28), (4, 28)]
LAKE = [(8, 12), (12, 12), (12, 20), (8, 20)]


def test_land_is_what_lies_within_an_odd_number_of_rings() -> None:
    told = land([ISLAND, LAKE], 10, 8)
    assert ["".join("~" if here is None else "#" for here in row) for row in told] == [
        "~~~~~~~~~~",
        "~~######~~",
        "~~######~~",
        "~~##~~##~~",
        "~~##~~##~~",
        "~~######~~",
        "~~######~~",
        "~~~~~~~~~~",
    ]


def test_rings_outside_the_canvas_are_cut() -> None:
    assert land([[(-50, -50), (-10, -50), (-10, -10), (-50, -10)]], 4, 2) == [[None] * 4] * 2
    assert land([[(-50, -50), (50, -50), (50, 50), (-50, 50)]], 4, 2) == [[0] * 4] * 2


def test_land_belongs_to_the_nearest_space_and_no_farther_than_it_reaches() -> None:
    shore: list[list[int | None]] = [[0] * 9 + [None] + [0] * 2]
    told = ground(shore, [LandSeed(0, 0, "red", None), LandSeed(6, 0, "blue", None)], 3)
    assert told == [["red"] * 4 + ["blue"] * 5 + [None] + ["", ""]]


def test_a_port_in_the_sea_colours_the_land_beside_it_and_no_sea() -> None:
    told = ground([[None, 0, 0]], [LandSeed(0, 0, "red", None)], 5)
    assert told == [[None, "red", "red"]]


def test_an_island_does_not_bleed_on_the_land_beside_it() -> None:
    shore: list[list[int | None]] = [[0, 0, 0, 1, 1]]
    told = ground(shore, [LandSeed(0, 0, "red", 0), LandSeed(3, 0, "blue", 1)], 9)
    assert told == [["red"] * 3 + ["blue"] * 2]
    assert ground(shore, [LandSeed(2, 0, "blue", 1), LandSeed(0, 0, "red", 0)], 9) == [["red"] * 3 + [""] * 2]


def test_a_space_lies_within_the_smallest_ring_around_it() -> None:
    around = [(0, 0), (10, 0), (20, 0), (20, 40), (0, 40)]
    shores = CoastIndex([around, ISLAND])
    assert shores.ring_of((10, 14)) == 1
    assert shores.ring_of((18, 35)) == 0
    assert shores.ring_of((30, 35)) is None


def test_corfu_is_an_island_of_its_own_and_athens_is_not() -> None:
    coast = coasts("games.virgin_queen")
    chart = games.load("virgin_queen").chart
    at = {"corfu": (19.85, 39.6), "athens": (23.7, 38.2), "paris": (2.35, 48.85), "cyprus": (33.3, 35.0)}
    shores = CoastIndex(coast)
    rings = {key: shores.ring_of(chart.at(*place)) for key, place in at.items()}
    assert rings["athens"] == rings["paris"] is not None
    assert len({rings["corfu"], rings["cyprus"], rings["paris"]}) == 3


@pytest.mark.parametrize("slug", ["crown_of_roses", "imperial_struggle", "sixteen_thirty", "virgin_queen"])
def test_abbreviations_are_known_by_their_names(slug: str) -> None:
    """Letters of the name in their order, shorter than it, no two alike; in both languages, for places there are."""
    game = games.load(slug)
    scenario = game.scenarios[0]
    seats = scenario.seats[max(scenario.seats)]
    referee = Referee.new(game, Setup(slug, seats, "3a" * 32, scenario.id, game.with_defaults({})))
    ids = {space.id for space in game.view(referee.table, "").map}
    notes = game.notes
    assert {*notes.short, *notes.weights} <= ids | set(notes.seas)
    names = game.names(referee.table.c)
    for at, language in enumerate(LANGUAGES):
        found = [short[at] for short in notes.short.values()]
        assert len(found) == len(set(found))
        for key, short in notes.short.items():
            name = names.of(key, language).casefold()
            letters = iter(name)
            assert len(short[at]) <= len(name)
            assert all(char in letters for char in short[at].casefold() if char.isalnum()), (name, short[at])


@pytest.mark.parametrize("slug", ["crown_of_roses", "virgin_queen"])
def test_seas_are_named_on_water_and_can_be_chosen(slug: str) -> None:
    game = games.load(slug)
    scenario = game.scenarios[0]
    seats = scenario.seats[max(scenario.seats)]
    referee = Referee.new(game, Setup(slug, seats, "3a" * 32, scenario.id, game.with_defaults({})))
    spaces = game.view(referee.table, "").map
    seas = tuple((key, key, *at) for key, at in game.notes.seas.items())
    coast = coasts(game.package)
    shores = CoastIndex(coast)
    assert all(shores.ring_of(at) is None for at in game.notes.seas.values())
    drawing = draw(Board(spaces, {s.id: ("-", "") for s in spaces}, coast, notes=Notes(seas)), 180, 50)
    runs = [run for row in drawing.rows for run in row if run.what == WATER]
    assert {run.space for run in runs} == {key for key in game.notes.seas if key in drawing.at}
    assert len(runs) >= 0.7 * len(seas)
    assert all(run.ground is None for run in runs)


@pytest.mark.parametrize("slug", ["crown_of_roses", "virgin_queen"])
def test_the_map_of_a_game_has_sea_coasts_and_land_of_every_seat(slug: str) -> None:
    game = games.load(slug)
    scenario = game.scenarios[0]
    seats = scenario.seats[max(scenario.seats)]
    referee = Referee.new(game, Setup(slug, seats, "3a" * 32, scenario.id, game.with_defaults({})))
    spaces = game.view(referee.table, "").map
    labels = {space.id: (space.side[:1].upper() or "-", space.id) for space in spaces}
    drawing = draw(Board(spaces, labels, coasts(game.package)), 144, 45)
    grounds = {run.ground for row in drawing.rows for run in row}
    assert {None, "", *(space.side for space in spaces)} - {"protestant"} <= grounds
    assert PLAIN not in grounds
    assert COAST in {run.what for row in drawing.rows for run in row}
    assert len(drawing.at) >= 0.9 * len(spaces)


def test_what_is_around_is_drawn_but_the_focus_fills_the_canvas() -> None:
    game = games.load("virgin_queen")
    scenario = game.scenarios[0]
    referee = Referee.new(game, Setup(game.slug, scenario.seats[6], "3a" * 32, scenario.id, game.with_defaults({})))
    spaces = game.view(referee.table, "").map
    england = [space for space in spaces if space.region == "england"]
    labels = {space.id: ("x", space.id) for space in spaces}
    drawing = draw(Board(spaces, labels, coasts(game.package), england), 80, 30)
    assert {space.id for space in england} <= set(drawing.at)
    assert "istanbul" not in drawing.at
    assert set(drawing.at) - {space.id for space in england}


@pytest.mark.parametrize("paper", ["#f5f3f0", "#e3ae0c", "#2c4e99", "#000000", "#ffffff"])
def test_names_can_be_read_on_any_land(paper: str) -> None:
    assert contrast(tint("#2a2723", paper, "#e0e0e0", 0.42), "#e0e0e0") >= 4.5
    assert contrast(tint("#f4efe4", paper, "#1d1b18", 0.48), "#1d1b18") >= 4.5


WEST = [(0.0, 0.0), (5.0, 0.0), (5.0, 4.0), (0.0, 4.0)]
EAST = [(6.0, 0.0), (9.0, 0.0), (9.0, 4.0), (6.0, 4.0)]


def _kinds(second: str, more: list[tuple[str, float, float]]) -> set[str]:
    """What is drawn of a land with a space and `more` places, and of another to the east with a space of `second`."""
    spaces = [MapSpace("a", 1, 2, "red"), MapSpace("b", 7, 2, second)]
    labels = {"a": ("R", "A"), "b": ("B", "B")}
    drawn = draw(Board(spaces, labels, [WEST, EAST], notes=Notes(lands=more)), 60, 12)
    return {run.what for row in drawn.rows for run in row}


def test_a_border_parts_two_spaces_also_of_one_side() -> None:
    assert BORDER in _kinds("red", [("b", 4.0, 2.0)])
    assert BORDER in _kinds("blue", [("b", 4.0, 2.0)])


def test_more_land_of_a_space_has_no_border_within() -> None:
    assert BORDER not in _kinds("red", [("a", 4.0, 2.0)])


def _virgin_queen(lens: Viewport, wide: int, high: int) -> tuple[Drawing, Board]:
    """Virgin Queen at its beginning, and what is drawn of it."""
    game = games.load("virgin_queen")
    scenario = game.scenarios[0]
    setup = Setup(game.slug, scenario.seats[6], "3a" * 32, scenario.id, game.with_defaults({}))
    spaces = game.view(Referee.new(game, setup).table, "").map
    dense = tuple((inset.names[0], frozenset(inset.spaces)) for inset in game.notes.insets)
    labels = {space.id: ("x1", space.id) for space in spaces}
    board = Board(spaces, labels, coasts(game.package), notes=Notes(insets=dense))
    return draw(board, wide, high, lens), board


@pytest.mark.parametrize("size", [(144, 39), (130, 45), (200, 58)])
def test_a_dense_part_has_an_inset_with_names_where_it_covers_nobody(size: tuple[int, int]) -> None:
    drawing, board = _virgin_queen(Viewport(), *size)
    runs = [run for row in drawing.rows for run in row]
    ((name, dense),) = board.notes.insets
    plates = [run.text.strip() for run in runs if run.what == INSET]
    assert plates.count(name) == 2  # the title of the inset, and the plate where it lies
    assert plates.count("x21") == 1
    named = {run.space for run in runs if run.what == NAME}
    assert len(named & dense) >= 0.85 * len(dense)
    assert len(set(drawing.at) - dense) >= 0.97 * len(set(board.labels) - dense)
    assert all(sum(width(run.text) for run in row) == size[0] for row in drawing.rows)


def test_there_is_no_inset_where_there_is_room_or_none_to_be_had() -> None:
    for lens, size in ((Viewport(6.0, 0.4, 0.3), (144, 39)), (Viewport(), (80, 20))):
        drawing, _ = _virgin_queen(lens, *size)
        assert not any(run.what == INSET for row in drawing.rows for run in row)


def test_the_spaces_of_insets_are_spaces_of_the_map() -> None:
    for slug in games.BUILT_IN:
        game = games.load(slug)
        scenario = game.scenarios[0]
        seats = scenario.seats[max(scenario.seats)]
        referee = Referee.new(game, Setup(slug, seats, "3a" * 32, scenario.id, game.with_defaults({})))
        spaces = {space.id for space in game.view(referee.table, "").map}
        assert all(spaces.issuperset(inset.spaces) for inset in game.notes.insets)
