"""The plots: points by turn, cards and strength, dice against expectation, hours."""

from pbem.tui.model.badges import badges
from pbem.tui.model.charts import curve, plots_text
from pbem.tui.model.game_source import open_source
from tests.tui.helpers import LARGE, go, grid, make_app, running, shown
from tests.tui.terminal import ROOT


def test_a_curve_goes_from_the_first_value_to_the_last():
    rows = curve({"red": [0, 4], "blue": [4, 4]}, 10, 2)
    assert [len(row) for row in rows] == [10, 10]
    assert rows[1][0][1] == "red"  # the lowest on the left
    assert {key for _, key in rows[0][:5]} == {"blue"}
    assert rows[0][9][1] in ("red", "blue")
    assert all(0x2800 < ord(char) <= 0x28FF or char == " " for row in rows for char, _ in row)


def test_a_single_value_is_a_dot_at_the_end():
    rows = curve({"red": [3]}, 5, 2)
    assert [key for row in rows for _, key in row if key] == ["red"]
    assert rows[0][4][1] == "red"


def test_dice_stand_against_what_was_to_be_expected():
    source = open_source(ROOT / "saves" / "vq-interception.toml", "england")
    desk, figures = source.desk(), source.figures()
    assert figures.time == {}, "when others answer is no player's business"
    words = make_app(source).words
    text = plots_text(desk, "en", words, badges(desk, "en"), figures, 80).plain
    for dice in figures.dice:
        assert f"{dice.count} dice with {dice.sides} sides" in text
        assert f"sum {dice.sum}, expected {dice.expected:g}" in text
    assert "Cards in hand" in text
    assert "Strength on the map" in text


def test_hours_are_for_the_moderator_and_dice_for_the_save_alone(source, view):
    assert source(9, "moderator").figures().time
    assert source(9, "red").figures().time == {}
    assert view(9, "red").figures() is None


async def test_plots_are_one_key_away(source):
    app = make_app(source(9, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "map")
        await pilot.press("2")
        assert await shown(pilot, "Points by turn")
        assert "Cards in hand" in grid(app)
