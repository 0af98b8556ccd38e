"""Influence cards (set-up, 1, 5): piles, superior and inferior, and Open cards ("More about influence cards")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from games.sixteen_thirty.components import ThirtyComponents, face_of
from games.sixteen_thirty.invariants import invariants
from games.sixteen_thirty.state import Pile, ThirtyState
from games.sixteen_thirty.table import Table
from pbem.kernel.corrections import manual
from pbem.kernel.domains import PASS, Choice
from pbem.kernel.game import Play
from pbem.kernel.kit import QuestionKind
from pbem.kernel.questions import Ask
from pbem.kernel.rejections import RejectionReason

Cards = Sequence[tuple[str, str]]
"""Cards on the table, each with the country of its pile: `(country, card)`."""
About = dict[str, Any]
"""What a question is about."""


def votes_of(state: ThirtyState, seat: str, country: str) -> int:
    """Return the votes, which are also the influence, of a player in a country; inferior piles count in full."""
    pile = state.players[seat].piles.get(country)
    return pile.votes if pile is not None else 0


def may_add(state: ThirtyState, seat: str, country: str) -> bool:
    """Return whether cards may still join this pile: an inferior one takes none until it is gone."""
    pile = state.players[seat].piles.get(country)
    return pile is None or not pile.inferior


def placeable(c: ThirtyComponents, state: ThirtyState, seat: str, country: str) -> tuple[list[str], list[str]]:
    """Return the hand cards for `country`: those of which one must be laid if any is, and all that may be laid.

    Open cards need a named card of the country in the pile, so without a pile one that names it must be among them.
    """
    player = state.players[seat]
    pile = player.piles.get(country)
    if pile is not None and pile.inferior:  # see `may_add`
        return [], []
    # Sorted, as they are put on the table: their order in hand would show which was drawn, or got, first.
    every = sorted(filter(c.fits[country].__contains__, player.hand))
    if pile is not None or not every:
        return [], every
    named = [*filter(c.naming[country].__contains__, every)]
    return (named, every) if named else ([], [])


def lay(table: Table, seat: str, country: str, cards: Sequence[str], rule: str) -> Play:
    """Move cards from hand to the pile of `country`. They never come back to hand.

    A card that the moderator's pack sets to manual counts as printed; the moderator then does the rest.
    """
    if not cards:
        return
    put(table, seat, country, cards)
    table.log("influence.laid", rule=rule, reveals=True, seat=seat, country=country, cards=list(map(face_of, cards)))
    for key in cards:
        if table.c.cards[key].manual:
            yield from manual(table, face_of(key), seat, invariants, rule=rule)


def put(table: Table, seat: str, country: str, cards: Sequence[str]) -> None:
    """Move the cards of `lay`, which logs the move."""
    player = table.state.players[seat]
    pile = player.piles.get(country)
    if pile is None:
        pile = player.piles[country] = Pile([])
    for key in cards:
        player.hand.remove(key)
        pile.cards.append(key)
        pile.votes += table.c.cards[key].votes


def removable(c: ThirtyComponents, pile: Pile) -> list[str]:
    """Return the cards that a pile's owner may take from it: never the last named card while an Open one is there."""
    cards = list(pile.cards)
    if len(cards) > 1:
        named = [*filter(c.named.__contains__, cards)]
        if len(named) == 1:
            cards.remove(named[0])
    return cards


def votes_lost(c: ThirtyComponents, pile: Pile, key: str) -> int:
    """Return how many votes a pile loses with a card: all, if its last named card leaves Open ones behind (S-09)."""
    return c.cards[key].votes if len(pile.cards) == 1 or key in removable(c, pile) else pile.votes


def discard_from(table: Table, seat: str, country: str, key: str, why: str, rule: str, *, sealed: bool = False) -> None:
    """Move one card from a pile to the discards. Open cards left without a named card follow it (S-09).

    `sealed`: the card was chosen in secret, at the same time as others chose.
    """
    piles = table.state.players[seat].piles
    pile = piles[country]
    gone = [key]
    pile.cards.remove(key)
    if table.c.named.keys().isdisjoint(pile.cards):
        gone += pile.cards
        del piles[country]
    else:
        pile.votes -= table.c.cards[key].votes
    table.state.discards.extend(gone)
    table.log(why, rule=rule, reveals=sealed, seat=seat, country=country, cards=list(map(face_of, gone)))


def choosable(cards: Cards) -> dict[str, tuple[str, str]]:
    """Return the names of cards on the table in a choice: what is written → (country, card).

    Cards are named by their faces (`england-2`; an Open card that is in several piles `open-1@spain`), for nobody can
    tell equal cards on the table apart: a physical id would let a player follow a card that they once exchanged.
    """
    found: dict[str, tuple[str, str]] = {}
    apart = False
    for country, key in cards:
        apart |= found.setdefault(face_of(key), (country, key))[0] != country
    if not apart:
        return found
    lying: dict[str, dict[str, str]] = {}  # face → country → the first such card in its pile
    for country, key in cards:
        lying.setdefault(face_of(key), {}).setdefault(country, key)
    return {
        face if len(piles) == 1 else f"{face}@{country}": (country, key)
        for face, piles in lying.items()
        for country, key in piles.items()
    }


def which_goes(
    table: Table, seat: str, question: QuestionKind, find: Callable[[], Cards],
    why: Callable[[str], RejectionReason | None], about: About | None = None,
) -> Ask[str]:  # fmt: skip
    """Ask which of the cards that `find` finds leaves the piles of `seat`.

    They are looked up when it is answered: the moderator may correct the piles while it is open. `why` says why
    another card can't be chosen.
    """
    return question(seat, partial(_any_of, find, why), partial(_mildest, table, seat, find), **about or {})


def _any_of(find: Callable[[], Cards], why: Callable[[str], RejectionReason | None]) -> Choice[str]:
    return Choice(list(choosable(find())) or [PASS], "card", why)


def _mildest(table: Table, seat: str, find: Callable[[], Cards]) -> str:
    """Return the card that is lost if the deadline expires: the one that takes the fewest votes with it (S-09)."""
    options, piles = choosable(find()), table.state.players[seat].piles

    def lost(word: str) -> int:
        country, key = options[word]
        return votes_lost(table.c, piles[country], key)

    return min(options, key=lost, default=PASS)
