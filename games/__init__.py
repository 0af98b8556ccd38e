"""The catalogue of games: a static table of the built-in ones, and the loader.

Listing imports no game and no `importlib.metadata`; `load` imports the game's module. Other packages register games
in the entry-point group `pbem.games`, read only for an unknown slug or on request. Built-in names take precedence.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from pbem.kernel.game import Game

__all__ = [
    "BUILT_IN",
    "ENTRY_POINT_GROUP",
    "GameEntry",
    "GameError",
    "UnknownGame",
    "add_folder",
    "catalogue",
    "entry",
    "load",
]

ENTRY_POINT_GROUP = "pbem.games"
FOLDERS = "PBEM_GAMES"
"""The environment variable that lists folders with games that aren't installed."""


class GameEntry(msgspec.Struct, frozen=True):
    """One row of the catalogue.

    `module` holds the attribute `GAME`. `status` is `ready` (built in) or `external` (an entry point; titles and
    seats are unknown until it is loaded).
    """

    slug: str
    module: str
    title: str
    title_ja: str
    seats_min: int
    seats_max: int
    status: str = "ready"


def _built_in(slug: str, title: str, title_ja: str, seats_min: int, seats_max: int) -> GameEntry:
    return GameEntry(slug, f"games.{slug}", title, title_ja, seats_min, seats_max)


BUILT_IN: dict[str, GameEntry] = {
    known.slug: known
    for known in (
        _built_in("sixteen_thirty", "1630 Something", "1630年のどこか", 3, 6),
        _built_in("imperial_struggle", "Imperial Struggle", "インペリアル・ストラグル", 2, 2),
        _built_in("crown_of_roses", "Crown of Roses", "バラの王冠", 2, 4),
        _built_in("virgin_queen", "Virgin Queen", "バージンクイーン", 2, 6),
    )
}


class GameError(LookupError):
    """A game can't be loaded; the message says why."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownGame(GameError):
    """No game has this slug. `near` holds similar slugs, best first."""

    def __init__(self, slug: str, near: list[str], known: list[str]) -> None:
        hint = f"did you mean {' or '.join(near)}?" if near else f"known games: {', '.join(known)}"
        super().__init__(f"unknown game {slug!r}: {hint}")
        self.slug = slug
        self.near = near


def catalogue(*, third_party: bool = False) -> list[GameEntry]:
    """Return all games in table order; with `third_party`, those of other packages after them."""
    found = list(BUILT_IN.values())
    if third_party:
        found += [_external(point) for name, point in sorted(_entry_points().items()) if name not in BUILT_IN]
    return found


def entry(slug: str) -> GameEntry:
    """Return the catalogue row of one game. Raises `UnknownGame` if it is neither built in nor registered."""
    if slug in BUILT_IN:
        return BUILT_IN[slug]
    if (module := _in_folders(slug)) is not None:
        return module
    points = _entry_points()
    if slug in points:
        return _external(points[slug])
    import difflib

    known = [*BUILT_IN, *sorted(points)]
    raise UnknownGame(slug, difflib.get_close_matches(slug, known, n=3, cutoff=0.5), known)


def load(slug: str) -> Game:
    """Import a game and return its `GAME`.

    Raises `UnknownGame` for an unregistered slug and `GameError` for a missing or invalid `GAME`. An error in the
    code of a game that isn't built in is reported with its file and line.
    """
    found = entry(slug)
    try:
        if found.status == "external":
            game = cast("Game", _entry_points()[slug].load())
        else:
            game = cast("Game", importlib.import_module(found.module).GAME)
        if slug not in BUILT_IN:
            from pbem.data_cache import messages

            messages(game.package, "en")  # a broken text file is told now, with its name
        return game
    except AttributeError as error:
        if error.name != "GAME":
            raise
        raise GameError(f"{found.module} has no GAME") from None
    except ValueError as error:
        raise GameError(f"{found.module}: {error}") from error
    except SyntaxError as error:
        raise GameError(f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}") from error
    except (ImportError, NameError, TypeError) as error:
        if slug in BUILT_IN:
            raise
        from traceback import walk_tb

        *_, (frame, line) = walk_tb(error.__traceback__)
        where = f"{frame.f_code.co_filename}:{line}"
        raise GameError(f"{where}: {type(error).__name__}: {error}") from error


def add_folder(path: Path) -> str:
    """Make the game in a folder loadable here and in child processes (`PBEM_GAMES`); return its slug.

    `path` is the game's package, or the project folder around a package of the same name. Raises `GameError`.
    """
    path = path.resolve()
    home = path if (path / path.name / "__init__.py").is_file() else path.parent
    if not (home / path.name / "__init__.py").is_file():
        raise GameError(f"no game in {path}: no __init__.py there")
    others = os.environ.get(FOLDERS, "")
    os.environ[FOLDERS] = f"{home}{os.pathsep}{others}" if others else str(home)
    return path.name


def _in_folders(slug: str) -> GameEntry | None:
    """Find a game in a folder of `PBEM_GAMES`. Only the user sets these folders; a save never names one."""
    for home in filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)):
        if slug.isidentifier() and Path(home, slug, "__init__.py").is_file():
            if home not in sys.path:
                sys.path.append(home)
            return GameEntry(slug, slug, slug, slug, 0, 0, "folder")
    return None


def _external(point: EntryPoint) -> GameEntry:
    return GameEntry(point.name, point.module, point.name, point.name, 0, 0, "external")


def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # 40 ms: only if a game isn't built in

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
