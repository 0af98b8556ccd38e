"""The process that `python -m tests.bench --tui` measures: the app from its start to its first screen, then some keys.

A module of its own, that imports no more than the app does. Prints the seconds since that screen, the processor time up
to it, and MiB: then, and at last.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time

from pbem.tui import starting

SIZE = (144, 45)
SEAT = "spain"
MAP_KEYS = ("plus", "plus", "shift+left", "shift+down", "minus", "down", "down", "n", "escape", "right_square_bracket",
            "w", "plus", "plus", "minus", "c", "m", "m", "m")  # fmt: skip
TALK_KEYS = ("p", "down", "down", "escape", "w", "escape", "down", "up")
ON = "on"
"""Said to the process that is measured: it goes on after its first screen, on the map and in the talk."""


async def _first(path: Path, *, on: bool) -> tuple[float, float, float, float]:
    """When the first screen had come to rest, the work for it, MiB then, and after keys on the map and in the talk."""
    from pbem.tui.app import PbemApp
    from pbem.tui.model.game_source import open_source

    painted = [0.0, 0.0]

    class Watched(PbemApp):
        def post_display_hook(self) -> None:
            painted[:] = perf_counter(), process_time()

    app = Watched(open_source(path, SEAT))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        (at, work), memory = painted, _used()
        for room, keys in (("map", MAP_KEYS), ("negotiation", TALK_KEYS)) if on else ():
            app.action_screen(room)
            await pilot.press(*keys)
    return at, work, memory, _used()


def _used() -> float:
    """The most memory that this process has used so far, in MiB."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    # This counts what the process that started it had used, too.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _main() -> None:
    with starting():
        at, work, memory, most = asyncio.run(_first(Path(sys.argv[1]), on=ON in sys.argv))
    sys.stdout.write(f"{perf_counter() - at} {work} {memory} {most}\n")


if __name__ == "__main__":
    _main()
