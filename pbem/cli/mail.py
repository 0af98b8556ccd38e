"""`pbem ingest`, `pbem fetch`, `pbem send`: emails in, emails out."""

from __future__ import annotations

import os
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json, event, loud, note, progress_bar, warn
from pbem.cli.options import PathParam, add_option
from pbem.lazy_regex import clean

if TYPE_CHECKING:
    from pbem.mail.inbox.inbox_run import InboxRun
    from pbem.mail.inbox.stages import EmailOutcome, IngestReport


authserv_option = add_option(
    "--authserv",
    "HOST",
    "Quarantine emails that HOST marks dmarc=fail. HOST is its name in Authentication-Results.",
    default="",
    envvar="PBEM_AUTHSERV",
    show_envvar=False,
)
LOUD = ("quarantined", "postponed", "failed")  # fates of emails that need the moderator


@command("ingest", "--saves ~/games ~/Maildir", "--dry-run g1.toml round.mbox")
@click.argument("paths", nargs=-1, metavar="[SAVE...] SOURCE...", type=PathParam(allow_dash=True))
@options.saves
@options.sender
@options.dry_run
@click.option(
    "--pipe", is_flag=True, help="Read one email from standard input, for a mail server (exit codes of sysexits)."
)
@click.option("--receipts", is_flag=True, help="Print the receipts, too.")
@authserv_option
@options.json
@options.now
@click.pass_context
def ingest_command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    saves: Path,
    sender: str,
    dry_run: bool,
    pipe: bool,
    receipts: bool,
    authserv: str,
    as_json: bool,
    now: datetime,
    tell: bool = True,
) -> None:
    """Process emails and move files from files or folders.

    Name the saves, or their folder (--saves). Sources aren't changed, and the same email is processed once. Emails to
    send go to outbox/ (a Maildir) next to the saves; emails that can't be trusted go to quarantine/.
    """
    if pipe:
        ctx.exit(_piped(saves, now, sender, authserv))
    from pbem.mail.inbox.ingest import ingest
    from pbem.mail.save_index import home_of

    named, sources = _saves_and_sources(paths)
    where = named or _with_saves(saves)
    with progress_bar("emails") as progress:
        report = ingest(
            where,
            sources,
            dry_run=dry_run,
            now=now,
            sender=sender,
            authserv=authserv,
            receipts=receipts or dry_run or as_json,
            progress=progress,
            tell=tell,
        )
    _tell(ctx, "ingest", report, as_json, receipts=receipts or dry_run, home=home_of(where))


def _piped(saves: Path, now: datetime, sender: str, authserv: str) -> int:
    """Process the email on standard input. Output may go back to its writer: no path, address or seat."""
    from pbem.mail.inbox.ingest import ingest
    from pbem.mail.inbox.stages import AGAIN
    from pbem.mail.save_index import has_saves

    report: IngestReport | None = None
    try:
        if not has_saves(saves):
            warn("there is no game here")
            return Exit.NO_GAMES
        report = ingest([saves], ["-"], now=now, sender=sender, authserv=authserv, receipts=False)
    except Exception:  # after any error the mail server keeps the email
        if os.environ.get("PBEM_DEBUG"):
            raise
    if report is None or set(report.counts) & set(AGAIN):
        warn("the email can't be processed now: deliver it again later")
        return Exit.TRY_AGAIN
    if not report.counts and not report.known:
        warn("there is no email on standard input")
        return Exit.NO_EMAIL
    return Exit.OK


def _tell(
    ctx: click.Context, schema: str, report: IngestReport, as_json: bool, *, receipts: bool = False, home: Path
) -> None:
    """Print the result of a run, for people or programs. The exit code says whether all of it was finished."""
    if as_json:
        emit_json(schema, report.published())
    else:
        show_report(report, receipts=receipts, home=home)
        if report.idle:
            note(f"nothing new ({report.known} emails known)" if report.known else "nothing new")
    if report.incomplete:
        ctx.exit(Exit.PARTIAL)


def _saves_and_sources(paths: tuple[Path, ...]) -> tuple[list[Path], list[Path]]:
    """Split paths into saves and mail, of which there has to be some. Raises `CommandFailed`, `SaveError`."""
    from pbem.mail.save_index import is_save
    from pbem.save import load_header

    saves = [path for path in paths if path.suffix == ".toml" and path.is_file()]
    for path in saves:
        if not is_save(path):  # no email either: report it before any mail is read
            load_header(path)
    sources = [path for path in paths if path not in saves]
    if not sources:
        raise CommandFailed("no mail to read", Exit.USAGE, hint="name an mbox, a Maildir, a move file, or - for stdin")
    return saves, sources


