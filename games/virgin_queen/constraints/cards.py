"""Constraints of the cards (A67 to A74)."""

from __future__ import annotations

from collections.abc import Iterator

from games.virgin_queen.constraints.base import Finding, QueenTables
from games.virgin_queen.state import POWERS

NUMBERED = {
    1: "Grand Vizier", 2: "Ottoman Tribute", 3: "Spanish Road", 5: "Papal Bull", 10: "Siege Engineering",
    11: "Dragut Falls!", 13: "Reiters", 15: "Storms", 17: "Army Mutiny", 21: "Foreign Volunteers",
    22: "Genoese Merchants", 28: "Morisco Revolt", 31: "Treachery!", 33: "Gouvernante de France",
    34: "Holy Roman Intercession", 41: "Border Reivers", 42: "Catherine's Flying Squadron", 53: "Grand Tour",
    56: "Index of Prohibited Books", 57: "Irish Rebellion", 61: "Menendez de Aviles", 66: "Sea Beggars",
    74: "Scottish Lords Rebel", 78: "Rising of the North", 80: "The Black Queen", 81: "Walsingham",
    86: "Polish Royal Election", 89: "Mary, Queen of Scots", 91: "Cipher Key", 95: "Louise of Lorraine",
    98: "Sultana Safiye", 99: "Spanish Armada", 100: "Enterprise of England", 103: "Act of Abjuration",
    109: "Union of Arras", 111: "Paris is Worth a Mass", 112: "Day of the Barricades",
}  # fmt: skip
NAMED = (
    "The Virgin Queen", "Holy League", "Treasure Fleet", "Untimely Death", "Selim II", "Henry III", "Rudolf II",
    "Death of King Sebastian", "Armada Indulgence", "Knights of St. John", "War in Persia", "War with Poland",
    "City State Rebels", "Homeland Uprising", "Puritans", "Calvinist Zeal", "Belgic Confession", "Huguenot Lent",
    "Iconoclastic Fury", "Council of Troubles", "Tridentine Catechism", "English Recusants", "God's Secret Agents",
    "English College, Douai", "John Hawkins", "Commissioned from Italy", "Galleasses", "Sack!", "Spanish Fury",
    "Flooding",
)  # fmt: skip
FIRST_SIX = (
    "Calvinist Zeal", "Belgic Confession", "Huguenot Lent", "Council of Troubles", "Index of Prohibited Books",
    "Tridentine Catechism", "English Recusants",
)  # fmt: skip
RESPONSES = ("Galleasses", "Storms", "Reiters", "Sack!", "Spanish Fury")
TYPES = ("home", "mandatory", "response", "combat", "event")
TURNS = ("1", "2", "3", "4", "5", "6", "7", "league")


def _deck(box: QueenTables) -> Iterator[Finding]:
    """Check A67 to A69: the deck."""
    cards = list(box.cards.values())
    numbers = sorted(card["number"] for card in cards)
    yield "A67", numbers == list(range(1, 113)), "the cards are not numbered from 1 to 112"
    yield "A67", len(box.titles) == len(cards), "two cards have one name"
    later = sum(card["turn"] != "1" for card in cards)
    yield "A68", later == 39, f"{later} cards enter later, not 39"
    yield "A68", any(card["turn"] == "league" for card in cards), "no card enters with the League"
    for key, card in box.cards.items():
        yield "A67", card["type"] in TYPES, f"{key}: there is no type {card['type']}"
        yield "A68", card["turn"] in TURNS, f"{key}: there is no turn {card['turn']}"
        yield "A69", card["type"] != "mandatory" or card["cp"] == 2, f"{key}: a mandatory card gives 2 CP"
        yield "6.1", 1 <= card["cp"] <= 6, f"{key}: {card['cp']} CP"
        yield "6.1", {*card["powers"], card.get("resolver", "spain")} <= set(POWERS), f"{key}: unknown powers"
        yield "27", set(card.get("players", ())) <= {2, 3, 4, 5, 6}, f"{key}: numbers of players"
        yield "6.1", bool(card["text"]["en"].strip()), f"{key} has no text"


def _names(box: QueenTables) -> Iterator[Finding]:
    """Check A70, A71: cards whose names or numbers the rules print."""
    for number, name in NUMBERED.items():
        found = box.numbers.get(number, {}).get("name")
        yield "A70", found == name, f"#{number} is {name}, not {found}"
    for name in NAMED:
        yield "A71", name in box.titles, f"there is no card {name}"
    patron = any(name.startswith("Patron of") for name in box.titles)
    yield "A71", patron, "there is no card Patron of the Arts"


def _named(box: QueenTables) -> Iterator[Finding]:
    """Check A72 to A74: what the rules say of single cards."""
    for name in FIRST_SIX:
        text = box.titles.get(name, {"text": {"en": ""}})["text"]["en"].lower()
        yield "A72", "first die" in text and "6" in text, f"{name}: the first die is a 6"
    selim = box.titles.get("Selim II", {})
    yield "A73", (selim.get("turn"), selim.get("type")) == ("1", "mandatory"), "Selim II is in the first deck"
    key = box.titles.get("Death of King Sebastian", {}).get("id")
    yield ("A73", box.minors["portugal"].get("locked_until_card") == key, "King Sebastian's death unlocks Portugal")
    for name in RESPONSES:
        yield "A74", box.titles.get(name, {}).get("type") == "response", f"{name} is a response card"


GROUPS = (_deck, _names, _named)
