"""`pbem dashboard`, and the moderator's actions: journaled with author and reason, and players are notified."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from pbem.cli import completion, options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, draw, emit_json, left_out, note, table
from pbem.cli.mail import show_report
from pbem.cli.options import AGAIN, F, author_of, guard, seat_id, sure
from pbem.cli.status import opened
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.moderator.actions import ActionField, ActionSpec, actions
from pbem.mail.moderator.clock_actions import change_settings
from pbem.mail.moderator.dashboard import GameOverview, Overview, WaitingSeat, overview
from pbem.mail.moderator.game_actions import reveal
from pbem.mail.moderator.journal import Actor, Unchanged, act, deadlines
from pbem.mail.outbox import release
from pbem.mail.outbox.press import signed_by_all
from pbem.mail.outbox.recipient import frame, moderator
from pbem.report.build import build
from pbem.report.text import as_text
from pbem.save import ModeratorAction, Save, Session, load, load_header
from pbem.save.settings import SETTINGS, shown
from pbem.timestamps import stamp

_LEAST_COLUMNS = 80


@command("dashboard", "~/games", "g1.toml --json")
@options.paths
@options.json
@options.now
@click.pass_context
def dashboard_command(ctx: click.Context, paths: tuple[Path, ...], as_json: bool, now: datetime) -> None:
    """Show who is waited for and what needs you.

    Keep it secret: it shows who hasn't answered, unless you play in the game (setting `plays`).
    """
    rows = overview(list(paths) or [Path()], now=now)
    if as_json:
        emit_json("dashboard", rows)
    elif rows.games or not rows.broken:
        _draw(rows, stamp(now))
    left_out(ctx, rows.broken.values(), bool(rows.games))


def _draw(found: Overview, now: str) -> None:
    """Draw a table where there is room for one; in a pipe and on a narrow terminal print lines."""
    if sys.stdout.isatty() and shutil.get_terminal_size().columns >= _LEAST_COLUMNS:
        _draw_table(found, now)
    else:
        for game in found.games:
            data("\n".join(_lines(game, now)))
    late = f": no run for {found.silent} h" if found.silent else ""
    data(f"mail read {found.read or 'never'}, cron ran {found.tick or 'never'}{late}")
    players = f" ({found.of_players} may be players' own)" if found.of_players else ""
    data(f"outbox {found.unsent}, quarantine {found.quarantine}{players}")


def _draw_table(found: Overview, now: str) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None, expand=False, show_lines=True)
    for head, whole in (("game", 0), ("asked (open for)", 0), ("due (UTC)", 10), ("pace", 11), ("to do", 0)):
        table.add_column(head, width=whole or None)  # dates stay whole, the rest is wrapped at words
    for game in found.games:
        asked = [Text(_question_text(w), "bold" if w.answered is False else "") for w in game.waiting]
        table.add_row(
            Text.assemble((game.name, "bold"), f"\n{game.when}"),
            Text("\n").join(asked) if asked else Text("over" if game.over else "-"),
            Text(_due(game)[:16].replace("T", "\n")),
            Text(f"{game.days_per_turn:g} d/turn\nnext\n{game.next_turn}" if game.days_per_turn else ""),
            Text(", ".join(_todo(game, now)), "bold" if game.bounces else ""),
        )
    draw(table)


def _lines(one: GameOverview, now: str) -> Iterator[str]:
    yield f"{one.name}: {one.when}" + (", over" if one.over else "")
    for asked in one.waiting:
        yield f"  {_question_text(asked)}"
    if _due(one):
        yield f"  due {_due(one)}"
    if one.days_per_turn:
        yield f"  {one.days_per_turn:g} days a turn; next turn {one.next_turn}"
    if todo := ", ".join(_todo(one, now)):
        yield f"  {todo}"


def _question_text(asked: WaitingSeat) -> str:
    mark = {True: "done", False: "owes", None: "asked"}[asked.answered]
    return f"{asked.seat}: {asked.kind} {asked.q}, {asked.hours} h, {mark}"


def _due(one: GameOverview) -> str:
    return min((asked.due for asked in one.waiting if asked.due), default="")


def _todo(one: GameOverview, now: str) -> Iterator[str]:
    if "" < _due(one) <= now or one.paused:
        yield (one.time or ("paused" if one.paused else "time is up")).upper()
    if one.bounces:
        yield f"BOUNCES: {', '.join(one.bounces)}"
    if one.held:
        yield f"{one.held} to release"
    if one.outbox > one.held:
        yield f"{one.outbox - one.held} unsent"


def _do(
    save: Path,
    by: str,
    reason: str,
    now: datetime,
    work: Callable[[Session, Actor], ModeratorAction],
    *,
    dry_run: bool = False,
) -> None:
    """Do the action, store it, and send its emails; with `dry_run` only show it."""
    if dry_run:
        _try(save, author_of(by, reason or "-", now), work)
        return
    try:
        session, action, report = act(save, author_of(by, reason, now), work)
    except Unchanged as error:
        note(f"nothing is changed: {error}")
        show_report(InboxRun([save], now=now).finish())  # notifications that a crashed run didn't send
        return
    data(f"{session.save.header.name} {action.id}: {action.what} by {action.by}: {action.reason}")
    if action.at != now:
        note(AGAIN)
    show_report(report)


def _try(save: Path, author: Actor, work: Callable[[Session, Actor], ModeratorAction]) -> None:
    """Do it in memory, and show what would be public of it."""
    session = opened(save)
    old = deadlines(session.save)
    action = work(session, author)
    # A moderator who plays doesn't learn who has asked for something.
    discreet = session.save.post.plays and action.what == "granted"
    told = "who has asked" if discreet else ", ".join(action.told) or "nobody"
    data(f"{session.save.header.name}: {action.what} would tell {told}")
    for q, due in deadlines(session.save).items():
        if q in old and due != old[q]:
            data(f"question {q}: deadline {stamp(old[q]) or 'none'} → {stamp(due) or 'none'}")
    note("dry run: nothing was written")


def _made(action: ActionSpec) -> click.Command:
    needs_seat = any(field.asks == "seat" and field.needed for field in action.fields)

    def run(save: Path, by: str, reason: str, now: datetime, dry_run: bool, yes: bool = True, **given: Any) -> None:
        filled = {key: str(value) for key, value in given.items() if value is not None}
        if filled.get("words") == "-":
            filled["words"] = sys.stdin.read()
        if action.asks and not dry_run:
            sure(action.asks.format(**filled), yes)

        def work(session: Session, author: Actor) -> ModeratorAction:
            if needs_seat or filled.get("seat"):
                filled["seat"] = seat_id(session.save, filled["seat"])
            return action.work(filled)(session, author)

        _do(save, by, reason, now, work, dry_run=dry_run)

    function: Callable[..., None] = options.acting(action.reads, free=action.free)(run)
    if action.asks:
        function = options.yes(function)
    for field in reversed(action.fields):
        function = _option_for(field)(function)
    made = command(action.command, *action.examples)(options.save(function))
    made.help = action.help
    return made


def _option_for(field: ActionField) -> Callable[[F], F]:
    if not field.option:
        metavar = "TEXT" if field.key == "words" else None
        seat = completion.seats if field.asks == "seat" else None
        return click.argument(field.key, metavar=metavar, shell_complete=seat)
    name, metavar = field.option.split()
    kind: Any = click.Choice(metavar.split("|")) if "|" in metavar else None
    kind = click.IntRange(0, 24 * 366) if field.asks == "number" else kind
    complete = {"seat": completion.seats, "question": completion.questions}.get(field.key)
    return click.option(
        name,
        field.key,
        type=kind,
        required=field.needed,
        metavar=None if "|" in metavar else metavar,
        shell_complete=complete,
        help=f"{field.help}.",
    )


@command("config list", "g1.toml", "g1.toml --json")
@options.save
@options.json
def config_list(save: Path, as_json: bool) -> None:
    """List the settings of a game."""
    values = shown(load_header(save))
    if as_json:
        emit_json("config", {"settings": values})
    else:
        rows = [[name, value, SETTINGS[name.partition(".")[0]].help] for name, value in values.items()]
        table(rows, ["setting", "value", "meaning"])


@command("config get", "g1.toml grace", "g1.toml time_up.turn")
@options.save
@click.argument("name", shell_complete=completion.setting_names)
def config_get(save: Path, name: str) -> None:
    """Show one setting of a game."""
    values = shown(load_header(save))
    if name not in values:
        raise CommandFailed(f"'{name}' isn't a setting", Exit.USAGE, hint=f"settings: {', '.join(values)}")
    data(values[name])


@command(
    "config set",
    'g1.toml grace=24 --reason "as agreed"',
    'g1.toml time_up.ballot=default remind=24,2 --reason "as agreed"',
)
@options.save
@click.argument("settings", nargs=-1, required=True, metavar="NAME=VALUE...", shell_complete=completion.settings)
@click.option(
    "--allow-earlier",
    "earlier",
    is_flag=True,
    help="Let announced deadlines move earlier, but not into the next `least` hours.",
)
@options.acting()
def config_set(
    save: Path, settings: tuple[str, ...], earlier: bool, by: str, reason: str, now: datetime, dry_run: bool
) -> None:
    """Change settings of a game.

    `pbem config list SAVE` shows all with their values.
    """
    if any(setting.startswith("pack=") for setting in settings):
        raise CommandFailed("`set SAVE pack=FILE` is now `upgrade components SAVE --pack FILE`", Exit.USAGE)
    work = partial(change_settings, settings=settings, earlier=earlier)
    _do(save, by, reason, now, work, dry_run=dry_run)


@command("repair reveal", 'g1.toml --reason "a dispute"', 'g1.toml --as Dora --reason "a dispute"')
@options.save
@options.acting()
def reveal_command(save: Path, by: str, reason: str, now: datetime, dry_run: bool) -> None:
    """Show all secrets of a game, and notify all players.

    A moderator who doesn't play can use `pbem view SAVE --seat moderator`. It notifies nobody.
    """
    _do(save, by, reason, now, partial(reveal, what="pbem repair reveal"), dry_run=dry_run)
    if dry_run:
        return
    session = opened(save)
    who = moderator(session)
    about = frame(session, who)
    data(as_text(build(session.referee, who.id, who.language, lines=session.lines(0), frame=about)))


def _guarded(save: Path, seat: str) -> tuple[Save, str]:
    """Return the save and the seat's id ("": all). A moderator who plays may name only their own seat."""
    whole = load(save, recent=True)
    seat = seat_id(whole, seat) if seat else ""
    guard(whole, seat or "moderator")
    return whole, seat


