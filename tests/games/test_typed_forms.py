"""What a rule gets as an answer is what its type says: the typed forms and domains of the games.

A function whose result is annotated with `Form[X]` or `Domain[X]`, or a local variable so annotated, promises that
every answer is an `X`. Random games are played, each such form is drawn from, and what it gives is held against `X`: no
key is missing, none is undeclared, each value has its type, and every declared key is a field of some such form.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from types import CodeType, FrameType, ModuleType
from typing import Any, get_args, get_origin, is_typeddict

import msgspec
import pytest

import games
from pbem.dev.random_game import random_setup
from pbem.kernel.domains import Domain, Form
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS

GAMES, STEPS = 8, 1500
DRAWN, OFTEN = 4, 30
"""How often a form is drawn from, and how many forms of one function in a game."""

Place = tuple[str, int]
RESULT = "return"


def annotated(module: ModuleType) -> Iterator[tuple[Place, str, Any]]:
    """Functions of a module by file and line; the name that is annotated (`return`: the result), and with what."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        line = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
        notes = {RESULT: function.returns} if function.returns else {}
        notes |= {n.target.id: n.annotation for n in own(function) if isinstance(n.target, ast.Name)}
        for name, note in notes.items():
            text = ast.unparse(note)
            if "Form[" in text or "Domain[" in text:
                yield (str(module.__file__), line), name, eval(text, vars(module))


def own(function: ast.FunctionDef) -> Iterator[ast.AnnAssign]:
    """Annotated variables of a function, those of the functions in it apart."""
    todo: list[ast.AST] = [*function.body]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.AnnAssign):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))


def answer_of(note: Any) -> Any:
    """The X of `Form[X]`, `Domain[X]`, or of a union with one of them; None if the annotation is another."""
    for part in (note, *get_args(note)):
        origin = get_origin(part)
        if isinstance(origin, type) and issubclass(origin, Domain) and origin in (Form, Domain):
            return get_args(part)[0]
    return None


class Watch:
    """Looks at every form that an annotated function makes while it is under way."""

    def __init__(self, slug: str) -> None:
        self.promised: dict[Place, dict[str, Any]] = {}
        self.where: dict[CodeType, dict[str, Any] | None] = {}
        self.count: dict[tuple[CodeType, str], int] = {}
        self.keys: dict[Any, set[str]] = {}
        self.wrong: set[str] = set()
        for info in pkgutil.walk_packages([str(Path(games.__path__[0]) / slug)], f"games.{slug}."):
            module = importlib.import_module(info.name)
            for place, name, note in annotated(module):
                answer = answer_of(note)
                if answer is not None:
                    self.promised.setdefault(place, {})[name] = answer
                    for member in (answer, *get_args(answer)):
                        if is_typeddict(member):
                            self.keys.setdefault(member, set())

    def __enter__(self) -> Watch:
        self.count.clear()
        sys.settrace(self.called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def called(self, frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in self.where:
            self.where[code] = self.promised.get((code.co_filename, code.co_firstlineno))
        if self.where[code] is None:
            return None
        frame.f_trace_lines = False
        return self.returned

    def returned(self, frame: FrameType, event: str, result: Any) -> Any:
        code = frame.f_code
        for name, answer in (self.where[code] or {}).items() if event == "return" else ():
            made = result if name == RESULT else frame.f_locals.get(name)
            seen = self.count.get((code, name), 0)
            if isinstance(made, Domain) and seen < OFTEN:
                self.count[code, name] = seen + 1
                self.look(made, answer, f"{code.co_qualname}: {answer}")
        return self.returned

    def look(self, domain: Domain, answer: Any, where: str) -> None:
        """Draw from a form and hold what it gives against the type."""
        random = Random(0)
        for _ in range(DRAWN):
            value = domain.sample(random.randrange)
            typed = [member for member in (answer, *get_args(answer)) if is_typeddict(member)]
            given = set(value) - {"do"} if isinstance(value, dict) and typed else set()
            for form_type in typed:
                self.keys[form_type] |= given
            if not given <= {key for form_type in typed for key in form_type.__annotations__}:
                self.wrong.add(f"{where}: {value}")
            try:
                msgspec.convert(value, answer, strict=True)
            except msgspec.ValidationError as error:
                self.wrong.add(f"{where}: {error}")
        if isinstance(domain, Form) and is_typeddict(answer):
            self.keys[answer] |= set(domain.fields)

    def unseen(self) -> dict[Any, set[str]]:
        """The declared keys of each type that no form has had so far."""
        return {form: set(form.__annotations__) - keys for form, keys in self.keys.items()}


def play(slug: str, number: int) -> None:
    """A random game, or the first part of a long one."""
    game, random = games.load(slug), Random(f"typed:{slug}:{number}")
    settings = [(scenario.id, seats) for scenario in game.scenarios for seats in scenario.seats.values()]
    setup = random_setup(game, random, *settings[number % len(settings)])
    referee = Referee.new(game, setup, ask_me=ALWAYS)
    for _ in range(STEPS):
        if referee.now is None:
            return
        seat = random.choice(referee.waiting())
        with suppress(Rejection):  # deals may exclude each other
            referee.submit(seat, referee.domain(seat).sample(random.randrange))


@pytest.mark.parametrize("slug", [entry.slug for entry in games.catalogue()])
def test_answers_have_the_type_that_rules_are_told(slug: str) -> None:
    watch = Watch(slug)
    for number in range(GAMES):
        with watch:
            play(slug, number)
        if not any(watch.unseen().values()):
            break
    assert watch.wrong == set()
    unseen = watch.unseen()
    never = [form for form, keys in unseen.items() if len(keys) == len(form.__annotations__)]
    assert len(never) <= 0.2 * len(unseen), never
    assert {form.__name__: keys for form, keys in unseen.items() if keys and form not in never} == {}
