"""4 Special cards: up to two from hand, one at a time, each resolved before the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypedDict

from games.sixteen_thirty import refusals, vote
from games.sixteen_thirty.influence import choosable, discard_from, votes_of
from games.sixteen_thirty.invariants import invariants
from games.sixteen_thirty.state import Country
from games.sixteen_thirty.table import KIT, Table
from pbem.kernel.corrections import manual
from pbem.kernel.domains import PASS, Choice, Form, Menu
from pbem.kernel.game import Play
from pbem.kernel.kit import Answer, word_of

KIT.chapter("4", "special cards", "specials.py")
_special = KIT.question("special", "4")
_struck = KIT.question("unrest", "4")


class InCountry(TypedDict):
    """A special card that is played in a country."""

    country: str


class AssassinAnswer(TypedDict):
    """The player whose card is lost, and the card."""

    owner: str
    card: str


def specials(table: Table, seat: str) -> Play:
    """Run the phase: special cards may be played one by one, or none."""
    for count in range(table.c.hand.specials):
        if not table.state.players[seat].hand:
            return
        answer = yield from _special(seat, partial(menu, table, seat), PASS, played=count)
        if answer == PASS:
            return
        word = word_of(answer)
        hand = table.state.players[seat].hand  # read now: the moderator may have changed it meanwhile
        key = hand.pop([*map(table.c.special.get, hand)].index(word))
        table.state.discards.append(key)
        table.log("special.played", rule="4", reveals=True, seat=seat, card=word)
        if word in table.c.manual:
            yield from manual(table, word, seat, invariants, rule="4")
        else:
            with table.within("special", card=word, seat=seat):
                yield from KIT.carry_out(table, seat, answer)


def menu(table: Table, seat: str) -> Menu[Answer]:
    """Return `pass`, or a special card in hand that has something to act on, with what it needs.

    A card that is set to manual needs nothing: the moderator handles it.
    """
    words = [*dict.fromkeys(filter(None, map(table.c.special.get, table.state.players[seat].hand)))]
    by_hand = [word for word in words if word in table.c.manual]
    playable, why = [word for word in words if word not in by_hand], partial(refusals.special, table, seat)
    return KIT.menu(table, seat, playable, (PASS, *by_hand), why=why)


def lands(fits: Callable[[Country, int], bool]) -> Callable[[Table, str], list[str] | None]:
    """Return a function that finds the countries that fit. `fits` also gets the end of the status track."""

    def find(table: Table, seat: str) -> list[str] | None:
        top = table.c.limits.status_max
        return [key for key, land in table.state.countries.items() if fits(land, top)] or None

    return find


def _in(card: str) -> Callable[[Table, str, list[str]], Form[InCountry]]:
    """Return the form of a card that is played in one of the countries found."""

    def form(table: Table, seat: str, countries: list[str]) -> Form[InCountry]:
        return Form(country=Choice(countries, "country", partial(refusals.special_in, table, card)))

    return form


def _owners(table: Table, seat: str) -> list[str] | None:
    return [owner for owner, player in table.state.players.items() if player.piles] or None


def _victims(table: Table, seat: str, owners: list[str]) -> Form[AssassinAnswer]:
    return Form(owner=Choice(owners, "seat", partial(refusals.owner, table)), card=partial(_victim, table))


def _victim(table: Table, v: AssassinAnswer) -> Choice[str]:
    return Choice(list(on_table(table, v["owner"])), "card", partial(refusals.victim, table, v["owner"]))


def on_table(table: Table, owner: str) -> dict[str, tuple[str, str]]:
    """Return the cards of a player's piles as they are named in a choice."""
    piles = table.state.players[owner].piles
    return choosable([(country, key) for country, pile in piles.items() for key in pile.cards])


def _call(table: Table, seat: str, _: bool) -> Form[vote.VoteCall]:
    return vote.call_form(table, seat)


@KIT.action("vote", "4", lambda table, seat: vote.may_call(table.c, table.state, seat) or None, _call)
def _vote(table: Table, seat: str, answer: vote.VoteCall) -> Play:
    """Vote: a vote in one country at once, besides the compulsory one (S-23)."""
    return vote.vote(table, seat, answer)


@KIT.action("improvement", "4", lands(lambda land, top: True), _in("improvement"))
def _improvement(table: Table, seat: str, answer: InCountry) -> None:
    """Military Improvement: army ability + 1, in any country (S-15)."""
    land = table.state.countries[answer["country"]]
    land.ability += 1
    table.log("special.improvement", rule="4", country=answer["country"], ability=land.ability)


@KIT.action("army", "4", lands(lambda land, top: land.army > 0), _in("army"))
def _army(table: Table, seat: str, answer: InCountry) -> None:
    """Increase Army Size: army size + 1; from 0 only rearming raises it (S-14)."""
    land = table.state.countries[answer["country"]]
    land.army += 1
    table.log("special.army", rule="4", country=answer["country"], army=land.army)


@KIT.action("status", "4", lands(lambda land, top: land.status < top), _in("status"))
def _status(table: Table, seat: str, answer: InCountry) -> None:
    """Increase Status: status + 1."""
    land = table.state.countries[answer["country"]]
    land.status += 1
    table.log("special.status", rule="4", country=answer["country"], status=land.status)


@KIT.action("leader", "4", lands(lambda land, top: not land.leader), _in("leader"))
def _leader(table: Table, seat: str, answer: InCountry) -> None:
    """Military Leader: + 2 in every war of the country until the end of the turn (S-12), one at a time (S-11)."""
    table.state.countries[answer["country"]].leader = True
    table.log("special.leader", rule="4", country=answer["country"])


@KIT.action("assassin", "4", _owners, _victims)
def _assassin(table: Table, seat: str, answer: AssassinAnswer) -> None:
    """Assassin: any one card of any pile goes to the discards, the player's own included."""
    country, key = on_table(table, answer["owner"])[answer["card"]]
    if answer["owner"] != seat:
        table.stop_advance_orders(answer["owner"])
    discard_from(table, answer["owner"], country, key, "special.assassin", "4")


@KIT.action("unrest", "4", lands(lambda land, top: not land.unrest), _in("unrest"))
def _unrest(table: Table, seat: str, answer: InCountry) -> Play:
    """Unrest (one at a time, S-11): the piles of those with most influence there, all tied ones (S-10), decline."""
    state, country = table.state, answer["country"]
    state.countries[country].unrest = True
    table.log("special.unrest", rule="4", country=country)
    most = max(votes_of(state, owner, country) for owner in table.seats)
    struck = [owner for owner in table.clockwise(seat) if most and votes_of(state, owner, country) == most]
    return vote.decline(table, country, struck, _struck, {"country": country})
