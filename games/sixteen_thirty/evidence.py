"""What the questions turn on. This module reads the rules; no rule reads it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from games.sixteen_thirty import influence, war
from games.sixteen_thirty.components import ThirtyComponents
from games.sixteen_thirty.refusals import WAR
from games.sixteen_thirty.state import Country
from games.sixteen_thirty.table import KIT, Table
from games.sixteen_thirty.vote import BALLOT
from pbem.kernel.evidence import Fact, Look, Meaning


def votes(look: Look[Table]) -> Iterator[Fact]:
    """Yield who has how many votes in the country, and who may lay more."""
    country, state = look.about["country"], look.table.state
    there = {look.who(seat): influence.votes_of(state, seat, country) for seat in state.players}
    most = sorted((key for key in there if there[key]), key=lambda key: -there[key])
    yield Fact("votes", {"country": country, "votes": {key: there[key] for key in most}}, (country,))
    more = [
        seat
        for seat, player in state.players.items()
        if seat not in (look.seat, look.about["caller"])
        and player.hand
        and influence.may_add(state, seat, country)
    ]
    if more and look.table.rule("placing") == "sealed":
        yield Fact("may_lay", {"seats": more})


@cache
def _differences(count: int, sides: int = 6) -> list[int]:
    """Return the difference of the dice of one country, in each way that they can fall."""
    return [max(fallen) - min(fallen) for fallen in product(range(sides), repeat=count)]


def war_odds(
    c: ThirtyComponents, countries: dict[str, Country], attacker: str, defender: str
) -> tuple[int, int]:
    """Return the chances in percent that the attacker wins, and that the defender does."""
    ours = war.modifier(c, attacker, countries[attacker], attacked=False)
    theirs = war.modifier(c, defender, countries[defender], attacked=True)
    falls = _differences(c.war.dice)
    ways = len(falls) ** 2
    leads = [x + ours - y - theirs for x, y in product(falls, falls)]
    return round(100 * sum(n > 0 for n in leads) / ways), round(100 * sum(n < 0 for n in leads) / ways)


def ballot(look: Look[Table], answer: Any) -> Meaning | None:
    """Return what a ballot does: the odds of the war."""
    if not isinstance(answer, dict) or answer["vote"] != WAR:
        return None
    country, target = look.about["country"], look.about["target"]
    wins, loses = war_odds(look.table.c, look.table.state.countries, country, target)
    return Meaning(
        follows=(Fact("war_odds", {"country": country, "wins": wins, "target": target, "loses": loses}),)
    )


KIT.turns_on(BALLOT.kind, facts=(votes,), means=ballot)
