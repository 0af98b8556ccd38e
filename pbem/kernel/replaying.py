"""How a referee takes a journal as it stands: no checks, no options built, nothing closed but by what is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pbem.kernel.journal import Move, ReplayError
from pbem.kernel.negotiation import Acts, Talk
from pbem.kernel.questions import Ask, AskAll, Negotiate, Replies, Window

if TYPE_CHECKING:
    from pbem.kernel.referee import Referee


def run(referee: Referee, moves: Sequence[Move]) -> None:
    """Take `moves`, then set up the live side of the question that is open. Raises `ReplayError`."""
    at, end = 0, len(moves)
    try:
        while at < end:
            at = _one(referee, moves, at)
    except ReplayError:
        raise
    except Exception as error:  # the rules cannot carry out what stands in the journal
        move = moves[at]
        raise ReplayError(move.n, f"{move.seat} {move.kind}: {type(error).__name__}: {error}") from error
    referee._domains, referee.sealed, referee.talk = {}, {}, None
    referee.table.held.clear()
    if isinstance(referee.now, Negotiate):
        referee.talk = Talk(referee.now)


def _one(referee: Referee, moves: Sequence[Move], at: int) -> int:
    """Replay the answer to the open question, which begins at `moves[at]`; returns where the next one begins."""
    move, now = moves[at], referee.now
    value: Any
    if type(now) is Ask and move.kind == now.kind and move.seat == now.seat:  # by far the most
        value = move.answer
        referee.moves.append(move)
        at += 1
    elif move.kind == "fiat":
        referee.moves.append(move)
        referee.table.n = move.n
        referee._apply_fiat(move.answer)
        referee._switch_epoch()
        return at + 1
    elif isinstance(now, Ask):
        told = f"{move.seat} answers {move.kind}"
        raise ReplayError(move.n, f"{told}, but {now.kind} is open to {now.seat}")
    elif isinstance(now, (AskAll, Window)):
        batch = moves[at : at + len(referee._asked)]
        wrong = now.asks[move.seat].kind != move.kind if isinstance(now, AskAll) else now.kind != move.kind
        if wrong or [m.seat for m in batch] != [*referee._asked]:
            raise ReplayError(move.n, f"answers of {', '.join(referee._asked)} expected")
        value = {m.seat: m.answer for m in batch}
        if isinstance(now, Window):
            value = Replies(value)
        referee.moves.extend(batch)
        at += len(batch)
    elif isinstance(now, Negotiate):
        if move.seat or move.kind != now.kind:
            raise ReplayError(move.n, f"{move.kind} instead of {now.kind}")
        value = Acts.replayed(now, move.answer["acts"])
        referee.moves.append(move)
        at += 1
    else:
        raise ReplayError(move.n, "the game was over before this move")
    referee.table.n = referee.base + len(referee.moves)
    referee._advance(value, live=False)
    return at
