"""A toy game with every kind of question, for trials; `toy(leak, fault)` plants what a trial must find.

Two to four players hold three numbers each. The active player draws, then leads a number or passes. In a window the
others may snatch the lead with a higher number. Then all bid in secret what the lead is worth, two may swap numbers,
and the best bid scores.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.kernel.answers import PASS, Amount, Choice, Form, Menu
from pbem.kernel.game import Game, Option, Scenario
from pbem.kernel.problems import Problem, refuse
from pbem.kernel.questions import Ask, AskAll, Checkpoint, Negotiate, Window
from pbem.kernel.view import CardView, Hand, Notice, View
from pbem.kernel.words import Names

SEATS = ("ann", "bob", "cem", "dov")


class Player(msgspec.Struct):
    hand: list[str]
    score: int = 0


class State(msgspec.Struct):
    players: dict[str, Player]
    deck: list[str]
    shown: list[str]
    active: str
    turn: int = 1
    phase: str = "turn"


def number(card: str) -> int:
    return int(card[1:])


def setup(table):
    deck = [f"n{i}" for i in range(1, 31)]
    table.shuffle(deck)
    players = {seat: Player([deck.pop() for _ in range(3)]) for seat in table.seats}
    return State(players, deck, [], table.seats[0])


def clock(state):
    return {"turn": state.turn, "phase": state.phase, "active": state.active}


def result(state):
    if state.phase != "over":
        return None
    scores = {seat: player.score for seat, player in state.players.items()}
    return {"scores": scores, "winners": [s for s, n in scores.items() if n == max(scores.values())]}


def invariants(table):
    state = table.state
    cards = [*state.deck, *state.shown, *(card for player in state.players.values() for card in player.hand)]
    return (
        []
        if sorted(cards) == sorted(f"n{i}" for i in range(1, 31))
        else [Problem("rules.custom", {"text": "cards"})]
    )


def conceal(table, seat, below):
    piles = [table.state.deck, *(p.hand for s, p in table.state.players.items() if s != seat)]
    pool = [card for pile in piles for card in pile]
    for pile in piles:
        pile[:] = [pool.pop(below(len(pool))) for _ in pile]


class Odd(Menu):
    """A menu with a fault: it lists what it refuses, or writes what it reads as something else."""

    fault: str = ""

    def options(self):
        yield from super().options()
        if self.fault == "options":
            yield "sleep"

    def text(self, value):
        return "pass" if self.fault == "words" else super().text(value)


class Rules:
    def __init__(self, leak: str = "", fault: str = "") -> None:
        self.leak = leak
        self.fault = fault
        self.played = 0

    def setup(self, table):
        state = setup(table)
        if self.leak == "dealt":
            table.say("dealt", lowest={seat: min(p.hand, key=number) for seat, p in state.players.items()})
        return state

    def play(self, table):
        memory = 0  # a fault: what is not in the state is lost at a checkpoint
        while table.state.phase != "over":
            yield Checkpoint()
            memory += 1
            if self.leak == "late" and memory > 2 and table.state.deck:
                table.say("late", card=table.state.deck[-1])
            if self.fault == "forgets":
                table.state.players[table.seats[0]].score = memory
            if self.fault == "outside":
                self.played += 1
                table.state.players[table.seats[0]].score = self.played
            if self.fault == "endless":
                table.state.turn = 1
            yield from self.turn(table, table.state.active)

    def turn(self, table, seat):
        state = table.state
        players = state.players
        if state.deck:
            card = state.deck.pop()
            players[seat].hand.append(card)
            shown = {"card": card} if self.leak == "line" else {}
            table.say("drawn", seat=seat, private={seat: {"card": card}}, **shown)
            if self.leak == "line":
                table.lines[-1].private = None
        default = 99 if self.fault == "default" else None if self.must(seat, table) else PASS
        best = max(number(c) for s in table.seats for c in (players[s].hand or ["n0"]))
        with table.within("turn", **({"best": best} if self.leak == "trail" else {})):
            lead = yield Ask(seat, "lead", lambda: self.leading(table, seat), rule="1", default=default)
        if lead != PASS:
            card = lead["card"]
            players[seat].hand.remove(card)
            state.shown.append(card)
            table.say("led", seat=seat, card=card)
            winner = yield from self.snatch(table, seat, card)
            yield from self.bids(table, winner, card)
        if self.leak == "count" and any("n30" in p.hand for p in players.values()):
            yield Ask(seat, "boast", Choice(["yes", "no"]), default="no")
        yield from self.swap(table, seat)
        after = table.clockwise(seat)[1]
        state.active = after
        if after == table.seats[0]:
            state.turn += 1
            if state.turn > 3:
                state.phase = "over"
                table.say("won", **result(state), learns=True)

    def must(self, seat, table):
        """Whether nobody who holds a card may pass: a fault for pairs of worlds, which then must go apart."""
        return self.fault == "must" and bool(table.state.players[seat].hand)

    def leading(self, table, seat):
        hand = table.state.players[seat].hand

        def why(word: str):
            if self.leak == "why":
                held = any(word in p.hand for p in table.state.players.values())
                return Problem("rules.custom", {"text": "somebody has it" if held else "nobody has it"})
            return None

        entries: dict[str, Any] = {} if self.must(seat, table) else {"pass": None}
        if hand:
            entries["lead"] = Form(card=Choice(list(hand), "card", why))
        if self.fault == "dead_end":
            entries["wish"] = Form(card=Choice([], "card"))
        return Odd(entries, fault=self.fault)

    def snatch(self, table, seat, card):
        players = table.state.players
        able = {}
        for other in table.clockwise(seat)[1:]:
            hand = players[other].hand
            higher = [mine for mine in hand if number(mine) > number(card)]
            if hand and (higher or self.leak != "asked"):
                snatch = {"snatch": Form(card=Choice(higher))} if higher else {}
                able[other] = Menu({"pass": None, **snatch})
        about = {"seat": seat, "card": card}
        if self.leak == "about":
            about["best"] = max((number(c) for s in able for c in players[s].hand), default=0)
        replies = yield Window("snatch", able, rule="2", about=about)
        for other, answer in replies.walk():
            players[other].hand.remove(answer["card"])
            table.state.shown.append(answer["card"])
            table.say("snatched", seat=other, card=answer["card"], learns=True)
            replies.took_effect(other)
            return other
        return seat

    def bids(self, table, winner, card):
        players = table.state.players
        best = max((number(c) for s in table.seats if s != winner for c in players[s].hand), default=0)
        default = best % 10 if self.leak == "default" else 0
        asks = {s: Ask(s, "bid", Amount(0, 9), rule="3", default=default, pace="ballot") for s in table.seats}
        answers = yield AskAll(asks)
        for seat, bid in answers.items():
            table.say("bid", seat=seat, bid=bid, learns=self.leak != "unmarked")
        players[winner].score += max(answers.values()) + table.roll(1, "luck", sides=8).total
        if self.fault == "dice":
            table.lines[-1].args["dice"] = [7]
        if self.fault == "crash" and max(answers.values()) == 9:
            raise RuntimeError("nine is too much")
        if self.fault == "lost" and winner == table.seats[-1]:
            table.state.shown.pop()
        table.say("scored", seat=winner, score=players[winner].score, learns=True)

    def swap(self, table, seat):
        players = table.state.players
        other = table.clockwise(seat)[1]
        if not players[seat].hand or not players[other].hand:
            return

        def sign(who, proposal):
            if not players[who].hand:
                raise refuse("rules.custom", text="no card left")
            return Choice(list(players[who].hand))

        deals = yield Negotiate(
            (seat, other),
            clauses=lambda who: Form(card=Choice(list(players[who].hand))) if players[who].hand else None,
            parties=lambda who, terms: (seat, other),
            sign=sign,
            shown=lambda terms: {"card": "a card"},
            limit=1,
            kind="swap",
        )
        for deal in deals:
            by, to = deal.parties
            given, taken = deal.terms["card"], deal.signed[to]
            players[by].hand.remove(given)
            players[to].hand.remove(taken)
            players[by].hand.append(taken)
            players[to].hand.append(given)
            if self.leak == "swapped":
                table.say("swapped", by=by, to=to, cards=[given, taken])
            else:
                table.say("swapped", by=by, to=to, private={by: {"got": taken}, to: {"got": given}})

    def clock(self, state):
        facts = clock(state)
        return {**facts, "next": state.deck[-1]} if self.leak == "clock" and state.deck else facts

    def conceal(self, table, seat, below):
        conceal(table, seat, below)
        if self.fault == "conceal":
            table.state.deck.append("n1")

    def view(self, table, seat):
        state = table.state
        hands = []
        for owner, player in state.players.items():
            seen = seat in (owner, "moderator")
            hands.append(
                Hand(owner, "hand", len(player.hand), [CardView(c) for c in player.hand] if seen else None)
            )
        notices = [Notice("deck", {"cards": len(state.deck)})]
        if self.leak == "view" and state.deck:
            notices.append(Notice("next", {"low": number(state.deck[-1]) < 16}))
        scores = {owner: player.score for owner, player in state.players.items()}
        return View("toy", seat, clock(state), hands=hands, notices=notices, scores=scores)


def toy(leak: str = "", fault: str = "") -> Game:
    rules = Rules(leak, fault)
    return Game(
        slug="toy",
        title={"en": "Toy"},
        rules="1",
        package="games.sixteen_thirty",  # any pack will do: the toy has no components
        scenarios=(Scenario("standard", {"en": "Standard"}, {n: SEATS[:n] for n in (2, 3, 4)}),),
        state=State,
        setup=rules.setup,
        play=rules.play,
        view=rules.view,
        clock=rules.clock,
        conceal=rules.conceal,
        invariants=invariants,
        result=result,
        components=lambda pack: None,
        constraints=lambda tables: [],
        names=lambda components: NAMES,
        options=(Option("mood", Choice(("calm", "wild")), "calm", {"en": "mood"}),),
    )


NAMES = Names({f"n{i}": {"en": f"Number {i}", "ja": f"数{i}"} for i in range(1, 31)})
