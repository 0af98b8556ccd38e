"""The end of a Peace Turn (phases 10 to 14: 4.1.10 to 4.1.14; 9.1), final scoring (11), the winner (2.5)."""

from __future__ import annotations

from typing import Any

from games.imperial_struggle import board
from games.imperial_struggle.state import BRITAIN, FRANCE, OTHER, SEATS, USA, StruggleState
from games.imperial_struggle.table import KIT, Table

KIT.chapter("2.5", "automatic victory", "scoring.py")
KIT.chapter("4.1.13", "Victory Check", "scoring.py")
KIT.chapter("7.4", "Victory Check of a war", "scoring.py", "sequence.py")
KIT.chapter("3.9", "Award tiles", "scoring.py")
KIT.chapter("4.1.10", "Reduce Treaty Points", "scoring.py")
KIT.chapter("4.1.12", "Scoring Phase, Remaining Powers (4.1.11)", "scoring.py")
KIT.chapter("4.1.14", "end of the game", "scoring.py")
KIT.chapter("11", "final scoring", "scoring.py")


@KIT.phase("close")
def close_turn(table: Table) -> None:
    """Run 4.1.10 to 4.1.14 and set the next phase."""
    state = table.state
    turn = table.c.turn(state.turn)
    for seat in SEATS:
        board.lose_trp(table, seat, state.sides[seat].trp - table.c.limits["treaty_points"], "turn.trp_lost", "4.1.10")
    KIT.fire("turn_ends", table)
    state.swept = dict.fromkeys(SEATS, 0)
    score_regions(table)
    score_demand(table)
    KIT.fire("scored", table)
    if won_all_awards(table, len(state.awards) + len(state.demand), "4.1.13") or check_points(table, "4.1.13"):
        return
    if turn.turn == len(table.c.turns):
        final_scoring(table)
        decide(table)
    elif turn.war:
        state.phase, state.theater = "war", 0
        state.swept = dict.fromkeys(SEATS, 0)
    else:
        state.turn += 1
        state.phase = "turn"


def leader(one: int, other: int, margin: int = 1) -> str:
    """Return the side that has more by at least `margin`, from the counts of Britain and France."""
    if one - other >= margin:
        return BRITAIN
    return FRANCE if other - one >= margin else ""


def score_regions(table: Table) -> None:
    """Score the Award of each Region, and in Europe the Prestige spaces (4.1.12, 3.9)."""
    state, c = table.state, table.c
    for region, key in state.awards.items():
        award, spaces = c.awards[key], c.of_region[region]
        britain, france = board.tally(state, spaces)
        winner = leader(britain, france, award.margin)
        table.log(
            "award.counted", rule="4.1.12", region=region, award=key, britain=britain, france=france,
            margin=award.margin, winner=winner or "nobody",
        )  # fmt: skip
        if winner:
            state.swept[winner] += 1
            board.score(table, winner, award.vp, "award.scored", "4.1.12", region=region)
            board.gain_trp(table, winner, award.trp, "award.trp", "4.1.12", region=region)
        KIT.fire("award", table, region, winner)
        if region == "europe":
            score_prestige(table, "4.1.12")


def score_prestige(table: Table, rule: str) -> None:
    """Score 2 VP for more Prestige spaces."""
    britain, france = (board.prestige(table, seat) for seat in SEATS)
    winner = leader(britain, france)
    table.log("prestige.counted", rule=rule, britain=britain, france=france, winner=winner or "nobody")
    if winner:
        board.score(table, winner, table.c.scoring["prestige"], "prestige.scored", rule)


def commodity_leader(table: Table, commodity: str) -> str:
    """Return the side with more Markets of a commodity without Conflict markers; "" on a tie."""
    return leader(*board.tally(table.state, table.c.of_commodity[commodity]))


def score_demand(table: Table) -> None:
    """Score the commodities in demand, in the order of the table (4.1.12)."""
    for commodity in table.c.commodities:
        if commodity in table.state.demand and (winner := score_commodity(table, commodity, "4.1.12")):
            table.state.swept[winner] += 1


