"""The map on terminals of 256 and of 16 colours: sides, sea and land stay apart, names can be read."""

import itertools
from math import dist

import pytest
from rich.color import Color, ColorSystem
from rich.segment import Segment

import games
from pbem.kernel.view import MapSpace
from pbem.tui.model.badges import NOBODY, Badge, contrast, ink_on
from pbem.tui.model.canvas import Notes
from pbem.tui.themes import NAMES
from pbem.tui.widgets.mapview import CUBE, FEW, GROUNDS, MANY, STANDARD, TRUE, MapView, limited, oklab, tinted
from tests.tui.helpers import LARGE, go, make_app, running

CHARTED = ["crown_of_roses", "imperial_struggle", "virgin_queen"]
SYSTEMS = {MANY: ColorSystem.EIGHT_BIT, FEW: ColorSystem.STANDARD}


def sides_of(slug: str) -> dict[str, Badge]:
    colours = games.load(slug).colours
    return {**{side: Badge(side[0], ink_on(paper), paper) for side, paper in colours.items()}, "": NOBODY}


@pytest.mark.parametrize("depth", [MANY, FEW])
def test_the_terminal_gets_the_colours_that_were_chosen(depth):
    numbers = [Color.parse(colour).downgrade(SYSTEMS[depth]).number for colour in (CUBE if depth == MANY else STANDARD)]
    if depth == FEW:
        assert numbers == list(range(16))
    else:
        assert all(number is not None and number >= 16 for number in numbers)


@pytest.mark.parametrize("slug", CHARTED)
@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("depth", [MANY, FEW])
def test_sides_sea_and_land_stay_apart(slug, dark, depth):
    ground = GROUNDS[depth, dark]
    badges = limited(sides_of(slug), depth, ground)
    system = SYSTEMS[depth]
    written = [Color.parse(badge.paper).downgrade(system).number for badge in badges.values()]
    assert len(set(written)) == len(written)
    assert Color.parse(ground.sea).downgrade(system).number != Color.parse(ground.earth).downgrade(system).number
    assert 100 * dist(oklab(ground.sea), oklab(ground.earth)) > 8
    for badge, other in itertools.combinations([badge for side, badge in badges.items() if side], 2):
        assert 100 * dist(oklab(badge.paper), oklab(other.paper)) > 8
    if depth == MANY:
        tints = {tinted(depth, ground, badge.paper) for badge in badges.values()}
        assert len(tints) == len(badges)
        assert not tints & {ground.sea, ground.earth}
    for badge in badges.values():
        assert contrast(badge.ink, badge.paper) >= 4.5
        assert contrast(tinted(depth, ground, badge.paper), ground.letters) >= 4.5
    assert contrast(ground.sea, ground.letters) >= 4.5


@pytest.mark.parametrize("theme", NAMES)
@pytest.mark.parametrize("depth", [TRUE, MANY, FEW])
async def test_a_map_is_drawn_in_the_colours_of_the_terminal(source, monkeypatch, theme, depth):
    monkeypatch.setattr(MapView, "depth", depth)
    app = make_app(source(9, "red"), theme=theme)
    async with running(app, LARGE) as pilot:
        await go(pilot, "map")
        view = app.screen.query_one(MapView)
        view.load(
            [MapSpace("a", 0, 0, "red", "1"), MapSpace("b", 9, 9)],
            {"a": ("R1", "Alpha"), "b": ("-", "Beta")},
            view.sides,
            (((-2.0, -2.0), (5.0, -2.0), (5.0, 12.0), (-2.0, 12.0)),),
            (),
            Notes(),
        )
        segments: list[Segment] = [segment for y in range(view.size.height) for segment in view.render_line(y)]
        ground = GROUNDS[depth, app.current_theme.dark]
        papers = {segment.style.bgcolor.name for segment in segments}
        assert {ground.sea, ground.earth} <= papers
        named = next(segment for segment in segments if segment.text.strip() == "Alpha")
        assert contrast(str(named.style.bgcolor.name), str(named.style.color.name)) >= 4.5
