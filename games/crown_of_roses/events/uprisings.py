"""Where raids and planned uprisings strike: the cards of 14.2.1."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from games.crown_of_roses.events.common import event
from games.crown_of_roses.events.raids import UPRISING, strike
from games.crown_of_roses.query import king_house
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Choice
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask


def goals(table: Table, terms: Mapping[str, Any]) -> list[str]:
    """The shires that a card, or an ally's option, allows."""
    if "only" in terms:
        return list(terms["only"])
    sea = terms.get("sea", "")
    return [
        key
        for key, shire in table.c.shires.items()
        if key not in terms.get("exclude", ())
        and (not sea or sea in shire.seas or (sea == "any" and shire.seas))
    ]


def kind_of(terms: Mapping[str, Any]) -> str:
    """`uprising`, or the raiders."""
    return str(terms.get("raid", UPRISING))


def _run(table: Table, house: str, card: str) -> Play:
    """30 to 33, 36 to 39, B2, W6, Y3: choose the shire and let it come."""
    terms = table.c.cards[card].params
    able = goals(table, terms)
    shire = yield Ask(
        house, "event_shire", Choice(able, "shire"), rule="14.2.1", default=able[0], about={"card": card}
    )
    yield from strike(table, house, card, kind_of(terms), shire)


def _allowed(card: str, table: Table, house: str) -> bool:
    """Y3 Only while no heir of York is King."""
    unless = table.c.cards[card].params.get("requires_not_king", "")
    return not unless or king_house(table.state) != unless


for _card in (
    "french_raid_30", "french_raid_31", "french_raid_32", "jack_cade", "pirate_raid_36", "robyn_of_redesdale",
    "robyn_of_holderness", "scots_raid", "buckinghams_rebellion", "conyers", "winter_of_discontent",
):  # fmt: skip
    event(_card, can=partial(_allowed, _card))(_run)
