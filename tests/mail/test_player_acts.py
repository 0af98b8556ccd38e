"""What players do themselves by email: what is taken, what others read of it, and that it tells them nothing."""

from __future__ import annotations

import re
from itertools import count

import pytest

import games
from pbem.clock.policy import quiet_until
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.moderator.clock_actions import change_settings, extend
from pbem.mail.moderator.journal import Actor
from pbem.mail.scheduler.tick import tick_games
from pbem.orders.player_words import player_words
from pbem.save import SeatInfo, load, verify
from pbem.timestamps import moment
from tests.mail.desk_actions import HOUR, pbem
from tests.mail.desks import opened

DAY = 24 * HOUR
_numbers = count(1)


def settings(desk, *words):
    session = opened(desk)
    change_settings(session, Actor("Miriam", "as agreed", desk.now), words)
    session.commit(desk.now)


def seats(desk):
    """The seats asked, those who read English first."""
    save = load(desk.save)
    asked = [pending.seat for pending in save.pending]
    return sorted(asked, key=lambda seat: save.seat(seat).language != "en")


def posted(desk):
    return {path.name: path.read_bytes() for path in (desk.folder / "outbox" / "new").glob("*")}


def write(desk, seat, *lines, sender="", code=""):
    """Let a seat write these lines; return the texts of the emails that this run sent, by address."""
    before = set(posted(desk))
    mail = synthetic_mail.write_email(
        opened(desk), seat, list(lines), desk.now, sender=sender, code=code, number=next(_numbers)
    )
    desk.ingest(desk.box([mail], name=f"{next(_numbers)}.mbox"))
    return sent_since(desk, before)


def sent_since(desk, before):
    texts: dict[str, str] = {}
    for name, raw in posted(desk).items():
        if name not in before:
            mail = decode_mail(raw)
            texts[mail.to[0]] = texts.get(mail.to[0], "") + " ".join(mail.text.split())
    return texts


def tick(desk, hours):
    """Let time pass with a reading of the mail every five hours."""
    before, end = set(posted(desk)), desk.now + hours * HOUR
    while desk.now < end:
        desk.now = min(desk.now + 5 * HOUR, end)
        desk.ingest(desk.box([]))
        tick_games([desk.folder], now=desk.now)
    return sent_since(desk, before)


def own(desk, seat):
    return load(desk.save).seat(seat)


def address(desk, seat):
    return own(desk, seat).addresses[0]


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        ("away 2026-12-24 to 2027-1-2", "不在 2026-12-24 から 2027-01-02"),
        ("away until 2027-01-02", "不在 2027-01-02 まで"),
        ("back", "復帰"),
        ("more time 24", "延長 24 時間"),
        ("address bob@new.example", "アドレス bob@new.example"),
        ("address keep", "アドレス 維持"),
        ("timezone Asia/Tokyo", "タイムゾーン Asia/Tokyo"),
        ("language ja", "言語 日本語"),
        ("quiet 22:00-07:00", "静かに 22-07"),
        ("quiet off", "静かに なし"),
        ("reminders 48, 4", "催促 48 4"),
        ("digest on", "まとめ 毎日"),
        ("bot until 2027-1-2", "代打 2027-01-02 まで"),
        ("take back", "待った"),
        ("end draw", "終局 引き分け"),
        ("end call off", "終局 中止"),
        ("end concede", "投了"),
        ("agree 3", "同意 3"),
        ("refuse 3", "拒否 3"),
        ("skip", "スキップ"),
        ("replace black bot", "交代 black bot"),
    ],
)
def test_words(english, japanese):
    assert player_words(english) == player_words(japanese) is not None


def test_away_and_back(begun):
    seat, *others = seats(begun)
    zone_day = begun.now.date()
    first, last = zone_day + 2 * DAY, zone_day + 4 * DAY
    before = load(begun.save).pending[0].due
    texts = write(begun, seat, f"away {first} to {last}")
    save = load(begun.save)
    assert [(away.seat, away.until - away.since) for away in save.clock.absences] == [(seat, 3 * DAY)]
    assert save.pending[0].due > before
    assert "You are away from" in texts[address(begun, seat)]
    assert "write: back" in texts[address(begun, seat)]
    for other in others:
        assert "NEW DEADLINE" in texts[address(begun, other)] or "新しい回答期限" in texts[address(begun, other)]
        assert "away" not in texts[address(begun, other)].casefold()
    assert [(action.by, action.what, action.told) for action in save.actions] == [(seat, "absent", [seat])]
    assert "You are back" in write(begun, seat, "back")[address(begun, seat)]
    assert load(begun.save).clock.absences == []
    assert "not registered" in write(begun, seat, "back")[address(begun, seat)]


