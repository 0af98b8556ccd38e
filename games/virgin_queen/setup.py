"""The start of a game: campaign or tournament, for two to six players (3, 24.7, 27; scenario data)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.virgin_queen.components import QueenComponents
from games.virgin_queen.fleets import put
from games.virgin_queen.formations import add
from games.virgin_queen.keys import vp
from games.virgin_queen.query import SIDES
from games.virgin_queen.state import (
    GONE,
    HRE,
    INDEPENDENT,
    LATER,
    MINORS,
    ON_CARD,
    POOL,
    POWERS,
    SPAIN,
    WAR,
    Betrothal,
    Captain,
    Leader,
    Minor,
    Power,
    QueenState,
    Royal,
    pair,
)
from games.virgin_queen.table import KIT, Table

if TYPE_CHECKING:
    from games.virgin_queen.scenario_data import PlayersRow, ScenarioRow

KIT.chapter("3.1", "players and seats", "setup.py")
KIT.chapter("27", "two to five players", "setup.py")

SEATS = {
    6: POWERS,
    5: ("ottoman", "spain", "england", "france", "protestant"),
    4: ("spain", "england", "france", "protestant"),
    3: ("spain", "france", "england"),
    2: ("spain", "england"),
}
"""Seats by number of players: each is named after the first power of its player (27)."""


def setup(table: Table) -> QueenState:
    """Return the state before the first card phase."""
    c = table.c
    scenario = c.scenarios[table.scenario]
    players = c.players[len(table.seats)]
    first = scenario["first_turn"]
    state = QueenState(
        powers=_powers(c, scenario, players),
        minors=_minors(c, scenario, players),
        control={key: space.control for key, space in c.spaces.items()}
        | {e["space"]: e["power"] for e in scenario["control"]}
        | dict.fromkeys(scenario["independent_start"], INDEPENDENT),
        religion={key: space.religion for key, space in c.spaces.items()}
        | {e["space"]: e["religion"] for e in scenario["religion"]},
        diplomacy={pair(e["a"], e["b"]): WAR for e in scenario["wars"]},
        land={},
        fleets={},
        leaders=_leaders(c, scenario),
        captains={key: Captain(at=POOL if key in scenario["captains_available"] else LATER) for key in c.captains},
        deck=[],
        turn=first,
        last_turn=scenario["last_turn"],
        capitals={capital: power for power, major in c.powers.items() for capital in major.capitals},
        locked_wars={pair(e["a"], e["b"]): e["locked_turn"] for e in scenario["wars"] if "locked_turn" in e},
        patrols={e["zone"]: e["n"] for e in scenario["patrols"]},
        lost_settlements=list(scenario["spain_settlements_lost"]),
        suez=scenario["suez"],
        mary="captive" if scenario["mary"].startswith("captive") else "absent",
        excommunicated=scenario["excommunicated"],
        betrothed=[Betrothal(e["groom"], e["bride"]) for e in scenario["betrothed"]],
        royals=_royals(c, scenario),
    )  # fmt: skip
    for entry in scenario["capitals_placed"]:
        state.capitals[entry["space"]] = "protestant"
    table.state = state
    _units(table, scenario)
    _decks(table, state, scenario, players)
    for power in players["activated"]:
        state.minors[power].baseline = vp(table, power)
    return state


def _powers(c: QueenComponents, scenario: ScenarioRow, players: PlayersRow) -> dict[str, Power]:
    seats = {power: group[0] for group in players["seats"] for power in group}
    rulers = {c.rulers[key].power: key for key in scenario["rulers"]}
    found = {power: Power(seat=seats.get(power, ""), ruler=rulers[power], active=power in seats) for power in POWERS}
    for entry in scenario["bonus_vp"]:
        found[entry["power"]].vp[entry["kind"]] = entry["vp"]
    found[SPAIN].stock = {"fortress": 0, "jesuit": 0, "escort": 0}
    found[HRE].stock = {"hire": scenario["hire"]}
    return found


def _minors(c: QueenComponents, scenario: ScenarioRow, players: PlayersRow) -> dict[str, Minor]:
    """Return minor powers and the major powers that nobody plays, with their influence markers (24.5, 27.1)."""
    allies = {e["minor"]: e["ally"] for e in scenario["minor_alliances"]}
    found = {}
    for key in (*MINORS, *players["activated"]):
        card = c.minors[key]
        ally = allies.get(key, card.start_ally)
        found[key] = Minor(ally=ally, influence=dict(c.influence[key]), locked=bool(card.locked_until_card))
    if "ottoman" in found and players["count"] == 2:
        found["ottoman"].influence.pop("france", None)  # errata 29
    idle = [key for key in players["activated"] if not found[key].ally]
    for minor in found.values():
        minor.influence |= {power: 0 for power in idle if power in minor.influence}
    return found


def _leaders(c: QueenComponents, scenario: ScenarioRow) -> dict[str, Leader]:
    found = {key: Leader(power=card.power, naval=card.naval) for key, card in c.generals.items()}
    for entry in scenario["leaders"]:
        found[entry["leader"]].at = entry["space"]
    for entry in scenario["leaders_on_card"]:
        found[entry["leader"]].at = ON_CARD
    for key in scenario.get("leaders_removed", ()):
        found[key].at = GONE
    return found


def _royals(c: QueenComponents, scenario: ScenarioRow) -> dict[str, Royal]:
    """8.1 Return the royals who entered before the first card phase, also those of an inactive Empire (27.1)."""
    before = max(1, scenario["first_turn"] - 1)
    betrothed = {key for e in scenario["betrothed"] for key in (e["groom"], e["bride"])}
    dead = scenario.get("royals_removed", ())
    found = {}
    for key, card in c.royals.items():
        here = card.turn.isdigit() and int(card.turn) <= before
        state = "dead" if key in dead else "betrothed" if key in betrothed else "free" if here else "later"
        found[key] = Royal(power=card.power, state=state, eligibility=card.eligibility)
    return found


def _units(table: Table, scenario: ScenarioRow) -> None:
    for row in scenario["units"]:
        for kind, count in (("regulars", row.get("r")), ("mercenaries", row.get("m")), ("cavalry", row.get("c"))):
            if count:
                add(table, row["space"], row["owner"], kind, count)
    for entry in scenario["ships"]:
        owner = entry["owner"]
        put(table, entry["space"], owner, SIDES.get(owner, owner), {entry["kind"]: entry["n"]})


def _decks(table: Table, state: QueenState, scenario: ScenarioRow, players: PlayersRow) -> None:
    """Set up the first deck, the cards that enter later (6.2), and the treasure pool (6.3)."""
    c = table.c
    low, high = scenario["first_block"]
    out = {*scenario["removed_cards"], *players["remove_cards"]}
    for key, card in c.cards.items():
        wrong_count = card.players and players["count"] not in card.players
        if key in out or wrong_count or (card.type == "home" and not state.powers[card.owner].active):
            state.removed.append(key)
        elif not low <= card.number <= high:
            state.waiting.append(key)
        elif card.type == "home":
            state.powers[card.owner].home.append(key)
        else:
            state.deck.append(key)
    state.treasure_pool = list(c.treasures)
    table.shuffle(state.deck)
    table.shuffle(state.treasure_pool)
