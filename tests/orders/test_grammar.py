"""The grammar: what counts as a block, a line, a command; nothing is dropped silently."""

from __future__ import annotations

import pytest

from pbem.orders.parser import OrderLimits, form_mark, read
from pbem.orders.receipt import digest
from pbem.orders.reply_codes import prompt_code, prompt_codes, same_code
from pbem.orders.reply_form import form_for
from pbem.orders.syntax_tree import (
    Answer,
    AskOrder,
    Comment,
    InfoRequest,
    PressStatement,
    RejectedStatement,
    StandingOrder,
    Statement,
    StopCondition,
)
from tests.orders.blocks import block_of, canonical, key_of, one

# -- blocks ----------------------------------------------------------------------------------------------------------


def test_text_before_and_after_a_block_is_ignored():
    reading = read("Dear GM,\n57: no\n\nBEGIN ORDERS vq-07 spain 3f9c-a1d2\n57: pass\nEND ORDERS\n58: x\n-- \nMe")
    (block,) = reading.blocks
    assert (block.game, block.seat, block.code) == ("vq-07", "spain", "3f9c-a1d2")
    assert (block.line, block.last) == (4, 6)
    assert [str(item) for item in block.items] == ["57: pass"]
    assert not reading.findings


@pytest.mark.parametrize(
    "head",
    [
        "begin orders VQ-07 Spain 3F9CA1D2",
        "   Begin Orders: vq-07 spain 3f9c a1d2",
        "ＢＥＧＩＮ　ＯＲＤＥＲＳ　vq-07 spain ３ｆ９ｃ-a1d2",
        "BEGIN ORDERS vq-07 spain 3f9c-a1d2   # game, seat, code",
        "\ufeffBEGIN\u00a0ORDERS vq-07\u200b spain 3f9c–a1d2",
        "命令開始 vq-07 spain 3f9c-a1d2",
    ],
)
def test_heads_are_folded(head):
    block = block_of("pass", head=head)
    assert block.problem is None
    assert (block.game.casefold(), block.seat.casefold()) == ("vq-07", "spain")
    assert same_code(block.code, ["3f9c-a1d2"])


@pytest.mark.parametrize(
    "end", ["END ORDERS", "end orders", "  End Orders.", "END ORDER", "命令終了", "END ORDERS thanks"]
)
def test_ends_are_folded(end):
    (block,) = read(f"BEGIN ORDERS a b c\npass\n{end}\nsignature").blocks
    assert block.ended
    assert [str(i) for i in block.items] == ["pass"]


def test_head_without_seat_is_refused():
    assert block_of("pass", head="BEGIN ORDERS vq-07").problem.key == "order_block.header"
    assert block_of("pass", head="BEGIN ORDERS").problem.key == "order_block.header"


def test_quoted_blocks_are_reported_not_read():
    reading = read("> BEGIN ORDERS vq-07 spain 3f9c-a1d2\n> 57: pass\n> END ORDERS\n")
    assert not reading.blocks
    assert [(f.key, f.line) for f in reading.findings] == [("incoming.quoted", 1)]
    assert read("＞ > BEGIN ORDERS a b c").findings[0].key == "incoming.quoted"


def test_quoted_line_inside_a_block_is_refused():
    block = block_of("> 57: pass", "58: pass")
    assert [type(i) for i in block.items] == [RejectedStatement, Answer]
    assert block.items[0].problem.key == "orders.quoted"


def test_missing_end_is_forgiven_before_a_signature():
    reading = read("BEGIN ORDERS vq-07 spain c\n57: pass\nballot: red\n\n> old text\n-- \nFelipe\n57: no")
    (block,) = reading.blocks
    assert block.problem is None
    assert not block.ended
    assert [str(i) for i in block.items] == ["57: pass", "ballot: red"]
    assert [f.key for f in reading.findings] == ["incoming.no_end"]


def problem_of(item: Statement) -> str | None:
    return item.problem.key if isinstance(item, RejectedStatement) else None


