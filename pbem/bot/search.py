"""Choose an answer: a sieve over many candidates, then sequential halving over random play-outs.

The sieve plays each candidate in the same imagined worlds and evaluates the position at once. The best of them are
played out, also in the same worlds, and the weaker half is dropped each round (Karnin, Koren, Somekh 2013). Many
candidates once beat a few candidates often; a tree has nothing to grow on with so few play-outs.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle, islice, zip_longest
from random import Random
from time import perf_counter

import msgspec

from pbem.bot.deals import negotiate
from pbem.bot.worlds import WRONG, Position, below, near_horizon, play_on, sample_world, settled, standing
from pbem.kernel.domains import PASS, Below, Domain, Menu, Value
from pbem.kernel.game import Evaluation
from pbem.kernel.journal import PendingQuestion
from pbem.kernel.referee import Referee

# The answers that are judged: all of them if they are few, else some of each kind of act.

_DRAWS = 3
"""Samples drawn for each candidate that is wanted."""


def act_of(value: Value) -> str:
    """Return the kind of an answer: its word, without what it is done with; the length of a list."""
    if isinstance(value, dict):
        return str(value.get("do") or next(iter(value), ""))
    return str(len(value)) if isinstance(value, list) else str(value)


def candidates(
    domain: Domain, default: Value | None, most: int, draw: Below, barred: Collection[str] = (),
    ideas: Iterable[Value] = (),
) -> list[Value]:  # fmt: skip
    """Return up to `most` answers: default, `pass`, `ideas` first, `barred` acts only if there is nothing else.

    Words of a menu take turns, so that an act with hundreds of forms doesn't crowd the others out.
    """
    few = list(islice(domain.options(), most + 1))
    drawn = few if len(few) <= most else _by_kind(domain, most * _DRAWS, draw)
    found: dict[str, Value] = {}
    likely = [value for value in ideas if domain.accepts(value)]
    for value in (*always(domain, default), *likely[: most // 2], *drawn):
        if len(found) == most:
            break
        if act_of(value) not in barred:
            found.setdefault(repr(value), value)
    return list(found.values()) or [domain.sample(draw)]


def always(domain: Domain, default: Value | None) -> list[Value]:
    """Return the default and `pass`, where they are legal: an answer that waits is judged to the end."""
    return [value for value in (default, PASS) if value is not None and domain.accepts(value)]


def free_acts_done(position: Position, seat: str, kind: str) -> set[str]:
    """Return the seat's free acts since its last other answer to such questions: they need no second time."""
    done = set[str]()
    for move in reversed(position.recent):
        if (move.seat, move.kind) == (seat, kind):
            act = act_of(move.answer)
            if act not in position.game.free_acts:
                break
            done.add(act)
    return done


def _by_kind(domain: Domain, count: int, draw: Below) -> Iterator[Value]:
    """Yield up to `count` samples, one of each kind in turn."""
    inner = getattr(domain, "inner", domain)
    if isinstance(inner, Menu):
        for word in islice(cycle(inner.words), count):
            behind = inner.entry(word)
            yield word if behind is None else inner.outer(word, behind, behind.sample(draw))
        return
    groups: dict[str, list[Value]] = {}
    for _ in range(count):
        value = domain.sample(draw)
        groups.setdefault(act_of(value), []).append(value)
    for row in zip_longest(*groups.values()):
        yield from (value for value in row if value is not None)


class Effort(msgspec.Struct, frozen=True):
    """How hard to think: play-outs in units of `Game.play_outs`, or seconds for a choice (0: not limited by time).

    With a share, a choice is the same on every machine. Games with expensive rules make fewer play-outs.
    """

    share: float = 1.0
    seconds: float = 0.0

    @classmethod
    def named(cls, text: str) -> Effort:
        """Return `low`, `normal`, `high`, or a time: `1s`, `0.2s`. Raises ValueError."""
        if text in EFFORTS:
            return EFFORTS[text]
        try:
            seconds = float(text.removesuffix("s"))
        except ValueError:
            seconds = 0.0
        if not (text.endswith("s") and 0 < seconds <= _LONGEST):
            raise ValueError(f"'{text}' isn't an effort; write {', '.join(EFFORTS)}, or seconds: 1s")
        return cls(seconds=seconds)


