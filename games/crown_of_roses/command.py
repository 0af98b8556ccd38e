"""The command step (13.1): sealed command cards, duties, passes; the impulse order (13.2)."""

from __future__ import annotations

from functools import partial
from typing import Any

from games.crown_of_roses.action import next_use, use_of_any
from games.crown_of_roses.heirs import can_play_heir, check_junior_heirs
from games.crown_of_roses.query import heirs_in_play, operations, undeclared_heirs
from games.crown_of_roses.refusals import bar_hand, meant
from games.crown_of_roses.response_points import IMPULSE, offer
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import ranked
from pbem.kernel.domains import PASS, Choice
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("13.1", "command cards, passes, mandatory cards", "command.py")
KIT.chapter("13.2", "impulse order, use of the card", "command.py", "action.py")
KIT.chapter("13.3", "heir duty", "command.py", "action.py")
KIT.chapter("14.1.3", "Affairs of State never first", "command.py")

_command = KIT.question("command", "13.1", "ballot")

AFFAIRS = "affairs_of_state"
_WINDOWS = ("intercept", "evade", "plan", "respond")


@KIT.phase("command")
def command_step(table: Table) -> Play:
    """Lay one card face down each, shown together; the highest OPS acts first (13.1)."""
    state = table.state
    check_junior_heirs(table)
    table.log("impulse.begins", rule="13.0", impulse=state.impulse, impulses=state.impulses)
    yield from offer(table, IMPULSE, {"impulse": state.impulse})
    asks = {key: _ask(table, key) for key, house in state.houses.items() if house.hand and not house.out}
    answers = (yield from AskAll(asks)) if asks else {}
    acting: list[str] = []
    for key, card in answers.items():
        house = state.houses[key]
        if card == PASS:
            table.log("command.pass", rule="13.1", house=key, cards=sorted(house.hand))
            continue
        house.hand.remove(card)
        house.command = card
        acting.append(key)
        table.log("command.shown", rule="13.1", house=key, card=card, ops=table.c.cards[card].ops, reveals=True)
    values = {key: table.c.cards[state.houses[key].command].ops for key in acting}
    state.order = yield from ranked(table, acting, values, "impulse", "13.2")
    state.at = 0
    state.entries = []
    for block in state.blocks.values():
        if block.moved or block.mustered:
            block.moved = block.mustered = False
    state.phase = "action" if acting else "combat"


def next_turn(table: Table, house: str, asked: bool) -> Ask[Any] | None:
    """Return the use of a card that is still to come in this impulse (13.2), else the next command (13.1)."""
    state = table.state
    if asked and state.phase == "command" and not state.houses[house].command:
        return use_of_any(table, house, legal(table, house))
    if asked or state.phase != "action":
        return None
    if house in state.order[state.at + 1 :]:
        return next_use(table, house)
    if state.impulse >= state.impulses or not state.houses[house].hand or state.houses[house].out:
        return None
    state.impulse += 1
    return _ask(table, house)


def policies(table: Table, house: str, kind: str) -> list[str]:
    """Return standing orders for later questions: of bids (26.2), of an impulse with its command and its windows.

    These are interceptions, evasions, responses and battle plans (16.5, 16.6, 20.2).
    """
    state = table.state
    until = f"until turn {state.turn + 1}"
    if kind in ("command", *_WINDOWS):
        return [f"standing {', '.join(_WINDOWS)}: pass if impulse={state.impulse} {until}"]
    ranks = state.auction if kind == "bid" else ()
    left = [key for key, card in table.c.offices.items() if card.rank in ranks]
    return [f"standing bid: pass if office={key} {until}" for key in left[:1]]


def _ask(table: Table, house: str) -> Ask[str]:
    def weakest() -> str:
        """Return the default at the deadline: the card of fewest OPS."""
        cards = table.c.cards
        return min(legal(table, house), key=lambda card: (card == PASS, cards[card].ops if card != PASS else 0, card))

    return _command(
        house, lambda: Choice(legal(table, house), "card", partial(why_not, table, house)), weakest,
        impulse=table.state.impulse, impulses=table.state.impulses,
    )  # fmt: skip


def legal(table: Table, house: str) -> list[str]:
    """Return the cards that a house may choose, and `pass` if it holds house cards only (13.1)."""
    hand = table.state.houses[house].hand
    # Affairs of State not in the first impulse (14.1.3).
    fits = [card for card in sorted(hand) if card != AFFAIRS or table.state.impulse > 1]
    bound = heir_duty(table, house)
    chosen = [card for card in fits if card in bound] if bound else _mandatory(table, house, fits)
    if not operations(table.c, hand):
        return [*chosen, PASS]
    return chosen or [PASS]


def heir_duty(table: Table, house: str) -> list[str]:
    """Return the cards one of which must be chosen because no heir is in play; [] without such a duty (13.3).

    With an heir in the undeclared pool any card is allowed: its first OPS brings them back.
    """
    if heirs_in_play(table, house) or undeclared_heirs(table.state, house):
        return []
    return [card for card in table.state.houses[house].hand if can_play_heir(table, house, card)]


def _mandatory(table: Table, house: str, fits: list[str]) -> list[str]:
    """Return the mandatory cards of `fits` if the impulses left are too few for those in hand (13.1, R-38)."""
    if not _pressing(table, house):
        return fits
    return [card for card in fits if table.c.cards[card].type == "mandatory"] or fits


def _pressing(table: Table, house: str) -> bool:
    """Return whether the impulses after this one are too few for the mandatory cards in a hand (R-38)."""
    state, cards = table.state, table.c.cards
    mandatory = sum(cards[card].type == "mandatory" for card in state.houses[house].hand)
    return mandatory > state.impulses - state.impulse


def why_not(table: Table, house: str, card: str) -> RejectionReason | None:
    """Return why a card, or none, can't be chosen (13.1, 13.3, 14.1.3); None if it isn't a card."""
    state, word = table.state, meant(table, card)
    if word != PASS and (word not in table.c.cards or word not in state.houses[house].hand):
        return bar_hand(table, house, "13.1", word)
    if word == AFFAIRS and state.impulse == 1:
        return RejectionReason("command.affairs", {}, "14.1.3")
    if heir_duty(table, house):
        return RejectionReason("command.heir", {}, "13.3")
    if word == PASS and not _pressing(table, house):
        return because("must_play", "13.1")
    return RejectionReason("command.mandatory", {}, "13.1")
