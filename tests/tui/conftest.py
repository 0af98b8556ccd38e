import asyncio
import inspect
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import textual.app
import textual.pilot

from pbem.mail.bots import set_due
from pbem.mail.outbox.email_parts import full_frame
from pbem.report.viewfile import dumps, view_file
from pbem.save import ClockSettings, PressMessage, SeatInfo, Session
from pbem.timestamps import moment
from pbem.tui.app import PbemApp
from pbem.tui.model import drafts
from pbem.tui.model.game_source import SaveSource, ViewSource, open_source
from tests.toy import playing as toy
from tests.tui.helpers import NOW
from tests.tui.terminal import ROOT

SAVES = ROOT / "saves"
Maker = Callable[..., Path]
_MADE: dict[tuple[int, bool], bytes] = {}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No test waits for an idle processor: under load it is idle for us while others have it. See SteadyPilot."""

    async def at_once(*_: object) -> None:
        await asyncio.sleep(0)

    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", at_once)


@pytest.fixture(autouse=True)
def saves_stay(monkeypatch):
    """Drafts are kept next to a save: a test takes a copy of those in the repository."""
    keep = drafts.keep

    def beside_a_copy(path: Path, kept: drafts.Drafts) -> None:
        assert path.resolve().parent != SAVES, f"drafts beside {path}: use `opened`"
        keep(path, kept)

    monkeypatch.setattr(drafts, "keep", beside_a_copy)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str, str], PbemApp]:
    """A copy of a save of the repository, its clock standing still more than a day before the deadline."""

    def app_of(name: str, seat: str) -> PbemApp:
        source = open_source(Path(shutil.copy(SAVES / f"{name}.toml", tmp_path)), seat)
        due = source.desk().due
        now = due - timedelta(hours=29, minutes=21) if due else NOW
        app = PbemApp(source, language="en", env={}, now=lambda: now)
        app.animation_level = "none"
        return app

    return app_of


@pytest.fixture
def save(tmp_path: Path) -> Maker:
    """A save of the toy after some answers: 0 orders, 1 ballot, 4 interception, 6 negotiation, 9 orders of turn 2."""

    def made(answers: int, *, press: bool = False) -> Path:
        path = tmp_path / "toy-1.toml"
        if (answers, press) in _MADE:
            path.write_bytes(_MADE[answers, press])
            return path
        path.unlink(missing_ok=True)
        people = [SeatInfo(seat, addresses=[f"{seat}@example.org"], zone="Asia/Tokyo") for seat in toy.SIDES]
        hours = {"turn": 72, "reaction": 48, "negotiation": 48, "ballot": 48}
        clock = ClockSettings("Europe/Berlin", hours)
        session = Session.create(path, toy.GAME, toy.town(), people, clock=clock, at=moment("2026-05-01T09:00:00Z"))
        toy.answer(session.referee, answers)
        if press:
            session.save.press += [
                PressMessage("p1", "red", "Peace? [/x] \x1b[31m", moment("2026-05-01T12:00:00Z"), ["blue"]),
                PressMessage("p2", "blue", "For two ducats.", moment("2026-05-01T13:00:00Z"), ["red"]),
                PressMessage("p3", "white", "Good morning.", moment("2026-05-01T14:00:00Z"), []),
                PressMessage("p4", "blue", "Beware of Red.", moment("2026-05-01T15:00:00Z"), ["white"]),
            ]
            if session.referee.talk is not None:
                session.referee.submit("blue", {"do": "propose", "to": ["red"], "price": 2, "word": "a truce"})
        set_due(session, NOW)
        session.commit(moment("2026-05-02T09:00:00Z"))
        _MADE[answers, press] = path.read_bytes()
        return path

    return made


@pytest.fixture
def source(save: Maker) -> Callable[..., SaveSource]:
    return lambda answers, seat="moderator", **more: SaveSource(save(answers, **more), seat, toy.load)


@pytest.fixture
def view(save: Maker) -> Callable[..., ViewSource]:
    """A seat's view file, and what reads it."""

    def made(answers: int, seat: str, **more: object) -> ViewSource:
        path = save(answers, **more)
        known = SaveSource(path, seat, toy.load)
        target = path.with_name(f"toy-1-{seat}.toml")
        session = known.session
        about = full_frame(session, session.save.seat(seat))
        document = view_file(session.referee, seat, frame=about, lines=session.lines())
        target.write_text(dumps(document), "utf-8")
        return ViewSource(target, toy.load)

    return made


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run `async def` tests (no plug-in is needed for that)."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(pyfuncitem.obj(**wanted))
    return True
