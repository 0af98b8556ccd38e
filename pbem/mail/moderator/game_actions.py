"""Actions on the game itself (a correction, a rewind, new rules or pack, a look at secrets) and on its emails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

import games
from pbem.clock.policy import announce
from pbem.kernel.corrections import Correction
from pbem.kernel.pack_draft import PackDraft, changes
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import pack_of
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.mail.bots import set_due
from pbem.mail.inbox.stages import IngestReport
from pbem.mail.moderator.journal import (
    ActionError,
    Actor,
    BadValue,
    Unchanged,
    deadlines,
    done_before,
    everybody,
    finish,
    headline,
    journal,
    tell,
    tell_moved,
    written,
)
from pbem.mail.outbox.email_parts import add_text
from pbem.mail.outbox.recipient import quoted, reader_of
from pbem.mail.outbox.release import release
from pbem.mail.outbox.write import SEND_BUNDLE, queue_request
from pbem.report.build import build
from pbem.save import ModeratorAction, RewindPlan, Session, load, load_header, locked, take_back
from pbem.save.session import Loader, replayed
from pbem.save.upgrade import RulesUpgrade, plan, play_on
from pbem.save.upgrade import upgrade as passed
from pbem.timestamps import stamp

_NAMED = 30
"""Facts that an email lists one by one."""


def replace_pack(
    path: Path, author: Actor, pack: dict[str, Any], *, from_checkpoint: bool = False
) -> tuple[Session, RulesUpgrade, IngestReport]:
    """Replace the moderator's pack of a running game, and tell all what differs. Raises `ActionError`, `NoUpgrade`."""
    header = load_header(path).header
    before = pack_of(games.load(header.game), header.pack).tables

    def said(session: Session, made: RulesUpgrade) -> tuple[Args, Args]:
        digest = session.save.header.pack_digest
        changed = [f"{'.'.join(place)}.{name}" for place, name, _, _ in changes(PackDraft(session.game, pack), before)]
        facts = ", ".join(changed[:_NAMED]) + (" …" if len(changed) > _NAMED else "")
        told = {"digest": f"{digest[:16]}…", "facts": facts or "-", "count": str(len(changed))}
        return {"digest": digest, "facts": len(changed)}, told

    return _pass_on(path, author, "pack", games.load, said, from_checkpoint=from_checkpoint, pack=pack)


def upgrade(
    path: Path, author: Actor, *, from_checkpoint: bool = False, game: Loader = games.load
) -> tuple[Session, RulesUpgrade, IngestReport]:
    """Upgrade the rules and notify all. Raises `ActionError`, `NoUpgrade`; then nothing is changed."""

    def said(session: Session, made: RulesUpgrade) -> tuple[Args, Args]:
        args = dict(zip(("was", "rules"), made.found.rules, strict=True))
        return args, args

    return _pass_on(path, author, "upgrade", game, said, from_checkpoint=from_checkpoint)


Args = dict[str, Any]


def _pass_on(
    path: Path,
    author: Actor,
    what: str,
    game: Loader,
    said: Callable[[Session, RulesUpgrade], tuple[Args, Args]],
    *,
    from_checkpoint: bool,
    pack: dict[str, Any] | None = None,
) -> tuple[Session, RulesUpgrade, IngestReport]:
    """Move a game to other rules or components; `said` returns what the journal and the notices tell of it."""
    author.check(what)
    with locked(path):
        if done_before(load(path, recent=True), author) is not None:
            return Session.open(path, game), plan(path, game, pack), finish(path, author.now, game)
        session, made = passed(path, game, author.now, from_checkpoint=from_checkpoint, pack=pack)
        args, told = said(session, made)
        action = journal(session, author, what, everybody(session), **args, n=made.n)
        words = f"action.{what}" if made.found.same else f"action.{what}.back"
        tell(session, action, words, **told, n=str(made.n))
        set_due(session, author.now)
        session.commit(author.now)
    return session, made, finish(path, author.now, game)


Steps = list[dict[str, object]]


def try_correction(session: Session, steps: Steps) -> bool:
    """Correct a copy, show it to all seats and play it on; return whether the correction changes nothing.

    Raises `Rejection` if the state can't be shown or played: no game could have reached it.
    """
    mark = session.last_mark()
    played = session.moves(mark.n)
    copy = replayed(session.game, session.setup, played, mark)
    try:
        before = msgspec.to_builtins(copy.table.state)
        copy.fiat(steps)
        same = bool(msgspec.to_builtins(copy.table.state) == before)
        for seat in (*session.setup.seats, "", MODERATOR):
            build(copy, seat)
        play_on(copy)
        broken = next(iter(session.game.invariants(copy.table)), None)
    except Rejection:
        raise
    except Exception as error:  # the rules met a state that they can't have produced
        path = "; ".join(str(step["path"]) for step in steps)
        why = f"play can't go on with it ({type(error).__name__}: {error})"
        raise Rejection(RejectionReason("correction.value", {"path": path, "why": why})) from None
    if broken is not None:
        raise Rejection(broken)
    return same


def apply_correction(session: Session, author: Actor, steps: str) -> ModeratorAction:
    """Correct the state by hand (`countries.england.status=3; …`).

    Raises `Rejection` if an invariant wouldn't hold or play couldn't go on; `ActionError` if there is nothing to do.

    A path or value may name hidden things (a hand), so players read the reason, not the steps; their position shows
    what they may know of the change. If the moderator plays, a failed correction is announced to all as a try,
    without the reason of the failure: the correction would be a probe.
    """
    try:
        return _correct(session, author, steps)
    except Rejection:
        if not session.save.post.plays:
            raise
        return record_attempted_correction(session, author)


