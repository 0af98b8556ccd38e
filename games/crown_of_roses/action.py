"""The action step (13.2; where its cards go: 10.1, 10.2) and the menu of actions (15)."""

from __future__ import annotations

from functools import partial
from typing import Any

from games.crown_of_roses.command import AFFAIRS, can_play_heir
from games.crown_of_roses.draw import discard
from games.crown_of_roses.endings import LASTING
from games.crown_of_roses.events.affairs import affairs_of_state
from games.crown_of_roses.events.raids import disperse
from games.crown_of_roses.heirs import play_card, use_for_ops
from games.crown_of_roses.invariants import invariants
from games.crown_of_roses.muster import deplete
from games.crown_of_roses.query import heirs_in_play, undeclared_heirs
from games.crown_of_roses.realm import abilities
from games.crown_of_roses.realm.victory import alive
from games.crown_of_roses.rules import ACTIONS, EVENTS, Action, phase
from games.crown_of_roses.state import State, Step
from games.crown_of_roses.surprises import STEP, Moment, offer, play, reshuffle
from games.crown_of_roses.surprises import menu_of as menu_at
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Choice, Domain, Menu
from pbem.kernel.fiat import manual
from pbem.kernel.game import Play
from pbem.kernel.problems import Problem
from pbem.kernel.questions import Ask


@phase("action")
def action_step(table: Table) -> Play:
    """13.2 One house after another in impulse order; a checkpoint lies before every action."""
    state: State = table.state
    if state.at >= len(state.order):
        state.phase = "combat"
        return
    if state.step is None:
        yield from begin(table, state.order[state.at])
    else:
        yield from one_action(table)
    if state.rebels:
        yield from disperse(table)
    yield from alive(table)
    if state.step is None:
        state.at += 1


def begin(table: Table, house: str) -> Play:
    """13.2 The command card as an event or for OPS; afterwards `state.step` is set if there are OPS to spend."""
    state, c = table.state, table.c
    own = state.houses[house]
    card = own.command
    yield from offer(table, STEP, {"house": house, "card": card})
    use = yield from _use(table, house, card)
    table.say("action.begins", rule="13.2", house=house, card=card, use=use)
    if use == "ops":
        state.step = Step(house, card, c.cards[card].ops)
        return
    if c.cards[card].type == "heir":
        yield from play_card(table, house, card)
    elif c.cards[card].manual:
        yield from manual(table, card, house, invariants, rule="14")
    elif card == AFFAIRS:
        yield from affairs_of_state(table, house)
    else:
        yield from EVENTS[card].run(table, house, card)
    if state.step is None:
        lay_by(table, house, event=True)
        yield from abilities.after_event(table, house)


def _use(table: Table, house: str, card: str) -> Play:
    """13.2, 13.3 A surprise is for OPS, a mandatory card an event, an heir card by duty an event; else as one likes."""
    state, c = table.state, table.c
    kind = c.cards[card].type
    if kind == "mandatory":
        return "event"
    if kind == "surprise" or (kind == "heir" and not can_play_heir(table, house, card)):
        return "ops"
    options = ["event"] if kind == "heir" or _may_be_event(table, house, card) else []
    # 13.3: with no heir in play nor undeclared an heir card is an event.
    if not (
        options and kind == "heir" and not heirs_in_play(table, house) and not undeclared_heirs(state, house)
    ):
        options.append("ops")
    return (
        yield Ask(
            house,
            "use",
            Choice(options, "use", why=lambda use: Problem("use.not_now", {"card": card}, "14.2")),
            rule="13.2",
            default=options[-1],
            about={"card": card},
        )
    )


RETURNING = ("change_of_heart",)
"""13.3 Events that can bring an undeclared heir back."""


def _may_be_event(table: Table, house: str, card: str) -> bool:
    """13.3 With no heir in play but one undeclared only an event that brings him back."""
    duty = not heirs_in_play(table, house) and undeclared_heirs(table.state, house)
    return not (duty and card not in RETURNING) and EVENTS[card].can(table, house)


def lay_by(table: Table, house: str, *, event: bool) -> None:
    """10.4, 14.2 Where the command card goes: on the table while it lasts, from the game, or to the discards.

    Nothing if it lies before its house already (allies, heirs, mercenaries).
    """
    state: State = table.state
    card, state.houses[house].command = state.houses[house].command, ""
    if not card:
        return
    face = table.c.cards[card]
    event = event or face.type == "mandatory"
    if face.type == "heir":
        state.removed.append(card)
        use_for_ops(table, house, card)
    elif event and face.duration in LASTING:
        state.lasting.append(card)
    else:
        discard(table, card)
        if event and face.reshuffle:
            reshuffle(table)


def one_action(table: Table) -> Play:
    """15.0 One action, or the end of the step."""
    state: State = table.state
    step = state.step
    assert step is not None  # the caller has seen to it
    more = step.left <= 0 and abilities.one_more(table, step)
    if step.left <= 0 and not more:
        yield from finish(table)
        return
    # Asked even if nothing but `done` is possible: what a house cannot do is its secret.
    menu = partial(menu_of, table, step.house)
    answer = yield Ask(
        step.house,
        "action",
        menu,
        rule="10.5.3" if more else "15",
        default=lambda: first_of(menu()),
        about={"left": step.left, "card": step.card},
    )
    if answer == "done":
        yield from finish(table)
        return
    word = answer["do"]
    if more:
        abilities.take_one_more(table, step)
    yield from ACTIONS[word].run(table, step.house, answer)


def first_of(menu: Menu) -> Any:
    """What happens when time runs out: nothing, or the duty."""
    return "done" if "done" in menu.words else next(menu.options())


def menu_of(table: Table, house: str) -> Menu:
    """15.0 What can be done with the OPS left; with no heir in play first of all an heir returns (13.3)."""
    state: State = table.state
    assert state.step is not None
    found: dict[str, Any] = {}
    duty = not heirs_in_play(table, house) and undeclared_heirs(state, house) and not state.step.done
    for key, action in ACTIONS.items():
        if duty and key != "return" and not action.free:
            continue
        if state.step.left <= 0 and key != "influence":
            continue
        if action.able is not None:
            if action.able(table, house):
                found[key] = partial(action.domain, table, house)
            continue
        domain = action.domain(table, house)
        if domain is not None:
            found[key] = domain
    if not (duty and "return" in found):
        found["done"] = None
    return Menu(found)


def finish(table: Table) -> Play:
    """The end of an action step: depleted shires (18.0), the card (14.2, 10.3)."""
    state: State = table.state
    step = state.step
    assert step is not None  # only a step can end
    state.step = None
    yield from deplete(table, step)
    for block in state.blocks.values():
        if block.mustered:
            block.mustered = False
    table.say("action.ends", rule="13.2", house=step.house, left=step.left)
    lay_by(table, step.house, event=step.event)
    yield from alive(table)


def _cards_domain(table: Table, house: str) -> Domain | None:
    """10.4.4, 14.2.2 Surprise cards and allies that can be used now, without OPS."""
    entries = menu_at(table, Moment(STEP, {"house": house}), house)
    return Menu(entries) if entries else None


def _cards_run(table: Table, house: str, order: dict[str, Any]) -> Play:
    """Play one of them."""
    yield from play(table, Moment(STEP, {"house": house}), house, order["with"])


ACTIONS["card"] = Action("card", "10.4.4", _cards_domain, _cards_run, free=True)
