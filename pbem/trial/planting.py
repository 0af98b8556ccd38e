"""Planted leaks: small faults put into a copy of the program, each of which `pbem leaks` must find.

A fault is a table `[[leak]]` in a TOML file: `id`, the `game` that is played, the `file` (from the root),
the `old` text, which must stand there once, the `new` one, and at most how many `pairs` and `post` pairs it may take.
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
_LONGEST = 600
"""Seconds that one fault may take."""


class BadFaults(Exception):
    """A file that holds no planted leaks."""


class Fault(msgspec.Struct, forbid_unknown_fields=True):
    """A planted leak; `about` says in words what it tells."""

    id: str
    game: str
    file: str
    old: str
    new: str
    about: str = ""
    pairs: int = 60
    post: int = 0


class Planted(msgspec.Struct):
    """What came of it: whether it was found, where, after how many pairs."""

    id: str
    found: bool
    pairs: int = 0
    where: str = ""


def read(path: Path) -> Iterator[Fault]:
    """The faults of a file, or of every `*.toml` of a folder. Raises `BadFaults`."""
    for file in sorted(path.glob("*.toml")) if path.is_dir() else [path]:
        try:
            raw = tomllib.loads(file.read_text("utf-8")).get("leak", [])
            faults = msgspec.convert(raw, list[Fault])
        except (OSError, ValueError) as error:  # no file, no text, no TOML, other keys
            raise BadFaults(f"{file}: {error}") from None
        if not faults:
            raise BadFaults(f"{file}: no [[leak]] in it")
        yield from faults


def changed(fault: Fault, root: Path = ROOT) -> str:
    """The file with the fault in it. Raises ValueError if the old text does not stand there once."""
    text = (root / fault.file).read_text("utf-8")
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.id}: the text stands {text.count(fault.old)} times in {fault.file}")
    return text.replace(fault.old, fault.new)


def plant(fault: Fault) -> Planted:
    """Run `pbem leaks` in a copy of the program that has the fault."""
    with TemporaryDirectory(prefix="pbem-planted-") as folder:
        copy = Path(folder)
        for package in ("pbem", "games"):
            shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / fault.file).write_text(changed(fault), "utf-8")
        words = ["leaks", fault.game, "--first", "--json", "--pairs", fault.pairs, "--post", fault.post]
        run = subprocess.run(
            [sys.executable, "-m", "pbem", *map(str, words)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
            timeout=_LONGEST,
            check=False,
        )
    try:
        told = json.loads(run.stdout)
    except ValueError:
        return Planted(fault.id, False, where=run.stderr[-300:])
    leaks = told["leaks"]
    crash = bool(leaks) and "Traceback" in leaks[0]["text"]
    return Planted(
        fault.id, bool(leaks) and not crash, told["pairs"] + told["post"], leaks[0]["where"] if leaks else ""
    )
