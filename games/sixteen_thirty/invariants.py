"""Invariants of a state: no card lost or doubled, every track within its ends, piles as the rules say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.sixteen_thirty.state import NEUTRAL
from games.sixteen_thirty.table import KIT, Table
from pbem.kernel.rejections import RejectionReason


def invariants(table: Table) -> list[RejectionReason]:
    """Return all that is wrong with the state, each with its rule; [] for a valid one."""
    return [*_control(table), *_cards(table), *_piles(table), *_countries(table)]


def _control(table: Table) -> Iterator[RejectionReason]:
    """Check which turn it is, whose, and where play goes on (turn, 6)."""
    state = table.state
    if state.phase not in (*KIT.phases, "over"):
        yield _problem(f"there is no phase {state.phase}", "turn")
    if not 1 <= state.turn <= table.c.last_turn:
        yield _problem(f"turn {state.turn} of {table.c.last_turn}", "turn")
    for seat in (state.first, state.active):
        if seat not in state.players:
            yield _problem(f"{seat or 'nobody'} takes no part", "6")


def _cards(table: Table) -> Iterator[RejectionReason]:
    state = table.state
    held = Counter([*state.deck, *state.discards])
    for player in state.players.values():
        held.update(player.hand)
        for pile in player.piles.values():
            held.update(pile.cards)
    wrong = held - Counter(table.c.deck) | Counter(table.c.deck) - held
    for key in sorted(wrong):
        yield _problem(f"{held[key]} copies of card {key} in play", "set-up")
    for seat, player in state.players.items():
        if not set(player.dropped) <= set(state.discards):
            yield _problem(f"a card that {seat} dropped isn't among the discards", "6")
    counters = Counter(state.spare)
    for player in state.players.values():
        counters.update(player.counters)
    if counters != Counter(table.c.counters):
        yield _problem("victory point counters were lost or added", "set-up")


def _piles(table: Table) -> Iterator[RejectionReason]:
    cards = table.c.cards
    for seat, player in table.state.players.items():
        for country, pile in player.piles.items():
            named = {cards[key].country for key in pile.cards} - {None}
            if named != {country}:
                yield _problem(f"{seat}'s pile of {country} has no card of its own", "influence")
            if pile.votes != sum(cards[key].votes for key in pile.cards):
                yield _problem(f"{seat}'s pile of {country} is not worth {pile.votes}", "influence")


def _countries(table: Table) -> Iterator[RejectionReason]:
    limits = table.c.limits
    for key, land in table.state.countries.items():
        if not limits.status_min <= land.status <= limits.status_max:
            yield _problem(f"{key}: status {land.status}", "war")
        if land.army < 0 or land.ability < 0:
            yield _problem(f"{key}: army size {land.army}, ability {land.ability}", "war")
        if land.side not in (NEUTRAL, "red", "blue"):
            yield _problem(f"{key}: side {land.side}", "5")


def _problem(text: str, rule: str) -> RejectionReason:
    return RejectionReason("rules.custom", {"text": text}, rule)
