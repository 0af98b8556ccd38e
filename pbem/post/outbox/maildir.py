"""Delivery: letters written in a save become files of a Maildir, from where any mail program sends them.

A file's name follows from its letter, so that a run that died between writing the file and noting it writes the same
file again, and a letter is delivered once.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pbem.post.inbox.quarantine import write_durably, writing
from pbem.post.outbox.message import Outgoing, to_bytes
from pbem.save import OutLetter, Save


class Outbox:
    """A Maildir of letters to be sent. Made when the first letter is delivered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sent: set[int] | None = None

    def deliver(self, save: Save, letter: OutLetter) -> Path:
        """Write one letter; if it lies there already (also as seen or flagged), leave it.

        Raises ValueError for an address that is none, OSError.
        """
        return self.put(file_name(save, letter), as_bytes(save, letter))

    def put(self, name: str, content: bytes) -> Path:
        """Write one message under its name, unless it lies there. Raises OSError."""
        for folder in ("tmp", "new", "cur"):
            (self.folder / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        with writing(self.folder):
            there = self.find(name)
            if there is not None:
                return there
            target = self.folder / "new" / name
            write_durably(self.folder / "tmp" / name, target, content)
        return target

    def find(self, name: str) -> Path | None:
        """Where the message of that name lies, sent or not."""
        fresh, cur = self.folder / "new" / name, self.folder / "cur"
        # As `pbem send` leaves them, also just now.
        for there in (
            fresh,
            cur / f"{name}:2,S",
            cur / f"{name}:2,T",
        ):
            if there.exists():
                return there
        # Look through all that was ever sent once in a run, and keep a number of each.
        if self._sent is None:
            names = (entry.name for entry in os.scandir(cur)) if cur.is_dir() else ()
            self._sent = {_number(file_name.partition(":")[0]) for file_name in names}
        if _number(name) not in self._sent:
            return None
        return next((path for path in cur.iterdir() if path.name.partition(":")[0] == name), None)

    def has(self, name: str) -> bool:
        """Whether the message of that name lies here."""
        return bool(name) and self.find(name) is not None


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest(), "big")


def file_name(save: Save, letter: OutLetter) -> str:
    """The name of a letter's file: game, seat, the seat's own count and a digest, e.g. `vq-07.spain.0012.6d7f2442`.

    The digest is that of its message id: a new game under an old name has other files.
    """
    digest = letter.message_id.partition("@")[0].rpartition(".")[2]
    return f"{save.header.name}.{letter.id}.{digest[:8]}"


def as_bytes(save: Save, letter: OutLetter) -> bytes:
    """The MIME message of a letter in a save's outbox. Raises ValueError for one that was never dated."""
    if letter.at is None:
        raise ValueError("it has no date")
    return to_bytes(
        Outgoing(
            ident=letter.message_id.strip("<>"),
            sender=letter.sender,
            to=letter.to,
            subject=letter.subject,
            text=letter.body,
            html=letter.html,
            at=letter.at,
            parents=tuple(letter.thread),
            answers=letter.kind == "receipt",
            name=f"pbem {save.header.name}",
            calendar=letter.calendar,
            cancelled=letter.cancelled,
            view=letter.view,
            proof=letter.proof,
            picture=letter.picture,
            bundle=letter.bundle,
            board=letter.board,
        )
    )
