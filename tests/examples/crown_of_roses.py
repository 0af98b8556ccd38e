"""The examples of Crown of Roses: an impulse by mail, a battle, an auction of offices (see `tests.examples.kit`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.crown_of_roses.table import Table
from pbem.kernel.referee import Referee

if TYPE_CHECKING:
    from tests.examples.kit import Examples

FULL = "plan parley=fight force=full charge=never losses=attached retreat=never cards=never"
"""A plan that leaves nothing to be asked (20.2)."""

FIRST = (
    ("york", "command", "zouche"),
    ("lancaster", "command", "robyn_of_holderness"),
    ("buckingham", "command", "wenlock"),
    ("warwick", "command", "welles"),
    ("buckingham", "use", "event"),
    ("york", "use", "ops"),
    ("york", "action", "move carmarthen herbert none"),
    ("york", "march", "go pembroke"),
    ("york", "march", "stop"),
    ("lancaster", "use", "ops"),
    ("lancaster", "action", "influence noble=westmorland markers=ip1=2"),
    ("warwick", "use", "event"),
)
"""The first impulse of the campaign: Herbert takes Pembroke and loses a step, which he can muster in the second."""

CARDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("york", ("command: gruuthuse",)),
    ("lancaster", (
        "command: heir_exeter",
        "standing intercept: pass",
        "standing tie: york buckingham lancaster warwick",
    )),
    ("buckingham", (
        "command: dynham",
        "standing intercept: intercept stafford shrewsbury none if place=worcester, count<=2",
        "standing intercept: pass",
    )),
    ("warwick", ("command: berkeley", "standing evade: pass")),
)  # fmt: skip
"""The command cards (13.1), who intercepts where (16.5), how the King's house breaks ties (10.5.1)."""

ACTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("warwick", (
        "use: ops",
        "move north_riding salisbury none",
        "go durham",
        "stop",
        "done",
        f"bold: plan: {FULL}",
    )),
    ("buckingham", (
        "bold",
        "use: ops",
        "influence noble=suffolk markers=ip1=2",
        "muster stafford buckingham",  # refused: he has all his steps
        "done",
    )),
    ("lancaster", ("bold", "use: event", "estate: devon")),
    ("york", (
        "muster pembroke herbert",  # without March in play the card is for OPS: nothing is asked
        "influence noble=hastings markers=ip1=2",
        "move shropshire york none",
        "go worcester",
        "bold: stop",
        f"bold: plan: {FULL}",
    )),
)  # fmt: skip
"""Each house writes its whole action step at once; with York's letter all begins to run."""

IMPULSE = (
    CARDS,
    ACTIONS,
    (("buckingham", ("done",)),),  # what stood behind the refused line is not carried out by itself
)


def _strong(referee: Referee) -> str:
    """The first card of York's hand with three OPS that may be used for them."""
    table: Table = referee.table
    c, hand = table.c, table.state.houses["york"].hand
    return next(card for card in hand if c.cards[card].ops == 3 and c.cards[card].type == "event")


ATTACK = (
    ("york", "command", _strong),
    ("york", "use", "ops"),
    ("york", "action", "move shropshire york none"),
    ("york", "march", "go stafford"),
    ("york", "march", "stop"),
    ("york", "action", "done"),
    ("buckingham", "plan", "plan parley=fight force=full"),
    ("york", "plan", "plan parley=fight force=full charge=ask"),
)
"""The first impulse: York himself marches against Buckingham himself."""


def second_impulse(referee: Referee) -> bool:
    """The command cards of the second impulse are asked for."""
    table: Table = referee.table
    return table.state.impulse == 2 and referee.pending()[0].kind == "command"


def mid_battle(referee: Referee) -> bool:
    """The forces stand against each other, and York may charge (20.5.1)."""
    return [(question.kind, question.seat) for question in referee.pending()] == [("charge", "york")]


def mid_auction(referee: Referee) -> bool:
    """Turn 1: two offices are given, the third is on offer; all who are asked have several markers left."""
    table: Table = referee.table
    state = table.state
    asked = [pending.seat for pending in referee.pending()]
    rich = all(sum(state.houses[house].stock.values()) > 2 for house in asked if house in state.houses)
    return state.turn == 1 and len(state.auction) == 4 and rich and len(asked) > 2


def build(examples: Examples) -> None:
    """Write a save before an impulse and a mailbox with the whole of it, a save in a battle, and one in an auction."""
    examples.scripted("cor-impulse", FIRST, second_impulse, what="the command cards of the second impulse")
    examples.letters(
        "cor-impulse",
        "cor-impulse",
        IMPULSE,
        what="a whole impulse of four houses in nine emails: sealed command cards, a conditional interception, march, "
        "muster and influence, a rejected line, battle plans sent ahead",
    )
    examples.scripted("cor-battle", ATTACK, mid_battle, what="York and Buckingham meet; an heir may charge")
    examples.save(
        "cor-auction",
        mid_auction,
        seeds=range(200),
        what="sealed bids for an office: zeros as bluffs, four more offices to come",
    )
