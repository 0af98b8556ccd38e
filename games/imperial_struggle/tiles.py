"""War tiles: drawing and placing Bonus tiles, Military Upgrades (5.3.3, 5.6.1, 7.6, 12.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NotRequired, TypedDict

from games.imperial_struggle.action_points import begin, close
from games.imperial_struggle.refusals import reason
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import SEATS, ActionRound
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Series
from pbem.kernel.game import Play
from pbem.kernel.questions import AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("5.3.3", "Military Upgrades", "tiles.py", "rounds.py")
KIT.chapter("7.6", "War Layout, carry-over", "setup.py", "sequence.py", "tiles.py")
KIT.chapter("12.2", "Military Planning", "tiles.py")
_place = KIT.question("place", "5.6.1")
_upgrade = KIT.question("upgrade", "5.3.3")
_plan = KIT.question("plan", "12.2")


class TilePlacement(TypedDict):
    """Destination of a drawn tile; `move` is an old one that makes room, and `to` where that goes."""

    theater: str
    move: NotRequired[str]
    to: NotRequired[str]


class TheaterUpgrade(TypedDict):
    """The theater of a new basic tile, or two whose tiles change places (12.2)."""

    theater: str
    other: NotRequired[str]


class TileChoice(TypedDict):
    """The one of two basic tiles that is kept (`old` or `new`), and where the other goes (`pool` or `game`)."""

    keep: str
    other: str


def bonus_in(table: Table, seat: str, theater: str) -> list[str]:
    """Return the Bonus tiles of `seat` in a theater (the special markers are no tiles)."""
    basic = table.c.basic
    return [key for key in table.state.theaters[theater][seat] if key not in basic]


def basic_in(table: Table, seat: str, theater: str) -> str:
    """Return the basic tile of `seat` in a theater."""
    tiles = table.c.war_tiles
    return next(key for key in table.state.theaters[theater][seat] if not tiles[key].war)


def roomy(table: Table, seat: str) -> list[str]:
    """Return the theaters of the next war where `seat` has room for a Bonus tile."""
    most = table.c.limits["bonus_per_theater"]
    # With the basic tile fewer than so many are there certainly; else they are counted.
    return [
        theater
        for theater, lying in table.state.theaters.items()
        if len(lying[seat]) < most or len(bonus_in(table, seat, theater)) < most
    ]


def other_war(table: Table, theater: str) -> RejectionReason | None:
    """Return why there is no tile in a theater (7.6): it is one of another war."""
    known = any(theater == front.id for war in table.c.wars.values() for front in war.theaters)
    return because("other_war", "7.6", theater=theater) if known else None


def not_lying(table: Table, theater: str, tile: str) -> RejectionReason | None:
    """Return why a tile can't make room in a theater (5.6.1): it is none of the old Bonus tiles there."""
    return because("not_lying", "5.6.1", tile=tile, theater=theater) if tile in table.c.war_tiles else None


def no_room(table: Table, theater: str) -> RejectionReason | None:
    """Return why a Bonus tile can't move to a theater (5.6.1): it is full."""
    if theater not in table.state.theaters:
        return other_war(table, theater)
    return because("theater_full", "5.6.1", theater=theater, most=table.c.limits["bonus_per_theater"])


def bonus_total(table: Table, seat: str) -> int:
    """Return how many Bonus tiles of `seat` are in the next war."""
    return sum(len(bonus_in(table, seat, theater)) for theater in table.state.theaters)


def can_draw(table: Table, seat: str) -> bool:
    """Return whether a Bonus tile could be drawn and placed."""
    return bool(table.state.sides[seat].bonus and roomy(table, seat))


def draw_and_place(table: Table, seat: str, rule: str) -> Play:
    """Draw a random Bonus tile, look at it, and place it; nothing happens if there is no room."""
    if not can_draw(table, seat):
        return
    tile = table.state.sides[seat].bonus.pop()
    table.log("wartile.drawn", rule=rule, seat=seat, private={seat: {"tile": tile}})
    answer = yield from _place(
        seat, lambda: placing(table, seat), lambda: TilePlacement(theater=roomy(table, seat)[0]), rule=rule,
        secret={"tile": tile}, seat=seat,
    )  # fmt: skip
    place(table, seat, tile, answer, rule)


