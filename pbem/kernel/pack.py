"""Component packs: a game's components (maps, cards, set-ups) as plain tables with provenance.

It reads the data files of a game's package, applies a moderator's corrections and counts where facts come from. The
only files opened are package data: the CLI reads the moderator's file.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import msgspec

from pbem.data_cache import made
from pbem.kernel.rejections import RejectionReason, closest_words
from pbem.lazy_regex import pattern

# Data files (`games/<game>/data/*.toml`, one table of the pack per file):
# - An entry is one thing of the game, in an array of tables (`[[countries]]`), with `id`, `name` (English), `ja` and
#   fields. Lists without ids are values and are corrected as a whole.
# - `id` is a bare TOML key, unique in its array. It never changes, because saves and orders use it. Either all elements
#   of an array have an id or none.
# - `prov` maps a field to "tag source". Tags: `seed` (rules text), `public` (published about the game), `knowledge`
#   (geography, history, the component), `reconstructed` (made up to fit the rules), `moderator` (a correction).
#   Labels and texts need none.
# - `text = { en = …, ja = … }` says what a card does, in our own words. An entry with a text may have `manual = true`
#   (the moderator executes it) or, where the game allows it, `effect = "…"` (it has that entry's effect).
# - Constants are in plain tables (`[limits]`), with a `prov` of their own.
# - Field names are fixed: a number per face, space or value is a list or an entry, not a table with free keys.
# A moderator's file addresses entries by id: `[countries.england]`, or `[cards.special.vote]` where an id alone is
# ambiguous. It corrects fields; it can't add, remove or rename entries. Without `prov`, a field's source becomes
# "moderator".

TAGS = ("seed", "public", "knowledge", "reconstructed", "moderator")
"""Where a fact may come from; the first word of a provenance string."""

T = TypeVar("T")
Node: TypeAlias = dict[str, Any]
Fact: TypeAlias = tuple[str, str, str]
"""(table, entry, field); the entry is written as in a moderator's file."""
Owner: TypeAlias = tuple[Node, str] | None
"""The entry and the field that a table inside an entry belongs to."""

_BARE_KEY = pattern(r"[A-Za-z0-9_-]+")


