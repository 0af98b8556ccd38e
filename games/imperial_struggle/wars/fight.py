"""Resolving a war, theater by theater: symbols, strength (7.1.3), spoils (7.1, 7.2), special results (7.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from games.imperial_struggle import board, connection
from games.imperial_struggle.components import Spoils, StruggleComponents, Theater, War
from games.imperial_struggle.events.conditions import has_keyword
from games.imperial_struggle.events.effects import UNFLAG, no_squadron, opposing, why_not_damageable
from games.imperial_struggle.ministries import jacobites
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import BRITAIN, FRANCE, OTHER, SEATS, USA
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.wars import conquest
from pbem.kernel.domains import Subset
from pbem.kernel.game import Play
from pbem.kernel.questions import Checkpoint
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.3", "special rewards", "wars/fight.py")
_lost = KIT.question("lose_squadron", "7.3")
_usa_forts = KIT.question("usa_forts", "7.3")
_usa_flags = KIT.question("usa_flags", "7.3")
Special = Callable[[Table, str, int, Spoils], "Play | None"]
NEW_WORLD = ("north-america", "caribbean")


def carry_out_special(table: Table, special: str, winner: str, margin: int, row: Spoils) -> Play:
    """Execute one special result of a spoils row."""
    yield from SPECIALS[special](table, winner, margin, row) or ()


def _victory(table: Table, winner: str, margin: int, row: Spoils) -> None:
    """Place a Jacobite Victory marker, which counts for M-4."""
    table.state.jacobite_victories += 1
    table.log("wars.jacobite_victory", rule="7.3", count=table.state.jacobite_victories)


def _permanent(table: Table, winner: str, margin: int, row: Spoils) -> None:
    """Allow M-4 as a third Ministry card from the next Ministry Phase on."""
    if not table.state.jacobite_defeat:
        table.state.jacobite_card = True
        table.log("wars.jacobite_card", rule="7.3")


def _dominance(table: Table, winner: str, margin: int, row: Spoils) -> None:
    """Give +2 in the French & Indian War of this war."""
    table.state.dominance = winner
    table.log("wars.dominance", rule="7.3", seat=winner)


def _lose(table: Table, loser: str, count: int, *, unbuilt: bool) -> Play:
    """Ask the loser among those on the map and in the Navy Box; if fewer are available, all of them are lost."""
    for _ in range(count):
        if not (places := board.own_squadrons(table, loser)):
            return
        why = partial(no_squadron, table, loser)
        space = yield from board.ask_space(table, loser, _lost, places, "7.3", why=why, unbuilt=unbuilt)
        board.lose_squadron(table, loser, space, "7.3", unbuilt=unbuilt)


def _usa(table: Table, winner: str, margin: int, row: Spoils) -> Play:
    """Place USA flags where France wants them; then unflag Forts of the sub-region, then Markets isolated by it."""
    c, state = table.c, table.state
    before = connection.isolated(c, state)
    yield from _flags(table, [s for s in c.special.usa_territories if state.flags[s] != USA])
    forts = [s for s in c.of_type["fort"] if c.spaces[s].subregion == c.special.usa_fort_subregion and state.flags[s]]
    if forts:
        why = partial(_no_usa_fort, table)
        gone = yield from _usa_forts(FRANCE, Subset(forts, 0, len(forts), what="fort", why=why), [])
        for space in gone:
            board.unflag(table, space, "7.3")
    _sweep(table, before, NEW_WORLD)


def _no_usa_fort(table: Table, space: str) -> RejectionReason | None:
    """Return why a Fort does not lose its flag (7.3): another sub-region, or no flag."""
    place, subregion = table.c.spaces[space], table.c.special.usa_fort_subregion
    if (place.type, place.subregion) != ("fort", subregion):
        return because("usa_fort", "7.3", space=space)
    return because("empty_fort", "7.3", space=space)


def _canada(table: Table, winner: str, margin: int, row: Spoils) -> Play:
    """Place a USA flag on Quebec & Montreal, if France wants it, and sweep in North America in the same way."""
    before = connection.isolated(table.c, table.state)
    yield from _flags(table, list(table.c.special.canada_territories))
    _sweep(table, before, NEW_WORLD[:1])


def _flags(table: Table, territories: list[str]) -> Play:
    """Let France pick Territories for USA flags, which replace any flag there (10)."""
    domain = Subset(territories, 0, len(territories), what="space", why=partial(_no_usa_flag, table))
    chosen = yield from _usa_flags(FRANCE, domain, [])
    for space in chosen:
        board.set_flag(table, space, USA)
        table.log("wars.usa", rule="7.3", space=space)


def _no_usa_flag(table: Table, space: str) -> RejectionReason:
    """Return why a Territory gets no USA flag (7.3): it has one, or it is none of those named."""
    return because("usa" if table.state.flags[space] == USA else "usa_land", "7.3", space=space)


def _sweep(table: Table, before: Sequence[str], regions: tuple[str, ...]) -> None:
    now = connection.isolated(table.c, table.state)
    for space in now:
        if space not in before and table.c.region[space] in regions:
            board.unflag(table, space, "7.3")


SPECIALS: dict[str, Special] = {
    "jacobite-victory": _victory,
    "jacobite-permanent": _permanent,
    "jacobite-defeat": lambda table, winner, margin, row: jacobites.defeat(table, "7.3"),
    "atlantic-dominance-marker": _dominance,
    "loser-squadrons-to-unbuilt": lambda table, winner, margin, row: _lose(
        table, OTHER[winner], row.loser_squadrons_to_unbuilt, unbuilt=True
    ),
    # As many as the margin, two at the most, for good (Antilles War).
    "loser-squadrons-out-of-game": lambda table, winner, margin, row: _lose(
        table, OTHER[winner], min(margin, table.c.special.most_squadrons_lost), unbuilt=False
    ),
    "usa": _usa,
    "canada": _canada,
}

KIT.chapter("7.1.3", "bonus strength", "wars/fight.py")
KIT.chapter("7.1.2", "War tile symbols", "wars/fight.py")
KIT.chapter("7.1", "resolving a war", "wars/fight.py")
KIT.chapter("7.1.4", "totals", "wars/fight.py")
KIT.chapter("7.2", "spoils", "wars/fight.py")
SYMBOLS = "7.1.2"
QUESTIONS = {"fort-fleet": KIT.question("fort_fleet", SYMBOLS), "unflag": UNFLAG}
_unflagged = KIT.question("spoils_unflag", "7.2")
TOP = 99
"""The `max` of a highest spoils row: this margin and above."""


def fight(table: Table) -> Play:
    """Fight in the theaters from `state.theater` on (7.1). Changes by one are in the state before the next begins."""
    state = table.state
    war = table.c.wars[state.war]
    while state.theater < len(war.theaters):
        if state.theater:
            yield from Checkpoint()
        else:
            table.log("wars.begins", rule="7.1", war=war.id)
        theater = war.theaters[state.theater]
        with table.within("theater", war=war.id, theater=theater.id):
            yield from resolve(table, war, theater)
        state.theater += 1


def policies(table: Table, seat: str, kind: str) -> list[str]:
    """Return a standing order for a conquest in a later theater of a war, or from the last round on (7.2.1)."""
    state, c = table.state, table.c
    last = kind == "tile" and c.turn(state.turn).war and state.rounds + 2 >= 2 * c.limits["rounds"]
    if not last and (state.phase != "war" or kind not in ("conquer", "unflag", "fort_fleet", "spoils_unflag")):
        return []
    for theater in c.wars[state.war].theaters[0 if last else state.theater + 1 :]:
        space = next(conquest.conquerable(table, theater, seat), "")
        if space and any(row.cp for row in theater.spoils):
            return [f"standing conquer: take {space} if theater={theater.id} until turn {state.turn + 1}"]
    return []


def resolve(table: Table, war: War, theater: Theater) -> Play:
    """Resolve a theater (7.1.1 to 7.2): reveal, symbols, bonus strength, spoils; a tie gives nothing to anybody."""
    lying = table.state.theaters[theater.id]
    table.log(
        "wars.revealed", rule="7.1.1", theater=theater.id, reveals=True,
        britain=list(lying[BRITAIN]), france=list(lying[FRANCE]),
    )  # fmt: skip
    table.stop_advance_orders()  # orders sent before the tiles were shown wait for their writers
    yield from apply_symbols(table, theater)
    totals: dict[str, int] = {}
    for seat in SEATS:
        parts: dict[str, Any] = strength(table, war, theater, seat)
        totals[seat] = sum(parts.values())
        table.log("wars.strength", rule="7.1.3", theater=theater.id, seat=seat, total=totals[seat], **parts)
    if not (margin := totals[FRANCE] - totals[BRITAIN]):
        table.log("wars.tied", rule="7.1.4", theater=theater.id)
        return
    winner = FRANCE if margin > 0 else BRITAIN
    table.log("wars.won", rule="7.1.4", theater=theater.id, winner=winner, margin=abs(margin))
    row = spoils_row(theater, winner, abs(margin))
    if row is None:
        table.log("wars.no_spoils", rule="7.2", theater=theater.id)
        return
    yield from spoils(table, theater, winner, abs(margin), row)


def spoils_row(theater: Theater, winner: str, margin: int) -> Spoils | None:
    """Return the row of the display for this victory; None below the lowest margin (7.2)."""
    return next((r for r in theater.spoils if r.winner in ("either", winner) and r.min <= margin <= r.max), None)


def spoils(table: Table, theater: Theater, winner: str, margin: int, row: Spoils) -> Play:
    """Award VP, Treaty Points for the loser, special results and conquest; last, a flag may be removed (7.2)."""
    state, loser = table.state, OTHER[winner]
    if row.max >= TOP:
        state.swept[winner] = state.swept.get(winner, 0) + 1
    board.score(table, winner, row.vp, "wars.vp", "7.2", theater=theater.id)
    board.gain_trp(table, loser, row.loser_trp, "wars.treaty", "7.2", theater=theater.id)
    for special in row.special:
        yield from carry_out_special(table, special, winner, margin, row)
    yield from conquest.conquer(table, theater, winner, row.cp)
    for _ in range(row.unflag):
        yield from _unflag(table, theater, winner, row)
    while state.spanish:
        yield from conquest.spanish_shift(table, state.spanish.pop(0))


def _unflag(table: Table, theater: Theater, winner: str, row: Spoils) -> Play:
    """Let the winner remove an opposing flag, marked or not (by option a must); no isolation limit (7.2)."""
    spaces, may = table.c.spaces, option(table, "spoils_flag") != "must"
    found = [
        s
        for s in table.c.of_type[row.unflag_type]
        if spaces[s].region == row.unflag_region and opposing(table, winner, s)
    ]
    why = partial(_kept, table, winner, row)
    about = {"theater": theater.id}
    space = yield from board.ask_space(table, winner, _unflagged, found, "7.2", optional=may, why=why, **about)
    if space:
        board.unflag(table, space, "7.2")


def _kept(table: Table, winner: str, row: Spoils, space: str) -> RejectionReason | None:
    """Return why the winner can't remove a flag (7.2): another kind of space, another Region, or no opposing flag."""
    place = table.c.spaces[space]
    if (place.type, place.region) != (row.unflag_type, row.unflag_region):
        return because("spoils_space", "7.2", space=space, type=row.unflag_type, region=row.unflag_region)
    return None if opposing(table, winner, space) else because("no_opposing_flag", "7.2", space=space)


