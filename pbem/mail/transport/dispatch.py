"""Sending of the outbox: each email once, with a record of those that couldn't be sent.

The outbox is a Maildir: `new` holds emails to send, `cur` sent (`S`) and given up ones (`T`). An email is marked and
moved as soon as the server has accepted it. After a crash in between it is sent again with the same Message-ID. This
way none is lost, and mail programs show it once.

The marks are in `outbox/sending`, written before the first email is sent: one byte before each name. To overwrite it
needs no room, so what was accepted is known even if the disk is full by then.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from email import policy
from email.parser import BytesHeaderParser
from pathlib import Path

import msgspec

from pbem import atomic_files
from pbem.file_locks import Busy, lock
from pbem.mail.headers import parse_address, parse_addresses
from pbem.mail.outbox.mime_message import Outbox
from pbem.mail.transport.bounces import Bounce, Bounces, SendAttempt, attempts
from pbem.mail.transport.smtp import Cut, PermanentFailure, ServerUnavailable, TemporaryFailure, Transport
from pbem.save import Locked

SENT, GIVEN_UP = "S", "T"
"""Flags of an email in `cur`. `SENT` is also its mark in `sending`."""

_SENDING, _OPEN = "sending", "-"

_FIRST, _LONGEST = timedelta(minutes=10), timedelta(hours=6)
GIVE_UP = timedelta(days=4)
"""How long an email is tried before it counts as undeliverable."""


PATIENCE = 60.0
"""Seconds that a run waits for another one that is sending."""


class DispatchReport(msgspec.Struct):
    """The results of a run: emails sent, postponed (name → why), given up (name → why), and outdated ones."""

    sent: list[str] = []
    later: dict[str, str] = {}
    failed: dict[str, str] = {}
    withdrawn: list[str] = []


def dispatch(
    home: Path,
    carrier: Transport,
    *,
    now: datetime,
    own: frozenset[str] = frozenset(),
    progress: Callable[[int, int], None] = lambda done, all_: None,
    patience: float = PATIENCE,
    stale: Callable[[str], bool] = lambda name: False,
) -> DispatchReport:
    """Send the due emails of `home`/outbox, never to `own` addresses. Raises `AccountError`.

    Waits up to `patience` seconds for another run, then raises `Locked`. While the server accepts nothing no
    attempt counts: all emails stay for the next run, however long. An email whose name is `stale` is withdrawn.
    """
    box = home / "outbox"
    if not (box / "new").is_dir():
        return DispatchReport()
    with _alone(home, patience), carrier:
        return _DispatchRun(home, carrier, now, own, stale).all(progress)


def take_back(home: Path, wanted: Callable[[str], bool], *, patience: float = PATIENCE) -> int:
    """Move emails to `wanted` addresses that were given up back to those to send; return how many."""
    box, count = home / "outbox", 0
    with _alone(home, patience):
        for path in sorted((box / "cur").glob("*[:;]2,T")):
            if wanted(_envelope(path.read_bytes())[1]):
                path.rename(box / "new" / atomic_files.unflagged(path.name))
                count += 1
    return count


class PastTheOutbox(Outbox):
    """An outbox on a full disk: what is put into it is sent at once. Raises `OSError` if it can't be."""

    def __init__(self, folder: Path, carrier: Transport) -> None:
        super().__init__(folder)
        self._carrier = carrier

    def put(self, name: str, content: bytes) -> Path:
        try:
            with self._carrier as link:
                link.send(*_envelope(content), content)
        except (TemporaryFailure, PermanentFailure) as error:
            raise OSError(errno.ENOSPC, str(error)) from None
        return self.folder / "cur" / name


@contextmanager
def _alone(home: Path, patience: float) -> Iterator[None]:
    """Lock the outbox: of two runs at once (cron's and a manual one) the second would send everything again."""
    with ExitStack() as held:
        try:
            held.enter_context(lock(home / "send.lock", patience))
        except Busy:
            raise Locked("another run is sending the emails of this folder", path=home) from None
        yield


