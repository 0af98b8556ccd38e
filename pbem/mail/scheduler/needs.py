"""The items of the moderator's digest, found out from headers and the files next to the saves; no game is opened.

Of a sealed question no seat is named. A moderator who plays only reads what everybody may know.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.clock import heartbeat
from pbem.clock.heartbeat import Gap, Heartbeat
from pbem.clock.policy import MODERATOR, WAIT, asked, paused
from pbem.kernel.order_words import normalize_word
from pbem.kernel.questions import MODERATOR as MODERATOR_SEAT
from pbem.lazy_regex import pattern
from pbem.mail.moderator.actions import AFTER_THE_END, player_act
from pbem.mail.notices import Need
from pbem.mail.save_index import SaveIndex
from pbem.mail.scheduler.reaching import Reach, standing
from pbem.mail.transport.bounces import Bounce
from pbem.save import Pause, PendingInfo, Save
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.mail.quarantine import QuarantinedEmail

_LATELY = timedelta(days=2)
"""How long an outage is told after its end: the hour of the digest comes in this time, whenever runs are."""

_PATIENT = timedelta(hours=12)
"""How long emails may wait before the moderator is notified."""

_SOON = timedelta(hours=24)
"""A question due so soon doesn't let an email of its players wait for the hour of the digest."""

ASKED_FOR = timedelta(days=7)
"""How long a player's request waits for the moderator."""

AGAIN = 2
"""Missed deadlines in a row from which the moderator is notified."""

_TWO_WEEKS = timedelta(days=14)
"""How old a pause without end is, and how soon a certificate ends, when the moderator is notified."""

_TIMES = pattern(rb"(?:\x17\r\d{12}Z|\x18\x0f\d{14}Z)(?:\x17\r(\d{12})Z|\x18\x0f(\d{14})Z)")
"""Beginning and end of a certificate, in DER: the years of each have two digits or four."""

_DEALT_WITH = ("automatic", "own", "early")
"""Reasons of quarantine that need nobody."""

_LEAST_OUTAGE = "SELECT file FROM (SELECT file FROM saves ORDER BY outage LIMIT 1)"
_MAY_BE_DUE = """SELECT file FROM saves WHERE due <= ? OR asked < ? OR paused > ?
UNION SELECT file FROM marks WHERE mark IN (SELECT value FROM json_each(?))
UNION SELECT file FROM saves WHERE file IN (SELECT value FROM json_each(?))"""

Command = tuple[str, str]


def may_be_due(index: SaveIndex, heart: Heartbeat, reach: Reach, now: datetime) -> Iterator[tuple[str, Save]]:
    """Yield all games in which something is due or the moderator is needed, and perhaps others."""
    hours = min((save.clock.outage for _, save in index.select(_LEAST_OUTAGE)), default=0)
    long = [gap for gap in heart.gaps if gap.length > timedelta(hours=hours)]
    ends = [gap.until for gap in long if gap.length > heart.patience(gap, hours)]
    asked = inf if any(now - end < _LATELY for end in ends) else max(map(datetime.timestamp, ends), default=-inf)
    emails = (*reach.lying, *reach.back, *reach.tries)
    games = (*(name.rsplit(".", 3)[0] for name in emails), *(row.game for row in reach.rows))
    marks = {f"={normalize_word(game)}" for game in games} | {f"@{row.to.casefold()}" for row in reach.rows}
    times = now.timestamp(), asked, (now - _LATELY).timestamp()
    lists = (msgspec.json.encode(found).decode() for found in (sorted(marks), index.with_tables))
    return index.select(_MAY_BE_DUE, *times, *lists)


def needs(index: SaveIndex, heart: Heartbeat, reach: Reach, now: datetime) -> Iterator[Need]:
    """Yield what needs the moderators of the games, or what they should know."""
    for name, save in may_be_due(index, heart, reach, now):
        file = index.paths[name].name
        yield from _of_requests(save, file, now) if save.header.over else needs_of(save, file, heart, reach, now)
    for path, error in index.broken.items():
        repair = tuple((line, f"moderator.broken.{key}") for key, line in repairs(path))
        yield Need(key=f"broken|{path.name}", words="moderator.broken", args={"what": str(error)}, commands=repair)
    yield from _of_rhythm(index, heart, now)
    yield from _of_certificate(now)
    yield from _of_quarantine(index, reach.home, now)


def repairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the command lines that help with a save that can't be read, each with what it does."""
    import shlex

    word = shlex.quote(path.name)
    if path.with_name(f"{path.name}.bak").exists() and os.access(path, os.R_OK):
        yield "spare", f"cp {word}.bak {word} && pbem audit {word}"
    else:
        yield "check", "pbem doctor"


def needs_of(save: Save, file: str, heart: Heartbeat, reach: Reach, now: datetime) -> Iterator[Need]:
    """Yield what one game needs. Whatever is yielded here must be found by `may_be_due`."""
    yield from _of_question(save, file, reach, now)
    yield from _of_email(save, file, reach, now)
    yield from _of_players(save, file)
    yield from _of_requests(save, file, now)
    yield from _of_outages(save, file, heart, now)


def _expire(file: str) -> Command:
    return f"pbem clock expire {file} --reason ...", "moderator.ask.time_up"


def _of_question(save: Save, file: str, reach: Reach, now: datetime) -> Iterator[Need]:
    missing = reach.missing(save, now)
    for pending in save.pending[:1]:
        args: dict[str, str | datetime] = {"q": str(pending.q), "game": save.header.name}
        key, since = f"{save.header.name}|{save.dice.epoch}.{pending.q}", standing(save)
        if since is not None and now - since >= _PATIENT and not all(missing.values()):
            args["since"] = since
            yield Need(
                key=f"unsent|{key}",
                save=save,
                words="moderator.unsent",
                args=args,
                commands=(_expire(file),),
                group=f"unsent {save.post.moderator}",  # all games share the mail server
            )
        elif save.header.unasked and pending.since and now - pending.since >= _PATIENT:
            release = (f"pbem mail release {file}", "moderator.held.release")
            yield Need(key=f"held|{key}", save=save, words="moderator.held", args=args, commands=(release,), daily=True)
        elif stalled(save, pending, now):
            yield _stall(save, file, pending, key, args)


def _stall(save: Save, file: str, pending: PendingInfo, key: str, args: dict[str, str | datetime]) -> Need:
    """Return the item of a question that waits for the moderator; if only one seat is asked, it names that seat."""
    decides = save.clock.time_up.get(pending.pace) == MODERATOR
    seats = {row.seat for row in save.pending}
    more = (f"pbem clock extend {file} --hours 24 --reason ...", "moderator.ask.extend")
    shown = (f"pbem questions {file} --unanswered", "moderator.ask.late")
    words = "moderator.ask" if decides else "moderator.wait"
    if len(seats) == 1:
        shown = (f"pbem seat bot on {file} {pending.seat} --reason ...", "moderator.wait.bot")
        words, args = f"{words}.one", {**args, "seat": pending.seat, "due": pending.due or ""}
    return Need(key=f"stall|{key}", save=save, words=words, args=args, commands=(more, _expire(file), shown))


def stalled(save: Save, pending: PendingInfo, now: datetime) -> bool:
    """Return whether the deadline of a question has passed, and nothing will happen automatically."""
    policy = save.clock.time_up.get(pending.pace, WAIT)
    if policy not in (WAIT, MODERATOR) or pending.seat == MODERATOR_SEAT:
        return False
    return pending.due is not None and pending.due <= now and asked(save) and not paused(save.clock, now)


def _of_email(save: Save, file: str, reach: Reach, now: datetime) -> Iterator[Need]:
    missing, name = reach.missing(save, now), save.header.name
    emails = {pending.letter for pending in save.pending if pending.letter}
    for row in reach.bounces.open_for(save, now, reach.rows):
        # A moderator who plays only reads of lost questions: a lost reminder tells that an answer is owed.
        if row.seat == MODERATOR_SEAT or row.name in emails or not save.post.plays:
            yield _bounce(save, file, row, row.seat in missing, row.name in emails)
    for file_name, tries in reach.tries.items():
        game, _, seat = file_name.rsplit(".", 2)[0].rpartition(".")
        late = game == name and now - tries.since >= _PATIENT and file_name not in emails
        if late and save.post.plays in ("", seat):
            args: dict[str, str | datetime] = {"seat": seat, "since": tries.since, "why": tries.why}
            yield Need(key=f"later|{name}|{seat}", save=save, words="moderator.later", args=args, daily=True)


