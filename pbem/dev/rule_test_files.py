"""The schema and parser of rule test files. The format is described in rule-test-format.md."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

DEFAULTS = "_defaults.toml"
"""The file in the same folder that holds what the rule tests have in common."""


class ExpectedRejection(msgspec.Struct, forbid_unknown_fields=True):
    """How an answer is rejected: the key of the problem or the rule it cites, and words of the English sentence.

    One of the two is required, so that a misspelt word isn't enough.
    """

    key: str = ""
    rule: str = ""
    text: str = ""


class ExpectedQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """An open question: order texts that it accepts (`options`) or rejects (`no`), or exactly the ones it accepts."""

    seat: str
    kind: str = ""
    rule: str | None = None
    pace: str = ""
    about: dict[str, Any] = {}
    options: list[str] = []
    no: list[str] = []
    only: list[str] | None = None
    default: Any = msgspec.UNSET


class ExpectedLine(msgspec.Struct, forbid_unknown_fields=True):
    """A log line: its key and some of its arguments, as `seat` reads it; `hidden` seats must not read it."""

    key: str
    args: dict[str, Any] = {}
    seat: str = ""
    hidden: list[str] = []
    rule: str | None = None


class ExpectedView(msgspec.Struct, forbid_unknown_fields=True):
    """Words that the view of `seat` ("" the public) contains or lacks."""

    seat: str = ""
    has: list[str] = []
    lacks: list[str] = []


class Expect(msgspec.Struct, forbid_unknown_fields=True):
    """What a step expects. Paths are dotted, as in `players.tim.hand`."""

    state: dict[str, Any] = {}
    includes: dict[str, list[Any]] = {}
    excludes: dict[str, list[Any]] = {}
    count: dict[str, int] = {}
    gone: list[str] = []
    asked: list[str] | None = None
    open: list[ExpectedQuestion] = []
    lines: list[ExpectedLine] = []
    no_lines: list[str] = []
    view: list[ExpectedView] = []
    over: bool | None = None
    result: dict[str, Any] = {}


class RuleTestStep(msgspec.Struct, forbid_unknown_fields=True):
    """One answer (`text`, `value`) or expired deadline. `seat` names one or several seats; `*` all missing ones."""

    seat: str | list[str] = ""
    text: str | None = None
    value: Any = msgspec.UNSET
    kind: str = ""
    refuse: ExpectedRejection | None = None
    time_up: bool = False
    stuck: list[str] = []
    expect: Expect | None = None
    note: str = ""


class Case(msgspec.Struct, forbid_unknown_fields=True):
    """One rule test; see rule-test-format.md for every key."""

    id: str
    title: str
    rule: str
    game: str
    scenario: str = ""
    players: int = 0
    seats: list[str] = []
    options: dict[str, Any] = {}
    pack: dict[str, Any] = {}
    note: str = ""
    setup_dice: list[int] = []
    dice: list[int] = []
    dice_left: int = 0
    ask_me: str = "always"
    supply: dict[str, list[str]] = {}
    pour: dict[str, str] = {}
    clear: list[str] = []
    state: dict[str, Any] = {}
    last: dict[str, list[str]] = {}
    invariants: bool = True
    skip: list[str] = []
    answers: list[RuleTestStep] = []
    expect: Expect | None = None
    path: str = ""


class CaseError(ValueError):
    """A rule test file that can't be read; the message names the file, the test and the key."""


def files(paths: Iterable[str | Path]) -> list[Path]:
    """Return the rule test files among `paths`: files as they are, folders with every `*.toml` below them."""
    found: list[Path] = []
    for path in map(Path, paths):
        found += sorted(path.rglob("*.toml")) if path.is_dir() else [path]
    return [path for path in found if path.name != DEFAULTS]


def load(path: str | Path) -> list[Case]:
    """Read the rule tests of one file. Raises `CaseError`."""
    path = Path(path)
    common = _table(path.parent / DEFAULTS) if (path.parent / DEFAULTS).exists() else {}
    table = _table(path)
    listed = table.pop("case", None)
    common = _under(common, table)
    return [_case(path, _under(common, variant)) for variant in ([{}] if listed is None else listed)]


def flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested tables with their dotted paths. An empty table is a leaf."""
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict) and value:
            yield from flat(value, f"{path}.")
        else:
            yield path, value


def _under(common: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Merge common keys with those of one test, which win. Their positions are merged."""
    both = {**common, **own}
    if "state" in common and "state" in own:
        both["state"] = _laid(common["state"], own["state"])
    return both


def _laid(one: Any, other: Any) -> Any:
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return other
    return {
        key: _laid(one[key], other[key]) if key in one and key in other else {**one, **other}[key]
        for key in {**one, **other}
    }


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CaseError(f"{path}: {error}") from None


def _case(path: Path, table: dict[str, Any]) -> Case:
    for key, known in (("path", False), ("id", True), ("title", True), ("rule", True), ("game", True)):
        if (key in table) != known:
            raise CaseError(f"{path}: case {table.get('id', '?')}: '{key}' {'is missing' if known else 'is no word'}")
    try:
        case = msgspec.convert({**table, "path": str(path)}, Case)
        for step in case.answers:
            if step.refuse is not None and not (step.refuse.key or step.refuse.rule):
                raise CaseError(f"{path}: case {case.id}: 'refuse' names a key or a rule: {step.text or step.value}")
        return case
    except msgspec.ValidationError as error:
        raise CaseError(f"{path}: case {table['id']}: {error}") from None


def shown(values: Sequence[Any]) -> str:
    """Return a short list for a sentence."""
    return ", ".join(map(str, values)) or "none"
