"""What a moderator types in his first week."""

from __future__ import annotations

import games
from pbem.save import Session


def test_who_names_no_zone_has_that_of_the_game(pbem):
    seats = ("--seat", "amber=A <a@example.org>", "--seat", "black=B <b@example.org>,Asia/Tokyo")
    pbem("new", "sixteen_thirty", *seats, "--players", "3", "--zone", "Europe/Berlin", "-o", "a.toml")
    session = Session.open(pbem.folder / "a.toml", games.load)
    assert [one.zone for one in session.save.seats] == ["Europe/Berlin", "Asia/Tokyo", "Europe/Berlin"]


def test_a_refused_line_of_a_seat_without_address_is_explained_on_the_spot(pbem):
    pbem("new", "sixteen_thirty", "--players", "3", "-o", "a.toml", "--seat", "amber=A <a@example.org>")
    (pbem.folder / "m.orders").write_text("BEGIN ORDERS a black\n1: atlantis-1 x y\nEND ORDERS\n", "utf-8")
    assert "I do not know the word 'atlantis-1'" in pbem("ingest", "m.orders").stdout
    (pbem.folder / "n.orders").write_text("BEGIN ORDERS a amber\n1: atlantis-1 x y\nEND ORDERS\n", "utf-8")
    assert "atlantis" not in pbem("ingest", "n.orders").stdout  # he gets it by mail


def test_the_moderator_reads_why_his_correction_is_refused(pbem):
    (pbem.folder / "mine.toml").write_text("[cards.vote]\nmanual = true\n", "utf-8")
    pbem(
        "new", "sixteen_thirty", "--players", "3", "-o", "a.toml", "--pack", "mine.toml", "--seed", "11" * 32
    )
    session = Session.open(pbem.folder / "a.toml", games.load)
    referee = session.referee
    while referee.pending()[0].kind != "manual":
        for one in [one for one in referee.pending() if not one.answered]:
            plays = one.kind == "special" and "vote" in referee.domain(one.seat).syntax()
            referee.submit(one.seat, referee.domain(one.seat).parse("vote") if plays else one.default)
    q = referee.q
    session.commit("2026-05-01T10:00:00Z")
    text = f"BEGIN ORDERS a moderator\n{q}: countries.england.status=9\nEND ORDERS\n"
    (pbem.folder / "m.orders").write_text(text, "utf-8")
    assert "england: status 9" in pbem("ingest", "m.orders").stdout
    table = pbem("desk", "a.toml").stdout
    assert "moderator: manual" in table
    assert "…" not in table
