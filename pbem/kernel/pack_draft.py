"""A pack draft: a moderator's corrections and confirmations, fact by fact, over the published pack.

A confirmed fact is in the moderator's file with its value and the source `moderator box`, so that later publications
don't change it. `pbem.save.pack_files` reads and writes the file.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from pbem.kernel.game import Game
from pbem.kernel.pack import Node, Pack, PackError, is_entries, load_pack, merge_pack, provenance, tag_of
from pbem.kernel.rejections import RejectionReason

Place = tuple[str, ...]
"""The place of an entry or a table of constants: (file, array, id …) or (file, table)."""

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"
"""A value of a pack."""

BOX = "moderator box"
"""The source of what was read off the printed game."""
HEAD = ("game", "name", "note", "base")
"""The texts about a moderator's file, above its tables."""
DOUBTFUL = "reconstructed"
SETTLED = "moderator"
_TEXTS = ("text", "name", "ja", "note")
"""Our own texts: a confirmation doesn't repeat them."""


class PackField(msgspec.Struct, frozen=True):
    """A field of an entry. `tag` is its provenance, or "". Without `stands` there is a source, but no value."""

    name: str
    value: Any
    tag: str
    source: str
    stands: bool = True

    @property
    def doubtful(self) -> bool:
        return self.tag == DOUBTFUL


class PackEntry(msgspec.Struct, frozen=True):
    """An entry (a card, a space) or a table of constants, with its fields."""

    place: Place
    node: Node

    @property
    def address(self) -> str:
        return ".".join(self.place)

    @property
    def title(self) -> str:
        number, name = self.node.get("number"), self.node.get("name")
        words = [f"#{number}" if number is not None else "", str(name or self.place[-1])]
        return " ".join(word for word in words if word)

    def fields(self) -> list[PackField]:
        """Return its fields, doubtful ones first; settled ones keep their place."""
        sources = self.node.get("prov", {})
        found = [
            PackField(key, value, *_origin(sources, key, value))
            for key, value in self.node.items()
            if key not in ("id", "prov") and not (is_entries(value) or (isinstance(value, dict) and _sourced(value)))
        ]
        found += [
            PackField(key, None, tag_of(source), source, False)
            for key, source in sources.items()
            if key not in self.node
        ]
        return sorted(found, key=lambda field: field.tag not in (DOUBTFUL, SETTLED))

    def parts(self, field: PackField) -> Iterator[PackField]:
        """Yield the values within a field that is a table or a list of tables: `params.steps`, `options.1.count`."""
        for name, value, sources in _parts(field.name, field.value, {}):
            source = sources.get(name.rpartition(".")[2], field.source)
            yield PackField(name, value, tag_of(source), source)

    @property
    def doubtful(self) -> int:
        return sum(field.doubtful for field in self.fields())


class Progress(msgspec.Struct, frozen=True):
    """How many of the doubtful facts of a published pack, and of all facts, were confirmed or corrected."""

    confirmed: int
    doubtful: int
    corrected: int


def _origin(sources: Mapping[str, str], key: str, value: object) -> tuple[str, str]:
    """Return tag and source of a field: its own, else the most doubtful of its parts."""
    if key in sources:
        return tag_of(sources[key]), sources[key]
    parts = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    inner = [str(source) for item in parts for source in item.get("prov", {}).values()]
    worst = next((part for part in inner if tag_of(part) == DOUBTFUL), inner[0] if inner else "")
    return tag_of(worst), worst


def _parts(name: str, value: Value, sources: Mapping[str, str]) -> Iterator[tuple[str, Value, Mapping[str, str]]]:
    """Yield the plain values in a value, each with its dotted name and sources; none of a plain value."""
    beside: dict[str, str] = {}
    if isinstance(value, dict):
        inner = [(key, item) for key, item in value.items() if key != "prov"]
        given = value.get("prov")
        beside = {key: str(text) for key, text in given.items()} if isinstance(given, dict) else {}
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        inner = [(str(at), item) for at, item in enumerate(value, 1)]
    else:
        return
    for key, item in inner:
        deeper = list(_parts(f"{name}.{key}", item, beside))
        yield from deeper or [(f"{name}.{key}", item, beside)]


