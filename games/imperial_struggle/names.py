"""Words for ids, and the texts of cards and tiles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.imperial_struggle.components import StruggleComponents
from pbem.kernel.order_words import Names

_WORDS = {
    "vp": ("VP", "VP"),
    "britain": ("Britain", "イギリス"),
    "france": ("France", "フランス"),
    "usa": ("USA", "USA"),
    "spain": ("Spain", "スペイン"),
    "nobody": ("nobody", "なし"),
    "economic": ("Economic", "経済"),
    "diplomatic": ("Diplomatic", "外交"),
    "military": ("Military", "軍事"),
    "major": ("Major", "大"),
    "minor": ("Minor", "小"),
    "any": ("either", "どちらでも"),
    "political": ("Political", "政治"),
    "market": ("Market", "市場"),
    "territory": ("Territory", "領土"),
    "naval": ("Naval", "海軍"),
    "fort": ("Fort", "要塞"),
    "prestige": ("Prestige", "威信"),
    "alliance": ("Alliance", "同盟"),
    "conflict": ("Conflict", "紛争"),
    "conflict-plus": ("Conflict +1", "紛争+1"),
    "damaged": ("Damaged", "損傷"),
    "protected": ("Protected", "保護下"),
    "isolated": ("Isolated", "孤立"),
    "huguenots": ("Huguenots", "ユグノー教徒"),
    "huguenots-flipped": ("Huguenots (used)", "ユグノー教徒（使用済）"),
    "face-down": ("face down", "裏向き"),
    "basic": ("basic tile", "基本タイル"),
    "bonus": ("Bonus tile", "ボーナス・タイル"),
    "byng": ("Byng", "ビング"),
    "box": ("Navy Box", "海軍ボックス"),
    "none": ("none", "なし"),
    "tile": ("tile", "タイル"),
    "event": ("Event", "イヴェント"),
    "convert": ("conversion", "変換"),
    "old": ("the old one", "元のタイル"),
    "new": ("the new one", "新しいタイル"),
    "pool": ("pool", "プール"),
    "game": ("out of the game", "ゲームから除外"),
    "pass": ("pass", "パス"),
    "end": ("end", "終了"),
    "finance": ("Finance", "財政"),
    "mercantilism": ("Mercantilism", "重商主義"),
    "governance": ("Governance", "統治"),
    "style": ("Style", "様式"),
    "scholarship": ("Scholarship", "学術"),
    "succession": ("Succession", "継承の時代"),
    "empire": ("Empire", "帝国の時代"),
    "revolution": ("Revolution", "革命の時代"),
    "canada": ("Canada", "カナダ"),
    "carnatic-coast": ("Carnatic Coast", "カーナティック沿岸"),
    "scotland": ("Scotland", "スコットランド"),
    "ireland": ("Ireland", "アイルランド"),
    "austria": ("Austria", "オーストリア"),
    "prussia": ("Prussia", "プロイセン"),
    "dutch-republic": ("Dutch Republic", "オランダ共和国"),
    "german-states": ("German States", "ドイツ諸邦"),
    "unflag-europe": ("removing flags in Europe", "ヨーロッパの旗印撤去"),
    "german-prussia-dutch": ("German States, Prussia, Dutch Republic", "ドイツ諸邦・プロイセン・オランダ"),
    "spain-austria": ("Spain and Austria", "スペインとオーストリア"),
    "unflag-markets": ("removing flags from Markets", "市場の旗印撤去"),
    "flag-next-to-own": ("empty Markets next to own ones", "自市場に連結したカラの市場"),
}

_ALIASES = {
    "pass": ("nothing", "skip"), "end": ("done", "finish"), "economic": ("ep", "eco"), "diplomatic": ("dp", "dip"),
    "military": ("mp", "mil"), "britain": ("br", "英", "英国"), "france": ("fr", "仏"),
    "spain": ("西",), "usa": ("合衆国",), "austria": ("墺",), "dutch-republic": ("蘭", "オランダ"),
    "german-states": ("独", "ドイツ"), "puerto-principe": ("ポルトー・プランス",), "box": ("navy-box", "navy box"),
}  # fmt: skip


@lru_cache(maxsize=16)
def names(c: StruggleComponents) -> Names:
    """Return words for all components; equal tiles are interchangeable (a face means any copy)."""
    words = {key: {"en": en, "ja": ja} for key, (en, ja) in _WORDS.items()}
    aliases = {key: list(more) for key, more in _ALIASES.items()}
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
