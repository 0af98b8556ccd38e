"""The moderator's desk in the TUI: what he can do there, through the same functions as the command line."""

from __future__ import annotations

from functools import partial

import pytest
from textual.screen import ModalScreen

from pbem.save import load
from pbem.tui.key_bindings import IN_ROOM
from pbem.tui.model import moderator_actions
from pbem.tui.model.moderator_actions import calendar
from tests.tui import helpers
from tests.tui.helpers import go, grid, make_app, running, shown, until


def _left(app, screen) -> bool:
    return app.screen is not screen


async def _typed(app, pilot, *values):
    """Answer the dialogs that come one after the other."""
    for value in values:
        await until(pilot, lambda: isinstance(app.screen, ModalScreen) and app.screen.is_mounted)
        dialog = app.screen
        dialog.dismiss(value)
        await until(pilot, partial(_left, app, dialog))
        await pilot.pause()


async def test_the_moderator_acts_at_his_desk(source):
    known = source(1)
    app = make_app(known)
    app.env = {"PBEM_MODERATOR": "Miriam"}
    async with running(app, helpers.LARGE) as pilot:
        await go(pilot, "moderator")
        await pilot.press("a")
        assert await shown(pilot, "more hours for the open question")
        assert "start the clock again" not in grid(app), "it is not paused"
        await _typed(app, pilot, "extend", "30", "a holiday")
        await until(pilot, lambda: bool(load(known.path).actions))
        (action,) = load(known.path).actions
        assert (action.what, action.by, action.reason, action.args["hours"]) == ("extend", "Miriam", "a holiday", 30)
        app.clear_notifications()
        await pilot.pause()
        assert await shown(pilot, "Miriam: a holiday")
        await pilot.press("a")
        await _typed(app, pilot, "pause", "we are away")
        assert await shown(pilot, "PAUSED")
        assert load(known.path).clock.pauses[0].reason == "we are away"
        await pilot.press("a")
        await _typed(app, pilot, "set", "release=-1 days=never", "no reason")
        assert await shown(pilot, "one of mon")
        assert len(load(known.path).actions) == 2, "what cannot be is not done"


async def test_without_a_reason_nothing_is_done(source):
    known = source(1)
    before = known.path.read_bytes()
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "moderator")
        await pilot.press("a")
        await _typed(app, pilot, "pause", "  ")
        assert await shown(pilot, "Nothing was done")
        assert known.path.read_bytes() == before
        await pilot.press("v")
        assert await shown(pilot, "No email is held back.")


def test_every_action_on_offer_is_carried_out(source):
    """Each with what it asks for, through the very functions of the command line."""
    known = source(1)
    seat = known.session.save.seats[0].id
    filled = {
        "hours": "3", "seat": seat, "from": "2031-01-01", "to": "2031-01-03", "words": "Hello", "n": "0",
        "address": "new@example.org", "until": "2031-01-01T00:00:00Z", "name": "Nora", "settings": "grace=3 least=1",
    }  # fmt: skip
    known.session.save.post.release = 0
    for offered in moderator_actions.ON_SCREEN:
        if offered.key in ("release", "correct"):  # nothing is held; the toy's state is its own
            continue
        own = {field.key: filled[field.key] for field in offered.fields if field.on_screen}
        action, _ = moderator_actions.do(
            known.path, known.loader, offered.key, own, by="M", reason="why", now=helpers.NOW
        )
        assert (action.by, action.reason) == ("M", "why")
    assert len(load(known.path).actions) == len(moderator_actions.ON_SCREEN) - 2
    with pytest.raises(moderator_actions.ActionRejected, match="nothing to release: no email is held back"):
        moderator_actions.do(known.path, known.loader, "release", {}, by="M", reason="why", now=helpers.NOW)


def _aside(known, *letters):
    """Letters put aside next to the save."""
    from pbem.mail.quarantine import Quarantine, QuarantinedEmail

    for at, (sender, reason, seat, text) in enumerate(letters):
        raw = f"From: {sender}\nTo: game@example.org\nSubject: orders\nMessage-ID: <{at}@x>\n\n{text}\n".encode()
        held = QuarantinedEmail(
            id=f"{at}abcdef", reason=reason, at=helpers.NOW, sender=sender, subject="orders", game="toy-1",
            seat=seat,
        )  # fmt: skip
        Quarantine(known.path.parent / "quarantine").put(held, raw)


async def test_letters_put_aside_are_looked_for_read_let_in_and_refused(source):
    known = source(0)
    block = f"BEGIN ORDERS toy-1 red {known.code('red')}\nhold\nEND ORDERS"
    _aside(
        known,
        ("eve@example.org", "unknown-sender", "", "Buy now."),
        ("red@work.example", "unknown-sender", "red", block),
    )
    app = make_app(known)
    async with running(app, helpers.LARGE) as pilot:
        await go(pilot, "moderator")
        assert await shown(pilot, "In quarantine: 2 of 2")
        await pilot.press("slash", *"work", "enter")
        assert await shown(pilot, "In quarantine: 1 of 2")
        await pilot.press("enter")
        assert await shown(pilot, "comes from an address on no seat's list")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ModalScreen))
        await pilot.press("l")
        assert await shown(pilot, "All your lines were accepted")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ModalScreen))
        app.room.query_one("#needle").action_close()
        assert await shown(pilot, "In quarantine: 1 of 1")
        app.room.query_one("#aside").focus()
        await pilot.press("y")
        assert await shown(pilot, "The quarantine is empty.")
    assert load(known.path).header.n == 1


async def test_one_key_to_each_action(source):
    known = source(1)
    app = make_app(known)
    app.env = {"PBEM_MODERATOR": "Miriam"}
    async with running(app, helpers.LARGE) as pilot:
        await go(pilot, "moderator")
        await pilot.press("p")
        await _typed(app, pilot, "we are away")
        assert await shown(pilot, "PAUSED")
        await pilot.press("p")
        await _typed(app, pilot, "we are back")
        await until(pilot, lambda: len(load(known.path).actions) == 2)
        assert [done.what for done in load(known.path).actions] == ["pause", "unpause"]
        assert not app.room.check_action("start", ("release",)), "nothing to release: no email is held back"
        keys = {act.key for act in IN_ROOM["moderator"]}
        assert {doing.key for doing in moderator_actions.ON_SCREEN} - {"unpause"} <= keys


async def test_deadlines_stand_on_a_calendar(source):
    known = source(1)
    app = make_app(known)
    async with running(app, helpers.LARGE) as pilot:
        await go(pilot, "moderator")
        at = calendar(load(known.path), app.room.found()[0], app.now())
        due = [day for day in at if day.due]
        assert due
        assert {seat for day in due for _, seats in day.due for seat in seats} == {
            pending.seat for pending in known.session.referee.pending() if not pending.answered
        }
        assert await shown(pilot, f"{due[0].on.day:>2} May")
        hours = app.room.found()[0].waiting[0].hours
        assert await shown(pilot, app.words("time.age", days=hours // 24, hours=hours % 24))
        assert all(day.due or day.away for day in at), "a day without either is no row"
