"""Events 1 to 15: the Succession Era. Cards that only grant points are data (`events.toml`)."""

from __future__ import annotations

from functools import partial

from games.imperial_struggle import board, connection
from games.imperial_struggle.events import effects, tiles
from games.imperial_struggle.events.effects import base, bonus, rule
from games.imperial_struggle.scoring import score_commodity
from games.imperial_struggle.state import BRITAIN, ECONOMIC, FRANCE, OTHER
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.tiles import bonus_in
from pbem.kernel.domains import Choice, Menu
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

_fort_or_cotton = KIT.question("fort_or_cotton", "#1")
_own_flag = KIT.question("lose_flag", "#3")
_cotton = KIT.question("score_cotton", "#11")
_loss = KIT.question("overrun", "#12", "reaction")


@base("carnatic-war")
def carnatic_war(table: Table, seat: str) -> Play:
    """#1: as many Conflict markers in India as Local Alliances there."""
    count = effects.held(table, seat, effects.local_alliances(table, "india"))
    yield from effects.mark(table, seat, effects.markable_in(table, "india"), count)


@bonus("carnatic-war")
def carnatic_war_bonus(table: Table, seat: str) -> Play:
    """#1: damage an opposing Fort of India, or shift a Cotton Market."""
    flags, damaged = table.state.flags, table.state.damaged
    forts = [
        s
        for s in table.c.of_type["fort"]
        if table.c.region[s] == "india" and flags[s] == OTHER[seat] and s not in damaged
    ]
    cotton = [s for s in effects.markets(table, commodity="cotton") if flags[s] != seat]
    why = partial(_neither, table, seat)
    space = yield from board.ask_space(table, seat, _fort_or_cotton, forts + cotton, rule(table), why=why)
    if space in forts:
        board.damage(table, space, rule(table))
    elif space:
        board.shift(table, seat, space, rule(table))


def _neither(table: Table, seat: str, space: str) -> RejectionReason | None:
    """#1: why a space is neither a Fort to damage nor a Cotton Market to shift."""
    india = [s for s in table.c.of_type["fort"] if table.c.region[s] == "india"]
    problem = effects.elsewhere(table, [*india, *effects.markets(table, commodity="cotton")], space)
    if problem is not None or space not in india:
        return problem or because("own", "3.2.8", space=space)
    return effects.why_not_damageable(table, OTHER[seat], "#1", space)


@bonus("acts-of-union", BRITAIN)
def acts_of_union_britain(table: Table, seat: str) -> None:
    """#2: 2 VP."""
    board.score(table, seat, 2, "events.vp", rule(table))


@bonus("acts-of-union", FRANCE)
def acts_of_union_france(table: Table, seat: str) -> Play:
    """#2: unflag in Europe, but not in Spain or Austria."""
    spared = effects.countries(table, "spain", "austria")
    yield from effects.unflag(table, seat, [s for s in effects.political(table, "europe") if s not in spared])


@base("tropical-diseases")
def tropical_diseases(table: Table, seat: str) -> Play:
    """#3: an opposing flag, and after that one's own from another Market."""
    caribbean = effects.markets(table, "caribbean")
    gone = yield from effects.unflag(table, seat, caribbean)
    own = [s for s in caribbean if table.state.flags[s] == seat and s != gone]
    why = partial(_not_lost, table, gone)
    lost = yield from board.ask_space(table, seat, _own_flag, own, rule(table), why=why)
    if lost:
        board.unflag(table, lost, rule(table))


def _not_lost(table: Table, gone: str, space: str) -> RejectionReason | None:
    """#3: why the own flag can't be given up in a space."""
    if space == gone:
        return because("same_market", "#3", space=space)
    problem = effects.elsewhere(table, effects.markets(table, "caribbean"), space)
    return problem or because("own_flag", "#3", space=space)


@bonus("tropical-diseases")
def tropical_diseases_bonus(table: Table, seat: str) -> Play:
    """#3: a second opposing flag."""
    yield from effects.unflag(table, seat, effects.markets(table, "caribbean"))


@base("south-sea-speculation")
def south_sea_speculation(table: Table, seat: str) -> Play:
    """#4: unflag a Market that isolates no other by it."""
    yield from effects.unflag(table, seat, effects.markets(table), _isolates)


