"""Imperial Struggle: Britain and France from 1697 to 1789."""

from __future__ import annotations

from games.imperial_struggle import evidence, rounds  # noqa: F401 - evidence registers with the kit
from games.imperial_struggle.components import components
from games.imperial_struggle.constraints import check
from games.imperial_struggle.invariants import invariants
from games.imperial_struggle.map_drawing import CHART, COLOURS, NOTES
from games.imperial_struggle.names import card_text, names
from games.imperial_struggle.scoring import result
from games.imperial_struggle.sequence import CARD_OPTIONS, play
from games.imperial_struggle.setup import setup
from games.imperial_struggle.state import SEATS, StruggleState
from games.imperial_struggle.table import KIT
from games.imperial_struggle.view import clock, conceal, view
from games.imperial_struggle.wars import fight
from pbem.kernel.domains import Amount, Choice
from pbem.kernel.game import Game, HouseRule, Scenario, late

_YES_NO = Choice(("no", "yes"))

OPTIONS = (
    HouseRule("spanish_empire", _YES_NO, "no", {
        "en": "Spanish flags on three Sugar Markets; a free shift in Spain for a Spanish Territory lost",
        "ja": "砂糖市場3つにスペインの旗印。相手がスペイン領土を奪うとスペインで1回シフト",
    }, "12.1"),
    HouseRule("planned_upgrades", _YES_NO, "no", {
        "en": "a Military Upgrade swaps two of one's basic War tiles instead of drawing one",
        "ja": "軍事向上は1枚引く代わりに自軍の基本戦争タイル2枚を交換する",
    }, "12.2"),
    HouseRule("planned_wars", _YES_NO, "no", {
        "en": "at the lay-out of a war each side assigns its basic War tiles to the theaters itself",
        "ja": "戦争配置で各陣営が基本戦争タイルを戦域に自ら割り当てる",
    }, "12.2"),
    HouseRule("tougher_forts", _YES_NO, "no", {
        "en": "taking a Fort with Conquest Points needs a Conquest Line, as for Territories",
        "ja": "征服ポイントで要塞を奪取するには、領土と同様に征服ラインの連結が要る",
    }, "12.3"),
    HouseRule("britain_treaty_points", Amount(0, 9), 0, {
        "en": "Treaty Points that Britain starts with (a bid for sides)",
        "ja": "イギリスの開始時条約ポイント（陣営の入札）",
    }, "design note 7.4"),
    HouseRule("france_treaty_points", Amount(0, 9), 0, {
        "en": "Treaty Points that France starts with (a bid for sides)",
        "ja": "フランスの開始時条約ポイント（陣営の入札）",
    }, "design note 7.4"),
)  # fmt: skip

GAME = Game(
    slug="imperial_struggle",
    title={"en": "Imperial Struggle", "ja": "インペリアル・ストラグル"},
    rules="1",
    package="games.imperial_struggle",
    scenarios=(Scenario("standard", {"en": "Standard game", "ja": "標準ゲーム"}, {2: SEATS}),),
    state=StruggleState,
    setup=setup,
    play=play,
    likely_next=rounds.follow,
    next_turn=rounds.next_round,
    turns_ahead=2,
    complete=rounds.complete,
    policies=fight.policies,
    view=view,
    calendar=clock,
    conceal=conceal,
    terms=late("games.imperial_struggle.evaluation", "terms"),
    chart=CHART,
    notes=NOTES,
    colours=COLOURS,
    play_out_until="turn",
    play_outs=24,
    invariants=invariants,
    result=result,
    components=components,
    constraints=check,
    names=names,
    card_text=card_text,
    loss_lines={"flag.removed": ("seat", ""), "squadron.lost": ("seat", ""), "fort.damaged": ("seat", "")},
    hidden_lines=False,
    options=OPTIONS + CARD_OPTIONS,
    question_kinds=tuple(sorted(KIT.kinds)),
    evidence=KIT.evidence,
)
