"""The text of a deal in the log (9.1): a line for each thing that changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.virgin_queen.diplomacy import clauses, gifts
from games.virgin_queen.diplomacy.gifts import NOTHING, DealPromises
from games.virgin_queen.table import Table
from pbem.kernel.domains import Values
from pbem.kernel.questions import Proposal

RULE = "9.1"


def announce(table: Table, deal: Proposal) -> None:
    """9.1 Log publicly what was agreed: the proposer, then the parts clause by clause."""
    parts = clauses.legs(table, deal)
    powers = list(dict.fromkeys(power for part in parts for power in (part["power"], part["partner"])))
    table.log("deal.announced", rule=RULE, deal=deal.id, powers=powers)
    for part in parts:
        for what, args in clauses_of(part):
            table.log(f"deal.says.{what}", rule=RULE, deal=deal.id, **args)


def clauses_of(part: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the clauses of a part: what changes, and its arguments, with `power` and `partner`."""
    p, q, of = part["power"], part["partner"], part["of"]
    pair: dict[str, Any] = {"power": p, "partner": q}
    if clauses.PEACE in of or clauses.PEACE_WED in of:
        yield "peace", pair
    if {clauses.ALLIANCE, clauses.LEND, clauses.BORROW} & set(of):
        yield "alliance", pair
    for giver, receiver, way, lend, free, cede in (
        (p, q, "give", "lend", "return", "cede"),
        (q, p, "take", "borrow", "recover", "receive"),
    ):
        pair = {"power": giver, "partner": receiver}
        if lend in part:
            lent = {"ships": ships(part[lend]), "leaders": part.get("admirals", []), "count": sum(part[lend].values())}
            yield "lend", pair | lent
        if free in part:
            yield "return", pair | {"leaders": part[free]}
        if cede in part:
            yield "cede", pair | {"spaces": part[cede]}
        for gift in ("cards", "treasures"):
            if f"{way}_{gift}" in part:
                yield gift, pair | {"count": part[f"{way}_{gift}"]}
        if units := part.get(f"{way}_mercenaries"):
            yield "mercenaries", pair | {"count": sum(units.values()), "units": mercenaries(units)}
    if "groom" in part:
        yield "wed", {"power": p, "partner": q, "man": part["groom"], "woman": part["bride"]}


def ships(found: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the ships of a deal (`naples/galley` → 2) by place and kind."""
    told: dict[str, dict[str, int]] = {}
    for key, number in found.items():
        place, _, kind = key.partition("/")
        told.setdefault(place, {})[kind.replace("/", "-")] = number
    return told


def mercenaries(found: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the mercenaries of a deal (`london`, `antwerp/dutch`, the Hire Track) by place and owner."""
    told: dict[str, dict[str, int]] = {}
    for key, number in found.items():
        place, _, owner = key.partition("/")
        place = "hire" if place == gifts.HIRE_TRACK else place
        told.setdefault(place, {})[f"{owner}-mercenaries" if owner else "mercenaries"] = number
    return told


def obstacle(table: Table, deal: Proposal) -> str:
    """Return the first clause of a deal that can no longer be executed."""
    said = NOTHING
    parts = clauses.legs(table, deal)
    for n, part in enumerate(parts):
        possible = [*clauses.kinds(table, part["power"], part["partner"], said)]
        for clause in part["of"]:
            if clause not in possible or not _still(table, part, clause, said):
                return str(clause)
        said = DealPromises.of(parts[: n + 1])
    return str(parts[0]["of"][0])


def _still(table: Table, part: Mapping[str, Any], clause: str, said: DealPromises) -> bool:
    for name, (of, build) in clauses.FIELDS.items():
        if clause in of and name in part:
            domain = build(table, part["power"], part["partner"], Values({**part}), said)
            if domain is None or not domain.accepts(part[name]):
                return False
    return True
