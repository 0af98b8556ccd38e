"""The runner of conformance cases: what it accepts, and what it says about cases that do not hold."""

from pathlib import Path

import pytest

from pbem.trial import cases
from tests.trial.toy import toy

GOOD = """
game = "toy"
players = 2
supply = { deck = ["players.*.hand", "shown"] }
skip = ["swap"]

[[case]]
id = "T1"
title = "Ann leads, Bob snatches"
rule = "2"
dice = [4]
last = { deck = ["n7"] }
[case.state]
players.ann.hand = ["n5", "n6"]
players.bob.hand = ["n9"]

[[case.answers]]
seat = "ann"
kind = "lead"
text = "lead n9"
refuse = { key = "answer.not_now", rule = "1", text = "not possible" }

[[case.answers]]
seat = "ann"
text = "lead number 7"
[case.answers.expect]
asked = ["bob"]
state.shown = ["n7"]
open = [{ seat = "bob", kind = "snatch", rule = "2", about = { card = "n7" }, options = ["snatch n9"],\
  no = ["snatch n5"] }]
lines = [{ key = "led", args = { card = "n7" } }]
no_lines = ["drawn"]

[[case.answers]]
seat = "bob"
value = { do = "snatch", card = "n9" }

[[case.answers]]
seat = "*"
kind = "bid"
text = "3"

[case.expect]
state.players.bob = { hand = ["n24"], score = 7 }
includes = { shown = ["n9"] }
excludes = { shown = ["n5"] }
count = { deck = 25, "players.ann.hand" = 2 }
asked = ["bob"]
over = false
lines = [
  { key = "drawn", args = { seat = "ann", card = "n7" }, seat = "ann", hidden = ["bob"] },
  { key = "snatched", args = { seat = "bob" } },
  { key = "luck", args = { dice = [4] } },
]
view = [{ seat = "ann", has = ["n5"] }, { seat = "bob", lacks = ["n5"] }, { lacks = ["n5"] }]
"""


def write(folder, text):
    path = folder / "case.toml"
    path.write_text(text, "utf-8")
    return path


def why(folder, text):
    report = cases.run([write(folder, text)], games=lambda slug: toy())
    return "\n".join(line for failure in report.failed for line in failure.why)


def test_a_case_that_holds(tmp_path):
    seen = []
    report = cases.run(
        [write(tmp_path, GOOD)], lambda so_far: seen.append(so_far.cases), games=lambda slug: toy()
    )
    assert (report.cases, report.passed, report.failed) == (1, 1, [])
    assert seen == [1]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('text = "lead n9"', 'text = "lead n5"', "was taken, but must be refused"),
        ('rule = "1", text', 'rule = "9", text', "with rule '1' instead of '9'"),
        ("not possible", "too late", "instead of 'too late'"),
        ('text = "lead number 7"', 'text = "lead n9"', "ann: lead n9: refused: 'n9' is not possible here"),
        ('asked = ["bob"]\nstate', 'asked = ["ann"]\nstate', "asked are bob snatch; expected: ann"),
        ('shown = ["n7"]', 'shown = ["n8"]', "shown is ['n7'], expected ['n8']"),
        ('kind = "snatch", rule = "2"', 'kind = "snatch", rule = "3"', "bob snatch: rule is '2', expected '3'"),
        ('about = { card = "n7" }', 'about = { card = "n8" }', "about.card is 'n7', expected 'n8'"),
        ('options = ["snatch n9"]', 'options = ["snatch n4"]', "'snatch n4' must be possible, but"),
        ('no = ["snatch n5"]', 'no = ["snatch n9"]', "'snatch n9' is possible, but must not be"),
        ('no = ["snatch n5"]', 'only = ["pass"]', "the options are pass, snatch n9; expected: pass"),
        ('seat = "bob", kind = "snatch"', 'seat = "bob", kind = "nap"', "'bob nap' is not open; open: bob snatch"),
        ('no_lines = ["drawn"]', 'no_lines = ["led"]', "led is told, but must not be"),
        ('{ key = "led", args = { card = "n7" } }', '{ key = "led", args = { card = "n8" } }', "told so: led"),
        ('{ key = "led", args = { card = "n7" } }', '{ key = "sung" }', "told: led"),
        ('kind = "bid"', 'kind = "bribe"', "'bribe' is not open to ann; open: ann bid, bob bid"),
        ("score = 7", "score = 8", "players.bob.score is 7, expected 8"),
        ('includes = { shown = ["n9"] }', 'includes = { shown = ["n1"] }', "shown lacks n1; it has n7, n9"),
        ('excludes = { shown = ["n5"] }', 'excludes = { shown = ["n9"] }', "shown has n9, which must not be there"),
        ("deck = 25", "deck = 3", "deck has 25 entries, expected 3"),
        ("over = false", "over = true", "the game is not over; open: bob lead"),
        ('seat = "ann", hidden = ["bob"]', 'seat = "ann", hidden = ["ann"]', "ann can read drawn"),
        ("dice = [4]", "dice = [4, 4]", "1 scripted dice are left, expected 0"),
        ("dice = [4]", "dice = [5]", "players.bob.score is 8"),
        ('{ seat = "ann", has = ["n5"] }', '{ seat = "ann", has = ["n99"] }', "the view of ann lacks 'n99'"),
        ('{ lacks = ["n5"] }', '{ lacks = ["toy"] }', "the view of the public shows 'toy'"),
        ('hand = ["n9"]', 'hand = ["n99"]', "there is no piece 'n99' left to take"),
        ("players.bob.hand", "players.bob.nose", "the position cannot be set up: there is no 'players.bob.nose'"),
        ("players = 2", "players = 7", "7 players? possible: [2, 3, 4]"),
        ("skip = [", 'options = { mood = "grim" }\nskip = [', "grim"),
        ('rule = "2"\ndice', 'rule = "2"\nclear = ["players.ann.nose"]\ndice', "there is no 'players.ann.nose'"),
        ('text = "lead number 7"', "time_up = true\nstuck = ['bob']", "had no default: none; expected: bob"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_said(tmp_path, old, new, expected):
    assert GOOD.count(old) >= 1
    assert expected in why(tmp_path, GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('title = "Ann', 'titel = "Ann', "case T1: 'title' is missing"),
        ("dice = [4]", "dices = [4]", "dices"),
        ("count = {", "counts = {", "counts"),
        ("[[case]]", "[[case", "case.toml"),
        ("dice = [4]", 'path = "x"', "'path' is no word"),
        ('key = "answer.not_now", rule = "1", text', "text", "T1: 'refuse' names a key or a rule: lead n9"),
        (
            '{ key = "answer.not_now", rule = "1", text = "not possible" }',
            "true",
            "Expected `object | null`, got `bool`",
        ),
    ],
)
def test_a_file_that_cannot_be_read_names_the_place(tmp_path, old, new, expected):
    report = cases.run([write(tmp_path, GOOD.replace(old, new, 1))], games=lambda slug: toy())
    assert (report.cases, report.passed) == (1, 0)
    assert expected in report.failed[0].why[0]
    assert "case.toml" in str(report.failed[0])


