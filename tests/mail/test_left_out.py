"""Imperial Struggle 5.3.2: the receipt for lines sent ahead says what a missing debt= will do, before it does it."""

from __future__ import annotations

from pathlib import Path

import pytest

import games
from pbem.kernel.domains import Menu
from pbem.mail.outbox.email_parts import add_receipt
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email
from pbem.mail.outbox.write import requested_email
from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.report.messages import Catalogue
from pbem.save import Session
from pbem.timestamps import moment, stamp

SAVE = Path(__file__).parents[2] / "saves" / "is-round.toml"
AT = moment("2026-05-01T12:00:00Z")


def receipt(language: str, *lines: str) -> str:
    """What Britain, which is not asked, is told of its lines, on one line."""
    session = Session.open(SAVE, games.load)
    info = session.save.seat("britain")
    info.language, info.seen = language, session.save.header.lines
    info.told.letters = info.told_q = 1
    (block,) = read("\n".join(["BEGIN ORDERS is-round britain", *lines, "END ORDERS"])).blocks
    taken = execute_block(session.referee, block, game="is-round", seat="britain", via="m1", at=stamp(AT))
    assert not taken.refused
    add_receipt(session, taken, "m1", AT)
    letter = compose_email(session, reader_of(session, info), news_for(session, info))
    return " ".join(letter.text.split())


@pytest.mark.parametrize("line", ["shift savoy", "pass", "bold: shift savoy"])
def test_a_line_without_debt_is_told_what_that_means(line):
    assert "Where debt= is left out, missing points become Debt" in receipt("en", line)
    assert "負債、次に条約ポイント" in receipt("ja", line).replace(" ", "")


@pytest.mark.parametrize("line", ["shift savoy debt=0", "take dip4-eco", "end"])
def test_a_line_that_borrows_nothing_is_not(line):
    assert "left out" not in receipt("en", line)


def test_it_is_told_of_orders_that_have_the_field():
    session = Session.open(SAVE, games.load)
    game = session.game
    say = Catalogue(game, session.referee.components, "en", session.referee.names)
    (menu,) = game.likely_next(session.referee.table.private_copy(), "france", "tile").values()
    words = say.text("ahead.debt.of").split()
    assert isinstance(menu, Menu)
    having = [word for word in menu.words if "debt=" in (inner.syntax() if (inner := menu.entry(word)) else "")]
    assert having
    assert set(having) <= set(words)


def test_the_cost_of_a_space_stands_beside_it():
    session = Session.open(SAVE, games.load)
    (block,) = read("BEGIN ORDERS is-round france\ntake dip4-eco\nEND ORDERS").blocks
    execute_block(session.referee, block, game="is-round", seat="france", via="m1", at=stamp(AT))
    info = session.save.seat("france")
    for language, cost in (("en", "savoy [cost 2]"), ("ja", "savoy (サヴォイ)［コスト2］")):
        info.language = language
        told = " ".join(requested_email(session, reader_of(session, info), "help", "").text.split())
        assert cost.replace(" ", "") in told.replace(" ", "")
