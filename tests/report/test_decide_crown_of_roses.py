"""Emails of Crown of Roses at moments that could not be decided from them: they say what the choice turns on.

A moment is a save in `moments/` (packed if it is long), or one of `saves/`. Numbers and names are tested, not the
wording: each pattern must be found in the email as its reader sees it, text and page together.
"""

from __future__ import annotations

import html
import lzma
import re
from pathlib import Path
from random import Random

import pytest

import games
from games.crown_of_roses import GAME
from games.crown_of_roses.realm.lodging import waiting
from games.crown_of_roses.realm.winter import free
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import question_of
from pbem.report.short_email import text_of
from pbem.report.short_email_html import page_of
from pbem.save.session import Session

HERE = Path(__file__).parent / "moments"
SAVES = Path(__file__).parents[2] / "saves"

ENGLISH: dict[int, tuple[str, list[str]]] = {
    31: ("york", [
        *(f"{name}\\W+3 OPS" for name in ("Dacre", "Gruuthuse", "Gloucester", "March", "Rebellion")),
        "French Raid\\W+2 OPS", "secret_plots – 2 OPS, surprise",
        *(f"2 OPS[^0-9]*{name}" for name in ("devereux", "heir_clarence", "heir_rutland")),
        "dacre – 3 OPS, ally", "3 OPS, steps at York or March", "winter_of_discontent – 1 OPS",
    ]),
    32: ("lancaster", ["1 OPS", "ally", "discarded for: combat dice, votes or IP"]),
    33: ("buckingham", [
        "2 OPS", r"Duke of Buckingham, Earl of Shrewsbury\W+1 OPS", "Stafford 9 \\(3\\)",
        r"Lord Audley\W+1 OPS", "8 IP", "Earl of Stafford 4", "influence Earl of",
        "from Stafford", "from Somerset",
    ]),
    34: ("warwick", [
        "4 MP left", *(f"{place}\\W+2 MP" for place in ("Surrey", "Kent")), "Hampshire\\W+1 MP",
    ]),
    35: ("lancaster", [
        "Duke of Somerset 3", "33%", "Ormond 2", "17%", "blocks: 1", "London keeps [^.]*Ormond 2",
        "London keeps [^.]*Somerset 3",
    ]),
    36: ("warwick", [
        "Earl of Worcester 2", "17%", "York 2", r"Hereford 1 \(4\), Warwickshire 2\* \(5\)",
    ]),
    37: ("york", [
        r"Duke of York 4 \(1R2B\)", r"Ireland block 3 \(2B\)", "Buckingham: 2 blocks", "if they let you",
        "full force, no charge, retreat when weaker", "retreat=never", "your heir charges theirs",
    ]),
    38: ("york", ["1R4B", "1R2B", "in reserve: Ireland block"]),
    39: ("warwick", [
        r"Earl of Salisbury 3 \(3B\)", r"King's block 2 \(2R\)", "heirs[^.]*Salisbury",
        r"then King's block 1 \(1R\)", r"then Earl of Salisbury 2 \(2B\)",
    ]),
    40: ("york", [
        r"Earl of Essex 1 \(1G\)", r"Somerset 2 \(2B\), Henry VI 2 \(2G\)", "yours 0.2, theirs 1.0",
        "London 4", "nobody can pursue",
    ]),
    41: ("york", [
        r"Earl of March 2 \(1R\), Duke of Norfolk 1 \(1B\)", r"Earl of Salisbury 3 \(3B\)", "the fight goes on",
        "your last card", "3-OPS",
    ]),
    42: ("york", [
        r"Duke of York 4 \(1R2B\)", r"Duke of Buckingham 4 \(3B\)", r"Shrewsbury 3 \(2B1G\)",
        r"Chancellor's block 2 \(2G\)", "58%", "killed with 33%", "else 0.3 back",
    ]),
    43: ("buckingham", [
        r"income 2, votes 1, support \+1", "5 IP", "York 1, Lancaster 0, Warwick 0", "offices to come: 6", "Southwick",
        "Shrewsbury",
    ]),
    44: ("buckingham", [
        "York 16, Lancaster 17, you 4, Warwick 16", "York\\W+[\\w\\s]+: 20 votes and King",
        "Lancaster\\W+[\\w\\s]+: 21 votes and King",
        "Warwick\\W+[\\w\\s]+: 20 votes and King", "VP 2", "VP 0",
    ]),
    45: ("warwick", [
        "Earl of Warwick\\W+an heir, title 4", "Earl of Salisbury\\W+an heir, title 3", "Northumberland\\W+title 3",
        "Arundel\\W+title 2", "income 2, votes 1", "Admiral's block",
    ]),
    46: ("lancaster", ["13 IP", "Zeros hide", "Small markers, no zeros", "Large markers, no zeros"]),
    47: ("york", [
        "Lord Hastings with Admiral's block and Calais block", "Leicester[^→]*loyal to you",
        "Calais[^→]*loyal to Warwick", "Nottingham[^→]*loyal to Lancaster", "Hampshire[^→]*next to it Warwick 1",
        "Dorset[^→]*next to it Lancaster 1",
    ]),
    48: ("york", ["Lancaster 14, Warwick 14", "Lancaster 6, Warwick 2", "Lancaster 1, Warwick 2", "is King"]),
    49: ("warwick", [
        *("buckinghamshire", "essex", "stafford", "suffolk", "london", "rutland", "shropshire"),
        "loses 2 steps", "an heir is unaffected", "York 3, Buckingham 3",
    ]),
    50: ("lancaster", [
        "Lancashire[^→]*loyal to you[^→]*York 1", "lincoln", "Northumberland[^→]*loyal to you", "Hertford[^→]*York 1",
    ]),
    51: ("warwick", [
        "Oxford: base 3, roses Lancaster 2[^.]*Lancaster 4", "Lovell: base 2[^.]*you 1, yours worth 0 IP",
        "Shrewsbury: base 3", "Arundel: base 3",
    ]),
    52: ("york", ["3 blocks", "all stay"]),
}  # fmt: skip
"""Row of the list of moments → the seat that is asked, and what its email says."""

