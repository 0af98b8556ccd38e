"""The runner of conformance cases: what it accepts, and what it says about cases that do not hold."""

import re
from pathlib import Path

import pytest

from pbem.dev import rule_tests
from tests.toy.planted import toy

GOOD = """
game = "toy"
players = 2
supply = { deck = ["hands.*", "discard"] }
skip = ["negotiation"]

[[case]]
id = "T1"
title = "Amber marches, Blue intercepts and is bribed"
rule = "3.2"
dice = [3, 4]
last = { deck = ["c7"] }
[case.state]
phase = "act"
to_act = ["amber", "amber"]
hands.amber = ["c5", "c6"]
hands.blue = ["c9"]
at.blue = "keep"

[[case.answers]]
seat = "amber"
kind = "action"
text = "march port"
refuse = { key = "rules.custom", rule = "3.1", text = "too far" }

[[case.answers]]
seat = "amber"
text = "draw"
[case.answers.expect]
lines = [{ key = "drew", args = { seat = "amber" } }]
no_lines = ["marched"]

[[case.answers]]
seat = "amber"
text = "march the keep"
[case.answers.expect]
asked = ["blue"]
state.to_act = ["amber"]
open = [{ seat = "blue", kind = "intercept", rule = "3.2", about = { space = "keep" }, options = ["intercept c9"],\
  no = ["intercept c5"] }]

[[case.answers]]
seat = "blue"
value = { do = "intercept", card = "c9" }

[[case.answers]]
seat = "amber"
kind = "bribe"
text = "2"

[[case.answers]]
seat = "*"
kind = "bid"
text = "3"

[[case.answers]]
seat = "amber"
kind = "action"
text = "hold"

[case.expect]
state.gold = { amber = 1, blue = 5 }
includes = { discard = ["c9"] }
excludes = { discard = ["c5"] }
count = { deck = 8, "hands.amber" = 3 }
asked = ["amber"]
over = false
lines = [
  { key = "drew", args = { seat = "amber", card = "c7" }, seat = "amber", hidden = ["blue"] },
  { key = "intercepts", args = { seat = "blue" } },
  { key = "intercept.roll", args = { dice = [3, 4] } },
]
view = [{ seat = "amber", has = ["c5"] }, { seat = "blue", lacks = ["c5"] }, { lacks = ["c5"] }]
"""


def write(folder, text):
    path = folder / "case.toml"
    path.write_text(text, "utf-8")
    return path


def why(folder, text):
    report = rule_tests.run([write(folder, text)], games=lambda slug: toy())
    return "\n".join(line for failure in report.failed for line in failure.why)


