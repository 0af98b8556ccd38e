"""What the emails of Virgin Queen say at moments of war (each a save in `moments/`).

In row 67 the pirate is Spain, and the reader chooses what Spain gets. In row 63 the reader holds two treasures, so one
is left after the other.
"""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from games.virgin_queen import GAME
from games.virgin_queen.state import Siege
from pbem.kernel.evidence import Look
from pbem.orders.reply_form import last_line, short_form
from pbem.report.answer_faces import sentence
from pbem.report.messages import Catalogue
from pbem.report.question_text import asked_of
from pbem.report.short_email import ShortEmail, subject_of, text_of
from pbem.report.short_email_html import page_of
from pbem.save import Session

HERE = Path(__file__).parent / "moments"
DUE = datetime(2026, 5, 4, 12, tzinfo=UTC)

ROWS = {
    "53 ottoman": (
        ["cp grand-vizier – 5 CP, home card", "cp ottoman-tribute – 4 CP", "cp holy-league – 4 CP",
         "cp master-shipwrights – 2 CP", "event master-shipwrights – 2 ships free",
         "Enemy ships around Adriatic Sea: Holy Roman Empire 1, Venice 2"],
        ["大宰相（CP）：5CP", "オスマンの朝貢（CP）：4CP", "神聖同盟（CP）：4CP", "船大工の棟梁（CP）：2CP",
         "海軍ユニット2個をコストなし"],
    ),
    "54 england": (
        ["Your units:enemies near: Berwick 0:3, York 4:0, London 3:0",
         "buy_mercenary berwick number=3 – hire 3 mercenaries at Berwick: 3 CP, unfortified, empty",
         "Or begin with (1 CP): buy_influence, launch_expedition, move",
         "(2 CP): patronize_artist, patronize_scientist"],
        ["ベリックに傭兵3個を雇う：3CP", "ほかの語（1CP）：影響力を買う", "ベリック0:3"],
    ),
    "59 france": (
        ["Paris: regulars 4, mercenaries 2, with Montmorency", "next to Metz: Spain 2; Dijon: Spain 1",
         "origin=paris to=metz", "origin=paris to=dijon", "origin=paris to=toulouse", "none", "wait"],
        ["正規兵4、傭兵2、リーダー：モンモランシー", "メッツ：スペイン2", "パリからメッツへ", "パリからディジョンへ"],
    ),
    "63 ottoman": (
        ["You hold 2 treasures", "play cp3 – treasure of 3 CP: spent for 3 CP more, 1 left",
         "play cp4 – treasure of 4 CP: spent for 4 CP more, 1 left"],
        ["財宝2個", "使って4CP追加、残り1個", "使って3CP追加"],
    ),
    "65 england": (
        ["France in English Channel: galleon 2", "portsmouth – 28%, ships 1 against 2",
         "plymouth – the same", "48%, ships 1–2 against 2", "pass – let them sail"],
        ["ポーツマスからイギリス海峡でイギリスが迎撃：28%", "プリマスからイギリス海峡でイギリスが迎撃：上と同じ",
         "ガレオン2"],
    ),
    "66 france": (
        ["Spain in Gulf of Lyon: galley 1", "You (France) have in Gulf of Lyon: galley 1", "to Marseille: 28%",
         "to Barbary Coast: 28%", "pass – fight"],
        ["マルセイユへ回避：28%", "バルバリー海岸へ回避：28%", "戦う"],
    ),
    "67 ottoman": (
        ["You hold 4 cards, 0 treasures", "Spain 18, you 13", "at random from your 4", "Spain then at 19 VP"],
        ["あなたの4枚からランダムに", "スペインは19VP", "あなた13"],
    ),
    "70 france": (
        ["The Protestants from Boulogne: Huguenot regulars 1", "Calais: regulars 2, mercenaries 2",
         "Calais: yours, fortress", "withdraw – go inside the walls", "no avoiding", "pass – fight: 4 against 1"],
        ["カレー：あなたの支配、要塞", "城塞に退却する", "4対1", "回避はできません"],
    ),
    "71 spain": (
        ["Intercept the Protestants at Antwerp", "Dutch regulars 1, Dutch mercenaries 2", "Antwerp: yours, key, empty",
         "intercept breda – 72%, regulars 1 against 3, led by Duke of Parma, Breda left empty",
         "intercept brussels – 28%, regulars 2 against 3", "pass – let them in"],
        ["ブレダから迎撃：72%", "ブリュッセルから迎撃：28%", "アントワープ：あなたの支配、キー、空", "通す"],
    ),
    "77 hre": (
        ["regulars 5, mercenaries 3", "left: regulars 4, mercenaries 3", "left: regulars 5, mercenaries 2"],
        ["正規兵5、傭兵3", "残り：正規兵4、傭兵3"],
    ),
}  # fmt: skip
"""Row of the moment and seat → what the email says in English, and in Japanese."""