# -- the symbols on War tiles (7.1.2): all of one side are executed before the other's ---------------------------------


def apply_symbols(table: Table, theater: Theater) -> Play:
    """Apply the symbols of the side nearer to automatic victory first; at 15 VP of the first in the turn (7.1.2)."""
    first = nearer(table)
    for seat in (first, OTHER[first]):
        for tile in table.state.theaters[theater.id][seat]:
            symbol = table.c.war_tiles[tile].symbol
            if symbol == "debt":
                board.forced_debt(table, OTHER[seat], 1, "wars.debt", SYMBOLS)
            elif symbol:
                places = (fort_fleet if symbol == "fort-fleet" else unflaggable)(table, theater, seat)
                why = partial(_unhit, table, theater, seat, symbol)
                space = yield from board.ask_space(
                    table, seat, QUESTIONS[symbol], places, SYMBOLS, why=why, tile=tile, theater=theater.id
                )
                _hit(table, space)


def nearer(table: Table) -> str:
    """Return the side nearer to an automatic victory at the present position of the marker."""
    middle = table.c.start.vp
    if table.state.vp == middle:
        return table.state.first
    return FRANCE if table.state.vp > middle else BRITAIN


def _unhit(table: Table, theater: Theater, seat: str, symbol: str, space: str) -> RejectionReason | None:
    """Return why a symbol does nothing to a space (7.1.2)."""
    place = table.c.spaces[space]
    if place.region not in theater.regions:
        return because("cp_elsewhere", SYMBOLS, space=space, theater=theater.id)
    # The second bullet: a Fort or a Squadron.
    if symbol == "fort-fleet":
        if place.type == "naval":
            return no_squadron(table, OTHER[seat], space)
        return why_not_damageable(table, OTHER[seat], SYMBOLS, space)
    # The third: a Market or a Political space without Conflict marker; i: a Market that isolates no other first.
    if place.type not in ("market", "political"):
        return because("kind", SYMBOLS, space=space)
    if not opposing(table, seat, space):
        return because("no_opposing_flag", SYMBOLS, space=space)
    return because("symbol_marked" if space in table.state.conflicts else "isolates_first", SYMBOLS, space=space)


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
        board.damage(table, space, SYMBOLS)
    else:
        board.unflag(table, space, SYMBOLS)


