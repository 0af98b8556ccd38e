"""Emails at random moments that somebody read who knew the rulebooks only: what they lacked, or found unclear.

Each moment is a packed save in `moments/`; its email says these things, and doesn't say those that misled.
"""

from __future__ import annotations

import lzma
import re
from html import unescape
from pathlib import Path

import pytest

import games
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import question_of
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.short_email import MOST, ShortEmail, text_of
from pbem.report.short_email_html import _labelled, body_of
from pbem.save.session import Session
from tests.report.decide_email import bare, lacking

MOMENTS = Path(__file__).parent / "moments"

READ: dict[str, tuple[list[str], list[str]]] = {
    "sixteen_thirty-special black": (
        [
            "unrest france – hits Pink 6, Violet 6",
            "unrest netherlands – hits Green 11",
            "unrest denmark – hits Amber 5",
        ],
        [],
    ),
    "sixteen_thirty-exchange black": (
        [
            "Your cards: Sweden 1+2+2, Poland 1+1, Denmark 2, England 3",
            "Special cards: Increase Army Size, Assassin",
            "You can change: propose (give, wants)",
            "you give Military Leader for Sweden: scores up to 2 a turn",
        ],
        [],
    ),
    "imperial_struggle-shift france": (["+1 TRP, Europe 7:7→8:7", "+1 TRP, Europe 7:7→7:6"], []),
    "imperial_struggle-free-advantage france": (["algonquin-raids – Conflict marker, Furs, best "], ["; you"]),
    "crown_of_roses-evade york": (
        [
            "Ways out: value, * if loyal (enemies near): Derby 1 (2), Stafford 2 (2), Shropshire 2* (2), Flint 1 (2)",
            "to Shropshire: 50%, Duke of York 4, King's block 3",
            "to=stafford, evade lord_york blocks=none to=derby, evade lord_york blocks=none to=flint",
            "Or: pass (no evasion)",
        ],
        [],
    ),
    "crown_of_roses-respond lancaster": (
        [
            "You can change: writ (card, nobles)",
            "answer lord_ormond – Lord Ormond goes: 69% unhurt, steps 2 (2G), leaves London",
        ],
        ["Or begin with", "could send"],
    ),
    "sixteen_thirty-call-votes amber": (
        [
            "Poland (red): Black 3, Ivory 2, you 0–12",
            "Spain (red): counters, status 4, Green 6, you 4–5",
            "wins 40%, loses 40%",
        ],
        [],
    ),
    "sixteen_thirty-remove-open green": (["open-2@sweden – votes 11→9 in Sweden against Black 6"], []),
    "sixteen_thirty-display-hand black": (
        ["Which influence cards do you lay", "Denmark 2, France 3, German Princes 1+3, Hapsburg Empire 1, Poland 2."],
        [],
    ),
    "sixteen_thirty-exchange-offer green": (
        ["propose give=netherlands-1 want=german_princes – you give Netherlands 1 for German Princes"],
        [],
    ),
    "imperial_struggle-act-advantage britain": (
        ["advantage letters-of-marque port-de-paix – +4 VP, +2 TRP, Sugar 2:2→2:1, Caribbean 8:9→8:8"],
        [],
    ),
    "crown_of_roses-winter-plan york": (
        [
            'Where do 3 nobles winter, which cards do you keep (";" between several)?',
            "Duke of York: Shropshire 2*, Northampton 2*, Suffolk 2*, West Riding 2; Duke of Exeter: Devon 2",
            "place lord_york shropshire; keep cards=",
        ],
        ["PLACEMENTS", "do nothing"],
    ),
    "crown_of_roses-losses-part warwick": (
        ["office_ireland office_ireland – then Ireland block 1 (1G)", "none (as the rules choose)"],
        ["by default"],
    ),
    "crown_of_roses-hosts lancaster": (
        ["lord_buckingham lord_buckingham – Henry VI with Duke of Buckingham, the Queen with Duke of Buckingham"],
        ["HENRY-VI"],
    ),
    "crown_of_roses-recall lancaster": (["lord_stanley-ip1=2 lord_rivers-ip1=2 lord_roos-ip1=1"], ["1 IP 2"]),
    "virgin_queen-convert-held england": (["held=edinburgh – turn Edinburgh, guarded: key, units: France 3"], ["; :"]),
    "virgin_queen-sea-order spain": (["Adriatic Sea, against the Ottoman Empire"], ["Sea/Ottoman"]),
    "virgin_queen-achievement spain": (["telescope – interception", "none – VP alone: 1 VP for the rest"], []),
    "virgin_queen-new-wars protestant": (["does the Holy Roman Empire declare war", "saves 7 CP; their keys: 16"], []),
    "virgin_queen-road spain": (['march luxembourg units="regulars=5 mercenaries=5"'], []),
    "virgin_queen-cargo spain": (
        ["cp3 – treasure of 3 CP: 1 in the row", "cp1 – treasure of 1 CP: 2 in the row", "(France: Strozzi)."],
        ["Strozzi France"],
    ),
    "virgin_queen-negotiation spain": (
        ["peace with the Ottoman Empire", "You can change: propose (partner, clauses)"],
        ["Or begin with", "LEND", "CLAUSES with PARTNER"],
    ),
    "virgin_queen-confirm spain": (["gift; you give 1 random card."], ["exchange"]),
    "virgin_queen-sea-avoid spain": (["You (Spain) have in Bay of Biscay: galleon 1", "galleon 1."], ["Venier"]),
    # Another reading of the four games, by a player who last looked three days ago.
    "sixteen_thirty-exchange-hand violet": (
        ["Your cards: German Princes 2, Denmark 3, England 1+1+3, Spain 3"],
        ["France none", "Your cards there"],
    ),
    "sixteen_thirty-discard-one pink": (["Choose 1, for example: spain-2", "with your answer"], ["Answer:"]),
    "imperial_struggle-tiles france": (
        ["Or no Event: take (mil4-eco, dip4-mil, eco4-mil)", "Calico Acts: Economic, removes"],
        ["more answers"],
    ),
    "imperial_struggle-usa-flags france": (
        ["count as French at the end", "northern-colonies – held by Britain, 2 VP at the end carolinas – the same"],
        [],
    ),
    "crown_of_roses-force-march buckingham": (
        ["0 MP left", "forced march to Chester: 1 MP, value 2"],
        ["( MP)", "attrition for the stack"],
    ),
    "crown_of_roses-winter-host lancaster": (
        ["To place: Earl of Northumberland with Henry VI"],
        ["· Henry VI", "NOBLE to PLACE"],
    ),
    "crown_of_roses-bid-side york": (["You can change: bid (house: york or lancaster)"], ["SIDE"]),
    "virgin_queen-march spain": (
        ["march ostend – yours", "march antwerp – yours, key", "change: march (to)"],
        ["march TO", "march to TO"],
    ),
    "virgin_queen-muster spain": (
        ["mercenaries from the pool for Milan, and", "mercenaries=4 – to Milan"],
        ["mercenaries=1"],
    ),
    "virgin_queen-campaign ottoman": (
        ["leader=sokollu – regulars (Istanbul) 8, Sokollu Mehmed Pasha"],
        ["units=UNITS"],
    ),
    "virgin_queen-winter-way protestant": (
        ["Toulouse to Montauban: fortress, empty", "units=huguenot-regulars=1", "none – no orders"],
        ['""', 'units="', "land=none"],
    ),
    "crown_of_roses-action-pinned york": (
        ["Your stacks: steps (enemies near): North Riding 5, Shropshire 7 (4), Cambridge 2 (2)"],
        ["North Riding, your blocks"],
    ),
    "crown_of_roses-carry york": (["2 OPS, surprise: an enemy block may retreat", "2 OPS, an uprising in a shire"], []),
    "crown_of_roses-winter-cards york": (
        [
            "You can keep 1 card of: Good Men of England, Plot Uncovered and Welsh Archers",
            "Earl of Warwick: Warwickshire 2, Wiltshire 2, North Riding 1",
        ],
        [],
    ),
    "virgin_queen-spring-leaders protestant": (
        ["Leaders could appear at (units there): Haarlem 6, Pau 1, Nerac 0, Saumur 0"],
        ["army leader Saumur"],
    ),
    "imperial_struggle-points-type britain": (
        ["economic – 2 points, best for West Bengal: Cotton 1:2→1:1, +3 VP", "best for Sweden: Europe 8:9→9:9, +1 VP"],
        [],
    ),
    # A third reading, by a player who knows the rules roughly.
    "sixteen_thirty-exchange-wanted violet": (
        [
            "gives Poland; wants German Princes 3, Denmark 3 and German Princes 1",
            "Votes at your counters (status): Netherlands (2): you 3, Amber 2; England (1): Green 2",
            "Your cards: Netherlands 1, Denmark 3",
        ],
        ["left vague"],
    ),
    "sixteen_thirty-ballot-lose black": (["lose=netherlands-1 (for red, if outvoted losing Netherlands 1)"], []),
    "sixteen_thirty-special-double violet": (["Netherlands (double): 2, 0; England: 1, 0"], ["each scores"]),
    "sixteen_thirty-call-hand amber": (["Hapsburg Empire (blue): counter", "you 0–7 (1+3+3)", "you 5–8 (3)"], []),
    "imperial_struggle-act-jacobites france": (
        ["rising (Jacobites: 3 MP for VP", "clear (remove a Conflict marker"],
        [],
    ),
    "virgin_queen-spring-waits protestant": (["Conde at La Rochelle, William of Orange: waits"], []),
    "virgin_queen-winter-ports spain": (["Ships at Marseille, 3: to Barcelona, unless ordered to Genoa"], []),
    "virgin_queen-achievement-points spain": (["No bonus: 2 VP; one: 1 VP; two: 0 VP"], ["from no bonus"]),
    "virgin_queen-zone-patrol spain": (["A Spanish patrol is placed there"], ["attack a colony"]),
    "imperial_struggle-act-spent france": (
        ["No points left", "central-europe – a new basic War", "free, now strength 0 with a Debt symbol"],
        [],
    ),
    "crown_of_roses-garrison-told lancaster": (["lord_buckingham – Duke of"], ["More about it"]),
    "virgin_queen-settlement spain": (["A fortress, or an attack on a colony, there"], ["patrol overseas"]),
    "crown_of_roses-deserting-same lancaster": (
        ["henry_vi henry_vi lord_shrewsbury – then", "eliminated: Henry VI"],
        ["lord_shrewsbury henry_vi"],
    ),
    "crown_of_roses-recall-alike buckingham": (
        ["lord_oxford-ip1=5 (take back 5 × Earl of Oxford 1 IP)", "take back 5 × Earl of Shrewsbury 1 IP"],
        ["take back markers"],
    ),
    "crown_of_roses-disorder-change york": (["pay 1 × 1 IP for steps: Duke of Norfolk"], ["1 IP 1"]),
    "virgin_queen-jettison england": (["cp5 (treasure of 5 CP), cp1 (treasure of 1 CP)"], ["CP: 5 CP"]),
    # Found by reading screens: each fact stands in the email too.
    "virgin_queen-peace-offer england": (
        ["You offer that power peace; a refusal costs nothing"],
        ["new Ottoman ruler"],
    ),
    "virgin_queen-colony protestant": (["treasure 28%, colony lost 17%; captains can winter there"], []),
    "virgin_queen-convert-major spain": (["11 spaces; keys: Amsterdam"], ["against it: Amsterdam"]),
    "virgin_queen-avoid-port france": (["rouen – 28%"], ["avoid France English"]),
    "imperial_struggle-act-hanbury britain": (["flags in Prussia, Germany, Russia go a point cheaper"], []),
    "imperial_struggle-act-pitt britain": (["pitt – Pitt: a Diplomatic point, not for Prestige"], []),
    "imperial_struggle-tile-hanbury britain": (
        ["hanbury (Hanbury Williams: cheaper removals)", "Salon d'Hercule: Debt 1 for France"],
        ["Debt for France"],
    ),
    "imperial_struggle-act-military france": (
        ["deploy (1+)", "rise scotland-prestige – Scotland (Prestige), with Military points: cost 3"],
        [],
    ),
    "crown_of_roses-desertions york": (["They lose 1–3 steps by a die", "Stafford 2, Flint 2; Lancaster:"], []),
    "crown_of_roses-plot-uncovered york": (["loses 2 steps; an heir", "Dorset 2, Pembroke 3, Scotland (exile) 1"], []),
    # A fourth reading: who the reader is, how several are written, and what the answers leave out.
    "crown_of_roses-plan-attacked york": (
        ["Buckingham attacks you in Wiltshire", "withdraw if they let you: or else you fight"],
        ["attacks York", "only if they let you"],
    ),
    "crown_of_roses-swap-theirs buckingham": (["Viscount Beaumont: base 2, roses Lancaster 2, markers York 4"], []),
    "crown_of_roses-plan-six york": (
        [
            "Where do 6 nobles winter",
            "Duke of York: Shropshire 2*, Northampton 2*; Earl of March: Shropshire 2*",
            "place lord_york shropshire; keep cards=",
        ],
        [],
    ),
    "crown_of_roses-reinforce-guests lancaster": (
        ["blocks=none – Earl of Salisbury: Earl of Salisbury 3, Calais block 3"],
        [],
    ),
    "virgin_queen-convert-calm spain": (["calm=1 – remove unrest: 1", "now=none – keep the dice"], []),
    "virgin_queen-walloons spain": (
        ["Walloon regulars come", "brielle=1 – unfortified, empty", "utrecht=1 – the same"],
        [],
    ),
    "virgin_queen-expedition-colony ottoman": (["Indian Ocean, with a colony)"], ["colonyyes"]),
    "sixteen_thirty-ballot-own amber": (
        ["Vote in Sweden, called by you", "Outvoted, your pile becomes inferior"],
        ["by Amber"],
    ),
    "sixteen_thirty-partner-best ivory": (["black – in your countries: Netherlands 11"], []),
    "crown_of_roses-supporters-seven lancaster": (["Lord Roos: base 2", "lord_shrewsbury"], ["later"]),
    "virgin_queen-muster-number spain": (["mercenaries=N – N: 1–4"], ["MERCENARIES"]),
    "sixteen_thirty-call-change amber": (
        ["poland war sweden – wins 60%", "german_princes war sweden – the same"],
        ["chances"],
    ),
    # A fifth reading.
    "crown_of_roses-reroll-blocks buckingham": (
        [
            "attached blocks included: Viscount Beaumont 1, Duke of Buckingham 2",
            "with King's block, 2 hits now, 2.5 on",
        ],
        ["new dice bring"],
    ),
    "crown_of_roses-supporters-six lancaster": (
        ["Lord Stanley: base 3, you 1 (3 IP). · Earl of Oxford: base 3, Buckingham 5", "serves Buckingham, York 2"],
        ["roses you"],
    ),
    "crown_of_roses-plan-stuck york": (["Ways out: none", "no way out: you fight"], ["or else"]),
    "crown_of_roses-disorder-zeros york": (
        ["3 IP (markers 3 and 0)", "markers=none blocks=none – nothing"],
        ["markers=ip3=1"],
    ),
    "virgin_queen-impulse-wars spain": (["You are at war with the Ottoman Empire, England, France"], []),
    "virgin_queen-vote-wars england": (["You are at war with Spain and France", "VP: Spain 17, France 15"], []),
    "virgin_queen-leader-wars england": (["You are at war with Spain, France and", "VP: Spain 17"], ["Spain, command"]),
    "virgin_queen-abjuration-war ottoman": (
        ["You are at war with Spain", "VP: Spain 21", "yes – alliance (at war already), 2 regulars there"],
        ["war with Spain, men"],
    ),
    "virgin_queen-send-men england": (
        ["regulars haarlem – 2 regulars", "mercenaries alkmaar – the same"],
        ["left to place"],
    ),
    "virgin_queen-berth-lent england": (["that you lend from Bristol"], []),
    "virgin_queen-knights-zone spain": (["2 dice; the Ottoman Empire rolls 2 first"], ["2 of the Ottoman"]),
    "virgin_queen-reward-escort protestant": (["a galleon of the escort: Spain loses it"], ["lost to"]),
    # A fifth reading, of rare kinds of question too.
    "sixteen_thirty-special-status green": (
        ["Spain: 5, 0; Netherlands: 2, 0; Hapsburg Empire: 5, 7", "status 5, then 6, you score 1 more a turn"],
        [],
    ),
    "sixteen_thirty-call-rearm pink": (["denmark rearm", "no war (no army)"], []),
    "sixteen_thirty-ballot-sides black": (["Your counters: Spain (red), Netherlands (neutral), Poland (red)"], []),
    "imperial_struggle-conquer-territory britain": (
        ["take pondicherry – Territory, 2 VP at the end, refusing costs them 3 VP"],
        [],
    ),
    "imperial_struggle-score-cotton britain": (["yours:theirs 1:2, France gains 2 VP+1 TRP"], []),
    # A sixth reading.
    "sixteen_thirty-special-notes black": (
        [
            "vote denmark war france – votes Green 5, you 3; wins 23%",
            "assassin amber denmark-2 – Amber loses 4 votes in Denmark, 0 left",
        ],
        ["Your cards", "Most votes"],
    ),
    "imperial_struggle-overrun-tiles france": (["Broglie: Bonus tile +1, Third Carnatic War"], []),
    # A sixth reading of Virgin Queen.
    "virgin_queen-impulse-many ottoman": (
        ["event homeland-uprising – unrest in occupied", "cp grand-vizier – 5 CP", "cp (akinji-raiders, menendez"],
        ["CP buy"],
    ),
    "virgin_queen-declare-treasures spain": (
        ["Hanseatic Grain 2; 1 × treasure of 4 CP", "Their VP (keys, units): France 22 (6, 26)"],
        ["treasure of 4 CP, 4", "22/6"],
    ),
    "virgin_queen-spring-home england": (
        ["You keep one home card: The Virgin Queen or Walsingham", "home_card=walsingham – espionage", "to=bristol"],
        ["Or:"],
    ),
    "virgin_queen-retreat-sea hre": (["aegean_sea – enemy ships near: Ottoman Empire 8"], ["enemies in"]),
    "virgin_queen-intercept-when spain": (["intercept madrid units=regulars=4 – 28%, regulars 4 against 2"], ["when="]),
    "virgin_queen-jesuit spain": (["york – Catholic, key; next to it"], ["of England"]),
    "virgin_queen-campaign-halves hre": (["regulars (Graz) 3, Zrinyi"], ["Graz/regulars"]),
    "virgin_queen-league-faith spain": (["boulogne – of the Protestants, Protestant"], []),
    # A seventh reading of Virgin Queen: what a war meets, how many go, and what lies next to a place.
    "virgin_queen-action-lines france": (
        ["Your units:enemies near: Metz 2:2, Dijon 0:1, Paris 3:0"],
        ["Enemy units next to"],
    ),
    "virgin_queen-unrest-beside spain": (
        ["shrewsbury – of England, fortress, next to it 3 Protestant", "lincoln – of England, next to it 1 Protestant"],
        [],
    ),
    "virgin_queen-venice-war ottoman": (
        ["Venice, units: Venice 2, Corfu 1", "near by: 0 units, 9 ships", "influence there ends, others may intervene"],
        [],
    ),
    "virgin_queen-elizabeth-weds england": (
        ["Elizabeth unmarried: 2 VP so far, 3 more possible", "wed 58% (with VP 8%), one dies 17%"],
        ["without 50%"],
    ),
    "virgin_queen-minor-wars ottoman": (["keys (units): Papacy 2:1 (1), Venice 2:1 (6); ends your influence"], []),
    "virgin_queen-convert-two protestant": (["held=amsterdam free=", "held=none free="], []),
    "virgin_queen-spring-captains england": (
        [
            "Captains to place, battle (piracy): Hawkins 1 (1)",
            'captains="hawkins london"',
            "to=berwick – unfortified, empty",
        ],
        ["new leaders"],
    ),
    "virgin_queen-city-states spain": (["event city-state-rebels – may free Metz"], ["Tunis", "yours"]),
    # A sixth reading, of Crown of Roses: nothing is listed without what it means.
    "crown_of_roses-march-roads warwick": (
        [
            "Roads: MP:value, * if loyal (enemies there+near): Worcester 1 1/2:1*, Warwickshire 1 1/2:2* (0+1)",
            "go warwickshire – go to Warwickshire",
            "2 MP left",
        ],
        [],
    ),
    "crown_of_roses-use-stacks lancaster": (
        ["The Queen enters play", "3 OPS. Your stacks: steps (enemies near): London 9 (1), Northumberland 6"],
        ["change 0"],
    ),
    "crown_of_roses-command-eleven warwick": (
        [
            "kingmaker – 3 OPS, IP, then influence",
            "conyers – 1 OPS, an uprising in a shire england_for_the_english – 1 OPS, surprise",
        ],
        [],
    ),
    "crown_of_roses-charge-three york": (
        ["office_chancellor – Duke of York charges Chancellor's block: 58% to fell it, else 0.3 back"],
        [],
    ),
}
"""Moment and seat → what its email says, and what not."""


