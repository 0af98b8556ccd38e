"""Sources of a seat view: a player's view file, or a save (for the moderator, or for one seat of it)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.kernel.game import Game
from pbem.kernel.order_words import normalize_word
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import ReplayError
from pbem.report.messages import Catalogue
from pbem.report.model import ReportContext
from pbem.report.viewfile import view_file
from pbem.tui.model.messages import ScreenMessages
from pbem.tui.model.seat_view import SeatView, ViewFileError, load_seat_view

if TYPE_CHECKING:
    from pbem.mail.statistics import GameStats
    from pbem.orders.receipt import Receipt

Loader = Callable[[str], Game]

_HINTS, _LEAST, _REASONS = 3, 0.05, 4
"""Answers that a hint shows, the least difference that it mentions, and how many it mentions."""

_SHORT = 300  # a game with so many moves before its checkpoint is read whole at once
PUBLIC = "public"  # the viewer who sees only what is public


@dataclass(frozen=True)
class ReplayPoint:
    """A point of the finished part of the game that can be shown: after move `n`."""

    n: int
    label: str


@dataclass(frozen=True)
class Hint:
    """An answer that a bot would give: order text, evaluation, and what speaks for it and against it."""

    order: str
    worth: float
    gains: Mapping[str, float]

    def reason(self, say: Catalogue, words: ScreenMessages) -> str:
        terms = [(gain, f"term.{name}") for name, gain in self.gains.items() if abs(gain) >= _LEAST]
        terms = sorted((term for term in terms if say.has(term[1])), key=lambda term: -abs(term[0]))[:_REASONS]
        more = say.join([f"{say.text(key)} ({gain:+.1f})" for gain, key in terms if gain > 0])
        less = say.join([f"{say.text(key)} ({gain:+.1f})" for gain, key in terms if gain < 0])
        signs = {gain > 0 for gain, _ in terms}
        key = "both" if len(signs) == 2 else "more" if True in signs else "less" if signs else "none"
        return words(f"play.hint.{key}", more=more, less=less)


class Source:
    """A source of seat views. `can_write`: orders can go into the game; `direct`: without asking, in local play."""

    path: Path
    can_write = False
    direct = False

    @property
    def beside(self) -> Path:
        """The file next to which drafts and receipts are kept."""
        return self.path

    guided = False  # whether each question is explained (`guide.<kind>` in the game's locale)

    def desk(self) -> SeatView:
        """Return the present seat view. Raises `ViewFileError`, `SaveError`."""
        raise NotImplementedError

    def judge(self, text: str, seat: str) -> list[Receipt]:
        """Return the referee's reply to `text`, as far as the seat's own knowledge allows."""
        raise NotImplementedError

    def code(self, seat: str) -> str:
        raise NotImplementedError

    def stops(self) -> Sequence[ReplayPoint]:
        """Return the points that can be shown, oldest first; none where there is only a log."""
        return ()

    def at(self, stop: ReplayPoint) -> SeatView:
        """Return the seat view at an earlier point, without questions."""
        raise NotImplementedError

    def read_all(self) -> bool:
        """Let later views have the whole log; return whether earlier ones lacked lines."""
        return False

    def figures(self) -> GameStats | None:
        """Return dice and hours; None where there is only a log."""
        return None

    def take(self, text: str, now: datetime) -> str:
        """Put orders directly into the game. Return the receipt in words."""
        raise NotImplementedError

    def turn(self) -> str:
        """Return the seat whose player looks at the screen next; "" if the reader is always the same."""
        return ""

    def sit(self, seat: str) -> None:
        """Show the game to another player."""

    def person(self, seat: str) -> str:
        """Return the name of the player of a seat; "" where it isn't known or doesn't matter."""
        return ""

    def hints(self, seat: str) -> list[Hint]:
        """Return a bot's best answers, best first; none if it gives no hints here."""
        return []

    def take_back(self, now: datetime) -> bool:
        """Take the reader's last answer back. Return False if that is impossible."""
        return False

    def changed(self) -> bool:
        """Check if anything that the reader may see has changed since the last read."""
        return self.written()

    def written(self) -> bool:
        stamp = _stamp(self.path)
        return stamp is not None and stamp != self._stamp

    _stamp: tuple[int, int] | None = None


class ViewSource(Source):
    """A player's view file (TOML)."""

    def __init__(self, path: Path, loader: Loader | None = None) -> None:
        self.path = path
        self.loader = loader or _loader
        self._document: dict[str, Any] = {}

    def desk(self) -> SeatView:
        self._stamp = _stamp(self.path)
        self._document = _read(self.path)
        if self._document.get("seat") == MODERATOR:
            raise ViewFileError("a view file has no moderator's screen: open the save")
        slug = self._document.get("rules", "")
        try:
            game: Game | None = self.loader(str(slug))
        except LookupError:
            game = None  # the game isn't installed here: only its texts are missing
        return load_seat_view(self._document, game)

    def judge(self, text: str, seat: str) -> list[Receipt]:
        from pbem.orders.offline_check import check

        return check(self._document, text)

    def code(self, seat: str) -> str:
        return str(self._document.get("code", ""))