DOMINATED = "french-and-indian-war"
"""The theater in which the Atlantic Dominance marker counts."""


def strength(table: Table, war: War, theater: Theater, seat: str) -> dict[str, int]:
    """Return what each element gives `seat`. Stores the Conflict markers that gave strength (7.5)."""
    state, c = table.state, table.c
    lying = state.theaters[theater.id][seat]
    return {
        "tiles": sum([c.war_tiles[tile].value for tile in lying]),
        "markers": _markers(table, theater, seat),
        "alliances": len(alliances(table, war, theater, seat)),
        "keyword": int(bool(theater.keyword) and has_keyword(table, seat, theater.keyword)),
        "squadrons": len(board.squadrons(state, c, seat, theater.squadrons)),
        "forts": _forts(table, theater, seat) if theater.forts else 0,
        "conflicts": _conflicts(table, theater, seat) if theater.conflicts else 0,
    }


def _forts(table: Table, theater: Theater, seat: str) -> int:
    """Return the number of own undamaged Forts in the theater's Regions."""
    flags, damaged = table.state.flags, table.state.damaged
    there = board.lying_in(table.c, "fort", theater.regions)
    return len([s for s in there if flags[s] == seat and s not in damaged])


def _markers(table: Table, theater: Theater, seat: str) -> int:
    """Return the strength of Byng (#18) and Atlantic Dominance, 2 each."""
    found = int(seat == BRITAIN and table.state.byng == theater.id)
    found += int(theater.id == DOMINATED and table.state.dominance == seat)
    return found * table.c.special.marker_strength


def alliances(table: Table, war: War, theater: Theater, seat: str) -> list[str]:
    """Return the spaces of the listed countries with the dots of this war that count for `seat`."""
    return [s for s in listed(table.c, war.id, theater.id) if board.counts(table.state, seat, s)]


@lru_cache(maxsize=64)
def listed(c: StruggleComponents, war_id: str, theater_id: str) -> tuple[str, ...]:
    """Return the spaces of the countries of a theater with the dots of the war."""
    war = c.wars[war_id]
    theater = next(there for there in war.theaters if there.id == theater_id)
    listed = (space for country in theater.countries for space in c.of_country[country])
    return tuple(space for space in listed if war.dots in c.spaces[space].dots)


def _conflicts(table: Table, theater: Theater, seat: str) -> int:
    """Return the number of Conflict markers on spaces flagged by the other side, in the theater's Regions."""
    state, c = table.state, table.c
    found = [s for s in state.conflicts if state.flags[s] == OTHER[seat] and c.region[s] in theater.regions]
    state.counted.extend(s for s in found if s not in state.counted)
    return len(found)
