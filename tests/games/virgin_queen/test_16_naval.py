"""The sea (16): geography of winds and hazards, limits of piracy, who may go where."""

from games.virgin_queen import GAME, building, fleets
from games.virgin_queen.naval import battle, encounters, moving, piracy, plunder, voyages
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.state import WAR, pair
from pbem.kernel.dice import Dice
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

COMPONENTS = components_of(GAME, {})[1]


def a_table():
    table = Table(COMPONENTS, GAME.seats_for(6), {}, "campaign", Dice(b"\3" * 32))
    GAME.setup(table)
    table.state.fleets = {}
    return table


def test_16_1_winds_and_hazards():
    table = a_table()
    assert not voyages.risky(table, "north_atlantic", "guinea_coast")
    assert voyages.risky(table, "guinea_coast", "north_atlantic")
    assert voyages.risky(table, "guinea_coast", "indian_ocean")
    assert "indian_ocean" not in voyages.calm_region(table, "guinea_coast")
    assert "antilles" in voyages.calm_region(table, "guinea_coast")


def test_16_2_galleys_have_one_die_in_the_atlantic():
    table = a_table()
    for place in ("bay_of_biscay", "gulf_of_lyon"):
        fleets.put(table, place, "france", "france", {"galley": 2, "galleon": 1})
    assert battle.dice(table, "france", "bay_of_biscay", defender=False) == 4
    assert battle.dice(table, "france", "gulf_of_lyon", defender=False) == 6


def test_16_1_no_way_between_the_seas():
    table = a_table()
    assert "atlantic_ocean" not in fleets.near(table, "barbary_coast")
    assert "gibraltar" in fleets.near(table, "barbary_coast")
    assert fleets.near(table, "antwerp") == ()


def test_16_1_ports_of_others_only_against_enemy_ships():
    table = a_table()
    table.state.diplomacy[pair("ottoman", "spain")] = WAR
    assert not moving.may_enter(table, "spain", "ionian_sea", "athens")
    fleets.put(table, "athens", "ottoman", "ottoman", {"galley": 1})
    assert moving.may_enter(table, "spain", "ionian_sea", "athens")
    assert not moving.may_enter(table, "france", "ionian_sea", "athens")


def test_16_1_nobody_intercepts_from_where_the_mover_is_too():
    table = a_table()
    table.state.diplomacy[pair("ottoman", "spain")] = WAR
    fleets.put(table, "aegean_sea", "ottoman", "ottoman", {"galley": 1})
    assert encounters.stations(table, "spain", "ionian_sea", "ottoman") == ["aegean_sea"]
    fleets.put(table, "aegean_sea", "spain", "spain", {"galley": 1})
    assert encounters.stations(table, "spain", "ionian_sea", "ottoman") == []
    assert encounters.stations(table, "spain", "ionian_sea", "france") == []


def test_16_4_two_powers_a_zone_three_attempts_a_turn():
    table = a_table()
    table.state.piracy = {"north_sea": ["england", "france"]}
    assert not piracy.may_try(table, "ottoman", "north_sea")
    table.state.piracy = {zone: ["england"] for zone in ("north_sea", "irish_sea", "antilles")}
    assert not piracy.may_try(table, "england", "english_channel")
    assert piracy.may_try(table, "france", "north_sea")


def test_16_5_the_isthmus_touches_two_zones_and_allies_of_portugal_spare_it():
    table = a_table()
    for zone in ("mexican_coast", "spanish_main"):
        assert "nombre_de_dios_panama" in plunder.settlements(table, "spain", zone)
    captain = table.state.captains["hawkins"]
    captain.at, captain.power = "guinea_coast", "england"
    assert plunder.victims(table, "hawkins") == ["portugal"]
    table.state.minors["portugal"].ally = "england"
    assert plunder.victims(table, "hawkins") == []


def test_16_6_circumnavigation_both_ways():
    table = a_table()
    captain = table.state.captains["drake"]
    captain.power = "england"
    captain.route = ["guinea_coast>indian_ocean"]
    assert voyages.circumnavigates(table, "drake", "chilean_coast", "south_atlantic")
    assert not voyages.circumnavigates(table, "drake", "indian_ocean", "guinea_coast")
    captain.route = ["south_atlantic>chilean_coast"]
    assert voyages.circumnavigates(table, "drake", "indian_ocean", "guinea_coast")
    ottoman = table.state.captains["kurtoglu"]
    ottoman.power, ottoman.route = "ottoman", ["indian_ocean>south_pacific"]
    assert voyages.circumnavigates(table, "kurtoglu", "guinea_coast", "indian_ocean")


def test_17_1_counters_are_an_absolute_limit():
    table = a_table()
    fleets.put(table, "london", "england", "england", {"galleon": 6})
    assert fleets.pool_left(table, "england") == 0
    assert not building.ship_sites(PowerMap(table, "england"), "galleon").any()


def test_17_3_lost_ships_wait_for_next_turn_unless_there_is_a_dry_dock():
    table = a_table()
    fleets.put(table, "london", "england", "england", {"galleon": 2})
    fleets.lose(table, "london", "england", "england", "galleon")
    assert fleets.pool_left(table, "england") == 4
    table.state.powers["england"].science.append("dry_dock")
    fleets.lose(table, "london", "england", "england", "galleon")
    assert fleets.pool_left(table, "england") == 5


def test_16_2_a_naval_leader_does_not_stay_at_sea_without_ships():
    table = a_table()
    state = table.state
    fleets.put(table, "tyrrhenian_sea", "spain", "spain", {"galley": 2})
    state.leaders["doria"].at = "tyrrhenian_sea"
    fleets.lose(table, "tyrrhenian_sea", "spain", "spain", "galley")
    assert state.leaders["doria"].at == "tyrrhenian_sea"
    fleets.lose(table, "tyrrhenian_sea", "spain", "spain", "galley")
    assert state.leaders["doria"].at == "track"
    assert state.leaders["doria"].returns == state.turn + 1
