"""Parts of a seat's next email, kept in the save until the run writes emails: receipts and messages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.data_cache import messages
from pbem.kernel.journal import BOT, CHOSEN
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import AdvanceNote, Move, Referee, ReplayError
from pbem.kernel.table import LogLine
from pbem.mail.inbox.body_text import clean_line
from pbem.mail.outbox.recipient import frame, reader_of
from pbem.orders.advance_queue import FATES
from pbem.orders.receipt import PARTLY, REFUSED, STALE, TAKEN, Accepted, Receipt, Rejected, fingerprint
from pbem.orders.replies.courtesies import asks
from pbem.orders.reply_codes import head_of
from pbem.orders.statements import statement, uncommented
from pbem.orders.syntax_tree import Answer
from pbem.report.model import ReportContext
from pbem.save import EmailPart, Save, SeatInfo, Session, chain, checkpoints, codec
from pbem.save.errors import ReplayFailed
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.report.receipt import Answered

_FATES = {**FATES, "advance.stale": "stale"}


def kept(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt for a draft: without open questions and orders in force, which the email itself has."""
    bare = msgspec.structs.replace(receipt, open=[], queue=[], standing=[], settings=[])
    table: dict[str, Any] = _without_none(msgspec.to_builtins(bare))
    return table


def _without_none(value: Any) -> Any:
    """Leave out None, as TOML has no null."""
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def answered(
    drafts: Sequence[EmailPart], referee: Referee, notes: Sequence[AdvanceNote]
) -> tuple[list[Answered], list[AdvanceNote]]:
    """Return the drafts' answered emails, updated, and the `notes` on advance orders that none contains."""
    left = list(notes)
    holding = [sketch for sketch in drafts if sketch.receipt]
    if not holding:
        return [], left
    from pbem.report.receipt import Answered

    receipts = [msgspec.convert(held_draft.receipt, Receipt) for held_draft in holding]
    emails: list[Answered] = []
    via = ""
    for at, (draft, receipt) in enumerate(zip(holding, receipts, strict=True)):
        changed = {_without_marks(text) for later in receipts[at + 1 :] for text in later.replaced}
        current = _current(receipt, changed, referee, left)
        if emails and receipt.via == via:
            emails[-1] = msgspec.structs.replace(emails[-1], receipts=[*emails[-1].receipts, current])
        else:
            emails.append(Answered([current], draft.at, draft.subject, not draft.entered))
        via = receipt.via
    return emails, left


def _current(receipt: Receipt, changed: set[str], referee: Referee, left: list[AdvanceNote]) -> Receipt:
    """Return the receipt with the results of its lines since; `changed` lines were replaced by later emails.

    Removes the notes that it contains from `left`.
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
    one: Accepted, receipt: Receipt, changed: set[str], referee: Referee, left: list[AdvanceNote]
) -> Accepted | Rejected:
    if one.fate == "sealed":
        if _without_marks(one.text) in changed:
            return msgspec.structs.replace(one, fate="superseded", args={})
        closed = referee.over or int(one.args.get("q", referee.q)) < referee.q
        return msgspec.structs.replace(one, fate="counted") if closed else one
    if one.fate not in ("waiting", "held", "stopped", "changed", "behind"):
        return one
    notes = [note for note in left if _tells(receipt, one.line, note)]
    left[:] = [note for note in left if not any(note is other for other in notes)]
    if notes and notes[-1].problem is not None:
        return Rejected(one.line, one.written or one.text, notes[-1].problem)
    if _without_marks(one.text) in changed:
        return msgspec.structs.replace(one, fate="superseded", args={})
    return msgspec.structs.replace(one, fate=_FATES[notes[-1].key]) if notes else one


def _without_marks(line: str) -> str:
    """Return a line without its marks: that it is bold, that it is on hold."""
    return uncommented(line).removeprefix("bold: ")


def _tells(receipt: Receipt, line: int, note: AdvanceNote) -> bool:
    on_line = (note.seat, note.letter, note.line) == (receipt.seat, receipt.via, line)
    return on_line and (note.key in _FATES or (note.key == "advance.failed" and note.problem is not None))


_COUNTS = ("sealed", "counted", "answered", "acted", "used")
"""Fates of a line that is the seat's answer now."""


def made_good(receipts: Sequence[Receipt]) -> list[Receipt]:
    """Return rejected receipts that another receipt of the same run supersedes.

    A later answer to the same question supersedes a rejected answer; any answer supersedes one to a closed question.
    """
    answers = [{_number(line.text) for line in receipt.accepted if line.fate in _COUNTS} for receipt in receipts]
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
    """Return whether a rejected line was an answer, to one of these questions if it names one."""
    read, number = statement(line, {"line": 0, "last": 0, "text": line}), _number(line)
    return isinstance(read, Answer) and (not number.isdigit() or number in numbers)


def _number(line: str) -> str:
    return _without_marks(line).partition(":")[0].strip()


NOTICES = 3
"""Notices of quarantined emails that a seat gets until orders of its own are accepted: a guard against loops."""

