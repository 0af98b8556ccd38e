"""Events 31 to 41: the Revolution Era. Cards that only grant points are data (`events.toml`)."""

from __future__ import annotations

from functools import partial

from games.imperial_struggle import board
from games.imperial_struggle.events import effects, tiles
from games.imperial_struggle.events.conditions import has_keyword
from games.imperial_struggle.events.effects import base, bonus, rule
from games.imperial_struggle.state import BRITAIN, ECONOMIC, FRANCE, MILITARY, OTHER
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Subset
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

_exhaust = KIT.question("exhaust", "#34")
NORTHERN_COLONIES = "northern-colonies"


@bonus("nootka-incident", BRITAIN)
def nootka_britain_bonus(table: Table, seat: str) -> None:
    """#31: 2 VP per Alliance space of Spain, and those flags go. Marked spaces do not count (3.8) and stay."""
    spaces = table.c.spaces
    allied = [s for s in effects.countries(table, "spain") if spaces[s].alliance]
    allied = [s for s in allied if board.counts(table.state, seat, s)]
    board.score(table, seat, 2 * len(allied), "events.vp", rule(table))
    for space in allied:
        board.unflag(table, space, rule(table))


@base("nootka-incident", FRANCE)
def nootka_france(table: Table, seat: str) -> Play:
    """#31: a British Squadron leaves the map."""
    yield from effects.return_squadron(table, seat)


@bonus("nootka-incident", FRANCE)
@base("cook-and-bougainville", FRANCE)
def free_squadron(table: Table, seat: str) -> None:
    """#31, #41: a free Squadron."""
    board.construct(table, seat, rule(table))


@base("haitian-revolution")
def haiti(table: Table, seat: str) -> Play:
    """#32: a +1 marker on a Caribbean Sugar Market."""
    yield from effects.mark(table, seat, effects.markets(table, "caribbean", "sugar"), plus=True)


@bonus("haitian-revolution")
def haiti_bonus(table: Table, seat: str) -> Play:
    """#32: two more."""
    yield from effects.mark(table, seat, effects.markets(table, "caribbean", "sugar"), 2, plus=True)


@base("loge-des-neuf-soeurs", BRITAIN)
@base("stamp-act", FRANCE)
def northern_marker(table: Table, seat: str) -> Play:
    """#33, #39: a marker in the Northern Colonies."""
    yield from effects.mark(table, seat, effects.markable_in(table, "north-america", NORTHERN_COLONIES))


@bonus("loge-des-neuf-soeurs", BRITAIN)
def loge_britain_bonus(table: Table, seat: str) -> None:
    """#33: 3 VP for more flags in North America, counted as for an Award."""
    there = table.c.of_region["north-america"]
    if effects.held(table, seat, there) > effects.held(table, OTHER[seat], there):
        board.score(table, seat, 3, "events.vp", rule(table))


@base("loge-des-neuf-soeurs", FRANCE)
def loge_france(table: Table, seat: str) -> Play:
    """#33: use an Advantage outside Europe, though not one taken this round."""
    yield from tiles.use_for_nothing(table, seat, lambda region: region != "europe", fresh=False)


@base("la-gabelle", BRITAIN)
def gabelle_britain(table: Table, seat: str) -> Play:
    """#34: mark up to two Advantages as Exhausted; nobody uses them, so no Ministry card pays for it."""
    state = table.state
    fresh = [key for key in state.advantages if key not in state.exhausted]
    if not fresh:
        return
    why = partial(_tired, table)
    chosen = yield from _exhaust(seat, Subset(fresh, 0, min(2, len(fresh)), what="advantage", why=why), [])
    for advantage in chosen:
        state.exhausted.append(advantage)
        table.log("events.exhausted", rule=rule(table), seat=seat, advantage=advantage)


def _tired(table: Table, key: str) -> RejectionReason | None:
    """#34: why an Advantage can't be marked as Exhausted: it is."""
    return because("advantage_exhausted", "#34", advantage=key) if key in table.c.advantages else None


