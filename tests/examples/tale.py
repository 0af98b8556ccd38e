"""A game told in letters: an author writes them one by one, and comments on some of them.

Each letter is written to the question that is open, and holds what its seat is asked on end: a whole impulse, say. It
ends where another seat is asked, or where the rules stop a queue because something happened that its writer could not
know. So the mailbox, taken in as it is, plays the same game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import msgspec

from pbem.dev.synthetic_mail import SyntheticEmail, write_email, opening
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import AdvanceOrder
from pbem.kernel.table import LogLine
from pbem.report.messages import Catalogue
from pbem.save import Session
from pbem.timestamps import stamp

PRESS = "BEGIN PRESS"
APART = timedelta(minutes=19)
_MOST_TOLD = 40


class Note(Protocol):
    """What goes with a letter: `words` above the orders, and a `comment` for who reads the tale."""

    @property
    def words(self) -> str: ...

    @property
    def comment(self) -> str: ...


class Author(Protocol):
    """Who writes the letters of all seats."""

    def over(self, referee: Referee) -> bool:
        """Whether the tale is told."""

    def chapter(self, referee: Referee) -> str:
        """The heading under which the next letter stands."""

    def writer(self, referee: Referee) -> str:
        """Which of the seats that are asked writes next."""

    def lines(self, referee: Referee, seat: str) -> Iterator[str]:
        """The lines of its letter: each is executed before the next is asked for. Press is one line."""

    def note(self) -> Note:
        """What goes with the letter that was written last."""


class Sent(msgspec.Struct, frozen=True):
    """A letter of the tale, and what it made happen."""

    mail: SyntheticEmail
    seat: str
    chapter: str
    lines: list[str]
    words: str
    comment: str
    told: list[LogLine]


def tell(session: Session, author: Author, began: datetime) -> list[Sent]:
    """Play a game by the letters of an author, until it says that the tale is told.

    The save is written after each, as codes quote it. Raises LookupError if the game ends before the tale.
    """
    sent: list[Sent] = []
    at = began
    while not author.over(session.referee):
        if session.referee.over:
            raise LookupError(f"{session.path.stem}: the game was over after {len(sent)} letters")
        sent.append(_letter(session, author, at, len(sent)))
        session.commit(at)
        at += APART
    return sent


def _letter(session: Session, author: Author, at: datetime, number: int) -> Sent:
    referee = session.referee
    chapter, seat = author.chapter(referee), author.writer(referee)
    to, since = opening(session, seat), referee.line_base + len(referee.table.lines)
    lines: list[str] = []
    waits = AdvanceOrder(seat, "pass", kind="never")
    referee.queue.append(waits)  # held where a surprise would hold the rest of this letter
    for line in author.lines(referee, seat):
        lines.append(line)
        if line.startswith(PRESS):
            continue
        sealed = len(referee.asked()) > 1 and not isinstance(referee.now, Negotiate)
        referee.submit(seat, referee.domain(seat).parse(line, referee.names), at=stamp(at))
        if referee.over or sealed or waits.held or seat not in referee.waiting():
            break
    referee.queue.remove(waits)
    note = author.note()
    mail = write_email(session, seat, lines, at, number=number, words=note.words, to=to)
    return Sent(mail, seat, chapter, lines, note.words, note.comment, session.lines(since))


def page(session: Session, title: str, preface: str, sent: Sequence[Sent]) -> str:
    """The tale as Markdown: letters with a comment in full, with what they made happen in public, others counted."""
    say = Catalogue(session.game, session.referee.components, "en", session.referee.names)
    out = [f"# {title}", "", preface, ""]
    chapter, between = "", 0
    for mail in sent:
        if mail.chapter != chapter:
            out += _between(between)
            chapter, between = mail.chapter, 0
            out += [f"## {chapter}", ""]
        if not mail.comment:
            between += 1
            continue
        out += _between(between)
        between = 0
        out += _shown(mail, say)
    return "\n".join([*out, *_between(between)])


def _between(number: int) -> list[str]:
    return [f"*({number} {'letter' if number == 1 else 'letters'} between.)*", ""] if number else []


def _shown(one: Sent, say: Catalogue) -> list[str]:
    told = [text for line in one.told if (text := say.render_line(line, ""))]
    more = [f"- … and {len(told) - _MOST_TOLD} lines more"] if len(told) > _MOST_TOLD else []
    happened = [*(f"- {text}" for text in told[:_MOST_TOLD]), *more]
    return [
        f"**{say.name(one.seat)}**, {one.mail.at:%d %B, %H:%M}",
        "",
        *(["> " + line for line in one.words.splitlines()] + [""] if one.words else []),
        "```",
        *[text for line in one.lines for text in line.splitlines()],
        "```",
        "",
        one.comment,
        "",
        *([*happened, ""] if happened else []),
    ]
