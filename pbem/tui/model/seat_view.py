"""A seat view: view, questions with their domains, log, press, and names for all ids.

It is made only from a view document (`pbem.report.viewfile`), read from a player's file or built from a save. So
screens show only what a view file may hold, and the no-leak law covers both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec

from pbem import LANGUAGES
from pbem.kernel.domains import Domain, domain_from
from pbem.kernel.game import Game
from pbem.kernel.order_words import Names
from pbem.kernel.questions import MODERATOR
from pbem.kernel.view import MapSpace, View
from pbem.lazy_regex import clean
from pbem.report.build import clock_facts, holding, report_table
from pbem.report.coasts import CoastIndex, Ring, coasts
from pbem.report.messages import Catalogue
from pbem.report.model import ClockFact, ReportHand, ReportTable
from pbem.report.viewfile import names_from, view_from
from pbem.timestamps import moment
from pbem.tui.model.canvas import Notes


class ViewFileError(ValueError):
    """A file that is neither a save nor a view file of this version."""


class ScreenProposal(msgspec.Struct, frozen=True):
    """A proposal of an open negotiation, or (`signed` by all) an agreement."""

    id: str
    by: str
    parties: tuple[str, ...]
    signed: tuple[str, ...]
    terms: Any = None


@dataclass(frozen=True)
class ScreenMeaning:
    """The price or chance of an answer, and what follows."""

    price: str = ""
    follows: tuple[str, ...] = ()


class ScreenQuestion(msgspec.Struct, frozen=True, rename={"talk": "negotiation", "until": "due"}):
    """A question open to a seat. `said` and `trail` are by language; `answer` and `default` are order text."""

    q: int
    seat: str
    kind: str
    domain: Any = None  # a `Domain`; in the document its schema
    rule: str = ""
    pace: str = ""
    sealed: bool = False
    talk: bool = False
    answered: bool = False
    answer: str = ""
    default: str = ""
    until: str = ""
    said: dict[str, str] = {}
    trail: dict[str, str] = {}
    about: dict[str, Any] = {}
    decision: dict[str, dict[str, Any]] = {}
    offers: tuple[ScreenProposal, ...] = ()
    deals: tuple[ScreenProposal, ...] = ()

    @property
    def due(self) -> datetime | None:
        return _time(self.until)

    @property
    def secret(self) -> bool:
        """True if the answer mustn't be seen by somebody who looks at the screen: ballots, bids, command cards."""
        return self.sealed and self.pace != "reaction"

    def said_in(self, language: str) -> str:
        return clean(self.said.get(language) or self.said.get("en") or self.kind)

    def _decision(self, language: str) -> Mapping[str, Any]:
        return self.decision.get(language) or self.decision.get("en") or {}

    def title(self, language: str) -> str:
        return clean(str(self._decision(language).get("title", "")))

    def facts(self, language: str) -> list[str]:
        return [clean(str(fact)) for fact in self._decision(language).get("facts", ())]

    def policy(self, language: str) -> tuple[str, list[str]]:
        """Return what the standing orders do that go with the answer, and these; "" and none without any."""
        found = self._decision(language)
        return clean(str(found.get("policy", ""))), [str(line) for line in found.get("policies", ())]

    def answers(self, language: str) -> list[tuple[str, str]]:
        """Return the whole answers that are suggested, as order text and in words, the best first."""
        options = self._decision(language).get("options", ())
        return [(str(option["order"]), clean(str(option["face"])).strip()) for option in options if option["face"]]

    def meaning(self, order: str, language: str) -> ScreenMeaning:
        for option in self._decision(language).get("options", ()):
            if option["order"] == order:
                follows = tuple(clean(str(note)) for note in option.get("follows", ()))
                return ScreenMeaning(clean(str(option.get("price", ""))), follows)
        return ScreenMeaning()


class ScreenLine(msgspec.Struct, frozen=True):
    """A log line after move `n`: spaces, moves, the seat that it is about; `head` begins a part of the game."""

    n: int
    en: str = ""
    ja: str = ""
    at: tuple[str, ...] = ()
    way: tuple[str, ...] = ()
    who: str = ""
    head: bool = False

    def of(self, language: str) -> str:
        return clean(getattr(self, language, "") or self.en)


class ScreenPress(msgspec.Struct, frozen=True, rename={"sent": "at"}):
    """A message from `seat` to the seats `to` (none: everybody)."""

    seat: str
    to: tuple[str, ...] = ()
    text: str = ""
    sent: str = ""

    @property
    def at(self) -> datetime | None:
        return _time(self.sent)


