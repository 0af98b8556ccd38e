"""`pbem setup`: connect a mailbox, test it, schedule runs, and choose what new games begin with.

Each step can be repeated alone and shows the present answers as defaults. Each answer is an option, too: without a
terminal nothing is asked, and what is missing is named. The answers are in `pbem.toml` in the folder of games.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import click
import msgspec

from pbem import atomic_files
from pbem.cli.answers import Answers, current, done, failed, folder_option, on_terminal, store, trying
from pbem.cli.commands import command, group
from pbem.cli.console import CommandFailed, Exit, data, failing, note
from pbem.cli.options import F, add_option
from pbem.cli.setup_schedule import schedule_step
from pbem.mail.inbox.sources import SourceError
from pbem.mail.transport import login_check
from pbem.mail.transport.accounts import AccountError, TokenError, to_keyring
from pbem.mail.transport.oauth import place, sign_in
from pbem.mail.transport.smtp import PermanentFailure, TemporaryFailure
from pbem.save.folder_settings import FolderMail, FolderSettings, token_provider
from pbem.save.settings import SETTINGS, address, zone

# -- 1 mail ------------------------------------------------------------------------------------------------------------

LOGINS = ("password", "app password", "token")
PASSWORD, TOKEN, CERTIFICATE = ".password", ".token", "ca.pem"
_TRIAL = f"{PASSWORD}.new"
_KEYS = ("address", "login", "password_file", "token_command", "token_from", "client_id", "cafile")


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
    now = current(folder)
    sender = answers.ask("address", "Address that the games write from", now.mail.address or None, read=address)
    servers = _servers(answers, now, sender)
    user, login = "", _Login(now.mail)
    if not all(map(_is_local, servers)):
        before = _user_of(now.mail.imap) or _user_of(now.mail.smtp) or sender
        user = answers.ask("user", "User name", before or None if answers.asks else before)
        try:
            login = _login(folder, answers, msgspec.structs.replace(now.mail, address=sender))
        except (AccountError, TokenError) as error:
            failed(str(error))
            return False
    answers.complete()
    with _tried(folder, now, login) as trial:
        urls = [_checked(folder, answers, trial, server, user, sends) for sends, server in enumerate(servers)]
        if not all(urls):
            return False
        _keep(folder, msgspec.structs.replace(login.mail, address=sender, cafile=trial.mail.cafile), login, urls)
    return True


def _servers(answers: Answers, now: FolderSettings, sender: str) -> tuple[str, str]:
    """Ask for both servers; the usual names in the address's domain are tried first."""
    mail = now.mail
    before = (mail.maildir or _host_of(mail.imap), _host_of(mail.smtp))
    if answers.asks and not all(before):
        guessed = login_check.guess_servers(sender.rpartition("@")[2])
        before = (before[0] or guessed[0], before[1] or guessed[1])
    incoming = answers.ask("imap_server", "IMAP server, or the path of a Maildir", before[0] or None)
    outgoing = answers.ask("smtp_server", "SMTP server, or sendmail", before[1] or None)
    return incoming, outgoing


def _host_of(url: str) -> str:
    """Return a server as `setup` asks for it: with the port if it isn't the usual one."""
    if "://" not in url:
        return url
    host = url.partition("://")[2].rpartition("@")[2].partition("/")[0]
    usual = login_check.urls_of(host, _user_of(url), sends=not url.startswith("imap"))
    return host if url.removesuffix("/INBOX") in usual else url


def _user_of(url: str) -> str:
    return unquote(urlsplit(url).username or "") if "://" in url else ""


def _is_local(server: str) -> bool:
    """Check if no login is needed: a Maildir, a program of this machine, or an account without a user."""
    return server == "sendmail" or server.startswith(("/", "~", ".")) or ("://" in server and "@" not in server)


def _login(folder: Path, answers: Answers, mail: FolderMail) -> _Login:
    choices = [(word, f"{word} (OAuth2)" if word == "token" else word) for word in LOGINS]
    login = answers.choose("login", "Log in with", choices, mail.login or LOGINS[0])
    if login == "token":
        return _token(answers, mail)
    had = mail.login in LOGINS[:2]
    mail = msgspec.structs.replace(mail, login=login, token_command="", token_from="")
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
    return _placed(answers, mail, secret, PASSWORD)


def _placed(answers: Answers, mail: FolderMail, secret: str, name: str) -> _Login:
    places = [("file", "a file that only you can read"), ("keyring", "the keyring")]
    keyring = answers.choose("store", "Keep it in", places, "file") == "keyring"
    return _Login(msgspec.structs.replace(mail, password_file="" if keyring else name), secret, keyring)


