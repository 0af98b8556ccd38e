"""Parts of every pack: things with an id and a name, bilingual texts, tables read into structs by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class BilingualText(msgspec.Struct, frozen=True):
    """A text in both languages."""

    en: str
    ja: str


class NamedEntry(msgspec.Struct, frozen=True):
    """A thing with a name in both languages."""

    id: str
    name: str
    ja: str


def by_id(entries: Iterable[Mapping[str, Any]], kind: type[T]) -> dict[str, T]:
    """Convert entries to structs, by their ids."""
    return {entry["id"]: msgspec.convert(entry, kind) for entry in entries}
