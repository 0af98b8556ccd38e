"""The moderator's desk and actions: told, journaled, and no more shown than he may see."""

from __future__ import annotations

import re
from datetime import timedelta
from email import message_from_bytes, policy
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.cli.exits import Exit
from pbem.clock import heartbeat
from pbem.clock.policy import moment
from pbem.kernel.problems import Refused
from pbem.post.bundle import bundle
from pbem.post.clockwork.passing import pass_time
from pbem.post.inbox.mime import decode_mail
from pbem.post.moderator.journal import Author
from pbem.post.moderator.on_game import correct
from pbem.post.moderator.overview import overview as look
from pbem.post.save_index import SaveIndex, code_of
from pbem.post.transport.bounces import returned
from pbem.save import Session, load
from pbem.trial import synthetic_mail
from tests.post.desks import opened

HOUR = timedelta(hours=1)


@pytest.fixture
def begun(desk):
    """A game whose first letters are out."""
    desk.ingest(desk.box([]))
    desk.due = moment(load(desk.save).pending[0].due)
    desk.clock = heartbeat.stamp(desk.now)
    return desk


def pbem(desk, *words, ok=True):
    now = [] if words[0] == "preview" else ["--now", desk.clock]
    result = CliRunner().invoke(main, [*words, *now])
    if ok:
        assert result.exit_code == 0, result.output
    return result


def action(desk, *words, **more):
    return pbem(desk, *words, "--reason", "a good one", "--by", "Miriam", **more)


def letters(desk):
    """The last letter of each seat."""
    found = {}
    for path in sorted((desk.folder / "outbox" / "new").glob("ballot.*")):
        found[path.name.split(".")[1]] = decode_mail(path.read_bytes())
    return found


def committed(desk):
    return load(desk.save).dice.commitment


def test_extend_is_told_and_journaled(begun):
    action(begun, "extend", str(begun.save), "--hours", "24")
    save = load(begun.save)
    assert {moment(question.due) for question in save.pending} == {begun.due + 24 * HOUR}
    assert (save.actions[0].what, save.actions[0].by, save.actions[0].reason) == (
        "extend",
        "Miriam",
        "a good one",
    )
    assert all("Miriam" in letter.text and "a good one" in letter.text for letter in letters(begun).values())


def test_a_pause_stops_reminders_and_deadlines_and_puts_them_off(begun):
    action(begun, "set", str(begun.save), "time_up.ballot=default")
    action(begun, "pause", str(begun.save))
    late = begun.due + 5 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(heartbeat.stamp(late), heartbeat.stamp(late)))
    done = pass_time([begun.folder], now=late).done
    assert (done.reminders, done.time_up) == (0, [])
    assert action(begun, "pause", str(begun.save), ok=False).exit_code == 1
    paused_at, begun.clock = begun.now, heartbeat.stamp(late)
    action(begun, "unpause", str(begun.save))
    assert {moment(question.due) for question in load(begun.save).pending} == {begun.due + (late - paused_at)}


def test_an_absence_moves_the_deadline_and_only_the_seat_hears_why(begun):
    seat = opened(begun).referee.asked()[0]
    since, until = (begun.now + 1 * 24 * HOUR).date(), (begun.now + 4 * 24 * HOUR).date()
    words = ["--seat", seat, "--from", str(since), "--to", str(until)]
    pbem(begun, "absent", str(begun.save), *words, "--reason", "a wedding", "--by", "Miriam")
    save = load(begun.save)
    due = moment(save.pending[0].due)
    assert {moment(question.due) for question in save.pending} == {due}
    assert due == begun.due + 4 * 24 * HOUR
    assert [(action.what, action.told, action.reason) for action in save.actions] == [
        ("absent", [seat], "a wedding")
    ]
    for reader, letter in letters(begun).items():
        assert ("a wedding" in letter.text) == (reader == seat)
        assert "NEW DEADLINE" in letter.text or "新しい期限" in letter.text
        assert (str(since) in letter.text and "absent" in letter.text) <= (reader == seat)
    assert pbem(begun, "absent", str(begun.save), *words, ok=False).exit_code == 1
    pbem(begun, "absent", str(begun.save), "--seat", seat, "--cancel")
    save = load(begun.save)
    assert save.clock.absences == []
    assert {moment(question.due) for question in save.pending} == {due}  # announced: never earlier
    assert pbem(begun, "absent", str(begun.save), "--seat", seat, "--cancel", ok=False).exit_code == 1


