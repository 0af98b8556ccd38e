"""The moderator's digest: what is in it, when it comes, that each item comes once, and what it never shows."""

from __future__ import annotations

import contextlib
import copy
import shutil
import ssl
from datetime import timedelta
from typing import Any

import pytest

import games
from pbem import atomic_files
from pbem.clock import heartbeat
from pbem.mail.bots import player_returned
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.notices import Need, Notices
from pbem.mail.outbox.mime_message import Outbox
from pbem.mail.quarantine import Quarantine, QuarantinedEmail
from pbem.mail.transport.bounces import Bounce, Bounces
from pbem.save import Session, load
from pbem.save.folder_settings import FolderMail, FolderSettings, folder_settings
from pbem.save.schema import Pause
from tests.mail.ticks import HOUR, answer, pass_time, set_policy, steady

BOSS = "boss@example.org"


@pytest.fixture
def desk(waiting):
    """A game that a moderator with an address of their own runs; its question is sealed and open for long."""
    return changed(waiting, lambda save: save.post.moderator.append(BOSS))


def changed(desk, change):
    session = Session.open(desk.save, games.load)
    change(session.save)
    session.commit()
    return desk


def runs(desk, start, hours, step=2):
    """Runs at work for some hours; the texts of the digests of these hours by the hour of their run."""
    found = {}
    for hour in range(0, hours, step):
        now = start + hour * HOUR
        heart = heartbeat.load(desk.folder)
        heart.read = heart.tick = now
        heartbeat.store(desk.folder, heart)
        before = set(desk.folder.glob("outbox/*/notice.*"))
        pass_time([desk.folder], now=now)
        for path in sorted(set(desk.folder.glob("outbox/*/notice.*")) - before):
            mail = decode_mail(path.read_bytes())
            found.setdefault(now, []).append(f"{mail.subject}\n{mail.text}")
    return found


def only(found):
    ((now, (text,)),) = found.items()
    return now, text


def midday(desk):
    return desk.due.replace(hour=12) - timedelta(days=3)


def held(desk, ident="4cf3eeef2bda", **more):
    about: dict[str, Any] = {
        "reason": "unknown-sender",
        "sender": "bob@new.example",
        "subject": "my answer",
        "game": "ballot",
    }
    about |= {"seat": desk.asked[0], "coded": True, "at": midday(desk), **more}
    Quarantine(desk.folder / "quarantine").put(QuarantinedEmail(id=ident, **about), b"From: bob\n\nx\n")


# -- when ------------------------------------------------------------------------------------------------------------


def test_an_email_that_may_be_a_players_waits_for_eight_in_the_morning(desk):
    held(desk)
    now, text = only(runs(desk, midday(desk), 40))
    assert (now.hour, now.date() - midday(desk).date()) == (6, timedelta(days=1))  # 8:00 in Berlin
    assert "bob@new.example" in text
    assert "pbem quarantine accept 4cf3eeef2bda --add-address" in text


def test_it_comes_at_once_if_a_question_of_its_game_is_due_soon(desk):
    start = desk.due - 20 * HOUR
    held(desk, at=start)
    assert only(runs(desk, start, 12))[0] == start


def test_the_hour_and_the_zone_are_those_of_the_folder(desk):
    (desk.folder / "pbem.toml").write_text('[moderator]\nzone = "Asia/Tokyo"\nhour = 20\nlanguage = "ja"\n')
    held(desk)
    now, text = only(runs(desk, midday(desk), 40))
    assert now.hour == 12  # 20:00 is 11:00 UTC; runs are every two hours
    assert "隔離" in text


def test_what_ended_before_the_digest_is_not_told(desk):
    held(desk)
    runs(desk, midday(desk), 4)
    heap = Quarantine(desk.folder / "quarantine")
    heap.settle(heap.find("4cf3"), "refused")
    assert runs(desk, midday(desk) + 4 * HOUR, 40) == {}


