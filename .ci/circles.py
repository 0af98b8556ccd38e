"""Counts import circles, and reaches into another module's privates; exits with 1 if there are any.

    python .ci/circles.py [FOLDER]     the checkout to read (default: the one this file is in)

A module imports another if any import of it names it: at the top, inside a function, or for types only. Modules that
import each other, however far round, are a circle. Importing a submodule runs its packages, but does not count as
importing them: a package's `__init__` may gather what its modules offer.

A private is a name that begins with one underscore. Only its own module may read it, and of a class its methods and
those of its subclasses. `NamedTuple`'s methods are public in spite of their names.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGES = ("pbem", "games")
PUBLIC = {"_replace", "_asdict", "_fields", "_make", "_field_defaults", "_exit"}

CIRCLES_LEFT: set[str] = set()
"""First modules of the circles that are still to be opened. One that is gone must be struck out here."""

REACHES_LEFT: dict[str, int] = {}
"""Reaches that are still to be mended, by module. A module that has fewer must be lowered here."""


def main(arguments: list[str]) -> int:
    """Print what is found; 1 if it is not allowed."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    trees = {name: ast.parse(path.read_text("utf-8"), str(path)) for name, path in sorted(modules(root))}
    packages = {name for name, path in modules(root) if path.name == "__init__.py"}
    circles = circles_of({name: imports(name, tree, trees, packages) for name, tree in trees.items()})
    found = {name: list(reaches(tree)) for name, tree in trees.items()}
    counts = Counter({name: len(some) for name, some in found.items() if some})
    wrong = [f"circle: {' / '.join(circle)}" for circle in circles if circle[0] not in CIRCLES_LEFT]
    gone = CIRCLES_LEFT.difference(circle[0] for circle in circles).intersection(trees)
    wrong += [f"circle: that of {name} is gone: strike it out of CIRCLES_LEFT" for name in sorted(gone)]
    for name, some in found.items():
        if counts[name] > REACHES_LEFT.get(name, 0):
            wrong += [f"reach: {name}:{line} reads {what}" for line, what in some]
        elif counts[name] < REACHES_LEFT.get(name, 0):
            wrong.append(f"reach: {name} has {counts[name]} left: lower its number in REACHES_LEFT")
    for line in wrong:
        print(line)
    print(f"{len(trees)} modules, {len(circles)} import circles, {counts.total()} reaches into privates")
    return 1 if wrong else 0


def modules(root: Path) -> Iterator[tuple[str, Path]]:
    """Every module of the two packages: its dotted name and its file."""
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(name: str, tree: ast.Module, known: Mapping[str, ast.Module], packages: set[str]) -> set[str]:
    """Return the modules that `name` imports anywhere."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                home = name.split(".")[: None if name in packages and node.level == 1 else -node.level]
                base = ".".join([*home, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in known else base)
    return {module for module in found if module in known and module != name}


def circles_of(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan), each sorted."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    circles: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                circles.append(sorted(stack[at:]))
            del stack[at:]

    for name in graph:
        if name not in index:
            visit(name)
    return sorted(circles)


def reaches(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Private names of other modules that a module reads or imports: line and text."""
    own = defined(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if private(alias.name):
                    yield node.lineno, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Attribute) and private(node.attr) and node.attr not in own:
            inherited = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            of_super = (
                isinstance(node.value, ast.Call)
                and isinstance(node.value.func, ast.Name)
                and node.value.func.id == "super"
            )
            if not inherited and not of_super:
                yield node.lineno, ast.unparse(node)


def private(name: str) -> bool:
    """Whether a name begins with one underscore (two and more are Python's own)."""
    return name.startswith("_") and not name.startswith("__") and name.strip("_") != "" and name not in PUBLIC


def defined(tree: ast.Module) -> set[str]:
    """Return the private names that a module defines: at its top, in its classes, as attributes of `self`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if ast.unparse(node.value) in ("self", "cls") else set()
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
