"""Mercenaries (49, 52, 55, 56): blocks of foreigners attached to an own noble until the King Phase (24.1.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from games.crown_of_roses.blocks import attach, can_host, leave
from games.crown_of_roses.components import CardTerms
from games.crown_of_roses.events.common import event, nobles
from games.crown_of_roses.query import command, full, in_play
from games.crown_of_roses.refusals import bar_mine, block_meant
from games.crown_of_roses.state import INACTIVE
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

_mercenary = KIT.question("mercenary", "14.2")

FOREIGN = ("merc_burgundians", "merc_scots", "merc_french")
"""Those whom card 70 sends home."""


def where(table: Table, terms: CardTerms) -> list[str]:
    """Return the shires of a card: coastal ones of a sea, or those of a region."""
    if terms.sea:
        return [key for key, shire in table.c.shires.items() if terms.sea in shire.seas]
    return [key for key, shire in table.c.shires.items() if shire.region == terms.region]


def available(table: Table, block: str) -> bool:
    """Return whether a mercenary block may enter play: it is not there, nor sent home for the turn (card 70)."""
    banned = block in FOREIGN and "england_for_the_english" in table.state.lasting
    return not in_play(table, block) and not banned


def bar_block(table: Table, block: str, rule: str) -> RejectionReason:
    """Return why a mercenary block can't enter play."""
    if in_play(table, block):
        return because("mercenaries_there", rule, block=block)
    return because("mercenaries_banned", rule, block=block, card="england_for_the_english")


def hosts(table: Table, house: str, block: str, places: Sequence[str]) -> list[str]:
    """Return own nobles in these shires who can take a mercenary block (8.3.3)."""
    return [key for key in nobles(table, house, places) if can_host(table, block, key)]


def bar_hirer(table: Table, house: str, places: Sequence[str], rule: str, word: str) -> RejectionReason | None:
    """Return why a noble can't take a mercenary block, in the order of `hosts`; None if it isn't a block."""
    problem, key = bar_mine(table, house, rule, word), block_meant(table, word)
    if problem or not key:
        return problem
    if table.state.blocks[key].at not in places:
        return because("not_in_place", rule, block=key, place=table.state.blocks[key].at)
    if not command(table, key):
        return because("commandless", "8.3.3", block=key)
    return because("has_mercenaries", "8.3.3", block=key)


def hire(table: Table, house: str, block: str, host: str, rule: str) -> None:
    """Enter a block at full strength, attached; it has moved if its host has."""
    hired, noble = table.state.blocks[block], table.state.blocks[host]
    attach(table, block, host)
    hired.steps = full(table.c, block)
    hired.moved, hired.mustered, hired.pinned = noble.moved, noble.mustered, noble.pinned
    table.log("mercenaries.enter", rule=rule, house=house, block=block, place=noble.at, reveals=True)


def _hosts(table: Table, house: str, card: str) -> list[str]:
    """Return own nobles whom the block can join, if it is not in play (49, 52, 55, 56)."""
    terms = table.c.cards[card].params
    return hosts(table, house, terms.block, where(table, terms)) if available(table, terms.block) else []


def _no_hire(table: Table, house: str, card: str) -> RejectionReason | None:
    block = table.c.cards[card].params.block
    if not available(table, block):
        return bar_block(table, block, "14.2")
    return None if _hosts(table, house, card) else because("no_hirer", "14.2", card=card, block=block)


@event("burgundian_handgunners", "french_aid", "scottish_clans", "welsh_archers", bar=_no_hire)
def hired(table: Table, house: str, card: str) -> Play:
    """49, 52, 55, 56 If the block is not in play it joins a noble on the coast, or in the region, named."""
    able = _hosts(table, house, card)
    terms = table.c.cards[card].params
    why = partial(bar_hirer, table, house, where(table, terms), "14.2")
    host = yield from _mercenary(house, Choice(able, "noble", why), able[0], card=card)
    hire(table, house, terms.block, host, "14.2")


def send_home(table: Table, block: str) -> None:
    """Remove a mercenary block from play, with its card."""
    state = table.state.blocks[block]
    if state.owner:
        table.log("mercenaries.leave", rule="14.2", block=block, house=state.owner, place=state.at, reveals=True)
        leave(table, block, INACTIVE)
