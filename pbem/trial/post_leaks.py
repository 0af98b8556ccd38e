"""The no-leak law where letters are made: pairs of worlds run through the post, each with a save and an outbox.

As in `pbem.trial.leaks`, world B is world A with all that seat X may not know dealt anew. Here everybody writes
letters: others send sealed answers, standing answers, settings, private press and proposals of their own in each
world, and send them at other times. After each run of the post all that X gets must be the same to the byte: his
letters (headers, text, HTML, calendar), their order and file names, reminders, his view file, what `status` tells, and
what those who look on get: pages, letters to onlookers, events of `notify`.
Hashes of the journal differ, since the answers do: they are made alike before they are compared.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default as policy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import msgspec

from games import load as load_game
from pbem.jobs import spread
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import Move
from pbem.kernel.problems import Refused
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import Mark, Note, Referee, components_of
from pbem.orders.statements import SEND
from pbem.post.clockwork.passing import pass_time
from pbem.post.inbox.ingest import ingest
from pbem.post.outbox.record import full_frame
from pbem.post.outbox.shortly import NOTHING
from pbem.report.viewfile import view_file
from pbem.save import ClockPolicy, Delegate, SeatInfo, Session, chain
from pbem.trial.observation import ADDRESS, Onlookers, watch
from pbem.trial.pairing import End, Leaked, Pair, Result, may_be_learnt, settings_of
from pbem.trial.random_game import random_setup, sampler
from pbem.trial.script import read
from pbem.trial.synthetic_mail import HOME, START, as_mbox, letter

ROUNDS = 5
"""Questions after which a pair ends."""

MAPS = 4
"""Of so many pairs one has letters with maps, where they can be drawn here."""

PER_GAME = 4
_HASH = re.compile(r"[0-9a-f]{64}|\b[0-9a-f]{32}\b")
"""A hash of the journal, or the key of a letter, which follows from its code."""
_SEEN = re.compile(r"~ seen (\S+) (\d+) \S+")
_ID = re.compile(r"<[0-9a-f]{12}@")
"""The id of a made-up letter, which follows from its code and so from the head in it."""
_HEAD = re.compile(r"([0-9a-f]{4}-[0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{4}\b")
_SHORT = re.compile(r"\b(?:[0-9a-f]{16}){1,2}…?")
_TRIES = 8
_LOOKED_AT = 60
"""Checkpoints that are looked at for one where a pair of the kind can begin."""

_HABITS = ("letters full", "letters digest")
"""How others want their letters."""

_WISHES = 0.3
"""How often X asks for the position, the log, his bundle …"""


def run(
    game: Game,
    pairs: int,
    seed: int = 0,
    *,
    seats: int | None = None,
    progress: Callable[[Result], None] | None = None,
    first: bool = False,
    screens: Screens | None = None,
    of: type[PostPair] | None = None,
    jobs: int = 1,
    cluster: str = "",
) -> Result:
    """Play `pairs` pairs through the post. Every seat in turn is the one that must not notice.

    `first`: only to the first leak. `screens` draws what a seat sees of a save at some time; it is compared after the
    first round and the last. `of`: what kind of pair. With `jobs` or a `cluster` the game is found by its slug where it
    is played (`pbem.jobs`); the pairs are the same. Raises `NotPlayed`.
    """
    began, result = perf_counter(), Result()
    components = components_of(game, {})[1]
    begun = itertools.islice(_beginnings(game, seed, seats, components, of or PostPair, screens), pairs)
    found: Generator[Result, None, None]
    if jobs > 1 or cluster:
        found = spread(pair_of, begun, jobs=jobs, cluster=cluster)
    else:
        found = (_played(game, components, beginning) for beginning in begun)
    with contextlib.closing(found):
        for pair in found:
            result.add(pair)
            result.seconds = perf_counter() - began
            if progress is not None:
                progress(result)
            if first and result.leaks:
                break
    return result


class Beginning(msgspec.Struct, frozen=True):
    """Where a pair begins, for a worker: at a checkpoint of a game, `number` of the run."""

    game: str
    setup: Setup
    moves: list[Move]
    mark: Mark
    random: Random
    observer: str
    number: int
    kind: type[PostPair]
    screens: Screens | None


def _beginnings(
    game: Game, seed: int, seats: int | None, components: Any, kind: type[PostPair], screens: Screens | None
) -> Iterator[Beginning]:
    source = _points(game, seed, seats, components)
    for number in itertools.count():
        for _ in range(_LOOKED_AT):
            setup, moves, mark, random = next(source)
            observer = setup.seats[number % len(setup.seats)]
            if kind.fits(Referee.resume(game, setup, [], mark, components=components), observer):
                break
        yield Beginning(game.slug, setup, moves, mark, random, observer, number, kind, screens)


def pair_of(beginning: Beginning) -> Result:
    """What came of the pair that begins there."""
    game = load_game(beginning.game)
    return _played(game, components_of(game, {})[1], beginning)


def _played(game: Game, components: Any, beginning: Beginning) -> Result:
    where, result = beginning, Result(pairs=beginning.number)
    with TemporaryDirectory(prefix="pbem-leaks-", dir=_fast()) as folder:
        pair = where.kind(
            game, where.setup, where.moves, where.mark, components, where.random, where.observer, Path(folder), result
        )  # fmt: skip
        pair.screens = where.screens
        pair.run()
    result.pairs -= where.number
    return result


def _fast() -> str | None:
    """Where files cost little: each pair writes dozens that nobody needs afterwards."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _points(
    game: Game, seed: int, seats: int | None, components: Any
) -> Iterator[tuple[Setup, list[Move], Mark, Random]]:
    """Checkpoints of random games, with the moves that led to them."""
    settings = settings_of(game, seats)
    number = 0
    while True:
        random = Random(f"post:{game.slug}:{seed}:{number}")
        setup = random_setup(game, random, *settings[number % len(settings)])
        marks: list[Mark] = []
        referee = Referee.new(game, setup, components=components, on_mark=marks.append)
        with contextlib.suppress(Exception):  # what crashes is the fuzzer's to report
            _play_some(referee, random)
        for mark in random.sample(marks, min(PER_GAME, len(marks))):
            yield setup, referee.moves[: mark.n], mark, Random(random.random())
        number += 1


