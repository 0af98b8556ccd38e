"""Decisions of Imperial Struggle can be taken from the email alone: each moment tells what the choice turns on."""

import pytest

import games
from pbem.kernel.evidence import Look
from pbem.report.answer_faces import sentence
from pbem.report.messages import Catalogue
from pbem.save import Session
from tests.report.decide_email import MOMENTS, email_at, lacking

MUST_SAY = {
    "imperial_struggle-13 france": (
        "keywords: Finance 1, Mercantilism 1, Style 1",
        "the-cardinal-ministers – Governance;",
        "john-law – Finance; Debt -1 each turn, -2 with Scotland",
        "court-of-the-sun-king – Style and Scholarship;",
        "jacobite-uprisings –",
        "new-world-huguenots – Mercantilism;",
    ),
    "imperial_struggle-14 france": (
        "Diplomatic 4 / Military 2, Military 4 / Diplomatic 2, Economic 3 / Diplomatic 2, Military 4 / Economic 2,",
        "Economic 4 / Military 2",
        "you first: first choice of tiles",
        "Britain first: the last word for you",
    ),
    "imperial_struggle-15 britain": (
        "Tobacco: 1:0, 3 VP",
        "Fish: 1:0, 2 VP",
        "Events: War of Jenkins' Ear: Military, your Debt -2; Acts of Union: 1 Diplomatic point",
        "Or no Event: take (mil4-dip",
        "eco3-dip – Economic 3 / Diplomatic 2: Event",
        "Debt left 6",
        "eco4-mil",
        "mil2-dip",
        "dip4-mil",
    ),
    "imperial_struggle-16 britain": (
        "Economic 4, minor Military 2, Debt left 6.",
        "Queen Anne's War: +0, 0:0",
        "shift bahamas-run-west – cost 2, +1 VP, +1 TRP, Caribbean 5:5→6:5",
        "shift georges-bank – cost 2, +1 VP, North America 4:4→5:4",
        "deploy (1), buy (2), shift (2+), squadron (4), fort (4)",
    ),
    "imperial_struggle-17 britain": (
        "Foot Guards: strength +1",
        "spain – +1, other 0:1",
        "queen-annes-war – +0, other 0:0",
        "jacobite-rebellion – -1, other 0:1",
        "central-europe – -1, other 2:1, their Bonus 1",
    ),
    "imperial_struggle-18 france": (
        "massachusetts-bay – +2 VP, Fish 0:1→0:0",
        "georgia – +4 VP, +1 TRP, Tobacco 0:1→0:0",
        "India 3:6→3:5 (won if 2 ahead)",
    ),
    "imperial_struggle-19 france": (
        "old pool – keep old, new to the pool: ",
        "old game – keep old, new out of the game: ",
        "strength -1 with a removal symbol stays",
        "new pool – keep new, old to the pool: strength 0 with a Debt symbol stays",
        "new game – keep new, old out of the game: ",
        "Jacobite Rebellion",
    ),
    "imperial_struggle-20 france": ("2 Conquest Points", "Prestige 1:2→2:2", "take gibraltar – ", "2 points are lost"),
    "imperial_struggle-21 france": (
        "carnatic-war – a Conflict marker per Alliance you have in India; bonus Mercantilism",
        "native-american-alliances – Diplomatic: 2 Economic points for North America; bonus Mercantilism",
        "calico-acts – Economic: removes a Cotton flag; bonus Mercantilism",
        "military-spending-overruns – Military: they lose a Fort, Squadron or tile; bonus more Available Debt",
        "austro-spanish-rivalry",
        "great-northern-war",
    ),
    "imperial_struggle-22 britain": ("Europe 4:6→4:5", "VP 8; at 30 France wins, at 0 you win", "remove none"),
    "imperial_struggle-23 france": (
        "VP 31; at 30 you win, at 0 Britain wins",
        "Keep Pondicherry for 3 VP?",
        "refuse – keep it: VP then 28",
        "VP stays 31",
        "India, yours:theirs: 8:9",
        "costs 5 VP",
    ),
    "imperial_struggle-24 france": (
        "VP 3; at 30 you win, at 0 Britain wins",
        "refuse – keep it: VP then 0",
        "North America, yours:theirs: 6:12",
    ),
    "imperial_struggle-25 france": (
        "arcot – Fort of Britain, in Third Carnatic War",
        "vandavasi – Fort of Britain, in Third Carnatic War",
        "malabar-coast – Squadron of Britain, in Third Carnatic War",
    ),
    "imperial_struggle-26 britain": (
        "Byng adds 2",
        "king-georges-war – +1",
        "first-carnatic-war – +2",
        "their Bonus 1",
    ),
    "imperial_struggle-27 france": ("Unprotected flags of Britain: Cotton: Midnapore", "India 9:3→9:2"),
    "imperial_struggle-28 britain": ("cotton – 3:2, 2 VP+1 TRP", "no commodity: nothing changes"),
    "imperial_struggle-29 britain": (
        "silesia-negotiations – cheapest removal, Europe",
        "rum – removals cost 1 less, Caribbean",
    ),
    "imperial_struggle-30 france": (
        "can't be conquered",
        "northern-colonies – held by Britain",
        "carolinas – the same",
        "northern-colonies carolinas –",
        "none – no USA flag: nothing changes",
    ),
}
MUST_SAY_IN_JAPANESE = {
    "imperial_struggle-13 france": (
        "ジョン・ロー",
        "枢機卿たち",
        "太陽王の宮廷",
        "ジャコバイト蜂起",
        "新世界のユグノー教徒",
        "手札のキーワード：財政 1",
    ),
    "imperial_struggle-15 britain": ("経済3／外交2", "イヴェント可", "タバコ：1:0、3 VP", "魚：1:0、2 VP"),
    "imperial_struggle-16 britain": ("シフト：コスト2、+1VP、北アメリカ 4:4→5:4", "経済 4", "軍事 2", "負債の余地 6"),
    "imperial_struggle-18 france": (
        "ジョージア",
        "タバコ 0:1→0:0",
        "マサチューセッツ湾",
        "魚 0:1→0:0",
        "インド 3:6→3:5",
    ),
    "imperial_struggle-19 france": (
        "新しいタイルを残し、元のほうはプールへ：戦力0・負債シンボルが残る",
        "新しいタイルを残し、元のほうは除外：",
        "元のタイルを残し、新しいほうはプールへ：",
        "元のタイルを残し、新しいほうは除外：",
        "戦力-1・旗印撤去シンボルが残る",
    ),
    "imperial_struggle-21 france": (
        "カーナティック戦争",
        "大北方戦争",
        "先住民との同盟",
        "キャラコ禁止法",
        "軍事費の超過",
        "墺西対立",
    ),
    "imperial_struggle-23 france": ("VP 31（30で", "VPは28になる", "5VP", "8:9"),
    "imperial_struggle-24 france": ("VP 3（30で", "VPは0になる", "6:12"),
    "imperial_struggle-28 britain": ("綿：3:2、2 VP+1 TRP",),
}


