"""From which lines a seat may learn what it did not know: a list per game, each key with the rule that makes it public.

`games/<game>/learnt.toml` has two tables: `public` (everybody may learn from the line's arguments, or, if the rule is
followed by a colon and names, from those alone) and `private` (only those seats learn to whom the line says more). A
game without the file may tell by any line marked `learns`.

A third table, `secret`, names the kinds of questions that one seat answers by itself and of whose answer nobody else
sees anything: two worlds may part there unseen. A fourth, `hidden`, names parts of an act, as `act.field`, that only
its writer sees (which face-down markers he places, say): each world has its own there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pbem.kernel.game import Game
from pbem.kernel.table import Line

PUBLIC, PRIVATE, SECRET, HIDDEN = "public", "private", "secret", "hidden"


@cache
def _lists(package: str) -> dict[str, Any] | None:
    try:
        file = files(package).joinpath("learnt.toml")
    except ModuleNotFoundError:  # a game made up for a test
        return None
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else None


def _lists_of(game: Game) -> dict[str, Any] | None:
    """The lists of a game; None for one made up for a test, which may borrow another's package."""
    return _lists(game.package) if game.package.rpartition(".")[2] == game.slug else None


def secret_kinds(game: Game) -> frozenset[str]:
    """The kinds of questions of whose answer nobody else sees anything."""
    return frozenset((_lists_of(game) or {}).get(SECRET, ()))


def hidden_field(game: Game, act: object) -> str:
    """The field of an act that nobody but its writer sees, "" if it has none."""
    if not isinstance(act, dict):
        return ""
    names = (key.split(".") for key in (_lists_of(game) or {}).get(HIDDEN, ()))
    return next((field for do, field in names if act.get("do") == do and field in act), "")


def may_be_learnt(game: Game, *lines: Line) -> bool:
    """Whether two worlds may part for a seat in these lines (its first that differ, one or none of each world)."""
    lists = _lists_of(game)
    if lists is None:
        return any(line.reveals for line in lines)
    if any(_is_public(lists.get(PUBLIC, {}).get(line.key), lines) for line in lines):
        return True
    if len({public_part(line) for line in lines}) > 1 or len(lines) == 1:
        return False  # everybody would learn it
    return all(line.key in lists.get(PRIVATE, {}) for line in lines)


def _is_public(entry: str | None, lines: Sequence[Line]) -> bool:
    """Whether a line on the list tells what differs: all that it says, or only the arguments that its entry names."""
    if entry is None or ":" not in entry:
        return entry is not None
    named = entry.partition(":")[2].split()
    others = [{name: arg for name, arg in line.args.items() if name not in named} for line in lines]
    return all(line.key == lines[0].key for line in lines) and all(args == others[0] for args in others)


def public_part(line: Line) -> str:
    """What of a line is everybody's; of one that only some may read, nothing is."""
    return line.key if line.only is not None else f"{line.key} {line.args} {line.rule} {line.n}"
