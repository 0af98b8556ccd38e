#!/usr/bin/env python3
"""Plant a misspelt field in every function of the games that names one: mypy must find 95 in 100 of each game.

A field is an attribute of the state or the components, or a key of an answer, but not of one that is still being read.
The plants stand in a copy of the tree, always in the same places (`--seed N`: in others). `--show` lists those missed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SHARE = 0.95
FIELDS = ("state.py", "components.py")
"""Modules of a game whose classes say what the fields are."""


class Plant(NamedTuple):
    """A word to misspell: where it ends in a file, and which it is."""

    path: Path
    function: str
    line: int
    end: int
    word: str


def fields(game: Path) -> set[str]:
    """Return the annotated fields of the state and the components of a game."""
    found = set()
    for name in FIELDS:
        for node in ast.walk(ast.parse((game / name).read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found |= {
                    part.target.id
                    for part in node.body
                    if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
                }
    return found


def answers(function: ast.FunctionDef) -> set[str]:
    """Return the names in a function that hold an answer: what a `yield` gave."""
    return {
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Yield | ast.YieldFrom)
    }


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods of a module; what is defined within them belongs to them."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{part.name}", part) for part in node.body if isinstance(part, ast.FunctionDef))


def plants(game: Path, seed: int) -> list[Plant]:
    """One word of every function that has one, which one depends on the seed alone."""
    known, found = fields(game), []
    for path in sorted(game.rglob("*.py")):
        source = path.read_text("utf-8")
        for name, function in functions(ast.parse(source)):
            held, other = answers(function), half_answers(function)
            words = [
                Plant(path, name, node.end_lineno or 0, node.end_col_offset or 0, word)
                for node in ast.walk(ast.Module(function.body, []))
                if (word := word_of(node, known, held, other))
                and source.splitlines()[(node.end_lineno or 0) - 1].isascii()
            ]
            found += sorted(words, key=lambda plant: rank(seed, *plant[1:]))[:1]
    return found


def half_answers(function: ast.FunctionDef) -> set[str]:
    """Return the names that hold the first fields of an answer while the others are worked out, and `self`."""
    found = {"self"}
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            found |= {
                arg.arg
                for arg in node.args.args
                if isinstance(node, ast.Lambda) or (arg.annotation and ast.unparse(arg.annotation) == "Values")
            }
    return found


def word_of(node: ast.AST, known: set[str], held: set[str], other: set[str]) -> str:
    """Return the field that a node names: `….field`, or `answer["field"]`."""
    match node:
        case ast.Attribute(value=ast.Name(id=name)) if name in other:
            return ""
        case ast.Attribute(attr=word) if word in known:
            return word
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(word))) if name in held:
            return word
    return ""


def rank(*of: object) -> str:
    """Return a number as good as drawn at random, and always the same."""
    return hashlib.sha256(":".join(map(str, of)).encode()).hexdigest()


def misspell(plant: Plant) -> None:
    """Double the last letter of the word."""
    lines = plant.path.read_text("utf-8").splitlines(keepends=True)
    line = lines[plant.line - 1]
    at = line.rindex(plant.word, 0, plant.end) + len(plant.word)
    lines[plant.line - 1] = line[:at] + plant.word[-1] + line[at:]
    plant.path.write_text("".join(lines), "utf-8")


def copy(to: Path) -> None:
    """Return the checkout as mypy reads it, with what it knows of it from the last run."""
    for name in ("pbem", "games", ".mypy_cache"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", "*.toml"))
    shutil.copy2(ROOT / "pyproject.toml", to)


def errors(at: Path) -> set[tuple[Path, int]]:
    """Files and lines in which mypy finds something."""
    command = [sys.executable, "-m", "mypy", "-p", "pbem", "-p", "games"]
    told = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    if told.returncode > 1:
        sys.exit(told.stdout + told.stderr)
    found = re.findall(r"^(\S+?):(\d+): error", told.stdout, re.MULTILINE)
    return {(at / path, int(line)) for path, line in found}


def main() -> None:
    """Plant, ask, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        copy(at)
        planted = {
            game.name: plants(game, told.seed)
            for game in sorted((at / "games").iterdir())
            if (game / "state.py").is_file()
        }
        for plant in (planted_word for found in planted.values() for planted_word in found):
            misspell(plant)
        seen = errors(at)
        low = []
        for name, found in planted.items():
            missed = [plant for plant in found if (plant.path, plant.line) not in seen]
            print(f"{name}: {len(found) - len(missed)} of {len(found)} misspelt fields found")
            if told.show:
                for plant in missed:
                    print(f"  {plant.path.relative_to(at)}:{plant.line} {plant.function}: {plant.word}")
            if len(missed) > (1 - SHARE) * len(found):
                low.append(name)
    if low:
        sys.exit(f"fewer than {SHARE:.0%} found: {', '.join(low)}")


if __name__ == "__main__":
    main()
