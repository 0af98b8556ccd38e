"""What a moderator types in his first week."""

from __future__ import annotations

import games
from pbem.save import Session


def test_who_names_no_zone_has_that_of_the_game(pbem):
    seats = ("--seat", "amber=A <a@example.org>", "--seat", "black=B <b@example.org>,Asia/Tokyo")
    pbem("new", "sixteen_thirty", *seats, "--players", "3", "--zone", "Europe/Berlin", "-o", "a.toml")
    session = Session.open(pbem.folder / "a.toml", games.load)
    assert [one.zone for one in session.save.seats] == ["Europe/Berlin", "Asia/Tokyo", "Europe/Berlin"]
