"""From a referee to a report: the view, the questions and the lines of one seat in its language."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pbem import LANGUAGES
from pbem.kernel.domains import Choice, Distribution, Domain, Form, Menu, Optional, Reply, Series, Subset
from pbem.kernel.game import Game
from pbem.kernel.geography import MapNotes
from pbem.kernel.negotiation import DONE
from pbem.kernel.questions import MODERATOR, Proposal
from pbem.kernel.referee import PendingQuestion, Referee
from pbem.kernel.standing_orders import lines_of
from pbem.kernel.table import LogLine
from pbem.kernel.view import CardView, Hand, TableView, Track, View
from pbem.report.answer_faces import note
from pbem.report.deciding import evidence_of
from pbem.report.messages import Catalogue
from pbem.report.model import (
    FORMAT,
    FROM,
    TO,
    CardStack,
    Choices,
    ClockFact,
    Heading,
    Report,
    ReportContext,
    ReportHand,
    ReportLine,
    ReportProposal,
    ReportQuestion,
    ReportSpace,
    ReportTable,
    ReportTrack,
    SpacesAround,
)
from pbem.report.times import deadline, when
from pbem.timestamps import stamp


def build(
    referee: Referee,
    seat: str,
    language: str = "en",
    *,
    lines: Sequence[LogLine] = (),
    frame: ReportContext | None = None,
    catalogue: Catalogue | None = None,
) -> Report:
    """Build the report for `seat` ("" the public, `moderator` everything); `lines` are those since its last email.

    Private parts of lines, questions to others and their answers are left out here, once for all formats.
    """
    frame = frame or ReportContext()
    say = catalogue or Catalogue(referee.game, referee.components, language, referee.names)
    report = _headed(referee, seat, frame, say)
    _tell(report, referee, lines, say)
    view = referee.game.view(referee.table, seat)
    report.clock = clock_facts(say, view.clock)
    report.scores = [ClockFact(key, say.name(key), str(points), points) for key, points in view.scores.items()]
    report.notices = [say.text(notice.key, notice.args) for notice in view.notices]
    report.sheets = [report_table(say, table) for table in view.tables if table.rows]
    report.strips = [_strip(say, track) for track in view.tracks]
    report.hands = [holding(say, hand) for hand in view.hands]
    _draw(report, view, referee.game, say)
    return report


def _headed(referee: Referee, seat: str, frame: ReportContext, say: Catalogue) -> Report:
    game = referee.game
    return Report(
        format=FORMAT,
        game=game.slug,
        title=game.title.get(say.language, game.title["en"]),
        name=frame.name,
        seat=seat,
        seat_name=seat_name(say, seat, frame.players),
        language=say.language,
        moves=referee.n,
        over=referee.over,
        head=frame.head,
        code=frame.code,
        due=stamp(frame.due),
        deadline=deadline(frame.due, frame.zone, frame.reader_zone, say),
        history=list(frame.history),
        seats=[(other, say.name(other)) for other in referee.table.seats],
        read=when(frame.read, frame.zone, say) if frame.read else "",
        colours=dict(game.colours),
    )


def _tell(report: Report, referee: Referee, lines: Sequence[LogLine], say: Catalogue) -> None:
    seat = report.seat
    report.result = result_text(say, referee.result)
    report.asked = [say.name(name) for name in referee.asked()]
    pending = referee.pending()
    report.asked_kind = say.label(f"kind.{pending[0].kind}") if pending else ""
    report.questions = [question(referee, asked, say) for asked in visible_questions(referee, seat)]
    report.news = visible_lines(say, lines, seat)
    report.advance = lines_of(seat, [*referee.queue, *referee.standing, *referee.settings])
    report.notes = [say.render_note(note) for note in referee.notes if seat in (note.seat, MODERATOR)]


def _draw(report: Report, view: View, game: Game, say: Catalogue) -> None:
    notes = game.notes
    report.map = say.drawn.alike("map", view.map, lambda: _places(say, view, notes))
    report.map_note = say.text("map.note") if view.map and say.has("map.note") else ""
    report.chart = game.package if view.map and game.chart is not None else ""
    report.seas = [(say.name(key), *at) for key, at in notes.seas.items()]
    report.insets = [(inset.names[LANGUAGES.index(say.language)], [*inset.spaces]) for inset in notes.insets]
    report.lands = [(key, *at) for key, places in notes.lands.items() for at in places]


def seat_name(say: Catalogue, seat: str, players: Mapping[str, str]) -> str:
    """Return the name of the reading seat, with the player's name where it is known."""
    if seat in ("", MODERATOR):
        return say.text(f"seat.{seat or 'public'}")
    name = say.name(seat)
    return say.text("seat.played", seat=seat, player=players[seat]) if players.get(seat) else name


