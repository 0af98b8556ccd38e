"""Sixty days of hosting: four games, six people, and all that goes wrong with mail, cron and the disk.

All is done by the commands that cron and a moderator run; people answer the emails that a mail server has taken. The
seed is an argument: `PBEM_SIMULATION_SEED=7 python -m pytest -m slow tests/mail/test_sixty_days.py`.
"""

from __future__ import annotations

import contextlib
import email
import errno
import heapq
import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import policy
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import games
from pbem.cli import main
from pbem.dev.synthetic_mail import write_email
from pbem.kernel.questions import Negotiate
from pbem.mail.save_index import code_of
from pbem.orders.reply_codes import plain_code, tags_in
from pbem.save import Save, Session, load, load_header
from pbem.timestamps import stamp
from tests.mail.servers import smtp_server

START = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DAYS = 60
STEP = 3 * HOUR
OWN, BOSS = "pbem@example.org", "boss@example.org"
PEOPLE = ("anna", "ben", "chiyo", "dora", "emile", "farah")
GAMES = {"sixteen_thirty": 4, "imperial_struggle": 2, "crown_of_roses": 3, "virgin_queen": 6}
SILENT = 0.1
"""How often somebody does not answer a question at all."""

STANDS = 5 * DAY
"""So long no game may stand without anybody being told of it."""

FAULTS = ("smtp", "mailbox", "cron", "disk", "bounce")


class Fault(NamedTuple):
    """Something that does not work for a while; of a bounce, for whom."""

    what: str
    since: datetime
    until: datetime
    who: str = ""


class Taken(NamedTuple):
    """An email that the server has taken, and when; `lost`: it came back."""

    at: datetime
    to: str
    message: email.message.EmailMessage
    lost: bool


class Silence(NamedTuple):
    """How long a game has stood and nobody was told of it, up to when, and what it waits for."""

    lasted: timedelta
    until: datetime
    pending: str
    pauses: str


