"""A receipt is no oracle: it is byte-identical whatever the other seats have sealed, queued or set."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.kernel.referee import Referee
from tests.toy.letters import send
from tests.toy.playing import POWERS, start, to_ballot, to_talk


def window() -> Referee:
    """England has moved: France and Spain are asked whether they intercept."""
    game = start()
    game.submit("england", {"do": "march", "origin": "vienna", "to": "venice"})
    return game


LETTERS = [
    ["accept"],
    ["4: accept", "action: hold", "hold"],
    ["intercept fleet unless england; pass", "hold"],
    ["pass"],
    ["pass", "bold", "hold", "ballot: accept"],
    ["intercep fleet"],
    ["ballot: accept"],
    ["standing intercept: pass", "standing ballot: accept"],
    ["standing negotiation: done"],
    ["ask all: never"],
    ["clear", "pass"],
    ["test", "pass"],
    ["done", "hold", "ballot: reject"],
    ["propose england 3", "done"],
    ["resume"],
    ["wibble", "done", "accept"],
]


THEIRS = ["accept", "reject", "pass", "intercept army", "hold", "done", "standing all: pass"]


def france_and_england(game: Referee, letters: dict[str, list[str]]) -> Referee:
    for seat, lines in letters.items():
        send(game, seat, *lines)
    return game


OTHERS = [
    {},
    {"france": ["accept", "action: hold"], "england": ["reject", "hold"]},
    {"france": ["intercept army", "ballot: accept"]},
    {"france": ["pass", "action: hold", "hold"]},
    {"france": ["standing all: pass", "standing ballot: accept"], "england": ["standing ballot: reject"]},
    {"france": ["done"], "england": ["done"]},
]


@pytest.mark.parametrize("place", [window, lambda: to_ballot(start()), lambda: to_talk(start())])
@pytest.mark.parametrize("lines", LETTERS, ids=" / ".join)
def test_the_receipt_is_the_same_whatever_others_have_sealed(place, lines):
    receipts = []
    for letters in OTHERS:
        game = place()
        q = game.q
        france_and_england(game, letters)
        if game.q == q:
            receipts.append(msgspec.json.encode(send(game, "spain", *lines, via="<s>")))
    assert len(receipts) == len(OTHERS)
    assert len(set(receipts)) == 1


@settings(max_examples=60)
@given(
    mine=st.lists(st.sampled_from(sorted({line for some in LETTERS for line in some})), min_size=1, max_size=5),
    theirs=st.lists(
        st.lists(st.sampled_from(THEIRS), max_size=3), min_size=2, max_size=2,
    ),
    where=st.integers(0, 2),
)  # fmt: skip
def test_no_combination_of_lines_tells_of_the_others(mine, theirs, where):
    place = [window, lambda: to_ballot(start()), lambda: to_talk(start())][where]
    alone, full = place(), place()
    q = full.q
    for seat, lines in zip(("france", "england"), theirs, strict=True):
        send(full, seat, *(line for line in lines if line))
    if full.q != q:
        return
    assert send(alone, "spain", *mine, via="<s>") == send(full, "spain", *mine, via="<s>")


def test_conditions_are_not_tried_out():
    game = window()
    one = send(game, "spain", "standing ballot: accept if mover=england", via="<s>")
    other = send(window(), "spain", "standing ballot: accept if mover=france", via="<s>")
    assert [a.fate for a in one.accepted] == [a.fate for a in other.accepted] == ["standing"]


def test_the_last_answer_is_told_as_sealed_like_any_other():
    game = to_ballot(start())
    game.submit("england", "accept")
    game.submit("france", "accept")
    receipt = send(game, "spain", "reject", "hold")
    assert game.q == 5
    assert [(a.fate) for a in receipt.accepted] == ["sealed", "waiting"]
    assert [(o.q, o.answer) for o in receipt.open] == [(4, "reject")]
    assert [seat for seat in POWERS if seat in msgspec.json.encode(receipt, enc_hook=str).decode()] == ["spain"]