def test_strangers_and_vacation_notes_are_no_items(desk):
    for number in range(3):
        held(desk, f"00000000000{number}", coded=False, sender=f"s{number}@spam.example")
    held(desk, "000000000009", reason="automatic", sender=load(desk.save).seats[0].addresses[0], coded=False)
    held(desk, "000000000008", reason="automatic", sender="mailer-daemon@mx.example", coded=False)
    assert runs(desk, midday(desk), 40) == {}
    held(desk)
    _, text = only(runs(desk, midday(desk) + 40 * HOUR, 24))
    assert "not listed here: 3." in text
    assert "spam.example" not in text


# -- what ------------------------------------------------------------------------------------------------------------


def test_all_that_is_new_is_one_email_in_sections(desk):
    changed(desk, lambda save: (setattr(save.clock, "absent_after", 2), setattr(save.seats[0], "missed", 2),
                                setattr(save.seats[0], "understudy", "normal")))  # fmt: skip
    held(desk)
    desk.seat = load(desk.save).seats[1]
    Bounces(desk.folder).note(Bounce(at=midday(desk), to=desk.seat.addresses[0], why="550 unknown", name="x"))
    _, text = only(runs(desk, midday(desk), 30))
    heads = ["NEEDS YOU", "QUARANTINE: MAY BE A PLAYER'S", "GOOD TO KNOW"]
    assert [line for line in text.splitlines() if line in heads] == heads
    assert f"A bot plays {load(desk.save).seats[0].id}" in " ".join(text.split())
    assert text.splitlines()[0] == "ballot: 3 things need you"


def test_a_later_digest_says_how_many_are_still_open(desk):
    set_policy(desk, "wait")
    runs(desk, desk.due, 2)
    held(desk, at=desk.due + HOUR)
    _, text = only(runs(desk, desk.due + 2 * HOUR, 30))
    assert "Reported before and still open: 1 " in text
    assert "pbem clock extend" not in text


def test_an_item_comes_again_only_if_it_ended_and_came_back(desk):
    seat = load(desk.save).seats[0]
    bounces = Bounces(desk.folder)
    bounces.note(Bounce(at=midday(desk), to=seat.addresses[0], why="550 no such user", name="x"))
    assert len(runs(desk, midday(desk), 40)) == 1
    bounces.speak_for("heard", [("ballot", seat.id, seat.addresses[0])], midday(desk) + 40 * HOUR)
    assert runs(desk, midday(desk) + 40 * HOUR, 4) == {}
    bounces.note(Bounce(at=midday(desk) + 44 * HOUR, to=seat.addresses[0], why="550 again", name="y"))
    assert len(runs(desk, midday(desk) + 44 * HOUR, 24)) == 1


def test_email_that_is_put_off_is_told_after_twelve_hours_at_eight(desk):
    start, seat = midday(desk), load(desk.save).seats[0]
    name = f"ballot.{seat.id}.0099.abcdef01"
    (desk.folder / "outbox" / "new").mkdir(parents=True, exist_ok=True)
    (desk.folder / "outbox" / "new" / name).write_bytes(b"To: x\n\n")
    tries = {name: {"count": 1, "since": start, "again": start, "why": "451 try later"}}
    atomic_files.store(desk.folder / "outbox" / "tries.json", tries)
    now, text = only(runs(desk, start, 48))
    assert now - start > 12 * HOUR
    assert "451 try later" in text


def test_runs_that_are_always_far_apart_are_told_with_the_setting_to_change(desk):
    changed(desk, lambda save: setattr(save.clock, "hours", {}))
    now = midday(desk)
    heartbeat.store(desk.folder, heartbeat.Heartbeat(now, now, since=now))
    for day in range(1, 12):
        heart = heartbeat.load(desk.folder)
        heart.beat(heartbeat.READ, now + day * 24 * HOUR)
        heartbeat.store(desk.folder, heart)
        pass_time([desk.folder], now=now + day * 24 * HOUR)
    texts = [decode_mail(path.read_bytes()).text for path in desk.folder.glob("outbox/*/notice.*")]
    assert sum("outage=72" in text for text in texts) == 1
    assert len(texts) <= 2


