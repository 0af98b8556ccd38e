"""TOML text as plain tables, and plain tables as structs, with errors that name the key and the line."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from tomli import loads  # compiled, a third of tomllib's time

from pbem.lazy_regex import pattern
from pbem.save.errors import SaveKeyError, Unreadable, no_such_key
from pbem.save.key_positions import KeyFault, Steps, dotted, line_of, type_error

T = TypeVar("T")

_LINE = pattern(r"at line (\d+)")


def parse(text: str, skipped: int = 0) -> dict[str, Any]:
    """Parse `text`, which begins after `skipped` lines of its file. Raises `Unreadable`."""
    try:
        return loads(text)
    except ValueError as error:
        why = str(error)
        match = _LINE.search(why)
        # Counted from the beginning of the parsed part.
        line = int(match.group(1)) if match else text.count("\n") + 1
        raise Unreadable(f"not TOML: {why.split(' (at ', maxsplit=1)[0]}", line=line + skipped) from None
    except RecursionError:
        raise Unreadable("not TOML: nested too deeply") from None


_DEEPEST = 50


def too_deep(value: Any) -> bool:
    """Check whether tables or lists are nested too deeply for recursive functions."""
    row, depth = [value], 0
    while row and depth <= _DEEPEST:
        inner = (part.values() if isinstance(part, dict) else part for part in row)
        row = [part for parts in inner for part in parts if isinstance(part, dict | list)]
        depth += 1
    return bool(row)


def typed(raw: Any, kind: type[T], path: Steps, text: str = "", skipped: int = 0) -> T:
    """Convert `raw`, at `path` of the file, strictly. Raises `SaveKeyError` with its line in `text`."""
    fault: KeyFault | None
    try:
        value = msgspec.convert(raw, kind)
        fault = unknown_key(raw, value)
        if fault is None:
            return value
    except msgspec.ValidationError as error:
        fault = type_error(raw, kind) or KeyFault((), str(error))
    raise bad_key(fault.below(*path), text, skipped)


def bad_key(fault: KeyFault, text: str = "", skipped: int = 0) -> SaveKeyError:
    """Return the error for a fault of the file, with its line in `text`."""
    line = line_of(text, fault.path) if text else 0
    return SaveKeyError(fault.why, key=dotted(fault.path), line=line + skipped if line else 0)


def unknown_key(raw: Any, value: Any) -> KeyFault | None:
    """Return the first key of `raw` that no struct of `value` has: msgspec ignores it, unless the struct forbids it."""
    pairs: Any
    if raw.__class__ is dict:
        if isinstance(value, msgspec.Struct):
            fields = dict(zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True))
            for name in raw:
                if name not in fields and name != value.__struct_config__.tag_field:
                    return KeyFault((name,), no_such_key(fields))
            pairs = [(name, item, getattr(value, fields[name])) for name, item in raw.items() if name in fields]
        elif value.__class__ is dict:
            pairs = zip(raw, raw.values(), value.values(), strict=True)
        else:
            return None
    elif raw.__class__ is list and isinstance(value, (list, tuple)):
        pairs = zip(range(len(raw)), raw, value, strict=True)
    else:
        return None
    for name, item, held in pairs:
        if item.__class__ is dict or item.__class__ is list:
            found = unknown_key(item, held)
            if found is not None:
                return found.below(name)
    return None
