"""The leaks that we have planted ourselves (tests/leaks): each fits the program as it is, and is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.dev import planted_leaks

FOLDER = Path(__file__).parents[1] / "leaks"
FAULTS = list(planted_leaks.read(FOLDER))


def test_there_are_enough_of_them_in_every_room_and_game() -> None:
    assert len({fault.id for fault in FAULTS}) == len(FAULTS) >= 60
    assert {fault.game for fault in FAULTS} == {"sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen"}
    rooms = {"/".join(fault.file.split("/")[:2]) for fault in FAULTS}
    assert rooms >= {"pbem/kernel", "pbem/mail", "pbem/report", "games/sixteen_thirty", "games/virgin_queen"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_planted_leak_fits_the_program_as_it_is(fault: planted_leaks.LeakPatch) -> None:
    changed = planted_leaks.changed(fault)
    compile(changed, fault.file, "exec")


def test_a_fault_that_breaks_the_program_is_not_found() -> None:
    fault = planted_leaks.LeakPatch("one", "sixteen_thirty", "file", "old", "new")

    def said(leaks: list[dict[str, object]]) -> str:
        return json.dumps({"pairs": 3, "post": 1, "leaks": leaks})

    noticed = {"where": "view", "text": "red: view", "crash": False}
    crashed = {"where": "KeyError: 'x'", "text": "File play.py, line 3", "crash": True}
    assert planted_leaks.outcome(fault, said([noticed]), "").found
    assert str(planted_leaks.outcome(fault, said([noticed]), "")) == "found after 4 pairs: view"
    assert str(planted_leaks.outcome(fault, said([]), "")) == "NOT FOUND in 4 pairs"
    for broken in (planted_leaks.outcome(fault, said([crashed]), ""), planted_leaks.outcome(fault, "", "SyntaxError")):
        assert not broken.found
        assert broken.broken
        assert str(broken).startswith("BROKEN")


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_planted_leak_is_found(fault: planted_leaks.LeakPatch) -> None:
    planted = planted_leaks.apply_patch(fault)
    assert planted.found, str(planted)
