"""What an email may cost: time grows no faster than its size, whoever wrote it, and the email behind it is taken in."""

from __future__ import annotations

import math
import time

import pytest

from pbem.dev.synthetic_mail import SyntheticEmail
from pbem.mail.save_index import code_of
from tests.mail.bombs import BOMBS, Player
from tests.mail.desks import ballots, fates, opened

SIZES = (60_000, 240_000, 960_000)
FEW = ("page: tags that don't end", "text: titles", "reply: one word", "reply: answers", "orders: blocks")
_FLOOR = 0.25
"""CPU seconds below which nothing is told of a slope."""


@pytest.fixture(scope="module")
def player(staged, tmp_path_factory, desk_type):
    session = opened(desk_type(tmp_path_factory.mktemp("player"), staged))
    seat = session.referee.asked()[0]
    info = session.save.seat(seat)
    return Player(session.save.header.name, seat, info.addresses[0], code_of(session.save, seat), session.referee.q)


def cost(make_desk, player, name: str, size: int) -> float:
    """The CPU seconds of taking in one bomb and an honest email behind it."""
    desk = make_desk()
    honest = next(mail for seat, mail in ballots(desk).items() if seat != player.seat)
    box = desk.box([SyntheticEmail(desk.now, player.address, BOMBS[name](player, size)), honest])
    began = time.process_time()
    report = desk.ingest(box)
    spent = time.process_time() - began
    assert "taken" in [fate for seat, fate in fates(report) if seat != player.seat], name
    return spent


def slope(costs: list[float], sizes) -> float:
    """The exponent with which costs grow between the first and the last size; 0 if the last is cheap."""
    if costs[-1] < _FLOOR:
        return 0.0
    return math.log(costs[-1] / max(costs[0], 0.01)) / math.log(sizes[-1] / sizes[0])


def test_there_are_sixty_kinds_and_more():
    assert len(BOMBS) > 100


@pytest.mark.parametrize("name", FEW)
def test_a_few_grow_no_faster_than_their_size(make_desk, player, name):
    sizes = (20_000, 160_000)
    costs = [cost(make_desk, player, name, size) for size in sizes]
    assert slope(costs, sizes) < 1.5, costs


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_no_kind_grows_faster_than_its_size(make_desk, player, name):
    costs = [cost(make_desk, player, name, size) for size in SIZES]
    assert slope(costs, SIZES) < 1.5, costs
    assert max(costs) < 5, costs  # the law is a second: five times that, for a busy machine
