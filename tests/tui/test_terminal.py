"""A player in a real terminal: view file, sealed ballot, letter; the moderator's ingest takes it."""

from pathlib import Path
from typing import Any

import games
from pbem.cli import main
from pbem.kernel.domains import Form
from pbem.kernel.game import Setup
from pbem.kernel.questions import AskAll
from pbem.mail.bots import set_due
from pbem.mail.outbox.recipient import frame
from pbem.report.viewfile import dumps, view_file
from pbem.save import SeatInfo, Session, load
from pbem.timestamps import moment
from tests.tui.terminal import PBEM, Terminal, needs_tmux

AT = moment("2026-05-01T12:00:00Z")


def at_a_ballot(folder: Path) -> tuple[Session, str]:
    """1630 with a ballot open, and the seat that owes one."""
    import random

    game = games.load("sixteen_thirty")
    seats = game.seats_for(4)
    setup = Setup(game.slug, seats, "5a" * 32, options=game.with_defaults({}))
    people = [SeatInfo(seat, addresses=[f"{seat}@example.org"]) for seat in seats]
    session = Session.create(folder / "g-07.toml", game, setup, people, at=AT)
    source, referee = random.Random(5), session.referee
    for _ in range(400):
        now = referee.now
        if isinstance(now, AskAll) and all(ask.kind == "ballot" for ask in now.asks.values()) and len(now.asks) > 1:
            break
        seat = referee.waiting()[0]
        value = "done" if referee.talk is not None else referee.domain(seat).sample(source.randrange)
        referee.submit(seat, value)
    set_due(session, AT)
    session.commit(AT)
    return session, next(seat for seat in referee.asked() if isinstance(referee.domain(seat), Form))


@needs_tmux
def test_from_view_file_to_the_moderators_save(tmp_path):
    from click.testing import CliRunner

    session, seat = at_a_ballot(tmp_path)
    (tmp_path / "player").mkdir()
    view = tmp_path / "player" / "view.toml"
    about = frame(session, session.save.seat(seat))
    document = view_file(session.referee, seat, frame=about, lines=session.lines())
    view.write_text(dumps(document), "utf-8")
    ballot: Any = session.referee.domain(seat)
    second = str(list(ballot.fields["vote"].listed)[1])
    terminal = Terminal(tmp_path)
    terminal.start(
        f"{PBEM} tui {view} --game-address game@example.org --my-address {seat}@example.org; echo LEFT; sleep 60"
    )
    try:
        terminal.wait("1 to answer")
        terminal.wait("letters filter")
        terminal.keys("Down", "Down", "Enter")
        terminal.wait("Seal this answer?")
        shown = terminal.press("Enter", "How do you want to send it?")
        assert "not shown" in shown
        terminal.press("Enter", "Draft written")  # the mail draft
        terminal.escape()
        terminal.press("8", "commitment")
        terminal.keys("C-q")
        terminal.wait("LEFT")
    finally:
        terminal.stop()
    (letter,) = (tmp_path / "player").glob("*.eml")
    assert (tmp_path / "player" / "view.receipts.toml").is_file()
    result = CliRunner().invoke(main, ["ingest", str(session.path), str(letter), "--now", "2026-05-01T18:00:00Z"])
    assert result.exit_code == 0, result.output
    assert f"{seat}: accepted" in result.output
    (sealed,) = load(session.path).sealed
    assert (sealed.seat, sealed.answer) == (seat, {"vote": second})
