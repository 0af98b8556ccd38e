"""What a line of narration tells of the map: the spaces it names, and the way of a move. For arrows and rims."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

FROM, TO = "origin", ("space", "place", "zone", "to")
"""The arguments of messages that say where a move begins and where it ends."""


class Told(NamedTuple):
    """Spaces that are named; `way` is from where to where something went, () if nothing did."""

    at: tuple[str, ...] = ()
    way: tuple[str, ...] = ()


def told_of(args: Mapping[str, Any], spaces: Collection[str]) -> Told:
    """What arguments tell of the map. Only those that the reader reads may be given."""
    named = {key: value for key, value in args.items() if isinstance(value, str) and value in spaces}
    end = next((named[key] for key in TO if key in named), "")
    way = (named[FROM], end) if FROM in named and end and end != named[FROM] else ()
    return Told(tuple(dict.fromkeys(named.values())), way)
