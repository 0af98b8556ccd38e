"""When private talk is allowed is each game's own rule, and the relay keeps it."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail

NOW = synthetic_mail.START + timedelta(hours=1)
WORDS = ("My lords,", "  meet me by night.")

CASES = [
    # Virgin Queen 9.1: secret talks in the negotiation segment, and nowhere else.
    ("virgin_queen", lambda r: r.table.state.phase == "negotiation", True),
    ("virgin_queen", lambda r: r.table.state.phase == "action", False),
    # 1630 Something: while a ballot is open, bluffing is talk at the table.
    ("sixteen_thirty", lambda r: any(question.pace == "ballot" for question in r.pending()), False),
    ("sixteen_thirty", lambda r: r.pending() and r.pending()[0].pace == "turn", True),
    # Crown of Roses: free, at any time.
    ("crown_of_roses", lambda r: bool(r.pending()), True),
    ("crown_of_roses", lambda r: len(r.asked()) > 1 or r.n > 12, True),
]


@pytest.mark.parametrize(("slug", "until", "allowed"), CASES)
def test_private_press_as_the_game_has_it(tmp_path, slug, until, allowed):
    game = games.load(slug)
    session = synthetic_mail.new_game(tmp_path / "talk.toml", game, 4)
    synthetic_mail.play(session, until, Random(3))
    assert until(session.referee)
    synthetic_mail.finish(session, tmp_path)
    a = session.referee.waiting()[0]
    b, c, *_ = [seat.id for seat in session.save.seats if seat.id != a]
    mail = synthetic_mail.write_email(session, a, [f"BEGIN PRESS to={b}", *WORDS, "END PRESS"], NOW)
    (tmp_path / "box.mbox").write_bytes(synthetic_mail.as_mbox([mail]))
    before = {path.name for path in (tmp_path / "outbox" / "new").iterdir()}
    ingest([tmp_path], [tmp_path / "box.mbox"], now=NOW)
    fresh = [path for path in (tmp_path / "outbox" / "new").iterdir() if path.name not in before]
    told = {path.name.split(".")[1]: decode_mail(path.read_bytes()).text for path in fresh}
    intact = "".join(f"| {line}\n" for line in WORDS)
    assert c not in told, "nobody else hears that they talk"
    assert (b in told and intact in told[b]) == allowed
    assert (intact in told[a]) != allowed, "what is not relayed comes back as it was"
    address = next(seat for seat in session.save.seats if seat.id == a).addresses[0]
    assert all(address not in text for seat, text in told.items() if seat == b)
