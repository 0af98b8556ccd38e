"""Helpers of the land chapters: control, lines of communication, who may enter, reach of spring deployment."""

import pytest

from games.virgin_queen import GAME
from games.virgin_queen.formations import Formation, add, cheapest, limit, units_domain
from games.virgin_queen.keys import base_cards, base_vp, keys, protestant_spaces, rows
from games.virgin_queen.land.entering import foes_outside, garrison, hostile, may_enter, refuges
from games.virgin_queen.land.intercepting import chance, may_intercept, plus
from games.virgin_queen.land.losses import share
from games.virgin_queen.query import allied, at_war, friendly, loc, seat_of, set_allied, set_war, side_of
from games.virgin_queen.spring import reach
from games.virgin_queen.state import Siege
from pbem.kernel.dice import Dice
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

BOX = components_of(GAME, {})[1]


def fresh(players=6, scenario="campaign"):
    table = Table(BOX, GAME.seats_for(players, scenario), {}, scenario, Dice(bytes(32)))
    table.state = GAME.setup(table)
    return table


@pytest.fixture
def table():
    return fresh()


def test_seats_and_sides(table):
    state = table.state
    assert seat_of(state, "france") == "france"
    assert side_of(state, "scotland") == "france"
    assert side_of(state, "venice") == "venice"
    assert side_of(state, "walloon") == "spain"
    assert seat_of(state, "scotland") == "france"
    assert seat_of(state, "venice") == ""


def test_with_fewer_players_one_seat_has_two_powers_and_allies_play_the_rest():
    state = fresh(3).state
    assert {power: seat_of(state, power) for power in state.powers} == {
        "ottoman": "england", "spain": "spain", "england": "england", "france": "france", "hre": "",
        "protestant": "england",
    }  # fmt: skip
    assert not state.powers["hre"].active
    assert allied(state, "england", "ottoman")


def test_war_and_alliance(table):
    state = table.state
    assert at_war(state, "ottoman", "spain")
    assert at_war(state, "england", "scotland")  # the ally of France
    assert not at_war(state, "england", "independent")
    set_allied(table, "spain", "hre")
    assert friendly(state, "spain", "vienna")
    set_war(table, "spain", "hre")
    assert not friendly(state, "spain", "vienna")
    assert friendly(state, "france", "edinburgh")


def test_line_of_communication(table):
    state = table.state
    assert loc(table, "hre", "pressburg")
    assert loc(table, "hre", "buda")  # the last space is exempt
    state.control["pressburg"] = "ottoman"
    assert not loc(table, "hre", "buda")
    assert loc(table, "spain", "brussels")


def test_a_line_of_communication_over_sea_needs_ships(table):
    state = table.state
    state.fleets = {}
    assert not loc(table, "england", "calais")
    add(table, "calais", "england", "regulars", 1)
    from games.virgin_queen.state import Fleet

    state.fleets["north_sea"] = [Fleet("england", "england", {"galleon": 1})]
    assert loc(table, "england", "calais")


def test_who_may_enter(table):
    state = table.state
    assert not may_enter(table, "hre", "buda")
    set_war(table, "hre", "ottoman")
    assert may_enter(table, "hre", "buda")
    assert not may_enter(table, "hre", "buda", units=False)
    assert not may_enter(table, "spain", "dublin")
    assert may_enter(table, "spain", "florence")
    state.sieges["buda"] = Siege({"hre": 1})
    add(table, "buda", "hre", "regulars", 9)
    assert not may_enter(table, "spain", "buda")  # enemies inside, strangers before the walls
    set_allied(table, "spain", "hre")
    assert may_enter(table, "spain", "buda")
    assert garrison(table, "buda", "hre") == 4
    assert hostile(table, "ottoman", "buda") == ["hre"]
    assert foes_outside(table, "hre", "buda") == []


def test_refuges_shun_unrest_enemies_and_strangers(table):
    set_war(table, "hre", "ottoman")
    assert refuges(table, "hre", "pressburg") == ["vienna"]
    table.state.unrest.append("vienna")
    assert refuges(table, "hre", "pressburg") == []


def test_interception_odds(table):
    assert chance(0) == 28
    assert chance(7) == 100
    assert chance(-4) == 0
    assert plus(table, "ottoman", {"cavalry": 1}, ["sokollu"], {}) == 2
    assert plus(table, "hre", {"regulars": 3}, ["zrinyi"], {"cavalry": 1}) == 1
    set_war(table, "hre", "ottoman")
    assert may_intercept(table, "ottoman", "hre", "pressburg")
    assert not may_intercept(table, "ottoman", "hre", "vienna")
    assert not may_intercept(table, "spain", "hre", "pressburg")


def test_formations(table):
    assert limit(table, []) == 4
    assert limit(table, ["schwendi"]) == 8
    assert limit(table, ["schwendi", "zrinyi"]) == 14
    domain = units_domain(table, {"regulars": 6}, [], alone=False)
    assert domain.accepts({"regulars": 4})
    assert not domain.accepts({"regulars": 5})
    assert not domain.accepts({})
    assert Formation("hre", "vienna", {"regulars": 2, "mercenaries": 1}, []).total == 3


def test_losses():
    assert cheapest({"regulars": 3, "mercenaries": 1}, 2) == {"mercenaries": 1, "regulars": 1}
    assert cheapest({"regulars": 1, "huguenot-mercenaries": 2}, 1) == {"huguenot-mercenaries": 1}


def test_allied_defenders_share_losses_equally(table):
    assert share(table, {"spain": 4, "hre": 4}, 4) == {"spain": 2, "hre": 2}
    assert share(table, {"spain": 1, "hre": 4}, 4) == {"spain": 1, "hre": 3}
    assert sum(share(table, {"spain": 4, "hre": 4}, 3).values()) == 3


def test_keys(table):
    state = table.state
    assert len(keys(table, "england")) == 3
    assert base_vp(table, "england") == 6
    assert base_cards(table, "england") == 3
    state.unrest.append("london")
    assert base_vp(table, "england") == 4
    assert rows(table) == (0, 0)
    assert base_cards(table, "protestant") == 4
    state.control["antwerp"] = state.control["lyon"] = "protestant"
    assert rows(table) == (1, 1)
    assert base_cards(table, "protestant") == 5
    assert base_vp(table, "protestant") == 5


def test_protestant_spaces_in_unrest_do_not_count(table):
    before = protestant_spaces(table)
    space = next(s for area in BOX.areas.values() for s in area if table.state.religion[s] == "protestant")
    table.state.unrest.append(space)
    assert protestant_spaces(table) == before - 1


def test_deployment_crosses_no_pass_and_no_strange_sea(table):
    found = reach(table, "ottoman", "istanbul")
    assert "belgrade" in found
    assert "vienna" not in found
    assert not found["edirne"]
    assert reach(table, "france", "paris")["lyon"] is False
