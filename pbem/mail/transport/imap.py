r"""Mail from an IMAP mailbox: the messages since the last bookmark, one at a time.

Messages are fetched without touching them. `\Seen` is set, and the bookmark moved, only after their contents have
been committed. A run that died is repeated: processed emails are recognised. No IDLE: cron asks often enough. Source:
RFC 9051 (UID, UIDVALIDITY, BODY.PEEK).
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import ssl
import time
from array import array
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from pbem import atomic_files
from pbem.mail.inbox.sources import MESSAGE_LIMIT, SourceError
from pbem.mail.inbox.stages import Received
from pbem.mail.transport.accounts import Account, AccountError, account, shaking_hands, tls
from pbem.mail.transport.tokens import TokenLogin, TokenRefused, password_or_token

TIMEOUT = 60.0
CHUNK = 500
"""Messages between two moves of the bookmark."""

IN_A_ROW = 3
"""Messages in a row that break the connection, after which the server counts as unreadable."""

REFUSED_IN_A_ROW = 30
"""The same for messages that the server doesn't return."""

_FLAGS = 200
_NUMBERS = 1 << 32

vars(imaplib).update(_MAXLINE=1 << 25)  # a search of a large mailbox is one line


class Bookmark(msgspec.Struct):
    """How far a mailbox has been read: all up to `uid` of this `validity`, except `left` (to be read again)."""

    validity: int = 0
    uid: int = 0
    left: list[int] = []


class _Bounded:
    """An IMAP client that rejects literals larger than asked for, as memory is allocated before they come."""

    most = MESSAGE_LIMIT + (1 << 20)

    def read(self, size: int) -> bytes:
        if size > self.most:
            raise imaplib.IMAP4.abort(f"the server announces {size:,} bytes")
        found: bytes = super().read(size)  # type: ignore[misc]
        if len(found) < size:
            raise imaplib.IMAP4.abort("the line was cut in the middle of a message")
        return found


class _Plain(_Bounded, imaplib.IMAP4): ...


class _Secure(_Bounded, imaplib.IMAP4_SSL): ...


