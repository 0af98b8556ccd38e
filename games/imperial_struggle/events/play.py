"""Playing an Event (5.2): which cards fit the tile, the bonus condition, the effects in their order."""

from __future__ import annotations

from functools import partial
from typing import NotRequired, TypedDict

from games.imperial_struggle import board, ministries
from games.imperial_struggle.costs import MARK_CUTS
from games.imperial_struggle.events.conditions import fulfilled
from games.imperial_struggle.events.effects import BASE, BONUS, choose, effect_of, rule
from games.imperial_struggle.invariants import invariants
from games.imperial_struggle.refusals import not_in_hand, reason
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import BRITAIN, DIPLOMATIC, ECONOMIC, FRANCE, ActionRound
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.corrections import manual
from pbem.kernel.domains import Choice, Domain, Form, Optional
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("3.4.4", "restrictions of Events", "events/play.py")
KIT.chapter("5.2", "playing an Event", "events/play.py", "events/conditions.py")
_points = KIT.question("points_type", "5.2")
BANK, SALON = "bank-of-england/2", "marquis-de-condorcet/1"
"""Abilities that lift one of the two demands of 3.4.4 on the tile (M-8, M-25)."""
RIVALRY = "austro-spanish-rivalry"


class EventPlay(TypedDict):
    """An Event, and a Ministry card turned up for its keyword."""

    card: str
    reveal: NotRequired[str]


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer `event <card> [reveal=<ministry>]`: after the tile is taken, before anything of it is used (5.2)."""
    if now.tile and not now.event_over and not now.event:
        words.append("event")


def _playable(table: Table, seat: str) -> list[str] | None:
    return [card for card in table.state.sides[seat].hand if needs(table, seat, card) is not None] or None


def _form(table: Table, seat: str, cards: list[str]) -> Form[EventPlay]:
    event = Choice(cards, "event", partial(_unplayable, table, seat))
    return Form(card=event, reveal=lambda v: _reveal(table, seat, v))


def needs(table: Table, seat: str, card: str) -> list[str] | None:
    """Return the Ministry abilities needed to play `card` on this tile; None if it can't be played (3.4.4)."""
    tile = table.c.investments[table.state.now.tile]
    action = table.c.events[card].action
    wanted = []
    # 3.4.4: the tile has the Event symbol; M-25 does without.
    if not tile.event:
        wanted.append(SALON)
    # 3.4.4: its Major Action is of the type of the card; M-8 does without if that is Economic.
    if action not in ("any", tile.major):
        if action != ECONOMIC:
            return None
        wanted.append(BANK)
    return wanted if all(ministries.ready(table, seat, ability) for ability in wanted) else None


def _unplayable(table: Table, seat: str, card: str) -> RejectionReason | None:
    """Return why an Event can't be played on this tile (3.4.4)."""
    problem = not_in_hand(table, seat, card)
    if problem is not None:
        return problem
    now, action = table.state.now, table.c.events[card].action
    tile = table.c.investments[now.tile]
    if not tile.event and not ministries.ready(table, seat, SALON):
        return because("event_symbol", "3.4.4", tile=now.tile)
    return because("event_type", "3.4.4", card=card, type=action, tile=now.tile, major=tile.major)


@reason("event")
def _no_event(table: Table, seat: str) -> RejectionReason | None:
    """Return why no Event can be played (5.2): one has been, something has been used, or what bars the hand."""
    now, hand = table.state.now, table.state.sides[seat].hand
    if now.event:
        return because("event_played", "5.2", card=now.event)
    if now.event_over:
        return because("event_over", "5.2")
    if not hand:
        return because("hand_empty", "5.2")
    problems = [_unplayable(table, seat, card) for card in hand]
    if len(hand) > 1 and all(problem is not None and problem.key == "no.event_type" for problem in problems):
        return because("event_types", "3.4.4", tile=now.tile, major=table.c.investments[now.tile].major)
    return problems[0]


def _reveal(table: Table, seat: str, v: EventPlay) -> Domain[str] | None:
    """Return a face-down Ministry card whose keyword serves the card played (3.5.3)."""
    event = table.c.events[v["card"]]
    keywords = {event.condition.keyword} | ({"governance"} if event.id == "la-gabelle" else set())
    side = table.state.sides[seat]
    hidden = [card for card in side.ministries if card not in side.revealed]
    hidden = [card for card in hidden if keywords & set(table.c.ministries[card].keywords)]
    return Optional(Choice(hidden, "ministry", partial(_useless, table, seat, v["card"]))) if hidden else None


def _useless(table: Table, seat: str, event: str, card: str) -> RejectionReason | None:
    """Return why a Ministry card is not turned up for an Event (3.5.3)."""
    return ministries.not_hidden(table, seat, card) or because("keyword", "3.5.3", card=card, event=event)


@KIT.action("event", "5.2", _playable, _form)
def play(table: Table, seat: str, order: EventPlay) -> Play:
    """Execute the bonus condition first (1), then the whole base effect, then the whole bonus effect (2) (5.2)."""
    card, now = order["card"], table.state.now
    for ability in needs(table, seat, card) or ():
        ministries.use(table, seat, ability)
    if "reveal" in order:
        ministries.reveal(table, seat, order["reveal"])
    # The tile is used: passing is no longer possible (6.2).
    now.event, now.begun, now.event_over = card, True, True
    table.state.sides[seat].hand.remove(card)
    table.state.removed.append(card)
    now.bonus = fulfilled(table, seat, card)
    table.log("events.played", rule="5.2", seat=seat, card=card, bonus=now.bonus)
    with table.within("event", seat=seat, card=card):
        yield from _effects(table, seat, card)
    if now.bonus:
        KIT.fire("event_bonus", table, seat)
    KIT.fire("event_played", table, seat)


def _effects(table: Table, seat: str, card: str) -> Play:
    """Execute both effects, each followed by the points it grants. A card set to manual is left to the moderator."""
    if table.c.events[card].manual:
        yield from manual(table, card, seat, invariants, rule=rule(table))
        return
    for moment, when in ((BASE, "base"), (BONUS, "bonus")):
        if when == "base" or table.state.now.bonus:
            effect = effect_of(moment, card, seat)
            if effect is not None:
                yield from effect.run(table, seat, card)
            yield from _grants(table, seat, card, when)


def _grants(table: Table, seat: str, card: str, when: str) -> Play:
    """Grant the points in the data; counted ones (`per`) are granted by the card's own rule."""
    grants = [grant for grant in table.c.events[card].grants if grant.when == when and not grant.per]
    due = [grant for grant in grants if grant.side in ("both", "", seat)]
    either = [grant.type for grant in due if grant.choice]
    if either:
        word = yield from choose(table, seat, _points, either)
        due = [grant for grant in due if not grant.choice or grant.type == word]
    for grant in due:
        limit = grant.limit
        if card == RIVALRY and grant.type == DIPLOMATIC and option(table, "rivalry") == "anywhere":
            limit = ""
        board.grant(table, seat, grant.type, grant.points, limit, source=card)


def _pacte(table: Table, seat: str, space: str, removing: bool) -> int:
    """#17: removing French flags in Spain and Austria."""
    cheap = removing and table.state.flags[space] == FRANCE
    return int(cheap and seat == BRITAIN and table.c.spaces[space].country in ("spain", "austria"))


MARK_CUTS["pacte-de-famille"] = _pacte
