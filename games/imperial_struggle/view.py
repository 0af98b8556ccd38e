"""The view of a side, and what is resampled because the side must not know it."""

from __future__ import annotations

from typing import Any

from games.imperial_struggle.board import available_debt, flags_in, prestige, protected
from games.imperial_struggle.map_drawing import AT
from games.imperial_struggle.state import FRANCE, SEATS, StruggleState
from games.imperial_struggle.table import Table
from pbem.kernel.domains import Below
from pbem.kernel.questions import MODERATOR
from pbem.kernel.view import CardView, Column, Hand, MapSpace, Notice, TableView, Track, TrackMarker, View


def view(table: Table, seat: str) -> View:
    """Return the table as `seat` sees it."""
    state: StruggleState = table.state
    return View(
        game="imperial_struggle",
        seat=seat,
        clock=clock(state),
        tables=[
            *(_region(table, region) for region in table.c.regions), _awards(table), _demand(table), _sides(table),
            _round(table), _advantages(table), _ministries(table, seat), _theaters(table, seat), _tiles(table),
        ],
        tracks=_tracks(table),
        hands=[_hand(table, owner, seat) for owner in SEATS],
        notices=_notices(table, seat),
        map=[_space(table, key) for key in table.c.spaces],
        scores={"vp": state.vp},
    )  # fmt: skip


def clock(state: StruggleState) -> dict[str, Any]:
    """Return public facts of time."""
    return {
        "turn": state.turn, "phase": state.phase, "active": state.active, "first": state.first, "vp": state.vp,
        "rounds": state.rounds,
    }  # fmt: skip


def _region(table: Table, region: str) -> TableView:
    state, c = table.state, table.c
    columns = [
        Column("space", "name"), Column("type", "name"), Column("flag", "name"), Column("cost", "number"),
        Column("commodity", "name"), Column("marks", "name"),
    ]  # fmt: skip
    rows = []
    for key in c.of_region[region]:
        space = c.spaces[key]
        rows.append([
            key, space.type, state.flags[key] or None, space.cost or None, space.commodity or None,
            _marks(table, key),
        ])  # fmt: skip
    return TableView(region, columns, rows, group="map", title={"region": region})


def _marks(table: Table, key: str) -> list[str]:
    """Return what is in a space, and what it is: prestige, alliance, Conflict marker, damage, Protection."""
    state, space = table.state, table.c.spaces[key]
    marks = []
    if space.prestige:
        marks.append("prestige")
    if space.alliance:
        marks.append("alliance")
    if key in state.conflicts:
        marks.append("conflict" if state.conflicts[key] == 1 else "conflict-plus")
    if key in state.damaged:
        marks.append("damaged")
    if key in state.huguenots:
        marks.append("huguenots" if state.huguenots[key] else "huguenots-flipped")
    if space.type == "market" and protected(table, key):
        marks.append("protected")
    if state.round is not None and key in state.round.isolated:
        marks.append("isolated")
    return marks


def _awards(table: Table) -> TableView:
    state, c = table.state, table.c
    columns = [
        Column("region", "name"), Column("award", "name"), Column("margin", "number"), Column("britain", "number"),
        Column("france", "number"),
    ]  # fmt: skip
    rows: list[list[Any]] = [
        [region, key, c.awards[key].margin, *(flags_in(state, seat, c.of_region[region]) for seat in SEATS)]
        for region, key in state.awards.items()
    ]
    rows.append(["prestige", None, 1, *(prestige(table, seat) for seat in SEATS)])
    return TableView("awards", columns, rows, group="scoring")


def _demand(table: Table) -> TableView:
    state, c = table.state, table.c
    columns = [
        Column("commodity", "name"), Column("demand", "flag"), Column("vp", "number"), Column("trp", "number"),
        Column("debt", "number"), Column("britain", "number"), Column("france", "number"),
    ]  # fmt: skip
    rows = []
    for key, commodity in c.commodities.items():
        reward = commodity.reward(c.turn(state.turn).era)
        held = [flags_in(state, seat, c.of_commodity[key]) for seat in SEATS]
        rows.append([key, key in state.demand, reward.vp, reward.trp, reward.debt, *held])
    return TableView("demand", columns, rows, group="scoring")


