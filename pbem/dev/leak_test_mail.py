"""The no-leak law for emails: pairs of worlds run through the mail pipeline, each with a save and an outbox.

As in `pbem.dev.leak_test`, B is A with X's unknowns dealt again. Others send other emails at other times; X the same
in both (`pbem.dev.writing`). After each run all that X gets must be byte-equal (`pbem.dev.received`).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import msgspec

from pbem.clock.policy import WAIT
from pbem.dev.leak_test_pairs import End, Leaked, LeakTestResult, Pair, heard, may_reveal, settings_of
from pbem.dev.observation import ADDRESS, MODERATOR, vary, watch
from pbem.dev.random_game import random_setup, sampler
from pbem.dev.received import Got, MailWorld, blind_chain, compare, compare_order, no_code, same
from pbem.dev.synthetic_mail import HOME, START, write_email
from pbem.dev.workers import map_parallel
from pbem.dev.writing import Writing
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import BOT, Move
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import AdvanceNote, CheckpointRecord, Referee
from pbem.kernel.rejections import Rejection
from pbem.mail.moderator.journal import Actor, act
from pbem.mail.moderator.seat_actions import replace_player
from pbem.mail.outbox.email_parts import full_frame
from pbem.mail.outbox.short_email import NOTHING
from pbem.report.viewfile import view_file
from pbem.save import ClockSettings, Delegate, ProcessedEmail, SeatInfo, Session, chain

ROUNDS = 5
"""Number of questions after which a pair ends."""

MAPS = 4
"""One pair in this many has emails with maps, where they can be drawn."""

PAGES = 4
"""One run in this many writes the spectators' pages, with their map."""

PER_GAME = 4
_LOOKED_AT = 60
"""Checkpoints that are searched for one where a pair of the kind can begin."""

_HEIRS = 0.25
"""Probability that X's seat gets a replacement player, whose emails are compared, too."""

_WRITES = 0.8
"""Probability that X writes something besides the answer."""

_DOWN = 0.25
"""Probability that no server accepts emails, so that questions aren't delivered and their time stops."""

_LATE = 0.35
"""Probability that X waits until a reminder."""

READS, PLAYS, HEIR = "reads@x.example", "plays@x.example", "heir@x.example"
"""Addresses of X's copy recipient, delegate and replacement player."""


def run(
    game: Game,
    pairs: int,
    seed: int = 0,
    *,
    seats: int | None = None,
    progress: Callable[[LeakTestResult], None] | None = None,
    first: bool = False,
    screens: Screens | None = None,
    of: type[MailPair] | None = None,
    jobs: int = 1,
    cluster: str = "",
) -> LeakTestResult:
    """Play `pairs` pairs through the mail pipeline. X is each seat in turn.

    `first` stops at the first leak. `screens` draws what a seat sees of a save at some time; it is compared after the
    first round and the last. `of` is the kind of pair. With `jobs` or a `cluster` (`pbem.dev.workers`) the pairs are
    the same. Raises `PairSkipped`.
    """
    began = perf_counter()
    kind = of or MailPair
    starts = itertools.islice(_starts(game, seed, seats, kind), pairs)
    with contextlib.closing(map_parallel(partial(_played, kind, screens), starts, jobs=jobs, cluster=cluster)) as found:
        return LeakTestResult().collect(found, began, progress, first=first)


class PairStart(msgspec.Struct, frozen=True):
    """The checkpoint of a game where pair `number` begins."""

    game: Game
    setup: Setup
    moves: list[Move]
    mark: CheckpointRecord
    random: Random
    observer: str
    number: int


def _starts(game: Game, seed: int, seats: int | None, kind: type[MailPair]) -> Iterator[PairStart]:
    source = _points(game, seed, seats)
    for number in itertools.count():
        for _ in range(_LOOKED_AT):
            setup, moves, mark, random = next(source)
            observer = setup.seats[number % len(setup.seats)]
            if kind.fits(Referee.resume(game, setup, [], mark), observer):
                break
        yield PairStart(game, setup, moves, mark, random, observer, number)