READ_IN_JAPANESE: dict[str, tuple[list[str], list[str]]] = {
    "sixteen_thirty-exchange-hand-ja ivory": (
        ["求めるものは不穏、フランス 2、イングランド 1", "得点国（国威）の票：ドイツ諸侯（5）"],
        [],
    ),
    "sixteen_thirty-call-card green": (["フランス（赤）：カウンター国威 5、あなた 0–5 (2+3)"], []),
    "sixteen_thirty-display-same green": (["ほかの手札：デンマーク 1", "スペイン（複数） 5"], ["denmark-1 spain-3"]),
    "sixteen_thirty-ballot-ways amber": (
        ["変えられるもの：enter（票：red (赤)またはblue (青)、場所）"],
        ["場所を置いて"],
    ),
    "crown_of_roses-desperate-markers buckingham": (["ウェストモーランド伯の1IP×1を戻し"], ["伯 1 1"]),
    "crown_of_roses-disorder-poor warwick": (["markers=none blocks=none – 何もしない"], ["change="]),
    "imperial_struggle-ministry-five britain": (
        [
            "手札のキーワード：重商主義 1、統治 1、財政 1",
            "bank-of-england – イングランド銀行：財政、負債限度を毎回+1",
            "edmond-halley – エドモンド・ハレー：学術",
        ],
        [],
    ),
    "imperial_struggle-act-prices france": (["アン女王戦争：+1、1:0", "コスト1、+2VP、+2TRP、毛皮 1:2→2:2"], []),
    "virgin_queen-puritans-unrest spain": (["選んだイギリスのスペースに不穏を置く"], ["プロテスタントの改宗"]),
    "virgin_queen-muster-most spain": (
        ["leader=alva mercenaries=4 – ミラノへ：アルバ公、傭兵4個", "leader=alva – ミラノへ：アルバ公"],
        ["リーダー mercenaries"],
    ),
    "crown_of_roses-command-five lancaster": (
        ["3OPS、同盟：戦闘ダイス", "2OPS、同盟：戦闘ダイス", "2OPS、海峡の襲撃"],
        [],
    ),
    "crown_of_roses-way-five buckingham": (
        ["ハンティンドン 1* (2)、ベッドフォード 1 (1)", "norfolk – ノーフォーク：フェンズで損耗"],
        ["ケンブリッジ 2"],
    ),
    "crown_of_roses-swap-given lancaster": (["· サマセット公：基準値4", "· ウスター伯：基準値3"], []),
    "crown_of_roses-supporters-later york": (["lord_essex – エセックス伯：ほかの貴族は後で選ぶ"], []),
    "virgin_queen-gift-ways france": (
        ["give treachery ottoman", "変えられるもの：give（カード、行き先）"],
        ["give カード"],
    ),
    "virgin_queen-peace-offer england": (["この勢力に講和を申し出る。断られても何も失わない"], ["統治者"]),
    "imperial_struggle-act-pitt britain": (["pitt – 大ピット：外交1ポイント（威信スペースを除く）"], []),
    "crown_of_roses-plot-uncovered york": (["2ステップを失う。継承者は無事", "ペンブルック 3"], []),
    "sixteen_thirty-ballot-own amber": (["あなたがスウェーデンの議決を召集しました"], ["琥珀が"]),
    "crown_of_roses-disorder-full york": (["markers=none blocks=none – 何もしない"], ["markers=ip1=1"]),
    "crown_of_roses-bid-zeros lancaster": (["ランカスター家に0IP×1（保持者は後で）"], ["bid york"]),
    "imperial_struggle-tile-names france": (["take（外交3／軍事2、経済4／軍事2"], ["take（取る"]),
    "virgin_queen-convert-calm spain": (["calm=1 – 不穏を除く：1"], []),
    "imperial_struggle-usa-flags france": (["northern-colonies – 北部植民地：イギリスの支配"], []),
    "virgin_queen-campaign-halves hre": (["グラーツの正規兵 3"], ["グラーツ/"]),
    "virgin_queen-declare-treasures spain": (["財宝（4CP）×1"], ["財宝（4CP）×4"]),
    "virgin_queen-action-lines france": (["味方:隣の敵：メッツ 2:2"], []),
    "virgin_queen-minor-wars ottoman": (
        ["ローマ教皇 2:1 (1)、ベニス 2:1 (6)。影響力を失い、介入される"],
        ["宣戦布告する"],
    ),
    "virgin_queen-impulse-many ottoman": (["大宰相（CP）"], []),
    "crown_of_roses-plan-six york": (["ヨーク公：シュロップシャー 2*"], []),
    "crown_of_roses-supporters-seven lancaster": (["ソールズベリー伯：基準4", "シュルーズベリー伯"], ["後で選ぶ"]),
    "crown_of_roses-intercept-two buckingham": (["1ブロックでベッドフォード", "相手2個に"], ["相手1個に"]),
    "crown_of_roses-estate-seven york": (["シュロップシャー 2* (0+4)、ヘレフォード 1* (0+3)"], ["誰もいない"]),
    "crown_of_roses-command-nine buckingham": (
        ["人員不足：2OPS、召集不可 weight_of_opinion – 有力な意見：2OPS、マーカーを戻させる"],
        [],
    ),
}
"""The same in Japanese."""


