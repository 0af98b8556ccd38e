"""Findings about a game: missing texts in either language, names, kinds of questions, defaults, views, secrets.

Some come from the game and its files, some from random games. Rule tests check if its rules are right; `pbem dev
fuzz` and `pbem dev leak-test` search for crashes and leaks.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import msgspec.inspect

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.dev import lint_evidence
from pbem.dev.random_game import (
    GameBroken,
    Setting,
    answer_all,
    flaw_of,
    place_of_function,
    random_setup,
    said_of,
    sampler,
)
from pbem.kernel.game import Game
from pbem.kernel.game_loop import pack_of
from pbem.kernel.pack import PackError, is_entries
from pbem.kernel.questions import MODERATOR, Negotiate, Window
from pbem.kernel.referee import CheckpointRecord, PendingQuestion, Referee, components_of
from pbem.kernel.standing_orders import ALWAYS
from pbem.kernel.table import LogLine, Table
from pbem.kernel.view import View
from pbem.report.build import build, visible_lines
from pbem.report.messages import Catalogue, placeholders

DRAWN = 5
"""One question in this many is written out for two readers, the last one for all of them."""

_FEW, _DEALS = 4, 8
"""Minimum length of a deck, and how often it is dealt again before it counts as untouched."""

LIMIT = 2_000
"""Number of decisions after which a random game is stopped."""

_VALUE = re.compile(r"\d+|'[^']*'")
_PLURAL = re.compile(r"\.(one|other)$")
_YOU = re.compile(r"\bYou (?:is|has|was|does|[a-z]+[^s\W]s)\b")
_SAID = re.compile(r'(?:\.log|\bRejectionReason|\brejection|\bNotice)\(\s*"([a-z0-9_.-]+)"')


class LintFinding(msgspec.Struct, frozen=True, order=True):
    """Something that is missing: where (`locale/en.toml`, `view`…), what, and what to do about it."""

    where: str
    what: str
    remedy: str = ""

    @property
    def is_text(self) -> bool:
        """True for a missing text: a game plays without it."""
        return self.where.startswith("locale/") or self.what.startswith("has no text for")

    def __str__(self) -> str:
        return f"{self.where}: {self.what}{f' ({self.remedy})' if self.remedy else ''}"


def check(game: Game, games: int = 2, seed: int = 0) -> list[LintFinding]:
    """Return all findings from the game's files and from `games` random games of each number of players."""
    found = {*_titles(game), *_files(game), *_state(game), *_code(game), *_pack(game)}
    found |= {LintFinding(*lack) for lack in lint_evidence.in_texts(game)}
    try:
        components_of(game, {})
    except Exception as error:
        return sorted({*found, LintFinding("data", said_of(error, game.package), "no game can begin with it")})
    played: dict[tuple[str, str], LintFinding] = {}
    for scenario in game.scenarios:
        for players, seats in scenario.seats.items():
            if len(seats) != players:
                found.add(LintFinding("scenarios", f"{scenario.id}: {len(seats)} seats for {players} players"))
            for number in range(games):
                random = Random(f"check:{game.slug}:{seed}:{scenario.id}:{players}:{number}")
                _Play(game, (scenario.id, seats), random, played).try_out()
    twice = {lack.what for lack in played.values()}
    once = {(lack.where, lack.what): lack for lack in sorted(found) if lack.what not in twice}
    return sorted({*played.values(), *once.values()})


# -- checks of the files -----------------------------------------------------------------------------------------------


def _titles(game: Game) -> Iterator[LintFinding]:
    texts = {"title": game.title}
    texts |= {f"scenario {scenario.id}": scenario.name for scenario in game.scenarios}
    texts |= {f"option {option.id}": option.text for option in game.options}
    for where, text in texts.items():
        for language in LANGUAGES:
            if not text.get(language):
                yield LintFinding(where, f"has no text for '{language}'")