def placing(table: Table, seat: str) -> Form[TilePlacement]:
    """Return the form for a drawn tile; from a full theater one old tile moves to another with room (5.6.1)."""
    free = roomy(table, seat)

    def move(v: TilePlacement) -> Domain[str] | None:
        if v["theater"] in free:
            return None
        return Choice(bonus_in(table, seat, v["theater"]), "old tile", partial(not_lying, table, v["theater"]))

    def to(v: TilePlacement) -> Domain[str] | None:
        return None if v["theater"] in free else Choice(free, "theater", partial(no_room, table))

    why = partial(other_war, table)
    return Form(theater=Choice(tuple(table.state.theaters), "theater", why), move=move, to=to)


def place(table: Table, seat: str, tile: str, answer: TilePlacement, rule: str) -> None:
    """Execute a placing. The number of tiles in each theater is public, the tiles are known to their owner only."""
    theaters = table.state.theaters
    if "move" in answer:
        theaters[answer["theater"]][seat].remove(answer["move"])
        theaters[answer["to"]][seat].append(answer["move"])
        table.log(
            "wartile.moved", rule=rule, seat=seat, theater=answer["theater"], to=answer["to"],
            private={seat: {"tile": answer["move"]}},
        )  # fmt: skip
    theaters[answer["theater"]][seat].append(tile)
    table.log("wartile.placed", rule=rule, seat=seat, theater=answer["theater"], private={seat: {"tile": tile}})


def place_carried(table: Table, seat: str) -> Play:
    """Place the Bonus tiles carried over from the Austrian to the Seven Years' War, before the first tile (7.6)."""
    side = table.state.sides[seat]
    while side.carried:
        side.carried -= 1
        yield from draw_and_place(table, seat, "7.6")


# -- Military Upgrades -------------------------------------------------------------------------------------------


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer an upgrade for a tile with the symbol (5.3.3); on turn 6 it is a Treaty Point (5.3.3 point 1)."""
    if now.upgrade and table.state.theaters and table.state.turn < len(table.c.turns):
        words.append("upgrade")


def no_symbol(table: Table) -> RejectionReason | None:
    """Return why the upgrade symbol can't be used (5.3.3): the tile has none, or it has been."""
    now = table.state.now
    if not table.c.investments[now.tile].upgrade:
        return because("symbol", "5.3.3", tile=now.tile)
    return None if now.upgrade else because("symbol_used", "5.3.3", tile=now.tile)


@reason("upgrade")
def _no_upgrade(table: Table, seat: str) -> RejectionReason | None:
    """Return why there is no Military Upgrade (5.3.3)."""
    problem = no_symbol(table)
    if problem is not None:
        return problem
    if table.state.turn == len(table.c.turns):
        return because("upgrade_turn", "5.3.3")
    return because("basic_pool", "5.3.3")


def _planned(table: Table) -> bool:
    """Return whether two of one's basic tiles are swapped instead of one being drawn (12.2)."""
    return option(table, "planned_upgrades") == "yes"


def _upgradable(table: Table, seat: str) -> tuple[str, ...] | None:
    """Return the theaters, if there is a tile to draw (5.3.3)."""
    return tuple(table.state.theaters) if _planned(table) or table.state.sides[seat].basic else None


def _upgrade_form(table: Table, seat: str, theaters: tuple[str, ...]) -> Form[TheaterUpgrade]:
    named = Choice(theaters, "theater", partial(other_war, table))
    if not _planned(table):
        return Form(theater=named)

    def other(v: TheaterUpgrade) -> Domain[str]:
        why = partial(_same_theater, table, v["theater"])
        return Choice([key for key in theaters if key != v["theater"]], "theater", why)

    return Form(theater=named, other=other)


def _same_theater(table: Table, theater: str, other: str) -> RejectionReason | None:
    """Return why the theaters do not differ (12.2): tiles of two theaters change places."""
    return because("same_theater", "12.2", theater=theater) if other == theater else other_war(table, other)