def _source(text: str) -> str:
    return text if text == "command" else token_provider(text)


def _token(answers: Answers, mail: FolderMail) -> _Login:
    """Ask where tokens come from, and sign in there. Raises `TokenError`, `AccountError`."""
    before = "" if answers.given.get("token_command") else mail.token_from
    question = "Token from a command, microsoft, google, or another provider (https://HOST/PATH)"
    source = answers.ask("token_from", question, before or "command", read=_source)
    if source == "command":
        line = answers.ask("token_command", "Command that prints an access token", mail.token_command or None)
        fresh = {"token_command": line, "token_from": "", "client_id": "", "password_file": ""}
        return _Login(msgspec.structs.replace(mail, login="token", **fresh))
    what = "File with the client ID (JSON)" if source == "google" else "Client ID"
    client = answers.ask("client_id", what, (mail.client_id if source == mail.token_from else "") or None)
    answers.complete()
    if source == "google":
        client = str(Path(client).expanduser().absolute())
    as_before = (source, client) == (mail.token_from, mail.client_id)
    mail = msgspec.structs.replace(mail, login="token", token_command="", token_from=source, client_id=client)
    if as_before and answers.asks and not click.confirm("Sign in again?", default=False, err=True):
        return _Login(mail)
    return _placed(answers, mail, sign_in(source, client, lambda words: click.echo(f"  {words}", err=True)), TOKEN)


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
    path = folder / _TRIAL
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
    urls = [server] if _is_local(server) else login_check.urls_of(server, user, sends=bool(sends))
    login = login_check.check_login(urls, folder, sends=bool(sends))
    if login.untrusted and _trusts(folder, answers, trial, login.untrusted):
        login = login_check.check_login([login.untrusted], folder, sends=bool(sends))
    if login.ok:
        done(login.words)
        return login.url
    failed(login.words, _remedy(login.words))
    return ""


def _remedy(words: str) -> str:
    if " token" in words:
        return "pbem docs connect-a-mailbox"
    if re.search(r"\b(535|534|authentication|login failed|credentials|password)\b", words, re.IGNORECASE):
        return "Gmail, Outlook and Yahoo want an app password or a token: pbem docs connect-a-mailbox"
    if "certificate" in words:
        return "pbem docs connect-a-mailbox"
    if "Maildir" in words:
        return "name the folder that your mail is delivered to"
    return "see what your mail host names as its servers and ports"


def _trusts(folder: Path, answers: Answers, trial: FolderSettings, url: str) -> bool:
    """Show the certificate of a server; after a yes it is kept in `ca.pem`."""
    certificate = login_check.certificate_of(url)
    note(f"  {url}: nobody whom this machine knows has signed its certificate")
    note(f"  {certificate.subject}, from {certificate.since} until {certificate.until}\n  SHA-256 {certificate.sha256}")
    plain = re.sub("[^0-9A-F]", "", str(answers.given.get("trust") or "").upper())
    if plain != certificate.sha256.replace(":", "") and not (
        answers.asks and click.confirm("Is this server your own?", default=False, err=True)
    ):
        return False
    path = folder / CERTIFICATE
    old = path.read_text("ascii") if path.exists() else ""
    if certificate.pem.strip() not in old:
        atomic_files.replace(path, (old + certificate.pem).encode("ascii"), 0o644)
    trial.mail.cafile = CERTIFICATE
    return True


def _keep(folder: Path, mail: FolderMail, login: _Login, urls: Sequence[str]) -> None:
    # A provider may have replaced its token during the trial.
    secret = (folder / _TRIAL).read_text("utf-8").strip("\n") if login.secret else ""
    if login.keyring:
        names = [f"{_user_of(url)}@{urlsplit(url).hostname}" for url in filter(_user_of, urls)]
        with failing(AccountError, code=Exit.FAILED_CHECK, hint="--store file"):
            for name in [place(mail)] if mail.token_from else names:
                to_keyring(name, secret)
    elif secret:
        atomic_files.replace(folder / mail.password_file, f"{secret}\n".encode(), 0o600)
    local = "://" not in urls[0]
    found = {
        "imap": "" if local else urls[0],
        "maildir": str(Path(urls[0]).expanduser().absolute()) if local else "",
        "smtp": urls[1],
    }
    store(folder, "mail", {**{key: getattr(mail, key) for key in _KEYS}, **found})
    beside = f" and {folder / mail.password_file} (mode 0600)" if secret and not login.keyring else ""
    done(f"{folder / 'pbem.toml'}{beside} written")


