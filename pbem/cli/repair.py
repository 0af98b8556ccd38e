"""`pbem repair` and `pbem audit`: the moderator's heavier tools."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import games
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, busy, data, emit_json, note, progress_bar, warn
from pbem.cli.exit_codes import Exit
from pbem.cli.mail import show_report
from pbem.cli.options import (
    PathParam,
    act_options,
    author_of,
    guard,
    jobs_option,
    json_option,
    save_argument,
    sure,
    yes_option,
)
from pbem.cli.status import opened

if TYPE_CHECKING:
    from pbem.mail.moderator.journal import Actor
    from pbem.save import RewindPlan, Session


@command("rewind", "pbem repair rewind g1.toml 0 --dry-run", 'pbem repair rewind g1.toml 0 --reason "rule fault"')
@save_argument
@click.argument("n", metavar="MOVE", type=click.IntRange(0))
@json_option
@act_options()
def rewind_command(save: Path, n: int, dry_run: bool, reason: str, by: str, as_json: bool, now: datetime) -> None:
    """Take a game back to an earlier move.

    Later rolls use new dice. All players are told. A copy of the save is kept. With --dry-run it also shows who has
    learned what since then.
    """
    from pbem.mail.moderator.game_actions import rewind
    from pbem.mail.moderator.journal import done_before, finish
    from pbem.save import rewind_plan

    if not (dry_run or reason):
        raise click.UsageError("say why: --reason (all players read it); or look first with --dry-run")
    session, who = opened(save), author_of(by, reason, now)
    if not dry_run and done_before(session.save, who) is not None:
        _not_again(save, now)
        return
    if dry_run:
        guard(session.save, "moderator")
        plan = rewind_plan(session, n)
    else:
        _, plan = rewind(session, who, n)
        session.commit(now)
    if as_json:
        emit_json("rewind", _discreet(plan) if session.save.post.plays else plan)
    else:
        data(_told(session, plan))
    if dry_run:
        note("dry run: nothing was written")
        return
    note(f"the save as it was: {plan.kept}")
    report = finish(save, now)
    if not as_json:
        show_report(report)


def _not_again(save: Path, now: datetime) -> None:
    """Send only the pending notifications of an action that was just done."""
    from pbem.mail.moderator.journal import finish

    note("it was done already, and is not done again: its emails were written now")
    show_report(finish(save, now))


def _discreet(plan: RewindPlan) -> dict[str, Any]:
    """Return the public part of a rewind: a moderator who plays must not see what others hold and have learnt."""
    return {name: getattr(plan, name) for name in ("n", "was_n", "epoch", "kept")}


def _span(plan: RewindPlan) -> str:
    return f"from move {plan.was_n} back to move {plan.n}"


def _told(session: Session, plan: RewindPlan) -> str:
    """Describe a plan: what is undone, and what players keep knowing."""
    from pbem.kernel.questions import MODERATOR
    from pbem.kernel.table import LogLine
    from pbem.report.messages import Catalogue
    from pbem.save.rewind import PROPOSAL

    if session.save.post.plays:
        return f"{_span(plan)}; you play, so what others have learnt is not shown"
    say = Catalogue(session.game, session.components, "en", session.referee.names)
    lines = [f"{_span(plan)}: {len(plan.undone)} moves undone, dice epoch {plan.epoch}"]
    lines += [f"  {move.n}: {move.seat or 'all'} {move.kind}" for move in plan.undone]
    if plan.answers:
        lines.append(f"open answers dropped: {', '.join(plan.answers)}")
    lines += [f"queued line dropped: {queued.seat}: {queued.text}" for queued in plan.queued]
    if plan.letters:
        lines.append(f"undelivered emails withdrawn: {len(plan.letters)}")
    lines.append("learnt since:" if plan.learnt else "nobody has learnt anything since")
    for learnt in plan.learnt:
        told = f"told to {', '.join(learnt.told)}" if learnt.told else "told to nobody yet"
        if learnt.key == PROPOSAL:
            said = f"proposal {learnt.args['id']}: {learnt.args['terms']}"
        else:
            said = say.render_line(LogLine(learnt.key, learnt.args, learnt.rule), MODERATOR) or learnt.key
        lines.append(f"  move {learnt.n}: {said} ({told})")
    return "\n".join(lines)


@command("audit", "pbem audit g1.toml", "pbem audit ~/games/*.toml --json")
@click.argument("saves", nargs=-1, required=True, metavar="SAVE...", type=PathParam(exists=True, dir_okay=False))
@jobs_option
@json_option
@click.pass_context
def audit_command(ctx: click.Context, saves: tuple[Path, ...], jobs: int, as_json: bool) -> None:
    """Check a save: hash chain, replay and dice.

    The whole game is replayed from the first move, and each open roll is made again from the seed. For several saves,
    --json prints a list, `games`.
    """
    from pbem.dev.workers import map_parallel

    found: list[dict[str, Any]] = []
    faults: list[str] = []
    if len(saves) == 1:
        with busy("playing the game again"):
            audited = _audited(saves[0])
        if isinstance(audited, str):
            raise CommandFailed(audited, Exit.FAILED_CHECK)
        found.append(audited)
    else:
        with progress_bar("saves") as progress:
            for audited in map_parallel(audited_of_several, saves, jobs=jobs):
                if isinstance(audited, dict):
                    found.append(audited)
                else:
                    faults.append(audited)
                progress(len(found) + len(faults), len(saves))
    if as_json and len(saves) == 1:
        emit_json("audit", found[0])
    elif as_json:
        emit_json("audits", {"games": found, "faults": faults})
    else:
        for audit in found:
            data(_proved(audit))
        for fault in faults:
            warn(fault)
    if faults or not all(audit["ok"] for audit in found):
        ctx.exit(Exit.FAILED_CHECK)


def _audited(save: Path) -> dict[str, Any] | str:
    """In a worker: return what was proved of a save, or what fails in it."""
    from pbem.save import BrokenChain, ReplayFailed, SaveKeyError, rolled_again, verify

    try:
        found = verify(save, games.load)
    except (SaveKeyError, BrokenChain, ReplayFailed) as error:
        return str(error)
    session = opened(save)
    rolls, wrong = rolled_again(session)
    return {
        "game": session.save.header.name,
        "moves": found.moves,
        "head": found.head,
        "digest": found.digest,
        "commitment": session.save.dice.commitment,
        "epoch": session.save.dice.epoch,
        "rolls": rolls,
        "roll_errors": wrong,
        "ok": not wrong,
    }


def audited_of_several(save: Path) -> dict[str, Any] | str:
    """In a worker: audit one of several saves. An unreadable save doesn't stop the others."""
    from pbem.save import SaveError

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
    "correct",
    "pbem repair correct g1.toml countries.spain.status=3 --dry-run",
    'pbem repair correct g1.toml countries.spain.status=3 --reason "misread the chart"',
)
@save_argument
@click.argument("steps", nargs=-1, required=True, metavar="PATH=VALUE...")
@act_options()
def correct_command(save: Path, steps: tuple[str, ...], reason: str, by: str, dry_run: bool, now: datetime) -> None:
    """Change the state of a game by hand.

    PATH leads into [checkpoint.state] of the save. The result has to keep the invariants of the game. All players read
    the reason, and each sees what they may see of the change.
    """
    from pbem.kernel.questions import MODERATOR
    from pbem.mail.bots import set_due
    from pbem.mail.moderator.game_actions import apply_correction
    from pbem.mail.moderator.journal import done_before, finish

    session = opened(save)
    who = author_of(by, reason or ("dry run" if dry_run else ""), now)
    if done_before(session.save, who) is not None:
        _not_again(save, now)
        return
    if session.save.post.plays:
        _as_player(session, who, "; ".join(steps), dry_run)
        return
    action = apply_correction(session, who, "; ".join(steps))
    said = f"move {session.referee.n}: {action.args['steps']} ({who.reason})"
    if dry_run:
        data(said)
        note("dry run: nothing was written")
        return
    set_due(session, now)
    session.commit(now)
    data(said)
    report = finish(save, now)
    if not report.idle or report.moderator:
        show_report(report, home=save.parent)
    if MODERATOR in session.referee.waiting():
        asked = f"a correction is no answer: question {session.referee.q} still waits for yours"
        how = f"pbem questions {save} --seat {MODERATOR}; if these steps were all, answer `none`"
        note(f"{asked}\n  → {how}")


