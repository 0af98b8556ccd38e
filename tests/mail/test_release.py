"""Letters that the moderator holds back: what waits, and no time runs meanwhile."""

from __future__ import annotations

from random import Random

from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.moderator.dashboard import overview as look
from pbem.mail.scheduler.tick import tick_games
from pbem.save import load
from pbem.timestamps import stamp
from tests.mail.desk_actions import HOUR, action, letters, pbem
from tests.mail.desks import opened
from tests.mail.ticks import hand_over


def test_letters_with_news_wait_for_release_and_receipts_do_not(begun):
    action(begun, "config", "set", str(begun.save), "release=-1")
    session = opened(begun)
    answers = synthetic_mail.answers(session, Random(1))
    mails = [synthetic_mail.write_email(session, seat, lines, begun.now) for seat, lines in answers.items()]
    before = len(list((begun.folder / "outbox" / "new").glob("*")))
    first = begun.ingest(begun.box(mails[:1], "1.mbox"))
    assert len(first.sent) == 1  # a receipt
    rest = begun.ingest(begun.box(mails[1:], "2.mbox"))
    assert rest.sent == []
    assert look([begun.folder], now=begun.now).games[0].held == 4
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 1
    shown = pbem(begun, "mail", "preview", str(begun.save)).output
    assert pbem(begun, "mail", "preview", str(begun.save)).output == shown
    for letter in load(begun.save).outbox:
        assert f"== {letter.seat}, held until you release it; with it: HTML" in shown
        assert f"Subject: {letter.subject}\n\n{letter.body}" in shown
    seat = load(begun.save).seats[0].id
    assert pbem(begun, "mail", "preview", str(begun.save), "--seat", seat).output.count("== ") < shown.count("== ")
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 1
    pbem(begun, "mail", "release", str(begun.save), "--seat", seat)
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 2
    action(begun, "mail", "release", str(begun.save))
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 5
    assert pbem(begun, "mail", "preview", str(begun.save)).output.strip() == "nothing to release: no email is held back"
    last = load(begun.save).actions[-1]
    assert (last.what, last.by, last.reason, last.args["count"]) == ("release", "Miriam", "a good one", 3)


def test_no_time_runs_while_the_moderator_has_not_looked(begun):
    """The letters that put a question wait for a week: nobody is reminded or loses his turn, all get their hours."""
    action(begun, "config", "set", str(begun.save), "release=-1", "time_up.ballot=default", "time_up.turn=default")
    session = opened(begun)
    answers = synthetic_mail.answers(session, Random(1))
    begun.ingest(
        begun.box([synthetic_mail.write_email(session, seat, lines, begun.now) for seat, lines in answers.items()])
    )
    before = load(begun.save)
    assert before.pending[0].q > session.referee.q, "the next question is open"
    week = begun.now + 7 * 24 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(week, week))
    assert before.pending[0].due < week
    done = tick_games([begun.folder], now=week).done
    assert (done.reminders, done.time_up, done.emails.sent) == (0, [], [])
    begun.clock = stamp(week)
    action(begun, "mail", "release", str(begun.save))
    after = load(begun.save)
    assert after.pending[0].q == before.pending[0].q
    hours = after.clock.hours[after.pending[0].pace]
    assert after.pending[0].due >= week + hours * HOUR
    sent = [decode_mail(p.read_bytes()).text for p in (begun.folder / "outbox" / "new").glob("ballot.*")]
    assert sum("NEW DEADLINE" in text or "新しい回答期限" in text for text in sent) == len(after.seats)
    due = after.pending[0].due
    hand_over(begun)
    heartbeat.store(begun.folder, heartbeat.Heartbeat(due, due))
    assert tick_games([begun.folder], now=due).done.time_up != []


def test_letters_held_for_hours_put_their_question_when_they_go(begun):
    action(begun, "config", "set", str(begun.save), "release=6")
    session = opened(begun)
    answers = synthetic_mail.answers(session, Random(1))
    begun.ingest(
        begun.box([synthetic_mail.write_email(session, seat, lines, begun.now) for seat, lines in answers.items()])
    )
    save = load(begun.save)
    one = save.pending[0]
    assert one.q > session.referee.q
    assert one.due >= begun.now + (6 + save.clock.hours[one.pace]) * HOUR
    assert look([begun.folder], now=begun.now).games[0].waiting[0].hours == 0


def test_deadlines_move_earlier_only_if_the_moderator_says_so(begun):
    short = ["hours.ballot=1", "hours.turn=1"]
    action(begun, "config", "set", str(begun.save), *short)
    assert {question.due for question in load(begun.save).pending} == {begun.due}
    assert all("NEW DEADLINE" not in outgoing.text for outgoing in letters(begun).values())
    action(begun, "config", "set", str(begun.save), "grace=3", "--allow-earlier")
    save = load(begun.save)
    (due,) = {question.due for question in save.pending}
    assert begun.now + save.clock.least * HOUR <= due < begun.due
    assert save.actions[-1].args["earlier"] is True
    for letter in letters(begun).values():
        assert "NEW DEADLINE" in letter.text or "新しい回答期限" in letter.text


def test_held_for_some_hours_they_go_with_the_tick(begun):
    action(begun, "config", "set", str(begun.save), "release=6")
    session = opened(begun)
    mails = [
        synthetic_mail.write_email(session, seat, lines, begun.now)
        for seat, lines in synthetic_mail.answers(session, Random(1)).items()
    ]
    assert begun.ingest(begun.box(mails, "all.mbox")).sent == []
    for hours, count in ((5, 0), (6, 4)):
        now = begun.now + hours * HOUR
        heartbeat.store(begun.folder, heartbeat.Heartbeat(now, now))
        assert len(tick_games([begun.folder], now=now).done.emails.sent) == count
