"""Onlookers: what they are written is a function of what the public knows."""

from __future__ import annotations

import random
from email import message_from_bytes, policy

import msgspec
import pytest

import games
from pbem.cli.console import Exit
from pbem.mail.webhooks import spectator_email
from pbem.save import PressMessage, Session, load, store
from pbem.timestamps import moment
from tests.cli.conftest import new_game, pbem  # noqa: F401

LATER = ("--now", "2026-05-01T13:00:00Z")


def letters(save):
    folder = save.parent / "outbox" / "new"
    found = sorted(file for file in folder.iterdir() if ".onlooker." in file.name)
    return [message_from_bytes(file.read_bytes(), policy=policy.default) for file in found]


def played(save, questions):
    """Answer questions at random."""
    session, source = Session.open(save, games.load), random.Random(5)
    referee = session.referee
    q = referee.q
    while referee.q < q + questions and not referee.over:
        at = f"2026-05-01T12:{referee.n // 60:02}:{referee.n % 60:02}Z"
        seat = referee.waiting()[0]
        referee.submit(
            seat, "done" if referee.talk is not None else referee.domain(seat).sample(source.randrange), at=at
        )
    session.commit(moment("2026-05-01T13:00:00Z"))


def test_he_gets_public_news_and_public_press_once(pbem, new_game):  # noqa: F811
    pbem("spectators", "add", new_game, "lou@example.org", "--lang", "ja", *LATER)
    played(new_game, 6)
    save = load(new_game)
    save.press += [PressMessage("p1", "amber", "to all of you", moment("2026-05-01T13:00:00Z"), [])]
    save.press += [PressMessage("p2", "amber", "for black only", moment("2026-05-01T13:00:00Z"), ["black"])]
    store(new_game, save)
    assert "emails to spectators" in pbem("tick", new_game, *LATER).stdout
    (one,) = letters(new_game)
    text = one.get_content()
    assert one["To"] == "lou@example.org"
    assert "to all of you" in text
    assert "for black only" not in text
    for seat in save.seats:
        assert seat.name not in text
    pbem("tick", new_game, *LATER)
    assert len(letters(new_game)) == 1
    assert load(new_game).post.onlookers[0].letters == 1
    played(new_game, 1)
    pbem("tick", new_game, *LATER)
    assert len(letters(new_game)) == 2
    assert "to all of you" not in letters(new_game)[1].get_content()


def test_hands_sealed_answers_and_private_talk_change_no_byte_of_it(pbem, new_game):  # noqa: F811
    pbem("spectators", "add", new_game, "lou@example.org", *LATER)
    played(new_game, 9)
    from pbem.timestamps import moment

    now = moment("2026-05-02T12:00:00Z")

    def written(change):
        session = Session.open(new_game, games.load)
        change(session)
        return spectator_email(session, session.save.post.onlookers[0], now)

    plain = written(lambda session: None)

    def other_world(session):
        source, table = random.Random(11), session.referee.table
        before = msgspec.json.encode(table.state)
        session.game.conceal(table, "", source.randrange)
        assert msgspec.json.encode(table.state) != before
        seat = session.referee.waiting()[0]
        session.save.press.append(PressMessage("p", "amber", "psst", moment("2026-05-01T13:00:00Z"), ["black"]))
        session.save.seats[0].name = "Somebody else"
        if len(session.referee.waiting()) > 1:
            session.referee.submit(seat, session.referee.domain(seat).sample(source.randrange))

    assert written(other_world) == plain


def test_nobody_is_written_to_before_the_players(pbem, new_game):  # noqa: F811
    pbem("spectators", "add", new_game, "lou@example.org", *LATER)
    save = load(new_game)
    save.post.release = -1
    store(new_game, save)
    played(new_game, 3)
    save = load(new_game)
    save.header.unsent = True
    store(new_game, save)
    pbem("tick", new_game, *LATER)
    assert letters(new_game) == []
    pbem("mail", "release", new_game, *LATER)
    pbem("tick", new_game, *LATER)
    assert len(letters(new_game)) == 1


def test_added_listed_removed_and_told_without_his_address(pbem, new_game):  # noqa: F811
    pbem("spectators", "add", new_game, "lou@example.org", "--every", "24", *LATER)
    assert pbem.json("spectators", "list", new_game)[0]["hours"] == 24
    assert "lou@example.org" in pbem("spectators", "list", new_game).stdout
    assert (
        "is already a spectator"
        in pbem("spectators", "add", new_game, "lou@example.org", *LATER, code=Exit.FAILED_CHECK).stderr
    )
    told = [file.read_bytes() for file in (new_game.parent / "outbox" / "new").iterdir()]
    assert not any(b"lou@" in letter for letter in told)
    pbem("spectators", "remove", new_game, "lou@example.org", *LATER)
    assert pbem.json("spectators", "list", new_game) == []
    played(new_game, 2)
    pbem("tick", new_game, *LATER)
    assert letters(new_game) == []
    pbem("spectators", "add", new_game, "nobody", *LATER, code=Exit.USAGE)
    pbem("spectators", "add", new_game, code=Exit.USAGE)


@pytest.mark.parametrize(("later", "count"), [("2026-05-01T20:00:00Z", 1), ("2026-05-02T14:00:00Z", 2)])
def test_his_hours_lie_between_two_letters(pbem, new_game, later, count):  # noqa: F811
    pbem("spectators", "add", new_game, "lou@example.org", "--every", "24", *LATER)
    pbem("tick", new_game, *LATER)
    played(new_game, 2)
    pbem("tick", new_game, "--now", later)
    assert len(letters(new_game)) == count
