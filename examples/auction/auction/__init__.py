"""Auction: twelve lots, sealed bids, and a secret taste. A complete game for pbem, as a start for your own.

1. Each player has 20 coins and a secret taste: paintings, clocks or vases.
2. The lots come up one by one, in an order that nobody knows. All bid at once, in secret; the highest bid pays and
   takes the lot. If the highest bids are equal, the lot is withdrawn and nobody pays.
3. At the end a lot counts its number, twice if it is to the taste of its owner. Of equals, the most coins win.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.kernel.domains import Amount, Below
from pbem.kernel.game import Game, Play, Scenario
from pbem.kernel.questions import MODERATOR, Ask, AskAll, Checkpoint
from pbem.kernel.table import Table as AnyTable
from pbem.kernel.view import Column, Notice, TableView, View
from pbem.kernel.order_words import Names

SEATS = ("ash", "birch", "cedar", "elm")
KINDS = {"painting": "絵", "clock": "時計", "vase": "壺"}
LOTS = tuple(f"{kind}-{number}" for kind in KINDS for number in (1, 2, 3, 4))


class State(msgspec.Struct):
    """`lots` are still to come; the last of them is up for sale, and the order of the others is a secret."""

    lots: list[str]
    coins: dict[str, int]
    tastes: dict[str, str]
    won: dict[str, list[str]]


Table = AnyTable[State, Any]


def setup(table: Table) -> State:
    """1. Return the start: coins, tastes, and the lots in an order that nobody knows."""
    lots, kinds = list(LOTS), [*KINDS, *KINDS]
    table.shuffle(lots)
    table.shuffle(kinds)
    tastes = {seat: kinds.pop() for seat in table.seats}
    table.log("dealt", rule="1", private={seat: {"taste": taste} for seat, taste in tastes.items()})
    return State(lots, dict.fromkeys(table.seats, 20), tastes, {seat: [] for seat in table.seats})


def play(table: Table) -> Play:
    """2. Sell lot by lot. A save can go on from each `Checkpoint`: all that play needs is in the state."""
    state = table.state
    while state.lots:
        yield Checkpoint()
        lot = state.lots[-1]
        about = {"lot": lot}
        table.log("up", rule="2", reveals=True, lot=lot, left=len(state.lots) - 1)
        bids: dict[str, int] = yield AskAll({
            seat: Ask(seat, "bid", Amount(0, state.coins[seat]), "2", default=0, pace="ballot", about=about)
            for seat in table.seats
        })  # fmt: skip
        state.lots.pop()
        best = [seat for seat, bid in bids.items() if bid == max(bids.values())]
        table.log("bids", rule="2", reveals=True, lot=lot, bids=bids)
        if len(best) > 1:
            table.log("withdrawn", rule="2", lot=lot)
            continue
        state.coins[best[0]] -= bids[best[0]]
        state.won[best[0]].append(lot)
        table.log("sold", rule="2", seat=best[0], lot=lot, coins=bids[best[0]])
    table.log("over", rule="3", reveals=True, tastes=state.tastes, points=points(state))


def points(state: State) -> dict[str, int]:
    """3. Return the points: a lot counts its number, twice if it is to the taste of its owner."""
    worth = {seat: [int(lot[-1]) * (1 + lot.startswith(state.tastes[seat])) for lot in won] for seat, won in state.won.items()}
    return {seat: sum(numbers) for seat, numbers in worth.items()}


def result(state: State) -> dict[str, Any] | None:
    """3. Return scores and winners: the most points win; of equals, the most coins."""
    if state.lots:
        return None
    scores = points(state)
    rank = {seat: (score, state.coins[seat]) for seat, score in scores.items()}
    return {"scores": scores, "winners": [seat for seat in rank if rank[seat] == max(rank.values())]}


def view(table: Table, seat: str) -> View:
    """Return what a seat may see: all but the order of the lots and the tastes of the others."""
    state = table.state
    rows: list[list[Any]] = [[bidder, state.coins[bidder], list(won)] for bidder, won in state.won.items()]
    columns = [Column("seat", "name"), Column("coins", "number"), Column("lots", "name")]
    notices = [Notice("sale", {"lot": state.lots[-1], "left": len(state.lots) - 1})] if state.lots else []
    seen = table.seats if seat == MODERATOR or not state.lots else (seat,) if seat else ()
    notices += [Notice("taste", {"seat": bidder, "taste": state.tastes[bidder]}) for bidder in seen]
    return View("auction", seat, clock(state), [TableView("bidders", columns, rows)], notices=notices)


def clock(state: State) -> dict[str, Any]:
    """Return the public fact of time that orders may name: which lot is up."""
    return {"lot": len(LOTS) - len(state.lots) + 1}


def conceal(table: Table, seat: str, below: Below) -> None:
    """Resample what `seat` must not know. `pbem dev leak-test` compares two such worlds."""
    state = table.state
    hidden, sale = sorted(state.lots[:-1]), state.lots[-1:]
    state.lots[:] = [hidden.pop(below(len(hidden))) for _ in range(len(hidden))] + sale
    own = [state.tastes[seat]] if seat in state.tastes else []
    kinds = sorted([*KINDS, *KINDS])
    for kind in own:
        kinds.remove(kind)
    for other in table.seats:
        if other != seat:
            state.tastes[other] = kinds.pop(below(len(kinds)))


def names(components: Any) -> Names:
    """Return words for ids, as emails print them and as orders may name them."""
    words = {kind: {"en": kind, "ja": ja} for kind, ja in KINDS.items()}
    words |= {seat: {"en": seat.title(), "ja": seat.title()} for seat in SEATS}
    for lot in LOTS:
        kind, number = lot.split("-")
        words[lot] = {"en": f"{kind} ({number})", "ja": f"{KINDS[kind]}({number})"}
    return Names(words)


GAME = Game(
    slug="auction",
    title={"en": "Auction", "ja": "競売"},
    package="auction",
    scenarios=(
        Scenario("standard", {"en": "Twelve lots", "ja": "十二品"}, {n: SEATS[:n] for n in (2, 3, 4)}),
    ),
    state=State,
    setup=setup,
    play=play,
    view=view,
    result=result,
    calendar=clock,
    conceal=conceal,
    names=names,
    question_kinds=("bid",),
)
