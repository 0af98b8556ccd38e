"""Keys that come in one packet: each acts on what those before it have done, and none is lost."""

import asyncio
import dataclasses
import shutil
import time
from types import SimpleNamespace

import msgspec
import pytest
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input

from pbem.tui.model import drafts
from pbem.tui.model.messages import fitting
from pbem.tui.screens.dialogs import ChooseDialog, ConfirmDialog, InputDialog
from pbem.tui.screens.help import CommandProvider
from pbem.tui.screens.log import LogView
from tests.tui.helpers import go, grid, make_app, running, shown, until
from tests.tui.terminal import PBEM, ROOT, Terminal, needs_tmux


async def packet(pilot, *keys):
    """All at once, as a terminal behind a slow line sends them; a text of several letters is typed."""
    for key in keys:
        named = key in ("enter", "down") or key.startswith("ctrl+")
        for letter in (key,) if named else key:
            pilot.app.post_message(events.Key(key, None) if named else events.Key(_character_to_key(letter), letter))
    # A machine under load takes in the keys one after the other, each with all that it starts.
    await until(pilot, lambda: not pilot.app.message_queue_size and pilot.app.behind is None)


async def test_an_order_that_is_sent_at_once_is_the_whole_one(view):
    app = make_app(view(0, "red"))
    async with running(app) as pilot:
        app.room.query_one("#order").focus()
        await pilot.pause()
        await packet(pilot, "muster oslo=2 riga=1", "ctrl+s")
        assert isinstance(app.screen, ConfirmDialog)
        assert "1: muster riga=1 oslo=2" in app.screen.said.plain


def test_typed_text_means_a_whole_name_then_a_beginning_and_nothing_inside_words():
    names = ["Military Improvement", "pass", "Passau", "unrest", "Edmund, Earl of Rutland"]

    def fit(text):
        return fitting(text, names, lambda name: (name, name.casefold()))

    assert fit("pass") == ["pass"]
    assert fit("p") == ["pass", "Passau"]
    assert fit("un") == ["unrest"]
    assert fit("ea ru") == ["Edmund, Earl of Rutland"]
    assert fit("ilit") == fit("hud") == []
    assert fit("") == names


async def test_letters_that_fit_nothing_choose_nothing_and_a_price_is_said_first(opened):
    app, sent = opened("is-war", "france"), []
    costs = {"options": [{"order": "refuse", "face": "refuse", "price": "3 VP"}]}
    asked = msgspec.structs.replace(app.present.asked[0], decision={"en": costs})
    app.present = dataclasses.replace(app.present, asked=(asked,))
    app.send = lambda letter, then=None: sent.append(letter.answers)
    async with running(app, (100, 30)) as pilot:
        await pilot.pause()
        await packet(pilot, "hud", "enter", "enter")
        assert app.room.query_one("#find", Input).value == "hud"
        assert app.room.draft.text() == ""
        assert app.words("hint.nothing") in grid(app)
        await pilot.press("backspace", "backspace", "backspace")
        await packet(pilot, "ref", "enter")
        assert sent == []
        assert f"3 VP. {app.words('form.sends', answer='keep it')}" in grid(app)
        await pilot.press("enter")
        assert sent == [{asked.q: "refuse"}]


async def test_a_message_that_is_written_at_once_is_no_row_of_commands(source):
    app = make_app(source(6, "red", press=True))
    async with running(app) as pilot:
        await go(pilot, "negotiation")
        await packet(pilot, "down", "wa day, pax!", "ctrl+s")
        letter = app.room.pending()
        assert letter.press == [(("blue",), "a day, pax!")]
        assert letter.acts == []


async def test_a_message_that_is_left_at_once_is_kept(source):
    known = source(6, "red", press=True)
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "negotiation")
        await packet(pilot, "whello", "ctrl+q")
    assert "hello" in drafts.kept(known.path)["red"].typed.values()


async def test_lines_are_added_and_looked_for_at_once(source):
    app = make_app(source(14, "red"))
    async with running(app) as pilot:
        await go(pilot, "orders")
        await packet(pilot, "abold", "enter", "astop if", "enter", "turn=3", "enter")
        assert app.room.pending().lines == ["bold", "stop if turn=3"]
        await go(pilot, "log")
        everything = app.room.query_one(LogView).virtual_size.height
        await packet(pilot, "/you draw", "enter")
        assert 0 < app.room.query_one(LogView).virtual_size.height < everything
        await packet(pilot, "ctrl+f", "riga", "enter")
        await until(pilot, lambda: app.screen is app.room)
        assert app.screen is app.room