JAPANESE: dict[int, list[str]] = {
    31: ["デイカー卿ラヌルフ", "3OPS、同盟"],
    32: ["同盟", "後で捨てて使う：戦闘ダイス、票またはIP"],
    35: ["サマセット公", "33%", "1ブロック"],
    36: ["ウォリックシャー", "17%", "あなたに忠誠"],
    37: ["戦う", "許されれば退く", "相手を行かせる", "ヨーク公4"],
    39: ["ソールズベリー伯3", "王のブロック2"],
    40: ["エセックス伯1", "ロンドン"],
    43: ["収入2、票1、民衆支援\\+1。残る官職6", "5IP"],
    44: ["ヨーク家\\W*\\w+：今の票なら20票で国王", "ランカスター家17"],
    48: ["が国王", "6VP", "ランカスター家14、ウォリック家14"],
}  # fmt: skip


def opened(row: int, folder: Path) -> Session:
    """Open a moment."""
    path = {31: SAVES / "cor-impulse.toml", 42: SAVES / "cor-battle.toml"}.get(row, HERE / f"cor-{row}.toml")
    if not path.exists():
        packed, path = path.with_suffix(".toml.xz"), folder / path.name
        path.write_bytes(lzma.decompress(packed.read_bytes()))
    return Session.open(path, games.load("crown_of_roses"))


def read(row: int, language: str, folder: Path) -> str:
    """Return the email of a moment: its text and its page without line breaks, Japanese without blanks."""
    session = opened(row, folder)
    for info in session.save.seats:
        info.language = language
    seat = next(info for info in session.save.seats if info.id == ENGLISH[row][0])
    reader = reader_of(session, seat)
    brief = question_of(session, reader, "")
    page = html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", " ", page_of(brief, reader.say), flags=re.DOTALL))
    return re.sub(r"\s+", "" if language == "ja" else " ", f"{text_of(brief, reader.say)} {page}")


@pytest.mark.parametrize("row", ENGLISH)
def test_an_email_says_what_the_choice_turns_on(row: int, tmp_path: Path) -> None:
    said = read(row, "en", tmp_path)
    assert [pattern for pattern in ENGLISH[row][1] if not re.search(pattern, said, re.IGNORECASE)] == []


@pytest.mark.parametrize("row", JAPANESE)
def test_a_japanese_email_says_it_with_japanese_names(row: int, tmp_path: Path) -> None:
    said = read(row, "ja", tmp_path)
    assert [pattern for pattern in JAPANESE[row] if not re.search(pattern, said, re.IGNORECASE)] == []


def test_to_place_in_winter_are_only_those_who_can_be_placed_now() -> None:
    referee = Referee.new(GAME, Setup(GAME.slug, GAME.seats_for(2), "7" * 64, "campaign", GAME.with_defaults({})))
    chance, seen = Random(5), 0
    while seen < 3:
        for seat in referee.waiting():
            if referee.pending_to(seat).kind == "winter" and "office" not in referee.pending_to(seat).about:
                facts = [*GAME.evidence["winter"].told(referee.look(seat))]
                named = [fact.args["noble"] for fact in facts if fact.key == "to_place"]
                assert named == free(referee.table, seat)
                assert [[*fact.args["nobles"]] for fact in facts if fact.key == "estates"] == [named] * (len(named) > 1)
                seen += set(named) != set(waiting(referee.table, seat))
        referee.submit(seat, referee.domain(seat).sample(chance.randrange))
