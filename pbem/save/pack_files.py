"""A moderator's pack as a file (TOML), and as a table for spreadsheets (CSV)."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pbem import atomic_files
from pbem.kernel.game import Game
from pbem.kernel.pack import Node
from pbem.kernel.pack_draft import HEAD, PackDraft, PackEntry, Place, value_of
from pbem.save.key_positions import Steps
from pbem.save.toml_reader import too_deep

_WORD = re.compile(r"[A-Za-z_\d][^\s,;\[\]]*")
LEADING = ("table", "entry", "number", "name")
"""The first columns of a spreadsheet: they identify the entry of a row."""


class PackFileError(ValueError):
    """The file isn't a valid pack; the message says why."""


def parted(text: str) -> tuple[dict[str, str], Node]:
    """Split a pack file into its head and its corrections. Raises `PackFileError`."""
    try:
        whole = tomllib.loads(text)
    except ValueError as error:
        raise PackFileError(str(error)) from None
    except RecursionError:
        raise PackFileError("nested too deeply") from None
    if too_deep(whole):
        raise PackFileError("nested too deeply")
    head = {key: value for key, value in whole.items() if key in HEAD and isinstance(value, str)}
    return head, {key: value for key, value in whole.items() if key not in head}


def read(path: Path, load: Callable[[str], Game], game: str = "") -> PackDraft:
    """Read the pack draft of a file. `game` is used if the file names none. Raises `PackFileError`, OSError."""
    try:
        head, corrections = parted(path.read_text("utf-8"))
    except (PackFileError, UnicodeDecodeError) as error:
        raise PackFileError(f"{path}: {error}") from None
    slug = head.get("game", game)
    if not slug:
        raise PackFileError(f'{path} doesn\'t name its game: write game = "…" into its first line')
    if game and slug != game:
        raise PackFileError(f"{path} is for {slug}, not for {game}")
    return PackDraft(load(slug), corrections, head)


def written(box: PackDraft) -> str:
    """Return the text of a pack file."""
    import tomli_w

    return tomli_w.dumps({**{key: box.head[key] for key in HEAD if key in box.head}, **box.corrections})


def store(path: Path, box: PackDraft) -> None:
    """Write a pack file atomically."""
    atomic_files.replace(path, written(box).encode())


# -- tables for spreadsheets -------------------------------------------------------------------------------------------


def arrays(box: PackDraft) -> dict[str, list[PackEntry]]:
    """Group entries by the address of their array (`cards.cards`); single ones by their table."""
    entries: dict[str, list[PackEntry]] = {}
    for sheet in box.sheets:
        entries.setdefault(_array(sheet), []).append(sheet)
    return entries


def _array(sheet: PackEntry) -> str:
    return ".".join(sheet.place[:-1]) or sheet.place[0]


def alike(box: PackDraft, sheet: PackEntry) -> list[PackEntry]:
    """Return the other entries of an entry's array."""
    return [other for other in box.sheets if other.place[:-1] == sheet.place[:-1] and other.place != sheet.place]


def as_csv(box: PackDraft, name: str) -> str:
    """Return an array as CSV: a row per entry, a column per field, and `confirmed`. Raises `PackFileError`."""
    known = arrays(box)
    if name not in known:
        raise PackFileError(f"'{name}' isn't a table; tables: {', '.join(known)}")
    rows = known[name]
    columns = list(
        dict.fromkeys(
            field.name
            for sheet in rows
            for field in sheet.fields()
            if field.stands and field.name not in (*LEADING, "ja", "text")
        )
    )
    columns = [key for key in rows[0].node if key in columns] + [key for key in columns if key not in rows[0].node]
    columns = [part for key in columns for part in _parts_of(rows, key)]
    own = ("effect", "manual") if box.game.effects is not None else ("manual",)
    more = [key for key in own if "text" in rows[0].node and key not in columns]
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([*LEADING, *columns, *more, "confirmed"])
    for sheet in rows:
        node = sheet.node
        lead = [name, sheet.place[-1], node.get("number", ""), node.get("name", "")]
        confirmed = not sheet.doubtful and any(field.tag == "moderator" for field in sheet.fields())
        table.writerow([*lead, *(_shown(node, key) for key in (*columns, *more)), "yes" if confirmed else ""])
    return out.getvalue()


def _parts_of(rows: list[PackEntry], key: str) -> list[str]:
    """Return the columns of a field: itself, or its parts (`params.steps`, `options.1.count`) if it has any."""
    fields = ((sheet, field) for sheet in rows for field in sheet.fields() if field.name == key)
    found = dict.fromkeys(part.name for sheet, field in fields for part in sheet.parts(field))
    numbered = [[int(step) if step.isdecimal() else 0 for step in name.split(".")] for name in found]
    order = sorted(range(len(numbered)), key=lambda at: [part for part in numbered[at] if part])
    names = list(found)
    return [names[at] for at in order] or [key]


def _shown(node: Node, key: str) -> str:
    value = value_of(node, key)
    return "" if value is None else cell(value)


