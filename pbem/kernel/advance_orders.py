"""How a referee uses answers given in advance: queued lines first, then standing orders.

Their use depends on public facts and on the writer's own lines only, so that nobody learns from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from pbem.kernel.domains import Domain, Value
from pbem.kernel.game import Game
from pbem.kernel.journal import QUEUED, STANDING, AdvanceNote
from pbem.kernel.negotiation import DONE, OpenNegotiation
from pbem.kernel.order_words import Names
from pbem.kernel.questions import REACTION, Ask, AskAll, Negotiate, Window
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.kernel.standing_orders import AdvanceOrder, Branch, StandingRule, order_prefix
from pbem.kernel.table import Table
from pbem.kernel.view import TableView, View
from pbem.lazy_regex import pattern

OFFERED = "offered"
"""A fact of a negotiation for a seat's own conditions: `standing exchange: done unless offered=yes`."""
_BETWEEN = pattern(r"[\s,;:=]+")


class AdvanceContext(Protocol):
    """The part of a referee that advance answers need."""

    game: Game
    table: Table
    names: Names
    now: Ask | AskAll | Window | Negotiate | None
    q: int
    talk: OpenNegotiation | None
    queue: list[AdvanceOrder]
    standing: list[StandingRule]
    notes: list[AdvanceNote]

    def waiting(self) -> tuple[str, ...]: ...

    def domain(self, seat: str) -> Domain: ...

    def rule_for(self, seat: str) -> str: ...

    def submit(
        self, seat: str, value: Value, how: str = ..., at: str = ..., via: str = ..., settle: bool = ...
    ) -> None: ...


def apply_advance_orders(referee: AdvanceContext) -> None:
    """Use standing orders and queued lines as long as they fit.

    Their answers have no time: it would be that of another seat's email, which nobody else may read.
    """
    while referee.now is not None:
        _hold(referee)
        _spare(referee)
        if not (referee.queue or referee.standing):
            return
        if not any(_answer(referee, seat) for seat in referee.waiting()):
            return


def has_advance_order(referee: AdvanceContext, seat: str) -> bool:
    """Check whether `seat` has sent something for the window that is opening: then it wants to be asked."""
    window = referee.now
    assert isinstance(window, Window)
    entry = _next_queued(referee, seat, window)
    if entry is not None and not entry.held and (entry.bold or seat not in referee.table.held):
        return True
    return _standing(referee, seat, window) is not None


Found = tuple[Value, str, str]
"""An answer, how it was given, and the email it came in ("": unknown)."""


def sheet_answer(referee: AdvanceContext, seat: str) -> Found | None:
    """Return the answer of the seat's reaction sheet in the open window, None if none is legal.

    A line sent for this kind of window comes first, then the standing orders in order. Illegal standing orders are
    skipped: a sheet holds lines for many moments.
    """
    window = referee.now
    assert isinstance(window, Window)
    entry = _next_queued(referee, seat, window)
    if entry is not None:
        return None if entry.held else _from_queue(referee, entry, _facts(referee, seat, window))
    for standing in _matching(referee, seat, window):
        try:
            value = _read(referee, seat, standing.text)
        except Rejection:
            continue
        referee.notes.append(AdvanceNote(seat, "standing.used", standing.text))
        return value, STANDING, ""
    return None


def _from_queue(referee: AdvanceContext, entry: AdvanceOrder, facts: Mapping[str, Any]) -> Found | None:
    if _stopped(referee, entry, facts):
        return None
    try:
        value = _read(referee, entry.seat, entry.text)
    except Rejection as refused:
        _refused(referee, _note(entry, "advance.failed"), refused)
        _close(referee, entry)
        return None
    referee.queue[:] = [other for other in referee.queue if other is not entry]
    referee.notes.append(_note(entry, "advance.used"))
    return value, QUEUED, entry.letter


