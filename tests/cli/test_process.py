"""The process of a command leaves at once, and yet leaves nothing undone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = """
import atexit, threading, time
import pbem.cli
from pbem import __main__

def main():
    atexit.register(print, "at exit")
    threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
    print("command")
    {end}

class Freed:
    def __del__(self):
        print("taken apart")

kept = Freed()
pbem.cli.main = main
__main__.run()
"""


def ran(end: str) -> subprocess.CompletedProcess[str]:
    code = COMMAND.format(end=end)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("end", "status"), [("raise SystemExit(3)", 3), ("raise SystemExit", 0)])
def test_threads_and_handlers_are_waited_for_and_the_status_is_that_of_the_command(end, status):
    done = ran(end)
    assert done.returncode == status
    assert done.stdout.split("\n") == ["command", "thread", "at exit", ""]
    assert done.stderr == ""


def test_an_error_that_nobody_caught_is_told_as_ever():
    done = ran("raise RuntimeError('lost')")
    assert done.returncode == 70
    assert "an error of pbem itself" in done.stderr
    assert "RuntimeError: lost" in done.stderr
    assert "taken apart" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_an_output_that_cannot_be_written_is_an_error():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pbem", "--version"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode != os.EX_OK
