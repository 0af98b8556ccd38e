"""The drawn map: projection, coasts, areas, names, and colours that colour-blind readers tell apart."""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
from html import escape
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

import games
from games.imperial_struggle import map_drawing as imperial
from pbem.kernel.game import Setup
from pbem.kernel.geography import Conic
from pbem.kernel.pack import load_pack
from pbem.kernel.referee import Referee
from pbem.report import map_svg
from pbem.report.build import build
from pbem.report.coasts import Ring, coasts
from pbem.report.map_svg import LETTER, SvgViewport, areas, board, crop
from pbem.report.model import Report

CHARTED = ("crown_of_roses", "virgin_queen")
SLUGS = ("sixteen_thirty", "imperial_struggle", *CHARTED)


def report(slug: str, language: str = "en") -> Report:
    game = games.load(slug)
    scenario = game.scenarios[0]
    seats = scenario.seats[max(scenario.seats)]
    setup = Setup(slug, seats, "3a" * 32, scenario.id, game.with_defaults({}))
    return build(Referee.new(game, setup), "", language)


# -- projection --------------------------------------------------------------------------------------------------------


def test_a_conic_keeps_lengths_on_its_parallels_and_angles_everywhere() -> None:
    conic = Conic(36, 52, 43, 12)
    assert conic.at(12, 43) == (0, 0)
    for lat in (36, 52):
        (x1, y1), (x2, y2) = conic.at(12, lat), conic.at(13, lat)
        assert math.hypot(x2 - x1, y2 - y1) == pytest.approx(math.cos(math.radians(lat)), rel=1e-3)
    for lat in (25, 45, 60):
        (x, y), (east, down), (right, north) = conic.at(30, lat), conic.at(31, lat), conic.at(30, lat + 1)
        one, other = (east - x, down - y), (right - x, north - y)
        turn = math.degrees(math.acos((one[0] * other[0] + one[1] * other[1]) / math.hypot(*one) / math.hypot(*other)))
        assert turn == pytest.approx(90, abs=1)
        stretch = math.hypot(*one) / math.cos(math.radians(lat)) / math.hypot(*other)
        assert stretch == pytest.approx(1, abs=0.02)


# -- coasts ------------------------------------------------------------------------------------------------------------


def packing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coasts_script", Path(".ci/coasts.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_unpacked_packs_to_the_same(slug: str) -> None:
    rings = coasts(f"games.{slug}")
    again = packing().packed([list(ring) for ring in rings])
    assert sum(map(len, rings)) > 1000
    assert len(again) < 40_000
    assert b"".join(packing().packed([list(ring)]) for ring in rings) == again


def test_coasts_cost_a_game_little() -> None:
    size = sum(len(Path(f"games/{slug}/data/coast.txt").read_bytes()) for slug in SLUGS)
    assert size < 34_000
    assert coasts("pbem.kernel") == ()


def inside(ring: Ring, x: float, y: float) -> bool:
    found = False
    for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            found = not found
    return found


def ashore(rings: tuple[Ring, ...], x: float, y: float) -> float:
    """How many degrees a place lies from land; 0 on it."""
    if sum(inside(ring, x, y) for ring in rings) % 2:
        return 0.0
    edges = ((ring[at - 1], ring[at]) for ring in rings for at in range(len(ring)))
    return min(off(x, y, *edge) for edge in edges)


def off(x: float, y: float, one: tuple[float, float], other: tuple[float, float]) -> float:
    """How far a place lies from an edge."""
    wide, high = other[0] - one[0], other[1] - one[1]
    part = ((x - one[0]) * wide + (y - one[1]) * high) / (wide * wide + high * high)
    part = max(0.0, min(1.0, part))
    return math.hypot(x - one[0] - part * wide, y - one[1] - part * high)


@pytest.mark.parametrize("slug", CHARTED)
def test_spaces_lie_on_land(slug: str) -> None:
    """Within 0.2 of a degree (22 km): simplified coasts; Malta is a speck, Djerba/Tripoli stands for two places."""
    rings = coasts(f"games.{slug}")
    wet = {p.id for p in report(slug).map if ashore(rings, p.x, p.y) > 0.2}
    assert wet <= {"malta", "djerba_tripoli"}


# -- drawing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("slug", SLUGS)
def test_every_space_is_drawn_and_titled_and_most_are_named(slug: str, language: str) -> None:
    shown = report(slug, language)
    svg = board(shown, "Map")
    titles = re.findall("<g text-anchor[^>]*><title>(.*?)</title>", svg)
    assert all(any(title.startswith(escape(place.name)) for title in titles) for place in shown.map)
    assert len(titles) <= len(shown.map) + 2 * len(shown.insets)  # what lies in an inset next to its spaces
    named = svg.count("paint-order")
    assert named >= 0.85 * len(shown.map)


@pytest.mark.parametrize("slug", SLUGS)
def test_names_cover_no_badge_and_no_name(slug: str) -> None:
    found = r'<text x="(-?\d+)" y="(-?\d+)" text-anchor="(\w+)" fill="#1d1b18".*?>(.*?)</text>'
    parts = {"start": 0.0, "middle": 0.5, "end": 1.0}
    for part in board(report(slug), "Map").split("<svg x="):  # the board, and each inset
        boxes = []
        for x, y, anchor, label in re.findall(found, part):
            left = float(x) - 6.6 * len(label) * parts[anchor]
            boxes.append((left, float(y), left + 6.6 * len(label), float(y) + 14))
        assert boxes
        for box, other in itertools.combinations(boxes, 2):
            across = min(box[2], other[2]) - max(box[0], other[0])
            down = min(box[3], other[3]) - max(box[1], other[1])
            assert across <= 2 or down <= 2  # rounded to pixels


