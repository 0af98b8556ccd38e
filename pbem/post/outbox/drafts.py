"""Parts of a seat's next letter, kept in the save until the letters of the run are written: receipts and messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from pbem.kernel.referee import Note, Referee
from pbem.orders.items import Answer
from pbem.orders.receipt import PARTLY, REFUSED, STALE, TAKEN, Accepted, Receipt, Rejected
from pbem.orders.statements import statement, uncommented
from pbem.post.inbox.plain import clean_line
from pbem.post.outbox.reader import reader_of
from pbem.report.catalogue import messages
from pbem.report.receipt import Answered
from pbem.save import Draft, Save, SeatInfo, Session

# Receipts on their way into a letter: kept as data in its drafts, and brought up to date when it is written.

_FATES = {
    "queue.used": "used",
    "queue.held": "held",
    "queue.stopped": "stopped",
    "queue.changed": "changed",
    "queue.stale": "stale",
    "queue.skipped": "skipped",
    "queue.spared": "spared",
}


def kept(receipt: Receipt) -> dict[str, Any]:
    """A receipt as a draft holds it: without what is open and in force, which the letter itself tells."""
    bare = msgspec.structs.replace(receipt, open=[], queue=[], standing=[], settings=[])
    table: dict[str, Any] = _without_none(msgspec.to_builtins(bare))
    return table


def _without_none(value: Any) -> Any:
    """TOML has no null: what is None is left out."""
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def answered(
    drafts: Sequence[Draft], referee: Referee, notes: Sequence[Note]
) -> tuple[list[Answered], list[Note]]:
    """The letters that the drafts hold receipts for, in their order, each receipt as it stands now.

    `notes` tell what became of lines that the seat sent in advance. Those that no receipt tells are returned as well.
    """
    left = list(notes)
    holding = [sketch for sketch in drafts if sketch.receipt]
    receipts = [msgspec.convert(held_draft.receipt, Receipt) for held_draft in holding]
    letters: list[Answered] = []
    via = ""
    for at, (draft, receipt) in enumerate(zip(holding, receipts, strict=True)):
        changed = {_bare(text) for later in receipts[at + 1 :] for text in later.replaced}
        current = _current(receipt, changed, referee, left)
        if letters and receipt.via == via:
            letters[-1] = letters[-1]._replace(receipts=[*letters[-1].receipts, current])
        else:
            letters.append(Answered([current], draft.at, draft.subject, not draft.entered))
        via = receipt.via
    return letters, left


def _current(receipt: Receipt, changed: set[str], referee: Referee, left: list[Note]) -> Receipt:
    """The receipt with what has become of its lines since; `changed` are lines that later letters have replaced.

    The notes that it tells are taken out of `left`.
    """
    accepted: list[Accepted] = []
    refused = list(receipt.refused)
    for taken in receipt.accepted:
        fate = _fate(taken, receipt, changed, referee, left)
        if isinstance(fate, Rejected):
            refused.append(fate)
        else:
            accepted.append(fate)
    verdict = receipt.verdict
    if verdict == TAKEN and refused:
        verdict = PARTLY if accepted else REFUSED
    refused.sort(key=lambda line: line.line)
    return msgspec.structs.replace(receipt, verdict=verdict, accepted=accepted, refused=refused)


def _fate(
    one: Accepted, receipt: Receipt, changed: set[str], referee: Referee, left: list[Note]
) -> Accepted | Rejected:
    """What has become of an accepted line."""
    if one.fate == "sealed":
        if _bare(one.text) in changed:
            return msgspec.structs.replace(one, fate="superseded", args={})
        closed = referee.over or int(one.args.get("q", referee.q)) < referee.q
        return msgspec.structs.replace(one, fate="counted") if closed else one
    if one.fate not in ("waiting", "held", "stopped", "changed", "behind"):
        return one
    notes = [note for note in left if _tells(receipt, one.line, note)]
    left[:] = [note for note in left if not any(note is other for other in notes)]
    if notes and notes[-1].problem is not None:
        return Rejected(one.line, one.written or one.text, notes[-1].problem)
    if _bare(one.text) in changed:
        return msgspec.structs.replace(one, fate="superseded", args={})
    return msgspec.structs.replace(one, fate=_FATES[notes[-1].key]) if notes else one


def _bare(line: str) -> str:
    """A line without what is told of it beside its order: that it is bold, that it is held."""
    return uncommented(line).removeprefix("bold: ")


def _tells(receipt: Receipt, line: int, note: Note) -> bool:
    """Whether the note is on that line, and its receipt can tell it."""
    on_line = (note.seat, note.letter, note.line) == (receipt.seat, receipt.via, line)
    return on_line and (note.key in _FATES or (note.key == "queue.failed" and note.problem is not None))


_COUNTS = ("sealed", "counted", "answered", "acted", "used")
"""Fates of a line that is the seat's answer now."""


