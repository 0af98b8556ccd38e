"""The action phase (11): impulses, cards for CP or event, treasures, passing, and the menu of actions (11.1)."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cache, partial
from typing import Any

from games.virgin_queen import refusals
from games.virgin_queen.cards import KEPT, REFUSED, REMOVED, discard, draw, waiting
from games.virgin_queen.components import QueenComponents
from games.virgin_queen.courts.deaths import ELIZABETH, VIRGIN_QUEEN
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import foes, seat_of, side_of
from games.virgin_queen.responses import offer
from games.virgin_queen.special import armada
from games.virgin_queen.state import POWERS, SPAIN, Impulse
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import automatic
from pbem.kernel import kit
from pbem.kernel.domains import Choice, Domain, Menu, lazy_choice, lazy_menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.pack import load_pack
from pbem.kernel.questions import MODERATOR, Ask
from pbem.kernel.rejections import RejectionReason

ACTION, _SPRING = "action", "spring"
MANDATORY_CP = 2
COMMAND = "command"
"""The action that is also possible before a card is played: Don John changes his kind (10 step 4)."""
SKIPS = "skips"
"""In `Power.used`: the next impulse of the power is skipped."""
LIKELIER = 3
"""How much likelier than the end each action is in a bot's draw."""
EVENTS = KIT.entries.setdefault("event", {})
"""Cards as events: `run(table, power, aim)` returns a special course (`cards.REFUSED` …) or nothing."""
AIMS = KIT.entries.setdefault("aim", {})
"""Events that name their targets in public before anybody may stop them; `run` gets them as `aim`."""
NEGOTIATED = KIT.entries.setdefault("respond_negotiation", {})
SCIENCE = KIT.entries.setdefault("science", {})

_PASSED = ("sea_intercept", "intercept", "sea_avoid")
"""Windows that a policy passes."""

KIT.chapter("11", "impulses: cards, events, treasures, passing", "impulse.py", "responses.py")
KIT.chapter("11.1", "the list of actions", "impulse.py")
_ask_manual = KIT.question("manual", "6.1")
_ask_impulse = KIT.question("impulse", "11")
_ask_action = KIT.question("action", "11.1")
_ask_treasure = KIT.question("treasure", "11")


@KIT.phase(ACTION)
def action_phase(table: Table) -> Rule[bool]:
    """11 Resolve one impulse; return True while the phase continues. Six passes in a row end it."""
    state = table.state
    if not state.active:
        state.active, state.passes = POWERS[0], 0
        table.log("action.begins", rule="11", turn=state.turn)
        if automatic(table):
            return False
    power = state.active
    if state.powers[power].used.pop(SKIPS, 0):  # neither a pass nor an impulse (card 29)
        table.log("impulse.skipped", rule="6.1", power=power)
    else:
        passed = yield from one_impulse(table, power)
        state.passes = state.passes + 1 if passed else 0
    state.impulse = None
    for own in state.powers.values():
        own.fresh = []
    if state.phase == "over":
        return False
    state.active = POWERS[(POWERS.index(power) + 1) % len(POWERS)]
    if state.passes >= len(POWERS):
        state.active = ""
        return False
    return True


def one_impulse(table: Table, power: str) -> Rule[bool]:
    """11 Resolve the impulse of a power; return whether it passed."""
    state = table.state
    state.impulses += 1
    own = state.powers[power]
    seat = seat_of(state, power)
    if seat and not own.hand:
        table.log("impulse.pass", rule="11", power=power)
    if not seat or not own.hand:
        return True
    state.impulse = Impulse(power=power, garrisons=_garrisons(table))
    for before in KIT.entries["impulse"].values():
        yield from before.run(table, power, None)
    while True:
        answer = yield from _ask_impulse(seat, lambda: opening(table, power), power=power, turn=state.turn)
        if answer == "pass":
            table.log("impulse.pass", rule="11", power=power)
            return True
        if answer["do"] == COMMAND:
            yield from carry_out(table, power, answer)
            continue
        if answer["do"] == "cp":
            yield from play_points(table, power, answer["with"])
            break
        if (yield from play_event(table, power, answer["with"])):
            break
    yield from extend(table, power)
    return False


def _garrisons(table: Table) -> dict[str, dict[str, int]]:
    """Return who is inside each besieged space as the impulse begins (15.2), by owner."""
    state = table.state
    return {
        space: {o: t.total for o, t in state.land.get(space, {}).items() if side_of(state, o) not in siege.by}
        for space, siege in state.sieges.items()
    }


def may_pass(table: Table, power: str) -> bool:
    """11 Return whether a power may pass: no home card or mandatory event, at most its rating in cards."""
    return len(table.state.powers[power].hand) <= may_keep(table, power) and not bound(table, power)