class SaveSource(Source):
    """A save. `seat` is `moderator` (everything, hot-seat play), `public`, or a seat whose view all screens use."""

    taken = False  # whether all of the last orders were accepted
    table = ""  # how the player came to the live table, as the journal keeps it

    def __init__(self, path: Path, seat: str = MODERATOR, loader: Loader | None = None) -> None:
        self.path = path
        self.seat = "" if seat == PUBLIC else seat or MODERATOR
        self.can_write = bool(self.seat)
        self.loader = loader or _loader
        self._shown: dict[str, Any] = {}
        self._history: list[tuple[str, dict[str, int]]] | None = None
        self._stops: list[ReplayPoint] | None = None
        self._open()
        self._whole = self.session.referee.base <= _SHORT

    def _open(self) -> None:
        from pbem.save import Session

        self._stamp = _stamp(self.path)
        self.session = Session.open(self.path, self.loader)
        known = {normalize_word(seat.id): seat.id for seat in self.session.save.seats}
        if self.seat not in ("", MODERATOR):
            self.seat = known.get(normalize_word(self.seat), self.seat)
            if self.seat not in known.values():
                seats = ", ".join([*known.values(), PUBLIC, MODERATOR])
                raise ViewFileError(f"'{self.seat}' isn't a seat; seats: {seats}")
        self._history = self._stops = None

    def _course(self) -> list[tuple[str, dict[str, int]]]:
        from pbem.mail.outbox.email_parts import course_of

        if self._history is None:
            try:
                self._history = course_of(self.session)
            except ReplayError:
                self._history = []
        return self._history

    def changed(self) -> bool:
        """Compare the seat's document: sealed answers of others must not change it. The moderator sees all changes."""
        from pbem.save import SaveError

        if not self.written():
            return False
        if self.seat == MODERATOR:
            return True
        try:
            self._open()
        except (SaveError, ViewFileError, OSError):
            self._stamp = None  # the caller redraws and is notified of errors
            return True
        return self.document(self.seat, described=False) != self._shown

    def desk(self) -> SeatView:
        if self.written():
            self._open()
        referee = self.session.referee
        seen = [pending.seat for pending in referee.pending() if self.seat in (MODERATOR, pending.seat)]
        domains = {seat: referee.domain(seat) for seat in seen}
        self._shown = self.document(self.seat, described=False)
        return load_seat_view(self._shown, self.session.game, domains)

    def document(self, seat: str, *, described: bool = True) -> dict[str, Any]:
        """Return the view document of a seat. Where the domains are at hand, their schemas are left out."""
        from pbem.mail.outbox.email_parts import lines_of

        about, lines = self._frame(seat), self.session.referee.table.lines
        if self._whole:
            lines = lines_of(self.session)
        return view_file(self.session.referee, seat, frame=about, lines=lines, nodes=2000 if described else 0)

    def _frame(self, seat: str) -> ReportContext:
        from pbem.mail.outbox.email_parts import full_frame
        from pbem.save import SeatInfo

        save = self.session.save
        info = next((player for player in save.seats if player.id == seat), None)
        reader = info or SeatInfo(seat, zone=save.clock.zone, language=save.post.language)
        found = full_frame(self.session, reader, self._course())
        if info is None:
            found.due = min((pending.due for pending in save.pending if pending.due), default=None)
        return found

    def judge(self, text: str, seat: str) -> list[Receipt]:
        from pbem.orders.offline_check import check

        referee = self.session.referee
        domain = referee.domain(seat) if referee.pending_to(seat) is not None else None
        return check(self.document(seat, described=False), text, domain=domain)

    def code(self, seat: str) -> str:
        return self._frame(seat).code

    def read_all(self) -> bool:
        was, self._whole = self._whole, True
        return not was

    def stops(self) -> Sequence[ReplayPoint]:
        from pbem.mail.outbox.email_parts import at_move, groups_of
        from pbem.save import SaveError

        if self._stops is None:
            save, moves, self._stops = self.session.save, self.session.moves(), []
            # Begun under older rules: the game goes on from its checkpoint, but can't be replayed.
            with suppress(SaveError, ReplayError):
                at_move(self.session, moves)
                since = save.origin.n if save.origin else 0
                groups = groups_of([move for move in moves if move.n > since])
                later = (ReplayPoint(group[-1].n, group[0].kind) for group in groups)
                self._stops = [ReplayPoint(since, ""), *later]
        return self._stops

    def at(self, stop: ReplayPoint) -> SeatView:
        from pbem.mail.outbox.email_parts import at_move

        referee = at_move(self.session, [move for move in self.session.moves() if move.n <= stop.n])
        document = view_file(referee, self.seat, frame=ReportContext(name=self.session.save.header.name), nodes=0)
        document["questions"] = []
        document["zone"] = self.session.save.clock.zone
        return load_seat_view(document, self.session.game)

    def figures(self) -> GameStats:
        """Return public dice, and hours for the moderator only: players must not know when others answer."""
        from pbem.mail.statistics import of_game

        return of_game(self.session, public=self.seat != MODERATOR)

    def take(self, text: str, now: datetime) -> str:
        """Process orders of the seat as if they had come by mail. In a game played here only rejections are told."""
        from pbem.mail.inbox.inbox_run import InboxRun
        from pbem.mail.inbox.stages import Received

        if not self.can_write:
            raise PermissionError("a spectator can't act")
        seat = "" if self.seat == MODERATOR else self.seat
        run = InboxRun([self.path], now=now, game=self.loader)
        raw = text.encode("utf-8", "replace")
        key = f"tui.{now.timestamp():.0f}.orders"  # the same text counts again later
        run.add_message(Received(key, raw, "the terminal", "orders", seat=seat, table=self.table))
        report = run.finish()
        self._open()
        broken = report.broken if not seat else {}
        self.taken = not broken and all(outcome.fate == "taken" for outcome in report.emails)
        if self.direct and self.taken:
            return ""
        told = [outcome.receipt or outcome.why for outcome in report.emails]
        rest = [] if seat else [*report.moderator, *broken.values()]  # not for a player's eyes
        return "\n\n".join([*(line for line in told if line), *rest])


