"""Zones and times as people read them: places only, and an hour that comes twice is told apart."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from pbem.report.messages import Catalogue
from pbem.report.times import short_time, when
from pbem.save.settings import UnknownZone, address, known_zone, parse_address


@pytest.mark.parametrize(
    "name",
    ["GMT+2", "UTC+2", "etc/gmt-3", "GMT2", "gmt-5", "+02:00", "CEST", "PDT", "Etc/GMT+25", "Berlin", "europe/berlin"],
)
def test_only_places_are_offered_for_what_is_no_zone(name) -> None:
    with pytest.raises(UnknownZone) as refused:
        known_zone(name)
    offered = re.findall(r": write (.*)$", str(refused.value))
    places = [place for text in offered for place in text.split(" or ")]
    assert all("/" in place or place == "UTC" for place in places)
    assert "Etc/" not in str(refused.value).replace(f"'{name}'", "")
    if "erlin" in name:
        assert offered == ["Europe/Berlin"]


def test_an_hour_that_comes_twice_is_told_apart() -> None:
    say = Catalogue(None, language="en")
    twice = [short_time(datetime(2026, 10, 25, hour, tzinfo=UTC), "Europe/Berlin", say) for hour in (0, 1)]
    assert twice == ["Sun 25 Oct 02:00 (Berlin, CEST)", "Sun 25 Oct 02:00 (Berlin, CET)"]
    assert short_time(datetime(2026, 10, 25, 3, tzinfo=UTC), "Europe/Berlin", say).endswith("(Berlin)")


def test_a_zone_without_a_place_is_told_by_its_offset() -> None:
    say, at = Catalogue(None, language="en"), datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert "GMT" not in when(at, "Etc/GMT+2", say) + short_time(at, "Etc/GMT+2", say)
    assert short_time(at, "Etc/GMT+2", say).endswith("(UTC-02)")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("anna@bücher.example", "anna@xn--bcher-kva.example"),
        ("Anna@BÜCHER.example", "anna@xn--bcher-kva.example"),
        ("anna@xn--bcher-kva.example", "anna@xn--bcher-kva.example"),
        ("anna@ｅxample.org", None),  # another spelling of example.org is not example.org
        ("anna@straße.example", None),
        ("änna@example.org", "änna@example.org"),
    ],
)
def test_both_forms_of_a_domain_are_one_address(text, wanted) -> None:
    assert parse_address(text) == wanted


@pytest.mark.parametrize("text", ["änna@example.org", "PBEM@Example.org", "anna", "anna@straße.example"])
def test_an_address_that_no_letter_reaches_is_refused(text) -> None:
    with pytest.raises(ValueError, match=r"address|email doesn.t allow"):
        address(text, ["pbem@example.org"])