def may_keep(table: Table, power: str) -> int:
    """3.3 Return with how many cards a power may pass: its ruler's administrative rating."""
    own = table.state.powers[power]
    ruler = table.c.rulers[own.ruler]
    return ruler.dead_admin if own.ruler_dead else ruler.admin


def bound(table: Table, power: str) -> list[str]:
    """11 Return the cards that prevent a pass: home cards (23.3: not one for a wedding) and mandatory events."""
    state, cards = table.state, table.c.cards
    kept = (VIRGIN_QUEEN,) if state.royals[ELIZABETH].state == "betrothed" else ()
    hand = state.powers[power].hand
    return [card for card in hand if cards[card].type in ("home", "mandatory") and card not in kept]


def opening(table: Table, power: str) -> Menu:
    """11 Return what an impulse may begin with: a card for CP, a card as an event, or a pass."""
    hand = table.state.powers[power].hand
    free = KIT.actions[COMMAND]

    def build(word: str) -> Domain | None:
        if word == COMMAND:
            found = free.find(table, PowerMap(table, power))
            return free.form(table, PowerMap(table, power), found) if found else None
        if word == "event":
            why_not = partial(refusals.event, table, power)
            events = lazy_choice(hand, lambda card: event_possible(table, power, card), "card", why=why_not)
            return events if events.any() else None
        points = [card for card in hand if table.c.cards[card].type != "mandatory"]
        return Choice(points, what="card", why=partial(refusals.points, table, power)) if points else None

    def why(word: str) -> RejectionReason | None:
        return refusals.opening(table, power, may_keep(table, power), bound(table, power), word)

    bare = ("pass",) if may_pass(table, power) else ()
    bag = ("cp", "cp", "cp", "cp", "event", "event", *bare)
    words = ("cp", "event", COMMAND) if power == SPAIN else ("cp", "event")
    return lazy_menu(words, build, bare, bag, why=why)


def event_possible(table: Table, power: str, card: str) -> bool:
    """11 Return whether a power may play a card as an event now: a mandatory one always, an unwritten one manually."""
    info = table.c.cards[card]
    written = None if info.manual else EVENTS.get(info.effect or card)
    if info.type == "combat" or (info.type == "response" and written is None):
        return False
    if (info.effect or card) in NEGOTIATED and not info.manual:  # only in the negotiation segment (6.1)
        return False
    if info.powers and power not in info.powers:
        return False
    return info.type == "mandatory" or written is None or written.can(table, power, None)


_BOUND = ("morisco-revolt", "grand-tour", "holy-league", "war-in-persia", "war-with-poland")
"""Cards that stay on the table, or are fetched by name: their effect can't be moved to another card."""


def effects(place: Sequence[str]) -> tuple[str, ...]:
    """Return the cards whose effect an entry of the pack may have instead of its own: for an event, events."""
    types = {card["id"]: card["type"] for card in load_pack("games.virgin_queen").tables["cards"]["cards"]}
    if tuple(place[:-1]) != ("cards", "cards") or types[place[-1]] != "event" or place[-1] in _BOUND:
        return ()
    barred = (place[-1], *_BOUND, *NEGOTIATED)
    return tuple(card for card in sorted(EVENTS) if types[card] == "event" and card not in barred)


def play_points(table: Table, power: str, card: str) -> Play:
    """11 Play a card for its CP."""
    cp = table.c.cards[card].cp
    table.state.powers[power].hand.remove(card)
    table.state.now.card = card
    table.log("impulse.points", rule="11", power=power, card=card, cp=cp)
    discard(table, card)
    yield from spend(table, power, cp, "card")


def play_event(table: Table, power: str, card: str) -> Rule[bool]:
    """11 Play a card as an event, 2 CP afterwards if mandatory (6.1). Return False if the moderator rejected it."""
    state = table.state
    info = table.c.cards[card]
    state.powers[power].hand.remove(card)
    state.now.card, state.now.as_event = card, True
    before = {other: _standing(table, other) for other in POWERS if other != power}
    table.log("impulse.event", rule="11", power=power, card=card)
    effect = info.effect or card
    written = None if info.manual else EVENTS.get(effect)
    able = written is not None and written.can(table, power, None)
    aim: Mapping[str, Any] = {}
    if able and effect in AIMS:
        aim = yield from AIMS[effect].run(table, power, None)
    if info.type == "event" and (yield from offer(table, "event", {"power": power, "card": card, **aim})):
        discard(table, card)
        return True
    outcome = None
    if written is None:
        outcome = yield from manual(table, power, card)
    elif able:
        outcome = yield from written.run(table, power, aim)
    else:
        table.log("event.no_effect", rule="6.1", card=card)
    if outcome == REFUSED:
        state.powers[power].hand.append(card)
        state.now.card, state.now.as_event = "", False
        return False
    lasts = info.manual or outcome == KEPT
    # What a turn written ahead names is watched besides.
    concerned = [other for other, known in before.items() if lasts or _standing(table, other) != known]
    table.held.update({seat_of(state, other) for other in concerned} - {"", seat_of(state, power)})
    state.powers[power].events.append(card)
    if outcome == REMOVED:
        state.removed.append(card)
    elif outcome != KEPT:
        discard(table, card, event=True)
    if state.phase != "over" and not automatic(table) and info.type == "mandatory":
        yield from spend(table, power, MANDATORY_CP, "mandatory")
    return True


