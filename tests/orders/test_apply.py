"""Carrying a block out: answers, the queue, what replaces what, standing answers, negotiations, stale letters."""

from __future__ import annotations

import pytest

from pbem.orders import apply, canonical, form, read, sweep
from tests.orders.toy import SEATS, codes, send, start, to_ballot, to_talk


def fates(receipt) -> list[tuple[int, str]]:
    return [(one.line, one.fate) for one in receipt.accepted]


def reasons(receipt) -> list[tuple[int, str]]:
    return [(one.line, one.problem.key) for one in receipt.refused]


def raw(referee, asked: str, text: str, **keywords):
    (block,) = read(text).blocks
    keywords = {"game": "toy-1", "codes": codes(referee, asked), "seat": asked, **keywords}
    return apply(referee, block, **keywords)


# -- the open question -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "1: move vienna pressburg",
        "move: move vienna pressburg",
        "move vienna press",
        "mo ウィーン pressburg",
    ],
)
def test_the_open_question_is_answered_by_number_by_kind_and_bare(line):
    game = start()
    receipt = send(game, "england", line, via="<a>")
    assert [(a.text, a.fate) for a in receipt.accepted] == [("1: move vienna pressburg", "answered")]
    assert receipt.verdict == "taken"
    assert game.q == 2
    assert game.moves[0].answer == {"do": "move", "origin": "vienna", "to": "pressburg"}
    assert (game.moves[0].via, game.moves[0].at, game.moves[0].how) == ("<a>", "t", "chosen")
    assert receipt.open == []


def test_a_near_miss_is_offered_as_a_whole_line_and_not_executed():
    game = start()
    receipt = send(game, "england", "move vienna presburgh regulars=2")
    (refused,) = receipt.refused
    assert refused.offer == "1: move vienna pressburg regulars=2"
    assert (refused.line, refused.text) == (2, "move vienna presburgh regulars=2")
    assert refused.problem.rule == "5.1"
    assert receipt.verdict == "refused"
    assert game.q == 1
    assert send(game, "england", refused.offer).verdict == "taken"


@pytest.mark.parametrize(
    "line",
    [
        "1. hold",
        "1 hold",
        "1) hold",
        "- hold",
        "* 1: hold",
        "question 1: hold",
        "Q1. hold.",
        "‘hold’",
        "hold!",
    ],
)
def test_a_label_or_mark_around_a_good_answer_is_put_right_not_guessed_at(line):
    game = start()
    (refused,) = send(game, "england", line).refused
    assert refused.offer == "1: hold"
    assert game.q == 1


def test_the_number_of_another_question_is_no_label():
    (refused,) = send(start(), "england", "7. hold").refused
    assert refused.offer == ""


def test_what_is_refused_for_another_reason_is_not_offered_as_it_stands():
    assert [one.offer for one in send(start(), "england", "1: hold", "1: move vienna pressburg").refused] == [
        "",
        "",
    ]


@pytest.mark.parametrize(
    "line", ["HOLD", "1: hold", "hol", "move: Hold", "１：ｈｏｌｄ", '"hold"', "hold   # for now"]
)
def test_equal_orders_have_equal_digests_however_they_are_spelled(line):
    assert send(start(), "england", line).digest == send(start(), "england", "hold").digest


def test_other_orders_have_other_digests():
    letters = (
        ["hold"],
        ["move vienna pressburg"],
        ["hold", "hold"],
        ["hodl"],
        ["hodl", "hold"],
        ["test", "hold"],
    )
    press = [["BEGIN PRESS to=all", text, "END PRESS"] for text in ("Peace?", "War!")]
    digests = [send(start(), "england", *lines).digest for lines in (*letters, *press)]
    assert len(set(digests)) == len(digests)


def test_the_receipt_says_what_of_the_letter_was_not_read():
    quoted = "> BEGIN ORDERS toy-1 england 0000-0000\n> 1: hold\n> END ORDERS\n"
    game = start()
    own = f"BEGIN ORDERS toy-1 england {codes(game, 'england')[0]}\n1: hold\n"
    assert [(one.key, one.line) for one in raw(game, "england", quoted + own).remarks] == [
        ("letter.quoted", 1),
        ("letter.no_end", 5),
    ]


