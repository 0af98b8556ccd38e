"""What stands in a game for a seat beyond this letter: its open question, its lines in the queue, its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.kernel.referee import Note, Referee
from pbem.kernel.standing import lines_of
from pbem.orders.context import question_of
from pbem.orders.receipt import OpenQuestion, Receipt


def write_in_force(receipt: Receipt, referee: Referee, seat: str, own: OpenQuestion | None = None) -> None:
    """Write down what is open and in force. `own` is the open question as it stands for the seat; None: look it up."""
    if own is None:
        question = question_of(referee, seat)
        receipt.open = [question.shown()] if question is not None else []
    else:
        receipt.open = [own]
    receipt.queue = lines_of(seat, referee.queue)
    receipt.standing = lines_of(seat, referee.standing)
    receipt.settings = lines_of(seat, referee.settings)


def sweep(referee: Referee) -> None:
    """Drop queued lines whose question is past and standing answers that have run out; tell their writers by notes."""
    clock = referee.game.clock(referee.table.state) if referee.standing or referee.settings else {}
    for entry in [queued for queued in referee.queue if 0 < queued.q < referee.q or referee.over]:
        if not entry.refused:  # that was told
            note = Note(entry.seat, "queue.stale", str(entry), None, entry.letter, entry.line)
            referee.notes.append(note)
        drop(referee.queue, [entry])
    for standing in [order for order in referee.standing if order.expired(clock)]:
        referee.notes.append(Note(standing.seat, "standing.expired", str(standing)))
        drop(referee.standing, [standing])
    ended = [
        setting
        for setting in referee.settings
        if setting.until and all(c.holds(clock) for c in setting.until)
    ]
    drop(referee.settings, ended)


def drop(some: list[Any], gone: Sequence[Any]) -> None:
    """Take `gone` out of `some`, by identity: equal lines are different lines."""
    some[:] = [item for item in some if not any(item is other for other in gone)]