def _with_saves(folder: Path) -> list[Path]:
    """Return the folder if it has saves: without saves no sender is known. Raises `CommandFailed`."""
    from pbem.mail.save_index import has_saves

    if not has_saves(folder):
        raise CommandFailed(f"{folder}: no saves here, so no email is read", hint="name their folder: --saves FOLDER")
    return [folder]


@command("fetch", "--saves ~/games", "--imap imaps://pbem@imap.example.org/INBOX")
@options.saves
@add_option(
    "--imap",
    "URL",
    "Mailbox: imaps://user@host/INBOX. Password: PBEM_IMAP_PASSWORD or the keyring.",
    envvar="PBEM_IMAP",
    required=True,
)
@options.sender
@authserv_option
@options.json
@options.now
@click.pass_context
def fetch_command(
    ctx: click.Context,
    saves: Path,
    imap: str,
    sender: str,
    authserv: str,
    as_json: bool,
    now: datetime,
    tell: bool = True,
) -> None:
    """Fetch and process new emails from an IMAP mailbox.

    Processed emails are marked as seen. Nothing is deleted.
    """
    from pbem.mail.inbox.ingest import fetch

    with progress_bar("emails") as progress:
        where = _with_saves(saves)
        how: dict[str, Any] = {"sender": sender, "authserv": authserv, "progress": progress, "tell": tell}
        report = fetch(where, imap, now=now, receipts=as_json, **how)
    _tell(ctx, "fetch", report, as_json, home=saves)


@command("send", "--saves ~/games", "--saves ~/games --again")
@options.saves
@options.smtp
@options.sender
@click.option("--again", is_flag=True, help="Also send emails that were given up, to addresses that are still in use.")
@options.json
@options.now
@click.pass_context
def send_command(
    ctx: click.Context,
    saves: Path,
    smtp: str,
    sender: str,
    again: bool,
    as_json: bool,
    now: datetime,
    waiting: frozenset[str] | None = None,
) -> None:
    """Send the emails in the outbox.

    Without --smtp they stay in outbox/new for another mail program. If they are still there at the next run, that is an
    error.
    """
    from pbem.mail.inbox.inbox_run import InboxRun

    run, alone = InboxRun([saves], now=now, sender=sender), waiting is None
    waiting = lying(run.home) if waiting is None else waiting
    report = run.finish()
    if alone:
        run.tell_moderators(printed=False)
    if as_json and not smtp:
        emit_json("send", report.published())
    elif not as_json:
        show_report(report)
    if again:
        _take_back(run)
    failed = _dispatch(run, smtp, now, as_json) if smtp else False
    if alone:
        print_digests(run.home, waiting, smtp)
    if not smtp and waiting:
        why = f"{len(waiting)} emails are waiting in {run.home / 'outbox' / 'new'}, and no mail server is named"
        raise CommandFailed(why, Exit.USAGE, hint="name one with --smtp or the variable PBEM_SMTP")
    if report.incomplete or failed:
        ctx.exit(Exit.PARTIAL)


def _take_back(run: InboxRun) -> None:
    """Put given-up emails back into the outbox, except for addresses that are no longer on any list."""
    from pbem.mail.save_index import addresses_of
    from pbem.mail.transport.dispatch import take_back

    known = {to.casefold() for save in run.index.headers.values() for to in addresses_of(save)}
    event(f"{take_back(run.home, lambda to: to.casefold() in known)} emails that were given up are sent again")


def lying(home: Path) -> frozenset[str]:
    """Return the names of the emails that wait in the outbox."""
    return frozenset(path.name for path in (home / "outbox" / "new").glob("*"))


def print_digests(home: Path, waiting: frozenset[str], smtp: str) -> None:
    """Print the digests that can't be sent, once in 24 hours: the scheduler passes them to the moderator.

    Without `smtp` another program sends them: then only those that were `waiting` before the run.
    """
    for name in sorted(lying(home) & (lying(home) if smtp else waiting)):
        if name.startswith("notice."):
            from email import message_from_bytes, policy

            digest = message_from_bytes((home / "outbox" / "new" / name).read_bytes(), policy=policy.default)
            body = digest.get_body(("plain",))
            if body is not None and loud(f"no email to {digest['To']} leaves", key=name, joins=True):
                click.echo(clean(f"pbem: {digest['Subject']}\n{body.get_content()}"), err=True)


