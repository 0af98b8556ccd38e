"""Imports every chapter, so that they fill the tables of `rules`; the order of the imports is the order of the menu."""

from __future__ import annotations

from games.imperial_struggle import rounds  # isort: skip
from games.imperial_struggle import events, ministries, advantages  # isort: skip
from games.imperial_struggle import shifting, military, tiles, wars  # isort: skip

__all__ = ["advantages", "events", "military", "ministries", "rounds", "shifting", "tiles", "wars"]
