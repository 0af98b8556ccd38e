"""Emails to spectators: public news, the public position, public press.

An email to a spectator follows only from what the public knows. It is written when another question is open and there
is public news, or at the end. Sealed, held or private matters change neither its bytes nor its time. It has no reply
code: nobody can answer with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import games
from pbem.mail.outbox.mime_message import Outbox, OutgoingEmail, host_of, sender_of, to_bytes
from pbem.mail.outbox.recipient import Recipient, quoted, reader_of
from pbem.mail.outbox.release import is_held
from pbem.mail.save_index import SaveIndex, code_key
from pbem.report.build import build
from pbem.report.email_text import news_text, position_text
from pbem.report.model import ReportContext
from pbem.save import PressMessage, Save, SaveError, SeatInfo, Session, locked
from pbem.save.schema import Spectator
from pbem.save.session import Loader


def write_all(
    index: SaveIndex, home: Path, *, now: datetime, sender: str = "", game: Loader = games.load
) -> tuple[int, list[str]]:
    """Write the due emails to the spectators of these games; return how many, and the errors."""
    count, wrong = 0, list[str]()
    for name, header in list(index.marked("onlookers")):
        if not any(_due(header, onlooker, now) for onlooker in header.post.onlookers):
            continue
        try:
            count += _write(index.paths[name], Outbox(home / "outbox"), now, sender, game)
        except (SaveError, OSError, ValueError) as error:
            wrong.append(f"{name}: emails to spectators: {error}")
    return count, wrong


def _due(save: Save, one: Spectator, now: datetime) -> bool:
    """Return, from the header alone, whether another question is open and the spectator's hours have passed."""
    waited = not one.at or one.at + timedelta(hours=one.hours) <= now
    return one.q != save.header.q and (waited or save.header.over)


def _write(path: Path, outbox: Outbox, now: datetime, sender: str, game: Loader) -> int:
    """Write the emails of one game into the outbox, then record them in the save; can be repeated."""
    with locked(path):
        session = Session.open(path, game)
        save, count = session.save, 0
        if is_held(save):
            return 0
        for onlooker in save.post.onlookers:
            if not _due(save, onlooker, now):
                continue
            letter = letter_to(session, onlooker, now, sender)
            outbox.put(_file_name(save, onlooker, letter), to_bytes(letter))
            onlooker.letters, onlooker.at, onlooker.q = onlooker.letters + 1, now, save.header.q
            onlooker.seen, onlooker.press = save.header.lines, len(save.press)
            count += 1
        session.commit(now)
    return count


def letter_to(session: Session, one: Spectator, now: datetime, sender: str = "") -> OutgoingEmail:
    """Return the next email to a spectator."""
    save = session.save
    seat = SeatInfo("", zone=save.clock.zone, language=one.language)
    reader = reader_of(session, seat)
    lines = session.lines(max(min(one.seen, save.header.lines), session.first_line))
    about = ReportContext(
        save.header.name,
        due=min((asked.due for asked in save.pending if asked.due), default=None),
        zone=save.clock.zone,
        reader_zone=save.clock.zone,
        history=[(scores.label, scores.points) for scores in save.header.history],
    )
    report = build(session.referee, "", one.language, lines=lines, frame=about, catalogue=reader.say)
    home = sender_of(save, sender)
    parts = [reader.words("spectator.intro", sender=home), news_text(report)]
    parts += _public_press(reader, save.press[min(one.press, len(save.press)) :])
    parts.append(position_text(report))
    title = session.game.title.get(one.language, session.game.title["en"])
    return OutgoingEmail(
        ident=_ident(save, one, home),
        sender=home,
        to=one.address,
        subject=reader.words("spectator.subject", game=f"[{save.header.name}]", title=title),
        text="\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n",
        at=now,
        name=f"pbem {save.header.name}",
    )


def _public_press(reader: Recipient, press: Iterable[PressMessage]) -> list[str]:
    return [
        "\n".join([reader.words("spectator.press", seat=reader.say.name(letter.seat)), *quoted(letter.text)])
        for letter in press
        if not letter.to
    ]


def _ident(save: Save, one: Spectator, home: str) -> str:
    """Return the Message-ID of a spectator's next email; it reveals nothing of the emails to seats."""
    text = f"{save.header.name}\0onlooker\0{one.address}\0{one.letters}".encode()
    name = hashlib.blake2b(text, key=code_key(save)[:64], digest_size=16).hexdigest()
    return f"{name}@{host_of(home)}"


def _file_name(save: Save, one: Spectator, letter: OutgoingEmail) -> str:
    return f"{save.header.name}.onlooker.{one.letters + 1:04d}.{letter.ident[:8]}"
