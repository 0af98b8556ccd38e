"""The editor: entries on the left, the facts of one on the right, rule violations below. Every step is saved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, OptionList, Static

from pbem import LANGUAGES
from pbem.kernel.pack_draft import DOUBTFUL, SETTLED, PackDraft, PackEntry, PackField, Place, problems_if_set, value_of
from pbem.lazy_regex import clean
from pbem.report.text_width import cut
from pbem.save.pack_files import alike, cell, from_cell, store
from pbem.tui import themes
from pbem.tui.key_bindings import KeyedApp
from pbem.tui.model.messages import ScreenMessages, step
from pbem.tui.screens.dialogs import ChooseDialog, InputDialog, TextDialog
from pbem.tui.widgets.bars import Bar, BarItem, SearchBox, TextBar, refill

MARKS = {DOUBTFUL: "?", SETTLED: "✓"}
_SHOWN_PROBLEMS = 6
_SHOWN_VALUES = 12
_COLUMNS = 40  # width of a value in the table of facts
_PAUSE = 0.25  # seconds without a key after which the typed value is checked


KEYS = (
    ("confirm", "c", "c"),
    ("confirm_all", "C", "C"),
    ("edit", "", "↵"),
    ("next", "n", "n"),
    ("undo", "u", "u"),
    ("find", "slash", "/"),
    ("manual", "m", "m"),
    ("effect", "e", "e"),
    ("help", "question_mark,f1", "?"),
    ("language", "f2", ""),
    ("theme", "f3", ""),
    ("leave", "q,ctrl+q", "q"),
    ("show_all", "escape", ""),
)
"""Each action with its keys, and the key at the foot of the screen. Enter is a key of the lists."""


class PackApp(KeyedApp[None]):
    """Edit a component pack in the terminal. Each change is saved at once."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding(keys, name, show=False) for name, keys, _ in KEYS if keys]
    CSS = """
    Screen { background: $background; color: $foreground; }
    #top, #keys { background: $panel; height: 1; }
    #keys { dock: bottom; }
    #left { width: 38%; max-width: 46; }
    #entries, #facts { height: 1fr; border: none; background: $background; }
    #head, #heading { height: 1; background: $surface; }
    #under { height: auto; max-height: 9; background: $surface; }
    """

    def __init__(self, path: Path, box: PackDraft, *, language: str = "en", theme: str = "") -> None:
        super().__init__()
        self.path, self.box = path, box
        self.language = language
        self.words = ScreenMessages(language, "pbem.tui.pack")
        self.first_theme = theme if theme in themes.NAMES else themes.NAMES[0]
        self.sought = ""
        self.shown: list[PackEntry] = []
        self.said: list[tuple[Place, str]] = []
        self.sheet: PackEntry | None = None
        self.checking: asyncio.TimerHandle | None = None

    def compose(self) -> ComposeResult:
        yield TextBar(id="top")
        with Horizontal():
            with Vertical(id="left"):
                yield TextBar(id="head")
                yield SearchBox("#entries", id="needle")
                yield OptionList(id="entries", compact=True)
            with Vertical():
                yield TextBar(id="heading")
                yield DataTable[Text](id="facts", cursor_type="row", zebra_stripes=True)
                with VerticalScroll(id="under", can_focus=False):
                    yield Static(id="said", markup=False)
        yield Bar(id="keys")

    def on_mount(self) -> None:
        for theme in themes.THEMES:
            self.register_theme(theme)
        self.theme = self.first_theme
        self.list_entries()
        self.query_one("#entries").focus()

    def list_entries(self) -> None:
        entries, place = self.query_one("#entries", OptionList), self.sheet.place if self.sheet else None
        word = self.sought.casefold()
        found = [sheet for sheet in self.box.sheets if word in f"{sheet.title} {sheet.address}".casefold()]
        self.shown = sorted(found, key=lambda sheet: not sheet.doubtful)
        at = self.places.index(place) if place in self.places else 0
        refill(entries, [self._label(sheet) for sheet in self.shown], at)
        self.redraw()

    @property
    def places(self) -> list[Place]:
        return [sheet.place for sheet in self.shown]

    def _label(self, sheet: PackEntry) -> Text:
        left = sheet.doubtful
        done = any(field.tag == SETTLED for field in sheet.fields())
        mark = f"?{left}" if left else "✓" if done else ""
        return Text(f"{mark:4}{clean(sheet.title)}", no_wrap=True, overflow="ellipsis")

    def redraw(self) -> None:
        words, done = self.words, self.box.progress
        told = words("progress", confirmed=f"{done.confirmed:,}", doubtful=f"{done.doubtful:,}")
        full = 20 * done.confirmed // done.doubtful if done.doubtful else 20
        title = f" {self.box.game.title.get(self.language, self.box.game.title['en'])}  {self.path.name}  "
        bar = Text(title, "bold").append("█" * full + "░" * (20 - full)).append(f" {told}", "bold")
        self.query_one("#top", TextBar).show(bar)
        left = sum(1 for sheet in self.shown if sheet.doubtful)
        head = words("entries", left=left)
        if self.sought:
            head = words("entries.found", word=self.sought, count=len(self.shown))
        self.query_one("#head", TextBar).show(Text(f" {head}"))
        self._draw_facts()
        self._draw_problems()
        keys = (BarItem(shown, words(f"key.{name}"), name) for name, _, shown in KEYS if shown)
        self.query_one("#keys", Bar).show(tuple(keys))

    def _draw_facts(self) -> None:
        facts, words = self.query_one("#facts", DataTable), self.words
        row = facts.cursor_row
        facts.clear(columns=True)
        facts.add_columns("", words("head.field"), words("head.value"), words("head.from"))
        if self.sheet is None:
            return
        title = words("entry", title=clean(self.sheet.title), address=self.sheet.address)
        self.query_one("#heading", TextBar).show(Text(f" {title}", "bold"))
        for field in self.rows():
            part = "." in field.name  # of the field above it
            facts.add_row(
                Text(" " if part else MARKS.get(field.tag, " "), "bold"),
                Text(f"  {field.name.partition('.')[2]}" if part else field.name),
                Text(clean(_short(field))),
                Text(clean(field.source), "dim"),
                key=field.name,
            )
        facts.move_cursor(row=min(row, max(facts.row_count - 1, 0)))

    def _draw_problems(self) -> None:
        words, problems = self.words, self.box.problems
        if not problems:
            self.say(Text(words("sound"), self.theme_variables.get("success", "")))
            return
        lines = [words("broken", count=len(problems)), *(f"  {problem}" for problem in problems[:_SHOWN_PROBLEMS])]
        if len(problems) > _SHOWN_PROBLEMS:
            lines.append(words("more", count=len(problems) - _SHOWN_PROBLEMS))
        self.say(Text(clean("\n".join(lines)), self.theme_variables.get("error", "")))

    def say(self, text: Text) -> None:
        self.query_one("#said", Static).update(text)

    def rows(self) -> list[PackField]:
        if self.sheet is None:
            return []
        sheet, own = self.sheet, ("text",)  # a text in two languages is one fact
        return [
            part for field in sheet.fields() for part in (field, *(() if field.name in own else sheet.parts(field)))
        ]

    def field(self) -> PackField | None:
        rows, row = self.rows(), self.query_one("#facts", DataTable).cursor_row
        return rows[row] if row < len(rows) else None

    @on(OptionList.OptionHighlighted, "#entries")
    def _entry_chosen(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index < len(self.shown):
            self.sheet = self.box.sheet(self.shown[event.option_index].place)
            self.query_one("#facts", DataTable).move_cursor(row=0)
            self._draw_facts()

    @on(OptionList.OptionSelected, "#entries")
    def _entry_entered(self) -> None:
        self.query_one("#facts").focus()

    def keep(self, *, checked: bool) -> None:
        if checked:
            self.box.refresh()
        try:
            store(self.path, self.box)
        except OSError as error:
            self.notify(self.words("not_kept", why=error.strerror or error), severity="error", markup=False)
        entries = self.query_one("#entries", OptionList)
        if self.sheet is not None:
            self.sheet = self.box.sheet(self.sheet.place)
            if self.sheet.place in self.places:
                at = self.places.index(self.sheet.place)
                self.shown[at] = self.sheet
                entries.replace_option_prompt_at_index(at, self._label(self.sheet))
        self.redraw()

    def action_confirm(self) -> None:
        field = self.field()
        if field is None or self.sheet is None:
            return
        facts = self.query_one("#facts", DataTable)
        facts.focus()
        self.box.confirm(self.sheet.place, field.name)
        self.said.append((self.sheet.place, field.name))
        self.keep(checked=False)
        rows = self.rows()
        doubtful = [at for at, field in enumerate(rows) if field.doubtful and "." not in field.name]
        if doubtful:
            facts.move_cursor(row=next((at for at in doubtful if at >= facts.cursor_row), doubtful[0]))
        else:
            self.action_next()

    def action_confirm_all(self) -> None:
        if self.sheet is not None:
            self.box.confirm(self.sheet.place)
            self.keep(checked=False)
            self.action_next()

    def action_undo(self) -> None:
        """Clear what was said about the fact; if nothing was, about the fact confirmed last."""
        field = self.field()
        if field is None or self.sheet is None:
            return
        place, name = self.sheet.place, field.name
        if field.tag != SETTLED and self.said:
            place, name = self.said.pop()
        self.box.revert(place, name)
        self.sheet = self.box.sheet(place)
        self.keep(checked=True)
        if place in self.places:
            self.query_one("#entries", OptionList).highlighted = self.places.index(place)

    def action_next(self) -> None:
        entries = self.query_one("#entries", OptionList)
        at = entries.highlighted or 0
        order = [*range(at + 1, len(self.shown)), *range(at + 1)]
        found = next((place for place in order if self.shown[place].doubtful), None)
        if found is None:
            self.say(Text(self.words("no_doubt")))
        else:
            entries.highlighted = found

    @on(DataTable.RowSelected, "#facts")
    def action_edit(self) -> None:
        field, sheet = self.field(), self.sheet
        if field is None or sheet is None or not field.stands:
            return

        def written(text: str) -> None:
            value, why = _read(text, field)
            if why:
                return
            if value == value_of(sheet.node, field.name):
                self.box.confirm(sheet.place, field.name)
            else:
                self.box.put(sheet.place, field.name, value)
            self.keep(checked=True)

        words = self.words
        dialog = InputDialog(
            words("editing", field=field.name),
            value="" if field.value is None else cell(field.value),
            typed=lambda text: self.check_soon(partial(self.check_typed, dialog, sheet, field, text)),
            hint=self._hint(sheet, field),
            accepts=lambda text: not _read(text, field)[1],
        )
        self.ask(dialog, written)

    def action_find(self) -> None:
        needle = self.query_one(SearchBox)
        needle.placeholder = self.words("find")
        needle.open()

    @on(SearchBox.Searched)
    def _sought(self, event: SearchBox.Searched) -> None:
        self.sought = event.needle.strip()
        self.list_entries()

    def action_manual(self) -> None:
        sheet = self.sheet
        if sheet is None or "text" not in sheet.node:
            self.say(Text(self.words("no_text")))
            return

        def written(text: str) -> None:
            if text.strip():
                self.box.is_corrected(sheet.place, text.strip())
                self.keep(checked=True)

        self.ask(InputDialog(self.words("manual"), hint=self.words("reminder")), written)

    def action_effect(self) -> None:
        sheet = self.sheet
        known = self.box.effects(sheet.place) if sheet is not None else ()
        if sheet is None or not known:
            self.say(Text(self.words("no_effect")))
            return
        titles = {entry.place[-1]: clean(entry.title) for entry in self.box.sheets}
        rows = [("", Text(self.words("effect.own")), "")]
        rows += [(key, Text(f"{titles.get(key, key)}  [{key}]"), f"{titles.get(key, '')} {key}") for key in known]

        def chosen(key: str) -> None:
            if key == sheet.node.get("effect", ""):
                self.box.confirm(sheet.place, "effect")
            else:
                self.box.put(sheet.place, "effect", key)
            self.keep(checked=True)

        self.ask(ChooseDialog(self.words("effect.whose"), rows), chosen)

    def _hint(self, sheet: PackEntry, field: PackField) -> str:
        words, lines = self.words, []
        others = (value_of(other.node, field.name) for other in alike(self.box, sheet))
        if 0 < len(found := {cell(value) for value in others if value is not None}) <= _SHOWN_VALUES:
            lines.append(words("others", values="  ".join(sorted(found))))
        return "\n".join([*lines, words("was", value=cell(self.box.published_value(sheet.place, field.name)))])

    def check_soon(self, check: Callable[[], None]) -> None:
        if self.checking is not None:
            self.checking.cancel()
        self.checking = self.after(_PAUSE, check)

    def check_typed(self, dialog: InputDialog, sheet: PackEntry, field: PackField, text: str) -> None:
        value, why = _read(text, field)
        if why:
            told, style = self.words("try.bad", why=why), "error"
        else:
            old = {str(problem) for problem in self.box.problems}
            found = map(str, problems_if_set(self.box, sheet.place, field.name, value))
            new = [problem for problem in found if problem not in old]
            told = self.words("try.broken", why="; ".join(new[:_SHOWN_PROBLEMS])) if new else self.words("try.good")
            style = "error" if new else "success"
        dialog.tell(Text(clean(told), self.theme_variables.get(style, "")))

    def action_show_all(self) -> None:
        self.query_one(SearchBox).action_close()

    @on(Bar.Chosen)
    async def _clicked(self, event: Bar.Chosen) -> None:
        await self.run_action(event.action)

    def action_help(self) -> None:
        self.push_screen(TextDialog(self.words("help.title"), self.words("help")))

    def action_language(self) -> None:
        self.language = step(self.language, LANGUAGES, 1)
        self.words = ScreenMessages(self.language, "pbem.tui.pack")
        self.redraw()

    def action_theme(self) -> None:
        self.theme = step(self.theme, themes.NAMES, 1)
        self.redraw()

    def action_leave(self) -> None:
        self.exit()


def _read(text: str, field: PackField) -> tuple[Any, str]:
    try:
        return from_cell(text, field.value), ""
    except ValueError as error:
        return None, str(error)


def _short(field: PackField) -> str:
    if not field.stands:
        return "-"
    if field.name == "text" and isinstance(field.value, dict):
        return cut(str(field.value.get("en", "")), _COLUMNS)
    return cut(cell(field.value), _COLUMNS)