def _as_player(session: Session, author: Actor, steps: str, dry_run: bool) -> None:
    """Correct a game whose moderator plays (`dry_run`: log the attempt). All are notified; nothing hidden is shown."""
    from pbem.mail.bots import set_due
    from pbem.mail.moderator.game_actions import apply_correction, record_attempted_correction
    from pbem.mail.moderator.journal import finish

    action = record_attempted_correction(session, author) if dry_run else apply_correction(session, author, steps)
    set_due(session, author.now)
    session.commit(author.now)
    tried = "nothing was changed" if action.what == "fiat-tried" else f"move {session.referee.n}"
    note(f"you play {session.save.post.plays}: {tried}; everybody is told, and nothing else is shown")
    show_report(finish(session.path, author.now), home=session.path.parent)


@command(
    "accept-rollback",
    "pbem repair accept-rollback g1.toml --dry-run",
    'pbem repair accept-rollback g1.toml --yes --reason "disk lost"',
)
@save_argument
@yes_option
@act_options()
def rollback_command(save: Path, yes: bool, reason: str, by: str, dry_run: bool, now: datetime) -> None:
    """Go on with a save that is older than emails already sent.

    Do it only if the newest save is lost. All players are told, and asked to compare their emails.
    """
    from pbem.mail import rollback_guard
    from pbem.mail.moderator.game_actions import restore
    from pbem.mail.moderator.journal import Actor, act
    from pbem.save import Restored, load

    whole = load(save, recent=True)
    told = rollback_guard.load(save.parent).get(whole.header.name)
    try:
        rollback_guard.check(save.parent, whole)
    except Restored as error:
        if told is None:
            raise CommandFailed(str(error), Exit.FAILED_CHECK) from None
        if dry_run:
            data(str(error))
            note("dry run: nothing was written")
            return
        sure(f"{error}\nAll players would be told. Go on with this save?", yes)
    else:
        raise CommandFailed("this save isn't older than the emails", Exit.FAILED_CHECK)
    author = Actor(by, reason, now)
    author.check("restore")
    rollback_guard.forget(save.parent, whole.header.name)
    try:
        session, action, report = act(save, author, lambda game, who: restore(game, who, told.n, told.letters))
    except BaseException:
        rollback_guard.write(save.parent, rollback_guard.load(save.parent) | {whole.header.name: told})
        raise
    data(f"{session.save.header.name} {action.id}: {action.what} by {action.by}: {action.reason}")
    show_report(report)


COMMANDS = {
    "audit": audit_command,
    "repair correct": correct_command,
    "repair rewind": rewind_command,
    "repair accept-rollback": rollback_command,
}
