"""The moderator's desk in the TUI: what he can do there, through the same functions as the command line."""

from __future__ import annotations

import pytest
from textual.screen import ModalScreen

from pbem.save import load
from pbem.tui.model import acting
from tests.tui import helpers
from tests.tui.helpers import go, grid, make_app, running, shown, until


async def _typed(app, pilot, *values):
    """Answer the dialogs that come one after the other."""
    for value in values:
        await until(pilot, lambda: isinstance(app.screen, ModalScreen) and app.screen.is_mounted)
        dialog = app.screen
        dialog.dismiss(value)
        await until(pilot, lambda dialog=dialog: app.screen is not dialog)
        await pilot.pause()


async def test_the_moderator_acts_at_his_desk(source):
    known = source(1)
    app = make_app(known)
    app.env = {"PBEM_MODERATOR": "Miriam"}
    async with running(app) as pilot:
        await go(pilot, "moderator")
        await pilot.press("a")
        assert await shown(pilot, "more hours for the open question")
        assert "let the clock run again" not in grid(app), "it is not paused"
        await _typed(app, pilot, "extend", "30", "a holiday")
        await until(pilot, lambda: bool(load(known.path).actions))
        (action,) = load(known.path).actions
        assert (action.what, action.by, action.reason, action.args["hours"]) == (
            "extend",
            "Miriam",
            "a holiday",
            30,
        )
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
        assert await shown(pilot, "No letter is held.")


def test_every_action_on_offer_is_carried_out(source):
    """Each with what it asks for, through the very functions of the command line."""
    known = source(1)
    seat = known.session.save.seats[0].id
    filled = {
        "hours": "3", "seat": seat, "from": "2031-01-01", "to": "2031-01-03", "words": "Hello", "n": "0",
        "address": "new@example.org", "until": "2031-01-01T00:00:00Z", "name": "Nora", "settings": "grace=3 least=1",
    }  # fmt: skip
    known.session.save.post.release = 0
    for offered in acting.OFFERED:
        if offered.key in ("release", "fiat"):  # nothing is held; the toy's state is its own
            continue
        own = {field.key: filled[field.key] for field in offered.fields}
        action, _ = acting.do(
            known.path, known.loader, offered.key, own, by="M", reason="why", now=helpers.NOW
        )
        assert (action.by, action.reason) == ("M", "why")
    assert len(load(known.path).actions) == len(acting.OFFERED) - 2
    with pytest.raises(acting.Refusal, match="no letter is held"):
        acting.do(known.path, known.loader, "release", {}, by="M", reason="why", now=helpers.NOW)
