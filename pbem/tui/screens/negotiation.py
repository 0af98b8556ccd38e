"""Screen 5, the negotiation: how the others stand, what they say, and what can be offered, signed or ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static

from pbem.kernel.negotiation import ACCEPT, DONE, PROPOSE, WITHDRAW
from pbem.kernel.questions import MODERATOR
from pbem.lazy_regex import clean
from pbem.report.text_width import cut, pad, width
from pbem.tui.key_bindings import Act, bindings
from pbem.tui.model.answer_tree import AnswerDraft, MenuNode
from pbem.tui.model.badges import NOBODY, Badge, badges
from pbem.tui.model.messages import local
from pbem.tui.model.order_kinds import ALL, partners, thread
from pbem.tui.model.seat_view import ScreenProposal, ScreenQuestion
from pbem.tui.screens.answer_base import LARGE, MIDDLE, AnswerScreen, left_over
from pbem.tui.screens.base import BaseScreen, PendingScreen
from pbem.tui.screens.board_base import badger, told_more
from pbem.tui.screens.dialogs import Dialog
from pbem.tui.screens.question_panels import named, standings, talked_over
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import Columns, Panel, Prompt, Rows, TextBar, refill
from pbem.tui.widgets.report_table import ReportTableWidget

_STANDS = 16  # cells of how two powers stand
ACTS_SHOWN, PENDING_SHOWN, LEAST = 12, 5, 6
"""Most rows of the list of acts, of the agreements and of what waits in the email; the least of the question."""
LEAST_LOG, LEAST_TABLE = 4, 4  # rows of the log with its heading, and those below which the table is left out

Deed = tuple[str, str, Text]
"""An act that is possible now: its verb, the proposal or partner that it is about, what it says."""

SEND = "send"

ACTS = {"send": SEND, "check": SEND, "propose": PROPOSE, "sign": ACCEPT, "withdraw": WITHDRAW, "done": DONE}
"""The verbs without which there is nothing for an action to do."""


class FormDialog(Dialog[str]):
    """The form of an act. Enter on the whole, or F8, puts it into the email; Esc leaves."""

    FIRST = "AnswerForm"
    BINDINGS = [Binding("f8,ctrl+s", "take", "take", show=False, priority=True)]

    def __init__(self, title: str, draft: AnswerDraft, owner: AnswerScreen) -> None:
        super().__init__(f" {title}")
        self.draft, self.owner = draft, owner
        self.heading = Text.assemble(self.heading, f"   F8 {owner.words('fill.take')}", end="")

    def body(self) -> ComposeResult:
        yield AnswerForm(id="form")
        yield TextBar(id="trouble")
        yield Static(id="aloud", markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        form = self.query_one(AnswerForm)
        form.load(self.draft, self.owner, priced=False)
        form.focus_first()
        self.preview()

    @on(AnswerForm.Changed)
    def preview(self) -> None:
        text, aloud = self.draft.text(), self.owner.words("form.aloud")
        self.query_one("#aloud", Static).update(Text(f"{aloud} {self.owner.answer_in_words(text)}" if text else ""))
        trouble = "" if text else self.owner.problem_words(self.draft.problem())
        self.query_one("#trouble", TextBar).show(f" {trouble}")

    @on(AnswerForm.Ready)
    def _ready(self) -> None:
        if self.draft.text():
            self.query_one("#trouble", TextBar).show(f" Enter: {self.owner.words('fill.take')}")

    @on(AnswerForm.Finished)
    def action_take(self) -> None:
        text = self.draft.text()
        if text:
            self.dismiss(text)


class NegotiationScreen(PendingScreen, AnswerScreen):
    """A seat's side of a negotiation. Acts and press wait in the email until they are sent."""

    NAME = "negotiation"
    BINDINGS = bindings("negotiation")

    partner = ""
    keys: Sequence[str] = ()
    signable: Collection[str] = ()  # the offers that the seat can sign now; for others it lacks what they ask
    deeds: Sequence[Deed] = ()

    def body(self) -> ComposeResult:
        with Columns(id="sides"):
            with Rows(id="answering"):
                yield TextBar(id="due")
                yield Prompt(id="prompt")
                yield OptionList(id="deeds", compact=True)
                yield TextBar(id="letter_head", classes="head")
                yield Static(id="letter", markup=False)
            with Rows(id="left"):
                yield OptionList(id="partners", compact=True)
                yield TextBar(id="thread_head", classes="head")
                with VerticalScroll(id="thread"):
                    yield Static(id="said", markup=False)
                yield TextBar(id="deals_head", classes="head")
                yield Static(id="deals", markup=False)
                yield ReportTableWidget(id="stand")
                yield Panel("questions", id="low-facts")
                yield Panel("hand", id="hand-panel")
                with Columns(id="foot"):
                    yield Panel("log", id="log-panel")
                    yield Panel("players", id="dealings-panel")

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#deeds" if self.questions() else "#partners").focus()

    def questions(self) -> tuple[ScreenQuestion, ...]:
        return tuple(asked for asked in self.pbem.present.asked if asked.talk)

    @property
    def me(self) -> str:
        """The seat that speaks: in the negotiation its own, else the reader's; "" if nobody may."""
        if self.asked is not None:
            return self.asked.seat
        return "" if self.desk.seat in ("", MODERATOR) else self.desk.seat

    def draw(self) -> None:
        sides, self.signable = badges(self.desk, self.language), self._signable()
        self.keys = partners(self.pbem.present, self.me)
        if self.partner not in self.keys:
            signing = [offer.by for offer in self.offers if self._mine_to_sign(offer)]
            self.partner = next((key for key in signing if key in self.keys), self.keys[0])
        sheet = told_more(talked_over(self.desk, self.language), self.desk, self.language, sides)
        if sheet is not None:
            self.query_one(ReportTableWidget).load(sheet, badger(self.desk, sides))
        self._draw_partners(sides)
        self.draw_thread()
        self.draw_draft()
        self.draw_log(self.pbem.present.log, sides)
        self.draw_diplomacy(sides)

    def _draw_partners(self, sides: Mapping[str, Badge]) -> None:
        words = self.words
        _, stands = standings(self.desk, self.language)
        names = {key: self.partner_name(key) for key in self.keys}
        room = min(max(map(width, names.values())), 20)
        rows = []
        for key, name in names.items():
            badge, row = sides.get(key, NOBODY), Text(no_wrap=True, overflow="ellipsis")
            row.append(pad(f" {badge.letter}", 3) if key != ALL else " * ", badge.style if key != ALL else "bold")
            row.append(f" {pad(cut(name, room), room)} ")
            stand = stands.get((self.me, key)) or stands.get((key, self.me), "")
            row.append(f"{pad(cut(stand, _STANDS), _STANDS)} " if stands else "", "dim")
            waits = sum(offer.by == key and offer.id in self.signable for offer in self.offers)
            if waits:
                sign = words("negotiation.sign", count=waits)
                row.append(f" {sign} ", f"bold reverse {self.app.theme_variables['accent']}").append(" ")
            count = len(thread(self.pbem.present, self.me, key))
            row.append(words("negotiation.messages", count=count) if count else "")
            rows.append(row)
        with self.prevent(OptionList.OptionHighlighted):
            refill(self.query_one("#partners", OptionList), rows, self.keys.index(self.partner))

    def draw_thread(self) -> None:
        say, text = self.say, Text()
        sides = badges(self.desk, self.language)
        head = self.words("negotiation.press", name=self.partner_name(self.partner))
        self.query_one("#thread_head", TextBar).show(f" {head}")
        said = thread(self.pbem.present, self.me, self.partner)
        for key in ("#thread_head", "#thread"):
            self.query_one(key).display = bool(said) or self.asked is None
        for press in said:
            badge = sides.get(press.seat, NOBODY)
            to = say.join([say.name(seat) for seat in press.to]) if press.to else self.words("negotiation.all")
            text.append(f" {badge.letter} ", badge.style)
            text.append(f" {clean(say.name(press.seat))} > {clean(to)}  ", "bold")
            text.append(f"{local(press.at, self.pbem.present.zone, say)}\n", "dim")
            text.append(f"{clean(press.text).rstrip()}\n\n")
        self.query_one("#said", Static).update(text if text.plain else Text(self.words("negotiation.silence")))

    @property
    def offers(self) -> list[ScreenProposal]:
        asked = self.asked
        return sorted(asked.offers, key=lambda offer: not self._mine_to_sign(offer)) if asked is not None else []

    def _mine_to_sign(self, one: ScreenProposal) -> bool:
        return self.me in one.parties and self.me not in one.signed

    def _signable(self) -> set[str]:
        draft = self.pbem.fresh_draft(self.asked) if self.asked is not None and self.offers else None
        root = draft.root if draft is not None else None
        if draft is None or not isinstance(root, MenuNode) or ACCEPT not in root.verb.options:
            return set()
        root.verb.set(ACCEPT)
        return {str(key) for slot in draft.slots() for key in getattr(slot.leaf, "options", ())}

    def _possible(self) -> list[Deed]:
        asked, words = self.asked, self.words
        found: list[Deed] = []
        if self.me and not self.pending().empty:
            found.append((SEND, "", Text(words("negotiation.send"), "bold")))
        if asked is None:
            return found
        root = self.pbem.fresh_draft(asked).root
        verbs = root.verb.options if isinstance(root, MenuNode) else []
        for offer in self.offers:
            verb = ACCEPT if offer.id in self.signable else WITHDRAW if self.me in offer.signed else ""
            lead = f"{words('act.withdraw')}: " if verb == WITHDRAW else ""
            found.append((verb, offer.id, Text(lead).append_text(self._offer(offer))))
        if PROPOSE in verbs and self.partner not in (ALL, ""):
            offer_to = words("negotiation.offer_to", name=self.partner_name(self.partner))
            found.append((PROPOSE, self.partner, Text(offer_to)))
        return found + [(verb, "", Text(words(f"negotiation.{verb}"))) for verb in (PROPOSE, DONE) if verb in verbs]

    def _offer(self, one: ScreenProposal) -> Text:
        say, words = self.say, self.words
        text = Text()
        missing = [seat for seat in one.parties if seat not in one.signed]
        if one.id in self.signable:
            text.append(words("negotiation.yours"), f"bold {self.app.theme_variables['accent']} reverse")
        elif self._mine_to_sign(one):
            text.append(words("negotiation.unable"), "bold")
        elif missing:
            text.append(words("negotiation.waits", names=say.join([say.name(seat) for seat in missing])), "bold")
        else:
            text.append(words("negotiation.agreed"), "bold")
        others = [say.name(seat) for seat in one.parties if seat not in (self.me, *missing)]
        text.append(f" {say.join(others)}\n   " if others else "\n   ")
        return text.append(self._terms(one), "bold")

    def _terms(self, one: ScreenProposal) -> str:
        terms = one.terms
        if isinstance(terms, dict):  # the parties are named already
            terms = {key: value for key, value in terms.items() if not set(named(value)) <= set(one.parties)}
        return clean(self.say.value(terms))

    def _act_words(self, text: str) -> str:
        value = self.asked.domain.parse(text) if self.asked is not None else text
        verb = value if isinstance(value, str) else value["do"]
        rest = {} if isinstance(value, str) else {key: part for key, part in value.items() if key != "do"}
        label = self.words(f"act.{'sign' if verb == ACCEPT else verb}")
        offer = next((offer for offer in self.offers if offer.id in rest.values()), None)
        more = {key: part for key, part in rest.items() if offer is None or part != offer.id}
        said = [self._terms(offer)] if offer is not None else []
        return f"{label}: {', '.join([*said, *([self.value_words(more)] if more else [])])}" if rest else label

    def draw_draft(self) -> None:
        options, before = self.query_one("#deeds", OptionList), [deed[:2] for deed in self.deeds]
        self.deeds = self._possible()
        options.display = bool(self.deeds)
        sending = bool(self.deeds) and self.deeds[0][0] == SEND
        kept = options.highlighted if [deed[:2] for deed in self.deeds] == before else None
        # Nothing is marked before somebody chooses, but for what is to be sent.
        refill(options, [deed[2] for deed in self.deeds], 0 if sending else kept)
        deals = self.asked.deals if self.asked is not None else ()
        self.query_one("#deals_head", TextBar).show(f" {self.words('negotiation.deals', count=len(deals))}")
        self.query_one("#deals", Static).update(Text("\n").join(map(self._offer, deals)))
        for key in ("#deals", "#deals_head"):
            self.query_one(key).display = bool(deals)
        for key in ("#letter", "#letter_head"):
            self.query_one(key).display = sending
        if sending:
            lines = [
                self._act_words(piece.text) if piece.part == "act" else self.piece_words(piece)
                for piece in self.pending().pieces()
            ]
            self.query_one("#letter_head", TextBar).show(f" {self.words('negotiation.letter')}")
            self.query_one("#letter", Static).update(Text("\n".join(map(clean, lines))))
        self.share_rows()
        self.draw_bars()  # with the keys of what is possible

    def on_resize(self) -> None:
        self.call_after_refresh(self.share_rows)

    def share_rows(self) -> None:
        """Give the acts their rows and the question the others; its last facts stand beside it if they don't fit."""
        prompt, wide = self.query_one(Prompt), self.answer_wide()
        high = self.app.size.height - (3 if self.app.size.width < LARGE else 4)
        self.below, room = 0, None
        if self.app.size.width >= MIDDLE:
            acts = sum(len(deed[2].wrap(self.app.console, wide - 2)) for deed in self.deeds)
            pending = 1 + PENDING_SHOWN if self.query_one("#letter").display else 0
            room = max(high - min(acts, ACTS_SHOWN) - pending, LEAST)
            facts = self.facts_rows(wide - 2)
            self.below = left_over(facts, room - self.lines(self.prompt_text(below=len(facts))))
        prompt.styles.max_height = room
        prompt.show(self.prompt_text(below=self.below) if self.asked else Text(self.words("negotiation.none")))
        self._share_left(high)

    def _share_left(self, high: int) -> None:
        """Give the table of the board its rows, then the log; the conversation has what is left."""
        stand, wide = self.query_one(ReportTableWidget), self.app.size.width - self.answer_wide() - 3
        facts = self.draw_low_facts(wide)
        if not MIDDLE <= self.app.size.width < LARGE:
            return
        hand, said = self.hand_high(wide, brief=True), LEAST if self.query_one("#thread").display else 0
        deals = 1 + min(len(self.asked.deals) * 2, PENDING_SHOWN) if self.asked is not None and self.asked.deals else 0
        left = high - len(self.keys) - said - deals - (2 + facts if facts else 0) - (1 + hand) - LEAST_LOG
        stand.styles.height = min(stand.high, left - 1)
        stand.display = left > LEAST_TABLE
        self.query_one("#hand-panel").styles.height = hand
        self.query_one("#foot").styles.height = "1fr" if not said else LEAST_LOG

    @on(OptionList.OptionHighlighted, "#partners")
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self.keys):
            self.partner = self.keys[event.option_index]
            self.draw_thread()
            self.draw_draft()

    @on(OptionList.OptionSelected, "#partners")
    def _write_to(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_write()

    @on(OptionList.OptionSelected, "#deeds")
    def _do(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        verb, about, _ = self.deeds[event.option_index]
        if verb == SEND:
            self.action_send()
        elif verb:
            self._act(verb, about)

    def acts(self) -> list[Act]:
        verbs = {verb for verb, _, _ in self.deeds}
        found = [act for act in BaseScreen.acts(self) if ACTS.get(act.name, "") in {"", *verbs}]
        return sorted(found, key=lambda act: act.name != "send")

    def action_write(self) -> None:
        if not self.me:
            self.pbem.tell(self.words("negotiation.nobody"))
            return
        if self.partner != ALL and not self.desk.document.get("private_press", True):
            self.pbem.tell(self.say.text("press.not_now"))
            return
        self.write_press(self.partner, self._to_deeds)

    def _to_deeds(self) -> None:
        self.draw_draft()
        self.query_one("#deeds").focus()

    def _act(self, verb: str, chosen: str = "") -> None:
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
            if chosen in getattr(slot.leaf, "options", ()):
                slot.leaf.set([chosen] if slot.leaf.kind == "pick" else chosen)
                break

        def filled(text: str) -> None:
            self.pending().add("act", text)
            self._to_deeds()

        if draft.missing() is None and verb in (WITHDRAW, DONE, ACCEPT):
            filled(draft.text())
        else:
            self.pbem.ask(FormDialog(self.words(f"act.{'sign' if verb == ACCEPT else verb}"), draft, self), filled)

    def _chosen(self, verb: str) -> str:
        at = self.query_one("#deeds", OptionList).highlighted
        marked = [self.deeds[at]] if at is not None else []
        return next((about for act, about, _ in [*marked, *self.deeds] if act == verb), "")

    def action_propose(self) -> None:
        chosen = self.query_one("#partners").has_focus and self.partner != ALL
        self._act(PROPOSE, self.partner if chosen else "")

    def action_sign(self) -> None:
        self._act(ACCEPT, self._chosen(ACCEPT))

    def action_withdraw(self) -> None:
        self._act(WITHDRAW, self._chosen(WITHDRAW))

    def action_done(self) -> None:
        self._act(DONE)

    def action_undo(self) -> None:
        self.pending().undo()
        self.draw_draft()
