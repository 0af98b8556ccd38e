"""Mercenaries (49, 52, 55, 56): blocks of foreigners attached to an own noble until the King Phase (24.1.2)."""

from __future__ import annotations

from collections.abc import Sequence

from games.crown_of_roses.blocks import attach, can_host, leave
from games.crown_of_roses.components import Terms
from games.crown_of_roses.events.common import event, nobles
from games.crown_of_roses.query import full, in_play
from games.crown_of_roses.state import INACTIVE
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.answers import Choice
from pbem.kernel.game import Play

_mercenary = KIT.question("mercenary", "14.2")

FOREIGN = ("merc_burgundians", "merc_scots", "merc_french")
"""Those whom card 70 sends home."""


def where(table: Table, terms: Terms) -> list[str]:
    """The shires of a card: coastal ones of a sea, or those of a region."""
    c = table.c
    if terms.sea:
        return [key for key, shire in c.shires.items() if terms.sea in shire.seas]
    return [key for key, shire in c.shires.items() if shire.region == terms.region]


def available(table: Table, block: str) -> bool:
    """Whether a mercenary block may enter play: it is not there, nor sent home for the turn (card 70)."""
    state = table.state
    banned = block in FOREIGN and "england_for_the_english" in state.lasting
    return not in_play(table, block) and not banned


def hosts(table: Table, house: str, block: str, places: Sequence[str]) -> list[str]:
    """Own nobles in these shires who can take a mercenary block (8.3.3)."""
    return [key for key in nobles(table, house, places) if can_host(table, block, key)]


def hire(table: Table, house: str, block: str, host: str, rule: str) -> None:
    """A block enters at full strength, attached; it has moved if its host has."""
    state = table.state
    hired, noble = state.blocks[block], state.blocks[host]
    attach(table, block, host)
    hired.steps = full(table.c, block)
    hired.moved, hired.mustered, hired.pinned = noble.moved, noble.mustered, noble.pinned
    table.say("mercenaries.enter", rule=rule, house=house, block=block, place=noble.at, learns=True)


def _hosts(table: Table, house: str, card: str) -> list[str]:
    """49, 52, 55, 56 Own nobles whom the block can join, if it is not in play."""
    terms = table.c.cards[card].params
    return hosts(table, house, terms.block, where(table, terms)) if available(table, terms.block) else []


def _can_hire(table: Table, house: str, card: str) -> bool:
    return bool(_hosts(table, house, card))


@event("burgundian_handgunners", "french_aid", "scottish_clans", "welsh_archers", can=_can_hire)
def hired(table: Table, house: str, card: str) -> Play:
    """49, 52, 55, 56 If the block is not in play it joins a noble on the coast, or in the region, named."""
    able = _hosts(table, house, card)
    host = yield from _mercenary(house, Choice(able, "noble"), able[0], card=card)
    hire(table, house, table.c.cards[card].params.block, host, "14.2")


def send_home(table: Table, block: str) -> None:
    """A mercenary block leaves play; its card with it."""
    state = table.state.blocks[block]
    if state.owner:
        table.say(
            "mercenaries.leave", rule="14.2", block=block, house=state.owner, place=state.at, learns=True
        )
        leave(table, block, INACTIVE)
