"""A bot in a negotiation: it signs what is clearly good for it and proposes what is good for all parties."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from random import Random
from statistics import mean, stdev

from pbem.bot.worlds import WRONG, Position, below, near_horizon, play_on, sample_world, worth
from pbem.kernel.domains import Value
from pbem.kernel.negotiation import ACCEPT, DONE, PROPOSE, terms_of
from pbem.kernel.referee import Referee

_WORLDS, _DRAWS, _TRIFLE = 24, 200, 1e-9
"""Worlds in which a proposal is judged, attempts to draw a signature under it, and the least gain that counts."""

_OFFERS, _JUDGED = 40, 6
"""Proposals that are drawn, and the simplest of them that are judged."""


def negotiate(position: Position, seat: str, referee: Referee, seed: int) -> Value:
    """Sign the first proposal that is clearly good for the seat, else propose once, else answer `done`.

    The verdict on a proposal depends on its id: asking again doesn't change it.
    """
    talk = referee.talk
    assert talk is not None  # guaranteed by the caller
    for key, proposal in talk.open.items():
        if seat in proposal.signed or seat not in proposal.parties:
            continue
        random = Random(f"{seed} {key}")
        signature = _signature(referee, seat, key, random)
        if signature is not None and _gains(position, seat, [seat], signature, random):
            return signature
    if talk.count.get(seat, 0) == 0:
        return _proposal(position, seat, referee, Random(f"{seed} {PROPOSE}"))
    return DONE


def _proposal(position: Position, seat: str, referee: Referee, random: Random) -> Value:
    """Return the first simple proposal that is clearly good for the seat and no loss for the others, else `done`."""
    domain, draw = referee.domain(seat), below(random)
    drawn = (domain.sample(draw) for _ in range(_OFFERS))
    offers = {repr(act): act for act in drawn if isinstance(act, dict) and act.get("do") == PROPOSE}
    for text in sorted(offers, key=len)[:_JUDGED]:
        offer = offers[text]
        assert referee.talk is not None
        others = [other for other in referee.talk.request.parties(seat, terms_of(offer)) if other != seat]
        if others and _gains(position, seat, [seat, *others], offer, random):
            return offer
    return DONE


def _signature(referee: Referee, seat: str, key: str, random: Random) -> Value | None:
    """Return a signature of a seat under a proposal, with what it has to add drawn at random."""
    domain, draw = referee.domain(seat), below(random)
    for _ in range(_DRAWS):
        act = domain.sample(draw)
        if isinstance(act, dict) and act.get("do") == ACCEPT and act.get("id") == key:
            return act
    return None


def _gains(position: Position, seat: str, parties: Sequence[str], act: Value, random: Random) -> bool:
    """Check whether an act is good for `seat` and no loss for the others, at once or after a few questions played."""
    return any(_clearly_good(position, seat, parties, act, random, played=played) for played in (False, True))


def _clearly_good(
    position: Position, seat: str, parties: Sequence[str], act: Value, random: Random, *, played: bool
) -> bool:
    """Check the same by more than twice the standard error, over the same worlds with and without the act."""
    gains: dict[str, list[float]] = {party: [] for party in parties}
    for _ in range(_WORLDS):
        luck = random.getrandbits(62)
        with_it, without = (_try(position, seat, gains, tried, Random(luck), played) for tried in (act, DONE))
        if with_it is not None and without is not None:
            for party, found in gains.items():
                found.append(with_it[party] - without[party])
    own = gains.pop(seat)
    if len(own) <= _WORLDS // 2 or mean(own) <= 2 * stdev(own) / math.sqrt(len(own)) + _TRIFLE:
        return False
    return all(mean(found) > _TRIFLE for found in gains.values())


def _try(
    position: Position, seat: str, parties: Iterable[str], act: Value, random: Random, played: bool
) -> dict[str, float] | None:
    """Evaluate all parties after an act that all sign, and a few questions if `played`. None: inconsistent."""
    try:
        referee = sample_world(position, seat, random)
        talk = referee.talk
        assert talk is not None
        before = set(talk.open)
        if act != DONE:
            referee.submit(seat, act, settle=False)
        for key in [key for key in talk.open if key not in before]:
            for other in talk.open[key].parties:
                if referee.talk is not None and key in talk.open and other not in talk.open[key].signed:
                    signature = _signature(referee, other, key, random)
                    if signature is None:
                        return None
                    referee.submit(other, signature, settle=False)
        if played:
            play_on(referee, below(random), near_horizon(referee, seat))
        return {party: worth(referee, party) for party in parties}
    except WRONG:
        return None
