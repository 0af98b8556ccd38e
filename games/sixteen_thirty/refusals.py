"""Reasons for rejections: why something isn't possible now, each with the rule that bars it.

The player who asks sees their own hand; of other players a reason names only what is on the table and on the map.
"""

from __future__ import annotations

from collections.abc import Container

from games.sixteen_thirty.components import ThirtyComponents, face_of
from games.sixteen_thirty.state import NEUTRAL, ThirtyState
from games.sixteen_thirty.table import SEATS, Table
from pbem.kernel.domains import PASS
from pbem.kernel.rejections import RejectionReason, because

SIDE, WAR, CHANGE, REARM = "side", "war", "change", "rearm"
"""The agendas of a vote."""
PEACE, DISARMED = "peace", "disarmed"
ENTER = "enter"


# -- cards -------------------------------------------------------------------------------------------------------------


def _card(c: ThirtyComponents, word: str) -> str:
    """Return the card that a word names by its id or its face; the first of equal ones, "" if it names none."""
    return word if word in c.cards else next((key for key in c.cards if face_of(key) == word), "")


def _held(table: Table, seat: str, word: str) -> bool:
    hand = table.state.players[seat].hand
    return word in hand or word in map(face_of, hand)


def in_hand(table: Table, seat: str, rule: str, word: str) -> RejectionReason | None:
    """Return why a card can't be given or discarded: it is not in hand."""
    return because("hand", rule, card=word) if _card(table.c, word) else None


def laying(table: Table, seat: str, country: str, word: str) -> RejectionReason | None:
    """Return why a card can't be laid in a country (5)."""
    if not (card := _card(table.c, word)):
        return None
    if not _held(table, seat, word) or card in table.c.fits[country]:
        return because("hand", "5", card=word)
    if card in table.c.special:
        return because("no_influence_card", "5", card=word)
    return because("other_country", "5", card=word, country=country)


def displaying(table: Table, seat: str, word: str) -> RejectionReason | None:
    """Return why a card can't be laid in the first display (Set-up)."""
    word = word.partition("@")[0]
    if not (card := _card(table.c, word)):
        return None
    if not _held(table, seat, word):
        return because("hand", "set-up", card=word)
    if card in table.c.special:
        return because("no_influence_card", "set-up", card=word)
    return because("open_first", "influence", card=word) if card not in table.c.named else None


def removing(table: Table, seat: str, word: str) -> RejectionReason | None:
    """Return why a card does not go at the beginning of the turn (1)."""
    word = word.partition("@")[0]
    if not (card := _card(table.c, word)):
        return None
    face = face_of(card)
    lying = [pile for pile in table.state.players[seat].piles.values() if face in map(face_of, pile.cards)]
    if not lying:
        return because("no_pile", "1", card=word)
    return because("last_named" if any(pile.inferior for pile in lying) else "superior", "1", card=word)


def losing(table: Table, country: str, rule: str, word: str) -> RejectionReason | None:
    """Return why a card does not go from the pile of a country (4, 5)."""
    return because("not_there", rule, card=word, country=country) if _card(table.c, word) else None


# -- the exchange (3) --------------------------------------------------------------------------------------------------


def partner(table: Table, seat: str, word: str) -> RejectionReason | None:
    """Return why nothing can be exchanged with a player (3)."""
    if word not in table.seats:
        return because("not_playing", "3", seat=word) if word in SEATS else None
    return because("oneself", "3") if word == seat else because("no_cards", "3", partner=word)


# -- special cards (4) -------------------------------------------------------------------------------------------------


def special(table: Table, seat: str, word: str) -> RejectionReason | None:
    """Return why a special card can't be played (4); None for what is none."""
    c = table.c
    if word not in c.special.values():
        return None
    if word not in map(c.special.get, table.state.players[seat].hand):
        return because("special", "4", card=word)
    return because(_NOWHERE[word], "4", status=c.limits.status_max) if word in _NOWHERE else None


_NOWHERE = {
    "vote": "no_vote", "army": "no_army", "status": "all_top", "leader": "all_leaders", "assassin": "no_piles",
    "unrest": "all_unrest",
}  # fmt: skip
"""Special card → why it has nothing to act on."""

_UNFIT = {"army": "size_zero", "status": "top", "leader": "leader", "unrest": "unrest"}
"""Special card → why it can't be played in a country."""


def special_in(table: Table, card: str, word: str) -> RejectionReason | None:
    """Return why a special card can't be played in a country (4, S-11, S-14)."""
    if word not in table.state.countries or card not in _UNFIT:
        return None
    return because(_UNFIT[card], "4", country=word, status=table.state.countries[word].status)


def owner(table: Table, word: str) -> RejectionReason | None:
    """Return why the assassin can't strike a player (4)."""
    return because("owner", "4", owner=word) if word in table.seats else None


def victim(table: Table, owner: str, word: str) -> RejectionReason | None:
    """Return why the assassin can't take a card (4): none such is in the player's piles."""
    word = word.partition("@")[0]
    return because("victim", "4", card=word, owner=owner) if _card(table.c, word) else None


# -- votes (5) ---------------------------------------------------------------------------------------------------------


def call(state: ThirtyState, word: str) -> RejectionReason | None:
    """Return why no vote can be called in a country (5); nobody may pass."""
    if word == PASS:
        return because("must_call", "5")
    return RejectionReason("vote.no_influence", {"country": word}, "5") if word in state.countries else None


def agenda(state: ThirtyState, country: str, word: str) -> RejectionReason | None:
    """Return why an agenda that exists is not open to this country (5)."""
    land = state.countries[country]
    if word in (WAR, CHANGE, REARM) and land.side == NEUTRAL:
        return RejectionReason("vote.neutral", {"country": country}, "5")
    if word == SIDE:
        return RejectionReason("vote.has_side", {"country": country}, "5")
    if word == REARM:
        return RejectionReason("vote.has_army", {"country": country}, "5")
    if word == WAR and land.unrest:
        return RejectionReason("war.unrest", {"country": country}, "5")
    if word == WAR and land.army == 0:
        return RejectionReason("war.no_army", {"country": country}, "5")
    return RejectionReason("war.no_target", {"country": country}, "5") if word == WAR else None


def target(state: ThirtyState, country: str, word: str) -> RejectionReason | None:
    """Return why a country can't be attacked (5)."""
    if word not in state.countries:
        return None
    side = state.countries[word].side
    if side in (NEUTRAL, state.countries[country].side):
        return RejectionReason("war.same_side", {"country": country, "target": word}, "5")
    return RejectionReason("war.not_adjacent", {"country": country, "target": word}, "5")


def voting(votes: tuple[str, str], known: Container[str], word: str) -> RejectionReason | None:
    """Return why a vote with influence isn't possible: no abstaining, no second entry, no other subject (5)."""
    if word == PASS:
        return because("abstain", "5", votes=list(votes))
    if word == ENTER:
        return because("enter", "5", votes=list(votes))
    return because("agenda", "5", votes=list(votes)) if word in known else None


def entering(country: str, may: bool, known: Container[str], word: str) -> RejectionReason | None:
    """Return why somebody without influence can't vote, or not without entering (5, S-08)."""
    if word != ENTER and word not in known:
        return None
    return because("enter_first" if may else "no_entry", "5", country=country)
