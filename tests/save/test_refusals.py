"""What is wrong with a key or with the text itself is named by kind, key and line."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pbem.save import (
    BrokenChain,
    SaveError,
    SaveKeyError,
    Session,
    Truncated,
    Unreadable,
    WrongFormat,
    load,
    load_header,
)
from pbem.save.toml_reader import typed
from tests.save.hands import edited, refused
from tests.toy import playing as toy

HEADER_EDITS = [
    ('q = ', 'qq = ', "[game]", "game.qq"),
    ('rules = "7"', "rules = 7", "", "game.rules"),
    ('scenario = "campaign"\n', "", "", "game"),
    ("[clock]", "[klock]", "", "klock"),
    ("turn = 72", 'turn = "72"', "", "clock.hours.turn"),
    ('zone = "UTC"', "zone = []", 'id = "france"', "seats[1].zone"),
    ("seen = 0", "sean = 0", 'id = "spain"', "seats[2].sean"),
    ('id = "spain"', 'id = "england"', "", "seats[2].id"),
    ('addresses = []', 'addresses = ["a",\n  3]', 'id = "france"', "seats[1].addresses[1]"),
    ('seed = "5a', 'seed = "zz', "", "dice.seed"),
    ('commitment = "', 'commitment = "0', "", "dice.commitment"),
    ('seat = "', 'seat = "x', "[[pending]]", "pending[0].seat"),
    ("sealed = ", 'sealed = "no" # ', "[[pending]]", "pending[0].sealed"),
]  # fmt: skip

BODY_EDITS = [
    ("counter = ", "countre = ", "[checkpoint]", "checkpoint.countre"),
    ("epoch = 0", "epoch = 0.5", "[checkpoint]", "checkpoint.epoch"),
    ("[[sealed]]", "[[seeled]]", "", "seeled"),
    ("answer = ", "answers = ", "[[sealed]]", "sealed[0].answers"),
    ("[[moves]]", "[[mooves]]", "kind", "mooves"),
    ("n = 3", "n = true", "[[moves]]\nn = 3", "moves[2].n"),
    ("how = ", "who = ", "[[moves]]\nn = 5\n", "moves[4].who"),
]

STATE_EDITS = [
    ("marches = ", "marchs = ", "[checkpoint.state.powers.france]", "checkpoint.state.powers.france.marchs"),
    ("marches = 0", "marches = false", "[checkpoint.state.powers.spain]", "checkpoint.state.powers.spain.marches"),
    ('kind = "foot"', 'kind = "boat"', "[checkpoint.state.powers.spain]", "checkpoint.state.powers.spain.units[0].kind"),  # noqa: E501
    ("strength = 1", "strong = 1", "[checkpoint.state.powers.spain]", "checkpoint.state.powers.spain.units[0].strong"),
    ("turn = ", "torn = ", "[checkpoint.state]", "checkpoint.state.torn"),
    ("[checkpoint.state.order]", "[checkpoint.state.ordre]", "", "checkpoint.state.ordre"),
    ("england = ", 'england = "x" # ', "[checkpoint.state.order]", "checkpoint.state.order.england"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "after", "key"), HEADER_EDITS, ids=[e[3] for e in HEADER_EDITS])
def test_a_bad_key_of_the_header(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    if key == "game":  # a missing key: the table that lacks it
        line = 3
    refused(early, SaveKeyError, key, line, header=True)


HAND_EDITS = [
    ('zone = "UTC"', 'zone = "Mars/Olympus"', "[[seats]]", "seats[0].zone"),
    ('zone = "UTC"', 'zone = "../../etc/passwd"', "[[seats]]", "seats[0].zone"),
    ('language = "en"', 'language = "fr"', "[[seats]]", "seats[0].language"),
    ("delegates = []", 'delegates = [{ address = "a@b", since = "soon", until = "" }]', "[[seats]]", "seats[0].delegates[0].since"),  # noqa: E501
    ('zone = "UTC"', 'zone = "Berlin"', "[clock]", "clock.zone"),
    ("turn = ", "turn = 99999999", "[clock.hours]", "clock.hours.turn"),
    ("turn = ", "turn = -", "[clock.hours]", "clock.hours.turn"),
    ("days = []", 'days = ["mon", "noday"]', "[clock]", "clock.days[1]"),
    ("quiet = []", 'quiet = ["2026-13-01"]', "[clock]", "clock.quiet[0]"),
    ("grid = -1", "grid = 24", "[clock]", "clock.grid"),
    ("grace = ", "grace = -", "[clock]", "clock.grace"),
    ("remind = [24, 2]", "remind = [24, 0]", "[clock]", "clock.remind[1]"),
    ("outage = 6", "outage = 0", "[clock]", "clock.outage"),
    ("pauses = []", 'pauses = [{ id = "p", since = "", until = "", reason = "" }]', "[clock]", "clock.pauses[0].since"),
    ("absences = []", 'absences = [{ seat = "mauve", since = "2026-01-01", until = "2026-01-02" }]', "[clock]", "clock.absences[0].seat"),  # noqa: E501
    ("extensions = []", 'extensions = [{ id = "e", q = 1, hours = 9999999 }]', "[clock]", "clock.extensions[0].hours"),
    ('plays = ""', 'plays = "mauve"', "[post]", "post.plays"),
    ("release = 0", "release = -2", "[post]", "post.release"),
    ('language = "en"', 'language = "deutsch"', "[post]", "post.language"),
    ('due = ""', 'due = "tomorrow"', "[[pending]]", "pending[0].due"),
    ('due = ""', 'due = "9999-12-31T23:00:00Z"', "[[pending]]", "pending[0].due"),
    ('name = "toy-1"', 'name = "toy 1"', "[game]", "game.name"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "after", "key"), HAND_EDITS, ids=[f"{e[3]} {e[1]}" for e in HAND_EDITS])
def test_a_slip_in_what_may_be_edited_by_hand(early: Path, old: str, new: str, after: str, key: str) -> None:
    """Zones, times, hours: what would stop cron at night is told by whoever reads the file first."""
    line = edited(early, old, new, after)
    refused(early, SaveKeyError, key, line, header=True)


def test_nothing_is_written_that_could_not_be_read_again(session: Session, path: Path) -> None:
    before = path.read_bytes()
    session.save.clock.hours["turn"] = 10**12
    with pytest.raises(SaveKeyError, match="Nothing was written") as caught:
        session.commit()
    assert caught.value.key == "clock.hours.turn"
    assert path.read_bytes() == before


@pytest.mark.parametrize(("old", "new", "after", "key"), BODY_EDITS, ids=[e[3] for e in BODY_EDITS])
def test_a_bad_key_below_the_header(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    refused(early, SaveKeyError, key, line)
    assert load_header(early).header.n > 0


@pytest.mark.parametrize(("old", "new", "after", "key"), STATE_EDITS, ids=[e[3] for e in STATE_EDITS])
def test_a_bad_key_of_the_state(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    with pytest.raises(SaveKeyError) as caught:
        Session.open(early, toy.load)
    assert (caught.value.key, caught.value.line) == (key, line)


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("marches = 0", "marches = 100", "[checkpoint.state.powers.england]"),
        ("counter = ", "counter = 1", "[checkpoint]"),
        ("spain = 9\nfrance = 8\n", "france = 8\nspain = 9\n", "[checkpoint.state.order]"),
    ],
    ids=["value", "dice", "order"],
)
def test_a_state_edited_by_hand(early: Path, old: str, new: str, after: str) -> None:
    edited(early, old, new, after)
    with pytest.raises(BrokenChain, match="pbem repair correct") as caught:
        Session.open(early, toy.load)
    assert caught.value.key == "checkpoint.digest"
    assert caught.value.line == early.read_text("utf-8").split("\n").index("[checkpoint]") + 7


def test_an_error_names_what_would_be_right(early: Path) -> None:
    edited(early, "marches = ", "marchs = ", "[checkpoint.state.powers.france]")
    with pytest.raises(
        SaveKeyError, match=r"line \d+: checkpoint.state.powers.france.marchs: .*known: marches, friend"
    ):
        Session.open(early, toy.load)


def test_syntax(early: Path) -> None:
    line = edited(early, "epoch = 0", "epoch = = 0", "[checkpoint]")
    refused(early, Unreadable, "", line)
    line = edited(early, 'zone = "UTC"', 'zone = "UTC', 'id = "spain"')
    refused(early, Unreadable, "", line, header=True)


def test_no_file_no_text_no_save(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    refused(path, Unreadable, "", 0, header=True)
    refused(tmp_path, Unreadable, "", 0, header=True)
    path.write_bytes(b"")
    refused(path, Truncated, "", 0, header=True)
    path.write_text("BEGIN ORDERS toy-1 england\npass\nEND ORDERS\n")
    refused(path, WrongFormat, "", 0, header=True)
    path.write_bytes(b"x = 1\n\xff\xfe\n# end of save\n")
    refused(path, Unreadable, "", 2, header=True)
    path.write_text("x = 1\n# end of save\n")
    refused(path, WrongFormat, "game.format", 0, header=True)


def test_nesting_without_end(early: Path) -> None:
    edited(early, "turn = ", "turn = " + "[" * 5000 + "]" * 5000 + " # ", "[checkpoint.state]")
    with pytest.raises(SaveError):
        load(early)


@pytest.mark.parametrize("number", ["2", "0", '"1"', "true"])
def test_wrong_format(early: Path, number: str) -> None:
    edited(early, "format = 1", f"format = {number}")
    edited(early, "[clock]", "[whatever.comes]")
    error = refused(early, WrongFormat, "game.format", 4, header=True)
    assert "reads format 1" in error.why


def test_another_format_may_have_other_sections(early: Path) -> None:
    edited(early, "format = 1", "format = 2")
    text = early.read_text("utf-8")
    early.write_text(text.replace("[checkpoint", "[snapshot"), "utf-8")
    refused(early, WrongFormat, "game.format", 4, header=True)


# -- where exactly ---------------------------------------------------------------------------------------------------


class Leaf(msgspec.Struct):
    a: int
    b: list[str | int] = []


class Tree(msgspec.Struct):
    pair: tuple[int, Leaf]
    many: tuple[Leaf, ...] = ()
    maybe: dict[str, Leaf] | None = None


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ({"pair": [1, {"a": "x"}]}, "t.pair[1].a"),
        ({"pair": [1]}, "t.pair"),
        ({"pair": [1, {"a": 1}], "many": [{"a": 1}, {"a": 1, "b": ["x", 1.5]}]}, "t.many[1].b[1]"),
        ({"pair": [1, {"a": 1}], "maybe": {"x y": {"a": 1}, "z": {}}}, "t.maybe.z"),
        ({"pair": [1, {"a": 1}], "maybe": {"k": {"a": 1, "c": 1}}}, "t.maybe.k.c"),
        ({"pair": [1, {"a": 1, "d": 1}]}, "t.pair[1].d"),
        ({"many": []}, "t"),
        ([], "t"),
    ],
)
def test_the_innermost_flaw_is_named(raw: object, key: str) -> None:
    with pytest.raises(SaveKeyError) as caught:
        typed(raw, Tree, ("t",))
    assert caught.value.key == key