def test_missing_end_takes_no_bare_lines():
    (block,) = read("BEGIN ORDERS vq-07 spain c\n57: pass\nRegards").blocks
    assert block.problem is None
    assert [problem_of(i) for i in block.items] == [None, "orders.no_end"]


@pytest.mark.parametrize(
    "tail", ["\nRegards, Felipe", "\nOn Monday the GM wrote:\n> x", "BEGIN ORDERS vq-07 spain c\nEND ORDERS"]
)
def test_missing_end_before_other_text_refuses_the_block(tail):
    blocks = read(f"BEGIN ORDERS vq-07 spain c\n57: pass\n{tail}").blocks
    assert blocks[0].problem.key == "order_block.no_end"
    assert all(block.problem is not None for block in blocks)


def test_only_the_first_block_of_a_seat_counts_in_a_letter():
    text = "BEGIN ORDERS g spain c\n57: a\nEND ORDERS\nBEGIN ORDERS g SPAIN c\n57: b\nEND ORDERS\n"
    first, second = read(text).blocks
    assert first.problem is None
    assert second.problem.key == "order_block.repeated"
    assert [b.problem for b in read(text, several=True).blocks] == [None, None]


def test_blocks_of_different_seats_all_count():
    text = "BEGIN ORDERS g spain c\n57: a\nEND ORDERS\nBEGIN ORDERS g france c\n57: b\nEND ORDERS\n"
    assert [b.problem for b in read(text).blocks] == [None, None]


@pytest.mark.parametrize("own_first", [True, False])
def test_an_untouched_form_beside_an_own_block_is_never_the_one_that_counts(own_first):
    form = form_for(None, "spain", game="g", code="c").replace("END", "57: pass\nEND")
    form = form.replace(form.splitlines()[1], form_mark(["57: pass"]))
    own = "BEGIN ORDERS g spain c\n57: go\nEND ORDERS\n"
    blocks = read(own + form if own_first else form + own).blocks
    kept = [b for b in blocks if b.problem is None]
    assert [str(i) for i in kept[0].items] == ["57: go"]
    assert [b.problem.key for b in blocks if b.problem] == ["order_block.form"]
    (alone,) = read(form).blocks
    assert alone.problem is None


def test_limits_are_refused_not_cut_silently():
    few = OrderLimits(email=300, line=20, lines=3, press=10, blocks=2)
    assert read("x" * 301, limits=few).findings[0].key == "incoming.too_long"
    (block,) = read("BEGIN ORDERS a b\n" + "1: x\n" * 4 + "END ORDERS", limits=few).blocks
    assert block.problem.key == "order_block.too_many_lines"
    (block,) = read(
        f"BEGIN ORDERS a b\n{'y' * 21}\nBEGIN PRESS to=x\n{'z' * 11}\nEND PRESS\nEND ORDERS", limits=few
    ).blocks
    assert block.problem.key == "order_block.too_many_lines"
    wide = OrderLimits(line=20, press=10)
    (block,) = read(
        f"BEGIN ORDERS a b\n{'y' * 21}\nBEGIN PRESS to=x\n{'z' * 11}\nEND PRESS\nEND ORDERS", limits=wide
    ).blocks
    assert [problem_of(i) for i in block.items] == ["orders.too_long", "press.too_long"]
    many = read("BEGIN ORDERS a b\nEND ORDERS\n" * 3, limits=few)
    assert len(many.blocks) == 2
    assert many.findings[0].key == "incoming.too_many_blocks"


