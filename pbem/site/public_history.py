"""What the pages show of a game: its public reports and its public history, and nothing else of the save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel.game import Game
from pbem.kernel.referee import Referee, ReplayError
from pbem.kernel.table import LogLine
from pbem.mail.outbox.email_parts import at_move, groups_of, lines_of, turn_of
from pbem.mail.statistics import GameStats, of_game
from pbem.report.build import build
from pbem.report.messages import Catalogue
from pbem.report.model import Report, ReportContext, ReportTable
from pbem.report.viewfile import told_of
from pbem.save import Session
from pbem.timestamps import stamp

STEPS = 400
"""About the highest number of pages of a replay; in longer games one page covers several questions."""

Counts = list[tuple[str, dict[str, int]]]
"""`(turn, number by seat)`."""


class ReplayPage(msgspec.Struct):
    """One page of a replay: the public reports by language, with the log since the page before."""

    reports: dict[str, Report]


class PublicHistory(msgspec.Struct):
    """A game as the public sees it: the whole log in each language, and, once it is over, its replay.

    `hands` are the numbers of cards at the end of each turn, by kind of hand; `hand_names` their names by
    language. `losses` are the pieces that each owner has lost by then, `loss_names` their name and `owners`
    the names of the owners, by language. `figures` are the statistics of `pbem stats`. `places` are the spaces where
    something happened last.
    """

    name: str
    due: str
    reports: dict[str, Report]
    hands: dict[str, Counts] = {}
    hand_names: dict[str, dict[str, str]] = {}
    losses: Counts = []
    loss_names: dict[str, str] = {}
    owners: dict[str, dict[str, str]] = {}
    steps: list[ReplayPage] = []
    figures: GameStats | None = None
    places: list[str] = []


def public_history(session: Session, languages: Sequence[str], *, replay: bool = True) -> PublicHistory:
    """Return the public history of a game. Without `replay`, nothing is replayed: the log begins at the checkpoint."""
    save, referee = session.save, session.referee
    lines = lines_of(session) if replay else referee.table.lines
    says = {language: Catalogue(session.game, referee.components, language, referee.names) for language in languages}
    about = ReportContext(
        save.header.name,
        due=min((question.due for question in save.pending if question.due), default=None),
        zone=save.clock.zone,
        reader_zone=save.clock.zone,
        history=[(mark.label, mark.points) for mark in save.header.history],
    )
    told = PublicHistory(save.header.name, stamp(about.due), _reports(referee, says, lines, about))
    told.figures = of_game(session, lines, public=True)
    told.places = _lately(lines, told.reports[languages[0]])
    if replay:
        try:
            course = _course(session, says, about)
        except ReplayError:  # begun under older rules: only the present can be shown
            return told
        told.hands = {key: counts for key, counts in course.hands.items() if len(counts) > 1}
        lost = {owner for _, counts in course.losses for owner in counts}
        owners = [*session.setup.seats, *sorted(lost - {*session.setup.seats})] if lost else []
        if owners:
            told.losses = [(turn, {who: counts.get(who, 0) for who in owners}) for turn, counts in course.losses]
        for language, say in says.items() if owners else ():
            told.loss_names[language] = say.label("plot.losses")
            told.owners[language] = {owner: say.name(owner) for owner in owners}
        told.hand_names = {
            language: {key: say.label(f"hand.{key}") for key in told.hands} for language, say in says.items()
        }
        if referee.over:
            told.steps = course.steps
    return told


def _lately(lines: Sequence[LogLine], report: Report) -> list[str]:
    """Return the spaces that the last public line names, of those that name any."""
    spaces = {place.id for place in report.map}
    public = (line.args for line in reversed(lines) if line.only is None)
    return next((list(found) for args in public if (found := told_of(args, spaces).at)), [])


def _reports(
    referee: Referee, says: dict[str, Catalogue], lines: Sequence[LogLine], about: ReportContext
) -> dict[str, Report]:
    return {
        language: build(referee, "", language, lines=lines, frame=about, catalogue=say)
        for language, say in says.items()
    }


class GameHistory(msgspec.Struct):
    """A replayed journal: cards held and pieces lost by the end of each turn, and the steps of the replay."""

    steps: list[ReplayPage]
    hands: dict[str, Counts] = {}
    losses: Counts = []


def _course(session: Session, says: dict[str, Catalogue], about: ReportContext) -> GameHistory:
    referee = at_move(session, [])
    groups = groups_of(session.moves())
    stride = -(-len(groups) // STEPS) or 1
    plain = ReportContext(about.name, zone=about.zone)
    start = [("", dict[str, int]())]
    course = GameHistory(losses=start, steps=[ReplayPage(_reports(referee, says, referee.table.lines, plain))])
    turn, told = turn_of(referee), len(referee.table.lines)
    for at, group in enumerate(groups, 1):
        referee.replay(group)
        if turn_of(referee) != turn:
            _count(course, turn, referee)
            turn = turn_of(referee)
        if not session.referee.over or (at % stride and at < len(groups)):
            continue
        fresh = referee.table.lines[told:]
        if any(line.only is None for line in fresh):
            course.steps.append(ReplayPage(_reports(referee, says, fresh, plain)))
            told += len(fresh)
    _count(course, turn, referee)
    return course


def _count(course: GameHistory, turn: str, referee: Referee) -> None:
    counts: dict[str, dict[str, int]] = {}
    for hand in referee.game.view(referee.table, "").hands:
        counts.setdefault(hand.id, {})[hand.seat] = hand.count
    for key, numbers in counts.items():
        course.hands.setdefault(key, []).append((turn, numbers))
    course.losses.append((turn, losses_of(referee.game, referee.table.lines)))


def losses_of(game: Game[Any, Any], lines: Iterable[LogLine]) -> dict[str, int]:
    """Count the pieces that each owner has lost, according to public log lines."""
    found: dict[str, int] = {}
    for line in lines:
        if line.only is None and line.key in game.loss_lines:
            owner, count = game.loss_lines[line.key]
            who = str(line.args[owner])
            found[who] = found.get(who, 0) + (_number(line.args[count]) if count else 1)
    return found


def _number(pieces: object) -> int:
    """Count the pieces in an argument of a line: a number, numbers by kind, or the pieces one by one."""
    if isinstance(pieces, int):
        return pieces
    if isinstance(pieces, Mapping):
        return sum(map(_number, pieces.values()))
    return len(pieces) if isinstance(pieces, list | tuple) else 1


def changed_sheets(now: Report, before: Report | None) -> Iterator[ReportTable]:
    """Return the tables of a step that have changed since the step before."""
    known = {} if before is None else {sheet.id: sheet for sheet in before.sheets}
    return (sheet for sheet in now.sheets if known.get(sheet.id) != sheet)
