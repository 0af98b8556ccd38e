"""What the telling positions of every game look like: three sizes, two languages, two themes.

The words stand in `snapshots/games/` as text, and below them the colours of each theme with the cells that they cover.
The map is blank there: its drawing has tests of its own. Pictures to look at: `pbem tui SAVE --screenshots FOLDER`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pbem.tui.app import PbemApp
from pbem.tui.widgets.mapview import MapView
from tests.tui.helpers import go, grid, running, same_text

SIZES = ((80, 24), (120, 40), (200, 60))
THEMES = ("pbem-dark", "pbem-light")

QUICK = [
    ("1630-ballot", "green", "questions"),
    ("cor-battle", "york", "questions"),
    ("is-round", "france", "questions"),
    ("vq-interception", "protestant", "questions"),
]
TELLING = [
    ("1630-exchange", "ivory", "negotiation"),
    ("1630-finished", "public", "questions"),
    ("cor-auction", "lancaster", "questions"),
    ("cor-impulse", "york", "questions"),
    ("is-finished", "public", "questions"),
    ("is-war", "france", "questions"),
    ("vq-assassination", "england", "questions"),
    ("vq-negotiation", "hre", "negotiation"),
    ("vq-turns", "moderator", "moderator"),
    ("vq-weddings", "protestant", "questions"),
]


def colours(app: PbemApp) -> str:
    """How many cells have which ink and paper; those of a few cells are left out."""
    cells: Counter[str] = Counter()
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if style is not None and style.bgcolor is not None:
                ink = style.color.get_truecolor().hex if style.color is not None else ""
                bold = " bold" if style.bold else ""
                cells[f"{ink} on {style.bgcolor.get_truecolor().hex}{bold}"] += segment.cell_length
    found = sorted(f"{count:>6} {look}" for look, count in cells.items() if count >= 40)
    return "\n".join(["", f"== {app.theme}", *found, ""])


async def settled(app: PbemApp, pilot: Any) -> str:
    """The screen once it stays as it is, without the drawn map."""
    for view in app.screen.query(MapView):
        view.visible = False
    text = ""
    for _ in range(60):
        await pilot.pause(0.02)
        last, text = text, grid(app)
        if text == last:
            return text
    raise AssertionError("the screen never comes to rest")


async def look(app: PbemApp, name: str, room: str, *sizes: tuple[int, int]) -> None:
    """Compare a room with what is stored of it: sizes, languages and themes in one app, switched as by a player."""
    async with running(app, sizes[0]) as pilot:
        await go(pilot, room)
        for size in sizes:
            await pilot.resize_terminal(*size)
            for _ in ("en", "ja"):
                shown = await settled(app, pilot)
                for theme in (*THEMES[1:], THEMES[0]):
                    app.apply_theme(theme)
                    await settled(app, pilot)
                    shown += colours(app)
                same_text(f"games/{name}-{size[0]}-{app.language}.txt", shown)
                app.action_language()
                await pilot.pause()


@pytest.mark.parametrize(("name", "seat", "room"), QUICK, ids=lambda value: str(value))
async def test_telling_positions_at_80_columns(opened, name, seat, room):
    await look(opened(name, seat), name, room, SIZES[0])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seat", "room"), [*QUICK, *TELLING], ids=lambda value: str(value))
async def test_telling_positions_at_every_size(opened, name, seat, room):
    await look(opened(name, seat), name, room, *SIZES)
