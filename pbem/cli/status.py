"""`pbem status`, `pbem questions`, `pbem view`, `pbem stats`: what saves hold, for the moderator."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import Exit, data, document, emit_json, left_out, note, progress_bar, table
from pbem.cli.options import PathParam, add_option, guard, seat_id
from pbem.timestamps import stamp

if TYPE_CHECKING:
    from pbem.mail.statistics import GameStats
    from pbem.report.model import Report
    from pbem.save import Save, SeatInfo, Session


@command("status", "~/games", "g1.toml --json")
@options.paths
@options.json
@options.now
@click.pass_context
def status_command(ctx: click.Context, paths: tuple[Path, ...], as_json: bool, now: datetime) -> None:
    """Show turn, open questions and deadlines.

    It shows no secrets.
    """
    from pbem.clock import heartbeat
    from pbem.mail.save_index import SaveIndex, home_of

    saves = list(paths) or [Path()]
    with progress_bar("saves") as progress:
        index, heart = SaveIndex(saves, progress), heartbeat.load(home_of(saves))
    found, outages = [], set[int]()
    for name, save in index.headers.items():
        found.append(_standing(save, index.paths[name], now))
        outages.add(save.clock.outage)
    if as_json:
        emit_json("status", {"games": found})
    elif found:
        rows = [
            [g["name"], g["game"], str(g["moves"]), g["clock"], g["waits_for"], g["time"].replace(":00Z", "Z")]
            for g in found
        ]
        table(rows, ["name", "game", "moves", "when", "asked", "due (UTC)"])
    elif not index.broken:
        note("no saves here: `pbem new` starts a game")
    hours = min(outages, default=0)
    if hours and (silent := heart.silent(now, hours)):
        note(f"no run for {silent} h, since {stamp(heart.tick)}")
    left_out(ctx, index.broken.values(), bool(found))


def _standing(save: Save, path: Path, now: datetime) -> dict[str, Any]:
    """Return the public facts of a header, without which of the asked seats has answered."""
    from pbem.clock.policy import STATES, state

    word, at = state(save, now)
    header = save.header
    asked = list(dict.fromkeys(pending.seat for pending in save.pending))
    kinds = list(dict.fromkeys(pending.kind for pending in save.pending))
    waits = f"{', '.join(kinds)}: {', '.join(asked)}" if asked else ("over" if header.over else "-")
    return {
        "name": header.name,
        "file": str(path),
        "game": header.game,
        "scenario": header.scenario,
        "moves": header.n,
        "question": header.q,
        "head": header.head,
        "over": header.over,
        "result": header.result,
        "facts": header.clock,
        "clock": header.moment,
        "kinds": kinds,
        "asked": asked,
        "waits_for": waits,
        "due": stamp(min((pending.due for pending in save.pending if pending.due), default=None)),
        "time": STATES[word].format(at=stamp(at)) if word else "",
        "unsent": header.unsent,
    }


@command("questions", "g1.toml", "g1.toml --seat amber --unanswered")
@options.save
@options.seat("Only the questions to this seat.")
@click.option(
    "--unanswered", is_flag=True, help="Only the questions that wait for an answer. Keep it secret from players."
)
@options.json
def questions_command(save: Path, seat: str, unanswered: bool, as_json: bool) -> None:
    """List open questions with their reply forms."""
    if as_json:
        emit_json("questions", {"questions": _prompts(save, seat, unanswered)})
    else:
        show_prompts(save, seat, unanswered)


def _prompts(save: Path, seat: str, late: bool) -> list[dict[str, Any]]:
    from pbem.kernel.questions import MODERATOR

    session = opened(save)
    seat = seat_id(session.save, seat, MODERATOR) if seat else ""
    guard(session.save, "moderator" if late else seat or "moderator")
    pending = session.referee.pending()
    shown = (asked for asked in pending if seat in ("", asked.seat) and not (late and asked.answered))
    return [_prompt(session, asked.seat) for asked in shown]


def show_prompts(save: Path, seat: str = "", late: bool = False) -> None:
    """Print the open questions as text."""
    found = _prompts(save, seat, late)
    for entry in found:
        due = f"  until {entry['due']}" if entry["due"] else ""
        data(f"{entry['seat']} {entry['question']}: {entry['prompt']}{due}")
        data(f"  write: {entry['syntax']}")
        data("".join(f"  {line}\n" for line in entry["form"].splitlines()))
    if not found:
        note("no question is open here")


def _prompt(session: Session, seat: str) -> dict[str, Any]:
    """Return an open question as data; `choices` are what may be written in each place of the answer."""
    import msgspec

    from pbem.mail.outbox.recipient import frame, reader_of
    from pbem.mail.save_index import code_of
    from pbem.orders.reply_form import form
    from pbem.report.build import question
    from pbem.save import SeatInfo

    referee = session.referee
    info = next((player for player in session.save.seats if player.id == seat), None) or SeatInfo(seat)
    pending = next(asked for asked in referee.pending() if asked.seat == seat)
    say = reader_of(session, info).say
    found = question(referee, pending, say)
    code = code_of(session.save, seat, referee.q)
    return {
        "game": session.save.header.name,
        "question": found.q,
        "seat": seat,
        "kind": found.kind,
        "rule": found.rule,
        "pace": found.pace,
        "prompt": found.prompt,
        "code": code,
        "due": stamp(frame(session, info).due),
        "default": found.default,
        "syntax": found.syntax,
        "sealed": found.sealed,
        "choices": msgspec.to_builtins(found.choices),
        "form": form(referee, seat, game=session.save.header.name, code=code, syntax=say.syntax),
    }


@command("doctor", "pbem doctor", "~/games --offline --json")
@click.argument(
    "saves", default=".", metavar="[FOLDER]", type=PathParam(exists=True, file_okay=False), **options.READS_SETTINGS
)
@options.imap
@options.smtp
@click.option("--offline", is_flag=True, help="Don't connect to the mail servers.")
@options.json
@options.now
@click.pass_context
def doctor_command(
    ctx: click.Context, saves: Path, imap: str, smtp: str, offline: bool, as_json: bool, now: datetime
) -> None:
    """Check mail, schedule, clock, disk and saves.

    Each line says what is in order (ok), what to look at (!), and what is wrong (no), with a remedy. It changes
    nothing. With a mailbox it sends one email to itself, once a day at most.
    """
    from pbem.mail.moderator.doctor import NO, Doctor, as_lines
    from pbem.save.folder_settings import FolderSettings, folder_settings

    settings = folder_settings.get() or FolderSettings(folder=str(saves))
    mailbox = imap or str(settings.file(settings.mail.maildir) or "")
    doctor = Doctor(saves, settings, now, mailbox, smtp)
    checks = list(doctor.checks(offline=offline))
    if as_json:
        emit_json("doctor", {"checks": checks})
    else:
        data("\n".join([doctor.head(), *as_lines(checks)]))
    if any(check.state == NO for check in checks):
        ctx.exit(Exit.FAILED_CHECK)


class _Formats(click.Choice[str]):
    """The formats of a view; `view` is the former name of `player-file`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert("player-file" if value == "view" else value, param, ctx)