def test_nobody_leaves_a_question_that_they_have_seen_or_for_too_long(begun):
    seat = seats(begun)[0]
    day = begun.now.date()
    for line, why in (
        (f"away {day}", "a day after your email"),
        (f"away {day + 2 * DAY} to {day + 40 * DAY}", "too long"),
        ("away 2026-02-30", "isn't a day"),
    ):
        assert why in write(begun, seat, line)[address(begun, seat)]
    write(begun, seat, f"away {day} to {day + 2 * DAY}")
    away = load(begun.save).clock.absences
    assert [absence.since - begun.now >= DAY for absence in away] == [True]
    write(begun, seat, f"away {day + 10 * DAY} to {day + 27 * DAY}")
    assert len(load(begun.save).clock.absences) == 2
    assert "1 are left" in write(begun, seat, f"away {day + 40 * DAY} to {day + 44 * DAY}")[address(begun, seat)]


def test_more_time_comes_from_the_reserve_then_from_the_others(begun):
    settings(begun, "bank_hours=30")
    seat, *others = seats(begun)
    due = load(begun.save).pending[0].due
    texts = write(begun, seat, "more time 24")
    assert load(begun.save).pending[0].due == due + 24 * HOUR
    assert "6 hours left" in texts[address(begun, seat)]
    texts = write(begun, seat, "more time 10")  # more than is left
    assert load(begun.save).pending[0].due == due + 24 * HOUR
    assert "VOTE 1" in texts[address(begun, others[0])] or "投票1" in texts[address(begun, others[0])]
    for other in others:
        write(begun, other, "agree 1")
    assert load(begun.save).pending[0].due == due + 34 * HOUR
    assert own(begun, seat).bank == 24


def test_a_reserve_is_spent_by_itself_at_the_deadline(begun):
    settings(begun, "bank_hours=24", *(f"time_up.{pace}=default" for pace in ("turn", "ballot", "reaction")))
    one, two, *silent = seats(begun)
    for seat in (one, two):
        write(begun, seat, "timezone Europe/Berlin")  # both are there; the others have never written
    assert "then your reserve: 24 h" in write(begun, one, "send state")[address(begun, one)]
    due = load(begun.save).pending[0].due
    hours = round((due - begun.now) / HOUR)
    texts = tick(begun, hours + 1)
    save = load(begun.save)
    assert save.pending[0].due == due + 12 * HOUR
    assert [own(begun, seat).bank for seat in (one, two, *silent)] == [12, 12, *([0] * len(silent))]
    assert "12 are left" in texts[address(begun, one)]
    assert all("left" not in texts[address(begun, seat)] for seat in silent)
    tick(begun, 24)
    assert load(begun.save).pending[0].q > save.pending[0].q
    assert own(begun, one).bank == 24
    verify(begun.save, games.load)


def test_a_new_address_counts_once_its_code_has_come_back(begun):
    seat, other = seats(begun)[:2]
    old = address(begun, seat)
    texts = write(begun, seat, "address bob@new.example")
    code = re.search(r"address ([0-9a-f]{4}-[0-9a-f]{4})", texts["bob@new.example"])[1]
    assert address(begun, seat) == old
    write(begun, seat, f"address {code}", sender="eve@new.example", code=code)
    assert address(begun, seat) == old
    texts = write(begun, seat, f"address {code}", sender="bob@new.example", code=code)
    assert own(begun, seat).addresses == ["bob@new.example", old]
    assert "address keep" in texts[old]
    assert address(begun, other) not in texts
    assert "Your address stays" in write(begun, seat, "address keep", sender=old)[old]
    assert own(begun, seat).addresses == [old]
    texts = write(begun, seat, "address bob@new.example")
    code = re.search(r"address ([0-9a-f]{4}-[0-9a-f]{4})", texts["bob@new.example"])[1]
    write(begun, seat, "hello", f"address {code}", sender="bob@new.example", code=code)
    tick(begun, 25)
    assert own(begun, seat).addresses == ["bob@new.example"]
    assert own(begun, seat).told.moving is None


def test_a_code_ends_and_addresses_are_not_tried_out(begun):
    seat = seats(begun)[0]
    for number in range(3):
        assert f"b{number}@new.example" in write(begun, seat, f"address b{number}@new.example")
    texts = write(begun, seat, "address b4@new.example")
    assert "b4@new.example" not in texts
    assert "too often" in texts[address(begun, seat)]
    begun.now += 8 * DAY
    tick(begun, 1)
    assert own(begun, seat).told.moving is None


