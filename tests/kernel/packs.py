"""Packs made of tables that a test writes down."""

from __future__ import annotations

from typing import Any

from pbem.kernel.pack import Pack, checked


def make_pack(slug: str, tables: dict[str, Any]) -> Pack:
    """A pack of parsed tables (a data file each). Raises PackError if they break the conventions."""
    nodes, digest = checked(tables)
    return Pack(slug, nodes, digest, {})