def _standing(table: Table, power: str) -> tuple[Any, ...]:
    """Return what everybody knows of a power that decides what it can do: cards, ruler, wars, spaces, men and ships."""
    state, own = table.state, table.state.powers[power]
    ties = {key: tie for key, tie in state.diplomacy.items() if power in key.split(":")}
    held = [space for space, owner in state.control.items() if owner == power]
    men = {space: troops[power].total for space, troops in state.land.items() if power in troops}
    ships = [(at, dict(fleet.ships)) for at, there in state.fleets.items() for fleet in there if fleet.power == power]
    crown = (own.ruler, own.ruler_dead, own.active, own.used.get(SKIPS))
    return len(own.hand), len(own.treasures), *crown, ties, held, men, ships


def manual(table: Table, power: str, card: str) -> Rule[str]:
    """Ask the moderator to execute a card without code (`correct`); a mandatory one can't be rejected."""
    words = ("done",) if table.c.cards[card].type == "mandatory" else ("done", "refused")
    answer = yield from _ask_manual(MODERATOR, Choice(words), power=power, card=card)
    table.log("event.manual" if answer == "done" else "event.refused", rule="6.1", power=power, card=card)
    return answer


def pay(table: Table, cp: int, listed: str) -> None:
    """11.1 Pay for an action and note its colour."""
    impulse = table.state.now
    if impulse.cp < cp:
        raise AssertionError(f"{listed} costs {cp}, {impulse.cp} left")
    impulse.cp -= cp
    family = table.c.actions[listed].category
    if impulse.source in ("card", "mandatory") and family not in impulse.families:
        impulse.families.append(family)


def spend(table: Table, power: str, cp: int, source: str, only: Container[str] | None = None) -> Play:
    """11.1 Spend command points on actions, one after another; what is left is lost.

    An event may allow only some actions (`only`). What the last CP brought to the Armada's port may still go
    aboard or ashore for free (23.2).
    """
    state = table.state
    impulse = state.now
    impulse.cp, impulse.source = cp, source
    seat = seat_of(state, power)
    fresh = False
    while (impulse.cp > 0 or fresh) and state.phase != "over":
        domain = partial(menu, table, power, only)
        order = yield from _ask_action(seat, domain, power=power, cp=impulse.cp, source=source)
        if order == "end":
            break
        harbour = armada.harbour(table, power)
        yield from carry_out(table, power, order)
        automatic(table)
        fresh = armada.harbour(table, power) not in (None, harbour)
    impulse.cp = 0


def carry_out(table: Table, power: str, order: Mapping[str, Any]) -> Play:
    """Execute one ordered action."""
    action = KIT.actions[order["do"]]
    value = order["with"] if "with" in order else {key: v for key, v in order.items() if key != "do"}
    yield from action.run(table, power, value)


def menu(table: Table, power: str, only: Container[str] | None = None) -> Menu:
    """11.1 Return the actions that are possible now, and `end`."""
    words, bag = _printed(table.c, power)
    if only is not None:
        words = tuple(word for word in words if word in only)
        bag = (*words * LIKELIER, "end")
    able, why = partial(allowed, table, power), partial(refusals.action, table, power, only)
    return KIT.menu(table, PowerMap(table, power), words, ("end",), bag, able, why, partial(cost, table.c))


def cost(c: QueenComponents, word: str) -> int:
    """11.1 Return what an action costs, in CP; 0 if it depends on the order."""
    action = KIT.actions.get(word)
    if action is None or action.free:
        return 0
    listed = c.actions[action.listed]
    return listed.cost if listed.most <= listed.cost else 0


