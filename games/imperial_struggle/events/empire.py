"""Events 16 to 30: the Empire Era. Cards that only grant points are data (`events.toml`)."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypedDict

from games.imperial_struggle import board, tiles
from games.imperial_struggle.events import effects
from games.imperial_struggle.events.effects import base, bonus, rule
from games.imperial_struggle.state import BRITAIN, FRANCE, OTHER
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Menu, Subset
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

_refresh = KIT.question("refresh", "#17")
_byng = KIT.question("byng", "#18")
_demand = KIT.question("add_demand", "#19")
_hyder_ali = KIT.question("hyder_ali", "#20")
_replaced = KIT.question("replace_demand", "#21")
_debt = KIT.question("debt_or_treaty", "#25")
MOST_PANIC = 4


Ally = TypedDict("Ally", {"do": Literal["ally"], "with": str})
Conflicts = TypedDict("Conflicts", {"do": Literal["conflicts"], "with": list[str]})
"""Hyder Ali (#20): the Local Alliance that is taken, or the spaces of two markers."""


@base("caribbean-slave-unrest")
@bonus("caribbean-slave-unrest")
def slave_unrest(table: Table, seat: str) -> Play:
    """#16: a marker on a Caribbean Market, of either side; the bonus is one on a second."""
    yield from effects.mark(table, seat, effects.markets(table, "caribbean"))


@base("pacte-de-famille", BRITAIN)
def pacte_britain(table: Table, seat: str) -> None:
    """#17: removing French flags in Spain and Austria is 1 DP cheaper this round."""
    table.state.now.marks.append("pacte-de-famille")


@base("pacte-de-famille", FRANCE)
def pacte_france(table: Table, seat: str) -> Play:
    """#17: refresh up to two European Advantages that France holds."""
    state = table.state
    tired = [
        key
        for key in state.exhausted
        if key in table.c.advantages and table.c.advantages[key].region == "europe" and state.advantages[key] == seat
    ]
    chosen = tired[:2]
    if len(tired) > 2:
        why = partial(_not_tired, table, seat)
        chosen = yield from _refresh(seat, Subset(tired, 0, 2, what="advantage", why=why), chosen)
    for advantage in chosen:
        state.exhausted.remove(advantage)
        table.log("events.refreshed", rule=rule(table), seat=seat, advantage=advantage)


def _not_tired(table: Table, seat: str, key: str) -> RejectionReason | None:
    """#17: why an Advantage can't be refreshed."""
    if table.c.advantages[key].region != "europe":
        return because("not_europe", "#17", advantage=key)
    holder = table.state.advantages[key]
    if holder != seat:
        return because("advantage_held", "8.1", advantage=key, holder=holder)
    return because("not_exhausted", "#17", advantage=key)


@base("byngs-trial", BRITAIN)
def byng_britain(table: Table, seat: str) -> Play:
    """#18: the Byng marker goes to a theater of the next war that counts Squadrons; nothing on turn 6."""
    if not table.state.war:
        return
    naval = [theater.id for theater in table.c.wars[table.state.war].theaters if theater.naval]
    table.state.byng = yield from effects.choose(table, seat, _byng, naval, partial(_no_byng, table))
    table.log("events.byng", rule=rule(table), seat=seat, theater=table.state.byng)


def _no_byng(table: Table, theater: str) -> RejectionReason | None:
    """#18: why the Byng marker does not go to a theater: it counts no Squadrons, or is one of another war."""
    if theater not in table.state.theaters:
        return tiles.other_war(table, theater)
    return because("byng", "#18", theater=theater)


@base("byngs-trial", FRANCE)
def byng_france(table: Table, seat: str) -> Play:
    """#18: a British Squadron is set aside till the next Peace Turn."""
    space = yield from effects.pick_squadron(table, seat, BRITAIN)
    if space:
        board.set_aside(table, BRITAIN, space, rule(table))


@base("le-beau-monde", BRITAIN)
def beau_monde_britain(table: Table, seat: str) -> Play:
    """#19: Britain may add Furs or Cotton to the demand of the turn."""
    state = table.state
    words = [word for word in ("furs", "cotton") if word not in state.demand]
    if not words:
        return
    chosen = yield from _demand(seat, Choice(["none", *words], why=partial(_no_demand, table)), "none")
    if chosen != "none":
        state.idle_demand.remove(chosen)
        state.demand.append(chosen)
        table.log("events.demand_added", rule=rule(table), seat=seat, commodity=chosen)


def _no_demand(table: Table, commodity: str) -> RejectionReason | None:
    """#19: why a commodity can't be added to the demand."""
    if commodity not in table.c.commodities:
        return None
    return because("in_demand" if commodity in table.state.demand else "furs_cotton", "#19", commodity=commodity)


@base("hyder-ali")
def hyder_ali(table: Table, seat: str) -> Play:
    """#20: take control of a Local Alliance in India, or two markers on spaces there that are not Protected."""
    state = table.state
    local, india = effects.local_alliances(table, "india"), effects.markable_in(table, "india")
    allies = [s for s in local if state.flags[s] != seat]
    loose = [s for s in india if board.markable(table, s)]
    loose = [s for s in loose if not board.protected(table, s)]
    count = min(2, len(loose))
    entries: dict[str, Domain] = {}
    if allies:
        entries["ally"] = Choice(allies, "space", partial(_no_ally, table, local))
    if loose:
        entries["conflicts"] = Subset(loose, count, count, what="space", why=partial(_no_conflict, table, india))
    if not entries:
        return
    menu: Menu[Ally | Conflicts] = Menu(
        entries, why=lambda word: because(f"no_{word}", "#20") if word in ("ally", "conflicts") else None
    )
    answer = yield from _hyder_ali(seat, menu, lambda: effects.first(menu))
    if answer["do"] == "ally":
        board.take_control(table, seat, answer["with"], rule(table))
        return
    for space in answer["with"]:
        board.place_conflict(table, space, rule(table))


def _no_ally(table: Table, local: list[str], space: str) -> RejectionReason | None:
    """#20: why control of a space can't be taken: no Local Alliance in India, or an own one."""
    return effects.elsewhere(table, local, space) or because("own", "3.2.8", space=space)


def _no_conflict(table: Table, india: list[str], space: str) -> RejectionReason | None:
    """#20: why no marker can be put on a space."""
    problem = effects.unmarkable(table, india, space)
    return problem or because("protected", "#20", what="hyder-ali", space=space)


@base("co-hong-system")
def co_hong(table: Table, seat: str) -> Play:
    """#21: a random tile not in demand replaces one that is."""
    state = table.state
    if not state.idle_demand:
        return
    drawn = state.idle_demand[table.dice.below(len(state.idle_demand))]
    table.log("events.demand_drawn", rule=rule(table), seat=seat, commodity=drawn, reveals=True)
    table.stop_advance_orders(seat)
    wanted = Choice(list(state.demand), why=partial(_unwanted, table))
    gone = yield from _replaced(seat, wanted, state.demand[0], commodity=drawn)
    state.idle_demand[state.idle_demand.index(drawn)] = gone
    state.demand[state.demand.index(gone)] = drawn
    table.log("events.demand_replaced", rule=rule(table), seat=seat, commodity=drawn, gone=gone)


def _unwanted(table: Table, commodity: str) -> RejectionReason | None:
    """#21: why a commodity can't be replaced."""
    return because("demand", "#21", commodity=commodity) if commodity in table.c.commodities else None


@base("corsican-crisis", BRITAIN)
def corsica_britain(table: Table, seat: str) -> Play:
    """#22: shift Sardinia or Savoy."""
    yield from effects.shift(table, seat, ("sardinia", "savoy"))


@bonus("corsican-crisis", BRITAIN)
def corsica_britain_bonus(table: Table, seat: str) -> None:
    """#22: 1 VP if no French Squadron is in European waters."""
    if all(table.state.flags[s] != FRANCE for s in ("biscay", "balearic")):
        board.score(table, seat, 1, "events.vp", rule(table))


@base("corsican-crisis", FRANCE)
@bonus("european-panic")
def european_flag(table: Table, seat: str) -> Play:
    """#22, #23: unflag in Europe."""
    yield from effects.unflag(table, seat, effects.political(table, "europe"))


@bonus("corsican-crisis", FRANCE)
def corsica_france_bonus(table: Table, seat: str) -> None:
    """#22: 1 VP if Britain then controls nothing in Spain."""
    if not effects.held(table, BRITAIN, effects.countries(table, "spain")):
        board.score(table, seat, 1, "events.vp", rule(table))


@base("european-panic")
def european_panic(table: Table, seat: str) -> None:
    """#23: VP for the difference in Debt itself."""
    sides = table.state.sides
    more = min(MOST_PANIC, sides[OTHER[seat]].debt - sides[seat].debt)
    if more > 0:
        board.score(table, seat, more, "events.vp", rule(table))


@base("war-of-the-quadruple-alliance", BRITAIN)
def quadruple_britain(table: Table, seat: str) -> Play:
    """#25: set a Squadron of one's own aside for 2 VP; without one, nothing."""
    space = yield from effects.pick_squadron(table, seat, seat)
    if space:
        board.set_aside(table, seat, space, rule(table))
        board.score(table, seat, 2, "events.vp", rule(table))


@bonus("war-of-the-quadruple-alliance", BRITAIN)
def quadruple_britain_bonus(table: Table, seat: str) -> Play:
    """#25: a free Squadron, then 1 Debt, or 1 TRP if there is one."""
    board.construct(table, seat, rule(table))
    side = table.state.sides[seat]
    ways = ["debt", "treaty"] if side.trp else ["debt"]
    if side.debt >= side.limit and side.trp:
        ways = ["treaty"]
    way = yield from effects.choose(table, seat, _debt, ways)
    if way == "debt":
        board.forced_debt(table, seat, 1, "events.forced", rule(table))
    else:
        board.lose_trp(table, seat, 1, "events.treaty_lost", rule(table))


@base("war-of-the-quadruple-alliance", FRANCE)
def quadruple_france(table: Table, seat: str) -> Play:
    """#25: shift in Spain."""
    yield from effects.shift(table, seat, effects.countries(table, "spain"))


@base("salon-dhercule", BRITAIN)
def hercule_britain(table: Table, seat: str) -> None:
    """#26: France takes 1 Debt."""
    board.forced_debt(table, FRANCE, 1, "events.forced", rule(table))


@bonus("salon-dhercule", BRITAIN)
def hercule_britain_bonus(table: Table, seat: str) -> None:
    """#26: France takes 2 more Debt."""
    board.forced_debt(table, FRANCE, 2, "events.forced", rule(table))


@base("bengal-famine")
def bengal_famine(table: Table, seat: str) -> Play:
    """#27: none, one or two markers in India."""
    india = effects.markable_in(table, "india")
    where = [s for s in india if board.markable(table, s)]
    if not where:
        return
    domain = Subset(where, 0, min(2, len(where)), what="space", why=partial(effects.unmarkable, table, india))
    chosen = yield from effects.CONFLICTS(seat, domain, [], rule=rule(table), count=2)
    for space in chosen:
        board.place_conflict(table, space, rule(table))


@base("father-le-loutre", BRITAIN)
def le_loutre_britain(table: Table, seat: str) -> Play:
    """#28: a marker on a Fish Market."""
    yield from effects.mark(table, seat, effects.markets(table, commodity="fish"))


@base("father-le-loutre", FRANCE)
def le_loutre_france(table: Table, seat: str) -> Play:
    """#28: a marker on any British Market."""
    flags = table.state.flags
    yield from effects.mark(table, seat, [s for s in effects.markets(table) if flags[s] == BRITAIN])


@base("war-of-the-polish-succession", BRITAIN)
def polish_britain(table: Table, seat: str) -> None:
    """#29: 2 TRP."""
    board.gain_trp(table, seat, 2, "events.treaty", rule(table))


@bonus("war-of-the-polish-succession", BRITAIN)
def polish_britain_bonus(table: Table, seat: str) -> Play:
    """#29: shift Russia."""
    yield from effects.shift(table, seat, ("russia",))


@base("war-of-the-polish-succession", FRANCE)
def polish_france(table: Table, seat: str) -> None:
    """#29: 2 VP."""
    board.score(table, seat, 2, "events.vp", rule(table))


@bonus("war-of-the-polish-succession", FRANCE)
def polish_france_bonus(table: Table, seat: str) -> Play:
    """#29: shift Russia or Sweden."""
    yield from effects.shift(table, seat, ("russia", "sweden"))


@bonus("jonathans-coffee-house")
def coffee_house_bonus(table: Table, seat: str) -> None:
    """#30: Debt falls by 1, besides the EP."""
    board.reduce_debt(table, seat, 1, "events.debt", rule(table))