class PackError(ValueError):
    """The pack is invalid. `problems` lists everything that is wrong, not only the first."""

    def __init__(self, problems: Sequence[RejectionReason]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def problem(text: str, *, rule: str = "", near: tuple[str, ...] = ()) -> RejectionReason:
    """Return a fault of a pack as a sentence; `rule` is the violated constraint ("A05"), if any."""
    return RejectionReason("rules.custom", {"text": text}, rule, near)


def differences(entry: Mapping[str, Any], expected: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield a sentence for each field of `expected` that differs in `entry`, found at `where`."""
    for field, value in expected.items():
        found = entry.get(field)
        if found != value:
            yield f"{where}.{field} is {_as_toml(value)} in the rulebook, not {_as_toml(found)}"


def _as_toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Pack(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """The components of one game, shared and so read-only; `overrides` are the moderator's, {} if none.

    `digest` is the SHA-256 of `tables`: the order of keys doesn't count, labels and provenance do.
    """

    slug: str
    tables: dict[str, Node]
    digest: str
    overrides: Node


class Provenance(msgspec.Struct, frozen=True):
    """Where facts come from: counts per table and tag, counts in all, and the facts to doubt first."""

    tables: dict[str, dict[str, int]]
    total: dict[str, int]
    reconstructed: list[Fact]
    moderator: list[Fact]


_IN_USE: WeakValueDictionary[str, Pack] = WeakValueDictionary()


def load_pack(package: str) -> Pack:
    """Return the pack of a package, such as `games.sixteen_thirty`; read again once it is unused.

    Raises `PackError` if the package has no data files or if one breaks the conventions above.
    """
    pack = _IN_USE.get(package)
    if pack is None:
        found = made(package, "data", checked)
        tables, known = checked({}) if found is None else found
        _IN_USE[package] = pack = Pack(package.rpartition(".")[2], tables, known, {})
    return pack


def checked(tables: dict[str, Node]) -> list[Any]:
    """Return parsed tables and their hash. Raises `PackError` if they break the conventions."""
    problems = [flaw for name, table in tables.items() for flaw in _shape(table, name)]
    if problems:
        raise PackError(problems)
    return [tables, digest(tables)]


def merge_pack(
    base: Pack, override: Node, *, check: Callable[[dict[str, Node]], Sequence[RejectionReason]], effects: bool = False
) -> Pack:
    """Apply a moderator's corrections to `base`; `check` are the game's constraints, run on the merged tables.

    With `effects` an entry with a text may name another one whose effect it has. `base` isn't changed. Raises
    `PackError` with every unknown name (and the nearest known ones), every value of another type (the first hundred)
    and, once the shape is right, every violated constraint.
    """
    if base.overrides:
        raise PackError([problem("a moderator's file corrects the published pack, not a corrected one")])
    if not override:
        return base
    tables = copy.deepcopy(base.tables)
    merger = _Merger(effects=effects)
    for name, patch in override.items():
        if name not in tables:
            merger.unknown(name, tables)
        elif not isinstance(patch, dict):
            merger.refuse(f"{name} is a table, write [{name}.…]")
        else:
            merger.table(tables[name], patch, (name,), tables[name])
    problems = merger.problems or check(tables)
    if problems:
        raise PackError(problems)
    return Pack(base.slug, tables, digest(tables), copy.deepcopy(override))


def digest(tables: Mapping[str, Node]) -> str:
    """Return the SHA-256 (hex) of the tables: equal content has equal hashes on every machine and Python."""
    import json

    canonical = json.dumps(tables, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def provenance(pack: Pack) -> Provenance:
    """Count provenance tags, for the first email of a game and `pbem games show GAME --provenance`."""
    per_table = {name: dict.fromkeys(TAGS, 0) for name in pack.tables}
    listed: dict[str, list[Fact]] = {tag: [] for tag in TAGS}
    for name, table in pack.tables.items():
        for address, sources in _sourced(table, ()):
            for field, source in sources.items():
                tag = tag_of(source)
                per_table[name][tag] += 1
                listed[tag].append((name, ".".join(address), field))
    total = {tag: len(listed[tag]) for tag in TAGS}
    return Provenance(per_table, total, listed["reconstructed"], listed["moderator"])


def is_entries(value: object) -> bool:
    """Check whether a value is an array of entries: not empty, and every element has an id."""
    return isinstance(value, list) and bool(value) and all(isinstance(x, dict) and "id" in x for x in value)


def tag_of(source: str) -> str:
    """Return the tag of a provenance string; "" without one."""
    return source.split(maxsplit=1)[0] if source.strip() else ""


def _sourced(node: Node, address: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """Yield every `prov` below a node with the address of its entry or table."""
    for key, value in node.items():
        if key == "prov":
            yield address, value
        elif isinstance(value, dict):
            yield from _sourced(value, (*address, key))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    yield from _sourced(item, address + _short(node, key, str(item.get("id", index))))


def _short(node: Node, array: str, ident: str) -> tuple[str, ...]:
    """Return the shortest address of an entry that a moderator's file accepts."""
    return (ident,) if ident not in node and len(_named(node, ident)) == 1 else (array, ident)


def _named(node: Node, ident: str) -> list[tuple[str, Node]]:
    return [(key, x) for key, value in node.items() if is_entries(value) for x in value if x["id"] == ident]


def _shape(node: Node, path: str) -> Iterator[RejectionReason]:
    """Yield violations of the conventions for data files."""
    for key, value in node.items():
        where = f"{path}.{key}"
        if key == "prov":
            yield from _bad_sources(value, where)
        elif isinstance(value, dict):
            yield from _shape(value, where)
        elif isinstance(value, list):
            items = [x for x in value if isinstance(x, dict)]
            ids = [x["id"] for x in items if "id" in x]
            if ids and len(ids) < len(value):
                yield problem(f"{where}: some elements have an id and some have none")
            for ident in dict.fromkeys(ids):
                if not isinstance(ident, str) or not _BARE_KEY.fullmatch(ident):
                    yield problem(f"{where}: {ident!r} can't be an id")
                elif ids.count(ident) > 1:
                    yield problem(f"{where}: the id '{ident}' is used twice")
            for index, item in enumerate(items):
                yield from _shape(item, f"{where}.{item.get('id', index)}")


def _bad_sources(sources: object, where: str) -> Iterator[RejectionReason]:
    if not isinstance(sources, dict):
        yield problem(f'{where} must be a table {{ field = "tag source" }}')
        return
    for field, source in sources.items():
        if not isinstance(source, str) or tag_of(source) not in TAGS:
            yield problem(f"{where}.{field}: {source!r} must begin with one of {', '.join(TAGS)}")


_TOLD = 100
"""The most problems listed: a file may hold any number, and each is compared with known names."""

_LONGEST = 2000
"""Characters of a text. Emails would take minutes with a name of a million characters."""


class _Merger:
    """Applies corrections to tables in place and collects all faults."""

    def __init__(self, *, effects: bool) -> None:
        self.problems: list[RejectionReason] = []
        self.of_texts: Node = {"manual": False, **({"effect": ""} if effects else {})}

    def refuse(self, text: str) -> None:
        self._add(problem(text))

    def _add(self, found: RejectionReason) -> None:
        if len(self.problems) == _TOLD:
            raise PackError([*self.problems, problem("only the first problems are listed; there may be more")])
        self.problems.append(found)

    def unknown(self, dotted: str, known: Mapping[str, Any]) -> None:
        self._add(problem(f"{dotted} is unknown", near=closest_words(dotted.rpartition(".")[2], known)))

    def table(self, node: Node, patch: Node, path: tuple[str, ...], known: Node, owner: Owner = None) -> None:
        """Correct a table or entry; `known` has a sample of each field, `owner` carries the provenance."""
        known = {**known, **self.of_texts} if "text" in known else known
        for key, value in patch.items():
            dotted = ".".join((*path, key))
            if key == "prov":
                continue  # applied after the values, which set it to the moderator
            if key == "id" and "id" in node:
                self.refuse(f"{dotted}: ids are stable and can't be corrected")
            elif key in known:
                self.field(node, value, (*path, key), known[key], owner)
            elif len(found := _named(node, key)) == 1:
                self.entry(node[found[0][0]], found[0][1], value, (*path, key))
            elif found:
                choices = " or ".join(".".join((*path, array, key)) for array, _ in found)
                self.refuse(f"{dotted} is ambiguous: write {choices}")
            else:
                self.unknown(dotted, _addressable(known))
        if "prov" in patch:
            self.sources(node, patch["prov"], path, known)

    def entry(self, array: list[Node], entry: Node, patch: object, path: tuple[str, ...]) -> None:
        """Correct one entry; it may have the fields of any entry of its array."""
        if not isinstance(patch, dict):
            self.refuse(f"{'.'.join(path)} is an entry: correct its fields")
            return
        self.table(entry, patch, path, _samples(array, entry))

    def field(self, node: Node, value: object, path: tuple[str, ...], sample: Any, owner: Owner = None) -> None:
        """Correct the last field of a path: descend into entries and tables, replace anything else."""
        key = path[-1]
        if is_entries(sample):
            self.array(sample, value, path)
        elif isinstance(sample, dict):
            if not isinstance(value, dict):
                self.refuse(f"{'.'.join(path)} is a table of {', '.join(sample)}, not {_kind(value)}")
                return
            inner = node.setdefault(key, {})
            # Tables at the top of a file, and those with sources of their own, carry the provenance of what
            # is in them; any other table is one field of its entry.
            owned = len(path) == 2 or "prov" in inner
            self.table(inner, value, path, sample, None if owned else owner or (node, key))
        elif mismatch := _mismatch(sample, value):
            self.refuse(f"{'.'.join(path)} {mismatch}")
        else:
            node[key] = float(value) if isinstance(sample, float) and isinstance(value, int) else copy.deepcopy(value)
            holder, field = owner or (node, key)
            holder.setdefault("prov", {})[field] = "moderator"

    def array(self, entries: list[Node], patch: object, path: tuple[str, ...]) -> None:
        dotted = ".".join(path)
        if not isinstance(patch, dict):
            self.refuse(f"{dotted} is an array of entries: address one by its id, [{dotted}.{entries[0]['id']}]")
            return
        by_id = {entry["id"]: entry for entry in entries}
        for ident, inner in patch.items():
            if ident in by_id:
                self.entry(entries, by_id[ident], inner, (*path, ident))
            else:
                self.unknown(f"{dotted}.{ident}", by_id)

    def sources(self, node: Node, sources: object, path: tuple[str, ...], known: Node) -> None:
        """Copy the sources that the moderator names for the facts of one table or entry."""
        where = ".".join((*path, "prov"))
        bad = list(_bad_sources(sources, where))
        for flaw in bad:
            self._add(flaw)
        if bad or not isinstance(sources, dict):
            return
        present = node.get("prov", {})
        for field, source in sources.items():
            if field in known or field in present:
                node.setdefault("prov", {})[field] = source
            else:
                self.unknown(f"{where}.{field}", {**known, **present})


def _samples(array: list[Node], entry: Node) -> Node:
    """Return a sample value of every field of an array's entries, preferably the entry's own."""
    samples: Node = {}
    for other in (*array, entry):
        samples.update((key, value) for key, value in other.items() if key not in samples or value != [])
    return samples


def _addressable(node: Node) -> dict[str, None]:
    """Return what may follow a table's name in a moderator's file: its fields and the ids in its arrays."""
    ids = (entry["id"] for value in node.values() if is_entries(value) for entry in value)
    return dict.fromkeys((*(key for key in node if key not in ("id", "prov")), *ids))


def _kind(value: object) -> str:
    names = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(value), "a date or time")


def _mismatch(sample: object, value: object) -> str:
    """Return why a value can't replace `sample`; "" if it can."""
    if isinstance(sample, list) and isinstance(value, list):
        misfits = [x for x in value if sample and all(_mismatch(s, x) for s in sample)]
        return f"has an element that does not fit: {misfits[0]!r}" if misfits else ""
    if isinstance(sample, dict) and isinstance(value, dict):
        strange = [k for k, v in value.items() if k not in sample or _mismatch(sample[k], v)]
        return f"has a part that does not fit: {strange[0]}" if strange else ""
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"is too long: {len(value):,} characters, at most {_LONGEST:,}"
    if type(sample) is type(value) or (type(sample) is float and type(value) is int):
        return ""
    return f"must be {_kind(sample)}, not {_kind(value)}"


class BilingualText(msgspec.Struct, frozen=True):
    """A text in both languages."""

    en: str
    ja: str


class NamedEntry(msgspec.Struct, frozen=True):
    """A thing with a name in both languages."""

    id: str
    name: str
    ja: str


def by_id(entries: Iterable[Mapping[str, Any]], kind: type[T]) -> dict[str, T]:
    """Convert entries to structs, by their ids."""
    return {entry["id"]: msgspec.convert(entry, kind) for entry in entries}
