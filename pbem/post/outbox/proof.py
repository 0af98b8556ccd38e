"""What a letter quotes so that it can be verified later: a few lines, attached, that a program reads (`pbem verify`).

    ~ 1630-ballot amber 3          game, seat, number of the letter
    ~ head 57 0 3f9ca1d2…          moves made, epoch of the dice, head of the journal
    ~ pack ce27ce19…               digest of the components, where the moderator has corrected them
    ~ seed c77e25…                 commitment to the seed, in a first letter
    ~ nonce black some text        what a player gave for the dice, in a first letter
    ~ seen black 55 ab12-cd34-…    the last head that a seat's answer to an open question carried back
    ~ dice 12 57 0 6: 6 5 5 5      draw, after move, epoch, sides: faces
    ~ mine 29 1a2b-3c4d-…          the fingerprint of the reader's own answer to a question
    ~ sealed amber 57 0 9f3c…      commitment of a moderator who plays to his own answer to the open, sealed question,
                                   and the epoch; or `~ unsealed amber 57`: he has not answered yet

Of others it tells public things only: what a sealed answer or a standing one carried back is never told. A moderator
who plays could read their answers in the save: that is why he commits to his own (docs/trust.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from pbem.kernel.table import Line
from pbem.orders.codes import head_of
from pbem.orders.receipt import fingerprint
from pbem.post.outbox.drafts import add_words
from pbem.post.outbox.reader import reader_of
from pbem.save import Save, SeatInfo, Session, chain, codec

_GROUPS = 16


def proof_of(session: Session, seat: SeatInfo, lines: Sequence[Line] = ()) -> str:
    """What the next letter to a seat quotes. `lines` are its news."""
    return "\n".join(_quoted(session, seat, lines)) + "\n"


def _quoted(session: Session, seat: SeatInfo, lines: Sequence[Line]) -> Iterator[str]:
    save, header = session.save, session.save.header
    yield f"~ {header.name} {seat.id} {seat.told.letters + 1}"
    yield f"~ head {header.n} {save.dice.epoch} {header.head}"
    if header.pack:
        yield f"~ pack {header.pack_digest}"
    if not seat.told.letters or seat.told.newcomer:
        yield f"~ seed {save.dice.commitment}"
        for who, nonce in save.dice.nonces.items():
            yield f"~ nonce {who} {nonce}"
    for info in save.seats:
        if info.told.seen_head:
            yield f"~ seen {info.id} {info.told.seen} {grouped(info.told.seen_head)}"
    for line in lines:
        dice, draw = line.args.get("dice"), line.args.get("draw")
        if isinstance(dice, list) and isinstance(draw, int):
            epoch = chain.epoch_of(line.n + 1, save.dice.epochs())
            faces = " ".join(map(str, dice))
            yield f"~ dice {draw} {line.n} {epoch} {line.args.get('sides', 6)}: {faces}"
    yield from _committed(session, seat)
    for q, answer in _own(session, seat):
        yield f"~ mine {q} {of_answer(seat.id, q, answer)}"


def _committed(session: Session, seat: SeatInfo) -> Iterator[str]:
    """What a moderator who plays has committed to, if the open question is sealed and put to him too."""
    referee, plays = session.referee, session.save.post.plays
    asked = referee.pending_to(plays)
    if not plays or plays == seat.id or asked is None or not asked.sealed:
        return
    move = referee.sealed.get(plays)
    if move is None:
        yield f"~ unsealed {plays} {referee.q}"
        return
    epoch = session.save.dice.epoch
    sealed = chain.sealed_before(bytes.fromhex(session.save.dice.seed), plays, referee.q, epoch, move.answer)
    yield f"~ sealed {plays} {referee.q} {epoch} {sealed}"


def _own(session: Session, seat: SeatInfo) -> Iterator[tuple[int, Any]]:
    """The reader's answers since his last letter: those that have been journaled, and a sealed one as it stands."""
    save = session.save
    moves: list[Any] = list(save.moves)
    if seat.told.moves < save.earlier_n:
        moves = [*codec.earlier_moves(save, seat.told.moves), *moves]
    for move in moves:
        if move.n > seat.told.moves and move.seat == seat.id:
            yield move.q, move.answer
    sealed = session.referee.sealed.get(seat.id)
    if sealed is not None:
        yield sealed.q, sealed.answer


def of_answer(seat: str, q: int, answer: Any) -> str:
    """The fingerprint of an answer, as letters quote it."""
    return fingerprint(f"{seat} {q} {msgspec.json.encode(answer, order='deterministic').decode()}")


def grouped(head: str) -> str:
    """The beginning of a head in groups of four."""
    return "-".join(head[at : at + 4] for at in range(0, _GROUPS, 4))


# -- what answers carry back -----------------------------------------------------------------------------------------


def note_seen(session: Session, seat: SeatInfo, code: str, at: datetime, *, openly: bool) -> None:
    """Note the head that a seat's letter carried back; tell everybody of one that this game never had.

    Only what an answer to an open question carried (`openly`) is told to others: else they would learn from it that
    somebody has answered a sealed question.
    """
    begins = head_of(code)
    if not begins or begins in seat.told.foreign:
        return
    found = _find(session.save, begins)
    if found is None:
        seat.told.foreign = [*seat.told.foreign, begins]
        for info in session.save.seats:
            who = reader_of(session, info).say.name(seat.id)
            head = f"{begins[:4]}-{begins[4:]}"
            add_words(session, info, "proof.foreign", f"foreign.{seat.id}.{begins}", at, who=who, head=head)
    elif openly and found[0] >= seat.told.seen:
        seat.told.seen, seat.told.seen_head = found


def _find(save: Save, begins: str) -> tuple[int, str] | None:
    """The move whose hash begins so, and the beginning of that hash; None if no branch of the game has had it."""
    for move in reversed(save.moves):
        if move.hash.startswith(begins):
            return move.n, move.hash[:_GROUPS]
    start = chain.start(save)
    if start.startswith(begins):
        return 0, start[:_GROUPS]
    for rewind in save.dice.rewinds:
        if rewind.was_head.startswith(begins):
            return 0, start[:_GROUPS]  # a branch that was given up: it is no news that he knows it
    if f'hash = "{begins}' in save.earlier:
        move = next(link for link in codec.earlier_moves(save) if link.hash.startswith(begins))
        return move.n, move.hash[:_GROUPS]
    return None