def _files(game: Game) -> Iterator[LintFinding]:
    shapes = {language: _shape(game.package, language) for language in LANGUAGES}
    for language, shape in shapes.items():
        where = f"locale/{language}.toml"
        if not shape:
            yield LintFinding(where, "is not there", "a game says its sentences in every language")
        first = shapes[LANGUAGES[0]]
        for key in first.keys() - shape.keys() if shape else ():
            yield LintFinding(where, f'no "{key}"', f"{LANGUAGES[0]}.toml has it")
        for key in shape.keys() - first.keys() if first else ():
            yield LintFinding(f"locale/{LANGUAGES[0]}.toml", f'no "{key}"', f"{language}.toml has it")
        for key in shape.keys() & first.keys():
            if shape[key] != first[key]:
                yield LintFinding(where, f'"{key}" has other placeholders than in {LANGUAGES[0]}.toml')
    known = set(shapes[LANGUAGES[0]]) | set(_shape("pbem.report", LANGUAGES[0]))
    losses = [("losses", key) for key in (*game.loss_lines, "plot.losses")] if game.loss_lines else []
    for path, key in (*_literal_keys(game.package), *losses):
        if key not in known:
            yield LintFinding(f"locale/{LANGUAGES[0]}.toml", f'no "{key}"', f"{path} says it")


_WORD = re.compile(r"""["']([\w-]+)["']""")
_MOST = 7 / 8
"""If this share of an array's entries is named in the game's code, each one must be."""


def _pack(game: Game) -> Iterator[LintFinding]:
    """Yield constraints that the pack breaks, and cards that no code implements."""
    try:
        tables = pack_of(game, {}).tables
    except PackError as error:
        for problem in error.problems:
            yield LintFinding("data", str(problem))
        return
    for problem in game.flaws(tables):
        yield LintFinding("data", f"breaks a constraint: {problem}")
    code = (
        path.read_text("utf-8") for home in import_module(game.package).__path__ for path in Path(home).rglob("*.py")
    )
    words = {word for text in code for word in _WORD.findall(text)}
    for file, table in tables.items():
        for array, entries in table.items():
            ids = [entry["id"] for entry in entries if "text" in entry] if is_entries(entries) else []
            strange = [key for key in ids if key not in words]
            if len(ids) - len(strange) >= _MOST * len(ids):
                for key in strange:
                    yield LintFinding(f"data/{file}.toml", f"no code names '{key}' of {array}, as it does the others")


def _shape(package: str, language: str) -> dict[str, set[str]]:
    """Return key without plural forms → placeholders."""
    found: dict[str, set[str]] = {}
    for key, text in messages(package, language).items():
        found.setdefault(_PLURAL.sub("", key), set()).update(placeholders(text))
    return found


def _literal_keys(package: str) -> Iterator[tuple[str, str]]:
    """Yield the literal keys in the game's code, with their file."""
    for path in _sources(package):
        for key in _SAID.findall(path.read_text("utf-8")):
            yield path.name, key


_PLAIN = "use str, int, bool, list, structs, or dict with str keys"


def _state(game: Game) -> Iterator[LintFinding]:
    """Yield fields of the state that a save can't store."""
    for kind in msgspec.inspect.multi_type_info([game.state]):
        if isinstance(kind, msgspec.inspect.StructType):
            yield from _unsaved(kind, kind.cls.__name__, set())


def _unsaved(kind: Any, where: str, seen: set[type]) -> Iterator[LintFinding]:
    inspect = msgspec.inspect
    if isinstance(kind, inspect.StructType):
        if kind.cls not in seen:
            seen.add(kind.cls)
            for field in kind.fields:
                yield from _unsaved(field.type, f"{kind.cls.__name__}.{field.name}", seen)
        return
    if isinstance(kind, (inspect.SetType, inspect.FrozenSetType)):
        yield LintFinding("state", f"{where} is a set: its order changes from run to run", _PLAIN)
    if isinstance(kind, inspect.DictType) and not isinstance(kind.key_type, (inspect.StrType, inspect.AnyType)):
        yield LintFinding("state", f"{where} is a dict whose keys aren't strings: TOML has no others", _PLAIN)
    if isinstance(kind, _UNSAVED):
        yield LintFinding("state", f"{where} is a {type(kind).__name__.removesuffix('Type').lower()}", _PLAIN)
    parts = [getattr(kind, name, None) for name in ("item_type", "value_type", "item_types", "types")]
    for part in parts:
        for inner in part if isinstance(part, tuple) else () if part is None else (part,):
            yield from _unsaved(inner, where, seen)


