"""Special results of theaters (7.3): Jacobites, Atlantic Dominance, lost Squadrons, the United States, Canada."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from games.imperial_struggle import board, connection
from games.imperial_struggle.components import Spoils
from games.imperial_struggle.events.effects import no_squadron
from games.imperial_struggle.ministries import jacobites
from games.imperial_struggle.state import FRANCE, OTHER, USA
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Subset
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.3", "special rewards", "wars/specials.py")
_lost = KIT.question("lose_squadron", "7.3")
_usa_forts = KIT.question("usa_forts", "7.3")
_usa_flags = KIT.question("usa_flags", "7.3")
Special = Callable[[Table, str, int, Spoils], "Play | None"]
NEW_WORLD = ("north-america", "caribbean")


def carry_out(table: Table, special: str, winner: str, margin: int, row: Spoils) -> Play:
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
