"""How many rounds of mail a game takes: simulated people play it, each by his habits, in simulated time.

A *round* is one exchange: letters go out, the awaited answers come back. Answers are random legal ones, or those of
understudies. Who writes his whole turn at once needs no new round for the questions that follow his answer, until
something happens that he could not know when he wrote (`Table.surprise`): lines in the queue are held then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from statistics import median, quantiles
from typing import Any

import msgspec

from games import load as load_game
from pbem.bot import Effort, Position, choose
from pbem.bot.search import below
from pbem.dev.workers import map_parallel
from pbem.kernel import change_guard
from pbem.kernel.domains import PASS, WAIT, EarlyAnswer, Value
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import CheckpointRecord
from pbem.kernel.negotiation import DONE
from pbem.kernel.questions import MODERATOR, REACTION, Ask, AskAll, Negotiate, Window
from pbem.kernel.referee import Referee, components_of
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


HABITS = {
    "cautious": PlayerHabits(whole=0.5, passes=0.75, quiet=0.1, early=0.1, stands=0, waits=0.25, foresees=0),
    "usual": PlayerHabits(),
    "eager": PlayerHabits(
        whole=1.0, passes=0.95, offers=0.1, quiet=0.8, early=0.6, stands=0.6, waits=0.02, foresees=0.6
    ),
}
"""Habits by the names under which the command line offers them."""


class Tempo(msgspec.Struct):
    """Of some games: rounds, days, letters a seat; `kinds` counts the rounds by the question that took them."""

    rounds: list[int] = []
    days: list[float] = []
    letters: list[float] = []
    kinds: Counter[str] = msgspec.field(default_factory=Counter)

    def add(self, other: Tempo) -> None:
        """Put other games behind these."""
        self.rounds += other.rounds
        self.days += other.days
        self.letters += other.letters
        self.kinds.update(other.kinds)

    def line(self) -> dict[str, float]:
        """Medians, and the 90th percentile of the days."""
        late = quantiles(self.days, n=10)[-1] if len(self.days) > 1 else self.days[0]
        return {
            "rounds": median(self.rounds),
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

    With an `effort` understudies answer what is not passed, else chance does.
    """
    found = Tempo()
    if jobs > 1:
        tasks = ((game.slug, players, habits, dict(options), seed, effort, number) for number in range(games))
        each = map_parallel(_one_by_slug, tasks, jobs=jobs)
    else:
        components = components_of(game, {})[1]
        each = (
            _one(game, components, players, habits, options, seed, effort, number) for number in range(games)
        )
    for done, tempo in enumerate(each, 1):
        found.add(tempo)
        progress(done)
    return found


def _one_by_slug(task: tuple[str, int, PlayerHabits, dict[str, Any], int, Effort | None, int]) -> Tempo:
    """In a worker."""
    slug, players, habits, options, seed, effort, number = task
    return _one(load_game(slug), _components(slug), players, habits, options, seed, effort, number)


def _one(
    game: Game,
    components: Any,
    players: int,
    habits: PlayerHabits,
    options: Mapping[str, Any],
    seed: int,
    effort: Effort | None,
    number: int,
) -> Tempo:
    random = Random(f"tempo {game.slug} {seed} {number}")
    scenario = game.scenarios[0]
    seats = scenario.seats[players]
    setup = Setup(game.slug, seats, random.randbytes(32).hex(), scenario.id, game.with_defaults(options))
    marks: list[CheckpointRecord] = []
    referee = Referee.new(game, setup, components=components, on_mark=marks.append)
    found = Tempo()
    _Mail(referee, habits, random, effort).play(found)
    return found


@lru_cache(maxsize=4)
def _components(slug: str) -> Any:
    return components_of(load_game(slug), {})[1]


class _Surprises(set[str]):
    """`Table.held`, which also takes the surprised seats out of those who wrote ahead, unless `foreseen` by them."""

    def __init__(self, foreseen: Callable[[str], bool], *ahead: set[str]) -> None:
        self.foreseen = foreseen
        self.ahead = ahead

    def update(self, *seats: Iterable[str]) -> None:
        super().update(*seats)
        surprised = [seat for some in seats for seat in sorted(some) if not self.foreseen(seat)]
        for ahead in self.ahead:
            ahead.difference_update(surprised)


