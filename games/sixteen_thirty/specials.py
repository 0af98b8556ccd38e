"""4 Special cards: up to two from hand, one at a time, each resolved before the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypedDict

from games.sixteen_thirty import vote
from games.sixteen_thirty.influence import choosable, discard_from, votes_of
from games.sixteen_thirty.invariants import invariants
from games.sixteen_thirty.state import Country
from pbem.kernel.answers import PASS, Choice, Domain, Form, TriedMenu, tried_menu
from pbem.kernel.fiat import manual
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask
from games.sixteen_thirty.table import Table


class In(TypedDict):
    """A special card that is played in a country."""

    country: str


class Murder(TypedDict):
    """Whose card goes, and which."""

    owner: str
    card: str


def specials(table: Table, seat: str) -> Play:
    """The phase: nobody is forced to play any."""
    for count in range(table.c.hand.specials):
        if not table.state.players[seat].hand:
            return
        answer = yield from Ask(
            seat, "special", partial(menu, table, seat), rule="4", default=PASS, about={"played": count}
        )
        if answer == PASS:
            return
        word = answer["do"] if isinstance(answer, dict) else answer
        hand = table.state.players[seat].hand  # now: the moderator may have set it anew meanwhile
        key = hand.pop([*map(table.c.special.get, hand)].index(word))
        table.state.discards.append(key)
        table.say("special.played", rule="4", learns=True, seat=seat, card=word)
        if word in table.c.manual:
            yield from manual(table, word, seat, invariants, rule="4")
        else:
            with table.within("special", card=word, seat=seat):
                yield from _PLAY[word](table, seat, answer)


def menu(table: Table, seat: str) -> TriedMenu:
    """`pass`, or a special card in hand that has something to act on, with what it needs."""
    c = table.c
    words = [*dict.fromkeys(filter(None, map(c.special.get, table.state.players[seat].hand)))]
    if not c.manual:
        return tried_menu(words, partial(_needs, table, seat), _PASS)
    by_hand = [word for word in words if word in c.manual]  # these need nothing: the moderator sees to it
    words = [word for word in words if word not in c.manual]
    return tried_menu(words, partial(_needs, table, seat), (*_PASS, *by_hand))


_PASS = (PASS,)


def _needs(table: Table, seat: str, word: str) -> Domain | None:
    """What a special card needs, None if there is nothing that it could act on."""
    state = table.state
    if word == "vote":
        return vote.call_form(table, seat) if vote.may_call(table.c, state, seat) else None
    if word == "assassin":
        return _victims(table)
    fits, top = _FITS[word], table.c.limits.status_max
    found = [key for key, land in state.countries.items() if fits(land, top)]
    return Form(country=Choice(found, "country")) if found else None


_FITS: dict[str, Callable[[Country, int], bool]] = {
    "improvement": lambda land, top: True,  # any country (S-15)
    "army": lambda land, top: land.army > 0,  # from 0 only a vote for rearming helps (S-14)
    "status": lambda land, top: land.status < top,
    "leader": lambda land, top: not land.leader,  # one at a time (S-11)
    "unrest": lambda land, top: not land.unrest,
}
"""Special → whether it has anything to act on in a country; `top` is the end of the status track."""


def _victims(table: Table) -> Form[Murder] | None:
    """Whose card goes, and which."""
    owners = [seat for seat, player in table.state.players.items() if player.piles]
    return Form(owner=Choice(owners, "seat"), card=partial(_victim, table)) if owners else None


def _victim(table: Table, v: Murder) -> Choice[str]:
    return Choice(list(_on_table(table, v["owner"])), "card")


def _on_table(table: Table, owner: str) -> dict[str, tuple[str, str]]:
    """The cards of a player's piles as they are named in a choice."""
    piles = table.state.players[owner].piles
    return choosable([(country, key) for country, pile in piles.items() for key in pile.cards])


def _vote(table: Table, seat: str, answer: vote.Call) -> Play:
    """Vote: a vote in one country at once, besides the compulsory one (S-23)."""
    yield from vote.vote(table, seat, answer)


def _improvement(table: Table, seat: str, answer: In) -> Play:
    """Military Improvement: army ability + 1."""
    land = table.state.countries[answer["country"]]
    land.ability += 1
    table.say("special.improvement", rule="4", country=answer["country"], ability=land.ability)
    yield from ()


def _army(table: Table, seat: str, answer: In) -> Play:
    """Increase Army Size: army size + 1."""
    land = table.state.countries[answer["country"]]
    land.army += 1
    table.say("special.army", rule="4", country=answer["country"], army=land.army)
    yield from ()


def _status(table: Table, seat: str, answer: In) -> Play:
    """Increase Status: status + 1."""
    land = table.state.countries[answer["country"]]
    land.status += 1
    table.say("special.status", rule="4", country=answer["country"], status=land.status)
    yield from ()


def _leader(table: Table, seat: str, answer: In) -> Play:
    """Military Leader: + 2 in every war of the country until the end of the turn (S-12)."""
    table.state.countries[answer["country"]].leader = True
    table.say("special.leader", rule="4", country=answer["country"])
    yield from ()


def _assassin(table: Table, seat: str, answer: Murder) -> Play:
    """Assassin: any one card of any pile goes to the discards, the player's own not excepted."""
    country, key = _on_table(table, answer["owner"])[answer["card"]]
    if answer["owner"] != seat:
        table.surprise(answer["owner"])
    discard_from(table, answer["owner"], country, key, "special.assassin", "4")
    yield from ()


def _unrest(table: Table, seat: str, answer: In) -> Play:
    """Unrest: whoever has most influence there, all tied ones (S-10), sees the pile decline at once."""
    state, country = table.state, answer["country"]
    state.countries[country].unrest = True
    table.say("special.unrest", rule="4", country=country)
    most = max(votes_of(state, one, country) for one in table.seats)
    struck = [one for one in table.clockwise(seat) if most and votes_of(state, one, country) == most]
    yield from vote.decline(table, country, struck, "unrest", "4", {"country": country})


_PLAY: dict[str, Callable[[Table, str, Any], Play]] = {
    "vote": _vote,
    "improvement": _improvement,
    "army": _army,
    "status": _status,
    "leader": _leader,
    "assassin": _assassin,
    "unrest": _unrest,
}