@pytest.mark.parametrize(("begin", "end"), [(0, 8), (8, 14)])
def test_runs_far_apart_are_told_once_and_not_while_the_game_is_paused(desk, begin, end):
    changed(desk, lambda save: setattr(save.clock, "hours", {}))
    start, told = midday(desk), []
    heartbeat.store(desk.folder, heartbeat.Heartbeat(start, start, since=start))
    for day in range(1, 20):
        now = start + day * 24 * HOUR
        if day - 1 in (begin, end):
            pause = Pause("a1", start + begin * 24 * HOUR, None if day - 1 == begin else now, "holidays")
            changed(desk, lambda save, pause=pause: setattr(save.clock, "pauses", [pause]))
        heart = heartbeat.load(desk.folder)
        heart.beat(heartbeat.READ, now)
        heartbeat.store(desk.folder, heart)
        pass_time([desk.folder], now=now)
        texts = [decode_mail(path.read_bytes()).text for path in desk.folder.glob("outbox/*/notice.*")]
        told += [day] * (sum("outage=72" in text for text in texts) - len(told))
    assert len(told) == 1
    assert not begin < told[0] <= end


def test_a_folder_without_a_readable_save_still_has_a_moderator(desk):
    (desk.folder / "pbem.toml").write_text(
        f'[mail]\naddress = "pbem@example.org"\n[moderator]\naddresses = ["{BOSS}"]\n'
    )
    desk.save.write_text("x = [", "utf-8")
    _, text = only(runs(desk, midday(desk), 4))
    assert "A save can't be read" in text


def test_the_moderators_own_address_is_told_by_the_run_and_not_by_email(desk):
    Bounces(desk.folder).note(Bounce(at=midday(desk), to=BOSS, why="550 no such user", name="notice.1"))
    done = [pass_time([desk.folder], now=midday(desk) + hour * HOUR).done.needs for hour in (0, 1, 2)]
    assert [len(lines) for lines in done] == [1, 0, 0]
    assert BOSS in done[0][0]
    assert not list(desk.folder.glob("outbox/*/notice.*"))


def test_a_fault_and_a_stall_in_one_run_are_one_email(desk):
    set_policy(desk, "wait")
    Notices(desk.folder, desk.due).tell(
        Need(
            key="fault",
            words="moderator.fault",
            save=load(desk.save),
            args={"game": "ballot", "error": "boom", "file": "ballot.toml"},
        )
    )
    _, text = only(runs(desk, desk.due, 4))
    assert "boom" in text
    assert "pbem clock extend" in text


# -- once, whatever dies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", range(6))
def test_a_run_that_dies_at_any_write_neither_loses_nor_repeats_an_item(desk, monkeypatch, step):
    set_policy(desk, "wait")
    count = 0

    def dying(real):
        def write(*words, **more):
            nonlocal count
            count += 1
            if count == step + 1:
                raise KeyboardInterrupt
            return real(*words, **more)

        return write

    with monkeypatch.context() as patch:
        patch.setattr(Notices, "_store", dying(Notices._store))
        patch.setattr(Outbox, "put", dying(Outbox.put))
        with contextlib.suppress(KeyboardInterrupt):
            runs(desk, desk.due, 2)
    runs(desk, desk.due + 2 * HOUR, 30)
    texts = [decode_mail(path.read_bytes()).text for path in desk.folder.glob("outbox/*/notice.*")]
    assert sum("pbem clock extend" in text for text in texts) == 1


def test_only_its_owner_may_read_what_was_told(desk):
    set_policy(desk, "wait")
    runs(desk, desk.due, 2)
    assert (desk.folder / "told.json").stat().st_mode & 0o777 == 0o600


# -- what a moderator who plays reads --------------------------------------------------------------------------------


