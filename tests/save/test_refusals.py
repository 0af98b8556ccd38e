"""What is wrong with a file is named by kind, key and line; nothing is ever taken half."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from pbem.kernel.questions import AskAll, Negotiate
from pbem.save import (
    BadKey,
    BrokenChain,
    PackMismatch,
    ReplayFailed,
    RulesMismatch,
    SaveError,
    Session,
    Truncated,
    UnknownGame,
    Unreadable,
    WrongFormat,
    chain,
    load,
    load_header,
    verify,
)
from pbem.save.parse import typed
from tests.save import toy
from tests.save.test_session import until


def edited(path: Path, old: str, new: str, after: str = "") -> int:
    """Replace the first `old` behind `after`; the line (from 1) on which that was."""
    text = path.read_text("utf-8")
    start = text.index(after) if after else 0
    at = text.index(old, start)
    path.write_text(text[:at] + new + text[at + len(old) :], "utf-8")
    return text.count("\n", 0, at) + 1


def refused(path: Path, kind: type[SaveError], key: str, line: int, *, header: bool = False) -> SaveError:
    """Every way of reading refuses the file in the same words; the error is returned."""
    ways = [
        lambda: load(path),
        lambda: load(path, recent=True),
        lambda: Session.open(path, toy.load),
        lambda: verify(path, toy.load),
    ]
    if header:
        ways.append(lambda: load_header(path))
    said = set()
    for way in ways:
        with pytest.raises(SaveError) as caught:
            way()
        error = caught.value
        assert type(error) is kind
        assert (error.key, error.line, error.path) == (key, line, str(path))
        said.add(str(error))
    assert len(said) == 1
    text = said.pop()
    assert text.endswith(f"{error.why}. {error.remedy}")
    assert len(error.remedy) > 10
    return error


HEADER_EDITS = [
    ('q = ', 'qq = ', "[game]", "game.qq"),
    ('rules = "7"', "rules = 7", "", "game.rules"),
    ('scenario = "standard"\n', "", "", "game"),
    ("[clock]", "[klock]", "", "klock"),
    ("turn = 72", 'turn = "72"', "", "clock.hours.turn"),
    ('zone = "UTC"', "zone = []", 'id = "blue"', "seats[1].zone"),
    ("seen = 0", "sean = 0", 'id = "white"', "seats[2].sean"),
    ('id = "white"', 'id = "red"', "", "seats[2].id"),
    ('addresses = []', 'addresses = ["a",\n  3]', 'id = "blue"', "seats[1].addresses[1]"),
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
    ("money = ", "monney = ", "[checkpoint.state.powers.blue]", "checkpoint.state.powers.blue.monney"),
    ("money = 0", "money = false", "[checkpoint.state.powers.white]", "checkpoint.state.powers.white.money"),
    ('kind = "foot"', 'kind = "boat"', "[checkpoint.state.powers.red]", "checkpoint.state.powers.red.units[0].kind"),
    ("strength = 1", "strong = 1", "[checkpoint.state.powers.red]", "checkpoint.state.powers.red.units[0].strong"),
    ("turn = ", "torn = ", "[checkpoint.state]", "checkpoint.state.torn"),
    ("[checkpoint.state.order]", "[checkpoint.state.ordre]", "", "checkpoint.state.ordre"),
    ("red = ", 'red = "x" # ', "[checkpoint.state.order]", "checkpoint.state.order.red"),
]  # fmt: skip


@pytest.fixture
def early(path: Path) -> Path:
    """The file of a game in its first auction: checkpoint at the beginning, sealed answers in."""
    session = Session.create(path, toy.GAME, toy.setup_of(6), at="2026-05-01T09:00:00Z")
    for seat, steps in (("white", 6), ("blue", 1), ("red", 1)):
        session.referee.submit(seat, steps, at="2026-05-01T10:00:00Z", via="<1@x>")
        for other in session.referee.waiting() if steps == 6 else ():
            session.referee.submit(other, "parry", at="2026-05-01T10:00:00Z", via="<2@x>")
    until(session, AskAll, 2)
    session.commit()
    assert session.save.checkpoint is not None
    assert session.save.checkpoint.n == 0
    assert len(session.save.moves) >= 5
    return path


@pytest.mark.parametrize(("old", "new", "after", "key"), HEADER_EDITS, ids=[e[3] for e in HEADER_EDITS])
def test_a_bad_key_of_the_header(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    if "\n" in new:
        line += 1
    if key == "game":  # a missing key: the table that lacks it
        line = 3
    refused(early, BadKey, key, line, header=True)


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


@pytest.mark.parametrize(
    ("old", "new", "after", "key"), HAND_EDITS, ids=[f"{e[3]} {e[1]}" for e in HAND_EDITS]
)
def test_a_slip_in_what_may_be_edited_by_hand(early: Path, old: str, new: str, after: str, key: str) -> None:
    """Zones, times, hours: what would stop cron at night is told by whoever reads the file first."""
    line = edited(early, old, new, after)
    refused(early, BadKey, key, line, header=True)


def test_nothing_is_written_that_could_not_be_read_again(session: Session, path: Path) -> None:
    before = path.read_bytes()
    session.save.clock.hours["turn"] = 10**12
    with pytest.raises(BadKey, match="Nothing was written") as caught:
        session.commit()
    assert caught.value.key == "clock.hours.turn"
    assert path.read_bytes() == before


@pytest.mark.parametrize(("old", "new", "after", "key"), BODY_EDITS, ids=[e[3] for e in BODY_EDITS])
def test_a_bad_key_below_the_header(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    refused(early, BadKey, key, line)
    assert load_header(early).header.n > 0


@pytest.mark.parametrize(("old", "new", "after", "key"), STATE_EDITS, ids=[e[3] for e in STATE_EDITS])
def test_a_bad_key_of_the_state(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    with pytest.raises(BadKey) as caught:
        Session.open(early, toy.load)
    assert (caught.value.key, caught.value.line) == (key, line)


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("money = 0", "money = 100", "[checkpoint.state.powers.red]"),
        ("counter = ", "counter = 1", "[checkpoint]"),
        ("white = 9\nblue = 8\n", "blue = 8\nwhite = 9\n", "[checkpoint.state.order]"),
    ],
    ids=["value", "dice", "order"],
)
def test_a_state_edited_by_hand(early: Path, old: str, new: str, after: str) -> None:
    edited(early, old, new, after)
    with pytest.raises(BrokenChain, match="pbem fiat") as caught:
        Session.open(early, toy.load)
    assert caught.value.key == "checkpoint.digest"
    assert caught.value.line == early.read_text("utf-8").split("\n").index("[checkpoint]") + 7


def test_an_error_names_what_would_be_right(early: Path) -> None:
    edited(early, "money = ", "monney = ", "[checkpoint.state.powers.blue]")
    with pytest.raises(
        BadKey, match=r"line \d+: checkpoint.state.powers.blue.monney: .*known: money, friend"
    ):
        Session.open(early, toy.load)


def test_syntax(early: Path) -> None:
    line = edited(early, "epoch = 0", "epoch = = 0", "[checkpoint]")
    refused(early, Unreadable, "", line)
    line = edited(early, 'zone = "UTC"', 'zone = "UTC', 'id = "white"')
    refused(early, Unreadable, "", line, header=True)


def test_no_file_no_text_no_save(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    refused(path, Unreadable, "", 0, header=True)
    refused(tmp_path, Unreadable, "", 0, header=True)
    path.write_bytes(b"")
    refused(path, Truncated, "", 0, header=True)
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


# -- cut files -------------------------------------------------------------------------------------------------------


def test_a_file_cut_anywhere_is_refused_or_equal(session: Session, path: Path) -> None:
    until(session, Negotiate, 2)
    session.commit()
    data = path.read_bytes()
    whole = load(path)
    for end in range(len(data)):
        path.write_bytes(data[:end])
        if end == len(data) - 1:  # only the last line end is missing
            assert load(path) == whole
            assert load_header(path).header == whole.header
            continue
        for way in (load, load_header):
            with pytest.raises(Truncated):
                way(path)


def test_a_piece_cut_out_is_refused_or_equal(session: Session, path: Path) -> None:
    """A file whose middle is missing, as after a bad merge: lines of it, here and there."""
    until(session, Negotiate, 2)
    session.commit()
    lines = path.read_text("utf-8").split("\n")
    whole = load(path)
    first, talk = lines.index("[checkpoint]"), lines.index("[[talk]]")
    for at in range(first, len(lines) - 2):
        for count in (1, 3, 11):
            path.write_text("\n".join(lines[:at] + lines[at + count :]), "utf-8")
            try:
                found = load(path)
                Session.open(path, toy.load)
            except SaveError:
                continue
            assert found.moves == whole.moves
            # What lies around the game may be edited; of the moves only what says nothing.
            told = [line for line in lines[at:talk][:count] if not line.startswith("journal = ")]
            assert not any(told), lines[at : at + count]


# -- the chain -------------------------------------------------------------------------------------------------------


def entries_of(text: str) -> dict[int, int]:
    """Line number → the move it belongs to."""
    owners, n = {}, 0
    for number, line in enumerate(text.split("\n"), 1):
        n += line == "[[moves]]"
        owners[number] = n
    return owners


def test_any_flipped_byte_in_the_moves_is_named_by_verify(early: Path) -> None:
    data = early.read_bytes()
    text = data.decode()
    whole, owners = load(early), entries_of(text)
    start = data.index(b"[[moves]]")
    end = data.index(b"# end of save")
    for at in range(start, end):
        for flip in (0x01, 0x20):
            early.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
            line = data.count(b"\n", 0, at) + 1
            error = None
            try:
                verify(early)
            except SaveError as caught:
                error = caught
            if error is None:
                assert load(early).moves == whole.moves
                continue
            named = error.n or owners[error.line]
            assert named - owners[line] in ((0, 1) if data[at] in b"\n[" else (0,)), (at, str(error))
            assert error.line > 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('answer = "parry"', 'answer = "pass"'),
        ('at = "2', 'at = "3'),
        ('how = "chosen"', 'how = "time"'),
        ('via = "', 'via = "x'),
    ],
)
def test_a_move_rewritten(early: Path, old: str, new: str) -> None:
    line = edited(early, old, new, "[[moves]]\nn = 2\n")
    hash_line = line + early.read_text("utf-8").split("\n")[line:].index("") - 0
    with pytest.raises(BrokenChain, match="move 2 ") as caught:
        verify(early)
    assert caught.value.n == 2
    assert caught.value.key == "moves[1].hash"
    assert caught.value.line == hash_line
    refused(early, BrokenChain, "moves[1].hash", hash_line)


def test_a_move_taken_out(early: Path) -> None:
    text = early.read_text("utf-8")
    third, fourth = text.index("[[moves]]\nn = 3\n"), text.index("[[moves]]\nn = 4\n")
    early.write_text(text[:third] + text[fourth:], "utf-8")
    error = refused(early, BrokenChain, "moves[2].n", text.count("\n", 0, third) + 2)
    assert error.n == 3


def test_the_last_moves_taken_out(early: Path) -> None:
    text = early.read_text("utf-8")
    last = text.rindex("[[moves]]")
    early.write_text(text[:last] + "# end of save\n", "utf-8")
    error = refused(early, BrokenChain, "game.n", text.split("\n").index("[game]") + 8 + 1)
    assert "the journal ends with move" in error.why


def test_journal_and_header_cut_back_together(early: Path) -> None:
    """Somebody takes back a move, and corrects n and head: the open question does not fit any more."""
    save = load(early)
    text = early.read_text("utf-8")
    cut = text[: text.rindex("[[moves]]")] + "# end of save\n"
    n = save.header.n
    cut = cut.replace(f"n = {n}\n", f"n = {n - 1}\n", 1).replace(save.header.head, save.moves[-2].hash, 1)
    early.write_text(cut, "utf-8")
    with pytest.raises(SaveError):
        Session.open(early, toy.load)


def test_the_set_up_rewritten(early: Path) -> None:
    edited(early, "rounds = 6", "rounds = 7")
    with pytest.raises(BrokenChain, match="set-up") as caught:
        load(early)
    assert caught.value.n == 1


def test_the_set_up_of_a_game_without_moves_rewritten(path: Path) -> None:
    Session.create(path, toy.GAME, toy.setup_of(), at="2026-05-01T08:00:00Z").commit()
    assert verify(path, toy.load).moves == 0
    edited(path, 'created = "2026', 'created = "2025')
    refused(path, BrokenChain, "game.head", 13)


def test_the_head_rewritten(session: Session, path: Path) -> None:
    edited(path, 'head = "', 'head = "0')
    refused(path, BrokenChain, "game.head", 13)


def test_an_edit_before_the_checkpoint_is_found_by_whoever_opens_the_game(
    session: Session, path: Path
) -> None:
    """A game is resumed from its checkpoint, and the moves before it are not parsed; they are not overlooked either."""
    edited(path, 'via = "', 'via = "x', "[[moves]]\nn = 2\n")
    line = path.read_text("utf-8").split("\n").index("n = 2") + 9
    for attempt in (lambda: Session.open(path, toy.load), lambda: verify(path)):
        with pytest.raises(BrokenChain, match="move 2 ") as caught:
            attempt()
        assert (caught.value.key, caught.value.line) == ("moves[1].hash", line)
    with pytest.raises(BrokenChain, match="move 2 "):
        verify(load(path, chained=False))


def test_a_set_up_edited_after_many_moves_is_found_by_whoever_opens_the_game(
    session: Session, path: Path
) -> None:
    edited(path, 'name = "toy-1"', 'name = "toy-2"')
    with pytest.raises(BrokenChain, match=r"move 1 .*set-up .* was changed"):
        Session.open(path, toy.load)


@pytest.mark.parametrize("edit", ["left out", "a comment"])
def test_moves_whose_text_is_not_known_are_checked_link_by_link(
    session: Session, path: Path, edit: str
) -> None:
    """A save from before `journal` was kept, and one with a remark between its moves: both are whole."""
    text, digest = path.read_text("utf-8"), session.referee.digest()
    if edit == "left out":
        kept = [line for line in text.split("\n") if not line.startswith("journal = ")]
        text = "\n".join(kept)
    else:
        text = text.replace("[[moves]]\nn = 2\n", "# he meant the other knight\n[[moves]]\nn = 2\n")
    path.write_text(text, "utf-8")
    opened = Session.open(path, toy.load)
    assert opened.referee.digest() == digest
    opened.commit()
    assert "\njournal = " in path.read_text("utf-8")
    again = load(path, recent=True)
    assert again.checkpoint is not None
    assert again.checkpoint.journal == chain.journal(chain.start(again), again.earlier)


# -- the game --------------------------------------------------------------------------------------------------------


def test_unknown_game(session: Session, path: Path) -> None:
    line = edited(path, 'game = "toy"', 'game = "tay"')
    with pytest.raises(UnknownGame, match="unknown game 'tay'") as caught:
        Session.open(path, toy.load)
    assert (caught.value.key, caught.value.line) == ("game.game", line)
    assert "?." not in str(caught.value)
    with pytest.raises(UnknownGame, match="'tay', not of 'toy'"):
        Session.open(path, toy.GAME)


def test_rules_and_pack_are_pinned(session: Session, path: Path) -> None:
    newer = dataclasses.replace(toy.GAME, rules="8")
    with pytest.raises(RulesMismatch, match="rules 7; these are 8") as caught:
        Session.open(path, newer)
    assert (caught.value.key, caught.value.line) == ("game.rules", 8)
    assert Session.open(path, newer, pinned=False).referee.digest() == session.referee.digest()
    other = dataclasses.replace(toy.GAME, package="games.sixteen_thirty", components=lambda pack: None)
    with pytest.raises(PackMismatch) as caught_pack:
        Session.open(path, other)
    assert (caught_pack.value.key, caught_pack.value.line) == ("game.pack_digest", 9)
    assert Session.open(path, other, pinned=False).referee.n == session.referee.n


def test_a_correction_of_the_pack_is_kept_and_checked(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.setup_of(pack={"things": {"crown": {"worth": 4}}}))
    session.commit()
    again = Session.open(path, toy.load)
    assert again.components[0]["worth"] == 4
    plain = Session.create(path.with_name("b.toml"), toy.GAME, toy.setup_of())
    assert plain.save.header.pack_digest != again.save.header.pack_digest
    edited(path, "worth = 4", "worth = 5")
    with pytest.raises(PackMismatch):
        Session.open(path, toy.load)
    edited(path, "worth = 5", "wirth = 5")
    with pytest.raises(PackMismatch, match="wirth"):
        Session.open(path, toy.load)


def test_rules_that_play_otherwise(session: Session, path: Path) -> None:
    def play(table: object) -> object:
        state = table.state  # type: ignore[attr-defined]
        while True:
            yield from toy.auction(table)  # type: ignore[arg-type]
            state.turn += 1

    with pytest.raises(ReplayFailed, match=r"moves\[\d+\]: move \d+: ") as caught:
        Session.open(path, dataclasses.replace(toy.GAME, play=play))
    assert caught.value.line > 0
    assert caught.value.n > 0


def test_a_journal_that_leads_to_another_question(early: Path) -> None:
    line = edited(early, "q = ", "q = 1", "[game]")
    with pytest.raises(ReplayFailed) as caught:
        Session.open(early, toy.load)
    assert (caught.value.key, caught.value.line) == ("game.q", line)


@pytest.mark.parametrize(
    ("old", "new", "after", "key"),
    [
        ("q = ", "q = 9", "[[sealed]]", "sealed[0]"),
        ('seat = "', 'seat = "x', "[[sealed]]", "sealed[0]"),
        ("answer = ", "answer = 77", "[[sealed]]", "sealed[0].answer"),
    ],
)
def test_a_sealed_answer_that_cannot_be(early: Path, old: str, new: str, after: str, key: str) -> None:
    line = edited(early, old, new, after)
    with pytest.raises(BadKey) as caught:
        Session.open(early, toy.load)
    assert caught.value.key == key
    assert 0 <= line - caught.value.line <= 5


@pytest.mark.parametrize(
    ("old", "new"),
    [('do = "', 'do = "x'), ('seat = "', 'seat = "x'), ("seat = ", "sat = "), ("sum = ", "summe = ")],
)
def test_an_act_that_cannot_be(session: Session, path: Path, old: str, new: str) -> None:
    until(session, Negotiate, 2)
    session.commit()
    edited(path, old, new, "[[talk]]")
    with pytest.raises(BadKey, match=r"talk\[\d\]"):
        Session.open(path, toy.load)


def test_acts_without_a_negotiation(session: Session, path: Path) -> None:
    until(session, Negotiate, 2)
    session.commit()
    text = path.read_text("utf-8")
    talk = text[text.index("[[talk]]") : text.index("[[moves]]")]
    until(session, AskAll, 0)
    session.commit()
    text = path.read_text("utf-8")
    path.write_text(text.replace("[[moves]]", talk + "[[moves]]", 1), "utf-8")
    with pytest.raises(BadKey, match="no negotiation is open"):
        Session.open(path, toy.load)


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
    with pytest.raises(BadKey) as caught:
        typed(raw, Tree, ("t",))
    assert caught.value.key == key
