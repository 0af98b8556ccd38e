"""The board: queries and all changes (3.2, 3.6, 3.8, 6.0, 8.1).

Each change writes its own log line. Cards, wars and purchases change flags, markers, Debt and Treaty Points through
these functions only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from games.imperial_struggle.components import StruggleComponents
from games.imperial_struggle.state import BRITAIN, FRANCE, NOBODY, OTHER, SEATS, USA, Pool, StruggleState
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Rule
from pbem.kernel.kit import QuestionKind
from pbem.kernel.rejections import RejectionReason

KIT.chapter("3.2.1", "Political spaces, eras", "board.py")
KIT.chapter("3.2.4", "Naval spaces, Prestige", "board.py")
KIT.chapter("3.2.5", "Forts", "board.py")
KIT.chapter("3.2.8", "flag terms, Protection", "board.py")
KIT.chapter("3.6", "Squadrons", "board.py", "military.py")
KIT.chapter("3.8", "Conflict markers as a filter", "board.py")
KIT.chapter("3.8.2", "Conflict markers removed", "board.py")
KIT.chapter("8.1", "taking and losing Advantages", "board.py")
KIT.chapter("10", "USA flags", "board.py", "wars/fight.py")

# -- questions ---------------------------------------------------------------------------------------------------


def active(state: StruggleState, seat: str, ministry: str) -> bool:
    """Return whether this Ministry card of `seat` is in play and face up (3.5)."""
    return ministry in state.sides[seat].revealed


def counts(state: StruggleState, seat: str, space: str) -> bool:
    """Return whether `seat` holds a space that has no Conflict marker: only such spaces count for anything (3.8)."""
    return state.flags[space] == seat and space not in state.conflicts


def flags_in(state: StruggleState, seat: str, spaces: Iterable[str]) -> int:
    """Return how many of `spaces` count for `seat` (flags and Squadrons, no Conflict marker)."""
    flags, conflicts = state.flags, state.conflicts
    return len([space for space in spaces if flags[space] == seat and space not in conflicts])


def tally(state: StruggleState, spaces: Iterable[str]) -> tuple[int, int]:
    """Return how many of `spaces` count for Britain and for France (3.8)."""
    flags, conflicts = state.flags, state.conflicts
    britain = france = 0
    for space in spaces:
        owner = flags[space]
        if owner == BRITAIN:
            britain += space not in conflicts
        elif owner == FRANCE:
            france += space not in conflicts
    return britain, france


def usa_on_map(state: StruggleState) -> bool:
    """Return whether there is a USA flag (10)."""
    return USA in state.flags.values()


def in_play(table: Table, space: str) -> bool:
    """Return whether a space may be used already (3.2.1, 10)."""
    available = table.c.spaces[space].available
    if available == "always":
        return True
    # 3.2.1: Prussia's two with the Empire Era, the Sons of Liberty with the Revolution Era, the USA's after its war.
    turn = table.state.turn
    if available == "empire":
        return turn >= 3
    if available == "revolution":
        return turn >= 5
    return turn == 6 and usa_on_map(table.state)


def markable(table: Table, space: str) -> bool:
    """Return whether a Conflict marker may be put here (3.8): a Market or Political space in play without one."""
    return (
        table.c.spaces[space].type in ("market", "political")
        and space not in table.state.conflicts
        and in_play(table, space)
    )


def protected(table: Table, space: str) -> bool:
    """Return whether the flag here is Protected: by its owner's own connected Squadron or undamaged Fort (3.2.8)."""
    state = table.state
    owner = state.flags[space]
    if owner not in SEATS:
        return False
    flags, damaged = state.flags, state.damaged
    for guard in table.c.guards[space]:  # noqa: SIM110 - at every price: a generator costs several times as much
        if flags[guard] == owner and guard not in damaged:
            return True
    return False


def squadrons(
    state: StruggleState, c: StruggleComponents, seat: str, regions: Sequence[str] | None = None
) -> list[str]:
    """Return the Naval spaces where `seat` has a Squadron, in `regions` or anywhere."""
    flags = state.flags
    there = c.of_type["naval"] if regions is None else lying_in(c, "naval", tuple(regions))
    return [space for space in there if flags[space] == seat]