def test_the_profile(begun):
    seat, other = seats(begun)[:2]
    texts = write(begun, seat, "timezone Asia/Tokyo", "quiet 22-7", "reminders 4 48", "digest 8")
    info = own(begun, seat)
    assert (info.zone, info.quiet, info.reminders, info.letters) == ("Asia/Tokyo", "22-07", "48 4", "digest 8")
    assert list(texts) == [address(begun, seat)]
    for line in (
        "timezone Mars/Base",
        "quiet 8-23",
        "quiet 25-3",
        "reminders 0",
        "language fr",
        "address bob@",
        "digest 24",
    ):
        assert "Rejected" in write(begun, seat, line)[address(begun, seat)], line
    assert own(begun, seat).zone == "Asia/Tokyo"
    assert own(begun, seat).letters == "digest 8"
    assert "To end that, write: digest off." in write(begun, seat, "digest on")[address(begun, seat)]
    assert "To get it once a day, write: digest 7." in write(begun, seat, "digest off")[address(begun, seat)]
    write(begun, seat, "まとめ なし")
    assert own(begun, seat).letters == ""
    assert "これからのメールは日本語です" in write(begun, seat, "language ja")[address(begun, seat)]
    write(begun, seat, "静かに なし", "催促 なし")
    assert (own(begun, seat).quiet, own(begun, seat).reminders) == ("", "off")
    assert own(begun, other).reminders == ""


def test_a_bot_plays_until_a_day_or_until_its_player_writes(begun):
    seat, other = seats(begun)[:2]
    day = begun.now + 3 * DAY
    for again in (False, True):
        texts = write(begun, seat, f"bot until {day:%Y-%m-%d}")
        assert "A bot plays your seat until" in texts[address(begun, seat)]
        assert "A bot plays" in texts[address(begun, other)]
        assert own(begun, seat).understudy == "normal"
        assert all(row.seat != seat for row in opened(begun).referee.pending() if not row.answered)
        if again:
            texts = write(begun, seat, "timezone Europe/Berlin")
        else:
            texts = tick(begun, 4 * 24)
            day = begun.now + 3 * DAY
        assert "is played by its player again" in texts[address(begun, other)]
        assert (own(begun, seat).understudy, own(begun, seat).bot_until) == ("", None)
    assert "Rejected" in write(begun, seat, "bot until 2020-01-01")[address(begun, seat)]
    verify(begun.save, games.load)


def test_receipts_are_in_the_language_of_their_reader(begun):
    for line in ("アドレス bob@", "タイムゾーン Mars/Base", "交代 green bot"):
        text = re.split("質問|オランダ", write(begun, "green", line)[address(begun, "green")])[0]
        assert not re.search(r"isn't|Write|seat", text), text
        assert "という席はありません" not in text
    assert "48, 4時間前" in write(begun, "green", "催促 48 4")[address(begun, "green")]


def test_quiet_hours():
    seat = SeatInfo("black", zone="Asia/Tokyo", quiet="22-07")
    assert quiet_until(seat, moment("2026-03-02T13:30:00Z")) == moment("2026-03-02T22:00:00Z")
    assert quiet_until(seat, moment("2026-03-02T21:59:00Z")) == moment("2026-03-02T22:00:00Z")
    assert quiet_until(seat, moment("2026-03-02T22:00:00Z")) is None
    assert quiet_until(seat, moment("2026-03-02T12:59:00Z")) is None


def test_news_waits_for_the_end_of_quiet_hours(begun):
    settings(begun, "bank_hours=48")
    seat, other = seats(begun)[:2]
    now = begun.now.hour
    write(begun, seat, "timezone UTC", f"quiet {now}-{(now + 3) % 24}")
    texts = write(begun, other, "more time 3")
    assert address(begun, other) in texts
    assert address(begun, seat) not in texts
    assert address(begun, seat) in tick(begun, 4)


def test_the_moderator_decides_what_players_may(begun):
    settings(begun, "moderator=mira@example.org", "players_may.end=moderator", "players_may.away=no")
    seat = seats(begun)[0]
    texts = write(begun, seat, "end draw")
    assert "they have been told" in texts[address(begun, seat)]
    assert load(begun.save).votes == []
    assert "end draw" in texts["mira@example.org"]
    assert "mira@example.org" not in tick(begun, 24)  # once
    for line in ("skip", "replace nobody bot", f"replace {seat} bot"):  # nobody is asked for what can't be
        texts = write(begun, seat, line)
        assert "Rejected" in texts[address(begun, seat)]
        assert "mira@example.org" not in texts
    assert "does not allow" in write(begun, seat, "away 2030-01-01")[address(begun, seat)]
    for words in ("players_may.end=own", "players_may.away=consent", "players_may.noise=own", "players_may=own"):
        with pytest.raises(ValueError, match=r"write|isn't"):
            settings(begun, words)


