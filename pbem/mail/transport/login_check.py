"""What `pbem setup` tries with a mail account: find its servers, log in, and send an email round to ourselves."""

from __future__ import annotations

import contextlib
import hashlib
import imaplib
import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.mail.headers import Headers, split_message
from pbem.mail.inbox.authenticate import verdicts_in
from pbem.mail.inbox.sources import is_mailbox
from pbem.mail.outbox.mime_message import LOOP, host_of, to_bytes
from pbem.mail.transport.accounts import LOOPBACK, AccountError, UntrustedCertificate, account
from pbem.mail.transport.imap import Mailbox
from pbem.mail.transport.smtp import SCHEMES, Smtp, carrier
from pbem.save import OutboxEntry

_KNOCK = 5.0
"""Seconds in which a server has to accept a connection."""

_IN = {"imaps": 993, "imap": 143}
_OUT = {"submission": 587, "smtps": 465, "smtp": 25}


class LoginCheck(NamedTuple):
    """The result of a login: `words`, and the URL that worked; `untrusted` is a server whose certificate is unknown."""

    ok: bool
    words: str
    url: str = ""
    untrusted: str = ""


def accepts(host: str, port: int) -> bool:
    """Check if a server accepts connections."""
    try:
        _knock(host, port)
    except _NobodyThere:
        return False
    return True


def guess(domain: str, ports: Sequence[int], names: Sequence[str]) -> str:
    """Return the first of the usual names in a domain that accepts a connection; "" if none does."""
    hosts = [f"{name}.{domain}" for name in names] if domain else []
    return next((host for host in hosts for port in ports if accepts(host, port)), "")


def guess_servers(domain: str) -> tuple[str, str]:
    """Return the probable IMAP and SMTP servers of a domain, "" for unknown ones. It uses a table, not the network."""
    return (guess(domain, tuple(_IN.values()), ("imap", "mail")), guess(domain, (587, 465), ("smtp", "mail")))


def urls_of(server: str, user: str, *, sends: bool) -> list[str]:
    """Return the URLs to try for a server: `HOST`, `HOST:PORT`, a URL, or `sendmail`."""
    if "://" in server or server == "sendmail" or server.startswith("/"):
        return [server]
    host, _, port = server.rpartition(":") if server.count(":") == 1 else (server, "", "")
    host, own = host or server, f"{quote(user, safe='')}@" if user else ""
    ports = _OUT if sends else _IN
    if port.isdecimal():
        usual = [scheme for scheme, number in ports.items() if number == int(port)]
        schemes = usual or [scheme for scheme in ports if scheme != "smtp" or host in LOOPBACK]
        return [f"{scheme}://{own}{host}:{port}" for scheme in schemes]
    urls = [f"{scheme}://{own}{host}" for scheme in ports if scheme != "smtp"]
    return [*urls, f"smtp://{host}"] if sends and host in LOOPBACK else urls


def check_login(urls: Sequence[str], home: Path, *, sends: bool) -> LoginCheck:
    """Try URLs in order until one lets us log in, or says why it doesn't. Nothing is sent, read or changed."""
    failed: list[LoginCheck] = []
    for url in urls:
        try:
            return LoginCheck(True, _check_out(url) if sends else _check_in(url, home), url)
        except UntrustedCertificate as error:
            return LoginCheck(False, str(error), url, url)
        except (AccountError, OSError, UnicodeError) as error:
            failed.append(LoginCheck(False, _why(error), url))
            if not _is_elsewhere(error):
                return failed[-1]
    return failed[0] if failed else LoginCheck(False, "no server is named")


def _check_in(url: str, home: Path) -> str:
    if "://" not in url:
        if not Path(url).expanduser().is_dir() or not is_mailbox(url):
            raise AccountError(f"{url}: no such Maildir")
        return f"{url}, a folder of this machine"
    there = account(url, ("imaps", "imap"))
    _knock(there.host, there.port)
    with Mailbox(url, home) as box:
        new = len(box.new())
        safe = "TLS" if box.encrypted else "no TLS (this machine)"
    return f"{there.host}:{there.port}, {safe}, logged in, {there.path or 'INBOX'}, {new} new emails"


def _check_out(url: str) -> str:
    if "://" not in url:
        path = Path("/usr/sbin/sendmail" if url == "sendmail" else url)
        if not path.is_file():
            raise AccountError(f"{path}: no such program")
        return f"{path}, the mail system of this machine"
    there = account(url, SCHEMES)
    _knock(there.host, there.port)
    with Smtp(there) as server:
        server.log_in()
        safe = "TLS" if server.encrypted else "no TLS (this machine)"
    return f"{there.host}:{there.port}, {safe}{', logged in' if there.user else ''}"


class _NobodyThere(OSError):
    """A port at which nobody answers."""


def _knock(host: str, port: int) -> None:
    try:
        socket.create_connection((host, port), _KNOCK).close()
    except (OSError, UnicodeError) as error:
        raise _NobodyThere(0, f"{host}:{port}: {getattr(error, 'strerror', '') or error}") from None


def _is_elsewhere(error: Exception) -> bool:
    """Check if another port may do: nobody answers here, or it doesn't speak TLS as expected."""
    return isinstance(error, _NobodyThere) or "does not speak TLS" in str(error)


def _why(error: Exception) -> str:
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


class Certificate(NamedTuple):
    """A server's certificate; `sha256` is its fingerprint as `openssl x509 -fingerprint` prints it."""

    pem: str
    sha256: str
    subject: str
    since: str
    until: str


