"""What a game still lacks: words in either language, names, kinds of questions, legal defaults, views, secrets.

Part is read off the game and its files, part comes out in random games, put into words for their readers.
Whether its rules are right, cases tell; whether it breaks or leaks, `pbem fuzz` and `pbem leaks`.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random

import msgspec

from pbem import LANGUAGES
from pbem.kernel.game import Game
from pbem.kernel.loop import components_of, pack_of
from pbem.kernel.pack import PackError, is_entries
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Mark, Referee
from pbem.kernel.standing import ALWAYS
from pbem.kernel.table import Line
from pbem.report.build import build, told
from pbem.report.catalogue import Catalogue, holes, messages
from pbem.trial.random_game import Setting, answer_all, random_setup, sampler

DRAWN = 5
"""Of so many questions of a game, one is put into words for two readers; the last for all of them."""

LIMIT = 2_000
"""Decisions after which a random game is broken off."""

_PLURAL = re.compile(r"\.(one|other)$")
_SAID = re.compile(r'(?:\.say|\bProblem|\brefuse|\bNotice)\(\s*"([a-z0-9_.-]+)"')


class Lack(msgspec.Struct, frozen=True, order=True):
    """One thing that is missing: where (`locale/en.toml`, `view`…), what, and what to do about it."""

    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}{f' ({self.remedy})' if self.remedy else ''}"


def check(game: Game, games: int = 2, seed: int = 0) -> list[Lack]:
    """All that the game lacks, as far as its files and `games` random games of each number of players tell."""
    found = {*_titles(game), *_files(game), *_pack(game)}
    try:
        components = components_of(game, {})[1]
    except Exception as error:
        return sorted({*found, Lack("data", _said_by(error, game), "no game can begin with it")})
    for scenario in game.scenarios:
        for players, seats in scenario.seats.items():
            if len(seats) != players:
                found.add(Lack("scenarios", f"{scenario.id}: {len(seats)} seats for {players} players"))
            for number in range(games):
                random = Random(f"check:{game.slug}:{seed}:{scenario.id}:{players}:{number}")
                play = _Play(game, (scenario.id, seats), components, random)
                try:
                    found |= play.run()
                except Exception as error:
                    found |= {*play.found, Lack("play", _said_by(error, game), "it breaks off")}
    return sorted(found)


# -- what stands in the files ------------------------------------------------------------------------------------------


def _titles(game: Game) -> Iterator[Lack]:
    texts = {"title": game.title}
    texts |= {f"scenario {scenario.id}": scenario.name for scenario in game.scenarios}
    texts |= {f"option {option.id}": option.text for option in game.options}
    for where, text in texts.items():
        for language in LANGUAGES:
            if not text.get(language):
                yield Lack(where, f"has no text for '{language}'")


def _files(game: Game) -> Iterator[Lack]:
    shapes = {language: _shape(game.package, language) for language in LANGUAGES}
    for language, shape in shapes.items():
        where = f"locale/{language}.toml"
        if not shape:
            yield Lack(where, "is not there", "a game says its sentences in every language")
        first = shapes[LANGUAGES[0]]
        for key in first.keys() - shape.keys() if shape else ():
            yield Lack(where, f'no "{key}"', f"{LANGUAGES[0]}.toml has it")
        for key in shape.keys() - first.keys() if first else ():
            yield Lack(f"locale/{LANGUAGES[0]}.toml", f'no "{key}"', f"{language}.toml has it")
        for key in shape.keys() & first.keys():
            if shape[key] != first[key]:
                yield Lack(where, f'"{key}" has other placeholders than in {LANGUAGES[0]}.toml')
    known = set(shapes[LANGUAGES[0]]) | set(_shape("pbem.report", LANGUAGES[0]))
    losses = [("losses", key) for key in (*game.losses, "plot.losses")] if game.losses else []
    for path, key in (*_said(game.package), *losses):
        if key not in known:
            yield Lack(f"locale/{LANGUAGES[0]}.toml", f'no "{key}"', f"{path} says it")


def _said_by(error: Exception, game: Game) -> str:
    """An error, and the last line of the game's own code that it went through."""
    home = [Path(place).resolve() for place in import_module(game.package).__path__]
    own = [
        step
        for step in traceback.extract_tb(error.__traceback__)
        if any(Path(step.filename).resolve().is_relative_to(place) for place in home)
    ]
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}{where}"


_WORD = re.compile(r"""["']([\w-]+)["']""")
_MOST = 7 / 8
"""If so many entries of an array are named in the game's code, each must be."""


def _pack(game: Game) -> Iterator[Lack]:
    """What the pack breaks of its own constraints, and cards that no code carries out."""
    try:
        tables = pack_of(game, {}).tables
    except PackError as error:
        for problem in error.problems:
            yield Lack("data", str(problem))
        return
    for problem in game.flaws(tables):
        yield Lack("data", f"breaks a constraint: {problem}")
    code = (
        path.read_text("utf-8")
        for home in import_module(game.package).__path__
        for path in Path(home).rglob("*.py")
    )
    words = {word for text in code for word in _WORD.findall(text)}
    for file, table in tables.items():
        for array, entries in table.items():
            ids = [entry["id"] for entry in entries if "text" in entry] if is_entries(entries) else []
            strange = [key for key in ids if key not in words]
            if len(ids) - len(strange) >= _MOST * len(ids):
                for key in strange:
                    yield Lack(
                        f"data/{file}.toml", f"no code names '{key}' of {array}, as it does the others"
                    )


