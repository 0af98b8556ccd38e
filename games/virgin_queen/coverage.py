"""Which sections of the rules are not in this version yet: told when a game is set up and in the README."""

from __future__ import annotations

MISSING: dict[str, str] = {
    "6.1": "the events of #7, #35, #36, #45, #46, #48, #55, #56, #70, #71, #72, #75, #77, #80, #81, #91, #92, #93, "
    "#95, #99, #104 and #105, and parts of #1, #5, #33, #50, #53, #59, #64, #68, #78, #79, #86 and #97 (the moderator "
    "carries them out: they need 18, 19 or 21 to 23); #102 and parts of #37, #81 and #89 have no moment before 19 and "
    "21",
    "18": "the religious struggle: sermons, suppression, rebellion",
    "19": "espionage",
    "21": "weddings",
    "22": "patronage and scientific bonuses",
    "23": "rules of single powers: Suez, the Armada, Mary Stuart, deaths of rulers, foreign wars",
}
"""Section → what it is about. A chapter that is finished takes its line out; a test holds it against the registries."""
