"""Words for ids, and the texts of cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.crown_of_roses.components import Components
from pbem.kernel.words import Names

_WORDS = {
    "york": ("York", "ヨーク家"), "lancaster": ("Lancaster", "ランカスター家"),
    "buckingham": ("Buckingham", "バッキンガム家"),
    "warwick": ("Warwick", "ウォリック家"), "contested": ("contested", "競合"), "undeclared": ("undeclared", "中立"),
    "inactive": ("inactive", "活動停止"), "unavailable": ("unavailable", "利用不可"),
    "out": ("out of play", "プレイ対象外"),
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
    "fens": ("fens", "フェンズ"), "wash": ("the Wash", "ウォッシュ湾"), "road": ("by road", "陸路"),
    "boats": ("by boat", "舟"),
    "intercept": ("intercept", "迎撃"), "evade": ("evade", "戦闘回避"), "swap": ("swap stacks", "山の入れ替え"),
}  # fmt: skip
_ALIASES = {"pass": ("no", "skip"), "done": ("end", "finish"), "stop": ("halt", "end"), "go": ("march",)}


@lru_cache(maxsize=8)
def names(c: Components) -> Names:
    """Words for everything in the box. Blocks answer to the name printed on them, cards to their number."""
    words = {key: {"en": en, "ja": ja} for key, (en, ja) in _WORDS.items()}
    for group in (c.shires, c.exiles, c.regions, c.seas, c.blocks, c.offices, c.cards, c.markers):
        for key, thing in group.items():
            words[key] = {"en": thing.name, "ja": thing.ja}
    aliases = {key: list(more) for key, more in _ALIASES.items()}
    for key, block in c.blocks.items():
        aliases[key] = [block.label.lower(), key.removeprefix("lord_")]
    for key, card in c.cards.items():
        aliases[key] = [f"#{card.number}", card.number.lower()]
    for key, marker in c.markers.items():
        aliases[key] = [str(marker.value)]
    for key in ("lancashire", "buckinghamshire", "warwickshire"):
        aliases[key] = [key.removesuffix("shire") if key != "lancashire" else "lancaster"]
    return Names(words, aliases)


def card_text(c: Components, key: str) -> Mapping[str, str]:
    """What a card does, by language."""
    card = c.cards.get(key)
    return {"en": card.text.en, "ja": card.text.ja} if card is not None else {}
