"""Sessions: what is committed is what is opened again, byte for byte and question for question."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import games
from pbem import save as package
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Setup
from pbem.kernel.questions import AskAll, Negotiate, Window
from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule, condition
from pbem.save import (
    ClockSettings,
    EmailPart,
    OutboxEntry,
    PressMessage,
    ProcessedEmail,
    SaveChanged,
    SaveExists,
    SaveKeyError,
    SeatInfo,
    SentState,
    Session,
    Unwritable,
    codec,
    load,
    load_header,
    locked,
    store,
    verify,
)
from pbem.timestamps import moment
from tests.save.hands import until
from tests.toy import playing as toy

SIXTEEN = games.load("sixteen_thirty")

T = moment("2026-05-01T08:00:00Z")


def same(a: Session, b: Session) -> None:
    """Equal games, as far as anybody can tell."""
    one, two = a.referee, b.referee
    assert one.digest() == two.digest()
    assert one.pending() == two.pending()
    assert one.waiting() == two.waiting()
    assert one.sealed == two.sealed
    assert (one.queue, one.standing, one.settings, one.notes) == (two.queue, two.standing, two.settings, two.notes)
    assert (one.talk is None) == (two.talk is None)
    if one.talk is not None and two.talk is not None:
        assert (one.talk.acts, one.talk.open, one.talk.done, one.talk.count) == (
            two.talk.acts,
            two.talk.open,
            two.talk.done,
            two.talk.count,
        )
    assert a.lines(0) == b.lines(0)
    assert a.moves() == b.moves()


def letters(session: Session) -> None:
    """Something of everything next to the game."""
    save, referee = session.save, session.referee
    referee.queue += [
        AdvanceOrder("england", "move 3", bold=True, stops=(condition("turn>=9"),), letter="<a@b>", line=4),
        AdvanceOrder("france", "5", q=10_000, held=True),
    ]
    referee.standing.append(
        StandingRule("spain", "intercept", "pass", (condition("seat=nobody"),), until=(condition("turn=99"),))
    )
    referee.settings.append(AskMe("france", "intercept", "always"))
    save.press.append(
        PressMessage(
            "p1", "england", 'Dear France,\n[[moves]]\nn = 1\n\n"Ha"\n', moment("2026-05-01T10:00:00Z"), ["france"]
        )
    )
    save.intake.append(ProcessedEmail("k1", "<m@x>", "00ff", "england", T, "accepted"))
    save.outbox.append(
        OutboxEntry("l1", "england", "r@x.org", "[toy-1] ターン 2", body="Hi\r\nyou\n", thread=["<a@b>"])
    )
    save.seats[1].addresses = ["b@x.org", "bb@x.org"]
    save.seats[1].told = SentState(3, "<a@b>", "<c@d>", press=1)
    save.drafts.append(
        EmailPart("england.k", "england", "Hi", moment("2026-05-01T10:00:00Z"), receipt={"seat": "england"})
    )


@pytest.mark.parametrize(("kind", "answers"), [(AskAll, 2), (Window, 1), (Negotiate, 3), (AskAll, 0)])
def test_open_resumes_in_the_middle_of_a_question(session: Session, path: Path, kind: type, answers: int) -> None:
    until(session, kind, answers)
    letters(session)
    session.commit(moment("2026-05-02T08:00:00Z"))
    again = Session.open(path, toy.load)
    assert again.save.checkpoint is not None
    assert again.referee.base == again.save.checkpoint.n > 0
    same(session, again)
    for field in ("header", "seats", "clock", "dice", "pending", "press", "intake", "outbox"):
        assert getattr(again.save, field) == getattr(session.save, field)
    again.commit()
    same(again, Session.open(path, toy.load))


def test_playing_on_after_opening_is_playing_on(session: Session, path: Path) -> None:
    other = Session.open(path, toy.GAME)
    for at in range(60):
        dice_a, dice_b = Dice(at.to_bytes(32, "big")), Dice(at.to_bytes(32, "big"))
        toy.step(session.referee, dice_a)
        toy.step(other.referee, dice_b)
        other.commit()
        other = Session.open(path, toy.load)
    session.sync()
    same(session, other)
    assert session.save.header.head == other.save.header.head


@settings(max_examples=20)
@example(15254, [1, 20, 25, 1])  # commits in the last turn, which has no checkpoint at its start
@given(st.integers(0, 2**32), st.lists(st.integers(1, 25), max_size=4))
def test_any_rhythm_of_commits_gives_the_same_file(tmp_path_factory: Any, seed: int, rhythm: list[int]) -> None:
    folder = tmp_path_factory.mktemp("rhythm")
    texts = []
    for name, pieces in (("a", [sum(rhythm)]), ("b", rhythm)):
        path = folder / name / "toy.toml"
        path.parent.mkdir()
        session = Session.create(path, toy.GAME, toy.campaign(4), at=T)
        dice = Dice(seed.to_bytes(32, "big"))
        for steps in pieces:
            for _ in range(steps):
                toy.step(session.referee, dice)
            session.commit(T)
            session = Session.open(path, toy.load)
        session.commit(T)
        texts.append(path.read_bytes())
    assert texts[0] == texts[1]


def playing(game: Game, setup: Setup, path: Path, steps: int) -> None:
    session = Session.create(path, game, setup, at=T)
    dice = Dice(b"7" * 32)
    for _ in range(steps):
        toy.step(session.referee, dice)
        session.commit(T)
        text = path.read_text("utf-8")
        for recent in (False, True):
            assert codec.compose(load(path, recent=recent)) == text
        again = Session.open(path, game)
        assert again.referee.digest() == session.referee.digest()
        if session.referee.over:
            break
    same(session, again)
    assert verify(path, game).digest == session.referee.digest()


def test_files_are_stable_and_resume_at_every_step_of_the_toy(path: Path) -> None:
    playing(toy.GAME, toy.campaign(6), path, 80)


@pytest.mark.parametrize("players", [3, 6])
def test_files_are_stable_and_resume_at_every_step_of_1630(path: Path, players: int) -> None:
    setup = Setup(SIXTEEN.slug, SIXTEEN.seats_for(players), "11" * 32, options=SIXTEEN.with_defaults({}))
    playing(SIXTEEN, setup, path, 60)


def test_the_order_of_sections_is_that_of_the_design(session: Session, path: Path) -> None:
    until(session, AskAll, 1)
    letters(session)
    session.commit()
    raw = tomllib.loads(path.read_text("utf-8"))
    tops = [
        "game",
        "seats",
        "clock",
        "dice",
        "post",
        "pending",
        "checkpoint",
        "queue",
        "standing",
        "settings",
        "sealed",
    ]
    assert list(raw) == [*tops, "press", "intake", "drafts", "outbox", "moves"]
    assert next(iter(raw["game"])) == "format"
    assert list(raw["moves"][0]) == ["n", "q", "seat", "kind", "answer", "how", "at", "via", "hash"]


def test_the_iteration_order_of_the_state_survives(session: Session, path: Path) -> None:
    state = Session.open(path, toy.load).referee.table.state
    assert list(state.order) == list(session.referee.table.state.order)
    assert list(state.order) != list(toy.POWERS)
    assert list(state.odd) == ["z", "y", "x", "A b"]
    assert list(state.odd["z"][0]) == ["b", "a"]


def test_only_moves_after_the_checkpoint_are_parsed(session: Session, path: Path) -> None:
    recent, whole = load(path, recent=True), load(path)
    assert recent.earlier_n == recent.checkpoint.n > 0
    assert [m.n for m in recent.moves] == list(range(recent.earlier_n + 1, whole.header.n + 1))
    assert [*codec.earlier_moves(recent), *recent.moves] == whole.moves
    assert [m.n for m in whole.moves] == list(range(1, whole.header.n + 1))


def test_pending_never_tells_who_has_answered(session: Session, path: Path) -> None:
    until(session, AskAll, 0)
    session.commit(T)
    before = load_header(path).pending
    assert [question.seat for question in before] == list(toy.POWERS)
    session.referee.submit(session.referee.waiting()[1], "accept")
    session.commit(moment("2026-05-02T08:00:00Z"))
    assert load_header(path).pending == before


def test_since_and_due_stay_with_their_question(session: Session) -> None:
    until(until(session, Negotiate), AskAll, 0)
    session.sync(moment("2026-05-03T00:00:00Z"))
    session.save.pending[0].due = moment("2026-05-06T00:00:00Z")
    session.sync(moment("2026-05-04T00:00:00Z"))
    assert [question.since for question in session.save.pending] == [moment("2026-05-03T00:00:00Z")] * 3
    assert session.save.pending[0].due == moment("2026-05-06T00:00:00Z")
    for seat in session.referee.waiting():
        session.referee.submit(seat, "accept")
    session.sync(moment("2026-05-05T00:00:00Z"))
    assert {(question.since, question.due) for question in session.save.pending} == {
        (moment("2026-05-05T00:00:00Z"), None)
    }


def test_lines_since_an_index_reach_behind_the_checkpoint(session: Session, path: Path) -> None:
    again = Session.open(path, toy.load)
    base = again.referee.line_base
    assert 0 < base < session.save.header.lines
    every = session.lines(0)
    assert len(every) == session.save.header.lines
    for since in (0, 1, base - 1, base, base + 1, len(every), len(every) + 5):
        assert again.lines(since) == every[since:]


def test_a_game_that_is_over(path: Path) -> None:
    session = toy.played(Session.create(path, toy.GAME, toy.campaign(1)), 200)
    assert session.referee.over
    session.commit()
    header = load_header(path).header
    assert header.over
    assert header.result == session.referee.result
    assert header.result["winners"]
    again = Session.open(path, toy.load)
    assert again.referee.over
    assert again.save.pending == []


def test_fiats_are_journaled_and_resumed(session: Session, path: Path) -> None:
    session.referee.fiat([{"path": "gold.england", "value": 77}], at="t")
    session.commit()
    toy.played(session, 3, 9)
    session.commit()
    same(session, Session.open(path, toy.load))
    assert verify(path, toy.load).moves == session.referee.n


# -- creating --------------------------------------------------------------------------------------------------------


def test_create_writes_nothing_before_commit_and_takes_no_name_twice(path: Path) -> None:
    first = Session.create(path, toy.GAME, toy.campaign())
    second = Session.create(path, toy.GAME, toy.campaign())
    assert not path.exists()
    first.commit()
    with pytest.raises(SaveExists):
        second.commit()
    with pytest.raises(SaveExists):
        Session.create(path, toy.GAME, toy.campaign())
    same(first, Session.open(path, toy.load))


def test_create_draws_a_seed_and_fills_in_what_the_game_says(path: Path) -> None:
    setup = msgspec.structs.replace(toy.campaign(), seed="")
    one = Session.create(path, toy.GAME, setup)
    two = Session.create(path, toy.GAME, setup)
    assert len(one.save.dice.seed) == 64
    assert one.save.dice.seed != two.save.dice.seed
    assert one.save.clock == ClockSettings(hours=dict(toy.GAME.default_hours))
    assert one.save.header.name == "toy-1"
    assert one.save.header.created.utcoffset() == timedelta()
    assert one.save.header.n == 0
    assert one.save.checkpoint is not None


def test_create_refuses_other_seats_and_names_no_letter_can_carry(path: Path) -> None:
    with pytest.raises(SaveKeyError, match="england, france, spain"):
        Session.create(path, toy.GAME, toy.campaign(), [SeatInfo("england")])
    with pytest.raises(SaveKeyError, match=r"can't be called 'two words'.*--name"):
        Session.create(path, toy.GAME, toy.campaign(), name="two words")


# -- committing ------------------------------------------------------------------------------------------------------


def test_two_sessions_do_not_overwrite_each_other(session: Session, path: Path) -> None:
    other = Session.open(path, toy.load)
    toy.played(session, 1)
    session.commit()
    text = path.read_bytes()
    toy.played(other, 2)
    with pytest.raises(SaveChanged, match="Nothing was written"):
        other.commit()
    assert path.read_bytes() == text
    toy.played(session, 1)
    session.commit()


def test_an_edit_by_hand_between_open_and_commit_is_not_lost(session: Session, path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace('zone = "UTC"', 'zone = "Asia/Tokyo"', 1), "utf-8")
    with pytest.raises(SaveChanged):
        session.commit()
    again = Session.open(path, toy.load)
    assert again.save.seats[0].zone == "Asia/Tokyo"


def test_a_lock_is_taken_again_by_its_holder(session: Session, path: Path) -> None:
    with locked(path):
        save = load(path)
        save.seats[0].name = "Anna"
        store(path, save)
    assert load_header(path).seats[0].name == "Anna"
    assert Session.open(path, toy.load).save.seat("england").name == "Anna"
    with pytest.raises(KeyError, match="england, france, spain"):
        session.save.seat("green")


def test_what_cannot_be_written_leaves_the_file_as_it_was(session: Session, path: Path) -> None:
    before = path.read_bytes()
    session.save.seats[0].name = "half \ud800"
    with pytest.raises(Unwritable, match="surrogate"):
        session.commit()
    session.save.seats[0].name = "whole"
    options, session.save.header.options = session.save.header.options, {"a": {"b": None}}
    with pytest.raises(Unwritable, match=r"game\.options\.a\.b"):
        session.commit()
    assert path.read_bytes() == before
    session.save.header.options = options
    session.commit()
    assert load_header(path).seats[0].name == "whole"


def test_only_a_whole_save_is_stored(session: Session, path: Path) -> None:
    header = load_header(path)
    assert not header.whole
    with pytest.raises(ValueError, match="only the header"):
        store(path, header)


def test_a_save_of_another_system_s_editor_is_read(session: Session, path: Path) -> None:
    text = path.read_text("utf-8")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert codec.compose(load(path)) == text
    assert load_header(path).header == session.save.header
    Session.open(path, toy.load).commit()
    assert path.read_bytes() == text.encode()


def test_the_header_is_read_without_the_referee(session: Session, path: Path) -> None:
    code = (
        "import sys; from pbem.save import load_header; print(load_header(sys.argv[1]).header.n);"
        "print([m for m in ('filelock', 'pbem.kernel.referee', 'tomli_w') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == [str(session.save.header.n), "[]"]


def test_the_package_has_the_names_that_type_checkers_see() -> None:
    checked, *_ = (
        node for node in ast.parse(Path(package.__file__).read_text("utf-8")).body if isinstance(node, ast.If)
    )
    seen = {name.name for imports in checked.body if isinstance(imports, ast.ImportFrom) for name in imports.names}
    assert seen == set(package._WHERE)
    assert all(getattr(package, name) is not None for name in seen)


def test_the_header_is_read_whatever_stands_below_it(session: Session, path: Path) -> None:
    text = path.read_text("utf-8")
    head, body = text.split("[checkpoint]\n", 1)
    path.write_text(f"{head}[checkpoint]\nnot TOML at all ][\n{'x' * 300_000}\n{body}", "utf-8")
    whole = load_header(path)
    assert (whole.header, whole.seats, whole.pending) == (session.save.header, session.save.seats, session.save.pending)
    assert not whole.moves


def test_the_journal_since_any_move_is_the_end_of_the_whole_one() -> None:
    session = Session.open(Path(__file__).parents[2] / "saves" / "is-war.toml", games.load)
    before = session.save.earlier_n
    whole = session.moves()
    assert 20 < before < len(whole)
    for since in (0, 1, before - 1, before, before + 1, len(whole) - 1, len(whole)):
        assert session.moves(since) == whole[since:]
