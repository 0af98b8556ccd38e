"""Imperial Struggle: Britain and France from 1697 to 1789."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

# Chapters fill the tables of `rules` when they are imported; the order of the menu is the order of these imports.
from games.imperial_struggle import rounds, shifting, military, tiles, advantages, events, ministries, wars  # noqa: F401, I001
from games.imperial_struggle.components import Components, components
from games.imperial_struggle.constraints import check
from games.imperial_struggle.invariants import invariants
from games.imperial_struggle.play import play
from games.imperial_struggle.setup import setup
from games.imperial_struggle.state import SEATS, State
from games.imperial_struggle.victory import result
from games.imperial_struggle.view import clock, conceal, view
from games.imperial_struggle.wording import names, card_text
from pbem.kernel.answers import Amount, Choice
from pbem.kernel.game import Game, Option, Scenario

_YES_NO = Choice(("no", "yes"))

OPTIONS = (
    Option(
        "spanish_empire",
        _YES_NO,
        "no",
        {
            "en": "Spanish flags on Havana, Santiago and Puerto Principe; a free shift in Spain for who loses a Spanish Territory",
            "ja": "ハバナ、サンティアゴ、プエルト・プリンシペにスペインの旗印。スペイン領土を奪われた相手はスペインで1回シフト",
        },
        "12.1",
    ),
    Option(
        "planned_upgrades",
        _YES_NO,
        "no",
        {
            "en": "a Military Upgrade swaps two of one's basic War tiles instead of drawing one",
            "ja": "軍事向上は1枚引く代わりに自軍の基本戦争タイル2枚を交換する",
        },
        "12.2",
    ),
    Option(
        "planned_wars",
        _YES_NO,
        "no",
        {
            "en": "at the lay-out of a war each side assigns its basic War tiles to the theaters itself",
            "ja": "戦争配置で各陣営が基本戦争タイルを戦域に自ら割り当てる",
        },
        "12.2",
    ),
    Option(
        "tougher_forts",
        _YES_NO,
        "no",
        {
            "en": "taking a Fort with Conquest Points needs a Conquest Line, as for Territories",
            "ja": "征服ポイントで要塞を奪取するには、領土と同様に征服ラインの連結が要る",
        },
        "12.3",
    ),
    Option(
        "britain_treaty_points",
        Amount(0, 9),
        0,
        {
            "en": "Treaty Points that Britain starts with (a bid for sides)",
            "ja": "イギリスの開始時条約ポイント（陣営の入札）",
        },
        "design note 7.4",
    ),
    Option(
        "france_treaty_points",
        Amount(0, 9),
        0,
        {
            "en": "Treaty Points that France starts with (a bid for sides)",
            "ja": "フランスの開始時条約ポイント（陣営の入札）",
        },
        "design note 7.4",
    ),
)

GAME = Game(
    slug="imperial_struggle",
    title={"en": "Imperial Struggle", "ja": "インペリアル・ストラグル"},
    rules="1",
    package="games.imperial_struggle",
    scenarios=(Scenario("standard", {"en": "Standard game", "ja": "標準ゲーム"}, {2: SEATS}),),
    state=State,
    setup=setup,
    play=play,
    view=view,
    clock=clock,
    conceal=conceal,
    invariants=invariants,
    result=result,
    components=components,
    constraints=check,
    names=names,
    card_text=card_text,
    options=OPTIONS,
)
