"""Figures of the UI for `pbem bench`: time to first paint, key to screen, memory. Headless, on a made-up large view."""

from __future__ import annotations

import asyncio
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

SPACES, ROWS, KEYS = 150, 300, 60
SIZE = (140, 45)
_SIDES = ("england", "france", "spain", "")


def run() -> dict[str, dict[str, Any]]:
    """`{name: {value, unit, n}}`: of `n` measurements the median.

    - `tui_first_paint`: from the start of a new Python to the first painted screen of a 150-space view file
      (`tui_first_paint_cpu`: the least processor time that took, whatever else the machine was doing);
    - `tui_key`: from a key to the screen painted anew, scrolling a table of 300 rows (`tui_key_worst`: the slowest);
    - `tui_memory`: the most memory that process has used.
    """
    with tempfile.TemporaryDirectory(prefix="pbem-bench-") as folder:
        path = Path(folder) / "view.toml"
        write_view(path)
        paints, work, memory = zip(*(_fresh(path) for _ in range(3)), strict=True)
        keys = asyncio.run(_keys(path))
    return {
        "tui_first_paint": {"value": round(statistics.median(paints), 3), "unit": "s", "n": len(paints)},
        "tui_first_paint_cpu": {"value": round(min(work), 3), "unit": "s", "n": len(work)},
        "tui_key": {"value": round(statistics.median(keys) * 1000, 1), "unit": "ms", "n": len(keys)},
        "tui_key_worst": {"value": round(max(keys) * 1000, 1), "unit": "ms", "n": len(keys)},
        "tui_memory": {"value": round(max(memory), 1), "unit": "MiB", "n": len(memory)},
    }


def write_view(path: Path, spaces: int = SPACES, rows: int = ROWS) -> None:
    """A view file of a game that does not exist: a map of so many spaces, a table of so many rows, a log."""
    import tomli_w

    ids = [f"space_{n}" for n in range(spaces)]
    view = {
        "game": "bench",
        "seat": "spain",
        "clock": {"turn": 3},
        "tables": _tables(ids, rows),
        "map": _map(ids),
    }
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
    columns = [
        {"key": "space", "kind": "name"},
        {"key": "side", "kind": "name"},
        {"key": "garrison", "kind": "number"},
    ]
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


def _fresh(path: Path) -> tuple[float, float, float]:
    """Seconds to the first paint, seconds of work for it, MiB at the most, of a process of its own."""
    began = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pbem.tui.bench", str(path)], capture_output=True, text=True, check=True
    )
    taken = perf_counter() - began
    spent_after, work, memory = map(float, done.stdout.split())
    return taken - spent_after, work, memory


async def _first(path: Path) -> tuple[float, float]:
    """Open the view; returns when the first screen had been painted, and the processor time until then."""
    from pbem.tui.app import PbemApp
    from pbem.tui.model.sources import open_source

    app = PbemApp(open_source(path))
    async with app.run_test(size=SIZE) as pilot:
        while not app.screen.query("#map"):
            await pilot.pause(0.001)
        _paint(app)
        return perf_counter(), process_time()


async def _keys(path: Path) -> list[float]:
    """Seconds from a key to the screen, scrolling down the long table."""
    from textual.events import Key

    from pbem.tui.app import PbemApp
    from pbem.tui.model.sources import open_source
    from pbem.tui.widgets.sheet import SheetTable

    app = PbemApp(open_source(path))
    taken = []
    async with app.run_test(size=SIZE) as pilot:
        app.action_room("players")
        await pilot.pause(0.2)
        table = app.screen.query_one(SheetTable)
        table.focus()
        await pilot.pause()
        for _ in range(KEYS):
            before = table.cursor_row
            began = perf_counter()
            app.post_message(Key("down", None))
            while table.cursor_row == before:
                await asyncio.sleep(0)
            _paint(app)
            taken.append(perf_counter() - began)
    return taken


def _paint(app: App[None]) -> None:
    app.screen._compositor.render_strips()  # Textual has no public way to paint without a terminal


def _main() -> None:
    painted, work = asyncio.run(_first(Path(sys.argv[1])))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"{perf_counter() - painted} {work} {memory}\n")


if __name__ == "__main__":
    _main()
