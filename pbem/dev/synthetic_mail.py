"""Synthetic games and emails for demos, tests and benchmarks. The same call always makes the same bytes.

Players answer at random but legally, and write as real mail programs do: quoted text, signatures, answers above and
below, Japanese character sets, and unmarked copies of the original.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from random import Random
from typing import Any

import msgspec

import games
from pbem.kernel.game import Game, Setup
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.mail.bots import set_due
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.ingest import ingest
from pbem.mail.save_index import code_of
from pbem.orders.reply_form import last_line, reply_tag, short_form
from pbem.save import ClockSettings, SeatInfo, Session
from pbem.timestamps import stamp

START = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
"""When every synthetic game begins."""

HOME = "pbem@games.example"
"""The sender address of synthetic games."""

PEOPLE = (
    ("Anna", "anna@example.org", "Europe/Berlin", "en"),
    ("Ben", "ben@example.com", "America/New_York", "en"),
    ("千代", "chiyo@example.jp", "Asia/Tokyo", "ja"),
    ("Dora", "dora@example.net", "UTC", "en"),
    ("Émile", "emile@example.fr", "Europe/Paris", "en"),
    ("Farah", "farah@example.in", "Asia/Kolkata", "en"),
)

Until = Callable[[Referee], bool]
LIMIT = 5_000
"""Questions after which a game that goes on is given up."""
TAPPED = 4
"""The reply style of a player who taps a button of the HTML email."""


class SyntheticEmail(msgspec.Struct, frozen=True):
    """An email of a player in a mailbox: arrival time, address, whole message."""

    at: datetime
    sender: str
    raw: bytes


def new_game(
    path: Path,
    game: Game,
    players: int,
    *,
    scenario: str = "",
    options: Mapping[str, Any] | None = None,
    attempt: int = 0,
) -> Session:
    """Return a new game, not yet written: the file's name is its seed; each `attempt` has other dice."""
    seed = hashlib.sha256(f"pbem example {path.stem}{f' {attempt}' * bool(attempt)}".encode()).hexdigest()
    seats = game.seats_for(players, scenario)
    people = [
        SeatInfo(seat, name, [address], zone, language)
        for seat, (name, address, zone, language) in zip(seats, PEOPLE, strict=False)
    ]
    chosen = game.with_defaults(options or {})
    setup = Setup(game.slug, tuple(info.id for info in people), seed, game.scenario(scenario).id, chosen)
    clock = ClockSettings("Europe/Berlin", dict(game.default_hours))
    return Session.create(path, game, setup, people, clock=clock, at=START, sender=HOME)


def play(session: Session, until: Until, chance: Random) -> None:
    """Answer at random until `until` holds or the game is over."""
    referee = session.referee
    for _ in range(LIMIT):
        if referee.over or until(referee):
            return
        for seat in referee.waiting():
            q = referee.q
            try:
                referee.submit(seat, referee.domain(seat).sample(chance.randrange), at=stamp(START))
            except Rejection:
                continue  # deals may exclude each other
            if referee.q != q:
                break


def finish(session: Session, home: Path | None = None, now: datetime = START) -> None:
    """Write the save and, with `home`, each seat's email to its outbox. Leaves no lock and no backup."""
    set_due(session, now)
    session.commit(now)
    if home is not None:
        InboxRun([session.path], now=now, sender=HOME, home=home, game=lambda slug: session.game).finish()
    tidy(session.path)


