"""`pbem+GAME@…`: the address of delivery names a game, and proves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.parse import plus_game
from pbem.mail.save_index import SaveIndex
from pbem.save import load_header

SAVE = Path(__file__).parents[2] / "saves" / "1630-ballot.toml"

PLUS = [
    ("Delivered-To: pbem+g02@games.example\n", "g02"),
    ("X-Original-To: PBEM+G02@games.example\nDelivered-To: maria@host.example\n", "g02"),
    ("Envelope-To: <pbem+g02@games.example>\n", "g02"),
    ("Delivered-To: pbem@games.example\nDelivered-To: pbem+g02@games.example\n", None),  # the newest decides
    ("Delivered-To: pbem+g02@elsewhere.example\n", None),
    ("Delivered-To: pbem+g09@games.example\n", None),
    ("To: pbem+g02@games.example\n", None),
]


@pytest.mark.parametrize(("head", "game"), PLUS)
def test_the_address_of_delivery_names_a_game(head, game):
    index = SaveIndex([])
    for name in ("g01", "g02"):
        save = load_header(SAVE)
        save.header.name, save.post.sender = name, "pbem@games.example"
        index.places[name] = name
        index.know(save)
    found = plus_game(decode_mail(f"{head}From: a@b.example\n\nyes\n".encode()), index)
    assert (found.header.name if found else None) == game
