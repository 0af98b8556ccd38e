"""Victory (6), houses that leave the game (10.3, R-26), and the Victory Phase (25).

No scenario of the box has a victory of its own (6.4), only numbers of its own for those of 6.2 and 6.3.
"""

from __future__ import annotations

from games.crown_of_roses.blocks import leave, vacate_office
from games.crown_of_roses.draw import discard
from games.crown_of_roses.heirs import succession
from games.crown_of_roses.money import clear_box, shift
from games.crown_of_roses.query import attached, held, king_house, total
from games.crown_of_roses.setup import start_of
from games.crown_of_roses.state import INACTIVE, OUT, UNDECLARED
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.game import Play

KIT.chapter("6.1", "military victory", "realm/victory.py")
KIT.chapter("6.2", "political victory", "realm/victory.py")
KIT.chapter("6.3", "economic victory", "realm/victory.py")
KIT.chapter("10.3", "houses that leave the game", "realm/victory.py", "heirs.py")
KIT.chapter("25", "Victory Phase", "realm/victory.py")

OVER = "over"


def update_succession(table: Table) -> Play:
    """6.1, 10.3, 10.3.1 Whenever heirs may have gone: who succeeds, which houses are out, has somebody won?

    Afterwards `state.phase` may be `over`.
    """
    state = table.state
    if _steady(table):
        return
    yield from succession(table)
    for key, house in state.houses.items():
        if not house.out and not house.heirs and not unplayed(table, key):
            fall(table, key)
    military(table)


def _steady(table: Table) -> bool:
    """Whether there is nothing to see to: every senior heir serves his house, two of them at least not in exile."""
    state, exiles = table.state, table.c.exiles
    blocks, standing = state.blocks, 0
    for key, house in state.houses.items():
        if house.out:
            continue
        if not house.heirs:
            return False
        senior = blocks[house.heirs[0]]
        if senior.owner != key:
            return False
        standing += senior.at not in exiles
    return standing > 1


def unplayed(table: Table, house: str) -> bool:
    """6.1 Whether an heir card of a house is still to be played (in hand, or its command card)."""
    state, c = table.state, table.c
    own = state.houses[house]
    return any(
        card and c.cards[card].type == "heir" and state.blocks[c.cards[card].block].at != OUT
        for card in (*own.hand, own.command)
    )


def beaten(table: Table, house: str) -> bool:
    """6.1 All heirs removed; those in exile count as removed, unplayed heir cards do not (W01).

    An heir who serves another house (Clarence) is not removed (R-21).
    """
    state, c = table.state, table.c
    own, blocks = state.houses[house], state.blocks
    if own.out:
        return True
    gone = all(blocks[key].owner == house and blocks[key].at in c.exiles for key in own.heirs)
    return gone and not unplayed(table, house)


def military(table: Table) -> None:
    """6.1 Whoever has beaten all others wins at once; nobody if the last ones fall together (X02)."""
    state = table.state
    if state.phase == OVER:
        return
    down = {key for key in state.houses if beaten(table, key)}
    winners = [
        key
        for key, house in state.houses.items()
        if not house.out and down.issuperset({*state.houses} - {key})
    ]
    if len(winners) == 1:
        table.log("victory.military", rule="6.1", house=winners[0], learns=True)
        end(table, winners)
    elif all(house.out for house in state.houses.values()):
        end(table, richest(table, list(state.houses)))


def end(table: Table, winners: list[str]) -> None:
    """The game is over."""
    state = table.state
    state.phase, state.winners, state.step = OVER, winners, None
    table.log("game.over", rule="25", turn=state.turn, winners=winners, learns=True)


def fall(table: Table, house: str) -> None:
    """10.3, R-26 A house without heirs and heir cards leaves the game: its nobles, influence and cards go."""
    state = table.state
    own = state.houses[house]
    table.log("house.out", rule="10.3", house=house, learns=True)
    for key, block in state.blocks.items():
        if block.owner == house:
            _disband(table, house, key)
    for noble in list(own.roll):
        clear_box(own, noble)
    shift(own.stock, own.pool, dict(own.stock))
    # The hand by name: the order in which it was drawn stays a secret.
    gone = [*sorted(own.hand), *own.cards, *([own.command] if own.command else ())]
    for card in gone:
        discard(table, card)
    own.hand, own.cards, own.command = [], [], ""
    if gone:
        table.log("house.cards", rule="10.3", house=house, cards=gone, learns=True)
    if state.step is not None and state.step.house == house:
        state.step = None
    for shire in [shire for shire, rebel in state.rebels.items() if rebel == house]:
        del state.rebels[shire]
    state.order = [other for at, other in enumerate(state.order) if other != house or at <= state.at]
    own.out, own.fell = True, state.turn


def _disband(table: Table, house: str, key: str) -> None:
    """R-26 Nobles become inactive; an heir of another house (Clarence, R-21) goes to that house's undeclared pool."""
    state = table.state
    for office in held(state, key):
        vacate_office(table, office)
    for guest in attached(state, key):
        state.blocks[guest].host = ""
    lord = next((name for name, own in state.houses.items() if name != house and key in own.heirs), "")
    leave(table, key, UNDECLARED if lord else INACTIVE)
    if lord:
        state.blocks[key].owner = lord


@KIT.phase("victory")
def victory_phase(table: Table) -> Play:
    """25.0 Military victory goes before political, economic comes last and after the last turn only (X04)."""
    state = table.state
    yield from update_succession(table)
    if state.phase == OVER:
        return
    start = start_of(table.c, state)
    kings = [
        key for key, house in state.houses.items() if house.crowned >= start.political_turns and not house.out
    ]
    if kings:
        most = max(state.houses[key].crowned for key in kings)
        kings = [key for key in kings if state.houses[key].crowned == most]
        table.log("victory.political", rule="6.2", house=kings[0], count=most, learns=True)
        end(table, kings)
    elif state.turn >= start.last_turn:
        winners = richest(table, [key for key, house in state.houses.items() if not house.out])
        table.log(
            "victory.economic", rule="6.3", houses=winners, points=state.houses[winners[0]].vp, learns=True
        )
        end(table, winners)
    else:
        state.phase, state.stage = "offices", ""


def richest(table: Table, houses: list[str]) -> list[str]:
    """25.0 Most economic points; then turns as King, points in stock, the King now, the last King (X05)."""
    state = table.state
    crown, last = king_house(state), state.last_king or start_of(table.c, state).king_house

    def worth(key: str) -> tuple[int, ...]:
        own = state.houses[key]
        return (own.vp, own.crowned, total(table.c, own.stock), key == crown, key == last)

    best = max(worth(key) for key in houses)
    return [key for key in houses if worth(key) == best]
