"""The drawn map with a cursor: arrows walk from space to space, Enter chooses, what may be answered is lit."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType

from pbem.tui.widgets.mapview import MapView


class BoardMap(MapView, can_focus=True):
    """A map that is answered on: `lit` are the spaces that the part being written may name, `held` those it names."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "walk(-1,0)", show=False),
        Binding("right", "walk(1,0)", show=False),
        Binding("up", "walk(0,-1)", show=False),
        Binding("down", "walk(0,1)", show=False),
        Binding("enter,space", "take", show=False),
        Binding("plus,equals_sign", "zoom(1)", show=False),
        Binding("minus", "zoom(-1)", show=False),
        Binding("shift+left,H", "pan(-1,0)", show=False),
        Binding("shift+right,L", "pan(1,0)", show=False),
        Binding("shift+up,K", "pan(0,-1)", show=False),
        Binding("shift+down,J", "pan(0,1)", show=False),
        Binding("c", "middle", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.lit: frozenset[str] = frozenset()
        self.held: frozenset[str] = frozenset()

    def mark(self, lit: Collection[str], held: Collection[str]) -> None:
        """Light up what may be named and what is named."""
        found = frozenset(lit), frozenset(held)
        if found != (self.lit, self.held):
            self.lit, self.held = found
            self.refresh()

    def _style(self, what: str, space: str) -> Style:
        style = super()._style(what, space)
        if space in self.held:
            if what.startswith("side:") or space == self.chosen:
                return style + Style(bold=True, underline=True)
            colours = self.app.theme_variables
            return style + Style(
                color=colours["background"], bgcolor=colours["foreground"], bold=True, underline=True
            )
        if space in self.lit:
            accent = Style() if what.startswith("side:") else Style(color=self.app.theme_variables["warning"])
            return style + accent + Style(bold=True, underline=True)
        return style

    def action_walk(self, right: int, down: int) -> None:
        """Select the nearest space in a direction; cells are twice as high as wide."""
        at = self.drawing.at
        here = at.get(self.chosen)
        if here is None:
            here = (self.size.width // 2, self.size.height // 2)
        best, far = "", float("inf")
        for key, (x, y) in at.items():
            across, along = x - here[0], 2 * (y - here[1])
            ahead = across * right + along * down
            aside = abs(across * down) + abs(along * right)
            if key != self.chosen and ahead > 0 and ahead + 2 * aside < far and aside <= 2 * ahead:
                best, far = key, ahead + 2 * aside
        if best:
            self.post_message(self.Picked(best, taken=False))

    def action_take(self) -> None:
        """Put the selected space into the answer."""
        if self.chosen:
            self.post_message(self.Picked(self.chosen))

    def action_middle(self) -> None:
        self.centre()