def part_of(value: Value, way: str) -> Value:
    """Return the part of a value at a dotted name ("": all of it). Raises KeyError."""
    for step in way.split(".") if way else ():
        if isinstance(value, list) and step.isdecimal() and 0 < int(step) <= len(value):
            value = value[int(step) - 1]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            raise KeyError(way)
    return value


def value_of(node: Node, name: str) -> Any:
    """Return a field of an entry, or a part of one; None if it has none."""
    try:
        return part_of(node, name)
    except KeyError:
        return None


def with_part(value: Value, way: str, part: Value) -> Value:
    """Return a value with another part at a dotted name ("": the part itself). Raises KeyError."""
    step, _, below = way.partition(".")
    if not step:
        return part
    inner = with_part(part_of(value, step), below, part)
    if isinstance(value, list):
        return [inner if at == int(step) else item for at, item in enumerate(value, 1)]
    assert isinstance(value, dict)
    return {**value, step: inner}


def _sourced(node: Node) -> bool:
    """Check whether a table, or one in it, has sources of its own."""
    return "prov" in node or any(_sourced(value) for value in node.values() if isinstance(value, dict))


def sheets(tables: Mapping[str, Node]) -> Iterator[PackEntry]:
    """Yield every entry and table of constants of a pack, in the order of its files."""
    for name, table in tables.items():
        yield from _sheets(table, (name,))


def _sheets(node: Node, place: Place) -> Iterator[PackEntry]:
    sheet = PackEntry(place, node)
    if sheet.fields():
        yield sheet
    for key, value in node.items():
        if is_entries(value):
            for entry in value:
                yield from _sheets(entry, (*place, key, entry["id"]))
        elif key != "prov" and isinstance(value, dict) and (len(place) == 1 or _sourced(value)):
            yield from _sheets(value, (*place, key))


