"""The set-up: the map, victory point counters, the first hands, who is first, and the first display."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from games.sixteen_thirty import refusals
from games.sixteen_thirty.influence import lay
from games.sixteen_thirty.state import Country, Player, ThirtyState
from games.sixteen_thirty.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Series
from pbem.kernel.game import Play
from pbem.kernel.questions import AskAll

KIT.chapter(
    "set-up", "map, counters, first hands, first player, first display; piles and Open cards",
    "setup.py", "influence.py",
)  # fmt: skip
DISPLAY = KIT.question("display", "set-up")


def setup(table: Table) -> ThirtyState:
    """Return the start of a game: counters drawn blind, 13 cards each, the first player by the highest die."""
    c = table.c
    countries = {
        key: Country(land.status, land.army_size, land.army_ability, land.side) for key, land in c.countries.items()
    }
    counters, deck = list(c.counters), list(c.deck)
    table.shuffle(counters)
    table.shuffle(deck)
    players = {}
    for seat in table.seats:
        drawn = [counters.pop() for _ in range(c.draw[len(table.seats)])]
        hand = [deck.pop() for _ in range(c.hand.deal)]
        players[seat] = Player(hand, drawn)
    first = _first_player(table)
    for seat, player in players.items():
        table.log(
            "setup.dealt", rule="set-up", seat=seat, cards=len(player.hand), counters=len(player.counters),
            private={seat: {"hand": list(player.hand), "countries": sorted(player.counters)}},
        )  # fmt: skip
    return ThirtyState(players, countries, deck, [], counters, first, first)


def _first_player(table: Table) -> str:
    """Return the first player: all roll a die, the highest is first; ties roll again."""
    rolling = list(table.seats)
    while len(rolling) > 1:
        dice = table.roll(len(rolling), "setup.first_roll", rule="set-up", seats=list(rolling)).dice
        rolling = [seat for seat, die in zip(rolling, dice, strict=True) if die == max(dice)]
    table.log("setup.first", rule="set-up", seat=rolling[0])
    return rolling[0]


@KIT.phase("display")
def display(table: Table) -> Play:
    """Ask all players to lay three influence cards face up, or as many as they can (S-20: sealed, shown together)."""
    order = table.clockwise(table.state.first)
    asks = {seat: DISPLAY(seat, partial(_displaying, table, seat), partial(first_of, table, seat)) for seat in order}
    answers = yield from AskAll(asks)
    for seat, placements in answers.items():
        laid: dict[str, list[str]] = {}
        for placement in placements:
            key, _, country = placement.partition("@")
            laid.setdefault(country or table.c.cards[key].country or "", []).append(key)
        for country, cards in laid.items():
            yield from lay(table, seat, country, cards, "set-up")
    table.state.phase = "player"


def _displaying(table: Table, seat: str) -> Series[str]:
    """Return the cards to lay. An Open card is written `open-1a@spain` and needs a named card laid before it."""
    cards = table.c.cards
    hand = table.state.players[seat].hand
    named = [key for key in hand if cards[key].country is not None]
    opened = [key for key in hand if cards[key].kind == "open"]
    count = min(table.c.hand.display, len(named) + len(opened)) if named else 0

    def item(so_far: Sequence[str]) -> Domain[str]:
        used = {placement.partition("@")[0] for placement in so_far}
        countries = list(dict.fromkeys(cards[p].country for p in so_far if "@" not in p))
        options = [key for key in named if key not in used]
        options += [f"{key}@{country}" for key in opened if key not in used for country in countries]
        return Choice(options, "card", partial(refusals.displaying, table, seat))

    return Series(item, count, count, "card")


def first_of(table: Table, seat: str) -> list[str]:
    """Return what is laid if the deadline expires: the first cards in hand that name a country."""
    return _displaying(table, seat).sample(lambda _: 0)
