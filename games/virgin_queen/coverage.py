"""Which sections of the rules are not in this version yet: told when a game is set up and in the README."""

from __future__ import annotations

MISSING: dict[str, str] = {
    "9": "diplomacy: negotiation, ransom, declarations of war",
    "16": "naval movement, combat, transport, piracy, voyages",
    "17": "building",
    "18": "the religious struggle",
    "19": "espionage",
    "20": "winter",
    "21": "weddings",
    "22": "patronage",
    "23": "rules of single powers, but for what the chapters above name",
    "24": "minor powers",
}
"""Section → what it is about. A chapter that is finished takes its line out; `tests` hold this against the registries."""
