"""What any pack of Virgin Queen must satisfy, by number of `constraints.md` (A01 …): run on moderators' corrections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.kernel.pack import problem
from pbem.kernel.problems import Problem

Tables: TypeAlias = Mapping[str, Mapping[str, Any]]


def check(tables: Tables) -> list[Problem]:
    """Every constraint that a pack's tables break, by number; [] if all hold."""
    return [problem(text, rule=rule) for rule, constraint in CONSTRAINTS for text in constraint(tables)]


def _types(tables: Tables) -> Iterator[str]:
    """A01: kinds of spaces."""
    for space in tables["map"]["spaces"]:
        if space["type"] not in ("key", "fortress", "unfortified"):
            yield f"{space['id']}: there is no type {space['type']}"


def _links(tables: Tables) -> Iterator[str]:
    """A15: links run both ways, between different known spaces, and at most once."""
    spaces = {space["id"]: space for space in tables["map"]["spaces"]}
    for key, space in spaces.items():
        links = [*space["connections"], *space["passes"], *space["waterways"]]
        if len(links) != len(set(links)) or key in links:
            yield f"{key}: a link stands twice"
        for kind in ("connections", "passes", "waterways"):
            for other in space[kind]:
                if other not in spaces or key not in spaces[other][kind]:
                    yield f"{kind} of {key}: {other} does not lead back"


def _ports(tables: Tables) -> Iterator[str]:
    """A14: at most two sea zones, all of them known."""
    zones = {zone["id"] for zone in tables["map"]["zones"]}
    for space in tables["map"]["spaces"]:
        if len(space["port"]) > 2 or not set(space["port"]) <= zones:
            yield f"{space['id']}: not the ports of a space: {space['port']}"


def _counts(tables: Tables) -> Iterator[str]:
    """A07, A15: 7 Dutch and 12 Huguenot split spaces, 17 passes, 2 waterways, 13 sea zones, 10 ocean zones
    (2.5, 2.6).
    """
    spaces = tables["map"]["spaces"]
    found = {
        "dutch": sum(s.get("home_upper") == "dutch" for s in spaces),
        "huguenot": sum(s.get("home_upper") == "huguenot" for s in spaces),
        "passes": sum(len(s["passes"]) for s in spaces) // 2,
        "waterways": sum(len(s["waterways"]) for s in spaces) // 2,
    }
    for what, number in {"dutch": 7, "huguenot": 12, "passes": 17, "waterways": 2}.items():
        if found[what] != number:
            yield f"{found[what]} {what}, but the map has {number}"


def _capitals(tables: Tables) -> Iterator[str]:
    """A02: six capitals, all of them keys."""
    found = {space["id"]: space for space in tables["map"]["spaces"] if space.get("capital")}
    if set(found) != {"istanbul", "london", "paris", "madrid", "milan", "vienna"}:
        yield f"capitals: {', '.join(found)}"
    for key, space in found.items():
        if space["type"] != "key":
            yield f"{key}: a capital is a key"


def _cards(tables: Tables) -> Iterator[str]:
    """A67 to A69: 112 cards of five types, 39 of them later; mandatory cards give 2 CP."""
    cards = tables["cards"]["cards"]
    if sorted(card["number"] for card in cards) != list(range(1, 113)):
        yield "the cards are not numbered from 1 to 112"
    if sum(card["turn"] != "1" for card in cards) != 39:
        yield "39 cards enter later"
    for card in cards:
        if card["type"] not in ("home", "mandatory", "combat", "response", "event"):
            yield f"{card['id']}: there is no type {card['type']}"
        if card["type"] == "mandatory" and card["cp"] != 2:
            yield f"{card['id']}: a mandatory card gives 2 CP"
        if not 1 <= card["cp"] <= 5:
            yield f"{card['id']}: {card['cp']} CP"


def _treasures(tables: Tables) -> Iterator[str]:
    """A64: 30 treasures."""
    number = sum(entry["count"] for entry in tables["units"]["treasures"])
    if number != 30:
        yield f"{number} treasures of 30"


def _pools(tables: Tables) -> Iterator[str]:
    """5.4: the ship counters of the table."""
    counts = {
        "ottoman": 9,
        "spain": 7,
        "england": 6,
        "france": 4,
        "hre": 1,
        "dutch": 2,
        "huguenot": 2,
        "papacy": 1,
        "portugal": 2,
        "venice": 4,
    }
    for entry in tables["units"]["naval_pools"]:
        if entry["id"] in counts and entry["count"] != counts[entry["id"]]:
            yield f"{entry['id']}: {entry['count']} ships, but the rules give {counts[entry['id']]}"


CONSTRAINTS: tuple[tuple[str, Callable[[Tables], Iterator[str]]], ...] = (
    ("A01", _types), ("A02", _capitals), ("A07", _counts), ("A14", _ports), ("A15", _links), ("A64", _treasures),
    ("A67", _cards), ("5.4", _pools),
)  # fmt: skip