def _shape(package: str, language: str) -> dict[str, set[str]]:
    """Key without plural forms → placeholders."""
    found: dict[str, set[str]] = {}
    for key, text in messages(package, language).items():
        found.setdefault(_PLURAL.sub("", key), set()).update(holes(text))
    return found


def _said(package: str) -> Iterator[tuple[str, str]]:
    """The keys that stand in the game's code as they are, and in which file."""
    for home in map(Path, import_module(package).__path__):
        for path in sorted(home.rglob("*.py")):
            for key in _SAID.findall(path.read_text("utf-8")):
                yield path.name, key


# -- what comes out in play --------------------------------------------------------------------------------------------


class _Play:
    """One random game."""

    def __init__(self, game: Game, setting: Setting, components: object, random: Random) -> None:
        self.game, self.random = game, random
        self.below = sampler(random)
        self.found: set[Lack] = set()
        self.marks: list[Mark] = []
        self.setup = random_setup(game, random, *setting)
        self.components = components
        self.told = 0

    def run(self) -> set[Lack]:
        """Play the game, and look at it on the way."""
        game = self.game
        referee = Referee.new(
            game, self.setup, components=self.components, ask_me=ALWAYS, on_mark=self.marks.append
        )
        self.says = {
            language: Catalogue(game, referee.components, language, referee.names) for language in LANGUAGES
        }
        for count in range(LIMIT):
            if referee.now is None:
                break
            self._question(referee)
            if count % DRAWN == 0:
                self._draw(referee)
            answer_all(referee, self.below)
        self._draw(referee)
        self._end(referee)
        self._secrets()
        for language, say in self.says.items():
            for key in say.missing:
                self._lacks_word(language, key)
        return self.found

    def _lacks_word(self, language: str, key: str) -> None:
        message, colon, hole = key.partition(":{")
        what = f'"{message}" wants {{{hole}, which it is not given' if colon else f'no "{message}"'
        self.found.add(Lack(f"locale/{language}.toml", what, "asked for in play"))

    def _question(self, referee: Referee) -> None:
        game = self.game
        for question in referee.pending():
            if question.kind not in game.kinds:
                self.found.add(Lack("kinds", f"'{question.kind}' is asked and not among them"))
            if question.default is not None and not referee.domain(question.seat).accepts(question.default):
                self.found.add(
                    Lack(f"question {question.kind}", f"its default {question.default!r} is not legal")
                )
            if question.pace not in game.paces:
                self.found.add(Lack("paces", f"'{question.pace}' (of {question.kind}) is not among them"))

    def _draw(self, referee: Referee) -> None:
        lines = referee.table.lines[self.told :]
        self.told += len(lines)
        readers = ("", *self.setup.seats, MODERATOR)
        some = readers if referee.now is None else self.random.sample(readers, 2)
        for language, say in self.says.items():
            for seat in some:
                build(referee, seat, language, catalogue=say)
            for seat in self.setup.seats:
                told(say, lines, seat)
        self._lines(lines)

    def _lines(self, lines: list[Line]) -> None:
        for line in lines:
            for seat in line.private or {}:
                if seat not in self.setup.seats:
                    self.found.add(Lack(line.key, f"has private arguments for '{seat}', who does not play"))

    def _end(self, referee: Referee) -> None:
        if not referee.over:
            self.found.add(Lack("play", f"no end after {LIMIT} decisions"))
            return
        result = referee.result or {}
        for part in ("scores", "winners"):
            if part not in result:
                self.found.add(Lack("result", f"has no {part}"))
        strangers = {*result.get("winners", []), *result.get("scores", {})} - {*self.setup.seats}
        if strangers:
            self.found.add(Lack("result", f"names {', '.join(sorted(strangers))}: no seats"))

    def _secrets(self) -> None:
        """What is dealt anew by `conceal` is nothing that the seat sees."""
        for mark in self.random.sample(self.marks, min(3, len(self.marks))):
            for seat in self.setup.seats:
                scratch = Referee(self.game, self.setup, components=self.components)
                scratch.table.state = msgspec.json.decode(mark.state, type=self.game.state)
                before = msgspec.json.encode(self.game.view(scratch.table, seat), enc_hook=str)
                self.game.conceal(scratch.table, seat, self.below)
                if msgspec.json.encode(self.game.view(scratch.table, seat), enc_hook=str) != before:
                    self.found.add(Lack("conceal", "changes what the seat sees", "pbem leaks shows where"))
                for problem in self.game.invariants(scratch.table):
                    self.found.add(Lack("conceal", f"breaks an invariant: {problem.key}"))