class _DispatchRun:
    """One run over an outbox. Refusals are judged at its end: the same one for two recipients is about neither."""

    def __init__(
        self, home: Path, carrier: Transport, now: datetime, own: frozenset[str], stale: Callable[[str], bool]
    ) -> None:
        self.home, self.carrier, self.now, self.own, self.stale = home, carrier, now, own, stale
        self.box = home / "outbox"
        self.out = DispatchReport()
        self.tries: dict[str, SendAttempt] = {}
        self.marks: dict[str, int] = {}
        self.accepted: set[str] = set()
        self.known: dict[str, SendAttempt] = {}
        self.refused: list[tuple[str, str, TemporaryFailure | PermanentFailure]] = []
        self.closed: dict[str, str] = {}
        self.cuts = 0

    def all(self, progress: Callable[[int, int], None]) -> DispatchReport:
        found = [(path.lstat().st_mtime_ns, path.name) for path in (self.box / "new").glob("*") if path.is_file()]
        names = [name for _, name in sorted(found)]
        if not names:
            self._clear()
            return self.out
        at = 0
        try:
            self._make_ready(names)
            for at, name in enumerate(names):
                self._one(name)
                progress(at + 1, len(names))
            if not self.accepted:
                self._clear()
        except OSError as error:  # also `ServerUnavailable`
            why = f"{error.filename or self.box}: {error.strerror or error}"
            why = str(error) if isinstance(error, TemporaryFailure) else why
            done = {*self.out.sent, *self.out.failed, *self.out.withdrawn}
            self.out.later.update((name, why) for name in names[at:] if name not in done)
        self._weigh()
        if self.tries != self.known:
            with suppress(OSError):  # then all are tried again a little earlier
                atomic_files.store(self.box / "tries.json", self.tries)
        return self.out

    def _make_ready(self, names: Sequence[str]) -> None:
        """Check that results can be recorded, before any email is sent. Raises `OSError`."""
        for part in ("tmp", "new", "cur"):
            (self.box / part).mkdir(mode=0o700, exist_ok=True)
        probe = self.box / "cur" / ".probe"
        with open(probe, "wb", opener=atomic_files.private):
            pass
        probe.unlink()
        self.known = attempts(self.home)
        self.tries = {name: self.known[name] for name in names if name in self.known}
        self.accepted = _accepted(self.box) & {*names}
        lines = bytearray()
        for name in names:
            self.marks[name] = len(lines)
            lines += (SENT if name in self.accepted else _OPEN).encode() + os.fsencode(name) + b"\0"
        atomic_files.replace(self.box / _SENDING, bytes(lines), 0o600)

    def _clear(self) -> None:
        with suppress(OSError):  # names that are no longer in `new` don't matter
            (self.box / _SENDING).unlink(missing_ok=True)

    def _one(self, name: str) -> None:
        """Send one email if it is due. Raises `ServerUnavailable` or OSError if nothing more can be sent."""
        if name in self.accepted:
            self._settle(name, SENT)
            return
        if self.stale(name):
            (self.box / "new" / name).unlink(missing_ok=True)
            self.tries.pop(name, None)
            self.out.withdrawn.append(name)
            return
        known = self.tries.get(name)
        if known is not None and known.again > self.now:
            self.out.later[name] = known.why
            return
        try:
            raw = (self.box / "new" / name).read_bytes()
        except OSError as error:
            self.out.later[name] = f"can't be read: {error.strerror or error}"
            return
        sender, to = _envelope(raw)
        if sender in self.closed:
            self.out.later[name] = self.closed[sender]
            return
        try:
            _check(sender, to, self.own)
            self._hand_over(name, sender, to, raw)
        except ServerUnavailable as down:
            if not down.sender:
                raise
            self.closed[sender] = self.out.later[name] = str(down)
        except (TemporaryFailure, PermanentFailure) as refusal:
            self.refused.append((name, to, refusal))

    def _hand_over(self, name: str, sender: str, to: str, raw: bytes) -> None:
        """Send one, on a broken connection once more; raise `ServerUnavailable` if two in a row fail so."""
        try:
            try:
                self.carrier.send(sender, to, raw)
            except Cut as cut:
                if not cut.again:
                    raise
                self.carrier.send(sender, to, raw)
        except Cut as cut:
            self.cuts += 1
            if self.cuts > 1:
                raise ServerUnavailable(str(cut)) from None
            raise
        except (TemporaryFailure, PermanentFailure):
            self.cuts = 0
            raise
        self.cuts = 0
        self.out.sent.append(name)
        self._settle(name, SENT)

    def _settle(self, name: str, flag: str) -> None:
        """Mark and move a settled email. Raises `OSError` if neither works; if one does, it isn't sent again."""
        source, target = self.box / "new" / name, self.box / "cur" / atomic_files.flagged(name, flag)
        if flag == SENT and self._mark(name):
            self.accepted.add(name)
        try:
            source.rename(target)
        except OSError as error:
            if source.exists():
                if name not in self.accepted:
                    raise OSError(error.errno, error.strerror, str(target)) from None
                return  # the next run moves it
        self.tries.pop(name, None)
        self.accepted.discard(name)

    def _mark(self, name: str) -> bool:
        try:
            with (self.box / _SENDING).open("rb+", buffering=0) as stream:
                stream.seek(self.marks[name])
                stream.write(SENT.encode())
        except OSError:
            return False
        return True

    def _weigh(self) -> None:
        """Postpone refused emails, or give them up after days or if the refusal is about the recipient."""
        alike: dict[str, set[str]] = {}
        for _, to, refusal in self.refused:
            alike.setdefault(_gist(str(refusal), to), set()).add(to.casefold())
        for name, to, refusal in self.refused:
            why, final = str(refusal), isinstance(refusal, PermanentFailure)
            shared = len(alike[_gist(why, to)]) > 1
            if isinstance(refusal, PermanentFailure) and (refusal.sure or not shared):
                self._give_up(name, to, why)
                continue
            since = self._put_off(name, why)
            ours = isinstance(refusal, TemporaryFailure) and refusal.ours
            if self.now - since >= GIVE_UP and (final or not (shared or ours)):
                self._give_up(name, to, f"tried for {GIVE_UP.days} days: {why}")
            else:
                self.out.later[name] = why

    def _give_up(self, name: str, to: str, why: str) -> None:
        Bounces(self.home).note(Bounce(at=self.now, to=to, name=name, why=why))
        self.out.failed[name] = why
        with suppress(OSError):  # it is refused and recorded again
            self._settle(name, GIVEN_UP)

    def _put_off(self, name: str, why: str) -> datetime:
        known = self.tries.get(name)
        count, since = (known.count + 1, known.since) if known is not None else (1, self.now)
        wait = min(_FIRST * 2 ** (count - 1), _LONGEST)
        self.tries[name] = SendAttempt(count, since, self.now + wait, why)
        return since


