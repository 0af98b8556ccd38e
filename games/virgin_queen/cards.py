"""Cards and treasures (6): drawing, discarding, random draws from a hand; hands and piles are lists of ids."""

from __future__ import annotations

from collections.abc import Iterable

from games.virgin_queen.query import seat_of
from games.virgin_queen.state import QueenState
from games.virgin_queen.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("6.2", "the deck and the deal", "cards.py", "upkeep.py", "keys.py")
KIT.chapter("6.3", "treasures", "cards.py", "upkeep.py")

GRAND_TOUR = "grand-tour"
"""Removed from the game when it is played after the Catholic League has formed (FAQ 28)."""
MORISCO_REVOLT = "morisco-revolt"

REFUSED, KEPT, REMOVED = "refused", "kept", "removed"
"""What an event may return: not allowed, card already placed elsewhere, card out of the game (6.2)."""


def draw(table: Table, power: str, number: int, rule: str = "6.2") -> list[str]:
    """Draw cards from the deck; only the drawer sees which. Fewer if the deck runs out."""
    state = table.state
    drawn = [state.deck.pop() for _ in range(min(number, len(state.deck)))]
    state.powers[power].hand += drawn
    seat = seat_of(state, power)
    private = {seat: {"cards": drawn}} if seat else None
    table.log("cards.drawn", rule=rule, power=power, count=len(drawn), private=private)
    return drawn


def draw_treasure(table: Table, power: str, rule: str = "6.3") -> str:
    """Take a random treasure from the pool, "" if it is empty; only its owner sees which."""
    state = table.state
    if not state.treasure_pool:
        return ""
    treasure = str(state.treasure_pool.pop())
    give_treasure(table, power, treasure, rule)
    return treasure


def give_treasure(table: Table, power: str, treasure: str, rule: str = "6.3") -> None:
    """Put a treasure into a power's hand, face down."""
    state = table.state
    state.powers[power].treasures.append(treasure)
    seat = seat_of(state, power)
    private = {seat: {"treasure": treasure}} if seat else None
    table.log("treasure.gained", rule=rule, power=power, private=private)


def put_by(table: Table, power: str, kind: str, key: str) -> None:
    """11, 16.4 step 5 b: Put a card or treasure into a hand; it can't be used before the next impulse."""
    own = table.state.powers[power]
    (own.hand if kind == "card" else own.treasures).append(key)
    own.fresh.append(key)


def ready(table: Table, power: str) -> list[str]:
    """Return the cards of a hand that can be played in the current impulse."""
    own = table.state.powers[power]
    return [card for card in own.hand if card not in own.fresh]


def waiting(table: Table, powers: Iterable[str], word: str) -> RejectionReason | None:
    """Return why a card or treasure that came in this impulse can't be played; None for other words than `play`."""
    fresh = [found for power in powers for found in table.state.powers[power].fresh]
    return because("fresh", "16.4") if word in fresh or (fresh and word == "play") else None


def discard(table: Table, card: str, *, event: bool = False) -> None:
    """Put a played card where it belongs (6.2): on the power card, out of the game, or on the discards."""
    state = table.state
    info = table.c.cards[card]
    if info.type == "home":
        state.powers[info.owner].home.append(card)
    elif (event and info.remove == "event") or (card == GRAND_TOUR and state.league):
        state.removed.append(card)
    else:
        state.discards.append(card)


def loose(table: Table, power: str) -> list[str]:
    """Return the cards of a hand that may be drawn at random or taken: all but home cards (6.1)."""
    cards = table.c.cards
    return [card for card in table.state.powers[power].hand if cards[card].type != "home"]


def random_from(table: Table, victim: str) -> tuple[str, str]:
    """6.3 Take a random card, or a treasure if there are no more cards: (`card` or `treasure`, id), or ("", "")."""
    owner = table.state.powers[victim]
    cards = loose(table, victim)
    if len(cards) > len(owner.treasures):
        card = cards[table.dice.roll(1, len(cards))[0] - 1]
        owner.hand.remove(card)
        return "card", card
    if not owner.treasures:
        return "", ""
    treasure = owner.treasures.pop(table.dice.roll(1, len(owner.treasures))[0] - 1)
    return "treasure", treasure


def give_up(table: Table, power: str, what: str) -> None:
    """Move a card or a treasure of a hand to the discards of its kind (6.2, 6.3)."""
    own = table.state.powers[power]
    if what in own.treasures:
        own.treasures.remove(what)
        table.state.treasure_used.append(what)
    else:
        own.hand.remove(what)
        discard(table, what)


def released(state: QueenState) -> bool:
    """Discard the card of the Morisco Revolt (28) once the Morisco unit is gone; return whether it did."""
    if MORISCO_REVOLT not in state.lasting or any("morisco" in here for here in state.land.values()):
        return False
    state.lasting.remove(MORISCO_REVOLT)
    state.discards.append(MORISCO_REVOLT)
    return True