def _read(referee: AdvanceContext, seat: str, text: str) -> Value:
    """Parse a line as answer to the open question. Raises `Rejection` if it isn't legal."""
    domain = referee.domain(seat)
    value = domain.parse(text, referee.names)
    domain.check(value)
    return value


def _hold(referee: AdvanceContext) -> None:
    """Put on hold the lines of writers who couldn't know of a surprise; plans with branches wait for the outcome."""
    held, came = referee.table.held, referee.table.came
    if not (held or came):
        return
    branching = _branching(referee)
    for entry in referee.queue:
        branches = branching.get(entry.seat)
        if branches and entry in branches and entry.branch is not None:
            entry.branch.met = entry.branch.met or entry.branch.word in came.get(entry.seat, ())
            entry.branch.surprised = entry.branch.surprised or entry.seat in held
        elif entry.seat in held and not branches:
            _hold_line(referee, entry)
    held.clear()
    came.clear()


def _spare(referee: AdvanceContext) -> None:
    """Drop a line for a question that wasn't asked, if it says the only possible answer (`Table.only`)."""
    for ask, answer, then in referee.table.spared:
        entry = _next_queued(referee, ask.seat, ask)
        if entry is None or entry.held or entry.q or _stopped(referee, entry, _facts(referee, ask.seat, ask)):
            continue
        domain = ask.domain() if callable(ask.domain) else ask.domain
        said = None
        with suppress(Rejection):
            said = domain.parse(entry.text, referee.names)
        if said == answer or (said is None and then == ""):
            referee.queue[:] = [other for other in referee.queue if other is not entry]
            referee.notes.append(_note(entry, "advance.spared" if said == answer else "advance.skipped"))
        elif said is None and then:
            entry.kind = then
    referee.table.spared.clear()


def _hold_line(referee: AdvanceContext, entry: AdvanceOrder) -> None:
    if not (entry.bold or entry.held):
        entry.held = True
        referee.notes.append(_note(entry, "advance.held"))


def _branching(referee: AdvanceContext) -> dict[str, list[AdvanceOrder]]:
    """Return each seat's next branches, if the line before them has been executed."""
    found: dict[str, list[AdvanceOrder]] = {}
    past = set()
    for entry in referee.queue:
        if entry.undecided and entry.seat not in past:
            found.setdefault(entry.seat, []).append(entry)
        else:
            past.add(entry.seat)
    return found


def _decide(referee: AdvanceContext, seat: str) -> None:
    """Decide a seat's branches when its turn continues; if none matches, a surprise holds the lines after them."""
    branches = _branching(referee).get(seat, [])
    met = [entry for entry in branches if _is_met(entry)]
    surprised = any(map(_surprised, branches))
    for entry in branches:
        if entry in met:
            entry.branch = Branch(entry.on, met=True, taken=True)
            continue
        referee.queue[:] = [other for other in referee.queue if other is not entry]
        referee.notes.append(_note(entry, "advance.skipped"))
    if surprised and not met:
        for entry in referee.queue:
            if entry.seat == seat:
                _hold_line(referee, entry)


def _answer(referee: AdvanceContext, seat: str) -> bool:
    """Try the seat's queue, then its standing orders; True if one was accepted."""
    now = referee.now
    ask: Any = now.asks[seat] if isinstance(now, AskAll) else now
    if ask.kind in referee.game.turn_kinds:
        _decide(referee, seat)
    entry = _next_queued(referee, seat, ask)
    if entry is not None:
        # A line on hold also blocks its writer's standing orders: they would decide instead of the writer.
        return not (entry.held or _overtaken(referee, entry)) and _use_queued(
            referee, entry, _facts(referee, seat, ask)
        )
    standing = _standing(referee, seat, ask)
    # An act of a negotiation would be repeated without end.
    if standing is None or (referee.talk is not None and standing.text != DONE):
        return False
    q, note = referee.q, AdvanceNote(seat, "standing.failed", standing.text)
    told = standing.failed == q  # tried after every answer: a note would reveal that there was one
    if not _try(referee, seat, standing.text, STANDING, note, told=told):
        if not told:
            own = referee.standing.index(standing)
            referee.standing[own] = msgspec.structs.replace(standing, failed=q)
        return False
    return referee.q != q or seat not in referee.waiting()


