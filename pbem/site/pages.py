"""The pages of one game, and the index: from its `PublicHistory` to HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256

import msgspec

from pbem.lazy_regex import escape
from pbem.mail.statistics import GameStats, results
from pbem.report.html import legend
from pbem.report.map_svg import board, crop
from pbem.report.messages import report_messages
from pbem.report.model import Report
from pbem.site import html_parts
from pbem.site.html_parts import LANGUAGE_NAMES, PageLink, PageMessages
from pbem.site.public_history import PublicHistory, changed_sheets

_LATEST = 5
"""Events that a game's page begins with."""
Pages = dict[str, str]
"""The files to write: path below the folder of the site → content."""


class IndexRow(msgspec.Struct):
    """A game in the index, in one language. `due` is ISO 8601 ("": none), `until` the same in the game's zone.

    `seats` are the names of its seats.
    """

    title: str
    when: str
    asked: str
    due: str
    until: str
    result: str
    over: bool
    steps: int = 0
    seats: dict[str, str] = {}


def folder(name: str, language: str, first: str) -> str:
    """Return the folder of a game's pages in a language; those of the first language are at the top."""
    return f"{'' if language == first else language + '/'}games/{name}/"


def row(told: PublicHistory, language: str) -> IndexRow:
    """Return a game's row of the index."""
    report = told.reports[language]
    return IndexRow(
        report.title,
        facts(report),
        "" if report.over else f"{listing(report, report.asked)}: {report.asked_kind}" if report.asked else "",
        told.due,
        " = ".join(report.deadline),
        report.result,
        report.over,
        len(told.steps),
        dict(report.seats),
    )


def facts(report: Report) -> str:
    """Return the time in the game: turn 3, phase war."""
    return listing(report, [f"{fact.label} {fact.text}" for fact in report.clock])


def listing(report: Report, words: Sequence[str]) -> str:
    """Join words with the commas of the report's language."""
    return report_messages(report.language).join(words, "comma") if words else ""


def of_game(told: PublicHistory, languages: Sequence[str]) -> Pages:
    """Return all pages of a game in all languages."""
    found: Pages = {}
    for language in languages:
        words, home = PageMessages(language), folder(told.name, language, languages[0])
        up = "../" * home.count("/")
        others = [
            PageLink(f"{up}{folder(told.name, other, languages[0])}", LANGUAGE_NAMES[other], "alternate", other)
            for other in languages
            if other != language
        ]
        found |= _Game(told, words, home, up, others).pages()
    return found