def test_a_quoted_reply_form_is_no_news():
    """Every mail program quotes the letter that it answers."""
    game = start()
    asked = form(game, "england", game="toy-1", code=codes(game, "england")[0])
    own = asked.replace("1: hold", "1: move vienna pressburg")
    quoted = "".join(f"> {line}\n" for line in asked.splitlines())
    assert raw(game, "england", f"{own}\nOn Friday you wrote:\n{quoted}").remarks == []
    twice = "".join(f"> > {line}\n" for line in own.splitlines())
    (block,) = read(f"{own}\n{quoted}\n{twice}").blocks
    assert [one.key for one in block.findings] == ["letter.quoted"]


def test_a_rules_own_reason_and_section_are_told():
    (refused,) = send(start(), "england", "move vienna milan").refused
    assert (refused.problem.key, refused.problem.rule) == ("rules.custom", "5.3")
    assert refused.offer == ""


def test_questions_that_are_closed_or_not_yours():
    game = start()
    send(game, "england", "hold")
    assert reasons(send(game, "england", "1: hold")) == [(2, "answer.closed")]
    assert reasons(send(game, "england", "2: hold")) == [(2, "answer.not_asked")]
    assert game.q == 2


def test_a_kind_that_the_game_does_not_have():
    game = start()
    (refused,) = send(game, "england", "balot: accept").refused
    assert refused.problem.key == "orders.kind"
    assert refused.offer == "ballot: accept"
    assert send(game, "england", "ball: accept").accepted[0].text == "ballot: accept"


def test_two_different_answers_to_one_question_are_both_refused():
    game = start()
    receipt = send(game, "england", "move vienna venice", "1: hold")
    assert reasons(receipt) == [(2, "orders.contradiction"), (3, "orders.contradiction")]
    assert receipt.refused[0].problem.args == {"lines": "2, 3", "q": 1}
    assert game.q == 1
    assert fates(send(game, "england", "hold", "1: hold")) == [(2, "answered"), (3, "answered")]


# -- the queue -------------------------------------------------------------------------------------------------------


def test_lines_that_come_early_wait_and_play_on():
    game = start()
    assert fates(send(game, "spain", "move milan genoa", "ballot: accept")) == [
        (2, "waiting"),
        (3, "waiting"),
    ]
    assert fates(send(game, "france", "hold", "abstain")) == [(2, "waiting"), (3, "waiting")]
    receipt = send(game, "england", "hold", "ballot: reject")
    assert fates(receipt) == [(2, "answered"), (3, "waiting")]
    for seat in ("england", "france"):
        send(game, seat, "pass")
    assert game.table.state.turn == 2
    assert (
        game.table.state.log[-1]
        == "ballots [('england', 'reject'), ('france', 'abstain'), ('spain', 'accept')]"
    )


def test_a_whole_turn_in_one_letter_is_used_at_once():
    game = to_ballot(start())
    for seat in ("france", "spain"):
        send(game, seat, "accept")
    before = game.q
    send(game, "england", "ballot: accept")
    assert game.q == before + 1


def test_queued_lines_that_answer_at_once_are_told_as_used():
    game = start()
    game.submit("england", "hold")
    send(game, "spain", "hold")
    receipt = send(game, "france", "hold", "ballot: accept")
    assert fates(receipt) == [(2, "answered"), (3, "used")]
    assert [n for n in game.notes if n.seat == "france"] == []
    assert receipt.open[0].answer == "accept"


def test_a_queued_line_that_turns_out_wrong_holds_the_rest():
    game = start()
    game.submit("england", "hold")
    send(game, "spain", "hold")
    receipt = send(game, "france", "hold", "ballot: acept", "move: hold")
    assert reasons(receipt) == [(3, "answer.unknown")]
    assert receipt.refused[0].offer == "4: accept"
    assert receipt.refused[0].problem.rule == "7.3"
    assert fates(receipt) == [(2, "answered"), (4, "behind")]
    assert all(entry.held for entry in game.queue if entry.seat == "france")


