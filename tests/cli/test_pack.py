"""`pbem pack`: a stranger with a box corrects cards and a link by spreadsheet and by file, and begins a game."""

from __future__ import annotations

import csv
import io
import tomllib
from email import message_from_bytes, policy
from pathlib import Path

import pytest

import games
from pbem.cli.console import Exit
from pbem.kernel.pack import load_pack
from pbem.kernel.pack_draft import BOX, PackDraft, changes, expanded, problems_if_set
from pbem.save import load
from pbem.save.pack_files import as_csv, from_cell, parted, read, store, take_csv, written

EXAMPLES = Path(__file__).parents[2] / "examples" / "packs"
GAMES = ("sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen")


def test_ten_cards_and_a_link_by_spreadsheet_begin_a_game(pbem):
    pbem("pack", "new", "virgin_queen", "-o", "box.toml", "--name", "my copy")
    assert "cards.cards" in pbem("pack", "export", "box.toml").stdout
    text = pbem("pack", "export", "box.toml", "--table", "cards.cards").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    free = [row for row in rows if row["type"] == "event"][:10]
    for row in free:
        row["cp"] = "3" if row["cp"] != "3" else "2"
        row["confirmed"] = "yes"
    write(pbem.folder / "cards.csv", free)
    said = pbem("pack", "import", "box.toml", "cards.csv").stdout
    assert "fields corrected: 10" in said
    link(pbem.folder / "box.toml", "buda", "belgrade")
    pbem("pack", "check", "box.toml")
    seats = [word for seat in games.load("virgin_queen").seats_for(6) for word in ("--seat", f"{seat}=A")]
    pbem("new", "virgin_queen", "-o", "vq.toml", "--pack", "box.toml", *seats)
    save = load(pbem.folder / "vq.toml")
    assert save.header.pack_digest == read(pbem.folder / "box.toml", games.load).digest
    assert "game" not in save.header.pack
    assert len(save.header.pack["cards"]["cards"]) == 10


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def link(path, a, b):
    """Take the link between two spaces away, or lay one."""
    box = read(path, games.load)
    for here, there in ((a, b), (b, a)):
        now = box.sheet(("map", "spaces", here)).node["connections"]
        box.put(("map", "spaces", here), "connections", sorted(set(now) ^ {there}))
    box.refresh()
    store(path, box)


def test_check_names_the_rule_the_entry_and_the_line(pbem):
    text = 'game = "virgin_queen"\n\n[cards.papal-bull]\ncp = 9\n'
    (pbem.folder / "bad.toml").write_text(text, "utf-8")
    said = pbem("pack", "check", "bad.toml", code=Exit.FAILED_CHECK).stdout
    assert "[A69]" in said
    assert "cards.cards.papal-bull, line 3" in said
    found = pbem.json("pack", "check", "bad.toml", code=Exit.FAILED_CHECK)
    assert {problem["rule"] for problem in found["problems"]} >= {"A69"}
    assert found["digest"] == ""
    assert "no game can begin" in said


def test_a_pack_for_another_game_begins_none(pbem):
    pbem("pack", "new", "crown_of_roses", "-o", "box.toml")
    result = pbem("new", "sixteen_thirty", "-o", "g.toml", "--players", "4", "--pack", "box.toml", code=Exit.BAD_DATA)
    assert "is a pack for crown_of_roses" in result.stderr


def test_a_file_that_is_no_pack_is_told_in_a_sentence(pbem):
    (pbem.folder / "a.toml").write_text("[cards\n", "utf-8")
    (pbem.folder / "b.toml").write_text("[cards.spain]\ncopies = [1]\n", "utf-8")
    assert "a.toml" in pbem("pack", "check", "a.toml", code=Exit.BAD_DATA).stderr
    assert "doesn't name its game" in pbem("pack", "check", "b.toml", code=Exit.BAD_DATA).stderr
    pbem("pack", "check", "b.toml", "--game", "sixteen_thirty")
    assert "already exists" in pbem("pack", "new", "sixteen_thirty", "-o", "b.toml", code=Exit.BAD_DATA).stderr


