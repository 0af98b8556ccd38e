"""Victory (25): automatic victories in the action phase, and the victory phase with every tie-break."""

from __future__ import annotations

from functools import cache, lru_cache

from games.virgin_queen.components import QueenComponents
from games.virgin_queen.keys import counted, holders, keys, protestant_spaces, rows, secret_vp, totals, vp
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import FRANCE, HRE, POWERS, PROTESTANT, SPAIN, QueenState
from games.virgin_queen.table import KIT, Table

KIT.chapter("25.1", "automatic victories", "victory.py")
KIT.chapter("25.2", "VP", "keys.py", "victory.py")
KIT.chapter("25.3", "the victory phase", "victory.py")


def automatic(table: Table) -> bool:
    """25.1 Check military and religious victories; return True, with the game over, if there is one."""
    state = table.state
    if state.phase != "action":
        return state.phase == "over"
    for power in _holding_enough(table.c, holders(table)):
        if state.powers[power].active and military(table, power):
            return win(table, [power], "military", "25.1")
    number = protestant_spaces(table)
    limits = table.c.special["victory"]
    if number >= limits["religious_protestant_spaces"]:
        return win(table, [PROTESTANT], "religious", "25.1")
    if number <= limits["religious_catholic_spaces"]:
        spaces = (*table.c.areas["france"], *table.c.areas["scotland"])
        few = sum(state.religion[space] == PROTESTANT and space not in state.unrest for space in spaces)
        french = few <= limits["catholic_win_for_france_if_france_plus_scotland_at_most"]
        return win(table, [FRANCE if french else SPAIN], "religious", "25.1")
    return False


@cache
def _enough(c: QueenComponents) -> dict[str, int]:
    """25.1 Return how many keys empty each automatic victory box; for the Protestants of their other row (23.6)."""
    found = {power: int(c.powers[power].auto_win_keys) for power in POWERS}
    found[PROTESTANT] = int(c.powers[PROTESTANT].auto_win_other_keys)
    return found


@lru_cache(maxsize=1_000)
def _holding_enough(c: QueenComponents, held: tuple[str, ...]) -> tuple[str, ...]:
    """25.1 Return the powers with enough keys, in unrest or not; cached, as it is mostly the same as before."""
    return tuple(power for power, number in _enough(c).items() if held.count(power) >= number)


def military(table: Table, power: str) -> bool:
    """25.1 Return whether the automatic victory box of a power card is empty."""
    number = rows(table)[1] if power == PROTESTANT else counted(table, power)
    return number >= _enough(table.c)[power]


def win(table: Table, winners: list[str], how: str, rule: str) -> bool:
    """End the game."""
    state = table.state
    if state.phase == "action":
        state.history.append(totals(table, shown=True))
        if secret_vp(table):  # the log line of the end has the scores
            reveal_faith(table)
    state.winners, state.how, state.phase = winners, how, "over"
    table.log("game.won", rule=rule, power=winners, how=how)
    return True


@KIT.phase("victory")
def victory_phase(table: Table) -> None:
    """25.3 Resolve Paris and Central Europe, then normal, dominance and time limit victory."""
    state = table.state
    paris(table)
    central_europe(table)
    activated(table)
    open_totals = totals(table)
    shown = totals(table, shown=True)
    state.history.append(shown)
    table.log("vp.totals", rule="25.3", turn=state.turn, totals=open_totals)
    reveal = secret_vp(table) and _reveals(table, open_totals, shown)
    scores = shown if reveal else open_totals
    if reveal:
        reveal_faith(table)
    decide(table, scores)


def reveal_faith(table: Table) -> None:
    """23.5 Reveal the Empire's secret religion."""
    table.log("hre.reveals", rule="23.5", reveals=True, faith=table.state.hre_faith, vp=secret_vp(table))


def playing(state: QueenState) -> list[str]:
    """Return the powers that can win: all that are not activated major powers (27.1)."""
    return [power for power in POWERS if state.powers[power].active]


