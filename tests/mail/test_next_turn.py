"""The second form of an email, `next: ?`: how it stands there, and the replies that fill it in."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from html import unescape
from pathlib import Path
from random import Random
from typing import Any, cast
from urllib.parse import quote

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.dev.synthetic_mail import HOME, START
from pbem.kernel.questions import MODERATOR
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email, question_of
from pbem.report.short_email_html import LINK, page_of
from pbem.save import Session, load
from tests.mail.test_letter_lines import Lines


class IslesDesk:
    """A game of Imperial Struggle in which one side takes a tile, and the email to the other, or (`own`) to it."""

    def __init__(self, folder: Path, *, own: bool = False) -> None:
        self.folder, self.path, self.number = folder, folder / "isles.toml", 0
        session = self.opened()
        self.asked = session.referee.waiting()[0]
        self.seat = next(seat for seat in session.setup.seats if (seat == self.asked) == own)
        self.address = session.save.seat(self.seat).addresses[0]
        self.tile = session.referee.table.state.display[3]
        (path,) = (folder / "outbox" / "new").glob(f"isles.{self.seat}.*")
        self.email = decode_mail(path.read_bytes())
        self.code = self.email.text.partition("[")[2].partition("]")[0]

    def opened(self) -> Session:
        return Session.open(self.path, games.load)

    def write(self, text: str) -> list[str]:
        """Send a reply; return what waits for the writer's next turn then."""
        self.number += 1
        message = EmailMessage(policy=policy.SMTP)
        message["From"], message["To"], message["Subject"] = self.address, HOME, "Re: [isles] News"
        message["Message-ID"] = f"<{self.number}@phone.example>"
        message.set_content(text)
        box = self.folder / f"{self.number}.mbox"
        box.write_bytes(
            synthetic_mail.as_mbox([synthetic_mail.SyntheticEmail(START, self.address, message.as_bytes())])
        )
        ingest([self.folder], [box], now=START)
        return [str(entry) for entry in load(self.path).queue]

    def last(self) -> str:
        *_, path = sorted((self.folder / "outbox" / "new").glob(f"isles.{self.seat}.*"))
        return " ".join(decode_mail(path.read_bytes()).text.split())


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("isles")
    session = synthetic_mail.new_game(folder / "isles.toml", games.load("imperial_struggle"), 2)
    synthetic_mail.play(session, lambda now: now.pending()[0].kind == "tile", Random(3))
    synthetic_mail.finish(session, folder)
    return folder


@pytest.fixture
def desk(tmp_path: Path, played: Path) -> IslesDesk:
    return IslesDesk(Path(shutil.copytree(played, tmp_path / "desk")))


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines())


def test_the_email_has_the_form_of_the_next_turn_with_its_buttons(desk):
    text = desk.email.text
    assert "\nnext: ?\nnext: ?\n[isles " in text
    assert "Next turn (optional): " in " ".join(text.split())
    assert "The second line is for the turn after that." in " ".join(text.split())
    assert "body=next%3A%20take%20" in desk.email.page
    assert Lines(desk.email.page).lines.count("next: ?") == 2


@pytest.mark.parametrize("how", ["top", "edited", "button", "alone"])
def test_a_reply_fills_it_in_and_a_new_one_replaces_it(desk, how):
    def reply(answer: str) -> str:
        text, tag = desk.email.text, f"[{desk.code}]"
        return {
            "top": f"next: {answer}\n\nOn Fri, May 1, 2026 pbem wrote:\n{quoted(text)}",
            "edited": f"On Fri, May 1, 2026 pbem wrote:\n{quoted(text.replace('next: ?', f'next: {answer}', 1))}",
            "button": f"next: {answer}\n\n{tag}\n",
            "alone": f"Next: {answer}\n{tag}",
        }[how]

    assert desk.write(reply(f"take {desk.tile}")) == [f"tile: take {desk.tile}"]
    assert "Queued" in desk.last()
    other = desk.opened().referee.table.state.display[0]
    assert desk.write(reply(f"take {other}")) == [f"tile: take {other}"]
    assert desk.write(reply("clear")) == []


@pytest.mark.parametrize("body", ["next: ?", "next:", "next: take nothing", "next: take {tile}\nShall we talk first?"])
def test_what_is_no_answer_waits_for_nothing(desk, body):
    body = body.format(tile=desk.tile)
    assert desk.write(f"{body}\n\n[{desk.code}]\n") == []
    if "talk" in body:
        assert f"next: take {desk.tile}" in desk.last()


def test_it_is_played_when_its_question_comes_and_shown_until_then(desk):
    desk.write(f"next: take {desk.tile}\n\n[{desk.code}]\n")
    session = desk.opened()
    info = session.save.seat(desk.seat)
    email = compose_email(session, reader_of(session, info), news_for(session, info))
    assert f"tile: take {desk.tile}" in " ".join(email.text.split())
    assert "body=next%3A%20clear" in email.html
    other = session.save.seat(desk.asked)
    theirs = compose_email(session, reader_of(session, other), news_for(session, other))
    assert f"next: take {desk.tile}" not in " ".join(theirs.text.split())
    referee = session.referee
    tile = next(key for key in referee.table.state.display if key != desk.tile)
    referee.submit(desk.asked, {"do": "take", "with": tile})
    while desk.asked in referee.waiting():
        referee.submit(desk.asked, referee.pending_to(desk.asked).default)
    assert referee.table.state.sides[desk.seat].tiles[-1:] == [desk.tile]
    assert referee.next_turn(MODERATOR) is None


