"""The start of a game (playbook set-up; the flags are with the spaces, `data/map.toml`)."""

from __future__ import annotations

from games.imperial_struggle.state import BRITAIN, FRANCE, SEATS, SPAIN, Side, StruggleState
from games.imperial_struggle.table import Table

FIRST_WAR = "wss"


def option(table: Table, key: str) -> str:
    """Return the value of a house rule of this game."""
    return str(table.rule(key))


def setup(table: Table) -> StruggleState:
    """Return the start: flags, Squadrons, the first era's Event deck, the tiles, and the first war's War tiles."""
    c, start = table.c, table.c.start
    draw = [key for key, event in c.events.items() if event.era == c.turn(1).era]
    stack = list(c.investments)
    table.shuffle(draw)
    table.shuffle(stack)
    squadrons = {
        BRITAIN: (start.britain_box, start.britain_unbuilt), FRANCE: (start.france_box, start.france_unbuilt)
    }  # fmt: skip
    sides = {}
    for seat, (box, unbuilt) in squadrons.items():
        bid: int = table.rule(f"{seat}_treaty_points")
        sides[seat] = Side(limit=start.debt_limit, box=box, unbuilt=unbuilt, trp=bid)
    state = StruggleState(
        sides=sides, flags=dict(c.setup_flags), draw=draw, stack=stack, vp=start.vp, war=FIRST_WAR,
        advantages={key: "" if tile.setup == "none" else tile.setup for key, tile in c.advantages.items()},
        phase="planning" if option(table, "planned_wars") == "yes" else "turn",
    )  # fmt: skip
    if option(table, "spanish_empire") == "yes":  # 12.1
        for key, space in c.spaces.items():
            if space.crest and space.type == "market":
                state.flags[key] = SPAIN
    for seat in (FRANCE, BRITAIN):
        sides[seat].basic = c.basic_tiles(seat)
        table.shuffle(sides[seat].basic)
    table.state = state
    lay_out(table)
    return state


def lay_out(table: Table) -> None:
    """Lay a random basic tile for each side in each theater of the next war; its Bonus tiles form the pool (7.6)."""
    state, c = table.state, table.c
    theaters = c.wars[state.war].theaters
    state.theaters = {theater.id: {seat: [] for seat in SEATS} for theater in theaters}
    for seat in (FRANCE, BRITAIN):
        side = state.sides[seat]
        side.bonus = c.bonus_tiles(seat, state.war)
        table.shuffle(side.bonus)
        for theater in theaters:
            state.theaters[theater.id][seat].append(side.basic.pop())
    if state.war == FIRST_WAR:
        state.theaters[c.start.france_bonus_theater][FRANCE].append(state.sides[FRANCE].bonus.pop())
    table.log("war.laid_out", rule="7.6", war=state.war, private={seat: own_tiles(table, seat) for seat in SEATS})


def own_tiles(table: Table, seat: str) -> dict[str, dict[str, list[str]]]:
    """Return the War tiles of `seat` in theaters, by theater."""
    return {"tiles": {theater: list(sides[seat]) for theater, sides in table.state.theaters.items()}}
