"""What is not written yet: sections without a module, cards that wait for one, and the error of a seam without a rule.

A room names its own: `KIT.chapter(section, about)` without a module, `left` and `part` for cards. Who writes a rule
takes the line out of the room in which it stands.
"""

from __future__ import annotations

CARDS: dict[int, str] = {}
"""Numbers of the cards that no chapter has registered → the section that they need. The moderator carries them out."""
PARTS: dict[int, str] = {}
"""The same for cards of which a part is left."""


class NotWritten(Exception):
    """Play has come to a rule that this version does not have."""

    def __init__(self, section: str) -> None:
        super().__init__(f"section {section} of the rules is not written yet")
        self.section = section


def left(section: str, *numbers: int) -> None:
    """These cards wait for a section."""
    CARDS.update(dict.fromkeys(numbers, section))


def part(section: str, *numbers: int) -> None:
    """A part of these cards waits for a section."""
    PARTS.update(dict.fromkeys(numbers, section))


def left_cards() -> dict[str, str]:
    """What the row of 6.1 says: the cards that are left to the moderator, whole or in part."""
    whole, parts = (", ".join(f"#{n}" for n in sorted(numbers)) for numbers in (CARDS, PARTS))
    return {"6.1": f"{whole}; parts of {parts}"} if CARDS or PARTS else {}