@command("view", "g1.toml --seat amber", "g1.toml --seat public --format html -o g1.html")
@options.save
@options.seat("A seat, `public`, or `moderator` (everything).", required=True)
@add_option(
    "--format kind",
    "",
    "state: everything as JSON, for your own programs. player-file: for `pbem tui` and `pbem check`.",
    default="text",
    type=_Formats(["text", "html", "json", "state", "player-file"]),
)
@options.lang
@click.option("--full-log", "everything", is_flag=True, help="Show the whole log, not only new lines.")
@options.output
def view_command(save: Path, seat: str, kind: str, lang: str | None, everything: bool, output: Path) -> None:
    """Show a game as one seat sees it."""
    from pbem.kernel.questions import MODERATOR
    from pbem.mail.outbox.email_parts import full_frame, lines_of
    from pbem.report.build import build
    from pbem.report.html import as_html
    from pbem.report.model import as_json
    from pbem.report.text import as_text
    from pbem.report.viewfile import dumps, view_file

    session = opened(save)
    info = _reader(session, seat)
    guard(session.save, info.id)
    if kind == "state":
        if info.id != MODERATOR:
            raise click.UsageError("--format state shows all secrets: add --seat moderator")
        write(output, _state(session), f"{seat} only")
        return
    lines = lines_of(session) if everything or kind == "player-file" else session.lines(info.seen)
    about = full_frame(session, info)
    if kind == "player-file":
        about.language = lang or info.language
        text = dumps(view_file(session.referee, info.id, frame=about, lines=lines))
    else:
        built = build(session.referee, info.id, lang or info.language, lines=lines, frame=about)
        draw: dict[str, Callable[[Report], str]] = {"text": as_text, "html": as_html, "json": as_json}
        text = draw[kind](built)
    if kind == "text" and str(output) == "-":
        data(text.removesuffix("\n"))
    else:
        write(output, text.removesuffix("\n") + "\n", f"{seat} only")


