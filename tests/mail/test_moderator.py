"""The moderator's desk and actions: told, journaled, and no more shown than he may see."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.kernel.rejections import Rejection
from pbem.mail.bundle import bundle
from pbem.mail.moderator.dashboard import overview as look
from pbem.mail.moderator.game_actions import apply_correction
from pbem.mail.moderator.journal import Actor
from pbem.mail.scheduler.tick import tick_games
from pbem.save import Session, load
from pbem.timestamps import stamp
from tests.mail.desk_actions import HOUR, action, letters, pbem
from tests.mail.desks import opened


def test_extend_is_told_and_journaled(begun):
    action(begun, "clock", "extend", str(begun.save), "--hours", "24")
    save = load(begun.save)
    assert {question.due for question in save.pending} == {begun.due + 24 * HOUR}
    assert (save.actions[0].what, save.actions[0].by, save.actions[0].reason) == ("extend", "Miriam", "a good one")
    assert all("Miriam" in letter.text and "a good one" in letter.text for letter in letters(begun).values())


def test_a_pause_stops_reminders_and_deadlines_and_puts_them_off(begun):
    action(begun, "config", "set", str(begun.save), "time_up.ballot=default")
    action(begun, "clock", "pause", str(begun.save))
    late = begun.due + 5 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(late, late))
    done = tick_games([begun.folder], now=late).done
    assert (done.reminders, done.time_up) == (0, [])
    assert action(begun, "clock", "pause", str(begun.save), ok=False).exit_code == 1
    paused_at, begun.clock = begun.now, stamp(late)
    action(begun, "clock", "resume", str(begun.save))
    assert {question.due for question in load(begun.save).pending} == {begun.due + (late - paused_at)}


@pytest.mark.parametrize("steps", ["active=Black", "turn=-1", "turn=99", "phase=zz", "first=", "none", ""])
def test_a_correction_to_what_no_game_can_have_is_refused(begun, steps):
    before = begun.everything()
    result = action(begun, "repair", "correct", str(begun.save), steps, ok=False)
    assert result.exit_code == 1, result.output
    assert begun.everything() == before


@pytest.mark.parametrize("steps", ["active=green; first=nobody; countries={}", "players={}"])
def test_a_correction_with_which_play_cannot_go_on_is_refused(begun, steps):
    """Whatever the invariants overlook: the rules are run on a copy."""
    lax = msgspec.structs.replace(games.load("sixteen_thirty"), invariants=lambda table: [])
    session = Session.open(begun.save, lax)
    before = session.referee.n, session.referee.table.state.turn
    with pytest.raises(Rejection, match="play can't go on with it"):
        apply_correction(session, Actor("M", "why", begun.now), steps)
    assert (session.referee.n, session.referee.table.state.turn) == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["mail", "broadcast", "SAVE", ""], "the text is missing"),
        (["mail", "broadcast", "SAVE", " \n "], "the text is missing"),
        (["mail", "broadcast", "SAVE", "\x1b[2J you lose"], "the text has control characters"),
        (["clock", "pause", "SAVE", "--reason", ""], "the reason is missing"),
        (["clock", "pause", "SAVE", "--reason", " "], "the reason is missing"),
        (["clock", "extend", "SAVE", "--hours", "2", "--reason", "a\nb"], "the reason has more than one line"),
        (["clock", "pause", "SAVE", "--reason", "\u202ewhy"], "the reason has control characters"),
        (["clock", "pause", "SAVE", "--reason", "why", "--as", "M\x07"], "your name has control characters"),
        (
            ["seat", "replace", "SAVE", "amber", "n@example.org", "--yes", "--name", "N\x1b", "--reason", "w"],
            "the name has",
        ),
        (["repair", "correct", "SAVE", "turn=2", "--reason", ""], "the reason is missing"),
        (["repair", "rewind", "SAVE", "3", "--reason", " "], "the reason is missing"),
        (["config", "set", "SAVE", "trusted=a\x07", "--reason", "w"], "one word"),
    ],
)
def test_words_that_no_letter_can_tell_are_refused(begun, words, why):
    before = begun.everything()
    result = pbem(begun, *(str(begun.save) if word == "SAVE" else word for word in words), ok=False)
    assert result.exit_code in (1, 2), result.output
    assert why in result.output
    assert begun.everything() == before


def test_a_word_to_all_and_the_end_of_a_pause_need_no_reason(begun):
    pbem(begun, "mail", "broadcast", str(begun.save), "A happy new year!")
    assert all("A happy new year!" in letter.text for letter in letters(begun).values())
    action(begun, "clock", "pause", str(begun.save))
    pbem(begun, "clock", "resume", str(begun.save))
    assert load(begun.save).clock.pauses[-1].until


def test_broadcast_and_reveal_are_told_to_all(begun):
    action(begun, "mail", "broadcast", str(begun.save), "Merry Christmas!")
    assert all("| Merry Christmas!" in letter.text for letter in letters(begun).values())
    action(begun, "repair", "reveal", str(begun.save))
    assert all("has looked" in letter.text or "見ました" in letter.text for letter in letters(begun).values())
    assert [done.what for done in load(begun.save).actions] == ["broadcast", "reveal"]


def test_fiat_and_rewind_are_journaled(begun):
    action(begun, "repair", "correct", str(begun.save), "turn=3")
    n = load(begun.save).header.n
    action(begun, "repair", "rewind", str(begun.save), str(n - 1))
    save = load(begun.save)
    assert [done.what for done in save.actions] == ["fiat", "rewind"]
    assert save.actions[1].args["n"] == n - 1


def test_a_correction_of_something_hidden_is_told_to_nobody_who_may_not_see_it(begun):
    """Two games that differ in the cards that a correction gives to Amber are the same to the others."""
    session = opened(begun)
    hands = {seat: list(player.hand) for seat, player in session.referee.table.state.players.items()}
    mine, given = hands["amber"], hands["black"]
    swapped = (
        f"players.amber.hand=[{', '.join([given[0], *mine[1:]])}]",
        f"players.black.hand=[{', '.join([mine[0], *given[1:]])}]",
    )
    action(begun, "repair", "correct", str(begun.save), *swapped)
    after = opened(begun)
    assert after.referee.table.state.players["amber"].hand[0] == given[0]
    told = letters(begun)
    assert len(told) == 4
    for seat in ("green", "ivory"):
        text = told[seat].text
        assert "a good one" in text
        assert "players." not in text
        assert given[0] not in text
    for reader in ("green", ""):
        (one,) = bundle(after, reader, begun.now).actions
        assert one["what"] == "fiat"
        assert "steps" not in one["args"]
    assert "players.amber.hand" in load(begun.save).actions[0].args["steps"]


def test_the_desk_shows_who_owes_what(begun):
    session = opened(begun)
    seat = session.referee.asked()[0]
    mail = synthetic_mail.write_email(session, seat, synthetic_mail.answers(session, Random(1))[seat], begun.now)
    begun.ingest(begun.box([mail]))
    found = look([begun.folder], now=begun.now + 5 * HOUR).games[0]
    assert {player.seat: player.answered for player in found.waiting} == {s: s == seat for s in session.referee.asked()}
    assert found.days_per_turn > 0
    assert "owes" in pbem(begun, "dashboard", str(begun.folder)).output


def test_a_moderator_who_plays_sees_his_own_seat_only(begun):
    session = opened(begun)
    mine, other, *_ = session.referee.asked()
    action(begun, "config", "set", str(begun.save), f"plays={mine}")
    mail = synthetic_mail.write_email(session, other, synthetic_mail.answers(session, Random(1))[other], begun.now)
    path = begun.box([mail])
    output = pbem(begun, "ingest", "--saves", str(begun.folder), str(path)).output
    assert other not in output
    output = pbem(begun, "dashboard", str(begun.folder)).output
    assert "owes" not in output.replace(f"{mine}: ballot", "") or output.count("owes") == 1
    assert "done" not in output
    report = ["view", str(begun.save), "--seat"]
    assert CliRunner().invoke(main, [*report, mine]).exit_code == 0
    assert CliRunner().invoke(main, [*report, other]).exit_code == 1
    assert CliRunner().invoke(main, [*report, "moderator"]).exit_code == 1
    assert CliRunner().invoke(main, ["questions", str(begun.save), "--unanswered"]).exit_code == 1
    assert pbem(begun, "remind", str(begun.folder), ok=False).exit_code == 1


@pytest.mark.parametrize(
    "setting",
    [
        "time_up.turn=perhaps",
        "grace=soon",
        "plays=nobody",
        "nothing=1",
        "time_up=wait",
        "days=monday",
        "days=",
        "quiet=Christmas",
        "grid=24",
        "zone=Nowhere",
        "least=-1",
        "hours.turn=-1",
        "outage=0",
        "remind=24,-2",
        "release=-2",
        "language=de",
        "moderator=nobody",
    ],
)
def test_settings_that_are_none(begun, setting):
    before = begun.save.read_bytes()
    assert action(begun, "config", "set", str(begun.save), setting, ok=False).exit_code in (1, 2)
    assert begun.save.read_bytes() == before


def test_a_moderator_who_gives_no_name_is_not_named_twice(begun):
    pbem(begun, "clock", "extend", str(begun.save), "--hours", "24", "--reason", "holidays")
    for letter in letters(begun).values():
        assert "THE MODERATOR HAS ACTED" in letter.text or "審判からの措置" in letter.text
        assert "(moderator)" not in letter.text
        assert "holidays" in letter.text


def test_a_pace_without_hours_has_no_deadline_any_more(begun):
    before = load(begun.save).pending[0]
    assert before.due
    action(begun, "config", "set", str(begun.save), f"hours.{before.pace}=0")
    after = load(begun.save)
    assert {question.due for question in after.pending} == {None}
    for seat, letter in letters(begun).items():
        lifted = (f"Question {before.q} has NO DEADLINE", f"質問{before.q}の回答期限はなくなりました")
        assert any(words in letter.text for words in lifted), seat
    much_later = begun.now + 365 * 24 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(much_later, much_later))
    done = tick_games([begun.folder], now=much_later).done
    assert (done.reminders, done.time_up) == (0, [])
    action(begun, "config", "set", str(begun.save), f"hours.{before.pace}=48")
    assert all(question.due for question in load(begun.save).pending)


@pytest.mark.parametrize(
    "words",
    [
        ["config", "set", "SAVE", "grace=24", "time_up.ballot=default"],
        ["seat", "replace", "SAVE", "amber", "amber@new.example", "--yes", "--name", "Ann"],
        ["seat", "cc", "add", "SAVE", "amber", "eve@example.org"],
        ["seat", "delegate", "SAVE", "amber", "eve@example.org", "--until", "2026-08-01T12:00:00Z"],
        ["repair", "correct", "SAVE", "turn=3"],
    ],
    ids=lambda words: " ".join(words[:1] + words[3:5]),
)
def test_an_act_that_changes_nothing_says_so_and_does_nothing(begun, words):
    line = [str(begun.save) if word == "SAVE" else word for word in words]
    action(begun, *line)
    before = begun.everything()
    assert "nothing is changed" in action(begun, *line).output
    assert begun.everything() == before


def test_a_rewind_to_the_present_changes_nothing(begun):
    before = begun.everything()
    n = load(begun.save).header.n
    assert "nothing is changed" in action(begun, "repair", "rewind", str(begun.save), str(n)).output
    assert begun.everything() == before


def test_a_moderator_who_plays_stops_the_clock_for_a_week_at_most(begun):
    action(begun, "config", "set", str(begun.save), "plays=amber")
    action(begun, "clock", "pause", str(begun.save))
    (pause,) = load(begun.save).clock.pauses
    assert pause.until == pause.since + timedelta(days=7)
    begun.clock = stamp(pause.until + timedelta(days=1))
    assert "wait a week" in action(begun, "clock", "pause", str(begun.save), ok=False).output
    begun.clock = stamp(pause.until + timedelta(days=7))
    action(begun, "clock", "pause", str(begun.save))


@pytest.mark.parametrize(
    "words",
    [
        ["seat", "replace", "SAVE", "amber", "PBEM@games.example", "--yes"],
        ["seat", "cc", "add", "SAVE", "amber", "pbem@games.example"],
        ["config", "set", "SAVE", "moderator=pbem@GAMES.example"],
        ["seat", "replace", "SAVE", "amber", "änna@example.org", "--yes"],
        ["seat", "replace", "SAVE", "amber", "anna@straße.example", "--yes"],
    ],
)
def test_an_address_that_cannot_be_written_to_is_refused(begun, words):
    before = begun.everything()
    line = [str(begun.save) if word == "SAVE" else word for word in words]
    assert action(begun, *line, ok=False).exit_code in (1, 2)
    assert begun.everything() == before
