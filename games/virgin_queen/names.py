"""Names of ids, and the texts of cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.virgin_queen.components import QueenComponents
from pbem.data_cache import tables_of
from pbem.kernel.order_words import Names

NamesById = dict[str, dict[str, str]]
"""Names by id and language."""


@lru_cache(maxsize=8)
def names(c: QueenComponents) -> Names:
    """Return the names of all components. Treasures of one kind are interchangeable: a face means any of them."""
    tables = tables_of("games.virgin_queen", "tables")["words"]
    words: NamesById = tables["words"] | tables["kinds"]
    aliases: dict[str, list[str]] = tables["aliases"]
    groups = (
        c.zones, c.oceans, c.settlements, c.cards, c.rulers, c.royals, c.artists, c.scientists, c.captains,
        c.generals, c.spaces,
        c.powers,
    )  # fmt: skip
    for group in groups:
        for key, thing in group.items():
            words[key] = {"en": thing.name, "ja": thing.ja}
    words["navarre"]["ja"] = "ナバラ"  # a space and a leader have this id; in the data, the space has his name
    for key, entry in c.science.items():
        words[key] = {"en": entry["name"], "ja": entry["ja"]}
    words |= {key: names for key, names in tables["minors"].items() if key not in c.spaces}
    _pieces(c, words, tables["kinds"], tables["adjectives"])
    for card in c.cards.values():
        aliases.setdefault(card.id, []).append(f"#{card.number}")
    faces = {key: key.rpartition("-")[0] for key in c.treasures}
    return Names(words, aliases, faces)


def _pieces(c: QueenComponents, words: NamesById, kinds: NamesById, adjectives: Mapping[str, str]) -> None:
    for owner in [key for key in (*c.land_pools, *c.naval_pools) if key in words]:
        en, ja = adjectives.get(owner, words[owner]["en"]), words[owner]["ja"]
        for kind, name in kinds.items():
            words[f"{owner}-{kind}"] = {"en": f"{en} {name['en']}", "ja": f"{ja}の{name['ja']}"}
        words[f"default-{owner}"] = {"en": f"{en} default leader", "ja": f"{ja}の既定のリーダー"}
    for key, treasure in c.treasures.items():
        en, ja = {
            "cp": (f"treasure of {treasure.value} CP", f"財宝（{treasure.value}CP）"),
            "draw": ("treasure: draw a card", "財宝（カードを引く）"),
            "science": ("treasure: scientific bonus", "財宝（科学ボーナス）"), "vp": ("treasure: 1 VP", "財宝（1VP）"),
        }[treasure.kind]  # fmt: skip
        words[key] = {"en": en, "ja": ja}


def card_text(c: QueenComponents, key: str) -> Mapping[str, str]:
    """Return the text of a card, by language."""
    card = c.cards.get(key)
    if card is None:
        return {}
    return {"en": card.text.en, "ja": card.text.ja or card.text.en}