async def test_letters_after_an_arrow_in_a_list_of_choices_are_searched_for(source):
    app = make_app(source(0, "red"))
    async with running(app) as pilot:
        await packet(pilot, "ctrl+f", "down", "down", "riga")
        assert isinstance(app.screen, ChooseDialog)
        assert app.screen.query_one(Input).value == "riga"
        assert app.screen.keys == ["riga"]


async def test_a_paste_on_the_choices_goes_into_the_order_line(view):
    app = make_app(view(0, "red"))
    async with running(app) as pilot:
        app.post_message(events.Paste("muster oslo=2\n   riga=1\n"))
        await packet(pilot, "ctrl+s")
        assert isinstance(app.screen, ConfirmDialog)
        assert "1: muster riga=1 oslo=2" in app.screen.said.plain


async def test_a_paste_behind_the_key_that_opens_a_line_is_written_there(source):
    app = make_app(source(6, "red"))
    async with running(app) as pilot:
        await go(pilot, "negotiation")
        app.post_message(events.Key("w", "w"))
        app.post_message(events.Paste("Two\nlines"))
        await packet(pilot)
        assert isinstance(app.screen, InputDialog)
        assert app.screen.text == "Two\nlines"


@pytest.fixture
def slow(monkeypatch):
    """Each picture comes long after what it shows, as on a machine that has no time."""
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 0.3)


async def test_letters_behind_a_change_of_screens_wait_for_the_focus(source, slow):
    app = make_app(source(0))
    async with running(app) as pilot:
        await packet(pilot, "4mus")
        assert app.room.NAME == "questions"
        assert app.room.query_one("#find", Input).value == "mus"


async def test_keys_are_executed_although_the_process_stands_still(source, monkeypatch):
    """Textual's timers for one call drop it if the process stands still for longer than their delay."""

    def get_time():
        now = time.monotonic()
        time.sleep(0.02)
        return now

    monkeypatch.setattr("textual.timer._time", SimpleNamespace(get_time=get_time))
    app = make_app(source(0))
    async with running(app) as pilot:
        await packet(pilot, "4mus")
        assert app.room.query_one("#find", Input).value == "mus"


async def test_enter_in_the_palette_waits_for_what_was_found(source, monkeypatch):
    search = CommandProvider.search

    async def late(self, query):
        await asyncio.sleep(0.2)
        async for hit in search(self, query):
            yield hit

    monkeypatch.setattr(CommandProvider, "search", late)
    app = make_app(source(0, "red"))
    async with running(app) as pilot:
        await packet(pilot, "ctrl+p", "english", "enter")
        assert await shown(pilot, "町")


async def test_without_a_question_nothing_to_fill_in_is_shown(source):
    app = make_app(source(0, "public"))
    async with running(app) as pilot:
        foot = grid(app).splitlines()[-1]
        assert app.words("act.send") not in foot
        assert app.words("act.help") in foot
        await pilot.press("ctrl+s")
        assert await shown(pilot, app.words("questions.none"))


@needs_tmux
@pytest.mark.slow
def test_a_packet_in_a_real_terminal(tmp_path):
    path = tmp_path / "g-01.toml"
    shutil.copy(ROOT / "saves" / "vq-negotiation.toml", path)
    terminal = Terminal(tmp_path)
    terminal.start(f"{PBEM} tui {path} --seat spain --lang en; echo LEFT; sleep 60")
    try:
        terminal.wait("^Q quit")
        terminal.press("5", "w write")
        terminal.tmux("send-keys", "-H", *(f"{byte:02x}" for byte in b"wa daxp: peace?\x13"))
        assert "a daxp: peace?" in terminal.wait("In your orders")
        terminal.tmux("send-keys", "-H", *(f"{byte:02x}" for byte in b"wmore\x11"))
        terminal.wait("LEFT")
    finally:
        terminal.stop()
    kept = drafts.kept(path)["spain"]
    assert [item.text for item in kept.items] == ["a daxp: peace?"]
    assert list(kept.typed.values()) == ["more"]
