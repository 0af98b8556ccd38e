"""Ministry cards in general (3.5): turning up, readiness, exhaustion, and the words their abilities answer to.

An ability is written `card/n`, the n-th on the card; that is also its entry in `state.exhausted`. Using one of a
face-down card turns the card up. Everything here happens in an Action Round of the owner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from games.imperial_struggle.invariants import invariants
from games.imperial_struggle.points import Purses
from games.imperial_struggle.rules import HANDLERS, Build, Words, fire, handles, offers
from games.imperial_struggle.table import Table
from pbem.kernel.answers import Choice, Domain
from pbem.kernel.fiat import manual
from pbem.kernel.game import Play

When = Callable[[Table, str], bool]
Ask = Callable[[Table, str], Domain]
Do = Callable[[Table, str, Any], "Play | None"]


class Word(msgspec.Struct, frozen=True):
    """A word of the menu that uses an ability. `early`: also before the tile is taken; `domain` None: a bare word."""

    name: str
    ability: str
    when: When
    domain: Build | None = None
    early: bool = False


WORDS: dict[str, list[Word]] = {}
"""Ministry card → the words of its abilities."""


def word(
    name: str, ability: str, *, when: When, domain: Ask | None = None, early: bool = False
) -> Callable[[Do], Do]:
    """Decorator: this function carries out an ability, which has been turned up and exhausted before."""

    def register(do: Do) -> Do:
        build = None if domain is None else lambda table, seat, purses: domain(table, seat)
        WORDS.setdefault(ability.partition("/")[0], []).append(Word(name, ability, when, build, early))

        def handler(table: Table, seat: str, value: Any) -> Play | None:
            use(table, seat, ability)
            return do(table, seat, value)

        HANDLERS[name] = handler
        return do

    return register


@offers
def offer(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """`reveal <card>`, and the words of all abilities that can be used now (3.5.2, 5.1)."""
    state = table.state
    side, early = state.sides[seat], not state.now.tile
    if table.c.by_hand:
        by_hand = [card for card in side.ministries if card in table.c.by_hand]
        if by_hand:
            words["ministry"] = Choice(by_hand, "ministry")
    if len(side.revealed) < len(side.ministries):
        words["reveal"] = _hidden
    for card in side.ministries:
        for one in WORDS.get(card, ()):
            if (one.early or not early) and one.ability not in state.exhausted and one.when(table, seat):
                words[one.name] = one.domain


def _hidden(table: Table, seat: str, purses: Purses) -> Choice:
    side = table.state.sides[seat]
    return Choice([card for card in side.ministries if card not in side.revealed], "ministry")


@handles("reveal")
def turn_up(table: Table, seat: str, value: Any) -> None:
    """3.5 A card may be turned up in advance at any moment of an own Action Round."""
    reveal(table, seat, value["with"])


@handles("ministry")
def by_moderator(table: Table, seat: str, value: Any) -> Play:
    """A card that the pack sets to manual: besides what is printed, the moderator does what its owner claims."""
    reveal(table, seat, value["with"])
    yield from manual(table, value["with"], seat, invariants, rule=rule(table, value["with"]))


def reveal(table: Table, seat: str, card: str) -> None:
    """Turn a Ministry card face up, if it is not."""
    side = table.state.sides[seat]
    if card not in side.revealed:
        side.revealed.append(card)
        table.say("ministries.revealed", rule="3.5", seat=seat, card=card)
        fire("revealed", table, seat, card)


def ready(table: Table, seat: str, ability: str) -> bool:
    """Whether `seat` has the card in play, face up or down, and the ability is not Exhausted."""
    state = table.state
    return ability.partition("/")[0] in state.sides[seat].ministries and ability not in state.exhausted


def use(table: Table, seat: str, ability: str) -> None:
    """Turn the card up if need be and mark the ability Exhausted (3.5.2)."""
    card = ability.partition("/")[0]
    reveal(table, seat, card)
    table.state.exhausted.append(ability)
    table.say("ministries.used", rule=rule(table, card), seat=seat, card=card)


def rule(table: Table, card: str) -> str:
    """What the lines of a card cite: its number."""
    return f"M-{table.c.ministries[card].number}"


def has_action(table: Table, kind: str) -> bool:
    """Whether an action of this type is open in the round, Major or Minor."""
    return any(pool.type == kind and pool.opens for pool in table.state.now.pools)


def untouched(table: Table, seat: str) -> bool:
    """Whether the round has seen no Event and no spending yet ("start of the Action Round")."""
    now = table.state.now
    return not now.begun and not now.event
