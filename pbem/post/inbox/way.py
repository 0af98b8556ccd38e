"""A letter's way through the inbox, top to bottom. Each step is a function with plain data in and out.

    Received → Letter → Claim → Change → Outcome

A step has a file of its own: `reading`, `claims`, `changes`, `outcomes`; what the data are stands in `values`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.orders.grammar import LIMITS
from pbem.orders.items import Block
from pbem.post.game_pool import Transaction
from pbem.post.inbox.changes import change_of, key_of
from pbem.post.inbox.claims import AHEAD, BROKEN, claims_of, doubt
from pbem.post.inbox.outcomes import not_taken, outcomes_of
from pbem.post.inbox.quarantine import Quarantine
from pbem.post.inbox.quarantining import is_known, notify
from pbem.post.inbox.reading import with_blocks
from pbem.post.inbox.replies import settled
from pbem.post.inbox.values import Claim, Letter, Outcome
from pbem.post.outbox.sent import SentLetters
from pbem.post.save_index import SaveIndex

STRANGERS = 20_000
"""Characters of each text that are read of a stranger's letter: it is put aside, whatever stands in it."""


class Dealt(msgspec.Struct):
    """What became of a letter, or of its part for one game.

    `aside` is why it goes into the quarantine, `taken` if blocks of it count (so that it is taken out again), `known`
    if an earlier run had taken it in; `early` is what must wait for its question.
    """

    letter: Letter
    outcomes: list[Outcome] = []
    aside: Claim | None = None
    taken: bool = False
    known: bool = False
    early: Letter | None = None


def arrive(
    letter: Letter,
    index: SaveIndex,
    quarantine: Quarantine,
    own: frozenset[str],
    authserv: str,
    sent: SentLetters,
) -> Dealt:
    """Read the blocks of a letter; it is `aside` or `known` if these do not matter."""
    received = letter.received
    if received.kind == "mail" and is_known(quarantine, letter):
        return Dealt(letter, known=True)
    aside = doubt(letter, own, authserv)
    if aside is not None:
        return Dealt(letter, aside=aside)
    if received.kind == "orders":
        return Dealt(letter)
    stranger = next(index.seats_of(letter.mail.sender or ""), None) is None
    return Dealt(with_blocks(letter, index, sent, STRANGERS if stranger else LIMITS.letter))


def deal(
    letter: Letter,
    index: SaveIndex,
    quarantine: Quarantine,
    work: Transaction,
    own: frozenset[str],
    sent: SentLetters,
    *,
    receipts: bool = True,
) -> Dealt:
    """Take in a letter to one game: carry out what is genuine, tell of what is doubtful. Changes only `work`."""
    claims = claims_of(letter, index, work.game)
    genuine, out = judge(letter, [settled(claim, letter, work.session, sent, own) for claim in claims])
    if genuine:
        key = key_of(letter, genuine)
        out.known = work.knows(key)
        if not out.known:
            change = change_of(work.session, letter, genuine, key, work.now, receipts=receipts)
            work.enter(change.record)
            out.outcomes += outcomes_of(letter, change)
    if out.aside is not None:
        notify(work, quarantine, letter, out.aside)
    return out


def judge(letter: Letter, claims: Sequence[Claim]) -> tuple[list[Claim], Dealt]:
    """The claims to be carried out, and what becomes of the others."""
    genuine = [claim for claim in claims if not claim.reason]
    out, doubtful, early = Dealt(letter, taken=bool(genuine)), list[Claim](), list[Block]()
    for claim in claims:
        if claim.reason == BROKEN:
            out.outcomes.append(not_taken(letter, "postponed", claim.detail, claim))
        elif claim.reason == AHEAD and claim.block is not None and not letter.last:
            early.append(claim.block)
        elif claim.reason and letter.received.kind == "orders":
            out.outcomes.append(not_taken(letter, "wrong", claim.detail, claim))
        elif claim.reason == "unknown-game" and genuine:
            # His letter: the receipt says that this block is wrong.
            genuine.append(msgspec.structs.replace(genuine[0], block=claim.block))
        elif claim.reason:
            doubtful.append(claim)
    if doubtful:
        out.aside = doubtful[0]
    if early:
        out.early = msgspec.structs.replace(letter, blocks=tuple(early))
    return genuine, out
