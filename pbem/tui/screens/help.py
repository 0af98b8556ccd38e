"""The help of a screen, and the command palette: what can be done there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import cast

from rich.text import Text
from textual.command import DiscoveryHit, Hit, Hits, Provider

from pbem.report.text_width import pad
from pbem.tui.game_app import GameApp
from pbem.tui.key_bindings import GLOBAL, IN_ROOM, Act
from pbem.tui.model.messages import ScreenMessages

_NAMES = {
    "slash": "/", "question_mark": "?", "right_square_bracket": "]", "left_square_bracket": "[", "plus": "+",
    "minus": "-", "equals_sign": "=", "comma": ",", "full_stop": ".", "escape": "Esc", "enter": "Enter",
    "space": "Space", "left": "<-", "right": "->", "home": "Home", "end": "End",
}  # fmt: skip


def help_text(room: str, words: ScreenMessages, screens: Mapping[str, int]) -> Text:
    """Return the help of a screen in the reader's language."""
    text = Text(words(f"help.screen.{room}") + "\n\n")
    acts = IN_ROOM.get(room, ()) + (IN_ROOM["map"] if room == "questions" else ())
    found: dict[str, tuple[Act, list[str]]] = {}
    for act in (*acts, *GLOBAL):
        found.setdefault(act.key, (act, []))[1].extend(keys_of(act).split())
    rows = [(" ".join(dict.fromkeys(keys)), act.help(words)) for act, keys in found.values()]
    rows += [(str(number), words(f"screen.{name}")) for name, number in screens.items()]
    for keys, told in rows:
        text.append(pad(keys, 14) + " ", "bold").append(f"{told}\n")
    return text


def keys_of(act: Act) -> str:
    """Return the keys of an action, as help writes them."""
    return " ".join(_key_label(key) for key in act.keys.split(","))


def _key_label(key: str) -> str:
    *before, last = key.split("+") if len(key) > 1 else (key,)
    last = _NAMES.get(last, last.upper() if len(last) > 1 else last)
    return "-".join([*(part.capitalize() for part in before), last])


class CommandProvider(Provider):
    """The palette: every action of the open screen and of the app, and every screen, in the reader's language."""

    def _entries(self) -> Iterator[tuple[str, str]]:
        app = cast("GameApp", self.app)
        words = app.words
        for name, number in app.screens().items():
            yield f"{words('palette.room')}: {words(f'screen.{name}')}  [{number}]", f"app.screen('{name}')"
        for act in IN_ROOM.get(app.room_name, ()):
            yield f"{act.help(words)}  [{keys_of(act)}]", act.name
        for act in GLOBAL:
            if act.name != "command_palette":
                yield f"{act.help(words)}  [{keys_of(act)}]", f"app.{act.name}"

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
