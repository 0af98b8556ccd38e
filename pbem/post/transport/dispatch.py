"""Sends what lies in the outbox, each letter once, and remembers what could not be sent.

The outbox is a Maildir: `new` holds what is to be sent, `cur` what was sent (`S`) or given up (`T`). A letter moves as
soon as the server has taken it. If we die in between, the same letter, under the same Message-ID, is handed over again:
mail knows no other way never to lose one, and mail programs show it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from email import policy
from email.parser import BytesHeaderParser
from pathlib import Path

import msgspec

from pbem import small_files
from pbem.locks import Busy, lock
from pbem.post.headers import parse_address, parse_addresses
from pbem.post.transport.bounces import Bounce, Bounces
from pbem.post.transport.smtp import Carrier, Down, Later, Never
from pbem.save import Locked

_FIRST, _LONGEST = timedelta(minutes=10), timedelta(hours=6)
GIVE_UP = timedelta(days=4)
"""How long a letter is tried before it counts as undeliverable."""


PATIENCE = 60.0
"""Seconds that a run waits for another one that is sending."""


class Try(msgspec.Struct):
    """A letter that was not taken: how often, since when, when to try again, and what was said."""

    count: int
    since: datetime
    again: datetime
    why: str


class Dispatched(msgspec.Struct):
    """A run: letters sent, put off (name → why), given up (name → why)."""

    sent: list[str] = []
    later: dict[str, str] = {}
    failed: dict[str, str] = {}


def dispatch(
    home: Path,
    carrier: Carrier,
    *,
    now: datetime,
    own: frozenset[str] = frozenset(),
    progress: Callable[[int, int], None] | None = None,
    patience: float = PATIENCE,
) -> Dispatched:
    """Send what is due of `home`/outbox, never to `own` addresses. Raises `AccountError`.

    Another run that is sending is waited for; after `patience` seconds `Locked` is raised. While the server takes
    nothing at all no letter counts as tried: all are there for the next run, however long.
    """
    box = home / "outbox"
    if not (box / "new").is_dir():
        return Dispatched()
    with _alone(home, patience), carrier:
        return _run(home, carrier, now, own, progress)


@contextmanager
def _alone(home: Path, patience: float) -> Iterator[None]:
    """Of two runs at once (cron's, and one by hand) the second would send everything again."""
    with ExitStack() as held:
        try:
            held.enter_context(lock(home / "send.lock", patience))
        except Busy:
            raise Locked("another run is sending the letters of this folder", path=home) from None
        yield


def _run(
    home: Path,
    carrier: Carrier,
    now: datetime,
    own: frozenset[str],
    progress: Callable[[int, int], None] | None,
) -> Dispatched:
    box = home / "outbox"
    out, tries = Dispatched(), _tries(box)
    names = sorted((path.stat().st_mtime_ns, path.name) for path in (box / "new").glob("*") if path.is_file())
    for count, (_, name) in enumerate(names, 1):
        known = tries.get(name)
        if known is not None and known.again > now:
            out.later[name] = known.why
            continue
        try:
            _one(box, name, carrier, now, own, tries, out, home)
        except Down as down:
            out.later.update({left: str(down) for _, left in names[count - 1 :]})
            break
        if progress is not None:
            progress(count, len(names))
    return out


def _one(
    box: Path,
    name: str,
    carrier: Carrier,
    now: datetime,
    own: frozenset[str],
    tries: dict[str, Try],
    out: Dispatched,
    home: Path,
) -> None:
    source = box / "new" / name
    raw = source.read_bytes()
    sender, to = _envelope(raw)
    try:
        _check(sender, to, own)
        carrier.send(sender, to, raw)
    except Down:
        raise
    except Later as later:
        _put_off(box, name, str(later), now, tries)
        if now - tries[name].since < GIVE_UP:
            out.later[name] = str(later)
            return
        why = f"tried for {GIVE_UP.days} days: {later}"
    except Never as never:
        why = str(never)
    else:
        why = ""
    if why:
        Bounces(home).note(Bounce(at=now, to=to, name=name, why=why))
    source.rename(box / "cur" / f"{name}:2,{'T' if why else 'S'}")
    if tries.pop(name, None) is not None:
        small_files.store(box / "tries.json", tries)
    if why:
        out.failed[name] = why
    else:
        out.sent.append(name)


def _check(sender: str, to: str, own: frozenset[str]) -> None:
    if to.casefold() in own:
        raise Never("this is our own address: nobody would read it but this program")
    if not parse_address(to) or not parse_address(sender):
        raise Never(f"from '{sender}' to '{to}': not an address")


def _envelope(raw: bytes) -> tuple[str, str]:
    """Sender and recipient as the letter's own header names them."""
    head = BytesHeaderParser(policy=policy.compat32).parsebytes(raw)
    sender = parse_addresses(str(head.get("From", "")))[0]
    to = parse_addresses(str(head.get("To", "")))[0]
    return (sender[0][1] if sender else ""), (to[0][1] if to else "")


def _put_off(box: Path, name: str, why: str, now: datetime, tries: dict[str, Try]) -> None:
    known = tries.get(name)
    count = known.count + 1 if known is not None else 1
    wait = min(_FIRST * 2 ** (count - 1), _LONGEST)
    since = known.since if known is not None else now
    tries[name] = Try(count, since, now + wait, why)
    small_files.store(box / "tries.json", tries)


def _tries(box: Path) -> dict[str, Try]:
    try:
        return msgspec.json.decode((box / "tries.json").read_bytes(), type=dict[str, Try])
    except (OSError, msgspec.DecodeError):
        return {}
