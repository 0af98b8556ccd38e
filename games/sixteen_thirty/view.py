"""The view of a seat, and what is resampled because the seat must not know it."""

from __future__ import annotations

from typing import Any

from games.sixteen_thirty.components import face_of
from games.sixteen_thirty.scoring import points
from games.sixteen_thirty.state import ThirtyState
from games.sixteen_thirty.table import Table
from pbem.kernel.domains import Below
from pbem.kernel.geography import Conic
from pbem.kernel.questions import MODERATOR
from pbem.kernel.view import CardView, Column, Hand, MapSpace, Notice, TableView, Track, TrackMarker, View

CHART = Conic(40, 58, 49, 9)
"""The projection of the map."""


def view(table: Table, seat: str) -> View:
    """Return the table as `seat` sees it."""
    state: ThirtyState = table.state
    return View(
        game="sixteen_thirty",
        seat=seat,
        clock=clock(state),
        tables=[_countries(table), _influence(table), _players(state), *_own(state, seat), _neighbours(table)],
        tracks=[
            Track("status", 0, 7, [TrackMarker(key, land.status) for key, land in state.countries.items()]),
            Track("turn", 1, table.c.last_turn, [TrackMarker("turn", state.turn)]),
        ],
        hands=[_hand(table, owner, seat) for owner in table.seats],
        notices=[
            Notice("view.deck", {"deck": len(state.deck), "discards": len(state.discards)}),
            Notice("view.inferior"),
        ],
        map=[_space(table, key) for key in state.countries],
        scores={owner: player.score for owner, player in state.players.items()},
    )


def clock(state: ThirtyState) -> dict[str, Any]:
    """Return public facts of time."""
    return {"turn": state.turn, "phase": state.phase, "active": _active(state), "first": state.first}


def _active(state: ThirtyState) -> str:
    """Return whose turn it is; "" when it is nobody's: at the first display, at the end of a turn, after the game."""
    return state.active if state.phase == "player" else ""


def _countries(table: Table) -> TableView:
    columns = [
        Column("country", "name"), Column("side", "name"), Column("status", "number"), Column("army", "number"),
        Column("ability", "number"), Column("leader", "flag"), Column("unrest", "flag"),
    ]  # fmt: skip
    rows = [
        [key, land.side, land.status, land.army, land.ability, land.leader, land.unrest]
        for key, land in table.state.countries.items()
    ]  # fmt: skip
    return TableView("countries", columns, rows, group="map")


def _neighbours(table: Table) -> TableView:
    """Return who borders on whom; it matters where the attacked country is weak."""
    columns = [Column("country", "name"), Column("adjacent", "name")]
    rows: list[list[Any]] = [[key, list(land.adjacent)] for key, land in table.c.countries.items()]
    return TableView("neighbours", columns, rows, group="reference")


def _influence(table: Table) -> TableView:
    """Return votes on the table by country and player; an inferior pile is marked."""
    state: ThirtyState = table.state
    columns = [Column("country", "name"), *(Column(seat, "text") for seat in table.seats)]
    rows: list[list[Any]] = []
    for country in state.countries:
        row: list[Any] = [country]
        for seat in table.seats:
            pile = state.players[seat].piles.get(country)
            row.append("" if pile is None else f"{pile.votes}{'*' if pile.inferior else ''} ({_cards(pile.cards)})")
        rows.append(row)
    return TableView("influence", columns, rows, group="influence")


def _cards(keys: list[str]) -> str:
    """Return the votes of a pile's cards, Open ones marked: `2+1+o1`."""
    return "+".join(("o" if key.startswith("open") else "") + face_of(key).rpartition("-")[2] for key in keys)


def _players(state: ThirtyState) -> TableView:
    columns = [
        Column("seat", "name"), Column("score", "number"), Column("hand", "number"), Column("counters", "number"),
        Column("first", "flag"), Column("active", "flag"),
    ]  # fmt: skip
    rows = [
        [seat, p.score, len(p.hand), len(p.counters), seat == state.first, seat == _active(state)]
        for seat, p in state.players.items()
    ]
    return TableView("players", columns, rows, group="players")


def _own(state: ThirtyState, seat: str) -> list[TableView]:
    """Return the viewer's secret countries and what they would score now.

    The moderator sees everybody's; at the end of the game all do. Sorted by name, for the order in which the counters
    were drawn is secret.
    """
    tables = []
    for owner in state.players:
        if seat in (owner, MODERATOR) or state.phase == "over":
            columns = [Column("country", "name"), Column("points", "number")]
            tables.append(
                TableView(
                    "counters", columns, [list(row) for row in sorted(points(state, owner))], "secret", {"seat": owner}
                )
            )
    return tables


def _hand(table: Table, owner: str, viewer: str) -> Hand:
    hand = table.state.players[owner].hand
    if viewer not in (owner, MODERATOR):
        return Hand(owner, "hand", len(hand))
    uses = {"influence": ["call", "ballot"], "open": ["call", "ballot"], "special": ["special"]}
    cards = [CardView(key, uses[table.c.cards[key].kind]) for key in sorted(hand)]
    return Hand(owner, "hand", len(hand), cards)


def _space(table: Table, key: str) -> MapSpace:
    land, state = table.c.countries[key], table.state.countries[key]
    x, y = CHART.at(land.lon, land.lat)
    return MapSpace(key, x, y, state.side, f"{state.status}", list(land.adjacent), "europe")


def conceal(table: Table, seat: str, below: Below) -> None:
    """Resample what `seat` must not know: hands and dropped cards, the deck, counters and the spare ones."""
    state: ThirtyState = table.state
    others = [player for owner, player in state.players.items() if owner != seat]
    dropped = [key for player in others for key in player.dropped]
    places = [state.discards.index(key) for key in dropped]
    for piles in (
        [*(p.hand for p in others), *(p.dropped for p in others), state.deck],
        [*(p.counters for p in others), state.spare],
    ):
        pool = sorted(key for pile in piles for key in pile)
        for i in range(len(pool) - 1, 0, -1):
            j = below(i + 1)
            pool[i], pool[j] = pool[j], pool[i]
        for pile in piles:
            pile[:] = [pool.pop() for _ in pile]
    for place, key in zip(places, (key for player in others for key in player.dropped), strict=True):
        state.discards[place] = key
