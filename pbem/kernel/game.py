"""The plug-in contract of a game: what `games.<slug>.GAME` must be."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

import msgspec

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.kernel import hidden
from pbem.kernel.domains import Below, Domain
from pbem.kernel.evidence import Evidence
from pbem.kernel.geography import Chart, MapNotes
from pbem.kernel.hidden import Hidden
from pbem.kernel.order_words import NO_NAMES, Names, Said, said_in
from pbem.kernel.pack import Pack, is_entries, problem
from pbem.kernel.questions import MODERATOR, Ask, Request
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.table import C, S, Table
from pbem.kernel.view import View

R = TypeVar("R")
Rule = Generator[Request, Any, R]
"""A rule that returns an `R`. It yields requests and receives answers."""
Play = Generator[Request, Any, None]
"""A rule that returns nothing."""
Evaluation = dict[str, float]
"""An evaluation by its terms."""


_SEAT = re.compile(r"[a-z][a-z0-9_-]*")


class Scenario(msgspec.Struct, frozen=True):
    """A set-up of a game. `seats` maps number of players → seat ids in clockwise order.

    Seat ids are slugs. `public` and `moderator` are reserved for other readers and raise ValueError.
    """

    id: str
    name: dict[str, str]
    seats: dict[int, tuple[str, ...]]

    def __post_init__(self) -> None:
        for seats in self.seats.values():
            if twice := [seat for seat in seats if seats.count(seat) > 1]:
                raise ValueError(f"scenario {self.id}: seat '{twice[0]}' is named twice")
        for seat in dict.fromkeys(seat for seats in self.seats.values() for seat in seats):
            if seat in ("public", MODERATOR):
                raise ValueError(f"scenario {self.id}: the seat id '{seat}' is reserved")
            if not _SEAT.fullmatch(seat):
                raise ValueError(f"scenario {self.id}: seat id '{seat}': use lower-case letters, digits, _ and -")


class HouseRule(msgspec.Struct, frozen=True):
    """A house rule: its domain, default, meaning, and the ruling it comes from.

    `older` is the value for a game that began before the option existed (None: the default).
    """

    id: str
    domain: Domain
    default: Any
    text: dict[str, str]
    rule: str = ""
    older: Any = None

    def value(self, chosen: Mapping[str, Any]) -> Any:
        """Return the value in a game that was set up with `chosen`."""
        return chosen.get(self.id, self.default if self.older is None else self.older)


class Setup(msgspec.Struct):
    """All that `Referee` needs to start a game; with the journal it rebuilds the game.

    `seed` is hex. `epochs` lists rewinds: `(n, epoch)` means that dice after move n come from that epoch. `pack`
    holds the moderator's corrections of components. `mix` (hex) is the first mix of the dice; "": version 1 of the
    dice, which depend only on the seed.
    """

    game: str
    seats: tuple[str, ...]
    seed: str
    scenario: str = "standard"
    options: dict[str, Any] = {}
    pack: dict[str, Any] = {}
    epochs: list[tuple[int, int]] = []
    mix: str = ""


def _unwritten(table: Table[Any, Any], seat: str) -> View:
    raise ValueError("a game needs `view`, or `secrets`")


def _nothing_again(table: Table[Any, Any], seat: str, below: Below) -> None:
    """Resample nothing: the state has no secrets."""


def _nothing_wrong(table: Table[Any, Any]) -> Sequence[RejectionReason]:
    return ()


def _no_names(components: Any) -> Names:
    return NO_NAMES


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function whose module is imported at its first call, as few commands need it."""

    def called(*facts: Any) -> Any:
        return getattr(import_module(module), name)(*facts)

    return called


_PACES = {"turn": 72, "reaction": 48, "negotiation": 48, "ballot": 48}