# -- 2 test ----------------------------------------------------------------------------------------------------------


def test_step(folder: Path, given: Mapping[str, Any]) -> None:
    """Send an email to ourselves, wait for it, and say what our mail host says of it. Raises `CommandFailed`."""
    now, answers = current(folder), Answers(given)
    mail = now.mail
    source = mail.imap or mail.maildir
    if not (mail.address and mail.smtp and source):
        raise CommandFailed("no mailbox is connected", Exit.USAGE, hint="pbem setup mail")
    patience = float(given.get("wait") or 120)
    faults = (AccountError, SourceError, TemporaryFailure, PermanentFailure, OSError)
    with trying(now), failing(faults, f"email to {mail.address}: ", Exit.FAILED_CHECK):
        mark = login_check.send_round(mail.smtp, mail.address)
        back = login_check.came_back(source, mark, mail.address, folder, patience=patience)
    if back is None:
        hint = "look for it in the mailbox's other folders, such as spam; then pbem setup test --wait 600"
        why = f"email to {mail.address} was sent, and isn't back after {patience:g} s"
        raise CommandFailed(why, Exit.FAILED_CHECK, hint=hint)
    done(f"email to {mail.address} sent, back after {back.seconds:.0f} s")
    if not back.verdicts:
        failed("your mail host doesn't say if senders are real", "nothing to do; reply codes protect your games", "! ")
        return
    verdicts = ", ".join(f"{name.upper()} {word}" for name, word in back.verdicts.items())
    report = done if "fail" not in back.verdicts.values() and back.verdicts.get("dkim") != "none" else failed
    report(f"{verdicts}, says {back.host}")
    passed = {name for name, word in back.verdicts.items() if word == "pass"}
    if ("dmarc" in passed or {"spf", "dkim"} <= passed) and not now.mail.authserv:
        wanted = answers.sure("authserv", f"Quarantine email that {back.host} marks as forged?", True)
        store(folder, "mail", {"authserv": back.host if wanted else ""})


# -- 4 defaults ------------------------------------------------------------------------------------------------------

_SILENT = (("wait", "wait, and tell me"), ("grace", "24 h grace, then the default answer"), ("bot", "a bot answers"))


def defaults_step(folder: Path, given: Mapping[str, Any]) -> None:
    """Ask for the moderator's address, and what new games begin with. Raises `CommandFailed`."""
    now, answers = current(folder), Answers(given)
    boss, new = now.moderator, now.new

    def reader(name: str) -> Callable[[str], str]:
        return lambda text: str(text) if SETTINGS[name.partition(".")[0]].value(name, text) is not None else ""

    def addresses(text: str) -> str:
        return ",".join(address(part.strip(), [now.mail.address]) for part in text.split(","))

    before = ",".join(boss.addresses) or None
    to = answers.ask("moderator", "Your address, for what needs you", before, read=addresses)
    where = answers.ask("timezone", "Time zone", boss.zone or local_zone(), read=zone)
    turn, then = str(new.get("hours.turn", 72)), str(new.get("time_up.turn", "grace"))
    hours = answers.ask("turn_hours", "Hours to answer a turn", turn, read=reader("hours.turn"))
    silent = answers.choose("if_silent", "If somebody is silent after that", _SILENT, then)
    weekends = answers.sure("weekends", "Do weekends count?", not new.get("days"))
    answers.complete()
    store(folder, "moderator", {"addresses": to.split(","), "zone": where})
    chosen: dict[str, Any] = {"zone": where, "hours.turn": int(hours), "time_up.turn": silent}
    chosen |= {"grace": 24} if silent == "grace" and "grace" not in new else {}
    store(folder, "new", chosen | {"days": None if weekends else ["mon", "tue", "wed", "thu", "fri"]})
    done(f"{folder / 'pbem.toml'}: new games begin with these settings")
    if to.split(",") != boss.addresses:
        _greet(folder, to.split(","))


def local_zone() -> str:
    """Return the name of this machine's time zone; UTC if it is unknown."""
    link = Path("/etc/localtime")
    names = [os.environ.get("TZ", "").lstrip(":"), str(link.resolve()).partition("zoneinfo/")[2]]
    for name in filter(None, names):
        try:
            return zone(name)
        except ValueError:
            continue
    return "UTC"


