"""The start of a Peace Turn, phases 1 to 8 (4.1.1 to 4.1.8)."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from games.imperial_struggle.board import change_limit
from games.imperial_struggle.components import StruggleComponents
from games.imperial_struggle.refusals import not_in_hand
from games.imperial_struggle.state import BRITAIN, FRANCE, SEATS
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Choice, Subset
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("3.5.1", "choosing Ministry cards", "upkeep.py")
KIT.chapter("4.1.1", "Deck Phase", "upkeep.py")
KIT.chapter("4.1.2", "Debt Limit Increase", "upkeep.py")
KIT.chapter("4.1.3", "Award Phase", "upkeep.py")
KIT.chapter("4.1.5", "Reset Phase", "upkeep.py")
KIT.chapter("4.1.6", "Deal Cards Phase, Global Demand (4.1.4)", "upkeep.py")
KIT.chapter("4.1.7", "Ministry Phase", "upkeep.py")
KIT.chapter("4.1.8", "Initiative Phase", "upkeep.py")
_discard = KIT.question("discard", "4.1.6")
_ministry = KIT.question("ministry", "4.1.7")
_initiative = KIT.question("initiative", "4.1.8")
UPRISINGS = "jacobite-uprisings"


@KIT.phase("turn")
def begin_turn(table: Table) -> Play:
    """Run 4.1.1 to 4.1.6, ending with the secret discards."""
    state = table.state
    turn = table.c.turn(state.turn)
    state.rounds = 0
    table.log("turn.begins", rule="4.1", turn=state.turn, era=turn.era, years=turn.years)
    if turn.first and state.turn > 1:
        update_deck(table, turn.era)
        raise_limits(table)
    assign_awards(table, new=turn.first)
    draw_demand(table)
    reset(table)
    deal_tiles(table)
    deal_cards(table)
    yield from discard(table)
    state.phase = "ministry"


def update_deck(table: Table, era: str) -> None:
    """Add the cards of the new era to the draw pile; on turn 5 Succession cards leave the hands (3.4.1, 4.1.1)."""
    state, c = table.state, table.c
    state.draw.extend(key for key, event in c.events.items() if event.era == era)
    table.shuffle(state.draw)
    table.log("deck.updated", rule="4.1.1", era=era, cards=len(state.draw))
    if era != "revolution":
        return
    for seat in SEATS:
        side = state.sides[seat]
        old = [key for key in side.hand if c.events[key].era == "succession"]
        side.hand = [key for key in side.hand if key not in old]
        state.removed.extend(old)
        if old:
            table.log("cards.outdated", rule="4.1.1", reveals=True, seat=seat, cards=old)


def raise_limits(table: Table) -> None:
    """Raise both Debt Limits by 4 (4.1.2)."""
    for seat in SEATS:
        change_limit(table, seat, table.c.limits["debt_increase"], "4.1.2")


def assign_awards(table: Table, *, new: bool) -> None:
    """Assign face-up Awards to the Regions (4.1.3): shuffled in the first turn of an era, then the other four."""
    state, c = table.state, table.c
    if new or len(state.award_stack) < len(c.regions):
        state.award_stack = list(c.awards)
        table.shuffle(state.award_stack)
    state.awards = {region: state.award_stack.pop() for region in c.regions}
    table.log("awards.assigned", rule="4.1.3", reveals=True, awards=dict(state.awards))


def draw_demand(table: Table) -> None:
    """Draw three of the six commodities for the demand (4.1.4)."""
    state, c = table.state, table.c
    drawn = list(c.commodities)
    table.shuffle(drawn)
    count = c.limits["demands"]
    in_order = list(c.commodities)
    state.demand = sorted(drawn[:count], key=in_order.index)
    state.idle_demand = sorted(drawn[count:], key=in_order.index)
    table.log("demand.drawn", rule="4.1.4", reveals=True, commodities=list(state.demand))


def reset(table: Table) -> None:
    """Remove Exhausted markers, put tiles back and return Squadrons set aside to the Navy Box (4.1.5)."""
    state = table.state
    state.exhausted = []
    state.counts = {}
    state.townshend = ""
    state.spent.extend(state.display)
    state.display = []
    for seat, side in state.sides.items():
        state.spent.extend(side.tiles)
        side.tiles = []
        if side.aside:
            side.box += side.aside
            table.log("squadron.back", rule="4.1.5", seat=seat, count=side.aside)
            side.aside = 0


def deal_tiles(table: Table) -> None:
    """Deal nine Investment tiles; used ones are shuffled when the stack is empty (4.1.6)."""
    state = table.state
    while len(state.display) < table.c.limits["display"]:
        if not state.stack:
            state.stack, state.spent = state.spent, []
            table.shuffle(state.stack)
        state.display.append(state.stack.pop())
    table.log("tiles.dealt", rule="4.1.6", reveals=True, tiles=list(state.display))


def draw_card(table: Table, seat: str) -> str:
    """Draw the next Event into the hand, without a log line; "" if there is none left.

    The discards are shuffled when the pile is empty. From turn 5 on Succession cards leave the game as they turn up
    (ruling 1.15).
    """
    state, c = table.state, table.c
    while state.draw or state.discards:
        if not state.draw:
            state.draw, state.discards = state.discards, []
            table.shuffle(state.draw)
            table.log("deck.shuffled", rule="4.1.6", cards=len(state.draw))
        key = state.draw.pop()
        if c.events[key].era == "succession" and state.turn >= 5:
            state.removed.append(key)
            table.log("cards.outdated", rule="4.1.6", reveals=True, seat="", cards=[key])
            continue
        state.sides[seat].hand.append(key)
        return key
    return ""


def deal_cards(table: Table) -> None:
    """Deal three Events each, card by card, France first (4.1.6)."""
    drawn: dict[str, list[str]] = {FRANCE: [], BRITAIN: []}
    for _ in range(table.c.limits["hand"]):
        for seat, cards in drawn.items():
            if key := draw_card(table, seat):
                cards.append(key)
    for seat, cards in drawn.items():
        table.log("cards.dealt", rule="4.1.6", seat=seat, count=len(cards), private={seat: {"cards": cards}})


def discard(table: Table) -> Play:
    """Discard down to three Events, secretly and at the same time; then the discards are public (4.1.6)."""
    state, limit = table.state, table.c.limits["hand"]
    asks = {}
    for seat in SEATS:
        surplus = len(state.sides[seat].hand) - limit
        if surplus > 0:
            domain = partial(_surplus, table, seat, surplus)
            asks[seat] = _discard(seat, domain, partial(_first_cards, table, seat, surplus), count=surplus)
    if not asks:
        return
    answers = yield from AskAll(asks)
    for seat, cards in answers.items():
        for key in cards:
            state.sides[seat].hand.remove(key)
        state.discards.extend(cards)
        table.log("cards.discarded", rule="4.1.6", reveals=True, seat=seat, cards=list(cards))


def _surplus(table: Table, seat: str, surplus: int) -> Subset[str]:
    why = partial(not_in_hand, table, seat)
    return Subset(list(table.state.sides[seat].hand), surplus, surplus, what="card", why=why)


def _first_cards(table: Table, seat: str, surplus: int) -> list[str]:
    return table.state.sides[seat].hand[:surplus]


@KIT.phase("ministry")
def ministers(table: Table) -> Play:
    """Choose two Ministry cards each, secretly: any in an era's first turn, else face-down ones change (4.1.7)."""
    state = table.state
    asks = {seat: ask for seat in SEATS if (ask := _ask_ministry(table, seat)) is not None}
    answers = (yield from AskAll(asks)) if asks else {}
    for seat, cards in answers.items():
        side = state.sides[seat]
        side.ministries = [*side.revealed, *cards]
        private = {seat: {"cards": list(cards)}}
        table.log("ministry.chosen", rule="4.1.7", seat=seat, count=len(cards), private=private)
    state.phase = "initiative"