def test_diff_and_merge(pbem):
    one, two = pbem.folder / "one.toml", pbem.folder / "two.toml"
    one.write_text('game = "sixteen_thirty"\n[cards.spain]\ncopies = [5, 4, 3]\n[cards.vote]\ncount = 9\n', "utf-8")
    two.write_text('game = "sixteen_thirty"\n[cards.influence.france]\ncopies = [5, 4, 4]\n', "utf-8")
    assert "cards.influence.spain.copies: 4 5 3 → 5 4 3" in pbem("pack", "diff", one).stdout
    differences = pbem.json("pack", "diff", one, two)
    assert {d["entry"] for d in differences} == {
        "cards.influence.spain", "cards.special.vote", "cards.influence.france",
    }  # fmt: skip
    pbem("pack", "merge", one, two, "-o", "both.toml")
    assert len(pbem.json("pack", "diff", "both.toml")) == 3
    two.write_text('game = "sixteen_thirty"\n[cards.spain]\ncopies = [3, 4, 5]\n', "utf-8")
    refused = pbem("pack", "merge", one, two, "-o", "both.toml", code=Exit.FAILED_CHECK).stderr
    assert "cards.influence.spain.copies: 5 4 3 in" in refused
    pbem("pack", "merge", one, two, "-o", "both.toml", "--prefer", "second")
    assert "→ 3 4 5" in pbem("pack", "diff", "both.toml").stdout


def test_a_cell_that_cannot_be_read_changes_nothing(pbem):
    pbem("pack", "new", "virgin_queen", "-o", "box.toml")
    before = (pbem.folder / "box.toml").read_text("utf-8")
    (pbem.folder / "f.csv").write_text(
        "table;number;cp;wings\ncards.cards;5;two;\ncards.cards;6;;4\n;999;1;\n", "utf-8"
    )
    said = pbem("pack", "import", "box.toml", "f.csv", code=Exit.FAILED_CHECK).stderr
    assert "line 2, cp: 'two'" in said
    assert "line 3: cards.cards.selim-ii has no field 'wings'" in said
    assert "line 4: no entry '999'" in said
    assert (pbem.folder / "box.toml").read_text("utf-8") == before


@pytest.mark.parametrize("slug", GAMES)
def test_a_box_that_is_confirmed_whole_changes_no_value_and_survives_its_file(slug):
    box = PackDraft(games.load(slug))
    for sheet in list(box.sheets):
        box.confirm(sheet.place)
    box.refresh()
    assert (box.progress.confirmed, box.progress.corrected, box.problems) == (box.progress.doubtful, 0, ())
    head, corrections = parted(written(box))
    again = PackDraft(games.load(slug), corrections, head)
    assert again.digest == box.digest != load_pack(box.game.package).digest
    assert again.progress == box.progress


@pytest.mark.parametrize("slug", GAMES)
def test_a_spreadsheet_that_nobody_touched_changes_nothing(slug):
    from pbem.save.pack_files import arrays

    box = PackDraft(games.load(slug))
    for name in arrays(box):
        assert take_csv(box, as_csv(box, name)) == (0, 0, [])
    assert box.corrections == {}


def test_what_is_confirmed_is_taken_back_without_a_trace():
    box = PackDraft(games.load("virgin_queen"))
    place = ("cards", "cards", "papal-bull")
    assert box.confirm(place, "cp") == 1
    assert box.corrections == {"cards": {"cards": {"papal-bull": {"cp": 2, "prov": {"cp": BOX}}}}}
    box.revert(place, "cp")
    assert box.corrections == {}


def test_short_and_full_addresses_are_the_same_entry():
    tables = load_pack("games.sixteen_thirty").tables
    short = {"cards": {"spain": {"copies": [1]}, "influence": {"spain": {"name": "S"}}}}
    assert expanded(short, tables) == {"cards": {"influence": {"spain": {"copies": [1], "name": "S"}}}}


def test_a_card_by_hand_is_asked_of_the_moderator_with_the_owners_words():
    box = PackDraft(games.load("sixteen_thirty"))
    box.is_corrected(("cards", "special", "vote"), "Two more votes.")
    box.refresh()
    assert not box.problems
    assert {field for _, field, _, _ in changes(box)} == {"text", "manual"}
    components = box.game.components(load_pack(box.game.package))
    assert "vote" not in components.manual


@pytest.mark.parametrize(
    ("text", "sample", "value"),
    [("3", 1, 3), ("3.0", 1, 3), ("madrid lisbon", ["x"], ["madrid", "lisbon"]), ("yes", False, True),
     ("[1, 2]", [3], [1, 2]), ("-", ["x"], []), ("1", "x", "1"), ("0.5", 1.0, 0.5)],
)  # fmt: skip
def test_cells(text, sample, value):
    assert from_cell(text, sample) == value


