"""The TOML files of a package and what is computed from them, cached as MessagePack.

The cache, `FOLDER/__pycache__/tables.msgpack` or where `sys.pycache_prefix` says, holds the hash of its sources. If it
is missing, damaged or outdated, the TOML is parsed again. A wheel contains it, for read-only installations.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

T = TypeVar("T")
Work = Callable[[dict[str, Any]], T]
"""Computes what is cached from the parsed files of a folder, by their names without `.toml`."""

FORMAT = b"pbem tables 1\n"
"""Raise this with any change of what is cached."""

KEPT = "tables.msgpack"


def made(package: str, folder: str, work: Work[T]) -> T | None:
    """Return the plain data that `work` makes of the TOML files in a folder of a package; None without files."""
    place = folder_of(package, folder)
    sources = _sources(place)
    if not sources:
        return None
    stamp = _stamp(sources)
    if not isinstance(place, Path):  # a zip
        return work(_parsed(sources))
    found = _load_cached(place, stamp)
    if found is not None:
        return found  # type: ignore[no-any-return]
    result = work(_parsed(sources))
    if not sys.dont_write_bytecode:
        with suppress(OSError, TypeError, ValueError, OverflowError):
            _keep(_cache(place), stamp, result)
    return result


def tables_of(package: str, folder: str) -> dict[str, Any]:
    """Return the TOML files in a folder of a package, by their names without `.toml`."""
    return made(package, folder, dict) or {}


def keep(folder: Path, work: Work[Any]) -> Path:
    """Write the cache of `folder` for a wheel; return its path. Raises OSError, ValueError."""
    sources = _sources(folder)
    return _keep(folder / "__pycache__", _stamp(sources), work(_parsed(sources)))


def folder_of(package: str, folder: str) -> Path | Traversable:
    """Locate a folder of a package."""
    found = import_module(package)
    for place in getattr(found, "__path__", ()):
        if Path(place).is_dir():
            return Path(place) / folder
    from importlib.resources import files  # for packages in a zip

    return files(package) / folder


def _sources(folder: Path | Traversable) -> list[tuple[str, bytes]]:
    if not folder.is_dir():
        return []
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    return [(file.name, file.read_bytes()) for file in sorted(files, key=lambda file: file.name)]


def _stamp(sources: list[tuple[str, bytes]]) -> bytes:
    found = sha256(FORMAT)
    for name, content in sources:
        found.update(f"{name} {len(content)}\n".encode())
        found.update(content)
    return found.digest()


def toml_tables(content: bytes) -> dict[str, Any]:
    """Return the tables of a TOML file."""
    from tomli import loads  # compiled, a third of tomllib's time

    return loads(content.decode("utf-8"))


def _parsed(sources: list[tuple[str, bytes]]) -> dict[str, Any]:
    tables = {}
    for name, content in sources:
        try:
            tables[name.removesuffix(".toml")] = toml_tables(content)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return tables


def _cache(folder: Path) -> Path:
    prefix = sys.pycache_prefix
    return Path(prefix, *folder.absolute().parts[1:]) if prefix else folder / "__pycache__"


def _load_cached(folder: Path, stamp: bytes) -> Any:
    try:
        kept = (_cache(folder) / KEPT).read_bytes()
        return msgspec.msgpack.decode(memoryview(kept)[len(stamp) :]) if kept.startswith(stamp) else None
    except (OSError, msgspec.DecodeError):
        return None


def _keep(cache: Path, stamp: bytes, result: Any) -> Path:
    data = msgspec.msgpack.encode(result)
    if msgspec.msgpack.decode(data) != result:
        raise ValueError(f"the contents of {cache} aren't plain data")
    target = cache / KEPT
    cache.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{KEPT}.{os.getpid()}")
    fresh.write_bytes(stamp + data)
    fresh.replace(target)
    return target


@cache
def messages(package: str, language: str) -> Mapping[str, str]:
    """Return the messages of one package in one language, keys flattened with dots; {} if it has none."""
    return _locale(package).get(language, {})


@cache
def _locale(package: str) -> Mapping[str, Mapping[str, str]]:
    return made(package, "locale", flattened) or {}


def flattened(tables: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the messages by language, their keys flattened with dots."""
    return {language: dict(_flat(table, "")) for language, table in tables.items()}


def _flat(table: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
