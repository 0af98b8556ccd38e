"""The moderator's decisions: corrections of the state, checked and journaled, and manual cards."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from pbem.kernel.domain import Below, Budget, Domain, Value
from pbem.kernel.order_words import NONE_WORDS, WordCursor, parts
from pbem.kernel.questions import MODERATOR, Ask
from pbem.kernel.rejections import Rejection, RejectionReason, closest_words, rejection
from pbem.kernel.table import Table
from pbem.lazy_regex import pattern

_BARE = pattern(r"(?!(?:true|false|null|NaN|Infinity)$)[^\W\d][\w.+/-]*")
"""A word that needs no quotes: not a number or a JSON constant."""

Steps = list[dict[str, Any]]
"""`[{path = "countries.england.status", value = 3}, …]`"""


class Correction(Domain):
    """Steps that set values of the state: `countries.england.status=3; …`. It may be empty.

    A value is checked against its type in the state, and the whole against `invariants`, on a copy.
    """

    __slots__ = ("invariants", "table")

    def __init__(self, table: Table, invariants: Callable[[Table], Sequence[RejectionReason]]) -> None:
        self.table = table
        self.invariants = invariants

    def check(self, value: Value) -> None:
        if not isinstance(value, list) or not all(map(_is_step, value)):
            raise rejection("answer.malformed")
        live = self.table.state
        try:
            self.table.state = msgspec.json.decode(msgspec.json.encode(live), type=type(live))
            apply(self.table.state, value)
            problem = self._broken(value)
            if problem is not None:
                raise Rejection(problem)
        finally:
            self.table.state = live

    def _broken(self, value: Steps) -> RejectionReason | None:
        try:
            return next(iter(self.invariants(self.table)), None)
        except Exception as error:  # the game's own checks fail: the state is unusable
            path = "; ".join(step["path"] for step in value)
            return RejectionReason("correction.value", {"path": path, "why": f"{type(error).__name__}: {error}"})

    def options(self) -> Iterator[Value]:
        return iter(([],))

    def sample(self, below: Below) -> Value:
        return []

    def parse_from(self, words: WordCursor) -> Value:
        steps: Steps = []
        for part in parts(words.rest()):
            if part in ("", *NONE_WORDS):
                continue
            path, equals, value = part.partition("=")
            if not equals:
                raise rejection("answer.missing", what=f"= after '{part}'")
            steps.append({"path": path.strip(), "value": _value(value.strip())})
        return steps

    def text(self, value: Value) -> str:
        return "; ".join(f"{s['path']}={_written(s['value'])}" for s in value) or "none"

    def syntax(self) -> str:
        return "<path>=<value>; … | none"

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "unknown"}


def apply(state: Any, steps: Steps) -> None:
    """Set the values in place. Raises `Rejection` for an unknown path or a value of the wrong type."""
    for step in steps:
        *way, last = step["path"].split(".")
        _set(*_at(state, way, step["path"]), last, step["value"], step["path"])


def find(state: Any, path: str) -> Any:
    """Return the value at a dotted path. Raises `Rejection` if there is none."""
    return _at(state, path.split("."), path)[0]


def manual(
    table: Table, card: str, seat: str, invariants: Callable[[Table], Sequence[RejectionReason]], rule: str = ""
) -> Generator[Ask, Any, None]:
    """Play a card that the pack sets to `manual`: the moderator executes it in steps."""
    steps = yield Ask(
        MODERATOR, "manual", lambda: Correction(table, invariants), rule=rule, about={"card": card, "seat": seat}
    )
    apply(table.state, steps)
    table.log("correction.manual", card=card, seat=seat, count=len(steps))


def _at(state: Any, way: Sequence[str], path: str) -> tuple[Any, Any]:
    holder, kind = state, type(state)
    for name in way:
        holder, kind = _down(holder, kind, name, path)
    return holder, kind


def _down(holder: Any, kind: Any, name: str, path: str) -> tuple[Any, Any]:
    """Return what `holder`, of the type `kind`, has under `name`, and its type."""
    kind = _present(kind)
    if isinstance(holder, msgspec.Struct):
        hints = _hints(type(holder))
        if name not in hints:
            raise rejection("correction.path", path=path, near=closest_words(name, hints))
        return getattr(holder, name), hints[name]
    if isinstance(holder, dict) and name in holder:
        return holder[name], (get_args(kind) or (Any, Any))[-1]
    if isinstance(holder, list) and name.isdecimal() and int(name) < len(holder):
        return holder[int(name)], (get_args(kind) or (Any,))[0]
    known = [str(k) for k in holder] if isinstance(holder, dict) else []
    raise rejection("correction.path", path=path, near=closest_words(name, known) if known else ())


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _present(kind: Any) -> Any:
    """Return `X` for `X | None`."""
    others = [part for part in get_args(kind) if part is not type(None)]
    return others[0] if len(others) == 1 and type(None) in get_args(kind) else kind


def _set(holder: Any, kind: Any, name: str, value: Any, path: str) -> None:
    if isinstance(holder, dict) and name not in holder:
        wanted = (get_args(_present(kind)) or (Any, Any))[-1]
    else:
        _, wanted = _down(holder, kind, name, path)
    try:
        typed = msgspec.convert(value, wanted if get_origin(wanted) or isinstance(wanted, type) else Any)
    except (msgspec.ValidationError, TypeError) as error:
        raise Rejection(RejectionReason("correction.value", {"path": path, "why": str(error)})) from None
    if isinstance(holder, msgspec.Struct):
        setattr(holder, name, typed)
    elif isinstance(holder, dict):
        holder[name] = typed
    else:
        holder[int(name)] = typed


def _is_step(step: Any) -> bool:
    return isinstance(step, dict) and set(step) == {"path", "value"} and isinstance(step["path"], str)


def _value(text: str) -> Any:
    """Parse a value: JSON, a bare word, or a list of bare words in brackets."""
    if _BARE.fullmatch(text) is None:
        import json

        try:
            return json.loads(text)
        except ValueError:
            pass
    if text.startswith("["):
        inner = text.strip("[]").strip()
        return [_value(part.strip()) for part in inner.split(",")] if inner else []
    return text


def _written(value: Any) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value):
        return value
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace('\\"', "\\u0022")