def test_the_moderator_grants_what_is_asked(begun):
    """All that a player asks reaches the moderator, and can be done as it stands in the digest."""
    parts = ("end", "time", "profile", "take_back", "bot")
    settings(begun, "moderator=mira@example.org", "bank_hours=48", *(f"players_may.{part}=moderator" for part in parts))
    seat, *others = seats(begun)
    day = f"{begun.now + 3 * DAY:%Y-%m-%d}"
    lines = ("end draw", "more time 24", "timezone Asia/Tokyo", f"bot {day}")
    texts = write(begun, seat, *lines[:2]), write(begun, seat, lines[2], f"bot until {day}")
    told = texts[0]["mira@example.org"] + texts[1]["mira@example.org"]
    before, due = set(posted(begun)), load(begun.save).pending[0].due
    for line in lines:
        assert told.count(f"pbem seat grant ballot.toml '{line}'") == 1
        pbem(begun, "seat", "grant", str(begun.save), line)
        assert pbem(begun, "seat", "grant", str(begun.save), line, ok=False).exit_code != 0  # nobody waits for it
    save = load(begun.save)
    assert (own(begun, seat).zone, own(begun, seat).understudy) == ("Asia/Tokyo", "normal")
    assert save.pending[0].due == due + 24 * HOUR
    assert [(vote.act, vote.seat) for vote in save.votes] == [("end", seat)]
    texts = sent_since(begun, before)
    assert "You asked for it: The others are asked" in texts[address(begun, seat)]
    assert "VOTE 1" in texts[address(begun, others[0])] or "投票1" in texts[address(begun, others[0])]
    assert "mira@example.org" not in tick(begun, 24)


def test_more_time_after_the_deadline_counts_from_now(begun):
    settings(begun, "bank_hours=48", "time_up.ballot=wait", "outage=8784")
    seat, *others = seats(begun)
    begun.now = load(begun.save).pending[0].due + 72 * HOUR
    tick(begun, 1)
    assert "24 hours left" in write(begun, seat, "more time 24")[address(begun, seat)]
    assert load(begun.save).pending[0].due == begun.now + 24 * HOUR
    begun.now += 100 * HOUR
    write(begun, seat, "more time 40")
    for other in others:
        write(begun, other, "agree 1")
    assert load(begun.save).pending[0].due == begun.now + 40 * HOUR
    begun.now += 100 * HOUR
    session = opened(begun)
    extend(session, Actor("Miriam", "a stall", begun.now), 12)
    assert session.save.pending[0].due == begun.now + 12 * HOUR


def test_the_moderator_sets_another_address_of_the_same_player(begun):
    seat, other = seats(begun)[:2]
    old, before = address(begun, seat), set(posted(begun))
    pbem(begun, "seat", "address", str(begun.save), seat, "bob@new.example", "--reason", "it bounces")
    texts = sent_since(begun, before)
    assert own(begun, seat).addresses == ["bob@new.example"]
    assert own(begun, seat).tenure == load(begun.save).seat(other).tenure
    assert old not in texts
    assert "== ballot" in texts["bob@new.example"]  # the open question, again
    assert "another address of the same player" in texts[address(begun, other)]
    assert "bob@" not in texts[address(begun, other)]
    same = pbem(begun, "seat", "address", str(begun.save), seat, "bob@new.example", "--reason", "once more", ok=False)
    assert "already" in same.output


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("more time 24", 0), ("more time 24", 1)),
        pytest.param(("timezone Asia/Tokyo", 0), ("", 0), marks=pytest.mark.slow),
        (("address bob@new.example", 0), ("", 0)),
        (("refuse 1", 0), ("refuse 1", 1)),
        pytest.param(("agree 1", 0), ("", 0), marks=pytest.mark.slow),
        pytest.param(("away 2030-01-01", 0), ("", 0), marks=pytest.mark.slow),
    ],
)
def test_others_get_the_same_bytes(make_desk, one, other):
    """Two worlds that differ in who asks, or whether anybody does: a third seat can't tell them apart."""
    found = []
    for line, at in (one, other):
        desk = make_desk()
        desk.ingest(desk.box([]))
        settings(desk, "bank_hours=48")
        first, second, third, proposer = seats(desk)
        tick(desk, 1)
        if line.endswith(" 1") or other[0].endswith(" 1"):
            write(desk, proposer, "end draw")
        before = set(posted(desk))
        if line:
            write(desk, (first, second)[at], line)
        tick(desk, 1)
        save = load(desk.save)
        code = [raw for name, raw in sorted(posted(desk).items()) if name not in before and f".{third}." in name]
        found.append((code, [pending.due for pending in save.pending if pending.seat == third]))
    assert found[0] == found[1]
