"""The line of a key in a TOML text. Used for error messages only: the text has been parsed already."""

from __future__ import annotations

import re
import typing
from collections.abc import Sequence
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


_BARE = pattern(r"[A-Za-z0-9_-]+")
_STEP = pattern(r"([^.\[\]]+)|\[(\d+)\]")
_BLANK = pattern(r"(?:[ \t\n]|#[^\n]*)*")
_ATOM = pattern(r"[^,\]\}\s#]+(?: [0-9:.]+[^,\]\}\s#]*)?")
_STRING = pattern(
    r'"""(?:\\.|(?!""").)*"{3,5}|\'\'\'(?:(?!\'\'\').)*\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL
)


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
    """Map every key, table and list item of a valid TOML text to its line."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Steps, int] = {}
        self.counts: dict[Steps, int] = {}
        self._line, self._counted = 1, 0

    def run(self) -> dict[Steps, int]:
        base: Steps = ()
        self._blank()
        while self.at < len(self.text):
            if self.text.startswith("[[", self.at):
                self.at += 2
                base = self._header(array=True)
                self.at += 2
            elif self.text[self.at] == "[":
                self.at += 1
                base = self._header(array=False)
                self.at += 1
            else:
                self._pair(base)
            self._blank()
        return self.lines

    def _blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        if match:
            self.at = match.end()

    def _here(self, path: Steps) -> None:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        self.lines.setdefault(path, self._line)

    def _header(self, *, array: bool) -> Steps:
        names = self._names()
        path: Steps = ()
        for depth, name in enumerate(names):
            path = (*path, name)
            last = depth == len(names) - 1
            if array and last:
                self.counts[path] = self.counts.get(path, -1) + 1
            if path in self.counts:
                if array and last:
                    self._here(path)
                path = (*path, self.counts[path])
            self._here(path)
        return path

    def _names(self) -> list[str]:
        names = []
        while True:
            self._blank()
            match = _BARE.match(self.text, self.at)
            if match:
                names.append(match.group())
            else:
                match = _STRING.match(self.text, self.at)
                if match is None:
                    return names
                names.append(_unquoted(match.group()))
            self.at = match.end()
            self._blank()
            if not self.text.startswith(".", self.at):
                return names
            self.at += 1

    def _pair(self, base: Steps) -> None:
        path = base
        start = self.at
        for name in self._names():
            path = (*path, name)
            self._here(path)
        self.at += 1  # the equals sign
        self._value(path)
        if self.at <= start:  # pragma: no cover - only for invalid TOML
            self.at = len(self.text)

    def _value(self, path: Steps) -> None:
        self._blank()
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self.at += 1
            index = 0
            self._blank()
            while self.at < len(self.text) and self.text[self.at] != "]":
                self._here((*path, index))
                self._value((*path, index))
                index += 1
                self._comma()
            self.at += 1
        elif opening == "{":
            self.at += 1
            self._blank()
            while self.at < len(self.text) and self.text[self.at] != "}":
                self._pair(path)
                self._comma()
            self.at += 1
        else:
            match = _STRING.match(self.text, self.at) or _ATOM.match(self.text, self.at)
            self.at = match.end() if match else len(self.text)

    def _comma(self) -> None:
        self._blank()
        if self.text.startswith(",", self.at):
            self.at += 1
            self._blank()


def _unquoted(word: str) -> str:
    if word[0] == "'":
        return word[1:-1]
    import tomllib  # only for an error message

    value: str = tomllib.loads(f"x = {word}")["x"]
    return value


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
