"""The editor: entries on the left, the facts of one on the right, rule violations below. Every step is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Input, OptionList, Static
from textual.widgets.option_list import Option

from pbem import LANGUAGES
from pbem.kernel.pack_draft import DOUBTFUL, SETTLED, PackDraft, PackEntry, PackField, Place, problems_if_set
from pbem.lazy_regex import clean
from pbem.save.pack_files import alike, cell, from_cell, store, value_of
from pbem.tui import themes
from pbem.tui.model.messages import ScreenMessages, step
from pbem.tui.screens.dialogs import TextDialog
from pbem.tui.widgets.bars import Bar, BarItem, TextBar

MARKS = {DOUBTFUL: "?", SETTLED: "✓"}
_SHOWN_PROBLEMS = 6
_SHOWN_VALUES = 12
_COLUMNS = 40
"""Width of a value in the table of facts."""
_PAUSE = 0.25
"""Seconds without a key after which the typed value is checked."""


class PackApp(App[None]):
    """Edit a component pack in the terminal. Each change is saved at once."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [
        Binding("c", "confirm", show=False),
        Binding("C", "confirm_all", show=False),
        Binding("u", "undo", show=False),
        Binding("n", "next", show=False),
        Binding("slash", "find", show=False),
        Binding("m", "manual", show=False),
        Binding("e", "effect", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("f2", "language", show=False),
        Binding("f3", "theme", show=False),
        Binding("q,ctrl+q", "leave", show=False),
        Binding("escape", "escape", show=False),
    ]
    CSS = """
    Screen { background: $background; color: $foreground; }
    #top, #keys { background: $panel; height: 1; }
    #keys { dock: bottom; }
    #left { width: 38%; max-width: 46; }
    #entries, #facts { height: 1fr; border: none; background: $background; }
    #head, #heading { height: 1; background: $surface; }
    #under { height: auto; max-height: 9; background: $surface; }
    #typed { border: none; height: 1; padding: 0; display: none; }
    #typed.open { display: block; }
    """

    def __init__(self, path: Path, box: PackDraft, *, language: str = "en", theme: str = "") -> None:
        super().__init__()
        self.path, self.box = path, box
        self.language = language
        self.words = ScreenMessages(language, "pbem.tui.pack")
        self.first_theme = theme if theme in themes.NAMES else themes.NAMES[0]
        self.typing = ""
        self.sought = ""
        self.shown: list[PackEntry] = []
        self.said: list[tuple[Place, str]] = []
        self.sheet: PackEntry | None = None

    def compose(self) -> ComposeResult:
        yield TextBar(id="top")
        with Horizontal():
            with Vertical(id="left"):
                yield TextBar(id="head")
                yield OptionList(id="entries", compact=True)
            with Vertical():
                yield TextBar(id="heading")
                yield DataTable[Text](id="facts", cursor_type="row", zebra_stripes=True)
                with VerticalScroll(id="under", can_focus=False):
                    yield Static(id="said", markup=False)
                yield Input(id="typed", compact=True)
        yield Bar(id="keys")

    def on_mount(self) -> None:
        for theme in themes.THEMES:
            self.register_theme(theme)
        self.theme = self.first_theme
        self.list_entries()
        self.query_one("#entries").focus()

    # -- display -----------------------------------------------------------------------------------------------------

    def list_entries(self) -> None:
        """Show the entries, doubtful ones first, keeping the cursor on its entry."""
        entries, place = self.query_one("#entries", OptionList), self.sheet.place if self.sheet else None
        word = self.sought.casefold()
        found = [sheet for sheet in self.box.sheets if word in f"{sheet.title} {sheet.address}".casefold()]
        self.shown = sorted(found, key=lambda sheet: not sheet.doubtful)
        entries.clear_options()
        entries.add_options([Option(self._label(sheet)) for sheet in self.shown])
        places = [sheet.place for sheet in self.shown]
        if places:
            entries.highlighted = places.index(place) if place in places else 0
        self.redraw()

    def _label(self, sheet: PackEntry) -> Text:
        left = sheet.doubtful
        done = any(field.tag == SETTLED for field in sheet.fields())
        mark = f"?{left}" if left else "✓" if done else ""
        return Text(f"{mark:4}{clean(sheet.title)}", no_wrap=True, overflow="ellipsis")

    def redraw(self) -> None:
        """Redraw everything but the list of entries."""
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
        if not self.typing:
            self._draw_problems()
        keys = (
            "c confirm",
            "C all",
            "↵ edit",
            "n next",
            "u undo",
            "/ find",
            "m manual",
            "e effect",
            "? help",
            "q leave",
        )
        acts = {"all": "confirm_all", "edit": "edit"}
        pairs = [key.split() for key in keys]
        self.query_one("#keys", Bar).show(
            tuple(BarItem(key, words(f"key.{name}"), acts.get(name, name)) for key, name in pairs)
        )

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
        """Return the facts of the entry; below a table, its parts."""
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

    # -- confirmations and changes -----------------------------------------------------------------------------------

    def keep(self, *, checked: bool) -> None:
        """Write the file, and show the change. `checked`: values changed."""
        if checked:
            self.box.refresh()
        try:
            store(self.path, self.box)
        except OSError as error:
            self.notify(self.words("not_kept", why=error.strerror or error), severity="error", markup=False)
        entries = self.query_one("#entries", OptionList)
        if self.sheet is not None:
            self.sheet = self.box.sheet(self.sheet.place)
            places = [sheet.place for sheet in self.shown]
            if self.sheet.place in places:
                at = places.index(self.sheet.place)
                self.shown[at] = self.sheet
                entries.replace_option_prompt_at_index(at, self._label(self.sheet))
        self.redraw()

    def action_confirm(self) -> None:
        """Confirm the fact as printed. Go to the next doubtful fact or entry."""
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
        """Confirm the whole entry as printed. Go to the next doubtful entry."""
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
        places = [sheet.place for sheet in self.shown]
        if place in places:
            self.query_one("#entries", OptionList).highlighted = places.index(place)

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
        field = self.field()
        if field is None or not field.stands:
            return
        self.open("value", "" if field.value is None else cell(field.value))

    def action_find(self) -> None:
        self.open("find", self.sought)

    def action_manual(self) -> None:
        """Mark the card as executed by hand."""
        if self.sheet is None or "text" not in self.sheet.node:
            self.say(Text(self.words("no_text")))
            return
        self.open("manual", "")

    def action_effect(self) -> None:
        """Mark the card's effect as different."""
        if self.sheet is None or not self.box.effects(self.sheet.place):
            self.say(Text(self.words("no_effect")))
            return
        self.open("effect", str(self.sheet.node.get("effect", "")))

    # -- typed values ------------------------------------------------------------------------------------------------

    def open(self, what: str, text: str) -> None:
        self.typing = what
        typed = self.query_one("#typed", Input)
        typed.value = text
        typed.add_class("open")
        typed.focus()
        self.say(Text(self._hint()))

    def _hint(self) -> str:
        words, field = self.words, self.field()
        if self.typing in ("manual", "find"):
            return words("reminder" if self.typing == "manual" else "find")
        if self.sheet is None or field is None:
            return ""
        if self.typing == "effect":
            return f"{words('effect')}\n{'  '.join(self.box.effects(self.sheet.place))}"
        lines = [words("editing", field=field.name)]
        if values := self._values(field.name):
            lines.append(words("others", values="  ".join(values)))
        lines.append(words("was", value=cell(self.box.published_value(self.sheet.place, field.name))))
        return clean("\n".join(lines))

    def _values(self, name: str) -> list[str]:
        """Return the values of this field in other entries, if there are few."""
        assert self.sheet is not None
        others = (value_of(other.node, name) for other in alike(self.box, self.sheet))
        found = dict.fromkeys(cell(value) for value in others if value is not None)
        return sorted(found) if len(found) <= _SHOWN_VALUES else []

    @on(Input.Changed, "#typed")
    def _changed(self) -> None:
        if self.typing in ("value", "effect"):
            self.check_typed()

    @work(exclusive=True)
    async def check_typed(self) -> None:
        """Check the typed value against the rules after a pause in typing."""
        import asyncio

        await asyncio.sleep(_PAUSE)
        what = self._typed()
        if what is None or self.sheet is None:
            return
        name, value, why = what
        if why:
            told, style = self.words("try.bad", why=why), "error"
        else:
            old = {str(problem) for problem in self.box.problems}
            new = [
                str(problem)
                for problem in problems_if_set(self.box, self.sheet.place, name, value)
                if str(problem) not in old
            ]
            told = self.words("try.broken", why="; ".join(new[:_SHOWN_PROBLEMS]) if new else "")
            told, style = (told, "error") if new else (self.words("try.good"), "success")
        self.say(Text(self._hint()).append(f"\n{clean(told)}", self.theme_variables.get(style, "")))

    def _typed(self) -> tuple[str, Any, str] | None:
        """Parse the typed text. Return field and value, or why it isn't a value."""
        text, field = self.query_one("#typed", Input).value, self.field()
        if self.typing == "effect" and self.sheet is not None:
            known = ("", *self.box.effects(self.sheet.place))
            return "effect", text.strip(), "" if text.strip() in known else text
        if self.typing != "value" or field is None:
            return None
        try:
            return field.name, from_cell(text, field.value), ""
        except ValueError as error:
            return field.name, None, str(error)

    @on(Input.Submitted, "#typed")
    def _submitted(self) -> None:
        text, sheet = self.query_one("#typed", Input).value, self.sheet
        if self.typing == "find":
            self.sought = text.strip()
            self.close()
            self.list_entries()
            self.query_one("#entries").focus()
            return
        if sheet is None:
            return
        if self.typing == "manual":
            if text.strip():
                self.box.is_corrected(sheet.place, text.strip())
        else:
            what = self._typed()
            if what is None or what[2]:
                return
            if what[1] == value_of(sheet.node, what[0]):
                self.box.confirm(sheet.place, what[0])
            else:
                self.box.put(sheet.place, what[0], what[1])
        self.close()
        self.keep(checked=True)

    def close(self) -> None:
        self.typing = ""
        self.query_one("#typed").remove_class("open")
        self.query_one("#facts").focus()
        self.redraw()

    def action_escape(self) -> None:
        if self.typing:
            self.close()
        elif self.sought:
            self.sought = ""
            self.list_entries()

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


def _short(field: PackField) -> str:
    if not field.stands:
        return "-"
    if field.name == "text" and isinstance(field.value, dict):
        return _cut(str(field.value.get("en", "")))
    return _cut(cell(field.value))


def _cut(text: str) -> str:
    return text if len(text) <= _COLUMNS else text[: _COLUMNS - 1] + "…"
