"""Writs (10.5.1): a card of three OPS sends a noble instead of one's own, or of the King (14.1.1, 14.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, TypedDict

import msgspec

from games.crown_of_roses.draw import discard
from games.crown_of_roses.events.common import contested, in_england
from games.crown_of_roses.heirs import forfeit_heir
from games.crown_of_roses.query import ROYALS, attached, is_bound_by_embassy, king, king_house
from games.crown_of_roses.refusals import bar_hand, block_meant, card_meant, meant
from games.crown_of_roses.state import UNDECLARED
from games.crown_of_roses.table import Table
from pbem.kernel.domains import Choice, Form, Series
from pbem.kernel.rejections import RejectionReason, because

STOURTON = "stourton"
EDWARD = "lord_prince_edward"
MOST = 4
"""The number of nobles an order may name; the first who can be sent is."""


class WritAnswer(TypedDict):
    """The card that pays for a writ, and whom it names, in order."""

    card: str
    nobles: list[str]


class Writ(WritAnswer):
    """A writ."""

    do: Literal["writ"]


Reply = Literal["pass", "stourton"] | Writ
"""What a house may answer when a writ may be issued: nothing, Lord Stourton goes, a writ."""


class WritEvent(msgspec.Struct):
    """An event that a noble is called to: its shire, the nobles that writs named (R-43), houses that used one."""

    shire: str
    named: list[str] = []
    used: list[str] = []


def entitled(table: Table, house: str) -> bool:
    """Return whether a house may have a writ, by public knowledge: King or Queen, and a card."""
    state = table.state
    own = state.houses[house]
    queen = state.blocks["margaret"].owner
    return bool(own.hand) and not own.out and house in (king_house(state), queen)


def _empowered(table: Table, house: str) -> bool:
    """Return whether a house may issue a writ (10.5.1): it controls the King or the Queen."""
    state = table.state
    crowned = king(state)
    # 8.2 The King undeclared can issue none.
    by_king = bool(crowned) and king_house(state) == house and state.blocks[crowned].at != UNDECLARED
    # 10.5.1 Nor can the Queen outside England.
    return by_king or (state.blocks["margaret"].owner == house and in_england(table, "margaret"))


def cards(table: Table, house: str) -> list[str]:
    """Return cards in hand that pay for a writ; mandatory ones can't be discarded (10.4.2)."""
    ops = table.c.numbers.battle.writ_ops
    faces = table.c.cards
    return [
        card
        for card in sorted(table.state.houses[house].hand)
        if faces[card].ops == ops and faces[card].type != "mandatory"
    ]


def nameable(table: Table, house: str, errand: WritEvent) -> list[str]:
    """Return nobles that a writ may name, by public knowledge (10.5.1)."""
    state, c = table.state, table.c
    heirs = {key for own in state.houses.values() for key in own.heirs}
    return [
        key
        for key, block in state.blocks.items()
        if block.owner
        and c.blocks[key].noble
        # Henry VI goes with the host (see `can_go`).
        and c.blocks[key].command
        # No heir in play.
        and key not in heirs
        # No block twice for the same event.
        and key not in errand.named
        # Prince Edward is named by Lancaster only.
        and (key != EDWARD or house == "lancaster")
    ]


def can_go(table: Table, house: str, key: str) -> bool:
    """Return whether the noble named can be sent (10.5.1)."""
    state = table.state
    block = state.blocks[key]
    # Nobody in exile, undeclared, or in a contested shire; nor a block that receives an embassy (14.1.1).
    if block.at not in table.c.shires or contested(state, block.at) or is_bound_by_embassy(state, key):
        return False
    # Hosts of Henry VI and the Queen only by Lancaster.
    return house == "lancaster" or not any(guest in ROYALS for guest in attached(state, key))