class Hosting:
    """A folder of games, the mail that comes and goes, people, and a clock."""

    def __init__(self, home: Path, random: Random, server: Any) -> None:
        self.home, self.random, self.server = home, random, server
        self.saves, self.box, self.away = home / "saves", home / "in", home / "away"
        for part in ("new", "cur", "tmp"):
            (self.box / part).mkdir(parents=True)
        self.saves.mkdir()
        self.now = START
        self.mails = 0
        self.taken: list[Taken] = []
        self.said: list[tuple[datetime, str]] = []
        self.plans: list[tuple[datetime, str, str, int, str]] = []
        """Answers to come: when, the game, the seat, the question, the code that was read."""
        self.planned: set[tuple[str, str, int]] = set()
        self.rung: set[tuple[str, str, int]] = set()
        """Questions about which the moderator has rung somebody up."""
        self.put: set[tuple[str, str, int]] = set()
        """Questions that have been taken by the server for their seats."""
        self.asked: dict[tuple[str, int], set[str]] = {}
        """To whom each question was put."""
        self.heard: dict[str, datetime] = {}
        """When anybody last heard of a game, or it went on."""
        self.at: dict[str, tuple[int, int]] = {}
        self.worst: dict[str, Silence] = {}
        self.faults = list(_faults(random))
        self.unsent: list[datetime] = []
        """When a run left emails in the outbox."""

    # -- commands ----------------------------------------------------------------------------------------------------

    def pbem(self, *words: object) -> str:
        """What a command says."""
        line = [str(word) for word in (*words, "--now", stamp(self.now))]
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
            main(line, prog_name="pbem")
        assert "Traceback" not in said.getvalue(), said.getvalue()
        return said.getvalue()

    def begin(self) -> None:
        """Begin the games; two of them wait for who is late, two do not."""
        for number, (slug, players) in enumerate(GAMES.items()):
            seats = games.load(slug).seats_for(players, "")
            who = [PEOPLE[(number + at) % len(PEOPLE)] for at in range(players)]
            words = [f"--seat={seat}={name} <{name}@p.example>" for seat, name in zip(seats, who, strict=True)]
            path, dice = self.saves / f"{slug}.toml", self.home / f"{slug}.dice"
            dice.write_text(self.random.randbytes(32).hex())
            options = ("--seed", dice, "--from-address", OWN, "--timezone", "Europe/Berlin")
            self.pbem("new", slug, "-o", path, *options, *words)
            late = ("time_up.turn=grace",) if number % 2 else ()
            self.pbem("config", "set", path, f"moderator={BOSS}", *late, "--reason", "begin")
            assert load(path).post.moderator == [BOSS]
            self.heard[slug] = self.now

    def run(self) -> None:
        """What cron runs; what it says goes to the moderator by cron's own mail."""
        smtp = "smtp://127.0.0.1:9" if self.broken("smtp") else self.server.url
        with full_disk() if self.broken("disk") else contextlib.nullcontext():
            said = self.pbem("-q", "run", "--saves", self.saves, "--maildir", self.box, "--smtp", smtp)
        if said.strip():
            self.said.append((self.now, said))
            self.heard.update({slug: self.now for slug in GAMES if slug in said})
        if any((self.saves / "outbox" / "new").glob("*")):
            self.unsent.append(self.now)
        self.take()

    # -- faults ------------------------------------------------------------------------------------------------------

    def broken(self, what: str, who: str = "") -> bool:
        """Whether something does not work now."""
        return any(
            fault.what == what and fault.who == who and fault.since <= self.now < fault.until for fault in self.faults
        )

    def mailbox(self) -> None:
        """Take the mailbox away while it can't be read, and bring it back."""
        if self.broken("mailbox") and self.box.exists():
            self.box.rename(self.away)
        elif not self.broken("mailbox") and self.away.exists():
            self.away.rename(self.box)

    # -- people ------------------------------------------------------------------------------------------------------

    def deliver(self, raw: bytes) -> None:
        """Put an email into our mailbox, whether it can be read or not."""
        self.mails += 1
        box = self.box if self.box.exists() else self.away
        name = f"{int(self.now.timestamp())}.{self.mails:06d}.mail.example"
        (box / "new" / name).write_bytes(raw)

    def take(self) -> None:
        """What the server has taken is read by those to whom it goes, or comes back."""
        taken, self.server.desk.mails = self.server.desk.mails, []
        for _, to, raw in taken:
            message = email.message_from_bytes(raw, policy=policy.default)
            who = to[0].partition("@")[0]
            lost = self.broken("bounce", who)
            self.taken.append(Taken(self.now, to[0], message, lost))
            if lost:
                self.deliver(came_back(raw, to[0], self.mails))
            else:
                self.read(message, who)

    def read(self, message: email.message.EmailMessage, who: str) -> None:
        """Somebody reads an email: they will answer it, or they won't."""
        text = message.get_body(("plain",)).get_content()
        for slug in GAMES:
            if slug in text or slug in str(message["Subject"]):
                self.heard[slug] = self.now
        for tag in tags_in(text):
            if tag.game not in GAMES:
                continue
            save = load_header(self.saves / f"{tag.game}.toml")
            q = save.header.q
            if plain_code(code_of(save, tag.seat, q)) != plain_code(tag.code):
                continue
            question = (tag.game, tag.seat, q)
            self.put.add(question)
            if question not in self.planned:
                self.planned.add(question)
                if self.random.random() > SILENT:
                    when = self.now + HOUR * self.random.choice((1, 3, 8, 20, 30))
                    heapq.heappush(self.plans, (when, *question, tag.code))

    def answer(self) -> None:
        """Those who wanted to write by now write."""
        while self.plans and self.plans[0][0] <= self.now:
            _, slug, seat, q, code = heapq.heappop(self.plans)
            path = self.saves / f"{slug}.toml"
            if load_header(path).header.q != q:
                continue
            session = Session.open(path, games.load)
            referee = session.referee
            if referee.q != q or seat not in referee.waiting():
                continue
            domain = referee.domain(seat)
            talks = isinstance(referee.now, Negotiate)
            value = "done" if talks else domain.sample(lambda n: self.random.randrange(n))
            mail = write_email(session, seat, [f"{q}: {domain.text(value)}"], self.now, code=code, number=self.mails)
            self.deliver(mail.raw)

    def moderate(self) -> None:
        """The moderator, who was told that a game waits for them, decides that time is up.

        Where a question has no default they ring up whoever is late.
        """
        for slug in GAMES:
            path = self.saves / f"{slug}.toml"
            save = load_header(path)
            late = [asked.due for asked in save.pending if asked.due and asked.due < self.now]
            if not late or not any(slug in text for text in self.told(late[0], self.now - DAY / 2)):
                continue
            self.pbem("clock", "expire", path, "--reason", "time is up")
            save = load_header(path)
            for asked in save.pending:
                question = (slug, asked.seat, asked.q)
                if asked.due in late and question not in self.rung:
                    self.rung.add(question)
                    code = code_of(save, asked.seat, asked.q)
                    heapq.heappush(self.plans, (self.now + DAY / 2, *question, code))

    # -- what must hold ----------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Note what goes on, and for how long a game has stood in silence."""
        for slug in GAMES:
            save = load_header(self.saves / f"{slug}.toml")
            header = save.header
            at = (header.n, header.q)
            self.asked[slug, header.q] = {asked.seat for asked in save.pending}
            if self.at.get(slug) != at or header.over:
                self.at[slug], self.heard[slug] = at, self.now
            quiet = Silence(self.now - self.heard[slug], self.now, str(save.pending), str(save.clock.pauses))
            self.worst[slug] = max(self.worst.get(slug, quiet), quiet)

    def told(self, since: datetime, until: datetime) -> list[str]:
        """What the moderator has heard between two times: by email, and by cron."""
        mails = [mail.message.as_string() for mail in self.taken if mail.to == BOSS and since <= mail.at <= until]
        return [*mails, *(said for at, said in self.said if since <= at <= until)]


