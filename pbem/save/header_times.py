"""The times in the header of a save, which people edit: their texts become times before the types look at them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from pbem.moments import aware, moment


def read_times(raw: dict[str, Any]) -> None:
    """Put times in the place of their texts in the tables of a header: "" is none.

    What is no time, or none where there must be one, is left for the types to refuse.
    """
    for table, may_lack, must in _with_times(raw):
        for name in (*may_lack, *must):
            text = table.get(name)
            if text == "" and name in may_lack:
                del table[name]
            elif isinstance(text, str | datetime):
                with suppress(ValueError):
                    table[name] = moment(text) if isinstance(text, str) else aware(text)


def _with_times(raw: dict[str, Any]) -> Iterator[tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]]:
    """The tables of a header that hold times: under which keys there may be one, and under which there must."""
    game, clock, post, dice = (raw.get(name) for name in ("game", "clock", "post", "dice"))
    yield from ((table, ("read", "release_at"), ("created",)) for table in tables_in([game]))
    for seat in tables_in(raw.get("seats")):
        yield from ((told, ("digest", "noticed"), ()) for told in tables_in([seat.get("told")]))
        yield from ((delegate, ("since", "until"), ()) for delegate in tables_in(seat.get("delegates")))
    yield from ((pause, ("until",), ("since",)) for pause in _inner(clock, "pauses"))
    yield from ((absence, (), ("since", "until")) for absence in _inner(clock, "absences"))
    yield from ((onlooker, ("at",), ()) for onlooker in _inner(post, "onlookers"))
    yield from ((rewind, ("at",), ()) for rewind in _inner(dice, "rewinds"))
    yield from ((pending, ("since", "due"), ()) for pending in tables_in(raw.get("pending")))


def _inner(section: Any, name: str) -> list[dict[str, Any]]:
    return tables_in(section.get(name)) if isinstance(section, dict) else []


def tables_in(value: Any) -> list[dict[str, Any]]:
    """The tables of a list, if it is one; what else stands there is left for the types to refuse."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
