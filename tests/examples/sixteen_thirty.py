"""The examples of 1630 Something: an open ballot, an offer on the table, a finished game (`tests.examples.kit`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.dev.synthetic_mail import open_ballot
from pbem.kernel.referee import Referee

if TYPE_CHECKING:
    from tests.examples.kit import Examples


def on_offer(referee: Referee) -> bool:
    """A window for a trade, with an offer on the table."""
    return referee.talk is not None and bool(referee.talk.open)


def build(examples: Examples) -> None:
    """Write saves, a mailbox, move files, an outbox and a story."""
    players = 4
    examples.save(
        "1630-ballot", open_ballot, players=players, outbox=True, what="a sealed ballot is open to four players"
    )
    examples.save("1630-exchange", on_offer, players=players, what="a window for a trade, with an offer on the table")
    examples.save(
        "1630-finished",
        players=players,
        what="a game played to its end: the seed is public, and every die can be rolled again",
    )
    examples.round(
        "round",
        "1630-ballot",
        what="all vote, then the game goes on to the next ballot and through it. With quotations, signatures, an "
        "unmarked copy, one stale reply, one forged email, one email with two bad lines",
    )
    examples.orders("ballot", "1630-ballot", what="a move file: orders typed by the moderator")
    examples.orders("exchange", "1630-exchange", what="a move file with answers to an offer")
    examples.story("finished", "1630-finished", what="the public story of a whole game")
