"""The pack editor: doubtful facts first, checked while typing, every step kept, stopped and gone on with."""

from __future__ import annotations

import asyncio
import tomllib

import pytest
from textual.widgets import DataTable, Input, OptionList, Static

import games
from pbem.kernel.pack_draft import PackDraft
from pbem.save.pack_files import read, store
from pbem.tui.pack.app import PackApp
from pbem.tui.screens.dialogs import ChooseDialog, InputDialog
from tests.tui.helpers import running, until


def played(tmp_path, keys, look=None, language="en", slug="sixteen_thirty"):
    """The editor after some keys; `look` sees it before it is left."""
    path = tmp_path / "box.toml"
    if not path.exists():
        store(path, PackDraft(games.load(slug)))
    app = PackApp(path, read(path, games.load), language=language)

    async def play():
        async with running(app, (120, 36)) as pilot:
            for key in keys:
                await pilot.press(key)
            if look is not None:
                return await look(app, pilot)
        return None

    return asyncio.run(play()), path


async def says(pilot, told, text):
    """Whether it is said of what is typed, once that is checked."""
    await until(pilot, lambda: text in str(told.render()))
    return text in str(told.render())


def test_the_first_entry_is_a_doubtful_one_and_c_confirms_its_fact_and_goes_on(tmp_path):
    async def look(app, pilot):
        assert app.sheet.address == "cards.influence.england"
        assert app.query_one("#entries", OptionList).option_count == len(app.box.sheets)

    _, path = played(tmp_path, ["c"], look)
    spain = tomllib.loads(path.read_text("utf-8"))["cards"]["influence"]["spain"]
    assert spain["prov"] == {"copies": "moderator box"}
    assert read(path, games.load).progress.confirmed == 1


def test_a_value_is_checked_while_it_is_typed_and_kept_when_it_is_taken(tmp_path):
    async def look(app, pilot):
        dialog = app.screen
        typed, told = dialog.query_one("#text", Input), dialog.query_one("#told", Static)
        typed.value = "[-1]"
        assert await says(pilot, told, "breaks a rule")
        typed.value = "[1, "
        assert await says(pilot, told, "not a possible value")
        await pilot.press("enter")
        assert app.screen is dialog, "what isn't a value isn't taken"
        typed.value = "[5, 4, 3]"
        assert await says(pilot, told, "breaks no rule")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is not dialog)
        assert app.screen is not dialog
        assert app.focused is app.query_one("#facts", DataTable)

    _, path = played(tmp_path, ["enter", "enter"], look)
    assert tomllib.loads(path.read_text("utf-8"))["cards"]["influence"]["spain"]["copies"] == [5, 4, 3]


def test_it_goes_on_where_it_was_left(tmp_path):
    _, path = played(tmp_path, ["C", "C", "C"])
    first = read(path, games.load).progress.confirmed

    async def look(app, pilot):
        assert app.box.progress.confirmed == first
        assert app.shown[0].doubtful  # what is done has gone down the list

    played(tmp_path, [], look)
    assert first >= 3


def test_a_card_by_hand_with_a_reminder_and_back(tmp_path):
    async def look(app, pilot):
        typed = app.screen.query_one("#text", Input)
        typed.value = "Draw a card, then give one away."
        await pilot.press("enter")
        await until(pilot, lambda: app.box.sheet(("cards", "special", "vote")).node.get("manual"))
        assert app.box.sheet(("cards", "special", "vote")).node["manual"] is True

    keys = ["slash", *"vote", "enter", "m"]
    _, path = played(tmp_path, keys, look)
    vote = tomllib.loads(path.read_text("utf-8"))["cards"]["special"]["vote"]
    assert vote["manual"] is True
    assert vote["text"]["en"] == "Draw a card, then give one away."


def test_what_was_said_is_taken_back(tmp_path):
    async def look(app, pilot):
        assert app.sheet.address == "cards.influence.spain"

    _, path = played(tmp_path, ["c", "c", "u", "u"], look)
    assert set(tomllib.loads(path.read_text("utf-8"))) == {"game"}


def test_a_number_within_a_table_is_a_fact_of_its_own(tmp_path):
    """Crown of Roses: what a card's options say, without any brackets to be typed."""

    async def look(app, pilot):
        names = [row.name for row in app.rows()]
        assert "options.1.count" in names
        app.query_one("#facts", DataTable).move_cursor(row=names.index("options.1.count"))
        await pilot.press("enter")
        typed, told = app.screen.query_one("#text", Input), app.screen.query_one("#told", Static)
        assert typed.value == "1"
        typed.value = "many"
        assert await says(pilot, told, "not a possible value")
        typed.value = "2"
        assert await says(pilot, told, "breaks no rule")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.query("#facts"))

    _, path = played(tmp_path, ["slash", *"dynham", "enter", "enter"], look, slug="crown_of_roses")
    dynham = tomllib.loads(path.read_text("utf-8"))["cards"]["operations"]["dynham"]
    assert dynham["options"][0]["count"] == 2
    assert len(dynham["options"]) > 1
    assert dynham["prov"] == {"options": "moderator box"}


def test_the_effect_of_another_card_is_chosen_by_its_name(tmp_path):
    async def look(app, pilot):
        assert isinstance(app.screen, ChooseDialog)
        await pilot.press(*"fugger", "enter")
        assert app.sheet.node["effect"] == "fugger-loan"

    played(tmp_path, ["slash", *"puritans", "enter", "e"], look, slug="virgin_queen")


def test_a_region_without_a_text_cannot_be_done_by_hand(tmp_path):
    async def look(app, pilot):
        assert not isinstance(app.screen, InputDialog)

    played(tmp_path, ["slash", *"counters", "enter", "m"], look)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_its_words_are_there_in_both_languages(tmp_path, language):
    async def look(app, pilot):
        assert app.words.has("help")
        top = str(app.query_one("#top").render())
        assert "44" in top
        await pilot.press("question_mark", "escape", "f2", "f3")

    played(tmp_path, [], look, language=language)
    from pathlib import Path

    folder = Path(__file__).parents[2] / "pbem" / "tui" / "pack" / "locale"
    en, ja = (tomllib.loads((folder / f"{name}.toml").read_text("utf-8")) for name in ("en", "ja"))
    assert set(en) == set(ja)