def _play_some(referee: Referee, random: Random) -> None:
    below = sampler(random)
    for _ in range(random.randrange(400)):
        if referee.now is None:
            return
        seat = referee.waiting()[0]
        with contextlib.suppress(Refused):
            referee.submit(seat, referee.domain(seat).sample(below))


Screens = Callable[[Path, str, datetime], Mapping[str, str]]
"""What the screens of a save show a seat at some time, by room."""


class World:
    """One world: a folder with a save and an outbox, and how many letters X has been shown to have got."""

    def __init__(self, folder: Path, game: Game, session: Session) -> None:
        self.folder, self.game = folder, game
        session.commit(START)
        self.path = session.path
        self.onlookers = Onlookers(self.path, lambda slug: self.game, HOME)
        self.seen: dict[str, set[str]] = {}

    def open(self) -> Session:
        """The game as it is on disk."""
        return Session.open(self.path, lambda slug: self.game)

    def post(self, mails: Sequence[Any], now: datetime) -> None:
        """One run of the post over these letters, and what time brings."""
        box = self.folder / "in.mbox"
        box.write_bytes(as_mbox(list(mails)))
        report = ingest([self.path], [box], now=now, sender=HOME, game=lambda slug: self.game)
        if report.broken:
            raise RuntimeError(next(iter(report.broken.values())))
        pass_time([self.path], now=now, sender=HOME, game=lambda slug: self.game)
        self.onlookers.look(now)

    def fresh(self, address: str) -> list[tuple[str, str]]:
        """What came to `address` since it was last asked, in the order of the files: their names and contents."""
        found, seen = [], self.seen.setdefault(address, set())
        for path in sorted((self.folder / "outbox" / "new").glob("*")):
            if path.name not in seen:
                raw = path.read_bytes()
                if address.encode() in raw.partition(b"\r\n\r\n")[0]:
                    found.append((path.name, plain(raw)))
                seen.add(path.name)
        return found


