"""The action step (13.2; where its cards go: 10.1, 10.2) and the menu of actions (15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypedDict

import msgspec

from games.crown_of_roses.draw import LASTING, discard
from games.crown_of_roses.events.common import BARS
from games.crown_of_roses.events.raids import disperse
from games.crown_of_roses.heirs import can_play_heir, forfeit_heir, play_card, return_first
from games.crown_of_roses.invariants import invariants
from games.crown_of_roses.land_movement import steps_of_first
from games.crown_of_roses.muster import deplete
from games.crown_of_roses.query import heirs_in_play, step_of, undeclared_heirs
from games.crown_of_roses.realm import abilities
from games.crown_of_roses.realm.victory import update_succession
from games.crown_of_roses.refusals import meant
from games.crown_of_roses.response_points import STEP, ResponsePoint, bar_card, offer, play, reshuffle
from games.crown_of_roses.response_points import menu_of as menu_at
from games.crown_of_roses.state import INACTIVE, OUT, UNAVAILABLE, ActionStep
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.composite_domains import BehindWord
from pbem.kernel.corrections import manual
from pbem.kernel.domains import PASS, Choice, Domain, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.joint_questions import asks_together
from pbem.kernel.pack import load_pack
from pbem.kernel.questions import Ask, LazyDomain
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("10.2", "house cards leave the game", "action.py", "draw.py")
KIT.chapter("15", "OPS", "action.py")

Use = str | dict[str, Any]
"""`event`, `ops`, or the first action for OPS."""
_use = KIT.question("use", "13.2")
_action = KIT.question("action", "15")


@KIT.phase("action")
def action_step(table: Table) -> Play:
    """Run the houses in impulse order, with a checkpoint before every action (13.2)."""
    state = table.state
    if state.at >= len(state.order):
        state.phase = "combat"
        return
    if state.step is None:
        yield from begin(table, state.order[state.at])
    else:
        yield from one_action(table)
    yield from disperse(table)
    yield from update_succession(table)
    if state.step is None:
        state.at += 1


def begin(table: Table, house: str) -> Play:
    """Use the command card as an event or for OPS (13.2). Afterwards `state.step` is set if there are OPS to spend."""
    state, c = table.state, table.c
    own = state.houses[house]
    card = own.command
    yield from offer(table, STEP, {"house": house, "card": card})
    answer = yield from _how(table, house, card)
    use = answer if isinstance(answer, str) else "ops"
    table.log("action.begins", rule="13.2", house=house, card=card, use=use)
    if use == "ops":
        state.step = ActionStep(house, card, c.cards[card].ops)
        if not isinstance(answer, str):
            yield from KIT.actions[answer["do"]].run(table, house, answer)
        return
    if c.cards[card].type == "heir":
        yield from play_card(table, house, card)
    elif c.cards[card].manual:
        yield from manual(table, card, house, invariants, rule="14")
    else:
        yield from KIT.entries["event"][c.cards[card].effect or card].run(table, house, card)
    if state.step is None:
        lay_by(table, house, event=True)
        yield from abilities.after_event(table, house)


def _how(table: Table, house: str, card: str) -> Rule[Use]:
    """Return the use of the command card: `event`, or `ops`, which the first action may stand for (13.2, 13.3)."""
    found = _use_of(table, house, card)
    if isinstance(found, str):
        # The only use; a line written before the card was known may be the first action instead (13.2).
        then = "action" if found == "ops" else ""
        return table.only(_use(house, Choice([found], "use"), found, card=card), found, then=then)
    answer = yield from found
    table.state.step = None
    return answer


def _use_of(table: Table, house: str, card: str) -> Ask[Use] | str:
    """Return the question for the use of a command card, or the only use that it publicly has."""
    state, face = table.state, table.c.cards[card]
    # A mandatory card is an event, a surprise for OPS; so is an heir's card that can't be played.
    if face.type == "mandatory":
        return "event"
    if face.type == "surprise" or (face.type == "heir" and not can_play_heir(table, house, card)):
        return "ops"
    uses = ["event"] if face.type == "heir" or may_be_event(table, house, card) else []
    # 13.3 With no heir in play nor undeclared an heir's card is an event.
    if not (face.type == "heir" and not heirs_in_play(table, house) and not undeclared_heirs(state, house)):
        uses.append("ops")
    if uses == ["ops"] and _publicly_barred(table, house, card):
        return "ops"
    if not asks_together(table) or "ops" not in uses or face.ops <= 0:
        choice: Choice[Use] = Choice(uses, "use", partial(_no_use, table, house, card))
        return _use(house, choice, uses[-1], card=card)
    state.step = ActionStep(house, card, face.ops)  # what the first action is chosen in
    return _use(house, partial(_use_menu, table, house, card, uses), uses[-1], card=card)


def _no_event(table: Table, house: str, card: str) -> RejectionReason | None:
    """Return what bars the event of a card (14.2)."""
    bar = BARS.get(table.c.cards[card].effect or card)
    return bar(table, house, card) if bar is not None else None


def _publicly_barred(table: Table, house: str, card: str) -> bool:
    """Return whether a card is publicly no event (14.2): a person that it needs is in no house's hands (8.2)."""
    problem = _no_event(table, house, card)
    if problem is None or problem.key != "no.needs_in_play":
        return False
    blocks = table.state.blocks
    return any(blocks[key].at in (INACTIVE, UNAVAILABLE, OUT) for key in problem.args["blocks"])


