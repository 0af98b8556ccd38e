"""`pbem bundle` and `pbem verify`: a file for disputes, and what anyone can check."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json, failing
from pbem.cli.mail import show_report
from pbem.cli.options import PathParam, guard, seat_id
from pbem.cli.status import opened, write
from pbem.kernel.dice import commitment
from pbem.mail.bundle import Bundle, bundle, decode, encode
from pbem.mail.moderator.game_actions import send_bundles
from pbem.mail.moderator.journal import Actor, act
from pbem.mail.verify_bundle import BundleVerification, verify
from pbem.mail.verify_emails import EmailVerification, compare, kept, read_emails


@command("bundle", "g1.toml -o g1-public.json", "g1.toml --seat amber --send")
@options.save
@options.seat("Write it for this seat [default: for the public].")
@options.output
@click.option(
    "--send", is_flag=True, help="Email it to the seat (default: to each seat its own), without showing it here."
)
@options.author
@options.now
def bundle_command(save: Path, seat: str, output: Path, send: bool, by: str, now: datetime) -> None:
    """Write a file that anyone can verify.

    It holds hash chain, dice, receipts, actions, press and log: all that its reader may know.
    """
    if send:
        if str(output) != "-":
            raise click.UsageError("--send and --output can't be combined: choose one")
        _mail(save, seat, by, now)
        return
    session = opened(save)
    seat = seat_id(session.save, seat) if seat else ""
    if not session.save.header.over:  # then everything is public
        guard(session.save, seat)
    write(output, encode(bundle(session, seat, now)).decode(), seat or "everybody")


def _mail(save: Path, seat: str, by: str, now: datetime) -> None:
    session, action, report = act(
        save,
        Actor(by, "", now),
        lambda session, author: send_bundles(session, author, seat_id(session.save, seat) if seat else ""),
    )
    data(f"{session.save.header.name} {action.id}: bundles to {', '.join(action.told)}")
    show_report(report)


def _show_verified(bundle: Bundle, found: BundleVerification) -> None:
    data(f"{bundle.name}: {found.links} moves, {found.opened} open and verified, {found.closed} closed")
    if bundle.seed:
        committed = commitment(bytes.fromhex(bundle.seed)) == bundle.commitment
        whose = ", which is the one committed to" if committed else ""
        data(f"{found.rolls} open rolls made again from the seed{whose}")
        if found.beacons:
            missing = f"; on {found.without} days none" if found.without else ""
            data(f"{found.beacons} rounds of a public beacon, each the one named for its day{missing}")
        if found.replayed:
            since = f" from move {found.since}, where it passed to other rules" if found.since else ""
            compared = f"{found.draws} rolls and shuffles, {found.lines} lines and the result compared"
            data(f"played again{since}: {compared}")
    else:
        data("the game runs: its seed is not published. Dice, story and result are not verified until it is over")
    data(
        f"not covered: {', '.join(found.uncovered)} (of actions: all but corrections, rewinds and new rules). "
        "No hash holds them: compare them with your emails"
    )
    for line in found.wrong:
        data(f"WRONG: {line}")
    if not found.wrong:
        data(f"head {bundle.head}: compare it with the one in your emails")


@command("verify", "bundle.json", "bundle.json mine.mbox yours.mbox")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PathParam(exists=True))
@options.json
@click.pass_context
def verify_command(ctx: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Verify bundles and emails, without a save.

    FILE is a bundle, or emails with their proofs (mbox, Maildir, messages). Emails are compared with each other and
    with the bundles; players can combine theirs. A bundle of a finished game is replayed from its first move.
    """
    bundles = [file for file in files if _is_bundle(file)]
    emails = [file for file in files if file not in bundles]
    comparison = compare(list(read_emails(emails)))
    wrong = False
    for file in bundles:
        bundle = _read(file)
        checked = verify(bundle, games.load)
        wrong |= bool(checked.wrong)
        if not as_json:
            _show_verified(bundle, checked)
        elif not emails:
            emit_json("bundle", checked)
        if emails:
            comparison.wrong += [f"{file}: {line}" for line in checked.wrong]
            comparison.against(bundle, str(file))
            named, here = kept(emails, bundle)
            comparison.named, comparison.kept = comparison.named + named, comparison.kept + here
    if emails and as_json:
        emit_json("verify", comparison)
    elif emails:
        _show_compared(comparison, ", ".join(map(str, bundles)))
    if wrong or comparison.wrong:
        ctx.exit(Exit.FAILED_CHECK)
    if emails and not comparison.emails and not comparison.kept:
        where = ", ".join(map(str, emails))
        raise CommandFailed(f"no email in '{where}' has a proof attached", hint="use emails that pbem sent")


def _read(file: Path) -> Bundle:
    with failing(ValueError, f"{file}: "):
        return decode(file.read_bytes())


def _is_bundle(file: Path) -> bool:
    """Check if a file is JSON: no email begins like that."""
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return file.suffix == ".json" or opened.read(64).lstrip().startswith(b"{")


def _show_compared(found: EmailVerification, bundles: str) -> None:
    data(
        f"{found.emails} emails of {found.games} games: {found.heads} heads, {found.dice} rolls, "
        f"{found.answers} answers, {found.seen} heads that others have seen, {found.sealed} commitments"
    )
    if found.named:
        data(f"{found.kept} of {found.named} emails that the moves name by their hash are among them")
    if found.late:
        told = "; ".join(found.late)
        data(f"others were asked before the moderator, who plays, had committed to their own answer: {told}")
    for line in found.wrong[:1]:
        data(f"CONTRADICTION: {line}")
    if not found.wrong:
        data("they agree" + (f", with each other and with {bundles}" if bundles else ""))
