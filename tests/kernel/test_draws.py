"""Any draw can be redone by a stranger from the published recipe, to the last rejected byte."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import struct
from collections.abc import Iterator

import pytest

from pbem.kernel.dice import Dice

SEED = bytes(range(32))


def words(epoch: int, counter: int) -> Iterator[bytes]:
    for block in itertools.count():
        yield hmac.digest(SEED, f"{epoch}:{counter}:{block}".encode(), hashlib.sha256)


def pairs(epoch: int, counter: int) -> Iterator[int]:
    for block in words(epoch, counter):
        yield from struct.unpack(">16H", block)


def rolled(epoch: int, counter: int, count: int, sides: int) -> tuple[int, ...]:
    """One byte a die; those that would favour the low faces are passed over."""
    most = sides * (256 // sides)
    good = (byte % sides + 1 for block in words(epoch, counter) for byte in block if byte < most)
    return tuple(itertools.islice(good, count))


def below(epoch: int, counter: int, n: int) -> int:
    return next(pair % n for pair in pairs(epoch, counter) if pair < n * (65536 // n))


def shuffled(epoch: int, counter: int, items: list[int]) -> list[int]:
    """Fisher-Yates from the end; each place takes the next good pair."""
    source = pairs(epoch, counter)
    for last in range(len(items) - 1, 0, -1):
        n = last + 1
        at = next(pair % n for pair in source if pair < n * (65536 // n))
        items[last], items[at] = items[at], items[last]
    return items


@pytest.mark.parametrize("sides", [1, 2, 3, 6, 8, 10, 20, 100, 200, 255, 256])
def test_a_stranger_redoes_any_roll(sides: int) -> None:
    for counter in (*range(1, 40), 50, 195, 671, 866):  # a first byte of 252, 255, 251, 200, 199 among them
        for count in (1, 2, 40):
            assert Dice(SEED, 2, counter - 1).roll(count, sides) == rolled(2, counter, count, sides)
            assert Dice(SEED, 0, counter - 1).roll(count, sides) == rolled(0, counter, count, sides)


@pytest.mark.parametrize(("counter", "first"), [(30, 252), (195, 251), (50, 255), (671, 200), (866, 199)])
def test_a_byte_too_high_is_passed_over(counter: int, first: int) -> None:
    block = hmac.digest(SEED, f"0:{counter}:0".encode(), hashlib.sha256)
    assert block[0] == first
    for sides in (6, 200, 256):
        fair = first < sides * (256 // sides)
        found = first if fair else next(byte for byte in block if byte < sides * (256 // sides))
        assert Dice(SEED, 0, counter - 1).roll(1, sides) == (found % sides + 1,)


@pytest.mark.parametrize(
    ("counter", "first"),
    [(880, 65535), (8601, 65534), (23046, 65532), (34221, 39999), (73375, 40000), (51799, 0), (128603, 65531)],
)
def test_a_stranger_redoes_any_number_and_shuffle(counter: int, first: int) -> None:
    """The pairs at which a number is just taken or just passed over, of which there is one in 65536."""
    assert next(pairs(0, counter)) == first
    for n in (1, 2, 3, 5, 7, 52, 110, 40_000, 40_001, 65_535, 65_536):
        assert Dice(SEED, 0, counter - 1).below(n) == below(0, counter, n)
    for cards in (2, 3, 5, 52, 110):
        deck = list(range(cards))
        Dice(SEED, 0, counter - 1).shuffle(deck)
        assert deck == shuffled(0, counter, list(range(cards)))


def test_a_draw_says_nothing_of_how_much_it_drew() -> None:
    """Rolls quote the number of their draw: it must not tell how long a pile was, or how many dice were asked for."""
    dice = Dice(SEED)
    for size in (0, 1, 2, 110):
        before = dice.counter
        dice.shuffle([0] * size)
        assert dice.counter == before + 1
    for count in (1, 2, 200):
        before = dice.counter
        dice.roll(count)
        assert dice.counter == before + 1
    dice.below(7)
    assert dice.counter == before + 2


def test_one_draw_tells_nothing_of_another() -> None:
    """No two draws share a block, whatever their epoch, number and length."""
    seen = {Dice(SEED, epoch, counter).roll(24, 256) for epoch in (0, 1, 11, 111) for counter in range(0, 120, 7)}
    assert len(seen) == 4 * len(range(0, 120, 7))
    long = Dice(SEED).roll(96, 256)
    assert len({long[at : at + 32] for at in (0, 32, 64)}) == 3
