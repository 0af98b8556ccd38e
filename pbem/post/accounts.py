"""Where mail is fetched from and sent through: a URL, and a password that stands in no command line."""

from __future__ import annotations

import os
import ssl
from urllib.parse import unquote, urlsplit

import msgspec

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts to which mail may go in the clear."""

_PORTS = {"imap": 143, "imaps": 993, "smtp": 25, "submission": 587, "smtps": 465}


class AccountError(ValueError):
    """An account that cannot be used as it is written."""


class Account(msgspec.Struct, frozen=True):
    """A mail account: `scheme` says how to speak (`imaps`, `smtp` …), `path` is the mailbox (IMAP)."""

    scheme: str
    host: str
    port: int
    user: str = ""
    path: str = ""

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine."""
        return self.host in LOOPBACK

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        return f"{self.scheme}://{user}{self.host}:{self.port}{'/' + self.path if self.path else ''}"


def account(url: str, schemes: tuple[str, ...]) -> Account:
    """Read `imaps://user@host:port/MAILBOX`. Raises `AccountError`; a password in it is refused."""
    parts = urlsplit(url)
    if parts.scheme not in schemes or not parts.hostname:
        raise AccountError(f"'{url}' is not an account: write {schemes[0]}://user@host")
    if parts.password:
        raise AccountError(
            "a password in a URL stands in process lists and shell histories: "
            "put it into the environment or the keyring"
        )
    try:
        port = parts.port or _PORTS[parts.scheme]
    except ValueError:
        raise AccountError(f"'{url}': the port is not a number") from None
    return Account(
        parts.scheme, parts.hostname, port, unquote(parts.username or ""), unquote(parts.path.strip("/"))
    )


def password(one: Account, variable: str) -> str:
    """The account's password: from the environment, else from the keyring if that is installed.

    Raises `AccountError` naming both.
    """
    found = os.environ.get(variable, "")
    if found:
        return found
    try:
        import keyring  # type: ignore[import-not-found,unused-ignore]

        found = keyring.get_password("pbem", f"{one.user}@{one.host}") or ""
    except ImportError:
        found = ""
    if not found:
        raise AccountError(
            f"no password for {one}: set {variable}, or `keyring set pbem {one.user}@{one.host}` (pip install keyring)"
        )
    return str(found)


def tls() -> ssl.SSLContext:
    """TLS that checks the server's certificate; PBEM_CAFILE names a further authority (a server of one's own)."""
    context = ssl.create_default_context()
    own = os.environ.get("PBEM_CAFILE", "")
    if own:
        context.load_verify_locations(own)
    return context