@bonus("la-gabelle", FRANCE)
def gabelle_france_bonus(table: Table, seat: str) -> None:
    """#34: 2 VP, 3 with Governance."""
    board.score(table, seat, 3 if has_keyword(table, seat, "governance") else 2, "events.vp", rule(table))


@base("jesuit-abolition", BRITAIN)
def jesuits_britain(table: Table, seat: str) -> Play:
    """#35: unflag a Sugar Market."""
    yield from effects.unflag(table, seat, effects.markets(table, commodity="sugar"))


@base("jesuit-abolition", FRANCE)
@base("wealth-of-nations")
@base("stamp-act", BRITAIN)
@bonus("cook-and-bougainville", FRANCE)
def debt_falls(table: Table, seat: str) -> None:
    """#35, #36, #39, #41: Debt falls by 2."""
    board.reduce_debt(table, seat, 2, "events.debt", rule(table))


@bonus("jesuit-abolition", FRANCE)
@bonus("debt-crisis")
def two_points(table: Table, seat: str) -> None:
    """#35, #37: 2 VP."""
    board.score(table, seat, 2, "events.vp", rule(table))


@base("debt-crisis")
def debt_crisis(table: Table, seat: str) -> None:
    """#37: 3 EP for unflagging Markets, if one's Available Debt is the higher."""
    state = table.state
    if board.available_debt(state, seat) > board.available_debt(state, OTHER[seat]):
        board.grant(table, seat, ECONOMIC, 3, "unflag-markets", source=state.now.event)


@base("east-asia-piracy")
def piracy(table: Table, seat: str) -> None:
    """#38: 3 VP for more Squadrons, Forts (damaged too) and Local Alliances in India."""
    spaces = table.c.spaces
    allies = effects.local_alliances(table, "india")
    there = [s for s in table.c.of_region["india"] if spaces[s].type in ("naval", "fort") or s in allies]
    if effects.held(table, seat, there) > effects.held(table, OTHER[seat], there):
        board.score(table, seat, 3, "events.vp", rule(table))


@bonus("stamp-act", FRANCE)
def stamp_act_france_bonus(table: Table, seat: str) -> Play:
    """#39: three in all."""
    yield from effects.mark(table, seat, effects.markable_in(table, "north-america", NORTHERN_COLONIES), 2)


@base("falklands-crisis", BRITAIN)
def falklands_britain(table: Table, seat: str) -> None:
    """#40: 1 VP for a space of Spain."""
    if effects.held(table, seat, effects.countries(table, "spain")):
        board.score(table, seat, 1, "events.vp", rule(table))


@bonus("falklands-crisis", BRITAIN)
def falklands_britain_bonus(table: Table, seat: str) -> Play:
    """#40: unflag in Spain."""
    yield from effects.unflag(table, seat, effects.countries(table, "spain"))


@base("falklands-crisis", FRANCE)
def falklands_france(table: Table, seat: str) -> None:
    """#40: 1 MP per flag in Spain."""
    flags = effects.held(table, seat, effects.countries(table, "spain"))
    board.grant(table, seat, MILITARY, flags, source=table.state.now.event)


@bonus("falklands-crisis", FRANCE)
def falklands_france_bonus(table: Table, seat: str) -> Play:
    """#40: a British Squadron leaves the game."""
    space = yield from effects.pick_squadron(table, seat, BRITAIN)
    if space:
        board.lose_squadron(table, BRITAIN, space, rule(table))


@base("cook-and-bougainville", BRITAIN)
def cook_britain(table: Table, seat: str) -> None:
    """#41: 1 EP per two Squadrons on the map and in the Navy Box."""
    state = table.state
    fleet = len(board.squadrons(state, table.c, seat)) + state.sides[seat].box
    board.grant(table, seat, ECONOMIC, fleet // 2, source=state.now.event)


@bonus("cook-and-bougainville", BRITAIN)
def cook_britain_bonus(table: Table, seat: str) -> Play:
    """#41: a Bonus War tile, not counted as bought."""
    yield from tiles.draw(table, seat)
