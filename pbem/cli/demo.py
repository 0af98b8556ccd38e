"""`pbem demo`: a demonstration."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from random import Random

import games
from pbem.cli.commands import command
from pbem.cli.console import busy, data
from pbem.cli.mail import show_report
from pbem.cli.options import FOLDER, add_option
from pbem.cli.status import show_prompts
from pbem.dev import synthetic_mail
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.sources import open_source


@command("demo", "pbem demo", "--output ~/pbem-demo")
@add_option("-o --output", "FOLDER", "Work in this folder and keep it.", type=FOLDER)
def demo_command(output: Path | None) -> None:
    """Show one round of play.

    A ballot of 1630 Something is open: the emails of four players come in, and their answers go out. Without --output
    it happens in a temporary folder.
    """
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        _demo(output)
        return
    with tempfile.TemporaryDirectory(prefix="pbem-demo-") as folder:
        _demo(Path(folder))


def _demo(folder: Path) -> None:
    """Process an open ballot, a mailbox of four players and later emails, made on the spot as those of examples/."""
    save, box = folder / "1630-ballot.toml", folder / "round.mbox"
    with busy("setting the table"):
        ballot(save, folder)
        (folder / "work").mkdir(exist_ok=True)
        mails = synthetic_mail.demo_round(save, folder / "work")
        box.write_bytes(synthetic_mail.as_mbox(mails))
    data(f"A game of 1630 Something in {save}: a ballot is open, sealed, to four players.\n")
    show_prompts(save)
    data(f"\n{len(mails)} emails in {box} (the same as examples/round.mbox); the first of them:\n")
    data(next(iter(open_source(box))).raw.decode("utf-8", "replace"))
    data(f"\n$ pbem ingest {save} {box}")
    report = ingest([save], [box], now=mails[-1].at + timedelta(minutes=5))
    show_report(report, home=folder)
    data(f"\nThe {len(report.sent)} emails that went out.")
    for sent in report.sent:
        data(f"\n{'=' * 40}\n{plain_part(Path(sent.file).read_bytes())}")
    data(f"$ pbem questions {save}")
    show_prompts(save)
    data("\nPlay it yourself, against bots: pbem play sixteen_thirty --guide")


def plain_part(raw: bytes) -> str:
    """Return the main headers and the plain text of a message."""
    email = decode_mail(raw)
    return f"To: {', '.join(email.to)}\nSubject: {email.subject}\n\n{email.text}"


def ballot(path: Path, home: Path) -> None:
    """Make a 1630 game of four in turn 2, before an open sealed ballot, with its emails in the outbox."""
    session = synthetic_mail.new_game(path, games.load("sixteen_thirty"), 4)
    synthetic_mail.play(session, synthetic_mail.open_ballot, Random(path.stem))
    synthetic_mail.finish(session, home)
