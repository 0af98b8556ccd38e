"""The position a case begins with: a game set up with unshuffled decks, then patched piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from pbem.kernel import fiat
from pbem.kernel.problems import refuse
from pbem.trial.casefile import Case, flat


def build(case: Case, state: Any) -> Any:
    """Patch `state` in place as the case says: clear, state, pour, last. Raises `Refused` naming the path.

    Pieces stay complete: a list that is given pieces takes them from where they lay; what it loses goes to its supply.
    """
    for path in case.clear:
        pieces = find(state, path)
        supply = _supply(case, state, path)
        if supply is not None:
            supply[:0] = [piece for group in _lists(pieces) for piece in group]
        pieces.clear()
    steps = list(_steps(state, case.state))
    _take(case, state, steps)
    fiat.apply(state, [{"path": path, "value": value} for path, value in steps])
    for source, target in case.pour.items():
        from_list, to_list = find(state, source), find(state, target)
        to_list.extend(from_list)
        from_list.clear()
    for path, pieces in case.last.items():
        target = find(state, path)
        for piece in pieces:
            home = next((group for group in _group(case, state, path) if piece in group), None)
            if home is None:
                raise refuse("fiat.value", path=path, why=f"there is no piece '{piece}'")
            home.remove(piece)
        target.extend(pieces)
    return state


def find(state: Any, path: str) -> Any:
    """The value at a dotted path. Raises `Refused` if there is none."""
    holder = state
    for name in path.split("."):
        if isinstance(holder, msgspec.Struct) and name in holder.__struct_fields__:
            holder = getattr(holder, name)
        elif isinstance(holder, dict) and name in holder:
            holder = holder[name]
        elif isinstance(holder, list) and name.isdigit() and int(name) < len(holder):
            holder = holder[int(name)]
        else:
            raise refuse("fiat.path", path=path)
    return holder


def _steps(state: Any, patch: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Patches as paths and values: down to what exists, and a whole table where something new is put."""
    for key, value in patch.items():
        yield from _descend(state, key, value)


def _descend(state: Any, path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        try:
            find(state, path)
        except ValueError:
            yield path, value
            return
        for key, inner in value.items():
            yield from _descend(state, f"{path}.{key}", inner)
    else:
        yield path, value


def _take(case: Case, state: Any, steps: list[tuple[str, Any]]) -> None:
    """Take the pieces that the patches need from where they lie, and give back what the patches displace."""
    for supply_path, patterns in case.supply.items():
        mine = [(path, value) for path, value in steps if _inside(path, value, (supply_path, *patterns))]
        if not mine:
            continue
        wanted = [piece for _, value in mine for pieces in _lists(value) for piece in pieces]
        displaced: list[str] = []
        kept: list[list[Any]] = []
        for path, _ in mine:
            try:
                old = list(_lists(find(state, path)))
            except ValueError:  # something new is put there
                old = []
            kept += old
            displaced += [piece for pieces in old for piece in pieces]
        for piece in list(displaced):
            if piece in wanted:
                displaced.remove(piece)
                wanted.remove(piece)
        others = [
            pieces for pieces in _group(case, state, supply_path) if not any(pieces is old for old in kept)
        ]
        for piece in wanted:
            _swap(others, piece, displaced, supply_path)
        find(state, supply_path)[:0] = displaced


def _swap(others: list[list[Any]], piece: str, displaced: list[str], supply_path: str) -> None:
    """Take `piece` from the first list that has it; outside the supply a displaced piece takes its place."""
    for index, power in enumerate(others):
        if piece in power:
            at = power.index(piece)
            if index and displaced:
                power[at] = displaced.pop()
            else:
                del power[at]
            return
    raise refuse("fiat.value", path=supply_path, why=f"there is no piece '{piece}' left to take")


def _group(case: Case, state: Any, path: str) -> list[list[Any]]:
    """The lists over which a set of pieces is spread, the supply first."""
    supply, patterns = next(
        (s, p) for s, p in case.supply.items() if path == s or any(_covers(pattern, path) for pattern in p)
    )
    out = [find(state, supply)]
    for pattern in patterns:
        for holder in _matching(state, pattern.split(".")):
            out += _lists(holder)
    return out


def _supply(case: Case, state: Any, path: str) -> list[Any] | None:
    for supply, patterns in case.supply.items():
        if any(_covers(pattern, path) or _covers(path, pattern) for pattern in patterns):
            found: list[Any] = find(state, supply)
            return found
    return None


def _matching(holder: Any, names: list[str]) -> Iterator[Any]:
    if not names:
        yield holder
        return
    name, rest = names[0], names[1:]
    if isinstance(holder, dict):
        for key in holder if name == "*" else [name] if name in holder else []:
            yield from _matching(holder[key], rest)
    elif isinstance(holder, msgspec.Struct):
        yield from _matching(getattr(holder, name), rest)


def _covers(pattern: str, path: str) -> bool:
    """Whether `path` is the place of `pattern` (in which `*` is any name) or lies below it."""
    names, way = pattern.split("."), path.split(".")
    return len(way) >= len(names) and all(n in ("*", w) for n, w in zip(names, way, strict=False))


def _inside(path: str, value: Any, patterns: tuple[str, ...]) -> bool:
    """Whether a patch sets pieces: the path, or a path within its value, is covered by a pattern."""
    paths = [f"{path}.{inner}" for inner, _ in flat(value)] if isinstance(value, dict) else [path]
    return any(_covers(pattern, other_path) for pattern in patterns for other_path in paths)


def _lists(holder: Any) -> Iterator[list[Any]]:
    """Every list of plain pieces within a value."""
    if isinstance(holder, list):
        if all(isinstance(piece, str) for piece in holder):
            yield holder
        else:
            for item in holder:
                yield from _lists(item)
    elif isinstance(holder, dict):
        for part in holder.values():
            yield from _lists(part)
    elif isinstance(holder, msgspec.Struct):
        for name in holder.__struct_fields__:
            yield from _lists(getattr(holder, name))
