"""Publication of games as pages in a folder: writes only what has changed, each file atomically.

The state of the last run is in `.pbem-site.json` there, public facts only. A game with unchanged public facts
isn't opened. A game whose emails are held back waits, so that no page shows what no email has said yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import msgspec

import games
from pbem import LANGUAGES, __version__
from pbem.atomic_files import replace, store
from pbem.file_locks import lock
from pbem.lazy_regex import escape
from pbem.mail.outbox.calendar import CalendarEvent, calendar
from pbem.mail.outbox.release import is_held
from pbem.mail.save_index import SaveIndex
from pbem.mail.statistics import GameStats
from pbem.report.html import listed
from pbem.save import Save, SaveError, Session
from pbem.save.session import Loader
from pbem.site import pages
from pbem.site.html_parts import PageMessages
from pbem.site.public_history import PublicHistory, public_history
from pbem.timestamps import stamp

FORMAT = 2
"""Increase it with any change of the pages: then all are written again."""

STATE = ".pbem-site.json"
_FIRST_LINES = 40
ENTRIES = 30
"""How many entries a feed keeps."""

EMPTY = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//pbem//deadlines//EN\r\nEND:VCALENDAR\r\n"
"""A calendar without a deadline."""


class PublishedGame(msgspec.Struct):
    """A game as it was last published: hash of its public facts, rows of the index, entries of the feed.

    `n` and `epoch` say up to where its log was published, `paths` are its files, `figures` the statistics of
    `pbem stats`.
    """

    facts: str
    rows: dict[str, pages.IndexRow]
    entries: list[FeedEntry]
    n: int
    epoch: int
    paths: list[str]
    figures: GameStats | None = None


class PublishState(msgspec.Struct):
    """The contents of `STATE`."""

    format: int = FORMAT
    version: str = __version__
    languages: list[str] = []
    games: dict[str, PublishedGame] = {}


class Published(msgspec.Struct):
    """The results of a run: files written, games opened, games whose emails are held back, unreadable saves."""

    games: int = 0
    opened: list[str] = []
    written: list[str] = []
    held: list[str] = []
    broken: dict[str, str] = {}


def publish_pages(
    saves: Iterable[Path],
    out: Path,
    *,
    now: datetime,
    game: Loader = games.load,
    languages: Sequence[str] = LANGUAGES,
    replay: bool = True,
    force: bool = False,
) -> Published:
    """Publish the games of these saves (files or folders) in `out`; the first language is at its top.

    `replay` False: no journal is replayed, so there is neither replay nor history of the hands. `force`: write
    everything again; feeds keep their entries. Games published earlier that aren't among `saves` stay. Raises
    OSError.
    """
    out.mkdir(parents=True, exist_ok=True)
    with lock(out / ".pbem-site.lock"):
        run = _PublishRun(out, now, game, languages, replay)
        index = SaveIndex(saves)
        run.done.games = len(index.headers)
        run.done.broken = {str(path): str(error) for path, error in index.broken.items()}
        run.put("style.css", files("pbem.site").joinpath("style.css").read_text("utf-8"))
        for name, save in index.headers.items():
            run.game(save, index.paths[name], force=force)
        run.finish()
        return run.done


def facts_of(save: Save) -> str:
    """Return a hash of the public part of a header; sealed answers, and who has given them, don't change it."""
    header = save.header
    pending = [(question.q, question.seat, question.kind, question.pace, question.due) for question in save.pending]
    known = (header.name, header.game, header.scenario, header.rules, header.n, header.q, header.lines)
    more = (header.over, header.clock, header.result, header.history, save.dice.epoch, save.clock.zone)
    return sha256(msgspec.json.encode([*known, *more, pending], order="deterministic")).hexdigest()


