"""Line combat (20.5.2): all blocks of both battle forces roll, but for heirs who charged."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from games.crown_of_roses.battle.cards import fight_of
from games.crown_of_roses.battle.dice import BlockRoll, reroll, roll_for
from games.crown_of_roses.battle.forces import line_of
from games.crown_of_roses.battle.losses import Hits, take
from games.crown_of_roses.battle.plans import asked_for_cards
from games.crown_of_roses.response_points import LINE, CardEffect, offer
from games.crown_of_roses.state import Battle
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.game import Play

KIT.chapter("20.5.2", "line combat", "battle/line.py")


class _Bonus(msgspec.Struct):
    """The dice of allies: hits for the force, and hits for one block (card 27)."""

    hits: int = 0
    aimed: list[str] = []


def line_combat(table: Table, battle: Battle, charged: Sequence[str]) -> Play:
    """Roll allies first, then the attacker's dice, the defender's, and apply all hits at the same time (20.5.2)."""
    pair = (battle.attacker, battle.defender)
    moment = yield from offer(
        table, LINE, {"place": battle.place, "attacker": pair[0], "defender": pair[1], "round": battle.round},
        fight=fight_of(table, battle),
        touches=asked_for_cards(battle, pair),
    )  # fmt: skip
    battle.watch = battle.watch or bool(moment.of("garrison"))
    rolls: list[BlockRoll] = []
    allies: dict[str, _Bonus] = {}
    for house in pair:
        line = [key for key in line_of(table, battle, battle.sides[house]) if key not in charged]
        rolls += [roll_for(table, battle, house, key, 0) for key in line]
        allies[house] = _bonus(table, house, moment.of("dice"))
    yield from reroll(table, battle, rolls)
    hits = {}
    for house, enemy in (pair, pair[::-1]):
        own = sum(rolled.hits for rolled in rolls if rolled.house == house)
        hits[enemy] = Hits(own + allies[house].hits, allies[house].aimed)
        table.log("battle.total", rule="20.5.2", house=house, count=hits[enemy].count + len(hits[enemy].aimed))
    yield from take(table, battle, hits)


def _bonus(table: Table, house: str, effects: Sequence[CardEffect]) -> _Bonus:
    """Return the dice that allies of a house add to this round; those of a targeted kind hit their target alone."""
    found = _Bonus()
    for effect in effects:
        if effect.side != house or not effect.count:
            continue
        fell = table.roll(
            effect.count, "battle.ally_roll", rule="20.5.2", house=house, card=effect.card, need=effect.hits_on
        ).dice
        scored = [die >= effect.hits_on for die in fell]
        if effect.target:
            # Card 27: the last die is the one against the Earl of Devon.
            found.aimed += [effect.target] * scored.pop()
        found.hits += sum(scored)
    return found
