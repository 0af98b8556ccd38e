"""Emails from the outbox to a mail server: SMTP, or the machine's own `sendmail`, one at a time.

A transport either hands a message over, or says whether it is worth trying again.
"""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
import subprocess
from typing import Protocol

from pbem.mail.transport.accounts import Account, AccountError, account, shaking_hands, tls
from pbem.mail.transport.tokens import TokenLogin, TokenRefused, password_or_token

TIMEOUT = 60.0
"""Seconds to connect and log in."""

PATIENCE = 600.0
"""Seconds for a server's reply: hanging up earlier may send an email twice (RFC 5321, 4.5.3.2)."""

SCHEMES = ("smtps", "submission", "smtp")


class TemporaryFailure(OSError):
    """A refusal for now: try again. `ours`: the reason is our account or the connection."""

    ours = False


class Cut(TemporaryFailure):
    """A session that ended (421, a broken connection, too many messages): try another one at once.

    `again` is false if the server only gave no answer: it may have accepted the message.
    """

    ours = again = True


class ServerUnavailable(TemporaryFailure):
    """A server that accepts no message now, or a failed login. `sender`: none from that address."""

    def __init__(self, why: str, sender: str = "") -> None:
        super().__init__(why)
        self.sender = sender


class PermanentFailure(ValueError):
    """A permanent refusal, in the server's words. `sure`: it needs no comparison with other recipients."""

    def __init__(self, why: str, *, sure: bool = False) -> None:
        super().__init__(why)
        self.sure = sure


class Transport(Protocol):
    """A way to send mail. Used as a context: it connects for the first message."""

    def __enter__(self) -> Transport: ...
    def __exit__(self, *_: object) -> None: ...
    def send(self, sender: str, to: str, raw: bytes) -> None:
        """Hand one message over. Raises `TemporaryFailure` (also `ServerUnavailable`), `PermanentFailure`."""


def carrier(where: str) -> Transport:
    """Return the transport for an `smtps`, `submission` or `smtp` URL, or `sendmail`. Raises `AccountError`."""
    if where == "sendmail" or where.startswith("/"):
        return Sendmail("/usr/sbin/sendmail" if where == "sendmail" else where)
    return Smtp(account(where, SCHEMES))


class Smtp:
    """SMTP with TLS from the start (`smtps`) or by STARTTLS; without TLS only on this machine."""

    def __init__(self, to: Account) -> None:
        self.account = to
        self._link: smtplib.SMTP | None = None

    def __enter__(self) -> Smtp:
        return self

    def __exit__(self, *_: object) -> None:
        if self._link is not None:
            try:
                self._link.quit()
            except (OSError, smtplib.SMTPException):
                self._link.close()
            self._link = None

    def send(self, sender: str, to: str, raw: bytes) -> None:
        """Hand one message over. Raises as `Transport.send`, and `AccountError`."""
        link = self._linked()
        try:
            link.sendmail(sender, [to], raw)
        except smtplib.SMTPSenderRefused as error:
            why = self._refusal(error.smtp_code, error.smtp_error)
            if _too_large(str(why)):
                raise PermanentFailure(str(why)) from None
            if isinstance(why, Cut):
                raise why from None
            self._drop()
            raise ServerUnavailable(f"{self.account} accepts no mail from {sender}: {why}", sender) from None
        except smtplib.SMTPRecipientsRefused as refused:
            code, said = next(iter(refused.recipients.values()), (550, b"refused"))
            raise self._refusal(code, said, of_recipient=True) from None
        except smtplib.SMTPResponseException as error:
            self._drop()  # the transaction may be half open
            raise self._refusal(error.smtp_code, error.smtp_error) from None
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            cut = Cut(f"{self.account}: {error}")
            cut.again = not isinstance(error.__context__ or error, TimeoutError)
            raise cut from None

    def log_in(self) -> None:
        """Connect and log in, as for the first message. Raises as `send`."""
        self._linked()

    @property
    def encrypted(self) -> bool:
        """Whether the open connection uses TLS."""
        return self._link is not None and isinstance(self._link.sock, ssl.SSLSocket)

    def _refusal(
        self, code: int, said: bytes | str, *, of_recipient: bool = False
    ) -> TemporaryFailure | PermanentFailure:
        """Return the meaning of a reply; disconnect if it ends the session."""
        why = _meaning(code, said, of_recipient=of_recipient)
        if isinstance(why, Cut):
            self._drop()
        return why

    def _linked(self) -> smtplib.SMTP:
        if self._link is None:
            try:
                with shaking_hands(self.account):
                    try:
                        self._connect()
                    except TokenRefused:  # it may have expired just now
                        self._drop()
                        self._connect()
            except AccountError:
                self._drop()
                raise
            except smtplib.SMTPNotSupportedError as error:
                self._drop()
                raise AccountError(f"{self.account}: {error}") from None
            except smtplib.SMTPAuthenticationError as error:
                self._drop()
                reply = _words(error.smtp_code, error.smtp_error)
                raise ServerUnavailable(f"{self.account} does not accept user or password: {reply}") from None
            except (OSError, smtplib.SMTPException) as error:
                self._drop()
                raise ServerUnavailable(f"{self.account}: {error}") from None
        assert self._link is not None
        return self._link

    def _connect(self) -> None:
        one = self.account
        secret, token = password_or_token(one, "PBEM_SMTP_PASSWORD") if one.user else ("", None)
        if one.scheme == "smtps":
            self._link = smtplib.SMTP_SSL(one.host, one.port, _own_name(), timeout=TIMEOUT, context=tls(one))
        else:
            self._link = smtplib.SMTP(one.host, one.port, _own_name(), timeout=TIMEOUT)
            self._link.ehlo()
            if self._link.has_extn("starttls"):
                self._link.starttls(context=tls(one))
                self._link.ehlo()
            elif not one.loopback or one.scheme == "submission":
                raise AccountError(f"{one} offers no TLS, and emails with secrets aren't sent unencrypted")
        if token is not None:
            _give_token(self._link, token)
        elif one.user:
            self._link.login(one.user, secret)
        assert self._link.sock is not None
        self._link.sock.settimeout(PATIENCE)

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None


