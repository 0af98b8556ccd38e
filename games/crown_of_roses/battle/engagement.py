"""An engagement: rounds until one side is gone or retreats (20.2, 20.4 to 20.5.5), and line combat (20.5.2)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from games.crown_of_roses.battle.battle_forces import choose, reveal, select
from games.crown_of_roses.battle.cards import fates, fight_of, reconcile, response
from games.crown_of_roses.battle.charges import charge
from games.crown_of_roses.battle.dice import BlockRoll, reroll, roll_for
from games.crown_of_roses.battle.forces import bring_up, everything, line_of, present
from games.crown_of_roses.battle.losses import (
    Hits,
    choose_hosts,
    disband_unhosted_mercenaries,
    remove_block,
    strays,
    take,
)
from games.crown_of_roses.battle.plans import asked_for_cards, offer_plans
from games.crown_of_roses.battle.retreat import driven_out, retreat, retreat_paths
from games.crown_of_roses.blocks import attach, can_host, dismiss, leave, update_garrisons
from games.crown_of_roses.options import chosen
from games.crown_of_roses.query import rank
from games.crown_of_roses.realm.victory import OVER, update_succession
from games.crown_of_roses.response_points import ENGAGEMENT, LINE, ROUND, CardEffect, ResponsePoint, offer
from games.crown_of_roses.state import INACTIVE, Battle, BattleSide
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import REACTION, AskAll

KIT.chapter("20.5.2", "line combat", "battle/engagement.py")
KIT.chapter("20.2", "engagements, plans, withdrawal", "battle/engagement.py", "battle/plans.py")
KIT.chapter("20.5.5", "who wins an engagement, optional rule", "battle/engagement.py", "options.py")

_prolong = KIT.question("prolong", "20.5.5", REACTION)

LOVE_DAY = "love_day"


def engagement(table: Table, battle: Battle) -> Rule[str]:
    """Fight one attacker against one defender (20.2). Returns the house that holds the field, "" if neither does."""
    pair = (battle.attacker, battle.defender)
    battle.round = 1
    table.log(
        "battle.engagement", rule="20.2", place=battle.place, attacker=pair[0], defender=pair[1],
        blocks=[len(everything(table, battle, house)) for house in pair],
    )  # fmt: skip
    gone = yield from _before(table, battle)
    over = yield from at_once(table, battle)
    if not gone and not over:
        gone = yield from _rounds(table, battle)
        if table.state.phase != OVER:
            yield from _conclude(table, battle, gone)
    for side in _sides(battle):
        side.leader, side.brought, side.plan, side.wards = "", "", {}, {}
        side.reserve, side.force = present(side), []
    update_garrisons(table, battle.place)
    return next((house for house in pair if house != gone and everything(table, battle, house)), "")


def _before(table: Table, battle: Battle) -> Rule[str]:
    """Check what may prevent an engagement (20.2, 20.5.4). Returns the house that leaves, "" if none does."""
    avoided = yield from offer_plans(table, battle)
    if avoided:
        table.log("battle.avoided", rule="20.2", house=avoided, place=battle.place, reveals=True)
        battle.heirs = [house for house in battle.heirs if house != avoided]
        yield from driven_out(table, battle, battle.sides[avoided])
        return avoided
    if LOVE_DAY in table.state.lasting:
        battle.fought = battle.fought or chosen(table, "called_off_victor")
        table.log("battle.love_day", rule="20.5.4", house=battle.attacker, place=battle.place)
        yield from driven_out(table, battle, battle.sides[battle.attacker])
        return battle.attacker
    moment = yield from response(table, battle, ENGAGEMENT)
    return (yield from _called_off(table, battle, moment))


def _called_off(table: Table, battle: Battle, moment: ResponsePoint) -> Rule[str]:
    """Let a card make a side with a path retreat (R-51). Returns its house, "" if the fight goes on."""
    for effect in moment.of("retreat"):
        if retreat_paths(table, battle, effect.side):
            battle.fought = battle.fought or chosen(table, "called_off_victor")
            yield from driven_out(table, battle, battle.sides[effect.side])
            return effect.side
    return ""


def _rounds(table: Table, battle: Battle) -> Rule[str]:
    """Fight the rounds (20.4). Returns the house that retreated, "" if the engagement ended otherwise."""
    while True:
        if battle.round > 1:
            yield from bring_up(table, battle)
        if not _both(battle):
            return ""
        gone = yield from _one_round(table, battle)
        if (yield from at_once(table, battle)) or gone or not (_both(battle) or (yield from _goes_on(table, battle))):
            return gone
        battle.round += 1


def _one_round(table: Table, battle: Battle) -> Rule[str]:
    """Fight one round: forces, cards, charges, line combat, and from the second on retreat (20.4, 20.5, R-48)."""
    table.log("battle.round", rule="20.4", round=battle.round, place=battle.place)
    yield from select(table, battle)
    moment = yield from response(table, battle, ROUND)
    gone = yield from _called_off(table, battle, moment)
    if gone:
        return gone
    yield from _form_again(table, battle)
    if _both(battle):
        battle.fought = True
        reveal(table, battle)
        charged = yield from charge(table, battle)
        yield from _tidy(table, battle)
        if (yield from at_once(table, battle)):
            return ""
        if _both(battle):
            yield from line_combat(table, battle, charged)
            yield from _tidy(table, battle)
    if _both(battle) and battle.round >= table.c.numbers.battle.rounds_before_retreat:
        gone = yield from retreat(table, battle)
    return gone


def at_once(table: Table, battle: Battle) -> Rule[bool]:
    """Apply the loss of an heir at once (6.1, 10.3.1, 10.3.2). Returns whether the game is over."""
    yield from update_succession(table)
    reconcile(table, battle)
    return table.state.phase == OVER


def _tidy(table: Table, battle: Battle) -> Play:
    """Handle guests without a host after losses (8.3.3), and blocks that left with another, as the Queen (10.3.4)."""
    for side in _sides(battle):
        yield from choose_hosts(table, battle, side)
        disband_unhosted_mercenaries(table, side)
    reconcile(table, battle)


def _goes_on(table: Table, battle: Battle) -> Rule[bool]:
    """Return whether there is another round after one in which a side lost all it had there (20.5.5).

    If both lost all, reinforcements of either decide; else by the optional rule only.
    """
    if not any(_stands(side) for side in _sides(battle)):
        return any(side.waiting for side in _sides(battle))
    return (yield from _prolonged(table, battle))


def _sides(battle: Battle) -> tuple[BattleSide, BattleSide]:
    return battle.sides[battle.attacker], battle.sides[battle.defender]


def _both(battle: Battle) -> bool:
    return all(_stands(side) for side in _sides(battle))


def _stands(side: BattleSide) -> bool:
    """Return whether a side has a block in force or reserve; mercenaries alone give up the field (20.4.3)."""
    return any(not key.startswith("merc_") for key in present(side))


def _form_again(table: Table, battle: Battle) -> Play:
    """Form the force again of a side that lost its leader or all its blocks to a card (20.4.2)."""
    for side in (battle.sides[battle.defender], battle.sides[battle.attacker]):
        nobles = [key for key in present(side) if table.c.blocks[key].command]
        if _stands(side) and (not side.force or (nobles and side.leader not in side.force)):
            yield from choose(table, battle, side)
        elif _stands(side):
            side.force = [key for key in side.force if _hosted(table, side, key)] or side.force
            side.reserve += [
                key for key in everything(table, battle, side.house)
                if key not in side.force and key not in side.reserve and key not in side.waiting
            ]  # fmt: skip


def _hosted(table: Table, side: BattleSide, key: str) -> bool:
    """Return whether a block may fight: attached blocks fight with their host only (20.4.3)."""
    host = table.state.blocks[key].host
    return not host or host in side.force


def _prolonged(table: Table, battle: Battle) -> Rule[bool]:
    """Ask a beaten side with reinforcements whether it fights on (20.5.5, option "wherefore art thou?")."""
    if not chosen(table, "wherefore"):
        return False
    losers = [side for side in _sides(battle) if not _stands(side)]
    if len(losers) != 1 or not losers[0].waiting or strays(table, losers[0]):
        return False
    asks = {
        house: _prolong(
            house, Choice(("yes", "no")), "no", place=battle.place, house=losers[0].house, count=len(losers[0].waiting)
        )
        for house in (battle.attacker, battle.defender)
    }
    answers = yield from AskAll(asks)
    wanting = [house for house, answer in answers.items() if answer == "yes"]
    if wanting:
        table.log("battle.prolonged", rule="20.5.5", house=wanting[0], place=battle.place, reveals=True)
    return bool(wanting)


def _conclude(table: Table, battle: Battle, retreated: str) -> Play:
    """End an engagement: winner, mercenaries, beaten reinforcements, the eliminated (20.5.5, 20.6.1)."""
    winners = [side for side in _sides(battle) if _stands(side)]
    losers = [side for side in _sides(battle) if side not in winners]
    winner = winners[0] if len(winners) == 1 else None
    if winner is not None:
        table.log("battle.engagement_won", rule="20.5.5", house=winner.house, place=battle.place)
    for side in losers:
        _mercenaries_give_up(table, battle, side, winner)
        if winner is not None:
            yield from choose_hosts(table, battle, winner)
        if everything(table, battle, side.house):
            yield from driven_out(table, battle, side)
    yield from fates(table, battle, retreated)
    reconcile(table, battle)


def _mercenaries_give_up(table: Table, battle: Battle, side: BattleSide, winner: BattleSide | None) -> None:
    """Give mercenaries without noble to one of the winner's force, else they plunder the shire and leave (20.4.3)."""
    state = table.state
    for key in [key for key in present(side) if table.c.blocks[key].kind == "mercenary"]:
        remove_block(side, key)
        hosts = [noble for noble in present(winner) if can_host(table, key, noble)] if winner is not None else []
        if hosts and winner is not None:
            attach(table, key, max(hosts, key=lambda noble: rank(table, noble)))
            winner.reserve.append(key)
            winner.guests.append(key)
            table.log(
                "battle.turncoats", rule="20.4.3", house=winner.house, block=key, before=side.house,
                private={winner.house: {"steps": state.blocks[key].steps}},
            )  # fmt: skip
        else:
            state.blocks[key].host = ""
            leave(table, key, INACTIVE)
            dismiss(table, key)
            state.marks[battle.place] = "plundered"
            table.log("battle.bandits", rule="20.4.3", block=key, place=battle.place, reveals=True)


# -- line combat (20.5.2): all blocks of both battle forces roll, but for heirs who charged ----------------------------


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
