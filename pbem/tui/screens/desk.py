"""Room 8, the moderator's desk: who is asked and since when, letters put aside and to be sent. Nobody else sees it."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from pbem.report.model import Heading, Sheet
from pbem.tui.model.clock import age, countdown
from pbem.tui.screens.room import Room, bound
from pbem.tui.widgets.sheet import SheetTable


class DeskRoom(Room):
    """What the moderator alone may see, himself not being a player."""

    NAME = "desk"
    BINDINGS = bound("desk")
    CSS = """
    DeskRoom #counts { height: auto; padding: 0 1; background: $surface; }
    """

    def body(self) -> ComposeResult:
        yield Static(id="counts", markup=False)
        yield SheetTable(id="sheet")

    def draw(self) -> None:
        words, say, now = self.words, self.desk.say(self.language), self.pbem.now()
        table = self.query_one(SheetTable)
        table.display = self.desk.moderator
        counts = self.query_one("#counts", Static)
        if not self.desk.moderator:
            counts.update(Text(words("desk.private")))
            return
        found = self.pbem.source.counts()
        counts.update(Text("   ".join(f"{words(f'desk.{key}')}: {count}" for key, count in found.items())))
        columns = [
            Heading(key, words(f"desk.{key}"), kind)
            for key, kind in (
                ("seat", "name"),
                ("kind", "text"),
                ("state", "text"),
                ("age", "text"),
                ("left", "text"),
            )
        ]
        raw = [
            [
                one.seat,
                say.label(f"kind.{one.kind}"),
                words("questions.done" if one.answered else "questions.open"),
                age(one.since, now, words),
                countdown(one.due, now, words),
            ]
            for one in self.pbem.source.waiting()
        ]
        rows = [[say.name(row[0]), *row[1:]] for row in raw]
        table.load(Sheet("desk", "", "", "", columns, rows, raw), lambda _: None)

    def action_turn_round(self) -> None:
        self.query_one(SheetTable).turn_round()
