"""Which sections of the rules are not in this version: told at set-up, by the README, and by `Unwritten`."""

from __future__ import annotations

MISSING: dict[str, str] = {
    "6": "victory",
    "9.1": "changing money (the markers themselves are there)",
    "10.5": "abilities of offices in play (bonuses, ranks, estates and ties are there; the Admiral sails for 2 OPS)",
    "14.1.1": "Embassy",
    "14.1.3": "Affairs of State",
    "14.2": "events, allies and surprises (all cards can be used for OPS; heir cards are complete)",
    "14.2.1": "uprisings, raids and writs",
    "14.2.2": "allies",
    "20": "combat",
    "23": "the influence phase",
    "24": "the king phase",
    "25": "checking victory",
    "26": "the offices phase",
    "27": "wintering",
    "28": "clean-up",
}
"""Section → what it is about. A chapter that is finished takes its line out; a test holds this against the README."""
