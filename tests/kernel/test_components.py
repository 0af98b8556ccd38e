"""Components of a box are built once and kept while they are in use, a few boxes at a time."""

from __future__ import annotations

from collections import OrderedDict

import msgspec
import pytest

from pbem.kernel import game_loop
from pbem.kernel.game_loop import KEPT, components_of
from tests.toy.game import GAME


class Built:
    """The components of some box."""


@pytest.fixture
def boxes(monkeypatch):
    """More games than are kept, each with components of its own."""
    monkeypatch.setattr(game_loop, "_BUILT", OrderedDict())
    return [msgspec.structs.replace(GAME, components=lambda _pack: Built()) for _ in range(KEPT + 1)]


def test_the_same_box_gives_the_same_objects(boxes):
    assert components_of(boxes[0], {})[1] is components_of(boxes[0], {})[1]
    assert components_of(boxes[0], {})[1] is not components_of(boxes[1], {})[1]


def test_those_used_last_are_kept(boxes):
    first, *more = (components_of(box, {})[1] for box in boxes[:KEPT])
    assert components_of(boxes[0], {})[1] is first
    components_of(boxes[KEPT], {})
    assert len(game_loop._BUILT) == KEPT
    assert components_of(boxes[0], {})[1] is first
    assert components_of(boxes[2], {})[1] is more[1]
    assert components_of(boxes[1], {})[1] is not more[0]
