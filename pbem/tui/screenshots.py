"""Screenshots of every screen as SVG, made by the app itself, for the documentation and for checks."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

from textual.pilot import Pilot

from pbem import atomic_files
from pbem.report.text_width import width
from pbem.tui.app import PbemApp
from pbem.tui.key_bindings import IN_ROOM, SCREENS
from pbem.tui.model.game_source import open_source
from pbem.tui.screens.base import BaseScreen
from pbem.tui.screens.board_base import room_of
from pbem.tui.screens.orders import OrdersScreen
from pbem.tui.screens.questions import QuestionsScreen

SIZE = (118, 34)
_PATIENCE = 1000  # maximum number of waits for a screen on a busy machine

_TAG = re.compile(r"<style.*?</style>|<[^>]+>", re.DOTALL)
_LENGTH = re.compile(r'(textLength=")([\d.]+)("[^>]*>)([^<]*)</text>')


class PictureApp(PbemApp):
    """The app while pictures of it are made: it keeps no drafts."""

    def keep_drafts(self) -> None:
        """Do nothing: what is filled in is made up."""

    def open_place(self, name: str) -> None:
        if not isinstance(self.screen, BaseScreen):
            self.pop_screen()
        self.action_screen(name)

    def at(self, name: str) -> bool:
        room = {"map": "questions"}.get(name, name)
        there = self.room_name == room if room in IN_ROOM else not isinstance(self.screen, BaseScreen)
        return there and self.screen.is_mounted and not self.busy()

    async def picture(self, pilot: Pilot[None], name: str) -> str:
        """Return the picture of a screen, once it stays as it is."""
        last, svg = "", ""
        for _ in range(_PATIENCE):
            await pilot.pause(0.02)
            title = f"pbem tui: {self.present.title(self.language)}"
            last, svg = svg, self.export_screenshot(title=title, simplify=True)
            if svg == last and self.at(name):
                break
        return svg


def shoot(path: Path, folder: Path, *, seat: str = "", language: str = "", theme: str = "") -> list[Path]:
    """Write `<room>.svg` (and `help.svg`) for the save or view file; return the files. The clock is stopped."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return asyncio.run(_shoot(path, folder, seat, language, theme))


async def _shoot(path: Path, folder: Path, seat: str, language: str, theme: str) -> list[Path]:
    source = open_source(path, seat)
    due = source.desk().due
    now = due - timedelta(hours=29, minutes=21) if due else datetime(2026, 5, 1, 12, tzinfo=UTC)
    app = PictureApp(source, language=language, theme=theme, env={}, now=lambda: now)
    app.animation_level = "none"
    files = []
    async with app.run_test(size=SIZE) as pilot:
        for room in SCREENS:
            app.open_place(room)
            await app.picture(pilot, room)
            if isinstance(app.screen, QuestionsScreen):
                _fill(app.screen)
            if isinstance(app.screen, OrdersScreen):
                _write(app, app.screen)
            files.append(_save(await app.picture(pilot, room), folder / f"{room}.svg"))
        app.open_place("questions")
        app.action_help()
        files.append(_save(await app.picture(pilot, "help"), folder / "help.svg"))
    return files


def texts(path: Path, seat: str, now: datetime) -> dict[str, str]:
    """Return what every screen shows `seat` of a save at this moment: screen → lines."""
    return asyncio.run(_texts(path, seat, now))


async def _texts(path: Path, seat: str, now: datetime) -> dict[str, str]:
    app = PictureApp(open_source(path, seat), language="en", env={}, now=lambda: now)
    app.animation_level = "none"
    shown = {}
    async with app.run_test(size=SIZE) as pilot:
        for room in SCREENS:
            app.open_place(room)
            shown[room] = _TAG.sub("\n", await app.picture(pilot, room))
    return {room: unescape(text) for room, text in shown.items()}


def _fill(room: QuestionsScreen) -> None:
    if room.asked is not None and room.draft is not None and not room_of(room.asked):
        room.draft.root.load(room.asked.domain.sample(lambda n: n // 2))
        room.load_form()
        room.query_one("#slots").focus()


def _write(app: PbemApp, room: OrdersScreen) -> None:
    if not room.me:
        return
    email = room.pending()
    for asked in app.present.asked:
        if asked.seat == room.me and not (room_of(asked) or asked.secret):
            domain = asked.domain
            email.add("answer", domain.text(domain.sample(lambda n: n // 2)), q=asked.q)
    email.add("line", "standing all: pass")
    email.add("press", app.present.title(app.language))
    room.draw()


def _save(svg: str, path: Path) -> Path:
    atomic_files.replace(path, with_wide_cells(svg).encode(), 0o600)
    return path


def with_wide_cells(svg: str) -> str:
    """Widen the picture for wide characters: Rich counts each as a single cell (its issue 2742)."""

    def roomy(found: re.Match[str]) -> str:
        begin, length, rest, text = found.groups()
        said = unescape(text)
        return f"{begin}{float(length) * width(said) / max(len(said), 1):g}{rest}{text}</text>"

    return _LENGTH.sub(roomy, svg)
