"""The process of a command: `pbem`, and `python -m pbem` where no console script is on the path.

A command leaves without taking Python apart: freeing each object of some 350 modules costs a tenth of what the command
itself costs.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys


class _Ending:
    """What is called last at the end of the process; `status` is known if the command came to its end."""

    def __init__(self) -> None:
        self.status: int | None = None

    def __call__(self) -> None:
        if self.status is None:
            return
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except (OSError, ValueError):
            return  # Python itself says what is to be said of a stream that is gone
        os._exit(self.status)


def run() -> None:
    """Run the command line."""
    ending = _Ending()
    # The first to be registered is the last to be called: threads are joined by then, and all else is done.
    atexit.register(ending)
    gc.disable()  # what imports make stays; `main` takes it up again

    from pbem.cli import main

    try:
        main()
    except SystemExit as done:
        if done.code is None or isinstance(done.code, int):
            ending.status = done.code or 0
        raise
    except Exception:
        import traceback

        from pbem.cli.exit_codes import Exit

        traceback.print_exc()
        sys.stderr.write("pbem: this is an error of pbem itself: please report it with the lines above\n")
        raise SystemExit(Exit.BUG) from None


if __name__ == "__main__":
    run()
