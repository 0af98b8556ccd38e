"""The sequence of winter (20): every step in order; the return home is planned by all seats at once (20.4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from games.virgin_queen.diplomacy import relations
from games.virgin_queen.intrigue import agents
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.winter import league, other_steps, ports, return_of_troops
from games.virgin_queen.winter.return_paths import WinterPaths
from pbem.kernel.domains import Domain, Form, Optional, Subset
from pbem.kernel.form import Field
from pbem.kernel.game import Play
from pbem.kernel.questions import AskAll

KIT.chapter("20.3", "loans of ships end", "winter/phase.py", "winter/ports.py")
KIT.chapter("20.4", "the return home", "winter/")
_ask_winter = KIT.question("winter", "20.4")


@KIT.phase("winter")
def winter(table: Table) -> Play:
    """20 Resolve the winter phase: every step in its order."""
    table.log("winter.begins", rule="20", turn=table.state.turn)
    yield from other_steps.moriscos(table)
    other_steps.treasures(table)
    ports.end_loans(table)
    yield from home(table)
    yield from relations.entered(table)
    other_steps.alliances(table)
    yield from other_steps.reinforcements(table)
    other_steps.pirates_and_treasures(table)
    agents.reset(table)
    other_steps.diplomacy(table)
    yield from league.league(table)


def home(table: Table) -> Play:
    """20.4 Move ships, then land units, then captains; a seat plans for its powers one after another."""
    state = table.state
    played = {seat: [p for p in POWERS if seat_of(state, p) == seat] for seat in table.seats}
    plans: dict[str, Any] = {}
    for turn in range(max((len(powers) for powers in played.values()), default=0)):
        asks = {}
        for seat, powers in played.items():
            if turn < len(powers) and may_plan(table, powers[turn]):
                domain = partial(plan, table, powers[turn])
                asks[seat] = _ask_winter(seat, domain, {}, power=powers[turn])
        if asks:
            answers = yield AskAll(asks)
            plans |= {played[seat][turn]: answer for seat, answer in answers.items()}
    for power in POWERS:
        said = plans.get(power, {})
        ports.ships_home(table, power, said.get("ships", {}), said.get("leaders", {}))
    for power in POWERS:
        said = plans.get(power, {})
        return_of_troops.troops_home(table, power, said.get("land", ()))
        return_of_troops.to_card(table, power, said.get("card", ()))
    state.sieges = {}
    yield from ports.captains_home(table)


def may_plan(table: Table, power: str) -> bool:
    """20.4 Return whether a power has anything to choose."""
    return (
        return_of_troops.ReturnPlan(WinterPaths(table, power, ports.harbour(table, power, {}))).may_order()
        or ports.domain(table, power) is not None
        or bool(return_of_troops.recallable(table, power))
    )


def plan(table: Table, power: str) -> Form:
    """Return the form of a power's plan.

    `ships` where ports are equally near, with which of them naval `leaders` go, `land` moves, and who goes back to the
    power `card`. The ways are computed again: a correction may have changed the state since the question.
    """
    fields: dict[str, Field] = {}

    def leaders(values: Any) -> Domain | None:
        found = ports.parting(table, power, values.ships or {})
        return found and Optional(found)

    def land(said: Mapping[str, Any]) -> Domain | None:
        found = return_of_troops.domain(WinterPaths(table, power, ports.harbour(table, power, said)))
        return found and Optional(found)

    if (ships := ports.domain(table, power)) is not None:
        fields["ships"] = Optional(ships)
        fields["leaders"] = leaders
    # 23.2: troops aboard go home from the port where the Armada will be.
    if ships is not None and ports.harbour(table, power, {}):
        fields["land"] = lambda values: land(values.ships or {})
    elif (moves := land({})) is not None:
        fields["land"] = moves
    if chiefs := return_of_troops.recallable(table, power):
        fields["card"] = Optional(Subset(chiefs, 0, len(chiefs), what="leaders"))
    return Form(fields)
