"""The line of a key in a TOML text. Used for error messages only: the text has been parsed already."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
import msgspec.inspect

from pbem.lazy_regex import pattern
from pbem.save.errors import no_such_key

Steps = tuple[str | int, ...]
"""The path to a value: keys and list indices, e.g. `("seats", 1, "zone")`."""


class KeyFault(msgspec.Struct, frozen=True):
    """The place of a fault within a value, and the reason."""

    path: Steps
    why: str

    def below(self, *path: str | int) -> KeyFault:
        return KeyFault((*path, *self.path), self.why)


_STEP = pattern(r"([^.\[\]]+)|\[(\d+)\]")
_CLOSING = pattern(r"""(?:[\]}]|\"{3}|'{3})\s*(?:#.*)?$""")  # may end a value of several lines


def dotted(path: Sequence[str | int]) -> str:
    """Format a path for people: `seats[1].zone`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out


def steps(key: str) -> Steps:
    """Parse a dotted key; inverse of `dotted` if no key contains a dot or bracket."""
    return tuple(name or int(index) for name, index in _STEP.findall(key))


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line (from 1) of `path`, or of the nearest table around it; 0 if there is none."""
    lines = positions(text)
    for length in range(len(path), 0, -1):
        found = lines.get(tuple(path[:length]))
        if found is not None:
            return found
    return 0


def positions(text: str) -> dict[Steps, int]:
    """Map every key, table and list item of a valid TOML text to the line where its table or value begins."""
    import tomllib  # only for an error message

    lines: dict[Steps, int] = {}
    counts: dict[Steps, int] = {}
    base: Steps = ()
    start, statement = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        start = start if statement else number
        closes = not statement or _CLOSING.search(line)
        statement += f"{line}\n"
        if not closes:
            continue
        try:
            found = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue  # the value goes on
        if statement.lstrip().startswith("["):
            base = _table(found, counts)
            lines |= {base[:size]: start for size in range(1, len(base) + 1) if base[:size] not in lines}
        else:
            lines |= {(*base, *path): start for path in _places(found) if (*base, *path) not in lines}
        statement = ""
    return lines


def _table(header: dict[str, Any], counts: dict[Steps, int]) -> Steps:
    """Return the path that a parsed header opens. `counts` has the index of the last table of each array."""
    path: Steps = ()
    inner: Any = header
    while inner:
        ((name, inner),) = inner.items()
        path = (*path, name)
        if isinstance(inner, list):
            counts[path] = counts.get(path, -1) + 1
            inner = inner[0]
        if path in counts:
            path = (*path, counts[path])
    return path


def _places(value: Any) -> Iterator[Steps]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield (name,)
        yield from ((name, *path) for path in _places(part))


# Which part of a value has the wrong type. msgspec names no dict keys and no indices, so each part is tried.


def type_error(raw: Any, kind: Any) -> KeyFault | None:
    """Return the innermost part of `raw` that doesn't have the type `kind` requires, None if all is well."""
    try:
        msgspec.convert(raw, kind)
        return None
    except msgspec.ValidationError as error:
        whole = str(error).split(" - at `")[0]
    if isinstance(raw, str) and kind in (datetime, datetime | None):
        return KeyFault((), f"'{raw}' isn't a time. Write one like 2026-05-01T12:00:00Z")
    struct = isinstance(raw, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    if struct:
        config = kind.__struct_config__
        for name in raw:
            if name not in kind.__struct_encode_fields__ and name != config.tag_field:
                return KeyFault((name,), no_such_key(kind.__struct_encode_fields__))
    for name, item, inner in _parts(raw, kind):
        found = type_error(item, inner)
        if found is not None:
            return found.below(name)
    if struct:
        for field in msgspec.structs.fields(kind):
            if field.required and field.encode_name not in raw:
                return KeyFault((), f"the key '{field.encode_name}' is missing")
    return KeyFault((), whole[0].lower() + whole[1:])


def _parts(raw: Any, kind: Any) -> list[tuple[str | int, Any, Any]]:
    info = msgspec.inspect.type_info(kind)
    inner = typing.get_args(kind)
    if isinstance(info, msgspec.inspect.UnionType):
        return next((parts for option in inner if (parts := _parts(raw, option))), [])
    if isinstance(raw, dict):
        if isinstance(info, msgspec.inspect.StructType):
            hints = typing.get_type_hints(info.cls)
            return [(f.encode_name, raw[f.encode_name], hints[f.name]) for f in info.fields if f.encode_name in raw]
        if isinstance(info, msgspec.inspect.DictType) and inner:
            return [(name, item, inner[1]) for name, item in raw.items()]
    elif isinstance(raw, list):
        if isinstance(info, msgspec.inspect.TupleType):
            return [(at, item, inner[at]) for at, item in enumerate(raw[: len(inner)])]
        if isinstance(info, msgspec.inspect.CollectionType) and inner:
            return [(at, item, inner[0]) for at, item in enumerate(raw)]
    return []