def _isolates(table: Table, space: str) -> RejectionReason | None:
    """#4: why the flag of a Market must stay."""
    return because("isolates", "#4", space=space) if connection.isolates(table, space) else None


@bonus("south-sea-speculation")
def south_sea_speculation_bonus(table: Table, seat: str) -> None:
    """#4: 2 MP off the next Squadron of this round."""
    table.state.now.marks.append("south-sea")


@base("war-of-jenkins-ear", BRITAIN)
@bonus("interest-payments")
def debt_falls(table: Table, seat: str) -> None:
    """#5, #15: Debt falls by 2."""
    board.reduce_debt(table, seat, 2, "events.debt", rule(table))


@bonus("war-of-jenkins-ear", BRITAIN)
def jenkins_ear_britain_bonus(table: Table, seat: str) -> None:
    """#5: France takes 1 Debt."""
    board.forced_debt(table, FRANCE, 1, "events.forced", rule(table))


@base("war-of-jenkins-ear", FRANCE)
def jenkins_ear_france(table: Table, seat: str) -> Play:
    """#5: a marker on a British Market of the Caribbean."""
    flags = table.state.flags
    yield from effects.mark(table, seat, [s for s in effects.markets(table, "caribbean") if flags[s] == BRITAIN])


@base("native-american-alliances", BRITAIN)
def native_alliances_britain(table: Table, seat: str) -> Play:
    """#6: shift Algonquin or Iroquois."""
    yield from effects.shift(table, seat, ("algonquin", "iroquois"))


@bonus("native-american-alliances", BRITAIN)
def native_alliances_britain_bonus(table: Table, seat: str) -> Play:
    """#6: use a North American Advantage, even one just gained, without exhausting it."""
    yield from tiles.use_for_nothing(table, seat, lambda region: region == "north-america", fresh=True)


@bonus("native-american-alliances", FRANCE)
def native_alliances_france_bonus(table: Table, seat: str) -> Play:
    """#6: unflag a Local Alliance of North America."""
    yield from effects.unflag(table, seat, effects.local_alliances(table, "north-america"))


@base("austro-spanish-rivalry", BRITAIN)
def austro_spanish_britain(table: Table, seat: str) -> Play:
    """#7: a marker in Spain."""
    yield from effects.mark(table, seat, effects.countries(table, "spain"))


@bonus("austro-spanish-rivalry", BRITAIN)
def austro_spanish_britain_bonus(table: Table, seat: str) -> Play:
    """#7: a French Bonus War tile, unseen, goes back to the pool: Britain names the theater."""
    yield from tiles.return_unseen(table, seat)


@base("austro-spanish-rivalry", FRANCE)
def austro_spanish_france(table: Table, seat: str) -> Play:
    """#7: unflag in the Dutch Republic."""
    yield from effects.unflag(table, seat, effects.countries(table, "dutch-republic"))


def _reform(table: Table, seat: str, points: int) -> None:
    """Lower Debt; what can't fall becomes EP."""
    if missing := points - board.reduce_debt(table, seat, points, "events.debt", rule(table)):
        board.grant(table, seat, ECONOMIC, missing, source=table.state.now.event)


@base("tax-reform")
def tax_reform(table: Table, seat: str) -> None:
    """#8: 2 Debt fewer, or EP for what can't fall."""
    _reform(table, seat, 2)


@bonus("tax-reform")
def tax_reform_bonus(table: Table, seat: str) -> None:
    """#8: a third one on the same terms."""
    _reform(table, seat, 1)


@base("great-northern-war", BRITAIN)
def northern_war_britain(table: Table, seat: str) -> Play:
    """#9: shift in the German States; 2 VP if Britain then counts both."""
    german = effects.countries(table, "german-states")
    yield from effects.shift(table, seat, german)
    if effects.held(table, seat, german) == len(german):
        board.score(table, seat, 2, "events.vp", rule(table))


@base("great-northern-war", FRANCE)
def northern_war_france(table: Table, seat: str) -> Play:
    """#9: 2 VP for Russia, or shift it. A marked Russia is French but does not score (3.8)."""
    if board.counts(table.state, seat, "russia"):
        board.score(table, seat, 2, "events.vp", rule(table))
    else:
        yield from effects.shift(table, seat, ("russia",))


@base("vatican-politics", FRANCE)
def vatican_france(table: Table, seat: str) -> Play:
    """#10: shift in Spain or Austria."""
    yield from effects.shift(table, seat, effects.countries(table, "spain", "austria"))