def certificate_of(url: str) -> Certificate:
    """Return the certificate that a server shows, without checking who signed it. Raises OSError, `AccountError`."""
    anyone = ssl.create_default_context()
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    with _secure(url, anyone) as link:
        pem = ssl.DER_cert_to_PEM_cert(link.getpeercert(binary_form=True) or b"")
    itself = ssl.create_default_context(cadata=pem)
    itself.check_hostname = False
    itself.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    itself.verify_flags &= ~ssl.VERIFY_X509_STRICT
    with _secure(url, itself) as link:  # only of a certificate that was verified are the fields told
        certificate = link.getpeercert() or {}
    names: object = certificate.get("subject", ())
    subject = ", ".join(f"{part[0][0]}={part[0][1]}" for part in names) if isinstance(names, tuple) else ""
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()
    mark = ":".join(digest[at : at + 2] for at in range(0, 64, 2))
    return Certificate(pem, mark, subject, str(certificate.get("notBefore", "")), str(certificate.get("notAfter", "")))


@contextlib.contextmanager
def _secure(url: str, context: ssl.SSLContext) -> Iterator[ssl.SSLSocket]:
    there = account(url, (*_IN, *_OUT))
    link: imaplib.IMAP4 | smtplib.SMTP | None = None
    try:
        if there.scheme in ("imaps", "smtps"):
            plain = socket.create_connection((there.host, there.port), _KNOCK)
            with context.wrap_socket(plain, server_hostname=there.host) as wrapped:
                yield wrapped
            return
        if there.scheme == "imap":
            link = imaplib.IMAP4(there.host, there.port, timeout=_KNOCK)
            link.starttls(context)
        else:
            link = smtplib.SMTP(there.host, there.port, timeout=_KNOCK)
            link.starttls(context=context)
        assert isinstance(link.sock, ssl.SSLSocket)
        yield link.sock
    except (imaplib.IMAP4.error, smtplib.SMTPException, ssl.SSLError) as error:
        raise AccountError(f"{there}: {error}") from None
    finally:
        if isinstance(link, imaplib.IMAP4):
            link.shutdown()
        elif link is not None:
            link.close()


class RoundTrip(msgspec.Struct):
    """An email that came back to its sender: after how many seconds, and what our mail host says of it.

    `host` is the name in its Authentication-Results ("": it adds none), `verdicts` are `spf`, `dkim`, `dmarc`.
    `received` is when our mail host had it, by its own clock.
    """

    seconds: float
    host: str = ""
    verdicts: dict[str, str] = {}
    received: datetime | None = None


def send_round(smtp: str, address: str) -> str:
    """Send an email to ourselves and return its mark. Raises as `Transport.send` does, and `AccountError`."""
    mark = f"{LOOP}{token_hex(8)}"
    _send(smtp, address, address, mark, f"pbem: test {mark}", "A test of pbem: it needs no answer.\n")
    return mark


def send_greeting(smtp: str, sender: str, to: str, language: str) -> None:
    """Write to the moderator that emails reach them. Raises as `send_round` does."""
    say = messages("pbem.mail", language or LANGUAGES[0])
    mark = f"{LOOP}{token_hex(8)}"
    _send(smtp, sender, to, mark, say["setup.greeting.subject"], say["setup.greeting.text"])


def _send(smtp: str, sender: str, to: str, mark: str, subject: str, text: str) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    ident = f"<{mark}@{host_of(sender)}>"
    email = OutboxEntry(mark, "", to, subject, body=text, at=at, sender=sender, message_id=ident)
    with carrier(smtp) as way:
        way.send(sender, to, to_bytes(email))


def came_back(
    source: str, mark: str, address: str, home: Path, *, patience: float, pause: Callable[[float], None] = time.sleep
) -> RoundTrip | None:
    """Wait for the email with that mark in a mailbox (a URL, or a Maildir); None if it doesn't come in time."""
    start = time.monotonic()
    while True:
        head = _in_maildir(Path(source), mark) if "://" not in source else _in_mailbox(source, mark, home)
        spent = time.monotonic() - start
        if head is not None:
            return _judged(head, address, spent)
        if spent >= patience:
            return None
        pause(min(2.0, max(patience - spent, 0.05)))


def _in_mailbox(url: str, mark: str, home: Path) -> bytes | None:
    with Mailbox(url, home) as box:
        return box.head_of(mark)


def _in_maildir(folder: Path, mark: str) -> bytes | None:
    for path in [*folder.expanduser().glob("new/*"), *folder.expanduser().glob("cur/*")]:
        with contextlib.suppress(OSError), path.open("rb") as stream:
            head = stream.read(1 << 16)
            if f"{mark}@".encode() in head or f" {mark}".encode() in head:
                return head
    return None


def _judged(head: bytes, address: str, seconds: float) -> RoundTrip:
    headers: Headers = split_message(head.replace(b"\r\n", b"\n"), count=200, length=20_000)[0]
    received = None
    with contextlib.suppress(ValueError):
        received = parsedate_to_datetime((headers.first("received") or "").rpartition(";")[2])
        received = received.astimezone(UTC)
    field = headers.first("authentication-results")
    if field is None:
        return RoundTrip(seconds, received=received)
    host, said = verdicts_in(field, address.rpartition("@")[2])
    verdicts = {str(name): said[name] for name in ("spf", "dkim", "dmarc") if name in said}
    return RoundTrip(seconds, host, verdicts, received)