@lru_cache(maxsize=256)
def lying_in(c: StruggleComponents, kind: str, regions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the spaces of one type in these Regions."""
    return tuple(space for space in c.of_type[kind] if c.region[space] in regions)


def available_debt(state: StruggleState, seat: str) -> int:
    """Return Debt Limit minus Debt (6.4)."""
    side = state.sides[seat]
    return side.limit - side.debt


def prestige(table: Table, seat: str) -> int:
    """Return how many Prestige spaces count for `seat`, those of the USA too while in play (3.2.4, 4.1.12, 11)."""
    flags, conflicts = table.state.flags, table.state.conflicts
    return len(
        [
            space
            for space in table.c.prestige
            if flags[space] == seat and space not in conflicts and in_play(table, space)
        ]
    )


def advantage_ready(table: Table, seat: str, advantage: str) -> bool:
    """Return whether `seat` holds the Advantage, not new this round (8.2) nor blocked by a marker (8.1)."""
    state = table.state
    if state.advantages[advantage] != seat:
        return False
    if state.round is not None and advantage in state.round.acquired:
        return False
    return not blocked(table, advantage)


def blocked(table: Table, advantage: str) -> bool:
    """Return whether a Conflict marker is on a space that feeds the Advantage (8.1)."""
    conflicts = table.state.conflicts
    for space in table.c.advantages[advantage].spaces:  # noqa: SIM110 - at every shift: a generator costs more
        if space in conflicts:
            return True
    return False


def advantage_usable(table: Table, seat: str, advantage: str) -> bool:
    """Return whether `seat` can use the Advantage now (8.2)."""
    state, c = table.state, table.c
    now = state.round
    if now is None or state.advantages[advantage] != seat:
        return False
    # #6, #33: an Event frees it from all limits but a Conflict marker.
    if f"free:{advantage}" in now.marks:
        return not blocked(table, advantage)
    # 8.1: once a turn.
    if advantage in state.exhausted:
        return False
    # 8.2: two a round, one in each Region.
    if len(now.used) >= c.limits["advantages"]:
        return False
    if now.used:
        region = c.advantages[advantage].region
        if any(c.advantages[used].region == region for used in now.used):
            return False
    return advantage_ready(table, seat, advantage)


# -- flags -------------------------------------------------------------------------------------------------------


def set_flag(table: Table, space: str, owner: str) -> None:
    """Change the flag of a space, its marker and Advantages at once, without a log line (3.8.2, 8.1)."""
    state = table.state
    before = state.flags[space]
    if before == owner:
        return
    state.flags[space] = owner
    state.conflicts.pop(space, None)
    now = state.round
    if now is not None:
        if space not in now.changed:
            now.changed.append(space)
        if space in now.isolated:
            now.isolated.remove(space)
    if not owner and space in state.damaged:
        state.damaged.remove(space)
    if owner == BRITAIN and space in state.huguenots:
        del state.huguenots[space]
        table.log("huguenots.gone", rule="M-9", space=space)
    for advantage in table.c.fed.get(space, ()):
        _hand_over(table, advantage)
    if owner:
        KIT.fire("flag_set", table, space, owner)


def _hand_over(table: Table, advantage: str) -> None:
    """Take and give an Advantage the instant the flags change (8.1); an Exhausted one stays so."""
    state = table.state
    spaces = table.c.advantages[advantage].spaces
    holder = state.flags[spaces[0]]
    if holder not in SEATS or any(state.flags[space] != holder for space in spaces):
        holder = NOBODY
    before = state.advantages[advantage]
    if holder == before:
        return
    state.advantages[advantage] = holder
    if holder:
        table.log("advantage.taken", rule="8.1", seat=holder, advantage=advantage)
        if state.round is not None:
            state.round.acquired.append(advantage)
    else:
        table.log("advantage.lost", rule="8.1", seat=before, advantage=advantage)


def flag(table: Table, seat: str, space: str, rule: str) -> None:
    """Put an own flag on an empty space (3.2.8)."""
    table.log("flag.placed", rule=rule, seat=seat, space=space)
    set_flag(table, space, seat)


def unflag(table: Table, space: str, rule: str) -> None:
    """Remove the flag of a space (3.2.8). A Squadron goes to its Navy Box."""
    owner = table.state.flags[space]
    if table.c.spaces[space].type == "naval":
        to_navy_box(table, space, rule)
        return
    if owner:
        table.log("flag.removed", rule=rule, seat=owner, space=space)
        set_flag(table, space, NOBODY)


def shift(table: Table, seat: str, space: str, rule: str) -> None:
    """Remove the other flag if there is one, else place an own one (3.2.8)."""
    if table.state.flags[space]:
        unflag(table, space, rule)
    else:
        flag(table, seat, space, rule)


def take_control(table: Table, seat: str, space: str, rule: str) -> None:
    """Replace any other flag by an own one (3.2.8)."""
    if table.state.flags[space] not in (NOBODY, seat):
        unflag(table, space, rule)
    if table.state.flags[space] != seat:
        flag(table, seat, space, rule)


def shiftable(table: Table, seat: str, space: str) -> bool:
    """Return whether an effect could shift this space: a Market or Political space in play, not one's own (3.2.8)."""
    return (
        table.state.flags[space] != seat
        and table.c.spaces[space].type in ("market", "political")
        and in_play(table, space)
    )


# -- Conflict markers, Forts, Squadrons --------------------------------------------------------------------------


def place_conflict(table: Table, space: str, rule: str, *, plus: bool = False) -> None:
    """Put a Conflict marker on a space that can take one (3.8.1)."""
    table.state.conflicts[space] = 2 if plus else 1
    table.log("conflict.placed", rule=rule, space=space, plus=plus)


def remove_conflict(table: Table, space: str, rule: str) -> None:
    """Remove a Conflict marker (3.8.2)."""
    if table.state.conflicts.pop(space, 0):
        table.log("conflict.removed", rule=rule, space=space)


def damage(table: Table, space: str, rule: str) -> None:
    """Damage a Fort (3.2.5)."""
    if space not in table.state.damaged:
        table.state.damaged.append(space)
        table.log("fort.damaged", rule=rule, seat=table.state.flags[space], space=space)


def damage_repaired(table: Table, space: str, rule: str) -> None:
    """Repair a Fort (5.6.4)."""
    table.state.damaged.remove(space)
    table.log("fort.repaired", rule=rule, seat=table.state.flags[space], space=space)


def to_navy_box(table: Table, space: str, rule: str) -> None:
    """Send the Squadron in a Naval space to its owner's Navy Box."""
    owner = table.state.flags[space]
    if owner in SEATS:
        table.log("squadron.returned", rule=rule, seat=owner, space=space)
        table.state.sides[owner].box += 1
        set_flag(table, space, NOBODY)


def construct(table: Table, seat: str, rule: str) -> bool:
    """Move a Squadron from Unbuilt to the Navy Box (3.6, 5.6.5). Returns False if none is left."""
    side = table.state.sides[seat]
    if side.unbuilt < 1:
        return False
    side.unbuilt -= 1
    side.box += 1
    table.log("squadron.built", rule=rule, seat=seat)
    return True


def take_squadron(table: Table, seat: str, space: str) -> None:
    """Take an own Squadron from the map, or from the Navy Box if `space` is `box`, without a log line."""
    if space == "box":
        table.state.sides[seat].box -= 1
    else:
        set_flag(table, space, NOBODY)


def set_aside(table: Table, seat: str, space: str, rule: str) -> None:
    """Set a Squadron (on a Naval space, or `box`) aside on the Turn Track until the next Reset Phase."""
    take_squadron(table, seat, space)
    table.state.sides[seat].aside += 1
    table.log("squadron.aside", rule=rule, seat=seat, space=space)


def lose_squadron(table: Table, seat: str, space: str, rule: str, *, unbuilt: bool = False) -> None:
    """Remove a Squadron (on a Naval space, or `box`) from the game, or return it to Unbuilt."""
    take_squadron(table, seat, space)
    if unbuilt:
        table.state.sides[seat].unbuilt += 1
    table.log("squadron.unbuilt" if unbuilt else "squadron.lost", rule=rule, seat=seat, space=space)


def own_squadrons(table: Table, seat: str) -> list[str]:
    """Return where `seat` has Squadrons: Naval spaces, and `box` if there is one in the Navy Box."""
    places = squadrons(table.state, table.c, seat)
    return [*places, "box"] if table.state.sides[seat].box else places


# -- Victory Points, Debt, Treaty Points, Action Points ----------------------------------------------------------


def score(table: Table, seat: str, vp: int, why: str, rule: str, **about: Any) -> None:
    """Move the one VP marker: up for France, down for Britain (3.10). `why` is a message key."""
    if vp > 0:
        table.state.vp += vp if seat == FRANCE else -vp
        table.log(why, rule=rule, seat=seat, vp=vp, total=table.state.vp, **about)


def gain_trp(table: Table, seat: str, points: int, why: str, rule: str, **about: Any) -> None:
    """Add Treaty Points (9)."""
    if points > 0:
        side = table.state.sides[seat]
        side.trp += points
        table.log(why, rule=rule, seat=seat, trp=points, total=side.trp, **about)


def lose_trp(table: Table, seat: str, points: int, why: str, rule: str) -> None:
    """Take Treaty Points away."""
    side = table.state.sides[seat]
    points = min(points, side.trp)
    if points > 0:
        side.trp -= points
        table.log(why, rule=rule, seat=seat, trp=points, total=side.trp)


def reduce_debt(table: Table, seat: str, points: int, why: str, rule: str) -> int:
    """Lower Debt, not below 0. Returns the reduction."""
    side = table.state.sides[seat]
    if done := min(points, side.debt):
        side.debt -= done
        table.log(why, rule=rule, seat=seat, debt=done, total=side.debt)
    return done


def forced_debt(table: Table, seat: str, points: int, why: str, rule: str) -> None:
    """Add Debt forced on `seat`; what exceeds the limit scores for the other side (6.3 b).

    James Watt (M-19) keeps France from scoring for British excess.
    """
    side = table.state.sides[seat]
    taken = min(points, side.limit - side.debt)
    side.debt += taken
    table.log(why, rule=rule, seat=seat, debt=taken, total=side.debt)
    excess = points - taken
    if excess and not (seat == BRITAIN and active(table.state, BRITAIN, "james-watt")):
        score(table, OTHER[seat], excess, "debt.excess", "6.3")


def change_limit(table: Table, seat: str, by: int, rule: str) -> None:
    """Raise or lower a Debt Limit (6.3 a)."""
    side = table.state.sides[seat]
    side.limit = max(0, side.limit + by)
    table.log("debt.limit", rule=rule, seat=seat, limit=side.limit)


def grant(
    table: Table, seat: str, ap: str, points: int, limit: str = "", *, source: str = "event", action: str = "any",
    opens: bool = True, rule: str = "5.2",
) -> None:  # fmt: skip
    """Grant Action Points for this round (5.2). `ap` is their type; `action`, `limit` and `opens` as in `Pool`."""
    now = table.state.round
    if points > 0 and now is not None:
        now.pools.append(Pool(ap, points, action, limit, opens, source))
        table.log("points.granted", rule=rule, seat=seat, type=ap, points=points, limit=limit, source=source)


def exhaust_advantage(table: Table, seat: str, advantage: str) -> None:
    """Exhaust an Advantage until the next Reset Phase; no Event can be played after that (8.2)."""
    now = table.state.round
    if now is not None and f"free:{advantage}" in now.marks:
        now.marks.remove(f"free:{advantage}")
        table.log("advantage.used", rule="8.2", seat=seat, advantage=advantage)
        return
    table.state.exhausted.append(advantage)
    if now is not None:
        now.used.append(advantage)
        now.event_over = True
    table.log("advantage.used", rule="8.2", seat=seat, advantage=advantage)
    KIT.fire("advantage_exhausted", table, seat, advantage)


# -- choosing ----------------------------------------------------------------------------------------------------


def ask_space(
    table: Table, seat: str, question: QuestionKind, spaces: Sequence[str], rule: str, *, optional: bool = False,
    why: Callable[[str], RejectionReason | None] | None = None, **about: Any,
) -> Rule[str]:  # fmt: skip
    """Ask `seat` for one of `spaces` (all public), if there is a choice. Returns "" if there is none.

    `optional` adds `none`, which also gives "". `why` says why another space can't be chosen.
    """
    if not spaces:
        return ""
    options = [*spaces, "none"] if optional else list(spaces)
    default = "none" if optional else spaces[0]
    ask = question(seat, Choice(options, "space", why), default, rule=rule, **about)
    if len(options) == 1:
        return table.only(ask, spaces[0])
    answer = yield from ask
    return "" if answer == "none" else answer
