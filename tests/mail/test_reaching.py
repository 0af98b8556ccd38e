"""A question that has not reached everybody: its letter lies in the outbox, was refused, or came back."""

from __future__ import annotations

import re
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest

import games
from pbem import atomic_files
from pbem.clock.policy import expires_at, note_refused
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.moderator.clock_actions import expire_question
from pbem.mail.moderator.journal import ActionError, Actor, act
from pbem.mail.moderator.seat_actions import set_address
from pbem.mail.save_index import SaveIndex
from pbem.mail.scheduler import reaching
from pbem.mail.scheduler.tick import after_sending
from pbem.mail.transport.bounces import Bounce, Bounces, is_failure, reason, returned
from pbem.save import Session, load, load_header
from tests.mail.ticks import HOUR, answer, hand_over, pass_time, set_policy, steady

DAY = 24 * HOUR
CAME_BACK = Path(__file__).parent / "came_back"


@pytest.fixture
def asking(desk, staged):
    """A game whose letters, which ask four seats at once, lie in the outbox; each seat's time runs out by itself."""
    desk.ingest(desk.box([]))
    set_policy(desk, "default")
    session = Session.open(desk.save, games.load)
    session.save.post.moderator = ["mod@example.org"]
    session.commit()
    save = load_header(desk.save)
    desk.due, desk.since = save.pending[0].due, save.pending[0].since
    desk.asked = [asked.seat for asked in save.pending]
    for part in ("new", "cur"):
        (desk.folder / "outbox" / part).mkdir(parents=True)
    for asked in save.pending:
        written = next((staged.save.parent / "work").rglob(f"{asked.letter}*"))
        shutil.copy2(written, desk.folder / "outbox" / "new" / asked.letter)
    return desk


def tick(desk, now):
    steady(desk, now)
    return pass_time([desk.folder], now=now).done


def sending(desk, now, names=()):
    """What follows when a mail server has taken what lay in the outbox."""
    hand_over(desk)
    assert after_sending(InboxRun([desk.folder], now=now), names) == {}


def notices(desk):
    return [decode_mail(path.read_bytes()) for path in sorted(desk.folder.glob("outbox/*/notice.*"))]


def told(desk, *words):
    """The seats whose letters hold one of the words."""
    found = set()
    for path in desk.folder.glob("outbox/*/ballot.*"):
        text = "".join(decode_mail(path.read_bytes()).text.split())
        if any("".join(word.split()) in text for word in words):
            found.add(path.name.split(".")[1])
    return sorted(found)


def test_nobody_gets_a_default_for_a_question_that_has_not_left(asking):
    for hours in range(0, 200, 5):
        done = tick(asking, asking.since + hours * HOUR)
        assert done.time_up == []
        assert done.reminders == 0
    assert {asked.undelivered for asked in load(asking.save).pending} == {asking.since}
    assert "has not reached everybody" in done.moderator[0]
    (notice,) = notices(asking)
    assert "ballot" in notice.subject
    assert not any(seat in notice.text for seat in asking.asked), "who has answered is nobody's business"


def test_the_hours_run_from_when_the_letters_left_and_all_are_told(asking):
    tick(asking, asking.since + 48 * HOUR)
    left = asking.since + 50 * HOUR
    sending(asking, left)
    save = load(asking.save)
    hours = save.clock.hours[save.pending[0].pace]
    assert {asked.undelivered for asked in save.pending} == {None}
    assert {asked.due for asked in save.pending} == {left + hours * HOUR}
    tick(asking, left + HOUR)
    assert told(asking, "AN EMAIL ARRIVED LATE", "遅れて届いたメールがありました") == sorted(asking.asked)
    assert len(tick(asking, left + hours * HOUR).time_up) == 1


def test_letters_that_leave_with_the_next_run_change_nothing(asking):
    before = asking.save.read_bytes()
    assert tick(asking, asking.since + HOUR / 6).moderator == []
    sending(asking, asking.since + HOUR / 6)
    assert asking.save.read_bytes() == before
    assert len(tick(asking, asking.due).time_up) == 1


def test_time_is_not_up_while_a_letter_lies_there_even_for_minutes(asking):
    """Held letters that go out shortly before the deadline."""
    session = Session.open(asking.save, games.load)
    for asked in session.save.pending:
        asked.put = asking.due - HOUR / 2
    session.commit()
    assert tick(asking, asking.due).time_up == []


def came_back(desk, seat, at, why="550 5.1.1 user unknown"):
    letter = next(asked.letter for asked in load(desk.save).pending if asked.seat == seat)
    address = load(desk.save).seat(seat).addresses[0]
    Bounces(desk.folder).note(Bounce(at=at, to=address, name=letter, why=why))