class Mailbox:
    """An IMAP mailbox, opened as a context. `home` keeps the bookmark (`imap.json`).

    `down` says why some of it couldn't be read ("" if all was), `notes` are sentences for the moderator.
    """

    def __init__(self, url: str, home: Path, *, limit: int = MESSAGE_LIMIT) -> None:
        self.account: Account = account(url, ("imaps", "imap"))
        self.home = home
        self.limit = limit
        self.mark = Bookmark()
        self.down = ""
        self._ended = False
        self.notes: list[str] = []
        self._left: dict[str, int] = {}
        self._link: imaplib.IMAP4 | None = None

    def __enter__(self) -> Mailbox:
        try:
            validity = self._connect()
            marks = _marks(self.home)
            before = marks.get(str(self.account), Bookmark())  # the key in earlier versions
            self.mark = marks.get(self.account.mailbox, before)
            self._compare(validity)
        except BaseException:
            self._hang_up()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._hang_up()

    def _hang_up(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            try:
                link.logout()
            except (OSError, imaplib.IMAP4.error):
                with contextlib.suppress(OSError):  # closed by the other side, or by a failed STARTTLS
                    link.shutdown()

    def _connect(self) -> int:
        """Open the mailbox; return its UIDVALIDITY. Raises `SourceError`, `AccountError`."""
        try:
            with shaking_hands(self.account):
                try:
                    return self._open()
                except TokenRefused:  # it may have expired just now
                    self._hang_up()
                    return self._open()
        except (SourceError, AccountError):
            raise
        except (OSError, imaplib.IMAP4.error) as error:
            raise SourceError(0, _server_text(error), str(self.account)) from error

    def _open(self) -> int:
        one = self.account
        secret, token = password_or_token(one, "PBEM_IMAP_PASSWORD")
        link: imaplib.IMAP4
        if one.scheme == "imaps":
            self._link = link = _Secure(one.host, one.port, ssl_context=tls(one), timeout=TIMEOUT)
        else:
            self._link = link = _Plain(one.host, one.port, timeout=TIMEOUT)
            if "STARTTLS" in link.capabilities:
                link.starttls(tls(one))
            elif not one.loopback:
                raise AccountError(f"{one} offers no TLS, and passwords aren't sent unencrypted")
        if link.state == "NONAUTH" and token is not None:
            _give_token(link, token)
        elif link.state == "NONAUTH":
            link.login(one.user, secret)
        folder = one.path or "INBOX"
        self._ok(link.select(folder_name(folder)), f"open {folder}")
        validity = (link.response("UIDVALIDITY")[1] or [b"0"])[0] or b"0"
        number = _number(validity)
        if number is None:
            raise SourceError(0, f"its UIDVALIDITY isn't a number: {validity[:40]!r}", str(one))
        return number

    def _compare(self, validity: int) -> None:
        """Reset the bookmark if the server has renumbered its messages: processed ones are recognised."""
        assert self._link is not None
        following = _number((self._link.response("UIDNEXT")[1] or [b""])[0] or b"")
        if self.mark.validity != validity:
            self.mark = Bookmark(validity)
        elif following is not None and following <= self.mark.uid:
            self.notes.append(
                f"{self.account}: its messages have new numbers (the next UID is {following}, and "
                f"{self.mark.uid} was read): all of it is read again"
            )
            self.mark = Bookmark(validity)

    @property
    def encrypted(self) -> bool:
        """Whether the open connection uses TLS."""
        return self._link is not None and isinstance(self._link.socket(), ssl.SSLSocket)

    def head_of(self, mark: str) -> bytes | None:
        """Return the headers of the newest message with that word in its subject; None if there is none."""
        assert self._link is not None
        for uid in sorted(self._search(f'SUBJECT "{mark}"'), reverse=True)[:1]:
            parts = self._ok(self._command("UID", "FETCH", str(uid), "(UID BODY.PEEK[HEADER])"), "read a message")
            return next(_texts(uid, parts), (b"", b""))[1]
        return None

    def new(self) -> Sequence[int]:
        """Return the UIDs of unprocessed messages in order of arrival; four bytes each, however many they are."""
        fresh = self._search(f"UID {self.mark.uid + 1}:*")
        # `n:*` names the last message even if its number is lower.
        return array("L", sorted({*self.mark.left, *(uid for uid in fresh if uid > self.mark.uid)}))

    def _search(self, what: str) -> list[int]:
        data = self._ok(self._command("UID", "SEARCH", what), "search")
        uids = b" ".join(part for part in data if part).partition(b"(")[0].split()
        good = [number for number in map(_number, uids) if number and number < _NUMBERS]
        if len(good) < len(uids):
            why = f"its list of messages has something that isn't a number: {b' '.join(uids)[:60]!r}"
            if not good:
                raise SourceError(0, why, str(self.account))
            self.down = why
        return good

    def chunks(self) -> Iterator[Sequence[int]]:
        """Yield the UIDs of `new`, as many at once as fit in memory."""
        uids = self.new()
        for at in range(0, len(uids), CHUNK):
            if self._ended:
                return
            yield uids[at : at + CHUNK]

    def messages(self, uids: Iterable[int]) -> Iterator[tuple[int, Received | None]]:
        """Yield each message as received, up to the limit; None for one that is gone.

        One that the server doesn't return is `missing`. A broken connection is opened again; if that doesn't help, it
        ends, and `down` says why.
        """
        cut = refused = 0
        known = set(self.mark.left)
        for uid in uids:
            try:
                message = self._message(uid)
            except (SourceError, AccountError) as error:
                self._end(getattr(error, "strerror", "") or str(error))
                return
            if uid not in known:  # a message that failed before must not keep others from being read
                refused = refused + 1 if message is not None and message.kind == "missing" else 0
                cut = cut + 1 if refused and self._link is None else 0
            if message is not None and (cut >= IN_A_ROW or refused >= REFUSED_IN_A_ROW):
                self._end(message.why)
                return
            yield uid, message

    def _end(self, why: str) -> None:
        self.down, self._ended = why, True

    def _message(self, uid: int) -> Received | None:
        """Return one message, asked for twice if needed. Raises `SourceError` if the server is gone."""
        key, where, why = f"{self.mark.validity}.{uid}", f"{self.account} message {uid}", ""
        length = -1
        for _ in range(2):
            if self._link is None and self._connect() != self.mark.validity:
                raise SourceError(0, "its messages have new numbers", str(self.account))
            try:
                raw, delivered, whole = self._fetch(uid)
            except _NoMessage as error:
                why = str(error)
                if why == _NOTHING and not self._is_there(uid):
                    return None
            except (OSError, imaplib.IMAP4.abort) as error:
                why = _server_text(error)
                self._hang_up()
            except imaplib.IMAP4.error as error:
                why = _server_text(error)
            else:
                if whole or len(raw) == length:  # some servers count other line ends
                    return Received(key, raw, where, "mail", delivered)
                length, why = len(raw), f"only {len(raw)} bytes of it came"
        return Received(key, b"", where, "missing", why=why)

    def _is_there(self, uid: int) -> bool:
        try:
            return uid in self._search(f"UID {uid}")
        except SourceError:
            return True

    def _fetch(self, uid: int) -> tuple[bytes, int | None, bool]:
        """Return a message's beginning, delivery time and completeness. Raises `_NoMessage`, OSError, IMAP errors."""
        assert self._link is not None
        query = f"(UID RFC822.SIZE INTERNALDATE BODY.PEEK[]<0.{self.limit}>)"
        status, parts = self._link.uid("FETCH", str(uid), query)
        if status != "OK":
            raise _NoMessage(f"{status} {_first(parts)}")
        about, raw = next(_texts(uid, parts), (b"", b""))
        found = re.search(rb"RFC822\.SIZE (\d{1,12})", about)
        size = int(found[1]) if found else len(raw)
        if not raw and (size or not about):  # an empty message is one
            raise _NoMessage("the answer isn't the message's text" if any(parts) else _NOTHING)
        return raw, _delivered(about), len(raw) >= min(size, self.limit)

    def done(self, uids: Iterable[int], left: Mapping[str, int]) -> None:
        """Record that `uids` are committed, except `left` (by their `where`): `settle` decides on those."""
        later = set(left.values())
        self._left.update(left)
        self._move([uid for uid in uids if uid not in later], later)

    def settle(self, again: Collection[str]) -> None:
        """Settle the messages left: those in `again` (by their `where`) are read again, the others are processed."""
        dealt = sorted(uid for where, uid in self._left.items() if where not in again)
        if dealt:
            self._move(dealt, ())

    def _move(self, dealt: Sequence[int], left: Iterable[int]) -> None:
        left = (set(self.mark.left) - set(dealt)) | set(left)
        mark = Bookmark(self.mark.validity, max([self.mark.uid, *dealt, *left]), sorted(left))
        if mark != self.mark:
            self.mark = mark
            try:
                _store(self.home, self.account.mailbox, self.mark)
            except OSError as error:  # messages are read again, and recognised
                self.notes.append(f"{error.filename or self.home}: {error.strerror or error}")
        for at in range(0, len(dealt), _FLAGS):
            some = ",".join(str(uid) for uid in dealt[at : at + _FLAGS])
            # Only the bookmark counts; servers fail at times, and a flag isn't worth a failed run.
            for _ in range(2):
                with contextlib.suppress(SourceError, AccountError):
                    if self._link is None and self._connect() != self.mark.validity:
                        break
                    if self._command("UID", "STORE", some, "+FLAGS.SILENT", r"(\Seen)")[0] == "OK":
                        break

    def _command(self, *words: str) -> tuple[str, list[Any]]:
        if self._link is None:
            raise SourceError(0, "the connection is closed", str(self.account))
        try:
            return self._link.uid(*words[1:])
        except (OSError, imaplib.IMAP4.error) as error:
            if not isinstance(error, imaplib.IMAP4.error) or isinstance(error, imaplib.IMAP4.abort):
                self._hang_up()
            raise SourceError(0, _server_text(error), str(self.account)) from error

    def _ok(self, answer: tuple[str, list[Any]], what: str) -> list[Any]:
        status, data = answer
        if status != "OK":
            raise SourceError(0, f"can't {what}: {_first(data)}", str(self.account))
        return data


def _give_token(link: imaplib.IMAP4, token: TokenLogin) -> None:
    try:
        link.authenticate("XOAUTH2", lambda challenge: token.answer(challenge).encode())
    except (imaplib.IMAP4.error, ValueError) as error:
        if isinstance(error, imaplib.IMAP4.abort) and not token.said:
            raise
        raise token.refused(_server_text(error)) from None


_NOTHING = "nothing came"


class _NoMessage(Exception):
    """A message that the server doesn't return, while the connection still works."""


def _texts(uid: int, parts: Sequence[Any]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the response about the message of that number, and its text; responses about others may come between."""
    for part, after in zip(parts, [*parts[1:], b""], strict=True):
        if isinstance(part, tuple):
            about = part[0] + b" " + (after if isinstance(after, bytes) else b"")
            if re.search(rb"\bUID %d\b" % uid, about):
                yield about, part[1]


def _number(word: bytes) -> int | None:
    """Parse a number of the protocol, at most 32 bits, as Python refuses texts of thousands of digits."""
    return int(word) if word.isdigit() and len(word) < 12 else None


def _delivered(about: bytes) -> int | None:
    """Return when a message was delivered, in seconds since 1970; None for an invalid date."""
    try:
        when = imaplib.Internaldate2tuple(about)
        return int(datetime.fromtimestamp(time.mktime(when), UTC).timestamp()) if when else None
    except (ValueError, OverflowError, OSError):
        return None


def _first(found: Sequence[Any]) -> str:
    said = next((part for part in found if part), b"")
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def folder_name(name: str) -> str:
    """Return the name of a mailbox as IMAP writes it: quoted, in modified UTF-7 (RFC 3501, 5.1.3)."""
    out = ""
    for plain, other in re.findall(r"([ -~]*)([^ -~]*)", name):
        out += plain.replace("&", "&-")
        if other:
            out += f"&{b64encode(other.encode('utf-16-be')).decode().rstrip('=').replace('/', ',')}-"
    return '"' + out.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _server_text(error: Exception) -> str:
    first = error.args[0] if error.args else ""
    said = first.decode("utf-8", "replace") if isinstance(first, bytes) else str(error)
    return said if said not in ("", "None") else "it doesn't greet like an IMAP server"


def _marks(home: Path) -> dict[str, Bookmark]:
    """Return the bookmarks. Raises `SourceError` if they can't be read: they name messages to read again."""
    try:
        return atomic_files.load(home / "imap.json", dict[str, Bookmark]) or {}
    except OSError as error:
        raise SourceError(error.errno, error.strerror or str(error), str(home / "imap.json")) from error


def _store(home: Path, key: str, mark: Bookmark) -> None:
    atomic_files.store(home / "imap.json", {**_marks(home), key: mark})