def test_the_netherlands_are_drawn_larger_where_they_cover_nobody() -> None:
    shown = report("virgin_queen")
    main, inset = board(shown, "Map").split("<svg x=")
    inset = inset.partition("</svg>")[0]
    ((name, spaces),) = shown.insets
    assert inset.count("paint-order") >= len(spaces)
    assert (main + inset).count(f">{name}</text>") == 1
    assert board(shown, "Map").count(f">{name}</text>") == 2  # the title, and the plate where they lie
    titles = re.findall("<title>(.*?)</title>", main)
    assert len(titles) - 1 == len(shown.map) - len(spaces)
    assert "<svg x=" not in board(report("crown_of_roses"), "Map")
    assert "<svg x=" not in crop(shown, {"antwerp", "brussels"}, "Map")


@pytest.mark.parametrize("slug", CHARTED)
def test_an_area_holds_its_space_and_no_other(slug: str) -> None:
    shown = report(slug)
    frame = SvgViewport(shown.map, 900)
    at = {p.id: frame.at(p.x, p.y) for p in shown.map}
    for place, cell in areas(shown.map, frame):
        ring = tuple(cell)
        assert [key for key, here in at.items() if inside(ring, *here)] == [place.id]


def test_a_letter_shows_what_is_around_the_spaces_it_names() -> None:
    shown = report("virgin_queen")
    svg = crop(shown, {"antwerp", "brussels"}, "Map")
    assert f'viewBox="0 0 {LETTER} ' in svg
    assert 'font-size="13"' in svg
    assert svg.count('stroke="#c1121f"') == 2
    assert "Antwerp" in svg
    assert "Istanbul" not in svg
    assert crop(shown, {"nowhere"}, "Map") == ""


# -- colours -----------------------------------------------------------------------------------------------------------

SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
"""Linear RGB as it is seen (Machado, Oliveira, Fernandes 2009, severity 1)."""


def oklab(colour: str, sight: str) -> tuple[float, float, float]:
    """A colour in OKLab (Ottosson 2020), as it is seen."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, linear, strict=True)))) for row in SIGHTS[sight])
    long, middle, short = (
        (a * red + b * green + c * blue) ** (1 / 3)
        for a, b, c in (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        )
    )
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("slug", ["imperial_struggle", *CHARTED])
def test_powers_are_told_apart_by_all_eyes(slug: str, sight: str) -> None:
    given = games.load(slug).colours
    worst = min(
        100 * math.dist(oklab(colour, sight), oklab(other, sight))
        for colour, other in itertools.combinations(given.values(), 2)
    )
    assert worst >= 15


@pytest.mark.parametrize("slug", ["imperial_struggle", *CHARTED])
def test_every_seat_has_a_colour(slug: str) -> None:
    game = games.load(slug)
    seats = {seat for scenario in game.scenarios for some in scenario.seats.values() for seat in some}
    assert seats <= set(game.colours)


def test_each_space_of_imperial_struggle_lies_in_its_panel_and_apart_from_all_others() -> None:
    parts = imperial.CHART.parts
    places = load_pack("games.imperial_struggle").tables["map"]["spaces"]
    assert set(imperial.AT) == {space["id"] for space in places}
    for name, known in imperial.PLACES.items():
        west, south, east, north = parts[name].box
        assert all(west < lon < east and south < lat < north for lat, lon in known.values()), name
    spots = sorted(imperial.AT.values())
    assert min(math.dist(a, b) for a, b in combinations(spots, 2)) > 1.0


def test_an_island_is_tinted_by_itself_and_countries_have_one_border() -> None:
    drawn = board(report("virgin_queen"), "Map")
    clips = re.findall(r'<clipPath id="land(\d+)">', drawn)
    assert len(clips) == len(set(clips)) > 8  # the main land, Britain, Ireland, Sicily, Cyprus, Corfu ...
    lone = board(report("sixteen_thirty"), "Map")
    assert 'stroke-width="1.5"' not in lone
    assert lone.count(f'<path fill="none" stroke="{map_svg.SHORE}"') > 1


@pytest.mark.parametrize("slug", ["crown_of_roses", "virgin_queen"])
def test_seas_are_named(slug: str) -> None:
    found = report(slug)
    drawn = board(found, "Map")
    assert sum(f">{name}</text>" in drawn for name, _, _ in found.seas) >= 0.6 * len(found.seas) > 1


def test_of_a_coast_outside_nothing_is_lost_that_is_seen() -> None:
    shown = report("virgin_queen")
    frame = SvgViewport([place for place in shown.map if place.id in ("nerac", "bordeaux", "pau")], LETTER)
    for ring in coasts("games.virgin_queen"):
        points = [frame.at(x, y) for x, y in ring]
        kept = list(map_svg._seen(points, frame))
        for x in range(0, frame.wide, 25):
            for y in range(0, frame.high, 25):
                assert inside(tuple(points), x + 0.5, y + 0.5) == inside(tuple(kept), x + 0.5, y + 0.5)


def test_a_crop_draws_moves_as_arrows_between_spaces_that_it_shows() -> None:
    shown = report("virgin_queen")
    svg = crop(shown, {"bordeaux", "nerac"}, "Map", [("bordeaux", "nerac"), ("bordeaux", "istanbul")])
    assert svg.count(f'<polygon fill="{map_svg.RED}"') == 1
    assert map_svg.RED not in crop(shown, {"bordeaux"}, "Map").replace(f'stroke="{map_svg.RED}" stroke-width="3"', "")
