"""French Ministry cards (3.5.2). M-4 is in `jacobites`, M-23 in `action_points`, M-25 in `events.play`."""

from __future__ import annotations

from games.imperial_struggle import board
from games.imperial_struggle.action_points import LIMITS
from games.imperial_struggle.ministries import core
from games.imperial_struggle.refusals import BUILDERS
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import BRITAIN, DIPLOMATIC, ECONOMIC, FRANCE, MAJOR, MILITARY, MINOR
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

COURT = (
    "savoy", "sardinia", "spain-prestige-2", "spain-prestige-3", "austria-prestige-upper", "austria-prestige-lower",
)  # fmt: skip
COURT_MOST = 3
LETTERS = ("ireland", "scotland", "prussia", "dutch-republic", "austria", "spain")
LETTERS_MOST = 3
NEW_WORLD = ("north-america", "caribbean")
MARKERS = 2


# -- M-1 The Cardinal Ministers


def court_points(table: Table) -> int:
    """M-1: Return the points that spaces at the courts of Europe add."""
    return min(COURT_MOST, board.flags_in(table.state, FRANCE, COURT))


def _court_open(table: Table, seat: str) -> bool:
    tile = table.c.investments[table.state.now.tile]
    return DIPLOMATIC in (tile.major, tile.minor) and core.untouched(table) and court_points(table) > 0


def _no_court(table: Table, seat: str) -> RejectionReason | None:
    """Return why the Diplomatic action does not grow (M-1)."""
    now = table.state.now
    tile = table.c.investments[now.tile]
    if DIPLOMATIC not in (tile.major, tile.minor):
        return because("tile_action", "M-1", tile=now.tile, type=DIPLOMATIC)
    return core.not_fresh(table, seat) or because("court", "M-1")


@core.ability("cardinals", "the-cardinal-ministers/1", _court_open, _no_court)
def cardinals(table: Table, seat: str, word: str) -> None:
    """M-1: right after the tile is taken its Diplomatic action grows; on a Minor one the points stay Minor."""
    tile = table.c.investments[table.state.now.tile]
    action = MAJOR if tile.major == DIPLOMATIC else MINOR
    board.grant(
        table, seat, DIPLOMATIC, court_points(table), source="the-cardinal-ministers", action=action, opens=False,
        rule="M-1",
    )  # fmt: skip


# -- M-2 John Law


@KIT.on("turn_ends")
def john_law(table: Table) -> None:
    """M-2: Debt falls by 1, by 2 with a space of Scotland (4.1.11)."""
    if board.active(table.state, FRANCE, "john-law"):
        scottish = board.flags_in(table.state, FRANCE, table.c.of_country["scotland"])
        board.reduce_debt(table, FRANCE, 2 if scottish else 1, "ministries.debt", "M-2")


# -- M-3 Court of the Sun King, M-12 Dupleix, M-14 Voltaire


@KIT.on("award")
def awards(table: Table, region: str, winner: str) -> None:
    """M-3 adds to the Europe Award, M-14 pays with it for any winner, M-12 pays for India."""
    if region == "europe" and winner == FRANCE and board.active(table.state, FRANCE, "court-of-the-sun-king"):
        board.score(table, FRANCE, 1, "ministries.vp", "M-3", card="court-of-the-sun-king")
    due = winner or option(table, "voltaire") != "awarded"
    if region == "europe" and due and board.active(table.state, FRANCE, "voltaire"):
        board.gain_trp(table, FRANCE, _letters(table), "ministries.treaty", "M-14", card="voltaire")
    if region == "india" and winner == FRANCE:
        _dupleix(table)


@KIT.on("commodity")
def commodities(table: Table, commodity: str, winner: str) -> None:
    """M-12 pays for Cotton and Spice."""
    if winner == FRANCE and commodity in ("cotton", "spice"):
        _dupleix(table)


def _dupleix(table: Table) -> None:
    if board.active(table.state, FRANCE, "dupleix"):
        board.gain_trp(table, FRANCE, 1, "ministries.treaty", "M-12", card="dupleix")


def _letters(table: Table) -> int:
    """Return the number of countries of several spaces in which France holds a Prestige space."""
    c, state = table.c, table.state
    found = sum(
        any(c.spaces[s].prestige and board.counts(state, FRANCE, s) for s in c.of_country[country])
        for country in LETTERS
    )
    return min(LETTERS_MOST, found)


# -- M-9 New World Huguenots


def _territories(table: Table, seat: str) -> list[str]:
    """Return French Territories of the New World without a marker, while one is left."""
    state, region = table.state, table.c.region
    if len(state.huguenots) >= MARKERS:
        return []
    french = [s for s in table.c.of_type["territory"] if state.flags[s] == FRANCE]
    return [s for s in french if region[s] in NEW_WORLD and s not in state.huguenots]