def visible_questions(referee: Referee, seat: str) -> list[PendingQuestion]:
    """Return the open questions that `seat` may see: its own; all for the moderator."""
    return [pending for pending in referee.pending() if seat in (pending.seat, MODERATOR)]


def visible_lines(say: Catalogue, lines: Iterable[LogLine], seat: str) -> list[ReportLine]:
    """Return the lines that `seat` may read, rendered."""
    rendered = ((line.n, say.render_line(line, seat)) for line in lines)
    return [ReportLine(n, text) for n, text in rendered if text is not None]


def clock_facts(say: Catalogue, clock: Mapping[str, Any]) -> list[ClockFact]:
    """Return the public facts of time; a value may have a message of its own (`clock.phase.end`)."""
    facts = []
    for key, value in clock.items():
        if value in ("", None):  # nobody's turn, or no phase
            continue
        own = f"clock.{key}.{value}"
        text = say.text(own) if say.has(own) else say.value(value)
        facts.append(ClockFact(key, say.label(f"clock.{key}"), text, value))
    return facts


def result_text(say: Catalogue, result: Mapping[str, Any] | None) -> str:
    """Return who has won, with which score; "" while the game is running."""
    if result is None:
        return ""
    if end := result.get("agreed"):
        args = {"winners": result.get("winners", []), "scores": result.get("scores", {})}
        turn = say.text("report.agreed.turn", turn=result["turn"]) if result.get("turn") else ""
        return " ".join(filter(None, (say.text(f"report.agreed.{end}", args), turn)))
    return say.text("report.result", winners=result.get("winners", []), scores=result.get("scores", {}))


def question(referee: Referee, pending: PendingQuestion, say: Catalogue) -> ReportQuestion:
    """Return one open question with all that its seat needs to answer it."""
    domain = referee.domain(pending.seat)
    return ReportQuestion(
        pending.q,
        pending.seat,
        pending.kind,
        say.label(f"kind.{pending.kind}"),
        " ".join(filter(None, (say.render_prompt(pending), _reminder(referee, pending, say)))),
        say.render_trail(referee.table.trail),
        pending.rule,
        pending.pace,
        pending.sealed,
        pending.answered,
        say.faced(current_answer(referee, pending)),
        say.faced(domain.default_text(pending.default)),
        say.syntax(
            f"{domain.syntax()} [unless <seat>] [after <seat>]" if isinstance(domain, Reply) else domain.syntax()
        ),
        list(choices(say, domain)),
        offers(referee, pending.seat, say),
    )


def _reminder(referee: Referee, pending: PendingQuestion, say: Catalogue) -> str:
    """Return the card text that the moderator has to execute by hand, where they have written a reminder."""
    card = str(pending.about.get("card", "")) if pending.seat == MODERATOR else ""
    if not card:
        return ""
    copy = next((key for key, face in say.names.printed.items() if face == card), card)
    text = referee.game.card_text(referee.components, copy)
    return text.get(say.language, text.get("en", ""))


