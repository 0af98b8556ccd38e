"""The symbols on War tiles (7.1.2): Debt, fort or fleet, unflag. All of one side are executed before the other's."""

from __future__ import annotations

from functools import partial

from games.imperial_struggle import board, connection
from games.imperial_struggle.components import Theater
from games.imperial_struggle.events.effects import UNFLAG, no_squadron, opposing, why_not_damageable
from games.imperial_struggle.state import BRITAIN, FRANCE, OTHER
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.1.2", "War tile symbols", "wars/symbols.py")
RULE = "7.1.2"
QUESTIONS = {"fort-fleet": KIT.question("fort_fleet", RULE), "unflag": UNFLAG}


def apply_symbols(table: Table, theater: Theater) -> Play:
    """Apply the symbols of the side nearer to automatic victory first; at 15 VP of the first in the turn (7.1.2)."""
    first = nearer(table)
    for seat in (first, OTHER[first]):
        for tile in table.state.theaters[theater.id][seat]:
            symbol = table.c.war_tiles[tile].symbol
            if symbol == "debt":
                board.forced_debt(table, OTHER[seat], 1, "wars.debt", RULE)
            elif symbol:
                places = _targets(table, theater, seat, symbol)
                why = partial(_unhit, table, theater, seat, symbol)
                space = yield from board.ask_space(
                    table, seat, QUESTIONS[symbol], places, RULE, why=why, tile=tile, theater=theater.id
                )
                _hit(table, space)


def nearer(table: Table) -> str:
    """Return the side nearer to an automatic victory at the present position of the marker."""
    middle = table.c.start.vp
    if table.state.vp == middle:
        return table.state.first
    return FRANCE if table.state.vp > middle else BRITAIN


def _targets(table: Table, theater: Theater, seat: str, symbol: str) -> list[str]:
    return fort_fleet(table, theater, seat) if symbol == "fort-fleet" else unflaggable(table, theater, seat)


def _unhit(table: Table, theater: Theater, seat: str, symbol: str, space: str) -> RejectionReason | None:
    """Return why a symbol does nothing to a space (7.1.2)."""
    place = table.c.spaces[space]
    if place.region not in theater.regions:
        return because("cp_elsewhere", RULE, space=space, theater=theater.id)
    # The second bullet: a Fort or a Squadron.
    if symbol == "fort-fleet":
        if place.type == "naval":
            return no_squadron(table, OTHER[seat], space)
        return why_not_damageable(table, OTHER[seat], RULE, space)
    # The third: a Market or a Political space without Conflict marker; i: a Market that isolates no other first.
    if place.type not in ("market", "political"):
        return because("kind", RULE, space=space)
    if not opposing(table, seat, space):
        return because("no_opposing_flag", RULE, space=space)
    return because("symbol_marked" if space in table.state.conflicts else "isolates_first", RULE, space=space)


def fort_fleet(table: Table, theater: Theater, seat: str) -> list[str]:
    """Return undamaged opposing Forts and opposing Squadrons in the theater's Regions (7.1.2, second bullet)."""
    state, c, other = table.state, table.c, OTHER[seat]
    forts = [
        s for s in board.lying_in(c, "fort", theater.regions) if state.flags[s] == other and s not in state.damaged
    ]
    return forts + board.squadrons(state, c, other, theater.regions)


def unflaggable(table: Table, theater: Theater, seat: str) -> list[str]:
    """Return unmarked opposing Political spaces and Markets in the theater's Regions (7.1.2, third bullet).

    A Market must be one whose loss isolates no other, if there is one (i); a Political space may be chosen instead.
    """
    state, found = table.state, {}
    for kind in ("political", "market"):
        there = board.lying_in(table.c, kind, theater.regions)
        found[kind] = [s for s in there if opposing(table, seat, s) and s not in state.conflicts]
    harmless = [s for s in found["market"] if not connection.isolates(table, s)]
    return found["political"] + (harmless or found["market"])


def _hit(table: Table, space: str) -> None:
    """Damage a Fort, send a Squadron home, or remove a flag; nothing if there was no target."""
    if not space:
        return
    if table.c.spaces[space].type == "fort":
        board.damage(table, space, RULE)
    else:
        board.unflag(table, space, RULE)