def form(table: Table, house: str, errand: WritEvent) -> Form[WritAnswer] | None:
    """Return the form of a writ: the card that pays, and nobles in order, as hidden ones may not be free to go."""
    if house in errand.used or not _empowered(table, house):
        return None
    paying, able = cards(table, house), nameable(table, house, errand)
    if not paying or not able:
        return None

    def following(so_far: Sequence[str]) -> Choice[str] | None:
        left = [key for key in able if key not in so_far]
        return Choice(left, "noble") if left else None

    return Form(
        card=Choice(paying, "card", partial(_no_payment, table, house)),
        nobles=Series(following, 1, MOST, "nobles", partial(_not_named, table, house, errand)),
    )


def _no_payment(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a card does not pay for a writ, in the order of `cards` (10.5.1); None if it isn't a card."""
    problem, card = bar_hand(table, house, "10.5.1", word), card_meant(table, word)
    if problem or not card:
        return problem
    # Nor does a mandatory card: none has so many OPS.
    need = table.c.numbers.battle.writ_ops
    return because("other_ops", "10.5.1", card=card, ops=table.c.cards[card].ops, need=need)


def _not_named(table: Table, house: str, errand: WritEvent, so_far: Sequence[str], word: str) -> RejectionReason | None:
    """Return why a writ can't name a block, in the order of `nameable` (10.5.1); None if it isn't a block."""
    key, state = block_meant(table, word), table.state
    if not key:
        return None
    if key in so_far:
        return because("same_box", "10.5.1", block=key)
    if not table.c.blocks[key].noble or not state.blocks[key].owner:
        return because("no_controlled_noble", "10.5.1", block=key)
    if not table.c.blocks[key].command:
        return because("commandless", "10.5.1", block=key)
    if any(key in own.heirs for own in state.houses.values()):
        return because("writ_heir", "10.5.1", block=key)
    if key in errand.named:
        return because("writ_named", "10.5.1", block=key)
    return because("writ_edward", "10.5.1", block=key) if key == EDWARD and house != "lancaster" else None


def why_not(table: Table, house: str, errand: WritEvent, word: str) -> RejectionReason | None:
    """Return why a house can't issue a writ, or send Lord Stourton (10.5.1, 14.2.2); None for another word."""
    word = meant(table, word)
    if word == STOURTON:
        return because("not_before_you", "14.2.2", card=STOURTON)
    if word != "writ":
        return None
    if house in errand.used:
        return because("writ_used", "10.5.1")
    if not _empowered(table, house):
        return because("no_writ", "10.5.1")
    # There is always somebody whom a writ could name.
    return because("writ_card", "10.5.1", ops=table.c.numbers.battle.writ_ops)


def issue(table: Table, house: str, errand: WritEvent, order: Writ) -> str:
    """Pay for a writ and name the first noble who can be sent. Returns "" if none can: the card stays in hand."""
    key = next((noble for noble in order["nobles"] if can_go(table, house, noble)), "")
    if not key:
        table.log("writ.fails", rule="10.5.1", house=house, reveals=True)
        return ""
    card = order["card"]
    table.log("writ.issued", rule="10.5.1", house=house, card=card, block=key, reveals=True)
    table.state.houses[house].hand.remove(card)
    if table.c.cards[card].type == "heir":
        table.state.removed.append(card)
        forfeit_heir(table, house, card)
    else:
        discard(table, card)
    errand.used.append(house)
    errand.named.append(key)
    return key


def stourton(table: Table) -> str:
    """Return the house before which Lord Stourton is (card 22), "" if none."""
    return next((key for key, own in table.state.houses.items() if STOURTON in own.cards), "")


def send_stourton(table: Table, house: str) -> None:
    """Send Lord Stourton instead of a block; the card is discarded (14.2.2)."""
    table.state.houses[house].cards.remove(STOURTON)
    table.state.discards.append(STOURTON)
    table.log("ally.used", rule="14.2.2", house=house, card=STOURTON, option="respond", reveals=True)
