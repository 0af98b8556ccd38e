"""The sections of the rules that are not written yet. Who writes one names its modules, and its line goes."""

from __future__ import annotations

from games.virgin_queen.table import KIT, Table

for _section, _about in {
    "18.1": "the core presence of a religion",
    "18.2": "preaching sermons",
    "18.3": "suppressing heresy",
    "18.4": "rebellions",
    "18.5": "attempts at conversion, step by step",
    "19.1": "gaining intelligence",
    "19.2": "placing agents and Jesuits",
    "19.3": "assassinations",
    "19.4": "the English Catholic rebellion",
    "20.8": "espionage is reset in winter",
    "21.1": "weddings and their bonuses",
    "21.2": "the Virgin Queen's VP",
    "21.3": "ageing",
    "21.4": "death of a betrothed royal",
    "22.1": "artists",
    "22.2": "scientists",
    "23.1": "the Ottomans: the Suez canal, deaths of rulers",
    "23.2": "Spain: the treasure fleet, the Armada, deaths of rulers",
    "23.3": "England: the Virgin Queen, Mary Stuart, deaths of rulers",
    "23.4": "France: the Huguenots, deaths of rulers",
    "23.5": "the Empire: deaths of rulers",
    "23.6": "the Protestants: capitals by rebellion",
    "23.7": "foreign wars",
}.items():
    KIT.chapter(_section, _about)

CARDS = {
    7: "23.2", 35: "18.4", 36: "22.1", 45: "18.5", 46: "18.5", 48: "22.1", 55: "18.5", 56: "18.5", 70: "18.5",
    71: "23.7", 72: "23.7", 75: "18.5", 77: "18.5", 80: "19.2", 81: "19.2", 91: "19.1", 92: "18.5", 93: "18.5",
    95: "21.1", 99: "23.2", 102: "19.1", 104: "23.2", 105: "19.3",
}  # fmt: skip
"""Numbers of the cards that no chapter has registered → the section that they need. The moderator carries them out."""
PARTS = {
    1: "23.1", 5: "18.5", 33: "21.1", 37: "23.3", 50: "18.5", 53: "18.5", 59: "18.5", 64: "18.5", 68: "18.5",
    78: "19.4", 79: "18.4", 86: "23.7", 89: "19.3", 97: "18.5",
}  # fmt: skip
"""The same for cards of which a part is left."""


def left_cards() -> dict[str, str]:
    """What the row of 6.1 says: the cards that are left to the moderator, whole or in part."""
    whole, part = (", ".join(f"#{n}" for n in numbers) for numbers in (CARDS, PARTS))
    return {"6.1": f"{whole}; parts of {part}"} if CARDS or PARTS else {}


def passed_over(table: Table, section: str) -> None:
    """Tell that a section of the rules is not in this version and was passed over."""
    table.say("rules.missing", rule=section, section=section)