def decide(table: Table, scores: dict[str, int]) -> None:
    """25.3 Check the three victories of this phase."""
    state = table.state
    limits = table.c.special["victory"]
    field = playing(state)
    if any(scores[power] >= limits["normal_vp"] for power in field):
        win(table, leaders(state, scores), "normal", "25.3")
    elif (chief := dominant(table, scores)) and state.turn >= limits["dominance_first_turn"]:
        win(table, [chief], "dominance", "25.3")
    elif state.turn >= state.last_turn:
        win(table, leaders(state, scores), "time", "25.3")


def dominant(table: Table, scores: dict[str, int]) -> str:
    """25.3 Return the power with 5 VP more than every other, "" if there is none."""
    order = sorted(playing(table.state), key=lambda power: -scores[power])
    lead = table.c.special["victory"]["dominance_lead"]
    return order[0] if scores[order[0]] >= scores[order[1]] + lead else ""


def leaders(state: QueenState, scores: dict[str, int]) -> list[str]:
    """25.3 Return the powers with most VP; ties go back turn by turn. Still tied at the start: all of them."""
    best = max(scores[power] for power in playing(state))
    tied = [power for power in playing(state) if scores[power] == best]
    for earlier in reversed(state.history[:-1]):
        if len(tied) == 1:
            break
        best = max(earlier[power] for power in tied)
        tied = [power for power in tied if earlier[power] == best]
    return tied


def _reveals(table: Table, without: dict[str, int], shown: dict[str, int]) -> bool:
    """25.2, 23.5 Return whether the Empire shows its faith: to win, to stop dominance, or when the game ends."""
    state = table.state
    limits = table.c.special["victory"]
    late = state.turn >= limits["dominance_first_turn"]
    ends = state.turn >= state.last_turn or any(without[power] >= limits["normal_vp"] for power in playing(state))
    dominated = late and bool(dominant(table, without))  # the game ends, unless what is shown stops it
    wins = shown[HRE] >= limits["normal_vp"] or (late and dominant(table, shown) == HRE)
    return ends or dominated or wins


def paris(table: Table) -> None:
    """25.3 Give VP for Paris."""
    state, bonus = table.state, table.c.special["bonus_vp"]
    holder = state.control["paris"]
    if holder not in (FRANCE, SPAIN, PROTESTANT) or "paris" in state.unrest:
        return
    ruler = state.powers[FRANCE]
    special = {
        FRANCE: ruler.ruler in ("charles_ix", "henry_iii") and not ruler.ruler_dead,
        SPAIN: state.leaders["duke_of_guise"].at == "paris",
        PROTESTANT: state.leaders["navarre"].at == "paris",
    }[holder]
    doubled = special and state.turn in bonus["paris_doubled_turns"]
    award(table, holder, "paris", bonus["paris_doubled"] if doubled else bonus["paris"])


def central_europe(table: Table) -> None:
    """25.3 Give VP to the ruler of Central Europe."""
    bonus = table.c.special["bonus_vp"]
    mine = keys(table, HRE)
    if all(key in mine for key in bonus["ruler_of_central_europe_keys"]):
        award(table, HRE, "central_europe", bonus["ruler_of_central_europe"])


def award(table: Table, power: str, kind: str, points: int) -> None:
    """Give bonus VP (25.2)."""
    own = table.state.powers[power].vp
    own[kind] = own.get(kind, 0) + points
    table.log("vp.bonus", rule="25.2", power=power, kind=kind, vp=points)


def activated(table: Table) -> None:
    """27.1 Give the allies of activated major powers VP: 1 for every 2 above the baseline, -1 for every 2 below."""
    for power in ("ottoman", HRE):
        minor = table.state.minors.get(power)
        if minor is None or not minor.ally:
            continue
        steps = int((vp(table, power) - minor.baseline) / 2)
        if steps:
            award(table, minor.ally, "activated", steps)
            minor.baseline += 2 * steps


def result(state: QueenState) -> dict[str, object] | None:
    """Return scores by seat (the best power of each) and the winning seats, once the game is over."""
    if state.phase != "over":
        return None
    last = state.history[-1] if state.history else {}
    scores: dict[str, int] = {}
    for power in playing(state):
        seat = state.powers[power].seat
        scores[seat] = max(scores.get(seat, 0), last.get(power, 0))
    winners = list(dict.fromkeys(seat_of(state, power) for power in state.winners))
    return {"scores": scores, "winners": winners}
