"""A War Turn: the fighting, victory check, reset, the next lay-out (7.4 to 7.6)."""

from __future__ import annotations

from games.imperial_struggle.board import remove_conflict
from games.imperial_struggle.setup import lay_out, option
from games.imperial_struggle.state import SEATS
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.tiles import bonus_total
from games.imperial_struggle.victory import check_points, won_all_awards
from games.imperial_struggle.wars.fight import fight
from pbem.kernel.game import Play

KIT.chapter("7.5", "Reset Phase of a war", "wartime.py")
CARRIED = "was"


@KIT.phase("war")
def war(table: Table) -> Play:
    """Fight the war theater by theater, check for victory, prepare the next war (7.1 to 7.6)."""
    yield from fight(table)
    state = table.state
    if won_all_awards(table, len(table.c.wars[state.war].theaters), "7.4") or check_points(table, "7.4"):
        return
    reset(table)
    next_war(table)
    state.turn += 1
    state.phase = "planning" if state.war and option(table, "planned_wars") == "yes" else "turn"


def reset(table: Table) -> None:
    """Return or remove War tiles, and remove markers that gave strength from the map (7.5)."""
    state, c = table.state, table.c
    table.log("war.ends", rule="7.5", war=state.war)
    for seat in SEATS:
        side = state.sides[seat]
        # Between the Austrian and the Seven Years' War there is one turn only, so Bonus tiles are carried over (7.6).
        side.carried = min(c.limits["carry_over"], bonus_total(table, seat)) if state.war == CARRIED else 0
        for sides in state.theaters.values():
            side.basic.extend(key for key in sides[seat] if not c.war_tiles[key].war)
        table.shuffle(side.basic)
        side.bonus, side.refused = [], []
    for space in state.counted:
        remove_conflict(table, space, "7.5")
    state.counted, state.conquered, state.theaters = [], [], {}
    state.byng = state.dominance = ""
    state.theater = 0


def following(table: Table) -> str:
    """Return the war after this one, "" after the last."""
    order = list(table.c.wars)
    at = order.index(table.state.war) + 1
    return order[at] if at < len(order) else ""


def next_war(table: Table) -> None:
    """Lay out the next war; none after the American War of Independence (7.6)."""
    state = table.state
    state.war = following(table)
    if state.war:
        lay_out(table)
