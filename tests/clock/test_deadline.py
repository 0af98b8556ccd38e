"""The deadline function on random timelines over both changes of daylight saving."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.clock.policy import OpenDeadline, add_running_time, deadline
from pbem.clock.timetable import WEEK, Span, Timetable, instant
from pbem.save import AbsenceEntry, ExtensionEntry

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "America/Santiago"]
STARTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(lambda d: d.replace(tzinfo=UTC))  # noqa: DTZ001
NEAR_CHANGE = st.sampled_from(
    [datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC), datetime(2026, 3, 8, tzinfo=UTC),
     datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 4, 5, tzinfo=UTC)]
).flatmap(lambda d: st.integers(-72 * 60, 72 * 60).map(lambda m: d + timedelta(minutes=m)))  # fmt: skip
MOMENTS = st.one_of(STARTS, NEAR_CHANGE)
HOURS = st.integers(0, 240).map(lambda h: timedelta(hours=h))


def spans(near: datetime) -> st.SearchStrategy[Span]:
    return st.tuples(st.integers(-100, 500), st.integers(1, 300)).map(
        lambda t: Span(near + timedelta(hours=t[0]), near + timedelta(hours=t[0] + t[1]))
    )


@st.composite
def timelines(draw: st.DrawFn) -> tuple[OpenDeadline, Timetable]:
    since = draw(MOMENTS)
    quiet = draw(st.lists(st.integers(0, 20), max_size=4))
    table = Timetable(
        zone=draw(st.sampled_from(ZONES)),
        hours={"turn": draw(st.integers(1, 200))},
        days=tuple(draw(st.lists(st.sampled_from(WEEK), min_size=1, max_size=7, unique=True))),
        quiet=tuple((since + timedelta(days=n)).date() for n in quiet),
        grid=draw(st.none() | st.integers(0, 23)),
        least=draw(st.integers(0, 48)),
        pauses=tuple(draw(st.lists(spans(since), max_size=2))),
        absences=tuple(
            AbsenceEntry(s, span.since, span.until)
            for s in draw(st.lists(st.sampled_from("ab"), max_size=2))
            for span in [draw(spans(since))]
        ),
        extensions=tuple(
            ExtensionEntry(str(h), 7, h) for h in draw(st.lists(st.integers(1, 50), max_size=2, unique=True))
        ),
    )
    announced = draw(st.none() | st.integers(-50, 900).map(lambda h: since + timedelta(hours=h)))
    return OpenDeadline(7, "turn", ("a",), since, announced), table


@settings(max_examples=300)
@given(timelines())
def test_invariants_of_every_timeline(timeline: tuple[OpenDeadline, Timetable]) -> None:
    holds(*timeline)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(timelines())
def test_invariants_of_ten_thousand_timelines(timeline: tuple[OpenDeadline, Timetable]) -> None:
    holds(*timeline)


def holds(question: OpenDeadline, table: Timetable) -> None:
    due = deadline(question, table)
    assert due.tzinfo is UTC
    hours = table.hours_for("turn")
    assert due >= question.since + timedelta(hours=max(hours / 2 if table.grid is not None else hours, table.least))
    if question.announced is not None:
        assert due >= question.announced
    free = deadline(question, table, earlier=True)
    assert free <= due
    assert deadline(OpenDeadline(7, "turn", ("a",), question.since, due), table) == due, "announcing must not move it"
    local = free.astimezone(ZoneInfo(table.zone))
    if table.grid is not None:
        assert free == instant(local.date(), time(table.grid), ZoneInfo(table.zone)) or _skipped(local, table)
        assert table.runs_on(local.date())
    for span in table.breaks(["a"]):
        assert not (span.since < free < span.until), "nobody's time runs out while it stands still"


def _skipped(local: datetime, table: Timetable) -> bool:
    """The grid hour does not exist on that day, so the deadline stands just behind it."""
    return table.grid is not None and local.hour in ((table.grid + 1) % 24, table.grid)


@settings(max_examples=300)
@given(timelines(), st.integers(1, 60))
def test_more_time_never_means_an_earlier_deadline(timeline: tuple[OpenDeadline, Timetable], more: int) -> None:
    question, table = timeline
    extension = ExtensionEntry("more", 7, more)
    longer = Timetable(**{f: getattr(table, f) for f in table.__struct_fields__} | {
        "extensions": (*table.extensions, extension, extension)})  # fmt: skip
    once = Timetable(**{f: getattr(table, f) for f in table.__struct_fields__} | {
        "extensions": (*table.extensions, extension)})  # fmt: skip
    assert deadline(question, longer) >= deadline(question, table)
    assert deadline(question, longer) == deadline(question, once), "told twice, counted once"


@settings(max_examples=300)
@given(timelines(), HOURS, HOURS)
def test_the_clock_runs_on_where_it_stopped(
    timeline: tuple[OpenDeadline, Timetable], first: timedelta, then: timedelta
) -> None:
    question, table = timeline
    between = add_running_time(question.since, first, table, ("a",))
    assert (
        add_running_time(between, then, table, ("a",)) == add_running_time(question.since, first + then, table, ("a",))
        or not then
    )


def test_a_skipped_hour_moves_forward_and_a_doubled_one_means_the_second() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert instant(date(2026, 3, 29), time(2, 30), berlin).astimezone(berlin).hour == 3
    assert instant(date(2026, 10, 25), time(2, 30), berlin) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "hours", "least", "after"),
    [
        (3, 24, 12, 15),
        (10, 12, 12, 32),
        (20, 48, 12, 46),
        (5, 24, 14, 37),
        (5, 24, 13, 13),
        (17, 1, 0, 1),
        (18, 24, 0, 24),
    ],
)
def test_a_fixed_hour_is_the_nearest_one_that_leaves_the_least_hours(at, hours, least, after) -> None:
    since = datetime(2026, 3, 2, at, tzinfo=UTC)
    table = Timetable(hours={"turn": hours}, grid=18, least=least)
    assert deadline(OpenDeadline(1, "turn", ("a",), since), table) == since + timedelta(hours=after)


def test_a_run_that_is_late_costs_no_day() -> None:
    since = datetime(2026, 3, 2, 18, 10, tzinfo=UTC)
    table = Timetable(hours={"turn": 24}, grid=18)
    assert deadline(OpenDeadline(1, "turn", ("a",), since), table) == datetime(2026, 3, 3, 18, tzinfo=UTC)


def test_72_hours_over_a_weekend_off() -> None:
    table = Timetable(zone="Europe/Berlin", days=WEEK[:5], grid=20)
    friday = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)
    # Friday 18:00 to midnight are 6 hours, then Monday and Tuesday 48, Wednesday to 18:00; the grid makes it 20:00.
    assert deadline(OpenDeadline(1, "turn", ("a",), friday), table) == datetime(2026, 11, 25, 19, 0, tzinfo=UTC)


def test_a_question_to_several_waits_for_the_one_who_is_away() -> None:
    since = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    away = AbsenceEntry("b", since, since + timedelta(days=7))
    table = Timetable(absences=(away,), hours={"ballot": 48})
    assert deadline(OpenDeadline(1, "ballot", ("a",), since), table) == since + timedelta(hours=48)
    assert deadline(OpenDeadline(1, "ballot", ("a", "b"), since), table) == since + timedelta(days=9)


def test_a_timetable_without_playing_days_is_refused() -> None:
    with pytest.raises(ValueError, match="playing day"):
        deadline(OpenDeadline(1, "turn", ("a",), datetime(2026, 1, 1, tzinfo=UTC)), Timetable(days=()))