@bonus("vatican-politics", FRANCE)
def vatican_france_bonus(table: Table, seat: str) -> None:
    """#10: 2 VP if Britain is out of both countries."""
    if not effects.held(table, BRITAIN, effects.countries(table, "spain", "austria")):
        board.score(table, seat, 2, "events.vp", rule(table))


@bonus("calico-acts", BRITAIN)
def calico_britain_bonus(table: Table, seat: str) -> Play:
    """#11: Britain may have Cotton scored for the side that leads in it."""
    answer = yield from _cotton(seat, Choice(("score", "decline")), "decline")
    if answer == "score":
        score_commodity(table, "cotton", rule(table))


@base("calico-acts", FRANCE)
def calico_france(table: Table, seat: str) -> Play:
    """#11: unflag a Cotton Market."""
    yield from effects.unflag(table, seat, effects.markets(table, commodity="cotton"))


@bonus("calico-acts", FRANCE)
def calico_france_bonus(table: Table, seat: str) -> Play:
    """#11: a British Squadron leaves the map."""
    yield from effects.return_squadron(table, seat)


@base("military-spending-overruns")
@bonus("military-spending-overruns")
def spending_overruns(table: Table, seat: str) -> Play:
    """#12: the opponent must choose a loss: an undamaged Fort, a Squadron on the map, or a hidden Bonus War tile."""
    state, loser = table.state, OTHER[seat]
    losses = {
        "fort": [s for s in table.c.of_type["fort"] if state.flags[s] == loser and s not in state.damaged],
        "squadron": board.squadrons(state, table.c, loser),
        "tile": [tile for theater in state.theaters for tile in bonus_in(table, loser, theater)],
    }
    whys = {
        "fort": partial(effects.why_not_damageable, table, loser, "#12"),
        "squadron": partial(effects.no_squadron, table, loser),
    }
    open_now = {word: Choice(options, why=whys.get(word)) for word, options in losses.items() if options}
    if not open_now:
        table.log("events.no_loss", rule=rule(table), seat=loser)
        return
    menu: Menu[dict[str, str]] = Menu(
        open_now, why=lambda word: because(f"lose_{word}", "#12") if word in losses else None
    )
    answer = yield from _loss(loser, menu, lambda: effects.first(menu))
    if answer["do"] == "fort":
        board.damage(table, answer["with"], rule(table))
    elif answer["do"] == "squadron":
        board.to_navy_box(table, answer["with"], rule(table))
    else:
        tiles.to_pool(table, loser, answer["with"], rule(table))


@base("alberonis-ambition", FRANCE)
def alberoni_france(table: Table, seat: str) -> Play:
    """#13: shift an Alliance space of Spain, Austria or the Dutch Republic."""
    there = effects.countries(table, "spain", "austria", "dutch-republic")
    yield from effects.shift(table, seat, [s for s in there if table.c.spaces[s].alliance])


@bonus("alberonis-ambition", FRANCE)
def alberoni_france_bonus(table: Table, seat: str) -> None:
    """#13: 3 VP for Savoy and Sardinia together."""
    if effects.held(table, seat, ("savoy", "sardinia")) == 2:
        board.score(table, seat, 3, "events.vp", rule(table))


@base("famine-in-ireland", BRITAIN)
def famine_britain(table: Table, seat: str) -> Play:
    """#14: unflag in Ireland or Scotland."""
    yield from effects.unflag(table, seat, effects.countries(table, "ireland", "scotland"))


@base("famine-in-ireland", FRANCE)
def famine_france(table: Table, seat: str) -> Play:
    """#14: a Bonus War tile per space of Ireland, for the Jacobite Rebellion."""
    yield from tiles.jacobites(table, seat, effects.held(table, seat, effects.countries(table, "ireland")))


@base("interest-payments")
def interest_payments(table: Table, seat: str) -> None:
    """#15: the opponent's Debt Limit falls; a full Debt falls with it, for 1 VP."""
    other = table.state.sides[OTHER[seat]]
    full = other.debt == other.limit
    board.change_limit(table, OTHER[seat], -1, rule(table))
    if full:
        board.reduce_debt(table, OTHER[seat], 1, "events.debt", rule(table))
        board.score(table, seat, 1, "events.vp", rule(table))