def test_a_surprise_holds_the_queue_and_resume_lets_it_go_on():
    game = start()
    send(game, "england", "move vienna venice", "ballot: accept", "move: hold")
    send(game, "spain", "pass")
    send(game, "france", "intercept army")
    assert [entry.held for entry in game.queue] == [True, True]
    assert {n.key for n in game.notes if n.seat == "england"} == {"queue.held"}
    game.submit("france", "hold")
    game.submit("spain", "hold")
    receipt = send(game, "england", "resume")
    assert fates(receipt) == [(2, "resumed")]
    assert receipt.accepted[0].args == {"count": 2}
    assert [entry.text for entry in game.queue] == ["hold"]
    assert "england" in game.sealed


def test_bold_lines_play_on_past_surprises():
    game = start()
    send(game, "england", "move vienna venice", "bold: ballot: accept", "ballot: reject")
    game.submit("spain", "pass")
    game.submit("france", {"do": "intercept", "using": "army"})
    assert [(e.text, e.bold, e.held) for e in game.queue] == [
        ("accept", True, False),
        ("reject", False, True),
    ]
    game = start()
    send(game, "england", "move vienna venice", "bold", "ballot: accept", "move: hold")
    assert all(entry.bold for entry in game.queue)


def test_brakes_hold_queued_lines_and_the_open_question():
    game = start()
    receipt = send(game, "spain", "hold", "stop if turn>=1, mover=france", "ballot: accept")
    assert receipt.accepted[1].text == "stop if turn>=1, mover=france"
    game.submit("england", "hold")
    game.submit("france", "hold")
    assert game.queue[0].held
    assert "queue.stopped" in [note.key for note in game.notes]
    receipt = send(game, "spain", "resume", "stop if phase=vote", "accept")
    assert fates(receipt) == [(2, "resumed"), (3, "stop"), (4, "stopped")]


def test_resume_with_an_answer_keeps_the_earlier_lines():
    game = start()
    send(game, "england", "move vienna venice", "ballot: accept", "move: hold")
    game.submit("spain", "pass")
    game.submit("france", {"do": "intercept", "using": "army"})
    receipt = send(game, "england", "negotiation: done", "resume", "speech: hello")
    assert fates(receipt) == [(2, "waiting"), (3, "resumed"), (4, "waiting")]
    assert [entry.text for entry in game.queue] == ["done", "accept", "hold", "hello"]
    assert not any(entry.held for entry in game.queue)
    assert receipt.replaced == []
    assert reasons(send(game, "england", "resume")) == [(2, "orders.nothing_held")]


def test_a_refused_line_holds_those_behind_it():
    game = start()
    receipt = send(game, "england", "move vienna nowhere", "hold", "ballot: accept")
    assert game.q == 1
    assert reasons(receipt) == [(2, "answer.unknown")]
    assert fates(receipt) == [(3, "behind"), (4, "behind")]
    receipt = send(start(), "england", "x" * 2000, "hold")
    assert fates(receipt) == [(3, "behind")]


def test_stale_lines_are_swept_with_a_note():
    game = start()
    send(game, "spain", "2: hold", "bold: 9: hold", via="<v>")
    game.submit("england", "hold")
    sweep(game)
    assert [entry.q for entry in game.queue] == [2, 9]
    game.submit("france", "hold")
    sweep(game)
    assert [entry.q for entry in game.queue] == [9]
    assert [(n.seat, n.key, n.text, n.letter, n.line) for n in game.notes] == [
        ("spain", "queue.stale", "2: hold", "<v>", 2)
    ]


