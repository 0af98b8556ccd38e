"""A game at one keyboard: bots answer, hints fill the form, people take turns behind a curtain."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from textual.widgets import Static

import pbem.tui
from pbem.cli import main
from pbem.data_cache import messages
from pbem.mail.bundle import bundle
from pbem.mail.verify_bundle import verify
from pbem.save import Session, load
from pbem.timestamps import moment
from pbem.tui.app import HandOverScreen, PbemApp
from pbem.tui.model.game_source import LocalGame
from pbem.tui.screens.answer_base import AnswerScreen
from pbem.tui.screens.dialogs import ConfirmDialog
from tests.tui.helpers import go, grid, running, until

SEED = "0123456789abcdef" * 4


def begun(folder: Path, monkeypatch: pytest.MonkeyPatch, game: str, seats: str) -> LocalGame:
    """A game begun by the command, with the screen left out."""
    shown: list[tuple[Path, list[str]]] = []
    monkeypatch.setattr(pbem.tui, "play", lambda path, people, **rest: shown.append((path, list(people))))
    monkeypatch.setattr(pbem.tui, "need_terminal", lambda: None)
    path, seed = folder / "solo.toml", folder / "seed"
    seed.write_text(SEED)
    arguments = ["play", game, "--seats", seats, "--effort", "low", "--seed", str(seed), "-o", str(path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert shown[0][0] == path
    return LocalGame(path, shown[0][1])


def test_bots_answer_until_a_person_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = begun(tmp_path, monkeypatch, "sixteen_thirty", "me,bot,bot,bot")
    session = source.session
    assert session.referee.waiting() == ("amber",)
    assert {move.how for move in session.referee.sealed.values()} == {"bot"}
    assert [seat.understudy for seat in load(source.path).seats] == ["", "low", "low", "low"]


async def hinted(app: PbemApp, pilot: Any) -> str:
    """Ask for a hint and take the first answer; return what the dialog showed, "" if there was only one answer."""
    await until(pilot, lambda: app.room is not None and bool(app.room.query("#slots")))
    app.action_hint()
    await app.workers.wait_for_complete([worker for worker in app.workers if worker.group == "hint"])
    dialog, room = app.screen, app.room
    if not isinstance(dialog, ConfirmDialog):
        return ""
    shown = "\n".join(label for _, label in dialog.choices)
    dialog.dismiss("0")
    assert isinstance(room, AnswerScreen)
    await until(pilot, lambda: app.screen is not dialog and room.draft is not None and bool(room.draft.text()))
    return shown


def test_hint_answer_and_take_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = begun(tmp_path, monkeypatch, "imperial_struggle", "me,bot")
    hints: list[str] = []

    async def play() -> None:
        app = PbemApp(source)
        async with running(app, (120, 40)) as pilot:
            for _ in range(6):
                await go(pilot, "questions")
                room = app.room
                assert isinstance(room, AnswerScreen)
                before = source.session.referee.q
                hints.append(await hinted(app, pilot))
                assert room.draft is not None
                assert room.draft.text()
                letter = room.order_draft()
                assert letter is not None
                app.send(letter)
                await app.workers.wait_for_complete()
                await until(pilot, lambda: not app.playing)
                assert source.session.referee.q > before
            after = source.session.referee.n
            app.action_take_back()
            await pilot.pause()
            assert source.session.referee.n < after
            assert source.session.referee.waiting() == (source.seat,)
            assert [action.what for action in source.session.save.actions] == ["rewind"]
            assert verify(bundle(source.session, source.seat, moment("2026-06-01T12:00:00Z"))).wrong == []

    asyncio.run(play())
    three = [shown for shown in hints if shown.count("\n") == 5]
    assert three  # three answers, each with its evaluation and a line that says why
    reason = r"^.+  [+-]\d+\.\d\n  (Better|Worse) than most other answers for [\w ]+ \([+-]\d"
    assert any(re.search(reason, shown, re.MULTILINE) for shown in three), three


@pytest.mark.parametrize("game", ["sixteen_thirty", "imperial_struggle"])
def test_a_guided_first_game_says_what_a_question_means(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = begun(tmp_path, monkeypatch, game, "me,bot,bot" if game == "sixteen_thirty" else "me,bot")
    texts = messages(f"games.{game}", "en")
    assert {key.partition(".")[2] for key in texts if key.startswith("guide.")} <= set(
        source.session.game.question_kinds
    )
    source.guided = True

    async def play() -> None:
        app = PbemApp(source)
        async with running(app, (120, 40)) as pilot:
            asked = app.present.open[0]
            await go(pilot, "questions")
            room = app.room
            assert isinstance(room, AnswerScreen)
            said = room.prompt_text().plain
            assert f"{texts[f'guide.{asked.kind}']} [{asked.rule}]" in said

    asyncio.run(play())


def test_a_curtain_between_two_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two people nothing of either hand is on the screen."""
    source = begun(tmp_path, monkeypatch, "sixteen_thirty", "anna,ben,bot")

    async def play() -> None:
        app = PbemApp(source)
        async with running(app, (120, 40)) as pilot:
            assert source.seat == "amber"
            await go(pilot, "questions")
            await hinted(app, pilot)
            room = app.room
            assert isinstance(room, AnswerScreen)
            letter = room.order_draft()
            assert letter is not None
            app.send(letter)
            await until(pilot, lambda: isinstance(app.screen, HandOverScreen))
            assert isinstance(app.screen, HandOverScreen)
            shown = " ".join(str(widget.render()) for widget in app.screen.query(Static))
            hand = source.session.referee.table.state.players["amber"].hand
            assert "ben (Black)" in shown
            assert not [card for card in hand if card in shown]
            assert app.present.seat == "amber"
            await pilot.press("enter")
            await until(pilot, lambda: app.present.seat == "black")
            assert app.present.seat == "black"

    asyncio.run(play())


def test_a_game_by_mail_is_not_played_here(tmp_path: Path) -> None:
    path = tmp_path / "mail.toml"
    path.write_bytes(Path("saves/1630-ballot.toml").read_bytes())
    done = CliRunner().invoke(main, ["play", str(path)])
    assert done.exit_code == 3
    assert "played by mail" in done.output
    Session.open(path, __import__("games").load)


def test_nobody_but_bots(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["play", "imperial_struggle", "--seats", "bot,bot", "-o", str(tmp_path / "x")])
    assert done.exit_code == 2
    assert "all players are bots" in done.output


async def test_while_bots_think_the_status_line_says_so(opened: Any) -> None:
    app = opened("is-war", "france")
    async with running(app, (100, 30)) as pilot:
        await pilot.pause()
        assert app.words("status.playing") not in grid(app)
        app.playing = True
        app.redraw_bars()
        app.screen._on_timer_update()
        assert app.words("status.playing") in grid(app)
        app.playing = False


async def test_the_window_says_what_is_asked_and_a_new_question_rings_once(opened: Any) -> None:
    app = opened("is-war", "france")
    rings: list[int] = []
    app.bell = lambda: rings.append(1)
    async with running(app, (100, 30)):
        asked = app.present.asked[0]
        assert app.title == f"● {app.present.name}: {asked.title('en')}"
        app.reload()
        assert rings == []
        app._announced = ()
        app.reload()
        assert rings == [1]
        app.present = replace(app.present, asked=())
        app.announce_turn()
        assert app.title == app.present.name