@command("mail preview", "g1.toml", "g1.toml --seat amber")
@options.save
@options.seat("Only the emails to this seat.")
@options.json
def preview_command(save: Path, seat: str, as_json: bool) -> None:
    """Show the emails that are held back.

    The setting `release` holds them: until you release them (-1), or for some hours.
    """
    whole, seat = _guarded(save, seat)
    copies = [copy for copy in release.held(whole) if seat in ("", copy.seat)]
    if as_json:
        emit_json("emails", {"emails": copies})
        return
    for email in copies:
        until = email.held_until
        when = "until you release it" if until is None else f"until {stamp(until)}"
        parts = [*(["HTML"] if email.html else []), *(["calendar"] if email.calendar else [])]
        more = f"; with it: {', '.join(parts)}" if parts else ""
        data(f"== {email.seat}, held {when}{more}\nSubject: {email.subject}\n\n{email.body}")
    if not copies:
        note("nothing to release: no email is held back")


@command("seat agreements", "g1.toml", "g1.toml black --json")
@options.save
@click.argument("seat", required=False, default="", shell_complete=completion.seats)
@options.json
def agreements_command(save: Path, seat: str, as_json: bool) -> None:
    """List agreements that the rules don't enforce."""
    whole, seat = _guarded(save, seat)
    listed = [agreement for agreement in whole.agreements if seat in ("", agreement.seat, *agreement.to)]
    if as_json:
        emit_json("agreements", {"agreements": listed})
        return
    for agreement in listed:
        state = "withdrawn" if agreement.withdrawn else "signed by all" if signed_by_all(agreement) else "open"
        text = agreement.text.replace("\n", "\n    ")
        data(f"{agreement.id}: {state}; signed: {', '.join(agreement.signed)}\n    {text}")
    if not listed:
        note("no agreements")


@command("seat cc list", "g1.toml black", "g1.toml black --json")
@options.save
@click.argument("seat", shell_complete=completion.seats)
@options.json
def cc_list(save: Path, seat: str, as_json: bool) -> None:
    """List who gets copies of a seat's emails."""
    whole = load_header(save)
    recipients = whole.seat(seat_id(whole, seat)).watchers
    if as_json:
        emit_json("cc", {"addresses": recipients})
        return
    for address in recipients:
        data(address)
    if not recipients:
        note("nobody gets copies")


@command("spectators list", "g1.toml", "g1.toml --json")
@options.save
@options.json
def spectators_list(save: Path, as_json: bool) -> None:
    """List the spectators of a game."""
    spectators = load_header(save).post.onlookers
    if as_json:
        emit_json("spectators", {"spectators": spectators})
    elif spectators:
        rows = [[fan.address, fan.language, str(fan.hours), str(fan.letters)] for fan in spectators]
        table(rows, ["address", "language", "hours", "emails"])
    else:
        note("no spectators")


for _action in actions():
    if _action.command:
        _made(_action)