@pytest.mark.parametrize(
    ("days", "status"),
    [
        (("2030-02-02", "2030-02-01"), Exit.USAGE),
        (("soon", "later"), Exit.USAGE),
        (("2001-01-01", "2001-01-02"), Exit.REFUSED),
    ],
)
def test_absences_that_are_none(begun, days, status):
    before = begun.save.read_bytes()
    seat = opened(begun).referee.asked()[0]
    words = ["--seat", seat, "--from", days[0], "--to", days[1]]
    assert pbem(begun, "absent", str(begun.save), *words, ok=False).exit_code == status
    assert begun.save.read_bytes() == before


def test_a_new_player_is_briefed_and_the_old_one_is_out(begun):
    seat = opened(begun).referee.asked()[0]
    lines = synthetic_mail.answers(opened(begun), Random(1))[seat]
    late = synthetic_mail.letter(opened(begun), seat, lines, begun.now)
    old = code_of(load(begun.save), seat)
    action(begun, "substitute", str(begun.save), seat, "new@example.org", "--name", "Nora")
    fresh = code_of(load(begun.save), seat)
    assert fresh != old
    briefing = letters(begun)[seat]
    assert briefing.to == ("new@example.org",)
    assert fresh in briefing.text
    assert old not in briefing.text
    assert "WELCOME" in briefing.text or "ようこそ" in briefing.text
    # What everybody's first letter tells of the game.
    assert committed(begun) in "".join(briefing.text.split())
    report = begun.ingest(begun.box([late], "late.mbox"))
    assert [letter.fate for letter in report.letters] == ["quarantined"]
    mine = synthetic_mail.letter(
        opened(begun), seat, lines, begun.now, code=old, sender="new@example.org", number=2
    )
    assert [letter.fate for letter in begun.ingest(begun.box([mine], "m.mbox")).letters] == ["quarantined"]
    mine = synthetic_mail.letter(opened(begun), seat, lines, begun.now, number=3)
    assert [letter.fate for letter in begun.ingest(begun.box([mine], "n.mbox")).letters] == ["taken"]