def test_answering_a_window_leaves_the_lines_for_later():
    game = start()
    send(game, "france", "hold", "move: hold")
    send(game, "england", "move vienna venice")
    receipt = send(game, "france", "pass")
    assert receipt.replaced == []
    assert receipt.queue == ["hold", "move: hold"]
    assert send(game, "france", "speech: x").replaced == ["hold", "move: hold"]


# -- replacing -------------------------------------------------------------------------------------------------------


def test_a_new_letter_replaces_queue_and_sealed_answer():
    game = to_ballot(start())
    send(game, "spain", "accept", "move: hold")
    receipt = send(game, "spain", "4: reject", "move: move vienna venice")
    assert receipt.replaced == ["move: hold", "4: accept"]
    assert game.sealed["spain"].answer == "reject"
    assert [entry.text for entry in game.queue] == ["move vienna venice"]
    assert receipt.open[0].answer == "reject"
    assert receipt.queue == ["move: move vienna venice"]


def test_a_letter_without_answers_replaces_nothing():
    game = to_ballot(start())
    send(game, "spain", "accept", "move: hold")
    receipt = send(game, "spain", "ask all: always", "BEGIN PRESS to=all", "hi", "END PRESS")
    assert receipt.replaced == []
    assert game.sealed["spain"].answer == "accept"
    assert len(game.queue) == 1


def test_a_refused_replacement_leaves_what_was_sent():
    game = to_ballot(start())
    send(game, "spain", "accept", "move: hold")
    receipt = send(game, "spain", "4: maybe")
    assert game.sealed["spain"].answer == "accept"
    assert [entry.text for entry in game.queue] == ["hold"]
    assert receipt.queue == ["move: hold"]
    assert [(r.key, r.args["text"]) for r in receipt.remarks] == [("note.stands", "accept")]


def test_clear_takes_back_all_above_it():
    game = to_ballot(start())
    send(game, "spain", "accept", "move: hold")
    receipt = send(game, "spain", "speech: x", "clear", "move: move vienna venice")
    assert fates(receipt) == [(2, "voided"), (3, "cleared"), (4, "waiting")]
    assert receipt.accepted[1].args == {"count": 3}
    assert "spain" not in game.sealed
    assert [entry.text for entry in game.queue] == ["move vienna venice"]
    assert receipt.open[0].answer == ""
    assert reasons(send(start(), "england", "clear")) == [(2, "orders.nothing_to_clear")]


# -- standing answers and settings -----------------------------------------------------------------------------------


def test_standing_answers_are_resolved_kept_and_used():
    game = start()
    receipt = send(
        game,
        "spain",
        "standing intercept: pass if space=ヴェネツィア until turn 3",
        "standing all: pass if mover=France",
    )
    assert receipt.standing == [
        "standing intercept: pass if space=venice until turn>=3",
        "standing all: pass if mover=france",
    ]
    send(game, "england", "move vienna venice")
    assert game.sealed["spain"].how == "standing"
    assert [n.key for n in game.notes if n.seat == "spain"] == ["standing.used"]


def test_a_letters_standing_answers_replace_those_of_the_same_kind():
    game = start()
    send(game, "spain", "standing intercept: pass", "standing ballot: accept")
    receipt = send(
        game, "spain", "standing intercept: intercept fleet if space=milan", "standing intercept: pass"
    )
    assert receipt.replaced == ["standing intercept: pass"]
    assert receipt.standing == [
        "standing ballot: accept",
        "standing intercept: intercept fleet if space=milan",
        "standing intercept: pass",
    ]
    assert fates(send(game, "spain", "cancel standing intercept")) == [(2, "cancelled")]
    assert [s.kind for s in game.standing] == ["ballot"]
    refused = send(game, "spain", "cancel standing intercept").refused[0]
    assert (refused.problem.key, refused.problem.near) == ("orders.no_standing", ("ballot",))
    assert send(game, "spain", "cancel standing").standing == []


def test_kinds_and_clock_facts_that_do_not_exist_are_refused():
    receipt = send(
        start(), "spain", "standing intercpt: pass", "standing ballot: accept until round 3", "ask x: never"
    )
    assert reasons(receipt) == [(2, "orders.kind"), (3, "orders.until"), (4, "orders.kind")]
    assert receipt.refused[0].problem.near[0] == "intercept"
    assert "turn" in receipt.refused[1].problem.near