def choices(say: Catalogue, domain: Domain | None, field: str = "", place: str = "") -> Iterable[Choices]:
    """Yield the words of a domain by field, unless they depend on others; `place`: in the syntax, `move <origin>`."""
    if isinstance(domain, Reply):
        domain = domain.inner
    if isinstance(domain, Optional):
        domain = domain.domain
    if isinstance(domain, (Choice, Subset)):
        if domain.what and place and not place.endswith(">"):
            place += f"<{domain.what}>" if place.endswith("=") else f" <{domain.what}>"
        faces = dict.fromkeys(say.names.printed.get(str(option), str(option)) for option in domain.listed)
        if faces:
            cost = domain.cost if isinstance(domain, Choice) else None
            yield Choices(field, [_priced(say, word, domain.what, cost) for word in faces], say.syntax(place))
    elif isinstance(domain, Distribution):
        yield Choices(field, [say.typed(word) for word in domain.bounds], say.syntax(place))
    elif isinstance(domain, Menu):
        yield Choices(field, [say.typed(word) for word in domain.entries], say.syntax(place))
        for word, inner in domain.entries.items():
            yield from choices(say, inner, f"{field} {word}".strip(), f"{place} {word}".strip())
    elif isinstance(domain, Form):
        yield from _of_fields(say, domain, field, place)
    elif isinstance(domain, Series):
        yield from choices(say, domain.item([]), field, place)


def _priced(say: Catalogue, word: str, what: str, cost: Callable[[Any], int] | None) -> str:
    typed = say.typed(word, what)
    return typed if cost is None else say.text("report.cost", word=typed, count=cost(word))


def _of_fields(say: Catalogue, form: Form, field: str, place: str) -> Iterable[Choices]:
    for at, (name, part) in enumerate(form.fields.items()):
        if isinstance(part, Domain):
            known: Domain | None = part
        else:
            known = form.field(name, {}) if at == 0 else None
        slot = f"<{name}>" if isinstance(part, Choice) else f"{name}="  # as `Form.syntax` has it
        yield from choices(say, known, f"{field} {name}".strip(), f"{place} {slot}".strip())


def offers(referee: Referee, seat: str, say: Catalogue) -> list[ReportProposal]:
    """Return the proposals of the open negotiation that `seat` may see."""
    if referee.talk is None:
        return []
    return [
        ReportProposal(
            proposal.id,
            say.name(proposal.by),
            [say.name(party) for party in proposal.parties],
            [say.name(signer) for signer in proposal.signed],
            terms_in_words(referee, seat, proposal, say),
        )
        for proposal, _ in referee.talk.seen_by(seat)
    ]


def terms_in_words(referee: Referee, seat: str, proposal: Proposal, say: Catalogue) -> str:
    """Return what is in a proposal, in the game's own words if it has some for a seat that is asked."""
    terms = evidence_of(referee, referee.talk.request.kind).terms if referee.talk is not None else None
    if terms is None or seat not in referee.asked():
        return say.value(proposal.terms)
    return say.join([note(fact, say) for fact in terms(referee.look(seat), proposal)], "comma")


def current_answer(referee: Referee, pending: PendingQuestion) -> str:
    """Return the seat's answer to an open question, as order text; "" if it has not answered."""
    if not pending.answered:
        return ""
    if referee.talk is not None:
        return DONE
    return referee.domain(pending.seat).text(referee.sealed[pending.seat].answer)


def report_table(say: Catalogue, table: TableView) -> ReportTable:
    """Return a table with its cells as texts. Tables with the same content share one object."""
    return say.drawn.alike("sheet", table, lambda: _sheet(say, table))


