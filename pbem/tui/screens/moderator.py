"""Room 8, the moderator's desk: who blocks whom and since when, pace, letters; and what he can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from pbem.report.model import Heading, Sheet
from pbem.tui.model import acting
from pbem.tui.model.clock import age, countdown
from pbem.tui.model.sources import SaveSource
from pbem.tui.screens.choose import Chooser
from pbem.tui.screens.room import Room, bound
from pbem.tui.screens.tell import Tell, Write
from pbem.tui.widgets.sheet import SheetTable

if TYPE_CHECKING:
    from pbem.post.moderator.overview import GameOverview

COLUMNS = (("seat", "name"), ("kind", "text"), ("state", "text"), ("age", "text"), ("left", "text"))
ACTIONS = 5
"""How many of the last actions are shown."""


class ModeratorRoom(Room):
    """What the moderator alone may see and do, himself not being a player."""

    NAME = "moderator"
    BINDINGS = bound("moderator")
    CSS = """
    ModeratorRoom #counts { height: auto; padding: 0 1; background: $surface; }
    ModeratorRoom #facts { height: auto; padding: 0 1; }
    ModeratorRoom SheetTable { height: 1fr; min-height: 4; }
    ModeratorRoom #actions { height: auto; padding: 1 1 0 1; }
    """

    def body(self) -> ComposeResult:
        yield Static(id="counts", markup=False)
        yield SheetTable(id="sheet")
        yield Static(id="facts", markup=False)
        yield Static(id="actions", markup=False)

    def draw(self) -> None:
        words = self.words
        table, counts = self.query_one(SheetTable), self.query_one("#counts", Static)
        facts, actions = self.query_one("#facts", Static), self.query_one("#actions", Static)
        for widget in (table, facts, actions):
            widget.display = self.desk.moderator
        if not self.desk.moderator:
            counts.update(Text(words("moderator.private")))
            return
        game, more = self.found()
        found = {**self.pbem.source.counts(), "quarantine": more["quarantine"], "outbox": more["outbox"]}
        line = Text("   ".join(f"{words(f'moderator.{key}')}: {count}" for key, count in found.items()))
        if game is not None and game.paused:
            line.append(f"   {words('moderator.paused')}", "bold")
        counts.update(line)
        self._draw_waiting(table)
        facts.update(self._facts(game, more))
        actions.update(self._actions())

    def found(self) -> tuple[GameOverview | None, Mapping[str, str]]:
        """The game as `pbem desk` has it."""
        return acting.facts(self._source().path, self.pbem.now())

    def _source(self) -> SaveSource:
        source = self.pbem.source
        assert isinstance(source, SaveSource)  # nobody else is the moderator
        return source

    def _draw_waiting(self, table: SheetTable) -> None:
        words, say, now = self.words, self.desk.say(self.language), self.pbem.now()
        columns = [Heading(key, words(f"moderator.{key}"), kind) for key, kind in COLUMNS]
        raw = [
            [
                ages.seat,
                say.label(f"kind.{ages.kind}"),
                words("questions.done" if ages.answered else "questions.open"),
                age(ages.since, now, words),
                countdown(ages.due, now, words),
            ]
            for ages in self.pbem.source.waiting()
        ]
        rows = [[say.name(row[0]), *row[1:]] for row in raw]
        table.load(Sheet("moderator", "", "", "", columns, rows, raw), lambda _: None)

    def _facts(self, game: GameOverview | None, more: Mapping[str, str]) -> Text:
        """Pace and forecast, bounces, letters to release, heartbeat."""
        words, say, text = self.words, self.desk.say(self.language), Text()

        def fact(key: str, value: str, style: str = "") -> None:
            text.append(f"{words(f'moderator.{key}')}: ")
            text.append(f"{value or words('moderator.never')}\n", style or "bold")

        if game is not None:
            if game.days_per_turn:
                fact(
                    "pace", words("moderator.pace.days", days=f"{game.days_per_turn:g}", date=game.next_turn)
                )
            if game.next_change:
                fact("next", game.next_change)
            fact("held", str(game.held))
            if game.bounces:
                fact("bounces", ", ".join(say.name(seat) for seat in game.bounces), "bold red")
        fact("read", more["read"])
        fact("cron", more["cron"])
        return text

    def _actions(self) -> Text:
        """The last actions, newest first: when, what, by whom, why."""
        text = Text()
        for done in reversed(self._source().session.save.actions[-ACTIONS:]):
            what = self.words(f"action.{done.what.replace('-', '_')}")
            text.append(f"{done.at[:16].replace('T', ' ')}  ")
            text.append(what, "bold")
            text.append(f"  {done.by}: {done.reason}\n")
        return text

    # -- what he does ------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("act", "preview"):
            return self.desk.moderator and self.pbem.stop is None
        if action == "turn_round":
            return self.desk.moderator  # nobody else has a table here
        return super().check_action(action, parameters)

    def action_turn_round(self) -> None:
        self.query_one(SheetTable).turn_round()

    def action_preview(self) -> None:
        """The letters that are held, as they will go out."""
        from pbem.post.outbox.release import held

        letters = held(self._source().session.save)
        shown = "\n\n".join(f"== {letter.seat}: {letter.subject}\n\n{letter.body}" for letter in letters)
        self.pbem.push_screen(Tell(self.words("act.preview"), shown or self.words("moderator.none_held")))

    def action_act(self) -> None:
        """Choose an action, fill it in, say why, do it."""
        game, _ = self.found()
        if game is None:
            return
        known = {act.key: act for act in acting.offered(game)}
        rows = []
        for key in known:
            label, told = self.words(f"action.{key}"), self.words(f"action.{key}.help")
            rows.append((key, Text.assemble((f"{label}  ", "bold"), told), f"{label} {told}"))

        def chosen(key: str | None) -> None:
            if key is not None:
                doing = known[key]
                reason = acting.Field("reason")
                self._fill(doing, [*doing.fields, reason], {})

        self.pbem.push_screen(Chooser(self.words("act.act"), rows), chosen)

    def _fill(self, doing: acting.Doing, left: list[acting.Field], filled: dict[str, str]) -> None:
        """Ask for the first of what is left to be filled in; when all is there, do it."""
        if not left:
            self._do(doing.key, filled)
            return
        field, words = left[0], self.words
        title = f"{words(f'action.{doing.key}')}: {words(f'action.field.{field.key}')}"

        def written(value: str | None) -> None:
            if value is None or (field.needed and not value.strip()):
                self.pbem.tell(words("moderator.nothing_done"))
                return
            self._fill(doing, left[1:], {**filled, field.key: value.strip()})

        if field.asks == "seat":
            say = self.desk.say(self.language)
            rows = [(seat, Text(say.name(seat)), f"{seat} {say.name(seat)}") for seat in self.desk.seats]
            self.pbem.push_screen(Chooser(title, rows), written)
        else:
            self.pbem.push_screen(Write(title, long=field.asks == "long", value=field.first), written)

    def _do(self, key: str, filled: dict[str, str]) -> None:
        from pbem.save import SaveError

        source, by = self._source(), self.pbem.env.get("PBEM_MODERATOR", "moderator")
        reason = filled.pop("reason")
        try:
            action, letters = acting.do(
                source.path, source.loader, key, filled, by=by, reason=reason, now=self.pbem.now()
            )
        except (acting.Refusal, SaveError) as error:
            self.pbem.push_screen(Tell(self.words("moderator.refused"), str(error)))
            return
        self.pbem.reload()
        self.pbem.redraw(force=True)
        self.pbem.tell(
            self.words("moderator.done", what=self.words(f"action.{key}"), by=action.by, letters=letters)
        )
