"""`pbem repair`, `pbem audit`, `pbem backup`, `pbem restore`: the heavier tools of the moderator."""

from __future__ import annotations

import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, busy, data, emit_json, event, note, progress_bar, warn
from pbem.cli.mail import show_report
from pbem.cli.options import AGAIN, FILE, NEW_FILE, author_of, guard, sure, use_folder_settings
from pbem.cli.status import opened
from pbem.kernel.questions import MODERATOR
from pbem.kernel.table import LogLine
from pbem.mail import backup, rollback_guard
from pbem.mail.moderator.game_actions import apply_correction, record_attempted_correction, restore, rewind
from pbem.mail.moderator.journal import Actor, act, done_before
from pbem.mail.save_index import SaveIndex
from pbem.report.messages import Catalogue
from pbem.save import (
    BrokenChain,
    ModeratorAction,
    ReplayFailed,
    Restored,
    RewindPlan,
    SaveError,
    SaveKeyError,
    Session,
    load,
    rewind_plan,
    rolled_again,
    verify,
)
from pbem.save.rewind import PROPOSAL


@command("repair rewind", "g1.toml 0 --dry-run", 'g1.toml 0 --reason "rule fault"')
@options.save
@click.argument("n", metavar="MOVE", type=click.IntRange(0))
@options.json
@options.acting()
def rewind_command(save: Path, n: int, dry_run: bool, reason: str, by: str, as_json: bool, now: datetime) -> None:
    """Take a game back to an earlier move.

    Later rolls use new dice. All players are notified. A copy of the save is kept. With --dry-run it also shows who has
    learned what since then.
    """
    if not (dry_run or reason):
        raise click.UsageError(
            "the reason is missing: add --reason TEXT (all players read it), or look first with --dry-run"
        )
    plans: list[RewindPlan] = []

    def work(game: Session, author: Actor) -> ModeratorAction:
        action, plan = rewind(game, author, n)
        plans.append(plan)
        return action

    report = None
    if dry_run:
        session = opened(save)
        guard(session.save, "moderator")
        plans.append(rewind_plan(session, n))
    else:
        session, _, report = act(save, author_of(by, reason, now), work)
    for plan in plans:
        if as_json:
            emit_json("rewind", _discreet(plan) if session.save.post.plays else plan)
        else:
            data(_learned_text(session, plan))
        note(f"the save as it was: {plan.kept}" if report is not None else "dry run: nothing was written")
    if not plans:
        note(AGAIN)
    if report is not None and not (as_json and plans):
        show_report(report)


def _discreet(plan: RewindPlan) -> dict[str, Any]:
    """Return the public part of a rewind: a moderator who plays must not see what others hold and have learnt."""
    return {name: getattr(plan, name) for name in ("n", "was_n", "epoch", "kept")}


def _span(plan: RewindPlan) -> str:
    return f"from move {plan.was_n} back to move {plan.n}"


def _learned_text(session: Session, plan: RewindPlan) -> str:
    if session.save.post.plays:
        return f"{_span(plan)}; you play, so what others have learnt is not shown"
    say = Catalogue(session.game, session.referee.components, "en", session.referee.names)
    lines = [f"{_span(plan)}: {len(plan.undone)} moves undone, dice epoch {plan.epoch}"]
    lines += [f"  {move.n}: {move.seat or 'all'} {move.kind}" for move in plan.undone]
    if plan.answers:
        lines.append(f"open answers dropped: {', '.join(plan.answers)}")
    lines += [f"queued line dropped: {queued.seat}: {queued.text}" for queued in plan.queued]
    if plan.emails:
        lines.append(f"undelivered emails withdrawn: {len(plan.emails)}")
    lines.append("learnt since:" if plan.learnt else "nobody has learnt anything since")
    for learnt in plan.learnt:
        readers = f"seen by {', '.join(learnt.told)}" if learnt.told else "seen by nobody yet"
        if learnt.key == PROPOSAL:
            text = f"proposal {learnt.args['id']}: {learnt.args['terms']}"
        else:
            text = say.render_line(LogLine(learnt.key, learnt.args, learnt.rule), MODERATOR) or learnt.key
        lines.append(f"  move {learnt.n}: {text} ({readers})")
    return "\n".join(lines)