def _sheet(say: Catalogue, table: TableView) -> ReportTable:
    columns = [Heading(c.key, say.label(f"col.{c.key}"), c.kind, c.printed) for c in table.columns]
    rows = [[_cell(say, cell, c.kind) for cell, c in zip(row, columns, strict=True)] for row in table.rows]
    note = f"table.{table.id}.note"
    return ReportTable(
        table.id,
        table.group,
        say.label(f"group.{table.group}") if table.group else "",
        say.label(f"table.{table.id}", table.title),
        columns,
        rows,
        table.rows,
        say.text(note, table.title) if say.has(note) else "",
    )


def _cell(say: Catalogue, cell: Any, kind: str) -> str:
    if cell is None or cell == "" or cell == []:
        return ""
    if kind == "name" or isinstance(cell, (bool, list)):
        return say.value(cell)
    return say.value(cell, kind) if say.has(f"{kind}.{cell}") else str(cell)


def _strip(say: Catalogue, track: Track) -> ReportTrack:
    marks = [(mark.name, say.value(mark.name), mark.at) for mark in track.marks]
    return ReportTrack(track.id, say.label(f"track.{track.id}"), track.low, track.high, marks)


def holding(say: Catalogue, hand: Hand) -> ReportHand:
    """Return a hand with equal cards grouped."""
    cards = None if hand.cards is None else list(_card_stacks(say, hand.cards))
    return ReportHand(hand.seat, say.name(hand.seat), say.label(f"hand.{hand.id}"), hand.count, cards)


def _card_stacks(say: Catalogue, cards: Sequence[CardView]) -> Iterable[CardStack]:
    groups: dict[tuple[str, tuple[str, ...], str], CardStack] = {}
    for card in cards:
        word = say.names.printed.get(card.id, card.id)
        key = (word, tuple(card.uses), card.note)
        if key in groups:
            groups[key].ids.append(card.id)
            continue
        note = say.text(card.note) if say.has(card.note) else say.value(card.note)
        uses = [say.label(f"kind.{use}") for use in card.uses]
        groups[key] = CardStack([card.id], word, say.name(card.id), card_text(say, card.id), uses, note)
    return groups.values()


def card_text(say: Catalogue, card: str) -> str:
    """Return the text of a card in the reader's language; "" if it has none."""
    if say.game is None or say.components is None:
        return ""
    texts = say.game.card_text(say.components, card)
    return texts.get(say.language) or texts.get("en", "")


_BESIDE = 4
"""Spaces next to that of a question that are shown with it."""
_BATTLE = frozenset({"attacker", "enemy"})
"""What a question about a battle names: all that its troops can reach is shown, not only what its answers name."""


def spaces_around(
    referee: Referee, pending: PendingQuestion, words: Collection[str], say: Catalogue
) -> SpacesAround | None:
    """Return the few spaces of the seat's view that a question and its answers turn on; None without any."""
    about = {key: value for key, value in pending.about.items() if isinstance(value, str)}
    to = next((about[key] for key in TO if key in about), "")
    if not to:
        return None
    view, game = referee.game.view(referee.table, pending.seat), referee.game
    places = {place.id: place for place in say.drawn.alike("map", view.map, lambda: _places(say, view, game.notes))}
    place, origin = places.get(to), places.get(about.get(FROM, ""))
    if place is None or origin is place:
        return None
    beside = [
        places[key]
        for key in place.links
        if key in places and places[key] is not origin and (key in words or _BATTLE & about.keys())
    ]
    few = len(beside) <= _BESIDE and (origin is not None or bool(beside))
    return SpacesAround(place, origin, beside) if few else None


def _places(say: Catalogue, view: View, notes: MapNotes) -> list[ReportSpace]:
    language = LANGUAGES.index(say.language)
    return [
        ReportSpace(
            space.id,
            say.name(space.id),
            space.x,
            space.y,
            space.side,
            say.value(space.side) if space.side else "",
            space.mark,
            list(space.links),
            space.region,
            notes.short[space.id][language] if space.id in notes.short else "",
            notes.weights.get(space.id, 0),
        )
        for space in view.map
    ]