# -- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "q", "kind", "body"),
    [
        ("57: pass", 57, "", "pass"),
        ("q57: pass", 57, "", "pass"),
        ("５７：パス", 57, "", "pass"),
        ("ballot: red", 0, "ballot", "red"),
        ("Avoid-Battle:  to  milan", 0, "avoid_battle", "to milan"),
        ("move vienna pressburg", 0, "", "move vienna pressburg"),
        ("完了", 0, "", "done"),
        ("５７：はい", 57, "", "yes"),
        ("57: say “well: done”", 57, "", 'say "well: done"'),
    ],
)
def test_answers(line, q, kind, body):
    item = one(line)
    assert isinstance(item, Answer)
    assert (item.q, item.kind, item.body) == (q, kind, body)


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("57: pass   # my answer", "pass"),
        ("57: pass // my answer", "pass"),
        ('57: "a # b" # c', '"a # b"'),
        ("57: card#5", "card#5"),
        ("57: http://x", "http://x"),
    ],
)
def test_trailing_comments(line, body):
    assert one(line).body == body


def test_comment_lines():
    block = block_of("// note", "# note", "#note", "")
    assert [type(i) for i in block.items] == [Comment, Comment, Comment]


def test_backslash_goes_on():
    block = block_of("move a b \\", "   n=1 \\", "   m=2", "57: x")
    assert [(i.line, i.last, str(i)) for i in block.items] == [(2, 4, "move a b n=1 m=2"), (5, 5, "57: x")]


def test_backslash_goes_on_behind_a_comment():
    (block,) = read("BEGIN ORDERS g spain c\nmove vienna \\ // the long way\npressburg\nEND ORDERS").blocks
    (item,) = block.items
    assert isinstance(item, Answer)
    assert item.body == "move vienna pressburg"


@pytest.mark.parametrize("line", ["57:", "57: ?", "ballot:", "57: # nothing", "standing x: "])
def test_empty_answers(line):
    assert key_of(line) in ("orders.empty", "orders.syntax")


def test_standing():
    item = one("standing Intercept: pass if space = milan and strength >= 4 unless mover!=france until turn 5")
    assert isinstance(item, StandingOrder)
    assert (item.kinds, item.body) == (("intercept",), "pass")
    assert list(map(str, item.when)) == ["space=milan", "strength>=4"]
    assert list(map(str, item.unless)) == ["mover!=france"]
    assert list(map(str, item.until)) == ["turn>=5"]


def test_a_plans_own_unless_stays_with_the_answer():
    item = one("standing intercept: fleet unless england; pass unless space=milan")
    assert item.body == "fleet unless england; pass"
    assert list(map(str, item.unless)) == ["space=milan"]


def test_one_line_for_several_kinds():
    item = one("standing Intercept, evade、plan: pass until turn 5")
    assert (item.kinds, item.body) == (("intercept", "evade", "plan"), "pass")
    assert str(item) == "standing intercept, evade, plan: pass until turn>=5"


def test_standing_in_japanese():
    item = one("常時 intercept：パス もし space=ミラノ まで turn 5")
    assert (item.kinds, item.body) == (("intercept",), "pass")
    assert str(item) == "standing intercept: pass if space=ミラノ until turn>=5"


@pytest.mark.parametrize(
    "line", ["standing x: y if foo", "standing x: y unless a=", "standing x: y until", "stop if foo", "stop if a==b"]
)
def test_conditions_that_cannot_be_read(line):
    assert key_of(line) == "orders.condition"


@pytest.mark.parametrize(
    "line", ["standing intercept pass", "standing", "cancel standing a b", "ask x: perhaps", "stop if"]
)
def test_half_commands_are_not_taken_for_answers(line):
    assert key_of(line) == "orders.syntax"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("ask intercept: never until turn 5", "ask intercept: never until turn>=5"),
        ("ask all: alw", "ask all: always"),
        ("ask ANY mine", "ask all: mine"),
        ("通知 全て: 不要", "ask all: never"),
    ],
)
def test_ask(line, text):
    item = one(line)
    assert isinstance(item, AskOrder)
    assert str(item) == text


def test_other_commands():
    block = block_of(
        "BOLD", "stop if turn>=5, space=milan", "resume", "クリア", "clear", "test", "取消 常時", "cancel standing x"
    )
    assert [str(i) for i in block.items] == [
        *("bold", "stop if turn>=5, space=milan", "resume", "クリア", "clear", "test"),
        *("cancel standing", "cancel standing x"),
    ]
    assert isinstance(block.items[1], StopCondition)
    assert one("bold: 58: go").bold
    assert one("57: clear").body == "clear"
    assert one("ask france for help").body == "ask france for help"


