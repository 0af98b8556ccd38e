"""The map in letters: an image next to the page, where the game shows maps and resvg can draw them."""

from __future__ import annotations

import email
from email import policy
from pathlib import Path

import pytest

import games
from pbem.mail.outbox import map_picture
from pbem.mail.outbox.mime_message import to_bytes
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email
from pbem.save import OutboxEntry, Session
from pbem.timestamps import moment

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def drawn(monkeypatch):
    """Pictures are drawn without resvg: what was to be drawn stands in them."""
    monkeypatch.setattr(map_picture, "can_draw", lambda language: True)
    monkeypatch.setattr(map_picture, "map_png", lambda svg: PNG + svg.encode())


def written(name, seat, *, maps="png", attach=""):
    """The letter of a seat at one of the examples' positions."""
    session = Session.open(ROOT / "saves" / f"{name}.toml", games.load)
    session.save.post.maps = maps
    session.save.seat(seat).attach = attach
    return compose_email(
        session, reader_of(session, session.save.seat(seat)), news_for(session, session.save.seat(seat))
    )


def mail(text):
    letter = OutboxEntry(
        "france.0001",
        "france",
        "ann@x.example",
        text.subject,
        body=text.text,
        html=text.html,
        at=moment("2026-05-03T20:00:00+00:00"),
        sender="pbem@x.example",
        message_id="<vq.france.1.abc@x.example>",
        picture=text.picture,
    )
    raw = to_bytes(letter)
    assert raw == to_bytes(letter)
    return email.message_from_bytes(raw, policy=policy.default)


def test_the_page_shows_the_map_that_comes_with_it(drawn):
    message = mail(written("vq-interception", "protestant"))
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"]
    page, image = [part for part in message.walk() if not part.is_multipart()][1:]
    assert f'src="cid:{image["content-id"].strip("<>")}"' in page.get_content()
    seen = "The map. Bordeaux: France 2, Montauban: Protestants 2, Nerac: Protestants."
    assert f'max-height:300px" alt="{seen}"' in page.get_content()
    assert image.get_content().startswith(PNG)
    assert image.get_content_disposition() == "inline"


@pytest.mark.parametrize("more", [{"maps": ""}, {"attach": "nothing"}])
def test_without_the_setting_there_is_none(drawn, more):
    letter = written("vq-interception", "protestant", **more)
    assert letter.picture == ""
    assert "<img" not in letter.html


def test_a_question_about_no_space_has_none(drawn):
    assert written("vq-negotiation", "france").picture == ""


def test_where_it_cannot_be_drawn_any_more_the_letter_goes_without(drawn, monkeypatch):
    letter = written("vq-interception", "protestant")
    monkeypatch.setattr(map_picture, "map_png", lambda svg: b"")
    message = mail(letter)
    assert [part.get_content_type() for part in message.walk()] == ["multipart/alternative", "text/plain", "text/html"]
    assert "<img" not in message.get_body(("html",)).get_content()


def test_the_map_is_that_of_the_seat(drawn):
    """It is drawn from the seat's own report: the same letter for all worlds that it can't tell apart."""
    session = Session.open(ROOT / "saves" / "vq-interception.toml", games.load)
    session.save.post.maps = "png"
    seat = session.save.seat("protestant")
    before = compose_email(session, reader_of(session, seat), news_for(session, seat)).picture
    for power in session.referee.table.state.powers.values():
        power.hand.reverse()
    assert compose_email(session, reader_of(session, seat), news_for(session, seat)).picture == before


def test_resvg_draws_names_and_not_boxes():
    pytest.importorskip("resvg_py", reason="needs pbem[png]")
    if not map_picture.can_draw("en"):
        pytest.skip("no font that draws English")
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15">{}</text></svg>'
    one, other = (map_picture.map_png(svg.format(name)) for name in ("Bordeaux", "Bergerac"))
    assert one.startswith(PNG)
    assert one != other


def test_without_the_extra_or_a_font_there_is_no_picture(monkeypatch):
    monkeypatch.setattr(map_picture, "find_spec", lambda name: None)
    assert not map_picture.can_draw("en")
    assert map_picture.map_png("<svg/>") == b""