def _greet(folder: Path, to: Sequence[str]) -> None:
    now = current(folder)
    if not (now.mail.smtp and now.mail.address):
        return
    with trying(now):
        for address in to:
            try:
                login_check.send_greeting(now.mail.smtp, now.mail.address, address, now.moderator.language)
            except (AccountError, TemporaryFailure, PermanentFailure, OSError) as error:
                failed(f"email to {address}: {error}", "pbem setup mail")
            else:
                done(f"an email to {address} is on its way")


# -- the commands ----------------------------------------------------------------------------------------------------


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return folder_option(function)

    return add


_mail_options = _options(
    add_option("--address", "ADDRESS", "Address that the games write from."),
    add_option("--imap-server", "HOST", "Server to read from: HOST, HOST:PORT, or the path of a Maildir."),
    add_option("--smtp-server", "HOST", "Server to send through: HOST, HOST:PORT, or sendmail."),
    add_option("--user", "NAME", "User name at both servers [default: the address]."),
    add_option("--login", "", "How to log in.", type=click.Choice(LOGINS)),
    add_option("--password-file", "FILE", "File with the password that only you can read; - reads standard input."),
    add_option("--store", "", "Where to keep the password or token.", type=click.Choice(["file", "keyring"])),
    add_option("--token-from", "PROVIDER", "command, microsoft, google, or the https address of another provider."),
    add_option("--token-command", "COMMAND", "Command that prints an access token."),
    add_option("--client-id", "ID", "Client ID at the provider; for Google, the JSON file with it."),
    add_option("--trust", "SHA256", "Fingerprint of the certificate of your own server."),
)
_test_options = _options(
    add_option("--wait", "N", "Seconds to wait for the email.", type=click.IntRange(1, 3600), default=120),
    click.option("--authserv/--no-authserv", default=None, help="Quarantine what the mail host marks as forged."),
)
_defaults_options = _options(
    add_option("--moderator", "ADDRESS", "Your address, for what needs you."),
    add_option("--timezone", "ZONE", "Your time zone, and that of new games."),
    add_option("--turn-hours", "N", "Hours to answer a turn."),
    add_option(
        "--if-silent",
        "",
        "What happens if a player doesn't answer in time.",
        type=click.Choice([word for word, _ in _SILENT]),
    ),
    click.option("--weekends/--no-weekends", default=None, help="Count weekends."),
)


@command("setup mail", "pbem setup mail", "--address pbem@example.org --imap-server imap.example.org "
         "--smtp-server smtp.example.org --password-file - < password")  # fmt: skip
@_mail_options
def mail_command(saves: Path, **given: Any) -> None:
    """Connect the mailbox of the games.

    It logs in to both servers, and writes pbem.toml into the folder of the games. The password goes into a file that
    only you can read, or into the keyring.
    """
    mail_step(_made(saves), given)


@command("setup test", "pbem setup test", "pbem setup test --saves ~/games --wait 600")
@_test_options
def test_command(saves: Path, **given: Any) -> None:
    """Send an email to the games themselves, and wait for it.

    It says what your mail host thinks of the sender (SPF, DKIM, DMARC).
    """
    test_step(saves, given)


@command("setup defaults", "pbem setup defaults", "--moderator you@example.org --if-silent grace")
@_defaults_options
def defaults_command(saves: Path, **given: Any) -> None:
    """Choose the defaults of new games.

    It asks for your address, your time zone, the time to answer, and what happens when a player doesn't answer.
    """
    defaults_step(_made(saves), given)


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@group("setup")
@folder_option
@click.pass_context
def setup_group(ctx: click.Context, saves: Path) -> None:
    """Connect a mailbox and schedule `pbem run`.

    Without a command it does all four steps: mail, test, schedule, defaults. Each can be repeated alone.
    """
    if ctx.invoked_subcommand is not None:
        return
    if not on_terminal():
        hint = "pbem setup mail --help lists the options; then pbem setup test, schedule, defaults"
        raise CommandFailed("there is no terminal to ask on", Exit.USAGE, hint=hint)
    folder = _made(saves)
    data(f"Games in {folder.resolve()}. Enter takes the value in [ ]. Ctrl-C stops; every step")
    data("can be repeated alone: pbem setup mail | test | schedule | defaults")
    steps = {"Mail": mail_step, "Test": test_step, "Schedule": schedule_step, "You, and new games": defaults_step}
    wrong = []
    for number, (title, step) in enumerate(steps.items(), 1):
        data(f"\n{number} {title}")
        try:
            step(folder, {})
        except CommandFailed as error:
            failed(error.format_message())
            wrong.append(title)
    data("Next: pbem new GAME, or pbem games list")
    if wrong:
        ctx.exit(Exit.PARTIAL)