def question_at(
    moment: str, seat: str, folder: Path, address: str = "", language: str = "en"
) -> tuple[ShortEmail, Catalogue]:
    """Return the question email of a packed moment, and its messages."""
    path = folder / f"{moment}.toml"
    path.write_bytes(lzma.decompress((MOMENTS / f"{moment}.toml.xz").read_bytes()))
    session = Session.open(path, games.load)
    for info in session.save.seats:
        info.language = language
    reader = reader_of(session, next(info for info in session.save.seats if info.id == seat))
    return question_of(session, reader, address), reader.say


@pytest.mark.parametrize(
    ("language", "row"), [*(("en", row) for row in READ), *(("ja", row) for row in READ_IN_JAPANESE)]
)
def test_a_stranger_finds_what_the_choice_turns_on(language: str, row: str, tmp_path: Path) -> None:
    moment, seat = row.split()
    text = text_of(*question_at(moment, seat, tmp_path, language=language), most=MOST)
    says, hides = (READ if language == "en" else READ_IN_JAPANESE)[row]
    assert lacking(text, says) == []
    assert [words for words in hides if bare(words) in bare(text)] == []
    assert words_in(text) <= (140 if "? then " in text or "その後" in text else 130)  # with the line of the next step


def test_a_list_of_cards_is_broken_at_its_commas(tmp_path: Path) -> None:
    text = text_of(*question_at("sixteen_thirty-ballot-list", "amber", tmp_path))
    assert "/  enter red place=german_princes-2,\n  german_princes-3, enter blue" in text


