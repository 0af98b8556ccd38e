"""The action step (13.2) and the menu of actions (15)."""

from __future__ import annotations

from functools import partial
from typing import Any

from games.crown_of_roses.command import can_play_heir
from games.crown_of_roses.coverage import MISSING
from games.crown_of_roses.draw import discard
from games.crown_of_roses.heirs import play_card, use_for_ops
from games.crown_of_roses.muster import deplete
from games.crown_of_roses.query import heirs_in_play, undeclared_heirs
from games.crown_of_roses.realm import abilities
from games.crown_of_roses.realm.victory import alive
from games.crown_of_roses.rules import ACTIONS, EVENTS, phase, unwritten
from games.crown_of_roses.state import State, Step
from pbem.kernel.answers import Choice, Menu
from pbem.kernel.game import Play
from pbem.kernel.problems import Problem
from pbem.kernel.questions import Ask
from pbem.kernel.table import Table


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
        yield from alive(table)
    if state.step is None:
        state.at += 1


_SECTIONS = {"affairs": "14.1.3", "embassy": "14.1.1"}
"""14.1 Mandatory events that are not written, by the first word of their cards."""


def begin(table: Table, house: str) -> Play:
    """13.2 The command card as an event or for OPS; afterwards `state.step` is set if there are OPS to spend."""
    state, c = table.state, table.c
    card = state.houses[house].command
    use = yield from _use(table, house, card)
    table.say("action.begins", rule="13.2", house=house, card=card, use=use)
    if use == "event" and c.cards[card].type == "heir":
        yield from play_card(table, house, card)
    elif card in EVENTS and use == "event":
        yield from EVENTS[card].run(table, house, card)
    elif use == "event":
        yield from unwritten(table, _SECTIONS[card.partition("_")[0]])
        state.step = Step(house, card, c.cards[card].ops)
    else:
        state.step = Step(house, card, c.cards[card].ops)


def _use(table: Table, house: str, card: str) -> Play:
    """13.2, 13.3 A surprise is for OPS, a mandatory card an event, an heir card by duty an event; else as one likes."""
    state, c = table.state, table.c
    kind = c.cards[card].type
    if kind == "mandatory":
        return "event"
    bare = not heirs_in_play(table, house) and not undeclared_heirs(state, house)
    options = []
    if kind == "heir" and can_play_heir(table, house, card):
        options.append("event")
    if kind != "surprise" and card in EVENTS and EVENTS[card].can(table, house):
        options.append("event")
    if not (bare and options):
        options.append("ops")
    if kind == "surprise" or (kind == "heir" and not can_play_heir(table, house, card)):
        return "ops"
    section = {"ally": "14.2.2"}.get(kind, "14.2")
    return (
        yield Ask(
            house,
            "use",
            Choice(options, "use", why=lambda use: _unwritten(section)),
            rule="13.2",
            default="ops" if "ops" in options else "event",
            about={"card": card},
        )
    )  # fmt: skip


def _unwritten(section: str) -> Problem:
    """Why a use is not offered: its chapter is not there yet."""
    return Problem("rules.unwritten", {"section": section, "what": MISSING[section]}, section)


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
    if not ACTIONS[word].free:
        step.done += 1
        if word != "influence":
            step.only_influence = False
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
    assert step is not None
    state.step = None
    own = state.houses[step.house]
    own.command = ""
    deplete(table, step)
    for block in state.blocks.values():
        block.mustered = False
    table.say("action.ends", rule="13.2", house=step.house, left=step.left)
    if table.c.cards[step.card].type == "heir":
        state.removed.append(step.card)
        use_for_ops(table, step.house, step.card)
    else:
        discard(table, step.card)
    yield from alive(table)
