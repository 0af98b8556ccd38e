"""Who may stand where (9.5, 20.10, 23.1): no door of the rules leads past the gate, and nothing else moves pieces."""

import re
from pathlib import Path

import pytest

import games.virgin_queen
from games.virgin_queen import GAME, displacement, fleets, formations, gate, spring
from games.virgin_queen.diplomacy import clauses
from games.virgin_queen.events.common import welcome
from games.virgin_queen.land import entering, intercepting, moving
from games.virgin_queen.land.battlecards import mercenary_pool
from games.virgin_queen.naval import battle
from games.virgin_queen.naval import moving as sailing
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.state import Impulse, pair
from games.virgin_queen.winter import ports
from games.virgin_queen.winter.return_paths import WinterPaths
from pbem.kernel.dice import Dice
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

COMPONENTS = components_of(GAME, {})[1]
CELTIC = {space for minor in gate.CELTIC for space in COMPONENTS.homes[minor]}


@pytest.fixture
def table():
    """Ireland and Scotland are Spain's allies; Spaniards at Carlisle, Spanish ships in the Irish Sea."""
    table = Table(COMPONENTS, GAME.seats_for(6), {}, "campaign", Dice(b"\2" * 32))
    GAME.setup(table)
    state = table.state
    for minor in gate.CELTIC:
        state.minors[minor].ally = "spain"
    state.land, state.fleets = {}, {}
    for space in (*CELTIC, "carlisle"):
        state.control[space] = "spain"
    formations.add(table, "carlisle", "spain", "regulars", 2)
    fleets.put(table, "irish_sea", "spain", "spain", {"galleon": 1})
    state.diplomacy = {pair("spain", "england"): "war"}
    state.impulse = Impulse("spain", cp=5)
    state.phase, state.active = "action", "spain"
    return table


DOORS = {
    "displacement (12.5)": lambda t: displacement.havens(t, "spain", "carlisle", ["spain"]),
    "displacement of a leader (12.5)": lambda t: displacement.havens(t, "spain", "carlisle", (), ["alva"]),
    "displacement of ships (12.5)": lambda t: fleets.nearest_ports(t, "spain", "irish_sea"),
    "march (13.1)": lambda t: moving.targets(PowerMap(t, "spain"), "carlisle"),
    "interception (13.2)": lambda t: [at for at in CELTIC if intercepting.posts(t, "spain", at)],
    "avoiding battle and retreat (13.3, 14.1)": lambda t: entering.refuges(t, "spain", "carlisle"),
    "a broken siege (15.3)": lambda t: entering.way_out(t, "spain", "carlisle"),
    "naval movement (16.1)": lambda t: sailing.targets(t, "spain", "irish_sea"),
    "avoiding battle and retreat at sea (16.1, 16.2)": lambda t: battle.ways_out(t, "spain", "irish_sea"),
    "the return of troops (20.4)": lambda t: WinterPaths(t, "spain").nearest("carlisle", "spain"),
    "the return of ships (20.4)": lambda t: ports.return_ports(t, "spain").get("irish_sea", ()),
    "loans (9.2)": lambda t: clauses.harbours(t, "spain", "irish_sea"),
    "spring deployment (10)": lambda t: spring.reach(t, "spain", "carlisle"),
    "events (6.1)": lambda t: welcome(t, "spain"),
    "Reiters in battle (6.1)": lambda t: [at for at in CELTIC if mercenary_pool(t, "spain", at)],
}


@pytest.mark.parametrize("door", DOORS)
def test_9_5_no_door_leads_spain_to_ireland_and_scotland(table, door):
    assert not CELTIC.intersection(DOORS[door](table))
    table.state.excommunicated = True  # war costs 3 CP now
    assert CELTIC.intersection(DOORS[door](table))


def test_9_5_the_irish_of_spain_are_no_spanish_units(table):
    formations.add(table, "ulster", "ireland", "regulars", 2)
    assert "dublin" in list(moving.targets(PowerMap(table, "spain"), "ulster"))
    formations.add(table, "carlisle", "ireland", "regulars", 1)
    ready = moving.ready(table, "spain", "carlisle")[0]
    assert formations.may_go(table, "spain", ready, "glasgow") == {"ireland-regulars": 1}


def test_9_5_what_no_door_lets_in_the_gate_stops(table):
    with pytest.raises(AssertionError):
        formations.add(table, "dublin", "spain", "regulars", 1)
    with pytest.raises(AssertionError):
        fleets.put(table, "dublin", "spain", "spain", {"galleon": 1})
    with pytest.raises(AssertionError):
        gate.station(table, "alva", "dublin")
    fleets.put(table, "dublin", "papacy", "papacy", {"galley": 1})


def test_20_3_ships_on_loan_are_spanish_again_before_they_leave_scotland(table):
    def misplaced() -> list[str]:
        return [str(problem) for problem in GAME.invariants(table) if "at edinburgh" in str(problem)]

    table.state.control["edinburgh"] = "scotland"
    fleets.put(table, "edinburgh", "spain", "france", {"galleon": 1})
    ports.end_loans(table)
    assert misplaced() == ["spain is at edinburgh [9.5]"]
    table.state.phase = "winter"
    assert misplaced() == []
    table.state.control["edinburgh"] = "spain"
    assert misplaced() == ["spain is at edinburgh [9.5]"]
    table.state.control["edinburgh"] = "scotland"
    ports.ships_home(table, "spain", {}, {})
    table.state.phase = "action"
    assert misplaced() == []


def test_20_10_guise_goes_with_nobody_out_of_france(table):
    state = table.state
    state.leaders["duke_of_guise"].at = "st_quentin"
    assert formations.may_lead(table, ["duke_of_guise", "alva"], "mons") == ["alva"]
    assert formations.may_lead(table, ["duke_of_guise"], "metz") == ["duke_of_guise"]
    assert not gate.may_stand(table, "duke_of_guise", "armada")
    gate.lead(table, "duke_of_guise", "brussels")
    assert state.leaders["duke_of_guise"].at == "gone"


def test_23_1_the_moriscos_stay_within_two_spaces_of_granada(table):
    near = {at for at in COMPONENTS.spaces if gate.may_stand(table, "morisco", at)}
    assert {"granada", "cartagena", "valencia"} <= near
    assert not near & {"barcelona", "madrid" if COMPONENTS.hops[()]["granada"]["madrid"] > 2 else "milan"}


OCEANS = ("building.py", "ocean.py", "ports.py", "upkeep.py", "voyages.py")
"""Modules that move captains over the oceans; `setup.py` begins, `spring_phase.py` looks ahead and puts back."""


def test_nothing_but_the_gate_puts_a_leader_on_a_space():
    """Elsewhere leaders only leave the map."""
    home = Path(games.virgin_queen.__file__).parent
    for path in sorted(home.rglob("*.py")):
        if path.name in ("gate.py", "setup.py", "spring_phase.py", *OCEANS):
            continue
        for line in path.read_text().splitlines():
            if moved := re.search(r"\bleaders?(?:\[\w+\])?\.at(?:, [\w.]+)* = (.*)", line):
                assert re.match(r'ON_CARD|TRACK|GONE|"", |.*"card"$', moved[1]), (path, line)