class _Game:
    """The pages of one game in one language. `home` is their folder, `up` leads from it to the style sheet."""

    def __init__(self, told: PublicHistory, words: PageMessages, home: str, up: str, others: list[PageLink]) -> None:
        self.told, self.words, self.home, self.up, self.others = told, words, home, up, others
        self.report = told.reports[words.language]
        self.title = f"{self.report.title} ({told.name})"

    def pages(self) -> Pages:
        log = [html_parts.listed([line.text for line in self.report.news], "ol")]
        found = {
            f"{self.home}index.html": self._page("index.html", self.title, self._now()),
            f"{self.home}log.html": self._page("log.html", f"{self.title}: {self.words.plain('page.log')}", log),
        }
        if self.report.map:
            found[f"{self.home}map.svg"] = self._drawn
        return found | self._replay()

    def _page(self, own: str, title: str, main: Iterable[str], up: str = "") -> str:
        """Return a page of this game; `up` leads to the game's folder."""
        places = [("index.html", "page.now"), ("log.html", "page.log")]
        if self.told.steps:
            places.append(("replay/1.html", "page.replay"))
        links = [PageLink(f"{up}../../index.html", self.words.plain("page.index"))]
        links += [PageLink(f"{up}{path}", self.words.plain(key), here=path == own) for path, key in places]
        links += [msgspec.structs.replace(link, href=f"{up}{link.href}{own}") for link in self.others]
        return html_parts.page(self.words, title, main, up=up + self.up, links=links, feed=f"{up}feed.xml")

    def _now(self) -> Iterator[str]:
        report, words = self.report, self.words
        yield '<div class="facts">'
        if facts(report):
            yield f"<p>{escape(facts(report))}</p>"
        if report.over:
            yield f"<p>{words('game.over')} {escape(report.result)}</p>"
        elif report.asked:
            yield f"<p>{words('game.waiting_for', seats=listing(report, report.asked), kind=report.asked_kind)}</p>"
        if report.deadline and not report.over:
            until = " = ".join(report.deadline)
            yield f'<p>{words("game.due", due=until)} <a href="calendar.ics">{words("game.calendar")}</a></p>'
        yield f'<p><a href="feed.xml">{words("game.feed")}</a></p></div>'
        yield f"<h2>{words('game.latest')}</h2>"
        yield html_parts.listed([line.text for line in report.news[-_LATEST:]])
        yield f'<p><a href="log.html">{words("game.whole")}</a></p>'
        yield from self._map()
        yield from self._scores(report)
        yield from html_parts.plots(report, self.told, words)
        if report.sheets:
            yield f"<h2>{words('game.tables')}</h2>"
        yield from map(html_parts.table, report.sheets)
        if report.hands:
            yield f"<h2>{words('game.hands')}</h2>"
            yield html_parts.listed([f"{hand.owner}: {hand.label} {hand.count}" for hand in report.hands])
        if self.told.figures is not None:
            yield from self._figures(self.told.figures, dict(report.seats))

    def _figures(self, found: GameStats, names: Mapping[str, str]) -> Iterator[str]:
        words = self.words
        yield f"<h2>{words('statistics')}</h2>"
        key = "statistics.rounds" if found.over else "statistics.so_far"
        yield f"<p>{words(key, rounds=found.rounds, answers=found.answers, days=f'{found.days:g}')}</p>"
        if found.time:
            heads = [words(f"col.{key}") for key in ("seat", "answers", "median", "mean", "most")]
            times = [
                (
                    escape(names.get(seat, seat)),
                    str(span.answers),
                    *(f"{x:g}" for x in (span.median, span.mean, span.most)),
                )
                for seat, span in found.time.items()
            ]
            yield html_parts.rows_of(words("statistics.time"), heads, times)
        if found.dice:
            heads = [words(f"col.{key}") for key in ("sides", "dice", "sum", "expected", "sigmas", "faces")]
            dice = [
                (
                    str(die.sides),
                    str(die.count),
                    str(die.sum),
                    f"{die.expected:g}",
                    f"{die.sigmas:+g}",
                    " ".join(map(str, die.faces)),
                )
                for die in found.dice
            ]
            yield html_parts.rows_of(words("statistics.dice"), heads, dice)

    def _scores(self, report: Report) -> Iterator[str]:
        if report.scores:
            words = self.words
            rows = [(escape(fact.label), escape(fact.text)) for fact in report.scores]
            yield html_parts.rows_of(words("game.points"), (words("col.seat"), words("col.points")), rows)

    @cached_property
    def _drawn(self) -> str:
        return board(self.report, self.words.plain("game.map"))

    def _map(self) -> Iterator[str]:
        if self.report.map:
            words = self.words
            yield f"<h2>{words('game.map')}</h2>"
            if near := crop(self.report, self.told.places, words.plain("game.map_near")):
                yield f'<div class="near">{near}</div>'
            yield html_parts.scrolled(words("game.map"), self._drawn, "wide whole" if near else "wide")
            yield legend(self.report)
            yield f'<p><a href="map.svg">{words("game.map_alone")}</a></p>'

    # -- the replay ----------------------------------------------------------------------------------------------------

    def _replay(self) -> Pages:
        found: Pages = {}
        before: Report | None = None
        drawn: tuple[object, str] = (None, "")
        for number, step in enumerate(self.told.steps, 1):
            report = step.reports[self.words.language]
            if drawn[0] != report.map:  # an unchanged map is the same file
                picture = board(report, self.words.plain("game.map")) if report.map else ""
                name = f"map-{sha256(picture.encode()).hexdigest()[:12]}.svg" if picture else ""
                drawn = (report.map, name)
                if name:
                    found[f"{self.home}replay/{name}"] = picture
            title = f"{self.title}: {self.words.plain('replay.step', n=number, of=len(self.told.steps))}"
            path = f"replay/{number}.html"
            main = self._step(number, report, before, drawn[1])
            found[self.home + path] = self._page(path, title, main, "../")
            before = report
        return found

    def _step(self, number: int, report: Report, before: Report | None, picture: str) -> Iterator[str]:
        words, last = self.words, len(self.told.steps)
        links = [
            PageLink(f"{to}.html", words.plain(key), rel)
            for to, key, rel, goes in (
                (1, "replay.first", "", number > 1),
                (number - 1, "replay.previous", "prev", number > 1),
                (number + 1, "replay.next", "next", number < last),
                (last, "replay.last", "", number < last),
            )
            if goes
        ]
        yield f'<div class="steps">{html_parts.navigation(words("replay.nav"), links)}</div>'
        if facts(report):
            yield f'<p class="facts">{escape(facts(report))}</p>'
        yield html_parts.listed([line.text for line in report.news])
        yield from self._scores(report)
        if picture:
            alt = words("replay.alt", n=number)
            shown = f'<img class="map" src="{picture}" alt="{alt}" width="900" loading="lazy">'
            yield html_parts.scrolled(words("game.map"), f'<a href="{picture}">{shown}</a>')
            yield legend(report)
        sheets = list(changed_sheets(report, before))
        if sheets:
            key = "replay.changed" if before is not None else "game.tables"
            yield f"<h2>{words(key)}</h2>"
            yield from map(html_parts.table, sheets)


