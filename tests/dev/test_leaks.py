import json
from itertools import cycle
from random import Random

import pytest

from games import load
from pbem.dev import leak_test, resample_hidden
from tests.toy.game import GAME
from tests.toy.planted import toy


def test_a_tight_game_has_no_leaks():
    result = leak_test.run(toy(), 60)
    assert result.leaks == []
    assert result.pairs == 60
    assert result.changed > 50  # otherwise the worlds were the same and nothing was tried
    assert result.steps > 600
    assert result.mends > 20


def test_the_toy_has_no_leaks_in_any_scenario():
    result = leak_test.run(GAME, 25)
    assert (result.leaks, result.pairs) == ([], 25)
    assert result.changed > 20


@pytest.mark.parametrize(
    ("leak", "where"),
    [
        ("view", "view"),
        ("asked", "who is asked"),
        ("about", "questions"),
        ("line", "not marked 'reveals'"),
        ("unmarked", "not marked 'reveals'"),
        ("why", "refusals"),
        ("default", "own question"),
        ("count", "who is asked"),
        ("trail", "who is asked"),
        ("clock", "clock"),
        ("dealt", "may learn"),  # told in the set-up, before any checkpoint
        ("swapped", "not marked 'reveals'"),  # what two others give each other is not alike in both worlds
    ],
)
def test_a_planted_leak_is_found(leak, where):
    result = leak_test.run(toy(leak), 50)
    assert result.leaks
    assert any(where in found.where for found in result.leaks), [str(found) for found in result.leaks[:3]]


def test_what_another_plays_does_not_part_the_worlds():
    """Who must play a card plays it in both worlds: B is mended until he holds it there too."""
    result = leak_test.run(toy(fault="must"), 12)
    assert result.leaks == []
    assert "parted" not in result.ended
    assert result.changed == 12


def test_a_leak_behind_many_answers_is_found():
    """It comes three turns after any checkpoint, behind cards that others must play and bids that they make."""
    result = leak_test.run(toy("late", "must"), 20)
    assert any("late" in found.a for found in result.leaks)


def test_two_worlds_agree_to_the_same_proposal():
    """In this game one world is a proposal ahead, so the next has another number there."""
    result = leak_test.run(load("sixteen_thirty"), 0, seed=1, number=56)
    assert result.leaks == []
    assert result.steps > 50  # it goes on after the deal


def test_conceal_must_keep_the_state_sound():
    found = leak_test.run(toy(fault="conceal"), 3).leaks
    assert len(found) == 3
    assert all(leak.crash and "conceal breaks the state" in leak.where for leak in found)


def test_a_crash_in_the_other_world_is_reported():
    result = leak_test.run(toy(fault="crash"), 30)
    assert any("three is too much" in found.where for found in result.leaks)


def test_only_what_is_dealt_out_together_changes_places():
    """Home cards that lie in one hand with others are not dealt out with them."""
    here = {"hand": ["home1", "a"], "dropped": ["home2"], "deck": ["b", "c"]}
    hidden = {"hand": ["home2", "b"], "dropped": ["home1"], "deck": ["c", "a"]}
    random = Random(1)

    def anew():
        homes, others = random.sample(["home1", "home2"], 2), random.sample(["a", "b", "c"], 3)
        state = {"hand": [homes[0], others[0]], "dropped": homes[1:], "deck": others[1:]}
        return json.dumps(state).encode()

    def dealt(answer):
        pieces = resample_hidden.Pieces(json.dumps(here).encode(), json.dumps(hidden).encode(), anew)
        return pieces.dealt(answer, here, hidden, Random(2))

    assert dealt({"do": "play", "with": "a"}) == [("a", "b")]
    assert dealt({"do": "play", "with": "home1"}) == [("home1", "home2")]
    assert dealt({"do": "discard", "with": ["a", "home1"]}) == [("a", "b"), ("home1", "home2")]
    assert dealt({"do": "play", "with": "elsewhere"}) == []
    assert dealt("pass") == []


def test_pieces_change_places_at_once():
    """A cycle of pieces is no chain of swaps: done one after another they would undo each other."""
    swapped = resample_hidden.exchange_pieces
    assert swapped(b'["x","y","z"]', [("y", "x"), ("x", "y")]) == b'["y","x","z"]'
    assert swapped(b'["x","y","z"]', [("y", "x"), ("z", "y"), ("x", "z")]) == b'["y","z","x"]'
    # Drawn in A: p, q; in B: q, r. What B held of p goes where r was.
    assert swapped(b'{"drawn":["q","r"],"pile":["p"]}', [("p", "q"), ("q", "r")]) == b'{"drawn":["p","q"],"pile":["r"]}'


def test_what_only_lies_elsewhere_in_its_pile_is_not_dealt_out():
    """A hand may lie in an order of its own: a card that stays in it must not be exchanged for one of the deck."""
    truth = {"hand": ["a", "house"], "deck": ["b", "c", "d"]}
    dealt = [{"hand": ["house", x], "deck": y} for x, y in (("b", ["a", "c", "d"]), ("c", ["d", "b", "a"]))]
    worlds = cycle([json.dumps(state).encode() for state in dealt])
    pieces = resample_hidden.Pieces(json.dumps(truth).encode(), next(worlds), lambda: next(worlds))
    assert pieces.movable([("a", "b")])
    assert not pieces.movable([("b", "house")])
