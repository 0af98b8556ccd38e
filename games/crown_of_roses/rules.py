"""The seams between the chapters: phases, actions and events that chapters register when they are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from games.crown_of_roses.coverage import MISSING
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.answers import Choice, Domain
from pbem.kernel.game import Play
from pbem.kernel.questions import MODERATOR, Ask


def unwritten(table: Table, section: str) -> Play:
    """Play has come to a section that this version does not have: it stops and names it.

    Nothing is passed over silently: the moderator settles it by hand (`pbem fiat`) as the rulebook says, and confirms.
    """
    what = MISSING[section]
    table.say("rules.stopped", rule=section, section=section, what=what)
    yield Ask(
        MODERATOR,
        "unwritten",
        Choice(("done",)),
        rule=section,
        about={"section": section, "what": what},
    )


PHASES: dict[str, Callable[[Table], Play]] = {}
"""Phase → its rule; the rule sets `state.phase` to what follows."""

SECTIONS = {
    "draw": "12", "command": "13.1", "action": "13.2", "combat": "20", "influence": "23", "king": "24",
    "victory": "25",
    "offices": "26", "winter": "27", "cleanup": "28",
}  # fmt: skip


class Action(msgspec.Struct, frozen=True):
    """An action of 15: `domain(table, house)` is its order, None if nothing legal can be ordered with the OPS left.

    `run(table, house, order)` pays and carries it out. A `free` action costs no OPS and is not one of the actions of
    the step (changing money, abilities of offices). `able(table, house)` says at less cost whether there is a domain:
    then it is built when the word is taken.
    """

    id: str
    rule: str
    domain: Callable[[Table, str], Domain | None]
    run: Callable[[Table, str, Any], Play]
    free: bool = False
    able: Callable[[Table, str], bool] | None = None


ACTIONS: dict[str, Action] = {}


def bridge(word: str) -> None:
    """While some chapters register with the kit and some here: an action of the kit as one of ours."""
    new = KIT.actions[word]

    def domain(table: Table, house: str) -> Domain | None:
        found = new.find(table, house)
        return None if found is None else new.form(table, house, found)

    ACTIONS[word] = Action(
        word, new.rule, domain, new.run, new.free, lambda table, house: new.find(table, house) is not None
    )


"""In the order of the menu."""


class Event(msgspec.Struct, frozen=True):
    """A card as an event (14). `can(table, house)`: may it be played; `run(table, house, card)` does it."""

    can: Callable[[Table, str], bool]
    run: Callable[[Table, str, str], Play]


EVENTS: dict[str, Event] = {}


def phase(name: str) -> Callable[[Callable[[Table], Play]], Callable[[Table], Play]]:
    """Register the rule of a phase."""

    def register(run: Callable[[Table], Play]) -> Callable[[Table], Play]:
        PHASES[name] = run
        return run

    return register


def pay(table: Table, ops: int, *, influence: bool = False) -> None:
    """15.0 Spend OPS of the action step under way: only now the action counts as one of the step (13.3, 10.5.3).

    What a card called off before its OPS were spent (68) was none.
    """
    step = table.state.step
    assert step is not None
    step.left -= ops
    step.done += 1
    if not influence:
        step.only_influence = False