def _ask_ministry(table: Table, seat: str) -> Ask[list[str]] | None:
    """Return the question for the face-down Ministry cards of a side; None if it chooses none (4.1.7)."""
    state, c = table.state, table.c
    turn, side = c.turn(state.turn), state.sides[seat]
    if turn.first:
        side.ministries, side.revealed = [], []
    third = _third_card(table, seat)
    fixed = [card for card in side.revealed if card != third]
    eligible = [
        key for key in of_era(c, seat, turn.era)
        if key not in side.revealed and key != third and key not in state.removed
    ]  # fmt: skip
    count = min(c.limits["ministries"] - len(fixed), len(eligible))
    if count <= 0:
        return None
    why = partial(_ineligible, table, seat, turn.era)
    domain = partial(Subset, eligible, count, count, what="ministry", why=why)
    return _ministry(seat, domain, partial(_kept, side.ministries, eligible, count), count=count)


def _kept(cards: list[str], eligible: list[str], count: int) -> list[str]:
    """Return the default if the deadline expires: the present face-down cards, and as many more as needed."""
    kept = [key for key in cards if key in eligible]
    return sorted((kept + [key for key in eligible if key not in kept])[:count], key=eligible.index)


def _ineligible(table: Table, seat: str, era: str, card: str) -> RejectionReason | None:
    """Return why a Ministry card can't be chosen: not own, of another era, gone, or face up (3.5.1, 4.1.7)."""
    ministry = table.c.ministries[card]
    if ministry.side != seat:
        return because("other_ministry", "3.5.1", card=card, seat=ministry.side)
    if era not in ministry.eras:
        return because("era", "3.5.1", card=card, era=era)
    return because("ministry_gone" if card in table.state.removed else "stays", "4.1.7", card=card)


