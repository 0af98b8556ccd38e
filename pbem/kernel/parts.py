"""What every box holds: things with an id and a name, words in both languages, tables read into structs by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class BilingualText(msgspec.Struct, frozen=True):
    """Words for a reader in either language."""

    en: str
    ja: str


class NamedEntry(msgspec.Struct, frozen=True):
    """A thing with a name in either language."""

    id: str
    name: str
    ja: str


def by_id(entries: Iterable[Mapping[str, Any]], kind: type[T]) -> dict[str, T]:
    """Entries as structs, by their ids."""
    return {entry["id"]: msgspec.convert(entry, kind) for entry in entries}
