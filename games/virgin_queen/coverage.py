"""Which sections of the rules are not in this version yet: told when a game is set up and in the README."""

from __future__ import annotations

MISSING: dict[str, str] = {
    "6.1": "events (the moderator carries them out) and the response and combat cards "
    "but 8, 10, 13, 14, 15 and 38 (CP only)",
    "18": "the religious struggle: sermons, suppression, rebellion",
    "19": "espionage",
    "21": "weddings",
    "22": "patronage and scientific bonuses",
    "23": "rules of single powers: Suez, the Armada, Mary Stuart, deaths of rulers, foreign wars",
}
"""Section → what it is about. A chapter that is finished takes its line out; a test holds it against the registries."""
