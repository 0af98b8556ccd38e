"""Counters by value (5.3, 17.1): what the counters of a pool show, against trying every way to lay them."""

from functools import cache
from random import Random

import pytest

from games.virgin_queen import GAME, counters, formations
from games.virgin_queen.components import LandPool
from pbem.kernel.dice import Dice
from pbem.kernel.domains import Optional
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

COMPONENTS = components_of(GAME, {})[1]


def laid_out(pool, sizes):
    """Whether some way to lay the counters shows all stacks."""

    @cache
    def fill(i, ones, twos, fours, sixes):
        if i == len(sizes):
            return True
        size = sizes[i]
        return any(
            fill(i + 1, ones - a, twos - b, fours - c, sixes - d)
            for d in range(min(sixes, size // 6) + 1)
            for c in range(min(fours, (size - 6 * d) // 4) + 1)
            for b in range(min(twos, (size - 6 * d - 4 * c) // 2) + 1)
            if (a := size - 6 * d - 4 * c - 2 * b) <= ones
        )

    return fill(0, pool.ones, pool.twos, pool.fours, pool.sixes)


def test_5_3_the_counters_show_what_can_be_laid_with_them():
    random = Random(5)
    found = set()
    for _ in range(3000):
        pool = LandPool("p", "p", "", "", *(random.randrange(most) for most in (6, 5, 4, 4)))
        sizes = tuple(random.randrange(1, 11) for _ in range(random.randrange(1, 6)))
        assert counters.enough(pool, sizes) == laid_out(pool, sizes), (pool, sizes)
        found.add((counters.enough(pool, sizes), sum(sizes) <= pool.most))
    assert found == {(True, True), (False, True), (False, False)}


@pytest.fixture
def table():
    """The Ottomans at the start: one small counter is left, and the six stands in Istanbul."""
    table = Table(COMPONENTS, GAME.seats_for(6), {}, "campaign", Dice(b"\2" * 32))
    GAME.setup(table)
    return table


def test_5_3_a_stack_without_change_stays_together(table):
    units = {"regulars": 1}
    assert not formations.parting(table, "ottoman", "istanbul", "smyrna")(units)
    formations.shift(table, "ottoman", "istanbul", "smyrna", units, [])
    assert units == {}
    assert "smyrna" not in table.state.land


def test_5_3_an_order_names_what_there_is_change_for(table):
    domain = formations.units_domain(table, {"regulars": 6}, [], alone=False, way=("ottoman", "istanbul", "smyrna"))
    assert not isinstance(domain, Optional)
    assert list(domain.options()) == [{"regulars": 2}, {"regulars": 4}]
    assert [domain.accepts({"regulars": n}) for n in (1, 2, 3, 4)] == [False, True, False, True]
    assert all(domain.sample(Random(seed).randrange)["regulars"] in (2, 4) for seed in range(20))


def test_5_3_where_they_are_forced_to_part_what_there_is_no_change_for_is_lost(table):
    before = formations.on_map(table.state, "ottoman")
    formations.shift(table, "ottoman", "istanbul", "smyrna", {"regulars": 5}, [], forced=True)
    sizes = counters.stacks(table.state, "ottoman")
    assert counters.enough(COMPONENTS.land_pools["ottoman"], [*sizes.values()])
    assert sizes["smyrna", "regulars"] == 5
    assert sum(sizes.values()) == before - 1  # the cheapest, of cavalry, at Istanbul


def test_17_1_units_come_as_far_as_the_counters_show_them(table):
    assert formations.muster(table, "smyrna", "ottoman", "cavalry", 1) == 1
    assert formations.muster(table, "trebizond", "ottoman", "cavalry", 1) == 0
    assert formations.muster(table, "trebizond", "ottoman", "cavalry", 3) == 2
