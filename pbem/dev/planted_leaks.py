"""Planted leaks: small faults put into a copy of the program, each of which `pbem dev leak-test` has to find.

A table `[[leak]]` in a TOML file has: `id`, the `game`, the `file` (from the root), the `old` text, unique there, and
the `new` one. It limits `pairs`, `post` and `settings` pairs, and sets the `seed` and whether `screens` are drawn.
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

ROOT = Path(__file__).parents[2]
_LONGEST = 1800
"""Time limit of one run, in seconds."""
_SEEDS = 5
"""Runs with seeds of their own until a fault is found. Which pairs meet a fault changes with every rule and text."""


class LeakPatchError(Exception):
    """A file that holds no planted leaks."""


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


def read(path: Path) -> Iterator[LeakPatch]:
    """Yield the planted leaks of a file, or of every `*.toml` of a folder. Raises `LeakPatchError`."""
    for file in sorted(path.glob("*.toml")) if path.is_dir() else [path]:
        try:
            raw = tomllib.loads(file.read_text("utf-8")).get("leak", [])
            faults = msgspec.convert(raw, list[LeakPatch])
        except (OSError, ValueError) as error:  # no file, no text, no TOML, other keys
            raise LeakPatchError(f"{file}: {error}") from None
        if not faults:
            raise LeakPatchError(f"{file}: no [[leak]] in it")
        yield from faults


def changed(fault: LeakPatch, root: Path = ROOT) -> str:
    """Return the file with the fault in it. Raises ValueError if the old text doesn't occur there exactly once."""
    text = (root / fault.file).read_text("utf-8")
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
