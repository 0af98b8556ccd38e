"""What tests do with the toy: begin a game of a scenario, play it to a point, play it at random.

`new`, `to_action`, `to_window` play the standard scenario; `start`, `to_ballot`, `step`, `played` the campaign;
`answer` the town.
"""

from __future__ import annotations

import random
from typing import Any

from pbem.kernel.dice import Dice
from pbem.kernel.domains import Below
from pbem.kernel.game import Game, Setup
from pbem.kernel.questions import Window
from pbem.kernel.referee import Referee
from pbem.save import Session
from tests.toy.game import GAME
from tests.toy.state import POWERS, SEATS, SIDES

SEED = "5a" * 32
SEATED = {"standard": SEATS, "campaign": POWERS, "town": SIDES}
MARCH = {"do": "march", "origin": "vienna", "to": "venice"}
INTERCEPT = {"do": "intercept", "using": "army"}


def setup(scenario: str = "standard", **options: Any) -> Setup:
    """Options are those of the house, but for those of every set-up: seed, pack and epochs."""
    own = {key: options.pop(key) for key in ("seed", "pack", "epochs") if key in options}
    return Setup("toy", SEATED[scenario], own.pop("seed", SEED), scenario, options, **own)


def campaign(rounds: int = 3, **more: Any) -> Setup:
    return setup("campaign", rounds=rounds, **more)


def town() -> Setup:
    return setup("town", rounds=4)


def load(slug: str) -> Game:
    """As `games.load`, for the toy alone."""
    if slug != GAME.slug:
        raise LookupError(f"unknown game '{slug}'")
    return GAME


# -- to a point ------------------------------------------------------------------------------------------------------


def new(keywords: dict[str, Any] | None = None, **options: Any) -> Referee:
    """A new game of the standard scenario; options are those of the house."""
    return Referee.new(GAME, setup(**options), **(keywords or {}))


def start() -> Referee:
    """A new campaign: question 1 is England's first order."""
    return Referee.new(GAME, campaign(seed="00" * 32))


def to_talk(referee: Referee, *bids: int) -> Referee:
    """Play the bids (0 each if none are given); in a campaign, on to the negotiation of turn 2."""
    if referee.setup.scenario == "campaign":
        return each(to_ballot(referee), "abstain")
    return each(referee, *(bids or (0,)))


def each(referee: Referee, *answers: Any) -> Referee:
    """Every seat in turn gives its answer, or all of them the same."""
    for at, seat in enumerate(referee.setup.seats):
        referee.submit(seat, answers[at % len(answers)])
    return referee


def to_ballot(referee: Referee) -> Referee:
    """Everybody holds: the ballot of turn 1 is open."""
    return each(referee, "hold")


def to_action(referee: Referee, *bids: int) -> Referee:
    """Play to the first order; with no bids it is amber's, then blue's, then coral's."""
    return each(to_talk(referee, *bids), "done")


def to_window(referee: Referee) -> Referee:
    """Play until amber marches to the ford, where blue stands."""
    to_action(referee)
    referee.table.state.at["blue"] = "ford"
    referee.submit("amber", {"do": "march", "to": "ford"})
    return referee


# -- at random -------------------------------------------------------------------------------------------------------


def chance(seed: int) -> Below:
    """Numbers for `at_random`, the same for the same seed."""
    return random.Random(seed).randrange


def at_random(referee: Referee, below: Below, most: int = 10_000) -> Referee:
    """Play `most` random answers, or to the end."""
    for _ in range(most):
        waiting = referee.waiting()
        if not waiting:
            break
        seat = waiting[below(len(waiting))]
        referee.submit(seat, referee.domain(seat).sample(below))
    return referee


def step(referee: Referee, dice: Dice, at: str = "2026-05-01T10:00:00Z") -> None:
    """One answer, at random, of one of those who are waited for."""
    waiting = referee.waiting()
    if not waiting:
        return
    seat = waiting[dice.below(len(waiting))]
    referee.submit(seat, referee.domain(seat).sample(dice.below), at=at, via=f"<{dice.counter}@example.org>")


def played(session: Session, steps: int, seed: int = 1) -> Session:
    """The session after so many random answers, not committed."""
    dice = Dice(seed.to_bytes(32, "big"))
    for _ in range(steps):
        step(session.referee, dice)
    return session


def answer(referee: Referee, count: int, seed: int = 11) -> None:
    """So many answers in the town: red marches, to Graz first; nobody stops him or negotiates; votes are at random."""
    source = random.Random(seed)
    for _ in range(count):
        if referee.over:
            return
        seat = referee.waiting()[0]
        if referee.talk is not None:
            value: Any = "done"
        elif isinstance(referee.now, Window):
            value = "pass"
        elif referee.q == 1:
            value = {"do": "march", "origin": "riga", "to": "graz", "regulars": 3}
        else:
            value = referee.domain(seat).sample(source.randrange)
        referee.submit(seat, value, at="2026-05-01T10:00:00Z")


def answers(referee: Referee) -> list[tuple[str, str, Any]]:
    """Who answered what kind of question how."""
    return [(move.seat, move.kind, move.answer) for move in referee.moves]
