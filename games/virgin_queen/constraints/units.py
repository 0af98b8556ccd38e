"""Constraints of counters and people (A48 to A66)."""

from __future__ import annotations

from collections.abc import Iterator

from games.virgin_queen.constraints.base import Finding, QueenTables
from games.virgin_queen.state import MINORS, POWERS

SHIPS = {
    "ottoman": (9, "galley", "corsair"), "spain": (7, "galley", "galleon"), "england": (6, "galleon", "race_built"),
    "france": (4, "galley", "galleon"), "hre": (1, "galley", ""), "dutch": (2, "galleon", ""),
    "huguenot": (2, "galleon", ""), "papacy": (1, "galley", ""), "portugal": (2, "galleon", ""),
    "venice": (4, "galley", ""),
}  # fmt: skip
MORTAL = {
    "charles_ix": "mandatory event", "leicester": "mandatory event", "elizabeth_i": "assassination",
    "henry_iii": "assassination", "henry_of_navarre": "assassination", "william_of_orange": "assassination",
}  # fmt: skip
BONUSES = {
    "telescope", "observatory", "plantation", "ravelin", "excavation", "map_projection", "coastal_fortification",
    "dry_dock",
}  # fmt: skip


def _troops(box: QueenTables) -> Iterator[Finding]:
    """Check A48, A50 to A52: round counters."""
    for owner in ("spain", "england", "france", "hre", "huguenot", "dutch"):
        sides = (box.land[owner]["front"], box.land[owner]["back"])
        yield "A48", sides == ("regular", "mercenary"), f"{owner}: two sides, regular and mercenary"
    sides = (box.land["ottoman"]["front"], box.land["ottoman"]["back"])
    yield "A48", sides == ("regular", "cavalry"), "Ottoman counters: regular and cavalry"
    for owner in (*MINORS, "independent"):
        yield "A48", not box.land[owner]["back"], f"{owner} has regulars only"
    for owner, pool in box.land.items():
        counters = [pool[size] for size in ("ones", "twos", "fours", "sixes")]
        yield "A48", min(counters) >= 0 and sum(counters) > 0, f"{owner}: no counters"
        yield "A48", pool["power"] in (*POWERS, *MINORS, "independent"), f"{owner}: whose are they"
    walloon = box.land["walloon"]
    three = sum(walloon[size] for size in ("ones", "twos", "fours", "sixes")) == 3
    yield "A50", three and box.units("walloon") >= 4, "three Walloon counters, four units or more"
    yield "A51", box.units("knights_of_st_john") in (1, 2), "one or two Knights of St. John"
    yield "A52", box.units("ireland") >= 3, "three Irish regulars at least"
    yield "A52", box.units("scotland") >= 2, "two Scottish regulars at least"


def _ships(box: QueenTables) -> Iterator[Finding]:
    """Check A49: ships (5.4)."""
    for owner, expected in SHIPS.items():
        pool = box.naval[owner]
        found = (pool["count"], pool["front"], pool["back"])
        yield "A49", found == expected, f"ships of {owner}: {found}, but the rules give {expected}"


def _leaders(box: QueenTables) -> Iterator[Finding]:
    """Check A54 to A58: leaders and captains."""
    army, naval, captains = box.people["army_leaders"], box.people["naval_leaders"], box.people["captains"]
    for key, command in (("schwendi", 8), ("zrinyi", 6)):
        yield "A54", army[key]["command"] == command, f"{key} commands {command}"
    for key in ("dragut", "uluch"):
        yield "A55", naval[key].get("piracy", 0) > 0, f"{key} has a piracy rating"
    yield ("A56", (naval["uluch"]["turn"], naval["uluch"].get("replaces")) == ("card", "dragut"), "Uluch after Dragut")
    yield "A56", bool(army["don_john"].get("also_naval")), "Don John serves on land or at sea"
    yield "A56", army["duke_of_guise"]["turn"] == "league", "Guise comes with the League"
    for key in ("de_sores", "le_clerc"):
        yield "A57", set(captains[key]["powers"]) == {"france", "protestant"}, f"{key} serves two powers"
    for key, captain in captains.items():
        rated = all(captain.get(rating, -1) >= 0 for rating in ("battle", "piracy", "navigation"))
        yield "A57", rated, f"{key}: battle, piracy and navigation"
    whose = {power for captain in captains.values() for power in captain["powers"]}
    yield "A57", whose == set(POWERS) - {"spain"}, "every power but Spain has captains"
    other = captains["le_testu"].get("also_scientist", "")
    owner = box.people["scientists"].get(other, {}).get("owner")
    yield "A58", owner == "france", "Le Testu is a captain and a French scientist"


def _royals(box: QueenTables) -> Iterator[Finding]:
    """Check A59 to A61: royals."""
    royals = box.people["royals"]
    valois = [royal["power"] for royal in royals.values() if royal["dynasty"] == "V"]
    yield "A59", valois == ["france"] * 5, f"five Valois royals, all French: {valois}"
    for key, royal in royals.items():
        yield ("A59", (royal["dynasty"] == "H") == (royal["power"] == "spain"), f"{key}: all of Spain's carry H")
        known = royal["sex"] in ("m", "f") and royal["eligibility"] >= 0
        yield "21", known, f"{key}: man or woman, and an eligibility"
        leads = "leader" not in royal or royal["leader"] in box.people["army_leaders"]
        yield "A60", leads, f"{key}: {royal.get('leader')} is no army leader"
    mortal = {key: royal["can_die"] for key, royal in royals.items() if royal.get("can_die")}
    yield "A60", mortal == MORTAL, f"who may die while betrothed: {', '.join(sorted(mortal))}"
    mary = royals["mary_queen_of_scots"]
    yield "A61", (mary["turn"], mary["power"]) == ("2", "france"), "Mary comes on turn 2, bargained by France"
    whose = {royal["power"] for royal in royals.values()}
    yield "A61", whose >= set(POWERS) - {"ottoman"}, "every power but the Ottomans has royals"
    yield "A61", "ottoman" not in whose, "the Ottomans have no royals"


def _patronage(box: QueenTables) -> Iterator[Finding]:
    """Check A62, A63: artists, scientists, bonuses."""
    for key, artist in box.people["artists"].items():
        fine = artist["type"] in ("literature", "painting", "architecture")
        yield "A62", fine, f"{key}: there is no art {artist['type']}"
    for kind in ("artists", "scientists"):
        whose = {person["owner"] for person in box.people[kind].values()}
        yield "A62", whose == {*POWERS, "italy"}, f"{kind} of all powers and of Italy"
        for key, person in box.people[kind].items():
            yield "A62", person["rating"] >= 1 and person["turn"] in "1234567", f"{key}: rating or turn"
    found = {entry["id"] for entry in box.tables["units"]["science_bonus"]}
    yield "A63", found >= BONUSES, f"scientific bonuses are missing: {', '.join(sorted(BONUSES - found))}"


def _treasures(box: QueenTables) -> Iterator[Finding]:
    """Check A64: treasures (6.3)."""
    entries = box.tables["units"]["treasures"]
    number = sum(entry["count"] for entry in entries)
    yield "A64", number == 30, f"{number} treasures of 30"
    kinds = {entry["kind"] for entry in entries}
    yield "A64", kinds == {"cp", "draw", "science", "vp"}, f"kinds of treasures: {', '.join(sorted(kinds))}"
    values = {entry["value"] for entry in entries if entry["kind"] == "cp"}
    yield "A64", values == {1, 2, 3, 4, 5}, f"CP of treasures: {sorted(values)}"


GROUPS = (_troops, _ships, _leaders, _royals, _patronage, _treasures)
