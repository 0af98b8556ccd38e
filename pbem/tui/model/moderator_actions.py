"""The moderator's actions on the dashboard, those of `pbem.mail.moderator`. The screen only asks and shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from pbem.kernel.rejections import Rejection
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.moderator.actions import ActionSpec, BadField, actions
from pbem.mail.moderator.dashboard import GameOverview, overview
from pbem.mail.moderator.journal import ActionError, Actor, act
from pbem.mail.quarantine import Quarantine, QuarantinedEmail, QuarantineView
from pbem.mail.save_index import SaveIndex
from pbem.save import ModeratorAction, Save
from pbem.save.schema import AbsenceEntry
from pbem.save.session import Loader
from pbem.timestamps import moment

# The dashboard besides questions: days with their deadlines, quarantined emails, held-back emails.

AHEAD = 14  # days that the calendar looks ahead for absences


@dataclass(frozen=True)
class Day:
    """A day: what is due at which time (`15:00` → seats), and who is away."""

    on: date
    due: tuple[tuple[str, tuple[str, ...]], ...] = ()
    away: tuple[str, ...] = ()


def calendar(save: Save, game: GameOverview, now: datetime) -> list[Day]:
    """Return the days, in the game's zone, with deadlines, and those ahead on which somebody is away."""
    zone = ZoneInfo(save.clock.zone or "UTC")
    today = now.astimezone(zone).date()
    due: dict[date, dict[str, list[str]]] = {}
    for asked in game.waiting:
        if asked.due and asked.answered is not True:
            at = moment(asked.due).astimezone(zone)
            due.setdefault(at.date(), {}).setdefault(f"{at:%H:%M}", []).append(asked.seat)
    away = {
        day: seats
        for day in (today + timedelta(days=n) for n in range(AHEAD))
        if (seats := tuple(absence.seat for absence in save.clock.absences if _covers(absence, day, zone)))
    }
    return [
        Day(day, tuple((at, tuple(seats)) for at, seats in sorted(due.get(day, {}).items())), away.get(day, ()))
        for day in sorted({*due, *away})
    ]


def _covers(absence: AbsenceEntry, day: date, zone: ZoneInfo) -> bool:
    return absence.since.astimezone(zone).date() <= day <= absence.until.astimezone(zone).date()


def quarantined_emails(path: Path) -> Sequence[QuarantinedEmail]:
    """Return the quarantined emails of the folder, likely players' first."""
    return QuarantineView(Quarantine(path.parent / "quarantine").listed(), SaveIndex([path.parent])).emails


def quarantined_text(path: Path, held: QuarantinedEmail) -> str:
    """Return a quarantined email in full: reason, sender, content."""
    content = Quarantine(path.parent / "quarantine").raw(held)
    said = decode_mail(content).text if held.kind == "mail" else content.decode("utf-8", "replace")
    head = [held.sentence(), *(f"{key}: {getattr(held, key)}" for key in ("sender", "subject", "game", "seat", "at"))]
    return "\n".join([*head, "", said])


def accept_quarantined(path: Path, held: QuarantinedEmail, seat: str, now: datetime, loader: Loader) -> str:
    """Accept a quarantined email and return the result in words. Raises `QuarantineError`."""
    from pbem.mail.inbox.inbox_run import InboxRun

    intake = InboxRun([path.parent], now=now, game=loader)
    intake.release(held.id, seat=seat)
    report = intake.finish()
    told = [outcome.receipt or outcome.why for outcome in report.emails]
    return "\n\n".join([*(line for line in told if line), *report.moderator, *report.broken.values()])


def discard_quarantined(path: Path, held: QuarantinedEmail) -> None:
    """Discard a quarantined email for good. Raises `QuarantineError`."""
    Quarantine(path.parent / "quarantine").settle(held, "refused")


ON_SCREEN = [action for action in actions() if action.on_screen]  # the actions that the screen offers


class ActionRejected(ValueError):
    """An impossible action; the message says why."""


def offered(game: GameOverview) -> list[ActionSpec]:
    """Return the actions that make sense now."""
    out = {"unpause"} if not game.paused else {"pause"}
    if not game.held:
        out.add("release")
    if game.over or not game.waiting:
        out |= {"extend", "time_up", "absent"}
    return [action for action in ON_SCREEN if action.key not in out]


def do(
    path: Path, loader: Loader, key: str, filled: Mapping[str, str], *, by: str, reason: str, now: datetime
) -> tuple[ModeratorAction, int]:
    """Do an action. Return it as journaled and the number of emails written. Raises `ActionRejected`, `SaveError`."""
    try:
        work = next(action for action in actions() if action.key == key).work(filled)
        _, action, report = act(path, Actor(by, reason, now), work, game=loader)
    except (ActionError, Rejection, BadField) as error:
        raise ActionRejected(str(error)) from None
    except KeyError as error:
        raise ActionRejected(str(error.args[0])) from None
    return action, report.posted


def facts(path: Path, now: datetime) -> tuple[GameOverview | None, Mapping[str, str]]:
    """Return what `pbem dashboard` shows of this game, and of the folder: quarantine, outbox, heartbeat."""
    found = overview([path], now=now)
    more = {"quarantine": str(found.quarantine), "outbox": str(found.unsent), "read": found.read, "cron": found.tick}
    return (found.games[0] if found.games else None), more
