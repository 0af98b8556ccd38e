"""Choose an answer by sequential halving (Karnin, Koren, Somekh 2013) over random play-outs.

All candidates are tried in the same sampled worlds, the weaker half is dropped each round. A play-out ends at the
horizon that the game names.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from random import Random
from statistics import mean, stdev
from typing import Any

import msgspec

from pbem.kernel.dice import Dice
from pbem.kernel.domains import Below, Value
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import CheckpointRecord, Move, PendingQuestion
from pbem.kernel.negotiation import ACCEPT, DONE
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS
from pbem.kernel.table import LogLine

# Positions, copies of them and sampled worlds.


class Position(msgspec.Struct):
    """A game at its open question: the last checkpoint, the moves since, the acts of an open negotiation.

    Sealed answers, advance orders and standing orders aren't included: they are other seats' secrets, or not needed.
    """

    game: Game
    setup: Setup
    components: Any
    mark: CheckpointRecord
    moves: Sequence[Move]
    acts: Sequence[Mapping[str, Any]] = ()
    q: int = 0

    @classmethod
    def of(cls, referee: Referee, mark: CheckpointRecord | None = None) -> Position:
        """Take the position of a referee. `mark` is its last checkpoint (default: the last one it took)."""
        mark = mark or referee.mark
        if mark is None:
            raise ValueError("a position needs a checkpoint: give the referee an on_mark, or the mark")
        acts = tuple(referee.talk.acts) if referee.talk is not None else ()
        since = tuple(referee.moves[mark.n - referee.base :])
        return cls(referee.game, referee.setup, referee.components, mark, since, acts, referee.q)

    def clone(self) -> Referee:
        """Return the same game at the same question, with nothing answered."""
        referee = Referee.resume(
            self.game, self.setup, self.moves, self.mark, components=self.components, ask_me=ALWAYS
        )
        for act in self.acts:
            assert referee.talk is not None  # acts exist only in an open negotiation
            referee.talk.carry_out(act)
            referee.talk.acts.append(dict(act))
        return referee


def sample_world(position: Position, seat: str, random: Random) -> Referee:
    """Copy the game with all that `seat` may not know resampled, future dice included.

    The result depends on what the seat may know and on `random`, never on the hidden truth (`Game.conceal` is
    canonical). Log and HMAC dice are replaced by cheap ones, because nobody sees them.
    """
    referee = position.clone()
    talk = referee.talk
    heard = {key: talk.shown(proposal) for key, proposal in talk.open.items()} if talk is not None else {}
    position.game.conceal(referee.table, seat, below(random))
    if talk is not None:
        talk.imagined(seat, heard)
    referee.table.dice = _Luck(random)
    referee.table.lines = _NullLog()
    referee.refresh()
    return referee


def below(random: Random) -> Below:
    """Return a cheap source of choices; for 100 options its bias is about 1e-7."""
    bits = random.getrandbits
    return lambda n: bits(30) % n


class _NullLog(list[LogLine]):
    """A log that keeps nothing, for sampled worlds."""

    def append(self, line: LogLine) -> None:
        pass

    def extend(self, lines: Iterable[LogLine]) -> None:
        pass


class _Luck(Dice):
    """Dice for sampled worlds, without HMAC, which costs more than the rules."""

    __slots__ = ("random",)

    def __init__(self, random: Random) -> None:
        self.epoch = self.counter = 0
        self.random = random

    def roll(self, count: int, sides: int = 6) -> tuple[int, ...]:
        self.counter += 1 if count else 0
        part = self.random.random
        return tuple([int(part() * sides) + 1 for _ in range(count)])

    def below(self, n: int) -> int:
        self.counter += 1
        return int(self.random.random() * n)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        self.counter += 1
        self.random.shuffle(items)


_WORLDS, _DRAWS, _TRIFLE = 24, 200, 1e-9
"""Worlds in which a proposal is judged, attempts to draw a signature under it, and the least gain that counts."""

_ENDLESS = 3000
"""The number of questions after which a play-out stops."""

_WRONG = (Rejection, RuntimeError, ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What rules raise when one of their locals doesn't fit the resampled world: that play-out has no result."""


class Effort(msgspec.Struct, frozen=True):
    """How hard to think: at most `candidates` answers, and the number of play-outs for all of them together.

    `share` is in units of `Game.play_outs`: games with expensive rules make fewer.
    """

    candidates: int
    share: float


EFFORTS = {"low": Effort(8, 0.3), "normal": Effort(16, 1), "high": Effort(32, 5)}
"""Efforts by their names on the command line."""


def seed_of(position: Position, seat: str) -> int:
    """Derive the seed of a choice from the game's secret seed, the seat and the question.

    Nobody can predict it; once the game's seed is published, anyone can recompute each choice.
    """
    what = f"bot {seat} {position.q}".encode()
    return int.from_bytes(hmac.digest(bytes.fromhex(position.setup.seed), what, hashlib.sha256)[:8])


def choose(
    position: Position, seat: str, effort: Effort = EFFORTS["normal"], seed: int | None = None
) -> Value:
    """Choose a bot's answer to the question open to `seat`.

    In a negotiation it proposes nothing and signs what is clearly good for it; else it answers `done`. Raises
    `Rejection` if the seat isn't asked anything.
    """
    seed = seed_of(position, seat) if seed is None else seed
    random = Random(seed)
    referee = sample_world(position, seat, random)
    if referee.talk is not None:
        return _sign(position, seat, referee, seed)
    answers = _candidates(referee, seat, effort.candidates, below(random))
    worlds = round(effort.share * position.game.play_outs)
    return answers[_best(position, seat, answers, worlds, random)] if len(answers) > 1 else answers[0]