def _no_huguenots(table: Table, seat: str) -> RejectionReason:
    """Return why no marker can be placed (M-9)."""
    return because("huguenots_out" if len(table.state.huguenots) >= MARKERS else "huguenots_land", "M-9")


def _no_refuge(table: Table, seat: str, space: str) -> RejectionReason | None:
    """Return why a marker can't be placed in a space (M-9)."""
    if space not in table.c.spaces:
        return None
    return because("huguenots_there" if space in table.state.huguenots else "huguenots_space", "M-9", space=space)


@core.choosing("huguenots", "new-world-huguenots/1", _territories, "space", _no_huguenots, _no_refuge)
def huguenots(table: Table, seat: str, space: str) -> None:
    """M-9: a marker on a French Territory of the New World."""
    table.state.huguenots[space] = True
    table.log("ministries.huguenots", rule="M-9", space=space)


# -- M-11 Choiseul


@core.ability("choiseul", "choiseul/1", core.has_action(MILITARY), core.no_action("choiseul", MILITARY))
def choiseul(table: Table, seat: str, word: str) -> None:
    """M-11: 1 MP more for the Military action of the round, for War tiles or deploying."""
    board.grant(table, seat, MILITARY, 1, "choiseul", source="choiseul", opens=False, rule="M-11")


LIMITS["choiseul"] = lambda table, seat, purchase: purchase.kind in ("tile", "deploy")


def _fleet(table: Table, seat: str, card: str) -> bool:
    there = board.squadrons(table.state, table.c, FRANCE, ("north-america",))
    return bool(there) and core.ready(table, seat, "choiseul/2")


@KIT.entry("squadron", "choiseul", _fleet)
def choiseul_builds(table: Table, seat: str, card: str) -> None:
    """M-11: a Squadron for 2 MP while one is in North America."""
    core.use(table, seat, "choiseul/2")


def _no_fleet(table: Table, seat: str) -> RejectionReason | None:
    problem = core.unusable(table, seat, "choiseul/2")
    return problem or (None if _fleet(table, seat, "choiseul") else because("american_fleet", "M-11"))


BUILDERS["choiseul"] = _no_fleet


# -- M-13 Pompadour & Du Barry


@KIT.on("advantage_exhausted")
def pompadour(table: Table, seat: str, advantage: str) -> None:
    """M-13: 1 TRP for the first European Advantage of the round."""
    state, card = table.state, "pompadour-and-du-barry"
    if seat != FRANCE or not board.active(state, FRANCE, card) or state.round is None:
        return
    if table.c.advantages[advantage].region == "europe" and card not in state.round.marks:
        state.round.marks.append(card)
        board.gain_trp(table, FRANCE, 1, "ministries.treaty", "M-13", card=card)


# -- M-24 North American Trade, M-26 Lavoisier


@KIT.on("tile_taken")
def trade(table: Table, seat: str) -> None:
    """M-24: with more Fur and Fish Markets, Economic actions of the round are worth 1 EP more."""
    state, c = table.state, table.c
    if seat != FRANCE or not board.active(state, FRANCE, "north-american-trade"):
        return
    there = (*c.of_commodity["furs"], *c.of_commodity["fish"])
    if board.flags_in(state, FRANCE, there) > board.flags_in(state, BRITAIN, there):
        state.now.marks.append("north-american-trade")
        _raise(table, "north-american-trade", "tile", ECONOMIC)


@KIT.on("event_played")
def traded(table: Table, seat: str) -> None:
    """M-24: EP of an Event that are a Major Action of their own gain it too."""
    now = table.state.now
    if "north-american-trade" not in now.marks or table.c.investments[now.tile].major == ECONOMIC:
        return
    if any(pool.source == now.event and pool.type == ECONOMIC for pool in now.pools):
        _raise(table, "north-american-trade", now.event, ECONOMIC, most=1)


@KIT.on("revealed")
def revival(table: Table, seat: str, card: str) -> None:
    """M-24: flipped Huguenots markers can be flipped again."""
    markers = table.state.huguenots
    if card == "north-american-trade" and not all(markers.values()):
        for space in markers:
            markers[space] = True
        table.log("ministries.revival", rule="M-24", spaces=list(markers))


@KIT.on("event_bonus")
def lavoisier(table: Table, seat: str) -> None:
    """M-26: an Event with its bonus makes both actions of the tile worth 1 more."""
    if seat == FRANCE and board.active(table.state, FRANCE, "lavoisier"):
        _raise(table, "lavoisier", "tile", "")


def _raise(table: Table, card: str, source: str, kind: str, most: int = 2) -> None:
    """Add 1 to the pools of a source (and a type, if one is named)."""
    for pool in table.state.now.pools:
        if pool.source == source and kind in ("", pool.type) and pool.action and most:
            pool.points += 1
            most -= 1
            table.log("ministries.points", rule=core.rule(table, card), card=card, type=pool.type, points=1)
