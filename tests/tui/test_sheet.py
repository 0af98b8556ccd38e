"""The reaction sheet from the questions: prefilled lines, written over and sent."""

from textual.widgets import TextArea

from pbem.mail.outbox.email_parts import full_frame
from pbem.report.viewfile import dumps, view_file
from pbem.tui.model.game_source import ViewSource
from pbem.tui.screens.dialogs import ConfirmDialog, InputDialog
from tests.tui.helpers import go, grid, make_app, running
from tests.tui.test_games import played


def viewed(tmp_path, slug, moves=3):
    """A player's view file, and who he is: one with cards for windows if the game has any."""
    session = played(slug, tmp_path / "g.toml", moves)
    documents = {
        seat: view_file(
            session.referee, seat, frame=full_frame(session, session.save.seat(seat)), lines=session.lines()
        )
        for seat in session.setup.seats
    }
    seat = max(documents, key=lambda key: len(documents[key]["sheet"]))
    path = tmp_path / "view.toml"
    path.write_text(dumps(documents[seat]))
    return ViewSource(path), seat, documents[seat]


async def test_the_sheet_is_filled_in_written_over_and_sent(tmp_path):
    source, seat, document = viewed(tmp_path, "virgin_queen")
    assert document["sheet"]
    app = make_app(source)
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("ctrl+k")
        assert isinstance(app.screen, InputDialog)
        box = app.screen.query_one(TextArea)
        lines = box.text.splitlines()
        assert len(lines) == len(document["sheet"])
        assert all(line.startswith("standing ") and ": pass" in line for line in lines)
        box.text = lines[0].replace(": pass", ": pass if turn=3") + "\n\n"
        await pilot.press("f8")
        assert isinstance(app.screen, ConfirmDialog)
        sent = str(app.screen.said)
        assert sent.splitlines()[0].startswith(f"BEGIN ORDERS {document['game']} {seat} ")
        assert sent.splitlines()[1] == document["sheet"][0]["line"] + " if turn=3"
        assert sent.splitlines()[2] == "END ORDERS"


async def test_a_game_without_sheets_has_no_such_page(tmp_path):
    source, _, _ = viewed(tmp_path, "imperial_struggle")
    app = make_app(source)
    async with running(app) as pilot:
        await go(pilot, "questions")
        assert "sheet" not in [act.key for act in app.room.acts()]
        await pilot.press("ctrl+k")
        assert not isinstance(app.screen, InputDialog)
        assert grid(app)