def tidy(path: Path) -> None:
    """Remove the lock and the backup of a save."""
    for suffix in (".lock", ".bak"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


# -- mail ------------------------------------------------------------------------------------------------------------


def answers(session: Session, chance: Random) -> dict[str, list[str]]:
    """Return a random legal answer of every seat that still has to answer, as order lines."""
    referee, found = session.referee, {}
    for seat in referee.waiting():
        domain = referee.domain(seat)
        value = "done" if isinstance(referee.now, Negotiate) else domain.sample(chance.randrange)
        found[seat] = [f"{referee.q}: {domain.text(value)}"]
    return found


class ReplyTarget(msgspec.Struct, frozen=True):
    """What an email answers: the open question's number, the seat's reply code, and whether it was asked."""

    q: int
    code: str
    asked: bool


def opening(session: Session, seat: str) -> ReplyTarget:
    """Return what an email of a seat answers now."""
    q = session.referee.q
    return ReplyTarget(q, code_of(session.save, seat, q), seat in session.referee.asked())


def write_email(
    session: Session,
    seat: str,
    lines: list[str],
    at: datetime,
    *,
    code: str = "",
    sender: str = "",
    style: int | None = None,
    number: int = 0,
    words: str = "",
    to: ReplyTarget | None = None,
) -> SyntheticEmail:
    """Return an email in which `seat` orders `lines`. A forged one has another `code` or `sender`.

    `words` come before the orders; `to` is what it answers (default: the question that is open now). `style` is how
    the mail program writes: 0 answers above a quotation, 1 below one, 2 above an unmarked copy of the email in
    ISO-2022-JP, 3 plain with an HTML part; by default each seat has its own. `TAPPED` is what a button writes: the
    answer and the reply tag.
    """
    save, to = session.save, to or opening(session, seat)
    info = save.seat(seat)
    place = [player.id for player in save.seats].index(seat)
    code = code or to.code
    block = "\n".join([f"BEGIN ORDERS {save.header.name} {seat} {code}", *lines, "END ORDERS"])
    asked = to.q if to.asked else 0
    original = "\n".join([*short_form(asked, save.header.name, seat, code), "", last_line(save.header.name, to.q)])
    if style == TAPPED:
        block = f"{lines[0]}\n\n{reply_tag(save.header.name, seat, code)}"
    sender = sender or info.addresses[0]
    key = hashlib.sha256(f"{save.header.name}{seat}{to.q}{number}{block}{sender}".encode()).hexdigest()[:12]
    message = _headers(info, sender, at, f"Re: [{save.header.name}] question {to.q}", key)
    _body(message, place % 4 if style is None else style, block, original, info, words)
    return SyntheticEmail(at, sender, message.as_bytes())


def _headers(info: SeatInfo, sender: str, at: datetime, subject: str, key: str) -> EmailMessage:
    """Return a message without a body, in reply to the last email to the seat, if any."""
    host = sender.rpartition("@")[2]
    message = EmailMessage(policy=SMTP)
    message["Received"] = f"from mail.{host} by mx.games.example; {format_datetime(at)}"
    message["From"] = f"{info.name} <{sender}>" if info.name.isascii() else sender
    message["To"] = HOME
    message["Subject"] = subject
    message["Date"] = format_datetime(at - timedelta(minutes=1))
    message["Message-ID"] = f"<{key}@{host}>"
    if info.told.last:
        message["In-Reply-To"] = info.told.last
    return message


def _body(message: EmailMessage, style: int, block: str, original: str, info: SeatInfo, words: str) -> None:
    above = f"{words}\n\n" if words else ""
    quoted = "\n".join(f"> {line}" for line in original.splitlines())
    signature = f"-- \n{info.name}\nwar is the continuation of voting"
    if style == 0:
        above = words or "Here you are."
        message.set_content(f"{above}\n\n{block}\n\nOn Friday, pbem wrote:\n{quoted}\n\n{signature}\n")
    elif style == 1:
        message.set_content(f"{quoted}\n\n{above}{block}\n\nSent from my phone\n", cte="quoted-printable")
    elif style == TAPPED:
        message.set_content(f"{block}\n")
    elif style == 2:
        above = words or "よろしくお願いします。"
        text = f"{above}\n\n{block}\n\n-----Original Message-----\nFrom: pbem\n\n{original}\n"
        message.set_content(text, charset="iso-2022-jp")
    else:
        message.set_content(f"{above}{block}\n{signature}\n")
        message.add_alternative(f"<pre>{above}{block}</pre>", subtype="html")
        message.set_boundary("made-up-boundary")


def as_mbox(mails: list[SyntheticEmail]) -> bytes:
    """Return emails as an mbox, in order, with `From ` lines escaped."""
    out = []
    for mail in mails:
        body = mail.raw.replace(b"\r\n", b"\n")
        lines = [b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in body.split(b"\n")]
        separator = f"From {mail.sender} {mail.at:%a %b %e %H:%M:%S %Y}\n".encode()
        out.append(separator + b"\n".join(lines).rstrip(b"\n") + b"\n\n")
    return b"".join(out)


def take_in(copy: Path, batch: list[SyntheticEmail], work: Path, at: datetime) -> None:
    """Process these emails and check that all are read."""
    box = work / "letters.mbox"
    box.write_bytes(as_mbox(batch))
    report = ingest([copy], [box], now=at, home=work, sender=HOME)
    if report.incomplete:
        raise RuntimeError(f"an email of {batch[0].sender} wasn't processed: {report.emails[0].why}")


def demo_round(save: Path, work: Path, steps: int = 12) -> list[SyntheticEmail]:
    """Return emails from an open ballot to the end of the next, with a stale, a forged and a mistaken one."""
    copy = Path(shutil.copy2(save, work / save.name))
    chance, mails, at = Random(7), list[SyntheticEmail](), START + timedelta(hours=2)
    ballots = 0
    for step in range(steps * 4):
        session = Session.open(copy, games.load)
        referee = session.referee
        pending = referee.pending()
        if not pending or (ballots == 2 and pending[0].kind != "ballot"):
            break
        batch = []
        for seat, lines in answers(session, chance).items():
            at += timedelta(minutes=7)
            if not step and seat == referee.asked()[1]:
                lines = ["cancel standing", *lines, "ask balot: sometimes"]
            style = TAPPED if seat == referee.asked()[0] and len(lines) == 1 and step else None
            batch.append(write_email(session, seat, lines, at, number=step, style=style))
        ballots += pending[0].kind == "ballot"
        if not step:
            batch[1:1] = _odd(session, at)
        mails += batch
        take_in(copy, batch, work, at)
    return mails


def _odd(session: Session, at: datetime) -> list[SyntheticEmail]:
    """Return a stale reply of the second seat, and an email in the third seat's name by a third party."""
    referee, save = session.referee, session.save
    second, third = referee.asked()[1:3]
    q = referee.q - 1
    old = write_email(session, second, [f"{q}: pass"], at - timedelta(minutes=20), code=code_of(save, second, q))
    domain = referee.domain(third)
    lines = [f"{referee.q}: {domain.text(domain.sample(Random(1).randrange))}"]
    forged = write_email(session, third, lines, at - timedelta(minutes=19), code="0000-0000", style=3)
    return [old, forged]


def open_ballot(referee: Referee) -> bool:
    """Check if the first ballot of turn 2 is open and sealed."""
    return referee.pending()[0].kind == "ballot" and referee.game.calendar(referee.table.state)["turn"] == 2
