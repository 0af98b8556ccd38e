"""The meaning of a rejected word or number, and reasons that several chapters give.

A reason is worked out when a word is rejected, never when a question is asked. A house knows its own blocks and hand;
of others a reason names what everybody knows: who controls a noble, which house is where, what is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from games.crown_of_roses.names import names
from games.crown_of_roses.query import in_play
from games.crown_of_roses.table import Table
from pbem.kernel.rejections import RejectionReason, because

Bar = Callable[[str], RejectionReason | None]
"""Why a word can't be chosen; None for what is not of its kind."""


def meant(table: Table, word: str) -> str:
    """Return the id that a word of the game names, the word itself if it names none or several."""
    return names(table.c).meant(str(word)) or word


def id_named_in(table: Table, word: str, ids: Iterable[str]) -> str:
    """Return the one of `ids` that a word names, besides anything else it may name; "" if none."""
    found = names(table.c).exact(str(word), list(ids))
    return "" if found is None else str(found)


def block_meant(table: Table, word: str) -> str:
    """Return the block that a word names, where a block is asked for (Norfolk is a shire too); "" if none."""
    return id_named_in(table, word, table.c.blocks)


def place_meant(table: Table, word: str) -> str:
    """Return the shire or exile box that a word names; "" if none."""
    return id_named_in(table, word, [*table.c.shires, *table.c.exiles])


def card_meant(table: Table, word: str) -> str:
    """Return the card that a word names; "" if none."""
    return id_named_in(table, word, table.c.cards)


def bar_house(table: Table, key: str, rule: str, word: str, **args: object) -> RejectionReason | None:
    """Return why a house can't be named (`no.key`), or does not play; None if it isn't a house."""
    if word in table.state.houses:
        return because(key, rule, house=word, **args)
    known = any(block.house == word for block in table.c.blocks.values())
    return because("not_playing", rule, house=word) if known and word else None


def bar_own(table: Table, house: str, place: str, rule: str, word: str) -> RejectionReason | None:
    """Return why a block isn't of a house in a place; None if it is, or if it isn't a block."""
    key = block_meant(table, word)
    if not key or (table.state.blocks[key].owner, table.state.blocks[key].at) == (house, place):
        return None
    return because("not_yours", rule, block=key, place=place)


def bar_host(table: Table, house: str, place: str, rule: str, word: str) -> RejectionReason | None:
    """Return the same for a block that must be unattached (8.3.3)."""
    problem, key = bar_own(table, house, place, rule, word), block_meant(table, word)
    if problem is not None or not key:
        return problem
    host = table.state.blocks[key].host
    return because("attached", "8.3.3", block=key, host=host) if host else None


def bar_mine(table: Table, house: str, rule: str, word: str, *, in_shire: bool = False) -> RejectionReason | None:
    """Return why a block isn't a noble of a house in play (in a shire); None if it is, or if it isn't a block."""
    if not (key := block_meant(table, word)):
        return None
    block = table.state.blocks[key]
    if block.owner != house or not table.c.blocks[key].noble:
        return because("not_my_noble", rule, block=key)
    if in_shire and block.at not in table.c.shires:
        return because("not_in_shire", rule, block=key)
    return None if in_play(table, key) else because("not_in_play", rule, block=key)


def bar_hand(table: Table, house: str, rule: str, word: str) -> RejectionReason | None:
    """Return why a card can't be named by a house: it is not in its hand; None if it is, or if it isn't a card."""
    card = card_meant(table, word)
    return because("not_in_hand", rule, card=card) if card and card not in table.state.houses[house].hand else None


def bar_marked(table: Table, so_far: Iterable[str], rule: str, word: str) -> RejectionReason | None:
    """Return why a noble with markers on the Roll can't be named; None if they can, or if it isn't a block."""
    if not (key := block_meant(table, word)):
        return None
    if key in so_far:
        return because("same_box", rule, block=key)
    if key not in table.c.roll:
        return because("no_box", rule, block=key)
    marked = any(key in house.roll for house in table.state.houses.values())
    return None if marked else because("no_stack", rule, block=key)
