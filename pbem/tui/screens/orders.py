"""Screen 8, the email: everything that is sent together, as it will be read, with the referee's verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static

from pbem.kernel.questions import MODERATOR
from pbem.lazy_regex import clean
from pbem.timestamps import moment
from pbem.tui.key_bindings import bindings
from pbem.tui.model import ballots
from pbem.tui.model.ballots import Ballot
from pbem.tui.model.messages import local
from pbem.tui.model.order_draft import DraftItem, code_for
from pbem.tui.model.order_kinds import ALL, HOW_OFTEN, REQUESTS, LineKind, kinds_for, partners, windows
from pbem.tui.screens.base import PendingScreen
from pbem.tui.screens.dialogs import ChooseDialog, InputDialog, TextDialog, told_row
from pbem.tui.widgets.bars import Columns, Rows, TextBar, refill


class OrdersScreen(PendingScreen):
    """The email of one seat. F8 sends it; sealed answers are sent from the questions alone; their receipts are here."""

    NAME = "orders"
    BINDINGS = bindings("orders")
    HORIZONTAL_BREAKPOINTS = [(0, "-small"), (100, "-middle")]

    def body(self) -> ComposeResult:
        with Columns(id="sides"):
            with Rows(id="mine"):
                yield TextBar(id="pieces_head", classes="head")
                yield OptionList(id="pieces", compact=True)
            with Rows(id="theirs"):
                yield TextBar(id="block_head", classes="head")
                with VerticalScroll():
                    yield Static(id="block", markup=False)
                yield TextBar(id="verdict_head", classes="head")
                with VerticalScroll():
                    yield Static(id="verdict", markup=False)
                yield Static(id="receipts", markup=False)

    @property
    def me(self) -> str:
        """The seat of the email: the reader's; in hot-seat play, the seat that is asked first. "" for nobody."""
        present = self.pbem.present
        if present.seat not in ("", MODERATOR):
            return present.seat
        return present.asked[0].seat if present.asked else ""

    @property
    def piece(self) -> DraftItem | None:
        at, found = self.query_one("#pieces", OptionList).highlighted, self.pending().pieces()
        return found[at] if at is not None and at < len(found) else None

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#pieces").focus()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.query("#pieces"):
            self.draw()  # other screens have written in it

    def draw(self) -> None:
        words, say = self.words, self.say
        title = words("draft.pieces", seat=say.name(self.me)) if self.me else words("draft.nobody")
        self.query_one("#pieces_head", TextBar).show(f" {title}")
        self.query_one("#block_head", TextBar).show(f" {words('draft.block')}")
        self.query_one("#verdict_head", TextBar).show(f" {words('draft.verdict')}")
        options, pieces = self.query_one("#pieces", OptionList), self.pending().pieces()
        at = min(options.highlighted or 0, len(pieces) - 1)
        refill(options, [self._row(piece) for piece in pieces], at, words("draft.empty"))
        block = self.block() if pieces else ""
        self.query_one("#block", Static).update(Text(clean(block)))
        self.query_one("#verdict", Static).update(Text(self.verdict(self.pending()) if pieces else ""))
        self.query_one("#receipts", Static).update(self._receipts())

    def _mine(self) -> list[Ballot]:
        seat, kept = self.desk.seat, ballots.load(ballots.file_of(self.pbem.source.beside))
        return [ballot for ballot in kept if self.desk.moderator or ballot.seat == seat]

    def _receipts(self) -> Text:
        text, say = Text(), self.say
        for ballot in self._mine()[-3:]:
            at = local(moment(ballot.at), self.pbem.present.zone, say)
            kind, sign = say.label(f"kind.{ballot.kind}"), ballot.commitment[:16]
            text.append(self.words("ballot.receipt", q=ballot.q, at=at, kind=kind, hash=sign))
            lines = ballots.counted(self.pbem.whole(), ballot)
            for line in lines:
                text.append(f"\n   {clean(line.of(self.language))}", "bold")
            text.append("\n" if lines else f"\n   {self.words('ballot.waits')}\n")
        return text

    def action_verify(self) -> None:
        kept = self._mine()
        if not kept:
            self.pbem.tell(self.words("ballot.no_receipt"))
            return

        def said(text: str) -> None:
            key = "ballot.fits" if ballots.verify(kept[-1], text) else "ballot.differs"
            self.app.push_screen(TextDialog(self.words("act.verify"), self.words(key, q=kept[-1].q)))

        self.pbem.ask(InputDialog(self.words("ballot.verify", q=kept[-1].q), secret=True), said)

    def _row(self, piece: DraftItem) -> Text:
        row = Text(no_wrap=True, overflow="ellipsis", end="")
        row.append(f"{self.words(f'draft.part.{piece.part}')} ", "bold")
        return row.append(self.piece_words(piece))

    def block(self) -> str:
        return self.pending().block(self.desk.name, code_for(self.pbem.present, self.me))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("append", "edit", "drop", "undo", "move_item", "check", "send"):
            return bool(self.me)
        return super().check_action(action, parameters)

    def _add_line(self, text: str) -> None:
        if text.strip():
            self._add_lines([text.strip()])

    def _add_lines(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.pending().add("line", line)
        self._to_last()

    def _to_last(self) -> None:
        self.draw()
        pieces = self.query_one("#pieces", OptionList)
        pieces.highlighted = len(self.pending().pieces()) - 1
        pieces.focus()

    def action_append(self) -> None:
        words = self.words
        kinds = {kind.key: kind for kind in kinds_for(self.pbem.present)}
        offers = (asked.policy(self.language) for asked in self.pbem.present.asked if asked.seat == self.me)
        policies = {policy: lines for policy, lines in offers if lines}
        rows = [told_row(policy, policy, "") for policy in policies]
        rows += [told_row(key, words(f"line.{key}"), words(f"line.{key}.help")) for key in kinds]

        def chosen(key: str) -> None:
            if key in policies:
                self._add_lines(policies[key])
            else:
                self._begin(kinds[key])

        self.pbem.ask(ChooseDialog(words("act.append"), rows), chosen)

    def _begin(self, kind: LineKind) -> None:
        present = self.pbem.present
        match kind.chosen:
            case "window":
                self._choose(kind, windows(present), lambda word: self._write(kind, word))
            case "outcome":
                self._choose(kind, [*present.document["outcomes"]], lambda word: self._write(kind, word))
            case "request" | "own":
                self._choose(kind, REQUESTS[kind.chosen], lambda word: self._write(kind, word))
            case "how_often":
                self._choose(kind, windows(present), partial(self._choose_how_often, kind))
            case "partner":
                to = (ALL,) if not present.document.get("private_press", True) else partners(present, self.me)
                self._choose(kind, to, lambda partner: self.write_press(partner, self._to_last))
            case "sheet":
                self.write_sheet(self._add_lines)
            case _:
                self._write(kind, "")

    def _choose_how_often(self, kind: LineKind, window: str) -> None:
        self._choose(kind, HOW_OFTEN, lambda often: self._add_line(f"ask {window}: {often}"))

    def _choose(self, kind: LineKind, options: Sequence[str], then: Callable[[str], None]) -> None:
        told = {word: self._option_words(word) for word in options}
        rows = [told_row(word, word, said if said != word else "") for word, said in told.items()]
        self.pbem.ask(ChooseDialog(self.words(f"line.{kind.key}"), rows), then)

    def _option_words(self, word: str) -> str:
        if self.words.has(f"line.word.{word}"):
            return self.words(f"line.word.{word}")
        if self.say.has(f"kind.{word}"):
            return clean(self.say.label(f"kind.{word}"))
        return clean(self.say.name(word))

    def _write(self, kind: LineKind, word: str) -> None:
        start = kind.start.format(word)
        if kind.whole:
            self._add_line(start)
            return
        title = f"{self.words(f'line.{kind.key}')}: {self.words('line.write')}"
        self.pbem.ask(InputDialog(title, value=start, goes_on=True), self._add_line)

    @on(OptionList.OptionSelected, "#pieces")
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_edit()

    def action_edit(self) -> None:
        piece = self.piece
        if piece is None:
            self.action_append()
            return

        def written(text: str) -> None:
            self.pending().change(piece, text.strip())
            self.draw()

        title = self.words(f"draft.part.{piece.part}")
        self.pbem.ask(InputDialog(title, long=piece.part == "press", value=piece.text, goes_on=True), written)

    def action_drop(self) -> None:
        if self.piece is not None:
            self.pending().change(self.piece, "")
            self.draw()

    def action_undo(self) -> None:
        if not self.pending().undo():
            self.pbem.tell(self.words("draft.no_undo"))
        self.draw()

    def action_move_item(self, by: int) -> None:
        """Move the piece before or after its neighbour: lines are executed in order."""
        if self.piece is not None:
            moved = self.pending().move(self.piece, by)
            self.draw()
            self.query_one("#pieces", OptionList).highlighted = self.pending().pieces().index(moved)
