"""A checkpoint forged by somebody who can work out every hash: only the journal, played again, finds him out.

A game is resumed from its checkpoint without the moves before it, so whoever can write the file could give himself
money, look for better dice or a better deck. `verify` plays everything again and says what does not follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.kernel.dice import commitment
from pbem.kernel.domains import Amount
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, AskAll, Checkpoint
from pbem.kernel.table import Table
from pbem.save import (
    BrokenChain,
    DiceInfo,
    ReplayFailed,
    Save,
    SaveError,
    Session,
    chain,
    load,
    store,
    take_back,
    verify,
)
from tests.save.hands import until
from tests.save.test_rewind import intercepted, points
from tests.toy import playing as toy

Change = Callable[[Any], None]


def forge(path: Path, change: Change) -> None:
    """Change the checkpoint, and make every hash in the file fit again."""
    save = load(path)
    assert save.checkpoint is not None
    change(save.checkpoint)
    save.checkpoint.digest = chain.digest(save.checkpoint)
    store(path, save)
    load(path)  # the chain alone is as whole as ever


def swapped(point: Any) -> None:
    deck = point.state["deck"]
    deck[0], deck[1] = deck[1], deck[0]


def reordered(point: Any) -> None:
    """Rules may go by the order of keys."""
    powers = point.state["powers"]
    first = next(iter(powers))
    powers[first] = powers.pop(first)


@pytest.fixture
def later(session: Session, path: Path) -> Path:
    """A game whose checkpoint has moves before it and after it."""
    until(session, AskAll, 2)
    session.commit()
    save = load(path)
    assert save.checkpoint is not None
    assert 0 < save.checkpoint.n < save.header.n
    assert verify(path, toy.load).digest == session.referee.digest()
    return path


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda point: setattr(point, "counter", point.counter + 1), "checkpoint.counter"),
        (lambda point: setattr(point, "counter", point.counter - 1), "checkpoint.counter"),
        (lambda point: setattr(point, "epoch", 1), "checkpoint.counter"),
        (lambda point: setattr(point, "lines", point.lines + 1), "checkpoint"),
        (lambda point: point.state["gold"].update(england=99), "checkpoint.state"),
        (lambda point: point.state["deck"].pop(), "checkpoint.state"),
        (swapped, "checkpoint.state"),
        (reordered, "checkpoint.state"),
    ],
)
def test_a_forged_checkpoint_is_found_out_by_playing_again(later: Path, change: Change, key: str) -> None:
    forge(later, change)
    with pytest.raises(ReplayFailed) as caught:
        verify(later, toy.load)
    assert (caught.value.key, caught.value.path) == (key, str(later))


@pytest.mark.parametrize("by", [-1, 1])
def test_a_checkpoint_moved_to_another_move_is_found_out(later: Path, by: int) -> None:
    """The moves between would be played twice, or not at all."""
    forge(later, lambda point: setattr(point, "n", point.n + by))
    with pytest.raises(SaveError):
        verify(later, toy.load)


def test_rules_that_remember_what_is_in_no_state_are_found_out(path: Path) -> None:
    """Such a game resumes otherwise than it was played: a rehearsal must say so before players see it."""

    def play(table: Table) -> Play:
        marched = 0
        while True:
            yield Checkpoint()
            for seat in table.seats:
                steps = yield Ask(seat, "action", Amount(0, 6), default=0)
                marched += steps
                table.state.gold[seat] = marched

    game = msgspec.structs.replace(toy.GAME, play=play)
    session = Session.create(path, game, toy.campaign())
    for steps in (1, 2, 3, 4):
        session.referee.submit(session.referee.waiting()[0], steps)
    session.commit()
    with pytest.raises(ReplayFailed) as caught:
        verify(path, game)
    assert caught.value.key.startswith("checkpoint")


def test_a_rewind_that_is_struck_out_of_the_file_is_found_out(path: Path) -> None:
    """Who could strike it out would have the dice of before, which everybody has seen fall."""
    session = Session.create(path, toy.GAME, toy.campaign(6))
    intercepted(session.referee)
    intercepted(session.referee)
    session.commit()
    take_back(session, points(session)[0])
    for _ in range(3):
        intercepted(session.referee)
    until(session, AskAll, 1)
    until(session, Ask)  # the next round: its checkpoint holds what the dice led to
    session.commit()
    save = load(path)
    assert save.checkpoint is not None
    assert save.checkpoint.epoch == 1
    save.dice.rewinds.clear()
    store(path, save)
    with pytest.raises(SaveError):
        verify(path, toy.load)


def test_what_a_forger_cannot_even_open(later: Path) -> None:
    """Without the hash of the checkpoint made to fit, nobody plays on; nor with moves taken out before it."""
    whole = later.read_text("utf-8")

    def opened(change: Callable[[Save], object]) -> None:
        save = load(later)
        change(save)
        store(later, save)
        try:
            with pytest.raises(SaveError):
                Session.open(later, toy.load)
        finally:
            later.write_text(whole, "utf-8")

    opened(lambda save: save.checkpoint.state["gold"].update(england=99))
    opened(lambda save: setattr(save.checkpoint, "counter", 0))
    opened(lambda save: save.moves.pop(1))
    opened(lambda save: setattr(save.moves[-1], "seat", "spain"))
    opened(lambda save: setattr(save, "dice", DiceInfo("00" * 32, commitment(bytes(32)))))
    assert Session.open(later, toy.load).referee.n == load(later).header.n


def test_a_move_before_the_checkpoint_is_found_out_link_by_link(later: Path) -> None:
    """Opening goes by the hash of the text, which a forger can work out as well; `load` goes by each move."""
    save = load(later)
    save.moves[0].at = "2026-05-01T09:30:00Z"
    store(later, save)
    with pytest.raises(BrokenChain) as caught:
        load(later)
    assert caught.value.n == 1


def test_a_story_that_the_journal_does_not_tell_is_not_told(later: Path) -> None:
    """Letters tell lines by their number: with lines missing, somebody would not be told what happened to him."""
    forge(later, lambda point: setattr(point, "lines", point.lines + 3))
    session = Session.open(later, toy.load)
    with pytest.raises(ReplayFailed) as caught:
        session.lines(0)
    assert (caught.value.key, caught.value.path) == ("checkpoint.lines", str(later))


def test_rules_changed_behind_the_checkpoint_are_found_out(later: Path) -> None:
    """A game opens and plays on under them; only playing it all again shows that it could not have come so far."""

    def play(table: Table) -> Play:
        if table.state.turn == 1:
            raise LookupError("no first turn in these rules")
        yield from toy.GAME.play(table)

    game = msgspec.structs.replace(toy.GAME, play=play)
    assert Session.open(later, game).referee.n == load(later).header.n
    with pytest.raises(ReplayFailed, match="no first turn in these rules") as caught:
        verify(later, game)
    assert caught.value.path == str(later)