def index(
    rows: Mapping[str, IndexRow], words: PageMessages, languages: Sequence[str], figures: Sequence[GameStats] = ()
) -> str:
    """Return the index: running games by deadline, finished ones, and the results of each seat in them."""
    first = languages[0]
    up = "" if words.language == first else "../"
    links = [PageLink("", words.plain("page.index"), here=True)]
    links += [
        PageLink(f"{up}{'' if other == first else other + '/'}index.html", LANGUAGE_NAMES[other], "alternate", other)
        for other in languages
        if other != words.language
    ]
    main = [*_index(rows, words), *_results(rows, words, figures)]
    return html_parts.page(words, words.plain("page.title"), main, up=up, links=links)


def _index(rows: Mapping[str, IndexRow], words: PageMessages) -> Iterator[str]:
    playing = {name: entry for name, entry in rows.items() if not entry.over}
    over = {name: entry for name, entry in rows.items() if entry.over}
    if not rows:
        yield f"<p>{words('index.none')}</p>"
    if playing:
        yield f"<h2>{words('index.playing')}</h2>"
        heads = [words(f"col.{key}") for key in ("game", "when", "asked", "due")]
        cells = [
            (_to(name, entry.title), escape(entry.when), escape(entry.asked), escape(entry.until))
            for name, entry in sorted(playing.items(), key=lambda pair: (pair[1].due or "~", pair[0]))
        ]
        yield html_parts.rows_of(words("index.playing"), heads, cells, caption=False)
        if any(entry.due for entry in playing.values()):
            yield f'<p><a href="calendar.ics">{words("index.calendar")}</a></p>'
    if over:
        yield f"<h2>{words('index.over')}</h2>"
        heads = [words(f"col.{key}") for key in ("game", "result", "replay")]
        finished = [
            (_to(name, entry.title), escape(entry.result), _first_step(name, entry, words))
            for name, entry in sorted(over.items())
        ]
        yield html_parts.rows_of(words("index.over"), heads, finished, caption=False)


def _results(rows: Mapping[str, IndexRow], words: PageMessages, figures: Sequence[GameStats]) -> Iterator[str]:
    of_game = {(figure.game, figure.scenario): rows[figure.name] for figure in figures if figure.name in rows}
    found = [
        (
            escape(of_game[result.game, result.scenario].title),
            escape(of_game[result.game, result.scenario].seats.get(result.seat, result.seat)),
            str(result.games),
            str(result.wins),
            f"{result.points:g}",
        )
        for result in results(figures)
        if (result.game, result.scenario) in of_game
    ]
    if found:
        yield f"<h2>{words('index.results')}</h2>"
        heads = [words(f"col.{key}") for key in ("game", "seat", "games", "wins", "average")]
        yield html_parts.rows_of(words("index.results"), heads, found, caption=False)


def _to(name: str, title: str) -> str:
    return f'<a href="games/{name}/index.html">{escape(title)} ({escape(name)})</a>'


def _first_step(name: str, one: IndexRow, words: PageMessages) -> str:
    if not one.steps:
        return ""
    label = words("index.replay", name=name, steps=one.steps)
    return f'<a href="games/{name}/replay/1.html">{label}</a>'