def record_attempted_correction(session: Session, author: Actor) -> ModeratorAction:
    """Record that a moderator who plays has tried a correction, and notify all players."""
    action = journal(session, author, "fiat-tried", everybody(session))
    tell(session, action, "action.correction_tried")
    return action


def restore(session: Session, author: Actor, n: int, emails: Mapping[str, int]) -> ModeratorAction:
    """Continue from a save older than move `n`, which emails have shown; notify all players.

    `letters` is how many emails each seat has got: the new ones continue these numbers.
    """
    for seat in session.save.seats:
        seat.told.letters = max(seat.told.letters, emails.get(seat.id, 0))
    action = journal(session, author, "restore", everybody(session), n=session.referee.n, was=n)
    tell(session, action, "action.restore", n=str(session.referee.n), was=str(n))
    return action


def _correct(session: Session, author: Actor, steps: str) -> ModeratorAction:
    author.check("fiat")
    domain = Correction(session.referee.table, session.game.invariants)
    values: Any = domain.parse(steps)
    if not values:
        raise ActionError("nothing to correct: write PATH=VALUE")
    same = try_correction(session, values)
    if same and not session.save.post.plays:  # a moderator who plays might learn from it what the state is
        raise Unchanged("the state already has these values")
    session.referee.fiat(values, at=stamp(author.now), via=f"moderator: {author.reason}")
    said, n = domain.text(values), session.referee.n
    action = journal(session, author, "fiat", everybody(session), steps=said, n=n)
    tell(session, action, "action.correction")
    return action


def rewind(session: Session, author: Actor, n: int, own: str = "") -> tuple[ModeratorAction, RewindPlan]:
    """Rewind the game to after move `n`; a copy of the save is kept. Raises `RewindError`, `Unchanged`.

    `own` is the seat that takes back its own act, which all read again.
    """
    author.check("rewind")  # before the file is changed
    if n == session.referee.n:
        raise Unchanged(f"the game is already at move {n}")
    line = next((line for line in session.lines() if line.n > n and line.only is None), None) if own else None
    plan = take_back(session, n, author.now, commit=False)  # it is stored together with its notice
    action = journal(session, author, "rewind", everybody(session), n=n, was=plan.was_n)
    if not own:
        tell(session, action, "action.rewind", n=str(n))
        return action, plan
    undone = plan.undone[0]
    for info in session.save.seats:
        reader = reader_of(session, info)
        what = (line and reader.say.render_line(line, info.id)) or reader.say.label(f"kind.{undone.kind}")
        text = reader.words("action.taken_back", who=reader.say.name(own), n=str(undone.n), what=what)
        add_text(session.save, info, f"action.{action.id}", text, action.at)
    return action, plan


def end_by_agreement(session: Session, author: Actor, end: str, winners: Sequence[str]) -> ModeratorAction:
    """End the game as its players have agreed, and notify all. The rules of victory are not asked."""
    session.referee.agree(end, winners, stamp(author.now))
    action = journal(session, author, "ended", everybody(session), end=end, n=session.referee.n)
    for seat in session.save.seats:
        say = reader_of(session, seat).say
        tell(session, action, f"action.ended.{end}", [seat.id], winners=", ".join(map(say.name, winners)))
    return action


def reveal(session: Session, author: Actor, what: str) -> ModeratorAction:
    """Record that the moderator looks at secrets, and notify all players."""
    action = journal(session, author, "reveal", everybody(session), subject=what)
    tell(session, action, "action.reveal", what=what)
    return action


def broadcast(session: Session, author: Actor, text: str) -> ModeratorAction:
    """Send a message of the moderator to all players. Raises `ActionError` if it is empty."""
    text = written(text, "the text")
    if not text:
        raise BadValue("the text is missing: write one line")
    action = journal(session, author, "broadcast", everybody(session), text=text)
    for seat in session.save.seats:
        words = "\n".join([headline(reader_of(session, seat), author.by, "action.broadcast"), *quoted(text)])
        add_text(session.save, seat, f"action.{action.id}", words, action.at)
    return action


def send_bundles(session: Session, author: Actor, seat: str = "") -> ModeratorAction:
    """Send each seat (or one) its bundle, as if it had asked for it: the moderator never handles it."""
    seats = [info for info in session.save.seats if seat in ("", info.id)]
    action = journal(session, author, "bundles", [info.id for info in seats])
    for info in seats:
        queue_request(session.save, info, SEND_BUNDLE, f"action.{action.id}", action.at)
    return action


def release_emails(session: Session, author: Actor, seat: str = "") -> ModeratorAction:
    """Send the emails that are held back (to one seat, or all). Raises `ActionError` if there are none.

    A question in them is asked now: its time runs from now on, and all players are notified if that moves it.
    """
    save = session.save
    unasked = save.header.unasked
    count = release(save, seat)
    if not count:
        raise ActionError("nothing to release: no email is held back")
    action = journal(session, author, "release", [], count=count)
    if unasked and not save.header.unasked:
        old = deadlines(save)
        for pending in save.pending:
            pending.since = max(pending.since or author.now, author.now)
        announce(save)
        tell_moved(session, action, old)
    return action
