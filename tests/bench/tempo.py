"""How many rounds of mail a game takes: simulated people play it, each by his habits, in simulated time.

A *round* is one exchange: letters go out, the awaited answers come back. Answers are random legal ones, or those of
bots. Who writes his whole turn at once needs no new round for the questions that follow his answer, until
something happens that he could not know when he wrote (`Table.surprise`): lines in the queue are held then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from random import Random
from statistics import median, quantiles
from typing import Any

import msgspec

from pbem.bot import Effort, Position, choose
from pbem.bot.worlds import below
from pbem.dev.workers import map_parallel
from pbem.kernel import advance_orders
from pbem.kernel.domains import PASS, WAIT, Domain, EarlyAnswer, Value
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import CheckpointRecord
from pbem.kernel.negotiation import DONE
from pbem.kernel.questions import MODERATOR, REACTION, Ask, AskAll, Negotiate, Window
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import Condition, StandingRule

_DAY = 24.0
_DRAFTS = 5
"""How many lists are thought of; the longest is sent."""

_MOST = 20_000
"""Rounds after which a game is given up."""


class PlayerHabits(msgspec.Struct, frozen=True):
    """What people do: `reads` a day at hours of their own, `skips` of them left out, `passes` of all windows passed.

    `whole` is the share of letters in which the lines that follow are written too. `early` is that of turns written
    while the turn before is awaited; they are played unless what they name has changed meanwhile (`kernel.brake`). In
    `offers` of all negotiations somebody makes an offer, which takes two rounds more; where nobody does, `quiet` of
    them take no round, because all have said beforehand that they are done unless offered something. `stands` is the
    share of passes, and of orders of tied houses, that hold for the rest of the turn (a standing answer). `waits` of
    those who are asked before their turn want to see first what happens. Of surprises that a branch of a plan can name
    (`if lost: …`), who wrote his whole turn `foresees` so many. Lists of what one does are written in full.

    `form` is the share of turns written ahead whose first question the last letters asked too (`next: ?`). `joined`: a
    partner is named with the first offer or not at all, and who writes his whole turn names his discards with his call,
    and the card to lose with his vote.

    `named`: who writes their whole turn names the use of a command card with it (`gruuthuse then event`), whoever acts
    first; nobody else does.

    `policy` is the share of emails whose offer of a policy is taken (`Game.policies`): windows of that impulse that are
    passed anyway take no round then, and a sheet (all offices, all theaters) answers its questions.
    """

    reads: int = 2
    skips: float = 0.1
    passes: float = 0.85
    whole: float = 0.8
    offers: float = 0.2
    quiet: float = 0.4
    early: float = 0.3
    stands: float = 0.3
    waits: float = 0.1
    foresees: float = 0.3
    form: float = 0.6
    joined: bool = True
    named: bool = True
    policy: float = 0.6


ASKED = {"policy": 0.0}
"""The habits of the same people without policies."""
UNNAMED = {"named": False}
"""The habits of the same people without the next turn in the line of an answer."""
BEFORE = {"form": 0.3, "joined": False, **ASKED, **UNNAMED}
"""The habits of the same people without the form of the next turn, without joined answers and policies."""
HABITS = {
    "cautious": PlayerHabits(
        whole=0.5, passes=0.75, quiet=0.1, early=0.1, stands=0, waits=0.25, foresees=0, form=0.3, policy=0.3
    ),
    "usual": PlayerHabits(),
    "eager": PlayerHabits(
        whole=1.0, passes=0.95, offers=0.1, quiet=0.8, early=0.6, stands=0.6, waits=0.02, foresees=0.6, form=0.8,
        policy=0.8,
    ),
}  # fmt: skip
"""Habits by the names under which the command line offers them."""

_SHEETS = {"conquer": ("conquer", "unflag", "fort_fleet", "spoils_unflag"), "bid": ("bid", "officer")}
"""Kinds of questions that a sheet answers, by the kind that its email offers an order for."""

_NAMES = ("command", "spring")
"""Sealed questions in the line of whose answer the next turn can begin (`answer then …`), for all who answer."""

_STANDS_FOR = {"use": "action"}
"""Kinds of forms → the question that a line answers instead, if theirs isn't asked (`Table.only`)."""