@command("audit", "g1.toml", "~/games/*.toml --json")
@click.argument("saves", nargs=-1, required=True, metavar="SAVE...", type=FILE)
@options.jobs
@options.json
@click.pass_context
def audit_command(ctx: click.Context, saves: tuple[Path, ...], jobs: int, as_json: bool) -> None:
    """Check a save: hash chain, replay and dice.

    The whole game is replayed from the first move, and each open roll is made again from the seed. For several saves,
    --json prints a list, `games`.
    """
    from pbem.dev.workers import map_parallel

    audits: list[dict[str, Any]] = []
    faults: list[str] = []
    if len(saves) == 1:
        with busy("playing the game again"):
            audited = _audited(saves[0])
        if isinstance(audited, str):
            raise CommandFailed(audited, Exit.FAILED_CHECK)
        audits.append(audited)
    else:
        with progress_bar("saves") as progress:
            for audited in map_parallel(audited_of_several, saves, jobs=jobs):
                if isinstance(audited, dict):
                    audits.append(audited)
                else:
                    faults.append(audited)
                progress(len(audits) + len(faults), len(saves))
    if as_json and len(saves) == 1:
        emit_json("audit", audits[0])
    elif as_json:
        emit_json("audits", {"games": audits, "faults": faults})
    else:
        for audit in audits:
            data(_proved(audit))
        for fault in faults:
            warn(fault)
    if faults or not all(audit["ok"] for audit in audits):
        ctx.exit(Exit.FAILED_CHECK)


def _audited(save: Path) -> dict[str, Any] | str:
    """In a worker: return what was proved of a save, or what fails in it."""
    try:
        result = verify(save, games.load)
    except (SaveKeyError, BrokenChain, ReplayFailed) as error:
        return str(error)
    session = opened(save)
    rolls, wrong = rolled_again(session)
    return {
        "game": session.save.header.name,
        "moves": result.moves,
        "head": result.head,
        "digest": result.digest,
        "commitment": session.save.dice.commitment,
        "epoch": session.save.dice.epoch,
        "rolls": rolls,
        "roll_errors": wrong,
        "ok": not wrong,
    }


def audited_of_several(save: Path) -> dict[str, Any] | str:
    """In a worker: audit one of several saves. An unreadable save doesn't stop the others."""
    try:
        return _audited(save)
    except SaveError as error:
        return str(error)


def _proved(found: dict[str, Any]) -> str:
    wrong = found["roll_errors"]
    lines = [
        f"{found['game']}: {found['moves']} moves, chain whole, head {found['head']}",
        f"replayed from the first move to the same state: {found['digest']}",
        f"{found['rolls']} open rolls made again from the seed (SHA-256 {found['commitment']}): {len(wrong)} differ",
    ]
    return "\n".join([*lines, *(f"  {line}" for line in wrong)])


@command(
    "repair correct",
    "g1.toml countries.spain.status=3 --dry-run",
    'g1.toml countries.spain.status=3 --reason "misread the chart"',
)
@options.save
@click.argument("steps", nargs=-1, required=True, metavar="PATH=VALUE...")
@options.acting()
def correct_command(save: Path, steps: tuple[str, ...], reason: str, by: str, dry_run: bool, now: datetime) -> None:
    """Change the state of a game by hand.

    PATH leads into [checkpoint.state] of the save. The result has to keep the invariants of the game. All players read
    the reason, and each sees what they may see of the change.
    """
    session, text = opened(save), "; ".join(steps)
    who, plays = author_of(by, reason or ("dry run" if dry_run else ""), now), session.save.post.plays
    if dry_run and not plays:
        action = apply_correction(session, who, text)
        data(f"move {session.referee.n}: {action.args['steps']} ({who.reason})")
        note("dry run: nothing was written")
        return

    def work(game: Session, author: Actor) -> ModeratorAction:
        return record_attempted_correction(game, author) if dry_run else apply_correction(game, author, text)

    session, action, report = act(save, who, work)
    if plays:  # nothing hidden is shown
        tried = "nothing was changed" if action.what == "fiat-tried" else f"move {session.referee.n}"
        note(f"you play {plays}: {tried}; everybody is notified, and nothing else is shown")
    else:
        data(f"move {action.args['n']}: {action.args['steps']} ({action.reason})")
    if action.at != now:
        note(AGAIN)
    show_report(report, home=save.parent)
    if MODERATOR in session.referee.waiting() and not plays:
        asked = f"a correction isn't an answer: question {session.referee.q} still waits for yours"
        how = f"pbem questions {save} --seat {MODERATOR}; if these steps were all, answer `none`"
        note(f"{asked}\n  → {how}")


