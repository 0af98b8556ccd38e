from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.lazy_regex import clean
from pbem.report.text_width import _NARROW, _cell, _pieces, _units, _width, _wrap_cached, cut, pad, width, wrap


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("国威", 4), ("ｶﾞ", 2), ("か\u3099", 2), ("é", 1), ("e\u0301", 1), ("▲—", 2), ("ＡＢ", 4), ("", 0)],
)
def test_width(text, cells):
    assert width(text) == cells


def test_pad_counts_cells():
    assert pad("国威", 6) == "国威  "
    assert pad("国威", 6, right=True) == "  国威"
    assert pad("国威", 3) == "国威"


def test_cut_keeps_within():
    assert cut("国威国威国威", 9) == "国威国..."
    assert cut("国威", 4) == "国威"


def test_wrap_keeps_punctuation_with_its_word():
    lines = wrap("国威が下がりました。「戦争」です。", 20)
    assert all(width(line) <= 20 for line in lines)
    assert not any(line[0] in "。」" or line[-1] == "「" for line in lines)
    assert "".join(lines) == "国威が下がりました。「戦争」です。"


def test_wrap_cuts_a_word_that_is_too_long():
    assert wrap("ab" * 10, 8, "- ") == ["- ababab", "  ababab", "  ababab", "  ab"]


def test_wrap_of_nothing():
    assert wrap("", 10, "- ") == ["-"]


@given(st.text(alphabet=st.sampled_from("ab 国威、。「」(x-1"), max_size=120), st.integers(12, 40))
def test_wrap_loses_nothing_and_fits(text, columns):
    lines = wrap(text, columns)
    assert "".join("".join(lines).split()) == "".join(text.split())
    # Closing punctuation may hang over where the whole line is punctuation; words never do.
    assert all(width(line) <= columns for line in lines)


@pytest.mark.parametrize("cells", range(24, 44))
def test_no_line_ends_within_a_katakana_word_or_between_a_number_and_its_counter(cells):
    whole = ["ランカスター", "ジャック・ケイド", "バッキンガム", "第12ターン", "3枚", "ネーデルランド", "2つ", "1630年"]
    text = (
        "ランカスター家のジャック・ケイドの反乱により、バッキンガム公が第12ターンに3枚のカードを2つ失い、"
        "ネーデルランドへ1630年に移りました。"
    )
    lines = wrap(text, cells)
    assert "".join(lines) == text
    assert all(width(line) <= cells for line in lines)
    assert [word for word in whole if not any(word in line for line in lines)] == []


def test_clean_takes_escapes_and_direction_marks():
    assert clean("a\x1b[31mb\x9b\u202ec\n") == "a[31mbc\n"


# -- by slices, as by characters -------------------------------------------------------------------------------------

WORDS = (
    *("a", "bc", "hello", "Antidisestablishmentarianism", "12,000", "(a)", "“x”", "ü", "é", "→", "…", "—"),
    *("国威", "が", "下がりました。", "「戦争」", "ｶﾞ", "e\u0301", "x\u3099", "\u200b", "\u00ad", "\xa0", "\t", "\n"),
)


def plainly(text, cells, first, rest):
    """What `wrap` means: unit by unit, each line measured again."""
    rest = " " * width(first) if rest is None else rest
    lines, line, begun = [], first, False
    for unit, _ in _units(text):
        if unit == " ":
            line += " " if begun and width(line) < cells else ""
            continue
        for piece in _pieces(unit, max(cells - width(rest), 4)):
            if begun and width(line) + width(piece) > cells:
                lines.append(line.rstrip())
                line = rest
            line, begun = line + piece, True
    return [*lines, line.rstrip() if begun else first.rstrip()]


def same_lines(count, seed):
    chance = Random(seed)
    for _ in range(count):
        words = [chance.choice(WORDS) for _ in range(chance.randrange(15))]
        blanks = [chance.choice(("", "  ")) if chance.random() < 0.2 else " " for _ in words]
        text = "".join(map(str.__add__, words, blanks))
        text = text.strip() if chance.random() < 0.7 else text
        cells, first = chance.randint(-3, 40), chance.choice(("", "  ", "- ", "国 ", "        "))
        rest = chance.choice((None, "", "  ", "国"))
        assert wrap(text, cells, first, rest) == plainly(text, cells, first, rest), (text, cells, first, rest)


def test_lines_by_slices_are_those_by_units():
    same_lines(3_000, 1)


@pytest.mark.slow
def test_lines_by_slices_are_those_by_units_at_length():
    same_lines(60_000, 2)


def test_what_is_cut_by_slices_takes_one_cell_each():
    assert len(_NARROW) > 600
    assert {_cell(char) for char in _NARROW} == {1}
    assert [char for char in _NARROW if char.isspace()] == [" "]


def test_long_texts_are_not_kept():
    before = _wrap_cached.cache_info().currsize + _width.cache_info().currsize
    wrap("国" * 5_000, 40)
    width("国" * 5_000)
    assert _wrap_cached.cache_info().currsize + _width.cache_info().currsize <= before + 1
