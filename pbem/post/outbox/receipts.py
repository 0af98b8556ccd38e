"""Receipts on their way into a letter: kept as data in its drafts, and brought up to date when it is written.

A run may take in several letters of a seat, and what the first one set going may be over when the seat is written to.
Its receipt then says how it ended, which the same letter tells anyway, and never what was open in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.kernel.referee import Note, Referee
from pbem.orders import Receipt
from pbem.orders.receipt import PARTLY, REFUSED, TAKEN, Accepted, Rejected
from pbem.orders.statements import uncommented
from pbem.post.inbox.plain import clean_line
from pbem.report.receipt import Answered
from pbem.save import Letter

RECEIPT, SUBJECT, ENTERED = "receipt", "subject", "entered"
"""Keys of `Letter.more` in a draft: the receipt, the subject of the letter it is for; or that it is for no letter."""

_FATES = {
    "queue.used": "used",
    "queue.held": "held",
    "queue.stopped": "stopped",
    "queue.stale": "stale",
}


def kept(receipt: Receipt, subject: str, *, by_mail: bool) -> dict[str, Any]:
    """`Letter.more` for the draft of a receipt: without what is open and in force, which the letter itself tells."""
    bare = msgspec.structs.replace(receipt, open=[], queue=[], standing=[], settings=[])
    more: dict[str, Any] = {RECEIPT: _without_none(msgspec.to_builtins(bare))}
    if subject:
        more[SUBJECT] = clean_line(subject, 200)
    return more if by_mail else {**more, ENTERED: True}


def _without_none(value: Any) -> Any:
    """TOML has no null: what is None is left out."""
    if isinstance(value, dict):
        return {key: _without_none(one) for key, one in value.items() if one is not None}
    return [_without_none(one) for one in value] if isinstance(value, list) else value


def answered(drafts: Sequence[Letter], referee: Referee) -> list[Answered]:
    """The letters that the drafts hold receipts for, in their order, each receipt as it stands now.

    Notes on lines that a receipt tells of are taken out of `referee.notes`.
    """
    holding = [one for one in drafts if RECEIPT in one.more]
    receipts = [msgspec.convert(one.more[RECEIPT], Receipt) for one in holding]
    letters: list[Answered] = []
    via = ""
    for at, (draft, receipt) in enumerate(zip(holding, receipts, strict=True)):
        changed = {_bare(text) for later in receipts[at + 1 :] for text in later.replaced}
        current = _current(receipt, changed, referee)
        if letters and receipt.via == via:
            letters[-1] = letters[-1]._replace(receipts=[*letters[-1].receipts, current])
        else:
            subject, by_mail = str(draft.more.get(SUBJECT, "")), ENTERED not in draft.more
            letters.append(Answered([current], draft.at, subject, by_mail))
        via = receipt.via
    return letters


def _current(receipt: Receipt, changed: set[str], referee: Referee) -> Receipt:
    """The receipt with what has become of its lines since; `changed` are lines that later letters have replaced."""
    accepted: list[Accepted] = []
    refused = list(receipt.refused)
    for one in receipt.accepted:
        fate = _fate(one, receipt, changed, referee)
        if isinstance(fate, Rejected):
            refused.append(fate)
        else:
            accepted.append(fate)
    verdict = receipt.verdict
    if verdict == TAKEN and refused:
        verdict = PARTLY if accepted else REFUSED
    refused.sort(key=lambda one: one.line)
    return msgspec.structs.replace(receipt, verdict=verdict, accepted=accepted, refused=refused)


def _fate(one: Accepted, receipt: Receipt, changed: set[str], referee: Referee) -> Accepted | Rejected:
    if one.fate == "sealed":
        if _bare(one.text) in changed:
            return msgspec.structs.replace(one, fate="superseded", args={})
        closed = referee.over or int(one.args.get("q", referee.q)) < referee.q
        return msgspec.structs.replace(one, fate="counted") if closed else one
    if one.fate not in ("waiting", "held", "stopped", "behind"):
        return one
    notes = _notes(receipt, one.line, referee)
    referee.notes[:] = [note for note in referee.notes if not any(note is other for other in notes)]
    if notes and notes[-1].problem is not None:
        return Rejected(one.line, one.written or one.text, notes[-1].problem)
    if _bare(one.text) in changed:
        return msgspec.structs.replace(one, fate="superseded", args={})
    return msgspec.structs.replace(one, fate=_FATES[notes[-1].key]) if notes else one


def _bare(line: str) -> str:
    """A line without what is told of it beside its order: that it is bold, that it is held."""
    return uncommented(line).removeprefix("bold: ")


def _notes(receipt: Receipt, line: int, referee: Referee) -> list[Note]:
    """The notes on a line that its receipt can tell, oldest first."""
    return [
        note
        for note in referee.notes
        if (note.seat, note.letter, note.line) == (receipt.seat, receipt.via, line)
        and (note.key in _FATES or (note.key == "queue.failed" and note.problem is not None))
    ]
