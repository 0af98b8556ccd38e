"""`pbem doctor`: what is in order in a folder of games, and what to do about the rest. It changes nothing.

The only email that it sends is one to ourselves, once a day at most; `round-trip.json` keeps the result. Of games it
says what the digest says, so a moderator who plays reads nothing that only others may know.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

import msgspec

import games
from pbem import atomic_files
from pbem.clock import heartbeat
from pbem.kernel.questions import MODERATOR
from pbem.mail.notices import Notices, said_of
from pbem.mail.save_index import SaveIndex
from pbem.mail.scheduler.needs import needs, players_emails, repairs
from pbem.mail.scheduler.reaching import Reach
from pbem.save import Save
from pbem.save.folder_settings import FolderSettings
from pbem.timestamps import stamp

State = Literal["ok", "!", "no"]
OK: Final = "ok"
LOOK: Final = "!"
NO: Final = "no"
_ROUND = "round-trip.json"
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
_PATIENCE = 30.0
"""Seconds in which the email to ourselves is to come back."""

_ROOM = 100 << 20
_SAVES = 20
"""The disk needs room for this number of bytes, and for this number of copies of the largest save."""

_SLOW = 120
"""A clock that is off by more seconds is wrong."""

_EXPIRES = timedelta(days=14)


class Check(msgspec.Struct, frozen=True):
    """One line of the report: what was checked, the result, and what to do about it."""

    name: str
    state: State
    words: str
    remedy: str = ""


class RoundTripResult(msgspec.Struct):
    """The last email to ourselves: `off` are the seconds between its time by our clock and by the mail host's."""

    at: datetime
    seconds: float
    off: float | None = None
    verdicts: dict[str, str] = {}


