"""Every action of the UI, for bindings, key bar, help and palette; `KeyedApp` carries them out one after the other.

The actions and their keys are in `keys/bindings.toml`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from textual import events
from textual.app import App, ReturnType
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea

from pbem.data_cache import tables_of
from pbem.tui.model.messages import ScreenMessages

T = TypeVar("T")

SCREENS = ("map", "players", "hand", "questions", "negotiation", "log", "moderator", "orders")
"""The screens in the order of their numbers."""


@dataclass(frozen=True)
class Act:
    """An action: Textual name, keys, key bar text (`shown`).

    Its messages are `act.<key>` and `help.<key>`; a moderator's, `action.<key>` and `action.<key>.help`.
    """

    name: str
    keys: str
    shown: str = ""
    priority: bool = False

    @property
    def key(self) -> str:
        name, _, about = self.name.partition("(")
        return about.split()[0].strip("')") if name == "start" else name

    @property
    def call(self) -> tuple[str, tuple[object, ...]]:
        """The action and what `check_action` needs of its parameters."""
        name, _, about = self.name.partition("('")
        return name.partition("(")[0], (about.removesuffix("')"),) if about else ()

    def label(self, words: ScreenMessages) -> str:
        return words(f"action.{self.key}" if self.key in _MODERATED else f"act.{self.key}")

    def help(self, words: ScreenMessages) -> str:
        return words(f"action.{self.key}.help" if self.key in _MODERATED else f"help.{self.key}")


_TABLES = tables_of("pbem.tui", "keys")["bindings"]

MODERATING: dict[str, str] = _TABLES.pop("moderating")
"""The moderator's actions by key: the first one that is possible is done."""

_MODERATED = frozenset(acts.split()[0] for acts in MODERATING.values())

IN_ROOM = {room: tuple(Act(name, *about) for name, about in acts.items()) for room, acts in _TABLES.items()}
GLOBAL = IN_ROOM.pop("app")
_FIRST, *_REST = IN_ROOM["moderator"]
IN_ROOM["moderator"] = (_FIRST, *(Act(f"start('{acts}')", key, key) for key, acts in MODERATING.items()), *_REST)


def bindings(room: str = "") -> list[BindingType]:
    """Return the bindings of a screen or of the map, else those of the app. A keymap refers to their ids."""
    return [
        Binding(act.keys, act.name, act.key, show=False, id=act.name, priority=act.priority)
        for act in (IN_ROOM[room] if room else GLOBAL)
    ]


_LOOK, _MOST = 0.005, 2000  # seconds between two looks if a key was executed, and the most looks

Picture = tuple[Screen[Any], asyncio.Event]
"""A screen, and whether all that was to be done after its next picture is done."""


class KeyedApp(App[ReturnType]):
    """An app in which each key acts on what those before it have done, however fast they come.

    Text goes straight into a field of text. Any other key waits until what was typed before it is taken in, and those
    behind it wait until it was executed: until a dialog is open, the focus has moved, the bots have played.
    """

    CSS_PATH = Path(__file__).with_name("pbem.tcss")
    playing = False  # whether orders are being executed next to the screen; bots may think for a while
    sent = False
    """Whether the key that is executed has sent an answer. Keys behind it are dropped: none answers a question that
    wasn't on the screen."""
    behind: list[events.Key | events.Paste] | None = None  # the keys that wait; None while none has to

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self.behind is None or (self.playing and getattr(event, "key", "") == "ctrl+q"):
            await self._carry_out(event)
        else:
            self.behind.append(event)

    async def _carry_out(self, event: events.Key | events.Paste, *, waited: bool = False) -> None:
        field = self.focused
        if isinstance(event, events.Paste) and isinstance(field, Input):
            event.text = " ".join(event.text.split())  # a line of text takes the first line alone
        if not (isinstance(field, Input | TextArea) and _is_text(event, field)):
            self.behind, self.sent = [], False
            self.after(_LOOK, self._look_on)
            if not waited and (field is None or self.busy()):  # without a focus, it may be on its way
                self.behind.append(event)
                return
        await super().on_event(event)

    def busy(self) -> bool:
        """Return whether something is still to be done: messages, parts of a screen that opens, work next to it."""
        parts = self.screen.walk_children(Widget, with_self=True)
        return (
            self.playing
            or any(not worker.is_finished for worker in self.workers)
            or any(part.message_queue_size or not part.is_mounted for part in parts)
        )

    async def _look_on(self, looks: int = 0, picture: Picture | None = None) -> None:
        """Let the next key through once nothing is left to do, nor after the next picture of the screen."""
        if not self.screen_stack:  # the app has ended
            return
        if self.busy() or (picture is not None and picture[0] is not self.screen):
            picture = None
        elif picture is None:
            picture = self.screen, asyncio.Event()
            self.screen.call_after_refresh(picture[1].set)
        if self.playing or (looks < _MOST and not (picture is not None and picture[1].is_set())):
            self.after(_LOOK, partial(self._look_on, looks + 1, picture))
            return
        waiting, self.behind = self.behind or [], None
        if self.sent and waiting:
            self.bell()
            return
        for event in waiting[:1]:
            await self._carry_out(event, waited=True)
        for event in waiting[1:]:
            await self.on_event(event)

    def after(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call back once, for certain. Textual's `set_timer` never does if the process stands still for that long."""
        return asyncio.get_running_loop().call_later(seconds, self.call_next, callback)

    def ask(self, dialog: Screen[T | None], then: Callable[[T], object]) -> None:
        """Open a dialog; what is chosen or written there goes to `then`, unless the player leaves it."""

        def answered(result: T | None) -> None:
            if result is not None:
                then(result)

        self.push_screen(dialog, answered)

    def drop_keys(self) -> None:
        """Drop the keys that wait: they come from before a dialog that they would answer."""
        if self.behind:
            self.behind.clear()
            self.bell()


def _is_text(event: events.Key | events.Paste, field: Input | TextArea) -> bool:
    """Return whether a key only changes the text of a field."""
    if isinstance(event, events.Paste):
        return True
    return event.is_printable or event.key == "backspace" or (event.key == "enter" and isinstance(field, TextArea))