@pytest.mark.parametrize(
    ("moment", "seat", "face"),
    [
        ("sixteen_thirty-remove-open", "green", "Open 2 (Sweden)"),
        ("sixteen_thirty-exchange-offer", "green", "Take back your offer to Black"),
        ("imperial_struggle-act-advantage", "britain", "Letters of Marque in Port de Paix"),
        ("crown_of_roses-respond", "lancaster", "Writ for Duke of Somerset, paid with"),
        ("virgin_queen-achievement", "spain", "Telescope"),
        ("virgin_queen-road", "spain", "March to Ostend: regulars 5, mercenaries 5"),
    ],
)
def test_the_likeliest_answers_are_buttons_worded_as_acts(moment: str, seat: str, face: str, tmp_path: Path) -> None:
    page = body_of(*question_at(moment, seat, tmp_path, "gm@games.example"))
    assert face in " ".join(re.findall(r"<a [^>]*>(.*?)</a>", unescape(page), re.DOTALL))


@pytest.mark.parametrize(
    ("moment", "seat", "face", "note"),
    [
        (
            "crown_of_roses-action-stacks",
            "york",
            "March from Essex: Earl of Essex",
            "steps 3 (2B), next to it Lancaster 3",
        ),
        ("crown_of_roses-action-stacks", "york", "Play False Friends Richard", ""),
        ("crown_of_roses-winter-cards", "york", "Duke of York to Shropshire, keep", ""),
        ("virgin_queen-gift-cards", "spain", "Catherine's Flying Squadron to Protestants", "3 CP, cancels the event"),
        ("virgin_queen-convert-france", "england", "Rouen", "Key, units: France 4"),
        ("virgin_queen-convert-france", "england", "Lyon", "Key"),
        ("virgin_queen-moriscos", "england", "Cordoba and Madrid", "Of Spain, key Madrid"),
        ("virgin_queen-spring-leaders", "protestant", "Louis of Nassau at Haarlem, Father William", "William with an"),
        ("imperial_struggle-act-notes", "france", "Algonquin Raids in Hudson Valley", "Furs 3:1→3:0"),
        ("imperial_struggle-tile-events", "britain", "Economic 4 / Military 2", "No Event"),
        ("sixteen_thirty-special-notes", "black", "Unrest in Denmark", "Hits Green 5"),
    ],
)
def test_a_button_says_what_the_answer_turns_on(moment: str, seat: str, face: str, note: str, tmp_path: Path) -> None:
    page = body_of(*question_at(moment, seat, tmp_path, "gm@games.example"))
    buttons = re.findall(r"<a [^>]*>(.*?)</a>", unescape(page), re.DOTALL)
    assert [button for button in buttons if face in button and note in button]


