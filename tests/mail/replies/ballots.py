"""A game with an open ballot and our letter in its outbox, and a reply filled in for it."""

from __future__ import annotations

import pytest

import games
from pbem.kernel.rejections import Rejection
from pbem.mail.inbox.authenticate import claims_of
from pbem.mail.inbox.parse import parse_message, with_order_blocks
from pbem.mail.inbox.reply_orders import resolve_reply
from pbem.mail.inbox.stages import Received
from pbem.mail.outbox.mime_message import Outbox, StoredEmails
from pbem.mail.save_index import SaveIndex, code_of
from pbem.orders.reply_form import last_line, short_form
from pbem.orders.syntax_tree import Answer
from pbem.save import OutboxEntry, Session
from tests.mail.replies.programs import HOME, Ours, Written


def page_of(text: str, q: int, tag: str) -> str:
    """A page of ours: buttons, then the text in paragraphs, as letters have them."""
    buttons = "".join(
        f"<td><a href='mailto:{HOME}?subject=x&amp;body={q}%3A%20{word}'>→ {word}</a></td>" for word in ("red", "blue")
    )
    paragraphs = "".join(f"<p>{block.replace(chr(10), '<br>')}</p>" for block in text.strip().split("\n\n"))
    return f"<table><tr>{buttons}</tr></table>{paragraphs}"


def text_for(game: str, seat: str, q: int, code: str) -> str:
    """A letter of ours, as the design shows it."""
    form = "\n".join(short_form(q, game, seat, code))
    return f"""\
Hapsburg Empire, vote called by Black:
red / blue
By Sun 3 May 14:00 (Berlin)
If silent: blue

Reply, writing on top just your answer,
or put it in place of the "?":

{form}

NEW
- You score 6, Green 4, Black 2, Ivory
  2.
- All leaders and unrest leave the map.
- Turn 2: Black plays and calls this
  vote.

For more reply: send state · send log ·
help
{last_line(game, q)}
"""


class Table:
    """A game with an open ballot, and a letter of ours in its outbox."""

    def __init__(self, desk) -> None:
        self.desk = desk
        session = Session.open(desk.save, games.load)
        self.sent = StoredEmails(Outbox(desk.folder / "outbox"))
        self.ours = {seat: self._write(session, seat) for seat in ("amber", "black")}
        session.commit()
        self.session = session
        self.index = SaveIndex([desk.save])

    def _write(self, session: Session, seat: str, number: int = 1) -> Ours:
        save, q = session.save, session.referee.q
        info, game = save.seat(seat), save.header.name
        code = code_of(save, seat, q)
        text = text_for(game, seat, q, code)
        page = page_of(text, q, f"[{game} {seat} {code}]")
        ident = info.told.last
        save.outbox.append(
            OutboxEntry(f"{seat}.{number:04d}", seat, info.addresses[0], "s", body=text, html=page, message_id=ident)
        )
        subject = f"[{game}] Vote on the Hapsburg Empire – by Sun 14:00"
        return Ours(game, seat, info.name, info.addresses[0], q, code, subject, text, page, ident)

    def answer(self, raw: bytes, seat: str = "amber") -> str:
        """What a mail makes the seat do, as canonical text; "" if nothing."""
        letter = parse_message(Received("x", raw, "x"))
        if letter.mail.automatic and letter.mail.automatic != "subject":
            return ""
        letter = with_order_blocks(letter, self.index, self.sent)
        done = []
        for claim in claims_of(letter, self.index, self.ours[seat].game):
            claim = resolve_reply(claim, letter, self.session, self.sent, frozenset({HOME}))
            if claim.reason or claim.block is None or claim.block.problem is not None:
                continue
            done += self._executed(claim)
        return "; ".join(done)

    def _executed(self, claim) -> list[str]:
        found, domain = [], self.session.referee.domain(claim.seat)
        for item in claim.block.items:
            if isinstance(item, Answer) and item.q in (0, self.session.referee.q):
                try:
                    value = domain.parse(item.body, self.session.referee.names)
                except Rejection:
                    return []  # one that is refused refuses them all
                found.append(f"{domain.text(value)}")
        return found if len(set(found)) == 1 else []


@pytest.fixture
def table(desk):
    return Table(desk)


@pytest.fixture(scope="module")
def shared_ballot(tmp_path_factory, staged, desk_type):
    return Table(desk_type(tmp_path_factory.mktemp("replies"), staged))


def filled(written: Written, q: int) -> Written:
    return Written(
        *(part.replace("{q}", str(q)) for part in (written.top, written.bottom, written.edited, written.typed))
    )