EFFORTS = {"low": Effort(0.3), "normal": Effort(3), "high": Effort(15)}
"""Efforts by their names on the command line."""

_LONGEST = 60
"""The longest time for a choice, in seconds."""

_SIEVED, _PER_TEST, _WIDEST = 0.35, 3, 96
"""The share of the play-outs that goes into the sieve, tests for the price of one play-out, and most candidates."""

_KEPT, _DEEPEST = 16, 4
"""Candidates that are played out at most, and worlds in which the sieve tests each at most."""

_PLAY_OUT = 0.0008
"""Seconds of a play-out, roughly: how many candidates to consider in a given time."""


class RatedAnswer(msgspec.Struct, frozen=True):
    """An answer with its evaluation: the mean of its play-outs, higher is better.

    `gains` are terms of the evaluation, as far as they differ from those of an average candidate in the same worlds.
    """

    answer: Value
    worth: float = 0.0
    gains: Mapping[str, float] = {}


def seed_of(position: Position, seat: str) -> int:
    """Derive the seed of a choice: unpredictable, but anyone can recompute it once the game's is published."""
    what = f"bot {seat} {position.q}".encode()
    return int.from_bytes(hmac.digest(bytes.fromhex(position.setup.seed), what, hashlib.sha256)[:8])


def choose(position: Position, seat: str, effort: Effort = EFFORTS["normal"], seed: int | None = None) -> Value:
    """Choose a bot's answer to the question open to `seat`. Raises `Rejection` if it isn't asked anything."""
    return best(position, seat, effort, seed)[0].answer


def best(
    position: Position, seat: str, effort: Effort = EFFORTS["normal"], seed: int | None = None
) -> list[RatedAnswer]:
    """Return the answers that were played out, best first."""
    seed = seed_of(position, seat) if seed is None else seed
    random = Random(seed)
    referee = sample_world(position, seat, random)
    if referee.talk is not None:
        return [RatedAnswer(negotiate(position, seat, referee, seed))]
    search = _AnswerSearch(position, seat, effort, random)
    answers = search.sieve(referee)
    ranked = search.halve(answers) if len(answers) > 1 else [RatedAnswer(answers[0])]
    return search.changing(ranked)


class _Tally:
    """The terms of an answer, added up over its play-outs."""

    def __init__(self) -> None:
        self.terms: Evaluation = {}
        self.count = 0

    def add(self, terms: Evaluation | None) -> None:
        if terms is not None:
            self.count += 1
            for name, value in terms.items():
                self.terms[name] = self.terms.get(name, 0.0) + value

    def means(self) -> Evaluation:
        return {name: value / self.count for name, value in self.terms.items()}

    def worth(self) -> float:
        return sum(self.terms.values()) / self.count if self.count else -math.inf


def _gains(means: Sequence[Evaluation]) -> list[Evaluation]:
    """Return by how much the terms of each answer differ from the mean of all that have any."""
    found = [terms for terms in means if terms]
    names = {name: None for terms in found for name in terms}
    usual = {name: sum(terms.get(name, 0.0) for terms in found) / len(found) for name in names}
    return [{name: terms.get(name, 0.0) - usual[name] for name in names} if terms else {} for terms in means]


