"""The journal of the moderator's actions: what was done, by whom and why; affected players are notified."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

import games
from pbem.kernel.questions import MODERATOR
from pbem.lazy_regex import clean
from pbem.mail.bots import set_due
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.stages import IngestReport
from pbem.mail.outbox.delivery import INCOMPLETE
from pbem.mail.outbox.email_parts import add_text
from pbem.mail.outbox.recipient import Recipient, reader_of
from pbem.mail.save_index import code_key
from pbem.save import ModeratorAction, Save, SaveError, Session, locked
from pbem.save.session import Loader
from pbem.timestamps import moment, stamp


class ActionError(ValueError):
    """An action that isn't possible; the message says why."""


class BadValue(ActionError):
    """A value of the wrong form: not a time, not an address, not a text for an email."""


class Unchanged(ActionError):
    """An action that would change nothing: nothing is journaled and nobody is notified."""


NO_REASON = ("absent", "present", "unpause", "broadcast", "release", "bundles", "follow", "unfollow", "granted")
"""Actions that explain themselves; all others need a reason."""


PLAYERS = "players"
"""The author of what the players have agreed on."""


class Actor(msgspec.Struct, frozen=True):
    """The author of an action, its reason and time. `command` is the command as typed, "" if it can't be repeated."""

    by: str
    reason: str
    now: datetime
    command: str = ""

    def check(self, what: str) -> None:
        """Raise `ActionError` for an action without a reason, or with text that an email can't hold."""
        if not self.reason.strip() and what not in NO_REASON and self.by != PLAYERS:
            raise BadValue("the reason is missing: add --reason; the players concerned read it")
        one_line(self.reason, "the reason")
        one_line(self.by, "your name")


def one_line(text: str, what: str) -> str:
    """Return `text` without blanks at its ends. Raises `ActionError` for line breaks and control characters."""
    if "\n" in text or "\t" in text:
        raise BadValue(f"{what} has more than one line: write one")
    return written(text, what)


def written(text: str, what: str) -> str:
    """Return `text` without blanks at its ends. Raises `ActionError` for control characters."""
    if clean(text) != text:
        raise BadValue(f"{what} has control characters: remove them")
    return text.strip()


def journal(session: Session, author: Actor, what: str, told: Sequence[str], **args: Any) -> ModeratorAction:
    """Record an action in the save. Raises `ActionError`."""
    author.check(what)
    save = session.save
    latest = _latest(session)
    # The clock was set back for it: readers of the action need to know that too.
    if latest is not None and author.now < latest and author.by != PLAYERS:
        args = {**args, "backdated": stamp(latest)}
    number = 1 + sum(action.id.startswith("d") for action in save.actions)
    action = ModeratorAction(f"d{number}", author.now, author.by, what, author.reason, list(told), args)
    action.mark = _mark(save, author)
    save.actions.append(action)
    save.header.unsent = True
    return action


def _mark(save: Save, author: Actor) -> str:
    """Return a keyed hash of the command; nobody else can find out the command from it."""
    words = f"{author.by}\0{author.reason}\0{author.command}".encode("utf-8", "backslashreplace")
    return hashlib.blake2b(words, key=code_key(save)[:64], digest_size=8).hexdigest() if author.command else ""


def done_before(save: Save, author: Actor) -> ModeratorAction | None:
    """Return the last action if it is of this same command, which ended before it could say so."""
    last = _own_last(save)
    mine = _mark(save, author)
    return last if last is not None and mine and last.mark in (mine, mine + INCOMPLETE) else None


def _own_last(save: Save) -> ModeratorAction | None:
    return next((action for action in reversed(save.actions) if action.by != PLAYERS), None)


def _latest(session: Session) -> datetime | None:
    save = session.save
    times = [save.header.read, *(moment(move.at) for move in save.moves[-20:] if move.at)]
    times += [*(action.at for action in save.actions), *(intake.at for intake in save.intake[-20:])]
    return max((time for time in times if time), default=None)


