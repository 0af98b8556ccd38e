"""The Clean-up Phase (28)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import UNSET

from games.crown_of_roses.blocks import support
from games.crown_of_roses.draw import discard
from games.crown_of_roses.query import heirs_in_play, operations
from games.crown_of_roses.realm.victory import OVER, update_succession
from games.crown_of_roses.refusals import bar_hand, card_meant
from games.crown_of_roses.state import INACTIVE, UNAVAILABLE
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Subset
from pbem.kernel.game import Play
from pbem.kernel.questions import AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("28.1", "markers and blocks", "realm/cleanup.py")
KIT.chapter("28.3.1", "exile", "realm/cleanup.py")
KIT.chapter("28.3.2", "mandatory cards carried over", "realm/cleanup.py")
KIT.chapter("28.3.3", "no junior heir", "realm/cleanup.py", "heirs.py")
KIT.chapter("28.4", "the next turn", "realm/cleanup.py")

_carry = KIT.question("carry", "28.2", "ballot")

QUEEN = "queen_margaret"


@KIT.phase("cleanup")
def cleanup_phase(table: Table) -> Play:
    """Clean up: markers and blocks, cards kept, popular support, the next turn (28.0)."""
    yield from update_succession(table)
    if table.state.phase == OVER:
        return
    most = {house: limit(table, house) for house, own in table.state.houses.items() if not own.out}
    tidy_markers(table)
    tidy_blocks(table)
    yield from keep_cards(table, most)
    adjust_support(table)
    next_turn(table)


def tidy_markers(table: Table) -> None:
    """Remove depleted markers; plundered and devastated shires are depleted now, as markers allow (28.1).

    A plundered marker has depleted on its back; for a devastated shire another one is needed.
    """
    state = table.state
    before = dict(state.marks)
    state.marks = {shire: "depleted" for shire, mark in before.items() if mark == "plundered"}
    spare = table.c.limits.depleted - len(state.marks)
    for shire, mark in before.items():
        if mark == "devastated" and spare > 0:
            state.marks[shire] = "depleted"
            spare -= 1
    if before:
        table.log("cleanup.markers", rule="28.1", shires=list(state.marks))


def tidy_blocks(table: Table) -> None:
    """Make unavailable blocks inactive; turn parliament cards and the Queen's card face up (28.1)."""
    state = table.state
    back = [key for key, block in state.blocks.items() if block.at == UNAVAILABLE]
    for key in back:
        state.blocks[key].at = INACTIVE
    if back:
        table.log("cleanup.blocks", rule="28.1", blocks=back)
    for office in state.offices.values():
        office.used = False
    state.queen_used = False


def limit(table: Table, house: str) -> int:
    """Return how many operations cards a house may keep: by its best heir card, or the Queen's if face up (28.2)."""
    c = table.c
    return max(
        (
            c.cards[card].carry
            for card in table.state.houses[house].cards
            if not (card == QUEEN and table.state.queen_used)
        ),
        default=0,
    )


def keep_cards(table: Table, most: dict[str, int]) -> Play:
    """Ask sealed which cards are kept; mandatory ones are kept and count first. The rest is discarded (28.2).

    A house whose plan for winter says so isn't asked, if that is still possible.
    """
    said = {house: found for house in most if (found := _said(table, house, most[house])) is not None}
    able = [house for house in most if may_keep(table, house, most[house])]
    asks = {
        house: _carry(
            house,
            partial(keepable, table, house, most[house]),
            partial(_safest, table, house, most[house]),
            most=most[house],
        )
        for house in able
        if house not in said
    }
    if len(asks) < len(able):
        for house in asks:
            table.log("together.asked", rule="28.2", reveals=True, seat=house)
    answers = (yield from AskAll(asks)) if asks else {}
    for house in most:
        keep(table, house, said.get(house, answers.get(house, ())))


def may_keep(table: Table, house: str, count: int) -> bool:
    """Return whether a house with a limit of `count` has something to choose (28.2)."""
    return bool(count and operations(table.c, table.state.houses[house].hand))


def _said(table: Table, house: str, count: int) -> list[str] | None:
    own = table.state.houses[house]
    said, own.kept = own.kept, UNSET
    if said is UNSET or not keepable(table, house, count).accepts(said):
        return None
    return said


def mandatory(table: Table, house: str) -> list[str]:
    """Return mandatory cards that are left in a hand: they are always carried over (10.4.2)."""
    return [card for card in table.state.houses[house].hand if table.c.cards[card].type == "mandatory"]


def _spare(table: Table, house: str, count: int) -> tuple[list[str], int]:
    """Return cards that may be kept by choice, and how many of them."""
    hand = operations(table.c, table.state.houses[house].hand)
    bound = mandatory(table, house)
    rest = sorted(card for card in hand if card not in bound)
    return rest, max(0, min(count - len(bound), len(rest)))


def keepable(table: Table, house: str, count: int) -> Subset[str]:
    """Return the cards that a house with a limit of `count` may keep by choice (28.2)."""
    rest, most = _spare(table, house, count)
    return Subset(rest, 0, most, what="cards", why=partial(_not_carried, table, house))


def _not_carried(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a card can't be kept by choice (28.2); None if it isn't a card."""
    problem, card = bar_hand(table, house, "28.2", word), card_meant(table, word)
    if problem or not card:
        return problem
    return because("house_stays" if table.c.cards[card].house else "mandatory_kept", "28.2", card=card)


def _safest(table: Table, house: str, count: int) -> list[str]:
    """Return the default at the deadline: the cards of most OPS."""
    rest, most = _spare(table, house, count)
    kept = sorted(rest, key=lambda card: (-table.c.cards[card].ops, card))[:most]
    return [card for card in rest if card in kept]


def keep(table: Table, house: str, chosen: Sequence[str]) -> None:
    """Keep cards in hand and discard the rest; forced mandatory cards cost their OPS in support (28.2, 28.3.2)."""
    state, c = table.state, table.c
    own = state.houses[house]
    bound = mandatory(table, house)
    kept = [*bound, *chosen]
    gone = [card for card in operations(c, own.hand) if card not in kept]
    for card in gone:
        own.hand.remove(card)
        discard(table, card)
    if kept or gone:
        table.log(
            "cleanup.cards", rule="28.2", house=house, count=len(kept), gone=gone, private={house: {"cards": kept}}
        )
    if state.collected == state.turn:  # no Influence Phase: Affairs of State ended the operations (28.3.2)
        for card in bound:
            table.log("cleanup.mandatory", rule="28.3.2", house=house, card=card, reveals=True)
            support(table, house, -c.cards[card].ops, "28.3.2")


def adjust_support(table: Table) -> None:
    """Adjust support by one for blocks in exile (28.3.1), and for having no junior heir (28.3, 28.3.3)."""
    state, c = table.state, table.c
    for house, own in state.houses.items():
        if own.out:
            continue
        if any(block.owner == house and block.at in c.exiles for block in state.blocks.values()):
            table.log("cleanup.exile", rule="28.3.1", house=house)
            support(table, house, -1, "28.3.1")
        if (own.missed or own.waiting) and len(heirs_in_play(table, house)) < 2:
            table.log("cleanup.junior", rule="28.3.3", house=house, reveals=True)
            support(table, house, -1, "28.3.3")
        own.missed = own.waiting = False


def next_turn(table: Table) -> None:
    """Move the turn marker (28.4)."""
    state = table.state
    state.turn += 1
    state.breaker = ""
    state.phase, state.stage = "draw", ""
    state.order, state.at = [], 0
    table.log("cleanup.turn", rule="28.4", turn=state.turn)
