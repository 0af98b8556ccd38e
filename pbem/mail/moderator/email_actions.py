"""Actions on emails: a message to all players, bundles, and sending emails that are held back."""

from __future__ import annotations

from pbem.clock.policy import announce
from pbem.mail.moderator.journal import (
    ActionError,
    Actor,
    BadValue,
    deadlines,
    everybody,
    headline,
    journal,
    tell_moved,
    written,
)
from pbem.mail.outbox.email_parts import add_text
from pbem.mail.outbox.recipient import quoted, reader_of
from pbem.mail.outbox.release import release
from pbem.mail.outbox.write import SEND_BUNDLE, queue_request
from pbem.save import ModeratorAction, Session


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
    """Send each seat (or one) its bundle, as if it had asked for it: the moderator never handles it.

    The email itself notifies the players. The journal has that bundles were sent, and to whom.
    """
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
