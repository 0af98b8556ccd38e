"""Targets of raids and planned uprisings: the cards of 14.2.1."""

from __future__ import annotations

from functools import partial

from games.crown_of_roses.components import CardTerms
from games.crown_of_roses.events.common import event, event_shire
from games.crown_of_roses.events.raids import UPRISING, strike
from games.crown_of_roses.query import king_house
from games.crown_of_roses.refusals import place_meant
from games.crown_of_roses.table import Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because


def goals(table: Table, terms: CardTerms, sea: str = "") -> list[str]:
    """Return the shires that a card, or an ally's option, allows; `sea` if the text names none."""
    if terms.only:
        return list(terms.only)
    sea = terms.sea or sea
    return [
        key
        for key, shire in table.c.shires.items()
        if key not in terms.exclude and (not sea or sea in shire.seas or (sea == "any" and shire.seas))
    ]


def bar_goal(table: Table, terms: CardTerms, word: str) -> RejectionReason | None:
    """Return why a raid or uprising can't strike a shire, in the order of `goals`; None if it isn't a place."""
    if not (place := place_meant(table, word)):
        return None
    if terms.only:
        return because("only_shires", "14.2.1", place=place, shires=list(terms.only))
    if place in table.c.exiles or place in terms.exclude:
        return because("shire_spared", "14.2.1", place=place)
    return (
        because("other_coast", "14.2.1", place=place, sea=terms.sea)
        if terms.sea
        else because("inland", "14.2.1", place=place)
    )


def _crowned(table: Table, house: str, card: str) -> RejectionReason | None:
    """Return why Y3 can't be played: only while no heir of York is King."""
    unless = table.c.cards[card].params.requires_not_king
    barred = bool(unless) and king_house(table.state) == unless
    return because("king_of", "14.2.1", card=card, house=unless) if barred else None


@event(
    "french_raid_30", "french_raid_31", "french_raid_32", "jack_cade", "pirate_raid_36", "robyn_of_redesdale",
    "robyn_of_holderness", "scots_raid", "buckinghams_rebellion", "conyers", "winter_of_discontent",
    bar=_crowned,
)  # fmt: skip
def raid(table: Table, house: str, card: str) -> Play:
    """30 to 33, 36 to 39, B2, W6, Y3: choose the shire and let it come."""
    terms = table.c.cards[card].params
    able = goals(table, terms)
    choice = Choice(able, "shire", partial(bar_goal, table, terms))
    shire = yield from event_shire(house, choice, able[0], rule="14.2.1", card=card)
    yield from strike(table, house, card, terms.raid or UPRISING, shire)
