"""A game passes to newer rules as it stands, or from its checkpoint, or not; afterwards it is a game like any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pbem.kernel.game import Game
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.standing_orders import AdvanceOrder
from pbem.kernel.table import Table
from pbem.mail.outbox.email_parts import at_move, lines_of
from pbem.save import (
    BrokenChain,
    NoUpgrade,
    RewindError,
    RulesMismatch,
    SaveKeyError,
    Session,
    load,
    rewind_plan,
    rolled_again,
    take_back,
    verify,
)
from pbem.save.rewind import PROPOSAL
from pbem.save.upgrade import plan, upgrade
from pbem.timestamps import moment
from tests.toy import playing as toy

AT = moment("2026-06-01T10:00:00Z")


def paid(table: Table) -> Iterator[Any]:
    """The toy under other rules: whoever marches is paid for it."""
    rules, answer = toy.GAME.play(table), None
    while True:
        try:
            asked = rules.send(answer)
        except StopIteration:
            return
        answer = yield asked
        if getattr(asked, "kind", "") == "action" and answer != "hold":
            table.state.gold[asked.seat] += 10


SAME = replace(toy.GAME, rules="8")
OTHER = replace(toy.GAME, rules="8", play=paid)


def test_a_game_that_stays_the_same_goes_on_as_it_stands(session: Session, path: Path) -> None:
    with pytest.raises(RulesMismatch, match="rules 7; these are 8"):
        Session.open(path, SAME)
    digest, head = session.referee.digest(), session.save.header.head
    fresh, made = upgrade(path, SAME, AT)
    assert (made.needed, made.found.same, made.undone, made.epoch) == (True, True, 0, 0)
    fresh.commit(AT)
    again = Session.open(path, SAME)
    assert (again.referee.digest(), again.save.header.head) == (digest, head)
    assert again.save.header.rules == "8"
    assert again.save.origin is None
    assert load(made.kept).header.rules == "7"
    with pytest.raises(NoUpgrade, match="under the installed rules already"):
        upgrade(path, SAME, AT)


def test_another_game_is_nobodys_by_accident(session: Session, path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(NoUpgrade, match="the game would turn out differently") as caught:
        upgrade(path, OTHER, AT)
    assert "--from-checkpoint" in str(caught.value)
    made = plan(path, OTHER)
    point = session.save.checkpoint
    assert point is not None
    assert not made.found.same
    assert (made.n, made.undone, made.epoch) == (point.n, session.referee.n - point.n, 1)
    assert path.read_bytes() == before
    assert not path.with_suffix(".d").exists()


def upgraded(path: Path, game: Game = OTHER) -> Session:
    fresh, _ = upgrade(path, game, AT, from_checkpoint=True)
    fresh.commit(AT)
    return Session.open(path, game)


def test_from_its_checkpoint_it_has_the_state_and_new_dice(session: Session, path: Path) -> None:
    before = load(path)
    point = before.checkpoint
    assert point is not None
    session.save.header
    fresh = upgraded(path)
    header = fresh.save.header
    assert (header.rules, header.n, fresh.save.dice.epoch) == ("8", point.n + 1, 1)
    assert fresh.referee.table.dice.epoch == 1
    state = toy.load("toy").state
    kept = msgspec.convert(point.state, state)
    assert kept.turn == fresh.referee.table.state.turn
    assert kept.powers == fresh.referee.table.state.powers
    assert fresh.moves()[-1].kind == "new-rules"
    assert fresh.moves()[-1].answer["was"] == "7"
    journal: list[Any] = [*fresh.moves()]
    assert [move.hash for move in journal[: point.n]] == [move.hash for move in before.moves[: point.n]]
    rewind = fresh.save.dice.rewinds[-1]
    assert (rewind.n, rewind.was_n, rewind.was_head) == (point.n, before.header.n, before.header.head)
    assert fresh.save.header.q == fresh.referee.q == point.q + 1


def test_it_is_played_on_audited_and_taken_back_like_any_other(session: Session, path: Path) -> None:
    fresh = upgraded(path)
    first = fresh.referee.n
    toy.played(fresh, 14, seed=4)
    fresh.commit(AT)
    again = Session.open(path, OTHER)
    assert again.referee.base > first  # it has passed a checkpoint since
    assert verify(path, OTHER).digest == again.referee.digest() == fresh.referee.digest()
    assert rolled_again(again)[1] == []
    lines = lines_of(again)
    assert lines == again.lines(again.first_line)
    assert min(line.n for line in lines) >= first
    assert at_move(again, again.moves()).digest() == again.referee.digest()
    with pytest.raises(RewindError, match="was moved to other rules"):
        rewind_plan(again, first - 1)
    told = [learnt for learnt in rewind_plan(again, first).learnt if learnt.key != PROPOSAL]
    assert [again.lines(again.first_line)[learnt.line - again.first_line].key for learnt in told] == [
        learnt.key for learnt in told
    ]
    assert told
    take_back(again, first, AT)
    assert Session.open(path, OTHER).referee.n == first
    assert verify(path, OTHER).moves == first


def test_it_may_pass_to_other_rules_again(session: Session, path: Path) -> None:
    fresh = upgraded(path)
    toy.played(fresh, 25, seed=4)
    fresh.commit(AT)
    ninth = replace(SAME, rules="9")
    last = upgraded(path, ninth)
    assert [move.kind for move in last.moves()].count("new-rules") == 2
    assert last.save.dice.epoch == 2
    toy.played(last, 9, seed=2)
    last.commit(AT)
    assert verify(path, ninth).moves == last.referee.n
    tenth = replace(SAME, rules="10")
    assert plan(path, tenth).found.same  # played again from where the rules changed last
    upgrade(path, tenth, AT)[0].commit(AT)
    assert verify(path, tenth).moves == last.referee.n


def test_what_was_sent_in_advance_comes_back(session: Session, path: Path) -> None:
    session.referee.queue.append(AdvanceOrder("england", "action: hold"))
    session.commit(AT)
    fresh = upgraded(path)
    assert fresh.referee.queue == []
    assert [(note.seat, note.key, note.text) for note in fresh.referee.notes] == [
        ("england", "advance.rewound", "action: hold")
    ]


def test_a_state_that_has_no_place_in_the_rules_bars_it(session: Session, path: Path) -> None:
    later = msgspec.defstruct("Later", [("weather", str)], bases=(toy.GAME.state,), kw_only=True)

    made = plan(path, replace(OTHER, state=later))
    assert "its state doesn't fit the new rules" in made.barred
    with pytest.raises(NoUpgrade, match=r"the game can.t go on from its checkpoint"):
        upgrade(path, replace(OTHER, state=later), AT, from_checkpoint=True)


def test_so_does_a_state_that_breaks_an_invariant(session: Session, path: Path) -> None:
    broken = replace(
        OTHER, invariants=lambda table: [RejectionReason("correction.value", {"path": "turn", "why": "odd"})]
    )
    assert "odd" in plan(path, broken).barred


def test_nobody_puts_another_state_under_it(session: Session, path: Path) -> None:
    fresh = upgraded(path)
    assert fresh.save.origin is not None
    text = path.read_text("utf-8")
    at = text.index("[origin]")
    path.write_text(text[:at] + text[at:].replace("turn = 2", "turn = 3", 1), "utf-8")
    with pytest.raises((BrokenChain, SaveKeyError)):
        verify(path, OTHER)
    other = fresh.save
    other.origin.counter = 99
    from pbem.save import chain, store

    other.origin.digest = chain.digest(other.origin)
    store(path, other)
    with pytest.raises(BrokenChain, match="another state"):
        verify(path, OTHER)