def test_a_broken_pack_can_be_kept_and_gone_on_with(pbem):
    """In the middle of the work rules are broken: the file stays a file that can be worked on."""
    path = pbem.folder / "box.toml"
    pbem("pack", "new", "virgin_queen", "-o", "box.toml")
    box = read(path, games.load)
    box.put(("map", "spaces", "buda"), "connections", ["madrid"])
    box.refresh()
    store(path, box)
    again = read(path, games.load)
    assert any(problem.rule == "A15" for problem in again.problems)
    assert "map.spaces.buda" in again.entries_to_blame(again.problems[0])
    assert again.sheet(("map", "spaces", "buda")).node["connections"] == ["madrid"]
    assert tomllib.loads(path.read_text("utf-8"))["game"] == "virgin_queen"


def test_the_finished_example_has_no_doubtful_fact_left():
    box = read(EXAMPLES / "sixteen_thirty.toml", games.load)
    assert "read off no box" in box.head["note"]
    done = box.progress
    assert (done.confirmed, done.doubtful, done.corrected) == (44, 44, 2)


def test_a_whole_box_comes_by_spreadsheet_and_its_game_names_nothing_reconstructed(pbem):
    pbem("pack", "new", "crown_of_roses", "-o", "box.toml")
    assert (
        "924 of 924 doubtful facts confirmed, 4 values differ"
        in pbem("pack", "import", "box.toml", EXAMPLES / "crown_of_roses").stdout
    )
    seats = [word for seat in ("york", "lancaster") for word in ("--seat", f"{seat}={seat}@example.org")]
    pbem("new", "crown_of_roses", "-o", "roses.toml", "--players", "2", *seats, "--pack", "box.toml")
    (first, *_) = sorted((pbem.folder / "outbox" / "new").iterdir())
    letter = message_from_bytes(first.read_bytes(), policy=policy.default)
    text = letter.get_body(("plain",)).get_content()
    assert "econstructed" not in text
    assert "values differ" in " ".join(text.split())
    assert len(text.split()) < 300


@pytest.mark.parametrize("slug", ["crown_of_roses", "virgin_queen"])
def test_every_doubtful_fact_can_be_settled_in_a_spreadsheet(slug, pbem):
    pbem("pack", "new", slug, "-o", "box.toml")
    pbem("pack", "export", "box.toml", "--output", "facts")
    files = sorted((pbem.folder / "facts").iterdir())
    for file in files:
        rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
        with file.open("w", encoding="utf-8", newline="") as stream:
            table = csv.DictWriter(stream, list(rows[0]))
            table.writeheader()
            table.writerows({**row, "confirmed": "yes"} for row in rows)
    said = pbem("pack", "import", "box.toml", "facts").stdout
    done = read(pbem.folder / "box.toml", games.load).progress
    assert done.confirmed == done.doubtful > 900
    assert "fields corrected: 0" in said


@pytest.mark.parametrize(
    ("slug", "place", "effect"),
    [
        ("virgin_queen", ("cards", "cards", "puritans"), "fugger-loan"),
        ("crown_of_roses", ("cards", "operations", "good_men_of_england"), "call_to_arms"),
    ],
)
def test_a_card_may_have_the_effect_of_another_but_not_of_any(slug, place, effect):
    box = PackDraft(games.load(slug))
    assert effect in box.effects(place)
    assert place[-1] not in box.effects(place)
    box.put(place, "effect", effect)
    box.refresh()
    assert box.problems == ()
    box.put(place, "effect", "no-such-card")
    box.refresh()
    (problem, *_) = list[object](box.problems)
    assert "it can't have that of 'no-such-card'" in str(problem)


def test_where_effects_stay_a_pack_cannot_move_them(pbem):
    (pbem.folder / "a.toml").write_text(
        'game = "imperial_struggle"\n[events.carnatic-war]\neffect = "acts-of-union"\n', "utf-8"
    )
    assert "effect is unknown" in pbem("pack", "check", "a.toml", code=Exit.FAILED_CHECK).stdout


def test_a_part_of_a_field_is_corrected_and_the_rest_of_it_stays():
    box = PackDraft(games.load("crown_of_roses"))
    place = ("cards", "operations", "dynham")
    before = box.sheet(place).node["options"]
    assert problems_if_set(box, place, "options.1.count", 2) == ()
    assert box.corrections == {}  # what is tried leaves no trace
    box.put(place, "options.1.count", 2)
    box.put(place, "options.1.hits_on", 5)
    box.refresh()
    now = box.sheet(place).node["options"]
    assert now == [{**before[0], "count": 2, "hits_on": 5}, *before[1:]]
    assert box.published_value(place, "options.1.count") == before[0]["count"]
    with pytest.raises(KeyError):
        box.put(place, "options.9.count", 2)
    box.revert(place, "options.1.count")
    assert box.corrections == {}
