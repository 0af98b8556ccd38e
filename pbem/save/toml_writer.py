"""Plain tables as TOML text: stable, readable in a diff, with the order of every dict kept.

tomli-w reorders dicts that mix lists of tables and scalars, so it isn't used. Tables get headers where TOML can keep
their order, down to `DEPTH` names (`DEEPEST`, if long); others are inline. Strings with line breaks become blocks
unless one of their lines could be read as a header.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbem.lazy_regex import pattern

END = "# end of save"
"""The last line of every save, so that a truncated file is detected without reading the rest."""

DEPTH = 4
"""How many names a header may have: `[checkpoint.state.countries.england]`."""

DEEPEST = 6
"""How many it may have if one of the sibling tables would be longer than `WIDTH` inline."""

WIDTH = 100
"""A longer list (in characters) is written with one item a line."""

_BARE = re.compile(r"[A-Za-z0-9_-]+").fullmatch
_PLAIN = re.compile(r'[^"\\\x00-\x1f\x7f]*').fullmatch
_ESCAPED = pattern(r'["\\\x00-\x1f\x7f]')
_BLOCK_ESCAPED = pattern(r"[\\\x00-\x09\x0b-\x1f\x7f]")
_QUOTES = pattern(r'"{2,}|"\Z')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def section(name: str, table: Mapping[str, Any]) -> str:
    """Write `table` under the header `[name]`, sub-tables after it. Ends with an empty line."""
    out: list[str] = []
    _table(out, (name,), table)
    return "".join(out)


def sections(name: str, tables: Iterable[Mapping[str, Any]]) -> str:
    """Write each table under a header `[[name]]`, everything below it inline. Ends with an empty line."""
    out: list[str] = []
    for table in tables:
        out.append(f"[[{name}]]\n")
        _lines(out, table)
        out.append("\n")
    return "".join(out)


def key(name: str) -> str:
    """Return a key, quoted if necessary."""
    return name if _BARE(name) else _string(name)


def inline(value: Any) -> str:
    """Write a value on one line."""
    kind = value.__class__
    if kind is str:
        return _string(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is dict:
        if not value:
            return "{}"
        return "{ " + ", ".join([f"{key(name)} = {inline(item)}" for name, item in value.items()]) + " }"
    if kind is list:
        return "[" + ", ".join([inline(item) for item in value]) + "]"
    if kind is float:
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value)
    raise TypeError(f"not a plain TOML value: {value!r}")


def _table(out: list[str], path: tuple[str, ...], table: Mapping[str, Any]) -> None:
    tables = _below(table) if len(path) < DEEPEST else []
    if len(path) >= DEPTH and all(len(inline(table[name])) <= WIDTH for name in tables):
        tables = []
    values = {name: item for name, item in table.items() if name not in tables} if tables else table
    if values or not tables:
        out.append("[" + ".".join(map(key, path)) + "]\n")
        _lines(out, values)
        out.append("\n")
    for name in tables:
        _table(out, (*path, name), table[name])


def _below(table: Mapping[str, Any]) -> Sequence[str]:
    """Return the keys that get headers: all tables, if no plain value comes after the first of them."""
    tables: list[str] = []
    for name, item in table.items():
        if item.__class__ is dict:
            tables.append(name)
        elif tables:
            return []
    return tables


def _lines(out: list[str], table: Mapping[str, Any]) -> None:
    for name, item in table.items():
        out.append(f"{key(name)} = {_value(item)}\n")


def _value(value: Any) -> str:
    """Write a value after its key: long lists item by item, multi-line texts as blocks."""
    if value.__class__ is str and "\n" in value and not _like_header(value):
        body = _BLOCK_ESCAPED.sub(_escape, value)
        return '"""\n' + _QUOTES.sub(lambda found: '\\"' * len(found.group()), body) + '"""'
    text = inline(value)
    if value.__class__ is list and value and len(text) > WIDTH:
        return "[\n" + "".join([f"  {inline(item)},\n" for item in value]) + "]"
    return text


def _like_header(text: str) -> bool:
    return any(line.lstrip().startswith(("[", END)) for line in text.split("\n"))


def _string(text: str) -> str:
    if _PLAIN(text):
        return f'"{text}"'
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return _SHORT.get(char) or f"\\u{ord(char):04x}"