def tell(session: Session, action: ModeratorAction, words: str, seats: Sequence[str] = (), **args: str) -> None:
    """Notify the seats of an action (none named: all): what, by whom, why."""
    for seat in session.save.seats:
        if not seats or seat.id in seats:
            reader = reader_of(session, seat)
            text = headline(reader, action.by) + "\n" + reader.words(words, **args)
            text += "\n" + reader.words("action.reason", reason=action.reason) if action.reason else ""
            if "backdated" in action.args:
                at, latest = reader.when(action.at), reader.when(moment(action.args["backdated"]))
                text += "\n" + reader.words("action.backdated", at=at, latest=latest)
            add_text(session.save, seat, f"action.{action.id}.{words}", text, action.at)


def deadlines(save: Save) -> dict[int, datetime | None]:
    """Return the deadline of each open question."""
    return {pending.q: pending.due for pending in save.pending}


def tell_moved(session: Session, action: ModeratorAction, old: dict[int, datetime | None]) -> None:
    """Notify all of the deadlines that an action has moved or lifted; `old` are those before it."""
    moved = {q: due for q, due in deadlines(session.save).items() if due != old[q]}
    for seat in session.save.seats:
        reader = reader_of(session, seat)
        for q, due in moved.items():
            words, at = ("action.moved", reader.when(due)) if due else ("action.lifted", "")
            text = reader.words(words, q=str(q), at=at)
            add_text(session.save, seat, f"action.{action.id}.{q}.moved", text, action.at)


def headline(reader: Recipient, by: str, words: str = "action.head") -> str:
    """Return who acts or writes: the players together, or the moderator, by name if known."""
    if by == PLAYERS:
        return reader.words("action.head.players")
    return reader.words(words, by=by) if by and by != MODERATOR else reader.words(f"{words}.nameless")


def everybody(session: Session) -> list[str]:
    """Return the ids of all seats."""
    return [seat.id for seat in session.save.seats]


Work = Callable[[Session, Actor], ModeratorAction]
"""A function that changes the game in memory, such as those in `clock_actions`, `game_actions` and `seat_actions`."""


def act(
    path: Path, author: Actor, work: Work, *, game: Loader = games.load, stored: Callable[[], None] = lambda: None
) -> tuple[Session, ModeratorAction, IngestReport]:
    """Execute an action, store it, call `stored` and send its emails; if its command was cut off, complete it.

    Raises `ActionError`, `SaveError`, `Rejection`, KeyError for an unknown seat; then nothing is changed.
    """
    with locked(path):
        session = Session.open(path, game)
        action = done_before(session.save, author)
        if action is None:
            action = work(session, author)
            set_due(session, author.now)
            session.commit(author.now)
    stored()
    return session, action, finish(path, author.now, game)


def finish(path: Path, now: datetime, game: Loader = games.load) -> IngestReport:
    """Write the emails about the changes in the save. A failure is reported, but doesn't undo the action."""
    run = InboxRun([path], now=now, game=game)
    try:
        report = run.finish()
    except (OSError, SaveError) as error:
        report = IngestReport(broken={str(path): str(error)})
    for _ in range(2):  # most faults pass
        with suppress(OSError, SaveError):
            _note_end(run, path)
            break
    if report.broken:
        report.moderator.append(
            "the action is saved, but its emails aren't complete. The next run completes them: don't repeat it"
        )
    return report


def _note_end(run: InboxRun, path: Path) -> None:
    """Record that the command of the last action has ended: given again, it is meant to be done again."""
    with run.taking.games.transaction(path) as work:
        last, unsent = _own_last(work.session.save), work.session.save.header.unsent
        if last is not None and last.mark and not (unsent and last.mark.endswith(INCOMPLETE)):
            last.mark, work.changed = last.mark + INCOMPLETE if unsent else "", True
