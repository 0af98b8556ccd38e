"""Structs as plain tables, in an order that TOML can keep.

TOML writes the values of a table before its sub-tables. Struct fields are sorted that way. The order of a dict's keys
may matter (whose turn is next) and is never changed.
"""

from __future__ import annotations

import functools
from datetime import datetime
from typing import Any

import msgspec

from pbem.save.errors import Unwritable
from pbem.timestamps import stamp

_REQUIRED = object()


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, str, Any, bool], ...]:
    """Return the fields of a type: the key, the attribute, the default, whether it is a time."""
    fields = []
    for field in msgspec.structs.fields(kind):
        default: Any = field.default
        if default is msgspec.NODEFAULT:
            factory = field.default_factory
            default = _REQUIRED if factory is msgspec.NODEFAULT else factory()
        fields.append((field.encode_name, field.name, default, field.type == datetime | None))
    return tuple(fields)


def plain(value: Any, key: str = "", *, sparse: bool = False) -> Any:
    """Convert `value` to dicts, lists and scalars that TOML can hold. `key` names it in errors.

    None is left out where reading gives None again, `UNSET` always; a time of None is "". With `sparse`, struct
    fields with their default are left out too. Raises `Unwritable`.
    """
    kind = value.__class__
    if kind is str or kind is int or kind is bool or kind is float:
        return value
    if kind is dict:
        return _dict(value, key, sparse)
    if kind is list or kind is tuple:
        return [plain(item, f"{key}[{at}]", sparse=sparse) for at, item in enumerate(value)]
    if kind is datetime:
        return stamp(value)
    if isinstance(value, msgspec.Struct):
        if kind.__struct_config__.array_like:
            return plain(msgspec.to_builtins(value), key, sparse=sparse)
        return _struct(value, key, sparse)
    if value is None:
        raise Unwritable("TOML can't hold None", key=key)
    if isinstance(value, (set, frozenset)):
        raise Unwritable("a set has no order; use a list or a dict", key=key)
    try:
        other = msgspec.to_builtins(value)
    except (TypeError, ValueError) as error:
        raise Unwritable(str(error), key=key) from None
    if other.__class__ is kind:
        raise Unwritable(f"TOML can't hold a {kind.__name__}", key=key)
    return plain(other, key, sparse=sparse)


def _dict(value: dict[Any, Any], key: str, sparse: bool) -> dict[str, Any]:
    out = {}
    for name, item in value.items():
        if name.__class__ is not str:
            name = msgspec.to_builtins(name)
            if not isinstance(name, str):
                raise Unwritable(f"keys must be strings, {name!r} is not", key=key)
        out[name] = plain(item, f"{key}.{name}", sparse=sparse)
    return out


def _struct(value: msgspec.Struct, key: str, sparse: bool) -> dict[str, Any]:
    config = value.__struct_config__
    sparse = sparse or config.omit_defaults
    values: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    if config.tag_field is not None:
        values[config.tag_field] = config.tag
    for name, attribute, default, is_time in _fields(type(value)):
        item = getattr(value, attribute)
        if item is None:
            if is_time and not sparse:
                values[name] = ""  # keep the key, so that people can fill it in
            elif default is not None:
                raise Unwritable("None can be left out only where it is the default", key=f"{key}.{name}")
            continue
        if item is msgspec.UNSET or (sparse and item == default):
            continue
        clean = plain(item, f"{key}.{name}", sparse=sparse)
        (tables if clean.__class__ is dict else values)[name] = clean
    values.update(tables)
    return values
