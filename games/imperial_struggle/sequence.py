"""The sequence of play (2.1, 4.0): Peace Turns (2.3), wars between them (2.4). Each phase is in its chapter's module.

A Peace Turn goes from `turn` (upkeep to deal) over `ministry`, `initiative` and eight times `action` to `close`. That
leads to the next `turn`, to a `war` or to the end. A war leads to the next `turn`, perhaps by `planning` (12.2).
"""

from __future__ import annotations

from games.imperial_struggle import rounds, scoring, tiles, upkeep, wartime
from games.imperial_struggle.table import KIT
from pbem.kernel.domains import Choice
from pbem.kernel.game import HouseRule

# House rules for cards and wars: questions without an official answer (rulings, section 8).

CARD_OPTIONS = (
    HouseRule("spoils_flag", Choice(("may", "must")), "may", {
        "en": "a flag among the spoils of a theater: the winner may remove it, or must while there is one",
        "ja": "戦域の戦利品の旗印撤去：勝者の任意か、対象がある限り強制か",
    }, "7.2"),
    HouseRule("captured_forts", Choice(("damaged", "repaired")), "damaged", {
        "en": "a damaged Fort taken with a Conquest Point stays damaged, or is repaired by it",
        "ja": "征服ポイントで奪取した損傷要塞：損傷のままか、修理されるか",
    }, "7.2.1.1"),
    HouseRule("rivalry", Choice(("india", "anywhere")), "india", {
        "en": "the DP of Austro-Spanish Rivalry (#7) for France: for India like its EP, or anywhere",
        "ja": "墺西対立（#7）のフランスの外交ポイント：経済ポイントと同じくインドのみか、どこでもか",
    }, "#7"),
    HouseRule("voltaire", Choice(("always", "awarded")), "always", {
        "en": "Voltaire (M-14) pays in every Scoring Phase, or only if somebody wins the Europe Award",
        "ja": "ヴォルテール（M-14）：毎回支払うか、ヨーロッパの褒賞を誰かが得たときのみか",
    }, "M-14"),
    HouseRule("townshend", Choice(("demand", "any")), "demand", {
        "en": "Townshend Acts (M-21) may name a commodity in demand, or any of the six",
        "ja": "タウンゼンド諸法（M-21）が指定できる商品：需要にあるものか、6種のいずれもか",
    }, "M-21"),
)  # fmt: skip

__all__ = ["play", "rounds", "scoring", "tiles", "upkeep", "wartime"]

play = KIT.play