# -- two turns in one email --------------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path, played: Path) -> IslesDesk:
    return IslesDesk(Path(shutil.copytree(played, tmp_path / "own")), own=True)


def finished(session: Session, seat: str) -> None:
    """Play until a seat isn't asked: it takes the last tile if one is asked for."""
    referee = session.referee
    while seat in referee.waiting():
        tile = {"do": "take", "with": referee.table.state.display[-1]}
        referee.submit(seat, tile if referee.pending_to(seat).kind == "tile" else referee.pending_to(seat).default)


def test_two_lines_are_for_two_turns(desk):
    tiles = desk.opened().referee.table.state.display[3:5]
    lines = "".join(f"next: take {tile}\n" for tile in tiles)
    assert desk.write(f"{lines}\n[{desk.code}]\n") == [f"tile: take {tile}" for tile in tiles]
    session = desk.opened()
    for taken in (1, 2):
        finished(session, desk.asked)
        assert session.referee.table.state.sides[desk.seat].tiles == tiles[:taken]
        finished(session, desk.seat)
    assert session.referee.queue == []


def test_in_its_own_turn_a_seat_adds_the_next_one(own):
    first, second = own.tile, own.opened().referee.table.state.display[4]
    assert 'For your next turn add: "next: take ' in " ".join(" ".join(Lines(own.email.page).lines).split())
    q = own.opened().referee.q
    assert own.write(f"{q}: take {first}\nnext: take {second}\n\n[{own.code}]\n") == [f"tile: take {second}"]
    session = own.opened()
    (other,) = {*session.setup.seats} - {own.seat}
    finished(session, own.seat)
    finished(session, other)
    assert session.referee.table.state.sides[own.seat].tiles == [first, second]


def test_alone_it_doesnt_answer_the_question_that_is_open(own):
    q, display = own.opened().referee.q, own.opened().referee.table.state.display
    assert own.write(f"next: take {own.tile}\n\n[{own.code}]\n") == [f"tile: take {own.tile}"]
    session = own.opened()
    assert (session.referee.q, session.referee.waiting()) == (q, (own.seat,))
    (other,) = {*session.setup.seats} - {own.seat}
    finished(session, own.seat)
    finished(session, other)
    assert session.referee.table.state.sides[own.seat].tiles == [display[-1], own.tile]


# -- the rest of a turn from one button --------------------------------------------------------------------------------


def played_on(desk: IslesDesk, steps: int, chance: Random) -> Iterator[tuple[Session, str]]:
    """The game at each question about an action."""
    session = desk.opened()
    referee, save = session.referee, cast("Any", session.save)
    for _ in range(steps):
        (seat, *_) = referee.waiting()
        if referee.pending_to(seat).kind == "act":
            save.moves = referee.moves
            yield session, seat
        if seat in referee.waiting():
            referee.submit(seat, referee.domain(seat).sample(chance.randrange))


def test_the_rest_of_a_round_is_one_button_whose_lines_are_all_taken(desk):
    told = 0
    for session, seat in played_on(desk, 60, Random(8)):
        referee, reader = session.referee, reader_of(session, session.save.seat(seat))
        shown = question_of(session, reader, HOME)
        if not shown.turn:
            continue
        links = [unescape(link) for link in re.findall(r'href="(mailto:[^"]*)"', page_of(shown, reader.say))]
        lines = [f"{number}: {option.order}" for number, option in enumerate(shown.turn, referee.q)]
        body = quote("\r\n".join(lines), safe="")
        (link,) = [link for link in links if body in link] or [""]
        assert not link or (len(links) <= 8 and len(link) <= LINK)
        told += bool(link)
        for line in lines:
            number, _, answer = line.partition(": ")
            assert (referee.q, referee.waiting()) == (int(number), (seat,))
            referee.submit(seat, referee.domain(seat).parse(answer, referee.names))
        assert seat not in referee.waiting() or referee.pending_to(seat).kind != "act"
    assert told >= 2


def test_it_follows_from_what_the_seat_knows(desk):
    """Another hand of the other side changes nothing of it."""
    found = 0
    for session, seat in played_on(desk, 30, Random(8)):
        reader = reader_of(session, session.save.seat(seat))
        shown = question_of(session, reader, HOME)
        other = next(side for side in session.setup.seats if side != seat)
        state = session.referee.table.state
        hand, kept = state.sides[other].hand, len(state.sides[other].hand)
        for _ in range(2):  # dealt otherwise, then as it was
            hand[:], state.draw[:kept] = state.draw[:kept], [*hand]
            assert question_of(session, reader, HOME).turn == shown.turn
        found += bool(shown.turn)
    assert found
