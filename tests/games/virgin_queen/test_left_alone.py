"""Leaders and captains share what happens at a place: they are removed, displaced and captured as its units are."""

import pytest

from games.virgin_queen import GAME, displacement, fleets, formations, minors, query
from games.virgin_queen.events.common import end_war
from games.virgin_queen.formations import Formation
from games.virgin_queen.land import assault
from games.virgin_queen.land.control import put_to_sea
from games.virgin_queen.state import ALLIED, WAR, Siege, pair
from pbem.kernel.dice import Dice
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

COMPONENTS = components_of(GAME, {})[1]


@pytest.fixture
def table():
    table = Table(COMPONENTS, GAME.seats_for(6), {}, "campaign", Dice(b"\4" * 32))
    GAME.setup(table)
    state = table.state
    state.land, state.fleets, state.diplomacy = {}, {}, {}
    for leader in state.leaders.values():
        leader.at = "card"
    state.phase = "action"
    return table


def run(play):
    """A rule that asks nobody, or takes the defaults."""
    asked = next(play, None)
    while asked is not None:
        try:
            asked = play.send(asked.default)
        except StopIteration:
            return


def at(table, captain, place):
    table.state.captains[captain].at, table.state.captains[captain].power = place, "england"


def test_a_captain_in_europe_is_found_as_naval_leaders_are(table):
    at(table, "drake", "norwich")
    state = table.state
    assert query.admirals(state, "england", "norwich") == ["drake"]
    assert query.other_sides(state, "norwich", "france") == ["england"]
    assert query.occupied(state, "norwich")
    assert not query.leaders_at(state, "england", "norwich")


def test_12_1_a_captain_alone_bars_a_line_of_communication(table):
    state = table.state
    state.control |= {"lincoln": "france", "york": "france"}
    state.diplomacy[pair("england", "france")] = WAR
    assert query.CommunicationLines(table, "france").passable("lincoln")
    at(table, "drake", "lincoln")
    assert not query.CommunicationLines(table, "france").passable("lincoln")


@pytest.mark.parametrize(("ships", "to"), [({"galleon": 1}, "north_sea"), ({}, "london")])
def test_12_2_captains_put_to_sea_with_ships_and_go_to_a_port_without(table, ships, to):
    at(table, "drake", "norwich")
    if ships:
        fleets.put(table, "norwich", "england", "england", ships)
    table.state.control["norwich"] = "france"
    run(put_to_sea(table, "norwich", "france"))
    assert table.state.captains["drake"].at == to


@pytest.mark.parametrize("person", ["drake", "santa_cruz"])
def test_12_5_who_leads_ships_is_displaced_without_any(table, person):
    if person == "drake":
        at(table, person, "dublin")
    else:
        table.state.leaders[person].at = "dublin"
    power = "england" if person == "drake" else "spain"
    table.state.control["dublin"] = "ireland"
    run(displacement.displace(table, "dublin", query.other_sides(table.state, "dublin", "ireland")))
    where = query.commander(table.state, person).at
    assert table.state.control[where] == power
    assert COMPONENTS.spaces[where].port


def test_15_1_all_leaders_inside_are_captured_an_allys_without_units_too(table):
    state = table.state
    state.diplomacy = {pair("ottoman", "hre"): WAR, pair("ottoman", "spain"): WAR, pair("spain", "hre"): ALLIED}
    formations.add(table, "vienna", "ottoman", "regulars", 4)
    state.leaders["schwendi"].at = state.leaders["alva"].at = "vienna"
    state.sieges["vienna"] = Siege(by={"ottoman": 0})
    run(assault.falls(table, Formation("ottoman", "vienna", {"regulars": 4}, [])))
    assert [state.leaders[key].captor for key in ("schwendi", "alva")] == ["ottoman", "ottoman"]


@pytest.mark.parametrize(("space", "captor"), [("linz", "ottoman"), ("vienna", "")])
def test_13_1_units_that_come_capture_a_leader_in_the_open_not_within_his_walls(table, space, captor):
    state = table.state
    state.diplomacy = {pair("ottoman", "hre"): WAR}
    state.leaders["zrinyi"].at = space
    formations.muster(table, space, "ottoman", "regulars", 1)
    assert state.leaders["zrinyi"].captor == captor


def test_9_1_a_leader_alone_leaves_the_spaces_of_a_former_enemy(table):
    state = table.state
    state.diplomacy = {pair("ottoman", "hre"): WAR}
    state.leaders["zrinyi"].at = "buda"
    run(end_war(table, "ottoman", "hre"))
    assert state.control[state.leaders["zrinyi"].at] == "hre"


def test_24_4_a_naval_leader_of_a_minor_power_goes_home_without_ships(table):
    state = table.state
    state.minors["venice"].ally = "spain"
    for space in COMPONENTS.homes["venice"]:
        state.control[space] = "spain"
    state.leaders["venier"].at, state.leaders["venier"].naval = "naples", True
    run(minors.deactivate(table, "venice"))
    assert state.control[state.leaders["venier"].at] == "venice"
