"""Mail accounts: a URL to fetch from or send through, and a password that is never on a command line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import msgspec

from pbem.save.folder_settings import folder_settings

if TYPE_CHECKING:
    import ssl  # at run time only where TLS is spoken

CREDENTIAL = "pbem-password"
"""The name under which systemd hands over the password file (LoadCredential)."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts to which mail may be sent without TLS."""

_PORTS = {"imap": 143, "imaps": 993, "smtp": 25, "submission": 587, "smtps": 465}


PATIENCE = 30.0
"""Seconds that a command or a provider may take to give a token."""


class TokenError(OSError):
    """There is no token to log in with now, and why."""


class AccountError(ValueError):
    """An account that can't be used as it is written."""


class UntrustedCertificate(AccountError):
    """A server whose certificate nobody has signed whom this machine trusts."""


class Account(msgspec.Struct, frozen=True):
    """A mail account: `scheme` is the protocol (`imaps`, `smtp` …), `path` is the mailbox (IMAP)."""

    scheme: str
    host: str
    port: int
    user: str = ""
    path: str = ""

    @property
    def loopback(self) -> bool:
        return self.host in LOOPBACK

    @property
    def mailbox(self) -> str:
        """The mailbox, whatever the protocol and port."""
        return f"{self.user}@{self.host}/{self.path or 'INBOX'}"

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return f"{self.scheme}://{user}{self.host}:{self.port}{'/' + self.path if self.path else ''}"


def account(url: str, schemes: tuple[str, ...]) -> Account:
    """Parse `imaps://user@host:port/MAILBOX`. Raises `AccountError`, also if it has a password."""
    parts = urlsplit(url)
    if parts.scheme not in schemes or not parts.hostname:
        raise AccountError(f"'{url}' isn't an account. Write {schemes[0]}://user@host")
    if parts.password:
        raise AccountError(
            "a password in a URL shows in process lists and shell histories: put it into the environment or the keyring"
        )
    try:
        port = parts.port or _PORTS[parts.scheme]
    except ValueError:
        raise AccountError(f"'{url}' has a port that isn't a number") from None
    return Account(parts.scheme, parts.hostname, port, unquote(parts.username or ""), unquote(parts.path.strip("/")))


def password(one: Account, variable: str) -> str:
    """Return the account's password, from the environment, a file or the keyring. Raises `AccountError`."""
    secret, why = os.environ.get(variable, ""), ""
    if not secret:
        secret = _from_file()
    if not secret:
        secret, why = from_keyring(f"{one.user}@{one.host}")
    if not secret:
        because = f" ({why})" if why else ""
        raise AccountError(f"the password for {one} is missing: run `pbem setup mail`, or set {variable}{because}")
    if not secret.isascii():
        raise AccountError(f"the password for {one} has a character other than ASCII, which mail logins don't allow")
    return secret


def _from_file() -> str:
    folder = folder_settings.get()
    path = folder.file(folder.mail.password_file) if folder is not None else None
    if path is None:
        return ""
    given = Path(os.environ.get("CREDENTIALS_DIRECTORY", ""), CREDENTIAL)  # by systemd
    return secret_in(given if given.is_file() and given.is_absolute() else path)


def secret_in(path: Path) -> str:
    """Return what a file keeps for the account. Raises `AccountError`."""
    try:
        return path.read_text("utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise AccountError(f"the file {path}: {why}: pbem setup mail writes it again") from None


def from_keyring(name: str) -> tuple[str, str]:
    """Return the password stored under `pbem` and `name`, and why there is none."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return "", "the extra `keyring` isn't installed: pbem docs install"
    try:
        return keyring.get_password("pbem", name) or "", ""
    except (KeyringError, RuntimeError) as error:  # locked, or no keyring without a desktop: usual for cron
        first = (str(error).splitlines() or [""])[0]
        return "", f"the keyring reports: {first or type(error).__name__}"


def to_keyring(name: str, secret: str) -> None:
    """Store a password under `pbem` and `name`. Raises `AccountError`."""
    try:
        import keyring

        keyring.set_password("pbem", name, secret)
    except ImportError:
        raise AccountError("the extra `keyring` isn't installed: pbem docs install") from None
    except Exception as error:  # each backend has its own errors
        first = (str(error).splitlines() or [""])[0]
        raise AccountError(f"the keyring reports: {first or type(error).__name__}") from None


def tls(one: Account) -> ssl.SSLContext:
    """Return a TLS context that checks the server's certificate; PBEM_CAFILE or `cafile` names a further authority.

    On this machine mail may be sent without TLS, so an unchecked certificate is no worse. There it is only checked if
    such a file is set, or if the URL asks for TLS. Raises `AccountError` for an invalid file.
    """
    import ssl

    context = ssl.create_default_context()
    folder = folder_settings.get()
    own = os.environ.get("PBEM_CAFILE", "")
    named = folder.file(folder.mail.cafile) if folder is not None and not own else None
    own = own or str(named or "")
    if own:
        try:
            context.load_verify_locations(own)
            # The certificate of the server itself will do; it doesn't have to be one of an authority.
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        except (OSError, ssl.SSLError) as error:
            why = error.strerror if isinstance(error, FileNotFoundError | PermissionError) else "no PEM file"
            raise AccountError(f"{'cafile' if named else 'PBEM_CAFILE'}={own}: {why}") from None
    elif one.loopback and one.scheme in ("smtp", "imap"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


_MISMATCH, _OUT_OF_DATE = (62, 64), (9, 10)  # X509_V_ERR_… of OpenSSL: host and address; not yet, expired


@contextmanager
def shaking_hands(one: Account) -> Iterator[None]:
    """Turn permanent failures of TLS into an `AccountError` that says what to do."""
    import ssl

    try:
        yield
    except ssl.SSLCertVerificationError as error:
        other = error.verify_code in _MISMATCH + _OUT_OF_DATE
        kind = AccountError if other else UntrustedCertificate
        raise kind(f"{one}: {_untrusted(one, error)}") from None
    except ssl.SSLError as error:
        if error.reason not in ("WRONG_VERSION_NUMBER", "UNSUPPORTED_PROTOCOL", "NO_PROTOCOLS_AVAILABLE"):
            raise
        plain = "imap://" if one.scheme == "imaps" else "submission://"
        raise AccountError(
            f"{one}: port {one.port} does not speak TLS from the start, or only an old version of it: "
            f"try {plain} (STARTTLS), or the port that your provider names"
        ) from None


def _untrusted(one: Account, error: ssl.SSLCertVerificationError) -> str:
    why = error.verify_message
    if error.verify_code in _MISMATCH:
        return (
            f"its certificate is for another host ({why}): write the host's full name as your provider gives it. "
            "Nothing was sent"
        )
    if error.verify_code in _OUT_OF_DATE:
        return (
            f"its certificate is out of date ({why}): ask its operator to renew it, or set this machine's clock "
            "right. Nothing was sent"
        )
    return (
        f"its certificate is not trusted ({why}). If the server is your own, `pbem setup mail` shows the certificate "
        f"and keeps it; or set PBEM_CAFILE to a PEM file of it, or of the authority that signed it. If {one.host} is "
        "somebody else's, do not go on: somebody may be listening. Nothing was sent"
    )
