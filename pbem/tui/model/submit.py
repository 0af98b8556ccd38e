"""Ways to send an order email. A new transport is one more `Sender` in `senders_for`."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pbem import atomic_files
from pbem.tui.model.game_source import Source
from pbem.tui.model.order_draft import OrderDraft, code_for, file_name, mail
from pbem.tui.model.seat_view import SeatView

COMMAND = "PBEM_SENDMAIL"
"""The variable that names a command which sends the mail on its standard input, such as `msmtp -t`."""


class NotSent(Exception):
    """An email that couldn't be sent; the message says why."""


@dataclass(frozen=True)
class OrderSubmission:
    """An email ready to send: the block, and the headers of a mail."""

    desk: SeatView
    letter: OrderDraft
    subject: str
    intro: str
    now: datetime
    to: str = ""
    sender: str = ""

    @property
    def block(self) -> str:
        return self.letter.block(self.desk.name, code_for(self.desk, self.letter.seat))

    def mail(self) -> bytes:
        return mail(self.block, subject=self.subject, to=self.to, sender=self.sender, intro=self.intro)


class Sender(Protocol):
    """A way to send. `key` names it (`send.<key>` in the messages of the UI)."""

    @property
    def key(self) -> str: ...

    def send(self, out: OrderSubmission) -> str:
        """Send it. Return what to show the user (a path, a receipt). Raises `NotSent`."""
        ...


@dataclass(frozen=True)
class ToSave:
    """Writes directly to the save: for the moderator and hot-seat play."""

    source: Source
    key: str = "save"

    def send(self, out: OrderSubmission) -> str:
        from pbem.save import SaveError

        try:
            return self.source.take(out.block, out.now)
        except (SaveError, OSError) as error:
            raise NotSent(str(error)) from error


@dataclass(frozen=True)
class ToFile:
    """Writes a move file (`.orders`) or a mail draft (`.eml`) to `folder`."""

    folder: Path
    key: str

    def send(self, out: OrderSubmission) -> str:
        path = self.folder / file_name(out.desk, out.letter, ".eml" if self.key == "draft" else ".orders")
        try:
            atomic_files.replace(path, out.mail() if self.key == "draft" else out.block.encode(), 0o600)
        except OSError as error:
            raise NotSent(str(error)) from error
        return str(path)


@dataclass(frozen=True)
class ToClipboard:
    """Copies to the clipboard of the terminal (OSC 52)."""

    copy: Callable[[str], None]
    key: str = "clipboard"

    def send(self, out: OrderSubmission) -> str:
        self.copy(out.block)
        return ""


@dataclass(frozen=True)
class ToCommand:
    """Runs a command that takes a mail on its standard input."""

    command: str
    key: str = "command"

    def send(self, out: OrderSubmission) -> str:
        if not out.to:
            raise NotSent("no address to send to: start with --game-address ADDRESS or set PBEM_GAME_ADDRESS")
        try:
            done = subprocess.run(
                shlex.split(self.command), input=out.mail(), capture_output=True, timeout=60, check=False
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise NotSent(str(error)) from error
        if done.returncode:
            raise NotSent(done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}")
        return out.to


def senders_for(source: Source, copy: Callable[[str], None], env: Mapping[str, str]) -> list[Sender]:
    """Return the available ways, the likeliest first."""
    found: list[Sender] = [ToSave(source)] if source.can_write else []
    if env.get(COMMAND):
        found.append(ToCommand(env[COMMAND]))
    folder = source.path.parent
    return [*found, ToFile(folder, "draft"), ToFile(folder, "file"), ToClipboard(copy)]