def _standing(referee: AdvanceContext, seat: str, ask: Any) -> StandingRule | None:
    return next(_matching(referee, seat, ask), None)


def _matching(referee: AdvanceContext, seat: str, ask: Any) -> Iterator[StandingRule]:
    """Yield the seat's standing orders for a question; `*` matches windows only."""
    own = [standing for standing in referee.standing if standing.seat == seat]
    if not own:
        return
    clock, about = referee.game.calendar(referee.table.state), _about(referee, seat, ask)
    for standing in own:
        if standing.matches(ask.kind, about, clock) and (standing.kind != "*" or isinstance(ask, Window)):
            yield standing


def _facts(referee: AdvanceContext, seat: str, ask: Any) -> dict[str, Any]:
    return {**referee.game.calendar(referee.table.state), **_about(referee, seat, ask)}


def _about(referee: AdvanceContext, seat: str, ask: Any) -> Mapping[str, Any]:
    """Return the question's public facts; in a negotiation also whether a proposal awaits the seat's signature."""
    talk = referee.talk
    if talk is None:
        about: Mapping[str, Any] = ask.about
        return about
    offered = any(seat in p.parties and seat not in p.signed for p in talk.open.values())
    return {**ask.about, OFFERED: "yes" if offered else "no"}


def _next_queued(referee: AdvanceContext, seat: str, ask: Any) -> AdvanceOrder | None:
    """Return the seat's line for this question: addressed to it, else (not for reactions) to none."""
    head = ask.pace != REACTION and not isinstance(ask, Window)
    doubtful = foreseen = False  # the surprise may be what the seat's branches foresee
    for entry in referee.queue:
        if entry.seat != seat:
            continue
        if entry.undecided:
            doubtful = doubtful or _surprised(entry)
            foreseen = foreseen or _is_met(entry)
            if not (_is_met(entry) and entry.kind):
                head = False
                continue
        if entry.q == referee.q or (entry.kind == ask.kind and not (entry.q or _is_for_later(referee, entry))):
            return entry if entry.undecided or foreseen or not doubtful else None
        if entry.kind or entry.q > referee.q:
            head = False  # a line for later blocks those written after it
        elif not entry.q and head:
            return entry
    return None


def _is_for_later(referee: AdvanceContext, entry: AdvanceOrder) -> bool:
    return bool(entry.past) and entry.past == dict(referee.table.trail[:1])


def _is_met(entry: AdvanceOrder) -> bool:
    return entry.branch is not None and entry.branch.met


def _surprised(entry: AdvanceOrder) -> bool:
    return entry.branch is not None and entry.branch.surprised


def _use_queued(referee: AdvanceContext, entry: AdvanceOrder, facts: Mapping[str, Any]) -> bool:
    if _stopped(referee, entry, facts):
        return False
    if _try(referee, entry.seat, entry.text, QUEUED, _note(entry, "advance.failed"), entry.letter):
        referee.queue[:] = [other for other in referee.queue if other is not entry]
        return True
    _close(referee, entry)
    return False


def _overtaken(referee: AdvanceContext, entry: AdvanceOrder) -> bool:
    """Put a line on hold if what it names has changed in public since it was written; notify its writer.

    If the first line still fits, the other lines of the email count as written in turn.
    """
    if not entry.watched:
        return False
    changed = changed_facts(entry.watched, referee.game.view(referee.table, ""))
    for other in referee.queue:
        if other.seat == entry.seat and other.letter == entry.letter:
            other.watched = {}
            other.held = other.held or bool(changed)
    if changed:
        note = _note(entry, "advance.changed")
        note.problem = RejectionReason("advance.changed", {"what": changed})
        referee.notes.append(note)
    return bool(changed)