def _faults(random: Random) -> Iterator[Fault]:
    """One after another, each with days of peace behind it, so that it can be told what a notice is about."""
    kinds = [*FAULTS, *FAULTS]
    random.shuffle(kinds)
    at = START + 3 * DAY
    for what in kinds:
        lasts = HOUR * random.choice((7, 20, 50) if what != "disk" else (4, 9))
        yield Fault(what, at, at + lasts, random.choice(PEOPLE) if what == "bounce" else "")
        at += lasts + DAY * random.choice((2, 3, 4))


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Nothing can be written down for good."""

    def fails(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patch:
        for name in ("fsync", "replace", "rename"):
            patch.setattr(os, name, fails)
        yield


def came_back(raw: bytes, to: str, number: int) -> bytes:
    """A bounce (RFC 3464) of an email of ours."""
    head = (
        f"Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.net\nTo: {OWN}\nSubject: Undelivered Mail\n"
        f"Message-ID: <d{number}@mx.example.net>\nAuto-Submitted: auto-replied\nMIME-Version: 1.0\n"
        f"Content-Type: multipart/report; report-type=delivery-status; boundary=B\n\n--B\n"
        f"Content-Type: text/plain\n\nmailbox full\n\n--B\n"
        f"Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n\n"
        f"Final-Recipient: rfc822; {to}\nAction: failed\nStatus: 5.1.1\n\n--B\n"
        f"Content-Type: message/rfc822\n\n"
    )
    return head.encode() + raw + b"\n--B--\n"


def defaults(save: Save) -> set[tuple[str, int]]:
    """Who has been given a default, for which question; "" for all who take part in a negotiation."""
    return {(move.seat, move.q) for move in [*save.moves, *save.sealed] if move.how == "time"}


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Hosting:
    """The sixty days, played once for all that must hold."""
    random = Random(f"sixty days {os.environ.get('PBEM_SIMULATION_SEED', '1')}")
    with smtp_server() as server:
        host = Hosting(tmp_path_factory.mktemp("days"), random, server)
        host.begin()
        while host.now < START + DAYS * DAY:
            host.mailbox()
            host.answer()
            if not host.broken("cron"):
                host.run()
            host.moderate()
            host.watch()
            host.now += STEP
    return host


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_is_played_on(hosted: Hosting, slug: str) -> None:
    save = load(hosted.saves / f"{slug}.toml")
    assert save.header.over or save.header.n >= DAYS / 3
    assert hosted.worst[slug].lasted <= STANDS, hosted.worst[slug]


@pytest.mark.parametrize("slug", GAMES)
def test_nobody_gets_a_default_who_was_not_asked(hosted: Hosting, slug: str) -> None:
    given = defaults(load(hosted.saves / f"{slug}.toml"))
    each = {(who, q) for seat, q in given for who in ([seat] if seat else hosted.asked.get((slug, q), ()))}
    assert {(seat, q) for seat, q in each if (slug, seat, q) not in hosted.put} == set()


def test_no_email_goes_out_twice(hosted: Hosting) -> None:
    ids = Counter((mail.message["Message-ID"], mail.to) for mail in hosted.taken)
    assert [ident for ident, count in ids.items() if count > 1] == []
    texts = Counter((mail.message.as_bytes(), mail.to) for mail in hosted.taken)
    assert max(texts.values()) == 1


def test_the_moderator_hears_of_each_fault_once_a_day(hosted: Hosting) -> None:
    for fault in hosted.faults:
        until = fault.until if fault.what in ("cron", "smtp") else fault.since
        if fault.what == "bounce":
            lost = [mail.at for mail in hosted.taken if mail.lost and fault.since <= mail.at < fault.until]
            if not lost:
                continue  # nothing was sent to them
            until = lost[0]
        if fault.what == "smtp" and not any(fault.since <= at < fault.until for at in hosted.unsent):
            continue  # there was nothing to send
        told = hosted.told(fault.since, until + DAY)
        assert told, fault
        lines = [line for text in hosted.told(fault.since, fault.until) for line in text.splitlines()]
        about = Counter(re.sub(r"\d+", "#", line) for line in lines if line.startswith(("pbem: ", "Subject: ")))
        lasted = (fault.until - fault.since) // DAY
        assert all(count <= 2 * len(GAMES) * (1 + lasted) for count in about.values()), (fault, about)