class Game(msgspec.Struct, Generic[S, C], frozen=True):
    """A game. All functions are pure except for the state and the table that they get.

    - `slug`, `title` by language, `package` (of `data/` and `locale/`, if any), `scenarios`, `state`, `setup`,
      `play`, `result`: required. Everything else has a default;
    - `secrets`: the fields of the state that not everybody may see; `view`, `conceal`, `invariants` and `names`
      follow from them unless the game writes its own;
    - `rules`: the version of the rules, raised when old games would replay differently;
    - `state`: the msgspec Struct type of the state; string keys only, no sets;
    - `setup(table)` → the state at the start (uses the table's dice);
    - `play(table)` → the rules as a generator. It dispatches on the state, so that it can start at any checkpoint,
      and returns when the game is over;
    - `view(table, seat)` → what `seat` may see ("" public, `moderator` everything);
    - `calendar(state)` → public facts of time: turn, phase, active seat…; conditions may use them;
    - `conceal(table, seat, below)` resamples in the state all that `seat` must not know, for leak tests and bots;
    - `invariants(table)` → what is wrong with the state, for fuzzing and corrections;
    - `result(state)` → `{scores = {seat = n}, winners = [seat]}` once over, else None;
    - `components(pack)`, `constraints(tables)`: typed components, and the checks of a moderator's pack;
    - `effects(place)`: ids of the entries whose effect the entry at a place (file, array, id) may have instead of its
      own (field `effect`); None: effects are fixed;
    - `names(components)`: words for ids; `card_text(components, id)` → text by language;
    - `loss_lines`: keys of public lines about lost pieces → the arguments that hold owner and number ("": one);
      `plot.losses` of the locale is their title; the pages plot them;
    - `hidden_lines`: whether rules may use `Table.log_private`, so that others don't even know of a line; if not,
      players take back their last act alone where no line and no draw showed anything;
    - `private_press(state)`: whether private talk is allowed now;
    - `public_ballots`: all talk is public during a ballot, even if `private_press` allows private talk;
    - `status`: `complete`, or another state; `missing`: unwritten rulebook sections → their subjects;
    - `terms(table, seat)`: the evaluation of a seat for bots, by name: the higher the sum, the better (None: they play
      to the end); the text `term.<name>` says what a term is;
      `play_out_until`: the fact of `calendar` whose change ends a play-out ("": the next checkpoint); `play_outs`:
      play-outs of a bot for a choice; `free_acts`: words of acts that cost nothing and leave the question open;
      `ideas(table, seat, kind)` → answers that bots look at first, legal or not;
    - `likely_next(table, seat, kind)` → the likely next questions to a seat in the same turn (kind → domain), by what
      it may know; the table is a copy that may be changed;
    - `next_turn(table, seat, asked)` → the question with which the next turn of a seat begins, as things stand (None:
      none is foreseen); the table is a copy dealt again, which may be changed. `asked`: the seat is asked now, in its
      turn or sealed, so only what its answer can't change counts; `turns_ahead`: how many lines the form has for it;
    - `policies(table, seat, kind)` → standing orders, as order lines, for later questions, which the email of a
      question of this kind offers; from public facts. `policy.<kind of the first>` of the locale says what they do;
    - `complete(table, seat, kind, acts)` → those of these answers that the rest of the seat's turn has room for, one
      after the other, and the answer that ends it ([]: there is none); the table is a copy dealt again;
    - `outcome_words`: public outcomes of a line, for branches of a plan (`if lost: …`) → the words that begin such
      lines; `turn_kinds`: kinds of questions at which the seat then continues its turn;
    - `chart`: the map projection, if its `MapSpace`s are on the globe (coasts: `data/coast.txt`); `colours`: id →
      #rrggbb of powers, seats and other owners, distinct for colour-blind readers; `notes`: sea names, abbreviations,
      land outside spaces;
    - `question_kinds`: all question kinds, so that a mistyped kind is rejected; `no_default`: those without a default,
      for which the moderator decides at the deadline; `card_window_kinds`: windows for cards in hand;
      `reaction_sheet(table, seat)` → a seat's cards by kind of window;
    - `evidence`: what the questions of each kind turn on (`Kit.turns_on`).
    """

    slug: str
    title: dict[str, str]
    package: str
    scenarios: tuple[Scenario, ...]
    state: type[S]
    setup: Callable[[Table[S, C]], S]
    play: Callable[[Table[S, C]], Play]
    result: Callable[[S], dict[str, Any] | None]
    view: Callable[[Table[S, C], str], View] = _unwritten
    secrets: tuple[Hidden, ...] = ()
    rules: str = "1"
    calendar: Callable[[S], Mapping[str, Any]] = lambda state: {}
    conceal: Callable[[Table[S, C], str, Below], None] = _nothing_again
    invariants: Callable[[Table[S, C]], Sequence[RejectionReason]] = _nothing_wrong
    components: Callable[[Pack], C] = lambda pack: cast("C", pack.tables)
    constraints: Callable[[Mapping[str, Any]], Sequence[Any]] = lambda tables: ()
    effects: Callable[[Sequence[str]], Sequence[str]] | None = None
    names: Callable[[C], Names] = _no_names
    card_text: Callable[[C, str], Mapping[str, str]] = lambda components, key: {}
    loss_lines: Mapping[str, tuple[str, str]] = {}
    hidden_lines: bool = True
    private_press: Callable[[S], bool] = lambda state: True
    public_ballots: bool = False
    terms: Callable[[Table[S, C], str], Mapping[str, float]] | None = None
    play_out_until: str = ""
    play_outs: int = 48
    free_acts: tuple[str, ...] = ()
    ideas: Callable[[Table[S, C], str, str], Iterable[Any]] = lambda table, seat, kind: ()
    likely_next: Callable[[Table[S, C], str, str], Mapping[str, Domain]] = lambda table, seat, kind: {}
    next_turn: Callable[[Table[S, C], str, bool], Ask[Any] | None] = lambda table, seat, asked: None
    turns_ahead: int = 1
    policies: Callable[[Table[S, C], str, str], Sequence[str]] = lambda table, seat, kind: ()
    complete: Callable[[Table[S, C], str, str, Sequence[Any]], Sequence[Any]] | None = None
    outcome_words: Mapping[str, Sequence[str]] = {}
    turn_kinds: tuple[str, ...] = ()
    chart: Chart | None = None
    colours: Mapping[str, str] = {}
    notes: MapNotes = MapNotes()
    options: tuple[HouseRule, ...] = ()
    question_kinds: tuple[str, ...] = ()
    no_default: tuple[str, ...] = ()
    card_window_kinds: tuple[str, ...] = ()
    reaction_sheet: Callable[[Table[S, C], str], Mapping[str, Sequence[str]]] = lambda table, seat: {}
    evidence: Mapping[str, Evidence[Any]] = {}
    status: str = "complete"
    missing: Mapping[str, str] = {}
    default_hours: Mapping[str, int] = msgspec.field(default_factory=_PACES.copy)

    def __post_init__(self) -> None:
        """Derive from the secrets what a game doesn't write itself."""
        if self.view is _unwritten and not self.secrets:
            raise ValueError(f"{self.slug}: a game needs `view`, or `secrets`")
        hidden.check(self.secrets, self.state)
        seats = [seat for scenario in self.scenarios for ids in scenario.seats.values() for seat in ids]
        made: dict[str, Callable[..., Any]] = {
            "view": hidden.view(self.slug, self.secrets, self.calendar),
            "conceal": hidden.conceal(self.secrets),
            "invariants": hidden.invariants(self.secrets),
            "names": lambda components: hidden.names(self.secrets, list(dict.fromkeys(seats))),
        }
        written = {"view": _unwritten, "conceal": _nothing_again, "invariants": _nothing_wrong, "names": _no_names}
        for name, default in written.items() if self.secrets else ():
            if getattr(self, name) is default:
                msgspec.structs.force_setattr(self, name, made[name])

    def words(self, components: C) -> Names:
        """Return the game's names, with the words that emails and the terminal show for them."""
        return self.names(components).with_said(_said(self.package))

    def flaws(self, tables: Mapping[str, Any]) -> list[Any]:
        """Return what is wrong with a pack's tables: violated constraints, and effects that an entry can't have."""
        found = list(self.constraints(tables))
        if self.effects is None:
            return found
        for file, table in tables.items():
            for array, entries in table.items():
                for entry in entries if is_entries(entries) else ():
                    place, effect = (file, array, entry["id"]), entry.get("effect")
                    if "text" in entry and effect and effect not in self.effects(place):
                        found.append(problem(f"{'.'.join(place)}.effect: it can't have that of '{effect}'"))
        return found

    def seats_for(self, players: int, scenario: str = "") -> tuple[str, ...]:
        """Return the seat ids for a number of players. Raises ValueError with the possible numbers."""
        found = self.scenario(scenario)
        if players not in found.seats:
            raise ValueError(f"{self.slug} {found.id}: {players} players? possible: {sorted(found.seats)}")
        return found.seats[players]

    def talk_is_private(self, state: Any, paces: Sequence[str]) -> bool:
        """Check whether private talk is allowed now; `paces` are those of the open questions."""
        return bool(self.private_press(state)) and not (self.public_ballots and "ballot" in paces)

    def scenario(self, key: str = "") -> Scenario:
        """Return a scenario by id, the first if none is named. Raises ValueError with the known ids."""
        for scenario in self.scenarios:
            if scenario.id == key or not key:
                return scenario
        raise ValueError(
            f"'{key}' isn't a scenario of {self.slug}; scenarios: {', '.join(s.id for s in self.scenarios)}"
        )

    def in_force(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the house rules of a game set up with `chosen`, with those that didn't exist then."""
        return {**chosen, **{option.id: option.value(chosen) for option in self.options}}

    def with_defaults(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options in force. Raises `Rejection` or ValueError for unknown options or values."""
        known = {option.id: option for option in self.options}
        for key, value in chosen.items():
            if key not in known:
                raise ValueError(f"'{key}' isn't an option of {self.slug}; options: {', '.join(known) or 'none'}")
            known[key].domain.check(value)
        return {key: chosen.get(key, option.default) for key, option in known.items()}


def compared(worth: Callable[[str], Mapping[str, float]], seat: str, seats: Iterable[str], lead: float) -> Evaluation:
    """Return the terms of a seat less those of the others: `lead` of the strongest, the rest of their mean."""
    others = [worth(other) for other in seats if other != seat]
    found = dict(worth(seat))
    if others:
        strongest = max(others, key=lambda terms: sum(terms.values()))
        for share, terms in ((lead, strongest), *(((1 - lead) / len(others), terms) for terms in others)):
            for name, value in terms.items():
                found[name] = found.get(name, 0.0) - share * value
    return found


@cache
def _said(package: str) -> Said:
    return said_in([messages(room, language) for room in (package, "pbem.report") for language in LANGUAGES])
