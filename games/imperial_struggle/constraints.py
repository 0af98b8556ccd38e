"""Constraints that every pack of Imperial Struggle must satisfy, by number (B01 to B15).

Checked for moderators' corrections: numbers that the rulebook fixes can't be corrected, lines must run both ways, and
every name must be known. Takes tables of the right shape (checked by `merge_pack`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from games.imperial_struggle.card_constraints import CARD_CONSTRAINTS, KEYWORDS, SIDES, TYPES, Tables
from pbem.kernel.pack import differences, problem
from pbem.kernel.rejections import RejectionReason

REGIONS = {"europe": 30, "north-america": 30, "caribbean": 30, "india": 22}
SPACE_TYPES = {"political": 36, "market": 41, "naval": 11, "territory": 18, "fort": 6}
COMMODITIES = ("furs", "spice", "fish", "tobacco", "sugar", "cotton")
ERAS = ("succession", "empire", "revolution")
LIMITS = {
    "rounds": 4, "squadrons": 8, "bonus_per_theater": 2, "bonus_per_round": 2, "basic_least": 4, "display": 9,
    "hand": 3,
    "ministries": 2, "treaty_points": 4, "debt_increase": 4, "demands": 3, "pass_debt": 2, "advantages": 2,
}  # fmt: skip
COSTS = {
    "card": 3, "tile": 2, "clear": 2, "clear_protected": 1, "clear_plus": 1, "squadron": 4, "deploy": 1,
    "displace_from_box": 3, "displace_from_map": 2, "convert": 2, "protected": 1, "region": 1,
}  # fmt: skip
TRACK = 30
"""The last box of the track of records."""
WARS = {"wss": 1, "was": 3, "7yw": 4, "awi": 5}


def check(tables: Tables) -> list[RejectionReason]:
    """Return a reason for each constraint that a pack's tables break, in the order of the numbers; [] if all hold."""
    every = (*CONSTRAINTS, *CARD_CONSTRAINTS)
    return [problem(text, rule=rule) for rule, constraint in every for text in constraint(tables)]


def _spaces(tables: Tables) -> dict[str, Mapping[str, Any]]:
    return {entry["id"]: entry for entry in tables["map"]["spaces"]}


def _regions(tables: Tables) -> Iterator[str]:
    """Check B01: four Regions and their spaces."""
    found = Counter(entry["region"] for entry in tables["map"]["spaces"])
    if found != REGIONS:
        yield f"spaces by Region: {dict(found)}, but the map has {REGIONS}"


def _types(tables: Tables) -> Iterator[str]:
    """Check B02: five types of space."""
    found = Counter(entry["type"] for entry in tables["map"]["spaces"])
    if found != SPACE_TYPES:
        yield f"spaces by type: {dict(found)}, but the map has {SPACE_TYPES}"


def _lines(tables: Tables) -> Iterator[str]:
    """Check B03: connections and conquest lines run both ways between known spaces, never from a space to itself."""
    spaces = _spaces(tables)
    for key, entry in spaces.items():
        for field in ("links", "lines"):
            for other in entry[field]:
                if other not in spaces:
                    yield f"map.{key}.{field}: {other} is no space"
                elif other == key or key not in spaces[other][field]:
                    yield f"map.{key}.{field}: the line to {other} does not come back"


def _political(tables: Tables) -> Iterator[str]:
    """Check B04: Political spaces have a country and no connection; only Markets have commodities."""
    for key, entry in _spaces(tables).items():
        if (entry["type"] == "political") != bool(entry.get("country")):
            yield f"map.{key}: Political spaces, and only they, belong to a country"
        if entry["type"] == "political" and entry["links"]:
            yield f"map.{key}: a Political space has no connections"
        if entry.get("commodity") and (entry["type"] != "market" or entry["commodity"] not in COMMODITIES):
            yield f"map.{key}: commodity {entry['commodity']}"


def _prices(tables: Tables) -> Iterator[str]:
    """Check B05: shifting costs at least 1 (3.2.1)."""
    for key, entry in _spaces(tables).items():
        if entry["type"] in ("political", "market", "fort") and not 1 <= entry["cost"] <= 6:
            yield f"map.{key}.cost is {entry['cost']}"


def _flags(tables: Tables) -> Iterator[str]:
    """Check B06: flags at the start belong to a side, none in Naval or Fort spaces."""
    for key, entry in _spaces(tables).items():
        if entry["setup"] not in ("", *SIDES):
            yield f"map.{key}.setup is {entry['setup']!r}"
        elif entry["setup"] and entry["type"] in ("naval", "fort"):
            yield f"map.{key}: no Fort or Squadron is on the map at the start"


