"""`pbem desk` and what the moderator does at it: each action journaled with author and reason, and told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem import LANGUAGES
from pbem.cli import completing
from pbem.cli.exits import Exit
from pbem.cli.options import F, author_of, by_option, json_option, now_option, paths_argument, save_argument

if TYPE_CHECKING:
    from pbem.post.moderator.journal import Author
    from pbem.post.moderator.overview import GameOverview, Overview, Waiting
    from pbem.save import ModeratorAction, Save, Session


def _action_options(**reason: Any) -> Callable[[F], F]:
    """`--reason`, `--by`, `--now`."""

    def add(function: F) -> F:
        why = click.option("--reason", help="Why. Everybody it concerns reads it.", **reason)
        return why(by_option(now_option(function)))

    return add


reason_options = _action_options(required=True)
no_reason_options = _action_options(default="")  # of an action that says why by itself


@click.command("desk")
@paths_argument
@json_option
@now_option
@click.pass_context
def desk_command(ctx: click.Context, paths: tuple[Path, ...], as_json: bool, now: datetime) -> None:
    """Who blocks whom, since when, and what waits for you.

    A secret: it tells who has not answered, unless the moderator plays (`pbem set SAVE plays=SEAT`).
    """
    from pbem.cli.console import emit_json, left_out
    from pbem.moments import stamp
    from pbem.post.moderator.overview import overview

    found = overview(list(paths) or [Path()], now=now)
    if as_json:
        emit_json("desk", found)
    elif found.games or not found.broken:
        _draw(found, stamp(now))
    left_out(ctx, found.broken.values(), bool(found.games))


def _draw(found: Overview, now: str) -> None:
    """A table where there is room for one, else lines: in a pipe, and on a narrow terminal."""
    import shutil

    from pbem.cli.console import data

    if sys.stdout.isatty() and shutil.get_terminal_size().columns >= _LEAST_COLUMNS:
        _draw_table(found, now)
    else:
        for game in found.games:
            data("\n".join(_lines(game, now)))
    late = f": no run for {found.silent} h" if found.silent else ""
    data(f"mail read {found.read or 'never'}, cron ran {found.tick or 'never'}{late}")
    players = f" ({found.of_players} may be players' own)" if found.of_players else ""
    data(f"outbox {found.unsent}, quarantine {found.quarantine}{players}")


_LEAST_COLUMNS = 80


def _draw_table(found: Overview, now: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from pbem.cli.console import draw

    table = Table(title=None, expand=False, show_lines=True)
    for head, whole in (("game", 0), ("asked (open for)", 0), ("due (UTC)", 10), ("pace", 11), ("to do", 0)):
        table.add_column(head, width=whole or None)  # dates stay whole, the rest is wrapped at words
    for game in found.games:
        asked = [Text(_asked(w), "bold" if w.answered is False else "") for w in game.waiting]
        table.add_row(
            Text.assemble((game.name, "bold"), f"\n{game.when}"),
            Text("\n").join(asked) if asked else Text("over" if game.over else "-"),
            Text(_due(game)[:16].replace("T", "\n")),
            Text(f"{game.days_per_turn:g} d/turn\nnext\n{game.next_turn}" if game.days_per_turn else ""),
            Text(", ".join(_todo(game, now)), "bold" if game.bounces else ""),
        )
    draw(table)


def _lines(one: GameOverview, now: str) -> Iterator[str]:
    """A game of the overview in lines of words."""
    yield f"{one.name}: {one.when}" + (", over" if one.over else "")
    for asked in one.waiting:
        yield f"  {_asked(asked)}"
    if _due(one):
        yield f"  due {_due(one)}"
    if one.days_per_turn:
        yield f"  {one.days_per_turn:g} days a turn; next turn {one.next_turn}"
    if todo := ", ".join(_todo(one, now)):
        yield f"  {todo}"


def _asked(asked: Waiting) -> str:
    mark = {True: "done", False: "owes", None: "asked"}[asked.answered]
    return f"{asked.seat}: {asked.kind} {asked.q}, {asked.hours} h, {mark}"


def _due(one: GameOverview) -> str:
    return min((asked.due for asked in one.waiting if asked.due), default="")


def _todo(one: GameOverview, now: str) -> Iterator[str]:
    """What the moderator should see to."""
    if "" < _due(one) <= now or one.paused:
        yield (one.time or ("paused" if one.paused else "time is up")).upper()
    if one.bounces:
        yield f"BOUNCES: {', '.join(one.bounces)}"
    if one.held:
        yield f"{one.held} to release"
    if one.outbox > one.held:
        yield f"{one.outbox - one.held} unsent"


# -- actions ---------------------------------------------------------------------------------------------------------


def _do(
    save: Path, by: str, reason: str, now: datetime, work: Callable[[Session, Author], ModeratorAction]
) -> None:
    """Do it, store it, send what it has to tell."""
    from pbem.cli.console import data, note
    from pbem.cli.mail import show_report
    from pbem.post.inbox.intake import Intake
    from pbem.post.moderator.journal import Unchanged, act

    try:
        session, action, report = act(save, author_of(by, reason, now), work)
    except Unchanged as error:
        note(f"nothing is changed: {error}")
        show_report(Intake([save], now=now).finish())  # what a run that died has left to tell
        return
    data(f"{session.save.header.name} {action.id}: {action.what} by {action.by}: {action.reason}")
    if action.at != now:
        note("it was done already, and is not done again: its emails were written now")
    show_report(report)


@click.command("extend")
@save_argument
@click.option("--hours", type=click.IntRange(1, 24 * 60), required=True)
@click.option(
    "--q",
    type=int,
    default=0,
    shell_complete=completing.questions,
    help="Which question (default: the open one).",
)
@reason_options
def extend_command(save: Path, hours: int, q: int, by: str, reason: str, now: datetime) -> None:
    """Give more hours to the open question."""
    from pbem.post.moderator.on_clock import extend

    _do(save, by, reason, now, lambda session, author: extend(session, author, hours, q))


@click.command("pause")
@save_argument
@reason_options
def pause_command(save: Path, by: str, reason: str, now: datetime) -> None:
    """Stop the clock of a game until `pbem unpause`."""
    from pbem.post.moderator.on_clock import pause

    _do(save, by, reason, now, pause)


@click.command("unpause")
@save_argument
@no_reason_options
def unpause_command(save: Path, by: str, reason: str, now: datetime) -> None:
    """Let the clock run again."""
    from pbem.post.moderator.on_clock import unpause

    _do(save, by, reason, now, unpause)


@click.command("absent")
@save_argument
@click.option("--seat", shell_complete=completing.seats, required=True, help="Who is away.")
@click.option("--from", "since", default="", metavar="DATE", help="First day, in the game's zone.")
@click.option("--to", "until", default="", metavar="DATE", help="Last day.")
@click.option("--cancel", is_flag=True, help="Take absences back: all of the seat's, or those in that time.")
@click.option("--reason", default="", help="Why. Only the seat reads it.")
@by_option
@now_option
def absent_command(
    save: Path, seat: str, since: str, until: str, cancel: bool, reason: str, by: str, now: datetime
) -> None:
    """SEAT is away: the clock of what is put to it stands. The others see the new deadline, and not why."""
    from pbem.cli.seats import seat_id
    from pbem.post.moderator.on_clock import absent, present

    if not cancel and not (since and until):
        raise click.UsageError("say --from DATE and --to DATE")

    def work(session: Session, author: Author) -> ModeratorAction:
        do = present if cancel else absent
        return do(session, author, seat_id(session.save, seat), since, until)

    _do(save, by, reason, now, work)


@click.command("time-up")
@save_argument
@reason_options
def time_up_command(save: Path, by: str, reason: str, now: datetime) -> None:
    """Decide that time is up: whoever has not answered gets his default."""
    from pbem.post.moderator.on_clock import end_time

    _do(save, by, reason, now, end_time)


@click.command("substitute")
@save_argument
@click.argument("seat", shell_complete=completing.seats)
@click.argument("address", metavar="ADDRESS|bot")
@click.option("--effort", default="normal", help="Of a bot: low, normal or high.")
@click.option("--watch", is_flag=True, help="He only reads along (copies without codes).")
@click.option("--until", default="", metavar="TIME", help="He plays until then (ISO 8601).")
@click.option("--name", default="", help="For good: the newcomer's name.")
@click.option("--zone", default="", help="For good: his time zone (IANA; default: his predecessor's).")
@click.option("--language", type=click.Choice(LANGUAGES), help="For good: his language.")
@reason_options
def substitute_command(
    save: Path,
    seat: str,
    address: str,
    effort: str,
    watch: bool,
    until: str,
    name: str,
    zone: str,
    language: str | None,
    by: str,
    reason: str,
    now: datetime,
) -> None:
    """Somebody else for SEAT: to read along, for a while, or for good.

    For good (neither --watch nor --until), the newcomer is briefed, the old player's codes and secret are void, and
    mail of his is put aside. `bot` is an understudy: it plays until the player writes again.
    """
    from pbem.cli.seats import seat_id
    from pbem.post.moderator import on_seats

    if watch and until:
        raise click.UsageError("either --watch or --until TIME")
    if (watch or until) and (name or zone or language):
        raise click.UsageError("--name, --zone and --language are those of a new player for good")

    def work(session: Session, author: Author) -> ModeratorAction:
        key = seat_id(session.save, seat)
        if address == "bot":
            return on_seats.understudy(session, author, key, effort)
        if watch:
            return on_seats.watch(session, author, key, address)
        if until:
            return on_seats.delegate(session, author, key, address, until)
        return on_seats.substitute(session, author, key, address, name, zone=zone, language=language or "")

    _do(save, by, reason, now, work)


@click.command("broadcast")
@save_argument
@click.argument("text")
@no_reason_options
def broadcast_command(save: Path, text: str, by: str, reason: str, now: datetime) -> None:
    """Write TEXT to everybody in the game."""
    from pbem.post.moderator.on_letters import broadcast

    _do(save, by, reason, now, lambda session, author: broadcast(session, author, text))


@click.command("set")
@save_argument
@click.argument(
    "settings", nargs=-1, required=True, metavar="NAME=VALUE...", shell_complete=completing.settings
)
@click.option(
    "--earlier",
    is_flag=True,
    help="Deadlines that were announced may move earlier by it (but for the `least` hours from now).",
)
@click.option(
    "--from-checkpoint",
    is_flag=True,
    help="Of pack=: where another game would come of it, take back what came after the last checkpoint.",
)
@reason_options
def set_command(
    save: Path,
    settings: tuple[str, ...],
    earlier: bool,
    from_checkpoint: bool,
    by: str,
    reason: str,
    now: datetime,
) -> None:
    """Change rules of clock and post.

    time_up.turn=default, grace=12, remind=24,2, days=mon,tue,wed, quiet=2026-12-25, grid=18, outage=6,
    moderator=you@example.org, language=ja, trusted=mx.example.org, release=-1, plays=spain (pbem docs save-format);
    pack=FILE, alone: corrected components, after a rehearsal (pbem docs packs).
    """
    from pbem.post.moderator.on_clock import change_settings

    if any(setting.startswith("pack=") for setting in settings):
        if len(settings) > 1:
            raise click.UsageError("pack=FILE stands alone")
        _repack(save, settings[0].partition("=")[2], from_checkpoint, by, reason, now)
        return

    _do(
        save,
        by,
        reason,
        now,
        lambda session, author: change_settings(session, author, settings, earlier=earlier),
    )


def _repack(save: Path, file: str, from_checkpoint: bool, by: str, reason: str, now: datetime) -> None:
    """Other components for a running game; pack= without a file: the published ones."""
    import games
    from pbem.cli.begin import own_pack
    from pbem.cli.console import Stop, data, note
    from pbem.cli.mail import show_report
    from pbem.post.moderator.journal import Author
    from pbem.post.moderator.on_game import repack
    from pbem.save import NoUpgrade, load_header

    header = load_header(save)
    pack = own_pack(Path(file) if file else None, games.load(header.header.game))
    try:
        session, made, report = repack(save, Author(by, reason, now), pack, from_checkpoint=from_checkpoint)
    except NoUpgrade as error:
        if header.post.plays:
            raise Stop(
                f"{save} does not go on with it: why is not shown, you play in it", Exit.REFUSED
            ) from None
        raise Stop(str(error), Exit.REFUSED) from None
    data(f"{session.save.header.name}: components {session.save.header.pack_digest}")
    note(f"the save as it was: {made.kept}")
    show_report(report, home=save.parent)


@click.command("reveal")
@save_argument
@reason_options
def reveal_command(save: Path, by: str, reason: str, now: datetime) -> None:
    """Show everything, as the moderator may see it. Everybody is told that you looked."""
    from pbem.cli.console import data
    from pbem.cli.look import opened
    from pbem.post.moderator.on_game import reveal
    from pbem.post.outbox.reader import frame, moderator
    from pbem.report.build import build
    from pbem.report.text import as_text

    _do(save, by, reason, now, lambda session, author: reveal(session, author, "pbem reveal"))
    session = opened(save)
    who = moderator(session)
    about = frame(session, who)
    data(as_text(build(session.referee, who.id, who.language, lines=session.lines(0), frame=about)))


def _guarded(save: Path, seat: str) -> tuple[Save, str]:
    """The save and the id of the seat ("": all seats), unless the moderator plays and the seat is not his own."""
    from pbem.cli.guard import guard
    from pbem.cli.seats import seat_id
    from pbem.save import load

    whole = load(save, recent=True)
    seat = seat_id(whole, seat) if seat else ""
    guard(whole, seat or "moderator")
    return whole, seat


@click.command("preview")
@save_argument
@click.option("--seat", shell_complete=completing.seats, default="", help="Only the letters to this seat.")
@json_option
def preview_command(save: Path, seat: str, as_json: bool) -> None:
    """The letters that are held for you to look at (release=-1, or hours), as they will go out."""
    from pbem.cli.console import data, emit_json, note
    from pbem.moments import stamp
    from pbem.post.outbox import release

    whole, seat = _guarded(save, seat)
    found = [copy for copy in release.held(whole) if seat in ("", copy.seat)]
    if as_json:
        emit_json("letters", {"letters": found})
        return
    for letter in found:
        until = letter.held_until
        when = "until you release it" if until is None else f"until {stamp(until)}"
        parts = [*(["HTML"] if letter.html else []), *(["calendar"] if letter.calendar else [])]
        more = f"; with it: {', '.join(parts)}" if parts else ""
        data(f"== {letter.seat}, held {when}{more}\nSubject: {letter.subject}\n\n{letter.body}")
    if not found:
        note("no letter is held")


@click.command("release")
@save_argument
@click.option("--seat", shell_complete=completing.seats, default="", help="Only the letters to this seat.")
@click.option("--show", is_flag=True, help="Only show the letters that are held (as pbem preview).")
@click.option("--reason", default="", help="Why; it stands in the journal.")
@by_option
@now_option
@click.pass_context
def release_command(
    ctx: click.Context, save: Path, seat: str, show: bool, reason: str, by: str, now: datetime
) -> None:
    """Send the letters that are held (release=-1 or hours)."""
    from pbem.cli.seats import seat_id
    from pbem.post.moderator.on_letters import release_letters

    if show:
        ctx.invoke(preview_command, save=save, seat=seat, as_json=False)
        return

    def work(session: Session, author: Author) -> ModeratorAction:
        return release_letters(session, author, seat_id(session.save, seat) if seat else "")

    _do(save, by, reason, now, work)


@click.command("agreements")
@save_argument
@click.option("--seat", shell_complete=completing.seats, default="", help="Only those of this seat.")
@json_option
def agreements_command(save: Path, seat: str, as_json: bool) -> None:
    """The register of agreements that do not bind."""
    from pbem.cli.console import data, emit_json, note
    from pbem.post.outbox.press import signed_by_all

    whole, seat = _guarded(save, seat)
    found = [agreement for agreement in whole.agreements if seat in ("", agreement.seat, *agreement.to)]
    if as_json:
        emit_json("agreements", {"agreements": found})
        return
    for agreement in found:
        state = (
            "withdrawn" if agreement.withdrawn else "signed by all" if signed_by_all(agreement) else "open"
        )
        data(
            f"{agreement.id}: {state}; signed: {', '.join(agreement.signed)}\n    "
            + agreement.text.replace("\n", "\n    ")
        )
    if not found:
        note("no agreements")


COMMANDS = [
    desk_command,
    extend_command,
    pause_command,
    unpause_command,
    absent_command,
    time_up_command,
    substitute_command,
    broadcast_command,
    set_command,
    reveal_command,
    preview_command,
    release_command,
    agreements_command,
]