def test_a_question_that_came_back_stands_is_sent_again_and_runs_when_it_arrives(asking):
    seat = asking.asked[0]
    sending(asking, asking.since + HOUR / 6)
    back = asking.since + 2 * HOUR
    came_back(asking, seat, back)
    count = len(list(asking.folder.glob(f"outbox/*/ballot.{seat}.*")))
    tick(asking, back + HOUR)
    (notice,) = notices(asking)
    assert seat in notice.text
    assert "5.1.1" in notice.text
    tick(asking, back + 25 * HOUR)  # it is sent again
    hand_over(asking)
    assert len(list(asking.folder.glob(f"outbox/*/ballot.{seat}.*"))) == count + 1
    came_back(asking, seat, back + 26 * HOUR)
    for hours in range(30, 300, 6):
        assert tick(asking, back + hours * HOUR).time_up == []
        hand_over(asking)
        if load(asking.save).pending[0].undelivered is None:
            break
    assert 26 + 2 * 24 < hours < 26 + 5 * 24, "two days, then one without a bounce"
    assert load(asking.save).pending[0].due > back + hours * HOUR
    assert len(notices(asking)) == 1


def test_another_address_gets_a_question_that_came_back_at_once(asking):
    seat = asking.asked[0]
    sending(asking, asking.since + HOUR / 6)
    came_back(asking, seat, asking.since + 2 * HOUR)
    tick(asking, asking.since + 3 * HOUR)
    set_at = asking.since + 60 * HOUR
    assert load(asking.save).pending[0].undelivered is not None
    act(
        asking.save,
        Actor("Miriam", "it bounces", set_at),
        lambda session, author: set_address(session, author, seat, "bob@new.example"),
    )
    letters = [decode_mail(path.read_bytes()) for path in asking.folder.glob(f"outbox/new/ballot.{seat}.*")]
    assert [letter.to for letter in letters] == [("bob@new.example",)]
    sending(asking, set_at + HOUR / 6)
    tick(asking, set_at + HOUR)
    save = load(asking.save)
    assert {asked.undelivered for asked in save.pending} == {None}
    assert min(asked.due for asked in save.pending) > set_at + 24 * HOUR
    assert Bounces(asking.folder).open_for(save, set_at + HOUR) == []
    assert told(asking, "AN EMAIL ARRIVED LATE", "遅れて届いたメールがありました") == sorted(asking.asked)


def test_the_moderator_cannot_end_the_time_of_a_question_that_came_back(asking):
    def end(now):
        session = Session.open(asking.save, games.load)
        return expire_question(session, Actor("mod", "it is late", now))

    sending(asking, asking.since + HOUR / 6)
    came_back(asking, asking.asked[0], asking.since + 2 * HOUR)
    with pytest.raises(ActionError, match=f"hasn't reached {asking.asked[0]}.*5.1.1"):
        end(asking.due + HOUR)
    assert load(asking.save).sealed == []
    tick(asking, asking.due + HOUR)
    hand_over(asking)
    tick(asking, asking.due + 26 * HOUR)  # it was sent again, and has not come back
    hand_over(asking)
    tick(asking, asking.due + 52 * HOUR)
    assert end(asking.due + 53 * HOUR).what == "time-up"


def test_who_has_answered_plays_no_part(asking, desk_type):
    """The clock stands and goes on for all at the same time, whether who got no letter has answered or not."""
    found = []
    for answered in ([], asking.asked[:1]):
        desk = desk_type.__new__(desk_type)
        folder = asking.folder.with_name(f"{asking.folder.name}-{len(answered)}")
        shutil.copytree(asking.folder, folder)
        vars(desk).update({**vars(asking), "folder": folder, "save": folder / asking.save.name})
        desk.now = asking.since + HOUR / 6
        answer(desk, answered)
        sending(desk, desk.now)
        came_back(desk, asking.asked[0], asking.since + 2 * HOUR)
        moments = []
        for hours in range(3, 96, 3):
            tick(desk, asking.since + hours * HOUR)
            hand_over(desk)
            other = next(asked for asked in load(desk.save).pending if asked.seat == asking.asked[1])
            moments.append((hours, other.undelivered, other.due))
        found.append(moments)
    assert found[0] == found[1]