def _bounce(save: Save, file: str, row: Bounce, stands: bool, question: bool) -> Need:
    args: dict[str, str | datetime] = {"seat": row.seat, "why": row.why, "address": row.to}
    if row.seat == MODERATOR_SEAT:
        key = f"bounce|{save.header.name}|{row.to}"
        return Need(key=key, save=save, words="moderator.bounce.own", args=args, aloud=True)
    key = f"bounce|{save.header.name}|{row.seat}"
    commands = [(f"pbem seat address {file} {row.seat} NEW-ADDRESS --reason ...", "moderator.bounce.address")]
    commands += [_expire(file)] if stands else []
    words = "moderator.bounce.stands" if stands else "moderator.bounce"
    return Need(key=key, save=save, words=words, args=args, commands=commands, daily=not question)


def _of_players(save: Save, file: str) -> Iterator[Need]:
    """Yield the seats that bots have taken over, those that let deadlines pass, and those that never wrote."""
    limit = save.clock.absent_after
    for seat in save.seats:
        args: dict[str, str | datetime] = {"seat": seat.id, "count": str(seat.missed)}
        known: dict[str, Any] = {"save": save, "args": args, "section": "known", "daily": True}
        if seat.understudy and 0 < limit <= seat.missed:
            yield Need(key=f"bot|{save.header.name}|{seat.id}", words="moderator.bot", **known)
        elif seat.missed >= AGAIN and not seat.told.unheard and not save.post.plays:
            yield Need(key=f"missed|{save.header.name}|{seat.id}", words="moderator.missed", **known)
        if seat.told.unheard and not save.post.plays:
            other = (f"pbem seat address {file} {seat.id} ADDRESS --reason ...", "moderator.bounce.address")
            known |= {"section": "needs", "commands": (other,)}
            yield Need(key=f"unheard|{save.header.name}|{seat.id}", words="moderator.unheard", **known)


NOTICE = "notice "
"""Before a request that the other players have agreed to: it is done soon, and the moderator can stop it."""


def _of_requests(save: Save, file: str, now: datetime) -> Iterator[Need]:
    """Yield what players ask of the moderator, and whose address has changed. One who plays doesn't read who asks."""
    for seat in save.seats:
        args: dict[str, str | datetime] = {"seat": seat.id, "game": save.header.name}
        if seat.told.moving is not None and seat.told.moving.old:
            key = f"address|{save.header.name}|{seat.id}"
            yield Need(key=key, save=save, words="moderator.address", args=args, section="known", daily=True)
        at = seat.told.requested
        if at is not None and now - at < ASKED_FOR:
            for request in seat.told.request.splitlines():
                act = player_act(request)
                if save.header.over and (act is None or act.may not in AFTER_THE_END):
                    continue
                yield _request(save, file, request, {**args, "since": at})


def _request(save: Save, file: str, request: str, args: dict[str, str | datetime]) -> Need:
    if request.startswith(NOTICE):
        words, does = "moderator.request_agreed", "moderator.request.stop"
        command = f"pbem config set {file} players_may.replace=no --reason ..."
    else:
        words = "moderator.request_discreet" if save.post.plays else "moderator.request"
        import shlex

        command, does = f"pbem seat grant {file} {shlex.quote(request)}", "moderator.request.do"
    return Need(
        key=f"request|{save.header.name}|{args['seat']}|{request}",
        save=save,
        words=words,
        args={**args, "request": request.removeprefix(NOTICE)},
        commands=((command, does),),
    )


def _of_outages(save: Save, file: str, heart: Heartbeat, now: datetime) -> Iterator[Need]:
    """Yield recent outages, and pauses and outages that stop a clock until the moderator decides."""
    name = save.header.name
    outages = [pause for pause in save.clock.pauses if pause.reason == heartbeat.REASON]
    far = [pause for pause in outages if pause.until is None]
    own = [pause for pause in save.clock.pauses if pause.reason != heartbeat.REASON]
    long = [pause for pause in own if pause.until is None and now - pause.since >= _TWO_WEEKS]
    lately = [pause for pause in outages if pause.until is not None and now - pause.until < _LATELY]
    harmless = heartbeat.harmless(save, heart, now - _LATELY)
    resume = (f"pbem clock resume {file} --reason ...", "moderator.far.unpause")
    kinds: tuple[tuple[str, Sequence[Pause | Gap], Sequence[Command]], ...] = (
        ("moderator.far", far, (resume, _expire(file))),
        ("moderator.paused", long, (resume,)),
        ("moderator.outage", lately, ()),
        ("moderator.outage.harmless", harmless, ()),
    )
    for words, found, help_ in kinds:
        if found:
            since = min(outage.since for outage in found)
            until = max(outage.until or now for outage in found)
            yield Need(
                key=f"{words}|{name}|{stamp(since)}",
                save=save,
                words=words,
                args={"game": name, "since": since, "until": until, "hours": str(save.clock.outage)},
                commands=help_,
                section="needs" if help_ else "known",
                daily=words != "moderator.far",
            )