def test_expired_standing_answers_are_swept():
    game = start()
    send(game, "spain", "standing ballot: accept until turn 2", "ask all: never until turn 2")
    to_ballot(game)
    game.submit("england", "accept")
    game.submit("france", "accept")
    assert game.table.state.turn == 2
    sweep(game)
    assert game.standing == []
    assert game.settings == []
    assert [n.text for n in game.notes if n.key == "standing.expired"] == [
        "standing ballot: accept until turn>=2"
    ]


def test_settings_say_when_to_be_asked():
    game = start()
    send(game, "spain", "ask intercept: never")
    send(game, "france", "ask all: never")
    assert send(game, "spain", "ask intercept: never until turn 3").settings == [
        "ask intercept: never until turn>=3"
    ]
    send(game, "england", "move vienna venice")
    assert game.asked() == ("france",)
    assert [(m.seat, m.how) for m in game.moves[1:]] == [("france", "settings"), ("spain", "settings")]


# -- negotiations ----------------------------------------------------------------------------------------------------


def test_several_acts_in_one_letter():
    game = to_talk(start())
    receipt = send(game, "england", "propose france 3", "propose to=spain gold=2", "done", "hold")
    assert fates(receipt) == [(2, "acted"), (3, "acted"), (4, "acted"), (5, "waiting")]
    assert [a.text for a in receipt.accepted][:2] == ["5: propose france gold=3", "5: propose spain gold=2"]
    send(game, "france", "negotiation: accept england-france-1", "5: done")
    send(game, "spain", "done")
    assert game.table.state.log[-2:] == ["deal england-france-1", "england hold"]


def test_an_act_that_is_refused_holds_those_behind_it():
    game = to_talk(start())
    receipt = send(game, "england", "propose france 9", "done", "move: hold")
    assert reasons(receipt) == [(2, "answer.out_of_range")]
    assert fates(receipt) == [(3, "behind"), (4, "behind")]
    assert game.talk.done == set()
    assert [(e.text, e.q, e.kind, e.held) for e in game.queue] == [
        ("done", 5, "", True),
        ("hold", 0, "move", True),
    ]


def test_nothing_comes_after_done():
    game = to_talk(start())
    receipt = send(game, "england", "done", "5: propose france 3")
    assert reasons(receipt) == [(3, "orders.after_done")]
    assert game.talk.done == {"england"}


# -- letters that are not executed -----------------------------------------------------------------------------------


def snapshot(game):
    return (
        game.digest(),
        list(game.queue),
        list(game.standing),
        list(game.settings),
        dict(game.sealed),
        game.n,
    )


@pytest.mark.parametrize(
    ("head", "key", "verdict"),
    [
        ("toy-1 england 0000-0000", "block.stale", "stale"),
        ("toy-1 england", "block.no_code", "wrong"),
        ("toy-2 england {code}", "block.wrong_game", "wrong"),
        ("toy-1 france {code}", "block.wrong_seat", "wrong"),
        ("toy-1 portugal {code}", "block.unknown_seat", "wrong"),
        ("toy-1", "block.header", "wrong"),
    ],
)
def test_a_letter_that_does_not_fit_changes_nothing(head, key, verdict):
    game = start()
    before = snapshot(game)
    text = f"BEGIN ORDERS {head.format(code=codes(game, 'england')[0])}\nhold\nstanding all: pass\nEND ORDERS"
    receipt = raw(game, "england", text)
    assert (receipt.problem.key, receipt.verdict) == (key, verdict)
    assert snapshot(game) == before
    assert [(o.q, o.kind) for o in receipt.open] == [(1, "move")]
    assert receipt.accepted == receipt.refused == []


