"""`pbem upgrade`: games under other rules, or with other components."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, emit_json, failing, left_out, note, progress_bar, warn
from pbem.cli.mail import show_report
from pbem.cli.new import own_pack
from pbem.cli.options import AGAIN, PathParam, author_of
from pbem.mail.moderator.game_actions import replace_pack, upgrade
from pbem.mail.save_index import save_files
from pbem.save import NoUpgrade, SaveError, load_header
from pbem.save.upgrade import RulesUpgrade, plan
from pbem.save.upgrade_check import UpgradeCheck, discreet, rehearse

_NOT_SHOWN = "why isn't shown, you play in it"


@command("upgrade check", "~/games", "g1.toml --json")
@click.argument("paths", nargs=-1, required=True, metavar="SAVE|FOLDER...", type=PathParam(exists=True))
@options.jobs
@options.json
@click.pass_context
def check_command(ctx: click.Context, paths: tuple[Path, ...], jobs: int, as_json: bool) -> None:
    """Replay games under the installed rules, and compare.

    It finds the first move that would turn out differently. Nothing is changed.
    """
    from pbem.dev.workers import map_parallel

    checks: list[UpgradeCheck] = []
    wrong: list[str] = []
    files = save_files(paths)
    with progress_bar("saves") as progress:
        for rehearsed in map_parallel(_rehearsed, files, jobs=jobs):
            if isinstance(rehearsed, str):
                wrong.append(rehearsed)
            else:
                checks.append(rehearsed)
            progress(len(checks) + len(wrong), len(files))
    if as_json:
        emit_json("upgrade-check", {"games": checks, "unreadable": wrong})
    else:
        for game in checks:
            data(_sentence(game))
        if not files:
            warn("no saves here")
    left_out(ctx, [] if as_json else wrong, bool(checks))
    if wrong or not all(game.same for game in checks):
        ctx.exit(Exit.FAILED_CHECK)


def _rehearsed(path: Path) -> UpgradeCheck | str:
    try:
        return discreet(rehearse(path, games.load))
    except SaveError as error:
        return str(error)


def _sentence(game: UpgradeCheck) -> str:
    then, now = game.rules
    rules = f"rules {now}" if then == now else f"rules {then} → {now}"
    rules += ", other components" if game.pack_changed else ""
    if game.same:
        return f"{game.name}: {game.moves} moves, the same game ({rules})"
    place = f"move {game.n}" if game.n else "at its end"
    both = f"\n  the save: {game.theirs}\n  these rules: {game.ours}" if game.theirs or game.ours else ""
    return f"{game.name}: another game, {place} ({rules}): {game.why}{both}"


_checkpoint_option = click.option(
    "--from-checkpoint",
    is_flag=True,
    help="If moves would turn out differently, undo those after the last checkpoint and go on from there.",
)


@command("upgrade apply", "g1.toml --dry-run", 'g1.toml --reason "version 0.2"')
@options.save
@_checkpoint_option
@options.json
@options.acting()
def apply_command(
    save: Path, dry_run: bool, from_checkpoint: bool, reason: str, by: str, as_json: bool, now: datetime
) -> None:
    """Move a game to the installed rules.

    Without --from-checkpoint, all past moves have to turn out the same. All players are notified. A copy
    of the save is kept.
    """
    if not (dry_run or reason):
        raise click.UsageError(
            "the reason is missing: add --reason TEXT (all players read it), or look first with --dry-run"
        )
    report = None
    if dry_run:
        made = _planned(save)
    else:
        author = author_of(by, reason, now)
        with failing(NoUpgrade, code=Exit.FAILED_CHECK):
            _, done, report = upgrade(save, author, from_checkpoint=from_checkpoint, game=games.load)
        made = _discreet(done)
    if as_json:
        emit_json("upgrade", made)
        return
    data(_sentence(made.found))
    data(_upgraded(made))
    if report is None:
        note("dry run: nothing was written")
        return
    note(f"the save as it was: {made.kept}" if made.kept else AGAIN)
    show_report(report, home=save.parent)


def _upgraded(made: RulesUpgrade) -> str:
    if not made.needed:
        return "it is played under these rules already"
    if made.found.same:
        return "it goes on as it stands"
    if made.barred:
        return f"it can't go on from its checkpoint: {made.barred}"
    back = f"{made.undone} moves taken back" if made.undone else "no move is taken back"
    return f"from its checkpoint, after move {made.n} of {made.was_n}: {back}, dice epoch {made.epoch}"


@command(
    "upgrade components",
    "g1.toml --pack my-1630.toml --dry-run",
    'g1.toml --pack my-1630.toml --reason "second printing"',
)
@options.save
@options.pack
@click.option("--published", is_flag=True, help="Go back to the published components.")
@_checkpoint_option
@options.acting()
def components_command(
    save: Path,
    pack: Path | None,
    published: bool,
    from_checkpoint: bool,
    by: str,
    reason: str,
    now: datetime,
    dry_run: bool,
) -> None:
    """Move a game to corrected components.

    The game is replayed with them first. All players are notified which facts change. A copy of the save is kept.
    """
    if (pack is None) != published:
        raise click.UsageError("name the components: --pack FILE or --published")
    header = load_header(save)
    own = own_pack(pack, games.load(header.header.game))
    if dry_run:
        made = _planned(save, own)
        data(f"{_sentence(made.found)}\n{_upgraded(made)}")
        note("dry run: nothing was written")
        return
    try:
        who = author_of(by, reason, now)
        session, made, report = replace_pack(save, who, own, from_checkpoint=from_checkpoint)
    except NoUpgrade as error:
        why = f"{save} doesn't go on with it: {_NOT_SHOWN}" if header.post.plays else str(error)
        raise CommandFailed(why, Exit.FAILED_CHECK) from None
    data(f"{session.save.header.name}: components {session.save.header.pack_digest}")
    note(f"the save as it was: {made.kept}" if made.kept else AGAIN)
    show_report(report, home=save.parent)


def _planned(save: Path, pack: dict[str, Any] | None = None) -> RulesUpgrade:
    return _discreet(plan(save, games.load, pack))


def _discreet(made: RulesUpgrade) -> RulesUpgrade:
    """Leave out what a moderator who plays must not know."""
    discreet(made.found)
    if made.barred and made.found.plays:
        made.barred = _NOT_SHOWN
    return made
