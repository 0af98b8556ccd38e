"""War tiles: drawing and placing Bonus tiles, Military Upgrades (5.3.3, 5.6.1, 7.6, 12.2)."""

from __future__ import annotations

from typing import Any

from games.imperial_struggle.points import Purses, begin, close
from games.imperial_struggle.rules import Words, handles, offers
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import SEATS
from games.imperial_struggle.table import Table
from pbem.kernel.answers import Choice, Domain, Form, Series, Values
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, AskAll


def bonus_in(table: Table, seat: str, theater: str) -> list[str]:
    """The Bonus tiles of `seat` in a theater (the special markers are no tiles)."""
    basic = table.c.basic
    return [key for key in table.state.theaters[theater][seat] if key not in basic]


def basic_in(table: Table, seat: str, theater: str) -> str:
    """The basic tile of `seat` in a theater."""
    tiles = table.c.war_tiles
    return next(key for key in table.state.theaters[theater][seat] if not tiles[key].war)


def roomy(table: Table, seat: str) -> list[str]:
    """The theaters of the next war where `seat` has room for a Bonus tile."""
    most = table.c.limits["bonus_per_theater"]
    # Beside the basic tile of each there is room for so many.
    return [
        theater
        for theater, lying in table.state.theaters.items()
        if len(lying[seat]) < most or len(bonus_in(table, seat, theater)) < most
    ]


def bonus_total(table: Table, seat: str) -> int:
    """How many Bonus tiles of `seat` lie in the next war."""
    return sum(len(bonus_in(table, seat, theater)) for theater in table.state.theaters)


def can_draw(table: Table, seat: str) -> bool:
    """Whether a Bonus tile could be drawn and placed."""
    return bool(table.state.sides[seat].bonus and roomy(table, seat))


def draw_and_place(table: Table, seat: str, rule: str) -> Play:
    """Draw a random Bonus tile, look at it, and place it; nothing happens if there is no room."""
    if not can_draw(table, seat):
        return
    tile = table.state.sides[seat].bonus.pop()
    table.say("wartile.drawn", rule=rule, seat=seat, private={seat: {"tile": tile}})
    answer = yield from Ask(
        seat, "place", lambda: placing(table, seat), rule=rule, default=lambda: {"theater": roomy(table, seat)[0]},
        about={"seat": seat}, secret={"tile": tile},
    )  # fmt: skip
    place(table, seat, tile, answer, rule)


def placing(table: Table, seat: str) -> Form:
    """Where a drawn tile goes; from a full theater one of the old tiles moves to a theater with room (5.6.1)."""
    free = roomy(table, seat)

    def move(values: Values) -> Domain | None:
        return None if values.theater in free else Choice(bonus_in(table, seat, values.theater), "old tile")

    def to(values: Values) -> Domain | None:
        return None if values.theater in free else Choice(free, "theater")

    return Form(theater=Choice(tuple(table.state.theaters), "theater"), move=move, to=to)


def place(table: Table, seat: str, tile: str, answer: dict[str, Any], rule: str) -> None:
    """Carry a placing out. How many tiles lie where is public, which ones only their owner knows."""
    theaters = table.state.theaters
    if "move" in answer:
        theaters[answer["theater"]][seat].remove(answer["move"])
        theaters[answer["to"]][seat].append(answer["move"])
        table.say(
            "wartile.moved", rule=rule, seat=seat, theater=answer["theater"], to=answer["to"],
            private={seat: {"tile": answer["move"]}},
        )  # fmt: skip
    theaters[answer["theater"]][seat].append(tile)
    table.say(
        "wartile.placed", rule=rule, seat=seat, theater=answer["theater"], private={seat: {"tile": tile}}
    )


def place_carried(table: Table, seat: str) -> Play:
    """7.6 The Bonus tiles carried over from the Austrian to the Seven Years' War, before the first tile is taken."""
    side = table.state.sides[seat]
    while side.carried:
        side.carried -= 1
        yield from draw_and_place(table, seat, "7.6")


# -- Military Upgrades -------------------------------------------------------------------------------------------