@lru_cache(maxsize=16)
def of_era(c: StruggleComponents, seat: str, era: str) -> tuple[str, ...]:
    """Return the Ministry cards of a side that an era allows (3.5.1)."""
    return tuple(key for key, card in c.ministries.items() if card.side == seat and era in card.eras)


def _third_card(table: Table, seat: str) -> str:
    """Give France Jacobite Uprisings as a third card, face up, after its Austrian win (7.3). Returns it or ""."""
    state = table.state
    if seat != FRANCE or not state.jacobite_card or UPRISINGS in state.removed:
        return ""
    side = state.sides[FRANCE]
    if UPRISINGS not in side.revealed:
        if UPRISINGS in side.ministries:  # it was there face down, and all see it turned up
            table.log("ministries.revealed", rule="7.3", reveals=True, seat=seat, card=UPRISINGS)
        side.revealed.append(UPRISINGS)
        table.log("ministry.third", rule="7.3", seat=seat, card=UPRISINGS)
    if UPRISINGS not in side.ministries:
        side.ministries.append(UPRISINGS)
    return UPRISINGS


@KIT.phase("initiative")
def initiative(table: Table) -> Play:
    """Give the initiative to the side behind on the track (not on turn 1); its holder says who begins (4.1.8)."""
    state = table.state
    state.initiative = holder = _holder(table)
    table.log("initiative.held", rule="4.1.8", seat=holder)
    state.first = yield from _ask_initiative(holder)
    table.log("initiative.first", rule="4.1.8", seat=holder, first=state.first)
    state.active = state.first
    state.phase = "action"


def _holder(table: Table) -> str:
    state, middle = table.state, table.c.start.vp
    if state.turn == 1 or state.vp == middle:
        return state.initiative
    return FRANCE if state.vp < middle else BRITAIN


def _ask_initiative(holder: str) -> Ask[str]:
    return _initiative(holder, Choice((FRANCE, BRITAIN), "side"), holder)


def next_choice(table: Table, seat: str) -> Ask[Any] | None:
    """Return what a side chooses after the open question of these phases: its ministers, then who begins."""
    phase = table.state.phase
    if phase == "turn" and (ask := _ask_ministry(table, seat)):
        return ask
    return _ask_initiative(seat) if phase != "initiative" and _holder(table) == seat else None
