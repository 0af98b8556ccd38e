"""After a battle (20.7): the victor, movement, the garrison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal, TypedDict

from games.crown_of_roses.battle.forces import counted
from games.crown_of_roses.blocks import attrition, leave, put, support, transfer, update_garrisons
from games.crown_of_roses.events.raids import meet_rebels
from games.crown_of_roses.exile import bar_box, bar_entry, go_into_exile, open_to
from games.crown_of_roses.options import setting
from games.crown_of_roses.query import ROYALS, blocks_in, enemies, is_closed_by_embassy, owners, party
from games.crown_of_roses.refusals import bar_host, block_meant, meant, place_meant
from games.crown_of_roses.state import UNDECLARED, Battle
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domain import Value
from pbem.kernel.domains import PASS, Below, Choice, Form, Menu, Series
from pbem.kernel.game import Play
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because, rejection

KIT.chapter("20.7.1", "the victor", "battle/aftermath.py")
KIT.chapter("20.7.2", "movement after battle", "battle/aftermath.py")
KIT.chapter("20.7.3", "the garrison after battle", "battle/aftermath.py", "combat.py")

_flee = KIT.question("refuge", "20.7.2", REACTION)
_room = KIT.question("room", "20.7.2", REACTION)

STAY: Final = "stay"


class BlockMove(TypedDict):
    """A block, with what is attached to it, and the shire it goes to."""

    block: str
    to: str


Moves = TypedDict("Moves", {"with": list[BlockMove]})
"""Blocks that make room."""


def after_battle(table: Table, battle: Battle) -> Play:
    """Run 20.7 once all engagements of a shire are over."""
    state = table.state
    left = owners(state, battle.place)
    if battle.fought:
        _victory(table, battle, left)
    for house in left:
        yield from _refuge(table, battle, house)
    for house in owners(state, battle.place):
        yield from _move_off(table, battle, house)
    if battle.place == "london":
        # 20.7.3
        state.garrison.steps = len(table.c.garrison)
    for key in battle.blocks:
        state.boosts.pop(key, None)


def _victory(table: Table, battle: Battle, left: Sequence[str]) -> None:
    """Name the house that holds the shire; +1 popular support if an enemy there had an heir (20.7.1)."""
    if not left:
        table.log("battle.nobody", rule="20.7.1", place=battle.place)
        return
    victor = left[0]
    table.log("battle.won", rule="20.7.1", house=victor, place=battle.place)
    if any(house != victor for house in battle.heirs):
        table.log("battle.over_heirs", rule="20.7.1", house=victor, place=battle.place, reveals=True)
        support(table, victor, 1, "20.7.1")


def _refuge(table: Table, battle: Battle, house: str) -> Play:
    """Let Henry VI and the Queen, left alone, flee into exile; without an open box they go undeclared (20.7.2).

    Lancaster is asked whenever these might be the blocks, by what is open.
    """
    state = table.state
    here = blocks_in(state, battle.place, house)
    alone = bool(here) and all(key in ROYALS for key in here)
    known = all(state.blocks[key].shown for key in here)
    if house != "lancaster" or not here or len(here) > len(ROYALS) or (known and not alone):
        return
    boxes = [key for key in table.c.exiles if open_to(table, house, key)]
    choices = (STAY, *(boxes or (UNDECLARED,))) if alone else (STAY,)
    choice = Choice(choices, "place", partial(_no_flight, table, house, alone))
    answer = yield from _flee(house, choice, STAY, place=battle.place)
    if answer == STAY:
        return
    table.log("battle.refuge", rule="20.7.2", house=house, blocks=here, place=answer, reveals=True)
    for key in here:
        if answer == UNDECLARED:
            leave(table, key, UNDECLARED)
        else:
            put(table, key, answer)
    update_garrisons(table, battle.place)
    if answer != UNDECLARED:
        go_into_exile(table, house, here, answer)


def _no_flight(table: Table, house: str, alone: bool, word: str) -> RejectionReason | None:
    """Return why Henry VI and the Queen do not flee to a place (20.7.2); None for what is none."""
    undeclared = meant(table, word) == UNDECLARED
    if not alone and (undeclared or place_meant(table, word)):
        return because("not_alone", "20.7.2")
    return because("box_first", "20.7.2") if undeclared else bar_box(table, house, word)


def ways(table: Table, house: str, place: str) -> list[str]:
    """Return neighbouring shires to which a victor's blocks can move off (20.7.2)."""
    state = table.state
    return [
        other
        for other, border in table.c.borders[place].items()
        # Not by sea or over the Wash, nor to enemies, nor where an enemy receives an embassy (14.1.1).
        if border != "wash" and not enemies(state, other, house) and not is_closed_by_embassy(state, other, house)
    ]


