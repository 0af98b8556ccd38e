"""Screen 8, the dashboard: who is waited for since when, pace, emails, and the moderator's actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static

from pbem.lazy_regex import clean
from pbem.mail.moderator.actions import ActionField, ActionSpec
from pbem.mail.moderator.dashboard import GameOverview
from pbem.mail.outbox import release
from pbem.mail.quarantine import QuarantinedEmail
from pbem.report.model import Heading, ReportTable
from pbem.save import SaveError
from pbem.timestamps import moment
from pbem.tui.key_bindings import bindings
from pbem.tui.model import moderator_actions
from pbem.tui.model.game_source import SaveSource
from pbem.tui.model.messages import countdown, local, matches
from pbem.tui.screens.base import BaseScreen
from pbem.tui.screens.dialogs import ChoiceRow, ChooseDialog, InputDialog, TextDialog, told_row
from pbem.tui.widgets.bars import Columns, Rows, SearchBox, TextBar, refill
from pbem.tui.widgets.report_table import ReportTableWidget

COLUMNS = (("seat", "name"), ("kind", "text"), ("state", "text"), ("age", "text"), ("left", "text"))
ACTIONS = 5  # number of recent actions shown


class ModeratorScreen(BaseScreen):
    """What only a moderator who isn't a player may see and do."""

    NAME = "moderator"
    BINDINGS = bindings("moderator")

    emails: Sequence[QuarantinedEmail] = ()
    possible: frozenset[str] = frozenset()

    def body(self) -> ComposeResult:
        yield Static(id="counts", markup=False)
        yield SearchBox("#aside", id="needle")
        with VerticalScroll(id="desk"), Columns(id="columns"):
            with Rows(id="left", classes="column"):
                yield TextBar(id="waiting_head", classes="head")
                yield ReportTableWidget(id="sheet")
                yield from _part("calendar")
            with Rows(id="right", classes="column"):
                yield TextBar(id="aside_head", classes="head")
                yield OptionList(id="aside", compact=True)
                for name in ("held", "facts", "actions"):
                    yield from _part(name)

    def draw(self) -> None:
        words = self.words
        counts = self.query_one("#counts", Static)
        self.query_one("#desk").display = self.desk.moderator
        if not self.desk.moderator:
            counts.update(Text(words("moderator.private")))
            return
        game, more = self.found()
        self.possible = frozenset(doing.key for doing in moderator_actions.offered(game)) if game else frozenset()
        save = self._source().session.save
        found = {
            "quarantine": more["quarantine"],
            "outbox": more["outbox"],
            "intake": len(save.intake),
            "queue": len(save.queue),
        }
        line = Text("   ".join(f"{words(f'moderator.{key}')}: {count}" for key, count in found.items()))
        if game is not None and game.paused:
            line.append(f"   {words('moderator.paused')}", "bold")
        counts.update(line)
        self._draw_waiting(game)
        self._draw_quarantine()
        self._tell("waiting", words("moderator.waiting"))
        self._tell("calendar", words("moderator.calendar"), self._calendar(game))
        count = game.held if game is not None else 0
        self._tell("held", words("moderator.to_release", count=count), self._held_emails_text())
        self._tell("facts", words("moderator.facts"), self._facts(game, more))
        self._tell("actions", words("moderator.last"), self._actions())
        self.draw_bars()

    def _tell(self, part: str, title: str, body: Text | None = None) -> None:
        self.query_one(f"#{part}_head", TextBar).show(f" {title}")
        if body is not None:
            self.query_one(f"#{part}", Static).update(body)

    def _calendar(self, game: GameOverview | None) -> Text:
        words, say, text = self.words, self.say, Text()
        weekdays, months = say.text("time.weekdays").split(), say.text("time.months").split()
        save, now = self._source().session.save, self.pbem.now()
        days = moderator_actions.calendar(save, game, now) if game is not None else []
        for day in days:
            on = day.on
            weekday, month = weekdays[on.weekday()], months[on.month - 1]
            text.append(f"{words('moderator.day', weekday=weekday, day=f'{on.day:>2}', month=month)}  ", "bold")
            for at, seats in day.due:
                text.append(f"{at} ", f"bold {self.app.theme_variables['accent']}")
                text.append(f"{say.join([clean(say.name(seat)) for seat in seats])}  ")
            if day.away:
                text.append(words("moderator.away", names=say.join([clean(say.name(seat)) for seat in day.away])))
            text.append("\n")
        if all(not day.due for day in days):
            text.append(words("moderator.free"))
        return text

    def _draw_quarantine(self) -> None:
        words, options = self.words, self.query_one("#aside", OptionList)
        everything = moderator_actions.quarantined_emails(self._source().path)

        def texts(held: QuarantinedEmail) -> tuple[str, ...]:
            return words(f"reason.{held.reason}"), held.reason, held.sender, held.subject, held.game, held.seat

        needle = self.query_one(SearchBox).value
        self.emails = [held for held in everything if matches(needle, texts(held))]
        self._tell("aside", words("moderator.aside", count=len(self.emails), all=len(everything)))
        at = min(options.highlighted or 0, len(self.emails) - 1)
        refill(options, [self._quarantine_row(held) for held in self.emails], at, words("moderator.none_aside"))

    def _quarantine_row(self, held: QuarantinedEmail) -> Text:
        row = Text(no_wrap=True, overflow="ellipsis", end="")
        row.append(f"{held.at:%Y-%m-%d} ", "dim")
        row.append(f"{self.words(f'reason.{held.reason}')}: ", "bold")
        whose = " ".join(word for word in (held.game, held.seat) if word)
        row.append(clean(f"{held.sender or self.words('moderator.stranger')}  {whose}  {held.subject}"))
        return row

    def _held_emails_text(self) -> Text:
        say, text = self.say, Text()
        emails = release.held(self._source().session.save)
        for email in emails:
            text.append(f"{clean(say.name(email.seat))}: ", "bold")
            text.append(f"{clean(email.subject)}\n")
        return text if emails else Text(self.words("moderator.none_held"))

    def found(self) -> tuple[GameOverview | None, Mapping[str, str]]:
        return moderator_actions.facts(self._source().path, self.pbem.now())

    def _source(self) -> SaveSource:
        source = self.pbem.source
        assert isinstance(source, SaveSource)  # the moderator always has a save
        return source

    def _draw_waiting(self, game: GameOverview | None) -> None:
        words, say, now = self.words, self.say, self.pbem.now()
        columns = [Heading(key, words(f"moderator.{key}"), kind) for key, kind in COLUMNS]
        raw = [
            [
                asked.seat,
                say.label(f"kind.{asked.kind}"),
                words("questions.done" if asked.answered else "questions.open"),
                words("time.age", days=asked.hours // 24, hours=asked.hours % 24),
                countdown(moment(asked.due) if asked.due else None, now, words),
            ]
            for asked in (game.waiting if game is not None else ())
        ]
        rows = [[say.name(row[0]), *row[1:]] for row in raw]
        self.query_one(ReportTableWidget).load(ReportTable("moderator", "", "", "", columns, rows, raw), lambda _: None)

    def _at(self, at: str) -> str:
        return local(moment(at) if at else None, self.pbem.present.zone, self.say)

    def _facts(self, game: GameOverview | None, more: Mapping[str, str]) -> Text:
        words, say, text = self.words, self.say, Text()

        def fact(key: str, value: str, style: str = "") -> None:
            text.append(f"{words(f'moderator.{key}')}: ")
            text.append(f"{value or words('moderator.never')}\n", style or "bold")

        if game is not None:
            if game.days_per_turn:
                fact("pace", words("moderator.pace.days", days=f"{game.days_per_turn:g}", date=game.next_turn))
            if game.next_change:
                fact("next", self._at(game.next_change))
            if game.bounces:
                fact("bounces", ", ".join(say.name(seat) for seat in game.bounces), "bold red")
        fact("read", self._at(more["read"]))
        fact("cron", self._at(more["cron"]))
        return text

    def _actions(self) -> Text:
        text = Text()
        if not self._source().session.save.actions:
            return Text(self.words("moderator.none_done"))
        for done in reversed(self._source().session.save.actions[-ACTIONS:]):
            what = self.words("action.correct" if done.what == "fiat" else f"action.{done.what.replace('-', '_')}")
            text.append(f"{done.at:%Y-%m-%d %H:%M}  ")
            text.append(what, "bold")
            text.append(f"  {done.by}: {done.reason}\n")
        return text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        at_desk = self.desk.moderator and self.pbem.stop is None
        if action in ("act", "preview", "filter"):
            return at_desk
        if action in ("accept_email", "discard_email"):
            return at_desk and bool(self.emails)
        if action == "start":
            return at_desk and bool(self.possible.intersection(str(parameters[0]).split()))
        return super().check_action(action, parameters)

    def on_mount(self) -> None:
        super().on_mount()
        if self.desk.moderator:
            self.query_one(ReportTableWidget).focus()

    def action_filter(self) -> None:
        needle = self.query_one(SearchBox)
        needle.placeholder = self.words("moderator.filter")
        needle.open()

    @on(SearchBox.Searched)
    def _sought(self) -> None:
        self._draw_quarantine()

    @property
    def selected_email(self) -> QuarantinedEmail | None:
        at = self.query_one("#aside", OptionList).highlighted
        return self.emails[at] if at is not None and at < len(self.emails) else None

    @on(OptionList.OptionSelected, "#aside")
    def _read(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.selected_email is not None:
            text = moderator_actions.quarantined_text(self._source().path, self.selected_email)
            self.pbem.push_screen(TextDialog(self.words(f"reason.{self.selected_email.reason}"), text))

    def action_accept_email(self) -> None:
        held = self.selected_email
        if held is None:
            return
        if held.seat:
            self._accept_email(held, held.seat)
        else:
            whose = ChooseDialog(self.words("moderator.whose"), self._seat_rows())
            self.pbem.ask(whose, lambda seat: self._accept_email(held, seat))

    def _accept_email(self, held: QuarantinedEmail, seat: str) -> None:
        source = self._source()
        try:
            told = moderator_actions.accept_quarantined(source.path, held, seat, self.pbem.now(), source.loader)
        except LookupError as error:  # QuarantineError
            self.pbem.push_screen(TextDialog(self.words("moderator.refused"), str(error)))
            return
        self.pbem.reload()
        self.pbem.redraw(force=True)
        self.pbem.push_screen(TextDialog(self.words("act.accept_email"), told))

    def action_discard_email(self) -> None:
        held = self.selected_email
        if held is not None:
            moderator_actions.discard_quarantined(self._source().path, held)
            self.pbem.redraw(force=True)
            self.pbem.tell(self.words("moderator.refused_it", id=held.id))

    def _seat_rows(self) -> list[ChoiceRow]:
        return [(seat, Text(self.say.name(seat)), f"{seat} {self.say.name(seat)}") for seat in self.desk.seats]

    def action_preview(self) -> None:
        emails = release.held(self._source().session.save)
        shown = "\n\n".join(f"== {email.seat}: {email.subject}\n\n{email.body}" for email in emails)
        self.pbem.push_screen(TextDialog(self.words("act.preview"), shown or self.words("moderator.none_held")))

    def action_act(self) -> None:
        game, _ = self.found()
        if game is None:
            return
        known = {act.key: act for act in moderator_actions.offered(game)}
        rows = [told_row(key, self.words(f"action.{key}"), self.words(f"action.{key}.help")) for key in known]
        self.pbem.ask(ChooseDialog(self.words("act.act"), rows), lambda key: self._start(known[key]))

    def _start(self, doing: ActionSpec) -> None:
        self._fill(doing, [*(field for field in doing.fields if field.on_screen), ActionField("reason")], {})

    def action_start(self, keys: str) -> None:
        key = next((key for key in keys.split() if key in self.possible), "")
        if key:
            self._start(next(doing for doing in moderator_actions.ON_SCREEN if doing.key == key))

    def _fill(self, doing: ActionSpec, left: list[ActionField], filled: dict[str, str]) -> None:
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
            self.pbem.push_screen(ChooseDialog(title, self._seat_rows()), written)
        else:
            self.pbem.push_screen(InputDialog(title, long=field.asks == "long", value=field.first), written)

    def _do(self, key: str, filled: dict[str, str]) -> None:
        source, now, why = self._source(), self.pbem.now(), filled.pop("reason")
        by = self.pbem.env.get("PBEM_MODERATOR", "moderator")
        try:
            action, emails = moderator_actions.do(source.path, source.loader, key, filled, by=by, reason=why, now=now)
        except (moderator_actions.ActionRejected, SaveError) as error:
            self.pbem.push_screen(TextDialog(self.words("moderator.refused"), str(error)))
            return
        self.pbem.reload()
        self.pbem.redraw(force=True)
        self.pbem.tell(self.words("moderator.done", what=self.words(f"action.{key}"), by=action.by, letters=emails))


def _part(name: str) -> ComposeResult:
    yield TextBar(id=f"{name}_head", classes="head")
    yield Static(id=name, markup=False)
