"""A tmux with its own socket, and the program in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
PBEM = f"{sys.executable} -c 'from pbem.cli import main; main()'"


class Terminal:
    """A terminal of its own."""

    def __init__(self, folder: Path, wide: int = 80, high: int = 24) -> None:
        self.socket, self.wide, self.high = str(folder / "tmux"), wide, high

    def tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self.socket, "-f", "/dev/null", *words], capture_output=True, text=True, check=False
        )
        return done.stdout

    def start(self, command: str) -> None:
        # pytest-xdist's workers name a size of their own, which would count before that of the terminal.
        outer = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
        env = {**outer, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
        size = ["-x", str(self.wide), "-y", str(self.high)]
        words = ["tmux", "-S", self.socket, "-f", "/dev/null", "new-session", "-d", *size, command]
        subprocess.run(words, env=env, check=True)

    @property
    def screen(self) -> str:
        """What stands on it now."""
        return self.tmux("capture-pane", "-p")

    def wait(self, *texts: str, seconds: float = 30.0) -> str:
        """The screen, once one of `texts` stands on it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen
            if any(text in screen for text in texts):
                return screen
            time.sleep(0.05)
        raise AssertionError(f"none of {texts} ever came:\n{screen}")

    def keys(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Letter by letter, as on a keyboard."""
        self.tmux("send-keys", "-l", text)

    def stop(self) -> None:
        self.tmux("kill-server")
