"""Words for ids, and the texts of cards and tiles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.imperial_struggle.components import StruggleComponents
from pbem.data_cache import tables_of
from pbem.kernel.order_words import Names


@lru_cache(maxsize=16)
def names(c: StruggleComponents) -> Names:
    """Return words for all components; equal tiles are interchangeable (a face means any copy)."""
    tables = tables_of("games.imperial_struggle", "tables")["words"]
    words: dict[str, dict[str, str]] = tables["words"]
    aliases: dict[str, list[str]] = tables["aliases"]
    groups = (
        c.regions, c.spaces, c.investments, c.awards, c.commodities, c.events, c.ministries, c.advantages,
        c.wars, c.war_tiles
    )  # fmt: skip
    for group in groups:
        for key, thing in group.items():
            words[key] = {"en": thing.name, "ja": thing.ja}
    for key in (*c.investments, *c.awards):  # equal tiles have the same face
        words[key] = {language: name.removesuffix(" A").removesuffix(" B") for language, name in words[key].items()}
    for war in c.wars.values():
        for theater in war.theaters:
            words.setdefault(theater.id, {"en": theater.name, "ja": theater.ja})
    for event in c.events.values():
        aliases.setdefault(event.id, []).append(f"#{event.number}")
    for card in c.ministries.values():
        aliases.setdefault(card.id, []).append(f"m-{card.number}")
    faces = {key: key[:-2] for key in c.investments if key[-2:] in ("-a", "-b")}
    faces |= {key: key.rpartition("-")[0] for key, tile in c.war_tiles.items() if not tile.war}
    for key, face in faces.items():
        words.setdefault(face, words[key])
    return Names(words, aliases, faces)


def card_text(c: StruggleComponents, key: str) -> Mapping[str, str]:
    """Return the text of a card or an Advantage by language."""
    card = c.events.get(key) or c.ministries.get(key) or c.advantages.get(key)
    return {"en": card.text.en, "ja": card.text.ja} if card is not None else {}
