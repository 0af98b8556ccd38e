"""A toy game for the tests of orders and saves, whose letters read like those of a real game.

Each turn: every second one a negotiation; each seat moves or holds, and the others may intercept; a sealed ballot.
A speech ends it. Lines have private parts and dice; the state holds what is hard to write and needs its order kept.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pbem.kernel.answers import Amount, Choice, Form, Menu, Optional, Text
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Option, Play, Scenario, Setup
from pbem.kernel.problems import Problem
from pbem.kernel.questions import Ask, AskAll, Checkpoint, Negotiate, Window
from pbem.kernel.referee import Referee
from pbem.kernel.table import Table
from pbem.kernel.view import View
from pbem.kernel.words import Names
from pbem.save import Session

SEATS = ("england", "france", "spain")
NEAR = {
    "vienna": ("pressburg", "venice"),
    "milan": ("venice", "genoa"),
    "venice": ("milan", "vienna"),
    "genoa": ("milan",),
    "pressburg": ("vienna",),
}
NAMES = Names(
    {
        **{seat: {"en": seat.title()} for seat in SEATS},
        "spain": {"en": "Spain", "ja": "スペイン"},
        "milan": {"en": "Milan", "ja": "ミラノ"},
        "vienna": {"en": "Vienna", "ja": "ウィーン"},
        "venice": {"en": "Venice", "ja": "ヴェネツィア"},
        "genoa": {"en": "Genoa"},
        "pressburg": {"en": "Pressburg"},
    },
    {"milan": ["mailand"]},
)
VOTES = ("accept", "reject", "abstain")
MOVE = {"do": "move", "origin": "vienna", "to": "venice"}
INTERCEPT = {"do": "intercept", "using": "army"}
KINDS = ("move", "intercept", "ballot", "negotiation", "speech")
SEED = "5a" * 32


class Unit(msgspec.Struct):
    kind: Literal["horse", "foot"]
    at: str
    strength: int = 1
    leader: str | None = None


class Power(msgspec.Struct):
    money: int = 0
    friend: str | None = None
    units: list[Unit] = []
    chart: dict[str, dict[str, int]] = {}
    last: tuple[str, str] | None = None


class State(msgspec.Struct):
    """The keys of `order` are the order in which ballots are read; it turns every turn. `deck` is secret."""

    powers: dict[str, Power]
    rounds: int = 3
    turn: int = 1
    phase: str = "talk"
    log: list[str] = []
    order: dict[str, int] = {}
    odd: dict[str, Any] = {}
    deck: list[int] = []
    note: str | None = None


def set_up(table: Table) -> State:
    state = State({seat: Power(units=[Unit("foot", seat)]) for seat in table.seats})
    state.rounds = table.options.get("rounds", 3)
    # A list of tables stands before a number.
    state.order = {seat: 9 - at for at, seat in enumerate(reversed(table.seats))}
    state.odd = {"z": [{"b": 1, "a": 2}], "y": 5, "x": {"q": 1, "p": {"deep": []}}, "A b": "è\n\t\"'\\"}
    state.deck = list(range(40))
    table.shuffle(state.deck)
    return state


def play(table: Table) -> Play:
    state: State = table.state
    while state.turn <= state.rounds:
        yield Checkpoint()
        if state.turn % 2 == 0:
            yield from talk(table)
        state.phase = "action"
        for seat in table.seats:
            yield from move(table, seat)
        state.phase = "vote"
        yield from ballot(table)
        first = next(iter(state.order))
        state.order[first] = state.order.pop(first) + 1
        state.turn += 1
    yield Ask("england", "speech", Text(80, "speech"), "20.1")


def talk(table: Table) -> Play:
    """9.1: alliances of two, paid for."""
    state: State = table.state
    state.phase = "talk"

    def clauses(seat: str) -> Form:
        return Form(to=Choice([s for s in table.seats if s != seat]), gold=Amount(1, 5))

    deals = yield Negotiate(table.seats, clauses, lambda seat, terms: [terms["to"]], rule="9.1")
    for deal in deals:
        power = state.powers[deal.by]
        power.friend = deal.terms["to"]
        power.units.append(Unit("horse", deal.terms["to"], deal.terms["gold"], "è x"))
    state.log += [f"deal {deal.id}" for deal in deals]
    table.tell(table.seats[:2], "deals", rule="9.1", count=len(deals))


def move(table: Table, seat: str) -> Play:
    """5.1: a move, or none."""
    state: State = table.state

    def why(space: Any) -> Problem | None:
        return Problem("rules.custom", {"text": "not adjacent"}, "5.3") if space in NEAR else None

    form = Form(
        origin=Choice(tuple(NEAR)),
        to=lambda v: Choice(NEAR.get(v.origin, ("milan",)), "space", why),
        regulars=Optional(Amount(1, 4)),
    )
    answer = yield Ask(
        seat, "move", lambda: Menu({"move": form, "hold": None}), "5.1", default="hold", about={"mover": seat}
    )
    state.log.append(f"{seat} {answer}")
    if answer == "hold":
        return
    card = state.deck.pop() if state.deck else 0
    table.say("moved", rule="5.1", seat=seat, to=answer["to"], private={seat: {"card": card}})
    power, regulars = state.powers[seat], answer.get("regulars", 0)
    power.last = ("move", answer["to"])
    power.chart.setdefault(f"turn {state.turn}", {})[seat] = regulars
    yield from intercept(table, seat, answer["to"], regulars)


def intercept(table: Table, mover: str, to: str, regulars: int) -> Play:
    """13.2: the others may intercept; 4 regulars touch the next of them alone."""
    state: State = table.state
    others = [seat for seat in table.seats if seat != mover]
    reply = Menu({"pass": None, "intercept": Form(using=Choice(("fleet", "army")))})
    about: dict[str, Any] = {"mover": mover, "space": to}
    if regulars == 4:
        about["touches"] = others[:1]
    plans = yield Window("intercept", dict.fromkeys(others, reply), "13.2", about)
    for other, plan in plans.walk():
        roll = table.roll(2, "intercepts", rule="13.3", seat=other)
        state.powers[mover].money -= roll.total
        plans.took_effect(other)
        state.log.append(f"{other} intercepts {plan}")
        table.surprise(mover)
        if plan["using"] == "fleet":
            table.outcome("intercepted", mover)


def ballot(table: Table) -> Play:
    """7.3: all vote, sealed."""
    state: State = table.state
    asks = {
        seat: Ask(seat, "ballot", Choice(VOTES), "7.3", default="abstain", pace="ballot")
        for seat in table.seats
    }
    ballots = yield AskAll(asks)
    for seat in state.order:
        state.powers[seat].money += VOTES.index(ballots[seat])
    state.log.append(f"ballots {sorted(ballots.items())}")
    table.say("ballots", rule="7.3", ballots=dict(ballots))


def result(state: State) -> dict[str, Any] | None:
    if state.turn <= state.rounds:
        return None
    return {"scores": {seat: power.money for seat, power in state.powers.items()}, "winners": []}


GAME = Game(
    slug="toy",
    title={"en": "Toy"},
    rules="7",
    package="tests.campaign",
    scenarios=(Scenario("standard", {"en": "Standard"}, {3: SEATS}),),
    state=State,
    setup=set_up,
    play=play,
    view=lambda table, seat: View("toy", seat),
    clock=lambda state: {"turn": state.turn, "phase": state.phase, "note": state.note},
    conceal=lambda table, seat, below: None,
    invariants=lambda table: (),
    result=result,
    components=lambda pack: pack.tables["things"]["things"],
    constraints=lambda tables: (),
    names=lambda components: NAMES,
    options=(Option("rounds", Amount(1, 999), 3, {"en": "rounds"}),),
    private_press=lambda state: state.phase != "vote",
    kinds=KINDS,
    outcomes={"intercepted": ("move",), "won": ("move",)},
    turns=("move",),
)


def start() -> Referee:
    """A new game: question 1 is England's first move."""
    return Referee.new(GAME, Setup("toy", SEATS, "00" * 32), components=())


def to_ballot(referee: Referee) -> Referee:
    """Everybody holds: the ballot of turn 1 is open."""
    for seat in SEATS:
        referee.submit(seat, "hold")
    return referee


def to_talk(referee: Referee) -> Referee:
    """On to the negotiation of turn 2."""
    to_ballot(referee)
    for seat in SEATS:
        referee.submit(seat, "abstain")
    return referee


def load(slug: str) -> Game:
    """As `games.load`, for the campaign alone."""
    if slug != "toy":
        raise LookupError(f"unknown game '{slug}'")
    return GAME


def setup_of(rounds: int = 3, **keywords: Any) -> Setup:
    return Setup("toy", SEATS, SEED, options={"rounds": rounds}, **keywords)


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