def plain(raw: bytes) -> str:
    """A message as it is compared: headers and decoded parts in their order, hashes of the journal made alike."""
    out: list[str] = []
    for part in message_from_bytes(raw, policy=policy).walk():
        out += [f"{name}: {value}" for name, value in part.items()]
        if not part.is_multipart():
            content = part.get_content()
            out.append(content.decode("utf-8", "replace") if isinstance(content, bytes) else str(content))
    return alike("\n".join(out))


def alike(text: str) -> str:
    """A text without what follows from the hash of the journal."""
    text = _SEEN.sub(r"~ seen \1 \2 H", text)
    text = _ID.sub("<M@", text)
    return _SHORT.sub("H", _HEAD.sub(r"\1-HHHH-HHHH", _HASH.sub("H", text)))


class PostPair(Pair):
    """Two worlds from one checkpoint, run through the post side by side."""

    at_end = "rounds"

    def __init__(
        self,
        game: Game,
        setup: Setup,
        moves: list[Move],
        mark: Mark,
        components: Any,
        random: Random,
        observer: str,
        folder: Path,
        result: Result,
    ) -> None:
        super().__init__(game, setup, mark, observer, components, random, result)
        self.moves, self.folder = moves, folder
        self.now = START + timedelta(hours=3)
        self.people = self._people()
        self.address = next(seat.addresses[0] for seat in self.people if seat.id == observer)
        self.release = random.choice((0, 0, 5))
        self.maps = "png" if result.pairs % MAPS == MAPS - 1 else ""
        if self.maps:  # a map takes 0.3 s to draw, and only the observer's is compared
            for seat in self.people:
                seat.attach = NOTHING if seat.id != observer else ""
        self.number = 0
        self.habits = Random(f"{game.slug} {mark.n} {observer}")
        self.screens: Screens | None = None

    @classmethod
    def fits(cls, referee: Referee, observer: str) -> bool:
        """Whether a pair of the kind can begin where this game stands."""
        return True

    def _play(self) -> None:
        """Play so many rounds in both worlds; look at all files after the first and the last."""
        hidden = self.other_state()
        self.result.changed += hidden != self.mark.state
        self.a, self.b = self._world("a", self.mark.state), self._world("b", hidden)
        self._told = [0, 0]
        self._beside = [self._referee(state) for state in (self.mark.state, hidden)]
        self.begin()
        for number in range(ROUNDS):
            self.play_round()
            if number in (0, ROUNDS - 1):
                self._look()

    def begin(self) -> None:
        """Before the first round."""
        self.post(([], []))

    def other_state(self) -> bytes:
        """The state that world B begins with."""
        return self.concealed()

    # -- the worlds ----------------------------------------------------------------------------------------------------

    def _people(self) -> list[SeatInfo]:
        """A player in each seat, in both languages; one of them has somebody who plays for him."""
        people = []
        for at, seat in enumerate(self.setup.seats):
            zone, language = ("Europe/Berlin", "en") if at % 2 else ("Asia/Tokyo", "ja")
            if seat == self.seat:
                language = self.random.choice(("en", "ja"))
            people.append(SeatInfo(seat, f"P{at}", [f"{seat.replace('_', '-')}@p.example"], zone, language))
        people[self.random.randrange(len(people))].delegates.append(Delegate("d@p.example", START))
        return people

    def _referee(self, state: bytes) -> Referee:
        mark = msgspec.structs.replace(self.mark, state=state)
        return Referee.resume(self.game, self.setup, [], mark, components=self.components)

    def _world(self, name: str, state: bytes) -> World:
        """A save that stands at the checkpoint with this state; everybody has been told what happened before."""
        folder = self.folder / name
        folder.mkdir()
        setup, mark = self.setup, self.mark
        people = [msgspec.convert(msgspec.to_builtins(seat), SeatInfo) for seat in self.people]
        clock = ClockPolicy("Europe/Berlin", dict(self.game.paces), remind=[24, 2])
        first = Session.create(
            folder / "pair.toml", self.game, setup, people, clock=clock, at=START, sender=HOME
        )
        save = first.save
        seed = bytes.fromhex(setup.seed)
        save.moves = chain.extend(chain.start(save), self.moves, seed, version=save.header.chain)
        save.header.n, save.header.q = mark.n, mark.q
        save.header.head = save.moves[-1].hash if save.moves else chain.start(save)
        save.pending, save.post.release, save.post.maps = [], self.release, self.maps
        mark, referee = msgspec.structs.replace(mark, state=state), self._referee(state)
        session = Session(first.path, self.game, setup, first.components, save, referee, mark)
        if name == "a":  # X must not notice what others have still to be told
            referee.notes += [
                Note(seat, "queue.rewound", "pass") for seat in setup.seats if seat != self.seat
            ]
        session.sync(START)
        watch(save)
        for seat in save.seats:
            seat.seen = mark.lines
            seat.told.letters, seat.told.first, seat.told.last = 1, "<first@x>", "<first@x>"
        return World(folder, self.game, session)

    # -- a round -------------------------------------------------------------------------------------------------------

    def play_round(self) -> None:
        """One question: some letters come in one world only, then those that answer, then X's own."""
        a, b = self.a.open(), self.b.open()
        if a.referee.over:
            raise End("over")
        if a.referee.asked() != b.referee.asked():
            raise Leaked("who is asked", str(a.referee.asked()), str(b.referee.asked()))
        pending = {question.seat: question for question in a.referee.pending()}
        kind = next(iter(pending.values())).kind
        self.step = f"{kind} (question {a.referee.q})"
        quiet = self.random.randrange(4)  # the world in which nobody sends anything besides, if it is 0 or 1
        secret = [[] if world == quiet else self._secrets(a, b, world) for world in (0, 1)]
        written: tuple[list[tuple[str, list[str]]], ...] = ([], [])
        for seat in a.referee.waiting():
            if seat not in b.referee.waiting():
                continue
            for at, line in enumerate(self._lines(a, b, seat, pending[seat])):
                written[at].append((seat, line))
        # A is ahead: some of what others seal has come there, and nothing of X's own.
        # Not in a negotiation: a proposal that comes in A alone would keep open what an early `done` had closed.
        sealed = any(question.sealed for question in pending.values())
        others = [mail_out for mail_out in written[0] if mail_out[0] != self.seat]
        early = others[: self.random.randrange(len(others))] if sealed and len(others) > 1 else []
        self.post((self.mails(a, [*secret[0], *early], 0), self.mails(b, secret[1], 1)))
        a, b = self.a.open(), self.b.open()
        rest = [mail_out for mail_out in written[0] if mail_out not in early]
        if a.referee.q != b.referee.q:
            raise Leaked("the question", str(a.referee.q), str(b.referee.q))
        if self.random.random() < _WISHES:
            wish = (self.seat, [f"send {self.random.choice(SEND)}"])
            rest, written = [*rest, wish], (written[0], [*written[1], wish])
        self.post((self.mails(a, rest, 0), self.mails(b, written[1], 1)))
        self.result.steps += len(written[0])

    def post(self, mails: tuple[list[Any], list[Any]]) -> None:
        """One run of the post in each world at the same time, and the comparison."""
        self.now += timedelta(hours=self.random.choice((1, 7, 26)))
        for world, some in zip((self.a, self.b), mails, strict=True):
            world.post(some, self.now)
        self.compare()

    def mails(self, session: Session, lines: list[tuple[str, list[str]]], world: int) -> list[Any]:
        """The letters: others' come at other times in each world, X's at the same."""
        mails = []
        for seat, some in lines:
            self.number += 1
            number = 0 if seat == self.seat else self.number
            minutes = 30 if seat == self.seat else self.random.randrange(1, 55)
            mails.append(letter(session, seat, some, self.now + timedelta(minutes=minutes), number=number))
        if world:
            self.random.shuffle(mails)
        return mails

    def _secrets(self, a: Session, b: Session, world: int) -> list[tuple[str, list[str]]]:
        """What others send besides, in one world or the other: X must not notice it."""
        session = (a, b)[world]
        found: list[tuple[str, list[str]]] = []
        for seat in self.setup.seats:
            if seat == self.seat or self.random.random() < 0.5:
                continue
            kind = self.random.choice(self.game.kinds or ("never",))
            lines = self.random.sample(
                [f"standing {kind}: pass if turn=99", f"ask {kind}: mine until turn 99", "99999: pass"],
                self.random.randrange(3),
            )
            third = [other for other in self.setup.seats if other not in (seat, self.seat)]
            if third and self.random.random() < 0.5:
                lines += [
                    f"BEGIN PRESS to={third[0]}",
                    "x" * self.random.randrange(1, 400),
                    "END PRESS",
                ]
            if third and isinstance(session.referee.now, Negotiate) and seat in session.referee.asked():
                lines += self._proposal(session, seat, third)
            if lines:
                found.append((seat, [*lines, *self.habits.sample(_HABITS, self.habits.randrange(2))]))
        return found

    def _proposal(self, session: Session, seat: str, third: list[str]) -> list[str]:
        """A proposal to others than X."""
        referee = session.referee
        now: Any = referee.now
        for _ in range(_TRIES):
            value: Any = referee.domain(seat).sample(sampler(self.random))
            if isinstance(value, dict) and value.get("do") == "propose":
                terms = {key: item for key, item in value.items() if key != "do"}
                if not now.public and self.seat not in now.parties(seat, terms.get("terms", terms)):
                    return [f"{referee.q}: {referee.domain(seat).text(value)}"]
        return []

    def _lines(self, a: Session, b: Session, seat: str, pending: Any) -> tuple[list[str], list[str]]:
        """How `seat` answers in each world: alike, or, if that is sealed and not X's, in its own way."""
        mine, yours = a.referee.domain(seat), b.referee.domain(seat)
        below = sampler(self.random)
        if isinstance(a.referee.now, Negotiate):
            return ([f"{a.referee.q}: done"],) * 2
        free = pending.sealed and seat != self.seat
        if free and self.random.random() < 0.3:
            values = mine.sample(below), yours.sample(below)
        else:
            value = next(
                (sample for sample in (mine.sample(below) for _ in range(_TRIES)) if yours.accepts(sample)),
                None,
            )
            if value is None:
                if seat == self.seat:
                    raise Leaked(f"{seat} may answer in A only", mine.syntax(), yours.syntax())
                if not free:
                    raise End("parted")
                values = mine.sample(below), yours.sample(below)
            else:
                values = value, value
        q = a.referee.q
        return [f"{q}: {mine.text(values[0])}"], [f"{q}: {yours.text(values[1])}"]

    # -- comparing -----------------------------------------------------------------------------------------------------

    def compare(self) -> None:
        """All that X gets, in both worlds. Raises `Leaked` or `End` where they differ."""
        a, b = self.a.open(), self.b.open()
        self._lines_alike(a, b)
        for address in (self.address, ADDRESS):
            one, other = self.a.fresh(address), self.b.fresh(address)
            if [name for name, _ in one] != [name for name, _ in other]:
                raise Leaked("letters", str([name for name, _ in one]), str([name for name, _ in other]))
            for (name, mine), (_, yours) in zip(one, other, strict=True):
                _same(f"letter {name}", mine, yours)
        for what, of in (("status", self._status), ("view file", self._file)):
            _same(what, of(a), of(b))
        _same("pages", self.a.onlookers.got(), self.b.onlookers.got())

    def _look(self) -> None:
        """Compare the screens of both saves as X sees them."""
        if self.screens is not None:
            one, other = (self.screens(world.path, self.seat, self.now) for world in (self.a, self.b))
            for room in one:
                _same(f"screen {room}", alike(one[room]), alike(other[room]))

    def _lines_alike(self, a: Session, b: Session) -> None:
        """What is told may differ only in a line from which X learns by a rule."""
        told: list[list[Any]] = []
        for at, session in enumerate((a, b)):
            beside = self._beside[at]  # a save that is opened knows no line from before its last checkpoint
            beside.replay(session.moves()[beside.n :])
            lines = beside.table.lines[self._told[at] :]
            told.append([(line, args) for line in lines if (args := read(line, self.seat)) is not None])
        for at in range(max(map(len, told))):
            pair = [some[at] if at < len(some) else None for some in told]
            if None not in pair and _line(pair[0]) == _line(pair[1]):
                continue
            lines = [side[0] for side in pair if side is not None]
            if may_be_learnt(self.game, *lines):
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
        return str((header.n, header.q, header.over, header.clock, header.result, asked))

    def _file(self, session: Session) -> str:
        info = session.save.seat(self.seat)
        frame = full_frame(session, info, course=[])
        lines = session.referee.table.lines
        return alike(str(view_file(session.referee, self.seat, frame=frame, lines=lines)))


