"""Letters from the outbox to a mail server: SMTP, or the machine's own `sendmail`. One message at a time.

A carrier either hands a message over, or says whether it is worth trying again.
"""

from __future__ import annotations

import re
import smtplib
import socket
import subprocess
from types import TracebackType
from typing import Protocol

from pbem.post.transport.accounts import Account, AccountError, account, password, shaking_hands, tls

TIMEOUT = 60.0
"""Seconds that a server may take to answer."""

SCHEMES = ("smtps", "submission", "smtp")


class Later(OSError):
    """The message was not taken now; try again."""


class Down(Later):
    """No message is taken now: the server is not there, does not let us in, or does not take mail from our address."""


class Never(ValueError):
    """The message was refused for good: the sentence of the server is the bounce note."""


class Carrier(Protocol):
    """A way to send mail. Used as a context: the connection is made when the first message goes."""

    def __enter__(self) -> Carrier: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def send(self, sender: str, to: str, raw: bytes) -> None:
        """Hand one message over. Raises `Later` (also `Down`), `Never`."""


def carrier(where: str) -> Carrier:
    """The carrier for `smtps://user@host`, `submission://…` (STARTTLS), `smtp://…` or `sendmail`.

    Raises `AccountError`.
    """
    if where == "sendmail" or where.startswith("/"):
        return Sendmail("/usr/sbin/sendmail" if where == "sendmail" else where)
    return Smtp(account(where, SCHEMES))


class Smtp:
    """SMTP with TLS from the start (`smtps`) or by STARTTLS; in the clear only on this machine."""

    def __init__(self, to: Account) -> None:
        self.account = to
        self._link: smtplib.SMTP | None = None

    def __enter__(self) -> Smtp:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._link is not None:
            try:
                self._link.quit()
            except (OSError, smtplib.SMTPException):
                self._link.close()
            self._link = None

    def send(self, sender: str, to: str, raw: bytes) -> None:
        """Hand one message over. Raises `Down`, `Later`, `Never`, `AccountError`."""
        link = self._linked()
        try:
            link.sendmail(sender, [to], raw)
        except smtplib.SMTPSenderRefused as error:
            self._drop()
            why = _refusal(error.smtp_code, error.smtp_error)
            if _too_large(why):
                raise why from None
            raise Down(f"{self.account} takes no mail from {sender}: {why}") from None
        except smtplib.SMTPRecipientsRefused as refused:
            code, said = next(iter(refused.recipients.values()), (550, b"refused"))
            raise _refusal(code, said) from None
        except smtplib.SMTPResponseException as error:
            self._drop()
            raise _refusal(error.smtp_code, error.smtp_error) from None
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            raise Later(f"{self.account}: {error}") from None

    def _linked(self) -> smtplib.SMTP:
        """The connection, made when it is needed. Raises `Down`, `AccountError`."""
        if self._link is None:
            try:
                with shaking_hands(self.account):
                    self._connect()
            except AccountError:
                self._drop()
                raise
            except smtplib.SMTPNotSupportedError as error:
                self._drop()
                raise AccountError(f"{self.account}: {error}") from None
            except smtplib.SMTPAuthenticationError as error:
                self._drop()
                said = _refusal(error.smtp_code, error.smtp_error)
                raise Down(f"{self.account} does not accept user or password: {said}") from None
            except (OSError, smtplib.SMTPException) as error:
                self._drop()
                raise Down(f"{self.account}: {error}") from None
        assert self._link is not None
        return self._link

    def _connect(self) -> None:
        one = self.account
        secret = password(one, "PBEM_SMTP_PASSWORD") if one.user else ""
        if one.scheme == "smtps":
            self._link = smtplib.SMTP_SSL(one.host, one.port, _own_name(), timeout=TIMEOUT, context=tls(one))
        else:
            self._link = smtplib.SMTP(one.host, one.port, _own_name(), timeout=TIMEOUT)
            self._link.ehlo()
            if self._link.has_extn("starttls"):
                self._link.starttls(context=tls(one))
                self._link.ehlo()
            elif not one.loopback or one.scheme == "submission":
                raise AccountError(f"{one} offers no TLS: letters hold secrets and are not sent in the clear")
        if one.user:
            self._link.login(one.user, secret)

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None


def _own_name() -> str:
    """How we say hello. Not `socket.getfqdn`, which asks name servers and may wait for them for minutes."""
    name = socket.gethostname()
    return name if "." in name else "[127.0.0.1]"


def _refusal(code: int, said: bytes | str) -> Later | Never:
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    text = f"{code} {' '.join(words.split())[:300]}"
    return Never(text) if 500 <= code < 600 else Later(text)


def _too_large(refusal: Later | Never) -> bool:
    """Whether a refusal of the sender is about the size of this one message (RFC 1870; RFC 3463, 5.2.3 and 5.3.4)."""
    return isinstance(refusal, Never) and re.match(r"552\b|5\d\d 5\.(2\.3|3\.4)\b", str(refusal)) is not None


class Sendmail:
    """The machine's own mail system: `sendmail -i -f SENDER -- TO`."""

    def __init__(self, program: str) -> None:
        self.program = program

    def __enter__(self) -> Sendmail:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def send(self, sender: str, to: str, raw: bytes) -> None:
        """Hand one message over. Raises `Later`, `Never`."""
        command = [self.program, "-i", "-f", sender, "--", to]
        try:
            done = subprocess.run(  # an argument list, no shell; the address was checked when the letter was written
                command, input=raw.replace(b"\r\n", b"\n"), capture_output=True, timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Later(f"{self.program}: {error}") from None
        if done.returncode:
            why = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
            # sysexits.h: 75 is EX_TEMPFAIL; 67 and 68 say that there is no such user or host.
            raise (Never if done.returncode in (67, 68) else Later)(
                f"{self.program}: status {done.returncode} {why}"
            )
