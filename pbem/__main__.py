"""The process of a command: `pbem`, or `python -m pbem`.

It exits without tearing Python down: freeing the objects of some 350 modules takes a tenth of a command's time.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys


class _Ending:
    """The handler that runs last at exit; `status` is set once the command has finished."""

    def __init__(self) -> None:
        self.status: int | None = None

    def __call__(self) -> None:
        if self.status is None:
            return
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except (OSError, ValueError):
            return  # Python reports the closed stream itself
        os._exit(self.status)


def run() -> None:
    """Run the command line."""
    ending = _Ending()
    # Registered first, so called last: all threads are joined by then.
    atexit.register(ending)
    gc.disable()  # imported objects stay anyway; `main` enables it again

    from pbem.cli import main

    try:
        main()
    except SystemExit as done:
        if done.code is None or isinstance(done.code, int):
            ending.status = done.code or 0
        raise
    except Exception:
        import traceback

        from pbem.cli.console import Exit

        traceback.print_exc()
        sys.stderr.write("pbem: this is an error of pbem itself: please report it with the lines above\n")
        raise SystemExit(Exit.BUG) from None


if __name__ == "__main__":
    run()
