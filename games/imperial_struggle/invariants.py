"""Invariants of a state: nothing lost or doubled, flags only where they may be, tracks within their ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.imperial_struggle.state import BRITAIN, FRANCE, NOBODY, OTHER, SEATS, SPAIN, USA
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.rejections import RejectionReason


def invariants(table: Table) -> list[RejectionReason]:
    """Return all that is wrong with the state, each with its rule; [] for a valid one."""
    return [
        *_control(table), *_flags(table), *_markers(table), *_sides(table), *_cards(table), *_investments(table),
        *_war_tiles(table), *_advantages(table),
    ]  # fmt: skip


def _control(table: Table) -> Iterator[RejectionReason]:
    """Check the turn, the Action Round and its side, and the phase that play is in (4.0)."""
    c, state = table.c, table.state
    if state.phase not in (*KIT.phases, "over"):
        yield _problem(f"there is no phase {state.phase}", "4.0")
    if not 1 <= state.turn <= len(c.turns):
        yield _problem(f"turn {state.turn} of {len(c.turns)}", "4.0")
    if state.first not in SEATS or state.initiative not in SEATS or state.active not in (*SEATS, ""):
        yield _problem(
            f"initiative {state.initiative}, first {state.first}, active {state.active or 'nobody'}: not all are seats",
            "4.1.9",
        )
    if state.war not in (*c.wars, ""):
        yield _problem(f"there is no war {state.war}", "7.0")
    elif state.war and not 0 <= state.theater <= len(c.wars[state.war].theaters):
        yield _problem(f"theater {state.theater} of {state.war}", "7.1")


def _flags(table: Table) -> Iterator[RejectionReason]:
    c, flags = table.c, table.state.flags
    if set(flags) != set(c.spaces):
        yield _problem("spaces were lost or added", "3.2")
        return
    for space, owner in flags.items():
        if owner not in (NOBODY, *SEATS, USA, SPAIN):
            yield _problem(f"{space}: flag {owner}", "3.2.7")
        elif owner == USA and c.spaces[space].type != "territory":
            yield _problem(f"{space}: a USA flag outside the Territories", "10")


def _markers(table: Table) -> Iterator[RejectionReason]:
    c, state = table.c, table.state
    for space, kind in state.conflicts.items():
        if c.spaces[space].type not in ("market", "political") or kind not in (1, 2):
            yield _problem(f"{space}: no place for Conflict marker {kind}", "3.8")
    for space in state.damaged:
        if c.spaces[space].type != "fort" or not state.flags[space]:
            yield _problem(f"{space}: damaged, but no Fort", "3.2.5")
    if len(set(state.damaged)) != len(state.damaged):
        yield _problem("a Fort is damaged twice", "3.2.5")
    for space in state.huguenots:
        if c.spaces[space].type != "territory" or state.flags[space] == BRITAIN:
            yield _problem(f"{space}: Huguenots", "M-9")


def _sides(table: Table) -> Iterator[RejectionReason]:
    c, state = table.c, table.state
    for seat, side in state.sides.items():
        if not 0 <= side.debt <= max(side.limit, 0):
            yield _problem(f"{seat}: Debt {side.debt} of {side.limit}", "6.3")
        if side.trp < 0:
            yield _problem(f"{seat}: {side.trp} Treaty Points", "9")
        at_sea = sum(1 for space in c.of_type["naval"] if state.flags[space] == seat)
        held = side.box + side.unbuilt + side.aside + at_sea
        if min(side.box, side.unbuilt, side.aside) < 0 or held > c.limits["squadrons"]:
            yield _problem(f"{seat}: {held} Squadrons", "3.6")
        if not set(side.revealed) <= set(side.ministries):
            yield _problem(f"{seat}: a Ministry card is face up but not in play", "3.5")


def _cards(table: Table) -> Iterator[RejectionReason]:
    c, state = table.c, table.state
    held = Counter([*state.draw, *state.discards])
    for side in state.sides.values():
        held.update(side.hand)
        for card in side.ministries:
            if c.ministries[card].side != FRANCE and side is state.sides[FRANCE]:
                yield _problem(f"{card} isn't a French card", "3.5")
    held.update(key for key in state.removed if key in c.events)
    for key, count in held.items():
        if count > 1 or key not in c.events:
            yield _problem(f"{count} copies of Event {key}", "3.4")


def _investments(table: Table) -> Iterator[RejectionReason]:
    state = table.state
    held = Counter([*state.stack, *state.spent, *state.display])
    for side in state.sides.values():
        held.update(side.tiles)
    if held != Counter(list(table.c.investments)):
        yield _problem("Investment tiles were lost or added", "4.1.6")


def _war_tiles(table: Table) -> Iterator[RejectionReason]:
    c, state = table.c, table.state
    gone = [key for key in state.removed if key in c.war_tiles]
    for seat, side in state.sides.items():
        lying = [key for sides in state.theaters.values() for key in sides[seat]]
        basic = Counter([*side.basic, *(key for key in [*lying, *gone] if not c.war_tiles[key].war)])
        if basic - Counter(c.basic_tiles(seat)) - Counter(c.basic_tiles(OTHER[seat])):
            yield _problem(f"{seat}: a basic War tile twice", "3.7")
        bonus = Counter([*side.bonus, *(key for key in lying if c.war_tiles[key].war)])
        if state.war and bonus - Counter(c.bonus_tiles(seat, state.war)):
            yield _problem(f"{seat}: Bonus tiles of another war, or twice", "3.7")
        for theater, sides in state.theaters.items():
            if sum(1 for key in sides[seat] if c.war_tiles[key].war) > c.limits["bonus_per_theater"]:
                yield _problem(f"{seat}: too many Bonus tiles in {theater}", "5.6.1")


def _advantages(table: Table) -> Iterator[RejectionReason]:
    state = table.state
    for key, tile in table.c.advantages.items():
        owners = {state.flags[space] for space in tile.spaces}
        holder = next(iter(owners)) if len(owners) == 1 else NOBODY
        if state.advantages[key] != (holder if holder in SEATS else NOBODY):
            yield _problem(f"{key} is held by {state.advantages[key] or 'nobody'}, against the flags", "8.1")


def _problem(text: str, rule: str) -> RejectionReason:
    return RejectionReason("rules.custom", {"text": text}, rule)
