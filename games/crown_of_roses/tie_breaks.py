"""Tie-breaking (10.5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from games.crown_of_roses.refusals import bar_house
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Below, Choice, Series
from pbem.kernel.game import Rule

KIT.chapter("10.5.1", "the King: ties, abilities, block", "tie_breaks.py", "realm/abilities.py", "realm/election.py")


_tie = KIT.question("tie", "10.5.1")
_pick = KIT.question("pick", "10.5.1")


class Ranking(Series[str]):
    """Houses in order, also some that are not tied, so that one standing order fits every tie.

    Those left out come last, as listed. Only the tied houses are offered.
    """

    __slots__ = ("_tied",)
    stands = True

    def __init__(self, table: Table, level: Sequence[str]) -> None:
        houses = list(table.state.houses)
        super().__init__(
            _next_of([*level, *(key for key in houses if key not in level)]),
            1,
            len(houses),
            "houses in order",
            lambda so_far, word: bar_house(table, "house_twice", "10.5.1", word),
        )
        self._tied = Series(_next_of(level), len(level), len(level))

    def options(self) -> Iterator[list[str]]:
        return self._tied.options()

    def sample(self, below: Below) -> list[str]:
        return self._tied.sample(below)


def _next_of(houses: Sequence[str]) -> Callable[[Sequence[str]], Choice[str] | None]:
    def following(so_far: Sequence[str]) -> Choice[str] | None:
        left = [house for house in houses if house not in so_far]
        return Choice(left, "house") if left else None

    return following


def breaker(table: Table, *, king: bool = True) -> str:
    """Return the house that breaks ties: of the highest office held, else of the highest income (rolled each turn).

    `king` False: as if there were no King (24.2.3).
    """
    state = table.state
    for key, office in state.offices.items():
        if office.holder and (king or key != "king"):
            return state.blocks[office.holder].owner
    if not state.breaker:
        playing = {key: house for key, house in state.houses.items() if not house.out}
        most = max(house.income for house in playing.values())
        tied = [key for key, house in playing.items() if house.income == most]
        while len(tied) > 1:
            rolls = {key: table.roll(1, "tie.roll", rule="10.5.1", house=key).total for key in tied}
            tied = [key for key in tied if rolls[key] == max(rolls.values())]
        state.breaker = tied[0]
    return state.breaker


def ranked(table: Table, houses: Sequence[str], values: dict[str, int], what: str, rule: str) -> Rule[list[str]]:
    """Return houses by value, highest first; the tie-breaker orders those that are level."""
    found: list[str] = []
    for value in sorted({values[house] for house in houses}, reverse=True):
        level = [house for house in houses if values[house] == value]
        if len(level) > 1:
            level = yield from order(table, level, what, rule)
        found += level
    return found


def order(table: Table, level: Sequence[str], what: str, rule: str, *, king: bool = True) -> Rule[list[str]]:
    """Return houses in the order of the tie-breaker."""
    seat = breaker(table, king=king)
    ranking = Ranking(table, level)
    chosen = yield from _tie(seat, ranking, list(level), rule=rule, what=what, houses=list(level))
    chosen = [house for house in chosen if house in level]
    chosen += [house for house in level if house not in chosen]
    table.log("tie.broken", rule="10.5.1", house=seat, order=list(chosen), what=what)
    return chosen


def choose(table: Table, level: Sequence[str], what: str, rule: str, *, king: bool = True, **about: Any) -> Rule[str]:
    """Return the tie-breaker's choice of the houses that are level; a single one needs no choice."""
    if len(level) == 1:
        # Not `table.only`: nobody waits for a tie, and a line for another vote would be taken for it.
        return level[0]
    seat = breaker(table, king=king)
    choice = Choice(list(level), "house", partial(bar_house, table, "not_level", "10.5.1", houses=list(level)))
    chosen = yield from _pick(seat, choice, level[0], rule=rule, what=what, houses=list(level), **about)
    table.log("tie.picked", rule="10.5.1", house=seat, chosen=chosen, what=what)
    return chosen
