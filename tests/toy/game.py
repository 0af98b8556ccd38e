"""A toy game that uses everything a rule may do: every request, nested rules, dice, secrets, surprises, the moderator.

Each round: sealed bids; a negotiation; then each seat acts twice. A march can be intercepted by everybody else, and
the marcher may bribe the interceptor. The most gold after two rounds wins. `tests.toy.planted` breaks it on purpose.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel.answers import PASS, Amount, Below, Choice, Domain, Form, Menu, Optional, Pick, Series, Text
from pbem.kernel.fiat import manual
from pbem.kernel.game import Game, Option, Play, Scenario, Setup
from pbem.kernel.problems import Problem, refuse
from pbem.kernel.questions import MODERATOR, REACTION, Ask, AskAll, Checkpoint, Negotiate, Proposal, Window
from pbem.kernel.referee import Referee
from pbem.kernel.sheets import REACTIONS
from pbem.kernel.table import Table
from pbem.kernel.view import CardView, Hand, Notice, View
from pbem.kernel.words import Names

SEATS = ("amber", "blue", "coral")
TABLE = (*SEATS, "denim")
SPACES = {
    "hill": ["ford", "keep"],
    "ford": ["hill", "keep", "port"],
    "keep": ["hill", "ford"],
    "port": ["ford"],
}
CARDS = [f"c{number}" for number in range(1, 13)]
SEED = "5a" * 32


class State(msgspec.Struct):
    """`hands` and `deck` are secret. `turn` lists the seats that have still to act, twice each."""

    phase: str
    round: int
    gold: dict[str, int]
    at: dict[str, str]
    hands: dict[str, list[str]]
    deck: list[str]
    discard: list[str] = []
    turn: list[str] = []
    motto: str = ""
    patron: str | None = None


def set_up(table: Table) -> State:
    deck = list(CARDS)
    table.shuffle(deck)
    hands = {seat: sorted(deck.pop() for _ in range(2)) for seat in table.seats}
    table.say("dealt", private={seat: {"cards": hand} for seat, hand in hands.items()})
    gold = dict.fromkeys(table.seats, 6)
    return State("bid", 1, gold, dict.fromkeys(table.seats, "hill"), hands, deck)


def play(table: Table) -> Play:
    phases = {"bid": bid, "talk": talk, "act": act}
    while table.state.phase != "over":
        yield Checkpoint()
        yield from phases[table.state.phase](table)


def bid(table: Table) -> Play:
    """1: sealed bids for the order of turns."""
    state = table.state
    asks = {
        seat: Ask(
            seat,
            "bid",
            lambda seat=seat: Amount(0, state.gold[seat]),  # type: ignore[misc]
            rule="1",
            default=0,
            pace="ballot",
            secret={"hand": list(state.hands[seat])},
        )
        for seat in table.seats
    }
    bids = yield AskAll(asks)
    for seat, gold in bids.items():
        state.gold[seat] -= gold
    table.say("bids", rule="1", learns=True, **bids)
    order = sorted(table.seats, key=lambda seat: -bids[seat])
    state.turn = [seat for seat in order for _ in range(2)]
    state.phase = "talk"


def talk(table: Table) -> Play:
    """2: leagues of two or three; signers may pay the proposer, who keeps his own price to himself."""
    state = table.state

    def clauses(seat: str) -> Domain | None:
        if state.gold[seat] < table.options.get("stake", 0):
            return None
        others = [other for other in table.seats if other != seat]
        return Form(to=Pick(others, 1, min(2, len(others))), price=Amount(0, 9), word=Optional(Text(20)))

    def sign(seat: str, proposal: Proposal) -> Domain | None:
        if state.gold[seat] == 0:
            raise refuse("rules.custom", text="a beggar signs nothing")
        return Amount(0, state.gold[seat])

    def legal(deals: list[Proposal]) -> Problem | None:
        last = set(deals[-1].parties)
        return (
            Problem("rules.custom", {"text": "one league each"})
            if any(last & set(deal.parties) for deal in deals[:-1])
            else None
        )

    deals = yield Negotiate(
        table.seats,
        clauses,
        parties=lambda seat, terms: (seat, *terms["to"]),
        sign=sign,
        shown=lambda terms: {key: value for key, value in terms.items() if key != "price"},
        legal=legal,
        limit=table.options.get("limit"),
        public=bool(table.options.get("public")),
        rule="2",
    )
    for deal in deals:
        for seat in deal.parties[1:]:
            state.gold[seat] -= deal.signed[seat]
            state.gold[deal.by] += deal.signed[seat]
        table.tell(deal.parties, "league", rule="2", parties=list(deal.parties))
    state.phase = "act"


def act(table: Table) -> Play:
    """3: one action after another, a checkpoint every turn."""
    state = table.state
    seat = state.turn[0]
    value = yield Ask(
        seat,
        "action",
        lambda: actions(table, seat),
        rule="3",
        default=lambda: "rest",
        about={"seat": seat, "space": state.at[seat]},
        secret={"hand": list(state.hands[seat])},
    )
    match value:
        case {"do": "march", "to": to}:
            yield from march(table, seat, to)
        case {"do": "tax", "with": gold}:
            state.gold[seat] += gold
        case {"do": "route", "with": route}:
            for to in route:
                if (yield from march(table, seat, to)):
                    break
        case "draw":
            draw(table, seat)
        case "plot":
            yield from manual(table, "plot", seat, invariants, rule="3.4")
    state.turn.pop(0)
    if not state.turn:
        state.round += 1
        state.phase = "bid" if state.round <= 2 else "over"


def actions(table: Table, seat: str) -> Menu:
    state = table.state

    def onward(so_far: Sequence[str]) -> Domain:
        return Choice(SPACES[so_far[-1] if so_far else state.at[seat]], "space")

    entries: dict[str, Domain | None] = {
        "rest": None,
        "tax": Amount(1, 2),
        "march": Form(to=Choice(SPACES[state.at[seat]], "space", why=lambda to: too_far(state.at[seat], to))),
        "route": Series(onward, 1, 3),
        "plot": None,
    }
    if state.deck:
        entries["draw"] = None
    return Menu(entries)


def too_far(origin: str, to: str) -> Problem | None:
    return (
        Problem("rules.custom", {"text": f"{to} is too far from {origin}"}, "3.1") if to in SPACES else None
    )


def march(table: Table, seat: str, to: str) -> Play:
    """3.1: a march, which an interception stops. Returns whether it was stopped."""
    with table.within("march", seat=seat, to=to):
        stopped = yield from intercept(table, seat, to)
    if not stopped:
        table.state.at[seat] = to
        table.say("marched", rule="3.1", seat=seat, to=to)
    return stopped


def intercept(table: Table, mover: str, to: str) -> Play:
    """3.2: everybody else may play a card against the march; those in the space are touched."""
    state = table.state
    others = [seat for seat in table.clockwise(mover) if seat != mover]
    touched = [seat for seat in others if state.at[seat] == to]
    window = Window(
        "intercept",
        {seat: lambda seat=seat: interception(table, seat) for seat in others},  # type: ignore[misc]
        rule="3.2",
        about={"mover": mover, "space": to, "touches": touched},
        secret={seat: {"hand": list(state.hands[seat])} for seat in others},
        cards=True,
    )
    replies = yield window
    for seat, reply in replies.walk(others):
        state.hands[seat].remove(reply["card"])
        state.discard.append(reply["card"])
        replies.took_effect(seat)
        extra = reply.get("extra", 0)
        table.say("intercepts", rule="3.2", learns=True, seat=seat, card=reply["card"], extra=extra)
        roll = table.roll(2, "intercept.roll", rule="3.2", seat=seat, space=to)
        if roll.total + extra < 6:
            continue
        if (yield from bribe(table, mover, seat)):
            continue
        table.say("intercepted", rule="3.2", seat=seat, mover=mover)
        table.surprise(mover)
        return True
    return False


def interception(table: Table, seat: str) -> Menu:
    hand = table.state.hands[seat]
    entries: dict[str, Domain | None] = {PASS: None}
    if hand:
        extra = Amount(0, min(2, table.state.gold[seat]))
        entries["intercept"] = Form(card=Choice(list(hand), "card"), extra=Optional(extra))
    return Menu(entries)


def bribe(table: Table, mover: str, seat: str) -> Play:
    """3.3: the marcher may buy his way; two gold suffice."""
    state = table.state
    with table.within("bribe", seat=seat):
        gold = yield Ask(mover, "bribe", Amount(0, min(3, state.gold[mover])), "3.3", 0, REACTION)
    state.gold[mover] -= gold
    state.gold[seat] += gold
    return gold >= 2


def draw(table: Table, seat: str) -> None:
    card = table.state.deck.pop()
    table.state.hands[seat].append(card)
    table.say("drew", rule="3.5", seat=seat, private={seat: {"card": card}})


def invariants(table: Table) -> list[Problem]:
    state = table.state
    found = [
        Problem("rules.custom", {"text": f"{seat} owes gold"}) for seat in table.seats if state.gold[seat] < 0
    ]
    cards = [*state.deck, *state.discard, *(card for seat in table.seats for card in state.hands[seat])]
    if sorted(cards) != sorted(CARDS):
        found.append(Problem("rules.custom", {"text": "cards are missing"}))
    return found


def conceal(table: Table, seat: str, below: Below) -> None:
    """Deal what `seat` cannot see anew."""
    others = [other for other in table.seats if other != seat]
    pool = [*table.state.deck, *(card for other in others for card in table.state.hands[other])]
    for other in others:
        table.state.hands[other] = [pool.pop(below(len(pool))) for _ in table.state.hands[other]]
    table.state.deck = pool


def result(state: State) -> dict[str, Any] | None:
    if state.phase != "over":
        return None
    best = max(state.gold.values())
    return {"scores": dict(state.gold), "winners": [s for s, gold in state.gold.items() if gold == best]}


def clock(state: State) -> Mapping[str, Any]:
    return {"round": state.round, "phase": state.phase, "seat": state.turn[0] if state.turn else ""}


def view(table: Table, seat: str) -> View:
    hands = [
        Hand(owner, "hand", len(hand), [CardView(c) for c in hand] if seat in (owner, MODERATOR) else None)
        for owner, hand in table.state.hands.items()
    ]
    notices = [Notice("discard", {"cards": list(table.state.discard)})]
    return View(
        "toy", seat, dict(clock(table.state)), hands=hands, notices=notices, scores=dict(table.state.gold)
    )


NAMES = Names(
    {
        "port": {"en": "Port Royal", "ja": "港"},
        "keep": {"en": "The Keep", "ja": "砦"},
        **{f"c{n}": {"en": f"Card {n}", "ja": f"札{n}"} for n in range(1, 13)},
    },
    {"hill": ["H"]},
)

GAME = Game(
    slug="toy",
    title={"en": "Toy", "ja": "玩具"},
    rules="1",
    package="tests.toy",
    scenarios=(Scenario("standard", {"en": "Standard", "ja": "標準"}, {n: TABLE[:n] for n in (2, 3, 4)}),),
    state=State,
    setup=set_up,
    play=play,
    view=view,
    clock=clock,
    conceal=conceal,
    invariants=invariants,
    result=result,
    components=lambda _pack: None,
    constraints=lambda _tables: [],
    names=lambda _components: NAMES,
    options=(Option("limit", Amount(1, 3), 3, {"en": "deals", "ja": "取引"}), REACTIONS),
    kinds=("bid", "negotiation", "action", "intercept", "bribe", "manual"),
)


def setup(**options: Any) -> Setup:
    epochs = options.pop("epochs", [])
    return Setup("toy", SEATS, SEED, options=options, epochs=epochs)


def new(keywords: dict[str, Any] | None = None, **options: Any) -> Referee:
    """A new game; options are those of the house."""
    return Referee.new(GAME, setup(**options), components=(), **(keywords or {}))


def to_talk(referee: Referee, *bids: int) -> Referee:
    """Play the bids (0 each if none are given)."""
    for seat, gold in zip(SEATS, bids or (0, 0, 0), strict=True):
        referee.submit(seat, gold)
    return referee


def to_action(referee: Referee, *bids: int) -> Referee:
    """Play to the first action; with no bids it is amber's, then blue's, then coral's."""
    to_talk(referee, *bids)
    for seat in SEATS:
        referee.submit(seat, "done")
    return referee


def to_window(referee: Referee) -> Referee:
    """Play until amber marches to the ford, where blue stands."""
    to_action(referee)
    referee.table.state.at["blue"] = "ford"
    referee.submit("amber", {"do": "march", "to": "ford"})
    return referee


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


def answers(referee: Referee) -> list[tuple[str, str, Any]]:
    """Who answered what kind of question how."""
    return [(move.seat, move.kind, move.answer) for move in referee.moves]