@pytest.mark.parametrize(("language", "colon"), [("en", "(enemies near): "), ("ja", "（近くの敵）：")])
@pytest.mark.parametrize(("moment", "seat"), [("retreat-five", "buckingham"), ("evade-five", "york")])
def test_a_fact_says_of_each_of_many_ways_out_who_is_near(
    moment: str, seat: str, language: str, colon: str, tmp_path: Path
) -> None:
    page = body_of(*question_at(f"crown_of_roses-{moment}", seat, tmp_path, "gm@games.example", language))
    ways = re.sub(r"<[^>]+>", "", unescape(page)).partition(colon)[2]
    assert re.match(r"([^ ,、]+( [A-Z]\w+)* \d\*?( \(\d\))?[,、] ?){4}", ways), ways[:99]


def test_the_page_of_a_tile_says_what_the_events_in_hand_do(tmp_path: Path) -> None:
    page = body_of(*question_at("imperial_struggle-tile-events", "britain", tmp_path, "gm@games.example"))
    said = re.sub(r"<[^>]+>", " ", unescape(page))
    assert (
        lacking(
            said,
            ["Great Northern War: Military, shifts a German State", "Interest Payments: Economic, their Debt Limit -1"],
        )
        == []
    )


def test_only_royals_who_could_wed_are_told_in_a_negotiation_the_best_of_others(tmp_path: Path) -> None:
    email, _ = question_at("virgin_queen-negotiation-weddings", "england", tmp_path)
    told = " ".join([*email.asked.decision.facts, *email.asked.decision.more])
    assert lacking(told, ["Your royals that could wed, eligibility: Lord Darnley 0", "Margaret of Valois 3"]) == []
    assert "Charles IX" not in told
    text = text_of(*question_at("virgin_queen-negotiation-weddings", "england", tmp_path, language="ja"))
    assert bare("withdraw（撤回）") in bare(text)  # it isn't the retreat into a fortress


@pytest.mark.parametrize(
    ("fact", "heading"),
    [
        ("Votes in Poland: Green 3, you 2.", "Votes in Poland: "),
        ("In demand (yours:theirs): Spice: 2:0, 2 VP.", "In demand (yours:theirs): "),
        ("需要（自分：相手）：香辛料：2:0、2 VP。", "需要（自分：相手）："),
        ("票（自分は置ける上限まで）：フランス：あなた 8。", ""),
        ("No colon.", ""),
    ],
)
def test_the_heading_of_a_fact_ends_outside_brackets(fact: str, heading: str) -> None:
    assert _labelled(fact) == (heading, fact.removeprefix(heading))