class _PublishRun:
    def __init__(self, out: Path, now: datetime, game: Loader, languages: Sequence[str], replay: bool) -> None:
        self.out, self.now, self.load = out, now, game
        self.languages, self.replay = tuple(languages), replay
        self.done = Published()
        self._unlinked(STATE)
        self.state = PublishState()
        with suppress(FileNotFoundError, msgspec.DecodeError):
            self.state = msgspec.json.decode((out / STATE).read_bytes(), type=PublishState)
        self.fresh = self.state.format == FORMAT and self.state.version == __version__
        self.fresh = self.fresh and self.state.languages == [*languages]
        self.state = msgspec.structs.replace(self.state, format=FORMAT, version=__version__, languages=[*languages])

    def game(self, save: Save, path: Path, *, force: bool) -> None:
        """Publish one game, if anything about it has changed."""
        name, known = save.header.name, self.state.games.get(save.header.name)
        if known is not None and self.fresh and not force and known.facts == facts_of(save):
            return
        try:
            session = Session.open(path, self.load)
            if is_held(session.save):
                self.done.held.append(name)
                return
            told = public_history(session, self.languages, replay=self.replay)
        except SaveError as error:
            self.done.broken[str(path)] = str(error)
            return
        self.done.opened.append(name)
        self._write_game(told, session.save, known)

    def _write_game(self, told: PublicHistory, save: Save, known: PublishedGame | None) -> None:
        entries, n = self._entries(told, save, known)
        found = pages.of_game(told, self.languages)
        for language in self.languages:
            report = told.reports[language]
            home = pages.folder(told.name, language, self.languages[0])
            title = f"{report.title} ({told.name})"
            found[f"{home}feed.xml"] = atom(told.name, title, entries, PageMessages(language))
            dates = deadlines([(told.name, report.title, told.due)], self.now)
            if dates:
                found[f"{home}calendar.ics"] = dates
        # The index last, because it links to the others.
        for path in sorted(found, key=lambda path: (path.endswith("index.html"), path)):
            self.put(path, found[path])
        homes = tuple({pages.folder(told.name, language, first) for language in LANGUAGES for first in LANGUAGES})
        for path in set(known.paths if known else ()) - set(found):
            # Others may write to the list, so only files among the game's pages are deleted.
            if path.startswith(homes) and ".." not in Path(path).parts and self._unlinked(path):
                (self.out / path).unlink(missing_ok=True)
        self.state.games[told.name] = PublishedGame(
            facts_of(save),
            {language: pages.row(told, language) for language in self.languages},
            entries,
            n,
            save.dice.epoch,
            sorted(found),
            told.figures,
        )

    def _entries(self, told: PublicHistory, save: Save, known: PublishedGame | None) -> tuple[list[FeedEntry], int]:
        """Return the entries of the feed, with one for the news, and the move up to which they go."""
        before = known.n if known else -1
        if known and known.epoch != save.dice.epoch and save.dice.rewinds:
            before = min(before, save.dice.rewinds[-1].n)
        entries = [entry for entry in known.entries if {*entry.title} >= {*self.languages}] if known else []
        lines = {
            language: [line.text for line in report.news if line.n > before][-_FIRST_LINES:]
            for language, report in told.reports.items()
        }
        moves = save.header.n
        if any(lines.values()):
            title = {language: pages.facts(report) or report.title for language, report in told.reports.items()}
            entries = [*entries, FeedEntry(f"{save.dice.epoch}-{moves}", stamp(self.now), title, lines)]
        return entries[-ENTRIES:], moves

    def finish(self) -> None:
        first = self.languages[0]
        for language in self.languages:
            home = "" if language == first else f"{language}/"
            rows = {
                name: game.rows[language]
                for name, game in sorted(self.state.games.items())
                if language in game.rows and (self.out / "games" / name).is_dir()
            }
            dues = [(name, row.title, row.due) for name, row in rows.items() if not row.over]
            if self.done.opened or not (self.out / home / "calendar.ics").exists():
                self.put(f"{home}calendar.ics", deadlines(dues, self.now) or EMPTY)
            figures = [game.figures for name, game in self.state.games.items() if game.figures and name in rows]
            self.put(f"{home}index.html", pages.index(rows, PageMessages(language), self.languages, figures))
        if self.done.opened or not self.fresh:
            store(self.out / STATE, self.state)

    def put(self, path: str, text: str) -> None:
        """Write a file, unless its content is unchanged."""
        target, data = self.out / path, text.encode()
        self._unlinked(path)
        with suppress(OSError):
            if target.read_bytes() == data:
                return
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, data)
        self.done.written.append(path)

    def _unlinked(self, path: str) -> bool:
        """Remove symbolic links on the way to a file, so that none leads elsewhere; return whether there were none."""
        links = [place for place in (self.out / path, *(self.out / path).parents) if place != self.out]
        links = [place for place in links if self.out in place.parents and place.is_symlink()]
        for place in reversed(links):
            place.unlink(missing_ok=True)
        return not links


class FeedEntry(msgspec.Struct):
    """News by language: `key` identifies the state of the game, `at` is the time of publication."""

    key: str
    at: str
    title: dict[str, str]
    lines: dict[str, list[str]]


def atom(name: str, title: str, entries: Sequence[FeedEntry], words: PageMessages) -> str:
    """Return a feed, newest entry first. Ids don't depend on the address of the site."""
    language = words.language
    shown = "".join(
        f"<entry><id>urn:pbem:{name}:{language}:{entry.key}</id><title>{escape(entry.title[language])}</title>"
        f'<updated>{entry.at}</updated><link rel="alternate" href="index.html"/>'
        f'<content type="html">{escape(listed(entry.lines[language]))}</content></entry>\n'
        for entry in reversed(entries)
    )
    updated = entries[-1].at if entries else "1970-01-01T00:00:00Z"
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{language}">\n'
        f"<id>urn:pbem:{name}:{language}</id><title>{escape(title)}</title><updated>{updated}</updated>"
        f"<author><name>pbem</name></author>"
        f'<link rel="self" href="feed.xml"/><link rel="alternate" href="index.html"/>\n{shown}</feed>\n'
    )


def deadlines(dues: Sequence[tuple[str, str, str]], first: datetime) -> str:
    """Return a calendar of deadlines `(name, title, due)`, all dated `first`; "" if there are none."""
    events = [
        CalendarEvent(
            uid=f"{name}-{due}@pbem", due=datetime.fromisoformat(due), summary=f"{title} ({name})", written=first
        )
        for name, title, due in dues
        if due
    ]
    return calendar(events[0], *events[1:]) if events else ""
