"""Branches of a plan: a queued line on what came of the line before it."""

from __future__ import annotations

import pytest

from pbem.kernel.referee import Referee
from tests.toy.letters import fates, reasons, send
from tests.toy.playing import start

MARCH = "march vienna venice"


def intercepted(referee: Referee, how: str = "fleet") -> None:
    """France intercepts England's move, Spain does not; both hold in their own turns, and all others vote."""
    referee.submit("spain", "pass")
    referee.submit("france", {"do": "intercept", "using": how})
    go_on(referee)


def not_intercepted(referee: Referee) -> None:
    referee.submit("spain", "pass")
    referee.submit("france", "pass")
    go_on(referee)


def go_on(referee: Referee) -> None:
    for seat in ("france", "spain"):
        referee.submit(seat, "hold")
    for seat in [seat for seat in referee.waiting() if seat != "england"]:
        referee.submit(seat, "accept")


def told(referee: Referee) -> list[tuple[str, str]]:
    return [(note.key, note.text) for note in referee.notes if note.seat == "england"]


def to_the_next_turn(referee: Referee) -> None:
    """Past the negotiation of turn 2, to England's next move."""
    while "accept" in str(referee.now):
        referee.submit("england", "accept")
    for seat in referee.waiting():
        if referee.talk is not None:
            referee.submit(seat, "done")


def test_the_branch_to_which_it_comes_is_played_past_the_surprise_and_so_is_what_follows() -> None:
    referee = start()
    send(referee, "england", MARCH, "if intercepted: hold", "if won: march milan genoa", "ballot: reject")
    intercepted(referee)
    to_the_next_turn(referee)
    assert [move.answer for move in referee.moves if move.seat == "england" and move.kind == "action"][1:] == ["hold"]
    assert ("advance.skipped", "if won: march milan genoa") in told(referee)
    assert ("advance.used", "if intercepted: hold") in told(referee)
    assert "advance.held" not in [key for key, _ in told(referee)]
    assert referee.queue == []


def test_a_line_behind_is_used_once_the_branch_is_foreseen() -> None:
    referee = start()
    send(referee, "england", MARCH, "if intercepted: hold", "ballot: reject")
    intercepted(referee)
    assert ("advance.used", "reject") in told(referee)


def test_branches_to_which_it_does_not_come_are_dropped_and_the_rest_plays_on() -> None:
    referee = start()
    send(referee, "england", MARCH, "if intercepted: hold", "march milan genoa", "ballot: accept")
    not_intercepted(referee)
    to_the_next_turn(referee)
    assert referee.moves[-1].answer == {"do": "march", "origin": "milan", "to": "genoa"}
    assert ("advance.skipped", "if intercepted: hold") in told(referee)


def test_a_surprise_that_no_branch_foresees_holds_all_behind_them() -> None:
    referee = start()
    send(referee, "england", MARCH, "if intercepted: hold", "ballot: reject", "march milan genoa")
    intercepted(referee, "army")
    assert "england" in referee.waiting()  # the ballot: its line is not used while it is in doubt
    referee.submit("england", "accept")
    to_the_next_turn(referee)
    assert [(entry.text, entry.held) for entry in referee.queue] == [("reject", True), ("march milan genoa", True)]
    assert ("advance.skipped", "if intercepted: hold") in told(referee)
    assert referee.waiting() == ("england",)


def test_a_receipt_says_which_branch_was_taken() -> None:
    referee = start()
    for seat in ("france", "spain"):
        send(referee, seat, "standing intercept: pass")
    receipt = send(referee, "england", "hold", "if intercepted: hold", "action: hold")
    assert reasons(receipt) == [(3, "orders.branch"), (4, "orders.behind")]
    receipt = send(start(), "england", MARCH, "if intercepted: hold", "bold: if won: march milan genoa")
    assert fates(receipt) == [(2, "answered"), (3, "waiting"), (4, "waiting")]
    assert [accepted.text for accepted in receipt.accepted][1:] == [
        "if intercepted: hold",
        "bold: if won: march milan genoa",
    ]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["if intercepted: hold"], "orders.branch_first"),
        ([MARCH, "if struck: hold"], "orders.no_outcome"),
        ([MARCH, "if intercepted: 9: hold"], "orders.syntax"),
        ([MARCH, "if intercepted: if won: hold"], "orders.syntax"),
        ([MARCH, "if intercepted:"], "orders.empty"),
        (["hold", "if intercepted: hold"], "orders.branch"),
    ],
)
def test_a_condition_that_cannot_apply_is_refused(lines: list[str], problem: str) -> None:
    assert reasons(send(start(), "england", *lines))[-1][1] == problem


def test_in_japanese() -> None:
    receipt = send(start(), "england", MARCH, "もし 迎撃：hold")
    assert receipt.accepted[1].text == "if intercepted: hold"


def test_a_clause_still_goes_on_with_the_line_before() -> None:
    receipt = send(start(), "england", "hold", "standing intercept: pass", "if space=milan")
    assert receipt.standing == ["standing intercept: pass if space=milan"]
