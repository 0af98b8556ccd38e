"""A draft of an order email: answers, acts of a negotiation, press; as an order block and as a mail draft."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pbem.kernel.questions import MODERATOR
from pbem.mail.inbox.body_text import clean_text
from pbem.orders.context import answer_line
from pbem.orders.parser import delimits
from pbem.orders.reply_form import continued
from pbem.tui.model.seat_view import SeatView

Part = Literal["answer", "act", "line", "press"]  # the parts of an email, in order


@dataclass(frozen=True)
class DraftItem:
    """A piece of an email: an answer by its question `at`, else by its place among those of its `part`."""

    part: Part
    at: int
    text: str
    to: tuple[str, ...] = ()


@dataclass
class OrderDraft:
    """What a seat is about to send: answers, acts of the negotiation `q`, other lines, press; `past` for `undo`."""

    seat: str
    q: int = 0
    answers: dict[int, str] = field(default_factory=dict)
    acts: list[str] = field(default_factory=list)
    press: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    past: list[list[DraftItem]] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.answers or self.acts or self.press or self.lines)

    def pieces(self) -> list[DraftItem]:
        found = [DraftItem("answer", q, text) for q, text in sorted(self.answers.items())]
        found += [DraftItem("act", at, text) for at, text in enumerate(self.acts)]
        found += [DraftItem("line", at, text) for at, text in enumerate(self.lines)]
        return found + [DraftItem("press", at, text, to) for at, (to, text) in enumerate(self.press)]

    def add(self, part: Part, text: str, *, q: int = 0, to: Sequence[str] = ()) -> None:
        """Add a piece. Another answer to the same question replaces the one before."""
        self.past.append(self.pieces())
        if part == "answer":
            self.answers[q] = text
        elif part == "press":
            self.press.append((tuple(to), text))
        else:
            (self.acts if part == "act" else self.lines).append(text)

    def change(self, piece: DraftItem, text: str) -> None:
        """Rewrite a piece; an empty text removes it."""
        now = self.pieces()
        self.past.append(now)
        at = now.index(piece)
        self.hold([*now[:at], *([replace(piece, text=text)] if text else []), *now[at + 1 :]])

    def move(self, piece: DraftItem, by: int) -> DraftItem:
        """Move a piece before or after its neighbour in its part. Return it at its new place."""
        same = [other for other in self.pieces() if other.part == piece.part]
        there = same.index(piece) + by
        if piece.part == "answer" or not 0 <= there < len(same):
            return piece
        self.past.append(self.pieces())
        now = self.pieces()
        one, other = now.index(piece), now.index(same[there])
        now[one], now[other] = now[other], now[one]
        self.hold(now)
        return replace(piece, at=there)

    def undo(self) -> bool:
        """Undo the last change. Return False if there is none."""
        if self.past:
            self.hold(self.past.pop())
            return True
        return False

    def keep_open(self, open_: Collection[int], talk: int) -> None:
        """Discard the answers to closed questions, and the acts of another negotiation than `talk`."""
        self.answers = {q: text for q, text in self.answers.items() if q in open_}
        if self.q != talk:
            self.q, self.acts, self.past = talk, [], []

    def hold(self, pieces: Sequence[DraftItem]) -> None:
        self.answers = {piece.at: piece.text for piece in pieces if piece.part == "answer"}
        self.acts = [piece.text for piece in pieces if piece.part == "act"]
        self.lines = [piece.text for piece in pieces if piece.part == "line"]
        self.press = [(piece.to, piece.text) for piece in pieces if piece.part == "press"]

    def block(self, game: str, code: str) -> str:
        """Return the order block. Text is cleaned as incoming mail is, so that nothing in it ends or begins a block."""
        lines = [f"BEGIN ORDERS {game} {self.seat} {code}".rstrip()]
        for q, text in sorted(self.answers.items()):
            lines += _statement(answer_line(q, text))
        for act in self.acts:
            lines += _statement(answer_line(self.q, act))
        for line in self.lines:
            lines += _statement(line)
        for to, text in self.press:
            lines += _statement(f"BEGIN PRESS to={','.join(to) or 'all'}")
            lines += [_marked(line, press=True) for line in clean_text(text).splitlines()]
            lines.append("END PRESS")
        return "\n".join([*lines, "END ORDERS", ""])


def _statement(text: str) -> list[str]:
    """Return the lines of a statement, broken only where no line can be mistaken for something else."""
    line = _marked(" ".join(clean_text(text).splitlines()), press=False)
    rows = continued(line)
    return [line] if any(delimits(row, press=True) for row in rows[1:]) else rows


def _marked(line: str, *, press: bool) -> str:
    """Mark a line that could be mistaken for the end of the press or the block, so that it stays text."""
    return f"| {line}" if line.startswith(">") or delimits(line, press=press) else line


def code_for(desk: SeatView, seat: str) -> str:
    """Return the reply code for the block: the seat's own. The moderator's move files need none."""
    return desk.code if seat == desk.seat != MODERATOR else ""


def file_name(desk: SeatView, email: OrderDraft, ending: str) -> str:
    """Return a file name such as `vq-07-spain-57.orders`, with characters that every file system accepts."""
    q = email.q or max(email.answers, default=0)
    parts: Sequence[str] = [desk.name, email.seat, str(q)]
    return "-".join("".join(c if c.isalnum() or c in "._-" else "_" for c in part) for part in parts) + ending
