"""Constraints on Events, Ministry cards, Advantages and wars of any pack, by number (B15 to B20).

A moderator may correct a number or a name. Every word that the rules act upon must be known to them, and every victory
in a war must find exactly one row of spoils.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Tables: TypeAlias = Mapping[str, Mapping[str, Any]]

SIDES = ("britain", "france")
REGIONS = ("europe", "north-america", "caribbean", "india")
TYPES = ("economic", "diplomatic", "military")
KEYWORDS = ("finance", "mercantilism", "governance", "style", "scholarship")
POINT_LIMITS = (
    "", *REGIONS, "unflag-europe", "unflag-markets", "flag-next-to-own", "german-prussia-dutch", "spain-austria",
)  # fmt: skip
CONDITIONS = ("none", "keyword", "more-available-debt", "more-bonus-tiles", "prestige-scot-ire", "advantage")
COUNTS = ("", "missing-debt", "once", "flags-in-spain", "squadron-pairs")
ABILITIES = ("passive", "once-per-turn", "once-per-action-round", "scoring-phase", "end-of-turn", "on-reveal")
KINDS = (
    "place-conflict", "unflag-discount", "unflag-for-1", "reduce-debt", "bounce-squadron", "build-squadron",
)  # fmt: skip
TARGETS = ("", "market", "political", "market-or-political")
SPECIALS = (
    "jacobite-victory", "jacobite-permanent", "jacobite-defeat", "atlantic-dominance-marker",
    "loser-squadrons-to-unbuilt", "loser-squadrons-out-of-game", "usa", "canada",
)  # fmt: skip
REFUSALS = [3, 5]
WIDEST = 60
"""Above every margin of a theater."""


def _strange(where: str, value: Any, known: tuple[Any, ...] | Mapping[str, Any]) -> Iterator[str]:
    """Yield values that the rules do not know: the value, or those of a list."""
    for word in value if isinstance(value, list) else [value]:
        if word not in known:
            yield f"{where}: {word!r} is not one of {', '.join(map(repr, known))}"


def _events(tables: Tables) -> Iterator[str]:
    """Check B15: known types, conditions and limits in Events."""
    tiles = {entry["id"]: entry for entry in tables["advantages"]["advantages"]}
    for entry in tables["events"]["events"]:
        where, condition = f"events.{entry['id']}", entry["condition"]
        yield from _strange(f"{where}.action", entry["action"], ("any", *TYPES))
        yield from _strange(f"{where}.versions", entry["versions"], ("both", "sides"))
        yield from _strange(f"{where}.condition", condition["kind"], CONDITIONS)
        if condition["kind"] == "keyword":
            yield from _strange(f"{where}.condition", condition.get("keyword", ""), KEYWORDS)
        if condition["kind"] == "advantage":
            yield from _strange(f"{where}.condition", condition.get("advantage", ""), tiles)
        for grant in entry["grants"]:
            yield from _strange(f"{where}.grants", grant["type"], TYPES)
            yield from _strange(f"{where}.grants", grant["when"], ("base", "bonus"))
            yield from _strange(f"{where}.grants", grant["limit"], POINT_LIMITS)
            yield from _strange(f"{where}.grants", grant["side"], ("both", *SIDES))
            yield from _strange(f"{where}.grants", grant.get("per", ""), COUNTS)
            if grant["points"] < 1:
                yield f"{where}.grants: {grant['points']} points"


def _ministries(tables: Tables) -> Iterator[str]:
    """Check B16: known limits of abilities, none lost."""
    for entry in tables["ministries"]["ministries"]:
        for ability in entry["abilities"]:
            yield from _strange(f"ministries.{entry['id']}.{ability['id']}", ability["limit"], ABILITIES)


def _advantages(tables: Tables) -> Iterator[str]:
    """Check B17: known kinds and targets of Advantages."""
    for entry in tables["advantages"]["advantages"]:
        where, target = f"advantages.{entry['id']}", entry["target"]
        yield from _strange(f"{where}.kind", entry["kind"], KINDS)
        yield from _strange(f"{where}.type", entry["type"], ("", *TYPES))
        yield from _strange(f"{where}.region", entry["region"], REGIONS)
        yield from _strange(f"{where}.target", target.get("space_type", ""), TARGETS)
        yield from _strange(f"{where}.target", target.get("region", ""), ("", *REGIONS))


def _theaters(tables: Tables) -> Iterator[str]:
    """Check B18: theaters speak of Regions, countries, keywords and Territories that there are."""
    spaces = tables["map"]["spaces"]
    countries = {entry.get("country", ""): True for entry in spaces}
    territories = {entry["id"]: True for entry in spaces if entry["type"] == "territory"}
    for where, theater in _all_theaters(tables):
        yield from _strange(f"{where}.regions", theater["regions"], REGIONS)
        yield from _strange(f"{where}.squadrons", theater["squadrons"], REGIONS)
        yield from _strange(f"{where}.countries", theater["countries"], countries)
        yield from _strange(f"{where}.keyword", theater["keyword"], ("", *KEYWORDS))
        yield from _strange(f"{where}.additional", theater["additional"], territories)


def _spoils(tables: Tables) -> Iterator[str]:
    """Check B19: from the lowest margin on, each winner of a theater has exactly one row, with known results."""
    for where, theater in _all_theaters(tables):
        for row in theater["spoils"]:
            yield from _strange(f"{where}.spoils", row["winner"], ("either", *SIDES))
            yield from _strange(f"{where}.spoils", row.get("special", []), SPECIALS)
            if row["unflag"]:
                yield from _strange(f"{where}.spoils", row.get("unflag_type", ""), ("market", "political"))
                yield from _strange(f"{where}.spoils", row.get("unflag_region", ""), REGIONS)
        for side in SIDES:
            rows = [row for row in theater["spoils"] if row["winner"] in ("either", side)]
            lowest = min((row["min"] for row in rows), default=1)
            if any(sum(r["min"] <= m <= r["max"] for r in rows) != 1 for m in range(lowest, WIDEST)):
                yield f"{where}.spoils: not one row for each margin of {side}"


def _conquest(tables: Tables) -> Iterator[str]:
    """Check B20: refusing costs 3 and 5 VP (7.2.2); conquests cost something; special Territories exist."""
    conquest, special = tables["wars"]["conquest"], tables["wars"]["special"]
    if conquest["refusal_vp"] != REFUSALS:
        yield f"wars.conquest.refusal_vp is {REFUSALS} in the rulebook, not {conquest['refusal_vp']}"
    for kind in ("fort", "market", "naval", "territory"):
        if conquest[kind] < 1:
            yield f"wars.conquest.{kind} is {conquest[kind]}"
    territories = {entry["id"]: True for entry in tables["map"]["spaces"] if entry["type"] == "territory"}
    for name in ("usa_territories", "canada_territories"):
        yield from _strange(f"wars.special.{name}", special[name], territories)


def _all_theaters(tables: Tables) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for war in tables["wars"]["wars"]:
        for theater in war["theaters"]:
            yield f"wars.{war['id']}.{theater['id']}", theater


CARD_CONSTRAINTS: tuple[tuple[str, Callable[[Tables], Iterator[str]]], ...] = (
    ("B15", _events), ("B16", _ministries), ("B17", _advantages), ("B18", _theaters), ("B19", _spoils),
    ("B20", _conquest),
)  # fmt: skip
"""Constraint numbers with the functions that yield what breaks them."""
