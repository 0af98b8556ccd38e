"""UI figures of `python -m tests.bench --tui`: first paint, keys, memory, bytes a key. On a talk of Virgin Queen.

Times of keys are taken without a terminal; bytes in a terminal of its own, as they would go through SSH.
"""

from __future__ import annotations

import asyncio
import os
import select
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, perf_counter, process_time
from typing import TYPE_CHECKING, Any

from pbem.tui import starting
from tests.bench.first import MAP_KEYS, ON, SEAT, SIZE, TALK_KEYS

if TYPE_CHECKING:
    from textual.pilot import Pilot

SPACES, ROWS, KEYS, ROUNDS = 150, 300, 60, 5
GAME = "virgin_queen"
_SIDES = ("england", "france", "spain", "")
_AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
ROOM_KEYS = ("2", "3", "4", "5", "6", "7", "8", "9", "1", "question_mark", "escape", "ctrl+p")
TYPED = (b"1", b"+", b"+", b"H", b"-", b"\x1b[B", b"\x1b[B", b"w", b"]", b"4")
_QUIET = 0.4
"""Seconds without a byte after which a screen is finished."""

_BARE = """
import asyncio
from textual.app import App
from textual.widgets import Static
from time import process_time
class Bare(App):
    painted = 0.0
    def compose(self):
        yield Static("bare")
    def post_display_hook(self):
        self.painted = process_time()
async def main():
    app = Bare()
    async with app.run_test(size=(144, 45)) as pilot:
        await pilot.pause()
    print(0, app.painted, 0)
asyncio.run(main())
"""


def run() -> dict[str, dict[str, Any]]:
    """`{name: {value, unit, n}}`.

    - `tui_first_paint`: from the start of a new Python to the first screen at rest, the median; `tui_first_paint_cpu`
      the least processor time for it, `tui_python_cpu` and `tui_textual_cpu` that of Python alone and of Textual with
      one word, measured in turn with it;
    - `tui_key`, `tui_key_worst`: from a key to the screen, scrolling a table of 300 rows;
    - `tui_map_key`, `tui_map_key_worst`: zoom, pan and choice on the map; `tui_talk_key` and `_worst`: the negotiation;
      `tui_room_key` and `_worst`: each room, the help and the palette, opened for the first time;
    - `tui_memory`: what a process has used up to its first screen; `tui_memory_most` with map and negotiation;
    - `tui_bytes_first`, `tui_bytes_key`, `tui_bytes_key_worst`: what is written to the terminal.
    """
    with tempfile.TemporaryDirectory(prefix="pbem-bench-") as folder:
        view, save = Path(folder) / "view.toml", Path(folder) / "game.toml"
        write_view(view)
        write_game(save)
        paints, work, memory, most, bare, textual = zip(*(_round(save) for _ in range(ROUNDS)), strict=True)
        found = {
            "tui_first_paint": _figure(statistics.median(paints), "s", ROUNDS, 3),
            "tui_first_paint_cpu": _figure(min(work), "s", ROUNDS, 3),
            "tui_python_cpu": _figure(min(bare), "s", ROUNDS, 3),
            "tui_textual_cpu": _figure(min(textual), "s", ROUNDS, 3),
        }
        for name, pressing in (
            ("tui_key", _keys(view)),
            ("tui_map_key", _key_costs(save, "map", MAP_KEYS)),
            ("tui_talk_key", _key_costs(save, "negotiation", TALK_KEYS)),
            ("tui_room_key", _key_costs(save, "questions", ROOM_KEYS)),
        ):
            with starting():  # as the program begins: what is there at its first screen is no garbage
                keys = asyncio.run(pressing)
            found[name] = _figure(statistics.median(keys) * 1000, "ms", len(keys))
            found[f"{name}_worst"] = _figure(max(keys) * 1000, "ms", len(keys))
        found["tui_memory"] = _figure(max(memory), "MiB", ROUNDS)
        found["tui_memory_most"] = _figure(max(most), "MiB", ROUNDS)
        found |= _bytes(list(_written(save)))
    return found


def _bytes(written: list[int]) -> dict[str, dict[str, Any]]:
    """What is written to the terminal; nothing where there is none."""
    if not written:
        return {}
    first, *keys = written
    return {
        "tui_bytes_first": _figure(first, "bytes", 1, 0),
        "tui_bytes_key": _figure(statistics.median(keys), "bytes", len(keys), 0),
        "tui_bytes_key_worst": _figure(max(keys), "bytes", len(keys), 0),
    }


def _figure(value: float, unit: str, n: int, digits: int = 1) -> dict[str, Any]:
    return {"value": round(value, digits), "unit": unit, "n": n}


