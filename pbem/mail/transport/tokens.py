"""Logging in with an access token instead of a password: XOAUTH2, as Gmail and Outlook ask for.

The token comes from a command (`PBEM_MAIL_TOKEN_COMMAND`, or `token_command` in `pbem.toml`), which runs for each
login, or from a provider (`token_from`: `oauth`). It is never shown, and neither is what the command prints.
"""

from __future__ import annotations

import binascii
import os
import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from subprocess import DEVNULL, PIPE

import msgspec

from pbem.lazy_regex import clean
from pbem.mail.transport.accounts import PATIENCE, Account, TokenError
from pbem.save.folder_settings import folder_settings

_TOKEN = re.compile(r"[\x21-\x7e]{1,65536}")
_JSON = re.compile(r"\beyJ[A-Za-z0-9+/]{8,4000}={0,2}")
_WORDS = {
    "400": "the request was not understood: is the user name right?",
    "401": "the token isn't valid, or has expired",
    "403": "the token doesn't allow mail",
    "invalid_token": "the token isn't valid, or has expired",
    "invalid_request": "the request was not understood: is the user name right?",
    "insufficient_scope": "the token doesn't allow mail",
}


class TokenRefused(TokenError):
    """The server refuses the token."""


class TokenLogin:
    """The client's side of XOAUTH2, as `imaplib` and `smtplib` call it; keeps what the server says to a bad token."""

    def __init__(self, user: str, token: str) -> None:
        self._first = f"user={user}\x01auth=Bearer {token}\x01\x01"
        self.said = ""

    def answer(self, challenge: bytes | None = None) -> str:
        """Return the token; to a challenge, which says why the token is rejected, return nothing."""
        if not challenge:
            return self._first
        self.said = self.said or _error_of(challenge)
        return ""

    def refused(self, said: str) -> TokenRefused:
        """Return the error that says why the server refuses the token; `said` is its last line."""
        found = _JSON.search(said)
        why = self.said or (_error_of(_decoded(found[0])) if found else "")
        plain = clean(_JSON.sub("", said)).strip()
        told = f"{plain} ({why})" if why and plain else why or plain
        return TokenRefused(f"it does not accept the token: {told}")


def _decoded(text: str) -> bytes:
    with suppress(binascii.Error, ValueError):
        return binascii.a2b_base64(text + "=" * (-len(text) % 4))
    return b""


def _error_of(challenge: bytes) -> str:
    with suppress(msgspec.DecodeError):
        found = msgspec.json.decode(challenge, type=dict[str, str | int | None])
        told = [str(found[key]) for key in ("error", "status", "error_description") if found.get(key)]
        words = [f"{_WORDS[text]} [{text}]" if text in _WORDS else text for text in dict.fromkeys(told)]
        return clean("; ".join(words))[:300]
    return clean(challenge.decode("utf-8", "replace"))[:300]


_COMMAND = "PBEM_MAIL_TOKEN_COMMAND"


def token_source(variable: str) -> Callable[[], str] | None:
    """Return the function that gets a fresh token; None for a login with the password of `variable`."""
    name, command = _COMMAND, os.environ.get(_COMMAND, "")
    folder = folder_settings.get()
    if not command and folder is not None and not os.environ.get(variable):
        command = folder.mail.token_command
        name = "token_command of pbem.toml"
        if folder.mail.token_from and not command:
            from pbem.mail.transport import oauth

            return lambda: oauth.access_token(folder)
    return (lambda: token_of(command, name)) if command else None


def token_of(command: str, name: str = _COMMAND) -> str:
    """Run a command and return the first line that it prints. Raises `TokenError`; `name` says where it is set."""
    try:
        run = subprocess.Popen(command, shell=True, start_new_session=True, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    except (OSError, ValueError) as error:
        raise TokenError(f"{name} can't run: {error}") from None
    try:
        out, err = run.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise TokenError(f"{name} gave no token within {PATIENCE:g} seconds") from None
    finally:
        _end(run)
    if run.returncode:
        said = clean(err.decode("utf-8", "replace").strip().rpartition("\n")[2])[:200]
        raise TokenError(f"{name} ended with status {run.returncode}{': ' if said else ''}{said}")
    token = out.decode("utf-8", "replace").partition("\n")[0].strip()
    if not _TOKEN.fullmatch(token):
        raise TokenError(f"{name} printed no token: its first line {'is empty' if not token else 'has blanks'}")
    return token


def _end(run: subprocess.Popen[bytes]) -> None:
    """End a command with all that it started: a child would keep our pipe open."""
    with suppress(ProcessLookupError, PermissionError):
        if run.poll() is None and hasattr(os, "killpg"):
            os.killpg(run.pid, signal.SIGKILL)
        elif run.poll() is None:
            run.kill()
    for stream in (run.stdout, run.stderr):
        if stream is not None:
            stream.close()
    run.wait()


def password_or_token(one: Account, variable: str) -> tuple[str, TokenLogin | None]:
    """Return the password of an account, or the login with a token. Raises `AccountError`, `TokenError`."""
    from pbem.mail.transport.accounts import password

    source = token_source(variable)
    return (password(one, variable), None) if source is None else ("", TokenLogin(one.user, source()))
