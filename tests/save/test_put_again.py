"""After a rewind every question is put as if for the first time, and what was told of the dead branch is told again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.kernel.questions import AskAll, Negotiate
from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule
from pbem.save import SaveChanged, Session, load, load_header, rewind_plan, take_back, verify
from pbem.timestamps import moment
from tests.save.hands import until
from tests.toy import playing as toy

BEFORE, THEN = moment("2026-05-01T10:00:00Z"), moment("2026-06-01T00:00:00Z")


def test_the_open_question_taken_back_to_itself_has_its_time_anew(session: Session, path: Path) -> None:
    """Nobody may miss a deadline that was counted from a letter which no longer holds."""
    until(session, AskAll, 1)
    session.sync(BEFORE)
    for question in session.save.pending:
        question.due, question.moved = moment("2026-05-02T10:00:00Z"), 2
    session.commit(BEFORE)
    take_back(session, session.referee.n, at=THEN)
    for pending in (session.save.pending, load_header(path).pending):
        assert [(question.seat, question.since, question.due, question.moved) for question in pending] == [
            (seat, THEN, None, 0) for seat in toy.POWERS
        ]
    assert session.referee.waiting() == toy.POWERS


def test_each_rewind_has_an_epoch_of_its_own_even_to_the_same_move(session: Session, path: Path) -> None:
    """The epoch goes into prompt codes: an answer to a dead branch must bounce, however often it died."""
    n = session.referee.n
    for epoch in (1, 2, 3):
        assert rewind_plan(session, n).epoch == epoch
        take_back(session, n)
        session = Session.open(path, toy.load)
        assert session.save.dice.epoch == session.referee.table.dice.epoch == epoch
        assert session.save.dice.epochs() == [(n, epoch)]
    assert [rewind.was_n for rewind in session.save.dice.rewinds] == [n] * 3


def test_what_goes_on_after_a_rewind_does_not_reach_the_kept_file(session: Session, path: Path) -> None:
    before = path.read_bytes()
    plan = take_back(session, 0)
    toy.played(session, 10)
    session.commit()
    assert Path(plan.kept).read_bytes() == before
    again = take_back(session, 0)
    assert again.kept != plan.kept
    assert Path(plan.kept).read_bytes() == before


def test_a_rewind_that_is_refused_leaves_nothing_behind(session: Session, path: Path) -> None:
    other = Session.open(path, toy.load)
    toy.played(other, 1)
    other.commit()
    before = sorted(file.name for file in path.parent.rglob("*"))
    with pytest.raises(SaveChanged):
        take_back(session, 0)
    assert sorted(file.name for file in path.parent.rglob("*")) == before


def test_standing_answers_and_settings_survive_the_file_and_the_rewind(session: Session, path: Path) -> None:
    until(session, Negotiate, 1)
    referee = session.referee
    referee.standing.append(StandingRule("spain", "intercept", "pass"))
    referee.settings.append(AskMe("france", "intercept", "never"))
    referee.queue.append(AdvanceOrder("england", "action: hold", q=referee.q + 50, letter="<c@x>", line=2))
    session.commit()
    opened = Session.open(path, toy.load)
    assert (opened.referee.standing, opened.referee.settings) == (referee.standing, referee.settings)
    assert opened.referee.queue == referee.queue
    take_back(opened, opened.referee.n)
    assert (opened.referee.standing, opened.referee.settings) == (referee.standing, referee.settings)
    assert [(note.key, note.text, note.line) for note in opened.referee.notes] == [
        ("advance.rewound", "action: hold", 2)
    ]
    assert load(path).queue == []


def test_a_game_taken_back_to_its_beginning_is_whole(session: Session, path: Path) -> None:
    take_back(session, 0, at=THEN)
    save = load(path)
    assert (save.header.n, save.moves, save.header.over) == (session.referee.n, [], False)
    assert verify(path, toy.load).digest == session.referee.digest()
    toy.played(session, 30)
    session.commit()
    assert verify(path, toy.load).digest == session.referee.digest()


def test_opening_and_committing_changes_nothing(session: Session, path: Path) -> None:
    """A cron job that finds no letter may run as often as it likes."""
    until(session, AskAll, 2)
    session.commit(BEFORE)
    before = path.read_bytes()
    for _ in range(3):
        again = Session.open(path, toy.load)
        again.referee.settle()
        again.commit(THEN)
        assert path.read_bytes() == before
