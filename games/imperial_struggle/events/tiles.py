"""Events that handle War tiles and Advantage tiles (3.7, 8)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypedDict

from games.imperial_struggle import advantages
from games.imperial_struggle.events.effects import choose, rule
from games.imperial_struggle.state import FRANCE
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.tiles import bonus_in, can_draw, draw_and_place, no_room, not_lying, other_war, roomy
from pbem.kernel.domains import Choice, Form
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

_free = KIT.question("free_advantage", "5.2")
_return = KIT.question("return_tile", "#7")
_room = KIT.question("make_room", "#14")
JACOBITES = "jacobite-rebellion"


class TileMove(TypedDict):
    """A War tile that makes room, and its destination."""

    tile: str
    theater: str


def use_for_nothing(table: Table, seat: str, region: Callable[[str], bool], *, fresh: bool) -> Play:
    """Use an Advantage in a fitting Region at once, Exhausted or not; this use does not mark it (#6, #33).

    `fresh`: one taken this round is allowed. A marker on a space that feeds it still blocks it (8.1).
    """
    words = [
        key
        for key in advantages.held(table, seat, fresh=fresh)
        if region(table.c.advantages[key].region) and advantages.useful(table, seat, key)
    ]
    if not words:
        table.log("events.no_advantage", rule=rule(table), seat=seat)
        return
    chosen = yield from choose(table, seat, _free, words, partial(_not_free, table, seat, region))
    table.log("events.free_advantage", rule=rule(table), seat=seat, advantage=chosen)
    yield from advantages.use_free(table, seat, chosen, rule(table))


def _not_free(table: Table, seat: str, region: Callable[[str], bool], key: str) -> RejectionReason | None:
    """#6, #33: why an Advantage can't be used for nothing."""
    advantage, why = table.c.advantages[key], rule(table)
    if not region(advantage.region):
        return because("free_region", why, advantage=key, region=advantage.region)
    holder = table.state.advantages[key]
    if holder != seat:
        return because("advantage_held", "8.1", advantage=key, holder=holder)
    if key not in advantages.held(table, seat, fresh=True):
        return because("advantage_marked", "8.1", advantage=key)
    if not advantages.useful(table, seat, key):
        return because("no_target", why, advantage=key)
    return because("advantage_fresh", why, advantage=key)


def to_pool(table: Table, owner: str, tile: str, why: str) -> None:
    """Return a Bonus War tile to its pool, which is shuffled; only the owner knows which it was."""
    state = table.state
    theater = next(key for key, there in state.theaters.items() if tile in there[owner])
    state.theaters[theater][owner].remove(tile)
    pool = state.sides[owner].bonus
    pool.append(tile)
    table.shuffle(pool)
    table.log("events.tile_returned", rule=why, seat=owner, theater=theater, private={owner: {"tile": tile}})


def return_unseen(table: Table, seat: str) -> Play:
    """Name a theater; one of the French Bonus tiles there, drawn blindly, goes back to the pool (#7)."""
    tiles = table.c.war_tiles
    there = {key: [t for t in sides[FRANCE] if tiles[t].war] for key, sides in table.state.theaters.items()}
    words, why = [key for key, found in there.items() if found], rule(table)
    if not words:
        table.log("events.no_tile", rule=rule(table), seat=FRANCE)
        return
    theater = yield from choose(
        table,
        seat,
        _return,
        words,
        lambda key: because("theater_tile", why, theater=key) if key in there else other_war(table, key),
    )
    found = there[theater]
    to_pool(table, FRANCE, found[table.dice.below(len(found))], rule(table))


def jacobites(table: Table, seat: str, count: int) -> Play:
    """Draw `count` random Bonus tiles for the Jacobite Rebellion, as far as the war has room for them (#14).

    In a full theater one of the tiles that were there before makes room.
    """
    theaters, fresh = table.state.theaters, []
    for _ in range(count if JACOBITES in theaters else 0):
        if not can_draw(table, seat):
            return
        old = [tile for tile in bonus_in(table, seat, JACOBITES) if tile not in fresh]
        if JACOBITES not in roomy(table, seat):
            yield from _make_room(table, seat, old)
        tile = table.state.sides[seat].bonus.pop()
        fresh.append(tile)
        theaters[JACOBITES][seat].append(tile)
        private = {seat: {"tile": tile}}
        table.log("events.tile_drawn", rule=rule(table), seat=seat, theater=JACOBITES, private=private)
        table.stop_advance_orders(seat)


def _make_room(table: Table, seat: str, old: list[str]) -> Play:
    """Move one of the old tiles to a theater with room."""
    free = roomy(table, seat)
    to = Choice(free, "theater", partial(no_room, table))
    moving: Form[TileMove] = Form(tile=Choice(old, "tile", partial(not_lying, table, JACOBITES)), theater=to)
    answer = yield from _room(seat, moving, TileMove(tile=old[0], theater=free[0]), theater=JACOBITES)
    theaters = table.state.theaters
    theaters[JACOBITES][seat].remove(answer["tile"])
    theaters[answer["theater"]][seat].append(answer["tile"])
    table.log(
        "events.tile_moved", rule=rule(table), seat=seat, theater=JACOBITES, to=answer["theater"],
        private={seat: {"tile": answer["tile"]}},
    )  # fmt: skip


def draw(table: Table, seat: str) -> Play:
    """Draw a free Bonus tile (#41); nothing if all theaters are full or there is no next war."""
    if table.state.theaters:
        yield from draw_and_place(table, seat, rule(table))
