"""The 22 Advantage tiles in use (8.2): Conflict markers, cheaper removals, cheaper Squadrons, Debt, Naval Bastion.

Taking and losing them follows the flags (`board.set_flag`, 8.1). Those that make a purchase cheaper are named in that
purchase (`shift albany using=wheat`); the others have the word `advantage`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import NotRequired

from games.imperial_struggle import action_points, board, costs, purchases
from games.imperial_struggle.components import Advantage, StruggleComponents
from games.imperial_struggle.invariants import invariants
from games.imperial_struggle.refusals import BUILDERS, reason
from games.imperial_struggle.state import MILITARY, OTHER, ActionRound
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.corrections import manual
from pbem.kernel.domains import Choice, Domain, Form
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("8.2", "using Advantages", "advantages.py", "costs.py")
_where = KIT.question("advantage_space", "8.2")
MARK, DEBT, BOUNCE, BUILD = "place-conflict", "reduce-debt", "bounce-squadron", "build-squadron"
WORD_KINDS = (MARK, DEBT, BOUNCE)
BASTION = action_points.Purchase(MILITARY, 1, "bounce", removes=True)
"""Naval Bastion: 1 MP that removes a Squadron, so that a Minor Action can't pay it (5.3.2)."""
SLAVING = "slaving-contracts"


class AdvantageUse(action_points.Payment):
    """An Advantage, the space it works on, and how Naval Bastion is paid."""

    advantage: str
    space: NotRequired[str]


@lru_cache(maxsize=64)
def places(c: StruggleComponents, key: str) -> tuple[str, ...]:
    """Return the spaces that the tile names."""
    return tuple(space for space in c.spaces if _speaks_of(c, c.advantages[key], space))


def _speaks_of(c: StruggleComponents, advantage: Advantage, space: str) -> bool:
    target, place = advantage.target, c.spaces[space]
    kinds = ("market", "political") if target.space_type == "market-or-political" else (target.space_type,)
    return (
        place.type in kinds
        and target.region in ("", place.region)
        and target.subregion in ("", place.subregion)
        and target.commodity in ("", place.commodity)
        and (not target.countries or place.country in target.countries)
        and (not target.spaces or space in target.spaces)
        and (not target.alliance_only or place.alliance)
    )


def targets(table: Table, seat: str, key: str) -> list[str]:
    """Return targets of the Advantage now: spaces for a marker, opposing Squadrons; [] if it needs no space."""
    advantage = table.c.advantages[key]
    if advantage.kind == BOUNCE:
        return board.squadrons(table.state, table.c, OTHER[seat])
    if advantage.kind != MARK:
        return []
    return list(_markable(table, advantage))


def _markable(table: Table, advantage: Advantage) -> Iterator[str]:
    loose = advantage.target.unprotected
    for space in places(table.c, advantage.id):
        if board.markable(table, space) and not (loose and board.protected(table, space)):
            yield space


def useful(table: Table, seat: str, key: str) -> bool:
    """Return whether using it would have any effect by itself."""
    advantage = table.c.advantages[key]
    if advantage.kind == MARK:
        return next(_markable(table, advantage), None) is not None
    return advantage.kind != BOUNCE or bool(targets(table, seat, key))


def held(table: Table, seat: str, *, fresh: bool) -> list[str]:
    """Return the Advantages of `seat` that no Conflict marker blocks. `fresh`: also those taken this round."""
    now = table.state.round
    acquired = [] if fresh or now is None else now.acquired
    mine = [key for key, holder in table.state.advantages.items() if holder == seat]
    return [key for key in mine if key not in acquired and not board.blocked(table, key)]


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer `advantage <tile> [space]`: once the tile of the round is taken, two a round (8.2)."""
    if not now.tile or len(now.used) >= table.c.limits["advantages"]:
        return
    held_by = table.state.advantages
    for key in _worded(table.c):
        if held_by[key] == now.seat:
            words.append("advantage")
            return


def _find(table: Table, seat: str) -> purchases.Affordable[list[str]] | None:
    purses, held_by = action_points.PointPools(table, seat), table.state.advantages
    found = [key for key in _worded(table.c) if held_by[key] == seat and _ready(table, seat, key, purses)]
    return purchases.Affordable(purses, found) if found else None


@lru_cache(maxsize=16)
def _worded(c: StruggleComponents) -> tuple[str, ...]:
    return tuple(key for key, tile in c.advantages.items() if tile.kind in WORD_KINDS)


def _ready(table: Table, seat: str, key: str, purses: action_points.PointPools) -> bool:
    kind = table.c.advantages[key].kind
    if not board.advantage_usable(table, seat, key) or not useful(table, seat, key):
        return False
    if kind == DEBT:
        return bool(table.state.sides[seat].debt)
    return kind != BOUNCE or purses.pay(BASTION)


def unusable(table: Table, seat: str, key: str) -> RejectionReason | None:
    """Return why `seat` can't use an Advantage now, in the order of `board.advantage_usable` (8.1, 8.2), or None."""
    state, c = table.state, table.c
    now = state.now
    if board.advantage_usable(table, seat, key):
        return None
    holder = state.advantages[key]
    if holder != seat:
        return because("advantage_held", "8.1", advantage=key, holder=holder)
    if f"free:{key}" not in now.marks:
        if key in state.exhausted:
            return because("advantage_exhausted", "8.1", advantage=key)
        if len(now.used) >= c.limits["advantages"]:
            return because("advantages_used", "8.2", most=c.limits["advantages"])
        region = c.advantages[key].region
        used = [other for other in now.used if c.advantages[other].region == region]
        if used:
            return because("advantage_region", "8.2", advantage=key, used=used[0], region=region)
        if key in now.acquired:
            return because("advantage_fresh", "8.2", advantage=key)
    markers = [space for space in c.advantages[key].spaces if space in state.conflicts]
    return because("advantage_blocked", "8.1", advantage=key, space=markers[0])


