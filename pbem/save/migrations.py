"""Texts of a save that become times, and keys of messages that version 0.1.0 wrote under other names.

Works on the parsed tables before they are typed. Values of the wrong type are left for the type check.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from pbem.timestamps import aware, moment

# The times in the header of a save, which people edit: texts become times before the type check.


def read_times(raw: dict[str, Any]) -> None:
    """Replace texts by times in the tables of a header; "" is None. Other values are left for the type check."""
    for table, may_lack, must in _with_times(raw):
        for name in (*may_lack, *must):
            text = table.get(name)
            if text == "" and name in may_lack:
                del table[name]
            elif isinstance(text, str | datetime):
                with suppress(ValueError):
                    table[name] = moment(text) if isinstance(text, str) else aware(text)


def _with_times(raw: dict[str, Any]) -> Iterator[tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]]:
    """Yield the header's tables with times: the table, its optional keys, its required keys."""
    game, clock, post, dice = (raw.get(name) for name in ("game", "clock", "post", "dice"))
    yield from ((table, ("read", "release_at", "vote_at"), ("created",)) for table in tables_in([game]))
    for seat in tables_in(raw.get("seats")):
        for told in tables_in([seat.get("told")]):
            yield told, ("digest", "noticed", "quiet", "requested"), ()
            yield from ((moving, (), ("at", "until")) for moving in tables_in([told.get("moving")]))
        yield from ((delegate, ("since", "until"), ()) for delegate in tables_in(seat.get("delegates")))
    yield from ((pause, ("until",), ("since",)) for pause in _inner(clock, "pauses"))
    yield from ((absence, (), ("since", "until")) for absence in _inner(clock, "absences"))
    yield from ((onlooker, ("at",), ()) for onlooker in _inner(post, "onlookers"))
    yield from ((rewind, ("at",), ()) for rewind in _inner(dice, "rewinds"))
    asked = ("since", "due", "put", "undelivered", "again", "refused")
    yield from ((pending, asked, ()) for pending in tables_in(raw.get("pending")))


def _inner(section: Any, name: str) -> list[dict[str, Any]]:
    return tables_in(section.get(name)) if isinstance(section, dict) else []


def tables_in(value: Any) -> list[dict[str, Any]]:
    """Return the tables in a list; other values are left for the type check."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


_MESSAGES = {
    "queue": "advance",
    "talk": "negotiation",
    "block": "order_block",
    "letter": "incoming",
    "fiat": "correction",
}
"""First part of the keys of stored messages: of notes, receipts and their reasons."""


def in_body(raw: dict[str, Any]) -> None:
    """Give the messages of notes and drafts the keys of today."""
    _rename_messages(raw.get("notes"))
    for draft in tables_in(raw.get("drafts")):
        _rename_messages(draft.get("receipt"))


def _rename_messages(value: Any) -> None:
    """Give the messages in a value the keys of today, wherever a table has a `key`."""
    if isinstance(value, dict):
        if isinstance(key := value.get("key"), str):
            first, dot, rest = key.partition(".")
            value["key"] = _MESSAGES.get(first, first) + dot + rest
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        _rename_messages(inner)
