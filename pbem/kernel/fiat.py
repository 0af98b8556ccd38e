"""The moderator's hand: corrections of the state, checked and journaled; and cards that he carries out himself."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from pbem.kernel.domain import Below, Budget, Domain, Value
from pbem.kernel.problems import Problem, Refused, nearest, refuse
from pbem.kernel.questions import MODERATOR, Ask
from pbem.kernel.table import Table
from pbem.kernel.words import Reader

Steps = list[dict[str, Any]]
"""`[{path = "countries.england.status", value = 3}, …]`"""


class Fiat(Domain):
    """Steps that set values of the state: `countries.england.status=3; …`. None is legal.

    A value is checked against its type in the state, and the whole against `invariants`, on a copy.
    """

    __slots__ = ("invariants", "table")

    def __init__(self, table: Table, invariants: Callable[[Table], Any]) -> None:
        self.table = table
        self.invariants = invariants

    def check(self, value: Value) -> None:
        if not isinstance(value, list) or any(
            not isinstance(s, dict) or set(s) != {"path", "value"} for s in value
        ):
            raise refuse("answer.malformed")
        live = self.table.state
        try:
            self.table.state = msgspec.json.decode(msgspec.json.encode(live), type=type(live))
            apply(self.table.state, value)
            for problem in self.invariants(self.table):
                raise Refused(problem)
        finally:
            self.table.state = live

    def options(self) -> Iterator[Value]:
        return iter(([],))

    def sample(self, below: Below) -> Value:
        return []

    def take(self, words: Reader) -> Value:
        rest = " ".join(words.words[words.at :])
        words.at = len(words.words)
        steps: Steps = []
        for part in (p.strip() for p in rest.split(";")):
            if part in ("", "none", "なし"):
                continue
            path, equals, value = part.partition("=")
            if not equals:
                raise refuse("answer.missing", what=f"= after '{part}'")
            steps.append({"path": path.strip(), "value": _value(value.strip())})
        return steps

    def text(self, value: Value) -> str:
        return "; ".join(f"{s['path']}={_written(s['value'])}" for s in value) or "none"

    def syntax(self) -> str:
        return "<path>=<value>; … | none"

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "unknown"}


def apply(state: Any, steps: Steps) -> None:
    """Set the values in place. Raises `Refused` for a path that is not there or a value of the wrong type."""
    for step in steps:
        *way, last = step["path"].split(".")
        holder, kind = state, type(state)
        for name in way:
            holder, kind = _down(holder, kind, name, step["path"])
        _set(holder, kind, last, step["value"], step["path"])


def manual(
    table: Table, card: str, seat: str, invariants: Callable[[Table], Any], rule: str = ""
) -> Generator[Ask, Any, None]:
    """A card that the pack sets to `manual`: the moderator carries it out in steps (DESIGN §8 of packs)."""
    steps = yield Ask(
        MODERATOR, "manual", lambda: Fiat(table, invariants), rule=rule, about={"card": card, "seat": seat}
    )
    apply(table.state, steps)
    table.say("fiat.manual", card=card, seat=seat, count=len(steps))


def _down(holder: Any, kind: Any, name: str, path: str) -> tuple[Any, Any]:
    if isinstance(holder, msgspec.Struct):
        hints = get_type_hints(type(holder))
        if name not in hints:
            raise refuse("fiat.path", path=path, near=nearest(name, hints))
        return getattr(holder, name), hints[name]
    if isinstance(holder, dict) and name in holder:
        return holder[name], (get_args(kind) or (Any, Any))[-1]
    if isinstance(holder, list) and name.isdigit() and int(name) < len(holder):
        return holder[int(name)], (get_args(kind) or (Any,))[0]
    known = [str(k) for k in holder] if isinstance(holder, dict) else []
    raise refuse("fiat.path", path=path, near=nearest(name, known) if known else ())


def _set(holder: Any, kind: Any, name: str, value: Any, path: str) -> None:
    if isinstance(holder, dict) and name not in holder:
        wanted = (get_args(kind) or (Any, Any))[-1]
    else:
        _, wanted = _down(holder, kind, name, path)
    try:
        typed = msgspec.convert(value, wanted if get_origin(wanted) or isinstance(wanted, type) else Any)
    except (msgspec.ValidationError, TypeError) as error:
        raise Refused(Problem("fiat.value", {"path": path, "why": str(error)})) from None
    if isinstance(holder, msgspec.Struct):
        setattr(holder, name, typed)
    elif isinstance(holder, dict):
        holder[name] = typed
    else:
        holder[int(name)] = typed


def _value(text: str) -> Any:
    if text.startswith("["):
        inner = text.strip("[]").strip()
        return [_value(part) for part in inner.split(",")] if inner else []
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text


def _written(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