@cache
def _printed(c: QueenComponents, power: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    listed = list(c.actions)
    found = [word for word, action in KIT.actions.items() if power in c.actions[action.listed].powers]
    words = tuple(sorted(found, key=lambda word: listed.index(KIT.actions[word].listed)))
    return words, (*words * LIKELIER, "end")


def allowed(table: Table, power: str, action: kit.Action[Table, Any, Any]) -> bool:
    """11 Return whether a power may buy an action."""
    # 11.1: it is on the power's list.
    listed = table.c.actions[action.listed]
    if power not in listed.powers:
        return False
    state = table.state
    impulse = state.now
    if action.free:
        return True
    # 11.1: it can be paid for; 19: its turn has come.
    if listed.cost > impulse.cp or state.turn < listed.first_turn:
        return False
    # 11: the CP of a treasure buy actions of other colours than the card's.
    if impulse.source == "treasure" and listed.category in impulse.families:
        return False
    # 27.1: an activated power may not do everything.
    return state.powers[power].active or not refusals.barred(listed)


def extend(table: Table, power: str) -> Play:
    """11 Play treasures after the card, one by one."""
    state = table.state
    own = state.powers[power]
    while own.treasures and state.phase != "over":
        seat, domain = seat_of(state, power), partial(treasure_menu, table, power)
        answer = yield from _ask_treasure(seat, domain, "pass", power=power, count=len(own.treasures))
        if answer == "pass":
            return
        yield from play_treasure(table, power, answer["with"])


def treasure_menu(table: Table, power: str) -> Menu:
    """Return the treasures to play, or none; one for a scientific bonus only if a bonus is available."""
    own = table.state.powers[power]
    bonus = SCIENCE["22.2"].can(table, power, None)
    usable = [key for key in own.treasures if bonus or table.c.treasures[key].kind != "science"]
    usable = [key for key in usable if key not in own.fresh]
    why = partial(waiting, table, [power])
    play = {"play": Choice(usable, "treasure", why)} if usable else {}
    return Menu({"pass": None, **play}, why=why)


def play_treasure(table: Table, power: str, treasure: str) -> Play:
    """11 Spend a treasure: draw a card, a scientific bonus, 1 VP, or CP of other colours than the card's."""
    state = table.state
    own = state.powers[power]
    own.treasures.remove(treasure)
    state.now.treasures.append(treasure)
    info = table.c.treasures[treasure]
    table.log("treasure.played", rule="11", power=power, treasure=treasure)
    if info.kind == "vp":
        own.vp["treasure"] = own.vp.get("treasure", 0) + 1
        return
    state.treasure_used.append(treasure)
    if info.kind == "draw":
        own.fresh += draw(table, power, 1, "11")
    elif info.kind == "science":
        yield from SCIENCE["22.2"].run(table, power, None)
    else:
        yield from spend(table, power, info.value, "treasure")


def next_impulse(table: Table, seat: str, asked: bool) -> Ask[Any] | None:
    """Return the question with which the next impulse of a seat's powers begins (11), in spring that of the turn."""
    state = table.state
    if state.phase not in (_SPRING, ACTION) or (state.phase == ACTION and (asked or not state.active)):
        return None
    at = POWERS.index(state.active) + 1 if state.phase == ACTION else 0
    later = (*POWERS[at:], *POWERS[:at])
    power = next((key for key in later if seat_of(state, key) == seat and state.powers[key].hand), "")
    if not power:
        return None
    state.phase, state.active, state.impulse = ACTION, power, Impulse(power=power, garrisons=_garrisons(table))
    return _ask_impulse(seat, lambda: opening(table, power), power=power, turn=state.turn)


def policies(table: Table, seat: str, kind: str) -> list[str]:
    """Return standing orders against interceptions in this turn (13.2, 16.1), for a seat that is at war with ships.

    The email of such a window offers them too. They don't avoid battle at sea.
    """
    state = table.state
    own = {power for power in POWERS if seat_of(state, power) == seat}
    if kind not in ("impulse", *_PASSED) or not any(foes(state, power) for power in own):
        return []
    afloat = any(fleet.power in own for fleets in state.fleets.values() for fleet in fleets)
    return [f"standing {', '.join(_PASSED)}: pass until turn {state.turn + 1}"] if afloat else []


def follow(table: Table, seat: str, kind: str) -> dict[str, Domain]:
    """Return what comes after a card: the actions that the CP of the strongest card in hand could buy."""
    impulse = table.state.impulse
    if kind != "impulse" or impulse is None:
        return {}
    hand = table.state.powers[impulse.power].hand
    points = [table.c.cards[card].cp for card in hand if table.c.cards[card].type != "mandatory"]
    impulse.cp, impulse.source = max(points, default=0), "card"
    return {"action": menu(table, impulse.power)}
