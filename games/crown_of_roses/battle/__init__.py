"""Combat (20): battles shire by shire, engagements, rounds, losses, retreats, and what follows.

In the order of the chapter: `battle_order` (20.0 to 20.2), `forces` (20.3), `battle_forces` (20.4), `plans` (20.2, and
earlier answers), `charges` (20.5.1), `dice` (20.5.2), `losses` (20.5.3), `retreat` (20.5.4), `engagement`
(20.5.2, 20.5.5), `eliminated` (20.6.1), `aftermath` (20.7); `cards` are the response points.
"""

from __future__ import annotations

from games.crown_of_roses.battle.aftermath import after_battle
from games.crown_of_roses.battle.cards import reconcile
from games.crown_of_roses.battle.engagement import LOVE_DAY, engagement
from games.crown_of_roses.battle.forces import begin, everything, follow_up
from games.crown_of_roses.realm.victory import update_succession
from games.crown_of_roses.state import Battle
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.game import Play

KIT.chapter("20.6.2", "further engagements", "battle/__init__.py", "battle/forces.py")


def fight(table: Table, place: str) -> Play:
    """Fight the battle of a shire (20.0, 20.6.2): engagements until at most one house is left, then 20.7."""
    state = table.state
    order = (state.fights or {}).pop(place)
    battle = state.battle = begin(table, place, order)
    with table.within("battle", place=place):
        table.log("battle.begins", rule="20.0", place=place, order=list(order))
        while len(battle.order) > 1:
            battle.attacker, battle.defender = battle.order[:2]
            winner = yield from engagement(table, battle)
            yield from update_succession(table)
            if state.phase == "over":
                break
            yield from _further(table, battle, winner)
        else:
            yield from after_battle(table, battle)
    state.battle = None


def _further(table: Table, battle: Battle, winner: str) -> Play:
    """Let the winner attack the last of the rest to enter, with reinforcements before if wanted (20.6.2).

    A house that came back into the shire by a card (71) has entered last.
    """
    reconcile(table, battle)
    beaten = [house for house in (battle.attacker, battle.defender) if house != winner]
    rest = [house for house in (*beaten, *battle.order[2:]) if everything(table, battle, house)]
    if winner and not everything(table, battle, winner):
        winner = ""
    battle.order = [*([winner] if winner else []), *rest]
    if winner and rest and LOVE_DAY not in table.state.lasting:
        yield from follow_up(table, battle, battle.sides[winner])
