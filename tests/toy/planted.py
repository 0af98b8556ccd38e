"""The toy game with a leak or a fault in it, each of which a trial must find: `toy(leak, fault)`.

They are planted from outside: the rules of `tests.toy.game` play on, and what they ask, tell and keep is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec

from pbem.kernel.domains import PASS, Choice, Form, Menu
from pbem.kernel.game import Game, Play
from pbem.kernel.questions import Ask, AskAll, Window
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.view import Notice, View
from tests.toy.game import GAME, conceal, orders


def number(card: str) -> int:
    return int(card[1:])


class Odd(Menu):
    """A menu with a fault: it lists what it refuses, or writes what it reads as something else."""

    fault: str = ""

    def options(self):
        yield from super().options()
        if self.fault == "options":
            yield "sleep"

    def text(self, value):
        return "hold" if self.fault == "words" else super().text(value)


class Planted:
    """`leak`: something reaches a seat that may not know it. `fault`: anything else that a game must not do."""

    def __init__(self, leak: str, fault: str) -> None:
        self.leak = leak
        self.fault = fault
        self.played = 0

    def best(self, table: Any) -> int:
        """The highest card in anybody's hand, which nobody may know."""
        return max((number(card) for hand in table.state.hands.values() for card in hand), default=0)

    def setup(self, table):
        state = GAME.setup(table)
        if self.leak == "dealt":
            table.log("lowest", cards={seat: min(hand, key=number) for seat, hand in state.hands.items()})
        return state

    def play(self, table: Any) -> Play:
        memory = 0  # of the fault: what is not in the state is lost at a checkpoint
        rules, answer, told = GAME.play(table), None, len(table.lines)
        while True:
            try:
                request = rules.send(answer)
            except StopIteration:
                return
            for line in table.lines[told:]:
                self.tell(table, line)
            told = len(table.lines)
            match request:
                case Ask(kind="action"):
                    memory += 1
                    self.action(table, request, memory)
                    if self.leak == "count" and self.best(table) == 12:
                        yield Ask(request.seat, "boast", Choice(["yes", "no"]), default="no")
                case Window():
                    self.window(table, request)
                case AskAll():
                    self.bids(table, request)
            with table.within("turn", **({"best": self.best(table)} if self.leak == "trail" else {})):
                answer = yield request
            if self.fault == "crash" and isinstance(request, AskAll) and 3 in answer.values():
                raise RuntimeError("three is too much")

    def action(self, table: Any, ask: Ask, memory: int) -> None:
        """What goes wrong before somebody acts."""
        state, seat = table.state, ask.seat
        if self.leak == "late" and memory > 2 and state.deck:
            table.log("late", card=state.deck[-1])
        if self.fault == "forgets":
            state.motto = str(memory)
        if self.fault == "outside":
            self.played += 1
            state.motto = str(self.played)
        if self.fault == "endless":
            state.turn = 1
        if self.fault == "lost" and state.discard:
            state.discard.pop()
        if self.fault == "default":
            ask.default = 99
        ask.domain = lambda: self.menu(table, seat)

    def menu(self, table: Any, seat: str) -> Menu:
        entries = dict(orders(table, seat).entries)
        hands = table.state.hands

        def why(word: str) -> RejectionReason:
            held = any(word in hand for hand in hands.values())
            return RejectionReason("rules.custom", {"text": "somebody has it" if held else "nobody has it"})

        if self.leak == "why" and hands[seat]:
            entries["boast"] = Form(card=Choice(list(hands[seat]), "card", why))
        if self.fault == "dead_end":
            entries["wish"] = Form(card=Choice([], "card"))
        return Odd(entries, fault=self.fault)

    def window(self, table: Any, window: Window) -> None:
        """What goes wrong when others may play a card."""
        hands = table.state.hands
        if self.leak == "about":
            window.about["best"] = self.best(table)
        if self.leak == "asked":
            window.domains = {s: d for s, d in window.domains.items() if max(map(number, hands[s] or ["c0"])) > 6}
        if self.fault == "must":  # no fault but for pairs of worlds, which must not go apart
            window.domains = {
                seat: self.forced(cast("Callable[[], Menu]", domain)()) for seat, domain in window.domains.items()
            }

    def forced(self, menu: Menu) -> Menu:
        """Whoever holds a card may not pass."""
        return Menu({k: d for k, d in menu.entries.items() if k != PASS or len(menu.entries) == 1})

    def bids(self, table: Any, asked: AskAll) -> None:
        if self.leak == "default":
            for seat, ask in asked.asks.items():
                ask.default = self.best(table) % (table.state.gold[seat] + 1)

    def tell(self, table: Any, line: Any) -> None:
        """What goes wrong in the telling."""
        if self.leak == "line" and line.key == "drew":
            line.args.update(*line.private.values())
            line.private = None
        if self.leak == "unmarked" and line.key == "intercepts":
            line.reveals = False
        if self.leak == "swapped" and line.key == "league":
            table.log("sworn", cards=[table.state.hands[seat] for seat in line.only])
        if self.fault == "dice" and line.key == "intercept.roll":
            line.args["dice"] = [7, 7]

    def clock(self, state):
        facts = GAME.calendar(state)
        return {**facts, "next": state.deck[-1]} if self.leak == "clock" and state.deck else facts

    def conceal(self, table, seat, below):
        conceal(table, seat, below)
        if self.fault == "conceal":
            table.state.deck.append("c1")

    def view(self, table: Any, seat: str) -> View:
        seen = GAME.view(table, seat)
        if self.leak == "view" and table.state.deck:
            seen.notices.append(Notice("next", {"low": number(table.state.deck[-1]) < 7}))
        return seen


def toy(leak: str = "", fault: str = "") -> Game:
    """The standard scenario; sound if nothing is named."""
    planted = Planted(leak, fault)
    return msgspec.structs.replace(
        GAME,
        scenarios=GAME.scenarios[:1],
        setup=planted.setup,
        play=planted.play,
        view=planted.view,
        calendar=planted.clock,
        conceal=planted.conceal,
    )
