"""Ways to send an order email. A new transport is one more `Sender` in `senders_for`."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from pbem import atomic_files
from pbem.lazy_regex import clean
from pbem.tui.model.game_source import Source
from pbem.tui.model.order_draft import OrderDraft, code_for, file_name
from pbem.tui.model.seat_view import SeatView

COMMAND = "PBEM_SENDMAIL"
"""The variable that names a command which sends the mail on its standard input, such as `msmtp -t`."""

ENDINGS = {"draft": ".eml", "file": ".orders"}


class NotSent(Exception):
    """An email that couldn't be sent; the message says why."""


@dataclass(frozen=True)
class OrderSubmission:
    """An email ready to send: the block, and the headers of a mail."""

    desk: SeatView
    email: OrderDraft
    subject: str
    intro: str
    now: datetime
    to: str = ""
    sender: str = ""

    @property
    def block(self) -> str:
        return self.email.block(self.desk.name, code_for(self.desk, self.email.seat))

    def mail(self) -> bytes:
        """Return it as a mail draft (.eml), to be opened and sent with any mail program."""
        from email.message import EmailMessage  # needs a MiB, so only when something is sent
        from email.policy import SMTP

        message = EmailMessage(policy=SMTP)
        for name, address in (("From", self.sender), ("To", self.to)):
            if address:
                message[name] = clean(address)
        message["Subject"] = clean(self.subject).replace("\n", " ")
        message["X-Unsent"] = "1"  # Outlook and others open it for editing
        message.set_content(f"{self.intro}\n\n{self.block}" if self.intro else self.block)
        return message.as_bytes()


@dataclass(frozen=True)
class Sender:
    """A way to send, `send.<key>` in messages. `send` returns what to show (a path, a receipt). It raises `NotSent`."""

    key: str
    send: Callable[[OrderSubmission], str]


def _to_save(source: Source, out: OrderSubmission) -> str:
    from pbem.save import SaveError

    try:
        return source.take(out.block, out.now)
    except (SaveError, OSError) as error:
        raise NotSent(str(error)) from error


def _to_file(folder: Path, ending: str, out: OrderSubmission) -> str:
    path = folder / file_name(out.desk, out.email, ending)
    try:
        atomic_files.replace(path, out.mail() if ending == ".eml" else out.block.encode(), 0o600)
    except OSError as error:
        raise NotSent(str(error)) from error
    return str(path)


def _to_clipboard(copy: Callable[[str], None], out: OrderSubmission) -> str:
    """Copy to the clipboard of the terminal (OSC 52)."""
    copy(out.block)
    return ""


def _to_command(command: str, out: OrderSubmission) -> str:
    if not out.to:
        raise NotSent("no address to send to: start with --game-address ADDRESS or set PBEM_GAME_ADDRESS")
    try:
        done = subprocess.run(shlex.split(command), input=out.mail(), capture_output=True, timeout=60, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise NotSent(str(error)) from error
    if done.returncode:
        raise NotSent(done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}")
    return out.to


def senders_for(source: Source, copy: Callable[[str], None], env: Mapping[str, str]) -> list[Sender]:
    """Return the available ways, the likeliest first."""
    found = [Sender("save", partial(_to_save, source))] if source.can_write else []
    if env.get(COMMAND):
        found.append(Sender("command", partial(_to_command, env[COMMAND])))
    files = [Sender(key, partial(_to_file, source.path.parent, ending)) for key, ending in ENDINGS.items()]
    return [*found, *files, Sender("clipboard", partial(_to_clipboard, copy))]
