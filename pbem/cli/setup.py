"""`pbem setup`: connect a mailbox, test it, schedule runs, and choose what new games begin with.

Each step can be repeated alone and shows the present answers as defaults. Each answer is an option, too: without a
terminal nothing is asked, and what is missing is named. The answers are in `pbem.toml` in the folder of games.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pbem.cli.answers import Answers, current, done, failed, folder_option, on_terminal, store, trying
from pbem.cli.commands import Group, command
from pbem.cli.console import CommandFailed, data
from pbem.cli.exit_codes import Exit
from pbem.cli.options import F, add_option
from pbem.cli.setup_mail import LOGINS, mail_step
from pbem.cli.setup_schedule import schedule_step

# -- 2 test ----------------------------------------------------------------------------------------------------------


def test_step(folder: Path, given: Mapping[str, Any]) -> None:
    """Send an email to ourselves, wait for it, and say what our mail host says of it. Raises `CommandFailed`."""
    from pbem.mail.inbox.sources import SourceError
    from pbem.mail.transport.accounts import AccountError
    from pbem.mail.transport.login_check import came_back, send_round
    from pbem.mail.transport.smtp import PermanentFailure, TemporaryFailure

    now, answers = current(folder), Answers(given)
    mail = now.mail
    source = mail.imap or mail.maildir
    if not (mail.address and mail.smtp and source):
        raise CommandFailed("no mailbox is connected", Exit.USAGE, hint="pbem setup mail")
    patience = float(given.get("wait") or 120)
    with trying(now):
        try:
            mark = send_round(mail.smtp, mail.address)
            back = came_back(source, mark, mail.address, folder, patience=patience)
        except (AccountError, SourceError, TemporaryFailure, PermanentFailure, OSError) as error:
            raise CommandFailed(f"email to {mail.address}: {error}", Exit.FAILED_CHECK) from None
    if back is None:
        hint = "look for it in the mailbox's other folders, such as spam; then pbem setup test --wait 600"
        why = f"email to {mail.address} was sent, and isn't back after {patience:g} s"
        raise CommandFailed(why, Exit.FAILED_CHECK, hint=hint)
    done(f"email to {mail.address} sent, back after {back.seconds:.0f} s")
    if not back.verdicts:
        failed("your mail host doesn't say if senders are real", "nothing to do; reply codes protect your games")
        return
    told = ", ".join(f"{name.upper()} {word}" for name, word in back.verdicts.items())
    report = done if "fail" not in back.verdicts.values() and back.verdicts.get("dkim") != "none" else failed
    report(f"{told}, says {back.host}")
    passes = back.verdicts.get("dmarc") == "pass" or {"spf", "dkim"} <= {
        name for name, word in back.verdicts.items() if word == "pass"
    }
    if passes and not now.mail.authserv:
        wanted = answers.sure("authserv", f"Quarantine email that {back.host} marks as forged?", True)
        store(folder, "mail", {"authserv": back.host if wanted else ""})


# -- 4 defaults ------------------------------------------------------------------------------------------------------

_SILENT = (("wait", "wait, and tell me"), ("grace", "24 h grace, then the default answer"), ("bot", "a bot answers"))


def defaults_step(folder: Path, given: Mapping[str, Any]) -> None:
    """Ask for the moderator's address, and what new games begin with. Raises `CommandFailed`."""
    from pbem.save.settings import SETTINGS, address, zone

    now, answers = current(folder), Answers(given)
    boss, new = now.moderator, now.new

    def reader(name: str) -> Callable[[str], str]:
        return lambda text: str(text) if SETTINGS[name.partition(".")[0]].value(name, text) is not None else ""

    def addresses(text: str) -> str:
        return ",".join(address(part.strip(), [now.mail.address]) for part in text.split(","))

    before = ",".join(boss.addresses) or None
    to = answers.ask("moderator", "Your address, for what needs you", before, read=addresses)
    where = answers.ask("timezone", "Time zone", boss.zone or local_zone(), read=zone)
    hours = answers.ask(
        "turn_hours", "Hours to answer a turn", str(new.get("hours.turn", 72)), read=reader("hours.turn")
    )
    silent = answers.choose(
        "if_silent", "If somebody is silent after that", _SILENT, str(new.get("time_up.turn", "grace"))
    )
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
    """Return the time zone of this machine, if it tells its name; else UTC."""
    from pbem.save.settings import zone

    link = Path("/etc/localtime")
    names = [os.environ.get("TZ", "").lstrip(":"), str(link.resolve()).partition("zoneinfo/")[2]]
    for name in filter(None, names):
        try:
            return zone(name)
        except ValueError:
            continue
    return "UTC"