class _AnswerSearch:
    def __init__(self, position: Position, seat: str, effort: Effort, random: Random) -> None:
        self.position, self.seat, self.random = position, seat, random
        self.seconds = effort.seconds
        self.until = perf_counter() + effort.seconds
        self.play_outs = effort.seconds / _PLAY_OUT if effort.seconds else effort.share * position.game.play_outs
        self.fixed: list[Value] = []
        """Answers that stay to the last round: the default and `pass`."""

    def sieve(self, referee: Referee) -> list[Value]:
        """Return the candidates to play out: those with the best rating at once, and the fixed ones."""
        pending = _pending(referee, self.seat)
        domain = referee.domain(self.seat)
        tests = _SIEVED * self.play_outs * _PER_TEST
        wide = max(8, min(_WIDEST, int(tests)))
        barred = free_acts_done(self.position, self.seat, pending.kind)
        ideas = self.position.game.ideas(referee.table, self.seat, pending.kind)
        answers = candidates(domain, pending.default, wide, below(self.random), barred, ideas)
        self.random.shuffle(answers)  # of equal answers one by lot: else the first word of a menu is chosen always
        self.fixed = [value for value in always(domain, pending.default) if value in answers]
        keep = max(3, min(_KEPT, int(self.play_outs / 4)))
        if len(answers) <= max(4, keep // 2):
            return answers
        total, began = [0.0] * len(answers), perf_counter()
        end = self.until - self.seconds * (1 - _SIEVED)
        for number in range(1, 1 + max(1, min(_DEEPEST, int(tests / len(answers))))):
            luck = self.random.getrandbits(62)  # the same world and dice for all candidates
            for index, answer in enumerate(answers):
                late = self.seconds and number == 1 and perf_counter() > end
                terms = None if late else self._try(answer, luck, settled)
                total[index] += -math.inf if terms is None else sum(terms.values())
            if self.seconds and perf_counter() + (perf_counter() - began) / number > end:
                break
        order = sorted(range(len(answers)), key=lambda index: -total[index])
        top = [answers[index] for index in order[:keep]]
        return top + [value for value in self.fixed if value not in top]

    def halve(self, answers: Sequence[Value]) -> list[RatedAnswer]:
        """Rank answers by play-outs; the weaker half is dropped each round. Without any result one is worst."""
        tallies = [_Tally() for _ in answers]
        alive, dropped = list(range(len(answers))), list[int]()
        rounds = math.ceil(math.log2(len(answers)))
        gains: list[Evaluation] = []
        horizon = partial(near_horizon, seat=self.seat)
        for number in range(rounds):
            for luck in self._worlds(rounds, number, len(alive)):
                for index in alive:
                    tallies[index].add(self._try(answers[index], luck, horizon))
            gains = gains or _gains([tally.means() for tally in tallies])
            alive.sort(key=lambda index: tallies[index].worth(), reverse=True)
            if number < rounds - 1:
                weak = [index for index in alive[(len(alive) + 1) // 2 :] if answers[index] not in self.fixed]
                dropped = weak + dropped
                alive = [index for index in alive if index not in weak]
        return [RatedAnswer(answers[index], tallies[index].worth(), gains[index]) for index in (*alive, *dropped)]

    def _worlds(self, rounds: int, number: int, alive: int) -> Iterator[int]:
        """Yield the luck of each world of a round: by number of play-outs, or until its share of the time is over."""
        if self.seconds:
            end = self.until - self.seconds * (1 - _SIEVED) * (rounds - 1 - number) / rounds
            yield self.random.getrandbits(62)
            while perf_counter() < end:
                yield self.random.getrandbits(62)
            return
        for _ in range(max(1, int((1 - _SIEVED) * self.play_outs) // (rounds * alive))):
            yield self.random.getrandbits(62)

    def _try(
        self, answer: Value, luck: int, until: Callable[[Referee], Callable[[Referee], bool]]
    ) -> Evaluation | None:
        """Evaluate `answer` in one world; None if the world was inconsistent."""
        random = Random(luck)
        try:
            referee = sample_world(self.position, self.seat, random)
            play_on(referee, below(random), until(referee), {self.seat: answer})
            return standing(referee, self.seat)
        except WRONG:
            return None

    def changing(self, ranked: list[RatedAnswer]) -> list[RatedAnswer]:
        """Return the choices from the first that changes what the seat sees: others could be chosen for ever."""
        for index, choice in enumerate(ranked):
            if not self._idle(choice.answer):
                return ranked[index:]
        return ranked

    def _idle(self, answer: Value) -> bool:
        """Check whether the same question follows `answer`, and the seat sees the same as before."""
        random = Random(self.random.getrandbits(62))
        try:
            referee = sample_world(self.position, self.seat, random)
            kind, game = _pending(referee, self.seat).kind, self.position.game
            before = game.view(referee.table, self.seat)
            play_on(referee, below(random), lambda later: True, {self.seat: answer})
            pending = referee.pending_to(self.seat)
            return pending is not None and pending.kind == kind and game.view(referee.table, self.seat) == before
        except WRONG:
            return False


def _pending(referee: Referee, seat: str) -> PendingQuestion:
    return next(pending for pending in referee.pending() if pending.seat == seat)