def _line(one: Any) -> Any:
    line, args = one
    return line.key, args, line.rule, line.n


def _same(what: str, a: str, b: str) -> None:
    if a != b:
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        cut = slice(max(0, at - 80), at + 80)
        raise Leaked(what, a[cut], b[cut])


# Pairs of worlds that differ in settings alone.

_CHAIN = 40
"""Questions in a row that settings may answer."""

_SETTINGS = ("ask all: never", "standing all: pass")


class SettingsPair(PostPair):
    """Two worlds of the same state, and the seat that may not tell who has settings."""

    @classmethod
    def fits(cls, referee: Referee, observer: str) -> bool:
        """Whether X is asked something together with others: there a setting of theirs could show."""
        asked = referee.asked()
        return referee.talk is None and observer in asked and len(asked) > 1

    def other_state(self) -> bytes:
        return self.mark.state

    given = 0
    """Answers that settings have given in A."""

    def run(self) -> None:
        super().run()
        self.result.changed += bool(self.given)

    def begin(self) -> None:
        """In A, all but X send their settings."""
        a = self.a.open()
        kinds = {asked.seat: asked.kind for asked in a.referee.pending()}
        lines = [
            (seat, [self.random.choice([*_SETTINGS, *self._standing(a, seat, kinds.get(seat, ""))])])
            for seat in self.setup.seats
            if seat != self.seat
        ]
        self.post((self.mails(a, lines, 0), []))

    def _standing(self, a: Session, seat: str, kind: str) -> list[str]:
        """Standing answers for the kind of question that is open to a seat."""
        if not kind or a.referee.talk is not None:
            return []
        domain = a.referee.domain(seat)
        return [f"standing {kind}: {domain.text(domain.sample(sampler(self.random)))}" for _ in _SETTINGS]

    def play_round(self) -> None:
        """Everybody who is still asked in A answers in both worlds at the same time."""
        a, b = self.a.open(), self.b.open()
        if a.referee.over:
            raise End("over")
        pending = {asked.seat: asked for asked in a.referee.pending()}
        self.step = f"{next(iter(pending.values())).kind} (question {a.referee.q})"
        lines = [(seat, [self._answer(a, seat)]) for seat in a.referee.waiting()]
        self.post((self.mails(a, lines, 0), self.mails(b, lines, 1)))
        self.result.steps += len(lines)

    def _answer(self, a: Session, seat: str) -> str:
        referee = a.referee
        value = "done" if referee.talk is not None else referee.domain(seat).sample(sampler(self.random))
        return f"{referee.q}: {referee.domain(seat).text(value)}"

    def compare(self) -> None:
        """Let the others write in B what their settings have answered in A; then compare."""
        for _ in range(_CHAIN):
            b = self.b.open()
            lines = self._given(self.a.open(), b)
            if not lines:
                break
            if self.seat not in b.referee.asked():
                raise End("time tells")  # X sees that a question was answered in the run that put it
            self.given += len(lines)
            self.b.post(self.mails(b, lines, 1), self.now)
        asked = [(world.open().referee.q, world.open().referee.asked()) for world in (self.a, self.b)]
        if asked[0] != asked[1]:
            raise Leaked("the question", str(asked[0]), str(asked[1]))
        super().compare()

    def _given(self, a: Session, b: Session) -> list[tuple[str, list[str]]]:
        """The answers of others to B's question that A has already."""
        q, found = b.referee.q, dict[str, Any]()
        found |= {move.seat: move.answer for move in a.moves() if move.q == q}
        found |= {seat: move.answer for seat, move in a.referee.sealed.items() if move.q == q}
        return [
            (seat, [f"{q}: {b.referee.domain(seat).text(found[seat])}"])
            for seat in b.referee.waiting()
            if seat != self.seat and seat in found
        ]
