"""Public events for the outside: webhooks (the setting `notify`), and emails to spectators.

Only public facts are sent: never a player's name, an address, a sealed answer, or who has answered. Errors are
reported to the moderator and stop nothing. Receivers: `https://…` (JSON), `ntfy+https://…` (text with a title) or a
program (JSON on standard input). Programs and private addresses must also be in PBEM_ALLOW
(`pbem.save.settings.allowed`).
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from subprocess import DEVNULL
from urllib.parse import SplitResult, urlsplit, urlunsplit

import msgspec

import games
from pbem.atomic_files import load as load_file
from pbem.atomic_files import store
from pbem.file_locks import lock
from pbem.mail.outbox.mime_message import Outbox, host_of, sender_of, to_bytes
from pbem.mail.outbox.recipient import quoted, reader_of
from pbem.mail.outbox.release import is_held
from pbem.mail.save_index import SaveIndex, code_key
from pbem.report.build import build, visible_lines
from pbem.report.email_text import news_text, position_text
from pbem.report.model import ReportContext
from pbem.save import OutboxEntry, Save, SaveError, SeatInfo, Session, load, locked
from pbem.save.schema import Spectator
from pbem.save.session import Loader
from pbem.save.settings import allowed
from pbem.timestamps import stamp

STATE = ".pbem-notify.json"
SECONDS = 5.0
"""Seconds that a receiver may take; a run waits no longer."""
ROOM = 1500
"""Characters of the news of one event; Discord accepts 2,000."""
MOST = 20
"""Events of one game sent in one run, the last ones if there are more."""


class PublicEvent(msgspec.Struct, kw_only=True):
    """An event for webhooks; `text` is for Slack and Matrix, Discord gets it as `content`.

    `kind`: `news` (public log lines), `time` (turn or phase have changed), `turn` (a seat is asked) or `over`.
    """

    schema: str = "pbem/event/1"
    kind: str
    game: str
    text: str
    seat: str = ""
    q: int = 0
    question: str = ""
    due: str = ""


class NotifiedState(msgspec.Struct):
    """The state of a game that webhooks know; `lines` of its log (-1: none yet, earlier lines aren't sent)."""

    q: int = 0
    clock: str = ""
    over: bool = False
    lines: int = -1


def events_of(save: Save, known: NotifiedState) -> Iterator[PublicEvent]:
    """Yield the public news since `known`."""
    header = save.header
    clock = header.moment
    if clock != known.clock and not header.over and known.clock:
        yield PublicEvent(kind="time", game=header.name, text=f"{header.name}: {clock}")
    if header.q != known.q and not header.over:
        for asked in save.pending:
            until = f", until {asked.due:%Y-%m-%d %H:%M} UTC" if asked.due else ""
            text = f"{header.name}: {asked.seat} is asked ({asked.kind}{until})"
            of_question = {"seat": asked.seat, "question": asked.kind, "due": stamp(asked.due)}
            yield PublicEvent(kind="turn", game=header.name, text=text, q=asked.q, **of_question)
    if header.over and not known.over:
        winners = ", ".join(map(str, header.result.get("winners", []))) or "-"
        yield PublicEvent(kind="over", game=header.name, text=f"{header.name} is over; won by {winners}")


def news(
    path: Path, save: Save, known: NotifiedState, game: Loader = games.load
) -> tuple[list[PublicEvent], NotifiedState]:
    """Return all public news of a save since `known`, and the new state."""
    header, events = save.header, list(events_of(save, known))
    # Like emails: sent when another question is open, or the game is over. Lines before the first event aren't news.
    if 0 <= known.lines < header.lines and (header.q, header.over) != (known.q, known.over):
        events = [*_narrated(Session.open(path, game), known.lines), *events]
    return events, NotifiedState(header.q, header.moment, header.over, header.lines)


def _narrated(session: Session, since: int) -> Iterator[PublicEvent]:
    """Yield an event with the public lines from line `since` on, in the game's language: the last that fit."""
    save, kept, room = session.save, list[str](), ROOM
    reader = reader_of(session, SeatInfo("", zone=save.clock.zone, language=save.post.language))
    lines = session.lines(max(min(since, save.header.lines), session.first_line))
    for line in reversed(visible_lines(reader.say, lines, "")):
        room -= len(line.text) + 1
        if room < 0:
            break
        kept.append(line.text)
    if kept:
        text = "\n".join([f"{save.header.name}:", *reversed(kept)])
        yield PublicEvent(kind="news", game=save.header.name, text=text)


def notify(index: SaveIndex, home: Path, game: Loader = games.load) -> list[str]:
    """Send the news of games with the setting `notify`; return the errors. `home` keeps the sent state."""
    wanted = {name: save for name, save in index.marked("notify") if save.post.notify}
    if not wanted:
        return []
    wrong: list[str] = []
    silent: set[str] = set()
    with lock(home / ".pbem-notify.lock"):
        known_now = load_file(home / STATE, dict[str, NotifiedState]) or {}
        for name, header in wanted.items():
            try:
                save = load(index.paths[name], recent=True)
                if is_held(save):
                    continue
                events, known_now[name] = news(index.paths[name], save, known_now.get(name, NotifiedState()), game)
            except SaveError as error:  # it must not keep what was sent of other games from being recorded
                wrong.append(f"{name}: notify: {error}")
                continue
            for event in events[-MOST:] if header.post.notify not in silent else ():
                why = tell(header.post.notify, event)
                if why:
                    wrong.append(f"{name}: notify: {why}")
                    silent.add(header.post.notify)
                    break  # a receiver without an answer would delay every further event as long
        store(home / STATE, known_now)
    return wrong


def tell(whom: str, event: PublicEvent) -> str:
    """Send one event; return the error, "" if there was none. Never raises for errors of the receiver."""
    web = whom.removeprefix("ntfy+")
    try:
        if web.startswith(("http://", "https://")):
            return _posted(web, event, plain=whom != web, own=bool(allowed(web)))
        program = allowed(whom)
        return _run(program, event) if program else f"the program '{whom}' isn't in PBEM_ALLOW"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return str(error) or type(error).__name__


def _posted(address: str, event: PublicEvent, *, plain: bool, own: bool) -> str:
    """Send it in a separate thread: a server that answers byte by byte must not hold up the run."""
    late = f"no answer within {SECONDS:g} seconds"
    said = [late]

    def work() -> None:
        try:
            said.append(_post(urlsplit(address), event, plain=plain, own=own))
        except (OSError, ValueError, http.client.HTTPException) as error:
            said.append(late if isinstance(error, TimeoutError) else str(error) or type(error).__name__)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(SECONDS)
    return said[-1]


def _post(address: SplitResult, event: PublicEvent, *, plain: bool, own: bool) -> str:
    if plain:
        body = event.text.encode()
        heads = {"Title": f"pbem {event.game}", "Content-Type": "text/plain; charset=utf-8"}
    else:
        body = json.dumps({**msgspec.to_builtins(event), "content": event.text}).encode()
        heads = {"Content-Type": "application/json"}
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    link = kind(address.hostname or "", address.port, timeout=SECONDS)
    try:
        link.connect()
        # Check the connection, not the name: name servers may give another address the next time.
        if not own and not ip_address(link.sock.getpeername()[0]).is_global:
            return f"{address.hostname} is in a private network: add {address.geturl()} to PBEM_ALLOW"
        target = urlunsplit(("", "", address.path or "/", address.query, ""))
        link.request("POST", target, body, {**heads, "User-Agent": "pbem"})
        status = link.getresponse().status
    finally:
        link.close()
    return "" if 200 <= status < 300 else f"the server answers {status}"


def _run(program: str, event: PublicEvent) -> str:
    """Run a program without a shell and arguments; secrets of the environment aren't passed on."""
    keep = ("PATH", "HOME", "LANG", "TZ", "SYSTEMROOT")
    env = {name: os.environ[name] for name in keep if name in os.environ}
    data = msgspec.json.encode(event)
    done = subprocess.run([program], input=data, stdout=DEVNULL, stderr=DEVNULL, timeout=SECONDS, check=False, env=env)
    return f"{Path(program).name} ended with status {done.returncode}" if done.returncode else ""


def email_spectators(
    index: SaveIndex, home: Path, *, now: datetime, sender: str = "", game: Loader = games.load
) -> tuple[int, list[str]]:
    """Write the due emails to the spectators of these games; return how many, and the errors."""
    count, wrong = 0, list[str]()
    for name, header in list(index.marked("onlookers")):
        if not any(_due(header, onlooker, now) for onlooker in header.post.onlookers):
            continue
        try:
            count += _email_spectators_of(index.paths[name], Outbox(home / "outbox"), now, sender, game)
        except (SaveError, OSError, ValueError) as error:
            wrong.append(f"{name}: emails to spectators: {error}")
    return count, wrong


def _due(save: Save, one: Spectator, now: datetime) -> bool:
    """Return, from the header alone, whether another question is open and the spectator's hours have passed."""
    waited = not one.at or one.at + timedelta(hours=one.hours) <= now
    return one.q != save.header.q and (waited or save.header.over)


def _email_spectators_of(path: Path, outbox: Outbox, now: datetime, sender: str, game: Loader) -> int:
    """Write the emails of one game into the outbox, then record them in the save; can be repeated."""
    with locked(path):
        session = Session.open(path, game)
        save, count = session.save, 0
        if is_held(save):
            return 0
        for onlooker in save.post.onlookers:
            if not _due(save, onlooker, now):
                continue
            email = spectator_email(session, onlooker, now, sender)
            name = f"{save.header.name}.onlooker.{onlooker.letters + 1:04d}.{email.message_id[1:9]}"
            outbox.put(name, to_bytes(email, f"pbem {save.header.name}"))
            onlooker.letters, onlooker.at, onlooker.q = onlooker.letters + 1, now, save.header.q
            onlooker.seen, onlooker.press = save.header.lines, len(save.press)
            count += 1
        session.commit(now)
    return count


def spectator_email(session: Session, one: Spectator, now: datetime, sender: str = "") -> OutboxEntry:
    """Return the next email to a spectator."""
    save = session.save
    seat = SeatInfo("", zone=save.clock.zone, language=one.language)
    reader = reader_of(session, seat)
    lines = session.lines(max(min(one.seen, save.header.lines), session.first_line))
    due, zone = min((asked.due for asked in save.pending if asked.due), default=None), save.clock.zone
    history = [(scores.label, scores.points) for scores in save.header.history]
    about = ReportContext(save.header.name, due=due, zone=zone, reader_zone=zone, history=history)
    report = build(session.referee, "", one.language, lines=lines, frame=about, catalogue=reader.say)
    home = sender_of(save, sender)
    parts = [reader.words("spectator.intro", sender=home), news_text(report)]
    for message in save.press[min(one.press, len(save.press)) :]:
        if not message.to:
            who = reader.words("spectator.press", seat=reader.say.name(message.seat))
            parts.append("\n".join([who, *quoted(message.text)]))
    parts.append(position_text(report))
    title = session.game.title.get(one.language, session.game.title["en"])
    subject = reader.words("spectator.subject", game=f"[{save.header.name}]", title=title)
    text = "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
    # The Message-ID reveals nothing of those of emails to seats.
    secret = f"{save.header.name}\0onlooker\0{one.address}\0{one.letters}".encode()
    ident = f"<{hashlib.blake2b(secret, key=code_key(save)[:64], digest_size=16).hexdigest()}@{host_of(home)}>"
    return OutboxEntry("", "", one.address, subject, body=text, at=now, sender=home, message_id=ident)