@KIT.action("upgrade", "5.3.3", _upgradable, _upgrade_form)
def upgrade(table: Table, seat: str, order: TheaterUpgrade) -> Play:
    """Name the theater, then draw a tile; either may be kept, the other leaves or goes back (5.3.3)."""
    state = table.state
    state.now.upgrade = False
    begin(table, "upgrade")
    theater = order["theater"]
    old = basic_in(table, seat, theater)
    if "other" in order:
        _swap(table, seat, theater, order["other"])
        close(table, "upgrade")
        return
    side = state.sides[seat]
    new = side.basic.pop()
    table.log("upgrade.tried", rule="5.3.3", seat=seat, theater=theater, private={seat: {"old": old, "new": new}})
    # 5.3.3 point 2: a side owns the pool, a tile in each theater and the one drawn, and keeps at least four.
    owned = len(side.basic) + len(state.theaters) + 1
    ends = ("pool", "game") if owned - 1 >= table.c.limits["basic_least"] else ("pool",)
    where = Choice(ends, "where", partial(_too_few, table))
    keeping: Form[TileChoice] = Form(keep=Choice(("old", "new"), "tile"), other=where)
    answer = yield from _upgrade(
        seat, keeping, TileChoice(keep="old", other="pool"), secret={"old": old, "new": new}, seat=seat, theater=theater
    )
    kept, other = (old, new) if answer["keep"] == "old" else (new, old)
    lying = state.theaters[theater][seat]
    lying[lying.index(old)] = kept
    _put_away(table, seat, theater, kept, other, out=answer["other"] == "game")
    close(table, "upgrade")


def _too_few(table: Table, where: str) -> RejectionReason | None:
    """Return why a tile can't leave the game (5.3.3 point 2)."""
    return because("basic_least", "5.3.3", least=table.c.limits["basic_least"]) if where == "game" else None


def _put_away(table: Table, seat: str, theater: str, kept: str, other: str, *, out: bool) -> None:
    """Remove the tile not kept from the game, openly, or return it to the pool unseen."""
    side = table.state.sides[seat]
    if out:
        table.state.removed.append(other)
        private = {seat: {"kept": kept}}
        table.log("upgrade.removed", rule="5.3.3", seat=seat, theater=theater, tile=other, private=private)
    else:
        side.basic.append(other)
        table.shuffle(side.basic)
        private = {seat: {"kept": kept, "back": other}}
        table.log("upgrade.done", rule="5.3.3", seat=seat, theater=theater, private=private)


def _swap(table: Table, seat: str, theater: str, other: str) -> None:
    """Swap two basic tiles (12.2.1)."""
    theaters = table.state.theaters
    mine, its = basic_in(table, seat, theater), basic_in(table, seat, other)
    here, there = theaters[theater][seat], theaters[other][seat]
    here[here.index(mine)], there[there.index(its)] = its, mine
    table.log("upgrade.swapped", rule="12.2", seat=seat, theater=theater, other=other)


@KIT.phase("planning")
def plan_war(table: Table) -> Play:
    """Let each side secretly assign the basic tiles it drew for the next war to the theaters (12.2.2)."""
    theaters = tuple(table.state.theaters)

    def drawn(seat: str) -> list[str]:
        return [basic_in(table, seat, theater) for theater in theaters]

    def domain(seat: str) -> Series[str]:
        tiles = drawn(seat)

        def left(so_far: Sequence[str]) -> Choice[str]:
            left = [key for key in tiles if key not in so_far]
            return Choice(left, "tile", lambda key: because("assigned", "12.2", tile=key) if key in tiles else None)

        return Series(left, len(tiles), len(tiles), "tile")

    asks = {
        seat: _plan(
            seat, partial(domain, seat), partial(drawn, seat), secret={"tiles": drawn(seat)}, theaters=list(theaters)
        )
        for seat in SEATS
    }
    answers = yield from AskAll(asks)
    for seat, order in answers.items():
        for theater, old, new in zip(theaters, drawn(seat), order, strict=True):
            lying = table.state.theaters[theater][seat]
            lying[lying.index(old)] = new
        table.log("war.planned", rule="12.2", seat=seat, private={seat: {"tiles": list(order)}})
    table.state.phase = "turn"
