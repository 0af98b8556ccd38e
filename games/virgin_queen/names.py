"""Names of ids, and the texts of cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.virgin_queen.components import QueenComponents
from pbem.kernel.order_words import Names

OWNERS = {
    "independent": ("independent", "独立"), "walloon": ("Walloon", "ワロン"), "morisco": ("Morisco", "モリスコ"),
    "knights_of_st_john": ("Knights of St. John", "聖ヨハネ騎士団"), "huguenot": ("Huguenot", "ユグノー"),
    "dutch": ("Dutch", "オランダ"), "patrol": ("patrol", "警備艇"), "armada": ("Armada", "無敵艦隊"),
}  # fmt: skip
ADJECTIVES = {
    "ottoman": "Ottoman", "spain": "Spanish", "england": "English", "france": "French", "hre": "Imperial",
    "ireland": "Irish", "papacy": "Papal", "portugal": "Portuguese", "scotland": "Scottish", "venice": "Venetian",
}  # fmt: skip
"""Adjectives for the owners of units, in English."""
KINDS = {
    "regulars": ("regulars", "正規兵"), "mercenaries": ("mercenaries", "傭兵"), "cavalry": ("cavalry", "騎兵"),
    "galley": ("galley", "ガレー船"), "galleon": ("galleon", "ガレオン"), "corsair": ("corsair", "私掠船"),
    "race_built": ("race-built galleon", "ガレオン戦艦"),
}  # fmt: skip
_WORDS = {
    "catholic": ("Catholic", "カトリック"), "balanced": ("balanced", "均衡"), "none": ("none", "なし"),
    "war": ("at war", "戦争中"), "netherlands": ("Netherlands", "ネーデルランド"), "allied": ("allied", "同盟"),
    "key": ("key", "キー"), "unfortified": ("unfortified", "非城塞"), "capital": ("capital", "首都"),
    "unrest": ("unrest", "不穏"), "siege": ("siege", "包囲"), "jesuit": ("Jesuit", "イエズス会"),
    "escort": ("escort", "護衛"), "hire": ("hire track", "雇用トラック"), "mediterranean": ("Mediterranean", "地中海"),
    "atlantic": ("Atlantic", "大西洋"), "pass": ("pass", "パス"), "end": ("end", "終了"), "cp": ("for CP", "CPとして"),
    "event": ("as event", "イベントとして"), "card": ("card", "カード"), "power_card": ("power card", "勢力カード"),
    "track": ("turn track", "ターントラック"), "move": ("move", "移動"), "assault": ("assault", "強襲"),
    "control": ("control", "支配"), "treasure": ("treasure", "財宝"), "turn": ("turn", "ターン"),
    "fortress": ("fortress", "要塞"), "pool": ("force pool", "戦力プール"),
}  # fmt: skip
_ACTIONS = {
    "transport": ("naval transport", "海上輸送"), "naval_move": ("naval move", "海上移動"),
    "piracy_europe": ("piracy in Europe", "ヨーロッパの海賊行為"),
    "piracy_world": ("piracy overseas", "海外の海賊行為"),
    "buy_mercenary": ("hire mercenary", "傭兵を雇う"), "raise_cavalry": ("raise cavalry", "騎兵を建設"),
    "raise_regular": ("raise regular", "正規兵を建設"), "build_corsair": ("build corsair", "私掠船を建造"),
    "build_galleon": ("build galleon", "ガレオンを建造"), "build_galley": ("build galley", "ガレー船を建造"),
    "build_patrol": ("build patrol", "警備艇を建造"), "build_fortress": ("build fortress", "要塞を建設"),
    "build_overseas_fortress": ("build fortress overseas", "海外に要塞を建設"),
    "launch_expedition": ("launch expedition", "探検隊を送る"), "preach_sermons": ("preach sermons", "伝道師の説法"),
    "suppress_heresy": ("suppress heresy", "異端の弾圧"), "gain_intelligence": ("gain intelligence", "情報の入手"),
    "place_agent": ("place informant", "工作員の配置"), "buy_influence": ("buy influence", "影響力を買う"),
    "english_catholic_rebellion": ("English Catholic rebellion", "イギリスカトリック反乱"),
    "patronize_artist": ("patronise artist", "芸術家の後援"),
    "patronize_scientist": ("patronise scientist", "科学者の後援"),
}  # fmt: skip
"""The actions of a power's list (11.1)."""
_CLAUSES = {
    "peace": ("peace", "和平"), "dynastic-peace": ("peace sealed by a wedding", "結婚による和平"),
    "alliance": ("alliance", "同盟の締結"), "lend": ("alliance with a loan of ships", "同盟と海軍の貸与"),
    "borrow": ("alliance with ships borrowed", "同盟と海軍の借用"), "wed": ("wedding", "結婚"),
    "show": ("cards shown", "カードの開示"), "recover": ("leaders got back", "捕虜の引き取り"),
    "cede": ("spaces ceded", "スペースの譲渡"), "receive": ("spaces received", "スペースの受領"),
    "give-cards": ("gift of cards", "カードの贈与"), "take-cards": ("cards taken", "カードの受領"),
    "give-treasures": ("gift of treasures", "財宝の贈与"), "take-treasures": ("treasures taken", "財宝の受領"),
    "give-mercenaries": ("gift of mercenaries", "傭兵の贈与"), "take-mercenaries": ("mercenaries taken", "傭兵の受領"),
}  # fmt: skip
"""The clauses of a deal (9.1)."""

