"""The leaks that we have planted ourselves (tests/leaks): each fits the program as it is, and is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.trial import planting

FOLDER = Path(__file__).parents[1] / "leaks"
FAULTS = list(planting.read(FOLDER))


def test_there_are_enough_of_them_in_every_room_and_game() -> None:
    assert len({fault.id for fault in FAULTS}) == len(FAULTS) >= 60
    assert {fault.game for fault in FAULTS} == {
        "sixteen_thirty",
        "imperial_struggle",
        "crown_of_roses",
        "virgin_queen",
    }
    rooms = {"/".join(fault.file.split("/")[:2]) for fault in FAULTS}
    assert rooms >= {"pbem/kernel", "pbem/post", "pbem/report", "games/sixteen_thirty", "games/virgin_queen"}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_planted_leak_is_found(fault: planting.Fault) -> None:
    assert planting.changed(fault)
    assert planting.plant(fault).found
