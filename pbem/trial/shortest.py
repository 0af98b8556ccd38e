"""The shortest journal that still shows a failure: delta debugging over the answers of a game that went wrong.

Answers are left out in ever smaller runs. Where one is missing, or fits no more, the seat answers in the quietest way;
a shorter game is kept if it ends in the same failure. (Zeller and Hildebrandt, Simplifying and Isolating
Failure-Inducing Input, 2002.)
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from pbem.kernel.game import Game
from pbem.kernel.negotiation import DONE
from pbem.kernel.problems import Refused
from pbem.kernel.referee import Move, Referee, components_of
from pbem.kernel.standing import ALWAYS
from pbem.trial.random_game import Broken, Failure, sampler

TRIES = 300
"""Games that are played at most on the way to the shortest one."""

SAMPLES = 8
"""Answers drawn where one is missing: a question without some answer shows itself by one of them."""

REPEATED = ("crash", "dead_end", "refused", "invariant")
"""Kinds of failure that play itself shows; others are left as they are."""


def shortest(game: Game, failure: Failure) -> Failure:
    """The same failure after fewer moves; the failure itself if it cannot be shown again, or not sooner."""
    if failure.kind not in REPEATED:
        return failure
    components = components_of(game, {})[1]
    best = _played(game, failure, failure.moves, components)
    if best is None:
        return failure
    parts, tries = 2, TRIES
    while tries > 0 and best.moves and parts <= 2 * len(best.moves):
        size = max(1, len(best.moves) // parts)
        for at in range(0, len(best.moves), size):
            tries -= 1
            found = _played(game, failure, [*best.moves[:at], *best.moves[at + size :]], components)
            if found is not None and len(found.moves) < len(best.moves):
                best, parts = found, max(2, parts - 1)
                break
            if tries <= 0:
                break
        else:
            if size == 1:
                break
            parts *= 2
    return best if len(best.moves) < len(failure.moves) else failure


def _played(game: Game, failure: Failure, answers: Sequence[Move], components: Any) -> Failure | None:
    """The failure that a game with these answers ends in, if it is the one looked for."""
    referee = Referee(game, failure.setup, components=components)
    try:
        referee = Referee.new(game, failure.setup, components=components, ask_me=ALWAYS)
        _play(game, referee, answers, len(failure.moves) + 1)
    except Broken as broken:
        kind, why = broken.kind, str(broken)
    except Exception as error:
        kind, why = "crash", f"{type(error).__name__}: {error}"
    else:
        return None
    if kind != failure.kind or _begin(kind, why) != _begin(kind, failure.why):
        return None
    return Failure(kind, why, game.slug, failure.number, failure.setup, [*referee.moves], failure.trace)


def _begin(kind: str, why: str) -> str:
    """What makes two failures one: the question without an answer, the error, the invariant; not whose it is."""
    if kind == "refused":
        return ""
    said = why.partition(" ")[2] if kind == "dead_end" else why
    if kind == "invariant" and said.startswith("at move "):
        said = said.partition(": ")[2]
    return said.partition(":")[0]


def _play(game: Game, referee: Referee, answers: Sequence[Move], most: int) -> None:
    """Give the answers in their order to whoever they are of, others quietly; no longer than the game was."""
    at = 0
    while referee.now is not None and referee.n <= most:
        q, kind = referee.q, referee.pending()[0].kind
        given = next((n for n in range(at, len(answers)) if answers[n].kind == kind), None)
        at = at if given is None else given + 1
        for seat in referee.waiting():
            value = _answer(referee, seat, answers[given] if given is not None else None)
            try:
                referee.submit(seat, value)
            except Refused as refused:
                if referee.talk is None:
                    raise Broken("refused", f"{seat}: {value!r}: {refused}") from None
            if referee.q != q or referee.now is None:
                break
        problems = game.invariants(referee.table)
        if problems:
            raise Broken("invariant", "; ".join(map(str, problems[:3])))


def _answer(referee: Referee, seat: str, given: Move | None) -> Any:
    """The answer that was given, if it is one here; else the quietest."""
    try:
        domain = referee.domain(seat)
        value = given.answer if given is not None and given.seat in (seat, "") else None
        if given is not None and not given.seat and isinstance(value, dict):
            value = value.get(seat)
        if value is not None and domain.accepts(value):
            return value
        if referee.talk is not None:
            return DONE
        for seed in range(SAMPLES):
            domain.sample(sampler(Random(seed)))
        return domain.sample(lambda n: 0 % n)
    except Exception as error:
        kind = next((pending.kind for pending in referee.pending() if pending.seat == seat), "?")
        raise Broken(
            "dead_end", f"{seat} has no answer to '{kind}': {type(error).__name__}: {error}"
        ) from error
