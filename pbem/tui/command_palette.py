"""The command palette: every action of the open screen and of the app, and every screen, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import cast

from rich.text import Text
from textual.command import DiscoveryHit, Hit, Hits, Provider

from pbem.tui.game_app import GameApp
from pbem.tui.key_bindings import GLOBAL, IN_ROOM, SCREENS
from pbem.tui.screens.help import keys_of


class CommandProvider(Provider):
    """The entries of the palette."""

    def _entries(self) -> Iterator[tuple[str, str]]:
        app = cast("GameApp", self.app)
        words = app.words
        for number, name in enumerate(SCREENS, 1):
            yield f"{words('palette.room')}: {words(f'screen.{name}')}  [{number}]", f"app.screen('{name}')"
        for act in IN_ROOM.get(app.room_name, ()):
            yield f"{words(f'help.{act.key}')}  [{keys_of(act)}]", act.name
        for act in GLOBAL:
            if act.name != "command_palette":
                yield f"{words(f'help.{act.key}')}  [{keys_of(act)}]", f"app.{act.name}"

    def _run(self, action: str) -> None:
        app = cast("GameApp", self.app)
        app.call_later(app.run_action, action, default_namespace=app.room)

    async def discover(self) -> Hits:
        for label, action in self._entries():
            yield DiscoveryHit(Text(label), partial(self._run, action), text=label)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for label, action in self._entries():
            score = matcher.match(label)
            if score > 0:
                yield Hit(score, Text(label), partial(self._run, action), text=label)
