"""Names of time zones: known, slips, and what is no zone although a file of that name stands there."""

from __future__ import annotations

import struct
import sys
import zoneinfo
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.save.settings import UnknownZone, known_zone

UTC = b"TZif" + bytes(16) + struct.pack(">6L4xxx", 0, 0, 0, 0, 1, 4) + b"UTC\0"
"""The smallest file of a zone (RFC 8536): no transitions, one type of time, offset 0."""


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine whose only time zones are those that a test puts into this folder."""
    monkeypatch.setitem(sys.modules, "tzdata", None)
    folder = tmp_path / "zoneinfo"
    folder.mkdir()
    zoneinfo.reset_tzpath(to=[str(folder)])
    zoneinfo.ZoneInfo.clear_cache()
    yield folder
    zoneinfo.reset_tzpath()
    zoneinfo.ZoneInfo.clear_cache()


def refused(name: str) -> str:
    with pytest.raises(UnknownZone) as caught:
        known_zone(name)
    return str(caught.value)


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
def test_known(name: str) -> None:
    assert known_zone(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../zoneinfo/UTC",
        "Europe/../UTC",
        "./UTC",
        "Europe//Berlin",
        "Europe/",
        "U\0TC",
        "\udc80",
    ],
)
def test_no_name_of_a_zone(name: str) -> None:
    assert refused(name).startswith(f"'{name}' is not a time zone")


def test_an_absolute_path(database: Path) -> None:
    path = database / "UTC"
    path.write_bytes(UTC)
    assert "is not a time zone" in refused(str(path))


@pytest.mark.parametrize("name", ["Europe", "America/Argentina"])
def test_a_folder(name: str) -> None:
    assert any(zone.startswith(f"{name}/") for zone in zoneinfo.available_timezones())
    assert "is not a time zone" in refused(name)


@pytest.mark.parametrize("name", ["zone.tab", "tzdata.zi", "leapseconds"])
def test_a_file_that_is_no_zone(database: Path, name: str) -> None:
    (database / name).write_text("# not a zone\n")
    (database / "UTC").write_bytes(UTC)
    assert known_zone("UTC") == "UTC"
    assert refused(name) == f"'{name}' is not a time zone like Europe/Berlin or UTC"


@pytest.mark.parametrize("name", ["localtime", "posixrules"])
def test_what_each_machine_understands_differently(database: Path, name: str) -> None:
    for file in (name, "UTC"):
        (database / file).write_bytes(UTC)
    assert zoneinfo.ZoneInfo(name).key == name
    assert refused(name) == f"'{name}' is not a time zone like Europe/Berlin or UTC"


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("europe/berlin", "Europe/Berlin"),
        ("ASIA/TOKYO", "Asia/Tokyo"),
        ("Berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Europe/Tokyo", "Asia/Tokyo"),
        ("Asia/Tokio", "Asia/Tokyo"),
    ],
)
def test_a_slip_is_told_what_it_comes_near(slip: str, meant: str) -> None:
    assert refused(slip) == f"'{slip}' is not a time zone: write {meant}"


def test_nothing_near() -> None:
    assert refused("Mars/Olympus") == "'Mars/Olympus' is not a time zone like Europe/Berlin or UTC"


def test_no_database_at_all(database: Path) -> None:
    assert refused("UTC").endswith("install the package tzdata")
