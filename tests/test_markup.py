"""What stands between the signs of HTML is escaped as the standard library does it."""

import html
from random import Random

from pbem.lazy_regex import escape


def test_escape_is_that_of_the_standard_library():
    draw = Random(1)
    for _ in range(500):
        text = "".join(draw.choice("&<>\"'a;&amp; #x27漢\n") for _ in range(draw.randrange(40)))
        assert escape(text) == html.escape(text)
