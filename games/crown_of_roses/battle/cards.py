"""Surprise cards and allies in battle (10.4.4, 14.2.2), and the fate of eliminated blocks (8.2, 20.6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from games.crown_of_roses.battle.forces import everything, present
from games.crown_of_roses.battle.losses import choose_hosts, henry_dies, pass_garrison, rehome, remove_block
from games.crown_of_roses.battle.plans import asked_for_cards
from games.crown_of_roses.battle.retreat import retreat_paths
from games.crown_of_roses.blocks import eliminate
from games.crown_of_roses.query import in_play, is_heir
from games.crown_of_roses.response_points import AFTERMATH, Fight, ResponsePoint, offer
from games.crown_of_roses.state import ASIDE, OUT, UNAVAILABLE, Battle
from games.crown_of_roses.table import Table
from pbem.kernel.game import Play, Rule


def fight_of(table: Table, battle: Battle, fallen: Sequence[str] = ()) -> Fight:
    """Return the engagement as cards see it."""
    pair = (battle.attacker, battle.defender)
    blocks = table.state.blocks
    return Fight(
        battle.place, *pair,
        force={house: list(battle.sides[house].force) for house in pair},
        reserve={house: list(battle.sides[house].reserve) for house in pair},
        paths={house: retreat_paths(table, battle, house) for house in pair},
        seen=[key for house in pair for key in present(battle.sides[house]) if blocks[key].shown],
        fallen=list(fallen),
    )  # fmt: skip


def response(table: Table, battle: Battle, name: str) -> Rule[ResponsePoint]:
    """Open a response point of the engagement and execute its effects on the sides. Returns the `ResponsePoint`."""
    pair = (battle.attacker, battle.defender)
    about: dict[str, object] = {"place": battle.place, "attacker": pair[0], "defender": pair[1]}
    if name == "round":
        about["round"] = battle.round
    moment = yield from offer(table, name, about, fight=fight_of(table, battle), touches=asked_for_cards(battle, pair))
    for effect in moment.of("inspire"):
        named = table.c.cards[effect.card].params.leader_any
        battle.inspired += [key for key in named if key in battle.sides[effect.side].force]
    joined = {key: effect.side for effect in moment.of("reserve") for key in effect.blocks}
    reconcile(table, battle, joined)
    for effect in moment.of("guests"):
        shown = [key for key in effect.blocks if table.state.blocks[key].shown]
        battle.sides[effect.side].guests += shown  # a question about others would show that they are there
    for side in battle.sides.values():
        yield from choose_hosts(table, battle, side)
    return moment


def reconcile(table: Table, battle: Battle, joined: dict[str, str] | None = None) -> None:
    """Apply cards: remove blocks that left, put those that joined in reserve, find hosts again."""
    state = table.state
    for house in (battle.attacker, battle.defender):
        side = battle.sides[house]
        here = everything(table, battle, house)
        theirs = [*present(side), *side.waiting]
        lost = [key for key in theirs if key not in here]
        for key in lost:
            remove_block(side, key)
        if side.leader in lost:
            side.leader = ""
        side.reserve += [key for key in here if key not in theirs and (joined or {}).get(key, house) == house]
        if house not in battle.heirs and any(is_heir(state, key) for key in here):
            battle.heirs.append(house)
        battle.blocks += [key for key in here if key not in battle.blocks]
        for key in present(side):
            kind = table.c.blocks[key].kind
            if kind == "mercenary" and not state.blocks[key].host:
                rehome(table, side, key)
        if state.garrison.host in lost:
            pass_garrison(table, side)


def immediate(table: Table, battle: Battle, fallen: Sequence[str]) -> Play:
    """Roll at once, at -2, for blocks that fell to a charge (20.5.1)."""
    modifier = table.c.numbers.elimination.charge
    yield from _settle(table, battle, list(fallen), dict.fromkeys(battle.sides, modifier))


def fates(table: Table, battle: Battle, retreated: str = "") -> Play:
    """Roll for all eliminated nobles of both sides after an engagement, the attacker's first (20.6.1).

    +1 for those whose enemy retreated with a block that was left (R-50).
    """
    bonus = table.c.numbers.elimination.enemy_retreated
    pair = (battle.attacker, battle.defender)
    modifiers = {house: bonus if retreated and retreated != house else 0 for house in pair}
    blocks = table.state.blocks
    fallen = [key for house in pair for key in battle.sides[house].gone if blocks[key].at == ASIDE]
    yield from _settle(table, battle, fallen, modifiers)


def _settle(table: Table, battle: Battle, fallen: list[str], modifiers: dict[str, int]) -> Play:
    """Apply cards that spare them, then roll for each. A host who is killed takes Henry VI with them (10.3.3)."""
    if not fallen:
        return
    state = table.state
    moment = yield from offer(
        table, AFTERMATH, {"place": battle.place}, fight=fight_of(table, battle, fallen),
        touches=asked_for_cards(battle, list(dict.fromkeys(state.blocks[key].owner for key in fallen))),
    )  # fmt: skip
    for effect in moment.of("spared"):
        fallen = [key for key in fallen if key not in effect.blocks]
    for house in (battle.attacker, battle.defender):
        side = battle.sides[house]
        for key in [key for key in side.gone if key in fallen and state.blocks[key].at == ASIDE]:
            fate = eliminate(table, key, modifiers[house])
            killed = fate in (OUT, UNAVAILABLE)
            if killed and key in side.wards and in_play(table, "henry_vi"):
                henry_dies(table, side)
        side.gone = [key for key in side.gone if state.blocks[key].at == ASIDE]
