"""The report: what one seat may read, in its language; built once, drawn as text, HTML, JSON or email.

`build` uses only the seat's view, its own open questions and the log lines it may read. A `Report` holds
nothing else, so that no drawing can leak.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

FORMAT = 1
"""The version of the keys of `Report` as JSON; it changes when a key is removed or changes its meaning."""


class ReportContext(msgspec.Struct):
    """Facts of a report besides the game: of the save, the clock and the mail.

    `name` is the game's id in emails, `code` the reader's reply code, `due` the deadline. `zone` is the
    game's time zone, `reader_zone` the reader's. `head` is the chain head, `players` maps seats to players'
    names. `history` is the scores so far as `[label, {seat = points}]`. `press` is the messages that the
    reader has sent or got, `{seat, to, text, at}` each. `read` is when mail was last read, `language` the
    reader's. `since` is the move with which the last question was closed that the reader answered.
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
    since: int = 0


class ClockFact(msgspec.Struct):
    """A labelled value; `raw` is the value as the game has it."""

    key: str
    label: str
    text: str
    raw: Any = None


class ReportLine(msgspec.Struct):
    """A log line; `n` is the move after which it was logged."""

    n: int
    text: str


class Choices(msgspec.Struct):
    """Words that may be written in one field of an answer (`field` "" for the whole).

    `place` is its position in the syntax, in the reader's words: `move <origin>`.
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
    """A question to the reader; `answer` is its own so far.

    `default` counts when the deadline expires ("": the moderator decides).
    """

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
    """A table. `rows` are texts, `raw` the cells as the game has them, `note` an explanation."""

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
    """A hand; `cards` is None if the reader only knows their number."""

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


FROM, TO = "origin", ("space", "place", "zone", "to")
"""The arguments of messages that name the origin and the destination of a move."""


class SpacesAround(msgspec.Struct):
    """The few spaces that a question turns on: where somebody comes from, where it happens, and what is next to it."""

    place: ReportSpace
    origin: ReportSpace | None = None
    beside: list[ReportSpace] = []


_PUBLISHED = {
    "over": "is_over",
    "head": "chain_head",
    "asked": "waiting_for",
    "sheets": "tables",
    "strips": "tracks",
    "read": "mail_last_read",
}


class Report(msgspec.Struct, kw_only=True, rename=_PUBLISHED):
    """Everything that one seat (`seat` "" for the public) may read now. Lists are in drawing order.

    `colours` are those that the game gives to sides; `chart` is the package whose coasts belong to the map,
    "" if none; `seas` are names and places of seas; `lands` are more points of the land of a space, a side or
    ("") nobody; `insets` are the names and spaces of crowded parts.
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
    clock: list[ClockFact] = []
    scores: list[ClockFact] = []
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


# Reports as data: JSON with the keys of `Report`, in the order of its fields.


def as_json(report: Report) -> str:
    """Return the report as JSON; the keys are the fields of `Report`."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def without_empty_values(value: Any) -> Any:
    """Return plain data for TOML: keys without a value are left out, empty places in lists become ""."""
    if isinstance(value, dict):
        return {key: without_empty_values(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return ["" if item is None else without_empty_values(item) for item in value]
    return value
