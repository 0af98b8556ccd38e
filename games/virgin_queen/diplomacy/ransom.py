"""Ransom (9.3): captive army leaders come home for a random card each; their captor can't refuse."""

from __future__ import annotations

from typing import Any

from games.virgin_queen import cards
from games.virgin_queen.diplomacy.execute import homecoming
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import POWERS, QueenState
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Form, Subset
from pbem.kernel.game import Play
from pbem.kernel.questions import AskAll

KIT.chapter("9.3", "ransom of leaders", "diplomacy/ransom.py")
_ask_ransom = KIT.question("ransom", "9.3")


@KIT.phase("ransom")
def ransom(table: Table) -> Play:
    """9.3 Ask all seats at once whom they ransom; draw the cards in impulse order."""
    state = table.state
    asks = {}
    for seat in dict.fromkeys(seat_of(state, power) for power in POWERS):
        own = [power for power in POWERS if seat_of(state, power) == seat]
        payers = {power: found for power in own if (found := payable(table, power))}
        if seat and payers:
            about: dict[str, Any] = {power: held for power, (held, _) in payers.items()}
            form = Form({power: Subset(held, 0, most, what="leaders") for power, (held, most) in payers.items()})
            asks[seat] = _ask_ransom(seat, form, {power: [] for power in payers}, **about)
    if not asks:
        return
    answers = yield AskAll(asks)
    for power in POWERS:
        seat = seat_of(state, power)
        for leader in answers.get(seat, {}).get(power, ()):
            yield from _pay(table, power, leader)


def payable(table: Table, power: str) -> tuple[list[str], int] | None:
    """9.3 Return the leaders whom a power could ransom, and how many at most. Each costs a card or treasure (6.3)."""
    state = table.state
    held = captives(state, power)
    most = min(len(held), len(cards.loose(table, power)) + len(state.powers[power].treasures))
    return (held, most) if most else None


def captives(state: QueenState, power: str) -> list[str]:
    """9.3 Return a power's army leaders held captive by another power, active or not (FAQ 30 9.3)."""
    return [key for key, leader in state.leaders.items() if leader.power == power and leader.captor not in ("", power)]


def _pay(table: Table, power: str, leader: str) -> Play:
    """9.3 Draw the ransom at random (6.3); a captor whom nobody plays gets nothing, and a mandatory card stays."""
    state = table.state
    captor = state.leaders[leader].captor
    kind, key = cards.random_from(table, power)
    taker = seat_of(state, captor)
    private = {seat: {"what": key} for seat in (seat_of(state, power), taker) if seat}
    table.log("ransom.paid", rule="9.3", power=power, captor=captor, leader=leader, kind=kind, private=private)
    if taker and captor in state.powers:
        own = state.powers[captor]
        (own.hand if kind == "card" else own.treasures).append(key)
    elif kind == "treasure":
        state.treasure_used.append(key)
    elif table.c.cards[key].type == "mandatory":
        state.powers[power].hand.append(key)
    else:
        cards.discard(table, key)
    yield from homecoming(table, leader, captor, "9.3")
