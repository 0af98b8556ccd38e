"""Words for ids, and the texts of cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.crown_of_roses.components import RosesComponents
from pbem.data_cache import tables_of
from pbem.kernel.order_words import Names


@lru_cache(maxsize=8)
def names(c: RosesComponents) -> Names:
    """Return words for all components. Blocks answer to the name printed on them, cards to their number."""
    tables = tables_of("games.crown_of_roses", "tables")["words"]
    words: dict[str, dict[str, str]] = tables["words"]
    aliases: dict[str, list[str]] = tables["aliases"]
    for group in (c.shires, c.exiles, c.regions, c.seas, c.blocks, c.offices, c.cards, c.markers):
        for key, thing in group.items():
            words[key] = {"en": thing.name, "ja": thing.ja}
    for key in c.roll:
        for kind, marker in c.markers.items():
            name = c.blocks[key]
            words[f"{key}-{kind}"] = {"en": f"{name.name} {marker.name}", "ja": f"{name.ja}の{marker.ja}"}
    for key, block in c.blocks.items():
        aliases[key] = [block.label.lower(), key.removeprefix("lord_"), *tables["block_aliases"].get(key, ())]
    for key, card in c.cards.items():
        aliases.setdefault(key, []).extend((f"#{card.number}", card.number.lower()))
    for key, marker in c.markers.items():
        aliases[key] = [str(marker.value)]
        for count in range(2, marker.count + 1):
            words[f"{key}x{count}"] = {"en": f"{count} × {marker.name}", "ja": f"{marker.ja}×{count}"}
    for key in c.roll:
        for kind, marker in c.markers.items():
            aliases[f"{key}-{kind}"] = [f"{key.removeprefix('lord_')}-{marker.value}"]
    for key in ("lancashire", "buckinghamshire", "warwickshire"):
        aliases[key] = [key.removesuffix("shire") if key != "lancashire" else "lancaster"]
    return Names(words, aliases)


_TYPES = {
    "ally": ("ally", "同盟"), "event": ("event", "イベント"), "heir": ("heir", "継承者"),
    "mandatory": ("mandatory", "強制"), "surprise": ("surprise", "奇襲"),
}  # fmt: skip


def card_text(c: RosesComponents, key: str) -> Mapping[str, str]:
    """Return the kind of a card, its OPS and its text, by language."""
    card = c.cards.get(key)
    if card is None:
        return {}
    en, ja = _TYPES[card.type]
    ops = f"{card.ops} OPS, " if card.ops else ""
    return {"en": f"{ops}{en}. {card.text.en}", "ja": f"{ops}{ja}。{card.text.ja}"}
