"""Words for ids, and the texts of cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.crown_of_roses.components import RosesComponents
from pbem.kernel.order_words import Names

_WORDS = {
    "york": ("York", "ヨーク家"), "lancaster": ("Lancaster", "ランカスター家"),
    "buckingham": ("Buckingham", "バッキンガム家"),
    "warwick": ("Warwick", "ウォリック家"), "contested": ("contested", "競合"),
    "undeclared": ("undeclared", "中立"),
    "inactive": ("inactive", "活動停止"), "unavailable": ("unavailable", "利用不可"),
    "out": ("out of play", "プレイ対象外"), "parliament": ("in Parliament", "議会に出席"),
    "later": ("later", "後で"),
    "vacant": ("vacant", "空き"), "small": ("small markers", "小額から"),
    "large": ("large markers", "高額から"),
    "choose": ("choose markers", "自分で選ぶ"), "bid": ("bid", "ビッド"), "place": ("place", "配置"),
    "change": ("change money", "両替"),
    "controlled": ("controlled", "支配"), "heir": ("heir", "継承者"), "moved": ("moved", "移動済"),
    "pinned": ("pinned", "拘束"),
    "mustered": ("mustered", "召集済"), "depleted": ("depleted", "消耗"), "plundered": ("plundered", "略奪"),
    "devastated": ("devastated", "荒廃"), "rebels": ("rebels", "反乱軍"), "pass": ("pass", "パス"),
    "event": ("event", "イベント"),
    "ops": ("for OPS", "OPSとして"), "turn": ("turn", "ターン"), "impulse": ("impulse", "インパルス"),
    "final": ("final impulse", "最終インパルス"), "done": ("done", "終了"),
    "return": ("return an heir", "継承者の復帰"),
    "move": ("move by land", "陸上移動"), "sail": ("move by sea", "海上移動"), "muster": ("muster", "召集"),
    "influence": ("influence", "影響力"), "go": ("go", "進む"), "drop": ("leave blocks", "置いていく"),
    "take": ("pick up", "拾い上げる"),
    "force": ("forced march", "強行軍"), "stop": ("stop", "停止"), "clear": ("clear", "平地"),
    "rough": ("rough", "荒地"),
    "fens": ("fens", "フェンズ"), "wash": ("the Wash", "ウォッシュ湾"), "boat": ("by boat", "舟"),
    "intercept": ("intercept", "迎撃"), "evade": ("evade", "戦闘回避"), "swap": ("swap stacks", "山の入れ替え"),
    "garrison": ("the Tower garrison", "ロンドン塔守備隊"), "stay": ("stay", "留まる"),
    "retreat": ("retreat", "退却"),
    "hold": ("no charge", "突撃しない"), "charge": ("charge", "突撃"),
    "bring": ("bring up", "投入"), "all": ("all", "すべて"),
    "plan": ("plan", "方針"), "fight": ("fight", "戦う"),
    "withdraw": ("withdraw", "退く"), "grant": ("let go", "行かせる"),
    "ask": ("ask me", "尋ねる"), "full": ("in full", "全力"),
    "never": ("never", "しない"), "always": ("always", "常に"),
    "strongest": ("the strongest", "最強"), "attached": ("attached first", "随伴から"),
    "nobles": ("nobles first", "貴族から"),
    "weaker": ("when weaker", "劣勢なら"), "discard": ("discard", "捨てる"),
    "reroll": ("roll again", "振り直す"),
    "aside": ("eliminated", "除去"), "battle_force": ("battle force", "本隊"), "reserve": ("reserve", "予備"),
    "reinforcements": ("reinforcements", "増援"), "fallen": ("eliminated", "除去"),
    "hidden": ("a hidden block", "秘匿ブロック"), "shown": ("a block that is shown", "公開ブロック"),
    "put": ("put", "置く"),
    "answer": ("respond", "対応する"), "writ": ("writ", "令状"), "card": ("play a card", "カードを使う"),
    "queen": ("the Queen's OPS", "王妃のOPS"), "dice": ("combat dice", "戦闘ダイス"),
    "vote": ("votes or IP", "票またはIP"),
    "command": ("command", "指揮"), "exile": ("into exile", "亡命"), "noble": ("a noble returns", "貴族の復帰"),
    "uprising": ("uprising", "反乱"), "raid": ("raid", "襲撃"), "draw": ("draw a card", "カードを引く"),
    "markers": ("free markers", "マーカー"), "block": ("take a block", "ブロックの獲得"),
    "respond": ("respond", "対応"),
    "heirs": ("all heirs", "すべての継承者"), "estates": ("to estates", "所領へ"),
}  # fmt: skip
_ALIASES = {
    "pass": ("no", "skip"), "done": ("end", "finish"), "stop": ("halt", "end"), "go": ("march",),
    "bid": ("入札",), "secret_plots": ("秘密計画",), "reroll": ("振りなおす",),
    "gruuthuse": ("グルートフーズ卿ルイ・ド・ブリュージュ",), "heir_montagu": ("モンターギュ候ジョン・ネヴィル",),
}  # fmt: skip
"""Further words; among them Japanese names that the rulebook or an earlier version of the data has."""
_BLOCK_ALIASES = {
    "lord_ormond": ("オーモンド卿",), "lord_montagu": ("モンターギュ候",), "lord_oxford": ("オクスフォード伯",),
}  # fmt: skip


@lru_cache(maxsize=8)
def names(c: RosesComponents) -> Names:
    """Return words for all components. Blocks answer to the name printed on them, cards to their number."""
    words = {key: {"en": en, "ja": ja} for key, (en, ja) in _WORDS.items()}
    for group in (c.shires, c.exiles, c.regions, c.seas, c.blocks, c.offices, c.cards, c.markers):
        for key, thing in group.items():
            words[key] = {"en": thing.name, "ja": thing.ja}
    for key in c.roll:
        for kind, marker in c.markers.items():
            name = c.blocks[key]
            words[f"{key}-{kind}"] = {"en": f"{name.name} {marker.name}", "ja": f"{name.ja}の{marker.ja}"}
    aliases = {key: list(more) for key, more in _ALIASES.items()}
    for key, block in c.blocks.items():
        aliases[key] = [block.label.lower(), key.removeprefix("lord_"), *_BLOCK_ALIASES.get(key, ())]
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
