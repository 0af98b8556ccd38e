"""Word of public events to the outside: what has happened, whose turn it is, the end (the setting `notify`).

What is told follows from what the public knows: which question is open to which seats and until when, turn and phase,
the result; and the public lines of the narration, once another question is open. No player's name, no address, no
sealed answer, not who has answered. It is off unless the moderator sets it; what goes wrong is told to him and stops
nothing.

`https://…` gets JSON (`text` for Slack and Matrix, `content` for Discord, and the fields of an `Event`); `ntfy+https://…`
gets the text alone with a title, as ntfy wants it; any other value names a program, which gets the JSON on its standard
input. A save alone runs nothing and reaches no private network: the program, or an address there, must stand in the
moderator's environment too (`pbem.save.settings.allowed`). Redirects are not followed.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit

import msgspec

import games
from pbem.atomic_files import load as load_file
from pbem.atomic_files import store
from pbem.file_locks import lock
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.release import is_held
from pbem.mail.save_index import SaveIndex
from pbem.report.build import visible_lines
from pbem.save import Save, SeatInfo, Session, load
from pbem.save.session import Loader
from pbem.save.settings import allowed
from pbem.timestamps import stamp

STATE = ".pbem-notify.json"
SECONDS = 5.0
"""How long whoever is told may take; a run waits no longer for him."""
ROOM = 1500
"""Characters of the news of one event; Discord takes 2,000."""
MOST = 20
"""Events of one game told in one run; what is more is told by the last of them."""


class PublicEvent(msgspec.Struct, kw_only=True):
    """`kind`: `news` (public lines of the narration), `time` (turn or phase have changed), `turn` (a seat is asked) or
    `over`.
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
    """What has been told of a game; `lines` of its narration (-1: none was ever told, what lies back is not)."""

    q: int = 0
    clock: str = ""
    over: bool = False
    lines: int = -1


def events_of(save: Save, known: NotifiedState) -> Iterator[PublicEvent]:
    """What is new in public since `known`."""
    header = save.header
    clock = header.moment
    if clock != known.clock and not header.over and known.clock:
        yield PublicEvent(kind="time", game=header.name, text=f"{header.name}: {clock}")
    if header.q != known.q and not header.over:
        for asked in save.pending:
            until = f", until {asked.due:%Y-%m-%d %H:%M} UTC" if asked.due else ""
            text = f"{header.name}: {asked.seat} is asked ({asked.kind}{until})"
            yield PublicEvent(
                kind="turn",
                game=header.name,
                text=text,
                seat=asked.seat,
                q=asked.q,
                question=asked.kind,
                due=stamp(asked.due),
            )
    if header.over and not known.over:
        winners = ", ".join(map(str, header.result.get("winners", []))) or "-"
        yield PublicEvent(kind="over", game=header.name, text=f"{header.name} is over; won by {winners}")


def news(
    path: Path, save: Save, known: NotifiedState, game: Loader = games.load
) -> tuple[list[PublicEvent], NotifiedState]:
    """All that is new in public of a save since `known`, and what is known then."""
    header, events = save.header, list(events_of(save, known))
    # As letters: another question is open, or the game is over. What lies before the first telling is no news.
    if 0 <= known.lines < header.lines and (header.q, header.over) != (known.q, known.over):
        events = [*_narrated(Session.open(path, game), known.lines), *events]
    return events, NotifiedState(header.q, header.moment, header.over, header.lines)


def _narrated(session: Session, since: int) -> Iterator[PublicEvent]:
    """The public lines from line `since` on, in the language of the game's post: the last that there is room for."""
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
    """Tell what is new of the games with the setting `notify`; returns what went wrong. `home` keeps what was told."""
    wanted = {name: save for name, save in index.headers.items() if save.post.notify}
    if not wanted:
        return []
    wrong: list[str] = []
    silent: set[str] = set()
    with lock(home / ".pbem-notify.lock"):
        known_now = _known(home)
        for name, header in wanted.items():
            save = load(index.paths[name], recent=True)
            if is_held(save):
                continue
            events, known_now[name] = news(
                index.paths[name], save, known_now.get(name, NotifiedState()), game
            )
            for event in events[-MOST:] if header.post.notify not in silent else ():
                why = tell(header.post.notify, event)
                if why:
                    wrong.append(f"{name}: notify: {why}")
                    silent.add(header.post.notify)
                    break  # who does not answer now would let every event wait as long
        store(home / STATE, known_now)
    return wrong


def _known(home: Path) -> dict[str, NotifiedState]:
    return load_file(home / STATE, dict[str, NotifiedState]) or {}


def tell(whom: str, event: PublicEvent) -> str:
    """Tell one event; returns why it could not be told, "" if it was. Never raises for what others do."""
    web = whom.removeprefix("ntfy+")
    try:
        if web.startswith(("http://", "https://")):
            return _posted(web, event, plain=whom != web, own=bool(allowed(web)))
        program = allowed(whom)
        return _run(program, event) if program else f"the program '{whom}' isn't in PBEM_ALLOW"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return str(error) or type(error).__name__


def _posted(address: str, event: PublicEvent, *, plain: bool, own: bool) -> str:
    """Post it in a thread of its own: a server that answers byte by byte must not hold the run."""
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
        # Of the connection, not of the name: who answers for a name may say something else the next time.
        if not own and not ip_address(link.sock.getpeername()[0]).is_global:
            return f"{address.hostname} is in a private network: add {address.geturl()} to PBEM_ALLOW"
        target = urlunsplit(("", "", address.path or "/", address.query, ""))
        link.request("POST", target, body, {**heads, "User-Agent": "pbem"})
        status = link.getresponse().status
    finally:
        link.close()
    return "" if 200 <= status < 300 else f"the server answers {status}"


def _run(program: str, event: PublicEvent) -> str:
    """Run a program of the moderator's, without a shell and without arguments; nothing of the environment's secrets."""
    keep = ("PATH", "HOME", "LANG", "TZ", "SYSTEMROOT")
    done = subprocess.run(
        [program],
        input=msgspec.json.encode(event),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=SECONDS,
        check=False,
        env={name: os.environ[name] for name in keep if name in os.environ},
    )
    return f"{Path(program).name} ended with status {done.returncode}" if done.returncode else ""