def _give_token(link: smtplib.SMTP, token: TokenLogin) -> None:
    try:
        link.ehlo_or_helo_if_needed()
        link.auth("XOAUTH2", token.answer)
    except smtplib.SMTPAuthenticationError as error:
        raise token.refused(_words(error.smtp_code, error.smtp_error)) from None
    except (smtplib.SMTPException, ValueError) as error:
        if isinstance(error, smtplib.SMTPServerDisconnected) and not token.said:
            raise
        raise token.refused(str(error)) from None


def _own_name() -> str:
    """Return our name for HELO. `socket.getfqdn` would ask name servers and may wait for minutes."""
    name = socket.gethostname()
    return name if "." in name else "[127.0.0.1]"


def _words(code: int, said: bytes | str) -> str:
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(words.split())[:300]}"


_SESSION = re.compile(
    r"4\d\d (4\.5\.3\b|.*\btoo many (messages|mails?|recipients)\b.*\b(session|connection)\b)", re.IGNORECASE
)
_NOBODY = re.compile(r"5\d\d 5\.(1\.([1-46]|10)|2\.1)\b")
_NOBODY_IN_WORDS = re.compile(
    r"55[013] (?!\d\.\d\.(?!0\b))(?=.*\b(user|recipient|mailbox|address|account)\b)"
    r".*\b(no such|unknown|does ?n[o']t exist|not found|no mailbox|unroute?able|invalid|disabled|not a valid)\b",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"\b(relay(?! recipient table)\w*|authenti\w*|unauthenticated|sender|sending|from your|client host"
    r"|your (account|message|ip|host|domain)|blocked|blacklist\w*|blocklist\w*|reputation|policy|spam\w*"
    r"|suspended|rate|too (many|quickly|fast)|permission\w*|access denied|not permitted|service unavailable"
    r"|spf|dkim|dmarc)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"<[^<>]*>|\S+@\S+|\S+://\S+")
_PASSES = re.compile(
    r"\b(quota|full|over ?quota|exceed\w*|limit\w*|try (it )?(again|later)|later|tempor\w*)\b", re.IGNORECASE
)


def _meaning(code: int, said: bytes | str, *, of_recipient: bool) -> TemporaryFailure | PermanentFailure:
    """Return the meaning of a refusal: final only if the address doesn't exist (RFC 3463, X.1 and X.2.1).

    Servers send other codes, and even these, for problems of our account or temporary ones.
    """
    text = _words(code, said)
    if code == 421 or _SESSION.match(text):
        return Cut(text)
    nobody = _NOBODY.match(text) or (of_recipient and _NOBODY_IN_WORDS.match(text))
    plain = _NAMES.sub(" ", text)
    ours = _OURS.search(plain)
    if nobody and not ours and not _PASSES.search(plain):
        return PermanentFailure(text)
    later = TemporaryFailure(text)
    later.ours = ours is not None
    return later


def _too_large(refusal: str) -> bool:
    """Return whether a refusal is about the size of this one message (RFC 1870; RFC 3463, 5.2.3 and 5.3.4)."""
    return re.match(r"552\b|5\d\d 5\.(2\.3|3\.4)\b", refusal) is not None


class Sendmail:
    """The machine's own mail system: `sendmail -i -f SENDER -- TO`."""

    def __init__(self, program: str) -> None:
        self.program = program

    def __enter__(self) -> Sendmail:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def send(self, sender: str, to: str, raw: bytes) -> None:
        """Hand one message over. Raises `TemporaryFailure`, `PermanentFailure`."""
        command = [self.program, "-i", "-f", sender, "--", to]
        try:
            done = subprocess.run(  # an argument list, no shell; the address was checked when the email was written
                command, input=raw.replace(b"\r\n", b"\n"), capture_output=True, timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TemporaryFailure(f"{self.program}: {error}") from None
        if done.returncode:
            why = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
            said = f"{self.program}: status {done.returncode} {why}"
            # sysexits.h: 67 means that there is no such user; 68 (no such host) may be about our own mail server.
            if done.returncode == 67 and not _OURS.search(why):
                raise PermanentFailure(said, sure=True)
            raise TemporaryFailure(said)
