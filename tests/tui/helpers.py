"""What the TUI tests share: the screen as text, snapshots of it, apps with a stopped clock."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from pbem.tui.app import PbemApp
from pbem.tui.model.game_source import Source
from pbem.tui.screens.base import BaseScreen
from pbem.tui.screens.dialogs import ChooseDialog, TextDialog

SNAPSHOTS = Path(__file__).parent / "snapshots"
NOW = datetime(2026, 5, 2, 9, 0, tzinfo=UTC)
SMALL, LARGE = (80, 24), (140, 45)
MOST = 6000
"""How often something is waited for: minutes on a machine under load. Only a test that fails waits so long."""


def stopped() -> datetime:
    return NOW


def make_app(source: Source, language: str = "en", **more: Any) -> PbemApp:
    app = PbemApp(source, language=language, now=stopped, env=more.pop("env", {}), **more)
    app.animation_level = "none"
    return app


class SteadyPilot(Pilot[Any]):
    """A pilot that goes on when nothing is left to do.

    Textual's own waits until each widget has taken what was in its queue. What that led to (a layout, a
    repaint, a message to another widget) may still be to come, on a machine under load at least: its "idle
    processor" is then one that others have.
    """

    async def press(self, *keys: str) -> None:
        for key in keys:
            await super().press(key)

    async def _wait_for_screen(self, timeout: float = 30.0) -> bool:
        """Wait until bots have played and keys were carried out, then for what that leads to."""
        for _ in range(MOST):
            if self._working():  # a message sent meanwhile would hold it up
                await asyncio.sleep(0.005)
                continue
            if not await super()._wait_for_screen(timeout) or self.app._exit:
                return not self.app._exception
            if self.app._batch_count or not self.app.screen.is_current:
                continue
            self.app.screen._on_timer_update()
            if not self._working() and not self._busy():
                break
            await asyncio.sleep(0.001)
        return True

    def _working(self) -> bool:
        """Whether something is done next to the screen, or keys wait."""
        app = self.app
        beside = any(not worker.is_finished for worker in app.workers)
        waits = getattr(app, "playing", False) or getattr(app, "behind", None) is not None
        return not app._exit and (beside or waits)

    def _busy(self) -> bool:
        """Whether a message, a layout or a repaint is still to come (private marks, here alone)."""
        screen = self.app.screen
        if (
            self.app._resize_event is not None
            or screen._layout_required
            or screen._scroll_required
            or screen._repaint_required
            or screen._dirty_widgets
        ):
            return True
        return any(
            not pump._message_queue.empty() or pump._next_callbacks or getattr(pump, "_layout_required", False)
            for pump in (self.app, *screen.walk_children(with_self=True))
        )


@asynccontextmanager
async def running(app: App[Any], size: tuple[int, int] = SMALL) -> Any:
    """The app on a terminal of this size, its cursors not blinking."""
    Input.cursor_blink = TextArea.cursor_blink = False  # type: ignore[assignment]
    async with app.run_test(size=size, notifications=True):
        pilot = SteadyPilot(app)
        await pilot.pause()
        yield pilot


async def go(pilot: Any, room: str) -> None:
    """To a room, without waiting for keys: also to the board (`map`) and to what is shown over a room."""
    at = pilot.app
    if not isinstance(at.screen, BaseScreen):
        at.pop_screen()
        await pilot.pause()
    at.action_screen(room)
    await pilot.pause()
    if room in ("players", "hand"):
        await until(pilot, lambda: isinstance(at.screen, TextDialog | ChooseDialog) and at.screen.is_mounted)
    else:
        name = "questions" if room == "map" else room
        await until(pilot, lambda: at.room is not None and name == at.room.NAME and at.room.is_mounted)
    await pilot.pause()


def grid(app: PbemApp) -> str:
    """The text of the screen, line by line (one private call, here alone)."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"


async def until(pilot: Any, holds: Callable[[], bool]) -> None:
    """Wait until something holds, however long a machine under load takes."""
    for _ in range(MOST):
        if holds() or pilot.app._exit:
            return
        await pilot.pause(0.02)


async def shown(pilot: Any, text: str) -> bool:
    """Whether the screen shows a text, soon."""
    await until(pilot, lambda: text in grid(pilot.app))
    return text in grid(pilot.app)


def same_text(name: str, text: str) -> None:
    """Compare with the stored snapshot; `PBEM_UPDATE_SNAPSHOTS=1` stores what is there."""
    path = SNAPSHOTS / name
    if os.environ.get("PBEM_UPDATE_SNAPSHOTS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.is_file(), f"no snapshot {path.name}: PBEM_UPDATE_SNAPSHOTS=1 stores it"
    assert text == path.read_text("utf-8")