def test_who_leaves_is_told_and_his_calendar_is_cleared(begun):
    session = opened(begun)
    seat = session.referee.asked()[0]
    before = session.save.seat(seat)
    action(begun, "substitute", str(begun.save), seat, "new@example.org", "--name", "Nora")
    (path,) = (begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*farewell*")
    whole = message_from_bytes(path.read_bytes(), policy=policy.default)
    assert whole["To"] == before.addresses[0]
    (entry,) = [part for part in whole.walk() if part.get_content_type() == "text/calendar"]
    assert entry.get_param("method") == "CANCEL"
    assert before.told.entry.uid in entry.get_content().replace("\r\n ", "").replace("\n ", "")
    assert "new@example.org" not in path.read_text("utf-8")
    # If it bounces, his successor's letters have arrived all the same.
    assert returned(path.read_bytes(), SaveIndex([begun.folder])) is None
    assert not [letter for letter in load(begun.save).outbox if letter.kind != "draft"]


def test_a_delegate_plays_until_his_time_is_over(begun):
    session = opened(begun)
    seat = session.referee.asked()[0]
    lines = synthetic_mail.answers(session, Random(1))[seat]
    until = heartbeat.stamp(begun.now + 10 * HOUR)
    action(begun, "substitute", str(begun.save), seat, "del@example.org", "--until", until)
    mail = synthetic_mail.letter(opened(begun), seat, lines, begun.now, sender="del@example.org")
    assert [letter.fate for letter in begun.ingest(begun.box([mail], "d.mbox")).letters] == ["taken"]
    now = begun.now + 11 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(heartbeat.stamp(now), heartbeat.stamp(now)))
    pass_time([begun.folder], now=now)
    assert load(begun.save).seat(seat).delegates == []
    (path,) = (begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*farewell*")
    assert message_from_bytes(path.read_bytes(), policy=policy.default)["To"] == "del@example.org"
    assert calendar_of(path) is None  # he has answered: his copy of the receipt has cleared it
    mail = synthetic_mail.letter(opened(begun), seat, lines, now, sender="del@example.org", number=2)
    assert [letter.fate for letter in begun.ingest(begun.box([mail], "e.mbox")).letters] == ["quarantined"]


def calendar_of(path):
    """Method, UID and SEQUENCE of the entry that a letter carries."""
    whole = message_from_bytes(path.read_bytes(), policy=policy.default)
    for part in whole.walk():
        if part.get_content_type() == "text/calendar":
            text = re.sub(r"\r?\n ", "", part.get_content())
            found = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
            return part.get_param("method"), found["UID"], int(found["SEQUENCE"])
    return None


def test_seat_and_delegate_read_that_both_of_them_play_it(begun):
    seat = opened(begun).referee.asked()[0]
    until = heartbeat.stamp(begun.now + HOUR)
    action(begun, "substitute", str(begun.save), seat, "del@example.org", "--until", until)
    told = {key: letter.text for key, letter in letters(begun).items()}
    words = re.compile("Both of you|手紙は両方に届き")
    assert [key for key, text in told.items() if words.search(text)] == [seat]
    (copy,) = (begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*-c1.*")
    assert words.search(decode_mail(copy.read_bytes()).text)
    assert not any("del@example.org" in text for text in told.values())


@pytest.mark.parametrize("words", [("--watch", "--name", "Nora"), ("--until", "2027-01-01", "--zone", "UTC")])
def test_what_only_a_new_player_has_is_not_dropped_silently(begun, words):
    result = action(begun, "substitute", str(begun.save), "amber", "new@example.org", *words, ok=False)
    assert result.exit_code == 2
    assert "for good" in result.output


def test_a_new_player_brings_his_zone_and_language(begun):
    new = ("substitute", str(begun.save), "amber", "new@example.org", "--name", "Nora")
    action(begun, *new, "--zone", "Asia/Tokyo", "--language", "ja")
    seat = load(begun.save).seat("amber")
    assert (seat.name, seat.zone, seat.language) == ("Nora", "Asia/Tokyo", "ja")
    assert "ようこそ" in letters(begun)["amber"].text
    assert action(begun, *new, "--zone", "Tokio", ok=False).exit_code == Exit.USAGE
    action(begun, *new)
    assert (load(begun.save).seat("amber").zone, load(begun.save).seat("amber").language) == (
        "Asia/Tokyo",
        "ja",
    )


def test_a_briefing_speaks_of_a_secret_only_where_there_is_one(begun):
    action(begun, "substitute", str(begun.save), "amber", "new@example.org")
    assert "WELCOME" in letters(begun)["amber"].text
    told = letters(begun)["amber"].text
    assert "secret" not in told.partition("WELCOME")[2].partition("\n\n")[0]


@pytest.mark.parametrize("steps", ["active=Black", "turn=-1", "turn=99", "phase=zz", "first=", "none", ""])
def test_a_correction_to_what_no_game_can_have_is_refused(begun, steps):
    before = begun.everything()
    result = action(begun, "fiat", str(begun.save), steps, ok=False)
    assert result.exit_code == 1, result.output
    assert begun.everything() == before


@pytest.mark.parametrize("steps", ["active=green; first=nobody; countries={}", "players={}"])
def test_a_correction_with_which_play_cannot_go_on_is_refused(begun, steps):
    """Whatever the invariants overlook: the rules are run on a copy."""
    lax = msgspec.structs.replace(games.load("sixteen_thirty"), invariants=lambda table: [])
    session = Session.open(begun.save, lax)
    before = session.referee.n, session.referee.table.state.turn
    with pytest.raises(Refused, match="play cannot go on with it"):
        correct(session, Author("M", "why", begun.now), steps)
    assert (session.referee.n, session.referee.table.state.turn) == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["broadcast", "SAVE", ""], "no text to be told"),
        (["broadcast", "SAVE", " \n "], "no text to be told"),
        (["broadcast", "SAVE", "\x1b[2J you lose"], "the text holds control characters"),
        (["pause", "SAVE", "--reason", ""], "say why"),
        (["pause", "SAVE", "--reason", " "], "say why"),
        (["extend", "SAVE", "--hours", "2", "--reason", "a\nb"], "the reason must be one line"),
        (["pause", "SAVE", "--reason", "\u202ewhy"], "the reason holds control characters"),
        (["pause", "SAVE", "--reason", "why", "--by", "M\x07"], "your name holds control characters"),
        (
            ["substitute", "SAVE", "amber", "n@example.org", "--name", "N\x1b", "--reason", "w"],
            "the name holds",
        ),
        (["fiat", "SAVE", "turn=2", "--reason", ""], "say why"),
        (["rewind", "SAVE", "3", "--reason", " "], "say why"),
        (["set", "SAVE", "trusted=a\x07", "--reason", "w"], "one word"),
    ],
)
def test_words_that_no_letter_can_tell_are_refused(begun, words, why):
    before = begun.everything()
    result = pbem(begun, *(str(begun.save) if word == "SAVE" else word for word in words), ok=False)
    assert result.exit_code in (1, 2), result.output
    assert why in result.output
    assert begun.everything() == before


