"""Letters put aside: a Maildir beside the saves, and a journal of what became of each.

Nothing is ever deleted, but only so much is kept of each day (`WHOLE`).
`quarantine/new` holds what waits for the moderator, `quarantine/cur` what was released (`S`,
seen) or refused (`T`, trashed); any mail program can read both. `quarantine/index.jsonl` is append-only: the last
line about a letter holds, and half a last line (a crash) is no line.
"""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Literal

import msgspec

from pbem import atomic_files
from pbem.clock.policy import note_refused
from pbem.file_locks import lock
from pbem.mail.inbox.stages import Claim, Email
from pbem.mail.open_games import Transaction
from pbem.mail.outbox.email_parts import add_message, add_notice
from pbem.mail.save_index import SaveIndex, code_key, holder, is_secret
from pbem.report.text_width import cut
from pbem.save import ProcessedEmail

WHOLE = 8 << 20
"""Bytes of the emails put aside on one day that are kept whole, and as many of the beginnings of those that come then.

The emails themselves stay in their mailbox. Those with a code of a seat have an allowance of their own.
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
    "no-code": "has neither a reply code nor the seat's secret",
    "wrong-code": "has a reply code that isn't this seat's",
    "ahead": "answers a question that isn't open yet",
    "no-text": "has no text that is read",
    "undecodable": "can't be decoded as text",
    "html-only": "is HTML only, and no answer was found in it",
    "too-long": "is too long",
    "unproven": "doesn't come from its sender's domain",
}
"""Why a letter is put aside, as told to the moderator."""


class QuarantineError(LookupError):
    """No letter, or more than one, has this id."""

    def __str__(self) -> str:
        return str(self.args[0])


class QuarantinedEmail(msgspec.Struct, kw_only=True, frozen=True):
    """One letter put aside.

    `id` is the beginning of a digest of what identifies the letter; `game` and `seat` are what it claims, `where` is
    where it was found, `at` when. `detail` adds to `reason`, in English, for the moderator alone. Of its `size`
    in bytes `kept` lie here (-1: all, as for letters put aside before there was a limit).
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
        """Whether only a beginning of it lies here."""
        return 0 <= self.kept < self.size

    def sentence(self) -> str:
        """Why it lies here, in one English sentence."""
        text = REASONS.get(self.reason, self.reason)
        text = f"{text} ({self.detail})" if self.detail else text
        return f"{text}; only {self.kept} of its {self.size} bytes are stored here" if self.cut else text