def test_a_case_that_holds(tmp_path):
    seen = []
    report = rule_tests.run([write(tmp_path, GOOD)], lambda so_far: seen.append(so_far.cases), games=lambda slug: toy())
    assert (report.cases, report.passed, report.failed) == (1, 1, [])
    assert seen == [1]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('text = "march port"', 'text = "march ford"', "was accepted, but must be rejected"),
        ('rule = "3.1", text', 'rule = "9", text', "with rule '3.1' instead of '9'"),
        ("too far", "too late", "instead of 'too late'"),
        ('text = "march the keep"', 'text = "march hill"', "amber: march hill: rejected: hill is too far"),
        ('asked = ["blue"]\nstate', 'asked = ["amber"]\nstate', "open: blue intercept; expected: amber"),
        ('to_act = ["amber"]', 'to_act = ["blue"]', "to_act is ['amber'], expected ['blue']"),
        ('kind = "intercept", rule = "3.2"', 'kind = "intercept", rule = "3"', "rule is '3.2', expected '3'"),
        ('about = { space = "keep" }', 'about = { space = "ford" }', "about.space is 'keep', expected 'ford'"),
        ('options = ["intercept c9"]', 'options = ["intercept c4"]', "'intercept c4' must be possible, but"),
        ('no = ["intercept c5"]', 'no = ["intercept c9"]', "'intercept c9' is possible, but must not be"),
        ('no = ["intercept c5"]', 'only = ["pass"]', "the options are pass, intercept c9, intercept c9 extra=0, "),
        ('seat = "blue", kind = "intercept"', 'seat = "blue", kind = "nap"', "'blue nap' is not open; open: blue in"),
        ('no_lines = ["marched"]', 'no_lines = ["drew"]', "drew is logged, but must not be"),
        ('{ key = "drew", args = { seat = "amber" } }', '{ key = "drew", args = { seat = "blue" } }', "told so: drew"),
        ('{ key = "drew", args = { seat = "amber" } }', '{ key = "sung" }', "told: order, drew"),
        ('kind = "bid"', 'kind = "bribe"', "'bribe' is not open to amber; open: amber bid, blue bid"),
        ("blue = 5", "blue = 6", "gold.blue is 5, expected 6"),
        ('includes = { discard = ["c9"] }', 'includes = { discard = ["c1"] }', "discard lacks c1; it has c9"),
        ('excludes = { discard = ["c5"] }', 'excludes = { discard = ["c9"] }', "discard has c9, which must not be"),
        ("deck = 8", "deck = 3", "deck has 8 entries, expected 3"),
        ("over = false", "over = true", "the game is not over; open: amber action"),
        ('seat = "amber", hidden = ["blue"]', 'seat = "amber", hidden = ["amber"]', "amber can read drew"),
        ("dice = [3, 4]", "dice = [3, 4, 4]", "1 scripted dice are left, expected 0"),
        ("dice = [3, 4]", "dice = [3, 2]", "'bribe' is not open to amber"),
        ('{ seat = "amber", has = ["c5"] }', '{ seat = "amber", has = ["c99"] }', "the view of amber lacks 'c99'"),
        ('{ lacks = ["c5"] }', '{ lacks = ["toy"] }', "the view of the public shows 'toy'"),
        ('blue = ["c9"]', 'blue = ["c99"]', "there is no piece 'c99' left to take"),
        ("hands.blue", "nose.blue", "the position can't be set up: 'nose' isn't in the state"),
        ("players = 2", "players = 7", "7 players? possible: [2, 3, 4]"),
        ("skip = [", "options = { limit = 99 }\nskip = [", "99"),
        ('rule = "3.2"\ndice', 'rule = "3.2"\nclear = ["nose.amber"]\ndice', "'nose.amber' isn't in the state"),
        ('kind = "action"', "time_up = true\nstuck = ['blue']", "had no default: none; expected: blue"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_said(tmp_path, old, new, expected):
    assert GOOD.count(old) >= 1
    assert expected in why(tmp_path, GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('title = "Amber', 'titel = "Amber', "case T1: 'title' is missing"),
        ("dice = [3, 4]", "dices = [4]", "dices"),
        ("count = {", "counts = {", "counts"),
        ("[[case]]", "[[case", "case.toml"),
        ("dice = [3, 4]", 'path = "x"', "'path' is no word"),
        ('key = "rules.custom", rule = "3.1", text', "text", "T1: 'refuse' names a key or a rule: march port"),
        ('{ key = "rules.custom", rule = "3.1", text = "too far" }', "true", "Expected `object | null`, got `bool`"),
    ],
)
def test_a_file_that_cannot_be_read_names_the_place(tmp_path, old, new, expected):
    report = rule_tests.run([write(tmp_path, GOOD.replace(old, new, 1))], games=lambda slug: toy())
    assert (report.cases, report.passed) == (1, 0)
    assert expected in report.failed[0].why[0]
    assert "case.toml" in str(report.failed[0])


def test_pieces_stay_complete(tmp_path):
    text = GOOD.replace('last = { deck = ["c7"] }', 'pour = { deck = "discard" }\nlast = { deck = ["c7"] }')
    text = text.replace("deck = 8", "deck = 0, discard = 9")
    assert why(tmp_path, text) == ""


def test_clear_gives_back_to_the_supply(tmp_path):
    text = GOOD.replace("[case.state]", 'clear = ["hands.amber"]\n[case.state]')
    text = text.replace('hands.amber = ["c5", "c6"]\n', "")
    text = text.replace('"hands.amber" = 3', '"hands.amber" = 1').replace("deck = 8", "deck = 10")
    text = text.replace('has = ["c5"]', 'has = ["c7"]')
    assert why(tmp_path, text) == ""


def test_a_broken_position_is_named(tmp_path):
    text = GOOD.replace('supply = { deck = ["hands.*", "discard"] }', "").replace('last = { deck = ["c7"] }', "")
    assert "breaks an invariant" in why(tmp_path, text)


def test_a_crash_of_the_rules_is_reported(tmp_path):
    path = write(tmp_path, GOOD)
    report = rule_tests.run([path], games=lambda slug: toy(fault="crash"))
    assert re.search(r"answer 6: the rules crashed: \S+:\d+: RuntimeError: three is too much", report.failed[0].why[-1])


def test_folders_and_defaults(tmp_path):
    (tmp_path / "_defaults.toml").write_text('game = "toy"\nplayers = 2\n')
    case = 'id = "D1"\ntitle = "defaults"\nrule = "0"\n[state]\nphase = "act"\nto_act = ["blue"]\n'
    case += '[expect]\nasked = ["blue"]\n'
    (tmp_path / "one.toml").write_text(case)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "two.toml").write_text('game = "toy"\nplayers = 3\n' + case)
    report = rule_tests.run([tmp_path], games=lambda slug: toy())
    assert (report.cases, report.passed) == (2, 2)


def test_a_journal_that_replays_differently_is_found(tmp_path):
    game = toy(fault="outside")
    report = rule_tests.run([write(tmp_path, GOOD)], games=lambda slug: game)
    assert "the journal replays to another position" in report.failed[0].why[-1]


def test_the_case_in_the_documentation_holds(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "write-a-rule-test.md").read_text("utf-8")
    examples = page.split("```toml\n")[1:]
    assert len(examples) == 1
    report = rule_tests.run([write(tmp_path, examples[0].split("```")[0])])
    assert (report.cases, report.failed) == (1, [])
