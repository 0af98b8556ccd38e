"""Outages: what counts as one is learnt from the rhythm of the runs; a clock that was wrong leaves nothing behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import games
from pbem.clock import heartbeat
from pbem.clock.heartbeat import READ, TICK, Heartbeat
from pbem.clock.policy import announce, paused
from pbem.dev import synthetic_mail
from pbem.save import Pause

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def beats(*lengths: timedelta, kind: str = TICK) -> Heartbeat:
    """A heartbeat of runs so far apart."""
    heart, at = Heartbeat(), START
    heart.beat(kind, at)
    for length in lengths:
        at += length
        heart.beat(kind, at)
    return heart


def outages(heart: Heartbeat, hours: int = 6) -> list[float]:
    """The gaps that count, in hours."""
    return [gap.length / HOUR for gap in heart.gaps if gap.length > heart.patience(gap, hours)]


@pytest.mark.parametrize(
    ("lengths", "wanted"),
    [
        ([DAY] * 10, [24]),  # once a day: the second run can't know it yet
        ([12 * HOUR] * 20, [12]),
        ([HOUR] * 200 + [10 * HOUR] + [HOUR] * 50, [10]),
        ([HOUR] * 200 + [10 * HOUR] + [HOUR] * 50 + [9 * HOUR], [10, 9]),
        ([HOUR] * 100 + [DAY] * 6, [24, 24]),  # from every hour to once a day
        ([DAY] * 8 + [4 * DAY], [24, 96]),  # several of the usual intervals
        ([HOUR] * 200 + [50 * HOUR] + [HOUR] * 50 + [20 * HOUR], [50, 20]),  # one long outage is no rhythm
        ([60 * HOUR] * 6, [60]),
        ([HOUR] * 300, []),
    ],
)
def test_an_outage_is_a_gap_of_several_usual_intervals(lengths, wanted) -> None:
    assert outages(beats(*lengths)) == wanted


def test_several_runs_a_session_hide_no_rhythm() -> None:
    minute = timedelta(minutes=1)
    heart = beats(*[length for _ in range(8) for length in (minute, minute, DAY)])
    assert outages(heart) == [24]


def test_a_beat_from_the_future_is_dropped_with_its_gap() -> None:
    heart = beats(HOUR, HOUR)
    heart.beat(READ, START + 2 * HOUR)
    ahead = START.replace(year=2036)
    heart.beat(TICK, ahead)
    heart.beat(READ, ahead)
    assert len(heart.gaps) == 2
    heart.beat(TICK, START + 3 * HOUR)
    assert (heart.read, heart.tick, heart.gaps) == (None, START + 3 * HOUR, [])
    assert not heart.read_since(START + HOUR, "g"), "mail that was read in 2036 proves nothing"


@pytest.fixture
def save():
    session = synthetic_mail.new_game(Path("x.toml"), games.load("sixteen_thirty"), 4)
    session.sync(START)
    for asked in session.save.pending:
        asked.since, asked.due = START, None
    announce(session.save)
    return session.save


def test_a_gap_of_weeks_moves_no_deadline_until_the_moderator_says_so(save) -> None:
    due = save.pending[0].due
    heart = beats(HOUR)
    now = START + HOUR + 28 * DAY
    heart.beat(TICK, now)
    heartbeat.pause_for_gaps(save, heartbeat.unapplied(save, heart))
    announce(save)
    assert save.pending[0].due == due
    assert paused(save.clock, now)
    assert heartbeat.mistaken(save, heart) == [] == heartbeat.unapplied(save, heart)
    # Our own clock was wrong: it is set right, and the next run takes the pause away.
    heart.beat(TICK, START + 2 * HOUR)
    assert heartbeat.mistaken(save, heart) == save.clock.pauses


def test_nothing_is_said_of_what_a_pause_covers(save) -> None:
    save.clock.pauses.append(Pause("d1", START + HOUR, None, "holidays"))
    heart = beats(HOUR, *[12 * HOUR] * 30)
    assert heartbeat.unapplied(save, heart) == []
    save.clock.pauses[0].until = START + 10 * HOUR
    (gap,) = heartbeat.unapplied(save, beats(HOUR, 20 * HOUR))
    assert gap.length == 20 * HOUR, "of which eleven hours are not covered"