def _idle(table: Table, seat: str, key: str) -> RejectionReason | None:
    """Return why an Advantage can't be used with the word `advantage` (8.2)."""
    advantage = table.c.advantages[key]
    if advantage.kind not in WORD_KINDS:
        return because("advantage_by" if advantage.kind == BUILD else "advantage_using", "8.2", advantage=key)
    problem = unusable(table, seat, key)
    if problem is not None:
        return problem
    if advantage.kind == DEBT:
        return None if table.state.sides[seat].debt else because("no_debt", "8.2", advantage=key)
    if not useful(table, seat, key):
        return because("no_target", "8.2", advantage=key)
    return purchases.unpaid(table, seat, BASTION) if advantage.kind == BOUNCE else None


@reason("advantage")
def _no_advantage(table: Table, seat: str) -> RejectionReason | None:
    """Return why no Advantage can be used: what bars the one that is held, or each of several (8.2)."""
    most = table.c.limits["advantages"]
    if len(table.state.now.used) >= most:
        return because("advantages_used", "8.2", most=most)
    mine = [key for key in _worded(table.c) if table.state.advantages[key] == seat]
    if not mine:
        return because("no_advantage", "8.1")
    barred = {key: problem for key in mine if (problem := _idle(table, seat, key)) is not None}
    if len(barred) == 1:
        return next(iter(barred.values()))
    by = {name: [key for key, bar in barred.items() if bar.key == f"no.{name}"] for name in _BARS}
    other = [key for key in barred if not any(key in keys for keys in by.values())]
    return because("no_advantages", "8.2", **by, other=other)


_BARS = ("advantage_exhausted", "advantage_region", "advantage_fresh", "advantage_blocked")
"""What bars an Advantage by 8.1 and 8.2, independent of its effect."""


def _no_place(table: Table, key: str, space: str) -> RejectionReason | None:
    """Return why an Advantage can't be used on a space (8.2)."""
    if space not in table.c.spaces:
        return None
    if table.c.advantages[key].kind == BOUNCE:
        return because("no_opposing_squadron", "8.2", space=space)
    if space not in places(table.c, key):
        return because("elsewhere", "8.2", advantage=key, space=space)
    if space in table.state.conflicts:
        return because("marked", "3.8", space=space)
    if not board.in_play(table, space):
        return because("later", "3.2.1", space=space)
    return because("protected", "8.2", what=key, space=space)


def _form(table: Table, seat: str, found: purchases.Affordable[list[str]]) -> Form[AdvantageUse]:
    kinds = {key: table.c.advantages[key].kind for key in found.what}

    def space(v: AdvantageUse) -> Domain[str] | None:
        key = v["advantage"]
        if kinds[key] == DEBT:
            return None
        return Choice(targets(table, seat, key), "space", partial(_no_place, table, key))

    def bounces(field: Callable[[AdvantageUse], Domain | None]) -> Callable[[AdvantageUse], Domain | None]:
        return lambda v: field(v) if kinds[v["advantage"]] == BOUNCE else None

    paid = purchases.payment_fields(found.purses, lambda v: BASTION) if BOUNCE in kinds.values() else {}
    return Form(
        {
            "advantage": Choice(found.what, "advantage", partial(_idle, table, seat)),
            "space": space,
            **{name: bounces(field) for name, field in paid.items()},
        }
    )


@KIT.action("advantage", "8.2", _find, _form)
def use(table: Table, seat: str, order: AdvantageUse) -> Play:
    """Exhaust the tile and execute it (8.2); if it is set to manual, the moderator does the rest."""
    key = order["advantage"]
    if table.c.advantages[key].kind == BOUNCE:
        action_points.pay(table, seat, BASTION, order)
    board.exhaust_advantage(table, seat, key)
    _effect(table, seat, key, order.get("space", ""), "8.2")
    if table.c.advantages[key].manual:
        yield from manual(table, key, seat, invariants, rule="8.2")


def _effect(table: Table, seat: str, key: str, space: str, rule: str) -> None:
    advantage = table.c.advantages[key]
    if advantage.kind == MARK:
        board.place_conflict(table, space, rule)
    elif advantage.kind == BOUNCE:
        board.to_navy_box(table, space, rule)
    elif advantage.kind == DEBT:
        board.reduce_debt(table, seat, advantage.target.amount, "advantages.debt", rule)


def use_free(table: Table, seat: str, key: str, rule: str) -> Play:
    """Use a tile by an Event (#6, #33). Those that need points may be used this round, free of limits."""
    advantage = table.c.advantages[key]
    if advantage.kind not in (MARK, DEBT):
        table.state.now.marks.append(f"free:{key}")
        return
    space = ""
    if advantage.kind == MARK:
        space = yield from board.ask_space(table, seat, _where, targets(table, seat, key), rule, advantage=key)
    _effect(table, seat, key, space, rule)


def _cheaper(key: str, *, to_one: bool) -> None:
    costs.ADVANTAGES[key] = (to_one, 0 if to_one else 1, lambda c: places(c, key))


for _key in ("wheat", "fruit", "rum", "silk", "textiles"):
    _cheaper(_key, to_one=False)
for _key in ("fur-trade", "german-diplomacy", "italy-influence", "silesia-negotiations"):
    _cheaper(_key, to_one=True)


@KIT.entry("squadron", SLAVING, board.advantage_usable)
def _slaving(table: Table, seat: str, key: str) -> None:
    """Build a Squadron for 2 MP with Slaving Contracts."""
    board.exhaust_advantage(table, seat, key)


BUILDERS[SLAVING] = lambda table, seat: unusable(table, seat, SLAVING)