def test_pieces_stay_complete(tmp_path):
    text = GOOD.replace('last = { deck = ["n7"] }', 'pour = { deck = "shown" }\nlast = { deck = ["n7"] }')
    text = text.replace('state.shown = ["n7"]', "count = { shown = 27 }")
    text = text.replace("deck = 25", "deck = 0").replace('hand = ["n24"]', "hand = []")
    assert why(tmp_path, text) == ""


def test_clear_gives_back_to_the_supply(tmp_path):
    text = GOOD.replace("[case.state]", 'clear = ["players.ann.hand"]\n[case.state]').replace(
        'hand = ["n5", "n6"]', "score = 1"
    )
    text = text.replace('"players.ann.hand" = 2', '"players.ann.hand" = 0').replace("deck = 25", "deck = 27")
    text = text.replace('has = ["n5"]', 'lacks = ["n7"]')
    assert why(tmp_path, text) == ""


def test_a_broken_position_is_named(tmp_path):
    text = GOOD.replace('supply = { deck = ["players.*.hand", "shown"] }', "").replace(
        'last = { deck = ["n7"] }', ""
    )
    assert "breaks an invariant" in why(tmp_path, text)


def test_a_crash_of_the_rules_is_reported(tmp_path):
    text = GOOD.replace('text = "3"', 'text = "9"')
    path = write(tmp_path, text)
    report = cases.run([path], games=lambda slug: toy(fault="crash"))
    assert "answer 4: the rules crashed: RuntimeError: nine is too much" in report.failed[0].why[-1]


def test_folders_and_defaults(tmp_path):
    (tmp_path / "_defaults.toml").write_text('game = "toy"\nplayers = 2\n')
    case = 'id = "D1"\ntitle = "defaults"\nrule = "0"\n[expect]\nasked = ["ann"]\n'
    (tmp_path / "one.toml").write_text(case)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "two.toml").write_text('game = "toy"\nplayers = 3\n' + case)
    report = cases.run([tmp_path], games=lambda slug: toy())
    assert (report.cases, report.passed) == (2, 2)


def test_a_journal_that_replays_differently_is_found(tmp_path):
    game = toy(fault="outside")
    report = cases.run([write(tmp_path, GOOD)], games=lambda slug: game)
    assert "the journal replays to another position" in report.failed[0].why[-1]


def test_the_case_in_the_documentation_holds(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "cases.md").read_text("utf-8")
    examples = page.split("```toml\n")[1:]
    assert len(examples) == 1
    report = cases.run([write(tmp_path, examples[0].split("```")[0])])
    assert (report.cases, report.failed) == (1, [])