def _greet(folder: Path, to: Sequence[str]) -> None:
    """Write to the moderator, so that they see that emails of pbem reach them."""
    from pbem.mail.transport.accounts import AccountError
    from pbem.mail.transport.login_check import send_greeting
    from pbem.mail.transport.smtp import PermanentFailure, TemporaryFailure

    now = current(folder)
    if not (now.mail.smtp and now.mail.address):
        return
    with trying(now):
        for address in to:
            try:
                send_greeting(now.mail.smtp, now.mail.address, address, now.moderator.language)
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
    add_option("--password-file", "FILE", "File with the password, readable by you alone; - reads standard input."),
    add_option("--store", "", "Where to keep the password.", type=click.Choice(["file", "keyring"])),
    add_option("--token-command", "COMMAND", "Command that prints an access token."),
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
    add_option("--if-silent", "", "What happens after that.", type=click.Choice([word for word, _ in _SILENT])),
    click.option("--weekends/--no-weekends", default=None, help="Do weekends count?"),
)


@command("mail", "pbem setup mail", "pbem setup mail --address pbem@example.org --imap-server imap.example.org "
         "--smtp-server smtp.example.org --password-file - < password")  # fmt: skip
@_mail_options
def mail_command(saves: Path, **given: Any) -> None:
    """Connect the mailbox of the games.

    It logs in to both servers, and writes pbem.toml into the folder of the games. The password goes into a file that
    only you can read, or into the keyring.
    """
    mail_step(_made(saves), given)


@command("test", "pbem setup test", "pbem setup test --saves ~/games --wait 600")
@_test_options
def test_command(saves: Path, **given: Any) -> None:
    """Send an email to the games themselves, and wait for it.

    It says what your mail host thinks of the sender (SPF, DKIM, DMARC).
    """
    test_step(saves, given)


@command("defaults", "pbem setup defaults", "pbem setup defaults --moderator you@example.org --if-silent grace")
@_defaults_options
def defaults_command(saves: Path, **given: Any) -> None:
    """Choose what new games begin with.

    Your address, your time zone, the time to answer, and what happens when somebody is silent.
    """
    defaults_step(_made(saves), given)


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


@click.group("setup", cls=Group, path="setup", invoke_without_command=True)
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
    data(f"Games in {folder.resolve()}. Enter takes what stands in [ ]. Ctrl-C stops; every step")
    data("can be repeated alone: pbem setup mail | test | schedule | defaults")
    steps = (
        ("Mail", mail_step),
        ("Test", test_step),
        ("Schedule", schedule_step),
        ("You, and new games", defaults_step),
    )
    wrong = []
    for number, (title, step) in enumerate(steps, 1):
        data(f"\n{number} {title}")
        try:
            step(folder, {})
        except CommandFailed as error:
            failed(error.format_message())
            wrong.append(title)
    data("Next: pbem new GAME, or pbem games list")
    if wrong:
        ctx.exit(Exit.PARTIAL)


COMMANDS = {
    "setup": setup_group,
    "setup mail": mail_command,
    "setup test": test_command,
    "setup defaults": defaults_command,
}