def _stopped(referee: AdvanceContext, entry: AdvanceOrder, facts: Mapping[str, Any]) -> bool:
    """Put a line on hold if one of its writer's stop conditions applies; notify the writer."""
    if not any(stop.holds(facts) for stop in entry.stops):
        return False
    entry.held = True
    referee.notes.append(_note(entry, "advance.stopped"))
    return True


def _close(referee: AdvanceContext, entry: AdvanceOrder) -> None:
    """Close a rejected line: it keeps its place until its writer answers, and is never tried again.

    What is illegal or ambiguous when read must not become legal later; nor must the lines after it, which assumed its
    execution. The writer is notified and sends again what is still wanted.
    """
    at = next(at for at, other in enumerate(referee.queue) if other is entry)
    for other in referee.queue[at:]:
        if other.seat != entry.seat or other.refused:
            continue
        other.q, other.kind, other.held, other.refused = referee.q, "", True, True
        if other is not entry:
            referee.notes.append(_note(other, "advance.behind"))


def _try(
    referee: AdvanceContext, seat: str, text: str, how: str, failed: AdvanceNote, via: str = "", *, told: bool = False
) -> bool:
    """Answer with `text`. If it is rejected, return False and, unless `told`, notify the seat."""
    try:
        value = referee.domain(seat).parse(text, referee.names)
        referee.submit(seat, value, how, via=via, settle=False)
    except Rejection as refused:
        if not told:
            _refused(referee, failed, refused)
        return False
    used = failed.key.replace(".failed", ".used")
    referee.notes.append(AdvanceNote(seat, used, failed.text, None, failed.letter, failed.line))
    return True


def _refused(referee: AdvanceContext, failed: AdvanceNote, refused: Rejection) -> None:
    """Notify the writer of a rejected line, once until they have read it."""
    failed.problem = refused.problem.under(referee.rule_for(failed.seat))
    if not any(_same(note, failed) for note in referee.notes):
        referee.notes.append(failed)


def _note(entry: AdvanceOrder, key: str) -> AdvanceNote:
    return AdvanceNote(entry.seat, key, order_prefix(0, "", entry.on) + entry.text, None, entry.letter, entry.line)


def _same(one: AdvanceNote, other: AdvanceNote) -> bool:
    """Check whether two notes are about the same line, for any reason."""
    fields = ("seat", "key", "text", "letter", "line")
    return all(getattr(one, field) == getattr(other, field) for field in fields)


# The change guard puts a turn written ahead on hold if the things it names have changed in public. It reads the public
# view only. Otherwise its pause would reveal what the writer saw.


def public_facts(view: View) -> dict[str, str]:
    """Return the public facts: a hash for each space, and the place of each piece that is in one space only."""
    told: dict[str, str] = {}
    places: dict[str, list[str]] = {}
    for table in view.tables:
        if table.group == "map":
            _facts_of(table, told, places)
    for piece, at in places.items():
        if len(at) == 1:
            told.setdefault(piece, at[0])
    return told


def _facts_of(table: TableView, told: dict[str, str], places: dict[str, list[str]]) -> None:
    for row in table.rows:
        key: Any = row[0]
        told[key] = hashlib.sha256(msgspec.json.encode(row)).hexdigest()[:12]
        for cell in row[1:]:
            for piece in cell if isinstance(cell, list) else ():
                places.setdefault(piece, []).append(key)


def facts_named_in(text: str, told: Mapping[str, str], names: Names) -> dict[str, str]:
    """Return the facts about everything that an order line names. Numbers never count as names."""
    found = {}
    for word in _BETWEEN.split(text):
        key = word if word in told or word.isdecimal() else names.meant(word)
        if key is not None and key in told:
            found[key] = told[key]
    return found


def changed_facts(watched: Mapping[str, str], view: View) -> list[str]:
    """Return which of these facts have changed."""
    now = public_facts(view)
    return [key for key, fact in watched.items() if now.get(key) != fact]
