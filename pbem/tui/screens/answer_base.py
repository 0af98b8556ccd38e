"""The common part of screens with a form: the draft of each question, its order text, checking and sending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import accumulate, chain
from typing import Any

from rich.text import Text
from textual import on
from textual.events import Paste
from textual.widgets import Input, Static

from pbem.kernel.domains import Value
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.lazy_regex import clean
from pbem.report.answer_faces import face
from pbem.report.text_width import width, wrap
from pbem.tui.game_app import order_place
from pbem.tui.key_bindings import Act
from pbem.tui.model import drafts
from pbem.tui.model.answer_fields import FormRow
from pbem.tui.model.answer_tree import ADD, DROP, NOW, AddItemField, AnswerDraft
from pbem.tui.model.badges import NOBODY, Badge, badges
from pbem.tui.model.messages import begun, local, unbroken, until_or_left
from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.seat_view import ScreenLine, ScreenMeaning, ScreenQuestion
from pbem.tui.screens.base import BaseScreen
from pbem.tui.screens.question_panels import answer_words, diplomacy_text, hand_text, log_text, options, own_cards
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import Panel, TextBar
from pbem.tui.widgets.editors import FEWER, Editor, WholeAnswer

MIDDLE, LARGE = 100, 160  # columns from which the question is next to the board, and from which there are all panels
FLOWED = 0.9
FOLLOWS = (9, 1, FLOWED, FEWER, 0.5, 0)
"""How much of what follows from a choice is next to it, as there is space: all, one thing in rows of its own, in the
row of the choice and further ones, the same with fewer whole answers, its beginning below, and what fits behind."""
MARK = 4  # cells of the mark before one of several choices
MANY = 30  # of more choices only their names are told
LOW_HAND, ASKED_HAND = 4, 7  # most rows of the hand below the board, and of one that a question is about
FACT = "·"  # begins each line of what a decision turns on

LABELS = ("field", "expected", "word", "field_name")
"""Message prefixes under which a game or the reports name a field of a form."""


OF_ANSWERS = ("open", "send", "check", "put", "default", "clear")  # actions on the answer to a question


class AnswerScreen(BaseScreen):
    """A screen on which one question is answered at a time."""

    HORIZONTAL_BREAKPOINTS = [(0, "-small"), (MIDDLE, "-middle"), (LARGE, "-large")]

    at: tuple[int, str] | None = None
    _loaded: tuple[int, str] | None = None
    at_length = False  # whether what follows is next to each choice
    _announced: tuple[int, str] | None = None  # the question and the answer whose price was said
    below = 0  # how many facts stand in a panel of their own, for which there is no room above the choices

    def __init__(self) -> None:
        super().__init__()
        self.meant = Text()  # what follows from the marked choice

    def questions(self) -> tuple[ScreenQuestion, ...]:
        raise NotImplementedError

    @property
    def asked(self) -> ScreenQuestion | None:
        found = self.questions()
        first = next((asked for asked in found if not asked.answered), found[0] if found else None)
        return next((asked for asked in found if (asked.q, asked.seat) == self.at), first)

    @property
    def draft(self) -> AnswerDraft | None:
        return self.pbem.draft(self.asked) if self.asked is not None else None

    def value_words(self, value: Any, what: str = "") -> str:
        if isinstance(value, str) and value.partition(" ")[0] in ("unless", "after") and " " in value:
            word, _, seat = value.partition(" ")
            return self.words(f"form.{word}", seat=self.say.value(seat))
        named = isinstance(value, str) and value in self.say.names.names  # what has a name needs no message
        return clean(self.say.value(value, "" if named else what))

    def row_words(self, row: FormRow | None, value: Any) -> str:
        acts = row is not None and getattr(row.leaf, "acts", False)
        if row is not None and (acts or row.label == "when") and value in (ADD, DROP, NOW):
            first = isinstance(row.leaf, AddItemField) and value == ADD and not row.leaf.owner.items
            return self.words("form.first" if first else f"form.{value}")
        whole = self._whole(row, value)
        if whole is not None and self.asked is not None:
            said, named = face(self.asked.kind, whole, self.say)
            if not named:
                return clean(said)
        return self.value_words(value, getattr(row.leaf.domain, "what", "") if row is not None else "")

    def told(self, label: Text, row: FormRow, means: ScreenMeaning, follows: float) -> Text:
        """Add to a choice its price or chance and so many things that follow from it; below 1 the first's beginning."""
        said = self.words("list.between").join(means.follows[: int(follows) or 1])
        wide = self.list_wide() - (0 if row.leaf.kind == "choice" else MARK)
        if means.price:
            label.append(f"  {means.price}", "bold")
        label = unbroken(label, wide)
        room = wide - label.split("\n")[-1].cell_len - 2
        if not said or not follows or width(said) <= room:
            return label.append(f"  {begun(said, room)}".rstrip())
        if follows in (FLOWED, FEWER):
            last = "x" * (wide - room - 2)  # stands for what the row says already
            return label.append("\n".join(wrap(f"{last}  {said}", wide, "", "  "))[len(last) :], "dim")
        rows = wrap(said, wide, "  ", "  ") if follows >= 1 else [f"  {begun(said, wide - 2)}"]
        return label.append("\n" + "\n".join(rows), "dim")

    def attempts(self) -> Iterator[float]:
        """Yield how much of what follows is tried next to each choice, until all has space."""
        yield from FOLLOWS

    def has_room(self, rows: list[Text], follows: float) -> bool:
        """Whether a list can show these rows whole."""
        self.at_length = follows > 1
        return False

    def whole_answers(self, row: FormRow) -> list[WholeAnswer]:
        """Return the answers that a decision suggests, next to the choices of the first of several parts."""
        asked, draft = self.asked, self.draft
        if asked is None or draft is None or row.path != draft.first_path():
            return []
        values = getattr(row.leaf, "options", ())
        single = {self.say.faced(f"{lead}{value}") for value in values for lead in ("", f"{row.label} ")}
        told: dict[tuple[str, ScreenMeaning], WholeAnswer] = {}
        for order, said in asked.answers(self.language):  # those that say the same are one, like cards
            if order not in single and draft.reads(order):
                told.setdefault((said, asked.meaning(order, self.language)), WholeAnswer(order, said))
        names = {self.row_words(row, value) for value in values}
        return [answer for (said, means), answer in told.items() if said not in names or means != ScreenMeaning()]

    def meaning(self, row: FormRow, value: Any) -> ScreenMeaning:
        """Return what an answer costs and what follows from it, as far as it is one by itself."""
        asked = self.asked
        if asked is None:
            return ScreenMeaning()
        if isinstance(value, WholeAnswer):
            return asked.meaning(value.order, self.language)
        whole = self._whole(row, value)
        order = asked.domain.text(whole) if whole is not None else self._with_last(row, value)
        if row.leaf.kind == "pick" and row.path == "":  # one of several, told by itself
            order = str(value)
        return asked.meaning(self.say.faced(order), self.language)

    def _with_last(self, row: FormRow, value: Any) -> str:
        """Return the order if the last row had this value; "" if another row is open."""
        draft = self.draft
        rows = draft.slots() if draft is not None else []
        if draft is None or not rows or rows[-1].path != row.path or row.leaf.kind != "choice":
            return ""
        if self.asked is None or len(getattr(row.leaf, "options", ())) > MANY:
            return ""
        other = self.pbem.fresh_draft(self.asked)  # so that the answer itself stays as it is
        for path, held in [*((before.path, before.leaf.held) for before in rows[:-1]), (row.path, value)]:
            found = next((slot for slot in other.slots() if slot.path == path), None)
            if found is None:
                return ""
            found.leaf.set(held)
        return other.text()

    def _whole(self, row: FormRow | None, value: Any) -> Value | None:
        """Return the answer that a value of the first row is by itself, None if it is a part of one."""
        asked, draft = self.asked, self.draft
        if row is None or asked is None or draft is None or row.path != draft.first_path():
            return None
        whole = {row.label: value} if row.path == f"/{row.label}" else value
        return whole if asked.domain.accepts(whole) else None

    def field_words(self, field: Any) -> str:
        word, _, number = str(field).partition(" ")
        key = f"form.{word or 'answer'}"
        if self.words.has(key):
            return f"{self.words(key)} {number}".strip()
        for prefix in LABELS:
            if self.say.has(f"{prefix}.{word}"):
                return f"{self.say.text(f'{prefix}.{word}')} {number}".strip()
        return f"{self.say.name(word)} {number}".strip()

    def answer_in_words(self, text: str) -> str:
        """Return an order of the open question as a sentence of the game, else by its parts' names."""
        asked = self.asked
        if not text or asked is None:
            return ""
        try:
            value = asked.domain.parse(text, self.desk.names)
            said, _ = face(asked.kind, value, self.say)
        except Rejection:  # beyond the limit of a schema
            return self.say.faced(text)
        return clean(said) or self.value_words(value, getattr(asked.domain, "what", ""))

    def problem_words(self, problem: RejectionReason | None) -> str:
        return clean(self.say.render_problem(problem)) if problem is not None else ""

    def untils(self, due: datetime) -> tuple[str, ...]:
        """Return the deadline of a question, whatever point is shown; then shorter texts for a narrow line."""
        present = self.pbem.present
        return until_or_left(due, self.pbem.now(), present.zone, present.say(self.language), self.words)

    def load_form(self) -> None:
        asked = self.asked
        self.query_one(AnswerForm).load(self.draft, self)
        self.query_one("#order", Input).placeholder = self.words("form.order")
        now = (asked.q, asked.seat) if asked is not None else None
        if now != self._loaded:
            self.show_meant(())
        if now != self._loaded and self.query_one("#order").has_focus:
            self.call_after_refresh(self.query_one(AnswerForm).focus_first)  # the line is of another question
            with self.prevent(Input.Changed):
                self.query_one("#order", Input).value = self.draft.text() if self.draft is not None else ""
        self._loaded = now
        self.preview()

    def heading(self) -> list[Text]:
        asked, words = self.asked, self.words
        if asked is None:
            return [Text(f" {words(f'screen.{self.NAME}')}", "bold")]
        name = self.say.label(f"kind.{asked.kind}")
        ends = self.untils(asked.due)[:-1] if asked.due else (words("questions.no_due"),)
        zone = self.pbem.present.zone
        ends += (local(asked.due, zone, self.say).partition(" (")[0],) if asked.due else ()
        return [Text.assemble((f" {name[:1].upper()}{name[1:]}  ", "bold"), end) for end in (*ends, "")]

    def draw_log(self, lines: Sequence[ScreenLine], sides: Mapping[str, Badge]) -> None:
        desk, words, language = self.desk, self.words, self.language
        last, since = lines[-40:], desk.since
        news = sum(line.n >= since for line in lines) if since else 0
        self.query_one("#log-panel", Panel).tell(
            "6",
            words("log.since") if news else words("screen.log"),
            lambda wide, high: log_text(last, language, sides, since, wide, high),
            words("log.count", count=news) if news else "",
        )

    def draw_diplomacy(self, sides: Mapping[str, Badge]) -> None:
        cards, draft = own_cards(self.desk, self.language), self.draft
        usable = set().union(*(options(slot) for slot in draft.slots())) if draft is not None else set()
        for panel in self.query("#hand-panel, #low-hand").results(Panel):
            panel.tell(
                "3",
                self.words("screen.hand"),
                lambda wide, high: hand_text(cards, usable, wide, high) if cards else Text(self.words("hand.none")),
                str(sum(len(card.ids) for card in cards)),
            )
        dealings = diplomacy_text(self.desk, self.language, sides)
        self.set_class(dealings is None, "-no-dealings")
        if dealings is not None:
            self.query_one("#dealings-panel", Panel).tell("2", dealings[0], dealings[1])

    @property
    def beside(self) -> bool:
        """Whether the question is next to something, if there is room."""
        return True

    def list_wide(self) -> int:
        return self.answer_wide() - 4

    def answer_wide(self) -> int:
        """Return the cells that a question has, also before the first layout."""
        wide = self.app.size.width
        return wide if not self.beside or wide < MIDDLE else 57 if wide >= LARGE else 45

    def every_second(self) -> None:
        super().every_second()
        due = self.query_one_optional("#due", TextBar)
        if due is not None:
            due.show(*self.heading())

    def prompt_text(self, wide: int = 0, below: int = 0) -> Text:
        """Return the question, its default answer and its facts, wrapped to this width, but the last ones `below`."""
        asked, words, wide = self.asked, self.words, wide or self.answer_wide() - 2
        if asked is None:
            return self.nothing_text()
        say, text = self.say, Text()
        trail = clean(asked.trail.get(self.language, ""))
        if trail:
            text.append(f"{trail}\n", "dim")
        if self.desk.moderator:
            text.append(f"{asked.q}. {say.name(asked.seat)}: ", "bold")
        text.append(asked.said_in(self.language), "bold")
        if asked.answered and asked.answer and not asked.sealed:
            text.append(f" {words('questions.answered', answer=say.faced(asked.answer))}")
        if asked.answered and asked.secret:
            text.append(f" {words('ballot.waits')}", "bold")
        default = self.answer_in_words(asked.default)
        if not asked.secret:
            silent = words("questions.default", text=default) if default else words("questions.moderator")
            text.append(f" {silent}", "italic")
        text, told = unbroken(text, wide + 1), self.facts_rows(wide)  # a scroll bar leaves the facts as they are
        for row in chain.from_iterable(told[: len(told) - below]):
            text.append(f"\n{row}")
        guide = f"guide.{asked.kind}"
        if self.pbem.source.guided and say.has(guide):
            text.append(f"\n{say.text(guide)} [{asked.rule}]", self.app.theme_variables["accent"])
        return text

    def facts_rows(self, wide: int) -> list[list[str]]:
        """Return the lines of each fact that the answer turns on, last what can be ordered with it if possible."""
        asked = self.asked
        policy, _ = asked.policy(self.language) if asked is not None else ("", [])
        offered = policy and self.pbem.check_action("screen", ("orders",))
        more = [self.words("questions.policy", what=policy)] if offered else []
        facts = [*asked.facts(self.language), *more] if asked is not None else []
        return [wrap(fact, wide, f"{FACT} ", "  ") for fact in facts]

    def draw_low_facts(self, wide: int) -> int:
        """Show the facts `below` in their panel; return its rows."""
        rows = [*chain.from_iterable(self.facts_rows(wide)[-self.below :])] if self.below else []
        self.set_class(bool(rows), "-low-facts")
        facts = self.query_one("#low-facts", Panel)
        facts.tell("4", self.words("questions.further"), Text("\n".join(rows)))
        facts.styles.height = 1 + len(rows)
        return len(rows)

    def hand_high(self, wide: int, *, brief: bool) -> int:
        """Return the rows of the hand with its heading; `brief`: names in lines."""
        cards, text = own_cards(self.desk, self.language), ""
        about = answer_words(self.asked) if self.asked is not None else set()
        most = ASKED_HAND if any(about.intersection(card.ids) for card in cards) else LOW_HAND
        for high in range(1 if brief else most, most + 1):
            text = hand_text(cards, (), wide, high).plain.rstrip()
            if "…" not in text:
                break
        return 2 + text.count("\n")

    def lines(self, text: Text) -> int:
        """Return the rows of a question."""
        return len(text.wrap(self.app.console, self.answer_wide() - 1))

    def nothing_text(self) -> Text:
        present, words, language = self.pbem.present, self.words, self.language
        result = present.result(language)
        if not result:
            return Text(self._waits_for())
        text = Text.assemble((f"{words('status.over')}\n", self.app.theme_variables["accent"]), (result, "bold"))
        sides, say = badges(present, language), present.say(language)
        for seat, points in sorted(present.view.scores.items(), key=lambda item: -item[1]):
            badge = sides.get(seat, NOBODY)
            text.append("\n").append(f" {badge.letter} ", badge.style)
            text.append(f" {points:>3}  {say.name(seat)}")
            person = str(present.document.get("players", {}).get(seat, ""))
            text.append(f" ({clean(person)})" if person else "")
        return text.append(f"\n\n{words('questions.after_end')}", "dim")

    def _waits_for(self) -> str:
        """Say that nothing is to be answered, and who is asked where that is public."""
        present, say = self.pbem.present, self.say
        seats = [str(seat) for seat in present.document.get("asked", ()) if seat != present.seat]
        named = say.join([say.name(seat) for seat in seats]) if seats else ""
        return self.words("questions.none") + (f" {self.words('questions.waits', seats=named)}" if named else "")

    def is_filled(self) -> bool:
        asked, draft = self.asked, self.draft
        return bool(asked and draft and drafts.rows_of(draft, self.pbem.fresh_draft(asked)))

    def preview(self) -> None:
        asked, draft = self.asked, self.draft
        order = self.query_one("#order", Input)
        text = draft.text() if draft is not None else ""
        if not order.has_focus and asked is not None and draft is not None:
            with self.prevent(Input.Changed):  # what nobody has filled in isn't shown as if they had
                chosen = asked.answer or not draft.slots() or self.is_filled()
                order.value = (text if chosen else "") or self.pbem.typing(order_place(asked))
        problem = draft.problem() if draft is not None else None
        trouble = self.problem_words(problem) if not text else ""
        self.show_trouble(trouble)

    @on(AnswerForm.Changed)
    def _changed(self) -> None:
        self.preview()
        self.share_rows()  # an answer of several parts has another form

    @on(AnswerForm.Ready)
    def _ready(self) -> None:
        """Say what the next Enter does; the price of the answer is said with it."""
        draft, asked = self.draft, self.asked
        order = draft.text() if draft is not None else ""
        if asked is not None and order:
            price = asked.meaning(self.say.faced(order), self.language).price
            self._announced = asked.q, order
            said = self.words("form.sends", answer=self.answer_in_words(order))
            self.show_trouble(f"{f'{price}. ' if price else ''}{said}")

    @on(AnswerForm.Finished)
    def _finished(self) -> None:
        """Send the answer; one that costs something is announced first, and sent by the next Enter."""
        draft, asked = self.draft, self.asked
        order = draft.text() if draft is not None else ""
        if asked is None or not order:
            return
        price = asked.meaning(self.say.faced(order), self.language).price
        if price and self._announced != (asked.q, order):
            self.query_one(AnswerForm).ready = True
            self._ready()
        else:
            self.action_send()

    @on(Editor.Marked)
    def _choice_marked(self, event: Editor.Marked) -> None:
        event.stop()
        self.show_meant(() if self.at_length else self.meaning(event.slot, event.value).follows)
        self.share_rows()

    def show_meant(self, follows: Sequence[str]) -> None:
        self.meant = Text(self.words("list.between").join(follows))
        meaning = self.query_one("#meaning", Static)
        meaning.update(self.meant)
        meaning.set_class(bool(follows), "-meant")

    def show_trouble(self, text: str) -> None:
        """Say what is wrong with an answer or what Enter does; without either, others have the row."""
        trouble = self.query_one("#trouble", TextBar)
        trouble.show(f" {text}")
        if trouble.display != bool(text):
            trouble.display = bool(text)
            self.share_rows()

    def share_rows(self) -> None:
        """Divide the rows among the parts of the screen, if they have other sizes now."""

    @on(Input.Changed, "#order")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._read_order()

    def _read_order(self) -> None:
        draft, asked, order = self.draft, self.asked, self.query_one("#order", Input)
        if draft is None or asked is None or self.focused is not order:
            return
        problem = draft.read(order.value) if order.value.strip() else None
        if not asked.secret:
            self.pbem.typed[self.pbem.present.seat, order_place(asked)] = order.value if problem is not None else ""
        self.show_trouble(self.problem_words(problem))
        if problem is None and order.value.strip():
            self.query_one(AnswerForm).refill()

    @on(Input.Submitted, "#order")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.draft is not None and self.draft.read(event.value) is None:
            self.query_one(AnswerForm).refill()
            self.preview()
            self.action_send()

    def on_paste(self, event: Paste) -> None:
        """Put what is pasted where no text is written into the order line."""
        for order in self.query("#order").results(Input):
            if order.display:
                event.stop()
                self.set_focus(order)
                order.value = " ".join(event.text.split())
                self._read_order()

    def acts(self) -> list[Act]:
        """Return what is possible now: without a question there is nothing to fill in or to send."""
        return [act for act in super().acts() if self.asked is not None or act.name not in OF_ANSWERS]

    def order_draft(self) -> OrderDraft | None:
        asked, draft = self.asked, self.draft
        self._read_order()  # a click can be faster than the event of the last key
        text = draft.text() if draft is not None else ""
        if asked is None or not text:
            self.pbem.tell(self.words("form.unfinished") if asked is not None else self._waits_for())
            return None
        return OrderDraft(asked.seat, asked.q, {asked.q: text})

    def action_check(self) -> None:
        self.show_verdict(self.order_draft())

    def action_send(self) -> None:
        alone = self.order_draft()
        if alone is None:
            return
        email = self.pbem.draft_of(alone.seat)
        if email.empty:
            self.pbem.send(alone)
            return
        for q, text in alone.answers.items():
            email.add("answer", text, q=q)
        self.pbem.send(email, then=lambda: self.pbem.forget_draft(email))

    def action_put(self) -> None:
        asked = self.asked
        if asked is not None and asked.secret:
            self.pbem.tell(self.words("draft.sealed"))
            return
        alone = self.order_draft()
        if alone is not None:
            for q, text in alone.answers.items():
                self.pbem.draft_of(alone.seat).add("answer", text, q=q)
            self.pbem.tell(self.words("draft.put"))

    def action_default(self) -> None:
        asked, draft = self.asked, self.draft
        if asked is not None and draft is not None and asked.default:
            draft.read(asked.default)
            self.load_form()

    def action_clear(self) -> None:
        if self.asked is not None:
            self.pbem.forget(self.asked)
            self.load_form()

    def action_open(self) -> None:
        self.query_one(AnswerForm).focus_first()

    def action_back(self) -> None:
        """Move the focus from the editor to the rows, from there to the order text."""
        form = self.query_one(AnswerForm)
        inside = self.focused is not None and self.focused in form.query("Editor *")
        if inside or self.focused is self.query_one("#order"):
            form.query_one("#slots").focus()
        elif self.query_one("#order").display:  # an unseen one would swallow keys
            self.query_one("#order").focus()


def left_over(facts: Sequence[Sequence[str]], rows: int) -> int:
    """Return how many facts, from the last one, have no place in so many rows."""
    ends = accumulate(map(len, facts))
    return sum(end > rows for end in ends)
