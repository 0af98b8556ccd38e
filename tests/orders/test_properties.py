"""Whatever is written: nothing raises, and every line is accounted for."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbem.kernel.referee import Referee
from pbem.orders.apply import execute_block
from pbem.orders.offline_check import check
from pbem.orders.parser import read
from pbem.orders.receipt import Receipt
from pbem.orders.syntax_tree import RejectedStatement
from pbem.report.messages import Catalogue
from pbem.report.receipt import receipt_text
from tests.orders.blocks import canonical
from tests.toy.letters import codes, view_file
from tests.toy.playing import GAME, POWERS, start, to_ballot, to_talk

SAY = Catalogue(GAME, names=start().names)

WORDS = [
    *("BEGIN ORDERS toy-1 england 1", "END ORDERS", "BEGIN PRESS to=france", "END PRESS", "> 1: hold", "-- ", ""),
    *("1:", "4: ", "5:", "2: ", "99999999999: x", "action:", "ballot:", "intercept: ", "negotiation:", "bold:", "bold"),
    *(
        "hold",
        "pass",
        "march",
        "vienna",
        "venice",
        "milan",
        "accept",
        "reject",
        "done",
        "propose",
        "withdraw",
        "france",
    ),
    *(
        "regulars=2",
        "price=3",
        "england-france-1",
        "unless",
        "if",
        "until",
        "after",
        "turn 2",
        "turn>=1",
        "a=b",
        ";",
        ",",
    ),
    *("standing intercept:", "standing all: pass", "standing", "cancel standing", "ask all: never", "ask", "stop if"),
    *(";", ",", "resume", "clear", "test", "//", "#", "\\", '"', "“", "？", "：", "パス", "常時", "57", "*", "=", "!="),
]
token = st.one_of(st.sampled_from(WORDS), st.text(max_size=6))
line = st.lists(token, max_size=6).map(" ".join)
letters = st.lists(line, max_size=12)
PLACES = [start, lambda: to_ballot(start()), lambda: to_talk(start())]
often = settings(max_examples=250)


def accounted(receipt: Receipt) -> set[int]:
    lines: tuple[Any, ...] = (*receipt.accepted, *receipt.refused)
    return {line.line for line in lines} | set(receipt.comments)


def statements(block) -> set[int]:
    return {item.line for item in block.items}


@often
@given(st.lists(st.one_of(line, st.text(max_size=80)), max_size=30).map("\n".join))
def test_reading_never_raises_and_loses_no_line(text):
    reading = read(text)
    rows = text.replace("\r\n", "\n")
    for block in reading.blocks:
        covered = {n for item in block.items for n in range(item.line, item.last + 1)}
        assert len(covered) == sum(item.last - item.line + 1 for item in block.items)
        assert all(block.line < n <= block.last for n in covered)
    assert reading == read(rows)


@often
@given(letters)
def test_every_line_of_a_block_is_read_as_something(lines):
    lines = [" ".join(line.splitlines()) for line in lines]
    (first, *_) = read("\n".join(["BEGIN ORDERS toy-1 england c", *lines, "END ORDERS"])).blocks
    if first.ended and first.last == len(lines) + 2:
        inside = {n for item in first.items for n in range(item.line, item.last + 1)}
        assert [line for n, line in enumerate(lines, 2) if n not in inside and says_something(line)] == []


def says_something(text: str) -> bool:
    """Whether a line alone in a block is read as a statement: blank and invisible ones are not."""
    return bool(read(f"BEGIN ORDERS a b c\n{text}\nEND ORDERS").blocks[0].items)


@often
@given(letters)
@example(["BEGIN ORDERS toy-1 england " + 3 * "a code that is far too long "])
@example(["--  \\ \\", "", "-- "])
@example(["0:#"])
def test_canonical_text_is_idempotent(lines):
    for block in read("\n".join(["BEGIN ORDERS toy-1 england c", *lines, "END ORDERS"])).blocks:
        text = canonical(block)
        (again, *_) = read(text).blocks
        assert canonical(again) == text
        assert not any(isinstance(item, RejectedStatement) for item in again.items)


@often
@given(st.integers(0, 2), st.sampled_from(POWERS), letters)
def test_applying_never_raises_and_accounts_for_every_line(place, seat, lines):
    game = PLACES[place]()
    text = "\n".join([f"BEGIN ORDERS toy-1 {seat} {codes(game, seat)[0]}", *lines, "END ORDERS"])
    view = view_file(game, seat)
    for receipt in check(view, text):
        msgspec.json.encode(receipt)
    for block in read(text).blocks:
        before = (game.digest(), game.n)
        receipt = execute_block(game, block, game="toy-1", codes=codes(game, seat), seat=seat, at="t", via="v")
        assert receipt_text(receipt, SAY)
        assert msgspec.json.decode(msgspec.json.encode(receipt), type=Receipt) == receipt
        if receipt.problem is not None:
            assert (game.digest(), game.n) == before
        else:
            assert accounted(receipt) == statements(block)
            assert len(receipt.accepted) + len(receipt.refused) + len(receipt.comments) == len(block.items)
    again = Referee.resume(GAME, game.setup, game.moves)
    assert again.digest() == game.digest()


@often
@given(st.integers(0, 2), st.sampled_from(POWERS), letters)
def test_a_test_letter_changes_nothing(place, seat, lines):
    game = PLACES[place]()
    before = (game.digest(), game.n, game.queue[:], game.standing[:], game.settings[:], dict(game.sealed))
    text = "\n".join([f"BEGIN ORDERS toy-1 {seat} {codes(game, seat)[0]}", "test", *lines, "END ORDERS"])
    (block, *_) = read(text).blocks
    execute_block(game, block, game="toy-1", codes=codes(game, seat), seat=seat)
    assert before == (game.digest(), game.n, game.queue, game.standing, game.settings, game.sealed)