_UNSAVED = (
    msgspec.inspect.DateTimeType,
    msgspec.inspect.DateType,
    msgspec.inspect.TimeType,
    msgspec.inspect.TimeDeltaType,
    msgspec.inspect.CustomType,
)
_IMPURE = {
    "random": "the dice of the table",
    "secrets": "the dice of the table",
    "time": "nothing: rules read no clock",
    "datetime": "nothing: rules read no clock",
    "os": "nothing: rules do no input or output",
}
"""Modules that rules must not use → what to use instead."""


def _code(game: Game) -> Iterator[LintFinding]:
    """Yield impure code that would change a replay, and questions that are never asked."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in _sources(game.package)}
    functions = [n for tree in trees.values() for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    asking = {rule.name for rule in functions if _asks(rule)}
    rules = asking - {function.name for function in functions if not _asks(function)}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            where = f"{path.parent.name}/{path.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = node.module if isinstance(node, ast.ImportFrom) else None
                for name in [module] if module else [alias.name for alias in node.names]:
                    if name in _IMPURE:
                        yield LintFinding(where, f"imports {name}", f"use {_IMPURE[name]}")
            elif isinstance(node, ast.Global):
                yield LintFinding(where, f"global {', '.join(node.names)}: a replay does not know it", "use the state")
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                called = node.value.func
                if isinstance(called, ast.Name) and called.id in rules:
                    yield LintFinding(where, f"{called.id} puts no question without `yield from`")


def _asks(function: ast.FunctionDef) -> bool:
    """Check if a function itself yields, not only one nested in it."""
    inner = [node for node in ast.walk(function) if isinstance(node, ast.FunctionDef) and node is not function]
    theirs = {id(node) for other in inner for node in ast.walk(other)}
    yields = (node for node in ast.walk(function) if isinstance(node, ast.Yield | ast.YieldFrom))
    return any(id(node) not in theirs for node in yields)


def _sources(package: str) -> Iterator[Path]:
    for home in map(Path, import_module(package).__path__):
        yield from sorted(home.rglob("*.py"))


# -- checks in play ----------------------------------------------------------------------------------------------------


class _Play:
    def __init__(self, game: Game, setting: Setting, random: Random, found: dict[tuple[str, str], LintFinding]) -> None:
        self.game, self.random = game, random
        self.below = sampler(random)
        self.found = found
        self.args: dict[str, set[str]] = {}
        self.marks: list[CheckpointRecord] = []
        self.setup = random_setup(game, random, *setting)
        self.told = 0
        self.asked: Counter[str] = Counter()

    def lacks(self, where: str, what: str, remedy: str = "", *, once: str = "") -> None:
        """Add a finding. Of those that differ in seats and pieces alone (`once`), only the first counts."""
        self.found.setdefault((where, once or what), LintFinding(where, what, remedy))

    def try_out(self) -> None:
        try:
            self.run()
        except GameBroken as broken:
            self.lacks("questions", str(broken), once="flaw")
        except Exception as error:
            why = f"pbem dev fuzz {self.game.slug} shows when"
            self.lacks("play", said_of(error, self.game.package), why, once=type(error).__name__)
        for language, say in getattr(self, "says", {}).items():
            for key in say.missing:
                message, colon, hole = key.partition(":{")
                what = f'"{message}" wants {{{hole}, which it is not given' if colon else f'no "{message}"'
                args = sorted(self.args.get(message, ()))
                may = f"it may use {', '.join(f'{{{arg}}}' for arg in args)}" if args else "asked for in play"
                self.lacks(f"locale/{language}.toml", what, may)

    def run(self) -> None:
        game = self.game
        referee = Referee.new(game, self.setup, ask_me=ALWAYS, on_mark=self.marks.append)
        self.says = {language: Catalogue(game, referee.components, language, referee.names) for language in LANGUAGES}
        if not self._returns("calendar", "a dict", Mapping, referee.table.state):
            return
        if not self._returns("view", "a View", View, referee.table, ""):
            return
        given: list[tuple[str, Any, bytes]] = []
        for count in range(LIMIT):
            if referee.now is None:
                break
            self._question(referee)
            self._evidence(referee)
            if count % DRAWN == 0:
                self._draw(referee)
            given += answer_all(referee, self.below)
        for kind, answer, before in given:
            if msgspec.json.encode(answer) != before:
                why = "keep a copy of it in the state, as list(answer)"
                self.lacks("play", f"changes the answer to '{kind}' after it was given", why)
        if not self._returns("result", 'a dict {"scores": …, "winners": […]}', dict | None, referee.table.state):
            return
        self._draw(referee)
        self._end(referee)
        self._secrets()

    def _returns(self, name: str, must: str, kinds: Any, *args: Any) -> bool:
        """Check the type of what a function of the game returns."""
        function = getattr(self.game, name)
        value = function(*args)
        if not isinstance(value, kinds):
            place = place_of_function(function, self.game.package)
            self.lacks(name, f"{place}returned {type(value).__name__}: it must return {must}")
        return isinstance(value, kinds)

    def _question(self, referee: Referee) -> None:
        game = self.game
        for question in referee.pending():
            if flaw := flaw_of(referee, question.seat):
                self.lacks("questions", flaw, once="flaw")
            elif self._undecided(question, referee):
                why = "at the deadline the moderator has to decide; if so it shall be: no_default"
                self.lacks(f"question {question.kind}", "has no default", why)
            if question.kind not in game.question_kinds:
                self.lacks("question_kinds", f"'{question.kind}' is asked and not among them")
            self._plain(f"question {question.kind}", question.about)
            self.args.setdefault(question.prompt, set()).update(question.about)
            if question.default is not None and not referee.domain(question.seat).accepts(question.default):
                what = f"its default {question.default!r} is not legal"
                self.lacks(f"question {question.kind}", what, once="default")
            if question.pace not in game.default_hours:
                self.lacks("paces", f"'{question.pace}' (of {question.kind}) is not among them")

    def _evidence(self, referee: Referee) -> None:
        """Check the decision of the first questions of each kind, and of some later ones."""
        for question in referee.pending():
            self.asked[question.kind] += 1
            if self.asked[question.kind] > DRAWN and self.asked[question.kind] % DRAWN:
                continue
            try:
                found = list(lint_evidence.in_question(referee, question, self.says))
            except Exception as error:
                self.lacks(f"question {question.kind}", said_of(error, self.game.package), once="evidence")
                continue
            for where, what, remedy in found:
                self.lacks(where, what, remedy, once=_VALUE.sub("", what))

    def _undecided(self, question: PendingQuestion, referee: Referee) -> bool:
        asked = question.default is None and question.kind not in self.game.no_default
        return asked and not isinstance(referee.now, (Window, Negotiate))

    def _draw(self, referee: Referee) -> None:
        lines = referee.table.lines[self.told :]
        self.told += len(lines)
        readers = ("", *self.setup.seats, MODERATOR)
        some = readers if referee.now is None else self.random.sample(readers, 2)
        for language, say in self.says.items():
            for seat in some:
                build(referee, seat, language, catalogue=say)
            for seat in self.setup.seats:
                visible_lines(say, lines, seat)
        self._you(lines)
        self._lines(lines)

    def _you(self, lines: list[LogLine]) -> None:
        """Check that no line has the verb of a third person behind its reader's "You"."""
        say = self.says["en"]
        for line, seat in product(lines, self.setup.seats):
            if line.only is None or seat in line.only:
                read, args = say.read_by(line, seat)
                for key in filter(say.has, (read, f"news.{read}")):
                    if said := _YOU.search(say.to_you(key, args)):
                        what, remedy = f'"{key}" tells a seat "{said[0]}"', "write the verb as {seat:takes/take}"
                        self.lacks("locale/en.toml", what, remedy, once=key)

    def _lines(self, lines: list[LogLine]) -> None:
        for line in lines:
            if line.only is not None and not self.game.hidden_lines:
                self.lacks("__init__.py", f"a line for some seats only: {line.key}", "leave out `hidden_lines=False`")
            self.args.setdefault(line.key, set()).update(line.args)
            private = self.args.setdefault(f"{line.key}.private", set())
            private.update(line.args, *(line.private or {}).values())
            self._plain(line.key, line.args)
            for seat in (line.args.get("seat"), line.args.get("to")):
                if isinstance(seat, str) and seat == self.says["en"].name(seat) and seat not in self.setup.seats:
                    self.lacks(line.key, f"names '{seat}', who does not play")
            for seat in line.private or {}:
                if seat not in self.setup.seats:
                    self.lacks(line.key, f"has private arguments for '{seat}', who does not play")

    def _plain(self, where: str, args: Mapping[str, Any]) -> None:
        """Check that no argument is a set, whose order changes from run to run, or anything that can't be written."""
        for name, arg in args.items():
            inner = [*arg.values()] if isinstance(arg, dict) else arg if isinstance(arg, list | tuple) else []
            if any(isinstance(part, set | frozenset) for part in (arg, *inner)):
                self.lacks(where, f"{name} holds a set: its order changes from run to run", "use sorted()")
            try:
                msgspec.json.encode(arg)
            except (TypeError, ValueError) as error:
                self.lacks(where, f"{name} can't be written: {error}", "use ids, numbers and lists of them")

    def _end(self, referee: Referee) -> None:
        if len(self.marks) < 2:
            why = "each email would replay the whole game: yield Checkpoint() once a turn"
            self.lacks("play", "has no checkpoint after the first question", why)
        if not referee.over:
            self.lacks("play", f"no end after {LIMIT} decisions")
            return
        result = referee.result or {}
        for part in ("scores", "winners"):
            if part not in result:
                self.lacks("result", f"has no {part}")
        strangers = {*result.get("winners", []), *result.get("scores", {})} - {*self.setup.seats}
        if strangers:
            self.lacks("result", f"names {', '.join(sorted(strangers))}: no seats")

    def _secrets(self) -> None:
        """Check that `conceal` deals again everything that the seat can't see, and nothing that it sees."""
        dealt = differ = False
        for mark in self.random.sample(self.marks, min(3, len(self.marks))):
            for seat in self.setup.seats:
                table = self._table(mark)
                before = self._seen(table, seat)
                differ |= before != self._seen(table, MODERATOR)
                self.game.conceal(table, seat, self.below)
                dealt |= msgspec.json.encode(table.state) != mark.state
                if self._seen(table, seat) != before:
                    what = f"changes what {seat} sees, or the view shows {seat} what it must not know"
                    self.lacks("conceal", what, "pbem dev leak-test shows where")
                for problem in self.game.invariants(table):
                    self.lacks("conceal", f"breaks an invariant: {problem}", once="invariant")
        if differ and not dealt:
            self.lacks("conceal", "deals nothing again, though seats see different things")
        if self.marks:
            self._shuffled(self.marks[0])

    def _shuffled(self, mark: CheckpointRecord) -> None:
        """Check a list that the set-up shuffled: public, or dealt again for every seat that can't see it."""
        setup = random_setup(self.game, self.random, self.setup.scenario, self.setup.seats)
        other = Referee.new(self.game, setup, ask_me=ALWAYS)
        for name in self.game.state.__struct_fields__:
            first = getattr(self._table(mark).state, name)
            if not isinstance(first, list) or len(first) < _FEW or first == getattr(other.table.state, name):
                continue
            for seat in self.setup.seats:
                if self._stays(mark, seat, name):
                    why = "name it among what conceal deals again"
                    self.lacks("conceal", f"{name} is dealt at random, unseen by {seat}, and stays", why)

    def _stays(self, mark: CheckpointRecord, seat: str, name: str) -> bool:
        """Check if a list could be in another order without the seat seeing it, but never is."""
        table = self._table(mark)
        before, order = self._seen(table, seat), list(getattr(table.state, name))
        getattr(table.state, name).reverse()
        if self._seen(table, seat) != before:
            return False
        for _ in range(_DEALS):
            table = self._table(mark)
            self.game.conceal(table, seat, self.below)
            if getattr(table.state, name) != order:
                return False
        return True

    def _table(self, mark: CheckpointRecord) -> Table[Any, Any]:
        table = Referee(self.game, self.setup).table
        table.state = msgspec.json.decode(mark.state, type=self.game.state)
        return table

    def _seen(self, table: Table[Any, Any], reader: str) -> bytes:
        """Return what a reader sees, without their name."""
        view = msgspec.structs.replace(self.game.view(table, reader), seat="")
        return msgspec.json.encode(view, enc_hook=str)
