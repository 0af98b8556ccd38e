"""What the moderator is told: once, whatever is deleted and whatever dies; of faults that last once a day."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

import games
from pbem import atomic_files
from pbem.cli import main
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.notices import Need, Notices
from pbem.mail.outbox.mime_message import Outbox
from pbem.mail.save_index import SaveIndex
from pbem.mail.scheduler.due import tell_moderators
from pbem.mail.scheduler.tick import tick_games
from pbem.save import Session
from pbem.timestamps import stamp
from tests.mail.ticks import HOUR, pass_time, set_policy, steady

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
MINUTES = timedelta(minutes=10)
REFUSED = "{} letters: not sent yet: 535 authentication failed"


def told(folder, now, *texts):
    """What a run says that meets these faults."""
    run = Notices(folder, now)
    said = [text for text in texts if run.loud(text)]
    return said + [f"over: {fault.text}" for fault in run.over()]


def test_a_fault_that_lasts_is_told_once_a_day_and_when_it_is_over(tmp_path):
    said = {}
    for run in range(3 * 144):
        now = START + run * MINUTES
        found = told(tmp_path, now, *([REFUSED.format(run + 1)] if run < 300 else []))
        said |= {run: found} if found else {}
    assert {run: len(lines) for run, lines in said.items()} == {0: 1, 144: 1, 288: 1, 305: 1}
    assert said[305][0].startswith("over: 300 letters"), "an hour without it"
    assert said[0] == [REFUSED.format(1)]


def test_a_fault_that_comes_and_goes_is_not_told_each_time(tmp_path):
    said = [told(tmp_path, START + run * MINUTES, *(["down"] if run % 3 == 0 else [])) for run in range(144)]
    assert sum(map(len, said)) == 1


def test_what_cannot_be_noted_is_told(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(atomic_files, "store", full)
    assert [told(tmp_path, START + run * MINUTES, "down") for run in range(2)] == [["down"], ["down"]]


@pytest.fixture
def stalled(waiting):
    """A game that waits beyond its deadline, and whose moderator has an address."""
    set_policy(waiting, "wait")
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.commit()
    return waiting


def letters(desk):
    return [decode_mail(path.read_bytes()) for path in desk.folder.glob("outbox/*/notice.*")]


def run(desk, hours):
    now = desk.due + hours * HOUR
    steady(desk, now)
    return pass_time([desk.folder], now=now).done


def test_a_game_that_waits_is_told_once_whatever_is_deleted(stalled):
    run(stalled, 0)
    (letter,) = letters(stalled)
    assert letter.to == ("boss@example.org",)
    assert letter.subject == "ballot is waiting for you"
    assert "pbem clock extend ballot.toml" in letter.text
    assert not any(seat in letter.text for seat in stalled.asked)
    for hours in (1, 30, 200):
        shutil.rmtree(stalled.folder / "outbox", ignore_errors=True)
        run(stalled, hours)
        assert letters(stalled) == []


def test_without_an_address_the_run_says_it_once(stalled):
    session = Session.open(stalled.save, games.load)
    session.save.post.moderator = []
    session.commit()
    said = [run(stalled, hours).needs for hours in (0, 1, 30)]
    assert [len(lines) for lines in said] == [1, 0, 0]
    assert said[0][0].startswith("ballot: The deadline of question 29 has expired")


def test_a_run_that_dies_loses_no_letter_and_repeats_none(stalled, monkeypatch):
    real = Outbox.put

    def dies(outbox, name, content):
        if name.startswith("notice."):
            raise KeyboardInterrupt
        return real(outbox, name, content)

    monkeypatch.setattr(Outbox, "put", dies)
    with pytest.raises(KeyboardInterrupt):
        run(stalled, 0)
    monkeypatch.setattr(Outbox, "put", real)
    assert letters(stalled) == []
    for hours in (1, 2):
        run(stalled, hours)
        assert len(letters(stalled)) == 1


def test_the_end_of_the_waiting_is_forgotten_and_the_next_one_is_told(stalled):
    run(stalled, 0)
    session = Session.open(stalled.save, games.load)
    for asked in session.save.pending:
        asked.due = stalled.due + 48 * HOUR
    session.commit()
    run(stalled, 1)
    run(stalled, 48)
    assert len(letters(stalled)) == 2


def test_what_has_one_cause_is_told_once_over_all_games(stalled):
    save = Session.open(stalled.save, games.load).save
    named: dict[str, str | datetime] = {"game": "ballot", "q": "1", "since": START}
    lying = [
        Need(key=f"unsent|{name}", words="moderator.unsent", args=named, save=save, group="unsent") for name in "abc"
    ]
    counts = []
    for hours, found in enumerate([lying[:2], lying, lying[2:], [], lying]):
        notices = Notices(stalled.folder, START + hours * HOUR)
        notices.write(Outbox(stalled.folder / "outbox"), found, [save], "")
        assert not notices.due(found)
        counts.append(len(letters(stalled)))
    assert counts == [1, 1, 1, 1, 2]


@pytest.mark.parametrize("command", ["ingest", "send", "tick"])
def test_whichever_run_finds_it_tells_it_once(stalled, command):
    """A folder where only one of them is scheduled; then the others."""
    steady(stalled, stalled.due + 3 * HOUR)
    box = stalled.box([])
    lines = {
        "ingest": ["ingest", "--saves", stalled.folder, box],
        "send": ["send", "--saves", stalled.folder],
        "tick": ["tick", stalled.folder],
    }
    for hours, line in enumerate([lines[command]] * 2 + [*lines.values()]):
        CliRunner().invoke(main, [*map(str, line), "--now", stamp(stalled.due + hours * HOUR)], catch_exceptions=False)
        assert [letter.subject for letter in letters(stalled)] == ["ballot is waiting for you"]


def test_a_run_over_one_save_forgets_nothing_of_the_others(stalled):
    (stalled.folder / "other.toml").write_bytes(stalled.save.read_bytes()[:900])
    run(stalled, 0)
    assert len(letters(stalled)) == 1
    for saves in ([stalled.save], [stalled.folder], [stalled.save]):
        tick_games(saves, now=stalled.due + HOUR)
        assert len(letters(stalled)) == 1


def test_what_nobody_would_see_printed_waits(stalled):
    session = Session.open(stalled.save, games.load)
    session.save.post.moderator = []
    session.commit()
    index, outbox = SaveIndex([stalled.folder]), Outbox(stalled.folder / "outbox")
    assert tell_moderators(index, outbox, stalled.due, "", printed=False) == []
    assert len(tell_moderators(index, outbox, stalled.due, "")) == 1
    assert tell_moderators(index, outbox, stalled.due, "") == []


def test_nothing_counts_as_told_while_the_moderators_of_the_folder_are_unknown(stalled):
    session = Session.open(stalled.save, games.load)
    session.save.post.moderator = []
    session.commit()
    index, outbox = SaveIndex([stalled.folder]), Outbox(stalled.folder / "outbox")
    settings = stalled.folder / "pbem.toml"
    settings.write_text("[moderator]\naddresses = boss@example.org\n")
    with pytest.raises(OSError, match=r"pbem\.toml"):
        tell_moderators(index, outbox, stalled.due, "")
    stalled.now = stalled.due
    assert "pbem.toml" in " ".join(stalled.ingest().broken)
    settings.write_text('[moderator]\naddresses = ["boss@example.org"]\n')
    assert tell_moderators(index, outbox, stalled.due, "") == []
    assert len(letters(stalled)) == 1