class _Form(msgspec.Struct):
    """The first question of a seat's next turn, what it accepts, and the public facts when an email asked it.

    Who was asked then doesn't answer it in the same turn (`past`). `lines`: of so many turns it still is the form.
    """

    kind: str
    domain: Domain
    told: dict[str, str]
    past: list[tuple[str, dict[str, Any]]]
    lines: int


class Tempo(msgspec.Struct):
    """Of some games: rounds, days, letters a seat, turns; `kinds` counts the rounds by the question that took them.

    Of these rounds `alone` waited for one seat, and in `passed` windows everybody passed. `forced` counts the questions
    with one possible answer.
    """

    rounds: list[int] = []
    days: list[float] = []
    letters: list[float] = []
    turns: list[int] = []
    kinds: Counter[str] = msgspec.field(default_factory=Counter)
    alone: Counter[str] = msgspec.field(default_factory=Counter)
    passed: Counter[str] = msgspec.field(default_factory=Counter)
    forced: Counter[str] = msgspec.field(default_factory=Counter)

    def add(self, other: Tempo) -> None:
        """Put other games behind these."""
        self.rounds += other.rounds
        self.days += other.days
        self.letters += other.letters
        self.turns += other.turns
        for name in ("kinds", "alone", "passed", "forced"):
            getattr(self, name).update(getattr(other, name))

    def line(self) -> dict[str, float]:
        """Medians, and the 90th percentile of the days."""
        late = quantiles(self.days, n=10)[-1] if len(self.days) > 1 else self.days[0]
        return {
            "rounds": median(self.rounds),
            "rounds_a_turn": sum(self.rounds) / sum(self.turns),
            "days": median(self.days),
            "days_p90": late,
            "letters_a_seat": median(self.letters),
        }


def measure(
    game: Game,
    players: int,
    games: int,
    habits: PlayerHabits,
    options: Mapping[str, Any],
    *,
    seed: int = 0,
    effort: Effort | None = None,
    progress: Callable[[int], None] = lambda done: None,
    jobs: int = 1,
) -> Tempo:
    """Play games to their end. Game number i of a seed is always the same, over however many `jobs` they are spread.

    With an `effort` bots answer what is not passed, else chance does.
    """
    found = Tempo()
    play = partial(_one, game, players, habits, dict(options), seed, effort)
    for done, tempo in enumerate(map_parallel(play, range(games), jobs=jobs), 1):
        found.add(tempo)
        progress(done)
    return found


def _one(
    game: Game,
    players: int,
    habits: PlayerHabits,
    options: Mapping[str, Any],
    seed: int,
    effort: Effort | None,
    number: int,
) -> Tempo:
    key = f"tempo {game.slug} {seed} {number}"
    random = Random(key)
    scenario = game.scenarios[0]
    seats = scenario.seats[players]
    setup = Setup(game.slug, seats, random.randbytes(32).hex(), scenario.id, game.with_defaults(options))
    marks: list[CheckpointRecord] = []
    referee = Referee.new(game, setup, on_mark=marks.append)
    found = Tempo()
    _Mail(referee, habits, key, effort).play(found)
    return found


class _Surprises(set[str]):
    """`Table.held`, which also takes the surprised seats out of those who wrote ahead, unless `foreseen` by them.

    `seen` collects the surprised seats.
    """

    def __init__(self, foreseen: Callable[[str], bool], seen: set[str], *ahead: set[str]) -> None:
        self.foreseen = foreseen
        self.seen = seen
        self.ahead = ahead

    def update(self, *seats: Iterable[str]) -> None:
        held = {seat for some in seats for seat in some}
        super().update(held)
        surprised = [seat for seat in sorted(held) if not self.foreseen(seat)]
        self.seen.update(surprised)
        for ahead in self.ahead:
            ahead.difference_update(surprised)


