"""A letter of orders being written: answers, acts of a negotiation, press; as a block of orders and as a mail draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP

from pbem.kernel.questions import MODERATOR
from pbem.kernel.words import fold
from pbem.orders.context import answer_line
from pbem.orders.reply import continued
from pbem.report.cells import clean
from pbem.tui.model.seat_desk import Asked, SeatDesk


@dataclass
class OrderLetter:
    """What one seat is about to send: order texts by question, acts of the negotiation `q`, other lines, press."""

    seat: str
    q: int = 0
    answers: dict[int, str] = field(default_factory=dict)
    acts: list[str] = field(default_factory=list)
    press: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.answers or self.acts or self.press or self.lines)

    def block(self, game: str, code: str) -> str:
        """The block of orders: what goes out, whichever way it goes."""
        lines = [f"BEGIN ORDERS {game} {self.seat} {code}".rstrip()]
        for q, text in sorted(self.answers.items()):
            lines += continued(answer_line(q, text))
        for act in self.acts:
            lines += continued(answer_line(self.q, act))
        for line in self.lines:
            lines += continued(line)
        for to, text in self.press:
            lines.append(f"BEGIN PRESS to={','.join(to) or 'all'}")
            lines += [_safe(line) for line in clean(text).splitlines()]
            lines.append("END PRESS")
        return "\n".join([*lines, "END ORDERS", ""])


def _safe(line: str) -> str:
    """A line of press that could be taken for the end of the press or the block is marked, so that it stays text."""
    start = fold(line)
    return f"| {line}" if start.startswith(("end", "begin", "命令", "通信", ">")) else line


def letter_for(desk: SeatDesk, asked: Asked, text: str) -> OrderLetter:
    """The letter that answers one question."""
    return OrderLetter(asked.seat, asked.q, {asked.q: text})


def code_for(desk: SeatDesk, seat: str) -> str:
    """The code that goes into the block: the seat's own. The moderator's move files need none."""
    return desk.code if seat == desk.seat != MODERATOR else ""


def mail(
    block: str,
    *,
    subject: str,
    to: str = "",
    sender: str = "",
    intro: str = "",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """The block as a mail draft (.eml): unsent, to be opened and sent with any mail program."""
    message = EmailMessage(policy=SMTP)
    if sender:
        message["From"] = clean(sender)
    if to:
        message["To"] = clean(to)
    message["Subject"] = clean(subject).replace("\n", " ")
    message["X-Unsent"] = "1"  # Outlook and others open it for editing
    for name, value in (headers or {}).items():
        message[name] = clean(value)
    message.set_content(f"{intro}\n\n{block}" if intro else block)
    return message.as_bytes()


def file_name(desk: SeatDesk, letter: OrderLetter, ending: str) -> str:
    """`vq-07-spain-57.orders`; only letters that every file system takes."""
    q = letter.q or max(letter.answers, default=0)
    parts: Sequence[str] = [desk.name, letter.seat, str(q)]
    return "-".join("".join(c if c.isalnum() or c in "._-" else "_" for c in part) for part in parts) + ending
