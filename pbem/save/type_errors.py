"""Where exactly a value is not of its type. msgspec names no dict keys and no indices, so each part is tried."""

from __future__ import annotations

import typing
from datetime import datetime
from typing import Any

import msgspec
import msgspec.inspect

from pbem.save.errors import no_such_key
from pbem.save.locate import Fault


def type_error(raw: Any, kind: Any) -> Fault | None:
    """The innermost part of `raw` that is not of the type `kind` asks for, None if all is well."""
    try:
        msgspec.convert(raw, kind)
        return None
    except msgspec.ValidationError as error:
        whole = str(error).split(" - at `")[0]
    if isinstance(raw, str) and kind in (datetime, datetime | None):
        return Fault((), f"'{raw}' isn't a time. Write one like 2026-05-01T12:00:00Z")
    struct = isinstance(raw, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    if struct:
        config = kind.__struct_config__
        for name in raw:
            if name not in kind.__struct_encode_fields__ and name != config.tag_field:
                return Fault((name,), no_such_key(kind.__struct_encode_fields__))
    for name, item, inner in _parts(raw, kind):
        found = type_error(item, inner)
        if found is not None:
            return found.below(name)
    if struct:
        for field in msgspec.structs.fields(kind):
            if field.required and field.encode_name not in raw:
                return Fault((), f"the key '{field.encode_name}' is missing")
    return Fault((), whole[0].lower() + whole[1:])


def _parts(raw: Any, kind: Any) -> list[tuple[str | int, Any, Any]]:
    """The parts of `raw` with the type that each must have."""
    info = msgspec.inspect.type_info(kind)
    inner = typing.get_args(kind)
    if isinstance(info, msgspec.inspect.UnionType):
        return next((parts for option in inner if (parts := _parts(raw, option))), [])
    if isinstance(raw, dict):
        if isinstance(info, msgspec.inspect.StructType):
            hints = typing.get_type_hints(info.cls)
            return [
                (f.encode_name, raw[f.encode_name], hints[f.name])
                for f in info.fields
                if f.encode_name in raw
            ]
        if isinstance(info, msgspec.inspect.DictType) and inner:
            return [(name, item, inner[1]) for name, item in raw.items()]
    elif isinstance(raw, list):
        if isinstance(info, msgspec.inspect.TupleType):
            return [(at, item, inner[at]) for at, item in enumerate(raw[: len(inner)])]
        if isinstance(info, msgspec.inspect.CollectionType) and inner:
            return [(at, item, inner[0]) for at, item in enumerate(raw)]
    return []
