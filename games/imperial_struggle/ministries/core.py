"""Ministry cards in general (3.5): turning up, readiness, exhaustion, and the words of their abilities.

An ability is written `card/n`, the n-th on the card; that is also its entry in `state.exhausted`. Using one of a
face-down card turns the card up. All of this happens in an Action Round of the owner.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

from games.imperial_struggle.invariants import invariants
from games.imperial_struggle.refusals import Bar, Reason, reason
from games.imperial_struggle.state import ActionRound
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.corrections import manual
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("3.5", "Ministry cards", "ministries/core.py")
KIT.chapter("3.5.2", "abilities", "ministries/")

Do = TypeVar("Do", bound=Callable[[Table, str, str], Play | None])
"""The function that executes an ability; it gets the choice made for it, or the word."""


class AbilityAction(NamedTuple):
    """An ability with a word in the menu. `early`: it can be used before the tile is taken too."""

    word: str
    key: str
    early: bool


ABILITIES: dict[str, list[AbilityAction]] = {}
"""Ministry card → its abilities with a word."""


def ability(
    word: str, key: str, when: Callable[[Table, str], bool], why: Reason, *, early: bool = False
) -> Callable[[Do], Do]:
    """Register the decorated function for an ability without options.

    It runs once the card is turned up and Exhausted.

    `why` says what is wrong where `when` does not hold.
    """

    def register(do: Do) -> Do:
        _card_of(word, key, why, early=early)
        KIT.bare(word, "3.5.2", when)(_exhausting(key, do))
        return do

    return register


def choosing(
    word: str, key: str, options: Callable[[Table, str], list[str]], what: str, why: Reason, bar: Bar
) -> Callable[[Do], Do]:
    """Register the decorated function for an ability with options, which can be used before the tile is taken too.

    Without any option it can't be used; `bar` says why something is none.
    """

    def form(table: Table, seat: str, found: list[str]) -> Choice[str]:
        return Choice(found, what, partial(bar, table, seat))

    def register(do: Do) -> Do:
        _card_of(word, key, why, early=True)
        KIT.action(word, "3.5.2", lambda table, seat: options(table, seat) or None, form)(_exhausting(key, do))
        return do

    return register


def _card_of(word: str, key: str, why: Reason, *, early: bool) -> None:
    ABILITIES.setdefault(key.partition("/")[0], []).append(AbilityAction(word, key, early))

    def unready(table: Table, seat: str) -> RejectionReason | None:
        """Return why the ability can't be used (3.5.2): the card, the tile, and its own conditions."""
        problem = unusable(table, seat, key)
        if problem is None and not early and not table.state.now.tile:
            problem = because("take_first", "5.1")
        return problem or why(table, seat)

    reason(word, early=True)(unready)


def unusable(table: Table, seat: str, key: str) -> RejectionReason | None:
    """Return why an ability of an own card, face down or up, is not `ready`; None if it is (3.5.2)."""
    card = key.partition("/")[0]
    if key in table.state.exhausted:
        return because("ability_used", "3.5.2", card=card)
    return None if ready(table, seat, key) else not_in_play(table, seat, card)


def not_in_play(table: Table, seat: str, card: str) -> RejectionReason | None:
    """Return why a Ministry card is none of those that `seat` has chosen (3.5.1); None if it is, or no card."""
    owner = table.c.ministries[card].side
    if owner != seat:
        return because("other_ministry", "3.5.1", card=card, seat=owner)
    if card in table.state.removed:
        return because("ministry_gone", "3.5.1", card=card)
    return None if card in table.state.sides[seat].ministries else because("not_chosen", "3.5.1", card=card)


