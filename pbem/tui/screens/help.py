"""The help of a screen: what it is for, then every key."""

from __future__ import annotations

from rich.text import Text

from pbem.report.text_width import pad
from pbem.tui.key_bindings import GLOBAL, IN_ROOM, SCREENS, Act
from pbem.tui.model.messages import ScreenMessages

_NAMES = {
    "slash": "/", "question_mark": "?", "right_square_bracket": "]", "left_square_bracket": "[", "plus": "+",
    "minus": "-", "equals_sign": "=", "comma": ",", "full_stop": ".", "escape": "Esc", "enter": "Enter",
    "space": "Space", "left": "<-", "right": "->", "home": "Home", "end": "End",
}  # fmt: skip


def help_text(room: str, words: ScreenMessages) -> Text:
    """Return the help of a screen in the reader's language."""
    text = Text(words(f"help.screen.{room}") + "\n\n")
    seen: set[str] = set()
    acts = IN_ROOM.get(room, ())
    for act in (*acts, *GLOBAL):
        if act.key in seen:
            continue
        seen.add(act.key)
        keys = [
            _shown(key)
            for key_act in (*acts, *GLOBAL)
            if key_act.key == act.key
            for key in key_act.keys.split(",")
        ]
        text.append(pad(" ".join(dict.fromkeys(keys)), 14) + " ", "bold")
        text.append(words(f"help.{act.key}") + "\n")
    text.append(pad(f"1-{len(SCREENS)}", 14) + " ", "bold")
    text.append(words("help.room") + "\n")
    return text


def keys_of(act: Act) -> str:
    """Return the keys of an action, as help writes them."""
    return " ".join(_shown(key) for key in act.keys.split(","))


def _shown(key: str) -> str:
    *before, last = key.split("+") if len(key) > 1 else (key,)
    last = _NAMES.get(last, last.upper() if len(last) > 1 else last)
    return "-".join([*(part.capitalize() for part in before), last])