@pytest.mark.parametrize("moment", MUST_SAY)
def test_the_email_says_what_the_decision_turns_on(moment):
    name, seat = moment.split()
    assert lacking(email_at(name, seat, "en"), MUST_SAY[moment]) == []


@pytest.mark.parametrize("moment", MUST_SAY)
def test_the_japanese_email_says_it_too(moment):
    name, seat = moment.split()
    assert lacking(email_at(name, seat, "ja"), MUST_SAY_IN_JAPANESE.get(moment, ())) == []


def test_a_choice_of_points_says_how_many_the_event_gives() -> None:
    referee = Session.open(MOMENTS / "imperial_struggle-16.toml", games.load).referee
    table = referee.table.private_copy()
    means = referee.game.evidence["points_type"].means
    table.state.round.event = "nootka-incident"
    say = Catalogue(referee.game, referee.table.c, "en")
    told = [means(Look(table, "britain", "points_type", {}, {}), kind) for kind in ("diplomatic", "economic")]
    assert [sentence(meaning.follows[0], say) for meaning in told] == ["2 points."] * 2
    assert sentence(told[1].follows[1], say).startswith("Best for ")
    table.state.round.event = "austro-spanish-rivalry"
    fact, *_ = means(Look(table, "france", "points_type", {}, {}), "economic").follows
    assert sentence(fact, say) == "2 points, only for India."


def test_the_spoils_are_all_that_a_theater_pays() -> None:
    referee = Session.open(MOMENTS / "imperial_struggle-17.toml", games.load).referee
    table = referee.table.private_copy()
    table.state.war = "7yw"
    table.state.theaters = {front.id: {"france": [], "britain": []} for front in table.c.wars["7yw"].theaters}
    say = Catalogue(referee.game, referee.table.c, "en")
    means, look = referee.game.evidence["place"].means, Look(table, "britain", "place", {}, {})
    told = {name: sentence(means(look, {"theater": name}).follows[1], say) for name in table.state.theaters}
    assert told["atlantic-dominance"] == "Pays Squadrons lost 2, French & Indian War +2."
    assert told["prussias-wars"].startswith("Pays VP 4, ")
    assert "loser's TRP" in told["prussias-wars"]


def test_a_full_theater_is_offered_with_a_whole_move() -> None:
    table = Session.open(MOMENTS / "imperial_struggle-17.toml", games.load).referee.table.private_copy()
    full, *free = table.state.theaters
    table.state.theaters[full]["britain"] += table.state.sides["britain"].bonus[:2]
    likely = [*games.load("imperial_struggle").evidence["place"].likely(Look(table, "britain", "place", {}, {}))]
    assert likely[0].startswith(f"{full} move=")
    assert likely[0].endswith(f" to={free[0]}")
    assert likely[1:] == free


def test_an_upgrade_names_the_tile_that_it_may_replace() -> None:
    referee = Session.open(MOMENTS / "imperial_struggle-17.toml", games.load).referee
    table, say = referee.table.private_copy(), Catalogue(referee.game, referee.table.c, "en")
    theater, lying = next(iter(table.state.theaters.items()))
    means = referee.game.evidence["act"].means
    (fact,) = means(Look(table, "britain", "act", {}, {}), {"do": "upgrade", "theater": theater}).follows
    own = next(tile for tile in lying["britain"] if tile in table.c.basic)
    assert sentence(fact, say) == "Free, now strength -1 with a removal symbol."
    assert (table.c.war_tiles[own].value, table.c.war_tiles[own].symbol) == (-1, "unflag")
