"""Going back: new dice, dead answers, and a list of who has learnt what."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import games
from pbem.kernel.dice import Dice
from pbem.kernel.game import Setup
from pbem.kernel.questions import AskAll, Negotiate, Window
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule
from pbem.save import (
    OutboxEntry,
    RewindError,
    SaveChanged,
    Session,
    load,
    load_header,
    locked,
    rewind_plan,
    take_back,
    verify,
)
from pbem.timestamps import moment
from tests.save.hands import until
from tests.toy import playing as toy


def points(session: Session) -> list[int]:
    """Every move that ends a question."""
    found = []
    for n in range(session.referee.n + 1):
        try:
            rewind_plan(session, n)
        except RewindError:
            continue
        found.append(n)
    return found


def fresh(session: Session, n: int) -> Referee:
    """The game as it stood after move `n`."""
    return Referee.resume(session.game, session.setup, session.moves()[:n])


def rolls(referee: Referee) -> list[object]:
    return [line.args["dice"] for line in referee.table.lines if "dice" in line.args]


def intercepted(referee: Referee) -> None:
    """Move, and let everybody else intercept."""
    seat = referee.waiting()[0]
    referee.submit(seat, toy.MARCH)
    for other in referee.waiting():
        referee.submit(other, toy.INTERCEPT)


def test_the_state_is_that_of_the_point_and_the_journal_is_cut(session: Session, path: Path) -> None:
    for n in reversed(points(session)):
        then, head = fresh(session, n), session.moves()[n - 1].hash if n else None  # type: ignore[attr-defined]
        then.ask_again()  # a window that nobody wants to be asked in closes again at once
        was = session.referee.n
        plan = take_back(session, n, at=moment("2026-06-01T00:00:00Z"))
        assert (plan.n, plan.was_n, len(plan.undone)) == (n, was, was - n)
        assert session.referee.n == then.n
        assert {move.how for move in session.moves()[n:]} <= {"settings"}
        assert session.referee.table.state == then.table.state
        assert session.referee.q == then.q
        assert session.referee.pending() == then.pending()
        if head is not None and then.n == n:
            assert load_header(path).header.head == head
        again = Session.open(path, toy.load)
        assert again.referee.digest() == session.referee.digest()
        assert verify(path, toy.load).moves == then.n


def test_dice_after_a_rewind_are_new_and_dice_before_it_are_not(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(6))
    intercepted(session.referee)
    point = session.referee.n
    intercepted(session.referee)
    session.commit()
    first = rolls(session.referee)
    assert len(first) == 2
    take_back(session, point)
    assert (session.referee.table.dice.epoch, session.save.dice.epoch) == (1, 1)
    intercepted(session.referee)
    session.commit()
    second = rolls(session.referee)
    assert second[:1] == first[:1]
    assert second[1:] != first[1:]
    take_back(session, point)
    intercepted(session.referee)
    third = rolls(session.referee)
    assert third[:1] == first[:1]
    assert third[1:] not in (first[1:], second[1:])
    session.commit()
    assert [rewind.epoch for rewind in load_header(path).dice.rewinds] == [1, 2]
    assert load_header(path).dice.epochs() == [(point, 2)]
    assert rolls(Session.open(path, toy.load).referee) == third
    assert verify(path, toy.load).digest == session.referee.digest()


def test_a_rewind_behind_a_rewind(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(6))
    toy.played(session, 40)
    session.commit()
    at = points(session)
    for n in (at[-2], at[-4], at[-6]):
        take_back(session, n)
        toy.played(session, 25, seed=n)
        session.commit()
        assert Session.open(path, toy.load).referee.digest() == session.referee.digest()
        assert verify(path, toy.load).digest == session.referee.digest()
    epochs = session.save.dice.epochs()
    assert epochs == sorted(epochs)
    assert len(session.save.dice.rewinds) == 3
    later = session.save.dice.rewinds[-1].n
    assert [n for n, _ in epochs] == [n for n, _ in epochs if n <= later]
    assert session.save.dice.epoch == 3


def test_a_checkpoint_at_the_very_move_of_a_rewind(path: Path) -> None:
    """The round ends, a checkpoint is taken with the old dice, and only then the new epoch begins."""
    session = Session.create(path, toy.GAME, toy.campaign(6))
    until(until(session, AskAll), AskAll, 2)
    session.referee.submit(session.referee.waiting()[0], "accept")
    session.commit()
    n = session.referee.n
    toy.played(session, 4)
    session.commit()
    take_back(session, n)
    again = Session.open(path, toy.load)
    assert again.save.checkpoint is not None
    assert (again.save.checkpoint.n, again.save.checkpoint.epoch) == (n, 0)
    assert (again.referee.table.dice.epoch, again.referee.table.dice.counter) == (1, 0)
    for opened in (session, again):
        for seat in toy.POWERS:
            opened.referee.submit(seat, "done")
        intercepted(opened.referee)
    assert rolls(session.referee)[-1] == rolls(again.referee)[-1]


def test_a_rewind_to_a_fiat(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(6))
    intercepted(session.referee)
    session.referee.fiat([{"path": "gold.england", "value": 50}])
    n = session.referee.n
    intercepted(session.referee)
    session.commit()
    before = rolls(session.referee)[-1]
    take_back(session, n)
    assert session.referee.table.state.gold["england"] == 50
    assert session.referee.table.dice.epoch == 1
    again = Session.open(path, toy.load)
    for played in (session, again):
        intercepted(played.referee)
        assert rolls(played.referee)[-1] != before
    assert rolls(session.referee)[-1] == rolls(again.referee)[-1]


# -- what is dropped and what stays ----------------------------------------------------------------------------------


def test_open_answers_queues_and_letters_of_play_are_dropped(session: Session, path: Path) -> None:
    until(session, AskAll, 2)
    referee = session.referee
    given = tuple(referee.sealed)
    referee.queue.append(AdvanceOrder("france", "action: hold", q=999, letter="<b@x>", line=7))
    referee.standing.append(StandingRule("spain", "intercept", "pass"))
    referee.settings.append(AskMe("france", "intercept", "never"))
    session.save.outbox += [
        OutboxEntry("1", "england", "r@x", "turn", "turn"),
        OutboxEntry("2", "england", "r@x", "receipt", "receipt", of_play=False),
    ]
    session.save.seats[0].seen, session.save.seats[0].told_q = session.save.header.lines, 9
    session.save.seats[1].seen = 1
    session.commit(moment("2026-05-02T00:00:00Z"))
    n = points(session)[1]
    lines = len(fresh(session, n).table.lines)
    plan = take_back(session, n, at=moment("2026-06-01T00:00:00Z"))
    assert (plan.answers, plan.emails, [q.line for q in plan.queued]) == (given, ["1"], [7])
    again = Session.open(path, toy.load)
    for opened in (session, again):
        assert {move.how for move in opened.referee.sealed.values()} <= {"settings"}
        assert opened.referee.queue == []
        assert [s.seat for s in opened.referee.standing] == ["spain"]
        assert [s.seat for s in opened.referee.settings] == ["france"]
        assert [(note.seat, note.key, note.letter, note.line) for note in opened.referee.notes] == [
            ("france", "advance.rewound", "<b@x>", 7),
            ("spain", "standing.used", "", 0),  # the window is put again
        ]
        assert [letter.id for letter in opened.save.outbox] == ["2"]
        assert [seat.seen for seat in opened.save.seats] == [min(lines, 10_000), 1, 0]
        assert [seat.told_q for seat in opened.save.seats] == [0, 0, 0]
        assert {pending.since for pending in opened.save.pending} == {moment("2026-06-01T00:00:00Z")}
        assert opened.save.dice.rewinds[-1].was_n == plan.was_n


def test_the_previous_file_is_kept_and_can_be_gone_back_to(session: Session, path: Path) -> None:
    before, head = path.read_bytes(), session.save.header.head
    digest, n = session.referee.digest(), points(session)[-2]
    plan = take_back(session, n)
    kept = Path(plan.kept)
    assert kept.parent == path.with_suffix(".d")
    assert kept.read_bytes() == before
    assert load(path).dice.rewinds[0].was_head == head
    path.write_bytes(kept.read_bytes())
    assert Session.open(path, toy.load).referee.digest() == digest


def test_the_plan_names_what_was_heard_in_negotiations(session: Session) -> None:
    """Proposals of a negotiation that is undone, and of one that is open, whether they were signed or not."""
    until(session, Negotiate)
    referee = session.referee
    n, open_one = referee.n, referee.talk
    assert open_one is not None
    maker = referee.waiting()[0]
    value = next(
        value
        for value in (referee.domain(maker).sample(Random(seed).randrange) for seed in range(200))
        if isinstance(value, dict) and value["do"] == "propose"
    )
    referee.submit(maker, value)
    (made,) = open_one.open.values()
    session.commit()
    heard = [learnt for learnt in rewind_plan(session, n).learnt if learnt.key == "proposal"]
    assert [(learnt.args["id"], learnt.told) for learnt in heard] == [
        (made.id, tuple(seat for seat in made.parties if seat != maker))
    ]
    for seat in list(referee.waiting()):
        referee.submit(seat, "done")
    session.commit()
    again = [learnt for learnt in rewind_plan(session, n).learnt if learnt.key == "proposal"]
    assert [learnt.args for learnt in again] == [learnt.args for learnt in heard]
    assert again[0].n > n
    assert not [learnt for learnt in rewind_plan(session, referee.n).learnt if learnt.key == "proposal"]


def test_acts_of_an_open_negotiation_are_dropped(session: Session, path: Path) -> None:
    until(session, Negotiate, 2)
    session.commit()
    n = session.referee.n
    plan = take_back(session, n)
    assert plan.undone == []
    assert plan.answers
    assert session.referee.talk is not None
    assert session.referee.talk.acts == []
    assert Session.open(path, toy.load).referee.waiting() == toy.POWERS


def test_a_window_is_put_again_to_those_who_want_to_be_asked(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(6))
    referee = session.referee
    referee.fiat([{"path": "at.france", "value": "venice"}])
    referee.submit("england", toy.MARCH)  # touches one of the two others
    assert isinstance(referee.now, Window)
    asked = referee.waiting()
    assert asked == ("france",)
    n = referee.n
    referee.submit(asked[0], toy.INTERCEPT)
    session.commit()
    take_back(session, n)
    assert session.referee.waiting() == asked
    assert Session.open(path, toy.load).referee.waiting() == asked


# -- points ----------------------------------------------------------------------------------------------------------


def test_simultaneous_answers_are_not_torn_apart(session: Session) -> None:
    bids = [move.n for move in session.moves() if move.kind == "ballot"][:3]
    for n in bids[:2]:
        with pytest.raises(RewindError) as caught:
            take_back(session, n)
        assert f"answers {bids[0]} to {bids[2]}" in str(caught.value)
        assert f"Go back to {bids[0] - 1} or to {bids[2]}." in str(caught.value)
    assert {bids[0] - 1, bids[2]} <= set(points(session))
    for n in (-1, session.referee.n + 1):
        with pytest.raises(
            RewindError, match=f"move {n} doesn't exist in this game[.] Name one from 1 to {session.referee.n}"
        ):
            take_back(session, n)


# -- who has learnt what ---------------------------------------------------------------------------------------------


def test_the_plan_names_who_learnt_what(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(6))
    intercepted(session.referee)
    point = session.referee.n
    mover = session.referee.waiting()[0]
    intercepted(session.referee)
    session.commit()
    lines = session.lines(0)
    card, played = (
        next(at for at, line in enumerate(lines) if line.n > point and line.key == key)
        for key in ("drew", "intercepts")
    )
    session.save.seat(mover).seen = played + 1  # one letter went out in between
    others = [seat for seat in toy.POWERS if seat != mover]
    session.save.seat(others[0]).seen = card + 1
    plan = rewind_plan(session, point)
    assert [learnt.line for learnt in plan.learnt] == [card, played, played + 1]
    drawn, intercepts, roll = plan.learnt
    assert (drawn.private, drawn.seats) == ((mover,), toy.POWERS)
    assert set(drawn.told) == {mover, others[0]}
    assert (intercepts.told, intercepts.private) == ((mover,), ())
    assert roll.args["dice"] == lines[played + 1].args["dice"]
    assert roll.told == ()
    assert [move.kind for move in plan.undone] == ["action", "intercept", "intercept"]


def test_lines_for_some_eyes_are_learnt_by_these(session: Session) -> None:
    until(session, Negotiate)
    n = session.referee.n
    session.referee.submit("england", {"do": "propose", "to": ["france"], "price": 1})
    session.referee.submit("france", {"do": "accept", "id": "england-france-1", "give": 0})
    for seat in session.referee.waiting():
        session.referee.submit(seat, "done")
    session.sync()
    lines = session.lines(0)
    league = [at for at, line in enumerate(lines) if line.key == "league"][-1]
    assert league >= session.save.header.lines - 2
    assert lines[league].only == ("england", "france")
    # Nothing hidden or random in it: not part of what was learnt.
    assert league not in [learnt.line for learnt in rewind_plan(session, n).learnt]


def test_a_plan_is_the_same_from_memory_and_from_the_file(session: Session, path: Path) -> None:
    again = Session.open(path, toy.load)
    for n in points(session):
        one, two = rewind_plan(session, n), rewind_plan(again, n)
        assert one == two


def test_a_plan_changes_nothing(session: Session, path: Path) -> None:
    before = path.read_bytes()
    rewind_plan(session, 0)
    session.commit(moment("2026-05-01T10:00:00Z"))
    assert path.read_bytes() == before


# -- against others --------------------------------------------------------------------------------------------------


def test_a_rewind_of_an_old_version_is_refused(session: Session, path: Path) -> None:
    other = Session.open(path, toy.load)
    toy.played(other, 1)
    other.commit()
    before = path.read_bytes()
    n = points(session)[1]
    with pytest.raises(SaveChanged):
        take_back(session, n)
    assert path.read_bytes() == before
    assert session.referee.n > n
    with locked(path):
        take_back(other, n)
    assert load_header(path).header.n == n


def test_1630_goes_back_to_every_question(path: Path) -> None:
    game = games.load("sixteen_thirty")
    setup = Setup(game.slug, game.seats_for(4), "33" * 32, options=game.with_defaults({}))
    session = Session.create(path, game, setup, at=moment("2026-05-01T09:00:00Z"))
    dice = Dice(b"4" * 32)
    for _ in range(90):
        if not session.referee.over:
            toy.step(session.referee, dice)
    session.commit()
    for n in reversed(points(session)[::5]):
        then = fresh(session, n)
        take_back(session, n)
        assert session.referee.table.state == then.table.state
        assert Session.open(path, game).referee.digest() == session.referee.digest()
    assert verify(path, games.load).moves == session.referee.n
