"""Sea and land under the drawn map, and whose land it is."""

from __future__ import annotations

import pytest

import games
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.report.coasts import coasts
from pbem.tui.model.canvas import COAST, PLAIN, draw
from pbem.tui.model.ground import ground, land
from pbem.tui.model.sides import contrast, tint

ISLAND = [(4, 4), (16, 4), (16, 28), (4, 28)]
LAKE = [(8, 12), (12, 12), (12, 20), (8, 20)]


def test_land_is_what_lies_within_an_odd_number_of_rings() -> None:
    told = land([ISLAND, LAKE], 10, 8)
    assert ["".join("#" if here else "~" for here in row) for row in told] == [
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
    assert land([[(-50, -50), (-10, -50), (-10, -10), (-50, -10)]], 4, 2) == [[False] * 4] * 2
    assert land([[(-50, -50), (50, -50), (50, 50), (-50, 50)]], 4, 2) == [[True] * 4] * 2


def test_land_belongs_to_the_nearest_space_and_no_farther_than_it_reaches() -> None:
    shore = [[True] * 9 + [False] + [True] * 2]
    told = ground(shore, {"a": (0, 0), "b": (6, 0)}, {"a": "red", "b": "blue"}, 3)
    assert told == [["red"] * 4 + ["blue"] * 5 + [None] + ["", ""]]


def test_a_port_in_the_sea_colours_the_land_beside_it_and_no_sea() -> None:
    told = ground([[False, True, True]], {"a": (0, 0)}, {"a": "red"}, 5)
    assert told == [[None, "red", "red"]]


@pytest.mark.parametrize("slug", ["crown_of_roses", "virgin_queen"])
def test_the_map_of_a_game_has_sea_coasts_and_land_of_every_seat(slug: str) -> None:
    game = games.load(slug)
    scenario = game.scenarios[0]
    seats = scenario.seats[max(scenario.seats)]
    referee = Referee.new(game, Setup(slug, seats, "3a" * 32, scenario.id, game.with_defaults({})))
    spaces = game.view(referee.table, "").map
    labels = {space.id: (space.side[:1].upper() or "-", space.id) for space in spaces}
    drawing = draw(spaces, labels, 144, 45, coast=coasts(game.package))
    grounds = {run.ground for row in drawing.rows for run in row}
    assert {None, "", *(space.side for space in spaces)} - {"protestant"} <= grounds
    assert PLAIN not in grounds
    assert COAST in {run.what for row in drawing.rows for run in row}
    assert len(drawing.at) >= 0.9 * len(spaces)


def test_what_is_around_is_drawn_but_the_focus_fills_the_canvas() -> None:
    game = games.load("virgin_queen")
    scenario = game.scenarios[0]
    referee = Referee.new(
        game, Setup(game.slug, scenario.seats[6], "3a" * 32, scenario.id, game.with_defaults({}))
    )
    spaces = game.view(referee.table, "").map
    england = [space for space in spaces if space.region == "england"]
    labels = {space.id: ("x", space.id) for space in spaces}
    drawing = draw(spaces, labels, 80, 30, coast=coasts(game.package), focus=england)
    assert {space.id for space in england} <= set(drawing.at)
    assert "istanbul" not in drawing.at
    assert set(drawing.at) - {space.id for space in england}


@pytest.mark.parametrize("paper", ["#f5f3f0", "#e3ae0c", "#2c4e99", "#000000", "#ffffff"])
def test_names_can_be_read_on_any_land(paper: str) -> None:
    assert contrast(tint("#2a2723", paper, "#e0e0e0", 0.42), "#e0e0e0") >= 4.5
    assert contrast(tint("#f4efe4", paper, "#1d1b18", 0.48), "#1d1b18") >= 4.5
