"""The evaluation of a game: its terms have names in both languages, and to evaluate a table doesn't change it."""

from __future__ import annotations

from itertools import islice

import msgspec
import pytest

from pbem.data_cache import messages
from pbem.kernel.game import compared
from tests.bot.positions import SLUGS, positions


@pytest.mark.parametrize("slug", SLUGS)
def test_terms_have_names_and_leave_the_table_as_it_is(slug: str) -> None:
    names: set[str] = set()
    for referee, position in islice(positions(slug, 1, every=0.05), 10):
        assert position.game.terms is not None
        before = msgspec.json.encode(referee.table.state)
        for seat in referee.table.seats:
            names |= set(position.game.terms(referee.table, seat))
        assert msgspec.json.encode(referee.table.state) == before
    assert len(names) > 4
    for language in ("en", "ja"):
        texts = messages(f"games.{slug}", language)
        assert [name for name in sorted(names) if f"term.{name}" not in texts] == []


def test_a_side_gains_what_the_other_loses() -> None:
    for referee, position in islice(positions("imperial_struggle", 2, every=0.05), 10):
        assert position.game.terms is not None
        british, french = (position.game.terms(referee.table, seat) for seat in ("britain", "france"))
        assert all(british[name] == -french[name] for name in british)


def test_a_seat_is_compared_with_the_strongest_and_the_mean_of_the_others() -> None:
    worth = {"a": {"vp": 5.0}, "b": {"vp": 3.0, "cards": 1.0}, "c": {"vp": 1.0}}
    found = compared(worth.__getitem__, "a", worth, 0.5)
    assert found == {"vp": 5 - 0.5 * 3 - 0.5 * (3 + 1) / 2, "cards": -0.5 * 1 - 0.5 * 1 / 2}
    assert compared(worth.__getitem__, "a", ["a"], 0.5) == {"vp": 5.0}