def _of_rhythm(index: SaveIndex, heart: Heartbeat, now: datetime) -> Iterator[Need]:
    """Yield that runs are always further apart than a game allows: the setting is wrong, or the schedule is."""
    running = [(save.clock.outage, name) for name, save in index.select(_LEAST_OUTAGE)]
    hours, name = min(running, default=(0, ""))
    usual = heart.usual(Gap(heartbeat.TICK, heart.tick or now, now))
    if name and not index.headers[name].header.over and usual > timedelta(hours=hours):
        save, apart = index.headers[name], round(usual / timedelta(hours=1))
        help_ = (f"pbem config set {index.paths[name].name} outage={3 * apart}", "moderator.rhythm.set")
        yield Need(
            key=f"rhythm|{hours}",
            save=save,
            words="moderator.rhythm",
            args={"apart": str(apart), "hours": str(hours)},
            commands=(help_,),
            section="known",
            daily=True,
            waits=paused(save.clock, now),
        )


def _of_certificate(now: datetime) -> Iterator[Need]:
    """Yield that the certificate of an own server, which `pbem setup` has kept, ends soon: then no login works."""
    from pbem.save.folder_settings import folder_settings

    settings = folder_settings.get()
    path = settings.file(settings.mail.cafile) if settings is not None else None
    if path is not None and path.is_file():
        ends = list(_ends_of(path.read_text("ascii", "replace")))
        until = min((end for end in ends if end > now), default=max(ends, default=now + _TWO_WEEKS))
        if until - now < _TWO_WEEKS:
            args: dict[str, str | datetime] = {"file": path.name, "until": until}
            help_ = (("pbem setup mail", "moderator.certificate.setup"),)
            key = f"certificate|{stamp(until)}"
            yield Need(key=key, words="moderator.certificate", args=args, commands=help_, daily=True)


def _ends_of(pem: str) -> Iterator[datetime]:
    import ssl

    begin = "-----BEGIN CERTIFICATE-----"
    for part in pem.split(begin)[1:]:
        with suppress(ValueError):
            times = _TIMES.search(ssl.PEM_cert_to_DER_cert(begin + part.rstrip()))
            if times is not None:
                text = (times[2] or b"20" + times[1]).decode("ascii")
                yield datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


def _of_quarantine(index: SaveIndex, home: Path, now: datetime) -> Iterator[Need]:
    for held in players_emails(index, home)[0]:
        from pbem.mail.quarantine import REASONS

        save = index.find(held.game)
        dues = [pending.due for pending in save.pending if pending.due] if save is not None else []
        args: dict[str, str | datetime] = {"id": held.id, "at": held.at}
        plays = save is not None and bool(save.post.plays)
        if not plays:
            args |= {"sender": held.sender or "?", "seat": held.seat or "?", "subject": held.subject}
            args |= {"why": held.sentence()} | ({"reason": held.reason} if held.reason in REASONS else {})
        accept = " --add-address" if held.reason == "unknown-sender" else ""
        commands = (
            (f"pbem quarantine show {held.id}", "moderator.quarantine.show"),
            (f"pbem quarantine accept {held.id}{accept}", "moderator.quarantine.accept"),
        )
        yield Need(
            key=f"quarantine|{held.id}",
            save=save,
            words="moderator.quarantine.plays" if plays else "moderator.quarantine",
            args=args,
            commands=commands,
            section="quarantine",
            daily=not any(timedelta() <= due - now <= _SOON for due in dues),
        )


def players_emails(index: SaveIndex, home: Path) -> tuple[list[QuarantinedEmail], int]:
    """Return the emails in quarantine that may be a player's, and the number of others that people may have written."""
    from pbem.mail.quarantine import Quarantine, QuarantineView

    if not (home / "quarantine" / "index.jsonl").exists():
        return [], 0
    view = QuarantineView(Quarantine(home / "quarantine").listed(), index)
    written = [held for held in view.emails if held.reason not in _DEALT_WITH]
    mine = list(filter(view.is_player, written))
    return mine, len(written) - len(mine)
