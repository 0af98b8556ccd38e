"""The common part of all screens: the bars, and redrawing when seat view, language or theme have changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, cast

from rich.cells import cached_cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget

from pbem.lazy_regex import clean
from pbem.orders.statements import uncommented
from pbem.report.messages import Catalogue
from pbem.tui.game_app import GameApp
from pbem.tui.key_bindings import GLOBAL, IN_ROOM, Act
from pbem.tui.model.badges import badges
from pbem.tui.model.messages import ScreenMessages, countdown
from pbem.tui.model.order_draft import DraftItem, OrderDraft
from pbem.tui.model.order_kinds import ALL
from pbem.tui.model.seat_view import SeatView
from pbem.tui.screens.dialogs import InputDialog, TextDialog
from pbem.tui.widgets.bars import Bar, BarItem, SearchBox, TextBar
from pbem.tui.widgets.mapview import MapView

_MOVING = (".  ", ".. ", "...")  # shows that the program works
KEYS = 6  # keys at the foot of a screen; help and palette have the others

EVERYWHERE = ("help", "command_palette", "leave")  # actions whose keys are at the foot of every screen

ALWAYS = ("send", "seal", "help", "command_palette", "leave")
"""Actions that a short key bar still shows: finish the work, go elsewhere, leave."""


class BaseScreen(Screen[None]):
    """A screen of the app. Subclasses give `NAME`, `body` and `draw`."""

    NAME: ClassVar[str] = ""
    AUTO_FOCUS = ""
    BLANK: ClassVar[bool] = True  # as the containers have it
    BINDINGS = [Binding("escape", "unfocus", "calm", show=False)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]

    _shown: object = None

    @property
    def pbem(self) -> GameApp:
        return cast("GameApp", self.app)

    @property
    def desk(self) -> SeatView:
        return self.pbem.desk

    @property
    def words(self) -> ScreenMessages:
        return self.pbem.words

    @property
    def language(self) -> str:
        return self.pbem.language

    @property
    def say(self) -> Catalogue:
        return self.desk.say(self.language)

    def compose(self) -> ComposeResult:
        # Textual sets the width class after a first layout. Setting it before saves the second one.
        self.add_class([name for least, name in self.HORIZONTAL_BREAKPOINTS or () if least <= self.app.size.width][-1])
        yield TextBar(id="status")
        yield Bar(id="rooms")
        yield from self.body()
        yield Bar(id="keys")

    def body(self) -> ComposeResult:
        raise NotImplementedError

    def draw(self) -> None:
        raise NotImplementedError

    def refresh_all(self, *, force: bool = False) -> None:
        if not self.is_mounted or not self.query("#status"):
            return
        version = self.pbem.version
        if force or version != self._shown:
            self._shown = version
            self.draw_bars()
            self.draw()

    def on_mount(self) -> None:
        self.refresh_all()

    def on_screen_resume(self) -> None:
        self.refresh_all()

    def let_go(self) -> None:
        """Drop drawn lines while another screen is shown: Textual keeps a MiB or more for each."""
        for widget in self.walk_children(Widget, with_self=True):
            widget.notify_style_update()
            widget.refresh()
            if isinstance(widget, MapView):
                widget.let_go()
        cached_cell_len.cache_clear()  # thousands of texts that were measured for this screen

    def verdict(self, email: OrderDraft) -> str:
        from pbem.report.receipt import receipt_text
        from pbem.report.viewfile import frame_from

        present = self.pbem.present
        say, about = present.say(self.language), frame_from(present.document)
        receipts = self.pbem.source.judge(email.block(present.name, self.pbem.source.code(email.seat)), email.seat)
        return clean("\n".join(receipt_text(receipt, say, about) for receipt in receipts))

    def show_verdict(self, email: OrderDraft | None) -> None:
        if email is not None:
            self.pbem.push_screen(TextDialog(self.words("act.check"), self.verdict(email)))

    def write_sheet(self, then: Callable[[list[str]], None]) -> None:
        """Let the player write over the reaction sheet: order lines, each with the names of its cards as a comment."""
        present, say = self.pbem.present, self.pbem.present.say(self.language)
        lines = []
        for entry in present.document.get("sheet", ()):
            cards = ", ".join(clean(say.typed(card)) for card in entry["cards"])
            lines.append(f"{entry['line']}    # {cards}" if cards else str(entry["line"]))
        heading = self.words("reaction_sheet.heading") if lines else self.words("reaction_sheet.empty")

        def written(text: str) -> None:
            plain = (uncommented(line.strip()).strip() for line in text.splitlines())
            then([line for line in plain if line])

        self.pbem.ask(InputDialog(heading, long=True, value="\n".join(lines)), written)

    def draw_bars(self) -> None:
        words, desk = self.words, self.desk
        rooms = []
        for name, number in self.pbem.screens().items():
            label = words(f"screen.{name}")
            if name == "questions" and desk.open:
                label += f" ({len(desk.open)})"
            rooms.append(BarItem(str(number), label, f"app.screen('{name}')", name == self.NAME, shrinks=True))
        self.query_one("#rooms", Bar).show(tuple(rooms))
        self.every_second()
        always = [act for act in GLOBAL if act.shown and self.pbem.check_action(act.key, ())]
        own = _items(self.acts(), words)[: KEYS - len(EVERYWHERE)]
        last = [item for item in _items(always, words) if item.action.removeprefix("app.") in EVERYWHERE]
        self.query_one("#keys", Bar).show((*own, *last))

    def acts(self) -> list[Act]:
        return [act for act in IN_ROOM.get(self.NAME, ()) if self.check_action(*act.call) is not False]

    def every_second(self) -> None:
        facts = [f"{fact.label} {fact.text}" for fact in self.desk.facts(self.language) if fact.text]
        company = self.pbem.company()
        head = self.status()
        rows = [[*company[:1], *facts[:few]] for few in range(len(facts), -1, -1)]
        rows += [[short] for short in company[1:]] + ([[]] if company else [])
        texts = (head.copy().append("".join(f"  {fact}" for fact in row)) for row in rows)
        self.query_one("#status", TextBar).show(*texts)

    def status(self) -> Text:
        desk, language, words = self.desk, self.language, self.words
        say = desk.say(language)
        seat = words(f"seat.{desk.seat or 'public'}") if desk.seat in ("", "moderator") else say.name(desk.seat)
        colours = self.app.theme_variables
        text = Text(no_wrap=True, overflow="ellipsis", end="")
        text.append(f" {desk.title(language)}", "bold").append(f" {desk.name}  ", "dim")
        badge = badges(desk, language).get(desk.seat) if desk.seat in desk.seats else None
        if badge is not None:
            text.append(f" {badge.letter} ", badge.style)
        text.append(f" {seat} ", "bold")
        left = countdown(self.pbem.present.due, self.pbem.now(), words)
        mine = sum(not asked.answered for asked in self.pbem.present.asked)
        if mine and not desk.moderator and self.pbem.stop is None:
            text.append(f" {words('status.to_answer', count=mine)} ", f"bold reverse {colours['accent']}")
        if self.pbem.stop is not None:
            replay = words("status.replay", n=self.pbem.stop.n, of=self.pbem.present.moves)
            text.append(f" {replay}", colours["warning"])
        elif self.pbem.playing:
            mark = _MOVING[int(self.pbem.now().timestamp()) % len(_MOVING)]
            text.append(f" {words(self.pbem.BUSY)} {mark}", f"bold {colours['accent']}")
        elif left and self.pbem.present.asked:
            late = left == words("time.past")
            text.append(f" {left if late else words('status.left', left=left)}", f"bold {colours['accent']}")
        elif desk.over:
            text.append(f" {words('status.over')}", "bold")
        return text

    @on(Bar.Chosen)
    async def _bar(self, event: Bar.Chosen) -> None:
        event.stop()
        await self.run_action(event.action)

    def action_unfocus(self) -> None:
        for box in self.query(SearchBox).filter(".-open"):
            box.action_close()


class PendingScreen(BaseScreen):
    """A screen on which the email that the seat `me` is writing is made and sent."""

    @property
    def me(self) -> str:
        raise NotImplementedError

    def pending(self) -> OrderDraft:
        return self.pbem.draft_of(self.me)

    def order_draft(self) -> OrderDraft | None:
        if not self.me or self.pending().empty:
            self.pbem.tell(self.words("negotiation.nothing"))
            return None
        return self.pending()

    def partner_name(self, partner: str) -> str:
        return self.words("negotiation.all") if partner == ALL else clean(self.say.name(partner))

    def piece_words(self, piece: DraftItem) -> str:
        """Return a part of the email in a line."""
        lead = ""
        if piece.part == "answer":
            lead = f"{piece.at}: "
        elif piece.part == "press":
            to = self.say.join([self.say.name(seat) for seat in piece.to])
            lead = f"> {to or self.words('negotiation.all')}: "
        return clean(lead + piece.text.partition("\n")[0])

    def write_press(self, partner: str, then: Callable[[], None]) -> None:
        """Let the player write a message. What is typed is kept until it is taken, also if the player leaves."""
        to, app = () if partner == ALL else (partner,), self.pbem
        place = f"press {','.join(to)}"
        mine = app.present.seat, place

        def typed(text: str) -> None:
            app.typed[mine] = text

        def written(text: str) -> None:
            if text.strip():
                app.typed[mine] = ""
                self.pending().add("press", text, to=to)
                then()

        heading = self.words("negotiation.write", name=self.partner_name(partner))
        app.ask(InputDialog(heading, long=True, value=app.typing(place), typed=typed), written)

    def action_check(self) -> None:
        self.show_verdict(self.order_draft())

    def action_send(self) -> None:
        email = self.order_draft()
        if email is not None:
            self.pbem.send(email, then=lambda: self.pbem.forget_draft(email))


def _items(acts: list[Act], words: ScreenMessages) -> list[BarItem]:
    items: list[BarItem] = []
    for act in acts:
        if not act.shown:
            continue
        label = act.label(words)
        if items and items[-1].label == label:  # zoom in and out share a word
            items[-1] = BarItem(f"{items[-1].key}{act.shown}", label, items[-1].action)
        else:
            name = f"app.{act.name}" if act in GLOBAL else act.name
            items.append(BarItem(act.shown, label, name, keep=act.key in ALWAYS))
    return items
