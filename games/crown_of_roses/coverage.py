"""Which sections of the rules are not in this version: told at set-up, by the README, and by `Unwritten`."""

from __future__ import annotations

MISSING: dict[str, str] = {}
"""Section → what it is about. A chapter that is finished takes its line out; a test holds this against the README."""
