"""The inbox: emails and move files in, changed saves and replies out. Idempotent, and safe to kill at any point.

Of two emails of one seat to one question the later one counts: by its place in a mailbox, by delivery in a Maildir.
`Date:` doesn't count, as it is the sender's clock.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import games
from pbem.atomic_files import private, unflagged
from pbem.mail.header_cache import cache_folder
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.sources import SourceError, is_mailbox, open_source
from pbem.mail.inbox.stages import AGAIN, PIPE, IngestReport
from pbem.mail.save_index import UNSEEN, Progress, SaveIndex, home_of, save_files
from pbem.save.session import Loader

if TYPE_CHECKING:
    from pbem.mail.transport.imap import Mailbox
_FORMAT = "1"


def ingest(
    saves: Sequence[Path],
    sources: Iterable[Path | str],
    *,
    dry_run: bool = False,
    now: datetime | None = None,
    sender: str = "",
    authserv: str = "",
    home: Path | None = None,
    game: Loader = games.load,
    progress: Progress = UNSEEN,
    receipts: bool = True,
    tell: bool = True,
) -> IngestReport:
    """Process every message of `sources` into `saves` (files or folders) and deliver the replies.

    Move files aren't mail: if `sources` hold only those, the time of "mail was last read" doesn't change.

    - `home`: the folder of quarantine and outbox (default: that of the first save).
    - `sender`: the address that emails come from if a save has none.
    - `authserv`: the name of our mail host in Authentication-Results.
    - `dry_run`: everything happens on a copy, nothing is changed.
    - `progress`: gets how many emails are settled, of how many read so far; before them, how many saves are read.
    - `receipts`: if false, only those receipts are put into words that no email brings.
    - `tell`: write to the moderators, too; a run that goes on with a tick leaves that to the tick.

    Raises `SourceError` if no source can be opened; if some can, the others are in `broken`.
    """
    now = now or datetime.now(UTC).replace(microsecond=0)
    intake = partial(InboxRun, now=now, sender=sender, authserv=authserv, game=game, progress=progress)
    if dry_run:
        return _rehearse(intake, saves, sources, home or home_of(saves), receipts=receipts)
    run = intake(saves, home=home)
    run.taking.receipts = receipts
    return _read(run, sources, tell=tell)


def _read(run: InboxRun, sources: Iterable[Path | str], *, real: bool = True, tell: bool = False) -> IngestReport:
    names, failed, mailbox = list(map(str, sources)), dict[str, SourceError](), False
    before, taken, piped = ReadBefore(run.home, run.index), set[str](), dict[str, str]()
    for name in names:
        try:
            kinds = set()
            for received in open_source(name, known=before.knows):
                if name == PIPE:
                    piped[received.key] = received.where
                run.add_message(received, name)
                kinds.add(received.kind)
                if received.kind != "missing":
                    taken.add(received.where)
            mailbox = mailbox or (is_mailbox(name) and kinds != {"orders"} and (name != PIPE or bool(kinds)))
        except OSError as error:
            failed[name] = SourceError(error.errno, error.strerror or str(error), error.filename or name)
    whole = mailbox and not failed
    run.taking.delivery.read = run.now if whole else None
    report = run.finish()
    if real:
        left = {outcome.where for outcome in report.emails if outcome.fate in AGAIN}
        for key, where in piped.items():
            run.unread.piped(key, waits=where in left or PIPE in failed)
        if whole:
            run.mail_was_read(names)
        else:
            run.unread.keep()
        before.keep(run.index, taken - left - run.waiting)
        if tell:
            run.tell_moderators(printed=PIPE not in names)
    if failed and len(failed) == len(names):
        raise next(iter(failed.values()))
    report.broken |= {name: str(error) for name, error in failed.items()}
    return report


def _rehearse(
    intake: partial[InboxRun], saves: Sequence[Path], sources: Iterable[Path | str], home: Path, *, receipts: bool
) -> IngestReport:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="pbem-dry-") as folder:
        copies, copy = _copied(saves, home, Path(folder))
        run = intake(copies, home=copy, sent=home / "outbox")
        run.taking.delivery.show, run.taking.receipts = True, receipts
        report = _read(run, sources, real=False)
        _as_if_real(report, copy)
    return report


def fetch(
    saves: Sequence[Path],
    url: str,
    *,
    now: datetime | None = None,
    sender: str = "",
    authserv: str = "",
    home: Path | None = None,
    game: Loader = games.load,
    progress: Progress = UNSEEN,
    receipts: bool = True,
    tell: bool = True,
) -> IngestReport:
    """Process the new messages of the IMAP mailbox `url`, like `ingest`. Raises `AccountError`, `SourceError`."""
    now = now or datetime.now(UTC).replace(microsecond=0)
    run = InboxRun(saves, now=now, sender=sender, authserv=authserv, home=home, game=game, progress=progress)
    run.taking.receipts = receipts
    from pbem.mail.transport.imap import Mailbox

    with Mailbox(url, run.home) as box:
        for uids in box.chunks():
            _take_chunk(run, box, uids)
        whole = not box.down
        run.taking.delivery.read = now if whole else None
        report = run.finish()
        report.moderator += box.notes
        if whole:
            run.mail_was_read([box.account.mailbox])
        else:
            report.broken[str(box.account)] = box.down
            run.unread.keep()
        box.settle({outcome.where for outcome in report.emails if outcome.fate in AGAIN})
        if tell:
            run.tell_moderators()
    return report


def _take_chunk(run: InboxRun, box: Mailbox, uids: Sequence[int]) -> None:
    """Process some messages; the bookmark moves past them once their contents are committed."""
    places: dict[str, int] = {}
    read = []
    for uid, received in box.messages(uids):
        read.append(uid)
        if received is not None:
            run.add_message(received, box.account.mailbox)
            places[received.where] = uid
    run.process_batch()
    waiting = {*run.early(), *(outcome.where for outcome in run.report.emails if outcome.fate in AGAIN)}
    left = {place: uid for place, uid in places.items() if place in waiting}
    box.done(read, left)


def _copied(saves: Sequence[Path], home: Path, copy: Path) -> tuple[list[Path], Path]:
    """Copy the saves and the quarantine's index: a dry run is a real run on them."""
    import shutil

    fresh = []
    for number, path in enumerate(dict.fromkeys(save_files(saves))):
        folder = copy / str(number)
        folder.mkdir()
        fresh.append(Path(shutil.copy2(path, folder / path.name)))
    index = home / "quarantine" / "index.jsonl"
    if index.exists():
        (copy / "quarantine").mkdir()
        shutil.copy2(index, copy / "quarantine")
    return fresh, copy


