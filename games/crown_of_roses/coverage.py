"""Which sections of the rules are not in this version: told at set-up, by the README, and by `Unwritten`."""

from __future__ import annotations

MISSING: dict[str, str] = {
    "14.1.1": "Embassy",
    "14.1.3": "Affairs of State",
    "14.2": "events, allies and surprises (all cards can be used for OPS; heir cards are complete)",
    "14.2.1": "uprisings, raids and writs",
    "14.2.2": "allies",
}
"""Section → what it is about. A chapter that is finished takes its line out; a test holds this against the README."""