def test_a_stale_letter_of_an_unknown_sender_learns_nothing():
    game = start()
    receipt = raw(game, "england", "BEGIN ORDERS toy-1 england 0000-0000\nhold\nEND ORDERS", seat="")
    assert receipt.problem.key == "block.stale"
    assert receipt.open == receipt.standing == receipt.queue == []


def test_an_old_code_is_stale_once_its_question_is_closed():
    game = start()
    old = codes(game, "england")[0]
    for seat in SEATS:
        game.submit(seat, "hold")
    assert raw(game, "england", f"BEGIN ORDERS toy-1 england {old}\nhold\nEND ORDERS").verdict == "stale"


def test_seats_are_known_by_name_and_moderators_need_no_code():
    game = to_ballot(start())
    assert (
        raw(game, "spain", "BEGIN ORDERS TOY-1 スペイン\naccept\nEND ORDERS", codes=None, seat="").verdict
        == "taken"
    )
    assert game.sealed["spain"].answer == "accept"


def test_test_tries_everything_and_does_nothing():
    game = start()
    before = snapshot(game)
    receipt = send(
        game, "england", "move vienna venice", "hold", "standing ballot: accept", "test", "nonsense: 5"
    )
    assert receipt.verdict == "tried"
    assert fates(receipt) == [(2, "checked"), (3, "waiting"), (4, "checked"), (5, "test")]
    assert reasons(receipt) == [(6, "orders.kind")]
    assert receipt.press == []
    assert snapshot(game) == before
    assert game.notes == []


def test_a_game_that_is_over():
    game = start()
    while not game.over:
        if game.asked() == ("england",) and game.now.kind == "speech":
            send(game, "england", '"farewell"')
        else:
            game.time_up()
    (block,) = read("BEGIN ORDERS toy-1 spain\nhold\n99: x\nEND ORDERS").blocks
    assert reasons(apply(game, block, game="toy-1")) == [(2, "block.over"), (3, "block.over")]


# -- press -----------------------------------------------------------------------------------------------------------


def test_press_is_handed_on():
    game = start()
    receipt = send(game, "spain", "BEGIN PRESS to=England, france", "Peace?", "END PRESS")
    assert [(p.to, p.text, p.line) for p in receipt.press] == [(["england", "france"], "Peace?", 2)]
    assert fates(receipt) == [(2, "press")]
    assert reasons(send(game, "spain", "BEGIN PRESS to=portugal", "x", "END PRESS")) == [
        (2, "block.unknown_seat")
    ]


def test_private_press_where_the_rules_forbid_it():
    game = to_ballot(start())
    receipt = send(
        game, "spain", "BEGIN PRESS to=england", "x", "END PRESS", "BEGIN PRESS to=all", "y", "END PRESS"
    )
    assert reasons(receipt) == [(2, "press.not_now")]
    assert [p.to for p in receipt.press] == [["all"]]


# -- the reply form and canonical lines ------------------------------------------------------------------------------


def test_the_form_sent_back_untouched_says_what_it_shows():
    game = start()
    text = form(
        game, "england", game="toy-1", code=codes(game, "england")[0], comments=["あ" * 60, "How to answer"]
    )
    assert all(len(line) <= 72 for line in text.splitlines())
    assert "\n1: hold\n" in text
    assert fates(raw(game, "england", text))[0][1] == "answered"
    to_ballot_game = to_ballot(start())
    send(to_ballot_game, "spain", "reject")
    assert "4: reject" in form(to_ballot_game, "spain", game="toy-1", code="x")
    assert "4: abstain" in form(to_ballot_game, "france", game="toy-1", code="x")
    assert form(start(), "france", game="toy-1", code="x").splitlines()[-1] == "END ORDERS"


def test_the_form_has_no_answer_where_no_default_is_safe():
    game = start()
    while game.table.state.turn <= 3:
        game.time_up()
    text = form(game, "england", game="toy-1", code=codes(game, "england")[0])
    assert f"\n{game.q}: ?\n" in text
    assert reasons(raw(game, "england", text))[0][1] == "orders.empty"
    long = '"' + "word " * 14 + 'word"'
    receipt = send(game, "england", f"test\n{long}")
    assert receipt.accepted[0].fate == "test"