def cell(value: Any) -> str:
    """Format a value for a cell: words or numbers separated by blanks, anything more complex as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(x, str) and _WORD.fullmatch(x) for x in value) and value:
        return " ".join(value)
    if isinstance(value, list) and value and all(type(x) is int for x in value):
        return " ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)


def from_cell(text: str, sample: Any) -> Any:
    """Parse a cell as a value of the type of `sample` (None: unknown). Raises ValueError."""
    text = text.strip()
    if isinstance(sample, str):
        return text
    if isinstance(sample, list) and not text.startswith("["):
        words = [] if text in ("", "-") else re.split(r"[\s,;]+", text)
        numbers = bool(sample) and all(type(x) is int for x in sample)
        if numbers and not all(re.fullmatch(r"-?\d+", word) for word in words):
            raise ValueError(f"'{text}' isn't a list of numbers")
        return [int(word) for word in words] if numbers else words
    if isinstance(sample, bool) or text.lower() in ("true", "false"):
        if text.lower() not in ("true", "false", "yes", "no", "1", "0"):
            raise ValueError(f"'{text}' isn't true or false")
        return text.lower() in ("true", "yes", "1")
    if isinstance(sample, int) and re.fullmatch(r"-?\d+\.0+", text):
        return int(float(text))  # spreadsheets write integers as decimals
    try:
        return json.loads(text)
    except ValueError:
        if sample is None:
            return text
        raise ValueError(f"'{text}' isn't a value of this field") from None


def take_csv(box: PackDraft, text: str) -> tuple[int, int, list[str]]:
    """Apply a CSV table to a draft; return the numbers of corrected and confirmed fields, and the errors.

    A row names its entry (`entry`, or else `number`). Empty cells and unknown columns are ignored. `confirmed` = yes
    (x, 1) confirms everything else in the row.
    """
    rows = csv.DictReader(io.StringIO(text.lstrip("\ufeff")), delimiter=_divider(text))
    changed, confirmed, wrong = 0, 0, list[str]()
    known = arrays(box)
    for number, row in enumerate(rows, 2):
        sheet = _meant(known, row)
        if sheet is None:
            wrong.append(f"line {number}: no entry '{row.get('entry') or row.get('number') or ''}'")
            continue
        changed += _take(box, sheet, row, known, f"line {number}", wrong)
        if str(row.get("confirmed") or "").strip().lower() in ("yes", "x", "1", "true"):
            confirmed += _confirm(box, sheet)
    box.refresh()
    return changed, confirmed, wrong


def _divider(text: str) -> str:
    """Return the separator: some locales of spreadsheets use semicolons or tabs."""
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _meant(known: dict[str, list[PackEntry]], row: dict[str, Any]) -> PackEntry | None:
    """Find the entry of a row; the table may be omitted if only one has the entry."""
    name, entry, number = (str(row.get(key) or "").strip() for key in LEADING[:3])
    pool = known.get(name, []) if name else [sheet for rows in known.values() for sheet in rows]
    sheets = [s for s in pool if (s.place[-1] == entry if entry else str(s.node.get("number", "")) == number != "")]
    return sheets[0] if len(sheets) == 1 else None


def _take(
    box: PackDraft,
    sheet: PackEntry,
    row: dict[str, Any],
    known: dict[str, list[PackEntry]],
    where: str,
    wrong: list[str],
) -> int:
    changed = 0
    alike = known[_array(sheet)]
    for name, text in row.items():
        if name in (None, "", *LEADING, "confirmed") or not isinstance(text, str) or not text.strip():
            continue
        present = value_of(sheet.node, name)
        samples = (value_of(other.node, name) for other in alike if "." not in name)
        known_here = next(
            (sample for sample in samples if sample is not None), {"manual": False, "effect": ""}.get(name)
        )
        sample = known_here if present is None else present
        if sample is None or (present is not None and text.strip() == cell(present).strip()):
            if sample is None:
                wrong.append(f"{where}: {sheet.address} has no field '{name}'")
            continue
        try:
            value = from_cell(text, sample)
        except ValueError as error:
            wrong.append(f"{where}, {name}: {error}")
            continue
        if value != present and not (present is None and value == ""):
            box.put(sheet.place, name, value)
            changed += 1
    return changed


def _confirm(box: PackDraft, sheet: PackEntry) -> int:
    node: Any = box.corrections
    for step in sheet.place:
        node = node.get(step, {})
    said, done = set(node.get("prov", {})), 0
    for field in sheet.fields():
        if field.name not in said and field.tag not in ("", "moderator"):
            done += box.confirm(sheet.place, field.name)
    return done


def lines_of(known: Mapping[Steps, int], place: Place) -> Iterator[int]:
    """Yield the line of a file at which an entry is; `known` are the `positions` of its text."""
    short = (place[0], *place[2:])  # an entry may be written without the name of its array
    for way in (place, short, place[:3], short[:2]):
        if len(way) > 1 and way in known:
            yield known[way]
            return
