"""What can't be is refused when the file is read, by key and line; what is just possible is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.save import SaveKeyError, Session, load, load_header
from tests.save.hands import edited, refused

YEAR = 366 * 24

IMPOSSIBLE = [
    ('read = ""', 'read = "yesterday"', "[game]", "game.read"),
    ('name = "toy-1"', 'name = "-toy"', "[game]", "game.name"),
    (
        "delegates = []",
        'delegates = [{ address = "a@b", since = "", until = "later" }]',
        "[[seats]]",
        "seats[0].delegates[0].until",
    ),
    ('zone = "UTC"', 'zone = "Moon"', 'id = "france"', "seats[1].zone"),
    ('language = "en"', 'language = "EN"', 'id = "spain"', "seats[2].language"),
    ("turn = ", f"turn = {YEAR + 1} # ", "[clock.hours]", "clock.hours.turn"),
    ("turn = ", "trun = ", "[clock.hours]", "clock.hours.trun"),
    ("\n[dice]", 'turn = "Wait"\n\n[dice]', "[clock.time_up]", "clock.time_up.turn"),
    ("\n[dice]", 'turns = "wait"\n\n[dice]', "[clock.time_up]", "clock.time_up.turns"),
    ("days = []", 'days = ["Mon"]', "[clock]", "clock.days[0]"),
    ("quiet = []", 'quiet = ["2026-12-24", "24 Dec"]', "[clock]", "clock.quiet[1]"),
    ("quiet = []", 'quiet = ["9999-12-31"]', "[clock]", "clock.quiet[0]"),
    ("quiet = []", 'quiet = ["1969-12-24"]', "[clock]", "clock.quiet[0]"),
    ("grid = -1", "grid = -2", "[clock]", "clock.grid"),
    ("least = 12", "least = -1", "[clock]", "clock.least"),
    ("least = 12", f"least = {YEAR + 1}", "[clock]", "clock.least"),
    ("grace = 24", "grace = -1", "[clock]", "clock.grace"),
    ("outage = 6", f"outage = {YEAR + 1}", "[clock]", "clock.outage"),
    ("remind = [24, 2]", f"remind = [{YEAR + 1}]", "[clock]", "clock.remind[0]"),
    (
        "pauses = []",
        'pauses = [{ id = "p", since = "2026-05-01", until = "?", reason = "" }]',
        "[clock]",
        "clock.pauses[0].until",
    ),
    (
        "absences = []",
        'absences = [{ seat = "england", since = "", until = "2026-01-02" }]',
        "[clock]",
        "clock.absences[0].since",
    ),
    (
        "absences = []",
        'absences = [{ seat = "england", since = "2026-01-02", until = "" }]',
        "[clock]",
        "clock.absences[0].until",
    ),
    (
        "absences = []",
        'absences = [{ seat = "moderator", since = "2026-01-02", until = "2026-01-03" }]',
        "[clock]",
        "clock.absences[0].seat",
    ),
    ("extensions = []", 'extensions = [{ id = "e", q = 1, hours = -1 }]', "[clock]", "clock.extensions[0].hours"),
    ("release = 0", f"release = {YEAR + 1}", "[post]", "post.release"),
    ('plays = ""', 'plays = "moderator"', "[post]", "post.plays"),
    *(
        ('notify = ""', f"notify = '{value}'", "[post]", "post.notify")
        for value in (
            "/bin/sh",
            "../x",
            "-x",
            ".x",
            "a/b",
            "a\\\\b",
            "c:x",
            "http:///x",
            "file:///etc/passwd",
            "ntfy+x:y",
        )
    ),
    *(
        ('notify = ""', f'site = "{value}"\nnotify = ""', "[post]", "post.site")
        for value in ("/var/www", "../public", "a/../../b", "c:/x", "\\\\\\\\host\\\\x", "a\\u001b[2Jb")
    ),
    ('trusted = ""', 'trusted = "mx.example.org evil"', "[post]", "post.trusted"),
    ('notify = ""', 'keep = "everything"\nnotify = ""', "[post]", "post.keep"),
    ('notify = ""', 'maps = "svg"\nnotify = ""', "[post]", "post.maps"),
    ('beacon = ""', 'beacon = "nonsense"', "[post]", "post.beacon"),
    ("moderator = []", 'moderator = ["not an address"]', "[post]", "post.moderator[0]"),
    ("moderator = []", 'moderator = ["x@example.org\\nBcc: y@example.org"]', "[post]", "post.moderator[0]"),
    ('notify = ""', 'sender = "p@example.org\\nBcc: y@example.org"\nnotify = ""', "[post]", "post.sender"),
    ("onlookers = []", 'onlookers = [{ address = "x" }]', "[post]", "post.onlookers[0].address"),
    ("onlookers = []", 'onlookers = [{ address = "a@b", language = "fr" }]', "[post]", "post.onlookers[0].language"),
    ("watchers = []", 'watchers = ["-oQ/x@example.org"]', "[[seats]]", "seats[0].watchers[0]"),
    ("delegates = []", 'delegates = [{ address = "-x@b" }]', "[[seats]]", "seats[0].delegates[0].address"),
    *(
        ("watchers = []", f'{key} = "{value}"\nwatchers = []', "[[seats]]", f"seats[0].{key}")
        for key, value in (("letters", "digest 24"), ("attach", "everything"), ("understudy", "genius"))
    ),
    ('name = "', 'name = "\\u001b]0;x\\u0007', "[[seats]]", "seats[0].name"),
    ('kind = "', 'kind = "$(id)', "[[pending]]", "pending[0].kind"),
    ('pace = "', 'pace = "soon', "[[pending]]", "pending[0].pace"),
    ('since = "', 'since = "x', "[[pending]]", "pending[0].since"),
    ('due = ""', 'due = "1969-12-31T23:59:59Z"', "[[pending]]", "pending[0].due"),
    ('due = ""', 'due = "9001-01-01T00:00:00Z"', "[[pending]]", "pending[0].due"),
    ("rewinds = []", "rewinds = [{ n = 1, epoch = 2 }]", "[dice]", "dice.rewinds[0].epoch"),
    ("rewinds = []", "rewinds = [{ n = 3, epoch = 1 }, { n = 1, epoch = 1 }]", "[dice]", "dice.rewinds[1].epoch"),
]


@pytest.mark.parametrize(("old", "new", "after", "key"), IMPOSSIBLE, ids=[f"{e[3]} {e[1]}" for e in IMPOSSIBLE])
def test_what_cannot_be_is_told_by_key_and_line(early: Path, old: str, new: str, after: str, key: str) -> None:
    refused(early, SaveKeyError, key, edited(early, old, new, after), header=True)


POSSIBLE = [
    ('read = ""', 'read = "2026-05-01T12:00:00Z"', "[game]"),
    ('name = "toy-1"', 'name = "7.a_B-1"', "[game]"),
    (
        "delegates = []",
        'delegates = [{ address = "a@b", since = "2026-05-01", until = "2026-05-02T12:00:00+09:00" }]',
        "[[seats]]",
    ),
    ("delegates = []", 'delegates = [{ address = "a@b", since = "", until = "" }]', "[[seats]]"),
    ('language = "en"', 'language = "ja"', "[[seats]]"),
    ("turn = ", "turn = 0 # ", "[clock.hours]"),
    ("turn = ", f"turn = {YEAR} # ", "[clock.hours]"),
    (
        "\n[dice]",
        'turn = "wait"\nreaction = "grace"\nnegotiation = "default"\nballot = "moderator"\n\n[dice]',
        "[clock.time_up]",
    ),
    ("days = []", 'days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]', "[clock]"),
    ("quiet = []", 'quiet = ["2026-12-24", "1970-01-01", "9000-12-31"]', "[clock]"),
    ("grid = -1", "grid = 0", "[clock]"),
    ("grid = -1", "grid = 23", "[clock]"),
    ("least = 12", "least = 0", "[clock]"),
    ("grace = 24", "grace = 0", "[clock]"),
    ("grace = 24", f"grace = {YEAR}", "[clock]"),
    ("outage = 6", "outage = 1", "[clock]"),
    ("remind = [24, 2]", f"remind = [{YEAR}, 1]", "[clock]"),
    ("pauses = []", 'pauses = [{ id = "p", since = "2026-05-01", until = "", reason = "" }]', "[clock]"),
    ("absences = []", 'absences = [{ seat = "spain", since = "2026-01-01", until = "2026-01-02" }]', "[clock]"),
    (
        "extensions = []",
        f'extensions = [{{ id = "e", q = 1, hours = {YEAR} }}, {{ id = "f", q = 1, hours = 0 }}]',
        "[clock]",
    ),
    ('plays = ""', 'plays = "france"', "[post]"),
    ('language = "en"', 'language = "ja"', "[post]"),
    ("release = 0", "release = -1", "[post]"),
    ("release = 0", f"release = {YEAR}", "[post]"),
    ('seat = "', 'seat = "moderator" # ', "[[pending]]"),
    ('due = ""', 'due = "1970-01-01T00:00:00Z"', "[[pending]]"),
    ('due = ""', 'due = "9000-12-31T23:59:59Z"', "[[pending]]"),
    ('since = "', 'since = "" # ', "[[pending]]"),
    ("rewinds = []", "rewinds = [{ n = 3, epoch = 1 }, { n = 1, epoch = 2 }]", "[dice]"),
]


@pytest.mark.parametrize(("old", "new", "after"), POSSIBLE, ids=[e[1] for e in POSSIBLE])
def test_what_is_just_possible_is_taken(early: Path, old: str, new: str, after: str) -> None:
    edited(early, old, new, after)
    load_header(early)


@pytest.mark.parametrize(
    ("old", "new", "after", "says"),
    [
        ("turn = ", "trun = ", "[clock.hours]", "'trun' isn't one of turn, reaction, negotiation, ballot"),
        ("days = []", 'days = ["mo"]', "[clock]", "'mo' isn't one of mon, tue, wed, thu, fri, sat, sun"),
        ("\n[dice]", 'turn = ""\n\n[dice]', "[clock.time_up]", "'' isn't one of wait, grace, default, moderator"),
        ('language = "en"', 'language = "fr"', "[[seats]]", "'fr' isn't one of en, ja"),
        ("grid = -1", "grid = 24", "[clock]", "'24' isn't a number from -1 to 23"),
        ("outage = 6", "outage = 0", "[clock]", f"'0' isn't a number from 1 to {YEAR}"),
        ("release = 0", "release = -2", "[post]", f"'-2' isn't a number from -1 to {YEAR}"),
        ("quiet = []", 'quiet = ["2026-02-30"]', "[clock]", "'2026-02-30' isn't a date. Write one like 2026-12-24"),
        ('due = ""', 'due = "noon"', "[[pending]]", "'noon' isn't a time. Write one like 2026-05-01T12:00:00Z"),
        ('plays = ""', 'plays = "rde"', "[post]", "'rde' isn't a seat; seats: england, france, spain"),
        ('id = "spain"', 'id = "england"', "", "'england' is named twice"),
        ("rewinds = []", "rewinds = [{ n = 1, epoch = 3 }]", "[dice]", "epochs count the rewinds: this is 1"),
        ('seed = "5a', 'seed = "5x', "[dice]", "not a hexadecimal number"),
        ('seed = "5a', 'seed = "5b', "[dice]", "not the SHA-256 of the seed"),
        (
            'name = "toy-1"',
            'name = "toy 1"',
            "[game]",
            "'toy 1' can't be written in an email: use a to z, digits, - . _",
        ),
    ],
)
def test_what_would_be_right_is_told(early: Path, old: str, new: str, after: str, says: str) -> None:
    edited(early, old, new, after)
    with pytest.raises(SaveKeyError) as caught:
        load_header(early)
    assert says in str(caught.value)


def test_a_slip_below_a_slip_is_told_when_the_first_is_mended(early: Path) -> None:
    edited(early, "grid = -1", "grid = 99", "[clock]")
    edited(early, "release = 0", "release = -9", "[post]")
    for old, new, key in (("grid = 99", "grid = 9", "clock.grid"), ("release = -9", "release = 9", "post.release")):
        with pytest.raises(SaveKeyError) as caught:
            load(early)
        assert caught.value.key == key
        edited(early, old, new)
    load(early)


def test_a_game_is_not_written_with_a_pace_that_no_question_has(session: Session, path: Path) -> None:
    before = path.read_bytes()
    session.save.clock.hours["recation"] = 5
    with pytest.raises(SaveKeyError, match=r"clock\.hours\.recation: .*Nothing was written"):
        session.commit()
    assert path.read_bytes() == before
