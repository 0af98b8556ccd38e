"""Action Rounds: taking a tile, passing, ending (4.1.9, 5.0, 5.1, 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypedDict

from games.imperial_struggle import advantages, events, military, ministries, shifting, tiles, upkeep
from games.imperial_struggle.action_points import begin, close
from games.imperial_struggle.board import gain_trp, reduce_debt
from games.imperial_struggle.connection import isolated
from games.imperial_struggle.refusals import reason, why_not_action
from games.imperial_struggle.state import MAJOR, MINOR, OTHER, ActionRound, Pool, StruggleState
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Domain, Form, Menu, Optional
from pbem.kernel.game import Play
from pbem.kernel.kit import Answer, word_of
from pbem.kernel.questions import Ask
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("4.1.9", "Action Phase", "rounds.py")
KIT.chapter("5.1", "taking a tile, passing", "rounds.py")
KIT.chapter("6.2", "reducing Debt", "rounds.py")
ACT = KIT.question("act", "5.3")
TILE = KIT.question("tile", "5.1")
END, PASS, TAKE = "end", "pass", "take"
_WEIGHTS = {"event": 8, "shift": 5, "advantage": 2, "deploy": 2, "buy": 2, "fort": 2}
_OFTEN = {word: (word,) * weight for word, weight in _WEIGHTS.items()}
"""Words that a random game takes more often than others."""


class DebtReduction(TypedDict, total=False):
    """By how much Debt falls when a side passes."""

    debt: int


@KIT.phase("action")
def action_round(table: Table) -> Play:
    """Run one Action Round of the side whose turn it is."""
    state = table.state
    seat = state.first if state.rounds % 2 == 0 else OTHER[state.first]
    number = state.rounds // 2 + 1
    state.active = seat
    state.round = now = ActionRound(seat, isolated=isolated(table.c, state))
    table.log("round.begins", rule="4.1.9", seat=seat, round=number, turn=state.turn)
    with table.within("round", seat=seat, turn=state.turn, round=number):
        if state.sides[seat].carried:
            yield from tiles.place_carried(table, seat)
        menu = partial(_menu, table, now)
        while True:
            answer: Answer = yield _question(state, now, menu)
            yield from KIT.carry_out(table, seat, answer)
            if word_of(answer) in (END, PASS):
                break
    table.log("round.ends", rule="4.1.9", seat=seat, round=number, tile=now.tile)
    state.round = None
    state.rounds += 1
    if state.rounds == 2 * table.c.limits["rounds"]:
        state.phase, state.active = "close", ""


def _question(state: StruggleState, now: ActionRound, menu: Callable[[], Menu[Answer]]) -> Ask[Answer]:
    seat = now.seat
    if now.tile:
        about = {
            "seat": seat, "turn": state.turn, "rounds": state.rounds, "tile": now.tile, "action": now.action
        }  # fmt: skip
        return Ask(seat, ACT.kind, menu, ACT.rule, END if now.begun else {"do": PASS}, ACT.pace, about)
    about = {"seat": seat, "turn": state.turn, "rounds": state.rounds, "tiles": list(state.display)}
    return Ask(seat, TILE.kind, menu, TILE.rule, {"do": TAKE, "with": state.display[0]}, TILE.pace, about)


def _menu(table: Table, now: ActionRound) -> Menu[Answer]:
    """Return the menu of the round. Each chapter names its words, the actions find what is legal."""
    words: list[str] = []
    types = {pool.type for pool in now.pools}
    for offer in _OFFERS:
        offer(table, now, words, types)
    bare: list[str] = []
    other: list[str] = []
    bag: list[str] = []
    for word in words:
        (bare if KIT.actions[word].bare else other).append(word)
        bag += _OFTEN.get(word) or (word,)
    return KIT.menu(table, now.seat, other, bare, bag, why=partial(why_not_action, table, now.seat))


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer to take a tile; afterwards to pass if nothing of it was used, or to end (5.1, 6.2)."""
    if not now.tile:
        words.append(TAKE)
    elif now.begun:
        words.append(END)
    else:
        words.append(PASS)
    if now.upgrade and table.state.turn == len(table.c.turns):
        words.append("treaty")


_OFFERS: tuple[Callable[[Table, ActionRound, list[str], set[str]], None], ...] = (
    tiles.offer, offer, ministries.offer, ministries.jacobites.offer, events.play.offer, advantages.offer,
    shifting.offer, military.offer,
)  # fmt: skip
"""The offers in the order of the menu."""


def _display(table: Table, seat: str, tiles: list[str]) -> Choice[str]:
    return Choice(tuple(tiles), "tile", partial(_not_on_display, table))


def _not_on_display(table: Table, key: str) -> RejectionReason | None:
    """Return why a tile can't be taken: it is taken, or in the stack or the used box (5.1)."""
    if key not in table.c.investments:
        return None
    takers = [seat for seat, side in table.state.sides.items() if key in side.tiles]
    return because("tile_taken", "5.1", tile=key, seat=takers[0]) if takers else because("tile_away", "5.1", tile=key)


