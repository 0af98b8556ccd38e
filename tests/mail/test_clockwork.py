"""What a deadline brings about, and a run in which nothing is due."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.clock import heartbeat
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.scheduler import due
from pbem.save import Session, load
from pbem.timestamps import stamp
from tests.mail.ticks import HOUR, answer, pass_time, read_mail, sent, set_policy, steady

# ------------------------------------------------------------------ time is up


def test_wait_waits(waiting):
    now = waiting.due + 3 * HOUR
    steady(waiting, now)
    assert pass_time([waiting.folder], now=now).done.time_up == []
    assert load(waiting.save).pending[0].q == load(waiting.save).header.q


def test_default_at_the_deadline_is_recorded_as_time_ran_out(waiting):
    set_policy(waiting, "default")
    answer(waiting, waiting.asked[:1])
    before = load(waiting.save).header
    steady(waiting, waiting.due)
    done = pass_time([waiting.folder], now=waiting.due).done
    assert len(done.time_up) == 1
    save = load(waiting.save)
    moves = [move for move in save.moves if move.n > before.n and move.q == before.q]
    assert {move.seat: move.how for move in moves} == {
        seat: "chosen" if seat == waiting.asked[0] else "time" for seat in waiting.asked
    }
    texts = [decode_mail(p.read_bytes()).text for p in waiting.folder.glob("outbox/new/ballot.*")]
    told = [" ".join(text.split()) for text in texts]
    assert sum("TIME RAN OUT" in text or "時間切れになりました" in text for text in told) == len(waiting.asked) - 1


def test_grace(waiting):
    set_policy(waiting, "grace", grace=12)
    for hours, up in ((0, 0), (11, 0), (12, 1)):
        now = waiting.due + hours * HOUR
        steady(waiting, now)
        done = pass_time([waiting.folder], now=now).done
        assert len(done.time_up) == up, hours
    assert len(sent(waiting)) == len(waiting.asked)  # told once that the deadline had gone by


def test_the_moderator_decides_and_is_asked_once(waiting):
    set_policy(waiting, "moderator")
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.commit()
    for _ in range(3):
        steady(waiting, waiting.due)
        pass_time([waiting.folder], now=waiting.due)
    assert sent(waiting) == []
    letters = [decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*")]
    assert [letter.to for letter in letters] == [("boss@example.org",)]
    assert not any(seat in letters[0].text for seat in waiting.asked)
    assert letters[0].subject == "ballot: the deadline has expired; please decide"
    assert "form" not in letters[0].text  # as for a player
    assert load(waiting.save).header.n == session.referee.n


def test_no_deadline_bites_before_mail_was_read_after_it(waiting):
    set_policy(waiting, "default")
    now = waiting.due + HOUR
    steady(waiting, waiting.due - timedelta(minutes=1))
    done = pass_time([waiting.folder], now=now).done
    assert done.time_up == []
    assert "nothing is done" in done.moderator[0]
    read_mail(waiting, now)
    assert len(pass_time([waiting.folder], now=now).done.time_up) == 1


# ------------------------------------------------------------------ the command line


def test_tick_and_remind_by_hand(waiting):
    now = waiting.due - HOUR
    steady(waiting, now)
    run = CliRunner()
    told = run.invoke(main, ["remind", str(waiting.folder), "--now", stamp(now)])
    assert told.exit_code == 0
    assert all(seat in told.output for seat in waiting.asked)
    done = run.invoke(main, ["tick", str(waiting.folder), "--now", stamp(now)])
    assert "4 reminders written" in done.output
    assert not any(seat in done.stdout for seat in waiting.asked)  # cron's mail tells no secrets


# ------------------------------------------------------------------ nothing is due


def test_a_tick_in_which_nothing_is_due_imports_neither_rules_nor_letters(waiting):
    steady(waiting, waiting.due - 60 * HOUR)
    now = waiting.due - 59 * HOUR
    words = ["tick", str(waiting.folder), "--now", stamp(now)]
    heavy = "pbem.kernel.referee", "pbem.mail.inbox.inbox_run", "pbem.report"
    code = (
        "import sys; from pbem.cli import main\n"
        f"try: main({words!r})\n"
        f"finally: print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert "1 games, 0 opened" in done.stderr
    assert heartbeat.load(waiting.folder).tick == now


def test_what_cannot_be_told_from_the_headers_is_not_quiet(waiting, monkeypatch):
    steady(waiting, waiting.due - 60 * HOUR)
    now = waiting.due - 59 * HOUR
    assert due.run_if_idle([waiting.folder], now) is not None

    def fault(save, heart, now):
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(due, "game_due", fault)
        assert due.run_if_idle([waiting.folder], now) is None
    (waiting.folder / "torn.toml").write_text("[game]\n")
    assert due.run_if_idle([waiting.folder], now) is None