NOTICED_FOR = timedelta(days=7)
"""After so long a seat gets notices again: else a forger could use them up for good."""


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
    """Keep a receipt for the seat's next email.

    `reply_to` is the id of the email it answers, `subject` its subject; else it is for orders that the moderator
    entered.
    """
    draft = EmailPart(f"{receipt.seat}.{key}", receipt.seat, "", at, reply_to, kept(receipt))
    draft.subject, draft.entered = clean_line(subject, 200), not by_mail
    session.save.drafts.append(draft)


MOST_NOTICES = 30
"""The same in a day for emails with a code of the seat, which no forger has."""


def add_notice(
    session: Session, seat: SeatInfo, reason: str, key: str, at: datetime, *, proven: bool = False, **args: str
) -> bool:
    """Notify a seat's address on file of a quarantined email, unless there were too many notices in a row.

    `proven`: the email has a code of the seat, and comes from its address.
    """
    most = MOST_NOTICES if proven else NOTICES
    told, lasts = seat.told, timedelta(days=1) if proven else NOTICED_FOR
    if told.noticed is None or at - told.noticed >= lasts:
        told.notices, told.noticed = 0, at
    if told.notices >= most or f"quarantine_notice.{reason}" not in messages("pbem.mail", "en"):
        return False
    told.notices += 1
    reader = reader_of(session, seat)
    words = reader.words
    parts = [words("quarantine_notice.head", subject=args.get("subject", "")).rstrip(" :：")]
    if said := args.get("said", ""):
        parts.append(words(f"quarantine_notice.{'question' if asks(said) else 'said'}", said=said))
    parts.append(words(f"quarantine_notice.{reason}", **{"game": session.save.header.name, "seat": seat.id, **args}))
    if told.notices == most:
        parts.append(words("quarantine_notice.last", at=reader.when((told.noticed or at) + lasts)))
    add_text(session.save, seat, f"{_ASIDE if reason in UNCLEAR else _HELD}{key}", "\n".join(parts), at)
    return True


def notice_of(draft: EmailPart) -> str:
    """Return "unread" if a draft reports an email without an answer, "held" if of one not trusted; else ""."""
    kinds = {_ASIDE: "unread", _HELD: "held"}
    return next((kind for begin, kind in kinds.items() if draft.id.startswith(f"{draft.seat}.{begin}")), "")


UNCLEAR = ("no-orders", "no-game", "no-question", "no-text", "html-only")
"""Reasons of quarantine for an email in which no answer was found."""

_ASIDE, _HELD = "unclear.", "held."


def forget_unclear(save: Save, seat: str) -> None:
    """Remove notices that no answer was found in an email: one has come since, in the same run."""
    save.drafts = [draft for draft in save.drafts if not draft.id.startswith(f"{seat}.{_ASIDE}")]


def add_message(session: Session, seat: SeatInfo, words: str, key: str, at: datetime, **args: str) -> None:
    """Keep a message (`words`, filled from `args`) for a seat's next email; `key` identifies it."""
    add_text(session.save, seat, key, reader_of(session, seat).words(words, **args), at)


def add_text(save: Save, seat: SeatInfo, key: str, text: str, at: datetime) -> None:
    """Keep a text for a seat's next email."""
    save.drafts.append(EmailPart(f"{seat.id}.{key}", seat.id, text.rstrip("\n"), at))


def drafts_for(save: Save, seat: str) -> list[EmailPart]:
    """Return the drafts for a seat's next email, oldest first."""
    return [draft for draft in save.drafts if draft.seat == seat]


def is_seat(save: Save, seat: str) -> bool:
    """Return whether the game has a seat of that id; the moderator isn't a seat."""
    return any(info.id == seat for info in save.seats)


_GROUPS = 16


def proof_of(session: Session, seat: SeatInfo, lines: Sequence[LogLine] = ()) -> str:
    """Return the proof in the next email to a seat, which `pbem verify` reads; `lines` are its news."""
    return "\n".join(_quoted(session, seat, lines)) + "\n"


def _quoted(session: Session, seat: SeatInfo, lines: Sequence[LogLine]) -> Iterator[str]:
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
            epoch, faces = chain.epoch_of(line.n + 1, save.dice.epochs()), " ".join(map(str, dice))
            yield f"~ dice {draw} {line.n} {epoch} {line.args.get('sides', 6)}: {faces}"
    yield from _committed(session, seat)
    for q, answer in _own(session, seat):
        yield f"~ mine {q} {of_answer(seat.id, q, answer)}"


def _committed(session: Session, seat: SeatInfo) -> Iterator[str]:
    """Yield the commitment of a moderator who plays, if the open question is sealed and theirs too."""
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
    """Yield the reader's answers since their last email: the journaled ones, and a sealed one as it is."""
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
    """Return the fingerprint of an answer, as emails quote it."""
    return fingerprint(f"{seat} {q} {msgspec.json.encode(answer, order='deterministic').decode()}")


def grouped(head: str) -> str:
    """Return the beginning of a chain head in groups of four."""
    return "-".join(head[at : at + 4] for at in range(0, _GROUPS, 4))


