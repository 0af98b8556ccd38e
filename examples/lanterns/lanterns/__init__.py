"""Lanterns: three to five players each hope that their lantern shines, and a gust of wind can put it out.

1. There are 30 cards: lantern 1 to lantern 26, and four gusts. Each player is dealt five.
2. Each night every player chooses one card from their hand, in secret. All are shown together.
3. The highest lantern scores one point. A gust shown this way counts as 0.
4. Before it scores, every other player may throw a gust from their hand. If anybody does, nobody scores.
5. Cards that were shown or thrown are discarded. The game ends when somebody has no card left. The most points win.
"""

from typing import Any

import msgspec

from pbem.kernel.domains import PASS, Choice
from pbem.kernel.game import Game, Play, Scenario
from pbem.kernel.hidden import Hidden
from pbem.kernel.questions import Ask, AskAll, Checkpoint, Window
from pbem.kernel.table import Table as AnyTable

SEATS = ("ash", "birch", "cedar", "elm", "fir")
CARDS = (*(f"lantern-{n}" for n in range(1, 27)), *(f"gust-{n}" for n in range(1, 5)))


class State(msgspec.Struct):
    """Everything the rules need to remember. `deck` and `hands` are secret."""

    deck: list[str]
    hands: dict[str, list[str]]
    points: dict[str, int]
    discards: list[str] = []
    night: int = 1


Table = AnyTable[State, Any]


def setup(table: Table) -> State:
    deck = list(CARDS)
    table.shuffle(deck)
    hands = {seat: [deck.pop() for _ in range(5)] for seat in table.seats}
    table.log("dealt", rule="1", private={seat: {"cards": hand} for seat, hand in hands.items()})
    return State(deck, hands, dict.fromkeys(table.seats, 0))


def play(table: Table) -> Play:
    state = table.state
    while result(state) is None:
        yield Checkpoint()
        # Rule 2: one sealed question to each seat. `cards` is {seat: card} once all have answered.
        cards: dict[str, str] = yield AskAll({
            seat: Ask(seat, "show", Choice(hand), "2", default=hand[0], about={"night": state.night})
            for seat, hand in state.hands.items()
        })
        for seat, card in cards.items():
            discard(table, seat, card)
            table.log("shown", rule="2", reveals=True, seat=seat, card=card)
        best = max(cards, key=lambda seat: value(cards[seat]))
        # Rule 4: everybody with cards is asked, with or without a gust, so that the question reveals nothing.
        others = [seat for seat in table.clockwise(best) if seat != best and state.hands[seat]]
        gusts = {seat: [card for card in state.hands[seat] if card.startswith("gust")] for seat in others}
        answers = {seat: Choice([*gusts[seat], PASS]) for seat in others}
        replies = yield from Window("gust", answers, "4", about={"seat": best, "card": cards[best]})
        thrown = list(replies.in_order(others))[:1]  # one is enough: the others keep theirs, and nobody sees that
        for seat, card in thrown:
            discard(table, seat, card)
            table.log("out", rule="4", reveals=True, seat=seat, card=card)
        if not thrown:
            state.points[best] += 1
            table.log("scores", rule="3", seat=best)
        state.night += 1


def value(card: str) -> int:
    return 0 if card.startswith("gust") else int(card.removeprefix("lantern-"))


def discard(table: Table, seat: str, card: str) -> None:
    table.state.hands[seat].remove(card)
    table.state.discards.append(card)


def result(state: State) -> dict[str, Any] | None:
    if all(state.hands.values()):
        return None
    most = max(state.points.values())
    return {"scores": dict(state.points), "winners": [seat for seat, n in state.points.items() if n == most]}


def clock(state: State) -> dict[str, Any]:
    return {"night": state.night}


SECRETS = (Hidden("hands", "cards", pieces=CARDS), Hidden("deck", "cards"))

GAME = Game(
    slug="lanterns", title={"en": "Lanterns", "ja": "灯籠"}, package="lanterns", state=State, setup=setup,
    play=play, result=result, calendar=clock, secrets=SECRETS, question_kinds=("show", "gust"),
    scenarios=(Scenario("standard", {"en": "One evening", "ja": "一夜"}, {n: SEATS[:n] for n in (3, 4, 5)}),),
)
