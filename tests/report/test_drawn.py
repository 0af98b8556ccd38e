"""What stands in several letters is drawn once, and is what would be drawn again."""

from functools import partial

import pytest

from games.sixteen_thirty import GAME
from pbem.kernel.view import Column, TableView
from pbem.report.build import report_table
from pbem.report.messages import MOST, Catalogue, RenderCache


def table(cell):
    return TableView("t", [Column("a", "flag")], [[cell]])


@pytest.fixture
def say():
    return Catalogue(GAME)


def test_equal_tables_are_one_sheet(say):
    assert report_table(say, table("x")) is report_table(say, table("x"))
    assert report_table(say, table("x")) is not report_table(say, table("y"))


def test_one_is_not_true(say):
    assert report_table(say, table(1)).rows == [["1"]]
    assert report_table(say, table(True)).rows == [["yes"]]


def test_what_cannot_be_compared_is_drawn_each_time(say):
    odd = table({1, 2}.__iter__())
    drawn = RenderCache()
    calls = []
    for _ in range(2):
        drawn.alike("k", odd, lambda: calls.append(1))
    assert len(calls) == 2


def test_of_many_drawings_the_oldest_is_let_go():
    drawn = RenderCache()
    for n in range(MOST * 3):
        assert drawn.alike("k", n, partial(lambda n: [n], n)) == [n]
        assert drawn.same("k", [n], partial(lambda n: (n,), n)) == (n,)
    assert len(drawn._kept) == MOST


def test_the_very_same_thing_is_meant_even_if_another_takes_its_place():
    drawn = RenderCache()
    for n in range(1000):
        assert drawn.same("k", [n], partial(int, n)) == n