def _played(kind: type[MailPair], screens: Screens | None, start: PairStart) -> LeakTestResult:
    fast = "/dev/shm" if Path("/dev/shm").is_dir() else None  # each pair writes dozens of temporary files
    with TemporaryDirectory(prefix="pbem-leaks-", dir=fast) as folder, blind_chain():
        pair = kind(start, Path(folder), screens)
        pair.run()
    return pair.result


def _points(game: Game, seed: int, seats: int | None) -> Iterator[tuple[Setup, list[Move], CheckpointRecord, Random]]:
    """Yield checkpoints of random games with the moves before them, in each game one that opens a negotiation."""
    settings = settings_of(game, seats)
    number = 0
    while True:
        random = Random(f"post:{game.slug}:{seed}:{number}")
        setup = random_setup(game, random, *settings[number % len(settings)])
        marks: list[CheckpointRecord] = []
        talks: list[CheckpointRecord] = []
        referee = Referee.new(game, setup, on_mark=marks.append)
        with contextlib.suppress(Exception):  # the fuzzer reports crashes
            _play_some(referee, random, marks, talks)
        some = random.sample(marks, min(PER_GAME, len(marks)))
        if talks:
            some[0] = random.choice(talks)
        for mark in some:
            yield setup, referee.moves[: mark.n], mark, Random(random.random())
        number += 1


def _play_some(referee: Referee, random: Random, marks: list[CheckpointRecord], talks: list[CheckpointRecord]) -> None:
    """Answer at random for a while. Checkpoints that open a private negotiation are added to `talks`."""
    below = sampler(random)
    for _ in range(random.randrange(400)):
        now = referee.now
        if now is None:
            return
        if isinstance(now, Negotiate) and not now.public and marks[-1].q + 1 == referee.q:
            talks += [marks[-1]] if marks[-1] not in talks[-1:] else []
        seat = referee.waiting()[0]
        with contextlib.suppress(Rejection):
            referee.submit(seat, referee.domain(seat).sample(below))


_OWN = "", ""
_HANDS = (*(_OWN,) * 6, (PLAYS, ""), (READS, ""), ("", "0000-0000"))
"""Who writes for X, and with which reply code: X, the delegate, a copy recipient, X with a wrong code."""

Written = tuple[str, list[str]]
"""The sender of an email and its order lines."""

Screens = Callable[[Path, str, datetime], Mapping[str, str]]
"""Return what the screens of a save show a seat at some time, by screen."""