@command("repair accept-rollback", "g1.toml --dry-run", 'g1.toml --yes --reason "disk lost"')
@options.save
@options.yes
@options.acting()
def rollback_command(save: Path, yes: bool, reason: str, by: str, dry_run: bool, now: datetime) -> None:
    """Go on with a save that is older than emails already sent.

    Do it only if the newest save is lost. All players are notified, and asked to compare their emails.
    """
    whole, author = load(save, recent=True), author_of(by, reason, now)
    sent, older = rollback_guard.load(save.parent).get(whole.header.name), True
    try:
        rollback_guard.check(save.parent, whole)
    except Restored as error:
        if sent is None:
            raise CommandFailed(str(error), Exit.FAILED_CHECK) from None
        if dry_run:
            data(str(error))
            note("dry run: nothing was written")
            return
        sure(f"{error}\nAll players would be notified. Go on with this save?", yes)
    else:
        if done_before(whole, author) is None:
            raise CommandFailed("this save isn't older than the emails", Exit.FAILED_CHECK)
        older = False

    def work(game: Session, who: Actor) -> ModeratorAction:
        assert sent is not None
        return restore(game, who, sent.n, sent.letters)

    def stored() -> None:
        if older:
            rollback_guard.forget(save.parent, whole.header.name)

    session, action, report = act(save, author, work, stored=stored)
    data(f"{session.save.header.name} {action.id}: {action.what} by {action.by}: {action.reason}")
    show_report(report)


@command("backup", "games.tar", "games.tar --saves ~/games")
@click.argument("file", type=NEW_FILE)
@options.saves
@options.now
@click.pass_context
def backup_command(ctx: click.Context, file: Path, saves: Path, now: datetime) -> None:
    """Write a copy of all games.

    A tar file (*.tar, *.tar.gz) with saves, outbox, quarantine and settings, as they are now; a run may be at work.
    It contains all secrets of the games, but no passwords.
    """
    index = SaveIndex([saves])
    if not (index.paths or index.broken):
        raise CommandFailed(f"{saves}: no saves here", hint="name their folder: --saves FOLDER")
    mail = use_folder_settings(ctx, saves)
    secret = mail.file(mail.mail.password_file)
    made = backup.back_up(saves, file, now, frozenset({secret} if secret else ()))
    size = sum(found.size for found in made.files)
    event(f"{file}: {len(index.paths) + len(index.broken)} games, {len(made.files)} files, {size:,} bytes")
    for path, why in index.broken.items():
        warn(f"copied as it is: {why if str(path) in str(why) else f'{path}: {why}'}")
    if index.broken:
        ctx.exit(Exit.PARTIAL)


@command("restore", "games.tar --dry-run", "games.tar --saves ~/games --yes")
@click.argument("file", type=FILE)
@options.saves
@options.dry_run
@options.yes
@options.now
@click.pass_context
def restore_command(ctx: click.Context, file: Path, saves: Path, dry_run: bool, yes: bool, now: datetime) -> None:
    """Restore games from a backup.

    Each save is checked as by `pbem audit`. If the folder isn't empty, it asks; files that it replaces are moved to a
    folder `before-restore-…`. Emails that were sent since aren't sent again.
    """
    if file.suffix == ".toml":
        hint = f"pbem repair accept-rollback {file}"
        raise CommandFailed(f"{file} is a save, not a backup", Exit.USAGE, hint=hint)
    saves.mkdir(mode=0o700, parents=True, exist_ok=True)
    used = any(not path.name.startswith(".") and path.suffix != ".lock" for path in saves.iterdir())
    fresh = Path(tempfile.mkdtemp(prefix=".restore-", dir=saves))
    try:
        manifest = backup.unpack(file, fresh)
        if used and not dry_run:
            made = manifest.made[:16].replace("T", " ")
            sure(f"{saves} has files already. Put the {len(manifest.files)} files of {made} there?", yes)
        aside = saves / f"before-restore-{now:%Y%m%d-%H%M%S}"
        done = backup.restore(fresh, manifest, saves, _fault, aside, dry_run=dry_run)
    except backup.BackupError as error:
        raise CommandFailed(f"{file}: {error}") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    _tell(done, saves, aside, len(manifest.files), dry_run=dry_run)
    if done.faults:
        ctx.exit(Exit.PARTIAL)


def _fault(save: Path) -> str:
    found = audited_of_several(save)
    return found if isinstance(found, str) else "; ".join(found["roll_errors"])


def _tell(done: backup.Restoration, saves: Path, aside: Path, count: int, *, dry_run: bool) -> None:
    data(f"{len(done.put)} of {count} files put into {saves}; the others already exist")
    if done.kept:
        data(f"{len(done.kept)} files that were in their place: {aside}")
    for name, why in done.faults.items():
        warn(f"{name}: {why}")
    for name, why in done.behind.items():
        warn(f"{name}: {why}\n  → pbem repair accept-rollback {saves / name}")
    if dry_run:
        note("dry run: nothing was written")