@offers
def upgrading(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """5.3.3 With the symbol: try a new basic tile in a theater; with 12.2 instead swap two of one's basic tiles."""
    state = table.state
    if state.now.upgrade and state.theaters and state.turn < len(table.c.turns):
        words["upgrade"] = _upgrade_form


def _upgrade_form(table: Table, seat: str, purses: Purses) -> Form | None:
    theaters = tuple(table.state.theaters)
    if option(table, "planned_upgrades") == "yes":
        return Form(
            theater=Choice(theaters, "theater"),
            other=lambda v: Choice([key for key in theaters if key != v.theater], "theater"),
        )
    return Form(theater=Choice(theaters, "theater")) if table.state.sides[seat].basic else None


@handles("upgrade")
def upgrade(table: Table, seat: str, value: dict[str, Any]) -> Play:
    """5.3.3 The theater is named first, then a tile is drawn; either may be kept, the other leaves or goes back."""
    state = table.state
    state.now.upgrade = False
    begin(table, "upgrade")
    theater = value["theater"]
    old = basic_in(table, seat, theater)
    if "other" in value:
        _swap(table, seat, theater, value["other"])
        close(table, "upgrade")
        return
    side = state.sides[seat]
    new = side.basic.pop()
    table.say(
        "upgrade.tried", rule="5.3.3", seat=seat, theater=theater, private={seat: {"old": old, "new": new}}
    )
    # Owned are the pool, the four in theaters and the one drawn; four must be left.
    least = table.c.limits["basic_least"]
    owned = len(side.basic) + len(state.theaters) + 1
    ends = ("pool", "game") if owned - 1 >= least else ("pool",)
    answer = yield from Ask(
        seat, "upgrade", Form(keep=Choice(("old", "new"), "tile"), other=Choice(ends, "where")), rule="5.3.3",
        default={"keep": "old", "other": "pool"}, about={"seat": seat, "theater": theater},
        secret={"old": old, "new": new},
    )  # fmt: skip
    kept, other = (old, new) if answer["keep"] == "old" else (new, old)
    lying = state.theaters[theater][seat]
    lying[lying.index(old)] = kept
    _put_away(table, seat, theater, kept, other, out=answer["other"] == "game")
    close(table, "upgrade")


def _put_away(table: Table, seat: str, theater: str, kept: str, other: str, *, out: bool) -> None:
    """The tile not kept leaves the game, openly, or goes back to the pool unseen."""
    side = table.state.sides[seat]
    told: dict[str, Any] = {"rule": "5.3.3", "seat": seat, "theater": theater}
    if out:
        table.state.removed.append(other)
        table.say("upgrade.removed", tile=other, private={seat: {"kept": kept}}, **told)
    else:
        side.basic.append(other)
        table.shuffle(side.basic)
        table.say("upgrade.done", private={seat: {"kept": kept, "back": other}}, **told)


def _swap(table: Table, seat: str, theater: str, other: str) -> None:
    """12.2.1 Two basic tiles change places."""
    theaters = table.state.theaters
    one, two = basic_in(table, seat, theater), basic_in(table, seat, other)
    here, there = theaters[theater][seat], theaters[other][seat]
    here[here.index(one)], there[there.index(two)] = two, one
    table.say("upgrade.swapped", rule="12.2", seat=seat, theater=theater, other=other)


def plan_war(table: Table) -> Play:
    """12.2.2 Each side looks at the basic tiles it drew for the next war and assigns them to the theaters, secretly."""
    theaters = tuple(table.state.theaters)
    drawn = {seat: [basic_in(table, seat, theater) for theater in theaters] for seat in SEATS}

    def domain(seat: str) -> Series:
        tiles = drawn[seat]
        return Series(
            lambda so_far: Choice([key for key in tiles if key not in so_far], "tile"),
            len(tiles),
            len(tiles),
            "tile",
        )

    asks = {
        seat: Ask(
            seat, "plan", domain(seat), rule="12.2", default=list(drawn[seat]), about={"theaters": list(theaters)},
            secret={"tiles": list(drawn[seat])},
        )
        for seat in SEATS
    }  # fmt: skip
    answers = yield from AskAll(asks)
    for seat, order in answers.items():
        for theater, old, new in zip(theaters, drawn[seat], order, strict=True):
            lying = table.state.theaters[theater][seat]
            lying[lying.index(old)] = new
        table.say("war.planned", rule="12.2", seat=seat, private={seat: {"tiles": list(order)}})
