"""The moderator's digest: what needs them, each item once, in one email for all games of a moderator.

What stops a game or the mail is sent in the run that finds it, everything else at the next 8:00 of the moderator's
time zone. `told.json` next to the saves records what moderators have been sent. Even if the outbox is emptied, nobody
is notified twice. If a run dies while it writes to the moderator, the next one finishes. Runs also print their faults
from here: once, then daily, and once when they are over.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pbem import atomic_files
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.mail.outbox.mime_message import Outbox
    from pbem.mail.outbox.recipient import Recipient
    from pbem.save import OutboxEntry, Save
    from pbem.save.folder_settings import FolderSettings

NAME = "told.json"
_BLOCK = 4096
"""The file has room for a fault, and is there from the first run on: a full disk is printed once, too."""

_DAILY = timedelta(hours=24)
_MONTH = timedelta(days=30)
_NOTED = timedelta(hours=2)
"""A fault of sending that lasted so long is reported when it is over, and so is a full disk: no email could leave."""

UNSENT = -2
"""`mail` of a fault of sending: no email can tell it while it lasts."""

MAILBOX, SENDING, DISK = "mailbox", "sending", "disk"
"""Keys of faults whose text changes from run to run: servers put numbers and times into what they say."""

_OVER = timedelta(hours=1)
"""A fault that hasn't occurred for so long is over: an intermittent one isn't announced each time."""


class RecurringFault(msgspec.Struct):
    """A recurring fault: its times, and the hours after which moderators get an email (`mail`, -1: never).

    `why` is what an email says of it, where the text names emails, and with them seats.
    """

    text: str
    since: datetime
    met: datetime
    told: datetime
    mail: int = -1
    why: str = ""


def _mark(key: str, fault: RecurringFault) -> str:
    return f"fault|{key}|{stamp(fault.since)}"


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """An item of the digest. `key` identifies it, `words` and `args` are its text, `section` is one of `SECTIONS`.

    `save` is the game whose moderators are notified (None: those of all games). `commands` are the command lines that
    help, each with the key of its description. Only one of a `group` is told, as the others have the same cause.
    `daily`: it waits for the hour of the digest. `waits`: it changes nothing now and isn't told yet. `aloud`: no email
    can bring it, so that the run prints it.
    """

    key: str
    words: str
    args: dict[str, str | datetime]
    save: Save | None = None
    commands: Sequence[tuple[str, str]] = ()
    group: str = ""
    section: str = "needs"
    daily: bool = False
    waits: bool = False
    aloud: bool = False


SECTIONS = ("needs", "quarantine", "known")


class _Event(msgspec.Struct):
    """An item that no later run finds again, such as a fault: kept until the next digest."""

    key: str
    words: str
    args: dict[str, str]
    game: str = ""
    section: str = "needs"
    since: datetime | None = None

    def need(self, games: Mapping[str, Save]) -> Need:
        args: dict[str, str | datetime] = {**self.args}
        if self.since is not None:
            args["since"] = self.since
        return Need(key=self.key, words=self.words, args=args, save=games.get(self.game), section=self.section)


class _NoticeFile(msgspec.Struct):
    """The file. `needs` were reported, `waiting` not yet: each with the time it was found; `events` the time of each.

    `letters` are digests by name that may not be in the outbox yet.
    """

    faults: dict[str, RecurringFault] = {}
    needs: dict[str, datetime] = {}
    waiting: dict[str, datetime] = {}
    events: dict[str, datetime] = {}
    queue: list[_Event] = []
    letters: dict[str, str] = {}


class Notices:
    """The notices of one folder of saves, read again for each change: a run and its steps share it.

    Raises `OSError` if the file can't be read: with an empty list, all would be announced again.
    """

    def __init__(self, folder: Path, now: datetime) -> None:
        self.path = folder / NAME
        self.now = now
        self._met: set[str] = set()
        self._aloud = False

    @functools.cached_property
    def folder(self) -> FolderSettings:
        """The `pbem.toml` of the folder. Raises `OSError` if it can't be read: it may name the moderators."""
        from pbem.save import SaveError
        from pbem.save.folder_settings import load_folder_settings

        try:
            return load_folder_settings(self.path.parent)
        except SaveError as error:
            raise OSError(errno.EINVAL, error.why, str(error.path)) from None

    def _read(self) -> _NoticeFile:
        return atomic_files.load(self.path, _NoticeFile) or _NoticeFile()

    def _store(self, told: _NoticeFile) -> None:
        atomic_files.store(self.path, told, block=_BLOCK)

    def loud(self, text: str, key: str = "", *, mail: int = -1, joins: bool = False, why: str = "") -> bool:
        """Record a fault; return whether to announce it now. `key` identifies it, so its text may change.

        One that `joins` is repeated only together with another.
        """
        text = text.encode("utf-8", "backslashreplace").decode()  # it may name a file whose name isn't UTF-8
        key = key or " ".join("#" if re.search(r"\d", word) else word for word in text.split())
        key = key.encode("utf-8", "backslashreplace").decode()
        self._met.add(key)
        try:
            kept = self._read()
            fault = kept.faults.setdefault(key, RecurringFault(text, self.now, self.now, self.now - _DAILY, mail))
            aloud = self.now - fault.told >= _DAILY and (self._aloud or not joins or fault.since == self.now)
            self._aloud |= aloud
            fault.text, fault.why, fault.met = text, why, self.now
            fault.told = self.now if aloud else fault.told
            self._store(kept)
        except OSError:
            return True
        return aloud

    def over(self) -> list[RecurringFault]:
        """Remove and return the faults that did not occur in this run, nor in the last hour."""
        kept = self._read()
        gone = {key for key, fault in kept.faults.items() if key not in self._met and self.now - fault.met >= _OVER}
        ended = []
        for key in sorted(gone):
            fault = kept.faults.pop(key)
            ended.append(fault)
            known = _mark(key, fault) in kept.needs
            unsent = not known and (key == DISK or (fault.mail == UNSENT and self.now - fault.since >= _NOTED))
            if unsent or known:
                words = "moderator.mended" if unsent and key != DISK else "moderator.works"
                what = {"what": (fault.why or fault.text).split("\n")[0]}
                kept.queue.append(_Event(f"over|{_mark(key, fault)}", words, what, section="known", since=fault.since))
        if ended:
            self._store(kept)
        elif not self.path.exists():
            with suppress(OSError):
                self._store(kept)
        return ended

    def troubles(self) -> list[Need]:
        """Return the faults that last, and the damaged files."""
        needs, folder = [], self.path.parent
        ending, check = atomic_files.DAMAGED, (("pbem doctor", "moderator.trouble.doctor"),)
        for path in sorted([*folder.glob(f"*{ending}"), *folder.glob(f"outbox/*{ending}")]):
            key, name = f"damaged|{path.name}|{path.stat().st_mtime_ns}", path.name.removesuffix(ending)
            needs.append(Need(key=key, words="moderator.damaged", args={"file": str(path), "name": name}))
        for key, fault in self._read().faults.items():
            if fault.mail >= 0 and self.now - fault.since >= timedelta(hours=fault.mail):
                words = "moderator.mailbox" if key == MAILBOX else "moderator.trouble"
                args: dict[str, str | datetime] = {"what": fault.text, "since": fault.since}
                needs.append(Need(key=_mark(key, fault), words=words, args=args, commands=check))
        return needs

    def due(self, needs: Sequence[Need]) -> bool:
        """Return whether there is something to tell, to finish, or to forget."""
        told = self._read()
        known = told.needs.keys() | told.waiting.keys()
        ripe = any(need.key in told.waiting and self._ripe(need, told) for need in needs)
        return bool(told.letters or told.queue) or ripe or {need.key for need in needs} != known

    def _ripe(self, need: Need, told: _NoticeFile) -> bool:
        """Return whether an item is reported in this run: at once, or at the first digest hour after it was found."""
        if need.waits or not need.daily:
            return not need.waits
        from pbem.mail.outbox.release import DIGEST, last_hour
        from pbem.save import SeatInfo

        clock = SeatInfo("", zone=self._zone(need.save), letters=f"{DIGEST} {self.folder.moderator.hour}")
        return told.waiting.get(need.key, self.now) < last_hour(clock, self.now)

    def write(
        self,
        outbox: Outbox,
        needs: Sequence[Need],
        headers: Sequence[Save],
        sender: str,
        *,
        strangers: int = 0,
        printed: bool = True,
    ) -> list[Need]:
        """Write one digest to each moderator about all that is new; return the items that the run is to print.

        `strangers` is the number of emails in quarantine that no player can have written. If nobody sees what is
        `printed`, items that no email brings wait for the next run.
        """
        reported, games = self._read(), {save.header.name: save for save in headers}
        groups = {need.group for need in needs if need.group and need.key in reported.needs}
        unreported = [need for need in needs if need.key not in reported.needs and need.group not in groups]
        fresh = [need for need in unreported if self._ripe(need, reported) and (printed or self._mailed(need))]
        postponed = {need.key for need in unreported} - {need.key for need in fresh}
        ongoing = [need for need in needs if need.key in reported.needs and need.section != "known"]
        reported.waiting = {key: reported.waiting.get(key, self.now) for key in sorted(postponed)}
        reported.needs = {
            need.key: reported.needs.get(need.key, self.now) for need in needs if need.key not in postponed
        }
        events = [(event, event.need(games)) for event in reported.queue]
        reported.queue = [event for event, need in events if not (printed or self._mailed(need))]
        fresh += [need for event, need in events if event not in reported.queue]
        emails = [*self._digests([need for need in fresh if not need.aloud], ongoing, headers, sender, strangers)]
        reported.letters |= {name: text for name, text, _ in emails}
        self._store(reported)
        for name, text in reported.letters.items():
            outbox.put(name, text.encode("ascii"))
        if reported.letters:
            reported.letters = {}
            self._store(reported)
        reached = {need.key for _, _, about in emails for need in about}
        return [need for need in fresh if need.key not in reached]

    def _mailed(self, need: Need) -> bool:
        return not need.aloud and (need.save is None or bool(self.readers(need.save)))

    def last(self) -> datetime | None:
        """Return when the last digest was sent; None if never."""
        kept = self._read()
        return max([*kept.needs.values(), *kept.events.values()], default=None)

    def tell(self, event: Need) -> None:
        """Keep an event for the next digest. A repeated event is kept again only after a month without it."""
        kept = self._read()
        met = kept.events.get(event.key)
        if met is not None and self.now - met < _DAILY:
            return
        kept.events = {key: at for key, at in kept.events.items() if self.now - at < _MONTH}
        kept.events[event.key] = self.now
        if met is None:
            args = {name: str(arg) for name, arg in event.args.items()}
            game = event.save.header.name if event.save is not None else ""
            kept.queue.append(_Event(event.key, event.words, args, game, event.section))
        self._store(kept)

    def readers(self, save: Save) -> list[str]:
        """Return the addresses of a game's moderators: those of the save, else those of the folder."""
        return save.post.moderator or self.folder.moderator.addresses

    def _digests(
        self, needs: Sequence[Need], still: Sequence[Need], headers: Sequence[Save], sender: str, strangers: int
    ) -> Iterator[tuple[str, str, list[Need]]]:
        from pbem.mail.outbox.mime_message import NOBODY, sender_of, to_bytes

        whose: dict[str, Save | None] = {}
        for header in headers:
            for to in self.readers(header):
                whose.setdefault(to, header)
        for to in self.folder.moderator.addresses:
            whose.setdefault(to, None)
        for to, save in whose.items() if needs else ():
            own, open_before = (
                [need for need in all_of_them if need.save is None or to in self.readers(need.save)]
                for all_of_them in (needs, still)
            )
            if own:
                first = next((need.save for need in own if need.save is not None), save)
                mark = hashlib.sha256("\0".join([to, stamp(self.now), *(need.key for need in own)]).encode())
                name = f"notice.{mark.hexdigest()[:16]}"
                address = sender or self.folder.mail.address
                home = sender_of(first, address) if first is not None else address or NOBODY
                text = _Digest(own, self._reader(first), len(open_before), strangers)
                yield name, to_bytes(text.email(name, home, to, self.now)).decode("ascii"), own

    def _reader(self, save: Save | None) -> Recipient:
        """Return the moderator of a game as a recipient: the settings of the folder count first."""
        language = save.post.language if save is not None else "en"
        return reader_in(self._zone(save), self.folder.moderator.language or language)

    def _zone(self, save: Save | None) -> str:
        return self.folder.moderator.zone or (save.clock.zone if save is not None else "UTC")


