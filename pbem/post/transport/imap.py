"""Mail from an IMAP mailbox: what is new since the last bookmark, one message at a time.

Messages are fetched without touching them; `\\Seen` is set, and the bookmark moved, only after what was in them has
been committed. A run that dies is run again: the intake knows the letters it has dealt with. No IDLE: cron asks often
enough.
Source: RFC 9051 (UID, UIDVALIDITY, BODY.PEEK).
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import time
from array import array
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from pbem import small_files
from pbem.post.inbox.sources import MESSAGE_LIMIT, SourceError
from pbem.post.inbox.values import Received
from pbem.post.transport.accounts import Account, AccountError, account, password, shaking_hands, tls

TIMEOUT = 60.0
CHUNK = 500
"""Messages between two moves of the bookmark."""

_FLAGS = 200


class Bookmark(msgspec.Struct):
    """How far a mailbox has been read: all up to `uid` of this `validity`, but for `left` (to be read again)."""

    validity: int = 0
    uid: int = 0
    left: list[int] = []


class Mailbox:
    """An IMAP mailbox, opened as a context. `home` keeps the bookmark (`imap.json`)."""

    def __init__(self, url: str, home: Path, *, limit: int = MESSAGE_LIMIT) -> None:
        self.account: Account = account(url, ("imaps", "imap"))
        self.home = home
        self.limit = limit
        self.mark = Bookmark()
        self._left: dict[str, int] = {}
        self._link: imaplib.IMAP4 | None = None

    def __enter__(self) -> Mailbox:
        try:
            with shaking_hands(self.account):
                self._open()
        except (SourceError, AccountError):
            self._hang_up()
            raise
        except (OSError, imaplib.IMAP4.error) as error:
            self._hang_up()
            raise SourceError(0, _said(error), str(self.account)) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hang_up()

    def _hang_up(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            try:
                link.logout()
            except (OSError, imaplib.IMAP4.error):
                with contextlib.suppress(OSError):  # closed by the other side, or by a failed STARTTLS
                    link.shutdown()

    def _open(self) -> None:
        one = self.account
        secret = password(one, "PBEM_IMAP_PASSWORD")
        link: imaplib.IMAP4
        if one.scheme == "imaps":
            self._link = link = imaplib.IMAP4_SSL(one.host, one.port, ssl_context=tls(one), timeout=TIMEOUT)
        else:
            self._link = link = imaplib.IMAP4(one.host, one.port, timeout=TIMEOUT)
            if "STARTTLS" in link.capabilities:
                link.starttls(tls(one))
            elif not one.loopback:
                raise AccountError(f"{one} offers no TLS: passwords are not sent in the clear")
        link.login(one.user, secret)
        folder = one.path or "INBOX"
        self._ok(link.select(folder_name(folder)), f"open {folder}")
        validity = int((link.response("UIDVALIDITY")[1] or [b"0"])[0] or 0)
        self.mark = _marks(self.home).get(str(one), Bookmark())
        if self.mark.validity != validity:  # the server has numbered anew: read all; what is known is known
            self.mark = Bookmark(validity)

    def new(self) -> Sequence[int]:
        """The UIDs of messages not dealt with yet, in order of arrival; four bytes each, however many they are."""
        found = self._ok(self._command("UID", "SEARCH", f"UID {self.mark.uid + 1}:*"), "search")
        fresh = (int(uid) for part in found if part for uid in part.split())
        # `n:*` names the last message even if its number is lower.
        return array("L", sorted({*self.mark.left, *(uid for uid in fresh if uid > self.mark.uid)}))

    def chunks(self) -> Iterator[Sequence[int]]:
        """The UIDs of `new`, so many at once as are held in memory."""
        uids = self.new()
        for at in range(0, len(uids), CHUNK):
            yield uids[at : at + CHUNK]

    def messages(self, uids: Iterable[int]) -> Iterator[tuple[int, Received]]:
        """Each message as it was received; of one beyond the limit only the beginning. Vanished ones are left out."""
        for uid in uids:
            query = f"(INTERNALDATE BODY.PEEK[]<0.{self.limit}>)"
            parts = self._ok(self._command("UID", "FETCH", str(uid), query), "fetch")
            raw = next((part for part in parts if isinstance(part, tuple)), None)
            if raw is None:
                continue
            where = f"{self.account} message {uid}"
            when = imaplib.Internaldate2tuple(raw[0]) or imaplib.Internaldate2tuple(_tail(parts))
            delivered = int(time.mktime(when)) if when else None
            yield uid, Received(f"{self.mark.validity}.{uid}", raw[1], where, "mail", delivered)

    def done(self, uids: Iterable[int], left: Mapping[str, int]) -> None:
        """What was in `uids` is committed, but for `left` (by their `where`): `settle` says what becomes of those."""
        later = set(left.values())
        self._left.update(left)
        self._move([uid for uid in uids if uid not in later], later)

    def settle(self, again: Collection[str]) -> None:
        """Of the messages left, those in `again` (by their `where`) are to be read again; the others are dealt with."""
        dealt = sorted(uid for where, uid in self._left.items() if where not in again)
        if dealt:
            self._move(dealt, ())

    def _move(self, dealt: Sequence[int], left: Iterable[int]) -> None:
        """Move the bookmark, then set `\\Seen`."""
        left = (set(self.mark.left) - set(dealt)) | set(left)
        self.mark = Bookmark(self.mark.validity, max([self.mark.uid, *dealt, *left]), sorted(left))
        _store(self.home, str(self.account), self.mark)
        for at in range(0, len(dealt), _FLAGS):
            some = ",".join(str(uid) for uid in dealt[at : at + _FLAGS])
            # The bookmark is what counts; servers have bad moments, and a flag is not worth a failed run.
            if self._command("UID", "STORE", some, "+FLAGS.SILENT", r"(\Seen)")[0] != "OK":
                self._command("UID", "STORE", some, "+FLAGS.SILENT", r"(\Seen)")

    def _command(self, *words: str) -> tuple[str, list[Any]]:
        assert self._link is not None
        try:
            return self._link.uid(*words[1:])
        except (OSError, imaplib.IMAP4.error) as error:
            raise SourceError(0, _said(error), str(self.account)) from error

    def _ok(self, answer: tuple[str, list[Any]], what: str) -> list[Any]:
        status, found = answer
        if status != "OK":
            raise SourceError(0, f"cannot {what}: {found[:1]}", str(self.account))
        return found


def folder_name(name: str) -> str:
    """The name of a mailbox as IMAP writes it: quoted, in modified UTF-7 (RFC 3501, 5.1.3)."""
    out = ""
    for plain, other in re.findall(r"([ -~]*)([^ -~]*)", name):
        out += plain.replace("&", "&-")
        if other:
            out += f"&{b64encode(other.encode('utf-16-be')).decode().rstrip('=').replace('/', ',')}-"
    return '"' + out.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _said(error: Exception) -> str:
    """What went wrong, in the server's words where they are its own."""
    first = error.args[0] if error.args else ""
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else str(error)


def _tail(parts: list[Any]) -> bytes:
    return b" ".join(part for part in parts if isinstance(part, bytes))


def _marks(home: Path) -> dict[str, Bookmark]:
    try:
        return msgspec.json.decode((home / "imap.json").read_bytes(), type=dict[str, Bookmark])
    except (OSError, msgspec.DecodeError):
        return {}


def _store(home: Path, key: str, mark: Bookmark) -> None:
    small_files.store(home / "imap.json", {**_marks(home), key: mark})
