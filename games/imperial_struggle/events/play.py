"""Playing an Event (5.2): which cards fit the tile, the bonus condition, the effects in their order."""

from __future__ import annotations

from typing import Any

from games.imperial_struggle import board, ministries
from games.imperial_struggle.components import Grant
from games.imperial_struggle.events.conditions import fulfilled
from games.imperial_struggle.events.effects import BASE, BONUS, Effect, choose, effect_of, rule
from games.imperial_struggle.invariants import invariants
from games.imperial_struggle.points import Purses
from games.imperial_struggle.rules import MARK_CUTS, Words, fire, handles, offers
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import BRITAIN, DIPLOMATIC, ECONOMIC, FRANCE
from games.imperial_struggle.table import Table
from pbem.kernel.answers import Choice, Domain, Form, Optional, Values
from pbem.kernel.fiat import manual
from pbem.kernel.game import Play

BANK, SALON = "bank-of-england/2", "marquis-de-condorcet/1"
"""Abilities that lift one of the two demands on the tile (M-8, M-25)."""
RIVALRY = "austro-spanish-rivalry"


@offers
def offer(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """`event <card> [reveal=<ministry>]`: after the tile is taken, before anything of it is used (5.2)."""
    now = table.state.now
    if now.tile and not now.event_over and not now.event:
        words["event"] = _form


def _form(table: Table, seat: str, purses: Purses) -> Form | None:
    cards = [card for card in table.state.sides[seat].hand if needs(table, seat, card) is not None]
    if not cards:
        return None
    return Form(card=Choice(cards, "event"), reveal=lambda v: _reveal(table, seat, v))


def needs(table: Table, seat: str, card: str) -> list[str] | None:
    """The Ministry abilities it takes to play `card` on this tile; None if it cannot be played (3.4.4)."""
    tile = table.c.investments[table.state.now.tile]
    action = table.c.events[card].action
    wanted = []
    if not tile.event:
        wanted.append(SALON)
    if action not in ("any", tile.major):
        if action != ECONOMIC:
            return None
        wanted.append(BANK)
    return wanted if all(ministries.ready(table, seat, ability) for ability in wanted) else None


def _reveal(table: Table, seat: str, values: Values) -> Domain | None:
    """A face-down Ministry card whose keyword serves the card played (3.5.3)."""
    event = table.c.events[values.card]
    keywords = {event.condition.keyword} | ({"governance"} if event.id == "la-gabelle" else set())
    side = table.state.sides[seat]
    hidden = [
        m
        for m in side.ministries
        if m not in side.revealed and keywords & set(table.c.ministries[m].keywords)
    ]
    return Optional(Choice(hidden, "ministry")) if hidden else None


@handles("event")
def play(table: Table, seat: str, value: Any) -> Play:
    """5.2: the bonus condition first, then the whole base effect, then the whole bonus effect."""
    card, now = value["card"], table.state.now
    for ability in needs(table, seat, card) or ():
        ministries.use(table, seat, ability)
    if value.get("reveal"):
        ministries.reveal(table, seat, value["reveal"])
    now.event, now.begun, now.event_over = card, True, True  # the tile is used: no passing any more (6.2)
    table.state.sides[seat].hand.remove(card)
    table.state.removed.append(card)
    now.bonus = fulfilled(table, seat, card)
    table.say("events.played", rule="5.2", seat=seat, card=card, bonus=now.bonus)
    with table.within("event", seat=seat, card=card):
        yield from _effects(table, seat, card)
    if now.bonus:
        fire("event_bonus", table, seat)
    fire("event_played", table, seat)


def _effects(table: Table, seat: str, card: str) -> Play:
    """Both effects, each followed by the points it grants; a card set to manual is left to the moderator."""
    if table.c.events[card].manual:
        yield from manual(table, card, seat, invariants, rule=rule(table))
        return
    yield from _carry_out(table, seat, effect_of(BASE, card, seat))
    yield from _grants(table, seat, card, "base")
    if table.state.now.bonus:
        yield from _carry_out(table, seat, effect_of(BONUS, card, seat))
        yield from _grants(table, seat, card, "bonus")


def _carry_out(table: Table, seat: str, effect: Effect | None) -> Play:
    going = effect(table, seat) if effect is not None else None
    if going is not None:
        yield from going


def _grants(table: Table, seat: str, card: str, when: str) -> Play:
    """The points that the data grant; counted ones (`per`) are granted by the card's own rule."""
    due = [
        g
        for g in table.c.events[card].grants
        if g.when == when and g.side in ("both", "", seat) and not g.per
    ]
    either = [g for g in due if g.choice]
    if either:
        word = yield from choose(table, seat, "points_type", [g.type for g in either])
        due = [g for g in due if not g.choice or g.type == word]
    for grant in due:
        _grant(table, seat, card, grant)


def _grant(table: Table, seat: str, card: str, grant: Grant) -> None:
    limit = grant.limit
    if card == RIVALRY and grant.type == DIPLOMATIC and option(table, "rivalry") == "anywhere":
        limit = ""
    board.grant(table, seat, grant.type, grant.points, limit, source=card)


def _pacte(table: Table, seat: str, space: str, removing: bool) -> int:
    """#17: removing French flags in Spain and Austria."""
    cheap = removing and table.state.flags[space] == FRANCE
    return int(cheap and seat == BRITAIN and table.c.spaces[space].country in ("spain", "austria"))


MARK_CUTS["pacte-de-famille"] = _pacte
