"""Conquest Points (7.2.1; Territories 7.2.1.2, Tougher Forts 12.3), and the loser's right to refuse one (7.2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NotRequired, TypedDict

from games.imperial_struggle import board
from games.imperial_struggle.components import StruggleComponents, Theater
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import NOBODY, OTHER, SPAIN, USA
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional
from pbem.kernel.game import Play, Rule
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.2.1", "Conquest Points", "wars/conquest.py")
KIT.chapter("7.2.1.1", "Forts, Markets, Naval spaces", "wars/conquest.py")
KIT.chapter("7.2.1.2", "Territories", "wars/conquest.py")
KIT.chapter("7.2.2", "refusing", "wars/conquest.py")
KIT.chapter("12.1", "Spanish Empire", "setup.py", "wars/conquest.py")
KIT.chapter("12.3", "Tougher Forts", "wars/conquest.py")
_conquer = KIT.question("conquer", "7.2.1")
_refuse = KIT.question("refuse", "7.2.2", "reaction")
_spanish = KIT.question("spanish_shift", "12.1")
STOP = "stop"
CEDE, REFUSE = "cede", "refuse"


class Conquest(TypedDict):
    """A conquest, and the Squadron that takes a Naval space."""

    space: str
    origin: NotRequired[str]


def conquer(table: Table, theater: Theater, winner: str, points: int) -> Play:
    """Spend the points one conquest at a time; the rest is lost (7.2.1)."""
    while points:
        if next(affordable(table, theater, winner, points), None) is None:
            table.log("wars.points_lost", rule="7.2.1", seat=winner, points=points)
            return
        menu = partial(_menu, table, theater, winner, points)
        answer = yield from _conquer(winner, menu, STOP, theater=theater.id, points=points)
        if isinstance(answer, str):  # stop
            return
        points -= price(table, answer["space"])
        yield from _take(table, theater, winner, answer)


def affordable(table: Table, theater: Theater, winner: str, points: int) -> Iterator[str]:
    """Return what `winner` could take with `points`."""
    return (s for s in conquerable(table, theater, winner) if price(table, s) <= points)


def _menu(table: Table, theater: Theater, winner: str, points: int) -> Menu[Conquest | str]:
    spaces = list(affordable(table, theater, winner, points))
    return Menu({"take": _form(table, theater, winner, points, spaces), STOP: None})


def _form(table: Table, theater: Theater, winner: str, points: int, words: list[str]) -> Form[Conquest]:
    def origin(v: Conquest) -> Domain[str] | None:
        """Return the Squadron that takes a Naval space; may be left out."""
        if table.c.spaces[v["space"]].type != "naval":
            return None
        why = partial(_no_fleet, table, theater, winner)
        return Optional(Choice(fleets(table, theater, winner, v["space"]), "origin", why))

    return Form(
        space=Choice(words, "space", partial(why_not_conquerable, table, theater, winner, points)), origin=origin
    )


def why_not_conquerable(table: Table, theater: Theater, winner: str, points: int, space: str) -> RejectionReason | None:
    """Return why a space can't be taken with `points` (7.2.1): the tests of `conquerable`, reported one by one."""
    place, state = table.c.spaces[space], table.state
    if place.type == "political":
        return because("cp_political", "7.2.1", space=space)
    if (space, place.type) not in _lying_in(table.c, theater.regions, theater.additional):
        return because("cp_elsewhere", "7.2.1", space=space, theater=theater.id)
    flag = state.flags[space]
    if flag in (winner, USA):
        return because("own", "3.2.8", space=space) if flag == winner else because("usa", "7.3", space=space)
    if space not in conquerable(table, theater, winner):
        return _untaken(table, winner, space)
    cost = price(table, space)
    return because("cp", "7.2.1", space=space, cost=cost, points=points) if cost > points else None


def _untaken(table: Table, winner: str, space: str) -> RejectionReason:
    """Return what a space in the theater lacks to be conquered (7.2.1.1, 7.2.1.2, 7.2.2)."""
    if table.c.spaces[space].type == "naval":
        return because("cp_fleet", "7.2.1.1", space=space)
    if space in table.state.sides[OTHER[winner]].refused:
        return because("cp_refused", "7.2.2", space=space)
    rule = "7.2.1.2" if table.c.spaces[space].type == "territory" else "12.3"
    return because("cp_line", rule, space=space, spaces=list(table.c.spaces[space].lines))


def _no_fleet(table: Table, theater: Theater, winner: str, origin: str) -> RejectionReason | None:
    """Return why a Squadron can't take a Naval space (7.2.1.1)."""
    if origin == "box":
        return because("box", "7.2.1.1")
    if table.state.flags[origin] != winner:
        return because("not_there", "7.2.1.1", space=origin)
    if origin in table.state.conquered:
        return because("cp_sailed", "7.2.1.1", space=origin)
    return because("cp_elsewhere", "7.2.1.1", space=origin, theater=theater.id)


def price(table: Table, space: str) -> int:
    """Return 1 for everything, 1 more for a Territory with a Huguenots marker (M-9)."""
    prices = table.c.conquest
    extra = prices["huguenots"] if space in table.state.huguenots else 0
    return prices[table.c.spaces[space].type] + extra