def _move_off_domain(table: Table, battle: Battle, house: str) -> Menu[Literal["pass"] | Moves]:
    """Return moves of unattached blocks with what is attached, to one shire each, at most as many as are too many."""
    state = table.state
    limit = table.c.shires[battle.place].sv + 1  # 7.2.9
    excess = counted(blocks_in(state, battle.place, house)) - limit
    hosts = [key for key in blocks_in(state, battle.place, house) if not state.blocks[key].host]
    sizes = {key: size for key in hosts if (size := counted(party(state, key)))}
    to = ways(table, house, battle.place)
    whole = setting(table, "make_room") == "all"

    def following(so_far: Sequence[BlockMove]) -> Form[BlockMove] | None:
        gone = [move["block"] for move in so_far]
        room = excess - sum(sizes[key] for key in gone)
        left = {key: size for key, size in sizes.items() if key not in gone}
        able = [key for key, size in left.items() if size <= room]
        if whole:  # only what leads to as many blocks as can go at all
            most = _most(left.values(), room)
            able = [key for key in able if left[key] + _most(_others(left, key), room - left[key]) == most]
        if not able:
            return None
        why = partial(_not_moved, table, battle.place, house, gone, room)
        return Form(block=Choice(able, "block", why), to=Choice(to, "shire", no_way))

    def no_move(word: str) -> RejectionReason | None:
        if meant(table, word) != "move":
            return None
        return because("no_group" if excess > 0 else "no_excess", "20.7.2", place=battle.place, count=excess)

    no_way = partial(_no_way, table, house, battle.place)
    if excess <= 0 or not to or following([]) is None:
        return Menu({PASS: None}, None, no_move)
    kind = _Whole if whole else Series[BlockMove]
    return Menu({PASS: None, "move": kind(following, 1, excess, "moves")})


def _no_way(table: Table, house: str, place: str, word: str) -> RejectionReason | None:
    """Return why blocks can't move off to a shire, in the order of `ways` (20.7.2); None if it isn't a place."""
    if not (to := place_meant(table, word)):
        return None
    if to not in table.c.borders[place]:
        return because("no_border", "20.7.2", place=to, origin=place)
    if table.c.borders[place][to] == "wash":
        return because("over_wash", "20.7.2", place=to)
    return (
        bar_entry(table, house, to)
        if is_closed_by_embassy(table.state, to, house)
        else because("held_way", "20.7.2", place=to)
    )


def _not_moved(
    table: Table, place: str, house: str, gone: Sequence[str], room: int, word: str
) -> RejectionReason | None:
    """Return why a block does not move off (20.7.2); None if it isn't a block."""
    problem, key = bar_host(table, house, place, "20.7.2", word), block_meant(table, word)
    if problem or not key:
        return problem
    if key in gone:
        return because("goes_already", "20.7.2", block=key)
    if not (count := counted(party(table.state, key))):
        return because("uncounted", "7.2.9", block=key)
    if count > room:
        return because("too_large", "20.7.2", block=key, count=count, most=room)
    return because("all_excess", "20.7.2", block=key, most=room)


class _Whole(Series[BlockMove]):
    """A series that must go on as long as something may follow (20.7.2)."""

    __slots__ = ()

    def check(self, value: Value) -> None:
        super().check(value)
        if len(value) < self.most and self.item(value) is not None:
            raise rejection("answer.too_few", count=len(value), least=len(value) + 1)

    def options(self) -> Iterator[list[BlockMove]]:
        return (moves for moves in super().options() if self.accepts(moves))

    def sample(self, below: Below) -> list[BlockMove]:
        done: list[BlockMove] = []
        while len(done) < self.most and (domain := self.item(done)) is not None:
            done.append(domain.sample(below))
        return done


def _most(sizes: Iterable[int], room: int) -> int:
    """Return the largest sum of some of the sizes that fits the room."""
    sums = {0}
    for size in sizes:
        sums |= {total + size for total in sums if total + size <= room}
    return max(sums)


def _others(sizes: Mapping[str, int], key: str) -> list[int]:
    return [size for other, size in sizes.items() if other != key]


def _move_off(table: Table, battle: Battle, house: str) -> Play:
    """Let the victor move off blocks above the limit, all or none; fens cost attrition (20.7.2).

    Asked by what everybody counts: that Henry VI or the Queen is among them may be a secret.
    """
    state = table.state
    if len(blocks_in(state, battle.place, house)) <= table.c.shires[battle.place].sv + 1:
        return
    if not ways(table, house, battle.place):
        return
    answer = yield from _room(
        house, lambda: _move_off_domain(table, battle, house), PASS, place=battle.place,
        count=len(blocks_in(state, battle.place, house)), limit=table.c.shires[battle.place].sv + 1,
    )  # fmt: skip
    if answer == PASS:
        return
    for move in answer["with"]:
        blocks = party(state, move["block"])
        transfer(table, [move["block"]], battle.place, move["to"])
        table.log(
            "battle.moves_off", rule="20.7.2", house=house, origin=battle.place, place=move["to"],
            count=len(blocks), private={house: {"blocks": blocks}},
        )  # fmt: skip
        if table.c.borders[battle.place][move["to"]] == "fens":
            attrition(table, blocks, "20.7.2")
        yield from meet_rebels(table, house, move["to"])
