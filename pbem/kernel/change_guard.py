"""The change guard: puts a turn written ahead on hold if the things it names have changed in public.

It reads the public view only. Otherwise its pause would reveal what the writer saw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from pbem.kernel.order_words import Names
from pbem.kernel.view import TableView, View
from pbem.lazy_regex import pattern

_BETWEEN = pattern(r"[\s,;:=]+")


def public_facts(view: View) -> dict[str, str]:
    """Return the public facts: a hash for each space, and the place of each piece that is in one space only."""
    told: dict[str, str] = {}
    places: dict[str, list[str]] = {}
    for table in view.tables:
        if table.group == "map":
            _facts_of(table, told, places)
    for piece, at in places.items():
        if len(at) == 1:
            told.setdefault(piece, at[0])
    return told


def _facts_of(table: TableView, told: dict[str, str], places: dict[str, list[str]]) -> None:
    for row in table.rows:
        key: Any = row[0]
        told[key] = hashlib.sha256(msgspec.json.encode(row)).hexdigest()[:12]
        for cell in row[1:]:
            for piece in cell if isinstance(cell, list) else ():
                places.setdefault(piece, []).append(key)


def facts_named_in(text: str, told: Mapping[str, str], names: Names) -> dict[str, str]:
    """Return the facts about everything that an order line names. Numbers never count as names."""
    found = {}
    for word in _BETWEEN.split(text):
        key = word if word in told or word.isdecimal() else names.meant(word)
        if key is not None and key in told:
            found[key] = told[key]
    return found


def changed_facts(watched: Mapping[str, str], view: View) -> list[str]:
    """Return which of these facts have changed."""
    now = public_facts(view)
    return [key for key, fact in watched.items() if now.get(key) != fact]
