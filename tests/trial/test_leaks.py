import pytest

from pbem.trial import leaks
from tests.trial.toy import toy


def test_a_tight_game_has_no_leaks():
    result = leaks.run(toy(), 60)
    assert result.leaks == []
    assert result.pairs == 60
    assert result.changed > 50  # otherwise the worlds were the same and nothing was tried
    assert result.steps > 600
    assert result.mends > 20


@pytest.mark.parametrize(
    ("leak", "where"),
    [
        ("view", "view"),
        ("asked", "who is asked"),
        ("about", "questions"),
        ("line", "not marked 'learns'"),
        ("unmarked", "not marked 'learns'"),
        ("why", "refusals"),
        ("default", "own question"),
        ("count", "who is asked"),
        ("trail", "who is asked"),
        ("clock", "clock"),
    ],
)
def test_a_planted_leak_is_found(leak, where):
    result = leaks.run(toy(leak), 50)
    assert result.leaks
    assert any(where in found.where for found in result.leaks), [str(found) for found in result.leaks[:3]]


def test_conceal_must_keep_the_state_sound():
    game = toy(fault="conceal")
    with pytest.raises(ValueError, match="conceal breaks the state"):
        leaks.run(game, 3)


def test_a_crash_in_the_other_world_is_reported():
    result = leaks.run(toy(fault="crash"), 30)
    assert any("nine is too much" in found.where for found in result.leaks)


def test_pieces_change_places_at_once():
    """A cycle of pieces is no chain of swaps: done one after another they would undo each other."""
    swapped = leaks._swapped
    assert swapped(b'["x","y","z"]', [("y", "x"), ("x", "y")]) == b'["y","x","z"]'
    assert swapped(b'["x","y","z"]', [("y", "x"), ("z", "y"), ("x", "z")]) == b'["y","z","x"]'
    # Drawn in A: p, q; in B: q, r. What B held of p goes where r was.
    assert (
        swapped(b'{"drawn":["q","r"],"pile":["p"]}', [("p", "q"), ("q", "r")])
        == b'{"drawn":["p","q"],"pile":["r"]}'
    )
