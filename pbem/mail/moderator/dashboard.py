"""The moderator's dashboard as data: who is waited for and since when. The terminal and the TUI draw it.

A moderator who plays only sees what everybody may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pbem.clock import heartbeat
from pbem.clock.policy import STATES, next_change, paused, state
from pbem.mail.outbox.release import held
from pbem.mail.quarantine import Quarantine, QuarantineView
from pbem.mail.save_index import SaveIndex, home_of
from pbem.mail.transport.bounces import Bounces
from pbem.save import Save, SaveError, load
from pbem.timestamps import stamp


class WaitingSeat(msgspec.Struct, rename={"q": "question"}):
    """A question open to a seat, asked `hours` ago; `answered` is None if a moderator who plays must not know."""

    seat: str
    q: int
    kind: str
    hours: int
    due: str
    sealed: bool
    answered: bool | None = None


class GameOverview(msgspec.Struct, rename={"held": "held_back"}):
    """One game of an overview. `time` is the state of the open question's time.

    `days_per_turn` and `next_turn` (a date) are a forecast from the pace so far. `bounces` are seats whose emails
    don't arrive, `held` emails that are held back.
    """

    name: str
    game: str
    when: str
    over: bool = False
    paused: bool = False
    waiting: list[WaitingSeat] = []
    days_per_turn: float = 0.0
    next_turn: str = ""
    next_change: str = ""
    bounces: list[str] = []
    outbox: int = 0
    held: int = 0
    time: str = ""
    actions: int = 0


_PUBLISHED = {
    "of_players": "quarantine_from_players",
    "read": "mail_last_read",
    "tick": "cron_last_ran",
    "broken": "failed_saves",
}


class Overview(msgspec.Struct, rename=_PUBLISHED):
    """The open matters of a folder of saves. `read` and `tick` are the heartbeat, `unsent` the emails in the outbox.

    `silent` is for how many hours nothing has run, if that is longer than usual. `of_players` of the emails in
    `quarantine` may come from players.
    """

    games: list[GameOverview]
    quarantine: int = 0
    of_players: int = 0
    unsent: int = 0
    read: str = ""
    tick: str = ""
    silent: int = 0
    broken: dict[str, str] = {}


def overview(saves: Sequence[Path], *, now: datetime) -> Overview:
    """Return the overview of the saves (files or folders); changes nothing."""
    folder = home_of(saves)
    index, heart = SaveIndex(saves), heartbeat.load(folder)
    bounces = Bounces(folder)
    out = Overview([], read=stamp(heart.read), tick=stamp(heart.tick))
    hours = min((save.clock.outage for save in index.headers.values()), default=0)
    out.silent = heart.silent(now, hours) if hours else 0
    out.broken = {str(path): str(error) for path, error in index.broken.items()}
    for path in index.paths.values():
        try:
            out.games.append(_game(load(path, recent=True), bounces, now))
        except SaveError as error:
            out.broken[str(path)] = str(error)
    heap = QuarantineView(Quarantine(folder / "quarantine").listed(), index)
    out.quarantine, out.of_players = len(heap.emails), heap.of_players
    out.unsent = sum(_may_count(path.name, index) for path in (folder / "outbox" / "new").glob("*"))
    return out


def _may_count(name: str, index: SaveIndex) -> bool:
    """Return whether an email in the outbox is counted: in a game that the moderator plays, only their own is."""
    own = {save.header.name: save.post.plays for _, save in index.marked("plays") if save.post.plays}
    game, _, seat = name.rsplit(".", 2)[0].rpartition(".")
    return own.get(game, seat) == seat and not (own and name.startswith("reminder."))


def _game(save: Save, bounces: Bounces, now: datetime) -> GameOverview:
    header = save.header
    one = GameOverview(header.name, header.game, header.moment, header.over, paused(save.clock, now))
    answered = {move.seat for move in save.sealed}
    last_acts = {str(act.get("seat")): act.get("do") for act in save.talk}
    done = {seat for seat, act in last_acts.items() if act == "done"}
    for asked in save.pending:
        hours = max(0, int((now - asked.since).total_seconds() // 3600)) if asked.since else 0
        secret = bool(save.post.plays) and asked.seat != save.post.plays
        known = None if secret else asked.seat in answered | done
        one.waiting.append(WaitingSeat(asked.seat, asked.q, asked.kind, hours, stamp(asked.due), asked.sealed, known))
    one.days_per_turn, one.next_turn = _forecast(save, now)
    word, at = state(save, now)
    one.time = STATES[word].format(at=stamp(at)) if word else ""
    one.next_change = stamp(next_change(save, now))
    one.bounces = sorted({note.seat for note in bounces.open_for(save, now)})
    of = [*(email.seat for email in save.outbox), *(draft.seat for draft in save.drafts)]
    seats = [save.post.plays] if save.post.plays else {*of}
    one.outbox = sum(seat in seats for seat in of)
    one.held = sum(email.seat in seats for email in held(save))
    one.actions = len(save.actions)
    return one


def _forecast(save: Save, now: datetime) -> tuple[float, str]:
    """Return the days per turn so far, and when the next turn should begin at that pace."""
    turn = save.header.clock.get("turn")
    if not isinstance(turn, int) or turn < 2 or save.header.over:
        return 0.0, ""
    days = (now - save.header.created).total_seconds() / 86400
    pace = round(days / (turn - 1), 1)
    return pace, (now + timedelta(days=pace)).date().isoformat()
