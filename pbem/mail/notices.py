"""Notices to the moderator: of a lasting fault once, then daily, and once when it is over.

`told.json` next to the saves records them. Even if the outbox is emptied, no notice is sent twice. If a run dies
while it writes to the moderator, the next one finishes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pbem import atomic_files
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.mail.outbox.mime_message import Outbox, OutgoingEmail
    from pbem.mail.outbox.recipient import Recipient
    from pbem.save import Save

NAME = "told.json"
_DAILY = timedelta(hours=24)
_MONTH = timedelta(days=30)
_OVER = timedelta(hours=1)
"""A fault that hasn't occurred for so long is over: an intermittent one isn't announced each time."""


class Fault(msgspec.Struct):
    """A recurring fault: its times, and the hours after which moderators get an email (`mail`, -1: never)."""

    text: str
    since: datetime
    met: datetime
    told: datetime
    mail: int = -1


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """A matter that needs the moderator. `key` identifies it, `words` and `args` are its text.

    `save` is the game whose moderators are notified (None: those of all games). `commands` are the command lines that
    help, each with the key of its description. Only one of a `group` is announced, as the others have the same cause.
    """

    key: str
    words: str
    args: dict[str, str | datetime]
    save: Save | None = None
    commands: Sequence[tuple[str, str]] = ()
    group: str = ""


class _Told(msgspec.Struct):
    """The file. `letters` are notices by name that may not be in the outbox yet, `events` the time of each."""

    faults: dict[str, Fault] = {}
    needs: dict[str, datetime] = {}
    events: dict[str, datetime] = {}
    letters: dict[str, str] = {}


class Notices:
    """The notices of one folder of saves, read again for each change: a run and its steps share it.

    Raises `OSError` if the file can't be read: else all would be announced again.
    """

    def __init__(self, folder: Path, now: datetime) -> None:
        self.path = folder / NAME
        self.now = now
        self._met: set[str] = set()

    def _read(self) -> _Told:
        return atomic_files.load(self.path, _Told) or _Told()

    def _store(self, told: _Told) -> None:
        if told == _Told():
            self.path.unlink(missing_ok=True)
        else:
            atomic_files.store(self.path, told, 0o600)

    # -- faults of runs ----------------------------------------------------------------------------------------------

    def loud(self, text: str, key: str = "", *, mail: int = -1) -> bool:
        """Record a fault; return whether to announce it now. `key`: the constant part of the text."""
        text = text.encode("utf-8", "backslashreplace").decode()  # it may name a file whose name isn't UTF-8
        key = key or " ".join("#" if re.search(r"\d", word) else word for word in text.split())
        key = key.encode("utf-8", "backslashreplace").decode()
        self._met.add(key)
        try:
            told = self._read()
            fault = told.faults.setdefault(key, Fault(text, self.now, self.now, self.now - _DAILY, mail))
            aloud = self.now - fault.told >= _DAILY
            fault.text, fault.met, fault.told = text, self.now, self.now if aloud else fault.told
            self._store(told)
        except OSError:
            return True
        return aloud

    def over(self) -> list[Fault]:
        """Remove and return the faults that did not occur in this run, nor in the last hour."""
        told = self._read()
        gone = {
            key
            for key, fault in told.faults.items()
            if key not in self._met and self.now - fault.met >= _OVER
        }
        found = [told.faults.pop(key) for key in gone]
        if found:
            self._store(told)
        return found

    def troubles(self) -> list[Need]:
        """Return the faults that last, and the damaged files that were put aside."""
        aside = [*self.path.parent.glob(f"*{atomic_files.DAMAGED}")]
        aside += self.path.parent.glob(f"outbox/*{atomic_files.DAMAGED}")
        damaged = [
            Need(
                key=f"damaged|{path.name}|{path.stat().st_mtime_ns}",
                words="moderator.damaged",
                args={"file": str(path), "name": path.name.removesuffix(atomic_files.DAMAGED)},
            )
            for path in sorted(aside)
        ]
        return damaged + [
            Need(
                key=f"fault|{key}|{stamp(fault.since)}",
                words="moderator.trouble",
                args={"what": fault.text, "since": fault.since},
            )
            for key, fault in self._read().faults.items()
            if fault.mail >= 0 and self.now - fault.since >= timedelta(hours=fault.mail)
        ]

    # -- what needs the moderator ------------------------------------------------------------------------------------

    def due(self, needs: Sequence[Need]) -> bool:
        """Return whether there is something to announce, to finish, or to forget."""
        told = self._read()
        return bool(told.letters) or {need.key for need in needs} != told.needs.keys()

    def write(
        self, outbox: Outbox, needs: Sequence[Need], headers: Sequence[Save], sender: str
    ) -> list[Need]:
        """Write to the moderators, one email each, about all that is new; return the needs without a reader."""
        told = self._read()
        groups = {need.group for need in needs if need.group and need.key in told.needs}
        fresh = [need for need in needs if need.key not in told.needs and need.group not in groups]
        told.needs = {need.key: told.needs.get(need.key, self.now) for need in needs}
        return self._send(told, fresh, outbox, headers, sender)

    def tell(self, outbox: Outbox, event: Need, headers: Sequence[Save], sender: str) -> None:
        """Write to the moderators about an event: once, until it hasn't occurred for a month."""
        told = self._read()
        met = told.events.get(event.key)
        if met is None or self.now - met >= _DAILY:
            told.events = {key: at for key, at in told.events.items() if self.now - at < _MONTH}
            told.events[event.key] = self.now
            self._send(told, [] if met else [event], outbox, headers, sender)

    def _send(
        self, told: _Told, fresh: Sequence[Need], outbox: Outbox, headers: Sequence[Save], sender: str
    ) -> list[Need]:
        letters = [*_letters(fresh, headers, sender, self.now)]
        told.letters |= {name: text for name, text, _ in letters}
        self._store(told)
        for name, text in told.letters.items():
            outbox.put(name, text.encode("ascii"))
        if told.letters:
            told.letters = {}
            self._store(told)
        reached = {need.key for _, _, about in letters for need in about}
        return [need for need in fresh if need.key not in reached]


