"""Minor powers (24): who competes, activation, deactivation; activated major powers (27.1)."""

from games.virgin_queen import GAME, activated, fleets, formations, minors
from games.virgin_queen.query import strength
from games.virgin_queen.state import WAR, Siege, Troops, pair
from pbem.kernel.dice import Dice
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

COMPONENTS = components_of(GAME, {})[1]


def a_table(players=6):
    table = Table(COMPONENTS, GAME.seats_for(players), {}, "campaign", Dice(b"\4" * 32))
    GAME.setup(table)
    return table


def run(play, *answers):
    """Run a rule, giving these answers, then the defaults; returns the kinds of the questions."""
    kinds, said = [], iter(answers)
    asked = next(play, None)
    while asked is not None:
        kinds.append(asked.kind)
        try:
            asked = play.send(next(said, asked.default))
        except StopIteration:
            asked = None
    return kinds


def test_24_6_listed_powers_compete_but_not_those_who_declared_war():
    table = a_table()
    assert minors.contenders(table, "venice") == ["ottoman", "spain", "france", "hre"]
    assert minors.contenders(table, "venice", ["ottoman"]) == ["spain", "france", "hre"]
    table.state.minors["venice"].excluded.append("spain")
    assert minors.contenders(table, "venice") == ["ottoman", "france", "hre"]


def test_24_2_activation_takes_the_spaces_and_ends_the_wars():
    table = a_table()
    table.state.diplomacy[pair("ottoman", "venice")] = WAR
    assert run(minors.activate(table, "venice", "spain")) == []
    state = table.state
    assert state.minors["venice"].ally == "spain"
    assert all(state.control[space] == "spain" for space in ("venice", "zara", "corfu", "candia", "cyprus"))
    assert pair("ottoman", "venice") not in state.diplomacy


def test_24_2_a_power_at_war_with_it_may_join_the_war_or_leaves():
    table = a_table()
    state = table.state
    state.diplomacy = {pair("ottoman", "venice"): WAR}
    formations.add(table, "zara", "ottoman", "regulars", 2)
    assert run(minors.activate(table, "venice", "spain"), "no")[0] == "join_war"
    assert strength(state, "ottoman", "zara") == 0
    assert pair("ottoman", "spain") not in state.diplomacy


def test_24_4_deactivation_gives_the_spaces_back_and_sends_strangers_away():
    table = a_table()
    state = table.state
    run(minors.activate(table, "venice", "spain"))
    state.land = {}
    formations.add(table, "zara", "spain", "regulars", 2)
    formations.add(table, "zara", "venice", "regulars", 1)
    run(minors.deactivate(table, "venice"))
    assert state.minors["venice"].ally == ""
    assert state.control["zara"] == "venice"
    assert strength(state, "spain", "zara") == 0
    assert "venice" not in state.land.get("zara", {})


def test_24_2_irish_rebels_gather_at_ulster():
    table = a_table()
    run(minors.activate(table, "ireland", "france"))
    assert table.state.land["ulster"]["ireland"].regulars == 3
    assert "ulster" in table.state.fortresses


def test_24_6_scotland_of_one_faith_helps():
    table = a_table()
    for space in COMPONENTS.homes["scotland"]:
        table.state.religion[space] = "protestant"
    assert minors._religion(table.state, table, "scotland", "protestant") == 2
    assert minors._religion(table.state, table, "scotland", "france") == 0


def test_24_5_influence_stops_at_nine_and_where_resolved():
    table = a_table()
    table.state.minors["papacy"].influence["france"] = 9
    table.state.minors["ireland"].resolved = True
    found = list(minors.open_tracks(table.state, "france"))
    assert "papacy" not in found
    assert "ireland" not in found
    assert "venice" in found


def test_27_1_activation_and_deactivation_of_the_empire():
    table = a_table(players=5)
    state = table.state
    for power in ("spain", "france"):
        state.powers[power].hand = [state.deck.pop() for _ in range(3)]
    run(minors.activate(table, "hre", "spain"), [])
    assert state.minors["hre"].ally == "spain"
    assert 0 < len(state.powers["hre"].hand) <= 5
    run(minors.activate(table, "papacy", "hre"))
    assert activated.clients(table, "hre") == ["papacy"]
    run(minors.deactivate(table, "hre"))
    assert state.minors["hre"].ally == ""
    assert state.minors["papacy"].ally == ""
    assert state.powers["hre"].hand == []


def test_27_1_two_points_above_the_baseline_are_one_for_the_ally():
    table = a_table(players=5)
    state = table.state
    run(minors.activate(table, "hre", "spain"), [])
    state.minors["hre"].baseline -= 5
    activated.settle(table, "hre")
    assert state.powers["spain"].vp["activated"] == 2


def test_27_1_a_deactivated_power_leaves_its_sieges():
    table = a_table(players=5)
    state = table.state
    state.minors["hre"].ally = "spain"
    state.impulses = 4
    state.land["haarlem"] = {"hre": Troops(mercenaries=1)}
    state.sieges = {"haarlem": Siege(by={"hre": 2})}
    run(minors.deactivate(table, "hre"))
    assert state.sieges == {}
    assert GAME.invariants(table) == []


def test_24_4_the_ally_loses_a_siege_that_stood_on_units_of_its_minor_power():
    table = a_table()
    state = table.state
    state.minors["venice"].ally = "spain"
    state.diplomacy["ottoman:spain"] = "war"
    state.impulses = 4
    state.control["belgrade"] = "ottoman"
    state.land["belgrade"] = {"venice": Troops(regulars=2), "spain": Troops(regulars=1), "ottoman": Troops(regulars=1)}
    state.sieges = {"belgrade": Siege(by={"spain": 2})}
    run(minors.deactivate(table, "venice"))
    assert state.sieges == {}


def test_27_an_activated_power_is_at_peace_with_its_ally():
    table = a_table(players=3)
    state = table.state
    state.diplomacy[pair("france", "hre")] = WAR
    run(minors.activate(table, "hre", "france"), [])
    assert pair("france", "hre") not in state.diplomacy
    assert GAME.invariants(table) == []


def test_24_4_an_admiral_left_at_sea_by_the_ships_of_his_minor_power_goes_to_the_track():
    table = a_table()
    state = table.state
    state.minors["papacy"].ally = "spain"
    fleets.put(table, "tyrrhenian_sea", "papacy", "spain", {"galley": 1})
    state.leaders["doria"].at = "tyrrhenian_sea"
    run(minors.deactivate(table, "papacy"))
    assert "tyrrhenian_sea" not in state.fleets
    assert state.leaders["doria"].at == "track"


def test_27_1_the_hand_of_a_power_that_is_deactivated_is_laid_open_with_the_discards():
    table = a_table(3)
    state = table.state
    hre = next(power for power, own in state.powers.items() if not own.active)
    state.minors[hre].ally = "spain"
    card = next(key for key in state.deck if table.c.cards[key].type == "event")
    state.deck.remove(card)
    state.powers[hre].hand = [card]
    run(minors.deactivate(table, hre))
    assert card in state.discards
    line = next(line for line in table.lines if line.key == "activated.hand")
    assert line.args["cards"] == [card]
    assert line.is_irreversible
