"""`pbem bundle`: a dispute file, and its verification."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli import completing
from pbem.cli.exits import Exit
from pbem.cli.options import PathParam, by_option, json_option, now_option, save_argument

if TYPE_CHECKING:
    from pbem.post.bundle import Bundle
    from pbem.post.comparing import Compared
    from pbem.post.verifying import Found


class _Default(click.Group):
    """`pbem bundle SAVE` is `pbem bundle export SAVE`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            args = ["export", *args]
        return super().resolve_command(ctx, args)


@click.group("bundle", cls=_Default)
def bundle_group() -> None:
    """A file from which a stranger can verify all that its reader may know: `pbem bundle SAVE`."""


@bundle_group.command("export")
@save_argument
@click.option(
    "--seat", shell_complete=completing.seats, default="", help="For this seat (default: the public)."
)
@click.option("-o", "--output", type=PathParam(dir_okay=False, allow_dash=True), default="-")
@click.option(
    "--mail",
    is_flag=True,
    help="Send it to the seat itself, or each seat its own, and show nothing here: also in a game in which you play.",
)
@by_option
@now_option
def export_command(save: Path, seat: str, output: Path, mail: bool, by: str, now: datetime) -> None:
    """Write the bundle of SAVE: chain, dice, receipts, actions, press, narration."""
    if mail:
        if str(output) != "-":
            raise click.UsageError("--mail sends it and -o writes it: one of them")
        _mail(save, seat, by, now)
        return
    from pbem import small_files
    from pbem.cli.console import document, note
    from pbem.cli.guard import guard
    from pbem.cli.look import opened
    from pbem.cli.seats import seat_id
    from pbem.post.bundle import bundle, encode

    session = opened(save)
    seat = seat_id(session.save, seat) if seat else ""
    if not session.save.header.over:  # then everything is everybody's
        guard(session.save, seat)
    data = encode(bundle(session, seat, now))
    if str(output) == "-":
        document(data.decode())
        return
    small_files.replace(output, data, 0o600)
    note(f"{output} written; it is for {seat or 'everybody'}")


def _mail(save: Path, seat: str, by: str, now: datetime) -> None:
    """Send the bundles to those whom they are for."""
    from pbem.cli.console import data
    from pbem.cli.mail import show_report
    from pbem.cli.seats import seat_id
    from pbem.post.moderator.journal import Author, act
    from pbem.post.moderator.on_letters import hand_out_bundles

    session, action, report = act(
        save,
        Author(by, "", now),
        lambda session, author: hand_out_bundles(
            session, author, seat_id(session.save, seat) if seat else ""
        ),
    )
    data(f"{session.save.header.name} {action.id}: bundles to {', '.join(action.told)}")
    show_report(report)


@bundle_group.command("verify")
@click.argument("file", type=PathParam(exists=True, dir_okay=False))
@json_option
@click.pass_context
def verify_command(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Verify a bundle; needs no save. A game that is over is played again from its first move."""
    import games
    from pbem.cli.console import Stop, emit_json
    from pbem.post.bundle import decode
    from pbem.post.verifying import verify

    try:
        bundle = decode(file.read_bytes())
    except ValueError as error:
        raise Stop(f"{file}: {error}") from None
    found = verify(bundle, games.load)
    if as_json:
        emit_json("bundle", found)
    else:
        _show_verified(bundle, found)
    if found.wrong:
        ctx.exit(Exit.REFUSED)


def _show_verified(bundle: Bundle, found: Found) -> None:
    from pbem.cli.console import data
    from pbem.kernel.dice import commitment

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
        data(
            "the game runs: its seed is not published. Dice, story and result are not verified until it is over"
        )
    data(
        f"not covered: {', '.join(found.uncovered)} (of actions: all but corrections, rewinds and new rules). "
        "No hash holds them: compare them with your emails"
    )
    for line in found.wrong:
        data(f"WRONG: {line}")
    if not found.wrong:
        data(f"head {bundle.head}: compare it with the one in your letters")


@click.command("verify")
@click.argument("letters", nargs=-1, required=True, metavar="LETTERS...", type=PathParam(exists=True))
@click.option(
    "--bundle", "bundle_file", type=PathParam(exists=True, dir_okay=False), help="Also against this bundle."
)
@json_option
@click.pass_context
def verify_letters_command(
    ctx: click.Context, letters: tuple[Path, ...], bundle_file: Path | None, as_json: bool
) -> None:
    """Verify LETTERS (mbox, Maildir, messages) against each other and a bundle; needs no save.

    Every head, commitment, die and answer of yours that they quote; several players may put theirs together.
    """
    import games
    from pbem.cli.console import Stop, emit_json
    from pbem.post.bundle import decode
    from pbem.post.comparing import compare, kept, read_letters
    from pbem.post.verifying import verify

    try:
        found = compare(list(read_letters(letters)))
        if bundle_file is not None:
            bundle = decode(bundle_file.read_bytes())
            checked = verify(bundle, games.load)
            found.wrong += [f"{bundle_file}: {line}" for line in checked.wrong]
            found.against(bundle, str(bundle_file))
            found.named, found.kept = kept(letters, bundle)
    except ValueError as error:
        raise Stop(f"{bundle_file}: {error}") from None
    if as_json:
        emit_json("verify", found)
    else:
        _show_compared(found, bundle_file)
    if found.wrong:
        ctx.exit(Exit.REFUSED)
    if not found.letters and not found.kept:
        raise Stop("no letter there quotes anything to verify")


def _show_compared(found: Compared, bundle_file: Path | None) -> None:
    from pbem.cli.console import data

    data(
        f"{found.letters} letters of {found.games} games: {found.heads} heads, {found.dice} rolls, "
        f"{found.answers} answers, {found.seen} heads that others have seen, {found.sealed} commitments"
    )
    if found.named:
        data(f"{found.kept} of {found.named} mails that the moves name by their hash are among them")
    if found.late:
        told = "; ".join(found.late)
        data(f"others were asked before the moderator, who plays, had committed to his own answer: {told}")
    for line in found.wrong[:1]:
        data(f"CONTRADICTION: {line}")
    if not found.wrong:
        data("they agree" + (f", with each other and with {bundle_file}" if bundle_file else ""))


COMMANDS = [bundle_group, verify_letters_command]
