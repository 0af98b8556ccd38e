"""Bots in a game by mail: put in by the moderator, by a deadline, or into an empty chair."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

import games
from pbem.bot.worlds import RECENT
from pbem.kernel.game import Setup
from pbem.mail.bots import player_returned, position_of, set_due
from pbem.mail.inbox.ingest import ingest
from pbem.mail.moderator.journal import ActionError, Actor
from pbem.mail.moderator.seat_actions import assign_bot
from pbem.mail.scheduler.tick_game import apply_default_answers
from pbem.save import ClockSettings, SeatInfo, Session, load
from pbem.save.settings import set_setting
from pbem.timestamps import moment

NOW = datetime.fromisoformat("2026-05-01T09:00:00+00:00")
BY = Actor("Mo", "she does not answer", NOW)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A game of Imperial Struggle for two, at its first question."""
    game = games.load("imperial_struggle")
    people = [SeatInfo(seat, addresses=[f"{seat}@example.org"]) for seat in ("britain", "france")]
    setup = Setup(game.slug, ("britain", "france"), "5a" * 32, "campaign", game.with_defaults({}))
    setup.scenario = game.scenarios[0].id
    clock = ClockSettings("UTC", dict(game.default_hours))
    made = Session.create(tmp_path / "is-1.toml", game, setup, people, clock=clock, at=moment("2026-05-01T09:00:00Z"))
    set_due(made, NOW)
    return made


def told(session: Session, words: str) -> list[str]:
    return [draft.seat for draft in session.save.drafts if words in draft.text]


def test_it_answers_as_soon_as_its_seat_is_asked(session: Session) -> None:
    assign_bot(session, BY, "france", "low")
    set_due(session, NOW)
    assert session.referee.waiting() == ("britain",)
    assert told(session, "A bot plays") == ["britain", "france"]
    assert session.save.actions[-1].what == "understudy"


def test_both_seats_can_be_bots(session: Session) -> None:
    """The game then plays itself out, in memory, and its journal says who answered."""
    for seat in ("france", "britain"):
        assign_bot(session, BY, seat, "low")
    session.save.seats[0].understudy = session.save.seats[1].understudy = "low"
    set_due(session, NOW)
    assert session.referee.over
    assert {move.how for move in session.moves()} == {"bot"}


def test_its_player_writes_again(session: Session) -> None:
    assign_bot(session, BY, "france", "low")
    player_returned(session, session.save.seat("france"), moment("2026-05-01T10:00:00Z"))
    assert session.save.seat("france").understudy == ""
    assert told(session, "the bot has stopped") == ["britain", "france"]


def test_there_is_one_and_its_effort_is_known(session: Session) -> None:
    assign_bot(session, BY, "france", "low")
    with pytest.raises(ActionError, match="already"):
        assign_bot(session, BY, "france", "low")
    with pytest.raises(ActionError, match="write low, normal, high"):
        assign_bot(session, BY, "france", "genius")


def test_a_deadline_met_by_a_bot(session: Session) -> None:
    """`time_up.PACE=bot`: who is missing is answered for, and the seat stays its player's."""
    for pace in session.game.default_hours:
        set_setting(session.save, f"time_up.{pace}", "bot")
    before, missing = session.referee.q, session.referee.waiting()
    done, stuck = apply_default_answers(session, session.save.pending[0].due)
    assert (done, stuck) == ([before], ())
    assert {move.seat for move in session.referee.moves if move.how == "bot"} == set(missing)
    assert not any(seat.understudy for seat in session.save.seats)


def test_the_empty_chair(session: Session) -> None:
    """After one missed deadline a warning, after two the bot; a letter in between begins the count again."""
    set_setting(session.save, "absent_after", "2")
    set_setting(session.save, "time_up.turn", "default")
    at = NOW
    while not session.save.seat("britain").understudy:
        before = {seat.id: seat.missed for seat in session.save.seats}
        waiting = session.referee.waiting()
        at += timedelta(days=4)
        apply_default_answers(session, at)
        for seat in waiting:
            assert session.save.seat(seat).missed == before[seat] + 1
        if "france" in waiting:
            player_returned(session, session.save.seat("france"), moment("2026-05-05T10:00:00Z"))
            assert session.save.seat("france").missed == 0
        assert at < NOW + timedelta(days=100)
    assert session.save.seat("britain").missed == 2
    assert told(session, "If you miss the next one, a bot plays your seat")[0] == "britain"
    assert not session.save.seat("france").understudy


def test_a_letter_of_the_player_sends_it_away(session: Session) -> None:
    """Also one that is refused: he is there, and the next question is his."""
    assign_bot(session, BY, "france", "low")
    set_due(session, NOW)
    session.commit()
    path = session.path.parent / "back.orders"
    path.write_text("BEGIN ORDERS is-1 france\nhello\nEND ORDERS\n", "utf-8")
    report = ingest([session.path], [path], now=NOW + timedelta(hours=1))
    assert report.emails[0].seat == "france"
    save = load(session.path)
    assert save.seat("france").understudy == ""


def test_a_bot_knows_what_it_has_done_before_the_checkpoint_of_a_save() -> None:
    """Else it could do a free act again in each run of the server."""
    session = Session.open(Path("saves/cor-impulse.toml"), games.load)
    position = position_of(session)
    assert len(position.moves) < RECENT < session.referee.n
    assert list(position.recent) == session.moves()[-RECENT:]