class _Mail:
    """One game by mail. `now` is the hour; `ahead` are the seats whose last letter went on past their answer.
    `named` has who answered a question of `_NAMES`: what was known when they began the next turn with it, None if they
    didn't.

    The queue of him whose turn it is waits while others react, and goes on. `replied` are those whose last letter was a
    reaction that went on: it answers the reactions that follow, not their next turn. Each draw follows from `key`, the
    question, the seat and its purpose, so other habits that don't change answers play the same game.
    """

    def __init__(self, referee: Referee, habits: PlayerHabits, key: str, effort: Effort | None = None) -> None:
        self.referee, self.habits, self.key, self.effort = referee, habits, key, effort
        self.hours = {seat: self._hours(seat) for seat in (*referee.table.seats, MODERATOR)}
        self.now = 0.0
        self.rounds = 0
        self.letters: Counter[str] = Counter()
        self.chosen: dict[tuple[int, str], Value] = {}
        self.ahead: set[str] = set()
        self.replied: set[str] = set()
        self.surprised: set[str] = set()
        self.told = self._facts()
        self.forms: dict[str, _Form] = {}
        self.forms = self._forms()
        self.policies: set[tuple[str, str, str]] = set()
        self.named: dict[str, dict[str, str] | None] = {}
        referee.table.held = _Surprises(self._foreseen, self.surprised, self.ahead, self.replied)

    def _random(self, purpose: str, seat: str = "") -> Random:
        return Random(f"{self.key} {self.referee.q} {seat} {purpose}")

    def _happens(self, share: float, purpose: str, seat: str = "") -> bool:
        return self._random(purpose, seat).random() < share

    def _foreseen(self, seat: str) -> bool:
        """Whether a branch of the seat's plan names what has happened."""
        return seat in self.referee.table.came and self._happens(self.habits.foresees, "foresees", seat)

    def _hours(self, seat: str) -> Sequence[float]:
        random = self._random("hours", seat)
        return sorted(_DAY * random.random() for _ in range(self.habits.reads))

    def play(self, found: Tempo) -> None:
        """Play to the end, and note what it took."""
        referee = self.referee
        while referee.now is not None and self.rounds < _MOST:
            waiting = referee.waiting()
            reaction = _reaction(referee.now)
            known = self.ahead | self.replied if reaction else self.ahead
            if all(seat in known or self._passes_unasked(seat) or self._wrote_early(seat) for seat in waiting):
                if not reaction:
                    self.ahead.clear()  # the others did not know of this when they wrote
                    self.replied.clear()
                    self.ahead.update(waiting)
                for seat in waiting:
                    self._answer(seat)
                continue
            self._round(waiting, reaction, found)
        found.rounds.append(self.rounds)
        found.days.append(self.now / _DAY)
        found.letters.append(sum(self.letters.values()) / len(self.referee.table.seats))
        found.turns.append(int(referee.game.calendar(referee.table.state).get("turn", 1)))

    def _round(self, waiting: Sequence[str], reaction: bool, found: Tempo) -> None:
        """Ask by mail, unless the question takes no round, and answer."""
        self.told = self._facts()
        self.forms = self._forms()
        for seat in self.surprised:
            self.named.pop(seat, None)
        self.surprised.clear()
        extra = self._extra(waiting)
        if extra is None:
            for seat in waiting:
                self._answer(seat)
            return
        self.rounds += 1 + extra
        self._count(waiting, 1 + extra, found)
        read = {seat: self._reads(seat) for seat in waiting}
        if not reaction:
            self.ahead.clear()
        self.replied.clear()
        said = set()
        for seat in sorted(waiting, key=read.__getitem__):
            self.letters[seat] += 1 + extra
            whole = self._happens(self.habits.whole, "whole", seat)
            if whole:
                (self.replied if reaction else self.ahead).add(seat)
            window, kind = isinstance(self.referee.now, Window), self._kind(seat)
            passes = self._answer(seat) == PASS
            said.add(passes and window)
            if kind in _NAMES and self.habits.named and not passes and seat in self.forms:
                self.named[seat] = self.told if whole else None
        if said == {True}:
            found.passed[kind] += 1
        self.now = max(read.values()) + extra * _DAY / self.habits.reads

    def _count(self, waiting: Sequence[str], rounds: int, found: Tempo) -> None:
        kind = self._kind(waiting[0])
        found.kinds[kind] += rounds
        if len(self.referee.asked()) == 1:
            found.alone[kind] += rounds
        now = self.referee.now
        if isinstance(now, Ask) and len([*islice(self.referee.domain(now.seat).options(), 2)]) == 1:
            found.forced[kind] += 1

    def _kind(self, seat: str) -> str:
        assert self.referee.now is not None
        return _kind(self.referee.now, seat)

    def _facts(self) -> dict[str, str]:
        """What is known in public of each space when the letters of a round go out."""
        early = self.habits.early or self.habits.form
        return advance_orders.public_facts(self.referee.game.view(self.referee.table, "")) if early else {}

    def _forms(self) -> dict[str, _Form]:
        """By seat the question of its next turn that its last letters asked, and what it accepts.

        What was asked in a letter before waits too, unless a surprise has put it on hold.
        """
        found = {seat: form for seat, form in self.forms.items() if seat not in self.surprised}
        for seat in self.referee.table.seats if self.habits.form else ():
            later = self.referee.next_turn(seat)
            if later is not None:
                past = self.referee.table.trail[:1] if seat in self.referee.asked() else []
                lines = 1 if past else self.referee.game.turns_ahead
                found[seat] = _Form(later.pending()[0].kind, later.domain(seat), self.told, past, lines)
        return found

    def _form(self, seat: str) -> _Form | None:
        """Return the form that the open question to a seat answers: not one for a turn after this."""
        form = self.forms.get(seat)
        if form is None or isinstance(self.referee.now, Window | Negotiate):
            return None
        past = bool(form.past) and form.past == self.referee.table.trail[:1]
        return form if self._kind(seat) in (form.kind, _STANDS_FOR.get(form.kind)) and not past else None

    def _wrote_early(self, seat: str) -> bool:
        """Whether the answer has been sent with the letters of this round."""
        referee, habits, now = self.referee, self.habits, self.referee.now
        if self._has_policy(seat):
            return not isinstance(now, Window)
        form = self._form(seat)
        if seat in self.surprised or not (form or (isinstance(now, Ask) and now.pace == "turn")):
            return False
        told = form.told if form else self.told
        if form and seat in self.named:
            early, told = self.named[seat] is not None, self.named[seat] or {}
        else:
            early = self._happens(habits.form if form else habits.early, "early", seat)
        if not early:
            return False
        value = self._thought(seat)
        if form and not form.domain.accepts(value):
            return False
        watched = advance_orders.facts_named_in(referee.domain(seat).text(value), told, referee.names)
        return not advance_orders.changed_facts(watched, referee.game.view(referee.table, ""))

    def _moments(self) -> tuple[str, str]:
        """Return how long policies hold: to the end of the turn, or of the impulse."""
        clock = self.referee.game.calendar(self.referee.table.state)
        return f"{clock.get('turn')}", f"{clock.get('turn')} {clock.get('impulse')}"

    def _has_policy(self, seat: str) -> bool:
        asked = self._kind(seat)
        return any(
            (seat, kind, moment) in self.policies
            for moment in self._moments()
            for kind in (asked, *_SHEETS)
            if asked in _SHEETS.get(kind, (asked,))
        )

    def _passes_unasked(self, seat: str) -> bool:
        """Whether the seat passes by a policy. Who would rather react in this window has none."""
        return isinstance(self.referee.now, Window) and self._passes(seat) and self._has_policy(seat)

    def _passes(self, seat: str) -> bool:
        return self._happens(self.habits.passes, "passes", seat)

    def _take_policies(self, seat: str) -> None:
        """Send the policies that the email offers next to its question; with a window, who passes it."""
        referee = self.referee
        window = isinstance(referee.now, Window)
        if window and not self._passes(seat):
            return
        offered = referee.game.policies(referee.table, seat, self._kind(seat)) if referee.talk is None else ()
        moments = self._moments()
        for line in offered:
            moment, kinds = moments["impulse=" in line], line.partition(":")[0].removeprefix("standing ").split(", ")
            # Who doesn't pass a turn's windows by the first email that offers it doesn't by the next either.
            again = moment == moments[0] and not _SHEETS.keys() & {*kinds}
            draw = Random(f"{self.key} {seat} policy {moment}") if again else self._random("policy", seat)
            if window:
                draw = self._random("stands", seat)  # who passes for the rest of the turn needs no policy
            if draw.random() < self.habits.policy:
                self.policies.update((seat, kind, moment) for kind in kinds)

    def _reads(self, seat: str) -> float:
        """When the seat next reads its mail and writes."""
        at, random = self.now, self._random("reads", seat)
        while True:
            day, hour = divmod(at, _DAY)
            later = [free for free in self.hours[seat] if free > hour]
            at = day * _DAY + later[0] if later else (day + 1) * _DAY + self.hours[seat][0]
            if random.random() >= self.habits.skips:
                return at

    def _extra(self, waiting: Sequence[str]) -> int | None:
        """Rounds next to the one that a question takes; None if it takes none."""
        habits, kind = self.habits, self._kind(waiting[0])
        if habits.joined and kind in ("discard", "lost") and "call" in self.referee.game.question_kinds:
            return None if all(self._happens(habits.whole, "joined", seat) for seat in waiting) else 0
        if not isinstance(self.referee.now, Negotiate):
            return 0
        offers = self._happens(habits.offers, "offers")
        if habits.joined and "partner" in self.referee.game.question_kinds:
            return 0 if offers else None  # who has nothing to offer names nobody
        if offers:
            return 2
        return None if self._happens(habits.quiet, "quiet") else 0

    def _answer(self, seat: str) -> Value:
        referee, stands = self.referee, self._happens(self.habits.stands, "stands", seat)
        if self._kind(seat) in _NAMES:
            self.named.pop(seat, None)
        value: Value
        self._take_policies(seat)
        if referee.talk is not None:
            value = DONE
        elif isinstance(referee.now, Window) and self._passes(seat):
            value = PASS
            if stands:
                self._stands(seat, referee.now.kind, PASS)
        else:
            value = self._thought(seat)
            domain = referee.domain(seat)
            if domain.stands and stands:
                self._stands(seat, self._kind(seat), domain.text(value))
        referee.table.came.clear()
        if (form := self._form(seat)) is not None:
            form.past, form.lines = self.referee.table.trail[:1], form.lines - 1
            if not form.lines:
                del self.forms[seat]
            self.named.pop(seat, None)
        referee.submit(seat, value)
        return value

    def _thought(self, seat: str) -> Value:
        """What the seat answers: by a bot, or at random; of lists the longest of some."""
        referee = self.referee
        if self.effort is not None and seat != MODERATOR:
            if (referee.q, seat) not in self.chosen:
                self.chosen = {(referee.q, seat): choose(Position.of(referee), seat, self.effort)}
            return self.chosen[referee.q, seat]
        domain = referee.domain(seat)
        if isinstance(domain, EarlyAnswer):
            if self._happens(self.habits.waits, "waits", seat):
                return WAIT
            domain = domain.inner
        draw = below(self._random("answer", seat))
        value = domain.sample(draw)
        if isinstance(value, list):
            value = max([value, *(domain.sample(draw) for _ in range(_DRAFTS))], key=len)
        return value

    def _stands(self, seat: str, kind: str, text: str) -> None:
        """Answer all such questions in the same way until the next turn begins."""
        referee = self.referee
        turn = referee.game.calendar(referee.table.state).get("turn")
        if turn is not None:
            until = (Condition("turn", ">=", str(turn + 1)),)
            referee.standing[:] = [
                standing for standing in referee.standing if (standing.seat, standing.kind) != (seat, kind)
            ]
            referee.standing.append(StandingRule(seat, kind, text, until=until))


def _reaction(now: Ask | AskAll | Window | Negotiate | None) -> bool:
    """Whether others are asked in the midst of a turn."""
    asks = now.asks.values() if isinstance(now, AskAll) else (now,)
    return isinstance(now, Window) or all(ask is not None and ask.pace == REACTION for ask in asks)


def _kind(now: Ask | AskAll | Window | Negotiate, seat: str) -> str:
    return now.asks[seat].kind if isinstance(now, AskAll) else now.kind