def test_every_accepted_line_reads_to_the_same_meaning_again():
    lines = [
        "move vienna press regulars=2",
        "balot: x",
        "ballot: accept",
        "standing ball: accept if mover=Spain",
        "ask any: never",
        "stop if turn=2",
        "bold: move: hold",
    ]
    receipt = send(start(), "england", *lines)
    again = send(start(), "england", *[one.text for one in receipt.accepted])
    assert [one.text for one in again.accepted] == [one.text for one in receipt.accepted]
    assert [one.fate for one in again.accepted if one.fate != "waiting"] == [
        "answered",
        "standing",
        "asking",
        "stop",
    ]
    (block,) = read(
        "\n".join(["BEGIN ORDERS a b", *[one.text for one in receipt.accepted], "END ORDERS"])
    ).blocks
    assert canonical(block).splitlines()[1:-1] == [one.text for one in receipt.accepted]


def test_receipts_read_as_english():
    receipt = send(start(), "england", "move vienna presburg", "hold")
    text = str(receipt)
    assert "2: \"move vienna presburg\" -- 'presburg' is not" in text
    assert "Did you mean: 1: move vienna pressburg" in text
    assert "3: hold -- held behind a line that was refused" in text
    assert "question 1 (move, 5.1): open" in text


# -- words beside a complete answer --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words", "offer"),
    [
        ("1: hold, please", "please", "1: hold"),
        ("hold please, and thanks a lot!", "please, and thanks a lot", "1: hold"),
        ("Please: hold", None, None),  # "please" is read as a kind
        ("I would like to hold", "I would like to", "1: hold"),
        ("ok, hold, please", "ok … please", "1: hold"),
        ("1. hold please", "please", "1: hold"),
        ("hold でお願いします", "でお願いします", "1: hold"),
        ("holdでお願いします。", "でお願いします", "1: hold"),
        ("hold, お願いします", "お願いします", "1: hold"),
        ("move vienna pressburg regulars=2, cheers", "cheers", "1: move vienna pressburg regulars=2"),
        ("move vienna pressburg regulars=2 (phew)", "phew", "1: move vienna pressburg regulars=2"),
    ],
)
def test_words_beside_a_complete_answer_are_named_and_the_answer_is_offered(line, words, offer):
    game = start()
    (refused,) = send(game, "england", line).refused
    assert (refused.offer or None) == offer
    if words is not None:
        assert (refused.problem.key, refused.problem.args["word"]) == ("orders.extra", words)
        assert refused.problem.rule == "5.1"
    assert refused.text == line
    assert game.q == 1  # what was not written legally is not carried out
    if offer:
        assert send(game, "england", refused.offer).verdict == "taken"


@pytest.mark.parametrize(
    "line",
    [
        "hold unless france moves",
        "hold, not",
        "hold or move",
        "hold? move vienna pressburg",
        "don't hold",
        "not hold",
        "hold 3",
        "hold vienna",
        "hold mve",  # it may be the move that he means
        "move vienna pressburg regulars=2 leaders=3",
        "hold しない",
    ],
)
def test_nothing_is_offered_that_leaves_out_a_word_which_may_mean_something(line):
    game = start()
    (refused,) = send(game, "england", line).refused
    assert refused.offer == ""
    assert refused.problem.key != "orders.extra"
    assert game.q == 1


def test_a_misspelt_word_among_polite_ones_is_put_right_too():
    (refused,) = send(start(), "england", "please move vienna presburgh, thanks").refused
    assert refused.offer == "1: move vienna pressburg"
    assert refused.problem.args["word"] == "presburgh"


def test_words_beside_an_act_of_a_negotiation():
    game = to_talk(start())
    (refused,) = send(game, "england", "done, thank you").refused
    assert refused.offer == f"{game.q}: done"
    assert refused.problem.args["word"] == "thank you"
    assert "england" in game.waiting()