def _letters(
    needs: Sequence[Need], headers: Sequence[Save], sender: str, now: datetime
) -> Iterable[tuple[str, str, list[Need]]]:
    """Yield name, text and contents of the email to each moderator."""
    from pbem.mail.outbox.mime_message import sender_of, to_bytes

    whose: dict[str, Save] = {}
    for save in headers:
        for to in save.post.moderator:
            whose.setdefault(to, save)
    for to, save in whose.items() if needs else ():
        own = [need for need in needs if need.save is None or to in need.save.post.moderator]
        if own:
            first = next((need.save for need in own if need.save is not None), save)
            mark = hashlib.sha256("\0".join([to, stamp(now), *(need.key for need in own)]).encode())
            name = f"notice.{mark.hexdigest()[:16]}"
            letter = _letter(name, to, own, first, sender_of(first, sender), now)
            yield name, to_bytes(letter).decode("ascii"), own


def _letter(name: str, to: str, needs: Sequence[Need], save: Save, home: str, now: datetime) -> OutgoingEmail:
    from pbem.mail.outbox.mime_message import OutgoingEmail, host_of
    from pbem.report.text_width import wrap

    blocks, names = [], []
    for need in needs:
        said = said_of(need, need.save or save)
        name_of = need.save.header.name if need.save is not None else ""
        names += [name_of] if name_of and name_of not in names else []
        reader = reader_for(need.save or save)
        lines = [line for part in said.split("\n") for line in wrap(part, 72)]
        for command, what in need.commands:
            lines += ["", f"  {command}", *wrap(reader.words(what), 72, "      ")]
        blocks.append("\n".join([*([f"== {name_of} =="] if name_of else []), *lines]))
    reader, games = reader_for(save), ", ".join(names)
    if len({need.words for need in needs}) == 1:
        subject = reader.words(f"{needs[0].words}.subject", game=games)
    else:
        subject = reader.words("moderator.needs.subject", game=games, count=str(len(needs)))
    return OutgoingEmail(
        ident=f"{name}@{host_of(home)}",
        sender=home,
        to=to,
        subject=subject,
        text="\n\n".join(blocks) + "\n",
        at=now,
        name="pbem",
    )


def said_of(need: Need, save: Save) -> str:
    """Return the text of a need, in the language and zone of a game's moderator."""
    reader = reader_for(save)
    args = {name: reader.when(arg) if isinstance(arg, datetime) else arg for name, arg in need.args.items()}
    return reader.words(need.words, **args)


def reader_for(save: Save) -> Recipient:
    """Return a game's moderator as a recipient, from its header alone."""
    from pbem.kernel.questions import MODERATOR
    from pbem.mail.outbox.recipient import Recipient
    from pbem.report.messages import Catalogue
    from pbem.save import SeatInfo

    seat = SeatInfo(MODERATOR, zone=save.clock.zone, language=save.post.language)
    return Recipient(seat, Catalogue(None, language=seat.language))
