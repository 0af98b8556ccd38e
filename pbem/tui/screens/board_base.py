"""The board next to a question: a map that follows the answer, any table of the game, or both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from rich.text import Text
from textual import on
from textual.geometry import Size
from textual.widgets import DataTable, Static

from pbem.kernel.view import MapSpace
from pbem.lazy_regex import clean
from pbem.report.model import ReportTable
from pbem.tui.model.answer_fields import FormRow
from pbem.tui.model.badges import NOBODY, Badge
from pbem.tui.model.messages import step
from pbem.tui.model.seat_view import ScreenQuestion, SeatView
from pbem.tui.screens import question_panels as panels
from pbem.tui.screens.answer_base import AnswerScreen
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import Panel, PanelHeading, SearchBox, TextBar
from pbem.tui.widgets.mapview import BoardMap, MapView
from pbem.tui.widgets.report_table import ReportTableWidget

NEAR, WHOLE, TABLE = BOARDS = ("near", "whole", "table")
"""What the board shows: what the question is about, as a map or a table; the whole map; a table."""

CELLS = 40  # fewer cells of map for each space are a field of letters
SHORT, LOW = 12, 8  # a table of fewer rows stands above the map, if that has so many rows left


class BoardScreen(AnswerScreen):
    """A screen with a form and a board that answers are taken from: tables and map."""

    chosen = ""
    board = NEAR
    page: int | None = None  # the table that was chosen by key
    sides: Mapping[str, Badge] = {}
    _drawn_for: tuple[int, str] | None = None

    def draw_board(self) -> None:
        """Draw the map around what the question names, and the table of its region where that tells more."""
        desk = self.desk
        self.set_class(desk.has_board, "-board")
        self.query_one("#board").display = desk.has_board
        if not desk.has_board:
            return
        now = (self.asked.q, self.asked.seat) if self.asked is not None else None
        if now != self._drawn_for:  # another question is about another place
            self._drawn_for, self.chosen, self.page, self.board = now, "", None, NEAR
        shown, sheet, table, drawn = self.planned()
        self.set_class(table, "-table")
        self.set_class(drawn, "-map")
        if drawn:
            self._draw_map(shown)
        if table and sheet is not None:
            if not drawn and self.asked is not None and len(sheet.rows) > self._board_cells()[1]:
                sheet = panels.with_named_first(sheet, panels.places_of(desk, self.asked, self.offered()))
            places = self.query_one(ReportTableWidget)
            if places.sheet != sheet:
                places.load(sheet, badger(desk, self.sides))
            places.styles.height = places.high if drawn else "1fr"
            places.go(self.chosen)
        self._note(sheet.note if table and sheet is not None else "")
        title = sheet.title if sheet is not None and not drawn else self.words("screen.map")
        keys = self.words("table.map_keys" if drawn else "table.table_keys")
        self.query_one("#map-head", PanelHeading).tell("1", title, keys)
        self.mark()
        self.draw_space()

    def planned(self) -> tuple[Sequence[MapSpace], ReportTable | None, bool, bool]:
        """Return the spaces in sight, the table, and which of map and table is shown."""
        shown, sheet = self._in_sight(), self._region()
        return shown, sheet, *self._layout(panels.inside(self.desk.view.map, shown), sheet)

    def _layout(self, spaces: Collection[MapSpace], sheet: ReportTable | None) -> tuple[bool, bool]:
        """Return whether the table and whether the map is shown. Where spaces are too small, the table says more."""
        if sheet is None:
            return False, True
        if not self.desk.view.map:
            return True, False
        if self.board != NEAR:
            return self.board == TABLE, self.board == WHOLE
        wide, high = self._board_cells()
        left = high - len(sheet.rows) if len(sheet.rows) < SHORT else 0
        if left >= LOW and wide * left >= CELLS // 2 * len(spaces):
            return True, True
        region = next((table for table in self.desk.sheets(self.language) if table.id == sheet.id), sheet)
        tells_more = sheet.group != "map" or len(sheet.columns) > len(region.columns)
        crowded = tells_more or wide * high < CELLS * len(spaces)
        return crowded, not crowded

    def _board_cells(self) -> tuple[int, int]:
        """Return the cells of the board below its heading. Before the layout, half of the screen is assumed."""
        boards = self.query("#board")
        size = (boards.first().size if boards else None) or Size(self.app.size.width // 2, self.app.size.height)
        return size.width, max(size.height - 2, 1)

    def _region(self) -> ReportTable | None:
        """Return the table to show: the one chosen by key, else that of the question's region, with further columns."""
        desk, language = self.desk, self.language
        sheets = desk.sheets(language)
        if self.page is not None and self.page < len(sheets):
            sheet: ReportTable | None = sheets[self.page]
        else:
            sheet = panels.table_for(desk, language, self.asked, self.chosen, self.offered())
        return told_more(sheet, desk, language, self.sides)

    def offered(self) -> set[str]:
        return {key for slot in self._slots() for key in panels.options(slot)}

    def _note(self, text: str) -> None:
        note = self.query_one("#note", Static)
        note.display = bool(text)
        note.update(Text(clean(text)))

    def _draw_map(self, shown: Sequence[MapSpace]) -> None:
        desk, view = self.desk, self.query_one(BoardMap)
        panels.show_map(view, desk, self.language, self.sides, shown)
        spaces = {space.id for space in desk.view.map}
        if self.chosen not in spaces:
            self.chosen = self._subject(spaces) or shown[0].id
        view.choose(self.chosen)
        view.tell(self.pbem.last_lines())
        spaces_shown, wide = panels.inside(desk.view.map, shown), self._board_cells()[0]
        told = panels.legend(spaces_shown, self.sides, desk.say(self.language), self.words("map.nobody"), wide)
        self.query_one("#legend", TextBar).show(told)

    def _subject(self, spaces: set[str]) -> str:
        asked, say = self.asked, self.say
        about = [key for key in panels.named(asked.about) if key in spaces] if asked is not None else []
        said = asked.said_in(self.language) if asked is not None else ""
        return next((key for key in about if say.name(key) in said), next(iter(about), ""))

    def _in_sight(self) -> Sequence[MapSpace]:
        """Return the spaces that the map shows. Before the layout, half of the screen is assumed for it."""
        if self.board == WHOLE:
            return self.desk.view.map
        wide, high = self._board_cells()
        slots = self._slots()
        slot = next((form.slot for form in self.query(AnswerForm)), slots[0]) if slots else None
        desk, offered = self.desk, panels.options(slot)
        shown = panels.focus(desk, self.asked, slots, wide * high, offered)
        unnamed = len(shown) == len(desk.view.map) and not offered & {space.id for space in shown}
        narrow = unnamed and bool(offered)  # no space is named, but perhaps a region
        region = panels.region_of(desk.sheets(self.language, of_map=True), desk, (), offered)
        if region is not None and not unnamed and wide * high < CELLS * len(panels.inside(desk.view.map, shown)):
            beside = self._region()  # below a table of other things, only a region has place
            if beside is not None and beside.group != "map":
                narrow = wide * (high - len(beside.rows)) >= CELLS * len(region.rows)
        if narrow and region is not None:
            inside_it = {str(row[0]) for row in region.raw}
            shown = [space for space in desk.view.map if space.id in inside_it] or shown
        return shown

    @on(MapView.Sized)
    def _sized(self, event: MapView.Sized) -> None:
        event.stop()
        if self.desk.view.map and self._in_sight() != self.query_one(BoardMap).spaces:
            self.draw_board()

    def choose(self, key: str) -> None:
        """Put what was looked up into the answer, if it fits there; select a space, and bring it into sight."""
        self._put(key)
        if self.desk.space(key) is None:
            return
        self.chosen = key
        if all(space.id != key for space in self._in_sight()):
            self.board = WHOLE
        self.draw_board()

    def _slots(self) -> list[FormRow]:
        draft = self.draft
        hidden = self.asked is None or room_of(self.asked)
        return draft.slots() if draft is not None and not hidden else []

    def mark(self) -> None:
        slots = self._slots()
        spaces = {space.id for space in self.desk.view.map}
        slot = self.query_one(AnswerForm).slot if slots else None
        held = {word for slot in slots for word in panels.named(slot.leaf.held)}
        self.query_one(BoardMap).mark(panels.options(slot) & spaces, held & spaces)

    def draw_space(self) -> None:
        space = self.desk.space(self.chosen)
        badge = self.sides.get(space.side, NOBODY) if space is not None else NOBODY
        text = panels.space_text(self.desk, self.language, self.words, self.chosen, badge)
        panel = self.query_one("#space-panel", Panel)
        panel.tell("1", self.words("table.selected"), text)
        panel.set_class(not text.plain, "-empty")

    def on_descendant_focus(self) -> None:
        above = self.focused.ancestors if self.focused is not None else []
        for pane, head in (("#answering", "#due"), ("#board", "#map-head")):
            self.query_one(head).set_class(self.query_one(pane) in above, "-here")
        self._enlarge_map(self.on_board)
        self.draw_bars()  # the keys are those of the pane

    def _enlarge_map(self, focused: bool) -> None:
        """Give the whole map the room of the question on a small screen while it has the focus."""
        self.set_class(focused and self.board == WHOLE, "-whole")

    @property
    def on_board(self) -> bool:
        return self.focused is not None and self.query_one("#board") in self.focused.ancestors

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow the keys of tables only on the board: elsewhere letters are typed."""
        if action in ("filter", "sort", "reverse"):
            return self.is_mounted and self.on_board and (action == "filter" or self.has_class("-table"))
        return super().check_action(action, parameters)

    def action_back(self) -> None:
        if self.query_one(SearchBox).has_class("-open"):
            self.action_unfocus()
        elif self.on_board:
            self.action_board()
        else:
            super().action_back()

    def action_filter(self) -> None:
        if not self.has_class("-table"):
            self.board = TABLE
            self.draw_board()
        self.query_one(SearchBox).open()

    def action_sort(self) -> None:
        self.query_one(ReportTableWidget).sort_next()

    def action_reverse(self) -> None:
        self.query_one(ReportTableWidget).reverse_sort()

    @on(SearchBox.Searched)
    def _sought(self, event: SearchBox.Searched) -> None:
        table = self.query_one(ReportTableWidget)
        if table.sheet is not None:
            table.load(table.sheet, table.badge, event.needle)

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw_board)

    @on(AnswerForm.Turned)
    def _turned(self) -> None:
        if self._shown is not None and self.desk.view.map:
            self.draw_board()

    @on(AnswerForm.Changed)
    def _marked(self) -> None:
        self.mark()

    @on(MapView.Picked)
    def _picked(self, event: MapView.Picked) -> None:
        event.stop()
        self._select(event.id)
        if event.taken:
            self._put(event.id)

    def _select(self, space: str) -> None:
        self.chosen = space
        self.query_one(BoardMap).choose(space)
        self.draw_space()

    def _put(self, key: str) -> None:
        if self._slots():
            self.query_one(AnswerForm).take(key)

    @on(ReportTableWidget.Moved)
    def _row(self, event: ReportTableWidget.Moved) -> None:
        event.stop()
        if event.table.has_focus:  # else it was filled again
            self._select(event.id)

    @on(DataTable.RowSelected, "#places")
    def _select_row(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self._put(self.query_one(ReportTableWidget).here)

    def action_board(self) -> None:
        if self.on_board:
            self._enlarge_map(False)  # what isn't shown can't be focused
            self.query_one(AnswerForm).focus_first()
        elif self.query_one("#board").display:
            self._to_board()

    def show_board(self) -> None:
        if not self.query("#board #map"):  # the screen was opened just now
            self.call_after_refresh(self.show_board)
        elif self.desk.has_board:
            self.board = WHOLE
            self.draw_board()
            self._to_board()

    def _to_board(self) -> None:
        self._enlarge_map(True)
        self.query_one(BoardMap if self.has_class("-map") else ReportTableWidget).focus()

    def action_whole(self) -> None:
        inside = self.on_board
        self.board = step(self.board, BOARDS, 1)
        self.draw_board()
        if inside:
            self._to_board()

    def action_region(self, by: int) -> None:
        found, sheets, inside = self._region(), self.desk.sheets(self.language), self.on_board
        if found is not None:
            at = self.page if self.page is not None else [sheet.id for sheet in sheets].index(found.id)
            self.page, self.board = (at + by) % len(sheets), TABLE
            self.draw_board()
        if inside:
            self._to_board()


def told_more(
    sheet: ReportTable | None, desk: SeatView, language: str, sides: Mapping[str, Badge]
) -> ReportTable | None:
    """Return a table with what tells most first, and that of a region with further columns."""
    if sheet is None:
        return None
    if sheet.group != "map":  # a name tells less of a player than a number
        kinds = [column.kind for column in sheet.columns] if panels.rows_named(sheet, desk.seats) else []
        order = [0, *sorted(range(1, len(kinds)), key=lambda at: kinds[at] != "number")]
        return panels.moved(sheet, order) if kinds else sheet
    short = {desk.say(language).name(seat): sides[seat].letter for seat in desk.seats}
    return panels.with_further(panels.with_telling_first(sheet, desk), desk.sheets(language, of_map=False), short)


def badger(desk: SeatView, sides: panels.Sides) -> Callable[[str], Text | None]:
    """Return what finds the badge of a space or a player for the row of a table."""

    def found(key: str) -> Text | None:
        space = desk.space(key)
        side = space.side if space is not None else key if key in desk.seats else None
        badge = sides.get(side, NOBODY) if side is not None else None
        return Text(badge.letter, badge.style) if badge is not None else None

    return found


def room_of(asked: ScreenQuestion) -> str:
    """Return the screen on which a question is answered, if it isn't this one."""
    return "negotiation" if asked.talk else ""
