"""The leaks that we have planted ourselves (tests/leaks): each fits the program as it is, and is found.

Small faults are put into a copy of the program, each of which `pbem dev leak-test` has to find. A table `[[leak]]` in a
TOML file has: `id`, the `game`, the `file` (from the root), the `old` text, unique there, and the `new` one. It limits
`pairs`, `post` and `settings` pairs, and sets the `seed` and whether `screens` are drawn.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
_LONGEST = 1800
"""Time limit of one run, in seconds."""
_SEEDS = 5
"""Runs with seeds of their own until a fault is found. Which pairs meet a fault changes with every rule and text."""


class LeakPatch(msgspec.Struct, forbid_unknown_fields=True):
    """A planted leak; `about` describes what it reveals."""

    id: str
    game: str
    file: str
    old: str
    new: str
    about: str = ""
    pairs: int = 60
    post: int = 0
    settings: int = 0
    seed: int = 0
    screens: bool = False


class LeakPatchResult(msgspec.Struct):
    """The result for a planted leak: found or not, where, after how many pairs. A crash isn't a find."""

    id: str
    found: bool
    pairs: int = 0
    where: str = ""
    broken: str = ""

    def __str__(self) -> str:
        if self.broken:
            return f"BROKEN, it can't be tried: {self.broken}"
        return f"found after {self.pairs} pairs: {self.where}" if self.found else f"NOT FOUND in {self.pairs} pairs"


def read(folder: Path) -> Iterator[LeakPatch]:
    """Yield the planted leaks of every `*.toml` of a folder."""
    for file in sorted(folder.glob("*.toml")):
        faults = msgspec.convert(tomllib.loads(file.read_text("utf-8"))["leak"], list[LeakPatch])
        assert faults, file
        yield from faults


def changed(fault: LeakPatch) -> str:
    """Return the file with the fault in it. Raises ValueError if the old text doesn't occur there exactly once."""
    text = (ROOT / fault.file).read_text("utf-8")
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.id}: the text is {text.count(fault.old)} times in {fault.file}")
    return text.replace(fault.old, fault.new)


def apply_patch(fault: LeakPatch) -> LeakPatchResult:
    """Run `pbem dev leak-test` in a copy of the program that has the fault, with other seeds too if none is found."""
    try:
        text = changed(fault)
    except (OSError, ValueError) as error:
        return LeakPatchResult(fault.id, False, broken=str(error))
    with TemporaryDirectory(prefix="pbem-planted-") as folder:
        copy = Path(folder)
        for package in ("pbem", "games"):
            shutil.copytree(ROOT / package, copy / package)
        (copy / fault.file).write_text(text, "utf-8")
        pairs = 0
        for seed in range(fault.seed, fault.seed + _SEEDS):
            try:
                run = _tried(copy, fault, seed)
            except subprocess.TimeoutExpired:
                return LeakPatchResult(fault.id, False, broken=f"it took more than {_LONGEST} seconds")
            found = outcome(fault, run.stdout, run.stderr)
            pairs += found.pairs
            if found.found or found.broken:
                break
    return msgspec.structs.replace(found, pairs=pairs)


def _tried(copy: Path, fault: LeakPatch, seed: int) -> subprocess.CompletedProcess[str]:
    """Run this copy of `pbem` on the pairs that the fault names."""
    words = [
        *("dev", "leak-test", fault.game, "--fail-fast", "--json", "--count", fault.pairs),
        *("--mail-pairs", fault.post, "--settings-pairs", fault.settings, "--seed", seed),
        *(["--screens"] if fault.screens else []),
    ]
    return subprocess.run(
        [sys.executable, "-m", "pbem", *map(str, words)],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=_LONGEST,
        check=False,
    )


def outcome(fault: LeakPatch, stdout: str, stderr: str) -> LeakPatchResult:
    """Parse the output of `pbem dev leak-test --fail-fast --json` for a program with the fault."""
    try:
        told = json.loads(stdout)
    except ValueError:
        return LeakPatchResult(fault.id, False, broken=stderr[-300:])
    pairs, leaks = told["pairs"] + told["post"], told["leaks"]
    if not leaks:
        return LeakPatchResult(fault.id, False, pairs)
    if leaks[0]["crash"]:
        return LeakPatchResult(fault.id, False, pairs, broken=leaks[0]["text"][-300:])
    return LeakPatchResult(fault.id, True, pairs, leaks[0]["where"])


FAULTS = list(read(ROOT / "tests/leaks"))


def test_there_are_enough_of_them_in_every_room_and_game() -> None:
    assert len({fault.id for fault in FAULTS}) == len(FAULTS) >= 60
    assert {fault.game for fault in FAULTS} == {"sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen"}
    rooms = {"/".join(fault.file.split("/")[:2]) for fault in FAULTS}
    assert rooms >= {"pbem/kernel", "pbem/mail", "pbem/report", "games/sixteen_thirty", "games/virgin_queen"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_planted_leak_fits_the_program_as_it_is(fault: LeakPatch) -> None:
    compile(changed(fault), fault.file, "exec")


def test_a_fault_that_breaks_the_program_is_not_found() -> None:
    fault = LeakPatch("one", "sixteen_thirty", "file", "old", "new")

    def said(leaks: list[dict[str, object]]) -> str:
        return json.dumps({"pairs": 3, "post": 1, "leaks": leaks})

    noticed = {"where": "view", "text": "red: view", "crash": False}
    crashed = {"where": "KeyError: 'x'", "text": "File play.py, line 3", "crash": True}
    assert outcome(fault, said([noticed]), "").found
    assert str(outcome(fault, said([noticed]), "")) == "found after 4 pairs: view"
    assert str(outcome(fault, said([]), "")) == "NOT FOUND in 4 pairs"
    for broken in (outcome(fault, said([crashed]), ""), outcome(fault, "", "SyntaxError")):
        assert not broken.found
        assert broken.broken
        assert str(broken).startswith("BROKEN")


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_planted_leak_is_found(fault: LeakPatch) -> None:
    planted = apply_patch(fault)
    assert planted.found, str(planted)
