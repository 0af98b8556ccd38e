"""The board beside a question: a map that follows the answer, the table of a region, or both."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.text import Text
from textual import on
from textual.geometry import Size
from textual.widgets import DataTable

from pbem.kernel.view import MapSpace
from pbem.report.model import ReportTable
from pbem.tui.model.answer_fields import FormRow
from pbem.tui.model.badges import NOBODY, Badge, badges
from pbem.tui.model.messages import step
from pbem.tui.model.seat_view import ScreenQuestion
from pbem.tui.screens.answer_base import AnswerScreen
from pbem.tui.screens.question_panels import (
    focus,
    inside,
    legend,
    named,
    options,
    region_of,
    show_map,
    space_text,
    with_further,
)
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import TextBar
from pbem.tui.widgets.mapview import BoardMap, MapView
from pbem.tui.widgets.panels import Panel, PanelHeading
from pbem.tui.widgets.report_table import ReportTableWidget

NEAR, WHOLE, TABLE = BOARDS = ("near", "whole", "table")
"""What the board shows: what the question is about, as a map or a table; the whole map; the table of a region."""

CELLS = 40
"""Fewer cells of map for each space are a field of letters."""

SHORT, LOW = 12, 8
"""A table of fewer rows stands above the map, if that has so many rows left."""


class BoardScreen(AnswerScreen):
    """A screen with a form and a board (`#board`, with `#places`, `#map` and `#legend`) that answers are taken from."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen = ""
        self.board = NEAR
        self.area = ""
        self.sides: Mapping[str, Badge] = {}
        self._drawn_for: tuple[int, str] | None = None

    def draw_board(self) -> None:
        """Draw the map around what the question names, and the table of its region where that tells more."""
        desk = self.desk
        self.set_class(bool(desk.view.map), "-board")
        self.query_one("#board").display = bool(desk.view.map)
        if not desk.view.map:
            return
        now = (self.asked.q, self.asked.seat) if self.asked is not None else None
        if now != self._drawn_for:  # another question is about another place
            self._drawn_for, self.chosen, self.area, self.board = now, "", "", NEAR
        self.sides = badges(desk, self.language)
        shown, sheet = self._in_sight(), self._region()
        table, drawn = self._layout(inside(desk.view.map, shown), sheet)
        self.set_class(table, "-table")
        self.set_class(drawn, "-map")
        if drawn:
            self._draw_map(shown)
        if table and sheet is not None:
            places = self.query_one(ReportTableWidget)
            places.styles.height = len(sheet.rows) + 1 if drawn else "1fr"
            if places.sheet != sheet:
                places.load(sheet, self._badge_of)
            places.go(self.chosen)
        title = sheet.title if sheet is not None and not drawn else self.words("screen.map")
        keys = self.words("table.map_keys" if drawn else "table.table_keys")
        self.query_one("#map-head", PanelHeading).tell("1", title, keys)
        self.mark()
        self.draw_space()

    def _layout(self, spaces: Collection[MapSpace], sheet: ReportTable | None) -> tuple[bool, bool]:
        """Return whether the table and whether the map is shown. Where spaces have no room, the table tells more."""
        if sheet is None:
            return False, True
        if self.board != NEAR:
            return self.board == TABLE, self.board == WHOLE
        wide, high = self._board_cells()
        if len(sheet.rows) < SHORT and high - len(sheet.rows) >= LOW:
            return True, True
        crowded = wide * high < CELLS * len(spaces)
        return crowded, not crowded

    def _board_cells(self) -> tuple[int, int]:
        """Return the cells of the board below its heading. Before the layout, half of the screen is assumed."""
        size = self.query_one("#board").size or Size(self.app.size.width // 2, self.app.size.height)
        return size.width, max(size.height - 2, 1)

    def _region(self) -> ReportTable | None:
        """Return the table to show: the one chosen by key, else that of the question's region, with further columns."""
        desk, language = self.desk, self.language
        sheets = desk.sheets(language, of_map=True)
        asked = set(named(self.asked.about)) if self.asked is not None else set()
        offered = {key for slot in self._slots() for key in options(slot)}
        sheet = next((sheet for sheet in sheets if sheet.id == self.area), None) or region_of(
            sheets, desk, {*asked, self.chosen}, offered
        )
        if sheet is None:
            return None
        short = {desk.say(language).name(seat): self.sides[seat].letter for seat in desk.seats}
        return with_further(sheet, desk.sheets(language, of_map=False), short)

    def _badge_of(self, key: str) -> Text | None:
        space = next((space for space in self.desk.view.map if space.id == key), None)
        badge = self.sides.get(space.side, NOBODY) if space is not None else None
        return Text(badge.letter, badge.style) if badge is not None else None

    def _draw_map(self, shown: Sequence[MapSpace]) -> None:
        desk, view = self.desk, self.query_one(BoardMap)
        show_map(view, desk, self.language, self.sides, shown)
        spaces = {space.id for space in desk.view.map}
        if self.chosen not in spaces:
            self.chosen = self._subject(spaces) or shown[0].id
        view.choose(self.chosen)
        view.tell(self.pbem.last_lines())
        told = legend(inside(desk.view.map, shown), self.sides, desk.say(self.language), self.words("map.nobody"))
        self.query_one("#legend", TextBar).show(told)

    def _subject(self, spaces: set[str]) -> str:
        """Return the space that the question is about: one that its words name, else one of its facts."""
        asked, say = self.asked, self.desk.say(self.language)
        about = [key for key in named(asked.about) if key in spaces] if asked is not None else []
        said = asked.said_in(self.language) if asked is not None else ""
        return next((key for key in about if say.name(key) in said), next(iter(about), ""))

    def _in_sight(self) -> Sequence[MapSpace]:
        """Return the spaces that the map shows. Before the layout, half of the screen is assumed for it."""
        if self.board == WHOLE:
            return self.desk.view.map
        wide, high = self._board_cells()
        slot = self.query_one(AnswerForm).slot if self._slots() else None
        desk, offered = self.desk, options(slot)
        shown = focus(desk, self.asked, self._slots(), wide * high, offered)
        if len(shown) == len(desk.view.map) and not offered & {space.id for space in shown}:
            # No space is named, but perhaps a region.
            sheet = region_of(desk.sheets(self.language, of_map=True), desk, (), offered)
            inside_it = {str(row[0]) for row in sheet.raw} if sheet is not None and offered else set()
            shown = [space for space in desk.view.map if space.id in inside_it] or shown
        return shown

    @on(MapView.Sized)
    def _sized(self, event: MapView.Sized) -> None:
        """Redraw after a change of size: a larger map shows more surroundings."""
        event.stop()
        if self.desk.view.map and self._in_sight() != self.query_one(BoardMap).spaces:
            self.draw_board()

    def _slots(self) -> list[FormRow]:
        draft = self.draft
        hidden = self.asked is None or room_of(self.asked)
        return draft.slots() if draft is not None and not hidden else []

    def mark(self) -> None:
        """Highlight the spaces that may be answered, and those that the answer names."""
        slots = self._slots()
        spaces = {space.id for space in self.desk.view.map}
        slot = self.query_one(AnswerForm).slot if slots else None
        held = {word for slot in slots for word in named(slot.leaf.held)}
        self.query_one(BoardMap).mark(options(slot) & spaces, held & spaces)

    def draw_space(self) -> None:
        space = next((space for space in self.desk.view.map if space.id == self.chosen), None)
        badge = self.sides.get(space.side, NOBODY) if space is not None else NOBODY
        text = space_text(self.desk, self.language, self.words, self.chosen, badge)
        self.query_one("#space-panel", Panel).tell("1", self.words("table.selected"), text)

    def on_descendant_focus(self) -> None:
        """Colour the title of the pane that has the focus."""
        above = self.focused.ancestors if self.focused is not None else []
        for pane, head in (("#answering", "#due"), ("#board", "#map-head")):
            self.query_one(head).set_class(self.query_one(pane) in above, "-here")

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw_board)

    @on(AnswerForm.Turned)
    def _turned(self) -> None:
        """Show the part of the map that the next part of the answer is about."""
        if self._shown is not None and self.desk.view.map:
            self.draw_board()

    @on(AnswerForm.Changed)
    def _marked(self) -> None:
        self.mark()

    @on(MapView.Picked)
    def _picked(self, event: MapView.Picked) -> None:
        """Select the space chosen on the map, and put it into the form if allowed."""
        event.stop()
        self.chosen = event.id
        self.query_one(BoardMap).choose(event.id)
        self.draw_space()
        if event.taken and self._slots():
            self.query_one(AnswerForm).take(event.id)

    @on(ReportTableWidget.Moved)
    def _row(self, event: ReportTableWidget.Moved) -> None:
        event.stop()
        if event.table.has_focus:  # else it was filled anew
            self.chosen = event.id
            self.query_one(BoardMap).choose(event.id)
            self.draw_space()

    @on(DataTable.RowSelected, "#places")
    def _row_taken(self, event: DataTable.RowSelected) -> None:
        event.stop()
        if self._slots():
            self.query_one(AnswerForm).take(self.query_one(ReportTableWidget).here)

    def action_board(self) -> None:
        """Move the focus to the board, and back to the answer."""
        board = self.query_one("#board")
        if self.focused is not None and board in self.focused.ancestors:
            self.query_one(AnswerForm).focus_first()
        elif board.display:
            self.query_one(BoardMap if self.has_class("-map") else ReportTableWidget).focus()

    def action_whole(self) -> None:
        """Show in turn what the question is about, the whole map, the table of a region."""
        inside = self.focused is not None and self.query_one("#board") in self.focused.ancestors
        self.board = step(self.board, BOARDS, 1)
        self.draw_board()
        if inside:
            self.query_one(BoardMap if self.has_class("-map") else ReportTableWidget).focus()

    def action_region(self, by: int) -> None:
        """Show the table of another region."""
        found, regions = self._region(), [s.id for s in self.desk.sheets(self.language, of_map=True)]
        self.area, self.board = step(found.id if found is not None else "", regions, by), TABLE
        self.draw_board()


def room_of(asked: ScreenQuestion) -> str:
    """Return the screen on which a question is answered, if it isn't this one."""
    return "negotiation" if asked.talk else ""