def _sides(table: Table) -> TableView:
    state = table.state
    columns = [
        Column("seat", "name"), Column("debt", "number"), Column("limit", "number"), Column("available", "number"),
        Column("trp", "number"), Column("box", "number"), Column("unbuilt", "number"), Column("aside", "number"),
        Column("events", "number"), Column("tiles", "name"), Column("initiative", "flag"), Column("active", "flag"),
    ]  # fmt: skip
    rows = [
        [
            seat, side.debt, side.limit, available_debt(state, seat), side.trp, side.box, side.unbuilt, side.aside,
            len(side.hand), list(side.tiles), seat == state.initiative, seat == state.active,
        ]
        for seat, side in state.sides.items()
    ]  # fmt: skip
    return TableView("sides", columns, rows, group="powers")


def _round(table: Table) -> TableView:
    columns = [
        Column("action", "name"), Column("type", "name"), Column("points", "number"), Column("limit", "name"),
        Column("source", "name"),
    ]  # fmt: skip
    now = table.state.round
    pools = now.pools if now is not None else []
    rows = [[pool.action, pool.type, pool.points, pool.limit or None, pool.source] for pool in pools]
    return TableView("round", columns, rows, group="powers")


def _advantages(table: Table) -> TableView:
    state = table.state
    columns = [
        Column("advantage", "name"), Column("region", "name"), Column("holder", "name"), Column("exhausted", "flag"),
        Column("spaces", "name"),
    ]  # fmt: skip
    rows = [
        [key, tile.region, state.advantages[key] or None, key in state.exhausted, list(tile.spaces)]
        for key, tile in table.c.advantages.items()
    ]
    return TableView("advantages", columns, rows, group="powers")