def _dispatch(run: InboxRun, smtp: str, now: datetime, as_json: bool) -> bool:
    from pbem.mail.notices import SENDING, UNSENT
    from pbem.mail.scheduler.reminders import QueuedReminders
    from pbem.mail.scheduler.tick import after_sending
    from pbem.mail.transport.dispatch import dispatch
    from pbem.mail.transport.smtp import carrier

    with progress_bar("emails") as progress:
        stale = QueuedReminders(run.taking).outdated
        done = dispatch(run.home, carrier(smtp), now=now, own=run.taking.own, progress=progress, stale=stale)
    broken = after_sending(run, done.sent)
    for place, why in broken.items():
        warn(f"{place}: {why}")
    if as_json:
        emit_json("sent", done)
        return bool(done.later or done.failed or broken)
    if done.sent:
        event(f"{len(done.sent)} emails sent")
    if done.withdrawn:
        event(f"{len(done.withdrawn)} reminders withdrawn: what they say holds no longer")
    unsent, later = -1 if done.sent else UNSENT, Counter(done.later.values())
    named = {why: name for name, why in done.later.items()}
    for why, count in later.items():  # while a server is down all have the same
        emails = named[why] if count == 1 else f"{count} emails"
        key = SENDING if unsent == UNSENT and len(later) == 1 else f"later {why}"
        warn(f"{emails}: not sent yet: {why}", key=key, mail=unsent, why=why)
    for name, why in done.failed.items():
        warn(f"{name}: can't be sent: {why}", key=name)
    return bool(done.later or done.failed or broken)


def show_report(report: IngestReport, *, receipts: bool = False, home: Path | None = None) -> None:
    """Print what a run did, nothing if it was idle. `home`: the folder of the quarantine, if not the current one."""
    shown = report.shown()
    if (len(shown.emails), len(shown.sent)) != (len(report.emails), len(report.sent)):
        event(f"{', '.join(report.discreet)}: mail came and went; you play there, so it is not shown whose")
    report = shown
    for outcome in report.emails:
        unread = outcome.by_hand and outcome.refused  # no email would give the reason
        waits = outcome.fate == "postponed"  # each run repeats it until it is processed
        aloud = unread or (outcome.fate in LOUD and (not waits or loud(_line(outcome), key=_line(outcome))))
        tell = data if aloud else event
        tell(_line(outcome))
        if outcome.receipt and (receipts or unread):
            tell(_indented(outcome.receipt))
    for sent in report.sent:
        event(f"→ {sent.game} {sent.seat}: {sent.subject}" + ("" if report.dry_run else f"  [{sent.file}]"))
        if sent.text:
            event(_indented(sent.text))
    for line in report.moderator:
        warn(line)
    for place, why in report.broken.items():
        warn(why if place in why else f"{place}: {why}", key=f"broken {place}")
    if report.unnamed:
        totals = ", ".join(f"{count} {_result(fate)}" for fate, count in report.counts.items())
        event(f"… and {report.unnamed} more emails in; in all: {totals}")
    if report.posted > len(report.sent):
        event(f"… and {report.posted - len(report.sent)} more emails out")
    held = report.counts.get("quarantined", 0)
    if held and not report.dry_run:
        import shlex

        where = f"--saves {shlex.quote(str(home))} " if home is not None and home != Path() else ""
        note(f"{held} in quarantine: pbem quarantine {where}list")
    if report.dry_run:
        note("dry run: nothing was written")


def _result(fate: str) -> str:
    from pbem.mail.inbox.stages import RESULTS

    return "partly accepted" if fate == "partly" else RESULTS.get(fate, fate)


def _line(one: EmailOutcome) -> str:
    who = " ".join(part for part in (one.game, one.seat) if part) or one.where
    if one.fate == "quarantined":
        return f"! {one.held}: quarantined: it {one.why} ({one.where})"
    counts = f"{one.accepted} accepted, {one.refused} rejected"
    why = one.why or (counts if one.accepted or one.refused else "nothing in it")
    return f"{'!' if one.fate in LOUD else '←'} {who}: {_result(one.fate)}: {why} ({one.where})"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))
