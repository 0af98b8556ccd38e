"""The quarantine: a Maildir next to the saves, and a journal of each email's state.

Nothing is ever deleted, but only so much is kept of each day (`WHOLE`). `quarantine/new` holds emails that wait for
the moderator, `quarantine/cur` accepted (`S`, seen) and discarded ones (`T`, trashed). `quarantine/index.jsonl` is
append-only: the last line about an email counts; an incomplete last line (a crash) is ignored.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from pbem import atomic_files
from pbem.clock.policy import note_refused
from pbem.file_locks import lock
from pbem.mail.save_index import SaveIndex, code_key, holder, is_secret
from pbem.save import ProcessedEmail

if TYPE_CHECKING:
    from pbem.mail.inbox.stages import Claim, Email
    from pbem.mail.open_games import Transaction

WHOLE = 8 << 20
"""Bytes of one day's quarantined emails that are kept whole, and bytes of beginnings that are kept after that.

The emails themselves stay in their mailbox. Those with a code of a seat have a separate allowance.
"""

BEGINNING = 8 << 10
"""Bytes of the beginning of an email that are kept when the day's allowance is used up."""

State = Literal["held", "released", "refused"]

REASONS = {
    "automatic": "was sent by a program (vacation note, bounce, list); never answered",
    "own": "comes from our own address; never answered",
    "unreadable": "can't be read",
    "bad-sender": "doesn't name exactly one sender",
    "unknown-sender": "comes from an address on no seat's list",
    "wrong-seat": "names a seat that isn't this sender's",
    "unknown-game": "names a game that isn't here",
    "unknown-seat": "names a seat that isn't in the game",
    "no-orders": "has no answer and no order block",
    "no-game": "doesn't say which of its sender's games it is for",
    "no-code": "has neither a reply code nor the seat's secret",
    "wrong-code": "has a reply code that isn't this seat's",
    "early": "answers a question that isn't open yet",
    "no-text": "has no text that is read",
    "undecodable": "can't be decoded as text",
    "html-only": "is HTML only, and no answer was found in it",
    "too-long": "is too long",
    "unproven": "doesn't come from its sender's domain",
}
"""Reasons of quarantine, as shown to the moderator."""
_OLD_REASON = b'"reason":"ahead"', b'"reason":"early"'
"""What earlier versions wrote in an index, and what it is today."""


class QuarantineError(LookupError):
    """An id of no email, or of several."""


class QuarantinedEmail(msgspec.Struct, kw_only=True, frozen=True):
    """One quarantined email.

    `id` is the beginning of a hash of what identifies the email. `game` and `seat` are its claim, `where` is where it
    was found, `at` when. `detail` adds to `reason`, in English, for the moderator alone. `kept` of its `size` bytes
    are stored (-1: all, as before there was a limit).
    """

    id: str
    reason: str
    at: datetime
    sender: str = ""
    subject: str = ""
    game: str = ""
    seat: str = ""
    detail: str = ""
    where: str = ""
    kind: str = "mail"
    state: State = "held"
    coded: bool = False
    size: int = 0
    kept: int = -1

    @property
    def cut(self) -> bool:
        return 0 <= self.kept < self.size

    def sentence(self) -> str:
        """Return why it is quarantined, in one English sentence."""
        text = REASONS.get(self.reason, self.reason)
        text = f"{text} ({self.detail})" if self.detail else text
        return f"{text}; only {self.kept} of its {self.size} bytes are stored here" if self.cut else text