def _use_menu(table: Table, house: str, card: str, uses: Sequence[str]) -> Menu[Use]:
    """Return uses of the card and, for `ops`, the first action (13.2, 15.0); chance takes the event as often."""
    actions = {word: entry for word, entry in menu_of(table, house).table.items() if word != "done"}
    bag = ["ops", *actions]
    if "event" in uses:
        bag += ["event"] * len(bag)
    return Menu({**dict.fromkeys(uses), **actions}, bag, partial(_no_use, table, house, card))


def _no_use(table: Table, house: str, card: str, word: str) -> RejectionReason | None:
    """Return why a command card can't be used so (13.2, 13.3)."""
    word = meant(table, word)
    if word == "event":
        if _bound_to_return(table, house, card):
            return because("only_returning", "13.3", card=card)
        return BARS[table.c.cards[card].effect or card](table, house, card)
    if word == "ops":
        return because("must_be_heir", "13.3", card=card)
    if word == "done":
        return because("use_first", "13.2", card=card)
    if table.state.step is not None:
        return why_not(table, house, word)
    if word not in KIT.reasons:
        return None
    # The use is to be written alone: the card has no OPS, or its use is asked first.
    return because("use_first", "13.2", card=card)


RETURNING = ("change_of_heart",)
"""13.3 Events that can bring an undeclared heir back."""


def may_be_event(table: Table, house: str, card: str) -> bool:
    """Return whether the event of a card can be executed, and 13.3 allows it."""
    if _bound_to_return(table, house, card):
        return False
    return KIT.entries["event"][table.c.cards[card].effect or card].can(table, house, card)


def _bound_to_return(table: Table, house: str, card: str) -> bool:
    """Return whether only an event that brings back an undeclared heir may be played: no heir is in play (13.3)."""
    if heirs_in_play(table, house) or not undeclared_heirs(table.state, house):
        return False
    return (table.c.cards[card].effect or card) not in RETURNING


def effects(place: Sequence[str]) -> tuple[str, ...]:
    """Return the cards whose event an entry of the pack may have instead of its own: it has their numbers."""
    cards = {card["id"]: card for card in load_pack("games.crown_of_roses").tables["cards"]["operations"]}
    if tuple(place[:-1]) != ("cards", "operations") or not _passes(cards[place[-1]]):
        return ()
    has = set(cards[place[-1]].get("params", ()))
    return tuple(
        key for key, card in cards.items() if _passes(card) and key != place[-1] and has >= set(card.get("params", ()))
    )


def _passes(card: Mapping[str, Any]) -> bool:
    return card["type"] == "event" and card["duration"] not in LASTING and "block" not in card.get("params", ())


def lay_by(table: Table, house: str, *, event: bool) -> None:
    """Put the command card where it belongs: the table while it lasts, off the game, the discards (10.4, 14.2).

    Does nothing if it is before its house already (allies, heirs, mercenaries).
    """
    state = table.state
    card, state.houses[house].command = state.houses[house].command, ""
    if not card:
        return
    face = table.c.cards[card]
    event = event or face.type == "mandatory"
    if face.type == "heir":
        state.removed.append(card)
        forfeit_heir(table, house, card)
    elif event and face.duration in LASTING:
        state.lasting.append(card)
    else:
        discard(table, card)
        if event and face.reshuffle:
            reshuffle(table)


def one_action(table: Table) -> Play:
    """Run one action, or the end of the step (15.0)."""
    step = step_of(table)
    more = step.left <= 0 and abilities.one_more(table, step)
    if step.left <= 0 and not more:
        yield from finish(table)
        return
    answer = yield from _ask_action(table, step, "10.5.3" if more else "")
    if answer == "done":
        yield from finish(table)
        return
    if more:
        abilities.take_one_more(table, step)
    yield from KIT.actions[answer["do"]].run(table, step.house, answer)


def _ask_action(table: Table, step: ActionStep, rule: str = "") -> Ask[Any]:
    """Return the question for the next action; asked even if only `done` is possible: who can't act is secret."""
    menu = partial(menu_of, table, step.house)
    return _action(step.house, menu, lambda: when_late(menu()), rule=rule, left=step.left, card=step.card)


def when_late(menu: Menu) -> Any:
    """Return the default at the deadline: nothing more; where an heir must return (13.3), they do.

    A free action would leave the same question open.
    """
    if "done" in menu.words:
        return "done"
    form = menu.entry("return")
    assert form is not None  # without `done` there is this duty
    return {"do": "return", **next(form.options())}


ACTIONS = ("change", "return", "muster", "influence", "swap", "card", "move", "sail", "queen")
"""15.0 The words of the menu; `done` is the last."""


