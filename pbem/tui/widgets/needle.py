"""The line for a search: out of sight until somebody looks for something."""

from __future__ import annotations

from textual.widgets import Input


class Needle(Input):
    """What is looked for. It sends `Input.Changed` at every key, `Input.Submitted` when the reader is content."""

    DEFAULT_CSS = """
    Needle { display: none; height: 3; }
    Needle.-open { display: block; }
    """

    def open(self) -> None:
        """Show the line and write in it."""
        self.add_class("-open")
        self.focus()

    def rest(self) -> None:
        """Leave the line where it is while something is looked for, and put it away otherwise."""
        self.set_class(bool(self.value), "-open")

    def close(self) -> None:
        """Look for nothing any more."""
        self.value = ""
        self.rest()
