"""Screen 5, the negotiation: press by partner, proposals and signatures, agreements, the email being written."""

from __future__ import annotations

from math import ceil

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from pbem.kernel.negotiation import ACCEPT, DONE, PROPOSE, WITHDRAW
from pbem.kernel.questions import MODERATOR
from pbem.lazy_regex import clean
from pbem.tui.model.answer_tree import MenuNode
from pbem.tui.model.badges import badges
from pbem.tui.model.clock import local
from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.order_kinds import ALL, partners, thread
from pbem.tui.model.seat_view import ScreenProposal, ScreenQuestion
from pbem.tui.screens.answer_base import AnswerScreen
from pbem.tui.screens.base import bound
from pbem.tui.screens.form_dialog import FormDialog
from pbem.tui.widgets.bars import TextBar
from pbem.tui.widgets.panels import Columns, Panel, Rows

BAR = 24
"""Cells of the bar of time."""


class NegotiationScreen(AnswerScreen):
    """The seat's side of a negotiation. Acts and press wait in the email until F8 sends it."""

    NAME = "negotiation"
    BINDINGS = bound("negotiation")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    DEFAULT_CSS = """
    NegotiationScreen #prompt { max-height: 4; }
    NegotiationScreen.-wide #prompt { max-height: 7; }
    NegotiationScreen #time { background: $surface; color: $accent; }
    NegotiationScreen #partners { width: 24; height: 1fr; border: none; background: $surface; }
    NegotiationScreen #right, NegotiationScreen #table { width: 1fr; }
    NegotiationScreen.-narrow #sides { layout: vertical; }
    NegotiationScreen.-narrow #talking { height: 1fr; min-height: 5; }
    NegotiationScreen.-narrow #table { height: auto; max-height: 60%; }
    NegotiationScreen.-wide #table { margin-left: 1; }
    NegotiationScreen #thread { height: 1fr; padding: 0 1; }
    NegotiationScreen #offers { height: auto; max-height: 8; border: none; background: $surface; }
    NegotiationScreen.-wide #offers { max-height: 55%; }
    NegotiationScreen .head { height: 1; background: $panel; color: $foreground; text-style: bold; }
    NegotiationScreen #deals, NegotiationScreen #letter { height: auto; max-height: 5; padding: 0 1; }
    NegotiationScreen #around { display: none; height: 1fr; margin-top: 1; }
    NegotiationScreen.-wide #around { display: block; }
    NegotiationScreen #dealings-panel { margin-left: 1; }
    NegotiationScreen.-no-dealings #dealings-panel { display: none; }
    NegotiationScreen #dealings-panel Static { text-wrap: nowrap; text-overflow: ellipsis; }
    NegotiationScreen.-wide #deals { max-height: 12; }
    NegotiationScreen.-wide #letter { max-height: 14; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.partner = ALL
        self.keys: list[str] = []

    def body(self) -> ComposeResult:
        yield Static(id="prompt", markup=False)
        yield TextBar(id="time")
        with Columns(id="sides"):
            with Columns(id="talking"):
                yield OptionList(id="partners", compact=True)
                with Rows(id="right"):
                    yield TextBar(id="thread_head", classes="head")
                    with VerticalScroll(id="thread"):
                        yield Static(id="said", markup=False)
            with Rows(id="table"):
                yield TextBar(id="offers_head", classes="head")
                yield OptionList(id="offers", compact=True)
                yield TextBar(id="deals_head", classes="head")
                yield Static(id="deals", markup=False)
                yield TextBar(id="letter_head", classes="head")
                yield Static(id="letter", markup=False)
                with Columns(id="around"):
                    yield Panel("hand", id="hand-panel")
                    yield Panel("players", id="dealings-panel")

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#partners").focus()

    def questions(self) -> tuple[ScreenQuestion, ...]:
        return tuple(asked for asked in self.pbem.present.asked if asked.talk)

    @property
    def me(self) -> str:
        """The seat that speaks: in the negotiation its own, else the reader's; "" if nobody may."""
        if self.asked is not None:
            return self.asked.seat
        return "" if self.desk.seat in ("", MODERATOR) else self.desk.seat

    def pending(self) -> OrderDraft:
        return self.pbem.letter_of(self.me)

    # -- drawing -----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        say = self.desk.say(self.language)
        self.draw_prompt()
        self.keys = partners(self.pbem.present, self.me)
        if self.partner not in self.keys:
            self.partner = self.keys[0]
        options = self.query_one("#partners", OptionList)
        with self.prevent(OptionList.OptionHighlighted):
            options.clear_options()
            for key in self.keys:
                count = len(thread(self.pbem.present, self.me, key))
                name = self.words("negotiation.all") if key == ALL else say.name(key)
                options.add_option(Option(Text(f"{clean(name)} ({count})", no_wrap=True)))
            options.highlighted = self.keys.index(self.partner)
        self.draw_thread()
        self.draw_offers()
        self.draw_letter()
        self.draw_diplomacy(badges(self.desk, self.language))

    def draw_prompt(self) -> None:
        """Draw the subject, and how much time is left."""
        asked = self.asked
        text = self.prompt_text() if asked is not None else Text(self.words("negotiation.none"))
        self.query_one("#prompt", Static).update(text)
        self.draw_time()

    def draw_time(self) -> None:
        """Draw the time left, as a bar of two days (of more, if there is more) and in words."""
        asked, line = self.asked, self.query_one("#time", TextBar)
        line.display = asked is not None and asked.due is not None
        if asked is not None and asked.due is not None:
            hours = max((asked.due - self.pbem.now()).total_seconds() / 3600, 0.0)
            days = max(2, ceil(hours / 24))
            full = round(BAR * hours / (24 * days))
            bars = []
            for said in self.untils(asked.due):
                bar = Text(" ", no_wrap=True, overflow="ellipsis", end="")
                bar.append(" " * full, "reverse")
                bar.append("." * (BAR - full), "dim")
                bar.append(f" {self.words('negotiation.hours', hours=24 * days)}  {said}")
                bars.append(bar)
            line.show(*bars)

    def every_second(self) -> None:
        super().every_second()
        if self.is_mounted and self.query("#time"):
            self.draw_time()

    def draw_thread(self) -> None:
        say, text = self.desk.say(self.language), Text()
        name = self.words("negotiation.all") if self.partner == ALL else say.name(self.partner)
        self.query_one("#thread_head", TextBar).show(f" {self.words('negotiation.press', name=clean(name))}")
        for press in thread(self.pbem.present, self.me, self.partner):
            at = local(press.at, self.pbem.present.zone, say)
            to = say.join([say.name(seat) for seat in press.to]) if press.to else self.words("negotiation.all")
            text.append(f"{clean(say.name(press.seat))} > {clean(to)}  ", "bold")
            text.append(f"{at}\n", "dim")
            text.append(f"{clean(press.text).rstrip()}\n\n")
        self.query_one("#said", Static).update(text if text.plain else Text(self.words("negotiation.silence")))

    @property
    def offers(self) -> list[ScreenProposal]:
        """The open proposals, those that wait for the reader's signature first."""
        asked = self.asked
        return sorted(asked.offers, key=lambda offer: not self._mine_to_sign(offer)) if asked is not None else []

    def _mine_to_sign(self, one: ScreenProposal) -> bool:
        return self.me in one.parties and self.me not in one.signed

    def draw_offers(self) -> None:
        asked, offers, words = self.asked, self.offers, self.words
        options = self.query_one("#offers", OptionList)
        here = options.highlighted
        options.clear_options()
        options.add_options([Option(self._offer(offer)) for offer in offers])
        options.highlighted = min(here or 0, len(offers) - 1) if offers else None
        options.display = bool(offers)
        sign = sum(map(self._mine_to_sign, offers))
        head = words("negotiation.offers", count=len(offers)) + (
            f", {words('negotiation.sign', count=sign)}" if sign else ""
        )
        self.query_one("#offers_head", TextBar).show(f" {head}")
        deals, text = asked.deals if asked is not None else (), Text("\n")
        self.query_one("#deals_head", TextBar).show(f" {words('negotiation.deals', count=len(deals))}")
        self.query_one("#deals", Static).update(text.join(map(self._offer, deals)))
        self.query_one("#deals").display = bool(deals)

    def _offer(self, one: ScreenProposal) -> Text:
        """Return the missing signatures and the terms in words."""
        say, words = self.desk.say(self.language), self.words
        text = Text()
        missing = [say.name(seat) for seat in one.parties if seat not in one.signed]
        if self._mine_to_sign(one):
            text.append(words("negotiation.yours"), f"bold {self.app.theme_variables['accent']} reverse")
        elif missing:
            text.append(words("negotiation.waits", names=say.join(missing)), "bold")
        else:
            text.append(words("negotiation.agreed"), "bold")
        signed = [f"{say.name(seat)}{'+' if seat in one.signed else '?'}" for seat in one.parties]
        text.append(f" {', '.join(signed)}\n   {clean(say.value(one.terms))}")
        return text

    def draw_letter(self) -> None:
        letter = self.pending() if self.me else None
        waits = letter is not None and not letter.empty
        for key in ("#letter", "#letter_head"):
            self.query_one(key).display = waits
        if letter is not None and waits:
            say = self.desk.say(self.language)
            lines = [
                f"{piece.at}: {piece.text}"
                if piece.part == "answer"
                else f"> {say.join([say.name(seat) for seat in piece.to]) or self.words('negotiation.all')}: "
                f"{piece.text.splitlines()[0]}"
                if piece.part == "press"
                else piece.text
                for piece in letter.pieces()
            ]
            self.query_one("#letter_head", TextBar).show(f" {self.words('negotiation.letter')}")
            self.query_one("#letter", Static).update(Text("\n".join(map(clean, lines))))

    @on(OptionList.OptionHighlighted, "#partners")
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self.keys):
            self.partner = self.keys[event.option_index]
            self.draw_thread()

    @on(OptionList.OptionSelected, "#partners")
    def _write_to(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_write()

    @on(OptionList.OptionSelected, "#offers")
    def _sign_it(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_sign()

    # -- acts --------------------------------------------------------------------------------------------------------

    def action_write(self) -> None:
        if not self.me:
            self.pbem.tell(self.words("negotiation.nobody"))
            return
        if self.partner != ALL and not self.desk.document.get("private_press", True):
            self.pbem.tell(self.desk.say(self.language).text("press.not_now"))
            return
        to = () if self.partner == ALL else (self.partner,)
        say = self.desk.say(self.language)
        name = self.words("negotiation.all") if self.partner == ALL else say.name(self.partner)

        def written(text: str) -> None:
            self.pending().add("press", text, to=to)
            self.draw_letter()

        self.write_press(to, name, written)

    def _act(self, verb: str, chosen: str = "") -> None:
        """Fill in an act of the negotiation and put it into the email."""
        asked = self.asked
        if asked is None:
            self.pbem.tell(self.words("negotiation.none"))
            return
        draft = self.pbem.fresh_draft(asked)
        root = draft.root
        if not isinstance(root, MenuNode) or verb not in root.verb.options:
            self.pbem.tell(self.words("negotiation.not_possible"))
            return
        root.verb.set(verb)
        for slot in draft.slots():
            if slot.label == "id" and chosen in getattr(slot.leaf, "options", ()):
                slot.leaf.set(chosen)

        def filled(text: str | None) -> None:
            if text:
                self.pending().add("act", text)
                self.draw_letter()

        if draft.missing() is None and verb in (WITHDRAW, DONE, ACCEPT):
            filled(draft.text())
        else:
            self.app.push_screen(
                FormDialog(self.words(f"act.{'sign' if verb == ACCEPT else verb}"), draft, self), filled
            )

    def _chosen(self) -> str:
        offers, at = self.offers, self.query_one("#offers", OptionList).highlighted
        return offers[at].id if at is not None and at < len(offers) else ""

    def action_propose(self) -> None:
        self._act(PROPOSE)

    def action_sign(self) -> None:
        self._act(ACCEPT, self._chosen())

    def action_withdraw(self) -> None:
        self._act(WITHDRAW, self._chosen())

    def action_done(self) -> None:
        self._act(DONE)

    def action_undo(self) -> None:
        self.pending().undo()
        self.draw_letter()

    def letter(self) -> OrderDraft | None:
        if not self.me or self.pending().empty:
            self.pbem.tell(self.words("negotiation.nothing"))
            return None
        return self.pending()

    def action_send(self) -> None:
        letter = self.letter()
        if letter is not None:
            self.pbem.send(letter, then=lambda: self.pbem.forget_letter(letter))
