"""Emails at random moments that somebody read who knew the rulebooks only: what they lacked, or found unclear.

Each moment is a packed save in `moments/`; its email says these things, and doesn't say those that misled.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

import games
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import question_of
from pbem.report.merge_lines import words_in
from pbem.report.short_email import text_of
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
        ["Other cards: England 3", "Special cards: Increase Army Size, Assassin", "you give GIVE for WANTS"],
        [],
    ),
    "imperial_struggle-shift france": (["Europe 7:7→8:7, +1 TRP", "Europe 7:7→7:6, +1 TRP"], []),
    "imperial_struggle-free-advantage france": (["algonquin-raids – Conflict marker, Furs"], ["; you"]),
    "crown_of_roses-evade york": (
        ["your blocks: Duke of York 4 (1R2B), King's block 3 (3R)", "Or: pass (no evasion)"],
        [],
    ),
    "crown_of_roses-respond lancaster": (
        ["writ CARD nobles=NOBLES – writ for NOBLES, paid with CARD", "answer lord_ormond – Lord Ormond goes: 69%"],
        ["Or begin with", "could send"],
    ),
    "virgin_queen-cargo spain": (
        ["cp3 – treasure of 3 CP: 1 in the row", "cp1 – treasure of 1 CP: 2 in the row", "of France: Strozzi."],
        ["Strozzi France"],
    ),
    "virgin_queen-negotiation spain": (
        ["peace with the Ottoman Empire", "propose PARTNER of=CLAUSES – CLAUSES with PARTNER"],
        ["Or begin with", "LEND"],
    ),
    "virgin_queen-confirm spain": (["gift; you give 1 random card."], ["exchange"]),
    "virgin_queen-sea-avoid spain": (["You have in Bay of Biscay: galleon 1", "galleon 1."], ["Venier"]),
    "virgin_queen-jettison england": (["cp5 (treasure of 5 CP), cp1 (treasure of 1 CP)"], ["CP: 5 CP"]),
}
"""Moment and seat → what its email says, and what not."""


@pytest.mark.parametrize("row", READ)
def test_a_stranger_finds_what_the_choice_turns_on(row: str, tmp_path: Path) -> None:
    moment, seat = row.split()
    path = tmp_path / f"{moment}.toml"
    path.write_bytes(lzma.decompress((MOMENTS / f"{moment}.toml.xz").read_bytes()))
    session = Session.open(path, games.load)
    for info in session.save.seats:
        info.language = "en"
    reader = reader_of(session, next(info for info in session.save.seats if info.id == seat))
    text = text_of(question_of(session, reader, ""), reader.say)
    says, hides = READ[row]
    assert lacking(text, says) == []
    assert [words for words in hides if bare(words) in bare(text)] == []
    assert words_in(text) <= 130
