"""A tmux with its own socket, and the program in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
PBEM = f"{sys.executable} -c 'from pbem.cli import main; main()'"

ESCAPE = 0.5
"""Seconds after which a program knows that an escape was one, and not the beginning of another key."""


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

    def wait(self, *texts: str, seconds: float = 300.0) -> str:
        """The screen, once one of `texts` stands on it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen
            if any(text in screen for text in texts):
                return screen
            time.sleep(0.05)
        raise AssertionError(f"none of {texts} ever came:\n{screen}")

    def press(self, key: str, *texts: str) -> str:
        """The screen with one of `texts` that a key leads to. If nothing came of the key, it was too early: again."""
        for _ in range(3):
            before = self.screen
            self.keys(key)
            with suppress(AssertionError):
                return self.wait(*texts, seconds=60)
            if self.screen != before:
                break
        return self.wait(*texts)

    def escape(self) -> None:
        """An escape with no key close to it, until the screen, its colours or its cursor show what came of it.

        If nothing does, there was nothing to leave.
        """
        time.sleep(ESCAPE)
        before, end = self._looks(), time.monotonic() + 20
        self.keys("Escape")
        while self._looks() == before and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(ESCAPE)

    def _looks(self) -> tuple[str, str]:
        return self.tmux("capture-pane", "-e", "-p"), self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}")

    def keys(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Letter by letter, as on a keyboard."""
        self.tmux("send-keys", "-l", text)

    def stop(self) -> None:
        self.tmux("kill-server")
