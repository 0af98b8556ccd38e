"""`pbem rehearse`, `pbem upgrade`, `pbem export`: games and the versions of their rules, and a game for other tools."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.exits import Exit
from pbem.cli.options import PathParam, by_option, jobs_option, json_option, now_option, save_argument

if TYPE_CHECKING:
    from pbem.post.inbox.outcomes import IngestReport
    from pbem.post.moderator.journal import Author
    from pbem.save.rehearsing import Rehearsed
    from pbem.save.upgrading import Upgrade


@click.command("rehearse")
@click.argument("paths", nargs=-1, required=True, metavar="SAVE|FOLDER...", type=PathParam(exists=True))
@jobs_option
@json_option
@click.pass_context
def rehearse_command(ctx: click.Context, paths: tuple[Path, ...], jobs: int, as_json: bool) -> None:
    """Play live games again under the installed rules, before you upgrade.

    The same game, or the first move at which it becomes another. Nothing is written.
    """
    from pbem.cli.console import data, emit_json, left_out, progress_bar, warn
    from pbem.jobs import spread
    from pbem.post.save_index import save_files

    found: list[Rehearsed] = []
    wrong: list[str] = []
    files = save_files(paths)
    with progress_bar("saves") as progress:
        for rehearsed in spread(_rehearsed, files, jobs=jobs):
            if isinstance(rehearsed, str):
                wrong.append(rehearsed)
            else:
                found.append(rehearsed)
            progress(len(found) + len(wrong), len(files))
    if as_json:
        emit_json("rehearse", {"games": found, "unreadable": wrong})
    else:
        for game in found:
            data(_sentence(game))
        if not files:
            warn("no saves here")
    left_out(ctx, [] if as_json else wrong, bool(found))
    if wrong or not all(game.same for game in found):
        ctx.exit(Exit.REFUSED)


def _rehearsed(path: Path) -> Rehearsed | str:
    """In a worker: what came of it, or why the save cannot be read."""
    import games
    from pbem.save import SaveError
    from pbem.save.rehearsing import discreet, rehearse

    try:
        return discreet(rehearse(path, games.load))
    except SaveError as error:
        return str(error)


def _sentence(game: Rehearsed) -> str:
    then, now = game.rules
    rules = f"rules {now}" if then == now else f"rules {then} → {now}"
    rules += ", other components" if game.pack_changed else ""
    if game.same:
        return f"{game.name}: {game.moves} moves, the same game ({rules})"
    place = f"move {game.n}" if game.n else "at its end"
    both = f"\n  the save: {game.theirs}\n  these rules: {game.ours}" if game.theirs or game.ours else ""
    return f"{game.name}: another game, {place} ({rules}): {game.why}{both}"


@click.command("upgrade")
@save_argument
@click.option("--plan", "only_plan", is_flag=True, help="Only tell what it would do.")
@click.option(
    "--from-checkpoint",
    is_flag=True,
    help="Where another game would come of it: take back what came after the last checkpoint, and play on from there.",
)
@click.option("--reason", default="", help="Why. Everybody reads it.")
@by_option
@json_option
@now_option
def upgrade_command(
    save: Path, only_plan: bool, from_checkpoint: bool, reason: str, by: str, as_json: bool, now: datetime
) -> None:
    """Play a game on under the installed rules.

    Without --from-checkpoint only if nothing that has happened changes. Everybody is told, and the save as it was is
    kept. Where you decide against it, play the game on with the version it was begun with.
    """
    import games
    from pbem.cli.console import data, emit_json, note
    from pbem.cli.mail import show_report
    from pbem.post.moderator.journal import Author
    from pbem.save.rehearsing import discreet
    from pbem.save.upgrading import plan

    if not only_plan and not reason:
        raise click.UsageError("say why: --reason (everybody reads it); or look first with --plan")
    report = None
    if only_plan:
        made = plan(save, games.load)
    else:
        made, report = _upgrade(save, Author(by, reason, now), from_checkpoint)
    discreet(made.found)
    if made.barred and made.found.plays:
        made.barred = "why is not shown: you play in it"
    if as_json:
        emit_json("upgrade", made)
        return
    data(_sentence(made.found))
    data(_upgraded(made))
    if report is None:
        note("nothing was changed: run it without --plan")
        return
    note(f"the save as it was: {made.kept}")
    show_report(report, home=save.parent)


def _upgrade(save: Path, author: Author, from_checkpoint: bool) -> tuple[Upgrade, IngestReport]:
    """Do it. Raises `Stop` where the game may not go on."""
    import games
    from pbem.cli.console import Stop
    from pbem.post.moderator.on_game import upgrade
    from pbem.save import NoUpgrade

    try:
        _, made, report = upgrade(save, author, from_checkpoint=from_checkpoint, game=games.load)
    except NoUpgrade as error:
        raise Stop(str(error), Exit.REFUSED) from None
    return made, report


def _upgraded(made: Upgrade) -> str:
    if not made.needed:
        return "it is played under these rules already"
    if made.found.same:
        return "it goes on as it stands"
    if made.barred:
        return f"it cannot go on from its checkpoint: {made.barred}"
    back = f"{made.undone} moves taken back" if made.undone else "no move is taken back"
    return f"from its checkpoint, after move {made.n} of {made.was_n}: {back}, dice epoch {made.epoch}"


@click.command("export")
@save_argument
@click.option("--state", is_flag=True, required=True, help="The whole state, every secret in it, as JSON.")
@click.option("-o", "--output", type=PathParam(dir_okay=False, allow_dash=True), default="-")
def export_command(save: Path, state: bool, output: Path) -> None:
    """A game for tools of your own: its state and public facts as JSON.

    It holds every secret, as the save does. `pbem report --format json` is what one seat may see.
    """
    import msgspec

    from pbem import small_files
    from pbem.cli.console import document
    from pbem.cli.guard import guard
    from pbem.cli.look import opened

    session = opened(save)
    guard(session.save, MODERATOR)
    header, referee = session.save.header, session.referee
    whole = {
        "schema": "pbem/export/1",
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
    text = msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"
    if str(output) == "-":
        document(text.decode())
    else:
        small_files.replace(output, text, 0o600)


MODERATOR = "moderator"

COMMANDS = [rehearse_command, upgrade_command, export_command]