class Quarantine:
    """The quarantine of one folder of saves. Nothing is written before the first letter is put aside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: set[int] = set()
        self._waiting: set[int] = set()
        self._used: dict[tuple[date, bool], int] = {}
        self._seen = 0  # bytes of the index that were read

    @property
    def index(self) -> dict[str, QuarantinedEmail]:
        """Every letter ever put aside, by id, in order of arrival; read from the file each time."""
        return {held.id: held for held, _ in self._read()}

    def has(self, ident: str) -> bool:
        """Whether a letter of that id was ever put aside. Of each only its number is kept in memory."""
        if not self._seen:
            self._catch_up()
        return int(ident, 16) in self._known

    def waits(self, ident: str) -> bool:
        """Whether a letter put aside is looked at again when it comes again: its question may be open by then."""
        return self.has(ident) and int(ident, 16) in self._waiting

    def put(self, held: QuarantinedEmail, raw: bytes) -> QuarantinedEmail | None:
        """Put a letter aside, as far as there is room for it; None if it lies here already.

        The file is on disk before the index names it.
        """
        with self._alone():
            if self.has(held.id):
                return None
            held = msgspec.structs.replace(held, size=len(raw), kept=self._room(held, len(raw)))
            for name in ("tmp", "new", "cur"):
                (self.folder / name).mkdir(mode=0o700, exist_ok=True)
            write_durably(self.folder / "tmp" / held.id, self._new(held), raw[: held.kept])
            self._append(held)
        return held

    def _room(self, held: QuarantinedEmail, size: int) -> int:
        """How many bytes of a letter are kept: a stranger must not fill the disk."""
        used = self._used.get((held.at.date(), held.coded), 0)
        return size if used + size <= WHOLE else min(size, BEGINNING) if used < 2 * WHOLE else 0

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Of two runs one writes, and knows what the other has written."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # who wrote what is the moderator's alone
        with writing(self.folder):
            self._catch_up()
            yield

    def _catch_up(self) -> None:
        """Read what the index has grown by."""
        for held, end in self._read(self._seen):
            number, self._seen = int(held.id, 16), end
            if number not in self._known:
                day = (held.at.date(), held.coded)
                self._used[day] = self._used.get(day, 0) + max(held.kept, 0)
            self._known.add(number)
            if held.reason == "ahead" and held.state == "held":
                self._waiting.add(number)
            else:
                self._waiting.discard(number)

    def listed(self, *, everything: bool = False) -> list[QuarantinedEmail]:
        """The letters that wait for the moderator, or all there ever were."""
        return [held for held in self.index.values() if everything or held.state == "held"]

    def find(self, beginning: str) -> QuarantinedEmail:
        """The letter whose id begins so. Raises `QuarantineError`."""
        hits = [held for held in self.index.values() if beginning and held.id.startswith(beginning)]
        if len(hits) == 1:
            return hits[0]
        if hits:
            ids = ", ".join(held.id for held in hits)
            raise QuarantineError(f"'{beginning}' can mean {ids}: give more of the id")
        raise QuarantineError(
            f"'{beginning}' isn't in {self.folder}: pbem quarantine list shows the emails there"
        )

    def raw(self, held: QuarantinedEmail) -> bytes:
        """The letter as it came."""
        return self._path(held).read_bytes()

    def settle(self, held: QuarantinedEmail, state: State) -> QuarantinedEmail:
        """Note what the moderator decided."""
        return self.settle_all([held], state)[0]

    def settle_all(self, letters: Sequence[QuarantinedEmail], state: State) -> list[QuarantinedEmail]:
        """Note what the moderator decided about letters; the index is written once."""
        done = [msgspec.structs.replace(held, state=state) for held in letters]
        flag = "T" if state == "refused" else "S"
        with self._alone():
            for held in letters:
                source = self._path(held)
                if source.parent.name == "new":
                    source.rename(self.folder / "cur" / f"{held.id}.pbem:2,{flag}")
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
        """The lines of the index from a place on, and where each ends."""
        path = self.folder / "index.jsonl"
        if not path.exists():
            return
        decoder = msgspec.json.Decoder(QuarantinedEmail)
        with path.open("rb") as stream:
            stream.seek(start)
            for line in stream:
                start += len(line)
                try:
                    yield decoder.decode(line), start
                except msgspec.DecodeError:
                    continue  # half a line: the run that wrote it did not get to its end, and its letter comes again

    def _append(self, *letters: QuarantinedEmail) -> None:
        atomic_files.append(self.folder / "index.jsonl", *letters)
        self._catch_up()


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the lock of a Maildir: two runs may have the same letter for it, and would share its temporary file."""
    with lock(f"{folder}.lock"):
        yield


def write_durably(temporary: Path, final: Path, content: bytes) -> None:
    """Write a Maildir file: whole in `tmp`, on disk, then under its name at one stroke."""
    temporary.unlink(missing_ok=True)  # of a writer that was killed; a link is not followed
    atomic_files.put(temporary, final, content, 0o600)  # letters hold secrets


# Many letters in the quarantine: which of them are looked for, and which stand on top.


class QuarantineFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What a letter put aside must be; what is empty does not matter.

    `sender` is a part of the address, `before` the time by which the letter was put aside.
    """

    sender: str = ""
    reason: str = ""
    game: str = ""
    seat: str = ""
    before: datetime | None = None

    def fits(self, held: QuarantinedEmail) -> bool:
        """Whether a letter is one of these."""
        return (
            self.sender.casefold() in held.sender.casefold()
            and self.reason in ("", held.reason)
            and self.game.casefold() in ("", held.game.casefold())
            and self.seat.casefold() in ("", held.seat.casefold())
            and (self.before is None or held.at <= self.before)
        )


class QuarantineView:
    """Letters of the quarantine as the moderator looks at them, with what is known of the players' addresses."""

    def __init__(self, letters: Iterable[QuarantinedEmail], index: SaveIndex) -> None:
        self._lists = {
            address.casefold()
            for save in index.headers.values()
            for seat in save.seats
            for address in (*seat.addresses, *(delegate.address for delegate in seat.delegates))
        }
        newest_first = sorted(letters, key=lambda held: held.at, reverse=True)
        self.letters: Sequence[QuarantinedEmail] = sorted(newest_first, key=self._rank)
        """Letters with a code on top, then those in a player's name, then strangers; of each the newest first."""

    def _rank(self, held: QuarantinedEmail) -> int:
        return 0 if held.coded else 1 if self.is_player(held) else 2

    def is_player(self, held: QuarantinedEmail) -> bool:
        """Whether a letter may be a player's: it has a code, or names an address that is on a seat's list."""
        return held.coded or held.sender.casefold() in self._lists

    @property
    def of_players(self) -> int:
        """How many may be a player's."""
        return sum(map(self.is_player, self.letters))

    def refusable(self, sought: QuarantineFilter) -> list[QuarantinedEmail]:
        """Those that may be refused together: no letter that may be a player's, unless his address is named whole."""
        named = sought.sender.casefold()
        return [
            held
            for held in self.letters
            if not self.is_player(held) or (not held.coded and held.sender.casefold() == named)
        ]


