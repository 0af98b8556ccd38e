"""The offline check gives the referee's verdicts on all that the player can know."""

from __future__ import annotations

import tomllib

import pytest
import tomli_w

from pbem.kernel.domains import Amount, AnyText, Choice, Form, Menu, Reply, Series
from pbem.orders.offline_check import ViewError, check
from pbem.orders.order_preview import is_fully_checked
from tests.toy.letters import codes, send, view_file
from tests.toy.playing import start, to_ballot, to_talk


def letter(game, seat: str, *lines: str) -> str:
    return "\n".join([f"BEGIN ORDERS toy-1 {seat} {codes(game, seat)[0]}", *lines, "END ORDERS"])


def told(receipt):
    return (
        [(accepted.line, accepted.text, accepted.fate) for accepted in receipt.accepted],
        [(refused.line, refused.problem.key, refused.problem.near, refused.offer) for refused in receipt.refused],
    )


LETTERS = [
    ["march vienna venice regulars=2", "ballot: accept"],
    ["march vienna veniec"],
    ["hold", "1: march vienna venice"],
    ["accept", "hold"],
    ["march vienna venice, please"],
    ["done", "5: propose england 2"],
    ["propose england 3", "propose england 19"],
    ["pass", "standing intercpt: pass", "standing ballot: accept until round 4", "cancel standing"],
    ["0: pass", "99: pass", "balot: x"],
    ["clear", "resume", "bold", "BEGIN PRESS to=portugal", "x", "END PRESS"],
    ["> pass", "57:", "stop if x"],
]


@pytest.mark.parametrize("place", [start, lambda: to_ballot(start()), lambda: to_talk(start())])
@pytest.mark.parametrize("seat", ["england", "spain"])
@pytest.mark.parametrize("lines", LETTERS, ids=" / ".join)
def test_check_says_what_the_referee_says(place, seat, lines):
    game = place()
    view = tomllib.loads(tomli_w.dumps(view_file(game, seat)))
    (offline,) = check(view, letter(game, seat, *lines))
    tried = send(game, seat, "test", *lines)
    accepted, refused = told(tried)
    moved = [(line - 1, text, fate) for line, text, fate in accepted if fate != "test"]
    expected = [(line - 1, key, near, offer) for line, key, near, offer in refused]
    found = told(offline)
    assert found[0] == moved
    # Why a known thing is not among the options is the rule's secret: the file holds the options only.
    unexplained = {"negotiation.nothing_to_accept": "answer.unknown"}
    assert [finding[:2] for finding in found[1]] == [(line, unexplained.get(key, key)) for line, key, *_ in expected]
    real = send(game, seat, *lines)
    assert {finding[0] for finding in found[1]} - {problem.line for problem in real.refused} == set()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hold", [(1, "1: hold", "checked")]),
        ("Hi,\n\n1: hold\n\nCheers", [(3, "1: hold", "checked")]),
        ("On Friday pbem toy-1 wrote:\n> What now?\n> 1: hold\n> {tag}", [(3, "1: hold", "checked")]),
        ("hold\n\n> What now?\n> 1: ?\n> {tag}", [(1, "1: hold", "checked")]),
        ("hold\nor not\n> 1: ?\n> {tag}", "reply.prose"),
        ("hold\n> 1: march vienna venice\n> {tag}", "reply.differ"),
        ("tomorrow\n> 1: ?\n> {tag}", "answer.unknown"),
        ("I shall answer tomorrow\n> 1: ?\n> {tag}", "answer.unknown"),
        ("I shall answer tomorrow.\nI am on the road.\n> 1: ?\n> {tag}", "reply.none"),
        ("> 1: ?\n> {tag}", "reply.silent"),
        ("1: hodl\n> 1: ?\n> {tag}", "answer.unknown"),
    ],
)
def test_a_whole_reply_is_judged_as_when_it_is_sent(text, said):
    game = start()
    tag = f"[toy-1 england {codes(game, 'england')[0]}]"
    (receipt,) = check(view_file(game, "england"), text.format(tag=tag))
    if isinstance(said, str):
        keys = [refused.problem.key for refused in receipt.refused] or [receipt.problem.key]
        assert set(keys) == {said}
        assert not receipt.accepted
    else:
        assert [(accepted.line, accepted.text, accepted.fate) for accepted in receipt.accepted] == said
        assert not receipt.refused
    if ">" in text:
        assert [remark.key for remark in receipt.remarks] == ["note.copy"]