class Doctor:
    """The checks of one folder. `imap` and `smtp` are the accounts in force."""

    def __init__(self, folder: Path, settings: FolderSettings, now: datetime, imap: str, smtp: str) -> None:
        self.folder = folder
        self.settings = settings
        self.now = now
        self.imap = imap
        self.smtp = smtp
        self.index = SaveIndex([folder])
        self.heart = heartbeat.load(folder)
        self.reach = Reach(folder)

    def head(self) -> str:
        """Return what the check examined."""
        from pbem import __version__

        saves = self.index.headers.values()
        over = sum(save.header.over for save in saves)
        python = ".".join(map(str, sys.version_info[:3]))
        return f"pbem {__version__}, Python {python}, {sys.platform} · {self.folder}: {len(saves)} games, {over} over"

    def checks(self, *, offline: bool = False) -> Iterator[Check]:
        """Yield all checks in order."""
        if not offline:
            yield from self._servers()
        yield self._account()
        yield self._schedule()
        yield from self._round_trip(offline)
        yield self._disk()
        yield from self._saves()
        yield from self._items()
        yield self._quarantine()
        yield self._you()

    def _servers(self) -> Iterator[Check]:
        from pbem.mail.transport.login_check import check_login

        waiting = len(self.reach.lying)
        for name, url, sends in (("mail in", self.imap, False), ("mail out", self.smtp, True)):
            if not url:
                remedy = "pbem setup mail"
                yield Check(name, LOOK if not sends or not waiting else NO, "no server is named", remedy)
                continue
            login = check_login([url], self.folder, sends=sends)
            words = f"{login.words}; {waiting} emails wait" if sends else login.words
            ends = self._expires(url) if login.ok else None
            if ends is not None:
                words += f"; certificate until {ends.date().isoformat()}"
            state: State = NO if not login.ok else LOOK if ends and ends - self.now < _EXPIRES else OK
            remedies: dict[State, str] = {LOOK: "renew the server's certificate", NO: "pbem setup mail"}
            yield Check(name, state, words, remedies.get(state, ""))

    def _expires(self, url: str) -> datetime | None:
        import ssl

        from pbem.mail.transport.accounts import AccountError
        from pbem.mail.transport.login_check import certificate_of

        try:
            until = certificate_of(url).until
            return datetime.fromtimestamp(ssl.cert_time_to_seconds(until), UTC)
        except (AccountError, OSError, ValueError):
            return None

    def _round_trip(self, offline: bool) -> Iterator[Check]:
        path, address = self.folder / _ROUND, self.settings.mail.address
        last = atomic_files.load(path, RoundTripResult)
        if not offline and self.imap and self.smtp and address and (last is None or self.now - last.at >= _DAY):
            try:
                last = self._send_round(address)
            except Exception as error:  # of any server: what it says is the result
                yield Check("round trip", NO, f"the email to {address}: {error}", "pbem setup test")
                return
            if last is None:
                words = f"the email to {address} did not come back in {_PATIENCE:.0f} s"
                yield Check("round trip", NO, words, "look into the mailbox, and its spam folder")
                return
            with suppress(OSError):  # on a full disk the other checks count
                atomic_files.store(path, last)
        if last is None:
            return
        judged = ", ".join(f"{name.upper()} {said}" for name, said in last.verdicts.items())
        bad = [name.upper() for name, said in last.verdicts.items() if said != "pass"]
        words = f"email of {stamp(last.at)} came back after {last.seconds:.0f} s"
        remedy = f"ask your mail host for {', '.join(bad)}; some players may not get email" if bad else ""
        yield Check("round trip", LOOK if bad else OK, "; ".join(filter(None, (words, judged))), remedy)
        if last.off is not None:
            right = last.off <= last.seconds + _SLOW
            words = f"within {max(int(last.off), 1)} s of the mail server's"
            yield Check("clock", OK if right else NO, words, "" if right else "set this machine's clock")

    def _send_round(self, address: str) -> RoundTripResult | None:
        from pbem.mail.transport.login_check import came_back, send_round

        at = datetime.now(UTC)
        mark = send_round(self.smtp, address)
        back = came_back(self.imap, mark, address, self.folder, patience=_PATIENCE)
        if back is None:
            return None
        off = abs(back.received - at).total_seconds() if back.received is not None else None
        return RoundTripResult(self.now, back.seconds, off, back.verdicts)

    def _account(self) -> Check:
        mail = self.settings.mail
        if any(os.environ.get(f"PBEM_{name}_PASSWORD") for name in ("IMAP", "SMTP")):
            return Check("account", OK, "password from the environment")
        path = self.settings.file(mail.password_file)
        if path is None:
            where = "token command" if mail.token_command else "keyring, if a password is needed"
            where = f"token from {mail.token_from}, in the keyring" if mail.token_from else where
            return Check("account", OK, where)
        kind = f"token from {mail.token_from}" if mail.token_from else mail.login or "password"
        if not path.is_file():
            return Check("account", NO, f"{kind}, {path}: the file is missing", "pbem setup mail")
        mode = path.stat().st_mode & 0o777
        words, remedy = f"{kind}, {path}, mode {mode:04o}", f"chmod 600 {shlex.quote(str(path))}"
        return Check("account", NO, words, remedy) if mode & 0o077 else Check("account", OK, words)

    def _schedule(self) -> Check:
        every, last = self.settings.schedule.every, self.heart.tick
        if last is None:
            remedy = "pbem setup schedule; pbem run, if you start runs yourself"
            return Check("schedule", LOOK, "pbem run has never run here", remedy)
        hours = min((save.clock.outage for save in self.index.headers.values()), default=6)
        late = self.now - last > max(timedelta(minutes=3 * every), _HOUR) if every else False
        late = late or bool(self.heart.silent(self.now, hours))
        ago = self.now - last
        age = f"{int(ago / _HOUR)} h" if ago >= _HOUR else f"{int(ago.total_seconds() / 60)} min"
        words = f"last run {stamp(last)}, {age} ago" + (f"; every {every} min expected" if every else "")
        see = {"systemd": "systemctl --user status pbem.timer; ", "cron": "crontab -l; "}
        remedy = f"{see.get(self.settings.schedule.by, '')}pbem setup schedule"
        return Check("schedule", NO if late else OK, words, remedy if late else "")

    def _disk(self) -> Check:
        free = shutil.disk_usage(self.folder).free
        sizes = [path.stat().st_size for path in self.folder.rglob("*") if path.is_file()]
        largest = max((path.stat().st_size for path in self.index.paths.values()), default=0)
        full = free < max(_ROOM, _SAVES * largest)
        words = f"{free / 1e9:.1f} GB free; games take {sum(sizes) / 1e6:.0f} MB"
        return Check(
            "disk", NO if full else OK, words, "free disk space: runs fail when the disk is full" if full else ""
        )

    def _saves(self) -> Iterator[Check]:
        for path, error in self.index.broken.items():
            spare = [line for key, line in repairs(path) if key == "spare"]
            remedy = spare[0] if spare else "pbem docs back-up-and-restore"
            where = f"line {error.line}: " if error.line else ""
            yield Check(path.name, NO, f"{where}{error.why}", remedy)
        bad = []
        for name, save in self.index.headers.items():
            file = self.index.paths[name].name
            if why := _unwritable(self.index.paths[name]):
                bad.append(Check(file, NO, f"nothing can be written into it: {why}", f"ls -ld . {shlex.quote(file)}"))
            if self.index.paths[name].stat().st_mode & 0o077:
                yield Check(file, LOOK, "others on this machine can read it, with all secrets", f"chmod 600 {file}")
            try:
                rules = games.load(save.header.game).rules
            except games.GameError as error:
                bad.append(Check(file, NO, str(error), "install the package that has this game"))
                continue
            if save.header.rules != rules and not save.header.over:
                words = f"begun with rules {save.header.rules}; these are {rules}"
                bad.append(Check(file, NO, words, f"pbem upgrade check {file}"))
        yield from bad
        if not bad and not self.index.broken:
            yield Check("games", OK, "every save can be read and played on")

    def _items(self) -> Iterator[Check]:
        """Yield what the digest would say, reported or not."""
        items = [*needs(self.index, self.heart, self.reach, self.now), *Notices(self.folder, self.now).troubles()]
        first = next(iter(self.index.headers.values()), None)
        for need in items:
            save = need.save or first
            skipped = need.section == "quarantine" or need.key.startswith(("broken|", "rhythm|")) or need.aloud
            if save is None or skipped:
                continue
            words = said_of(need, save).split("\n")[0]
            remedy = "; ".join(command for command, _ in need.commands[:2] if command != "pbem doctor")
            yield Check(save.header.name if need.save else "runs", LOOK, words, remedy)

    def _quarantine(self) -> Check:
        mine, others = players_emails(self.index, self.folder)
        words = f"emails that may be players': {len(mine)}; of strangers: {others}"
        remedy = f"pbem quarantine list; pbem quarantine show {mine[0].id}" if mine else ""
        return Check("quarantine", LOOK if mine else OK, words, remedy)

    def _you(self) -> Check:
        saves = self.index.headers.values()
        known = [*self.settings.moderator.addresses, *(to for save in saves for to in save.post.moderator)]
        if not known:
            return Check("you", LOOK, "no address to tell you what needs you", "pbem setup defaults")
        back = [row for save in saves for row in self._own(save)]
        last_digest = Notices(self.folder, self.now).last()
        words = f"{', '.join(dict.fromkeys(known))}; last digest {stamp(last_digest) or 'never'}"
        if back:
            return Check("you", NO, f"{words}; email bounces: {back[0]}", "pbem config set SAVE moderator=ADDRESS")
        return Check("you", OK, f"{words}, not bounced")

    def _own(self, save: Save) -> Sequence[str]:
        rows = self.reach.bounces.open_for(save, self.now, self.reach.rows)
        return [row.why for row in rows if row.seat == MODERATOR]


def _unwritable(path: Path) -> str:
    """Return why a save can't be replaced, or nothing. Its own mode doesn't matter: a new file is put in its place."""
    try:
        os.close(os.open(path, os.O_RDWR))
    except PermissionError as error:
        if error.errno == errno.EPERM:  # made unchangeable by chattr
            return str(error.strerror)
    except OSError as error:
        return str(error.strerror)
    return "" if os.access(path.parent, os.W_OK) else f"the folder {path.parent} is read-only for you"


def as_lines(found: Iterable[Check]) -> Iterator[str]:
    """Yield the report as text: a line for each check, its remedy below."""
    from pbem.report.text_width import wrap

    counts = {OK: 0, LOOK: 0, NO: 0}
    for check in found:
        counts[check.state] += 1
        head = f"{check.state:<3} {check.name:<11} "
        lines = wrap(check.words, 80 - len(head))
        yield head + lines[0]
        yield from (" " * len(head) + line for line in lines[1:])
        for at, line in enumerate(wrap(check.remedy, 60)):
            if line:
                yield f"{' ' * len(head)}{'  ' if at else '→ '}{line}"
    yield f"{counts[NO]} wrong, {counts[LOOK]} to look at. Nothing was changed."
