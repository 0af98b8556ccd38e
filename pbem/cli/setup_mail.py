"""`pbem setup mail`: ask for address, servers and password until both logins work."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

import click
import msgspec

from pbem.cli.answers import Answers, current, done, failed, store, trying
from pbem.cli.console import CommandFailed, note
from pbem.cli.exit_codes import Exit

if TYPE_CHECKING:
    from pbem.save.folder_settings import FolderMail, FolderSettings

LOGINS = ("password", "app password", "token")
PASSWORD, CERTIFICATE = ".password", "ca.pem"
_KEYS = ("address", "login", "password_file", "token_command", "cafile")


def mail_step(folder: Path, given: Mapping[str, Any]) -> None:
    """Ask for address, servers and password until both logins work. Raises `CommandFailed`."""
    while True:
        answers = Answers(given)
        if _connected(folder, answers):
            return
        if not answers.asks:
            raise CommandFailed("nothing was changed", Exit.FAILED_CHECK)
        given = {}  # what is on the command line was wrong


class _Login(NamedTuple):
    """How to log in: what goes into the file, and a new password, which may go into the keyring."""

    mail: FolderMail
    secret: str = ""
    keyring: bool = False


def _connected(folder: Path, answers: Answers) -> bool:
    """Ask, log in both ways, and keep the answers if it works."""
    from pbem.save.settings import address

    now = current(folder)
    sender = answers.ask("address", "Address that the games write from", now.mail.address or None, read=address)
    servers = _servers(answers, now, sender)
    user, login = "", _Login(now.mail)
    if not all(map(_is_local, servers)):
        before = _user_of(now.mail.imap) or _user_of(now.mail.smtp) or sender
        user = answers.ask("user", "User name", before or None if answers.asks else before)
        login = _login(folder, answers, now.mail)
    answers.complete()
    with _tried(folder, now, login) as trial:
        urls = [_checked(folder, answers, trial, server, user, sends) for sends, server in enumerate(servers)]
        if not all(urls):
            return False
        _keep(folder, msgspec.structs.replace(login.mail, address=sender, cafile=trial.mail.cafile), login, urls)
    return True


def _servers(answers: Answers, now: FolderSettings, sender: str) -> tuple[str, str]:
    """Ask for both servers; the usual names in the address's domain are tried first."""
    from pbem.mail.transport.login_check import guess_servers

    mail = now.mail
    before = (mail.maildir or _host_of(mail.imap), _host_of(mail.smtp))
    if answers.asks and not all(before):
        guessed = guess_servers(sender.rpartition("@")[2])
        before = (before[0] or guessed[0], before[1] or guessed[1])
    incoming = answers.ask("imap_server", "IMAP server, or the path of a Maildir", before[0] or None)
    outgoing = answers.ask("smtp_server", "SMTP server, or sendmail", before[1] or None)
    return incoming, outgoing


def _host_of(url: str) -> str:
    """Return a server as `setup` asks for it: with the port if it isn't the usual one."""
    from pbem.mail.transport.login_check import urls_of

    if "://" not in url:
        return url
    host = url.partition("://")[2].rpartition("@")[2].partition("/")[0]
    user = _user_of(url)
    return host if url.removesuffix("/INBOX") in urls_of(host, user, sends=not url.startswith("imap")) else url


def _user_of(url: str) -> str:
    return unquote(urlsplit(url).username or "") if "://" in url else ""


def _is_local(server: str) -> bool:
    """Check if no login is needed: a Maildir, a program of this machine, or an account without a user."""
    return server == "sendmail" or server.startswith(("/", "~", ".")) or ("://" in server and "@" not in server)


def _login(folder: Path, answers: Answers, mail: FolderMail) -> _Login:
    """Ask how to log in."""
    choices = [(word, f"{word} (OAuth2)" if word == "token" else word) for word in LOGINS]
    login = answers.choose("login", "Log in with", choices, mail.login or LOGINS[0])
    if login == "token":
        line = answers.ask("token_command", "Command that prints an access token", mail.token_command or None)
        return _Login(msgspec.structs.replace(mail, login=login, token_command=line, password_file=""))
    had = mail.login in LOGINS[:2]
    mail = msgspec.structs.replace(mail, login=login, token_command="")
    file = str(answers.given.get("password_file") or "")
    if file not in ("", "-"):
        return _Login(msgspec.structs.replace(mail, password_file=_private(folder, Path(file))))
    if file:
        secret = sys.stdin.readline().rstrip("\r\n")
    else:
        question = "Password (Enter: as it is)" if had else "Password"
        secret = answers.ask("password_file", question, "" if had else None, hidden=True)
    if not secret:
        return _Login(mail)
    places = [("file", "a file that only you can read"), ("keyring", "the keyring")]
    keyring = answers.choose("store", "Keep it in", places, "file") == "keyring"
    return _Login(msgspec.structs.replace(mail, password_file="" if keyring else PASSWORD), secret, keyring)