@reason(TAKE, early=True)
def _no_second(table: Table, seat: str) -> RejectionReason:
    """Return the reason that there is only one tile a round (5.1)."""
    return because("taken", "5.1", tile=table.state.now.tile)


@KIT.action(TAKE, "5.1", lambda table, seat: table.state.display, _display)
def take(table: Table, seat: str, key: str) -> None:
    """Open a Major and a Minor Action with the tile (5.1)."""
    state = table.state
    now, tile = state.now, table.c.investments[key]
    state.display.remove(key)
    state.sides[seat].tiles.append(key)
    now.tile, now.upgrade = key, tile.upgrade
    now.pools.append(Pool(tile.major, tile.major_points, MAJOR))
    now.pools.append(Pool(tile.minor, tile.minor_points, MINOR))
    table.log("tile.taken", rule="5.1", seat=seat, tile=key)
    KIT.fire("tile_taken", table, seat)


@reason(END)
def _not_begun(table: Table, seat: str) -> RejectionReason:
    """Return the reason that a side that uses nothing of the tile passes (5.1)."""
    return because("unused", "5.1", tile=table.state.now.tile)


@KIT.bare(END, "5.3", lambda table, seat: table.state.now.begun)
def end(table: Table, seat: str, word: str) -> None:
    """End the round; the rest of the tile is lost (5.3)."""


def _relief(table: Table, seat: str) -> int:
    """Return by how much Debt may fall (6.2)."""
    return min(table.c.limits["pass_debt"], table.state.sides[seat].debt)


def _pass_form(table: Table, seat: str, most: int) -> Form[DebtReduction]:
    return Form(debt=lambda v: Optional(Amount(0, most, what="Debt")) if most else None)


@reason(PASS)
def _begun(table: Table, seat: str) -> RejectionReason:
    """Return the reason that a side that has used something of the tile can't pass (6.2)."""
    return because("begun", "6.2", tile=table.state.now.tile)


@KIT.action(PASS, "5.1", _relief, _pass_form)
def passing(table: Table, seat: str, order: DebtReduction) -> None:
    """Pass: nothing of the tile is used; Debt falls by up to 2 (6.2)."""
    most = _relief(table, seat)
    table.log("round.passed", rule="5.1", seat=seat)
    reduce_debt(table, seat, order.get("debt", most), "round.relief", "6.2")


@reason("treaty")
def _no_treaty(table: Table, seat: str) -> RejectionReason | None:
    """Return why there is no Treaty Point (5.3.3 point 1): the symbol, or the turn, which must be 6."""
    last = len(table.c.turns)
    return tiles.no_symbol(table) or because("treaty_turn", "5.3.3", turn=last)


@KIT.bare("treaty", "5.3.3", lambda table, seat: table.state.now.upgrade)
def treaty(table: Table, seat: str, word: str) -> None:
    """Turn the upgrade symbol into one Treaty Point, on turn 6 (5.3.3 point 1)."""
    table.state.now.upgrade = False
    begin(table, "upgrade")
    gain_trp(table, seat, 1, "upgrade.trp", "5.3.3")
    close(table, "upgrade")


def next_round(table: Table, seat: str, asked: bool) -> Ask[Answer] | None:
    """Return the question with which the next round of a side begins (4.1.9), if it is in this turn.

    At its start (4.1.6, 4.1.7) it is the choice that comes next, if there is one.
    """
    state = table.state
    if state.phase not in ("turn", "ministry", "initiative", "action"):
        return None
    if state.phase != "action" and (choice := upkeep.next_choice(table, seat)):
        return choice
    ahead = 0 if state.round is None else 2 if state.active == seat else 1
    if state.rounds + ahead >= 2 * table.c.limits["rounds"]:
        return None
    state.rounds += ahead
    state.active = seat
    state.round = now = ActionRound(seat, isolated=isolated(table.c, state))
    return _question(state, now, partial(_menu, table, now)) if state.display else None


def follow(table: Table, seat: str, kind: str) -> dict[str, Domain]:
    """Return what comes after a tile is taken (5.1, 5.3): its actions, for the first tile on display."""
    now = table.state.round
    if kind != TILE.kind or now is None or not table.state.display:
        return {}
    take.run(table, seat, table.state.display[0])
    return {ACT.kind: _menu(table, now)}


def complete(table: Table, seat: str, kind: str, acts: Sequence[Answer]) -> list[Answer]:
    """Return those of these acts that the round has points for, none of which asks for more, and its end (5.3)."""
    now, found = table.state.round, list[Answer]()
    if kind != ACT.kind or now is None:
        return []
    for act in acts:
        if _menu(table, now).accepts(act):
            if any(True for _ in KIT.carry_out(table, seat, act)):
                return []
            found.append(act)
    return [*found, END] if found else []
