"""What a moderator may not do unseen: probe, backdate, let somebody read along, put an older save back."""

from __future__ import annotations

import shutil
from datetime import timedelta
from random import Random

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.mail import rollback_guard
from pbem.mail.bundle import bundle
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.verify_emails import compare, read_emails
from pbem.save import Restored, Session, load
from pbem.timestamps import moment, stamp


def run(desk, *words, hours=1):
    now = stamp(desk.now + timedelta(hours=hours))
    return CliRunner().invoke(main, [*map(str, words), "--now", now])


def told(desk, text):
    """The addresses of those who were told so."""
    return {mail.to[0] for mail in map(decode_mail, desk.letters().values()) if text in " ".join(mail.text.split())}


def english(desk):
    return {seat.addresses[0] for seat in desk.read().seats if seat.language == "en"}


@pytest.fixture
def playing(desk):
    desk.ingest(desk.box(desk.mails))
    seat = desk.read().seats[0].id
    assert run(desk, "config", "set", desk.save, f"plays={seat}", "--reason", "I play").exit_code == 0
    return desk


@pytest.mark.parametrize(
    "steps", ["players.amber.hand=[]", "players.black.hand.0=spain-9z", "players.nobody.x=1", "rubbish"]
)
@pytest.mark.parametrize("dry", [True, False])
def test_a_playing_moderators_probe_tells_him_nothing_and_everybody_of_it(playing, steps, dry):
    before = playing.read()
    more = ["--dry-run"] if dry else []
    got = run(playing, "repair", "correct", playing.save, steps, "--reason", "just looking", *more, hours=2)
    assert "nothing was changed; everybody is notified, and nothing else is shown" in got.output
    assert steps not in got.output
    after = playing.read()
    assert (after.header.n, after.header.head) == (before.header.n, before.header.head)
    assert after.actions[-1].what == "fiat-tried"
    assert told(playing, "who is also a player, tried a correction") == english(playing)


def test_what_two_probes_say_does_not_depend_on_what_is_hidden(playing):
    said = {
        run(
            playing, "repair", "correct", playing.save, f"players.black.hand={value}", "--reason", "x", "--dry-run"
        ).output
        for value in ("[]", "[leader-a]", "7")
    }
    assert len({text.partition("told")[0] for text in said}) == 1


def test_a_moderator_who_does_not_play_may_try_in_peace(desk):
    got = run(desk, "repair", "correct", desk.save, "players.nobody.x=1", "--reason", "x", "--dry-run")
    assert got.exit_code != 0
    assert desk.read().actions == []


def test_everybody_hears_that_somebody_reads_along(desk):
    desk.ingest(desk.box(desk.mails))
    seat = desk.read().seats[1].id
    run(desk, "seat", "cc", "add", desk.save, seat, "eve@example.org", "--reason", "she learns the game")
    action = desk.read().actions[-1]
    assert (action.what, len(action.told)) == ("watch", len(desk.read().seats))
    assert told(desk, "without reply codes, now also goes") >= english(desk)


def test_an_action_that_is_dated_back_says_so(desk):
    desk.ingest(desk.box(desk.mails))
    run(desk, "mail", "broadcast", desk.save, "on time")
    assert "backdated" not in desk.read().actions[-1].args
    run(desk, "clock", "extend", desk.save, "--hours", "5", "--reason", "in time, honestly", hours=-4)
    assert desk.read().actions[-1].args["backdated"]
    assert told(desk, "but the game had already reached") == english(desk)


def test_a_moderator_who_plays_gives_a_question_a_day_at_most(playing):
    add = ("clock", "extend", playing.save, "--reason", "I need it", "--hours")
    assert run(playing, *add, 20).exit_code == 0
    got = run(playing, *add, 5)
    assert got.exit_code == 1
    assert "more time N" in got.output
    assert run(playing, *add, 4).exit_code == 0


