"""The report: what one seat may read, in its language; built once, drawn as text, Markdown, HTML, JSON or letter.

`build` takes everything from the view of the seat, the seat's own open questions and the lines told to it. Whatever
draws a `Report` cannot leak, as nothing else is in it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

FORMAT = 1
"""The version of the keys of `Report` as JSON; it changes when a key changes its meaning or goes."""


class ReportContext(msgspec.Struct):
    """What a report tells besides the game: facts of the save, the clock and the mail.

    `name` is the game's id in letters, `code` the reader's prompt code, `due` until when an answer may come, `zone`
    the game's zone and `reader_zone` the reader's, `head` the hash of the chain, `players` seat → who plays it,
    `history` the scores so far as `[label, {seat = points}]`, `press` the messages that the reader has sent or got,
    `{seat, to, text, at}` each, `read` when mail was last read, `language` the reader's.
    """

    name: str = ""
    code: str = ""
    due: datetime | None = None
    zone: str = "UTC"
    reader_zone: str = ""
    head: str = ""
    players: dict[str, str] = {}
    history: list[tuple[str, dict[str, int]]] = []
    press: list[dict[str, Any]] = []
    read: datetime | None = None
    language: str = ""


class Fact(msgspec.Struct):
    """A labelled value; `raw` is the value as the game has it."""

    key: str
    label: str
    text: str
    raw: Any = None


class ReportLine(msgspec.Struct):
    """A line of narration; `n` is the move after which it was told."""

    n: int
    text: str


class Choices(msgspec.Struct):
    """Words that may be written in one place of an answer (`field` "" for the whole).

    `place` is where that is as the syntax says it, in the reader's words: `move <origin>`.
    """

    field: str
    words: list[str]
    place: str = ""


class ReportProposal(msgspec.Struct):
    """A proposal of an open negotiation that the reader may see."""

    id: str
    by: str
    parties: list[str]
    signed: list[str]
    terms: str


class ReportQuestion(msgspec.Struct):
    """A question to the reader; `answer` is its own so far, `default` what holds when time runs out ("": moderator)."""

    q: int
    seat: str
    kind: str
    label: str
    prompt: str
    trail: str
    rule: str
    pace: str
    sealed: bool
    answered: bool
    answer: str
    default: str
    syntax: str
    choices: list[Choices] = []
    offers: list[ReportProposal] = []


class Heading(msgspec.Struct, omit_defaults=True):
    """The head of a column; `kind` and `printed` as in `view.Column`."""

    key: str
    label: str
    kind: str
    printed: bool = False


class ReportTable(msgspec.Struct):
    """A table. `rows` are texts, `raw` the cells as the game has them, `note` a word of explanation."""

    id: str
    group: str
    heading: str
    title: str
    columns: list[Heading]
    rows: list[list[str]]
    raw: list[list[Any]]
    note: str = ""


class ReportTrack(msgspec.Struct):
    """A track; `marks` are `(id, name, place)`."""

    id: str
    label: str
    low: int
    high: int
    marks: list[tuple[str, str, int]]


class CardStack(msgspec.Struct):
    """Equal cards in a hand: `word` is what to write in orders, `uses` the labels of the questions they can answer."""

    ids: list[str]
    word: str
    name: str
    text: str
    uses: list[str] = []
    note: str = ""


class ReportHand(msgspec.Struct):
    """A hand; `cards` is None where the reader knows the number only."""

    seat: str
    owner: str
    label: str
    count: int
    cards: list[CardStack] | None = None


class ReportSpace(msgspec.Struct):
    """A space of the drawn map. `short` abbreviates its name; those of more `weight` are named first."""

    id: str
    name: str
    x: float
    y: float
    side: str
    side_name: str
    mark: str
    links: list[str]
    region: str
    short: str = ""
    weight: int = 0


class Report(msgspec.Struct, kw_only=True):
    """Everything that one seat (`seat` "" for the public) may read now. Lists stand in the order of drawing.

    `colours` are those that the game gives to sides; `chart` is the package whose coasts belong to the map, "" if none;
    `seas` are names of seas and where they stand; `lands` more points of the land of a space, a side or ("") nobody;
    `insets` name and spaces of crowded parts.
    """

    format: int
    game: str
    title: str
    name: str
    seat: str
    seat_name: str
    language: str
    moves: int
    over: bool
    head: str
    code: str
    due: str
    deadline: list[str]
    clock: list[Fact] = []
    scores: list[Fact] = []
    result: str = ""
    asked: list[str] = []
    asked_kind: str = ""
    questions: list[ReportQuestion] = []
    news: list[ReportLine] = []
    notices: list[str] = []
    advance: list[str] = []
    notes: list[str] = []
    sheets: list[ReportTable] = []
    strips: list[ReportTrack] = []
    hands: list[ReportHand] = []
    map: list[ReportSpace] = []
    map_note: str = ""
    history: list[tuple[str, dict[str, int]]]
    seats: list[tuple[str, str]]
    read: str = ""
    colours: dict[str, str] = {}
    chart: str = ""
    seas: list[tuple[str, float, float]] = []
    insets: list[tuple[str, list[str]]] = []
    lands: list[tuple[str, float, float]] = []


# Reports as data: JSON with the keys of `model.Report`, sorted by nothing but the order of its fields.


def as_json(report: Report, indent: int = 2) -> str:
    """The report as JSON; the keys are the fields of `model.Report`, which documents them."""
    return msgspec.json.format(msgspec.json.encode(report), indent=indent).decode()


def without_empty_values(value: Any) -> Any:
    """Plain data fit for TOML: keys without a value are left out, empty places in lists become ""."""
    if isinstance(value, dict):
        return {key: without_empty_values(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return ["" if item is None else without_empty_values(item) for item in value]
    return value