class MailPair(Pair):
    """Two worlds from one checkpoint, run through the mail pipeline side by side."""

    at_end = "rounds"
    letters = ("", "full", *(f"digest {hour}" for hour in (0, 6, 12, 18)))
    """The email settings that X may choose."""

    def __init__(self, start: PairStart, folder: Path, screens: Screens | None = None) -> None:
        super().__init__(start.game, start.setup, start.mark, start.observer, start.random)
        random, observer = self.random, self.seat
        self.moves, self.folder, self.screens = start.moves, folder, screens
        self.now = START + timedelta(hours=3)
        self.people = self._people()
        own = next(seat.addresses[0] for seat in self.people if seat.id == observer)
        self.addresses = [own, PLAYS, READS, ADDRESS]
        self.settings = random.random()
        self.down = random.random() < _DOWN
        self.maps = "png" if start.number % MAPS == MAPS - 1 else ""
        if self.maps:  # a map takes 0.3 s to draw, and only the observer's is compared
            for seat in self.people:
                seat.attach = NOTHING if seat.id != observer else ""
        self.number = 0
        self.quiet = random.randrange(3)
        """The world in which no other seat sends anything but answers, if it is 0 or 1."""
        self.before: datetime | None = None
        """A deadline that must not pass, if one world is ahead."""
        self.writing = Writing(self.game, observer, self.setup.seats, Random(random.random()))

    @classmethod
    def fits(cls, referee: Referee, observer: str) -> bool:
        return True

    def _play(self) -> None:
        hidden = self.other_state()
        self.result.changed += hidden != self.mark.state
        self.a, self.b = self._world("a", self.mark.state), self._world("b", hidden)
        self._told = [0, 0]
        self._beside = [self._referee(state) for state in (self.mark.state, hidden)]
        self._lines_alike(self.a.open(), self.b.open())  # what follows from the checkpoint without an answer
        self.begin()
        for number in range(ROUNDS):
            self.play_round()
            if number in (0, ROUNDS - 1) and self.screens is not None:
                one, other = (self.screens(world.path, self.seat, self.now) for world in (self.a, self.b))
                for room in one:
                    same(f"screen {room}", one[room], other[room])

    def begin(self) -> None:
        """Do what comes before the first round. Answers may end the pair here, other emails don't."""
        self._stir(self.a.open(), self.b.open())
        if self.random.random() < _HEIRS:
            self._hand_over()
        self._stir(self.a.open(), self.b.open(), much=True)

    def other_state(self) -> bytes:
        return self.concealed()

    # -- the worlds ----------------------------------------------------------------------------------------------------

    def _people(self) -> list[SeatInfo]:
        """Return a player for each seat, in both languages. X has a delegate and a copy recipient."""
        people = []
        for at, seat in enumerate(self.setup.seats):
            zone, language = ("Europe/Berlin", "en") if at % 2 else ("Asia/Tokyo", "ja")
            if seat == self.seat:
                language = self.random.choice(("en", "ja"))
            people.append(SeatInfo(seat, f"P{at}", [f"{seat.replace('_', '-')}@p.example"], zone, language))
        mine = next(info for info in people if info.id == self.seat)
        mine.letters, mine.attach = self.random.choice(self.letters), self.random.choice(("", "view"))
        until = self.random.choice((None, START + timedelta(days=3)))
        mine.delegates, mine.watchers = [Delegate(PLAYS, START, until)], [READS]
        return people

    def _referee(self, state: bytes) -> Referee:
        mark = msgspec.structs.replace(self.mark, state=state)
        return Referee.resume(self.game, self.setup, [], mark)

    def _world(self, name: str, state: bytes) -> MailWorld:
        """Write a save at the checkpoint with this state. All players have been notified of earlier events."""
        folder = self.folder / name
        folder.mkdir()
        setup, mark = self.setup, self.mark
        people = [msgspec.convert(msgspec.to_builtins(seat), SeatInfo) for seat in self.people]
        clock = ClockSettings(hours=dict(self.game.default_hours))
        first = Session.create(folder / "pair.toml", self.game, setup, people, clock=clock, at=START, sender=HOME)
        save = first.save
        seed = bytes.fromhex(setup.seed)
        save.moves = chain.extend(chain.start(save), self.moves, seed, version=save.header.chain)
        save.header.n, save.header.q = mark.n, mark.q
        save.header.head = save.moves[-1].hash if save.moves else chain.start(save)
        vary(save, self.seat, Random(self.settings))
        save.pending, save.post.maps = [], self.maps
        mark, referee = msgspec.structs.replace(mark, state=state), self._referee(state)
        session = Session(first.path, save, referee, mark)
        if name == "a":  # X must not notice which notifications of others are pending
            referee.notes += [AdvanceNote(seat, "advance.rewound", "pass") for seat in setup.seats if seat != self.seat]
        session.sync(START)
        watch(save)
        if save.post.plays and MODERATOR not in self.addresses:
            self.addresses.append(MODERATOR)
        # All have written: the reserve of a seat is spent only then, which others may see.
        save.intake = [ProcessedEmail(key="earlier", at=START, seat=",".join(setup.seats))]
        for seat in save.seats:
            seat.seen = mark.lines
            seat.told.letters, seat.told.first, seat.told.last = 1, "<first@x>", "<first@x>"
        return MailWorld(folder, self.game, session, down=self.down)

    # -- a round -------------------------------------------------------------------------------------------------------

    def play_round(self) -> None:
        """Play one question: some emails come in one world only, then those that answer, then X's own."""
        a, b = self.a.open(), self.b.open()
        if a.referee.over:
            raise End("over")
        if a.referee.asked() != b.referee.asked():
            raise Leaked("who is asked", str(a.referee.asked()), str(b.referee.asked()))
        pending = {question.seat: question for question in a.referee.pending()}
        kind = next(iter(pending.values())).kind
        self.step = f"{kind} (question {a.referee.q})"
        written: tuple[list[Written], ...] = ([], [])
        for seat in a.referee.waiting():
            if seat not in b.referee.waiting():
                continue
            for at, line in enumerate(self.writing.answer(a, b, seat, sealed=pending[seat].sealed)):
                written[at].append((seat, line))
        # A is ahead: it has some sealed answers of others, and nothing of X's.
        # Not in a negotiation: a proposal that comes in A alone would keep open what an early `done` closed.
        sealed = any(question.sealed for question in pending.values())
        others = [mail_out for mail_out in written[0] if mail_out[0] != self.seat]
        early = others[: self.random.randrange(len(others))] if sealed and len(others) > 1 else []
        # No deadline may expire meanwhile: X is notified of seats that haven't answered.
        bites = a.save.clock.time_up.get(next(iter(pending.values())).pace, WAIT) != WAIT
        dues = [asked.due for asked in a.save.pending if asked.due] if early and bites else []
        self.before = min(dues, default=None)
        self._stir(a, b, early)
        if self.before is None:
            self._remind()
        a, b = self.a.open(), self.b.open()
        if a.referee.q != b.referee.q:
            raise Leaked("the question", str(a.referee.q), str(b.referee.q))
        rest = [mail_out for mail_out in written[0] if mail_out not in early]
        self.post((self.mails(a, rest, 0), self.mails(b, written[1], 1)))
        self.result.steps += len(written[0])

    def _stir(self, a: Session, b: Session, early: Sequence[Written] = (), *, much: bool = False) -> None:
        """Write emails besides answers: others differently, X alike; `much`: beyond the limits, `early`: in A alone."""
        secret = [[] if world == self.quiet else self.writing.secrets((a, b)[world]) for world in (0, 1)]
        both = list(self.writing.offers(a, b))
        if much or self.random.random() < _WRITES:
            both.append((self.seat, self.writing.own(a, b, much=much)))
        hand = self.random.choice(_HANDS)
        some = [*secret[0], *early, *both], [*secret[1], *both]
        self.post((self.mails(a, some[0], 0, hand), self.mails(b, some[1], 1, hand)))
        if not isinstance(a.referee.now, Negotiate) or not both:
            return
        a, b = self.a.open(), self.b.open()  # X may now answer proposals
        both = [(self.seat, lines)] if (lines := self.writing.deal(a, b)) else []
        self.post((self.mails(a, both, 0), self.mails(b, both, 1)))

    def _remind(self) -> None:
        pending = self.a.open().save.pending
        due = next((asked.due for asked in pending if asked.seat == self.seat), None)
        hours = self.random.choice(self.a.open().save.clock.remind)
        if due is None or self.random.random() > _LATE or due - self.now < timedelta(hours=hours):
            return
        self.now = due - timedelta(hours=hours)
        self.post(([], []), hours=1)

    def post(self, mails: tuple[list[Any], list[Any]], hours: int = 0) -> None:
        """Run the mail once in each world at the same time, and compare."""
        self.now += timedelta(hours=hours or self._hours())
        pages = self.random.randrange(PAGES) == 0
        for world, some in zip((self.a, self.b), mails, strict=True):
            world.post(some, self.now)
        self.catch_up()
        for world in (self.a, self.b):
            world.tell_onlookers(self.now, pages=pages)
        self.compare()

    def _hours(self) -> int:
        """Return the hours until the next run: few if a deadline must not pass."""
        hours = self.random.choice((1, 7, 26))
        return hours if self.before is None or self.now + timedelta(hours=hours + 1) < self.before else 1

    def catch_up(self) -> None:
        """Bring B to where A is, before spectators are notified."""

    def mails(self, session: Session, lines: list[Written], world: int, hand: tuple[str, str] = _OWN) -> list[Any]:
        """Return the emails: others' at different times in each world, X's at the same, written by this `hand`.

        X's keep their place: whether an answer that X changes comes after the last other one is no secret.
        """
        own: dict[int, Any] = {}
        others: list[tuple[float, Any]] = []
        for index, (seat, some) in enumerate(lines):
            self.number += 1
            number = 0 if seat == self.seat else self.number
            minutes = 30 if seat == self.seat else self.random.randrange(1, 55)
            at = self.now + timedelta(minutes=minutes)
            sender, code = hand if seat == self.seat else _OWN
            mail, place = (
                write_email(session, seat, some, at, number=number, sender=sender, code=code),
                self.random.random(),
            )
            if seat == self.seat:
                own[index] = mail
            else:
                others.append((place * world, mail))
        mails = [mail for _, mail in sorted(others, key=lambda placed: placed[0])]
        for index, mail in own.items():
            mails.insert(index, mail)
        return mails

    def _hand_over(self) -> None:
        self.step = "another player in the seat"
        self.addresses.append(HEIR)
        author = Actor("moderator", "illness", self.now)
        for world in (self.a, self.b):
            act(world.path, author, lambda session, by: replace_player(session, by, self.seat, HEIR), game=world.load)
        self.post(([], []))

    # -- comparing -----------------------------------------------------------------------------------------------------

    def compare(self) -> None:
        a, b = self.a.open(), self.b.open()
        if any(move.how == BOT for session in (a, b) for move in session.moves(self.mark.n)):
            raise End("a bot plays")  # a bot knows the hand that it plays
        one, other = self.a.fresh(), self.b.fresh()
        for got, save in ((one, a.save), (other, b.save)):
            no_code(got, save, (READS, ADDRESS))
        self._lines_alike(a, b)
        self._mail_alike(one, other)
        for what, of in (("status", self._status), ("view file", self._file)):
            same(what, of(a), of(b))
        same("pages", self.a.onlookers.got(), self.b.onlookers.got())

    def _mail_alike(self, one: list[Got], other: list[Got]) -> None:
        compare(one, other, self.addresses)
        compare_order(one, other)
        if MODERATOR in self.addresses:
            same("what a moderator sees who plays", self.a.shown, self.b.shown)

    def _lines_alike(self, a: Session, b: Session) -> None:
        """Compare log lines: they may differ only in a line that notifies X by a rule."""
        told: list[list[Any]] = []
        for at, session in enumerate((a, b)):
            beside = self._beside[at]  # a loaded save has no lines from before its last checkpoint
            beside.replay(session.moves(beside.n))
            told.append(heard(beside.table.lines[self._told[at] :], self.seat))
        for at in range(max(map(len, told))):
            pair = [some[at] if at < len(some) else None for some in told]
            if None not in pair and _line(pair[0]) == _line(pair[1]):
                continue
            lines = [side[0] for side in pair if side is not None]
            if may_reveal(self.game, *lines):
                raise End("learnt")
            texts = ["" if side is None else f"{side[0].key} {side[1]}" for side in pair]
            raise Leaked("a line from which nobody may learn", *texts)
        self._told = [len(beside.table.lines) for beside in self._beside]

    def _status(self, session: Session) -> str:
        header = session.save.header
        asked = [
            (pending.seat, pending.q, pending.kind, pending.due, pending.sealed, pending.moved)
            for pending in session.save.pending
        ]
        draws = session.referee.table.dice.counter
        return str((header.n, header.q, header.over, header.clock, header.result, asked, f"next draw {draws}"))

    def _file(self, session: Session) -> str:
        info = session.save.seat(self.seat)
        frame = full_frame(session, info, course=[])
        lines = session.referee.table.lines
        return str(view_file(session.referee, self.seat, frame=frame, lines=lines))


def _line(one: Any) -> Any:
    line, args = one
    return line.key, args, line.rule, line.n
