"""`pbem check`: check orders before they are sent."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json
from pbem.cli.options import FILE, PathParam, add_option, guard
from pbem.cli.status import opened

if TYPE_CHECKING:
    from pbem.mail.inbox.stages import DecodedEmail
    from pbem.orders.receipt import Receipt
    from pbem.orders.syntax_tree import OrderBlock
    from pbem.save import Session


@command("check", "orders.txt --view my-view.toml", "reply.eml --save g1.toml")
@click.argument("file", type=PathParam(exists=True, dir_okay=False, allow_dash=True))
@add_option(
    "--view", "FILE", "Player file that came with an email (or from `pbem view --format player-file`).", type=FILE
)
@add_option("--save", "SAVE", "For the moderator: the save itself. It isn't changed.", type=FILE)
@add_option(
    "--email", "FILE", "Email that FILE replies to (text or .eml), so that its quoted text is recognised.", type=FILE
)
@options.json
@click.pass_context
def check_command(
    ctx: click.Context, file: Path, view: Path | None, save: Path | None, email: Path | None, as_json: bool
) -> None:
    """Check orders before you send them.

    FILE is a whole reply (.eml, or its text) or a move file; - is standard input.
    """
    if (view is None) == (save is None):
        hint = "--view: the player file that came with an email; --save: the moderator's save"
        raise CommandFailed("give either --view or --save", Exit.USAGE, hint=hint)
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    text, mail = _read(raw)
    sent = _read(email.read_bytes())[0] if email is not None else ""
    if view is not None:
        receipts, shown = _by_view(view, text, mail, sent)
    else:
        receipts, shown = _by_save(save or Path(), text, raw if mail is not None else b"")
    if not receipts:
        from pbem.orders.messages import say
        from pbem.orders.parser import read

        findings = "; ".join(say(finding.key, finding.args) for finding in read(text).findings)
        hint = "write 29: red, or BEGIN ORDERS game seat code … END ORDERS; a reply needs its email's tag"
        why = f"no orders in {file}" + (f": {findings}" if findings else "")
        raise CommandFailed(why, Exit.FAILED_CHECK, hint=hint)
    if as_json:
        emit_json("receipts", {"receipts": receipts})
    else:
        for line in shown:
            data(line)
    if any(receipt.problem is not None or receipt.refused for receipt in receipts):
        ctx.exit(Exit.FAILED_CHECK)


_FIELD = re.compile(rb"(?im)^(from|to|subject|date|message-id|received|mime-version|in-reply-to):")


def _read(raw: bytes) -> tuple[str, DecodedEmail | None]:
    from pbem.mail.inbox.body_text import clean_text, decode_bytes
    from pbem.mail.inbox.mime import decode_mail

    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if len({name.lower() for name in _FIELD.findall(head)}) >= 3:
        mail = decode_mail(raw)
        return mail.text, mail
    return clean_text(decode_bytes(raw, None)[0]), None


def _by_view(view: Path, text: str, mail: DecodedEmail | None, email: str) -> tuple[list[Receipt], list[str]]:
    from games import GameError
    from pbem.orders.offline_check import ViewError, check

    hint = "ask the moderator for a new player file"
    try:
        import tomllib

        document = tomllib.loads(view.read_text("utf-8"))
        ours, writer = ((*mail.to,), mail.sender_name) if mail is not None else ((), "")
        receipts = check(document, text, email=email, ours=ours, writer=writer)
        return receipts, _in_words(document, receipts)
    except (ViewError, GameError, ValueError) as error:
        raise CommandFailed(f"{view}: {error}", hint=hint) from None
    except (LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, RecursionError) as error:
        # Checks may fail on a document of others: then the document is at fault.
        why = f"not a player file, or from another version: {type(error).__name__}: {error}"
        raise CommandFailed(f"{view}: {why}", hint=hint) from error


def _in_words(document: dict[str, Any], receipts: list[Receipt]) -> list[str]:
    from pbem.report.messages import Catalogue
    from pbem.report.receipt import receipt_text
    from pbem.report.viewfile import frame_from, names_from

    about = frame_from(document)
    say = Catalogue(games.load(document["rules"]), None, about.language, names_from(document))
    return [receipt_text(receipt, say, about) for receipt in receipts]


def _by_save(save: Path, text: str, mail: bytes) -> tuple[list[Receipt], list[str]]:
    from pbem.mail.outbox.recipient import frame
    from pbem.orders.apply import execute_block
    from pbem.orders.parser import read
    from pbem.report.messages import Catalogue
    from pbem.report.receipt import receipt_text

    session = opened(save)
    name = session.save.header.name
    people = {player.id: player for player in session.save.seats}
    abouts = {seat: frame(session, info) for seat, info in people.items()}  # before anything is tried
    blocks = enumerate(_of_mail(save, session, mail) if mail else read(text, several=True).blocks)
    receipts = [execute_block(session.referee, block, game=name, via=f"check:{at}") for at, block in blocks]
    for receipt in receipts:  # a receipt lists what its seat is asked, and what it has sent before
        guard(session.save, receipt.seat)
    say = Catalogue(session.game, session.referee.components, session.save.post.language, session.referee.names)
    return receipts, [receipt_text(receipt, say, abouts.get(receipt.seat)) for receipt in receipts]


def _of_mail(save: Path, session: Session, raw: bytes) -> list[OrderBlock]:
    """Return the orders of a whole mail as blocks, parsed as incoming mail is, from any sender."""
    from pbem.mail.inbox.authenticate import claims_of
    from pbem.mail.inbox.parse import parse_message, with_order_blocks
    from pbem.mail.inbox.reply_orders import resolve_reply
    from pbem.mail.inbox.stages import Received
    from pbem.mail.outbox.mime_message import Outbox, StoredEmails
    from pbem.mail.save_index import SaveIndex, own_addresses

    index, sent = SaveIndex([save]), StoredEmails(Outbox(save.parent / "outbox"))
    email = with_order_blocks(parse_message(Received(save.name, raw, save.name)), index, sent)
    own = own_addresses(index, "")
    named = claims_of(email, index, session.save.header.name)
    claims = [resolve_reply(claim, email, session, sent, own) for claim in named]
    return [claim.block for claim in claims if claim.block is not None and not claim.reason]
