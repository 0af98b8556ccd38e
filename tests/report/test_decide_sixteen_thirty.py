"""Decisions of 1630 Something can be taken from the email alone: each moment tells what the choice turns on."""

from html import escape
from pathlib import Path
from random import Random

import pytest

import games
from games.sixteen_thirty.evidence import counters
from games.sixteen_thirty.scoring import points
from pbem.dev import synthetic_mail
from pbem.kernel.evidence import Look
from pbem.kernel.referee import Referee
from pbem.mail.bots import set_due
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import build_short_email
from pbem.report.answer_faces import capital
from pbem.report.short_email_html import page_of, tapped
from pbem.save import Session
from tests.report.decide_email import MOMENTS, email_at, lacking

MUST_SAY = {
    "sixteen_thirty-1 violet": (
        "Sweden 2, Spain 5, Poland 2.",
        "Your cards there: Sweden 1, Spain 3, Poland none.",
        "would score 4 a turn",
    ),
    "sixteen_thirty-2 green": (
        "France 3, Spain 5, Denmark 1.",
        "Denmark 1+2+3",
        "Sweden 2+2+3+3",
        "Poland 3",
        "England 2",
        "Amber 10, Black 10, Ivory 10, Pink 10, Violet 10",
        "black – in your countries: Denmark 3",
        "ivory – in your countries: none",
    ),
    "sixteen_thirty-3 green": (
        "England (1): Black 3, you 3; Denmark (1): Ivory 1; German Princes (5): Ivory 3, you 1; Sweden (2): Black 5",
        "accept ivory-green-1 – take Ivory's offer: you give nothing",
    ),
    "sixteen_thirty-4 green": (
        "Denmark: you 4",
        "Netherlands: Amber 5",
        "Sweden: Black 3",
        "0 of 2 played",
        "Military Leader, 2 × Unrest",
        "unrest netherlands – hits Amber 5",
    ),
    "sixteen_thirty-5 green": (
        "You must call a vote",
        "Spain (neutral): counter, status 5, you 0–1",
        "Denmark (neutral): counter, status 1, you 4–10 (1+2+3), Black 3, Pink 1",
        "denmark side – Denmark, choice of side",
    ),
    "sixteen_thirty-6 violet": (
        "Votes in Spain: Green 1.",
        "May lay more: Ivory, Pink, Amber, Black.",
        "Your counter Spain (status 5): 0 points now.",
        "you 3 votes, scoring 3 a turn",
        "stay, face up",
        "pass – no vote",
    ),
    "sixteen_thirty-7 pink": (
        "Poland 11%, Sweden 77%",
        "Votes in Poland: Green 3, Violet 3, you 2.",
        "May lay more: Amber, Black, Green, Ivory.",
        "With Open 2 you have 4 votes.",
        "Your counter Sweden (status 4): 1 point now.",
        "your pile becomes inferior",
        "War, Poland against Sweden?",
    ),
    "sixteen_thirty-8 black": (
        "Votes in France: Green 4, you 3, Amber 1, Ivory 1.",
        "No counter of yours there; status: France 3.",
    ),
    "sixteen_thirty-9 violet": (
        "They score now: Sweden 1, Spain 3.",
        "sweden-1 – votes 1→0 against Green 8, your counter",
        "votes 4→2 against Green 6",
        "votes 1→0 against Ivory 4",
    ),
    "sixteen_thirty-10 green": (
        "France 3, Spain 5, Denmark 1.",
        "France none, Spain none, Denmark 1+2+3.",
        "England 2",
        "German Princes 1+3",
        "Hapsburg Empire 1+2",
        "Poland 3",
        "Sweden 2+2+3+3",
        "Military Leader, 2 × Unrest",
        "england-2 hapsburg_empire-1 german_princes-1",
    ),
    "sixteen_thirty-11 violet": (
        "netherlands-1 – votes 8→7 against Amber 5",
        "netherlands-2 – votes 8→6",
        "netherlands-3 – votes 8→5",
        "No counter of yours",
    ),
    "sixteen_thirty-12 green": (
        "open-2 – votes 3→1 in Denmark against Black 2",
        "denmark-1 – votes 3→0",
        "its Open cards go too",
        "Your counter Denmark (status 1): 1 point now.",
    ),
}
MUST_SAY_IN_JAPANESE = {
    "sixteen_thirty-1 violet": ("スウェーデン 2、スペイン 5、ポーランド 2", "スペイン 3", "ポーランド なし"),
    "sixteen_thirty-3 green": (
        "象牙の提案を受ける",
        "イングランド（1）：黒 3、あなた 3",
        "ドイツ諸侯（5）：象牙 3、あなた 1",
    ),
    "sixteen_thirty-4 green": (
        "デンマーク：あなた 4",
        "オランダ：琥珀 5",
        "スウェーデン：黒 3",
        "軍事指揮官、不穏 2枚",
    ),
    "sixteen_thirty-5 green": (
        "スペイン（中立）：カウンター国威 5、あなた 0–1",
        "デンマーク（中立）：カウンター国威 1、あなた 4–10 (1+2+3)、黒 3、桃 1",
    ),
    "sixteen_thirty-7 pink": (
        "ポーランド11%、スウェーデン77%",
        "緑 3、紫 3、あなた 2",
        "琥珀、黒、緑、象牙",
        "オープン 2で4票",
        "war – 開戦に投票",
        "peace – 平和",
    ),
    "sixteen_thirty-8 black": ("緑 4、あなた 3、琥珀 1、象牙 1", "フランス 3"),
    "sixteen_thirty-9 violet": ("ドイツ諸侯 2", "4票中2票", "緑 6", "スウェーデン 1、スペイン 3", "象牙 4"),
    "sixteen_thirty-10 green": (
        "フランス なし、スペイン なし、デンマーク 1+2+3",
        "スウェーデン 2+2+3+3",
        "ハプスブルク帝国 1+2",
    ),
}