class LocalGame(SaveSource):
    """A save that is played here. The screen is that of the seat to move; `people` are the seats without bots."""

    direct = True

    def __init__(
        self, path: Path, people: Sequence[str], loader: Loader | None = None, *, guided: bool = False
    ) -> None:
        self.people = tuple(people)
        self.guided = guided
        super().__init__(path, self.people[0], loader)
        self.seat = self.turn()

    def turn(self) -> str:
        """Return the player who is asked next, from the current one on; the current one if nobody is asked."""
        waiting = self.session.referee.waiting()
        at = self.people.index(self.seat) if self.seat in self.people else 0
        order = (*self.people[at:], *self.people[:at])
        return next((seat for seat in order if seat in waiting), order[0])

    def sit(self, seat: str) -> None:
        self.seat = seat

    def person(self, seat: str) -> str:
        return next(player.name for player in self.session.save.seats if player.id == seat)

    def hints(self, seat: str) -> list[Hint]:
        from pbem.bot import EFFORTS, best
        from pbem.mail.bots import position_of

        domain = self.session.referee.domain(seat)
        rated = best(position_of(self.session), seat, EFFORTS["normal"])
        shown = [found for found in rated[:_HINTS] if isfinite(found.worth)] or rated[:1]
        return [Hint(domain.text(found.answer), found.worth, found.gains) for found in shown]

    def take_back(self, now: datetime) -> bool:
        """Undo the last answer at the keyboard, False if there is none. Later dice are new; the log says so."""
        from pbem.kernel.journal import BOT
        from pbem.mail.moderator.journal import Actor, everybody, journal
        from pbem.mail.outbox.email_parts import groups_of
        from pbem.save import take_back

        groups = groups_of(self.session.moves())
        mine = [group for group in groups if any(m.seat == self.seat and m.how != BOT for m in group)]
        if not mine:
            return False
        plan = take_back(self.session, mine[-1][0].n - 1, now)
        author = Actor(self.seat, "taken back at the screen", now)
        journal(self.session, author, "rewind", everybody(self.session), n=plan.n, was=plan.was_n)
        self.session.commit(now)
        self._open()
        self.seat = self.turn()
        return True


def open_source(path: Path, seat: str = "", loader: Loader | None = None) -> Source:
    """Open a save or a view file. Raises `ViewFileError`, `SaveError`, OSError."""
    from pbem.mail.save_index import is_save

    if not path.is_file():
        raise FileNotFoundError(2, "no such file", str(path))
    if is_save(path):
        return SaveSource(path, seat, loader)
    source = ViewSource(path, loader)
    desk = source.desk()
    if seat and normalize_word(seat) != normalize_word(desk.seat):
        raise ViewFileError(f"'{seat}' can't be opened: this is the view file of '{desk.seat}'")
    return source


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ViewFileError(f"'{path}' isn't a TOML file: {error}") from error


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _loader(slug: str) -> Game:
    import games

    return games.load(slug)
