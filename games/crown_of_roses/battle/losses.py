"""Hits become lost steps (20.5.3), and what falls with a block (20.4.3, 8.3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from games.crown_of_roses.battle.forces import GARRISON, guard, line_of, present, settled
from games.crown_of_roses.blocks import can_host, leave, update_garrisons, withdraw_block
from games.crown_of_roses.events.common import bar_hit
from games.crown_of_roses.query import attached, blocks_in, faces, rank, strength
from games.crown_of_roses.refusals import block_meant, meant
from games.crown_of_roses.state import ASIDE, OUT, UNDECLARED, Battle, BattleSide
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Series
from pbem.kernel.game import Play
from pbem.kernel.questions import REACTION, Ask, AskAll
from pbem.kernel.rejections import RejectionReason, because

_losses = KIT.question("losses", "20.5.3", REACTION)
_guest = KIT.question("guest", "8.3.3", REACTION)


class Hits(msgspec.Struct):
    """Hits on a side: `count` on its force, and one on each block of `aimed` (card 27)."""

    count: int = 0
    aimed: list[str] = []


class HitAllocation:
    """The force of a side while its hits are allocated: steps left, and guests by host."""

    def __init__(self, table: Table, battle: Battle, side: BattleSide) -> None:
        state = table.state
        self.c = table.c
        self.steps = {key: state.blocks[key].steps for key in side.force}
        self.host = {key: state.blocks[key].host for key in side.force}
        if guard(table, battle, side):
            self.steps[GARRISON] = state.garrison.steps
            self.host[GARRISON] = state.garrison.host

    def _dice(self, key: str) -> int:
        if key == GARRISON:
            return sum(faces(self.c.garrison[-self.steps[key]]).values())
        return strength(self.c, key, self.steps[key])

    def options(self) -> list[str]:
        """Return who can take the next hit: one of the strongest; for a noble also what is attached to them."""
        if not self.steps:
            return []
        force = {key: self._dice(key) for key in self.steps}
        most = max(force.values())
        able: set[str] = set()
        for key, count in force.items():
            if count == most:
                host = self.host[key] if self.host[key] in self.steps else key
                able.update(block for block in self.steps if block == host or self.host[block] == host)
        return [key for key in self.steps if key in able]

    def take(self, key: str) -> None:
        """Take a step from a block. A noble who falls takes their office blocks with them, others fight on."""
        self.steps[key] -= 1
        if self.steps[key]:
            return
        del self.steps[key]
        for other in [block for block in self.steps if self.host[block] == key]:
            if other != GARRISON and self.c.blocks[other].kind == "office":
                del self.steps[other]
            else:
                self.host[other] = ""

    def total(self) -> int:
        return sum(self.steps.values())


def _replayed(table: Table, battle: Battle, side: BattleSide, so_far: Sequence[str]) -> HitAllocation:
    count = HitAllocation(table, battle, side)
    for key in so_far:
        count.take(key)
    return count


def shared_out(table: Table, battle: Battle, side: BattleSide, hits: int) -> Series[str]:
    """Return blocks that lose a step, one after the other (20.5.3); the rest is allocated automatically."""

    def following(so_far: Sequence[str]) -> Choice[str] | None:
        able = _replayed(table, battle, side, so_far).options()
        return Choice(able, "block") if able else None

    def why(so_far: Sequence[str], word: str) -> RejectionReason | None:
        key = GARRISON if meant(table, word) == GARRISON else block_meant(table, word)
        left = _replayed(table, battle, side, so_far)
        if not key or len(so_far) >= hits or key in left.options():
            return None
        if key not in line_of(table, battle, side):
            return because("not_in_force", "20.5.3", block=key)
        return bar_hit(key, left.steps.get(key, 0))

    return Series(following, 0, hits, "blocks", why)


def by_itself(
    table: Table, battle: Battle, side: BattleSide, hits: int, begun: Sequence[str] = (), nobles: bool = False
) -> list[str]:
    """Return all hits on a side allocated: attached blocks and lower nobles first, or (`nobles`) the reverse."""
    chosen = list(begun)
    count = _replayed(table, battle, side, chosen)

    def worth(key: str) -> tuple[bool, tuple[int, int, int], int]:
        lord = key != GARRISON and table.c.blocks[key].noble
        return lord != nobles, rank(table, key) if lord else (0, 0, 0), -count.steps[key]

    while len(chosen) < hits and (able := count.options()):
        key = min(able, key=worth)
        chosen.append(key)
        count.take(key)
    return chosen


def _choice(table: Table, battle: Battle, side: BattleSide, hits: int) -> bool:
    count = HitAllocation(table, battle, side)
    if hits >= count.total():
        return False
    for _ in range(hits):
        able = count.options()
        if len(able) != 1:
            return bool(able)
        count.take(able[0])
    return False


def take(table: Table, battle: Battle, hits: Mapping[str, Hits]) -> Play:
    """Let both sides allocate their hits at the same time; then the blocks lose their steps (20.5.3)."""
    asks: dict[str, Ask[list[str]]] = {}
    taken: dict[str, list[str]] = {}
    for house, suffered in hits.items():
        side, count = battle.sides[house], suffered.count
        word = settled(side, "losses")
        open_choice = bool(count) and _choice(table, battle, side, count)
        if open_choice and word != "ask":
            table.log("battle.settled", rule="20.2", house=house, reveals=True)
        if not open_choice or word != "ask":
            taken[house] = by_itself(table, battle, side, count, nobles=word == "nobles")
            continue
        asks[house] = _losses(
            house, partial(shared_out, table, battle, side, count), partial(by_itself, table, battle, side, count),
            place=battle.place, round=battle.round, count=count,
        )  # fmt: skip
    answers = (yield from AskAll(asks)) if asks else {}
    for house, begun in answers.items():
        taken[house] = by_itself(table, battle, battle.sides[house], hits[house].count, begun)
    for house, suffered in hits.items():
        side = battle.sides[house]
        for key in (*suffered.aimed, *taken[house]):
            if key in line_of(table, battle, side):
                wound(table, battle, side, key)


# -- a block loses a step ----------------------------------------------------------------------------------------------


def wound(table: Table, battle: Battle, side: BattleSide, key: str) -> None:
    """Take a step from a block; at home strength it falls (8.3)."""
    state = table.state
    holder = state.garrison if key == GARRISON else state.blocks[key]
    if holder.steps > 1:
        holder.steps -= 1
        table.log("battle.wounded", rule="20.5.3", house=side.house, block=key, steps=holder.steps, reveals=True)
        return
    table.log("battle.falls", rule="20.5.3", house=side.house, block=key, reveals=True)
    if key == GARRISON:
        # 9.6 It is back, at full strength, when the combat step is over.
        state.garrison.host, state.garrison.aside = "", True
    elif table.c.blocks[key].noble and key != "henry_vi":
        _fall(table, battle, side, key)
    else:
        remove_block(side, key)
        withdraw_block(table, key)


def remove_block(side: BattleSide, key: str) -> None:
    """Take a block out of the lists of its side."""
    for blocks in (side.force, side.reserve, side.waiting):
        if key in blocks:
            blocks.remove(key)


def _fall(table: Table, battle: Battle, side: BattleSide, key: str) -> None:
    """Move an eliminated noble and their office blocks to `ASIDE`; other guests look for a host (20.4.3, 20.5.3)."""
    state, c = table.state, table.c
    guests = attached(state, key)
    for block in (key, *guests):
        if block == key or c.blocks[block].kind == "office":
            state.blocks[block].at, state.blocks[block].pinned = ASIDE, False
            remove_block(side, block)
        else:
            state.blocks[block].host = ""
            if block == "henry_vi":
                side.wards[key] = block
    side.gone.append(key)
    for guest in guests:
        if c.blocks[guest].kind != "office" and rehome(table, side, guest):
            side.guests.append(guest)
    if state.garrison.host == key:
        pass_garrison(table, side)
    update_garrisons(table, battle.place)


def pass_garrison(table: Table, side: BattleSide) -> None:
    """Pass a garrison without host to another block of the house in London, if possible of the force (9.6)."""
    state = table.state
    here = [key for key in blocks_in(state, "london", side.house) if not state.blocks[key].host]
    here.sort(key=lambda key: (key not in side.force, key not in side.reserve))
    state.garrison.host, state.garrison.aside = (here[0], False) if here else ("", True)
    table.log("garrison.passes", rule="9.6", house=side.house if here else "", reveals=True)


def rehome(table: Table, side: BattleSide, guest: str) -> bool:
    """Find a new host among the blocks of the engagement, if possible of the battle force (8.3.3). True if found.

    Mercenaries whose side has nobody but them wait for the winner (20.4.3).
    """
    able = [key for key in present(side) if can_host(table, guest, key)]
    if not able:
        return False
    take_in(table, side, guest, max(able, key=lambda key: (key in side.force, rank(table, key))))
    return True


def take_in(table: Table, side: BattleSide, guest: str, host: str) -> None:
    """Attach a guest to a new host (8.3.3, 20.4.3).

    The host gives their own mercenaries to the old one. A guest fights with its host only: it goes to the reserve with
    it.
    """
    state, c = table.state, table.c
    if c.blocks[guest].kind == "mercenary":
        for other in attached(state, host):
            if other != guest and c.blocks[other].kind == "mercenary":
                state.blocks[other].host = state.blocks[guest].host
    state.blocks[guest].host = host
    if guest in side.force and host not in side.force:
        side.force.remove(guest)
        side.reserve.append(guest)


def choose_hosts(table: Table, battle: Battle, side: BattleSide) -> Play:
    """Ask the owner for hosts of guests without one; default: the highest noble of the force (8.3.3, 20.4.3).

    Asked if more than one block might do so by what is open: who is in reserve is a secret.
    """
    blocks, guests = table.state.blocks, side.guests
    side.guests = []
    for guest in guests:
        here = present(side)
        if guest not in here or not blocks[guest].host:
            continue
        able = [key for key in here if can_host(table, guest, key)]
        if sum(not blocks[key].shown or key in able for key in here if not blocks[key].host) < 2:
            continue
        choice = Choice(able, "noble", partial(_no_host, table, side, guest))
        to = yield from _guest(side.house, choice, blocks[guest].host, place=battle.place, block=guest)
        take_in(table, side, guest, to)


def _no_host(table: Table, side: BattleSide, guest: str, word: str) -> RejectionReason | None:
    """Return why a block does not take in a guest (8.3.3); None if it isn't a block."""
    if not (key := block_meant(table, word)):
        return None
    if key not in present(side):
        return because("not_in_force", "8.3.3", block=key)
    return because("commandless" if not table.c.blocks[key].command else "no_guest", "8.3.3", block=key, guest=guest)


def strays(table: Table, side: BattleSide) -> list[str]:
    """Return mercenaries of a side in the engagement that have no host."""
    blocks = table.state.blocks
    return [key for key in present(side) if table.c.blocks[key].kind == "mercenary" and not blocks[key].host]


def disband_unhosted_mercenaries(table: Table, side: BattleSide) -> None:
    """Make mercenaries without a host undeclared, unless only mercenaries are left (8.3.3, 20.4.3)."""
    lost = strays(table, side)
    if len(lost) == len(present(side)):
        return
    for key in lost:
        if not rehome(table, side, key):
            remove_block(side, key)
            leave(table, key, UNDECLARED)
            table.log("battle.stray", rule="8.3.3", house=side.house, private={side.house: {"block": key}})


def henry_dies(table: Table, side: BattleSide) -> None:
    """Kill Henry VI with the host (10.3.3)."""
    remove_block(side, "henry_vi")
    side.wards = {}
    table.log("battle.henry", rule="10.3.3", house=side.house, block="henry_vi", reveals=True)
    leave(table, "henry_vi", OUT)
    if table.state.blocks["margaret"].at == OUT:  # 10.3.4: she is lost too where Prince Edward is gone
        remove_block(side, "margaret")