def _as_if_real(report: IngestReport, copy: Path) -> None:
    report.dry_run = True
    report.broken = {
        Path(place).name: why.replace(f"{Path(place).parent}{os.sep}", "") for place, why in report.broken.items()
    }
    for sent in report.sent:
        sent.file = Path(sent.file).name
    for outcome in report.emails:
        outcome.why = outcome.why.replace(str(copy), "")


class _ReadFile(msgspec.Struct, array_like=True, frozen=True):
    format: str
    letters: dict[str, int]
    numbers: bytes


class ReadBefore:
    """The files read from the Maildirs of one folder of saves, so that skipping one only costs reading its name.

    A file is a number from its name, size and time. `FOLDER/.pbem-cache/read` repeats what saves and quarantine know,
    and may be missing. An older save that was restored from a backup makes it void, so that later emails count again.
    """

    def __init__(self, home: Path, index: SaveIndex) -> None:
        self._home = home
        self._emails, self._numbers = dict[str, int](), set[int]()
        self._seen: dict[str, int] = {}
        self._present: set[int] = set()
        with suppress(OSError, msgspec.DecodeError, ValueError):
            found = msgspec.msgpack.decode((home / ".pbem-cache" / "read").read_bytes(), type=_ReadFile)
            # Each answer by mail gets an email: a save that has written fewer is an older one.
            older = any(written < found.letters.get(game, 0) for game, written in index.emails().items())
            if found.format == _FORMAT and not older:
                self._emails, self._numbers = found.letters, set(array("Q", found.numbers))

    def knows(self, file: os.DirEntry[str]) -> bool:
        try:
            found = file.stat()
        except OSError:
            return False
        box = os.path.dirname(os.path.dirname(file.path))  # noqa: PTH120 - a Path for each costs more than all else
        words = f"{box}\0{unflagged(file.name)}\0{found.st_size}\0{found.st_mtime_ns}"
        number = int.from_bytes(hashlib.blake2b(os.fsencode(words), digest_size=8).digest(), "big")
        self._present.add(number)
        if number in self._numbers:
            return True
        self._seen[file.path] = number
        return False

    def keep(self, index: SaveIndex, dealt: Collection[str]) -> None:
        fresh = {number for path, number in self._seen.items() if path in dealt}
        gone = len(self._numbers) > 2 * len(self._present) + 1000
        if not fresh and not gone:
            return
        numbers = (self._numbers & self._present if gone else self._numbers) | fresh
        emails = self._emails | index.emails()
        with suppress(OSError):
            folder = cache_folder(self._home)
            new = folder / f"read.{os.getpid()}"
            with open(new, "wb", opener=private) as stream:
                stream.write(msgspec.msgpack.encode(_ReadFile(_FORMAT, emails, array("Q", sorted(numbers)).tobytes())))
            new.replace(folder / "read")
