"""The journal leads to where play stood, from the first move or from any checkpoint; a wrong one is found out."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from pbem.kernel.referee import SETTINGS, CheckpointRecord, Move, Referee, ReplayError
from pbem.kernel.standing_orders import AskMe
from tests.kernel.told import Told
from tests.toy import playing as toy
from tests.toy.playing import at_random, chance, new, to_action, to_window


@pytest.mark.parametrize("seed", range(5))
def test_replay_rebuilds_the_game_at_every_question(seed: int) -> None:
    told = Told(seed)
    assert len(told.digests) > 20
    assert any(move.kind == "fiat" for move in told.referee.moves)
    for n, digest in told.digests.items():
        again = Referee.resume(toy.GAME, told.setup, told.referee.moves[:n])
        assert again.digest() == digest
        assert len(again.table.lines) == told.lines[n]
    assert again.result == told.referee.result
    assert again.table.lines == told.referee.table.lines
    assert again.moves == told.referee.moves


def distinct(marks: list[CheckpointRecord]) -> list[CheckpointRecord]:
    """A game that begins with a checkpoint marks its first position twice."""
    return [mark for mark, _ in itertools.groupby(marks)]


@pytest.mark.parametrize("seed", range(3))
def test_play_resumes_from_every_checkpoint(seed: int) -> None:
    told = Told(seed)
    assert len(told.marks) > 10
    moves = told.referee.moves
    for mark in told.marks:
        seen: list[CheckpointRecord] = []
        again = Referee.resume(toy.GAME, told.setup, moves[mark.n :], mark, on_mark=seen.append)
        assert again.digest() == told.referee.digest()
        assert again.line_base + len(again.table.lines) == len(told.referee.table.lines)
        assert [move.n for move in again.moves] == [move.n for move in moves[mark.n :]]
        assert distinct(seen) == distinct([other for other in told.marks if other.n >= mark.n])
        for n in [n for n in told.digests if n >= mark.n][:4]:
            part = Referee.resume(toy.GAME, told.setup, moves[mark.n : n], mark)
            assert part.digest() == told.digests[n]


def test_a_state_survives_as_tables() -> None:
    """Marks hold JSON: nothing of the state is lost in it."""
    told = Told(1)
    state = msgspec.json.decode(told.marks[-1].state, type=toy.GAME.state)
    assert msgspec.json.encode(state) == told.marks[-1].state


def test_replay_goes_on_where_live_play_stood() -> None:
    told = Told(2)
    for n in [n for n in told.digests if 5 < n < told.referee.n][::5]:
        again = Referee.resume(toy.GAME, told.setup, told.referee.moves[:n], ask_me="always")
        at_random(again, chance(3))
        assert again.over
        assert Referee.resume(toy.GAME, told.setup, again.moves).digest() == again.digest()


def test_unasked_windows_are_replayed_from_the_journal() -> None:
    referee = new()
    referee.settings = [AskMe("coral", "*", "always", ())]
    to_window(referee)  # amber's march is put to blue and coral
    moves = list(to_action(new()).moves)
    quiet = to_action(new())
    quiet.submit("amber", {"do": "route", "with": ["ford", "keep"]})
    assert [m.how for m in quiet.moves[len(moves) :]] == ["chosen"] + [SETTINGS] * 4
    again = Referee.resume(toy.GAME, toy.setup(), quiet.moves, ask_me="always")
    assert again.digest() == quiet.digest()


def test_an_open_window_can_be_put_anew_after_a_rewind() -> None:
    referee = to_action(new())
    referee.submit("amber", {"do": "march", "to": "ford"})
    cut = [move for move in referee.moves if move.kind != "intercept"]
    again = Referee.resume(toy.GAME, toy.setup(), cut)
    assert again.waiting() == ("blue", "coral")
    again.ask_again()
    assert again.digest() == referee.digest()


# -- wrong journals ---------------------------------------------------------------------------------------------------


def edited(moves: list[Move], at: int, **changes: Any) -> list[Move]:
    return [msgspec.structs.replace(m, **changes) if i == at else m for i, m in enumerate(moves)]


@pytest.mark.parametrize(
    ("at", "changes"),
    [
        (0, {"seat": "coral"}),
        (1, {"seat": "nobody"}),
        (0, {"kind": "ballot"}),
        (3, {"seat": "amber"}),
        (3, {"kind": "talk"}),
        (3, {"answer": {}}),
        (3, {"answer": {"acts": [{"seat": "amber", "do": "accept", "id": "none"}]}}),
        (4, {"seat": "blue"}),
        (4, {"kind": "bribe"}),
        (4, {"answer": {"do": "route", "with": 5}}),
        (4, {"kind": "fiat", "answer": [{"path": "nowhere", "value": 1}]}),
        (5, {"kind": "bribe"}),
        (6, {"seat": "amber"}),
    ],
)
def test_a_wrong_journal_names_its_first_wrong_move(at: int, changes: dict[str, Any]) -> None:
    referee = to_action(new({"ask_me": "always"}))
    referee.submit("amber", {"do": "march", "to": "ford"})
    referee.submit("blue", "pass")
    referee.submit("coral", "pass")
    referee.submit("amber", "hold")
    with pytest.raises(ReplayError) as caught:
        Referee.resume(toy.GAME, toy.setup(), edited(referee.moves, at, **changes))
    first = 1 if at < 3 else 6 if at == 6 else at + 1
    assert caught.value.n == first
    assert str(caught.value).startswith(f"move {first}: ")


def test_a_journal_that_goes_on_after_the_end_is_wrong() -> None:
    told = Told(1)
    extra = Move(told.referee.n + 1, 0, "amber", "action", "hold")
    with pytest.raises(ReplayError, match="over"):
        Referee.resume(toy.GAME, told.setup, [*told.referee.moves, extra])
