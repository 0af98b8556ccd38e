"""A small game with every sort of question: a turn, a window, a ballot, a negotiation."""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.kernel.answers import Amount, Budget, Choice, Form, Menu, Optional, Text
from pbem.kernel.game import Game, Play, Scenario, Setup
from pbem.kernel.problems import Problem
from pbem.kernel.questions import Ask, AskAll, Checkpoint, Negotiate, Window
from pbem.kernel.referee import Referee
from pbem.kernel.standing import lines_of
from pbem.kernel.table import Table
from pbem.kernel.view import View
from pbem.kernel.words import Names
from pbem.orders.apply import apply
from pbem.orders.codes import prompt_codes
from pbem.orders.context import question_of
from pbem.orders.grammar import read
from pbem.orders.receipt import Receipt

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
KINDS = ("move", "intercept", "ballot", "negotiation", "speech")
SECRET = b"a secret of the game"


class State(msgspec.Struct):
    turn: int = 1
    phase: str = "talk"
    log: list[str] = []
    hands: dict[str, int] = {}


def play(table: Table) -> Play:
    state: State = table.state
    while state.turn <= 3:
        yield Checkpoint()
        if state.turn == 2:
            state.phase = "talk"
            deals = yield _talk(table)
            state.log += [f"deal {d.id}" for d in deals]
        state.phase = "action"
        for seat in table.seats:
            yield from _turn(table, seat)
        state.phase = "vote"
        asks = {
            seat: Ask(
                seat,
                "ballot",
                Choice(("accept", "reject", "abstain")),
                "7.3",
                default="abstain",
                pace="ballot",
            )
            for seat in table.seats
        }
        ballots = yield AskAll(asks)
        state.log.append(f"ballots {sorted(ballots.items())}")
        state.turn += 1
    yield Ask("england", "speech", Text(80, "speech"), "20.1")


def _talk(table: Table) -> Negotiate:
    def clauses(seat: str) -> Form:
        return Form(to=Choice([s for s in table.seats if s != seat]), gold=Amount(1, 5))

    return Negotiate(table.seats, clauses, lambda seat, terms: [terms["to"]], rule="9.1")


def _turn(table: Table, seat: str) -> Play:
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
    others = [s for s in table.seats if s != seat]
    reply = Menu({"pass": None, "intercept": Form(using=Choice(("fleet", "army")))})
    plans = yield Window(
        "intercept", dict.fromkeys(others, reply), "13.2", {"mover": seat, "space": answer["to"]}
    )
    for other, plan in plans.walk():
        plans.took_effect(other)
        state.log.append(f"{other} intercepts {plan}")
        table.surprise(seat)
        if plan["using"] == "fleet":
            table.outcome("intercepted", seat)


def _setup(table: Table) -> State:
    return State(hands={seat: table.dice.roll(1, 6)[0] for seat in table.seats})


GAME = Game(
    slug="toy",
    title={"en": "Toy"},
    rules="1",
    package="tests",
    scenarios=(Scenario("standard", {"en": "Standard"}, {3: SEATS}),),
    state=State,
    setup=_setup,
    play=play,
    view=lambda table, seat: View("toy", seat),
    clock=lambda state: {"turn": state.turn, "phase": state.phase},
    conceal=lambda table, seat, below: None,
    invariants=lambda table: (),
    result=lambda state: {"winners": []} if state.turn > 3 else None,
    components=lambda pack: None,
    constraints=lambda tables: (),
    names=lambda components: NAMES,
    private_press=lambda state: state.phase != "vote",
    kinds=KINDS,
    outcomes={"intercepted": ("move",), "won": ("move",)},
    turns=("move",),
)


def start() -> Referee:
    """A new game: question 1 is England's first move."""
    return Referee.new(GAME, Setup("toy", SEATS, "00" * 32), components=())


def codes(referee: Referee, seat: str) -> tuple[str, ...]:
    return prompt_codes(SECRET, "toy-1", seat, 0, referee.q, asked=seat in referee.asked())


def send(referee: Referee, seat: str, *lines: str, via: str = "", **keywords: Any) -> Receipt:
    """A letter of `seat` with these lines, under the code in force."""
    code = codes(referee, seat)[0]
    text = "\n".join([f"BEGIN ORDERS toy-1 {seat} {code}", *lines, "END ORDERS"])
    (block,) = read(text).blocks
    via = via or f"<{len(referee.moves)}-{seat}-{hash(lines)}>"
    return apply(
        referee, block, game="toy-1", codes=codes(referee, seat), seat=seat, at="t", via=via, **keywords
    )


def taken(referee: Referee, asked: str, text: str, **keywords: Any) -> Receipt:
    """A letter of `asked` with this text, head and all."""
    (block,) = read(text).blocks
    return apply(
        referee, block, **{"game": "toy-1", "codes": codes(referee, asked), "seat": asked, **keywords}
    )


def fates(receipt: Receipt) -> list[tuple[int, str]]:
    """What became of each line that was accepted."""
    return [(accepted.line, accepted.fate) for accepted in receipt.accepted]


def reasons(receipt: Receipt) -> list[tuple[int, str]]:
    """Why each of the others was not."""
    return [(refused.line, refused.problem.key) for refused in receipt.refused]


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


def view_file(referee: Referee, seat: str) -> dict[str, Any]:
    """The player's view file, with the keys that the offline check reads."""
    question = question_of(referee, seat)
    asked = []
    if question is not None:
        asked.append(
            {
                "q": question.q,
                "seat": seat,
                "kind": question.kind,
                "rule": question.rule,
                "sealed": question.sealed,
                "negotiation": question.talk,
                "answer": question.answer,
                "about": dict(question.about),
                "domain": question.domain.describe(Budget()),
                "default": question.default,
            }
        )
    return {
        "format": 1,
        "game": "toy-1",
        "seat": seat,
        "seats": list(SEATS),
        "code": codes(referee, seat)[0],
        "q": referee.q,
        "over": referee.over,
        "kinds": list(KINDS),
        "clock": {"turn": referee.table.state.turn, "phase": referee.table.state.phase},
        "private_press": referee.table.state.phase != "vote",
        "names": NAMES.names,
        "aliases": {key: list(words) for key, words in NAMES.aliases.items()},
        "faces": NAMES.printed,
        "queue": lines_of(seat, referee.queue),
        "standing": lines_of(seat, referee.standing),
        "settings": lines_of(seat, referee.settings),
        "questions": asked,
    }
