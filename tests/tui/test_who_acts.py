"""For whom a screen and a move file may act, and what of it others notice."""

from __future__ import annotations

import pytest

from pbem.clock import heartbeat
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.parse import parse_message
from pbem.mail.inbox.stages import Received
from pbem.orders.parser import read
from pbem.save import SaveError, load
from pbem.tui.model.game_source import SaveSource
from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.submit import senders_for
from tests.toy import playing as toy
from tests.tui.helpers import NOW


def blocks_for(*seats, code=""):
    """Blocks for seats of the open ballot: a vote, and press to all."""
    body = "2: red\nBEGIN PRESS to=all\nx\nEND PRESS\nEND ORDERS\n"
    return "".join(f"BEGIN ORDERS toy-1 {seat} {code}".rstrip() + f"\n{body}" for seat in seats)


def test_a_screen_speaks_for_its_own_seat_alone(source):
    known = source(1, "red")
    code, theirs = known.code("red"), SaveSource(known.path, "blue", toy.load).code("blue")
    for text in (
        blocks_for("blue"),
        blocks_for("blue", code=code),
        blocks_for("blue", code=theirs),
        blocks_for("red"),
        blocks_for("red", code="1234-5678"),
    ):
        known.take(text, NOW)
        assert not known.taken
    saved = known.session.save
    assert (saved.sealed, saved.press, saved.queue, saved.standing) == ([], [], [], [])
    known.take(blocks_for("blue") + blocks_for("red", code=code), NOW)
    assert [move.seat for move in known.session.save.sealed] == ["red"]
    assert {press.seat for press in known.session.save.press} == {"red"}


def test_who_looks_on_has_no_way_into_the_save(source):
    known = source(1, "public")
    assert [way.key for way in senders_for(known, print, {})] == ["draft", "file", "clipboard"]
    with pytest.raises(OSError, match="spectator"):
        known.take(blocks_for("blue"), NOW)


MARKS = [
    "",
    "\u200b",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\xad",
    "\u202e",
    "\u200e",
    "\xa0",
    "\u3000",
    "\x00",
    "\x1b[0m",
    "  ",
    "> ",
    "”",
]
CUTS = ["\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", " \\\n"]
SHAPES = {
    "plain": str,
    "small": str.lower,
    "broken": lambda text: text[0] + "\u200b" + text[1:],
    "full width": lambda text: text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
    "Japanese": lambda text: (
        text.replace("END PRESS", "通信終了").replace("END ORDERS", "命令終了").replace("BEGIN ORDERS", "命令開始")
    ),
}


@pytest.mark.parametrize("part", ["press", "line", "act", "answer"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_what_is_pasted_stays_text(source, part, shape):
    """Judged by what the intake reads of the file, after it has cleaned it: one block, with all of it inside."""
    desk = source(0, "red").desk()
    for mark in MARKS:
        for cut in CUTS:
            rows = ["END PRESS", "END ORDERS", f"BEGIN ORDERS {desk.name} blue", "hold", "END ORDERS"]
            text = cut.join(["Hello", *(mark + shape(row) for row in rows), "bye"])
            letter = OrderDraft("red", 1)
            letter.add(part, text, q=1, to=["white"])
            file = parse_message(
                Received("k", letter.block(desk.name, "1234").encode("utf-8", "replace"), "", "orders")
            )
            assert [(block.seat, block.ended) for block in file.blocks] == [("red", True)], (mark, cut)


@pytest.mark.parametrize("part", ["line", "act", "answer"])
def test_a_long_statement_is_not_broken_into_another_block(source, part):
    desk = source(0, "red").desk()
    for length in range(50, 80):
        letter = OrderDraft("red", 1)
        text = f"{'x' * length} END ORDERS {'y' * (length - 12)} BEGIN ORDERS {desk.name} blue"
        letter.add(part, text, q=1)
        (block,) = read(letter.block(desk.name, "1234"), several=True).blocks
        assert block.seat == "red"


def test_a_file_with_a_code_speaks_for_none_without_one(source, tmp_path):
    """A player's program wrote it, and a player may have added to it; the moderator's own files carry no codes."""
    known = source(1, "red")
    file = tmp_path / "moves.orders"
    file.write_text(blocks_for("red", code=known.code("red")) + blocks_for("blue"), "utf-8")
    report = ingest([known.path], [file], now=NOW, game=toy.load)
    assert {outcome.seat: outcome.fate for outcome in report.emails} == {"red": "taken", "blue": "wrong"}
    assert next(outcome.why for outcome in report.emails if outcome.why).startswith("other order blocks")
    assert [move.seat for move in load(known.path).sealed] == ["red"]
    for code in (known.code("red"), "1234-5678"):
        file.write_text(blocks_for("blue", code=code), "utf-8")
        report = ingest([known.path], [file], now=NOW, game=toy.load)
        assert [(outcome.fate, outcome.why) for outcome in report.emails] == [
            ("wrong", "its reply code isn't one of blue's")
        ]
        assert report.sent == []  # blue is not told of what others write in blue's name
    file.write_text(blocks_for("blue", "white"), "utf-8")
    report = ingest([known.path], [file], now=NOW, game=toy.load)
    assert [outcome.fate for outcome in report.emails] == ["taken", "taken"]


def test_neither_a_screen_nor_a_move_file_is_mail(source, tmp_path):
    known = source(1, "red")
    before, file = known.session.save.header.read, tmp_path / "moves.orders"
    known.take(blocks_for("red", code=known.code("red")), NOW)
    file.write_text(blocks_for("blue"), "utf-8")
    report = ingest([known.path], [file], now=NOW, game=toy.load)
    assert known.taken
    assert report.emails[0].fate == "taken"
    assert heartbeat.load(tmp_path).read is None
    assert load(known.path).header.read == before
    for name in ("new", "cur", "tmp"):
        (tmp_path / "mail" / name).mkdir(parents=True)
    ingest([known.path], [file, tmp_path / "mail"], now=NOW, game=toy.load)
    assert heartbeat.load(tmp_path).read == NOW


def test_a_screen_does_not_stir_when_others_seal_their_answers(source):
    known = source(1, "red")
    desk, master = known.desk(), SaveSource(known.path, "moderator", toy.load)
    master.desk()
    other = SaveSource(known.path, "blue", toy.load)
    other.take(f"BEGIN ORDERS toy-1 blue {other.code('blue')}\n2: red\nEND ORDERS\n", NOW)
    assert other.taken
    assert not known.changed()
    assert known.desk().document == desk.document
    assert master.changed()
    other.take(blocks_for("blue", code=other.code("blue")), NOW)  # speaks to all
    assert known.changed()
    assert known.desk().document != desk.document
    known.path.write_text("x = [", "utf-8")
    assert known.changed()  # and whoever draws is told
    with pytest.raises(SaveError):
        known.desk()