def score_commodity(table: Table, commodity: str, rule: str) -> str:
    """Pay the reward of this era for one commodity. Returns who won it (Calico Acts scores Cotton this way)."""
    state, c = table.state, table.c
    spaces = c.of_commodity[commodity]
    britain, france = board.tally(state, spaces)
    winner = leader(britain, france)
    table.log(
        "demand.counted", rule=rule, commodity=commodity, britain=britain, france=france, winner=winner or "nobody"
    )
    if winner:
        reward = c.commodities[commodity].reward(c.turn(state.turn).era)
        board.score(table, winner, reward.vp, "demand.scored", rule, commodity=commodity)
        board.gain_trp(table, winner, reward.trp, "demand.trp", rule, commodity=commodity)
        if reward.debt > 0:
            board.forced_debt(table, winner, reward.debt, "demand.debt", rule)
        elif reward.debt < 0:
            board.reduce_debt(table, winner, -reward.debt, "demand.relief", rule)
        KIT.fire("commodity", table, commodity, winner)
    return winner


def final_scoring(table: Table) -> None:
    """Score Prestige, Available Debt, every commodity and captured Territories (11)."""
    state, c = table.state, table.c
    rates = c.scoring
    score_prestige(table, "11")
    room = {seat: board.available_debt(state, seat) for seat in SEATS}
    if richer := leader(room[BRITAIN], room[FRANCE]):
        steps = (room[richer] - room[OTHER[richer]]) // rates["debt_step"]
        board.score(table, richer, min(rates["debt_most"], steps), "final.debt", "11")
    for commodity in c.commodities:
        if winner := commodity_leader(table, commodity):
            board.score(table, winner, rates["commodity"], "final.commodity", "11", commodity=commodity)
    for seat in SEATS:
        taken = captured(table, seat)
        board.score(table, seat, rates["territory"] * len(taken), "final.territory", "11", spaces=taken)


def captured(table: Table, seat: str) -> list[str]:
    """Return Territories that the other side held at set-up and `seat` holds now; USA flags count as French (10)."""
    flags = {FRANCE: (FRANCE, USA), BRITAIN: (BRITAIN,)}[seat]
    spaces = table.c.spaces
    return [
        key for key in table.c.of_type["territory"]
        if spaces[key].setup == OTHER[seat] and table.state.flags[key] in flags
    ]  # fmt: skip


def decide(table: Table) -> None:
    """Decide the game: 16 or more France, 14 or less Britain; at 15 more Available Debt, then Britain (4.1.14)."""
    state = table.state
    middle = table.c.start.vp
    if state.vp != middle:
        finish(table, FRANCE if state.vp > middle else BRITAIN, "points", "4.1.14")
        return
    room = {seat: board.available_debt(state, seat) for seat in SEATS}
    finish(table, FRANCE if room[FRANCE] > room[BRITAIN] else BRITAIN, "tie", "4.1.14")


def won_all_awards(table: Table, everything: int, rule: str) -> bool:
    """Return whether one side won all Awards and demanded commodities, or every theater of the war by its top row."""
    state = table.state
    for seat in SEATS:
        if everything and state.swept.get(seat, 0) >= everything:
            finish(table, seat, "sweep", rule)
            return True
    return False


def check_points(table: Table, rule: str) -> bool:
    """Check victory by points: 0 or less: Britain; 30 or more: France. Runs in Victory Check phases only."""
    vp, scoring = table.state.vp, table.c.scoring
    if vp <= scoring["britain_wins"]:
        finish(table, BRITAIN, "points", rule)
    elif vp >= scoring["france_wins"]:
        finish(table, FRANCE, "points", rule)
    else:
        return False
    return True


def finish(table: Table, winner: str, how: str, rule: str) -> None:
    """End the game."""
    state = table.state
    state.phase, state.winner, state.how = "over", winner, how
    state.round, state.active = None, ""
    table.log(f"over.{how}", rule=rule, winner=winner, vp=state.vp)


def result(state: StruggleState) -> dict[str, Any] | None:
    """Return the winner, and the points as each side counts them: how far the marker is on its side of 15."""
    if state.phase != "over":
        return None
    return {"scores": {BRITAIN: 30 - state.vp, FRANCE: state.vp}, "winners": [state.winner], "how": state.how}