def summary(letters: Iterable[QuarantinedEmail], most: int = 4) -> str:
    """Letters that are not shown one by one: how many of each reason, and of the hosts that sent most."""
    letters = list(letters)
    reasons = Counter(held.reason for held in letters)
    hosts = Counter("@" + held.sender.rpartition("@")[2] for held in letters if "@" in held.sender)
    parts = [f"{reason} {count}" for reason, count in reasons.most_common(most)]
    parts += [f"{host} {count}" for host, count in hosts.most_common(most)]
    return ", ".join(parts)


# Letters that cannot be trusted or read: a word to the address on file where it helps, then the quarantine.


def held_id(letter: Email) -> str:
    """The id of a letter in the quarantine: the same for every copy of it."""
    mail, parts = letter.mail, [letter.received.kind, letter.received.key]
    if mail.message_id is not None:
        parts = [mail.message_id, mail.sender or mail.sender_name, mail.subject, mail.body_hash]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def is_known(quarantine: Quarantine, letter: Email) -> bool:
    """Whether a letter lies in the quarantine and need not be looked at again."""
    ident = held_id(letter)
    return quarantine.has(ident) and not quarantine.waits(ident)


_ASKED_BACK = ("no-orders", "no-text", "undecodable", "html-only", "too-long", "no-code")
"""Reasons for which a player is asked to write again."""


def notify(work: Transaction, quarantine: Quarantine, letter: Email, claim: Claim) -> None:
    """Draft a notice to the seats that should hear of a letter put aside, unless it was put aside before.

    Noted among the letters taken in, so that a run that died does not send it twice.
    """
    ident, save, at = held_id(letter), work.session.save, work.now
    if quarantine.has(ident):
        return
    if claim.robbed and claim.block is not None:
        _renew_code(work, claim.robbed, claim.block.code, ident)
    subject = cut(letter.mail.subject, 60)
    for seat in claim.tell:
        key = f"held:{ident}:{seat}"
        if work.knows(key):
            continue
        args = {"subject": subject, "detail": claim.detail}
        asked = work.session.referee.pending_to(seat)
        if claim.reason in _ASKED_BACK and asked is not None and not asked.answered:
            note_refused(save, asked.q, seat, at)
        if add_notice(work.session, save.seat(seat), claim.reason, ident, at, **args):
            work.enter(ProcessedEmail(key, "", "", seat, at, f"held:{claim.reason}"))


def _renew_code(work: Transaction, seat: str, code: str, ident: str) -> None:
    """Somebody else has used the code of a seat: it is void, and the seat's next letter brings a new one.

    Nothing else of that letter is passed on.
    """
    session, key = work.session, f"robbed:{ident}:{seat}"
    if work.knows(key):
        return
    save, at = session.save, work.now
    info = save.seat(seat)
    info.told.codes += 1
    if is_secret(info, code):
        info.secret = hmac.digest(code_key(save), f"secret {holder(save, seat)}".encode(), "sha256").hex()[
            :16
        ]
        add_message(session, info, "notice.secret", key, at, secret=info.secret)
    else:
        add_message(session, info, "notice.code", key, at)
    work.enter(ProcessedEmail(key, "", "", seat, at, "held:code"))


def quarantine_email(
    quarantine: Quarantine, letter: Email, claim: Claim, now: datetime
) -> QuarantinedEmail | None:
    """Put a letter into the quarantine; None if it lies there already."""
    mail, block = letter.mail, claim.block
    held = QuarantinedEmail(
        id=held_id(letter),
        reason=claim.reason,
        at=now,
        sender=mail.sender or mail.sender_name,
        subject=mail.subject[:120],
        game=block.game[:60] if block else "",
        seat=block.seat[:60] if block else "",
        detail=claim.detail[:200],
        where=letter.received.where,
        coded=claim.coded,
    )
    return quarantine.put(held, letter.received.raw)


def mark_processed(quarantine: Quarantine, letter: Email) -> None:
    """Note that a letter that came too early has been taken in after all."""
    ident = held_id(letter)
    if quarantine.waits(ident):
        quarantine.settle(quarantine.find(ident), "released")
