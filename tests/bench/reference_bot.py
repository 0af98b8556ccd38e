"""The bot of an earlier version, to measure today's bot against: sampled answers, played out to the game's horizon.

It draws whole answers, so that an act with many forms crowds the others out, and it tests none before the play-outs.
It evaluates as that version did.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from time import perf_counter

from games.crown_of_roses.query import king_house, total
from games.imperial_struggle.board import tally
from games.imperial_struggle.scoring import leader
from games.sixteen_thirty.scoring import points
from games.virgin_queen.keys import totals
from games.virgin_queen.victory import playing
from pbem.bot import Effort, Position, sample_world, seed_of
from pbem.bot.worlds import WRONG, below, play_on
from pbem.kernel.domains import Value
from pbem.kernel.referee import Referee
from pbem.kernel.table import Table

_FEWEST, _MOST, _PLAY_OUT = 3, 16, 0.001
"""Candidates at least and at most, and the seconds of a play-out."""


def choose_as_before(position: Position, seat: str, effort: Effort) -> Value:
    """Choose an answer as the earlier bot did, with the play-outs or the time of an effort."""
    random = Random(seed_of(position, seat))
    until = perf_counter() + effort.seconds
    tries = effort.seconds / _PLAY_OUT if effort.seconds else effort.share * position.game.play_outs
    referee = sample_world(position, seat, random)
    pending, domain = referee.pending_to(seat), referee.domain(seat)
    assert pending is not None
    found: dict[str, Value] = {}
    if pending.default is not None and domain.accepts(pending.default):
        found[repr(pending.default)] = pending.default
    most = max(_FEWEST, min(_MOST, int(tries / 4)))
    for _ in range(2 * most):
        if len(found) < most:
            found.setdefault(repr(value := domain.sample(below(random))), value)
    answers = list(found.values())
    rounds = math.ceil(math.log2(len(answers)))
    total_worth, judged, alive = [0.0] * len(answers), [0] * len(answers), list(range(len(answers)))
    for number in range(rounds):
        end = until - effort.seconds * (rounds - 1 - number) / rounds
        done, planned = 0, max(1, int(tries / rounds / len(alive)))
        while done == 0 or (perf_counter() < end if effort.seconds else done < planned):
            luck, done = random.getrandbits(62), done + 1
            for index in alive:
                worth = _tried(position, seat, answers[index], luck)
                if worth is not None:
                    total_worth[index] += worth
                    judged[index] += 1
        alive.sort(key=lambda at: total_worth[at] / judged[at] if judged[at] else -math.inf, reverse=True)
        del alive[(len(alive) + 1) // 2 :]
    return answers[alive[0]]


def _tried(position: Position, seat: str, answer: Value, luck: int) -> float | None:
    random = Random(luck)
    try:
        referee = sample_world(position, seat, random)
        play_on(referee, below(random), _turn_over(referee), {seat: answer})
        return _VALUES[position.game.slug](referee.table, seat)
    except WRONG:
        return None


def _turn_over(referee: Referee) -> Callable[[Referee], bool]:
    game, fact = referee.game, referee.game.play_out_until
    if fact:
        before = game.calendar(referee.table.state).get(fact)
        return lambda later: game.calendar(later.table.state).get(fact) != before
    marks: list[object] = []
    referee.on_mark = marks.append
    return lambda later: bool(marks)


def _sixteen_thirty(table: Table, seat: str) -> float:
    state = table.state
    left = max(1, 8 - state.turn)
    worth = {
        owner: player.score + 0.6 * left * sum(gained for _, gained in points(state, owner)) + 0.15 * len(player.hand)
        for owner, player in state.players.items()
    }
    others = [value for owner, value in worth.items() if owner != seat]
    return worth[seat] - 0.7 * max(others) - 0.3 * sum(others) / len(others)


def _imperial_struggle(table: Table, seat: str) -> float:
    state, c, sign = table.state, table.c, {"france": 1, "britain": -1}
    if state.phase == "over":
        return 100.0 if state.winner == seat else -100.0
    rewards = [(c.of_region[region], c.awards[key], c.awards[key].margin) for region, key in state.awards.items()]
    era = c.turn(min(state.turn, len(c.turns))).era
    rewards += [(c.of_commodity[key], c.commodities[key].reward(era), 1) for key in state.demand]
    stands = state.vp - 15.0
    for spaces, paid, margin in rewards:
        britain, france = tally(state, spaces)
        ahead = leader(britain, france, margin)
        stands += 0.8 * (paid.vp + 0.5 * paid.trp) * sign[ahead] if ahead else 0.15 * (france - britain)
    flags = list(state.flags.values())
    stands += 0.35 * (flags.count("france") - flags.count("britain"))
    for holder, to in sign.items():
        side = state.sides[holder]
        stands += to * (0.4 * side.trp - 0.35 * side.debt + 0.3 * len(side.hand) + 0.2 * len(side.ministries))
    return stands * sign[seat]


def _crown_of_roses(table: Table, seat: str) -> float:
    state = table.state
    if state.phase == "over":
        return 100.0 if seat in state.winners else -100.0

    def worth(house: str) -> float:
        own = state.houses[house]
        if own.out:
            return -60.0
        steps = sum(b.steps for b in state.blocks.values() if b.owner == house and b.at in table.c.shires)
        crown = 6 * own.crowned + 4 * (king_house(state) == house)
        lands = 0.3 * own.support + 0.3 * own.income + 0.15 * steps
        return own.vp + crown + lands + 3 * len(own.heirs) + 0.1 * total(table.c, own.stock)

    return worth(seat) - max(worth(house) for house in state.houses if house != seat)


def _virgin_queen(table: Table, seat: str) -> float:
    state, vp = table.state, totals(table)
    best: dict[str, float] = {}
    for power in playing(state):
        own = state.powers[power]
        best[own.seat] = max(best.get(own.seat, -99.0), vp[power] + 0.15 * len(own.hand))
    others = [worth for other, worth in best.items() if other != seat]
    if seat not in best or not others:
        return best.get(seat, 0.0)
    return best[seat] - 0.5 * max(others) - 0.5 * sum(others) / len(others)


_VALUES = {
    "sixteen_thirty": _sixteen_thirty,
    "imperial_struggle": _imperial_struggle,
    "crown_of_roses": _crown_of_roses,
    "virgin_queen": _virgin_queen,
}
