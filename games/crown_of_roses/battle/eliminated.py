"""The fate of eliminated blocks (8.2, 20.6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from games.crown_of_roses.battle.cards import fight_of
from games.crown_of_roses.battle.losses import henry_dies
from games.crown_of_roses.battle.plans import asked_for_cards
from games.crown_of_roses.blocks import eliminate
from games.crown_of_roses.query import in_play
from games.crown_of_roses.response_points import AFTERMATH, offer
from games.crown_of_roses.state import ASIDE, OUT, UNAVAILABLE, Battle
from games.crown_of_roses.table import Table
from pbem.kernel.game import Play


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
