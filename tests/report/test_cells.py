import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.report.cells import clean, cut, pad, width, wrap


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3),
        ("国威", 4),
        ("ｶﾞ", 2),
        ("か\u3099", 2),
        ("é", 1),
        ("e\u0301", 1),
        ("▲—", 2),
        ("ＡＢ", 4),
        ("", 0),
    ],
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


def test_clean_takes_escapes_and_direction_marks():
    assert clean("a\x1b[31mb\x9b\u202ec\n") == "a[31mbc\n"
