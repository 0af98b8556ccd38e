"""`pbem rewind`, `pbem audit`, `pbem fiat`: the moderator's heavier tools."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.cli.exits import Exit
from pbem.cli.options import PathParam, by_option, jobs_option, json_option, now_option, save_argument

if TYPE_CHECKING:
    from pbem.post.moderator.journal import Author
    from pbem.save import Plan, Session


@click.command("rewind")
@save_argument
@click.argument("n", type=click.IntRange(0))
@click.option(
    "--plan", "only_plan", is_flag=True, help="Only tell what it would undo, and who has learnt what since."
)
@click.option("--reason", default="", help="Why. Everybody reads it.")
@by_option
@json_option
@now_option
def rewind_command(
    save: Path, n: int, only_plan: bool, reason: str, by: str, as_json: bool, now: datetime
) -> None:
    """Take the game back to after move N.

    The dice after it are new ones, everybody is told, and the save as it was is kept.
    """
    from pbem.cli.console import data, emit_json, note
    from pbem.cli.guard import guard
    from pbem.cli.look import opened
    from pbem.cli.mail import show_report
    from pbem.post.inbox.intake import Intake
    from pbem.post.moderator.journal import Author
    from pbem.post.moderator.on_game import rewind
    from pbem.save import rewind_plan

    if not only_plan and not reason:
        raise click.UsageError("say why: --reason (everybody reads it); or look first with --plan")
    session = opened(save)
    if only_plan:
        guard(session.save, "moderator")
        plan = rewind_plan(session, n)
    else:
        _, plan = rewind(session, Author(by, reason, now), n)
        session.commit(now)
    if as_json:
        emit_json("rewind", _discreet(plan) if session.save.post.plays else plan)
    elif session.save.post.plays:
        data(f"{_span(plan)}; you play, so what others have learnt is not shown")
    else:
        data(_told(session, plan))
    if only_plan:
        note("nothing was changed: run it without --plan")
        return
    note(f"the save as it was: {plan.kept}")
    report = Intake([save], now=now).finish()
    if not as_json:
        show_report(report)


def _discreet(plan: Plan) -> dict[str, Any]:
    """What of a rewind is public: a moderator who plays must not read in it what others hold and have learnt."""
    return {name: getattr(plan, name) for name in ("n", "was_n", "epoch", "kept")}


def _span(plan: Plan) -> str:
    return f"from move {plan.was_n} back to move {plan.n}"


def _told(session: Session, plan: Plan) -> str:
    """A plan in words: what is undone, and what cannot be unlearnt."""
    from pbem.kernel.questions import MODERATOR
    from pbem.kernel.table import Line
    from pbem.report.catalogue import Catalogue
    from pbem.save.rewind import PROPOSAL

    say = Catalogue(session.game, session.components, "en", session.referee.names)
    lines = [f"{_span(plan)}: {len(plan.undone)} moves undone, dice epoch {plan.epoch}"]
    lines += [f"  {move.n}: {move.seat or 'all'} {move.kind}" for move in plan.undone]
    if plan.answers:
        lines.append(f"open answers dropped: {', '.join(plan.answers)}")
    lines += [f"queued line dropped: {queued.seat}: {queued.text}" for queued in plan.queued]
    if plan.letters:
        lines.append(f"undelivered letters withdrawn: {len(plan.letters)}")
    lines.append("learnt since:" if plan.learnt else "nobody has learnt anything since")
    for learnt in plan.learnt:
        told = f"told to {', '.join(learnt.told)}" if learnt.told else "told to nobody yet"
        if learnt.key == PROPOSAL:
            said = f"proposal {learnt.args['id']}: {learnt.args['terms']}"
        else:
            said = say.render_line(Line(learnt.key, learnt.args, learnt.rule), MODERATOR) or learnt.key
        lines.append(f"  move {learnt.n}: {said} ({told})")
    return "\n".join(lines)


@click.command("audit")
@click.argument(
    "saves", nargs=-1, required=True, metavar="SAVE...", type=PathParam(exists=True, dir_okay=False)
)
@jobs_option
@json_option
@click.pass_context
def audit_command(ctx: click.Context, saves: tuple[Path, ...], jobs: int, as_json: bool) -> None:
    """Prove a save: chain, dice, replay.

    The chain of moves is checked, the whole game replayed from the first move, every open die rolled again. Of several
    saves --json has a list, `games`.
    """
    from pbem.cli.console import Stop, busy, data, emit_json, progress_bar, warn
    from pbem.jobs import spread

    found: list[dict[str, Any]] = []
    faults: list[str] = []
    if len(saves) == 1:
        with busy("playing the game again"):
            audited = _audited(saves[0])
        if isinstance(audited, str):
            raise Stop(audited, Exit.REFUSED)
        found.append(audited)
    else:
        with progress_bar("saves") as progress:
            for audited in spread(_audited_of_several, saves, jobs=jobs):
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
        ctx.exit(Exit.REFUSED)


def _audited(save: Path) -> dict[str, Any] | str:
    """In a worker: what was proved of a save, or what does not hold in it."""
    import games
    from pbem.cli.look import opened
    from pbem.save import BadKey, BrokenChain, ReplayFailed, rolled_again, verify

    try:
        found = verify(save, games.load)
    except (BadKey, BrokenChain, ReplayFailed) as error:
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
        "wrong_rolls": wrong,
        "ok": not wrong,
    }


def _audited_of_several(save: Path) -> dict[str, Any] | str:
    """In a worker: a save that cannot be opened costs no other."""
    from pbem.save import SaveError

    try:
        return _audited(save)
    except SaveError as error:
        return str(error)


def _proved(found: dict[str, Any]) -> str:
    wrong = found["wrong_rolls"]
    lines = [
        f"{found['game']}: {found['moves']} moves, chain whole, head {found['head']}",
        f"replayed from the first move to the same state: {found['digest']}",
        f"{found['rolls']} open rolls made again from the seed (SHA-256 {found['commitment']}): {len(wrong)} differ",
    ]
    return "\n".join([*lines, *(f"  {line}" for line in wrong)])


@click.command("fiat")
@save_argument
@click.argument("steps", nargs=-1, required=True, metavar="PATH=VALUE...")
@click.option("--reason", required=True, help="Why. Everybody reads it: say what the table should know.")
@by_option
@click.option("-n", "--dry-run", is_flag=True, help="Only check.")
@now_option
def fiat_command(
    save: Path, steps: tuple[str, ...], reason: str, by: str, dry_run: bool, now: datetime
) -> None:
    """Correct the state by hand.

    PATH leads into [checkpoint.state]: countries.england.status=3. The result must keep the game's invariants. The
    correction stands in the journal; everybody's next letter tells the reason, and each sees what he may see of it.
    """
    from pbem.cli.console import data, note
    from pbem.cli.look import opened
    from pbem.cli.mail import show_report
    from pbem.kernel.questions import MODERATOR
    from pbem.post.inbox.intake import Intake
    from pbem.post.moderator.journal import Author
    from pbem.post.moderator.on_game import correct
    from pbem.post.understudies import set_due

    session = opened(save)
    author = Author(by, reason, now)
    if session.save.post.plays:
        _as_player(session, author, "; ".join(steps), dry_run)
        return
    action = correct(session, author, "; ".join(steps))
    said = f"move {session.referee.n}: {action.args['steps']} ({reason})"
    if dry_run:
        data(said)
        note("dry run: nothing was written")
        return
    set_due(session, now)
    session.commit(now)
    data(said)
    report = Intake([save], now=now).finish()
    if not report.idle or report.moderator:
        show_report(report, home=save.parent)
    if MODERATOR in session.referee.waiting():
        asked = f"a correction is no answer: question {session.referee.q} still waits for yours"
        how = f"pbem prompts {save} --seat {MODERATOR} shows its form; if these steps were all, answer `none`"
        note(f"{asked}\n  → {how}")


def _as_player(session: Session, author: Author, steps: str, dry_run: bool) -> None:
    """A moderator who plays corrects or tries to: everybody is told, he is told nothing of what is hidden."""
    from pbem.cli.console import note
    from pbem.cli.mail import show_report
    from pbem.post.inbox.intake import Intake
    from pbem.post.moderator.on_game import correct, probe
    from pbem.post.understudies import set_due

    action = probe(session, author) if dry_run else correct(session, author, steps)
    set_due(session, author.now)
    session.commit(author.now)
    tried = "nothing was changed" if action.what == "fiat-tried" else f"move {session.referee.n}"
    note(f"you play {session.save.post.plays}: {tried}; everybody is told, and nothing else is shown")
    show_report(Intake([session.path], now=author.now).finish(), home=session.path.parent)


@click.command("restore")
@save_argument
@click.option("--i-know", is_flag=True, help="Everybody is told, and may compare letters.")
@click.option("--reason", default="", help="Why. Everybody reads it.")
@by_option
@now_option
def restore_command(save: Path, i_know: bool, reason: str, by: str, now: datetime) -> None:
    """Play on from a save that is older than what letters have told: the newest is lost."""
    from pbem.cli.console import Stop, data
    from pbem.cli.mail import show_report
    from pbem.post import quoted_heads
    from pbem.post.moderator.journal import Author, act
    from pbem.post.moderator.on_game import restore
    from pbem.save import Restored, load

    whole = load(save, recent=True)
    told = quoted_heads.load(save.parent).get(whole.header.name)
    try:
        quoted_heads.check(save.parent, whole)
    except Restored as error:
        if not i_know or told is None:
            raise Stop(
                str(error), Exit.REFUSED, hint="with --i-know everybody is told, and it is played on"
            ) from None
    else:
        raise Stop("this save has all that letters have told", Exit.REFUSED)
    author = Author(by, reason, now)
    author.check("restore")
    quoted_heads.forget(save.parent, whole.header.name)
    try:
        session, action, report = act(
            save, author, lambda game, who: restore(game, who, told.n, told.letters)
        )
    except BaseException:
        quoted_heads.write(save.parent, quoted_heads.load(save.parent) | {whole.header.name: told})
        raise
    data(f"{session.save.header.name} {action.id}: {action.what} by {action.by}: {action.reason}")
    show_report(report)


COMMANDS = [rewind_command, audit_command, fiat_command, restore_command]