def _exhausting(key: str, do: Do) -> Callable[[Table, str, str], Play | None]:
    def run(table: Table, seat: str, value: str) -> Play | None:
        use(table, seat, key)
        return do(table, seat, value)

    return run


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer `reveal <card>`, and the words of all abilities that can be used now (3.5.2, 5.1)."""
    state, seat, taken = table.state, now.seat, now.tile
    side = state.sides[seat]
    if table.c.by_hand and _by_hand(table, seat):
        words.append("ministry")
    if len(side.revealed) < len(side.ministries):
        words.append("reveal")
    for card in side.ministries:
        for word, key, early in ABILITIES.get(card, ()):
            if (early or taken) and key not in state.exhausted and KIT.actions[word].find(table, seat):
                words.append(word)


def _hidden(table: Table, seat: str) -> list[str]:
    side = table.state.sides[seat]
    return [card for card in side.ministries if card not in side.revealed]


def _by_hand(table: Table, seat: str) -> list[str]:
    return [card for card in table.state.sides[seat].ministries if card in table.c.by_hand]


def _turning(table: Table, seat: str, cards: list[str]) -> Choice[str]:
    return Choice(cards, "ministry", partial(not_hidden, table, seat))


def not_hidden(table: Table, seat: str, card: str) -> RejectionReason | None:
    """Return why a card can't be turned up (3.5); None if it is face down before `seat`."""
    problem = not_in_play(table, seat, card)
    if problem is None and card in table.state.sides[seat].revealed:
        problem = because("face_up", "3.5", card=card)
    return problem


@reason("reveal", early=True)
def _all_open(table: Table, seat: str) -> RejectionReason:
    """Return the reason that no card is face down (3.5)."""
    return because("all_face_up", "3.5")


@reason("ministry", early=True)
def _none_by_hand(table: Table, seat: str) -> RejectionReason:
    """Return the reason that the pack leaves no card to the moderator."""
    return because("by_hand", "3.5")


def _claimed(table: Table, seat: str, cards: list[str]) -> Choice[str]:
    return Choice(cards, "ministry", partial(not_in_play, table, seat))


@KIT.action("reveal", "3.5", _hidden, _turning)
def turn_up(table: Table, seat: str, card: str) -> None:
    """Turn a card up in advance, at any moment of an own Action Round (3.5)."""
    reveal(table, seat, card)


@KIT.action("ministry", "3.5", _by_hand, _claimed)
def by_moderator(table: Table, seat: str, card: str) -> Play:
    """Execute a manual card: the moderator does what its owner claims, besides what is printed."""
    reveal(table, seat, card)
    yield from manual(table, card, seat, invariants, rule=rule(table, card))


def reveal(table: Table, seat: str, card: str) -> None:
    """Turn a Ministry card face up, if it is face down."""
    side = table.state.sides[seat]
    if card not in side.revealed:
        side.revealed.append(card)
        table.log("ministries.revealed", rule="3.5", seat=seat, card=card)
        KIT.fire("revealed", table, seat, card)


def ready(table: Table, seat: str, key: str) -> bool:
    """Return whether `seat` has the card in play, face up or down, and the ability is not Exhausted."""
    return key.partition("/")[0] in table.state.sides[seat].ministries and key not in table.state.exhausted


def use(table: Table, seat: str, key: str) -> None:
    """Turn the card up if it is face down, and mark the ability Exhausted (3.5.2)."""
    card = key.partition("/")[0]
    reveal(table, seat, card)
    table.state.exhausted.append(key)
    table.log("ministries.used", rule=rule(table, card), seat=seat, card=card)


def rule(table: Table, card: str) -> str:
    """Return what the log lines of a card cite: its number."""
    return f"M-{table.c.ministries[card].number}"


def has_action(kind: str) -> Callable[[Table, str], bool]:
    """Return whether an action of this type is open in the round, Major or Minor."""
    return lambda table, seat: any(pool.type == kind and pool.opens for pool in table.state.now.pools)


def no_action(card: str, kind: str) -> Reason:
    """Return the reason where `has_action` does not hold."""
    return lambda table, seat: because("no_action", "3.5.4", card=card, type=kind)


def not_fresh(table: Table, seat: str) -> RejectionReason | None:
    """Return why it is no longer the start of the round, None if it is."""
    return None if untouched(table) else because("start", "3.5.2")


def untouched(table: Table) -> bool:
    """Return whether no Event and no spending has happened in the round yet ("start of the Action Round")."""
    now = table.state.now
    return not now.begun and not now.event