def menu_of(table: Table, house: str) -> Menu:
    """Return what can be done with the OPS left (15.0); with no heir in play an heir returns first (13.3)."""
    step = step_of(table)
    duty = return_first(table, house)
    entries: dict[str, BehindWord] = {}
    for word in ACTIONS:
        action = KIT.actions[word]
        # 13.3 The first OPS brings the heir back; what is free may go before.
        if duty and word != "return" and not action.free:
            continue
        # 10.5.3 Without OPS one noble more may be influenced, and nothing else done.
        if step.left <= 0 and word != "influence":
            continue
        found = action.find(table, house)
        if found is not None:
            entries[word] = partial(action.form, table, house, found)
    if not (duty and "return" in entries):
        entries["done"] = None
    prices = table.c.numbers.actions
    sea = min(step.left, prices.sea_move)  # with fewer OPS only the Admiral sails
    costs = {"muster": prices.muster, "influence": prices.influence, "move": prices.land_move, "sail": sea}
    return Menu(entries, None, partial(why_not, table, house), lambda word: costs.get(word, 0) * (step.left > 0))


def why_not(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a word is not in the menu of actions (15.0); None if it isn't a word of it."""
    word = meant(table, word)
    if word == "event":
        return _no_event(table, house, step_of(table).card)
    if word not in KIT.reasons:
        return None
    if word == "return":
        return KIT.reasons[word](table, house)
    if return_first(table, house) and (word == "done" or not KIT.actions[word].free):
        return because("return_first", "13.3")
    if step_of(table).left <= 0 and word not in ("influence", "done"):
        return because("one_noble_more", "10.5.3")
    return KIT.reasons[word](table, house)


def finish(table: Table) -> Play:
    """End an action step: depleted shires (18.0), the card (14.2, 10.3)."""
    state, step = table.state, step_of(table)
    state.step = None
    yield from deplete(table, step)
    for block in state.blocks.values():
        if block.mustered:
            block.mustered = False
    table.log("action.ends", rule="13.2", house=step.house, left=step.left)
    lay_by(table, step.house, event=step.event)
    yield from update_succession(table)


# -- 10.4.4, 14.2.2 surprise cards and allies in one's own step, without OPS -------------------------------------------

Played = TypedDict("Played", {"with": Any})
"""What is played: an answer to the menu of the moment."""


def _find_cards(table: Table, house: str) -> dict[str, BehindWord] | None:
    return menu_at(table, ResponsePoint(STEP, {"house": house}), house) or None


def _form_cards(table: Table, house: str, entries: dict[str, BehindWord]) -> Menu:
    return Menu(entries, None, partial(bar_card, table, ResponsePoint(STEP, {"house": house}), house))


@KIT.reason("card")
def _no_card(table: Table, house: str) -> RejectionReason | None:
    """Return why a house has no surprise card and no ally to use in its own step (10.4.4)."""
    return None if _find_cards(table, house) else because("no_card", "10.4.4")


@KIT.reason("done")
def _no_end(table: Table, house: str) -> RejectionReason | None:
    """Return why the step can't end yet (13.3)."""
    return because("return_first", "13.3") if return_first(table, house) else None


@KIT.action("card", "10.4.4", _find_cards, _form_cards, free=True)
def _card(table: Table, house: str, order: Played) -> Play:
    yield from play(table, ResponsePoint(STEP, {"house": house}), house, order["with"], own=True)


def next_use(table: Table, house: str) -> Ask[Any] | None:
    """Return the question for the use of a command card that is still to be used in this impulse (13.2).

    Of a card that is for OPS only it is that for the first action (15.0).
    """
    state = table.state
    state.at, state.step = state.order.index(house), None
    card = state.houses[house].command
    found = _use_of(table, house, card)
    if found == "ops":
        state.step = ActionStep(house, card, table.c.cards[card].ops)
        return _ask_action(table, state.step)
    return found if isinstance(found, Ask) else None


def use_of_any(table: Table, house: str, cards: Sequence[str]) -> Ask[Use] | None:
    """Return the question for the use of the command card, while it isn't known which of these it will be (13.2)."""
    choice = [card for card in cards if card != PASS and table.c.cards[card].type != "mandatory"]
    if not choice:
        return None
    card = max(choice, key=lambda key: table.c.cards[key].ops)
    uses = ["event", "ops"]
    domain: LazyDomain[Use] = Choice(uses, "use")
    if asks_together(table):
        table.state.step = ActionStep(house, card, table.c.cards[card].ops)
        domain = partial(_use_menu, table, house, card, uses)
    return msgspec.structs.replace(_use(house, domain, card=card), prompt="ask.use_ahead")


def follow(table: Table, seat: str, kind: str) -> dict[str, Domain]:
    """Return what comes after the use of a card for OPS (13.2): the actions (15), and the steps of a march (16)."""
    card = table.state.houses[seat].command
    if kind != "use" or not card:
        return {}
    table.state.step = ActionStep(seat, card, table.c.cards[card].ops)
    found: dict[str, Domain] = {"action": menu_of(table, seat)}
    if (steps := steps_of_first(table, seat)) is not None:
        found["march"] = steps
    return found
