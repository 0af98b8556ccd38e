"""The view of a seat, and what is resampled because the seat must not know it (8.1, 9.1, 10).

Public: who controls which noble, how many blocks of each house are where, who holds which office, how many markers are
in each box. Hidden from other houses: which block is where and its strength, the values of markers, hands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from games.crown_of_roses.battle.forces import GARRISON, dice, line_of
from games.crown_of_roses.components import HOUSES
from games.crown_of_roses.money import shown
from games.crown_of_roses.query import (
    attached,
    blocks_in,
    control,
    king,
    king_house,
    loyalty,
    operations,
    owners,
    party,
    total,
)
from games.crown_of_roses.realm.cleanup import keepable, limit
from games.crown_of_roses.state import PARLIAMENT, POOLS, UNDECLARED, House, RosesState
from games.crown_of_roses.table import Table
from pbem.kernel.domains import Below
from pbem.kernel.geography import Conic
from pbem.kernel.questions import MODERATOR
from pbem.kernel.view import CardView, Column, Hand, MapSpace, Notice, TableView, Track, TrackMarker, View

CHART = Conic(51, 55, 53, -2.5)
"""The projection of the map."""

# The battle under way as a seat sees it: forces, reserves, reinforcements.


def battle_tables(table: Table, seat: str) -> list[TableView]:
    """Return blocks by house and part (20.3, 20.4); hidden ones are shown to their owner, as numbers to others."""
    state = table.state
    battle = state.battle
    if battle is None:
        return []
    columns = [
        Column("house", "name"), Column("part", "name"), Column("count", "number"), Column("known", "name"),
        Column("dice"),
    ]  # fmt: skip
    rows = []
    for house in battle.order:
        side = battle.sides[house]
        parts = {
            "battle_force": line_of(table, battle, side), "reserve": side.reserve,
            "reinforcements": side.waiting, "fallen": side.gone,
        }  # fmt: skip
        for part, blocks in parts.items():
            open_to = seat in (house, MODERATOR)
            known = [key for key in blocks if key == GARRISON or open_to or state.blocks[key].shown]
            faces = ["".join(f"{count}{colour}" for colour, count in dice(table, key).items()) for key in known]
            if blocks:
                rows.append([house, part, len(blocks), known, " ".join(faces)])
    return [TableView("battle", columns, rows, "map", {"place": battle.place, "round": battle.round})]


def view(table: Table, seat: str) -> View:
    """Return the table as `seat` sees it."""
    state = table.state
    return View(
        game="crown_of_roses",
        seat=seat,
        clock=clock(state),
        tables=[
            *battle_tables(table, seat), *(_region(table, region, seat) for region in table.c.regions),
            _exiles(table, seat), _houses(table),
            _roll(table, seat), *_parliament(table),
            _offices(table), *_blocks(table, seat), *_markers(table, seat),
        ],
        tracks=_tracks(table),
        hands=[_hand(table, house, seat) for house in state.houses],
        notices=_notices(table),
        map=[_space(table, key) for key in table.c.shires],
        scores={house: own.vp for house, own in state.houses.items()},
    )  # fmt: skip


def clock(state: RosesState) -> dict[str, Any]:
    """Return public facts of time."""
    active = state.order[state.at] if state.phase == "action" and state.at < len(state.order) else ""
    return {
        "turn": state.turn, "phase": state.phase, "impulse": state.impulse, "impulses": state.impulses,
        "active": active,
    }  # fmt: skip


def sees(owner: str, seat: str) -> bool:
    """Return whether a seat sees what a house hides: its own, the moderator everything."""
    return seat in (owner, MODERATOR)


def counts(state: RosesState, place: str) -> list[str]:
    """Return blocks in a place as everybody sees them: house and number."""
    return [f"{house} {len(blocks_in(state, place, house))}" for house in HOUSES if blocks_in(state, place, house)]


def known(table: Table, place: str, seat: str) -> list[str]:
    """Return blocks in a place that a seat can identify, with the steps they have left."""
    state = table.state
    return [
        f"{key} {state.blocks[key].steps}"
        for key in blocks_in(state, place)
        if state.blocks[key].shown or sees(state.blocks[key].owner, seat)
    ]


def _region(table: Table, region: str, seat: str) -> TableView:
    columns = [
        Column("shire", "name"), Column("control", "name"), Column("blocks", "name"), Column("value", "number"),
        Column("loyalty", "name"), Column("known", "name"), Column("marks", "name"),
        Column("clear", "name", printed=True), Column("rough", "name", printed=True),
        Column("fens", "name", printed=True), Column("seas", "name", printed=True),
    ]  # fmt: skip
    state, c = table.state, table.c
    rows = []
    for key, shire in c.shires.items():
        if shire.region != region:
            continue
        border: dict[str, list[str]] = {"clear": [], "rough": [], "fens": [], "wash": []}
        for other, kind in c.borders[key].items():
            border[kind].append(other)
        marks = [mark for mark in (state.marks.get(key, ""),) if mark]
        if key in state.rebels:
            marks += ["rebels", state.rebels[key]]
        rows.append([
            key, control(table, key) or None, counts(state, key), shire.sv, loyalty(table, key) or None,
            known(table, key, seat), marks, border["clear"], border["rough"], border["fens"] + border["wash"],
            list(shire.seas),
        ])  # fmt: skip
    return TableView(f"region_{region}", columns, rows, "map", {"region": region})


def _exiles(table: Table, seat: str) -> TableView:
    columns = [Column(key, "name") for key in ("exile", "blocks", "known", "clear", "seas")]
    rows = [
        [key, counts(table.state, key), known(table, key, seat), list(box.land_from), list(box.sea_from)]
        for key, box in table.c.exiles.items()
    ]
    return TableView("exiles", columns, rows, "map")


def _houses(table: Table) -> TableView:
    columns = [
        Column("house", "name"), Column("king", "flag"), Column("support", "number"), Column("hand", "number"),
        Column("operations", "number"),
        Column("stock", "number"), Column("pool", "number"), Column("undeclared", "number"),
        Column("crowned", "number"),
        Column("vp", "number"), Column("cards", "name"), Column("order", "number"),
    ]  # fmt: skip
    state = table.state
    crown = king_house(state)
    rows = [
        [
            key, key == crown, house.support, len(house.hand), len(operations(table.c, house.hand)),
            sum(house.stock.values()),
            sum(house.pool.values()), len(blocks_in(state, UNDECLARED, key)), house.crowned, house.vp,
            list(house.cards),
            state.order.index(key) + 1 if key in state.order else None,
        ]
        for key, house in state.houses.items()
    ]  # fmt: skip
    return TableView("houses", columns, rows, "houses")


def _roll(table: Table, seat: str) -> TableView:
    """Return the Roll of Parliament (7.1.5): base, roses, controlling house and number of markers of each noble."""
    columns = [
        Column("noble", "name"), Column("base", "number"), Column("roses", "name"), Column("controlled", "name"),
        Column("state", "name"), Column("markers", "name"), Column("own", "name"),
    ]  # fmt: skip
    state, c = table.state, table.c
    rows = []
    for key in c.roll:
        card, block = c.blocks[key], state.blocks[key]
        stacks = {house: own.roll[key] for house, own in state.houses.items() if key in own.roll}
        own = [marker for house, pile in stacks.items() if sees(house, seat) for marker in shown(pile)]
        heir = any(key in house.heirs for house in state.houses.values())
        where = "heir" if heir else block.at if block.at in POOLS and block.at != UNDECLARED else "controlled"
        rows.append([
            key, card.base, [f"{house} {card.roses.count(house)}" for house in dict.fromkeys(card.roses)],
            block.owner or None,
            where, [f"{house} {sum(pile.values())}" for house, pile in stacks.items()], own,
        ])  # fmt: skip
    return TableView("roll", columns, rows, "parliament")


def assembled(state: RosesState) -> bool:
    """Return whether nobles are open in Parliament (24.2 to 27): then only exile boxes hide who is there."""
    return state.phase in ("victory", "offices", "winter") or (state.phase == "king" and bool(state.stage))


def _parliament(table: Table) -> list[TableView]:
    """Return who is in Parliament, and how many votes each house has (24.2); from the King Phase to winter."""
    state, c = table.state, table.c
    if not assembled(state):
        return []
    columns = [
        Column("house", "name"), Column("votes", "number"), Column("senior", "name"), Column("nobles", "name"),
    ]  # fmt: skip
    rows = [
        [
            house, own.votes, own.heirs[0] if own.heirs else None,
            [
                f"{key} {c.blocks[key].title}"
                for key, block in state.blocks.items()
                if block.at == PARLIAMENT and block.owner == house and c.blocks[key].kind != "office"
            ],
        ]
        for house, own in state.houses.items()
    ]  # fmt: skip
    return [TableView("parliament", columns, rows, "parliament")]


def _offices(table: Table) -> TableView:
    kinds = {
        "office": "name", "rank": "number", "holder": "name", "controlled": "name", "used": "flag", "ip": "number",
        "votes": "number", "support": "number",
    }  # fmt: skip
    columns = [Column(key, kind) for key, kind in kinds.items()]
    state = table.state
    rows = [
        [
            key, card.rank, state.offices[key].holder or None, _serves(state, state.offices[key].holder),
            state.offices[key].used, card.ip, card.votes if king(state) else card.votes_without_king, card.support,
        ]
        for key, card in table.c.offices.items()
    ]  # fmt: skip
    return TableView("offices", columns, rows, "parliament")


def _serves(state: RosesState, noble: str) -> str | None:
    return state.blocks[noble].owner if noble else None


def _blocks(table: Table, seat: str) -> list[TableView]:
    columns = [
        Column("block", "name"), Column("place", "name"), Column("steps", "number"), Column("dice"),
        Column("title", "number"),
        Column("command", "number"), Column("attached", "name"), Column("marks", "name"),
    ]  # fmt: skip
    state, c = table.state, table.c
    found = []
    for house in state.houses:
        if not sees(house, seat):
            continue
        rows = []
        for key, block in state.blocks.items():
            if block.owner != house:
                continue
            card = c.blocks[key]
            flags = {
                "heir": key in state.houses[house].heirs, "moved": block.moved, "pinned": block.pinned,
                "mustered": block.mustered,
            }  # fmt: skip
            rows.append([
                key, block.at, block.steps, card.steps[-block.steps], card.title, card.command, attached(state, key),
                [name for name, holds in flags.items() if holds],
            ])  # fmt: skip
        found.append(TableView(f"blocks_{house}", columns, rows, "secret", {"house": house}))
    return found


def _markers(table: Table, seat: str) -> list[TableView]:
    columns = [Column("marker", "name"), Column("stock", "number"), Column("pool", "number"), Column("roll", "number")]
    found = []
    for key, house in table.state.houses.items():
        if sees(key, seat):
            rows = [
                [kind, *(pile.get(kind, 0) for pile in (house.stock, house.pool)), _laid(house, kind)]
                for kind in table.c.markers
            ]
            points = total(table.c, house.stock)
            found.append(TableView(f"markers_{key}", columns, rows, "secret", {"house": key, "points": points}))
    return found


def _laid(house: House, kind: str) -> int:
    return sum(pile.get(kind, 0) for pile in house.roll.values())


def _tracks(table: Table) -> list[Track]:
    """Return the tracks of the board, those of 7.1.4 first (7.1); the phase is in `clock`."""
    state, limits = table.state, table.c.limits
    houses = state.houses.items()
    return [
        Track("turn", 1, limits.turns, [TrackMarker("turn", state.turn)]),
        Track(
            "impulse", 1, limits.impulses, [TrackMarker("impulse", state.impulse), TrackMarker("final", state.impulses)]
        ),
        Track("support", limits.support_min, limits.support_max, [TrackMarker(key, h.support) for key, h in houses]),
        Track(
            "influence", 0, max(50, *(h.income for _, h in houses)), [TrackMarker(key, h.income) for key, h in houses]
        ),
        Track("votes", 0, max(30, *(h.votes for _, h in houses)), [TrackMarker(key, h.votes) for key, h in houses]),
        Track("vp", 0, max(50, *(h.vp for _, h in houses)), [TrackMarker(key, h.vp) for key, h in houses]),
        Track("crowned", 0, limits.turns, [TrackMarker(key, h.crowned) for key, h in houses]),
    ]


def _hand(table: Table, owner: str, seat: str) -> Hand:
    hand = table.state.houses[owner].hand
    if not sees(owner, seat):
        return Hand(owner, "hand", len(hand))
    return Hand(owner, "hand", len(hand), [CardView(key, ["command"]) for key in sorted(hand)])


def _notices(table: Table) -> list[Notice]:
    state = table.state
    found = [
        Notice("notice.piles", {"deck": len(state.deck), "discards": len(state.discards), "top": state.discards[-1:]})
    ]
    if king(state):
        found.append(Notice("notice.king", {"block": king(state), "house": king_house(state)}))
    if state.lasting:
        found.append(Notice("notice.lasting", {"cards": list(state.lasting)}))
    if state.embassy is not None:
        where = {"place": state.embassy.place, "house": state.embassy.house}
        found.append(Notice("notice.embassy", {**where, "blocks": list(state.embassy.blocks)}))
    if state.affairs:
        found.append(Notice("notice.affairs", {}))
    if state.queen_used:
        found.append(Notice("notice.queen", {}))
    if state.auction:
        left = [key for key, card in table.c.offices.items() if card.rank in state.auction]
        found.append(Notice("notice.auction", {"offices": left}))
    return found


def _space(table: Table, key: str) -> MapSpace:
    shire = table.c.shires[key]
    holder = control(table, key)
    # The map shows who controls the shire: of their blocks the number is enough.
    mark = " ".join(
        f"{'' if house == holder else house[0].upper()}{len(blocks_in(table.state, key, house))}"
        for house in owners(table.state, key)
    )
    return MapSpace(key, *CHART.at(shire.lon, shire.lat), holder, mark, list(table.c.borders[key]), shire.region)


def conceal(table: Table, seat: str, below: Below) -> None:
    """Resample what `seat` must not know: hands, deck, where blocks are, strengths, values of markers."""
    state = table.state
    others = [house for house in state.houses if house != seat]
    piles = [state.deck]
    for house in others:
        own = state.houses[house]
        own.hand.sort()
        mine = operations(table.c, own.hand)
        own.hand = [key for key in own.hand if key not in mine]
        piles.append(mine)
    _deal([*piles], below)
    for house, pile in zip(others, piles[1:], strict=True):
        state.houses[house].hand += pile
        _kept(table, house, below)
        _values(state, house, below)
        if assembled(state):
            _exiled(table, house, below)
        else:
            _positions(table, house, below)
    _shuffle(state.auction, below)


def _kept(table: Table, house: str, below: Below) -> None:
    """Resample which cards a house has said to keep (28.2)."""
    own = table.state.houses[house]
    if own.kept is not UNSET:
        own.kept = keepable(table, house, limit(table, house)).sample(below)


def _deal(piles: list[list[str]], below: Below) -> None:
    pool = [key for pile in piles for key in pile]
    _shuffle(pool, below)
    for pile in piles:
        pile[:] = [pool.pop() for _ in pile]


def _shuffle(items: list[Any], below: Below) -> None:
    items.sort()
    _mix(items, below)


def _mix(items: list[Any], below: Below) -> None:
    for i in range(len(items) - 1, 0, -1):
        j = below(i + 1)
        items[i], items[j] = items[j], items[i]


def _values(state: RosesState, house: str, below: Below) -> None:
    """Swap markers of a house face down."""
    own = state.houses[house]
    piles = [own.stock, own.pool, *own.roll.values()]
    spread = [[key for key, count in pile.items() for _ in range(count)] for pile in piles]
    _deal(spread, below)
    for pile, markers in zip(piles, spread, strict=True):
        pile.clear()
        for key in markers:
            pile[key] = pile.get(key, 0) + 1


def _exiled(table: Table, house: str, below: Below) -> None:
    """Resample strengths in exile, the only ones hidden while Parliament is in session."""
    for key, block in table.state.blocks.items():
        if block.owner == house and block.at in table.c.exiles:
            block.steps = 1 + below(len(table.c.blocks[key].steps))


def _positions(table: Table, house: str, below: Below) -> None:
    """Swap nobles with as many blocks attached; strengths are anything that a block can have.

    What is open stays (20.4.2), and so do the hosts of such blocks.
    """
    state = table.state
    groups: dict[tuple[int, bool], list[str]] = {}
    for key, block in state.blocks.items():
        if any(state.blocks[member].shown for member in party(state, key)):
            continue
        if block.owner == house and not block.host:
            block.steps = 1 + below(len(table.c.blocks[key].steps))
            if table.c.blocks[key].noble:
                size = len(attached(state, key))
                groups.setdefault((size, table.c.is_place(block.at) or not size), []).append(key)
    changed: dict[str, str] = {}
    for keys in groups.values():
        slots = [(key, _slot(state, key)) for key in keys]
        slots.sort(key=lambda slot: (slot[1], _seen(state, slot[0])))  # not by who is there
        _mix(slots, below)
        for key, (before, slot) in zip(keys, slots, strict=True):
            changed.update(zip(party(state, before), party(state, key), strict=True))
            for name in party(state, key):
                block = state.blocks[name]
                block.at, block.moved, block.pinned, block.mustered = slot
    for part in _parts(state):
        part[:] = [changed.get(key, key) for key in part]
    state.garrison.host = changed.get(state.garrison.host, state.garrison.host)
    for side in state.battle.sides.values() if state.battle else ():
        side.leader, side.brought = changed.get(side.leader, side.leader), changed.get(side.brought, side.brought)


def _parts(state: RosesState) -> Iterator[list[str]]:
    """Yield the stacks that all see, not who is in them: those that entered a shire, the parts of a battle."""
    for entry in state.entries:
        yield entry.blocks
    for side in state.battle.sides.values() if state.battle else ():
        yield from (side.force, side.reserve, side.waiting, side.gone, side.guests)
    if state.battle:
        yield state.battle.blocks


def _seen(state: RosesState, key: str) -> tuple[bool, list[tuple[int, int]]]:
    """Return whether a block hosts the garrison, and in which stacks it is, with its index in each."""
    return key == state.garrison.host, [(i, part.index(key)) for i, part in enumerate(_parts(state)) if key in part]


def _slot(state: RosesState, key: str) -> tuple[str, bool, bool, bool]:
    block = state.blocks[key]
    return block.at, block.moved, block.pinned, block.mustered
