"""Plans for an engagement, decided beforehand: whether to fight (20.2), and what to do in the rounds.

Plans aren't part of the rules. A plan answers questions that would be asked later; for `ask` the question is asked
when it comes, and open ones are asked too, or answered by `DEFAULTS`. With two full plans an engagement costs one
round of emails.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, NotRequired, TypedDict

from games.crown_of_roses.battle.forces import settled
from games.crown_of_roses.battle.retreat import path_choice, retreat_paths
from games.crown_of_roses.state import Battle
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import PASS, Choice, Domain, Form, Menu, Optional
from pbem.kernel.game import Rule
from pbem.kernel.joint_questions import asks_together
from pbem.kernel.questions import REACTION

_plan = KIT.question("plan", "20.2", REACTION)

FIELDS: dict[str, tuple[str, ...]] = {
    "force": ("ask", "full"), "charge": ("ask", "never", "heir", "strongest"), "losses": ("ask", "attached", "nobles"),
    "retreat": ("ask", "never", "weaker"), "cards": ("ask", "never"),
}  # fmt: skip
"""The settings of a plan.

`force=full`: as many blocks as can fight, the strongest first, and reinforcements likewise. `charge`: the enemy's heir
or strongest block if an own heir can. `losses`: on attached blocks first, or on nobles first. `retreat=weaker`: as
soon as the own blocks there have fewer dice than the enemy's battle force. With `cards=never` the house isn't asked
for cards and rerolls in this engagement, which is logged; standing orders for them still work.
"""


DEFAULTS = {"force": "full", "charge": "never", "losses": "attached", "retreat": "weaker"}
"""Defaults of a side that says nothing, at a table with joint questions (`kernel.joint_questions`)."""


class BattlePlan(TypedDict):
    """A plan: whether to fight, and what it settles (`FIELDS`, and where to retreat)."""

    do: Literal["plan"]
    parley: str
    force: NotRequired[str]
    charge: NotRequired[str]
    losses: NotRequired[str]
    retreat: NotRequired[str]
    cards: NotRequired[str]
    to: NotRequired[str]


def _domain(table: Table, battle: Battle, house: str) -> Menu[Literal["pass"] | BattlePlan]:
    fields: dict[str, Domain] = {"parley": Choice(("fight", "withdraw", "grant"), "parley")}
    for key, words in FIELDS.items():
        fields[key] = Optional(Choice(words, key))
    paths = path_choice(table, battle, house)
    if paths.listed:
        fields["to"] = Optional(paths)
    return Menu({PASS: None, "plan": Form(fields)})


def offer_plans(table: Table, battle: Battle) -> Rule[str]:
    """Ask both sides for sealed plans before an engagement; one may be allowed to withdraw (20.2).

    Returns the house that withdraws because it wants to and the other grants it, "" if there is to be a fight.
    """
    pair = (battle.attacker, battle.defender)
    window = _plan.window(
        {house: partial(_domain, table, battle, house) for house in pair}, place=battle.place, attacker=battle.attacker,
        defender=battle.defender, touches=list(pair),
    )  # fmt: skip
    defaults = DEFAULTS if asks_together(table) else {}
    if defaults:
        window.prompt = "ask.battle_orders"
    replies = yield from window
    parley = dict.fromkeys(pair, "fight")
    for house in pair:
        side = battle.sides[house]
        side.plan = dict(defaults)
        answer = replies.of(house)
        if answer != PASS:
            replies.took_effect(house)
            said = {key: str(value) for key, value in answer.items() if key not in ("do", "parley")}
            side.plan = {**defaults, **said}
            parley[house] = answer["parley"]
    for house in pair:
        if settled(battle.sides[house], "cards") == "never":
            table.log("battle.no_cards", rule="20.2", house=house, reveals=True)
    for house, other in (pair, pair[::-1]):
        if (parley[house], parley[other]) == ("withdraw", "grant") and retreat_paths(table, battle, house):
            return house
    return ""


def asked_for_cards(battle: Battle, houses: Sequence[str]) -> list[str]:
    """Return the houses that are asked for cards by default: all but those whose plan says never."""
    return [house for house in houses if settled(battle.sides[house], "cards") != "never"]
