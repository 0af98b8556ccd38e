"""The examples of Virgin Queen: a negotiation and its letters, moments, three turns (see `tests.examples.kit`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.virgin_queen.table import Table
from pbem.kernel.referee import Referee
from tests.examples.vq_turns import PREFACE, Author, tells_all

if TYPE_CHECKING:
    from tests.examples.kit import Examples

OFFERS = (
    ("england", "negotiation", "propose france of=peace"),
    ("spain", "negotiation", "propose hre of=lend lend=naples/galley=1"),
)
TALKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("england", (
        "BEGIN PRESS to=france",
        "和平を提案します。カレーには手を出しません。代わりにスコットランドから手を引いてください。",
        "END PRESS",
    )),
    ("france", (
        "accept england-france-1",
        "propose protestant of=alliance",
        "BEGIN PRESS to=england",
        "Peace, with pleasure. Scotland stays as it is this turn, that is all I can promise.",
        "END PRESS",
    )),
    ("spain", (
        "propose france of=alliance",
        "propose england of=peace",  # refused: they are not at war
        "BEGIN PRESS to=hre,france",
        "The Turk first. A galley for Vienna, and I want Milan and Lyon quiet.",
        "END PRESS",
    )),
    ("protestant", ("accept france-protestant-1",)),
    ("hre", (
        "accept spain-hre-1",
        'propose france of=give-mercenaries,take-cards give_mercenaries="hire_track=3" take_cards=1',
        "BEGIN PRESS to=all",
        "Good Landsknechte, three left, one card of your choice. Well, of the dice's choice.",
        "END PRESS",
    )),
    ("ottoman", ('propose spain of=peace also="hre ottoman of=give-cards give_cards=1"', "1: done")),
    ("france", ("accept hre-france-1", "accept spain-france-1", "done")),
    ("spain", ("accept ottoman-spain-hre-1", "done")),
    ("hre", ("accept ottoman-spain-hre-1", "done")),
    ("england", ("done",)),
    ("protestant", ("done",)),
)  # fmt: skip
"""A negotiation (9.1), letter by letter: who writes what."""
CONFIRMATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ottoman", ("confirm: ottoman-spain-hre-1",)),
    ("spain", ("confirm: spain-hre-1 spain-france-1 ottoman-spain-hre-1",)),
    ("england", ("confirm: england-france-1", "announce: pass")),
    ("france", ("confirm: england-france-1 hre-france-1 spain-france-1 france-protestant-1",)),
    ("hre", ("confirm: spain-hre-1 hre-france-1", "announce: pass")),  # and lets the deal of the three fall
    ("protestant", ("confirm: france-protestant-1",)),
)  # fmt: skip
"""What follows when all have said done: each seat in impulse order answers a question of its own."""


def _cp(referee: Referee) -> str:
    """The first card of the power that is asked which may be played for CP (6.1)."""
    table: Table = referee.table
    power = table.state.impulse.power if table.state.impulse else table.state.active
    hand = table.state.powers[power].hand
    return "cp " + next(card for card in hand if table.c.cards[card].type != "mandatory")


RAID = (
    (
        "protestant",
        "spring",
        'navarre="army montauban" william=wait louis_of_nassau=wait home_card=ministers-of-geneva',
    ),
    ("ottoman", "impulse", _cp),
    ("spain", "impulse", _cp),
    ("england", "impulse", _cp),
    ("france", "impulse", _cp),
    ("france", "action", "move bordeaux nerac"),
)
"""The tournament, turn 3: France marches against the Huguenots, and the garrison of Montauban may come out."""

PLOT = (("ottoman", "impulse", _cp), ("spain", "impulse", _cp), ("spain", "action", "assassination elizabeth_i 2"))
"""The tournament, turn 3: Spain's attempt on Elizabeth fails, and Mary is in England's hands."""
MATCH = (
    ("protestant", "negotiation", "propose england of=wed groom=arran bride=elizabeth_i"),
    ("england", "negotiation", "accept protestant-england-1"),
    ("england", "confirm", "protestant-england-1"),
    ("protestant", "confirm", "protestant-england-1"),
    ("protestant", "impulse", _cp),
    ("protestant", "action", "preach_sermons france"),
)
"""The campaign, turn 1: Elizabeth is betrothed to Arran, and keeps her word."""


def build(examples: Examples) -> None:
    """Write a negotiation, single moments, and three turns by mail."""
    _negotiation(examples)
    _moments(examples)
    if examples.long:
        examples.tale(
            "vq-turns",
            Author,
            title="Virgin Queen: three turns by mail",
            preface=PREFACE,
            scenario="tournament",
            fits=lambda sent: tells_all([line for letter in sent for line in letter.told]),
            what="all emails of three turns of six players: sermons, a rebellion, an attempt on a leader, a "
            "scientist, a wedding, the Armada",
        )


def _negotiation(examples: Examples) -> None:
    """A save in a negotiation, and a mailbox with the rest of it."""
    examples.scripted(
        "vq-negotiation",
        OFFERS,
        lambda referee: referee.talk is not None and len(referee.talk.open) == 2,
        what="the first negotiation segment: two deals are proposed",
    )
    examples.letters(
        "vq-negotiation",
        "vq-negotiation",
        [TALKS, *([confirmation] for confirmation in CONFIRMATIONS)],
        what="the whole negotiation: private talk, proposals, signatures, a rejected line, a deal of three powers, a "
        "random card, confirmation in impulse order, one deal that isn't confirmed and one that another deal bars",
    )


def _moments(examples: Examples) -> None:
    """Saves in an interception, after an attempt on Elizabeth, and at her wedding."""
    examples.scripted(
        "vq-interception",
        RAID,
        lambda referee: referee.pending()[0].kind == "intercept",
        scenario="tournament",
        what="France moves against the Huguenots, who may intercept",
    )
    examples.scripted(
        "vq-assassination",
        PLOT,
        lambda referee: referee.pending()[0].kind == "execute_mary",
        scenario="tournament",
        what="an attempt on Elizabeth has failed; is Mary, Queen of Scots, to die?",
    )
    examples.scripted(
        "vq-weddings",
        MATCH,
        lambda referee: referee.pending()[0].kind == "dowry_action",
        what="Elizabeth weds the Earl of Arran; where do the Protestants preach?",
    )