def _gist(why: str, to: str) -> str:
    """Return a refusal without the recipient, numbers and special characters, to recognise the same one."""
    code, _, words = why.casefold().partition(" ")
    parts = to.casefold().split("@")
    plain = re.findall(r"(?<!\S)(?:\d\.\d{1,3}\.\d{1,3}|[a-z':,.;!-]+)(?!\S)", words)
    return " ".join([code, *(word for word in plain if word.strip("':,.;!-") not in parts)])


def _check(sender: str, to: str, own: frozenset[str]) -> None:
    if to.casefold() in own:
        raise PermanentFailure("this is the game's own address: no player reads it", sure=True)
    if not parse_address(to) or not parse_address(sender):
        raise PermanentFailure(f"from '{sender}' to '{to}': one of them isn't an address", sure=True)


def _envelope(raw: bytes) -> tuple[str, str]:
    head = BytesHeaderParser(policy=policy.compat32).parsebytes(raw)
    sender, to = (parse_addresses(str(head.get(name, "")))[0] for name in ("From", "To"))
    return (sender[0][1] if sender else ""), (to[0][1] if to else "")


def _accepted(box: Path) -> set[str]:
    """Return the names of emails that an earlier run could mark but not move. Raises `OSError`."""
    try:
        found = (box / _SENDING).read_bytes().split(b"\0")
    except FileNotFoundError:
        return set()
    except IsADirectoryError:
        atomic_files.put_aside(box / _SENDING)
        return set()
    return {os.fsdecode(line[1:]) for line in found if line[:1] == SENT.encode()}