class PackDraft:
    """A moderator's file for a game during editing: its corrections and their result.

    `corrections` are in full form: every entry below the name of its array. `head` holds the texts about the file.
    """

    def __init__(self, game: Game, corrections: Node | None = None, head: Mapping[str, str] | None = None) -> None:
        self.game = game
        self.published: Pack = load_pack(game.package)
        self.corrections: Node = expanded(corrections or {}, self.published.tables)
        self.head = {**(head or {}), "game": game.slug}
        self._doubtful = len(provenance(self.published).reconstructed)
        self.tables = self.published.tables
        self.problems: tuple[RejectionReason, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        """Apply the corrections to the published pack and check them; `problems` is what is wrong."""
        self.problems, tables = checked(self.game, self.corrections)
        self.tables = copy.deepcopy(self.published.tables) if tables is None else tables
        self.__dict__.pop("sheets", None)

    @property
    def digest(self) -> str:
        """The hash of the pack for a new game; "" while something is wrong."""
        if self.problems:
            return ""
        effects = self.game.effects is not None
        none: Callable[[object], list[RejectionReason]] = lambda tables: []  # noqa: E731
        return merge_pack(self.published, self.corrections, check=none, effects=effects).digest

    @functools.cached_property
    def sheets(self) -> list[PackEntry]:
        return list(sheets(self.tables))

    def sheet(self, place: Place) -> PackEntry:
        """Return an entry by its place. Raises KeyError."""
        found = next((sheet for sheet in self.sheets if sheet.place == place), None)
        if found is None:
            raise KeyError(".".join(place))
        return found

    def published_value(self, place: Place, name: str) -> Any:
        """Return the published value of a field; None if there is none."""
        node = next((sheet.node for sheet in sheets(self.published.tables) if sheet.place == place), {})
        return value_of(node, name)

    @property
    def progress(self) -> Progress:
        pack = Pack(self.published.slug, self.tables, "", self.corrections)
        left = len(provenance(pack).reconstructed)
        return Progress(self._doubtful - left, self._doubtful, sum(1 for _ in changes(self)))

    # -- edits -----------------------------------------------------------------------------------------

    def put(self, place: Place, name: str, value: Any, source: str = BOX) -> None:
        """Correct a field, or a part of one (`params.steps`). Call `refresh` for the result. Raises KeyError."""
        name, value = self.whole(place, name, value)
        node = self._node(place)
        node[name] = _confirmed(value)
        node.setdefault("prov", {})[name] = source

    def whole(self, place: Place, name: str, value: Any) -> tuple[str, Any]:
        """Return the field of a part, and the field's whole value with that part. Raises KeyError."""
        name, _, way = name.partition(".")
        if not way:
            return name, value
        said: Value = self.corrections
        for step in (*place, name):
            said = said.get(step) if isinstance(said, dict) else None
        if said is None:
            said = part_of(self.sheet(place).node, name)
        return name, with_part(said, way, value)

    def confirm(self, place: Place, name: str = "") -> int:
        """Confirm a field as printed; without a name, all with a source. Returns how many were confirmed."""
        sheet, done, name = self.sheet(place), 0, name.partition(".")[0]
        for field in sheet.fields():
            if field.name == name or (not name and field.tag not in ("", SETTLED)):
                if field.stands and field.name not in _TEXTS:
                    self.put(place, field.name, field.value)
                    sheet.node[field.name] = _confirmed(field.value)
                else:
                    self._node(place).setdefault("prov", {})[field.name] = BOX
                sheet.node.setdefault("prov", {})[field.name] = BOX  # no value changes, so there is nothing to check
                done += 1
        return done

    def revert(self, place: Place, name: str) -> None:
        """Remove the corrections and confirmations of a field; for a part: of its whole field."""
        name = name.partition(".")[0]
        way = [self.corrections]
        for step in place:
            if step not in way[-1]:
                return
            way.append(way[-1][step])
        way[-1].pop(name, None)
        way[-1].get("prov", {}).pop(name, None)
        if not way[-1].get("prov", True):
            del way[-1]["prov"]
        for node, step in reversed(list(zip(way, place, strict=False))):
            if not node[step]:
                del node[step]

    def is_corrected(self, place: Place, reminder: str) -> None:
        """Let the moderator execute the card; `reminder` says how, in the owner's own words."""
        node = self._node(place)
        node["manual"] = True
        node["text"] = {"en": reminder, "ja": reminder}
        node.setdefault("prov", {})["text"] = BOX

    def effects(self, place: Place) -> tuple[str, ...]:
        """Return the ids of entries whose effect an entry may have instead of its own; () if that is fixed."""
        return tuple(self.game.effects(place)) if self.game.effects is not None else ()

    def _node(self, place: Place) -> Node:
        node = self.corrections
        for step in place:
            node = node.setdefault(step, {})
        return node

    def entries_to_blame(self, problem: RejectionReason) -> list[str]:
        """Return the corrected entries that a violated constraint names."""
        words = set(re.findall(r"[\w-]+", str(problem)))
        found = {place for place, _, _, _ in changes(self) if place[-1] in words}
        return sorted(".".join(place) for place in found)


def checked(game: Game, corrections: Node) -> tuple[tuple[RejectionReason, ...], dict[str, Node] | None]:
    """Check corrections in full form; return the faults and the tables (None while their form is wrong)."""
    kept: list[dict[str, Node]] = []

    def check(tables: dict[str, Node]) -> list[RejectionReason]:
        kept.append(tables)
        return game.flaws(tables)

    try:
        if corrections:
            effects = game.effects is not None
            game.components(merge_pack(load_pack(game.package), corrections, check=check, effects=effects))
    except PackError as error:
        return error.problems, kept[0] if kept else None
    except (KeyError, TypeError, ValueError) as error:  # a value that the constraints don't expect
        return (RejectionReason("rules.custom", {"text": f"the rules can't read it: {error}"}),), kept[
            0
        ] if kept else None
    return (), kept[0] if kept else None


def problems_if_set(box: PackDraft, place: Place, name: str, value: Any) -> tuple[RejectionReason, ...]:
    """Return what would be wrong with the draft if a field had another value."""
    corrections = copy.deepcopy(box.corrections)
    node = corrections
    for step in place:
        node = node.setdefault(step, {})
    name, value = box.whole(place, name, value)
    node[name] = value
    return checked(box.game, corrections)[0]


def _confirmed(value: Any) -> Any:
    """Return a value with everything in it marked as read off the box."""
    if isinstance(value, list):
        return [_confirmed(item) for item in value]
    if isinstance(value, dict):
        return {key: dict.fromkeys(inner, BOX) if key == "prov" else _confirmed(inner) for key, inner in value.items()}
    return copy.deepcopy(value)


def expanded(corrections: Node, tables: Mapping[str, Node]) -> Node:
    """Return corrections with every entry below the name of its array; unknown ones stay as written."""
    return {name: _full(tables.get(name, {}), patch) for name, patch in corrections.items()}


def _full(node: Any, patch: Any) -> Any:
    if not isinstance(patch, dict) or not isinstance(node, dict):
        return copy.deepcopy(patch)
    full: Node = {}
    for key, value in patch.items():
        arrays = [name for name, held in node.items() if is_entries(held) and any(x["id"] == key for x in held)]
        if key in node and is_entries(node[key]) and isinstance(value, dict):
            by_id = {entry["id"]: entry for entry in node[key]}
            array = full.setdefault(key, {})
            for ident, inner in value.items():
                _lay(array, ident, _full(by_id.get(ident), inner))
        elif key not in node and len(arrays) == 1:
            entry = next(x for x in node[arrays[0]] if x["id"] == key)
            _lay(full.setdefault(arrays[0], {}), key, _full(entry, value))
        else:
            full[key] = _full(node.get(key), value) if key != "prov" else dict(value)
    return full


def _lay(into: Node, key: str, value: Any) -> None:
    """Set a value where one may exist already: an entry may be addressed in both ways."""
    if isinstance(into.get(key), dict) and isinstance(value, dict):
        for inner, item in value.items():
            _lay(into[key], inner, item)
    else:
        into[key] = value


def changes(box: PackDraft, other: Mapping[str, Node] | None = None) -> Iterator[tuple[Place, str, Any, Any]]:
    """Yield where a draft differs from the published pack, or `other` tables: place, field, then, now."""
    return differences(box.sheets, box.published.tables if other is None else other)


def differences(now: Iterable[PackEntry], tables: Mapping[str, Node]) -> Iterator[tuple[Place, str, Any, Any]]:
    """Yield where entries differ from `tables` of components: place, field, then, now."""
    old = {sheet.place: sheet for sheet in sheets(tables)}
    for sheet in now:
        before = old[sheet.place].node if sheet.place in old else {}
        for field in sheet.fields():
            then = before.get(field.name)
            if field.stands and _without_sources(then) != _without_sources(field.value):
                yield sheet.place, field.name, then, field.value


def _without_sources(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_sources(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_sources(inner) for key, inner in value.items() if key != "prov"}
    return value


def merged(first: PackDraft, second: PackDraft) -> tuple[Node, list[tuple[str, Any, Any]]]:
    """Merge two drafts, the first one's values taking precedence; return also the conflicts: address, first, second."""
    conflicts: list[tuple[str, Any, Any]] = []

    def lay(into: Node, more: Node, path: Place) -> None:
        for key, value in more.items():
            here = (*path, key)
            if key not in into:
                into[key] = copy.deepcopy(value)
            elif isinstance(into[key], dict) and isinstance(value, dict):
                lay(into[key], value, here)
            elif into[key] != value and "prov" not in path:
                conflicts.append((".".join(here), into[key], value))

    both = copy.deepcopy(first.corrections)
    lay(both, second.corrections, ())
    return both, conflicts