def test_press():
    block = block_of(
        "BEGIN PRESS to=france, spain", "Hello", "", "> you wrote", "57: not an order", "END PRESS", "57: x"
    )
    press, answer = block.items
    assert isinstance(press, PressStatement)
    assert press.to == ("france", "spain")
    assert press.body == "Hello\n\n> you wrote\n57: not an order"
    assert (press.line, press.last, answer.line) == (2, 7, 8)


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        (["BEGIN PRESS to=x", "hi"], "press.no_end"),
        (["BEGIN PRESS", "hi", "END PRESS"], "press.recipients"),
        (["BEGIN PRESS to=x", " ", "END PRESS"], "press.empty"),
        (["END PRESS"], "press.stray_end"),
    ],
)
def test_press_that_is_not_sent(lines, key):
    (item,) = block_of(*lines).items
    assert item.problem.key == key


def test_control_characters_never_reach_the_receipt():
    block = block_of("57: pa\x1b[31mss\u202e", "BEGIN PRESS to=x", "a\x9bb\u202e", "END PRESS")
    assert block.items[0].text == "57: pa[31mss"
    assert block.items[1].body == "ab"


# -- canonical text and codes ----------------------------------------------------------------------------------------


def test_canonical_text_reads_the_same_again():
    block = block_of(
        "５７：パス # c", "// note", "bold", "stop if A = b and c>1", "Standing X:  y  if a=b until turn 3",
        "bold: 8: z", "ask any never", "BEGIN PRESS to=a b", "hi", "END PRESS", "??",
    )  # fmt: skip
    text = canonical(block)
    (again,) = read(text).blocks
    assert canonical(again) == text
    assert digest(again) == digest(block)
    assert digest(block) != digest(block_of("57: go"))


def test_prompt_codes():
    code = prompt_code(b"key", "vq-07", "spain", 0, 57)
    assert len(code) == 9
    assert code[4] == "-"
    others = [
        prompt_code(b"yek", "vq-07", "spain", 0, 57),
        prompt_code(b"key", "vq-08", "spain", 0, 57),
        prompt_code(b"key", "vq-07", "france", 0, 57),
        prompt_code(b"key", "vq-07", "spain", 1, 57),
        prompt_code(b"key", "vq-07", "spain", 0, 58),
    ]
    assert code not in others
    assert same_code(f" {code.upper().replace('-', ' – ')} ", [*others, code])
    assert not same_code(code, others)
    assert not same_code("", [""])


def test_the_code_of_the_last_letter_serves_him_who_is_not_asked():
    asked = prompt_codes(b"key", "g", "spain", 0, 57, asked=True, told=50)
    idle = prompt_codes(b"key", "g", "spain", 0, 57, asked=False, told=50)
    old = prompt_code(b"key", "g", "spain", 0, 50)
    assert old not in asked
    assert old in idle
    assert asked[0] == idle[0]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("send state", "send state"),
        ("SEND  Log", "send log"),
        ("状態", "send state"),
        ("help", "help"),
        ("ヘルプ", "help"),
        ("letters short", "letters short"),
        ("letters = full", "letters full"),
        ("letters digest 7", "letters digest 7"),
        ("手紙 まとめ", "letters digest"),
        ("attach view", "attach view"),
    ],
)
def test_what_a_seat_wants_to_read(line, meant):
    (item,) = block_of(line).items
    assert isinstance(item, InfoRequest)
    assert str(item) == meant


@pytest.mark.parametrize(
    "line", ["send", "send fleet", "letters", "letters short 7", "letters digest 24", "helpful", "57: help"]
)
def test_what_is_no_wish_is_an_answer_as_before(line):
    (item,) = block_of(line).items
    assert not isinstance(item, InfoRequest)
