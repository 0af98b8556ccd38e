"""What a player takes back alone: the last act of the game, if all know that it showed nothing to anybody."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import force_setattr

import games
from pbem.dev import synthetic_mail
from pbem.kernel.questions import Ask
from pbem.mail.moderator.clock_actions import pause
from pbem.mail.moderator.game_actions import rewind
from pbem.mail.moderator.journal import Actor
from pbem.mail.moderator.player_acts import grant
from pbem.report.messages import Catalogue
from pbem.save import load, verify
from tests.mail.desk_actions import HOUR
from tests.mail.desks import opened
from tests.mail.test_player_acts import DAY, address, own, settings, tick, write

GAMES = {"sixteen_thirty": 4, "crown_of_roses": 2, "imperial_struggle": 2, "virgin_queen": 4}
ALONE, ASKED = "Your last act is taken back", "The others are asked"


def outcome(referee, n, draws):
    """What the act after move `n` was followed by, if by one thing only."""
    lines = [line for line in referee.table.lines if line.n > n]
    say = Catalogue(referee.game, referee.table.c)
    if referee.n != n + 1 or referee.over:
        return "more"
    rolled = any("draw" in line.args for line in lines)
    found = {
        "roll": rolled,
        "reveal": not rolled and any(line.reveals for line in lines),
        "private": any(line.private or say.has(f"{line.key}.private") for line in lines),
        "draw": not rolled and referee.table.dice.counter != draws,
        type(referee.now).__name__: type(referee.now) is not Ask,
    }
    some = [what for what, is_so in found.items() if is_so]
    if not some:
        return "same" if referee.now.seat == referee.moves[-1].seat else "Ask"
    return some[0] if len(some) == 1 else "more"


def has_moved(n, q, referee):
    return referee.n > n or referee.q > q


def acted(desk, wanted, slug="sixteen_thirty", least=1):
    """Begin a game in which the last act was followed by that; return the seat that acted, and the others."""
    desk.save.unlink()
    for attempt in range(40):
        session = synthetic_mail.new_game(desk.save, games.load(slug), GAMES[slug], attempt=attempt)
        referee, chance = session.referee, Random(attempt)
        for _ in range(500):
            if referee.over:
                break
            alone, n, draws = type(referee.now) is Ask, referee.n, referee.table.dice.counter
            synthetic_mail.play(session, partial(has_moved, n, referee.q), chance)
            if referee.n > n and referee.moves[-1].seat == referee.setup.seats[-1]:
                continue  # so that somebody comes after the seat
            if alone and n >= least and outcome(referee, n, draws) == wanted:
                for info in session.save.seats:
                    info.language = "en"
                session.commit(desk.now)
                desk.ingest(desk.box([]))
                seat = referee.moves[-1].seat
                return seat, [info.id for info in session.save.seats if info.id != seat]
    raise AssertionError(f"no act of {slug} is followed by that: {wanted}")


def answer(desk, seat=""):
    session = opened(desk)
    seat = seat or session.referee.waiting()[0]
    return seat, synthetic_mail.answers(session, Random(5))[seat]


@pytest.mark.parametrize("slug", GAMES)
def test_the_last_act_is_taken_back_alone_if_it_showed_nothing(begun, slug):
    seat, others = acted(begun, "Ask" if slug == "imperial_struggle" else "same", slug)
    before = opened(begun)
    asked, lines = answer(begun)
    old = synthetic_mail.write_email(before, asked, lines, begun.now, number=900)
    n, q = before.referee.n, before.referee.q
    texts = write(begun, seat, "take back", "timezone Asia/Seoul")
    after = opened(begun)
    assert (after.referee.n, after.referee.q, after.referee.asked()) == (n - 1, q - 1, (seat,))
    assert ALONE in texts[address(begun, seat)]
    assert own(begun, seat).zone == "Asia/Seoul"  # what stands below it counts
    for other in others:
        text = texts[address(begun, other)]
        assert "AN ACT WAS TAKEN BACK" in text
        assert f"taken back move {n}." in text
        assert f"Move {n}: " in text
        assert "nobody has acted since" in text
        assert "VOTE" not in text
        assert "HAVE AGREED" not in text
    vote = load(begun.save).votes[-1]
    assert (vote.act, vote.seat, vote.asked, vote.result) == ("take back", seat, [seat], "agreed")
    begun.ingest(begun.box([old], name="old.mbox"))  # its code has ended
    assert opened(begun).referee.n == n - 1
    verify(begun.save, games.load)


def test_japanese_readers_read_of_it_in_japanese(begun):
    seat, others = acted(begun, "same", "virgin_queen")
    write(begun, others[0], "language ja")
    write(begun, seat, "language ja")
    texts = write(begun, seat, "take back")
    assert "最後の行動を取り消しました" in texts[address(begun, seat)]
    assert "行動の取り消し" in texts[address(begun, others[0])]
    assert "nobody has acted since" in texts[address(begun, others[1])]


@pytest.mark.parametrize(
    ("wanted", "slug"),
    [
        ("roll", "crown_of_roses"),
        ("draw", "virgin_queen"),
        ("reveal", "sixteen_thirty"),
        ("private", "sixteen_thirty"),
        ("private", "crown_of_roses"),
        ("Window", "virgin_queen"),
        ("AskAll", "sixteen_thirty"),
    ],
)
def test_the_others_are_asked_about_what_was_shown_or_may_have_been_answered(begun, wanted, slug):
    seat, _ = acted(begun, wanted, slug)
    n = opened(begun).referee.n
    assert ASKED in write(begun, seat, "take back")[address(begun, seat)]
    assert opened(begun).referee.n == n


def test_the_others_are_asked_after_another_act(begun):
    seat, _ = acted(begun, "Ask", "imperial_struggle")
    other, lines = answer(begun)
    assert other != seat
    write(begun, other, *lines)
    assert ASKED in write(begun, seat, "take back")[address(begun, seat)]


def test_the_others_are_asked_if_a_standing_order_has_answered_since(begun):
    seat, _ = acted(begun, "Ask", "imperial_struggle")
    session = opened(begun)
    other = session.referee.waiting()[0]
    domain = session.referee.domain(other)
    session.referee.submit(other, domain.sample(Random(1).randrange), "standing")
    session.commit(begun.now)
    assert ASKED in write(begun, seat, "take back")[address(begun, seat)]


def test_the_others_are_asked_after_a_correction(begun):
    seat, _ = acted(begun, "same", "virgin_queen")
    session = opened(begun)
    session.referee.fiat([], via="moderator: a slip")
    session.commit(begun.now)
    assert ASKED in write(begun, seat, "take back")[address(begun, seat)]


@pytest.mark.parametrize("how", ["time", "bot", "queue", "standing"])
def test_how_an_answer_came_about_changes_nothing(begun, how):
    """Nobody else is told that a deadline expired: if the others were asked then, they would know."""
    seat, others = acted(begun, "same", "virgin_queen")
    session = opened(begun)
    value = session.moves()[-1].answer
    rewind(session, Actor("Miriam", "a slip", begun.now), session.referee.n - 1)
    session.referee.submit(seat, value, how)
    session.commit(begun.now)
    texts = write(begun, seat, "take back")
    assert ALONE in texts[address(begun, seat)]
    assert all("AN ACT WAS TAKEN BACK" in texts[address(begun, other)] for other in others)


def test_a_game_in_which_a_line_may_be_for_some_only_always_asks(begun):
    seat, _ = acted(begun, "same", "virgin_queen")
    game = games.load("virgin_queen")
    force_setattr(game, "hidden_lines", True)
    try:
        assert ASKED in write(begun, seat, "take back")[address(begun, seat)]
    finally:
        force_setattr(game, "hidden_lines", False)


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_without_hidden_lines_writes_none(slug):
    folder = Path(games.__file__).parent / slug
    assert not games.load(slug).hidden_lines
    assert not [path.name for path in folder.rglob("*.py") if "log_private" in path.read_text("utf-8")]


def test_two_acts_a_turn(begun):
    seat, _ = acted(begun, "same", "virgin_queen")
    move = opened(begun).moves()[-1]
    for _ in range(2):
        session = opened(begun)
        if session.referee.n < move.n:
            session.referee.submit(seat, move.answer)
            session.commit(begun.now)
        assert ALONE in write(begun, seat, "take back")[address(begun, seat)]
        assert opened(begun).referee.n == move.n - 1
    session = opened(begun)
    session.referee.submit(seat, move.answer)
    session.commit(begun.now)
    text = write(begun, seat, "take back")[address(begun, seat)]
    assert "already" in text
    assert opened(begun).referee.n == move.n


@pytest.mark.parametrize("rule", ["consent", "moderator", "no"])
def test_the_moderator_decides_who_decides(begun, rule):
    seat, others = acted(begun, "same", "virgin_queen", least=30)
    settings(begun, f"players_may.take_back={rule}")
    n = opened(begun).referee.n
    texts = write(begun, seat, "take back")
    said = {"consent": ASKED, "moderator": "The moderator decides", "no": "does not allow that"}[rule]
    assert said in texts[address(begun, seat)]
    assert opened(begun).referee.n == n
    if rule == "moderator":
        session = opened(begun)
        session.save.seat(others[-1]).told.request = "take back"  # they have waited for it, too
        grant(session, Actor("Miriam", "", begun.now), "take back")
        session.commit(begun.now)
        assert opened(begun).referee.n == n - 1
        assert [info.told.request for info in load(begun.save).seats] == [""] * len(load(begun.save).seats)


def test_the_reserve_stays_spent_and_a_pause_goes_on(begun):
    seat, _ = acted(begun, "same", "virgin_queen")
    settings(begun, "bank_hours=48")
    session = opened(begun)
    session.save.seat(seat).bank = 12
    session.save.seat(seat).told.notices = 1
    pause(session, Actor("Miriam", "holidays", begun.now))
    session.commit(begun.now)
    assert ALONE in write(begun, seat, "take back")[address(begun, seat)]
    assert own(begun, seat).bank == 12
    assert own(begun, seat).told.notices == 0  # what an email that was taken changes is kept
    assert load(begun.save).clock.pauses
    tick(begun, 5 * 24)
    assert opened(begun).referee.asked() == (seat,)
    assert load(begun.save).moves[-1].how != "time"


def test_a_new_deadline_is_set_for_the_question(begun):
    seat, _ = acted(begun, "same", "virgin_queen")
    begun.now += DAY
    write(begun, seat, "take back")
    row = load(begun.save).pending[0]
    assert row.seat == seat
    assert row.due is not None
    assert row.due > begun.now + HOUR


def test_the_new_deadline_does_not_show_when_the_email_was_written(begun):
    seat, _ = acted(begun, "same", "virgin_queen")
    begun.now += 3 * HOUR
    mail = synthetic_mail.write_email(opened(begun), seat, ["take back"], begun.now - 2 * HOUR, number=901)
    begun.ingest(begun.box([mail], name="early.mbox"))
    assert opened(begun).referee.asked() == (seat,)
    assert load(begun.save).pending[0].since == begun.now


def test_who_has_answered_unseen_changes_nothing(make_desk):
    found = []
    for answers in (False, True):
        desk = make_desk()
        desk.ingest(desk.box([]))
        seat, _ = acted(desk, "AskAll")
        other, lines = answer(desk, next(known for known in opened(desk).referee.waiting() if known != seat))
        if answers:
            write(desk, other, *lines)
        desk.now += HOUR
        texts = write(desk, seat, "take back")
        assert ASKED in texts[address(desk, seat)]
        found.append({whom: text for whom, text in texts.items() if whom != address(desk, other)})
    assert found[0] == found[1]