def record_seen_head(session: Session, seat: SeatInfo, code: str, at: datetime, *, openly: bool) -> None:
    """Record the chain head in a seat's email; notify all of one that this game never had.

    Others only see heads in answers to an open question (`openly`): any other would reveal an answer to a sealed
    question.
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
            add_message(session, info, "proof.foreign", f"foreign.{seat.id}.{begins}", at, who=who, head=head)
    elif openly and found[0] >= seat.told.seen:
        seat.told.seen, seat.told.seen_head = found


def _find(save: Save, begins: str) -> tuple[int, str] | None:
    for move in reversed(save.moves):
        if move.hash.startswith(begins):
            return move.n, move.hash[:_GROUPS]
    start = chain.start(save)
    if start.startswith(begins):
        return 0, start[:_GROUPS]
    for rewind in save.dice.rewinds:
        if rewind.was_head.startswith(begins):
            return 0, start[:_GROUPS]  # a branch that was given up: no news that they know it
    kept = codec.earlier_move(save, begins)
    return None if kept is None else (kept.n, kept.hash[:_GROUPS])


Course = list[tuple[str, dict[str, int]]]
"""`(turn, points by seat)`: at the end of each turn, and now."""


def full_frame(session: Session, seat: SeatInfo, course: Course | None = None) -> ReportContext:
    """Return the frame with history and press; `course` saves replaying the journal."""
    found = frame(session, seat)
    if course is None:
        # Played under older rules: only the present is known.
        with contextlib.suppress(ReplayError):
            course = course_of(session)
    found.history = list(course or ())
    found.press = list(press_for(session.save, seat.id))
    found.since = answered_until(session, seat.id)
    return found


_BACK = 64
"""Moves in which nearly every seat has answered: early ones of a long game are parsed only for who hasn't."""


def answered_until(session: Session, seat: str) -> int:
    """Return the move that closed the last question that a seat answered itself; 0 if there is none."""
    still = {pending.q for pending in session.referee.pending()}
    since, step = session.referee.n, _BACK
    while seat and since > 0:
        since, step = max(since - step, 0), step * 8
        for group in reversed(groups_of(session.moves(since))[since > 0 :]):  # the first may have begun before
            answers = (move.seat for move in group if move.how in (CHOSEN, BOT))
            if group[-1].q not in still and seat in answers:
                return group[-1].n
    return 0


def view_text(session: Session, seat: SeatInfo) -> str:
    """Return the seat's view file, for its own programs."""
    from pbem.report.viewfile import dumps, view_file

    return dumps(view_file(session.referee, seat.id, frame=full_frame(session, seat, []), lines=lines_of(session)))


def lines_of(session: Session) -> list[LogLine]:
    """Return the whole log; of a game begun under older rules, the log since its checkpoint."""
    try:
        return session.lines()
    except ReplayFailed:
        return session.lines(session.referee.line_base)


def press_for(save: Save, seat: str) -> Iterator[dict[str, Any]]:
    """Yield the press that `seat` wrote or was sent, oldest first; the moderator reads all."""
    for press in save.press:
        if seat in (MODERATOR, press.seat) or not press.to or seat in press.to:
            yield {"seat": press.seat, "to": list(press.to), "text": press.text, "at": stamp(press.at)}


def groups_of(moves: Sequence[Move]) -> list[list[Move]]:
    """Split the journal where a question closed: answers to one question belong together."""
    groups: list[list[Move]] = []
    for move in moves:
        if groups and groups[-1][-1].q == move.q:
            groups[-1].append(move)
        else:
            groups.append([move])
    return groups


def course_of(session: Session) -> Course:
    """Return the public scores turn by turn ([]: none), from the header or by a replay. Raises `ReplayError`."""
    game, referee = session.game, session.referee
    kept = session.save.header.history
    began = [(scores.label, scores.points) for scores in kept if not scores.label.endswith("*")]
    if [label for label, _ in began] != _turns(session):
        referee = at_move(session, [])
        began = [(turn_of(referee), {})]
        for group in groups_of(checkpoints.cut(session.save, session.game, session.moves())[1]):
            referee.replay(group)
            # The score at the end of the turn is already included.
            if began[-1][0] != (turn := turn_of(referee)):
                began.append((turn, dict(game.view(referee.table, "").scores)))
    course = [(turn, points) for (turn, _), (_, points) in pairwise(began)]
    scores = dict(game.view(referee.table, "").scores)
    return [*course, (turn_of(referee), scores)] if scores else []


def _turns(session: Session) -> list[str]:
    """Return all turns from the first to the present one; [] if they aren't numbers."""
    last, first = turn_of(session.referee), turn_of(at_move(session, []))
    return [str(n) for n in range(int(first), int(last) + 1)] if first.isdigit() and last.isdigit() else []


def at_move(session: Session, moves: Sequence[Move]) -> Referee:
    """Return the game after these moves from its beginning, or since its rules changed."""
    mark, rest = checkpoints.cut(session.save, session.game, moves)
    return Referee.resume(session.game, session.setup, rest, mark)


def turn_of(referee: Referee) -> str:
    """Return the current turn of the game's clock, "" if it has none."""
    return str(referee.game.calendar(referee.table.state).get("turn", ""))