def brief_of(row: str, language: str) -> tuple[ShortEmail, Catalogue]:
    number, seat = row.split()
    referee = Session.open(HERE / f"virgin_queen-{number}.toml", GAME).referee
    say = Catalogue(GAME, referee.components, language, referee.names)
    asked = asked_of(referee, seat, say)
    brief = ShortEmail(name="vq", asked=asked, due=DUE, form_lines=short_form(asked.q, "vq", seat, "3f9c-a1d2"))
    brief.last, brief.legend, brief.to = (last_line("vq", referee.q), say.text("email.legend"), "pbem@games.example")
    return brief, say


def joined(text: str, language: str) -> str:
    """Return text on one line; Japanese has no blanks within."""
    return re.sub(r"\s+", " " if language == "en" else "", text)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("row", ROWS)
def test_the_email_says_what_the_decision_turns_on(row, language):
    brief, say = brief_of(row, language)
    text = f"{subject_of(brief, say)}\n{text_of(brief, say)}"
    assert not say.missing
    assert not re.search(r"<[a-z]|\(\d+\.\d", text)
    said = joined(text, language)
    assert [part for part in ROWS[row][language == "ja"] if joined(part, language) not in said] == []


def test_the_likeliest_acts_are_buttons_of_the_page():
    brief, say = brief_of("54 england", "en")
    page = page_of(brief, say)
    for face in ("hire 3 mercenaries at Berwick", "build a galleon at London", "raise regulars at Berwick"):
        assert face.casefold() in page.casefold()


RARE: dict[str, tuple[str, dict[str, Any], list[Any]]] = {
    "sortie": ("france", {"power": "france", "space": "calais", "units": 2}, ["join", "stay"]),
    "slip_inside": (
        "france",
        {"power": "france", "space": "calais", "units": 2, "room": 1},
        [{"inside": {"regulars": 1}, "to": "boulogne"}],
    ),
    "retreat": (
        "france",
        {"power": "france", "space": "calais", "room": 4},
        [{"inside": {"regulars": 2}}, {"to": "boulogne"}],
    ),
    "fall_back": ("france", {"power": "france", "space": "calais"}, ["boulogne"]),
    "put_to_sea": ("france", {"power": "france", "space": "brest"}, ["bay_of_biscay"]),
    "reiters": ("france", {"power": "france", "space": "calais", "most": 4}, []),
    "keep_treasure": ("spain", {"power": "spain", "zone": "antilles"}, ["cp3-1", "draw-1", "science-1"]),
    "jettison": ("england", {"power": "england", "captain": "hawkins"}, ["cp3-1"]),
    "reroll": ("england", {"power": "england", "captain": "cavendish", "result": "damaged"}, ["keep", "reroll"]),
    "respond_taken": ("france", {"power": "france", "space": "calais", "holder": "england"}, ["sack", "pass"]),
    "respond_flooding": (
        "spain",
        {"power": "protestant", "besieger": "spain", "space": "antwerp"},
        ["siege-engineering"],
    ),
    "respond_assault": ("france", {"power": "spain", "space": "calais", "units": 3}, ["storms"]),
    "respond_dragut": ("spain", {"power": "ottoman", "zone": "ionian_sea", "target": "spain"}, ["dragut-falls"]),
    "captain_home": ("england", {"power": "england", "captain": "hawkins"}, ["home", "roanoke"]),
    "defend": ("france", {"power": "france", "minor": "hre", "on": "ottoman"}, ["no", "yes"]),
    "new_wars": ("france", {"power": "hre"}, [[], ["ottoman"]]),
}
"""Kinds that random games seldom reach: the seat, what the question is about, and answers."""


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", RARE)
def test_rare_questions_have_words_for_what_they_turn_on(kind, language):
    referee = Session.open(HERE / "virgin_queen-70.toml", GAME).referee
    say = Catalogue(GAME, referee.components, language, referee.names)
    seat, about, answers = RARE[kind]
    table = referee.table.private_copy()
    table.state.sieges["calais"] = Siege({"protestant": 1})
    look = Look(table, seat, kind, about, {})
    evidence = GAME.evidence[kind]
    told = [sentence(fact, say) for fact in evidence.told(look)]
    for answer in answers:
        told += [sentence(fact, say) for fact in evidence.means(look, answer).follows]
    assert told
    assert not say.missing