@dataclass(frozen=True)
class SeatView:
    """One seat's view. `seat` is "" for the public, `moderator` for everything."""

    document: Mapping[str, Any]
    view: View
    names: Names
    asked: tuple[ScreenQuestion, ...]
    log: tuple[ScreenLine, ...]
    press: tuple[ScreenPress, ...]
    history: tuple[tuple[str, Mapping[str, int]], ...]
    game: Game | None
    name: str
    seat: str
    seats: tuple[str, ...]
    over: bool
    moves: int
    since: int  # the move with which the last question was closed that the seat answered
    code: str
    zone: str
    _notes: dict[str, Notes] = field(default_factory=dict, init=False, repr=False, compare=False)
    _sheets: dict[str, list[ReportTable]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def coast(self) -> Sequence[Ring]:
        return coasts(self.game.package) if self.game is not None and self.game.chart is not None else ()

    def notes(self, language: str) -> Notes:
        """Return names of seas, abbreviations, further land, the coast around each space, dense parts."""
        if language not in self._notes:
            self._notes[language] = self._noted(language)
        return self._notes[language]

    def _noted(self, language: str) -> Notes:
        game = self.game
        if game is None:
            return Notes()
        say, coast = self.say(language), self.coast
        shores = CoastIndex(coast)
        return Notes(
            tuple((key, say.name(key), *at) for key, at in game.notes.seas.items()),
            tuple((key, *at) for key, places in game.notes.lands.items() for at in places),
            {key: short[LANGUAGES.index(language)] for key, short in game.notes.short.items()},
            game.notes.weights,
            {space.id: shores.nearest((space.x, space.y)) for space in self.view.map} if coast else {},
            tuple((inset.names[LANGUAGES.index(language)], frozenset(inset.spaces)) for inset in game.notes.insets),
        )

    @property
    def moderator(self) -> bool:
        return self.seat == MODERATOR

    def space(self, key: str) -> MapSpace | None:
        return next((space for space in self.view.map if space.id == key), None)

    @property
    def has_board(self) -> bool:
        return bool(self.view.map or self.view.tables)

    @property
    def due(self) -> datetime | None:
        due = str(self.document.get("due") or "")
        return next((seat.due for seat in self.asked if seat.due), moment(due) if due else None)

    @property
    def open(self) -> tuple[ScreenQuestion, ...]:
        """The questions that still need an answer, including sealed ones that may be replaced."""
        return tuple(seat for seat in self.asked if not seat.answered or seat.sealed or seat.talk)

    @cached_property
    def _voices(self) -> dict[str, Catalogue]:
        return {language: Catalogue(self.game, None, language, self.names) for language in LANGUAGES}

    def say(self, language: str) -> Catalogue:
        return self._voices.get(language) or self._voices[LANGUAGES[0]]

    def title(self, language: str) -> str:
        title = self.document.get("title", {})
        return clean(str(title.get(language) or title.get("en") or self.name))

    def result(self, language: str) -> str:
        result = self.document.get("result", {})
        return clean(str(result.get(language) or result.get("en", "")))

    def facts(self, language: str) -> list[ClockFact]:
        return clock_facts(self.say(language), self.view.clock)

    def sheets(self, language: str, *, of_map: bool | None = None) -> list[ReportTable]:
        """Return the tables of the map, one per region, or all others; with None both, in this order."""
        if language not in self._sheets:
            say = self.say(language)
            self._sheets[language] = [report_table(say, table) for table in self.view.tables if table.rows]
        found = self._sheets[language]
        if of_map is None:
            return sorted(found, key=lambda entry: entry.group != "map")
        return [entry for entry in found if (entry.group == "map") is of_map]

    def hands(self, language: str) -> list[ReportHand]:
        """Return the hands; hidden ones have only a number."""
        say = self.say(language)
        hands = [holding(say, hand) for hand in self.view.hands]
        texts = self.document.get("cards", {})
        for hand in hands:
            for card in hand.cards or ():
                text: Mapping[str, str] = next((texts[key] for key in card.ids if key in texts), {})
                card.text = clean(card.text or text.get(language) or text.get("en", ""))
        return hands


def load_seat_view(
    document: Mapping[str, Any], game: Game | None = None, domains: Mapping[str, Domain] | None = None
) -> SeatView:
    """Read the seat view of a view document. `domains` are the referee's own by seat. Raises `ViewFileError`."""
    try:
        view, names = view_from(document), names_from(document)
        questions = [
            msgspec.structs.replace(asked, domain=(domains or {}).get(asked.seat) or domain_from(asked.domain))
            for asked in msgspec.convert(document["questions"], list[ScreenQuestion])
        ]
        log = msgspec.convert(document["log"], tuple[ScreenLine, ...])
        press = msgspec.convert(document.get("press", ()), tuple[ScreenPress, ...])
        for said in (*(asked.until for asked in questions), *(message.sent for message in press)):
            _time(said)
        history = tuple((str(label), dict(points)) for label, points in document.get("history", ()))
        return SeatView(
            document,
            view,
            names,
            tuple(questions),
            log,
            press,
            history,
            game,
            name=str(document.get("game", "")),
            seat=str(document.get("seat", "")),
            seats=tuple(document.get("seats", ())),
            over=bool(document.get("over", False)),
            moves=int(document.get("moves", 0)),
            since=int(document.get("since", 0)),
            code=str(document.get("code", "")),
            zone=str(document.get("reader_zone") or document.get("zone") or "UTC"),
        )
    except (KeyError, TypeError, ValueError, AttributeError, msgspec.ValidationError) as error:
        raise ViewFileError(f"this isn't a view file, or it is from another version: {error}") from error


def _time(text: str) -> datetime | None:
    """Parse a time of the document, where "" is none. Raises ValueError."""
    return moment(text) if text else None