def _ministries(table: Table, viewer: str) -> TableView:
    """Return the Ministry cards in play. A face-down card of the other side shows as `face-down`."""
    state, c = table.state, table.c
    columns = [
        Column("seat", "name"), Column("ministry", "name"), Column("face_up", "flag"), Column("keywords", "name"),
        Column("exhausted", "name"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for seat, side in state.sides.items():
        for card in sorted(side.ministries, key=lambda key: (key not in side.revealed, key)):
            if card in side.revealed or viewer in (seat, MODERATOR):
                used = [key.removeprefix(f"{card}/") for key in state.exhausted if key.partition("/")[0] == card]
                rows.append([seat, card, card in side.revealed, list(c.ministries[card].keywords), used])
            else:
                rows.append([seat, "face-down", False, [], []])
    return TableView("ministries", columns, rows, group="cards")


def _theaters(table: Table, viewer: str) -> TableView:
    """Return the next war: each side's tiles by theater; of the other side only how many there are."""
    state, c = table.state, table.c
    columns = [
        Column("theater", "name"), Column("britain", "name"), Column("france", "name"), Column("markers", "name"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for theater, sides in state.theaters.items():
        row: list[Any] = [theater]
        for seat in SEATS:
            tiles = sides[seat]
            if viewer in (seat, MODERATOR):
                row.append(sorted(tiles))
            else:
                bonus = sum(1 for key in tiles if c.war_tiles[key].war)
                row.append([*["basic"] * (len(tiles) - bonus), *["bonus"] * bonus])
        row.append(["byng"] if state.byng == theater else [])
        rows.append(row)
    return TableView("theaters", columns, rows, group="war", title={"war": state.war} if state.war else {})


def _tiles(table: Table) -> TableView:
    c = table.c
    columns = [
        Column("tile", "name"), Column("major", "name"), Column("points", "number"), Column("minor", "name"),
        Column("event", "flag"), Column("upgrade", "flag"),
    ]  # fmt: skip
    rows = []
    for key in table.state.display:
        tile = c.investments[key]
        rows.append([key, tile.major, tile.major_points, tile.minor, tile.event, tile.upgrade])
    return TableView("tiles", columns, rows, group="powers")


def _tracks(table: Table) -> list[Track]:
    state = table.state
    sides = state.sides.items()
    most = max(20, *(side.limit for side in state.sides.values()))
    return [
        Track("vp", 0, 30, [TrackMarker("vp", state.vp)]),
        Track("turn", 1, len(table.c.turns), [TrackMarker("turn", state.turn)]),
        Track("debt", 0, most, [TrackMarker(seat, side.debt) for seat, side in sides]),
        Track("limit", 0, most, [TrackMarker(seat, side.limit) for seat, side in sides]),
        Track("treaty", 0, 20, [TrackMarker(seat, side.trp) for seat, side in sides]),
    ]


def _hand(table: Table, owner: str, viewer: str) -> Hand:
    hand = table.state.sides[owner].hand
    if viewer not in (owner, MODERATOR):
        return Hand(owner, "events", len(hand))
    numbers = table.c.events
    return Hand(
        owner, "events", len(hand), [CardView(key, ["act"]) for key in sorted(hand, key=lambda k: numbers[k].number)]
    )


def _notices(table: Table, viewer: str) -> list[Notice]:
    state = table.state
    notices = [
        Notice("view.decks", {"draw": len(state.draw), "discards": sorted(state.discards), "stack": len(state.stack)}),
        Notice("view.removed", {"cards": [key for key in state.removed if key not in table.c.war_tiles]}),
    ]
    if state.jacobite_victories or state.jacobite_defeat:
        notices.append(
            Notice("view.jacobites", {"victories": state.jacobite_victories, "defeat": state.jacobite_defeat})
        )
    for seat in SEATS:
        if viewer in (seat, MODERATOR):
            side = state.sides[seat]
            notices.append(
                Notice("view.pools", {"seat": seat, "basic": sorted(side.basic), "bonus": sorted(side.bonus)})
            )
    return notices


def _space(table: Table, key: str) -> MapSpace:
    state, space = table.state, table.c.spaces[key]
    mark = "!" if key in state.conflicts else "x" if key in state.damaged else str(space.cost or "")
    return MapSpace(key, *AT[key], state.flags[key], mark, list(space.links), space.region)


def conceal(table: Table, seat: str, below: Below) -> None:
    """Resample what `seat` must not know: the other hand, the pile, face-down Ministry cards, War tiles."""
    state: StruggleState = table.state
    c = table.c
    other = "britain" if seat == FRANCE else FRANCE
    side = state.sides[other]
    _redeal([side.hand, state.draw], below)
    _ministers_anew(table, other, below)
    places = [sides[other] for sides in state.theaters.values()]
    for war in ("", state.war):
        lists = [[key for key in place if c.war_tiles[key].war == war] for place in places]
        pool = side.bonus if war else side.basic
        _redeal([*lists, pool], below)
        for place, kept in zip(places, lists, strict=True):
            rest = [key for key in place if c.war_tiles[key].war != war]
            place[:] = [*kept, *rest] if not war else [*rest, *kept]
    mine = state.sides.get(seat, side)
    for pile in (mine.basic, mine.bonus, state.stack, state.award_stack):
        _redeal([pile], below)


def _ministers_anew(table: Table, other: str, below: Below) -> None:
    """Draw other face-down cards that could have been chosen."""
    state, c = table.state, table.c
    side = state.sides[other]
    hidden = [card for card in side.ministries if card not in side.revealed]
    if not hidden:
        return
    era = c.turn(state.turn).era
    pool = [
        key for key, card in c.ministries.items()
        if card.side == other and era in card.eras and key not in side.revealed and key not in state.removed
    ]  # fmt: skip
    chosen = [pool.pop(below(len(pool))) for _ in hidden]
    side.ministries = [*(card for card in side.ministries if card in side.revealed), *chosen]


def _redeal(piles: list[list[str]], below: Below) -> None:
    """Shuffle the cards of several piles among them, keeping their sizes."""
    cards = sorted(card for pile in piles for card in pile)
    for i in range(len(cards) - 1, 0, -1):
        j = below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    for pile in piles:
        pile[:] = cards[: len(pile)]
        del cards[: len(pile)]
