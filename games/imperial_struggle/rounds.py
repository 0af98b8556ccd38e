"""Action Rounds: taking a tile, passing, ending (4.1.9, 5.0, 5.1, 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from games.imperial_struggle.board import gain_trp, reduce_debt
from games.imperial_struggle.connection import isolated
from games.imperial_struggle.points import Purses, begin, close
from games.imperial_struggle.rules import HANDLERS, OFFERS, Words, fire, handles, offers
from games.imperial_struggle.state import MAJOR, MINOR, OTHER, Pool, Round, State
from games.imperial_struggle.table import Table
from games.imperial_struggle.tiles import place_carried
from pbem.kernel.answers import Amount, Choice, Domain, Form, Optional, TriedMenu, tried_menu
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask

END, PASS, TAKE = "end", "pass", "take"
_WEIGHTS = {"event": 8, "shift": 5, "advantage": 2, "deploy": 2, "buy": 2, "fort": 2}


def action_round(table: Table) -> Play:
    """One Action Round of the side whose turn it is."""
    state = table.state
    seat = state.first if state.rounds % 2 == 0 else OTHER[state.first]
    number = state.rounds // 2 + 1
    state.active = seat
    state.round = now = Round(seat, isolated=isolated(table.c, state))
    table.say("round.begins", rule="4.1.9", seat=seat, round=number, turn=state.turn)
    with table.within("round", seat=seat, turn=state.turn, round=number):
        if state.sides[seat].carried:
            yield from place_carried(table, seat)
        menu = partial(_menu, table, seat)
        while True:
            answer = yield _question(state, now, menu)
            word = answer if isinstance(answer, str) else answer["do"]
            if word == END:
                break
            going = HANDLERS[word](table, seat, answer)
            if going is not None:
                yield from going
            if word == PASS:
                break
    table.say("round.ends", rule="4.1.9", seat=seat, round=number, tile=now.tile)
    state.round = None
    state.rounds += 1
    if state.rounds == 2 * table.c.limits["rounds"]:
        state.phase, state.active = "close", ""


def _question(state: State, now: Round, menu: Callable[[], Domain]) -> Ask:
    seat = now.seat
    if now.tile:
        about = {
            "seat": seat, "turn": state.turn, "rounds": state.rounds, "tile": now.tile, "action": now.action
        }  # fmt: skip
        return Ask(seat, "act", menu, "5.3", END if now.begun else {"do": PASS}, "turn", about)
    about = {"seat": seat, "turn": state.turn, "rounds": state.rounds, "tiles": list(state.display)}
    return Ask(seat, "tile", menu, "5.1", {"do": TAKE, "with": state.display[0]}, "turn", about)


def _menu(table: Table, seat: str) -> TriedMenu:
    """All that may be done now: every chapter adds its words."""
    words: Words = {}
    types = {pool.type for pool in table.state.now.pools}
    for offer in OFFERS:
        offer(table, seat, words, types)
    purses = Purses(table, seat)

    def build(word: str) -> Domain | None:
        entry = words[word]
        return entry(table, seat, purses) if callable(entry) else entry

    bare = [word for word, entry in words.items() if entry is None]
    bag = [word for word in words for _ in range(_WEIGHTS.get(word, 1))]
    return tried_menu([word for word in words if word not in bare], build, bare, bag)


@offers
def taking(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """5.1, 6.2 Take a tile; afterwards pass if nothing of it was used, or end."""
    state = table.state
    now = state.now
    if not now.tile:
        words[TAKE] = Choice(tuple(state.display), "tile")
    elif now.begun:
        words[END] = None
    else:
        words[PASS] = _pass_form


def _pass_form(table: Table, seat: str, purses: Purses) -> Form:
    most = min(table.c.limits["pass_debt"], table.state.sides[seat].debt)
    return Form(debt=lambda v: Optional(Amount(0, most, what="Debt")) if most else None)


@handles(TAKE)
def take(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.1 The tile opens a Major and a Minor Action."""
    state = table.state
    now, key = state.now, value["with"]
    tile = table.c.investments[key]
    state.display.remove(key)
    state.sides[seat].tiles.append(key)
    now.tile, now.upgrade = key, tile.upgrade
    now.pools.append(Pool(tile.major, tile.major_points, MAJOR))
    now.pools.append(Pool(tile.minor, tile.minor_points, MINOR))
    table.say("tile.taken", rule="5.1", seat=seat, tile=key)
    fire("tile_taken", table, seat)


@handles(PASS)
def passing(table: Table, seat: str, value: dict[str, Any]) -> None:
    """6.2 Nothing of the tile is used; Debt falls by up to 2."""
    most = min(table.c.limits["pass_debt"], table.state.sides[seat].debt)
    table.say("round.passed", rule="5.1", seat=seat)
    reduce_debt(table, seat, value.get("debt", most), "round.relief", "6.2")


@offers
def last_turn(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """5.3.3 On turn 6 the upgrade symbol is worth one Treaty Point."""
    if table.state.now.upgrade and table.state.turn == len(table.c.turns):
        words["treaty"] = None


@handles("treaty")
def treaty(table: Table, seat: str, value: Any) -> None:
    """5.3.3 One Treaty Point for the upgrade symbol."""
    table.state.now.upgrade = False
    begin(table, "upgrade")
    gain_trp(table, seat, 1, "upgrade.trp", "5.3.3")
    close(table, "upgrade")