def test_the_digest_is_the_same_whoever_has_answered(desk, tmp_path_factory):
    set_policy(desk, "wait")
    changed(desk, lambda save: setattr(save.post, "plays", desk.asked[0]))
    worlds = []
    for others in (desk.asked[1:2], desk.asked[2:3]):
        folder = tmp_path_factory.mktemp("world") / "games"
        shutil.copytree(desk.folder, folder)
        world = copy.copy(desk)
        world.folder, world.save = folder, folder / desk.save.name
        answer(world, others)
        held(world, seat=desk.asked[3] if len(desk.asked) > 3 else desk.asked[0])
        found = runs(world, desk.due - 4 * HOUR, 48)
        worlds.append(found)
        assert not any(seat in text for some in found.values() for text in some for seat in desk.asked)
    assert worlds[0] == worlds[1]
    assert worlds[0]


# -- players who aren't there, pauses, certificates ------------------------------------------------------------------


def test_a_player_who_has_never_written_is_named_once(desk):
    set_policy(desk, "default")
    silent, *others = desk.asked
    answer(desk, others)
    changed(desk, lambda save: setattr(save, "intake", [entry for entry in save.intake if silent not in entry.seat]))
    steady(desk, desk.due - 4 * HOUR)
    found = runs(desk, desk.due - 4 * HOUR, 36)
    told = [text for some in found.values() for text in some if "never written" in text]
    assert len(told) == 1
    assert [seat for seat in desk.asked if f"{seat} has never written" in told[0]] == [silent]
    assert "pbem seat address ballot.toml" in told[0]


def test_who_has_never_written_is_not_told_again_for_the_next_missed_deadlines(desk):
    seat, found = desk.asked[0], []
    for missed in (1, 2, 3):
        changed(desk, lambda save, missed=missed: setattr(save.seat(seat), "missed", missed))
        changed(desk, lambda save: setattr(save.seat(seat).told, "unheard", True))
        found += runs(desk, midday(desk) + (missed - 1) * 26 * HOUR, 26, step=13).values()
    texts = [text for some in found for text in some]
    assert sum("never written" in text for text in texts) == 1
    assert not [text for text in texts if "missed" in text]


def test_what_a_player_wrote_ends_it_and_who_plays_reads_nothing_of_it(desk, tmp_path_factory):
    change = {"wrote": lambda save: player_returned(Session.open(desk.save, games.load), save.seats[0], desk.due)}
    change["plays"] = lambda save: setattr(save.post, "plays", save.seats[1].id)
    for name, work in change.items():
        world = copy.copy(desk)
        world.folder = tmp_path_factory.mktemp(name) / "games"
        shutil.copytree(desk.folder, world.folder)
        world.save = world.folder / desk.save.name
        changed(world, lambda save: (setattr(save.seats[0], "missed", 1), setattr(save.seats[0].told, "unheard", True)))
        changed(world, work)
        assert runs(world, midday(desk), 30) == {}


def test_a_pause_without_an_end_is_told_once_after_two_weeks(desk):
    start = midday(desk)
    changed(desk, lambda save: save.clock.pauses.append(Pause("a1", start, None, "holidays")))
    found = runs(desk, start, 24 * 20, step=6)
    now, text = only(found)
    assert timedelta(days=14) <= now - start < timedelta(days=15)
    assert "has been paused since" in text
    assert "pbem clock resume ballot.toml" in text


@pytest.mark.parametrize(("days", "count"), [(30, 0), (10, 1), (-1, 1)])
def test_a_certificate_that_ends_soon_is_told_once(desk, days, count):
    end = midday(desk) + timedelta(days=days)
    der = f"\x17\r250101000000Z\x17\r{end:%y%m%d%H%M%S}Z".encode("ascii")
    (desk.folder / "ca.pem").write_text(ssl.DER_cert_to_PEM_cert(der), "ascii")
    settings = FolderSettings(mail=FolderMail(cafile="ca.pem"), folder=str(desk.folder))
    before = folder_settings.set(settings)
    try:
        found = runs(desk, midday(desk), 48)
    finally:
        folder_settings.reset(before)
    assert [("ca.pem" in text, f"{end:%d %b}" in text) for some in found.values() for text in some] == [
        (True, True)
    ] * count