class _Digest(msgspec.Struct, frozen=True):
    """The text of a digest: its items, how many others are still open, and `strangers`."""

    needs: Sequence[Need]
    reader: Recipient
    still: int
    strangers: int

    def email(self, name: str, home: str, to: str, now: datetime) -> OutboxEntry:
        from pbem.mail.outbox.mime_message import host_of
        from pbem.save import OutboxEntry

        ident = f"<{name}@{host_of(home)}>"
        return OutboxEntry(name, "", to, self.subject(), body=self.text(), at=now, sender=home, message_id=ident)

    def subject(self) -> str:
        saves = [need.save for need in self.needs if need.save is not None]
        games = ", ".join(dict.fromkeys(save.header.name for save in saves))
        if len({need.words for need in self.needs}) == 1:
            return self.reader.words(f"{self.needs[0].words}.subject", game=games or "pbem")
        return self.reader.words("moderator.needs.subject", game=games or "pbem", count=str(len(self.needs)))

    def text(self) -> str:
        from pbem.report.text_width import wrap

        blocks = []
        for section in SECTIONS:
            items = [self._item(need) for need in self.needs if need.section == section]
            if items:
                items[0] = f"{self.reader.words(f'moderator.section.{section}')}\n{items[0]}"
            blocks += items
        last = [("moderator.strangers", self.strangers), ("moderator.still", self.still)]
        words = [self.reader.words(key, count=str(count)) for key, count in last if count]
        return "\n\n".join([*blocks, *("\n".join(wrap(said, 72)) for said in words)]) + "\n"

    def _item(self, need: Need) -> str:
        from pbem.report.text_width import wrap

        name = f"{need.save.header.name}: " if need.save is not None else ""
        lines = [line for part in f"{name}{_need_text(need, self.reader)}".split("\n") for line in wrap(part, 72)]
        for command, what in need.commands:
            lines += [f"  {command}", *wrap(self.reader.words(what), 72, "      ")]
        return "\n".join(lines)


def said_of(need: Need, save: Save) -> str:
    """Return the text of an item, in the language and zone of a game's moderator."""
    return _need_text(need, reader_in(save.clock.zone, save.post.language))


def _need_text(need: Need, reader: Recipient) -> str:
    args = {name: reader.when(arg) if isinstance(arg, datetime) else arg for name, arg in need.args.items()}
    if "reason" in args:
        args["why"] = reader.words(f"moderator.reason.{args['reason']}")
    return reader.words(need.words, **args)


def reader_in(zone: str, language: str) -> Recipient:
    """Return a moderator as a recipient, without opening a game."""
    from pbem.kernel.questions import MODERATOR
    from pbem.mail.outbox.recipient import Recipient
    from pbem.report.messages import Catalogue
    from pbem.save import SeatInfo

    seat = SeatInfo(MODERATOR, zone=zone, language=language)
    return Recipient(seat, Catalogue(None, language=language))