class _Mail:
    """One game by mail. `now` is the hour; `ahead` are the seats whose last letter went on past their answer.

    The queue of him whose turn it is waits while others react, and goes on. `replied` are those whose last letter was a
    reaction that went on: it answers the reactions that follow, not their next turn.
    """

    def __init__(
        self, referee: Referee, habits: PlayerHabits, random: Random, effort: Effort | None = None
    ) -> None:
        self.referee, self.habits, self.random, self.effort = referee, habits, random, effort
        self.draw = below(random)
        self.hours = {seat: self._hours() for seat in (*referee.table.seats, MODERATOR)}
        self.now = 0.0
        self.rounds = 0
        self.letters: Counter[str] = Counter()
        self.ahead: set[str] = set()
        self.replied: set[str] = set()
        self.told = self._facts()
        referee.table.held = _Surprises(self._foreseen, self.ahead, self.replied)

    def _foreseen(self, seat: str) -> bool:
        """Whether a branch of the seat's plan names what has happened."""
        return seat in self.referee.table.came and self.random.random() < self.habits.foresees

    def _hours(self) -> Sequence[float]:
        return sorted(_DAY * self.random.random() for _ in range(self.habits.reads))

    def play(self, found: Tempo) -> None:
        """Play to the end, and note what it took."""
        referee = self.referee
        while referee.now is not None and self.rounds < _MOST:
            waiting = referee.waiting()
            kind = _kind(referee.now, waiting[0])
            reaction = _reaction(referee.now)
            if set(waiting) <= (self.ahead | self.replied if reaction else self.ahead):
                if not reaction:
                    self.ahead.intersection_update(waiting)  # the others did not know of this when they wrote
                    self.replied.clear()
                for seat in waiting:
                    self._answer(seat)
                continue
            if self._wrote_early(waiting):
                self.ahead.clear()
                self.replied.clear()
                self.ahead.update(waiting)
                continue
            self.told = self._facts()
            extra = self._extra()
            if extra is None:
                for seat in waiting:
                    self._answer(seat)
                continue
            self.rounds += 1 + extra
            found.kinds[kind] += 1 + extra
            read = {seat: self._reads(seat) for seat in waiting}
            if not reaction:
                self.ahead.clear()
            self.replied.clear()
            for seat in sorted(waiting, key=read.__getitem__):
                self.letters[seat] += 1 + extra
                if self.random.random() < self.habits.whole:
                    (self.replied if reaction else self.ahead).add(seat)
                self._answer(seat)
            self.now = max(read.values()) + extra * _DAY / self.habits.reads
        found.rounds.append(self.rounds)
        found.days.append(self.now / _DAY)
        found.letters.append(sum(self.letters.values()) / len(self.referee.table.seats))

    def _facts(self) -> dict[str, str]:
        """What is known in public of each space when the letters of a round go out."""
        return (
            change_guard.public_facts(self.referee.game.view(self.referee.table, ""))
            if self.habits.early
            else {}
        )

    def _wrote_early(self, waiting: Sequence[str]) -> bool:
        """Whether the turn that begins has been sent with the letters of this round; then it is answered."""
        referee, ask = self.referee, self.referee.now
        if not isinstance(ask, Ask) or ask.pace != "turn" or self.random.random() >= self.habits.early:
            return False
        value = self._thought(ask.seat)
        domain = referee.domain(ask.seat)
        watched = change_guard.facts_named_in(domain.text(value), self.told, referee.names)
        if change_guard.changed_facts(watched, referee.game.view(referee.table, "")):
            return False
        referee.submit(ask.seat, value)
        return True

    def _reads(self, seat: str) -> float:
        """When the seat next reads its mail and writes."""
        at = self.now
        while True:
            day, hour = divmod(at, _DAY)
            later = [free for free in self.hours[seat] if free > hour]
            at = day * _DAY + later[0] if later else (day + 1) * _DAY + self.hours[seat][0]
            if self.random.random() >= self.habits.skips:
                return at

    def _extra(self) -> int | None:
        """Rounds beside the one that a question takes; None if it takes none."""
        if not isinstance(self.referee.now, Negotiate):
            return 0
        if self.random.random() < self.habits.offers:
            return 2
        return None if self.random.random() < self.habits.quiet else 0

    def _answer(self, seat: str) -> None:
        referee = self.referee
        value: Value
        if referee.talk is not None:
            value = DONE
        elif isinstance(referee.now, Window) and self.random.random() < self.habits.passes:
            value = PASS
            if self.random.random() < self.habits.stands:
                self._stands(seat, referee.now.kind, PASS)
        else:
            value = self._thought(seat)
            domain = referee.domain(seat)
            if domain.stands and referee.now is not None and self.random.random() < self.habits.stands:
                self._stands(seat, _kind(referee.now, seat), domain.text(value))
        referee.table.came.clear()
        referee.submit(seat, value)

    def _thought(self, seat: str) -> Value:
        """What the seat answers: by an understudy, or at random; of lists the longest of some."""
        referee = self.referee
        if self.effort is not None and seat != MODERATOR:
            return choose(Position.of(referee), seat, self.effort)
        domain = referee.domain(seat)
        if isinstance(domain, EarlyAnswer):
            if self.random.random() < self.habits.waits:
                return WAIT
            domain = domain.inner
        value = domain.sample(self.draw)
        if isinstance(value, list):
            value = max([value, *(domain.sample(self.draw) for _ in range(_DRAFTS))], key=len)
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
