"""Verifiable dice: known vectors, fair faces, honest shuffles."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.kernel.dice import Dice, ScriptedDice, commitment

SEED = bytes(range(32))


def test_known_vectors() -> None:
    """Worked out once more from the recipe; another program must get the same."""
    block = hmac.new(SEED, b"0:1:0", hashlib.sha256).digest()
    faces = [byte % 6 + 1 for byte in block if byte < 252]
    assert Dice(SEED).roll(5) == tuple(faces[:5])
    later = hmac.new(SEED, b"3:8:0", hashlib.sha256).digest()
    assert Dice(SEED, epoch=3, counter=7).below(1000) == (later[0] << 8 | later[1]) % 1000
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert Dice(SEED).roll(10) == (6, 6, 6, 3, 5, 1, 1, 2, 1, 1)
    cards = list("abcdefgh")
    Dice(SEED).shuffle(cards)
    assert "".join(cards) == "dfbacgeh"


def test_a_draw_is_numbered_and_can_be_redone() -> None:
    dice = Dice(SEED)
    first, second = dice.roll(3), dice.roll(3)
    assert dice.counter == 2
    assert (Dice(SEED).roll(3), Dice(SEED, 0, 1).roll(3)) == (first, second)
    assert Dice(SEED, 1).roll(20) != Dice(SEED).roll(20)
    assert Dice(bytes(32)).roll(20) != Dice(SEED).roll(20)


def chi_square(counts: Counter[int], cells: range) -> float:
    expected = counts.total() / len(cells)
    return sum((counts[cell] - expected) ** 2 / expected for cell in cells)


@pytest.mark.parametrize(("sides", "limit"), [(2, 15.0), (6, 26.0), (8, 30.0), (10, 34.0), (100, 161.0)])
def test_faces_are_equally_likely(sides: int, limit: float) -> None:
    """Chi-square at about one in ten thousand; the seed is fixed, so the test never fails by chance."""
    counts = Counter(Dice(SEED).roll(20_000, sides))
    assert set(counts) <= set(range(1, sides + 1))
    assert chi_square(counts, range(1, sides + 1)) < limit


def test_rejection_leaves_no_bias() -> None:
    """Bytes modulo 200 would favour the low faces by half as much again: 56 of 256 come round twice."""
    counts = Counter(Dice(SEED).roll(40_000, 200))
    low = sum(counts[face] for face in range(1, 57)) / 56
    high = sum(counts[face] for face in range(57, 201)) / 144
    assert low / high == pytest.approx(1, abs=0.05)
    numbers = Counter(Dice(SEED, 0, i).below(40_000) < 25_536 for i in range(4000))
    assert numbers[True] / 4000 == pytest.approx(0.6384, abs=0.03)


def test_a_long_draw_takes_many_blocks() -> None:
    assert len(Dice(SEED).roll(1000)) == 1000


@given(st.lists(st.integers(), max_size=60), st.integers(0, 1000))
def test_a_shuffle_is_a_permutation(items: list[int], counter: int) -> None:
    shuffled = list(items)
    dice = Dice(SEED, 0, counter)
    dice.shuffle(shuffled)
    assert sorted(shuffled) == sorted(items)
    assert dice.counter == counter + 1


def test_all_orders_come_up() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    for i in range(2400):
        items = [1, 2, 3, 4]
        Dice(SEED, 0, i).shuffle(items)
        counts[tuple(items)] += 1
    assert len(counts) == 24
    assert max(counts.values()) < 150
    assert min(counts.values()) > 60


@given(st.integers(1, 65536), st.integers(0, 1000))
def test_below_is_below(n: int, counter: int) -> None:
    assert 0 <= Dice(SEED, 0, counter).below(n) < n


def test_what_would_never_fall_is_refused() -> None:
    dice = Dice(SEED)
    assert dice.roll(0) == ()
    for count, sides in ((1, 0), (1, 257), (-1, 6)):
        with pytest.raises(ValueError, match="dice"):
            dice.roll(count, sides)
    for n in (0, -1, 65537):
        with pytest.raises(ValueError, match="below"):
            dice.below(n)
    assert dice.counter == 0


def test_scripted_dice() -> None:
    dice = ScriptedDice([6, 1, 3])
    cards = [1, 2, 3]
    dice.shuffle(cards)
    assert (cards, dice.roll(2), dice.roll(1), dice.counter) == ([1, 2, 3], (6, 1), (3,), 3)
    assert dice.roll(4) == Dice(bytes(32), counter=3).roll(4)
    with pytest.raises(ValueError, match="ran out"):
        ScriptedDice([1]).roll(2)
