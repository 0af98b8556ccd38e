"""Access tokens of Microsoft, Google and other providers, with the libraries of the extra `oauth`.

`pbem setup mail` signs in. What it keeps, a refresh token as JSON, is in `password_file` or in the keyring; each login
gets a new access token for it. Google's codes for devices don't open mailboxes, so there the browser comes back to us.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from pbem import atomic_files
from pbem.lazy_regex import clean
from pbem.mail.transport.accounts import PATIENCE, AccountError, TokenError, from_keyring, secret_in, to_keyring

if TYPE_CHECKING:
    from pbem.save.folder_settings import FolderMail, FolderSettings

SIGN_IN = 900
"""Seconds that a browser may take."""

_MICROSOFT = "https://login.microsoftonline.com/"
_OUTLOOK = ("https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send")
_GMAIL = "https://mail.google.com/"
_WORDS = {
    "access_denied": "the sign-in was declined",
    "authorization_declined": "the sign-in was declined",
    "authorization_pending": "nobody entered the code in time",
    "code_expired": "nobody entered the code in time",
    "expired_token": "nobody entered the code in time",
    "invalid_grant": "the sign-in isn't valid any more",
    "invalid_client": "it doesn't know this client ID",
    "unauthorized_client": "it doesn't allow this client ID to do that",
}


def sign_in(provider: str, client: str, say: Callable[[str], None]) -> str:
    """Tell somebody where to sign in, wait for it, and return what is to be kept.

    `client` is the client ID; for Google the file with it. Raises `TokenError`, `AccountError`.
    """
    with _failing(provider):
        if provider == "google":
            return _sign_in_to_google(client, say)
        app = _application(provider, client)
        flow = app.initiate_device_flow(_scopes(provider))
        code = _got(flow, "user_code", provider)
        say(f"Open {_got(flow, 'verification_uri', provider)} and enter {code}")
        return _text(refresh_token=_got(app.acquire_token_by_device_flow(flow), "refresh_token", provider))


def access_token(settings: FolderSettings) -> str:
    """Return a new access token; a new refresh token replaces the old one. Raises `TokenError`, `AccountError`."""
    mail = settings.mail
    text, provider = _stored_secret(settings), mail.token_from
    with _failing(provider):
        kept = msgspec.json.decode(text, type=dict[str, Any])
        if provider == "google":
            return _renewed_by_google(kept)
        app = _application(provider, mail.client_id)
        found = app.acquire_token_by_refresh_token(kept["refresh_token"], _scopes(provider))
        token = _got(found, "access_token", provider)
    fresh = found.get("refresh_token", kept["refresh_token"])
    if fresh != kept["refresh_token"]:
        with suppress(AccountError, OSError):  # on a full disk the old one is worth a try
            _keep(settings, _text(refresh_token=fresh))
    return token


def place(mail: FolderMail) -> str:
    """Return the name in the keyring under which a folder's refresh token is."""
    return f"token of {mail.address}"


def _stored_secret(settings: FolderSettings) -> str:
    path = settings.file(settings.mail.password_file)
    text, why = (secret_in(path), "") if path is not None else from_keyring(place(settings.mail))
    if not text:
        raise AccountError(f"the refresh token is missing: run `pbem setup mail`{f' ({why})' if why else ''}")
    return text


def _keep(settings: FolderSettings, text: str) -> None:
    path = settings.file(settings.mail.password_file)
    if path is None:
        to_keyring(place(settings.mail), text)
    else:
        atomic_files.replace(path, f"{text}\n".encode(), 0o600)


def _text(**kept: str) -> str:
    return msgspec.json.encode(kept).decode()


def _application(provider: str, client: str) -> Any:
    import msal

    url = f"{_MICROSOFT}common" if provider == "microsoft" else provider
    which = "authority" if url.startswith(_MICROSOFT) else "oidc_authority"
    return msal.PublicClientApplication(client, timeout=PATIENCE, **{which: url})


def _scopes(provider: str) -> list[str]:
    return list(_OUTLOOK) if provider == "microsoft" or provider.startswith(_MICROSOFT) else []


def _got(answer: dict[str, Any], key: str, provider: str) -> str:
    """Return a field of an answer. Raises `TokenError` with what the provider says instead."""
    if answer.get(key):
        return clean(str(answer[key]))
    error = str(answer.get("error", ""))
    description = str(answer.get("error_description") or "").partition("\r\n")[0].partition(" Trace ID:")[0]
    raise TokenError(_refusal(provider, error or f"no {key}", description))


def _refusal(provider: str, error: str, said: str = "") -> str:
    reason = clean(": ".join(filter(None, (_WORDS.get(error, ""), error, said))))[:300]
    return f"{provider} gives no token: {reason}. To sign in again, run `pbem setup mail`"


def _sign_in_to_google(client: str, say: Callable[[str], None]) -> str:
    from google_auth_oauthlib.flow import InstalledAppFlow

    flow = InstalledAppFlow.from_client_secrets_file(client, scopes=[_GMAIL])
    address = flow.authorization_url

    def print_address(**more: Any) -> tuple[str, str]:
        url, state = address(**more)
        port = urlsplit(flow.redirect_uri).port
        say(f"If your browser is on another machine, run there: ssh -L {port}:localhost:{port} HOST\n  Open {url}")
        return url, state

    flow.authorization_url = print_address
    more = {"authorization_prompt_message": "", "open_browser": False, "timeout_seconds": SIGN_IN}
    credentials = flow.run_local_server(port=0, prompt="consent", **more)
    if not credentials.refresh_token:
        raise TokenError("google gives no refresh token")
    return _text(
        **{name: getattr(credentials, name) for name in ("refresh_token", "token_uri", "client_id", "client_secret")}
    )


def _renewed_by_google(kept: dict[str, Any]) -> str:
    from functools import partial

    from google.auth.transport.requests import Request
    from google.oauth2.credentials import Credentials

    credentials = Credentials(None, **kept)
    credentials.refresh(partial(Request(), timeout=PATIENCE))
    return str(credentials.token)


@contextmanager
def _failing(provider: str) -> Iterator[None]:
    """Turn errors of the libraries into a `TokenError`: they raise many types, and few are documented."""
    for name in ("msal", "google"):
        logging.getLogger(name).addHandler(logging.NullHandler())  # they would print answers, with tokens in them
    try:
        yield
    except ImportError:
        raise AccountError("the extra `oauth` isn't installed: pbem docs install") from None
    except TokenError:
        raise
    except Exception as error:
        raise TokenError(_reason(provider, error)) from None


def _reason(provider: str, error: Exception) -> str:
    kind = type(error).__name__
    if isinstance(error, OSError) and error.strerror:  # of this machine, such as a file
        return f"{provider} gives no token: {': '.join(filter(None, (error.filename, error.strerror)))}"
    if isinstance(error, OSError) or kind == "TransportError" or getattr(error, "retryable", False):
        return f"{provider} gives no token: it can't be reached ({kind})"
    said = str(error.args[0] if error.args else "") or kind
    known = next((word for word in _WORDS if word in said), "")
    if not known:
        return f"{provider} gives no token: {clean(said)[:300]}"
    return _refusal(provider, known, said.removeprefix(f"({known})").removeprefix(f"{known}:").strip())
