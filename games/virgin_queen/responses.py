"""Response and combat cards (6.1, 11): who is asked, and the effect of what they play.

All seats are asked that could play such a card by public knowledge. That is: a registered card of the moment is
not publicly elsewhere (discarded, removed, yet to come), and a power of the seat with cards could play it. A
seat without the card answers `pass` like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from games.virgin_queen.cards import discard, ready, waiting
from games.virgin_queen.query import at_war, seat_of, side_of, strength
from games.virgin_queen.state import ENGLAND, POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Menu, Subset
from pbem.kernel.game import Play, Rule
from pbem.kernel.kit import Entry
from pbem.kernel.questions import REACTION

for _side in ("attacker", "defender"):
    KIT.question(f"combat_{_side}", "6.1", REACTION, cards=True)

Can = Callable[[Table, str, Mapping[str, Any]], bool]
Run = Callable[[Table, str, Mapping[str, Any]], Rule[bool | None] | None]


class CombatView(msgspec.Struct):
    """A battle as combat cards see it. Sides are `attacker` and `defender`.

    `powers` maps side → powers, `dice` side → dice; `marks` is what cards leave for after the dice
    (`<side>_hits` more hits, `applied_<side>` hits already applied, `reroll_<side>` …). On land `formation` is
    the attacker's, `inside` are those who make a sortie with it (15.2).
    """

    kind: str
    space: str
    powers: dict[str, list[str]]
    dice: dict[str, int]
    marks: dict[str, int] = {}
    keep: int = 4
    """How many beaten defenders may retreat into the fortification (14.1)."""
    formation: Any = None
    inside: dict[str, int] = {}


CombatRun = Callable[[Table, str, CombatView], Play | None]


def response(moment: str, card: str, can: Can, *, sheet: bool = True) -> Callable[[Run], Run]:
    """Register a response card at a moment: `can(table, holder, about)` from public facts.

    `run` returns True if it stops what was about to happen. Without `sheet` the window opens even where other
    cards are played from the reaction sheets: one power then decides on the moment.
    """
    KIT.question(f"respond_{moment}", "6.1", REACTION, cards=sheet)
    return KIT.entry(f"respond_{moment}", card, can)


def combat_card(
    card: str, can: Callable[[Table, str, CombatView], bool], *kinds: str
) -> Callable[[CombatRun], CombatRun]:
    """Register a combat card for kinds of battles (`field`, `assault`, `sea`); `run` changes the battle."""

    def register(run: CombatRun) -> CombatRun:
        for kind in kinds:
            KIT.entry(f"combat_{kind}", card, can)(run)
        return run

    return register


def of_another(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    """Return whether another seat than the power's own is about to act."""
    return seat_of(table.state, power) != seat_of(table.state, about["power"])


def side_in(battle: CombatView, power: str) -> str:
    """Return on which side of a battle a power is."""
    return "attacker" if power in battle.powers["attacker"] else "defender"


def hidden(table: Table, cards: Mapping[str, Any]) -> list[str]:
    """Return which of the cards may be in a hand, by public knowledge."""
    state = table.state
    lying = {*state.discards, *state.removed, *state.waiting, *state.lasting}
    for own in state.powers.values():
        lying.update(own.home)
    if state.impulse is not None:
        lying.add(state.impulse.card)
    return [card for card in cards if card not in lying]


def holders(table: Table) -> list[tuple[str, str]]:
    """Return the seats and powers that hold cards, in impulse order."""
    state = table.state
    return [(seat, power) for power in POWERS if state.powers[power].hand and (seat := seat_of(state, power))]


def concerned_powers(table: Table, about: Mapping[str, Any]) -> list[str]:
    """Return the powers that an affair concerns; others are asked if their settings say so.

    Those named in it: the target of an event, the sides of a battle, competitors for a minor power. For an
    action: the power's enemies who hold the target space or have units there, all of them without a space. For
    an event aimed at spaces: those who hold them or have units there.
    """
    state = table.state
    named = [*about.get("contenders", ())]
    named += [about[word] for word in ("attacker", "defender", "besieger", "target") if about.get(word)]
    spaces = [at for at in (about.get("space", ""), *about.get("spaces", ())) if at in state.control]
    found = []
    for power in POWERS:
        mine = power in named
        hostile = "power" in about and at_war(state, power, about["power"])
        if spaces and not mine and (hostile or "card" in about):
            mine = any(
                side_of(state, state.control[space]) == power or strength(state, power, space) for space in spaces
            )
        mine = mine or (hostile and not spaces)
        seat = seat_of(state, power)
        if mine and seat and seat not in found:
            found.append(seat)
    return found