def write(output: Path, text: str, whom: str) -> None:
    """Write a document to a file or standard output."""
    from pbem import atomic_files

    if str(output) == "-":
        document(text)
    else:
        atomic_files.replace(output, text.encode(), 0o600)
        note(f"{output} written; it is for {whom}")


def _state(session: Session) -> str:
    import msgspec

    header, referee = session.save.header, session.referee
    whole = {
        "schema": "pbem/export/2",
        "name": header.name,
        "game": header.game,
        "rules": header.rules,
        "scenario": header.scenario,
        "options": header.options,
        "seats": [seat.id for seat in session.save.seats],
        "moves": header.n,
        "question": header.q,
        "over": header.over,
        "head": header.head,
        "clock": header.clock,
        "asked": referee.asked(),
        "state": referee.table.state,
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


def opened(path: Path) -> Session:
    """Open the game of a save."""
    from pbem.save import Session

    return Session.open(path, games.load)


def _reader(session: Session, seat: str) -> SeatInfo:
    """Return the seat to report to: one of the game's, the public or the moderator."""
    from pbem.kernel.questions import MODERATOR
    from pbem.mail.outbox.recipient import moderator
    from pbem.save import SeatInfo

    key = seat_id(session.save, seat, "public", MODERATOR)
    if key == "public":
        return SeatInfo("")
    return moderator(session) if key == MODERATOR else session.save.seat(key)


@command("stats", "~/games", "g1.toml --json")
@options.paths
@options.json
@click.pass_context
def stats_command(ctx: click.Context, paths: tuple[Path, ...], as_json: bool) -> None:
    """Show response times, dice and results.

    All of it is public, except the response times of a running game: keep those secret.
    """
    from pbem.mail.statistics import stats

    statistics = stats(list(paths) or [Path()])
    if as_json:
        emit_json("stats", statistics)
    else:
        for game in statistics.games:
            data("\n".join(_lines(game)))
        if statistics.results:
            data("results:")
        for row in statistics.results:
            won = f"{row.wins} of {row.games} won"
            data(f"  {row.game} {row.scenario}, {row.seat}: {won}, {row.points:g} points on average")
        if not statistics.games and not statistics.broken:
            note("no saves here: pbem new begins a game")
    left_out(ctx, statistics.broken.values(), bool(statistics.games))


def _lines(one: GameStats) -> list[str]:
    where = "over" if one.over else ", ".join(f"{key} {value}" for key, value in one.when.items())
    days = f" in {one.days:g} days" if one.days else ""
    lines = [f"{one.name} ({one.game} {one.scenario}): {where}; {one.rounds} rounds{days}"]
    if not one.over and one.time:
        lines.append("  hours for an answer, where one seat alone was asked:")
    elif one.time:
        lines.append("  hours for an answer:")
    for seat, time in one.time.items():
        hours = f"median {time.median:g}, mean {time.mean:g}, most {time.most:g}"
        lines.append(f"    {seat}: {time.answers} answers, {hours}")
    points = one.scores or (one.points[-1][1] if one.points else {})
    if points:
        won = f"; won by {', '.join(one.winners)}" if one.winners else ""
        lines.append("  points: " + ", ".join(f"{seat} {number}" for seat, number in points.items()) + won)
    lines += [
        f"  {dice.count} dice with {dice.sides} sides: {dice.sum}, expected {dice.expected:g} "
        f"({dice.sigmas:+g} sigma); faces {' '.join(map(str, dice.faces))}"
        for dice in one.dice
    ]
    return lines