@pytest.mark.parametrize("moment", MUST_SAY)
def test_the_email_says_what_the_decision_turns_on(moment):
    name, seat = moment.split()
    assert lacking(email_at(name, seat, "en"), MUST_SAY[moment]) == []


@pytest.mark.parametrize("moment", MUST_SAY)
def test_the_japanese_email_says_it_too(moment):
    name, seat = moment.split()
    assert lacking(email_at(name, seat, "ja"), MUST_SAY_IN_JAPANESE.get(moment, ())) == []


def test_two_counters_of_a_country_score_twice() -> None:
    referee = Session.open(MOMENTS / "sixteen_thirty-9.toml", games.load).referee
    table = referee.table.private_copy()
    land, worth = next((land, n) for land, n in points(table.state, "violet") if n)
    table.state.players["violet"].counters = [land, land]
    told = counters(Look(table, "violet", "remove", {}, {}))
    assert {fact.key: fact.args for fact in told}["points_now"] == {"points": {land: 2 * worth}}


def kind_of(referee: Referee) -> str:
    return next((referee.pending_to(seat).kind for seat in referee.waiting()), "")


def test_news_on_a_page_leave_room_for_what_its_buttons_mean(tmp_path: Path) -> None:
    session = synthetic_mail.new_game(tmp_path / "sixteen_thirty-4.toml", games.load("sixteen_thirty"), 4)
    chance, displaced = Random(4), list[str]()
    asked = 0

    def special_again(referee: Referee) -> bool:
        return referee.q > asked and kind_of(referee) == "special"

    for _ in range(20):
        asked = session.referee.q
        synthetic_mail.play(session, special_again, chance)
        info = session.save.seat(session.referee.waiting()[0])
        info.language, info.told_q, info.told.letters, info.told.newcomer = "en", 1, 3, False
        set_due(session, synthetic_mail.START)
        reader = reader_of(session, info)
        brief = build_short_email(session, reader, news_for(session, info), "gm@games.example")
        page = page_of(brief, reader.say)
        news = [text for text in brief.new if "lapsed" not in text]
        told = [option.follows[0] for option in tapped(brief)[:3] if option.follows]
        displaced += [note for note in told if news and capital(escape(note)) not in page]
    assert displaced == []


def test_own_counters_and_own_cards_are_told_where_cards_are_laid() -> None:
    session = Session.open(MOMENTS / "sixteen_thirty-4.toml", games.load)
    table = session.referee.table.private_copy()
    player = table.state.players["green"]
    for kind in ("call", "special"):
        look = Look(table, "green", kind, {"played": 0}, {})
        told = {fact.key: fact for fact in session.game.evidence[kind].told(look) if fact.main or fact.spare}
        assert "counters_votes" in told or kind == "call"  # its countries are marked
        assert "hand_all" in told or kind == "special"
    votes = [key for key, word in table.c.special.items() if word == "vote"]  # of one kind: there is space for all
    player.hand = [*(key for key in player.hand if key not in table.c.special), votes[0]]
    main = {fact.key for fact in session.game.evidence["special"].told(look) if fact.main}
    assert main >= {"counters_votes", "hand_all", "played"}