@pytest.mark.parametrize("path", sorted(CAME_BACK.glob("*.eml")), ids=lambda path: path.stem)
def test_what_mail_servers_write_of_letters_that_did_not_arrive(asking, path):
    letter = next(asking.folder.glob("outbox/new/ballot.*"))
    raw = letter.read_bytes().replace(b"\r\n", b"\n")
    ident = raw.partition(b"Message-ID: <")[2].partition(b">")[0]
    text = path.read_bytes().replace(b"@HEAD@", raw.partition(b"\n\n")[0]).replace(b"@LETTER@", raw)
    for mark, value in ((b"@MESSAGE-ID@", ident), (b"@TO@", b"bob@example.net"), (b"@OWN@", b"pbem@example.org")):
        text = text.replace(mark, value)
    failed = is_failure(decode_mail(text), text)
    assert failed is not path.name.startswith("not-")
    if failed:
        game, seat, _, file = returned(text, SaveIndex([asking.folder]))
        assert (game, seat, file) == ("ballot", letter.name.split(".")[1], letter.name)
        mail = decode_mail(text)
        why = reason(mail, text)
        report = re.search(rb"(?im)^diagnostic-code:", text)
        assert (mail.subject[:80] in why) is (report is None), why


def test_a_bounce_ends_with_a_mail_from_there_or_after_days_of_delivery(asking):
    list_ = Bounces(asking.folder)
    save = load(asking.save)
    seat = save.seats[0]
    who, at = (save.header.name, seat.id, seat.addresses[0]), asking.since
    steps: tuple[tuple[Literal["heard", "sent"], timedelta, bool], ...] = (
        ("heard", HOUR, False),
        ("sent", HOUR, True),
        ("sent", 4 * DAY, False),
    )
    for did, later, is_open in steps:
        list_.path.unlink(missing_ok=True)
        list_.speak_for(did, [who], at)
        assert list_.listed() == [], "nothing has bounced"
        list_.note(Bounce(at=at, to=who[2], why="unknown"))
        list_.note(Bounce(at=at + HOUR, why="again", name=f"ballot.{seat.id}.0002.0123abcd"))
        assert [row.seat for row in list_.open_for(save, at)] == [seat.id], "a seat stands there once"
        list_.speak_for(did, [who, who], at + HOUR)
        assert bool(list_.open_for(save, at + HOUR + later)) is is_open
    list_.note(Bounce(at=at, to="mod@example.org", why="full"))
    assert [row.seat for row in list_.open_for(save, at + 9 * DAY)] == ["moderator"]


def test_half_a_line_swallows_nothing(tmp_path):
    path, resource = tmp_path / "rows.jsonl", pytest.importorskip("resource")
    atomic_files.append(path, [1])
    path.write_bytes(path.read_bytes() + b'{"half": "of a')  # its writer died
    atomic_files.append(path, [2])
    assert path.read_bytes() == b"[1]\n[2]\n"

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))  # two bytes more, then the disk is full
    try:
        with pytest.raises(OSError, match="too large"):
            atomic_files.append(path, [3])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"[1]\n[2]\n"


def test_whoever_was_refused_in_time_has_the_least_hours_and_nobody_else_learns_of_it(asking):
    save = load(asking.save)
    one, other = save.pending[:2]
    note_refused(save, one.q, one.seat, asking.due - HOUR)
    least = save.clock.least * HOUR
    assert (
        expires_at(save, other) == expires_at(save, one) == expires_at(save, one, one.seat) == asking.due - HOUR + least
    )
    assert expires_at(save, other, other.seat) == expires_at(save, one, "") == asking.due
    note_refused(save, one.q, one.seat, asking.due + 5 * HOUR)
    assert expires_at(save, one) == asking.due + least, "what is written after the deadline puts it off no more"


def test_a_refused_answer_near_the_deadline_is_asked_back(asking):
    from pbem.dev import synthetic_mail

    sending(asking, asking.since + HOUR / 6)
    seat, asking.now = asking.asked[0], asking.due - HOUR
    session = Session.open(asking.save, games.load)
    asking.ingest(asking.box([synthetic_mail.write_email(session, seat, ["29: nonsense"], asking.now)]))
    hand_over(asking)
    assert tick(asking, asking.due + HOUR).time_up == []
    assert len(tick(asking, asking.due + 12 * HOUR).time_up) == 1


def test_a_newcomer_has_the_least_hours(asking):
    from click.testing import CliRunner

    from pbem.cli import main
    from pbem.timestamps import stamp

    sending(asking, asking.since + HOUR / 6)
    now = asking.due - timedelta(minutes=20)
    words = ["seat", "replace", str(asking.save), asking.asked[0], "new@example.net", "--yes", "--reason", "left"]
    assert CliRunner().invoke(main, [*words, "--now", stamp(now)]).exit_code == 0
    hand_over(asking)
    save = load(asking.save)
    assert {asked.due for asked in save.pending} == {now + timedelta(hours=save.clock.least, minutes=20)}
    newest = max(path.name for path in asking.folder.glob(f"outbox/cur/ballot.{asking.asked[0]}.000*"))
    mine = next(asked for asked in save.pending if asked.seat == asking.asked[0])
    assert mine.letter == newest.partition(";")[0], "a letter of their own puts the question to them"
    assert reaching.standing(save) is None