def made_good(receipts: Sequence[Receipt]) -> list[Receipt]:
    """Receipts of emails that were not taken, where another one of the same run says what counts.

    A refused answer is made good by a later one to the same question; an answer to a closed question by any.
    """
    answers = [
        {_number(line.text) for line in receipt.accepted if line.fate in _COUNTS} for receipt in receipts
    ]
    found = []
    for at, receipt in enumerate(receipts):
        if receipt.verdict == STALE and any(answers):
            found.append(receipt)
        elif receipt.verdict in (REFUSED, PARTLY) and receipt.problem is None:
            later = set[str]().union(*answers[at + 1 :])
            if later and all(_is_answer(line.text, later) for line in receipt.refused):
                found.append(receipt)
    return found


def _is_answer(line: str, numbers: set[str]) -> bool:
    """Whether a refused line was an answer, to one of these questions if it names one."""
    read = statement(line, {"line": 0, "last": 0, "text": line})
    number = _number(line)
    return isinstance(read, Answer) and (not number.isdigit() or number in numbers)


def _number(line: str) -> str:
    return _bare(line).partition(":")[0].strip()


NOTICES = 3
"""Notices on letters put aside that a seat gets before orders of its own are taken again: a guard against loops."""

NOTICED_FOR = timedelta(days=7)
"""After so long it gets notices again: else a forger could use them up for ever."""


def add_receipt(
    session: Session,
    receipt: Receipt,
    key: str,
    at: datetime,
    reply_to: str = "",
    subject: str = "",
    *,
    by_mail: bool = True,
) -> None:
    """Keep a receipt for the seat's next letter.

    `reply_to` is the id of the letter it answers, `subject` what that is about; else it is for orders that the
    moderator entered.
    """
    save = session.save
    seat = save.seat(receipt.seat) if is_seat(save, receipt.seat) else SeatInfo(receipt.seat)
    draft = Draft(f"{seat.id}.{key}", seat.id, "", at, reply_to, kept(receipt))
    draft.subject, draft.entered = clean_line(subject, 200), not by_mail
    save.drafts.append(draft)


def add_notice(session: Session, seat: SeatInfo, reason: str, key: str, at: datetime, **args: str) -> bool:
    """Tell a seat's address on file that a letter was put aside, unless it was told so too often in a row."""
    told, now = seat.told, at
    if told.noticed is None or now - told.noticed >= NOTICED_FOR:
        told.notices, told.noticed = 0, now
    if told.notices >= NOTICES or f"notice.{reason}" not in messages("pbem.post", "en"):
        return False
    told.notices += 1
    words = reader_of(session, seat).words
    parts = [words("notice.head", subject=args.get("subject", "")).rstrip(" :：")]
    parts.append(words(f"notice.{reason}", **{"game": session.save.header.name, "seat": seat.id, **args}))
    if told.notices == NOTICES:
        parts.append(words("notice.last"))
    add_text(session.save, seat, f"{_ASIDE if reason in UNCLEAR else ''}{key}", "\n".join(parts), at)
    return True


UNCLEAR = ("no-orders", "no-text", "html-only")
"""Why an email was put aside in which no answer was found."""

_ASIDE = "unclear."


def forget_unclear(save: Save, seat: str) -> None:
    """Take back notices that no answer was found in an email: one has come since, in the same run."""
    save.drafts = [draft for draft in save.drafts if not draft.id.startswith(f"{seat}.{_ASIDE}")]


def add_words(session: Session, seat: SeatInfo, words: str, key: str, at: datetime, **args: str) -> None:
    """Keep a message of the post (`words`, filled from `args`) for a seat's next letter; `key` makes it known again."""
    add_text(session.save, seat, key, reader_of(session, seat).words(words, **args), at)


def add_text(save: Save, seat: SeatInfo, key: str, text: str, at: datetime) -> None:
    """Keep a text for a seat's next letter."""
    save.drafts.append(Draft(f"{seat.id}.{key}", seat.id, text.rstrip("\n"), at))


def drafts_for(save: Save, seat: str) -> list[Draft]:
    """What waits for a seat's next letter, oldest first."""
    return [draft for draft in save.drafts if draft.seat == seat]


def is_seat(save: Save, seat: str) -> bool:
    """Whether the game has a seat of that id: the moderator is none."""
    return any(info.id == seat for info in save.seats)
