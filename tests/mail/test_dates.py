"""Dates of headers are read as the standard library reads them."""

from datetime import datetime
from email.utils import parsedate_to_datetime
from random import Random

import pytest

from pbem.mail.headers import parse_date

DAYS = ("Mon, ", "Fri, ", "", "Xyz, ", "fri, ")
MONTHS = ("Jan", "May", "Dec", "may", "Foo", "Mai", "September")
ZONES = (
    "+0000",
    "-0000",
    "+0900",
    "-0330",
    "+0545",
    "-0730",
    "+2359",
    "+9999",
    "GMT",
    "EST",
    "",
    "+0900 (JST)",
    "-0500 (EST)",
)
ENDS = ("", " ", "\t", " (UTC)", "\n")


def outcome(read, text):
    try:
        found = read(text)
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        return type(error) if not isinstance(error, IndexError) else ValueError
    return found, found.utcoffset()


def test_any_date_is_what_the_library_takes_it_for():
    chance = Random(1)
    for _ in range(5_000):
        clock = f"{chance.randrange(26):02}:{chance.randrange(62):02}" + chance.choice((":07", ":59", ":60", ""))
        year = chance.choice(("2026", "1999", "26", "0000", "9999"))
        day = chance.choice(("1", "01", "29", "31", "32", "0", "٣"))
        words = f"{day} {chance.choice(MONTHS)} {year} {clock} {chance.choice(ZONES)}"
        text = chance.choice(DAYS) + words + chance.choice(ENDS)
        assert outcome(parse_date, text) == outcome(parsedate_to_datetime, text), text


@pytest.mark.parametrize("text", ["Fri, 01 May 2026 13:00:00 +0000", "1 May 2026 22:00:00 +0900 (JST)"])
def test_an_ordinary_date(text):
    assert parse_date(text) == datetime.fromisoformat("2026-05-01T13:00:00+00:00")