def _sign(position: Position, seat: str, referee: Referee, seed: int) -> Value:
    """Sign the first proposal that is clearly good for the seat; else answer `done`.

    The verdict on a proposal depends on its id: asking again doesn't change it.
    """
    domain, talk = referee.domain(seat), referee.talk
    assert talk is not None  # guaranteed by the caller
    for key, proposal in talk.open.items():
        if seat in proposal.signed or seat not in proposal.parties:
            continue
        random = Random(f"{seed} {key}")
        draw = below(random)
        drawn = (domain.sample(draw) for _ in range(_DRAWS))
        signature = next((act for act in drawn if isinstance(act, dict) and _signs(act, key)), None)
        if signature is not None and _clearly_good(position, seat, signature, random):
            return signature
    return DONE


def _signs(act: dict[str, Any], key: str) -> bool:
    return act.get("do") == ACCEPT and act.get("id") == key


def _clearly_good(position: Position, seat: str, signature: Value, random: Random) -> bool:
    """Check whether signing gains more than twice its standard error, over the same worlds with and without it."""
    gains = []
    for _ in range(_WORLDS):
        luck = random.getrandbits(62)
        signed, unsigned = (_try(position, seat, act, Random(luck)) for act in (signature, DONE))
        if signed is not None and unsigned is not None:
            gains.append(signed - unsigned)
    return len(gains) > _WORLDS // 2 and mean(gains) > 2 * stdev(gains) / math.sqrt(len(gains)) + _TRIFLE


def _candidates(referee: Referee, seat: str, most: int, draw: Below) -> list[Value]:
    """Return the default and random answers, without duplicates."""
    domain = referee.domain(seat)
    default = _pending(referee, seat).default
    found: dict[str, Value] = {}
    if default is not None and domain.accepts(default):
        found[repr(default)] = default
    for _ in range(2 * most):
        if len(found) == most:
            break
        value = domain.sample(draw)
        found.setdefault(repr(value), value)
    return list(found.values())


def _pending(referee: Referee, seat: str) -> PendingQuestion:
    return next(pending for pending in referee.pending() if pending.seat == seat)


def _best(position: Position, seat: str, answers: list[Value], worlds: int, random: Random) -> int:
    """Return the index of the best answer. A candidate without any result is worst."""
    total, judged = [0.0] * len(answers), [0] * len(answers)
    alive = list(range(len(answers)))
    rounds = math.ceil(math.log2(len(answers)))
    for _ in range(rounds):
        for _ in range(max(1, worlds // (rounds * len(alive)))):
            luck = random.getrandbits(62)  # same world and dice for all candidates
            for candidate in alive:
                verdict = _try(position, seat, answers[candidate], Random(luck))
                if verdict is not None:
                    total[candidate] += verdict
                    judged[candidate] += 1
        mean = [total[i] / judged[i] if judged[i] else -math.inf for i in range(len(answers))]
        alive.sort(key=lambda i: -mean[i])
        del alive[(len(alive) + 1) // 2 :]
    return alive[0]


def _try(position: Position, seat: str, answer: Value, random: Random) -> float | None:
    """Evaluate `answer` by one random play-out; None if the world was inconsistent."""
    try:
        referee = sample_world(position, seat, random)
        play_on(referee, below(random), _horizon(referee), {seat: answer})
        return _standing(referee, seat)
    except _WRONG:
        return None


def play_on(
    referee: Referee, draw: Below, enough: Callable[[Referee], bool], first: dict[str, Value] | None = None
) -> None:
    """Answer questions at random, the open one with `first`, until `enough`; make no deals."""
    fixed = first or {}
    for _ in range(_ENDLESS):
        if referee.now is None:
            return
        q = referee.q
        for seat in referee.waiting():
            _answer(referee, seat, fixed, draw)
            if referee.now is None or referee.q != q:
                break
        fixed = {}
        if enough(referee):
            return


def _answer(referee: Referee, seat: str, fixed: dict[str, Value], draw: Below) -> None:
    if seat in fixed:
        value = fixed[seat]
    elif referee.talk is not None:
        value = DONE
    else:
        value = referee.domain(seat).sample(draw)
    referee.submit(seat, value, settle=False)


def _horizon(referee: Referee) -> Callable[[Referee], bool]:
    """Return the end condition of a play-out: the game's `horizon` fact changes, or the next checkpoint."""
    game = referee.game
    if game.value is None:
        return lambda _: False
    if game.play_out_until:
        before = game.calendar(referee.table.state).get(game.play_out_until)
        return lambda later: game.calendar(later.table.state).get(game.play_out_until) != before
    marks: list[CheckpointRecord] = []
    referee.on_mark = marks.append
    return lambda _: bool(marks)


def _standing(referee: Referee, seat: str) -> float:
    """Evaluate a seat by the game's hint, else by its result: 1 for a win, less if shared, plus a small margin."""
    game, table = referee.game, referee.table
    if game.value is not None:
        return game.value(table, seat)
    result: dict[str, Any] = referee.result or {}
    scores: dict[str, float] = result.get("scores", {})
    winners: list[str] = result.get("winners", [])
    won = 1 / len(winners) if seat in winners else 0.0
    others = [score for other, score in scores.items() if other != seat]
    if seat not in scores or not others:
        return won
    mine, best = scores[seat], max(others)
    return won + 0.5 * (mine - best) / (1 + abs(mine) + abs(best))