def offer(table: Table, moment: str, about: Mapping[str, Any]) -> Rule[bool]:
    """6.1 Let everybody respond with a card at a moment; return True if that stopped it."""
    cards = KIT.entries.get(f"respond_{moment}")
    possible = hidden(table, cards) if cards else []
    if cards is None or not possible:
        return False
    candidates: dict[str, list[str]] = {}
    for seat, power in holders(table):
        for known in possible:
            if cards[known].can(table, power, about):
                candidates.setdefault(seat, []).append(power)
                break
    if not candidates:
        return False
    about = {"touches": concerned_powers(table, about), **about}
    domains = {seat: partial(_in_hand, table, powers, cards, about) for seat, powers in candidates.items()}
    replies = yield from KIT.kinds[f"respond_{moment}"].window(domains, **about)
    if not any(replies.in_order()):
        return False
    for power in POWERS:
        seat = seat_of(table.state, power)
        card = replies.of(seat) if seat in domains else "pass"
        if card in ready(table, power) and cards[card].can(table, power, about):
            replies.took_effect(seat)
            if (yield from _play(table, power, card, cards[card], about)):
                return True
    return False


def _in_hand(
    table: Table, powers: Sequence[str], cards: Mapping[str, Entry[Table, Any]], about: Mapping[str, Any]
) -> Choice[str]:
    hands = [(power, card) for power in powers for card in ready(table, power)]
    able = [card for power, card in hands if card in cards and cards[card].can(table, power, about)]
    return Choice(["pass", *able], "card", partial(waiting, table, powers))


def _play(table: Table, power: str, card: str, response: Entry[Table, Any], about: Mapping[str, Any]) -> Rule[bool]:
    own = table.state.powers[power]
    own.hand.remove(card)
    own.events.append(card)
    table.log("response.played", rule="6.1", power=power, card=card, reveals=True)
    table.stop_advance_orders()
    discard(table, card, event=True)
    stops: bool | None = yield from response.run(table, power, about)
    return bool(stops)


def combat(table: Table, battle: CombatView) -> Play:
    """14, 15.1, 16.2 Ask for any number of combat cards, the attacker first; then, if England fights, for card 40."""
    cards = KIT.entries.get(f"combat_{battle.kind}")
    possible = hidden(table, cards) if cards else []
    if cards and possible:
        for side in ("attacker", "defender"):
            yield from _combat_side(table, battle, side, cards, possible)
    if any(ENGLAND in powers for powers in battle.powers.values()):
        about = {
            "power": ENGLAND, "space": battle.space, "battle": battle.kind, "side": side_in(battle, ENGLAND),
            "attacker": battle.powers["attacker"][0], "marks": battle.marks,
        }  # fmt: skip
        yield from offer(table, "english_battle", about)


def _combat_side(
    table: Table, battle: CombatView, side: str, cards: Mapping[str, Entry[Table, CombatView]], possible: Sequence[str]
) -> Play:
    domains = {}
    for seat, power in holders(table):
        if power in battle.powers[side] and any(cards[card].can(table, power, battle) for card in possible):
            own = [c for c in ready(table, power) if c in cards and cards[c].can(table, power, battle)]
            why = partial(waiting, table, [power])
            play = {"play": Subset(own, 1, len(own), what="cards", why=why)} if own else {}
            domains[seat] = Menu({"pass": None, **play}, why=why)
    if not domains:
        return
    about: dict[str, Any] = {
        "space": battle.space, "battle": battle.kind, "side": side, "powers": battle.powers[side],
        "dice": dict(battle.dice),
    }  # fmt: skip
    replies = yield from KIT.kinds[f"combat_{side}"].window(domains, **about)
    own_of = table.state.powers
    for seat, answer in replies.in_order(list(domains)):
        for card in answer["with"]:
            power = next(p for p in battle.powers[side] if card in own_of[p].hand)
            own_of[power].hand.remove(card)
            own_of[power].events.append(card)
            table.log("combat.played", rule="6.1", power=power, card=card, reveals=True)
            discard(table, card, event=True)
            yield from cards[card].run(table, power, battle)
        replies.took_effect(seat)


def sheet(table: Table, seat: str) -> dict[str, list[str]]:
    """6.1 Return the response and combat cards that a seat holds, by the windows for them."""
    state = table.state
    hand = [card for power in POWERS if seat_of(state, power) == seat for card in state.powers[power].hand]
    found: dict[str, list[str]] = {}
    for moment, entries in sorted(KIT.entries.items()):
        kinds = [moment] if moment.startswith("respond_") else []
        if moment.startswith("combat_"):
            kinds = [f"combat_{side}" for side in ("attacker", "defender")]
        for kind in kinds:
            cards = [card for card in hand if card in entries and card not in found.get(kind, ())]
            if cards and KIT.kinds[kind].cards:
                found.setdefault(kind, []).extend(cards)
    return found
