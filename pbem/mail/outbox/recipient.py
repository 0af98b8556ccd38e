"""The recipient of an email: language, zone, messages of game and mail, and the facts of the save for them."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from weakref import WeakKeyDictionary

from pbem.clock import heartbeat
from pbem.data_cache import messages
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Referee
from pbem.lazy_regex import escape
from pbem.mail.save_index import code_of
from pbem.report.email_text import PHONE, pre
from pbem.report.messages import Catalogue
from pbem.report.model import ReportContext
from pbem.report.text_width import wrap
from pbem.report.times import when
from pbem.save import SeatInfo, Session

QUOTE = "|"
"""The beginning of a quoted line."""


def quoted(text: str) -> list[str]:
    """Quote a player's text for an email: each line is marked, so that none is taken for an order."""
    return [f"{QUOTE} {line}".rstrip() for line in text.splitlines()]


def as_text(words: str, columns: int = PHONE) -> str:
    """Wrap paragraphs into lines of at most `columns` cells; quoted lines stay as they are."""
    lines: list[str] = []
    for part in words.split("\n"):
        lines += [part] if part.startswith(QUOTE) or not part else wrap(part, columns)
    return "\n".join(lines)


def as_page(words: str) -> str:
    """Return the same text as a part of a page."""
    parts: list[str] = []
    for is_quoted, lines in groupby(words.split("\n"), lambda line: line.startswith(QUOTE)):
        if is_quoted:
            parts.append(pre(escape("\n".join(lines))))
        else:
            parts += (f'<p style="margin:4px 0 8px;font-size:15px">{escape(line)}</p>' for line in lines if line)
    return "\n".join(parts)


_CATALOGUES: WeakKeyDictionary[Referee, dict[str, Catalogue]] = WeakKeyDictionary()
"""The catalogues of an open game by language; each is built once."""


class Recipient:
    """A seat as a reader: `say` has the game's messages in its language."""

    def __init__(self, seat: SeatInfo, say: Catalogue) -> None:
        self.seat = seat
        self.say = say
        self._post = messages("pbem.mail", say.language) or messages("pbem.mail", "en")

    def words(self, key: str, **args: str) -> str:
        """Return a message with its arguments inserted as they are."""
        text = self._post[key]
        for name, value in args.items():
            text = text.replace(f"{{{name}}}", value).replace(f"{{{name}:raw}}", value)
        return text

    def when(self, at: datetime) -> str:
        return when(at, self.seat.zone, self.say)


def reader_of(session: Session, seat: SeatInfo) -> Recipient:
    """Return the recipient of emails to a seat."""
    referee = session.referee
    known = _CATALOGUES.setdefault(referee, {})
    if seat.language not in known:
        known[seat.language] = Catalogue(session.game, referee.components, seat.language, referee.names)
    return Recipient(seat, known[seat.language])


def moderator(session: Session) -> SeatInfo:
    """Return the moderator as a seat, with their language and the game's zone."""
    save = session.save
    return SeatInfo(MODERATOR, zone=save.clock.zone, language=save.post.language)


def frame(session: Session, seat: SeatInfo) -> ReportContext:
    """Return the facts of save, clock and mail for a report. It names no player except the reader."""
    save = session.save
    asked = [
        pending for pending in save.pending if pending.q == session.referee.q and seat.id in (pending.seat, MODERATOR)
    ]
    return ReportContext(
        save.header.name,
        code_of(save, seat.id, session.referee.q),
        min((pending.due for pending in asked if pending.due), default=None),
        save.clock.zone,
        seat.zone,
        save.header.head,
        {seat.id: seat.name} if seat.name else {},
        [(scores.label, scores.points) for scores in save.header.history],
        read=max(filter(None, (save.header.read, heartbeat.load(session.path.parent).read)), default=None),
        language=seat.language,
    )