def _investments(tables: Tables) -> Iterator[str]:
    """Check B07: 24 Investment tiles, the Minor Action of another type and always of 2 points (5.3.2)."""
    tiles = tables["tiles"]["investments"]
    if len(tiles) != 24:
        yield f"24 Investment tiles, not {len(tiles)}"
    for tile in tiles:
        if tile["major"] not in TYPES or tile["minor"] not in TYPES or tile["major"] == tile["minor"]:
            yield f"tiles.{tile['id']}: {tile['major']} and {tile['minor']}"
        if tile["minor_points"] != 2 or not 2 <= tile["major_points"] <= 4:
            yield f"tiles.{tile['id']}: {tile['major_points']} and {tile['minor_points']} points"
        if tile["upgrade"] != (tile["major_points"] == 2):
            yield f"tiles.{tile['id']}: the upgrade symbol goes with 2 points (3.3)"


def _awards(tables: Tables) -> Iterator[str]:
    """Check B08: eight Awards, six commodities in table order."""
    if len(tables["tiles"]["awards"]) != 8:
        yield "there are eight Award tiles"
    order = [entry["id"] for entry in sorted(tables["tiles"]["commodities"], key=lambda entry: entry["order"])]
    if order != list(COMMODITIES):
        yield f"the commodities are {', '.join(COMMODITIES)}"


def _start(tables: Tables) -> Iterator[str]:
    """Check B15: what each side begins with fits the tracks, and all its Squadrons are somewhere."""
    start, squadrons = tables["setup"]["start"], tables["setup"]["limits"]["squadrons"]
    for name in ("vp", "debt_limit"):
        if not 0 <= start[name] <= TRACK:
            yield f"setup.start.{name} is {start[name]}, but the track ends at {TRACK}"
    for side in SIDES:
        if start[f"{side}_box"] + start[f"{side}_unbuilt"] != squadrons:
            yield f"setup.start: {side} has {squadrons} Squadrons"


def _wars(tables: Tables) -> Iterator[str]:
    """Check B11: four wars in order after turns 1, 3, 4 and 5."""
    found = {entry["id"]: entry["after"] for entry in tables["wars"]["wars"]}
    if found != WARS:
        yield f"wars follow turns {WARS}, not {found}"


def _war_tiles(tables: Tables) -> Iterator[str]:
    """Check B12: 16 basic tiles a side, 12 Bonus tiles a side and war."""
    basic = Counter(entry["side"] for entry in tables["wars"]["basic"])
    if basic != {"britain": 16, "france": 16}:
        yield f"16 basic War tiles a side, not {dict(basic)}"
    for (war, side), count in Counter((e["war"], e["side"]) for e in tables["wars"]["bonus"]).items():
        if count != 12 or war not in WARS:
            yield f"12 Bonus tiles of {side} for {war}, not {count}"


def _cards(tables: Tables) -> Iterator[str]:
    """Check B13: 41 Events, 13 Ministry cards a side, with known eras and keywords."""
    eras = Counter(entry["era"] for entry in tables["events"]["events"])
    if eras != dict(zip(ERAS, (15, 15, 11), strict=True)):
        yield f"Events by era: {dict(eras)}"
    sides = Counter(entry["side"] for entry in tables["ministries"]["ministries"])
    if sides != {"britain": 13, "france": 13}:
        yield f"Ministry cards by side: {dict(sides)}"
    for entry in tables["ministries"]["ministries"]:
        if not set(entry["eras"]) <= set(ERAS) or not set(entry["keywords"]) <= set(KEYWORDS):
            yield f"ministries.{entry['id']}: {entry['eras']}, {entry['keywords']}"


def _advantages(tables: Tables) -> Iterator[str]:
    """Check B14: 22 Advantages, fed by known spaces, held at the start by who holds these."""
    spaces, tiles = _spaces(tables), tables["advantages"]["advantages"]
    if len(tiles) != 22:
        yield f"22 Advantages, not {len(tiles)}"
    for tile in tiles:
        unknown = [key for key in tile["spaces"] if key not in spaces]
        if unknown:
            yield f"advantages.{tile['id']}: {', '.join(unknown)} unknown"
            continue
        owners = {spaces[key]["setup"] for key in tile["spaces"]}
        holder = owners.pop() if len(owners) == 1 else ""
        if (tile["setup"] if tile["setup"] != "none" else "") != holder:
            yield f"advantages.{tile['id']}.setup is {tile['setup']}, but its spaces say {holder or 'none'}"


CONSTRAINTS: tuple[tuple[str, Callable[[Tables], Iterator[str]]], ...] = (
    ("B01", _regions), ("B02", _types), ("B03", _lines), ("B04", _political), ("B05", _prices), ("B06", _flags),
    ("B07", _investments), ("B08", _awards),
    ("B09", lambda tables: differences(tables["setup"]["limits"], LIMITS, "setup.limits")),
    ("B10", lambda tables: differences(tables["setup"]["costs"], COSTS, "setup.costs")),
    ("B11", _wars), ("B12", _war_tiles),
    ("B13", _cards), ("B14", _advantages), ("B15", _start),
)  # fmt: skip
"""Constraint numbers with the functions that yield what breaks them."""
