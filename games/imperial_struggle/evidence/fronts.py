"""Strength in the theaters of a war, as far as a side may know it, and what Forts and Squadrons are worth (7.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.imperial_struggle import tiles
from games.imperial_struggle.components import Theater
from games.imperial_struggle.evidence.counts import StruggleLook, shift
from games.imperial_struggle.state import OTHER
from games.imperial_struggle.wars.fight import DOMINATED, strength
from pbem.kernel.evidence import Fact, Meaning

BOX = "box"


def theaters(look: StruggleLook) -> dict[str, Theater]:
    """Return the theaters of the war, from the present one on."""
    state = look.table.state
    found = look.table.c.wars[state.war].theaters[state.theater :] if state.war else ()
    return {front.id: front for front in found}


def _there(look: StruggleLook, name: str) -> dict[str, Any]:
    """Return the strength of both sides in a theater: the reader's tiles, all else, the other side's Bonus tiles."""
    war, front, other = look.table.c.wars[look.table.state.war], theaters(look)[name], OTHER[look.seat]
    own, theirs = (strength(look.table, war, front, seat) for seat in (look.seat, other))
    more = [sum(parts.values()) - parts["tiles"] for parts in (own, theirs)]
    bonus = len(tiles.bonus_in(look.table, other, name))
    return {"theater": name, "tiles": own["tiles"], "else": f"{more[0]}:{more[1]}", "bonus": bonus}


def open_strength(look: StruggleLook) -> Iterator[Fact]:
    """Yield the strength in each theater that lies open."""
    yield from (Fact("front", _there(look, name)) for name in look.table.state.theaters)


def here(look: StruggleLook) -> Iterator[Fact]:
    """Yield the strength in the theater of the question, and the symbols of the tiles."""
    yield Fact("front", _there(look, look.word("theater")))
    yield from _symbols(look)


def all_open(look: StruggleLook, *, spare: bool = False) -> Iterator[Fact]:
    """Yield in one fact how all theaters of the next war stand."""
    found = [_there(look, name) for name in look.table.state.theaters]
    if found:
        yield Fact(
            "fronts", {"counts": {at["theater"]: [f"{at['tiles']:+d}", at["else"]] for at in found}}, spare=spare
        )


def now(look: StruggleLook) -> Iterator[Fact]:
    """Yield how the theater that is fought for stands; outside a war all theaters of the next."""
    if look.table.state.phase == "war":
        yield Fact("front", _there(look, next(iter(theaters(look)))))
    else:
        yield from all_open(look)


def drawn(look: StruggleLook) -> Iterator[Fact]:
    """Yield the value of the tile that has been drawn, and what its symbol does."""
    tile = look.secret["tile"]
    yield Fact("tile_value", {"tile": tile, "value": look.table.c.war_tiles[tile].value})
    yield from _symbols(look)


def _symbols(look: StruggleLook) -> Iterator[Fact]:
    found = dict.fromkeys(look.table.c.war_tiles[tile].symbol for tile in look.secret.values())
    yield from (Fact(f"symbol.{symbol}", main=look.kind == "place") for symbol in found if symbol)


def _spoils(look: StruggleLook, name: str) -> dict[str, int]:
    """Return the most that the reader can win in a theater."""
    special, found = look.table.c.special, dict[str, int]()
    for row in theaters(look)[name].spoils:
        if row.winner not in ("either", look.seat):
            continue
        lost = special.most_squadrons_lost if "loser-squadrons-out-of-game" in row.special else 0
        pays = {
            "spoils-vp": row.vp,
            "spoils-conquest": row.cp,
            "spoils-removals": row.unflag,
            "spoils-trp": row.loser_trp,
            "spoils-squadrons": row.loser_squadrons_to_unbuilt or lost,
            DOMINATED: special.marker_strength if "atlantic-dominance-marker" in row.special else 0,
        }
        found = {what: max(n, found.get(what, 0)) for what, n in pays.items()}
    return {what: n for what, n in found.items() if n}


def placings(look: StruggleLook) -> Iterator[str]:
    """Yield each theater; for a full one, its weakest tile goes to one that is not full."""
    free, worth = tiles.roomy(look.table, look.seat), look.table.c.war_tiles
    for name in look.table.state.theaters:
        old = min(tiles.bonus_in(look.table, look.seat, name), key=lambda tile: worth[tile].value, default="")
        yield name if name in free else f"{name} move={old} to={free[0]}"


def theater(look: StruggleLook, answer: Any) -> Meaning:
    """Return how a theater stands, and what it pays."""
    name = answer["theater"] if isinstance(answer, dict) else answer
    there = _there(look, name)
    pays = {what: f"+{n}" if what == DOMINATED else n for what, n in _spoils(look, name).items()}
    follows = [Fact("there", there), *([Fact("spoils", {"pays": pays})] if pays else [])]
    return Meaning(follows=tuple(follows), rank=-abs(there["tiles"]) / 4)


def upgraded(look: StruggleLook, answer: Mapping[str, str]) -> Meaning:
    """Return which of the two tiles stays."""
    kept = look.secret[answer["keep"]]
    return Meaning(follows=(Fact("tile_stays", basic_tile(look, kept)),), rank=look.table.c.war_tiles[kept].value)


def basic_tile(look: StruggleLook, key: str) -> dict[str, str]:
    """Return the strength of a basic tile, and its symbol: the face `0 debt` reads as no Debt."""
    tile = look.table.c.war_tiles[key]
    return {"value": f"{tile.value:+d}" if tile.value else "0", "symbol": tile.symbol and f"symbol-{tile.symbol}"}


def plans(look: StruggleLook) -> Iterator[str]:
    """Yield the strongest tiles where most is paid, and the tiles as they were drawn."""
    worth, names = look.table.c.war_tiles, list(look.about["theaters"])
    order = sorted(look.secret["tiles"], key=lambda tile: -worth[tile].value)
    rich = sorted(names, key=lambda name: -sum(_spoils(look, name).values()))
    yield " ".join(order[rich.index(name)] for name in names)
    yield " ".join(look.secret["tiles"])


def assigned(look: StruggleLook, answer: list[str]) -> Meaning:
    """Return where the tiles lie."""
    return Meaning(follows=(Fact("lies", {"tiles": dict(zip(look.about["theaters"], answer, strict=True))}),))


def counts_in(look: StruggleLook, space: str) -> list[str]:
    """Return the theaters, from the present one on, in which a Fort or a Squadron here is strength."""
    place = look.table.c.spaces[space]
    return [
        name
        for name, front in theaters(look).items()
        if place.region in (front.squadrons if place.type == "naval" else front.regions if front.forts else ())
    ]


def guarded(look: StruggleLook, space: str, owner: str) -> int:
    """Return how many Markets of a side a Fort or a Squadron here protects."""
    c, flags = look.table.c, look.table.state.flags
    return sum(space in c.guards[key] and flags[key] == owner for key in c.of_type["market"])


def force(look: StruggleLook, answer: Any) -> Meaning:
    """Return what a Fort or a Squadron is worth: its strength in the war, and the Markets that it protects."""
    if isinstance(answer, dict):  # a forced loss
        if answer["do"] == "tile":
            lying, value = look.table.state.theaters, look.table.c.war_tiles[answer["with"]].value
            name = next(name for name in lying if answer["with"] in lying[name][look.seat])
            return Meaning(follows=(Fact("tile_lost", {"value": value, **_there(look, name)}),), rank=-value)
        answer = answer["with"]
    if answer == BOX:
        return Meaning(follows=(Fact("in_box"),), rank=1)
    owner, kind = look.table.state.flags[answer], look.table.c.spaces[answer].type
    if kind == "market":
        return shift(look, answer)
    fact, worth = used(look, answer, owner, kind)
    return Meaning(follows=(fact,), rank=-worth if owner == look.seat else worth)


def used(look: StruggleLook, space: str, owner: str, kind: str) -> tuple[Fact, int]:
    """Return what a Fort or a Squadron counts for, and how much that is."""
    names, markets = counts_in(look, space), guarded(look, space, owner)
    none = "" if names or markets else "protects-nothing"
    said = {"owner": look.who(owner), "theaters": names, "count": markets, "none": none}
    return Fact(kind, said), markets + 2 * len(names)