def test_an_older_save_put_back_is_refused_and_told_to_all(desk):
    older = shutil.copy2(desk.save, desk.folder / "older")
    desk.ingest(desk.box(desk.mails))
    newer = desk.read()
    assert rollback_guard.load(desk.folder)["ballot"].n == newer.header.n
    shutil.copy2(older, desk.save)
    with pytest.raises(Restored):
        rollback_guard.check(desk.folder, desk.read())
    report = desk.ingest(desk.box(desk.mails[:1], "again.mbox"))
    assert "emails have already shown move" in " ".join(report.broken.values())
    assert desk.read().header.n < newer.header.n
    assert run(desk, "repair", "accept-rollback", desk.save, "--reason", "disk broke").exit_code == 2
    got = run(desk, "repair", "accept-rollback", desk.save, "--yes", "--reason", "the disk broke")
    assert got.exit_code == 0, got.output
    assert told(desk, "An older save was put back") == english(desk)
    assert run(desk, "repair", "accept-rollback", desk.save, "--yes", "--reason", "again").exit_code == 1
    assert desk.ingest(desk.box(desk.mails[:1], "again.mbox")).broken == {}


def test_a_rewind_is_no_older_save_and_a_new_game_no_old_one(desk):
    desk.ingest(desk.box(desk.mails))
    n = desk.read().header.n
    assert run(desk, "repair", "rewind", desk.save, "0", "--reason", "once more").exit_code == 0
    rollback_guard.check(desk.folder, desk.read())
    known = rollback_guard.load(desk.folder)
    assert known["ballot"].epoch == 1
    save = load(desk.save)
    save.dice.rewinds[0].was_n = n - 1  # an older save, and a rewind to cover it up
    rollback_guard.write(desk.folder, {"ballot": rollback_guard.QuotedHead(known["ballot"].start, n, 0, "0" * 64)})
    with pytest.raises(Restored):
        rollback_guard.check(desk.folder, save)
    save.header.created = moment("2026-01-01T00:00:00Z")
    rollback_guard.check(desk.folder, save)


def test_a_moderator_who_plays_is_committed_to_his_sealed_answer(desk):
    """Others' letters to the question carry it; another answer, given when he had read theirs, contradicts them."""
    session = Session.open(desk.save, games.load)
    q, first = session.referee.q, session.referee.waiting()[0]
    assert session.referee.pending()[0].sealed
    assert run(desk, "config", "set", desk.save, f"plays={first}", "--reason", "I play").exit_code == 0
    by_seat = {seat.id: seat.addresses[0] for seat in session.save.seats}
    mails = {seat: [mail for mail in desk.mails if mail.sender == by_seat[seat]] for seat in by_seat}
    others = [seat for seat in session.referee.waiting() if seat != first]

    desk.ingest(desk.box(mails[others[0]], name="0.mbox"))
    early = compare(list(read_emails([desk.folder / "outbox"])))
    assert early.late == [f"{session.save.header.name}: {first}, question {q}"]

    desk.ingest(desk.box(mails[first], name="1.mbox"))
    desk.ingest(desk.box(mails[others[1]], name="2.mbox"))
    told = compare(list(read_emails([desk.folder / "outbox"])))
    assert told.sealed
    assert told.wrong == []

    session = Session.open(desk.save, games.load)  # he has read the others' answers in the save
    domain, chance = session.referee.domain(first), Random(1)
    before = session.referee.sealed[first].answer
    other = next(value for value in iter(lambda: domain.sample(chance.randrange), None) if value != before)
    session.referee.submit(first, other, at=stamp(desk.now))
    session.commit(desk.now)
    desk.ingest(desk.box([mail for seat in others[2:] for mail in mails[seat]], name="3.mbox"))
    session = Session.open(desk.save, games.load)
    assert session.referee.q > q
    session.save.header.over = True  # the end opens everything
    ended = bundle(session, "", desk.now)
    found = compare(list(read_emails([desk.folder / "outbox"])))
    found.against(ended, "bundle.json")
    assert f"{first}'s answer to question {q} differs from the one that was committed to" in found.wrong[0]
