"""A small game that asks every kind of question, with a map, hands, tracks and words in both languages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from pbem.kernel.answers import Amount, Arrange, Choice, Form, Menu, Optional, Pick, Series, Text
from pbem.kernel.game import Game, Scenario, Setup
from pbem.kernel.questions import MODERATOR, Ask, AskAll, Checkpoint, Negotiate, Window
from pbem.kernel.table import Table
from pbem.kernel.view import CardView, Column, Hand, MapSpace, Mark, Notice, TableView, Track, View
from pbem.kernel.words import Names

SEATS = ("red", "blue", "white")
PLACES = {
    "riga": ("Riga", "リガ", 9, 1), "oslo": ("Oslo", "オスロ", 5, 0), "lund": ("Lund", "ルンド", 5, 3),
    "leith": ("Leith", "リース", 1, 2), "ghent": ("Ghent", "ヘント", 3, 5), "ulm": ("Ulm", "ウルム", 5, 6),
    "graz": ("Graz", "グラーツ", 7, 7), "bari": ("Bari", "バーリ", 7, 10), "cadiz": ("Cadiz", "カディス", 0, 10),
    "lyon": ("Lyon", "リヨン", 3, 7),
}  # fmt: skip
LINKS = (
    ("riga", "oslo"), ("oslo", "lund"), ("lund", "ghent"), ("leith", "ghent"), ("ghent", "ulm"), ("ulm", "graz"),
    ("graz", "bari"), ("lyon", "ulm"), ("lyon", "cadiz"), ("lyon", "ghent"), ("riga", "graz"),
)  # fmt: skip
NORTH = ("riga", "oslo", "lund", "leith")
CARDS = {f"c{n}": (f"Card {n}", f"カード{n}") for n in range(1, 19)}


class State(msgspec.Struct):
    turn: int = 1
    step: int = 0
    sides: dict[str, str] = {}
    force: dict[str, int] = {}
    hands: dict[str, list[str]] = {}
    money: dict[str, int] = {}
    deck: list[str] = []
    friends: dict[str, list[str]] = {}


def near(space: str) -> list[str]:
    return [b if a == space else a for a, b in LINKS if space in (a, b)]


def setup(table: Table) -> State:
    state = State(deck=list(CARDS), sides=dict.fromkeys(PLACES, ""), force=dict.fromkeys(PLACES, 0))
    table.shuffle(state.deck)
    for seat, home in zip(SEATS, ("riga", "ghent", "bari"), strict=True):
        state.sides[home], state.force[home] = seat, 4
        state.hands[seat] = sorted(state.deck.pop() for _ in range(4))
        state.money[seat], state.friends[seat] = 3, []
    return state


def play(table: Table) -> Iterator[Any]:
    state: State = table.state
    while state.turn <= 4:
        yield Checkpoint()
        with table.within("turn", turn=state.turn):
            yield from (orders, ballot, interception, talks)[state.step](table)
        state.step = (state.step + 1) % 4
        if not state.step:
            state.turn += 1
            for seat in SEATS:
                state.money[seat] += state.turn


def orders(table: Table) -> Iterator[Any]:
    state: State = table.state
    own = [space for space, side in state.sides.items() if side == "red"] or ["riga"]
    march = Form(
        origin=Choice(own),
        to=lambda v: Choice(near(v.origin)),
        regulars=lambda v: Amount(1, max(state.force[v.origin], 1)),
    )
    menu = Menu(
        {
            "pass": None,
            "march": march,
            "muster": Arrange(dict.fromkeys(NORTH, 3), (1, 4)),
            "raid": Series(Choice(list(NORTH)), 1, 2),
            "speech": Text(60),
        }
    )
    about = {"turn": state.turn}
    answer = yield Ask("red", "orders", menu, rule="1", default="pass", about=about)
    if isinstance(answer, dict) and answer["do"] == "march":
        state.sides[answer["to"]] = "red"
        state.force[answer["to"]] += answer["regulars"]
    table.say("toy.orders", rule="1", seat="red", what=answer if isinstance(answer, str) else answer["do"])
    card = state.deck.pop(0)
    state.hands["red"].append(card)
    table.say("toy.drew", rule="1", learns=True, seat="red", private={"red": {"card": card}})


def ballot(table: Table) -> Iterator[Any]:
    state: State = table.state
    asks = {
        seat: Ask(
            seat,
            "ballot",
            Form(vote=Choice(list(SEATS)), place=Optional(Pick(list(state.hands[seat]), 1, 2, what="card"))),
            rule="2",
            pace="ballot",
            default={"vote": seat},
        )
        for seat in SEATS
    }
    answers = yield AskAll(asks)
    for seat, answer in answers.items():
        table.say("toy.vote", rule="2", learns=True, seat=seat, vote=answer["vote"])
        state.money[answer["vote"]] += 1


def interception(table: Table) -> Iterator[Any]:
    space = Menu({"pass": None, "intercept": Form(space=Choice(["lund", "ulm"]))})
    about = {"mover": "red", "space": "lund", "touches": ["blue", "white"]}
    yield Window("intercept", {"blue": space, "white": space}, rule="3", about=about)


def talks(table: Table) -> Iterator[Any]:
    deals = yield Negotiate(
        SEATS,
        lambda seat: Form(to=Choice([s for s in SEATS if s != seat]), sum=Amount(1, 3)),
        lambda seat, terms: [terms["to"]],
        kind="talks",
        rule="4",
    )
    for deal in deals:
        table.state.friends[deal.by].append(deal.terms["to"])
    table.say("toy.deals", rule="4", count=len(deals))


def view(table: Table, seat: str) -> View:
    state: State = table.state

    def region(key: str, spaces: list[str]) -> TableView:
        columns = [Column("space", "name"), Column("side", "name"), Column("force", "number")]
        return TableView(key, columns, [[s, state.sides[s], state.force[s]] for s in spaces], "map")

    columns = [Column("power", "name"), Column("money", "number"), Column("friends", "name")]
    powers = [[power, state.money[power], state.friends[power]] for power in SEATS]
    south = [space for space in PLACES if space not in NORTH]
    hands = [
        Hand(s, "hand", len(h), [CardView(c, ["ballot"]) for c in h] if seat in (s, MODERATOR) else None)
        for s, h in state.hands.items()
    ]
    return View(
        "toytown",
        seat,
        {"turn": state.turn},
        [
            region("north", list(NORTH)),
            region("south", south),
            TableView("powers", columns, powers, "powers"),
        ],
        [Track("war", 0, 10, [Mark(s, min(state.money[s], 10)) for s in SEATS])],
        hands,
        [Notice("view.peace")],
        [
            MapSpace(
                k, x, y, state.sides[k], str(state.force[k]), near(k), "north" if k in NORTH else "south"
            )
            for k, (_, _, x, y) in PLACES.items()
        ],
        dict(state.money),
    )


def conceal(table: Table, seat: str, below: Any) -> None:
    state: State = table.state
    piles = [state.deck, *(hand for owner, hand in state.hands.items() if owner != seat)]
    pool = [card for pile in piles for card in pile]
    for pile in piles:
        pile[:] = sorted(pool.pop(below(len(pool))) for _ in pile)


def names(_components: Any) -> Names:
    words = {key: {"en": en, "ja": ja} for key, (en, ja, _, _) in PLACES.items()}
    words |= {key: {"en": en, "ja": ja} for key, (en, ja) in CARDS.items()}
    words |= {
        "red": {"en": "Red", "ja": "赤"},
        "blue": {"en": "Blue", "ja": "青"},
        "white": {"en": "White", "ja": "白"},
    }
    return Names(words)


GAME = Game(
    slug="toytown",
    title={"en": "Toytown", "ja": "おもちゃの町"},
    rules="1",
    package="tests.tui.toybox",
    scenarios=(Scenario("standard", {"en": "Standard"}, {3: SEATS}),),
    state=State,
    setup=setup,
    play=play,
    view=view,
    clock=lambda state: {"turn": state.turn},
    conceal=conceal,
    invariants=lambda table: [],
    result=lambda state: {"scores": dict(state.money), "winners": []},
    components=lambda pack: pack.tables["things"]["things"],
    constraints=lambda tables: [],
    names=names,
    card_text=lambda c, key: {"en": f"What {CARDS[key][0]} does.", "ja": f"{CARDS[key][1]}の効果。"},
    kinds=("orders", "ballot", "intercept", "talks"),
)


def load(slug: str) -> Game:
    """As `games.load`, for the toy alone."""
    if slug != GAME.slug:
        raise LookupError(slug)
    return GAME


def setup_of() -> Setup:
    return Setup(GAME.slug, SEATS, "5a" * 32)


def answer(referee: Any, count: int, seed: int = 1) -> None:
    """So many random answers."""
    source = random.Random(seed)
    for _ in range(count):
        if referee.over:
            return
        seat = referee.waiting()[0]
        value = "done" if referee.talk is not None else referee.domain(seat).sample(source.randrange)
        referee.submit(seat, value, at="2026-05-01T10:00:00Z")
