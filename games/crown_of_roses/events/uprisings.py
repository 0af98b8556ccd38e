"""Where raids and planned uprisings strike: the cards of 14.2.1."""

from __future__ import annotations

from games.crown_of_roses.components import Terms
from games.crown_of_roses.events.common import event, event_shire
from games.crown_of_roses.events.raids import UPRISING, strike
from games.crown_of_roses.query import king_house
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Choice
from pbem.kernel.game import Play


def goals(table: Table, terms: Terms, sea: str = "") -> list[str]:
    """The shires that a card, or an ally's option, allows; `sea` if the text names none."""
    if terms.only:
        return list(terms.only)
    sea = terms.sea or sea
    return [
        key
        for key, shire in table.c.shires.items()
        if key not in terms.exclude and (not sea or sea in shire.seas or (sea == "any" and shire.seas))
    ]


def _allowed(table: Table, house: str, card: str) -> bool:
    """Y3 Only while no heir of York is King."""
    unless = table.c.cards[card].params.requires_not_king
    return not unless or king_house(table.state) != unless


@event(
    "french_raid_30", "french_raid_31", "french_raid_32", "jack_cade", "pirate_raid_36", "robyn_of_redesdale",
    "robyn_of_holderness", "scots_raid", "buckinghams_rebellion", "conyers", "winter_of_discontent",
    can=_allowed,
)  # fmt: skip
def raid(table: Table, house: str, card: str) -> Play:
    """30 to 33, 36 to 39, B2, W6, Y3: choose the shire and let it come."""
    terms = table.c.cards[card].params
    able = goals(table, terms)
    shire = yield from event_shire(house, Choice(able, "shire"), able[0], rule="14.2.1", card=card)
    yield from strike(table, house, card, terms.raid or UPRISING, shire)