def test_a_reply_is_compared_with_the_letter_that_it_answers():
    game = start()
    tag = f"[toy-1 england {codes(game, 'england')[0]}]"
    letter, view = f"What will you do now?\n1: ?\n{tag}\n", view_file(game, "england")
    quoted = "".join(f"> {line}\n" for line in letter.splitlines())
    (receipt,) = check(view, f"hold\n{quoted}", email=letter)
    assert [accepted.fate for accepted in receipt.accepted] == ["checked"]
    (receipt,) = check(view, f"hold\n{quoted}> rather not\n", email=letter)
    assert [refused.problem.key for refused in receipt.refused] == ["reply.prose"]


def test_stale_and_foreign_letters():
    game = start()
    view = view_file(game, "england")
    (stale,) = check(view, "BEGIN ORDERS toy-1 england 0000-0000\nhold\nEND ORDERS")
    assert (stale.verdict, stale.problem.key) == ("stale", "order_block.stale")
    (wrong,) = check(view, letter(game, "france", "hold"))
    assert (wrong.verdict, wrong.problem.key) == ("wrong", "order_block.wrong_seat")
    assert check(view, "no orders here") == []


def test_own_standing_answers_are_known():
    game = start()
    send(game, "spain", "standing all: pass", "standing ballot: accept if mover=england")
    (receipt,) = check(view_file(game, "spain"), letter(game, "spain", "cancel standing all", "cancel standing action"))
    assert [(a.line, a.fate) for a in receipt.accepted] == [(2, "checked")]
    assert [(r.line, r.problem.near) for r in receipt.refused] == [(3, ("all", "ballot"))]


def test_what_the_file_does_not_tell_is_the_moderators_to_decide():
    game = start()
    view = view_file(game, "england")
    view["questions"][0]["domain"] = {"type": "unknown"}
    (receipt,) = check(view, letter(game, "england", "anything at all"))
    assert [(a.fate, a.text) for a in receipt.accepted] == [("unsure", "1: anything at all")]


@pytest.mark.parametrize(
    ("domain", "value", "is_sure"),
    [
        (Choice(("a",)), "a", True),
        (AnyText(), "a", False),
        (Form(x=Amount(1, 2), y=AnyText()), {"x": 1, "y": "z"}, False),
        (Form(x=Amount(1, 2), y=lambda v: Choice(("b",))), {"x": 1, "y": "b"}, True),
        (Menu({"go": AnyText(), "stay": None, "do": Amount(1, 2)}), {"do": "go", "with": "x"}, False),
        (Menu({"go": AnyText(), "stay": None, "do": Amount(1, 2)}), "stay", True),
        (Menu({"go": AnyText(), "stay": None, "pay": Amount(1, 2)}), {"do": "pay", "with": 1}, True),
        (Series(lambda so_far: AnyText()), ["x"], False),
        (Series(lambda so_far: Choice(("x",))), ["x"], True),
        (Reply(Menu({"pass": None, "go": AnyText()}), ["a"]), {"plan": [{"answer": "pass", "unless": ["a"]}]}, True),
        (Reply(Menu({"pass": None, "go": AnyText()}), ["a"]), {"do": "go", "with": "x"}, False),
    ],
)  # fmt: skip
def test_sure(domain, value, is_sure):
    assert is_fully_checked(domain, value) is is_sure


def test_a_file_that_is_no_view_file():
    with pytest.raises(ViewError, match="seat"):
        check({"game": "x"}, "")
