"""Winter (20.4): every plan can be carried out, and afterwards everybody is where he may be."""

from random import Random
from typing import Any

import pytest

from games.virgin_queen import GAME, formations
from games.virgin_queen.gate import may_stand
from games.virgin_queen.query import controls, fortified, strength
from games.virgin_queen.state import POWERS
from games.virgin_queen.winter import phase, return_of_troops
from games.virgin_queen.winter.return_paths import WinterPaths
from pbem.kernel.dice import Dice
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

COMPONENTS = components_of(GAME, {})[1]
KINDS = {"ottoman": "cavalry"}


def scattered(seed):
    """A table with the units of all powers in random spaces."""
    random = Random(seed)
    table = Table(COMPONENTS, GAME.seats_for(6), {}, "campaign", Dice(b"\2" * 32))
    GAME.setup(table)
    state = table.state
    state.land = {}
    for power in POWERS:
        pool = "dutch" if power == "protestant" else power
        for _ in range(6):
            space = random.choice([at for at in COMPONENTS.spaces if may_stand(table, pool, at)])
            number = min(random.randrange(1, 6), formations.pool_left(table, pool))
            if number:
                formations.add(table, space, pool, random.choice(["regulars", KINDS.get(pool, "mercenaries")]), number)
    state.unrest = random.sample(list(COMPONENTS.spaces), 5)
    return table, random


@pytest.mark.parametrize("seed", range(25))
def test_20_4_after_the_return_nobody_stands_in_the_open_or_above_the_limit(seed):
    table, random = scattered(seed)
    state = table.state
    before = {power: sum(strength(state, power, space) for space in state.land) for power in POWERS}
    for power in POWERS:
        domain = return_of_troops.domain(WinterPaths(table, power))
        orders = domain.sample(random.randrange) if domain is not None else []
        if domain is not None:
            domain.check(orders)
        return_of_troops.troops_home(table, power, orders)
        mine = set(controls(state, power))
        for space in list(state.land):
            number = strength(state, power, space)
            if number:
                assert space in mine, (power, space)
                assert fortified(table, space), (power, space)
                assert number <= return_of_troops.LIMIT or state.capitals.get(space) == power, (power, space)
        assert sum(strength(state, power, space) for space in state.land) <= before[power]


def test_20_4_open_ways_cost_nothing():
    table, _ = scattered(1)
    table.state.land, table.state.unrest = {}, []
    formations.add(table, "pressburg", "hre", "regulars", 3)
    return_of_troops.troops_home(table, "hre")
    assert strength(table.state, "hre", "vienna") == 3


def test_20_4_half_rounded_up_is_lost_mercenaries_first():
    assert formations.cheapest({"regulars": 2, "mercenaries": 1}, 2) == {"mercenaries": 1, "regulars": 1}


def test_20_4_what_may_be_planned_follows_a_correction_of_the_state():
    table, _ = scattered(3)
    ask: Any = next(phase.home(table)).asks["ottoman"]
    order = {"origin": "pavia", "to": "algiers", "units": {"regulars": 4}}
    assert ask.domain().accepts({"land": [order]})
    formations.add(table, "pavia", "ottoman", "regulars", -3)
    assert not ask.domain().accepts({"land": [order]})
