"""Reaction sheets: card windows are answered from what each seat has written beforehand; nobody is asked, nobody waits.

A sheet is a seat's standing answers to the windows in which cards are played. In a game with `reactions = sheet` such a
window closes at once, whatever stands on the sheets. So no time passes in it that could tell who holds a card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.game import Game, Option
from pbem.kernel.questions import Window
from pbem.kernel.simple import Choice

SHEET, ASK = "sheet", "ask"

REACTIONS = Option(
    "reactions",
    Choice((SHEET, ASK)),
    SHEET,
    {
        "en": "cards played in response come from each player's sheet of standing answers (sheet); "
        "or each response is asked for (ask)",
        "ja": "対応カードは各プレイヤーが前もって書いた対応表から使う（sheet）、または対応のたびに尋ねる（ask）",
    },
    older=ASK,
)
"""The option of a game with card windows."""


def from_sheets(window: Window[Any], options: Mapping[str, Any]) -> bool:
    """Whether a window is answered from the sheets."""
    return window.cards and options.get(REACTIONS.id) == SHEET


def sheet_kinds(game: Game[Any, Any], options: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of windows that are answered from the sheets in a game with these options."""
    return game.card_kinds if options.get(REACTIONS.id) == SHEET else ()