def test_a_word_to_all_and_the_end_of_a_pause_need_no_reason(begun):
    pbem(begun, "broadcast", str(begun.save), "A happy new year!")
    assert all("A happy new year!" in letter.text for letter in letters(begun).values())
    action(begun, "pause", str(begun.save))
    pbem(begun, "unpause", str(begun.save))
    assert load(begun.save).clock.pauses[-1].until


def test_a_delegate_whose_time_is_over_has_his_calendar_cleared(begun):
    seat = opened(begun).referee.asked()[0]
    until = heartbeat.stamp(begun.now + HOUR)
    action(begun, "substitute", str(begun.save), seat, "del@example.org", "--until", until)
    (copy,) = (begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*-c1.*")
    method, uid, number = calendar_of(copy)
    assert method == "PUBLISH"
    now = begun.now + 2 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(heartbeat.stamp(now), heartbeat.stamp(now)))
    pass_time([begun.folder], now=now)
    (path,) = (begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*farewell*")
    assert calendar_of(path) == ("CANCEL", uid, number + 1)
    last = max((begun.folder / "outbox" / "new").glob(f"ballot.{seat}.000[1-9].*"))
    assert calendar_of(last) == ("PUBLISH", uid, number + 1)  # the seat still owes its answer


def test_who_played_for_one_who_leaves_is_told_too(begun):
    seat = opened(begun).referee.asked()[0]
    until = heartbeat.stamp(begun.now + 10 * HOUR)
    action(begun, "substitute", str(begun.save), seat, "del@example.org", "--until", until)
    action(begun, "substitute", str(begun.save), seat, "new@example.org", "--name", "Nora")
    paths = sorted((begun.folder / "outbox" / "new").glob(f"ballot.{seat}.*farewell*"))
    people = {message_from_bytes(path.read_bytes(), policy=policy.default)["To"] for path in paths}
    assert len(paths) == len(people) == 2
    assert "del@example.org" in people
    assert {calendar_of(path)[0] for path in paths} == {"CANCEL"}


def test_a_watcher_gets_no_entry_in_his_calendar(begun):
    seat = opened(begun).referee.asked()[0]
    action(begun, "substitute", str(begun.save), seat, "watch@example.org", "--watch")
    (copy,) = (begun.folder / "outbox" / "new").glob("*-c1.*")
    assert calendar_of(copy) is None
    (own,) = (begun.folder / "outbox" / "new").glob(copy.name.partition("-c1")[0] + ".*")
    assert calendar_of(own)[0] == "PUBLISH"


def test_a_watcher_reads_along_without_codes(begun):
    seat = opened(begun).referee.asked()[0]
    action(begun, "substitute", str(begun.save), seat, "watch@example.org", "--watch")
    copies = [decode_mail(p.read_bytes()) for p in (begun.folder / "outbox" / "new").glob("*-c1.*")]
    assert [copy.to for copy in copies] == [("watch@example.org",)]
    assert code_of(load(begun.save), seat) not in copies[0].text
    assert f"[ballot {seat} ----]" in copies[0].text


def test_letters_with_news_wait_for_release_and_receipts_do_not(begun):
    action(begun, "set", str(begun.save), "release=-1")
    session = opened(begun)
    answers = synthetic_mail.answers(session, Random(1))
    mails = [synthetic_mail.letter(session, seat, lines, begun.now) for seat, lines in answers.items()]
    before = len(list((begun.folder / "outbox" / "new").glob("*")))
    first = begun.ingest(begun.box(mails[:1], "1.mbox"))
    assert len(first.sent) == 1  # a receipt
    rest = begun.ingest(begun.box(mails[1:], "2.mbox"))
    assert rest.sent == []
    assert look([begun.folder], now=begun.now).games[0].held == 4
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 1
    shown = pbem(begun, "preview", str(begun.save)).output
    assert pbem(begun, "release", str(begun.save), "--show").output == shown
    for letter in load(begun.save).outbox:
        assert f"== {letter.seat}, held until you release it; with it: HTML" in shown
        assert f"Subject: {letter.subject}\n\n{letter.body}" in shown
    seat = load(begun.save).seats[0].id
    assert pbem(begun, "preview", str(begun.save), "--seat", seat).output.count("== ") < shown.count("== ")
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 1
    pbem(begun, "release", str(begun.save), "--seat", seat)
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 2
    action(begun, "release", str(begun.save))
    assert len(list((begun.folder / "outbox" / "new").glob("*"))) == before + 5
    assert pbem(begun, "preview", str(begun.save)).output.strip() == "no letter is held"
    last = load(begun.save).actions[-1]
    assert (last.what, last.by, last.reason, last.args["count"]) == ("release", "Miriam", "a good one", 3)


def test_no_time_runs_while_the_moderator_has_not_looked(begun):
    """The letters that put a question wait for a week: nobody is reminded or loses his turn, all get their hours."""
    action(begun, "set", str(begun.save), "release=-1", "time_up.ballot=default", "time_up.turn=default")
    session = opened(begun)
    answers = synthetic_mail.answers(session, Random(1))
    begun.ingest(
        begun.box([synthetic_mail.letter(session, seat, lines, begun.now) for seat, lines in answers.items()])
    )
    before = load(begun.save)
    assert before.pending[0].q > session.referee.q, "the next question is open"
    week = begun.now + 7 * 24 * HOUR
    heartbeat.store(begun.folder, heartbeat.Heartbeat(heartbeat.stamp(week), heartbeat.stamp(week)))
    assert moment(before.pending[0].due) < week
    done = pass_time([begun.folder], now=week).done
    assert (done.reminders, done.time_up, done.letters.sent) == (0, [], [])
    begun.clock = heartbeat.stamp(week)
    action(begun, "release", str(begun.save))
    after = load(begun.save)
    assert after.pending[0].q == before.pending[0].q
    hours = after.clock.hours[after.pending[0].pace]
    assert moment(after.pending[0].due) >= week + hours * HOUR
    sent = [decode_mail(p.read_bytes()).text for p in (begun.folder / "outbox" / "new").glob("ballot.*")]
    assert sum("NEW DEADLINE" in text or "新しい期限" in text for text in sent) == len(after.seats)
    due = moment(after.pending[0].due)
    heartbeat.store(begun.folder, heartbeat.Heartbeat(heartbeat.stamp(due), heartbeat.stamp(due)))
    assert pass_time([begun.folder], now=due).done.time_up != []


def test_letters_held_for_hours_put_their_question_when_they_go(begun):
    action(begun, "set", str(begun.save), "release=6")
    session = opened(begun)
    answers = synthetic_mail.answers(session, Random(1))
    begun.ingest(
        begun.box([synthetic_mail.letter(session, seat, lines, begun.now) for seat, lines in answers.items()])
    )
    save = load(begun.save)
    one = save.pending[0]
    assert one.q > session.referee.q
    assert moment(one.due) >= begun.now + (6 + save.clock.hours[one.pace]) * HOUR
    assert look([begun.folder], now=begun.now).games[0].waiting[0].hours == 0


def test_deadlines_move_earlier_only_if_the_moderator_says_so(begun):
    short = ["hours.ballot=1", "hours.turn=1"]
    action(begun, "set", str(begun.save), *short)
    assert {moment(question.due) for question in load(begun.save).pending} == {begun.due}
    assert all("NEW DEADLINE" not in outgoing.text for outgoing in letters(begun).values())
    action(begun, "set", str(begun.save), "grace=3", "--earlier")
    save = load(begun.save)
    (due,) = {moment(question.due) for question in save.pending}
    assert begun.now + save.clock.least * HOUR <= due < begun.due
    assert save.actions[-1].args["earlier"] is True
    for letter in letters(begun).values():
        assert "NEW DEADLINE" in letter.text or "新しい期限" in letter.text


def test_held_for_some_hours_they_go_with_the_tick(begun):
    action(begun, "set", str(begun.save), "release=6")
    session = opened(begun)
    mails = [
        synthetic_mail.letter(session, seat, lines, begun.now)
        for seat, lines in synthetic_mail.answers(session, Random(1)).items()
    ]
    assert begun.ingest(begun.box(mails, "all.mbox")).sent == []
    for hours, count in ((5, 0), (6, 4)):
        now = begun.now + hours * HOUR
        heartbeat.store(begun.folder, heartbeat.Heartbeat(heartbeat.stamp(now), heartbeat.stamp(now)))
        assert len(pass_time([begun.folder], now=now).done.letters.sent) == count


def test_broadcast_and_reveal_are_told_to_all(begun):
    action(begun, "broadcast", str(begun.save), "Merry Christmas!")
    assert all("| Merry Christmas!" in letter.text for letter in letters(begun).values())
    action(begun, "reveal", str(begun.save))
    assert all("has looked" in letter.text or "見ました" in letter.text for letter in letters(begun).values())
    assert [done.what for done in load(begun.save).actions] == ["broadcast", "reveal"]


def test_fiat_and_rewind_are_journaled(begun):
    action(begun, "fiat", str(begun.save), "turn=2")
    n = load(begun.save).header.n
    action(begun, "rewind", str(begun.save), str(n - 1))
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
    action(begun, "fiat", str(begun.save), *swapped)
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
        (one,) = bundle(after, reader, begun.clock).actions
        assert one["what"] == "fiat"
        assert "steps" not in one["args"]
    assert "players.amber.hand" in load(begun.save).actions[0].args["steps"]


def test_the_desk_shows_who_owes_what(begun):
    session = opened(begun)
    seat = session.referee.asked()[0]
    mail = synthetic_mail.letter(session, seat, synthetic_mail.answers(session, Random(1))[seat], begun.now)
    begun.ingest(begun.box([mail]))
    found = look([begun.folder], now=begun.now + 5 * HOUR).games[0]
    assert {player.seat: player.answered for player in found.waiting} == {
        s: s == seat for s in session.referee.asked()
    }
    assert found.days_per_turn > 0
    assert "owes" in pbem(begun, "desk", str(begun.folder)).output


def test_a_moderator_who_plays_sees_his_own_seat_only(begun):
    session = opened(begun)
    mine, other, *_ = session.referee.asked()
    action(begun, "set", str(begun.save), f"plays={mine}")
    mail = synthetic_mail.letter(session, other, synthetic_mail.answers(session, Random(1))[other], begun.now)
    path = begun.box([mail])
    output = pbem(begun, "ingest", "--saves", str(begun.folder), str(path)).output
    assert other not in output
    output = pbem(begun, "desk", str(begun.folder)).output
    assert "owes" not in output.replace(f"{mine}: ballot", "") or output.count("owes") == 1
    assert "done" not in output
    report = ["report", str(begun.save), "--seat"]
    assert CliRunner().invoke(main, [*report, mine]).exit_code == 0
    assert CliRunner().invoke(main, [*report, other]).exit_code == 1
    assert CliRunner().invoke(main, [*report, "moderator"]).exit_code == 1
    assert CliRunner().invoke(main, ["prompts", str(begun.save), "--late"]).exit_code == 1
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
    assert action(begun, "set", str(begun.save), setting, ok=False).exit_code in (1, 2)
    assert begun.save.read_bytes() == before


def test_a_moderator_who_gives_no_name_is_not_named_twice(begun):
    pbem(begun, "extend", str(begun.save), "--hours", "24", "--reason", "holidays")
    for letter in letters(begun).values():
        assert "THE MODERATOR HAS ACTED" in letter.text or "審判からの措置" in letter.text
        assert "(moderator)" not in letter.text
        assert "holidays" in letter.text


def test_a_pace_without_hours_has_no_deadline_any_more(begun):
    before = load(begun.save).pending[0]
    assert before.due
    action(begun, "set", str(begun.save), f"hours.{before.pace}=0")
    after = load(begun.save)
    assert {question.due for question in after.pending} == {""}
    for seat, letter in letters(begun).items():
        lifted = (f"Question {before.q} has NO DEADLINE", f"質問{before.q}の期限はなくなりました")
        assert any(words in letter.text for words in lifted), seat
    much_later = begun.now + 365 * 24 * HOUR
    heartbeat.store(
        begun.folder, heartbeat.Heartbeat(heartbeat.stamp(much_later), heartbeat.stamp(much_later))
    )
    done = pass_time([begun.folder], now=much_later).done
    assert (done.reminders, done.time_up) == (0, [])
    action(begun, "set", str(begun.save), f"hours.{before.pace}=48")
    assert all(question.due for question in load(begun.save).pending)