def _private(folder: Path, file: Path) -> str:
    """Return how `pbem.toml` names a password file. Raises `CommandFailed` if others can read it."""
    path = file.expanduser().absolute()
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise CommandFailed(f"{file}: {error.strerror}") from None
    if mode & 0o077 and os.name == "posix":
        raise CommandFailed(f"{file} can be read by others", Exit.USAGE, hint=f"chmod 600 {file}")
    home = folder.absolute()
    return str(path.relative_to(home) if path.is_relative_to(home) else path)


@contextmanager
def _tried(folder: Path, now: FolderSettings, login: _Login) -> Iterator[FolderSettings]:
    """Use an account for a while; a new password is in a file of its own until it has worked."""
    from pbem import atomic_files

    path = folder / f"{PASSWORD}.new"
    trial = msgspec.structs.replace(now, mail=msgspec.structs.replace(login.mail))
    if login.secret:
        atomic_files.replace(path, f"{login.secret}\n".encode(), 0o600)
        trial.mail.password_file = path.name
    try:
        with trying(trial):
            yield trial
    finally:
        path.unlink(missing_ok=True)


def _checked(folder: Path, answers: Answers, trial: FolderSettings, server: str, user: str, sends: int) -> str:
    """Log in to a server and return its URL, "" if it fails; an own server's certificate is kept after a yes."""
    from pbem.mail.transport.login_check import check_login, urls_of

    urls = [server] if _is_local(server) else urls_of(server, user, sends=bool(sends))
    found = check_login(urls, folder, sends=bool(sends))
    if found.untrusted and _trusts(folder, answers, trial, found.untrusted):
        found = check_login([found.untrusted], folder, sends=bool(sends))
    if found.ok:
        done(found.words)
        return found.url
    failed(found.words, _remedy(found.words))
    return ""


def _remedy(words: str) -> str:
    if re.search(r"\b(535|534|authentication|login failed|credentials|password)\b", words, re.IGNORECASE):
        return "Gmail, Outlook and Yahoo want an app password or a token: pbem docs connect-a-mailbox"
    if "certificate" in words:
        return "pbem docs connect-a-mailbox"
    return "see what your mail host names as its servers and ports"


def _trusts(folder: Path, answers: Answers, trial: FolderSettings, url: str) -> bool:
    """Show the certificate of a server; after a yes it is kept in `ca.pem`."""
    from pbem import atomic_files
    from pbem.mail.transport.login_check import certificate_of

    found = certificate_of(url)
    note(f"  {url}: nobody whom this machine knows has signed its certificate")
    note(f"  {found.subject}, from {found.since} until {found.until}\n  SHA-256 {found.sha256}")
    plain = re.sub("[^0-9A-F]", "", str(answers.given.get("trust") or "").upper())
    if plain != found.sha256.replace(":", "") and not (
        answers.asks and click.confirm("Is this server your own?", default=False, err=True)
    ):
        return False
    path = folder / CERTIFICATE
    old = path.read_text("ascii") if path.exists() else ""
    if found.pem.strip() not in old:
        atomic_files.replace(path, (old + found.pem).encode("ascii"), 0o644)
    trial.mail.cafile = CERTIFICATE
    return True


def _keep(folder: Path, mail: FolderMail, login: _Login, urls: Sequence[str]) -> None:
    """Write `pbem.toml`, and the password into its file or the keyring."""
    from pbem import atomic_files
    from pbem.mail.transport.accounts import AccountError, to_keyring

    if login.keyring:
        try:
            for url in filter(_user_of, urls):
                to_keyring(f"{_user_of(url)}@{urlsplit(url).hostname}", login.secret)
        except AccountError as error:
            raise CommandFailed(str(error), Exit.FAILED_CHECK, hint="--store file") from None
    elif login.secret:
        atomic_files.replace(folder / PASSWORD, f"{login.secret}\n".encode(), 0o600)
    local = "://" not in urls[0]
    found = {
        "imap": "" if local else urls[0],
        "maildir": str(Path(urls[0]).expanduser().absolute()) if local else "",
        "smtp": urls[1],
    }
    store(folder, "mail", {**{key: getattr(mail, key) for key in _KEYS}, **found})
    secret = f" and {folder / PASSWORD} (mode 0600)" if login.secret and not login.keyring else ""
    done(f"{folder / 'pbem.toml'}{secret} written")