def write_view(path: Path, spaces: int = SPACES, rows: int = ROWS) -> None:
    """A view file of a game that does not exist: a map of so many spaces, a table of so many rows, a log."""
    import tomli_w

    ids = [f"space_{n}" for n in range(spaces)]
    view = {"game": "bench", "seat": "spain", "clock": {"turn": 3}, "tables": _tables(ids, rows), "map": _map(ids)}
    document = {
        "format": 1, "game": "bench-1", "rules": "bench", "seat": "spain", "code": "", "q": 1, "moves": 900,
        "seats": list(_SIDES[:3]), "title": {"en": "Bench"}, "questions": [], "view": view,
        "log": [{"n": n, "en": f"Line {n} of what has happened so far in this game."} for n in range(900)],
        "names": {key: {"en": f"Space number {n}", "ja": f"第{n}スペース"} for n, key in enumerate(ids)},
        "aliases": {}, "faces": {},
    }  # fmt: skip
    path.write_text(tomli_w.dumps(document), "utf-8")


def _tables(ids: list[str], rows: int) -> list[dict[str, Any]]:
    """Five regions and a long table of units."""
    columns = [{"key": "space", "kind": "name"}, {"key": "side", "kind": "name"}, {"key": "garrison", "kind": "number"}]
    regions = [
        {
            "id": f"region_{r}",
            "group": "map",
            "columns": columns,
            "rows": [[ids[n], _SIDES[n % 4], n % 7] for n in range(r, len(ids), 5)],
        }
        for r in range(5)
    ]
    units = [[f"unit_{n}", _SIDES[n % 3], n] for n in range(rows)]
    return [*regions, {"id": "units", "columns": columns, "rows": units}]


def _map(ids: list[str]) -> list[dict[str, Any]]:
    """The spaces, scattered."""
    return [
        {
            "id": key,
            "x": float(n * 37 % 101),
            "y": float(n * 53 % 67),
            "side": _SIDES[n % 4],
            "mark": str(n % 7),
            "links": [ids[(n + 1) % len(ids)], ids[(n * 7 + 3) % len(ids)]],
        }
        for n, key in enumerate(ids)
    ]


def write_game(path: Path) -> None:
    """A game of six in the middle of its first negotiation."""
    import games
    from pbem.kernel.game import Setup
    from pbem.save import SeatInfo, Session

    game = games.load(GAME)
    seats = game.seats_for(6)
    setup = Setup(game.slug, seats, "5a" * 32, game.scenarios[0].id, game.with_defaults({}))
    session = Session.create(path, game, setup, [SeatInfo(seat) for seat in seats], at=_AT)
    session.commit(_AT)


def _round(path: Path) -> tuple[float, float, float, float, float, float]:
    """One process of each kind: seconds to the first paint, seconds of work for it, MiB then, MiB at last; work of
    Python, of Textual.
    """
    began = perf_counter()
    after, work, memory, most = _child("-m", "tests.bench.first", str(path), ON)
    taken = perf_counter() - began
    bare = _child("-c", "from time import process_time; print(0, process_time(), 0)")[1]
    return taken - after, work, memory, most, bare, _child("-c", _BARE)[1]


def _child(*words: str) -> tuple[float, ...]:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    return tuple(map(float, done.stdout.split()))


async def _key_costs(path: Path, room: str, keys: Sequence[str]) -> list[float]:
    """Seconds of work of each key in a room."""
    from pbem.tui.app import PbemApp
    from pbem.tui.model.game_source import open_source

    app = PbemApp(open_source(path, SEAT))
    async with app.run_test(size=SIZE) as pilot:
        app.action_screen(room)
        await pilot.pause(0.2)
        return [await _spent(pilot, key) for key in keys]


async def _keys(path: Path) -> list[float]:
    """Seconds of work of each key, scrolling down the long table."""
    from pbem.tui.app import PbemApp
    from pbem.tui.model.game_source import open_source
    from pbem.tui.screens.board_base import BoardScreen
    from pbem.tui.widgets.report_table import ReportTableWidget

    app = PbemApp(open_source(path))
    async with app.run_test(size=SIZE) as pilot:
        app.action_screen("questions")
        await pilot.pause(0.2)
        room = app.room
        assert isinstance(room, BoardScreen)
        room.page, room.board = 1, "table"
        room.draw_board()
        app.screen.query_one(ReportTableWidget).focus()
        return [await _spent(pilot, "down") for _ in range(KEYS)]


async def _spent(pilot: Pilot[None], key: str) -> float:
    """Seconds of work from a key until the app is at rest."""
    began = process_time()
    await pilot.press(key)
    return process_time() - began


def _written(path: Path) -> Iterator[int]:
    """Bytes written to a terminal, for the first screen, then for each key; nothing where there is no pty."""
    try:
        import fcntl
        import pty
        import termios
    except ImportError:
        return
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
    words = [sys.executable, "-m", "pbem", "tui", str(path), "--seat", SEAT]
    env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    child = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    try:
        yield _read(ours, 20)
        for key in TYPED:
            os.write(ours, key)
            yield _read(ours, 2)
    finally:
        child.terminate()
        child.wait()
        os.close(ours)


def _read(terminal: int, patience: float) -> int:
    """How many bytes come until the terminal is quiet."""
    count, until = 0, monotonic() + patience
    while monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], _QUIET if count else patience)
        if not ready:
            break
        count += len(os.read(terminal, 1 << 16))
    return count
