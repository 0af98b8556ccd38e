"""The sequence of play (2.1, 4.0): Peace Turns (2.3), wars between them (2.4). Other phases are in their modules.

The War Turn (7.4 to 7.6) is here.

A Peace Turn goes from `turn` (upkeep to deal) over `ministry`, `initiative` and eight times `action` to `close`. That
leads to the next `turn`, to a `war` or to the end. A war leads to the next `turn`, perhaps by `planning` (12.2).
"""

from __future__ import annotations

from games.imperial_struggle import rounds, scoring, tiles, upkeep
from games.imperial_struggle.board import remove_conflict
from games.imperial_struggle.scoring import check_points, won_all_awards
from games.imperial_struggle.setup import lay_out, option
from games.imperial_struggle.state import SEATS
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.tiles import bonus_total
from games.imperial_struggle.wars.fight import fight
from pbem.kernel.domains import Choice
from pbem.kernel.game import HouseRule, Play

KIT.chapter("7.5", "Reset Phase of a war", "sequence.py")
CARRIED = "was"

# House rules for cards and wars: questions without an official answer (rulings, section 8).

CARD_OPTIONS = (
    HouseRule("spoils_flag", Choice(("may", "must")), "may", {
        "en": "a flag among the spoils of a theater: the winner may remove it, or must while there is one",
        "ja": "戦域の戦利品の旗印撤去：勝者の任意か、対象がある限り強制か",
    }, "7.2"),
    HouseRule("captured_forts", Choice(("damaged", "repaired")), "damaged", {
        "en": "a damaged Fort taken with a Conquest Point stays damaged, or is repaired by it",
        "ja": "征服ポイントで奪取した損傷要塞：損傷のままか、修理されるか",
    }, "7.2.1.1"),
    HouseRule("rivalry", Choice(("india", "anywhere")), "india", {
        "en": "the DP of Austro-Spanish Rivalry (#7) for France: for India like its EP, or anywhere",
        "ja": "墺西対立（#7）のフランスの外交ポイント：経済ポイントと同じくインドのみか、どこでもか",
    }, "#7"),
    HouseRule("voltaire", Choice(("always", "awarded")), "always", {
        "en": "Voltaire (M-14) pays in every Scoring Phase, or only if somebody wins the Europe Award",
        "ja": "ヴォルテール（M-14）：毎回支払うか、ヨーロッパの褒賞を誰かが得たときのみか",
    }, "M-14"),
    HouseRule("townshend", Choice(("demand", "any")), "demand", {
        "en": "Townshend Acts (M-21) may name a commodity in demand, or any of the six",
        "ja": "タウンゼンド諸法（M-21）が指定できる商品：需要にあるものか、6種のいずれもか",
    }, "M-21"),
)  # fmt: skip

__all__ = ["play", "rounds", "scoring", "tiles", "upkeep"]

play = KIT.play

# A War Turn: the fighting, victory check, reset, the next lay-out (7.4 to 7.6).


@KIT.phase("war")
def war(table: Table) -> Play:
    """Fight the war theater by theater, check for victory, prepare the next war (7.1 to 7.6)."""
    yield from fight(table)
    state = table.state
    if won_all_awards(table, len(table.c.wars[state.war].theaters), "7.4") or check_points(table, "7.4"):
        return
    reset(table)
    next_war(table)
    state.turn += 1
    state.phase = "planning" if state.war and option(table, "planned_wars") == "yes" else "turn"


def reset(table: Table) -> None:
    """Return or remove War tiles, and remove markers that gave strength from the map (7.5)."""
    state, c = table.state, table.c
    table.log("war.ends", rule="7.5", war=state.war)
    for seat in SEATS:
        side = state.sides[seat]
        # Between the Austrian and the Seven Years' War there is one turn only, so Bonus tiles are carried over (7.6).
        side.carried = min(c.limits["carry_over"], bonus_total(table, seat)) if state.war == CARRIED else 0
        for sides in state.theaters.values():
            side.basic.extend(key for key in sides[seat] if not c.war_tiles[key].war)
        table.shuffle(side.basic)
        side.bonus, side.refused = [], []
    for space in state.counted:
        remove_conflict(table, space, "7.5")
    state.counted, state.conquered, state.theaters = [], [], {}
    state.byng = state.dominance = ""
    state.theater = 0


def following(table: Table) -> str:
    """Return the war after this one, "" after the last."""
    order = list(table.c.wars)
    at = order.index(table.state.war) + 1
    return order[at] if at < len(order) else ""


def next_war(table: Table) -> None:
    """Lay out the next war; none after the American War of Independence (7.6)."""
    table.state.war = following(table)
    if table.state.war:
        lay_out(table)
