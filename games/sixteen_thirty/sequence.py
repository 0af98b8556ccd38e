"""The turn of a player: phases 1 to 5, and the hand limit at their end (6)."""

from __future__ import annotations

from functools import partial
from typing import Any

from games.sixteen_thirty import refusals
from games.sixteen_thirty.exchange import ask_partner, exchange
from games.sixteen_thirty.influence import Cards, choosable, discard_from, removable, which_goes
from games.sixteen_thirty.specials import menu, specials
from games.sixteen_thirty.table import KIT, Table
from games.sixteen_thirty.vote import call_form, compulsory, may_call
from pbem.kernel.domains import Domain, Subset
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask

KIT.chapter("1", "removing one inferior influence card", "sequence.py", "influence.py")
KIT.chapter("2", "drawing four cards, reshuffle", "sequence.py")
KIT.chapter("6", "the next player, the hand limit", "sequence.py")
_remove = KIT.question("remove", "1")
_discard = KIT.question("discard", "6")


@KIT.phase("player")
def player_turn(table: Table) -> Play:
    """Run phases 1 to 5 of the active player, the hand limit at their end, and pass the turn (6)."""
    seat = table.state.active
    table.log("turn.player", rule="turn", turn=table.state.turn, seat=seat)
    with table.within("turn", seat=seat, turn=table.state.turn):
        yield from remove_inferior(table, seat)
        draw(table, seat)
        yield from exchange(table, seat)
        yield from specials(table, seat)
        named = yield from compulsory(table, seat)
        yield from hand_limit(table, seat, named)
    # Go on to the next player clockwise, until all have had their turn (6).
    state = table.state
    order = table.clockwise(state.first)
    at = order.index(state.active) + 1
    if at < len(order):
        state.active = order[at]
    else:
        state.phase = "end"


def remove_inferior(table: Table, seat: str) -> Play:
    """Remove a card of an own inferior pile, if there is one (1): an Open one goes before the last named one."""
    if not (cards := inferior(table, seat)):
        return
    options = choosable(cards)
    word = next(iter(options))
    if len(options) > 1:
        before = table.n
        word = yield from _ask_removal(table, seat)
        if table.n > before + 1:  # the moderator has corrected something meanwhile
            options = choosable(inferior(table, seat))
    if word in options:
        discard_from(table, seat, *options[word], "influence.removed", "1")


def _ask_removal(table: Table, seat: str) -> Ask[str]:
    found, why = partial(inferior, table, seat), partial(refusals.removing, table, seat)
    return which_goes(table, seat, _remove, found, why)


def inferior(table: Table, seat: str) -> Cards:
    """Return the cards of the inferior piles of `seat` one of which must be removed, each with its country."""
    c, piles = table.c, table.state.players[seat].piles
    return [(country, key) for country, pile in piles.items() if pile.inferior for key in removable(c, pile)]


def draw(table: Table, seat: str) -> None:
    """Draw four cards (2). The discards are shuffled when the deck is empty; if both are, nothing is drawn (S-19)."""
    state = table.state
    drawn: list[str] = []
    while len(drawn) < table.c.hand.draw and (state.deck or state.discards):
        if not state.deck:
            state.deck, state.discards = state.discards, []
            for player in state.players.values():
                player.dropped.clear()
            table.shuffle(state.deck)
            table.log("deck.shuffled", rule="2", cards=len(state.deck))
        drawn.append(state.deck.pop())
    state.players[seat].hand.extend(drawn)
    table.log("deck.drawn", rule="2", seat=seat, count=len(drawn), private={seat: {"cards": drawn}})


def hand_limit(table: Table, seat: str, named: list[str]) -> Play:
    """Make a player discard down to the limit at the end of their own turn (6): what they `named`, if it still fits."""
    if not (surplus := _surplus(table, seat)):
        return
    cards = named
    if not (named and _discarding(table, seat).accepts(named)):
        cards = yield from _discard(
            seat, partial(_discarding, table, seat), partial(weakest, table, seat), count=surplus
        )
    player = table.state.players[seat]  # read now: the moderator may have changed the hand meanwhile
    for key in cards:
        player.hand.remove(key)
        player.dropped.append(key)
        table.state.discards.append(key)
    told = {seat: {"cards": list(cards)}}
    table.log("hand.discarded", rule="6", seat=seat, count=len(cards), private=told)


def _surplus(table: Table, seat: str) -> int:
    return max(0, len(table.state.players[seat].hand) - table.c.hand.limit)


def _discarding(table: Table, seat: str) -> Subset[str]:
    surplus = _surplus(table, seat)
    why = partial(refusals.in_hand, table, seat, "6")
    return Subset(list(table.state.players[seat].hand), surplus, surplus, what="card", why=why)


def weakest(table: Table, seat: str) -> list[str]:
    """Return the default to discard: the influence cards with the fewest votes, special cards last."""
    hand, cards = table.state.players[seat].hand, table.c.cards
    return sorted(hand, key=lambda key: cards[key].votes or 9)[: _surplus(table, seat)]


def next_turn(table: Table, seat: str, asked: bool) -> Ask[Any] | None:
    """Return the first question of the next turn of a player: a card of an inferior pile (1), or the partner (3)."""
    state = table.state
    order = table.clockwise(state.first)
    ahead = order.index(seat) - order.index(state.active) if state.phase == "player" else 0
    first = ahead < 0 and (seat, state.active) == (order[1], order[-1])  # of the next turn, and right after this vote
    if not ahead or (asked and ahead != 1 and not first) or (ahead < 0 and state.turn == table.c.last_turn):
        return None
    if len(choosable(inferior(table, seat))) > 1:
        return _ask_removal(table, seat)
    return ask_partner(table, seat) if table.rule("exchange") == "partner" else None


def follow(table: Table, seat: str, kind: str) -> dict[str, Domain]:
    """Return what comes after the exchange, and after a special card (4, 5): the rest of the player's own turn."""
    if table.state.active != seat or kind not in ("partner", "exchange", "special"):
        return {}
    found: dict[str, Domain] = {}
    if kind != "special":
        found["special"] = menu(table, seat)
    if may_call(table.c, table.state, seat):
        found["call"] = call_form(table, seat)
    return found
