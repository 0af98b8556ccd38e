"""Victory (6), houses that leave the game (10.3, R-26), and the Victory Phase (25).

No scenario has a victory of its own (6.4), only its own numbers for 6.2 and 6.3.
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
    """Settle who succeeds, which houses are out, and victory, whenever heirs may be gone (6.1, 10.3, 10.3.1).

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
    """Return whether nothing is to do: every senior heir serves their house, two of them not in exile."""
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
    """Return whether an heir card of a house is unplayed, in hand or as command card (6.1)."""
    state, c = table.state, table.c
    own = state.houses[house]
    return any(
        card and c.cards[card].type == "heir" and state.blocks[c.cards[card].block].at != OUT
        for card in (*own.hand, own.command)
    )


def beaten(table: Table, house: str) -> bool:
    """Return whether all heirs are removed (6.1); those in exile count as removed, unplayed cards do not (W01).

    An heir who serves another house (Clarence) is not removed (R-21).
    """
    state, c = table.state, table.c
    own, blocks = state.houses[house], state.blocks
    if own.out:
        return True
    gone = all(blocks[key].owner == house and blocks[key].at in c.exiles for key in own.heirs)
    return gone and not unplayed(table, house)


def military(table: Table) -> None:
    """End the game for a house that has beaten all others; with no winner if the last fall together (6.1, X02)."""
    state = table.state
    if state.phase == OVER:
        return
    down = {key for key in state.houses if beaten(table, key)}
    winners = [key for key, house in state.houses.items() if not house.out and down.issuperset({*state.houses} - {key})]
    if len(winners) == 1:
        table.log("victory.military", rule="6.1", house=winners[0], reveals=True)
        end(table, winners)
    elif all(house.out for house in state.houses.values()):
        end(table, richest(table, list(state.houses)))


def end(table: Table, winners: list[str]) -> None:
    """End the game."""
    state = table.state
    state.phase, state.winners, state.step = OVER, winners, None
    table.log("game.over", rule="25", turn=state.turn, winners=winners, reveals=True)


def fall(table: Table, house: str) -> None:
    """Remove a house without heirs and heir cards: its nobles, influence and cards (10.3, R-26)."""
    state = table.state
    own = state.houses[house]
    table.log("house.out", rule="10.3", house=house, reveals=True)
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
        table.log("house.cards", rule="10.3", house=house, cards=gone, reveals=True)
    if state.step is not None and state.step.house == house:
        state.step = None
    for shire in [shire for shire, rebel in state.rebels.items() if rebel == house]:
        del state.rebels[shire]
    state.order = [other for at, other in enumerate(state.order) if other != house or at <= state.at]
    own.out, own.fell = True, state.turn


def _disband(table: Table, house: str, key: str) -> None:
    """Make nobles inactive; an heir of another house (Clarence, R-21) goes to its undeclared pool (R-26)."""
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
    """Check victory: military before political, economic last and after the last turn only (25.0, X04)."""
    state = table.state
    yield from update_succession(table)
    if state.phase == OVER:
        return
    start = start_of(table.c, state)
    kings = [key for key, house in state.houses.items() if house.crowned >= start.political_turns and not house.out]
    if kings:
        most = max(state.houses[key].crowned for key in kings)
        kings = [key for key in kings if state.houses[key].crowned == most]
        table.log("victory.political", rule="6.2", house=kings[0], count=most, reveals=True)
        end(table, kings)
    elif state.turn >= start.last_turn:
        winners = richest(table, [key for key, house in state.houses.items() if not house.out])
        table.log("victory.economic", rule="6.3", houses=winners, points=state.houses[winners[0]].vp, reveals=True)
        end(table, winners)
    else:
        state.phase, state.stage = "offices", ""


def richest(table: Table, houses: list[str]) -> list[str]:
    """Return the best houses: economic points, turns as King, stock, the King now, the last King (25.0, X05)."""
    state = table.state
    crown, last = king_house(state), state.last_king or start_of(table.c, state).king_house

    def worth(key: str) -> tuple[int, ...]:
        own = state.houses[key]
        return (own.vp, own.crowned, total(table.c, own.stock), key == crown, key == last)

    best = max(worth(key) for key in houses)
    return [key for key in houses if worth(key) == best]
