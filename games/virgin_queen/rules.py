"""The seams between the chapters: tables that chapters fill when they are imported.

A chapter registers phases, actions, events and cards here with the decorators below; `play`, `impulse` and `responses`
look them up. Nothing else couples chapters, but for the helper modules named in README.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from games.virgin_queen.ground import Ground
from games.virgin_queen.table import Table
from pbem.kernel.answers import Domain
from pbem.kernel.game import Play
from pbem.kernel.problems import refuse

PHASES: dict[str, Callable[[Table], Play]] = {}
"""Phase → its rule. The rule returns True to stay in the phase (one impulse of the action phase)."""

STEPS: dict[str, dict[str, Callable[[Table], Play]]] = {}
"""Phase or moment → section → rule, run in order of section by `run_steps`; chapters of II add theirs."""


class Action(msgspec.Struct, frozen=True):
    """An action of 11.1.

    `id` is the word in the order, `listed` its line in the action list (colour, who may, from which turn).
    `domain(table,
    power)` is the form of the order, None if nothing legal can be ordered with the CP left (it is then left out of the
    menu). `run(table, power, order)` pays (`impulse.pay`) and carries it out. `can(ground)` tells, as cheaply as may
    be, whether `domain` gives a form: with it the form is built only if somebody takes the word, and `domain` takes
    the ground as a third argument.
    """

    id: str
    rule: str
    listed: str
    domain: Callable[..., Domain | None]
    run: Callable[[Table, str, Mapping[str, Any]], Play]
    can: Callable[[Ground], bool] | None = None


ACTIONS: dict[str, Action] = {}


class Event(msgspec.Struct, frozen=True):
    """A card as an event. `can(table, power)`: whether its conditions hold.

    `aim(table, power)` names its targets in public before anybody may stop it: public facts, among them perhaps
    `space`, `spaces` or `target` (a power). `run(table, power, aim)` carries it out; it returns one of `OUTCOMES`, or
    nothing if the card goes its usual way.
    """

    card: str
    can: Callable[[Table, str], bool]
    run: Callable[[Table, str, Mapping[str, Any]], Play]
    aim: Callable[[Table, str], Play] | None = None


REFUSED, KEPT, REMOVED = "refused", "kept", "removed"
OUTCOMES = (REFUSED, KEPT, REMOVED)
"""What an event may return: not allowed after all, card already laid elsewhere, card out of the game (6.2)."""

EVENTS: dict[str, Event] = {}


class Response(msgspec.Struct, frozen=True):
    """A response card at a moment. `can(table, holder, about)`: whether its holder may play it now, from public facts.

    `run(table, holder, about)` carries it out and returns True if it stops what was about to happen.
    """

    card: str
    can: Callable[[Table, str, Mapping[str, Any]], bool]
    run: Callable[[Table, str, Mapping[str, Any]], Play]


RESPONSES: dict[str, dict[str, Response]] = {}
"""Moment (`move`, `assault`, `sea_move`, `transport`, `field_battle`, `sea_hits`, `event`, `taken` …) → card →
response.
"""


class Combat(msgspec.Struct, frozen=True):
    """A combat card. `can(table, holder, battle)` from public facts; `run(table, holder, battle)` changes the
    battle.
    """

    card: str
    can: Callable[[Table, str, Any], bool]
    run: Callable[[Table, str, Any], Play]


COMBAT: dict[str, dict[str, Combat]] = {}
"""Kind of battle (`field`, `assault`, `sea`) → combat card → what it does to the battle."""


def phase(name: str) -> Callable[[Callable[[Table], Play]], Callable[[Table], Play]]:
    """Register the rule of a phase."""

    def register(run: Callable[[Table], Play]) -> Callable[[Table], Play]:
        PHASES[name] = run
        return run

    return register


def step(moment: str, section: str) -> Callable[[Callable[[Table], Play]], Callable[[Table], Play]]:
    """Register a step, e.g. `@step("winter", "20.4")`."""

    def register(run: Callable[[Table], Play]) -> Callable[[Table], Play]:
        STEPS.setdefault(moment, {})[section] = run
        return run

    return register


def run_steps(table: Table, moment: str, sections: tuple[str, ...]) -> Play:
    """Run the steps of a moment in the order of `sections`; one that is not written yet is told of, never silent."""
    known = STEPS.get(moment, {})
    for section in sections:
        run = known.get(section)
        if run is None:
            missing(table, section)
        else:
            yield from run(table)


def run_all(table: Table, moment: str) -> Play:
    """Run all rules of a moment in the order in which they were registered; there may be none."""
    for run in STEPS.get(moment, {}).values():
        yield from run(table)


def missing(table: Table, section: str) -> None:
    """Tell that a section of the rules is not in this version and was passed over."""
    table.say("rules.missing", rule=section, section=section)


def unwritten(section: str) -> Exception:
    """The refusal for what this version cannot carry out."""
    return refuse("rules.unwritten", section=section)