class Quarantine:
    """The quarantine of one folder of saves. Nothing is written before the first email is quarantined."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: set[int] = set()
        self._waiting: set[int] = set()
        self._used: dict[tuple[date, bool], int] = {}
        self._seen = 0  # bytes of the index that were read

    @property
    def index(self) -> dict[str, QuarantinedEmail]:
        """Every email ever quarantined, by id, in order of arrival; read from the file each time."""
        return {held.id: held for held, _ in self._read()}

    def has(self, ident: str) -> bool:
        """Return whether an email of that id was ever quarantined. Only numbers are kept in memory."""
        if not self._seen:
            self._catch_up()
        return int(ident, 16) in self._known

    def waits(self, ident: str) -> bool:
        """Return whether a quarantined email is looked at when it comes again, as its question may be open by then."""
        return self.has(ident) and int(ident, 16) in self._waiting

    def put(self, held: QuarantinedEmail, raw: bytes) -> QuarantinedEmail | None:
        """Quarantine an email (its file first), as far as there is space; return None if it already exists."""
        with self._alone():
            if self.has(held.id):
                return None
            held = msgspec.structs.replace(held, size=len(raw), kept=self._allowed_size(held, len(raw)))
            for name in ("tmp", "new", "cur"):
                (self.folder / name).mkdir(mode=0o700, exist_ok=True)
            write_durably(self.folder / "tmp" / held.id, self._new(held), raw[: held.kept])
            self._append(held)
        return held

    def _allowed_size(self, held: QuarantinedEmail, size: int) -> int:
        """Return how many bytes of an email are kept: unknown senders must not fill the disk."""
        used = self._used.get((held.at.date(), held.coded), 0)
        return size if used + size <= WHOLE else min(size, BEGINNING) if used < 2 * WHOLE else 0

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the quarantine, so that only one run writes, and read what others have written."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # only the moderator may read it
        with writing(self.folder):
            self._catch_up()
            yield

    def _catch_up(self) -> None:
        for held, end in self._read(self._seen):
            number, self._seen = int(held.id, 16), end
            if number not in self._known:
                day = (held.at.date(), held.coded)
                self._used[day] = self._used.get(day, 0) + max(held.kept, 0)
            self._known.add(number)
            if held.reason == "early" and held.state == "held":
                self._waiting.add(number)
            else:
                self._waiting.discard(number)

    def listed(self, *, everything: bool = False) -> list[QuarantinedEmail]:
        return [held for held in self.index.values() if everything or held.state == "held"]

    def find(self, beginning: str) -> QuarantinedEmail:
        """Return the email whose id begins so. Raises `QuarantineError`."""
        hits = [held for held in self.index.values() if beginning and held.id.startswith(beginning)]
        if len(hits) == 1:
            return hits[0]
        if hits:
            ids = ", ".join(held.id for held in hits)
            raise QuarantineError(f"'{beginning}' can mean {ids}: give more of the id")
        raise QuarantineError(f"'{beginning}' isn't in {self.folder}: pbem quarantine list shows the emails there")

    def raw(self, held: QuarantinedEmail) -> bytes:
        """Return the email as it came. Raises `QuarantineError` if its file is gone."""
        return self._path(held).read_bytes()

    def settle(self, held: QuarantinedEmail, state: State) -> QuarantinedEmail:
        return self.settle_all([held], state)[0]

    def settle_all(self, emails: Sequence[QuarantinedEmail], state: State) -> list[QuarantinedEmail]:
        """Record the moderator's decision about emails; the index is written once."""
        done = [msgspec.structs.replace(held, state=state) for held in emails]
        flag = "T" if state == "refused" else "S"
        with self._alone():
            for held in emails:
                source = self._path(held)
                if source.parent.name == "new":
                    source.rename(self.folder / "cur" / atomic_files.flagged(f"{held.id}.pbem", flag))
            self._append(*done)
        return done

    def _new(self, held: QuarantinedEmail) -> Path:
        return self.folder / "new" / f"{held.id}.pbem"

    def _path(self, held: QuarantinedEmail) -> Path:
        if self._new(held).exists():
            return self._new(held)
        moved = next((self.folder / "cur").glob(f"{held.id}.pbem*"), None)
        if moved is None:
            raise QuarantineError(f"the file of '{held.id}' is no longer in {self.folder}")
        return moved

    def _read(self, start: int = 0) -> Iterator[tuple[QuarantinedEmail, int]]:
        """Yield the lines of the index from a position on, and where each ends."""
        path = self.folder / "index.jsonl"
        if not path.exists():
            return
        decoder = msgspec.json.Decoder(QuarantinedEmail)
        with path.open("rb") as stream:
            stream.seek(start)
            for line in stream:
                start += len(line)
                try:
                    yield decoder.decode(line.replace(*_OLD_REASON)), start
                except msgspec.DecodeError:
                    continue  # an incomplete line: the run that wrote it died, and its email comes again

    def _append(self, *emails: QuarantinedEmail) -> None:
        atomic_files.append(self.folder / "index.jsonl", *emails)
        self._catch_up()


def writing(folder: Path) -> AbstractContextManager[None]:
    """Hold the lock of a Maildir: two runs may have the same email for it, and would share its temporary file."""
    return lock(f"{folder}.lock")


def write_durably(temporary: Path, final: Path, content: bytes) -> None:
    """Write a Maildir file: whole in `tmp`, on disk, then renamed atomically."""
    temporary.unlink(missing_ok=True)  # of a writer that was killed; a link isn't followed
    atomic_files.put(temporary, final, content, 0o600)  # emails hold secrets


class QuarantineFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of quarantined emails to select; empty ones don't matter.

    `sender` is a part of the address, `before` the time by which the email was quarantined.
    """

    sender: str = ""
    reason: str = ""
    game: str = ""
    seat: str = ""
    before: datetime | None = None

    def fits(self, held: QuarantinedEmail) -> bool:
        return (
            self.sender.casefold() in held.sender.casefold()
            and self.reason in ("", held.reason)
            and self.game.casefold() in ("", held.game.casefold())
            and self.seat.casefold() in ("", held.seat.casefold())
            and (self.before is None or held.at <= self.before)
        )


class QuarantineView:
    """The quarantine list, with what is known of the players' addresses."""

    def __init__(self, emails: Iterable[QuarantinedEmail], index: SaveIndex) -> None:
        self._lists = {
            address.casefold()
            for save in index.headers.values()
            for seat in save.seats
            for address in (*seat.addresses, *(delegate.address for delegate in seat.delegates))
        }
        newest_first = sorted(emails, key=lambda held: held.at, reverse=True)
        self.emails: Sequence[QuarantinedEmail] = sorted(newest_first, key=self._rank)
        """Emails with a code first, then those in a player's name, then unknown senders; of each the newest first."""

    def _rank(self, held: QuarantinedEmail) -> int:
        return 0 if held.coded else 1 if self.is_player(held) else 2

    def is_player(self, held: QuarantinedEmail) -> bool:
        """Return whether an email may be a player's: it has a code, or an address on a seat's list."""
        return held.coded or held.sender.casefold() in self._lists

    @property
    def of_players(self) -> int:
        return sum(map(self.is_player, self.emails))

    def refusable(self, sought: QuarantineFilter) -> list[QuarantinedEmail]:
        """Return those that can be discarded together: players' emails only if their whole address is given."""
        named = sought.sender.casefold()
        return [
            held
            for held in self.emails
            if not self.is_player(held) or (not held.coded and held.sender.casefold() == named)
        ]


def summary(emails: Iterable[QuarantinedEmail], most: int = 4) -> str:
    """Summarise emails: how many of each reason, and of the hosts that sent most."""
    emails = list(emails)
    reasons = Counter(held.reason for held in emails)
    hosts = Counter("@" + held.sender.rpartition("@")[2] for held in emails if "@" in held.sender)
    parts = [f"{reason} {count}" for reason, count in reasons.most_common(most)]
    parts += [f"{host} {count}" for host, count in hosts.most_common(most)]
    return ", ".join(parts)


def quarantine_id(email: Email) -> str:
    """Return the id of an email in the quarantine: the same for every copy of it."""
    mail, parts = email.mail, [email.received.kind, email.received.key]
    if mail.message_id is not None:
        parts = [mail.message_id, mail.sender or mail.sender_name, mail.subject, mail.body_hash]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


_ASKED_BACK = ("no-orders", "no-game", "no-question", "no-text", "undecodable", "html-only", "too-long", "no-code")
"""Reasons for which a player is asked to write again."""


def notify(work: Transaction, quarantine: Quarantine, email: Email, claim: Claim) -> None:
    """Draft a notice to the seats concerned by a quarantined email, unless it was quarantined before.

    It is entered among the processed emails, so that a run after a crash doesn't notify twice.
    """
    from pbem.mail.outbox.email_parts import add_notice
    from pbem.report.text_width import cut

    ident, save, at = quarantine_id(email), work.session.save, work.now
    if quarantine.has(ident):
        return
    if claim.robbed and claim.block is not None:
        _renew_code(work, claim.robbed, claim.block.code, ident)
    subject = cut(email.mail.subject, 60)
    for seat in claim.tell:
        key = f"held:{ident}:{seat}"
        if work.knows(key):
            continue
        args = {"subject": subject, "detail": claim.detail or "-", "said": claim.said}
        proven = bool(claim.seat) or claim.coded
        asked = work.session.referee.pending_to(seat)
        if claim.reason in _ASKED_BACK and asked is not None and not asked.answered:
            note_refused(save, asked.q, seat, at)
        if add_notice(work.session, save.seat(seat), claim.reason, ident, at, proven=proven, **args):
            work.enter(ProcessedEmail(key, "", "", seat, at, f"held:{claim.reason}"))


def _renew_code(work: Transaction, seat: str, code: str, ident: str) -> None:
    """Void a seat's code that somebody else has used. Their email has no other effect."""
    from pbem.mail.outbox.email_parts import add_message

    session, key = work.session, f"robbed:{ident}:{seat}"
    if work.knows(key):
        return
    save, at = session.save, work.now
    info = save.seat(seat)
    info.told.codes += 1
    if is_secret(info, code):
        info.secret = hmac.digest(code_key(save), f"secret {holder(save, seat)}".encode(), "sha256").hex()[:16]
        add_message(session, info, "quarantine_notice.secret", key, at, secret=info.secret)
    else:
        add_message(session, info, "quarantine_notice.code", key, at)
    work.enter(ProcessedEmail(key, "", "", seat, at, "held:code"))


def quarantine_email(quarantine: Quarantine, email: Email, claim: Claim, now: datetime) -> QuarantinedEmail | None:
    """Quarantine an email; return None if it already exists."""
    mail, block = email.mail, claim.block
    held = QuarantinedEmail(
        id=quarantine_id(email),
        reason=claim.reason,
        at=now,
        sender=mail.sender or mail.sender_name,
        subject=mail.subject[:120],
        game=block.game[:60] if block else "",
        seat=block.seat[:60] if block else "",
        detail=claim.detail[:200],
        where=email.received.where,
        coded=claim.coded,
    )
    return quarantine.put(held, email.received.raw)


def mark_processed(quarantine: Quarantine, email: Email) -> None:
    """Record that an email that came too early has been processed."""
    ident = quarantine_id(email)
    if quarantine.waits(ident):
        quarantine.settle(quarantine.find(ident), "released")