_ALIASES = {
    "pass": ("skip",), "end": ("done", "finish"),
    "hre": ("empire", "holy_roman_empire", "神聖", "神聖ローマ帝国", "墺"), "protestant": ("prot", "新教"),
    "ottoman": ("土", "オスマン帝国", "トルコ"), "spain": ("西",), "france": ("仏",),
    "england": ("英", "英国", "イングランド"), "dutch": ("蘭",), "portugal": ("葡",), "papacy": ("教皇",),
    "venice": ("ヴェネツィア",), "netherlands": ("ネーデルラント",), "peace": ("講和",), "alliance": ("同盟",),
    "navarre": ("ナバラ王アンリ",),
    "recover": ("捕虜の回収",), "ottoman-tribute": ("オスマンの貢物",), "spanish-road": ("スペイン街道",),
    "siege-engineering": ("包囲兵器",), "dragut-falls": ("ドラグト倒れる！",), "army-mutiny": ("軍の反乱",),
    "foreign-volunteers": ("外国人義勇兵",), "holy-roman-intercession": ("神聖ローマの仲裁",),
    "catherines-flying-squadron": ("カトリーヌの遊撃隊",), "grand-tour": ("巡回旅行",),
    "irish-rebellion": ("アイルランドの反乱",), "the-black-queen": ("黒王妃",), "sultana-safiye": ("サフィエ妃",),
    "enterprise-of-england": ("イングランド経営計画",), "union-of-arras": ("アラス連合",),
    "paris-is-worth-a-mass": ("パリはミサに値する",), "war-in-persia": ("ペルシャ戦争",),
    "commissioned-from-italy": ("イタリアへの委嘱",), "tridentine-catechism": ("トリエント公教要理",),
    "english-recusants": ("イングランドの国教忌避者",), "sea-beggars": ("海賊（海乞食）", "海乞食"),
    "the-virgin-queen": ("処女王",), "elisabeth_of_valois": ("エリザベート・ド・ヴァロワ",),
    "margaret_of_valois": ("マルグリット・ド・ヴァロワ",), "louise_of_lorraine": ("ルイズ・ド・ロレーヌ",),
}  # fmt: skip
"""Further words; among them Japanese names that the rulebook or an earlier version of the data has."""


@lru_cache(maxsize=8)
def names(c: QueenComponents) -> Names:
    """Return the names of all components. Treasures of one kind are interchangeable: a face means any of them."""
    words = {key: {"en": en, "ja": ja} for key, (en, ja) in (_WORDS | _ACTIONS | _CLAUSES | OWNERS | KINDS).items()}
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
    for key, (en, ja) in _MINORS.items():
        if key not in c.spaces:
            words[key] = {"en": en, "ja": ja}
    _pieces(c, words)
    aliases = {key: list(more) for key, more in _ALIASES.items()}
    for card in c.cards.values():
        aliases.setdefault(card.id, []).append(f"#{card.number}")
    faces = {key: key.rpartition("-")[0] for key in c.treasures}
    return Names(words, aliases, faces)


_MINORS = {
    "ireland": ("Ireland", "アイルランド"), "papacy": ("Papacy", "ローマ教皇"), "portugal": ("Portugal", "ポルトガル"),
    "scotland": ("Scotland", "スコットランド"), "venice": ("Venice", "ベニス"),
}  # fmt: skip


def _pieces(c: QueenComponents, words: dict[str, dict[str, str]]) -> None:
    owners = {key: (words[key]["en"], words[key]["ja"]) for key in (*c.land_pools, *c.naval_pools) if key in words}
    for owner, (en, ja) in owners.items():
        for kind, (kind_en, kind_ja) in KINDS.items():
            words[f"{owner}-{kind}"] = {"en": f"{ADJECTIVES.get(owner, en)} {kind_en}", "ja": f"{ja}の{kind_ja}"}
        words[f"default-{owner}"] = {"en": f"{ADJECTIVES.get(owner, en)} default leader", "ja": f"{ja}の既定のリーダー"}
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