def conquerable(table: Table, theater: Theater, winner: str) -> Iterator[str]:
    """Yield Forts, Markets, Naval spaces and Territories that `winner` could take in this theater (7.2.1)."""
    flags, refused = table.state.flags, table.state.sides[OTHER[winner]].refused
    for key, kind in _lying_in(table.c, theater.regions, theater.additional):
        # 7.3, fourth bullet: a Territory with a USA flag can't be taken.
        if flags[key] in (winner, USA):
            continue
        # 7.2.2: nor one that was refused in this war; 7.2.1.2: it takes a Conquest Line.
        if kind == "territory":
            if key not in refused and lined(table, winner, key):
                yield key
        # 7.2.1.1: a Naval space takes a Squadron.
        elif kind == "naval":
            if fleets(table, theater, winner, key):
                yield key
        # 12.3: a Fort takes a Conquest Line, by a house rule.
        elif kind == "market" or option(table, "tougher_forts") != "yes" or lined(table, winner, key):
            yield key


@lru_cache(maxsize=64)
def _lying_in(
    c: StruggleComponents, regions: tuple[str, ...], additional: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return spaces that can be conquered in a theater, with their types: of its Regions and named Territories."""
    return tuple(
        (key, space.type)
        for key, space in c.spaces.items()
        if (space.region in regions and space.type != "political") or (space.type == "territory" and key in additional)
    )


def lined(table: Table, winner: str, space: str) -> bool:
    """Return whether a Conquest Line starts at a space of `winner`; a space without lines needs none (3.2.6)."""
    lines = table.c.spaces[space].lines
    return not lines or any(table.state.flags[other] == winner for other in lines)


def fleets(table: Table, theater: Theater, winner: str, space: str) -> list[str]:
    """Return Squadrons to take a Naval space: from the Navy Box or the theater, each once per war (7.2.1.1)."""
    state = table.state
    there = board.squadrons(state, table.c, winner, theater.regions)
    box = ["box"] if state.sides[winner].box else []
    return box + [s for s in there if s not in state.conquered and s != space]


def _take(table: Table, theater: Theater, winner: str, answer: Conquest) -> Play:
    """Execute one conquest, unless it is a Territory of the loser and the loser refuses."""
    state, space = table.state, answer["space"]
    loser = OTHER[winner]
    kind = table.c.spaces[space].type
    if kind == "naval":
        origin = answer.get("origin") or fleets(table, theater, winner, space)[0]
        sail(table, winner, space, origin)
        return
    held = state.flags[space]
    if kind == "territory" and held == loser and (yield from _refused(table, loser, space)):
        return
    damaged = space in state.damaged and option(table, "captured_forts") != "repaired"
    table.log("wars.conquered", rule="7.2.1", seat=winner, space=space)
    board.take_control(table, winner, space, "7.2.1")
    if damaged:
        # Nothing in the rules repairs a captured Fort, and losing its flag has taken the marker away.
        state.damaged.append(space)
    crest = table.c.spaces[space].crest and kind == "territory"
    if crest and held in (NOBODY, SPAIN) and option(table, "spanish_empire") == "yes":
        state.spanish.append(loser)


def sail(table: Table, winner: str, space: str, origin: str) -> None:
    """Move a Squadron of the winner to a Naval space (7.2.1.1). An opposing one there goes to its Navy Box."""
    if table.state.flags[space]:
        board.to_navy_box(table, space, "7.2.1.1")
    board.take_squadron(table, winner, origin)
    board.set_flag(table, space, winner)
    table.state.conquered.append(space)
    table.log("wars.sailed", rule="7.2.1.1", seat=winner, space=space, origin=origin)


def _refused(table: Table, loser: str, space: str) -> Rule[bool]:
    """Ask the loser whether to keep a Territory, twice a war: 3 VP to the winner, then 5 (7.2.2)."""
    side = table.state.sides[loser]
    prices = table.c.refusals
    if len(side.refused) >= len(prices):
        return False
    vp = prices[len(side.refused)]
    answer = yield from _refuse(loser, Choice((CEDE, REFUSE)), CEDE, space=space, vp=vp)
    if answer == CEDE:
        return False
    side.refused.append(space)
    table.log("wars.refused", rule="7.2.2", seat=loser, space=space)
    board.score(table, OTHER[loser], vp, "wars.refusal_vp", "7.2.2", space=space)
    return True


def spanish_shift(table: Table, seat: str) -> Play:
    """Ask for one free shift in Spain for a Spanish Territory that was taken, after the theater (12.1)."""
    found = [s for s in table.c.of_country["spain"] if board.shiftable(table, seat, s)]
    why = partial(_not_spanish, table, seat)
    space = yield from board.ask_space(table, seat, _spanish, found, "12.1", optional=True, why=why)
    if space:
        board.shift(table, seat, space, "12.1")


def _not_spanish(table: Table, seat: str, space: str) -> RejectionReason | None:
    """Return why a space is none of those in Spain that can be shifted (12.1)."""
    if table.c.spaces[space].country != "spain":
        return because("not_spain", "12.1", space=space)
    return because("own", "3.2.8", space=space) if table.state.flags[space] == seat else None
