"""A game that asks every kind of question, has private lines and dice, and whose state needs its order kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from pbem.kernel.answers import Amount, Choice, Form
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Option, Scenario, Setup
from pbem.kernel.questions import Ask, AskAll, Checkpoint, Negotiate, Window
from pbem.kernel.referee import Referee
from pbem.kernel.table import Table
from pbem.kernel.view import View
from pbem.kernel.words import Names
from pbem.save import Session

SEED = "5a" * 32
SEATS = ("red", "blue", "white")


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
    last: tuple[str, int] | None = None


class State(msgspec.Struct):
    powers: dict[str, Power]
    turn: int = 1
    order: dict[str, int] = {}
    odd: dict[str, Any] = {}
    deck: list[int] = []
    note: str | None = None


def setup(table: Table) -> State:
    state = State({seat: Power(units=[Unit("foot", seat)]) for seat in table.seats})
    # The order of these keys is the order of play; a list of tables stands before a number.
    state.order = {seat: 9 - at for at, seat in enumerate(reversed(table.seats))}
    state.odd = {"z": [{"b": 1, "a": 2}], "y": 5, "x": {"q": 1, "p": {"deep": []}}, "A b": "è\n\t\"'\\"}
    state.deck = list(range(40))
    table.shuffle(state.deck)
    return state


def play(table: Table) -> Iterator[Any]:
    state: State = table.state
    while state.turn <= table.options.get("rounds", 3):
        yield Checkpoint()
        for seat in state.order:
            yield from march(table, seat)
        yield from auction(table)
        if state.turn % 2 == 0:
            yield from talks(table)
        first = next(iter(state.order))
        state.order[first] = state.order.pop(first) + 1
        state.turn += 1


def march(table: Table, seat: str) -> Iterator[Any]:
    state: State = table.state
    power = state.powers[seat]
    steps = yield Ask(seat, "march", Amount(0, 6), rule="1", default=0, about={"turn": state.turn})
    card = state.deck.pop() if state.deck else 0
    table.say("toy.march", rule="1.1", steps=steps, seat=seat, private={seat: {"card": card}})
    power.last = ("march", steps)
    power.chart.setdefault(f"turn {state.turn}", {})[seat] = steps
    if steps > 3:
        others = {other: Choice(["pass", "parry"]) for other in table.seats if other != seat}
        about = {"touches": list(others)[: steps - 4], "seat": seat}
        replies = yield Window("parry", others, rule="2", about=about)
        for other, _ in replies.walk():
            roll = table.roll(2, "toy.parry", rule="2.1", seat=other)
            power.money -= roll.total
            replies.took_effect(other)
        table.surprise(seat)


def auction(table: Table) -> Iterator[Any]:
    bids = yield AskAll({seat: Ask(seat, "bid", Amount(0, 9), default=0, rule="3") for seat in table.seats})
    for seat, bid in bids.items():
        table.state.powers[seat].money += bid
    table.say("toy.bids", bids=bids)


def talks(table: Table) -> Iterator[Any]:
    deals = yield Negotiate(
        table.seats,
        lambda seat: Form(to=Choice([s for s in table.seats if s != seat]), sum=Amount(1, 3)),
        lambda seat, terms: [terms["to"]],
        rule="4",
    )
    for deal in deals:
        table.state.powers[deal.by].friend = deal.terms["to"]
        table.state.powers[deal.by].units.append(Unit("horse", deal.terms["to"], deal.terms["sum"], "è x"))
    table.tell(table.seats[:2], "toy.deals", count=len(deals))


GAME = Game(
    slug="toy",
    title={"en": "Toy"},
    rules="7",
    package="tests.save.toybox",
    scenarios=(Scenario("standard", {"en": "Standard"}, {3: SEATS}),),
    state=State,
    setup=setup,
    play=play,
    view=lambda table, seat: View("toy", seat),
    clock=lambda state: {"turn": state.turn, "note": state.note},
    conceal=lambda table, seat, below: None,
    invariants=lambda table: [],
    result=lambda state: {"scores": {s: p.money for s, p in state.powers.items()}, "winners": []},
    components=lambda pack: pack.tables["things"]["things"],
    constraints=lambda tables: [],
    names=lambda components: Names(),
    options=(Option("rounds", Amount(1, 999), 3, {"en": "rounds"}),),
)


def load(slug: str) -> Game:
    """As `games.load`, for the toy alone."""
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
